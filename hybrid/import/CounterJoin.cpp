// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/CounterJoin.h"

#include "hybrid/core/Hash.h"
#include "hybrid/import/TableSite.h"
#include "hybrid/profile/ProfileBuilder.h"
#include "hybrid/profile/ProfileOrder.h"

#include <charconv>
#include <optional>
#include <set>

namespace kst {
namespace {

/// Takes a number out of the text about the run; false if it is none.
bool takeNumber(std::map<std::string, std::string> &Text, const char *Key,
                uint64_t &Value) {
  auto At = Text.find(Key);
  if (At == Text.end())
    return true;
  const std::string &Digits = At->second;
  const char *End = Digits.data() + Digits.size();
  auto [Stop, Error] = std::from_chars(Digits.data(), End, Value);
  bool Good = Error == std::errc() && Stop == End;
  Text.erase(At);
  return Good;
}

class Joiner {
public:
  Joiner(const RawCounters &Raw, const NamesOfMembers &Names)
      : Raw(Raw), Names(Names) {}

  Result<JoinedCounters> run(const std::vector<CounterTable> &Tables);

private:
  /// How often the regions and sites of a unit ran.
  struct Runs {
    std::vector<uint64_t> Region, Site;
    uint32_t Negative = 0; ///< regions with a sum below zero, taken as zero
  };
  /// Nothing when a count does not fit.
  static std::optional<Runs> runsOf(const CounterTable &T,
                                    const std::vector<uint64_t> &Counters);
  /// False when a count does not fit.
  bool unit(const CounterTable &T, std::optional<Runs> Found);
  void structs(const CounterTable &T);
  void sites(const CounterTable &T);
  void regions(const CounterTable &T);
  void coverage(const CounterTable &T);
  bool users(const CounterTable &T);
  void objects();
  void threads();

  const RawCounters &Raw;
  const NamesOfMembers &Names;
  ProfileBuilder Make;
  JoinNotes Notes;
  // Of the unit at hand, by its numbers.
  Runs Here;
  std::vector<uint32_t> StructId, SiteId;
  // Of all units.
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> StructOf; ///< hash, size
  std::set<uint32_t> Named; ///< structs with names of members
  std::set<std::pair<TextId, TextId>> Counted, NotCounted;
  struct Use {
    uint64_t All = 0, Others = 0;
  };
  std::map<uint32_t, Use> Uses; ///< by number of the struct
};

std::optional<Joiner::Runs>
Joiner::runsOf(const CounterTable &T, const std::vector<uint64_t> &Counters) {
  Runs Made{std::vector<uint64_t>(T.Regions.size()),
            std::vector<uint64_t>(T.Sites.size()), 0};
  for (size_t R = 0; R < T.Regions.size(); ++R) {
    const kst_table_region &Region = T.Regions[R];
    __int128 Sum = 0; // 2^32 terms below 2^64 each
    for (uint32_t I = 0; I < Region.terms; ++I) {
      const kst_table_term &Term = T.Terms[Region.first_term + I];
      __int128 Value = Counters[Term.counter];
      Sum += Term.factor < 0 ? -Value : Value;
    }
    if (Sum < 0) {
      ++Made.Negative;
      continue;
    }
    if (Sum > __int128(~uint64_t(0)))
      return std::nullopt;
    Made.Region[R] = static_cast<uint64_t>(Sum);
    for (uint32_t I = 0; I < Region.references; ++I) {
      const auto &Ref = T.References[Region.first_reference + I];
      uint64_t Times;
      if (__builtin_mul_overflow(Made.Region[R], uint64_t(Ref.times), &Times) ||
          !addCount(Made.Site[Ref.site], Times))
        return std::nullopt;
    }
  }
  return Made;
}

void Joiner::structs(const CounterTable &T) {
  StructId = addStructs(Make, T);
  for (size_t I = 0; I < T.Structs.size(); ++I) {
    const std::string Name(T.text(T.Structs[I].name));
    StructOf.try_emplace({fnv1a(Name), T.Structs[I].size}, StructId[I]);
    auto Known = Names.find({Name, T.Structs[I].size});
    if (Known == Names.end() || !Named.insert(StructId[I]).second)
      continue;
    for (const MemberName &M : Known->second)
      if (M.Path.find('.') == std::string::npos)
        Make.member(StructId[I], M.OffsetBits, M.SizeBits, M.Path);
  }
}

void Joiner::sites(const CounterTable &T) {
  SiteId.clear();
  for (size_t I = 0; I < T.Sites.size(); ++I)
    SiteId.push_back(isNoAccess(T.Sites[I]) ? 0
                                            : addSite(Make, T, T.Sites[I],
                                                      StructId, Here.Site[I]));
}

void Joiner::regions(const CounterTable &T) {
  std::vector<SiteReference> Refs;
  for (size_t R = 0; R < T.Regions.size(); ++R) {
    const kst_table_region &Region = T.Regions[R];
    if (!Region.references)
      continue;
    Refs.clear();
    for (uint32_t I = 0; I < Region.references; ++I) {
      const auto &Ref = T.References[Region.first_reference + I];
      Refs.push_back({SiteId[Ref.site], Ref.times});
    }
    const kst_table_function &F = T.Functions[Region.function];
    Make.region(Make.text(T.text(F.name)), Make.text(T.text(F.file)), Refs,
                Here.Region[R]);
  }
}

/// A function with sites is counted in this unit if it has regions of its own,
/// or its sites are in those of others, into which it was inlined.
void Joiner::coverage(const CounterTable &T) {
  std::vector<bool> HasSites(T.Functions.size()), Has(T.Functions.size());
  for (const auto &Site : T.Sites)
    HasSites[Site.function] = true;
  for (const auto &Region : T.Regions)
    Has[Region.function] = true;
  for (const auto &Ref : T.References)
    Has[T.Sites[Ref.site].function] = true;
  for (size_t F = 0; F < T.Functions.size(); ++F)
    if (HasSites[F])
      (Has[F] ? Counted : NotCounted)
          .insert({Make.text(T.text(T.Functions[F].name)),
                   Make.text(T.text(T.Functions[F].file))});
}

bool Joiner::unit(const CounterTable &T, std::optional<Runs> Found) {
  if (!Found)
    return false;
  Here = std::move(*Found);
  Notes.NegativeRegions += Here.Negative;
  structs(T);
  sites(T);
  regions(T);
  coverage(T);
  return users(T);
}

/// Adds up the accesses of each struct, and those of threads other than the
/// main one.
bool Joiner::users(const CounterTable &T) {
  auto Others = Raw.Others.find(T.Hash);
  std::optional<Runs> Apart;
  if (Others != Raw.Others.end())
    if (!(Apart = runsOf(T, Others->second)))
      return false;
  for (size_t I = 0; I < T.Sites.size(); ++I) {
    const kst_table_site &S = T.Sites[I];
    if (S.record == KST_NO_RECORD || S.kind == KST_SITE_ADDRESS ||
        S.marks & KST_MARK_BIT_FIELD_READ)
      continue;
    Use &Of = Uses[StructId[S.record]];
    if (!addCount(Of.All, Here.Site[I]))
      return false;
    // Counters were read while code ran: a part may exceed the whole.
    if (Apart)
      addCount(Of.Others, std::min(Apart->Site[I], Here.Site[I]));
  }
  return true;
}

/// Whose accesses these were. Of several other threads nobody knows which had
/// an object; of a single one it is clear.
void Joiner::threads() {
  uint64_t Threads = 0;
  auto Text = Raw.Text.find("threads");
  if (Text == Raw.Text.end() ||
      std::from_chars(Text->second.data(),
                      Text->second.data() + Text->second.size(), Threads)
              .ec != std::errc())
    return; // a kernel, or a runtime that does not tell
  for (const auto &[Struct, Of] : Uses) {
    uint64_t Most = Of.All - Of.Others, Rest = Of.Others;
    if (Threads == 2 && Rest > Most)
      std::swap(Most, Rest);
    if (Of.All)
      Make.threads(Struct, Most, Rest);
  }
}

void Joiner::objects() {
  for (const auto &[Hash, Counts] : Raw.Objects) {
    auto At = StructOf.find({Hash, static_cast<uint32_t>(Counts.size() / 2)});
    if (At == StructOf.end() || Counts.size() % 2) {
      ++Notes.ObjectsWithoutStruct;
      continue;
    }
    for (size_t I = 0; I < Counts.size(); I += 2)
      if (Counts[I] || Counts[I + 1])
        Make.byAddress(At->second, static_cast<uint32_t>(I / 2), Counts[I],
                       Counts[I + 1]);
    // By which thread is not known.
    Use &Of = Uses[At->second];
    for (uint64_t Count : Counts)
      if (addCount(Of.All, Count) && Raw.Text.count("threads") &&
          Raw.Text.at("threads") != "1")
        addCount(Of.Others, Count);
  }
}

Result<JoinedCounters> Joiner::run(const std::vector<CounterTable> &Tables) {
  std::set<uint64_t> Seen;
  std::set<uint32_t> Ran; // files of which something ran
  for (const CounterTable &T : Tables)
    if (Raw.Units.count(T.Hash))
      Ran.insert(T.Binary);
  for (const CounterTable &T : Tables) {
    if (!Seen.insert(T.Hash).second)
      continue;
    auto Counters = Raw.Units.find(T.Hash);
    if (Counters == Raw.Units.end()) {
      // Another program's, perhaps: one import may be about several.
      if (!Raw.Units.empty() && !Ran.count(T.Binary))
        continue;
      ++Notes.TablesWithoutCounters;
      unit(T, Runs{std::vector<uint64_t>(T.Regions.size()),
                   std::vector<uint64_t>(T.Sites.size()), 0});
      continue;
    }
    if (Counters->second.size() != T.Counters)
      return Failure{std::string("unit ") + T.text(T.MainFile) + " has " +
                     std::to_string(Counters->second.size()) +
                     " counters in the raw file, " +
                     std::to_string(T.Counters) + " in its table"};
    if (!unit(T, runsOf(T, Counters->second)))
      return Failure{std::string("a count of unit ") + T.text(T.MainFile) +
                     " does not fit 64 bits"};
    ++Notes.UnitsJoined;
  }
  Notes.UnitsWithoutTable =
      static_cast<uint32_t>(Raw.Units.size()) - Notes.UnitsJoined;
  if (!Notes.UnitsJoined && !Raw.Units.empty())
    return Failure{"none of " + std::to_string(Raw.Units.size()) +
                   " units with counters is among the " +
                   std::to_string(Seen.size()) +
                   " tables: the program that ran is not the one given"};
  objects();
  threads();
  for (auto [Function, File] : NotCounted)
    if (!Counted.count({Function, File}))
      Make.notCounted(Function, File);
  Make.Text = Raw.Text;
  for (auto [Key, Value] : {std::pair{"duration_ns", &Make.DurationNs},
                            std::pair{"lost_objects", &Make.Lost}})
    if (!takeNumber(Make.Text, Key, *Value))
      return Failure{std::string("the text of the raw counters has a ") + Key +
                     " that is no number"};
  auto Made = Make.finish();
  if (!Made)
    return Failure{Made.error()};
  return JoinedCounters{std::move(*Made), Notes};
}

} // namespace

Result<JoinedCounters> joinCounters(const RawCounters &Raw,
                                    const std::vector<CounterTable> &Tables,
                                    const NamesOfMembers &Names) {
  return Joiner(Raw, Names).run(Tables);
}

} // namespace kst
