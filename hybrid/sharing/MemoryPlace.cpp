// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/sharing/MemoryPlace.h"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace kst {

namespace {

/// Of pointers that lead to pointers, and of variables set from one another.
constexpr unsigned MaxDepth = 12;

/// Without the file of a static one, and as the source has it.
std::string shown(const std::string &Key) {
  std::string Name = Key.substr(Key.find_last_of(":.") + 1);
  int Status = 0;
  const std::unique_ptr<char, decltype(&std::free)> Plain(
      Name.starts_with("_Z")
          ? abi::__cxa_demangle(Name.c_str(), nullptr, nullptr, &Status)
          : nullptr,
      std::free);
  if (Plain)
    Name = Plain.get();
  const std::string_view Unnamed = "(anonymous namespace)::";
  if (const size_t At = Name.find(Unnamed); At != std::string::npos)
    Name.erase(At, Unnamed.size());
  return Name;
}

/// An address or a number that was stored where each thread has its own, or
/// where none has, as one finds it there.
PlaceValue asFound(PlaceValue Of, bool StoredApart, bool FoundApart) {
  auto Now = [&](Differs Was) {
    return Was != Differs::ByThread ? Was
           : !StoredApart           ? Differs::Any
           : FoundApart             ? Differs::ByThread
                                    : Differs::Any;
  };
  Of.Index = Now(Of.Index);
  for (PlaceStep &Step : Of.At.Steps)
    Step.Index = Now(Step.Index);
  if (Of.At.ByThread && !(StoredApart && FoundApart))
    Of.What = PlaceValue::Unknown;
  return Of;
}

} // namespace

PlaceEvaluator::PlaceEvaluator(const Program &Whole) : Whole(Whole) {
  collectStores();
}

std::string PlaceEvaluator::localKey(FunctionId In, uint32_t Serial) const {
  return Whole.text(Whole.Functions[In].Unit, Whole.Functions[In].Fact->Key) +
         "." + std::to_string(Serial);
}

void PlaceEvaluator::collectStores() {
  for (FunctionId Id = 0; Id != Whole.Functions.size(); ++Id) {
    const TuFacts &Facts = Whole.unitOf(Id);
    for (const AccessFact &Access :
         rowsOf(Facts.Accesses, Whole.Functions[Id].Fact->Accesses))
      if (const ValueFact &At = fact(Id, Access.Address);
          Access.Kind == AccessForm::ReadWrite &&
          At.Kind == ValueKind::Global && At.B & GlobalPerCpu)
        Counting.insert(Facts.Strings[At.A]);
    for (const StoreFact &Store :
         rowsOf(Facts.Stores, Whole.Functions[Id].Fact->Stores)) {
      ValueId Place = Store.Address;
      while (fact(Id, Place).Kind == ValueKind::Element)
        Place = fact(Id, Place).A;
      const ValueFact &At = fact(Id, Place);
      if (At.Kind == ValueKind::Global)
        OfVariables[Facts.Strings[At.A]].push_back({Id, &Store});
      else if (At.Kind == ValueKind::Object)
        OfVariables[localKey(Id, At.A)].push_back({Id, &Store});
      else if (At.Kind == ValueKind::Field)
        OfMembers[{Whole.record(Whole.Functions[Id].Unit, At.B), At.C}]
            .push_back({Id, &Store});
    }
  }
}

std::vector<uint32_t> PlaceEvaluator::loopsAround(FunctionId In,
                                                  uint32_t Block) const {
  const TuFacts &Facts = Whole.unitOf(In);
  const FunctionFact &Fact = *Whole.Functions[In].Fact;
  std::vector<uint32_t> Found;
  for (uint32_t L = Facts.Blocks[Fact.Blocks.Begin + Block].Loop; L != None;
       L = Facts.Loops[Fact.Loops.Begin + L].Parent)
    Found.push_back(L);
  return Found;
}

PlaceValue PlaceEvaluator::value(const CallFrame &In, ValueId Local,
                                 unsigned Depth) const {
  if (Local == None || Depth > MaxDepth)
    return {};
  // One that depends on itself finds nothing known of itself.
  auto [It, New] = In.Known.try_emplace(Local);
  if (New)
    It->second = evaluated(In, Local, Depth);
  return It->second;
}

PlaceValue PlaceEvaluator::evaluated(const CallFrame &In, ValueId Local,
                                     unsigned Depth) const {
  PlaceValue Out;
  const ValueFact &Of = fact(In.Function, Local);
  const uint32_t Unit = Whole.Functions[In.Function].Unit;
  switch (Of.Kind) {
  case ValueKind::Param:
    return Of.A < In.Params.size() ? In.Params[Of.A] : Out;
  case ValueKind::Const:
    Out.What = PlaceValue::Number;
    Out.Index = Differs::Same;
    Out.Constant = int64_t(Of.A | uint64_t(Of.B) << 32);
    return Out;
  case ValueKind::Global:
    Out.What = PlaceValue::Address;
    if (Of.B & GlobalPerCpu) {
      Out.At.Root = MemoryPlace::Own;
      Out.At.ByThread = Out.At.InThread = true;
    }
    Out.At.Key = Whole.text(Unit, Of.A);
    Out.At.Name = shown(Out.At.Key);
    return Out;
  case ValueKind::Function:
    Out.What = PlaceValue::Code;
    Out.Function = Whole.functionByKey(Unit, Whole.string(Unit, Of.A));
    return Out;
  case ValueKind::Object:
    Out.What = PlaceValue::Address;
    Out.At.Root = MemoryPlace::Local;
    Out.At.ByThread = Out.At.InThread = In.InThread;
    Out.At.Name = Whole.text(Unit, Of.B);
    Out.At.Key = localKey(In.Function, Of.A);
    return Out;
  case ValueKind::Field:
    Out = value(In, Of.A, Depth + 1);
    if (Out.What == PlaceValue::Address)
      Out.At.Steps.push_back({Whole.record(Unit, Of.B), Of.C});
    return Out;
  case ValueKind::Container:
    Out = value(In, Of.A, Depth + 1);
    if (Out.What != PlaceValue::Address || Out.At.Steps.empty() ||
        Out.At.Steps.back().Record != Whole.record(Unit, Of.B))
      return {};
    Out.At.Steps.pop_back();
    return Out;
  case ValueKind::Element: {
    Out = value(In, Of.A, Depth + 1);
    if (Out.What != PlaceValue::Address)
      return Out;
    const PlaceValue Index = value(In, Of.B, Depth + 1);
    // A pointer that walks on is somewhere in the array.
    if (!Out.At.Steps.empty() && Out.At.Steps.back().isElement() &&
        Out.At.Steps.back().StrideBytes == Of.C &&
        Index.Index != Differs::ByThread) {
      if (Index.Index != Differs::Same || Index.Constant)
        if (Out.At.Steps.back().Index == Differs::Same)
          Out.At.Steps.back().Index = Differs::Any;
      return Out;
    }
    Out.At.Steps.push_back({None, 0, Index.Index, Index.Constant, Of.C});
    return Out;
  }
  case ValueKind::Load:
    return loaded(In, Of.A, Depth + 1);
  case ValueKind::Local:
  case ValueKind::Choice:
    return joined(In, Of, Depth + 1);
  case ValueKind::Call:
    return called(In, Of.A, Depth + 1);
  case ValueKind::Unknown:
  case ValueKind::ThisCpu:
  case ValueKind::Current:
  case ValueKind::PerCpu:
    return Out;
  }
  return Out;
}

/// Several definitions. A variable of the loop that starts threads differs by
/// thread; another one that is a number may be anything.
PlaceValue PlaceEvaluator::joined(const CallFrame &In, const ValueFact &Of,
                                  unsigned Depth) const {
  const bool Redefined = Of.Kind == ValueKind::Local && Of.B != None;
  // Of a variable of several loops facts have one: in a loop that starts
  // threads, it is taken to be that.
  const bool ByThread = Redefined && !In.ThreadLoops.empty();
  PlaceValue Out;
  bool Several = false;
  for (ValueId Option : rowsOf(Whole.unitOf(In.Function).ValueArgs, Of.Args)) {
    PlaceValue One = value(In, Option, Depth);
    if (One.What == PlaceValue::Unknown)
      continue;
    if (Out.What == PlaceValue::Unknown)
      Out = std::move(One);
    else if (Out != One) {
      // `p = malloc(n); p = shared->p;`: what others may use counts.
      if (Out.What == PlaceValue::Address && Out.At.InThread &&
          One.What == PlaceValue::Address)
        Out = std::move(One);
      else if (Out.What != One.What ||
               (Out.At.Key != One.At.Key && !One.At.InThread))
        return {};
      else if (Out.At.Key == One.At.Key)
        Several = true;
    }
  }
  if (Out.What == PlaceValue::Address) {
    if ((Several || Redefined) && !Out.At.Steps.empty() &&
        Out.At.Steps.back().isElement() &&
        Out.At.Steps.back().Index != Differs::ByThread)
      Out.At.Steps.back().Index = ByThread ? Differs::ByThread : Differs::Any;
    return Out;
  }
  if (Out.What == PlaceValue::Code)
    return Several ? PlaceValue() : Out;
  // One that begins with the thread's own number goes on in steps of all.
  if (Out.What == PlaceValue::Number && Out.Index == Differs::ByThread)
    return Out;
  if (Redefined || Several || Out.What == PlaceValue::Unknown) {
    Out.What = PlaceValue::Number;
    Out.Index = ByThread ? Differs::ByThread : Differs::Any;
  }
  return Out;
}

std::string PlaceEvaluator::pointerName(const MemoryPlace &Of) const {
  for (size_t I = Of.Steps.size(); I-- != 0;)
    if (!Of.Steps[I].isElement())
      return Whole.recordInfo(Of.Steps[I].Record)
          .Fields[Of.Steps[I].Field]
          .Name;
  return Of.Name;
}

PlaceValue PlaceEvaluator::loaded(const CallFrame &In, ValueId Address,
                                  unsigned Depth) const {
  PlaceValue From = value(In, Address, Depth);
  if (From.What != PlaceValue::Address)
    return {};
  const bool Apart = From.At.differs();
  PlaceValue Out = contents(From.At, Depth);
  if (Out.What != PlaceValue::Unknown) {
    if (From.At.Root == MemoryPlace::Own && Out.What == PlaceValue::Number)
      Out.Index = ownNumber(From.At);
    // The pointer's name says more than the place of the allocation.
    if (Out.At.Root == MemoryPlace::Heap && Out.At.Name.empty())
      Out.At.Name = pointerName(From.At);
    return Out;
  }
  // What one pointer leads to is one object; of others it is not known whether
  // they lead to the same. As a number it differs as what holds it does.
  Out.Index = From.At.Root == MemoryPlace::Own ? ownNumber(From.At)
              : Apart                          ? Differs::ByThread
                                               : Differs::Any;
  Out.What = PlaceValue::Number;
  const bool One = From.At.Root == MemoryPlace::Variable &&
                   std::ranges::none_of(From.At.Steps, &PlaceStep::isElement);
  if (!Apart && !One)
    return Out;
  Out.What = PlaceValue::Address;
  Out.At.Root = MemoryPlace::Pointee;
  Out.At.Name = pointerName(From.At);
  Out.At.Key = From.At.Key;
  for (const PlaceStep &Step : From.At.Steps)
    if (!Step.isElement())
      Out.At.Key +=
          "." + std::to_string(Step.Record) + "." + std::to_string(Step.Field);
  Out.At.Key = "*" + Out.At.Key;
  // Whose pointers they are says whose objects: no more is known.
  Out.At.ByThread = Apart;
  return Out;
}

/// Each thread has a variable of its own so that it can have another value; but
/// for one that counts on.
Differs PlaceEvaluator::ownNumber(const MemoryPlace &Of) const {
  return Counting.count(Of.Key) ? Differs::Any : Differs::ByThread;
}

PlaceValue PlaceEvaluator::contents(const MemoryPlace &Of,
                                    unsigned Depth) const {
  auto [It, New] = Contents.try_emplace(Of);
  if (New)
    It->second = stored(Of, Depth);
  return It->second;
}

/// The first store of which it is known what it stores.
PlaceValue PlaceEvaluator::stored(const MemoryPlace &Of, unsigned Depth) const {
  const std::vector<Stored> *All = nullptr;
  size_t Last = Of.Steps.size();
  while (Last && Of.Steps[Last - 1].isElement())
    --Last;
  if (Last) {
    auto It =
        OfMembers.find({Of.Steps[Last - 1].Record, Of.Steps[Last - 1].Field});
    All = It == OfMembers.end() ? nullptr : &It->second;
  } else if (Of.Root != MemoryPlace::Heap && Of.Root != MemoryPlace::Pointee) {
    auto It = OfVariables.find(Of.Key);
    All = It == OfVariables.end() ? nullptr : &It->second;
  }
  if (!All)
    return {};
  const bool FoundApart = Of.differs();
  for (const Stored &S : *All) {
    const CallFrame There{S.In, {}, loopsAround(S.In, S.Fact->Block)};
    PlaceValue Kept = value(There, S.Fact->Stored, Depth + 1);
    if (Kept.What == PlaceValue::Unknown)
      continue;
    const PlaceValue Into = value(There, S.Fact->Address, Depth + 1);
    const bool StoredApart =
        Into.What == PlaceValue::Address &&
        (Into.At.differs() || // one of an iteration, copied for a thread
         (FoundApart && Into.At.Root == MemoryPlace::Local &&
          !There.ThreadLoops.empty()));
    Kept = asFound(std::move(Kept), StoredApart, FoundApart);
    if (Kept.What != PlaceValue::Unknown)
      return Kept;
  }
  return {};
}

PlaceValue PlaceEvaluator::called(const CallFrame &In, uint32_t Index,
                                  unsigned Depth) const {
  const TuFacts &Facts = Whole.unitOf(In.Function);
  const FunctionFact &Fact = *Whole.Functions[In.Function].Fact;
  const CallFact &Call = Facts.Calls[Fact.Calls.Begin + Index];
  // Each iteration of a loop that starts threads makes another block.
  bool InStartingLoop = false;
  for (uint32_t Loop : loopsAround(In.Function, Call.Block))
    InStartingLoop |=
        std::ranges::find(In.ThreadLoops, Loop) != In.ThreadLoops.end();
  const std::vector<PossibleCallee> Callees = Whole.callees(In.Function, Call);
  if (Callees.size() == 1) {
    CallFrame There{Callees.front().Function, {}, {}, In.InThread};
    for (ValueId Arg : rowsOf(Facts.ValueArgs, Call.Args))
      There.Params.push_back(value(In, Arg, Depth + 1));
    const TuFacts &Of = Whole.unitOf(There.Function);
    for (ValueId Returned :
         rowsOf(Of.ValueArgs, Whole.Functions[There.Function].Fact->Returns))
      if (PlaceValue Out = value(There, Returned, Depth + 1);
          Out.What != PlaceValue::Unknown) {
        if (Out.At.Root == MemoryPlace::Heap)
          Out.At.ByThread |= InStartingLoop;
        return Out;
      }
    return {};
  }
  if (!Callees.empty())
    return {};
  // Only allocating calls give values.
  PlaceValue Out;
  Out.What = PlaceValue::Address;
  Out.At.Root = MemoryPlace::Heap;
  const uint32_t Unit = Whole.Functions[In.Function].Unit;
  Out.At.Key = Whole.text(Unit, Call.File) + ":" + std::to_string(Call.Line);
  const std::string_view Name = Whole.calleeName(Unit, Call);
  auto Number = [&](uint32_t Arg) -> uint64_t {
    if (Arg >= Call.Args.size())
      return 0;
    const PlaceValue Of =
        value(In, Facts.ValueArgs[Call.Args.Begin + Arg], Depth + 1);
    const bool Known = Of.What == PlaceValue::Number &&
                       Of.Index == Differs::Same && Of.Constant > 0;
    return Known ? uint64_t(Of.Constant) : 0;
  };
  if (Name == "aligned_alloc" || Name == "memalign") {
    Out.At.AlignBytes = uint32_t(Number(0));
    Out.At.BlockBytes = Number(1);
  } else if (Name == "malloc" || Name == "_Znwm" || Name == "_Znam") {
    Out.At.BlockBytes = Number(0);
  } else if (Name == "calloc") {
    Out.At.BlockBytes = Number(0) * Number(1);
  } else if (Name == "realloc") {
    Out.At.BlockBytes = Number(1);
  }
  Out.At.ByThread = Out.At.InThread = In.InThread;
  Out.At.ByThread |= InStartingLoop;
  return Out;
}

} // namespace kst
