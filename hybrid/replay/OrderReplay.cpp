// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/replay/OrderReplay.h"

#include "hybrid/cache/CacheReplay.h"
#include "hybrid/replay/ByteMoves.h"
#include "hybrid/trace/ObjectTable.h"
#include "hybrid/trace/TraceLimits.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace kst {
namespace {

/// Distinct lines of the struct within windows of a CPU's accesses.
class LineWindows {
public:
  LineWindows(unsigned Cpus, unsigned Length, uint32_t LineBytes)
      : Length(Length), LineBytes(LineBytes), OfCpu(Cpus) {}

  /// Any access of the CPU.
  void step(unsigned Cpu) {
    if (++OfCpu[Cpu].Accesses == Length)
      close(OfCpu[Cpu]);
  }
  void touch(unsigned Cpu, uint64_t Address) {
    std::vector<uint64_t> &Lines = OfCpu[Cpu].Lines;
    if (const uint64_t Line = Address / LineBytes;
        std::find(Lines.begin(), Lines.end(), Line) == Lines.end())
      Lines.push_back(Line);
  }
  double mean() {
    for (Window &Last : OfCpu)
      close(Last);
    return Windows ? double(Touched) / double(Windows) : 0;
  }

private:
  struct Window {
    unsigned Accesses = 0;
    std::vector<uint64_t> Lines;
  };
  void close(Window &W) {
    Windows += !W.Lines.empty();
    Touched += W.Lines.size();
    W = {};
  }

  const unsigned Length;
  const uint32_t LineBytes;
  std::vector<Window> OfCpu;
  uint64_t Windows = 0, Touched = 0;
};

AccessKind kindOf(const TraceEvent &E) {
  return E.Access == AccessLoad    ? AccessKind::Load
         : E.Access == AccessStore ? AccessKind::Store
                                   : AccessKind::Modify;
}

CacheLevel nearestLevel(const CacheGeometry &Geometry) {
  size_t Level = 0;
  while (!Geometry.Shapes[Level].exists())
    ++Level;
  return CacheLevel(Level);
}

struct ByteRange {
  uint64_t Begin = 0, End = 0;
};

/// Of the field that begins a path such as "lock.owner" or "slots[3]"; what the
/// record does not have begins behind it.
ByteRange bytesOf(std::string_view Path, const RecordInfo &Record) {
  if (Path.empty())
    return {};
  const std::string_view Name = Path.substr(0, Path.find_first_of(".[-|"));
  for (const FieldInfo &Field : Record.Fields)
    if (!Field.Absent && (Field.Name == Name ||
                          std::find(Field.Members.begin(), Field.Members.end(),
                                    Name) != Field.Members.end()))
      return {Field.OffsetBits / 8,
              (Field.OffsetBits + Field.SizeBits + 7) / 8};
  return {Record.SizeBytes, Record.SizeBytes + 1};
}

/// One pass over a trace.
class Replaying {
public:
  Replaying(TraceReader &Trace, const std::vector<uint32_t> &Structs,
            const RecordInfo &Record, ByteMoves &Moves,
            const ReplayOptions &Options, ReplayedOrders &Answer)
      : Trace(Trace), Moves(Moves), Objects(Trace.tables()),
        Subject(Structs.begin(), Structs.end()),
        Caches(std::vector(Answer.Orders.size(), Options.Geometry),
               {.Cpus = Answer.Cpus, .Classes = Options.Classes}),
        Windows(Answer.Orders.size(),
                LineWindows(Answer.Cpus, Options.WindowAccesses,
                            Options.Geometry.LineBytes)),
        LineBytes(Options.Geometry.LineBytes), Answer(Answer) {
    Answer.Nearest = nearestLevel(Options.Geometry);
    for (const TraceStream &One : Trace.streams())
      CpuOf.emplace(One.Stream, CpuOf.size());
    const Profile &About = Trace.about();
    for (uint32_t Row = 0; Row != About.Structs.size(); ++Row)
      if (About.text(About.Structs[Row].Name) == Record.Name)
        Namesakes.insert(Row);
    for (const MeasuredSite &Site : About.Sites)
      NamedBytes.push_back(bytesOf(About.text(Site.Field), Record));
  }

  std::optional<Failure> run();

private:
  void toSubject(const TraceEvent &E, const TracePlace &Place, uint16_t Cpu);
  void count(ReplayedOrder &Order, uint32_t Field,
             const AccessOutcome &Outcome) const;

  TraceReader &Trace;
  ByteMoves &Moves;
  ObjectTable Objects;
  /// Rows of the trace's structs; Namesakes: of its name.
  const std::set<uint32_t> Subject;
  std::set<uint32_t> Namesakes;
  CacheReplay Caches;
  /// By site, which may name a field in place of an offset; else no bytes.
  std::vector<ByteRange> NamedBytes;
  std::vector<LineWindows> Windows; ///< by order
  const uint32_t LineBytes;
  std::unordered_map<uint32_t, uint16_t> CpuOf; ///< by stream
  std::set<std::pair<uint64_t, uint64_t>> Seen; ///< objects: address, number
  ReplayedOrders &Answer;
};

void Replaying::count(ReplayedOrder &Order, uint32_t Field,
                      const AccessOutcome &Outcome) const {
  const MissClass Why = Outcome.Class[size_t(Answer.Nearest)];
  ++Order.Served[size_t(Outcome.From)];
  Order.Upgrades += Outcome.Upgrade;
  if (Why == MissClass::None)
    return;
  ++Order.Missed[size_t(Why)];
  ++Order.Fields[Field].Misses;
  Order.Fields[Field].Sharing +=
      Why == MissClass::TrueSharing || Why == MissClass::FalseSharing;
}

void Replaying::toSubject(const TraceEvent &E, const TracePlace &Place,
                          uint16_t Cpu) {
  ++Answer.SubjectAccesses;
  Seen.insert({Place.Object, Place.Number});
  const ByteRange &Named = NamedBytes[E.Site];
  const uint64_t Begin = Named.End ? Named.Begin : Place.OffsetBytes,
                 End =
                     Named.End ? Named.End : Begin + std::max(E.SizeBytes, 1u);
  const bool Replayed =
      Moves.forEachStep(Place.Object, Begin, End, LineBytes,
                        [&](const BytePiece &Piece, uint32_t Bytes,
                            std::span<const uint64_t> Addresses) {
                          const auto Outcomes = Caches.access(
                              {0, Bytes, Cpu, kindOf(E)}, Addresses);
                          for (size_t I = 0; I != Addresses.size(); ++I) {
                            count(Answer.Orders[I], Piece.Field, Outcomes[I]);
                            Windows[I].touch(Cpu, Addresses[I]);
                          }
                        });
  Answer.InHoles += !Replayed;
}

std::optional<Failure> Replaying::run() {
  for (TraceEvent E; Trace.next(E); Objects.apply(E)) {
    if (E.Kind != EventKind::Access || !E.Access)
      continue;
    ++Answer.Accesses;
    const uint16_t Cpu = CpuOf.at(E.Stream);
    const TracePlace Place = Objects.place(E);
    if (Subject.count(Place.Struct)) {
      toSubject(E, Place, Cpu);
    } else {
      Answer.OtherLayouts += Namesakes.count(Place.Struct);
      Caches.access({E.Address, E.SizeBytes, Cpu, kindOf(E)});
    }
    for (LineWindows &One : Windows)
      One.step(Cpu);
  }
  for (size_t I = 0; I != Answer.Orders.size(); ++I)
    Answer.Orders[I].LinesPerWindow = Windows[I].mean();
  Answer.Objects = Seen.size();
  return Trace.failure();
}

} // namespace

uint64_t ReplayedOrder::misses() const {
  uint64_t Sum = 0;
  for (uint64_t Count : Missed)
    Sum += Count;
  return Sum;
}

Result<ReplayedOrders> replayOrders(TraceReader &Trace,
                                    const std::vector<uint32_t> &Structs,
                                    const RecordInfo &Record,
                                    const std::vector<OrderToReplay> &Orders,
                                    const ReplayOptions &Options) {
  ReplayedOrders Answer;
  Answer.Cpus = Trace.streams().size();
  if (Answer.Cpus > MaxCacheCpus)
    return Failure{"has " + std::to_string(Answer.Cpus) +
                   " CPUs or threads; the cache model takes at most " +
                   std::to_string(MaxCacheCpus)};
  if (Orders.size() > CacheReplay::MaxModels)
    return Failure{"at most " + std::to_string(CacheReplay::MaxModels) +
                   " orders can be replayed at once, not " +
                   std::to_string(Orders.size())};
  std::vector<const Layout *> Plans;
  for (const OrderToReplay &Order : Orders)
    if (Order.Plan.SizeBytes > Record.SizeBytes) {
      Answer.LeftOut.push_back(Order.Name);
    } else {
      Plans.push_back(&Order.Plan);
      Answer.Orders.push_back({.Name = Order.Name});
      Answer.Orders.back().Fields.resize(Record.Fields.size());
    }
  Answer.Geometry = spelling(Options.Geometry);
  Answer.WindowAccesses = Options.WindowAccesses;
  Answer.Complete = Trace.complete();
  Answer.Limits = traceLimits(Trace.about());
  Answer.Lost = Trace.lost();
  ByteMoves Moves(Record, Plans);
  if (auto Damage =
          Replaying(Trace, Structs, Record, Moves, Options, Answer).run())
    return *Damage;
  if (!Answer.SubjectAccesses)
    return Failure{"has no access to struct " + Record.Name};
  return Answer;
}

} // namespace kst
