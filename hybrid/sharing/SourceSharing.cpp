// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/sharing/SourceSharing.h"

#include "hybrid/report/Numbers.h"
#include "hybrid/sharing/SourceAddresses.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace kst {

namespace {

class UseCollector {
public:
  UseCollector(const Program &Whole, const ThreadWalk &Walk, uint32_t LineBytes)
      : Whole(Whole), Walk(Walk), LineBytes(LineBytes),
        Addresses(Whole, Walk, LineBytes) {
    // Numbers of threads.
    for (const ThreadRole &Role : Walk.Roles) {
      FirstThread.push_back(Threads);
      Threads += Role.Many ? ThreadsOfMany : 1;
    }
    for (uint32_t U = 0; U != Whole.unitCount(); ++U)
      for (const VariableFact &Fact : Whole.unit(U).Variables) {
        const std::string &Key = Whole.text(U, Fact.Key),
                          &File = Whole.text(U, Fact.File);
        if (!Definitions.try_emplace(Key, File, Fact.Line).second)
          continue;
        LineEdit Edit;
        Edit.What = LineEdit::SpreadPointer;
        Edit.File = File;
        Edit.Line = Fact.Line;
        Edit.Name = Key.substr(Key.rfind(':') + 1);
        // Which of two of one name is not known.
        if (auto [It, New] = Pointers.try_emplace(Edit.Name, Edit); !New)
          It->second = {};
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
  std::string recordText(RecordId Id) const {
    const bool Union = Whole.recordFact(Id).Flags & RecUnion;
    return (Union ? "union " : "struct ") + Whole.recordName(Id);
  }

  /// What gives it lines of its own.
  LineEdit rootOf(const MemoryPlace &At) const {
    LineEdit Edit;
    Edit.Name = At.Name.substr(At.Name.rfind(':') + 1);
    if (At.Root == MemoryPlace::Variable) {
      auto It = Definitions.find(At.Key);
      if (It == Definitions.end())
        return {};
      Edit.What = LineEdit::AlignVariable;
      std::tie(Edit.File, Edit.Line) = It->second;
    } else if (At.Root == MemoryPlace::Local && !At.InThread) {
      Edit.What = LineEdit::AlignVariable;
      Edit.Part = At.Key.substr(0, At.Key.rfind('.'));
    } else if (At.Root == MemoryPlace::Heap) {
      const size_t Colon = At.Key.rfind(':');
      Edit.What = LineEdit::AlignBlock;
      Edit.File = At.Key.substr(0, Colon);
      Edit.Line = uint32_t(std::stoul(At.Key.substr(Colon + 1)));
    }
    return Edit;
  }

  LineEdit recordOf(RecordId Id) const {
    const RecordInfo Record = Whole.recordInfo(Id);
    LineEdit Edit;
    Edit.What = Record.Union ? LineEdit::None : LineEdit::PadRecord;
    Edit.File = Record.File;
    Edit.Line = Record.Line;
    Edit.Name = Record.Name;
    return Edit;
  }

  /// Of the array whose element is step number At: a variable or a member.
  LineEdit arrayOf(const MemoryPlace &Of, size_t At) const {
    LineEdit Edit;
    if (At + 1 != Of.Steps.size())
      return Edit; // of more than numbers
    if (!At && Of.Root == MemoryPlace::Heap) {
      auto It = Pointers.find(Of.Name);
      return It == Pointers.end() ? Edit : It->second;
    }
    if (!At) {
      Edit = rootOf(Of);
      Edit.What = Edit.What == LineEdit::AlignVariable ? LineEdit::SpreadIndex
                                                       : LineEdit::None;
    } else if (const PlaceStep &In = Of.Steps[At - 1]; !In.isElement()) {
      Edit = recordOf(In.Record);
      Edit.Part = Whole.recordInfo(In.Record).Fields[In.Field].Name;
      Edit.What = Edit.What == LineEdit::PadRecord ? LineEdit::SpreadMember
                                                   : LineEdit::None;
    }
    return Edit;
  }

  uint32_t placeOf(const RoleUse &Use) {
    SharedPlace Of;
    Of.Root = Use.At.Root == MemoryPlace::Variable ? SharedPlace::Static
              : Use.At.ByThread                    ? SharedPlace::OfType
                                                   : SharedPlace::Block;
    Of.Key = Use.At.Key;
    Of.Object = Use.At.Name;
    Of.SizeBytes = Of.AccessBytes = Use.SizeBytes;
    Of.OfRoot = rootOf(Use.At);
    // Names begin behind the element that differs by thread, if there is one.
    std::string Path;
    for (size_t I = 0; I != Use.At.Steps.size(); ++I) {
      const PlaceStep &Step = Use.At.Steps[I];
      if (Step.isElement()) {
        Path += "[]";
        if (Step.Index != Differs::ByThread && (Of.StrideBytes || I))
          continue;
        Of.StrideBytes = Addresses.strideOf(Use, I);
        Of.SizeBytes = Of.StrideBytes;
        Of.Array = Of.Path;
        Of.Field.clear();
        Of.Type.clear();
        Of.OfElement = arrayOf(Use.At, I);
        continue;
      }
      const FieldInfo Field = Whole.recordInfo(Step.Record).Fields[Step.Field];
      if (Of.Type.empty()) {
        Of.Type = recordText(Step.Record);
        Of.OfElement = recordOf(Step.Record);
        Of.SizeBytes = Whole.recordFact(Step.Record).SizeBytes;
        Of.Movable =
            !(Whole.recordFact(Step.Record).Flags & RecUnion) &&
            !(Whole.fieldFact(Step.Record, Step.Field).Flags & FldBitField);
      }
      if (Of.OfMember.What == LineEdit::None) {
        Of.OfMember = recordOf(Step.Record);
        if (Of.OfMember.What == LineEdit::PadRecord)
          Of.OfMember.What = LineEdit::AlignMember;
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
    if (Addresses.isConstant(Use.At))
      return;
    bool Placed = false;
    const uint32_t Count = Role.Many ? ThreadsOfMany : 1;
    // An array that is too short for all threads is for those of this role.
    const auto Last = Addresses.of(Use, First + Count - 1);
    const uint32_t Begin = Last && Last->Outside ? 0 : First;
    for (uint32_t T = 0; T != Count; ++T) {
      if (!(Use.Threads >> T & 1))
        continue;
      const auto There = Addresses.of(Use, Begin + T);
      if (!There)
        break;
      Placed = true;
      if (There->Outside)
        break;
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
  SourceAddresses Addresses;
  std::vector<uint32_t> FirstThread; ///< by role
  /// Of variables by key: file and line.
  std::map<std::string, std::pair<std::string, uint32_t>> Definitions;
  std::map<std::string, LineEdit> Pointers; ///< variables, by name
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

namespace {

/// Of one program.
ThreadWalk onlyOf(uint32_t Number, const ThreadWalk &All) {
  ThreadWalk One;
  std::map<uint32_t, uint32_t> NewNumber;
  for (uint32_t R = 0; R != All.Roles.size(); ++R)
    if (All.Roles[R].ProgramNumber == Number) {
      NewNumber[R] = uint32_t(One.Roles.size());
      One.Roles.push_back(All.Roles[R]);
    }
  for (const RoleUse &Use : All.Uses)
    if (auto It = NewNumber.find(Use.Role); It != NewNumber.end()) {
      One.Uses.push_back(Use);
      One.Uses.back().Role = It->second;
    }
  return One;
}

/// What another program has found of the same object stays as it is.
void addNew(std::vector<SharingFinding> &To,
            std::vector<SharingFinding> Found) {
  auto Same = [](const SharingFinding &A, const SharingFinding &B) {
    return A.Object == B.Object && A.Type == B.Type && A.Between == B.Between &&
           A.Fields == B.Fields;
  };
  for (SharingFinding &F : Found)
    if (auto It = std::ranges::find_if(
            To, [&](const SharingFinding &Old) { return Same(Old, F); });
        It == To.end())
      To.push_back(std::move(F));
    else if (It->Cycles < F.Cycles)
      *It = std::move(F);
  std::ranges::stable_sort(To, std::greater<>(), &SharingFinding::Cycles);
}

/// Returns accesses of unknown places.
uint64_t addProgram(SharingReport &To, const Program &Whole,
                    const ThreadWalk &Walk, const Machine &On) {
  UseCollector Layout(Whole, Walk, To.LineBytes);
  Layout.run();
  Meetings Met = meetings(std::move(Layout.Slots), To.LineBytes);
  // Of code that accesses little, that is little.
  double Blocks = 0;
  for (const ThreadRole &Role : Walk.Roles)
    Blocks += Role.Blocks * (Role.Many ? ThreadsOfMany : 1);
  Met.Accesses = std::max(Met.Accesses + Layout.UnplacedTimes, Blocks);
  SharingReport One;
  One.LineBytes = To.LineBytes;
  addFindings(One, Layout.Places, Met, On, Layout.Threads);
  addNew(To.False, std::move(One.False));
  addNew(To.True, std::move(One.True));
  return Layout.Unplaced;
}

} // namespace

void addSourceSharing(SharingReport &To, const Program &Whole,
                      const ThreadWalk &Walk, const Machine &On) {
  std::set<uint32_t> Programs;
  for (const ThreadRole &Role : Walk.Roles)
    Programs.insert(Role.ProgramNumber);
  uint64_t Unplaced = 0;
  for (uint32_t Number : Programs)
    Unplaced += addProgram(To, Whole, onlyOf(Number, Walk), On);
  std::set<uint32_t> Using;
  for (const RoleUse &Use : Walk.Uses)
    Using.insert(Use.Role);
  for (uint32_t R = 0; R != Walk.Roles.size(); ++R)
    if (!Walk.Roles[R].Started.Function.empty() || Using.count(R))
      if (std::string Words = inWords(Walk.Roles[R]);
          std::ranges::find(To.Threads, Words) == To.Threads.end())
        To.Threads.push_back(std::move(Words));
  auto Limit = [&](uint64_t Number, const char *What, const char *Of) {
    if (Number)
      To.Limits.push_back(counted(Number, What) + Of);
  };
  Limit(Walk.UnknownStarts, "start",
        " of threads of which the function is not known");
  Limit(Walk.Unfollowed, "call", " that were not followed, for want of room");
  Limit(Walk.UnknownPlaces, "access",
        " in the source to memory of which nothing is known");
  Limit(Unplaced, "access", " in the source to elements with an unknown index");
}

} // namespace kst
