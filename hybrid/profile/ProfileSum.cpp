// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/profile/ProfileSum.h"

#include "hybrid/profile/ProfileOrder.h"
#include "hybrid/profile/SortedWalk.h"

#include <algorithm>
#include <set>
#include <utility>

namespace kst {
namespace {

/// [row of the one], [row of the other]: row of the sum. Monotone, so that what
/// was sorted stays so. Empty: every row keeps its place.
struct Places {
  std::vector<uint32_t> First, Second;
  bool same() const { return First.empty() && Second.empty(); }
};

/// Adds B to A, table by table.
class Sum {
public:
  Sum(Profile &A, Profile &B) : A(A), B(B) {}

  /// False if a count does not fit.
  bool run() {
    texts();
    structs();
    bool Fits = sites();
    Fits &= regions();
    notCounted();
    Fits &= rest();
    return Fits;
  }

private:
  void texts();
  void structs();
  bool sites();
  bool regions();
  void notCounted();
  bool rest();
  template <typename T, typename Add>
  bool addRows(std::vector<T> &ToA, std::vector<T> &OfB, Add AddTo);

  TextId textOfA(TextId Id) const { return Text.same() ? Id : Text.First[Id]; }
  TextId textOfB(TextId Id) const { return Text.same() ? Id : Text.Second[Id]; }

  Profile &A, &B;
  Places Text, Struct, Site;
};

void Sum::texts() {
  if (A.Strings == B.Strings)
    return;
  std::vector<std::string> Both;
  Both.reserve(std::max(A.Strings.size(), B.Strings.size()));
  walkBoth(
      A.Strings.size(), B.Strings.size(),
      [&](size_t I, size_t J) { return A.Strings[I] <=> B.Strings[J]; },
      [&](bool First, size_t I, bool Second, size_t J) {
        if (First)
          Text.First.push_back(static_cast<uint32_t>(Both.size()));
        if (Second)
          Text.Second.push_back(static_cast<uint32_t>(Both.size()));
        Both.push_back(std::move(First ? A.Strings[I] : B.Strings[J]));
      });
  A.Strings = std::move(Both);
}

void Sum::structs() {
  for (MeasuredStruct &S : A.Structs)
    S.Name = textOfA(S.Name);
  for (MeasuredStruct &S : B.Structs)
    S.Name = textOfB(S.Name);
  if (A.Structs == B.Structs && A.Elements == B.Elements)
    return;
  std::vector<MeasuredStruct> Both;
  std::vector<MeasuredElement> Elements;
  walkBoth(
      A.Structs.size(), B.Structs.size(),
      [&](size_t I, size_t J) {
        return orderOf(A.Structs[I], A.elements(A.Structs[I]), B.Structs[J],
                       B.elements(B.Structs[J]));
      },
      [&](bool First, size_t I, bool Second, size_t J) {
        if (First)
          Struct.First.push_back(static_cast<uint32_t>(Both.size()));
        if (Second)
          Struct.Second.push_back(static_cast<uint32_t>(Both.size()));
        MeasuredStruct S = First ? A.Structs[I] : B.Structs[J];
        auto Of = First ? A.elements(S) : B.elements(S);
        S.Begin = static_cast<uint32_t>(Elements.size());
        Elements.insert(Elements.end(), Of.begin(), Of.end());
        S.End = static_cast<uint32_t>(Elements.size());
        Both.push_back(S);
      });
  A.Structs = std::move(Both);
  A.Elements = std::move(Elements);
}

bool Sum::sites() {
  auto Renumber = [](std::vector<MeasuredSite> &Sites,
                     const std::vector<uint32_t> &Texts,
                     const std::vector<uint32_t> &Structs) {
    if (!Texts.empty())
      for (MeasuredSite &S : Sites) {
        S.Function = Texts[S.Function];
        S.File = Texts[S.File];
        S.Field = Texts[S.Field];
      }
    if (!Structs.empty())
      for (MeasuredSite &S : Sites)
        if (S.Struct != NoStruct)
          S.Struct = Structs[S.Struct];
  };
  Renumber(A.Sites, Text.First, Struct.First);
  Renumber(B.Sites, Text.Second, Struct.Second);
  bool Fits = true;
  bool Same = A.Sites.size() == B.Sites.size();
  for (size_t I = 0; Same && I < A.Sites.size(); ++I)
    Same = keyOf(A.Sites[I]) == keyOf(B.Sites[I]);
  if (Same) {
    for (size_t I = 0; I < A.Sites.size(); ++I)
      Fits &= addCount(A.Sites[I].Count, B.Sites[I].Count);
    return Fits;
  }
  std::vector<MeasuredSite> Both;
  Both.reserve(std::max(A.Sites.size(), B.Sites.size()));
  Site.First.reserve(A.Sites.size());
  Site.Second.reserve(B.Sites.size());
  walkBoth(
      A.Sites.size(), B.Sites.size(),
      [&](size_t I, size_t J) {
        return keyOf(A.Sites[I]) <=> keyOf(B.Sites[J]);
      },
      [&](bool First, size_t I, bool Second, size_t J) {
        if (First)
          Site.First.push_back(static_cast<uint32_t>(Both.size()));
        if (Second)
          Site.Second.push_back(static_cast<uint32_t>(Both.size()));
        Both.push_back(First ? A.Sites[I] : B.Sites[J]);
        if (First && Second)
          Fits &= addCount(Both.back().Count, B.Sites[J].Count);
      });
  A.Sites = std::move(Both);
  return Fits;
}

bool Sum::regions() {
  auto Renumber = [](Profile &Of, const std::vector<uint32_t> &Texts,
                     const std::vector<uint32_t> &Sites) {
    if (!Texts.empty())
      for (MeasuredRegion &R : Of.Regions) {
        R.Function = Texts[R.Function];
        R.File = Texts[R.File];
      }
    if (!Sites.empty())
      for (SiteReference &Ref : Of.References)
        Ref.Site = Sites[Ref.Site];
  };
  Renumber(A, Text.First, Site.First);
  Renumber(B, Text.Second, Site.Second);
  bool Fits = true;
  bool Same =
      A.Regions.size() == B.Regions.size() && A.References == B.References;
  for (size_t I = 0; Same && I < A.Regions.size(); ++I)
    Same = A.Regions[I].Function == B.Regions[I].Function &&
           A.Regions[I].File == B.Regions[I].File &&
           A.Regions[I].End == B.Regions[I].End;
  if (Same) {
    for (size_t I = 0; I < A.Regions.size(); ++I)
      Fits &= addCount(A.Regions[I].Count, B.Regions[I].Count);
    return Fits;
  }
  std::vector<MeasuredRegion> Both;
  std::vector<SiteReference> Refs;
  Both.reserve(std::max(A.Regions.size(), B.Regions.size()));
  Refs.reserve(std::max(A.References.size(), B.References.size()));
  walkBoth(
      A.Regions.size(), B.Regions.size(),
      [&](size_t I, size_t J) {
        return orderOf(A.Regions[I], A.references(A.Regions[I]), B.Regions[J],
                       B.references(B.Regions[J]));
      },
      [&](bool First, size_t I, bool Second, size_t J) {
        MeasuredRegion R = First ? A.Regions[I] : B.Regions[J];
        auto Of = First ? A.references(R) : B.references(R);
        R.Begin = static_cast<uint32_t>(Refs.size());
        Refs.insert(Refs.end(), Of.begin(), Of.end());
        R.End = static_cast<uint32_t>(Refs.size());
        if (First && Second)
          Fits &= addCount(R.Count, B.Regions[J].Count);
        Both.push_back(R);
      });
  A.Regions = std::move(Both);
  A.References = std::move(Refs);
  return Fits;
}

/// A function stays only if the other profile does not count it: has no site of
/// it, or does not count it either. Sites are those of the sum, numbered anew.
void Sum::notCounted() {
  auto Renumbered = [](std::vector<SourceFunction> Of,
                       const std::vector<uint32_t> &Texts) {
    if (!Texts.empty())
      for (SourceFunction &F : Of)
        F = {Texts[F.Function], Texts[F.File]};
    return Of;
  };
  auto OfA = Renumbered(std::move(A.NotCounted), Text.First);
  auto OfB = Renumbered(std::move(B.NotCounted), Text.Second);
  if (OfA == OfB) {
    A.NotCounted = std::move(OfA);
    return;
  }
  // B's sites bear their numbers in the sum already; A's were merged in.
  auto CountsOf = [&](bool Second) {
    std::set<SourceFunction> Functions;
    auto Note = [&](const MeasuredSite &S) {
      Functions.insert({S.Function, S.File});
    };
    if (Second)
      std::for_each(B.Sites.begin(), B.Sites.end(), Note);
    else if (Site.same())
      std::for_each(A.Sites.begin(), A.Sites.end(), Note);
    else
      for (uint32_t Place : Site.First)
        Note(A.Sites[Place]);
    return Functions;
  };
  std::vector<SourceFunction> Both;
  std::set<SourceFunction> KnownToA = CountsOf(false),
                           KnownToB = CountsOf(true);
  walkBoth(
      OfA.size(), OfB.size(),
      [&](size_t I, size_t J) { return OfA[I] <=> OfB[J]; },
      [&](bool First, size_t I, bool Second, size_t J) {
        const SourceFunction &F = First ? OfA[I] : OfB[J];
        bool Counted =
            !(First && Second) && (First ? KnownToB : KnownToA).count(F);
        if (!Counted)
          Both.push_back(F);
      });
  A.NotCounted = std::move(Both);
}

template <typename T, typename Add>
bool Sum::addRows(std::vector<T> &ToA, std::vector<T> &OfB, Add AddTo) {
  bool Fits = true;
  std::vector<T> Both;
  Both.reserve(std::max(ToA.size(), OfB.size()));
  walkBoth(
      ToA.size(), OfB.size(),
      [&](size_t I, size_t J) { return keyOf(ToA[I]) <=> keyOf(OfB[J]); },
      [&](bool First, size_t I, bool Second, size_t J) {
        Both.push_back(First ? ToA[I] : OfB[J]);
        if (First && Second)
          Fits &= AddTo(Both.back(), OfB[J]);
      });
  ToA = std::move(Both);
  return Fits;
}

bool Sum::rest() {
  auto Renumber = [](auto &Rows, const std::vector<uint32_t> &Places,
                     auto Member) {
    if (!Places.empty())
      for (auto &Row : Rows)
        Row.*Member = Places[Row.*Member];
  };
  Renumber(A.ByAddress, Struct.First, &AddressCount::Struct);
  Renumber(B.ByAddress, Struct.Second, &AddressCount::Struct);
  Renumber(A.Threads, Struct.First, &ThreadUse::Struct);
  Renumber(B.Threads, Struct.Second, &ThreadUse::Struct);
  Renumber(A.Samples, Text.First, &FunctionSamples::Function);
  Renumber(B.Samples, Text.Second, &FunctionSamples::Function);
  bool Fits = addRows(A.ByAddress, B.ByAddress,
                      [](AddressCount &To, const AddressCount &From) {
                        return addCount(To.Reads, From.Reads) &&
                               addCount(To.Writes, From.Writes);
                      });
  Fits &= addRows(A.Threads, B.Threads, addUse);
  Fits &= addRows(A.Samples, B.Samples,
                  [](FunctionSamples &To, const FunctionSamples &From) {
                    return addCount(To.Count, From.Count);
                  });
  Fits &= !__builtin_add_overflow(A.Runs, B.Runs, &A.Runs);
  Fits &= addCount(A.DurationNs, B.DurationNs);
  Fits &= addCount(A.Lost, B.Lost);
  return Fits;
}

} // namespace

bool addProfile(Profile &A, Profile &B) { return Sum(A, B).run(); }

} // namespace kst
