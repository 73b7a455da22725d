// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/TableBlock.h"

#include "hybrid/core/TableBytes.h"
#include "hybrid/profile/ProfileFile.h"
#include "hybrid/trace/TraceBlock.h"

#include <algorithm>

namespace kst {
namespace {

/// An allocator without its name.
struct AllocatorRow {
  uint32_t Struct, ObjectBytes;
};
/// Tables take so many times the space of their compressed form at most: more
/// is no table of ours.
constexpr uint64_t MostExpansion = 1000, SmallTables = 1 << 20;

} // namespace

const char *checkTables(const TraceTables &T) {
  const size_t Structs = T.About.Structs.size(), Sites = T.About.Sites.size();
  auto Known = [&](uint32_t Struct) {
    return Struct == NoStruct || Struct < Structs;
  };
  if (T.Sources.size() > Structs || T.Allocates.size() > Sites ||
      !std::all_of(T.Sources.begin(), T.Sources.end(), [](TypeSource S) {
        return static_cast<uint32_t>(S) < TypeSources;
      }))
    return "a table is longer than what it is about";
  if (!std::all_of(T.SiteOf.begin(), T.SiteOf.end(),
                   [&](uint32_t Site) { return Site < Sites; }))
    return "a site is wrong";
  if (!std::all_of(T.Allocates.begin(), T.Allocates.end(), Known))
    return "a site allocates no struct that is known";
  for (const TraceAllocator &A : T.Allocators)
    if (!Known(A.Struct))
      return "an allocator is wrong";
  for (size_t I = 0; I < T.Objects.size(); ++I) {
    const TraceObject &O = T.Objects[I];
    if (O.Struct >= Structs || !O.SizeBytes || !O.Number)
      return "an object is wrong";
    if (I && T.Objects[I - 1].Address > O.Address)
      return "objects are not sorted";
  }
  return nullptr;
}

std::string tableBlock(const TraceTables &T) {
  TableWriter Out(0);
  const std::string About = writeProfile(T.About);
  Out.rows(About.data(), About.size());
  Out.table(T.Sources);
  Out.table(T.SiteOf);
  Out.table(T.Allocates);
  Out.table(T.Objects);
  std::vector<AllocatorRow> Rows;
  std::vector<std::string> Names;
  for (const TraceAllocator &A : T.Allocators) {
    Rows.push_back({A.Struct, A.ObjectBytes});
    Names.push_back(A.Name);
  }
  Out.table(Rows);
  Out.texts(Names);
  TraceBlockHead Head;
  Head.Kind = TraceBlockKind::Tables;
  return traceBlock(Head, Out.Out);
}

Result<TraceTables> readTableBlock(const TraceBlockHead &Head,
                                   std::string_view Bytes) {
  if (Head.RawBytes > SmallTables + MostExpansion * Head.Bytes)
    return Failure{"its tables are too large"};
  std::unique_ptr<char[]> Raw(new char[Head.RawBytes]);
  if (!readTraceBlock(Head, Bytes, Raw.get()))
    return Failure{"wrong checksum of its tables"};
  TableReader In({Raw.get(), Head.RawBytes}, 0);
  const char *About;
  uint32_t AboutBytes;
  if (!In.rows(About, AboutBytes))
    return Failure{"a table does not fit"};
  auto Read = readProfile({About, AboutBytes});
  if (!Read)
    return Failure{Read.error()};
  TraceTables T;
  T.About = std::move(*Read);
  std::vector<AllocatorRow> Rows;
  std::vector<std::string> Names;
  if (!In.table(T.Sources) || !In.table(T.SiteOf) || !In.table(T.Allocates) ||
      !In.table(T.Objects) || !In.table(Rows) || !In.texts(Names) ||
      !In.atEnd() || Rows.size() != Names.size())
    return Failure{"a table does not fit"};
  for (size_t I = 0; I < Rows.size(); ++I)
    T.Allocators.push_back(
        {std::move(Names[I]), Rows[I].Struct, Rows[I].ObjectBytes});
  if (const char *Wrong = checkTables(T))
    return Failure{Wrong};
  return T;
}

} // namespace kst
