// SPDX-License-Identifier: GPL-2.0-or-later
//
// `index`: facts of a whole tree as one file, for questions that take seconds.

#include "analyzer/files/OutputFile.h"
#include "hybrid/index/IndexFile.h"
#include "hybrid/pipeline/MakeIndex.h"
#include "hybrid/report/ByteAmount.h"
#include "hybrid/report/Numbers.h"
#include "tools/support/SourceFlags.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace kst {
namespace {

class IndexCommand : public UnitsCommand {
public:
  IndexCommand()
      : UnitsCommand("index", "Put the facts of a tree into one file",
                     "-o FILE [-p DIR]... [--dask tcp://HOST:PORT] [PATH...]") {
    Structs.setHiddenFlag(cl::ReallyHidden);
  }
  llvm::Expected<ExitCode> run() override;

private:
  llvm::Error fill(IndexRequest &Asked);
  llvm::Expected<ExitCode> work();

  Flag<std::string> Output{{Sub, OfOutput, "o", "FILE", "The file to write"}};
  Flag<std::string> Dask{
      {Sub, OfAnalysis, "dask", "tcp://HOST:PORT",
       "Parse on the workers of this scheduler; they see the same files"}};
  Flag<std::string> DaskProgram{
      {Sub, OfAnalysis, "dask-program", "FILE",
       "kstatic-affinity, where workers have it (default: as here)",
       cl::Hidden}};
  Flag<bool> Work{
      {Sub, OfAnalysis, "work", "", "A worker's task", cl::ReallyHidden}};
  Flag<bool> Join{
      {Sub, OfAnalysis, "join", "", "A worker's task", cl::ReallyHidden}};
};

llvm::Error IndexCommand::fill(IndexRequest &Asked) {
  if (Structs.getNumOccurrences())
    return usageError("--struct is about single structs; index looks at all");
  if (Output.empty())
    return usageError("index needs a file to write: -o FILE");
  if (Dask.given() && !llvm::StringRef(Dask).contains("://"))
    return usageError("--dask takes the address of a scheduler, "
                      "tcp://HOST:PORT, not '" +
                      Dask + "'");
  if (DaskProgram.given() && !Dask.given())
    return usageError("--dask-program goes with --dask");
  if (llvm::Error E = UnitsCommand::fill(Asked))
    return E;
  Asked.Diags = diagnostics();
  Asked.Units.SomePaths = true;
  Asked.Scheduler = Dask;
  Asked.Driver = shippedDriver();
  Asked.Program =
      DaskProgram.given()
          ? DaskProgram.getValue()
          : llvm::sys::fs::getMainExecutable("kstatic-affinity", nullptr);
  if (NoCache)
    Asked.WorkerOptions = {"--no-cache"};
  else if (CacheDir.given())
    Asked.WorkerOptions = {"--cache-dir", CacheDir};
  return checkInputs({{"-o", Output}}, {});
}

/// Standard input to standard output, for the driver.
llvm::Expected<ExitCode> IndexCommand::work() {
  UnitsRequest Asked;
  if (llvm::Error E = UnitsCommand::fill(Asked))
    return E;
  Asked.Run.Shown = nullptr;
  Asked.Run.Workers = Jobs.given() ? Asked.Run.Workers : 1;
  auto Input = llvm::MemoryBuffer::getSTDIN();
  if (!Input)
    return llvm::errorCodeToError(Input.getError());
  const std::string_view Bytes((*Input)->getBufferStart(),
                               (*Input)->getBufferSize());
  auto Part = Work ? indexPart(Bytes, Asked.Run) : joinParts(Bytes);
  if (!Part)
    return Part.takeError();
  if (llvm::Error E = writeFile("-", *Part))
    return E;
  return ExitDone;
}

llvm::Expected<ExitCode> IndexCommand::run() {
  if (Work || Join)
    return work();
  IndexRequest Asked;
  if (llvm::Error E = fill(Asked))
    return E;
  auto Answer = makeIndex(Asked);
  if (!Answer)
    return Answer.takeError();
  const std::string Bytes = writeIndex(Answer->What);
  if (llvm::Error E = writeFile(Output, Bytes))
    return E;
  const Index &Made = Answer->What;
  diagnostics().note(counted(Made.Units.size(), "unit") + ", " +
                     counted(Made.Store.all().Functions.size(), "function") +
                     ", " + counted(Made.Store.all().Records.size(), "record") +
                     ": " + byteAmount(double(Bytes.size())) + " in " + Output);
  return Answer->Status;
}

} // namespace

extern const MakeCommand MakeIndex = make<IndexCommand>;

} // namespace kst
