// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/FunctionEffects.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>

namespace kst {

FunctionEffects::FunctionEffects(const Program &Whole,
                                 const CodeFrequencies &Code,
                                 const SubjectRecord &Subject, LinkValues &Pool,
                                 FunctionId Function, ValueTranslator &Values,
                                 const KnownEffects &Summaries,
                                 FunctionLifetimes &Lives,
                                 const ConfigurationCode &Configured,
                                 bool HasRounds, LinkDrops &Drops)
    : Whole(Whole), Code(Code), Subject(Subject), Pool(Pool),
      Function(Function), Values(Values), Summaries(Summaries), Lives(Lives),
      Configured(Configured), HasRounds(HasRounds), Drops(Drops),
      Facts(Whole.unitOf(Function)), Fact(*Whole.Functions[Function].Fact) {}

bool concerns(const EffectKey &Key, const SubjectRecord &Subject) {
  return Key.Field != None || Key.Part == None ||
         !Subject.homes(Key.Part).empty();
}

void FunctionEffects::collect() {
  for (const AccessFact &Access : rowsOf(Facts.Accesses, Fact.Accesses))
    addAccess(Access);
  for (const CallFact &Call : rowsOf(Facts.Calls, Fact.Calls))
    addCall(Call);
  spreadOverVisits();
  joinContainers();
  joinAliases();
}

FunctionEffects::Place FunctionEffects::resolve(LinkId Address,
                                                RecordId PartOfPending) const {
  RecordId Part = PartOfPending;
  uint32_t Offset = 0;
  while (Pool[Address].Kind == ValueKind::Field ||
         Pool[Address].Kind == ValueKind::Element) {
    const LinkValue &Step = Pool[Address];
    if (Step.Kind == ValueKind::Field) {
      if (Step.B == Subject.id())
        return fits(Step.A) ? Place{Step.A, Step.C, None, 1, false, Offset}
                            : Place{Step.A, None, None};
      Part = Step.B;
      Offset += uint32_t(Whole.fieldFact(Step.B, Step.C).OffsetBits / 8);
    }
    Address = Step.A;
  }
  // `fdt->fd[i]`, where somebody stored `fdt->fd = &files->fd_array[0]`.
  const LinkValue Root = Pool[Address];
  if (Root.Kind == ValueKind::Load && leadsElsewhere(Root.A))
    return {Address, None, None};
  if (Root.Kind == ValueKind::Load && Pool[Root.A].Kind == ValueKind::Field) {
    const LinkValue Pointer = Pool[Root.A];
    SubjectRecord::Aim Aim = Subject.aim(Pointer.B, Pointer.C);
    if (Aim.Field != None && Aim.Share > Subject.share(Part)) {
      // A pointer that leads from a subject into a subject leads back to it.
      LinkId Instance = subjectOnTheWay(Root.A);
      if (Instance == None)
        Instance = Pool.container(Address, Subject.id(), Aim.Field);
      return {Instance, Aim.Field, None, Aim.Share, true, None};
    }
  }
  return {Address, None, Part, 1, false, Offset};
}

/// `sk->sk_receive_queue.prev`: what is in a part of another record leads to
/// what belongs to that part.
bool FunctionEffects::leadsElsewhere(LinkId Value) const {
  for (;; Value = Pool[Value].A)
    switch (const LinkValue &Step = Pool[Value]; Step.Kind) {
    case ValueKind::Field:
      if (Step.B == Subject.id())
        return false;
      if (Subject.homes(Step.B).empty()) {
        const RecordId Member = Whole.embedded(Step.B, Step.C);
        return Member != None && !Subject.homes(Member).empty();
      }
      continue;
    case ValueKind::Element:
    case ValueKind::Load:
      continue;
    default:
      return false;
    }
}

/// `fsnotify(&file->f_path)`, which takes `void *` and has a branch for each
/// thing that it may be given: the member is too small to be a subject.
bool FunctionEffects::fits(LinkId Instance) const {
  const LinkValue &Value = Pool[Instance];
  if (Value.Kind != ValueKind::Field)
    return true;
  RecordId Member = Whole.embedded(Value.B, Value.C);
  return Member == None ||
         Whole.recordFact(Member).SizeBytes >= Subject.sizeBytes();
}

std::vector<FunctionEffects::Place>
FunctionEffects::places(LinkId Address, RecordId PartOfPending,
                        unsigned Depth) const {
  constexpr unsigned MaxDepth = 3; // variables set from one another
  const Place Whole = resolve(Address, PartOfPending);
  if (Whole.Field != None || Depth == MaxDepth)
    return {Whole};
  std::vector<Place> Found;
  const std::vector<LinkId> &Options = Pool.alternatives(Whole.Instance);
  for (LinkId Option : Options)
    for (Place At : places(Option, Whole.Part, Depth + 1))
      if (At.Field != None ||
          (Pool[At.Instance].Kind == ValueKind::Param && relevant(At))) {
        At.Share /= double(Options.size());
        if (At.Offset != None)
          At.Offset += Whole.Offset;
        Found.push_back(At);
      }
  return Found.empty() ? std::vector<Place>{Whole} : Found;
}

LinkId FunctionEffects::subjectOnTheWay(LinkId Value) const {
  for (;; Value = Pool[Value].A)
    switch (Pool[Value].Kind) {
    case ValueKind::Field:
      if (Pool[Value].B == Subject.id())
        return Pool[Value].A;
      continue;
    case ValueKind::Element:
    case ValueKind::Load:
      continue;
    default:
      return None;
    }
}

bool FunctionEffects::relevant(const Place &At) const {
  if (At.Field != None)
    return true;
  // A bare scalar can only become a field in a caller that knows the object.
  if (At.Part == None)
    return Pool.traits(At.Instance).HasParam;
  return !Subject.homes(At.Part).empty();
}

uint32_t FunctionEffects::loopOf(LinkId Instance) const {
  const ValueTraits &Traits = Pool.traits(Instance);
  return Traits.Owner == Function ? Traits.Loop : None;
}

/// The outermost loop around a block of a function that a thread stays in.
uint32_t FunctionEffects::roundOf(LinkId Instance, uint32_t Block) const {
  uint32_t Outermost = None;
  if (HasRounds && loopOf(Instance) == None)
    for (uint32_t L = Facts.Blocks[Fact.Blocks.Begin + Block].Loop; L != None;
         L = Facts.Loops[Fact.Loops.Begin + L].Parent)
      Outermost = L;
  return Outermost;
}

double FunctionEffects::visitsPerCall(LinkId Instance, uint32_t Round) const {
  auto It = Visits.find({Instance, Round});
  return It == Visits.end() ? 1 : It->second;
}

/// How often Block is reached per call, counting a loop inside of Loop once
/// per entry: repeated touches of one instance are one visit.
double FunctionEffects::reach(uint32_t Block, uint32_t Loop) const {
  double Often = Code.block(Function, Block);
  for (uint32_t L = Facts.Blocks[Fact.Blocks.Begin + Block].Loop;
       L != None && L != Loop; L = Facts.Loops[Fact.Loops.Begin + L].Parent)
    Often = std::min(Often, Code.loopEntry(Function, L));
  return Often;
}

FunctionEffects::Moment FunctionEffects::momentOf(LinkId Instance,
                                                  uint32_t Block,
                                                  uint32_t Order) const {
  return {Block, Lives.stateAt(Instance, Block, Order),
          Configured.at(Function, Block, Order)};
}

void FunctionEffects::addAt(const Place &At, const Moment &When, double Share,
                            const Effect &Once) {
  Contributions.push_back(
      {{At.Instance, At.Field, At.Part, When.When, When.Configuration,
        roundOf(At.Instance, When.Block)},
       When.Block,
       Share * At.Share,
       Once});
  Effect &Added = Contributions.back().Once;
  if (At.Field != None)
    Subject.keepSpots(Added, At.Field, At.Offset);
  else if (At.Part != None)
    Added.shift(At.Offset);
  if (At.Guessed)
    Added.assume();
}

/// An instance that changes in a loop is visited once an iteration, and so is
/// what a thread deals with in each of its rounds: as often
/// as the block runs that reaches it most often, and no more often than the
/// loop's header, which also runs for the last, failing test.
void FunctionEffects::spreadOverVisits() {
  for (const Contribution &C : Contributions)
    if (uint32_t Loop = visitLoop(C.Key); Loop != None) {
      double &Of = Visits[{C.Key.Instance, C.Key.Round}];
      Of = std::max({Of, reach(C.Block, Loop), 1e-9});
    }
  for (auto &[Of, Times] : Visits) {
    const auto [Instance, Round] = Of;
    const uint32_t Loop = Round != None ? Round : loopOf(Instance);
    Times = std::min(Times, std::max(1e-9, Code.loopHeader(Function, Loop)));
  }
  std::ranges::stable_sort(
      Contributions, [](const Contribution &A, const Contribution &B) {
        return std::tie(A.Key, A.Block) < std::tie(B.Key, B.Block);
      });
  for (size_t I = 0; I != Contributions.size();) {
    const EffectKey Key = Contributions[I].Key;
    uint32_t Block = Contributions[I].Block;
    double PerVisit = visitsPerCall(Key.Instance, Key.Round);
    // Places in one block are reached together: whether the block is reached
    // counts once.
    Effect InBlock;
    for (; I != Contributions.size() && Contributions[I].Key == Key &&
           Contributions[I].Block == Block;
         ++I)
      InBlock.add(Contributions[I].Once, Contributions[I].Share,
                  Contributions[I].Share);
    double Reach = std::min(1.0, reach(Block, visitLoop(Key)) / PerVisit);
    double Times = Code.block(Function, Block) / PerVisit;
    All[Key].add(InBlock, Reach, Times);
  }
  Contributions.clear();
}

bool FunctionEffects::isLockPart(LinkId Address) const {
  for (; Pool[Address].Kind == ValueKind::Field ||
         Pool[Address].Kind == ValueKind::Element;
       Address = Pool[Address].A)
    if (Pool[Address].Kind == ValueKind::Field &&
        isA(NameKind::LockType, Whole.recordName(Pool[Address].B)))
      return true;
  return false;
}

bool FunctionEffects::isAtomicPart(LinkId Address) const {
  return Pool[Address].Kind == ValueKind::Field &&
         isA(NameKind::AtomicType, Whole.recordName(Pool[Address].B));
}

void FunctionEffects::addAccess(const AccessFact &Access) {
  LinkId Address = Values.translate(Access.Address);
  bool Bulk = Access.Kind == AccessForm::BulkRead ||
              Access.Kind == AccessForm::BulkWrite;
  Effect Once;
  Once.Probability = 1;
  Once.Reads = Access.Kind == AccessForm::Read ||
               Access.Kind == AccessForm::ReadWrite ||
               Access.Kind == AccessForm::BulkRead;
  Once.Writes = Access.Kind == AccessForm::Write ||
                Access.Kind == AccessForm::ReadWrite ||
                Access.Kind == AccessForm::BulkWrite;
  double Both = Once.Reads + Once.Writes;
  if (isLockPart(Address))
    Once.Lock = Both;
  else if (isAtomicPart(Address) || Access.Qualifiers & (QualOnce | QualAtomic))
    Once.Marked = Both;
  uint32_t Unit = Whole.Functions[Function].Unit;
  Once.Sites.push_back({Whole.string(Unit, Access.File), Access.Line, Function,
                        (Access.Qualifiers & QualAssumed) != 0, Once.Reads,
                        Once.Writes});
  bool Resolved = false;
  for (const Place &At : places(Address, None)) {
    if (Bulk && At.Field == None && At.Part == None && Access.SizeBytes &&
        Access.SizeBytes == Subject.sizeBytes()) {
      ++Drops.WholeRecord;
      continue;
    }
    if (!relevant(At))
      continue;
    Resolved |= At.Field != None;
    addAt(At, momentOf(At.Instance, Access.Block, Access.Order), 1, Once);
    if (Bulk && At.Field != None)
      addRest(At, Address, Access, Once);
  }
  ResolvedSites += Resolved;
}

/// `memset(&p->first, 0, n)` over several fields: those after the first.
void FunctionEffects::addRest(const Place &First, LinkId Address,
                              const AccessFact &Access, const Effect &Once) {
  if (Pool[Address].Kind != ValueKind::Field || Pool[Address].B != Subject.id())
    return;
  uint64_t Begin = Whole.fieldFact(Subject.id(), First.Field).OffsetBits;
  uint64_t End = Begin + Access.SizeBytes * 8ull;
  uint32_t Count = Whole.recordFact(Subject.id()).Fields.size();
  const Moment When = momentOf(First.Instance, Access.Block, Access.Order);
  for (uint32_t Field = 0; Field != Count; ++Field) {
    uint64_t Offset = Whole.fieldFact(Subject.id(), Field).OffsetBits;
    if (Field != First.Field && Offset >= Begin && Offset < End)
      addAt({First.Instance, Field, None}, When, 1, Once);
  }
}

void FunctionEffects::addCall(const CallFact &Call) {
  std::vector<PossibleCallee> Callees = Code.callees(Function, Call);
  if (Callees.empty())
    return addUnseenCall(Call);
  std::map<LinkId, double> Made;
  for (const PossibleCallee &Callee : Callees)
    if (Callee.Function != Function)
      for (const auto &[Instance, Sure] : addCallee(Call, Callee))
        Made[Instance] += (Callees.size() > 1 ? Callee.Share : 1) * Sure;
  for (const auto &[Instance, Sure] : Made) {
    double &Most = MadeByCallees[Instance];
    Most = std::max(Most, std::min(1.0, Sure));
  }
}

/// The record at an address, as far as the address itself tells, or None.
RecordId FunctionEffects::pointedRecord(LinkId Address) const {
  const LinkValue &Value = Pool[Address];
  if (Value.Kind == ValueKind::Field)
    return Whole.embedded(Value.B, Value.C);
  if (Value.Kind != ValueKind::Param || Value.A >= Fact.ParamRecords.size())
    return None;
  uint32_t Record = Facts.ValueArgs[Fact.ParamRecords.Begin + Value.A];
  return Record == None ? None
                        : Whole.record(Whole.Functions[Function].Unit, Record);
}

void FunctionEffects::addUnseenCall(const CallFact &Call) {
  uint32_t Unit = Whole.Functions[Function].Unit;
  bool Asks = Call.Kind == CallKind::Direct &&
              isAskingName(Whole.Strings[Whole.string(Unit, Call.Callee)]);
  for (uint32_t I = 0; I != Call.Args.size(); ++I) {
    LinkId Argument = Values.argument(Call, I);
    if (Argument == None)
      continue;
    // Only an address inside of an object says which field is meant; that of
    // a parameter may turn out to be one.
    ValueKind Kind = Pool[Argument].Kind;
    bool Pointer = I < 32 && (Call.PointerArgs >> I & 1);
    if (Kind == ValueKind::Const ||
        !(Pointer || Kind == ValueKind::Field || Kind == ValueKind::Element))
      continue;
    Effect Once;
    Once.Probability = 1;
    Once.Reads = 1;
    bool Const = (I < 32 && (Call.ConstArgs >> I & 1)) || Asks;
    Once.Writes = Const ? 0 : 1;
    RecordId Part = pointedRecord(Argument);
    if (isLockPart(Argument) ||
        (Part != None && isA(NameKind::LockType, Whole.recordName(Part))))
      Once.Lock = Once.Reads + Once.Writes;
    else if (Part != None && isA(NameKind::AtomicType, Whole.recordName(Part)))
      Once.Marked = Once.Reads + Once.Writes;
    Once.Sites.push_back({Whole.string(Unit, Call.File), Call.Line, Function,
                          true, Once.Reads, Once.Writes});
    bool Resolved = false;
    for (const Place &At : places(Argument, None)) {
      bool Passed = Pool[At.Instance].Kind == ValueKind::Param;
      if (!relevant(At) || (At.Field == None && At.Part == None && !Passed))
        continue;
      Resolved |= At.Field != None;
      addAt(At, momentOf(At.Instance, Call.Block, Call.Order), 1, Once);
    }
    ResolvedSites += Resolved;
  }
}

std::map<LinkId, double>
FunctionEffects::addCallee(const CallFact &Call, const PossibleCallee &Callee) {
  std::map<LinkId, double> Made;
  const Effects &Summary = Summaries[Callee.Function];
  std::unordered_map<LinkId, LinkId> Memo;
  LinkId Last = None;
  double Often = Code.calls(Function, Call.Block, Callee.Function);
  for (const auto &[Key, Inner] : Summary) {
    if (!concerns(Key, Subject))
      continue;
    bool HadParam = Pool.traits(Key.Instance).HasParam;
    // An instance that needs no argument to be named stays with the callee,
    // unless the caller deals with the same one.
    if (!HadParam && !Values.named().count(Key.Instance))
      continue;
    LinkId Instance = Values.substitute(Key.Instance, Call, Memo);
    if (Instance == None)
      continue;
    if (Key.Field != None && Pool[Instance].Kind == ValueKind::Container)
      Made[Instance] = std::max(Made[Instance], Inner.Sure);
    if (Key.Instance != Last)
      Taken.push_back({Callee.Function, Key.Instance, Often * Callee.Share});
    const bool First = Key.Instance != Last;
    Last = Key.Instance;
    if (Key.Field != None && !fits(Instance))
      continue;
    std::vector<Place> Known{{Instance, Key.Field, Key.Part}};
    if (Key.Field == None)
      Known = places(Instance, Key.Part);
    for (const Place &At : Known) {
      if (First && At.Field != None)
        Taken.back().Inside += Often * Callee.Share * At.Share;
      else if (First && (!relevant(At) || Pool.isVariable(At.Instance)))
        Taken.back().Outside += Often * Callee.Share * At.Share;
      if (!relevant(At))
        continue;
      // Open in the callee: as it is here, and what it hangs on (one parameter
      // is the object itself). What the callee frees is nobody else's before it
      // is published, either.
      Moment When = momentOf(At.Instance, Call.Block, Call.Order);
      const uint32_t Params = Key.When.Params;
      for (uint32_t Bits = std::popcount(Params) > 1 ? Params : 0; Bits;
           Bits &= Bits - 1)
        if (LinkId On = Values.argument(Call, std::countr_zero(Bits));
            On != None)
          When.When =
              attachedTo(When.When, Lives.stateAt(On, Call.Block, Call.Order));
      const bool Fresh = When.When.What == LifeState::SetUp;
      if (Key.When.What == LifeState::Steady)
        When.When.What = Fresh || When.When.What == LifeState::FirstUse
                             ? LifeState::FirstUse
                             : LifeState::Steady;
      else if (Key.When.What == LifeState::TearDown && !Fresh)
        When.When = Key.When;
      When.Configuration |= Key.Configuration;
      addAt(At, When, Callee.Share, Inner);
    }
  }
  return Made;
}

} // namespace kst
