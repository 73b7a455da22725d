// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/TracingData.h"

namespace kst {

bool takeTracingHead(std::string_view Bytes, TracingHead &Head,
                     ForeignBytes &In) {
  ForeignBytes Start(Bytes, false);
  if (Start.take(TracingMagic.size()) != TracingMagic)
    return false;
  Head.Version = Start.takeText();
  Head.Big = Start.take<uint8_t>();
  In = ForeignBytes(Bytes, Head.Big);
  In.take(Start.position());
  In.take(1); // bytes of a long in user space
  Head.PageBytes = In.take<uint32_t>();
  return In.good() && Start.good();
}

/// The size in "field: local_t commit; offset:8; size:8;".
static uint32_t commitBytes(std::string_view HeaderPage) {
  size_t Line = HeaderPage.find("commit;");
  size_t At = Line == HeaderPage.npos ? Line : HeaderPage.find("size:", Line);
  return At != HeaderPage.npos && HeaderPage.substr(At + 5, 1) == "4" ? 4 : 8;
}

bool takeHeaderInfo(ForeignBytes &In, TracingHead &Head) {
  if (In.takeText() != "header_page")
    return false;
  Head.LongBytes = commitBytes(In.take(In.take<uint64_t>()));
  if (In.takeText() != "header_event")
    return false;
  In.take(In.take<uint64_t>());
  return In.good();
}

bool skipFtraceFormats(ForeignBytes &In) {
  for (uint32_t Left = In.take<uint32_t>(); Left && In.good(); --Left)
    In.take(In.take<uint64_t>());
  return In.good();
}

bool takeEventFormats(ForeignBytes &In, Tracepoints &Formats) {
  for (uint32_t Systems = In.take<uint32_t>(); Systems && In.good();
       --Systems) {
    std::string_view System = In.takeText();
    for (uint32_t Left = In.take<uint32_t>(); Left && In.good(); --Left) {
      std::string_view Format = In.take(In.take<uint64_t>());
      if (In.good())
        Formats.add(System, Format);
    }
  }
  return In.good();
}

std::string readTracingData(std::string_view Bytes, Tracepoints &Formats,
                            uint32_t &PageBytes) {
  TracingHead Head;
  ForeignBytes In;
  if (!takeTracingHead(Bytes, Head, In) || !takeHeaderInfo(In, Head))
    return "the formats of its events do not begin as they should";
  PageBytes = Head.PageBytes;
  Formats.setOrder(Head.Big);
  if (!skipFtraceFormats(In) || !takeEventFormats(In, Formats))
    return "the formats of its events are cut short";
  return "";
}

} // namespace kst
