// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/sharing/TraceSharing.h"

#include "hybrid/report/Numbers.h"
#include "hybrid/trace/ObjectTable.h"
#include "hybrid/trace/ThreadSpans.h"
#include "hybrid/trace/TraceLimits.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace kst {

namespace {

/// Longer accesses count as so long.
constexpr uint32_t MostBytes = 1 << 16;

class TraceLooker {
public:
  TraceLooker(TraceReader &Trace, const TraceNames &Names)
      : Trace(Trace), Names(Names), Objects(Trace.tables()) {}

  std::optional<Failure> run() {
    TraceEvent E;
    while (Trace.next(E)) {
      if (E.Kind != EventKind::Access)
        Objects.apply(E);
      else if (E.Access)
        access(E);
    }
    return Trace.failure();
  }

  std::vector<MeetingSlot> slots() {
    const auto Moved = besideOneAnother();
    std::vector<MeetingSlot> Out;
    Out.reserve(Known.size());
    for (auto &[Key, Slot] : Known) {
      Out.push_back(Slot);
      if (auto It = Moved.find(Slot.Thread); It != Moved.end()) {
        Out.back().First = It->second.at(Slot.First);
        Out.back().Last = It->second.at(Slot.Last);
      }
    }
    countObjects();
    std::ranges::sort(Out, [](const MeetingSlot &A, const MeetingSlot &B) {
      return std::tie(A.Address, A.Thread, A.Bytes, A.Place, A.Object) <
             std::tie(B.Address, B.Thread, B.Bytes, B.Place, B.Object);
    });
    return Out;
  }

  std::vector<SharedPlace> Places;

private:
  struct Key {
    uint64_t Address, Object;
    uint32_t Bytes, Thread, Place;
    bool operator==(const Key &) const = default;
  };
  struct HashOfKey {
    size_t operator()(const Key &K) const {
      return size_t((K.Address * 0x9e3779b97f4a7c15ull) ^
                    (K.Object * 0xc2b2ae3d27d4eb4full) ^
                    (uint64_t(K.Place) << 32 | K.Thread << 8 | K.Bytes));
    }
  };

  /// How a thread's time is stretched.
  struct Stretch {
    double From = 0, To = 0;   ///< its own
    double Begin = 0, End = 0; ///< what becomes of them
    double at(double Time) const {
      const double Share = To > From ? (Time - From) / (To - From) : 0;
      return Begin + Share * (End - Begin);
    }
  };

  /// Threads of a program that no join parts run beside one another, each over
  /// the whole time of all of them: a scheduler may have run them in turns. The
  /// first thread keeps its time.
  std::map<uint32_t, Stretch> besideOneAnother() const {
    std::map<uint32_t, Stretch> Out;
    const auto &Text = Trace.about().Text;
    const auto Behind = Text.find(StartedBehind), Ran = Text.find(RanThreads);
    if (Behind == Text.end() || Ran == Text.end() ||
        Ran->second != std::to_string(Spans.size()) || Spans.size() < 2)
      return Out;
    const std::vector<uint64_t> Times = StartsAndJoins::times(Behind->second);
    const auto First = std::ranges::min_element(
        Spans, {}, [](const auto &S) { return S.second.first; });
    std::map<size_t, std::pair<double, double>> Phases;
    auto PhaseOf = [&](double Begin) {
      return size_t(std::ranges::upper_bound(Times, uint64_t(Begin)) -
                    Times.begin());
    };
    for (const auto &[Thread, S] : Spans)
      if (Thread != First->first) {
        auto [It, New] = Phases.try_emplace(PhaseOf(S.first), S);
        It->second.first = std::min(It->second.first, S.first);
        It->second.second = std::max(It->second.second, S.second);
      }
    for (const auto &[Thread, S] : Spans)
      if (Thread != First->first) {
        const auto &Whole = Phases.at(PhaseOf(S.first));
        Out[Thread] = {S.first, S.second, Whole.first, Whole.second};
      }
    return Out;
  }

  /// Of types of which there are any number.
  void countObjects() {
    std::map<std::string, std::set<uint64_t>> Of; // by key
    for (const auto &[Key, Slot] : Known)
      if (Places[Slot.Place].Root == SharedPlace::OfType)
        Of[Places[Slot.Place].Key].insert(Slot.Object);
    for (SharedPlace &Place : Places)
      if (auto It = Of.find(Place.Key);
          It != Of.end() && Place.Root == SharedPlace::OfType)
        Place.Objects = It->second.size();
  }

  const GlobalVariable *variableAt(uint64_t Address) const {
    auto After = std::ranges::upper_bound(Names.Variables, Address, {},
                                          &GlobalVariable::Address);
    if (After == Names.Variables.begin())
      return nullptr;
    const GlobalVariable &Of = *std::prev(After);
    return Address < Of.Address + Of.SizeBytes ? &Of : nullptr;
  }

  std::string fieldOf(const MeasuredSite &Site, const Profile &About) const {
    if (Site.Field)
      return About.Strings[Site.Field];
    const MeasuredStruct &S = About.Structs[Site.Struct];
    auto Of = Names.Members.find({About.Strings[S.Name], S.SizeBytes});
    std::string Path;
    if (Of != Names.Members.end())
      Path = memberAt(Of->second, Site.OffsetBytes * 8ull);
    if (Path.empty())
      Path = "+" + std::to_string(Site.OffsetBytes);
    return Path;
  }

  /// One for each kind of bytes, whatever the object or the element.
  uint32_t placeOf(SharedPlace Of) {
    auto [It, New] = Numbers.try_emplace({Of.Key, Of.Field}, Places.size());
    if (New)
      Places.push_back(std::move(Of));
    return uint32_t(It->second);
  }

  void access(const TraceEvent &E) {
    const Profile &About = Trace.about();
    auto &Span = Spans.try_emplace(E.Stream, double(E.Time), double(E.Time))
                     .first->second;
    Span.second = double(E.Time);
    const TracePlace In = Objects.place(E);
    const MeasuredSite *Site =
        E.Site < About.Sites.size() ? &About.Sites[E.Site] : nullptr;
    const bool OfStruct = Site && Site->Struct < About.Structs.size();
    const GlobalVariable *Variable = variableAt(E.Address);
    SharedPlace Of;
    Of.AccessBytes = E.SizeBytes;
    uint64_t Object = E.Address;
    if (OfStruct) {
      const MeasuredStruct &S = About.Structs[Site->Struct];
      Of.Type = About.Strings[S.Name];
      Of.SizeBytes = S.SizeBytes;
      Of.Field = fieldOf(*Site, About);
      Object = E.Address - E.Index - Site->OffsetBytes;
    }
    if (Variable) {
      Of.Root = SharedPlace::Static;
      Of.Object = Variable->Name;
      Of.Key = Variable->Name + "@" + std::to_string(Variable->Address);
      const uint64_t In = E.Address - Variable->Address;
      const uint64_t InElement =
          Variable->StrideBytes ? In % Variable->StrideBytes : In;
      Object = E.Address - InElement;
      if (const std::string Path = memberAt(Variable->Members, InElement * 8);
          !Path.empty())
        Of.Field = Path;
      if (!OfStruct) {
        Of.Type = Variable->Type;
        Of.SizeBytes =
            Variable->StrideBytes ? Variable->StrideBytes : Variable->SizeBytes;
      }
      Of.StrideBytes = Variable->StrideBytes;
    } else if (OfStruct) {
      Of.Root = SharedPlace::OfType;
      Of.Key = Of.Object = Of.Type;
    } else {
      Of.Root = SharedPlace::Block;
      if (Site)
        Of.Object = Names.Pointer
                        ? Names.Pointer(About.Strings[Site->File], Site->Line)
                        : "";
      if (Of.Object.empty())
        Of.Object =
            Site ? "memory that " + About.Strings[Site->Function] + "() uses"
                 : "memory";
      Of.Key = Of.Object;
      Of.SizeBytes = E.SizeBytes;
    }
    const std::string Function =
        Site ? About.Strings[Site->Function] : std::string();
    const uint32_t Bytes = std::clamp(E.SizeBytes, 1u, MostBytes);
    // Lives of objects at one address are not one object.
    const uint64_t Life = In.Number << 48;
    Of.Path = Of.Field;
    const uint32_t Place = placeOf(std::move(Of));
    const bool Reads = E.Access & AccessLoad, Writes = E.Access & AccessStore;
    if (Site) {
      auto &Times =
          Places[Place]
              .Users[{{Function, About.Strings[Site->File], Site->Line}, ""}];
      Times.first += Reads;
      Times.second += Writes;
    }
    auto [It, New] = Known.try_emplace(
        Key{E.Address + Life, Object + Life, Bytes, E.Stream, Place});
    MeetingSlot &Slot = It->second;
    if (New) {
      Slot.Address = E.Address + Life;
      Slot.Object = Object + Life;
      Slot.Bytes = Bytes;
      Slot.Thread = E.Stream;
      Slot.Place = Place;
      Slot.First = double(E.Time);
      Slot.Last = Slot.First;
    }
    Slot.Reads += Reads;
    Slot.Writes += Writes;
    Slot.First = std::min(Slot.First, double(E.Time));
    Slot.Last = std::max(Slot.Last, double(E.Time));
  }

  TraceReader &Trace;
  const TraceNames &Names;
  ObjectTable Objects;
  std::map<std::pair<std::string, std::string>, size_t> Numbers;
  std::unordered_map<Key, MeetingSlot, HashOfKey> Known;
  std::map<uint32_t, std::pair<double, double>> Spans; ///< by thread
};

} // namespace

Result<bool> addTraceSharing(SharingReport &To, TraceReader &Trace,
                             const TraceNames &Names, const Machine &On) {
  TraceLooker Look(Trace, Names);
  if (auto Wrong = Look.run())
    return *Wrong;
  for (const std::string &Text : traceLimits(Trace.about()))
    To.Limits.push_back(Text);
  if (!Trace.complete())
    To.Limits.push_back("the end of the trace is missing");
  if (Trace.lost())
    To.Limits.push_back(counted(Trace.lost(), "event") +
                        " that the recorder lost");
  const uint32_t Streams = uint32_t(Trace.streams().size());
  To.Threads.push_back(std::to_string(Streams) +
                       " threads or CPUs in the trace");
  addFindings(To, Look.Places, meetings(Look.slots(), To.LineBytes), On,
              Streams);
  return true;
}

} // namespace kst
