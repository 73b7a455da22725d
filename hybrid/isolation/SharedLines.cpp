// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/SharedLines.h"

#include <algorithm>
#include <set>

namespace kst {
namespace {

/// Who takes less than one of so many misses of a line is no matter.
constexpr uint64_t FewOf = 20;

bool isMostly(const Global &G) {
  return G.Section.find("read_mostly") != std::string::npos;
}

class LineFinder {
public:
  LineFinder(const std::vector<Global> &Globals, const ObjectFile &File,
             const GlobalUses &Uses, const std::vector<double> &Heat,
             const SharedLinesAsked &Asked)
      : Globals(Globals), File(File), Uses(Uses), Heat(Heat), Asked(Asked) {
    const std::string Mark = "__ksymtab_";
    for (const ObjectSymbol &Of : File.Symbols)
      if (Of.Name.starts_with(Mark))
        Exported.insert(Of.Name.substr(Mark.size()));
  }

  /// Globals First to End - 1 are on the line.
  bool find(uint64_t Line, uint32_t First, uint32_t End, GlobalsLine &Out) {
    Out.Address = Line;
    if (Asked.Trace)
      if (const auto At = Asked.Trace->lines().find(Line);
          At != Asked.Trace->lines().end())
        Out.False = At->second;
    std::vector<GlobalUse> Of;
    for (uint32_t G = First; G < End; ++G) {
      const Global &At = Globals[G];
      const uint64_t Begin = At.Is.Address;
      Of.push_back(Uses.on(At.Symbol, Line > Begin ? Line - Begin : 0,
                           Line + Asked.LineBytes - Begin, Heat));
      Out.Members.push_back(member(G, Of.back(), Out, First, End));
    }
    for (size_t W = 0; W < Of.size(); ++W) {
      double Apart = 0;
      for (size_t R = 0; R < Of.size(); ++R)
        if (R != W && Of[W].Writes > 0)
          Apart += readApart(Of[R], Of[W], Heat);
      Out.Cost = std::max(Out.Cost, std::min(Of[W].Writes, Apart));
    }
    const bool Written = has(Out, LineRole::Written);
    if (!Written || (!Out.False && !(Out.Cost > 0)))
      return false;
    if (Asked.Trace && !Asked.Kernel && !Out.False && isTraced(Out))
      return false;
    // One array or struct whose own parts share is no matter of neighbours.
    if (Out.Members.size() < 2)
      return false;
    advise(Out);
    return !Out.Advice.empty();
  }

private:
  static bool has(const GlobalsLine &Line, LineRole Role) {
    return std::any_of(Line.Members.begin(), Line.Members.end(),
                       [&](const LineMember &M) { return M.Role == Role; });
  }

  /// Whether the trace has accesses to all that is used on the line: one of the
  /// plugin has those to structs.
  bool isTraced(const GlobalsLine &Line) const {
    return std::ranges::all_of(Line.Members, [&](const LineMember &M) {
      const GlobalCounts &Seen = Asked.Trace->counts()[M.Global];
      return M.Role == LineRole::Quiet || Seen.Loads || Seen.Stores;
    });
  }

  LineMember member(uint32_t G, const GlobalUse &Of, const GlobalsLine &Line,
                    uint32_t First, uint32_t End) const {
    LineMember Out;
    Out.Global = G;
    Out.Writes = Of.Writes;
    Out.Reads = Of.Reads;
    Out.Taken = Of.Taken;
    Out.Writers = userNames(File, Of, true, Heat, MostUserNames);
    Out.Readers = userNames(File, Of, false, Heat, MostUserNames);
    double Stores = Of.Writes, Loads = Of.Reads;
    if (Asked.Trace) {
      const GlobalCounts &Seen = Asked.Trace->counts()[G];
      if (Seen.Loads || Seen.Stores) {
        Stores = double(Seen.Stores);
        Loads = double(Seen.Loads);
      }
      // Where lines were taken, the trace says by whom.
      if (Line.False) {
        uint64_t Taken = 0;
        for (uint32_t Victim = First; Victim < End; ++Victim)
          if (Victim != G)
            Taken += misses(G, Victim);
        if (Taken * FewOf > Line.False)
          Out.Role = LineRole::Written;
        else if (Loads > 0 && Stores * RarelyWritten <= Loads)
          Out.Role = LineRole::Read;
        return Out;
      }
    }
    if (Stores > 0 && Stores * RarelyWritten > Loads)
      Out.Role = LineRole::Written;
    else if (Loads > 0)
      Out.Role = LineRole::Read;
    return Out;
  }

  uint64_t misses(uint32_t Writer, uint32_t Victim) const {
    const auto At = Asked.Trace->pairs().find({Writer, Victim});
    return At == Asked.Trace->pairs().end() ? 0 : At->second;
  }
  /// Whether it is worth a line of its own among what stays on this one.
  bool disturbs(uint32_t G, const std::vector<uint32_t> &Stay,
                const GlobalsLine &Line) const {
    if (!Asked.Trace || !Line.False)
      return true;
    uint64_t Sum = 0;
    for (uint32_t Other : Stay)
      if (Other != G)
        Sum += misses(G, Other) + misses(Other, G);
    return Sum * FewOf > Line.False;
  }

  /// Whether all that uses it writes another one that stays on the line: a lock
  /// and what it protects.
  bool goesWith(uint32_t G, const std::vector<uint32_t> &Stay) const {
    const GlobalUse Own = allOf(G);
    return !Own.Users.empty() &&
           std::any_of(Stay.begin(), Stay.end(), [&](uint32_t Other) {
             if (Other == G)
               return false;
             const GlobalUse Theirs = allOf(Other);
             return std::all_of(
                 Own.Users.begin(), Own.Users.end(),
                 [&](const GlobalUser &User) {
                   return User.Init ||
                          std::any_of(Theirs.Users.begin(), Theirs.Users.end(),
                                      [&](const GlobalUser &Writer) {
                                        return Writer.writes() &&
                                               Writer.Function == User.Function;
                                      });
                 });
           });
  }
  GlobalUse allOf(uint32_t G) const {
    const Global &Of = Globals[G];
    return Uses.on(Of.Symbol, 0, Of.Is.SizeBytes, Heat);
  }

  /// Whether anything but code of the boot writes it, or may.
  bool isWrittenLater(uint32_t G) const {
    const Global &Of = Globals[G];
    if (Uses.Pointed.count(Of.Symbol) || Exported.count(Of.Is.Name))
      return true;
    for (const GlobalUser &User : allOf(G).Users)
      if (!User.Init && (User.Stores || User.Taken))
        return true;
    return Asked.Trace && Asked.Trace->counts()[G].Stores;
  }
  /// Whether what is known says that all of it is read, not only these bytes.
  bool isReadMostly(uint32_t G) const {
    if (Asked.Trace)
      if (const GlobalCounts &Seen = Asked.Trace->counts()[G];
          Seen.Loads || Seen.Stores)
        return double(Seen.Stores) * RarelyWritten <= double(Seen.Loads);
    const GlobalUse All = allOf(G);
    return All.Writes * RarelyWritten <= All.Reads;
  }

  void advise(GlobalsLine &Line) const {
    std::vector<uint32_t> Apart; // where they are, written or read
    std::vector<uint32_t> Written;
    for (const LineMember &M : Line.Members) {
      const Global &Of = Globals[M.Global];
      if (M.Role == LineRole::Written) {
        Written.push_back(M.Global);
        if (isMostly(Of))
          Line.Advice.push_back({M.Global, GlobalAdvice::NotMostly});
      } else if (M.Role == LineRole::Read) {
        if (isMostly(Of) ||
            Of.Section.find("ro_after_init") != std::string::npos)
          continue;
        if (!Asked.Kernel || !isReadMostly(M.Global))
          Apart.push_back(M.Global);
        else
          Line.Advice.push_back({M.Global, isWrittenLater(M.Global)
                                               ? GlobalAdvice::ReadMostly
                                               : GlobalAdvice::AfterInit});
      }
    }
    // Written ones stay together with what is not moved away: one of them goes,
    // unless it is alone.
    std::vector<uint32_t> Stay = Written;
    Stay.insert(Stay.end(), Apart.begin(), Apart.end());
    if (Stay.size() > 1 || Line.Advice.empty())
      for (uint32_t G : Written) {
        if (isAdvised(Line, G) || alone(G) || !disturbs(G, Stay, Line) ||
            (!Line.False && goesWith(G, Stay)))
          continue;
        const bool Followed = G + 1 < Globals.size() &&
                              Globals[G + 1].Is.Address / Asked.LineBytes ==
                                  (Globals[G].end() - 1) / Asked.LineBytes;
        Line.Advice.push_back(
            {G, Followed ? GlobalAdvice::OwnLines : GlobalAdvice::Aligned});
        if (Stay.size() == 2)
          break;
      }
    order(Line);
  }
  static bool isAdvised(const GlobalsLine &Line, uint32_t G) {
    return std::any_of(Line.Advice.begin(), Line.Advice.end(),
                       [&](const AdvisedGlobal &A) { return A.Global == G; });
  }
  bool alone(uint32_t G) const {
    return Globals[G].Section.find("cacheline_aligned") != std::string::npos;
  }

  void order(GlobalsLine &Line) const {
    const Global &First = Globals[Line.Members.front().Global];
    if (First.Is.File.empty())
      return;
    for (const LineMember &M : Line.Members)
      if (Globals[M.Global].Is.File != First.Is.File ||
          Globals[M.Global].Section != First.Section)
        return;
    // What nobody uses lies between those that are read and those written.
    std::vector<uint32_t> Between;
    uint64_t Bytes = 0;
    for (uint32_t G = 0; G < Globals.size() && Bytes < Asked.LineBytes; ++G) {
      const Global &Of = Globals[G];
      if (Of.Is.File != First.Is.File || Of.Section != First.Section)
        continue;
      const GlobalUse Use = Uses.on(Of.Symbol, 0, Of.Is.SizeBytes, Heat);
      const bool Seen = Asked.Trace && (Asked.Trace->counts()[G].Loads ||
                                        Asked.Trace->counts()[G].Stores);
      if (Use.Writes > 0 || Use.Reads > 0 || Use.Taken > 0 || Seen)
        continue;
      Between.push_back(G);
      Bytes += Of.Is.SizeBytes;
    }
    if (Bytes < Asked.LineBytes || Between.size() > 3)
      return;
    for (LineRole Role : {LineRole::Read, LineRole::Quiet, LineRole::Written}) {
      if (Role == LineRole::Quiet)
        Line.Order.insert(Line.Order.end(), Between.begin(), Between.end());
      for (const LineMember &M : Line.Members)
        if (M.Role == Role && std::find(Line.Order.begin(), Line.Order.end(),
                                        M.Global) == Line.Order.end())
          Line.Order.push_back(M.Global);
    }
  }

  const std::vector<Global> &Globals;
  const ObjectFile &File;
  const GlobalUses &Uses;
  const std::vector<double> &Heat;
  const SharedLinesAsked &Asked;
  std::set<std::string> Exported; ///< to modules
};

} // namespace

std::string spelling(GlobalAdvice What, bool Kernel, uint64_t LineBytes) {
  if (!Kernel) {
    const std::string Word = "_Alignas(" + std::to_string(LineBytes) + ")";
    return What == GlobalAdvice::Aligned ? Word
                                         : "struct { " + Word + " ...; }";
  }
  switch (What) {
  case GlobalAdvice::ReadMostly:
    return "__read_mostly";
  case GlobalAdvice::AfterInit:
    return "__ro_after_init";
  case GlobalAdvice::Aligned:
    return "____cacheline_aligned_in_smp";
  case GlobalAdvice::OwnLines:
    return "__cacheline_aligned_in_smp";
  case GlobalAdvice::NotMostly:
    return "no __read_mostly";
  }
  return "";
}

std::vector<GlobalsLine> sharedLines(const std::vector<Global> &Globals,
                                     const ObjectFile &File,
                                     const GlobalUses &Uses,
                                     const std::vector<double> &Heat,
                                     const SharedLinesAsked &Asked) {
  std::vector<GlobalsLine> Out;
  LineFinder Finder(Globals, File, Uses, Heat, Asked);
  const auto LineOf = [&](uint64_t Address) {
    return Address / Asked.LineBytes;
  };
  // Only first and last lines of a global can have others on them.
  uint64_t Latest = ~uint64_t(0);
  for (uint32_t G = 0; G + 1 < Globals.size(); ++G) {
    const uint64_t Line = LineOf(Globals[G].end() - 1);
    if (Line == Latest || LineOf(Globals[G + 1].Is.Address) != Line)
      continue;
    Latest = Line;
    uint32_t End = G + 1;
    while (End < Globals.size() && LineOf(Globals[End].Is.Address) == Line)
      ++End;
    GlobalsLine Found;
    if (Finder.find(Line * Asked.LineBytes, G, End, Found))
      Out.push_back(std::move(Found));
  }
  std::stable_sort(
      Out.begin(), Out.end(), [](const GlobalsLine &A, const GlobalsLine &B) {
        return std::pair(A.False, A.Cost) > std::pair(B.False, B.Cost);
      });
  return Out;
}

std::vector<GlobalPlace> advisedPlaces(const std::vector<Global> &Globals,
                                       const std::vector<GlobalsLine> &Lines,
                                       const std::vector<uint32_t> &Padded,
                                       uint64_t LineBytes) {
  std::vector<GlobalPlace> Out;
  uint64_t End = 0;
  for (const Global &G : Globals) {
    Out.push_back({G.Is.Address, 0});
    End = std::max(End, G.end());
  }
  std::set<uint32_t> Mostly, Own;
  for (const GlobalsLine &Line : Lines)
    for (const AdvisedGlobal &A : Line.Advice)
      (A.What == GlobalAdvice::ReadMostly || A.What == GlobalAdvice::AfterInit
           ? Mostly
           : Own)
          .insert(A.Global);
  const auto Aligned = [](uint64_t Value, uint64_t To) {
    return (Value + To - 1) / To * To;
  };
  End = Aligned(End, LineBytes);
  for (uint32_t G : Mostly)
    if (!Own.count(G)) {
      Out[G].Address = End = Aligned(End, 16);
      End += Globals[G].Is.SizeBytes;
    }
  for (uint32_t G : Own) {
    Out[G].Address = End = Aligned(End, LineBytes);
    End = Aligned(End + Globals[G].Is.SizeBytes, LineBytes);
  }
  for (uint32_t G : Padded) {
    const GlobalVariable &Is = Globals[G].Is;
    Out[G].Address = End = Aligned(End, LineBytes);
    Out[G].StrideBytes = Aligned(Is.StrideBytes, LineBytes);
    End += Out[G].StrideBytes * Is.Number;
  }
  return Out;
}

} // namespace kst
