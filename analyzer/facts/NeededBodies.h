// SPDX-License-Identifier: GPL-2.0-or-later
//
// Most of what a unit parses are bodies of inline functions in headers that it
// never reaches. Here they are replaced by a semicolon before clang sees them;
// a prediction says which, and the parsed unit says whether it was right.

#pragma once

#include "analyzer/facts/HeaderIndex.h"

#include "clang/AST/Decl.h"
#include "clang/Lex/PPCallbacks.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <map>
#include <optional>

namespace clang {
class Preprocessor;
}

namespace kst {

/// The bodies that one parse of one unit is given. A body that turns out to
/// have been needed is marked in the index, so the next parse has it.
class NeededBodies {
public:
  /// All: every body, whatever is needed.
  NeededBodies(HeaderIndex &Index, bool All);

  /// The unit's main file is no header, whatever its name.
  void setMain(llvm::sys::fs::UniqueID File) { Main = File; }
  bool isMain(llvm::sys::fs::UniqueID File) const { return Main == File; }
  /// Nothing is taken away any more: bodies of C++ are found in classes, and
  /// templates are made of them.
  void takeWhole() { Whole = true; }

  /// The unit is made of this text and needs what it mentions. Null-terminated.
  void addSource(llvm::StringRef Text);
  /// The unit includes this header. Both calls save a second parse when they
  /// come before the first.
  void addHeader(const HeaderIndex::Text &Text);

  /// The text of a header as the parser shall see it: same length, same
  /// lines. A file gets the same answer each time.
  std::unique_ptr<llvm::MemoryBuffer>
  reduce(llvm::sys::fs::UniqueID File,
         std::unique_ptr<llvm::MemoryBuffer> Contents);

  /// After the parse: something was learned about this function, so that it
  /// matters whether its body was there.
  void require(const clang::FunctionDecl *Function);

  /// After the last require(): whether the unit that was parsed means the
  /// same as the whole one, as far as was required.
  bool sufficed() const { return Complete; }

  /// Numbers for the uses of __COUNTER__ in a body at this place, or null when
  /// it is in none that could be removed. The next one is to be taken from
  /// there; they do not depend on any other body, and none is given twice.
  unsigned *counterAt(const clang::SourceManager &Sources,
                      clang::SourceLocation Place);

private:
  struct File {
    HeaderIndex::Text *Text;
    unsigned FirstCount;                      ///< of its first byte's numbers
    std::vector<HeaderIndex::Body *> Removed; ///< in the order of the text
  };
  void reach(HeaderIndex::NameId Name);
  bool needs(const HeaderIndex::Body &Body) const;
  /// The header of a place and the place's offset; null if not in one.
  std::pair<const File *, unsigned> find(const clang::SourceManager &Sources,
                                         clang::SourceLocation Place) const;

  HeaderIndex &Index;
  bool All;
  bool Whole = false;
  std::optional<llvm::sys::fs::UniqueID> Main;
  std::vector<bool> Reached; ///< by NameId
  llvm::DenseSet<const HeaderIndex::Text *> Headers;
  std::map<llvm::sys::fs::UniqueID, File> Files;
  std::map<const HeaderIndex::Body *, unsigned> Counters;
  unsigned NextCount = 1 << 20; ///< below are those outside of bodies
  bool Complete = true;
};

/// Makes __COUNTER__ give the numbers of counterAt() in the bodies that could
/// be removed, so that names made of it do not depend on what was removed.
/// Needed outlives the preprocessor.
std::unique_ptr<clang::PPCallbacks> stableCounter(clang::Preprocessor &PP,
                                                  NeededBodies &Needed);

/// Files, with headers reduced. Needed outlives it.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
reduceHeaders(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files,
              NeededBodies &Needed);

} // namespace kst
