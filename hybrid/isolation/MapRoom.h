// SPDX-License-Identifier: GPL-2.0-or-later
//
// Room in a map for a section that a changed object has and had not.

#pragma once

#include "hybrid/core/ObjectFile.h"
#include "hybrid/isolation/LinkMap.h"

#include <map>
#include <string>

namespace kst {

/// Gives a section that a changed object has, and had not, its place in the
/// map: with its like, in the order of files. False if no file has such.
/// `Objects`: the old ones, by name.
bool makeRoom(LinkMap &Map, const std::map<std::string, ObjectFile> &Objects,
              const std::string &File, const std::string &Section,
              const ObjectFile &New);
/// The same for one that no file has, of -fdata-sections: with the others of
/// its kind in the file, in the order of the new one. False if it has none.
bool makeRoomBeside(LinkMap &Map, const std::string &File,
                    const std::string &Section, const ObjectFile &New);

} // namespace kst
