// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/cache/MissClassifier.h"

namespace kst {
namespace {

/// Bits `Begin` to `End` - 1 of word `Word` of a mask over the line's bytes.
uint64_t bitsInWord(LineBytes Bytes, uint32_t Word) {
  uint32_t Begin = std::max(Bytes.Begin, Word * 64),
           End = std::min(Bytes.End, Word * 64 + 64);
  if (Begin >= End)
    return 0;
  return ~uint64_t(0) >> (64 - (End - Begin)) << (Begin % 64);
}

CpuSet bit(unsigned Cpu) { return CpuSet(1) << Cpu; }

bool isSharing(MissClass Class) {
  return Class == MissClass::TrueSharing || Class == MissClass::FalseSharing;
}

} // namespace

MissClassifier::MissClassifier(const CacheGeometry &Geometry, unsigned Cpus,
                               ClassRule Rule)
    : Cpus(Cpus), Words((Geometry.LineBytes + 63) / 64), Rule(Rule) {
  for (CacheLevel Level : {CacheLevel::L1, CacheLevel::L2})
    if (Geometry[Level].exists())
      TwinOf[size_t(Level)] = TwinsPerCpu++;
  for (unsigned Cpu = 0; Cpu < Cpus; ++Cpu)
    for (CacheLevel Level : {CacheLevel::L1, CacheLevel::L2})
      if (const CacheShape &Shape = Geometry[Level]; Shape.exists())
        PrivateTwins.push_back(
            {FullLru(Shape.lines()),
             Cpus > 1 ? std::optional(TagArray(Shape)) : std::nullopt});
  if (const CacheShape &Shape = Geometry[CacheLevel::Llc]; Shape.exists())
    SharedTwins.push_back({FullLru(Shape.lines()), std::nullopt});
}

bool MissClassifier::meetsWritten(size_t Note, LineBytes Bytes) {
  for (uint32_t Word = Bytes.Begin / 64; Word * 64 < Bytes.End; ++Word)
    if (writtenSince(Note)[Word] & bitsInWord(Bytes, Word))
      return true;
  return false;
}

void MissClassifier::addWritten(size_t Note, LineBytes Bytes) {
  for (uint32_t Word = Bytes.Begin / 64; Word * 64 < Bytes.End; ++Word)
    writtenSince(Note)[Word] |= bitsInWord(Bytes, Word);
}

MissClassifier::Visit MissClassifier::visit(CacheLevel Level, const Asked &What,
                                            bool Hit) {
  const bool Private = Level != CacheLevel::Llc;
  Twins &T = Private
                 ? PrivateTwins[What.Cpu * TwinsPerCpu + TwinOf[size_t(Level)]]
                 : SharedTwins[0];
  const bool Full = T.Full.touch(What.Line);
  const bool Undisturbed = T.Undisturbed && T.Undisturbed->touch(What.Line).Hit;
  if (Hit)
    return {MissClass::None, !Full};
  const MissClass Replaced = Full ? MissClass::Conflict : MissClass::Capacity;
  const History *H = Lines.find(What.Line);
  if (!H)
    return {MissClass::Cold, false};
  if (!Private)
    return {Replaced, false};
  if (!(H->Touched & bit(What.Cpu)))
    return {What.DirtyElsewhere ? MissClass::ColdForeign : MissClass::ColdClean,
            false};
  if (isSharing(What.Above))
    return {What.Above, false};
  // What a remote write did not take is at least as long in a set from which
  // some were taken.
  if (Undisturbed)
    return {meetsWritten(noteOf(*H, What.Cpu), What.Bytes)
                ? MissClass::TrueSharing
                : MissClass::FalseSharing,
            false};
  return {Replaced, false};
}

void MissClassifier::taken(unsigned Cpu, uint64_t Line) {
  History &H = Lines[Line];
  if (!H.Notes) {
    H.Notes = ++LinesWithNotes;
    Notes.resize(Notes.size() + Cpus);
    Written.resize(Written.size() + size_t(Cpus) * Words);
  }
  H.Lost |= bit(Cpu);
  const size_t Note = noteOf(H, Cpu);
  Notes[Note].Open = {};
  std::fill_n(writtenSince(Note), Words, 0);
}

void MissClassifier::replaced(unsigned Cpu, uint64_t Line) {
  if (const History *H = Lines.find(Line); H && H->Notes)
    Notes[noteOf(*H, Cpu)].Open = {};
}

MissClassifier::Turned MissClassifier::done(const Asked &What, bool Stores,
                                            uint8_t FalseAt, uint8_t Tag) {
  History &H = Lines[What.Line];
  H.Touched |= bit(What.Cpu);
  Turned Result;
  LatestLost = H.Lost &= ~bit(What.Cpu);
  if (!H.Notes)
    return Result;
  const size_t Own = noteOf(H, What.Cpu);
  if (Rule == ClassRule::Lifetime) {
    if (FalseAt)
      Notes[Own].Open = {FalseAt, Tag};
    else if (Notes[Own].Open.Levels && meetsWritten(Own, What.Bytes))
      Result = std::exchange(Notes[Own].Open, {});
  }
  if (Stores)
    for (CpuSet Others = H.Lost; Others; Others &= Others - 1)
      addWritten(noteOf(H, unsigned(std::countr_zero(Others))), What.Bytes);
  return Result;
}

} // namespace kst
