// SPDX-License-Identifier: GPL-2.0-or-later
//
// `cache`: what a list of accesses does in the caches of the model.

#include "analyzer/files/OutputFile.h"
#include "hybrid/cache/CacheModel.h"
#include "hybrid/import/Lackey.h"
#include "test/kst-dev/Commands.h"
#include "test/kst-dev/MissEstimate.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <fstream>
#include <iostream>
#include <optional>

namespace kst {
namespace {

llvm::json::Object asJson(const CacheCounts &Counts) {
  llvm::json::Object Served, Classes, Anti;
  for (size_t By = 0; By < Servers; ++By)
    Served[spelling(ServedBy(By))] = int64_t(Counts.Served[By]);
  for (size_t Level = 0; Level < CacheLevels; ++Level) {
    llvm::json::Object OfLevel;
    for (size_t Class = 1; Class < MissClasses; ++Class)
      OfLevel[spelling(MissClass(Class))] =
          int64_t(Counts.Missed[Level][Class]);
    Classes[spelling(CacheLevel(Level))] = std::move(OfLevel);
    Anti[spelling(CacheLevel(Level))] = int64_t(Counts.AntiConflicts[Level]);
  }
  return llvm::json::Object{{"served", std::move(Served)},
                            {"misses", std::move(Classes)},
                            {"anti-conflicts", std::move(Anti)},
                            {"upgrades", int64_t(Counts.Upgrades)}};
}

/// Adds an outcome of an access to one line.
void add(CacheCounts &Counts, const AccessOutcome &Out) {
  ++Counts.Served[size_t(Out.From)];
  Counts.Upgrades += Out.Upgrade;
  for (size_t Level = 0; Level < CacheLevels; ++Level) {
    auto &Missed = Counts.Missed[Level];
    if (Out.Class[Level] != MissClass::None)
      ++Missed[size_t(Out.Class[Level])];
    Counts.AntiConflicts[Level] += Out.AntiConflict >> Level & 1;
    const bool Turned = Out.TurnedTrue >> Level & 1;
    Missed[size_t(MissClass::FalseSharing)] -= Turned;
    Missed[size_t(MissClass::TrueSharing)] += Turned;
  }
}

/// Addresses that are counted apart.
struct AddressRange {
  uint64_t Begin = 0, Bytes = 0;
  bool has(uint64_t Address) const { return Address - Begin < Bytes; }
};

/// Of `0x1000+64`; nothing if it is wrong.
std::optional<AddressRange> addressRange(llvm::StringRef Text) {
  AddressRange Range;
  auto [Begin, Bytes] = Text.split('+');
  if (Begin.getAsInteger(0, Range.Begin) || Bytes.getAsInteger(0, Range.Bytes))
    return std::nullopt;
  return Range;
}

class CacheCommand : public Command {
public:
  CacheCommand()
      : Command("cache", "Accesses of lackey in the cache model",
                "--cache GEOMETRY [OPTION...] FILE") {}

  llvm::Expected<ExitCode> run() override {
    Result<CacheGeometry> Shape = parseCacheGeometry(Geometry);
    if (!Shape)
      return usageError("--cache: " + Shape.error());
    if (Cpus < 1 || Cpus >= MaxCacheCpus)
      return usageError("--cpus: 1 to 63");
    if (Files.size() != 1)
      return usageError("one file, or - for standard input");
    CacheOptions Options;
    // Instructions are those of one CPU more, see CacheOptions::Coherent.
    Options.Cpus = Cpus + Fetches;
    Options.Coherent = !Fetches && !Cachegrind;
    Options.Lines = Cachegrind ? Crossing::Together : Crossing::PerLine;
    if (Classes == "at-miss" || Classes == "lifetime")
      Options.Classes =
          Classes == "lifetime" ? ClassRule::Lifetime : ClassRule::AtMiss;
    else if (Classes != "off")
      return usageError("--classes: off, at-miss or lifetime");
    if (Cachegrind && Classes != "off")
      return usageError("--cachegrind counts no classes");
    std::optional<AddressRange> Counted = addressRange(Range);
    if (Range.given() && !Counted)
      return usageError("--range: BEGIN+BYTES, as in 0x1000+64");
    OfRange.resize(Options.Cpus);
    if (Estimate) {
      const CacheShape &L1 = (*Shape)[CacheLevel::L1];
      if (!Options.Coherent || !L1.exists() || Shape->LineBytes != 64 ||
          Options.Classes == ClassRule::Off)
        return usageError("--estimate wants classes, l1 and lines of 64 bytes");
      Guessed.resize(Cpus * MissClasses);
      Guess.emplace(
          GuessRules{L1.Sets, L1.Ways, Cpus, 1u << 20},
          [this](uint32_t Tag, MissGuess As) { ++Guessed[Tag][size_t(As)]; });
    }
    CacheModel Model(*Shape, Options);
    std::ifstream Stream;
    if (Files[0] != "-")
      Stream.open(Files[0]);
    if (!Stream)
      return usageError(Files[0] + ": cannot be read");
    if (llvm::Error E = replay(Files[0] == "-" ? std::cin : Stream,
                               Counted.value_or(AddressRange()), Model))
      return E;
    return print(Model);
  }

private:
  llvm::Error replay(std::istream &Stream, AddressRange Counted,
                     CacheModel &Model) {
    std::string Text;
    uint16_t Cpu = 0;
    for (uint64_t Number = 1; std::getline(Stream, Text); ++Number) {
      const LackeyLine Line = lackeyLine(Text);
      if (!Line.What) {
        if (std::optional<std::string> Wrong = takeOther(Text, Cpu))
          return usageError(Files[0] + ":" + std::to_string(Number) + ": " +
                            *Wrong);
        continue;
      }
      if (Line.What == 'I' && !Fetches)
        continue;
      const MemoryReference R = reference(Line, Cpu, Model);
      const AccessOutcome &Out = Model.access(R);
      if (Counted.has(R.Address))
        add(OfRange[R.Cpu], Out);
      if (Guess)
        guess(R, Counted, Out.Class[0]);
    }
    if (Guess)
      Guess->finish();
    if (Stream.bad())
      return usageError(Files[0] + ": cannot be read");
    return llvm::Error::success();
  }

  /// Guesses of L1, counted for the misses of the range. Each line of an access
  /// counts as the one that came from farthest.
  void guess(const MemoryReference &R, AddressRange Counted, MissClass Class) {
    const bool Missed = Class != MissClass::None && Counted.has(R.Address);
    const uint64_t Last = R.Address + std::max(1u, R.Bytes) - 1;
    for (uint64_t At = R.Address; At <= Last; At = (At | 63) + 1)
      Guess->access({At, uint32_t(std::min(Last, At | 63) - At + 1), R.Cpu,
                     R.Kind != AccessKind::Load, Missed && At == R.Address,
                     R.Cpu * MissClasses + uint32_t(Class)});
  }

  MemoryReference reference(const LackeyLine &Line, uint16_t Cpu,
                            const CacheModel &Model) {
    MemoryReference R{Line.Address, Line.SizeBytes, Cpu, AccessKind::Load};
    if (Line.What == 'I')
      R.Cpu = uint16_t(Cpus);
    else if (Line.What != 'L')
      R.Kind = Line.What == 'S' ? AccessKind::Store : AccessKind::Modify;
    if (Cachegrind) // which takes no access for longer than a line
      R.Bytes = std::min(R.Bytes, Model.Geometry.LineBytes);
    return R;
  }

  /// A line that is no access: valgrind's words or, not lackey's, `C 1`: what
  /// follows is done by CPU 1. Returns what is wrong with it, if anything.
  std::optional<std::string> takeOther(llvm::StringRef Line, uint16_t &Cpu) {
    if (Line.empty() || Line.starts_with("=="))
      return std::nullopt;
    if (!Line.consume_front("C ") || Line.getAsInteger(10, Cpu))
      return "expected 'I  ADDRESS,BYTES', ' L', ' S', ' M' or 'C CPU', not '" +
             Line.take_front(60).str() + "'";
    if (Cpu >= Cpus)
      return "--cpus allows no such CPU";
    return std::nullopt;
  }

  llvm::Expected<ExitCode> print(const CacheModel &Model) {
    llvm::json::Object Out{{"geometry", spelling(Model.Geometry)}};
    static const char *const Kinds[] = {"load", "store", "modify"};
    for (size_t Kind = 0; Kind < AccessKinds; ++Kind) {
      CacheCounts Sum;
      for (unsigned Cpu = 0; Cpu < Cpus; ++Cpu)
        Sum += Model.counts(Cpu, AccessKind(Kind));
      Out[Kinds[Kind]] = asJson(Sum);
    }
    if (Fetches)
      Out["fetch"] = asJson(Model.counts(Cpus, AccessKind::Load));
    if (Range.given()) {
      llvm::json::Array ByCpu;
      for (const CacheCounts &Counts : OfRange)
        ByCpu.push_back(asJson(Counts));
      Out["range"] = std::move(ByCpu);
    }
    if (Guess)
      Out["estimate"] = guesses();
    if (llvm::Error E = writeFile(
            "-",
            llvm::formatv("{0:2}\n", llvm::json::Value(std::move(Out))).str()))
      return E;
    return ExitDone;
  }

  /// By CPU, class and guess.
  llvm::json::Array guesses() const {
    llvm::json::Array ByCpu;
    for (size_t Cpu = 0; Cpu < Cpus; ++Cpu) {
      llvm::json::Object Classes;
      for (size_t Class = 1; Class < MissClasses; ++Class) {
        llvm::json::Object As;
        for (size_t G = 0; G < MissGuesses; ++G)
          As[spelling(MissGuess(G))] =
              int64_t(Guessed[Cpu * MissClasses + Class][G]);
        Classes[spelling(MissClass(Class))] = std::move(As);
      }
      ByCpu.push_back(std::move(Classes));
    }
    return ByCpu;
  }

  Flag<std::string> Geometry{
      {Sub, OfAnalysis, "cache", "GEOMETRY",
       "Caches, as in l1=32K/8,l2=1M/16,llc=16M/16,line=64"}};
  Flag<unsigned> Cpus{{Sub, OfAnalysis, "cpus", "N",
                       "How many; lines 'C N' say whose turn it is"},
                      1};
  Flag<bool> Fetches{{Sub, OfAnalysis, "fetches", "",
                      "Instructions as well, with a first level of their own"}};
  Flag<bool> Cachegrind{{Sub, OfAnalysis, "cachegrind", "",
                         "Count accesses to two lines as cachegrind does"}};
  Flag<std::string> Classes{{Sub, OfAnalysis, "classes", "RULE",
                             "Why accesses miss: off, at-miss or lifetime"},
                            "off"};
  Flag<std::string> Range{{Sub, OfAnalysis, "range", "BEGIN+BYTES",
                           "Count these addresses apart, by CPU"}};
  Flag<bool> Estimate{{Sub, OfAnalysis, "estimate", "",
                       "Classes of L1 as histories tell, of the range"}};
  Words Files{Sub, "FILE"};
  std::vector<CacheCounts> OfRange; ///< by CPU
  std::optional<MissEstimate> Guess;
  /// [CPU * MissClasses + class][guess]
  std::vector<std::array<uint64_t, MissGuesses>> Guessed;
};

} // namespace

const MakeCommand MakeCache = make<CacheCommand>;

} // namespace kst
