// SPDX-License-Identifier: GPL-2.0-or-later
//
// A tree of sources for one test, with its include graph and a front end that
// counts how often it is asked.

#pragma once

#include "analyzer/facts/DeclaredFacts.h"
#include "analyzer/request/StructSearch.h"
#include "test/unit/support/TempTree.h"

#include "llvm/Support/VirtualFileSystem.h"

#include <string>
#include <vector>

namespace kst::test {

struct RequestTree : TempTree {
  std::vector<CompileUnit> Units;
  std::vector<uint32_t> Asked; ///< units that the front end was asked about

  void unit(const std::string &Name, const std::string &Text,
            std::vector<std::string> Args = {}) {
    file(Name, Text);
    Args.push_back(path(Name));
    Units.push_back({path(Name), Name, Root, std::move(Args), 0});
  }

  Prober prober() {
    return [this](llvm::ArrayRef<uint32_t> Which) {
      std::vector<std::optional<TuFacts>> All;
      for (uint32_t Unit : Which) {
        Asked.push_back(Unit);
        ExtractRequest Request;
        Request.SourceRoot = Request.Directory = Root;
        Request.Args = Units[Unit].Args;
        auto Facts = declaredFacts(Request, llvm::vfs::getRealFileSystem());
        All.emplace_back();
        if (Facts)
          All.back() = std::move(*Facts);
        else
          llvm::consumeError(Facts.takeError());
      }
      return All;
    };
  }
};

} // namespace kst::test
