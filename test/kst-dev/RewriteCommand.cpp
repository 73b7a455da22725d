// SPDX-License-Identifier: GPL-2.0-or-later
//
// `rewrite`: definitions in orders that a file or chance gives. Serves the
// tests of the rewriter.
//
//   --order FILE      the patch on stdout, or with --output-text the header's
//                     new text, after verification
//   --random-orders N legal orders with the text and the predicted offsets of
//                     each as JSON; nothing is verified

#include "analyzer/files/InputFile.h"
#include "analyzer/files/OutputFile.h"
#include "analyzer/rewrite/Rewrite.h"
#include "analyzer/rewrite/UnifiedDiff.h"
#include "hybrid/layout/FieldOffsets.h"
#include "test/kst-dev/Commands.h"
#include "test/kst-dev/RandomOrder.h"
#include "test/kst-dev/RewriteTarget.h"
#include "tools/support/SourceFlags.h"

#include "nlohmann/json.hpp"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

namespace kst {

namespace {

using Json = nlohmann::ordered_json;

/// One name per line; fields that are not named stay behind what is before
/// them in the definition.
llvm::Expected<std::vector<uint32_t>> readOrder(const std::string &File,
                                                const RecordInfo &Record) {
  llvm::Expected<std::string> Text = readFile(File);
  if (!Text)
    return within("--order ", Text.takeError());
  std::vector<uint32_t> Named;
  std::vector<bool> Seen(Record.Fields.size());
  for (llvm::line_iterator Line(llvm::MemoryBufferRef(*Text, File), true, '#');
       !Line.is_at_end(); ++Line) {
    llvm::StringRef Name = Line->split('#').first.trim();
    if (Name.empty())
      continue;
    uint32_t F = 0;
    while (F != Record.Fields.size() &&
           (Record.Fields[F].Name != Name || Seen[F]))
      ++F;
    if (F == Record.Fields.size())
      return failure("--order " + File + ": no field " + Name + " is left");
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

llvm::Error verify(const RewriteTarget &Target, llvm::ArrayRef<uint32_t> Order,
                   const std::string &NewText) {
  for (size_t I = 0; I != Target.Configs.size(); ++I) {
    Layout Wanted = FieldOffsets(Target.Configs[I]).layout(Order);
    if (llvm::Error E =
            verifyPatched(Target.Units[I], Target.SourceRoot, Target.Configs[I],
                          Wanted, {{Target.Path, NewText}}))
      return E;
  }
  return llvm::Error::success();
}

std::string patchOf(const RewriteTarget &Target, const std::string &NewText) {
  return unifiedDiff(
      Target.Joint.File, Target.Text, NewText,
      {{Target.Joint.Line, "struct " + Target.Joint.Name + " {"}});
}

/// JSON has characters, not bytes: those of a text that is not UTF-8 as the
/// first 256 characters.
std::string asJsonText(const std::string &Bytes) {
  if (llvm::json::isUTF8(Bytes))
    return Bytes;
  std::string Text;
  for (unsigned char C : Bytes)
    if (C < 0x80)
      Text += char(C);
    else
      (Text += char(0xc0 | C >> 6)) += char(0x80 | (C & 0x3f));
  return Text;
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
llvm::Expected<Json> ordersJson(const RewriteTarget &Target, unsigned Count,
                                uint64_t Seed) {
  if (Target.Configs.empty())
    return failure("the unit does not see it");
  ConstraintOptions Options;
  Options.Rules = rulesOfText(Target.Text, Target.Joint);
  Constraints Rules(Target.Joint, Options);
  auto Parsed = Definition::parse(Target.Text, Target.Joint);
  if (!Parsed)
    return Parsed.takeError();
  Chance Dice(Seed);
  Json Orders = Json::array();
  for (unsigned I = 0; I != Count; ++I) {
    std::vector<uint32_t> Order = randomOrder(Rules, Dice, I % 2);
    Json One;
    auto New = rewrite(*Parsed, Order);
    if (!New) {
      One["error"] = llvm::toString(New.takeError());
    } else {
      One["moved"] = New->Moved.size();
      One["text"] = asJsonText(New->Text);
      One["patch"] = asJsonText(patchOf(Target, New->Text));
      One["latin1"] = !llvm::json::isUTF8(New->Text);
      One["configs"] = Json::array();
      for (const RecordInfo &Config : Target.Configs)
        One["configs"].push_back(configJson(Config, Order));
    }
    Orders.push_back(std::move(One));
  }
  unsigned Movable = llvm::count_if(
      Rules.bricks(), [](const MoveUnit &B) { return B.Movable; });
  return Json{{"struct", Target.Joint.Name},
              {"union", Target.Joint.Union},
              {"file", Target.Joint.File},
              {"line", Target.Joint.Line},
              {"fields", Target.Joint.Fields.size()},
              {"movable", Rules.allFixed() ? 0 : Movable},
              {"rules", rulesJson(Options.Rules, Target.Joint)},
              {"orders", Orders}};
}

class RewriteCommand : public UnitsCommand {
public:
  RewriteCommand()
      : UnitsCommand("rewrite", "Definitions in orders of a file or by chance",
                     "--struct NAME[,NAME] --order FILE | --random-orders N "
                     "PATH...") {}

  llvm::Expected<ExitCode> run() override {
    UnitsRequest Asked;
    if (Structs.empty() || Order.given() == RandomOrders.given())
      return usageError("usage: kst-dev rewrite " + Usage);
    if (llvm::Error E = fill(Asked))
      return E;
    auto Targets = rewriteTargets(Asked.Units, structNames());
    if (!Targets)
      return Targets.takeError();
    if (llvm::Error E =
            Order.given() ? fromFile(Targets->front()) : atRandom(*Targets))
      return E;
    return ExitDone;
  }

private:
  llvm::Error fromFile(const RewriteTarget &Target) const;
  llvm::Error atRandom(const std::vector<RewriteTarget> &Targets) const;

  Flag<std::string> Order{
      {Sub, OfLayout, "order", "FILE", "The order, one field per line"}};
  Flag<unsigned> RandomOrders{
      {Sub, OfLayout, "random-orders", "N", "Legal orders by chance"}};
  Flag<unsigned> Seed{{Sub, OfLayout, "seed", "N", "Of chance"}, 1};
  Flag<bool> OutputText{{Sub, OfOutput, "output-text", "",
                         "The header's new text instead of a patch"}};
  Flag<std::string> JsonFile{
      {Sub, OfOutput, "json", "FILE",
       "Where random orders go (default: standard output)"},
      "-"};
};

llvm::Error RewriteCommand::fromFile(const RewriteTarget &Target) const {
  if (Target.Configs.empty())
    return failure("no unit sees a struct " + Target.Joint.Name);
  auto Fields = readOrder(Order, Target.Joint);
  if (!Fields)
    return Fields.takeError();
  auto Parsed = Definition::parse(Target.Text, Target.Joint);
  if (!Parsed)
    return Parsed.takeError();
  auto New = rewrite(*Parsed, *Fields);
  if (!New)
    return New.takeError();
  if (llvm::Error E = verify(Target, *Fields, New->Text))
    return E;
  for (const TextNote &Note : New->Notes)
    diagnostics().warn(Target.Joint.File + ":" + std::to_string(Note.Line) +
                       ": " + Note.What);
  return writeFile("-", OutputText ? New->Text : patchOf(Target, New->Text));
}

llvm::Error
RewriteCommand::atRandom(const std::vector<RewriteTarget> &Targets) const {
  Json All = Json::array();
  for (const RewriteTarget &Target : Targets) {
    llvm::Expected<Json> One = ordersJson(Target, RandomOrders, Seed);
    if (One)
      All.push_back(std::move(*One));
    else
      All.push_back({{"struct", Target.Joint.Name},
                     {"error", llvm::toString(One.takeError())}});
  }
  return writeFile(
      JsonFile,
      All.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

} // namespace

const MakeCommand MakeRewrite = make<RewriteCommand>;

} // namespace kst
