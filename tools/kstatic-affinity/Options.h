// SPDX-License-Identifier: GPL-2.0-or-later
//
// The command line, parsed and checked, before anything is done.

#ifndef KST_TOOLS_OPTIONS_H
#define KST_TOOLS_OPTIONS_H

#include "analyzer/request/StructAddress.h"
#include "hybrid/report/TextStyle.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kst {

enum class Command {
  Analyze,
  Check,
  Comments,
  Place,
  ProfileImport,
  ProfileMerge,
  ProfileThin,
  ProfileShow,
  Records,
  Rewrite,
  TraceDump,
  TraceImport,
};

enum class EvidenceKind { Static, Dynamic, Hybrid };

struct Options {
  Command What = Command::Analyze;
  std::vector<std::string> Structs;
  std::vector<std::string> Paths;
  std::vector<std::string> Exclude; ///< of what Paths select
  std::vector<std::string> BuildDirs;
  std::string JsonFile, HtmlFile, GraphMlFile, DotFile, InstanceFile;
  std::string CheckFile;
  std::string TemplateFile;
  std::string CacheDir; ///< empty: the default place
  std::map<std::string, double> Hot;
  /// Where each was named: "--hot NAME" or "FILE:LINE"; none of what was
  /// warned about.
  std::map<std::string, std::string> HotFrom;
  std::vector<std::pair<std::string, double>> Profiles; ///< file, weight
  EvidenceKind Evidence = EvidenceKind::Hybrid;
  bool PoolProfiles = false;
  bool OneThread = false;         ///< --threads 1
  std::vector<std::string> Owned; ///< structs, each object by one thread
  unsigned CacheLine = 64;
  unsigned InstanceAlign = 0; ///< 0: the default rule
  unsigned Seed = 1;
  double KeepBelow = 0.02;
  bool Ambitious = false;
  bool AllowGrowth = false;
  std::optional<unsigned> MaxMoves;
  std::vector<Addressed> Pins;       ///< FIELD[=PLACE]
  std::vector<Addressed> LiftRules;  ///< ids
  std::vector<Addressed> WhatIf;     ///< questions, in words
  std::vector<Addressed> OrderFiles; ///< orders to price
  std::vector<Addressed> Patches;    ///< files; may be about every struct
  std::vector<Addressed> Write;      ///< without text; the same
  bool Force = false;                ///< --write without having seen all
  bool Markers = false;
  // place
  std::string Field; ///< declaration of the new field
  std::vector<std::string> UsedWith;
  std::string Writes = "none"; ///< local, remote or none
  /// Writes per visit that uses it; without, 1 if local and 0.1 if remote.
  std::optional<double> WriteShare;
  unsigned SizeBytes = 0, AlignBytes = 0; ///< 0: from its type
  // profile, trace: Paths are their files
  std::string OutputFile;
  std::vector<std::string> Binaries;
  std::string Label;
  std::string Format = "auto"; ///< or counters, perf-script, access-log
  double Keep = 0;             ///< share of counts
  unsigned Top = 20;           ///< 0: all
  unsigned Limit = 0;          ///< 0: all
  // rewrite
  unsigned RandomOrders = 0;
  bool OutputText = false; ///< the new text instead of a patch
  unsigned Jobs = 1;
  double MinCoverage = 0;
  bool NoCache = false;
  bool Plain = false;
  bool Quiet = false;
  bool Full = false;
  bool Verbose = false; ///< statistics of the run on stderr
  ColorWhen Color = ColorWhen::Auto;

  /// Whether --patch or --write is about struct number Index.
  bool wantsPatchOf(size_t Index) const;
};

/// Parses the command line. On a mistake, prints to stderr what to do and
/// returns nothing; the process then ends with ExitUsage. --help and
/// --version print to stdout and exit.
std::optional<Options> parseOptions(int Argc, char **Argv);

} // namespace kst

#endif
