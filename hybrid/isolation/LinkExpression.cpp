// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/LinkExpression.h"

#include <array>
#include <cctype>
#include <charconv>

namespace kst {
namespace {

constexpr std::array<std::array<std::string_view, 4>, 10> Operators{{
    {"||"},
    {"&&"},
    {"|"},
    {"^"},
    {"&"},
    {"==", "!="},
    {"<=", ">=", "<", ">"},
    {"<<", ">>"},
    {"+", "-"},
    {"*", "/", "%"},
}};

bool nameByte(char C) {
  return std::isalnum(static_cast<unsigned char>(C)) || C == '_' || C == '.' ||
         C == '$';
}

class Parser {
public:
  Parser(std::string_view Text, const SymbolValues &In) : Text(Text), In(In) {}
  std::optional<uint64_t> all() {
    const uint64_t Value = choice();
    skip();
    if (Bad || At != Text.size())
      return std::nullopt;
    return Value;
  }

private:
  void skip() {
    while (At < Text.size() &&
           std::isspace(static_cast<unsigned char>(Text[At])))
      ++At;
  }
  bool take(std::string_view Sign) {
    skip();
    if (!Text.substr(At).starts_with(Sign))
      return false;
    // `|` is no `||`, `<` no `<<`, and `<` no `<=`.
    if (Sign.size() == 1 && At + 1 < Text.size()) {
      const char Next = Text[At + 1];
      if ((Sign == "|" || Sign == "&" || Sign == "<" || Sign == ">") &&
          Next == Sign[0])
        return false;
      if ((Sign == "<" || Sign == ">") && Next == '=')
        return false;
    }
    At += Sign.size();
    return true;
  }
  uint64_t fail() {
    Bad = true;
    return 0;
  }
  uint64_t known(std::optional<uint64_t> Value) {
    return Value ? *Value : fail();
  }

  uint64_t choice() {
    const uint64_t If = level(0);
    if (!take("?"))
      return If;
    const uint64_t Then = choice();
    if (!take(":"))
      return fail();
    const uint64_t Else = choice();
    return If ? Then : Else;
  }

  uint64_t level(size_t Depth) {
    if (Depth == Operators.size())
      return unary();
    uint64_t Left = level(Depth + 1);
    for (;;) {
      std::string_view Found;
      for (std::string_view Sign : Operators[Depth])
        if (!Sign.empty() && take(Sign)) {
          Found = Sign;
          break;
        }
      if (Found.empty() || Bad)
        return Left;
      Left = apply(Found, Left, level(Depth + 1));
    }
  }

  uint64_t apply(std::string_view Sign, uint64_t L, uint64_t R) {
    switch (Sign[0]) {
    case '+':
      return L + R;
    case '-':
      return L - R;
    case '*':
      return L * R;
    case '/':
      return R ? L / R : fail();
    case '%':
      return R ? L % R : fail();
    case '^':
      return L ^ R;
    case '|':
      return Sign.size() == 2 ? (L || R) : (L | R);
    case '&':
      return Sign.size() == 2 ? (L && R) : (L & R);
    case '=':
      return L == R;
    case '!':
      return L != R;
    case '<':
      return Sign == "<<"   ? (R < 64 ? L << R : 0)
             : Sign == "<=" ? L <= R
                            : L < R;
    default:
      return Sign == ">>"   ? (R < 64 ? L >> R : 0)
             : Sign == ">=" ? L >= R
                            : L > R;
    }
  }

  uint64_t unary() {
    if (take("-"))
      return 0 - unary();
    if (take("~"))
      return ~unary();
    if (take("!"))
      return !unary();
    if (take("(")) {
      const uint64_t Value = choice();
      return take(")") ? Value : fail();
    }
    skip();
    if (At >= Text.size())
      return fail();
    if (std::isdigit(static_cast<unsigned char>(Text[At])))
      return number();
    const std::string Name = name();
    if (Name.empty())
      return fail();
    if (Name == ".")
      return In.Dot;
    const size_t Back = At;
    if (take("("))
      return call(Name);
    At = Back;
    return known(In.Symbol ? In.Symbol(Name) : std::nullopt);
  }

  uint64_t number() {
    const bool Hex =
        Text.substr(At).starts_with("0x") || Text.substr(At).starts_with("0X");
    if (Hex)
      At += 2;
    uint64_t Value = 0;
    auto [End, Error] = std::from_chars(
        Text.data() + At, Text.data() + Text.size(), Value, Hex ? 16 : 10);
    if (Error != std::errc())
      return fail();
    At = size_t(End - Text.data());
    if (At < Text.size() && (Text[At] == 'K' || Text[At] == 'M'))
      Value <<= Text[At++] == 'K' ? 10 : 20;
    while (At < Text.size() && (Text[At] == 'U' || Text[At] == 'L'))
      ++At;
    return Value;
  }

  std::string name() {
    skip();
    if (At < Text.size() && Text[At] == '"') {
      const size_t End = Text.find('"', At + 1);
      if (End == std::string_view::npos)
        return {};
      std::string Name(Text.substr(At + 1, End - At - 1));
      At = End + 1;
      return Name;
    }
    const size_t Begin = At;
    while (At < Text.size() && nameByte(Text[At]))
      ++At;
    return std::string(Text.substr(Begin, At - Begin));
  }

  uint64_t aligned(uint64_t Value, uint64_t To) {
    return To ? (Value + To - 1) / To * To : Value;
  }

  uint64_t call(const std::string &Name) {
    uint64_t Value = 0;
    if (Name == "ADDR" || Name == "LOADADDR")
      Value = known(In.AddressOf ? In.AddressOf(name()) : std::nullopt);
    else if (Name == "SIZEOF")
      Value = known(In.SizeOf ? In.SizeOf(name()) : std::nullopt);
    else if (Name == "DEFINED")
      Value = In.Symbol && In.Symbol(name()).has_value();
    else if (Name == "ABSOLUTE")
      Value = choice();
    else if (Name == "ALIGN" || Name == "BLOCK") {
      Value = choice();
      if (take(","))
        Value = aligned(Value, choice());
      else
        Value = aligned(In.Dot, Value);
    } else if (Name == "MAX" || Name == "MIN") {
      const uint64_t Left = choice();
      if (!take(","))
        return fail();
      const uint64_t Right = choice();
      Value = (Name == "MAX") == (Left > Right) ? Left : Right;
    } else if (Name == "CONSTANT") {
      // x86-64's, and most others'.
      Value = name().ends_with("PAGESIZE") ? 0x1000 : fail();
    } else if (Name == "SEGMENT_START") {
      name();
      Value = take(",") ? choice() : fail();
    } else if (Name == "DATA_SEGMENT_ALIGN") {
      const uint64_t Most = choice();
      if (!take(",") || !Most)
        return fail();
      choice();
      Value = aligned(In.Dot, Most) + (In.Dot & (Most - 1));
    } else if (Name == "DATA_SEGMENT_END") {
      Value = choice();
    } else {
      return fail();
    }
    return take(")") ? Value : fail();
  }

  std::string_view Text;
  const SymbolValues &In;
  size_t At = 0;
  bool Bad = false;
};

} // namespace

std::optional<uint64_t> evaluate(std::string_view Text,
                                 const SymbolValues &In) {
  return Parser(Text, In).all();
}

} // namespace kst
