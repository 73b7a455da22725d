// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/ContextGraph.h"

#include "hybrid/report/DotText.h"
#include "hybrid/report/HtmlStrip.h"
#include "hybrid/report/JsonText.h"
#include "hybrid/report/Numbers.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace kst {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t ShownWays = 40, ShownStores = 3, ShownInward = 4;

std::string pathText(const ContextGraph &G, uint32_t Type) {
  std::string Out;
  for (const PathStep &Step : stepsOf(G.Paths, Type))
    Out += (Out.empty() ? "" : " -> ") + Step.Member;
  return Out;
}

const std::vector<std::string> &storesOf(const ContextGraph &G,
                                         const PathStep &Step) {
  return G.Graph.Types[Step.From].Links[Step.Link].StoredBy;
}

/// Pointers of a type that the report follows where they lead right into an
/// object with an anchor, whatever their type says.
std::vector<PathStep> inwardOf(const ContextGraph &G, uint32_t Type) {
  std::vector<uint32_t> Anchors;
  for (const std::string &Name : G.Anchors)
    Anchors.push_back(G.Graph.find(Name));
  const AnchorPath &Path = G.Paths[Type];
  const bool IsAnchor = Path.Anchor != NoType && !Path.Pointers;
  return IsAnchor
             ? std::vector<PathStep>()
             : G.Graph.inward(Anchors, Type, Path.Anchor == NoType, G.Skipped);
}

/// What a table says of the way from a type.
Sentence wayOf(const ContextGraph &G, uint32_t Type) {
  const AnchorPath &Path = G.Paths[Type];
  if (Path.Anchor != NoType)
    return Path.Pointers ? code(pathText(G, Type)) : Sentence("holds it");
  std::vector<Sentence> Members;
  for (const PathStep &Step : inwardOf(G, Type))
    Members.push_back(code(Step.Member));
  if (Members.empty())
    return "no way";
  return listed(Members, ShownInward) + " (right into one)";
}

/// Types of the picture: those of the shown ones that have a way, and what it
/// goes through.
std::vector<uint32_t> drawn(const ContextGraph &G) {
  std::set<uint32_t> All;
  for (uint32_t Type : shownTypes(G)) {
    if (G.Paths[Type].Anchor == NoType)
      continue;
    All.insert(Type);
    for (const PathStep &Step : stepsOf(G.Paths, Type))
      All.insert(Step.To);
  }
  return {All.begin(), All.end()};
}

} // namespace

std::vector<uint32_t> shownTypes(const ContextGraph &G) {
  std::vector<uint32_t> Out;
  for (uint32_t T = 0; T < G.Graph.Types.size(); ++T) {
    const bool Asked = std::find(G.Only.begin(), G.Only.end(),
                                 G.Graph.Types[T].Name) != G.Only.end();
    const bool Named = !G.Graph.Types[T].Name.starts_with("(anonymous");
    if (G.Only.empty()
            ? Named && G.Paths[T].Anchor != NoType && G.Paths[T].Pointers
            : Asked)
      Out.push_back(T);
  }
  std::stable_sort(Out.begin(), Out.end(), [&](uint32_t A, uint32_t B) {
    return std::pair(G.Paths[A].Pointers, G.Graph.Types[A].Name) <
           std::pair(G.Paths[B].Pointers, G.Graph.Types[B].Name);
  });
  return Out;
}

Document describe(const ContextGraph &G) {
  Document Doc;
  Doc.Name = "contexts graph";
  const std::vector<uint32_t> Types = shownTypes(G);
  std::string Anchors;
  for (const std::string &Name : G.Anchors)
    Anchors += (Anchors.empty() ? "" : ", ") + Name;
  Doc.Title = "ways from types to " + Anchors + " in " + G.Source;
  uint64_t Pointers = 0;
  for (const LinkedType &Of : G.Graph.Types)
    for (const TypeLink &Link : Of.Links)
      Pointers += !Link.Held;
  Doc.Head.push_back(Paragraph{
      counted(G.Graph.Types.size(), "type") + " with " +
      counted(Pointers, "pointer") + " to others; " +
      std::to_string(Types.size()) +
      (G.Only.empty() ? " lead to an anchor by at most "
                      : " are asked for, by at most ") +
      counted(G.MostPointers, "pointer") +
      ". A way says where an object may lead, not that it does: `contexts "
      "report` follows the pointers that were stored"});
  if (G.UnknownPointers)
    Doc.Head.push_back(Paragraph{strong("note: ") +
                                 (counted(G.UnknownPointers, "pointer") +
                                  " by a typedef's name are not followed")});
  Section Part;
  Part.Title = "shortest ways";
  Part.Wide = true;
  Table T{{{"type", false, true},
           {"anchor", false, true},
           {"pointers", true},
           {"way", false}}};
  if (G.HasStores)
    T.Columns.push_back({"the first pointer is stored by", false});
  for (uint32_t Type : Types) {
    const AnchorPath &Path = G.Paths[Type];
    const bool None = Path.Anchor == NoType;
    Table::Row Row{
        {code(G.Graph.Types[Type].Name),
         None ? Sentence("-") : code(G.Graph.Types[Path.Anchor].Name),
         None ? "-" : std::to_string(Path.Pointers), wayOf(G, Type)}};
    if (G.HasStores) {
      std::vector<Sentence> By;
      if (!None && Path.Pointers)
        for (const std::string &Site : storesOf(G, Path.Next))
          By.push_back(code(Site));
      Row.Cells.push_back(By.empty() ? Sentence("-") : listed(By, ShownStores));
    }
    T.Rows.push_back(std::move(Row));
  }
  T.shorten(ShownWays, " types");
  if (T.Rows.empty())
    Part.Body.push_back(Paragraph{"No type leads to an anchor."});
  else
    Part.Body.push_back(std::move(T));
  if (std::any_of(Types.begin(), Types.end(), [&](uint32_t Type) {
        return G.Paths[Type].Anchor == NoType && !inwardOf(G, Type).empty();
      }))
    Part.Body.push_back(Paragraph{
        soft("right into one: no type says so, but where the pointer leads "
             "into an object with an anchor, `contexts report` takes that for "
             "the way")});
  Doc.Sections.push_back(std::move(Part));
  return Doc;
}

std::string toJson(const ContextGraph &G, const ToolId &Tool) {
  Json Types = Json::array();
  for (uint32_t Type : shownTypes(G)) {
    const AnchorPath &Path = G.Paths[Type];
    Json Steps = Json::array();
    if (Path.Anchor != NoType)
      for (const PathStep &Step : stepsOf(G.Paths, Type))
        Steps.push_back({{"member", Step.Member},
                         {"offset", Step.OffsetBytes},
                         {"to", G.Graph.Types[Step.To].Name},
                         {"stored_by", storesOf(G, Step)}});
    Json Row = {{"type", G.Graph.Types[Type].Name},
                {"size", G.Graph.Types[Type].SizeBytes}};
    if (Path.Anchor == NoType)
      Row["anchor"] = nullptr;
    else
      Row["anchor"] = G.Graph.Types[Path.Anchor].Name;
    Row["steps"] = std::move(Steps);
    Json Inward = Json::array();
    for (const PathStep &Step : inwardOf(G, Type))
      Inward.push_back({{"member", Step.Member},
                        {"offset", Step.OffsetBytes},
                        {"to", G.Graph.Types[Step.To].Name}});
    Row["inward"] = std::move(Inward);
    Types.push_back(std::move(Row));
  }
  Json All = {{"schema", "kst-contexts-graph/1"},
              {"tool", {{"version", Tool.Version}, {"llvm", Tool.Llvm}}},
              {"source", G.Source},
              {"anchors", G.Anchors},
              {"most_pointers", G.MostPointers},
              {"types_in_all", G.Graph.Types.size()},
              {"unknown_pointers", G.UnknownPointers},
              {"types", std::move(Types)}};
  return jsonText(All, 1) + "\n";
}

std::string toDot(const ContextGraph &G) {
  std::string Out = "digraph contexts {\n  rankdir=RL;\n  node [shape=box];\n";
  for (uint32_t Type : drawn(G)) {
    const AnchorPath &Path = G.Paths[Type];
    Out += "  t" + std::to_string(Type) +
           " [label=" + quotedDot(G.Graph.Types[Type].Name) +
           (Path.Pointers ? "" : ", style=bold") + "];\n";
    if (Path.Pointers)
      Out += "  t" + std::to_string(Type) + " -> t" +
             std::to_string(Path.Next.To) +
             " [label=" + quotedDot(Path.Next.Member) + "];\n";
  }
  return Out + "}\n";
}

std::string toSvg(const ContextGraph &G) {
  constexpr unsigned ColumnWidth = 260, RowHeight = 24, BoxWidth = 170,
                     BoxHeight = 18, Margin = 10,
                     MostLetters = 24; ///< that a box has room for
  std::map<uint32_t, std::pair<unsigned, unsigned>> At; ///< x, y of boxes
  std::vector<unsigned> Rows(G.MostPointers + 1);
  unsigned Height = 0;
  for (uint32_t Type : drawn(G)) {
    const unsigned Column = G.Paths[Type].Pointers;
    const unsigned Y = Margin + Rows[Column]++ * RowHeight;
    At[Type] = {Margin + Column * ColumnWidth, Y};
    Height = std::max(Height, Y + RowHeight);
  }
  const unsigned Width = 2 * Margin + G.MostPointers * ColumnWidth + BoxWidth;
  std::string Lines, Boxes;
  for (const auto &[Type, Place] : At) {
    const AnchorPath &Path = G.Paths[Type];
    const auto [X, Y] = Place;
    if (auto To = At.find(Path.Next.To); Path.Pointers && To != At.end())
      Lines += "<line x1=\"" + std::to_string(X) + "\" y1=\"" +
               std::to_string(Y + BoxHeight / 2) + "\" x2=\"" +
               std::to_string(To->second.first + BoxWidth) + "\" y2=\"" +
               std::to_string(To->second.second + BoxHeight / 2) +
               "\" stroke=\"#999\"><title>" +
               escapedHtml(G.Graph.Types[Type].Name + "." + Path.Next.Member) +
               "</title></line>\n";
    const std::string &Name = G.Graph.Types[Type].Name;
    const bool Long = Name.size() > MostLetters;
    Boxes += "<rect x=\"" + std::to_string(X) + "\" y=\"" + std::to_string(Y) +
             "\" width=\"" + std::to_string(BoxWidth) + "\" height=\"" +
             std::to_string(BoxHeight) + "\" fill=\"" +
             (Path.Pointers ? "#fff" : "#def") +
             "\" stroke=\"#555\"/><text x=\"" + std::to_string(X + 4) +
             "\" y=\"" + std::to_string(Y + 13) + "\"" +
             (Long ? " textLength=\"" + std::to_string(BoxWidth - 8) +
                         "\" lengthAdjust=\"spacingAndGlyphs\""
                   : "") +
             ">" + escapedHtml(Name) + "</text>\n";
  }
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
         std::to_string(Width) + "\" height=\"" +
         std::to_string(Height + Margin) +
         "\" font-family=\"monospace\" font-size=\"11\">\n" + Lines + Boxes +
         "</svg>\n";
}

} // namespace kst
