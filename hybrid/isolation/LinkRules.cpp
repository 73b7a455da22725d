// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a map does not say of a link, learned from the link that it is of.

#include "hybrid/isolation/MapValues.h"

namespace kst {
namespace {

std::string described(const MapPart &Part, const MapStatement &S) {
  return S.Is == MapStatement::Kind::Assign  ? S.Name + " = " + S.Text
         : S.Is == MapStatement::Kind::Bytes ? "bytes in " + Part.Name
                                             : S.Name + " of " + S.Text;
}

class Learner {
public:
  Learner(const LinkMap &Map, bool Relocatable, uint64_t FirstDot,
          const Extents &Were, const std::vector<uint64_t> &PartAlign,
          const SymbolValue &Symbol)
      : Map(Map), Were(Were), PartAlign(PartAlign), Known(placedByMap(Map)),
        Value(Map, Known, Symbol, nullptr), Dot(FirstDot) {
    Out.Relocatable = Relocatable;
    Out.FirstDot = FirstDot;
  }
  LinkRules all() {
    for (size_t P = 0; P < Map.Parts.size(); ++P)
      part(P);
    return std::move(Out);
  }

private:
  void part(size_t P);
  std::optional<uint64_t> around(size_t P, uint64_t From);
  void statement(size_t P, size_t S, PartRule &Rule);
  void odd(std::string What, uint64_t Expected, uint64_t Found) {
    Out.Odd.push_back({std::move(What), Expected, Found});
  }

  const LinkMap &Map;
  const Extents &Were;
  const std::vector<uint64_t> &PartAlign;
  LinkPlacement Known;
  MapValues Value;
  LinkRules Out;
  uint64_t Dot;
};

void Learner::statement(size_t P, size_t S, PartRule &Rule) {
  const MapPart &Part = Map.Parts[P];
  const MapStatement &Of = Part.Body[S];
  if (Of.Is != MapStatement::Kind::Assign) {
    const Extent &Was = Were[P][S];
    const uint64_t At = aligned(Dot, Was.AlignBytes);
    if (At != Of.Address) {
      odd(described(Part, Of), At, Of.Address);
      Rule.Slack[S] = int64_t(Of.Address - At);
    } else {
      ++Out.Explained;
    }
    Dot = Of.Address + Was.SizeBytes;
    return;
  }
  if (Of.Name != ".") {
    // lld's maps have no values of symbols.
    if (Map.Lld)
      return;
    const auto Is = Value.of(Of.Text, Dot);
    if (Is && *Is == Of.Address) {
      ++Out.Explained;
    } else {
      odd(described(Part, Of), Is.value_or(0), Of.Address);
      Rule.Slack[S] = 1;
    }
    return;
  }
  if (isDataEnd(Of)) {
    ++Out.Explained;
    return;
  }
  if (isRelroEnd(Of)) {
    if (Of.Address >= Dot && Of.Address - Dot < SegmentPage)
      Rule.Slack[S] = int64_t(Of.Address - Dot);
    Dot += uint64_t(Rule.Slack[S]);
    return;
  }
  const auto Is = Value.of(Of.Text, Dot);
  if (isDataStart(Of)) {
    // What decides it lies behind.
  } else if (Is && *Is == Of.Address) {
    ++Out.Explained;
  } else if (Is && !Part.Name.empty() && *Is + Part.Address == Of.Address) {
    Rule.FromStart[S] = true;
    ++Out.Explained;
  } else {
    odd(described(Part, Of), Is.value_or(Dot), Of.Address);
    Rule.Slack[S] = int64_t(Of.Address - Is.value_or(Dot));
  }
  Dot = Of.Address;
}

/// Where the assignments in an empty section lead from there, if that is where
/// the map has them.
std::optional<uint64_t> Learner::around(size_t P, uint64_t From) {
  std::optional<uint64_t> Last;
  if (Map.Parts[P].SizeBytes)
    return Last;
  for (const MapStatement &S : Map.Parts[P].Body) {
    if (S.Is != MapStatement::Kind::Assign || S.Name != ".")
      continue;
    Last = Value.of(S.Text, Last.value_or(From));
    if (!Last || *Last != S.Address)
      return std::nullopt;
  }
  return Last;
}

void Learner::part(size_t P) {
  const MapPart &Part = Map.Parts[P];
  PartRule Rule;
  Rule.Slack.resize(Part.Body.size());
  Rule.FromStart.resize(Part.Body.size());
  const uint64_t Outer = Dot;
  if (!Part.Name.empty()) {
    uint64_t Most = 1;
    for (const Extent &Was : Were[P])
      Most = std::max(Most, Was.AlignBytes);
    Rule.AlignBytes = std::max<uint64_t>(1, PartAlign[P]);
    // What the script demands beyond its inputs; unknown if it is less.
    Rule.OwnAlignBytes = Rule.AlignBytes > Most ? Rule.AlignBytes : 1;
    // lld pads the data that becomes read-only, and begins the next section as
    // if it had not.
    Rule.Advances = Part.Name != ".tbss" && Part.Name != ".relro_padding";
    Rule.Start = PartStart::Fixed;
    if (Out.Relocatable) {
      Rule.Start = PartStart::Fixed;
    } else if (PartAlign[P] || !Part.SizeBytes) {
      PartRule Try = Rule;
      Try.Start = PartStart::Aligned;
      bool Found = startOf(Try, Dot, 0) == Part.Address;
      if (Map.Lld)
        for (uint64_t Page : {0x1000, 0x4000, 0x10000, 0x200000})
          for (PartStart Start : {PartStart::NextPage, PartStart::PageStart})
            if (!Found) {
              Try.Start = Start;
              Try.PageBytes = Page;
              Found = startOf(Try, Dot, 0) == Part.Address;
            }
      if (Found)
        Rule = Try;
    }
    Dot = Part.Address;
  }
  for (size_t S = 0; S < Part.Body.size(); ++S)
    statement(P, S, Rule);
  if (!Part.Name.empty()) {
    const uint64_t End = Part.Address + Part.SizeBytes;
    Rule.Tail = int64_t(End - Dot);
    if (Rule.Tail && Rule.Advances && !Part.Body.empty())
      odd("the end of " + Part.Name, Dot, End);
    Dot = End;
    if (!Rule.Advances)
      Dot = Outer;
    // Of a section that is not in the image nothing lies behind.
    if (!Out.Relocatable && !PartAlign[P] && Part.Address != Outer) {
      const auto Behind = around(P, Outer);
      Rule.Around = Behind.has_value();
      Dot = Behind.value_or(Outer);
    }
  }
  Out.Parts.push_back(std::move(Rule));
}

/// Of GNU ld's own layout, the statements that say where data begin and where
/// their read-only part ends.
struct DataStatements {
  std::optional<std::pair<size_t, size_t>> Start, RelroEnd; ///< part, statement
  bool Relro = false; ///< objects have something between them
};

DataStatements dataStatements(const LinkMap &Map) {
  DataStatements Out;
  for (size_t P = 0; P < Map.Parts.size(); ++P)
    for (size_t S = 0; S < Map.Parts[P].Body.size(); ++S) {
      const MapStatement &Of = Map.Parts[P].Body[S];
      if (isDataStart(Of))
        Out.Start = {P, S};
      else if (isRelroEnd(Of))
        Out.RelroEnd = {P, S};
      else if (Of.Is == MapStatement::Kind::Input && Out.Start &&
               !Out.RelroEnd && !Map.Parts[P].Name.starts_with(".got") &&
               Map.Parts[P].Name != ".dynamic")
        Out.Relro = true; // those two are the linker's
    }
  return Out;
}

/// Which of the ways to begin data explains the map.
void learnDataStart(const LinkMap &Map, const Extents &Were,
                    const SymbolValue &Symbol, LinkRules &To) {
  const DataStatements Of = dataStatements(Map);
  if (!Of.Start)
    return;
  const LinkPlacement Known = placedByMap(Map);
  const auto IsSo = [&](std::pair<size_t, size_t> At, const LinkPlacement &In) {
    return In.Address[At.first][At.second] ==
           Map.Parts[At.first].Body[At.second].Address;
  };
  const auto Explains = [&](DataStart Way) {
    To.Data = Way;
    const LinkPlacement In = place(Map, To, Were, Symbol, &Known);
    return IsSo(*Of.Start, In) &&
           (Way == DataStart::Whole || !Of.RelroEnd || IsSo(*Of.RelroEnd, In));
  };
  if ((!Of.Relro && Explains(DataStart::Whole)) || Explains(DataStart::Relro) ||
      Explains(DataStart::OldRelro) || Explains(DataStart::Whole)) {
    To.Explained += 1 + Of.RelroEnd.has_value();
    return;
  }
  To.Data = DataStart::AsBefore;
  const MapStatement &Start = Map.Parts[Of.Start->first].Body[Of.Start->second];
  To.Odd.push_back({". = " + Start.Text, 0, Start.Address});
}

} // namespace

LinkRules learnRules(const LinkMap &Map, bool Relocatable, uint64_t FirstDot,
                     const Extents &Were,
                     const std::vector<uint64_t> &PartAlign,
                     const SymbolValue &Symbol) {
  LinkRules Out =
      Learner(Map, Relocatable, FirstDot, Were, PartAlign, Symbol).all();
  learnDataStart(Map, Were, Symbol, Out);
  return Out;
}

} // namespace kst
