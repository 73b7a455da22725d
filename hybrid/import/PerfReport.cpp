// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/PerfReport.h"

#include "hybrid/import/TextLines.h"

namespace kst {

bool takePerfReportRow(std::string_view Line, PerfCounts &To,
                       std::vector<std::string_view> &Words) {
  wordsOf(Line, MostPerfWords, Words);
  if (Words.size() < 2 || !Words[0].ends_with('%') ||
      Words[0].find('.') == std::string_view::npos)
    return false;
  std::string_view Function;
  bool Kernel = false;
  std::optional<TypedPlace> Place;
  for (size_t I = 1; I < Words.size(); ++I) {
    if (Words[I].size() == 3 && Words[I][0] == '[' && Words[I][2] == ']' &&
        I + 1 < Words.size()) {
      Function = Words[I + 1];
      Kernel = Words[I][1] == 'k' || Words[I][1] == 'g';
    }
    if (I + 1 < Words.size() && Words[I + 1].starts_with('+') &&
        Words[I + 1].size() > 1)
      if (auto Found = placeAt(Words, I))
        Place = Found;
  }
  if (Function.empty() && !Place)
    return false;
  auto Count = numberOf(Words[1]);
  if (!Count) {
    ++To.WithoutCount;
    return true;
  }
  if (!Function.empty() && !Function.starts_with("0x"))
    To.function(sourceFunction(Function), Kernel, *Count);
  if (Place)
    To.place(To.Make.structure(Place->Struct, 0), *Place, 0, Function,
             Kernel || Function.empty(), To.Store, *Count);
  return true;
}

} // namespace kst
