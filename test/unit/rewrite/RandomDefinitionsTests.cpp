// SPDX-License-Identifier: GPL-2.0-or-later
//
// Definitions made by chance, put into orders made by chance, read back by the
// compiler: in each configuration that was known the fields must have the
// wanted order and offsets, in all others the same fields; comments must all
// be there once.

#include "analyzer/rewrite/Rewrite.h"
#include "analyzer/rewrite/VerifyPatched.h"
#include "hybrid/layout/Constraints.h"
#include "hybrid/layout/FieldOffsets.h"
#include "hybrid/layout/JoinedConfigs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

#include <random>

using namespace kst;

namespace {

class Generator {
public:
  explicit Generator(unsigned Seed, bool Structs = false)
      : Dice(Seed), Structs(Structs) {}

  std::string definition() {
    Out = "typedef unsigned long u64;\n\n/**\n * struct s - by chance\n"
          " */\nstruct s {\n";
    block(0, 3 + below(12));
    Out += "\tint the_end;\n} __attribute__((aligned(8)));\n\nint after;\n";
    return Out;
  }
  unsigned below(unsigned N) { return Dice() % N; }

private:
  void block(unsigned Depth, unsigned Elements) {
    for (unsigned I = 0; I != Elements; ++I) {
      if (below(4) == 0)
        Out += "\n";
      unsigned What = below(12);
      if (What < 3 && Depth < 3)
        conditional(Depth);
      else if (What == 3)
        Out += "\t/* remark " + next() + " */\n\n";
      else
        member();
    }
  }

  std::string condition() {
    std::string M(1, "ABC"[below(3)]), N(1, "ABC"[below(3)]);
    switch (below(5)) {
    case 0:
      return "#ifndef " + M;
    case 1:
      return "#if defined(" + M + ") && !defined(" + N + ")";
    case 2:
      return "#if !defined(" + M + ")";
    case 3:
      return "# if defined " + M + "\t/* yes */";
    default:
      return "#ifdef " + M;
    }
  }

  void conditional(unsigned Depth) {
    if (below(4) == 0)
      Out += "\t/* over a block " + next() + " */\n";
    Out += condition() + "\n";
    block(Depth + 1, below(4));
    while (below(5) == 0) {
      Out += "#elif defined(" + std::string(1, "ABC"[below(3)]) + ")\n";
      block(Depth + 1, below(3));
    }
    if (below(3) == 0) {
      Out += "#else\n";
      block(Depth + 1, below(3));
    }
    Out += below(2) ? "#endif\n" : "#endif /* end " + next() + " */\n";
  }

  void member() {
    static const char *const Types[] = {"int",    "char",      "u64",
                                        "void *", "short\t\t", "const char *"};
    if (below(4) == 0)
      Out += below(2) ? "\t/* about " + next() + " */\n"
                      : "\t/*\n\t * about " + next() + "\n\t * more\n\t */\n";
    std::string Type = Types[below(6)], Name = "m" + next();
    std::string Space = Type.back() == '*' ? "" : " ";
    switch (below(Structs ? 17 : 14)) {
    case 14:
    case 15:
    case 16:
      if (Inside == 2)
        break;
      ++Inside;
      Out += below(2) ? "\tstruct {\n" : "\tstruct\n\t{\n";
      Out += "\tint always" + Name + ";\n";
      block(2, 1 + below(4));
      Out += below(3) ? "\t};" : "\t} __attribute__((aligned(64)));";
      --Inside;
      break;
    case 0:
      Out += "\tunsigned " + Name + ":" + std::to_string(1 + below(9)) + ";";
      break;
    case 1:
      Out += "\tunsigned " + Name + ":3,\t/* first */\n\t\t\tn" + Name + ":2;";
      break;
    case 2:
      Out += "\tint\t*" + Name + ", p" + Name + "[3];";
      break;
    case 3:
      Out += "\tint (*" + Name + ")(int,\n\t\t\tstruct s *);";
      break;
    case 4:
      Out += "\tunion {\n\t\tint a" + Name + ";\n#ifdef A\n\t\tu64 b" + Name +
             "; /* inside */\n#endif\n\t};";
      break;
    case 5:
      Out += "\tstruct {\n\t\tchar a, b;\n\t} " + Name + ";";
      break;
    case 6:
      Out += "\t" + Type + Space + Name + " __attribute__((aligned(16)));";
      break;
    case 7:
      Out += "#define N" + Name + " 3\n\tchar " + Name + "[N" + Name + "];";
      break;
    case 8:
      Out += "\t" + Type + Space + Name + "; char x" + Name + ";";
      break;
    default:
      Out += "\t" + Type + Space + Name + ";";
    }
    switch (below(6)) {
    case 0:
      Out += "\t/* of " + Name + " */";
      break;
    case 1:
      Out += "\t/* of " + Name + "\n\t\t\t\t * still */";
      break;
    case 2:
      Out += "\n\t\t\t\t/* below " + Name + " */";
      break;
    }
    Out += "\n";
  }

  std::string next() { return std::to_string(++Counter); }

  std::mt19937 Dice;
  unsigned Counter = 0;
  const bool Structs; ///< with anonymous ones
  unsigned Inside = 0;
  std::string Out;
};

/// All comments outside of directives, sorted.
std::vector<std::string> comments(llvm::StringRef Text) {
  std::vector<std::string> All;
  for (size_t At = 0; (At = Text.find("/*", At)) != llvm::StringRef::npos;) {
    size_t End = Text.find("*/", At) + 2;
    size_t Line = Text.rfind('\n', At) + 1;
    if (!Text.substr(Line).starts_with("#"))
      All.push_back(Text.slice(At, End).str());
    At = End;
  }
  llvm::sort(All);
  return All;
}

ProbeUnit unit(unsigned Config) {
  ProbeUnit Unit;
  Unit.Directory = "/";
  Unit.Args = {"--target=x86_64-linux-gnu", "-nostdinc"};
  for (unsigned Bit = 0; Bit != 3; ++Bit)
    if (Config & (1 << Bit))
      Unit.Args.push_back(std::string("-D") + "ABC"[Bit]);
  Unit.Args.push_back("/virtual/u.c");
  return Unit;
}

std::vector<OverlayFile> files(const std::string &Text) {
  return {{"/virtual/u.c", "#include \"s.h\"\n"}, {"/virtual/s.h", Text}};
}

RecordInfo probe(unsigned Config, const std::string &Text) {
  auto Found = recordsOf(unit(Config), "/virtual", {"s"}, "s.h", files(Text));
  if (!Found) {
    ADD_FAILURE() << llvm::toString(Found.takeError()) << "\n" << Text;
    return {};
  }
  EXPECT_EQ(Found->size(), 1u) << Text;
  return Found->empty() ? RecordInfo() : Found->front();
}

std::vector<std::string> sortedNames(const RecordInfo &Record) {
  std::vector<std::string> Names;
  for (const FieldInfo &Field : Record.Fields)
    Names.push_back(Field.Name);
  llvm::sort(Names);
  return Names;
}

std::vector<uint32_t> shuffled(const Constraints &Rules, Generator &Dice) {
  std::vector<uint32_t> Order;
  for (uint32_t U = 0; U != Rules.bricks().size(); ++U)
    Order.push_back(U);
  for (unsigned Tries = 1 + Dice.below(30); Tries; --Tries) {
    uint32_t From = Dice.below(Order.size());
    uint32_t Begin = Rules.zoneBegin(Order[From]);
    uint32_t End = Rules.zoneEnd(Order[From]), Length = 1;
    // Some struct as a whole, mostly illegally.
    if (Rules.floats() && Dice.below(2))
      for (const MoveUnitGroup &G : Rules.groups())
        if (G.Begin <= Order[From] && Order[From] < G.End)
          Length = G.End - G.Begin;
    if (From + Length > End)
      continue;
    uint32_t To = Begin + Dice.below(End - Begin - Length + 1);
    std::vector<uint32_t> Next = Order;
    Next.erase(Next.begin() + From, Next.begin() + From + Length);
    Next.insert(Next.begin() + To, Order.begin() + From,
                Order.begin() + From + Length);
    if (Rules.legal(Next))
      Order = Next;
  }
  return Rules.fields(Order);
}

/// True if an order was written and everything about it holds.
bool tryOne(unsigned Seed, bool Structs) {
  Generator Dice(Seed, Structs);
  const std::string Text = Dice.definition();
  std::vector<unsigned> Known;
  for (unsigned Left = 1 + Dice.below(3); Left; --Left)
    Known.push_back(Dice.below(8));
  std::vector<AffinityEvidence> Evidence(Known.size());
  for (size_t I = 0; I != Known.size(); ++I)
    Evidence[I].Record = probe(Known[I], Text);
  auto Joined = joinConfigs(std::move(Evidence));
  EXPECT_TRUE(bool(Joined)) << Joined.error() << Text;
  if (!Joined)
    return false;
  auto Of = Definition::parse(Text, Joined->Joint);
  if (!Of) {
    ADD_FAILURE() << llvm::toString(Of.takeError()) << "\n" << Text;
    return false;
  }
  EXPECT_FALSE(Of->hasAllFixed()) << Of->rules().back().Why << Text;
  ConstraintOptions How;
  How.Rules = Of->rules();
  Constraints Rules(Joined->Joint, How);
  std::vector<uint32_t> Order = shuffled(Rules, Dice);
  auto Made = rewrite(*Of, Order);
  if (!Made) {
    ADD_FAILURE() << llvm::toString(Made.takeError()) << "\n" << Text;
    return false;
  }
  EXPECT_EQ(comments(Text), comments(Made->Text)) << Text << Made->Text;
  EXPECT_EQ(Made->Text.find("\t\n"), std::string::npos);
  EXPECT_EQ(Made->Text.find(" \n"), std::string::npos);
  for (size_t I = 0; I != Known.size(); ++I) {
    const RecordInfo &Record = Joined->Configs[I].Record;
    llvm::Error E =
        verifyPatched(unit(Known[I]), "/virtual", Record,
                      FieldOffsets(Record).layout(Order), files(Made->Text));
    EXPECT_FALSE(bool(E)) << "config " << Known[I] << ": "
                          << llvm::toString(std::move(E)) << "\n"
                          << Text << Made->Text;
  }
  for (unsigned Config = 0; Config != 8; ++Config)
    EXPECT_EQ(sortedNames(probe(Config, Text)),
              sortedNames(probe(Config, Made->Text)))
        << "config " << Config << "\n"
        << Text << Made->Text;
  return !llvm::is_sorted(Order);
}

TEST(RandomDefinitions, GetTheWantedOrderInEveryConfiguration) {
  unsigned Moved = 0;
  constexpr unsigned Definitions = 150;
  for (unsigned Seed = 1; Seed <= Definitions && !HasFailure(); ++Seed) {
    SCOPED_TRACE(Seed);
    Moved += tryOne(Seed, false);
  }
  EXPECT_GT(Moved, Definitions / 2);
}

TEST(RandomDefinitions, WithAnonymousStructsToo) {
  unsigned Moved = 0;
  constexpr unsigned Definitions = 200;
  for (unsigned Seed = 1; Seed <= Definitions && !HasFailure(); ++Seed) {
    SCOPED_TRACE(Seed);
    Moved += tryOne(Seed, true);
  }
  EXPECT_GT(Moved, Definitions / 2);
}

} // namespace
