// SPDX-License-Identifier: GPL-2.0-or-later
//
// The linear program over lines: choose columns (a line's items and its price)
// so that every item is on a line, at least cost. Its dual prices of items say
// what having each of them somewhere costs at present; pricing looks for lines
// that are cheaper than the prices of their items (column generation).
//
//   min sum c_x x + price * extra    sum over columns with i: share_i x >= 1
//                                    sum x <= free lines + extra
//                                    extra <= extra lines

#pragma once

#include <cstdint>
#include <vector>

namespace kst {

/// A line with these items on it. At most one, the last, is there in part.
struct LineColumn {
  std::vector<uint32_t> Items;
  double Cost = 0;
  double LastShare = 1; ///< share of the last item's bits that lie here
};

/// A primal simplex method with an explicit inverse of the basis, for a few
/// hundred rows. Deterministic. Nothing that is proved rests on its rounding.
class LineMaster {
public:
  /// Starts with every item alone on a line, at cost Alone[i].
  LineMaster(const std::vector<double> &Alone, double FreeLines,
             double ExtraLines, double LinePrice);

  void add(LineColumn Column);

  /// Pivots until no column helps or `Budget` more steps are spent; returns
  /// false in the latter case.
  bool solve(uint64_t Budget);

  /// Prices of the items and of a line, >= 0.
  const std::vector<double> &prices() const { return Prices; }
  double lineCharge() const { return Charge; }
  double objective() const { return Objective; }
  const std::vector<LineColumn> &columns() const { return Columns; }
  /// Columns in use and how much, largest first.
  std::vector<std::pair<uint32_t, double>> solution() const;
  /// Elementary steps so far.
  uint64_t work() const { return Work; }

private:
  enum : uint32_t { SurplusBase = 1u << 30 };
  double costOf(uint32_t Var) const;
  double reducedCost(uint32_t Var) const;
  void ftran(uint32_t Var, std::vector<double> &Direction);
  bool pivot(uint32_t Var);
  void refresh();
  void publish();

  uint32_t N, M; ///< items, rows: items, line count, extra lines
  double FreeLines, ExtraLines, LinePrice, TooMany;
  std::vector<LineColumn> Columns;
  std::vector<uint32_t> Basis; ///< per row: variable
  std::vector<char> InBasis;   ///< per column
  std::vector<double> Inverse; ///< M * M, row major
  std::vector<double> Value;   ///< per row
  std::vector<double> Dual;    ///< per row
  std::vector<double> Prices, Direction;
  double Charge = 0, Objective = 0;
  uint64_t Work = 0;
  uint32_t Pivots = 0;
};

} // namespace kst
