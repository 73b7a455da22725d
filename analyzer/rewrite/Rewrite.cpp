// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/Rewrite.h"

#include "analyzer/rewrite/Declarators.h"
#include "analyzer/rewrite/Sequence.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kst {

namespace {

using Item = Definition::Item;
constexpr uint32_t Nobody = Definition::Nobody;

bool hasDirective(llvm::StringRef Gap) { return Gap.contains('#'); }

/// Writes the sequence, opening and closing conditions as needed.
class Emitter {
public:
  /// `Inner`: the new text of items that changed inside.
  Emitter(const Definition &Of, llvm::ArrayRef<Placed> List,
          const std::map<uint32_t, std::string> &Inner)
      : Of(Of), Items(Of.items()), Blocks(Of.body().Blocks), List(List),
        Inner(Inner) {
    Eol = llvm::StringRef(Of.text()).contains("\r\n") ? "\r\n" : "\n";
  }

  std::string body() {
    for (size_t I = 0; I <= List.size(); ++I)
      emit(I);
    return std::move(Out);
  }

private:
  /// An open #if. From0: opened at its first branch, so that its #else can
  /// follow.
  struct Frame {
    BranchRef Where;
    bool From0 = false;
  };

  void emit(size_t I);
  void transition(size_t I);
  void close(size_t Depth, std::vector<std::string> &Lines);
  void open(BranchRef Where, std::vector<std::string> &Lines);
  bool blankBefore(size_t I, bool Closes, bool Opens);
  bool paragraphEnds(size_t Stay, size_t Next) const;
  bool verbatim(size_t I) const;
  bool covered(size_t I) const;
  bool leads(size_t I) const;
  std::string textOf(const Placed &P) const;
  std::string key(const BranchRef &R) const {
    return Blocks[R.Block].key(R.Branch);
  }
  /// Index of the item in the text before or after; End: one past the last.
  llvm::StringRef gapBefore(uint32_t I) const {
    return Of.gapAfter(I ? I - 1 : Nobody);
  }

  const Definition &Of;
  const std::vector<Item> &Items;
  const std::vector<CondBlock> &Blocks;
  llvm::ArrayRef<Placed> List;
  const std::map<uint32_t, std::string> &Inner;
  std::string Eol, Out;
  std::vector<Frame> Stack;
  bool JoinsNext = false; ///< what moves went into the block of what follows
  bool Parted = false;    ///< the blank line before that block is written
};

/// The original text between the two neighbours can stay.
bool Emitter::verbatim(size_t I) const {
  bool Begin = I == 0, End = I == List.size();
  if (!Begin && List[I - 1].Part != Placed::Whole) {
    // Parts of one declaration have no text between them.
    if (!End && List[I].Item == List[I - 1].Item)
      return false;
    auto Split = splitDeclaration(Items[List[I - 1].Item], Of.text());
    if (List[I - 1].Part + 1 != Split->Declarators.size())
      return false;
  }
  if (!End && List[I].Part != Placed::Whole && List[I].Part != 0)
    return false;
  uint32_t Last = Begin ? Nobody : List[I - 1].Item;
  uint32_t Next = End ? Items.size() : List[I].Item;
  if (Next != Last + 1)
    return false;
  bool Moved = !Begin && List[I - 1].Moved;
  if (Moved != (!End && List[I].Moved))
    return false;
  llvm::StringRef Gap = Of.gapAfter(Last);
  if (Moved)
    return !hasDirective(Gap) && List[I - 1].Path == List[I].Path;
  // An #else can only follow what was opened at its first branch.
  return !Gap.contains("el") ||
         llvm::all_of(Stack, [](const Frame &F) { return F.From0; });
}

void Emitter::emit(size_t I) {
  if (verbatim(I)) {
    Out += Of.gapAfter(I ? List[I - 1].Item : Nobody);
    if (I == List.size())
      return;
    if (!List[I].Moved) {
      std::vector<Frame> Next;
      for (const BranchRef &R : List[I].Path) {
        bool From0 = true;
        if (Next.size() < Stack.size() &&
            Stack[Next.size()].Where.Block == R.Block)
          From0 = Stack[Next.size()].From0;
        Next.push_back({R, From0});
      }
      Stack = std::move(Next);
    }
  } else {
    transition(I);
  }
  if (I == List.size())
    return;
  Out += textOf(List[I]);
  Parted = Parted && List[I].Moved;
}

void Emitter::close(size_t Depth, std::vector<std::string> &Lines) {
  while (Stack.size() > Depth) {
    const Frame &Last = Stack.back();
    Lines.push_back(Last.From0 ? Blocks[Last.Where.Block].Endif : "#endif");
    Stack.pop_back();
  }
}

void Emitter::open(BranchRef Where, std::vector<std::string> &Lines) {
  Lines.push_back(Blocks[Where.Block].directive(Where.Branch));
  Stack.push_back({Where, Where.Branch == 0});
}

/// Makes the conditions of place I hold after those of the place before.
void Emitter::transition(size_t I) {
  std::vector<std::string> Closing, Opening;
  bool Chained = false;
  JoinsNext = false;
  llvm::ArrayRef<BranchRef> Path;
  if (I != List.size())
    Path = List[I].Path;

  if (I == List.size() || !List[I].Moved) {
    // What stays lies in its own blocks.
    size_t Common = 0;
    while (Common < Stack.size() && Common < Path.size() &&
           Stack[Common].Where == Path[Common])
      ++Common;
    Chained = Common < Stack.size() && Common < Path.size() &&
              Stack[Common].From0 &&
              Stack[Common].Where.Block == Path[Common].Block &&
              Stack[Common].Where.Branch < Path[Common].Branch;
    close(Common + Chained, Closing);
    if (Chained) {
      Frame &F = Stack[Common];
      const CondBlock &Block = Blocks[F.Where.Block];
      while (F.Where.Branch != Path[Common].Branch)
        Opening.push_back(Block.Branches[++F.Where.Branch].Text);
      ++Common;
    }
    while (Common != Path.size())
      open(Path[Common++], Opening);
  } else {
    // What moves lies under equal conditions, whoever opened them.
    std::vector<BranchRef> Rest(Path.begin(), Path.end());
    auto FindKey = [&](const std::string &Key) {
      return llvm::find_if(Rest,
                           [&](const BranchRef &R) { return key(R) == Key; });
    };
    size_t Common = 0;
    for (; Common < Stack.size(); ++Common) {
      auto Same = FindKey(key(Stack[Common].Where));
      if (Same == Rest.end())
        break;
      Rest.erase(Same);
    }
    close(Common, Closing);
    // If what follows and stays opens such a block, this is that block.
    size_t Next = I;
    while (Next != List.size() && List[Next].Moved)
      ++Next;
    bool Joining = Next != List.size();
    while (!Rest.empty()) {
      size_t Depth = Stack.size();
      if (Joining) {
        llvm::ArrayRef<BranchRef> Native = List[Next].Path;
        Joining = Depth < Native.size() && Native[Depth].Branch == 0;
        for (size_t D = 0; Joining && D != Depth; ++D)
          Joining = Stack[D].Where == Native[D];
        auto Same = Joining ? FindKey(key(Native[Depth])) : Rest.end();
        Joining = Same != Rest.end();
        if (Joining) {
          Rest.erase(Same);
          open(Native[Depth], Opening);
          JoinsNext = true;
          continue;
        }
      }
      open(Rest.front(), Opening);
      Rest.erase(Rest.begin());
    }
  }
  auto Append = [&](const std::vector<std::string> &Lines) {
    for (const std::string &Line : Lines)
      Out += Line + Eol;
  };
  Append(Closing);
  if (!Chained && blankBefore(I, !Closing.empty(), !Opening.empty()))
    Out += Eol;
  Append(Opening);
}

/// Place I is a comment that belongs to what follows.
bool Emitter::leads(size_t I) const {
  const Item &C = Items[List[I].Item];
  return C.Kind == PieceKind::Comment && !C.Below;
}

/// A comment above speaks, or may seem to speak, of place I.
bool Emitter::covered(size_t I) const {
  if (leads(I))
    return false;
  while (I) {
    if (Items[List[I].Item].Kind == PieceKind::Directive)
      return false;
    // In the new text: no blank line was put between these.
    if (List[I].Moved || List[I - 1].Moved) {
      if (!leads(I - 1) || !List[I].Moved)
        return false;
      return true;
    }
    if (List[I].Item != List[I - 1].Item + 1 ||
        hasBlankLine(Of.gapAfter(List[I - 1].Item)) ||
        hasDirective(Of.gapAfter(List[I - 1].Item)))
      return false;
    --I;
    if (leads(I))
      return true;
  }
  return false;
}

/// Two that stay had a blank line between them.
bool Emitter::paragraphEnds(size_t Stay, size_t Next) const {
  for (uint32_t G = List[Stay].Item; G < List[Next].Item; ++G)
    if (hasBlankLine(Of.gapAfter(G)))
      return true;
  return false;
}

/// Whether a blank line separates place I from the one before, where the
/// original text between them is gone.
bool Emitter::blankBefore(size_t I, bool Closes, bool Opens) {
  if (I == 0 || I == List.size())
    return false;
  const Placed &Last = List[I - 1], &Next = List[I];
  if (Last.Item == Next.Item)
    return false;
  const Item &LastItem = Items[Last.Item], &NextItem = Items[Next.Item];
  if (LastItem.Kind == PieceKind::Comment &&
      (LastItem.Owner == Next.Item ||
       llvm::is_contained(LastItem.Group, Next.Item)))
    return false;
  if (NextItem.Below && NextItem.Owner == Last.Item)
    return false;
  if (!Last.Moved && !Next.Moved) {
    llvm::StringRef After = Of.gapAfter(Last.Item);
    llvm::StringRef Before = gapBefore(Next.Item);
    if (hasBlankLine(After) && !(Closes && !hasDirective(After)))
      return true;
    if (hasBlankLine(Before) && !(Opens && !hasDirective(Before)))
      return true;
    for (uint32_t G = Last.Item + 1; G + 1 < Next.Item; ++G)
      if (hasBlankLine(Of.gapAfter(G)))
        return true;
    return false;
  }
  if (Next.Moved) {
    if (Last.Moved && Next.Item == Last.Item + 1)
      return hasBlankLine(Of.gapAfter(Last.Item));
    if (JoinsNext && !Last.Moved) {
      size_t After = I;
      while (After != List.size() && List[After].Moved)
        ++After;
      Parted = After != List.size() && paragraphEnds(I - 1, After);
      if (Parted)
        return true;
    }
    // A directive parts well enough what a comment speaks of.
    return leads(I) || (covered(I - 1) && !Opens) ||
           (LastItem.Kind == PieceKind::Comment && !LastItem.Below);
  }
  // Behind what moved: the paragraph that ended here still ends.
  size_t Stay = I - 1;
  while (Stay && List[Stay].Moved)
    --Stay;
  if (!List[Stay].Moved && !Parted && paragraphEnds(Stay, I))
    return true;
  return leads(I) ? List[Stay].Moved : covered(I - 1);
}

std::string Emitter::textOf(const Placed &P) const {
  const Item &I = Items[P.Item];
  llvm::StringRef Text = Of.text();
  if (auto Changed = Inner.find(P.Item); Changed != Inner.end())
    return Changed->second;
  if (P.Part == Placed::Whole)
    return Text.slice(I.Begin, I.End).str();
  // One declarator by itself, with the comment behind it.
  std::optional<SplitDeclaration> Split = splitDeclaration(I, Text);
  llvm::StringRef Indent = Text.slice(I.Begin, I.Tokens.front().Begin);
  std::string Line;
  if (P.Part == 0) {
    Line = Indent.str();
  } else {
    size_t Break = Indent.rfind('\n');
    Line = (Break == llvm::StringRef::npos ? Indent : Indent.substr(Break + 1))
               .str();
    Line.resize(std::min(Line.find_first_not_of(" \t"), Line.size()));
  }
  Line += Split->Specifiers + Split->Declarators[P.Part] + ";";
  bool IsLast = P.Part + 1 == Split->Declarators.size();
  llvm::StringRef Rest = Text.slice(Split->Ends[P.Part], I.End);
  if (IsLast)
    return Line + Rest.str();
  // Up to the next declarator: a comment at the end of this line.
  size_t Comment = Rest.find_first_not_of(" \t");
  if (Comment != llvm::StringRef::npos && Rest[Comment] == '/') {
    size_t End = Rest.substr(Comment).starts_with("//") ? Rest.find('\n')
                                                        : Rest.find("*/") + 2;
    llvm::StringRef Behind = Rest.take_front(End);
    // A comment between two declarators of one line stays with this one.
    Line += Behind.rtrim().str();
  }
  return Line + Eol;
}

/// Where the braces of an untagged struct end, whose inside is looked at by
/// itself; 0 for other declarations.
uint32_t endOfBraces(const Item &I, llvm::StringRef Text) {
  auto Open = llvm::find_if(I.Tokens, [](const BodyToken &T) {
    return T.Kind == clang::tok::l_brace;
  });
  if (Open == I.Tokens.begin() || Open == I.Tokens.end() ||
      Text.slice(Open[-1].Begin, Open[-1].End) != "struct")
    return 0;
  int Depth = 0;
  for (auto At = Open; At != I.Tokens.end(); ++At) {
    Depth += At->Kind == clang::tok::l_brace;
    if (At->Kind == clang::tok::r_brace && --Depth == 0)
      return At->End;
  }
  return 0;
}

/// Every declaration under every condition, in no order: what no rewriting
/// may change.
std::vector<std::string> inventory(const Definition &Of) {
  std::vector<std::string> All;
  for (const Item &I : Of.items()) {
    if (I.Tokens.empty())
      continue;
    std::vector<std::string> Conditions;
    for (const BranchRef &R : I.Path)
      Conditions.push_back(Of.body().Blocks[R.Block].key(R.Branch));
    llvm::sort(Conditions);
    std::string Where;
    for (const std::string &C : Conditions)
      Where += "[" + C + "]";
    auto Words = [&](llvm::StringRef Text) {
      std::string Line;
      for (const BodyToken &T : lexTokens(Text, 0, Text.size()))
        Line += Text.slice(T.Begin, T.End).str() + " ";
      return Line;
    };
    if (uint32_t Behind = endOfBraces(I, Of.text())) {
      llvm::StringRef Text = Of.text();
      All.push_back(Where +
                    Words(Text.slice(I.Tokens[0].Begin,
                                     Text.find('{', I.Tokens[0].Begin))) +
                    "{ } " + Words(Text.slice(Behind, I.End)));
      continue;
    }
    if (auto Split = splitDeclaration(I, Of.text())) {
      for (const std::string &D : Split->Declarators)
        All.push_back(Where + Words(Split->Specifiers + D + ";"));
      continue;
    }
    All.push_back(Where +
                  Words(llvm::StringRef(Of.text()).slice(I.Begin, I.End)));
  }
  llvm::sort(All);
  return All;
}

llvm::Error refuse(const llvm::Twine &Why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "%s",
                                 Why.str().c_str());
}

/// The new text must hold the same declarations under the same conditions.
llvm::Error checkInventory(const Definition &Old, const std::string &NewText) {
  RecordInfo Shape;
  llvm::StringRef After =
      llvm::StringRef(NewText).drop_back(Old.text().size() - Old.body().End);
  Shape.Name = Old.recordName();
  Shape.Line = Old.line();
  Shape.EndLine = 1 + After.count('\n');
  llvm::Expected<Definition> New = Definition::parse(NewText, Shape);
  if (!New)
    return refuse("the new text cannot be read back: " +
                  llvm::toString(New.takeError()));
  if (inventory(Old) != inventory(*New))
    return refuse("the new text does not hold the same declarations under the "
                  "same conditions");
  return llvm::Error::success();
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

} // namespace

namespace {

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
  Made.Text += Emitter(Of, *List, Inner).body();
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
