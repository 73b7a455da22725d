// SPDX-License-Identifier: GPL-2.0-or-later
//
// A built kernel's vmlinux: symbols, initial data, source lines of code.

#ifndef KST_PASSES_READERS_KERNELIMAGE_H
#define KST_PASSES_READERS_KERNELIMAGE_H

#include "passes/readers/CallResults.h"
#include "passes/readers/FunctionCode.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kst {

struct KernelSymbol {
  uint64_t Address = 0, SizeBytes = 0;
};

/// Where an instruction is in the source.
struct SourcePlace {
  std::string Function, File; ///< from the top of the source
  uint32_t Line = 0, Column = 0;
};

class KernelImage {
public:
  /// An error names the file and says what is wrong with it.
  static llvm::Expected<KernelImage> open(const std::string &File);
  KernelImage(KernelImage &&);
  ~KernelImage();

  const std::string &file() const;
  bool x86() const;
  std::optional<KernelSymbol> symbol(const std::string &Name) const;
  /// The symbol of that address, "" if there is none.
  std::string nameAt(uint64_t Address) const;
  /// The function around the address by its symbol, "" if none is.
  std::string functionAt(uint64_t Address) const;
  /// Initial data, up to 8 bytes.
  std::optional<uint64_t> data(uint64_t Address, unsigned Bytes = 8) const;
  /// Where direct calls of the functions return to, by the function's address.
  /// Bytes that look like a call but are none are rare, and may be there.
  std::multimap<uint64_t, uint64_t>
  callsOf(const std::set<uint64_t> &Functions) const;
  /// Whether its initial data have a text that is Text, or Text, `_` and more,
  /// or ends so: a slab cache of that name may be made.
  bool hasName(const std::string &Text) const;
  /// The innermost source function first, those that it was inlined into after
  /// it. By the symbol where debug information says nothing.
  std::vector<SourcePlace> placesOf(uint64_t Address) const;
  /// Of its code, all sections. An error says which debug information is not
  /// there, or that it has no function.
  llvm::Expected<FunctionCode> functionCode() const;
  /// Which debug information is not there and why; "" if all is.
  const std::string &problem() const;
  /// The first address of its code, and that behind the last; 0 if it has none.
  std::pair<uint64_t, uint64_t> codeRange() const;
  /// As `uname -r` says it, "" if it says none.
  std::string release() const;
  /// Structs that the result of the call that returns to the address may point
  /// to (CallResults.h).
  std::vector<ResultType> resultTypes(uint64_t ReturnAddress) const;

private:
  struct State;
  explicit KernelImage(std::unique_ptr<State> S);
  std::unique_ptr<State> S;
};

} // namespace kst

#endif
