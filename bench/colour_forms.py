#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Hits of working sets in the model against closed forms, on a machine of free memory.

    bench/colour_forms.py

Share of page accesses of a swept working set that hit a direct-mapped cache; w: its size in caches. Contiguous: (2-w)/w for 1 <= w <= 2; by chance:
e^-w. The machine has 256 times the cache: with less, pages by chance come without repetition and meet a little less often. `aged` has
random frees and allocations behind it."""

import json
import math
import subprocess

import kst_bench as kb

SIZES = [0.5, 1, 1.25, 1.5, 1.75, 2]


def sweep(tool, policy, cache, *options):
    sizes = sorted(set(SIZES) | {round(1.5 + i / 100, 2) for i in range(40)})
    done = subprocess.run([tool, "colour", "replay", "--memory", "16384", "--cache", cache, "--policy", policy, "--working-set", ",".join(map(str, sizes)),
                           "--json", "-", *options], check=True, stdout=subprocess.PIPE)
    return {round(p["working_set"], 4): p for p in json.loads(done.stdout)["replay"]["policies"][0]["sweep"]}


def contiguous(w):
    return 1.0 if w <= 1 else max(0.0, (2 - w) / w)


def main():
    p = kb.parser(__doc__)
    args = p.parse_args()
    rows = {policy: sweep(args.tool, policy, "64M") for policy in ("stock", "colour-lists", "colour-tree", "emptiest-bin", "random")}
    rows["aged stock"] = sweep(args.tool, "stock", "256M", "--churn", "2000000")
    rows["aged colour-lists"] = sweep(args.tool, "colour-lists", "256M", "--churn", "2000000")
    print("| w | " + " | ".join(rows) + " | contiguous | e^-w |\n|--" * 1 + "|--" * (len(rows) + 2) + "|")
    for w in SIZES:
        print(f"| {w} | " + " | ".join(f"{row[w]['hits']:.4f}" for row in rows.values()) + f" | {contiguous(w):.4f} | {math.exp(-w):.4f} |")
    worst = max(max(abs(rows[name][w]["hits"] - contiguous(w)) for w in SIZES) for name in ("stock", "colour-lists", "colour-tree", "emptiest-bin"))
    chance = max(abs(rows["random"][w]["hits"] / math.exp(-w) - 1) for w in SIZES)
    print(f"\nfarthest from contiguous: {worst:.4f} (share); random from e^-w: {chance:.2%} of it")
    cross = min(w for w in rows["random"] if w > 1 and rows["random"][w]["hits"] > rows["colour-lists"][w]["hits"])
    print(f"random above colour-lists from w = {cross} on")
    bins = rows["emptiest-bin"][2]
    print(f"emptiest-bin at w = 2: {bins['least_of_colour']} to {bins['most_of_colour']} pages a bin")
    hit = math.exp(-1)
    print(f"336 GB/s at hits, 85 at misses, {hit:.3f} hits: {1 / (hit / 336 + (1 - hit) / 85):.1f} GB/s")


if __name__ == "__main__":
    main()
