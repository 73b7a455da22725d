// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/HtmlLayout.h"

#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/HtmlPage.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {
namespace {

class Strips {
public:
  Strips(const Report &R, const LayoutView &View,
         const std::vector<bool> &Moved)
      : R(R), E(R.Evidence), View(View), Moved(Moved), Heat(hotness(E)),
        LineBits(8 * uint64_t(R.CacheLineBytes ? R.CacheLineBytes : 64)),
        Placed(E.Record.Fields.size()) {
    for (const FieldPlace &P : View.Places)
      Placed[P.Field] = P;
    for (double Share : Heat)
      AnyHeat |= Share > 0;
  }

  std::string print() const {
    std::string Out;
    for (size_t I = 0; I < View.Lines.size();) {
      size_t Run = 0;
      std::vector<uint32_t> Cold;
      while (AnyHeat && I + Run < View.Lines.size() &&
             View.Lines[I + Run].Share <= 0) {
        const std::vector<uint32_t> &Fields = View.Lines[I + Run++].Fields;
        Cold.insert(Cold.end(), Fields.begin(), Fields.end());
      }
      if (Run < 2) {
        Out += strip(View.Lines[I++]);
        continue;
      }
      std::sort(Cold.begin(), Cold.end());
      Cold.erase(std::unique(Cold.begin(), Cold.end()), Cold.end());
      Out += "<details class=\"cold\"><summary>lines " + std::to_string(I) +
             " to " + std::to_string(I + Run - 1) + ": " +
             counted(Cold.size(), "field") + ", no access seen</summary>\n";
      for (size_t End = I + Run; I < End; ++I)
        Out += strip(View.Lines[I]);
      Out += "</details>\n";
    }
    return Out;
  }

private:
  const Report &R;
  const AffinityEvidence &E;
  const LayoutView &View;
  const std::vector<bool> &Moved;
  std::vector<double> Heat;
  uint64_t LineBits;
  std::vector<FieldPlace> Placed; // by field
  bool AnyHeat = false;

  std::string tooltip(const FieldPlace &P) const {
    const FieldInfo &Info = E.Record.Fields[P.Field];
    FieldUse Use = useOf(E, P.Field);
    Declaration D = declaration(Info);
    std::string Text = D.Type + (D.Name.empty() ? "" : " " + D.Name) +
                       "; offset " + std::to_string(P.BeginBits / 8) + ", " +
                       (Info.BitField ? counted(Info.SizeBits, "bit")
                                      : counted(Info.SizeBits / 8, "byte"));
    Text += "; " + std::string(toWords(accessMark(Use)));
    if (Use.total() > 0)
      Text += "; " + percent(Heat[P.Field]) + " of accesses, " +
              percent(remoteShare(Use)) + " by other CPUs, " +
              percent(locklessShare(Use)) + " lockless";
    return escapedHtml(Text);
  }

  std::string classes(const FieldPlace &P) const {
    FieldUse Use = useOf(E, P.Field);
    AccessMark Mark = accessMark(Use);
    std::string Class = "f " + heatClass(Heat[P.Field]);
    if (Mark == AccessMark::ReadWrite || Mark == AccessMark::Write)
      Class += " w";
    Class += isRemote(Use) ? " rem" : "";
    Class += Use.Lock > 0 ? " lock" : "";
    Class += P.Field < Moved.size() && Moved[P.Field] ? " moved" : "";
    return Class + (P.BeginBits == P.EndBits ? " zero" : "");
  }

  std::string ofLine(uint64_t Bits) const {
    return fixed(100.0 * double(Bits) / double(LineBits), 4) + "%";
  }

  std::string block(const FieldPlace &P, uint64_t Line) const {
    bool Zero = P.BeginBits == P.EndBits;
    uint64_t Begin = std::max(P.BeginBits, Line * LineBits);
    uint64_t End = std::min(P.EndBits, (Line + 1) * LineBits);
    std::string Style = "left:" + ofLine(Begin - Line * LineBits);
    if (!Zero)
      Style += ";width:" + ofLine(End - Begin);
    return "<div class=\"" + classes(P) + "\" style=\"" + Style +
           "\" data-f=\"" + std::to_string(P.Field) + "\" title=\"" +
           tooltip(P) + "\">" +
           (Zero ? "" : escapedHtml(displayName(E.Record, P.Field))) + "</div>";
  }

  std::string strip(const LineView &Line) const {
    std::string Text =
        "<div class=\"line\"><div class=\"num\">" + std::to_string(Line.Index) +
        " &middot; " +
        (Line.Share > 0 ? escapedHtml(percent(Line.Share)) : std::string("-")) +
        "</div><div class=\"strip\">";
    uint64_t Rest = 8 * View.SizeBytes - Line.Index * LineBits;
    if (Rest < LineBits)
      Text += "<div class=\"end\" style=\"left:" + ofLine(Rest) + "\"></div>";
    for (uint32_t F : Line.Fields)
      Text += block(Placed[F], Line.Index);
    return Text + "</div></div>\n";
  }
};

} // namespace

std::string heatClass(double Share) {
  if (Share <= 0)
    return "h0";
  int Step = 1;
  for (double Limit : {0.005, 0.01, 0.03, 0.08})
    Step += Share >= Limit;
  return "h" + std::to_string(Step);
}

std::string layoutKeyHtml(bool WithMoved) {
  std::string Out = "<div class=\"key soft\"><span>share of accesses:</span>";
  const char *Steps[] = {"none", "below 0.5%", "0.5%", "1%", "3%", "8%"};
  for (int I = 0; I < 6; ++I)
    Out += "<span><i class=\"f h" + std::to_string(I) + "\"></i>" + Steps[I] +
           "</span>";
  Out += "<span><i class=\"f h2 w\"></i>written</span>"
         "<span><i class=\"f h2 rem\"></i>used by other CPUs</span>"
         "<span><i class=\"f h2 lock\">lock</i></span>";
  if (WithMoved)
    Out += "<span><i class=\"f h2 moved\"></i>moved</span>";
  return Out + "</div>\n";
}

std::string layoutHtml(const Report &R, const std::string &Title,
                       const LayoutView &View, const std::vector<bool> &Moved) {
  return "<div><h3>" + escapedHtml(Title) + ", " +
         std::to_string(View.SizeBytes) + " bytes, " +
         counted(View.HoleCount, "hole") + "</h3>\n" +
         Strips(R, View, Moved).print() + "</div>\n";
}

} // namespace kst
