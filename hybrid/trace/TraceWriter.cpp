// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/TraceWriter.h"

#include "hybrid/core/Hash.h"
#include "hybrid/core/TableBytes.h"
#include "hybrid/profile/ProfileFile.h"

#include <algorithm>
#include <map>

namespace kst {

static uint64_t zigzag(uint64_t Difference) {
  return Difference << 1 ^ (0 - (Difference >> 63));
}

static void putNumber(std::string &To, uint64_t Difference) {
  uint64_t Code = zigzag(Difference);
  for (; Code >= 0x80; Code >>= 7)
    To += static_cast<char>(Code | 0x80);
  To += static_cast<char>(Code);
}

struct TraceWriter::State {
  Sink To;
  bool Good = true;
  uint64_t At = 0;
  std::vector<TraceBlock> Blocks;
  std::map<uint32_t, uint64_t> Latest; ///< stream: its latest time so far
  // The block at hand.
  TraceBlock Block;
  std::string Bytes;
  TraceBase From;

  void put(std::string_view Out) {
    Good = Good && To(Out);
    At += Out.size();
  }
  void flush() {
    if (!Block.Events)
      return;
    Block.Offset = At;
    Block.Bytes = static_cast<uint32_t>(Bytes.size());
    Block.Checksum = hash64(Bytes);
    put(Bytes);
    Blocks.push_back(Block);
    Block = TraceBlock();
    Bytes.clear();
    From = TraceBase();
  }
};

TraceWriter::TraceWriter(Sink To) : S(std::make_unique<State>()) {
  S->To = std::move(To);
  TraceHeader Head = {{}, TraceFormatVersion, 0};
  memcpy(Head.Magic, TraceMagic, 8);
  S->put({reinterpret_cast<const char *>(&Head), sizeof(Head)});
}
TraceWriter::~TraceWriter() = default;

void TraceWriter::event(const TraceEvent &E) {
  if (E.Stream != S->Block.Stream || E.LostBefore ||
      S->Block.Events == EventsPerTraceBlock)
    S->flush();
  uint64_t &Latest = S->Latest[E.Stream];
  Latest = std::max(Latest, E.Time);
  if (!S->Block.Events) {
    S->Block.Stream = E.Stream;
    S->Block.LostBefore = E.LostBefore;
    S->Block.FirstTime = Latest;
  }
  ++S->Block.Events;
  TraceBase &From = S->From;
  putNumber(S->Bytes, E.Time - From.Time);
  putNumber(S->Bytes, uint64_t(E.Site) - From.Site);
  uint64_t &Address = From.Address[E.Site % TraceBase::Addresses];
  putNumber(S->Bytes, E.Address - Address);
  From.Time = E.Time;
  From.Site = E.Site;
  Address = E.Address;
}

bool TraceWriter::finish(const Profile &About,
                         const std::vector<TraceObject> &Objects) {
  S->flush();
  S->put(std::string(tablePadded(S->At) - S->At, '\0'));
  TableWriter Tail(0);
  Tail.Out = writeProfile(About);
  TraceFooter End = {S->At, Tail.Out.size(), 0, {}};
  memcpy(End.Magic, TraceEndMagic, 8);
  Tail.table(Objects);
  Tail.table(S->Blocks);
  Tail.Out.append(reinterpret_cast<const char *>(&End), 16);
  End.Checksum = hash64(Tail.Out);
  Tail.Out.append(reinterpret_cast<const char *>(&End) + 16, 16);
  S->put(Tail.Out);
  return S->Good;
}

} // namespace kst
