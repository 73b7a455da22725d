// SPDX-License-Identifier: GPL-2.0-or-later
//
// The order of the tables of a profile: who builds, checks or merges profiles
// compares rows here. Rows are equal when they are about the same thing; counts
// do not take part.

#pragma once

#include "hybrid/profile/Profile.h"

#include <algorithm>
#include <tuple>

namespace kst {

template <typename T>
std::strong_ordering orderOf(std::span<const T> A, std::span<const T> B) {
  return std::lexicographical_compare_three_way(A.begin(), A.end(), B.begin(),
                                                B.end());
}

inline auto keyOf(const MeasuredSite &S) {
  return std::tie(S.Struct, S.Function, S.File, S.Line, S.Column, S.OffsetBytes,
                  S.SizeBytes, S.FirstBit, S.Bits, S.Field, S.Kind, S.Marks);
}
inline auto keyOf(const AddressCount &A) {
  return std::tie(A.Struct, A.OffsetBytes);
}
inline auto keyOf(const ThreadUse &U) { return std::tie(U.Struct); }
inline auto keyOf(const NamedMember &M) {
  return std::tie(M.Struct, M.OffsetBits, M.SizeBits, M.Name);
}
inline auto keyOf(const FunctionSamples &S) { return std::tie(S.Function); }
inline auto keyOf(const SourceFunction &F) {
  return std::tie(F.Function, F.File);
}

/// A row of Structs or Regions is compared with the rows it refers to.
inline std::strong_ordering orderOf(const MeasuredStruct &A,
                                    std::span<const MeasuredElement> OfA,
                                    const MeasuredStruct &B,
                                    std::span<const MeasuredElement> OfB) {
  if (auto C = std::tie(A.Name, A.SizeBytes) <=> std::tie(B.Name, B.SizeBytes);
      C != 0)
    return C;
  return orderOf(OfA, OfB);
}
inline std::strong_ordering orderOf(const MeasuredRegion &A,
                                    std::span<const SiteReference> OfA,
                                    const MeasuredRegion &B,
                                    std::span<const SiteReference> OfB) {
  if (auto C = std::tie(A.Function, A.File) <=> std::tie(B.Function, B.File);
      C != 0)
    return C;
  return orderOf(OfA, OfB);
}

/// False if the sum does not fit; then To stays.
inline bool addCount(uint64_t &To, uint64_t Count) {
  uint64_t Sum;
  if (__builtin_add_overflow(To, Count, &Sum))
    return false;
  To = Sum;
  return true;
}

inline bool addUse(ThreadUse &To, const ThreadUse &From) {
  return addCount(To.ByOwner, From.ByOwner) &&
         addCount(To.ByOthers, From.ByOthers);
}

} // namespace kst
