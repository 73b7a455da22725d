// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/sharing/LineMeetings.h"

#include <algorithm>
#include <span>

namespace kst {

namespace {

struct Part : MeetingSlot {
  uint64_t Line = 0;
  double accesses() const { return Reads + Writes; }
  uint64_t end() const { return Address + Bytes; }
};

bool overlap(const Part &A, const Part &B) {
  return A.Address < B.end() && B.Address < A.end();
}

/// The time in which a thread uses a line.
struct Span {
  double First = 0, Last = 0, Accesses = 0;
  double length() const { return Last - First; }
};

/// The part of `Of` that lies in `In`.
double shareIn(const Span &Of, const Span &In) {
  const double Common =
      std::min(Of.Last, In.Last) - std::max(Of.First, In.First);
  if (Common < 0)
    return 0;
  return Of.length() > 0 ? Common / Of.length() : 1;
}

/// One line's slots.
class LineModel {
public:
  LineModel(std::span<const Part> Parts, Meetings &Out)
      : Parts(Parts), Out(Out) {
    for (const Part &P : Parts) {
      auto [It, New] = Spans.try_emplace(P.Thread, Span{P.First, P.Last, 0});
      It->second.First = std::min(It->second.First, P.First);
      It->second.Last = std::max(It->second.Last, P.Last);
      It->second.Accesses += P.accesses();
    }
  }

  void run() {
    if (Spans.size() > 1)
      for (const Part &P : Parts)
        lose(P);
  }

private:
  /// The part of what the victim does in which its thread does not use the
  /// other one's bytes, too: where it does, it loses the line for them anyway.
  double apartFrom(const Part &Victim, const Part &By) const {
    double Together = 0;
    for (const Part &Own : Parts)
      if (Own.Thread == Victim.Thread && overlap(Own, By))
        Together += Own.accesses();
    return std::max(0.0, 1 - Together / Victim.accesses());
  }

  void lose(const Part &Victim) {
    const Span &Own = Spans.at(Victim.Thread);
    double Same = 0, Beside = 0, Time = 0;
    std::vector<std::pair<const Part *, double>> Others;
    for (const Part &By : Parts) {
      if (By.Thread == Victim.Thread || By.Writes <= 0)
        continue;
      const Span &There = Spans.at(By.Thread);
      double Writes = By.Writes * shareIn(There, Own);
      if (Writes <= 0)
        continue;
      Time = std::max(Time, shareIn(Own, There));
      if (overlap(By, Victim)) {
        Same += Writes;
      } else if (Writes *= apartFrom(Victim, By); Writes > 0) {
        Beside += Writes;
        Others.push_back({&By, Writes});
      }
    }
    const double Mine = Own.Accesses * Time;
    if (Same + Beside <= 0 || Mine <= 0)
      return;
    const double Accesses = Victim.accesses() * Time;
    const double True = Accesses * Same / (Mine + Same);
    const double False =
        Accesses * (Same + Beside) / (Mine + Same + Beside) - True;
    if (True > 0)
      Out.True[Victim.Place] += True;
    for (const auto &[By, Writes] : Others)
      Out.False[{Victim.Place, By->Place, Victim.Object == By->Object}] +=
          False * Writes / Beside;
  }

  const std::span<const Part> Parts;
  Meetings &Out;
  std::map<uint32_t, Span> Spans;
};

} // namespace

Meetings meetings(std::vector<MeetingSlot> Slots, uint32_t LineBytes) {
  Meetings Out;
  std::vector<Part> Parts;
  for (const MeetingSlot &S : Slots) {
    Out.Accesses += S.Reads + S.Writes;
    for (uint64_t At = S.Address, End = S.Address + std::max(S.Bytes, 1u);
         At < End;) {
      const uint64_t Line = At / LineBytes;
      const uint64_t Stop = std::min(End, (Line + 1) * LineBytes);
      Part P{S, Line};
      P.Address = At;
      P.Bytes = uint32_t(Stop - At);
      Parts.push_back(P);
      At = Stop;
    }
  }
  std::ranges::stable_sort(Parts, {}, &Part::Line);
  for (size_t Begin = 0; Begin != Parts.size();) {
    size_t End = Begin;
    while (End != Parts.size() && Parts[End].Line == Parts[Begin].Line)
      ++End;
    LineModel(std::span(Parts).subspan(Begin, End - Begin), Out).run();
    Begin = End;
  }
  return Out;
}

} // namespace kst
