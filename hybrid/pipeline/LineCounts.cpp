// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/LineCounts.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace kst {

uint64_t ExecutedCode::at(uint64_t Address) const {
  return most(Address, Address + 1);
}

uint64_t ExecutedCode::most(uint64_t Begin, uint64_t End) const {
  uint64_t Most = 0;
  for (auto At = std::ranges::lower_bound(Instructions, Begin, {},
                                          &Instruction::Address);
       At != Instructions.end() && At->Address < End; ++At)
    Most = std::max(Most, At->Count);
  return Most;
}

namespace {

template <typename T> bool number(std::string_view Text, int Base, T &To) {
  auto [End, Wrong] =
      std::from_chars(Text.data(), Text.data() + Text.size(), To, Base);
  return Wrong == std::errc() && End == Text.data() + Text.size();
}

} // namespace

Result<ExecutedCode> readExecutedCode(std::string_view Text) {
  ExecutedCode Out;
  while (true) {
    const size_t End = Text.find('\n');
    if (End == Text.npos)
      return Failure{"the counts of instructions end too early"};
    const std::string_view Line = Text.substr(0, End);
    Text.remove_prefix(End + 1);
    if (Line == "end")
      break;
    const size_t Blank = std::min(Line.find(' '), Line.size());
    const std::string_view Where = Line.substr(0, Blank),
                           Count =
                               Line.substr(std::min(Blank + 1, Line.size()));
    ExecutedCode::Instruction Of;
    bool Good = number(Count, 10, Of.Count);
    if (Where == "outside") {
      Out.Outside = Of.Count;
    } else {
      Good = Good && number(Where, 16, Of.Address) &&
             (Out.Instructions.empty() ||
              Out.Instructions.back().Address < Of.Address);
      Out.Instructions.push_back(Of);
    }
    if (!Good)
      return Failure{"counts of instructions: not understood: " +
                     std::string(Line)};
  }
  return Out;
}

LineCounts addLineCounts(const FunctionCode &Code, const ExecutedCode &Ran,
                         ProfileBuilder &To) {
  struct Known {
    uint64_t Entries = 0, Rests = 0;
    bool Ran = false;
    std::map<uint32_t, uint64_t> Lines;
  };
  std::vector<Known> Functions(Code.Functions.size());
  for (const CodeCopy &C : Code.Copies)
    if (uint64_t Count = Ran.at(C.Entry)) {
      Known &Of = Functions[C.Function];
      Of.Ran = true;
      (C.Whole ? Of.Entries : Of.Rests) += Count;
    }
  // Stretches of one line of one copy, side by side.
  std::vector<CodeStretch> Stretches = Code.Stretches;
  std::ranges::sort(Stretches, [](const CodeStretch &A, const CodeStretch &B) {
    return std::tie(A.Copy, A.Line) < std::tie(B.Copy, B.Line);
  });
  for (size_t I = 0; I < Stretches.size();) {
    const CodeStretch &First = Stretches[I];
    uint64_t Most = 0;
    for (; I < Stretches.size() && Stretches[I].Copy == First.Copy &&
           Stretches[I].Line == First.Line;
         ++I)
      Most = std::max(Most, Ran.most(Stretches[I].Begin, Stretches[I].End));
    Known &Of = Functions[Code.Copies[First.Copy].Function];
    Of.Ran |= Most > 0;
    Of.Lines[First.Line] += Most;
  }
  LineCounts Sums;
  for (size_t I = 0; I < Functions.size(); ++I) {
    const CodeFunction &Name = Code.Functions[I];
    MeasuredSite Site;
    Site.Function = To.text(Name.Name);
    Site.File = To.text(Name.File);
    Site.Kind = SiteKind::Entry;
    Site.Line = Name.Line;
    // The compiler may leave nothing of the beginning, if its result is known.
    Site.Count = std::max(Functions[I].Entries, Functions[I].Rests);
    To.site(Site);
    ++Sums.Functions;
    if (!Functions[I].Ran)
      continue;
    ++Sums.Ran;
    Site.Kind = SiteKind::Line;
    for (auto [Line, Count] : Functions[I].Lines) {
      Site.Line = Line - Name.Line;
      Site.Count = Count;
      To.site(Site);
    }
  }
  return Sums;
}

} // namespace kst
