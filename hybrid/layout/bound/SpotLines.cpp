// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/bound/SpotLines.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

namespace kst {

uint64_t addressStep(const FieldInfo &Field, const LayoutCost &Model) {
  const auto &Starts = Model.starts();
  uint64_t Step = Starts.size() > 1 ? Starts[1] : Model.options().LineBytes;
  return std::gcd<uint64_t>(Step, std::max(1u, Field.AlignBytes));
}

namespace {

/// What one set touches in one field.
struct SetPlaces {
  size_t Set;
  std::vector<std::pair<uint64_t, LayoutCost::Touch>> At; ///< bytes, ascending
};

bool isLarge(const FieldInfo &Field, const LayoutCost &Model) {
  return !Field.FlexibleArray &&
         Field.SizeBits > 8ull * Model.options().LineBytes;
}

/// By large field, the places that set S touches.
std::map<uint32_t, SetPlaces> largeFields(const RecordInfo &Record,
                                          const LayoutCost &Model, size_t S) {
  std::map<uint32_t, SetPlaces> Found;
  for (const LayoutCost::Touch &T : Model.touches(S)) {
    const LayoutCost::Extent &Of = Model.extents()[T.Extent];
    if (isLarge(Record.Fields[Of.Field], Model))
      Found.try_emplace(Of.Field, SetPlaces{S, {}})
          .first->second.At.push_back({Of.OffsetBits / 8, T});
  }
  for (auto &[Field, Of] : Found)
    std::ranges::sort(Of.At, {}, [](const auto &P) { return P.first; });
  return Found;
}

/// Calls Take(line, chance of no touch, of no write) for each line that a visit
/// touches, if the field begins Start bytes behind the begin of line 0.
template <typename F>
void forEachLine(const SetPlaces &Of, uint64_t Start, uint64_t LineBytes,
                 F Take) {
  for (size_t I = 0; I != Of.At.size();) {
    const uint64_t Line = (Start + Of.At[I].first) / LineBytes;
    double Untouched = 1, Unwritten = 1;
    for (; I != Of.At.size() && (Start + Of.At[I].first) / LineBytes == Line;
         ++I) {
      Untouched *= 1 - Of.At[I].second.P;
      Unwritten *= 1 - Of.At[I].second.W;
    }
    Take(Line, Untouched, Unwritten);
  }
}

/// The least of Cost(Start) over all places where the field may begin.
template <typename F>
double least(const FieldInfo &Field, const LayoutCost &Model, F Cost) {
  double Least = std::numeric_limits<double>::infinity();
  const uint64_t Step = addressStep(Field, Model);
  for (uint64_t Start = 0; Start < Model.options().LineBytes; Start += Step)
    Least = std::min(Least, Cost(Start));
  return Least;
}

/// If the field begins there.
double insideCost(const FieldInfo &Field, const LayoutCost &Model,
                  const std::vector<SetPlaces> &Sets, uint64_t Start) {
  const uint64_t LineBytes = Model.options().LineBytes;
  const uint64_t End = Start + Field.SizeBits / 8;
  double Sum = 0;
  std::map<uint64_t, LineUse> Uses;
  for (const SetPlaces &Of : Sets)
    forEachLine(Of, Start, LineBytes,
                [&](uint64_t Line, double Untouched, double Unwritten) {
                  if ((Line + 1) * LineBytes > End || (!Line && Start))
                    return; // other fields may be there, too
                  Sum += Model.weight(Of.Set) * (1 - Untouched);
                  if (Line)
                    Uses[Line].add(Model.meeting(Of.Set), 1 - Untouched,
                                   1 - Unwritten);
                  else if (!Of.At.front().first)
                    Sum -= Model.weight(Of.Set) * Of.At.front().second.P;
                });
  for (const auto &[Line, Use] : Uses)
    Sum += Model.sharing(Use);
  return Sum;
}

} // namespace

double insideCost(const RecordInfo &Record, const LayoutCost &Model) {
  std::map<uint32_t, std::vector<SetPlaces>> Fields;
  for (size_t S = 0; S < Model.setCount(); ++S)
    for (auto &[Field, Of] : largeFields(Record, Model, S))
      Fields[Field].push_back(std::move(Of));
  double Sum = 0;
  for (const auto &[Number, Sets] : Fields) {
    const FieldInfo &Field = Record.Fields[Number];
    Sum += least(Field, Model, [&](uint64_t Start) {
      return insideCost(Field, Model, Sets, Start);
    });
  }
  return Sum;
}

double leastSpotLines(const RecordInfo &Record, const LayoutCost &Model,
                      size_t S) {
  double Most = 0;
  for (const auto &[Number, Of] : largeFields(Record, Model, S))
    Most =
        std::max(Most, least(Record.Fields[Number], Model, [&](uint64_t Start) {
                   double Sum = 0;
                   forEachLine(Of, Start, Model.options().LineBytes,
                               [&](uint64_t, double Untouched, double) {
                                 Sum += 1 - Untouched;
                               });
                   return Sum;
                 }));
  return Most;
}

} // namespace kst
