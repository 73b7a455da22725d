// SPDX-License-Identifier: GPL-2.0-or-later
//
// The names are those of gcc's manual, "Machine-Dependent Options" and "Options
// for Code Generation Conventions", and of compilers that descend from it.

#include "analyzer/compile/LayoutFlags.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

namespace kst {

static bool shapesLayout(llvm::StringRef Flag) {
  static const llvm::StringSet<> Names = {
      // Any machine.
      "-fpack-struct", "-fpack-struct=", "-fno-pack-struct", "-fshort-enums",
      "-fno-short-enums", "-fshort-double", "-fshort-wchar",
      "-fsso-struct=", "-fipa-struct-reorg",
      "-fipa-struct-reorg=", "-fipa-reorder-fields", "-mms-bitfields",
      "-mno-ms-bitfields", "-fabi-version=",
      // Sizes and alignments of numbers.
      "-malign-double", "-m96bit-long-double", "-m128bit-long-double",
      "-mlong-double-64", "-mlong-double-80", "-mlong-double-128",
      "-mlong-double=", "-mdouble=", "-m32bit-doubles", "-m64bit-doubles",
      "-mdouble-32", "-mdouble-64", "-mint8", "-mint16", "-mint32",
      "-mno-int16", "-mno-int32", "-mshort", "-mlong32", "-mlong64",
      "-mlongcall64", "-malign-int", "-malign-natural", "-malign-power", "-mn",
      "-mfloat32", "-mno-float32", "-mfloat64", "-mno-float64",
      "-mbig-bitfields",
      // Sizes of pointers.
      "-mlp64", "-milp32", "-mlarge", "-mptr32", "-mptr64", "-m31",
      "-mabi=", "-mabi", "-mx32", "-m32", "-m64", "-m16", "-mmemory-model=",
      // Records.
      "-mstructure-size-boundary=", "-mno-align-structs", "-mbit-align",
      "-mno-bit-align",
      // Microsoft's.
      "/Zp", "-Zp"};
  return Names.contains(Flag);
}

std::string layoutDoubt(llvm::StringRef Flag) {
  static const llvm::StringSet<> Unread = {"@file", "--config=", "--config",
                                           "-include-pch"};
  if (shapesLayout(Flag))
    return (Flag + " shapes layouts, and clang does not have it: the offsets "
                   "are not the program's")
        .str();
  if (Unread.contains(Flag))
    return (Flag + " names a file that was not read: what is in there may "
                   "shape layouts")
        .str();
  return "";
}

} // namespace kst
