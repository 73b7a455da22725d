// SPDX-License-Identifier: GPL-2.0-or-later
//
// `kstatic-affinity rewrite`: definitions in orders that a file (--order) or
// chance (--random-orders N --seed S) gives. Serves the tests of the rewriter;
// not part of the documented interface.
//
//   --struct S --order FILE      the patch on stdout, or with --output-text the
//                                header's new text, after verification
//   --struct S --random-orders N legal orders with the text and the predicted
//                                offsets of each as JSON; nothing is verified
//   --random-orders N            every struct that the first unit sees, each N
//                                times, verified; how many were refused and why

#include "analyzer/rewrite/Rewrite.h"
#include "analyzer/rewrite/UnifiedDiff.h"
#include "hybrid/layout/FieldOffsets.h"
#include "tools/kstatic-affinity/Analyze.h"
#include "tools/kstatic-affinity/Complain.h"
#include "tools/kstatic-affinity/OutputFile.h"
#include "tools/kstatic-affinity/RandomOrder.h"
#include "tools/kstatic-affinity/RewriteSurvey.h"
#include "tools/kstatic-affinity/RewriteTarget.h"

#include "nlohmann/json.hpp"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

namespace kst {

namespace {

using Json = nlohmann::ordered_json;

/// One name per line; fields that are not named stay behind what is before
/// them in the definition.
llvm::Expected<std::vector<uint32_t>> readOrder(const std::string &File,
                                                const RecordInfo &Record) {
  auto Buffer = llvm::MemoryBuffer::getFile(File);
  if (!Buffer)
    return rewriteFailure("--order " + File + ": " +
                          Buffer.getError().message());
  std::vector<uint32_t> Named;
  std::vector<bool> Seen(Record.Fields.size());
  for (llvm::line_iterator Line(**Buffer, true, '#'); !Line.is_at_end();
       ++Line) {
    llvm::StringRef Name = Line->split('#').first.trim();
    if (Name.empty())
      continue;
    uint32_t F = 0;
    while (F != Record.Fields.size() &&
           (Record.Fields[F].Name != Name || Seen[F]))
      ++F;
    if (F == Record.Fields.size())
      return rewriteFailure("--order " + File + ": no field " + Name +
                            " is left");
    Seen[F] = true;
    Named.push_back(F);
  }
  // The others keep their place: named ones fill the places of named ones.
  std::vector<uint32_t> Order(Record.Fields.size());
  size_t Next = 0;
  for (uint32_t F = 0; F != Order.size(); ++F)
    Order[F] = Seen[F] ? Named[Next++] : F;
  return Order;
}

llvm::Error verify(const RewriteTarget &Of, llvm::ArrayRef<uint32_t> Order,
                   const std::string &NewText) {
  for (size_t I = 0; I != Of.Configs.size(); ++I) {
    Layout Wanted = FieldOffsets(Of.Configs[I]).layout(Order);
    if (llvm::Error E = verifyPatched(Of.Units[I], Of.SourceRoot, Of.Configs[I],
                                      Wanted, {{Of.Path, NewText}}))
      return E;
  }
  return llvm::Error::success();
}

std::string patchOf(const RewriteTarget &Of, const std::string &NewText) {
  return unifiedDiff(Of.Joint.File, Of.Text, NewText,
                     {{Of.Joint.Line, "struct " + Of.Joint.Name + " {"}});
}

llvm::Error fromFile(const Options &Given) {
  auto All = rewriteTargets(Given);
  if (!All)
    return All.takeError();
  const RewriteTarget *Of = &All->front();
  if (Of->Configs.empty())
    return rewriteFailure("no unit sees a struct " + Of->Joint.Name);
  auto Order = readOrder(Given.OrderFiles.front().Text, Of->Joint);
  if (!Order)
    return Order.takeError();
  auto Parsed = Definition::parse(Of->Text, Of->Joint);
  if (!Parsed)
    return Parsed.takeError();
  auto Made = rewrite(*Parsed, *Order);
  if (!Made)
    return Made.takeError();
  if (llvm::Error E = verify(*Of, *Order, Made->Text))
    return E;
  for (const TextNote &Note : Made->Notes)
    complain(Of->Joint.File + ":" + llvm::Twine(Note.Line) + ": " + Note.What);
  return writeFile("-",
                   Given.OutputText ? Made->Text : patchOf(*Of, Made->Text));
}

Json rulesJson(const std::vector<SourceRule> &Rules, const RecordInfo &Record) {
  static const char *const Kinds[] = {"fence", "barrier", "join", "all fixed"};
  Json All = Json::array();
  for (const SourceRule &Rule : Rules) {
    Json Fields = Json::array();
    for (uint32_t F : Rule.Fields)
      Fields.push_back(F < Record.Fields.size() ? Record.Fields[F].Name : "");
    All.push_back({{"kind", Kinds[static_cast<int>(Rule.Kind)]},
                   {"fields", Fields},
                   {"why", Rule.Why},
                   {"line", Rule.Where.Line}});
  }
  return All;
}

Json configJson(const RecordInfo &Record, llvm::ArrayRef<uint32_t> Order) {
  Layout Plan = FieldOffsets(Record).layout(Order);
  Json Fields = Json::array();
  for (uint32_t F : Order)
    if (!Record.Fields[F].Absent)
      Fields.push_back({{"name", Record.Fields[F].Name},
                        {"offset_bits", Plan.OffsetBits[F]},
                        {"size_bits", Record.Fields[F].SizeBits},
                        {"bit_field", Record.Fields[F].BitField}});
  return {{"size", Plan.SizeBytes},
          {"align", Record.AlignBytes},
          {"fields", Fields}};
}

/// Random orders of one struct.
llvm::Expected<Json> ordersJson(const Options &Given, const RewriteTarget *Of) {
  if (Of->Configs.empty())
    return rewriteFailure("the unit does not see it");
  ConstraintOptions How;
  How.Rules = rulesOfText(Of->Text, Of->Joint);
  Constraints Rules(Of->Joint, How);
  auto Parsed = Definition::parse(Of->Text, Of->Joint);
  if (!Parsed)
    return Parsed.takeError();
  Chance Dice(Given.Seed);
  Json Orders = Json::array();
  for (unsigned I = 0; I != Given.RandomOrders; ++I) {
    std::vector<uint32_t> Order = randomOrder(Rules, Dice, I % 2);
    Json One;
    auto Made = rewrite(*Parsed, Order);
    if (!Made) {
      One["error"] = llvm::toString(Made.takeError());
    } else {
      One["moved"] = Made->Moved.size();
      One["text"] = Made->Text;
      One["patch"] = patchOf(*Of, Made->Text);
      One["configs"] = Json::array();
      for (const RecordInfo &Config : Of->Configs)
        One["configs"].push_back(configJson(Config, Order));
    }
    Orders.push_back(std::move(One));
  }
  unsigned Movable =
      llvm::count_if(Rules.bricks(), [](const Brick &B) { return B.Movable; });
  return Json{{"struct", Of->Joint.Name},
              {"union", Of->Joint.Union},
              {"file", Of->Joint.File},
              {"line", Of->Joint.Line},
              {"fields", Of->Joint.Fields.size()},
              {"movable", Rules.allFixed() ? 0 : Movable},
              {"rules", rulesJson(How.Rules, Of->Joint)},
              {"orders", Orders}};
}

llvm::Error atRandom(const Options &Given) {
  auto Targets = rewriteTargets(Given);
  if (!Targets)
    return Targets.takeError();
  Json All = Json::array();
  for (const RewriteTarget &Of : *Targets) {
    llvm::Expected<Json> One = ordersJson(Given, &Of);
    if (One)
      All.push_back(std::move(*One));
    else
      All.push_back({{"struct", Of.Joint.Name},
                     {"error", llvm::toString(One.takeError())}});
  }
  return writeFile(
      Given.JsonFile.empty() ? "-" : Given.JsonFile,
      All.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

} // namespace

ExitCode runRewrite(const Options &Given) {
  if (!Given.OrderFiles.empty() && !Given.Structs.empty())
    return reportError(fromFile(Given)) ? ExitNoResult : ExitDone;
  if (!Given.Structs.empty())
    return reportError(atRandom(Given)) ? ExitNoResult : ExitDone;
  auto Lists = rewriteUnits(Given);
  if (!Lists) {
    reportError(Lists.takeError());
    return ExitUsage;
  }
  return reportError(surveyRewrites(Given, std::move(Lists->front())))
             ? ExitNoResult
             : ExitDone;
}

} // namespace kst
