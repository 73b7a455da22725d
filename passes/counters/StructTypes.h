// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which LLVM struct types are the structs that the user named.

#pragma once

#include "passes/counters/Options.h"
#include "passes/counters/Site.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Module.h"

namespace kst::counters {

/// "rq" for %struct.rq, %struct.rq.12, %union.rq and %class.rq; "" for types
/// without a name in the source.
llvm::StringRef sourceName(const llvm::StructType &Type);

/// The selected types of one module, numbered as they are met.
class StructTypes {
public:
  StructTypes(const llvm::Module &M, const Options &O, SiteTable &Table);

  /// The number of a selected struct in SiteTable::Structs, or NoStruct. Types
  /// of one name and size are one struct.
  uint32_t number(llvm::StructType *Type);
  /// A type whose objects can be part of a selected struct: nested in one that
  /// this module knows whole, or named as embedded.
  bool isEmbedded(llvm::StructType *Type) const;
  /// The type of that name that the module's context knows, or null.
  static llvm::StructType *find(llvm::LLVMContext &Context,
                                llvm::StringRef Name);

private:
  const Options &O;
  const llvm::DataLayout &Layout;
  SiteTable &Table;
  llvm::DenseMap<llvm::StructType *, uint32_t> Numbers;
  llvm::DenseSet<llvm::StructType *> Nested;

  bool isSelected(llvm::StructType *Type) const;
};

} // namespace kst::counters
