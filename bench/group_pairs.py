#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The groups that maintainers made by hand against the affinity graph.

    bench/group_pairs.py --kernel OBJ [--seeds 20]

The kernel asserts which members lie in which cacheline group (CACHELINE_ASSERT_GROUP_MEMBER). For each struct with at least two groups,
each pair of such members is scored by what both gain on one line less what they lose there; a pair without an edge has 0. Printed is the
area under the curve: how probable it is that two members of one group score higher than two of different groups, ties by half. 0.5 is
chance.

  source         no measurement
  reference      with the reference that ships, or that of --reference
  gain           of both, the gain alone
  dealt          control: the members dealt out to groups of the same sizes by chance; mean of so many --seeds and the largest
  declared       control: minus the distance in the declaration, which groups follow

OBJ is a configured or built kernel; what it leaves out of a struct is left out here."""

import itertools
import os
import random
import re
import subprocess
import sys

import kst_bench as kb

ASSERTION = re.compile(r"CACHELINE_ASSERT_GROUP_MEMBER\(\s*struct (\w+),\s*(\w+),\s*(\w+)\s*\)")
# What is analysed for a struct, by the directory that asserts its groups.
PATHS = ["net/core", "net/ipv4"]


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--kernel", required=True, metavar="OBJ", type=os.path.abspath)
    p.add_argument("--seeds", type=int, default=20)
    p.set_defaults(reference=None)
    return p.parse_args()


def groups(source):
    """Struct -> member -> group."""
    found = {}
    done = subprocess.run(["grep", "-rlF", "CACHELINE_ASSERT_GROUP_MEMBER", "--include=*.c", "."], cwd=source, stdout=subprocess.PIPE, text=True)
    for name in done.stdout.split():
        with open(os.path.join(source, name), errors="replace") as file:
            for struct, group, member in ASSERTION.findall(file.read()):
                found.setdefault(struct, {})[member] = group
    return {struct: of for struct, of in sorted(found.items()) if len(set(of.values())) > 1}


def area(score, of):
    """
    >>> area({("a", "b"): 2.0, ("c", "d"): 1.0}, {"a": 1, "b": 1, "c": 2, "d": 2})
    1.0
    """
    same, other = [], []
    for a, b in itertools.combinations(sorted(of), 2):
        (same if of[a] == of[b] else other).append(score.get((a, b), score.get((b, a), 0.0)))
    ranks = kb.ranks(same + other)
    if not same or not other:
        return None
    return (sum(ranks[:len(same)]) - len(same) * (len(same) + 1) / 2) / (len(same) * len(other))


def scores(report, loss=1.0):
    found = {}
    for edge in report["affinity"]:
        for a, b in itertools.product(edge["a"].split("|"), edge["b"].split("|")):
            found[a, b] = edge["gain"] - loss * edge["loss"]
    return found


def dealt(score, of, seeds):
    """Mean and largest area over random deals."""
    names, kinds, areas = sorted(of), sorted(of.values()), []
    for seed in range(seeds):
        random.Random(seed).shuffle(names)
        areas.append(area(score, dict(zip(names, kinds))))
    return sum(areas) / len(areas), max(areas)


def main():
    args = arguments()
    source = os.path.realpath(os.path.join(args.kernel, "source"))
    rows = []
    for struct, of in groups(source).items():
        reports = [kb.run_tool(args, source, args.kernel, PATHS, "--struct", struct, "--quiet", *words)
                   for words in (["--reference", "none"], [])]
        names = {part for field in reports[0]["fields"] for part in field["name"].split("|")}
        of = {name: group for name, group in of.items() if name in names}
        if len(set(of.values())) < 2:
            continue
        places = {part: at for at, field in enumerate(reports[0]["fields"]) for part in field["name"].split("|")}
        declared = {pair: -abs(places[pair[0]] - places[pair[1]]) for pair in itertools.combinations(sorted(of), 2)}
        areas = [area(scores(report, loss), of) for loss in (1.0, 0.0) for report in reports]
        mean, largest = dealt(scores(reports[1]), of, args.seeds)
        rows.append([struct, len(of), len(set(of.values())), *(f"{value:.2f}" for value in areas), f"{mean:.2f} ({largest:.2f})", f"{area(declared, of):.2f}"])
    if not rows:
        sys.exit("no struct of this kernel asserts two groups")
    kb.table(["struct", "members", "groups", "source", "reference", "gain: source", "reference", "dealt", "declared"], rows)


if __name__ == "__main__":
    main()
