// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/verify/VerifyReport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace kst {

namespace {

struct Totals {
  uint64_t Files = 0;
  uint64_t Forbidden = 0; ///< of them, those that must hold nothing
  uint64_t Counted = 0, Functions = 0, Runtime = 0, Findings = 0;
};

Totals sum(const VerifyResults &Results) {
  Totals T;
  for (const auto &[File, Result] : Results) {
    ++T.Files;
    T.Forbidden += !File.Rule.empty();
    T.Counted += Result.CountedReferences;
    T.Functions += Result.CountedFunctions.size();
    T.Runtime += Result.RuntimeReferences;
    T.Findings += Result.Findings.size();
  }
  return T;
}

/// "object: section: function+0x10"; as much of it as is known.
std::string where(const Finding &F) {
  std::string Text = F.Object;
  if (F.Section.empty())
    return Text;
  Text += ": " + F.Section;
  if (!F.Function.empty())
    Text += ": " + F.Function;
  return Text + "+0x" + llvm::utohexstr(F.Offset, /*LowerCase=*/true);
}

std::string plural(uint64_t N, llvm::StringRef One, llvm::StringRef More) {
  return (llvm::Twine(N) + " " + (N == 1 ? One : More)).str();
}

llvm::StringRef spell(Verdict V) {
  switch (V) {
  case Verdict::Clean:
    return "clean";
  case Verdict::Findings:
    return "findings";
  case Verdict::NothingInstrumented:
    return "nothing-instrumented";
  }
  return "";
}

} // namespace

Verdict verdict(const VerifyResults &Results) {
  Totals T = sum(Results);
  if (T.Findings)
    return Verdict::Findings;
  return T.Counted ? Verdict::Clean : Verdict::NothingInstrumented;
}

std::string verifyText(const VerifyResults &Results) {
  std::string Text;
  llvm::raw_string_ostream Out(Text);
  for (const auto &[File, Result] : Results)
    for (const Finding &F : Result.Findings)
      Out << where(F) << ": " << F.Rule << " "
          << (F.Section.empty() ? "file has " : "code refers to ")
          << kst::spell(F.What) << " " << F.Target << "\n";
  Totals T = sum(Results);
  Out << plural(T.Files, "file", "files");
  if (T.Forbidden)
    Out << " (" << T.Forbidden << " that must not count at all)";
  Out << ": "
      << plural(T.Findings, "forbidden reference", "forbidden references")
      << "; " << plural(T.Counted, "counted reference", "counted references")
      << " in " << plural(T.Functions, "function", "functions")
      << " where allowed";
  if (T.Runtime)
    Out << ", " << T.Runtime << " to the runtime";
  Out << "\n";
  if (!T.Counted && !T.Findings)
    Out << "nothing is instrumented\n";
  return Text;
}

std::string verifyJson(const VerifyResults &Results) {
  std::string Text;
  llvm::raw_string_ostream Stream(Text);
  llvm::json::OStream Out(Stream, /*IndentSize=*/1);
  Totals T = sum(Results);
  Out.object([&] {
    Out.attribute("schema", "kst-verify/1");
    Out.attribute("verdict", spell(verdict(Results)));
    Out.attribute("counted_references", T.Counted);
    Out.attribute("counted_functions", T.Functions);
    Out.attribute("runtime_references", T.Runtime);
    Out.attributeArray("files", [&] {
      for (const auto &[File, Result] : Results)
        Out.object([&, &File = File, &Result = Result] {
          Out.attribute("path", llvm::json::fixUTF8(File.Path));
          Out.attribute("must_not_count", File.Rule);
          Out.attribute("counted_references", Result.CountedReferences);
          Out.attribute("findings", uint64_t(Result.Findings.size()));
        });
    });
    Out.attributeArray("findings", [&] {
      for (const auto &[File, Result] : Results)
        for (const Finding &F : Result.Findings)
          Out.object([&] {
            Out.attribute("object", llvm::json::fixUTF8(F.Object));
            Out.attribute("section", llvm::json::fixUTF8(F.Section));
            Out.attribute("function", llvm::json::fixUTF8(F.Function));
            Out.attribute("offset", F.Offset);
            Out.attribute("kind", kst::spell(F.What));
            Out.attribute("target", llvm::json::fixUTF8(F.Target));
            Out.attribute("rule", F.Rule);
          });
    });
  });
  Stream << "\n";
  return Text;
}

} // namespace kst
