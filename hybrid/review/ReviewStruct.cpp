// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/review/ReviewStruct.h"

#include "hybrid/affinity/Ownership.h"
#include "hybrid/core/MarkedGroups.h"
#include "hybrid/layout/PlaceField.h"
#include "hybrid/layout/Scores.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/review/FieldPairs.h"
#include "hybrid/review/LayoutPrices.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>

namespace kst {

namespace {

using Fields = LayoutPrices::Fields;

double perVisit(double Count, double Visits) {
  return Visits > 0 ? Count / Visits : 0;
}

class StructReview {
public:
  StructReview(const StructVersions &Of, const ReviewOptions &Options)
      : Of(Of), Options(Options), Head(*Of.Head), Record(Head.Record),
        Sharing(sharingOptions(Of.Layout, Head.Users, Head.Sets)),
        Clash(static_cast<uint32_t>(Record.Fields.size()), Head.Sets, Sharing) {
  }

  ReviewedStruct run();

private:
  void begin();
  void describeFields();
  void falseSharing();
  void writesAdded();
  void hotLines();
  void betterPlaces();
  void size();
  void groups();

  bool isNew(uint32_t F) const { return Pairs.BaseOf[F] == NoField; }
  /// New, moved, or of another size: what the diff is about.
  bool isCause(uint32_t F) const {
    return isNew(F) || Pairs.Moved[F] || grown(F);
  }
  bool grown(uint32_t F) const {
    return Of.Base && !isNew(F) &&
           Of.Base->Fields[Pairs.BaseOf[F]].SizeBits !=
               Record.Fields[F].SizeBits;
  }
  const std::string &name(uint32_t F) const { return Record.Fields[F].Name; }
  std::vector<std::string> causes() const;
  double steadyWrites(uint32_t F) const { return kst::steadyWrites(Head, F); }
  bool spoilsReadMostly(uint32_t F, double Writes) const;
  double share(double Cost) const { return Total > 0 ? Cost / Total : 0; }
  Finding &add(FindingKind Kind, double Share, std::vector<std::string> Fields,
               uint32_t Line);
  std::vector<Neighbour> victims(const Fields &Near, uint32_t F,
                                 const Fields &Had) const;
  std::string besideWords(const std::vector<Neighbour> &Near) const;
  std::string lineWords(const Layout &Plan, uint32_t F) const {
    return std::to_string(Plan.OffsetBits[F] / 8 / Of.Layout.LineBytes);
  }

  const StructVersions &Of;
  const ReviewOptions &Options;
  const AffinityEvidence &Head;
  const RecordInfo &Record;
  const SharingOptions Sharing;
  const Conflicts Clash;
  FieldPairs Pairs;
  std::unique_ptr<LayoutPrices> Prices;
  double Total = 0; ///< cost of the head
  ReviewedStruct Out;
};

Finding &StructReview::add(FindingKind Kind, double Share,
                           std::vector<std::string> Fields, uint32_t Line) {
  Finding New;
  New.Kind = Kind;
  const bool Cool = Out.Change.Visits < Options.Cool * Of.Calls;
  New.How = Cool || Share < Options.Medium ? Grade::Low
            : Share >= Options.High        ? Grade::High
                                           : Grade::Medium;
  New.Struct = Record.Name;
  New.Fields = std::move(Fields);
  New.Config = {Of.Config};
  New.File = Record.File;
  New.Line = Line;
  New.Share = New.Amount = Share;
  return Out.Findings.emplace_back(std::move(New));
}

void StructReview::begin() {
  StructChange &To = Out.Change;
  To.Config = Of.Config;
  To.Triple = Of.Triple;
  To.Name = Record.Name;
  To.File = Record.File;
  To.Line = Record.Line;
  To.LineBytes = Of.Layout.LineBytes;
  To.Calls = Of.Calls;
  To.HeadBytes = Record.SizeBytes;
  To.Through = Of.Through;
  To.Used = !Head.Sets.empty();
  for (const CoAccessSet &Set : Head.Sets)
    To.Visits += Set.Weight;
  if (!Of.Base)
    return;
  To.BaseBytes = Of.Base->SizeBytes;
  if (Of.Base->Name != Record.Name)
    To.Was = Of.Base->Name;
  Pairs = pairFields(*Of.Base, Record);
  Prices = std::make_unique<LayoutPrices>(*Of.Base, Pairs, Head, Of.Layout);
  To.Base = Prices->old().price(Prices->base());
  To.Head = Prices->old().price(Prices->head());
  Total = Prices->all().price(Prices->head()).total();
}

std::vector<std::string> StructReview::causes() const {
  std::vector<std::string> Names;
  for (uint32_t F = 0; F != Record.Fields.size(); ++F)
    if (isCause(F) && !name(F).empty() && Record.Fields[F].SizeBits)
      Names.push_back(name(F));
  if (Of.Base)
    for (uint32_t B = 0; B != Pairs.HeadOf.size(); ++B)
      if (Pairs.HeadOf[B] == NoField && !Of.Base->Fields[B].Name.empty())
        Names.push_back(Of.Base->Fields[B].Name);
  return Names;
}

/// What lies beside a field and was not beside it, by what that costs.
std::vector<Neighbour> StructReview::victims(const Fields &Near, uint32_t F,
                                             const Fields &Had) const {
  std::vector<Neighbour> Found;
  for (uint32_t H : Near)
    if (!name(H).empty())
      Found.push_back({name(H),
                       share(Clash.between(F, H) * Of.Layout.LambdaShare),
                       Had.contains(H)});
  std::ranges::stable_sort(Found, [](const Neighbour &A, const Neighbour &B) {
    return A.Share > B.Share;
  });
  return Found;
}

std::string
StructReview::besideWords(const std::vector<Neighbour> &Near) const {
  constexpr size_t Most = 4;
  std::string Text;
  size_t Count = 0;
  for (const Neighbour &One : Near) {
    if (!(One.Share > 0) || ++Count > Most)
      break;
    Text += (Text.empty() ? "" : ", ") + inQuotes(One.Field) + " (" +
            percent(One.Share) + ")";
  }
  return Text;
}

void StructReview::describeFields() {
  const double Visits = Out.Change.Visits;
  auto Describe = [&](uint32_t F, FieldFate Fate) {
    FieldChange Field;
    Field.Name = name(F);
    Field.Type = Record.Fields[F].TypeName;
    Field.Fate = Fate;
    Field.Line = Record.Fields[F].Line;
    Field.HeadBits = Record.Fields[F].OffsetBits;
    const Fields Near = Prices->beside(Prices->head(), F);
    Fields Had;
    if (!isNew(F)) {
      const FieldInfo &Was = Of.Base->Fields[Pairs.BaseOf[F]];
      Field.BaseBits = Was.OffsetBits;
      if (Was.Name != Field.Name)
        Field.Was = Was.Name;
      Had = Prices->beside(Prices->base(), F);
    }
    Field.Reads = perVisit(Head.Fields[F].Reads, Visits);
    Field.Writes = perVisit(Head.Fields[F].Writes, Visits);
    FieldUsers Who = usersOf(Head, F);
    Field.Readers = std::move(Who.Readers);
    Field.Writers = std::move(Who.Writers);
    for (Neighbour &One : victims(Near, F, Had))
      if (!One.Lies)
        Field.Beside.push_back(std::move(One));
    for (uint32_t H : Had)
      if (!Near.contains(H) && !name(H).empty())
        Field.Lost.push_back(name(H));
    if (Fate == FieldFate::Shifted && Field.Beside.empty() &&
        Field.Lost.empty())
      return;
    Out.Change.Fields.push_back(std::move(Field));
  };
  for (uint32_t F = 0; F != Record.Fields.size(); ++F) {
    if (name(F).empty() || !Record.Fields[F].SizeBits)
      continue;
    if (isNew(F))
      Describe(F, FieldFate::New);
    else if (Pairs.Moved[F])
      Describe(F, FieldFate::Moved);
    else if (grown(F))
      Describe(F, FieldFate::Grown);
    else if (Pairs.Renamed[F])
      Describe(F, FieldFate::Renamed);
    else if (Prices->beside(Prices->head(), F) !=
             Prices->beside(Prices->base(), F))
      Describe(F, FieldFate::Shifted);
  }
  for (uint32_t B = 0; B != Pairs.HeadOf.size(); ++B) {
    const FieldInfo &Was = Of.Base->Fields[B];
    if (Pairs.HeadOf[B] != NoField || Was.Name.empty())
      continue;
    FieldChange Field;
    Field.Name = Was.Name;
    Field.Type = Was.TypeName;
    Field.Fate = FieldFate::Removed;
    Field.BaseBits = Was.OffsetBits;
    Out.Change.Fields.push_back(std::move(Field));
  }
}

/// While the object is in use.
/// Whether so many writes of the field matter to the line that it is on, which
/// was hardly written without them: few writes are enough for that, however
/// small a part of the struct's cost they are.
bool StructReview::spoilsReadMostly(uint32_t F, double Writes) const {
  Fields Line = Prices->beside(Prices->head(), F);
  Line.insert(F);
  double Reads = 0, Written = -Writes;
  for (const CoAccessSet &Set : Head.Sets)
    if (!isOwned(Set.When) && Set.When != Phase::Configuration)
      for (const FieldTouch &Touch : Set.Touches)
        if (Line.contains(Touch.Field)) {
          Written += Set.Weight * Touch.Writes;
          Reads += Touch.Field == F ? 0 : Set.Weight * Touch.Reads;
        }
  Written = std::max(0.0, Written);
  return Reads >= Options.HotLine * Out.Change.Visits &&
         Reads >= Options.ReadMostly * Written &&
         Writes >= (Options.MoreWrites - 1) * Written &&
         Writes >= Options.FewWrites * Reads;
}

void StructReview::falseSharing() {
  struct Candidate {
    uint32_t Field;
    double Harm;
  };
  // Two fields that meet do each other harm: whichever is taken first, what is
  // left of the other's harm is counted with the first out of the way.
  Fields Apart;
  for (;;) {
    std::vector<Candidate> Found;
    for (uint32_t F = 0; F != Record.Fields.size(); ++F) {
      if (!Prices->all().active(F) || Apart.contains(F))
        continue;
      const Fields Near = Prices->beside(Prices->head(), F);
      if (!isNew(F) && Near == Prices->beside(Prices->base(), F))
        continue;
      double Harm = Prices->harm(Prices->all(), Prices->head(), F, Apart);
      if (!isNew(F))
        Harm -= Prices->harm(Prices->old(), Prices->base(), F, Apart);
      if (share(Harm) >= Options.MinShare ||
          ((isNew(F) || Pairs.Moved[F]) && Harm > 0 &&
           spoilsReadMostly(F, steadyWrites(F))))
        Found.push_back({F, Harm});
    }
    if (Found.empty())
      return;
    // Fields of the diff first: a reader looks for them.
    const Candidate &Worst = *std::ranges::max_element(
        Found, [&](const Candidate &A, const Candidate &B) {
          auto Rank = [&](const Candidate &One) {
            return std::tuple(isCause(One.Field),
                              std::round(share(One.Harm) * 1e6),
                              Head.Fields[One.Field].Writes);
          };
          return Rank(A) < Rank(B);
        });
    const uint32_t F = Worst.Field;
    const Fields Near = Prices->beside(Prices->head(), F);
    const Fields Had = isNew(F) ? Fields() : Prices->beside(Prices->base(), F);
    std::vector<Neighbour> Hurt = victims(Near, F, Had);
    std::erase_if(Hurt, [](const Neighbour &One) { return One.Lies; });
    Apart.insert(F);
    // Without a new neighbor it only reaches into another line than it did.
    if (Hurt.empty() || !(Hurt.front().Share > 0))
      continue;
    const FieldUsers Who = usersOf(Head, F);
    const bool Writes = Head.Fields[F].Writes > 0;
    Finding &New = add(FindingKind::FalseSharing, share(Worst.Harm), {name(F)},
                       Record.Fields[F].Line);
    const char *Verb = isNew(F)         ? "new field "
                       : Pairs.Moved[F] ? "moved field "
                                        : "field ";
    New.Said = Verb + inQuotes(name(F)) + " shares line " +
               lineWords(Prices->head(), F);
    if (std::string Words = besideWords(Hurt); !Words.empty())
      New.Said += " with " + Words;
    New.Said += ": " + percent(share(Worst.Harm)) +
                " of the struct's cost are visits that lose the line";
    if (Writes && !Who.Writers.empty())
      New.Why.push_back(inQuotes(name(F)) + " is written by " +
                        inWords(Who.Writers));
    if (!Who.Readers.empty())
      New.Why.push_back(inQuotes(name(F)) + " is read by " +
                        inWords(Who.Readers));
    for (size_t I = 0; I < std::min<size_t>(2, Hurt.size()); ++I)
      for (uint32_t H : Near)
        if (name(H) == Hurt[I].Field && Hurt[I].Share > 0) {
          const FieldUsers Theirs = usersOf(Head, H);
          if (!Theirs.Writers.empty() && !Writes)
            New.Why.push_back(inQuotes(name(H)) + " is written by " +
                              inWords(Theirs.Writers));
          if (!Theirs.Readers.empty())
            New.Why.push_back(inQuotes(name(H)) + " is read by " +
                              inWords(Theirs.Readers));
        }
  }
}

void StructReview::writesAdded() {
  if (Of.Added.empty())
    return;
  const AffinityEvidence Was = withoutWrites(Head, Of.Added);
  const LayoutCost Before(Record, Was.Sets, Of.Layout, Sharing);
  const double BaseTotal = Before.price(Prices->head()).total();
  std::map<uint32_t, std::vector<Site>> Places;
  for (const AddedWrite &Write : Of.Added)
    for (uint32_t F = 0; F != Record.Fields.size(); ++F)
      if (name(F) == Write.Field && !isNew(F))
        Places[F].push_back(Write.Where);
  for (const auto &[F, Where] : Places) {
    const double Now = perVisit(Head.Fields[F].Writes, Out.Change.Visits);
    const double Then =
        perVisit(std::max(0.0, Was.Fields[F].Writes), Out.Change.Visits);
    if (Now < Options.MoreWrites * Then || !(Now > 0))
      continue;
    const double Harm =
        share(Prices->harm(Prices->all(), Prices->head(), F)) -
        (BaseTotal > 0 ? Prices->harm(Before, Prices->head(), F) / BaseTotal
                       : 0);
    if (Harm < Options.MinShare &&
        !spoilsReadMostly(F, steadyWrites(F) - Then * Out.Change.Visits))
      continue;
    std::vector<Neighbour> Hurt =
        victims(Prices->beside(Prices->head(), F), F, {});
    Finding &New =
        add(FindingKind::WriteAdded, Harm, {name(F)}, Record.Fields[F].Line);
    New.Said = "a write of " + inQuotes(name(F)) + " was added in " +
               inWords(Where.front()) + "; line " +
               lineWords(Prices->head(), F);
    if (std::string Words = besideWords(Hurt); !Words.empty())
      New.Said += " has " + Words;
    New.Said += " too: " + percent(Harm) +
                " more of the struct's cost are visits that lose it";
    New.Why.push_back(inQuotes(name(F)) + " is written " + brief(Now) +
                      " times per visit, " + brief(Then) + " before");
    const FieldUsers Who = usersOf(Head, F);
    New.Why.push_back("written by " + inWords(Who.Writers));
    for (size_t I = 0; I < std::min<size_t>(2, Hurt.size()); ++I)
      for (uint32_t H = 0; H != Record.Fields.size(); ++H)
        if (name(H) == Hurt[I].Field && Hurt[I].Share > 0)
          if (const FieldUsers Theirs = usersOf(Head, H);
              !Theirs.Readers.empty())
            New.Why.push_back(inQuotes(name(H)) + " is read by " +
                              inWords(Theirs.Readers));
  }
}

void StructReview::hotLines() {
  const double More = Out.Change.Head.Lines - Out.Change.Base.Lines;
  const double Was = Out.Change.Base.total();
  if (!(Was > 0) || More < Options.MinShare * Was)
    return;
  // Whose visits touch more lines, and for which fields.
  std::set<uint32_t> Added;
  for (uint32_t F = 0; F != Record.Fields.size(); ++F)
    if (isNew(F))
      Added.insert(F);
  struct Visitor {
    Site Where;
    double More = 0, Weight = 0, Before = 0, After = 0;
  };
  std::map<std::string, Visitor> Visitors;
  for (const CoAccessSet &Set : withoutFields(Head.Sets, Added)) {
    Visitor &One = Visitors[Set.Where.Function + " " + Set.Where.File];
    One.Where = Set.Where;
    const double Before = expectedLines(Record, Set, Prices->base(), Of.Layout),
                 After = expectedLines(Record, Set, Prices->head(), Of.Layout);
    One.Weight += Set.Weight;
    One.Before += Set.Weight * Before;
    One.After += Set.Weight * After;
    One.More += Set.Weight * (After - Before);
  }
  std::vector<Visitor> Most;
  for (const auto &[Name, One] : Visitors)
    if (One.More > 0)
      Most.push_back(One);
  std::ranges::stable_sort(
      Most, [](const Visitor &A, const Visitor &B) { return A.More > B.More; });
  std::vector<std::string> Names = Of.Through.empty() ? causes() : Of.Through;
  Finding &New = add(FindingKind::HotLineGrew, More / Was, Names, Record.Line);
  New.Said = "visits touch " + percent(More / Out.Change.Base.Lines) +
             " more lines for the same fields";
  constexpr size_t Shown = 3;
  for (size_t I = 0; I < std::min(Shown, Most.size()); ++I)
    New.Why.push_back(inWords(Most[I].Where) + " touches " +
                      brief(perVisit(Most[I].After, Most[I].Weight)) +
                      " lines instead of " +
                      brief(perVisit(Most[I].Before, Most[I].Weight)));
  // Fields that are used and went to another line than what they were with.
  std::vector<std::pair<double, uint32_t>> Parted;
  for (uint32_t F = 0; F != Record.Fields.size(); ++F)
    if (!isNew(F) && Prices->old().active(F) &&
        Prices->beside(Prices->head(), F) != Prices->beside(Prices->base(), F))
      Parted.push_back({-Prices->old().heat(F), F});
  std::ranges::sort(Parted);
  std::string Words;
  for (size_t I = 0; I < std::min<size_t>(6, Parted.size()); ++I)
    Words += (Words.empty() ? "" : ", ") + name(Parted[I].second);
  if (!Words.empty())
    New.Why.push_back("hottest fields with other neighbours: " + Words);
}

/// The cheapest legal order in which only this field is elsewhere.
void StructReview::betterPlaces() {
  if (!Of.Through.empty() || Head.Sets.empty() || Record.Union)
    return;
  std::vector<uint32_t> Fresh;
  for (uint32_t F = 0; F != Record.Fields.size(); ++F)
    if ((isNew(F) || Pairs.Moved[F]) && !name(F).empty() &&
        Record.Fields[F].SizeBits)
      Fresh.push_back(F);
  // A struct that was written anew has no new field that stands out.
  constexpr size_t MostFields = 24;
  if (Fresh.empty() || Fresh.size() > MostFields)
    return;
  Fields NewOnes;
  for (uint32_t F = 0; F != Record.Fields.size(); ++F)
    if (isNew(F))
      NewOnes.insert(F);
  JoinedConfigs Joined{Record, {Head}};
  const LayoutProblem Problem(Joined, Of.Layout);
  if (Problem.rules().allFixed())
    return;
  const BrickOrder Declared = Problem.space().declared();
  const bool Worse =
      Prices->all().price(Prices->head()).total() >=
      (1 + Options.MinShare) * Prices->all().price(Prices->base()).total();
  for (uint32_t F : Fresh) {
    const uint32_t Brick = Problem.rules().brickOf(F);
    // A move that made things better is no news, though better ones exist.
    if (Problem.rules().bricks()[Brick].Fields.size() != 1 ||
        !Problem.rules().mayMove(Brick) || (!isNew(F) && !Worse))
      continue;
    // What the field itself costs, and what it did to the others: another
    // place must not be praised for moving others about.
    Fields Own = NewOnes;
    Own.insert(F);
    const LayoutCost Rest(Record, withoutFields(Head.Sets, Own), Of.Layout,
                          Sharing);
    const double RestNow = Rest.price(Prices->head()).total();
    const double Damage =
        std::max(0.0, RestNow - Rest.price(Prices->base()).total());
    struct Choice {
      double Gain;
      bool Shifts;
      size_t Position;
      BrickOrder Order;
    };
    std::vector<Choice> Choices;
    for (size_t To = 0; To != Declared.size(); ++To) {
      BrickOrder Order = Declared;
      Order.erase(Order.begin() + Brick);
      Order.insert(Order.begin() + static_cast<std::ptrdiff_t>(To), Brick);
      if (Order == Declared || !Problem.rules().legal(Order))
        continue;
      const Layout Plan = Problem.space().layout(Order);
      if (Plan.SizeBytes > Record.SizeBytes)
        continue;
      bool Shifts = false;
      for (uint32_t H = 0; H != Record.Fields.size(); ++H)
        Shifts |= H != F && Plan.OffsetBits[H] != Record.Fields[H].OffsetBits;
      const double Saved = Total - Prices->all().price(Plan).total();
      const double Others = RestNow - Rest.price(Plan).total();
      Choices.push_back({share(Saved - Others + std::min(Others, Damage)),
                         Shifts, To, std::move(Order)});
    }
    if (Choices.empty())
      continue;
    double Most = 0;
    for (const Choice &One : Choices)
      Most = std::max(Most, One.Gain);
    auto Rank = [&](const Choice &One) {
      return std::tuple(std::floor((Most - One.Gain) / EqualCostShare),
                        One.Shifts, -One.Gain, One.Position);
    };
    const Choice &Best = *std::ranges::min_element(
        Choices,
        [&](const Choice &A, const Choice &B) { return Rank(A) < Rank(B); });
    const double Gain = Best.Gain;
    if (Gain < std::max(Options.MinShare, Of.Layout.KeepBelow))
      continue;
    const Layout Plan = Problem.space().layout(Best.Order);
    const std::string After =
        Best.Position
            ? "after " +
                  inQuotes(name(Problem.rules()
                                    .bricks()[Best.Order[Best.Position - 1]]
                                    .Fields.back()))
            : "at the front";
    const std::string Where = After + " (offset " +
                              std::to_string(Plan.OffsetBits[F] / 8) +
                              ", line " + lineWords(Plan, F) + ")";
    const std::string Words = Where + " the cost is " + percent(Gain) +
                              " less" +
                              (Best.Shifts ? "" : ", and no other field moves");
    auto Same = std::ranges::find_if(Out.Findings, [&](const Finding &One) {
      return One.Kind == FindingKind::FalseSharing &&
             One.Fields == std::vector{name(F)};
    });
    if (Same != Out.Findings.end()) {
      Same->Why.push_back("a better place: " + Words);
      continue;
    }
    Finding &New =
        add(FindingKind::BetterPlace, Gain, {name(F)}, Record.Fields[F].Line);
    New.Said = std::string(isNew(F) ? "new" : "moved") + " field " +
               inQuotes(name(F)) + " has a better place: " + Words;
    const FieldUsers Who = usersOf(Head, F);
    if (!Who.Readers.empty())
      New.Why.push_back("read by " + inWords(Who.Readers));
    if (!Who.Writers.empty())
      New.Why.push_back("written by " + inWords(Who.Writers));
  }
}

void StructReview::size() {
  const uint64_t Line = Of.Layout.LineBytes;
  auto Lines = [&](uint64_t Bytes) { return (Bytes + Line - 1) / Line; };
  const uint64_t Before = Lines(Of.Base->SizeBytes),
                 After = Lines(Record.SizeBytes);
  if (After <= Before)
    return;
  Finding &New = add(FindingKind::LineMore, 0, {}, Record.Line);
  New.Amount = static_cast<double>(After - Before);
  New.Said = "takes " + std::to_string(After) + " lines instead of " +
             std::to_string(Before) + ": " +
             std::to_string(Of.Base->SizeBytes) + " to " +
             std::to_string(Record.SizeBytes) + " bytes";
  if (!Of.Through.empty()) {
    std::string Names;
    for (const std::string &Name : Of.Through)
      Names += (Names.empty() ? "" : ", ") + inQuotes(Name);
    New.Why.push_back("it holds " + Names + ", which grew");
  }
  if (Of.Through.empty() && Record.SizeBytes > Of.Base->SizeBytes) {
    // Room that the new fields could have had.
    uint64_t Holes = 0, End = 0;
    for (const FieldInfo &Field : Record.Fields) {
      if (Field.OffsetBits > End)
        Holes += Field.OffsetBits - End;
      End = std::max(End, Field.OffsetBits + Field.SizeBits);
    }
    if (Holes >= 8)
      New.Why.push_back("it has " + counted(Holes / 8, "byte") + " of holes");
  }
}

void StructReview::groups() {
  const std::vector<std::string> Was = groupOfFields(*Of.Base),
                                 Now = groupOfFields(Record);
  auto Has = [](const RecordInfo &In, const std::string &Name) {
    return std::ranges::any_of(markedGroups(In), [&](const MarkedGroup &Group) {
      return Group.Name == Name;
    });
  };
  for (uint32_t F = 0; F != Record.Fields.size(); ++F) {
    if (name(F).empty() || !Record.Fields[F].SizeBits)
      continue;
    const std::string Old = isNew(F) ? "" : Was[Pairs.BaseOf[F]];
    const std::string &Group = Now[F];
    const FieldUse &Use = Head.Fields[F];
    if (!Old.empty() && Group != Old && Has(Record, Old)) {
      Finding &New =
          add(FindingKind::LeftGroup, 0, {name(F)}, Record.Fields[F].Line);
      New.How = Group.empty() ? Grade::Medium : Grade::Low;
      New.Said = inQuotes(name(F)) + " left cacheline group " + inQuotes(Old) +
                 (Group.empty() ? std::string() : " for " + inQuotes(Group)) +
                 " and is on line " + lineWords(Prices->head(), F);
      const FieldUsers Who = usersOf(Head, F);
      if (!Who.Readers.empty())
        New.Why.push_back("read by " + inWords(Who.Readers));
      if (!Who.Writers.empty())
        New.Why.push_back("written by " + inWords(Who.Writers));
    }
    if (Group.empty() || Group == Old || !(Use.total() > 0))
      continue;
    // A tenth of the accesses: what read-mostly fields stay below.
    constexpr double Mostly = 0.1;
    const double Rate = steadyWrites(F) / Use.total();
    if (useByName(Group) != GroupUse::Read || Rate < Mostly)
      continue;
    Finding &New =
        add(FindingKind::WrongGroup, 0, {name(F)}, Record.Fields[F].Line);
    New.How = Rate >= 0.3 ? Grade::High : Grade::Medium;
    New.Said = inQuotes(name(F)) + " joined cacheline group " +
               inQuotes(Group) + ", but " + percent(Rate) +
               " of its accesses write it";
    const FieldUsers Who = usersOf(Head, F);
    New.Why.push_back("written by " + inWords(Who.Writers));
  }
}

ReviewedStruct StructReview::run() {
  begin();
  if (!Of.Base)
    return std::move(Out);
  describeFields();
  size();
  groups();
  if (Total > 0 && Out.Change.Visits >= Options.Cold * Of.Calls) {
    falseSharing();
    writesAdded();
    hotLines();
    betterPlaces();
  }
  return std::move(Out);
}

} // namespace

ReviewedStruct reviewStruct(const StructVersions &Of,
                            const ReviewOptions &Options) {
  return StructReview(Of, Options).run();
}

} // namespace kst
