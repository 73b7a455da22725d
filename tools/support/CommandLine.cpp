// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/support/CommandLine.h"

#include "analyzer/files/OutputFile.h"
#include "hybrid/core/ValidText.h"
#include "hybrid/pipeline/Version.h"
#include "tools/support/Interrupt.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace kst {

using llvm::StringRef;
using Commands = std::vector<std::unique_ptr<Command>>;

static const Tool *Running = nullptr;

static void complain(const llvm::Twine &Message) {
  llvm::errs() << Running->Name << ": " << validText(Message.str()) << "\n";
}

DiagnosticConsumer Command::diagnostics() const {
  DiagnosticConsumer Console;
  Console.Warn = [](const std::string &Message) { complain(Message); };
  if (!Quiet)
    Console.Note = Console.Warn;
  return Console;
}

static cl::OptionCategory &categoryOf(HelpPart Part) {
  static cl::OptionCategory Parts[] = {{"Analysis"}, {"Layout"}, {"Output"}};
  return Parts[static_cast<size_t>(Part)];
}

void About::describe(cl::Option &Option) const {
  Option.setDescription(Help);
  Option.setValueStr(Value);
  Option.setHiddenFlag(Hidden);
  Option.addCategory(categoryOf(Part));
}

static std::string usageOf(const Command &Of) {
  return (llvm::Twine(Running->Name) + " " + Of.Sub.getName() + " " + Of.Usage)
      .str();
}

static void printHelp(const Commands &All) {
  llvm::outs() << Running->Overview << "\n\n";
  size_t Widest = 0;
  for (const auto &One : All)
    Widest = std::max(Widest, One->Sub.getName().size());
  for (const auto &One : All)
    llvm::outs() << "  " << llvm::left_justify(One->Sub.getName(), Widest + 2)
                 << One->Sub.getDescription() << "\n";
  llvm::outs() << "\n";
  for (const auto &One : All)
    if (Running->Default && One->Sub.getName() == Running->Default)
      llvm::outs() << "A line that names no command is one of "
                   << Running->Default << ":\n  " << Running->Name << " "
                   << One->Usage << "\n";
  llvm::outs()
      << "'" << Running->Name
      << " COMMAND --help' shows the options of a command, --help-hidden all "
         "of\nthem, --version what this build is. The manual page has more.\n"
         "\nExit status: 0 done, 1 no result, 2 usage, 3 done but below "
         "--min-coverage,\n4 --fail-on, 5 done in part, 130 interrupted.\n";
}

/// The usage of every command whose name begins with this word.
static llvm::Error usageError(const Commands &All, StringRef Word) {
  std::string Text = "usage:";
  for (const auto &One : All)
    if (Word.empty() || One->Sub.getName().starts_with(Word))
      Text += "\n  " + usageOf(*One);
  return usageError(Text);
}

/// Where the first word stands that is neither an option nor its value.
static size_t firstWord(const Commands &All, llvm::ArrayRef<StringRef> Line) {
  for (size_t I = 0; I < Line.size(); ++I) {
    if (!Line[I].starts_with("-") || Line[I] == "-")
      return I;
    for (const auto &One : All) {
      const cl::Option *Known =
          cl::getRegisteredOptions(One->Sub).lookup(Line[I].ltrim('-'));
      if (!Known)
        continue;
      I += Known->getValueExpectedFlag() == cl::ValueRequired;
      break;
    }
  }
  return Line.size();
}

/// The command of the line; its words are taken out of `Line`.
static llvm::Expected<Command *> takeCommand(const Commands &All,
                                             std::vector<StringRef> &Line) {
  const auto First = Line.begin() + firstWord(All, Line);
  const StringRef Word = First == Line.end() ? "" : *First;
  StringRef Next = Line.end() - First < 2 ? "" : *std::next(First);
  for (const auto &[Old, New] : Running->Renamed)
    if (Old.split(' ') == std::pair(Word, Next)) {
      complain(("note: '" + Old + "' is called '" + New + "' now").str());
      Next = New.split(' ').second;
    }
  Command *Default = nullptr;
  bool Begun = false;
  for (const auto &One : All) {
    if (Running->Default && One->Sub.getName() == Running->Default)
      Default = One.get();
    auto [Verb, Object] = One->Sub.getName().split(' ');
    if (Word != Verb)
      continue;
    Begun = true;
    if (!Object.empty() && Next != Object)
      continue;
    Line.erase(First, First + (Object.empty() ? 1 : 2));
    return One.get();
  }
  // A first word without its second, unless a struct makes it a path.
  if (!Default || (Begun && llvm::none_of(Line, [](StringRef Option) {
                     return Option.ltrim('-').starts_with("struct");
                   })))
    return usageError(All, Begun ? Word : "");
  return Default;
}

/// Says of an option that the command does not have who has it.
static std::string ownersOf(const Commands &All, Command &Active,
                            llvm::ArrayRef<StringRef> Line) {
  for (StringRef Word : Line) {
    if (Word == "--")
      break;
    StringRef Name = Word.ltrim('-').split('=').first;
    if (Name.size() == Word.size() || Name.empty() ||
        cl::getRegisteredOptions(Active.Sub).contains(Name))
      continue;
    std::vector<std::string> Owners;
    for (const auto &Other : All)
      if (cl::getRegisteredOptions(Other->Sub).contains(Name))
        Owners.push_back(("'" + Other->Sub.getName() + "'").str());
    if (!Owners.empty())
      return ((Name.size() == 1 ? "-" : "--") + Name + " belongs to " +
              llvm::join(Owners, ", "))
          .str();
  }
  return "";
}

/// llvm::cl fills the options in; --help and --version end the process.
static bool parse(const Commands &All, Command &Active,
                  llvm::ArrayRef<StringRef> Line) {
  // LLVM's own lines in --help.
  const auto &Registered = cl::getRegisteredOptions(Active.Sub);
  for (StringRef Name : {"help", "version"})
    if (cl::Option *Theirs = Registered.lookup(Name))
      Theirs->setHiddenFlag(cl::Hidden);
  if (cl::Option *Theirs = Registered.lookup("help-list"))
    Theirs->removeArgument();
  cl::SetVersionPrinter([](llvm::raw_ostream &Out) {
    const ToolId Tool = thisTool();
    Out << Running->Name << " " << Tool.Version << " (LLVM " << Tool.Llvm
        << ")\n";
  });
  std::vector<const char *> Argv{Running->Name, Active.Sub.getName().data()};
  for (StringRef Word : Line)
    Argv.push_back(Word == "-h" ? "--help" : Word.data());
  std::string Errors;
  llvm::raw_string_ostream ErrorStream(Errors);
  if (cl::ParseCommandLineOptions(Argv.size(), Argv.data(), "", &ErrorStream))
    return true;
  if (std::string Owners = ownersOf(All, Active, Line); !Owners.empty())
    complain(Owners);
  else
    llvm::errs() << Errors;
  return false;
}

int runTool(const Tool &Program, int Argc, char **Argv) {
  Running = &Program;
  exitWhenInterrupted(Program.Name);
  // The LLVM library brings hundreds of options of its own passes.
  cl::ResetCommandLineParser();
  Commands All;
  for (MakeCommand Make : Program.Commands)
    All.push_back(Make());
  std::vector<StringRef> Line(Argv + 1, Argv + Argc);
  if (!Line.empty() && (Line[0] == "--help" || Line[0] == "-help" ||
                        Line[0] == "-h" || Line[0] == "help")) {
    printHelp(All);
    return ExitDone;
  }
  DiagnosticConsumer Console;
  Console.Warn = [](const std::string &Message) { complain(Message); };
  llvm::Expected<Command *> Active = takeCommand(All, Line);
  if (!Active)
    return Console.report(Active.takeError());
  if (!parse(All, **Active, Line))
    return ExitUsage;
  llvm::Expected<ExitCode> Code = (*Active)->run();
  return Code ? *Code : Console.report(Code.takeError());
}

llvm::Error checkOutputs(const OutputFiles &Outputs) {
  for (size_t I = 0; I != Outputs.size(); ++I) {
    const auto &[Option, File] = Outputs[I];
    if (File.empty())
      return usageError(Option + " has an empty file name");
    for (const auto &[Other, OtherFile] : llvm::ArrayRef(Outputs).take_front(I))
      if (OtherFile == File && File == "-")
        return usageError(Other + " and " + Option +
                          " cannot both go to standard output");
      else if (isSameFile(OtherFile, File) && File != "/dev/null")
        return usageError(Other + " and " + Option +
                          " cannot both be written to " + File);
  }
  return llvm::Error::success();
}

llvm::Error checkInputs(const OutputFiles &Outputs,
                        const std::vector<std::string> &Inputs) {
  for (const auto &[Option, File] : Outputs)
    for (const std::string &Input : Inputs)
      if (isSameFile(File, Input))
        return usageError(Option + " " + File + " is also an input");
  return llvm::Error::success();
}

} // namespace kst
