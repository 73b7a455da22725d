// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/support/ReportFlags.h"

#include "analyzer/files/OutputFile.h"
#include "hybrid/report/Render.h"
#include "hybrid/report/TextStyle.h"

#include "llvm/ADT/STLExtras.h"

#include <unistd.h>

namespace kst {

ReportFlags::ReportFlags(cl::SubCommand &Command)
    : Json({Command, OfOutput, "json", "FILE", "Write the report as JSON"}),
      Html({Command, OfOutput, "html", "FILE", "Write the report as HTML"}),
      Markdown({Command, OfOutput, "markdown", "FILE",
                "Write the report as Markdown"}),
      Summary({Command, OfOutput, "summary", "FILE",
               "Write at most 40 lines of Markdown", cl::Hidden}),
      Color({Command, OfOutput, "color", "WHEN", "auto, always or never"},
            "auto"),
      Full({Command, OfOutput, "full", "", "Fold nothing, leave nothing out"}) {
}

llvm::Error ReportFlags::check(const OutputFiles &More,
                               const std::vector<std::string> &Inputs) {
  if (!parseColorWhen(Color))
    return usageError("--color takes auto, always or never, not '" + Color +
                      "'");
  OutputFiles All;
  for (const Flag<std::string> *File : {&Json, &Html, &Markdown, &Summary})
    if (File->given())
      All.push_back({"--" + File->ArgStr.str(), *File});
  llvm::append_range(All, More);
  if (llvm::Error E = checkOutputs(All))
    return E;
  if (llvm::Error E = checkInputs(All, Inputs))
    return E;
  llvm::Error Wrong = llvm::Error::success();
  for (const auto &[Option, File] : All) {
    Wrong = llvm::joinErrors(std::move(Wrong), checkWritable(File));
    StdoutTaken |= File == "-";
  }
  return Wrong;
}

llvm::Error ReportFlags::write(const std::vector<Document> &Docs,
                               llvm::function_ref<std::string()> MakeJson,
                               bool Quiet) const {
  llvm::Error Wrong = llvm::Error::success();
  auto Write = [&Wrong](const std::string &File, const std::string &Text) {
    Wrong = llvm::joinErrors(std::move(Wrong), writeFile(File, Text));
  };
  if (Json.given())
    Write(Json, MakeJson());
  if (Html.given())
    Write(Html, toHtml(Docs));
  if (Markdown.given()) {
    std::string Text;
    for (const Document &Doc : Docs)
      Text.append(Text.empty() ? "" : "\n").append(toMarkdown(Doc, Full));
    Write(Markdown, Text);
  }
  if (Summary.given())
    Write(Summary, toSummary(Docs));
  if (Quiet || StdoutTaken)
    return Wrong;
  TextOptions Options;
  Options.Color = wantsColor(*parseColorWhen(Color), STDOUT_FILENO);
  Options.Full = Full;
  Options.Width = terminalWidth(STDOUT_FILENO, 100);
  std::string Text;
  for (const Document &Doc : Docs)
    Text += toText(Doc, Options);
  Write("-", Text);
  return Wrong;
}

} // namespace kst
