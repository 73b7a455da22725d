// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/cache/FullLru.h"

namespace kst {

void FullLru::unlink(uint32_t N) {
  Nodes[Nodes[N].Newer].Older = Nodes[N].Older;
  Nodes[Nodes[N].Older].Newer = Nodes[N].Newer;
}

void FullLru::linkNewest(uint32_t N) {
  Nodes[N].Newer = 0;
  Nodes[N].Older = Nodes[0].Older;
  Nodes[Nodes[0].Older].Newer = N;
  Nodes[0].Older = N;
}

bool FullLru::touch(uint64_t Line) {
  if (Nodes[Nodes[0].Older].Line == Line)
    return true;
  if (const uint32_t *Place = Places.find(Line)) {
    unlink(*Place);
    linkNewest(*Place);
    return true;
  }
  uint32_t N = Nodes[0].Newer;
  if (Nodes.size() <= Lines) {
    N = uint32_t(Nodes.size());
    Nodes.emplace_back();
  } else {
    Places.erase(Nodes[N].Line);
    unlink(N);
  }
  Nodes[N].Line = Line;
  linkNewest(N);
  Places[Line] = N;
  return false;
}

} // namespace kst
