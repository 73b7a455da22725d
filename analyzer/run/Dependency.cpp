// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/run/Dependency.h"

#include <algorithm>
#include <cstdlib>
#include <dirent.h>
#include <vector>

namespace kst {

Hash128 hashListing(const std::string &Path) {
  DIR *Directory = opendir(Path.c_str());
  if (!Directory)
    return {};
  std::vector<std::string> Names;
  while (const dirent *Entry = readdir(Directory))
    Names.push_back(Entry->d_name);
  closedir(Directory);
  std::ranges::sort(Names);
  std::string All;
  for (const std::string &Name : Names)
    All += Name + '/';
  return hash128(All);
}

Hash128 hashLink(const std::string &Path) {
  char *Real = realpath(Path.c_str(), nullptr);
  Hash128 Hash = Real ? hash128(Real) : Hash128();
  free(Real);
  return Hash;
}

} // namespace kst
