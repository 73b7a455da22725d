// SPDX-License-Identifier: GPL-2.0-or-later
//
// A small document with one of everything, and names that every form has to
// escape.

#pragma once

#include "hybrid/report/Document.h"

namespace kst::test {

/// In it all that is said begins with "s-", and is said once.
inline Document sampleDocument() {
  Document Doc{"box", "s-title " + soft("s-file.c:3"), {}, {}};
  Doc.Head = {Paragraph{"s-head with a|b<c> & *stars* [x]"}};

  Section Verdict{"s-verdict"};
  Verdict.Verdict = true;
  Verdict.Body = {Bullets{{{"s-first"},
                           {"s-hidden", Shown::Full},
                           {"b-and more bullets", Shown::Brief}}}};
  Doc.Sections.push_back(Verdict);

  Table T{{{"s-name"}, {"s-count", true}, {"s-words"}}};
  T.Rows = {{{code("s-a|b<c>"), "s-7", heat(0.25)}},
            {{"s-b", "s-1234567", listed({"s-one", "s-two", "s-three"}, 1)}},
            {{"s-folded", "s-0", ""}, Shown::Full}};
  T.Rest = "b-1 more row";
  Doc.Sections.push_back({"s-table", {T, Table{{{"n-empty"}}}}});

  Entry E{"25.0%",
          "s-entry " + code("s-co`de"),
          {Paragraph{"s-inside", "s-lead "}},
          0.25};
  Entry Hidden{"", "s-weak entry", {}, -1, true, Shown::Full};
  Section Entries{"s-entries"};
  Entries.Body = {E, Hidden, Paragraph{"b-1 more entry", {}, Shown::Brief}};
  Doc.Sections.push_back(Entries);

  Strip S;
  S.Title = "s-strip";
  S.SizeBytes = 200;
  S.Lines = {{0.5, true}, {0.25, false}, {0.25, false}, {0, true}};
  S.Boxes = {{"hot", "s-tip", 0, 64, 0, 0.5},
             {"span", "", 512, 1536, 1, 0.5, {-1, 0.25}},
             {"cold", "", 1536, 1600, 2}};
  S.Boxes[1].Written = true;
  S.Rows = {
      {"s-struct box {"},
      {"u64", "s-hot", "/* 0 8 */", Mark::Plain, 0, 0.5, " rw", true},
      {"struct deep", "s-span", "/* 64 128 */", Mark::Plain, 1, 0.5, " r"},
      {"u64", "s-cold", "/* 192 8 */"},
      {"};"}};
  S.Rows[3].When = Shown::Full;
  Section Lines{"s-lines", {StripLegend{true, true}, S}};
  Lines.Wide = true;
  Doc.Sections.push_back(Lines);

  Section Rest{"s-only in full", {Paragraph{"s-last"}}};
  Rest.When = Shown::Full;
  Doc.Sections.push_back(Rest);
  return Doc;
}

} // namespace kst::test
