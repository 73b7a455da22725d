// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/MapRoom.h"

#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <vector>

namespace kst {
namespace {

using Kind = MapStatement::Kind;

/// The files in the order in which they were linked: the chain with most of
/// them says it, shorter ones say where the others come between.
std::map<std::string, size_t> linkOrder(const LinkMap &Map) {
  std::map<std::pair<size_t, std::string>, std::vector<std::string>> ByName;
  for (size_t P = 0; P < Map.Parts.size(); ++P)
    for (const MapStatement &S : Map.Parts[P].Body)
      if (S.Is == Kind::Input)
        ByName[{P, S.Name}].push_back(S.Text);
  std::vector<std::vector<std::string>> Chains;
  for (auto &[Name, Files] : ByName)
    Chains.push_back(std::move(Files));
  std::stable_sort(
      Chains.begin(), Chains.end(),
      [](const auto &A, const auto &B) { return A.size() > B.size(); });
  std::list<std::string> Order;
  std::map<std::string, std::list<std::string>::iterator> Known;
  for (const std::vector<std::string> &Files : Chains) {
    // In front of those that the chain has first.
    auto At = Order.end();
    for (const std::string &File : Files)
      if (const auto Found = Known.find(File); Found != Known.end()) {
        At = Found->second;
        break;
      }
    for (const std::string &File : Files) {
      const auto [Found, New] = Known.emplace(File, At);
      if (New)
        Found->second = Order.insert(At, File);
      At = std::next(Found->second);
    }
  }
  std::map<std::string, size_t> Out;
  for (const std::string &File : Order)
    Out.emplace(File, Out.size());
  return Out;
}

/// lld gathers what it merges where the first file that has some of it would
/// have it, and names that `<internal>`.
class MergedOwners {
public:
  MergedOwners(const std::map<std::string, ObjectFile> &Objects,
               const std::map<std::string, size_t> &Order) {
    for (const auto &[Name, Object] : Objects)
      for (const ObjectSection &Of : Object.Sections)
        if (Of.Merged && Order.count(Name)) {
          const auto [At, New] = First.emplace(Of.Name, Name);
          if (!New && Order.at(Name) < Order.at(At->second))
            At->second = Name;
        }
  }
  const std::string &of(const MapStatement &S) const {
    const auto At = First.find(S.Name);
    return S.Text != "<internal>" || At == First.end() ? S.Text : At->second;
  }

private:
  std::map<std::string, std::string> First;
};

/// Of a file's sections, which come in front of one of them.
std::set<std::string> sectionsBefore(const ObjectFile &In,
                                     const std::string &Section) {
  std::set<std::string> Out;
  for (const ObjectSection &Of : In.Sections) {
    if (Of.Name == Section)
      break;
    Out.insert(Of.Name);
  }
  return Out;
}

/// Where the location counter is in front of a statement.
uint64_t endBefore(const MapPart &Part, size_t Statement) {
  while (Statement--) {
    const MapStatement &S = Part.Body[Statement];
    if (S.Is != Kind::Assign || S.Name == ".")
      return S.Address + S.SizeBytes;
  }
  return Part.Address;
}

} // namespace

bool makeRoom(LinkMap &Map, const std::map<std::string, ObjectFile> &Objects,
              const std::string &File, const std::string &Section,
              const ObjectFile &New) {
  const std::map<std::string, size_t> Order = linkOrder(Map);
  if (!Order.count(File))
    return false;
  const size_t Own = Order.at(File);
  const MergedOwners Owners(Objects, Order);
  const auto OrderOf = [&](const MapStatement &S) {
    return Order.at(Owners.of(S));
  };
  MapPart *To = nullptr;
  size_t At = 0;
  bool Behind = false;
  for (MapPart &Part : Map.Parts)
    for (size_t I = 0; I < Part.Body.size(); ++I) {
      const MapStatement &S = Part.Body[I];
      if (S.Is != Kind::Input || S.Name != Section)
        continue;
      if (S.Text == File)
        return true;
      if (To && OrderOf(S) > Own)
        continue;
      Behind = OrderOf(S) < Own;
      To = &Part;
      At = I;
    }
  if (!To)
    return false;
  // The pattern may take more of the files around: each file's sections are
  // together, in the order of the file.
  const std::set<std::string> Before = sectionsBefore(New, Section);
  const auto IsBefore = [&](const MapStatement &S) {
    const std::string &In = Owners.of(S);
    return Order.at(In) < Own || (In == File && Before.count(S.Name));
  };
  const auto &Body = To->Body;
  const auto Follows = [&](size_t A, size_t B) {
    return Body[B].Is == Kind::Input && Body[A].Pattern == Body[B].Pattern &&
           OrderOf(Body[A]) <= OrderOf(Body[B]);
  };
  if (Behind)
    while (At + 1 < Body.size() && Follows(At, At + 1) &&
           IsBefore(Body[At + 1]))
      ++At;
  else
    while (At && Follows(At - 1, At) && !IsBefore(Body[At - 1]))
      --At;
  MapStatement Room;
  Room.Name = Section;
  Room.Text = File;
  Room.Pattern = Body[At].Pattern;
  Room.Address = endBefore(*To, At + Behind);
  To->Body.insert(To->Body.begin() + long(At + Behind), std::move(Room));
  return true;
}

bool makeRoomBeside(LinkMap &Map, const std::string &File,
                    const std::string &Section, const ObjectFile &New) {
  // `.data.limit` is one of `.data.*`; what becomes read-only lies elsewhere.
  const auto KindOf = [](const std::string &Name) {
    return Name.starts_with(".data.rel.ro") ? ".data.rel.ro"
                                            : Name.substr(0, Name.find('.', 1));
  };
  const auto IsAlike = [&](const std::string &Name) {
    return KindOf(Name) == KindOf(Section);
  };
  std::string Before; // the last one in the file in front of it
  for (const ObjectSection &Of : New.Sections) {
    if (Of.Name == Section)
      break;
    if (IsAlike(Of.Name) && Of.Alloc)
      Before = Of.Name;
  }
  for (MapPart &Part : Map.Parts)
    for (size_t I = 0; I < Part.Body.size(); ++I) {
      const MapStatement &S = Part.Body[I];
      if (S.Is != MapStatement::Kind::Input || S.Text != File ||
          (Before.empty() ? !IsAlike(S.Name) : S.Name != Before))
        continue;
      MapStatement Room;
      Room.Name = Section;
      Room.Text = File;
      Room.Pattern = S.Pattern;
      Room.Address = endBefore(Part, I + !Before.empty());
      Part.Body.insert(Part.Body.begin() + long(I + !Before.empty()),
                       std::move(Room));
      return true;
    }
  return false;
}

} // namespace kst
