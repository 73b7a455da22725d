// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/TraceReader.h"

#include "hybrid/trace/TableBlock.h"
#include "hybrid/trace/TraceBlock.h"
#include "hybrid/trace/TraceLimits.h"

#include <algorithm>
#include <cstring>

namespace kst {

namespace {

/// Where a block with events or losses is.
struct BlockPlace {
  uint64_t Offset;    ///< of its head
  uint64_t FirstTime; ///< in the merged order
  uint64_t LostBefore;
  uint32_t Stream;
};

/// One stream on its way through its blocks.
struct Cursor {
  size_t Block = 0, BlocksEnd = 0; ///< places in the list of blocks
  uint64_t Key = 0;                ///< time in the merged order
  uint64_t Lost = 0;               ///< by blocks without events
  TraceEvent Next;
  std::unique_ptr<TraceBlockDecoder> In; ///< while it is under way
};

} // namespace

struct TraceReader::State {
  std::string_view Bytes;
  TraceTables Tables;
  std::vector<BlockPlace> Blocks; ///< by stream, then in order of the file
  std::vector<TraceStream> Streams;
  std::vector<Cursor> Cursors; ///< by stream
  /// (key, number of the cursor): the least is in front.
  std::vector<std::pair<uint64_t, uint32_t>> Heap;
  uint64_t Events = 0, Lost = 0;
  bool Complete = false;
  std::optional<Failure> Damage;
  Watcher Progress;
  uint64_t Begun = 0; ///< events of the blocks that were begun

  TraceBlockHead headAt(uint64_t Offset) const;
  std::optional<Failure> scan();
  std::optional<Failure> addBlock(uint64_t Offset, const TraceBlockHead &Head);
  std::optional<Failure> start();
  bool advance(Cursor &C);
  bool enterBlock(Cursor &C);
  bool broken(const Cursor &C, const char *What);
};

static Failure damagedAt(uint64_t Offset, const std::string &What) {
  return {"trace is damaged in the block at byte " + std::to_string(Offset) +
          ": " + What};
}

TraceBlockHead TraceReader::State::headAt(uint64_t Offset) const {
  TraceBlockHead Head;
  memcpy(static_cast<void *>(&Head), Bytes.data() + Offset, sizeof(Head));
  return Head;
}

std::optional<Failure>
TraceReader::State::addBlock(uint64_t Offset, const TraceBlockHead &Head) {
  if (__builtin_add_overflow(Lost, Head.LostBefore, &Lost))
    return damagedAt(Offset, "losses do not fit 64 bits");
  Events += Head.Events;
  Blocks.push_back({Offset, Head.FirstTime, Head.LostBefore, Head.Stream});
  return std::nullopt;
}

/// Walks from head to head; reads the tables on the way.
std::optional<Failure> TraceReader::State::scan() {
  bool First = true;
  for (uint64_t At = sizeof(TraceHeader); At < Bytes.size();) {
    if (Complete)
      return Failure{"trace has bytes behind its end"};
    if (Bytes.size() - At < sizeof(TraceBlockHead))
      break;
    TraceBlockHead Head = headAt(At);
    if (!soundHead(Head))
      return damagedAt(At, "its head is wrong");
    if (First != (Head.Kind == TraceBlockKind::Tables))
      return damagedAt(At, "tables come first, and once");
    if (Head.Bytes > Bytes.size() - At - sizeof(Head))
      break;
    std::string_view Of = Bytes.substr(At + sizeof(Head), Head.Bytes);
    if (First) {
      auto Read = readTableBlock(Head, Of);
      if (!Read)
        return Read.within("trace is damaged");
      Tables = std::move(*Read);
      First = false;
    } else if (Head.Kind == TraceBlockKind::Events) {
      if (auto Wrong = addBlock(At, Head))
        return Wrong;
    } else if (Head.FirstTime != Events) {
      return damagedAt(At, "events are missing");
    } else {
      if (Head.RawBytes || !readTraceBlock(Head, Of, nullptr))
        return damagedAt(At, "the end is wrong");
      Complete = true;
    }
    At += sizeof(Head) + Head.Bytes;
  }
  if (First)
    return Failure{"trace is cut short before its tables end"};
  return std::nullopt;
}

std::optional<Failure> TraceReader::State::start() {
  std::stable_sort(Blocks.begin(), Blocks.end(),
                   [](const BlockPlace &A, const BlockPlace &B) {
                     return A.Stream < B.Stream;
                   });
  for (size_t I = 0; I < Blocks.size();) {
    TraceStream Of{Blocks[I].Stream, 0, 0};
    Cursor C;
    C.Block = I;
    C.Key = Blocks[I].FirstTime;
    for (; I < Blocks.size() && Blocks[I].Stream == Of.Stream; ++I) {
      Of.Events += headAt(Blocks[I].Offset).Events;
      Of.Lost += Blocks[I].LostBefore;
    }
    C.BlocksEnd = I;
    // Nothing is decoded before its time: streams that are done, or have not
    // begun, take no memory.
    Heap.push_back({C.Key, static_cast<uint32_t>(Cursors.size())});
    Cursors.push_back(std::move(C));
    Streams.push_back(Of);
  }
  if (Streams.size() > MaxTraceStreams)
    return Failure{"trace is damaged: too many streams"};
  std::make_heap(Heap.begin(), Heap.end(), std::greater<>());
  return std::nullopt;
}

bool TraceReader::State::broken(const Cursor &C, const char *What) {
  Damage = damagedAt(Blocks[C.Block - 1].Offset, What);
  return false;
}

/// False at the end of the stream, and at damage.
bool TraceReader::State::enterBlock(Cursor &C) {
  for (; C.Block != C.BlocksEnd; C.Lost += Blocks[C.Block - 1].LostBefore) {
    const BlockPlace &B = Blocks[C.Block++];
    TraceBlockHead Head = headAt(B.Offset);
    if (!C.In)
      C.In = std::make_unique<TraceBlockDecoder>();
    const char *Wrong =
        C.In->open(Head, Bytes.substr(B.Offset + sizeof(Head), Head.Bytes));
    if (Wrong)
      return broken(C, Wrong);
    if (!Head.Events)
      continue;
    if (Progress)
      Progress(Begun, Events);
    Begun += Head.Events;
    C.Next.Stream = B.Stream;
    C.Next.LostBefore = B.LostBefore + C.Lost;
    C.Lost = 0;
    return true;
  }
  C.In.reset();
  return false;
}

/// Decodes the event that comes next in a stream. False at the end of the
/// stream, and at damage.
bool TraceReader::State::advance(Cursor &C) {
  C.Next.LostBefore = 0;
  bool First = !C.In || C.In->done();
  if (First && !enterBlock(C))
    return false;
  if (const char *Wrong = C.In->next(C.Next))
    return broken(C, Wrong);
  uint32_t &Site = C.Next.Site;
  if (Site != NoTraceSite && !Tables.SiteOf.empty())
    Site = Site < Tables.SiteOf.size() ? Tables.SiteOf[Site] : NoTraceSite - 1;
  if (Site != NoTraceSite && Site >= Tables.About.Sites.size())
    return broken(C, "an event of no site");
  if (Site == NoTraceSite && C.Next.Kind == EventKind::Access)
    return broken(C, "an access of no site");
  C.Key = std::max(C.Key, C.Next.Time);
  if (First && C.Key != Blocks[C.Block - 1].FirstTime)
    return broken(C, "it does not begin at the time that its head says");
  return true;
}

TraceReader::TraceReader(std::unique_ptr<State> S) : S(std::move(S)) {}
TraceReader::TraceReader(TraceReader &&) = default;
TraceReader &TraceReader::operator=(TraceReader &&) = default;
TraceReader::~TraceReader() = default;

Result<TraceReader> TraceReader::open(std::string_view Bytes) {
  if (!looksLikeTrace(Bytes))
    return Failure{"not a trace (.kstt)"};
  if (Bytes.size() < sizeof(TraceHeader))
    return Failure{"trace is cut short before its tables end"};
  TraceHeader Head;
  memcpy(&Head, Bytes.data(), sizeof(Head));
  if (Head.Version < OldestTraceVersion)
    return Failure{"trace of version " + std::to_string(Head.Version) +
                   "; this program reads versions " +
                   std::to_string(OldestTraceVersion) + " to " +
                   std::to_string(TraceFormatVersion) +
                   ": make it again with `kstatic-affinity trace import`"};
  if (Head.Version > TraceFormatVersion)
    return Failure{"trace of version " + std::to_string(Head.Version) +
                   "; this program reads versions up to " +
                   std::to_string(TraceFormatVersion) +
                   ": a newer kstatic-affinity wrote it"};
  if (Head.Zero)
    return Failure{"trace is damaged: its header is wrong"};
  auto S = std::make_unique<State>();
  S->Bytes = Bytes;
  if (auto Wrong = S->scan())
    return *Wrong;
  if (auto Wrong = S->start())
    return *Wrong;
  return TraceReader(std::move(S));
}

const TraceTables &TraceReader::tables() const { return S->Tables; }
const Profile &TraceReader::about() const { return S->Tables.About; }
uint64_t TraceReader::events() const { return S->Events; }
uint64_t TraceReader::lost() const { return S->Lost; }
const std::vector<TraceStream> &TraceReader::streams() const {
  return S->Streams;
}
bool TraceReader::complete() const {
  return S->Complete && !about().Text.contains(IncompleteRun);
}
const std::optional<Failure> &TraceReader::failure() const { return S->Damage; }
void TraceReader::watch(Watcher Progress) { S->Progress = std::move(Progress); }

bool TraceReader::next(TraceEvent &E) {
  while (!S->Heap.empty() && !S->Damage) {
    Cursor &C = S->Cursors[S->Heap.front().second];
    bool Begun = C.In != nullptr;
    if (Begun)
      E = C.Next;
    bool More = S->advance(C);
    if (S->Damage)
      return false;
    // Mostly the same stream comes next.
    if (More && C.Key == S->Heap.front().first) {
      if (Begun)
        return true;
      continue;
    }
    std::pop_heap(S->Heap.begin(), S->Heap.end(), std::greater<>());
    if (More) {
      S->Heap.back().first = C.Key;
      std::push_heap(S->Heap.begin(), S->Heap.end(), std::greater<>());
    } else {
      S->Heap.pop_back();
    }
    if (Begun)
      return true;
  }
  return false;
}

} // namespace kst
