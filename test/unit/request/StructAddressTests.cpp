// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/request/StructAddress.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

const std::vector<std::string> Two{"rq", "conn@memcached.h"};

std::string parsed(const std::string &Text, AddressedText Kind,
                   const std::vector<std::string> &Structs = Two) {
  Result<Addressed> Found = parseAddress(Text, Structs, Kind);
  if (!Found)
    return Found.error();
  return (Found->Struct == Addressed::Every ? std::string("every")
                                            : std::to_string(Found->Struct)) +
         " " + Found->Text;
}

TEST(StructAddress, NamesAStruct) {
  EXPECT_EQ(parsed("rq:clock=line:2", AddressedText::Words), "0 clock=line:2");
  EXPECT_EQ(parsed("conn@memcached.h:move a first", AddressedText::Words),
            "1 move a first");
  EXPECT_EQ(parsed("conn:a", AddressedText::Words), "1 a");
  EXPECT_EQ(parsed("rq:out/x:y", AddressedText::File), "0 out/x:y");
}

TEST(StructAddress, IsNotNeeded) {
  EXPECT_EQ(parsed("clock=line:2", AddressedText::Words), "every clock=line:2");
  EXPECT_EQ(parsed("move a after b", AddressedText::Words),
            "every move a after b");
  EXPECT_EQ(parsed("other:x", AddressedText::File), "every other:x");
}

TEST(StructAddress, OfNoStructIsAMistakeExceptInFileNames) {
  EXPECT_EQ(parsed("rqq:move a first", AddressedText::Words),
            "--struct does not name 'rqq'; did you mean 'rq'?");
  EXPECT_EQ(parsed("something:move a first", AddressedText::Words),
            "--struct does not name 'something'");
}

TEST(StructAddress, WithoutFileIsAmbiguousBetweenTwoFiles) {
  EXPECT_EQ(parsed("c:a", AddressedText::Words, {"c@a.h", "c@b.h"}),
            "--struct does not name 'c'");
  EXPECT_EQ(parsed("c@b.h:a", AddressedText::Words, {"c@a.h", "c@b.h"}), "1 a");
}

TEST(StructAddress, OfOneStructMayBeLeftOut) {
  Result<Addressed> One =
      parseOneStruct("a=first", {"rq"}, AddressedText::Words);
  ASSERT_TRUE(bool(One));
  EXPECT_EQ(One->Struct, 0u);
  Result<Addressed> Which =
      parseOneStruct("a=first", Two, AddressedText::Words);
  ASSERT_FALSE(bool(Which));
  EXPECT_EQ(Which.error(), "say which struct is meant: 'rq:a=first'");
}

} // namespace
