// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/Sequence.h"

#include "llvm/ADT/STLExtras.h"

namespace kst {

namespace {

using Item = Definition::Item;

/// A member that is placed by the order: an item, or a part of one.
struct Active {
  uint32_t Item;
  uint32_t Part = Placed::Whole;
  uint32_t Lines = 1;
  bool Moved = false;
};

class Arranger {
public:
  explicit Arranger(const Definition &Source)
      : Source(Source), Items(Source.items()) {}

  llvm::Error order(llvm::ArrayRef<uint32_t> NewOrder);
  llvm::Error chooseMoved(const std::vector<bool> *MovedFields);
  void placeStaying();
  void placeMoved();
  void moveMacros();
  std::vector<Placed> take() { return std::move(List); }

private:
  void split(llvm::ArrayRef<uint32_t> NewOrder);
  void makeActive();
  uint32_t firstFieldOf(const Active &Of) const;
  llvm::Error cannotPart(uint32_t A, uint32_t B) const;
  std::vector<Placed> bundle(uint32_t Index) const;
  size_t insertionPoint(uint32_t Index, size_t From) const;
  unsigned directivesFor(llvm::ArrayRef<BranchRef> From,
                         llvm::ArrayRef<BranchRef> To) const;
  bool isActive(const Placed &P) const { return !Items[P.Item].Fields.empty(); }
  bool travelsWith(uint32_t Comment, uint32_t &With, bool &Below) const;

  const Definition &Source;
  const std::vector<Item> &Items;
  std::vector<bool> Taken;        ///< apart, by item
  std::vector<Active> Original;   ///< in the order of the text
  std::vector<uint32_t> ActiveOf; ///< field -> index into Original
  std::vector<uint32_t> Wanted;   ///< indices into Original
  std::vector<std::vector<uint32_t>> Before, Behind; ///< carried items
  std::vector<bool> CarriedAlong;                    ///< by item
  std::vector<Placed> List;
};

/// Finds the items whose fields do not stay together.
void Arranger::split(llvm::ArrayRef<uint32_t> NewOrder) {
  Taken.assign(Items.size(), false);
  std::vector<uint32_t> Position(NewOrder.size());
  for (uint32_t I = 0; I != NewOrder.size(); ++I)
    Position[NewOrder[I]] = I;
  for (uint32_t I = 0; I != Items.size(); ++I)
    for (size_t F = 1; F < Items[I].Fields.size(); ++F)
      if (Position[Items[I].Fields[F]] != Position[Items[I].Fields[F - 1]] + 1)
        Taken[I] = true;
}

void Arranger::makeActive() {
  ActiveOf.resize(Source.fieldCount());
  for (uint32_t I = 0; I != Items.size(); ++I) {
    const std::vector<uint32_t> &Fields = Items[I].Fields;
    // What moves out of an #if takes two lines for each.
    uint32_t Lines =
        Items[I].EndLine - Items[I].Line + 1 + 2 * Items[I].Path.size();
    if (Fields.empty())
      continue;
    if (!Taken[I]) {
      Original.push_back({I, Placed::Whole, Lines});
      for (uint32_t F : Fields)
        ActiveOf[F] = Original.size() - 1;
      continue;
    }
    for (uint32_t P = 0; P != Items[I].Parts.size(); ++P) {
      const Definition::Part &Part = Items[I].Parts[P];
      const uint32_t Inside = llvm::StringRef(Part.Text).count('\n');
      Original.push_back(
          {I, P, 1 + Inside + 2 * uint32_t(Items[I].Path.size())});
      for (uint32_t F = Part.FirstField; F != Part.EndField; ++F)
        ActiveOf[Fields[F]] = Original.size() - 1;
    }
  }
}

llvm::Error Arranger::order(llvm::ArrayRef<uint32_t> NewOrder) {
  std::vector<uint32_t> Sorted(NewOrder.begin(), NewOrder.end());
  llvm::sort(Sorted);
  for (uint32_t I = 0; I != Sorted.size(); ++I)
    if (Sorted[I] != I || Sorted.size() != Source.fieldCount())
      return llvm::createStringError("not an order of all fields");
  split(NewOrder);
  for (uint32_t I = 0; I != Items.size(); ++I)
    if (Taken[I] && Items[I].Parts.empty())
      return cannotPart(Items[I].Fields.front(), Items[I].Fields.back());
  makeActive();
  std::vector<bool> Done(Original.size());
  for (size_t I = 0; I != NewOrder.size(); ++I) {
    const uint32_t Next = ActiveOf[NewOrder[I]];
    if (!Wanted.empty() && Wanted.back() == Next &&
        NewOrder[I] == NewOrder[I - 1] + 1)
      continue;
    if (Done[Next])
      return cannotPart(NewOrder[I], firstFieldOf(Original[Next]));
    Done[Next] = true;
    Wanted.push_back(Next);
  }
  return llvm::Error::success();
}

uint32_t Arranger::firstFieldOf(const Active &Of) const {
  const Item &In = Items[Of.Item];
  return In.Fields[Of.Part == Placed::Whole ? 0 : In.Parts[Of.Part].FirstField];
}

/// With the rule that says why, if there is one.
llvm::Error Arranger::cannotPart(uint32_t A, uint32_t B) const {
  std::string Why;
  uint32_t Line = Items[Source.itemOf(A)].Line;
  for (const SourceRule &Rule : Source.rules())
    if (Rule.Kind == RuleKind::Join && llvm::is_contained(Rule.Fields, A) &&
        llvm::is_contained(Rule.Fields, B)) {
      Why = ": " + Rule.Why;
      Line = Rule.Where.Line;
    }
  return llvm::createStringError("line " + llvm::Twine(Line) + ": " +
                                 Source.fieldName(std::min(A, B)) + " and " +
                                 Source.fieldName(std::max(A, B)) +
                                 " cannot be taken apart" + Why);
}

/// Without a choice of the caller: the heaviest increasing subsequence stays,
/// counted in members, then in lines.
llvm::Error Arranger::chooseMoved(const std::vector<bool> *MovedFields) {
  if (MovedFields) {
    for (uint32_t F = 0; F != MovedFields->size() && F != ActiveOf.size(); ++F)
      if ((*MovedFields)[F])
        Original[ActiveOf[F]].Moved = true;
    uint32_t Last = 0;
    for (uint32_t Index : Wanted) {
      if (Original[Index].Moved)
        continue;
      if (Index < Last)
        return llvm::createStringError(
            "fields said to stay are not in their order");
      Last = Index;
    }
    return llvm::Error::success();
  }
  constexpr uint64_t PerMember = 1 << 20;
  std::vector<uint64_t> Best(Wanted.size());
  std::vector<size_t> Back(Wanted.size());
  size_t End = 0;
  for (size_t I = 0; I != Wanted.size(); ++I) {
    Back[I] = I;
    uint64_t Before = 0;
    for (size_t J = 0; J != I; ++J)
      if (Wanted[J] < Wanted[I] && Best[J] > Before) {
        Before = Best[J];
        Back[I] = J;
      }
    Best[I] = Before + PerMember + Original[Wanted[I]].Lines;
    if (Best[I] > Best[End])
      End = I;
  }
  for (Active &A : Original)
    A.Moved = true;
  for (size_t I = End; !Wanted.empty(); I = Back[I]) {
    Original[Wanted[I]].Moved = false;
    if (Back[I] == I)
      break;
  }
  return llvm::Error::success();
}

/// Whom a comment goes with, if that one moves.
bool Arranger::travelsWith(uint32_t Comment, uint32_t &With,
                           bool &Below) const {
  const Item &C = Items[Comment];
  With = C.Owner;
  Below = C.Below;
  if (C.Group.empty())
    return With != Definition::Nobody;
  // A group's comment goes when all of its members do.
  for (const Active &A : Original)
    if (!A.Moved && llvm::is_contained(C.Group, A.Item))
      return false;
  for (uint32_t Member : C.Group)
    if (Items[Member].Fields.empty())
      return false;
  With = C.Group.front();
  return true;
}

void Arranger::placeStaying() {
  Before.resize(Original.size());
  Behind.resize(Original.size());
  CarriedAlong.assign(Items.size(), false);
  // First and last part of each item; the position in the wanted order.
  std::vector<uint32_t> First(Items.size(), Definition::Nobody),
      Last(Items.size(), Definition::Nobody);
  for (uint32_t A = 0; A != Original.size(); ++A) {
    uint32_t I = Original[A].Item;
    if (First[I] == Definition::Nobody)
      First[I] = A;
    Last[I] = A;
  }
  auto Carry = [&](uint32_t I, std::vector<uint32_t> &Where) {
    if (CarriedAlong[I])
      return;
    CarriedAlong[I] = true;
    Where.push_back(I);
  };
  for (uint32_t I = 0; I != Items.size(); ++I) {
    uint32_t With;
    bool Below;
    if (Items[I].Kind != PieceKind::Comment || !travelsWith(I, With, Below))
      continue;
    uint32_t Member = Below ? Last[With] : First[With];
    if (Member != Definition::Nobody && Original[Member].Moved)
      Carry(I, Below ? Behind[Member] : Before[Member]);
  }
  // What lies between two that move and stay neighbours, and bit-fields of
  // other configurations behind one that moves.
  std::vector<uint32_t> Position(Original.size());
  for (uint32_t I = 0; I != Wanted.size(); ++I)
    Position[Wanted[I]] = I;
  for (uint32_t A = 0; A != Original.size(); ++A) {
    if (!Original[A].Moved)
      continue;
    bool Together = A + 1 != Original.size() && Original[A + 1].Moved &&
                    Position[A + 1] == Position[A] + 1;
    uint32_t End =
        A + 1 == Original.size() ? Items.size() : Original[A + 1].Item;
    bool Run = Items[Original[A].Item].BitField;
    for (uint32_t I = Original[A].Item + 1; I < End; ++I) {
      const Item &Between = Items[I];
      if (Between.Barrier)
        break;
      bool Inactive =
          Between.Kind == PieceKind::Member || Between.Kind == PieceKind::Macro;
      Run = Run && (!Inactive || Between.BitField);
      if (Together && Between.Kind != PieceKind::Directive &&
          Between.Kind != PieceKind::Nothing && !CarriedAlong[I])
        Carry(I, Inactive || Between.Owner == Definition::Nobody
                     ? Behind[A]
                     : Before[A + 1]);
      else if (Run && Inactive)
        Carry(I, Behind[A]);
    }
  }
  for (auto &Carried : Before)
    llvm::sort(Carried);
  for (auto &Carried : Behind)
    llvm::sort(Carried);

  uint32_t A = 0;
  for (uint32_t I = 0; I != Items.size(); ++I) {
    if (Items[I].Fields.empty()) {
      if (!CarriedAlong[I])
        List.push_back({I, false, false, Items[I].Path});
      continue;
    }
    for (; A != Original.size() && Original[A].Item == I; ++A)
      if (!Original[A].Moved)
        List.push_back({I, false, false, Items[I].Path, Original[A].Part});
  }
}

/// The member with what travels with it.
std::vector<Placed> Arranger::bundle(uint32_t Index) const {
  const Active &A = Original[Index];
  const std::vector<BranchRef> &Path = Items[A.Item].Path;
  auto Carried = [&](uint32_t I) {
    // A comment goes under the conditions of its owner.
    bool Own = Items[I].Kind == PieceKind::Comment;
    return Placed{I, true, true, Own ? Path : Items[I].Path};
  };
  std::vector<Placed> All;
  for (uint32_t I : Before[Index])
    All.push_back(Carried(I));
  All.push_back({A.Item, true, false, Path, A.Part});
  for (uint32_t I : Behind[Index])
    All.push_back(Carried(I));
  return All;
}

/// Directives needed from one place to another, conditions by their keys.
unsigned Arranger::directivesFor(llvm::ArrayRef<BranchRef> From,
                                 llvm::ArrayRef<BranchRef> To) const {
  size_t Common = 0;
  auto Key = [&](const BranchRef &R) {
    return Source.body().Blocks[R.Block].key(R.Branch);
  };
  while (Common < From.size() && Common < To.size() &&
         Key(From[Common]) == Key(To[Common]))
    ++Common;
  return (From.size() - Common) + (To.size() - Common);
}

/// Where in List a member goes whose predecessor's bundle ends before `From`:
/// there, or further down among things that make no field when that needs
/// fewer directives beyond those that stand there; on its own side of a
/// barrier; never between a comment and its owner.
size_t Arranger::insertionPoint(uint32_t Index, size_t From) const {
  uint32_t Self = Original[Index].Item;
  llvm::ArrayRef<BranchRef> Path = Items[Self].Path;
  size_t Best = From;
  unsigned BestCost = ~0u;
  for (size_t At = From; At <= List.size(); ++At) {
    llvm::ArrayRef<BranchRef> Above, Below;
    if (At)
      Above = List[At - 1].Path;
    if (At < List.size())
      Below = List[At].Path;
    bool Splits = false;
    if (At && At < List.size()) {
      const Item &C = Items[List[At - 1].Item], &N = Items[List[At].Item];
      Splits = (C.Kind == PieceKind::Comment && !C.Below &&
                (C.Owner != Definition::Nobody || !C.Group.empty()) &&
                !List[At - 1].Carried) ||
               (N.Kind == PieceKind::Comment && N.Below);
      // An owned comment whose owner is gone is in no one's way.
      if (C.Owner != Definition::Nobody && List[At].Item != C.Owner &&
          N.Kind != PieceKind::Comment)
        Splits = Splits && !C.Group.empty();
    }
    bool BehindBarrier = At < List.size() && Items[List[At].Item].Barrier &&
                         !List[At].Moved && Self > List[At].Item;
    if (BehindBarrier)
      BestCost = ~0u; // must go further down
    else if (!Splits) {
      unsigned Cost = directivesFor(Above, Path) + directivesFor(Path, Below) -
                      directivesFor(Above, Below);
      if (Cost < BestCost) {
        BestCost = Cost;
        Best = At;
      }
    }
    if (At == List.size() || isActive(List[At]))
      break;
    if (Items[List[At].Item].Barrier && !BehindBarrier)
      break;
  }
  return Best;
}

void Arranger::placeMoved() {
  for (size_t I = 0; I != Wanted.size(); ++I) {
    if (!Original[Wanted[I]].Moved)
      continue;
    size_t At = 0;
    if (I) {
      const Active &Before = Original[Wanted[I - 1]];
      while (At != List.size() &&
             !(List[At].Item == Before.Item && List[At].Part == Before.Part))
        ++At;
      ++At;
      // Behind what the predecessor carries.
      while (At < List.size() && Items[List[At].Item].Fields.empty() &&
             (Items[List[At].Item].Below ||
              llvm::is_contained(Behind[Wanted[I - 1]], List[At].Item)))
        ++At;
    } else {
      // Before the first member and the comments above it.
      while (At != List.size() && !isActive(List[At]) &&
             !(Items[List[At].Item].Barrier &&
               Original[Wanted[0]].Item < List[At].Item))
        ++At;
      while (At && Items[List[At - 1].Item].Kind == PieceKind::Comment &&
             (Items[List[At - 1].Item].Owner != Definition::Nobody ||
              !Items[List[At - 1].Item].Group.empty()))
        --At;
    }
    size_t Where = I ? insertionPoint(Wanted[I], At) : At;
    std::vector<Placed> All = bundle(Wanted[I]);
    List.insert(List.begin() + Where, All.begin(), All.end());
  }
}

/// A #define stands above the first member that uses it.
void Arranger::moveMacros() {
  for (size_t At = 0; At != List.size(); ++At) {
    const Item &Macro = Items[List[At].Item];
    if (Source.wordOf(Macro) != "define" || Macro.Tokens.size() < 3)
      continue;
    llvm::StringRef Name =
        llvm::StringRef(Source.text())
            .slice(Macro.Tokens[2].Begin, Macro.Tokens[2].End);
    for (size_t User = 0; User != At; ++User) {
      const Item &Member = Items[List[User].Item];
      if (List[User].Item < List[At].Item ||
          (Member.Kind != PieceKind::Member &&
           Member.Kind != PieceKind::Macro) ||
          !mentions(Member, Source.text(), Name))
        continue;
      while (User && List[User - 1].Carried)
        --User;
      Placed Moving = List[At];
      Moving.Moved = true;
      List.erase(List.begin() + At);
      List.insert(List.begin() + User, Moving);
      break;
    }
  }
}

} // namespace

llvm::Expected<std::vector<Placed>> arrange(const Definition &Source,
                                            llvm::ArrayRef<uint32_t> NewOrder,
                                            const std::vector<bool> *Moved) {
  Arranger Work(Source);
  if (llvm::Error E = Work.order(NewOrder))
    return E;
  if (llvm::Error E = Work.chooseMoved(Moved))
    return E;
  Work.placeStaying();
  Work.placeMoved();
  Work.moveMacros();
  return Work.take();
}

} // namespace kst
