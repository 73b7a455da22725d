// SPDX-License-Identifier: GPL-2.0-or-later
//
// `debug`: all that is read of a program's debug information, for tests that
// ask whether every form of it says the same.

#include "hybrid/pipeline/Errors.h"
#include "passes/readers/DebugFacts.h"
#include "passes/readers/DebugGlobals.h"
#include "passes/readers/DebugMembers.h"
#include "passes/readers/KernelImage.h"
#include "test/kst-dev/Commands.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <map>
#include <set>

namespace kst {
namespace {

llvm::StringRef lastName(llvm::StringRef File) {
  return llvm::sys::path::filename(File);
}

class DebugCommand : public Command {
public:
  DebugCommand()
      : Command("debug", "Print what debug information says",
                "FILE STRUCT...") {}

  llvm::Expected<ExitCode> run() override {
    if (Given.size() < 2)
      return usageError("usage: kst-dev debug " + Usage);
    const std::string File = Given.front();
    DebugQuestion Asked;
    Asked.Structs.insert(std::next(Given.begin()), Given.end());
    Asked.Variables = true;
    if (llvm::Error E = structs(File, Asked))
      return E;
    if (llvm::Error E = globals(File))
      return E;
    if (llvm::Error E = code(File))
      return E;
    return ExitDone;
  }

private:
  static llvm::Error structs(const std::string &File,
                             const DebugQuestion &Asked) {
    auto Facts = debugFacts(File, Asked);
    if (!Facts)
      return Facts.takeError();
    if (!Facts->Problem.empty())
      return usageError(Facts->Problem);
    std::set<SizedStruct> Sized;
    for (const auto &[Name, Of] : Facts->Structs)
      if (!Name.empty())
        Sized.insert({Name, Of.SizeBytes});
    auto Members = debugMembers(File, Sized);
    if (!Members)
      return Members.takeError();
    for (const auto &[Of, Names] : *Members) {
      llvm::outs() << llvm::formatv("struct {0} {1}\n", Of.first, Of.second);
      for (const MemberName &M : Names)
        llvm::outs() << llvm::formatv("  {0} {1} {2}\n", M.OffsetBits,
                                      M.SizeBits, M.Path);
    }
    for (const DebugVariable &V : Facts->Variables)
      llvm::outs() << llvm::formatv("object {0} {1} {2} {3}\n", V.Name,
                                    V.Struct, V.SizeBytes, V.Number);
    return llvm::Error::success();
  }

  static llvm::Error globals(const std::string &File) {
    auto Debug = DebugInfo::open(File);
    if (!Debug)
      return Debug.takeError();
    for (const GlobalVariable &V : debugGlobals(*Debug))
      llvm::outs() << llvm::formatv(
          "global {0} {1:x} {2} {3} {4}*{5} {6}:{7}\n", V.Name, V.Address,
          V.SizeBytes, V.Type, V.Number, V.StrideBytes, lastName(V.File),
          V.Line);
    return llvm::Error::success();
  }

  static llvm::Error code(const std::string &File) {
    auto Image = KernelImage::open(File);
    if (!Image)
      return Image.takeError();
    auto Code = Image->functionCode();
    if (!Code)
      return Code.takeError();
    for (const CodeStretch &S : Code->Stretches) {
      const CodeFunction &Of = Code->Functions[Code->Copies[S.Copy].Function];
      llvm::outs() << llvm::formatv("code {0:x}-{1:x} {2} {3}:{4}, line {5}",
                                    S.Begin, S.End, Of.Name, lastName(Of.File),
                                    Of.Line, S.Line);
      for (const SourcePlace &Place : Image->placesOf(S.Begin))
        llvm::outs() << llvm::formatv("; {0} {1}:{2}", Place.Function,
                                      lastName(Place.File), Place.Line);
      llvm::outs() << '\n';
    }
    return llvm::Error::success();
  }

  Words Given{Sub, "FILE"};
};

} // namespace

extern const MakeCommand MakeDebug = make<DebugCommand>;

} // namespace kst
