// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/profile/ProfilesDiffer.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace kst {
namespace {

std::string sizeText(const Profile &P, const MeasuredStruct &S) {
  return std::to_string(S.SizeBytes) + " bytes and " +
         std::to_string(P.elements(S).size()) + " members";
}

/// What the first difference of two layouts of a struct is.
std::string layoutDifference(const NamedProfile &A, const MeasuredStruct &OfA,
                             const NamedProfile &B, const MeasuredStruct &OfB) {
  std::string Out = B.Name + ": struct " + B.What.text(OfB.Name) + " has ";
  auto First = A.What.elements(OfA), Second = B.What.elements(OfB);
  if (OfA.SizeBytes != OfB.SizeBytes || First.size() != Second.size())
    return Out + sizeText(B.What, OfB) + ", in " + A.Name + " it has " +
           sizeText(A.What, OfA);
  size_t At = 0;
  while (At < First.size() && First[At] == Second[At])
    ++At;
  auto Member = [&](const MeasuredElement &E) {
    return std::to_string(E.SizeBytes) + " bytes at offset " +
           std::to_string(E.OffsetBytes);
  };
  return Out + "another layout than in " + A.Name + ": its member " +
         std::to_string(At + 1) + " has " + Member(Second[At]) + ", there " +
         Member(First[At]);
}

/// The layouts of one struct name in one profile: consecutive rows. Those of
/// size 0 say nothing about layout.
struct Layouts {
  const NamedProfile *In = nullptr;
  uint32_t Begin = 0, End = 0;
};

bool contains(const Layouts &Large, const Layouts &Small) {
  const Profile &L = Large.In->What, &S = Small.In->What;
  for (uint32_t I = Small.Begin; I < Small.End; ++I) {
    bool Found = false;
    for (uint32_t J = Large.Begin; !Found && J < Large.End; ++J) {
      // Samples know a size, but no members.
      auto OfS = S.elements(S.Structs[I]), OfL = L.elements(L.Structs[J]);
      Found = S.Structs[I].SizeBytes == L.Structs[J].SizeBytes &&
              (OfS.empty() || OfL.empty() ||
               std::equal(OfS.begin(), OfS.end(), OfL.begin(), OfL.end()));
    }
    if (!Found)
      return false;
  }
  return true;
}

std::optional<Failure>
structsDiffer(const NamedProfile &P,
              std::map<std::string_view, Layouts> &Known) {
  const auto &Structs = P.What.Structs;
  for (uint32_t Begin = 0, End; Begin < Structs.size(); Begin = End) {
    for (End = Begin + 1;
         End < Structs.size() && Structs[End].Name == Structs[Begin].Name;)
      ++End;
    Layouts Here{&P, Begin, End};
    Here.Begin += Structs[Begin].SizeBytes == 0;
    if (Here.Begin == End)
      continue;
    auto [At, New] = Known.try_emplace(P.What.text(Structs[Begin].Name), Here);
    if (New || contains(At->second, Here))
      continue;
    const Layouts &There = At->second;
    if (!contains(Here, There))
      return Failure{layoutDifference(*There.In,
                                      There.In->What.Structs[There.Begin], P,
                                      Structs[Here.Begin])};
    At->second = Here;
  }
  return std::nullopt;
}

} // namespace

std::optional<Failure> profilesDiffer(const std::vector<NamedProfile> &Of) {
  for (const char *Key : {"source", "machine", "release", "config"}) {
    const NamedProfile *First = nullptr;
    for (const NamedProfile &P : Of) {
      auto At = P.What.Text.find(Key);
      if (At == P.What.Text.end() || At->second.empty())
        continue;
      if (!First)
        First = &P;
      else if (const std::string &There = First->What.Text.at(Key);
               There != At->second)
        return Failure{P.Name + ": " + Key + " is '" + At->second + "', in " +
                       First->Name + " it is '" + There + "'"};
    }
  }
  std::map<std::string_view, Layouts> Known;
  for (const NamedProfile &P : Of)
    if (auto Differ = structsDiffer(P, Known))
      return Differ;
  return std::nullopt;
}

} // namespace kst
