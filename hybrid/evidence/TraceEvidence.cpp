// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/TraceEvidence.h"

#include "hybrid/evidence/FieldPlaces.h"
#include "hybrid/evidence/Posterior.h"
#include "hybrid/profile/ProfileFit.h"
#include "hybrid/trace/ObjectOwners.h"
#include "hybrid/trace/ObjectTable.h"

#include <algorithm>
#include <limits>

namespace kst {

namespace {

/// Fields by the bits they occupy.
class FieldsByPlace {
public:
  explicit FieldsByPlace(const RecordInfo &Record) : Record(Record) {
    for (uint32_t F = 0; F != Record.Fields.size(); ++F) {
      const FieldInfo &Of = Record.Fields[F];
      if (!Of.ZeroSize && !Of.Absent && Of.SizeBits)
        Order.push_back(F);
    }
    std::sort(Order.begin(), Order.end(), [&](uint32_t A, uint32_t B) {
      return Record.Fields[A].OffsetBits < Record.Fields[B].OffsetBits;
    });
  }
  /// The field that has this bit, or ~0.
  uint32_t at(uint64_t Bit) const {
    auto It = std::upper_bound(Order.begin(), Order.end(), Bit,
                               [&](uint64_t B, uint32_t F) {
                                 return B < Record.Fields[F].OffsetBits;
                               });
    if (It == Order.begin())
      return ~0u;
    const FieldInfo &Of = Record.Fields[*--It];
    return Bit < Of.OffsetBits + Of.SizeBits ? *It : ~0u;
  }

private:
  const RecordInfo &Record;
  std::vector<uint32_t> Order;
};

/// As WindowEvent has it.
uint32_t offsetWithin(const RecordInfo &Record, uint32_t Field,
                      uint64_t OffsetBytes) {
  if (Field >= Record.Fields.size() ||
      Record.Fields[Field].SizeBits <= 8 * LeastSpottedBytes)
    return WindowEvent::NoOffset;
  return uint32_t(OffsetBytes - Record.Fields[Field].OffsetBits / 8);
}

} // namespace

Result<Windows> windowsOf(TraceReader &From, const RecordInfo &Record,
                          const WindowOptions &Options) {
  const Profile &About = From.about();
  Result<std::vector<uint32_t>> Structs = measuredStructs(About, Record);
  if (!Structs)
    return Failure{Structs.error()};
  std::vector<bool> Ours(About.Structs.size());
  for (uint32_t Row : *Structs)
    Ours[Row] = true;
  FieldsByPlace Fields(Record);
  // Where the source of the trace has names: the field of each site.
  std::vector<uint32_t> Named(About.Sites.size(), ~0u);
  for (size_t S = 0; S != About.Sites.size(); ++S)
    if (TextId Field = About.Sites[S].Field)
      Named[S] = fieldOfPath(Record, About.text(Field));
  Windows Of(static_cast<uint32_t>(Record.Fields.size()), Options);
  for (const MeasuredSite &S : About.Sites)
    Of.Places.push_back({About.text(S.Function), About.text(S.File), S.Line});
  ObjectTable Objects(From.tables());
  ObjectOwners Owners;
  TraceEvent E;
  while (From.next(E)) {
    Objects.apply(E);
    if (E.Kind != EventKind::Access || !E.Access)
      continue;
    const MeasuredSite &Site = About.Sites[E.Site];
    if (Site.Marks & MarkBitFieldRead)
      continue;
    TracePlace At = Objects.place(E);
    if (At.Struct >= Ours.size() || !Ours[At.Struct])
      continue;
    uint32_t Field = Site.Field
                         ? Named[E.Site]
                         : Fields.at(At.OffsetBytes * 8ull + Site.FirstBit);
    const auto Use =
        Owners.use(At.Object, At.Number, E.Stream, Site.Function, At.Cpu);
    Of.add({E.Stream, Field, At.Object, (E.Access & AccessStore) != 0,
            E.Access == (AccessLoad | AccessStore), Use.ByOther, E.Site,
            Site.Field ? WindowEvent::NoOffset
                       : offsetWithin(Record, Field, At.OffsetBytes)});
  }
  if (From.failure())
    return *From.failure();
  Of.finish();
  return Of;
}

AffinityEvidence traceEvidence(const RecordInfo &Record, const Windows &Of,
                               const StructureTest &Test) {
  AffinityEvidence Made;
  Made.Record = Record;
  Made.Fields.resize(Record.Fields.size());
  Made.Origins.resize(Record.Fields.size());
  Made.Covered.Dynamic = true;
  for (uint32_t F = 0; F != Record.Fields.size() && F != Of.fields(); ++F) {
    FieldUse &Use = Made.Fields[F];
    Use.Reads = double(Of.reads()[F]);
    Use.Writes = double(Of.writes()[F]);
    FieldOrigin &From = Made.Origins[F];
    From.Reads = Of.reads()[F];
    From.Writes = Of.writes()[F];
    From.From = Use.total() > 0 ? Origin::Measured : Origin::NotReached;
    From.MeasuredShare = Use.total() > 0;
    From.Uses =
        rateInterval(Use.total(), 1, std::numeric_limits<double>::infinity());
  }
  if (!Test.Structured)
    return Made;
  Made.Sets = Of.sets();
  for (CoAccessSet &Set : Made.Sets) {
    Set.From.Weight =
        rateInterval(Set.Weight, 1, std::numeric_limits<double>::infinity());
    if (Set.Cpu == CpuRelation::Remote)
      for (const FieldTouch &T : Set.Touches) {
        Made.Fields[T.Field].RemoteReads += Set.Weight * T.Reads;
        Made.Fields[T.Field].RemoteWrites += Set.Weight * T.Writes;
      }
  }
  return Made;
}

} // namespace kst
