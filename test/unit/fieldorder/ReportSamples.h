// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reports made by hand for the tests of the renderers: invented structs whose
// layout, uses, edges and costs follow from a list of fields and sets by the
// plain formulas, so that a sample is never inconsistent in itself.

#pragma once

#include "hybrid/fieldorder/Report.h"

#include <string>
#include <vector>

namespace kst::test {

/// Builds one report. Call field() and set(), then order() for the proposed
/// layout, then take().
class SampleBuilder {
public:
  SampleBuilder(const std::string &Struct, uint32_t LineBytes = 64);

  /// Appends a field and returns its number. Align 0: the size, at most 8.
  uint32_t field(const std::string &Type, const std::string &Name,
                 uint32_t SizeBytes, uint32_t Align = 0);
  uint32_t bits(const std::string &Type, const std::string &Name,
                uint32_t Width, uint32_t UnitBytes);
  FieldInfo &info(uint32_t F) { return R.Evidence.Record.Fields[F]; }

  struct Touch {
    uint32_t Field;
    double Probability;
    double Reads, Writes;
    Site Where;
    double Lockless = 0;
    bool Lock = false;
  };
  void set(double Weight, SetKind Kind, CpuRelation Cpu, const Site &Where,
           const std::vector<Touch> &Touches);

  /// The proposed order; without it the report keeps the current one.
  void order(std::vector<uint32_t> Order);
  Report &report() { return R; }
  Report take();

private:
  Report R;
  std::vector<uint32_t> NewOrder;
};

/// A per-CPU queue: a lock, clocks, read-mostly fields read by other CPUs.
Report queueSample();
/// No access seen at all, one failed unit.
Report silentSample();
/// Bit-fields, holes, anonymous unions, arrays, function pointers, markers, a
/// flexible array, and text that HTML and JSON must escape.
Report oddSample();
/// 150 fields, 40 sets, most fields never touched.
Report wideSample();

} // namespace kst::test
