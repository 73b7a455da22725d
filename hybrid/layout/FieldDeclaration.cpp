// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/FieldDeclaration.h"

#include "hybrid/core/Words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <vector>

namespace kst {

namespace {

std::vector<std::string> tokensOf(const std::string &Text) {
  std::vector<std::string> Tokens;
  bool InWord = false;
  for (char C : Text) {
    bool Word = isWordChar(C);
    if (Word && InWord)
      Tokens.back() += C;
    else if (!std::isspace(static_cast<unsigned char>(C)))
      Tokens.emplace_back(1, C);
    InWord = Word;
  }
  return Tokens;
}

bool isWord(const std::string &Token) {
  return isWordChar(Token[0]) &&
         !std::isdigit(static_cast<unsigned char>(Token[0]));
}

/// Decimal, octal or hexadecimal as in C, with or without a suffix u or l.
std::optional<uint64_t> numberOf(std::string Token) {
  while (!Token.empty() &&
         std::string_view("uUlL").find(Token.back()) != std::string_view::npos)
    Token.pop_back();
  int Base = 10;
  size_t Skip = 0;
  if (Token.starts_with("0x") || Token.starts_with("0X")) {
    Base = 16;
    Skip = 2;
  } else if (Token.size() > 1 && Token[0] == '0') {
    Base = 8;
  }
  uint64_t Value = 0;
  auto [End, Error] = std::from_chars(Token.data() + Skip,
                                      Token.data() + Token.size(), Value, Base);
  if (Error != std::errc() || End != Token.data() + Token.size() ||
      Token.size() == Skip)
    return std::nullopt;
  return Value;
}

template <size_t N>
bool oneOf(const std::string &Word, const std::array<const char *, N> &List) {
  return std::ranges::find(List, Word) != List.end();
}

/// Words that do not change the size of what they stand before.
bool isQualifier(const std::string &Word) {
  return oneOf(Word,
               std::array{"const", "volatile", "__rcu", "__percpu", "__user",
                          "__iomem", "__kernel", "__force", "__private"});
}

/// Names of <linux/types.h> and the C types that are one word.
std::optional<TypeShape> namedShape(const std::string &Type,
                                    const DataModel &Target) {
  auto Plain = [](uint32_t Bytes) { return TypeShape{Bytes, Bytes}; };
  if (oneOf(Type, std::array{"u8", "s8", "__u8", "__s8", "u_int8_t", "uint8_t",
                             "int8_t", "bool", "_Bool", "char", "u_char"}))
    return Plain(1);
  if (oneOf(Type, std::array{"u16", "s16", "__u16", "__s16", "__le16", "__be16",
                             "uint16_t", "int16_t", "short", "u_short"}))
    return Plain(2);
  if (oneOf(Type,
            std::array{"u32", "s32", "__u32", "__s32", "__le32", "__be32",
                       "uint32_t", "int32_t", "int", "uint", "u_int", "gfp_t"}))
    return Plain(4);
  if (oneOf(Type, std::array{"u64", "s64", "__u64", "__s64", "__le64", "__be64",
                             "uint64_t", "int64_t", "loff_t"}))
    return TypeShape{8, Target.AlignOf64};
  if (oneOf(Type, std::array{"long", "ulong", "u_long"}))
    return Plain(Target.Long);
  if (oneOf(Type, std::array{"size_t", "ssize_t", "ptrdiff_t", "uintptr_t"}))
    return Plain(Target.Pointer);
  return std::nullopt;
}

/// `unsigned long int` and the like; nothing if a word is none of C's.
std::optional<TypeShape> integerShape(const std::vector<std::string> &Words,
                                      const DataModel &Target) {
  unsigned Long = 0, Short = 0, Char = 0, Int = 0, Sign = 0;
  for (const std::string &Word : Words) {
    Long += Word == "long";
    Short += Word == "short";
    Char += Word == "char";
    Int += Word == "int";
    Sign += Word == "unsigned" || Word == "signed";
  }
  if (Long + Short + Char + Int + Sign != Words.size() || Sign > 1 || Int > 1 ||
      Short + Char > 1 || Long > 2 || (Long && Short + Char) || (Char && Int))
    return std::nullopt;
  if (Char)
    return TypeShape{1, 1};
  if (Short)
    return TypeShape{2, 2};
  if (Long == 2)
    return TypeShape{8, Target.AlignOf64};
  if (Long)
    return TypeShape{Target.Long, Target.Long};
  return TypeShape{4, 4};
}

/// One declaration, token by token.
class Parser {
public:
  Parser(const std::string &Text, const std::string &Triple,
         const TypeLookup &Lookup, const StatedShape &Stated)
      : Text(Text), Triple(Triple), Lookup(Lookup), Stated(Stated),
        Tokens(tokensOf(Text)) {}

  Result<FieldInfo> run() {
    while (!Tokens.empty() && Tokens.back() == ";")
      Tokens.pop_back();
    if (!declarator())
      return Failure{Error};
    if (!shape())
      return Failure{Error};
    return Field;
  }

private:
  bool fail(const std::string &Why) {
    Error = "'" + Text + "': " + Why;
    return false;
  }

  bool is(const char *Token) const {
    return At < Tokens.size() && Tokens[At] == Token;
  }

  /// Type words, then `*`s, the name, and what follows it.
  bool declarator() {
    while (At < Tokens.size() && isWord(Tokens[At])) {
      if (!isQualifier(Tokens[At]))
        Words.push_back(Tokens[At]);
      ++At;
    }
    bool Name = false;
    if (is("*") || is("("))
      Field.Pointer = true;
    if (is("("))
      return functionPointer();
    while (At < Tokens.size() &&
           (is("*") || (Field.Pointer && isQualifier(Tokens[At])))) {
      Stars += is("*");
      ++At;
    }
    if (Field.Pointer && At < Tokens.size() && isWord(Tokens[At])) {
      Field.Name = Tokens[At++];
      Name = true;
    }
    if (!Name && !Field.Pointer && Words.size() > 1) {
      Field.Name = Words.back();
      Words.pop_back();
      Name = Words.size() > 1 || (Words[0] != "struct" && Words[0] != "union" &&
                                  Words[0] != "enum");
    }
    if (Words.empty() || !Name)
      return fail("expected a type and a name, as in 'u64 foo'");
    return suffix();
  }

  /// TYPE (*NAME)(...): a pointer whatever it points to.
  bool functionPointer() {
    size_t NameAt = At + 2;
    if (Words.empty() || NameAt + 1 >= Tokens.size() || Tokens[At + 1] != "*" ||
        !isWord(Tokens[NameAt]) || Tokens[NameAt + 1] != ")" ||
        Tokens.back() != ")")
      return fail("expected a pointer to a function as in 'int (*foo)(void)'");
    Field.Name = Tokens[NameAt];
    Field.TypeName = Text;
    return true;
  }

  bool suffix() {
    while (is("[")) {
      if (At + 2 >= Tokens.size() || Tokens[At + 2] != "]")
        return fail("the length of an array must be one number; otherwise "
                    "give a plain type with --size and --align");
      std::optional<uint64_t> Length = numberOf(Tokens[At + 1]);
      if (!Length || *Length == 0 || *Length > MaxBytes)
        return fail("'" + Tokens[At + 1] +
                    "' is not the length of an array; write a number, or give "
                    "--size and --align for a plain type");
      Lengths += "[" + Tokens[At + 1] + "]";
      Count *= *Length;
      if (Count > MaxBytes)
        return fail("the array is too large");
      At += 3;
    }
    if (is(":")) {
      std::optional<uint64_t> Width;
      if (At + 1 < Tokens.size())
        Width = numberOf(Tokens[At + 1]);
      if (!Width || *Width == 0 || Count != 1 || Field.Pointer)
        return fail("expected the width of a bit-field, as in 'u32 foo:3'");
      Field.BitField = true;
      Field.SizeBits = *Width;
      At += 2;
    }
    if (At != Tokens.size())
      return fail("'" + Tokens[At] +
                  "' is not understood; attributes are "
                  "said with --size and --align");
    return true;
  }

  std::string typeText() const {
    std::string Type;
    for (const std::string &Word : Words)
      Type += (Type.empty() ? "" : " ") + Word;
    return Type;
  }

  std::optional<TypeShape> typeShape() {
    std::optional<DataModel> Target = dataModelOf(Triple);
    if (Field.Pointer) {
      if (!Target)
        return std::nullopt;
      return TypeShape{Target->Pointer, Target->Pointer};
    }
    if (Target) {
      if (std::optional<TypeShape> C = integerShape(Words, *Target))
        return C;
      if (Words.size() == 1)
        if (std::optional<TypeShape> Named = namedShape(Words[0], *Target))
          return Named;
    }
    Result<std::optional<TypeShape>> Known = Lookup(typeText());
    if (!Known) {
      Error = Known.error();
      return std::nullopt;
    }
    if (!*Known && Target && Words[0] == "enum")
      return TypeShape{4, 4}; // an int unless its values need more
    return *Known;
  }

  bool shape() {
    if (Field.TypeName.empty()) {
      Field.TypeName = typeText();
      if (Stars)
        Field.TypeName.append(1, ' ').append(Stars, '*');
      Field.TypeName += Lengths;
    }
    std::optional<TypeShape> Shape = typeShape();
    if (!Shape) {
      if (!Stated.SizeBytes || !Stated.AlignBytes)
        return fail((Error.empty() ? "the size of '" + typeText() +
                                         (Field.Pointer ? " *" : "") +
                                         "' is not known here"
                                   : Error) +
                    "; give --size and --align");
      Shape = TypeShape{Stated.SizeBytes, Stated.AlignBytes};
      Count = 1;
    } else if (Stated.SizeBytes) {
      Shape->SizeBytes = Stated.SizeBytes;
      Count = 1;
    }
    Error.clear();
    if (Shape->SizeBytes * Count > MaxBytes)
      return fail("it is larger than " + std::to_string(MaxBytes >> 20) +
                  " MiB");
    Field.AlignBytes = std::max(1u, Shape->AlignBytes);
    if (Stated.AlignBytes > Field.AlignBytes ||
        (Stated.SizeBytes && Stated.AlignBytes))
      Field.ExplicitAlignBytes = Field.AlignBytes = Stated.AlignBytes;
    if (Field.BitField) {
      Field.StorageUnitBits = static_cast<uint32_t>(8 * Shape->SizeBytes);
      if (Field.SizeBits > Field.StorageUnitBits)
        return fail("a bit-field of " + std::to_string(Field.SizeBits) +
                    " bits does not fit its type");
      return true;
    }
    Field.SizeBits = 8 * Shape->SizeBytes * Count;
    Field.ZeroSize = Field.SizeBits == 0;
    return true;
  }

  static constexpr uint64_t MaxBytes = 16 << 20;
  const std::string &Text, &Triple;
  const TypeLookup &Lookup;
  const StatedShape &Stated;
  std::vector<std::string> Tokens, Words;
  size_t At = 0;
  size_t Stars = 0;
  uint64_t Count = 1;
  std::string Lengths;
  FieldInfo Field;
  std::string Error;
};

} // namespace

std::optional<DataModel> dataModelOf(const std::string &Triple) {
  const std::string Arch = Triple.substr(0, Triple.find('-'));
  if (Arch == "x86_64" && Triple.ends_with("x32"))
    return std::nullopt;
  if (oneOf(Arch, std::array{"x86_64", "aarch64", "aarch64_be", "riscv64",
                             "powerpc64", "powerpc64le", "s390x", "mips64",
                             "mips64el", "loongarch64", "sparcv9"}))
    return DataModel{8, 8, 8};
  if (Arch.size() == 4 && Arch[0] == 'i' && Arch.ends_with("86"))
    return DataModel{4, 4, 4};
  if (Arch.starts_with("arm") || Arch.starts_with("thumb") ||
      oneOf(Arch, std::array{"riscv32", "powerpc", "mips", "mipsel"}))
    return DataModel{4, 4, 8};
  return std::nullopt;
}

Result<FieldInfo> parseDeclaration(const std::string &Text,
                                   const std::string &Triple,
                                   const TypeLookup &Lookup,
                                   const StatedShape &Stated) {
  return Parser(Text, Triple, Lookup, Stated).run();
}

} // namespace kst
