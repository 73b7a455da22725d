/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exact: source
 * Loops of many shapes whose counts a variable of theirs tells: steps of one
 * and more, up and down, indices and pointers, exits before and behind the
 * access and the step of the variable, narrow types, loops in loops. */
#include <stdio.h>

struct state {
  unsigned mask, left;
  int limit;
  long sum;
  unsigned char small;
};

struct wide {
  int key, other, third; /* 12 bytes: no power of two */
};

#define NOINLINE __attribute__((noinline))

NOINLINE long up(struct state *s, const int *v, int n) {
  long sum = 0;
  for (int i = 0; i < n; i++)
    sum += v[i] ^ *(volatile const int *)&v[i] ^ s->limit;
  return sum;
}

NOINLINE long until(struct state *s, int *v, int n) {
  int i;
  for (i = 0; i < n; i++) {
    v[i]++;
    if (v[i] == s->limit)
      break;
  }
  return i;
}

/* The exit stands before the access, and another behind it. */
NOINLINE long before(struct state *s, int *v, int n) {
  int i = 3;
  for (;;) {
    if (v[i] < 0)
      return -1;
    v[i] += (int)s->left;
    if (++i >= n)
      return i;
    if (v[i] > s->limit)
      break;
  }
  return i + 100;
}

/* zlib's: with and without rounds to go. */
NOINLINE unsigned chain(struct state *s, const unsigned short *next,
                        unsigned at, unsigned rounds) {
  unsigned best = 0;
  do {
    if (next[at] > best) {
      best = next[at];
      s->left = at;
      if (best >= (unsigned)s->limit)
        break;
    }
  } while ((at = next[at & s->mask]) > s->small && --rounds != 0);
  return best + rounds;
}

NOINLINE unsigned down(struct state *s, unsigned char *v, unsigned n) {
  while (n-- > 0) {
    v[n] ^= s->small;
    if (v[n] == 77)
      return n;
  }
  return s->mask;
}

NOINLINE long pointer(struct state *s, struct wide *p, struct wide *end) {
  struct wide *from = p;
  for (; p != end; p++) {
    p->other += s->limit;
    if (p->key == p->third)
      break;
  }
  return p - from;
}

NOINLINE long back(struct state *s, long *end, long *p) {
  long n = 0;
  while (p > end) {
    p -= 2;
    if (*p == s->sum)
      break;
    p[1] = s->limit;
    n += *p;
  }
  return n;
}

NOINLINE long bytes(struct state *s, const char *p) {
  const char *from = p;
  while (*p && *p != (char)s->small)
    p++;
  return p - from;
}

/* The index goes round. */
NOINLINE long round_byte(struct state *s, unsigned char *v, int n) {
  unsigned char i = (unsigned char)s->mask;
  do {
    v[i & 15] += s->small;
    i += 3;
  } while (v[n & 15] != (unsigned char)s->limit);
  return i;
}

NOINLINE long round_unsigned(struct state *s, unsigned *v, unsigned stride) {
  unsigned i = s->left;
  do {
    v[i & 7] += s->mask;
    i += 0x10000001;
  } while (v[0] < stride);
  return i;
}

NOINLINE long by_seven(struct state *s, short *v, long n) {
  long i;
  for (i = -21; i < n; i += 7)
    if ((v[(i + 21) & 63] ^= (short)s->limit) == 5)
      break;
  return i;
}

NOINLINE long by_variable(struct state *s, long *v, long n, long stride) {
  long i;
  for (i = 0; i < n; i += stride)
    v[i] += s->limit;
  return i;
}

NOINLINE long condition(struct state *s, int *v, int n) {
  for (int i = 0; i < n; i++)
    if (v[i] & 1)
      v[i] += s->limit;
    else if (v[i] & 2)
      v[i] -= (int)s->left;
  return v[0];
}

NOINLINE long nested(struct state *s, int *v, int rows, int columns) {
  long sum = 0;
  for (int i = 0; i < rows; i++) {
    int j;
    for (j = 0; j < columns; j++) {
      v[i * columns + j] += s->limit;
      if (v[i * columns + j] == 9)
        goto out;
      if (v[i * columns + j] == 11)
        break;
    }
    sum += j + (long)s->mask;
    while (j-- > 0 && v[i * columns + j] > s->small)
      sum++;
    v[0] = (int)sum;
  }
out:
  return sum + s->sum;
}

/* A cycle with two entries within a loop. */
NOINLINE long twisted(struct state *s, int *v, int n) {
  int i = 0, k = 0;
  for (; i < n; i++) {
    if (v[i] & 1)
      goto second;
  first:
    k += 1;
    v[i] += s->limit;
    if ((k & 3) == 3)
      continue;
  second:
    k += 4;
    v[i] ^= (int)s->mask;
    if (v[i] & 8)
      goto first;
    if (v[i] == 1000)
      break;
  }
  return i + k;
}

NOINLINE long choice(struct state *s, const char *p, int n) {
  int i = 0;
  long sum = 0;
  for (;;) {
    sum += s->limit;
    switch (p[i]) {
    case 'a':
      return sum;
    case 'b':
    case 'c':
      goto out;
    case 'd':
      sum += s->small;
      break;
    default:
      if (i == n)
        return -sum;
    }
    i++;
  }
out:
  return sum + i;
}

NOINLINE long two(struct state *s, int *v, int n, int first) {
  int i = first, k = 100;
  while (i < n && --k) {
    v[i] += s->limit;
    if (v[i] == 3)
      break;
    v[i] ^= (int)s->left;
    i += 2;
  }
  return i + k;
}

/* Once around a table, from any place: the index ends where it began. */
NOINLINE unsigned around(struct state *s, unsigned char *v, unsigned char from) {
  unsigned char i = from;
  do {
    v[i] ^= s->small;
  } while (++i != from);
  return v[i] + s->mask;
}

NOINLINE unsigned fourths(struct state *s, unsigned *v, unsigned from) {
  unsigned i = from;
  do {
    v[i >> 29] ^= s->left;
    i += 1u << 28;
  } while (i != from);
  return v[i >> 29];
}

int main(void) {
  static int v[64];
  static unsigned short next[64];
  static unsigned char bytes_of[64];
  static unsigned char table[256];
  static struct wide wides[20];
  static long longs[40];
  static short shorts[64];
  static unsigned unsigneds[8];
  unsigned random = 5;
  long sum = 0;
  for (int k = 0; k < 60; k++) {
    for (int i = 0; i < 64; i++) {
      random = random * 1103515245 + 12345;
      v[i] = random >> 16 & 15;
      next[i] = random >> 20 & 63;
      bytes_of[i] = (unsigned char)(random >> 17);
      shorts[i] = (short)(random >> 18 & 7);
      longs[i % 40] = random >> 24 & 31;
      wides[i % 20].key = random >> 25 & 3;
      wides[i % 20].third = random >> 27 & 31;
    }
    struct state s = {63, 1u + k % 3, 1 + k % 17, k, (unsigned char)(k % 5)};
    __asm__ volatile("" ::"r"(&s) : "memory");
    sum += up(&s, v, k % 9);
    sum += until(&s, v, k);
    sum += before(&s, v, k % 60);
    sum += chain(&s, next, k, k % 7);
    sum += down(&s, bytes_of, k);
    sum += pointer(&s, wides, wides + k % 20);
    sum += back(&s, longs + k % 3, longs + k % 3 + 2 * (k % 18));
    sum += bytes(&s, "abc\3defgh\2ijklmnopqrstuvw\4");
    s.small |= 1;
    sum += round_byte(&s, bytes_of, k);
    sum += round_unsigned(&s, unsigneds, 1000u * (k % 4));
    sum += by_seven(&s, shorts, k * 5 - 30);
    sum += by_variable(&s, longs, k % 40, 1 + k % 4);
    sum += condition(&s, v, k);
    sum += nested(&s, v, k % 6, k % 10);
    sum += twisted(&s, v, k % 30);
    sum += choice(&s, k & 1 ? "ddxydxxxxa" : "xxdxxxxc", k % 8);
    sum += two(&s, v, k, k % 5);
    sum += around(&s, table, k);
    sum += fourths(&s, unsigneds, k);
  }
  printf("%ld\n", sum);
  return 0;
}
