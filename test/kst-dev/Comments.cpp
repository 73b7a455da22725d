// SPDX-License-Identifier: GPL-2.0-or-later
//
// `comments`: what comments, one JSON object in each line, demand of the order.

#include "analyzer/rewrite/Comments.h"
#include "analyzer/files/InputFile.h"
#include "analyzer/files/OutputFile.h"
#include "analyzer/rewrite/CommentDemands.h"
#include "test/kst-dev/Commands.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

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
  for (const CommentDemand &D :
       demandsOf(Comment, Fields, Asked.getString("struct").value_or("")))
    Found.push_back(llvm::json::Object{
        {"what", word(D.What)}, {"firm", D.Firm}, {"words", D.Words}});
  return Found;
}

class CommentsCommand : public Command {
public:
  CommentsCommand()
      : Command("comments", "What comments demand of the order", "FILE...") {}

  llvm::Expected<ExitCode> run() override {
    std::string Answers;
    for (const std::string &File : Files) {
      llvm::Expected<std::string> Text = readFile(File);
      if (!Text)
        return Text.takeError();
      for (llvm::StringRef Rest = *Text, Line; !Rest.empty();) {
        std::tie(Line, Rest) = Rest.split('\n');
        llvm::Expected<llvm::json::Value> Asked = llvm::json::parse(Line);
        if (!Asked || !Asked->getAsObject()) {
          llvm::consumeError(Asked.takeError());
          return usageError(File + ": not one JSON object in each line");
        }
        Answers +=
            llvm::formatv("{0}\n",
                          llvm::json::Value(demandsIn(*Asked->getAsObject())))
                .str();
      }
    }
    if (llvm::Error E = writeFile("-", Answers))
      return E;
    return ExitDone;
  }

private:
  Words Files{Sub, "FILE..."};
};

} // namespace

const MakeCommand MakeComments = make<CommentsCommand>;

} // namespace kst
