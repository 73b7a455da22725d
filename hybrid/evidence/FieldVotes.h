// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which member of a measured struct is which field now, where the profile does
// not know their names: by the code that uses them. Code that did not change
// accesses the same fields at the same places.

#pragma once

#include "hybrid/evidence/CodeVersions.h"
#include "hybrid/evidence/FieldMap.h"

namespace kst {

/// Every member that code or its neighbours tell. Functions: of
/// CodeVersions::of(); Struct: the same row of From. A member that is used by
/// changed code alone, or at places where several fields are used at once, may
/// stay unknown; none is guessed. Deterministic.
FieldMap fieldsByCode(std::vector<FunctionVersions> Functions,
                      const Profile &From, const MeasuredStruct &Struct,
                      const RecordInfo &Record);

} // namespace kst
