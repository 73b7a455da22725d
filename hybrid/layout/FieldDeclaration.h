// SPDX-License-Identifier: GPL-2.0-or-later
//
// From the declaration of a field that does not exist yet ("u64 foo") to its
// size and alignment. No compiler is asked: types of C and of the kernel's
// <linux/types.h> are sized by the target, all others by what the analysed
// move units know.

#pragma once

#include "hybrid/core/Record.h"
#include "hybrid/core/Result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace kst {

struct TypeShape {
  uint64_t SizeBytes = 0;
  uint32_t AlignBytes = 1;
  bool operator==(const TypeShape &) const = default;
};

/// What the analysed move units say about a type, spelt "struct tag", "union
/// tag", "enum tag" or as one word; nothing for one that they do not know.
using TypeLookup =
    std::function<Result<std::optional<TypeShape>>(const std::string &Type)>;

/// What the caller states and the type need not say; 0: not stated.
struct StatedShape {
  uint64_t SizeBytes = 0;
  uint32_t AlignBytes = 0; ///< a power of two
};

/// Sizes that differ between targets, in bytes.
struct DataModel {
  uint32_t Pointer = 8;
  uint32_t Long = 8;
  uint32_t AlignOf64 = 8; ///< of long long as a member
};

/// Of an LLVM target triple; nothing for an architecture that is not listed.
std::optional<DataModel> dataModelOf(const std::string &Triple);

/// Parses `TYPE NAME`, `TYPE *NAME`, `TYPE NAME[N]`, `TYPE NAME:BITS` and
/// `TYPE (*NAME)(...)`, with a ';' or without; const, volatile and the kernel's
/// address-space words are skipped. The offset of the result is 0. The error
/// says what is not understood, and asks for --size and --align where only the
/// size of a type is unknown.
Result<FieldInfo> parseDeclaration(const std::string &Text,
                                   const std::string &Triple,
                                   const TypeLookup &Lookup,
                                   const StatedShape &Stated = {});

} // namespace kst
