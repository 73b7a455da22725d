// SPDX-License-Identifier: GPL-2.0-or-later
//
// `estimate`: the classes of the cache model beside what histories of accesses
// tell, type by type.

#include "analyzer/files/InputFile.h"
#include "analyzer/files/OutputFile.h"
#include "hybrid/dprof/CountedModel.h"
#include "hybrid/dprof/TypeTable.h"
#include "hybrid/trace/TraceReader.h"
#include "test/kst-dev/Commands.h"
#include "test/kst-dev/MissEstimate.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <map>
#include <optional>

namespace kst {
namespace {

/// Misses of one class, of a place in a type, from one function.
struct MissKind {
  uint32_t Type, OffsetBytes, Function;
  MissClass Exact;
  auto operator<=>(const MissKind &) const = default;
};
using Guesses = std::array<uint64_t, MissGuesses>;

class Estimation {
public:
  Estimation(TraceReader &Trace, const CacheGeometry &Geometry,
             CacheLevel Level, uint64_t Windows, double Factor)
      : Trace(Trace), Level(Level), Types(Trace.tables()),
        Objects(Trace.tables()),
        Model(Geometry, options(Trace), Types.types().size()),
        Guess({Geometry[Level].Sets, Geometry[Level].Ways,
               Model.model().Options.Cpus,
               std::max<uint64_t>(1, Trace.events() / Windows), Factor},
              [this](uint32_t Row, MissGuess As) {
                ++Counts[Row][size_t(As)];
              }) {}

  std::optional<Failure> run();
  llvm::json::Object result() const;

private:
  static CacheOptions options(const TraceReader &Trace) {
    CacheOptions Out;
    Out.Cpus = std::max(1u, unsigned(Trace.streams().size()));
    Out.Classes = ClassRule::AtMiss;
    return Out;
  }
  unsigned cpuOf(uint32_t Stream) const {
    const auto &In = Trace.streams();
    return unsigned(
        std::find_if(In.begin(), In.end(),
                     [&](const TraceStream &S) { return S.Stream == Stream; }) -
        In.begin());
  }
  void access(const TraceEvent &E);
  uint32_t row(const MissKind &Of) {
    auto [At, New] = Rows.try_emplace(Of, uint32_t(Counts.size()));
    if (New)
      Counts.emplace_back();
    return At->second;
  }
  std::string functionOf(const MissKind &Of) const {
    const Profile &About = Trace.about();
    return Of.Function < About.Strings.size() ? About.text(Of.Function) : "";
  }

  TraceReader &Trace;
  const CacheLevel Level;
  TypeTable Types;
  ObjectTable Objects;
  CountedModel Model;
  std::map<MissKind, uint32_t> Rows;
  std::vector<Guesses> Counts;
  MissEstimate Guess;
};

std::optional<Failure> Estimation::run() {
  for (TraceEvent E; Trace.next(E);)
    if (E.Kind != EventKind::Access)
      Objects.apply(E);
    else if (E.Access & (AccessLoad | AccessStore))
      access(E);
  Guess.finish();
  return Trace.failure();
}

void Estimation::access(const TraceEvent &E) {
  const TracePlace Place = Objects.place(E);
  const uint32_t Type = Types.of(Place, E.Address);
  const unsigned Cpu = cpuOf(E.Stream);
  const bool Stores = E.Access & AccessStore;
  const AccessKind Kind = !Stores                    ? AccessKind::Load
                          : !(E.Access & AccessLoad) ? AccessKind::Store
                                                     : AccessKind::Modify;
  const uint32_t Bytes = std::clamp(E.SizeBytes, 1u, MostAccessBytes);
  const auto &Sites = Trace.about().Sites;
  Model.access(
      {E.Address, Bytes, Cpu, Kind, Type, 0},
      [&](uint64_t Line, const AccessOutcome &Out) {
        const uint64_t Begin = std::max(E.Address, Line * 64),
                       End = std::min(E.Address + Bytes, Line * 64 + 64);
        const MissClass Exact = Out.Class[size_t(Level)];
        const bool Missed = Exact != MissClass::None;
        const uint32_t Row =
            Missed
                ? row({Type,
                       hasFields(Types.types()[Type].Kind) ? Place.OffsetBytes
                                                           : 0,
                       E.Site < Sites.size() ? Sites[E.Site].Function : ~0u,
                       Exact})
                : 0;
        Guess.access({Begin, uint32_t(End - Begin), Cpu, Stores, Missed, Row});
      },
      [](uint8_t, uint32_t, uint64_t) {});
}

llvm::json::Object Estimation::result() const {
  std::map<uint32_t, std::map<MissClass, Guesses>> ByType;
  llvm::json::Array OfTypes, Places;
  for (const auto &[Of, Row] : Rows) {
    Guesses &Sum = ByType[Of.Type][Of.Exact];
    for (size_t As = 0; As < MissGuesses; ++As) {
      Sum[As] += Counts[Row][As];
      if (Counts[Row][As])
        Places.push_back(
            llvm::json::Object{{"type", Types.types()[Of.Type].Name},
                               {"offset", Of.OffsetBytes},
                               {"function", functionOf(Of)},
                               {"exact", spelling(Of.Exact)},
                               {"guess", spelling(MissGuess(As))},
                               {"misses", int64_t(Counts[Row][As])}});
    }
  }
  for (const auto &[Type, Classes] : ByType) {
    llvm::json::Object Table;
    for (const auto &[Exact, Of] : Classes) {
      llvm::json::Object As;
      for (size_t G = 0; G < MissGuesses; ++G)
        As[spelling(MissGuess(G))] = int64_t(Of[G]);
      Table[spelling(Exact)] = std::move(As);
    }
    OfTypes.push_back(llvm::json::Object{{"name", Types.types()[Type].Name},
                                         {"classes", std::move(Table)}});
  }
  return llvm::json::Object{{"types", std::move(OfTypes)},
                            {"places", std::move(Places)}};
}

class EstimateCommand : public Command {
public:
  EstimateCommand()
      : Command("estimate", "Classes of misses as histories of accesses tell",
                "--cache GEOMETRY [--level L] TRACE") {}

  llvm::Expected<ExitCode> run() override {
    Result<CacheGeometry> Shape = parseCacheGeometry(Geometry);
    if (!Shape)
      return usageError("--cache: " + Shape.error());
    const CacheLevel Which = Level == "l1" ? CacheLevel::L1 : CacheLevel::L2;
    if ((Level != "l1" && Level != "l2") || !(*Shape)[Which].exists() ||
        Shape->LineBytes != 64)
      return usageError(
          "--level: l1 or l2, which --cache has, lines of 64 bytes");
    if (Files.size() != 1 || !Windows || Factor < 1)
      return usageError("usage: kst-dev estimate " + Usage);
    auto Bytes = inputBytes(Files[0], uint64_t(256) << 30);
    if (!Bytes)
      return Bytes.takeError();
    auto Trace =
        orFailure(TraceReader::open(bytesOf(**Bytes)), Files[0] + ": ");
    if (!Trace)
      return Trace.takeError();
    if (Trace->streams().size() > MaxCacheCpus)
      return usageError(Files[0] + ": too many CPUs");
    Estimation E(*Trace, *Shape, Which, Windows, Factor);
    if (auto Wrong = E.run())
      return failure(Files[0] + ": " + Wrong->Message);
    if (llvm::Error Bad = writeFile(
            "-", llvm::formatv("{0}\n", llvm::json::Value(E.result())).str()))
      return Bad;
    return ExitDone;
  }

private:
  Flag<std::string> Geometry{
      {Sub, OfAnalysis, "cache", "GEOMETRY", "Caches of the model"}};
  Flag<std::string> Level{
      {Sub, OfAnalysis, "level", "L", "Whose misses: l1 or l2"}, "l2"};
  Flag<unsigned> Windows{
      {Sub, OfAnalysis, "windows", "N", "In which lines of sets are counted"},
      50};
  Flag<unsigned> Factor{{Sub, OfAnalysis, "factor", "N",
                         "Times the mean that make a set too full"},
                        2};
  Words Files{Sub, "TRACE"};
};

} // namespace

extern const MakeCommand MakeEstimate = make<EstimateCommand>;

} // namespace kst
