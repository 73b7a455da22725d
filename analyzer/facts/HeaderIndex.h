// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which name leads to which other names through the inline functions and
// macros of all headers seen so far. Units share most of their headers, so one
// index serves all units of a process and each text is scanned once.
//
// An index only predicts which bodies a unit can do without. NeededBodies
// checks it after the parse.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace kst {

/// Not thread-safe. Grows with the headers it is shown.
class HeaderIndex {
public:
  using NameId = uint32_t;

  /// A body that may be replaced by a semicolon (ScannedBody::Removable).
  struct Body {
    uint32_t Start, Begin, End;
    std::vector<NameId> Names;
    bool Keep = false; ///< a unit needed it where nothing had said so
  };
  struct Include {
    std::string Name;
    bool Quoted;
  };
  struct Text;
  /// What a name leads to by a text.
  struct Lead {
    const Text *By;
    std::vector<NameId> To;
  };
  struct Text {
    std::vector<Body> Bodies;      ///< in the order of the text
    std::vector<NameId> Defines;   ///< names that it gives something to lead to
    std::vector<Include> Includes; ///< under any condition
  };

  /// The entry of a header's text, null-terminated. Stays valid.
  Text &text(llvm::StringRef Contents);
  /// The same of a file on disk, null when there is none. Reads a path once.
  Text *file(llvm::StringRef Path);
  NameId name(llvm::StringRef Name);
  size_t nameCount() const { return Leads.size(); }
  llvm::ArrayRef<Lead> leads(NameId From) const { return Leads[From]; }

private:
  NameId addLead(Text &By, llvm::StringRef From,
                 llvm::ArrayRef<llvm::StringRef> To);
  void addPrefix(const Text &By, NameId Macro, llvm::StringRef Prefix);
  void addFunction(llvm::StringRef Name);

  llvm::StringMap<NameId> Ids;
  std::vector<std::vector<Lead>> Leads; ///< by NameId
  std::map<std::pair<uint64_t, uint64_t>, std::unique_ptr<Text>> Texts;
  llvm::StringMap<Text *> Paths;
  struct Paster {
    const Text *By;
    NameId Macro;
  };
  llvm::StringMap<std::vector<Paster>> Prefixes; ///< by what is pasted to
  llvm::StringMap<NameId> Functions;
};

} // namespace kst
