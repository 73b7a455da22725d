// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/PerfCounts.h"

#include <algorithm>

namespace kst {

constexpr size_t MostEvents = 64;

void PerfCounts::event(std::string_view Name) {
  if (Events.size() < MostEvents && Events.find(Name) == Events.end())
    Events.emplace(Name);
}

void PerfCounts::time(uint64_t Ns) {
  First = std::min(First, Ns);
  Last = std::max(Last, Ns);
}

void PerfCounts::add(ByName &To, std::string_view Name, bool Kernel,
                     uint64_t Count) {
  auto At = To.find(Name);
  if (At == To.end())
    At = To.emplace(std::string(Name), Counts()).first;
  add(Kernel ? At->second.Kernel : At->second.User, Count);
}

void PerfCounts::function(std::string_view Name, bool Kernel, uint64_t Count) {
  add(Functions, Name, Kernel, Count);
}

void PerfCounts::entry(std::string_view Name, bool Kernel) {
  add(Entered, Name, Kernel, 1);
}

void PerfCounts::place(uint32_t Struct, const TypedPlace &Place,
                       uint32_t SizeBytes, std::string_view Function,
                       bool Kernel, bool Store, uint64_t Count) {
  MeasuredSite Site;
  Site.Struct = Struct;
  Site.Function = Make.text(sourceFunction(Function));
  Site.Field = Make.text(Place.Field);
  Site.OffsetBytes = Place.OffsetBytes;
  Site.SizeBytes = SizeBytes;
  Site.Kind = Store ? SiteKind::Write : SiteKind::Read;
  auto At = Places.try_emplace(keyOf(Site)).first;
  add(Kernel ? At->second.Kernel : At->second.User, Count);
}

bool PerfCounts::anyKernel() const {
  auto Counted = [](const auto &Of) { return Of.second.Kernel > 0; };
  return std::ranges::any_of(Functions, Counted) ||
         std::ranges::any_of(Entered, Counted) ||
         std::ranges::any_of(Places, Counted);
}

void PerfCounts::makeSites(bool Kernel) {
  for (const auto &[Key, Of] : Places) {
    uint64_t Count = Kernel ? Of.Kernel : Of.User;
    if (!Count)
      continue;
    MeasuredSite Site;
    std::tie(Site.Struct, Site.Function, Site.File, Site.Line, Site.Column,
             Site.OffsetBytes, Site.SizeBytes, Site.FirstBit, Site.Bits,
             Site.Field, Site.Kind, Site.Marks) = Key;
    Site.Count = Count;
    Make.site(Site);
    add(Notes.FieldSamples, Count);
  }
}

void PerfCounts::makeSamples(bool Kernel) {
  for (const auto &[Name, Of] : Functions) {
    uint64_t Count = Kernel ? Of.Kernel : Of.User;
    if (Kernel)
      add(Notes.UserSpace, Of.User);
    if (!Count)
      continue;
    if (!Entered.empty()) {
      add(Notes.SamplesLeft, Count);
      continue;
    }
    add(Notes.Samples, Count);
    Make.samples(Make.text(Name), Count);
  }
}

void PerfCounts::makeEntries(bool Kernel) {
  for (const auto &[Name, Of] : Entered) {
    const uint64_t Count = Kernel ? Of.Kernel : Of.User;
    if (!Count)
      continue;
    add(Notes.Entries, Count);
    MeasuredSite Site;
    Site.Function = Make.text(Name);
    Site.Kind = SiteKind::Entry;
    Site.Count = Count;
    Make.site(Site);
  }
}

Failure PerfCounts::noSample() const {
  if (WithoutCount)
    return {"shares without numbers of samples: add -n to perf report, "
            "--show-nr-samples to perf annotate"};
  if (Notes.Unknown)
    return {"none of " + std::to_string(Notes.Unknown) +
            " samples has a symbol: is there a vmlinux or /proc/kallsyms for "
            "perf?"};
  return {"no sample of perf script, perf report -n or perf annotate "
          "--data-type"};
}

Result<ImportedPerf> PerfCounts::finish() {
  bool Kernel = anyKernel();
  makeSites(Kernel);
  makeSamples(Kernel);
  makeEntries(Kernel);
  if (!Notes.Samples && !Notes.FieldSamples && !Notes.Entries)
    return noSample();
  Make.Text["source"] = Kernel ? "kernel" : "user";
  Make.Text["recorder"] = "perf";
  std::string All;
  for (const std::string &Event : Events)
    All += (All.empty() ? "" : ", ") + Event;
  if (!All.empty())
    Make.Text["event"] = All;
  if (Last > First)
    Make.DurationNs = Last - First;
  auto Made = Make.finish();
  if (!Made || Overflow)
    return Failure{"a count does not fit 64 bits"};
  return ImportedPerf{std::move(*Made), Notes};
}

} // namespace kst
