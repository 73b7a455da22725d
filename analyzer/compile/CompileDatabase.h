// SPDX-License-Identifier: GPL-2.0-or-later
//
// "Which translation units are analysed, and with which clang arguments?"
// The one entry point of this folder for the tools.

#pragma once

#include "analyzer/compile/CommandOrigin.h"
#include "analyzer/compile/SourceTree.h"

#include "hybrid/core/Evidence.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kst {

struct DatabaseOptions {
  std::string Cwd;                    ///< PATHs start here; "" is the process's
  std::vector<std::string> BuildDirs; ///< -p; none: Cwd
  /// None: "."; in the directory of a database that builds another, all.
  std::vector<std::string> Paths;
  /// Paths that select nothing are left out and listed, unless none selects
  /// anything. Otherwise they are errors.
  bool SomePaths = false;
  /// With SomePaths: told of each path that is left out while others are
  /// there, before the sources are read if it does not exist. May be unset.
  std::function<void(const std::string &)> Missed;
  /// Left out of what Paths select: files, directories, or patterns with
  /// '*', '?' or '[', whose '*' stands for any text, also with '/'.
  std::vector<std::string> Exclude;
  /// Units that cannot see any of these are left out, where dependency lists
  /// tell; empty: no such filter.
  std::vector<std::string> StructNames;
  /// Absolute; units that do not read it are left out, where dependency lists
  /// tell; "": no such filter.
  std::string SeenFile;
  /// The top of the project (--root); "": found. Not for a kernel's own tree.
  std::string Root;
  /// All of the source tree; Paths must be empty.
  bool WholeTree = false;
  /// Of a kernel only what the build has commands for, not all that its
  /// configuration would compile.
  bool OnlyBuilt = false;
  /// compile_commands.template.json; "": none.
  std::string TemplateFile;
  /// Triple for compilers of which nothing else tells what they compile for;
  /// "": such a unit fails.
  std::string Target;
};

/// One translation unit, ready to parse.
struct CompileUnit {
  std::string File;      ///< absolute, as the command spells it
  std::string Relative;  ///< to the source root, links resolved
  std::string Directory; ///< working directory of the arguments
  /// For the clang driver, without argv[0]; the source is the last.
  std::vector<std::string> Args;
  uint32_t Build = 0;    ///< index into UnitList::Builds
  bool SeesFile = false; ///< DatabaseOptions::SeenFile, by a dependency list
  CommandOrigin Origin = CommandOrigin::Own;
  /// What a person types to have the build compile the unit, and generate the
  /// headers that it needs; "" where that is not known.
  std::string Make;
  bool operator==(const CompileUnit &) const = default;
};

/// One build directory, and where its commands came from.
struct BuildInfo {
  std::string Directory;
  SourceTree Tree;
  std::string Origin; ///< "kbuild .cmd files", "compile_commands.json", ...
  /// Source of the unit whose flags CommandOrigin::Model gives to others.
  std::string Model;
  std::string Make; ///< what a person types in front of the target
};

/// Units sorted by File, then Build, the same for any order of the input. One
/// file is several units if it is compiled in several ways; commands that clang
/// is to see alike are one.
struct UnitList {
  std::vector<CompileUnit> Units;
  std::vector<FailedUnit> Failed;               ///< sorted by File
  std::map<std::string, uint64_t> FlagsDropped; ///< spelling -> commands
  std::string OtherCompiler; ///< one that is not clang, of a command; or ""
  std::map<std::string, uint64_t> Skipped;  ///< reason -> commands
  std::map<std::string, uint64_t> Excluded; ///< Exclude -> commands
  /// PATHs that are left out, and why; others were found.
  std::vector<std::string> PathsMissed;
  /// Why less is selected than the configuration has, and what was assumed of
  /// commands; sentences.
  std::vector<std::string> Notes;
  /// Objects, relative to the object root, whose sources the build has yet to
  /// generate.
  std::vector<std::string> Ungenerated;
  std::vector<BuildInfo> Builds;              ///< in the order of -p
  std::string SourceRoot, ObjectRoot, Origin; ///< of the first build
  std::vector<std::string> Selected; ///< what Paths name; absolute, physical
};

/// Reads the databases and selects. Never runs a command, never opens what is
/// not a regular file, writes nothing. A bad entry or source becomes an
/// element of Failed; an error means that nothing can be analysed as asked,
/// and says what to do.
llvm::Expected<UnitList> loadUnits(const DatabaseOptions &Options);

/// The project of one build directory (-p; "": Cwd) without its units.
llvm::Expected<SourceTree> loadTree(const DatabaseOptions &Options,
                                    const std::string &BuildDir);

} // namespace kst
