// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/CommandTemplate.h"

#include "test/unit/support/TempTree.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

using Words = std::vector<std::string>;

namespace kst {
namespace {

const char *const Text = R"([
  {"condition": "CONFIG_OTHER", "directory": "@KOBJ@", "file": "@FILE@",
   "arguments": ["cc", "-DOTHER"]},
  {"condition": "CONFIG_MINE", "directory": "@KOBJ@", "file": "@FILE@",
   "arguments": ["cc", "-I@KSRC@/arch/mine/include", "-I@DIR@", "@CCFLAGS@",
     "@IF:CONFIG_A@-DA", "@IF:!CONFIG_A@-DNOTA", "@IF:CONFIG_A@@IF:CONFIG_B@-DAB",
     "-DN=\"@MODNAME@\"", "-DB=@BASENAME@", "-DF=@MODFILE@", "@UNKNOWN@",
     "-o", "@OBJECT@", "@FILE@"]}])";

TEST(CommandTemplate, ChoosesByConfiguration) {
  auto Mine = chooseTemplate(Text, parseKernelConfig("CONFIG_MINE=y\n"));
  ASSERT_TRUE(bool(Mine));
  EXPECT_EQ(Mine->sourceArch(), "mine");
  auto None = chooseTemplate(Text, parseKernelConfig(""));
  ASSERT_FALSE(bool(None));
  EXPECT_NE(llvm::toString(None.takeError()).find("CONFIG_OTHER, CONFIG_MINE"),
            std::string::npos);
  for (const char *Bad : {"", "{}", "[{\"file\":1}]"}) {
    auto Broken = chooseTemplate(Bad, parseKernelConfig(""));
    EXPECT_FALSE(bool(Broken));
    llvm::consumeError(Broken.takeError());
  }
}

TEST(CommandTemplate, FillsPlaceholders) {
  KernelConfig Config = parseKernelConfig("CONFIG_MINE=y\nCONFIG_A=y\n");
  auto Template = chooseTemplate(Text, Config);
  ASSERT_TRUE(bool(Template));
  KbuildObject Object{"net/x/my-part", "net/x", "big-mod",
                      "net/x/big-mod", true,    {"-DFLAG"}};
  CompileCommand Command = expandTemplate(
      *Template, Object, "/s/net/x/my-part.c", {"/s", "/o"}, Config);
  EXPECT_EQ(Command.Directory, "/o");
  EXPECT_EQ(Command.File, "/s/net/x/my-part.c");
  EXPECT_EQ(Command.Object, "/o/net/x/my-part.o");
  EXPECT_EQ(
      Command.Args,
      (Words{"cc", "-I/s/arch/mine/include", "-Inet/x", "-DFLAG", "-DMODULE",
             "-DA", "-DN=\"big_mod\"", "-DB=my_part", "-DF=net/x/big-mod",
             "@UNKNOWN@", "-o", "net/x/my-part.o", "/s/net/x/my-part.c"}));
}

TEST(CommandTemplate, TheShippedTemplateIsSound) {
  auto File = llvm::MemoryBuffer::getFile(
      KST_INPUTS "/../../compile_commands.template.json");
  ASSERT_TRUE(bool(File));
  for (const char *Arch : {"x86", "arm64", "arm"}) {
    std::string Name = Arch == std::string("x86")     ? "CONFIG_X86_64=y\n"
                       : Arch == std::string("arm64") ? "CONFIG_ARM64=y\n"
                                                      : "CONFIG_ARM=y\n";
    KernelConfig Config = parseKernelConfig(Name);
    auto Template = chooseTemplate((*File)->getBuffer(), Config);
    ASSERT_TRUE(bool(Template)) << Arch;
    EXPECT_EQ(Template->sourceArch(), Arch);
    CompileCommand Command =
        expandTemplate(*Template, {"k/a", "k", "a", "k/a", false, {}},
                       "/s/k/a.c", {"/s", "/o"}, Config);
    for (const std::string &Word : Command.Args)
      EXPECT_EQ(Word.find('@'), std::string::npos) << Word;
    EXPECT_TRUE(llvm::is_contained(Command.Args, "-DKBUILD_MODNAME=\"a\""));
  }
}

} // namespace
} // namespace kst
