/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exact: functions without calls, which keep data below the stack pointer and
 * in vector registers, as the first that a thread runs of its unit. */
#include <pthread.h>
#include <stdio.h>

struct leaf {
  long a, b;
  double d[4];
};

/* The array is below the stack pointer; which call comes first decides in
 * which one the runtime is told. */
__attribute__((noinline)) long below(struct leaf *p, unsigned n) {
  volatile long kept[12];
  for (unsigned i = 0; i < 12; ++i)
    kept[i] = (long)(i * n);
  p->a += kept[n % 12];
  long sum = 0;
  for (unsigned i = 0; i < 12; ++i)
    sum += kept[i] * (long)(i + 1);
  return sum + p->b;
}

__attribute__((noinline)) double vectors(struct leaf *p, double a, double b,
                                         double c, double d, double e, double f,
                                         double g, double h) {
  return a * p->d[0] + b * p->d[1] + c * p->d[2] + d * p->d[3] + e + f * 2 +
         g * 3 + h * 4 + a * b * c * d;
}

__attribute__((noinline)) long integers(long a, long b, long c, long d, long e,
                                        long f, struct leaf *p) {
  if (a > 1000)
    return b;
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * p->a;
}

/* Sometimes only adds, sometimes nothing at all. */
__attribute__((noinline)) long looped(struct leaf *p, int n) {
  long sum = 0;
  for (int i = 0; i < n; ++i) {
    sum ^= sum << 1 ^ i;
    if (sum & 4)
      p->b += sum;
  }
  return sum;
}

static void *run(void *which) {
  struct leaf v = {1, 2, {1, 2, 3, 4}};
  long order = (long)which, whole = 0;
  double parts = 0;
  for (long i = 0; i < 8; ++i)
    switch ((order + i) % 4) {
    case 0:
      whole += below(&v, (unsigned)i);
      break;
    case 1:
      parts += vectors(&v, 1, 2, 3, 4, 5, 6, 7, 8);
      break;
    case 2:
      whole += integers(i, 2, 3, 4, 5, 6, &v);
      break;
    case 3:
      whole += looped(&v, (int)(i * order % 3 * 5));
      break;
    }
  printf("%ld: %ld %.3f %ld %ld\n", order, whole, parts, v.a, v.b);
  return NULL;
}

int main(void) {
  for (long i = 0; i < 8; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, (void *)i))
      return 1;
    pthread_join(thread, NULL);
  }
  run((void *)8);
  return 0;
}
