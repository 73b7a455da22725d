// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/sharing/Remedies.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace kst {

namespace {

/// Of what a finding loses; rarer pairs are not worth an edit.
constexpr double Little = 0.05;

std::string inQuotes(const std::string &Text) { return "'" + Text + "'"; }

LineEdit withBytes(LineEdit Edit, uint64_t Bytes) {
  Edit.Bytes = Bytes;
  return Edit;
}

bool isSpread(const LineEdit &Edit) {
  return Edit.What == LineEdit::SpreadIndex ||
         Edit.What == LineEdit::SpreadMember ||
         Edit.What == LineEdit::SpreadPointer;
}

/// Members that get lines of their own until the pairs that are left lose
/// little, each time the one that loses most; a few at most.
std::vector<std::string> membersApart(const std::vector<MemberPair> &All) {
  constexpr size_t Most = 4;
  double Sum = 0;
  for (const MemberPair &One : All)
    Sum += One.Loss;
  std::vector<std::string> Apart;
  while (Apart.size() != Most) {
    std::map<std::string, double> Losses;
    double Left = 0;
    for (const MemberPair &One : All) {
      if (One.Written == One.Used || std::ranges::count(Apart, One.Written) ||
          std::ranges::count(Apart, One.Used))
        continue;
      Left += One.Loss;
      Losses[One.Written] += One.Loss * 1.01; // rather than what is read
      Losses[One.Used] += One.Loss;
    }
    if (Losses.empty() || Left < 2 * Little * Sum)
      break;
    using Loss = std::pair<const std::string, double>;
    Apart.push_back(std::ranges::max_element(Losses, {}, &Loss::second)->first);
  }
  return Apart;
}

/// Of the object.
std::string topMember(const SharedPlace &Of) {
  return Of.Path.substr(0, Of.Path.find('.'));
}

class RemedyMaker {
public:
  RemedyMaker(SharingFinding &To, const std::vector<MeetingPlaces> &All,
              uint32_t LineBytes)
      : To(To), All(All), First(*All.front().Writer), LineBytes(LineBytes),
        Line(std::to_string(LineBytes)), Aligned("_Alignas(" + Line + ")") {
    for (const MeetingPlaces &One : All)
      Sum += One.Count;
  }

  void run() {
    switch (To.Between) {
    case SharedParts::Elements:
      return elements();
    case SharedParts::Objects:
      return add("aligned_alloc(" + Line + ", ...) of a multiple of " + Line +
                     " bytes where they are allocated",
                 0, roots().value_or(std::vector<LineEdit>()));
    case SharedParts::Fields:
      return fields();
    case SharedParts::Globals:
      return add(Aligned + " on each of them that threads write, and on what "
                           "follows",
                 To.Fields.size() * LineBytes,
                 roots().value_or(std::vector<LineEdit>()));
    case SharedParts::Same:
      return add("a copy for each thread, added up when it is read; or fewer "
                 "accesses");
    }
  }

private:
  void add(std::string Text, uint64_t Bytes = 0,
           std::vector<LineEdit> Edits = {}) {
    To.Remedies.push_back({std::move(Text), Bytes, std::move(Edits)});
  }

  /// Of the dearest places, until the rest loses little; none: one is unknown.
  std::optional<std::vector<LineEdit>> roots() const {
    std::set<LineEdit> Found;
    double Left = Sum;
    for (const MeetingPlaces &One : All) {
      if (Left < Little * Sum)
        break;
      Left -= One.Count;
      for (const SharedPlace *Place : {One.Writer, One.Victim}) {
        if (Place->OfRoot.What == LineEdit::None)
          return std::nullopt;
        Found.insert(withBytes(Place->OfRoot, LineBytes));
      }
    }
    return std::vector(Found.begin(), Found.end());
  }

  void elements() {
    const uint64_t Stride = To.StrideBytes ? To.StrideBytes : To.SizeBytes;
    const uint64_t Padded = roundUp(std::max<uint64_t>(Stride, 1), LineBytes);
    const LineEdit &Element = First.OfElement;
    const uint64_t More = Stride ? Padded - Stride : 0;
    if (isSpread(Element) && Stride && Padded % Stride == 0) {
      LineEdit Spread = withBytes(Element, LineBytes);
      Spread.Factor = uint32_t(Padded / Stride);
      add("elements of " + inQuotes(To.Object) +
              " a line apart: indices in steps of " +
              std::to_string(Spread.Factor),
          More, {Spread});
    } else if (isSpread(Element) || First.Type.empty() || First.Field.empty()) {
      add("a struct with one " + Aligned + " member as the element of " +
              inQuotes(To.Object) + ", or indices in steps of " + Line +
              " bytes",
          More);
    } else {
      records(Padded, More);
    }
    add("a local variable in the loop, stored once behind it");
  }

  /// Elements are records: whole lines that begin on one; where nothing can be
  /// done about the begin, a line between them.
  void records(uint64_t Padded, uint64_t More) {
    const LineEdit &Record = First.OfElement, &Root = First.OfRoot;
    const bool Known = Record.What == LineEdit::PadRecord &&
                       First.StrideBytes == First.SizeBytes;
    // An array that is a member begins where it does.
    const bool Begins = First.Array.empty() && Root.What != LineEdit::None;
    auto Padding = [&](uint64_t Bytes) {
      return "padding at the end of " + First.Type + ": elements of " +
             std::to_string(Bytes) + " bytes";
    };
    if (Begins || !Known) {
      std::vector<LineEdit> Edits;
      if (Known && More)
        Edits.push_back(withBytes(Record, More));
      if (Known)
        Edits.push_back(withBytes(Root, LineBytes));
      add(Padding(Padded) + (Root.What == LineEdit::AlignVariable
                                 ? "; " + Aligned + " on " + inQuotes(To.Object)
                                 : "; aligned_alloc(" + Line +
                                       ", ...) where they are allocated"),
          More, std::move(Edits));
    }
    if (Known)
      add(Padding(First.StrideBytes + LineBytes) + ", wherever they begin",
          LineBytes, {withBytes(Record, LineBytes)});
  }

  void fields() {
    std::vector<MemberPair> Pairs;
    for (const MeetingPlaces &One : All)
      Pairs.push_back(
          {topMember(*One.Writer), topMember(*One.Victim), One.Count});
    if (SharingRemedy Apart = alignedMembers(Pairs, First.OfMember, LineBytes);
        First.Movable && !Apart.Text.empty())
      To.Remedies.push_back(std::move(Apart));
    const bool Tagged = To.Type.find('(') == std::string::npos &&
                        !To.Type.starts_with("union ") && !To.Type.empty();
    if (Tagged)
      add("an order: kstatic-affinity --struct " +
          To.Type.substr(To.Type.find(' ') + 1));
  }

  SharingFinding &To;
  const std::vector<MeetingPlaces> &All;
  const SharedPlace &First; ///< the one of the dearest that is written
  const uint32_t LineBytes;
  const std::string Line, Aligned;
  double Sum = 0;
};

} // namespace

SharingRemedy alignedMembers(const std::vector<MemberPair> &Pairs,
                             const LineEdit &Of, uint32_t LineBytes) {
  SharingRemedy Made;
  std::string Names;
  const std::vector<std::string> Apart = membersApart(Pairs);
  for (const std::string &Name : Apart) {
    Names += (Names.empty() ? "" : ", ") + inQuotes(Name);
    if (Of.What == LineEdit::None)
      continue;
    Made.Edits.push_back(withBytes(Of, LineBytes));
    Made.Edits.back().Part = Name;
  }
  if (!Apart.empty())
    Made.Text = "_Alignas(" + std::to_string(LineBytes) + ") on " + Names +
                " and on what follows";
  Made.Bytes = (Apart.size() + 1) * LineBytes;
  return Made;
}

void addRemedies(SharingFinding &To, const std::vector<MeetingPlaces> &All,
                 uint32_t LineBytes) {
  RemedyMaker(To, All, LineBytes).run();
}

} // namespace kst
