// SPDX-License-Identifier: GPL-2.0-or-later
//
// The types of analysed source, and which lead to which.

#pragma once

#include "hybrid/contexts/TypeGraph.h"
#include "hybrid/program/Program.h"

namespace kst {

struct SourceTypes {
  TypeGraph Graph;
  /// Members that point to a typedef: which record that is, facts do not say.
  uint64_t UnknownPointers = 0;
};

/// Of records of one name, the first that a unit defines. Pointers to pointers
/// are left out. Who stores a pointer is known of functions whose bodies were
/// seen; a store to a member of an unnamed union is one to any of its members.
SourceTypes typesOfSource(const Program &Whole);

/// The tag of the record that a member of this C type points to: "inode" of
/// `const struct inode *`; "" if it points to none, or the type names none.
std::string pointedTag(std::string_view Type);

} // namespace kst
