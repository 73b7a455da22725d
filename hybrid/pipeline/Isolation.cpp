// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/Isolation.h"

#include "analyzer/files/InputFile.h"
#include "hybrid/core/PatchName.h"
#include "hybrid/isolation/ImpactReplay.h"
#include "hybrid/pipeline/GlobalTraces.h"
#include "hybrid/pipeline/ProfileFiles.h"
#include "hybrid/pipeline/Version.h"
#include "passes/readers/DataUses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace kst {
namespace {

LinkFacts factsOf(const IsolationRequest &Asked, const OpenedLink &Link) {
  LinkFacts Out;
  Out.Tool = thisTool();
  Out.Image = llvm::sys::path::filename(Asked.Link.Image).str();
  Out.Objects = Link.ObjectsRead;
  Out.TwoSteps = Link.Image.twoSteps();
  for (uint32_t L = 0; L < (Out.TwoSteps ? 2u : 1u); ++L) {
    const LinkRules &R = Link.Image.rules(L);
    Out.Explained += R.Explained;
    Out.Odd.insert(Out.Odd.end(), R.Odd.begin(), R.Odd.end());
  }
  return Out;
}

struct KnownHeat {
  FunctionHeat Of;
  std::string Words;
};

llvm::Expected<KnownHeat> heatOf(const IsolationRequest &Asked,
                                 const LinkedImage &Image) {
  KnownHeat Out;
  if (Asked.Heat.empty()) {
    Out.Of.OfSymbol.resize(Image.files().Image.Symbols.size());
    Out.Words = "none: all objects are worth the same";
    return Out;
  }
  auto Counts = loadProfile(Asked.Heat);
  if (!Counts)
    return Counts.takeError();
  Out.Of = functionHeat(Image, Counts->What);
  if (!Out.Of.Named && Asked.HeatGiven)
    return usageError(Asked.Heat + " counts no function of " +
                      Asked.Link.Image);
  if (!Out.Of.Named) {
    Out.Words = llvm::sys::path::filename(Asked.Heat).str() +
                " has no function of the image: all objects are worth the same";
    return Out;
  }
  Out.Words = llvm::sys::path::filename(Asked.Heat).str() + ", " +
              std::to_string(Out.Of.Named) + " functions of the image";
  return Out;
}

llvm::Expected<uint64_t> functionAlign(const ObjectFile &Object,
                                       uint32_t Section) {
  uint64_t All = Object.Sections[Section].AlignBytes;
  for (const ObjectSymbol &Of : Object.Symbols)
    if (Of.Section == Section && Of.Function && !Of.Local)
      All |= Of.Value;
  return All & (~All + 1);
}

/// `FUNCTION:+BYTES`: what is behind the function in its object moves, aligned
/// as functions there are.
llvm::Error growFunction(const LinkedImage &Image, llvm::StringRef Name,
                         int64_t Bytes, LinkChange &To) {
  const ObjectFile &File = Image.files().Image;
  for (uint32_t S = 0; S < File.Symbols.size(); ++S) {
    const ObjectSymbol &Of = File.Symbols[S];
    const SymbolPlace &At = Image.places()[S];
    if (Of.Name != Name || !Of.SizeBytes || At.Is != SymbolPlace::Kind::InPiece)
      continue;
    const ObjectSection *In = Image.section(At.In);
    if (!In)
      continue;
    const ObjectFile &Object =
        Image.files().Objects.at(Image.statement(At.In).Text);
    const uint64_t End = At.OffsetBytes + Of.SizeBytes;
    uint64_t Next = In->SizeBytes;
    for (const ObjectSymbol &Other : Object.Symbols)
      if (Other.Section == Image.sectionNumber(At.In) && Other.Value >= End &&
          (Other.Function || Other.Object))
        Next = std::min(Next, Other.Value);
    uint64_t Align = 1;
    if (Of.Function) {
      auto Found = functionAlign(Object, Image.sectionNumber(At.In));
      if (!Found)
        return Found.takeError();
      Align = *Found;
    }
    if (Bytes < 0 && uint64_t(-Bytes) > Of.SizeBytes)
      return usageError("--grow: " + Name + " has only " +
                        llvm::Twine(Of.SizeBytes) + " bytes");
    // The last one of a section ends it; others are followed by padding.
    int64_t By = Bytes;
    if (Next != In->SizeBytes) {
      const uint64_t Was = (End + Align - 1) / Align * Align,
                     Is = (End + uint64_t(Bytes) + Align - 1) / Align * Align;
      By = int64_t(Is - Was);
    }
    To.Growths.push_back({At.In, Next, By});
    return llvm::Error::success();
  }
  return usageError("--grow: the image has no function or object '" + Name +
                    "'");
}

/// What could have been meant.
std::string sectionsOf(const LinkedImage &Image, llvm::StringRef Object) {
  std::set<std::string> Names;
  for (const LinkPiece &P : Image.pieces())
    if (const ObjectSection *In = Image.section(P);
        In && In->Alloc && Image.statement(P).Text == Object)
      Names.insert(In->Name);
  return Names.empty() ? "; files are named as the map has them"
                       : ", which has " + llvm::join(Names, ", ");
}

llvm::Error addGrowth(const LinkedImage &Image, llvm::StringRef Word,
                      LinkChange &To) {
  auto [Where, Number] = Word.rsplit(':');
  int64_t Bytes = 0;
  if (Where.empty() ||
      Number.drop_front(Number.starts_with("+")).getAsInteger(0, Bytes) ||
      !Bytes || std::abs(Bytes) > (int64_t(1) << 30))
    return usageError(
        "--grow takes OBJECT:SECTION:+BYTES or FUNCTION:+BYTES, not "
        "'" +
        Word + "'");
  auto [Object, Section] = Where.rsplit(':');
  if (Section.empty())
    return growFunction(Image, Where, Bytes, To);
  const std::vector<LinkPiece> At = Image.piecesOf(Object.str(), Section.str());
  if (At.empty())
    return usageError("--grow: the maps name no section " + Section + " of " +
                      Object + sectionsOf(Image, Object));
  const uint64_t Size = Image.statement(At.front()).SizeBytes;
  if (Bytes < 0 && uint64_t(-Bytes) > Size)
    return usageError("--grow: " + Section + " of " + Object + " has only " +
                      llvm::Twine(Size) + " bytes");
  To.Growths.push_back({At.front(), Size, Bytes});
  return llvm::Error::success();
}

LinkChange changeOf(const OpenedLink &Link) {
  LinkChange Out;
  for (const auto &[Name, Object] : Link.Changed)
    Out.Objects.emplace(Name, &Object);
  return Out;
}

std::set<std::string> changedNames(const LinkedImage &Image,
                                   const LinkChange &Of) {
  std::set<std::string> Out;
  for (const auto &[Name, Object] : Of.Objects)
    Out.insert(Name);
  for (const Growth &G : Of.Growths)
    Out.insert(Image.statement(G.At).Text);
  return Out;
}

/// The accesses of a trace to globals, where they were and where they are.
llvm::Error replayImpact(const ImpactRequest &Asked, const ImpactSide &Before,
                         const ImpactSide &After, Impact &To) {
  auto Trace = GlobalTrace::open(Asked.Trace, Asked.Of.Link.Image, Before.File,
                                 Asked.Quiet);
  if (!Trace)
    return Trace.takeError();
  const std::vector<Global> Globals = globalsOf(Before.File, {});
  const std::vector<uint64_t> Moved = addressesAfter(Before, After);
  const std::vector<GlobalPlace> InPlace;
  std::vector<GlobalPlace> Places;
  for (const Global &G : Globals) {
    const uint64_t At = Moved[G.Symbol];
    Places.push_back({At ? At : G.Is.Address, 0});
  }
  GlobalReplay Old(Globals, InPlace, Trace->cpus(), uint32_t(Asked.LineBytes));
  GlobalReplay New(Globals, Places, Trace->cpus(), uint32_t(Asked.LineBytes));
  if (auto Seen = Trace->replay({&Old, &New}); !Seen)
    return Seen.takeError();
  To.Trace = llvm::sys::path::filename(Asked.Trace).str();
  addReplays(To, {Globals, Places, Old, New, Before, Asked.LineBytes});
  return llvm::Error::success();
}

llvm::Error wrongImage(llvm::Error E) {
  return usageError(llvm::toString(std::move(E)));
}

} // namespace

llvm::Expected<MapReport> isolationMap(const IsolationRequest &Asked,
                                       const DiagnosticConsumer &Diags) {
  auto Link = openLink(Asked.Link, Diags);
  if (!Link)
    return Link.takeError();
  auto Heat = heatOf(Asked, Link->Image);
  if (!Heat)
    return Heat.takeError();
  return MapReport{factsOf(Asked, *Link), chainRows(Link->Image, Heat->Of)};
}

llvm::Expected<VerifyReport> isolationVerify(const VerifyRequest &Asked,
                                             const DiagnosticConsumer &Diags) {
  auto Link = openLink(Asked.Of.Link, Diags);
  if (!Link)
    return Link.takeError();
  auto New = openImage(Asked.NewImage);
  if (!New)
    return New.takeError();
  VerifyReport Out;
  Out.Link = factsOf(Asked.Of, *Link);
  LinkChange Change = changeOf(*Link);
  for (const auto &[Name, Object] : Change.Objects)
    Out.Changed.push_back(Name);
  Out.WithoutGiven =
      checkLink(Link->Image, Change, Link->Image.predict(Change), *New).Equal;
  if (!Asked.NewMap.empty()) {
    auto Map = openMap(Asked.NewMap,
                       llvm::sys::path::parent_path(Asked.NewImage).str());
    if (!Map)
      return Map.takeError();
    Out.Generated = generatedSizes(Link->Image, Change, *Map);
    for (const GeneratedSize &G : Out.Generated) {
      const MapStatement &S = Link->Image.statement(G.At);
      Out.GeneratedNames.push_back(S.Name + " of " + S.Text);
      Change.Given[G.At] = G.Is;
    }
  }
  Out.Check = checkLink(Link->Image, Change, Link->Image.predict(Change), *New);
  return Out;
}

llvm::Expected<PlanReport> isolationPlan(const PlanRequest &Asked,
                                         const DiagnosticConsumer &Diags) {
  auto Link = openLink(Asked.Of.Link, Diags);
  if (!Link)
    return Link.takeError();
  auto Heat = heatOf(Asked.Of, Link->Image);
  if (!Heat)
    return Heat.takeError();
  IsolationAsked Plan = Asked.Plan;
  if (!Asked.Churn.empty()) {
    auto Text = readFile(Asked.Churn);
    if (!Text)
      return Text.takeError();
    llvm::SmallVector<llvm::StringRef> Lines;
    llvm::StringRef(*Text).split(Lines, '\n');
    for (llvm::StringRef Line : Lines)
      if (Line = Line.trim(); !Line.empty()) {
        // Objects are known by the .c of their name.
        llvm::SmallString<128> Name(Line);
        llvm::sys::path::replace_extension(Name, ".c");
        ++Plan.Churn[std::string(Name)];
      }
    if (Plan.Churn.empty())
      return usageError(Asked.Churn + " names no file; git log --format= "
                                      "--name-only writes such a history");
  }
  auto Found = isolate(Link->Image, Heat->Of, Plan);
  if (!Found)
    return usageError(Found.error());
  return PlanReport{factsOf(Asked.Of, *Link), std::move(*Found),
                    !Asked.Churn.empty(), Heat->Words};
}

llvm::Expected<ImpactReport> isolationImpact(const ImpactRequest &Asked,
                                             const DiagnosticConsumer &Diags) {
  auto Link = openLink(Asked.Of.Link, Diags);
  if (!Link)
    return Link.takeError();
  auto Heat = heatOf(Asked.Of, Link->Image);
  if (!Heat)
    return Heat.takeError();
  ImpactReport Out;
  Out.Link = factsOf(Asked.Of, *Link);
  Out.HeatOf = Heat->Words;
  LinkChange Change = changeOf(*Link);
  for (const auto &[Name, Object] : Change.Objects)
    Out.Changes.push_back(Name);
  for (const std::string &Word : Asked.Grow) {
    if (llvm::Error E = addGrowth(Link->Image, Word, Change))
      return E;
    Out.Changes.push_back(Word);
  }
  const ObjectFile &Old = Link->Image.files().Image;
  auto Instructions = readDataUses(Asked.Of.Link.Image, Old);
  if (!Instructions)
    return wrongImage(Instructions.takeError());
  const GlobalUses Uses = globalUses(Old, Instructions->Data);
  const ImpactSide Before = sideBefore(Link->Image, Heat->Of, Uses);
  if (Asked.NewImage.empty()) {
    const PredictedLink After = Link->Image.predict(Change);
    const ImpactSide Then = sideAfter(Link->Image, After, Heat->Of, Uses);
    Out.Found = impactOf(Before, Then, Asked.LineBytes,
                         changedNames(Link->Image, Change));
    Out.Found.New = addedSymbols(Link->Image, Change);
    if (!Asked.Trace.empty())
      if (llvm::Error E = replayImpact(Asked, Before, Then, Out.Found))
        return E;
    return Out;
  }
  auto New = openImage(Asked.NewImage);
  if (!New)
    return New.takeError();
  auto NewInstructions = readDataUses(Asked.NewImage, *New);
  if (!NewInstructions)
    return wrongImage(NewInstructions.takeError());
  const std::vector<double> NewHeat = heatByName(Old, Heat->Of.OfSymbol, *New);
  const GlobalUses NewUses = globalUses(*New, NewInstructions->Data);
  Out.Relinked = true;
  ImpactSide After{*New, {}, {}, NewHeat, NewUses};
  for (const ObjectSymbol &Of : New->Symbols) {
    After.Address.push_back(Of.Value);
    After.Object.push_back(Of.File < New->Files.size() ? New->Files[Of.File]
                                                       : "");
  }
  Out.Changes.push_back(llvm::sys::path::filename(Asked.NewImage).str());
  Out.Found = impactOf(Before, After, Asked.LineBytes,
                       changedNames(Link->Image, Change));
  if (!Asked.Trace.empty())
    if (llvm::Error E = replayImpact(Asked, Before, After, Out.Found))
      return E;
  return Out;
}

llvm::Expected<std::string> isolationPatch(const IsolationPlan &Plan,
                                           const std::string &Source) {
  std::string Out;
  std::set<std::string> Assembly;
  for (const CutRow &Cut : Plan.Cuts) {
    llvm::SmallString<256> File(Source);
    llvm::sys::path::append(File, Cut.Object);
    llvm::sys::path::replace_extension(File, ".S");
    if (llvm::sys::fs::exists(File))
      Assembly.insert(Cut.Object);
  }
  for (const auto &[Name, Lines] : makefileLines(Plan, Assembly)) {
    llvm::SmallString<256> File(Source);
    llvm::sys::path::append(File, Name);
    auto Text = readFile(std::string(File));
    if (!Text)
      return Text.takeError();
    llvm::SmallVector<llvm::StringRef> Old;
    llvm::StringRef(*Text).split(Old, '\n');
    const bool Ends = !Old.empty() && Old.back().empty();
    if (Ends)
      Old.pop_back();
    const size_t Shown = std::min<size_t>(3, Old.size());
    const size_t From = Old.size() - Shown;
    Out += "--- " + headingName("a/" + Name) + "\n+++ " +
           headingName("b/" + Name) + "\n@@ -" +
           std::to_string(Shown ? From + 1 : 0) + "," + std::to_string(Shown) +
           " +" + std::to_string(From + 1) + "," +
           std::to_string(Shown + Lines.size() + 1) + " @@\n";
    for (size_t I = From; I < Old.size(); ++I) {
      const bool Cut = I + 1 == Old.size() && !Ends;
      Out += (Cut ? "-" : " ") + Old[I].str() + "\n";
      if (Cut)
        Out += "\\ No newline at end of file\n+" + Old[I].str() + "\n";
    }
    Out += "+\n";
    for (const std::string &Line : Lines)
      Out += "+" + Line + "\n";
  }
  return Out;
}

} // namespace kst
