// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/AllocatedTypes.h"

namespace kst {

/// A smaller struct, such as a list head, begins many others.
static constexpr uint64_t LeastBeginning = 128;
static constexpr uint64_t Alignment = 8;

bool ObjectBytes::holds(const ResultType &Struct) const {
  if (!Least || !Struct.SizeBytes || Struct.SizeBytes > Least)
    return false;
  return (Struct.Flexible && !Rounded) ||
         (Least == Most && (Least == Struct.SizeBytes ||
                            (Rounded && Least - Struct.SizeBytes < Alignment)));
}

std::optional<AllocatedType> allocatedType(const std::vector<ResultType> &Of,
                                           const ObjectBytes &Bytes) {
  std::optional<AllocatedType> Found;
  for (const ResultType &Type : Of)
    if (Bytes.holds(Type)) {
      if (Found)
        return std::nullopt;
      Found = {Type.Name, Type.SizeBytes, TypeSource::Variable};
    }
  return Found;
}

std::set<std::string> beginningsOf(const std::vector<ResultType> &Of,
                                   const ObjectBytes &Bytes) {
  std::set<std::string> Out;
  if (Bytes.sameForAll())
    for (const ResultType &Type : Of)
      if (Type.SizeBytes >= LeastBeginning && Type.SizeBytes < Bytes.Least)
        Out.insert(Type.Name);
  return Out;
}

} // namespace kst
