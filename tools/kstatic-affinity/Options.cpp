// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/Options.h"

#include "tools/kstatic-affinity/Version.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <thread>

namespace cl = llvm::cl;

namespace kst {

namespace {

constexpr unsigned MinLine = 16, MaxLine = 4096, MaxJobs = 1024;
constexpr uint64_t MaxHotFile = 16 << 20;

bool complain(const llvm::Twine &Message) {
  llvm::errs() << "kstatic-affinity: " << Message << "\n";
  return false;
}

/// FUNC or FUNC=WEIGHT.
bool addHot(std::map<std::string, double> &Hot, llvm::StringRef Text,
            const llvm::Twine &From) {
  auto [Name, Weight] = Text.trim().split('=');
  double Value = 1;
  Name = Name.trim();
  bool Bad = Name.empty() || Name.contains(' ');
  if (!Weight.empty() || Text.contains('='))
    Bad |= Weight.trim().getAsDouble(Value) || !std::isfinite(Value) ||
           Value <= 0;
  if (Bad)
    return complain(From + ": '" + Text +
                    "' is not FUNCTION or FUNCTION=WEIGHT with a weight > 0");
  Hot[Name.str()] = Value;
  return true;
}

bool readHotFile(const std::string &File, std::map<std::string, double> &Hot) {
  llvm::sys::fs::file_status Status;
  if (llvm::sys::fs::status(File, Status) ||
      !llvm::sys::fs::is_regular_file(Status))
    return complain("--hot-file " + File + ": no such regular file");
  if (Status.getSize() > MaxHotFile)
    return complain("--hot-file " + File + ": larger than 16 MiB");
  auto Buffer = llvm::MemoryBuffer::getFile(File);
  if (!Buffer)
    return complain("--hot-file " + File + ": " + Buffer.getError().message());
  for (llvm::line_iterator Line(**Buffer, /*SkipBlanks=*/true, '#');
       !Line.is_at_end(); ++Line)
    if (!Line->trim().empty() &&
        !addHot(Hot, *Line, File + ":" + llvm::Twine(Line.line_number())))
      return false;
  return true;
}

/// "struct rq", as people write it, names rq.
std::string tagOf(llvm::StringRef Text) {
  Text = Text.trim();
  for (llvm::StringRef Keyword : {"struct ", "union "})
    if (Text.consume_front(Keyword))
      Text = Text.ltrim();
  return Text.str();
}

/// Every name once, in the order asked for.
std::vector<std::string> namesOf(const cl::list<std::string> &Given) {
  std::vector<std::string> Names;
  for (const std::string &Text : Given)
    if (std::string Name = tagOf(Text); !llvm::is_contained(Names, Name))
      Names.push_back(std::move(Name));
  return Names;
}

/// Files that are named must have a name, and only one may be stdout.
bool checkOutputs(
    llvm::ArrayRef<std::pair<const char *, const cl::opt<std::string> *>>
        Outputs) {
  const char *OnStdout = nullptr;
  for (auto [Option, File] : Outputs) {
    if (File->getNumOccurrences() && File->empty())
      return complain(llvm::Twine(Option) + " has an empty file name");
    if (*File != "-")
      continue;
    if (OnStdout)
      return complain(llvm::Twine(OnStdout) + " and " + Option +
                      " cannot both go to standard output");
    OnStdout = Option;
  }
  return true;
}

/// The template beside the source tree that built the tool, or installed.
std::string findTemplate() {
  llvm::SmallString<256> Installed(
      llvm::sys::fs::getMainExecutable("kstatic-affinity", nullptr));
  llvm::sys::path::remove_filename(Installed);
  llvm::sys::path::append(Installed, "..", "share", "kstatic-affinity",
                          "compile_commands.template.json");
  if (llvm::sys::fs::exists(Installed))
    return std::string(Installed);
  return KST_TEMPLATE_FILE;
}

} // namespace

std::optional<Options> parseOptions(int Argc, char **Argv) {
  // The LLVM library brings hundreds of options of its own passes.
  cl::ResetCommandLineParser();
  if (cl::Option *Theirs = cl::getRegisteredOptions().lookup("color"))
    Theirs->removeArgument();
  cl::OptionCategory Ours("kstatic-affinity options");
  cl::list<std::string> Structs("struct", cl::CommaSeparated,
                                cl::desc("Struct or union to lay out"),
                                cl::value_desc("NAME[,NAME]"), cl::cat(Ours));
  cl::list<std::string> BuildDirs(
      "p", cl::desc("Directory with compile_commands.json, or kbuild output "
                    "directory (O=)"),
      cl::value_desc("BUILD_DIR"), cl::cat(Ours));
  cl::opt<std::string> Json("json", cl::desc("Write the report as JSON"),
                            cl::value_desc("FILE"), cl::cat(Ours));
  cl::opt<std::string> Html("html", cl::desc("Write the report as HTML"),
                            cl::value_desc("FILE"), cl::cat(Ours));
  cl::opt<std::string> GraphMl("graphml",
                               cl::desc("Write the affinity graph as GraphML"),
                               cl::value_desc("FILE"), cl::cat(Ours));
  cl::opt<std::string> Dot("dot", cl::desc("Write the affinity graph as DOT"),
                           cl::value_desc("FILE"), cl::cat(Ours));
  cl::opt<std::string> Check(
      "check", cl::desc("Show step by step what is done with one file"),
      cl::value_desc("FILE"), cl::cat(Ours));
  cl::list<std::string> Hot(
      "hot", cl::desc("A function on a path that matters; may be repeated"),
      cl::value_desc("FUNC[=WEIGHT]"), cl::cat(Ours));
  cl::list<std::string> HotFiles("hot-file",
                                 cl::desc("Hot functions, one per line"),
                                 cl::value_desc("FILE"), cl::cat(Ours));
  cl::opt<std::string> Template(
      "template", cl::desc("Commands for a tree that is only configured"),
      cl::value_desc("FILE"), cl::cat(Ours));
  cl::opt<unsigned> CacheLine("cache-line", cl::init(64),
                              cl::desc("Bytes of a cache line (default 64)"),
                              cl::value_desc("N"), cl::cat(Ours));
  cl::opt<unsigned> Jobs("j", cl::init(0), cl::Prefix,
                         cl::desc("Processes at once (default: one per core)"),
                         cl::value_desc("N"), cl::cat(Ours));
  cl::opt<double> MinCoverage(
      "min-coverage", cl::init(0),
      cl::desc("Exit with 3 when a smaller share (0..1) of accesses is resolved"),
      cl::value_desc("X"), cl::cat(Ours));
  cl::opt<bool> NoCache("no-cache", cl::desc("Neither read nor keep facts"),
                        cl::cat(Ours));
  cl::opt<std::string> CacheDir("cache-dir", cl::desc("Where facts are kept"),
                                cl::value_desc("DIR"), cl::cat(Ours));
  cl::opt<bool> Plain("plain",
                      cl::desc("Parse everything: slower, same result"),
                      cl::cat(Ours));
  cl::opt<bool> Quiet("quiet", cl::desc("No progress, no text report: only files "
                               "and errors"),
                      cl::cat(Ours));
  cl::opt<bool> Full("full", cl::desc("Text report without folding"),
                     cl::cat(Ours));
  cl::opt<bool> Stats("statistics", cl::desc("Statistics of the run on stderr"),
                      cl::cat(Ours));
  cl::opt<std::string> Color("color", cl::init("auto"),
                             cl::desc("auto, always or never"),
                             cl::value_desc("WHEN"), cl::cat(Ours));
  cl::list<std::string> Paths(cl::Positional, cl::desc("[analyze] PATH..."),
                              cl::cat(Ours));

  cl::extrahelp Exits(
      "\nExit status: 0 done, 1 no result, 2 usage, 3 done but below "
      "--min-coverage,\n130 interrupted. The manual page has more.\n");
  cl::HideUnrelatedOptions(Ours);
  cl::SetVersionPrinter([](llvm::raw_ostream &Out) {
    Out << "kstatic-affinity " << toolVersion() << " (LLVM " << llvmVersion()
        << ")\n";
  });
  std::string Errors;
  llvm::raw_string_ostream ErrorStream(Errors);
  if (!cl::ParseCommandLineOptions(
          Argc, Argv,
          "Which fields of a kernel struct are used together, and in which "
          "order they should lie.\n",
          &ErrorStream)) {
    llvm::errs() << Errors;
    return std::nullopt;
  }

  Options Given;
  Given.Structs = namesOf(Structs);
  Given.Paths.assign(Paths.begin(), Paths.end());
  Given.BuildDirs.assign(BuildDirs.begin(), BuildDirs.end());
  Given.JsonFile = Json;
  Given.HtmlFile = Html;
  Given.GraphMlFile = GraphMl;
  Given.DotFile = Dot;
  Given.CheckFile = Check;
  Given.TemplateFile = Template.empty() ? findTemplate() : Template;
  Given.CacheDir = CacheDir;
  Given.CacheLine = CacheLine;
  Given.Jobs = Jobs ? Jobs : std::max(1u, std::thread::hardware_concurrency());
  Given.MinCoverage = MinCoverage;
  Given.NoCache = NoCache;
  Given.Plain = Plain;
  Given.Quiet = Quiet;
  Given.Full = Full;
  Given.Verbose = Stats;

  if (!Given.Paths.empty()) {
    std::string First = Given.Paths.front();
    if (First == "analyze" || First == "records") {
      Given.Paths.erase(Given.Paths.begin());
      if (First == "records")
        Given.What = Command::Records;
    }
  }
  if (!Check.empty())
    Given.What = Command::Check;
  if (!Template.empty() && !llvm::sys::fs::exists(Template)) {
    complain("--template " + Template + ": no such file");
    return std::nullopt;
  }
  std::optional<ColorWhen> When = parseColorWhen(Color);
  if (!When) {
    complain("--color takes auto, always or never, not '" + Color + "'");
    return std::nullopt;
  }
  Given.Color = *When;
  if (CacheLine < MinLine || CacheLine > MaxLine ||
      (CacheLine & (CacheLine - 1))) {
    complain("--cache-line takes a power of two from 16 to 4096");
    return std::nullopt;
  }
  if (Jobs.getNumOccurrences() && (Jobs == 0 || Jobs > MaxJobs)) {
    complain("-j takes a number from 1 to 1024");
    return std::nullopt;
  }
  if (!(MinCoverage >= 0 && MinCoverage <= 1)) {
    complain("--min-coverage takes a share from 0 to 1");
    return std::nullopt;
  }
  if (!checkOutputs({{"--json", &Json},
                     {"--html", &Html},
                     {"--graphml", &GraphMl},
                     {"--dot", &Dot}}))
    return std::nullopt;
  for (const std::string &Text : Hot)
    if (!addHot(Given.Hot, Text, "--hot"))
      return std::nullopt;
  for (const std::string &File : HotFiles)
    if (!readHotFile(File, Given.Hot))
      return std::nullopt;
  if (Given.What == Command::Analyze && Given.Structs.empty()) {
    complain("name the struct to look at: kstatic-affinity --struct NAME "
             "PATH...; see --help");
    return std::nullopt;
  }
  for (const std::string &Name : Given.Structs)
    if (Name.empty()) {
      complain("--struct has an empty name");
      return std::nullopt;
    }
  return Given;
}

} // namespace kst
