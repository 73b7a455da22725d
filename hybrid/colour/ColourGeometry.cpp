// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/colour/ColourGeometry.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>

namespace kst {
namespace {

namespace fs = std::filesystem;

/// enum cache_indexing and cache_write_policy of include/linux/node.h.
constexpr const char *Indexings[] = {"direct", "complex", "other"};
constexpr const char *Policies[] = {"write-back", "write-through", "other"};

/// The number behind the name; none if the name is another.
std::optional<unsigned> numbered(const std::string &Text, const char *Name) {
  const std::string_view Head = Name;
  unsigned Out = 0;
  if (!Text.starts_with(Head) || Text.size() == Head.size())
    return std::nullopt;
  auto [End, Error] = std::from_chars(Text.data() + Head.size(),
                                      Text.data() + Text.size(), Out);
  if (Error != std::errc() || End != Text.data() + Text.size())
    return std::nullopt;
  return Out;
}

std::vector<std::pair<unsigned, fs::path>> folders(const fs::path &In,
                                                   const char *Name) {
  std::vector<std::pair<unsigned, fs::path>> Out;
  std::error_code Error;
  for (const auto &Of : fs::directory_iterator(In, Error))
    if (auto Number = numbered(Of.path().filename().string(), Name))
      Out.push_back({*Number, Of.path()});
  std::sort(Out.begin(), Out.end());
  return Out;
}

std::optional<uint64_t> number(const fs::path &File) {
  std::ifstream In(File);
  uint64_t Out = 0;
  return In >> Out ? std::optional(Out) : std::nullopt;
}

} // namespace

Result<std::vector<NodeCache>> nodeCaches(const std::string &NodeRoot) {
  std::vector<NodeCache> Out;
  for (const auto &[Node, Folder] : folders(NodeRoot, "node"))
    for (const auto &[Level, Index] :
         folders(Folder / "memory_side_cache", "index")) {
      auto Size = number(Index / "size"), Line = number(Index / "line_size"),
           Indexing = number(Index / "indexing"),
           Policy = number(Index / "write_policy");
      if (!Size || !Line || !Indexing || !Policy || *Indexing > 2 ||
          *Policy > 2)
        return Failure{Index.string() + ": not understood"};
      NodeCache Of;
      Of.Node = Node;
      Of.Level = Level;
      Of.Shape = {*Size, *Indexing ? 0u : 1u, uint32_t(*Line)};
      Of.Indexing = Indexings[*Indexing];
      Of.WritePolicy = Policies[*Policy];
      Out.push_back(std::move(Of));
    }
  return Out;
}

} // namespace kst
