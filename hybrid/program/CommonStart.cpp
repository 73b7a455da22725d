// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/CommonStart.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace kst {
namespace {

constexpr uint64_t NoOffset = ~uint64_t(0);
constexpr size_t MaxPath = 32;

/// Something that starts at the offset asked for.
struct Piece {
  std::vector<StartField> Path; ///< from the outermost record
  RecordId Held = None;         ///< a record by value, not an array of it
  uint64_t SizeBits = 0;
};

/// One of the two records, looked at from outside.
class Members {
public:
  Members(const Program &Whole, RecordId Id) : Whole(Whole), Id(Id) {}

  /// All that starts at the offset, outer before inner.
  std::vector<Piece> at(uint64_t OffsetBits) const {
    std::vector<Piece> Found;
    if (OffsetBits == 0)
      Found.push_back({{}, Id, 8 * Whole.recordFact(Id).SizeBytes});
    std::vector<StartField> Path;
    collect(Id, OffsetBits, Path, Found);
    return Found;
  }
  /// Where the first member at or behind the offset starts, or NoOffset.
  uint64_t next(uint64_t OffsetBits) const { return next(Id, OffsetBits, 0); }

  const FieldFact &last(const Piece &Of) const {
    return Whole.fieldFact(Of.Path.back().Record, Of.Path.back().Field);
  }
  const std::string &text(const Piece &Of, StrId Local) const {
    return Whole.recordText(Of.Path.back().Record, Local);
  }

private:
  RecordId held(RecordId Record, uint32_t Field) const {
    RecordId Inner = Whole.embedded(Record, Field);
    return Inner != None && 8 * Whole.recordFact(Inner).SizeBytes ==
                                Whole.fieldFact(Record, Field).SizeBits
               ? Inner
               : None;
  }

  void collect(RecordId Record, uint64_t OffsetBits,
               std::vector<StartField> &Path, std::vector<Piece> &Found) const {
    for (uint32_t F = 0; F != Whole.recordFact(Record).Fields.size(); ++F) {
      const FieldFact &Fact = Whole.fieldFact(Record, F);
      if (Fact.OffsetBits > OffsetBits)
        return;
      if (Fact.OffsetBits + Fact.SizeBits <= OffsetBits)
        continue;
      Path.push_back({Record, F});
      RecordId Inner = held(Record, F);
      if (Fact.OffsetBits == OffsetBits)
        Found.push_back({Path, Inner, Fact.SizeBits});
      if (Inner != None && Path.size() < MaxPath)
        collect(Inner, OffsetBits - Fact.OffsetBits, Path, Found);
      Path.pop_back();
    }
  }

  uint64_t next(RecordId Record, uint64_t OffsetBits, unsigned Depth) const {
    uint64_t Least = NoOffset;
    for (uint32_t F = 0; F != Whole.recordFact(Record).Fields.size(); ++F) {
      const FieldFact &Fact = Whole.fieldFact(Record, F);
      uint64_t Start = NoOffset;
      if (!Fact.SizeBits)
        continue;
      if (Fact.OffsetBits >= OffsetBits)
        Start = Fact.OffsetBits;
      else if (RecordId Inner = held(Record, F);
               Inner != None && Depth < MaxPath &&
               Fact.OffsetBits + Fact.SizeBits > OffsetBits)
        if (Start = next(Inner, OffsetBits - Fact.OffsetBits, Depth + 1);
            Start != NoOffset)
          Start += Fact.OffsetBits;
      Least = std::min(Least, Start);
    }
    return Least;
  }

  const Program &Whole;
  RecordId Id;
};

/// Neither a record nor an array, as far as the type is written out.
bool isScalar(const FieldFact &Of, const std::string &Type) {
  return Of.Embedded == None && Type.find('[') == std::string::npos &&
         Of.SizeBits <= 128;
}

bool isFloat(const std::string &Type) {
  return Type == "float" || Type == "double" || Type == "long double";
}

void addPath(std::vector<StartField> &To, const Piece &Of) {
  for (const StartField &Field : Of.Path)
    if (std::ranges::find(To, Field) == To.end())
      To.push_back(Field);
}

} // namespace

CommonStart commonStart(const Program &Whole, RecordId First, RecordId Second,
                        Agreement Wanted) {
  const Members A(Whole, First), B(Whole, Second);
  CommonStart Common;
  auto SameMember = [&](const Piece &X, const Piece &Y) {
    if (X.Path.empty() || Y.Path.empty())
      return false;
    const FieldFact &Of = A.last(X), &Other = B.last(Y);
    const std::string &Type = A.text(X, Of.TypeName);
    const std::string &OtherType = B.text(Y, Other.TypeName);
    bool SameName = A.text(X, Of.Name) == B.text(Y, Other.Name);
    bool SameType =
        Type == OtherType ||
        (Wanted != Agreement::Text && Of.Flags == Other.Flags &&
         Of.AlignBytes == Other.AlignBytes && isScalar(Of, Type) &&
         isScalar(Other, OtherType) && isFloat(Type) == isFloat(OtherType));
    return Of.SizeBits && Of.SizeBits == Other.SizeBits &&
           !((Of.Flags | Other.Flags) & FldAnonymous) && Of.Name &&
           (SameName || Wanted == Agreement::Place) && SameType;
  };
  for (uint64_t Offset = 0; Offset != NoOffset;) {
    bool Agrees = false;
    uint64_t End = Offset;
    std::vector<Piece> OfA = A.at(Offset), OfB = B.at(Offset);
    for (const Piece &X : OfA) {
      for (const Piece &Y : OfB) {
        bool Named = SameMember(X, Y);
        bool Same = Offset == 0 && X.Held != None && X.Held == Y.Held;
        if (!Named && !Same)
          continue;
        Agrees = true;
        Common.Members += Named;
        Common.SameRecord |= Same;
        addPath(Common.OfFirst, X);
        addPath(Common.OfSecond, Y);
        End = Offset + X.SizeBits;
        break;
      }
      if (Agrees)
        break;
    }
    if (!Agrees)
      break;
    Offset = A.next(End);
    if (B.next(End) != Offset)
      break;
  }
  return Common;
}

RecordStarts::RecordStarts(const Program &Whole)
    : Holding(Whole.recordCount()), Keys(Whole.recordCount()) {
  // Members agree by name and size, or by what they hold.
  std::map<std::pair<std::string, uint64_t>, uint32_t> Numbers;
  for (RecordId Id = 0; Id != Whole.recordCount(); ++Id) {
    const Members Of(Whole, Id);
    std::set<uint32_t> Found;
    for (const Piece &Start : Of.at(0)) {
      if (Start.Held != None &&
          (Holding[Start.Held].empty() || Holding[Start.Held].back() != Id))
        Holding[Start.Held].push_back(Id);
      auto Add = [&](std::string Name, uint64_t Size) {
        Found.insert(Numbers
                         .try_emplace({std::move(Name), Size},
                                      static_cast<uint32_t>(Numbers.size()))
                         .first->second);
      };
      if (Start.Held != None)
        Add("", Start.Held);
      if (!Start.Path.empty())
        Add(Of.text(Start, Of.last(Start).Name), Of.last(Start).SizeBits);
    }
    Keys[Id].assign(Found.begin(), Found.end());
  }
  ByKey.resize(Numbers.size());
  for (RecordId Id = 0; Id != Whole.recordCount(); ++Id)
    for (uint32_t Key : Keys[Id])
      ByKey[Key].push_back(Id);
}

std::vector<RecordId> RecordStarts::likelyAlike(RecordId Id) const {
  std::set<RecordId> Found;
  for (uint32_t Key : Keys[Id])
    Found.insert(ByKey[Key].begin(), ByKey[Key].end());
  Found.erase(Id);
  return {Found.begin(), Found.end()};
}

} // namespace kst
