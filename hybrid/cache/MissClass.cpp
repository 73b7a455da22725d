// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/cache/MissClass.h"

namespace kst {

const char *spelling(MissClass Class) {
  static const char *const Names[] = {
      "none",         "cold",          "cold-foreign", "cold-clean",
      "true-sharing", "false-sharing", "conflict",     "capacity"};
  return Names[size_t(Class)];
}

const char *spelling(ServedBy Server) {
  static const char *const Names[] = {"l1", "l2", "remote", "llc", "memory"};
  return Names[size_t(Server)];
}

} // namespace kst
