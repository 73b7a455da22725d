// SPDX-License-Identifier: GPL-2.0-or-later
//
// From a record in the tables of one unit to one that stands by itself.

#pragma once

#include "hybrid/core/Record.h"
#include "hybrid/facts/Facts.h"

#include <algorithm>

namespace kst {

/// The words of a name that '|' joins.
inline std::vector<std::string> joinedWords(const std::string &Joined) {
  std::vector<std::string> Words;
  for (size_t At = 0; At < Joined.size();) {
    size_t End = std::min(Joined.find('|', At), Joined.size());
    Words.push_back(Joined.substr(At, End - At));
    At = End + 1;
  }
  return Words;
}

/// `From` is one of Facts.Fields.
inline FieldInfo fieldInfo(const TuFacts &Facts, const FieldFact &From) {
  FieldInfo To;
  To.Name = Facts.Strings[From.Name];
  if (From.Flags & FldAnonymous) {
    To.Members = joinedWords(To.Name);
    To.Name = memberNames(To.Members);
  }
  To.TypeName = Facts.Strings[From.TypeName];
  To.OffsetBits = From.OffsetBits;
  To.SizeBits = From.SizeBits;
  To.AlignBytes = From.AlignBytes;
  To.ExplicitAlignBytes = From.ExplicitAlignBytes;
  To.StorageUnitBits = From.StorageUnitBits;
  To.Line = From.Line;
  To.BitField = From.Flags & FldBitField;
  To.Anonymous = From.Flags & FldAnonymous;
  To.ZeroSize = From.Flags & FldZeroSize;
  To.FlexibleArray = From.Flags & FldFlexibleArray;
  To.Packed = From.Flags & FldPacked;
  To.Pointer = From.Flags & FldPointer;
  return To;
}

/// `Fact` is one of Facts.Records.
inline RecordInfo recordInfo(const TuFacts &Facts, const RecordFact &Fact) {
  RecordInfo Info;
  Info.Name = Facts.Strings[Fact.Name];
  Info.File = Facts.Strings[Fact.File];
  Info.Line = Fact.Line;
  Info.EndLine = Fact.EndLine;
  Info.SizeBytes = Fact.SizeBytes;
  Info.AlignBytes = Fact.AlignBytes;
  Info.ExplicitAlignBytes = Fact.ExplicitAlignBytes;
  Info.Union = Fact.Flags & RecUnion;
  Info.Packed = Fact.Flags & RecPacked;
  Info.RandomizeLayout = Fact.Flags & RecRandomizeLayout;
  Info.AsksCompiler = Fact.Flags & RecAsksCompiler;
  Info.System = Fact.Flags & RecSystem;
  for (uint32_t I = Fact.Fields.Begin; I != Fact.Fields.End; ++I)
    Info.Fields.push_back(fieldInfo(Facts, Facts.Fields[I]));
  for (uint32_t I = Fact.Groups.Begin; I != Fact.Groups.End; ++I) {
    const GroupFact &From = Facts.Groups[I];
    GroupInfo To;
    To.Name = memberNames(joinedWords(Facts.Strings[From.Name]));
    To.Parent = From.Parent;
    To.AlignBytes = From.AlignBytes;
    To.ExplicitAlignBytes = From.ExplicitAlignBytes;
    To.Line = From.Line;
    To.EndLine = From.EndLine;
    // Inner groups come later.
    for (uint32_t F = From.Fields.Begin; F != From.Fields.End; ++F)
      Info.Fields[F].Group = static_cast<uint32_t>(Info.Groups.size());
    Info.Groups.push_back(std::move(To));
  }
  return Info;
}

} // namespace kst
