// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/LinkReplay.h"

#include "hybrid/isolation/MapValues.h"

namespace kst {
namespace {

class Placer {
public:
  Placer(const LinkMap &Map, const LinkRules &Rules, const Extents &Are,
         const SymbolValue &Symbol, const LinkPlacement *Before)
      : Map(Map), Rules(Rules), Are(Are), Symbol(Symbol), Before(Before),
        Value(Map, Now, Symbol, Before), Dot(Rules.FirstDot) {}
  LinkPlacement all() {
    for (size_t P = 0; P < Map.Parts.size(); ++P)
      part(P);
    return std::move(Now);
  }

private:
  /// Part P of another walk, which tries where its data lead to.
  Placer(const Placer &Of, DataAhead &Ahead)
      : Map(Of.Map), Rules(Of.Rules), Are(Of.Are), Symbol(Of.Symbol),
        Before(Of.Before), Now(Of.Now), Value(Map, Now, Symbol, Before),
        Dot(firstDataStart(Of.Rules.Data, Of.Dot)), Ahead(&Ahead) {}
  DataAhead ahead(size_t P, size_t S) const {
    DataAhead Out;
    Placer(*this, Out).look(P, S + 1);
    return Out;
  }
  void look(size_t P, size_t From);
  uint64_t begin(size_t P);
  void part(size_t P);
  void body(size_t P, size_t From, uint64_t Start, std::vector<uint64_t> &At);
  uint64_t statement(size_t P, size_t S, uint64_t Start);
  uint64_t dataStart(size_t P, size_t S);

  const LinkMap &Map;
  const LinkRules &Rules;
  const Extents &Are;
  const SymbolValue &Symbol;
  const LinkPlacement *Before;
  LinkPlacement Now;
  MapValues Value;
  uint64_t Dot;
  DataAhead *Ahead = nullptr; ///< of a walk that looks ahead
};

void Placer::look(size_t P, size_t From) {
  std::vector<uint64_t> Unused;
  body(P, From, Dot, Unused);
  Now.PartAddress.push_back(Dot);
  Now.PartSize.push_back(0);
  while (++P < Map.Parts.size() && !Ahead->End)
    part(P);
}

uint64_t Placer::begin(size_t P) {
  const PartRule &Rule = Rules.Parts[P];
  PartRule Begin = Rule;
  Begin.AlignBytes = Rule.OwnAlignBytes;
  for (const Extent &Is : Are[P])
    Begin.AlignBytes = std::max(Begin.AlignBytes, Is.AlignBytes);
  const uint64_t Start =
      Rules.Relocatable ? 0 : startOf(Begin, Dot, Map.Parts[P].Address);
  if (Ahead && !Ahead->RelroEnd)
    Ahead->Relro.push_back({Start, 0, Begin.AlignBytes, Rule.Advances});
  return Start;
}

/// Where data begin.
uint64_t Placer::dataStart(size_t P, size_t S) {
  const MapStatement &Of = Map.Parts[P].Body[S];
  switch (Rules.Data) {
  case DataStart::Relro:
  case DataStart::OldRelro:
    return relroDataStart(ahead(P, S));
  case DataStart::Whole:
    return wholeDataStart(Dot, ahead(P, S));
  case DataStart::AsBefore:
    break;
  }
  return aligned(Dot, SegmentPage) + Of.Address % SegmentPage;
}

/// The statement's address, or the value of its assignment.
uint64_t Placer::statement(size_t P, size_t S, uint64_t Start) {
  const MapStatement &Of = Map.Parts[P].Body[S];
  const PartRule &Rule = Rules.Parts[P];
  if (Of.Is != MapStatement::Kind::Assign) {
    const uint64_t At =
        aligned(Dot, Are[P][S].AlignBytes) + uint64_t(Rule.Slack[S]);
    Dot = At + Are[P][S].SizeBytes;
    return At;
  }
  if (isDataEnd(Of)) {
    if (Ahead)
      Ahead->End = Dot;
    return Dot;
  }
  if (isDataStart(Of))
    return Dot = dataStart(P, S);
  if (isRelroEnd(Of)) {
    const uint64_t Offset = Value.relroOffset(Of.Text, Dot);
    if (Ahead) {
      Ahead->RelroEnd = Dot;
      Ahead->OffsetBytes = Offset;
    } else if (Rules.Data == DataStart::AsBefore) {
      Dot += uint64_t(Rule.Slack[S]);
    } else if (Rules.Data != DataStart::Whole) {
      Dot = relroEnd(Dot, Offset);
    }
    return Dot;
  }
  const auto Is = Value.of(Of.Text, Dot);
  if (Of.Name != ".") {
    const uint64_t Symbol = Is && !Rule.Slack[S] ? *Is : Of.Address;
    if (Is || !Map.Lld)
      Now.Assigned[Of.Name] = Symbol;
    return Symbol;
  }
  return Dot = Is ? *Is + (Rule.FromStart[S] ? Start : 0) +
                        uint64_t(Rule.Slack[S])
                  : Dot + uint64_t(Rule.Slack[S]);
}

void Placer::body(size_t P, size_t From, uint64_t Start,
                  std::vector<uint64_t> &At) {
  for (size_t S = From; S < Map.Parts[P].Body.size(); ++S)
    At.push_back(statement(P, S, Start));
}

void Placer::part(size_t P) {
  const MapPart &Part = Map.Parts[P];
  const PartRule &Rule = Rules.Parts[P];
  const bool Named = !Part.Name.empty();
  const uint64_t Outer = Dot;
  const uint64_t Start = Dot = Named ? begin(P) : Dot;
  std::vector<uint64_t> At;
  body(P, 0, Start, At);
  if (Named)
    Dot += uint64_t(Rule.Tail);
  Now.PartAddress.push_back(Start);
  Now.PartSize.push_back(Named ? Dot - Start : 0);
  Now.Address.push_back(std::move(At));
  if (!Named)
    return;
  if (Ahead && !Ahead->RelroEnd) {
    Ahead->Relro.back().SizeBytes = Dot - Start;
    if (Dot == Start)
      Ahead->Relro.pop_back();
  }
  if (Rule.Advances &&
      (Rules.Relocatable || Rule.Start != PartStart::Fixed || Part.SizeBytes))
    return;
  Dot = Outer;
  if (Rule.Around)
    for (const MapStatement &S : Part.Body)
      if (S.Is == MapStatement::Kind::Assign && S.Name == ".")
        Dot = Value.of(S.Text, Dot).value_or(Dot);
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

LinkPlacement place(const LinkMap &Map, const LinkRules &Rules,
                    const Extents &Are, const SymbolValue &Symbol,
                    const LinkPlacement *Before) {
  return Placer(Map, Rules, Are, Symbol, Before).all();
}

} // namespace kst
