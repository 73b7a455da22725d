// SPDX-License-Identifier: GPL-2.0-or-later
//
// `trace-sample`: a trace of any length as a kernel might leave it, made by
// chance: requests that allocate objects, pass them through functions and on to
// other CPUs, and free them.

#include "analyzer/files/OutputFile.h"
#include "hybrid/profile/ProfileBuilder.h"
#include "hybrid/trace/TraceWriter.h"
#include "test/kst-dev/Commands.h"

#include <cmath>
#include <random>

namespace kst {
namespace {

constexpr uint64_t SlabBase = 0xffff888010000000,
                   StackBase = 0xffffc90000000000,
                   StaticBase = 0xffffffff82000000, UserBase = 0x7f0000000000;
constexpr uint32_t StaticBytes = 256, StackBytes = 2048, UserPages = 4096;
constexpr uint64_t PageBytes = 4096;

/// A struct whose objects one slab cache has.
struct SampleType {
  uint32_t SizeBytes = 0;
  uint64_t Base = 0;
  std::vector<uint32_t> FreeSlots;
  uint32_t Slots = 0;
};

struct SampleObject {
  uint32_t Type = 0, Slot = 0, Steps = 0;
};

class TraceSample {
public:
  TraceSample(unsigned Types, unsigned Cpus, uint64_t Seed, double Handover)
      : Chance(Seed), Handover(Handover), Types(Types), Cpus(Cpus) {
    for (SampleType &Of : this->Types)
      Of.SizeBytes = 64u << Chance() % 5;
    for (size_t T = 0; T < Types; ++T)
      this->Types[T].Base = SlabBase + (uint64_t(T) << 28);
  }

  TraceTables tables();
  /// Events, of all CPUs together.
  void write(TraceWriter &To, uint64_t Events);

private:
  static constexpr unsigned FunctionsOfType = 12, SitesOfFunction = 20,
                            KeptObjects = 2000;
  struct Cpu {
    std::vector<SampleObject> Inbox;
    std::vector<SampleObject> Kept;
    uint64_t Time = 0; ///< how much it has done
  };

  uint64_t below(uint64_t N) { return Chance() % N; }
  bool happens(double P) { return double(Chance() >> 11) * 0x1p-53 < P; }
  /// Few types are hot.
  uint32_t someType() {
    double U = double(Chance() >> 11) * 0x1p-53;
    return uint32_t(std::pow(double(Types.size()), U)) - 1;
  }
  uint32_t siteOf(uint32_t Type, unsigned Function, unsigned N) const {
    return (Type * FunctionsOfType + Function) * SitesOfFunction + N;
  }
  uint64_t address(const SampleObject &Of) const {
    return Types[Of.Type].Base + uint64_t(Of.Slot) * Types[Of.Type].SizeBytes;
  }
  void emit(TraceEvent E, unsigned On);
  void access(unsigned On, uint64_t Address, uint32_t Site, uint8_t Access);
  SampleObject allocate(unsigned On);
  void release(unsigned On, const SampleObject &Of);
  void visit(unsigned On, SampleObject &Of);
  void turn(unsigned On);

  std::mt19937_64 Chance;
  const double Handover;
  std::vector<SampleType> Types;
  std::vector<Cpu> Cpus;
  TraceWriter *To = nullptr;
  uint64_t Left = 0, Clock = 0;
};

TraceTables TraceSample::tables() {
  TraceTables T;
  ProfileBuilder Make;
  Make.Text = {{"label", "sample"}};
  std::vector<uint32_t> Structs, Sites;
  for (size_t I = 0; I < Types.size(); ++I) {
    std::vector<MeasuredElement> Members;
    for (uint32_t At = 0; At < Types[I].SizeBytes; At += 8)
      Members.push_back({At, 8});
    Structs.push_back(Make.structure("type" + std::to_string(I),
                                     Types[I].SizeBytes, Members));
    for (unsigned F = 0; F < FunctionsOfType; ++F)
      for (unsigned N = 0; N < SitesOfFunction; ++N) {
        MeasuredSite Site;
        Site.Function =
            Make.text("type" + std::to_string(I) + "_step" + std::to_string(F));
        Site.File = Make.text("type" + std::to_string(I) + ".c");
        Site.Line = F * 100 + N;
        Sites.push_back(Make.site(Site));
      }
  }
  ProfileBuilder::Numbers Where;
  T.About = *Make.finish(&Where);
  for (uint32_t Site : Sites)
    T.SiteOf.push_back(Where.Sites[Site]);
  T.Sources.assign(Types.size(), TypeSource::CacheName);
  for (size_t I = 0; I < Types.size(); ++I)
    T.Allocators.push_back({"type" + std::to_string(I),
                            Where.Structs[Structs[I]], Types[I].SizeBytes});
  T.Objects = {{StaticBase, StaticBytes, 16, Where.Structs[Structs[0]], NoCpu}};
  return T;
}

void TraceSample::emit(TraceEvent E, unsigned On) {
  E.Stream = On;
  E.Time = ++Clock;
  Cpus[On].Time += 1 + below(3);
  To->event(E);
  Left -= Left != 0;
}

void TraceSample::access(unsigned On, uint64_t Address, uint32_t Site,
                         uint8_t Access) {
  TraceEvent E;
  E.Address = Address;
  E.SizeBytes = 8;
  E.Site = Site;
  E.Access = Access;
  emit(E, On);
}

SampleObject TraceSample::allocate(unsigned On) {
  SampleObject New{someType(), 0, 0};
  SampleType &Of = Types[New.Type];
  if (Of.FreeSlots.empty()) {
    New.Slot = Of.Slots++;
  } else {
    New.Slot = Of.FreeSlots.back();
    Of.FreeSlots.pop_back();
  }
  TraceEvent E;
  E.Kind = EventKind::Alloc;
  E.Address = address(New);
  E.SizeBytes = Of.SizeBytes;
  E.Info = New.Type;
  E.Site = siteOf(New.Type, 0, 0);
  emit(E, On);
  return New;
}

void TraceSample::release(unsigned On, const SampleObject &Of) {
  TraceEvent E;
  E.Kind = EventKind::Free;
  E.Address = address(Of);
  E.Info = Of.Type;
  E.Site = siteOf(Of.Type, FunctionsOfType - 1, 0);
  emit(E, On);
  Types[Of.Type].FreeSlots.push_back(Of.Slot);
}

/// One function works on the object, and on its stack, statics and the user's
/// memory.
void TraceSample::visit(unsigned On, SampleObject &Of) {
  unsigned Function = std::min(Of.Steps++, FunctionsOfType - 1);
  unsigned Accesses = unsigned(2 + below(6));
  for (unsigned I = 0; I < Accesses; ++I) {
    uint32_t Site = siteOf(Of.Type, Function, I);
    uint64_t Place = (Site * 7 % (Types[Of.Type].SizeBytes / 8)) * 8;
    access(On, address(Of) + Place, Site, Site % 4 ? AccessLoad : AccessStore);
    access(On, StackBase + (uint64_t(On) << 16) + below(StackBytes / 8) * 8,
           Site, Site % 3 ? AccessLoad : AccessStore);
  }
  uint32_t Site = siteOf(Of.Type, Function, SitesOfFunction - 1);
  if (happens(0.1))
    access(On, UserBase + below(UserPages) * PageBytes + below(512) * 8, Site,
           AccessLoad);
  if (happens(0.2))
    access(On, StaticBase + below(16 * StaticBytes / 8) * 8, Site, AccessLoad);
}

void TraceSample::turn(unsigned On) {
  Cpu &Own = Cpus[On];
  SampleObject Of;
  if (!Own.Inbox.empty()) {
    Of = Own.Inbox.back();
    Own.Inbox.pop_back();
  } else if (Own.Kept.size() >= KeptObjects) {
    std::swap(Own.Kept[below(Own.Kept.size())], Own.Kept.back());
    Of = Own.Kept.back();
    Own.Kept.pop_back();
  } else {
    Of = allocate(On);
  }
  do {
    visit(On, Of);
  } while (happens(0.7));
  if (Of.Steps >= FunctionsOfType)
    return release(On, Of);
  unsigned Next = happens(Handover) ? unsigned(below(Cpus.size())) : On;
  (Next == On ? Own.Kept : Cpus[Next].Inbox).push_back(Of);
}

void TraceSample::write(TraceWriter &Writer, uint64_t Events) {
  To = &Writer;
  Left = Events;
  while (Left) {
    // The CPU that is behind.
    unsigned On = 0;
    for (unsigned C = 1; C < Cpus.size(); ++C)
      if (Cpus[C].Time < Cpus[On].Time)
        On = C;
    turn(On);
  }
}

class TraceSampleCommand : public Command {
public:
  TraceSampleCommand()
      : Command("trace-sample", "A trace made by chance",
                "[--events N] [--types N] [--cpus N] [--handover P] [--seed N] "
                "-o FILE") {}

  llvm::Expected<ExitCode> run() override {
    if (Output.empty() || Types < 1 || Types > 4096 || Cpus < 1 || Cpus > 64 ||
        !(Handover >= 0 && Handover <= 1))
      return usageError("usage: kst-dev trace-sample " + Usage);
    auto Out = FileStream::create(Output);
    if (!Out)
      return Out.takeError();
    TraceSample Sample(Types, Cpus, Seed, Handover);
    TraceWriter To(Sample.tables(), [&](std::string_view Part) {
      return (*Out)->write({Part.data(), Part.size()});
    });
    Sample.write(To, Events);
    To.finish();
    if (llvm::Error E = (*Out)->keep())
      return E;
    return ExitDone;
  }

private:
  Flag<unsigned long long> Events{
      {Sub, OfAnalysis, "events", "N", "At least so many"}, 1000000};
  Flag<unsigned> Types{{Sub, OfAnalysis, "types", "N", "Structs"}, 200};
  Flag<unsigned> Cpus{{Sub, OfAnalysis, "cpus", "N", "How many"}, 2};
  Flag<double> Handover{{Sub, OfAnalysis, "handover", "P",
                         "Share of visits behind which the object goes to any "
                         "CPU"},
                        0.3};
  Flag<unsigned> Seed{{Sub, OfAnalysis, "seed", "N", "Of chance"}, 1};
  Flag<std::string> Output{{Sub, OfOutput, "o", "FILE", "The trace"}};
};

} // namespace

extern const MakeCommand MakeTraceSample = make<TraceSampleCommand>;

} // namespace kst
