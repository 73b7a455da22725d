// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/LinkMap.h"

#include <charconv>
#include <optional>

namespace kst {
namespace {

using Words = std::string_view;

Words trimmed(Words Text) {
  const size_t Begin = Text.find_first_not_of(" \t\r");
  if (Begin == Words::npos)
    return {};
  return Text.substr(Begin, Text.find_last_not_of(" \t\r") + 1 - Begin);
}

/// The first word, which is taken off Text.
Words word(Words &Text) {
  Text = trimmed(Text);
  const size_t End = std::min(Text.find_first_of(" \t"), Text.size());
  const Words First = Text.substr(0, End);
  Text = trimmed(Text.substr(End));
  return First;
}

std::optional<uint64_t> hex(Words Text, bool Prefix) {
  if (Prefix) {
    if (!Text.starts_with("0x"))
      return std::nullopt;
    Text.remove_prefix(2);
  }
  uint64_t Value = 0;
  const char *End = Text.data() + Text.size();
  auto [Stop, Error] = std::from_chars(Text.data(), End, Value, 16);
  if (Text.empty() || Error != std::errc() || Stop != End)
    return std::nullopt;
  return Value;
}

/// `name = expression`, also within PROVIDE and HIDDEN.
std::optional<MapStatement> assignment(Words Text, uint64_t Value) {
  for (Words Wrap : {"PROVIDE_HIDDEN (", "PROVIDE (", "HIDDEN (",
                     "PROVIDE_HIDDEN(", "PROVIDE(", "HIDDEN("})
    if (Text.starts_with(Wrap) && Text.ends_with(")")) {
      Text.remove_prefix(Wrap.size());
      Text.remove_suffix(1);
      break;
    }
  Text = trimmed(Text);
  if (Text.ends_with(";"))
    Text = trimmed(Text.substr(0, Text.size() - 1));
  const size_t At = Text.find('=');
  if (At == Words::npos || !At || Text.starts_with("ASSERT"))
    return std::nullopt;
  Words Name = Text.substr(0, At), More = trimmed(Text.substr(At + 1));
  if (More.starts_with("ASSERT"))
    return std::nullopt;
  MapStatement Out;
  Out.Is = MapStatement::Kind::Assign;
  Out.Address = Value;
  if (Words("+-*/&|").find(Name.back()) != Words::npos) { // `. += 4`
    const char Sign = Name.back();
    Name = trimmed(Name.substr(0, Name.size() - 1));
    Out.Text = std::string(Name) + " " + Sign + " (" + std::string(More) + ")";
  } else {
    Name = trimmed(Name);
    Out.Text = std::string(More);
  }
  if (Name.find_first_of(" ()") != Words::npos)
    return std::nullopt;
  Out.Name = std::string(Name);
  return Out;
}

class Lines {
public:
  explicit Lines(Words Text) : Left(Text) {}
  std::optional<Words> next() {
    if (Left.empty())
      return std::nullopt;
    const size_t End = std::min(Left.find('\n'), Left.size());
    Words Line = Left.substr(0, End);
    Left.remove_prefix(std::min(End + 1, Left.size()));
    while (Line.ends_with('\r') || Line.ends_with(' '))
      Line.remove_suffix(1);
    return Line;
  }

private:
  Words Left;
};

class GnuReader {
public:
  void line(Words Line);
  bool done() const { return Over; }
  LinkMap Out;

private:
  MapPart &between() {
    if (Out.Parts.empty() || !Out.Parts.back().Name.empty())
      Out.Parts.emplace_back();
    Inside = false;
    return Out.Parts.back();
  }
  MapPart &current() { return Inside ? Out.Parts.back() : between(); }
  void output(Words Rest);
  void input(Words Rest);
  void deeper(Words Line);

  std::string Held; ///< a name whose numbers are on the next line
  bool HeldOutput = false, Inside = false, Over = false;
  uint32_t Pattern = 0;
};

/// `0xaddress 0xsize [load address ...]` of the output section Held.
void GnuReader::output(Words Rest) {
  const auto Address = hex(word(Rest), true), Size = hex(word(Rest), true);
  if (!Address || !Size)
    return;
  MapPart Part;
  Part.Name = std::move(Held);
  Part.Address = *Address;
  Part.SizeBytes = *Size;
  Out.Parts.push_back(std::move(Part));
  Inside = true;
}

/// `0xaddress 0xsize file` of the input section Held.
void GnuReader::input(Words Rest) {
  const auto Address = hex(word(Rest), true), Size = hex(word(Rest), true);
  if (!Address || !Size || Rest.empty() || !Inside)
    return;
  MapStatement In;
  In.Name = std::move(Held);
  In.Text = std::string(Rest);
  In.Address = *Address;
  In.SizeBytes = *Size;
  In.Pattern = Pattern;
  current().Body.push_back(std::move(In));
}

/// A line that begins with a number: an assignment, a symbol, bytes.
void GnuReader::deeper(Words Line) {
  Words Rest = Line;
  const Words First = word(Rest);
  if (First == "[!provide]" || First == "*undef*")
    return;
  const auto Value = hex(First, true);
  if (!Value)
    return;
  if (Rest.starts_with("(size before relaxing)")) {
    if (Inside && !Out.Parts.back().Body.empty())
      Out.Parts.back().Body.back().WholeBytes = *Value;
    return;
  }
  if (auto Of = assignment(Rest, *Value)) {
    current().Body.push_back(std::move(*Of));
    return;
  }
  Words More = Rest;
  const auto Size = hex(word(More), true);
  if (Size && (More.starts_with("BYTE ") || More.starts_with("SHORT ") ||
               More.starts_with("LONG ") || More.starts_with("QUAD "))) {
    MapStatement Of;
    Of.Is = MapStatement::Kind::Bytes;
    Of.Address = *Value;
    Of.SizeBytes = *Size;
    current().Body.push_back(std::move(Of));
  }
}

void GnuReader::line(Words Line) {
  if (Line.empty())
    return;
  if (!Held.empty()) {
    Words Rest = Line;
    if (Line.starts_with("      ")) {
      if (HeldOutput)
        output(Rest);
      else
        input(Rest);
      Held.clear();
      return;
    }
    Held.clear(); // an output section that is not there
  }
  if (Line[0] != ' ') {
    if (Line.starts_with("LOAD ") || Line.starts_with("START GROUP") ||
        Line.starts_with("END GROUP") || Line.starts_with("/DISCARD/"))
      return;
    if (Line.starts_with("OUTPUT(")) {
      Over = true;
      return;
    }
    Words Rest = Line;
    Held = std::string(word(Rest));
    HeldOutput = true;
    Inside = false;
    if (!Rest.empty()) {
      output(Rest);
      Held.clear();
    }
    return;
  }
  if (Line.size() > 1 && Line[1] != ' ') {
    if (Line[1] == '*') {
      Pattern += !Line.starts_with(" *fill*");
      return;
    }
    Words Rest = Line;
    Held = std::string(word(Rest));
    HeldOutput = false;
    if (!Rest.empty()) {
      input(Rest);
      Held.clear();
    }
    return;
  }
  deeper(Line);
}

/// A map does not say where the statements of a section end and those behind it
/// begin. The location counter does: behind it from where it leaves the
/// section.
LinkMap endedByCounter(LinkMap Map) {
  LinkMap Out;
  for (MapPart &Part : Map.Parts) {
    std::vector<MapStatement> Behind;
    if (!Part.Name.empty())
      for (size_t I = 0; I < Part.Body.size(); ++I) {
        const MapStatement &S = Part.Body[I];
        // An empty section can have been placed far behind in another pass.
        // DATA_SEGMENT_RELRO_END and its like never stand in a section.
        const bool Leaves = S.Name == "."
                                ? S.Address - Part.Address > Part.SizeBytes ||
                                      S.Text.starts_with("DATA_SEGMENT_")
                                : S.Text == "." && S.Address < Part.Address;
        if (S.Is != MapStatement::Kind::Assign || !Leaves)
          continue;
        const auto From = Part.Body.begin() + long(I);
        Behind.assign(std::make_move_iterator(From),
                      std::make_move_iterator(Part.Body.end()));
        Part.Body.erase(From, Part.Body.end());
        break;
      }
    Out.Parts.push_back(std::move(Part));
    if (!Behind.empty()) {
      Out.Parts.emplace_back();
      Out.Parts.back().Body = std::move(Behind);
    }
  }
  return Out;
}

LinkMap gnuMap(Words Text) {
  GnuReader Reader;
  Lines All(Text);
  while (auto Line = All.next()) {
    Reader.line(*Line);
    if (Reader.done())
      break;
  }
  return endedByCounter(std::move(Reader.Out));
}

/// Where the columns of the head end says what a row is.
LinkMap lldMap(Words Text) {
  LinkMap Out;
  Out.Lld = true;
  Lines All(Text);
  Words Head = *All.next();
  const size_t OutAt = Head.find("Out"), InAt = Head.find(" In") + 1,
               SymbolAt = Head.find("Symbol");
  bool Inside = false;
  while (auto Line = All.next()) {
    Words Rest = *Line;
    const auto Address = hex(word(Rest), false), Load = hex(word(Rest), false),
               Size = hex(word(Rest), false);
    Words AlignText = word(Rest);
    uint64_t Align = 0;
    std::from_chars(AlignText.data(), AlignText.data() + AlignText.size(),
                    Align);
    if (!Address || !Load || !Size || Rest.empty())
      continue;
    const size_t Column = size_t(Rest.data() - Line->data());
    // A row of `.` has where it was, and by how much it moved.
    if (auto Of = assignment(Rest, *Address + *Size)) {
      if (Column < InAt || !Inside) {
        if (Out.Parts.empty() || !Out.Parts.back().Name.empty())
          Out.Parts.emplace_back();
        Inside = false;
      }
      Out.Parts.back().Body.push_back(std::move(*Of));
    } else if (Column >= SymbolAt) {
      continue;
    } else if (Column >= InAt) {
      MapStatement In;
      In.Address = *Address;
      In.SizeBytes = *Size;
      In.AlignBytes = Align;
      const size_t Open = Rest.rfind(":(");
      if (Open == Words::npos) {
        In.Is = MapStatement::Kind::Bytes;
      } else {
        In.Text = std::string(Rest.substr(0, Open));
        const Words Name = Rest.substr(Open + 2, Rest.size() - Open - 3);
        In.Name = std::string(Name.substr(0, Name.find("+0x")));
        // Such as `.eh_frame+0x18`: what is left of a section whose entries
        // were merged. How large it was, the map does not say.
        if (In.Name.size() < Name.size())
          In.WholeBytes = std::max<uint64_t>(1, In.SizeBytes);
      }
      if (Inside)
        Out.Parts.back().Body.push_back(std::move(In));
    } else if (Column >= OutAt) {
      MapPart Part;
      Part.Name = std::string(Rest);
      Part.Address = *Address;
      Part.SizeBytes = *Size;
      Part.AlignBytes = Align;
      Out.Parts.push_back(std::move(Part));
      Inside = true;
    }
  }
  return Out;
}

} // namespace

bool isDebugSection(Words Name) {
  for (Words Of : {".debug", ".zdebug", ".comment", ".stab", ".symtab",
                   ".strtab", ".shstrtab", ".gnu.build.attributes"})
    if (Name.starts_with(Of))
      return true;
  return false;
}

Result<LinkMap> readLinkMap(Words Text) {
  LinkMap Out;
  const Words Begin = "Linker script and memory map";
  const size_t At = Text.find(Begin);
  const Words First = Text.substr(0, std::min(Text.find('\n'), Text.size()));
  if (At != Words::npos)
    Out = gnuMap(Text.substr(At + Begin.size()));
  else if (First.find("VMA") != Words::npos &&
           First.find("Symbol") != Words::npos)
    Out = lldMap(Text);
  else
    return Failure{"not a map of GNU ld (-Map) or lld (-Map, --print-map)"};
  std::erase_if(Out.Parts,
                [](const MapPart &P) { return isDebugSection(P.Name); });
  for (const MapPart &Part : Out.Parts)
    if (!Part.Name.empty())
      return Out;
  return Failure{"the map has no section: was the link aborted?"};
}

std::set<std::string> filesOf(const LinkMap &Map) {
  std::set<std::string> Out;
  for (const MapPart &Part : Map.Parts)
    for (const MapStatement &S : Part.Body)
      if (S.Is == MapStatement::Kind::Input)
        Out.insert(S.Text);
  return Out;
}

} // namespace kst
