// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/PerfScript.h"

#include "hybrid/import/TextLines.h"

namespace kst {

using Sample = PerfScript::Sample;

/// The instruction pointer and what follows, in words From.. of a line. False
/// if there is none. Atop a chain and without one the form is the same.
static bool readIp(const std::vector<std::string_view> &Words, size_t From,
                   Sample &Out) {
  // The last address that has a symbol behind it: other columns may come
  // before.
  auto Symbol = [&](size_t I) {
    if (I >= Words.size() || Words[I][0] == '(' || Words[I][0] == '|' ||
        (Words[I][0] == '[' && Words[I] != "[unknown]") ||
        takenBranch(Words[I]))
      return false;
    // A function may be called like a number: "add", "feed".
    bool Address = hexText(Words[I]) && Words[I].size() > 4;
    return !Address || I + 1 == Words.size() || Words[I + 1][0] == '(';
  };
  size_t Ip = Words.size();
  for (size_t I = From; I < Words.size(); ++I)
    if (hexText(Words[I]) && (I == From || Words[I].size() >= 4) &&
        Symbol(I + 1))
      Ip = I;
  if (Ip == Words.size())
    return false;
  Out.HasIp = true;
  Out.Symbol = Words[Ip + 1];
  Out.Kernel = *numberOf(Words[Ip], 16) >> 63;
  Out.DataAddress =
      Ip > From && Words[From].size() >= 8 && hexText(Words[From]);
  for (size_t I = From; I < Ip; ++I)
    Out.Store |= Words[I].find("STORE") != std::string_view::npos;
  size_t After = Ip + 2;
  if (After < Words.size() && Words[After].starts_with('(')) {
    Out.Kernel |= kernelDso(Words[After]);
    while (After < Words.size() && !Words[After].ends_with(')'))
      ++After;
    ++After;
  }
  if (After < Words.size())
    Out.Place = placeAt(Words, After);
  return true;
}

/// A line with time or event, each with a colon behind it.
static std::optional<Sample>
sampleOf(std::string_view Line, const std::vector<std::string_view> &Words) {
  Sample Out;
  size_t Rest = 0;
  for (size_t I = 0; I < Words.size() && !Rest; ++I)
    if (Words[I].ends_with(':') && (Out.TimeNs = nanosecondsOf(Words[I])))
      Rest = I + 1;
  bool Time = Rest;
  for (size_t I = Rest; I < Words.size(); ++I)
    if (Words[I].size() > 1 && Words[I].ends_with(':')) {
      Out.Event = Words[I].substr(0, Words[I].size() - 1);
      Out.Store = Out.Event.find("store") != Out.Event.npos;
      Rest = I + 1;
      break;
    }
  if (!Time && Out.Event.empty())
    return std::nullopt;
  if (Rest < Words.size() && !readIp(Words, Rest, Out))
    return std::nullopt; // a tracepoint's text, a record of another kind
  return Out;
}

PerfScript::PerfScript(PerfCounts &To, std::string_view Some) : To(To) {
  bool Frame = false;
  while (!Some.empty() && !Chains) {
    std::string_view Line = takeLine(Some);
    if (trimmed(Line).empty())
      Chains = Frame;
    else if (Line[0] != '#')
      Frame = true;
  }
}

void PerfScript::take(const Sample &S) {
  if (S.TimeNs)
    To.time(*S.TimeNs);
  if (!S.Event.empty())
    To.event(S.Event);
  InKernel = S.Kernel;
  To.Notes.DataAddresses += S.DataAddress;
  if (S.Symbol == "[unknown]" || S.Symbol.empty()) {
    ++To.Notes.Unknown;
    return;
  }
  std::string_view Name = sourceFunction(S.Symbol);
  To.function(Name, S.Kernel, 1);
  if (S.Place)
    To.place(To.Make.structure(S.Place->Struct, 0), *S.Place, 0, Name, S.Kernel,
             S.Store, 1);
}

bool PerfScript::branches() {
  bool Any = false;
  for (std::string_view Word : Words)
    if (auto Taken = takenBranch(Word)) {
      Any = true;
      ++To.Notes.Branches;
      if (Taken->ToStart && !Taken->To.empty())
        To.entry(sourceFunction(Taken->To), InKernel);
    }
  return Any;
}

bool PerfScript::line(std::string_view Line) {
  wordsOf(Line, MostPerfWords, Words);
  if (Words.empty()) {
    InChain = Pending = false;
    return true;
  }
  if (auto Found = sampleOf(Line, Words)) {
    Heads = true;
    Pending = !Found->HasIp;
    InChain = false;
    HeadTimeNs = Found->TimeNs;
    HeadEvent = Found->Event;
    To.Store = Found->Store;
    if (Found->HasIp)
      take(*Found);
    branches();
    return true;
  }
  // A frame of a chain, or a sample without time and event.
  Sample Frame;
  bool Blank = Line[0] == ' ' || Line[0] == '\t';
  if (!readIp(Words, Blank && hexText(Words[0]) ? 0 : 1, Frame))
    return branches(); // of the sample before it
  if (Pending) {
    Frame.TimeNs = HeadTimeNs;
    Frame.Event = HeadEvent;
    Frame.Store = To.Store;
    Pending = false;
    InChain = true;
    take(Frame);
    branches();
    return true;
  }
  if (Heads || (Chains && InChain)) {
    branches();
    return true;
  }
  InChain = true;
  take(Frame);
  branches();
  return true;
}

} // namespace kst
