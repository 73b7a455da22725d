// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/Patch.h"

#include "analyzer/rewrite/Markers.h"
#include "analyzer/rewrite/Rewrite.h"
#include "analyzer/rewrite/UnifiedDiff.h"
#include "analyzer/rewrite/VerifyPatched.h"
#include "hybrid/layout/Moves.h"
#include "hybrid/report/PatchText.h"
#include "hybrid/report/UsedTogether.h"
#include "tools/kstatic-affinity/Complain.h"
#include "tools/kstatic-affinity/InputFile.h"
#include "tools/kstatic-affinity/OutputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
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

/// The front end on the changed header, in every configuration. `Added`:
/// members without size that are new. `After`, if given: the fields of the
/// joint record as some configuration sees them in the changed header, in its
/// order.
llvm::Error verify(const Configs &All, const StructInConfigs &Of,
                   const Report &Proposed, const OverlayFile &Changed,
                   llvm::ArrayRef<std::string> Added = {},
                   RecordInfo *After = nullptr) {
  const std::vector<uint32_t> &Order = Proposed.Layouts.Proposed.Plan.Order;
  if (After) {
    *After = Of.Evidence.Joint;
    for (size_t I = 0; I != Order.size(); ++I)
      After->Fields[I] = Of.Evidence.Joint.Fields[Order[I]];
  }
  const std::vector<TargetScore> &Targets = Proposed.Layouts.Targets;
  for (size_t C = 0; C < Of.Where.size(); ++C) {
    const RecordInfo &Before = Of.Evidence.Configs[C].Record;
    const RunUnit *Unit = unitThatSees(*Of.Where[C], Before);
    if (!Unit)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "no file of %s sees the definition",
                                     Of.Where[C]->Name.c_str());
    ProbeUnit Probe{Unit->Directory, Unit->Args};
    RecordInfo Seen;
    if (llvm::Error E =
            verifyPatched(Probe, All.sourceRoot(), Before, Targets[C].Proposed,
                          {Changed}, Added, &Seen))
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "%s: the changed header is not as predicted: %s",
          Unit->Relative.c_str(), llvm::toString(std::move(E)).c_str());
    if (!After)
      continue;
    After->Line = Seen.Line;
    After->EndLine = Seen.EndLine;
    for (size_t I = 0, Present = 0; I != Order.size(); ++I)
      if (!Before.Fields[Order[I]].Absent) {
        const FieldInfo &Now = Seen.Fields[Present++];
        After->Fields[I].Line = Now.Line;
        for (uint32_t G = After->Fields[I].Group, S = Now.Group; G != NoGroup;
             G = After->Groups[G].Parent, S = Seen.Groups[S].Parent) {
          After->Groups[G].Line = Seen.Groups[S].Line;
          After->Groups[G].EndLine = Seen.Groups[S].EndLine;
        }
      }
  }
  return llvm::Error::success();
}

/// An error if a configuration does not know the macros of markers at the line
/// where the struct begins.
llvm::Error macrosAreKnown(const Configs &All, const StructInConfigs &Of,
                           const OverlayFile &Changed,
                           const RecordInfo &After) {
  size_t Begin = 0;
  for (uint32_t Line = 1; Line < After.Line; ++Line)
    Begin = Changed.Text.find('\n', Begin) + 1;
  OverlayFile Asking = Changed;
  Asking.Text.insert(Begin, "#if !defined(__cacheline_group_begin) || "
                            "!defined(__cacheline_group_end)\n"
                            "#error no group markers\n"
                            "#endif\n");
  for (size_t C = 0; C < Of.Where.size(); ++C) {
    const RecordInfo &Record = Of.Evidence.Configs[C].Record;
    const RunUnit *Unit = unitThatSees(*Of.Where[C], Record);
    if (!Unit)
      continue;
    auto Seen = recordsOf({Unit->Directory, Unit->Args}, All.sourceRoot(),
                          {Record.Name}, Record.File, {Asking});
    if (Seen)
      continue;
    std::string Why = llvm::toString(Seen.takeError());
    if (Why.find("no group markers") != std::string::npos)
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "--markers: %s does not know __cacheline_group_begin() and "
          "__cacheline_group_end() at %s:%u; the header must include "
          "<linux/cache.h> of a kernel that has them",
          Unit->Relative.c_str(), Record.File.c_str(), Record.Line);
  }
  return llvm::Error::success();
}

/// The changed header with the groups that the evidence asks for.
struct Marked {
  std::string Text;
  std::vector<std::string> Notes;
  PatchGroups Groups;
};

llvm::Expected<Marked> addMarkers(const Configs &All, const StructInConfigs &Of,
                                  const Report &Proposed,
                                  const OverlayFile &Changed,
                                  const RecordInfo &After) {
  const std::vector<uint32_t> &Order = Proposed.Layouts.Proposed.Plan.Order;
  std::vector<uint32_t> PlaceOf(Order.size());
  for (uint32_t I = 0; I != Order.size(); ++I)
    PlaceOf[Order[I]] = I;
  std::vector<WantedGroup> Wanted;
  for (const UsedTogether &Group : usedTogether(Proposed)) {
    Wanted.push_back({Group.Name, {}});
    for (uint32_t F : Group.Fields)
      Wanted.back().Fields.push_back(PlaceOf[F]);
    llvm::sort(Wanted.back().Fields);
  }
  llvm::Expected<Definition> Parsed = Definition::parse(Changed.Text, After);
  if (!Parsed)
    return Parsed.takeError();
  MarkedText Made = insertMarkers(*Parsed, After, Wanted);
  Marked Result{std::move(Made.Text), std::move(Made.Notes), {}};
  if (Made.Groups.empty()) {
    Result.Notes.push_back("--markers: no line has a group of fields that "
                           "markers can hold");
    return Result;
  }
  for (const PlacedGroup &Group : Made.Groups)
    Result.Groups.Names.push_back(Group.Name);
  Result.Groups.Asserts = groupAsserts(*Parsed, After, Made.Groups);
  if (llvm::Error E = verify(All, Of, Proposed, {Changed.Path, Result.Text},
                             markerMembers(Made.Groups))) {
    if (llvm::Error Unknown = macrosAreKnown(All, Of, Changed, After)) {
      llvm::consumeError(std::move(E));
      return Unknown;
    }
    return E;
  }
  if (Changed.Text.find("#include <linux/cache.h>") == std::string::npos)
    Result.Notes.push_back(
        After.File + " does not include <linux/cache.h>, which defines the "
                     "markers, itself; one file of each configuration was "
                     "compiled and knew them");
  return Result;
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
  if (llvm::sys::fs::equivalent(Given.PatchFile, Read->Path))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "--patch %s: that is the header itself",
                                   Given.PatchFile.c_str());
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
  RecordInfo After;
  if (llvm::Error E =
          verify(All, Of, Proposed, {Read->Path, Changed->Text}, {}, &After))
    return Context(std::move(E));
  std::vector<std::string> Notes = inWords(Joint.File, Changed->Notes);
  PatchGroups Groups;
  if (Given.Markers) {
    llvm::Expected<Marked> Made =
        addMarkers(All, Of, Proposed, {Read->Path, Changed->Text}, After);
    if (!Made)
      return Context(Made.takeError());
    Changed->Text = std::move(Made->Text);
    Notes.insert(Notes.end(), Made->Notes.begin(), Made->Notes.end());
    Groups = std::move(Made->Groups);
  }

  if (!Given.PatchFile.empty()) {
    // A header outside of the source tree: a path from the root directory, as
    // git and patch(1) take no absolute one.
    std::string Diff = unifiedDiff(
        llvm::StringRef(Joint.File).ltrim('/'), Read->Text, Changed->Text,
        (Joint.Union ? "union " : "struct ") + Joint.Name + " {", Joint.Line);
    if (llvm::Error E = writeFile(Given.PatchFile,
                                  toPatchText(Proposed, Notes, Groups) + Diff))
      return E;
  }
  if (!Given.Write)
    return llvm::Error::success();
  if (!Given.Quiet) {
    for (const std::string &Note : Notes)
      complain("note: " + Note);
    if (!Groups.Asserts.empty() && Given.PatchFile.empty())
      complain("note: " + assertAdvice() + "\n" + Groups.Asserts);
  }
  return writeFile(Read->Path, Changed->Text);
}

} // namespace kst
