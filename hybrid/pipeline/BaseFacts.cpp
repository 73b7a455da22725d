// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/BaseFacts.h"

#include "hybrid/pipeline/AffectedRecords.h"
#include "hybrid/report/Numbers.h"

#include "llvm/ADT/STLExtras.h"

namespace kst {

/// Those whose declarations are those of all units that see the change, as far
/// as these may differ from the head's.
static std::vector<RunUnit> unitsWithRecords(const ChangedCode &Change,
                                             const ChangedUnits &Changed,
                                             const Config &Head) {
  // What else stands in a header may change any record that comes behind it.
  const bool Few =
      llvm::all_of(Change.Sources, [](const ChangedSource &Source) {
        return Source.MembersOnly || !Source.isHeader();
      });
  std::set<RecordPlace> Affected;
  if (Few)
    Affected = affectedRecords(
        *Head.Whole, Change.names(),
        [&](const std::string &File) { return Change.headText(File); });
  // Of a file all commands: which is which goes by their order.
  std::set<std::string> Files;
  for (size_t U :
       coveringUnits(Head.Session, Changed.Seeing, Few ? &Affected : nullptr))
    Files.insert(Head.Session.Commands[U].File);
  std::vector<RunUnit> Units;
  for (const RunUnit &Command : Head.Session.Commands)
    if (Files.contains(Command.File))
      Units.push_back(Command);
  return Units;
}

static llvm::Error collectRecords(const UnitsRequest &Asked,
                                  const ChangedCode &Change,
                                  const std::vector<RunUnit> &Units,
                                  const Config &Head, BaseFacts &To,
                                  std::vector<std::string> &Notes) {
  RunOptions Run = declarationOptions(Asked, Change.Root);
  Run.Cache.Over = &Change.Base;
  size_t Failed = 0;
  std::string Why;
  const RunStatistics Ran =
      runUnits(Units, makeDeclarationExtractor(Head.Session.SourceRoot), Run,
               [&](size_t Index, UnitOutcome Outcome) {
                 if (Outcome.Facts)
                   To.Units.push_back(std::move(*Outcome.Facts));
                 else {
                   ++Failed;
                   Why = Units[Index].Relative + ": " + Outcome.Reason;
                 }
               });
  if (Ran.Interrupted)
    return interrupted();
  if (Failed)
    Notes.push_back(counted(Failed, "unit") + " of " + Change.BaseName +
                    " could not be parsed: " + Why);
  To.Records = std::make_unique<Program>(To.Units);
  return llvm::Error::success();
}

/// Of units that could be parsed in both states.
static llvm::Error collectWrites(const UnitsRequest &Asked,
                                 const ChangedCode &Change,
                                 const std::vector<RunUnit> &Units,
                                 const Config &Head, BaseFacts &To) {
  if (Units.empty())
    return llvm::Error::success();
  RunOptions Run = runOptions(Asked, Change.Root);
  Run.Cache.Over = &Change.Base;
  std::vector<TuFacts> Code;
  const RunStatistics Ran =
      runUnits(Units, makeExtractor(Change.Root, Asked.Plain), Run,
               [&](size_t, UnitOutcome Outcome) {
                 if (Outcome.Facts)
                   Code.push_back(std::move(*Outcome.Facts));
               });
  if (Ran.Interrupted)
    return interrupted();
  std::vector<const TuFacts *> Before, After;
  std::set<std::string> Files;
  for (const TuFacts &Unit : Code) {
    Before.push_back(&Unit);
    Files.insert(Unit.Strings[Unit.MainFile]);
  }
  for (const TuFacts &Unit : Head.Session.Units)
    if (Files.contains(Unit.Strings[Unit.MainFile]))
      After.push_back(&Unit);
  To.Added = addedWrites(Before, After);
  return llvm::Error::success();
}

llvm::Expected<BaseFacts> collectBase(const UnitsRequest &Asked,
                                      const ChangedCode &Change,
                                      const ChangedUnits &Changed,
                                      const Config &Head,
                                      std::vector<std::string> &Notes) {
  BaseFacts Base;
  if (llvm::Error E =
          collectRecords(Asked, Change, unitsWithRecords(Change, Changed, Head),
                         Head, Base, Notes))
    return E;
  if (llvm::Error E = collectWrites(Asked, Change, Changed.Code, Head, Base))
    return E;
  return Base;
}

} // namespace kst
