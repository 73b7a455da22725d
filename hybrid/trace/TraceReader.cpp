// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/TraceReader.h"

#include "hybrid/core/Hash.h"
#include "hybrid/core/TableBytes.h"
#include "hybrid/profile/ProfileFile.h"

#include <algorithm>

namespace kst {

constexpr uint32_t LeastEventBytes = 3;

struct TraceReader::State {
  /// One stream on its way through its blocks.
  struct Cursor {
    const unsigned char *At = nullptr, *End = nullptr; ///< of the block
    uint32_t Left = 0;                                 ///< events in the block
    size_t Block = 0; ///< next place in BlocksOf
    size_t BlocksEnd = 0;
    uint64_t Key = 0; ///< time in the merged order
    TraceEvent Next;
    std::unique_ptr<TraceBase> From; ///< while it is under way
  };

  std::string_view Bytes;
  Profile About;
  std::vector<TraceObject> Objects;
  std::vector<TraceBlock> Blocks;
  std::vector<uint32_t> BlocksOf; ///< by stream, in order of the file
  std::vector<Cursor> Cursors;    ///< by stream
  /// (key, number of the cursor): the least is in front.
  std::vector<std::pair<uint64_t, uint32_t>> Heap;
  uint64_t Events = 0;
  std::optional<Failure> Damage;

  const char *readTables(size_t At);
  const char *checkBlocks(uint64_t End);
  const char *checkObjects() const;
  void start();
  bool advance(Cursor &C);
  bool enterBlock(Cursor &C);
  bool broken(const Cursor &C, const char *What);
};

const char *TraceReader::State::readTables(size_t At) {
  TableReader In(Bytes.substr(0, Bytes.size() - sizeof(TraceFooter)), At);
  if (!In.table(Objects) || !In.table(Blocks) || !In.atEnd())
    return "a table does not fit";
  return nullptr;
}

const char *TraceReader::State::checkObjects() const {
  for (size_t I = 0; I < Objects.size(); ++I) {
    const TraceObject &O = Objects[I];
    if (O.Struct >= About.Structs.size() || !O.SizeBytes || !O.Number)
      return "an object is wrong";
    if (I && Objects[I - 1].Address > O.Address)
      return "objects are not sorted";
  }
  return nullptr;
}

const char *TraceReader::State::checkBlocks(uint64_t End) {
  uint64_t At = sizeof(TraceHeader);
  for (const TraceBlock &B : Blocks) {
    if (B.Offset != At || B.Bytes > End - At || !B.Events || B.Zero ||
        B.Events > B.Bytes / LeastEventBytes || B.Events > EventsPerTraceBlock)
      return "a block is wrong";
    At += B.Bytes;
    Events += B.Events;
  }
  if (tablePadded(At) != End ||
      Bytes.substr(At, End - At).find_first_not_of('\0') != Bytes.npos)
    return "bytes belong to no block";
  return nullptr;
}

void TraceReader::State::start() {
  BlocksOf.resize(Blocks.size());
  for (uint32_t I = 0; I < Blocks.size(); ++I)
    BlocksOf[I] = I;
  std::stable_sort(BlocksOf.begin(), BlocksOf.end(),
                   [&](uint32_t A, uint32_t B) {
                     return Blocks[A].Stream < Blocks[B].Stream;
                   });
  for (size_t I = 0; I < BlocksOf.size();) {
    uint32_t Stream = Blocks[BlocksOf[I]].Stream;
    Cursor C;
    C.Block = I;
    while (I < BlocksOf.size() && Blocks[BlocksOf[I]].Stream == Stream)
      ++I;
    C.BlocksEnd = I;
    C.Key = Blocks[BlocksOf[C.Block]].FirstTime;
    Cursors.push_back(std::move(C));
  }
}

bool TraceReader::State::broken(const Cursor &C, const char *What) {
  const TraceBlock &B = Blocks[BlocksOf[C.Block - 1]];
  Damage = Failure{"trace is damaged in the block at byte " +
                   std::to_string(B.Offset) + ": " + What};
  return false;
}

bool TraceReader::State::enterBlock(Cursor &C) {
  const TraceBlock &B = Blocks[BlocksOf[C.Block++]];
  std::string_view Of = Bytes.substr(B.Offset, B.Bytes);
  if (hash64(Of) != B.Checksum)
    return broken(C, "wrong checksum");
  C.At = reinterpret_cast<const unsigned char *>(Of.data());
  C.End = C.At + Of.size();
  C.Left = B.Events;
  if (C.From)
    *C.From = TraceBase();
  else
    C.From = std::make_unique<TraceBase>();
  C.Next.Stream = B.Stream;
  C.Next.LostBefore = B.LostBefore;
  return true;
}

static uint64_t unzigzag(uint64_t Code) { return Code >> 1 ^ (0 - (Code & 1)); }

static inline bool takeNumber(const unsigned char *&At,
                              const unsigned char *End, uint64_t &Difference) {
  uint64_t Code = 0;
  for (unsigned Shift = 0; At < End && Shift < 64; Shift += 7) {
    unsigned char Byte = *At++;
    Code |= uint64_t(Byte & 0x7f) << Shift;
    if (Byte < 0x80) {
      Difference = unzigzag(Code);
      return true;
    }
  }
  return false;
}

/// Decodes the event that comes next in a stream. False at the end of the
/// stream, and at damage.
bool TraceReader::State::advance(Cursor &C) {
  C.Next.LostBefore = 0;
  bool First = !C.Left;
  if (First) {
    if (C.At != C.End)
      return broken(C, "bytes behind its events");
    if (C.Block == C.BlocksEnd) {
      C.From.reset();
      return false;
    }
    if (!enterBlock(C))
      return false;
  }
  TraceBase &From = *C.From;
  uint64_t Time, Site, Address;
  if (!takeNumber(C.At, C.End, Time) || !takeNumber(C.At, C.End, Site) ||
      !takeNumber(C.At, C.End, Address))
    return broken(C, "an event is cut short");
  --C.Left;
  C.Next.Time = From.Time += Time;
  Site += From.Site;
  if (Site >= About.Sites.size())
    return broken(C, "an event of no site");
  C.Next.Site = From.Site = static_cast<uint32_t>(Site);
  C.Next.Address = From.Address[Site % TraceBase::Addresses] += Address;
  C.Key = std::max(C.Key, C.Next.Time);
  if (First && C.Key != Blocks[BlocksOf[C.Block - 1]].FirstTime)
    return broken(C, "it does not begin at the time that the table says");
  return true;
}

TraceReader::TraceReader(std::unique_ptr<State> S) : S(std::move(S)) {}
TraceReader::TraceReader(TraceReader &&) = default;
TraceReader &TraceReader::operator=(TraceReader &&) = default;
TraceReader::~TraceReader() = default;

Result<TraceReader> TraceReader::open(std::string_view Bytes) {
  auto Damaged = [](const std::string &What) {
    return Failure{"trace is damaged: " + What};
  };
  if (!looksLikeTrace(Bytes))
    return Failure{"not a trace (.kstt)"};
  if (Bytes.size() < sizeof(TraceHeader) + sizeof(TraceFooter))
    return Failure{"trace is cut short"};
  TraceHeader Head;
  memcpy(&Head, Bytes.data(), sizeof(Head));
  if (Head.Version != TraceFormatVersion)
    return Failure{"trace of version " + std::to_string(Head.Version) +
                   "; this program reads version " +
                   std::to_string(TraceFormatVersion)};
  TraceFooter End;
  size_t FooterAt = Bytes.size() - sizeof(End);
  memcpy(&End, Bytes.data() + FooterAt, sizeof(End));
  if (memcmp(End.Magic, TraceEndMagic, 8) != 0)
    return Failure{"trace is cut short or has bytes behind its end"};
  if (Head.Zero || End.AboutOffset % TableAlign ||
      End.AboutBytes % TableAlign || End.AboutOffset < sizeof(TraceHeader) ||
      End.AboutOffset > FooterAt || End.AboutBytes > FooterAt - End.AboutOffset)
    return Damaged("its tables lie outside");
  if (hash64(Bytes.substr(End.AboutOffset, FooterAt + 16 - End.AboutOffset)) !=
      End.Checksum)
    return Damaged("wrong checksum of its tables");
  if (reinterpret_cast<uintptr_t>(Bytes.data()) % TableAlign)
    return Failure{"trace does not lie at a multiple of 8 in memory"};

  auto S = std::make_unique<State>();
  S->Bytes = Bytes;
  auto About = readProfile(Bytes.substr(End.AboutOffset, End.AboutBytes));
  if (!About)
    return About.within("trace is damaged");
  S->About = std::move(*About);
  if (const char *Wrong = S->readTables(End.AboutOffset + End.AboutBytes))
    return Damaged(Wrong);
  if (const char *Wrong = S->checkBlocks(End.AboutOffset))
    return Damaged(Wrong);
  if (const char *Wrong = S->checkObjects())
    return Damaged(Wrong);
  S->start();
  if (S->Cursors.size() > MaxTraceStreams)
    return Damaged("too many streams");
  for (State::Cursor &C : S->Cursors) {
    // Nothing is decoded before its time: streams that are done, or have not
    // begun, take no memory.
    S->Heap.push_back({C.Key, static_cast<uint32_t>(&C - S->Cursors.data())});
  }
  std::make_heap(S->Heap.begin(), S->Heap.end(), std::greater<>());
  return TraceReader(std::move(S));
}

const Profile &TraceReader::about() const { return S->About; }
const std::vector<TraceObject> &TraceReader::objects() const {
  return S->Objects;
}
uint64_t TraceReader::events() const { return S->Events; }
uint32_t TraceReader::streams() const {
  return static_cast<uint32_t>(S->Cursors.size());
}
const std::optional<Failure> &TraceReader::failure() const { return S->Damage; }

bool TraceReader::next(TraceEvent &E) {
  while (!S->Heap.empty() && !S->Damage) {
    State::Cursor &C = S->Cursors[S->Heap.front().second];
    bool Begun = C.From != nullptr;
    if (Begun)
      E = C.Next;
    bool More = S->advance(C);
    if (S->Damage)
      return false;
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

TracePlace TraceReader::place(const TraceEvent &E) const {
  const MeasuredSite &Site = S->About.Sites[E.Site];
  TracePlace Out;
  // The last object that begins at or before the address.
  uint64_t Address = E.Address;
  auto At = std::upper_bound(
      S->Objects.begin(), S->Objects.end(), Address,
      [](uint64_t A, const TraceObject &O) { return A < O.Address; });
  const TraceObject *Found = nullptr;
  if (At != S->Objects.begin()) {
    const TraceObject &O = *--At;
    if ((Address - O.Address) / O.SizeBytes < O.Number)
      Found = &O;
  }
  if (Site.Struct != NoStruct) {
    Out.Struct = Site.Struct;
    Out.OffsetBytes = Site.OffsetBytes;
    Out.Object = Address - Site.OffsetBytes;
    if (Found)
      Out.Cpu = Found->Cpu;
  } else if (Found) {
    Out.Struct = Found->Struct;
    Out.OffsetBytes =
        static_cast<uint32_t>((Address - Found->Address) % Found->SizeBytes);
    Out.Object = Address - Out.OffsetBytes;
    Out.Cpu = Found->Cpu;
  }
  return Out;
}

} // namespace kst
