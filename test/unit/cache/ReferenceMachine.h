// SPDX-License-Identifier: GPL-2.0-or-later
//
// The cache model once more, to judge the other one: slow, and simple enough to
// be seen to be right. Caches snoop instead of asking a directory; classes come
// from the written history instead of being kept up to date. Shares nothing
// with the model but the words of questions and answers.

#pragma once

#include "hybrid/cache/CacheModel.h"

#include <list>
#include <map>
#include <set>

namespace kst::test {

/// One cache: for each set a list of lines, the most recently used first.
struct PlainCache {
  CacheShape Shape;
  std::map<uint64_t, std::list<uint64_t>> Sets;
  std::vector<uint64_t> Visits; ///< the lines that were asked for, in order

  bool has(uint64_t Line) {
    auto &Set = Sets[Line % Shape.Sets];
    return std::find(Set.begin(), Set.end(), Line) != Set.end();
  }
  void remove(uint64_t Line) { Sets[Line % Shape.Sets].remove(Line); }
  /// Returns whether the line was there. Room is made at the end of the list.
  bool ask(uint64_t Line) {
    bool Hit = has(Line);
    auto &Set = Sets[Line % Shape.Sets];
    Set.remove(Line);
    Set.push_front(Line);
    if (Set.size() > Shape.Ways)
      Set.pop_back();
    Visits.push_back(Line);
    return Hit;
  }
  /// Different lines visited since the last visit of this one, of its set or of
  /// all; none if it was never visited. Of visits before the last.
  std::optional<size_t> othersSince(uint64_t Line, bool OfItsSet) const {
    std::set<uint64_t> Others;
    for (size_t I = Visits.size() - 1; I-- > 0;) {
      if (Visits[I] == Line)
        return Others.size();
      if (!OfItsSet || Visits[I] % Shape.Sets == Line % Shape.Sets)
        Others.insert(Visits[I]);
    }
    return std::nullopt;
  }
  bool wouldHoldUndisturbed(uint64_t Line) const {
    auto Others = othersSince(Line, true);
    return Others && *Others < Shape.Ways;
  }
  bool wouldHoldFullyAssociative(uint64_t Line) const {
    auto Others = othersSince(Line, false);
    return Others && *Others < Shape.lines();
  }
};

class ReferenceMachine {
public:
  ReferenceMachine(const CacheGeometry &G, const CacheOptions &Options)
      : G(G), Options(Options), Cpus(Options.Cpus) {
    for (Cpu &C : Cpus)
      for (CacheLevel Level : {CacheLevel::L1, CacheLevel::L2})
        if (G[Level].exists())
          C.Caches.emplace(Level, PlainCache{G[Level], {}, {}});
    if (G[CacheLevel::Llc].exists())
      Last.emplace(PlainCache{G[CacheLevel::Llc], {}, {}});
  }

  /// One outcome for each line.
  std::vector<AccessOutcome> access(const MemoryReference &R) {
    std::vector<AccessOutcome> Outcomes;
    for (uint64_t Byte = R.Address; Byte < R.Address + R.Bytes;) {
      uint64_t Line = Byte / G.LineBytes, Next = (Line + 1) * G.LineBytes;
      uint64_t End = std::min(Next, R.Address + R.Bytes);
      Outcomes.push_back(one({R.Cpu, Line, Byte, End, R.Kind}));
      Byte = Next;
    }
    return Outcomes;
  }

  CacheCounts Total;

private:
  struct Event {
    unsigned Who;
    uint64_t Line, Begin, End; ///< bytes Begin to End - 1 of memory
    AccessKind Kind;
    bool stores() const { return Kind != AccessKind::Load; }
    bool meets(const Event &E) const { return Begin < E.End && E.Begin < End; }
  };
  struct Cpu {
    std::map<CacheLevel, PlainCache> Caches;
    std::map<uint64_t, char> State;     ///< M, E or S; I if absent
    std::map<uint64_t, size_t> TakenAt; ///< index in History of the store
  };
  /// A miss by false sharing, while its CPU has the line.
  struct FalseMiss {
    unsigned Who;
    uint64_t Line;
    size_t TakenAt, MissedAt;
    uint8_t Levels;
  };

  char state(unsigned Who, uint64_t Line) {
    auto Found = Cpus[Who].State.find(Line);
    return Found == Cpus[Who].State.end() ? 'I' : Found->second;
  }
  bool anyOther(unsigned Who, uint64_t Line, const char *States) {
    for (unsigned C = 0; C < Cpus.size(); ++C)
      if (C != Who &&
          std::string(States).find(state(C, Line)) != std::string::npos)
        return true;
    return false;
  }
  bool remoteStoreMeets(const Event &E, size_t From, size_t To) {
    for (size_t I = From; I < To; ++I)
      if (History[I].Who != E.Who && History[I].stores() && History[I].meets(E))
        return true;
    return false;
  }
  MissClass classAt(CacheLevel Level, const PlainCache &Cache, const Event &E,
                    MissClass Above) {
    bool Anybody = false, Self = false;
    for (const Event &Old : History)
      if (Old.Line == E.Line) {
        Anybody = true;
        Self |= Old.Who == E.Who;
      }
    if (!Anybody)
      return MissClass::Cold;
    if (Level != CacheLevel::Llc) {
      if (!Self)
        return anyOther(E.Who, E.Line, "M") ? MissClass::ColdForeign
                                            : MissClass::ColdClean;
      auto Taken = Cpus[E.Who].TakenAt.find(E.Line);
      bool Lost = Taken != Cpus[E.Who].TakenAt.end();
      if (Above == MissClass::TrueSharing || Above == MissClass::FalseSharing)
        return Above;
      if (Lost && Cache.wouldHoldUndisturbed(E.Line))
        return remoteStoreMeets(E, Taken->second, History.size())
                   ? MissClass::TrueSharing
                   : MissClass::FalseSharing;
    }
    return Cache.wouldHoldFullyAssociative(E.Line) ? MissClass::Conflict
                                                   : MissClass::Capacity;
  }

  AccessOutcome one(const Event &E) {
    AccessOutcome Out;
    Cpu &Own = Cpus[E.Who];
    const bool Classify = Options.Classes != ClassRule::Off;
    MissClass Above = MissClass::None;
    bool Found = false;
    for (auto &[Level, Cache] : Own.Caches) {
      Found = Cache.ask(E.Line);
      if (Classify) {
        if (!Found)
          Above = Out.Class[size_t(Level)] = classAt(Level, Cache, E, Above);
        else if (!Cache.wouldHoldFullyAssociative(E.Line))
          Out.AntiConflict |= 1 << unsigned(Level);
      }
      if (Found) {
        Out.From = Level == CacheLevel::L1 ? ServedBy::L1 : ServedBy::L2;
        break;
      }
    }
    if (!Found) {
      bool Dirty = anyOther(E.Who, E.Line, "M");
      bool Hit = Last && Last->ask(E.Line);
      Out.From = Dirty ? ServedBy::Remote
                 : Hit ? ServedBy::Llc
                       : ServedBy::Memory;
      if (Classify && Last) {
        if (!Dirty && !Hit)
          Out.Class[2] = classAt(CacheLevel::Llc, *Last, E, MissClass::None);
        if (Hit && !Last->wouldHoldFullyAssociative(E.Line))
          Out.AntiConflict |= 1 << 2;
      }
    }
    if (!Own.Caches.empty()) {
      forgetReplaced(E.Who, E.Line);
      Out.Upgrade = snoop(E);
      if (Options.Classes == ClassRule::Lifetime)
        Out.TurnedTrue = turnedTrue(E, Out);
    }
    Own.TakenAt.erase(E.Line);
    History.push_back(E);
    count(Out);
    return Out;
  }

  /// Lines that no cache of the CPU has any more are in no state.
  void forgetReplaced(unsigned Who, uint64_t Current) {
    auto &State = Cpus[Who].State;
    for (auto I = State.begin(); I != State.end();) {
      bool Held = I->first == Current;
      for (auto &[Level, Cache] : Cpus[Who].Caches)
        Held |= Cache.has(I->first);
      if (!Held)
        std::erase_if(Open, [&](const FalseMiss &Miss) {
          return Miss.Who == Who && Miss.Line == I->first;
        });
      I = Held ? std::next(I) : State.erase(I);
    }
  }

  /// The states after the access; was it an upgrade?
  bool snoop(const Event &E) {
    char Before = state(E.Who, E.Line);
    if (!E.stores()) {
      if (Before != 'I')
        return false;
      bool Shared = anyOther(E.Who, E.Line, "MES");
      for (Cpu &C : Cpus)
        if (auto Found = C.State.find(E.Line); Found != C.State.end())
          Found->second = 'S';
      Cpus[E.Who].State[E.Line] = Shared ? 'S' : 'E';
      return false;
    }
    for (unsigned C = 0; C < Cpus.size(); ++C) {
      if (C == E.Who || state(C, E.Line) == 'I')
        continue;
      Cpus[C].State.erase(E.Line);
      Cpus[C].TakenAt[E.Line] = History.size();
      for (auto &[Level, Cache] : Cpus[C].Caches)
        Cache.remove(E.Line);
      std::erase_if(Open, [&](const FalseMiss &Miss) {
        return Miss.Who == C && Miss.Line == E.Line;
      });
    }
    Cpus[E.Who].State[E.Line] = 'M';
    return Before == 'S';
  }

  uint8_t turnedTrue(const Event &E, const AccessOutcome &Out) {
    uint8_t Levels = 0;
    for (size_t Level = 0; Level < CacheLevels; ++Level)
      if (Out.Class[Level] == MissClass::FalseSharing)
        Levels |= 1 << Level;
    if (Levels) {
      Open.push_back({E.Who, E.Line, Cpus[E.Who].TakenAt.at(E.Line),
                      History.size(), Levels});
      return 0;
    }
    for (auto Miss = Open.begin(); Miss != Open.end(); ++Miss)
      if (Miss->Who == E.Who && Miss->Line == E.Line &&
          remoteStoreMeets(E, Miss->TakenAt, Miss->MissedAt)) {
        Levels = Miss->Levels;
        Open.erase(Miss);
        return Levels;
      }
    return 0;
  }

  void count(const AccessOutcome &Out) {
    ++Total.Served[size_t(Out.From)];
    Total.Upgrades += Out.Upgrade;
    for (size_t Level = 0; Level < CacheLevels; ++Level) {
      if (Out.Class[Level] != MissClass::None)
        ++Total.Missed[Level][size_t(Out.Class[Level])];
      Total.AntiConflicts[Level] += Out.AntiConflict >> Level & 1;
      if (Out.TurnedTrue >> Level & 1) {
        --Total.Missed[Level][size_t(MissClass::FalseSharing)];
        ++Total.Missed[Level][size_t(MissClass::TrueSharing)];
      }
    }
  }

  const CacheGeometry G;
  const CacheOptions Options;
  std::vector<Cpu> Cpus;
  std::optional<PlainCache> Last;
  std::vector<Event> History;
  std::list<FalseMiss> Open;
};

} // namespace kst::test
