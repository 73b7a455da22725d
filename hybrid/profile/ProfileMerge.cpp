// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/profile/ProfileMerge.h"

#include "hybrid/profile/ProfileBuilder.h"
#include "hybrid/profile/ProfileOrder.h"

#include <map>
#include <set>
#include <string>

namespace kst {
namespace {

/// All values of a key, each once; "a, b" stands for two.
using Values = std::map<std::string, std::set<std::string>>;

void noteText(const Profile &P, Values &All) {
  for (const auto &[Key, Value] : P.Text) {
    std::set<std::string> &Of = All[Key];
    size_t At = 0;
    for (size_t Comma; (Comma = Value.find(", ", At)) != std::string::npos;
         At = Comma + 2)
      Of.insert(Value.substr(At, Comma - At));
    Of.insert(Value.substr(At));
  }
}

std::map<std::string, std::string> joined(const Values &All) {
  std::map<std::string, std::string> Text;
  for (const auto &[Key, Of] : All) {
    if (Key == "pid" && Of.size() > 1)
      continue;
    std::string Line;
    for (const std::string &Value : Of)
      if (!Value.empty())
        Line += (Line.empty() ? "" : ", ") + Value;
    Text[Key] = Line;
  }
  return Text;
}

/// The rows of several profiles in one builder.
class Sum {
public:
  Sum() { Make.Runs = 0; }

  /// False if a duration, loss or number of runs does not fit 64 bits.
  bool add(const Profile &P);
  Result<Profile> finish();

private:
  ProfileBuilder Make;
  /// Functions that some profile does not count, and those that some counts.
  std::set<SourceFunction> NotCounted, Counted;
};

bool Sum::add(const Profile &P) {
  std::vector<TextId> Text;
  for (const std::string &S : P.Strings)
    Text.push_back(Make.text(S));
  std::vector<uint32_t> Struct, Site;
  for (const MeasuredStruct &S : P.Structs)
    Struct.push_back(
        Make.structure(P.text(S.Name), S.SizeBytes, P.elements(S)));
  std::set<SourceFunction> NotHere;
  for (const SourceFunction &F : P.NotCounted)
    NotHere.insert({Text[F.Function], Text[F.File]});
  SourceFunction Last{~0u, ~0u};
  for (MeasuredSite S : P.Sites) {
    S.Function = Text[S.Function];
    S.File = Text[S.File];
    S.Field = Text[S.Field];
    if (S.Struct != NoStruct)
      S.Struct = Struct[S.Struct];
    Site.push_back(Make.site(S));
    SourceFunction F{S.Function, S.File};
    if (F != Last && !NotHere.count(F))
      Counted.insert(F);
    Last = F;
  }
  NotCounted.merge(NotHere);
  std::vector<SiteReference> Refs;
  for (const MeasuredRegion &R : P.Regions) {
    Refs.clear();
    for (const SiteReference &Ref : P.references(R))
      Refs.push_back({Site[Ref.Site], Ref.Times});
    Make.region(Text[R.Function], Text[R.File], Refs, R.Count);
  }
  for (const AddressCount &A : P.ByAddress)
    Make.byAddress(Struct[A.Struct], A.OffsetBytes, A.Reads, A.Writes);
  for (const ThreadUse &U : P.Threads)
    Make.threads(Struct[U.Struct], U.ByOwner, U.ByOthers);
  for (const NamedMember &M : P.Members)
    Make.member(Struct[M.Struct], M.OffsetBits, M.SizeBits, P.text(M.Name));
  for (const FunctionSamples &S : P.Samples)
    Make.samples(Text[S.Function], S.Count);
  return !__builtin_add_overflow(Make.Runs, P.Runs, &Make.Runs) &&
         addCount(Make.DurationNs, P.DurationNs) && addCount(Make.Lost, P.Lost);
}

Result<Profile> Sum::finish() {
  for (const SourceFunction &F : NotCounted)
    if (!Counted.count(F))
      Make.notCounted(F.Function, F.File);
  return Make.finish();
}

} // namespace

Result<Profile> mergeProfiles(std::vector<NamedProfile> Inputs) {
  if (Inputs.empty())
    return Failure{"no profile to merge"};
  if (auto Differ = profilesDiffer(Inputs))
    return *Differ;
  Values All;
  Sum Rows;
  bool Fits = true;
  for (NamedProfile &P : Inputs) {
    noteText(P.What, All);
    Fits &= Rows.add(P.What);
    P.What = Profile();
  }
  Result<Profile> Merged = Rows.finish();
  if (!Fits || !Merged)
    return Failure{"the sum of a count does not fit 64 bits"};
  Merged->Text = joined(All);
  return Merged;
}

} // namespace kst
