// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/Rewrite.h"

#include "analyzer/rewrite/BodyWriter.h"
#include "analyzer/rewrite/Inventory.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kst {

namespace {

using Item = Definition::Item;
constexpr uint32_t Nobody = Definition::Nobody;

llvm::Error refuse(const llvm::Twine &Why) {
  return llvm::createStringError(Why);
}

void addNotes(const Definition &Of, llvm::ArrayRef<Placed> List,
              Rewritten &Made) {
  for (const TextNote &Place : Of.placeComments())
    Made.Notes.push_back(
        {Place.Line,
         "speaks of a place in memory; is it still true? " + Place.What});
  std::vector<bool> Moved(Of.items().size());
  for (const Placed &P : List)
    if (P.Moved)
      Moved[P.Item] = true;
  const std::vector<Item> &Items = Of.items();
  for (uint32_t I = 0; I + 1 < Items.size(); ++I) {
    const Item &C = Items[I];
    if (C.Kind != PieceKind::Comment || C.Owner == Nobody || C.Below ||
        !Moved[C.Owner] || C.Owner + 1 >= Items.size())
      continue;
    const Item &Next = Items[C.Owner + 1];
    if (Next.Kind == PieceKind::Member && !Moved[C.Owner + 1] &&
        !Next.Fields.empty() && Of.gapAfter(C.Owner).empty())
      Made.Notes.push_back(
          {C.Line, "went with " + Of.fieldName(Items[C.Owner].Fields.front()) +
                       "; does it speak of " +
                       Of.fieldName(Next.Fields.front()) + ", too?"});
  }
  llvm::sort(Made.Notes, [](const TextNote &A, const TextNote &B) {
    return std::tie(A.Line, A.What) < std::tie(B.Line, B.What);
  });
  Made.Notes.erase(llvm::unique(Made.Notes), Made.Notes.end());
}

/// The orders inside of anonymous structs, as new texts of their items.
llvm::Error rewriteInside(const Definition &Of,
                          llvm::ArrayRef<uint32_t> NewOrder,
                          const std::vector<bool> *Moved,
                          std::map<uint32_t, std::string> &Texts,
                          Rewritten &Made) {
  for (size_t N = 0; N != Of.nested().size(); ++N) {
    const Definition &Inside = Of.inside(N);
    const Definition::Item &Item = Of.items()[Of.nested()[N].Item];
    const uint32_t First = Of.nested()[N].FirstField;
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
      Made.Moved.push_back(First + F);
    llvm::append_range(Made.Notes, New->Notes);
    llvm::StringRef Text = New->Text;
    if (Text == Of.text())
      continue;
    Texts[Of.nested()[N].Item] =
        Text.slice(Item.Begin, Text.size() - (Of.text().size() - Item.End))
            .str();
  }
  return llvm::Error::success();
}

/// The order of the members themselves: anonymous structs as they were, each
/// where its first field is. Fails when their fields are not adjacent.
llvm::Expected<std::vector<uint32_t>>
orderAround(const Definition &Of, llvm::ArrayRef<uint32_t> NewOrder) {
  std::vector<uint32_t> Order;
  std::vector<bool> Done(Of.items().size());
  for (size_t I = 0; I != NewOrder.size(); ++I) {
    if (NewOrder[I] >= Of.fieldCount())
      return refuse("not an order of all fields");
    const uint32_t Item = Of.itemOf(NewOrder[I]);
    if (!Of.isNested(Item)) {
      Order.push_back(NewOrder[I]);
      continue;
    }
    if (!Done[Item])
      llvm::append_range(Order, Of.items()[Item].Fields);
    else if (Of.itemOf(NewOrder[I - 1]) != Item)
      return refuse(Of.fieldName(NewOrder[I]) +
                    " would leave the anonymous struct that it is in");
    Done[Item] = true;
  }
  return Order;
}

} // namespace

llvm::Expected<Rewritten> rewrite(const Definition &Of,
                                  llvm::ArrayRef<uint32_t> NewOrder,
                                  const std::vector<bool> *Moved) {
  Rewritten Made;
  bool Same = NewOrder.size() == Of.fieldCount();
  for (uint32_t I = 0; Same && I != NewOrder.size(); ++I)
    Same = NewOrder[I] == I;
  if (Same) {
    Made.Text = Of.text();
    return Made;
  }
  for (const SourceRule &Rule : Of.rules())
    if (Rule.Kind == RuleKind::AllFixed)
      return refuse("line " + llvm::Twine(Rule.Where.Line) + ": " + Rule.Why);
  llvm::Expected<std::vector<uint32_t>> Around = orderAround(Of, NewOrder);
  if (!Around)
    return Around.takeError();
  std::map<uint32_t, std::string> Inner;
  if (llvm::Error E = rewriteInside(Of, NewOrder, Moved, Inner, Made))
    return E;
  std::vector<bool> MovedAround;
  if (Moved) {
    MovedAround = *Moved;
    for (const Definition::Nested &N : Of.nested()) {
      const std::vector<uint32_t> &Fields = Of.items()[N.Item].Fields;
      bool All = llvm::all_of(Fields, [&](uint32_t F) { return (*Moved)[F]; });
      for (uint32_t F : Fields)
        MovedAround[F] = All;
    }
  }
  llvm::Expected<std::vector<Placed>> List =
      arrange(Of, *Around, Moved ? &MovedAround : nullptr);
  if (!List)
    return List.takeError();
  llvm::StringRef Text = Of.text();
  Made.Text = Text.take_front(Of.body().Begin).str();
  Made.Text += BodyWriter(Of, *List, Inner).write();
  Made.Text += Text.drop_front(Of.body().End);
  if (llvm::Error E = checkInventory(Of, Made.Text))
    return E;
  for (const Placed &P : *List)
    if (P.Moved) {
      const std::vector<uint32_t> &Fields = Of.items()[P.Item].Fields;
      if (P.Part != Placed::Whole)
        Made.Moved.push_back(Fields[P.Part]);
      else
        for (uint32_t F : Fields)
          if (!llvm::is_contained(Made.Moved, F))
            Made.Moved.push_back(F);
    }
  addNotes(Of, *List, Made);
  return Made;
}

} // namespace kst
