// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/TraceDat.h"

#include "hybrid/import/CpuBuffer.h"
#include "hybrid/import/TextLines.h"
#include "hybrid/trace/TraceFile.h"

#include <algorithm>
#include <queue>
#include <vector>

namespace kst {
namespace {

enum SectionId : uint16_t { SectionOptions = 0 };
enum SectionFlag : uint16_t { SectionCompressed = 1 };

enum OptionId : uint16_t {
  OptionDone = 0,
  OptionBuffer = 3,
  OptionClock = 4,
  OptionName = 5,
  OptionTsc = 14,
  OptionHeaderInfo = 16,
  OptionEventFormats = 18,
  OptionKallsyms = 19,
};

/// More are nobody's.
constexpr size_t MostOptionSections = 1 << 12;
constexpr uint32_t LeastPageBytes = 64, MostPageBytes = 1 << 24;

/// Cycles as nanoseconds; without a multiplier times are nanoseconds already.
struct TscClock {
  uint32_t Multiplier = 0, Shift = 0;
  uint64_t Offset = 0;
  uint64_t nanoseconds(uint64_t Time) const {
    if (!Multiplier)
      return Time;
    return static_cast<uint64_t>(static_cast<unsigned __int128>(Time) *
                                     Multiplier >>
                                 (Shift & 63)) +
           Offset;
  }
};

class TraceDat : public KernelRecording {
public:
  std::optional<Failure> open(std::string_view File);

  std::optional<Failure> walk(const Visitor &Each) override;
  const KernelRecordingNotes &notes() const override { return Notes; }
  std::map<std::string, std::string> text() const override { return Text; }
  RecordedFunction functionAt(uint64_t Address) const override;
  std::optional<std::pair<std::string, uint64_t>> anchor() const override {
    return Anchor;
  }
  uint32_t pageBytes() const override { return Head.PageBytes; }

private:
  struct Waiting {
    RingEvent Event;
    size_t Walk;
    bool operator<(const Waiting &Other) const { // the earliest is the greatest
      return Event.Time != Other.Event.Time ? Event.Time > Other.Event.Time
                                            : Walk > Other.Walk;
    }
  };

  ForeignBytes at(uint64_t Place) const {
    ForeignBytes In(Bytes, Head.Big);
    In.take(Place);
    return In;
  }
  std::optional<Failure> openOld(ForeignBytes In);
  std::optional<Failure> openSections(ForeignBytes In);
  bool options(uint64_t Place, uint64_t &Next);
  void option(uint16_t Id, std::string_view Body);
  void buffer(std::string_view Body);
  void setClock(std::string_view Name) {
    if (!Name.empty())
      ClockName = Name;
  }
  std::string_view section(uint64_t Place, std::string &Unpacked) const;
  void addCpu(uint32_t Cpu, uint32_t PageBytes, bool Compressed, uint64_t Begin,
              uint64_t Size);
  void kallsyms(std::string_view Lines);

  std::string_view Bytes;
  TracingHead Head;
  Tracepoints Formats;
  TscClock Clock;
  bool HaveFormats = false;
  std::vector<CpuBuffer> Cpus;
  std::vector<std::pair<uint64_t, std::string>> Functions; ///< by address
  std::map<std::string, std::string> Text = {{"recorder", "trace-cmd"}};
  std::optional<std::pair<std::string, uint64_t>> Anchor;
  std::string ClockName = "local", OpenDamage;
  KernelRecordingNotes Notes;
};

/// Lines "ADDRESS TYPE NAME"; addresses that were hidden are 0.
void TraceDat::kallsyms(std::string_view Lines) {
  std::vector<std::string_view> Words;
  while (!Lines.empty()) {
    wordsOf(takeLine(Lines), 3, Words);
    auto Address = Words.size() == 3 ? numberOf(Words[0], 16) : std::nullopt;
    if (!Address || !*Address)
      continue;
    if (Words[2] == "_text")
      Anchor = {"_text", *Address};
    if (Words[1] == "t" || Words[1] == "T" || Words[1] == "w" ||
        Words[1] == "W")
      Functions.push_back({*Address, std::string(Words[2])});
  }
  std::stable_sort(
      Functions.begin(), Functions.end(),
      [](const auto &A, const auto &B) { return A.first < B.first; });
}

RecordedFunction TraceDat::functionAt(uint64_t Address) const {
  auto At = std::upper_bound(
      Functions.begin(), Functions.end(), Address,
      [](uint64_t Of, const auto &Row) { return Of < Row.first; });
  if (At == Functions.begin() || At == Functions.end())
    return {}; // the last one has no end
  --At;
  return {At->second, At->first};
}

void TraceDat::addCpu(uint32_t Cpu, uint32_t PageBytes, bool Compressed,
                      uint64_t Begin, uint64_t Size) {
  CpuBuffer Of{Cpu, PageBytes, Compressed, {}};
  if (Compressed)
    Size += 4; // the number of chunks does not count
  Of.Bytes = ForeignBytes(Bytes, false).part(Begin, Size);
  if (Of.Bytes.size() < Size)
    OpenDamage = "it is cut short";
  if (Cpu < MaxTraceStreams && PageBytes >= LeastPageBytes &&
      PageBytes <= MostPageBytes)
    Cpus.push_back(Of);
  else
    OpenDamage = "the table of its buffers is damaged";
}

/// Version 6: everything is behind one another.
std::optional<Failure> TraceDat::openOld(ForeignBytes In) {
  if (!takeHeaderInfo(In, Head) || !skipFtraceFormats(In))
    return Failure{"its header is damaged or cut short"};
  HaveFormats = takeEventFormats(In, Formats);
  kallsyms(In.take(In.take<uint32_t>()));
  In.take(In.take<uint32_t>()); // formats of trace_printk()
  In.take(In.take<uint64_t>()); // names of tasks
  uint32_t Number = In.take<uint32_t>();
  std::string_view Word = In.take(10).substr(0, 9);
  if (Word == "options  ") {
    for (uint16_t Id; (Id = In.take<uint16_t>()) && In.good();)
      if (uint32_t Size = In.take<uint32_t>(); Id != OptionBuffer)
        option(Id, In.take(Size));
      else
        In.take(Size);
    Word = In.take(10).substr(0, 9);
  }
  if (!In.good() || Number > MaxTraceStreams)
    return Failure{"its header is damaged or cut short"};
  if (Word != "flyrecord")
    return Failure{"it has text of a latency tracer, no buffer"};
  for (uint32_t Cpu = 0; Cpu < Number && In.good(); ++Cpu) {
    uint64_t Begin = In.take<uint64_t>(), Size = In.take<uint64_t>();
    if (Size)
      addCpu(Cpu, Head.PageBytes, false, Begin, Size);
  }
  return std::nullopt;
}

/// What a section has behind its head; Unpacked holds it if it was compressed.
std::string_view TraceDat::section(uint64_t Place,
                                   std::string &Unpacked) const {
  ForeignBytes In = at(Place);
  In.take<uint16_t>();
  uint16_t Flags = In.take<uint16_t>();
  In.take(4);
  std::string_view Body = In.take(In.take<uint64_t>());
  if (!(Flags & SectionCompressed))
    return Body;
  ForeignBytes Packed(Body, Head.Big);
  uint32_t Size = Packed.take<uint32_t>(), Whole = Packed.take<uint32_t>();
  return unpackChunk(Packed.take(Size), Whole, Unpacked)
             ? std::string_view(Unpacked)
             : std::string_view();
}

void TraceDat::buffer(std::string_view Body) {
  ForeignBytes In(Body, Head.Big);
  uint64_t Place = In.take<uint64_t>();
  In.takeText(); // the instance
  setClock(In.takeText());
  uint32_t PageBytes = In.take<uint32_t>();
  bool Compressed =
      ForeignBytes(Bytes, Head.Big).at<uint16_t>(Place + 2) & SectionCompressed;
  for (uint32_t Left = In.take<uint32_t>(); Left && In.good(); --Left) {
    uint32_t Cpu = In.take<uint32_t>();
    uint64_t Begin = In.take<uint64_t>(), Size = In.take<uint64_t>();
    if (In.good() && Size)
      addCpu(Cpu, PageBytes, Compressed, Begin, Size);
  }
}

void TraceDat::option(uint16_t Id, std::string_view Body) {
  ForeignBytes In(Body, Head.Big);
  std::string Unpacked;
  switch (Id) {
  case OptionBuffer:
    return buffer(Body);
  case OptionClock: {
    // All there are, the one that is used in brackets.
    size_t Begin = Body.find('['), End = Body.find(']');
    if (Begin != Body.npos && End != Body.npos && Begin < End)
      setClock(Body.substr(Begin + 1, End - Begin - 1));
    return;
  }
  case OptionName:
    Text["machine"] = std::string(Body.substr(0, Body.find('\0')));
    return;
  case OptionTsc:
    Clock.Multiplier = In.take<uint32_t>();
    Clock.Shift = In.take<uint32_t>();
    Clock.Offset = In.take<uint64_t>();
    return;
  case OptionHeaderInfo: {
    ForeignBytes Part(section(In.take<uint64_t>(), Unpacked), Head.Big);
    takeHeaderInfo(Part, Head);
    return;
  }
  case OptionEventFormats: {
    ForeignBytes Part(section(In.take<uint64_t>(), Unpacked), Head.Big);
    HaveFormats = takeEventFormats(Part, Formats);
    return;
  }
  case OptionKallsyms: {
    ForeignBytes Part(section(In.take<uint64_t>(), Unpacked), Head.Big);
    return kallsyms(Part.take(Part.take<uint32_t>()));
  }
  default:
    return;
  }
}

/// One section of options; Next: where the next one is, 0: nowhere.
bool TraceDat::options(uint64_t Place, uint64_t &Next) {
  std::string Unpacked;
  if (at(Place).take<uint16_t>() != SectionOptions)
    return false;
  ForeignBytes In(section(Place, Unpacked), Head.Big);
  for (;;) {
    uint16_t Id = In.take<uint16_t>();
    std::string_view Body = In.take(In.take<uint32_t>());
    if (!In.good())
      return false;
    if (Id == OptionDone) {
      Next = ForeignBytes(Body, Head.Big).at<uint64_t>(0);
      return true;
    }
    option(Id, Body);
  }
}

std::optional<Failure> TraceDat::openSections(ForeignBytes In) {
  std::string Packing(In.takeText());
  In.takeText(); // its version
  if (Packing != "zstd" && Packing != "none")
    return Failure{"compressed by " + Packing.substr(0, 32) +
                   ": record with --compression zstd or none"};
  uint64_t Place = In.take<uint64_t>();
  for (size_t I = 0; Place && I < MostOptionSections; ++I) {
    uint64_t Next = 0;
    if (!options(Place, Next)) {
      OpenDamage = "it is cut short or damaged: options that trace-cmd writes "
                   "last are missing";
      break;
    }
    Place = Next;
  }
  return std::nullopt;
}

std::optional<Failure> TraceDat::open(std::string_view File) {
  Bytes = File;
  ForeignBytes In;
  if (!takeTracingHead(Bytes, Head, In) || Head.PageBytes < LeastPageBytes ||
      Head.PageBytes > MostPageBytes)
    return Failure{"its header is damaged or cut short"};
  if (Head.Version != "6" && Head.Version != "7")
    return Failure{"a trace.dat of version " +
                   std::string(Head.Version.substr(0, 16)) +
                   "; versions 6 and 7 are read"};
  Formats.setOrder(Head.Big);
  auto Wrong = Head.Version == "6" ? openOld(In) : openSections(In);
  if (Wrong)
    return Wrong;
  // Those that count something else (Documentation/trace/ftrace.rst).
  bool Cycles = ClockName == "x86-tsc" && !Clock.Multiplier;
  Text["clock"] = Cycles || ClockName == "counter" || ClockName == "uptime"
                      ? "units of " + ClockName
                      : std::string(NanosecondClock) + ", " + ClockName;
  if (Cpus.empty() || !HaveFormats)
    return Failure{OpenDamage.empty() ? "it has no buffer, or no events"
                                      : OpenDamage};
  return std::nullopt;
}

std::optional<Failure> TraceDat::walk(const Visitor &Each) {
  Notes = {};
  std::vector<std::unique_ptr<CpuWalk>> Walks;
  std::priority_queue<Waiting> Queue;
  for (const CpuBuffer &Of : Cpus) {
    Walks.push_back(std::make_unique<CpuWalk>(Of, Head));
    Waiting First{{}, Walks.size() - 1};
    if (Walks.back()->next(First.Event))
      Queue.push(First);
  }
  while (!Queue.empty()) {
    Waiting Now = Queue.top();
    Queue.pop();
    CpuWalk &From = *Walks[Now.Walk];
    KernelRecord R;
    R.Time = Clock.nanoseconds(Now.Event.Time);
    R.Stream = From.cpu();
    R.LostBefore = Now.Event.LostBefore;
    uint16_t Id = ForeignBytes(Now.Event.Bytes, Head.Big).at<uint16_t>(0);
    Formats.decode(Id, Now.Event.Bytes, R);
    Each(R);
    if (From.next(Now.Event))
      Queue.push(Now);
  }
  Notes.Damage = OpenDamage;
  for (const auto &Walk : Walks)
    if (Walk->damaged() && Notes.Damage.empty())
      Notes.Damage =
          "a buffer of CPU " + std::to_string(Walk->cpu()) + " is damaged";
  return std::nullopt;
}

} // namespace

bool looksLikeTraceDat(std::string_view Bytes) {
  return Bytes.starts_with(TracingMagic);
}

Result<std::unique_ptr<KernelRecording>> openTraceDat(std::string_view Bytes) {
  auto Out = std::make_unique<TraceDat>();
  if (auto Wrong = Out->open(Bytes))
    return *Wrong;
  return std::unique_ptr<KernelRecording>(std::move(Out));
}

} // namespace kst
