// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bars on speed and error rates, printed: windows over 50 million events, 100
// profiles of 10,000 sets merged, false alarms and sensitivity of the null
// model over 100 seeds. Options: none; takes about a minute.

#include "hybrid/evidence/MergedSource.h"
#include "hybrid/evidence/NullModel.h"
#include "hybrid/profile/ProfileBuilder.h"
#include "test/unit/evidence/TraceSamples.h"

#include <cstdio>
#include <ctime>

using namespace kst;

namespace {

double cpuSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

void windows() {
  // Visits of 256 instances by 8 CPUs, fields by a small generator.
  Windows Of(300);
  uint64_t State = 1;
  double Start = cpuSeconds();
  constexpr uint64_t Events = 50'000'000;
  for (uint64_t I = 0; I != Events; ++I) {
    State = State * 6364136223846793005 + 1442695040888963407;
    uint32_t Visit = uint32_t(I / 12);
    Of.add({Visit % 8, uint32_t((Visit * 37 + (State >> 40) % 24) % 300),
            Visit * 2654435761u >> 24, (State >> 60) == 0});
  }
  Of.finish();
  double Took = cpuSeconds() - Start;
  std::printf("windows: %.1f s CPU for 50 million events, %zu sets, %s\n", Took,
              Of.sets().size(), Took <= 60 ? "bar met" : "BAR MISSED");
}

/// A program of `Functions` functions with four accesses each, as facts.
TuFacts facts(uint32_t Functions) {
  TuFacts F;
  auto Text = [&](std::string T) {
    F.Strings.push_back(std::move(T));
    return StrId(F.Strings.size() - 1);
  };
  F.MainFile = Text("main.c");
  RecordFact S;
  S.Name = Text("s");
  S.File = F.MainFile;
  S.SizeBytes = 64 * 8;
  S.AlignBytes = 8;
  S.Fields = {0, 64};
  for (uint32_t I = 0; I != 64; ++I) {
    FieldFact Field;
    Field.Name = Text(std::string("f").append(std::to_string(I)));
    Field.OffsetBits = I * 64;
    Field.SizeBits = 64;
    Field.AlignBytes = 8;
    F.Fields.push_back(Field);
  }
  F.Records.push_back(S);
  for (uint32_t I = 0; I != Functions; ++I) {
    FunctionFact Of;
    Of.Key = Of.Name = Text(std::string("function").append(std::to_string(I)));
    Of.File = F.MainFile;
    Of.Line = I * 10 + 1;
    Of.ParamCount = 1;
    Of.Values.Begin = uint32_t(F.Values.size());
    Of.Accesses.Begin = uint32_t(F.Accesses.size());
    Of.Blocks.Begin = uint32_t(F.Blocks.size());
    F.Values.push_back({ValueKind::Param, 0, 0, 0, {}});
    for (uint32_t A = 0; A != 4; ++A) {
      F.Values.push_back({ValueKind::Field, 0, 0, (I * 7 + A * 3) % 64, {}});
      AccessFact Access;
      Access.Address = A + 1;
      Access.Block = A;
      Access.File = F.MainFile;
      Access.Line = Of.Line + A + 1;
      Access.SizeBytes = 8;
      F.Accesses.push_back(Access);
      F.Blocks.push_back({A ? 0.5 : 1.0});
    }
    Of.Values.End = uint32_t(F.Values.size());
    Of.Accesses.End = uint32_t(F.Accesses.size());
    Of.Blocks.End = uint32_t(F.Blocks.size());
    F.Functions.push_back(Of);
  }
  return F;
}

void merge() {
  constexpr uint32_t Sets = 10000, Profiles = 100;
  std::vector<TuFacts> Units{facts(Sets)};
  Program Whole(Units);
  Estimate Static = estimateFrequencies(Whole, {});
  std::vector<Profile> Runs;
  for (uint32_t P = 0; P != Profiles; ++P) {
    ProfileBuilder Out;
    uint32_t S = Out.structure("s", 64 * 8);
    for (uint32_t I = 0; I != Sets; ++I) {
      MeasuredSite Site;
      Site.Function =
          Out.text(std::string("function").append(std::to_string(I)));
      Site.File = Out.text("main.c");
      Site.Kind = SiteKind::Entry;
      Site.Count = 100 + (I * 31 + P * 17) % 1000;
      Out.site(Site);
      Site.Struct = S;
      Site.Kind = SiteKind::Read;
      Site.Line = I * 10 + 2;
      Site.OffsetBytes = I * 7 % 64 * 8;
      Site.SizeBytes = 8;
      Out.site(Site);
    }
    Runs.push_back(std::move(*Out.finish()));
  }
  std::vector<WeightedProfile> Weighted;
  for (uint32_t P = 0; P != Profiles; ++P)
    Weighted.push_back({std::to_string(P), &Runs[P], 1});
  double Start = cpuSeconds();
  Result<AffinityEvidence> Found =
      MergedSource(Whole, Static, Weighted).evidence("s");
  double Took = cpuSeconds() - Start;
  std::printf("merge: %.2f s CPU for %u profiles of %u sets -> %zu sets, %s\n",
              Took, Profiles, Sets, Found ? Found->Sets.size() : 0,
              Took <= 1 ? "bar met" : "BAR MISSED");
}

void alarms() {
  for (size_t Events : {500, 2000, 20000, 200000})
    for (double Power : {0.0, 1.0, 2.0}) {
      unsigned Alarms = 0;
      for (uint64_t Seed = 1; Seed <= 100; ++Seed)
        Alarms +=
            testStructure(
                windowsOf(TraceSample(Seed).independent(40, Events, Power), 40)
                    .adjacent(),
                40)
                .Structured;
      std::printf("independent, 40 fields, frequencies 1/k^%.0f, %6zu events: "
                  "%u false alarms of 100\n",
                  Power, Events, Alarms);
    }
}

void groups() {
  for (size_t Events : {500, 1000, 2000, 5000, 20000})
    for (auto [Groups, PerGroup] : {std::pair{5u, 6u}, {8u, 4u}, {4u, 12u}}) {
      uint32_t Fields = Groups * PerGroup, Found = 0;
      for (uint64_t Seed = 1; Seed <= 100; ++Seed)
        Found +=
            testStructure(windowsOf(TraceSample(Seed).planted(Groups, PerGroup,
                                                              Events, 0.2, 0.2),
                                    Fields)
                              .adjacent(),
                          Fields)
                .Structured;
      std::printf("planted, %u groups of %2u, %5zu events: seen %3u of 100\n",
                  Groups, PerGroup, Events, Found);
    }
}

} // namespace

int main() {
  windows();
  merge();
  alarms();
  groups();
}
