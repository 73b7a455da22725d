// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/JsonDatabase.h"

#include "analyzer/compile/ShellWords.h"

#include "llvm/ADT/StringSwitch.h"

#include <nlohmann/json.hpp>

using namespace llvm;

namespace kst {
namespace {

/// A database is an array of objects of strings and arrays of strings; other
/// tools may add a little. Deeper is not a database.
constexpr unsigned MaxDepth = 32;

Error failure(const std::string &Message) {
  return createStringError(std::errc::invalid_argument, "%s", Message.c_str());
}

/// Receives the events of nlohmann's parser. Depth 1: inside the top array;
/// 2: inside an entry; 3: inside "arguments".
class Reader : public nlohmann::json_sax<nlohmann::json> {
public:
  JsonDatabase Database;
  std::string Problem;

  bool null() override { return other("null"); }
  bool boolean(bool) override { return other("a truth value"); }
  bool number_integer(int64_t) override { return other("a number"); }
  bool number_unsigned(uint64_t) override { return other("a number"); }
  bool number_float(double, const std::string &) override {
    return other("a number");
  }
  bool binary(nlohmann::json::binary_t &) override { return other("binary"); }

  bool string(std::string &Text) override {
    if (Depth == 3 && InArguments)
      Args.push_back(std::move(Text));
    else if (Depth == 2 && InEntry)
      takeString(std::move(Text));
    else
      return other("a string");
    return true;
  }

  bool start_object(size_t) override {
    if (Depth == 0)
      return fail("is an object, not an array of compile commands");
    if (Depth == 1) {
      beginEntry();
      InEntry = true;
    } else
      other("an object");
    return descend();
  }
  bool end_object() override {
    if (--Depth == 1)
      endEntry();
    return true;
  }
  bool start_array(size_t) override {
    if (Depth == 1) {
      beginEntry();
      wrong("the entry is an array, not an object");
    } else if (Depth == 2 && InEntry && Key == "arguments") {
      InArguments = HaveArguments = true;
      Args.clear();
    } else if (Depth >= 2)
      other("an array");
    return descend();
  }
  bool end_array() override {
    --Depth;
    if (Depth == 2)
      InArguments = false;
    if (Depth == 1)
      endEntry();
    return true;
  }
  bool key(std::string &Text) override {
    if (Depth == 2)
      Key = std::move(Text);
    return true;
  }
  bool parse_error(size_t At, const std::string &,
                   const nlohmann::detail::exception &Why) override {
    StringRef Text = Why.what(); // "[json.exception....] parse error at ...: "
    return fail("is not JSON: " + Text.split("] ").second.str());
  }

private:
  bool descend() {
    if (++Depth > MaxDepth)
      return fail("is nested more than " + std::to_string(MaxDepth) +
                  " levels deep; compile commands need 3");
    return true;
  }

  bool fail(std::string Text) {
    if (Problem.empty())
      Problem = std::move(Text);
    return false;
  }

  void beginEntry() {
    ++Number;
    Entry = JsonCommand();
    Command.clear();
    Args.clear();
    Key.clear();
    Wrong.clear();
    HaveCommand = HaveArguments = InArguments = InEntry = false;
  }

  void takeString(std::string Text) {
    if (Key == "command") {
      HaveCommand = true;
      Command = std::move(Text);
    } else if (Key == "arguments")
      wrong("\"arguments\" is a string, not an array");
    else if (std::string *Slot = slot())
      *Slot = std::move(Text);
  }

  std::string *slot() {
    return StringSwitch<std::string *>(Key)
        .Case("directory", &Entry.Directory)
        .Case("file", &Entry.File)
        .Case("output", &Entry.Output)
        .Case("condition", &Entry.Condition)
        .Default(nullptr);
  }

  /// A value of a kind that does not belong where it stands. Unknown keys may
  /// hold anything.
  bool other(const char *Kind) {
    if (Depth == 0)
      return fail(std::string("is ") + Kind +
                  ", not an array of compile commands");
    if (Depth == 1) {
      beginEntry();
      wrong(std::string("the entry is ") + Kind + ", not an object");
      endEntry();
    } else if (Depth == 2 && InEntry &&
               (slot() || Key == "command" || Key == "arguments"))
      wrong("\"" + Key + "\" is " + Kind);
    else if (Depth == 3 && InArguments)
      wrong(std::string("\"arguments\" holds ") + Kind);
    return true;
  }

  void wrong(std::string Text) {
    if (Wrong.empty())
      Wrong = std::move(Text);
  }

  void endEntry() {
    if (Entry.File.empty())
      wrong("it has no \"file\"");
    if (Entry.Directory.empty())
      wrong("it has no \"directory\"");
    if (HaveArguments)
      Entry.Args = std::move(Args);
    else if (HaveCommand)
      Entry.Args = compileWords(Command);
    else
      wrong("it has neither \"command\" nor \"arguments\"");
    if (Entry.Args.empty())
      wrong("its command is empty");
    InEntry = false;
    if (Wrong.empty()) {
      Database.Commands.push_back(std::move(Entry));
      return;
    }
    std::string Name = "entry " + std::to_string(Number);
    Database.Broken.push_back(
        {Entry.File.empty() ? Name : Entry.File, "compile command: " + Wrong});
  }

  unsigned Depth = 0;
  size_t Number = 0;
  JsonCommand Entry;
  std::string Command, Key, Wrong;
  std::vector<std::string> Args;
  bool HaveCommand = false, HaveArguments = false, InArguments = false;
  bool InEntry = false;
};

} // namespace

Expected<JsonDatabase> parseJsonDatabase(StringRef Text) {
  Reader Events;
  bool Good = nlohmann::json::sax_parse(Text.begin(), Text.end(), &Events);
  if (!Good || !Events.Problem.empty())
    return failure(Events.Problem.empty() ? "is not JSON" : Events.Problem);
  return std::move(Events.Database);
}

} // namespace kst
