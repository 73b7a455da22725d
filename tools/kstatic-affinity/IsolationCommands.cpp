// SPDX-License-Identifier: GPL-2.0-or-later
//
// `isolation map`, `isolation impact`, `isolation plan`, `isolation verify`.

#include "analyzer/files/OutputFile.h"
#include "hybrid/pipeline/Isolation.h"
#include "tools/support/ReportFlags.h"
#include "tools/support/SourceFlags.h"

#include <bit>

namespace kst {
namespace {

class IsolationCommand : public Command {
protected:
  IsolationCommand(llvm::StringRef Name, llvm::StringRef Summary,
                   llvm::StringRef Usage)
      : Command(Name, Summary, Usage) {}

  llvm::Error fill(IsolationRequest &Asked) {
    if (Words.size() != 1)
      return usage();
    Asked.Link.Image = Words.front();
    Asked.Link.Map = Map;
    Asked.Link.InnerMap = InnerMap;
    Asked.Link.Objects = Objects;
    Asked.HeatGiven = Heat.given();
    Asked.Heat = Heat.given() ? Heat == "none" ? "" : std::string(Heat)
                              : shippedReference();
    return llvm::Error::success();
  }
  llvm::Error usage() const {
    return usageError("usage: kstatic-affinity " + Sub.getName() + " " + Usage);
  }
  template <typename Report> llvm::Error write(const Report &Of) {
    return Files.write({describe(Of)}, [&] { return toJson(Of); }, Quiet);
  }
  std::vector<std::string> inputs() const {
    return {Words.front(), Map, InnerMap, Heat};
  }

  Flag<std::string> Map{{Sub, OfAnalysis, "map", "FILE",
                         "The linker's map (default: IMAGE.map)"}};
  Flag<std::string> InnerMap{
      {Sub, OfAnalysis, "relocatable-map", "FILE",
       "The map of ld -r, if vmlinux was linked from one vmlinux.o (default: "
       "vmlinux.o.map beside the objects)"}};
  Flag<std::string> Objects{{Sub, OfAnalysis, "objects", "DIR",
                             "Where names of files in maps begin (default: the "
                             "directory of IMAGE)"}};
  Flag<std::string> Heat{
      {Sub, OfAnalysis, "heat", "FILE",
       "How often code runs: a profile; or none (default: the reference)"}};
  ReportFlags Files{Sub};
  kst::Words Words{Sub, "IMAGE"};
};

class IsolationMap : public IsolationCommand {
public:
  IsolationMap()
      : IsolationCommand("isolation map",
                         "List the chains of sections of a linked image",
                         "IMAGE [--map FILE] [--relocatable-map FILE]") {}
  llvm::Expected<ExitCode> run() override {
    IsolationRequest Asked;
    if (llvm::Error E = fill(Asked))
      return E;
    if (llvm::Error E = Files.check({}, inputs()))
      return E;
    auto Report = isolationMap(Asked, diagnostics());
    if (!Report)
      return Report.takeError();
    if (llvm::Error E = write(*Report))
      return E;
    return ExitDone;
  }
};

/// A command that is about a change.
class ChangeCommand : public IsolationCommand {
protected:
  using IsolationCommand::IsolationCommand;
  llvm::Error fill(IsolationRequest &Asked) {
    if (llvm::Error E = IsolationCommand::fill(Asked))
      return E;
    Asked.Link.Changed = Changed.all();
    Asked.Link.Against = Against;
    return llvm::Error::success();
  }
  ListFlag Changed{{Sub, OfAnalysis, "changed", "NAME=FILE",
                    "A new object file in place of that of this name in the "
                    "map; may be repeated"}};
  Flag<std::string> Against{{Sub, OfAnalysis, "against", "DIR",
                             "Another build: those of its objects that "
                             "differ"}};
  Flag<std::string> New{
      {Sub, OfAnalysis, "new", "IMAGE", "The relinked image"}};
};

class IsolationVerify : public ChangeCommand {
public:
  IsolationVerify()
      : ChangeCommand("isolation verify",
                      "Predict every address of a relinked image, and compare",
                      "IMAGE --new IMAGE (--changed NAME=FILE... | --against "
                      "DIR) [--new-map FILE]") {}
  llvm::Expected<ExitCode> run() override {
    VerifyRequest Asked;
    if (New.empty())
      return usage();
    if (llvm::Error E = fill(Asked.Of))
      return E;
    Asked.NewImage = New;
    Asked.NewMap = NewMap;
    std::vector<std::string> Inputs = inputs();
    Inputs.insert(Inputs.end(), {New, NewMap});
    if (llvm::Error E = Files.check({}, Inputs))
      return E;
    auto Report = isolationVerify(Asked, diagnostics());
    if (!Report)
      return Report.takeError();
    if (llvm::Error E = write(*Report))
      return E;
    const LinkCheck &Check = Report->Check;
    return Check.Wrong.empty() && !Check.OnlyNew && !Check.OnlyPredicted
               ? ExitDone
               : ExitNoResult;
  }

private:
  Flag<std::string> NewMap{
      {Sub, OfAnalysis, "new-map", "FILE",
       "The new link's map: sizes of tables that no object file has"}};
};

class IsolationImpact : public ChangeCommand {
public:
  IsolationImpact()
      : ChangeCommand("isolation impact",
                      "Say what a change of size moves, and onto whose cache "
                      "line",
                      "IMAGE (--grow WHERE:+BYTES... | --changed NAME=FILE... "
                      "| --against DIR) [--new IMAGE]") {}
  llvm::Expected<ExitCode> run() override {
    ImpactRequest Asked;
    if (Grow.empty() && Changed.empty() && Against.empty() && New.empty())
      return usage();
    if (llvm::Error E = fill(Asked.Of))
      return E;
    if (!std::has_single_bit(unsigned(CacheLine)) || CacheLine < 16 ||
        CacheLine > 4096)
      return usageError("--cache-line takes a power of two from 16 to 4096");
    Asked.Grow = Grow.all();
    Asked.NewImage = New;
    Asked.LineBytes = CacheLine;
    Asked.Trace = Trace;
    Asked.Quiet = Quiet;
    std::vector<std::string> Inputs = inputs();
    Inputs.insert(Inputs.end(), {New, Trace});
    if (llvm::Error E = Files.check({}, Inputs))
      return E;
    auto Report = isolationImpact(Asked, diagnostics());
    if (!Report)
      return Report.takeError();
    if (llvm::Error E = write(*Report))
      return E;
    return ExitDone;
  }

private:
  ListFlag Grow{{Sub, OfAnalysis, "grow", "WHERE:+BYTES",
                 "OBJECT:SECTION:+64 or FUNCTION:+64, also -64; may be "
                 "repeated"}};
  Flag<unsigned> CacheLine{{Sub, OfAnalysis, "cache-line", "N",
                            "Bytes of a cache line (default 64)"},
                           64};
  Flag<std::string> Trace{
      {Sub, OfAnalysis, "trace", "FILE",
       "A trace (.kstt) of IMAGE: replay its accesses to globals, before and "
       "after"}};
};

class IsolationPlanCommand : public IsolationCommand {
public:
  IsolationPlanCommand()
      : IsolationCommand("isolation plan",
                         "Say which few objects to align, so that changes stay "
                         "in their segment",
                         "IMAGE -k K [--align A] [--section NAME] [--churn "
                         "FILE] [--source DIR --patch FILE]") {}
  llvm::Expected<ExitCode> run() override {
    PlanRequest Asked;
    if (llvm::Error E = fill(Asked.Of))
      return E;
    if (Cuts < 1 || Cuts > 4096)
      return usageError("-k takes a number from 1 to 4096");
    if (!std::has_single_bit(unsigned(Align)) || Align < 2 || Align > 1 << 21)
      return usageError("--align takes a power of two from 2 to 2097152");
    if (Patch.given() != Source.given())
      return usageError(
          "--patch FILE goes with --source DIR, the tree that it is "
          "for");
    Asked.Plan.Cuts = Cuts;
    Asked.Plan.AlignBytes = Align;
    Asked.Plan.Section = Section;
    Asked.Churn = Churn;
    OutputFiles More;
    for (const auto *F : {&Objcopy, &Script, &Patch})
      if (F->given())
        More.push_back({("--" + F->ArgStr).str(), *F});
    std::vector<std::string> Inputs = inputs();
    Inputs.push_back(Churn);
    if (llvm::Error E = Files.check(More, Inputs))
      return E;
    auto Report = isolationPlan(Asked, diagnostics());
    if (!Report)
      return Report.takeError();
    std::string Diff;
    if (Patch.given()) {
      auto Made = isolationPatch(Report->Plan, Source);
      if (!Made)
        return Made.takeError();
      Diff = std::move(*Made);
    }
    for (auto [F, Text] : {std::pair<Flag<std::string> *, std::string>(
                               &Objcopy, objcopyLines(Report->Plan)),
                           {&Script, linkerScript(Report->Plan)},
                           {&Patch, Diff}})
      if (F->given())
        if (llvm::Error E = writeFile(*F, Text))
          return E;
    if (llvm::Error E = write(*Report))
      return E;
    return ExitDone;
  }

private:
  Flag<unsigned> Cuts{
      {Sub, OfAnalysis, "k", "K", "How many objects to align (default 32)"},
      32};
  Flag<unsigned> Align{
      {Sub, OfAnalysis, "align", "A", "Bytes, a power of two (default 64)"},
      64};
  Flag<std::string> Section{
      {Sub, OfAnalysis, "section", "NAME", "Which chain (default .text)"},
      ".text"};
  Flag<std::string> Churn{
      {Sub, OfAnalysis, "churn", "FILE",
       "What git log --format= --name-only prints (default: all objects change "
       "alike)"}};
  Flag<std::string> Source{
      {Sub, OfAnalysis, "source", "DIR", "The tree that --patch is for"}};
  Flag<std::string> Objcopy{
      {Sub, OfOutput, "objcopy", "FILE", "Write llvm-objcopy commands"}};
  Flag<std::string> Script{{Sub, OfOutput, "linker-script", "FILE",
                            "Write a fragment of a linker script"}};
  Flag<std::string> Patch{
      {Sub, OfOutput, "patch", "FILE", "Write a patch for kbuild's Makefiles"}};
};

} // namespace

extern const MakeCommand MakeIsolationMap = make<IsolationMap>;
extern const MakeCommand MakeIsolationImpact = make<IsolationImpact>;
extern const MakeCommand MakeIsolationPlan = make<IsolationPlanCommand>;
extern const MakeCommand MakeIsolationVerify = make<IsolationVerify>;

} // namespace kst
