// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/PlaceField.h"

#include "hybrid/affinity/Ownership.h"
#include "hybrid/layout/FieldOffsets.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>

namespace kst {

bool Gap::fits() const {
  return std::ranges::all_of(In,
                             [](const GapInConfig &One) { return One.fits(); });
}

namespace {

/// One configuration with the new field as its last one in number.
class Extended {
public:
  Extended(const AffinityEvidence &Config, const NewField &Asked,
           const FieldInfo &Shape, const LayoutProblem &Problem, size_t Model)
      : Record(Config.Record), Options(Problem.options()),
        Old(statedLayout(Record)), Now(Problem.model(Model).price(Old)) {
    New = static_cast<uint32_t>(Record.Fields.size());
    Record.Fields.push_back(Shape);
    FieldInfo &Field = Record.Fields.back();
    if (Record.Packed)
      Field.AlignBytes = std::max(1u, Field.ExplicitAlignBytes);
    Record.AlignBytes = std::max(Record.AlignBytes, Field.AlignBytes);
    Sharing = Problem.sharing(Model, Config.Sets);
    addUse(Problem.isShared(Model) ? ofSharedObjects(Config.Sets, Config.Fields)
                                   : Config.Sets,
           Asked);
  }

  double visits() const { return Visits; }
  double everywhere() const { return Everywhere; }
  const Cost &now() const { return Now; }

  GapInConfig at(std::vector<uint32_t> Order, size_t Position) {
    // Between members of an anonymous struct it is one of them.
    const std::vector<GroupInfo> Groups = Record.Groups;
    FieldInfo &Field = Record.Fields[New];
    Field.Group = NoGroup;
    if (Position && Position < Order.size())
      Field.Group =
          commonGroup(Record, Record.Fields[Order[Position - 1]].Group,
                      Record.Fields[Order[Position]].Group);
    for (uint32_t G = Field.Group; G != NoGroup; G = Record.Groups[G].Parent)
      Record.Groups[G].AlignBytes =
          std::max(Record.Groups[G].AlignBytes, Field.AlignBytes);
    Order.insert(Order.begin() + static_cast<std::ptrdiff_t>(Position), New);
    Layout Plan = FieldOffsets(Record).layout(Order);
    Record.Groups = Groups;
    GapInConfig Result;
    Result.OffsetBits = Plan.OffsetBits[New];
    Result.SizeBytes = Plan.SizeBytes;
    Result.Grows = static_cast<int64_t>(Plan.SizeBytes) -
                   static_cast<int64_t>(Old.SizeBytes);
    Result.HoleBits = hole(Order, Position);
    for (uint32_t F = 0; F < New; ++F) {
      if ((!Record.Fields[F].SizeBits && !Record.Fields[F].FlexibleArray) ||
          Plan.OffsetBits[F] == Old.OffsetBits[F])
        continue;
      ++Result.Shifted;
      Result.LinesChanged += lines(Plan, F) != lines(Old, F);
    }
    Cost With = model(Plan.SizeBytes).price(Plan);
    Result.Change = {With.Lines - Now.Lines, With.Sharing - Now.Sharing,
                     With.Padding - Now.Padding, With.Touched - Now.Touched,
                     With.Lost - Now.Lost};
    return Result;
  }

private:
  void addUse(const std::vector<CoAccessSet> &Given, const NewField &Asked) {
    Sets = Given;
    for (CoAccessSet &Set : Sets) {
      FieldTouch Touch;
      Touch.Field = New;
      for (const FieldTouch &T : Set.Touches)
        if (std::ranges::find(Asked.UsedWith, T.Field) != Asked.UsedWith.end())
          Touch.Probability =
              std::max(Touch.Probability, std::clamp(T.Probability, 0.0, 1.0));
      if (!(Set.Weight > 0) || Touch.Probability <= 0)
        continue;
      Touch.Reads = Touch.Probability;
      if (Asked.Writes == Writer::Local && Set.Cpu != CpuRelation::Remote)
        Touch.Writes = Asked.WriteShare * Touch.Probability;
      Visits += Set.Weight * Touch.Probability;
      Set.Touches.push_back(Touch);
    }
    double Writes = Asked.WriteShare * Visits;
    if (Asked.Writes != Writer::Remote || !(Writes > 0))
      return;
    FieldTouch Touch;
    Touch.Field = New;
    Touch.Probability = Touch.Writes = 1;
    CoAccessSet Write;
    Write.Weight = Writes;
    Write.Cpu = CpuRelation::Remote;
    Write.Touches = {Touch};
    Everywhere = Writes;
    Sharing.Stays += Writes; // each comes by itself
    Sets.push_back(std::move(Write));
  }

  /// The cost depends on the size: it tells where instances start.
  const LayoutCost &model(uint64_t SizeBytes) {
    std::unique_ptr<LayoutCost> &Model = Models[SizeBytes];
    if (!Model) {
      Record.SizeBytes = SizeBytes;
      Model = std::make_unique<LayoutCost>(Record, Sets, Options, Sharing);
    }
    return *Model;
  }

  std::pair<uint64_t, uint64_t> lines(const Layout &Plan, uint32_t F) const {
    const uint64_t LineBits = 8ull * Options.LineBytes;
    uint64_t First = Plan.OffsetBits[F];
    return {First / LineBits,
            (First + std::max<uint64_t>(1, Record.Fields[F].SizeBits) - 1) /
                LineBits};
  }

  /// Unused bits around position P of the order, in the present layout.
  uint64_t hole(const std::vector<uint32_t> &Order, size_t P) const {
    uint64_t Begin = 0, End = 8 * Old.SizeBytes;
    for (size_t I = 0; I < P; ++I)
      if (uint32_t F = Order[I]; F != New)
        Begin = std::max(Begin, Old.OffsetBits[F] + Record.Fields[F].SizeBits);
    for (size_t I = P; I < Order.size(); ++I)
      if (uint32_t F = Order[I]; F != New && (Record.Fields[F].SizeBits ||
                                              Record.Fields[F].FlexibleArray)) {
        End = Old.OffsetBits[F];
        break;
      }
    return End > Begin ? End - Begin : 0;
  }

  RecordInfo Record;
  const LayoutOptions &Options;
  Layout Old;
  Cost Now;
  uint32_t New = 0;
  double Visits = 0, Everywhere = 0;
  std::vector<CoAccessSet> Sets;
  SharingOptions Sharing;
  std::map<uint64_t, std::unique_ptr<LayoutCost>> Models;
};

/// Why nothing may stand before the first field; empty when something may.
std::string frontRule(const LayoutProblem &Problem) {
  const FieldInfo &First = Problem.record().Fields.front();
  for (const SourceRule &Rule : Problem.options().Rules)
    if (Rule.Kind == RuleKind::ImmovableField && Rule.Fields == std::vector{0u})
      return Rule.Why;
  for (const Pin &P : Problem.options().Pins)
    if (P.Field == 0)
      return P.Why;
  return First.ZeroSize ? "a marker of no size" : "";
}

/// Whether the rule wants no new field just before a field.
bool closes(const SourceRule &Rule, uint32_t Before) {
  return Rule.Kind == RuleKind::Closed && Rule.Fields.size() == 2 &&
         Rule.Fields[0] <= Before && Before <= Rule.Fields[1];
}

bool isClosed(const LayoutProblem &Problem, uint32_t Before) {
  const std::vector<SourceRule> &Rules = Problem.options().Rules;
  return std::ranges::any_of(Rules, [&](const SourceRule &Rule) {
    return Rule.Strength == RuleStrength::Hard && closes(Rule, Before);
  });
}

/// "no place from the front to 'b': why (file:line)"
std::string closedNote(const RecordInfo &Record, const SourceRule &Rule) {
  auto Name = [&](uint32_t Field) {
    return Field < Record.Fields.size() ? "'" + Record.Fields[Field].Name + "'"
                                        : std::string("the end");
  };
  std::string Note = "no place ";
  if (Rule.Fields[0] == Rule.Fields[1])
    Note += "before " + Name(Rule.Fields[0]);
  else
    Note += "from " +
            (Rule.Fields[0] ? "before " + Name(Rule.Fields[0])
                            : std::string("the front")) +
            " to " + Name(Rule.Fields[1]);
  Note += ": " + Rule.Why;
  if (!Rule.Where.File.empty())
    Note +=
        " (" + Rule.Where.File + ":" + std::to_string(Rule.Where.Line) + ")";
  return Note;
}

/// Ranges of the source that the place before field `Before` (one past the last
/// field: the end) lies in or at the border of.
std::vector<std::string> rangesAt(const LayoutProblem &Problem,
                                  uint32_t Before) {
  std::map<std::string, std::vector<uint32_t>> Borders;
  for (const SourceRule &Rule : Problem.options().Rules)
    if (Rule.Kind == RuleKind::Barrier && Rule.Fields.size() == 1)
      Borders[Rule.Why].push_back(Rule.Fields[0]);
  std::vector<std::string> Notes;
  for (const SourceRule &Rule : Problem.options().Rules)
    if (Rule.Strength == RuleStrength::Soft && closes(Rule, Before))
      Notes.push_back("perhaps closed: " + Rule.Why);
  for (auto &[Why, Places] : Borders) {
    auto [Low, High] = std::minmax_element(Places.begin(), Places.end());
    if (std::ranges::find(Places, Before) != Places.end())
      Notes.push_back("at a border: " + Why);
    else if (*Low < Before && Before < *High)
      Notes.push_back("inside: " + Why);
  }
  return Notes;
}

/// Best first; see EqualCostShare.
void rank(std::vector<Gap> &Gaps, double Now) {
  double Least = Gaps.front().Change;
  for (const Gap &G : Gaps)
    Least = std::min(Least, G.Change);
  const double Equal = EqualCostShare * Now;
  auto Key = [&](const Gap &G) {
    double Above = G.Change - Least;
    int64_t Grows = 0;
    uint64_t Lines = 0;
    for (const GapInConfig &One : G.In) {
      Grows += One.Grows;
      Lines += One.LinesChanged;
    }
    // The last one without the dust of sums.
    return std::tuple(Equal > 0 ? std::floor(Above / Equal) : 0.0, !G.fits(),
                      Grows, Lines,
                      Equal > 0 ? std::round(Above / Equal * 1e6) : 0.0);
  };
  std::ranges::stable_sort(
      Gaps, [&](const Gap &A, const Gap &B) { return Key(A) < Key(B); });
}

} // namespace

Result<PlaceAdvice> placeField(const LayoutProblem &Problem,
                               const NewField &Asked) {
  const RecordInfo &Record = Problem.record();
  const std::string &Name = Asked.Shapes.front().Name;
  if (Record.Union)
    return Failure{"'" + Record.Name +
                   "' is a union: every member starts at offset 0"};
  if (Record.RandomizeLayout)
    return Failure{"'" + Record.Name +
                   "' has __randomize_layout: the compiler "
                   "plugin chooses the order"};
  for (const FieldInfo &Field : Record.Fields)
    if (Field.Name == Name)
      return Failure{"'" + Record.Name + "' has a field '" + Name +
                     "' already"};

  PlaceAdvice Advice;
  std::vector<Extended> Configs;
  std::vector<double> Shares;
  double Now = 0;
  for (size_t C = 0; C < Problem.configCount(); ++C) {
    Configs.emplace_back(Problem.evidence().Configs[C], Asked, Asked.Shapes[C],
                         Problem, C);
    Advice.Evidence |= Configs.back().visits() > 0;
    Shares.push_back(Problem.shareOfConfig(C));
    Now += Shares.back() * Configs.back().now().total();
  }
  Advice.Visits = Configs.front().visits();
  Advice.Now = Configs.front().now();
  Advice.Everywhere =
      Configs.front().everywhere() * Problem.model().lineCycles();

  for (const SourceRule &Rule : Problem.options().Rules)
    if (Rule.Kind == RuleKind::AllFixed)
      Advice.Notes.push_back(Rule.Why);
    else if (Rule.Kind == RuleKind::Closed &&
             Rule.Strength == RuleStrength::Hard)
      Advice.Notes.push_back(closedNote(Record, Rule));

  const std::vector<uint32_t> Order = declarationOrder(Record);
  auto AddGap = [&](uint32_t After, size_t Position) {
    if (isClosed(Problem, static_cast<uint32_t>(Position)))
      return;
    Gap G;
    G.After = After;
    G.End = Position == Order.size() || Record.Fields[Position].FlexibleArray;
    for (size_t C = 0; C < Configs.size(); ++C) {
      G.In.push_back(Configs[C].at(Order, Position));
      G.Change += Shares[C] * G.In.back().Change.total();
    }
    G.Notes = rangesAt(Problem, static_cast<uint32_t>(Position));
    Advice.Gaps.push_back(std::move(G));
  };
  if (Record.Fields.empty() || frontRule(Problem).empty())
    AddGap(Gap::Front, 0);
  for (const MoveUnit &U : Problem.rules().bricks())
    if (!Record.Fields[U.Fields.back()].FlexibleArray)
      AddGap(U.Fields.back(), U.Fields.back() + 1);
  if (Advice.Gaps.empty())
    return Failure{"'" + Record.Name + "' has no place for another field"};
  rank(Advice.Gaps, Now);
  return Advice;
}

} // namespace kst
