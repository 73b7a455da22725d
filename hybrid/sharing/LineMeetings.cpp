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
  void lose(const Part &Victim) {
    const Span &Own = Spans.at(Victim.Thread);
    double All = 0, Same = 0, Time = 0;
    for (const Part &By : Parts)
      if (By.Thread != Victim.Thread && By.Writes > 0) {
        const Span &Others = Spans.at(By.Thread);
        const double Writes = By.Writes * shareIn(Others, Own);
        if (Writes <= 0)
          continue;
        All += Writes;
        Time = std::max(Time, shareIn(Own, Others));
        if (overlap(By, Victim))
          Same += Writes;
      }
    const double Mine = Own.Accesses * Time;
    if (All <= 0 || Mine <= 0)
      return;
    const double Accesses = Victim.accesses() * Time;
    const double True = Accesses * Same / (Mine + Same);
    const double False = Accesses * All / (Mine + All) - True;
    if (True > 0)
      Out.True[Victim.Place] += True;
    if (False <= 0 || All <= Same)
      return;
    Out.FalseOf[Victim.Place] += False;
    for (const Part &By : Parts)
      if (By.Thread != Victim.Thread && By.Writes > 0 && !overlap(By, Victim))
        if (const double Writes = By.Writes * shareIn(Spans.at(By.Thread), Own);
            Writes > 0)
          Out.False[{Victim.Place, By.Place, Victim.Object == By.Object}] +=
              False * Writes / (All - Same);
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
