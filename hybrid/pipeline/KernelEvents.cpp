// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/KernelEvents.h"

#include "hybrid/import/KernelLives.h"
#include "hybrid/import/PerfData.h"
#include "hybrid/import/TraceDat.h"
#include "hybrid/pipeline/KernelTraceTables.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/trace/SampledTrace.h"
#include "hybrid/trace/TraceLimits.h"
#include "hybrid/trace/TraceWriter.h"

#include "llvm/ADT/StringExtras.h"

namespace kst {
namespace {

/// How far the kernel that ran is from its vmlinux, and how that is known.
struct KernelOffset {
  uint64_t Bytes = 0;
  bool Known = false;
};

class EventConverter {
public:
  EventConverter(const TraceImportRequest &Asked, KernelRecording &From)
      : Asked(Asked), From(From), Lives(Asked.DirectMap, From.pageBytes()) {}

  llvm::Expected<std::string> run(const ByteSink &Sink);

private:
  KernelOffset offset(const KernelImage &Image) const;
  std::vector<SourcePlace> places(uint64_t Pc) const;
  std::vector<RecordedCache> caches() const;
  std::map<std::string, std::string> texts();
  llvm::Expected<TraceTables> tables();
  std::string inWords() const;

  const TraceImportRequest &Asked;
  KernelRecording &From;
  KernelLives Lives;
  std::optional<KernelImage> Image;
  KernelOffset Moved;
  std::vector<std::string> Remarks; ///< what the user should know
};

/// By one symbol whose address the recording has.
KernelOffset EventConverter::offset(const KernelImage &Of) const {
  auto Anchor = From.anchor();
  auto Symbol = Anchor ? Of.symbol(Anchor->first) : std::nullopt;
  if (!Symbol)
    return {};
  return {Anchor->second - Symbol->Address, true};
}

std::vector<SourcePlace> EventConverter::places(uint64_t Pc) const {
  constexpr uint64_t KernelHalf = uint64_t(1) << 63;
  if (Image && Pc >= KernelHalf) {
    auto Places = Image->placesOf(Pc - Moved.Bytes);
    if (!Places.front().Function.empty())
      return Places;
  }
  RecordedFunction Function = From.functionAt(Pc);
  // Calls of one function stay apart by their places in it.
  if (Function.Address > Pc || Function.Name.empty())
    Function = {"0x", 0};
  else
    Function.Name += "+0x";
  Function.Name += llvm::utohexstr(Pc - Function.Address, /*LowerCase=*/true);
  return {{Function.Name, "", 0, 0}};
}

std::vector<RecordedCache> EventConverter::caches() const {
  std::vector<RecordedCache> Out;
  for (const EventCache &Of : Lives.caches()) {
    RecordedCache Row{Of.Name, Of.SlotBytes, Of.ObjectBytes, false};
    Row.OfSizes = Of.Nameless || Of.What != EventCache::Named;
    if (!Row.OfSizes && !Row.StrideBytes)
      Row.StrideBytes = 1; // only its frees were seen
    Out.push_back(std::move(Row));
  }
  return Out;
}

std::map<std::string, std::string> EventConverter::texts() {
  auto Text = From.text();
  if (!Asked.Label.empty())
    Text["label"] = Asked.Label;
  if (Lives.counts().Samples)
    Text[SampledAccesses] = "by " + Text["recorder"];
  if (Lives.hasPages())
    Text["page 0"] =
        "0x" + llvm::utohexstr(Lives.directMap(), /*LowerCase=*/true) +
        (Asked.DirectMap ? ", as asked"
         : Lives.directMapVotes()
             ? ", found by " + counted(Lives.directMapVotes(), "slab")
             : ", assumed");
  if (const std::string &Damage = From.notes().Damage; !Damage.empty())
    Text[IncompleteRun] = Damage;
  if (Image)
    Text["kernel moved by"] =
        Moved.Known ? "0x" + llvm::utohexstr(Moved.Bytes, /*LowerCase=*/true)
                    : "not known, 0 assumed";
  return Text;
}

llvm::Expected<TraceTables> EventConverter::tables() {
  KernelTraceParts Parts;
  Parts.Caches = caches();
  if (Image) {
    if (!Image->problem().empty())
      Remarks.push_back(Image->problem());
    Moved = offset(*Image);
    if (!Moved.Known)
      Remarks.push_back("how far KASLR moved the kernel is not recorded: "
                        "functions and types are right only without KASLR");
    auto Types = kernelTypes(*Image, Parts.Caches, {}, {});
    if (!Types)
      return Types.takeError();
    Parts.Types = std::move(*Types);
    for (TraceObject &O : Parts.Types.Objects)
      O.Address += Moved.Bytes;
  } else {
    Parts.Types = kernelTypes(Parts.Caches);
  }
  const EventCounts &Counts = Lives.counts();
  Parts.Text = texts();
  Parts.Lost = Counts.Lost;
  if (Counts.LastTime > Counts.FirstTime &&
      llvm::StringRef(Parts.Text["clock"]).starts_with(NanosecondClock))
    Parts.DurationNs = Counts.LastTime - Counts.FirstTime;
  for (const EventSite &Of : Lives.sites()) {
    KernelSiteUse Use;
    Use.Address = Of.Address;
    Use.Count = Of.Count;
    Use.Access = Of.Access;
    Use.MostBytes = Of.MostBytes;
    Use.Allocator = Of.Allocator;
    Use.Allocates = Of.Allocates;
    Use.Several = Of.Several;
    Use.Frees = Of.Call && !Of.Allocates;
    Parts.Sites.push_back(Use);
  }
  Parts.PlacesOf = [this](uint64_t Pc) { return places(Pc); };
  return kernelTraceTables(std::move(Parts));
}

std::string EventConverter::inWords() const {
  const EventCounts &Counts = Lives.counts();
  std::string Said = counted(Counts.Events, "event") + " of " +
                     counted(Lives.streams(), "CPU") + ", " +
                     counted(Counts.Allocations, "allocation");
  if (Counts.Samples)
    Said += ", " + counted(Counts.Samples, "sampled access");
  const KernelRecordingNotes &Notes = From.notes();
  if (Counts.Others > Notes.NoAddress)
    Said += "; " + counted(Counts.Others - Notes.NoAddress, "record") +
            " of no use to a trace";
  if (Notes.NotUnderstood)
    Said += "; " + counted(Notes.NotUnderstood, "record") + " not understood";
  if (Notes.NoAddress)
    Said += "; " + counted(Notes.NoAddress, "sample") +
            " without a data address left out";
  if (Counts.Lost)
    Said += "; " + std::to_string(Counts.Lost) + " lost by the recorder";
  if (Lives.hasPages() && !Asked.DirectMap && !Lives.directMapVotes())
    Said += "; page 0 is assumed at 0x" +
            llvm::utohexstr(Lives.directMap(), /*LowerCase=*/true) +
            ", see --page-offset";
  for (const std::string &Remark : Remarks)
    Said += "; " + Remark;
  if (!Notes.Damage.empty())
    Said += "; what is whole was read: " + Notes.Damage;
  return Said;
}

llvm::Expected<std::string> EventConverter::run(const ByteSink &Sink) {
  const std::string Context = Asked.File + ": ";
  if (Asked.Binaries.size() > 1)
    return usageError(
        "a recording of a kernel takes one --binary, its vmlinux");
  if (!Asked.Binaries.empty()) {
    auto Read = KernelImage::open(Asked.Binaries.front());
    if (!Read)
      return Read.takeError();
    Image.emplace(std::move(*Read));
  }
  if (auto Wrong = From.walk([&](const KernelRecord &R) { Lives.survey(R); }))
    return failure(Context + Wrong->Message);
  Lives.finish();
  const EventCounts &Counts = Lives.counts();
  if (Counts.FirstTime > Counts.LastTime) {
    const std::string &Damage = From.notes().Damage;
    return failure(Context +
                   "no event that a trace has: kmem, filemap, irq, sched, "
                   "syscalls, or samples with data addresses" +
                   (Damage.empty() ? "" : "; " + Damage));
  }
  auto Tables = tables();
  if (!Tables)
    return Tables.takeError();
  bool Taken = true;
  TraceWriter Out(*Tables,
                  [&](std::string_view Part) { return Taken = Sink(Part); });
  const KernelLives::Sink Write = [&](const TraceEvent &E) { Out.event(E); };
  if (auto Wrong =
          From.walk([&](const KernelRecord &R) { Lives.convert(R, Write); }))
    return failure(Context + Wrong->Message);
  for (const auto &[Stream, Lost] : Lives.lostAtEnd())
    Out.lost(Stream, Lost);
  Out.finish();
  return Taken ? inWords() : std::string(); // who takes no more knows why
}

} // namespace

bool looksLikeKernelEvents(std::string_view Bytes) {
  return looksLikePerfData(Bytes) || looksLikeTraceDat(Bytes);
}

llvm::Expected<std::string> importKernelEvents(const TraceImportRequest &Asked,
                                               std::string_view Bytes,
                                               const ByteSink &Sink) {
  auto From = orFailure(looksLikePerfData(Bytes) ? openPerfData(Bytes)
                                                 : openTraceDat(Bytes),
                        Asked.File + ": ");
  if (!From)
    return From.takeError();
  return EventConverter(Asked, **From).run(Sink);
}

} // namespace kst
