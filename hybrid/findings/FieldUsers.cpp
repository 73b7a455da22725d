// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/findings/FieldUsers.h"

#include "hybrid/report/Numbers.h"

#include <algorithm>
#include <map>

namespace kst {

static std::vector<FieldUser>
strongest(const std::map<std::string, FieldUser> &Seen) {
  constexpr size_t Most = 3;
  std::vector<FieldUser> Out;
  double All = 0;
  for (const auto &[Name, User] : Seen) {
    Out.push_back(User);
    All += User.Share;
  }
  std::ranges::stable_sort(Out, [](const FieldUser &A, const FieldUser &B) {
    return A.Share > B.Share;
  });
  if (Out.size() > Most)
    Out.resize(Most);
  for (FieldUser &User : Out)
    User.Share = All > 0 ? User.Share / All : 0;
  return Out;
}

FieldUsers usersOf(const AffinityEvidence &Evidence, uint32_t Field) {
  std::map<std::string, FieldUser> Readers, Writers;
  for (const CoAccessSet &Set : Evidence.Sets)
    for (const FieldTouch &Touch : Set.Touches) {
      if (Touch.Field != Field)
        continue;
      auto Add = [&](std::map<std::string, FieldUser> &To, double Times,
                     double AccessSite::*Count) {
        if (!(Times > 0))
          return;
        const Site *Where = nullptr;
        for (const AccessSite &Access : Touch.Sites) {
          if (!(Access.*Count > 0))
            continue;
          const bool Own = Access.Where.Function == Set.Where.Function &&
                           Access.Where.File == Set.Where.File;
          if (!Where || Own)
            Where = &Access.Where;
          if (Own)
            break;
        }
        if (!Where)
          Where = &Set.Where;
        // An accessor is nothing without who calls it.
        const std::string By =
            Where->File.ends_with(".h") && Where->Function != Set.Where.Function
                ? Set.Where.Function
                : "";
        FieldUser &User = To[By + " " + Where->Function + " " + Where->File];
        User.By = By;
        if (User.Where.File.empty())
          User.Where = *Where;
        User.Share += Set.Weight * Times;
      };
      Add(Readers, Touch.Reads, &AccessSite::Reads);
      Add(Writers, Touch.Writes, &AccessSite::Writes);
    }
  return {strongest(Readers), strongest(Writers)};
}

std::string inQuotes(const std::string &Name) { return "'" + Name + "'"; }

std::string inWords(const Site &Where) {
  return Where.Function + "() " + Where.File + ":" + std::to_string(Where.Line);
}

std::string inWords(const std::vector<FieldUser> &Users) {
  std::string Text;
  for (const FieldUser &User : Users)
    Text += (Text.empty() ? "" : ", ") +
            (User.By.empty() ? "" : User.By + "() through ") +
            inWords(User.Where) + " (" + percent(User.Share) + ")";
  return Text;
}

static void addUsers(Finding &To, const char *Verb,
                     const std::vector<FieldUser> &Users,
                     const std::string &Field) {
  if (!Users.empty())
    To.Why.push_back((Field.empty() ? "" : inQuotes(Field) + " is ") + Verb +
                     inWords(Users));
}

void addReaders(Finding &To, const FieldUsers &Users,
                const std::string &Field) {
  addUsers(To, "read by ", Users.Readers, Field);
}

void addWriters(Finding &To, const FieldUsers &Users,
                const std::string &Field) {
  addUsers(To, "written by ", Users.Writers, Field);
}

static double steady(const AffinityEvidence &Evidence, uint32_t Field,
                     double FieldTouch::*Count) {
  double Sum = 0;
  for (const CoAccessSet &Set : Evidence.Sets)
    if (!isOwned(Set.When) && Set.When != Phase::Configuration)
      for (const FieldTouch &Touch : Set.Touches)
        if (Touch.Field == Field)
          Sum += Set.Weight * Touch.*Count;
  return Sum;
}

double steadyWrites(const AffinityEvidence &Evidence, uint32_t Field) {
  return steady(Evidence, Field, &FieldTouch::Writes);
}

double steadyReads(const AffinityEvidence &Evidence, uint32_t Field) {
  return steady(Evidence, Field, &FieldTouch::Reads);
}

} // namespace kst
