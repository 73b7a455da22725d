// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/Patch.h"

#include "analyzer/rewrite/Rewrite.h"
#include "analyzer/rewrite/UnifiedDiff.h"
#include "analyzer/rewrite/VerifyPatched.h"
#include "hybrid/layout/Moves.h"
#include "hybrid/report/PatchText.h"
#include "tools/kstatic-affinity/Complain.h"
#include "tools/kstatic-affinity/InputFile.h"
#include "tools/kstatic-affinity/OutputFile.h"

#include "llvm/Support/Path.h"

namespace kst {

namespace {

std::string pathOf(const Configs &All, const RecordInfo &Record) {
  llvm::SmallString<256> Path(All.sourceRoot());
  llvm::sys::path::append(Path, Record.File); // an absolute File is kept below
  return llvm::sys::path::is_absolute(Record.File) ? Record.File
                                                   : std::string(Path);
}

/// Units of a configuration that see the definition at this place, by name;
/// the first is enough, the others serve if it does not compile by itself.
const RunUnit *unitThatSees(const Config &In, const RecordInfo &Record) {
  for (size_t U = 0; U < In.Session.Units.size(); ++U) {
    const TuFacts &Facts = In.Session.Units[U];
    for (const RecordFact &Seen : Facts.Records)
      if (Facts.Strings[Seen.Name] == Record.Name &&
          Facts.Strings[Seen.File] == Record.File && Seen.Line == Record.Line)
        return &In.Session.Commands[U];
  }
  return nullptr;
}

/// The front end on the changed header, in every configuration.
llvm::Error verify(const Configs &All, const StructInConfigs &Of,
                   const Report &Proposed, const OverlayFile &Changed) {
  const std::vector<TargetScore> &Targets = Proposed.Layouts.Targets;
  for (size_t C = 0; C < Of.Where.size(); ++C) {
    const RecordInfo &Before = Of.Evidence.Configs[C].Record;
    const RunUnit *Unit = unitThatSees(*Of.Where[C], Before);
    if (!Unit)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "no file of %s sees the definition",
                                     Of.Where[C]->Name.c_str());
    ProbeUnit Probe{Unit->Directory, Unit->Args};
    if (llvm::Error E = verifyPatched(Probe, All.sourceRoot(), Before,
                                      Targets[C].Proposed, {Changed}))
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "%s: the changed header is not as predicted: %s",
          Unit->Relative.c_str(), llvm::toString(std::move(E)).c_str());
  }
  return llvm::Error::success();
}

/// Per field: whether the report counts it as moved.
std::vector<bool> movedFields(const LayoutProblem &Problem,
                              const std::vector<uint32_t> &Order) {
  const Constraints &Rules = Problem.rules();
  UnitOrder Units;
  for (uint32_t Field : Order)
    if (Units.empty() || Units.back() != Rules.unitOf(Field))
      Units.push_back(Rules.unitOf(Field));
  std::vector<bool> UnitMoved = movedUnits(Problem.space(), Units);
  std::vector<bool> Moved(Order.size());
  for (uint32_t Field = 0; Field < Moved.size(); ++Field)
    Moved[Field] = UnitMoved[Rules.unitOf(Field)];
  return Moved;
}

std::vector<std::string> inWords(const std::string &File,
                                 const std::vector<TextNote> &Notes) {
  std::vector<std::string> Words;
  for (const TextNote &Note : Notes)
    Words.push_back(File + ":" + std::to_string(Note.Line) + ": " + Note.What);
  return Words;
}

} // namespace

llvm::Expected<Header> readHeader(const Configs &All,
                                  const RecordInfo &Record) {
  Header Read;
  Read.Path = pathOf(All, Record);
  llvm::Expected<std::string> Text = readFile(Read.Path);
  if (!Text)
    return Text.takeError();
  Read.Text = std::move(*Text);
  return Read;
}

std::vector<SourceRule> rulesOfHeader(const Configs &All,
                                      const RecordInfo &Record) {
  llvm::Expected<Header> Read = readHeader(All, Record);
  if (!Read)
    return {{RuleKind::AllFixed, {}, llvm::toString(Read.takeError()), {}}};
  return rulesOfText(std::move(Read->Text), Record);
}

llvm::Error writePatch(const Options &Given, const Configs &All,
                       const StructInConfigs &Of, const LayoutProblem &Problem,
                       const Report &Proposed) {
  if (Given.PatchFile.empty() && !Given.Write)
    return llvm::Error::success();
  const RecordInfo &Joint = Of.Evidence.Joint;
  if (Proposed.Layouts.What != Verdict::Reorder) {
    if (!Given.Quiet)
      complain("struct " + Joint.Name +
               ": the verdict is not reorder, so there is no patch");
    return llvm::Error::success();
  }
  llvm::Expected<Header> Read = readHeader(All, Joint);
  if (!Read)
    return Read.takeError();
  auto Context = [&](llvm::Error E) {
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(), "no patch of struct %s: %s",
        Joint.Name.c_str(), llvm::toString(std::move(E)).c_str());
  };
  llvm::Expected<Definition> Parsed = Definition::parse(Read->Text, Joint);
  if (!Parsed)
    return Context(Parsed.takeError());
  const std::vector<uint32_t> &Order = Proposed.Layouts.Proposed.Plan.Order;
  std::vector<bool> Moved = movedFields(Problem, Order);
  llvm::Expected<Rewritten> Changed = rewrite(*Parsed, Order, &Moved);
  if (!Changed)
    return Context(Changed.takeError());
  if (llvm::Error E = verify(All, Of, Proposed, {Read->Path, Changed->Text}))
    return Context(std::move(E));

  if (!Given.PatchFile.empty()) {
    std::string Diff = unifiedDiff(
        Joint.File, Read->Text, Changed->Text,
        (Joint.Union ? "union " : "struct ") + Joint.Name + " {", Joint.Line);
    if (llvm::Error E = writeFile(
            Given.PatchFile,
            toPatchText(Proposed, inWords(Joint.File, Changed->Notes)) + Diff))
      return E;
  }
  if (!Given.Write)
    return llvm::Error::success();
  if (!Given.Quiet)
    for (const std::string &Note : inWords(Joint.File, Changed->Notes))
      complain("note: " + Note);
  return writeFile(Read->Path, Changed->Text);
}

} // namespace kst
