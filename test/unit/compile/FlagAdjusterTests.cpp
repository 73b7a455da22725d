// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/FlagAdjuster.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <gtest/gtest.h>

using Words = std::vector<std::string>;

namespace kst {
namespace {

AdjustedCommand adjusted(Words Args) {
  return adjust({"/", "/s/x.c", "/o/x.o", std::move(Args)});
}

/// What is left of the flags, without the parts that are always added.
std::string kept(Words Flags) {
  Flags.insert(Flags.begin(), "clang");
  std::string Text;
  for (const std::string &Arg : adjusted(Flags).Args)
    if (Arg != "--no-default-config" && Arg != "-w" && Arg != "/s/x.c" &&
        !llvm::StringRef(Arg).starts_with("-Wno-error="))
      Text += (Text.empty() ? "" : " ") + Arg;
  return Text;
}

struct Case {
  Words Flags;
  const char *Kept;
};

TEST(FlagAdjuster, ForwardsWhatShapesTheProgram) {
  const Case Cases[] = {
      {{"-DX=1", "-D", "Y"}, "-D X=1 -D Y"},
      {{"-DX=$(rm -rf /);`x`"}, "-D X=$(rm -rf /);`x`"},
      {{"-UX"}, "-U X"},
      {{"-I", "a", "-Ib"}, "-I a -I b"},
      {{"-isystem", "a", "-iquote", "b", "-idirafter", "c"},
       "-isystem a -iquote b -idirafter c"},
      {{"-include", "a.h", "-imacros", "b.h"}, "-include a.h -imacros b.h"},
      {{"-nostdinc"}, "-nostdinc"},
      {{"-isysroot", "/r"}, "-isysroot /r"},
      {{"-std=gnu11"}, "-std=gnu11"},
      {{"--target=aarch64-linux-gnu"}, "--target=aarch64-linux-gnu"},
      {{"-target", "arm"}, "--target=arm"},
      {{"-m32", "-mno-sse", "-mcmodel=kernel"},
       "-m32 -mno-sse -mcmodel=kernel"},
      {{"-mabi=lp64", "-mgeneral-regs-only"}, "-mabi=lp64 -mgeneral-regs-only"},
      {{"-fshort-wchar", "-funsigned-char", "-fshort-enums"},
       "-fshort-wchar -funsigned-char -fshort-enums"},
      {{"-fpack-struct=4", "-fms-extensions", "-fstrict-flex-arrays=3"},
       "-fpack-struct=4 -fms-extensions -fstrict-flex-arrays=3"},
      {{"-O2"}, "-O2"},
      {{"-x", "c"}, "-x c"},
      {{"-ffreestanding", "-fno-builtin-f"}, "-ffreestanding -fno-builtin-f"},
      {{"-Wp,-DX=1,-MMD,f,-Iy"}, "-DX=1 -Iy"},
      {{"-Wp,-include,f.h", "-Wp,-D", "-Wp,X", "-Xpreprocessor", "-DY"},
       "-include f.h -D X -DY"},
      {{"-Xclang", "-include", "-Xclang", "a.h", "-Xclang", "-fpack-struct=2"},
       "-include a.h -fpack-struct=2"},
      {{"-Xclang", "-fwchar-type=short"}, "-Xclang -fwchar-type=short"},
      {{"-x", "c-header"}, "-x c"},
      {{"-x", "c++-header"}, "-x c++"},
      {{"-fpack-struct", "-mms-bitfields", "-malign-double"},
       "-fpack-struct -mms-bitfields -malign-double"},
      {{"-mmcu=atmega328p", "-mdouble=64"}, "-mmcu=atmega328p -mdouble=64"},
      {{"-march=native"}, "-march=native"},
      {{"-arch", "arm64"}, "--target=arm64-apple-macosx"},
      {{"-iquote", "external/x", "-isystem", "external/y"},
       "-iquote external/x -isystem external/y"},
      {{"--sysroot=/r"}, "--sysroot=/r"},
  };
  for (const Case &C : Cases) {
    EXPECT_EQ(kept(C.Flags), C.Kept);
    Words Args = C.Flags;
    Args.insert(Args.begin(), "clang");
    EXPECT_EQ(adjusted(Args).DroppedFlags, Words()) << C.Kept;
  }
}

TEST(FlagAdjuster, DropsWhatWritesFilesOrLoadsCode) {
  const Words Hostile[] = {{"-o", "f"},
                           {"-of"},
                           {"-c"},
                           {"-S"},
                           {"-E"},
                           {"-M"},
                           {"-MD"},
                           {"-MMD"},
                           {"-MF", "f"},
                           {"-MFf"},
                           {"-MJ", "f"},
                           {"-MT", "f"},
                           {"-MG"},
                           {"-Wp,-MMD,f"},
                           {"-Wp,-MD,f"},
                           {"-Wa,-a=f"},
                           {"-Wl,-Map=f"},
                           {"-serialize-diagnostics", "f"},
                           {"--serialize-diagnostics", "f"},
                           {"-header-include-file", "f"},
                           {"-dependency-file", "f"},
                           {"-dependency-dot", "f"},
                           {"-fplugin=f.so"},
                           {"-fplugin-arg-x-y=f"},
                           {"-fpass-plugin=f.so"},
                           {"-load", "f.so"},
                           {"-plugin", "f"},
                           {"-add-plugin", "f"},
                           {"-Xclang", "-load", "-Xclang", "f.so"},
                           {"-Xclang", "-o", "-Xclang", "f"},
                           {"-Xpreprocessor", "-MF"},
                           {"-Xassembler", "x"},
                           {"-Xlinker", "x"},
                           {"-Xanalyzer", "x"},
                           {"-mllvm", "-load=f.so"},
                           {"-mllvm=-x"},
                           {"-save-temps"},
                           {"-save-temps=obj"},
                           {"--save-temps"},
                           {"-ftime-trace"},
                           {"-ftime-trace=f"},
                           {"-ftime-report"},
                           {"-fprofile-instr-generate=f"},
                           {"-fprofile-generate=f"},
                           {"-fprofile-use=f"},
                           {"-fprofile-sample-use=f"},
                           {"-fprofile-arcs"},
                           {"-fcs-profile-generate"},
                           {"-ftest-coverage"},
                           {"--coverage"},
                           {"-fcrash-diagnostics-dir=f"},
                           {"-gen-reproducer"},
                           {"-gsplit-dwarf"},
                           {"-Bf"},
                           {"-B", "f"},
                           {"@f.rsp"},
                           {"--config=f"},
                           {"--config", "f"},
                           {"-specs=f"},
                           {"-include-pch", "f"},
                           {"-fmodules"},
                           {"-fmodules-cache-path=f"},
                           {"-fmodule-file=f"},
                           {"-fmodule-map-file=f"},
                           {"-fprebuilt-module-path=f"},
                           {"-emit-llvm"},
                           {"-emit-ast"},
                           {"-emit-pch"},
                           {"-emit-module"},
                           {"--analyze"},
                           {"-ivfsoverlay", "f"},
                           {"-fsanitize-ignorelist=f"},
                           {"-fopt-record-file=f"},
                           {"-fsave-optimization-record"},
                           {"-foptimization-record-file=f"},
                           {"-fdump-record-layouts"},
                           {"-dumpdir", "f"},
                           {"-H"},
                           {"-v"},
                           {"-###"},
                           {"--version"},
                           {"-print-search-dirs"},
                           {"-x", "ir"},
                           {"-x", "assembler"},
                           {"-Wall"},
                           {"-Werror"},
                           {"-Wno-error=date-time"},
                           {"-g"},
                           {"-gdwarf-5"},
                           {"-pipe"},
                           {"-pg"},
                           {"-flto"},
                           {"-fembed-bitcode"},
                           {"-wrapper", "f"},
                           {"other.c"},
                           {"--", "-fplugin=f.so"},
                           {"-cc1", "-emit-obj"},
                           {"-fuse-ld=f"},
                           {"-fdiagnostics-format=sarif"},
                           {"-fsyntax-only"},
                           {"-Xarch_host", "-fplugin=f.so"},
                           {"-fexperimental-library"},
                           {"-fverify-intermediate-code"},
                           {"-working-directory"},
                           {"-mtune=generic"},
                           {"-mfentry"}};
  for (const Words &Flags : Hostile)
    EXPECT_EQ(kept(Flags), "") << Flags[0];
}

TEST(FlagAdjuster, OneBadFlagTakesNoNeighbour) {
  EXPECT_EQ(kept({"-DA", "-Xclang", "-load", "-Xclang", "f.so", "-DB", "@f",
                  "-fconserve-stack", "-DC", "-I"}),
            "-D A -D B -D C");
}

TEST(FlagAdjuster, NamesUnknownFlagsOnce) {
  AdjustedCommand Command = adjusted(
      {"gcc", "-fconserve-stack", "-fconserve-stack", "-fno-ipa-sra",
       "-mindirect-branch=thunk-extern", "-mpreferred-stack-boundary=3",
       "--param=allow-store-data-races=0", "--param", "x=1",
       "-fno-var-tracking-assignments", "-fplugin=a.so", "-Xclang", "-load",
       "@a", "-fno-strict-aliasing", "-Wall", "-MD", "-o", "x"});
  EXPECT_EQ(
      Command.DroppedFlags,
      (Words{"--param", "-Xclang", "-fconserve-stack", "-fno-ipa-sra",
             "-fno-var-tracking-assignments", "-fplugin=", "-mindirect-branch=",
             "-mpreferred-stack-boundary=", "@file"}));
}

std::string targetOf(Words Args) {
  for (const std::string &Arg : adjusted(std::move(Args)).Args)
    if (llvm::StringRef(Arg).starts_with("--target="))
      return Arg.substr(9);
  return "";
}

TEST(FlagAdjuster, DerivesTheTarget) {
  EXPECT_EQ(targetOf({"aarch64-linux-gnu-gcc", "-c"}), "aarch64-linux-gnu");
  EXPECT_EQ(targetOf({"/opt/x/arm-linux-gnueabihf-gcc-12", "-c"}),
            "arm-linux-gnueabihf");
  EXPECT_EQ(targetOf({"ccache", "riscv64-linux-gnu-gcc", "-c"}),
            "riscv64-linux-gnu");
  EXPECT_EQ(targetOf({"gcc", "-I../arch/arm64/include"}), "aarch64-linux-gnu");
  EXPECT_EQ(targetOf({"gcc", "-I", "/k/arch/arm/include"}),
            "arm-linux-gnueabi");
  EXPECT_EQ(targetOf({"gcc", "-I./arch/x86/include/generated"}),
            "x86_64-linux-gnu");
  EXPECT_EQ(targetOf({"gcc", "-Iinclude"}), "");
  EXPECT_EQ(targetOf({"my-gcc", "-Isearch/arm/include"}), "");
  EXPECT_EQ(targetOf({"aarch64-linux-gnu-gcc", "--target=arm-linux-gnueabi"}),
            "arm-linux-gnueabi");
}

/// Of a command of another driver.
std::string keptOf(Words Args) {
  std::string Text;
  for (const std::string &Arg : adjusted(std::move(Args)).Args)
    if (Arg != "--no-default-config" && Arg != "-w" && Arg != "/s/x.c" &&
        Arg != "--" && !llvm::StringRef(Arg).starts_with("-Wno-error="))
      Text += (Text.empty() ? "" : " ") + Arg;
  return Text;
}

TEST(FlagAdjuster, UnderstandsClangCl) {
  const Case Cases[] = {
      {{"clang-cl.exe", "/nologo", "/DX=1", "/I.", "/c", "x.c"}, "-D X=1 -I ."},
      {{"cl", "/D", "X", "/U", "Y", "/FIa.h", "/Fox.obj", "/W4", "/TC"},
       "-D X -U Y -FI a.h -TC"},
      {{"cl.exe", "/Zp2", "/J"}, "-Zp2 -J"},
      {{"cl", "/clang:-fpack-struct=2", "/clang:-fplugin=f.so"},
       "/clang:-fpack-struct=2"},
      {{"cl", "-Xclang", "-fpack-struct=2"}, "-Xclang -fpack-struct=2"},
      {{"clang", "--driver-mode=cl", "/DX"}, "-D X"},
      {{"cl", "/Yua.h", "/Fpa.pch", "/showIncludes", "/E", "/LD"}, "-LD"},
      {{"C:/x86/cl.exe", "/DX"}, "--target=i686-pc-windows-msvc -D X"},
  };
  for (const Case &C : Cases)
    EXPECT_EQ(keptOf(C.Flags), "--driver-mode=cl " + std::string(C.Kept));
  EXPECT_EQ(adjusted({"cl", "/DX"}).Args.rbegin()[1], "--");
  EXPECT_EQ(adjusted({"cl", "-qqq=1"}).DroppedFlags.size(), 1u);
}

TEST(FlagAdjuster, DoesWhatTheCompilerDoesUnasked) {
  const Case Cases[] = {
      {{"arm-none-eabi-gcc"}, "--target=arm-none-eabi -fshort-enums"},
      {{"arm-none-eabi-gcc", "-fno-short-enums"},
       "--target=arm-none-eabi -fno-short-enums"},
      {{"arm-none-eabi-clang"}, "--target=arm-none-eabi"},
      {{"arm-linux-gnueabihf-gcc"}, "--target=arm-linux-gnueabihf"},
      {{"avr-gcc"}, "--target=avr -fpack-struct=1"},
      {{"zig", "cc", "-target", "x86-linux-gnu.2.17", "-mcpu=baseline"},
       "--target=i386-linux-gnu"},
      {{"zig", "cc", "-target", "native"}, ""},
      {{"emcc"}, "--target=wasm32-unknown-emscripten"},
  };
  for (const Case &C : Cases)
    EXPECT_EQ(keptOf(C.Flags), C.Kept);
}

TEST(FlagAdjuster, NamesWhatShapesLayoutsAndIsNotClangs) {
  EXPECT_EQ(
      adjusted({"gcc", "-m96bit-long-double", "-mstructure-size-boundary=32",
                "-mint8"})
          .DroppedFlags,
      (Words{"-m96bit-long-double", "-mint8", "-mstructure-size-boundary="}));
}

TEST(FlagAdjuster, HeadersOfTheCompilerUnlessTheCommandSaysWhere) {
  const CompilerFacts Known{CompilerFamily::Gnu, "avr", "", {"/h"}};
  auto Has = [&](Words Args) {
    return llvm::is_contained(adjust({"/", "/s/x.c", "", {}}, Args, Known).Args,
                              "/h");
  };
  EXPECT_TRUE(Has({"-I."}));
  EXPECT_FALSE(Has({"--sysroot=/r"}));
  EXPECT_FALSE(Has({"-nostdinc"}));
}

TEST(FlagAdjuster, SourceIsLastAndEmptyCommandIsFine) {
  EXPECT_EQ(adjusted({}).Args.back(), "/s/x.c");
  EXPECT_EQ(adjusted({"gcc"}).Args.back(), "/s/x.c");
  EXPECT_EQ(adjusted({"gcc", "y.c", "-DX"}).Args.back(), "/s/x.c");
}

} // namespace
} // namespace kst
