// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `isolation map`, `impact`, `plan` and `verify` say, as documents for
// people.

#include "hybrid/isolation/IsolationReport.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {
namespace {

constexpr size_t ShownRows = 20;

/// "+64", "-16", "0".
std::string movedBy(uint64_t Was, uint64_t Is) {
  const int64_t By = int64_t(Is - Was);
  return (By > 0 ? "+" : "") + std::to_string(By);
}

Paragraph model() {
  return {soft("Model: addresses as the linker gives them when sizes change "
               "and nothing else does; heat is how many source lines run, not "
               "time. Alignment A keeps addresses modulo A and no more.")};
}

/// What every answer rests on.
std::vector<Block> linkHead(const LinkFacts &Of) {
  std::vector<Block> Out;
  Out.push_back(Paragraph{
      "Link: " + counted(Of.Objects, "object file") + ", " +
      (Of.TwoSteps ? "two links (ld -r before the final one)" : "one link") +
      "; " + counted(Of.Explained, "statement") +
      " of the maps replayed to their addresses, " +
      std::to_string(Of.Odd.size()) + " not."});
  Bullets Odd;
  for (size_t I = 0; I < std::min(Of.Odd.size(), ShownRows); ++I)
    Odd.Items.push_back({Of.Odd[I].What + ": expected " +
                             hexText(Of.Odd[I].Expected) + ", is " +
                             hexText(Of.Odd[I].Found),
                         Shown::Full});
  if (!Odd.Items.empty())
    Out.push_back(std::move(Odd));
  return Out;
}

void addMismatches(Section &To, const std::string &What,
                   const std::vector<SymbolMismatch> &All) {
  if (All.empty())
    return;
  Table T{{{"symbol", false, true},
           {"file"},
           {"was", true},
           {"predicted", true},
           {"found", true}}};
  for (const SymbolMismatch &M : All)
    T.Rows.push_back({{code(M.Name), M.File, hexText(M.Was),
                       hexText(M.Predicted), hexText(M.Found)}});
  T.shorten(ShownRows);
  To.Body.push_back(Paragraph{strong(What)});
  To.Body.push_back(std::move(T));
}

/// Files with absolute names are the system's: their last name tells.
std::string shownObject(const std::string &Name) {
  return Name.starts_with("/")
             ? Name.substr(Name.rfind('/', Name.find(".a(")) + 1)
             : Name;
}

} // namespace

std::string joined(const std::vector<std::string> &Words) {
  std::string Out;
  for (const std::string &Word : Words)
    Out += (Out.empty() ? "" : ", ") + Word;
  return Out.empty() ? "-" : Out;
}

std::vector<ChainRow> chainRows(const LinkedImage &Image,
                                const FunctionHeat &Heat) {
  const std::map<LinkPiece, double> Hot = pieceHeat(Image, Heat);
  std::vector<ChainRow> Out;
  for (const Chain &C : chainsOf(Image)) {
    ChainRow Row;
    Row.Name = C.Section;
    Row.Output = C.Output;
    Row.Array = C.Array;
    uint64_t Begin = ~uint64_t(0), End = 0;
    for (const LinkPiece &P : C.Pieces) {
      const uint64_t Size = Image.statement(P).SizeBytes,
                     At = Image.addressOf(P, Image.base());
      ++Row.Objects;
      Row.SizeBytes += Size;
      Begin = std::min(Begin, At);
      End = std::max(End, At + Size);
      if (const ObjectSection *In = Image.section(P))
        Row.MostAlignBytes = std::max(Row.MostAlignBytes, In->AlignBytes);
      if (Size > Row.LargestBytes) {
        Row.LargestBytes = Size;
        Row.Largest = Image.statement(P).Text;
      }
      if (const auto H = Hot.find(P); H != Hot.end())
        Row.Heat += H->second;
    }
    Row.Address = Begin;
    Row.PaddingBytes = End - Begin - Row.SizeBytes;
    Out.push_back(std::move(Row));
  }
  std::stable_sort(Out.begin(), Out.end(),
                   [](const ChainRow &A, const ChainRow &B) {
                     return A.Address < B.Address;
                   });
  return Out;
}

Document describe(const MapReport &R) {
  Document Doc;
  Doc.Name = "map";
  Doc.Title = "chains of sections of " + R.Link.Image;
  Doc.Head = linkHead(R.Link);
  Table T{{{"section", false, true},
           {"objects", true},
           {"address", true},
           {"bytes", true},
           {"between", true},
           {"align", true},
           {"heat", true},
           {"largest"}}};
  // A small program has no long chain: then all are shown.
  const bool Long =
      std::any_of(R.Chains.begin(), R.Chains.end(),
                  [](const ChainRow &C) { return C.Objects > ShownRows; });
  for (const ChainRow &C : R.Chains) {
    Table::Row Row{
        {code(C.Name + (C.Array ? " []" : "")), std::to_string(C.Objects),
         hexText(C.Address), std::to_string(C.SizeBytes),
         std::to_string(C.PaddingBytes), std::to_string(C.MostAlignBytes),
         C.Heat > 0 ? heat(C.Heat) : Sentence("-"),
         shownObject(C.Largest) + " (" + std::to_string(C.LargestBytes) + ")"}};
    Row.When = C.Objects > ShownRows || !Long ? Shown::Always : Shown::Full;
    T.Rows.push_back(std::move(Row));
  }
  T.Rest = "chains of at most 20 objects with --full";
  Section S{"chains, in the order of addresses", {std::move(T)}};
  S.Body.push_back(Paragraph{
      soft("[]: tables that code walks as arrays; they are never padded. "
           "between: bytes between the chain's objects, padding or other "
           "sections.")});
  Doc.Sections.push_back(std::move(S));
  return Doc;
}

Document describe(const VerifyReport &R) {
  const LinkCheck &C = R.Check;
  Document Doc;
  Doc.Name = "verify";
  Doc.Title = "predicted addresses of " + R.Link.Image + ", relinked";
  Doc.Head = linkHead(R.Link);
  const size_t Bad = C.Wrong.size() + C.OnlyNew + C.OnlyPredicted;
  Section S;
  S.Title =
      strong(Bad == 1 ? "1 mismatch" : std::to_string(Bad) + " mismatches");
  S.Verdict = true;
  S.Body.push_back(Paragraph{
      std::to_string(C.Equal) + " of " + counted(C.Symbols, "symbol") +
      " are where they were predicted, " + std::to_string(C.Moved) +
      " of them elsewhere than before. Changed: " + joined(R.Changed) + "."});
  if (!R.Generated.empty()) {
    Table T{
        {{"generated by the link", false, true}, {"was", true}, {"is", true}}};
    for (size_t I = 0; I < R.Generated.size(); ++I)
      T.Rows.push_back(
          {{code(R.GeneratedNames[I]), std::to_string(R.Generated[I].Was),
            std::to_string(R.Generated[I].Is)}});
    S.Body.push_back(Paragraph{
        "Sizes of sections that no object file has were taken from the new "
        "map. Without that " +
        std::to_string(R.WithoutGiven) + " symbols are predicted."});
    S.Body.push_back(std::move(T));
  }
  if (C.Unplaced)
    S.Body.push_back(Paragraph{counted(C.Unplaced, "symbol") +
                               " of the old image in no section of the map."});
  if (Bad && !R.Link.Odd.empty())
    S.Body.push_back(Paragraph{
        "What lies behind statements of the maps that were not replayed to "
        "their addresses (--full lists them) may be elsewhere for that "
        "reason."});
  addMismatches(S, "elsewhere than predicted", C.Wrong);
  addMismatches(S, "only in the new image", C.Unforeseen);
  addMismatches(S, "predicted and not in the new image", C.Missing);
  Doc.Sections.push_back(std::move(S));
  return Doc;
}

Document describe(const PlanReport &R) {
  const IsolationPlan &P = R.Plan;
  Document Doc;
  Doc.Name = "plan";
  Doc.Title = "isolation of " + P.Asked.Section + " of " + R.Link.Image;
  Doc.Head = linkHead(R.Link);
  Doc.Head.push_back(Paragraph{"Heat: " + R.HeatOf + ". Change: " +
                               (R.Churn ? "how often each file changed in the "
                                          "history"
                                        : "every object alike") +
                               "."});
  Doc.Head.push_back(model());
  Section S;
  S.Verdict = true;
  const double Before = P.Steps.front().Exact, Now = P.Steps.back().Exact;
  S.Title = strong("displaced heat " + percent(Before) + " to " + percent(Now) +
                   " with " + counted(P.Cuts.size(), "aligned object"));
  S.Body.push_back(Paragraph{
      "One change of size moves " + percent(Before) + " of the heat of " +
      counted(P.Objects, "object") + " on average, and " + percent(Now) +
      " when " + std::to_string(P.Cuts.size()) + " of them are aligned to " +
      std::to_string(P.Asked.AlignBytes) +
      " bytes: " + std::to_string(P.PaddingBytes) + " bytes of padding in " +
      std::to_string(P.SizeBytes) +
      ". All objects aligned so: " + std::to_string(P.AllPaddingBytes) +
      " bytes. What is behind the change "
      "in its own object moves in any case and is not counted: at most " +
      percent(P.OwnObjects) + " more."});
  Doc.Sections.push_back(std::move(S));
  Table T{{{"cuts", true}, {"exact", true}, {"greedy", true}, {"even", true}}};
  T.Shape = Table::Picture::Lines;
  for (const PlanStep &Step : P.Steps) {
    Table::Row Row{{std::to_string(Step.Cuts), percent(Step.Exact),
                    percent(Step.Greedy), percent(Step.Even)}};
    Row.X = Step.Cuts;
    Row.Ys = {Step.Exact, Step.Greedy, Step.Even};
    const bool Power = (Step.Cuts & (Step.Cuts - 1)) == 0;
    Row.When = Power || &Step == &P.Steps.back() ? Shown::Always : Shown::Full;
    T.Rows.push_back(std::move(Row));
  }
  T.Rest = "every number of cuts with --full";
  Doc.Sections.push_back(
      {"displaced heat against the number of cuts", {std::move(T)}});
  Table Cuts{{{"segment begins with", false, true},
              {"at", true},
              {"padding", true},
              {"objects", true},
              {"changes", true},
              {"heat", true}}};
  Cuts.Shape = Table::Picture::Bars;
  Cuts.BarColumn = 5;
  Table::Row First{{code(shownObject(P.Order.front())), "-", "-",
                    std::to_string(P.First.Objects), percent(P.First.Churn),
                    percent(P.First.Heat)}};
  First.Y = P.First.Heat;
  Cuts.Rows.push_back(std::move(First));
  for (const CutRow &C : P.Cuts) {
    Table::Row Row{{code(shownObject(C.Object)), hexText(C.AddressWas),
                    std::to_string(C.PaddingBytes),
                    std::to_string(C.SegmentObjects), percent(C.SegmentChurn),
                    percent(C.SegmentHeat)}};
    Row.Y = C.SegmentHeat;
    Cuts.Rows.push_back(std::move(Row));
  }
  Section Chain{"the chain, segment by segment", {std::move(Cuts)}};
  Chain.Wide = true;
  Doc.Sections.push_back(std::move(Chain));
  return Doc;
}

Document describe(const ImpactReport &R) {
  const Impact &B = R.Found;
  Document Doc;
  Doc.Name = "impact";
  Doc.Title = "what a change of size moves in " + R.Link.Image;
  Doc.Head = linkHead(R.Link);
  Doc.Head.push_back(
      Paragraph{"Change: " + joined(R.Changes) + ". Heat: " + R.HeatOf + "."});
  Doc.Head.push_back(model());
  Section S;
  S.Verdict = true;
  S.Title = strong(B.MovedFunctions + B.MovedData
                       ? counted(B.MovedFunctions, "function") + " and " +
                             std::to_string(B.MovedData) + " data symbols move"
                       : "nothing moves: padding absorbs the change");
  Table T{{{"modulo", true},
           {"functions changed", true},
           {"of the heat", true},
           {"in other objects", true},
           {"data changed", true}}};
  for (const ModuloRow &M : B.Moduli)
    T.Rows.push_back(
        {{std::to_string(M.ModuloBytes),
          std::to_string(M.Functions) + " of " + std::to_string(B.Functions),
          percent(M.Heat), percent(M.OtherHeat),
          std::to_string(M.Data) + " of " + std::to_string(B.Data)}});
  S.Body.push_back(std::move(T));
  if (B.New && !R.Relinked)
    S.Body.push_back(Paragraph{
        "The change adds " + counted(B.New, "symbol") +
        ". They take room here, but who uses them is not known before the "
        "link: with --new IMAGE, the relinked one, they share lines too."});
  Doc.Sections.push_back(std::move(S));
  if (!B.Hottest.empty()) {
    Table Hot{{{"function", false, true},
               {"object"},
               {"was", true},
               {"moves", true},
               {"heat", true}}};
    for (const MovedFunction &F : B.Hottest)
      Hot.Rows.push_back({{code(F.Name), shownObject(F.Object), hexText(F.Was),
                           movedBy(F.Was, F.Is), heat(F.Heat)}});
    Hot.shorten(ShownRows);
    Section Moved{"hottest functions on other places of their lines",
                  {std::move(Hot)}};
    Moved.Wide = true;
    Doc.Sections.push_back(std::move(Moved));
  }
  // Misses first: they are worth more than what instructions tell.
  Table Pairs{{{"sharing", false, true}}};
  if (!B.Trace.empty())
    for (const char *Name : {"misses before", "after"})
      Pairs.Columns.push_back({Name, true});
  for (const Table::Column &C : {Table::Column{"written", false, true},
                                 {"by"},
                                 {"read", false, true},
                                 {"by"},
                                 {"line", true},
                                 {"cost", true}})
    Pairs.Columns.push_back(C);
  for (const GlobalPair &P : B.Pairs) {
    Table::Row Row{{P.Starts ? Sentence("starts", Mark::Hot) : soft("stops")}};
    if (!B.Trace.empty())
      for (uint64_t Count : {P.FalseBefore, P.FalseAfter})
        Row.Cells.push_back(std::to_string(Count));
    for (Sentence Cell :
         {code(P.Written.Name), Sentence(joined(P.Written.Writers)),
          code(P.Read.Name), Sentence(joined(P.Read.Readers)),
          Sentence(hexText(P.Line)), P.Cost > 0 ? heat(P.Cost) : Sentence("-")})
      Row.Cells.push_back(std::move(Cell));
    Pairs.Rows.push_back(std::move(Row));
  }
  Pairs.shorten(ShownRows);
  Section Data{"globals that start or stop sharing a line"};
  const std::string Count = std::to_string(B.PairsStarting) +
                            " pairs start and " +
                            std::to_string(B.PairsEnding) + " stop; ";
  if (!B.PairsStarting && !B.PairsEnding)
    Data.Body.push_back(
        Paragraph{"None: all globals have the neighbours they had."});
  else if (B.Uses == 0)
    Data.Body.push_back(Paragraph{
        Count + "which of them matter is not known: no instruction that names "
                "data was found. Code of x86-64 is read, of others none; a "
                "trace counts the misses of all globals together (--trace)."});
  else
    Data.Body.push_back(Paragraph{
        Count + "of them " + std::to_string(B.Pairs.size()) +
        " have one that running code writes, and one that other code reads and "
        "writes less. Who does, is from the instructions of the image that "
        "name the global (" +
        std::to_string(B.Uses) + "; " + std::to_string(B.UsesOutside) +
        " at no known symbol), and what functions do with an address that is "
        "passed to them; other accesses through pointers are not seen. cost: "
        "the lesser of the heat of the functions that write the one and of "
        "those that read the other; a store on a path that is hardly ever "
        "taken counts as its function."});
  if (!B.Trace.empty())
    Data.Body.push_back(Paragraph{
        "Replay of " + B.Trace + ": " + std::to_string(B.FalseBefore) +
        " misses of globals by false sharing before, " +
        std::to_string(B.FalseAfter) + " after. " +
        (B.PairsOfTrace ? std::to_string(B.PairsOfTrace) +
                              " of the pairs are known from its misses alone. "
                        : "") +
        "Globals that are new have no accesses in it."});
  if (!Pairs.Rows.empty())
    Data.Body.push_back(std::move(Pairs));
  Doc.Sections.push_back(std::move(Data));
  return Doc;
}

} // namespace kst
