// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/TraceText.h"

#include <charconv>

namespace kst {
namespace {

const char *accessText(SiteKind Kind) {
  switch (Kind) {
  case SiteKind::Read:
  case SiteKind::ByAddressRead:
    return "r";
  case SiteKind::Write:
  case SiteKind::ByAddressWrite:
    return "w";
  case SiteKind::ReadWrite:
  case SiteKind::ByAddressBoth:
    return "rw";
  case SiteKind::BulkRead:
    return "bulk-r";
  case SiteKind::BulkWrite:
    return "bulk-w";
  case SiteKind::Address:
    return "address";
  case SiteKind::Entry:
    return "entry";
  }
  return "?";
}

void put(std::string &To, uint64_t Number, int Radix = 10) {
  char Digits[24];
  auto End = std::to_chars(Digits, Digits + sizeof(Digits), Number, Radix);
  To.append(Digits, End.ptr);
}

} // namespace

std::string TraceText::head() const {
  const Profile &P = Trace.about();
  std::string Out;
  for (const auto &[Key, Value] : P.Text)
    Out += "# " + Key + "=" + Value + "\n";
  Out += "# " + std::to_string(Trace.events()) + " events in " +
         std::to_string(Trace.streams()) + " streams, " +
         std::to_string(P.Lost) + " lost\n";
  return Out + "# time stream address place size access function file:line\n";
}

bool TraceText::line(const TraceEvent &E, std::string &Out) const {
  const Profile &P = Trace.about();
  const MeasuredSite &Site = P.Sites[E.Site];
  if (E.LostBefore) {
    Out += "# lost ";
    put(Out, E.LostBefore);
    Out += " events of stream ";
    put(Out, E.Stream);
    Out += " before ";
    put(Out, E.Time);
    Out += '\n';
  }
  TracePlace Place = Trace.place(E);
  bool Known = Place.Struct != NoStruct;
  if (!Struct.empty() &&
      (!Known || P.text(P.Structs[Place.Struct].Name) != Struct))
    return false;
  put(Out, E.Time);
  Out += ' ';
  put(Out, E.Stream);
  Out += " 0x";
  put(Out, E.Address, 16);
  Out += ' ';
  if (Known) {
    Out += P.text(P.Structs[Place.Struct].Name);
    Out += '+';
    put(Out, Place.OffsetBytes);
  } else {
    Out += '-';
  }
  Out += ' ';
  put(Out, Site.SizeBytes);
  Out += ' ';
  Out += accessText(Site.Kind);
  Out += ' ';
  Out += P.text(Site.Function);
  Out += ' ';
  Out += P.text(Site.File);
  Out += ':';
  put(Out, Site.Line);
  Out += '\n';
  return true;
}

std::string TraceText::foot() const {
  uint64_t Lost = Trace.about().Lost;
  return Lost ? "# " + std::to_string(Lost) + " events were lost\n" : "";
}

} // namespace kst
