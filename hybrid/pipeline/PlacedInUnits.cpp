// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/PlacedInUnits.h"

#include "hybrid/pipeline/ChildJobs.h"
#include "hybrid/pipeline/Errors.h"
#include "hybrid/pipeline/UsedElsewhere.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace kst {

namespace {

using clang::tooling::Replacement;

/// Whether the unit may have something to say of an edit.
bool mayPlace(const TuFacts &Unit, const LineEdit &Edit) {
  const std::string &Sign = Edit.Line ? Edit.File : Edit.Part;
  return needsAllUnits(Edit) ||
         (!Sign.empty() && llvm::is_contained(Unit.Strings, Sign));
}

/// A unit, and the edits that it is asked for.
struct UnitQuestion {
  size_t Unit;
  std::vector<size_t> Edits;
};

// What a child says: an array of [reason, [path, offset, length, text]...], or
// a string: why the unit does not compile.

std::string toBytes(llvm::Expected<std::vector<PlacedEdit>> Placed) {
  std::string Out;
  llvm::raw_string_ostream Stream(Out);
  if (!Placed) {
    Stream << llvm::json::Value(
        llvm::json::fixUTF8(llvm::toString(Placed.takeError())));
    return Out;
  }
  llvm::json::Array All;
  for (const PlacedEdit &Place : *Placed) {
    llvm::json::Array One{llvm::json::fixUTF8(Place.Refused)};
    for (const Replacement &R : Place.Text)
      One.push_back(llvm::json::Array{
          llvm::json::fixUTF8(R.getFilePath()), int64_t(R.getOffset()),
          int64_t(R.getLength()), llvm::json::fixUTF8(R.getReplacementText())});
    All.push_back(std::move(One));
  }
  Stream << llvm::json::Value(std::move(All));
  return Out;
}

/// Adds what a child wrote; or why the unit does not compile.
std::string merge(std::vector<PlacedEdit> &To, const std::vector<size_t> &Edits,
                  const std::string &Bytes) {
  const auto Said = llvm::cantFail(llvm::json::parse(Bytes));
  if (const auto Why = Said.getAsString())
    return Why->str();
  for (size_t E = 0; E != Edits.size(); ++E) {
    PlacedEdit &Into = To[Edits[E]];
    const llvm::json::Array &One = *(*Said.getAsArray())[E].getAsArray();
    for (const llvm::json::Value &Text : llvm::drop_begin(One)) {
      const llvm::json::Array &R = *Text.getAsArray();
      Into.Text.insert({*R[0].getAsString(), unsigned(*R[1].getAsInteger()),
                        unsigned(*R[2].getAsInteger()), *R[3].getAsString()});
    }
    if (Into.Refused.empty())
      Into.Refused = One[0].getAsString()->str();
  }
  return "";
}

std::vector<UnitQuestion> questions(const FactsSession &In,
                                    const std::vector<LineEdit> &Edits) {
  // Of an index one stands for all.
  const bool Apart = In.Units.size() == In.Commands.size();
  std::vector<UnitQuestion> All;
  for (size_t U = 0; U != In.Commands.size(); ++U) {
    UnitQuestion One{U, {}};
    for (size_t E = 0; E != Edits.size(); ++E)
      if (!Apart || mayPlace(In.Units[U], Edits[E]))
        One.Edits.push_back(E);
    if (!One.Edits.empty())
      All.push_back(std::move(One));
  }
  return All;
}

} // namespace

llvm::Expected<std::vector<PlacedEdit>>
placeInUnits(const FactsSession &In, const RunOptions &Run,
             const std::vector<LineEdit> &Edits) {
  const std::vector<UnitQuestion> All = questions(In, Edits);
  std::vector<PlacedEdit> Places(Edits.size());
  std::string Failed;
  auto Name = [&](size_t Job) { return In.Commands[All[Job].Unit].Relative; };
  auto Work = [&](size_t Job) {
    const RunUnit &Unit = In.Commands[All[Job].Unit];
    std::vector<LineEdit> Wanted;
    for (size_t E : All[Job].Edits)
      Wanted.push_back(Edits[E]);
    return toBytes(
        placeEdits({Unit.Directory, Unit.Args}, In.SourceRoot, Wanted));
  };
  auto Done = [&](size_t Job, const JobResult &Result) {
    const std::string Why =
        Result.Ok ? merge(Places, All[Job].Edits, Result.Bytes) : Result.Reason;
    if (Failed.empty() && !Why.empty())
      Failed = Name(Job) + ": " + Why;
  };
  if (llvm::Error E = childJobs(All.size(), Run, Name, Work, Done))
    return std::move(E);
  if (!Failed.empty())
    return failure(Failed);
  return Places;
}

} // namespace kst
