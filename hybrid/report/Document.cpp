// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/Document.h"

#include "hybrid/report/Numbers.h"

namespace kst {

Mark heatMark(double Share) {
  if (Share >= 0.05)
    return Mark::Hot;
  if (Share >= 0.01)
    return Mark::Warm;
  return Share > 0 ? Mark::Cool : Mark::Soft;
}

Sentence heat(double Share) { return {percent(Share), heatMark(Share)}; }

Sentence listed(const std::vector<Sentence> &Items, size_t Count) {
  Sentence All;
  for (size_t I = 0; I < Items.size(); ++I) {
    Sentence Item = I ? Sentence(", ") + Items[I] : Items[I];
    if (I >= Count)
      for (SentencePart &Part : Item.Parts)
        Part.When = Shown::Full;
    All += Item;
  }
  if (Count < Items.size())
    All += Sentence(" and " + std::to_string(Items.size() - Count) + " more",
                    Mark::Plain, Shown::Brief);
  return All;
}

void Table::shorten(size_t Count, const std::string &What) {
  for (size_t I = Count; I < Rows.size(); ++I)
    Rows[I].When = Shown::Full;
  if (Count < Rows.size())
    Rest = std::to_string(Rows.size() - Count) + " more" + What;
}

} // namespace kst
