// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/sharing/Findings.h"

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

std::string quoted(const std::string &Text) { return "'" + Text + "'"; }

/// What to write, in the words of C. `Movable`: the first of its fields is.
void addRemedies(SharingFinding &Of, uint32_t LineBytes, bool Movable) {
  const std::string Line = std::to_string(LineBytes);
  const std::string Aligned = "_Alignas(" + Line + ")";
  const bool Tagged = Of.Type.find('(') == std::string::npos &&
                      !Of.Type.starts_with("union ") && !Of.Type.empty();
  auto Add = [&](std::string Text, uint64_t Bytes = 0) {
    Of.Remedies.push_back({std::move(Text), Bytes});
  };
  switch (Of.Between) {
  case SharedParts::Elements: {
    const uint64_t Stride = Of.StrideBytes ? Of.StrideBytes : Of.SizeBytes;
    const uint64_t Padded = roundUp(std::max<uint64_t>(Stride, 1), LineBytes);
    const uint64_t More = Stride ? Padded - Stride : 0;
    if (Of.Type.empty() || Of.Fields.empty())
      Add("a struct with one " + Aligned + " member as the element of " +
              quoted(Of.Object) + ", or indices in steps of " + Line + " bytes",
          More);
    else if (Movable)
      Add(Aligned + " on the first member of " + Of.Type + ": elements of " +
              std::to_string(Padded) +
              " bytes; where they are allocated, aligned_alloc(" + Line +
              ", ...)",
          More);
    else
      Add("padding at the end of " + Of.Type + ": elements of " +
              std::to_string(Padded) + " bytes, on lines of their own",
          More);
    Add("a local variable in the loop, stored once behind it");
    break;
  }
  case SharedParts::Objects:
    Add("aligned_alloc(" + Line + ", ...) of a multiple of " + Line +
        " bytes where they are allocated");
    break;
  case SharedParts::Fields:
    if (Movable)
      Add(quoted(Of.Fields.front().substr(0, Of.Fields.front().find('.'))) +
              " as the last member, with " + Aligned,
          Of.SizeBytes
              ? roundUp(Of.SizeBytes, LineBytes) + LineBytes - Of.SizeBytes
              : LineBytes);
    if (Tagged)
      Add("an order: kstatic-affinity --struct " +
          Of.Type.substr(Of.Type.find(' ') + 1));
    break;
  case SharedParts::Globals:
    Add(Aligned + " on each of them that threads write, and on what follows",
        Of.Fields.size() * LineBytes);
    break;
  case SharedParts::Same:
    Add("a copy for each thread, added up when it is read; or fewer accesses");
    break;
  }
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
    bool Movable = true;
    std::set<uint32_t> Written, Used;
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
      Into.Movable = Writer.Movable;
      if (Within) { // an array that is a member
        Into.What.StrideBytes = Into.What.SizeBytes = Writer.AccessBytes;
        Into.What.Type.clear();
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
    addRemedies(F, To.LineBytes, Of.Movable);
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
