// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a program's debug information says about names: members of structs,
// values of enumerators, variables with static storage.

#ifndef KST_PASSES_READERS_DEBUGFACTS_H
#define KST_PASSES_READERS_DEBUGFACTS_H

#include "hybrid/core/MemberName.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace kst {

struct DebugQuestion {
  std::set<std::string> Structs; ///< tags, or typedefs of structs without one
  std::set<std::string> Enumerators;
  std::set<std::string> Functions; ///< whose parameters are wanted
  bool Variables = false;          ///< and the structs that they are
  /// Structs of these sizes that begin with a struct of the name, at any depth.
  std::map<std::string, std::set<uint64_t>> Beginnings;
};

/// A struct or union; one without a tag has the name of its typedef.
struct DebugStruct {
  uint64_t SizeBytes = 0;
  MemberNames Members; ///< at any depth, those of unnamed ones as its own
  std::vector<std::pair<uint32_t, uint32_t>> Elements; ///< offset, size: direct
};

/// A variable of static storage whose type is a struct, or an array of them.
struct DebugVariable {
  uint64_t Address = 0;
  std::string Name, Struct;
  uint64_t SizeBytes = 0; ///< of one
  uint64_t Number = 1;
};

struct DebugFacts {
  std::map<std::string, DebugStruct> Structs; ///< first definition of a name
  std::map<std::string, uint64_t> Enumerators;
  /// Names of parameters, by function; the first one of a name.
  std::map<std::string, std::vector<std::string>> Parameters;
  /// What begins with such a struct, by its name and the size; also in Structs.
  std::map<std::pair<std::string, uint64_t>, std::set<std::string>> Beginning;
  std::vector<DebugVariable> Variables; ///< by address; one for each address
  std::string Problem; ///< which debug information is not there; "" if all is
};

/// Answers; what is not there is missing. Stops reading where everything that
/// was asked for by name is found. A file that is no ELF file is an error; one
/// without debug information answers nothing but a problem.
llvm::Expected<DebugFacts> debugFacts(const std::string &File,
                                      DebugQuestion Asked);

} // namespace kst

#endif
