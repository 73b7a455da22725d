// SPDX-License-Identifier: GPL-2.0-or-later
//
// A patch against the tree on disk, or in it already. Its heads are written
// anew with the names that the files have there; then git applies it to copies
// of these files.

#include "analyzer/change/Git.h"
#include "analyzer/change/PatchNames.h"
#include "analyzer/change/SourceChange.h"
#include "analyzer/files/InputFile.h"
#include "hybrid/core/PatchName.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

using namespace llvm;

namespace kst {
namespace {

Error writeText(const std::string &Path, StringRef Text) {
  if (std::error_code Why =
          sys::fs::create_directories(sys::path::parent_path(Path)))
    return errorCodeToError(Why);
  std::error_code Why;
  raw_fd_ostream To(Path, Why);
  if (Why)
    return errorCodeToError(Why);
  To << Text;
  return Error::success();
}

/// Mail changes line ends: the lines of a hunk with those that all lines of the
/// file have, if all have the same.
std::string withEndsOf(StringRef File, ArrayRef<StringRef> Hunks) {
  const size_t Ends = File.count('\n'), Returns = File.count("\r\n");
  std::string Text;
  for (StringRef Line : Hunks) {
    const bool Content = !Line.starts_with("@@ -") && !Line.starts_with("\\");
    StringRef Bare = Line;
    Bare.consume_back("\n");
    const bool Fits = Content && Ends && Returns == Ends;
    if (!Content || Returns == 0 || Fits)
      Bare = Bare.rtrim('\r');
    Text += (Bare + (Fits ? "\r\n" : "\n")).str();
  }
  return Text;
}

/// One way to read the names of a patch, tried on copies of its files.
class PatchTrial {
public:
  PatchTrial(const PatchReading &Reading, const std::string &Root)
      : Reading(Reading), Root(Root) {
    for (const NamedPart &File : Reading.Files)
      for (const std::string &Name : {File.Old, File.New})
        if (!Name.empty())
          Names.emplace(Name, nameOfFile(Root, Name));
  }

  unsigned level() const { return Reading.Level; }
  /// The change; with Back of a tree that has it already.
  Expected<std::vector<ChangedFile>> apply(bool Back) const;
  /// The first name that differs from that of the other reading.
  std::string nameUnlike(const PatchTrial &Other) const {
    for (auto [Mine, Theirs] : zip(Reading.Files, Other.Reading.Files))
      if (Mine.New != Theirs.New)
        return Mine.New.empty() ? Mine.Old : Mine.New;
    return "";
  }

private:
  std::string patch() const;
  void addPart(std::string &Patch, const NamedPart &File) const;

  const PatchReading &Reading;
  const std::string &Root;
  std::map<std::string, std::string> Names; ///< as read -> the file itself
};

void PatchTrial::addPart(std::string &Patch, const NamedPart &File) const {
  const FilePatch &Part = *File.Part;
  const std::string Old = File.Old.empty() ? "" : Names.at(File.Old);
  const std::string New = File.New.empty() ? "" : Names.at(File.New);
  auto Text = textIfThere(Root + "/" + (Old.empty() ? New : Old));
  if (!Text && !New.empty())
    Text = textIfThere(Root + "/" + New);
  const std::string Left = "a/" + (Old.empty() ? New : Old),
                    Right = "b/" + (New.empty() ? Old : New);
  Patch += "diff --git " + quotedName(Left) + " " + quotedName(Right) + "\n";
  const std::string Way = Part.Renames ? "rename " : "copy ";
  if (Part.Renames || Part.Copies)
    Patch += Way + "from " + quotedName(Old) + "\n" + Way + "to " +
             quotedName(New) + "\n";
  if (Old.empty())
    Patch += "new file mode 100644\n";
  if (New.empty())
    Patch += "deleted file mode 100644\n";
  if (Part.Hunks.empty())
    return;
  Patch += "--- " + (Old.empty() ? "/dev/null" : headingName(Left)) + "\n+++ " +
           (New.empty() ? "/dev/null" : headingName(Right)) + "\n" +
           withEndsOf(Text.value_or(""), Part.Hunks);
}

std::string PatchTrial::patch() const {
  std::string Patch;
  for (const NamedPart &File : Reading.Files)
    addPart(Patch, File);
  return Patch;
}

Expected<std::vector<ChangedFile>> PatchTrial::apply(bool Back) const {
  auto Scratch = ScratchDirectory::create();
  if (!Scratch)
    return Scratch.takeError();
  const std::string Copies = Scratch->path() + "/tree";
  if (std::error_code Why = sys::fs::create_directories(Copies))
    return errorCodeToError(Why);
  std::set<std::string> InTree;
  for (const auto &[Name, File] : Names)
    InTree.insert(File);
  std::vector<ChangedFile> Files;
  for (const std::string &Name : InTree) {
    Files.push_back({Name, textIfThere(Root + "/" + Name), std::nullopt});
    if (const auto &Text = Files.back().Base)
      if (Error Wrong = writeText(Copies + "/" + Name, *Text))
        return Wrong;
  }
  std::vector<std::string> Arguments = {"apply", "--whitespace=nowarn", "-p1"};
  if (any_of(Reading.Files,
             [](const NamedPart &File) { return File.Part->NoContext; }))
    Arguments.push_back("--unidiff-zero");
  if (Back)
    Arguments.push_back("-R");
  if (const std::string Patch = patch(); !Patch.empty())
    if (auto Done = git(Copies, Arguments, Patch, Scratch->path()); !Done)
      return Done.takeError();
  for (ChangedFile &File : Files) {
    File.Head = textIfThere(Copies + "/" + File.Name);
    if (Back)
      std::swap(File.Base, File.Head);
  }
  return Files;
}

/// What a reader of the review must know of how the patch was read.
std::vector<std::string> notesOn(ArrayRef<FilePatch> Parts,
                                 ArrayRef<const PatchTrial *> Fitting,
                                 const std::string &Shown) {
  std::vector<std::string> Notes;
  for (const FilePatch &Part : Parts)
    if (Part.NoFile)
      Notes.push_back(formatv("{0}:{1}: {2} is a symbolic link or a submodule: "
                              "the change of where it leads is not looked at",
                              Shown, Part.Line,
                              Part.New.empty() ? Part.Old : Part.New));
  for (const PatchTrial *Other : Fitting.drop_front())
    Notes.push_back(formatv(
        "{0} fits {1} (-p{2}) and {3} (-p{4}); it was read as the first", Shown,
        Fitting[0]->nameUnlike(*Other), Fitting[0]->level(),
        Other->nameUnlike(*Fitting[0]), Other->level()));
  return Notes;
}

std::vector<PatchReading> readIn(const std::string &Root,
                                 ArrayRef<FilePatch> Parts) {
  return readingsOf(
      Parts,
      [&](StringRef Name) {
        return sys::fs::is_regular_file(Root + "/" + Name);
      },
      [&](StringRef Name) { return sys::fs::is_directory(Root + "/" + Name); });
}

/// The trials that fit the tree without the patch, or with it if Back, and what
/// the first of them changes. `Wrong` gets the first reason of one that does
/// not fit, if it has none.
std::vector<const PatchTrial *> fitting(ArrayRef<PatchTrial> Trials, bool Back,
                                        std::vector<ChangedFile> &Files,
                                        std::string &Wrong) {
  std::vector<const PatchTrial *> Fitting;
  for (const PatchTrial &Trial : Trials) {
    auto Done = Trial.apply(Back);
    if (!Done) {
      std::string Why = toString(Done.takeError());
      Wrong = Wrong.empty() ? Why : Wrong;
      continue;
    }
    if (Fitting.empty())
      Files = std::move(*Done);
    Fitting.push_back(&Trial);
  }
  return Fitting;
}

} // namespace

Expected<SourceChange> changeOfPatch(const std::string &Given,
                                     const std::string &Root) {
  constexpr uint64_t MostBytes = 64 << 20;
  auto Bytes = inputBytes(Given, MostBytes);
  if (!Bytes)
    return Bytes.takeError();
  const std::string Shown = Given == "-" ? "the patch" : Given;
  auto Fail = [&](const Twine &Why) { return createStringError(Shown + Why); };
  auto Parts = parsePatch((*Bytes)->getBuffer());
  if (!Parts)
    return Fail(": " + toString(Parts.takeError()));
  if (Parts->empty())
    return Fail(": no patch: it names no file");
  const std::vector<PatchReading> Readings = readIn(Root, *Parts);
  if (!Readings[0].Missing.empty())
    return Fail(" does not apply to " + Root + ": there is no file " +
                Readings[0].Missing + ", with or without its first directory");
  std::vector<PatchTrial> Trials;
  for (const PatchReading &Reading : Readings)
    Trials.emplace_back(Reading, Root);
  // What fits anywhere proves nothing; that it is there already would.
  const bool BackFirst =
      any_of(*Parts, [](const FilePatch &Part) { return Part.Inserts; });
  std::string Wrong;
  for (bool Back : {BackFirst, !BackFirst}) {
    SourceChange Change{"the tree", Shown, {}, {}};
    auto Fitting = fitting(Trials, Back, Change.Files, Wrong);
    if (Fitting.empty())
      continue;
    Change.Notes = notesOn(*Parts, Fitting, Shown);
    if (Back) {
      Change.Base = "the tree without " + Shown;
      Change.Head = "the tree";
    }
    return Change;
  }
  return Fail(" does not apply to " + Root +
              ", nor is it in it already: " + Wrong);
}

} // namespace kst
