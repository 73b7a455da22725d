// SPDX-License-Identifier: GPL-2.0-or-later
//
// `page-sample`: a trace of page requests of any length, made by chance.

#include "analyzer/files/OutputFile.h"
#include "hybrid/colour/PageZone.h"
#include "hybrid/trace/TraceWriter.h"
#include "test/kst-dev/Commands.h"

#include <random>

namespace kst {
namespace {

class PageSampleCommand : public Command {
public:
  PageSampleCommand()
      : Command("page-sample", "Make a trace of page requests by chance",
                "--events N --memory MIB -o FILE") {}
  llvm::Expected<ExitCode> run() override {
    if (Output.empty() || !Events || Memory < 4)
      return usageError("usage: kst-dev page-sample " + Usage);
    auto Out = FileStream::create(Output);
    if (!Out)
      return Out.takeError();
    TraceWriter To(TraceTables(), [&](std::string_view Part) {
      return (*Out)->write({Part.data(), Part.size()});
    });
    const uint32_t Frames = Memory << 8;
    PageZone Zone({0, Frames, 9});
    for (uint32_t I = 0; I + 1024 <= Frames; I += 1024)
      Zone.append(I, 10, Movable);
    struct Block {
      uint32_t Frame;
      uint8_t Order;
    };
    std::vector<Block> Live;
    std::mt19937_64 Chance(1);
    TraceEvent E;
    E.Site = NoTraceSite;
    for (uint64_t Number = 0; Number < Events; ++Number) {
      // About three of four pages in use in the long run.
      const uint64_t Bits = Chance();
      const bool Alloc =
          Live.empty() ||
          (Zone.freePages() > Frames / 4 ? Bits % 16 < 9 : Bits % 16 < 7);
      Block Of{0, uint8_t((Bits >> 8) % 16 ? 0 : (Bits >> 16) % 4)};
      const uint8_t Type = (Bits >> 24) % 8 ? Movable : Unmovable;
      if (Alloc) {
        Of.Frame = Zone.take(Of.Order, Type, false);
        if (Of.Frame == NoFrame)
          continue;
        Zone.use(Of.Frame, Of.Order, Type);
        Live.push_back(Of);
      } else {
        std::swap(Live[(Bits >> 8) % Live.size()], Live.back());
        Of = Live.back();
        Live.pop_back();
        Zone.free(Of.Frame, Of.Order);
      }
      E.Kind = Alloc ? EventKind::PageAlloc : EventKind::PageFree;
      E.Time = Number;
      E.Stream = Bits >> 40 & 1;
      E.Value = Of.Frame;
      E.Address = 0xffff888000000000 + uint64_t(Of.Frame) * 4096;
      E.SizeBytes = 4096u << Of.Order;
      E.Info = Of.Order | (Alloc ? Type << 8 : 0);
      To.event(E);
    }
    To.finish();
    if (llvm::Error Wrong = (*Out)->keep())
      return Wrong;
    return ExitDone;
  }

private:
  Flag<unsigned> Events{{Sub, OfAnalysis, "events", "N", "How many"}};
  Flag<unsigned> Memory{{Sub, OfAnalysis, "memory", "MIB", "Of the machine"},
                        1024};
  Flag<std::string> Output{{Sub, OfOutput, "o", "FILE", "The trace to write"}};
};

} // namespace

extern const MakeCommand MakePageSample = make<PageSampleCommand>;

} // namespace kst
