// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/sharing/SourceSharing.h"

#include "hybrid/report/Numbers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace kst {

namespace {

constexpr uint64_t RoomBytes = uint64_t(1) << 40; ///< for each root
/// Where a block of malloc() begins on its line, and the bytes in front of it.
constexpr uint64_t PageBytes = 4096;
constexpr uint64_t HeapBegin = 16, HeapHead = 8, HeapAlign = 16;

class SourceLayout {
public:
  SourceLayout(const Program &Whole, const ThreadWalk &Walk, uint32_t LineBytes)
      : Whole(Whole), Walk(Walk), LineBytes(LineBytes) {
    placeVariables();
    for (const RoleUse &Use : Walk.Uses)
      measure(Use);
    // Numbers of threads.
    for (const ThreadRole &Role : Walk.Roles) {
      FirstThread.push_back(Threads);
      Threads += Role.Many ? ThreadsOfMany : 1;
    }
  }

  void run() {
    for (const RoleUse &Use : Walk.Uses)
      add(Use);
  }

  std::vector<SharedPlace> Places;
  std::vector<MeetingSlot> Slots;
  uint32_t Threads = 0;
  uint32_t Unplaced = 0; ///< accesses to elements of which nothing is known
  double UnplacedTimes = 0;

private:
  struct Variable {
    uint64_t Address = 0, SizeBytes = 0;
    bool Constant = false;
  };

  void placeVariables() {
    std::map<std::pair<std::string, bool>, uint64_t> End;
    uint64_t Next = RoomBytes;
    for (uint32_t U = 0; U != Whole.unitCount(); ++U) {
      const TuFacts &Facts = Whole.unit(U);
      for (const VariableFact &Fact : Facts.Variables) {
        if (Fact.Flags & VarOfThread)
          continue;
        const std::string &Key = Facts.Strings[Fact.Key];
        auto [It, New] = Variables.try_emplace(Key);
        if (!New)
          continue;
        // One in a section of its own lies elsewhere.
        const std::string Where =
            Fact.Flags & VarInSection ? Key : Facts.Strings[Fact.File];
        auto [At, First] =
            End.try_emplace({Where, (Fact.Flags & VarInitialized) != 0}, Next);
        if (First)
          Next += RoomBytes;
        const uint64_t Align = std::max(Fact.AlignBytes, 1u);
        It->second.Address = (At->second + Align - 1) / Align * Align;
        It->second.SizeBytes = Fact.SizeBytes;
        It->second.Constant = Fact.Flags & VarConstant;
        At->second = It->second.Address + Fact.SizeBytes;
      }
    }
    NextRoom = Next;
  }

  uint64_t sizeOf(RecordId Record) const {
    return Whole.recordFact(Record).SizeBytes;
  }

  /// The bytes of an element step: the record behind it, or what is accessed.
  uint64_t strideOf(const RoleUse &Use, size_t Step) const {
    const PlaceStep &Of = Use.At.Steps[Step];
    if (Of.StrideBytes)
      return Of.StrideBytes;
    if (Step + 1 < Use.At.Steps.size() && !Use.At.Steps[Step + 1].isElement())
      return sizeOf(Use.At.Steps[Step + 1].Record);
    return Use.SizeBytes;
  }

  /// Of a root: as large as it was allocated, or as what is used of it.
  void measure(const RoleUse &Use) {
    const std::vector<PlaceStep> &Steps = Use.At.Steps;
    uint64_t Here = Use.SizeBytes, Offset = 0, &Align = Alignment[Use.At.Key];
    if (!Steps.empty() && !Steps.front().isElement())
      Here = sizeOf(Steps.front().Record);
    for (size_t I = 0; I != Steps.size(); ++I)
      if (!Steps[I].isElement())
        Offset +=
            Whole.fieldFact(Steps[I].Record, Steps[I].Field).OffsetBits / 8;
      else if (Steps[I].Index == Differs::Same && Steps[I].Number > 0)
        Offset += uint64_t(Steps[I].Number) * strideOf(Use, I);
    uint64_t &Size = RootBytes[Use.At.Key];
    Size = std::max({Size, Here, Offset + Use.SizeBytes, Use.At.BlockBytes});
    // The alignment of the type of the object or its elements.
    for (const PlaceStep &Step : Steps)
      if (!Step.isElement()) {
        Align =
            std::max<uint64_t>(Align, Whole.recordFact(Step.Record).AlignBytes);
        break;
      }
  }

  uint64_t roomOf(const std::string &Key) {
    auto [It, New] = Rooms.try_emplace(Key, NextRoom);
    if (New)
      NextRoom += RoomBytes;
    return It->second;
  }

  /// Where the root begins for thread number Thread.
  uint64_t base(const MemoryPlace &Of, uint32_t Thread) {
    if (Of.Root == MemoryPlace::Variable) {
      auto It = Variables.find(Of.Key);
      if (It != Variables.end())
        return It->second.Address;
      return roomOf(Of.Key); // defined elsewhere
    }
    const uint64_t Align = std::max<uint64_t>(Alignment[Of.Key], Of.AlignBytes);
    const bool Malloc = Of.Root == MemoryPlace::Heap && Align < LineBytes;
    const uint64_t Begin = roomOf(Of.Key) + (Malloc ? HeapBegin : 0);
    if (!Of.ByThread)
      return Begin;
    // What a thread makes itself is in a part of the heap, or on a stack, of
    // its own.
    // Of blocks of unknown size nothing is said.
    if (Of.Root != MemoryPlace::Heap || Of.InThread || !Of.BlockBytes)
      return Begin + (Thread + 1) * roundUp(2 * RootBytes[Of.Key], PageBytes);
    const uint64_t Block =
        std::max<uint64_t>(RootBytes[Of.Key] + HeapHead, 2 * HeapAlign);
    return Begin + Thread * roundUp(Block, std::max(Align, HeapAlign));
  }

  struct At {
    uint64_t Address = 0, Object = 0, Bytes = 0;
  };

  std::optional<At> addressOf(const RoleUse &Use, uint32_t Thread) {
    const uint64_t Base = base(Use.At, Thread);
    At Out{Base, Base, Use.SizeBytes};
    bool Own = Use.At.ByThread, Inside = false;
    for (size_t I = 0; I != Use.At.Steps.size(); ++I) {
      const PlaceStep &Step = Use.At.Steps[I];
      if (!Step.isElement()) {
        Inside = true;
        Out.Address += Whole.fieldFact(Step.Record, Step.Field).OffsetBits / 8;
        continue;
      }
      Own |= Step.Index == Differs::ByThread;
      if (Step.Index == Differs::Any) {
        // Anywhere in an array that is a member of the thread's own object.
        if (!Own || !I || Use.At.Steps[I - 1].isElement())
          return std::nullopt;
        const PlaceStep &In = Use.At.Steps[I - 1];
        Out.Bytes = Whole.fieldFact(In.Record, In.Field).SizeBits / 8;
        return Out;
      }
      const uint64_t Number =
          Step.Index == Differs::ByThread ? Thread : uint64_t(Step.Number);
      Out.Address += Number * strideOf(Use, I);
      // Elements of a member are parts of the object.
      if (!Inside)
        Out.Object = Out.Object * 31 + Number + 1;
    }
    return Out;
  }

  std::string recordText(RecordId Id) const {
    const bool Union = Whole.recordFact(Id).Flags & RecUnion;
    return (Union ? "union " : "struct ") + Whole.recordName(Id);
  }

  uint32_t placeOf(const RoleUse &Use) {
    SharedPlace Of;
    Of.Root = Use.At.Root == MemoryPlace::Variable ? SharedPlace::Static
              : Use.At.ByThread                    ? SharedPlace::OfType
                                                   : SharedPlace::Block;
    Of.Key = Use.At.Key;
    Of.Object = Use.At.Name;
    Of.SizeBytes = Of.AccessBytes = Use.SizeBytes;
    // Names begin behind the element that differs by thread, if there is one.
    std::string Path;
    for (size_t I = 0; I != Use.At.Steps.size(); ++I) {
      const PlaceStep &Step = Use.At.Steps[I];
      if (Step.isElement()) {
        Path += "[]";
        if (Step.Index != Differs::ByThread && (Of.StrideBytes || I))
          continue;
        Of.StrideBytes = strideOf(Use, I);
        Of.SizeBytes = Of.StrideBytes;
        Of.Array = Of.Path;
        Of.Field.clear();
        Of.Type.clear();
        continue;
      }
      const FieldInfo Field = Whole.recordInfo(Step.Record).Fields[Step.Field];
      if (Of.Type.empty()) {
        Of.Type = recordText(Step.Record);
        Of.SizeBytes = sizeOf(Step.Record);
        Of.Movable =
            !(Whole.recordFact(Step.Record).Flags & RecUnion) &&
            !(Whole.fieldFact(Step.Record, Step.Field).Flags & FldBitField);
      }
      Path += "." + Field.Name;
      Of.Field += (Of.Field.empty() ? "" : ".") + Field.Name;
      Of.Path += (Of.Path.empty() ? "" : ".") + Field.Name;
    }
    if (Of.Object.empty())
      Of.Object = Of.Type.empty() ? Use.At.Key : Of.Type;
    auto [It, New] = Numbers.try_emplace({Of.Key, Path}, Places.size());
    if (New)
      Places.push_back(std::move(Of));
    return uint32_t(It->second);
  }

  void add(const RoleUse &Use) {
    const ThreadRole &Role = Walk.Roles[Use.Role];
    const uint32_t First = FirstThread[Use.Role];
    if (Use.At.Root == MemoryPlace::Variable)
      if (auto It = Variables.find(Use.At.Key);
          It != Variables.end() && It->second.Constant)
        return; // nobody writes it
    bool Placed = false;
    for (uint32_t T = 0; T != (Role.Many ? ThreadsOfMany : 1); ++T) {
      const auto There = addressOf(Use, First + T);
      if (!There)
        break;
      Placed = true;
      const uint32_t Place = placeOf(Use);
      auto &Times = Places[Place].Users[{Use.Where, Role.Function}];
      Times.first += Use.Reads;
      Times.second += Use.Writes;
      MeetingSlot Slot;
      Slot.Thread = First + T;
      Slot.First = Role.Phase;
      Slot.Last = Role.Phase + 0.5;
      Slot.Place = Place;
      Slot.Object = There->Object;
      // Evenly over the bytes that it may be at; of these only the first and
      // the last line may have others.
      const uint64_t Begin = There->Address,
                     End = Begin + std::max<uint64_t>(There->Bytes, 1),
                     Inner = std::min(End, roundUp(Begin + 1, LineBytes)),
                     Outer = std::max(Inner, (End - 1) / LineBytes * LineBytes);
      for (auto [From, To] : {std::pair(Begin, Inner), std::pair(Outer, End)})
        if (From < To) {
          const double Share = double(To - From) / double(End - Begin);
          Slot.Address = From;
          Slot.Bytes = uint32_t(To - From);
          Slot.Reads = Use.Reads * Share;
          Slot.Writes = Use.Writes * Share;
          addSlot(Slot);
        }
    }
    if (!Placed) {
      ++Unplaced;
      UnplacedTimes +=
          (Use.Reads + Use.Writes) * (Role.Many ? ThreadsOfMany : 1);
    }
  }

  /// Uses of the same bytes by one thread are one.
  void addSlot(const MeetingSlot &Slot) {
    auto [It, New] = SlotAt.try_emplace(
        {Slot.Address, Slot.Object, Slot.Bytes, Slot.Thread, Slot.Place},
        Slots.size());
    if (New) {
      Slots.push_back(Slot);
      return;
    }
    Slots[It->second].Reads += Slot.Reads;
    Slots[It->second].Writes += Slot.Writes;
  }

  const Program &Whole;
  const ThreadWalk &Walk;
  const uint64_t LineBytes;
  std::map<std::tuple<uint64_t, uint64_t, uint32_t, uint32_t, uint32_t>, size_t>
      SlotAt;
  std::map<std::string, Variable> Variables;
  std::map<std::string, uint64_t> RootBytes, Alignment, Rooms;
  uint64_t NextRoom = RoomBytes;
  std::vector<uint32_t> FirstThread; ///< by role
  std::map<std::pair<std::string, std::string>, size_t> Numbers;
};

std::string inWords(const ThreadRole &Role) {
  if (Role.Started.Function.empty())
    return Role.Function + "(), beside them";
  return Role.Function + "(), " + (Role.Many ? "several" : "one") +
         ", started by " + Role.Started.Function + "() " + Role.Started.File +
         ":" + std::to_string(Role.Started.Line);
}

} // namespace

std::vector<uint32_t> threadsOf(const ThreadWalk &Walk) {
  std::vector<uint32_t> Out;
  for (const ThreadRole &Role : Walk.Roles)
    Out.push_back(Role.Many ? ThreadsOfMany : 1);
  return Out;
}

void addSourceSharing(SharingReport &To, const Program &Whole,
                      const ThreadWalk &Walk, const Machine &On) {
  SourceLayout Layout(Whole, Walk, To.LineBytes);
  Layout.run();
  std::set<uint32_t> Using;
  for (const RoleUse &Use : Walk.Uses)
    Using.insert(Use.Role);
  for (uint32_t R = 0; R != Walk.Roles.size(); ++R)
    if (!Walk.Roles[R].Started.Function.empty() || Using.count(R))
      To.Threads.push_back(inWords(Walk.Roles[R]));
  auto Limit = [&](uint64_t Number, const char *What, const char *Of) {
    if (Number)
      To.Limits.push_back(counted(Number, What) + Of);
  };
  Limit(Walk.UnknownStarts, "start",
        " of threads of which the function is not known");
  Limit(Walk.Unfollowed, "call", " that were not followed, for want of room");
  Limit(Walk.UnknownPlaces, "place",
        " of the source that access memory of which nothing is known");
  Limit(Layout.Unplaced, "place",
        " of the source that access elements with an unknown index");
  Meetings Met = meetings(std::move(Layout.Slots), To.LineBytes);
  // Of code that accesses little, that is little.
  double Blocks = 0;
  for (const ThreadRole &Role : Walk.Roles)
    Blocks += Role.Blocks * (Role.Many ? ThreadsOfMany : 1);
  Met.Accesses = std::max(Met.Accesses + Layout.UnplacedTimes, Blocks);
  addFindings(To, Layout.Places, Met, On, Layout.Threads);
}

} // namespace kst
