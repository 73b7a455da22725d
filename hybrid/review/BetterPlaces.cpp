// SPDX-License-Identifier: GPL-2.0-or-later
//
// The finding better-place: a new field, or one whose move cost something, has
// a cheaper legal place.

#include "hybrid/layout/LayoutProblem.h"
#include "hybrid/layout/PlaceField.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/review/StructFindings.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace kst {

namespace {

/// A legal order in which one field is elsewhere, and nothing grows.
struct OtherPlace {
  double Gain;     ///< share of the struct's cost
  bool Shifts;     ///< another field's offset changes
  size_t Position; ///< of the field's move unit
  MoveUnitOrder Order;
};

class PlaceSearch {
public:
  explicit PlaceSearch(const ComparedStruct &Struct)
      : Struct(Struct), Joined{Struct.Record, {Struct.Head}, {}},
        Problem(Joined, Struct.Versions.Layout),
        Declared(Problem.space().declared()) {}

  bool allFixed() const { return Problem.rules().allFixed(); }
  /// Alone in its move unit, which may move.
  bool mayMove(uint32_t F) const {
    const uint32_t MoveUnit = Problem.rules().moveUnitOf(F);
    return Problem.rules().bricks()[MoveUnit].Fields.size() == 1 &&
           Problem.rules().mayMove(MoveUnit);
  }
  /// Of the places whose gains are as good as equal, the one that moves
  /// nothing else. None if there is no other place.
  std::optional<OtherPlace> best(uint32_t F) const;
  std::string inWords(const OtherPlace &Place, uint32_t F) const;

private:
  std::vector<OtherPlace> all(uint32_t F) const;

  const ComparedStruct &Struct;
  const JoinedConfigs Joined; ///< Problem refers to it
  const LayoutProblem Problem;
  const MoveUnitOrder Declared;
};

std::vector<OtherPlace> PlaceSearch::all(uint32_t F) const {
  const LayoutPrices &Prices = Struct.Prices;
  const uint32_t MoveUnit = Problem.rules().moveUnitOf(F);
  // What the field itself costs, and what it did to the others: another place
  // must not be praised for moving others about.
  ComparedStruct::Fields Own = Struct.newFields();
  Own.insert(F);
  const LayoutCost Rest(Struct.Record, withoutFields(Struct.Head.Sets, Own),
                        Struct.Versions.Layout, Struct.Sharing);
  const double RestNow = Rest.price(Prices.head()).total();
  const double Damage =
      std::max(0.0, RestNow - Rest.price(Prices.base()).total());
  std::vector<OtherPlace> Places;
  for (size_t To = 0; To != Declared.size(); ++To) {
    MoveUnitOrder Order = Declared;
    Order.erase(Order.begin() + MoveUnit);
    Order.insert(Order.begin() + static_cast<std::ptrdiff_t>(To), MoveUnit);
    if (Order == Declared || !Problem.rules().legal(Order))
      continue;
    const Layout Plan = Problem.space().layout(Order);
    if (Plan.SizeBytes > Struct.Record.SizeBytes)
      continue;
    bool Shifts = false;
    for (uint32_t Other = 0; Other != Struct.fieldCount(); ++Other)
      Shifts |= Other != F && Plan.OffsetBits[Other] !=
                                  Struct.Record.Fields[Other].OffsetBits;
    const double Saved = Struct.Total - Prices.all().price(Plan).total();
    const double Others = RestNow - Rest.price(Plan).total();
    Places.push_back({Struct.share(Saved - Others + std::min(Others, Damage)),
                      Shifts, To, std::move(Order)});
  }
  return Places;
}

std::optional<OtherPlace> PlaceSearch::best(uint32_t F) const {
  const std::vector<OtherPlace> Places = all(F);
  if (Places.empty())
    return std::nullopt;
  const double Most =
      std::max(0.0, std::ranges::max(Places, {}, &OtherPlace::Gain).Gain);
  return std::ranges::min(Places, {}, [&](const OtherPlace &One) {
    return std::tuple(std::floor((Most - One.Gain) / EqualCostShare),
                      One.Shifts, -One.Gain, One.Position);
  });
}

std::string PlaceSearch::inWords(const OtherPlace &Place, uint32_t F) const {
  const Layout Plan = Problem.space().layout(Place.Order);
  std::string Where = "at the front";
  if (Place.Position) {
    const uint32_t Before = Place.Order[Place.Position - 1];
    Where =
        "after " +
        inQuotes(Struct.name(Problem.rules().bricks()[Before].Fields.back()));
  }
  return Where + " (offset " + std::to_string(Plan.OffsetBits[F] / 8) +
         ", line " + Struct.lineOf(Plan, F) + ") the cost is " +
         percent(Place.Gain) + " less" +
         (Place.Shifts ? "" : ", and no other field moves");
}

/// Fields that the diff put where they are; none of a struct that was written
/// anew, in which no field stands out.
std::vector<uint32_t> freshFields(const ComparedStruct &Struct) {
  constexpr size_t Most = 24;
  std::vector<uint32_t> Fresh;
  for (uint32_t F = 0; F != Struct.fieldCount(); ++F)
    if ((Struct.isNew(F) || Struct.isMoved(F)) && Struct.isReal(F))
      Fresh.push_back(F);
  if (Fresh.size() > Most)
    Fresh.clear();
  return Fresh;
}

void addPlace(const ComparedStruct &Struct, uint32_t F, double Gain,
              const std::string &Words, std::vector<Finding> &To) {
  auto Same = std::ranges::find_if(To, [&](const Finding &One) {
    return One.Kind == FindingKind::FalseSharing &&
           One.Fields == std::vector{Struct.name(F)};
  });
  if (Same != To.end()) {
    Same->Why.push_back("a better place: " + Words);
    return;
  }
  Finding &New =
      To.emplace_back(Struct.finding(FindingKind::BetterPlace, Gain, F));
  New.Said = std::string(Struct.isNew(F) ? "new" : "moved") + " field " +
             inQuotes(Struct.name(F)) + " has a better place: " + Words;
  const FieldUsers Who = usersOf(Struct.Head, F);
  addReaders(New, Who);
  addWriters(New, Who);
}

} // namespace

void addBetterPlaces(const ComparedStruct &Struct, std::vector<Finding> &To) {
  if (!Struct.Versions.Through.empty() || Struct.Head.Sets.empty() ||
      Struct.Record.Union)
    return;
  const std::vector<uint32_t> Fresh = freshFields(Struct);
  if (Fresh.empty())
    return;
  const PlaceSearch Search(Struct);
  if (Search.allFixed())
    return;
  const bool Worse =
      Struct.Total >=
      (1 + Struct.Options.MinShare) *
          Struct.Prices.all().price(Struct.Prices.base()).total();
  const double Least =
      std::max(Struct.Options.MinShare, Struct.Versions.Layout.KeepBelow);
  for (uint32_t F : Fresh) {
    // A move that made things better is no news, though better ones exist.
    if (!Search.mayMove(F) || (!Struct.isNew(F) && !Worse))
      continue;
    const std::optional<OtherPlace> Place = Search.best(F);
    if (Place && Place->Gain >= Least)
      addPlace(Struct, F, Place->Gain, Search.inWords(*Place, F), To);
  }
}

} // namespace kst
