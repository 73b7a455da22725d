// SPDX-License-Identifier: GPL-2.0-or-later
//
// What threads share as a document, for people.

#include "hybrid/report/ByteAmount.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/sharing/SharingDocument.h"

#include <algorithm>

namespace kst {

const char *spelling(SharedParts Between) {
  switch (Between) {
  case SharedParts::Fields:
    return "fields";
  case SharedParts::Elements:
    return "elements";
  case SharedParts::Objects:
    return "objects";
  case SharedParts::Globals:
    return "globals";
  case SharedParts::Same:
    return "same";
  }
  return "same";
}

namespace {

constexpr size_t MostUsers = 4, MostShown = 10;

Sentence named(const SharingFinding &F) {
  Sentence Made = code(F.Object);
  if (!F.Type.empty() && F.Type != F.Object)
    Made += Sentence(" (") + code(F.Type) + ")";
  return Made;
}

Sentence names(const std::vector<std::string> &Of) {
  std::vector<Sentence> Items;
  for (const std::string &Name : Of)
    Items.push_back(code(Name));
  return listed(Items, MostUsers);
}

Sentence headOf(const SharingFinding &F) {
  switch (F.Between) {
  case SharedParts::Fields:
    return named(F) + ": " + code(F.Fields.front()) + " is written beside " +
           names(F.Fields.size() > 1
                     ? std::vector(F.Fields.begin() + 1, F.Fields.end())
                     : F.Fields);
  case SharedParts::Elements: {
    Sentence Made = named(F) + ": elements";
    if (F.StrideBytes)
      Made += " of " + std::to_string(F.StrideBytes) + " bytes";
    Made += " of different threads share lines";
    if (!F.Fields.empty())
      Made += Sentence("; written: ") + names(F.Fields);
    return Made;
  }
  case SharedParts::Objects:
    if (F.Fields.size() > 1 && F.Fields.front() == F.Object)
      return names(F.Fields) +
             " are side by side, and different threads use them";
    return named(F) + ": objects of different threads are side by side";
  case SharedParts::Globals:
    return Sentence("variables ") + names(F.Fields) +
           " are side by side, and different threads use them";
  case SharedParts::Same:
    return named(F) +
           (F.Fields.empty() ? Sentence() : Sentence(".") + names(F.Fields)) +
           ": all use the same bytes";
  }
  return named(F);
}

/// Each place once, with the threads that run it.
Bullets::Item users(const char *Word, const std::vector<SharingUser> &All) {
  std::vector<std::pair<Site, std::vector<std::string>>> Places;
  for (const SharingUser &U : All) {
    auto Known = std::ranges::find(Places, U.Where,
                                   &decltype(Places)::value_type::first);
    if (Known == Places.end())
      Known = Places.insert(Places.end(), {U.Where, {}});
    if (!U.Role.empty() && U.Role != U.Where.Function)
      Known->second.push_back(U.Role);
  }
  std::vector<Sentence> Items;
  for (const auto &[Where, Roles] : Places) {
    Sentence One = code(Where.Function + "()") + " " + Where.File + ":" +
                   std::to_string(Where.Line);
    if (Roles.size() == 1)
      One += " in " + code(Roles.front() + "()");
    else if (!Roles.empty())
      One += " in " + code(Roles.front() + "()") + " and " +
             counted(Roles.size() - 1, "other");
    Items.push_back(std::move(One));
  }
  return {Sentence(Word) + listed(Items, MostUsers)};
}

/// What a remedy takes: of each object, and of all that there were.
std::string bytesMore(uint64_t Bytes, uint64_t Objects) {
  if (!Bytes)
    return "";
  std::string Made = "; " + std::to_string(Bytes) + " bytes more";
  if (Objects > 1)
    Made += " in each of " + std::to_string(Objects) + " objects, " +
            byteAmount(double(Bytes * Objects)) + " in all";
  return Made;
}

Entry entry(const SharingFinding &F, bool OfTrace) {
  Entry Made;
  Made.Label = fixed(F.Cycles, 1);
  Made.Head = headOf(F);
  Bullets About;
  if (OfTrace)
    About.Items.push_back(
        {"about " + counted(F.Misses, "access") + " that find the line lost"});
  if (!F.Writers.empty())
    About.Items.push_back(users("written by ", F.Writers));
  if (!F.Users.empty())
    About.Items.push_back(users("used by ", F.Users));
  for (const SharingRemedy &R : F.Remedies)
    About.Items.push_back(
        {"helps: " + R.Text + bytesMore(R.Bytes, F.Objects) +
         (R.Patched >= 0 ? "; in the patch, then " + fixed(R.Patched, 1)
                         : "")});
  Made.Body.push_back(std::move(About));
  return Made;
}

Section section(const char *Title, const std::vector<SharingFinding> &All,
                bool OfTrace, const char *Nothing) {
  Section Made{Title};
  if (All.empty())
    Made.Body.push_back(Paragraph{Nothing});
  for (size_t I = 0; I != All.size(); ++I) {
    Entry One = entry(All[I], OfTrace);
    if (I >= MostShown)
      One.When = Shown::Full;
    Made.Body.push_back(std::move(One));
  }
  return Made;
}

} // namespace

FindingList toFindings(const SharingReport &R) {
  constexpr double Much = 10, Some = 1;
  FindingList Made;
  for (const SharingFinding &F : R.False) {
    Finding One;
    One.Kind = FindingKind::FalseSharing;
    One.How = F.Cycles >= Much   ? Grade::High
              : F.Cycles >= Some ? Grade::Medium
                                 : Grade::Low;
    One.Fields = {F.Object, spelling(F.Between)};
    One.Fields.insert(One.Fields.end(), F.Fields.begin(), F.Fields.end());
    for (const SentencePart &Part : headOf(F).Parts)
      One.Said += Part.Text;
    One.Why.push_back("It loses " + fixed(F.Cycles, 1) +
                      " cycles for each access of the threads");
    for (const SharingRemedy &Remedy : F.Remedies)
      One.Why.push_back("Helps: " + Remedy.Text);
    const std::vector<SharingUser> &Where =
        F.Writers.empty() ? F.Users : F.Writers;
    if (Where.empty())
      continue; // without a place there is nothing to show it beside
    One.File = Where.front().Where.File;
    One.Line = Where.front().Where.Line;
    Made.Findings.push_back(std::move(One));
  }
  return Made;
}

Document describe(const SharingReport &R) {
  Document Made;
  Made.Name = "sharing";
  Made.Title = strong("what threads share, by " + R.Evidence);
  Made.Head.push_back(Paragraph{
      "Numbers: cycles lost for each access of the threads, at what " +
      R.Machine + " takes to hand over a line of " +
      std::to_string(R.LineBytes) +
      " bytes. Threads are taken to run evenly, beside one another."});
  if (R.Threads.empty())
    Made.Head.push_back(Paragraph{"Nothing starts a thread that was found."});
  else {
    Bullets Threads;
    for (const std::string &T : R.Threads)
      Threads.Items.push_back({T});
    Made.Head.push_back(std::move(Threads));
  }
  const bool OfTrace = R.Evidence == "trace";
  Made.Sections.push_back(
      section("shared falsely", R.False, OfTrace, "Nothing that was found."));
  Made.Sections.push_back(
      section("shared truly", R.True, OfTrace, "Nothing that was found."));
  if (!R.Limits.empty()) {
    Section Limits{"not looked at"};
    Bullets Items;
    for (const std::string &Text : R.Limits)
      Items.Items.push_back({Text});
    Limits.Body.push_back(std::move(Items));
    Made.Sections.push_back(std::move(Limits));
  }
  return Made;
}

} // namespace kst
