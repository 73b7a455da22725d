// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/Place.h"

#include "analyzer/files/InputFile.h"
#include "analyzer/rewrite/Definition.h"
#include "hybrid/fieldorder/EvidenceWords.h"
#include "hybrid/layout/FieldDeclaration.h"
#include "hybrid/pipeline/Session.h"
#include "hybrid/pipeline/Version.h"

namespace kst {

namespace {

/// Writes per visit that uses the field, where nobody says.
double usualWriteShare(Writer Who) {
  return Who == Writer::Local ? 1 : Who == Writer::Remote ? 0.1 : 0;
}

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

llvm::Expected<NewField> newField(const PlaceRequest &Asked,
                                  const StructInConfigs &Struct) {
  NewField New;
  for (const Config *Where : Struct.Where) {
    auto Field = orMistake(
        parseDeclaration(Asked.Field, Where->Triple, KnownTypes(*Where->Whole),
                         {Asked.SizeBytes, Asked.AlignBytes}),
        "--field ");
    if (!Field)
      return Field.takeError();
    New.Shapes.push_back(std::move(*Field));
  }
  const auto &Fields = Struct.Evidence.Joint.Fields;
  for (const std::string &Name : Asked.UsedWith) {
    auto Field =
        orMistake(fieldNamed(Struct.Evidence.Joint, Name), "--used-with: ");
    if (!Field)
      return Field.takeError();
    // Configurations may declare it in different places.
    for (uint32_t F = *Field; F < Fields.size(); ++F)
      if (F == *Field || (!Fields[F].Anonymous && Fields[F].Name == Name))
        New.UsedWith.push_back(F);
  }
  New.Writes = Asked.Writes;
  New.WriteShare = Asked.WriteShare.value_or(usualWriteShare(Asked.Writes));
  return New;
}

/// Says of every gap between which conditions of the text it lies: whoever puts
/// a field inside has it only where they hold.
void noteConditions(const std::string &Header, const RecordInfo &Record,
                    PlaceAdvice &Advice) {
  llvm::Expected<std::string> Read = readFile(Header);
  if (!Read) {
    llvm::consumeError(Read.takeError());
    return; // the rules of the header say why
  }
  llvm::Expected<Definition> Text = Definition::parse(std::move(*Read), Record);
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
  auto BlockOf = [&](const BranchRef &Branch) -> const CondBlock & {
    return Text->body().Blocks[Branch.Block];
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

} // namespace

llvm::Expected<PlaceReport> place(const PlaceRequest &Asked) {
  auto From = Session::open(Asked, Asked.UsedWith);
  if (!From)
    return From.takeError();
  auto Ready = From->prepare(From->Asked.Structs.front());
  if (!Ready)
    return Ready.takeError();
  const StructInConfigs &Struct = Ready->Struct;
  for (const AffinityEvidence &Config : Struct.Evidence.Configs)
    for (const SourceRule &Rule : Config.Rules)
      if (Rule.Id == ruleId("abi"))
        return failure("struct " + Struct.Evidence.Joint.Name + ": " +
                       Rule.Why);
  auto Field = newField(Asked, Struct);
  if (!Field)
    return Field.takeError();
  LayoutProblem Problem(Struct.Evidence, Ready->Layout);
  if (llvm::Error E = checkLifted(Problem))
    return E;
  auto Advice = orMistake(placeField(Problem, *Field));
  if (!Advice)
    return Advice.takeError();
  PlaceReport Report;
  Report.Tool = thisTool();
  Report.Record = Struct.Evidence.Joint;
  noteConditions(From->All.headerOf(Report.Record), Report.Record, *Advice);
  Report.Asked = std::move(*Field);
  Report.Declaration = Asked.Field;
  Report.LineBytes = Asked.Layout.LineBytes;
  Report.Machine = Asked.Layout.On.Name;
  for (const Config *Where : Struct.Where) {
    Report.Configs.push_back(Where->Name);
    Report.Triples.push_back(Where->Triple);
  }
  Report.AllVisits = Problem.model().visits();
  Report.Advice = std::move(*Advice);
  const AffinityEvidence &Evidence = Struct.Evidence.Configs.front();
  Report.Users = Evidence.Users;
  Report.Evidence = evidenceWords(Evidence);
  Report.Reference = Evidence.Covered.Reference;
  Report.ReferenceShare = referenceShare(Evidence);
  return Report;
}

} // namespace kst
