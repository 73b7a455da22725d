// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/WorseView.h"

#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/PathView.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>
#include <set>

namespace kst {
namespace {

constexpr double LinesMore = 0.25, NotableShare = 0.01, NotablePay = 0.001;

/// Not another line size of one, nor another case of who shares its objects.
bool isConfiguration(const Report &R, const ConfigScore &Of) {
  return Of.Optimised && Of.Shared == R.Layouts.Configs.front().Shared;
}

void sizes(const Report &R, std::vector<std::string> &Worse) {
  for (const ConfigScore &T : R.Layouts.Configs)
    if (isConfiguration(R, T) && T.Proposed.SizeBytes > T.Current.SizeBytes)
      Worse.push_back(std::to_string(T.Proposed.SizeBytes) +
                      " bytes instead of " +
                      std::to_string(T.Current.SizeBytes) + " in " + nameOf(T));
}

/// Those that pay most first.
std::vector<PathView> payingPaths(const Report &R) {
  std::vector<PathView> Paths = pathsOf(R);
  double All = 0;
  for (const PathView &Path : Paths)
    All += Path.Weight * Path.Before;
  std::erase_if(Paths, [&](const PathView &Path) {
    return Path.Saved >= 0 || Path.After - Path.Before < LinesMore ||
           (Path.Share < NotableShare && -Path.Saved < NotablePay * All);
  });
  std::ranges::reverse(Paths);
  return Paths;
}

void paths(const Report &R, size_t Named, std::vector<std::string> &Worse) {
  std::vector<PathView> Paths = payingPaths(R);
  for (size_t I = 0; I < std::min(Paths.size(), Named); ++I) {
    const PathView &Path = Paths[I];
    std::string Where = location(Path.Where);
    Worse.push_back(
        (Path.Where.Function.empty() ? "a visit" : Path.Where.Function + "()") +
        (Where.empty() ? "" : " (" + Where + ")") + " touches " +
        fixed(Path.After, 2) + " lines instead of " + fixed(Path.Before, 2) +
        ", in " + percent(Path.Share) + " of the visits");
  }
  if (Paths.size() > Named)
    Worse.push_back(counted(Paths.size() - Named, "more path") +
                    " of notable weight");
}

/// Of one configuration the cases say it.
void costs(const Report &R, std::vector<std::string> &Worse) {
  std::vector<const ConfigScore *> Of;
  for (const ConfigScore &T : R.Layouts.Configs)
    if (isConfiguration(R, T))
      Of.push_back(&T);
  for (const ConfigScore *T : Of)
    if (Of.size() > 1 && T->New.total() > T->Now.total() * (1 + 1e-9))
      Worse.push_back("the cost changes by " +
                      change(T->Now.total(), T->New.total()) + " in " +
                      nameOf(*T));
  std::string Cases;
  for (const Stability::Case &Case : R.Layouts.Weights.Assumed)
    if (Case.Gain < -1e-9)
      Cases += (Cases.empty() ? "the cost changes by " : ", ") +
               change(1, 1 - Case.Gain) + " " + Case.Name;
  if (!Cases.empty())
    Worse.push_back(std::move(Cases));
}

} // namespace

std::vector<std::string> worseOf(const ReportView &View, size_t Named) {
  std::vector<std::string> Worse;
  if (!View.Reorders)
    return Worse;
  sizes(View.R, Worse);
  paths(View.R, Named, Worse);
  costs(View.R, Worse);
  return Worse;
}

std::vector<std::string> worseWords(const ReportView &View, size_t Named) {
  std::vector<std::string> Words;
  for (const std::string &Phrase : worseOf(View, Named))
    Words.push_back("worse: " + Phrase + ".");
  if (!Words.empty() || !View.Reorders)
    return Words;
  std::set<uint32_t> Lines;
  for (const ConfigScore &T : View.R.Layouts.Configs)
    Lines.insert(T.LineBytes);
  std::string Sizes;
  for (uint32_t Bytes : Lines)
    Sizes += (Sizes.empty() ? "" : " and ") + std::to_string(Bytes);
  Words.push_back(
      "Nothing that was looked at gets worse: size, paths of "
      "notable weight" +
      (Sizes.empty() ? "" : ", lines of " + Sizes + " bytes") +
      (View.R.Layouts.Weights.Assumed.empty()
           ? ""
           : ", " + counted(View.R.Layouts.Weights.Assumed.size(), "case") +
                 " in which one thing is otherwise") +
      ".");
  return Words;
}

} // namespace kst
