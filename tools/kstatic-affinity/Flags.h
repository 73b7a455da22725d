// SPDX-License-Identifier: GPL-2.0-or-later
//
// Every flag as llvm::cl sees it: name, help, default. What they mean together
// is checked in Options.cpp.

#ifndef KST_TOOLS_FLAGS_H
#define KST_TOOLS_FLAGS_H

#include "llvm/Support/CommandLine.h"

#include <string>

namespace kst {

namespace cl = llvm::cl;

/// Registers itself with llvm::cl while it lives: one at a time.
struct Flags {
  cl::OptionCategory Ours{"kstatic-affinity options"};

  // What is analysed, and how.
  cl::list<std::string> Structs{"struct", cl::CommaSeparated,
                                cl::desc("Struct or union to lay out"),
                                cl::value_desc("NAME[,NAME]"), cl::cat(Ours)};
  cl::list<std::string> BuildDirs{
      "p",
      cl::desc("Directory with compile_commands.json, or kbuild output "
               "directory (O=)"),
      cl::value_desc("BUILD_DIR"), cl::cat(Ours)};
  cl::list<std::string> Exclude{
      "exclude",
      cl::desc("File, directory or pattern to leave out; may be repeated"),
      cl::value_desc("PATH"), cl::cat(Ours)};
  cl::opt<std::string> Json{"json", cl::desc("Write the report as JSON"),
                            cl::value_desc("FILE"), cl::cat(Ours)};
  cl::opt<std::string> Html{"html", cl::desc("Write the report as HTML"),
                            cl::value_desc("FILE"), cl::cat(Ours)};
  cl::opt<std::string> GraphMl{"graphml",
                               cl::desc("Write the affinity graph as GraphML"),
                               cl::value_desc("FILE"), cl::cat(Ours)};
  cl::opt<std::string> Dot{"dot", cl::desc("Write the affinity graph as DOT"),
                           cl::value_desc("FILE"), cl::cat(Ours)};
  cl::opt<std::string> Instance{
      "instance", cl::Hidden,
      cl::desc("Write the layout problems as kst-instance/1, one line each"),
      cl::value_desc("FILE"), cl::cat(Ours)};
  cl::opt<std::string> Check{
      "check", cl::desc("Show step by step what is done with one file"),
      cl::value_desc("FILE"), cl::cat(Ours)};
  cl::list<std::string> Hot{
      "hot", cl::desc("A function on a path that matters; may be repeated"),
      cl::value_desc("FUNC[=WEIGHT]"), cl::cat(Ours)};
  cl::list<std::string> HotFiles{"hot-file",
                                 cl::desc("Hot functions, one per line"),
                                 cl::value_desc("FILE"), cl::cat(Ours)};
  cl::list<std::string> Profiles{
      "profile",
      cl::desc("Measured counts, from `profile import`; may be repeated"),
      cl::value_desc("FILE[=WEIGHT]"), cl::cat(Ours)};
  cl::opt<std::string> Evidence{
      "evidence", cl::init("hybrid"),
      cl::desc("With --profile: hybrid (default), static or dynamic alone"),
      cl::value_desc("KIND"), cl::cat(Ours)};
  cl::opt<bool> PoolProfiles{
      "pool-profiles",
      cl::desc("Add counts of profiles up as they are: longer runs weigh more"),
      cl::cat(Ours)};
  cl::opt<unsigned> Threads{
      "threads", cl::init(0),
      cl::desc("1: the program has one thread, nothing is shared"),
      cl::value_desc("N"), cl::cat(Ours)};
  cl::list<std::string> Owned{
      "owned", cl::CommaSeparated,
      cl::desc("Structs of which each object is used by one thread or CPU"),
      cl::value_desc("NAME[,NAME]"), cl::cat(Ours)};
  cl::opt<std::string> Template{
      "template", cl::desc("Commands for a tree that is only configured"),
      cl::value_desc("FILE"), cl::cat(Ours)};
  cl::opt<unsigned> CacheLine{"cache-line", cl::init(64),
                              cl::desc("Bytes of a cache line (default 64)"),
                              cl::value_desc("N"), cl::cat(Ours)};
  cl::opt<unsigned> Jobs{"j",
                         cl::init(0),
                         cl::Prefix,
                         cl::desc("Processes at once (default: one per core)"),
                         cl::value_desc("N"),
                         cl::cat(Ours)};
  cl::opt<double> MinCoverage{
      "min-coverage", cl::init(0),
      cl::desc(
          "Exit with 3 when a smaller share (0..1) of accesses is resolved"),
      cl::value_desc("X"), cl::cat(Ours)};
  cl::opt<bool> NoCache{"no-cache", cl::desc("Neither read nor keep facts"),
                        cl::cat(Ours)};
  cl::opt<std::string> CacheDir{"cache-dir", cl::desc("Where facts are kept"),
                                cl::value_desc("DIR"), cl::cat(Ours)};
  cl::opt<bool> Plain{"plain",
                      cl::desc("Parse everything: slower, same result"),
                      cl::cat(Ours)};
  cl::opt<bool> Quiet{
      "quiet", cl::desc("No progress, no text report: only files and errors"),
      cl::cat(Ours)};
  cl::opt<bool> Full{"full", cl::desc("Text report without folding"),
                     cl::cat(Ours)};
  cl::opt<bool> Stats{"statistics", cl::desc("Statistics of the run on stderr"),
                      cl::cat(Ours)};
  cl::opt<std::string> Color{"color", cl::init("auto"),
                             cl::desc("auto, always or never"),
                             cl::value_desc("WHEN"), cl::cat(Ours)};

  // The order.
  cl::list<std::string> Pins{
      "pin",
      cl::desc("Demand a place: FIELD stays, or =first, =last, =line:N, "
               "=with:OTHER, =apart:OTHER; may be repeated"),
      cl::value_desc("[STRUCT:]FIELD[=PLACE]"), cl::cat(Ours)};
  cl::list<std::string> LiftRule{
      "lift-rule",
      cl::desc("Do not obey a rule that the report shows under 'held in "
               "place'; may be repeated"),
      cl::value_desc("[STRUCT:]ID"), cl::cat(Ours)};
  cl::opt<unsigned> MaxMoves{"max-moves",
                             cl::desc("Move at most this many fields"),
                             cl::value_desc("N"), cl::cat(Ours)};
  cl::opt<bool> Ambitious{
      "ambitious",
      cl::desc("Propose the best order found, however many fields move"),
      cl::cat(Ours)};
  cl::opt<bool> AllowGrowth{
      "allow-growth",
      cl::desc("Also propose orders that take more bytes than now"),
      cl::cat(Ours)};
  cl::opt<double> KeepBelow{
      "keep-below", cl::init(0.02),
      cl::desc("Keep the order if the best one gains a smaller share of its "
               "cost (default 0.02)"),
      cl::value_desc("X"), cl::cat(Ours)};
  cl::opt<unsigned> InstanceAlign{
      "instance-align", cl::init(0),
      cl::desc("Bytes to which instances are aligned (default: a line for "
               "records longer than 1.5 lines)"),
      cl::value_desc("N"), cl::cat(Ours)};
  cl::opt<unsigned> Seed{
      "seed", cl::init(1),
      cl::desc("Seed of clustering, search and resampling (default 1)"),
      cl::value_desc("N"), cl::cat(Ours)};
  cl::list<std::string> WhatIf{
      "what-if",
      cl::desc("Price another order: 'move A after B', 'swap A and B', ...; "
               "may be repeated"),
      cl::value_desc("[STRUCT:]QUESTION"), cl::cat(Ours)};
  cl::list<std::string> Order{
      "order",
      cl::desc("Price the order of the fields in a file; may be repeated"),
      cl::value_desc("[STRUCT:]FILE"), cl::cat(Ours)};

  // The patch.
  cl::list<std::string> Patch{
      "patch",
      cl::desc("Write the proposed orders as a patch; may be repeated for "
               "single structs"),
      cl::value_desc("[STRUCT:]FILE"), cl::cat(Ours)};
  cl::list<std::string> Write{
      "write",
      cl::ValueOptional,
      cl::CommaSeparated,
      cl::desc("Change the definitions in their headers"),
      cl::value_desc("STRUCT"),
      cl::cat(Ours)};
  cl::opt<bool> Force{"force",
                      cl::desc("--write even though not all units that see the "
                               "definition were looked at"),
                      cl::cat(Ours)};
  cl::opt<bool> Markers{"markers",
                        cl::desc("Put cacheline group markers into the patch"),
                        cl::cat(Ours)};

  // place.
  cl::opt<std::string> Field{"field",
                             cl::desc("place: the new field, as 'u64 name'"),
                             cl::value_desc("DECLARATION"), cl::cat(Ours)};
  cl::list<std::string> UsedWith{
      "used-with", cl::CommaSeparated,
      cl::desc("place: fields that are used where the new one is"),
      cl::value_desc("FIELD[,FIELD]"), cl::cat(Ours)};
  cl::opt<std::string> Writes{
      "writes", cl::init("none"),
      cl::desc("place: who writes it: local, remote or none (default none)"),
      cl::value_desc("WHO"), cl::cat(Ours)};
  cl::opt<double> WriteShare{
      "write-share",
      cl::desc("place: writes per visit that uses it (default: local 1, "
               "remote 0.1)"),
      cl::value_desc("X"), cl::cat(Ours)};
  cl::opt<unsigned> FieldSize{
      "size", cl::init(0),
      cl::desc("place: bytes of the new field, if its type is unknown"),
      cl::value_desc("N"), cl::cat(Ours)};
  cl::opt<unsigned> FieldAlign{"align", cl::init(0),
                               cl::desc("place: its alignment in bytes"),
                               cl::value_desc("N"), cl::cat(Ours)};

  // profile, trace.
  cl::opt<std::string> Output{
      "o", cl::desc("profile, trace: the file to write; - is standard output"),
      cl::value_desc("FILE"), cl::cat(Ours)};
  cl::list<std::string> Binaries{
      "binary",
      cl::desc("profile import, trace import: the program that ran, or its "
               "object files; may be repeated"),
      cl::value_desc("FILE"), cl::cat(Ours)};
  cl::opt<std::string> Label{
      "label", cl::desc("profile import, trace import: name of the workload"),
      cl::value_desc("TEXT"), cl::cat(Ours)};
  cl::opt<std::string> Format{
      "format", cl::init("auto"),
      cl::desc("profile import: auto, counters, perf-script or access-log "
               "(default auto: by content)"),
      cl::value_desc("NAME"), cl::cat(Ours)};
  cl::opt<double> Keep{
      "keep", cl::init(0),
      cl::desc("profile thin: share of the counts to keep, 0 < X <= 1"),
      cl::value_desc("X"), cl::cat(Ours)};
  cl::opt<unsigned> Top{"top", cl::init(20),
                        cl::desc("profile show: rows of each list, 0 for all "
                                 "(default 20)"),
                        cl::value_desc("N"), cl::cat(Ours)};
  cl::opt<unsigned> Limit{"limit", cl::init(0),
                          cl::desc("trace dump: events at most (default 0: "
                                   "all)"),
                          cl::value_desc("N"), cl::cat(Ours)};

  // rewrite, for tests.
  cl::opt<unsigned> RandomOrders{"random-orders", cl::init(0), cl::ReallyHidden,
                                 cl::cat(Ours)};
  cl::opt<bool> OutputText{"output-text", cl::ReallyHidden, cl::cat(Ours)};

  cl::list<std::string> Paths{cl::Positional,
                              cl::desc("[analyze|place] PATH... | profile "
                                       "import|merge|show FILE... | trace "
                                       "import|dump FILE"),
                              cl::cat(Ours)};
};

} // namespace kst

#endif
