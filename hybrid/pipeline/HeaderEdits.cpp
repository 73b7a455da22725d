// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/HeaderEdits.h"

#include "analyzer/files/InputFile.h"
#include "analyzer/rewrite/Attributes.h"
#include "analyzer/rewrite/Markers.h"
#include "analyzer/rewrite/Rewrite.h"
#include "hybrid/fieldorder/UsedTogether.h"
#include "hybrid/layout/FieldOffsets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <ranges>

namespace kst {

namespace {

/// The first unit of a configuration that lays the definition out like this.
const RunUnit *unitThatSees(const Config &In, const RecordInfo &Record) {
  auto Present = [](const FieldInfo &Field) { return !Field.Absent; };
  for (size_t U = 0; U < In.Session.Units.size(); ++U) {
    const TuFacts &Facts = In.Session.Units[U];
    for (const RecordFact &Seen : Facts.Records)
      if (Facts.Strings[Seen.Name] == Record.Name &&
          Facts.Strings[Seen.File] == Record.File && Seen.Line == Record.Line &&
          std::ranges::equal(rowsOf(Facts.Fields, Seen.Fields),
                             Record.Fields | std::views::filter(Present), {},
                             &FieldFact::OffsetBits, &FieldInfo::OffsetBits))
        return &In.Session.Commands[U];
  }
  return nullptr;
}

std::vector<std::string> inWords(const std::string &File,
                                 const std::vector<TextNote> &Notes) {
  std::vector<std::string> Words;
  for (const TextNote &Note : Notes)
    Words.push_back(File + ":" + std::to_string(Note.Line) + ": " + Note.What);
  return Words;
}

/// Gives the fields of `Into` the sizes that they have in `Seen`; true if any
/// is another, and larger alignments. A field that holds a struct changes size
/// when that struct does.
bool takeSizes(RecordInfo &Into, const RecordInfo &Seen) {
  bool Differ = false;
  for (FieldInfo &Field : Into.Fields) {
    auto Same = llvm::find_if(Seen.Fields, [&](const FieldInfo &Other) {
      return !Field.Name.empty() && Other.Name == Field.Name;
    });
    if (Field.Absent || Same == Seen.Fields.end() ||
        (Same->SizeBits == Field.SizeBits &&
         Same->AlignBytes <= Field.AlignBytes))
      continue;
    Field.SizeBits = Same->SizeBits;
    Field.AlignBytes = std::max(Field.AlignBytes, Same->AlignBytes);
    Into.AlignBytes = std::max(Into.AlignBytes, Field.AlignBytes);
    Differ = true;
  }
  return Differ;
}

/// Lines behind a place in the text move with what was changed before them.
void shiftLines(RecordInfo &Record, uint32_t Behind, int64_t By) {
  auto Shift = [&](uint32_t &Line) {
    if (Line > Behind)
      Line = static_cast<uint32_t>(Line + By);
  };
  Shift(Record.Line);
  Shift(Record.EndLine);
  for (FieldInfo &Field : Record.Fields)
    Shift(Field.Line);
}

std::vector<uint32_t> alignedFields(const RecordInfo &Record) {
  std::vector<uint32_t> Fields;
  for (uint32_t F = 0; F != Record.Fields.size(); ++F)
    if (Record.Fields[F].WantedAlignBytes)
      Fields.push_back(F);
  return Fields;
}

int64_t lineCount(llvm::StringRef Text) { return Text.count('\n'); }

} // namespace

llvm::Expected<HeaderEdits>
HeaderEdits::make(const Configs &All,
                  const std::vector<const AnalyzedStruct *> &Structs,
                  bool Markers) {
  HeaderEdits New(All);
  for (const AnalyzedStruct *Struct : Structs) {
    StructEdit Edit;
    Edit.Struct = Struct;
    Edit.Joint = Struct->Found.Evidence.Joint;
    for (const StructEdit &Other : New.Structs)
      if (Other.Joint.File == Edit.Joint.File &&
          Other.Joint.Line == Edit.Joint.Line)
        return failure("structs " + Other.Joint.Name + " and " +
                       Edit.Joint.Name + " are made by one text (" +
                       Edit.Joint.File + ":" + std::to_string(Edit.Joint.Line) +
                       "): a patch of one changes both; ask for one");
    const std::string Path = New.pathOf(Edit);
    llvm::Expected<std::string> Text = readFile(Path);
    if (!Text)
      return Text.takeError();
    New.Files[Path] = {Edit.Joint.File, *Text, *Text};
    New.Structs.push_back(std::move(Edit));
  }
  std::vector<StructEdit *> FromTheEnd;
  for (StructEdit &Edit : New.Structs)
    FromTheEnd.push_back(&Edit);
  llvm::stable_sort(FromTheEnd, [](const StructEdit *A, const StructEdit *B) {
    return A->Joint.Line > B->Joint.Line;
  });
  auto Context = [](const StructEdit &Edit, llvm::Error E) {
    return within("no patch of struct " + Edit.Joint.Name + ": ", std::move(E));
  };
  for (StructEdit *Edit : FromTheEnd) {
    const std::string Path = New.pathOf(*Edit);
    File &Changed = New.Files[Path];
    const int64_t LinesBefore = lineCount(Changed.New);
    RecordInfo After;
    if (llvm::Error E = New.change(*Edit, After))
      return Context(*Edit, std::move(E));
    if (Markers)
      if (llvm::Error E = New.mark(*Edit, After))
        return Context(*Edit, std::move(E));
    // What encloses this definition is still to come.
    for (StructEdit *Other : FromTheEnd)
      if (Other != Edit && New.pathOf(*Other) == Path)
        shiftLines(Other->Joint, Edit->Joint.EndLine,
                   lineCount(Changed.New) - LinesBefore);
  }
  for (StructEdit &Edit : New.Structs)
    if (New.Structs.size() > 1)
      if (llvm::Error E = New.verify(Edit))
        return Context(Edit, std::move(E));
  return New;
}

/// Reordered and verified. Attributes are those of the kernel where the header
/// knows them and they mean as many bytes.
llvm::Error HeaderEdits::change(StructEdit &Edit, RecordInfo &After) {
  std::vector<std::string> Attributes;
  if (const auto Fields = alignedFields(Edit.Joint); !Fields.empty()) {
    if (llvm::sys::fs::exists(All->sourceRoot() + "/include/linux/cache.h"))
      Attributes.push_back("____cacheline_aligned_in_smp");
    Attributes.push_back(
        "__attribute__((aligned(" +
        std::to_string(Edit.Joint.Fields[Fields.front()].WantedAlignBytes) +
        ")))");
  } else {
    Attributes.push_back("");
  }
  const std::string Before = Files[pathOf(Edit)].New;
  llvm::Error Failed = llvm::Error::success();
  for (const std::string &Attribute : Attributes) {
    llvm::consumeError(std::move(Failed));
    Files[pathOf(Edit)].New = Before;
    Failed = reorder(Edit, Attribute);
    if (!Failed)
      Failed = verify(Edit, &After);
    if (!Failed)
      break;
  }
  return Failed;
}

llvm::Error HeaderEdits::reorder(StructEdit &Edit,
                                 const std::string &Attribute) {
  File &Changed = Files[pathOf(Edit)];
  llvm::Expected<Definition> Parsed =
      Definition::parse(Changed.New, Edit.Joint);
  if (!Parsed)
    return Parsed.takeError();
  if (!Attribute.empty()) {
    auto With = withAttribute(*Parsed, alignedFields(Edit.Joint), Attribute);
    if (!With)
      return With.takeError();
    Parsed = Definition::parse(std::move(*With), Edit.Joint);
    if (!Parsed)
      return Parsed.takeError();
  }
  llvm::Expected<Rewritten> Text =
      rewrite(*Parsed, Edit.Struct->newOrder(), &Edit.Struct->Moved);
  if (!Text)
    return Text.takeError();
  Changed.New = std::move(Text->Text);
  Edit.Notes = inWords(Edit.Joint.File, Text->Notes);
  return llvm::Error::success();
}

std::vector<OverlayFile> HeaderEdits::overlays() const {
  std::vector<OverlayFile> Changed;
  for (const auto &[Path, Text] : Files)
    Changed.push_back({Path, Text.New});
  return Changed;
}

/// The front end on the changed headers, in every configuration. `After`, if
/// given: the fields of the joint record as some configuration sees them in
/// the changed header, in its order.
llvm::Error HeaderEdits::verify(StructEdit &Edit, RecordInfo *After) const {
  const StructInConfigs &Struct = Edit.Struct->Found;
  const std::vector<uint32_t> &Order = Edit.Struct->newOrder();
  const std::vector<OverlayFile> Changed = overlays();
  if (After) {
    *After = Struct.Evidence.Joint;
    for (size_t I = 0; I != Order.size(); ++I)
      After->Fields[I] = Struct.Evidence.Joint.Fields[Order[I]];
  }
  for (size_t C = 0; C < Struct.Where.size(); ++C) {
    RecordInfo Before = Struct.Evidence.Configs[C].Record;
    Layout Expected = Edit.Struct->newLayout(C);
    const RunUnit *Unit = unitThatSees(*Struct.Where[C], Before);
    if (!Unit)
      return failure("no file of " + Struct.Where[C]->Name +
                     " sees the definition");
    auto Context = [&](llvm::Error E) {
      return within(Unit->Relative +
                        ": the changed header is not as predicted: ",
                    std::move(E));
    };
    ProbeUnit Probe{Unit->Directory, Unit->Args};
    if (Structs.size() > 1) {
      auto Seen = recordsOf(Probe, All->sourceRoot(), {Before.Name},
                            Before.File, Changed);
      if (!Seen)
        return Context(Seen.takeError());
      if (Seen->size() == 1 && takeSizes(Before, Seen->front())) {
        const uint64_t Alone = Expected.SizeBytes;
        Expected = FieldOffsets(Before).layout(Order);
        std::string Note = "struct " + Before.Name +
                           " holds a struct that this patch changes too: it "
                           "has " +
                           std::to_string(Expected.SizeBytes) + " bytes, and " +
                           std::to_string(Alone) + " without the other change";
        if (!llvm::is_contained(Edit.Notes, Note))
          Edit.Notes.push_back(std::move(Note));
      }
    }
    RecordInfo Seen;
    if (llvm::Error E = verifyPatched(Probe, All->sourceRoot(), Before,
                                      Expected, Changed, Edit.Markers, &Seen))
      return Context(std::move(E));
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
llvm::Error HeaderEdits::macrosAreKnown(const StructEdit &Edit,
                                        const std::string &Text,
                                        const RecordInfo &After) const {
  const StructInConfigs &Struct = Edit.Struct->Found;
  size_t Begin = 0;
  for (uint32_t Line = 1; Line < After.Line; ++Line)
    Begin = Text.find('\n', Begin) + 1;
  std::vector<OverlayFile> Asking = overlays();
  for (OverlayFile &File : Asking)
    if (File.Path == pathOf(Edit))
      File.Text = std::string(Text).insert(
          Begin, "#if !defined(__cacheline_group_begin) || "
                 "!defined(__cacheline_group_end)\n"
                 "#error no group markers\n"
                 "#endif\n");
  for (size_t C = 0; C < Struct.Where.size(); ++C) {
    const RecordInfo &Record = Struct.Evidence.Configs[C].Record;
    const RunUnit *Unit = unitThatSees(*Struct.Where[C], Record);
    if (!Unit)
      continue;
    auto Seen = recordsOf({Unit->Directory, Unit->Args}, All->sourceRoot(),
                          {Record.Name}, Record.File, Asking);
    if (Seen)
      continue;
    std::string Why = llvm::toString(Seen.takeError());
    if (Why.find("no group markers") != std::string::npos)
      return failure("--markers: " + Unit->Relative +
                     " does not know __cacheline_group_begin() and "
                     "__cacheline_group_end() at " +
                     Record.File + ":" + llvm::Twine(Record.Line) +
                     "; the header must include <linux/cache.h> of a kernel "
                     "that has them");
  }
  return llvm::Error::success();
}

/// Adds the groups that the evidence asks for to the changed header.
llvm::Error HeaderEdits::mark(StructEdit &Edit, const RecordInfo &After) {
  const Report &Proposed = Edit.Struct->Proposed;
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
  File &Changed = Files[pathOf(Edit)];
  llvm::Expected<Definition> Parsed = Definition::parse(Changed.New, After);
  if (!Parsed)
    return Parsed.takeError();
  MarkedText Marked = insertMarkers(*Parsed, After, Wanted);
  llvm::append_range(Edit.Notes, Marked.Notes);
  if (Marked.Groups.empty()) {
    Edit.Notes.push_back("--markers: no line has a group of fields that "
                         "markers can hold");
    return llvm::Error::success();
  }
  for (const PlacedGroup &Group : Marked.Groups)
    Edit.Groups.Names.push_back(Group.Name);
  Edit.Groups.Asserts = groupAsserts(*Parsed, After, Marked.Groups);
  Edit.Markers = markerMembers(Marked.Groups);
  std::string Unmarked = std::exchange(Changed.New, std::move(Marked.Text));
  if (llvm::Error E = verify(Edit)) {
    if (llvm::Error Unknown = macrosAreKnown(Edit, Unmarked, After)) {
      llvm::consumeError(std::move(E));
      return Unknown;
    }
    return E;
  }
  if (Unmarked.find("#include <linux/cache.h>") == std::string::npos)
    Edit.Notes.push_back(After.File +
                         " does not include <linux/cache.h>, which defines the "
                         "markers, itself; one file of each configuration was "
                         "compiled and knew them");
  return llvm::Error::success();
}

} // namespace kst
