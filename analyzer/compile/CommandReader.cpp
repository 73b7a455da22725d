// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/CommandReader.h"

#include "analyzer/compile/PrecompiledHeaders.h"
#include "analyzer/compile/ResponseFiles.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kst {

static Error failure(const Twine &Message) {
  return createStringError(std::errc::invalid_argument, "%s",
                           Message.str().c_str());
}

/// Whether the word says how far to compile.
static bool isStage(StringRef Word) {
  return is_contained(
      ArrayRef<StringRef>{"-c", "-S", "-E", "-fsyntax-only", "/c"}, Word);
}

Expected<AdjustedCommand> CommandReader::read(const CompileCommand &Command) {
  const bool Windows =
      findCompiler(Command.Args).Name.Family == CompilerFamily::Microsoft;
  auto Words = expandResponseFiles(Command.Args, Command.Directory, Windows);
  if (!Words)
    return Words.takeError();
  Compiler Named = findCompiler(*Words);
  // What a shell runs was one word until now.
  Words = expandResponseFiles(Named.Args, Command.Directory, Windows);
  if (!Words)
    return Words.takeError();
  Named.Args = std::move(*Words);
  if (Named.Word.empty()) {
    Notes.insert("commands without a compiler are read as this machine's; "
                 "--target TRIPLE names another");
    return adjust(Command, withHeaderText(Named.Args, Command.Directory),
                  {CompilerFamily::Gnu, "", Target, {}});
  }
  const CompilerIdentity &Is = Identities.of(Named, Command.Directory);
  if (Is.Family == CompilerFamily::NotC)
    return failure("its command runs " + Named.Word +
                   ", which compiles no C or C++ that clang reads");
  if (!Named.Args.empty() && Named.Args[0] == "-cc1")
    return failure("its command is one of clang's front end (-cc1), with flags "
                   "of its own; the driver's command is wanted");
  std::vector<std::string> Args = Is.Before;
  append_range(Args, Named.Args);
  append_range(Args, Is.After);
  const bool Told = Is.Family == CompilerFamily::Microsoft;
  AdjustedCommand Adjusted = adjust(
      Command, withHeaderText(Args, Command.Directory),
      {Is.Family, Is.Triple, Told ? "" : Target, Is.Headers, Named.Name.Cxx});
  if (Is.Family == CompilerFamily::Gnu)
    Adjusted.OtherCompiler = Named.Word;
  if (Told)
    Notes.insert("commands of " + Named.Word +
                 " (/D, /I) are read as clang-cl reads them: layouts are those "
                 "of Windows, where long has 4 bytes");
  if (!Adjusted.Target.empty() || Told)
    return Adjusted;
  if (!Is.Problem.empty())
    return failure("what " + Named.Word + " compiles for is not known: " +
                   Is.Problem + "; say it with --target TRIPLE");
  if (Is.Assumed && none_of(Named.Args, isStage))
    return failure("its command runs " + Named.Word +
                   ", which is not known for a compiler and is not told to "
                   "compile (-c)");
  if (Is.Assumed)
    Notes.insert("what " + Named.Word +
                 " compiles for is not known, this machine is assumed; "
                 "--target TRIPLE names another");
  return Adjusted;
}

} // namespace kst
