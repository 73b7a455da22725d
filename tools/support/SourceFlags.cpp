// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/support/SourceFlags.h"

#include "analyzer/files/InputFile.h"
#include "hybrid/core/RecordSpelling.h"
#include "hybrid/report/TextStyle.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"

#include <thread>
#include <unistd.h>

namespace kst {

static constexpr unsigned MinLine = 16, MaxLine = 4096, MaxJobs = 1024,
                          MaxCpus = 8192;
/// Sums and products of what is given stay far below infinity.
static constexpr double MaxWeight = 1e12;

bool isPowerOfTwo(unsigned N, unsigned Most) {
  return N && N <= Most && !(N & (N - 1));
}

UnitsCommand::UnitsCommand(llvm::StringRef Name, llvm::StringRef Summary,
                           llvm::StringRef Usage)
    : Command(Name, Summary, Usage) {
  Structs.separated();
  Jobs.setFormattingFlag(cl::Prefix);
}

/// "struct rq", as people write it, names rq.
static std::string tagOf(llvm::StringRef Text) {
  Text = Text.trim();
  for (llvm::StringRef Keyword : {"struct ", "union "})
    if (Text.consume_front(Keyword))
      Text = Text.ltrim();
  return Text.str();
}

std::vector<std::string> UnitsCommand::structNames() const {
  std::vector<std::string> Names;
  for (const std::string &Text : Structs)
    if (std::string Name = tagOf(Text); !llvm::is_contained(Names, Name))
      Names.push_back(std::move(Name));
  return Names;
}

/// A file as it is installed, or in the source tree that built the tool.
static std::string shipped(llvm::StringRef Name, const char *InSource) {
  llvm::SmallString<256> Installed(
      llvm::sys::fs::getMainExecutable("kstatic-affinity", nullptr));
  llvm::sys::path::remove_filename(Installed);
  llvm::sys::path::append(Installed, "..", "share", "kstatic-affinity", Name);
  if (llvm::sys::fs::exists(Installed))
    return std::string(Installed);
  return InSource;
}

std::string shippedReference() {
  return shipped("linux.reference.zst", KST_REFERENCE_FILE);
}

std::string shippedDriver() {
  return shipped("dask-driver.py", KST_DASK_DRIVER_FILE);
}

llvm::Error UnitsCommand::fill(UnitsRequest &Asked) {
  if (!Template.empty() && !llvm::sys::fs::exists(Template))
    return usageError("--template " + Template + ": no such file");
  if (Jobs.given() && (Jobs == 0 || Jobs > MaxJobs))
    return usageError("-j takes a number from 1 to 1024");
  for (size_t I = 0; I < BuildDirs.size(); ++I)
    if (llvm::is_contained(llvm::ArrayRef(BuildDirs.all()).take_front(I),
                           BuildDirs[I]))
      return usageError("-p " + BuildDirs[I] + " is given twice");
  if (llvm::is_contained(structNames(), ""))
    return usageError("--struct has an empty name");
  if (Root.given() && !llvm::sys::fs::is_directory(Root))
    return usageError("--root " + Root.getValue() + ": no such directory");
  Asked.Units.Root = Root;
  if (Target.given() &&
      llvm::Triple(Target.getValue()).getArch() == llvm::Triple::UnknownArch)
    return usageError("--target " + Target.getValue() +
                      ": not a triple that LLVM knows, such as "
                      "arm-linux-gnueabihf or avr");
  Asked.Units.Target = Target;
  Asked.Units.BuildDirs = BuildDirs.all();
  Asked.Units.Paths = Paths.all();
  Asked.Units.Exclude = Exclude.all();
  for (const std::string &Name : structNames())
    Asked.Units.StructNames.push_back(parseRecordSpelling(Name).Name);
  Asked.Units.OnlyBuilt = OnlyBuilt;
  Asked.Units.TemplateFile =
      Template.empty()
          ? shipped("compile_commands.template.json", KST_TEMPLATE_FILE)
          : Template.getValue();
  Asked.Run.Workers =
      Jobs ? Jobs : std::max(1u, std::thread::hardware_concurrency());
  if (!NoCache)
    Asked.Run.Cache.Directory =
        CacheDir.empty() ? defaultCacheDirectory() : CacheDir.getValue();
  Shown.emplace(llvm::errs(), progressStyle(llvm::errs(), Quiet),
                terminalWidth(STDERR_FILENO, 80));
  Asked.Run.Shown = &*Shown;
  Asked.Plain = Plain;
  return llvm::Error::success();
}

StructsCommand::StructsCommand(llvm::StringRef Name, llvm::StringRef Summary,
                               llvm::StringRef Usage)
    : UnitsCommand(Name, Summary, Usage) {
  Users.separated();
  ReferenceParts.separated();
}

llvm::Error
StructsCommand::address(const ListFlag &Option, AddressedText Kind,
                        bool OneOnly,
                        std::vector<std::string> StructRequest::*Into,
                        AnalyzeRequest &Asked) const {
  const std::vector<std::string> Names = structNames();
  for (const std::string &Text : Option) {
    auto Parsed =
        orMistake((OneOnly ? parseOneStruct : parseAddress)(Text, Names, Kind),
                  "--" + Option.ArgStr + " " + Text + ": ");
    if (!Parsed)
      return Parsed.takeError();
    for (size_t I = 0; I != Names.size(); ++I)
      if (Parsed->concerns(I))
        (Asked.Structs[I].*Into).push_back(Parsed->Text);
  }
  return llvm::Error::success();
}

/// FUNC or FUNC=WEIGHT.
static llvm::Error addHot(AnalyzeRequest &Asked, llvm::StringRef Text,
                          const std::string &From) {
  auto [Name, Weight] = Text.trim().split('=');
  double Value = 1;
  Name = Name.trim();
  bool Bad = Name.empty() || Name.contains(' ');
  if (Text.contains('='))
    Bad |=
        Weight.trim().getAsDouble(Value) || !(Value > 0 && Value <= MaxWeight);
  if (Bad)
    return usageError(From + ": '" + Text +
                      "' is not FUNCTION or FUNCTION=WEIGHT with a weight > 0 "
                      "and <= 1e12");
  Asked.Hot[Name.str()] = Value;
  Asked.HotFrom[Name.str()] = From == "--hot" ? "--hot " + Name.str() : From;
  return llvm::Error::success();
}

static llvm::Error addHotFile(AnalyzeRequest &Asked, const std::string &File) {
  llvm::Expected<std::string> Text = readFile(File);
  if (!Text)
    return usageError("--hot-file " + llvm::toString(Text.takeError()));
  for (llvm::line_iterator Line(llvm::MemoryBufferRef(*Text, File),
                                /*SkipBlanks=*/true, '#');
       !Line.is_at_end(); ++Line)
    if (!Line->trim().empty())
      if (llvm::Error E = addHot(
              Asked, *Line, File + ":" + std::to_string(Line.line_number())))
        return E;
  return llvm::Error::success();
}

/// FILE or FILE=WEIGHT; a file may have a '=' in its name.
llvm::Error StructsCommand::addProfiles(AnalyzeRequest &Asked) const {
  for (llvm::StringRef Text : Profiles) {
    auto [File, Weight] = Text.rsplit('=');
    double Value = 1;
    if (Text.contains('=') && Weight.trim().getAsDouble(Value)) {
      File = Text;
      Value = 1;
    }
    if (File.empty() || !(Value > 0 && Value <= MaxWeight))
      return usageError("--profile: '" + Text +
                        "' is not FILE or FILE=WEIGHT with a weight > 0 and <= "
                        "1e12");
    for (const ProfileRequest &Other : Asked.Profiles)
      if (Other.File == File)
        return usageError("--profile " + File + " is given twice");
    Asked.Profiles.push_back({File.str(), Value});
  }
  const std::string &Kind = Evidence;
  if (Kind != "static" && Kind != "dynamic" && Kind != "hybrid")
    return usageError("--evidence takes static, dynamic or hybrid, not '" +
                      Kind + "'");
  if (Asked.Profiles.empty() && Kind == "dynamic")
    return usageError("--evidence dynamic needs a --profile");
  if (Asked.Profiles.empty() && PoolProfiles)
    return usageError("--pool-profiles goes with --profile");
  if (Kind == "static")
    Asked.Profiles.clear();
  Asked.Merge.Prior = Kind != "dynamic";
  Asked.Merge.Pool = PoolProfiles;
  return llvm::Error::success();
}

llvm::Error
StructsCommand::addReferenceParts(kst::ReferenceParts &Parts) const {
  const std::pair<const char *, bool kst::ReferenceParts::*> Names[] = {
      {"branches", &kst::ReferenceParts::Branches},
      {"trips", &kst::ReferenceParts::Trips},
      {"tables", &kst::ReferenceParts::Tables},
      {"entries", &kst::ReferenceParts::Entries},
      {"runs", &kst::ReferenceParts::Runs},
      {"visitors", &kst::ReferenceParts::Visitors}};
  if (!ReferenceParts.empty())
    for (const auto &[Name, Part] : Names)
      Parts.*Part = false;
  for (const std::string &Asked : ReferenceParts) {
    const auto *Found = llvm::find_if(
        Names, [&](const auto &One) { return Asked == One.first; });
    if (Found == std::end(Names))
      return usageError(
          "--reference-parts takes branches, trips, tables, entries, "
          "runs and visitors, not '" +
          Asked + "'");
    Parts.*Found->second = true;
  }
  return llvm::Error::success();
}

llvm::Error StructsCommand::addReference(AnalyzeRequest &Asked) const {
  const bool None = llvm::is_contained(References.all(), "none");
  if (None && References.size() > 1)
    return usageError("--reference none does not go with other references");
  if (!None && !References.empty() && !Asked.Hot.empty())
    return usageError(
        "--reference does not go with --hot, which says itself what "
        "runs");
  if (!None && !References.empty() && !Asked.Merge.Prior)
    return usageError("--reference does not go with --evidence dynamic, which "
                      "takes what was measured alone");
  for (size_t I = 0; I < References.size(); ++I)
    if (llvm::is_contained(llvm::ArrayRef(References.all()).take_front(I),
                           References[I]))
      return usageError("--reference " + References[I] + " is given twice");
  if (None || !Asked.Hot.empty() || !Asked.Merge.Prior)
    return llvm::Error::success();
  Asked.References.Shipped = References.empty();
  if (llvm::Error E = addReferenceParts(Asked.References.Parts))
    return E;
  Asked.References.Files =
      References.empty() ? std::vector{shippedReference()} : References.all();
  return llvm::Error::success();
}

llvm::Error StructsCommand::addLives(AnalyzeRequest &Asked) const {
  for (const std::string &Text : Lifecycle) {
    auto Parsed =
        orMistake(parseOneStruct(Text, structNames(), AddressedText::Words),
                  "--lifecycle " + Text + ": ");
    if (!Parsed)
      return Parsed.takeError();
    double Visits = 0;
    if (llvm::StringRef(Parsed->Text).trim().getAsDouble(Visits) ||
        !(Visits > 0 && Visits <= MaxWeight))
      return usageError("--lifecycle: '" + Parsed->Text +
                        "' is not a number of visits > 0 and <= 1e12");
    for (size_t I = 0; I != Asked.Structs.size(); ++I)
      if (Parsed->concerns(I))
        Asked.Structs[I].VisitsPerLife = Visits;
  }
  return llvm::Error::success();
}

/// NAME=shared, =handed-over or =private.
llvm::Error StructsCommand::addUsers(AnalyzeRequest &Asked) const {
  for (const std::string &Text : Users) {
    auto [Name, How] = llvm::StringRef(Text).rsplit('=');
    auto Struct = llvm::find_if(
        Asked.Structs, [Tag = tagOf(Name.str())](const StructRequest &One) {
          return One.Name == Tag;
        });
    if (Struct == Asked.Structs.end())
      return usageError("--users " + tagOf(Name.str()) +
                        ": not one of the structs that --struct names");
    if (Struct->Private || Struct->Turns != UserTurns::Unsaid)
      return usageError("--users says two things of struct " + Struct->Name);
    if (How == "private")
      Struct->Private = true;
    else if (How == "shared")
      Struct->Turns = UserTurns::Shared;
    else if (How == "handed-over")
      Struct->Turns = UserTurns::HandedOver;
    else
      return usageError("--users " + Name.str() + "=" + How.str() +
                        ": want =shared, =handed-over or =private");
  }
  return llvm::Error::success();
}

llvm::Expected<Machine> StructsCommand::machine() const {
  const std::string &Word = OnMachine;
  if (!OnMachine.given())
    return usualMachine();
  if (const Machine *Known = machineNamed(Word))
    return *Known;
  auto Text = readFile(Word);
  if (!Text) {
    std::string Names;
    for (const Machine &Known : knownMachines())
      Names += (Names.empty() ? "" : ", ") + Known.Name;
    return usageError("--machine takes " + Names +
                      " or a file: " + llvm::toString(Text.takeError()));
  }
  auto Read = machineFrom(*Text);
  if (!Read)
    return usageError("--machine " + Word + ": " + Read.error());
  return *Read;
}

llvm::Error StructsCommand::fill(AnalyzeRequest &Asked) {
  Asked.Diags = diagnostics();
  if (IndexFile.given() && IndexFile.empty())
    return usageError("--index has an empty file name");
  if (IndexFile.given() && Plain)
    return usageError("--plain parses everything; it does not go with --index");
  Asked.Index = IndexFile;
  if (llvm::Error E = UnitsCommand::fill(Asked))
    return E;
  for (const std::string &Name : structNames())
    Asked.Structs.emplace_back().Name = Name;
  if (llvm::Error E = addUsers(Asked))
    return E;
  if (llvm::Error E = addLives(Asked))
    return E;
  if (llvm::Error E = address(Pins, AddressedText::Words, true,
                              &StructRequest::Pins, Asked))
    return E;
  if (llvm::Error E = address(Contention, AddressedText::Words, true,
                              &StructRequest::Contention, Asked))
    return E;
  // Ids of rules have colons, as names of files may.
  if (llvm::Error E = address(LiftRule, AddressedText::File, true,
                              &StructRequest::LiftRules, Asked))
    return E;
  if (CacheLine < MinLine || !isPowerOfTwo(CacheLine, MaxLine))
    return usageError("--cache-line takes a power of two from 16 to 4096");
  if (InstanceAlign && !isPowerOfTwo(InstanceAlign, MaxLine))
    return usageError("--instance-align takes a power of two up to 4096");
  if (Threads.given() && Threads != 1)
    return usageError("--threads takes 1: a program with one thread shares "
                      "nothing; without it, sharing is estimated for however "
                      "many there are");
  if (Cpus.given() && (Cpus < 1 || Cpus > MaxCpus))
    return usageError("--cpus takes a number from 1 to 8192");
  Asked.OneThread = Threads == 1;
  Asked.Cpus = Cpus;
  Asked.Layout.LineBytes = CacheLine;
  Asked.Layout.InstanceAlignBytes = InstanceAlign;
  auto On = machine();
  if (!On)
    return On.takeError();
  Asked.Layout.On = std::move(*On);
  Asked.Layout.AlsoLineBytes = {64, 128};
  for (const std::string &Text : Hot)
    if (llvm::Error E = addHot(Asked, Text, "--hot"))
      return E;
  if (llvm::Error E = addProfiles(Asked))
    return E;
  for (const std::string &File : HotFiles)
    if (llvm::Error E = addHotFile(Asked, File))
      return E;
  return addReference(Asked);
}

std::vector<std::string>
StructsCommand::inputs(const AnalyzeRequest &Asked) const {
  std::vector<std::string> Out = HotFiles.all();
  Out.push_back(Template);
  if (!machineNamed(static_cast<const std::string &>(OnMachine)))
    Out.push_back(OnMachine);
  Out.push_back(Asked.Index);
  for (const ProfileRequest &One : Asked.Profiles)
    Out.push_back(One.File);
  llvm::append_range(Out, Asked.References.Files);
  for (const StructRequest &One : Asked.Structs)
    llvm::append_range(Out, One.OrderFiles);
  return Out;
}

} // namespace kst
