// SPDX-License-Identifier: GPL-2.0-or-later
//
// `isolation globals`: which globals share cache lines, and what to declare.

#include "hybrid/pipeline/Globals.h"
#include "tools/support/ReportFlags.h"
#include "tools/support/SourceFlags.h"

#include <bit>

namespace kst {
namespace {

class GlobalsCommand : public Command {
public:
  GlobalsCommand()
      : Command("isolation globals",
                "Say which globals and array elements share cache lines, and "
                "what to declare",
                "IMAGE [--within PATH] [--trace FILE] [--heat FILE]") {}
  llvm::Expected<ExitCode> run() override {
    GlobalsRequest Asked;
    if (Words.size() != 1)
      return usageError("usage: kstatic-affinity " + Sub.getName() + " " +
                        Usage);
    if (!std::has_single_bit(unsigned(CacheLine)) || CacheLine < 16 ||
        CacheLine > 4096)
      return usageError("--cache-line takes a power of two from 16 to 4096");
    Asked.Image = Words.front();
    Asked.Relocatable = Relocatable;
    Asked.Within = Within;
    Asked.Trace = Trace;
    Asked.HeatGiven = Heat.given();
    Asked.Heat = Heat.given() ? Heat == "none" ? "" : std::string(Heat)
                              : shippedReference();
    Asked.LineBytes = CacheLine;
    Asked.Quiet = Quiet;
    if (llvm::Error E = Files.check(
            {}, {Asked.Image, Asked.Relocatable, Asked.Trace, Asked.Heat}))
      return E;
    auto Report = isolationGlobals(Asked, diagnostics());
    if (!Report)
      return Report.takeError();
    if (llvm::Error E = Files.write(
            {describe(*Report)}, [&] { return toJson(*Report); }, Quiet))
      return E;
    return ExitDone;
  }

private:
  Flag<std::string> Within{
      {Sub, OfAnalysis, "within", "PATH",
       "Only lines and arrays of globals that this file, or a file below this "
       "directory, defines"}};
  Flag<std::string> Relocatable{
      {Sub, OfAnalysis, "relocatable", "FILE",
       "vmlinux.o, for what is __read_mostly already (default: IMAGE.o, if it "
       "is there)"}};
  Flag<std::string> Trace{
      {Sub, OfAnalysis, "trace", "FILE",
       "A trace (.kstt) of this image: which CPU reads and writes what, "
       "replayed as it is and as advised"}};
  Flag<std::string> Heat{
      {Sub, OfAnalysis, "heat", "FILE",
       "How often code runs: a profile; or none (default: the reference)"}};
  Flag<unsigned> CacheLine{{Sub, OfAnalysis, "cache-line", "N",
                            "Bytes of a cache line (default 64)"},
                           64};
  ReportFlags Files{Sub};
  kst::Words Words{Sub, "IMAGE"};
};

} // namespace

extern const MakeCommand MakeIsolationGlobals = make<GlobalsCommand>;

} // namespace kst
