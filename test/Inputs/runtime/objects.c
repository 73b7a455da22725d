/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects by hand, and the lookup as the pass makes it. */
#include "handmade.h"

extern struct kst_page __kst_pages[];

struct small {
  char bytes[24];
};
static char big[3 * 4096] __attribute__((aligned(4096)));
static struct small few[3] __attribute__((aligned(4096)));
static struct small many[100] __attribute__((aligned(4096)));
static kst_u64 big_counts[2 * sizeof big], few_counts[2 * sizeof few[0]],
    many_counts[2 * sizeof many[0]];

#define OBJECT(NAME, TEXT, COUNTS, N)                                          \
  __attribute__((section(KST_OBJECTS_SECTION), used)) static struct kst_object \
      NAME##_object = {(kst_u64)TEXT,           (kst_u64)NAME,                 \
                       (kst_u64)COUNTS,         sizeof COUNTS / 16, N, 0,      \
                       KST_ABI_VERSION};
OBJECT(big, "big", big_counts, 1)
OBJECT(few, "small", few_counts, 3)
OBJECT(many, "crowd", many_counts, 100)

static int hit(const void *address, int write) {
  kst_u64 at = (kst_u64)address, page = at >> 12;
  struct kst_page *slot = &__kst_pages[KST_PAGE_SLOT(page)];
  for (int way = 0; way < KST_PAGE_WAYS; ++way)
    if (slot[way].page == page && at - slot[way].base < slot[way].size) {
      ++((kst_u64 *)slot[way].counts)[(at - slot[way].base) * 2 + write];
      return 1;
    }
  return 0;
}

int main(void) {
  int other;
  CHECK(hit(&big[4095], 0) && hit(&big[4096], 1) && hit(&big[12287], 1));
  CHECK(!hit(&big[12288], 0) || &big[12288] == (char *)few ||
        &big[12288] == (char *)many);
  for (int i = 0; i < 3; ++i)
    CHECK(hit(&few[i].bytes[8], 1));
  CHECK(!hit(&few[3], 0) && !hit(&other, 0));
  if (!fork()) {
    CHECK(hit(&few[0].bytes[16], 0));
    exit(0);
  }
  wait(NULL);
  return 0;
}
