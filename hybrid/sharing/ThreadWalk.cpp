// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/sharing/ThreadWalk.h"

#include "hybrid/program/ProgramUnits.h"
#include "hybrid/sharing/ReachingThreads.h"
#include "hybrid/vocabulary/Vocabulary.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <span>

namespace kst {

namespace {

constexpr unsigned MaxCalls = 16;     ///< within one another
constexpr uint32_t MaxFrames = 20000; ///< of one role
/// Of one function with the same parameters in one role, from different
/// callers: hotter ones come first.
constexpr uint32_t MaxRepeats = 8;
/// Rounds of a library's loop that calls back for each event.
constexpr double EventRounds = 1000;

bool isJoin(std::string_view Name) {
  return Name == "pthread_join" || Name == "thrd_join" ||
         Name == "g_thread_join" || Name == "uv_thread_join" ||
         Name == "_ZNSt6thread4joinEv" || Name == "_ZNSt7jthread4joinEv" ||
         Name == "_ZNSt7jthreadD1Ev" ||
         (Name.starts_with("_ZNSt6futureI") && Name.ends_with("3getEv")) ||
         (Name.find("14__basic_futureI") != std::string_view::npos &&
          Name.ends_with("4waitEv"));
}

/// Of POSIX and C11.
bool isLockCall(std::string_view Name) {
  for (const char *Known :
       {"pthread_mutex_", "pthread_rwlock_", "pthread_spin_", "pthread_cond_",
        "pthread_barrier_wait", "mtx_", "cnd_", "sem_wait", "sem_post",
        "sem_trywait", "sem_timedwait"})
    if (Name.starts_with(Known))
      return !Name.ends_with("_init") && !Name.ends_with("_destroy");
  return false;
}

class Walker {
public:
  Walker(const Program &Whole, const CodeFrequencies &Code)
      : Whole(Whole), Code(Code), Places(Whole) {}

  ThreadWalk run() {
    findStarters();
    std::vector<FunctionId> Mains = Whole.functionsNamed("main");
    std::erase_if(Mains, [&](FunctionId F) { return !Starts.count(F); });
    const ProgramUnits All(Whole);
    for (FunctionId F : Mains) {
      Units = All.of(F);
      startFrom({F, {}}, 1, false, 0);
      lookAtStarted();
    }
    if (Mains.empty()) {
      for (FunctionId F : Starts)
        if (Direct.count(F))
          startFrom({F, {}}, 1, false, 0);
      lookAtStarted();
    }
    return std::move(Out);
  }

private:
  std::string_view nameOf(FunctionId In, const CallFact &Call) const {
    return Whole.calleeName(Whole.Functions[In].Unit, Call);
  }
  std::span<const CallFact> callsOf(FunctionId Id) const {
    return rowsOf(Whole.unitOf(Id).Calls, Whole.Functions[Id].Fact->Calls);
  }
  Site siteOf(FunctionId In, StrId File, uint32_t Line) const {
    const uint32_t Unit = Whole.Functions[In].Unit;
    return {Whole.text(Unit, Whole.Functions[In].Fact->Name),
            Whole.text(Unit, File), Line};
  }

  struct Start {
    CallFrame There;
    uint32_t Role;
  };

  void lookAtStarted() {
    for (Start &Of : Started) {
      Seen.clear();
      Frames = 0;
      markOwn(Of);
      look(Of.There, Of.Role, 1, 0, 0, ~0u, ~0u);
    }
    for (ThreadRole &Role : std::span(Out.Roles).subspan(FirstRole))
      Role.ProgramNumber = ProgramNumber;
    FirstRole = Out.Roles.size();
    Started.clear();
    Running = Frames = Phase = 0;
    ++ProgramNumber;
  }

  /// Those of the program that is looked at.
  std::vector<PossibleCallee> calleesOf(FunctionId In,
                                        const CallFact &Call) const {
    std::vector<PossibleCallee> Found = Code.callees(In, Call);
    if (Units.empty())
      return Found;
    std::erase_if(Found, [&](const PossibleCallee &C) {
      const LinkedFunction &Of = Whole.Functions[C.Function];
      return Of.Fact->Flags & FnOwn && !Units[Of.Unit];
    });
    double Sum = 0;
    for (const PossibleCallee &C : Found)
      Sum += C.Share;
    for (PossibleCallee &C : Found)
      C.Share /= Sum > 0 ? Sum : 1;
    return Found;
  }

  /// What one thread alone is given is its own.
  void markOwn(Start &Of) {
    if (Of.There.Params.empty() || Out.Roles[Of.Role].Many)
      return;
    PlaceValue &Given = Of.There.Params.front();
    if (Given.What == PlaceValue::Address &&
        std::ranges::count_if(Started, [&](const Start &Other) {
          return !Other.There.Params.empty() &&
                 Out.Roles[Other.Role].Phase == Out.Roles[Of.Role].Phase &&
                 Other.There.Params.front().At.Key == Given.At.Key;
        }) == 1)
      Given.At.ByThread = true;
  }

  /// Functions that start threads or wait for them, and their callers.
  void findStarters() {
    std::vector<std::vector<FunctionId>> Callers(Whole.Functions.size());
    std::vector<FunctionId> Open, OpenJoins;
    for (FunctionId Id = 0; Id != Whole.Functions.size(); ++Id)
      for (const CallFact &Call : callsOf(Id)) {
        if (isA(NameKind::ThreadStart, nameOf(Id, Call))) {
          Direct.insert(Id);
          Open.push_back(Id);
        }
        if (isJoin(nameOf(Id, Call)))
          OpenJoins.push_back(Id);
        for (const PossibleCallee &Callee : Whole.callees(Id, Call))
          Callers[Callee.Function].push_back(Id);
      }
    auto Spread = [&](std::vector<FunctionId> &From, std::set<FunctionId> &To) {
      while (!From.empty()) {
        const FunctionId Id = From.back();
        From.pop_back();
        if (To.insert(Id).second)
          From.insert(From.end(), Callers[Id].begin(), Callers[Id].end());
      }
    };
    Spread(Open, Starts);
    Spread(OpenJoins, Joins);
  }

  bool leadsTo(const std::set<FunctionId> &Some, FunctionId In,
               const CallFact &Call) const {
    return std::ranges::any_of(
        calleesOf(In, Call),
        [&](const PossibleCallee &C) { return Some.count(C.Function); });
  }

  /// A function on the way to the starts.
  void startFrom(CallFrame Of, double Times, bool Looped, unsigned Depth) {
    if (Depth > MaxCalls || ++Frames > MaxFrames) {
      ++Out.Unfollowed;
      return;
    }
    // While other threads run: between these lines.
    uint32_t First = ~0u, Last = ~0u;
    for (const CallFact &Call : callsOf(Of.Function))
      if (isStart(Of.Function, Call) || leadsTo(Starts, Of.Function, Call))
        First = std::min(First, Call.Line);
    for (const CallFact &Call : callsOf(Of.Function))
      if (Call.Line >= First && isWait(Of.Function, Call))
        Last = std::min(Last, Call.Line);
    const uint32_t Begin = Phase;
    std::vector<const CallFact *> InOrder;
    for (const CallFact &Call : callsOf(Of.Function))
      InOrder.push_back(&Call);
    std::ranges::stable_sort(InOrder, {}, &CallFact::Line);
    for (const CallFact *At : InOrder) {
      const CallFact &Call = *At;
      Of.ThreadLoops = startingLoops(Of.Function, Call);
      Of.Known.clear();
      const bool InLoop = Looped || !Of.ThreadLoops.empty();
      if (isStart(Of.Function, Call))
        start(Of, Call, InLoop);
      else if (leadsTo(Starts, Of.Function, Call)) {
        for (const PossibleCallee &C : calleesOf(Of.Function, Call))
          if (C.Function != Of.Function && Starts.count(C.Function))
            startFrom(called(Of, Call, C.Function), Times, InLoop, Depth + 1);
      } else if (isWait(Of.Function, Call)) {
        join(Of.Function, Call);
      }
    }
    Of.ThreadLoops.clear();
    Of.Known.clear();
    if (First != ~0u) {
      Out.Roles.push_back({"main", {}, false, Begin});
      Seen.clear();
      look(Of, uint32_t(Out.Roles.size() - 1), Times, Depth, First, Last, ~0u);
    }
  }

  /// Loops of which each iteration starts a thread and waits for none.
  std::vector<uint32_t> startingLoops(FunctionId In,
                                      const CallFact &Start) const {
    std::vector<uint32_t> Found = Places.loopsAround(In, Start.Block);
    for (const CallFact &Call : callsOf(In))
      if (isJoin(nameOf(In, Call)))
        for (uint32_t Loop : Places.loopsAround(In, Call.Block))
          std::erase(Found, Loop);
    return Found;
  }

  /// On a usual path: not where the start of another thread has failed.
  bool isWait(FunctionId In, const CallFact &Call) const {
    constexpr double Usual = 0.4;
    const std::vector<uint32_t> Loops = Places.loopsAround(In, Call.Block);
    return (Loops.empty() ? Code.block(In, Call.Block)
                          : Code.loopEntry(In, Loops.back())) >= Usual &&
           (isJoin(nameOf(In, Call)) || leadsTo(Joins, In, Call));
  }

  /// Which threads have ended is known when all have: one that is waited for in
  /// a loop, or in a function that does, stands for all.
  void join(FunctionId In, const CallFact &Call) {
    const bool All = !isJoin(nameOf(In, Call)) ||
                     !Places.loopsAround(In, Call.Block).empty();
    Running = All || !Running ? 0 : Running - 1;
    Phase += Running == 0;
  }

  bool isStart(FunctionId In, const CallFact &Call) const {
    const std::string_view Name = nameOf(In, Call);
    // A container that gets a thread that there is.
    return isA(NameKind::ThreadStart, Name) &&
           Name.find("emplace_backIJS0_E") == std::string_view::npos;
  }

  CallFrame called(const CallFrame &Of, const CallFact &Call,
                   FunctionId Callee) const {
    CallFrame There{Callee, {}, {}, Of.InThread};
    for (ValueId Arg : rowsOf(Whole.unitOf(Of.Function).ValueArgs, Call.Args))
      There.Params.push_back(Places.value(Of, Arg));
    return There;
  }

  /// The function is an argument, and what it gets is the next one; in C++ all
  /// that follow.
  void start(const CallFrame &Of, const CallFact &Call, bool Many) {
    const std::vector<PlaceValue> Args = called(Of, Call, None).Params;
    auto Code = std::ranges::find(Args, PlaceValue::Code, &PlaceValue::What);
    if (Code == Args.end() || Code->Function == None) {
      ++Out.UnknownStarts;
      return;
    }
    CallFrame There{Code->Function, {Code + 1, Args.end()}, {}, true};
    const uint32_t First = uint32_t(Code - Args.begin()) + 1;
    if (!nameOf(Of.Function, Call).starts_with("_Z"))
      There.Params.resize(std::min<size_t>(There.Params.size(), 1));
    else if (First < Args.size() && Call.PointerArgs >> First & 1)
      There.Params.front().At.ByThread = true; // a copy of what is called
    const LinkedFunction &Function = Whole.Functions[Code->Function];
    ThreadRole Role{Whole.text(Function.Unit, Function.Fact->Name),
                    siteOf(Of.Function, Call.File, Call.Line), Many, Phase};
    ++Running;
    // Once for each way that leads there, if all give it the same.
    for (const Start &Known : Started)
      if (ThreadRole &Other = Out.Roles[Known.Role];
          Other.Function == Role.Function && Other.Started == Role.Started &&
          Other.Phase == Role.Phase && Known.There.Params == There.Params) {
        Other.Many = true;
        return;
      }
    Started.push_back({std::move(There), uint32_t(Out.Roles.size())});
    Out.Roles.push_back(std::move(Role));
  }

  /// Accesses and calls of a function on lines behind First and before Last, by
  /// these threads of the role, and of what it calls: the hottest calls first,
  /// whatever calls them.
  void look(const CallFrame &Of, uint32_t Role, double Times, unsigned Depth,
            uint32_t First, uint32_t Last, uint32_t Threads) {
    lookAt(Of, Role, Times, Depth, First, Last, Threads, false);
    while (!Pending.empty()) {
      const PendingCall Next = Pending.top();
      Pending.pop();
      if (++Seen[Next.What] <= MaxRepeats)
        lookAt({Next.What.Function, Next.What.Params, {}, Of.InThread}, Role,
               Next.Often, Next.Depth, 0, ~0u, Next.What.Threads, Next.InEvent);
    }
  }

  void lookAt(const CallFrame &Of, uint32_t Role, double Times, unsigned Depth,
              uint32_t First, uint32_t Last, uint32_t Threads, bool InEvent) {
    if (Depth > MaxCalls || ++Frames > MaxFrames) {
      ++Out.Unfollowed;
      return;
    }
    const TuFacts &Facts = Whole.unitOf(Of.Function);
    const FunctionFact &Fact = *Whole.Functions[Of.Function].Fact;
    const std::vector<uint32_t> InBlock = ReachingThreads(Whole, Places).of(Of);
    for (uint32_t B = 0; !First && B != Fact.Blocks.size(); ++B)
      Out.Roles[Role].Blocks += Times * Code.block(Of.Function, B);
    for (const AccessFact &Access : rowsOf(Facts.Accesses, Fact.Accesses)) {
      const uint32_t Here = Threads & InBlock[Access.Block];
      if (Access.Line <= First || Access.Line >= Last || !Here)
        continue;
      const PlaceValue At = Places.value(Of, Access.Address);
      if (At.What != PlaceValue::Address) {
        ++Out.UnknownPlaces;
        continue;
      }
      const double Often = Times * Code.block(Of.Function, Access.Block);
      const bool Reads = Access.Kind != AccessForm::Write &&
                         Access.Kind != AccessForm::BulkWrite;
      const bool Writes = Access.Kind != AccessForm::Read &&
                          Access.Kind != AccessForm::BulkRead;
      Out.Uses.push_back({Role, At.At, Access.SizeBytes, Reads ? Often : 0,
                          Writes ? Often : 0,
                          siteOf(Of.Function, Access.File, Access.Line), Here});
    }
    // Calls of one function with the same arguments are one.
    std::map<Visited, double> Calls;
    for (const CallFact &Call : rowsOf(Facts.Calls, Fact.Calls)) {
      const uint32_t Here = Threads & InBlock[Call.Block];
      if (Call.Line <= First || Call.Line >= Last || !Here ||
          isStart(Of.Function, Call))
        continue;
      lookAtLock(Of, Call, Role, Times * Code.block(Of.Function, Call.Block),
                 Here);
      for (const PossibleCallee &Callee : calleesOf(Of.Function, Call))
        if (const double Often =
                Times * Code.calls(Of.Function, Call.Block, Callee.Function);
            Callee.Function != Of.Function && Often > 0 &&
            // Followed by startFrom().
            !(First && Starts.count(Callee.Function)))
          Calls[{Callee.Function, called(Of, Call, Callee.Function).Params,
                 Here}] += Often * Callee.Share;
      // An event that sets what is called for the next one is no round of its
      // own.
      const bool Rounds =
          !InEvent && isA(NameKind::EventCallback, nameOf(Of.Function, Call));
      for (const CallFrame &Back : calledBack(Of, Call)) {
        Visited What{Back.Function, Back.Params, Here};
        const double Often = Times * Code.block(Of.Function, Call.Block);
        if (Rounds)
          Pending.push({Often * EventRounds, ++Number, Depth + 1,
                        std::move(What), true});
        else if (!InEvent || Back.Function != Of.Function)
          Calls[std::move(What)] += Often;
      }
    }
    for (const auto &[What, Often] : Calls)
      Pending.push({Often, ++Number, Depth + 1, What, InEvent});
  }

  /// What a library calls that gets functions, in the thread that gives them:
  /// their last parameter is the address behind them.
  std::vector<CallFrame> calledBack(const CallFrame &Of,
                                    const CallFact &Call) const {
    std::vector<CallFrame> Found;
    if (Call.Kind != CallKind::Direct ||
        !Code.callees(Of.Function, Call).empty())
      return Found;
    const std::vector<PlaceValue> Args = called(Of, Call, None).Params;
    for (auto At = Args.begin(); At != Args.end(); ++At) {
      if (At->What != PlaceValue::Code || At->Function == None)
        continue;
      const auto Given = std::find_if(At, Args.end(), [](const PlaceValue &V) {
        return V.What != PlaceValue::Code;
      });
      CallFrame There{At->Function, {}, {}, Of.InThread};
      There.Params.resize(
          Whole.Functions[At->Function].Fact->ParamRecords.size());
      if (!There.Params.empty() && Given != Args.end() &&
          Given->What == PlaceValue::Address)
        There.Params.back() = *Given;
      Found.push_back(std::move(There));
    }
    return Found;
  }

  /// A lock of a library is memory that its callers write.
  void lookAtLock(const CallFrame &Of, const CallFact &Call, uint32_t Role,
                  double Often, uint32_t Threads) {
    const std::string_view Name = nameOf(Of.Function, Call);
    if (!isLockCall(Name) || Call.Args.size() == 0 ||
        !Code.callees(Of.Function, Call).empty())
      return;
    const PlaceValue At =
        Places.value(Of, Whole.unitOf(Of.Function).ValueArgs[Call.Args.Begin]);
    if (At.What != PlaceValue::Address || !(Call.PointerArgs & 1))
      return;
    constexpr uint32_t WordBytes = 8; // at its start
    Out.Uses.push_back({Role, At.At, WordBytes, Often, Often,
                        siteOf(Of.Function, Call.File, Call.Line), Threads});
  }

  const Program &Whole;
  const CodeFrequencies &Code;
  const PlaceEvaluator Places;
  std::set<FunctionId> Direct, Starts, Joins;
  std::vector<bool> Units; ///< of the program that is looked at; empty: all
  uint32_t ProgramNumber = 0;
  size_t FirstRole = 0; ///< of the program
  uint32_t Phase = 0;
  uint32_t Running = 0; ///< starts that none has waited for
  std::vector<Start> Started;
  struct Visited {
    FunctionId Function;
    std::vector<PlaceValue> Params;
    uint32_t Threads;
    auto operator<=>(const Visited &) const = default;
  };
  std::map<Visited, uint32_t> Seen;
  struct PendingCall {
    double Often = 0;
    uint32_t Number = 0; ///< the order of calls that are equally hot
    unsigned Depth = 0;
    Visited What;
    bool InEvent = false; ///< in what a library's loop calls
    bool operator<(const PendingCall &Other) const {
      return Often != Other.Often ? Often < Other.Often : Number > Other.Number;
    }
  };
  std::priority_queue<PendingCall> Pending;
  uint32_t Number = 0;
  uint32_t Frames = 0;
  ThreadWalk Out;
};

} // namespace

ThreadWalk walkThreads(const Program &Whole, const CodeFrequencies &Code) {
  return Walker(Whole, Code).run();
}

} // namespace kst
