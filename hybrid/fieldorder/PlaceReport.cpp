// SPDX-License-Identifier: GPL-2.0-or-later
//
// See PlaceReport.h.

#include "hybrid/fieldorder/PlaceReport.h"

#include "hybrid/fieldorder/JsonMeasured.h"
#include "hybrid/fieldorder/OwnershipView.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/report/TextStyle.h"

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

struct Table {
  std::vector<std::vector<std::string>> Rows;
  std::string text() const {
    std::vector<size_t> Widths;
    for (const auto &Row : Rows)
      for (size_t C = 0; C < Row.size(); ++C) {
        Widths.resize(std::max(Widths.size(), C + 1));
        Widths[C] = std::max(Widths[C], Row[C].size());
      }
    std::string Out;
    for (const auto &Row : Rows) {
      std::string Line;
      for (size_t C = 0; C < Row.size(); ++C) {
        bool Left = C == 1 || C == 4;
        Line += "  " + (Left ? padRight(Row[C], Widths[C])
                             : padLeft(Row[C], Widths[C]));
      }
      Line.erase(Line.find_last_not_of(' ') + 1);
      Out += Line + "\n";
    }
    return Out;
  }
};

std::vector<std::string> rowOf(const PlaceReport &R, size_t Rank) {
  const Gap &G = R.Advice.Gaps[Rank];
  const GapInConfig &In = G.In.front();
  std::string Offset = std::to_string(In.OffsetBits / 8);
  if (R.Asked.Shapes.front().BitField)
    Offset += ":" + std::to_string(In.OffsetBits % 8);
  std::vector<std::string> Row = {
      std::to_string(Rank + 1),
      shortened(afterOf(R, G), 30),
      Offset,
      std::to_string(In.OffsetBits / 8 / R.LineBytes),
      spaceOf(G, In),
      std::to_string(In.Shifted),
      std::to_string(In.LinesChanged)};
  double Now = R.Advice.Now.total();
  if (Now > 0)
    for (double Part : {In.Change.total(), In.Change.Lines, In.Change.Sharing,
                        In.Change.Padding})
      Row.push_back(signedPercent(Part / Now));
  return Row;
}

/// The ranks that are shown: the first ten, the first that fits, the end.
std::vector<size_t> shownRanks(const PlaceReport &R) {
  constexpr size_t Most = 10;
  const std::vector<Gap> &Gaps = R.Advice.Gaps;
  bool Holes = false;
  std::vector<size_t> Ranks;
  size_t Good = 0;
  for (size_t I = 0; I < Gaps.size(); ++I) {
    bool FirstHole = Gaps[I].fits() && !Holes;
    Holes |= FirstHole;
    bool Listed = R.Advice.Evidence || Gaps[I].fits();
    if (R.Full || FirstHole || Gaps[I].End || (Listed && Good < Most)) {
      Ranks.push_back(I);
      Good += Listed;
    }
  }
  return Ranks;
}

std::string notesOf(const PlaceReport &R, const std::vector<size_t> &Ranks) {
  std::string Out;
  for (size_t Rank : Ranks) {
    const Gap &G = R.Advice.Gaps[Rank];
    std::string Head = "  " + std::to_string(Rank + 1) + ": ";
    for (const std::string &Note : G.Notes)
      Out += wrapped(Head, Note, 100);
    for (size_t C = 1; C < G.In.size(); ++C)
      Out += wrapped(Head,
                     R.Configs[C] + " (" + R.Triples[C] + "): offset " +
                         std::to_string(G.In[C].OffsetBits / 8) + ", line " +
                         std::to_string(G.In[C].OffsetBits / 8 / R.LineBytes) +
                         ", " + spaceOf(G, G.In[C]),
                     100);
  }
  return Out.empty() ? Out : "\n" + Out;
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
  Out = wrapped("", Out, 100);
  std::string Users = ownershipWords(R.Users, R.Advice.Now.Sharing > 0);
  return Users.empty() ? Out
                       : Out + wrapped("", "users of an object: " + Users, 100);
}

/// "after x: offset 8, line 0, hole of 4 bytes".
std::string placeOf(const PlaceReport &R, const Gap &G) {
  const GapInConfig &In = G.In.front();
  std::string Out =
      G.After == Gap::Front ? "first: " : "after " + afterOf(R, G) + ": ";
  return Out + "offset " + std::to_string(In.OffsetBits / 8) + ", line " +
         std::to_string(In.OffsetBits / 8 / R.LineBytes) + ", " +
         spaceOf(G, In);
}

std::string answer(const PlaceReport &R) {
  const std::vector<Gap> &Gaps = R.Advice.Gaps;
  const Gap &Best = Gaps.front();
  std::string Out = "put it " + placeOf(R, Best);
  if (Best.fits())
    return wrapped("", Out, 100);
  const GapInConfig &In = Best.In.front();
  Out = wrapped("",
                Out + "; " + std::to_string(In.Shifted) +
                    " other fields get another offset, " +
                    std::to_string(In.LinesChanged) + " another line",
                100);
  auto Fits = std::find_if(Gaps.begin(), Gaps.end(),
                           [](const Gap &G) { return G.fits(); });
  if (Fits == Gaps.end())
    return Out + "no hole takes it without moving others\n";
  return Out + wrapped("",
                       "or, if nothing else is to move, " + placeOf(R, *Fits),
                       100);
}

Json costOf(const Cost &C) {
  return {{"total", rounded(C.total())},
          {"lines", rounded(C.Lines)},
          {"sharing", rounded(C.Sharing)},
          {"padding", rounded(C.Padding)}};
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
                       {"change", costOf(In.Change)}});
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

std::string toText(const PlaceReport &R) {
  std::string Out = "struct " + R.Record.Name + "  " + R.Record.File + ":" +
                    std::to_string(R.Record.Line) + "; target " +
                    R.Triples.front() + "\n" + fieldLine(R);
  double Share = R.AllVisits > 0 ? R.Advice.Visits / R.AllVisits : 0;
  std::vector<size_t> Ranks = shownRanks(R);
  if (!R.Advice.Evidence)
    Out += wrapped("",
                   "insufficient evidence: no visit was seen that touches " +
                       usedWith(R) +
                       "; below are the holes that the field fits, and "
                       "the end",
                   100);
  else
    Out += wrapped("",
                   "used with " + usedWith(R) + ": by " + percent(Share) +
                       " of all visits",
                   100) +
           "\n" + answer(R);
  for (const std::string &Note : R.Advice.Notes)
    Out += wrapped("note: ", Note, 100);
  Table T;
  T.Rows.push_back(
      {"rank", "after", "offset", "line", "space", "shifted", "other line"});
  if (R.Advice.Now.total() > 0)
    for (const char *Head : {"cost", "lines", "sharing", "padding"})
      T.Rows.back().push_back(Head);
  for (size_t Rank : Ranks)
    T.Rows.push_back(rowOf(R, Rank));
  Out += "\n" + T.text();
  if (Ranks.size() < R.Advice.Gaps.size())
    Out += "  (" + std::to_string(Ranks.size()) + " of " +
           counted(R.Advice.Gaps.size(), "place") + ")\n";
  Out += notesOf(R, Ranks);
  Out += "\n";
  if (R.Advice.Now.total() > 0)
    Out +=
        wrapped("",
                "cost: change in percent of the present cost, " +
                    brief(R.Advice.Now.total()) + "; below a difference of " +
                    percent(EqualCostShare) + " the better space comes first.",
                100);
  if (R.Advice.Everywhere > 0)
    Out += wrapped("",
                   signedPercent(R.Advice.Everywhere / R.Advice.Now.total()) +
                       " of it are the remote writes themselves, "
                       "wherever the field lies.",
                   100);
  return Out;
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
      {"cost", costOf(R.Advice.Now)},
      {"everywhere", rounded(R.Advice.Everywhere)},
      {"users", usersJson(R.Users)},
      {"notes", Json(R.Advice.Notes)},
      {"places", std::move(Gaps)}};
  return All.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace kst
