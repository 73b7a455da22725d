// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/ProfileOptions.h"

#include "tools/kstatic-affinity/Complain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace kst {
namespace {

struct Form {
  const char *First, *Second; ///< the words
  Command What;
  std::vector<llvm::StringRef> Flags; ///< that go with it
  bool Output;                        ///< needs -o
  unsigned Files, MoreFiles;          ///< least and most
  const char *Usage;
};

constexpr unsigned Many = ~0u;

const std::vector<Form> &forms() {
  static const std::vector<Form> All = {
      {"profile",
       "import",
       Command::ProfileImport,
       {"o", "binary", "label", "format", "quiet"},
       true,
       1,
       Many,
       "profile import RAW... [--binary FILE]... [--label TEXT] "
       "[--format NAME] -o FILE"},
      {"profile",
       "merge",
       Command::ProfileMerge,
       {"o", "label", "quiet"},
       true,
       1,
       Many,
       "profile merge FILE... [--label TEXT] -o FILE"},
      {"profile",
       "thin",
       Command::ProfileThin,
       {"o", "keep", "seed", "label", "quiet"},
       true,
       1,
       1,
       "profile thin FILE --keep X [--seed N] [--label TEXT] -o FILE"},
      {"profile",
       "show",
       Command::ProfileShow,
       {"json", "struct", "top", "binary", "quiet"},
       false,
       1,
       1,
       "profile show FILE [--struct NAME] [--binary FILE]... [--top N] "
       "[--json FILE]"},
      {"trace",
       "import",
       Command::TraceImport,
       {"o", "binary", "label", "quiet"},
       true,
       1,
       1,
       "trace import RAW [--binary FILE]... [--label TEXT] -o FILE"},
      {"trace",
       "dump",
       Command::TraceDump,
       {"struct", "limit", "o", "quiet"},
       false,
       1,
       1,
       "trace dump FILE [--struct NAME] [--limit N] [-o FILE]"},
  };
  return All;
}

bool refuse(const llvm::Twine &Message) {
  complain(Message);
  return false;
}

std::string spelled(llvm::StringRef Flag) {
  return (Flag.size() == 1 ? "-" : "--") + Flag.str();
}

std::string usageOf(llvm::StringRef First) {
  std::string Text = "usage:";
  for (const Form &Of : forms())
    if (First == Of.First)
      Text += std::string("\n  kstatic-affinity ") + Of.Usage;
  return Text;
}

/// The flags of these commands, none of which goes with others. A first word
/// without its second is a mistake, unless a struct makes it a path.
bool checkOthers(const Flags &From, const Options &Given) {
  if (!Given.Paths.empty() && Given.Structs.empty())
    for (const Form &Of : forms())
      if (Given.Paths.front() == Of.First)
        return refuse(usageOf(Of.First));
  const std::pair<const char *, unsigned> Ours[] = {
      {"-o", From.Output.getNumOccurrences()},
      {"--binary", From.Binaries.getNumOccurrences()},
      {"--label", From.Label.getNumOccurrences()},
      {"--format", From.Format.getNumOccurrences()},
      {"--keep", From.Keep.getNumOccurrences()},
      {"--top", From.Top.getNumOccurrences()},
      {"--limit", From.Limit.getNumOccurrences()}};
  for (auto [Flag, Times] : Ours)
    if (Times)
      return refuse(llvm::Twine(Flag) +
                    " goes with the commands profile and trace");
  return true;
}

bool checkForm(const Form &Of, const Flags &From, const Options &Given) {
  for (auto &[Name, Flag] : cl::getRegisteredOptions()) {
    if (!Flag->getNumOccurrences() ||
        !llvm::is_contained(Flag->Categories, &From.Ours))
      continue;
    if (!llvm::is_contained(Of.Flags, Name))
      return refuse(spelled(Name) + " does not go with " + Of.First + " " +
                    Of.Second);
  }
  if (Given.Paths.size() < Of.Files || Given.Paths.size() > Of.MoreFiles)
    return refuse(llvm::Twine("usage: kstatic-affinity ") + Of.Usage);
  if (Of.Output && Given.OutputFile.empty())
    return refuse(llvm::Twine(Of.First) + " " + Of.Second +
                  " needs a file to write: -o FILE");
  if (Of.What == Command::ProfileThin && !(Given.Keep > 0 && Given.Keep <= 1))
    return refuse("profile thin needs the share of counts to keep: --keep "
                  "X, 0 < X <= 1");
  if (llvm::any_of(Given.Label, [](unsigned char C) { return C < 0x20; }))
    return refuse("--label takes one line of text");
  for (const std::string &File : Given.Paths)
    if (File == Given.OutputFile && File != "-")
      return refuse("-o " + File + " is also an input");
  if (Given.Structs.size() > 1)
    return refuse(llvm::Twine(Of.First) + " " + Of.Second +
                  " takes one --struct");
  static const llvm::StringRef Formats[] = {"auto", "counters", "perf-script",
                                            "access-log"};
  if (!llvm::is_contained(Formats, Given.Format))
    return refuse("--format takes auto, counters, perf-script or access-log, "
                  "not '" +
                  Given.Format + "'");
  return true;
}

} // namespace

std::optional<Command> takeProfileCommand(std::vector<std::string> &Words) {
  for (const Form &Of : forms())
    if (Words.size() >= 2 && Words[0] == Of.First && Words[1] == Of.Second) {
      Words.erase(Words.begin(), Words.begin() + 2);
      return Of.What;
    }
  return std::nullopt;
}

bool checkProfileOptions(const Flags &From, const Options &Given) {
  for (const Form &Of : forms())
    if (Given.What == Of.What)
      return checkForm(Of, From, Given);
  return checkOthers(From, Given);
}

} // namespace kst
