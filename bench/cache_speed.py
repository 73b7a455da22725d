#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast the cache model is, beside a naive loop: million accesses per second of CPU time.

The data accesses of three runs (lackey), read from memory, through one CPU's L1 and L2 (32K/8, 1M/16): a loop of 20 lines as one writes it first, with its
geometry known to the compiler (cache_speed/rounds.cpp); the model counting; the model in 16 layouts in one pass, which exchange the lines of one page, the
one with about 5 % of the accesses (of all, each of the 16 has to be *asked* for a share); and the model with miss classes. All in each round, in turn, and all have the same misses, or the script fails. Medians over the
rounds; the spread is how far the middle half of them reaches."""

import os
import statistics
import subprocess
import sys
import tempfile

import cache_model
import kst_bench as kb

ROUNDS = 9
PROGRAMS = {
    "gzip": cache_model.PROGRAMS["gzip"],
    "python3": cache_model.PROGRAMS["python3"],
    "gzip, more text": ["/bin/gzip", "-9", "-c", "docs/kstatic-affinity.1.scd"],
}
WAYS = ["naive loop", "model", "model, 16 layouts", "model, with classes"]


def compiled(tool, scratch):
    program = os.path.join(scratch, "rounds")
    library = os.path.join(os.path.dirname(os.path.dirname(tool)), "lib", "libkst_cache.a")
    subprocess.run(["c++", "-std=c++20", "-O3", "-DNDEBUG", "-I", kb.ROOT, os.path.join(kb.ROOT, "bench", "cache_speed", "rounds.cpp"), library, "-o",
                    program], check=True)
    return program


def spread(values):
    """How far the middle half of the values reaches, as a share of their median.

    >>> spread([1, 2, 4, 5, 7])
    0.75
    """
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / middle


def main():
    args = kb.parser(__doc__).parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        program, trace = compiled(args.tool, scratch), os.path.join(scratch, "trace")
        for name, command in PROGRAMS.items():
            cache_model.valgrind(["--tool=lackey", "--trace-mem=yes"], command, trace)
            done = subprocess.run([program, trace, str(ROUNDS)], stdout=subprocess.PIPE, text=True)
            if done.returncode:
                sys.exit(f"exit status {done.returncode} of cache_speed/rounds.cpp")
            head, *rounds = done.stdout.splitlines()
            accesses, moved, missed, asked = (kind(word) for kind, word in zip((int, float, int, float), head.split()))
            times = list(zip(*(map(float, line.split()) for line in rounds)))
            for way, column in zip(WAYS, times):
                to_naive = statistics.median(own / naive for own, naive in zip(column, times[0]))
                to_model = statistics.median(own / model for own, model in zip(column, times[1]))
                rows.append([name, f"{accesses:,}", f"{missed / accesses:.1%}", f"{moved:.1%}", f"{asked:.1%}", way, f"{accesses / statistics.median(column) / 1e6:.0f}", f"{spread(column):.1%}",
                             f"{to_naive:.2f}", f"{to_model:.2f}"])
    kb.table(["accesses of", "number", "miss L1", "moved", "asked", "by", "million/s", "spread", "time to naive", "to model"], rows, left=(0, 5))
    return 0


if __name__ == "__main__":
    sys.exit(main())
