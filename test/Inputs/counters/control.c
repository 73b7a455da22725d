/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exact: source */
/* switch with fall through, goto in and out of loops, computed goto, early
 * exits, loops that run not at all, conditions with effects. */
#include <stdio.h>
#include <stdlib.h>

struct state {
  int pc, acc;
  unsigned steps;
  long regs[4];
  unsigned char small : 5, other : 3;
};

static int interpret(struct state *s, const char *code) {
  static void *const table[] = {&&add, &&sub, &&jump, &&halt, &&store};
next:
  s->steps++;
  goto *table[code[s->pc++] % 5];
add:
  s->acc += (int)s->regs[s->steps & 3];
  goto next;
sub:
  if (s->acc-- > 10 && s->small)
    s->small--;
  goto next;
jump:
  if (s->steps < 60) {
    s->pc = s->acc & 7;
    goto next;
  }
  s->other |= 2;
  goto next;
store:
  s->regs[s->acc & 3] = s->steps;
  goto next;
halt:
  return s->acc;
}

static void classify(struct state *s, unsigned n) {
  for (unsigned i = 0; i < n; ++i) {
    switch ((s->steps + i) % 11) {
    case 0:
      s->acc++;
    case 1:
      s->acc++;
      break;
    case 2:
    case 3:
      if (s->pc)
        continue;
      s->pc = 7;
      break;
    case 4:
      goto inside;
    case 9:
      return;
    default:
      s->regs[0] += s->acc ? s->regs[1] : s->regs[2];
    }
    do {
      s->small += 3;
    inside:
      s->other++;
    } while (s->small > 20 && s->other < 5);
  }
}

static int search(struct state *all, int n, int wanted) {
  int found = -1;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 4; ++j) {
      if (all[i].regs[j] == wanted) {
        found = i;
        goto out;
      }
      if (all[i].acc < 0)
        break;
    }
out:
  return found < 0 ? all[0].acc : all[found].pc;
}

int main(void) {
  struct state *all = calloc(16, sizeof *all);
  static const char code[] = {0, 4, 1, 2, 0, 1, 4, 2, 3, 3, 3, 3, 3, 3, 3, 3};
  long sum = 0;
  for (int i = 0; i < 16; ++i) {
    all[i].regs[1] = i;
    all[i].small = 11;
    sum += interpret(&all[i], code + (i & 1));
    classify(&all[i], (unsigned)i * 3);
  }
  for (int i = 0; i < 30; ++i)
    sum += search(all, i % 17, i);
  for (int i = 0; i < 16; ++i)
    sum += all[i].other + all[i].small * (all[i].acc == 3 ? 2 : 1);
  printf("%ld\n", sum);
  free(all);
  return 3;
}
