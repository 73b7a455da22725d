// SPDX-License-Identifier: GPL-2.0-or-later
//
// An image together with its debug information, wherever that is and in
// whatever form: in the image, in a debug file, split, in units of types. The
// one place where DWARF is opened.

#pragma once

#include "passes/readers/DebugFile.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kst {

/// Owns the files. What is wrong inside of units is passed over.
class DebugInfo {
public:
  /// Fails, naming the file, if it is no object file. Debug information that is
  /// not there is no failure, see problem(). `Sections`: of a relocatable file,
  /// where its sections are to lie, by number; else empty.
  static llvm::Expected<DebugInfo>
  open(const std::string &File, const std::vector<uint64_t> &Sections = {});
  /// The same; an error if debug information, or a part of it, is not there.
  static llvm::Expected<DebugInfo> openWhole(const std::string &File);

  const llvm::object::ObjectFile &image() const { return *Image.getBinary(); }
  /// The image, or its debug file where the image has no symbols.
  const llvm::object::ObjectFile &withSymbols() const;
  llvm::DWARFContext &context() const { return *Context; }
  /// Which debug information is not there and why, with the file's name; "" if
  /// all is there.
  const std::string &problem() const { return Problem; }

  /// The top entry of a unit; of a split one that of its other part, as far as
  /// it is there.
  llvm::DWARFDie topOf(llvm::DWARFUnit &Unit) const;
  /// Hands out the top entry of each unit, units of types behind those of code,
  /// until Take returns false. Entries are gone when the next one comes.
  void forEachUnit(llvm::function_ref<bool(llvm::DWARFDie)> Take);

private:
  std::string besides(llvm::DWARFUnit &Skeleton) const;
  std::string splitProblem() const;
  std::string unreadable(const llvm::object::ObjectFile &Object) const;

  std::string File, Problem;
  llvm::object::OwningBinary<llvm::object::ObjectFile> Image;
  DebugFile Separate;
  std::shared_ptr<std::string> FirstError; ///< of a compressed section
  std::unique_ptr<llvm::DWARFContext> Context;
  std::shared_ptr<llvm::DWARFContext> Package; ///< the .dwp; may be null
};

} // namespace kst
