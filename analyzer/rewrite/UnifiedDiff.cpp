// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/UnifiedDiff.h"

#include "hybrid/core/PatchName.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <vector>

namespace kst {

namespace {

constexpr size_t Context = 3;

/// Lines with their ends.
std::vector<llvm::StringRef> linesOf(llvm::StringRef Text) {
  std::vector<llvm::StringRef> Lines;
  while (!Text.empty()) {
    size_t End = Text.find('\n');
    size_t Length = End == llvm::StringRef::npos ? Text.size() : End + 1;
    Lines.push_back(Text.take_front(Length));
    Text = Text.drop_front(Length);
  }
  return Lines;
}

using Lines = std::vector<llvm::StringRef>;

/// Which lines of each side are in no common subsequence.
struct Changed {
  std::vector<bool> Old, New;
};

Changed compare(const Lines &Old, const Lines &New) {
  Changed Marks{std::vector<bool>(Old.size()), std::vector<bool>(New.size())};
  // Equal ends are not looked at again.
  long First = 0, N = Old.size(), M = New.size();
  while (First < N && First < M && Old[First] == New[First])
    ++First;
  while (N > First && M > First && Old[N - 1] == New[M - 1])
    --N, --M;
  N -= First;
  M -= First;
  long Max = N + M;
  std::vector<long> Furthest(2 * Max + 2);
  std::vector<std::vector<long>> Trace;
  auto At = [&](std::vector<long> &V, long K) -> long & { return V[K + Max]; };
  bool Done = Max == 0;
  for (long D = 0; !Done && D <= Max; ++D) {
    Trace.push_back(Furthest);
    for (long K = -D; K <= D && !Done; K += 2) {
      bool Down =
          K == -D || (K != D && At(Furthest, K - 1) < At(Furthest, K + 1));
      long X = Down ? At(Furthest, K + 1) : At(Furthest, K - 1) + 1;
      long Y = X - K;
      while (X < N && Y < M && Old[First + X] == New[First + Y])
        ++X, ++Y;
      At(Furthest, K) = X;
      Done = X >= N && Y >= M;
    }
  }
  long X = N, Y = M;
  for (long D = long(Trace.size()) - 1; D >= 0 && (X > 0 || Y > 0); --D) {
    std::vector<long> &V = Trace[D];
    long K = X - Y;
    bool Down = K == -D || (K != D && At(V, K - 1) < At(V, K + 1));
    long FromK = Down ? K + 1 : K - 1;
    long FromX = D ? At(V, FromK) : 0, FromY = D ? FromX - FromK : 0;
    while (X > FromX && Y > FromY && X > 0 && Y > 0 &&
           Old[First + X - 1] == New[First + Y - 1])
      --X, --Y;
    if (D == 0)
      break;
    if (Down)
      Marks.New[First + --Y] = true;
    else
      Marks.Old[First + --X] = true;
  }
  return Marks;
}

struct Line {
  char Sign;
  llvm::StringRef Text;
  size_t OldAt, NewAt; ///< lines before this one on each side
};

void writeLine(std::string &Out, char Sign, llvm::StringRef Text) {
  Out += Sign;
  Out += Text;
  if (!Text.ends_with("\n"))
    Out += "\n\\ No newline at end of file\n";
}

std::string range(size_t Start, size_t Count) {
  // An empty side is named by the line before it.
  std::string Text = std::to_string(Count ? Start + 1 : Start);
  return Count == 1 ? Text : Text + "," + std::to_string(Count);
}

} // namespace

std::string unifiedDiff(llvm::StringRef Path, llvm::StringRef Old,
                        llvm::StringRef New,
                        llvm::ArrayRef<DiffHeading> Headings) {
  if (Old == New)
    return "";
  Lines A = linesOf(Old), B = linesOf(New);
  Changed Marks = compare(A, B);
  std::vector<Line> Script;
  for (size_t I = 0, J = 0; I < A.size() || J < B.size();) {
    if (I < A.size() && Marks.Old[I]) {
      Script.push_back({'-', A[I], I, J});
      ++I;
    } else if (J < B.size() && Marks.New[J]) {
      Script.push_back({'+', B[J], I, J});
      ++J;
    } else {
      Script.push_back({' ', A[I], I, J});
      ++I, ++J;
    }
  }
  std::string Out = "--- " + headingName(("a/" + Path).str()) + "\n+++ " +
                    headingName(("b/" + Path).str()) + "\n";
  for (size_t At = 0; At < Script.size();) {
    if (Script[At].Sign == ' ') {
      ++At;
      continue;
    }
    // A hunk ends where more than twice the context is unchanged.
    size_t Begin = At - std::min(At, Context), End = At;
    for (size_t I = At; I < Script.size() && I <= End + 2 * Context + 1; ++I)
      if (Script[I].Sign != ' ')
        End = I;
    size_t Stop = std::min(Script.size(), End + 1 + Context);
    size_t OldCount = 0, NewCount = 0;
    for (size_t I = Begin; I != Stop; ++I) {
      OldCount += Script[I].Sign != '+';
      NewCount += Script[I].Sign != '-';
    }
    Out += "@@ -" + range(Script[Begin].OldAt, OldCount) + " +" +
           range(Script[Begin].NewAt, NewCount) + " @@";
    const DiffHeading *Above = nullptr;
    for (const DiffHeading &Heading : Headings)
      if (Script[Begin].OldAt >= Heading.Line)
        Above = &Heading;
    if (Above)
      Out += " " + Above->Text;
    Out += "\n";
    for (size_t I = Begin; I != Stop; ++I)
      writeLine(Out, Script[I].Sign, Script[I].Text);
    At = Stop;
  }
  return Out;
}

} // namespace kst
