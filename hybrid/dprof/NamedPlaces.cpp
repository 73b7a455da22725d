// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/dprof/NamedPlaces.h"

#include <algorithm>

namespace kst {

NamedPlace placeOfPath(const MemberNames &Members, std::string_view Path) {
  const std::string_view Whole = Path;
  while (!Path.empty()) {
    for (const MemberName &M : Members)
      if (M.Path == Path) {
        const uint64_t Begin = M.OffsetBits / 8,
                       End = (M.OffsetBits + M.SizeBits + 7) / 8;
        return {uint32_t(Begin),
                Path == Whole ? std::max(uint32_t(End - Begin), 1u) : 1u};
      }
    const size_t Last = Path.find_last_of(".[");
    Path = Path.substr(0, Last == Path.npos ? 0 : Last);
  }
  return {};
}

NamedPlaces::NamedPlaces(const Profile &About, const StructMembers &Members) {
  for (const MeasuredSite &Site : About.Sites) {
    Named.push_back(Site.Field != 0);
    Of.emplace_back();
    if (!Site.Field || Site.Struct == NoStruct)
      continue;
    auto Known = Members.find(About.text(About.Structs[Site.Struct].Name));
    if (Known != Members.end())
      Of.back() = placeOfPath(Known->second, About.text(Site.Field));
  }
}

std::set<std::string> structsByName(const Profile &About) {
  std::set<std::string> Out;
  for (const MeasuredSite &Site : About.Sites)
    if (Site.Field && Site.Struct != NoStruct)
      Out.insert(About.text(About.Structs[Site.Struct].Name));
  return Out;
}

} // namespace kst
