// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/CommentDemands.h"
#include "analyzer/rewrite/Comments.h"
#include "tools/kstatic-affinity/Analyze.h"
#include "tools/kstatic-affinity/Complain.h"
#include "tools/kstatic-affinity/InputFile.h"
#include "tools/kstatic-affinity/OutputFile.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace kst {
namespace {

const char *word(DemandWord What) {
  static const char *Words[] = {"first",    "last",    "stay",  "order",
                                "together", "follows", "layout"};
  return Words[static_cast<size_t>(What)];
}

/// One comment: {"struct", "fields", "comment"} to its demands.
llvm::json::Array demandsIn(const llvm::json::Object &Asked) {
  std::vector<std::string> Fields;
  if (const llvm::json::Array *Names = Asked.getArray("fields"))
    for (const llvm::json::Value &Name : *Names)
      Fields.push_back(Name.getAsString().value_or("").str());
  llvm::StringRef Comment = Asked.getString("comment").value_or("");
  llvm::json::Array Found;
  if (isPlaceMarker(Comment) || isDocSwitch(Comment))
    return Found;
  for (const CommentDemand &D : demandsOf(
           Comment, Fields, Asked.getString("struct").value_or("")))
    Found.push_back(llvm::json::Object{
        {"what", word(D.What)}, {"firm", D.Firm}, {"words", D.Words}});
  return Found;
}

} // namespace

ExitCode runComments(const Options &Given) {
  std::string Text;
  for (const std::string &File : Given.Paths) {
    llvm::Expected<std::string> Lines = readFile(File);
    if (!Lines)
      return reportError(Lines.takeError()) ? ExitNoResult : ExitDone;
    llvm::StringRef Rest = *Lines;
    while (!Rest.empty()) {
      auto [Line, Others] = Rest.split('\n');
      Rest = Others;
      llvm::Expected<llvm::json::Value> Asked = llvm::json::parse(Line);
      if (!Asked || !Asked->getAsObject()) {
        llvm::consumeError(Asked.takeError());
        complain(File + ": not one JSON object in each line");
        return ExitUsage;
      }
      Text += llvm::formatv("{0}\n", llvm::json::Value(demandsIn(
                                         *Asked->getAsObject())))
                  .str();
    }
  }
  return reportError(writeFile("-", Text)) ? ExitNoResult : ExitDone;
}

} // namespace kst
