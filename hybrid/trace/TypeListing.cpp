// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/TypeListing.h"

#include "hybrid/report/Numbers.h"
#include "hybrid/trace/ObjectTable.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kst {

const char *spelling(TypeSource Source) {
  static constexpr const char *Names[TypeSources] = {
      "compiler", "debug",    "cache-name", "caller",
      "cache",    "variable", "beginning"};
  return Names[static_cast<uint32_t>(Source)];
}

namespace {

struct Sum {
  uint64_t Bytes = 0, Objects = 0;
};
/// Struct, allocator, site.
using Made = std::tuple<uint32_t, uint32_t, uint32_t>;

std::string textOf(const TraceTables &T, const Made &What, const Sum &Of) {
  const auto [Struct, Allocator, Site] = What;
  const Profile &P = T.About;
  std::string Out =
      std::to_string(Of.Bytes) + " " + std::to_string(Of.Objects) + " ";
  if (Struct < P.Structs.size()) {
    const TypeSource How =
        Struct < T.Sources.size() ? T.Sources[Struct] : TypeSource::Compiler;
    Out += P.text(P.Structs[Struct].Name) + " " +
           std::to_string(P.Structs[Struct].SizeBytes) + " " + spelling(How);
  } else {
    Out += "- 0 -";
  }
  Out += " " + (Allocator < T.Allocators.size() ? T.Allocators[Allocator].Name
                                                : std::string("-"));
  if (Site >= P.Sites.size())
    return Out + " - -\n";
  const MeasuredSite &At = P.Sites[Site];
  return Out + " " + P.text(At.Function) + " " + P.text(At.File) + ":" +
         std::to_string(At.Line) + "\n";
}

} // namespace

std::string typeListing(TraceReader &Trace, const std::string &Struct) {
  const TraceTables &T = Trace.tables();
  ObjectTable Objects(T);
  std::map<Made, Sum> Rows;
  std::map<std::string, uint64_t> BytesBy;
  uint64_t All = 0;
  for (TraceEvent E; Trace.next(E);) {
    if (E.Kind != EventKind::Alloc)
      continue;
    Objects.apply(E);
    const TracePlace Place = Objects.place(E.Address);
    if (!Struct.empty() &&
        (Place.Struct == NoStruct ||
         T.About.text(T.About.Structs[Place.Struct].Name) != Struct))
      continue;
    Sum &Of = Rows[{Place.Struct, Place.Allocator, E.Site}];
    Of.Bytes += Place.SizeBytes;
    ++Of.Objects;
    All += Place.SizeBytes;
    BytesBy[Place.Struct == NoStruct ? "none"
            : Place.Struct < T.Sources.size()
                ? spelling(T.Sources[Place.Struct])
                : "compiler"] += Place.SizeBytes;
  }
  std::vector<std::pair<Made, Sum>> Sorted(Rows.begin(), Rows.end());
  std::stable_sort(Sorted.begin(), Sorted.end(), [](auto &A, auto &B) {
    return A.second.Bytes > B.second.Bytes;
  });
  std::string Out;
  for (const auto &[How, Bytes] : BytesBy)
    Out += "# " + How + ": " + std::to_string(Bytes) + " bytes allocated, " +
           percent(double(Bytes) / double(std::max<uint64_t>(All, 1))) + "\n";
  Out += "# bytes objects type size how allocator function file:line\n";
  for (const auto &[What, Of] : Sorted)
    Out += textOf(T, What, Of);
  return Out;
}

} // namespace kst
