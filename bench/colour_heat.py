#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether the sets that `colour heat` calls full are those in which the cache model counts conflict misses.

    bench/colour_heat.py [--cache SIZE/WAYS]... TRACE...

  crowded  sets that had more lines in a window than ways
  tenth    share of all conflict misses in the fullest tenth of the sets; by chance 10 %
  rank     rank correlation of heat (accesses to others than the most used lines for which there are ways) and conflict misses over all sets that were
           used; with few conflicts there is little to rank"""

import collections
import json
import os
import subprocess

import kst_bench as kb

CACHES = ["64K", "256K/8", "1M", "4M/4"]


def heat(tool, trace, cache):
    done = subprocess.run([tool, "colour", "heat", "--trace", trace, "--cache", cache, "--quiet", "--json", "-"], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["heat"]


def main():
    p = kb.parser(__doc__)
    p.add_argument("traces", nargs="+", metavar="TRACE", type=os.path.abspath)
    p.add_argument("--cache", action="append", metavar="SIZE/WAYS")
    args = p.parse_args()
    print("| trace | cache | accesses | conflicts | crowded sets | tenth | rank | types first in the fullest sets |\n|--|--|--|--|--|--|--|--|")
    for trace in args.traces:
        for cache in args.cache or CACHES:
            got = heat(args.tool, trace, cache)
            first = collections.Counter(s["types"][0]["type"] for s in got["fullest"] if s["types"])
            named = ", ".join(f"`{t}` {n}" for t, n in first.most_common(3))
            share = got["conflicts_in_fullest"] / got["conflicts"] if got["conflicts"] else 0
            print(f"| {os.path.basename(trace)} | {cache} | {got['accesses']} | {got['conflicts']} | {got['crowded_sets']} of {got['sets']} | {share:.1%} | "
                  f"{got['rank_correlation']:.2f} | {named} |")


if __name__ == "__main__":
    main()
