// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/SourcePaths.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

namespace kst {
namespace {

/// Whether the last Length bytes are whole parts of a path.
bool wholeParts(std::string_view Path, size_t Length) {
  return Length == Path.size() || Path[Path.size() - Length - 1] == '/';
}

/// The last parts that two paths share, in bytes.
size_t commonEnd(std::string_view A, std::string_view B) {
  size_t Length = 0;
  while (Length < A.size() && Length < B.size() &&
         A[A.size() - Length - 1] == B[B.size() - Length - 1])
    ++Length;
  while (Length && !(wholeParts(A, Length) && wholeParts(B, Length)))
    --Length;
  return Length;
}

} // namespace

/// A relative name stands for one below a directory; an absolute one does not.
bool SourcePaths::applies(const Beginning &To, std::string_view Recorded) {
  return Recorded.starts_with(To.Recorded) &&
         !(To.Recorded.empty() && Recorded.starts_with("/"));
}

std::string SourcePaths::apply(const Beginning &To, std::string_view Recorded) {
  std::string Path =
      To.Analysed + std::string(Recorded.substr(To.Recorded.size()));
  return std::filesystem::path(Path).lexically_normal().string();
}

SourcePaths::SourcePaths(const Pairs &Known) : Known(Known) {
  std::set<std::pair<std::string, std::string>> Beginnings;
  for (const auto &[Recorded, Analysed] : Known)
    if (size_t Same = commonEnd(Recorded, Analysed);
        Same && !Analysed.starts_with("/"))
      Beginnings.emplace(Recorded.substr(0, Recorded.size() - Same),
                         Analysed.substr(0, Analysed.size() - Same));
  for (const auto &[Recorded, Analysed] : Beginnings) {
    Beginning Of{Recorded, Analysed, 0};
    size_t All = 0;
    for (const auto &[From, To] : Known)
      if (applies(Of, From)) {
        ++All;
        Of.Files += apply(Of, From) == To;
      }
    if (Of.Files * 10 >= All * 9 && Of.Files)
      Believed.push_back(std::move(Of));
  }
  std::ranges::sort(Believed, [](const Beginning &A, const Beginning &B) {
    return std::tuple(B.Files, B.Recorded.size(), A.Recorded, A.Analysed) <
           std::tuple(A.Files, A.Recorded.size(), B.Recorded, B.Analysed);
  });
}

std::string SourcePaths::analysed(const std::string &Recorded) const {
  auto At = Known.lower_bound({Recorded, ""});
  if (At != Known.end() && At->first == Recorded) {
    auto Next = std::next(At);
    if (Next == Known.end() || Next->first != Recorded)
      return At->second;
  }
  for (const Beginning &To : Believed)
    if (applies(To, Recorded))
      return apply(To, Recorded);
  return Recorded;
}

} // namespace kst
