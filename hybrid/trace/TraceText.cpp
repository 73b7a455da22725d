// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/TraceText.h"

#include <charconv>

namespace kst {
namespace {

constexpr uint64_t PageBytes = 4096;
constexpr const char *KindNames[EventKinds] = {
    "access",     "alloc",     "free",       "slab",
    "page-alloc", "page-free", "cache-add",  "cache-remove",
    "context",    "pointer",   "page-state", "page-drain"};
constexpr const char *ContextNames[ContextKinds] = {"task", "softirq",
                                                    "hardirq", "nmi", "call"};
constexpr const char *StateNames[PageStateKinds] = {
    "zone", "marks", "cpu-lists", "block", "free", "cpu-page", "cpu-counts"};

const char *accessText(const TraceEvent &E, SiteKind Kind) {
  switch (Kind) {
  case SiteKind::BulkRead:
    return "bulk-r";
  case SiteKind::BulkWrite:
    return "bulk-w";
  case SiteKind::Address:
    return "address";
  case SiteKind::Entry:
  case SiteKind::Line:
    return "entry";
  default:
    static constexpr const char *Names[] = {"-", "r", "w", "rw"};
    return Names[E.Access];
  }
}

void put(std::string &To, uint64_t Number, int Radix = 10) {
  char Digits[24];
  auto End = std::to_chars(Digits, Digits + sizeof(Digits), Number, Radix);
  To.append(Digits, End.ptr);
}

void putPair(std::string &To, const char *Name, uint64_t Number) {
  To += Name;
  put(To, Number);
}

/// What only this kind of event has, as name=number.
void putDetails(std::string &To, const TraceEvent &E,
                const TraceTables &Tables) {
  switch (E.Kind) {
  case EventKind::Alloc:
  case EventKind::Free:
  case EventKind::Slab:
    To += " of=";
    To += E.Info < Tables.Allocators.size() ? Tables.Allocators[E.Info].Name
                                            : std::string("-");
    if (E.Kind != EventKind::Free)
      putPair(To, E.Kind == EventKind::Slab ? " stride=" : " asked=", E.Value);
    return;
  case EventKind::PageAlloc:
  case EventKind::PageFree:
  case EventKind::PageDrain:
    putPair(To, " pfn=", E.Value);
    putPair(To, " order=", E.Info & 0xff);
    if (E.Kind != EventKind::PageFree)
      putPair(To, " migratetype=", E.Info >> 8);
    return;
  case EventKind::CacheAdd:
  case EventKind::CacheRemove:
    putPair(To, " device=", E.Info);
    putPair(To, " inode=", E.Value);
    putPair(To, " index=", E.Index);
    return;
  case EventKind::Context:
    To += ' ';
    To += E.Info < ContextKinds ? ContextNames[E.Info] : "?";
    putPair(To, "=", E.Value);
    To += E.Index ? " in" : " out";
    if (E.Address && E.Info == uint32_t(ContextKind::SystemCall)) {
      To += " inode=0x";
      put(To, E.Address, 16);
    }
    return;
  case EventKind::PageState:
    To += ' ';
    To += (E.Info & 0xff) < PageStateKinds ? StateNames[E.Info & 0xff] : "?";
    putPair(To, " zone=", E.Info >> 8);
    putPair(To, " value=", E.Value);
    putPair(To, " index=", E.Index);
    return;
  case EventKind::PointerStore:
    if (E.Info)
      putPair(To, " page-struct+", E.Address % PageBytes);
    To += " value=0x";
    put(To, E.Value, 16);
    if (E.Index) {
      To += " page=0x";
      put(To, E.Index, 16);
    }
    return;
  case EventKind::Access:
    return;
  }
}

} // namespace

std::string TraceText::head() const {
  const Profile &P = Trace.about();
  std::string Out;
  for (const auto &[Key, Value] : P.Text)
    Out += "# " + Key + "=" + Value + "\n";
  Out += "# " + std::to_string(Trace.events()) + " events in " +
         std::to_string(Trace.streams().size()) + " streams, " +
         std::to_string(Trace.lost()) + " lost\n";
  return Out + "# time stream address place size access function file:line\n";
}

bool TraceText::wanted(const TracePlace &Place) const {
  const Profile &P = Trace.about();
  return Struct.empty() || (Place.Struct != NoStruct &&
                            P.text(P.Structs[Place.Struct].Name) == Struct);
}

void TraceText::putPlace(const TracePlace &Place, std::string &Out) const {
  const Profile &P = Trace.about();
  if (Place.What == TracePlace::FreeSlot)
    Out += "free:";
  if (Place.Struct != NoStruct)
    Out += P.text(P.Structs[Place.Struct].Name);
  else if (Place.Allocator < Trace.tables().Allocators.size())
    Out += Trace.tables().Allocators[Place.Allocator].Name;
  else if (Place.What == TracePlace::Page)
    Out += "page";
  else if (Place.What == TracePlace::CachedPage)
    Out += "cached-page";
  else {
    Out += '-';
    return;
  }
  putPair(Out, "+", Place.OffsetBytes);
  if (Place.Number)
    putPair(Out, "#", Place.Number);
}

bool TraceText::line(const TraceEvent &E, std::string &Out) {
  const Profile &P = Trace.about();
  if (E.LostBefore) {
    putPair(Out, "# lost ", E.LostBefore);
    putPair(Out, " events of stream ", E.Stream);
    putPair(Out, " before ", E.Time);
    Out += '\n';
  }
  // Of the object that lives before a free and behind an allocation.
  bool Ends = E.Kind == EventKind::Free || E.Kind == EventKind::PageFree;
  TracePlace Place;
  if (Ends)
    Place = Objects.place(E);
  Objects.apply(E);
  if (!Ends)
    Place = E.Kind == EventKind::Access ? Objects.place(E)
                                        : Objects.place(E.Address);
  if (!wanted(Place))
    return false;
  put(Out, E.Time);
  putPair(Out, " ", E.Stream);
  Out += " 0x";
  put(Out, E.Address, 16);
  Out += ' ';
  putPlace(Place, Out);
  putPair(Out, " ", E.SizeBytes);
  Out += ' ';
  bool Sited = E.Site < P.Sites.size();
  Out += E.Kind == EventKind::Access
             ? accessText(E, Sited ? P.Sites[E.Site].Kind : SiteKind::Read)
             : KindNames[static_cast<uint8_t>(E.Kind)];
  Out += ' ';
  if (Sited) {
    const std::string &Function = P.text(P.Sites[E.Site].Function);
    Out += Function.empty() ? "-" : Function;
    Out += ' ';
    const std::string &File = P.text(P.Sites[E.Site].File);
    Out += File.empty() ? "-" : File;
    if (!File.empty())
      putPair(Out, ":", P.Sites[E.Site].Line);
  } else {
    Out += "- -";
  }
  putDetails(Out, E, Trace.tables());
  Out += '\n';
  return true;
}

std::string TraceText::foot() const {
  std::string Out;
  if (Trace.lost())
    Out += "# " + std::to_string(Trace.lost()) + " events were lost\n";
  if (!Trace.complete())
    Out += "# the end is missing: the recorder was killed, or the file was "
           "cut short\n";
  return Out;
}

} // namespace kst
