// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/BodyWriter.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace kst {

using Item = Definition::Item;

static bool hasDirective(llvm::StringRef Gap) { return Gap.contains('#'); }

/// The original text between the two neighbours can stay.
bool BodyWriter::verbatim(size_t I) const {
  bool Begin = I == 0, End = I == List.size();
  if (!Begin && List[I - 1].Part != Placed::Whole) {
    // Parts of one declaration have no text between them.
    if (!End && List[I].Item == List[I - 1].Item)
      return false;
    if (List[I - 1].Part + 1 != Items[List[I - 1].Item].Parts.size())
      return false;
  }
  if (!End && List[I].Part != Placed::Whole && List[I].Part != 0)
    return false;
  uint32_t Last = Begin ? Definition::Nobody : List[I - 1].Item;
  uint32_t Next = End ? Items.size() : List[I].Item;
  if (Next != Last + 1)
    return false;
  bool Moved = !Begin && List[I - 1].Moved;
  if (Moved != (!End && List[I].Moved))
    return false;
  llvm::StringRef Gap = Source.gapAfter(Last);
  if (Moved)
    return !hasDirective(Gap) && List[I - 1].Path == List[I].Path;
  // An #else can only follow what was opened at its first branch.
  return !Gap.contains("el") ||
         llvm::all_of(Stack, [](const Frame &F) { return F.From0; });
}

void BodyWriter::emit(size_t I) {
  if (verbatim(I)) {
    Out += Source.gapAfter(I ? List[I - 1].Item : Definition::Nobody);
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

void BodyWriter::close(size_t Depth, std::vector<std::string> &Lines) {
  while (Stack.size() > Depth) {
    const Frame &Last = Stack.back();
    Lines.push_back(Last.From0 ? Blocks[Last.Where.Block].Endif : "#endif");
    Stack.pop_back();
  }
}

void BodyWriter::open(BranchRef Where, std::vector<std::string> &Lines) {
  Lines.push_back(Blocks[Where.Block].directive(Where.Branch));
  Stack.push_back({Where, Where.Branch == 0});
}

/// Makes the conditions of place I hold after those of the place before.
void BodyWriter::transition(size_t I) {
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
bool BodyWriter::leads(size_t I) const {
  const Item &C = Items[List[I].Item];
  return C.Kind == PieceKind::Comment && !C.Below;
}

/// A comment above speaks, or may seem to speak, of place I.
bool BodyWriter::covered(size_t I) const {
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
        hasBlankLine(Source.gapAfter(List[I - 1].Item)) ||
        hasDirective(Source.gapAfter(List[I - 1].Item)))
      return false;
    --I;
    if (leads(I))
      return true;
  }
  return false;
}

/// Two that stay had a blank line between them.
bool BodyWriter::paragraphEnds(size_t Stay, size_t Next) const {
  for (uint32_t G = List[Stay].Item; G < List[Next].Item; ++G)
    if (hasBlankLine(Source.gapAfter(G)))
      return true;
  return false;
}

/// Whether a blank line separates place I from the one before, where the
/// original text between them is gone.
bool BodyWriter::blankBefore(size_t I, bool Closes, bool Opens) {
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
    llvm::StringRef After = Source.gapAfter(Last.Item);
    llvm::StringRef Before = gapBefore(Next.Item);
    if (hasBlankLine(After) && !(Closes && !hasDirective(After)))
      return true;
    if (hasBlankLine(Before) && !(Opens && !hasDirective(Before)))
      return true;
    for (uint32_t G = Last.Item + 1; G + 1 < Next.Item; ++G)
      if (hasBlankLine(Source.gapAfter(G)))
        return true;
    return false;
  }
  if (Next.Moved) {
    if (Last.Moved && Next.Item == Last.Item + 1)
      return hasBlankLine(Source.gapAfter(Last.Item));
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

/// Of a member that has no line of its own: that of one which has, or one step
/// more than the definition.
std::string BodyWriter::memberIndent() const {
  llvm::StringRef Text = Source.text();
  auto Blanks = [](llvm::StringRef Line) {
    return Line.take_while([](char C) { return C == ' ' || C == '\t'; });
  };
  for (const Item &I : Items)
    if (!Source.beginsInLine(I) &&
        (I.Kind == PieceKind::Member || I.Kind == PieceKind::Macro))
      return Blanks(Text.substr(I.Begin)).str();
  const bool ByBlanks = Text.contains("\n  ") && !Text.contains("\n\t");
  return braceIndent().str() + (ByBlanks ? "    " : "\t");
}

/// Of the line that has the '{'.
llvm::StringRef BodyWriter::braceIndent() const {
  llvm::StringRef Above =
      llvm::StringRef(Source.text()).take_front(Source.body().Begin);
  Above = Above.rtrim();
  llvm::StringRef Line = Above.substr(Above.rfind('\n') + 1);
  return Line.take_while([](char C) { return C == ' ' || C == '\t'; });
}

std::string BodyWriter::write() {
  for (size_t I = 0; I <= List.size(); ++I)
    emit(I);
  llvm::StringRef Text = Source.text();
  llvm::StringRef Above = Text.take_front(Source.body().Begin);
  std::string Whole;
  if (!Items.empty() && Source.beginsInLine(Items.front()))
    Whole = Above.rtrim(" \t").str() + Eol;
  else
    Whole = Above.str();
  Whole += Out;
  if (!Items.empty() && Source.endsInLine(Items.back()))
    Whole += braceIndent();
  return Whole + Text.drop_front(Source.body().End).str();
}

/// The lines of an item, or of a part of it.
std::string BodyWriter::textOf(const Placed &P) const {
  const Item &I = Items[P.Item];
  std::string Lines;
  if (auto Changed = Inner.find(P.Item); Changed != Inner.end())
    Lines = Changed->second;
  else if (P.Part == Placed::Whole)
    Lines = llvm::StringRef(Source.text()).slice(I.Begin, I.End).str();
  else
    Lines = partText(I, P.Part);
  llvm::StringRef Made = Lines;
  std::string Start;
  if (Source.beginsInLine(I)) {
    Made = Made.ltrim(" \t");
    Start = memberIndent();
  }
  if (Made.ends_with("\n"))
    return Start + Made.str();
  return Start + Made.rtrim(" \t").str() + Eol;
}

/// One part by itself, with the comments behind it, or before it where they
/// stand before the first one.
std::string BodyWriter::partText(const Item &I, uint32_t Part) const {
  llvm::StringRef Text = Source.text();
  const Definition::Part &Declared = I.Parts[Part];
  const bool Last = Part + 1 == I.Parts.size();
  llvm::StringRef Indent = Text.slice(I.Begin, I.Parts.front().Begin);
  llvm::StringRef Line = Indent.substr(Indent.rfind('\n') + 1);
  const bool Leads = !Line.trim().empty() &&
                     Text.slice(I.Parts.back().End, I.End).trim().empty();
  auto Between = [&](uint32_t Next) {
    return Text.slice(I.Parts[Next - 1].End, I.Parts[Next].Begin);
  };
  std::string Made;
  if (Part == 0) {
    Made = Indent.str();
  } else {
    Made = Line.take_while([](char C) { return C == ' ' || C == '\t'; }).str();
    if (Leads)
      Made += Between(Part).ltrim();
  }
  Made += Declared.Text;
  if (Last)
    return Made + Text.slice(Declared.End, I.End).str();
  if (!Leads)
    Made += Between(Part + 1).rtrim().str();
  return Made + Eol;
}

} // namespace kst
