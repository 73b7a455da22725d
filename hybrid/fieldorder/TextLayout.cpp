// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/TextLayout.h"

#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/report/TextStyle.h"

#include <algorithm>

namespace kst {
namespace {

constexpr size_t FoldFrom = 3; // fields without an access in a row
constexpr size_t BarColumns = 8;
constexpr size_t FixedColumns = 2 + 1 + 1 + 17 + 1 + 6 + 1 + 2 + 1 + 13;

class Printer {
public:
  Printer(const Report &R, const LayoutView &View, const TextOptions &Options,
          const LayoutView *Before, const std::vector<bool> &Moved)
      : R(R), Record(R.Evidence.Record), View(View), Options(Options),
        Before(Before), Moved(Moved), Heat(hotness(R.Evidence)),
        LineBytes(R.CacheLineBytes ? R.CacheLineBytes : 64) {
    Hottest = Heat.empty() ? 0 : *std::max_element(Heat.begin(), Heat.end());
    OldOffset.assign(Record.Fields.size(), 0);
    if (Before)
      for (const FieldPlace &P : Before->Places)
        OldOffset[P.Field] = P.BeginBits / 8;
    chooseColumns();
  }

  std::string print() {
    open();
    for (size_t I = 0; I < View.Places.size();) {
      size_t Run = foldable(I);
      bool Folds = Run >= FoldFrom;
      closeGroups(Record.Fields[View.Places[I].Field].Group);
      hole(View.Places[I]);
      boundary(View.Places[I]);
      openGroups(Record.Fields[View.Places[I].Field].Group);
      if (Folds)
        fold(I, Run);
      else
        field(View.Places[I]);
      I += Folds ? Run : 1;
    }
    closeGroups(NoGroup);
    close();
    return std::move(Out);
  }

private:
  const Report &R;
  const RecordInfo &Record;
  const LayoutView &View;
  const TextOptions &Options;
  const LayoutView *Before;
  const std::vector<bool> &Moved;
  std::vector<double> Heat;
  uint64_t LineBytes;
  double Hottest = 0;
  std::vector<uint64_t> OldOffset;
  size_t TypeColumns = 0, NameColumns = 0;
  bool Bars = true;
  uint64_t Boundary = 0;    // line whose boundary was printed last
  uint32_t Group = NoGroup; // around the last field
  std::string Out;

  bool hasMoved(uint32_t F) const {
    return Before && F < Moved.size() && Moved[F];
  }

  std::string ink(Ink With, const std::string &Text) const {
    return painted(Options.Color, With, Text);
  }

  /// How many fields from place I on have no access and may be folded.
  size_t foldable(size_t I) const {
    size_t Run = 0;
    if (Options.Full || Hottest <= 0)
      return 0;
    while (I + Run < View.Places.size()) {
      uint32_t F = View.Places[I + Run].Field;
      if (Heat[F] > 0 || Record.Fields[F].ZeroSize ||
          Record.Fields[F].Group != Record.Fields[View.Places[I].Field].Group)
        break;
      ++Run;
    }
    return Run;
  }

  void chooseColumns() {
    size_t Width = std::max(72u, Options.Width);
    Bars = Width >= 88;
    size_t Room = Width - FixedColumns - (Bars ? BarColumns + 1 : 0);
    for (size_t I = 0; I < View.Places.size();) {
      if (size_t Run = foldable(I); Run >= FoldFrom) {
        I += Run;
        continue;
      }
      const FieldInfo &Field = Record.Fields[View.Places[I++].Field];
      Declaration D = declaration(Field);
      D.Type.insert(0, indent(Field.Group));
      if (D.Name.empty())
        continue;
      TypeColumns = std::max(TypeColumns, D.Type.size());
      NameColumns = std::max(NameColumns, D.Name.size() + 1);
    }
    // A long type keeps two fifths of the room, a long name the rest.
    size_t TypeRoom = std::min(std::max<size_t>(TypeColumns, 8), Room * 2 / 5);
    NameColumns = std::clamp<size_t>(NameColumns, 8, Room - TypeRoom - 1);
    TypeColumns = std::clamp<size_t>(TypeColumns, 8, Room - NameColumns - 1);
  }

  void open() {
    std::string Head =
        std::string(Record.Union ? "union " : "struct ") + Record.Name + " {";
    if (View.Lines.empty() || Hottest <= 0) {
      Out += Head + "\n";
      return;
    }
    Out += padRight(Head, heatColumn()) + lineHeat(0) + "\n";
  }

  size_t heatColumn() const {
    return 2 + TypeColumns + 1 + NameColumns + 1 + 17 + 1;
  }

  std::string lineHeat(uint64_t Line) const {
    if (Hottest <= 0 || Line >= View.Lines.size())
      return "";
    double Share = View.Lines[Line].Share;
    std::string Text =
        Share > 0 ? "= " + percent(Share) + " on line " + std::to_string(Line)
                  : "= no access on line " + std::to_string(Line);
    return ink(heatInk(Share), Text);
  }

  void boundary(const FieldPlace &P) {
    uint64_t Line = P.BeginBits / 8 / LineBytes;
    if (Line <= Boundary || Record.Union)
      return;
    Boundary = Line;
    uint64_t Ago = P.BeginBits / 8 - Line * LineBytes;
    std::string Text = "  /* --- cacheline " + std::to_string(Line) +
                       " boundary (" + std::to_string(Line * LineBytes) +
                       " bytes)";
    Text +=
        Ago ? " was " + std::to_string(Ago) + " bytes ago --- */" : " --- */";
    std::string Share = lineHeat(Line);
    if (!Share.empty())
      Text = padRight(Text, heatColumn() - 1) + " ";
    Out += Text + Share + "\n";
  }

  std::string indent(uint32_t Within) const {
    std::string Text;
    for (; Within != NoGroup; Within = Record.Groups[Within].Parent)
      Text += "  ";
    return Text;
  }

  /// Ends the anonymous structs that a field of Next is not in.
  void closeGroups(uint32_t Next) {
    for (; !isInside(Record, Next, Group);
         Group = Record.Groups[Group].Parent) {
      uint32_t Align = Record.Groups[Group].ExplicitAlignBytes;
      Out += indent(Group) + "}" +
             (Align ? " __attribute__((__aligned__(" + std::to_string(Align) +
                          ")))"
                    : "") +
             ";\n";
    }
  }

  void openGroups(uint32_t Next) {
    if (Next == Group)
      return;
    openGroups(Record.Groups[Next].Parent);
    Out += indent(Next) + "struct {\n";
    Group = Next;
  }

  /// Which functions see a union as what.
  void members(uint32_t F) {
    constexpr size_t Named = 3;
    for (const MemberUse &Use : R.Evidence.Members) {
      if (Use.Field != F)
        continue;
      std::string Text = Use.Member + ": ";
      for (size_t I = 0; I < std::min(Named, Use.Users.size()); ++I)
        Text += (I ? ", " : "") + Use.Users[I].Function + "()";
      if (Use.Users.size() > Named)
        Text += " and " + std::to_string(Use.Users.size() - Named) + " more";
      Text = shortened(Text, std::max(72u, Options.Width) - 12);
      Out += ink(Ink::Dim, "      /* " + Text + " */") + "\n";
    }
  }

  void hole(const FieldPlace &P) {
    if (P.HoleBits / 8)
      Out += "  /* XXX " + std::to_string(P.HoleBits / 8) +
             (P.HoleBits / 8 == 1 ? " byte" : " bytes") +
             " hole, try to pack */\n";
    if (P.HoleBits % 8)
      Out += "  /* XXX " + std::to_string(P.HoleBits % 8) +
             (P.HoleBits % 8 == 1 ? " bit" : " bits") +
             " hole, try to pack */\n";
  }

  std::string place(const FieldPlace &P) const {
    const FieldInfo &F = Record.Fields[P.Field];
    if (!F.BitField)
      return "/* " + padLeft(std::to_string(P.BeginBits / 8), 5) + " " +
             padLeft(std::to_string(F.ZeroSize ? 0 : F.SizeBits / 8), 5) +
             " */";
    uint64_t Unit = F.StorageUnitBits ? F.StorageUnitBits : 8;
    return "/* " + padLeft(std::to_string(P.BeginBits / Unit * Unit / 8), 5) +
           ":" + padLeft(std::to_string(P.BeginBits % Unit), 2) + " " +
           padLeft(std::to_string(Unit / 8), 2) + " */";
  }

  std::string declared(const FieldInfo &F) const {
    Declaration D = declaration(F);
    D.Type.insert(0, indent(F.Group));
    size_t Room = TypeColumns + 1 + NameColumns;
    if (D.Name.empty())
      return padRight(shortened(D.Type, Room - 1) + ";", Room);
    return padRight(shortened(D.Type, TypeColumns), TypeColumns) + " " +
           padRight(shortened(D.Name, NameColumns - 1) + ";", NameColumns);
  }

  std::string bar(double Share) const {
    if (!Bars)
      return "";
    size_t Marks = size_t(Share / Hottest * BarColumns + 0.5);
    return padRight(std::string(std::max<size_t>(Marks, Share > 0), '#'),
                    BarColumns) +
           " ";
  }

  void field(const FieldPlace &P) {
    const FieldInfo &F = Record.Fields[P.Field];
    bool HasMoved = hasMoved(P.Field);
    std::string Row = HasMoved ? ink(Ink::Mark, ">") + " " : "  ";
    Row += declared(F) + " " + place(P);
    double Share = Heat[P.Field];
    if (Share > 0) {
      FieldUse Use = useOf(R.Evidence, P.Field);
      Row += " " +
             ink(heatInk(Share), padLeft(percent(Share), 6) + " " + bar(Share));
      Row += padRight(toMark(accessMark(Use)), 2);
      if (isRemote(Use))
        Row += " " +
               ink(Ink::Mark, "rem " + fixed(remoteShare(Use) * 100, 0) + "%");
      if (Use.Lock > 0)
        Row += " " + ink(Ink::Bold, "lock");
    }
    if (HasMoved)
      Row += ink(Ink::Mark, "  was at " + std::to_string(OldOffset[P.Field]) +
                                ", line " +
                                std::to_string(OldOffset[P.Field] / LineBytes));
    while (Row.back() == ' ')
      Row.pop_back();
    Out += Row + "\n";
    if (F.Anonymous && !Before)
      members(P.Field);
  }

  void fold(size_t From, size_t Run) {
    const FieldPlace &First = View.Places[From];
    const FieldPlace &Last = View.Places[From + Run - 1];
    uint64_t Holes = 0, HoleBits = 0, End = 0, MovedHere = 0;
    for (size_t I = From; I < From + Run; ++I) {
      const FieldPlace &P = View.Places[I];
      End = std::max(End, P.EndBits);
      MovedHere += hasMoved(P.Field);
      if (I == From || !P.HoleBits)
        continue;
      ++Holes;
      HoleBits += P.HoleBits;
    }
    std::string Text = "... " + std::to_string(Run) + " fields, " +
                       counted((End - First.BeginBits + 7) / 8, "byte") +
                       ", no access seen (" + displayName(Record, First.Field) +
                       " .. " + displayName(Record, Last.Field) + ")";
    if (Holes)
      Text += ", " + counted(Holes, "hole") + " of " +
              counted((HoleBits + 7) / 8, "byte");
    if (MovedHere)
      Text += ", " + std::to_string(MovedHere) + " moved";
    Out += ink(Ink::Dim, "  " + indent(Group) + Text) + "\n";
  }

  void close() {
    uint64_t Sum = 0;
    for (const FieldPlace &P : View.Places)
      Sum += P.EndBits - P.BeginBits;
    Out += "\n  /* size: " + std::to_string(View.SizeBytes) +
           ", cachelines: " + std::to_string(View.Lines.size()) +
           ", members: " + std::to_string(View.Places.size()) + " */\n";
    if (View.HoleCount)
      Out += "  /* sum members: " + std::to_string(Sum / 8) +
             ", holes: " + std::to_string(View.HoleCount) +
             ", sum holes: " + std::to_string(View.HoleBits / 8) + " */\n";
    if (View.PaddingBytes)
      Out += "  /* padding: " + std::to_string(View.PaddingBytes) + " */\n";
    if (uint64_t Rest = View.SizeBytes % LineBytes)
      Out += "  /* last cacheline: " + std::to_string(Rest) + " bytes */\n";
    Out += "};\n";
  }
};

} // namespace

std::string layoutText(const Report &R, const LayoutView &View,
                       const TextOptions &Options, const LayoutView *Before,
                       const std::vector<bool> &Moved) {
  return Printer(R, View, Options, Before, Moved).print();
}

} // namespace kst
