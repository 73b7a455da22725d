// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/request/StructLookup.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

StructAnswer lookUp(const std::string &Asked, const Texts &Files) {
  StructLookup Lookup(std::vector<std::string>{Asked});
  for (const auto &[File, Text] : Files)
    Lookup.look(File, Text);
  return Lookup.answers({"queue", "other"}).front();
}

TEST(StructLookup, ADefinitionInAnyFile) {
  const StructAnswer Found =
      lookUp("s", {{"a.c", "struct s *p;"}, {"b.h", "struct s { int a; };"}});
  EXPECT_EQ(Found.Mistake, "");
  EXPECT_TRUE(Found.Defined);
  EXPECT_EQ(Found.Name, "s");
}

TEST(StructLookup, IsDoneWhenAllAreFound) {
  StructLookup Lookup(std::vector<std::string>{"s", "t"});
  Lookup.look("a.h", "struct s { int a; };");
  EXPECT_FALSE(Lookup.done());
  Lookup.look("b.h", "union t { int a; };");
  EXPECT_TRUE(Lookup.done());
}

TEST(StructLookup, NoneAnywhereIsAMistake) {
  EXPECT_EQ(lookUp("queu", {{"a.c", "int queu(void);"}}).Mistake,
            "no file of base or head defines struct or union 'queu'; did you "
            "mean 'queue'?");
  EXPECT_EQ(lookUp("nosuchthing", {}).Mistake,
            "no file of base or head defines struct or union 'nosuchthing'");
}

TEST(StructLookup, AMacroMayDefineIt) {
  const StructAnswer Pasted = lookUp(
      "made_one", {{"a.h", "#define MAKE(x) struct made_##x { int a; }"}});
  EXPECT_EQ(Pasted.Mistake, "");
  EXPECT_FALSE(Pasted.Defined);
  const StructAnswer Used = lookUp("s", {{"a.c", "DEFINE(s); struct s *p;"}});
  EXPECT_EQ(Used.Mistake, "");
  EXPECT_FALSE(Used.Defined);
}

TEST(StructLookup, AFileThatIsNamed) {
  const Texts Files = {{"a/one.h", "struct s { int a; };"},
                       {"b/two.h", "struct t { int a; };"}};
  EXPECT_EQ(lookUp("s@one.h", Files).Mistake, "");
  EXPECT_EQ(lookUp("s@one.h:7", Files).Name, "s@one.h:7");
  EXPECT_EQ(lookUp("s@two.h", Files).Mistake,
            "no definition of struct 's' in two.h; there is:\n  s@a/one.h");
}

TEST(StructLookup, ATypedefStandsForItsTag) {
  const Texts Files = {{"a.h", "typedef struct _s { int a; } s, *sp;"}};
  EXPECT_EQ(lookUp("s", Files).Name, "_s");
  EXPECT_TRUE(lookUp("s", Files).Defined);
  EXPECT_EQ(lookUp("sp", Files).Mistake,
            "'sp' is no struct but leads to struct '_s'; say --struct _s");
  EXPECT_EQ(lookUp("bare", {{"a.h", "typedef struct { int a; } bare;"}}).Name,
            "bare");
}

} // namespace
