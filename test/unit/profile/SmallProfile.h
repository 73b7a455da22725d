// SPDX-License-Identifier: GPL-2.0-or-later
//
// A profile with one of everything, and large ones of given size.

#pragma once

#include "hybrid/profile/ProfileBuilder.h"

inline kst::Profile smallProfile(uint64_t Factor = 1) {
  using namespace kst;
  ProfileBuilder Make;
  Make.Text = {{"release", "6.12.1-test"}, {"label", "pipe"}, {"pid", "17"}};
  Make.DurationNs = 5000000000 * Factor;
  Make.Lost = 3 * Factor;
  const MeasuredElement Members[] = {{0, 8}, {8, 4}, {12, 4}, {16, 48}};
  uint32_t Ring = Make.structure("ring", 64, Members);
  uint32_t Unknown = Make.structure("queue", 0);
  MeasuredSite Site;
  Site.Struct = Ring;
  Site.Function = Make.text("ring_push");
  Site.File = Make.text("ring.c");
  Site.Line = 10;
  Site.Column = 3;
  Site.SizeBytes = 8;
  Site.Count = 100 * Factor;
  uint32_t Read = Make.site(Site);
  Site.Kind = SiteKind::Write;
  Site.OffsetBytes = 12;
  Site.SizeBytes = 4;
  Site.FirstBit = 3;
  Site.Bits = 5;
  Site.Marks = KST_MARK_VOLATILE;
  Site.Count = 200 * Factor;
  uint32_t Write = Make.site(Site);
  MeasuredSite Named;
  Named.Struct = Unknown;
  Named.Function = Make.text("drain");
  Named.Field = Make.text("head.next");
  Named.Count = 7 * Factor;
  Make.site(Named);
  const SiteReference Both[] = {{Write, 2}, {Read, 1}};
  Make.region(Make.text("ring_push"), Make.text("ring.c"), Both, 100 * Factor);
  const SiteReference One[] = {{Read, 1}};
  Make.region(Make.text("drain"), Make.text("ring.c"), One, 0);
  Make.byAddress(Ring, 16, 40 * Factor, 2 * Factor);
  Make.threads(Ring, 900 * Factor, 8 * Factor);
  Make.member(Ring, 0, 64, "head");
  Make.member(Ring, 128, 384, "link");
  Make.samples(Make.text("drain"), 12 * Factor);
  Make.notCounted(Make.text("entry_stub"), Make.text("entry.c"));
  return *Make.finish();
}

/// `Rows` sites in as many regions, of functions that begin with Prefix.
inline kst::Profile largeProfile(uint32_t Rows, const std::string &Prefix,
                                 uint64_t Count = 1) {
  using namespace kst;
  ProfileBuilder Make;
  const MeasuredElement Members[] = {{0, 8}, {8, 8}};
  uint32_t Ring = Make.structure("ring", 4096, Members);
  TextId File = Make.text("kernel/" + Prefix + "/ring.c");
  std::vector<uint32_t> Sites;
  for (uint32_t I = 0; I < Rows; ++I) {
    MeasuredSite Site;
    Site.Struct = Ring;
    Site.Function = Make.text(Prefix + "_function_" + std::to_string(I / 7));
    Site.File = File;
    Site.Line = I;
    Site.OffsetBytes = I * 8 % 4096;
    Site.SizeBytes = 8;
    Site.Count = Count * I;
    Sites.push_back(Make.site(Site));
  }
  for (uint32_t I = 0; I < Rows; ++I) {
    SiteReference Of[4];
    for (uint32_t R = 0; R < 4; ++R)
      Of[R] = {Sites[(I + R * 3) % Rows], 1};
    Make.region(Make.text(Prefix + "_function_" + std::to_string(I / 7)), File,
                Of, Count * I);
  }
  return *Make.finish();
}
