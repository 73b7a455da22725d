// SPDX-License-Identifier: GPL-2.0-or-later
//
// The findings false-sharing and write-added: sharing that would go away if the
// field had lines of its own.

#include "hybrid/report/Numbers.h"
#include "hybrid/review/StructFindings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace kst {

namespace {

class SharedLines {
public:
  SharedLines(const ComparedStruct &Struct, std::vector<Finding> &Findings)
      : Struct(Struct), Findings(Findings) {}

  void addNewlyShared();
  void addNewlyWritten();

private:
  using Fields = ComparedStruct::Fields;

  double harmAdded(uint32_t F, const Fields &Apart) const;
  std::optional<uint32_t> worst(const Fields &Apart) const;
  bool spoilsReadMostly(uint32_t F, double Writes) const;
  void addNewlyShared(uint32_t F, double Harm,
                      const std::vector<LineMate> &Hurt);
  void addNewlyWritten(uint32_t F, const Site &Where, double Before,
                       double Harm);
  std::string inWords(const std::vector<LineMate> &Hurt) const;

  const ComparedStruct &Struct;
  std::vector<Finding> &Findings;
};

/// Whether so many writes of the field, while the object is in use, matter to
/// the line that it is on, which was hardly written without them: few writes
/// are enough for that, however small a part of the struct's cost they are.
bool SharedLines::spoilsReadMostly(uint32_t F, double Writes) const {
  const ReviewOptions &Options = Struct.Options;
  Fields Line = Struct.beside(F);
  Line.insert(F);
  double Reads = 0, Written = -Writes;
  for (const CoAccessSet &Set : Struct.Head.Sets)
    if (!isOwned(Set.When) && Set.When != Phase::Configuration)
      for (const FieldTouch &Touch : Set.Touches)
        if (Line.contains(Touch.Field)) {
          Written += Set.Weight * Touch.Writes;
          Reads += Touch.Field == F ? 0 : Set.Weight * Touch.Reads;
        }
  Written = std::max(0.0, Written);
  return Reads >= Options.HotLine * Struct.Visits &&
         Reads >= Options.ReadMostly * Written &&
         Writes >= (Options.MoreWrites - 1) * Written &&
         Writes >= Options.FewWrites * Reads;
}

/// "'a' (2.0%), 'b' (<0.1%)": those that lose something.
std::string SharedLines::inWords(const std::vector<LineMate> &Hurt) const {
  constexpr size_t Most = 4;
  std::string Text;
  for (size_t I = 0; I < std::min(Most, Hurt.size()) && Hurt[I].Share > 0; ++I)
    Text += (I ? ", " : "") + inQuotes(Struct.name(Hurt[I].Field)) + " (" +
            percent(Hurt[I].Share) + ")";
  return Text;
}

/// Those whose users a reader wants to know.
std::vector<uint32_t> mostHurt(const std::vector<LineMate> &Hurt) {
  std::vector<uint32_t> Fields;
  for (size_t I = 0; I < std::min<size_t>(2, Hurt.size()); ++I)
    if (Hurt[I].Share > 0)
      Fields.push_back(Hurt[I].Field);
  return Fields;
}

/// What sharing a field adds by lying where it is now, less what it added.
double SharedLines::harmAdded(uint32_t F, const Fields &Apart) const {
  const LayoutPrices &Prices = Struct.Prices;
  const double Harm = Prices.harm(Prices.all(), Prices.head(), F, Apart);
  return Struct.isNew(F)
             ? Harm
             : Harm - Prices.harm(Prices.old(), Prices.base(), F, Apart);
}

/// The field to name next when `Apart` are out of the way. Those of the diff
/// come first: a reader looks for them.
std::optional<uint32_t> SharedLines::worst(const Fields &Apart) const {
  using Rank = std::tuple<bool, double, double>;
  std::optional<std::pair<Rank, uint32_t>> Worst;
  for (uint32_t F = 0; F != Struct.fieldCount(); ++F) {
    if (!Struct.Prices.all().active(F) || Apart.contains(F) ||
        (!Struct.isNew(F) && Struct.beside(F) == Struct.besideBefore(F)))
      continue;
    const double Harm = harmAdded(F, Apart), Share = Struct.share(Harm);
    if (Share < Struct.Options.MinShare &&
        !((Struct.isNew(F) || Struct.isMoved(F)) && Harm > 0 &&
          spoilsReadMostly(F, steadyWrites(Struct.Head, F))))
      continue;
    const Rank Here = {Struct.isCause(F), std::round(Share * 1e6),
                       Struct.Head.Fields[F].Writes};
    if (!Worst || Worst->first < Here)
      Worst = {Here, F};
  }
  return Worst ? std::optional(Worst->second) : std::nullopt;
}

void SharedLines::addNewlyShared() {
  // Two fields that meet do each other harm: whichever is taken first, what is
  // left of the other's harm is counted with the first out of the way.
  Fields Apart;
  while (const std::optional<uint32_t> F = worst(Apart)) {
    const double Harm = Struct.share(harmAdded(*F, Apart));
    Apart.insert(*F);
    std::vector<LineMate> Hurt = Struct.lineMates(*F);
    std::erase_if(Hurt, [](const LineMate &Mate) { return Mate.Before; });
    // Without a new neighbor it only reaches into another line than it did.
    if (!Hurt.empty() && Hurt.front().Share > 0)
      addNewlyShared(*F, Harm, Hurt);
  }
}

void SharedLines::addNewlyShared(uint32_t F, double Harm,
                                 const std::vector<LineMate> &Hurt) {
  Finding &New =
      Findings.emplace_back(Struct.finding(FindingKind::FalseSharing, Harm, F));
  const std::string &Name = Struct.name(F);
  const char *Which = Struct.isNew(F)     ? "new field "
                      : Struct.isMoved(F) ? "moved field "
                                          : "field ";
  New.Said = Which + inQuotes(Name) + " shares line " +
             Struct.lineOf(Struct.Prices.head(), F) + " with " + inWords(Hurt) +
             ": " + percent(Harm) +
             " of the struct's cost are visits that lose the line";
  const bool Writes = Struct.Head.Fields[F].Writes > 0;
  const FieldUsers Who = usersOf(Struct.Head, F);
  if (Writes)
    addWriters(New, Who, Name);
  addReaders(New, Who, Name);
  for (uint32_t Mate : mostHurt(Hurt)) {
    const FieldUsers Theirs = usersOf(Struct.Head, Mate);
    if (!Writes)
      addWriters(New, Theirs, Struct.name(Mate));
    addReaders(New, Theirs, Struct.name(Mate));
  }
}

void SharedLines::addNewlyWritten() {
  const std::vector<AddedWrite> &Added = Struct.Versions.Added;
  if (Added.empty())
    return;
  const ReviewOptions &Options = Struct.Options;
  const LayoutPrices &Prices = Struct.Prices;
  const AffinityEvidence Was = withoutWrites(Struct.Head, Added);
  const LayoutCost Before(Struct.Record, Was.Sets, Struct.Versions.Layout,
                          Struct.Sharing);
  const double BaseTotal = Before.price(Prices.head()).total();
  for (uint32_t F = 0; F != Struct.fieldCount(); ++F) {
    const auto First =
        std::ranges::find(Added, Struct.name(F), &AddedWrite::Field);
    if (First == Added.end() || Struct.isNew(F))
      continue;
    const double Now = Struct.perVisit(Struct.Head.Fields[F].Writes);
    const double Then = Struct.perVisit(std::max(0.0, Was.Fields[F].Writes));
    if (Now < Options.MoreWrites * Then || !(Now > 0))
      continue;
    const double Harm =
        Struct.share(Prices.harm(Prices.all(), Prices.head(), F)) -
        (BaseTotal > 0 ? Prices.harm(Before, Prices.head(), F) / BaseTotal : 0);
    if (Harm >= Options.MinShare ||
        spoilsReadMostly(F,
                         steadyWrites(Struct.Head, F) - Then * Struct.Visits))
      addNewlyWritten(F, First->Where, Then, Harm);
  }
}

void SharedLines::addNewlyWritten(uint32_t F, const Site &Where, double Before,
                                  double Harm) {
  Finding &New =
      Findings.emplace_back(Struct.finding(FindingKind::WriteAdded, Harm, F));
  const std::string &Name = Struct.name(F);
  const std::vector<LineMate> Hurt = Struct.lineMates(F);
  New.Said = "a write of " + inQuotes(Name) + " was added in " +
             kst::inWords(Where) + "; line " +
             Struct.lineOf(Struct.Prices.head(), F);
  if (std::string Words = inWords(Hurt); !Words.empty())
    New.Said += " has " + Words;
  New.Said += " too: " + percent(Harm) +
              " more of the struct's cost are visits that lose it";
  New.Why.push_back(inQuotes(Name) + " is written " +
                    brief(Struct.perVisit(Struct.Head.Fields[F].Writes)) +
                    " times per visit, " + brief(Before) + " before");
  addWriters(New, usersOf(Struct.Head, F));
  for (uint32_t Mate : mostHurt(Hurt))
    addReaders(New, usersOf(Struct.Head, Mate), Struct.name(Mate));
}

} // namespace

void addSharedLines(const ComparedStruct &Struct, std::vector<Finding> &To) {
  SharedLines Lines(Struct, To);
  Lines.addNewlyShared();
  Lines.addNewlyWritten();
}

} // namespace kst
