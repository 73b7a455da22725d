// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/TraceBlock.h"

#include "hybrid/core/Hash.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <zstd.h>

namespace kst {

/// Fast enough for a recorder; higher levels gain little on differences.
static constexpr int CompressionLevel = 1;
enum : unsigned { Heads, Times, Sites, Addresses, More };
enum : uint8_t { IsAccess = 0x80, IsElement = 0x40, SizeElsewhere = 31 };
/// Most bytes that one event can have in all columns: LEB128 of 64 bits is 10.
static constexpr uint32_t MostEventBytes = 1 + 7 * 10;

static uint32_t headCheck(const TraceBlockHead &Head) {
  return static_cast<uint32_t>(hash64({reinterpret_cast<const char *>(&Head),
                                       offsetof(TraceBlockHead, HeadCheck)}));
}

bool soundHead(const TraceBlockHead &Head) {
  if (Head.HeadCheck != headCheck(Head) || Head.Events > EventsPerTraceBlock)
    return false;
  return Head.Kind == TraceBlockKind::Tables ||
         Head.Kind == TraceBlockKind::End ||
         (Head.Kind == TraceBlockKind::Events &&
          Head.RawBytes <=
              TraceColumns * 4 + uint64_t(Head.Events) * MostEventBytes);
}

std::string traceBlock(TraceBlockHead Head, std::string_view Raw) {
  std::string Out(sizeof(Head) + ZSTD_compressBound(Raw.size()), '\0');
  size_t Size = ZSTD_compress(&Out[sizeof(Head)], Out.size() - sizeof(Head),
                              Raw.data(), Raw.size(), CompressionLevel);
  Out.resize(sizeof(Head) + Size);
  Head.Bytes = static_cast<uint32_t>(Size);
  Head.RawBytes = static_cast<uint32_t>(Raw.size());
  Head.Checksum = hash64(std::string_view(Out).substr(sizeof(Head)));
  Head.HeadCheck = headCheck(Head);
  memcpy(&Out[0], &Head, sizeof(Head));
  return Out;
}

bool readTraceBlock(const TraceBlockHead &Head, std::string_view Bytes,
                    char *Raw) {
  return hash64(Bytes) == Head.Checksum &&
         ZSTD_decompress(Raw, Head.RawBytes, Bytes.data(), Bytes.size()) ==
             Head.RawBytes;
}

static void putNumber(std::string &To, uint64_t Code) {
  char Bytes[10];
  size_t Size = 0;
  for (; Code >= 0x80; Code >>= 7)
    Bytes[Size++] = static_cast<char>(Code | 0x80);
  Bytes[Size++] = static_cast<char>(Code);
  To.append(Bytes, Size);
}

static void putDifference(std::string &To, uint64_t Difference) {
  putNumber(To, Difference << 1 ^ (0 - (Difference >> 63)));
}

void TraceBlockEncoder::add(const TraceEvent &E) {
  Latest = std::max(Latest, E.Time);
  if (!Head.Events) {
    Head.FirstTime = Latest;
    Head.LostBefore = E.LostBefore + LostAtEnd;
    LostAtEnd = 0;
  }
  ++Head.Events;
  if (E.Kind == EventKind::Access && E.Index) {
    Columns[Heads] += static_cast<char>(IsElement | E.Access);
    putNumber(Columns[More], E.SizeBytes);
    putNumber(Columns[More], E.Index);
  } else if (E.Kind == EventKind::Access) {
    uint8_t Size = std::min<uint32_t>(E.SizeBytes, SizeElsewhere);
    Columns[Heads] += static_cast<char>(IsAccess | E.Access << 5 | Size);
    if (Size == SizeElsewhere)
      putNumber(Columns[More], E.SizeBytes);
  } else {
    Columns[Heads] += static_cast<char>(E.Kind);
    for (uint64_t Number :
         {uint64_t(E.SizeBytes), uint64_t(E.Info), E.Value, E.Index})
      putNumber(Columns[More], Number);
  }
  putDifference(Columns[Times], E.Time - From.Time);
  putDifference(Columns[Sites], uint64_t(E.Site) - From.Site);
  uint64_t &Address = From.Address[E.Site % TraceAddressBases];
  putDifference(Columns[Addresses], E.Address - Address);
  From.Time = E.Time;
  From.Site = E.Site;
  Address = E.Address;
}

std::string TraceBlockEncoder::finish() {
  if (!Head.Events) {
    Head.FirstTime = Latest;
    Head.LostBefore = LostAtEnd;
    LostAtEnd = 0;
  }
  std::string Raw;
  for (const std::string &Column : Columns) {
    uint32_t Length = static_cast<uint32_t>(Column.size());
    Raw.append(reinterpret_cast<const char *>(&Length), 4);
  }
  for (std::string &Column : Columns) {
    Raw += Column;
    Column.clear();
  }
  std::string Block = traceBlock(Head, Raw);
  TraceBlockHead Next;
  Next.Stream = Head.Stream;
  Head = Next;
  From = TraceBase();
  return Block;
}

bool TraceBlockDecoder::Column::number(uint64_t &Out) {
  if (At != End && *At < 0x80) {
    Out = *At++;
    return true;
  }
  uint64_t Code = 0;
  for (unsigned Shift = 0; At < End && Shift < 64; Shift += 7) {
    unsigned char Byte = *At++;
    Code |= uint64_t(Byte & 0x7f) << Shift;
    if (Byte < 0x80) {
      Out = Code;
      return true;
    }
  }
  return false;
}

bool TraceBlockDecoder::Column::difference(uint64_t &Out) {
  uint64_t Code;
  if (!number(Code))
    return false;
  Out = Code >> 1 ^ (0 - (Code & 1));
  return true;
}

const char *TraceBlockDecoder::open(const TraceBlockHead &Head,
                                    std::string_view Bytes) {
  if (RawSize < Head.RawBytes) {
    Raw.reset(new char[Head.RawBytes]);
    RawSize = Head.RawBytes;
  }
  if (!readTraceBlock(Head, Bytes, Raw.get()))
    return "wrong checksum or bad compression";
  uint32_t Lengths[TraceColumns];
  if (Head.RawBytes < sizeof(Lengths))
    return "no columns";
  memcpy(Lengths, Raw.get(), sizeof(Lengths));
  size_t At = sizeof(Lengths);
  for (unsigned I = 0; I < TraceColumns; ++I) {
    if (Lengths[I] > Head.RawBytes - At)
      return "a column is cut short";
    Columns[I].At = reinterpret_cast<unsigned char *>(Raw.get()) + At;
    Columns[I].End = Columns[I].At + Lengths[I];
    At += Lengths[I];
  }
  if (At != Head.RawBytes)
    return "bytes behind its columns";
  Left = Head.Events;
  From = TraceBase();
  return nullptr;
}

const char *TraceBlockDecoder::next(TraceEvent &E) {
  static constexpr const char *Short = "an event is cut short";
  if (Columns[Heads].At == Columns[Heads].End)
    return Short;
  uint8_t Head = *Columns[Heads].At++;
  uint64_t Time, Site, Address;
  if (!Columns[Times].difference(Time) || !Columns[Sites].difference(Site) ||
      !Columns[Addresses].difference(Address))
    return Short;
  Site += From.Site;
  if (Site > NoTraceSite)
    return "an event of no site";
  E.Time = From.Time += Time;
  E.Site = From.Site = static_cast<uint32_t>(Site);
  E.Address = From.Address[Site % TraceAddressBases] += Address;
  uint64_t Size = Head & 31, Info = 0;
  E.Value = E.Index = 0;
  if (Head & IsAccess) {
    E.Kind = EventKind::Access;
    E.Access = Head >> 5 & 3;
    if (Size == SizeElsewhere && !Columns[More].number(Size))
      return Short;
  } else if (Head & IsElement) {
    E.Kind = EventKind::Access;
    E.Access = Head & 3;
    if (Head & ~(IsElement | 3))
      return "an event of unknown kind";
    if (!Columns[More].number(Size) || !Columns[More].number(E.Index))
      return Short;
  } else {
    E.Kind = static_cast<EventKind>(Head);
    E.Access = 0;
    if (!Head || Head >= EventKinds)
      return "an event of unknown kind";
    if (!Columns[More].number(Size) || !Columns[More].number(Info) ||
        !Columns[More].number(E.Value) || !Columns[More].number(E.Index))
      return Short;
  }
  if (Size > ~0u || Info > ~0u)
    return "a number does not fit 32 bits";
  E.SizeBytes = static_cast<uint32_t>(Size);
  E.Info = static_cast<uint32_t>(Info);
  if (!--Left)
    for (const Column &C : Columns)
      if (C.At != C.End)
        return "bytes behind its events";
  return nullptr;
}

} // namespace kst
