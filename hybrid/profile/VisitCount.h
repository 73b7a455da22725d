// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whose objects a function visits.

#pragma once

#include <string>

namespace kst {

/// A function of a file and the objects of one struct. A visit is a stretch of
/// accesses to one object by one CPU.
struct VisitCount {
  std::string Struct; ///< or the slab cache, where the struct is not known
  std::string Function, File;
  double Visits = 0;
  double Others = 0; ///< share by another CPU than the object's owner, 0..1
  bool operator==(const VisitCount &) const = default;
};

} // namespace kst
