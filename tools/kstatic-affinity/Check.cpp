// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/Check.h"
#include "hybrid/facts/FactsFile.h"
#include "hybrid/pipeline/FactsSession.h"
#include "hybrid/pipeline/Version.h"
#include "hybrid/report/ByteAmount.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace kst {

static void printFacts(const TuFacts &Facts) {
  llvm::outs() << "facts: " << Facts.Functions.size() << " functions, "
               << Facts.Blocks.size() << " blocks, " << Facts.Accesses.size()
               << " accesses, " << Facts.Calls.size() << " calls, "
               << Facts.Tables.size() << " table entries, "
               << Facts.Records.size() << " records, " << Facts.Drops.size()
               << " drops, " << writeFacts(Facts).size() << " bytes\n";
}

/// Accesses of the named struct's fields, function by function.
static void printAccesses(const TuFacts &Facts, const std::string &Struct) {
  for (const FunctionFact &Function : Facts.Functions) {
    for (uint32_t I = Function.Accesses.Begin; I != Function.Accesses.End;
         ++I) {
      const AccessFact &Access = Facts.Accesses[I];
      std::string Path;
      bool Ours = false;
      uint32_t Address = Access.Address;
      for (;;) {
        const ValueFact &Value = Facts.Values[Function.Values.Begin + Address];
        if (Value.Kind != ValueKind::Field && Value.Kind != ValueKind::Element)
          break;
        if (Value.Kind == ValueKind::Field) {
          const RecordFact &Record = Facts.Records[Value.B];
          const FieldFact &Field = Facts.Fields[Record.Fields.Begin + Value.C];
          Path = Facts.Strings[Field.Name] + (Path.empty() ? "" : "." + Path);
          Ours = Facts.Strings[Record.Name] == Struct;
          if (Ours)
            break;
        }
        Address = Value.A;
      }
      if (!Ours)
        continue;
      static const char *Kinds[] = {"read", "write", "read-write", "bulk read",
                                    "bulk write"};
      const BlockFact &Block =
          Facts.Blocks[Function.Blocks.Begin + Access.Block];
      llvm::outs() << "  " << Facts.Strings[Access.File] << ":" << Access.Line
                   << " " << Facts.Strings[Function.Name] << ": "
                   << Kinds[unsigned(Access.Kind)] << " " << Path << ", "
                   << llvm::format("%.4g", Block.Frequency) << " per call\n";
    }
  }
}

/// Where the arguments come from, if not from the unit's own command.
static std::string originWords(const CompileUnit &Unit, const UnitList &List) {
  switch (Unit.Origin) {
  case CommandOrigin::Own:
    return "";
  case CommandOrigin::Model:
    return "\nnot built: by kbuild's rules, with the flags of " +
           List.Builds[Unit.Build].Model;
  case CommandOrigin::Template:
    return "\nnot built: by kbuild's rules, with the template's flags";
  }
  return "";
}

llvm::Expected<ExitCode> checkFile(UnitsRequest Asked, const std::string &File,
                                   const std::vector<std::string> &Structs) {
  const ToolId Tool = thisTool();
  llvm::outs() << "kstatic-affinity " << Tool.Version << ", LLVM " << Tool.Llvm
               << "\n";
  Asked.Units.Paths = {File};
  Asked.Units.Exclude.clear();
  llvm::Expected<UnitList> List = loadUnits(Asked.Units);
  if (!List)
    return usageError(llvm::toString(List.takeError()));
  llvm::outs() << "commands: " << List->Origin << ", source root "
               << List->SourceRoot << ", object root " << List->ObjectRoot
               << "\n";
  for (const auto &[Flag, Count] : List->FlagsDropped)
    llvm::outs() << "dropped flag: " << Flag << "\n";
  for (const FailedUnit &Failed : List->Failed)
    llvm::outs() << "failed: " << Failed.File << ": " << Failed.Reason << "\n";
  bool Good = !List->Units.empty();
  for (const CompileUnit &Unit : List->Units) {
    llvm::outs() << "unit: " << Unit.Relative << originWords(Unit, *List)
                 << "\ndirectory: " << Unit.Directory
                 << "\narguments: " << llvm::join(Unit.Args, " ") << "\n";
    llvm::outs().flush();
    RunStatistics Statistics =
        runUnits({runUnit(Unit)}, makeExtractor(List->SourceRoot, Asked.Plain),
                 {}, [&](size_t, UnitOutcome Outcome) {
                   if (!Outcome.Facts) {
                     llvm::outs() << "failed: " << Outcome.Reason << "\n";
                     Good = false;
                     return;
                   }
                   printFacts(*Outcome.Facts);
                   for (const std::string &Struct : Structs) {
                     llvm::outs() << "accesses of struct " << Struct << ":\n";
                     printAccesses(*Outcome.Facts, Struct);
                   }
                 });
    if (Statistics.Interrupted)
      return interrupted();
    llvm::outs() << "largest process: "
                 << byteAmount(1024.0 * double(Statistics.PeakRssKb)) << "\n";
  }
  return Good ? ExitDone : ExitNoResult;
}

} // namespace kst
