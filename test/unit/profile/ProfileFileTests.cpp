// SPDX-License-Identifier: GPL-2.0-or-later

#include "SmallProfile.h"

#include "hybrid/core/Hash.h"
#include "hybrid/profile/ProfileCheck.h"
#include "hybrid/profile/ProfileFile.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>

using namespace kst;

namespace {

// Offsets of the header, as ProfileFile.h documents them.
constexpr size_t SizeAt = 16, ChecksumAt = 24, RunsAt = 32, TablesAt = 56;

/// The file with a checksum and size that fit, as an attacker would write it.
std::string sealed(std::string Bytes) {
  uint64_t Size = Bytes.size();
  memcpy(&Bytes[SizeAt], &Size, 8);
  uint64_t Sum = hash64(std::string_view(Bytes).substr(RunsAt));
  memcpy(&Bytes[ChecksumAt], &Sum, 8);
  return Bytes;
}

TEST(ProfileFile, RoundTrip) {
  for (const Profile &P : {Profile(), smallProfile(), largeProfile(500, "a")}) {
    auto Read = readProfile(writeProfile(P));
    ASSERT_TRUE(Read) << Read.error();
    EXPECT_TRUE(*Read == P);
  }
}

TEST(ProfileFile, HeaderIsAsDocumented) {
  std::string Bytes = writeProfile(smallProfile());
  uint32_t Version, Tables, Runs, Rows, RowBytes;
  memcpy(&Version, &Bytes[8], 4);
  memcpy(&Tables, &Bytes[12], 4);
  memcpy(&Runs, &Bytes[RunsAt], 4);
  memcpy(&Rows, &Bytes[TablesAt], 4);
  memcpy(&RowBytes, &Bytes[TablesAt + 4], 4);
  EXPECT_EQ(Bytes.substr(0, 8), "KSTPROFL");
  EXPECT_EQ(Version, 1u);
  EXPECT_EQ(Tables, 14u);
  EXPECT_EQ(Runs, 1u);
  EXPECT_EQ(Rows, 2u); // Structs
  EXPECT_EQ(RowBytes, 16u);
  EXPECT_EQ(Bytes, sealed(Bytes));
  // Without threads and names of members.
  Profile Nameless = smallProfile();
  Nameless.Members.clear();
  Bytes = writeProfile(Nameless);
  memcpy(&Tables, &Bytes[12], 4);
  EXPECT_EQ(Tables, 13u);
  Bytes = writeProfile(largeProfile(500, "a"));
  memcpy(&Tables, &Bytes[12], 4);
  EXPECT_EQ(Tables, 12u);
}

TEST(ProfileFile, EveryDamagedByteIsNoticed) {
  const std::string Good = writeProfile(smallProfile());
  for (size_t I = 0; I < Good.size(); ++I)
    for (int Flip : {0x01, 0x80, 0xff}) {
      std::string Bad = Good;
      Bad[I] ^= Flip;
      auto Read = readProfile(Bad);
      EXPECT_FALSE(Read) << "byte " << I;
      EXPECT_NE(Read.error(), "");
    }
}

TEST(ProfileFile, EveryTruncationIsNoticed) {
  const std::string Good = writeProfile(smallProfile());
  for (size_t Length = 0; Length < Good.size(); ++Length) {
    EXPECT_FALSE(readProfile(Good.substr(0, Length))) << Length;
    if (Length >= TablesAt) {
      EXPECT_FALSE(readProfile(sealed(Good.substr(0, Length)))) << Length;
    }
  }
  EXPECT_FALSE(readProfile(sealed(Good + std::string(8, '\0'))));
}

// A hostile file has a good checksum. Whatever is accepted then must obey the
// rules, so that writing it again is safe and changes nothing.
TEST(ProfileFile, ForgedBytesFailOrObeyTheRules) {
  const std::string Good = writeProfile(smallProfile());
  size_t Refused = 0, Accepted = 0;
  for (size_t I = RunsAt; I < Good.size(); ++I)
    for (int Value : {0x00, 0x01, 0x02, 0x10, 0x7f, 0x80, 0xfe, 0xff}) {
      std::string Forged = Good;
      Forged[I] = static_cast<char>(Value);
      auto Read = readProfile(sealed(Forged));
      if (!Read) {
        ++Refused;
        continue;
      }
      ++Accepted;
      EXPECT_FALSE(checkProfile(*Read));
      auto Again = readProfile(writeProfile(*Read));
      ASSERT_TRUE(Again) << "byte " << I << ": " << Again.error();
      EXPECT_TRUE(*Again == *Read);
    }
  EXPECT_GT(Refused, 1000u);
  EXPECT_GT(Accepted, 1000u);
}

TEST(ProfileFile, HugeCountsDoNotAllocate) {
  std::string Bytes = writeProfile(smallProfile());
  for (uint32_t Rows : {0x7fffffffu, 0xffffffffu, 0x05555556u}) {
    memcpy(&Bytes[TablesAt], &Rows, 4);
    auto Read = readProfile(sealed(Bytes));
    ASSERT_FALSE(Read);
    EXPECT_NE(Read.error().find("does not fit"), std::string::npos);
  }
}

TEST(ProfileFile, AnyAlignmentOfTheBytes) {
  std::string Good = writeProfile(smallProfile());
  std::unique_ptr<char[]> Room(new char[Good.size() + 8]);
  for (size_t Shift = 0; Shift < 8; ++Shift) {
    memcpy(Room.get() + Shift, Good.data(), Good.size());
    auto Read = readProfile({Room.get() + Shift, Good.size()});
    ASSERT_TRUE(Read) << Read.error();
    EXPECT_TRUE(*Read == smallProfile());
  }
}

TEST(ProfileFile, OthersAreNamed) {
  std::string Bytes = writeProfile(smallProfile());
  Bytes[8] = 77;
  EXPECT_NE(readProfile(Bytes).error().find("77"), std::string::npos);
  EXPECT_EQ(readProfile("{}").error(), "not a profile (.kstp)");
  EXPECT_EQ(readProfile("").error(), "not a profile (.kstp)");
}

struct Case {
  const char *Complaint; ///< must occur in the message
  std::function<void(Profile &)> Break;
};

TEST(ProfileCheck, NamesTheBrokenRule) {
  const Case Cases[] = {
      {"first text", [](Profile &P) { P.Strings[0] = "x"; }},
      {"first text", [](Profile &P) { P.Strings.clear(); }},
      {"order of texts",
       [](Profile &P) { std::swap(P.Strings[1], P.Strings[2]); }},
      {"control character", [](Profile &P) { P.Strings.back() += "\x1b[2J"; }},
      {"text about the run", [](Profile &P) { P.Text["a"] = "b\n"; }},
      {"text about the run", [](Profile &P) { P.Text[""] = "b"; }},
      {"name of a struct", [](Profile &P) { P.Structs[0].Name = 99; }},
      {"elements of a struct", [](Profile &P) { P.Structs[1].End = 5; }},
      {"elements of a struct", [](Profile &P) { P.Structs[1].Begin = 1; }},
      {"elements of no struct", [](Profile &P) { P.Elements.push_back({}); }},
      {"outside its struct", [](Profile &P) { P.Elements[3].SizeBytes = 49; }},
      {"order of structs",
       [](Profile &P) {
         P.Structs[0].Name = P.Structs[1].Name;
         P.Structs[0].SizeBytes = 65;
       }},
      {"struct of a site", [](Profile &P) { P.Sites[0].Struct = 2; }},
      {"text of a site", [](Profile &P) { P.Sites[0].Function = 99; }},
      {"text of a site", [](Profile &P) { P.Sites[0].File = 99; }},
      {"text of a site", [](Profile &P) { P.Sites[0].Field = 99; }},
      {"kind of a site",
       [](Profile &P) { P.Sites[0].Kind = static_cast<SiteKind>(10); }},
      {"order of sites", [](Profile &P) { P.Sites.push_back(P.Sites.back()); }},
      {"text of a region", [](Profile &P) { P.Regions[0].Function = 99; }},
      {"text of a region", [](Profile &P) { P.Regions[0].File = 99; }},
      {"references of a region", [](Profile &P) { P.Regions[0].End = 99; }},
      {"references of a region", [](Profile &P) { P.Regions[1].Begin = 0; }},
      {"reference to a site", [](Profile &P) { P.References[0].Site = 99; }},
      {"reference to a site", [](Profile &P) { P.References[0].Times = 0; }},
      {"order of references",
       [](Profile &P) { std::swap(P.References[1], P.References[2]); }},
      {"references of no region",
       [](Profile &P) { P.References.push_back({0, 1}); }},
      {"order of regions",
       [](Profile &P) {
         std::swap(P.Regions[0].Function, P.Regions[1].Function);
       }},
      {"count by address", [](Profile &P) { P.ByAddress[0].Struct = 2; }},
      {"count by address", [](Profile &P) { P.ByAddress[0].OffsetBytes = 64; }},
      {"order of counts",
       [](Profile &P) { P.ByAddress.push_back(P.ByAddress[0]); }},
      {"struct used by threads", [](Profile &P) { P.Threads[0].Struct = 2; }},
      {"name of a member", [](Profile &P) { P.Members[0].Struct = 2; }},
      {"name of a member", [](Profile &P) { P.Members[0].Name = 0; }},
      {"member outside", [](Profile &P) { P.Members[1].SizeBits = 385; }},
      {"order of counts",
       [](Profile &P) { P.Members.push_back(P.Members[0]); }},
      {"function with samples", [](Profile &P) { P.Samples[0].Function = 99; }},
      {"not counted", [](Profile &P) { P.NotCounted[0].File = 99; }},
  };
  ASSERT_FALSE(checkProfile(smallProfile()));
  for (size_t I = 0; I < std::size(Cases); ++I) {
    Profile P = smallProfile();
    Cases[I].Break(P);
    auto Broken = checkProfile(P);
    ASSERT_TRUE(Broken) << "case " << I;
    EXPECT_NE(Broken->Message.find(Cases[I].Complaint), std::string::npos)
        << "case " << I << ": " << Broken->Message;
  }
}

TEST(ProfileBuilder, OrderDoesNotMatterAndEqualRowsAddUp) {
  Profile Ways[2];
  for (int Way = 0; Way < 2; ++Way) {
    ProfileBuilder Make;
    const MeasuredElement Members[] = {{0, 8}};
    // The same struct of two units, and another of the same name.
    uint32_t One = Make.structure(Way ? "pipe" : "ring", 8, Members);
    uint32_t Two = Make.structure(Way ? "ring" : "pipe", 8, Members);
    uint32_t Three = Make.structure("ring", 8, Members);
    uint32_t Ring = Way ? Two : One, Pipe = Way ? One : Two;
    MeasuredSite A{Ring, Make.text("f"), Make.text("x.c"), 1};
    A.Count = 5;
    MeasuredSite B = A;
    B.Struct = Three;
    B.Count = 6;
    MeasuredSite C = A;
    C.Struct = Pipe;
    uint32_t SiteA = Make.site(Way ? B : A), SiteB = Make.site(Way ? A : B);
    EXPECT_EQ(Make.site(A), Way ? SiteB : SiteA);
    uint32_t SiteC = Make.site(C);
    SiteReference Refs[] = {{SiteC, 1}, {SiteB, 1}, {SiteA, 2}};
    Make.region(A.Function, A.File, Refs, 10);
    std::swap(Refs[0], Refs[2]);
    Make.region(A.Function, A.File, Refs, 1);
    auto Made = Make.finish();
    ASSERT_TRUE(Made);
    EXPECT_FALSE(checkProfile(*Made));
    Ways[Way] = *Made;
  }
  EXPECT_TRUE(Ways[0] == Ways[1]);
  const Profile &P = Ways[0];
  EXPECT_EQ(P.Structs.size(), 2u);
  ASSERT_EQ(P.Sites.size(), 2u);
  EXPECT_EQ(P.Sites[1].Count, 16u); // A twice, B once: they are one
  ASSERT_EQ(P.Regions.size(), 1u);
  EXPECT_EQ(P.Regions[0].Count, 11u);
  ASSERT_EQ(P.References.size(), 2u);
  EXPECT_EQ(P.References[1].Times, 3u);
}

TEST(ProfileBuilder, RefusesWhatDoesNotFit) {
  ProfileBuilder Make;
  MeasuredSite A;
  A.Count = ~0ull;
  Make.site(A);
  A.Count = 1;
  Make.site(A);
  EXPECT_EQ(Make.finish().error(), "a count does not fit 64 bits");
}

TEST(ProfileBuilder, CleansTexts) {
  ProfileBuilder Make;
  Make.samples(Make.text("evil\x1b[2J\n"), 1);
  Make.Text["label"] = "a\tb";
  auto P = Make.finish();
  ASSERT_TRUE(P);
  EXPECT_EQ(P->Strings[1], "evil?[2J?");
  EXPECT_EQ(P->Text.at("label"), "a?b");
}

} // namespace
