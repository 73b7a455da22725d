// SPDX-License-Identifier: GPL-2.0-or-later
//
// Programs of several commands, each with options of its own: what is shared is
// how they are found, explained and refused.

#pragma once

#include "hybrid/pipeline/Errors.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/CommandLine.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kst {

namespace cl = llvm::cl;

/// The part of --help under which an option stands; parts come in the order of
/// their names.
enum HelpPart { OfAnalysis, OfLayout, OfOutput };

/// What the options below have in common: the command that has the option, its
/// name, the word for its value ("": none) and its line of --help.
struct About {
  About(cl::SubCommand &Command, HelpPart Part, llvm::StringRef Name,
        llvm::StringRef Value, llvm::StringRef Help,
        cl::OptionHidden Hidden = cl::NotHidden)
      : Command(Command), Part(Part), Name(Name), Value(Value), Help(Help),
        Hidden(Hidden) {}
  void describe(cl::Option &Option) const;

  cl::SubCommand &Command;
  HelpPart Part;
  llvm::StringRef Name, Value, Help;
  cl::OptionHidden Hidden; ///< then only --help-hidden shows it
};

/// An option with one value.
template <typename T> struct Flag : cl::opt<T> {
  Flag(const About &What, T Default = T())
      : cl::opt<T>(What.Name, cl::init(Default), cl::sub(What.Command)) {
    What.describe(*this);
  }
  using cl::opt<T>::operator=;
  bool given() const { return this->getNumOccurrences() != 0; }
};

/// An option that may be given more than once.
struct ListFlag : cl::list<std::string> {
  ListFlag(const About &What)
      : cl::list<std::string>(What.Name, cl::sub(What.Command)) {
    What.describe(*this);
  }
  /// NAME[,NAME]
  ListFlag &separated() {
    setMiscFlag(cl::CommaSeparated);
    return *this;
  }
  std::vector<std::string> all() const { return {begin(), end()}; }
};

/// The words that are no options.
struct Words : cl::list<std::string> {
  Words(cl::SubCommand &Command, llvm::StringRef Help)
      : cl::list<std::string>(cl::Positional, cl::desc(Help),
                              cl::sub(Command)) {}
  std::vector<std::string> all() const { return {begin(), end()}; }
};

/// A command with its options, which llvm::cl knows while it lives.
class Command {
public:
  /// All are literals. `Name` may have two words; `Usage`: the options and
  /// words that it takes.
  Command(llvm::StringRef Name, llvm::StringRef Summary, llvm::StringRef Usage)
      : Sub(Name, Summary), Usage(Usage),
        Quiet({Sub, OfOutput, "quiet", "",
               "No progress, no text: only files and errors"}),
        OnlyH({Sub, OfOutput, "h", "", "", cl::ReallyHidden}) {}
  virtual ~Command() = default;

  /// Does what the options ask. An error says why not, and with which status
  /// the process ends.
  virtual llvm::Expected<ExitCode> run() = 0;

  cl::SubCommand Sub;
  const llvm::StringRef Usage;

protected:
  /// To stderr; without notes if --quiet.
  DiagnosticConsumer diagnostics() const;

  Flag<bool> Quiet;

private:
  /// In place of llvm::cl's own -h, which takes every -hSOMETHING for help.
  Flag<bool> OnlyH;
};

using MakeCommand = std::unique_ptr<Command> (*)();
template <typename T> std::unique_ptr<Command> make() {
  return std::make_unique<T>();
}

struct Tool {
  const char *Name;
  const char *Overview; ///< a sentence or two
  const char *Default;  ///< the command of a line that names none, or null
  std::vector<MakeCommand> Commands;
  /// Commands of two words that had another second word: (old, new) names.
  std::vector<std::pair<llvm::StringRef, llvm::StringRef>> Renamed;
};

/// Runs the command that the line asks for and returns what main returns. An
/// option of another command is refused with that command's name.
int runTool(const Tool &Program, int Argc, char **Argv);

/// Options, each with the file that it names.
using OutputFiles = std::vector<std::pair<std::string, std::string>>;

/// A usageError if a file has no name, is named twice, or goes to standard
/// output beside another.
llvm::Error checkOutputs(const OutputFiles &Outputs);

/// A usageError if one of them is a file that is read, by whatever name.
llvm::Error checkInputs(const OutputFiles &Outputs,
                        const std::vector<std::string> &Inputs);

} // namespace kst
