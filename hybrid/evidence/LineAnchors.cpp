// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/LineAnchors.h"

#include "hybrid/core/Hash.h"

#include <algorithm>
#include <optional>

namespace kst {

constexpr int32_t Reach = 40;

uint16_t anchorOf(std::string_view Line) {
  std::string Bare;
  for (char C : Line)
    if (C != ' ' && (C < '\t' || C > '\r'))
      Bare += C;
  uint64_t Hash = fnv1a(Bare);
  Hash ^= Hash >> 32;
  Hash ^= Hash >> 16;
  return uint16_t(Hash & 4095) + 1;
}

/// The line with this text that is nearest to At, from Least on.
static std::optional<int32_t> nearest(std::span<const std::string_view> Text,
                                      uint16_t Anchor, int32_t At,
                                      int32_t Least) {
  for (int32_t Way = 0; Way <= Reach; ++Way)
    for (int32_t Line : {At + Way, At - Way})
      if (Line >= Least && Line < int64_t(Text.size()) &&
          anchorOf(Text[Line]) == Anchor)
        return Line;
  return std::nullopt;
}

void followText(std::vector<LineRuns> &Ran,
                std::span<const std::string_view> Text) {
  std::vector<LineRuns> Moved;
  int32_t Shift = 0, Least = 0;
  std::optional<int64_t> EndBefore; // of the step before, as measured
  for (LineRuns Of : Ran) {
    const int64_t End = int64_t(Of.Begin) + Of.Lines;
    const int32_t Was = Of.Begin;
    if (Of.Begin >= 0 && Of.Anchor) {
      const auto Now = nearest(Text, Of.Anchor, Of.Begin + Shift, Least);
      if (!Now) {
        EndBefore.reset();
        continue;
      }
      Shift = *Now - Of.Begin;
      Least = *Now + 1;
    }
    if (Of.Begin > 0)
      Of.Begin += Shift;
    if (!Moved.empty()) {
      LineRuns &Before = Moved.back();
      const int64_t Room = int64_t(Of.Begin) - Before.Begin;
      if (Room <= 0) {
        Moved.pop_back();
      } else if (EndBefore == Was || Before.Lines > Room) {
        Before.Lines = uint32_t(Room);
      }
    }
    Moved.push_back(Of);
    EndBefore = End;
  }
  Ran = std::move(Moved);
}

std::span<const std::string_view> SourceLines::from(const std::string &File,
                                                    uint32_t Line) {
  auto [At, New] = Files.try_emplace(File);
  std::vector<std::string_view> &Lines = At->second;
  if (New)
    for (std::string_view Rest = Of ? Of(File) : ""; !Rest.empty();) {
      const size_t End = std::min(Rest.find('\n'), Rest.size());
      Lines.push_back(Rest.substr(0, End));
      Rest.remove_prefix(std::min(End + 1, Rest.size()));
    }
  if (!Line || Line > Lines.size())
    return {};
  return std::span(Lines).subspan(Line - 1);
}

} // namespace kst
