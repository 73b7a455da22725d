// SPDX-License-Identifier: GPL-2.0-or-later
//
// The data profile as a document: its head, and which views there are.

#include "hybrid/dprof/DescribeParts.h"

#include "hybrid/report/ByteAmount.h"
#include "hybrid/report/Numbers.h"

namespace kst {

std::string amount(double Number) {
  if (Number < 10000)
    return fixed(Number, 0);
  const char *const Units[] = {"K", "M", "G", "T", "P", "E"};
  size_t Unit = 0;
  for (Number /= 1000; Number >= 999.5 && Unit < 5; ++Unit)
    Number /= 1000;
  return fixed(Number, Number < 9.995   ? 2
                       : Number < 99.95 ? 1
                                        : 0) +
         Units[Unit];
}

std::string changeOf(double Before, double After) {
  const std::string Text = change(Before, After);
  return Text.empty() ? Before == After ? "0.0%" : "new" : Text;
}

double share(double Part, double Whole) { return Whole > 0 ? Part / Whole : 0; }

std::string levelName(CacheLevel Level) {
  return Level == CacheLevel::L1   ? "L1"
         : Level == CacheLevel::L2 ? "L2"
                                   : "last-level";
}

std::string fieldName(const DataProfile &P, const TypeRow &Of,
                      const PlaceRow &At) {
  if (!P.Sites[At.Site].Field.empty())
    return P.Sites[At.Site].Field;
  if (!hasFields(Of.Kind))
    return "anywhere";
  return membersAt(Of.Members, At.OffsetBytes, At.SizeBytes);
}

std::string membersAt(const MemberNames &In, uint32_t OffsetBytes,
                      uint32_t SizeBytes) {
  const uint64_t Begin = uint64_t(OffsetBytes) * 8,
                 Bits = uint64_t(std::max(SizeBytes, 1u)) * 8;
  auto NameAt = [&](uint64_t Bit) {
    const std::string Name = memberAt(In, Bit);
    return Name.empty() ? "+" + std::to_string(Bit / 8) : Name;
  };
  const std::string First = NameAt(Begin);
  for (const MemberName &M : In)
    if (M.OffsetBits == Begin && M.SizeBits == Bits)
      return M.Path;
  for (const MemberName &M : In)
    if (M.Path == First && M.OffsetBits + M.SizeBits >= Begin + Bits)
      return First;
  const std::string Last = NameAt(Begin + Bits - 8);
  return In.empty() || Last == First ? First : First + ".." + Last;
}

std::string typeName(const DataProfile &P, const TypeRow &Of) {
  for (const TypeRow &Other : P.Types)
    if (&Other != &Of && Other.Name == Of.Name)
      return Of.Name + " (" + std::to_string(Of.SizeBytes) + " B)";
  return Of.Name;
}

std::vector<uint32_t> detailed(const DprofReport &R, size_t Most) {
  std::vector<uint32_t> Out;
  for (uint32_t T = 0; T < R.Data.Types.size(); ++T)
    if (R.Views.Type.empty() ? Out.size() < Most
                             : R.Data.Types[T].Name == R.Views.Type)
      Out.push_back(T);
  return Out;
}

namespace {

std::string inWords(const DataProfile &P) {
  return P.File + (P.Label.empty() ? "" : " (" + P.Label + ")") + ": " +
         counted(P.Events, "event") + ", " + amount(double(P.All.accesses())) +
         " accesses to lines by " + counted(P.Cpus, "CPU");
}

/// What the trace does not hold, a sentence each.
std::vector<std::string> gaps(const DataProfile &P) {
  std::vector<std::string> Out = P.Limits;
  if (P.Lost)
    Out.push_back(counted(P.Lost, "event") +
                  " lost by the recorder: counts are of the others");
  if (!P.Complete)
    Out.push_back("the trace is incomplete: its recorder was killed, or the "
                  "file was cut short");
  if (!P.Contexts)
    Out.push_back("the trace does not tell tasks from interrupts: no contexts");
  if (P.ImplicitFrees)
    Out.push_back(counted(P.ImplicitFrees, "object") +
                  " went without a free: the place was given to others");
  if (P.UnknownFrees)
    Out.push_back(counted(P.UnknownFrees, "free") +
                  " of objects that were allocated before the trace began");
  if (P.NoAccesses)
    Out.push_back(counted(P.NoAccesses, "event") +
                  " neither read nor write and are left out");
  if (P.UnknownFields)
    Out.push_back(counted(P.UnknownFields, "access") +
                  " to fields of which only the name is known left out: "
                  "--binary FILE names debug information that has the struct");
  if (P.CutAccesses)
    Out.push_back(counted(P.CutAccesses, "access") + " to more than " +
                  byteAmount(MostAccessBytes) + " cut to that");
  return Out;
}

} // namespace

Document describe(const DprofReport &R) {
  const DataProfile &P = R.Data;
  Document Doc;
  Doc.Name = "dprof";
  Doc.Title = "data profile of " + inWords(P);
  if (R.Other)
    Doc.Head.push_back(Paragraph{"compared with " + inWords(*R.Other)});
  std::string Model =
      "model: " + spelling(P.Geometry) +
      "; LRU, no prefetcher, no speculation, no hashed slices, "
      "interleaving by timestamp; sharing is judged " +
      (P.Sharing == ClassRule::Lifetime ? "over the lifetime of a line"
                                        : "at the miss") +
      ". All counts are the model's.";
  Doc.Head.push_back(Paragraph{Model});
  std::string Cost = "cost: ";
  for (size_t By = 0; By < Servers; ++By)
    Cost += (By ? ", " : "") + brief(P.Latency[By]) + " for " +
            spelling(ServedBy(By));
  Doc.Head.push_back(
      Paragraph{Cost + " cycles (--machine, --latency), not measured here"});
  for (const std::string &Gap : gaps(P))
    Doc.Head.push_back(Paragraph{strong("note: ") + Gap});
  if (R.Other)
    for (const std::string &Gap : gaps(*R.Other))
      Doc.Head.push_back(
          Paragraph{strong("note: ") + (R.Other->File + ": " + Gap)});
  for (const auto &[Type, Why] : R.NotAnalyzed)
    Doc.Head.push_back(
        Paragraph{strong("note: ") + "no order of " + code(Type) + ": " + Why});
  for (size_t Which = 0; Which < P.Orders.size(); ++Which)
    Doc.Sections.push_back(orderView(R, Which));
  if (R.Other)
    Doc.Sections.push_back(diffView(R));
  if (R.Views.Profile)
    Doc.Sections.push_back(profileView(R));
  auto Append = [&](std::vector<Section> More) {
    for (Section &Part : More)
      Doc.Sections.push_back(std::move(Part));
  };
  if (R.Views.Misses)
    Append(missesView(R));
  if (R.Views.WorkingSet)
    Append(workingSetView(R));
  if (R.Views.Flow)
    Doc.Sections.push_back(flowView(R));
  for (Section &Part : Doc.Sections)
    Part.Wide = true;
  return Doc;
}

} // namespace kst
