// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/Options.h"

#include "tools/kstatic-affinity/Flags.h"
#include "tools/kstatic-affinity/InputFile.h"
#include "tools/kstatic-affinity/ProfileOptions.h"
#include "tools/kstatic-affinity/Version.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <thread>

namespace kst {

namespace {

constexpr unsigned MinLine = 16, MaxLine = 4096, MaxJobs = 1024;
constexpr unsigned MaxFieldBytes = 1 << 20;
/// Sums and products of what is given stay far below infinity.
constexpr double MaxWeight = 1e12;

bool complain(const llvm::Twine &Message) {
  llvm::errs() << "kstatic-affinity: " << Message << "\n";
  return false;
}

/// FUNC or FUNC=WEIGHT.
bool addHot(Options &Given, llvm::StringRef Text, const std::string &From) {
  auto [Name, Weight] = Text.trim().split('=');
  double Value = 1;
  Name = Name.trim();
  bool Bad = Name.empty() || Name.contains(' ');
  if (!Weight.empty() || Text.contains('='))
    Bad |=
        Weight.trim().getAsDouble(Value) || !(Value > 0 && Value <= MaxWeight);
  if (Bad)
    return complain(
        llvm::Twine(From) + ": '" + Text +
        "' is not FUNCTION or FUNCTION=WEIGHT with a weight > 0 and <= 1e12");
  Given.Hot[Name.str()] = Value;
  Given.HotFrom[Name.str()] = From == "--hot" ? From + " " + Name.str() : From;
  return true;
}

/// FILE or FILE=WEIGHT; a file may have a '=' in its name.
bool addProfile(Options &Given, llvm::StringRef Text) {
  auto [File, Weight] = Text.rsplit('=');
  double Value = 1;
  if (Text.contains('=') && Weight.trim().getAsDouble(Value)) {
    File = Text;
    Value = 1;
  }
  if (File.empty() || !(Value > 0 && Value <= MaxWeight))
    return complain("--profile: '" + Text +
                    "' is not FILE or FILE=WEIGHT with a weight > 0 and <= "
                    "1e12");
  for (const auto &[Other, OtherWeight] : Given.Profiles)
    if (Other == File)
      return complain("--profile " + File + " is given twice");
  Given.Profiles.push_back({File.str(), Value});
  return true;
}

/// --evidence, and what goes with --profile only.
bool checkEvidence(const Flags &From, Options &Given) {
  const std::pair<const char *, EvidenceKind> Kinds[] = {
      {"static", EvidenceKind::Static},
      {"dynamic", EvidenceKind::Dynamic},
      {"hybrid", EvidenceKind::Hybrid}};
  bool Known = false;
  for (auto [Name, Kind] : Kinds)
    if (From.Evidence == Name) {
      Given.Evidence = Kind;
      Known = true;
    }
  if (!Known)
    return complain("--evidence takes static, dynamic or hybrid, not '" +
                    From.Evidence.getValue() + "'");
  if (Given.Profiles.empty() && Given.Evidence == EvidenceKind::Dynamic)
    return complain("--evidence dynamic needs a --profile");
  if (Given.Profiles.empty() && Given.PoolProfiles)
    return complain("--pool-profiles goes with --profile");
  return true;
}

bool readHotFile(const std::string &File, Options &Given) {
  llvm::Expected<std::string> Text = readFile(File);
  if (!Text)
    return complain("--hot-file " + llvm::toString(Text.takeError()));
  llvm::MemoryBufferRef Buffer(*Text, File);
  for (llvm::line_iterator Line(Buffer, /*SkipBlanks=*/true, '#');
       !Line.is_at_end(); ++Line)
    if (!Line->trim().empty() &&
        !addHot(Given, *Line, File + ":" + std::to_string(Line.line_number())))
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

/// Files that are named must have a name, each one of its own, and only one may
/// be stdout.
bool checkOutputs(
    llvm::ArrayRef<std::pair<const char *, const std::string *>> Outputs) {
  const char *OnStdout = nullptr;
  for (auto [Option, File] : Outputs) {
    if (File->empty())
      return complain(llvm::Twine(Option) + " has an empty file name");
    if (*File != "-") {
      for (auto [Other, OtherFile] : Outputs)
        if (OtherFile != File && *OtherFile == *File && *File != "/dev/null")
          return complain(llvm::Twine(Other) + " and " + Option +
                          " cannot both be written to " + *File);
      continue;
    }
    if (OnStdout)
      return complain(llvm::Twine(OnStdout) + " and " + Option +
                      " cannot both go to standard output");
    OnStdout = Option;
  }
  return true;
}

/// The files that options name to be written.
bool checkOutputs(const Flags &From, const Options &Given) {
  std::vector<std::pair<const char *, const std::string *>> Outputs;
  auto Add = [&](const char *Name, const cl::opt<std::string> &File) {
    if (File.getNumOccurrences())
      Outputs.push_back({Name, &File.getValue()});
  };
  Add("--json", From.Json);
  Add("--html", From.Html);
  Add("--graphml", From.GraphMl);
  Add("--dot", From.Dot);
  Add("--instance", From.Instance);
  Add("-o", From.Output);
  for (const Addressed &Patch : Given.Patches)
    Outputs.push_back({"--patch", &Patch.Text});
  return checkOutputs(Outputs);
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

/// llvm::cl fills the flags in; --help and --version end the process.
bool parseFlags(int Argc, char **Argv) {
  static constexpr char Overview[] =
      "Which fields of a kernel struct are used together, and in which order "
      "they should lie.\n";
  cl::extrahelp Exits(
      "\nExit status: 0 done, 1 no result, 2 usage, 3 done but below "
      "--min-coverage,\n130 interrupted. The manual page has more.\n");
  cl::SetVersionPrinter([](llvm::raw_ostream &Out) {
    Out << "kstatic-affinity " << toolVersion() << " (LLVM " << llvmVersion()
        << ")\n";
  });
  std::string Errors;
  llvm::raw_string_ostream ErrorStream(Errors);
  if (cl::ParseCommandLineOptions(Argc, Argv, Overview, &ErrorStream))
    return true;
  llvm::errs() << Errors;
  return false;
}

/// The first positional word may be a command, and the second go with it.
Command takeCommand(std::vector<std::string> &Paths) {
  static const std::pair<const char *, Command> Commands[] = {
      {"analyze", Command::Analyze},
      {"comments", Command::Comments},
      {"place", Command::Place},
      {"records", Command::Records},
      {"rewrite", Command::Rewrite}};
  for (auto [Name, What] : Commands)
    if (!Paths.empty() && Paths.front() == Name) {
      Paths.erase(Paths.begin());
      return What;
    }
  return takeProfileCommand(Paths).value_or(Command::Analyze);
}

std::vector<std::string> all(const cl::list<std::string> &Values) {
  return {Values.begin(), Values.end()};
}

Options copied(const Flags &From) {
  Options Given;
  Given.Structs = namesOf(From.Structs);
  Given.Paths = all(From.Paths);
  Given.What = takeCommand(Given.Paths);
  if (!From.Check.empty())
    Given.What = Command::Check;
  Given.BuildDirs = all(From.BuildDirs);
  Given.Exclude = all(From.Exclude);
  Given.JsonFile = From.Json;
  Given.HtmlFile = From.Html;
  Given.GraphMlFile = From.GraphMl;
  Given.DotFile = From.Dot;
  Given.InstanceFile = From.Instance;
  Given.CheckFile = From.Check;
  Given.TemplateFile =
      From.Template.empty() ? findTemplate() : From.Template.getValue();
  Given.CacheDir = From.CacheDir;
  Given.PoolProfiles = From.PoolProfiles;
  Given.OneThread = From.Threads == 1;
  Given.Owned = namesOf(From.Owned);
  Given.CacheLine = From.CacheLine;
  Given.InstanceAlign = From.InstanceAlign;
  Given.Seed = From.Seed;
  Given.KeepBelow = From.KeepBelow;
  Given.Ambitious = From.Ambitious;
  Given.AllowGrowth = From.AllowGrowth;
  if (From.MaxMoves.getNumOccurrences())
    Given.MaxMoves = From.MaxMoves;
  Given.Force = From.Force;
  Given.Markers = From.Markers;
  Given.Field = From.Field;
  Given.UsedWith = all(From.UsedWith);
  Given.Writes = From.Writes;
  if (From.WriteShare.getNumOccurrences())
    Given.WriteShare = From.WriteShare;
  Given.SizeBytes = From.FieldSize;
  Given.AlignBytes = From.FieldAlign;
  Given.OutputFile = From.Output;
  Given.Binaries = all(From.Binaries);
  Given.Label = From.Label;
  Given.Keep = From.Keep;
  Given.Format = From.Format;
  Given.Top = From.Top;
  Given.Limit = From.Limit;
  Given.RandomOrders = From.RandomOrders;
  Given.OutputText = From.OutputText;
  Given.Jobs =
      From.Jobs ? From.Jobs : std::max(1u, std::thread::hardware_concurrency());
  Given.MinCoverage = From.MinCoverage;
  Given.NoCache = From.NoCache;
  Given.Plain = From.Plain;
  Given.Quiet = From.Quiet;
  Given.Full = From.Full;
  Given.Verbose = From.Stats;
  return Given;
}

bool powerOfTwo(unsigned N, unsigned Most) {
  return N && N <= Most && !(N & (N - 1));
}

/// Numbers and words that a flag alone can be wrong about.
bool checkValues(const Flags &From, const Options &Given) {
  if (!From.Template.empty() && !llvm::sys::fs::exists(From.Template))
    return complain("--template " + From.Template + ": no such file");
  if (Given.CacheLine < MinLine || !powerOfTwo(Given.CacheLine, MaxLine))
    return complain("--cache-line takes a power of two from 16 to 4096");
  if (Given.InstanceAlign && !powerOfTwo(Given.InstanceAlign, MaxLine))
    return complain("--instance-align takes a power of two up to 4096");
  if (From.Jobs.getNumOccurrences() && (From.Jobs == 0 || From.Jobs > MaxJobs))
    return complain("-j takes a number from 1 to 1024");
  if (From.Threads.getNumOccurrences() && !Given.OneThread)
    return complain("--threads takes 1: a program with one thread shares "
                    "nothing; without it, sharing is estimated for however "
                    "many there are");
  for (const std::string &Name : Given.Owned)
    if (!llvm::is_contained(Given.Structs, Name))
      return complain("--owned " + Name +
                      ": not one of the structs that "
                      "--struct names");
  if (!(Given.MinCoverage >= 0 && Given.MinCoverage <= 1))
    return complain("--min-coverage takes a share from 0 to 1");
  if (!(Given.KeepBelow >= 0 && Given.KeepBelow <= 1))
    return complain("--keep-below takes a share from 0 to 1");
  return true;
}

/// `place` and what is said for it alone.
bool checkPlace(const Options &Given) {
  if (Given.What != Command::Place) {
    const std::pair<const char *, bool> OfPlace[] = {
        {"--field", !Given.Field.empty()},
        {"--used-with", !Given.UsedWith.empty()},
        {"--writes", Given.Writes != "none"},
        {"--write-share", Given.WriteShare.has_value()},
        {"--size", Given.SizeBytes != 0},
        {"--align", Given.AlignBytes != 0}};
    for (auto [Flag, Used] : OfPlace)
      if (Used)
        return complain(llvm::Twine(Flag) +
                        " goes with the command place: kstatic-affinity place "
                        "...");
    return true;
  }
  if (Given.Structs.size() != 1)
    return complain("place is about one struct: name it with --struct");
  if (Given.Field.empty())
    return complain("place needs the new field: --field 'u64 foo'");
  if (Given.UsedWith.empty())
    return complain("place needs the fields that are used where the new one "
                    "is: --used-with FIELD[,FIELD]");
  if (Given.Writes != "local" && Given.Writes != "remote" &&
      Given.Writes != "none")
    return complain("--writes takes local, remote or none, not '" +
                    Given.Writes + "'");
  if (Given.WriteShare && Given.Writes == "none")
    return complain("--write-share goes with --writes local or --writes "
                    "remote");
  if (Given.WriteShare &&
      !(*Given.WriteShare >= 0 && *Given.WriteShare <= MaxWeight))
    return complain("--write-share takes a number from 0 to 1e12");
  const std::pair<const char *, bool> OfAnalyze[] = {
      {"--html", !Given.HtmlFile.empty()},
      {"--graphml", !Given.GraphMlFile.empty()},
      {"--dot", !Given.DotFile.empty()},
      {"--patch", !Given.Patches.empty()},
      {"--write", !Given.Write.empty()},
      {"--max-moves", Given.MaxMoves.has_value()},
      {"--ambitious", Given.Ambitious},
      {"--what-if", !Given.WhatIf.empty()},
      {"--order", !Given.OrderFiles.empty()}};
  for (auto [Flag, Used] : OfAnalyze)
    if (Used)
      return complain(llvm::Twine(Flag) + " does not go with place, which "
                                          "moves no field");
  if (Given.SizeBytes > MaxFieldBytes)
    return complain("--size takes a number up to 1048576");
  if (Given.AlignBytes && !powerOfTwo(Given.AlignBytes, MaxLine))
    return complain("--align takes a power of two up to 4096");
  return true;
}

/// What makes no sense together.
bool checkTogether(const Options &Given) {
  if (Given.What == Command::Analyze && Given.Structs.empty())
    return complain("name the struct to look at: kstatic-affinity --struct "
                    "NAME PATH...; see --help");
  for (const std::string &Name : Given.Structs)
    if (Name.empty())
      return complain("--struct has an empty name");
  for (size_t I = 0; I < Given.BuildDirs.size(); ++I)
    if (llvm::is_contained(llvm::ArrayRef(Given.BuildDirs).take_front(I),
                           Given.BuildDirs[I]))
      return complain("-p " + Given.BuildDirs[I] + " is given twice");
  if (Given.Force && Given.Write.empty())
    return complain("--force goes with --write");
  if (Given.Markers && Given.Patches.empty() && Given.Write.empty())
    return complain("--markers goes with --patch or --write");
  return true;
}

/// What options say about one of the structs, or about all.
bool addressAll(const Flags &From, Options &Given) {
  auto Read = [&](const char *Option, const cl::list<std::string> &Texts,
                  auto Parse, AddressedText Kind,
                  std::vector<Addressed> &Into) {
    for (const std::string &Text : Texts) {
      // The commands of measurements know no struct that this could name.
      Result<Addressed> One = Given.Structs.empty()
                                  ? Addressed{Addressed::Every, Text}
                                  : Parse(Text, Given.Structs, Kind);
      if (!One)
        return complain(llvm::Twine(Option) + " " + Text + ": " + One.error());
      Into.push_back(std::move(*One));
    }
    return true;
  };
  for (const std::string &Name : From.Write) {
    Result<Addressed> One =
        Name.empty()
            ? Addressed()
            : parseAddress(Name + ":", Given.Structs, AddressedText::Words);
    if (!One)
      return complain("--write=" + Name + ": " + One.error());
    Given.Write.push_back(std::move(*One));
  }
  return Read("--pin", From.Pins, parseOneStruct, AddressedText::Words,
              Given.Pins) &&
         // Ids of rules have colons, as names of files may.
         Read("--lift-rule", From.LiftRule, parseOneStruct, AddressedText::File,
              Given.LiftRules) &&
         Read("--what-if", From.WhatIf, parseOneStruct, AddressedText::Words,
              Given.WhatIf) &&
         Read("--order", From.Order, parseOneStruct, AddressedText::File,
              Given.OrderFiles) &&
         Read("--patch", From.Patch, parseAddress, AddressedText::File,
              Given.Patches);
}

} // namespace

bool Options::wantsPatchOf(size_t Index) const {
  auto Concerns = [&](const Addressed &A) { return A.concerns(Index); };
  return llvm::any_of(Patches, Concerns) || llvm::any_of(Write, Concerns);
}

std::optional<Options> parseOptions(int Argc, char **Argv) {
  // The LLVM library brings hundreds of options of its own passes.
  cl::ResetCommandLineParser();
  if (cl::Option *Theirs = cl::getRegisteredOptions().lookup("color"))
    Theirs->removeArgument();
  Flags From;
  cl::HideUnrelatedOptions(From.Ours);
  if (!parseFlags(Argc, Argv))
    return std::nullopt;

  Options Given = copied(From);
  std::optional<ColorWhen> When = parseColorWhen(From.Color);
  if (!When) {
    complain("--color takes auto, always or never, not '" + From.Color + "'");
    return std::nullopt;
  }
  Given.Color = *When;
  if (!addressAll(From, Given) || !checkProfileOptions(From, Given) ||
      !checkValues(From, Given) || !checkOutputs(From, Given) ||
      !checkTogether(Given) || !checkPlace(Given))
    return std::nullopt;
  for (const std::string &Text : From.Hot)
    if (!addHot(Given, Text, "--hot"))
      return std::nullopt;
  for (const std::string &Text : From.Profiles)
    if (!addProfile(Given, Text))
      return std::nullopt;
  if (!checkEvidence(From, Given))
    return std::nullopt;
  for (const std::string &File : From.HotFiles)
    if (!readHotFile(File, Given))
      return std::nullopt;
  return Given;
}

} // namespace kst
