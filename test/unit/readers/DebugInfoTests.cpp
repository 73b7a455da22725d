// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/DebugInfo.h"

#include "passes/readers/DebugDies.h"
#include "passes/readers/DebugLinks.h"
#include "passes/readers/KernelImage.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

using namespace kst;

namespace {

std::set<std::string> linksOf(const std::string &File) {
  std::set<std::string> Out;
  for (const LinkedStruct &Of : llvm::cantFail(debugLinks(File)))
    for (const DebugLink &Link : Of.Links)
      Out.insert(Of.Name + "." + Link.Member + "@" +
                 std::to_string(Link.OffsetBytes) + ">" + Link.To);
  return Out;
}

std::set<std::string> functionsOf(const std::string &File) {
  std::set<std::string> Out;
  const KernelImage Image = llvm::cantFail(KernelImage::open(File));
  for (const CodeFunction &Of : llvm::cantFail(Image.functionCode()).Functions)
    Out.insert(Of.Name + " " + Of.File + ":" + std::to_string(Of.Line));
  return Out;
}

struct Form : testing::TestWithParam<const char *> {};

TEST_P(Form, HasEveryEntry) {
  auto Debug = llvm::cantFail(DebugInfo::open(GetParam()));
  EXPECT_EQ(Debug.problem(), "");
  std::set<std::string> Structs;
  Debug.forEachUnit([&](llvm::DWARFDie Top) {
    for (llvm::DWARFDie Die : Top.children())
      if (isRecord(Die) && Die.getShortName() && !isElsewhere(Die))
        Structs.insert(Die.getShortName());
    return true;
  });
  EXPECT_FALSE(Structs.empty());
}

TEST_P(Form, SaysTheSame) {
  EXPECT_FALSE(functionsOf(GetParam()).empty());
  EXPECT_EQ(functionsOf(GetParam()), functionsOf(ALLOCATING_PROGRAM));
  EXPECT_EQ(linksOf(GetParam()), linksOf(ALLOCATING_PROGRAM));
}

TEST_P(Form, StopsWhenAsked) {
  auto Debug = llvm::cantFail(DebugInfo::open(GetParam()));
  unsigned Units = 0;
  Debug.forEachUnit([&](llvm::DWARFDie) { return ++Units == 0; });
  EXPECT_EQ(Units, 1u);
}

INSTANTIATE_TEST_SUITE_P(Programs, Form,
                         testing::Values(ALLOCATING_PROGRAM, SPLIT_PROGRAM,
                                         TYPES_PROGRAM));

TEST(DebugInfo, NamesAFileThatIsNone) {
  auto None = DebugInfo::open("/nowhere/image");
  ASSERT_FALSE(bool(None));
  EXPECT_NE(llvm::toString(None.takeError()).find("/nowhere/image"),
            std::string::npos);
}

/// The image of a split program without its .dwo file.
TEST(DebugInfo, SaysWhatIsNotThere) {
  llvm::SmallString<128> Alone;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("image", "", Alone));
  llvm::FileRemover Remover(Alone);
  auto Bytes = llvm::cantFail(
      llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(SPLIT_PROGRAM)));
  // Of the name of the .dwo file, which is where it was compiled.
  std::string Text = Bytes->getBuffer().str();
  for (size_t At = 0; (At = Text.find(".dwo", At)) != std::string::npos; ++At)
    Text.replace(At, 4, ".xyz");
  ASSERT_FALSE(llvm::writeToOutput(Alone, [&](llvm::raw_ostream &Out) {
    Out << Text;
    return llvm::Error::success();
  }));
  auto Debug = llvm::cantFail(DebugInfo::open(Alone.str().str()));
  EXPECT_NE(Debug.problem().find("debug information is split; "),
            std::string::npos);
  EXPECT_NE(Debug.problem().find(".xyz is not there"), std::string::npos);
  auto Whole = DebugInfo::openWhole(Alone.str().str());
  ASSERT_FALSE(bool(Whole));
  EXPECT_EQ(llvm::toString(Whole.takeError()), Debug.problem());
}

TEST(DebugFile, LooksWhereItIsTold) {
  ::setenv("KST_DEBUG_DIR", "/a::/b", 1);
  EXPECT_EQ(debugDirectories(), (std::vector<std::string>{"/a", "/b"}));
  ::unsetenv("KST_DEBUG_DIR");
  EXPECT_EQ(debugDirectories(), std::vector<std::string>{"/usr/lib/debug"});
}

} // namespace
