// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/dprof/SharingView.h"

#include "hybrid/replay/ByteMoves.h"

#include <algorithm>
#include <map>

namespace kst {

const char *spelling(SharingAdvice Advice) {
  static constexpr const char *Words[SharingAdvices] = {
      "separate", "keep", "weigh", "inside", "other-object", "unknown"};
  return Words[size_t(Advice)];
}

const TypeRow *rowOf(const DataProfile &P, const ReportedOrder &Order) {
  for (const TypeRow &Of : P.Types)
    if (Of.Kind == TypeKind::Struct && Of.Name == Order.Record.Name &&
        (!Of.SizeBytes || Of.SizeBytes == Order.Record.SizeBytes))
      return &Of;
  return nullptr;
}

bool meets(const PlaceRow &At, const ReportedOrder &Order, uint32_t Field) {
  const FieldInfo &F = Order.Record.Fields[Field];
  return At.OffsetBytes < (F.OffsetBits + F.SizeBits + 7) / 8 &&
         F.OffsetBits / 8 < uint64_t(At.OffsetBytes) + At.SizeBytes;
}

namespace {

class Viewer {
public:
  Viewer(const DataProfile &P, const WhatIf &Of, const ReportedOrder &Order)
      : P(P), Of(Of), Order(Order), Row(rowOf(P, Order)),
        StandsFor(standsFor(Order.Record)), Source(Order.Sets, StandsFor) {}

  SharingView view() const;

private:
  static std::vector<uint32_t> standsFor(const RecordInfo &Record);
  std::vector<std::string> names() const;
  SharedField field(uint32_t Field, uint64_t False,
                    const std::map<uint32_t, uint64_t> &Written,
                    uint64_t Least) const;
  SharedPair pair(uint32_t Field, uint32_t Written, uint64_t Misses) const;
  bool apartThen(uint32_t A, uint32_t B) const;
  uint64_t cpusOf(uint32_t Field) const;
  SharedVisits visits(uint32_t Field, uint32_t Written) const;
  SharingAdvice advice(uint32_t Field, const SharedPair &Of) const;

  const DataProfile &P;
  const WhatIf &Of;
  const ReportedOrder &Order;
  const TypeRow *Row;
  const std::vector<uint32_t> StandsFor;
  const SourceUse Source;
};

std::vector<uint32_t> Viewer::standsFor(const RecordInfo &Record) {
  const ByteMoves Pieces(Record, {});
  std::vector<uint32_t> Out;
  for (uint32_t F = 0; F < Record.Fields.size(); ++F) {
    const FieldInfo &Field = Record.Fields[F];
    const BytePiece *Piece =
        Field.SizeBits ? Pieces.find(Field.OffsetBits / 8) : nullptr;
    Out.push_back(Piece ? Piece->Field : F);
  }
  return Out;
}

std::vector<std::string> Viewer::names() const {
  std::vector<std::string> Out;
  for (const FieldInfo &Field : Order.Record.Fields)
    Out.push_back(Field.Name.empty()
                      ? "+" + std::to_string(Field.OffsetBits / 8)
                      : Field.Name);
  for (uint32_t F = 0; F < Out.size(); ++F)
    if (StandsFor[F] != F)
      Out[StandsFor[F]] =
          Order.Record.Fields[StandsFor[F]].Name + ".." + Out[F];
  return Out;
}

bool Viewer::apartThen(uint32_t A, uint32_t B) const {
  auto Lines = [&](uint32_t F) {
    const uint64_t LineBits = uint64_t(P.Geometry.LineBytes) * 8,
                   Begin = Order.Proposed.OffsetBits[F],
                   Bits =
                       std::max<uint64_t>(Order.Record.Fields[F].SizeBits, 1);
    return std::pair(Begin / LineBits, (Begin + Bits - 1) / LineBits);
  };
  const auto [FirstA, LastA] = Lines(A);
  const auto [FirstB, LastB] = Lines(B);
  return LastA < FirstB || LastB < FirstA;
}

/// Who accesses it in the trace, a bit for each.
uint64_t Viewer::cpusOf(uint32_t Field) const {
  uint64_t Cpus = 0;
  for (const PlaceRow &At : Row ? Row->Places : std::vector<PlaceRow>())
    if (meets(At, Order, Field))
      Cpus |= At.Cpus;
  return Cpus;
}

/// The misses of the field by function, and what the source says of each.
SharedVisits Viewer::visits(uint32_t Field, uint32_t Written) const {
  SharedVisits Out;
  std::map<Site, double> Functions, Owners;
  double All = 0;
  for (const PlaceRow &At : Row ? Row->Places : std::vector<PlaceRow>())
    if (const uint64_t Own = At.Missed[size_t(MissClass::FalseSharing)];
        Own && meets(At, Order, Field)) {
      const SiteName &Name = P.Sites[At.Site];
      Functions[{Name.Function, Name.File, 0}] += double(Own);
      All += double(Own);
    }
  for (const auto &[Function, Misses] : Functions) {
    const double Share = Misses / All;
    const auto Known = Source.together(Field, Written, &Function);
    if (!Known) {
      Out.Unknown += Share;
      continue;
    }
    Out.Together += Share * Known->Share;
    Out.Apart += Share * (1 - Known->Share);
    Owners[Known->Where] += Share * Known->Share;
  }
  if (!(All > 0))
    Out.Unknown = 1;
  double Most = 0;
  for (const auto &[Where, Share] : Owners)
    if (Share > Most) {
      Most = Share;
      Out.Where = Where;
    }
  return Out;
}

SharingAdvice Viewer::advice(uint32_t Field, const SharedPair &Of) const {
  if (Of.OfOtherThreads)
    return SharingAdvice::Separate;
  if (!Source.uses(Field) || !Source.uses(Of.Written))
    return SharingAdvice::Unknown;
  // What is never used together needs no weights.
  if (const auto Ever = Source.together(Field, Of.Written);
      Ever && Ever->Share == 0)
    return SharingAdvice::Separate;
  if (Of.Visits.Unknown > MostUnknown)
    return SharingAdvice::Unknown;
  const double Share =
      Of.Visits.Together / (Of.Visits.Together + Of.Visits.Apart);
  return Share >= KeepShare      ? SharingAdvice::Keep
         : Share < SeparateShare ? SharingAdvice::Separate
                                 : SharingAdvice::Weigh;
}

SharedPair Viewer::pair(uint32_t Field, uint32_t Written,
                        uint64_t Misses) const {
  SharedPair Out{Written, Misses};
  if (Written == LossRow::OtherObject || Written == Field) {
    Out.Advice =
        Written == Field ? SharingAdvice::Inside : SharingAdvice::OtherObject;
    return Out;
  }
  Out.ApartThen = apartThen(Field, Written);
  const uint64_t Readers = cpusOf(Field), Writers = cpusOf(Written);
  // Tasks move from CPU to CPU; and of other places the threads are not known.
  Out.OfOtherThreads = P.Threads && Readers && Writers &&
                       !(Readers & Writers) && !Row->OtherPlaces;
  Out.Visits = visits(Field, Written);
  Out.Writers = Source.together(Written, Field);
  Out.WrittenBy = Source.users(Written, true, SharingView::MostUsers);
  Out.Advice = advice(Field, Out);
  return Out;
}

SharedField Viewer::field(uint32_t Field, uint64_t False,
                          const std::map<uint32_t, uint64_t> &Written,
                          uint64_t Least) const {
  SharedField Out{
      Field, False, Source.users(Field, false, SharingView::MostUsers), {}};
  for (const auto &[Other, Misses] : Written)
    if (Misses >= Least)
      Out.Pairs.push_back(pair(Field, Other, Misses));
  std::stable_sort(Out.Pairs.begin(), Out.Pairs.end(),
                   [](const SharedPair &A, const SharedPair &B) {
                     return A.Misses > B.Misses;
                   });
  return Out;
}

SharingView Viewer::view() const {
  SharingView Out;
  Out.Names = names();
  Out.Misses = Of.Before.Counts[0].misses(P.Level);
  const auto Least = std::max<uint64_t>(
      1, uint64_t(SharingView::LeastShare * double(Out.Misses)));
  struct Parts {
    std::map<uint32_t, uint64_t> True, False;
    std::map<uint32_t, std::map<uint32_t, uint64_t>> Written;
  };
  std::map<uint32_t, Parts> Lines;
  for (const LossRow &Loss : Of.Before.Losses) {
    Parts &To = Lines[Loss.Line];
    To.True[Loss.Field] += Loss.True;
    To.False[Loss.Field] += Loss.False;
    for (uint32_t Written : Loss.Written)
      To.Written[Loss.Field][Written] += Loss.False;
  }
  for (const auto &[Line, From] : Lines) {
    SharedLine &New = Out.Lines.emplace_back();
    New.Line = Line;
    for (const auto &[Field, Misses] : From.True) {
      New.True += Misses;
      if (Misses)
        New.TrueOf.push_back({Field, Misses});
    }
    for (const auto &[Field, Misses] : From.False) {
      New.False += Misses;
      if (Misses >= Least)
        New.FalseOf.push_back(
            field(Field, Misses, From.Written.at(Field), Least));
    }
    std::stable_sort(New.TrueOf.begin(), New.TrueOf.end(),
                     [](auto &A, auto &B) { return A.second > B.second; });
    std::stable_sort(New.FalseOf.begin(), New.FalseOf.end(),
                     [](auto &A, auto &B) { return A.False > B.False; });
    Out.True += New.True;
    Out.False += New.False;
  }
  std::stable_sort(Out.Lines.begin(), Out.Lines.end(),
                   [](const SharedLine &A, const SharedLine &B) {
                     return A.True + A.False > B.True + B.False;
                   });
  return Out;
}

} // namespace

SharingView sharingOf(const DataProfile &P, const WhatIf &Of,
                      const ReportedOrder &Source) {
  return Viewer(P, Of, Source).view();
}

} // namespace kst
