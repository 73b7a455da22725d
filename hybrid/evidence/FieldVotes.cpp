// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/FieldVotes.h"

#include <algorithm>
#include <optional>
#include <set>

namespace kst {
namespace {

/// So many of the places where a member is used must agree on its field: code
/// that changed may look like code that did not.
constexpr double Agree = 0.8;
/// What is learned of changed code by what is known of unchanged code.
constexpr unsigned Rounds = 3;

using Ballot = std::map<uint32_t, double>; ///< field -> votes

/// The field that most votes are for, if they agree.
std::optional<std::pair<uint32_t, double>> winner(const Ballot &Of) {
  double All = 0, Most = 0;
  uint32_t Best = None;
  for (auto [Field, Votes] : Of) {
    All += Votes;
    if (Votes > Most) {
      Most = Votes;
      Best = Field;
    }
  }
  if (Best == None || Most < Agree * All)
    return std::nullopt;
  return std::pair{Best, Most};
}

class Voting {
public:
  Voting(std::vector<FunctionVersions> Functions, const Profile &From,
         const MeasuredStruct &Struct, const RecordInfo &Record)
      : Functions(std::move(Functions)), Record(Record),
        SizeBytes(Struct.SizeBytes) {
    auto Of = From.elements(Struct);
    Elements.assign(Of.begin(), Of.end());
    std::ranges::sort(Elements);
  }

  FieldMap run() {
    for (const FunctionVersions &Of : Functions)
      if (Of.Unchanged)
        vote(Of, [](int32_t Line) { return std::optional(Line); });
    const auto Certain = Votes;
    FieldMap Map = decided();
    for (unsigned Round = 0; Round != Rounds; ++Round) {
      Votes = Certain;
      for (FunctionVersions &Of : Functions)
        if (!Of.Unchanged)
          voteBetweenKnown(Of, Map);
      FieldMap More = decided();
      if (More.pieces() == Map.pieces())
        break;
      Map = std::move(More);
    }
    addNeighbours(Map);
    return Map;
  }

private:
  /// A place of the measured struct.
  struct Place {
    uint64_t BeginBits, EndBits;
    bool BitField;
    auto operator<=>(const Place &) const = default;
  };
  /// What claims a field.
  struct Claim {
    Place At;
    double Votes;
  };

  static bool isBulk(const LineAccess &A) {
    return A.Class == AccessClass::BulkRead ||
           A.Class == AccessClass::BulkWrite;
  }
  /// Nobody knows the columns of addresses.
  static bool sameColumn(const LineAccess &A, const LineAccess &B) {
    return A.Class == B.Class && (A.Class == AccessClass::Address ||
                                  (A.Column && A.Column == B.Column));
  }

  /// Accesses at the same line, column and class vote, where there is but one
  /// place then and one field now. Where(line then): the line now, or nothing.
  template <typename Lines> void vote(const FunctionVersions &Of, Lines Where) {
    for (const MeasuredAccess &A : Of.Then) {
      const std::optional<int32_t> Line =
          isBulk(A) ? std::nullopt : Where(A.Line);
      if (!Line)
        continue;
      bool Alone = true;
      for (const MeasuredAccess &B : Of.Then)
        Alone &=
            B.Line != A.Line || !sameColumn(A, B) || B.BeginBits == A.BeginBits;
      std::set<uint32_t> Fields;
      for (const LineAccess &B : Of.Now)
        if (B.Line == *Line && sameColumn(A, B))
          Fields.insert(B.Field);
      if (Alone && Fields.size() == 1)
        ++Votes[{A.BeginBits, A.BeginBits + A.SizeBits, A.BitField}]
               [*Fields.begin()];
    }
  }

  /// Lines of a changed function that lie between lines which moved by the same
  /// distance and whose fields are known; its head counts as one.
  void voteBetweenKnown(FunctionVersions &Of, const FieldMap &Map) {
    for (MeasuredAccess &A : Of.Then)
      if (const auto *At = Map.at(A.BeginBits))
        A.Field = At->second.Field;
    LineMap Known = linesOf(Of);
    Known.try_emplace(0, 0); // the function's name
    vote(Of, [&](int32_t Line) -> std::optional<int32_t> {
      auto Next = Known.lower_bound(Line);
      if (Next == Known.end())
        return std::nullopt;
      if (Next->first == Line)
        return Next->second;
      if (Next == Known.begin())
        return std::nullopt;
      auto Last = std::prev(Next);
      if (Next->second - Next->first != Last->second - Last->first)
        return std::nullopt;
      return Line + (Last->second - Last->first);
    });
  }

  const MeasuredElement *elementAt(const Place &At) const {
    for (const MeasuredElement &E : Elements)
      if (E.OffsetBytes * 8ull <= At.BeginBits &&
          At.BeginBits < (uint64_t(E.OffsetBytes) + E.SizeBytes) * 8)
        return &E;
    return nullptr;
  }

  /// Members as a whole where all places in them agree, else places.
  std::map<uint32_t, std::vector<Claim>> claims() const {
    std::map<const MeasuredElement *, Ballot> Whole;
    for (const auto &[At, Of] : Votes)
      for (auto [Field, Count] : Of)
        if (!At.BitField)
          Whole[elementAt(At)][Field] += Count;
    std::map<uint32_t, std::vector<Claim>> Claims;
    std::set<const MeasuredElement *> Done;
    for (const auto &[At, Of] : Votes) {
      const MeasuredElement *E = At.BitField ? nullptr : elementAt(At);
      const auto Together = E ? winner(Whole[E]) : std::nullopt;
      if (Together) {
        if (Done.insert(E).second)
          Claims[Together->first].push_back(
              {{E->OffsetBytes * 8ull,
                (uint64_t(E->OffsetBytes) + E->SizeBytes) * 8, false},
               Together->second});
      } else if (auto Alone = winner(Of)) {
        Claims[Alone->first].push_back({At, Alone->second});
      }
    }
    return Claims;
  }

  /// Several members can be one field only if it has room for them; else the
  /// one with most votes is.
  FieldMap decided() const {
    FieldMap Map;
    for (auto &[Field, Of] : claims()) {
      uint64_t Bits = 0;
      for (const Claim &C : Of)
        Bits += C.At.EndBits - C.At.BeginBits;
      const bool Room = Of.size() == 1 || Bits <= Record.Fields[Field].SizeBits;
      double Most = 0;
      for (const Claim &C : Of)
        Most = std::max(Most, C.Votes);
      const bool Tie = std::ranges::count(Of, Most, &Claim::Votes) > 1;
      for (const Claim &C : Of)
        if (Room || (!Tie && C.Votes == Most))
          Map.add(C.At.BeginBits, {C.At.EndBits, Field, FoundBy::Code});
    }
    return Map;
  }

  /// Members between two known ones that moved alike moved with them, unless
  /// code that is known on both sides used them: it would have told.
  void addNeighbours(FieldMap &Map) const {
    std::set<const MeasuredElement *> Used;
    for (const FunctionVersions &Of : Functions)
      for (const MeasuredAccess &A : Of.Then)
        if (!isBulk(A))
          Used.insert(elementAt({A.BeginBits, A.BeginBits + 1, false}));
    std::map<uint64_t, int64_t> Shifts; ///< by first bit of what is known
    Shifts[0] = 0;                      // in front of everything
    Shifts[SizeBytes * 8ull] =
        (int64_t(Record.SizeBytes) - int64_t(SizeBytes)) * 8;
    std::set<uint32_t> Taken;
    for (const auto &[Begin, Of] : Map.pieces()) {
      if (Of.Field == None)
        continue;
      const FieldInfo &To = Record.Fields[Of.Field];
      Taken.insert(Of.Field);
      if (const auto *E = elementAt({Begin, Of.EndBits, false});
          E && E->OffsetBytes * 8ull == Begin)
        Shifts[Begin] = int64_t(To.OffsetBits) - int64_t(Begin);
    }
    FieldMap More;
    for (const MeasuredElement &E : Elements) {
      const uint64_t Begin = E.OffsetBytes * 8ull, Bits = E.SizeBytes * 8ull;
      auto Next = Shifts.lower_bound(Begin + 1);
      if (!Bits || Used.count(&E) || Map.at(Begin) || Next == Shifts.end() ||
          Next == Shifts.begin() || std::prev(Next)->second != Next->second)
        continue;
      for (uint32_t F = 0; F != Record.Fields.size(); ++F) {
        const FieldInfo &To = Record.Fields[F];
        if (!To.BitField && !To.Absent && !Taken.count(F) &&
            To.SizeBits == Bits &&
            int64_t(To.OffsetBits) == int64_t(Begin) + Next->second)
          More.add(Begin, {Begin + Bits, F, FoundBy::Neighbours});
      }
    }
    for (const auto &[Begin, Of] : More.pieces())
      if (Of.Field != None)
        Map.add(Begin, Of);
  }

  std::vector<FunctionVersions> Functions;
  const RecordInfo &Record;
  std::vector<MeasuredElement> Elements; ///< by offset
  uint32_t SizeBytes;
  std::map<Place, Ballot> Votes;
};

} // namespace

FieldMap fieldsByCode(std::vector<FunctionVersions> Functions,
                      const Profile &From, const MeasuredStruct &Struct,
                      const RecordInfo &Record) {
  return Voting(std::move(Functions), From, Struct, Record).run();
}

} // namespace kst
