// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/review/FieldPairs.h"

#include <algorithm>
#include <map>

namespace kst {

namespace {

/// The name of an untagged type is its place, which moves with the text.
bool sameType(const FieldInfo &A, const FieldInfo &B) {
  auto Untagged = [](const std::string &Type) {
    return Type.find(" at ") != std::string::npos;
  };
  return A.SizeBits == B.SizeBits && A.BitField == B.BitField &&
         (A.TypeName == B.TypeName ||
          (Untagged(A.TypeName) && Untagged(B.TypeName)));
}

/// Anonymous unions are one if they have a member in common.
bool shareMember(const FieldInfo &A, const FieldInfo &B) {
  return A.Anonymous && B.Anonymous &&
         std::ranges::any_of(A.Members, [&](const std::string &Name) {
           return std::ranges::find(B.Members, Name) != B.Members.end();
         });
}

void pairNames(const RecordInfo &Base, const RecordInfo &Head,
               FieldPairs &Pairs) {
  std::map<std::string, uint32_t> Named;
  for (uint32_t F = 0; F != Base.Fields.size(); ++F)
    if (!Base.Fields[F].Name.empty())
      Named.try_emplace(Base.Fields[F].Name, F);
  auto Join = [&](uint32_t H, uint32_t B) {
    Pairs.BaseOf[H] = B;
    Pairs.HeadOf[B] = H;
  };
  for (uint32_t H = 0; H != Head.Fields.size(); ++H)
    if (auto It = Named.find(Head.Fields[H].Name);
        It != Named.end() && Pairs.HeadOf[It->second] == NoField)
      Join(H, It->second);
  for (uint32_t H = 0; H != Head.Fields.size(); ++H)
    for (uint32_t B = 0; Pairs.BaseOf[H] == NoField && B != Base.Fields.size();
         ++B)
      if (Pairs.HeadOf[B] == NoField &&
          shareMember(Base.Fields[B], Head.Fields[H]))
        Join(H, B);
}

/// In the order of the text, so that a run of renamed fields is found, too.
void pairRenamed(const RecordInfo &Base, const RecordInfo &Head,
                 FieldPairs &Pairs) {
  for (uint32_t H = 0; H != Head.Fields.size(); ++H) {
    if (Pairs.BaseOf[H] != NoField)
      continue;
    const uint32_t B =
        H ? (Pairs.BaseOf[H - 1] == NoField ? NoField : Pairs.BaseOf[H - 1] + 1)
          : 0;
    if (B >= Base.Fields.size() || Pairs.HeadOf[B] != NoField ||
        !sameType(Base.Fields[B], Head.Fields[H]))
      continue;
    Pairs.BaseOf[H] = B;
    Pairs.HeadOf[B] = H;
    Pairs.Renamed[H] = Base.Fields[B].Name != Head.Fields[H].Name;
  }
}

/// All but a longest increasing run of the numbers in the base.
void findMoved(FieldPairs &Pairs) {
  std::vector<uint32_t> Sequence; ///< head fields that the base has
  for (uint32_t H = 0; H != Pairs.BaseOf.size(); ++H)
    if (Pairs.BaseOf[H] != NoField)
      Sequence.push_back(H);
  const size_t N = Sequence.size();
  std::vector<uint32_t> Length(N, 1), Before(N, NoField);
  uint32_t Last = NoField;
  for (size_t I = 0; I != N; ++I) {
    for (size_t J = 0; J != I; ++J)
      if (Pairs.BaseOf[Sequence[J]] < Pairs.BaseOf[Sequence[I]] &&
          Length[J] + 1 > Length[I]) {
        Length[I] = Length[J] + 1;
        Before[I] = static_cast<uint32_t>(J);
      }
    if (Last == NoField || Length[I] > Length[Last])
      Last = static_cast<uint32_t>(I);
  }
  for (uint32_t H : Sequence)
    Pairs.Moved[H] = true;
  for (; Last != NoField; Last = Before[Last])
    Pairs.Moved[Sequence[Last]] = false;
}

} // namespace

FieldPairs pairFields(const RecordInfo &Base, const RecordInfo &Head) {
  FieldPairs Pairs{std::vector<uint32_t>(Head.Fields.size(), NoField),
                   std::vector<uint32_t>(Base.Fields.size(), NoField),
                   std::vector<bool>(Head.Fields.size()),
                   std::vector<bool>(Head.Fields.size())};
  pairNames(Base, Head, Pairs);
  pairRenamed(Base, Head, Pairs);
  findMoved(Pairs);
  return Pairs;
}

bool sameLayout(const RecordInfo &Base, const RecordInfo &Head) {
  return Base.SizeBytes == Head.SizeBytes &&
         Base.AlignBytes == Head.AlignBytes &&
         std::ranges::equal(Base.Fields, Head.Fields,
                            [](const FieldInfo &A, const FieldInfo &B) {
                              return A.Name == B.Name &&
                                     A.OffsetBits == B.OffsetBits &&
                                     A.SizeBits == B.SizeBits;
                            });
}

} // namespace kst
