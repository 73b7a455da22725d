// SPDX-License-Identifier: GPL-2.0-or-later
//
// Profiles of one version of a program used for another.

#include "hybrid/evidence/ProfileMatch.h"
#include "hybrid/profile/ProfileCheck.h"
#include "hybrid/profile/ProfileFit.h"
#include "test/unit/evidence/MeasuredProgram.h"

#include <random>

using namespace kst;

namespace {

/// What an instrumented run of the program would leave: each access of
/// `struct s` that the source has is a site with a count of its own.
Profile ranAs(const MeasuredProgram &Of, bool Names) {
  ProfileBuilder Out;
  std::vector<MeasuredElement> Elements;
  for (const FieldInfo &F : Of.Record.Fields)
    if (!F.BitField)
      Elements.push_back(
          {uint32_t(F.OffsetBits / 8), uint32_t(F.SizeBits / 8)});
  const uint32_t Struct = Out.structure("s", Of.Record.SizeBytes, Elements);
  if (Names)
    for (const FieldInfo &F : Of.Record.Fields)
      for (const std::string &Name :
           F.Members.empty() ? std::vector{F.Name} : F.Members)
        Out.member(Struct, F.OffsetBits, F.SizeBits, Name);
  AccessPlaces Places(*Of.Whole, Of.Record);
  uint64_t Count = 1000;
  for (FunctionId Id = 0; Id != Of.Whole->Functions.size(); ++Id) {
    const LinkedFunction &Function = Of.Whole->Functions[Id];
    MeasuredSite Site;
    Site.Function =
        Out.text(Of.Whole->text(Function.Unit, Function.Fact->Name));
    Site.File = Out.text("../main.c");
    Site.Line = Function.Fact->Line;
    Site.Kind = SiteKind::Entry;
    Site.Count = ++Count;
    Out.site(Site);
    for (const AccessPlaces::Spot &At : Places.spots(Id))
      for (const AccessPlaces::Spot::Inside &In : At.Where) {
        if (In.Record != "s" || !(At.Reads || At.Writes))
          continue;
        const FieldInfo &Field = Of.Record.Fields[In.Field];
        Site.Struct = Struct;
        Site.Line = At.Line;
        Site.Column = At.Column;
        Site.OffsetBytes = uint32_t(In.OffsetBytes);
        Site.SizeBytes = uint32_t(In.SizeBytes);
        Site.FirstBit = Field.BitField ? Field.OffsetBits % 8 : 0;
        Site.Bits = Field.BitField ? Field.SizeBits : 0;
        for (SiteKind Kind : {SiteKind::Read, SiteKind::Write})
          if (Kind == SiteKind::Read ? At.Reads : At.Writes) {
            Site.Kind = Kind;
            Site.Count = ++Count;
            Out.site(Site);
          }
      }
  }
  Result<Profile> Made = Out.finish();
  if (!Made)
    ADD_FAILURE() << Made.error();
  else if (auto Broken = checkProfile(*Made))
    ADD_FAILURE() << Broken->Message;
  return Made ? std::move(*Made) : Profile();
}

using Totals = std::map<std::string, std::pair<uint64_t, uint64_t>>;

/// Reads and writes by name of the field; those without any left out.
Totals totals(const MeasuredProgram &Of, const std::vector<MatchedField> &In) {
  Totals Out;
  for (size_t F = 0; F != In.size(); ++F)
    if (In[F].Reads + In[F].Writes)
      Out[Of.Record.Fields[F].Name] = {In[F].Reads, In[F].Writes};
  return Out;
}

Totals totals(const MeasuredProgram &Of, const Profile &P) {
  ProfileMatcher Matcher(*Of.Whole, Of.Whole->recordsNamed("s").front());
  return totals(Of, Matcher.match(P, *measuredStructs(P, Of.Record)).Fields);
}

struct Moved {
  std::string Why; ///< refused
  bool Made = false;
  ProfileTransfer About;
  Totals ByName;
  ProfileCoverage Covered;
};

Moved moved(const Profile &From, const MeasuredProgram &To) {
  ProfileMatcher Matcher(*To.Whole, To.Whole->recordsNamed("s").front());
  auto Made = Matcher.transfer(From);
  if (!Made)
    return {Made.error(), false, {}, {}, {}};
  if (!*Made)
    return {"", false, {}, totals(To, From), {}};
  EXPECT_TRUE((*Made)->What);
  const Profile &P = *(*Made)->What;
  EXPECT_FALSE(checkProfile(P));
  MatchedProfile Found = Matcher.match(P, *measuredStructs(P, To.Record));
  return {"", true, (*Made)->About, totals(To, Found.Fields), Found.Covered};
}

const char *Before = R"c(
struct s { long a, b; int c; char name[20]; long d; };
void one(struct s *p) {
  p->a = 1;
  p->b += p->a;
}
long two(struct s *p, struct s *q) {
  if (p->c)
    return p->d + q->b;
  q->c = 2;
  return q->d;
}
void three(struct s *p) { p->name[2] = p->d; }
)c";

/// `fresh` is new, `c` is wider, `d` is the first now, one() is below two().
const char *After = R"c(
struct s { long d; long a; long fresh; long b; long c; char name[28]; };
static int helper(int n) {
  return n + 1;
}
long two(struct s *p, struct s *q) {
  if (p->c)
    return p->d + q->b;
  q->c = 2;
  return q->d;
}
void one(struct s *p) {
  p->fresh = helper(2);

  p->a = 1;
  p->b += p->a;
}
void three(struct s *p) { p->name[2] = p->d; }
)c";

} // namespace

TEST(ProfileTransfer, WhatFitsIsLeftAlone) {
  MeasuredProgram Old(Before);
  for (bool Names : {false, true}) {
    Moved Same = moved(ranAs(Old, Names), Old);
    EXPECT_EQ(Same.Why, "");
    EXPECT_FALSE(Same.Made);
  }
}

TEST(ProfileTransfer, EveryKindOfMemberFitsItself) {
  const std::string Text =
      "struct in { int u, v; };\n"
      "struct s { unsigned a : 3, b : 7; union { long l; char c[8]; };\n"
      "  struct { short s1, s2; }; struct in inner; char mark[0];\n"
      "  unsigned late : 5; struct s *next; long tail[]; };\n"
      "long go(struct s *p, int n) {\n  p->a = n;\n  p->b += 1;\n"
      "  p->l = n;\n  p->c[2] = 1;\n  p->s2 = 3;\n  p->inner.v += n;\n"
      "  p->late = 2;\n  p->tail[n] += 4;\n  return p->next != 0;\n}\n";
  MeasuredProgram Old(Text);
  std::string More = Text;
  More.replace(More.find("  struct {"), 10, "  long added; struct {");
  MeasuredProgram New(More);
  for (bool Names : {false, true}) {
    const Profile P = ranAs(Old, Names);
    Moved Same = moved(P, Old);
    EXPECT_EQ(Same.Why, "");
    EXPECT_FALSE(Same.Made);
    Moved Now = moved(P, New);
    ASSERT_TRUE(Now.Made) << Now.Why;
    EXPECT_EQ(Now.About.share(), 1);
    for (const auto &[Name, Counts] : Same.ByName)
      EXPECT_EQ(Now.ByName[Name], Counts) << Name;
  }
}

TEST(ProfileTransfer, CountsFollowTheNames) {
  MeasuredProgram Old(Before), New(After);
  const Profile P = ranAs(Old, true);
  Moved Now = moved(P, New);
  ASSERT_TRUE(Now.Made) << Now.Why;
  EXPECT_EQ(Now.ByName, totals(Old, P));
  EXPECT_EQ(Now.About.Matched, Now.About.Counts);
  EXPECT_EQ(Now.About.SizeBytes, Old.Record.SizeBytes);
  EXPECT_EQ(Now.About.Functions, 3u);
  EXPECT_EQ(Now.About.FunctionsMoved, 3u);
  // Each at an access of the new source.
  EXPECT_EQ(Now.Covered.Placed, Now.Covered.Accesses);
  for (const TransferredMember &M : Now.About.Members)
    EXPECT_EQ(M.Name, M.Field);
}

TEST(ProfileTransfer, WithoutNamesTheCodeTells) {
  MeasuredProgram Old(Before), New(After);
  const Profile P = ranAs(Old, false);
  Moved Now = moved(P, New);
  ASSERT_TRUE(Now.Made) << Now.Why;
  Totals Told = totals(Old, P);
  // Only one() uses it, and has other lines in front of it now.
  const auto Untold = Told.extract("a").mapped();
  EXPECT_EQ(Now.ByName, Told);
  EXPECT_EQ(Now.About.Dropped, Untold.first + Untold.second);
  EXPECT_EQ(Now.Covered.Placed, Now.Covered.Accesses);
}

TEST(ProfileTransfer, MembersThatChangedPlacesAreSeen) {
  MeasuredProgram Old(Before);
  std::string Text = Before;
  Text.replace(Text.find("a, b;"), 5, "b, a;");
  MeasuredProgram New(Text);
  ASSERT_EQ(Old.Record.SizeBytes, New.Record.SizeBytes);
  for (bool Names : {false, true}) {
    const Profile P = ranAs(Old, Names);
    Moved Now = moved(P, New);
    EXPECT_TRUE(Now.Made) << Now.Why;
    EXPECT_EQ(Now.ByName, totals(Old, P));
  }
}

TEST(ProfileTransfer, LinesMoveWithoutTheStruct) {
  MeasuredProgram Old(Before);
  std::string Text = Before;
  Text.insert(Text.find("void one"),
              "int more(int n) {\n  return n;\n}\n\n\n\n\n\n");
  MeasuredProgram New(Text);
  Moved Now = moved(ranAs(Old, false), New);
  ASSERT_TRUE(Now.Made);
  EXPECT_EQ(Now.About.SizeBytes, 0u);
  EXPECT_EQ(Now.About.share(), 1);
  EXPECT_EQ(Now.Covered.Placed, Now.Covered.Accesses);
}

TEST(ProfileTransfer, ARemovedMemberIsCountedAsLost) {
  MeasuredProgram Old(Before);
  std::string Text = Before;
  Text.replace(Text.find("long d; }"), 9, "}");
  Text.replace(Text.find("return p->d + q->b"), 18, "return q->b");
  Text.replace(Text.find("return q->d"), 11, "return 0");
  Text.replace(Text.find("= p->d;"), 7, "= 0;");
  MeasuredProgram New(Text);
  const Profile P = ranAs(Old, true);
  Totals Left = totals(Old, P);
  const auto Gone = Left.extract("d").mapped();
  Moved Now = moved(P, New);
  ASSERT_TRUE(Now.Made) << Now.Why;
  EXPECT_EQ(Now.ByName, Left);
  EXPECT_EQ(Now.About.Dropped, Gone.first + Gone.second);
  EXPECT_EQ(Now.About.Counts - Now.About.Matched, Now.About.Dropped);
}

TEST(ProfileTransfer, FunctionsOfOtherFilesAreFollowed) {
  MeasuredProgram Old(Before), New(After);
  Profile P = ranAs(Old, true);
  // two() was in another file.
  ProfileBuilder Make;
  const uint32_t Struct =
      Make.structure("s", Old.Record.SizeBytes, P.elements(P.Structs[0]));
  for (const NamedMember &M : P.Members)
    Make.member(Struct, M.OffsetBits, M.SizeBits, P.text(M.Name));
  for (MeasuredSite Site : P.Sites) {
    const bool Two = P.text(Site.Function) == "two";
    Site.File = Make.text(Two ? "../old.c" : P.text(Site.File));
    Site.Function = Make.text(P.text(Site.Function));
    Site.Struct = Site.Struct == NoStruct ? NoStruct : Struct;
    Make.site(Site);
  }
  Moved Now = moved(*Make.finish(), New);
  ASSERT_TRUE(Now.Made) << Now.Why;
  EXPECT_EQ(Now.About.Functions, 3u);
  EXPECT_EQ(Now.Covered.Placed, Now.Covered.Accesses);
}

TEST(ProfileTransfer, AnotherStructOfTheNameIsRefused) {
  MeasuredProgram Old(Before);
  MeasuredProgram New("struct s { int x; struct s *next; };\n"
                      "int first(struct s *p) { return p->next->x; }\n");
  for (bool Names : {false, true}) {
    Moved Now = moved(ranAs(Old, Names), New);
    EXPECT_NE(Now.Why.find("0.0% of its "), std::string::npos) << Now.Why;
    EXPECT_NE(Now.Why.find("at least 50.0% must be"), std::string::npos);
  }
}

TEST(ProfileTransfer, TheReportSaysIt) {
  MeasuredProgram Old(Before), New(After);
  AffinityEvidence Found = New.merged(ranAs(Old, true));
  ASSERT_EQ(Found.Covered.Profiles.size(), 1u);
  EXPECT_TRUE(Found.Covered.Profiles[0].Transfer.Made);
  EXPECT_FALSE(Old.merged(ranAs(Old, true)).Covered.Profiles[0].Transfer.Made);
}

namespace {

/// A program that grows and shrinks by chance.
class RandomVersions {
public:
  explicit RandomVersions(uint32_t Seed) : Engine(Seed) {
    for (int I = 0; I != 8; ++I)
      addField();
    for (int I = 0; I != 8; ++I)
      addFunction();
  }

  std::string text() const {
    std::string Out = "struct s {\n";
    for (const Field &F : Fields)
      Out += "  " + std::string(F.Type) + " " + F.Name +
             (F.Array ? "[3];\n" : ";\n");
    Out += "};\n";
    for (const Function &F : Functions) {
      Out += "int " + F.Name + "(struct s *p, int n) {\n";
      for (const Line &L : F.Lines)
        Out += "  " + textOf(L) + "\n";
      Out += "  return n;\n}\n";
    }
    return Out;
  }

  void edit() {
    Field &Any = Fields[below(Fields.size())];
    switch (below(6)) {
    case 0:
      return addField();
    case 1:
      return removeField();
    case 2: {
      const Field Moves = Any;
      Fields.erase(Fields.begin() + (&Any - Fields.data()));
      Fields.insert(Fields.begin() + below(Fields.size() + 1), Moves);
      return;
    }
    case 3:
      Any.Type = type();
      return;
    case 4:
      return addFunction();
    default: {
      std::vector<Line> &Lines = Functions[below(Functions.size())].Lines;
      Lines.insert(Lines.begin() + below(Lines.size() + 1), Line{Calm, {}});
    }
    }
  }

  bool has(const std::string &Name) const {
    return std::ranges::find(Fields, Name, &Field::Name) != Fields.end();
  }

private:
  enum Form { Calm, Store, Load, Both, Forms };
  struct Line {
    Form Does = Calm;
    std::vector<std::string> Uses; ///< two fields
  };
  struct Function {
    std::string Name;
    std::vector<Line> Lines;
  };
  struct Field {
    std::string Name;
    const char *Type;
    bool Array;
  };

  size_t below(size_t N) { return Engine() % N; }
  const char *type() {
    static const char *const Types[] = {"long", "int", "char", "short"};
    return Types[below(std::size(Types))];
  }
  std::string member(const std::string &Name) const {
    const auto Of = std::ranges::find(Fields, Name, &Field::Name);
    return "p->" + Name + (Of->Array ? "[1]" : "");
  }
  std::string textOf(const Line &L) const {
    switch (L.Does) {
    case Store:
      return member(L.Uses[0]) + " = n;";
    case Load:
      return "if (" + member(L.Uses[0]) + ") n -= " + member(L.Uses[1]) + ";";
    case Both:
      return member(L.Uses[0]) + " += " + member(L.Uses[1]) + ";";
    default:
      return "n++;";
    }
  }

  void addField() {
    Fields.insert(Fields.begin() + below(Fields.size() + 1),
                  {"f" + std::to_string(Next++), type(), below(4) == 0});
  }
  /// With every line that uses it.
  void removeField() {
    if (Fields.size() < 4)
      return;
    const size_t At = below(Fields.size());
    for (Function &F : Functions)
      std::erase_if(F.Lines, [&](const Line &L) {
        return std::ranges::find(L.Uses, Fields[At].Name) != L.Uses.end();
      });
    Fields.erase(Fields.begin() + At);
  }
  void addFunction() {
    Function F{"fn" + std::to_string(Next++), {}};
    for (size_t I = 0, N = 1 + below(6); I != N; ++I)
      F.Lines.push_back({Form(below(Forms)),
                         {Fields[below(Fields.size())].Name,
                          Fields[below(Fields.size())].Name}});
    Functions.insert(Functions.begin() + below(Functions.size() + 1), F);
  }

  std::mt19937 Engine;
  unsigned Next = 0;
  std::vector<Field> Fields;
  std::vector<Function> Functions;
};

} // namespace

/// Names known: every count of a member that is still there stays its own. Not
/// known: it does, or it is lost with a word; none goes to another member.
TEST(ProfileTransfer, RandomEditsKeepCountsByName) {
  size_t Known = 0, Found = 0;
  for (uint32_t Seed = 0; Seed != 60; ++Seed) {
    RandomVersions Versions(Seed);
    MeasuredProgram Old(Versions.text());
    for (uint32_t Edit = 0; Edit != 1 + Seed % 5; ++Edit)
      Versions.edit();
    MeasuredProgram New(Versions.text());
    const Profile Named = ranAs(Old, true), Nameless = ranAs(Old, false);
    Totals Left = totals(Old, Named);
    std::erase_if(Left, [&](const auto &F) { return !Versions.has(F.first); });
    const std::string What =
        "seed " + std::to_string(Seed) + "\n" + Old.Code + "\n" + New.Code;
    Moved By = moved(Named, New);
    if (By.Why.empty())
      EXPECT_EQ(By.ByName, Left) << What;
    Moved Blind = moved(Nameless, New);
    for (const auto &[Name, Counts] : Blind.ByName)
      EXPECT_TRUE(Left.count(Name) && Left[Name] == Counts) << Name << What;
    Known += Left.size();
    Found += Blind.ByName.size();
  }
  // Not by refusing everything.
  EXPECT_GT(Found * 2, Known);
}
