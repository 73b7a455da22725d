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

#include "analyzer/compile/CompileDatabase.h"
#include "analyzer/facts/FactsExtractor.h"
#include "analyzer/rewrite/Rewrite.h"
#include "analyzer/rewrite/UnifiedDiff.h"
#include "analyzer/rewrite/VerifyPatched.h"
#include "hybrid/layout/Constraints.h"
#include "hybrid/layout/FieldOffsets.h"
#include "hybrid/layout/JoinedConfigs.h"
#include "hybrid/link/Program.h"
#include "tools/kstatic-affinity/Analyze.h"
#include "tools/kstatic-affinity/Complain.h"
#include "tools/kstatic-affinity/FactsSession.h"
#include "tools/kstatic-affinity/OutputFile.h"

#include "nlohmann/json.hpp"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>
#include <set>

namespace kst {

namespace {

using Json = nlohmann::ordered_json;

/// xorshift64*: the same numbers on every machine.
class Chance {
public:
  explicit Chance(uint64_t Seed)
      : State(Seed * 2654435761u + 88172645463325252u) {}
  /// 0 .. N-1.
  uint32_t below(uint32_t N) {
    State ^= State >> 12;
    State ^= State << 25;
    State ^= State >> 27;
    return static_cast<uint32_t>((State * 2685821657736338717u) >> 33) % N;
  }

private:
  uint64_t State;
};

/// A legal order: even ones shuffle every segment, odd ones carry a few units
/// about.
std::vector<uint32_t> randomOrder(const Constraints &Rules, Chance &Dice,
                                  bool Few) {
  const std::vector<Unit> &Units = Rules.units();
  std::vector<uint32_t> Order;
  for (uint32_t U = 0; U != Units.size(); ++U)
    Order.push_back(U);
  if (Rules.allFixed())
    return Rules.fields(Order);
  auto Free = [&](uint32_t U) { return Units[U].Movable || Units[U].Anchor; };
  if (Few) {
    for (uint32_t Left = 1 + Dice.below(5); Left; --Left) {
      uint32_t From = Dice.below(Order.size()), U = Order[From];
      if (!Units[U].Movable)
        continue;
      uint32_t Begin = Rules.segmentBegin(U), End = Rules.segmentEnd(U);
      uint32_t To = Begin + Dice.below(End - Begin);
      Order.erase(Order.begin() + From);
      Order.insert(Order.begin() + To, U);
    }
    return Rules.fields(Order);
  }
  for (uint32_t Begin = 0; Begin != Order.size();) {
    uint32_t End = Rules.segmentEnd(Begin);
    std::vector<uint32_t> Segment, Anchors;
    for (uint32_t U = Begin; U != End; ++U)
      Segment.push_back(U);
    if (llvm::all_of(Segment, Free))
      for (uint32_t I = Segment.size(); I > 1; --I)
        std::swap(Segment[I - 1], Segment[Dice.below(I)]);
    for (uint32_t U : Segment)
      if (Units[U].Anchor)
        Anchors.push_back(U);
    llvm::sort(Anchors);
    auto Next = Anchors.begin();
    for (uint32_t &U : Segment)
      if (Units[U].Anchor)
        U = *Next++;
    std::copy(Segment.begin(), Segment.end(), Order.begin() + Begin);
    Begin = End;
  }
  return Rules.fields(Order);
}

/// One definition in the configurations that were asked for.
struct Target {
  RecordInfo Joint;
  std::vector<RecordInfo> Configs;
  std::vector<ProbeUnit> Units; ///< one for each
  std::string SourceRoot, Path, Text;
};

llvm::Error failure(const llvm::Twine &Why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "%s",
                                 Why.str().c_str());
}

std::string absolute(const std::string &Root, const std::string &File) {
  llvm::SmallString<256> Path(File);
  if (!llvm::sys::path::is_absolute(Path)) {
    Path = Root;
    llvm::sys::path::append(Path, File);
  }
  return std::string(Path);
}

llvm::Expected<std::string> readText(const std::string &Path) {
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer)
    return failure(Path + ": " + Buffer.getError().message());
  return (*Buffer)->getBuffer().str();
}

llvm::Expected<std::vector<UnitList>> unitsOf(const Options &Given) {
  std::vector<std::string> Builds = Given.BuildDirs;
  if (Builds.empty())
    Builds.push_back("");
  std::vector<UnitList> Lists;
  for (const std::string &Build : Builds) {
    DatabaseOptions Where;
    if (!Build.empty())
      Where.BuildDirs = {Build};
    Where.Paths = Given.Paths;
    Where.StructNames = Given.Structs;
    Where.TemplateFile = Given.TemplateFile;
    llvm::Expected<UnitList> List = loadUnits(Where);
    if (!List)
      return List.takeError();
    if (List->Units.empty())
      return failure("no unit is selected");
    Lists.push_back(std::move(*List));
  }
  return Lists;
}

/// The records as the first unit sees them that sees any; without a name where
/// it sees none.
llvm::Expected<std::pair<std::vector<RecordInfo>, ProbeUnit>>
findRecords(const UnitList &List, const std::vector<std::string> &Names) {
  std::string Last = "no unit sees " + llvm::join(Names, ", ");
  for (const CompileUnit &Unit : List.Units) {
    ProbeUnit Probe{Unit.Directory, Unit.Args};
    auto Found = recordsOf(Probe, List.SourceRoot, Names, "", {});
    if (!Found) {
      Last = llvm::toString(Found.takeError());
      continue;
    }
    std::vector<RecordInfo> Records;
    for (const std::string &Name : Names) {
      auto At = llvm::find_if(
          *Found, [&](const RecordInfo &R) { return R.Name == Name; });
      Records.push_back(At == Found->end() ? RecordInfo() : *At);
    }
    if (!Found->empty())
      return std::pair(std::move(Records), Probe);
  }
  return failure(Last);
}

/// One target for each struct.
llvm::Expected<std::vector<Target>> findTargets(const Options &Given) {
  auto Lists = unitsOf(Given);
  if (!Lists)
    return Lists.takeError();
  std::vector<std::vector<RecordInfo>> Records; // by build
  std::vector<ProbeUnit> Units;
  for (const UnitList &List : *Lists) {
    auto Found = findRecords(List, Given.Structs);
    if (!Found)
      return Found.takeError();
    Records.push_back(std::move(Found->first));
    Units.push_back(Found->second);
  }
  std::vector<Target> All;
  for (size_t S = 0; S != Given.Structs.size(); ++S) {
    Target Made;
    std::vector<AffinityEvidence> Evidence(Records.size());
    bool Seen = true;
    for (size_t B = 0; B != Records.size(); ++B) {
      Evidence[B].Record = Records[B][S];
      Seen &= !Records[B][S].Name.empty();
    }
    if (!Seen) {
      Made.Joint.Name = Given.Structs[S];
      All.push_back(std::move(Made));
      continue;
    }
    Result<JoinedConfigs> Joined = joinConfigs(std::move(Evidence));
    if (!Joined)
      return failure(Joined.error());
    Made.Units = Units;
    Made.SourceRoot = Lists->front().SourceRoot;
    Made.Joint = Joined->Joint;
    for (const AffinityEvidence &Of : Joined->Configs)
      Made.Configs.push_back(Of.Record);
    Made.Path = absolute(Made.SourceRoot, Made.Joint.File);
    llvm::Expected<std::string> Text = readText(Made.Path);
    if (!Text)
      return Text.takeError();
    Made.Text = std::move(*Text);
    All.push_back(std::move(Made));
  }
  return All;
}

/// One name per line; fields that are not named stay behind what is before
/// them in the definition.
llvm::Expected<std::vector<uint32_t>> readOrder(const std::string &File,
                                                const RecordInfo &Record) {
  auto Buffer = llvm::MemoryBuffer::getFile(File);
  if (!Buffer)
    return failure("--order " + File + ": " + Buffer.getError().message());
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

llvm::Error verify(const Target &Of, llvm::ArrayRef<uint32_t> Order,
                   const std::string &NewText) {
  for (size_t I = 0; I != Of.Configs.size(); ++I) {
    Layout Wanted = FieldOffsets(Of.Configs[I]).layout(Order);
    if (llvm::Error E = verifyPatched(Of.Units[I], Of.SourceRoot, Of.Configs[I],
                                      Wanted, {{Of.Path, NewText}}))
      return E;
  }
  return llvm::Error::success();
}

std::string patchOf(const Target &Of, const std::string &NewText) {
  return unifiedDiff(Of.Joint.File, Of.Text, NewText,
                     "struct " + Of.Joint.Name + " {", Of.Joint.Line);
}

llvm::Error fromFile(const Options &Given) {
  auto All = findTargets(Given);
  if (!All)
    return All.takeError();
  const Target *Of = &All->front();
  if (Of->Configs.empty())
    return failure("no unit sees a struct " + Of->Joint.Name);
  auto Order = readOrder(Given.OrderFiles.front(), Of->Joint);
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
llvm::Expected<Json> ordersJson(const Options &Given, const Target *Of) {
  if (Of->Configs.empty())
    return failure("the unit does not see it");
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
      llvm::count_if(Rules.units(), [](const Unit &U) { return U.Movable; });
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
  auto Targets = findTargets(Given);
  if (!Targets)
    return Targets.takeError();
  Json All = Json::array();
  for (const Target &Of : *Targets) {
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

/// Every struct of one unit: what is refused, what fails, and why.
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
            {{absolute(List.SourceRoot, Record.File), Made->Text}})) {
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
    auto Text = readText(absolute(List.SourceRoot, Record.File));
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

ExitCode runRewrite(const Options &Given) {
  if (!Given.OrderFiles.empty() && !Given.Structs.empty())
    return reportError(fromFile(Given)) ? ExitNoResult : ExitDone;
  if (!Given.Structs.empty())
    return reportError(atRandom(Given)) ? ExitNoResult : ExitDone;
  auto Lists = unitsOf(Given);
  if (!Lists) {
    reportError(Lists.takeError());
    return ExitUsage;
  }
  Survey All(Given, std::move(Lists->front()));
  return reportError(All.run()) ? ExitNoResult : ExitDone;
}

} // namespace kst
