// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/change/PatchNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <tuple>

using namespace llvm;

namespace kst {

namespace {

class NameReader {
public:
  NameReader(ArrayRef<FilePatch> Parts, function_ref<bool(StringRef)> IsFile,
             function_ref<bool(StringRef)> IsDirectory)
      : Parts(Parts), IsFile(IsFile), IsDirectory(IsDirectory) {}

  struct Scored {
    PatchReading Reading;
    size_t Missing = 0; ///< files that are not there
    size_t Apart = 0;   ///< changed files that old and new name differently
  };

  Scored read(unsigned Level) const {
    Scored Result;
    Result.Reading.Level = Level;
    for (const FilePatch &Part : Parts)
      if (!Part.Opaque && !Part.NoFile)
        add(Part, Result);
    return Result;
  }

private:
  void add(const FilePatch &Part, Scored &Into) const;
  std::string changedFile(const FilePatch &Part, StringRef Old, StringRef New,
                          unsigned Level) const;
  bool hasRoom(StringRef Name) const {
    return !Name.empty() &&
           (IsFile(Name) || IsDirectory(sys::path::parent_path(Name)));
  }

  ArrayRef<FilePatch> Parts;
  function_ref<bool(StringRef)> IsFile, IsDirectory;
};

/// One file under two names (`s.h.orig`, `s.h`): of those that are there the
/// one that patch(1) takes, with the fewest directories, then the shortest.
std::string NameReader::changedFile(const FilePatch &Part, StringRef Old,
                                    StringRef New, unsigned Level) const {
  auto Weight = [](StringRef Name) {
    return std::tuple(Name.count('/'), sys::path::filename(Name).size(),
                      Name.size());
  };
  const std::string Index = strippedName(Part.Index, Level);
  std::string Best;
  for (StringRef Name : {New, Old, StringRef(Index)})
    if (!Name.empty() && IsFile(Name) &&
        (Best.empty() || Weight(Name) < Weight(Best)))
      Best = Name.str();
  return Best;
}

void NameReader::add(const FilePatch &Part, Scored &Into) const {
  NamedPart File{&Part, strippedName(Part.Old, Into.Reading.Level),
                 strippedName(Part.New, Into.Reading.Level)};
  const StringRef Shown = Part.New.empty() ? Part.Old : Part.New;
  bool There = true;
  if (Part.Renames || Part.Copies) {
    There = IsFile(File.Old) || IsFile(File.New);
  } else if (Part.Old.empty() || Part.New.empty()) {
    // It need not be there before or behind the change.
    There = hasRoom(Part.New.empty() ? File.Old : File.New);
  } else {
    Into.Apart += File.Old != File.New;
    const std::string Name =
        changedFile(Part, File.Old, File.New, Into.Reading.Level);
    There = !Name.empty();
    if (There)
      File.Old = File.New = Name;
  }
  if (!There && Into.Missing++ == 0)
    Into.Reading.Missing = Shown.str();
  Into.Reading.Files.push_back(std::move(File));
}

} // namespace

std::vector<PatchReading>
readingsOf(ArrayRef<FilePatch> Parts, function_ref<bool(StringRef)> IsFile,
           function_ref<bool(StringRef)> IsDirectory) {
  constexpr unsigned Deepest = 16;
  const NameReader Reader(Parts, IsFile, IsDirectory);
  std::vector<NameReader::Scored> Whole;
  NameReader::Scored Least = Reader.read(1);
  // git writes different prefixes on both sides, or none.
  const bool Bare =
      any_of(Parts, [](const FilePatch &Part) { return Part.Bare; });
  for (unsigned Level = 0; Level != Deepest && (Level < 2 || Whole.empty());
       ++Level) {
    NameReader::Scored Read = Reader.read(Level);
    if (Read.Missing == 0)
      Whole.push_back(std::move(Read));
    else if (Read.Missing < Least.Missing)
      Least = std::move(Read);
  }
  if (Whole.empty())
    return {std::move(Least.Reading)};
  llvm::stable_sort(Whole, [&](const auto &A, const auto &B) {
    if (A.Apart != B.Apart)
      return A.Apart < B.Apart;
    return Bare ? A.Reading.Level < B.Reading.Level
                : A.Reading.Level > B.Reading.Level;
  });
  std::vector<PatchReading> Readings;
  for (NameReader::Scored &Read : Whole)
    if (none_of(Readings, [&](const PatchReading &Other) {
          return Other.Files == Read.Reading.Files;
        }))
      Readings.push_back(std::move(Read.Reading));
  return Readings;
}

} // namespace kst
