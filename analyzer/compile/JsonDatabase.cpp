// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/JsonDatabase.h"

#include "analyzer/compile/ShellWords.h"

#include "llvm/Support/ConvertUTF.h"

#include <nlohmann/json.hpp>

using namespace llvm;
using nlohmann::json;

namespace kst {
namespace {

/// A database is an array of objects of strings and arrays of strings; other
/// tools may add a little. Deeper is not a database.
constexpr unsigned MaxDepth = 32;

/// Reads the text once to say what is wrong with it as JSON.
struct Checker final : nlohmann::json_sax<json> {
  std::string Problem;
  unsigned Depth = 0;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(int64_t) override { return true; }
  bool number_unsigned(uint64_t) override { return true; }
  bool number_float(double, const std::string &) override { return true; }
  bool string(std::string &) override { return true; }
  bool binary(json::binary_t &) override { return true; }
  bool key(std::string &) override { return true; }
  bool start_object(size_t) override { return descend(); }
  bool start_array(size_t) override { return descend(); }
  bool end_object() override { return ascend(); }
  bool end_array() override { return ascend(); }
  bool parse_error(size_t, const std::string &,
                   const nlohmann::detail::exception &Why) override {
    StringRef Text = Why.what(); // "[json.exception....] parse error at ...: "
    Problem = "is not JSON: " + Text.split("] ").second.str();
    return false;
  }

private:
  bool ascend() {
    --Depth;
    return true;
  }
  bool descend() {
    if (++Depth > MaxDepth)
      Problem = "is nested more than " + std::to_string(MaxDepth) +
                " levels deep; compile commands need 3";
    return Problem.empty();
  }
};

std::string kindOf(const json &Value) {
  if (Value.is_null())
    return "null";
  if (Value.is_boolean())
    return "a truth value";
  std::string Name = Value.type_name();
  return (Value.is_object() || Value.is_array() ? "an " : "a ") + Name;
}

/// Fills Command; returns what is wrong with the entry, or "".
std::string read(const json &Entry, JsonCommand &Command) {
  if (!Entry.is_object())
    return "the entry is " + kindOf(Entry) + ", not an object";
  std::string Wrong, Line;
  auto Take = [&](const char *Key, std::string &Slot) {
    auto It = Entry.find(Key);
    if (It == Entry.end())
      return false;
    if (It->is_string())
      Slot = It->get<std::string>();
    else if (Wrong.empty())
      Wrong = "\"" + std::string(Key) + "\" is " + kindOf(*It);
    return true;
  };
  Take("directory", Command.Directory);
  Take("file", Command.File);
  Take("output", Command.Output);
  Take("condition", Command.Condition);
  bool HasLine = Take("command", Line);
  auto Words = Entry.find("arguments");
  if (!Wrong.empty())
    return Wrong;
  if (Words != Entry.end()) {
    if (!Words->is_array())
      return "\"arguments\" is " + kindOf(*Words) +
             (Words->is_string() ? ", not an array" : "");
    for (const json &Word : *Words) {
      if (!Word.is_string())
        return "\"arguments\" holds " + kindOf(Word);
      Command.Args.push_back(Word.get<std::string>());
    }
  } else {
    Command.Args = compileWords(Line);
    Command.RunsIn = compileDirectory(Line);
  }
  if (Command.File.empty())
    return "it has no \"file\"";
  if (Command.Directory.empty())
    return "it has no \"directory\"";
  if (!HasLine && Words == Entry.end())
    return "it has neither \"command\" nor \"arguments\"";
  return Command.Args.empty() ? "its command is empty" : "";
}

/// File names may have any bytes, JSON has UTF-8 only: as if the text were
/// Latin-1.
std::string widened(StringRef Text) {
  std::string Wide;
  for (unsigned char Byte : Text)
    if (Byte < 0x80)
      Wide += char(Byte);
    else
      Wide.append({char(0xc0 | Byte >> 6), char(0x80 | (Byte & 0x3f))});
  return Wide;
}

/// The bytes again of what widened() made; other characters stay.
void narrow(std::string &Text) {
  std::string Bytes;
  for (size_t I = 0; I != Text.size(); ++I)
    if (const unsigned char Lead = Text[I];
        (Lead == 0xc2 || Lead == 0xc3) && I + 1 != Text.size())
      Bytes += char(Lead << 6 | (Text[++I] & 0x3f));
    else
      Bytes += Text[I];
  Text = std::move(Bytes);
}

void narrow(JsonCommand &Command) {
  for (std::string *Text : {&Command.Directory, &Command.File, &Command.Output})
    narrow(*Text);
  for (std::string &Word : Command.Args)
    narrow(Word);
}

Expected<JsonDatabase> parseUtf8(StringRef Text) {
  Checker Check;
  if (!json::sax_parse(Text.begin(), Text.end(), &Check))
    return createStringError(Twine(Check.Problem));
  json Root = json::parse(Text.begin(), Text.end(), nullptr, false);
  if (!Root.is_array())
    return createStringError("is " + kindOf(Root) +
                             ", not an array of compile commands");
  JsonDatabase Database;
  size_t Number = 0;
  for (const json &Entry : Root) {
    ++Number;
    JsonCommand Command;
    std::string Wrong = read(Entry, Command);
    if (Wrong.empty())
      Database.Commands.push_back(std::move(Command));
    else
      Database.Broken.push_back({Command.File.empty()
                                     ? "entry " + std::to_string(Number)
                                     : Command.File,
                                 "compile command: " + Wrong});
  }
  return Database;
}

} // namespace

Expected<JsonDatabase> parseJsonDatabase(StringRef Text) {
  const UTF8 *At = Text.bytes_begin();
  if (isLegalUTF8String(&At, Text.bytes_end()))
    return parseUtf8(Text);
  auto Database = parseUtf8(widened(Text));
  if (!Database)
    return Database;
  for (JsonCommand &Command : Database->Commands)
    narrow(Command);
  for (BrokenEntry &Broken : Database->Broken)
    narrow(Broken.Name);
  return Database;
}

} // namespace kst
