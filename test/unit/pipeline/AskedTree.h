// SPDX-License-Identifier: GPL-2.0-or-later
//
// A small tree with compile commands, and requests about it as plain values.

#ifndef KST_TEST_UNIT_PIPELINE_ASKEDTREE_H
#define KST_TEST_UNIT_PIPELINE_ASKEDTREE_H

#include "hybrid/pipeline/Analyze.h"
#include "test/unit/support/TempTree.h"

#include "gtest/gtest.h"

namespace kst::test {

/// Its `struct queue` has two fields that are used together, far apart.
class AskedTree : public TempTree {
public:
  AskedTree() {
    file("queue.h", "struct queue {\n"
                    "\tlong head;\n"
                    "\tchar cold[120];\n"
                    "#ifdef TRACE\n"
                    "\tlong traced[16];\n"
                    "#endif\n"
                    "\tlong tail;\n"
                    "};\n");
    file("use.c", "#include \"queue.h\"\n"
                  "long used(struct queue *q) { return q->head - q->tail; }\n"
                  "void put(struct queue *q) { q->head++; q->tail++; }\n");
    commands("compile_commands.json", "");
  }

  /// A configuration that compiles use.c with this flag.
  void commands(const std::string &Name, const std::string &Flag) const {
    file(Name, "[{\"directory\":\"" + Root +
                   "\",\"file\":\"use.c\",\"arguments\":[\"clang\"," +
                   (Flag.empty() ? "" : "\"" + Flag + "\",") +
                   "\"-c\",\"use.c\"]}]");
  }

  /// Fills in a request of whatever kind; what is told is kept.
  template <typename T = AnalyzeRequest> T asking(const std::string &Struct) {
    T Asked;
    Asked.Structs.emplace_back().Name = Struct;
    Asked.Units.Cwd = Root;
    Asked.Diags.Note = [this](const std::string &Text) {
      Notes.push_back(Text);
    };
    Asked.Diags.Warn = [this](const std::string &Text) {
      Warnings.push_back(Text);
    };
    return Asked;
  }

  std::vector<std::string> Notes, Warnings;
};

/// The answer; a failed test, and an empty one, if there is an error.
template <typename T> T good(llvm::Expected<T> Answer) {
  if (Answer)
    return std::move(*Answer);
  ADD_FAILURE() << llvm::toString(Answer.takeError());
  return T();
}

/// The messages of an error, in lines, and the status that it asks for.
inline std::pair<ExitCode, std::string> said(llvm::Error E) {
  std::string Text;
  DiagnosticConsumer Diags;
  Diags.Warn = [&](const std::string &Message) { Text += Message + "\n"; };
  ExitCode Code = Diags.report(std::move(E));
  return {Code, Text};
}

} // namespace kst::test

#endif
