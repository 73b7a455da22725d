// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a parse that failed is reported by: one line, the first error.

#ifndef KST_ANALYZER_FACTS_FIRSTERROR_H
#define KST_ANALYZER_FACTS_FIRSTERROR_H

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallString.h"

#include <string>

namespace kst {

/// Keeps the first error; that is the one that tells what is wrong.
class FirstError : public clang::DiagnosticConsumer {
public:
  std::string Message;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &Info) override {
    clang::DiagnosticConsumer::HandleDiagnostic(Level, Info);
    if (Level < clang::DiagnosticsEngine::Error || !Message.empty())
      return;
    llvm::SmallString<128> Text;
    Info.FormatDiagnostic(Text);
    if (Info.hasSourceManager() && Info.getLocation().isValid()) {
      clang::PresumedLoc Where =
          Info.getSourceManager().getPresumedLoc(Info.getLocation());
      if (Where.isValid())
        Message = std::string(Where.getFilename()) + ":" +
                  std::to_string(Where.getLine()) + ": ";
    }
    Message += Text.str();
  }
};

} // namespace kst

#endif
