// SPDX-License-Identifier: GPL-2.0-or-later
//
// `contexts`: which files and sockets hold which memory of the kernel, how
// types lead to them, and what two tiers of memory would gain by knowing.

#include "analyzer/files/OutputFile.h"
#include "hybrid/pipeline/ContextReports.h"
#include "hybrid/pipeline/Version.h"
#include "tools/support/ReportFlags.h"
#include "tools/support/SourceFlags.h"

namespace kst {
namespace {

constexpr unsigned MostWindows = 10000, MostPointers = 8;

/// Options about the ways from objects to contexts.
struct OwnerFlags {
  explicit OwnerFlags(cl::SubCommand &Sub)
      : Anchors{{Sub, OfAnalysis, "anchor", "TYPE[,TYPE]",
                 "What a context is of (default: inode,sock)"}},
        Skip{{Sub, OfAnalysis, "skip", "TYPE[.MEMBER][,...]",
              "Pointers that say nothing of whose an object is"}},
        Hops{{Sub, OfAnalysis, "hops", "N",
              "Pointers from an object to its anchor at most (default 3)"},
             3} {
    Anchors.separated();
    Skip.separated();
  }
  llvm::Error fill(OwnerOptions &To) const {
    if (!Anchors.empty())
      To.Anchors = Anchors.all();
    To.Skipped = Skip.all();
    if (!Hops || Hops > MostPointers)
      return usageError("--hops takes a number from 1 to " +
                        std::to_string(MostPointers));
    To.MostPointers = Hops;
    return llvm::Error::success();
  }
  ListFlag Anchors, Skip;
  Flag<unsigned> Hops;
};

/// A verb about one trace and the kernel that ran.
class TraceCommand : public Command {
protected:
  using Command::Command;

  template <typename Request, typename Options>
  llvm::Error fill(Request &To, Options &Types) const {
    if (Trace.empty() || Binary.empty())
      return usageError("usage: kstatic-affinity " + Sub.getName() + " " +
                        Usage);
    To.Trace = Trace;
    To.Binary = Binary;
    To.Quiet = Quiet;
    return Owners.fill(Types);
  }
  llvm::Error check(const OutputFiles &More = {}) {
    return Files.check(More, {Trace, Binary});
  }
  template <typename Report>
  llvm::Expected<ExitCode> write(llvm::Expected<Report> Made) {
    if (!Made)
      return Made.takeError();
    if (llvm::Error E = Files.write(
            {describe(*Made)}, [&] { return toJson(*Made, thisTool()); },
            Quiet))
      return E;
    return ExitDone;
  }

private:
  Flag<std::string> Trace{
      {Sub, OfAnalysis, "trace", "FILE", "The trace (.kstt)"}};
  Flag<std::string> Binary{{Sub, OfAnalysis, "binary", "FILE",
                            "The vmlinux of the kernel that ran"}};
  OwnerFlags Owners{Sub};
  ReportFlags Files{Sub};
};

class ReportContexts : public TraceCommand {
public:
  ReportContexts()
      : TraceCommand("contexts report",
                     "Say which files and sockets hold which kernel memory",
                     "--trace FILE --binary VMLINUX") {}
  llvm::Expected<ExitCode> run() override;

private:
  Flag<unsigned> Windows{{Sub, OfAnalysis, "windows", "N",
                          "Moments at which memory is looked at (default 50)"},
                         50};
  Flag<std::string> Objects{{Sub, OfOutput, "objects", "FILE",
                             "List what lives at the end, and whose it is"}};
};

llvm::Expected<ExitCode> ReportContexts::run() {
  ContextsRequest Asked;
  if (llvm::Error E = TraceCommand::fill(Asked, Asked.Options.Types))
    return E;
  if (!Windows || Windows > MostWindows)
    return usageError("--windows takes a number from 1 to " +
                      std::to_string(MostWindows));
  Asked.Options.Windows = Windows;
  Asked.Options.Living = Objects.given();
  OutputFiles More;
  if (Objects.given())
    More.push_back({"--objects", Objects});
  if (llvm::Error E = check(More))
    return E;
  auto Report = reportContexts(Asked);
  if (Report && Objects.given())
    if (llvm::Error E = writeFile(Objects, objectListing(Report->Living)))
      return E;
  return write(std::move(Report));
}

/// "10%" or "0.1".
std::optional<double> shareOf(llvm::StringRef Text) {
  const bool Percent = Text.consume_back("%");
  double Share = 0;
  if (Text.getAsDouble(Share))
    return std::nullopt;
  Share /= Percent ? 100 : 1;
  return Share > 0 && Share <= 1 ? std::optional(Share) : std::nullopt;
}

class ReplayContexts : public TraceCommand {
public:
  ReplayContexts()
      : TraceCommand("contexts replay",
                     "Replay a trace on two tiers of memory, by pages and by "
                     "contexts",
                     "--trace FILE --binary VMLINUX [--fast SHARE,...] "
                     "[--ratio N,...]") {
    Fast.separated();
    Ratios.separated();
  }
  llvm::Expected<ExitCode> run() override;

private:
  llvm::Error fill(TierOptions &To) const;

  ListFlag Fast{{Sub, OfAnalysis, "fast", "SHARE[,SHARE]",
                 "Fast pages, of those in use (default: 10%,25%,50%,75%)"}};
  ListFlag Ratios{{Sub, OfAnalysis, "ratio", "N[,N]",
                   "Cost of a slow access in fast ones (default: 2,4,8)"}};
  Flag<double> Copy{{Sub, OfAnalysis, "copy", "LINES",
                     "Cost of a migration: so many lines read and written "
                     "(default 64)"},
                    64};
  Flag<unsigned> Scan{{Sub, OfAnalysis, "scan", "ACCESSES",
                       "How often the scanning policy looks (default: 200 "
                       "times)"}};
  Flag<std::string> Placement{
      {Sub, OfAnalysis, "placement", "HOW",
       "Objects are where the kernel had them (stock) or with those of "
       "their context (grouped)"},
      "stock"};
};

llvm::Error ReplayContexts::fill(TierOptions &To) const {
  if (!Fast.empty())
    To.FastShares.clear();
  for (const std::string &Text : Fast) {
    auto Share = shareOf(Text);
    if (!Share)
      return usageError("--fast takes shares such as 25% or 0.25, not '" +
                        Text + "'");
    To.FastShares.push_back(*Share);
  }
  if (!Ratios.empty())
    To.Ratios.clear();
  for (const std::string &Text : Ratios) {
    double Ratio = 0;
    if (llvm::StringRef(Text).getAsDouble(Ratio) || !(Ratio >= 1) ||
        Ratio > 1e6)
      return usageError("--ratio takes numbers from 1 to 1e6, not '" + Text +
                        "'");
    To.Ratios.push_back(Ratio);
  }
  if (!(Copy >= 0 && Copy <= 1e9))
    return usageError("--copy takes a number from 0 to 1e9");
  To.CopyLines = Copy;
  if (Scan.given() && !Scan)
    return usageError("--scan takes a number from 1");
  To.ScanEvery = Scan;
  if (Placement != "stock" && Placement != "grouped")
    return usageError("--placement takes stock or grouped, not '" + Placement +
                      "'");
  To.Grouped = Placement == "grouped";
  return llvm::Error::success();
}

llvm::Expected<ExitCode> ReplayContexts::run() {
  ContextTiersRequest Asked;
  if (llvm::Error E = TraceCommand::fill(Asked, Asked.Options.Types))
    return E;
  if (llvm::Error E = fill(Asked.Options))
    return E;
  if (llvm::Error E = check())
    return E;
  return write(replayContexts(Asked));
}

class GraphContexts : public UnitsCommand {
public:
  GraphContexts()
      : UnitsCommand("contexts graph",
                     "Show by which pointers types lead to files and sockets",
                     "PATH... | --binary FILE [--anchor TYPE[,TYPE]]") {
    static_cast<cl::Option &>(Structs).setHiddenFlag(cl::Hidden);
    Types.separated();
  }
  llvm::Expected<ExitCode> run() override;

private:
  Flag<std::string> Binary{{Sub, OfAnalysis, "binary", "FILE",
                            "Types by its debug information in place of "
                            "source"}};
  OwnerFlags Owners{Sub};
  ListFlag Types{{Sub, OfAnalysis, "type", "NAME[,NAME]",
                  "Only these types (default: all that have a way)"}};
  Flag<std::string> Dot{{Sub, OfOutput, "dot", "FILE", "Write it as DOT"}};
  Flag<std::string> Svg{{Sub, OfOutput, "svg", "FILE", "Write it as SVG"}};
  ReportFlags Files{Sub};
};

llvm::Expected<ExitCode> GraphContexts::run() {
  ContextGraphRequest Asked;
  if (Binary.empty() == Paths.empty())
    return usageError("usage: kstatic-affinity contexts graph " + Usage);
  if (!Structs.empty())
    return usageError("contexts graph takes --type, not --struct");
  Asked.Binary = Binary;
  if (Binary.empty())
    if (llvm::Error E = UnitsCommand::fill(Asked.Source))
      return E;
  if (llvm::Error E = Owners.fill(Asked.Types))
    return E;
  Asked.Only = Types.all();
  OutputFiles More;
  for (const auto *Of : {&Dot, &Svg})
    if (Of->given())
      More.push_back({Of == &Dot ? "--dot" : "--svg", *Of});
  if (llvm::Error E = Files.check(More, {Binary}))
    return E;
  auto Graph = graphContexts(Asked);
  if (!Graph)
    return Graph.takeError();
  if (Dot.given())
    if (llvm::Error E = writeFile(Dot, toDot(*Graph)))
      return E;
  if (Svg.given())
    if (llvm::Error E = writeFile(Svg, toSvg(*Graph)))
      return E;
  if (llvm::Error E = Files.write(
          {describe(*Graph)}, [&] { return toJson(*Graph, thisTool()); },
          Quiet))
    return E;
  return ExitDone;
}

} // namespace

extern const MakeCommand MakeContextsGraph = make<GraphContexts>,
                         MakeContextsReport = make<ReportContexts>,
                         MakeContextsReplay = make<ReplayContexts>;

} // namespace kst
