// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/ResponseFiles.h"

#include "analyzer/compile/BuildTree.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/StringSaver.h"

#include <utility>

using namespace llvm;

namespace kst {
namespace {

class Expander {
public:
  Expander(StringRef Directory, bool Windows)
      : Directory(Directory), Windows(Windows) {}

  Error expand(ArrayRef<std::string> Words) {
    for (size_t I = 0; I != Words.size(); ++I) {
      StringRef Config = Words[I];
      const bool Joined = Config.consume_front("--config=");
      if (!Joined && Config == "--config" && I + 1 != Words.size())
        Config = Words[I + 1];
      else if (!Joined)
        Config = "";
      // Others are looked for in places of the compiler's own.
      if (Config.contains('/') &&
          sys::fs::is_regular_file(absolutePath(Directory, Config))) {
        I += !Joined;
        if (Error Failed = addFile(Config, "", cl::tokenizeConfigFile))
          return Failed;
      } else if (Error Failed = add(Words[I]))
        return Failed;
    }
    return Error::success();
  }

  std::vector<std::string> Out;

private:
  Error add(StringRef Word) {
    StringRef Name = Word;
    if (Name.consume_front("@") && !Name.empty())
      return addFile(Name, "");
    if (!Word.starts_with("-Wp,") || !Word.contains(",@")) {
      Out.push_back((Prefix + Word).str());
      return Error::success();
    }
    SmallVector<StringRef> Parts;
    Word.drop_front(4).split(Parts, ',');
    for (StringRef Part : Parts) {
      if (!Part.consume_front("@")) {
        Out.push_back(("-Wp," + Part).str());
        continue;
      }
      if (Error Failed = addFile(Part, "-Wp,"))
        return Failed;
    }
    return Error::success();
  }

  /// The words of the file, each with `Before` in front.
  Error addFile(StringRef Name, StringRef Before,
                cl::TokenizerCallback Split = nullptr) {
    constexpr unsigned MaxDepth = 32;
    constexpr size_t MaxWords = 1 << 20;
    const std::string Path = absolutePath(Directory, Name);
    auto Fail = [&](const Twine &Why) {
      return createStringError(
          std::errc::invalid_argument, "%s",
          ("response file " + Path + ": " + Why).str().c_str());
    };
    if (is_contained(Open, Path) || Open.size() == MaxDepth)
      return Fail("includes itself");
    if (whyUnreadable(Path) == "no such file") {
      Out.push_back(("@" + Name).str());
      return Error::success();
    }
    auto Buffer = readRegularFile(Path);
    if (!Buffer) {
      consumeError(Buffer.takeError());
      return Fail(whyUnreadable(Path));
    }
    std::string Text = (*Buffer)->getBuffer().str();
    if (hasUTF16ByteOrderMark({Text.data(), Text.size()})) {
      std::string Plain;
      if (!convertUTF16ToUTF8String({Text.data(), Text.size()}, Plain))
        return Fail("is no text");
      Text = std::move(Plain);
    }
    BumpPtrAllocator Memory;
    StringSaver Saver(Memory);
    SmallVector<const char *> Words;
    if (!Split)
      Split =
          Windows ? cl::TokenizeWindowsCommandLine : cl::TokenizeGNUCommandLine;
    Split(Text, Saver, Words, false);
    if (Out.size() + Words.size() > MaxWords)
      return Fail("is too long");
    Open.push_back(Path);
    const std::string Outer = std::exchange(Prefix, Prefix + Before.str());
    for (StringRef Word : Words)
      if (Error Failed = add(Word))
        return Failed;
    Prefix = Outer;
    Open.pop_back();
    return Error::success();
  }

  StringRef Directory;
  bool Windows;
  std::string Prefix;            ///< of each word of the file that is open
  std::vector<std::string> Open; ///< those that are read, outermost first
};

} // namespace

Expected<std::vector<std::string>>
expandResponseFiles(ArrayRef<std::string> Words, StringRef Directory,
                    bool Windows) {
  Expander Work(Directory, Windows);
  if (Error Failed = Work.expand(Words))
    return Failed;
  return std::move(Work.Out);
}

} // namespace kst
