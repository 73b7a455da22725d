#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""bench/recorder/coherence.c against a reference that searches the whole
history for each access: coherence.py ROOT SCRATCH. Random accesses of three
CPUs to two objects, one that begins in the middle of a line, in three orders."""

import os
import random
import subprocess
import sys

DRIVER = r"""
#include "bench/recorder/coherence.h"
#include <stdio.h>
#include <stdlib.h>
void fail(const char *what, const char *name) { fprintf(stderr, "%s %s\n", what, name); exit(1); }
void *zeros(uint64_t number, uint64_t size) { return calloc(number, size); }
int main(int argc, char **argv) {
  unsigned long cpu, store, begin, offset, bytes;
  coherence_init(argv[1]);
  while (scanf("%lu %lu %lu %lu %lu", &cpu, &store, &begin, &offset, &bytes) == 5) {
    struct range range = {.begin = begin, .end = begin + 200, .stride = 200};
    coherence_access(cpu, store, &range, begin + offset, bytes);
  }
  coherence_write(argv[2]);
}
"""
LINE, SIZE = 64, 200
ORDERS = [[], [(0, 192, 8), (192, 0, 8)], [(64, 240, 8), (8, 64, 8), (72, 8, 8)]]  # the last one takes more bytes than the object


def place(order, offset):
    return next((to + offset - begin for begin, to, length in order if begin <= offset < begin + length), offset)


def reference(order, accesses):
    """(misses, upgrades): a CPU has a line if it accessed it and nobody else stored to it since."""
    history, misses, upgrades = [], 0, 0
    for cpu, store, begin, offset, size in accesses:
        for line in sorted({(begin % LINE + place(order, at)) // LINE for at in (offset, offset + size - 1)}):
            past = [(c, s) for c, s, place_of in history if place_of == (begin, line)]

            def has(who):
                own = max((i for i, (c, _) in enumerate(past) if c == who), default=None)
                return own is not None and not any(s and c != who for c, s in past[own:])
            if not has(cpu):
                misses += bool(past)
            elif store:
                upgrades += any(has(other) for other in range(3) if other != cpu)
            history.append((cpu, store, (begin, line)))
    return misses, upgrades


def main():
    root, scratch = sys.argv[1:]
    os.makedirs(scratch, exist_ok=True)
    program, conf, out = (os.path.join(scratch, name) for name in ("driver", "conf", "out"))
    subprocess.run(["cc", "-x", "c", "-", "-x", "c", os.path.join(root, "bench/recorder/coherence.c"), "-I", root, "-o", program, "-lpthread"],
                   input=DRIVER, text=True, check=True)
    with open(conf, "w") as file:
        file.write(f"line {LINE}\norders {len(ORDERS)}\n" + "".join(
            f"map {number} {begin} {to} {length}\n" for number, order in enumerate(ORDERS) for begin, to, length in order))
    dice = random.Random(1)
    accesses = [(dice.randrange(3), dice.random() < 0.3, dice.choice([4096, 4096 + 200]), 8 * dice.randrange(SIZE // 8), dice.choice([1, 4, 8]))
                for _ in range(1500)]
    subprocess.run([program, conf, out], input="".join(" ".join(map(str, map(int, access))) + "\n" for access in accesses), text=True, check=True)
    with open(out) as file:
        found = [tuple(map(int, line.split()))[1:] for line in file if not line.startswith("at")]
    wanted = [(len(accesses), *reference(order, accesses)) for order in ORDERS]
    print(found, wanted, sep="\n")
    return found != wanted or len(set(wanted)) != len(ORDERS)


if __name__ == "__main__":
    sys.exit(main())
