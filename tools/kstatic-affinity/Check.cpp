// SPDX-License-Identifier: GPL-2.0-or-later
//
// `--check FILE`: what the tool does with one file, in the order in which it
// does it. Meant to be pasted into a bug report.

#include "analyzer/compile/CompileDatabase.h"
#include "hybrid/facts/FactsFile.h"
#include "tools/kstatic-affinity/Analyze.h"
#include "tools/kstatic-affinity/FactsSession.h"
#include "tools/kstatic-affinity/Interrupt.h"
#include "tools/kstatic-affinity/Version.h"

#include "llvm/Support/raw_ostream.h"

#include <map>

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
      uint32_t At = Access.Address;
      for (;;) {
        const ValueFact &Value = Facts.Values[Function.Values.Begin + At];
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
        At = Value.A;
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

ExitCode runCheck(const Options &Given) {
  llvm::outs() << "kstatic-affinity " << toolVersion() << ", LLVM "
               << llvmVersion() << "\n";
  DatabaseOptions Where;
  Where.BuildDirs = Given.BuildDirs;
  Where.Paths = {Given.CheckFile};
  Where.TemplateFile = Given.TemplateFile;
  llvm::Expected<UnitList> List = loadUnits(Where);
  if (!List) {
    llvm::errs() << "kstatic-affinity: " << llvm::toString(List.takeError())
                 << "\n";
    return ExitUsage;
  }
  llvm::outs() << "commands: " << List->Origin << ", source root "
               << List->SourceRoot << ", object root " << List->ObjectRoot
               << "\n";
  for (const auto &[Flag, Count] : List->FlagsDropped)
    llvm::outs() << "dropped flag: " << Flag << "\n";
  for (const FailedUnit &Failed : List->Failed)
    llvm::outs() << "failed: " << Failed.File << ": " << Failed.Reason << "\n";
  bool Good = !List->Units.empty();
  for (const CompileUnit &From : List->Units) {
    llvm::outs() << "unit: " << From.Relative
                 << "\ndirectory: " << From.Directory << "\narguments:";
    for (const std::string &Arg : From.Args)
      llvm::outs() << " " << Arg;
    llvm::outs() << "\n";
    llvm::outs().flush();
    std::vector<RunUnit> One{
        {From.File, From.Relative, From.Directory, From.Args}};
    RunOptions Run;
    RunStatistics Statistics =
        runUnits(One, makeExtractor(List->SourceRoot, Given.Plain), Run,
                 [&](size_t, UnitOutcome Outcome) {
                   if (!Outcome.Facts) {
                     llvm::outs() << "failed: " << Outcome.Reason << "\n";
                     Good = false;
                     return;
                   }
                   printFacts(*Outcome.Facts);
                   for (const std::string &Struct : Given.Structs) {
                     llvm::outs() << "accesses of struct " << Struct << ":\n";
                     printAccesses(*Outcome.Facts, Struct);
                   }
                 });
    if (Statistics.Interrupted)
      return interruptedExit();
    llvm::outs() << "largest process: " << Statistics.PeakRssKb / 1024
                 << " MiB\n";
  }
  return Good ? ExitDone : ExitNoResult;
}

} // namespace kst
