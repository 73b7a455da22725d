// SPDX-License-Identifier: GPL-2.0-or-later
//
// `colour replay`, `colour heat`, `colour geometry`: pages in caches that are
// indexed by physical address.

#include "analyzer/files/OutputFile.h"
#include "hybrid/pipeline/Errors.h"
#include "hybrid/pipeline/PageColours.h"
#include "tools/support/ReportFlags.h"

namespace kst {
namespace {

class ColourCommand : public Command {
protected:
  using Command::Command;

  template <typename Report>
  llvm::Expected<ExitCode> write(const llvm::Expected<Report> &Made) {
    if (llvm::Error E = Files.write(
            {describe(*Made)}, [&] { return toJson(*Made); }, Quiet))
      return E;
    return ExitDone;
  }

  Words NoWords{Sub, ""};
  ReportFlags Files{Sub};
};

class ColourReplayCommand : public ColourCommand {
public:
  ColourReplayCommand()
      : ColourCommand("colour replay",
                      "Replay the page requests of a trace with other policies "
                      "of placing pages",
                      "[--trace FILE | --memory MIB] --cache SIZE[/WAYS] "
                      "[--policy NAME[,NAME]]") {
    Policies.separated();
    Sizes.separated();
  }
  llvm::Expected<ExitCode> run() override {
    ColourRequest Asked;
    if (!NoWords.empty() || Trace.empty() == !Memory || Cache.empty())
      return usageError("usage: kstatic-affinity colour replay " + Usage);
    Asked.Trace = Trace;
    Asked.MemoryMiB = Memory;
    Asked.Cache = Cache;
    Asked.Policies = Policies.all();
    Asked.Sizes = Sizes.all();
    Asked.ColourBytes = ColourBytes;
    Asked.ColourOrder = ColourOrder;
    Asked.Churn = Churn;
    Asked.Seed = Seed;
    Asked.Against = Against;
    Asked.Quiet = Quiet;
    if (Trace.empty() && !Against.empty())
      return usageError("--against goes with --trace");
    if (llvm::Error E = Files.check({}, {Trace, Against}))
      return E;
    auto Made = replayColours(Asked);
    if (!Made)
      return Made.takeError();
    return write(Made);
  }

private:
  Flag<std::string> Trace{{Sub, OfAnalysis, "trace", "FILE",
                           "The trace (.kstt), with page events"}};
  Flag<unsigned> Memory{{Sub, OfAnalysis, "memory", "MIB",
                         "No trace: a machine of this size that is all free"}};
  Flag<std::string> Cache{
      {Sub, OfAnalysis, "cache", "SIZE[/WAYS]",
       "The cache that is indexed by physical address: 16G, 64M/4"}};
  ListFlag Policies{{Sub, OfAnalysis, "policy", "NAME[,NAME]",
                     "stock, shuffle, colour-lists, colour-tree, emptiest-bin, "
                     "random (default: all)"}};
  ListFlag Sizes{{Sub, OfAnalysis, "working-set", "W[,W]",
                  "Sizes of working sets, in caches (default: 0.25 to 2.5)"}};
  Flag<std::string> ColourBytes{
      {Sub, OfAnalysis, "colour-size", "SIZE",
       "What the colours cover (default: a way of the cache)"}};
  Flag<unsigned> ColourOrder{{Sub, OfAnalysis, "colour-order", "N",
                              "A colour is 2^N pages (default 0)"}};
  Flag<unsigned> Churn{{Sub, OfAnalysis, "churn", "N",
                        "Age memory by N random frees and allocations"}};
  Flag<unsigned> Seed{
      {Sub, OfAnalysis, "seed", "N", "Of all chance (default 1)"}, 1};
  Flag<std::string> Against{
      {Sub, OfAnalysis, "against", "OTHER",
       "Compare with where the kernel of this trace put pages"}};
};

class ColourHeatCommand : public ColourCommand {
public:
  ColourHeatCommand()
      : ColourCommand("colour heat",
                      "Say which types of kernel objects meet in which sets",
                      "--trace FILE --cache SIZE[/WAYS] [--line BYTES]") {}
  llvm::Expected<ExitCode> run() override {
    ColourRequest Asked;
    if (!NoWords.empty() || Trace.empty() || Cache.empty())
      return usageError("usage: kstatic-affinity colour heat " + Usage);
    Asked.Trace = Trace;
    Asked.Cache = Cache;
    Asked.LineBytes = Line;
    Asked.Quiet = Quiet;
    if (llvm::Error E = Files.check({}, {Trace}))
      return E;
    auto Made = heatOfColours(Asked);
    if (!Made)
      return Made.takeError();
    return write(Made);
  }

private:
  Flag<std::string> Trace{
      {Sub, OfAnalysis, "trace", "FILE", "The trace (.kstt)"}};
  Flag<std::string> Cache{
      {Sub, OfAnalysis, "cache", "SIZE[/WAYS]",
       "The cache that is indexed by physical address: 16M, 256K/8"}};
  Flag<unsigned> Line{
      {Sub, OfAnalysis, "line", "BYTES", "Of a line of it (default 64)"}, 64};
};

class ColourGeometryCommand : public ColourCommand {
public:
  ColourGeometryCommand()
      : ColourCommand("colour geometry",
                      "Say which caches the memory side of a machine has",
                      "[--nodes DIR]") {}
  llvm::Expected<ExitCode> run() override {
    if (!NoWords.empty())
      return usageError("usage: kstatic-affinity colour geometry " + Usage);
    if (llvm::Error E = Files.check())
      return E;
    auto Made = geometryOfColours(Nodes);
    if (!Made)
      return Made.takeError();
    return write(Made);
  }

private:
  Flag<std::string> Nodes{
      {Sub, OfAnalysis, "nodes", "DIR",
       "sysfs directory of the nodes, or a copy of a guest's (default: "
       "/sys/devices/system/node)"},
      "/sys/devices/system/node"};
};

} // namespace

extern const MakeCommand MakeColourReplay = make<ColourReplayCommand>,
                         MakeColourHeat = make<ColourHeatCommand>,
                         MakeColourGeometry = make<ColourGeometryCommand>;

} // namespace kst
