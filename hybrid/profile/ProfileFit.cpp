// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/profile/ProfileFit.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace kst {

static std::string bytesText(uint64_t Bytes) {
  return std::to_string(Bytes) + " bytes";
}

/// Of an anonymous struct the measured one knows where it begins.
static bool beginsMember(const RecordInfo &Record, uint32_t Field) {
  for (uint32_t G = Record.Fields[Field].Group; G != NoGroup;
       G = Record.Groups[G].Parent)
    if (groupFields(Record, G).first != Field)
      return false;
  return true;
}

/// Where the names of members are known: that each is where it was. Of another
/// struct, with mostly other names, they say nothing.
static std::optional<Failure> movedName(const Profile &P,
                                        const MeasuredStruct &Of,
                                        const RecordInfo &Record,
                                        const std::string &Name) {
  const uint32_t Row = static_cast<uint32_t>(&Of - P.Structs.data());
  std::map<std::string_view, uint64_t> Bits;
  for (const NamedMember &M : P.Members)
    if (M.Struct == Row)
      Bits[P.text(M.Name)] = M.OffsetBits;
  if (Bits.empty())
    return std::nullopt;
  std::optional<Failure> First;
  size_t There = 0, All = 0;
  auto See = [&](const std::string &Field, std::optional<uint64_t> Now) {
    ++All;
    auto Then = Bits.find(Field);
    There += Then != Bits.end();
    if (First || (Then != Bits.end() && (!Now || Then->second == *Now)))
      return;
    First =
        Failure{Name + ": field " + Field +
                (Then == Bits.end()
                     ? " is not in the measured one"
                     : " was at offset " + std::to_string(Then->second / 8) +
                           ", now it is at " + std::to_string(*Now / 8))};
  };
  for (const FieldInfo &F : Record.Fields) {
    if (F.ZeroSize || F.Absent)
      continue;
    for (const std::string &Member : F.Members)
      See(Member, std::nullopt);
    if (!F.Anonymous && !F.Name.empty())
      See(F.Name, F.OffsetBits);
  }
  return There * 2 >= All ? First : std::nullopt;
}

std::optional<Failure> misfit(const Profile &P, const MeasuredStruct &Of,
                              const RecordInfo &Record) {
  if (!Of.SizeBytes)
    return std::nullopt;
  const std::string Name = (Record.Union ? "union " : "struct ") + Record.Name;
  if (Of.SizeBytes != Record.SizeBytes)
    return Failure{Name + ": the measured one has " + bytesText(Of.SizeBytes) +
                   ", the analysed one " + bytesText(Record.SizeBytes)};
  auto Members = P.elements(Of);
  if (Members.empty())
    return movedName(P, Of, Record, Name);
  std::vector<uint32_t> Starts;
  for (const MeasuredElement &E : Members)
    Starts.push_back(E.OffsetBytes);
  std::ranges::sort(Starts);
  for (uint32_t I = 0; I < Record.Fields.size(); ++I) {
    const FieldInfo &F = Record.Fields[I];
    if (F.BitField || F.ZeroSize || F.FlexibleArray || F.Absent ||
        !F.SizeBits || !beginsMember(Record, I))
      continue;
    uint64_t Offset = F.OffsetBits / 8;
    auto At = std::lower_bound(Starts.begin(), Starts.end(), Offset);
    if (At != Starts.end() && *At == Offset)
      continue;
    std::string Why = Name + ": field " +
                      (F.Name.empty() ? "(unnamed)" : F.Name) +
                      " begins at offset " + std::to_string(Offset) +
                      ", where no member of the measured one does";
    if (At != Starts.end())
      Why += "; the next begins at " + std::to_string(*At);
    return Failure{Why};
  }
  return movedName(P, Of, Record, Name);
}

Result<std::vector<uint32_t>> measuredStructs(const Profile &P,
                                              const RecordInfo &Record) {
  std::vector<uint32_t> Fitting;
  std::optional<Failure> First;
  bool Sized = false;
  for (uint32_t I = 0; I < P.Structs.size(); ++I) {
    if (P.text(P.Structs[I].Name) != Record.Name)
      continue;
    std::optional<Failure> Why = misfit(P, P.Structs[I], Record);
    if (!Why) {
      Fitting.push_back(I);
      Sized |= P.Structs[I].SizeBytes != 0;
    } else if (!First) {
      First = Why;
    }
  }
  if (First && !Sized)
    return *First;
  if (Fitting.empty())
    return Failure{"no struct " + Record.Name + " was measured"};
  return Fitting;
}

} // namespace kst
