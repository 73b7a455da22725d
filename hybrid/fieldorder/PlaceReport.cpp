// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/PlaceReport.h"

#include "hybrid/fieldorder/EvidenceWords.h"
#include "hybrid/fieldorder/JsonLayouts.h"
#include "hybrid/fieldorder/JsonMeasured.h"
#include "hybrid/report/JsonText.h"
#include "hybrid/report/Numbers.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace kst {

namespace {

using Json = nlohmann::ordered_json;

const char *toWord(Writer Who) {
  switch (Who) {
  case Writer::None:
    return "none";
  case Writer::Local:
    return "local";
  case Writer::Remote:
    return "remote";
  }
  return "none";
}

std::string nameOf(const PlaceReport &R, uint32_t F) {
  const std::string &Name = R.Record.Fields[F].Name;
  return Name.empty() ? "(unnamed " + std::to_string(F) + ")" : Name;
}

std::string afterOf(const PlaceReport &R, const Gap &G) {
  return G.After == Gap::Front ? "(the front)" : nameOf(R, G.After);
}

std::string bytes(uint64_t Bits) {
  return Bits % 8 ? counted(Bits, "bit") : counted(Bits / 8, "byte");
}

/// In one word for programs: hole, padding, shifts, grows.
const char *kindOf(const Gap &G, const GapInConfig &In) {
  if (In.Grows)
    return "grows";
  if (In.Shifted)
    return "shifts";
  return G.End ? "padding" : "hole";
}

std::string spaceOf(const Gap &G, const GapInConfig &In) {
  if (In.Grows > 0)
    return "grows by " + counted(static_cast<uint64_t>(In.Grows), "byte");
  if (In.Grows < 0)
    return "shrinks by " + counted(static_cast<uint64_t>(-In.Grows), "byte");
  if (In.Shifted)
    return "shifts others";
  return (G.End ? "padding of " : "hole of ") + bytes(In.HoleBits);
}

std::string signedPercent(double Share) {
  std::string Text = fixed(Share * 100, 2);
  if (Text == "-0.00")
    Text = "0.00";
  return (Text[0] == '-' ? "" : "+") + Text + "%";
}

Table places(const PlaceReport &R) {
  const double Now = R.Advice.Now.total();
  Table T{{{"rank", true},
           {"after"},
           {"offset", true},
           {"line", true},
           {"space"},
           {"shifted", true},
           {"other line", true}}};
  if (Now > 0)
    for (const char *Part : {"cost", "lines", "sharing", "padding"})
      T.Columns.push_back({Part, true});
  constexpr size_t Most = 10;
  bool Holes = false;
  size_t Good = 0, Few = 0;
  for (size_t Rank = 0; Rank < R.Advice.Gaps.size(); ++Rank) {
    const Gap &G = R.Advice.Gaps[Rank];
    const GapInConfig &In = G.In.front();
    // The first ten, the first that fits, the end.
    bool FirstHole = G.fits() && !Holes;
    Holes |= FirstHole;
    bool Listed = R.Advice.Evidence || G.fits();
    bool Shows = FirstHole || G.End || (Listed && Good < Most);
    Good += Shows && Listed;
    Few += Shows;
    std::string Offset = std::to_string(In.OffsetBits / 8);
    if (R.Asked.Shapes.front().BitField)
      Offset += ":" + std::to_string(In.OffsetBits % 8);
    T.Rows.push_back(
        {{std::to_string(Rank + 1), afterOf(R, G), Offset,
          std::to_string(In.OffsetBits / 8 / R.LineBytes), spaceOf(G, In),
          std::to_string(In.Shifted), std::to_string(In.LinesChanged)},
         Shows ? Shown::Always : Shown::Full});
    if (Now > 0)
      for (double Part : {In.Change.total(), In.Change.Lines, In.Change.Sharing,
                          In.Change.Padding})
        T.Rows.back().Cells.push_back(signedPercent(Part / Now));
  }
  T.Rest = std::to_string(T.Rows.size() - Few) + " of " +
           counted(T.Rows.size(), "place") + " more";
  return T;
}

/// What there is to say about single places: of those that Ranked shows.
Bullets placeNotes(const PlaceReport &R, const Table &Ranked) {
  Bullets Notes;
  for (size_t Rank = 0; Rank < R.Advice.Gaps.size(); ++Rank) {
    const Gap &G = R.Advice.Gaps[Rank];
    std::string Head = std::to_string(Rank + 1) + ": ";
    Shown When = Ranked.Rows[Rank].When;
    for (const std::string &Note : G.Notes)
      Notes.Items.push_back({Head + Note, When});
    for (size_t C = 1; C < G.In.size(); ++C)
      Notes.Items.push_back(
          {Head + R.Configs[C] + " (" + R.Triples[C] + "): offset " +
               std::to_string(G.In[C].OffsetBits / 8) + ", line " +
               std::to_string(G.In[C].OffsetBits / 8 / R.LineBytes) + ", " +
               spaceOf(G, G.In[C]),
           When});
  }
  return Notes;
}

std::string usedWith(const PlaceReport &R) {
  std::string Out;
  for (uint32_t F : R.Asked.UsedWith)
    Out += (Out.empty() ? "" : ", ") + nameOf(R, F);
  return Out;
}

std::string fieldLine(const PlaceReport &R) {
  const FieldInfo &Field = R.Asked.Shapes.front();
  std::string Out = "new field: " + R.Declaration + ", " +
                    bytes(Field.SizeBits) + " at a multiple of " +
                    counted(Field.AlignBytes, "byte") + "; written by " +
                    (R.Asked.Writes == Writer::None    ? "nobody"
                     : R.Asked.Writes == Writer::Local ? "the owner"
                                                       : "other CPUs");
  if (R.Asked.Writes != Writer::None)
    Out += ", " + brief(R.Asked.WriteShare) + " times per visit that uses it";
  return Out;
}

/// "after x: offset 8, line 0, hole of 4 bytes".
std::string spotOf(const PlaceReport &R, const Gap &G) {
  const GapInConfig &In = G.In.front();
  std::string Out =
      G.After == Gap::Front ? "first: " : "after " + afterOf(R, G) + ": ";
  return Out + "offset " + std::to_string(In.OffsetBits / 8) + ", line " +
         std::to_string(In.OffsetBits / 8 / R.LineBytes) + ", " +
         spaceOf(G, In);
}

/// One sentence, or two where the best place moves other fields.
std::vector<std::string> answer(const PlaceReport &R) {
  const std::vector<Gap> &Gaps = R.Advice.Gaps;
  const Gap &Best = Gaps.front();
  const GapInConfig &In = Best.In.front();
  std::string First = "put it " + spotOf(R, Best);
  if (Best.fits())
    return {First};
  First += "; " + std::to_string(In.Shifted) +
           " other fields get another offset, " +
           std::to_string(In.LinesChanged) + " another line";
  auto Fits = std::ranges::find_if(Gaps, [](const Gap &G) { return G.fits(); });
  return {First, Fits == Gaps.end()
                     ? "no hole takes it without moving others"
                     : "or, if nothing else is to move, " + spotOf(R, *Fits)};
}

Json gapOf(const PlaceReport &R, size_t Rank) {
  const Gap &G = R.Advice.Gaps[Rank];
  Json Configs = Json::array();
  for (const GapInConfig &In : G.In)
    Configs.push_back({{"offset", In.OffsetBits / 8},
                       {"offset_bits", In.OffsetBits},
                       {"line", In.OffsetBits / 8 / R.LineBytes},
                       {"space", kindOf(G, In)},
                       {"hole_bits", In.HoleBits},
                       {"size", In.SizeBytes},
                       {"grows", In.Grows},
                       {"shifted", In.Shifted},
                       {"other_line", In.LinesChanged},
                       {"change", costJson(In.Change)}});
  Json After;
  if (G.After != Gap::Front)
    After = R.Record.Fields[G.After].Name;
  return {
      {"rank", Rank + 1},
      {"after", std::move(After)},
      {"after_index", G.After == Gap::Front ? Json(nullptr) : Json(G.After)},
      {"end", G.End},
      {"fits", G.fits()},
      {"change", rounded(G.Change)},
      {"configs", std::move(Configs)},
      {"notes", Json(G.Notes)}};
}

} // namespace

Document describe(const PlaceReport &R) {
  Document Doc;
  Doc.Name = R.Record.Name;
  Doc.Title = "struct " + R.Record.Name + "  " +
              soft(R.Record.File + ":" + std::to_string(R.Record.Line)) +
              "; target " + R.Triples.front();
  auto Say = [](std::vector<Block> &To, Sentence Said) {
    To.push_back(Paragraph{std::move(Said)});
  };
  Say(Doc.Head, fieldLine(R));
  Say(Doc.Head, "evidence: " + R.Evidence);
  std::string Users = ownershipWords(R.Users, R.Advice.Now.Sharing > 0);
  if (!Users.empty())
    Say(Doc.Head, "users of an object: " + Users);
  if (!R.Advice.Evidence) {
    Say(Doc.Head, "insufficient evidence: no visit was seen that touches " +
                      usedWith(R) +
                      "; below are the holes that the field fits, and the end");
  } else {
    double Share = R.AllVisits > 0 ? R.Advice.Visits / R.AllVisits : 0;
    Say(Doc.Head, "used with " + usedWith(R) + ": by " + percent(Share) +
                      " of all visits");
    Doc.Sections.emplace_back();
    for (const std::string &Sentence : answer(R))
      Say(Doc.Sections.back().Body, strong(Sentence));
  }
  for (const std::string &Note : R.Advice.Notes)
    Say(Doc.Sections.empty() ? Doc.Head : Doc.Sections.back().Body,
        "note: " + Note);
  Table Ranked = places(R);
  Bullets Notes = placeNotes(R, Ranked);
  Section &Part = Doc.Sections.emplace_back();
  Part.Wide = true;
  Part.Body.push_back(std::move(Ranked));
  Part.Body.push_back(std::move(Notes));
  if (double Now = R.Advice.Now.total(); Now > 0) {
    Section &Words = Doc.Sections.emplace_back();
    Say(Words.Body, "cost: change in percent of the present cost, " +
                        brief(Now) + "; below a difference of " +
                        percent(EqualCostShare) +
                        " the better space comes first.");
    if (R.Advice.Everywhere > 0)
      Say(Words.Body, signedPercent(R.Advice.Everywhere / Now) +
                          " of it are the remote writes themselves, wherever "
                          "the field lies.");
  }
  return Doc;
}

std::string toJson(const PlaceReport &R) {
  const FieldInfo &Field = R.Asked.Shapes.front();
  Json UsedWith = Json::array(), Configs = Json::array(), Gaps = Json::array();
  for (uint32_t F : R.Asked.UsedWith)
    UsedWith.push_back(R.Record.Fields[F].Name);
  for (size_t C = 0; C < R.Configs.size(); ++C) {
    const FieldInfo &Here = R.Asked.Shapes[C];
    Configs.push_back({{"name", R.Configs[C]},
                       {"triple", R.Triples[C]},
                       {"field_bits", Here.SizeBits},
                       {"field_align", Here.AlignBytes}});
  }
  for (size_t I = 0; I < R.Advice.Gaps.size(); ++I)
    Gaps.push_back(gapOf(R, I));
  Json All = {
      {"schema", "kst-place/1"},
      {"tool", {{"version", R.Tool.Version}, {"llvm", R.Tool.Llvm}}},
      {"struct", R.Record.Name},
      {"defined_at", R.Record.File + ":" + std::to_string(R.Record.Line)},
      {"size", R.Record.SizeBytes},
      {"cache_line", R.LineBytes},
      {"machine", R.Machine},
      {"field",
       {{"declaration", R.Declaration},
        {"name", Field.Name},
        {"type", Field.TypeName},
        {"used_with", std::move(UsedWith)},
        {"writes", toWord(R.Asked.Writes)},
        {"write_share", rounded(R.Asked.WriteShare)}}},
      {"configs", std::move(Configs)},
      {"verdict", R.Advice.Evidence ? "place" : "insufficient-evidence"},
      {"visits", rounded(R.Advice.Visits)},
      {"visits_share",
       rounded(R.AllVisits > 0 ? R.Advice.Visits / R.AllVisits : 0)},
      {"cost", costJson(R.Advice.Now)},
      {"everywhere", rounded(R.Advice.Everywhere)},
      {"users", usersJson(R.Users)},
      {"evidence", R.Evidence},
      {"notes", Json(R.Advice.Notes)},
      {"places", std::move(Gaps)}};
  if (!R.Reference.empty())
    All["reference"] = {{"name", R.Reference},
                        {"share", rounded(R.ReferenceShare)}};
  return jsonText(All, 1) + "\n";
}

} // namespace kst
