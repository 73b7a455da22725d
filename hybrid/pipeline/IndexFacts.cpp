// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/IndexFacts.h"

#include "analyzer/files/InputFile.h"
#include "hybrid/index/IndexFile.h"
#include "hybrid/pipeline/Errors.h"
#include "hybrid/pipeline/Version.h"

#include "llvm/ADT/STLExtras.h"

namespace kst {

IndexFacts::IndexFacts(std::string File, Index Read)
    : File(std::move(File)), What(std::move(Read)) {
  for (uint32_t I = 0; I != What.Units.size(); ++I)
    Units[{What.Units[I].Key.High, What.Units[I].Key.Low}] = I;
}

llvm::Expected<IndexFacts> IndexFacts::open(const std::string &File) {
  auto Bytes = inputBytes(File);
  if (!Bytes)
    return usageError("--index " + llvm::toString(Bytes.takeError()));
  Result<Index> Read = readIndex(bytesOf(**Bytes));
  if (!Read)
    return usageError("--index " + File + ": " + Read.error());
  if (Read->FactsId != factsBuildId())
    return usageError("--index " + File +
                      ": made by another build of the tool (" + Read->Tool +
                      "); make it again with 'kstatic-affinity index'");
  return IndexFacts(File, std::move(*Read));
}

uint32_t IndexFacts::add(const TuFacts &Facts) {
  What.Store.add(Facts);
  return What.Store.size() - 1;
}

std::optional<uint32_t> IndexFacts::find(const Hash128 &Key) const {
  auto It = Units.find({Key.High, Key.Low});
  return It == Units.end() ? std::nullopt : std::optional(It->second);
}

IndexLookup::IndexLookup(const IndexFacts &From,
                         const FactsCacheOptions &Options)
    : From(From), ToolId(Options.ToolId), States(Options.Over),
      Answers(From.index().Answers.size()) {}

bool IndexLookup::holds(uint32_t Answer) {
  Held &State = Answers[Answer];
  if (State == Held::Unknown) {
    const IndexedAnswer &Of = From.index().Answers[Answer];
    State =
        States.holds(Of.Path, DependencyKind(Of.Kind), Of.SizeBytes, Of.Hash)
            ? Held::Yes
            : Held::No;
  }
  return State == Held::Yes;
}

std::optional<uint32_t> IndexLookup::find(const RunUnit &Unit) {
  const std::optional<uint32_t> Number = From.find(unitKey(Unit, ToolId));
  if (!Number || !llvm::all_of(From.index().Units[*Number].Answers,
                               [&](uint32_t A) { return holds(A); }))
    return std::nullopt;
  ++Found;
  return Number;
}

std::string IndexLookup::missing(const std::vector<RunUnit> &Units) const {
  size_t News = 0;
  std::string First;
  for (const RunUnit &Unit : Units)
    if (llvm::none_of(From.index().Failed,
                      [&](const FailedUnit &Failed) {
                        return Failed.File == Unit.Relative;
                      }) &&
        !News++)
      First = Unit.Relative;
  if (!News)
    return "";
  std::string Builds;
  for (const std::string &Build : From.index().Builds)
    Builds += " -p " + Build;
  std::string Text = "--index " + From.File + ": " + std::to_string(News) +
                     " of " + std::to_string(Found + Units.size()) +
                     " selected units are not in it as they are now (" + First +
                     (News > 1 ? ", ...)" : ")") + " and were parsed";
  if (!Found)
    Text += "; it was made of " + From.index().SourceRoot +
            (Builds.empty() ? "" : " with" + Builds);
  return Text;
}

} // namespace kst
