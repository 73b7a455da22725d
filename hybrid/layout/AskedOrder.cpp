// SPDX-License-Identifier: GPL-2.0-or-later
//
// See AskedOrder.h. Words are taken by their position, so that a field named
// `first` or `after` can be asked about too.

#include "hybrid/layout/AskedOrder.h"

#include "hybrid/layout/MoveUnitNames.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>

namespace kst {

namespace {

constexpr const char *Forms =
    "; the forms are: move A[, B] after|before C; move A[, B] first|last; "
    "swap A and B";

/// Words; ',' and ';' are words of their own.
std::vector<std::string> wordsOf(const std::string &Text) {
  std::vector<std::string> Words;
  bool Open = false;
  for (char C : Text) {
    bool Blank = std::isspace(static_cast<unsigned char>(C));
    bool Mark = C == ',' || C == ';';
    if (Blank || Mark)
      Open = false;
    if (Blank)
      continue;
    if (!Open)
      Words.emplace_back();
    Words.back() += C;
    Open = !Mark;
  }
  return Words;
}

/// Reads a question word by word and changes the order as it goes.
class Reader {
public:
  Reader(const LayoutProblem &Problem, const std::string &Question)
      : Problem(Problem), Names(Problem), Words(wordsOf(Question)),
        Order(Problem.space().declared()) {}

  bool run() {
    do {
      if (!(take({"move"}) ? move() : take({"swap"}) ? swap() : noVerb()))
        return false;
      if (At < Words.size() && !separator())
        return fail("expected ';' and another move instead of " +
                    quoted(Words[At]));
    } while (At < Words.size());
    if (Order == Problem.space().declared())
      say("this is the present order");
    return true;
  }

  MoveUnitOrder order() { return std::move(Order); }
  const std::vector<std::string> &notes() const { return Notes; }
  const std::string &error() const { return Error; }

private:
  bool fail(std::string Why) {
    Error = std::move(Why) + Forms;
    return false;
  }

  void say(std::string Note) {
    if (!Note.empty() && std::ranges::find(Notes, Note) == Notes.end())
      Notes.push_back(std::move(Note));
  }

  bool take(std::initializer_list<const char *> Any) {
    for (const char *Word : Any)
      if (At < Words.size() && Words[At] == Word) {
        ++At;
        return true;
      }
    return false;
  }

  /// ";", "and", and ";" before "and".
  bool separator() {
    bool Some = false;
    while (take({";", ",", "and", "then"}))
      Some = true;
    return Some;
  }

  std::string here() const {
    return At < Words.size() ? quoted(Words[At]) : "the end";
  }

  bool noVerb() {
    return fail("expected 'move' or 'swap' instead of " + here());
  }

  /// The move units that the next word names.
  bool name(std::vector<uint32_t> &MoveUnits, std::string &Text) {
    if (At == Words.size() || Words[At] == "," || Words[At] == ";")
      return fail("expected a field instead of " + here());
    Text = Words[At++];
    Result<std::vector<uint32_t>> Fields = Names.fields(Text);
    if (!Fields) {
      Error = Fields.error();
      return false;
    }
    MoveUnits = Names.bricksOf(*Fields);
    Mentioned.insert(Mentioned.end(), Fields->begin(), Fields->end());
    return true;
  }

  bool move() {
    std::vector<uint32_t> Moved;
    Mentioned.clear();
    std::vector<std::string> Said;
    do {
      std::vector<uint32_t> MoveUnits;
      std::string Text;
      if (!name(MoveUnits, Text))
        return false;
      if (std::ranges::find(Said, Text) != Said.end())
        return fail(quoted(Text) + " is to move twice at once");
      Said.push_back(Text);
      for (uint32_t U : MoveUnits)
        if (std::ranges::find(Moved, U) == Moved.end())
          Moved.push_back(U);
    } while (take({",", "and"}));
    for (uint32_t U : Moved)
      say(Names.company(U, Mentioned));
    return goal(Moved);
  }

  bool goal(const std::vector<uint32_t> &Moved) {
    MoveUnitOrder Rest;
    for (uint32_t U : Order)
      if (std::ranges::find(Moved, U) == Moved.end())
        Rest.push_back(U);
    size_t To = 0;
    bool After = take({"after"});
    if (After || take({"before"})) {
      if (!beside(Rest, After, To))
        return false;
    } else if (take({"first"})) {
      To = 0;
    } else if (take({"last"})) {
      To = beforeFlexibleArray(Rest);
    } else if (take({"to"})) {
      take({"the"});
      if (take({"front", "start", "beginning", "top"}))
        To = 0;
      else if (take({"end", "back", "bottom"}))
        To = beforeFlexibleArray(Rest);
      else
        return fail("expected 'front' or 'end' instead of " + here());
    } else {
      return fail("expected 'after', 'before', 'first' or 'last' instead of " +
                  here());
    }
    Rest.insert(Rest.begin() + static_cast<std::ptrdiff_t>(To), Moved.begin(),
                Moved.end());
    Order = std::move(Rest);
    return true;
  }

  /// The position in Rest before or after the field that the next word names.
  bool beside(const MoveUnitOrder &Rest, bool After, size_t &To) {
    std::vector<uint32_t> MoveUnits;
    std::string Text;
    Mentioned.clear();
    if (!name(MoveUnits, Text))
      return false;
    bool Found = false;
    for (size_t I = 0; I < Rest.size(); ++I)
      if (std::ranges::find(MoveUnits, Rest[I]) != MoveUnits.end()) {
        if (!After && Found)
          continue;
        To = I + After;
        Found = true;
      }
    if (!Found)
      return fail(quoted(Text) + " moves itself, so nothing can be put beside "
                                 "it");
    const auto &Members =
        Problem.rules()
            .bricks()[After ? MoveUnits.back() : MoveUnits.front()]
            .Fields;
    uint32_t Edge = After ? Members.back() : Members.front();
    if (std::ranges::find(Mentioned, Edge) == Mentioned.end())
      say(std::string(After ? "after " : "before ") + quoted(Text) + " means " +
          (After ? "after " : "before ") +
          quoted(Problem.record().Fields[Edge].Name) + ": " +
          Names.bond(After ? MoveUnits.back() : MoveUnits.front()));
    return true;
  }

  size_t beforeFlexibleArray(const MoveUnitOrder &Rest) const {
    size_t End = Rest.size();
    while (End && Problem.record()
                      .Fields[Problem.rules().bricks()[Rest[End - 1]].Fields[0]]
                      .FlexibleArray)
      --End;
    return End;
  }

  bool swap() {
    std::vector<uint32_t> A, B;
    std::string First, Second;
    Mentioned.clear();
    if (!name(A, First))
      return false;
    if (!take({"and", "with", ","}))
      return fail("expected 'and' instead of " + here());
    if (!name(B, Second))
      return false;
    auto Has = [](const std::vector<uint32_t> &MoveUnits, uint32_t U) {
      return std::ranges::find(MoveUnits, U) != MoveUnits.end();
    };
    for (uint32_t U : A)
      if (Has(B, U)) {
        Error = First == Second ? quoted(First) + " cannot trade places with "
                                                  "itself"
                                : quoted(First) + " and " + quoted(Second) +
                                      " cannot trade places: " + Names.bond(U);
        return false;
      }
    MoveUnitOrder Swapped;
    bool FirstDone = false, SecondDone = false;
    for (uint32_t U : Order) {
      bool InA = Has(A, U), InB = Has(B, U);
      if (!InA && !InB)
        Swapped.push_back(U);
      else if (bool &Done = InA ? FirstDone : SecondDone; !Done) {
        const std::vector<uint32_t> &Other = InA ? B : A;
        Swapped.insert(Swapped.end(), Other.begin(), Other.end());
        Done = true;
      }
    }
    Order = std::move(Swapped);
    for (const std::vector<uint32_t> *MoveUnits : {&A, &B})
      for (uint32_t U : *MoveUnits)
        say(Names.company(U, Mentioned));
    return true;
  }

  const LayoutProblem &Problem;
  MoveUnitNames Names;
  std::vector<std::string> Words;
  size_t At = 0;
  MoveUnitOrder Order;
  std::vector<uint32_t> Mentioned; ///< fields that the present move names
  std::vector<std::string> Notes;
  std::string Error;
};

} // namespace

Result<MoveUnitOrder> askedOrder(const LayoutProblem &Problem,
                                 const std::string &Question,
                                 std::vector<std::string> *Notes) {
  Reader Words(Problem, Question);
  if (!Words.run())
    return Failure{Words.error()};
  if (Notes)
    Notes->insert(Notes->end(), Words.notes().begin(), Words.notes().end());
  return Words.order();
}

} // namespace kst
