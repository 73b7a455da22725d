// SPDX-License-Identifier: GPL-2.0-or-later
//
// The heat of cache sets as a document, for people.

#include "hybrid/colour/ColourReport.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {
namespace {

constexpr size_t ShownTypes = 20, ShownSets = 10;

double share(uint64_t Part, uint64_t Whole) {
  return Whole ? double(Part) / double(Whole) : 0;
}

void notes(Document &Doc, const HeatReport &R) {
  auto Note = [&](const std::string &Said) {
    Doc.Head.push_back(Paragraph{strong("note: ") + Said});
  };
  for (const std::string &Limit : R.Limits)
    Note(Limit);
  if (R.Lost)
    Note(counted(R.Lost, "event") + " lost by the recorder");
  if (!R.Complete)
    Note("the trace is incomplete: its recorder was killed, or the file was "
         "cut short");
  if (R.Data.NoPhysical)
    Note(counted(R.Data.NoPhysical, "access") +
         " outside of the direct map and the kernel's image left out: their "
         "physical address is not known");
}

Section typesView(const ColourHeat &H) {
  Section Out;
  Out.Title = "types";
  Table T{{{"type", false, true},
           {"accesses", true},
           {"in crowded sets", true},
           {"misses", true},
           {"conflicts", true}}};
  for (const HeatType &Of : H.Types)
    T.Rows.push_back(
        {{code(Of.Name), std::to_string(Of.Accesses),
          percent(share(Of.Crowded, Of.Accesses)), std::to_string(Of.Misses),
          std::to_string(Of.Conflicts)}});
  T.shorten(ShownTypes, " types");
  Out.Body.push_back(std::move(T));
  return Out;
}

Section setsView(const ColourHeat &H) {
  Section Out;
  Out.Title = "fullest sets";
  Table T{{{"set", true},
           {"heat", true},
           {"lines too many", true},
           {"conflict misses", true},
           {"types there, most accesses first"}}};
  for (const HeatSet &Of : H.Fullest) {
    std::vector<Sentence> Types;
    uint64_t All = 0;
    for (auto [Type, Number] : Of.Types)
      All += Number;
    for (auto [Type, Number] : Of.Types)
      Types.push_back(code(H.Types[Type].Name) + " " +
                      percent(share(Number, All)));
    T.Rows.push_back({{std::to_string(Of.Set), std::to_string(Of.Heat),
                       std::to_string(Of.Excess), std::to_string(Of.Conflicts),
                       listed(Types, 4)}});
  }
  T.shorten(ShownSets, " sets");
  Out.Body.push_back(std::move(T));
  Out.Body.push_back(Paragraph{
      "Heat: accesses to others than the most used lines for which there are "
      "ways. The fullest " +
      std::to_string(H.SetsInFullest) + " of " + counted(H.Sets, "set") +
      " have " + percent(share(H.ConflictsInFullest, H.Conflicts)) +
      " of all conflict misses of the cache model; rank correlation of heat "
      "and conflict misses over all used sets: " +
      fixed(H.Rank, 2)});
  return Out;
}

Section pairsView(const ColourHeat &H) {
  Section Out;
  Out.Title = "pairs of types that meet in crowded sets";
  Table T{{{"type", false, true}, {"with", false, true}, {"meetings", true}}};
  for (const HeatPair &Of : H.Pairs)
    T.Rows.push_back({{code(H.Types[Of.A].Name), code(H.Types[Of.B].Name),
                       std::to_string(Of.Meetings)}});
  T.shorten(ShownSets, " pairs");
  Out.Body.push_back(std::move(T));
  Out.Body.push_back(Paragraph{soft(
      "accesses of the type that has fewer in such a set and window; of one "
      "type: of its second line")});
  return Out;
}

Section stripView(const ColourHeat &H) {
  Section Out;
  Out.Title = "accesses by type and colour";
  Table T{{{"sets"}, {"all", true}}};
  T.Shape = Table::Picture::Bars;
  T.BarColumn = 1;
  const size_t Types = std::min<size_t>(H.Types.size(), 6);
  for (size_t I = 0; I < Types; ++I)
    T.Columns.push_back({H.Types[I].Name, true});
  const size_t Cells = H.Types.empty() ? 0 : H.Types[0].Strip.size();
  for (size_t Cell = 0; Cell < Cells; ++Cell) {
    uint64_t All = 0;
    for (const HeatType &Of : H.Types)
      All += Of.Strip[Cell];
    Table::Row Row{{std::to_string(Cell * H.Sets / Cells) + ".." +
                        std::to_string((Cell + 1) * H.Sets / Cells - 1),
                    std::to_string(All)}};
    Row.Y = double(All);
    for (size_t I = 0; I < Types; ++I)
      Row.Cells.push_back(std::to_string(H.Types[I].Strip[Cell]));
    Row.When = Cell % 8 ? Shown::Full : Shown::Always;
    T.Rows.push_back(std::move(Row));
  }
  T.Rest = "every row with --full";
  Out.Body.push_back(std::move(T));
  return Out;
}

} // namespace

Document describe(const HeatReport &R) {
  const ColourHeat &H = R.Data;
  Document Doc;
  Doc.Name = "colour heat";
  Doc.Title = "heat by type and colour of " + R.File;
  Doc.Head.push_back(Paragraph{
      "model: one cache of " + spelling(H.Cache) +
      " behind all CPUs, lines of " + counted(H.Cache.LineBytes, "byte") +
      ", " + counted(H.Sets, "set") +
      " by physical address; LRU, no prefetcher, no speculation, no hashed "
      "slices, interleaving by timestamp. All counts are the model's."});
  notes(Doc, R);
  Section Top;
  Top.Verdict = true;
  Top.Title = H.Conflicts == 0
                  ? Sentence("nothing to gain: no access missed by conflict")
                  : Sentence(percent(share(H.Conflicts, H.Accesses)) +
                             " of accesses and " +
                             percent(share(H.Conflicts, H.Misses)) +
                             " of misses are conflicts; " +
                             counted(H.CrowdedSets, "set") +
                             " had more lines in a window than ways");
  Doc.Sections.push_back(std::move(Top));
  Doc.Sections.push_back(typesView(H));
  if (!H.Fullest.empty())
    Doc.Sections.push_back(setsView(H));
  if (!H.Pairs.empty())
    Doc.Sections.push_back(pairsView(H));
  Doc.Sections.push_back(stripView(H));
  for (Section &Part : Doc.Sections)
    Part.Wide = true;
  return Doc;
}

Document describe(const GeometryReport &R) {
  Document Doc;
  Doc.Name = "colour geometry";
  Doc.Title = "caches on the memory side of " + R.From;
  Section Top;
  Top.Verdict = true;
  Top.Wide = true;
  if (R.Caches.empty()) {
    Top.Title = "none announced: the machine tells of no cache to which page "
                "colours matter";
    Doc.Sections.push_back(std::move(Top));
    return Doc;
  }
  Top.Title = counted(R.Caches.size(), "cache");
  Table T{{{"node", true},
           {"level", true},
           {"size"},
           {"line", true},
           {"indexing"},
           {"writes"},
           {"colours", true}}};
  for (const NodeCache &Of : R.Caches) {
    const bool Direct = Of.Shape.Ways == 1;
    MemoryCache Shape = Of.Shape;
    Shape.Ways = 1;
    T.Rows.push_back(
        {{std::to_string(Of.Node), std::to_string(Of.Level),
          std::to_string(Shape.Bytes), std::to_string(Shape.LineBytes),
          Of.Indexing, Of.WritePolicy,
          Direct ? std::to_string(Shape.colours()) : std::string("-")}});
  }
  Top.Body.push_back(std::move(T));
  Top.Body.push_back(Paragraph{soft(
      "sizes in bytes; a colour is a page of 4 KiB of a direct-mapped cache; "
      "of others the machine does not say how many ways they have")});
  Doc.Sections.push_back(std::move(Top));
  return Doc;
}

} // namespace kst
