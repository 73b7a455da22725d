// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/Patch.h"

#include "analyzer/rewrite/UnifiedDiff.h"
#include "hybrid/core/ValidText.h"
#include "hybrid/pipeline/HeaderEdits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

namespace kst {

namespace {

/// The text above the diff, and the diff of every header.
std::string patchText(const HeaderEdits &Edits) {
  std::vector<PatchPart> Parts;
  for (const StructEdit &Edit : Edits.structs())
    Parts.push_back({&Edit.Struct->Proposed, Edit.Notes, Edit.Groups});
  std::string Text = validText(toPatchText(Parts));
  for (const auto &[Path, File] : Edits.files()) {
    std::vector<DiffHeading> Headings;
    for (const StructEdit &Edit : Edits.structs()) {
      const RecordInfo &Joint = Edit.Struct->Found.Evidence.Joint;
      if (Joint.File == File.Name)
        Headings.push_back({Joint.Line, (Joint.Union ? "union " : "struct ") +
                                            Joint.Name + " {"});
    }
    llvm::sort(Headings, [](const DiffHeading &A, const DiffHeading &B) {
      return A.Line < B.Line;
    });
    // What is outside of the project is somebody else's, and kept.
    Text += unifiedDiff(File.Name, File.Old, File.New, Headings);
  }
  return Text;
}

/// The edits of the structs for which Wanted holds and which get another order.
template <typename Predicate>
llvm::Expected<HeaderEdits> editsOf(const Analysis &Answer, bool Markers,
                                    Predicate Wanted) {
  std::vector<const AnalyzedStruct *> Chosen;
  for (const AnalyzedStruct &Struct : Answer.Structs)
    if (Struct.reorders() && Wanted(*Struct.Asked))
      Chosen.push_back(&Struct);
  return HeaderEdits::make(Answer.From->All, Chosen, Markers);
}

} // namespace

llvm::Expected<std::vector<PatchText>> makePatches(const Analysis &Answer,
                                                   bool Markers) {
  std::vector<std::string> Names;
  for (const AnalyzedStruct &Struct : Answer.Structs) {
    for (const std::string &File : Struct.Asked->PatchFiles)
      if (!llvm::is_contained(Names, File))
        Names.push_back(File);
    if (!Struct.reorders() && Struct.Asked->wantsPatch())
      Answer.From->Asked.Diags.note(
          "struct " + Struct.Found.Evidence.Joint.Name +
          (Struct.Proposed.InPatch
               ? ": no rule lets a field move, so there is no patch"
               : ": the verdict is not reorder, so there is no patch"));
  }
  std::vector<PatchText> Patches;
  for (const std::string &Name : Names) {
    auto Edits = editsOf(Answer, Markers, [&](const StructRequest &Struct) {
      return llvm::is_contained(Struct.PatchFiles, Name);
    });
    if (!Edits)
      return Edits.takeError();
    if (Edits->structs().empty())
      continue;
    for (const auto &[Path, File] : Edits->files())
      if (llvm::sys::fs::equivalent(Name, Path))
        return failure("--patch " + Name + ": that is the header itself");
    Patches.push_back({Name, patchText(*Edits)});
  }
  return Patches;
}

llvm::Expected<std::vector<TextFile>> changedHeaders(const Analysis &Answer,
                                                     bool Markers) {
  auto Edits = editsOf(Answer, Markers, [](const StructRequest &Struct) {
    return Struct.Write;
  });
  if (!Edits)
    return Edits.takeError();
  const DiagnosticConsumer &Diags = Answer.From->Asked.Diags;
  for (const StructEdit &Edit : Edits->structs()) {
    for (const std::string &Note : Edit.Notes)
      Diags.note("note: " + Note);
    if (!Edit.Groups.Asserts.empty() && Edit.Struct->Asked->PatchFiles.empty())
      Diags.note("note: " + assertAdvice() + "\n" + Edit.Groups.Asserts);
  }
  std::vector<TextFile> Texts;
  for (const auto &[Path, File] : Edits->files())
    Texts.push_back({Path, File.New});
  return Texts;
}

} // namespace kst
