// SPDX-License-Identifier: GPL-2.0-or-later
//
// Predicted offsets against the compilers themselves: random records, random
// orders, three targets. clang says where every field lies, bit-fields and
// unnamed ones included (-fdump-record-layouts-simple); the host's C compiler
// checks named fields by offsetof.

#include "Records.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include <unistd.h>

using namespace kst;
using namespace kst::test;

namespace {

struct Target {
  const char *Triple;
  uint32_t WordBytes;
};

/// A field as C spells it: Before name After.
struct CField {
  FieldInfo Info;
  std::string Before, After;
};

struct CRecord {
  RecordInfo Info;
  std::vector<CField> Fields;
  bool Flexible = false;
};

struct Scalar {
  const char *Name;
  uint32_t Bytes; ///< 0: a word
};
const Scalar Scalars[] = {{"unsigned char", 1}, {"unsigned short", 2},
                          {"unsigned int", 4},  {"unsigned long long", 8},
                          {"unsigned long", 0}, {"void *", 0}};

CField randomField(std::mt19937 &Rng, const Target &T, bool RecordPacked,
                   size_t Number, bool InUnion) {
  CField C;
  C.Info.Name = "f" + std::to_string(Number);
  uint32_t TypeAlign = 1;
  const Scalar &S = Scalars[Rng() % 6];
  uint32_t Bytes = S.Bytes ? S.Bytes : T.WordBytes;
  uint32_t Kind = Rng() % 12;
  if (Kind < 5 && S.Name != Scalars[5].Name) { // a bit-field
    C.Info.BitField = true;
    C.Info.StorageUnitBits = 8 * Bytes;
    C.Info.SizeBits = Rng() % 6 ? 1 + Rng() % (8 * Bytes) : 0;
    if (C.Info.SizeBits == 0 || (Rng() % 5 == 0 && !InUnion))
      C.Info.Name.clear();
    C.Before = S.Name;
    C.After = " : " + std::to_string(C.Info.SizeBits);
    TypeAlign = Bytes;
  } else if (Kind == 5) {
    C.Before = "struct inner";
    C.Info.SizeBits = 96;
    TypeAlign = 4;
  } else if (Kind == 6) {
    C.Before = "struct nothing";
    C.Info.SizeBits = 0;
    C.Info.ZeroSize = true;
    TypeAlign = 1;
  } else if (Kind == 7) {
    uint32_t Count = Rng() % 40;
    C.Before = S.Name;
    C.After = "[" + std::to_string(Count) + "]";
    C.Info.SizeBits = 8ull * Bytes * Count;
    C.Info.ZeroSize = !Count;
    TypeAlign = Bytes;
  } else {
    C.Before = S.Name;
    C.Info.SizeBits = 8ull * Bytes;
    TypeAlign = Bytes;
  }
  if (Rng() % 6 == 0) {
    C.Info.Packed = true;
    C.After += " __attribute__((packed))";
  }
  if (Rng() % 7 == 0 && C.Info.SizeBits) {
    uint32_t Align = 1u << (Rng() % 7);
    C.Info.ExplicitAlignBytes = Align;
    C.After += " __attribute__((aligned(" + std::to_string(Align) + ")))";
  }
  // The contract of FieldInfo::AlignBytes.
  C.Info.AlignBytes = std::max(C.Info.Packed || RecordPacked ? 1 : TypeAlign,
                               C.Info.ExplicitAlignBytes);
  return C;
}

CRecord randomCRecord(std::mt19937 &Rng, const Target &T) {
  CRecord R;
  R.Info.Packed = Rng() % 5 == 0;
  R.Info.Union = Rng() % 8 == 0;
  size_t Count = 2 + Rng() % 12;
  for (size_t I = 0; I < Count; ++I)
    R.Fields.push_back(randomField(Rng, T, R.Info.Packed, I, R.Info.Union));
  if (!R.Info.Union && Rng() % 5 == 0) {
    CField C;
    C.Info = field("tail", 0, R.Info.Packed ? 1 : 2);
    C.Info.FlexibleArray = true;
    C.Before = "unsigned short";
    C.After = "[]";
    R.Fields.push_back(C);
    R.Flexible = true;
  }
  for (const CField &C : R.Fields)
    R.Info.Fields.push_back(C.Info);
  return R;
}

/// The definition with its fields in this order.
std::string define(const CRecord &R, const std::vector<uint32_t> &Order,
                   const std::string &Name) {
  std::string Text = (R.Info.Union ? "union " : "struct ") + Name + " {\n";
  for (uint32_t F : Order)
    Text += "  " + R.Fields[F].Before + " " + R.Info.Fields[F].Name +
            R.Fields[F].After + ";\n";
  return Text + "}" + (R.Info.Packed ? " __attribute__((packed))" : "") + ";\n";
}

struct Dumped {
  std::vector<uint64_t> OffsetBits;
  uint64_t SizeBits = 0, AlignBits = 0;
};

std::string run(const std::string &Command) {
  std::string Text;
  std::FILE *Pipe = popen(Command.c_str(), "r");
  if (!Pipe)
    return "popen failed";
  char Buffer[4096];
  while (size_t Got = std::fread(Buffer, 1, sizeof Buffer, Pipe))
    Text.append(Buffer, Got);
  if (int Status = pclose(Pipe))
    Text += "\nexit status " + std::to_string(Status);
  return Text;
}

/// By record name, from clang's dump.
std::map<std::string, Dumped> parseDump(const std::string &Text) {
  std::map<std::string, Dumped> Found;
  std::istringstream In(Text);
  std::string Line, Name;
  auto Number = [&](const char *Key) {
    return std::stoull(Line.substr(Line.find(Key) + std::strlen(Key)));
  };
  while (std::getline(In, Line)) {
    if (Line.rfind("Type: ", 0) == 0)
      Name = Line.substr(Line.rfind(' ') + 1);
    else if (Line.rfind("  Size:", 0) == 0)
      Found[Name].SizeBits = Number("Size:");
    else if (Line.rfind("  Alignment:", 0) == 0)
      Found[Name].AlignBits = Number("Alignment:");
    else if (Line.rfind("  FieldOffsets: [", 0) == 0) {
      std::istringstream List(Line.substr(17, Line.find(']') - 17));
      std::string Item;
      while (std::getline(List, Item, ','))
        Found[Name].OffsetBits.push_back(std::stoull(Item));
    }
  }
  return Found;
}

class CompilerOffsets : public testing::TestWithParam<Target> {
protected:
  struct Case {
    CRecord Record;
    std::vector<uint32_t> Order;
    std::string Name;
  };

  /// Random records, each in declaration order and in three others.
  std::vector<Case> cases() {
    std::mt19937 Rng(20240607);
    std::vector<Case> Cases;
    for (size_t I = 0; I < 250; ++I) {
      CRecord R = randomCRecord(Rng, GetParam());
      std::vector<uint32_t> Order(R.Fields.size());
      std::iota(Order.begin(), Order.end(), 0u);
      for (size_t J = 0; J < 4; ++J) {
        std::string Name = "r";
        Name += std::to_string(I) + "_" + std::to_string(J);
        Cases.push_back({R, Order, Name});
        std::shuffle(Order.begin(), Order.end() - R.Flexible, Rng);
      }
    }
    return Cases;
  }

  std::string write(const std::string &Text) {
    // Each test runs in a process of its own, several at once.
    std::string Path =
        testing::TempDir() + "kst-offsets-" + std::to_string(getpid()) + ".c";
    std::ofstream(Path) << Text;
    return Path;
  }
  static constexpr const char *Preamble =
      "struct inner { int a, b; char c; };\nstruct nothing {};\n";
};

TEST_P(CompilerOffsets, EqualClangs) {
  std::vector<Case> Cases = cases();
  std::string Text = Preamble;
  for (const Case &C : Cases)
    Text += define(C.Record, C.Order, C.Name) + "int use_" + C.Name +
            "[sizeof(" + (C.Record.Info.Union ? "union " : "struct ") + C.Name +
            ") + 1];\n";
  std::string Out =
      run(std::string(KST_CLANG) + " -target " + GetParam().Triple +
          " -fsyntax-only -w -Xclang "
          "-fdump-record-layouts-simple " +
          write(Text) + " 2>&1");
  std::map<std::string, Dumped> Found = parseDump(Out);
  ASSERT_GE(Found.size(), Cases.size()) << Out.substr(0, 2000);
  for (const Case &C : Cases) {
    const Dumped &Clang = Found[C.Name];
    RecordInfo R = C.Record.Info;
    R.AlignBytes = static_cast<uint32_t>(Clang.AlignBits / 8);
    Layout Ours = FieldOffsets(R).layout(C.Order);
    std::vector<uint64_t> InOrder;
    for (uint32_t F : C.Order)
      InOrder.push_back(Ours.OffsetBits[F]);
    ASSERT_EQ(InOrder, Clang.OffsetBits) << define(C.Record, C.Order, C.Name);
    ASSERT_EQ(Ours.SizeBytes * 8, Clang.SizeBits)
        << define(C.Record, C.Order, C.Name);
  }
}

TEST_P(CompilerOffsets, OrderNeverChangesTheAlignment) {
  std::vector<Case> Cases = cases();
  std::string Text = Preamble;
  for (const Case &C : Cases) {
    std::string Tag = C.Record.Info.Union ? "union " : "struct ";
    std::string First = C.Name.substr(0, C.Name.find('_')) + "_0";
    Text += define(C.Record, C.Order, C.Name) + "_Static_assert(_Alignof(" +
            Tag + C.Name + ") == _Alignof(" + Tag + First + "), \"\");\n";
  }
  EXPECT_EQ(run(std::string(KST_CLANG) + " -target " + GetParam().Triple +
                " -fsyntax-only -w " + write(Text) + " 2>&1"),
            "");
}

/// The members of one struct in a random order, its inner structs in theirs.
void shuffleInside(const RecordInfo &R, uint32_t Group, std::mt19937 &Rng,
                   std::vector<uint32_t> &Order) {
  std::vector<std::vector<uint32_t>> Members;
  for (uint32_t F = 0; F < R.Fields.size(); ++F) {
    uint32_t G = R.Fields[F].Group, Child = NoGroup;
    if (!isInside(R, G, Group))
      continue;
    for (; G != Group; G = R.Groups[G].Parent)
      Child = G;
    if (Child == NoGroup) {
      Members.push_back({F});
    } else if (groupFields(R, Child).first == F) {
      Members.emplace_back();
      shuffleInside(R, Child, Rng, Members.back());
    }
  }
  std::shuffle(Members.begin(), Members.end(), Rng);
  for (const std::vector<uint32_t> &M : Members)
    Order.insert(Order.end(), M.begin(), M.end());
}

/// The definition with braces around its anonymous structs.
std::string defineNested(const CRecord &R, const std::vector<uint32_t> &Order,
                         const std::string &Name) {
  std::string Text = "struct " + Name + " {\n";
  uint32_t Within = NoGroup;
  auto Enter = [&](auto &Self, uint32_t To) -> void {
    if (To == Within)
      return;
    Self(Self, R.Info.Groups[To].Parent);
    Text += "struct {\n";
  };
  auto Leave = [&](uint32_t To) {
    for (; !isInside(R.Info, To, Within);
         Within = R.Info.Groups[Within].Parent) {
      uint32_t Align = R.Info.Groups[Within].ExplicitAlignBytes;
      Text += "}";
      if (Align)
        Text += " __attribute__((aligned(" + std::to_string(Align) + ")))";
      Text += ";\n";
    }
  };
  for (uint32_t F : Order) {
    uint32_t To = R.Info.Fields[F].Group;
    Leave(To);
    Enter(Enter, To);
    Within = To;
    Text += "  " + R.Fields[F].Before + " " + R.Info.Fields[F].Name +
            R.Fields[F].After + ";\n";
  }
  Leave(NoGroup);
  return Text + "};\n";
}

/// Offsets inside of anonymous structs, their own alignment and their padding.
TEST_P(CompilerOffsets, OfAnonymousStructsEqualClangs) {
  std::mt19937 Rng(20261122);
  std::string Text = Preamble;
  auto Assert = [&](const std::string &What, uint64_t Value) {
    Text += "_Static_assert(" + What + " == " + std::to_string(Value) +
            ", \"\");\n";
  };
  for (size_t I = 0; I < 1000; ++I) {
    CRecord R;
    for (size_t F = 0, Count = 3 + Rng() % 10; F < Count; ++F) {
      CField C = randomField(Rng, GetParam(), false, F, false);
      if (C.Info.Name.empty()) // unnamed bit-fields are the other test's
        continue;
      R.Fields.push_back(C);
      R.Info.Fields.push_back(C.Info);
    }
    if (R.Fields.empty())
      continue;
    R.Info = record(R.Info.Fields, 0,
                    randomStructs(Rng, static_cast<uint32_t>(R.Fields.size())));
    for (size_t J = 0; J < 3; ++J) {
      std::vector<uint32_t> Order = declarationOrder(R.Info);
      if (J) {
        Order.clear();
        shuffleInside(R.Info, NoGroup, Rng, Order);
      }
      std::string Name = "n";
      Name += std::to_string(I) + "_" + std::to_string(J);
      Layout Ours = FieldOffsets(R.Info).layout(Order);
      Text += defineNested(R, Order, Name);
      Assert("sizeof(struct " + Name + ")", Ours.SizeBytes);
      Assert("_Alignof(struct " + Name + ")", R.Info.AlignBytes);
      for (uint32_t F = 0; F < Order.size(); ++F)
        if (!R.Info.Fields[F].BitField)
          Assert("__builtin_offsetof(struct " + Name + ", " +
                     R.Info.Fields[F].Name + ")",
                 Ours.OffsetBits[F] / 8);
    }
  }
  EXPECT_EQ(run(std::string(KST_CLANG) + " -target " + GetParam().Triple +
                " -fsyntax-only -w " + write(Text) + " 2>&1 | head -c 2000"),
            "");
}

INSTANTIATE_TEST_SUITE_P(Targets, CompilerOffsets,
                         testing::Values(Target{"x86_64-linux-gnu", 8},
                                         Target{"aarch64-linux-gnu", 8},
                                         Target{"arm-linux-gnueabi", 4}),
                         [](const auto &Info) {
                           return std::string(Info.param.Triple,
                                              strcspn(Info.param.Triple, "-"));
                         });

} // namespace
