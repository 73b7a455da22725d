// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/RewriteSurvey.h"

#include "analyzer/facts/FactsExtractor.h"
#include "analyzer/rewrite/CommentRules.h"
#include "analyzer/rewrite/Rewrite.h"
#include "hybrid/layout/FieldOffsets.h"
#include "hybrid/program/Program.h"
#include "tools/kstatic-affinity/OutputFile.h"
#include "tools/kstatic-affinity/RandomOrder.h"
#include "tools/kstatic-affinity/RewriteTarget.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace kst {
namespace {

class Survey {
public:
  Survey(const Options &Given, UnitList List)
      : Given(Given), List(std::move(List)) {}

  llvm::Error run();

private:
  void look(const RecordInfo &Record);
  void tryOrders(const RecordInfo &Record, const Definition &Of);

  const Options &Given;
  UnitList List;
  ProbeUnit Unit;
  std::map<std::string, std::string> Texts;
  std::map<std::string, unsigned> Counts;
  std::map<std::string, std::vector<std::string>> Examples;
  void count(const std::string &What, const RecordInfo &Record,
             const std::string &Detail = "") {
    ++Counts[What];
    if (!Detail.empty())
      Examples[What].push_back(Record.File + ":" + std::to_string(Record.Line) +
                               ": " + Record.Name + ": " + Detail);
  }
};

void Survey::tryOrders(const RecordInfo &Record, const Definition &Of) {
  ConstraintOptions How;
  How.Rules = Of.rules();
  Constraints Rules(Record, How);
  Chance Dice(Given.Seed);
  FieldOffsets Offsets(Record);
  for (unsigned I = 0; I != Given.RandomOrders; ++I) {
    std::vector<uint32_t> Order = randomOrder(Rules, Dice, I % 2);
    if (llvm::is_sorted(Order)) {
      count("orders: nothing moves", Record);
      continue;
    }
    auto Made = rewrite(Of, Order);
    if (!Made) {
      count("orders: refused", Record, llvm::toString(Made.takeError()));
      continue;
    }
    if (Given.NoCache) {
      count("orders: rewritten, not verified", Record);
      continue;
    }
    if (llvm::Error E = verifyPatched(
            Unit, List.SourceRoot, Record, Offsets.layout(Order),
            {{sourcePath(List.SourceRoot, Record.File), Made->Text}})) {
      std::string Why = llvm::toString(std::move(E));
      bool Asserted = Why.find("static assertion") != std::string::npos;
      count(Asserted ? "orders: the source asserts offsets"
                     : "orders: the compiler disagrees",
            Record, Why);
      continue;
    }
    count("orders: verified", Record);
  }
}

void Survey::look(const RecordInfo &Record) {
  if (Record.Union || Record.Fields.size() < 2 || Record.Name.empty() ||
      Record.Name[0] == '(' || Record.File.empty() || Record.File[0] == '/' ||
      Record.File[0] == '<')
    return;
  count("structs", Record);
  auto [It, New] = Texts.try_emplace(Record.File);
  if (New) {
    auto Text = sourceText(sourcePath(List.SourceRoot, Record.File));
    if (Text)
      It->second = std::move(*Text);
    else
      llvm::consumeError(Text.takeError());
  }
  if (!reproduces(Record)) {
    count("not reproduced by the offset model", Record, "offsets");
    return;
  }
  auto Of = Definition::parse(It->second, Record);
  if (!Of) {
    count("not understood", Record, llvm::toString(Of.takeError()));
    return;
  }
  for (const SourceRule &Rule : Of->rules())
    if (Rule.Kind == RuleKind::AllFixed)
      count("all fixed", Record,
            std::to_string(Rule.Where.Line) + ": " + Rule.Why);
    else
      count("rules of other kinds", Record,
            std::to_string(Rule.Where.Line) + ": " + Rule.Why);
  for (const SourceRule &Rule : commentRules(*Of, Record)) {
    std::string Fields;
    for (uint32_t F : Rule.Fields)
      Fields +=
          " " + (F < Record.Fields.size() ? Record.Fields[F].Name : "end");
    count("rules of comments", Record,
          std::to_string(Rule.Where.Line) + ": " + Rule.Why + Fields);
  }
  if (Of->hasAllFixed())
    return;
  count("understood", Record);
  std::vector<uint32_t> Same = declarationOrder(Record);
  auto Identity = rewrite(*Of, Same);
  if (!Identity || Identity->Text != It->second)
    count("identity differs", Record, "text");
  if (!Identity)
    llvm::consumeError(Identity.takeError());
  tryOrders(Record, *Of);
}

llvm::Error Survey::run() {
  const CompileUnit &First = List.Units.front();
  Unit = {First.Directory, First.Args};
  ExtractRequest Request;
  Request.SourceRoot = List.SourceRoot;
  Request.Directory = First.Directory;
  Request.Args = First.Args;
  auto Facts = extractFacts(Request, llvm::vfs::getRealFileSystem());
  if (!Facts)
    return Facts.takeError();
  std::vector<TuFacts> One;
  One.push_back(std::move(*Facts));
  Program Whole(One);
  std::set<std::pair<std::string, uint32_t>> Seen;
  for (RecordId Id = 0; Id != Whole.recordCount(); ++Id) {
    RecordInfo Record = Whole.recordInfo(Id);
    if (Seen.insert({Record.File, Record.Line}).second)
      look(Record);
  }
  std::string Text;
  for (const auto &[What, Count] : Counts)
    Text += (llvm::Twine(What) + ": " + llvm::Twine(Count) + "\n").str();
  for (const auto &[What, Where] : Examples) {
    Text += (llvm::Twine("\n") + What + ":\n").str();
    for (const std::string &Line : Where)
      Text += (llvm::Twine("  ") + Line + "\n").str();
  }
  return writeFile("-", Text);
}

} // namespace

llvm::Error surveyRewrites(const Options &Given, UnitList List) {
  return Survey(Given, std::move(List)).run();
}

} // namespace kst
