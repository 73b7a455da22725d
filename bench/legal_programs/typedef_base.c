// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

typedef struct hdr {
  int type;
  int len;
} HDR;
struct s {
  HDR h;
  u64 c;
  char *n;
  int y;
};
struct rec {
  struct hdr hd;
  char raw[64];
};
__attribute__((noinline)) int ln(struct rec *r) { return r->hd.len; }
int main() {
  struct s c = {.h = {.type = 4, .len = 9}};
  return ln((struct rec *)&c) != 9;
}
