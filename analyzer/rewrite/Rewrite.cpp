// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/Rewrite.h"

#include "analyzer/rewrite/BodyWriter.h"
#include "analyzer/rewrite/Inventory.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <tuple>

namespace kst {

namespace {

using Item = Definition::Item;

void addNotes(const Definition &Source, llvm::ArrayRef<Placed> List,
              Rewritten &Result) {
  for (const TextNote &Place : Source.placeComments())
    Result.Notes.push_back(
        {Place.Line,
         "speaks of a place in memory; is it still true? " + Place.What});
  std::vector<bool> Moved(Source.items().size());
  for (const Placed &P : List)
    if (P.Moved)
      Moved[P.Item] = true;
  const std::vector<Item> &Items = Source.items();
  for (uint32_t I = 0; I + 1 < Items.size(); ++I) {
    const Item &C = Items[I];
    if (C.Kind != PieceKind::Comment || C.Owner == Definition::Nobody ||
        C.Below || !Moved[C.Owner] || C.Owner + 1 >= Items.size())
      continue;
    const Item &Next = Items[C.Owner + 1];
    if (Next.Kind == PieceKind::Member && !Moved[C.Owner + 1] &&
        !Next.Fields.empty() && Source.gapAfter(C.Owner).empty())
      Result.Notes.push_back(
          {C.Line, "went with " +
                       Source.fieldName(Items[C.Owner].Fields.front()) +
                       "; does it speak of " +
                       Source.fieldName(Next.Fields.front()) + ", too?"});
  }
  llvm::sort(Result.Notes, [](const TextNote &A, const TextNote &B) {
    return std::tie(A.Line, A.What) < std::tie(B.Line, B.What);
  });
  Result.Notes.erase(llvm::unique(Result.Notes), Result.Notes.end());
}

/// The orders inside of anonymous structs, as new texts of their items.
llvm::Error rewriteInside(const Definition &Source,
                          llvm::ArrayRef<uint32_t> NewOrder,
                          const std::vector<bool> *Moved,
                          std::map<uint32_t, std::string> &Texts,
                          Rewritten &Result) {
  for (size_t N = 0; N != Source.nested().size(); ++N) {
    const Definition &Inside = Source.inside(N);
    const Definition::Item &Item = Source.items()[Source.nested()[N].Item];
    const uint32_t First = Source.nested()[N].FirstField;
    std::vector<uint32_t> Order;
    for (uint32_t F : NewOrder)
      if (F >= First && F < First + Inside.fieldCount())
        Order.push_back(F - First);
    std::vector<bool> Picked;
    if (Moved)
      Picked.assign(Moved->begin() + First,
                    Moved->begin() + First + Inside.fieldCount());
    // Where all have moved, the struct has: what is inside can mostly stay.
    bool Some = llvm::is_contained(Picked, false);
    llvm::Expected<Rewritten> New =
        rewrite(Inside, Order, Some ? &Picked : nullptr);
    if (!New)
      return New.takeError();
    for (uint32_t F : New->Moved)
      Result.Moved.push_back(First + F);
    llvm::append_range(Result.Notes, New->Notes);
    llvm::StringRef Text = New->Text;
    if (Text == Source.text())
      continue;
    Texts[Source.nested()[N].Item] =
        Text.slice(Item.Begin, Text.size() - (Source.text().size() - Item.End))
            .str();
  }
  return llvm::Error::success();
}

/// The order of the members themselves: anonymous structs as they were, each
/// where its first field is. Fails when their fields are not adjacent.
llvm::Expected<std::vector<uint32_t>>
orderAround(const Definition &Source, llvm::ArrayRef<uint32_t> NewOrder) {
  std::vector<uint32_t> Order;
  std::vector<bool> Done(Source.items().size());
  for (size_t I = 0; I != NewOrder.size(); ++I) {
    if (NewOrder[I] >= Source.fieldCount())
      return llvm::createStringError("not an order of all fields");
    const uint32_t Item = Source.itemOf(NewOrder[I]);
    if (!Source.isNested(Item)) {
      Order.push_back(NewOrder[I]);
      continue;
    }
    if (!Done[Item])
      llvm::append_range(Order, Source.items()[Item].Fields);
    else if (Source.itemOf(NewOrder[I - 1]) != Item)
      return llvm::createStringError(
          Source.fieldName(NewOrder[I]) +
          " would leave the anonymous struct that it is in");
    Done[Item] = true;
  }
  return Order;
}

} // namespace

llvm::Expected<Rewritten> rewrite(const Definition &Source,
                                  llvm::ArrayRef<uint32_t> NewOrder,
                                  const std::vector<bool> *Moved) {
  Rewritten Result;
  bool Same = NewOrder.size() == Source.fieldCount();
  for (uint32_t I = 0; Same && I != NewOrder.size(); ++I)
    Same = NewOrder[I] == I;
  if (Same) {
    Result.Text = Source.text();
    return Result;
  }
  for (const SourceRule &Rule : Source.rules())
    if (Rule.Kind == RuleKind::AllFixed)
      return llvm::createStringError("line " + llvm::Twine(Rule.Where.Line) +
                                     ": " + Rule.Why);
  llvm::Expected<std::vector<uint32_t>> Around = orderAround(Source, NewOrder);
  if (!Around)
    return Around.takeError();
  std::map<uint32_t, std::string> Inner;
  if (llvm::Error E = rewriteInside(Source, NewOrder, Moved, Inner, Result))
    return E;
  std::vector<bool> MovedAround;
  if (Moved) {
    MovedAround = *Moved;
    for (const Definition::Nested &N : Source.nested()) {
      const std::vector<uint32_t> &Fields = Source.items()[N.Item].Fields;
      bool All = llvm::all_of(Fields, [&](uint32_t F) { return (*Moved)[F]; });
      for (uint32_t F : Fields)
        MovedAround[F] = All;
    }
  }
  llvm::Expected<std::vector<Placed>> List =
      arrange(Source, *Around, Moved ? &MovedAround : nullptr);
  if (!List)
    return List.takeError();
  Result.Text = BodyWriter(Source, *List, Inner).write();
  if (llvm::Error E = checkInventory(Source, Result.Text))
    return E;
  for (const Placed &P : *List)
    if (P.Moved) {
      const Item &Of = Source.items()[P.Item];
      llvm::ArrayRef<uint32_t> Fields = Of.Fields;
      if (P.Part != Placed::Whole)
        Fields = Definition::fieldsOf(Of, Of.Parts[P.Part]);
      for (uint32_t F : Fields)
        if (!llvm::is_contained(Result.Moved, F))
          Result.Moved.push_back(F);
    }
  addNotes(Source, *List, Result);
  return Result;
}

} // namespace kst
