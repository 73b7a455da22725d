// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/TraceWriter.h"

#include "hybrid/trace/TableBlock.h"
#include "hybrid/trace/TraceBlock.h"

#include <cstring>
#include <map>

namespace kst {

struct TraceWriter::State {
  Sink To;
  bool Good = true;
  uint64_t Events = 0;
  std::map<uint32_t, TraceBlockEncoder> Streams;

  void put(std::string_view Out) { Good = Good && To(Out); }
  TraceBlockEncoder &of(uint32_t Stream) {
    return Streams.try_emplace(Stream, Stream).first->second;
  }
};

TraceWriter::TraceWriter(const TraceTables &Tables, Sink To)
    : S(std::make_unique<State>()) {
  S->To = std::move(To);
  TraceHeader Head = {{}, TraceFormatVersion, 0};
  memcpy(Head.Magic, TraceMagic, 8);
  S->put({reinterpret_cast<const char *>(&Head), sizeof(Head)});
  S->put(tableBlock(Tables));
}
TraceWriter::~TraceWriter() = default;

void TraceWriter::event(const TraceEvent &E) {
  TraceBlockEncoder &Of = S->of(E.Stream);
  if (Of.full(E))
    S->put(Of.finish());
  Of.add(E);
  ++S->Events;
}

void TraceWriter::lost(uint32_t Stream, uint64_t Events) {
  TraceBlockEncoder &Of = S->of(Stream);
  if (Of.events())
    S->put(Of.finish());
  Of.lost(Events);
}

void TraceWriter::block(std::string_view Block, uint32_t Events) {
  S->put(Block);
  S->Events += Events;
}

bool TraceWriter::finish() {
  for (auto &[Stream, Of] : S->Streams)
    if (!Of.empty())
      S->put(Of.finish());
  TraceBlockHead End;
  End.Kind = TraceBlockKind::End;
  End.FirstTime = S->Events;
  S->put(traceBlock(End, ""));
  return S->Good;
}

} // namespace kst
