// SPDX-License-Identifier: GPL-2.0-or-later
//
// `kstatic-affinity place`: where a field that does not exist yet should go.

#include "analyzer/rewrite/Definition.h"
#include "hybrid/fieldorder/PlaceReport.h"
#include "hybrid/layout/FieldDeclaration.h"
#include "tools/kstatic-affinity/Analyze.h"
#include "tools/kstatic-affinity/Complain.h"
#include "tools/kstatic-affinity/Configs.h"
#include "tools/kstatic-affinity/OutputFile.h"
#include "tools/kstatic-affinity/Patch.h"
#include "tools/kstatic-affinity/Preflight.h"
#include "tools/kstatic-affinity/Version.h"

namespace kst {

namespace {

/// What the units of a configuration know about a type: its definition, or
/// fields that have it. Fails when they disagree.
class KnownTypes {
public:
  explicit KnownTypes(const Program &Whole) : Whole(Whole) {}

  Result<std::optional<TypeShape>> operator()(const std::string &Type) const {
    std::optional<TypeShape> Found;
    bool Differ = false;
    auto See = [&](uint64_t Bytes, uint32_t Align) {
      TypeShape Here{Bytes, std::max(1u, Align)};
      Differ |= Found && !(*Found == Here);
      Found = Here;
    };
    size_t Blank = Type.find(' ');
    std::string Keyword = Type.substr(0, Blank);
    bool Tagged = Blank != std::string::npos &&
                  (Keyword == "struct" || Keyword == "union");
    if (Tagged || Blank == std::string::npos)
      for (RecordId Id :
           Whole.recordsNamed(Tagged ? Type.substr(Blank + 1) : Type)) {
        const RecordFact &Fact = Whole.recordFact(Id);
        if (!Tagged || bool(Fact.Flags & RecUnion) == (Keyword == "union"))
          See(Fact.SizeBytes, Fact.AlignBytes);
      }
    // A typedef, an enum: any field that has the type shows its size.
    if (!Found)
      for (RecordId Id = 0; Id != Whole.recordCount(); ++Id) {
        const RecordFact &Fact = Whole.recordFact(Id);
        if (Fact.Flags & RecPacked)
          continue;
        for (const FieldInfo &Field : Whole.recordInfo(Id).Fields)
          if (Field.TypeName == Type && !Field.BitField && !Field.Packed &&
              !Field.ExplicitAlignBytes)
            See(Field.SizeBits / 8, Field.AlignBytes);
      }
    if (Differ)
      return Failure{"the analysed files disagree about the size of '" + Type +
                     "'"};
    return Found;
  }

private:
  const Program &Whole;
};

Result<NewField> askedField(const Options &Given, const StructInConfigs &Of) {
  NewField Asked;
  for (const Config *Where : Of.Where) {
    Result<FieldInfo> Field =
        parseDeclaration(Given.Field, Where->Triple, KnownTypes(*Where->Whole),
                         {Given.SizeBytes, Given.AlignBytes});
    if (!Field)
      return Failure{"--field " + Field.error()};
    Asked.Shapes.push_back(std::move(*Field));
  }
  for (const std::string &Name : Given.UsedWith) {
    Result<uint32_t> Field = fieldNamed(Of.Evidence.Joint, Name);
    if (!Field)
      return Failure{"--used-with: " + Field.error()};
    // Configurations may declare it in different places.
    const auto &Fields = Of.Evidence.Joint.Fields;
    for (uint32_t F = *Field; F < Fields.size(); ++F)
      if (F == *Field || (!Fields[F].Anonymous && Fields[F].Name == Name))
        Asked.UsedWith.push_back(F);
  }
  Asked.Writes = Given.Writes == "local"    ? Writer::Local
                 : Given.Writes == "remote" ? Writer::Remote
                                            : Writer::None;
  Asked.WriteShare =
      Given.WriteShare.value_or(Asked.Writes == Writer::Local    ? 1
                                : Asked.Writes == Writer::Remote ? 0.1
                                                                 : 0);
  return Asked;
}

/// Says of every gap between which conditions of the text it lies: whoever puts
/// a field inside has it only where they hold.
void noteConditions(const Configs &All, const RecordInfo &Record,
                    PlaceAdvice &Advice) {
  llvm::Expected<Header> Read = readHeader(All, Record);
  if (!Read) {
    llvm::consumeError(Read.takeError());
    return; // rulesOfHeader() has said why
  }
  llvm::Expected<Definition> Text =
      Definition::parse(std::move(Read->Text), Record);
  if (!Text) {
    llvm::consumeError(Text.takeError());
    return;
  }
  using Path = std::vector<BranchRef>;
  auto PathOf = [&](uint32_t Field) {
    return Field < Record.Fields.size()
               ? Text->items()[Text->itemOf(Field)].Path
               : Path();
  };
  auto BlockOf = [&](const BranchRef &At) -> const CondBlock & {
    return Text->body().Blocks[At.Block];
  };
  auto InLine = [](uint32_t Line) {
    return " in line " + std::to_string(Line);
  };
  for (Gap &G : Advice.Gaps) {
    const bool Front = G.After == Gap::Front;
    const Path Above = Front ? Path() : PathOf(G.After);
    const Path Below = PathOf(Front ? 0 : G.After + 1);
    size_t Common = 0;
    while (Common < Above.size() && Common < Below.size() &&
           Above[Common] == Below[Common])
      ++Common;
    for (size_t I = 0; I < Common; ++I)
      G.Notes.push_back("inside " +
                        BlockOf(Above[I]).directive(Above[I].Branch) +
                        InLine(BlockOf(Above[I]).Line) +
                        ": without it there is no such field, unless you close "
                        "the condition before it and open it again behind");
    bool Leaves = Above.size() > Common, Enters = Below.size() > Common;
    if (Leaves && Enters && Above[Common].Block == Below[Common].Block) {
      G.Notes.push_back("between two branches of the condition" +
                        InLine(BlockOf(Above[Common]).Line) +
                        ": no line is between them in both");
      continue;
    }
    if (Leaves)
      G.Notes.push_back("behind the #endif" +
                        InLine(BlockOf(Above[Common]).EndLine));
    if (Enters)
      G.Notes.push_back("before the condition" +
                        InLine(BlockOf(Below[Common]).Line));
  }
}

PlaceReport makeReport(const Options &Given, const StructInConfigs &Of,
                       const LayoutProblem &Problem, NewField Asked,
                       PlaceAdvice Advice) {
  PlaceReport Made;
  Made.Tool = {toolVersion(), llvmVersion()};
  Made.Record = Of.Evidence.Joint;
  Made.Asked = std::move(Asked);
  Made.Declaration = Given.Field;
  Made.LineBytes = Given.CacheLine;
  for (const Config *Where : Of.Where) {
    Made.Configs.push_back(Where->Name);
    Made.Triples.push_back(Where->Triple);
  }
  Made.AllVisits = Problem.model().visits();
  Made.Advice = std::move(Advice);
  Made.Users = Of.Evidence.Configs.front().Users;
  Made.Full = Given.Full;
  return Made;
}

} // namespace

ExitCode runPlace(const Options &Asked) {
  auto Checked = checkAgainstSources(Asked);
  if (const ExitCode *Failed = std::get_if<ExitCode>(&Checked))
    return *Failed;
  const Options &Given = std::get<Preflight>(Checked).Given;
  auto Collected = Configs::collect(Given, std::get<Preflight>(Checked).Lists);
  if (const ExitCode *Failed = std::get_if<ExitCode>(&Collected))
    return *Failed;
  auto Found =
      std::get<Configs>(Collected).evidence(Given.Structs.front(), Given.Quiet);
  if (const ExitCode *Failed = std::get_if<ExitCode>(&Found))
    return *Failed;
  StructInConfigs &Of = std::get<StructInConfigs>(Found);
  for (AffinityEvidence &Config : Of.Evidence.Configs)
    dropTail(Config.Sets);

  LayoutOptions How = layoutOptions(Given);
  if (reportError(readPins(Given, 0, Of.Evidence.Joint, How)))
    return ExitUsage;
  Result<NewField> Field = askedField(Given, Of);
  if (!Field) {
    complain(Field.error());
    return ExitUsage;
  }
  const Configs &All = std::get<Configs>(Collected);
  How.Rules = rulesOfHeader(All, Of.Evidence.Joint);
  How.Lift = liftedIds(Given, 0);
  LayoutProblem Problem(Of.Evidence, How);
  if (reportError(checkLifted(Problem)))
    return ExitUsage;
  Result<PlaceAdvice> Advice = placeField(Problem, *Field);
  if (!Advice) {
    complain(Advice.error());
    return ExitUsage;
  }
  noteConditions(All, Of.Evidence.Joint, *Advice);
  PlaceReport Made =
      makeReport(Given, Of, Problem, std::move(*Field), std::move(*Advice));
  if (!Given.JsonFile.empty() &&
      reportError(writeFile(Given.JsonFile, toJson(Made))))
    return ExitNoResult;
  if (!Given.Quiet && Given.JsonFile != "-" &&
      reportError(writeFile("-", toText(Made))))
    return ExitNoResult;
  return ExitDone;
}

} // namespace kst
