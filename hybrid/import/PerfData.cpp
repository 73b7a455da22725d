// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/PerfData.h"

#include "hybrid/import/PerfHeader.h"
#include "hybrid/trace/Trace.h"
#include "hybrid/trace/TraceFile.h"

#include <algorithm>
#include <queue>

#include <zstd.h>

namespace kst {
namespace {

enum RecordType : uint32_t {
  RecordMmap = 1,
  RecordLost = 2,
  RecordSample = 9,
  RecordMmap2 = 10,
  RecordLostSamples = 13,
  RecordAttr = 64,
  RecordTracingData = 66,
  RecordFinishedRound = 68,
  RecordAuxtrace = 71,
  RecordFeature = 80,
  RecordCompressed = 81,
  RecordCompressed2 = 83,
};
constexpr size_t RecordHeadBytes = 8;

/// perf_mem_data_src::mem_op.
enum : uint64_t {
  MemoryNotKnown = 1,
  MemoryLoad = 2,
  MemoryStore = 4,
  MemoryOps = 31
};

/// The kernel's own code has this in front of the name of its symbol.
constexpr std::string_view KernelMapping = "[kernel.kallsyms]";

class PerfData : public KernelRecording {
public:
  explicit PerfData(PerfHeader Read)
      : Header(std::move(Read)), Big(Header.isBig()), Pipe(Header.isPipe()) {}

  std::optional<Failure> walk(const Visitor &Each) override;
  const KernelRecordingNotes &notes() const override { return Notes; }
  std::map<std::string, std::string> text() const override;
  std::optional<std::pair<std::string, uint64_t>> anchor() const override {
    return Anchor;
  }
  uint32_t pageBytes() const override { return Header.pageBytes(); }

private:
  struct Later {
    bool operator()(const std::pair<KernelRecord, uint64_t> &A,
                    const std::pair<KernelRecord, uint64_t> &B) const {
      return A.first.Time != B.first.Time ? A.first.Time > B.first.Time
                                          : A.second > B.second;
    }
  };

  ForeignBytes in(std::string_view Part) const { return {Part, Big}; }
  size_t records(std::string_view Part, bool Packed);
  void record(uint32_t Type, std::string_view Body);
  void mapping(std::string_view Body, size_t NameAt);
  void sample(std::string_view Body);
  void access(const PerfSample &Of, KernelRecord &Out);
  void lost(std::string_view Body);
  void unpack(std::string_view Body);
  bool place(const PerfSample &Of, KernelRecord &Out);
  void queue(const KernelRecord &R) {
    Newest = std::max(Newest, R.Time);
    Waiting.push({R, ++Number});
  }
  void flush(uint64_t Until);
  void damaged(const std::string &What) {
    if (Notes.Damage.empty())
      Notes.Damage = What;
  }

  PerfHeader Header;
  const bool Big, Pipe;
  std::optional<std::pair<std::string, uint64_t>> Anchor;
  KernelRecordingNotes Notes;
  // Of a walk.
  const Visitor *Each = nullptr;
  std::priority_queue<std::pair<KernelRecord, uint64_t>,
                      std::vector<std::pair<KernelRecord, uint64_t>>, Later>
      Waiting;
  uint64_t Number = 0, Newest = 0, NewestOfRound = 0, Clock = 0;
  uint64_t Lost = 0, LostSamples = 0;
  std::unordered_map<uint32_t, uint32_t> StreamOf; ///< by task
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream *)> Unpacker{
      nullptr, ZSTD_freeDStream};
  std::string Unpacked;
};

std::map<std::string, std::string> PerfData::text() const {
  auto Text = Header.text();
  Text["recorder"] = "perf";
  Text["clock"] = NanosecondClock;
  return Text;
}

/// Where the kernel is, by one symbol of it.
void PerfData::mapping(std::string_view Body, size_t NameAt) {
  if (Body.size() <= NameAt || Anchor)
    return;
  std::string_view Name = Body.substr(NameAt);
  Name = Name.substr(0, Name.find('\0'));
  if (!Name.starts_with(KernelMapping))
    return;
  Name.remove_prefix(KernelMapping.size());
  uint64_t Address = in(Body).at<uint64_t>(24);
  if (!Name.empty() && Address)
    Anchor = {std::string(Name), Address};
}

/// Time and stream. False: of a CPU that no trace has.
bool PerfData::place(const PerfSample &Of, KernelRecord &Out) {
  // Records without a time come behind one another.
  Out.Time = Of.Event->has(PerfTime) ? Of.Time : Clock + 1;
  Clock = std::max(Clock, Out.Time);
  Out.Stream = Of.Cpu;
  if (!Of.Event->has(PerfCpu))
    Out.Stream =
        StreamOf.try_emplace(Of.Task, static_cast<uint32_t>(StreamOf.size()))
            .first->second;
  return Out.Stream < MaxTraceStreams;
}

/// A sample of what reads or writes memory.
void PerfData::access(const PerfSample &Of, KernelRecord &Out) {
  // At the instruction itself: a fault of its fetch.
  if (!Of.Address || Of.Address == Of.Ip) {
    ++Notes.NoAddress;
    return;
  }
  Out.What = KernelRecord::Sample;
  Out.Address = Of.Address;
  Out.Caller = Of.Ip;
  Out.Bytes = 1; // the one that it says
  Out.Access = AccessLoad;
  if (Of.Event->Type == PerfEvent::Breakpoint) {
    Out.Access = Of.Event->BreakpointType & 3;
    Out.Bytes = std::clamp<uint64_t>(Of.Event->BreakpointBytes, 1, 8);
    Out.What = Out.Access ? KernelRecord::Sample : KernelRecord::Other;
    return;
  }
  uint64_t Op = Of.DataSource & MemoryOps;
  if (!Op || Op == MemoryNotKnown)
    return;
  Out.Access = static_cast<uint8_t>((Op & MemoryLoad ? AccessLoad : 0) |
                                    (Op & MemoryStore ? AccessStore : 0));
  if (!Out.Access) // it fetches ahead, or code
    Out.What = KernelRecord::Other;
}

void PerfData::sample(std::string_view Body) {
  auto Of = Header.events().sample(Body, Big);
  KernelRecord R;
  if (!Of || !place(*Of, R)) {
    ++Notes.NotUnderstood;
    return;
  }
  if (Of->Event->has(PerfTid)) {
    R.HasTask = true;
    R.Task = Of->Task;
  }
  if (Of->Event->Type == PerfEvent::Tracepoint) {
    if (!Header.formats()) {
      ++Notes.NotUnderstood;
      return;
    }
    Header.formats()->decode(static_cast<uint32_t>(Of->Event->Config), Of->Raw,
                             R);
  } else if (Of->Event->has(PerfAddr)) {
    access(*Of, R);
  }
  queue(R);
}

void PerfData::lost(std::string_view Body) {
  KernelRecord R;
  R.LostBefore = in(Body).at<uint64_t>(8);
  Lost += R.LostBefore;
  auto Where = Header.events().tail(Body, Big);
  if (!Where || !place(*Where, R))
    R.Time = Newest;
  queue(R);
}

void PerfData::unpack(std::string_view Body) {
  if (!Unpacker)
    Unpacker.reset(ZSTD_createDStream());
  ZSTD_inBuffer In = {Body.data(), Body.size(), 0};
  char Part[1 << 16];
  for (;;) {
    ZSTD_outBuffer Out = {Part, sizeof(Part), 0};
    if (ZSTD_isError(ZSTD_decompressStream(Unpacker.get(), &Out, &In)))
      return damaged("its compressed records are damaged");
    Unpacked.append(Part, Out.pos);
    Unpacked.erase(0, records(Unpacked, true));
    if (Out.pos < Out.size && In.pos == In.size)
      return;
    if (!Notes.Damage.empty())
      return;
  }
}

void PerfData::flush(uint64_t Until) {
  while (!Waiting.empty() && Waiting.top().first.Time <= Until) {
    (*Each)(Waiting.top().first);
    Waiting.pop();
  }
}

void PerfData::record(uint32_t Type, std::string_view Body) {
  switch (Type) {
  case RecordSample:
    return sample(Body);
  case RecordMmap:
    return mapping(Body, 32);
  case RecordMmap2:
    return mapping(Body, 64);
  case RecordLost:
    return lost(Body);
  case RecordLostSamples:
    LostSamples += in(Body).at<uint64_t>(0);
    return;
  case RecordFinishedRound:
    // What comes now is not older than the newest of the round before.
    flush(NewestOfRound);
    NewestOfRound = Newest;
    return;
  default:
    return;
  }
}

/// Walks whole records; how many bytes they take. Packed: these came out of
/// compressed ones.
size_t PerfData::records(std::string_view Part, bool Packed) {
  size_t At = 0;
  while (Part.size() - At >= RecordHeadBytes && Notes.Damage.empty()) {
    ForeignBytes Head = in(Part.substr(At));
    uint32_t Type = Head.at<uint32_t>(0);
    uint64_t Size = Head.at<uint16_t>(6);
    if (Size < RecordHeadBytes) {
      damaged("a record of " + std::to_string(Size) + " bytes");
      return At;
    }
    std::string_view Body = Head.part(RecordHeadBytes, Size - RecordHeadBytes);
    // These have more behind them.
    if (Type == RecordTracingData && !Packed) {
      uint64_t More = in(Body).at<uint32_t>(0);
      if (Pipe && Size + More <= Head.left())
        Header.addFormats(Head.part(Size, More));
      Size += More;
    } else if (Type == RecordAuxtrace && !Packed) {
      uint64_t More = in(Body).at<uint64_t>(0);
      Size = More > Head.left() ? Head.left() + 1 : Size + More;
    }
    if (Size > Head.left())
      break;
    At += Size;
    if (Type == RecordAttr && Pipe && !Header.addEvent(Body))
      damaged("it has an event that is not whole");
    else if (Type == RecordFeature && Pipe && Body.size() >= 8)
      Header.addFeature(in(Body).at<uint64_t>(0), Body.substr(8));
    else if (Type == RecordCompressed && !Packed)
      unpack(Body);
    else if (Type == RecordCompressed2 && !Packed && Body.size() >= 8)
      unpack(Body.substr(8, in(Body).at<uint64_t>(0)));
    else
      record(Type, Body);
  }
  return At;
}

std::optional<Failure> PerfData::walk(const Visitor &Visit) {
  Each = &Visit;
  Notes = {};
  Number = Newest = NewestOfRound = Clock = Lost = LostSamples = 0;
  StreamOf.clear();
  Unpacker.reset();
  Unpacked.clear();
  if (Pipe)
    Header.forgetEvents();
  const std::string_view Data = Header.records();
  const size_t End = records(Data, false);
  flush(~uint64_t(0));
  if (Header.events().all().empty())
    return Failure{"it names no event"};
  if (!Header.events().sound())
    return Failure{"it has several events and samples that do not say which; "
                   "record with -a, or one event"};
  // perf asks for them at the end and does not say when.
  if (LostSamples > Lost) {
    KernelRecord R;
    R.Time = Newest;
    R.LostBefore = LostSamples - Lost;
    Visit(R);
  }
  if (Notes.Damage.empty())
    Notes.Damage = Header.damage();
  if (End < Data.size() || !Unpacked.empty())
    damaged("its last record is cut short");
  Each = nullptr;
  return std::nullopt;
}

} // namespace

bool looksLikePerfData(std::string_view Bytes) {
  return PerfHeader::looksLikeOne(Bytes);
}

Result<std::unique_ptr<KernelRecording>> openPerfData(std::string_view Bytes) {
  auto Header = PerfHeader::read(Bytes);
  if (!Header)
    return Failure{Header.error()};
  return std::unique_ptr<KernelRecording>(
      std::make_unique<PerfData>(std::move(*Header)));
}

} // namespace kst
