// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/RecordedKernel.h"

#include "analyzer/files/InputFile.h"
#include "hybrid/pipeline/KernelTraceTables.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/trace/TraceBlock.h"
#include "hybrid/trace/TraceLimits.h"
#include "hybrid/trace/TraceWriter.h"
#include "passes/readers/KernelImage.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace kst {
namespace {

constexpr uint64_t MostCpus = 1 << 12;
constexpr uint64_t MostRecordingBytes = uint64_t(1) << 40;

/// What the file `tables` says.
struct RecordedTables {
  std::vector<uint64_t> Sites; ///< by number: address of the instruction
  std::vector<RecordedCache> Caches;
  std::vector<uint64_t> PerCpu; ///< by CPU; 0: it did not start
  uint64_t LeftOut = 0, LostLives = 0;
  bool Ended = false;
};

struct RecordedBlock {
  uint64_t FirstTime, LostBefore;
  uint32_t Cpu, Events;
  std::string_view Bytes; ///< with its head
};

class Converter {
public:
  Converter(std::string Directory, const KernelImage &Image)
      : Directory(std::move(Directory)), Image(Image) {}
  llvm::Error read();
  llvm::Expected<ImportedRecording>
  write(std::map<std::string, std::string> Texts, const ByteSink &Sink);

private:
  llvm::Error readTables();
  llvm::Error readBlocks(uint32_t Cpu);
  llvm::Error count(const RecordedBlock &Of);
  llvm::Expected<TraceTables> tables(std::map<std::string, std::string> Texts);
  std::string path(const std::string &Name) const {
    return Directory + "/" + Name;
  }

  std::string Directory;
  const KernelImage &Image;
  RecordedTables Raw;
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> Buffers;
  std::vector<RecordedBlock> Blocks;
  std::vector<KernelSiteUse> Uses;                   ///< by site number
  std::set<std::pair<uint32_t, uint32_t>> Allocates; ///< sites and caches
  uint64_t Events = 0, Lost = 0, Allocations = 0;
};

llvm::Error Converter::readTables() {
  auto Buffer = inputBytes(path("tables"), MostRecordingBytes);
  if (!Buffer)
    return Buffer.takeError();
  llvm::StringRef Rest = (*Buffer)->getBuffer();
  while (!Rest.empty()) {
    auto [Line, After] = Rest.split('\n');
    bool Whole = Line.size() < Rest.size();
    Rest = After;
    if (!Whole)
      break; // the recorder was killed in it
    auto [Word, Values] = Line.split(' ');
    auto [First, More] = Values.split(' ');
    uint64_t Number = 0, Bytes = 0;
    if (Word != "end" && First.getAsInteger(10, Number))
      return failure(path("tables") + ": not understood: " + Line);
    if (Word == "site") {
      Raw.Sites.push_back(Number);
    } else if (Word == "cache") {
      auto [Size, Name] = More.split(' ');
      if (Size.getAsInteger(10, Bytes))
        return failure(path("tables") + ": not understood: " + Line);
      Raw.Caches.push_back({Name.str(), static_cast<uint32_t>(Number),
                            static_cast<uint32_t>(Bytes)});
    } else if (Word == "percpu") {
      if (Number >= MostCpus || More.getAsInteger(10, Bytes))
        return failure(path("tables") + ": not understood: " + Line);
      Raw.PerCpu.resize(std::max<size_t>(Raw.PerCpu.size(), Number + 1));
      Raw.PerCpu[Number] = Bytes;
    } else if (Word == "count") {
      if (More == "tracing")
        Raw.LeftOut += Number;
      else if (More == "lost-lives")
        Raw.LostLives += Number;
    } else if (Word == "end") {
      Raw.Ended = true;
    }
  }
  Uses.resize(Raw.Sites.size());
  return llvm::Error::success();
}

llvm::Error Converter::count(const RecordedBlock &Of) {
  TraceBlockHead Head;
  memcpy(static_cast<void *>(&Head), Of.Bytes.data(), sizeof(Head));
  TraceBlockDecoder In;
  const char *Wrong = In.open(Head, Of.Bytes.substr(sizeof(Head)));
  for (TraceEvent E; !Wrong && !In.done();) {
    if ((Wrong = In.next(E)))
      break;
    if (E.Site == NoTraceSite)
      continue;
    if (E.Site >= Uses.size()) {
      Wrong = "an event of no site";
      break;
    }
    KernelSiteUse &Use = Uses[E.Site];
    if (E.Kind == EventKind::Access) {
      ++Use.Count;
      Use.Access |= E.Access;
      Use.MostBytes = std::max(Use.MostBytes, E.SizeBytes);
    } else if (E.Kind == EventKind::Alloc) {
      ++Allocations;
      Use.Several |= Use.Allocates && Use.Allocator != E.Info;
      Use.Allocates = true;
      Use.Allocator = E.Info;
      Allocates.insert({E.Site, E.Info});
      // Of those who do not tell what they want nothing is known.
      Use.LeastAsked = std::min(Use.LeastAsked, E.Value);
      Use.MostAsked = std::max(Use.MostAsked, E.Value);
    } else {
      Use.Frees = true;
    }
  }
  if (Wrong)
    return failure(path("cpu" + std::to_string(Of.Cpu)) + ": " + Wrong);
  return llvm::Error::success();
}

llvm::Error Converter::readBlocks(uint32_t Cpu) {
  const std::string File = path("cpu" + std::to_string(Cpu));
  auto Buffer = inputBytes(File, MostRecordingBytes);
  if (!Buffer)
    return Buffer.takeError();
  std::string_view Bytes = bytesOf(**Buffer);
  Buffers.push_back(std::move(*Buffer));
  for (size_t At = 0; Bytes.size() - At >= sizeof(TraceBlockHead);) {
    TraceBlockHead Head;
    memcpy(static_cast<void *>(&Head), Bytes.data() + At, sizeof(Head));
    if (!soundHead(Head) || Head.Stream != Cpu)
      return failure(File + ": damaged at byte " + llvm::Twine(At));
    size_t Size = sizeof(Head) + Head.Bytes;
    if (Size > Bytes.size() - At)
      break; // the recorder was killed in it
    Blocks.push_back({Head.FirstTime, Head.LostBefore, Cpu, Head.Events,
                      Bytes.substr(At, Size)});
    Events += Head.Events;
    Lost += Head.LostBefore;
    if (llvm::Error E = count(Blocks.back()))
      return E;
    At += Size;
  }
  return llvm::Error::success();
}

llvm::Error Converter::read() {
  if (llvm::Error E = readTables())
    return E;
  for (uint32_t Cpu = 0;
       llvm::sys::fs::exists(path("cpu" + std::to_string(Cpu))); ++Cpu)
    if (llvm::Error E = readBlocks(Cpu))
      return E;
  std::stable_sort(Blocks.begin(), Blocks.end(),
                   [](const RecordedBlock &A, const RecordedBlock &B) {
                     return A.FirstTime < B.FirstTime;
                   });
  return llvm::Error::success();
}

llvm::Expected<TraceTables>
Converter::tables(std::map<std::string, std::string> Texts) {
  KernelTraceParts Parts;
  Parts.Text = std::move(Texts);
  Parts.Text["accesses by the kernel's tracing, left out"] =
      std::to_string(Raw.LeftOut);
  if (Raw.LostLives)
    Parts.Text["allocations and frees that were missed"] =
        std::to_string(Raw.LostLives);
  if (!Raw.Ended)
    Parts.Text[IncompleteRun] =
        "the recorder was killed: the last events of each "
        "CPU are missing";
  Parts.Lost = Lost;
  for (size_t I = 0; I < Uses.size(); ++I)
    Uses[I].Address = Raw.Sites[I];
  for (auto [Site, Cache] : Allocates)
    Parts.Allocations.push_back({Site, Cache, Uses[Site].LeastAsked,
                                 Uses[Site].MostAsked,
                                 Image.resultTypes(Raw.Sites[Site])});
  Parts.Sites = Uses;
  auto Types = kernelTypes(Image, Raw.Caches, Raw.PerCpu, Parts.Allocations);
  if (!Types)
    return Types.takeError();
  Parts.Types = std::move(*Types);
  Parts.Caches = Raw.Caches;
  Parts.PlacesOf = [this](uint64_t Pc) { return Image.placesOf(Pc); };
  return kernelTraceTables(std::move(Parts));
}

llvm::Expected<ImportedRecording>
Converter::write(std::map<std::string, std::string> Texts,
                 const ByteSink &Sink) {
  auto Tables = tables(std::move(Texts));
  if (!Tables)
    return Tables.takeError();
  TraceWriter Out(*Tables, Sink);
  for (const RecordedBlock &B : Blocks)
    Out.block(B.Bytes, B.Events);
  Out.finish();
  std::string Said = counted(Events, "event") + " of " +
                     counted(Raw.PerCpu.size(), "CPU") + ", " +
                     counted(Allocations, "allocation") + ", " +
                     counted(Tables->About.Sites.size(), "site");
  if (Lost)
    Said += "; " + std::to_string(Lost) + " lost";
  if (Raw.LostLives)
    Said += "; " + std::to_string(Raw.LostLives) +
            " allocations and frees were missed";
  if (!Raw.Ended)
    Said += "; the recorder was killed: the last events are missing";
  if (!Image.problem().empty())
    Said += "; " + Image.problem();
  ImportedRecording Made{std::move(Said)};
  for (const KernelSiteUse &Use : Uses)
    Made.Accesses += Use.Count;
  return Made;
}

llvm::Expected<std::map<std::string, std::string>>
textsOf(const std::string &File) {
  auto Text = readFile(File);
  if (!Text)
    return Text.takeError();
  std::map<std::string, std::string> Out;
  llvm::SmallVector<llvm::StringRef> Lines;
  llvm::StringRef(*Text).split(Lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef Line : Lines) {
    auto [Key, Value] = Line.split('=');
    Out[Key.str()] = Value.str();
  }
  return Out;
}

} // namespace

bool looksLikeRecording(const std::string &Directory) {
  return llvm::sys::fs::is_directory(Directory) &&
         llvm::sys::fs::exists(Directory + "/" + RecordingAbout) &&
         llvm::sys::fs::exists(Directory + "/tables");
}

llvm::Expected<ImportedRecording> importRecording(const std::string &Directory,
                                                  std::string Vmlinux,
                                                  const std::string &Label,
                                                  const ByteSink &Sink) {
  auto Texts = textsOf(Directory + "/" + RecordingAbout);
  if (!Texts)
    return Texts.takeError();
  if (Vmlinux.empty())
    Vmlinux = (*Texts)["vmlinux"];
  Texts->erase("vmlinux");
  if (!Label.empty())
    (*Texts)["label"] = Label;
  auto Image = KernelImage::open(Vmlinux);
  if (!Image)
    return Image.takeError();
  Converter Convert(Directory, *Image);
  if (llvm::Error E = Convert.read())
    return E;
  return Convert.write(std::move(*Texts), Sink);
}

} // namespace kst
