// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/Analyze.h"

#include "analyzer/codelayout/CodeLayoutBaseline.h"
#include "analyzer/compile/SeeingUnits.h"
#include "hybrid/affinity/AffinityGraph.h"
#include "hybrid/affinity/Ownership.h"
#include "hybrid/evidence/EdgeOrigins.h"
#include "hybrid/fieldorder/RuleSentences.h"
#include "hybrid/layout/Advise.h"
#include "hybrid/layout/AlignedOrder.h"
#include "hybrid/layout/AskedOrder.h"
#include "hybrid/layout/Moves.h"
#include "hybrid/layout/RandomOrder.h"
#include "hybrid/pipeline/Questions.h"
#include "hybrid/pipeline/UnderProfiles.h"
#include "hybrid/pipeline/Validate.h"
#include "hybrid/pipeline/Version.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace kst {

Report makeReport(const StructInConfigs &Struct, const LayoutProblem &Problem) {
  const LayoutOptions &Options = Problem.options();
  Report New;
  New.Tool = thisTool();
  New.Triple = Struct.Where.front()->Triple;
  New.CacheLineBytes = Options.LineBytes;
  New.Seed = Options.Seed;
  New.InstanceAlignBytes =
      Options.InstanceAlignBytes
          ? Options.InstanceAlignBytes
          : instanceAlignment(Problem.record(0), Options.LineBytes);
  New.On = Options.On;
  New.LineCycles = Problem.model().lineCycles();
  New.LostCycles = Problem.model().lostCycles();
  New.LambdaPad = Options.LambdaPad;
  New.Evidence = Struct.Evidence.Configs.front();
  New.Edges = Problem.graph().edges();
  describeEdges(New.Edges, New.Evidence.Sets);
  std::vector<Baseline> Others = baselines(Problem.space(), Problem.graph());
  Others.erase(Others.begin()); // the current order: every report has it
  Others.push_back(codeLayoutBaseline(Problem.space(), Problem.graph()));
  New.Layouts = advise(Problem, Others);
  for (ConfigScore &Score : New.Layouts.Configs) {
    Score.Name = Struct.Names[Score.Config];
    Score.Triple = Struct.Triples[Score.Config];
  }
  New.AlsoChanged = Struct.OtherRecords;
  return New;
}

namespace {

/// Per field of the problem's record: whether the order moves it.
std::vector<bool> movedFields(const LayoutProblem &Problem,
                              const std::vector<uint32_t> &Order) {
  const Constraints &Rules = Problem.rules();
  MoveUnitOrder MoveUnits;
  for (uint32_t Field : Order)
    if (MoveUnits.empty() || MoveUnits.back() != Rules.moveUnitOf(Field))
      MoveUnits.push_back(Rules.moveUnitOf(Field));
  std::vector<bool> MoveUnitMoved = movedUnits(Problem.space(), MoveUnits);
  std::vector<bool> Moved(Order.size());
  for (uint32_t Field = 0; Field < Moved.size(); ++Field)
    Moved[Field] = MoveUnitMoved[Rules.moveUnitOf(Field)];
  return Moved;
}

/// Units that are named, of those that were not looked at.
constexpr size_t Named = 3;

/// Whether all units of a configuration that see a definition were looked at.
/// Reads the whole build directory, a second or two for a kernel: only for
/// those who ask.
UnanalyzedUsers onlookers(const AnalyzeRequest &Asked, const Config &In,
                          const RecordInfo &Record, const std::string &Header) {
  UnanalyzedUsers Answer;
  Answer.Config = In.Name;
  DatabaseOptions Build = unitsOf(Asked, In.Build);
  Build.Exclude.clear(); // whoever leaves a unit out has not looked at it
  SeeingUnits Found = unitsThatSee(Build, Header);
  Answer.Unknown = Found.Unknown;
  Answer.AtMost = Found.AtMost;
  Answer.Units = static_cast<uint32_t>(Found.Units.size());
  llvm::StringMap<uint32_t> Looked; ///< commands of each file
  for (const RunUnit &Unit : In.Session.Commands)
    ++Looked[Unit.Relative];
  for (const std::string &Unit : Found.Units)
    if (uint32_t &Left = Looked[Unit]; Left)
      --Left;
    else {
      ++Answer.Missed;
      if (Answer.Some.size() < Named)
        Answer.Some.push_back(Unit);
    }
  Answer.Command = "kstatic-affinity --struct " + Record.Name +
                   (In.Build.empty() ? "" : " -p " + In.Build) + " .";
  return Answer;
}

/// Each once, in their order.
std::vector<const Config *> configsOf(const StructInConfigs &Struct) {
  std::vector<const Config *> Found;
  for (const Config *In : Struct.Where)
    if (!llvm::is_contained(Found, In))
      Found.push_back(In);
  return Found;
}

std::vector<OpaqueUse> opaqueUses(const JoinedConfigs &In) {
  std::vector<OpaqueUse> All;
  for (const AffinityEvidence &Config : In.Configs)
    llvm::append_range(All, Config.Opaque);
  llvm::sort(All);
  All.erase(llvm::unique(All), All.end());
  return All;
}

PatchOrder testOrder(const LayoutProblem &Problem, uint64_t Seed) {
  PatchOrder Test;
  Test.Seed = Seed;
  Test.Order = Problem.rules().fields(randomOrder(Problem, Seed));
  for (size_t C = 0; C != Problem.configCount(); ++C)
    Test.Layouts.push_back(FieldOffsets(Problem.record(C)).layout(Test.Order));
  return Test;
}

/// What --align asks for: one more order, that of the patch.
llvm::Error align(AnalyzedStruct &One, const StructRequest &Struct,
                  const LayoutProblem &Problem, const AnalyzeRequest &Asked) {
  const std::string Said = "--align " + llvm::join(Struct.Align, ",") + ": ";
  if (Struct.TestSeed)
    return usageError(Said + "not with --order random:SEED");
  auto Fields = alignedOf(Asked, Struct, One.Found.Evidence.Joint);
  if (!Fields)
    return Fields.takeError();
  PatchOrder New;
  for (uint32_t F : *Fields)
    New.Aligned.push_back(Problem.record().Fields[F].Name);
  const std::string Names = llvm::join(New.Aligned, ", ");
  std::vector<std::string> Notes;
  const uint32_t Line = Problem.options().LineBytes, First = Fields->front();
  for (size_t C = 0; C != Problem.configCount(); ++C) {
    const FieldInfo &Of = Problem.record(C).Fields[First];
    if (Of.Absent || Of.ExplicitAlignBytes >= Line)
      return usageError(Said + Of.Name +
                        (Of.Absent ? " is not there in every configuration"
                                   : " begins a line already"));
  }
  auto Order =
      orMistake(askedOrder(Problem, "move " + Names + " last", &Notes), Said);
  if (!Order)
    return Order.takeError();
  for (const std::string &Note : Notes)
    Asked.Diags.note("note: " + Said + Note);
  AlignedOrder Made = alignedOrder(Problem, *Order, First, "align " + Names);
  if (!llvm::is_contained(*Fields, Made.Score.Plan.Order.back()))
    return usageError(
        Said + "the line would not be theirs alone: " +
        Problem.record().Fields[Made.Score.Plan.Order.back()].Name +
        " stays the last field");
  std::vector<std::string> Broken = Problem.brokenRules(*Order);
  if (Problem.rules().allFixed())
    for (const ConstraintNote &Note : Problem.rules().notes())
      if (Note.Field.empty() && !llvm::is_contained(Broken, Note.Why))
        Broken.push_back(Note.Why);
  if (!Broken.empty() && Struct.wantsPatch())
    return usageError(Said +
                      "no patch, as it breaks rules (--lift-rule lifts one): " +
                      llvm::join(Broken, "; "));
  New.Objective = Made.Score.Objective;
  New.Order = Made.Score.Plan.Order;
  New.Layouts = std::move(Made.Layouts);
  One.Proposed.InPatch = std::move(New);
  One.Proposed.Layouts.Asked.push_back(std::move(Made.Score));
  One.Found.Evidence.Joint.Fields[First].WantedAlignBytes = Line;
  for (AffinityEvidence &Config : One.Found.Evidence.Configs)
    Config.Record.Fields[First].WantedAlignBytes = Line;
  return llvm::Error::success();
}

/// A usageError, with a word of what to do, if a definition is to be changed of
/// which not every user was looked at, or of which some are opaque.
llvm::Error mayWrite(const AnalyzeRequest &Asked, const AnalyzedStruct &One) {
  if (!One.Asked->Write || Asked.WriteUnseen || !One.reorders())
    return llvm::Error::success();
  const std::string Left = "--write: struct " + One.Found.Evidence.Joint.Name +
                           " is left as it is: ";
  if (std::string Opaque = opaqueSentence(One.Proposed); !Opaque.empty())
    return errors(ExitUsage, {Left + Opaque, "look at them, or say --force"});
  for (const UnanalyzedUsers &Seen : One.Proposed.SeenBy)
    if (std::string Missed =
            missedSentence(Seen, One.Proposed.SeenBy.size() > 1);
        !Missed.empty())
      return errors(ExitUsage, {Left + Missed, "look at them, or say --force"});
  return llvm::Error::success();
}

double coveredShare(const Coverage &Covered) {
  uint64_t Dropped = 0;
  for (const auto &[Reason, Count] : Covered.AccessesDropped)
    Dropped += Count;
  uint64_t All = Covered.AccessesResolved + Dropped;
  double Resolved = All ? double(Covered.AccessesResolved) / All : 1;
  return std::min(Resolved,
                  double(Covered.UnitsParsed) / Covered.UnitsSelected);
}

/// Makes the report on one struct and leaves it with `Answer`, if there is one.
/// An error with a report means that it must not be patched.
llvm::Error analyzeStruct(const StructRequest &Struct,
                          const Validation &OnTrace, Analysis &Answer) {
  const AnalyzeRequest &Asked = Answer.From->Asked;
  auto Ready = Answer.From->prepare(Struct);
  if (!Ready)
    return Ready.takeError();
  std::list<AnalyzedStruct> New(1);
  AnalyzedStruct &One = New.front();
  One.Asked = &Struct;
  One.Found = std::move(Ready->Struct);
  for (const AffinityEvidence &Config : One.Found.Evidence.Configs)
    Answer.Coverage = std::min(Answer.Coverage, coveredShare(Config.Covered));
  LayoutProblem Problem(One.Found.Evidence, Ready->Layout);
  if (llvm::Error E = checkLifted(Problem))
    return E;
  auto Orders = ordersInMind(Asked, Struct, Problem);
  if (!Orders)
    return Orders.takeError();
  One.Proposed = makeReport(One.Found, Problem);
  One.Proposed.UnderProfiles =
      underProfiles(Answer.From->All, Struct, Problem, One.Proposed);
  Advice &Layouts = One.Proposed.Layouts;
  for (const OrderInMind &Order : *Orders) {
    for (const std::string &Note : Order.Notes)
      Asked.Diags.note("note: " + Order.Name + ": " + Note);
    Layouts.Asked.push_back(scoreOf(Problem, Order.Name, Order.Order));
  }
  if (Struct.TestSeed)
    Layouts.Asked.push_back(
        scoreOf(Problem, "random:" + std::to_string(*Struct.TestSeed),
                randomOrder(Problem, *Struct.TestSeed)));
  if (!Struct.Align.empty())
    if (llvm::Error E = align(One, Struct, Problem, Asked))
      return E;
  One.Proposed.OpaqueUses = opaqueUses(One.Found.Evidence);
  if (Struct.TestSeed)
    One.Proposed.InPatch = testOrder(Problem, *Struct.TestSeed);
  if (llvm::Error E = OnTrace.judge(One.Proposed))
    return E;
  if (Struct.wantsPatch())
    for (const Config *In : configsOf(One.Found))
      One.Proposed.SeenBy.push_back(
          onlookers(Asked, *In, Problem.record(),
                    Answer.From->All.headerOf(Problem.record())));
  One.Moved = movedFields(Problem, One.newOrder());
  Answer.Structs.splice(Answer.Structs.end(), New);
  if (llvm::Error E = mayWrite(Asked, One)) {
    Answer.Whole = false;
    return E;
  }
  std::vector<std::string> Unmet;
  for (const std::string &Why : Layouts.Unmet)
    Unmet.push_back("struct " + Struct.Name + ": the best order found " + Why);
  return errors(ExitNoResult, Unmet);
}

} // namespace

llvm::Expected<Analysis> analyze(AnalyzeRequest Asked) {
  auto OnTrace = Validation::open(Asked.Validate, Asked.Run.Shown);
  if (!OnTrace)
    return OnTrace.takeError();
  auto Opened = Session::open(std::move(Asked));
  if (!Opened)
    return Opened.takeError();
  Analysis Answer;
  Answer.From = std::make_unique<Session>(std::move(*Opened));
  Answer.Status = Answer.From->Status;
  const AnalyzeRequest &Request = Answer.From->Asked;
  ExitCode Unanswered = ExitDone;
  for (const StructRequest &Struct : Request.Structs) {
    const size_t Before = Answer.Structs.size();
    const ExitCode Code =
        Request.Diags.report(analyzeStruct(Struct, *OnTrace, Answer));
    ExitCode &Status =
        Answer.Structs.size() == Before ? Unanswered : Answer.Status;
    Status = worse(Status, Code);
  }
  const bool Partial = Unanswered != ExitDone &&
                       Unanswered != ExitInterrupted && !Answer.Structs.empty();
  Answer.Status = worse(Answer.Status, Partial ? ExitPartial : Unanswered);
  Answer.Whole &= Answer.Structs.size() == Request.Structs.size();
  return Answer;
}

static AffinityGraph graphOf(const AffinityEvidence &Evidence) {
  Conflicts Clashes(
      Evidence.Record.Fields.size(), Evidence.Sets,
      sharingOptions(SharingOptions(), Evidence.Users, Evidence.Sets));
  return AffinityGraph(Evidence.Record, Evidence.Sets, Clashes);
}

llvm::Expected<std::string> graphMlOf(const Report &Shown) {
  return orFailure(graphOf(Shown.Evidence).graphMl());
}

llvm::Expected<std::string> dotOf(const Report &Shown) {
  return orFailure(graphOf(Shown.Evidence).dot());
}

} // namespace kst
