// SPDX-License-Identifier: GPL-2.0-or-later

#include "SmallFacts.h"

#include "hybrid/core/Hash.h"
#include "hybrid/facts/FactsFile.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <new>
#include <string>

using namespace kst;

namespace {

// Offsets of the header, as FactsFile.h documents them.
constexpr size_t SizeAt = 16, ChecksumAt = 24, MainFileAt = 32;

/// The file with a checksum and size that fit, as an attacker would write it.
std::string sealed(std::string Bytes) {
  uint64_t Size = Bytes.size();
  memcpy(&Bytes[SizeAt], &Size, 8);
  uint64_t Sum = hash64(std::string_view(Bytes).substr(MainFileAt));
  memcpy(&Bytes[ChecksumAt], &Sum, 8);
  return Bytes;
}

TEST(FactsFile, RoundTrip) {
  for (const TuFacts &F : {TuFacts(), smallFacts()}) {
    auto Read = readFacts(writeFacts(F));
    ASSERT_TRUE(Read) << Read.error();
    EXPECT_TRUE(*Read == F);
  }
}

TEST(FactsFile, HeaderIsAsDocumented) {
  std::string Bytes = writeFacts(smallFacts());
  uint32_t Version, Tables, Main, Rows, RowBytes;
  memcpy(&Version, &Bytes[8], 4);
  memcpy(&Tables, &Bytes[12], 4);
  memcpy(&Main, &Bytes[MainFileAt], 4);
  memcpy(&Rows, &Bytes[40], 4);
  memcpy(&RowBytes, &Bytes[44], 4);
  EXPECT_EQ(Bytes.substr(0, 8), "KSTFACTS");
  EXPECT_EQ(Version, FactsFormatVersion);
  EXPECT_EQ(Tables, 21u);
  EXPECT_EQ(Main, 1u);
  EXPECT_EQ(Rows, 1u); // Records
  EXPECT_EQ(RowBytes, 56u);
  EXPECT_EQ(Bytes, sealed(Bytes));
}

// The same rows built on memory filled with different rubbish: padding of the
// structs must not reach the file.
TEST(FactsFile, PaddingIsNotWritten) {
  std::string Files[2];
  for (int I = 0; I < 2; ++I) {
    TuFacts F = smallFacts();
    RecordFact Copy = F.Records[0];
    memset(static_cast<void *>(&F.Records[0]), I ? 0xff : 0x55,
           sizeof(RecordFact));
    RecordFact &R = F.Records[0];
    R.Name = Copy.Name, R.File = Copy.File, R.Line = Copy.Line;
    R.EndLine = Copy.EndLine, R.SizeBytes = Copy.SizeBytes;
    R.AlignBytes = Copy.AlignBytes, R.Flags = Copy.Flags;
    R.ExplicitAlignBytes = Copy.ExplicitAlignBytes, R.Fields = Copy.Fields;
    R.Groups = Copy.Groups;
    Files[I] = writeFacts(F);
  }
  EXPECT_EQ(Files[0], Files[1]);
  EXPECT_EQ(Files[0], writeFacts(smallFacts()));
}

TEST(FactsFile, EveryDamagedByteIsNoticed) {
  const std::string Good = writeFacts(smallFacts());
  for (size_t I = 0; I < Good.size(); ++I)
    for (int Flip : {0x01, 0x80, 0xff}) {
      std::string Bad = Good;
      Bad[I] ^= Flip;
      auto Read = readFacts(Bad);
      EXPECT_FALSE(Read) << "byte " << I;
      EXPECT_NE(Read.error(), "");
    }
}

TEST(FactsFile, EveryTruncationIsNoticed) {
  const std::string Good = writeFacts(smallFacts());
  for (size_t Length = 0; Length < Good.size(); ++Length) {
    EXPECT_FALSE(readFacts(Good.substr(0, Length))) << Length;
    if (Length >= 40) {
      EXPECT_FALSE(readFacts(sealed(Good.substr(0, Length)))) << Length;
    }
  }
  EXPECT_FALSE(readFacts(Good + std::string(8, '\0')));
  EXPECT_FALSE(readFacts(sealed(Good + std::string(8, '\0'))));
}

// A hostile file has a good checksum. Whatever is accepted then must obey the
// rules, so that writing it again is safe and changes nothing.
TEST(FactsFile, ForgedBytesFailOrObeyTheRules) {
  const std::string Good = writeFacts(smallFacts());
  size_t Refused = 0, Accepted = 0;
  for (size_t I = MainFileAt; I < Good.size(); ++I)
    for (int Value : {0x00, 0x01, 0x02, 0x10, 0x7f, 0x80, 0xfe, 0xff}) {
      std::string Forged = Good;
      Forged[I] = static_cast<char>(Value);
      auto Read = readFacts(sealed(Forged));
      if (!Read) {
        ++Refused;
        continue;
      }
      ++Accepted;
      auto Again = readFacts(writeFacts(*Read));
      ASSERT_TRUE(Again) << "byte " << I << ": " << Again.error();
      EXPECT_TRUE(*Again == *Read);
    }
  EXPECT_GT(Refused, 1000u);
  EXPECT_GT(Accepted, 1000u);
}

TEST(FactsFile, HugeCountsDoNotAllocate) {
  std::string Bytes = writeFacts(smallFacts());
  for (uint32_t Rows : {0x7fffffffu, 0xffffffffu, 0x05555556u}) {
    memcpy(&Bytes[40], &Rows, 4);
    auto Read = readFacts(sealed(Bytes));
    ASSERT_FALSE(Read);
    EXPECT_NE(Read.error().find("does not fit"), std::string::npos);
  }
}

TEST(FactsFile, AnyAlignmentOfTheBytes) {
  std::string Good = writeFacts(smallFacts());
  std::unique_ptr<char[]> Room(new char[Good.size() + 8]);
  for (size_t Shift = 0; Shift < 8; ++Shift) {
    memcpy(Room.get() + Shift, Good.data(), Good.size());
    auto Read = readFacts({Room.get() + Shift, Good.size()});
    ASSERT_TRUE(Read) << Read.error();
    EXPECT_TRUE(*Read == smallFacts());
  }
}

TEST(FactsFile, OtherVersionIsNamed) {
  std::string Bytes = writeFacts(smallFacts());
  Bytes[8] = 77;
  EXPECT_NE(readFacts(Bytes).error().find("77"), std::string::npos);
}

TEST(Hash, KnownValues) {
  // Reference values of the xxHash project for the empty input.
  EXPECT_EQ(hash64(""), 0x2d06800538d394c2u);
  EXPECT_EQ(hash128("").hex(), "99aa06d3014798d86001c324468d497f");
}

} // namespace
