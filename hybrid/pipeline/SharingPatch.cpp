// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/SharingPatch.h"

#include "analyzer/files/InputFile.h"
#include "analyzer/rewrite/UnifiedDiff.h"
#include "hybrid/core/ValidText.h"
#include "hybrid/pipeline/PlacedInUnits.h"
#include "hybrid/pipeline/UsedElsewhere.h"
#include "hybrid/report/Numbers.h"

#include "llvm/ADT/STLExtras.h"

namespace kst {

namespace {

using clang::tooling::Replacement;

/// A finding and one of its remedies that are text.
struct Attempt {
  SharingFinding *Of;
  SharingRemedy *Remedy;
  std::vector<PlacedEdit> Places; ///< of its edits
  std::string Refused;            ///< ""; or why it is left out
};

class PatchMaker {
public:
  PatchMaker(SharingReport &Of, const Configs &From, const RunOptions &Run,
             const AskAgain &Again)
      : Of(Of), In(*From.each().front()), From(From), Run(Run), Again(Again) {
    for (SharingFinding &F : Of.False)
      for (SharingRemedy &R : F.Remedies)
        if (!R.Edits.empty())
          Tried.push_back(
              {&F, &R, std::vector<PlacedEdit>(R.Edits.size()), ""});
  }

  llvm::Expected<std::string> run() {
    if (llvm::Error E = place())
      return std::move(E);
    lookElsewhere();
    std::vector<Attempt *> Good;
    for (;;) {
      Good = firstOfEach();
      auto Dropped = judge(Good);
      if (!Dropped)
        return Dropped.takeError();
      if (!*Dropped)
        break;
    }
    const SharingFinding *Last = nullptr;
    for (const Attempt &One : Tried) // of each finding without one, the first
      if (One.Of != Last) {
        Last = One.Of;
        if (llvm::none_of(Good,
                          [&](const Attempt *G) { return G->Of == Last; }))
          Of.Limits.push_back("no patch for " + Last->Object + ": " +
                              One.Refused);
      }
    return Good.empty() ? std::string() : text(Good);
  }

private:
  /// Asks units for the places of all edits.
  llvm::Error place() {
    std::vector<LineEdit> Edits;
    for (const Attempt &One : Tried)
      Edits.insert(Edits.end(), One.Remedy->Edits.begin(),
                   One.Remedy->Edits.end());
    auto Places = placeInUnits(In.Session, Run, Edits);
    if (!Places)
      return Places.takeError();
    auto Next = Places->begin();
    for (Attempt &One : Tried)
      for (PlacedEdit &Place : One.Places)
        Place = std::move(*Next++);
    for (Attempt &One : Tried)
      for (size_t E = 0; E != One.Places.size() && One.Refused.empty(); ++E)
        One.Refused = whyNot(One.Places[E]);
    return llvm::Error::success();
  }

  /// Of each finding the first that nothing speaks against.
  std::vector<Attempt *> firstOfEach() {
    std::vector<Attempt *> Good;
    for (Attempt &One : Tried)
      if (One.Refused.empty() && (Good.empty() || Good.back()->Of != One.Of))
        Good.push_back(&One);
    return Good;
  }

  /// Refuses what files may use that were not looked at.
  void lookElsewhere() {
    std::vector<LineEdit> Edits;
    std::vector<Attempt *> From;
    for (Attempt &One : Tried)
      for (const LineEdit &Edit : One.Remedy->Edits)
        if (One.Refused.empty()) {
          Edits.push_back(Edit);
          From.push_back(&One);
        }
    const std::vector<std::string> Files = usedElsewhere(In.Session, Edits);
    for (size_t E = 0; E != Files.size(); ++E)
      if (!Files[E].empty())
        From[E]->Refused = Files[E] + " may use it, which was not looked at";
  }

  std::string whyNot(const PlacedEdit &Place) const {
    if (!Place.Refused.empty())
      return Place.Refused;
    if (Place.Text.empty())
      return "its text was not found";
    for (const Replacement &R : Place.Text) {
      llvm::StringRef Path = R.getFilePath();
      if (!Path.consume_front(In.Session.SourceRoot + "/"))
        return Path.str() + " is not of the project";
      RecordInfo Where;
      Where.File = Path;
      if (std::string Why = From.whyForeign(Where); !Why.empty())
        return Why;
    }
    return "";
  }

  /// The files with the edits, by absolute path.
  static llvm::Expected<std::map<std::string, std::string>>
  texts(const std::vector<Attempt *> &Good, bool SameLines) {
    std::map<std::string, std::set<Replacement>> All;
    for (const Attempt *One : Good)
      for (const PlacedEdit &Place : One->Places)
        for (const Replacement &R : Place.Text)
          All[R.getFilePath().str()].insert(R);
    std::map<std::string, std::string> Out;
    for (const auto &[Path, Edits] : All) {
      llvm::Expected<std::string> Text = readFile(Path);
      if (!Text)
        return Text.takeError();
      clang::tooling::Replacements Apart;
      for (const Replacement &R : Edits) {
        std::string New = R.getReplacementText().str();
        if (New.empty())
          continue;
        if (SameLines)
          std::ranges::replace(New, '\n', ' ');
        if (llvm::Error E =
                Apart.add({Path, R.getOffset(), R.getLength(), New}))
          return std::move(E);
      }
      auto Changed = clang::tooling::applyAllReplacements(*Text, Apart);
      if (!Changed)
        return Changed.takeError();
      Out[Path] = std::move(*Changed);
    }
    return Out;
  }

  llvm::Expected<SharingReport> askWith(const std::vector<Attempt *> &Good) {
    auto Files = texts(Good, /*SameLines=*/true);
    if (!Files)
      return Files.takeError();
    FileOverlay Over;
    for (auto &[Path, Text] : *Files)
      Over.add(Path, std::move(Text));
    return Again(Over);
  }

  /// Whether some do not compile with the others, or do not help: they are
  /// refused.
  llvm::Expected<bool> judge(const std::vector<Attempt *> &Good) {
    if (Good.empty())
      return false;
    auto After = askWith(Good);
    if (!After) {
      llvm::Error Failed = After.takeError();
      if (isInterrupt(Failed))
        return std::move(Failed);
      const std::string Together = llvm::toString(std::move(Failed));
      std::vector<Attempt *> Sound;
      for (Attempt *One : Good) {
        Sound.push_back(One);
        if (auto Alone = askWith(Sound); !Alone) {
          Failed = Alone.takeError();
          if (isInterrupt(Failed))
            return std::move(Failed);
          One->Refused = llvm::toString(std::move(Failed));
          Sound.pop_back();
        }
      }
      if (Sound.size() == Good.size())
        return failure(Together);
      return true;
    }
    constexpr double Helps = 0.5;
    bool Dropped = false;
    for (Attempt *One : Good) {
      const double Left = cyclesOf(*After, *One->Of);
      One->Remedy->Patched = Left;
      if (Left <= Helps * One->Of->Cycles)
        continue;
      One->Remedy->Patched = -1;
      One->Refused = "it would still cost " + fixed(Left, 1) + " cycles of " +
                     fixed(One->Of->Cycles, 1);
      Dropped = true;
    }
    return Dropped;
  }

  static double cyclesOf(const SharingReport &In, const SharingFinding &Of) {
    double Sum = 0;
    for (const SharingFinding &F : In.False)
      if (F.Object == Of.Object && F.Between == Of.Between)
        Sum += F.Cycles;
    return Sum;
  }

  llvm::Expected<std::string> text(const std::vector<Attempt *> &Good) const {
    auto Files = texts(Good, /*SameLines=*/false);
    if (!Files)
      return Files.takeError();
    std::string Out = "Subject: [PATCH] Give what threads write cache lines of "
                      "its own\n\nBy " +
                      Of.Evidence +
                      "; cycles lost for each access of the threads, at what " +
                      Of.Machine +
                      "\ntakes to hand over a line, now and with this "
                      "patch. Not measured.\n\n";
    for (const Attempt *One : Good) {
      Out += "- " + One->Of->Object + ": " + fixed(One->Of->Cycles, 1) +
             " -> " + fixed(One->Remedy->Patched, 1) + ", " +
             std::to_string(One->Remedy->Bytes) +
             " bytes more: " + One->Remedy->Text + "\n";
    }
    Out = validText(Out + "\n---\n");
    for (const auto &[Path, New] : *Files) {
      auto Old = readFile(Path);
      if (!Old)
        return Old.takeError();
      llvm::StringRef Name = Path;
      if (Name.consume_front(In.Session.SourceRoot))
        Name.consume_front("/");
      Out += unifiedDiff(Name, *Old, New);
    }
    return Out;
  }

  SharingReport &Of;
  const Config &In;
  const Configs &From;
  const RunOptions &Run;
  const AskAgain &Again;
  std::vector<Attempt> Tried;
};

} // namespace

llvm::Expected<std::string> makeSharingPatch(SharingReport &Of,
                                             const Configs &From,
                                             const RunOptions &Run,
                                             const AskAgain &Again) {
  return PatchMaker(Of, From, Run, Again).run();
}

} // namespace kst
