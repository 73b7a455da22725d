// SPDX-License-Identifier: GPL-2.0-or-later
//
// The variables of a makefile, as GNU make computes them before it runs any
// rule. Nothing is ever run: $(shell) is empty, rules and their recipes are
// skipped, and so are variables that belong to one target.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kst {

/// What a makefile may ask of the world. Any may be unset.
struct MakeHost {
  /// Text of a file that is included; nothing if it cannot be read.
  std::function<std::optional<std::string>(llvm::StringRef File)> Read;
  /// Names that a pattern of $(wildcard) matches, sorted.
  std::function<std::vector<std::string>(llvm::StringRef Pattern)> Match;
  /// The value of $(call NAME,ARGS...), to take the place of what NAME says.
  std::function<std::optional<std::string>(llvm::StringRef Name,
                                           llvm::ArrayRef<std::string> Args)>
      Call;
};

/// Variables, and the text that sets them. Text of any kind is safe: loops,
/// depth and length of an expansion are bounded, and what exceeds them is
/// empty or cut.
class Makefile {
public:
  /// Outer, if any, has the variables that are not set here; it must outlive
  /// this and not change.
  explicit Makefile(const MakeHost &Host, const Makefile *Outer = nullptr)
      : Host(Host), Outer(Outer) {}

  /// Follows the statements of a makefile; may be called again.
  void read(llvm::StringRef Text);

  /// Sets a variable to a value that is not expanded any more.
  void set(llvm::StringRef Name, llvm::StringRef Value);
  /// The expanded value; "" if there is none.
  std::string value(llvm::StringRef Name);
  /// True if the variable is set, be it to nothing.
  bool has(llvm::StringRef Name) const { return lookUp(Name) != nullptr; }
  std::string expand(llvm::StringRef Text);

private:
  struct Variable {
    std::string Text;
    bool Simple = false; ///< expanded when it was set
  };
  /// An open conditional: is this branch taken, and was one before it?
  struct Branch {
    bool Taken = false, Done = false;
  };

  const Variable *lookUp(llvm::StringRef Name) const;

  void statement(llvm::StringRef Line);
  bool conditional(llvm::StringRef Line);
  void otherwise(llvm::StringRef Rest);
  bool condition(llvm::StringRef Word, llvm::StringRef Rest);
  bool live() const;
  void assignment(llvm::StringRef Line, size_t At);
  void include(llvm::StringRef Files);
  void assign(const std::string &Name, llvm::StringRef Operator,
              llvm::StringRef Value);
  void inDefinition(llvm::StringRef Line);

  std::string reference(llvm::StringRef Inside);
  std::string substitution(llvm::StringRef Inside, size_t Colon);
  std::optional<std::string> special(llvm::StringRef Name,
                                     llvm::StringRef Rest);
  std::string forEach(llvm::ArrayRef<llvm::StringRef> Args);
  std::string call(llvm::ArrayRef<llvm::StringRef> Args);
  std::string variable(llvm::StringRef Name);
  std::vector<std::string> expandAll(llvm::ArrayRef<llvm::StringRef> Args);

  const MakeHost &Host;
  const Makefile *Outer;
  llvm::StringMap<Variable> Vars;
  std::vector<Branch> Branches;
  std::vector<std::vector<std::string>> Calls; ///< $(0), $(1), ...
  llvm::StringMap<unsigned> Active;            ///< variables being expanded
  std::string Defining, DefinedText;           ///< inside define ... endef
  std::string DefiningAs;                      ///< its operator
  unsigned Depth = 0, Included = 0;
  size_t Work = 0; ///< characters that this statement has made
  bool InRule = false;
};

} // namespace kst
