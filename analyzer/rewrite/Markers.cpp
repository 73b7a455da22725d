// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/Markers.h"

#include "analyzer/rewrite/CommentRules.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace kst {

namespace {

const llvm::StringRef BeginPrefix = prefixOf(NameKind::GroupBegin);
const llvm::StringRef EndPrefix = prefixOf(NameKind::GroupEnd);

/// A declaration outside of every #if, or a whole outermost #if block, or what
/// makes no field: comments, #define.
struct Chunk {
  uint32_t FirstItem = 0, LastItem = 0;
  uint32_t Begin = 0, End = 0; ///< whole lines
  std::vector<uint32_t> Fields;
  bool Conditional = false;
  bool Code = false;    ///< declares something, in some configuration
  bool Always = false;  ///< ... in every configuration
  bool Bits = false;    ///< has a bit-field
  bool Closed = false;  ///< no group holds it
  bool InGroup = false; ///< of one that the definition has
};

bool isCode(const Definition::Item &I) {
  return I.Kind == PieceKind::Member || I.Kind == PieceKind::Macro;
}

class Marker {
public:
  Marker(const Definition &Source, const RecordInfo &Record)
      : Source(Source), Record(Record) {
    cut();
    close();
  }

  void place(const WantedGroup &Group);
  MarkedText finish();

private:
  void cut();
  void close();
  bool partsBits(size_t Before) const;
  bool nameIsUsed(const std::string &Name) const;
  std::pair<size_t, size_t> trimmed(size_t First, size_t Last,
                                    const std::set<uint32_t> &Core) const;
  uint32_t beginOf(size_t Chunk) const;
  uint32_t endOf(size_t Chunk) const;

  const Definition &Source;
  const RecordInfo &Record;
  std::vector<Chunk> Chunks;
  struct Insertion {
    uint32_t At;
    std::string Line;
  };
  std::vector<Insertion> Insertions;
  MarkedText Result;
};

void Marker::cut() {
  const std::vector<Definition::Item> &Items = Source.items();
  for (uint32_t I = 0; I != Items.size(); ++I) {
    const Definition::Item &Item = Items[I];
    bool Goes = !Chunks.empty() && !Item.Path.empty() &&
                Chunks.back().Conditional &&
                Items[Chunks.back().FirstItem].Path.front().Block ==
                    Item.Path.front().Block;
    if (!Goes) {
      Chunk New;
      New.FirstItem = I;
      New.Begin = Item.Begin;
      New.End = Item.End;
      New.Conditional = !Item.Path.empty();
      if (New.Conditional) {
        const CondBlock &Block = Source.body().Blocks[Item.Path.front().Block];
        New.Begin = Block.Begin;
        New.End = Block.End;
      }
      Chunks.push_back(New);
    }
    Chunk &In = Chunks.back();
    In.LastItem = I;
    In.Fields.insert(In.Fields.end(), Item.Fields.begin(), Item.Fields.end());
    In.Code |= isCode(Item);
    In.Always |= Item.Path.empty() && !Item.Block && !Item.Fields.empty();
    In.Bits |=
        Item.BitField || (Item.Block && llvm::any_of(Item.Tokens, [](auto &T) {
                            return T.Kind == clang::tok::colon;
                          }));
    // No line of its own could stand before or behind it.
    In.Closed |=
        Item.Barrier || Source.beginsInLine(Item) || Source.endsInLine(Item);
    for (uint32_t F : Item.Fields) {
      In.Bits |= Record.Fields[F].BitField;
      In.Closed |= Record.Fields[F].ZeroSize || Record.Fields[F].FlexibleArray;
    }
  }
}

/// Closes what the definition closes: its first member, its immovable fields
/// and its groups.
void Marker::close() {
  std::vector<bool> ImmovableField(Record.Fields.size());
  for (const auto &Rules : {Source.rules(), commentRules(Source, Record)})
    for (const SourceRule &Rule : Rules)
      if (Rule.Kind == RuleKind::ImmovableField &&
          Rule.Fields.front() < ImmovableField.size())
        ImmovableField[Rule.Fields.front()] = true;
  bool First = true;
  int Open = 0;
  for (Chunk &C : Chunks) {
    if (First && C.Code)
      C.Closed = true;
    First &= !C.Always;
    for (uint32_t F : C.Fields) {
      C.Closed |= ImmovableField[F];
      llvm::StringRef Name = Record.Fields[F].Name;
      Open += Name.starts_with(BeginPrefix);
      if (Name.starts_with(EndPrefix) && Open)
        --Open;
    }
    C.InGroup = Open > 0;
    C.Closed |= C.InGroup;
  }
}

/// True if a marker before this chunk could come between bit-fields that share
/// a storage unit.
bool Marker::partsBits(size_t Before) const {
  size_t After = Before;
  bool Found = false;
  for (; After < Chunks.size(); ++After) {
    Found |= Chunks[After].Bits;
    if (Found || Chunks[After].Always)
      break;
  }
  if (!Found)
    return false;
  while (Before-- > 0) {
    if (Chunks[Before].Bits)
      return true;
    if (Chunks[Before].Always)
      return false;
  }
  return false;
}

bool Marker::nameIsUsed(const std::string &Name) const {
  llvm::StringRef Text = llvm::StringRef(Source.text())
                             .slice(Source.body().Begin, Source.body().End);
  for (llvm::StringRef Form : {"__cacheline_group_begin(", "group_begin__"})
    if (Text.contains((Form + Name).str()))
      return true;
  return false;
}

/// [First, Last) without what is not of the core at its ends.
std::pair<size_t, size_t>
Marker::trimmed(size_t First, size_t Last,
                const std::set<uint32_t> &Core) const {
  auto HasCore = [&](const Chunk &C) {
    return llvm::any_of(C.Fields,
                        [&](uint32_t F) { return Core.count(F) != 0; });
  };
  while (First < Last && (!HasCore(Chunks[First]) || partsBits(First)))
    ++First;
  while (First < Last && (!HasCore(Chunks[Last - 1]) || partsBits(Last)))
    --Last;
  return {First, Last};
}

/// Where the chunk's text begins, with the comments above that are its own.
uint32_t Marker::beginOf(size_t Which) const {
  const std::vector<Definition::Item> &Items = Source.items();
  const Chunk &C = Chunks[Which];
  auto Inside = [&](uint32_t Item) {
    return Item != Definition::Nobody && Item >= C.FirstItem &&
           Item <= C.LastItem;
  };
  uint32_t Begin = C.Begin;
  while (Which-- > 0) {
    const Chunk &Above = Chunks[Which];
    const Definition::Item &Item = Items[Above.FirstItem];
    bool Own = !Above.Conditional && Item.Kind == PieceKind::Comment &&
               !Item.Below && Above.End <= Begin &&
               (Inside(Item.Owner) || llvm::any_of(Item.Group, Inside));
    if (!Own)
      break;
    Begin = Above.Begin;
  }
  return Begin;
}

/// Where the chunk's text ends, with the comments below that are its own.
uint32_t Marker::endOf(size_t Which) const {
  const std::vector<Definition::Item> &Items = Source.items();
  const Chunk &C = Chunks[Which];
  uint32_t End = C.End;
  while (++Which < Chunks.size()) {
    const Definition::Item &Item = Items[Chunks[Which].FirstItem];
    if (Chunks[Which].Conditional || Item.Kind != PieceKind::Comment ||
        !Item.Below || Item.Owner < C.FirstItem || Item.Owner > C.LastItem)
      break;
    End = Chunks[Which].End;
  }
  return End;
}

void Marker::place(const WantedGroup &Group) {
  auto LeftOut = [&](const std::string &Why) {
    Result.Notes.push_back("no markers for " + Group.Name + ": " + Why);
  };
  if (nameIsUsed(Group.Name))
    return LeftOut("the definition has a group of that name");
  std::set<uint32_t> Core(Group.Fields.begin(), Group.Fields.end());
  if (Core.size() < 2)
    return LeftOut("fewer than two fields");
  uint32_t Low = *Core.begin(), High = *Core.rbegin();
  auto Fits = [&](const Chunk &C) {
    return !C.Closed && llvm::all_of(C.Fields, [&](uint32_t F) {
      return F >= Low && F <= High;
    });
  };
  std::pair<size_t, size_t> Best{0, 0};
  size_t BestCount = 0;
  for (size_t I = 0; I < Chunks.size();) {
    if (!Fits(Chunks[I])) {
      ++I;
      continue;
    }
    size_t First = I;
    while (I < Chunks.size() && Fits(Chunks[I]))
      ++I;
    std::pair<size_t, size_t> Run = trimmed(First, I, Core);
    size_t Count = 0;
    for (size_t C = Run.first; C < Run.second; ++C)
      Count += llvm::count_if(Chunks[C].Fields,
                              [&](uint32_t F) { return Core.count(F) != 0; });
    if (Count > BestCount) {
      Best = Run;
      BestCount = Count;
    }
  }
  size_t Grouped = 0;
  for (const Chunk &C : Chunks)
    if (C.InGroup)
      Grouped += llvm::count_if(C.Fields,
                                [&](uint32_t F) { return Core.count(F) != 0; });
  if (BestCount < 2 && Grouped == Core.size())
    return LeftOut("its fields are in groups that the definition has");
  if (BestCount < 2)
    return LeftOut("its fields are in no run of whole declarations and #if "
                   "blocks that a group can hold");
  PlacedGroup Placed{Group.Name, {}};
  for (size_t C = Best.first; C < Best.second; ++C) {
    Chunks[C].Closed = true;
    Placed.Fields.insert(Placed.Fields.end(), Chunks[C].Fields.begin(),
                         Chunks[C].Fields.end());
  }
  llvm::sort(Placed.Fields);
  std::string Missing;
  for (uint32_t F : Core)
    if (!llvm::is_contained(Placed.Fields, F)) {
      const std::string &Name = Record.Fields[F].Name;
      Missing += (Missing.empty() ? "" : ", ") +
                 (Name.empty() ? std::string("an unnamed member") : Name);
    }
  if (!Missing.empty())
    Result.Notes.push_back("group " + Group.Name + " is used together with " +
                           Missing + ", which markers cannot take in");
  Insertions.push_back({beginOf(Best.first),
                        "\t__cacheline_group_begin(" + Group.Name + ");\n"});
  Insertions.push_back({endOf(Best.second - 1),
                        "\t__cacheline_group_end(" + Group.Name + ");\n"});
  Result.Groups.push_back(std::move(Placed));
}

MarkedText Marker::finish() {
  // At one place the end of a group comes before the begin of the next.
  llvm::stable_sort(Insertions, [](const Insertion &A, const Insertion &B) {
    bool EndA = llvm::StringRef(A.Line).contains("_end(");
    bool EndB = llvm::StringRef(B.Line).contains("_end(");
    return A.At != B.At ? A.At < B.At : EndA > EndB;
  });
  uint32_t Done = 0;
  for (const Insertion &I : Insertions) {
    Result.Text.append(Source.text(), Done, I.At - Done);
    Result.Text += I.Line;
    Done = I.At;
  }
  Result.Text.append(Source.text(), Done);
  return std::move(Result);
}

/// "struct s", or "s" for a type that has no tag.
std::string typeOf(const Definition &Source, const RecordInfo &Record) {
  size_t LineBegin = 0;
  llvm::StringRef Text = Source.text();
  for (uint32_t Line = 1; Line < Record.Line; ++Line)
    LineBegin = Text.find('\n', LineBegin) + 1;
  std::vector<BodyToken> Head = lexTokens(Text, LineBegin, Source.body().Begin);
  bool Tagged = llvm::any_of(Head, [&](const BodyToken &T) {
    return Text.slice(T.Begin, T.End) == Record.Name;
  });
  return (Tagged ? Record.Union ? "union " : "struct " : "") + Record.Name;
}

} // namespace

MarkedText insertMarkers(const Definition &Source, const RecordInfo &Record,
                         const std::vector<WantedGroup> &Wanted) {
  Marker Made(Source, Record);
  if (!Source.hasAllFixed())
    for (const WantedGroup &Group : Wanted)
      Made.place(Group);
  return Made.finish();
}

std::vector<std::string> markerMembers(const std::vector<PlacedGroup> &Groups) {
  std::vector<std::string> Names;
  for (const PlacedGroup &Group : Groups)
    for (llvm::StringRef Prefix : {BeginPrefix, EndPrefix})
      Names.push_back((Prefix + Group.Name).str());
  return Names;
}

std::string groupAsserts(const Definition &Source, const RecordInfo &Record,
                         const std::vector<PlacedGroup> &Groups) {
  std::string Type = typeOf(Source, Record), Text;
  for (const PlacedGroup &Group : Groups) {
    std::vector<BranchRef> Open;
    auto Move = [&](const std::vector<BranchRef> &To) {
      if (Open == To)
        return;
      for (; !Open.empty(); Open.pop_back())
        Text += "#endif\n";
      for (const BranchRef &Branch : To)
        Text +=
            Source.body().Blocks[Branch.Block].directive(Branch.Branch) + "\n";
      Open = To;
    };
    for (uint32_t F : Group.Fields) {
      const FieldInfo &Field = Record.Fields[F];
      const Definition::Item &Item = Source.items()[Source.itemOf(F)];
      bool Conditional =
          Field.Anonymous && llvm::any_of(Item.Tokens, [](const BodyToken &T) {
            return T.Kind == clang::tok::hash;
          });
      if (Field.Anonymous && !Conditional)
        for (llvm::StringRef Part =
                 llvm::StringRef(Source.text()).slice(Item.Begin, Item.End);
             !Part.empty(); Part = Part.split('\n').second)
          Conditional |= Part.ltrim(" \t").starts_with("#");
      if (Field.BitField || Field.Name.empty() || Item.Block || Conditional)
        continue;
      Move(Item.Path);
      for (const std::string &Name :
           Field.Anonymous ? Field.Members : std::vector{Field.Name})
        Text += "\tCACHELINE_ASSERT_GROUP_MEMBER(" + Type + ", " + Group.Name +
                ", " + Name + ");\n";
    }
    Move({});
  }
  return Text;
}

} // namespace kst
