// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/sharing/Remedies.h"

#include <algorithm>
#include <set>

namespace kst {

namespace {

SharedParts kindOf(const SharedPlace &A, const SharedPlace &B,
                   const MeetingPair &Of) {
  if (Of.SameObject)
    return Of.Victim == Of.Writer ? SharedParts::Elements : SharedParts::Fields;
  if (A.Key == B.Key)
    return A.Root == SharedPlace::OfType ? SharedParts::Objects
                                         : SharedParts::Elements;
  if (A.Root == SharedPlace::Static && B.Root == SharedPlace::Static)
    return SharedParts::Globals;
  return SharedParts::Objects;
}

void addUsers(std::vector<SharingUser> &To, const SharedPlace &Of,
              bool Writes) {
  for (const auto &[Who, Times] : Of.Users)
    if (const double Here = Writes ? Times.second : Times.first; Here > 0) {
      auto Known = std::ranges::find_if(To, [&](const SharingUser &U) {
        return U.Where == Who.first && U.Role == Who.second;
      });
      if (Known != To.end())
        Known->Times += Here;
      else
        To.push_back({Who.first, Who.second, Writes, Here});
    }
}

void sortUsers(std::vector<SharingUser> &Of) {
  std::ranges::stable_sort(Of, std::greater<>(), &SharingUser::Times);
  double Sum = 0;
  for (const SharingUser &U : Of)
    Sum += U.Times;
  for (SharingUser &U : Of)
    U.Times /= Sum;
}

class Finder {
public:
  Finder(SharingReport &To, const std::vector<SharedPlace> &Places,
         const Meetings &Met, double Lost)
      : To(To), Places(Places), Met(Met), Lost(Lost) {}

  void run() {
    for (const auto &[Of, Count] : Met.False)
      if (isTogether(Of) && Count >= LeastLost * Met.Accesses)
        join(Places[Of.Victim].Key, Places[Of.Writer].Key);
    for (const auto &[Of, Count] : Met.False)
      add(Of, Count);
    for (auto &[Key, F] : Found)
      finish(std::move(F), To.False);
    for (const auto &[Place, Count] : Met.True)
      addTrue(Place, Count);
    for (auto &[Key, F] : FoundTrue)
      finish(std::move(F), To.True);
    for (auto *Of : {&To.False, &To.True})
      std::ranges::stable_sort(*Of, std::greater<>(), &SharingFinding::Cycles);
  }

private:
  struct Raw {
    SharingFinding What;
    double Count = 0, Dearest = 0;
    std::set<uint32_t> Written, Used;
    std::vector<MeetingPlaces> Met;
    /// Written, and what others used beside it, by what that loses.
    std::map<std::pair<std::string, std::string>, double> Pairs;
  };
  using Key = std::tuple<SharedParts, std::string, std::string>;

  /// Different variables, or blocks.
  bool isTogether(const MeetingPair &Of) const {
    return Places[Of.Victim].Key != Places[Of.Writer].Key;
  }
  std::string groupOf(const std::string &Key) const {
    auto It = Groups.find(Key);
    return It == Groups.end() || It->second == Key ? Key : groupOf(It->second);
  }
  void join(const std::string &A, const std::string &B) {
    const std::string One = groupOf(A), Other = groupOf(B);
    Groups[std::max(One, Other)] = std::min(One, Other);
  }

  /// One finding for all members of an object, for an array, for a type's
  /// objects, or for variables or blocks that lie side by side.
  void add(const MeetingPair &Of, double Count) {
    const SharedPlace &Victim = Places[Of.Victim], &Writer = Places[Of.Writer];
    const SharedParts Kind = kindOf(Victim, Writer, Of);
    const bool Two = isTogether(Of);
    const bool Within = Kind == SharedParts::Elements && Of.SameObject;
    Raw &Into = Found[{Kind, Two ? groupOf(Writer.Key) : Writer.Key,
                       Two      ? "together"
                       : Within ? Writer.Path
                                : ""}];
    // The dearest pair says what it is about.
    if (Count > Into.Dearest) {
      Into.Dearest = Count;
      Into.What.Between = Kind;
      Into.What.Object = Writer.Object;
      Into.What.Type = Writer.Type;
      Into.What.SizeBytes = Writer.SizeBytes;
      Into.What.StrideBytes = Writer.StrideBytes;
      Into.What.Objects = Writer.Objects;
      if (Within) { // an array that is a member
        Into.What.StrideBytes = Into.What.SizeBytes = Writer.AccessBytes;
        Into.What.Type.clear();
        Into.What.Objects = 0; // each has many elements
        Into.What.Object +=
            "." + (Writer.Array.empty() ? Writer.Path : Writer.Array);
      }
    }
    const bool Members = Kind == SharedParts::Fields;
    const std::string &A = Two       ? Writer.Object
                           : Members ? Writer.Path
                                     : Writer.Field;
    const std::string &B = Two       ? Victim.Object
                           : Members ? Victim.Path
                                     : Victim.Field;
    if (Two || Members)
      Into.Pairs[{A.empty() ? Writer.Object : A,
                  B.empty() ? Victim.Object : B}] += Count;
    else if (!A.empty() && !Within)
      Into.Pairs[{A, ""}] += Count;
    Into.Count += Count;
    Into.Written.insert(Of.Writer);
    Into.Used.insert(Of.Victim);
    Into.Met.push_back({&Writer, &Victim, Count});
  }

  void addTrue(uint32_t Place, double Count) {
    const SharedPlace &Of = Places[Place];
    Raw &Into = FoundTrue[{SharedParts::Same, Of.Key, Of.Field}];
    Into.What.Object = Of.Object;
    Into.What.Type = Of.Type;
    Into.What.SizeBytes = Of.SizeBytes;
    if (!Of.Field.empty())
      Into.What.Fields = {Of.Field};
    Into.Count += Count;
    Into.Written.insert(Place);
    Into.Used.insert(Place);
    Into.Met.push_back({&Of, &Of, Count});
  }

  /// Those of the dearest pairs first; others until they lose little.
  static void nameFields(SharingFinding &F, const Raw &Of) {
    constexpr double Little = 0.05;
    std::vector<std::pair<double, std::pair<std::string, std::string>>> Pairs;
    for (const auto &[Pair, Count] : Of.Pairs)
      Pairs.push_back({Count, Pair});
    std::ranges::stable_sort(Pairs, std::greater<>(),
                             &decltype(Pairs)::value_type::first);
    for (const auto &[Count, Pair] : Pairs) {
      if (Count < Little * Of.Count && !F.Fields.empty())
        break;
      for (const std::string &Name : {Pair.first, Pair.second})
        if (!Name.empty() &&
            std::ranges::find(F.Fields, Name) == F.Fields.end())
          F.Fields.push_back(Name);
    }
  }

  void finish(Raw Of, std::vector<SharingFinding> &Into) {
    if (Of.Count < LeastLost * Met.Accesses)
      return;
    SharingFinding F = std::move(Of.What);
    F.Cycles = Of.Count / Met.Accesses * Lost;
    if (To.Evidence == "trace")
      F.Misses = uint64_t(Of.Count);
    nameFields(F, Of);
    if (F.Fields.size() == 1 && F.Between == SharedParts::Globals)
      F.Fields.push_back(F.Fields.front()); // two of one name
    for (uint32_t P : Of.Written)
      addUsers(F.Writers, Places[P], true);
    for (uint32_t P : Of.Used) {
      addUsers(F.Users, Places[P], false);
      if (!Of.Written.count(P))
        addUsers(F.Users, Places[P], true);
    }
    sortUsers(F.Writers);
    sortUsers(F.Users);
    std::ranges::stable_sort(Of.Met, std::greater<>(), &MeetingPlaces::Count);
    addRemedies(F, Of.Met, To.LineBytes);
    Into.push_back(std::move(F));
  }

  SharingReport &To;
  const std::vector<SharedPlace> &Places;
  const Meetings &Met;
  const double Lost;
  std::map<std::string, std::string> Groups;
  std::map<Key, Raw> Found, FoundTrue;
};

} // namespace

void addFindings(SharingReport &To, const std::vector<SharedPlace> &Places,
                 const Meetings &Met, const Machine &On, uint32_t Threads) {
  Finder(To, Places, Met, transferCycles(On, std::max(2u, Threads))).run();
}

} // namespace kst
