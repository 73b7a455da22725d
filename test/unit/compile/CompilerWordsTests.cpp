// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/CompilerWords.h"

#include "analyzer/compile/ShellWords.h"

#include <gtest/gtest.h>

namespace kst {
namespace {

using enum CompilerFamily;

struct NameCase {
  const char *Word;
  CompilerFamily Family;
  const char *Triple;
};

TEST(CompilerWords, NamesSayFamilyAndMachine) {
  const NameCase Cases[] = {
      {"gcc", Gnu, ""},
      {"cc", Gnu, ""},
      {"/usr/bin/g++-12", Gnu, ""},
      {"gcc14", Gnu, ""},
      {"c99", Gnu, ""},
      {"tcc", Gnu, ""},
      {"clang", Clang, ""},
      {"prebuilts/clang/host/linux-x86/clang-r487747c/bin/clang++", Clang, ""},
      {"clang-19", Clang, ""},
      {"arm-none-eabi-gcc-12.2.1", Gnu, "arm-none-eabi"},
      {"/opt/my tools/arm-linux-gnueabihf-gcc", Gnu, "arm-linux-gnueabihf"},
      {"aarch64-linux-gnu-g++-12", Gnu, "aarch64-linux-gnu"},
      {"aarch64-linux-android21-clang", Clang, "aarch64-linux-android21"},
      {"x86_64-w64-mingw32-gcc-posix", Gnu, "x86_64-w64-mingw32"},
      {"aarch64-buildroot-linux-gnu-gcc.br_real", Gnu,
       "aarch64-buildroot-linux-gnu"},
      {"avr-gcc", Gnu, "avr"},
      {"xtensa-esp32-elf-gcc", Gnu, "xtensa-esp32-elf"},
      {"riscv64-linux-gnu-cc", Gnu, "riscv64-linux-gnu"},
      {"emcc", Clang, "wasm32-unknown-emscripten"},
      {"em++.py", Clang, "wasm32-unknown-emscripten"},
      {"cl.exe", Microsoft, ""},
      {"CL.EXE", Microsoft, ""},
      {"C:\\VC\\bin\\Hostx64\\x86\\cl.exe", Microsoft, "i686-pc-windows-msvc"},
      {"/llvm/clang-cl-19", Microsoft, ""},
      {"zig", Zig, ""},
      {"musl-gcc", Gnu, ""},
      {"my-gcc", Gnu, ""}, // but it has a prefix
      {"rustc", NotC, ""},
      {"/usr/local/cuda/bin/nvcc", NotC, ""},
      {"sdcc", NotC, ""},
      {"gcc-ar", NotC, ""},
      {"arm-linux-gnueabihf-gcc-ar-12", NotC, "arm-linux-gnueabihf-gcc"},
      {"clang-tidy", Unknown, ""},
      {"clang-format-19", Unknown, ""},
      {"cl2000", Unknown, ""},
      {"compiler", Unknown, ""},
      {"", Unknown, ""},
  };
  for (const NameCase &C : Cases) {
    const CompilerName Name = parseCompilerName(C.Word);
    EXPECT_EQ(Name.Family, C.Family) << C.Word;
    if (C.Family != NotC) {
      EXPECT_EQ(Name.Triple, C.Triple) << C.Word;
    }
  }
  EXPECT_EQ(parseCompilerName("my-gcc").Prefix, "my");
  EXPECT_EQ(parseCompilerName("musl-gcc").Prefix, "");
}

struct CommandCase {
  const char *Line, *Compiler, *Args;
};

TEST(CompilerWords, TheCompilerIsBehindLaunchersOfAnyDepth) {
  const CommandCase Cases[] = {
      {"arm-gcc -c a.c", "arm-gcc", "-c a.c"},
      {"ccache arm-gcc -c a.c", "arm-gcc", "-c a.c"},
      {"CCACHE_DIR=/x A=b ccache distcc arm-gcc -c a.c", "arm-gcc", "-c a.c"},
      {"icecc arm-gcc -c a.c", "arm-gcc", "-c a.c"},
      {"env -i LC_ALL=C arm-gcc -c a.c", "arm-gcc", "-c a.c"},
      {"PWD=/proc/self/cwd clang/bin/clang++ -c a.c", "clang/bin/clang++",
       "-c a.c"},
      {"/bin/sh ./libtool --tag=CC --mode=compile arm-gcc -c a.c", "arm-gcc",
       "-c a.c"},
      {"libtool: compile:  arm-gcc -DPIC -c a.c", "arm-gcc", "-DPIC -c a.c"},
      {"sh -c 'arm-gcc -DX=1 -c a.c'", "arm-gcc", "-DX=1 -c a.c"},
      {"bash -ec 'set -x; env A=b arm-gcc -c a.c && true'", "arm-gcc",
       "-c a.c"},
      {"cmd.exe /C \"cd . && clang-cl.exe /DX /c a.c\"", "clang-cl.exe",
       "/DX /c a.c"},
      {"cmd /c cl.exe /DX /c a.c", "cl.exe", "/DX /c a.c"},
      {"ccache.exe arm-gcc.exe -c a.c", "arm-gcc.exe", "-c a.c"},
      {"nice -n 19 timeout 10 gcc -c a.c", "gcc", "-c a.c"},
      {"cmake -E __run_co_compile --launcher=ccache --tidy=clang-tidy "
       "--source=a.c -- /usr/bin/cc -c a.c",
       "/usr/bin/cc", "-c a.c"},
      {"rewrapper -cfg=x ../../third_party/llvm-build/bin/clang++ -c a.c",
       "../../third_party/llvm-build/bin/clang++", "-c a.c"},
      {"mywrapper --foo arm-gcc -c a.c", "arm-gcc", "-c a.c"},
      {"zig cc -target x86_64-linux-gnu -c a.c", "zig",
       "-target x86_64-linux-gnu -c a.c"},
      {"CC=arm-gcc $CC -c a.c", "arm-gcc", "-c a.c"},
      {"CCC_CC=arm-gcc ccc-analyzer -c a.c", "arm-gcc", "-c a.c"},
      {"xcrun --sdk macosx clang -c a.c", "clang", "-c a.c"},
      // No name of a compiler: the first word that is no launcher.
      {"mycompiler -c a.c", "mycompiler", "-c a.c"},
      {"ccache mycompiler -o gcc -c a.c", "mycompiler", "-o gcc -c a.c"},
      {"mycompiler -I cc -c gcc", "mycompiler", "-I cc -c gcc"},
      {"", "", ""},
  };
  for (const CommandCase &C : Cases) {
    const Compiler Found = findCompiler(compileWords(C.Line));
    std::string Args;
    for (const std::string &Word : Found.Args)
      Args += (Args.empty() ? "" : " ") + Word;
    EXPECT_EQ(Found.Word, C.Compiler) << C.Line;
    EXPECT_EQ(Args, C.Args) << C.Line;
  }
  EXPECT_EQ(findCompiler({"zig", "build-obj", "a.zig"}).Name.Family, NotC);
}

} // namespace
} // namespace kst
