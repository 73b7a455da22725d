// SPDX-License-Identifier: GPL-2.0-or-later
//
// orderFromText(): see AskedOrder.h.

#include "hybrid/layout/AskedOrder.h"
#include "hybrid/layout/MoveUnitNames.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>

namespace kst {

namespace {

using Json = nlohmann::json;

/// A name of the list and where it stands, for messages.
struct Listed {
  std::string Name;
  std::string Where;
};

constexpr const char *Blanks = " \t\r\n\f\v";

std::string trimmed(const std::string &Text) {
  size_t First = Text.find_first_not_of(Blanks);
  if (First == std::string::npos)
    return {};
  return Text.substr(First, Text.find_last_not_of(Blanks) - First + 1);
}

std::vector<Listed> listFromLines(const std::string &Text,
                                  const std::string &File) {
  std::vector<Listed> List;
  size_t Line = 0;
  for (size_t Begin = 0; Begin < Text.size();) {
    size_t End = std::min(Text.find('\n', Begin), Text.size());
    std::string Content = Text.substr(Begin, End - Begin);
    Begin = End + 1;
    ++Line;
    Content = trimmed(Content.substr(0, Content.find('#')));
    if (!Content.empty())
      List.push_back({Content, File + ":" + std::to_string(Line)});
  }
  return List;
}

/// The object at the end of the path, or null.
const Json *inside(const Json *At, std::initializer_list<const char *> Path) {
  for (const char *Name : Path) {
    if (!At || !At->is_object())
      return nullptr;
    auto Found = At->find(Name);
    At = Found == At->end() ? nullptr : &*Found;
  }
  return At;
}

Result<std::vector<Listed>> listFromJson(const std::string &Text,
                                         const std::string &File,
                                         const std::string &Struct) {
  const Json All = Json::parse(Text, nullptr, /*allow_exceptions=*/false);
  if (All.is_discarded())
    return Failure{File + ": not JSON, though it starts with '{'"};
  const Json *Report = &All;
  if (const Json *Several = inside(&All, {"reports"});
      Several && Several->is_array()) {
    Report = nullptr;
    for (const Json &One : *Several)
      if (const Json *Name = inside(&One, {"struct"});
          Name && *Name == Struct && !Report)
        Report = &One;
    if (!Report)
      return Failure{File + ": none of its reports is about '" + Struct + "'"};
  }
  if (const Json *Name = inside(Report, {"struct"}); Name && *Name != Struct)
    return Failure{File + ": its report is not about '" + Struct + "'"};
  // The first has the fields of all configurations, the second those of one.
  const Json *Order = inside(Report, {"layouts", "order"});
  if (!Order)
    Order = inside(Report, {"layouts", "proposed", "order"});
  if (!Order)
    Order = inside(Report, {"order"});
  if (!Order || !Order->is_array())
    return Failure{File + ": has neither \"layouts\": {\"order\": [...]} "
                          "nor \"order\": [...]"};
  std::vector<Listed> List;
  for (const Json &Name : *Order) {
    if (!Name.is_string())
      return Failure{File + ": \"order\" has something that is no name"};
    List.push_back({Name.get<std::string>(), File});
  }
  return List;
}

/// Turns the list into fields, then into move units.
class Sorter {
public:
  explicit Sorter(const LayoutProblem &Problem)
      : Problem(Problem), Names(Problem), Seen(Problem.record().Fields.size()) {
  }

  std::optional<Failure> add(const std::vector<Listed> &List) {
    std::map<std::string, size_t> Times, Before;
    for (const Listed &One : List)
      ++Times[One.Name];
    for (const Listed &One : List) {
      Result<std::vector<uint32_t>> Same = fieldsNamed(One.Name);
      if (!Same)
        return Failure{One.Where + ": " + Same.error()};
      // Listed as often as declared: one after the other.
      if (Times[One.Name] > 1 && Times[One.Name] <= Same->size())
        Same = std::vector<uint32_t>{(*Same)[Before[One.Name]++]};
      for (uint32_t F : *Same)
        if (std::optional<Failure> Wrong = add(F, One))
          return Wrong;
    }
    return std::nullopt;
  }

  /// The move units listed take their own places in the order of the list.
  MoveUnitOrder order(std::vector<std::string> *Notes) const {
    MoveUnitOrder Result = Problem.space().declared();
    std::vector<uint32_t> Places = MoveUnits;
    std::ranges::sort(Places);
    for (size_t I = 0; I < Places.size(); ++I)
      Result[Places[I]] = MoveUnits[I];
    if (Notes) {
      for (uint32_t U : MoveUnits)
        if (std::string Note = Names.company(U, Fields); !Note.empty())
          Notes->push_back(std::move(Note));
      if (Result == Problem.space().declared())
        Notes->push_back("this is the present order");
    }
    return Result;
  }

private:
  Result<std::vector<uint32_t>> fieldsNamed(const std::string &Name) const {
    if (!Name.empty())
      return Names.fields(Name);
    std::vector<uint32_t> Unnamed; // reports list them too
    for (uint32_t F = 0; F < Problem.record().Fields.size(); ++F)
      if (Problem.record().Fields[F].Name.empty())
        Unnamed.push_back(F);
    if (Unnamed.empty())
      return Failure{"a name is empty"};
    return Unnamed;
  }

  std::optional<Failure> add(uint32_t F, const Listed &One) {
    const std::string &Full = Problem.record().Fields[F].Name;
    if (Seen[F])
      return Failure{One.Where + ": " + quoted(One.Name) +
                     (Full == One.Name ? " is listed twice"
                                       : " is a part of " + quoted(Full) +
                                             ", which is listed already")};
    Seen[F] = true;
    uint32_t U = Problem.rules().moveUnitOf(F);
    if (MoveUnits.empty() || MoveUnits.back() != U) {
      if (std::ranges::find(MoveUnits, U) != MoveUnits.end())
        return Failure{One.Where + ": " + quoted(One.Name) +
                       " cannot be parted from " + companions(U, F) + ": " +
                       Names.bond(U)};
      MoveUnits.push_back(U);
    } else if (Fields.back() > F) {
      return Failure{One.Where + ": " + quoted(One.Name) +
                     " cannot come after " +
                     quoted(Problem.record().Fields[Fields.back()].Name) +
                     ": " + Names.bond(U)};
    }
    Fields.push_back(F);
    return std::nullopt;
  }

  /// The fields of the move unit that the list had before F.
  std::string companions(uint32_t U, uint32_t F) const {
    std::string Text;
    for (uint32_t Other : Problem.rules().bricks()[U].Fields)
      if (Other != F && Seen[Other])
        Text += (Text.empty() ? "" : ", ") +
                quoted(Problem.record().Fields[Other].Name);
    return Text;
  }

  const LayoutProblem &Problem;
  MoveUnitNames Names;
  std::vector<bool> Seen;          ///< per field
  std::vector<uint32_t> Fields;    ///< as listed
  std::vector<uint32_t> MoveUnits; ///< theirs, each once
};

} // namespace

Result<MoveUnitOrder> orderFromText(const LayoutProblem &Problem,
                                    const std::string &Text,
                                    const std::string &Name,
                                    std::vector<std::string> *Notes) {
  std::vector<Listed> List;
  size_t First = Text.find_first_not_of(Blanks);
  if (First != std::string::npos && Text[First] == '{') {
    Result<std::vector<Listed>> FromJson =
        listFromJson(Text, Name, Problem.record().Name);
    if (!FromJson)
      return Failure{FromJson.error()};
    List = std::move(*FromJson);
  } else {
    List = listFromLines(Text, Name);
  }
  if (List.empty())
    return Failure{Name + ": names no field; one name a line was expected"};
  Sorter Places(Problem);
  if (std::optional<Failure> Wrong = Places.add(List))
    return *Wrong;
  return Places.order(Notes);
}

} // namespace kst
