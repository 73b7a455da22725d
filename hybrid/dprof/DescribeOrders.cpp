// SPDX-License-Identifier: GPL-2.0-or-later
//
// What another order of a type changes, and what the source says of the fields
// that meet on its lines.

#include "hybrid/dprof/DescribeParts.h"
#include "hybrid/dprof/SharingView.h"
#include "hybrid/report/Numbers.h"

namespace kst {
namespace {

constexpr size_t ShownLines = 4, ShownFalse = 3, ShownPairs = 4, ShownTrue = 4,
                 ShownPlaces = 2;
/// Changes, and shares of visits, of less are told as none.
constexpr double Noticeable = 0.01;

/// Present and other order, class by class.
Table countsTable(const DataProfile &P, const WhatIf &W) {
  Table T{{{"in the model", false, true}}};
  for (const std::string &Of : {W.Type, std::string("all others")})
    for (const char *When : {"now", "then", "change"})
      T.Columns.push_back(
          {When == std::string("now") ? Of + ": now" : When, true});
  auto Row = [&](const std::string &Name, auto &&Of, bool Strong = false) {
    Table::Row To{{Name}};
    for (size_t Group = 0; Group < 2; ++Group) {
      const double Now = Of(W.Before.Counts[Group]),
                   Then = Of(W.After.Counts[Group]);
      for (const std::string &Cell :
           {amount(Now), amount(Then), changeOf(Now, Then)})
        To.Cells.push_back(Cell);
    }
    To.Strong = Strong;
    T.Rows.push_back(std::move(To));
  };
  for (CacheLevel Level : {CacheLevel::L1, CacheLevel::L2, CacheLevel::Llc})
    if (P.Geometry[Level].exists())
      Row(
          levelName(Level) + " misses",
          [&](const AccessCounts &C) { return double(C.misses(Level)); }, true);
  Row("served by another CPU", [](const AccessCounts &C) {
    return double(C.Served[size_t(ServedBy::Remote)]);
  });
  Row("upgrades", [](const AccessCounts &C) { return double(C.Upgrades); });
  for (size_t Class = 1; Class < MissClasses; ++Class)
    Row(levelName(P.Level) + " " + spelling(MissClass(Class)),
        [&](const AccessCounts &C) {
          return double(C.Missed[size_t(P.Level)][Class]);
        });
  Row("cost", [&](const AccessCounts &C) { return P.cost(C); }, true);
  return T;
}

/// Whether the order is worth anything, in a sentence.
Sentence judged(const DataProfile &P, const WhatIf &W) {
  double Now[2], Then[2];
  for (size_t Group : {0, 1}) {
    Now[Group] = double(W.Before.Counts[Group].misses(P.Level));
    Then[Group] = double(W.After.Counts[Group].misses(P.Level));
  }
  const double Own = Then[0] - Now[0], All = Own + Then[1] - Now[1];
  const std::string Numbers = levelName(P.Level) + " misses of " + W.Type +
                              " " + changeOf(Now[0], Then[0]) +
                              ", of everything " +
                              changeOf(Now[0] + Now[1], Then[0] + Then[1]);
  const double Least = Noticeable * Now[0];
  if (Own > Least || All > Least)
    return strong("The proposed order does not help here: " + Numbers + ".");
  if (All > -Least)
    return strong("The proposed order changes little here: " + Numbers + ".");
  return strong("The proposed order helps here: " + Numbers + ".");
}

Sentence placed(const Site &Where) {
  return code(Where.Function + "()") + located(Where.File, Where.Line);
}

Sentence usersOf(const std::vector<SourceUse::User> &Users) {
  std::vector<Sentence> Items;
  for (const SourceUse::User &By : Users)
    Items.push_back(placed(By.Where) + (By.OtherCpu ? " for another CPU" : ""));
  return listed(Items, ShownPlaces);
}

class OrderDescription {
public:
  OrderDescription(const DprofReport &R, size_t Which)
      : R(R), P(R.Data), W(P.Orders[Which]), Order(R.Orders[Which]),
        Row(rowOf(P, Order)), View(sharingOf(P, W, Order)) {}

  Section section() const;

private:
  Sentence name(uint32_t Field) const {
    return Field == LossRow::OtherObject ? Sentence(View.name(Field))
                                         : code(View.name(Field));
  }
  Entry line(const SharedLine &Of) const;
  Entry field(const SharedField &Of) const;
  Sentence pair(const SharedField &Of, const SharedPair &With) const;
  Sentence advice(const SharedField &Of, const SharedPair &With) const;
  Sentence outside() const;
  template <typename F> Sentence inTrace(uint32_t Field, F &&Number) const;

  const DprofReport &R;
  const DataProfile &P;
  const WhatIf &W;
  const ReportedOrder &Order;
  const TypeRow *Row;
  const SharingView View;
};

/// Places of accesses to the field in the trace, by that number of each.
template <typename F>
Sentence OrderDescription::inTrace(uint32_t Field, F &&Number) const {
  std::vector<std::pair<const PlaceRow *, uint64_t>> Places;
  for (const PlaceRow &At : Row->Places)
    if (meets(At, Order, Field))
      Places.push_back({&At, Number(At)});
  return listed(placesByShare(R, std::move(Places)), ShownPlaces);
}

/// What keeps objects off the lines of their neighbours.
Sentence OrderDescription::outside() const {
  const uint64_t Line = P.Geometry.LineBytes, Now = Order.Record.SizeBytes,
                 Then = (Now + Line - 1) / Line * Line;
  const std::string Bytes = std::to_string(Line);
  return "This lies outside of the object: a matter of alignment, not of "
         "order. Objects that begin at lines share none: " +
         code("__attribute__((aligned(" + Bytes + ")))") +
         " on the struct, and memory that keeps to it (" +
         code("aligned_alloc(" + Bytes + ", ...)") + ", a slab cache with " +
         code("SLAB_HWCACHE_ALIGN") + "), " +
         (Then == Now ? "no more bytes each"
                      : std::to_string(Then) + " bytes each instead of " +
                            std::to_string(Now));
}

Sentence OrderDescription::advice(const SharedField &Of,
                                  const SharedPair &With) const {
  const Sentence Field = name(Of.Field), Written = name(With.Written);
  const SharedVisits &V = With.Visits;
  const bool Told = With.Writers && With.Writers->Share >= Noticeable;
  const Sentence Joint =
      (V.Together < 0.0005
           ? "None of these misses is in a visit that uses " + Written + ", too"
           : percent(V.Together) + " of these misses are in visits that use " +
                 Written + ", too, most of them of " + placed(V.Where)) +
      (V.Unknown >= Noticeable
           ? "; of " + percent(V.Unknown) + " the source knows nothing"
           : "");
  const Sentence Price =
      Told ? "; the price: " + Sentence(percent(With.Writers->Share)) +
                 " of the visits to " + Written + " use " + Field +
                 ", too, most of them of " + placed(With.Writers->Where)
           : Sentence();
  switch (With.Advice) {
  case SharingAdvice::Inside:
    return "Both lie in it: no order of this struct separates them";
  case SharingAdvice::OtherObject:
    return outside();
  case SharingAdvice::Separate:
    if (With.Writers && With.Writers->Share == 0)
      return "The source never uses the two together: " +
             strong("separate them");
    if (With.OfOtherThreads)
      return "No thread of the trace uses both: " + strong("separate them");
    return Joint + ": " + strong("separate them") + Price;
  case SharingAdvice::Keep:
    return Joint +
           ", and lose its line as well: " + strong("together they stay") +
           "; over the visit the sharing is true";
  case SharingAdvice::Weigh:
    return Joint + ": " + strong("the replay decides") + Price;
  case SharingAdvice::Unknown:
    break;
  }
  if (With.WrittenBy.empty())
    return "The analyzed source has no visit that writes " + Written +
           ": no advice";
  return "Of " + percent(V.Unknown) +
         " of these misses the analyzed source knows nothing: no advice";
}

Sentence OrderDescription::pair(const SharedField &Of,
                                const SharedPair &With) const {
  Sentence Out = percent(share(double(With.Misses), double(Of.False))) +
                 " after writes of " + name(With.Written);
  if (With.Written != LossRow::OtherObject)
    Out += ": trace: " +
           inTrace(With.Written, [](const PlaceRow &At) { return At.Stores; });
  if (!With.WrittenBy.empty())
    Out += "; source: " + usersOf(With.WrittenBy);
  const bool Within = With.Advice == SharingAdvice::Inside ||
                      With.Advice == SharingAdvice::OtherObject;
  if (Of.Users.empty() && !Within)
    return Out;
  Out += ". " + advice(Of, With);
  if (With.Advice == SharingAdvice::Separate && !With.ApartThen)
    return Out +
           (W.MovedBytes ? "; the proposed order has them on one line, "
                         : "; ") +
           code("--pin " + Order.Record.Fields[Of.Field].Name +
                "=apart:" + Order.Record.Fields[With.Written].Name) +
           (W.MovedBytes ? " demands another" : " demands such an order");
  if (!Within && W.MovedBytes)
    Out += With.ApartThen ? "; the proposed order has them apart"
                          : "; the proposed order has them on one line";
  return Out;
}

Entry OrderDescription::field(const SharedField &Of) const {
  Entry Out;
  Out.Label = amount(double(Of.False));
  Out.Head = "false misses of " + name(Of.Field);
  if (W.MovedBytes)
    Out.Head += "; " + amount(double(W.Before.Missed[Of.Field])) +
                " misses of any kind, " +
                amount(double(W.After.Missed[Of.Field])) +
                " in the proposed order";
  Bullets Said;
  Said.Items.push_back(
      {"it misses in: trace: " +
       inTrace(Of.Field,
               [](const PlaceRow &At) {
                 return At.Missed[size_t(MissClass::FalseSharing)];
               }) +
       (Of.Users.empty()
            ? "; the analyzed source has no visit that uses it: no advice"
            : "; source: " + usersOf(Of.Users))});
  for (size_t I = 0; I < Of.Pairs.size(); ++I)
    Said.Items.push_back(
        {pair(Of, Of.Pairs[I]), I < ShownPairs ? Shown::Always : Shown::Full});
  if (Of.Pairs.size() > ShownPairs)
    Said.Items.push_back(
        {counted(Of.Pairs.size() - ShownPairs, "more written field"),
         Shown::Brief});
  Out.Body.push_back(std::move(Said));
  return Out;
}

Entry OrderDescription::line(const SharedLine &Of) const {
  const uint64_t Bytes = P.Geometry.LineBytes, Begin = Of.Line * Bytes;
  Entry Out;
  Out.Share = share(double(Of.True + Of.False), double(View.Misses));
  Out.Label = percent(Out.Share);
  Out.Head = strong("line " + std::to_string(Of.Line)) + ", bytes " +
             std::to_string(Begin) + " to " +
             std::to_string(Begin + Bytes - 1) + ": " +
             amount(double(Of.True + Of.False)) + " misses by sharing, " +
             amount(double(Of.False)) + " false";
  for (size_t I = 0; I < Of.FalseOf.size(); ++I) {
    Entry Next = field(Of.FalseOf[I]);
    if (I >= ShownFalse)
      Next.When = Shown::Full;
    Out.Body.push_back(std::move(Next));
  }
  if (!Of.TrueOf.empty()) {
    std::vector<Sentence> Fields;
    for (const auto &[Field, Misses] : Of.TrueOf)
      Fields.push_back(name(Field) + " " + amount(double(Misses)));
    Out.Body.push_back(Paragraph{"true: " + listed(Fields, ShownTrue)});
  }
  return Out;
}

Section OrderDescription::section() const {
  Section Part{"struct " + W.Type +
               ": its sharing, the source, and the order "
               "of " +
               W.Order};
  auto Say = [&](Sentence Said) {
    Part.Body.push_back(Paragraph{std::move(Said)});
  };
  if (W.MovedBytes) {
    Say(judged(P, W) + " " + std::to_string(W.MovedBytes) +
        " bytes of each object lie elsewhere; all else, and the stream, are "
        "the same.");
    Part.Body.push_back(countsTable(P, W));
  } else {
    Say("No byte lies elsewhere: the order is the present one" +
        (Order.Verdict.empty() ? "." : ", verdict: " + Order.Verdict + "."));
  }
  Say(soft("an access to several fields counts as one to each, now and then" +
           (W.InHoles
                ? "; " + counted(W.InHoles, "access") + " to no field left out"
                : std::string())));
  const uint64_t Sharing = View.True + View.False;
  if (double(Sharing) < SharingView::LeastShare * double(View.Misses) ||
      !Sharing) {
    Say(Sharing ? "Hardly any of its " + levelName(P.Level) +
                      " misses is sharing: nothing to separate."
                : "None of its " + levelName(P.Level) +
                      " misses is sharing: nothing to separate.");
    return Part;
  }
  Say("Lines of the present order by " + levelName(P.Level) +
      " misses that other CPUs' writes caused, shares of all of its misses" +
      (Order.DefinedAt.empty() ? "" : "; defined at " + Order.DefinedAt) +
      ". False: of other bytes than are accessed. True: of those bytes; no "
      "order of the fields removes that.");
  if (W.Unaligned)
    Say(strong("note: ") + counted(W.Unaligned, "access") +
        " to objects that do not begin at a line: there lines are others "
        "than those below, which are counted from the begin of an object");
  size_t Count = 0;
  for (const SharedLine &Of : View.Lines) {
    Entry Next = line(Of);
    if (++Count > ShownLines)
      Next.When = Shown::Full;
    Part.Body.push_back(std::move(Next));
  }
  if (Count > ShownLines)
    Part.Body.push_back(Paragraph{
        soft(counted(Count - ShownLines, "more line")), {}, Shown::Brief});
  return Part;
}

} // namespace

Section orderView(const DprofReport &R, size_t Which) {
  return OrderDescription(R, Which).section();
}

} // namespace kst
