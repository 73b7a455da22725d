// SPDX-License-Identifier: GPL-2.0-or-later
//
// Layouts in pahole's form and words, with the heat of every field and line.

#include "hybrid/fieldorder/DescribeParts.h"
#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/report/TextStyle.h"

#include <algorithm>

namespace kst {
namespace {

constexpr size_t FoldFrom = 3; // fields without an access in a row
constexpr size_t NamedUsers = 3;

/// A field up to this size that crosses a line is a scalar: an access touches
/// all of it.
constexpr uint64_t ScalarBits = 64;

/// Of the places in a field, as many are named.
constexpr size_t NamedSpots = 3;

std::string spotWords(const FieldPlace &P) {
  std::string Text = "used at";
  for (size_t I = 0; I != std::min(P.Spots.size(), NamedSpots); ++I)
    Text += (I ? ", +" : " +") + std::to_string(P.Spots[I].first) + " (" +
            percent(P.Spots[I].second) + ")";
  if (P.Spots.size() > NamedSpots)
    Text += " and " + std::to_string(P.Spots.size() - NamedSpots) + " more";
  return Text;
}

/// It is on several lines, it is used, and it is not known on which of them.
bool usedSomewhere(const FieldPlace &P, double Share, uint32_t LineBytes) {
  return Share > 0 && P.Spots.empty() && P.EndBits - P.BeginBits > ScalarBits &&
         firstLine(P, LineBytes) != lastLine(P, LineBytes);
}

class LayoutStrip {
public:
  LayoutStrip(const ReportView &From, const LayoutView &View, bool Proposed)
      : From(From), Record(From.E.Record), View(View), Proposed(Proposed),
        LineBytes(From.R.CacheLineBytes ? From.R.CacheLineBytes : 64),
        OldOffset(Record.Fields.size(), 0) {
    for (const FieldPlace &P : From.Current.Places)
      OldOffset[P.Field] = P.BeginBits / 8;
  }

  Strip make() {
    Out.Title = Proposed ? "proposed layout (> moved)" : "current layout";
    Out.LineBytes = LineBytes;
    Out.SizeBytes = View.SizeBytes;
    lines();
    open();
    for (size_t I = 0; I < View.Places.size();) {
      size_t Run = std::max<size_t>(foldable(I), 1);
      bool Folds = Run >= FoldFrom;
      before(View.Places[I], true, true);
      if (Folds)
        fold(I, Run);
      for (size_t End = I + Run, First = I; I < End; ++I) {
        if (I != First)
          before(View.Places[I], !Folds, true);
        field(View.Places[I], Folds ? Shown::Full : Shown::Always);
      }
    }
    closeGroups(NoGroup);
    close();
    return std::move(Out);
  }

private:
  const ReportView &From;
  const RecordInfo &Record;
  const LayoutView &View;
  bool Proposed;
  uint32_t LineBytes;
  std::vector<uint64_t> OldOffset;
  uint64_t BriefBoundary = 0, FullBoundary = 0; // lines begun last
  uint32_t Group = NoGroup;                     // around the last field
  Strip Out;

  bool hasMoved(uint32_t F) const {
    return Proposed && F < From.Moved.size() && From.Moved[F];
  }

  unsigned depth(uint32_t Within) const {
    unsigned Depth = 0;
    for (; Within != NoGroup; Within = Record.Groups[Within].Parent)
      ++Depth;
    return Depth;
  }

  void free(const std::string &Text, unsigned Depth = 0, Sentence Said = {},
            Shown When = Shown::Always) {
    Strip::Row Row{Text};
    Row.Depth = Depth;
    Row.Said = std::move(Said);
    Row.When = When;
    Out.Rows.push_back(std::move(Row));
  }

  /// How many fields from place I on have no access and may be folded.
  size_t foldable(size_t I) const {
    size_t Run = 0;
    uint32_t Within = Record.Fields[View.Places[I].Field].Group;
    for (; From.Seen && I + Run < View.Places.size(); ++Run) {
      uint32_t F = View.Places[I + Run].Field;
      if (From.Heat[F] > 0 || Record.Fields[F].ZeroSize ||
          Record.Fields[F].Group != Within)
        break;
    }
    return Run;
  }

  void lines() {
    for (const LineView &Line : View.Lines)
      Out.Lines.push_back({Line.Share, Line.Share <= 0});
    for (const FieldPlace &P : View.Places) {
      double Share = From.Heat[P.Field];
      if (Share > 0 && !usedSomewhere(P, Share, LineBytes))
        for (uint32_t I = firstLine(P, LineBytes);
             I <= lastLine(P, LineBytes) && I < Out.Lines.size(); ++I)
          Out.Lines[I].Known = true;
    }
  }

  Sentence lineHeat(uint64_t Line) const {
    if (!From.Seen || Line >= Out.Lines.size())
      return {};
    const Strip::Line &L = Out.Lines[Line];
    std::string On = " on line " + std::to_string(Line);
    if (!L.Known)
      return soft("= share not known" + On);
    return {L.Share > 0 ? "= " + percent(L.Share) + On : "= no access" + On,
            heatMark(L.Share)};
  }

  void open() {
    free(std::string(Record.Union ? "union " : "struct ") + Record.Name + " {",
         0, lineHeat(0));
  }

  /// What stands between the field and the one before it.
  void before(const FieldPlace &P, bool Brief, bool Full) {
    Shown When = Brief ? Shown::Always : Shown::Full;
    uint32_t Next = Record.Fields[P.Field].Group;
    closeGroups(Next);
    for (auto [Amount, Unit] :
         {std::pair(P.HoleBits / 8, "byte"), {P.HoleBits % 8, "bit"}})
      if (Amount)
        free("  /* XXX " + counted(Amount, Unit) + " hole, try to pack */", 0,
             {}, When);
    uint64_t Line = P.BeginBits / 8 / LineBytes;
    Brief = Brief && Line > BriefBoundary && !Record.Union;
    Full = Full && Line > FullBoundary && !Record.Union;
    if (Brief || Full) {
      uint64_t Ago = P.BeginBits / 8 - Line * LineBytes;
      free("  /* --- cacheline " + std::to_string(Line) + " boundary (" +
               std::to_string(Line * LineBytes) + " bytes)" +
               (Ago ? " was " + std::to_string(Ago) + " bytes ago --- */"
                    : " --- */"),
           0, lineHeat(Line),
           Brief && Full ? Shown::Always
           : Full        ? Shown::Full
                         : Shown::Brief);
      BriefBoundary = Brief ? Line : BriefBoundary;
      FullBoundary = Full ? Line : FullBoundary;
    }
    openGroups(Next);
  }

  /// Ends the anonymous structs that a field of Next is not in.
  void closeGroups(uint32_t Next) {
    for (; !isInside(Record, Next, Group);
         Group = Record.Groups[Group].Parent) {
      uint32_t Align = Record.Groups[Group].ExplicitAlignBytes;
      free(Align ? "} __attribute__((__aligned__(" + std::to_string(Align) +
                       ")));"
                 : "};",
           depth(Group));
    }
  }

  void openGroups(uint32_t Next) {
    if (Next == Group)
      return;
    openGroups(Record.Groups[Next].Parent);
    free("struct {", depth(Next));
    Group = Next;
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

  void field(const FieldPlace &P, Shown When) {
    const FieldInfo &F = Record.Fields[P.Field];
    Declaration D = declaration(F);
    Strip::Row Row{D.Type, D.Name, place(P), Mark::Plain, depth(F.Group)};
    Row.Share = From.Heat[P.Field];
    Row.Moved = hasMoved(P.Field);
    Row.When = When;
    FieldUse Use = useOf(From.E, P.Field);
    if (Row.Share > 0) {
      Row.Said = padRight(toMark(accessMark(Use)), 2);
      if (isRemote(Use))
        Row.Said += Sentence(" rem " + fixed(remoteShare(Use) * 100, 0) + "%",
                             Mark::Moved);
      if (Use.Lock > 0)
        Row.Said += strong(" lock");
    }
    if (Row.Moved)
      Row.Said += Sentence("  was at " + std::to_string(OldOffset[P.Field]) +
                               ", line " +
                               std::to_string(OldOffset[P.Field] / LineBytes),
                           Mark::Moved);
    Out.Rows.push_back(std::move(Row));
    box(P, Use);
    if (usedSomewhere(P, From.Heat[P.Field], LineBytes))
      comment("on lines " + std::to_string(firstLine(P, LineBytes)) + " to " +
                  std::to_string(lastLine(P, LineBytes)) + ", not known which",
              When);
    if (!P.Spots.empty())
      comment(spotWords(P), When);
    if (F.Anonymous && !Proposed)
      members(P.Field, When);
  }

  void comment(const std::string &Text, Shown When) {
    free("      ", 0, {}, When);
    Out.Rows.back().Type += "/* " + Text + " */";
    Out.Rows.back().As = Mark::Soft;
  }

  /// Which functions see a union as what.
  void members(uint32_t F, Shown When) {
    for (const MemberUse &Use : From.E.Members) {
      if (Use.Field != F)
        continue;
      std::string Few, All;
      for (size_t I = 0; I < Use.Users.size(); ++I) {
        All += (I ? ", " : "") + Use.Users[I].Function + "()";
        if (I + 1 == NamedUsers)
          Few = All;
      }
      if (Use.Users.size() <= NamedUsers) {
        comment(Use.Member + ": " + All, When);
        continue;
      }
      if (When == Shown::Always)
        comment(Use.Member + ": " + Few + " and " +
                    std::to_string(Use.Users.size() - NamedUsers) + " more",
                Shown::Brief);
      comment(Use.Member + ": " + All, Shown::Full);
    }
  }

  void box(const FieldPlace &P, const FieldUse &Use) {
    const FieldInfo &Info = Record.Fields[P.Field];
    AccessMark Mark = accessMark(Use);
    Declaration D = declaration(Info);
    Strip::Box Box{displayName(Record, P.Field),
                   D.Type + (D.Name.empty() ? "" : " " + D.Name) + "; offset " +
                       std::to_string(P.BeginBits / 8) + ", " +
                       (Info.BitField ? counted(Info.SizeBits, "bit")
                                      : counted(Info.SizeBits / 8, "byte")) +
                       "; " + toWords(Mark),
                   P.BeginBits,
                   P.EndBits,
                   P.Field,
                   From.Heat[P.Field]};
    if (Use.total() > 0)
      Box.Tip += "; " + percent(Box.Share) + " of accesses, " +
                 percent(remoteShare(Use)) + " by other CPUs, " +
                 percent(locklessShare(Use)) + " lockless";
    if (usedSomewhere(P, Box.Share, LineBytes)) {
      Box.LineShares.assign(
          lastLine(P, LineBytes) - firstLine(P, LineBytes) + 1, -1);
      Box.Tip += "; not known on which of its lines";
    }
    if (!P.Spots.empty()) {
      for (uint64_t L = firstLine(P, LineBytes); L <= lastLine(P, LineBytes);
           ++L)
        Box.LineShares.push_back(
            Box.Share *
            shareWithin(P, 8 * L * LineBytes, 8 * (L + 1) * LineBytes));
      Box.Tip += "; " + spotWords(P);
    }
    Box.Written = Mark == AccessMark::ReadWrite || Mark == AccessMark::Write;
    Box.Remote = isRemote(Use);
    Box.Lock = Use.Lock > 0;
    Box.Moved = hasMoved(P.Field);
    Out.Boxes.push_back(std::move(Box));
  }

  void fold(size_t Begin, size_t Run) {
    const FieldPlace &First = View.Places[Begin];
    uint64_t Holes = 0, HoleBits = 0, End = 0, MovedHere = 0;
    for (size_t I = Begin; I < Begin + Run; ++I) {
      const FieldPlace &P = View.Places[I];
      End = std::max(End, P.EndBits);
      MovedHere += hasMoved(P.Field);
      Holes += I != Begin && P.HoleBits;
      HoleBits += I != Begin ? P.HoleBits : 0;
    }
    free("  ... " + std::to_string(Run) + " fields, " +
             counted((End - First.BeginBits + 7) / 8, "byte") +
             ", no access seen (" + displayName(Record, First.Field) + " .. " +
             displayName(Record, View.Places[Begin + Run - 1].Field) + ")" +
             (Holes ? ", " + counted(Holes, "hole") + " of " +
                          counted((HoleBits + 7) / 8, "byte")
                    : "") +
             (MovedHere ? ", " + std::to_string(MovedHere) + " moved" : ""),
         depth(Group), {}, Shown::Brief);
    Out.Rows.back().As = Mark::Soft;
  }

  void close() {
    uint64_t Sum = 0;
    for (const FieldPlace &P : View.Places)
      Sum += P.EndBits - P.BeginBits;
    free("");
    free("  /* size: " + std::to_string(View.SizeBytes) +
         ", cachelines: " + std::to_string(View.Lines.size()) +
         ", members: " + std::to_string(View.Places.size()) + " */");
    if (View.HoleCount)
      free("  /* sum members: " + std::to_string(Sum / 8) +
           ", holes: " + std::to_string(View.HoleCount) +
           ", sum holes: " + std::to_string(View.HoleBits / 8) + " */");
    if (View.PaddingBytes)
      free("  /* padding: " + std::to_string(View.PaddingBytes) + " */");
    if (uint64_t Rest = View.SizeBytes % LineBytes)
      free("  /* last cacheline: " + std::to_string(Rest) + " bytes */");
    free("};");
  }
};

} // namespace

void describeLayouts(const ReportView &View, Document &Doc) {
  Section Part{"cache lines"};
  Part.Wide = true;
  const uint32_t LineBytes = View.R.CacheLineBytes;
  bool Unknown = std::ranges::any_of(View.Current.Places, [&](auto &P) {
    return usedSomewhere(P, View.Heat[P.Field], LineBytes);
  });
  if (View.Seen)
    Part.Body.push_back(Paragraph{
        "Columns: offset, size, share of all accesses, r only read, R "
        "read-mostly (16 reads and more per write), rw, w only written, rem: "
        "by other CPUs, lock."});
  if (Unknown)
    Part.Body.push_back(Paragraph{
        "Of a field on several lines it is not known which of them are used. "
        "Where other fields are used on such a line, its share has a part of "
        "that field's, by bytes."});
  Part.Body.push_back(StripLegend{View.Reorders, Unknown});
  Part.Body.push_back(LayoutStrip(View, View.Current, false).make());
  if (View.Reorders)
    Part.Body.push_back(LayoutStrip(View, View.Proposed, true).make());
  Doc.Sections.push_back(std::move(Part));
}

} // namespace kst
