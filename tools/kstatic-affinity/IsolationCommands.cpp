// SPDX-License-Identifier: GPL-2.0-or-later
//
// `isolation map`, `isolation blast`, `isolation plan`, `isolation verify`.

#include "hybrid/isolation/LinkCheck.h"
#include "hybrid/pipeline/LinkedImages.h"
#include "tools/support/ReportFlags.h"

#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/Format.h"

namespace kst {
namespace {

class IsolationCommand : public Command {
protected:
  IsolationCommand(llvm::StringRef Name, llvm::StringRef Summary,
                   llvm::StringRef Usage)
      : Command(Name, Summary, Usage) {}
  llvm::Error fillLink(LinkRequest &Asked) {
    if (Files.size() != 1)
      return mistake("usage: kstatic-affinity " + Sub.getName() + " " + Usage);
    Asked.Image = Files.front();
    Asked.Map = Map;
    Asked.InnerMap = InnerMap;
    Asked.Objects = Objects;
    return llvm::Error::success();
  }
  Flag<std::string> Map{{Sub, OfAnalysis, "map", "FILE",
                         "The linker's map (default: IMAGE.map)"}};
  Flag<std::string> InnerMap{
      {Sub, OfAnalysis, "relocatable-map", "FILE",
       "The map of ld -r, where vmlinux was linked from one vmlinux.o "
       "(default: vmlinux.o.map beside it)"}};
  Flag<std::string> Objects{{Sub, OfAnalysis, "objects", "DIR",
                             "Where names of files in the maps begin "
                             "(default: the directory of IMAGE)"}};
  Words Files{Sub, "IMAGE"};
};

class IsolationVerify : public IsolationCommand {
public:
  IsolationVerify()
      : IsolationCommand("isolation verify",
                         "Predict every address of a relinked image, and "
                         "compare",
                         "IMAGE --new IMAGE (--changed NAME=FILE... | "
                         "--against DIR) [--new-map FILE]") {}
  llvm::Expected<ExitCode> run() override {
    LinkRequest Asked;
    if (llvm::Error E = fillLink(Asked))
      return E;
    Asked.Changed = Changed.all();
    Asked.Against = Against;
    auto Link = openLink(Asked, tell());
    if (!Link)
      return Link.takeError();
    LinkChange Change;
    for (const auto &[Name, Object] : Link->Changed)
      Change.Objects.emplace(Name, &Object);
    auto New = openImage(NewImage);
    if (!New)
      return New.takeError();
    if (!NewMap.empty()) {
      auto Map = openMap(NewMap);
      if (!Map)
        return Map.takeError();
      for (const GeneratedSize &G :
           generatedSizes(Link->Image, Change, *Map)) {
        const MapStatement &S = Link->Image.statement(G.At);
        llvm::outs() << "given " << S.Name << " of " << S.Text << " " << G.Was
                     << " -> " << G.Is << "\n";
        Change.Given[G.At] = G.Is;
      }
    }
    for (uint32_t L = 0; L < (Link->Image.twoSteps() ? 2u : 1u); ++L) {
      const LinkRules &R = Link->Image.rules(L);
      llvm::outs() << "link " << L << ": " << R.Explained << " explained, "
                   << R.Odd.size() << " not\n";
      for (size_t I = 0; I < std::min<size_t>(R.Odd.size(), 10); ++I)
        llvm::outs() << "  " << R.Odd[I].What << ": expected "
                     << llvm::format_hex(R.Odd[I].Expected, 0) << " found "
                     << llvm::format_hex(R.Odd[I].Found, 0) << "\n";
    }
    const PredictedLink P = Link->Image.predict(Change);
    const LinkCheck Check = checkLink(Link->Image, Change, P, *New);
    llvm::outs() << Link->Changed.size() << " changed objects, "
                 << Check.Symbols << " symbols: " << Check.Equal
                 << " equal (" << Check.Moved << " moved), "
                 << Check.Wrong.size() << " wrong, " << Check.OnlyNew
                 << " unforeseen, " << Check.OnlyPredicted << " missing, "
                 << Check.Unplaced << " unplaced\n";
    for (const auto *List : {&Check.Wrong, &Check.Unforeseen, &Check.Missing})
      for (size_t I = 0; I < std::min<size_t>(List->size(), 12); ++I) {
        const SymbolMismatch &M = (*List)[I];
        llvm::outs() << "  " << M.Name << " (" << M.File << ") was "
                     << llvm::format_hex(M.Was, 0) << " predicted "
                     << llvm::format_hex(M.Predicted, 0) << " found "
                     << llvm::format_hex(M.Found, 0) << "\n";
      }
    return ExitDone;
  }

private:
  ListFlag Changed{{Sub, OfAnalysis, "changed", "NAME=FILE",
                    "A new object file in place of one; may be repeated"}};
  Flag<std::string> Against{{Sub, OfAnalysis, "against", "DIR",
                             "Another build: its objects that differ"}};
  Flag<std::string> NewImage{
      {Sub, OfAnalysis, "new", "IMAGE", "The relinked image"}};
  Flag<std::string> NewMap{
      {Sub, OfAnalysis, "new-map", "FILE",
       "The map of the new link: sizes of the tables that tools generate"}};
};

} // namespace

extern const MakeCommand MakeIsolationVerify = make<IsolationVerify>;

} // namespace kst
