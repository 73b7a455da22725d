// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/bound/SpotLines.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

namespace kst {

namespace {

/// One field's places that a visit touches.
struct Places {
  const FieldInfo &Field;
  std::vector<std::pair<uint64_t, double>> At; ///< bytes, chance; ascending
};

/// Calls Take with the chance that a visit touches no place of a line, for
/// each line, if the field begins Start bytes behind the begin of one.
template <typename F>
void forEachLine(const Places &Of, uint64_t Start, uint64_t LineBytes, F Take) {
  for (size_t I = 0; I != Of.At.size();) {
    const uint64_t Line = (Start + Of.At[I].first) / LineBytes;
    double Untouched = 1;
    for (; I != Of.At.size() && (Start + Of.At[I].first) / LineBytes == Line;
         ++I)
      Untouched *= 1 - Of.At[I].second;
    Take(Untouched);
  }
}

double alone(const Places &Of, uint64_t LineBytes) {
  double Least = std::numeric_limits<double>::infinity();
  const uint64_t Step = std::min<uint64_t>(
      std::max(1u, Of.Field.Packed ? 1 : Of.Field.AlignBytes), SpotBytes);
  for (uint64_t Start = 0; Start < LineBytes; Start += Step) {
    double Sum = 0;
    forEachLine(Of, Start, LineBytes,
                [&](double Untouched) { Sum += 1 - Untouched; });
    Least = std::min(Least, Sum);
  }
  return Least;
}

double inside(const Places &Of, uint64_t LineBytes) {
  double Untouched = 1;
  for (auto [Bytes, P] : Of.At)
    if (Bytes >= LineBytes && Bytes + LineBytes <= Of.Field.SizeBits / 8)
      Untouched *= 1 - P;
  return 1 - Untouched;
}

} // namespace

SpotLines leastSpotLines(const RecordInfo &Record, const LayoutCost &Model,
                         size_t S) {
  const uint64_t LineBytes = Model.options().LineBytes;
  std::map<uint32_t, Places> Fields;
  for (auto [Index, P, W] : Model.touches(S)) {
    const LayoutCost::Extent &Of = Model.extents()[Index];
    if (Record.Fields[Of.Field].SizeBits > 8 * LineBytes)
      Fields.try_emplace(Of.Field, Places{Record.Fields[Of.Field], {}})
          .first->second.At.push_back({Of.OffsetBits / 8, P});
  }
  SpotLines Found;
  for (auto &[Number, Of] : Fields) {
    std::ranges::sort(Of.At);
    Found.Inside += inside(Of, LineBytes);
    Found.Alone = std::max(Found.Alone, alone(Of, LineBytes));
  }
  return Found;
}

} // namespace kst
