// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/LinkReplay.h"

#include "hybrid/isolation/LinkExpression.h"

namespace kst {
namespace {

uint64_t aligned(uint64_t Value, uint64_t To) {
  return To > 1 ? (Value + To - 1) / To * To : Value;
}

/// GNU ld's layout of programs: maps have these values of another pass, and all
/// of them leave the location counter where it is.
bool isSegmentEnd(const MapStatement &S) {
  return S.Name == "." && (S.Text.starts_with("DATA_SEGMENT_END") ||
                           S.Text.starts_with("DATA_SEGMENT_RELRO_END"));
}

/// With RELRO data begin where their read-only part ends with a page: always
/// there in a page, as long as that part is as large.
bool isSegmentStart(const MapStatement &S) {
  return S.Name == "." && S.Text.starts_with("DATA_SEGMENT_ALIGN");
}
constexpr uint64_t RelroPage = 0x1000;
uint64_t inPage(uint64_t Dot, uint64_t Was) {
  return aligned(Dot, RelroPage) + Was % RelroPage;
}

uint64_t startOf(const PartRule &Rule, uint64_t Dot, uint64_t Was) {
  switch (Rule.Start) {
  case PartStart::Between:
    return Dot;
  case PartStart::Aligned:
    return aligned(Dot, Rule.AlignBytes);
  case PartStart::NextPage:
    return aligned(aligned(Dot, Rule.PageBytes) + Dot % Rule.PageBytes,
                   Rule.AlignBytes);
  case PartStart::PageStart:
    return aligned(aligned(Dot, Rule.PageBytes), Rule.AlignBytes);
  case PartStart::Fixed:
    return Was;
  }
  return Dot;
}

/// Expressions of one walk over the map.
class Values {
public:
  Values(const LinkMap &Map, const LinkPlacement &Now,
         const SymbolValue &Symbol, const LinkPlacement *Before) {
    for (size_t P = 0; P < Map.Parts.size(); ++P)
      if (!Map.Parts[P].Name.empty())
        Parts.emplace(Map.Parts[P].Name, P);
    // What this walk has not reached yet is as before.
    const auto Of = [this, &Now, Before](const std::string &Name,
                                         bool Size) -> std::optional<uint64_t> {
      const auto At = Parts.find(Name);
      if (At == Parts.end())
        return 0;
      const LinkPlacement &From =
          At->second < Now.PartAddress.size() || !Before ? Now : *Before;
      const auto &All = Size ? From.PartSize : From.PartAddress;
      if (At->second >= All.size())
        return std::nullopt;
      return All[At->second];
    };
    In.AddressOf = [Of](const std::string &Name) { return Of(Name, false); };
    In.SizeOf = [Of](const std::string &Name) { return Of(Name, true); };
    In.Symbol = [&Now, &Symbol,
                 Before](const std::string &Name) -> std::optional<uint64_t> {
      if (auto At = Now.Assigned.find(Name); At != Now.Assigned.end())
        return At->second;
      if (Before)
        if (auto At = Before->Assigned.find(Name); At != Before->Assigned.end())
          return At->second;
      return Symbol ? Symbol(Name) : std::nullopt;
    };
  }
  std::optional<uint64_t> of(const std::string &Text, uint64_t Dot) {
    In.Dot = Dot;
    return evaluate(Text, In);
  }

private:
  std::map<std::string, size_t> Parts;
  SymbolValues In;
};

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
  Values Value;
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
  if (isSegmentEnd(Of)) {
    ++Out.Explained;
    return;
  }
  const auto Is = Value.of(Of.Text, Dot);
  if (Is && *Is == Of.Address) {
    ++Out.Explained;
  } else if (isSegmentStart(Of) && inPage(Dot, Of.Address) == Of.Address) {
    Rule.Slack[S] = 1; // not by the expression
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

} // namespace

LinkPlacement placedByMap(const LinkMap &Map) {
  LinkPlacement Out;
  for (const MapPart &Part : Map.Parts) {
    Out.PartAddress.push_back(Part.Address);
    Out.PartSize.push_back(Part.SizeBytes);
    std::vector<uint64_t> &At = Out.Address.emplace_back();
    for (const MapStatement &S : Part.Body) {
      At.push_back(S.Address);
      if (S.Is == MapStatement::Kind::Assign && S.Name != "." && !Map.Lld)
        Out.Assigned[S.Name] = S.Address;
    }
  }
  return Out;
}

LinkRules learnRules(const LinkMap &Map, bool Relocatable, uint64_t FirstDot,
                     const Extents &Were,
                     const std::vector<uint64_t> &PartAlign,
                     const SymbolValue &Symbol) {
  return Learner(Map, Relocatable, FirstDot, Were, PartAlign, Symbol).all();
}

LinkPlacement place(const LinkMap &Map, const LinkRules &Rules,
                    const Extents &Are, const SymbolValue &Symbol,
                    const LinkPlacement *Before) {
  LinkPlacement Now;
  Values Value(Map, Now, Symbol, Before);
  uint64_t Dot = Rules.FirstDot;
  for (size_t P = 0; P < Map.Parts.size(); ++P) {
    const MapPart &Part = Map.Parts[P];
    const PartRule &Rule = Rules.Parts[P];
    const uint64_t Outer = Dot;
    uint64_t Start = Dot;
    std::vector<uint64_t> At;
    if (!Part.Name.empty()) {
      PartRule Begin = Rule;
      Begin.AlignBytes = Rule.OwnAlignBytes;
      for (const Extent &Is : Are[P])
        Begin.AlignBytes = std::max(Begin.AlignBytes, Is.AlignBytes);
      Start = Dot = Rules.Relocatable ? 0 : startOf(Begin, Dot, Part.Address);
    }
    for (size_t S = 0; S < Part.Body.size(); ++S) {
      const MapStatement &Of = Part.Body[S];
      if (Of.Is != MapStatement::Kind::Assign) {
        Dot = aligned(Dot, Are[P][S].AlignBytes) + uint64_t(Rule.Slack[S]);
        At.push_back(Dot);
        Dot += Are[P][S].SizeBytes;
        continue;
      }
      if (isSegmentEnd(Of)) {
        At.push_back(Dot);
        continue;
      }
      if (isSegmentStart(Of) && Rule.Slack[S] == 1) {
        At.push_back(Dot = inPage(Dot, Of.Address));
        continue;
      }
      const auto Is = Value.of(Of.Text, Dot);
      if (Of.Name != ".") {
        const uint64_t Symbol = Is && !Rule.Slack[S] ? *Is : Of.Address;
        At.push_back(Symbol);
        if (Is || !Map.Lld)
          Now.Assigned[Of.Name] = Symbol;
        continue;
      }
      Dot = Is ? *Is + (Rule.FromStart[S] ? Start : 0) + uint64_t(Rule.Slack[S])
               : Dot + uint64_t(Rule.Slack[S]);
      At.push_back(Dot);
    }
    if (!Part.Name.empty())
      Dot += uint64_t(Rule.Tail);
    Now.PartAddress.push_back(Start);
    Now.PartSize.push_back(Part.Name.empty() ? 0 : Dot - Start);
    Now.Address.push_back(std::move(At));
    if (!Part.Name.empty() &&
        (!Rule.Advances ||
         (!Rules.Relocatable && Rule.Start == PartStart::Fixed &&
          !Part.SizeBytes))) {
      Dot = Outer;
      if (Rule.Around)
        for (const MapStatement &S : Part.Body)
          if (S.Is == MapStatement::Kind::Assign && S.Name == ".")
            Dot = Value.of(S.Text, Dot).value_or(Dot);
    }
  }
  return Now;
}

} // namespace kst
