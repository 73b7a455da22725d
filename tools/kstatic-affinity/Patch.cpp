// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/Patch.h"

#include "analyzer/rewrite/Definition.h"
#include "analyzer/rewrite/UnifiedDiff.h"
#include "tools/kstatic-affinity/Complain.h"
#include "tools/kstatic-affinity/OutputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

namespace kst {

namespace {

/// The text above the diff, and the diff of every header.
std::string patchText(const HeaderEdits &Edits) {
  std::vector<PatchPart> Parts;
  for (const StructEdit &Edit : Edits.structs())
    Parts.push_back({Edit.What.Proposed, Edit.Notes, Edit.Groups});
  std::string Text = toPatchText(Parts);
  for (const auto &[Path, File] : Edits.files()) {
    std::vector<DiffHeading> Headings;
    for (const StructEdit &Edit : Edits.structs()) {
      const RecordInfo &Joint = Edit.What.Struct->Evidence.Joint;
      if (Joint.File == File.Name)
        Headings.push_back({Joint.Line, (Joint.Union ? "union " : "struct ") +
                                            Joint.Name + " {"});
    }
    llvm::sort(Headings, [](const DiffHeading &A, const DiffHeading &B) {
      return A.Line < B.Line;
    });
    // A header outside of the source tree: a path from the root directory, as
    // git and patch(1) take no absolute one.
    Text += unifiedDiff(llvm::StringRef(File.Name).ltrim('/'), File.Old,
                        File.New, Headings);
  }
  return Text;
}

llvm::Error isNoHeader(const std::string &PatchFile, const HeaderEdits &Edits) {
  for (const auto &[Path, File] : Edits.files())
    if (llvm::sys::fs::equivalent(PatchFile, Path))
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "--patch %s: that is the header itself",
                                     PatchFile.c_str());
  return llvm::Error::success();
}

llvm::Error writeHeaders(const Options &Given, const HeaderEdits &Edits) {
  for (const StructEdit &Edit : Edits.structs()) {
    if (Given.Quiet)
      break;
    for (const std::string &Note : Edit.Notes)
      complain("note: " + Note);
    if (!Edit.Groups.Asserts.empty() && Given.Patches.empty())
      complain("note: " + assertAdvice() + "\n" + Edit.Groups.Asserts);
  }
  std::vector<TextFile> Texts;
  for (const auto &[Path, File] : Edits.files())
    Texts.push_back({Path, File.New});
  return writeAllOrNone(Texts);
}

} // namespace

std::vector<SourceRule> rulesOfHeader(const Configs &All,
                                      const RecordInfo &Record) {
  llvm::Expected<Header> Read = readHeader(All, Record);
  if (!Read)
    return {{RuleKind::AllFixed, {}, llvm::toString(Read.takeError()), {}}};
  return rulesOfText(std::move(Read->Text), Record);
}

llvm::Error writePatches(const Options &Given, const Configs &All,
                         const std::vector<ProposedChange> &Changes) {
  /// The edits of the structs for which Wanted holds.
  auto Edit = [&](auto Wanted) -> llvm::Expected<HeaderEdits> {
    std::vector<ProposedChange> Chosen;
    for (size_t I = 0; I != Changes.size(); ++I)
      if (Changes[I].Proposed->Layouts.What == Verdict::Reorder && Wanted(I))
        Chosen.push_back(Changes[I]);
    return HeaderEdits::make(All, std::move(Chosen), Given.Markers);
  };
  for (size_t I = 0; I != Changes.size(); ++I)
    if (Changes[I].Proposed->Layouts.What != Verdict::Reorder &&
        Given.wantsPatchOf(I) && !Given.Quiet)
      complain("struct " + Changes[I].Struct->Evidence.Joint.Name +
               ": the verdict is not reorder, so there is no patch");
  for (const Addressed &Patch : Given.Patches) {
    llvm::Expected<HeaderEdits> Edits =
        Edit([&](size_t I) { return Patch.concerns(I); });
    if (!Edits)
      return Edits.takeError();
    if (Edits->structs().empty())
      continue;
    if (llvm::Error E = isNoHeader(Patch.Text, *Edits))
      return E;
    if (llvm::Error E = writeFile(Patch.Text, patchText(*Edits)))
      return E;
  }
  if (Given.Write.empty())
    return llvm::Error::success();
  llvm::Expected<HeaderEdits> Edits = Edit([&](size_t I) {
    return llvm::any_of(Given.Write,
                        [&](const Addressed &A) { return A.concerns(I); });
  });
  if (!Edits)
    return Edits.takeError();
  return writeHeaders(Given, *Edits);
}

} // namespace kst
