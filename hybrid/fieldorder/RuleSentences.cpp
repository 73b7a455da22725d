// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/RuleSentences.h"

#include "hybrid/fieldorder/AdviceView.h"

#include <algorithm>

namespace kst {
namespace {

std::string placeText(const Site &Where) {
  if (Where.File.empty())
    return "";
  return " (" + Where.File + ":" + std::to_string(Where.Line) + ")";
}

/// "comment:x, x: "keep last" (a.h:3); ... and 2 more".
std::string named(const std::vector<const HeldRow *> &Rows, size_t Most) {
  std::string Text;
  const size_t Shown = std::min(Rows.size(), Most);
  for (size_t I = 0; I < Shown; ++I) {
    const HeldRow &Row = *Rows[I];
    Text += I ? "; " : "";
    Text.append(Row.Note->Id).append(", ").append(heldWords(Row));
    Text += placeText(Row.Note->Where);
  }
  if (Shown < Rows.size())
    Text += "; and " + std::to_string(Rows.size() - Shown) + " more";
  return Text;
}

} // namespace

std::vector<std::string> ruleSentences(const Report &Of, size_t Named) {
  ReportView View(Of);
  const std::vector<HeldRow> Rows = heldFields(View);
  std::vector<const HeldRow *> Fixed, Hard, Soft, Lifted;
  for (const HeldRow &Row : Rows) {
    std::string Word = strengthWord(*Row.Note);
    (Word == "lifted"  ? Lifted
     : Word == "soft"  ? Soft
     : Word == "fixed" ? Fixed
                       : Hard)
        .push_back(&Row);
  }
  std::vector<std::string> Paragraphs;
  if (size_t Obeyed = Fixed.size() + Hard.size() + Soft.size()) {
    std::string Text =
        "Rules obeyed: " + std::to_string(Obeyed) + " hold fields in place";
    if (!Fixed.empty())
      Text += ", " + std::to_string(Fixed.size()) +
              " of them by language, build or definition";
    Text += ".";
    if (!Hard.empty())
      Text +=
          " By code or by a comment that says \"must\": " + named(Hard, Named) +
          ".";
    Paragraphs.push_back(std::move(Text));
  }
  if (!Soft.empty())
    Paragraphs.push_back("Obeyed without a proof that anything breaks: " +
                         named(Soft, Named) + ".");
  if (!Lifted.empty())
    Paragraphs.push_back("Rules lifted with --lift-rule, NOT obeyed: " +
                         named(Lifted, ~size_t(0)) +
                         ". The author of the patch takes responsibility for " +
                         (Lifted.size() == 1 ? "it." : "them."));
  return Paragraphs;
}

std::string alsoChangedSentence(const Report &Of) {
  if (Of.AlsoChanged.empty())
    return "";
  std::string Text = "The text of the definition also makes ";
  for (size_t I = 0; I < Of.AlsoChanged.size(); ++I)
    Text += (I ? ", " : "") + Of.AlsoChanged[I];
  return Text + ": an edit changes all of them. Their rules are obeyed, and "
                "their visits are in the price.";
}

std::string opaqueSentence(const Report &Of, size_t Named) {
  const std::vector<OpaqueUse> &Uses = Of.OpaqueUses;
  if (Uses.empty())
    return "";
  std::string Text = Uses.size() == 1
                         ? "1 place reaches"
                         : std::to_string(Uses.size()) + " places reach";
  Text += " its memory other than by members, and no rule says which orders "
          "are legal there: ";
  const size_t Shown = std::min(Uses.size(), Named);
  for (size_t I = 0; I < Shown; ++I) {
    const Site &Where = Uses[I].Where;
    Text += I ? "; " : "";
    if (!Where.Function.empty())
      Text += Where.Function + "() ";
    Text += Uses[I].What + placeText(Where);
  }
  if (Shown < Uses.size())
    Text += "; and " + std::to_string(Uses.size() - Shown) + " more";
  return Text + ".";
}

std::string missedSentence(const UnanalyzedUsers &Of, bool Several) {
  const std::string In = Several ? "In " + Of.Config + ": " : std::string();
  if (!Of.Unknown.empty())
    return In +
           "which units see the definition, and how many of them were not "
           "looked at, is not known (" +
           Of.Unknown + "); rules in them are not known.";
  if (!Of.Missed)
    return "";
  std::string Text = In + std::to_string(Of.Missed) + " of " +
                     std::to_string(Of.Units) + " units that " +
                     (Of.AtMost ? "may see" : "see") +
                     " the definition were not looked at: ";
  for (size_t I = 0; I < Of.Some.size(); ++I)
    Text += (I ? ", " : "") + Of.Some[I];
  if (Of.Some.size() < Of.Missed)
    Text += " and more";
  return Text + ". Rules in them are not known. To look at all: " + Of.Command;
}

} // namespace kst
