#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the rules say of how often code runs, beside recordings of a kernel.

    bench/rule_rates.py --kernel OBJ --recordings DIR [--without NAME,NAME]

DIR is of reference/record.py, for OBJ alone. Two tables. Branches: of those with two ways whose blocks have lines of their own, by what the
rules say, the mean of what the recordings say, each branch counting once; and the loss in bits of the rules, and of the same classes with numbers
of the other seven eighths of the directories. Entries: in each directory the rates of functions that follow from one entry weight or another
and the source's own calls, as Spearman's correlation with the recordings; mean over directories of which at least 25 functions ran."""

import collections
import json
import math
import os
import subprocess
import sys
import tempfile
import zlib

import kst_bench as kb

STATIC, INIT, COLD, NORETURN, SYSCALL = 1, 2, 4, 8, 32  # FunctionFlags
RULES = {"an annotation, the unlikely side": 0.01, "way to an error": 0.05, "guard clause": 0.34, "a pointer is null": 0.30, "two values are equal": 0.375,
         "leaves a loop, or an error code": 0.20, "nothing known": 0.5}
LEAST_RAN = 25
LEAST_BRANCHES = 30


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--kernel", required=True, metavar="OBJ", type=os.path.abspath)
    p.add_argument("--recordings", required=True, metavar="DIR", type=os.path.abspath)
    p.add_argument("--without", default="", metavar="NAME,NAME", help="leave these recordings out, to judge on them")
    return p.parse_args()


def functions(args):
    out = set(args.without.split(","))
    names = sorted(name for name in os.listdir(args.recordings) if name.endswith(".kstp") and name[:-5] not in out)
    words = [word for name in names for word in ("--profile", os.path.join(args.recordings, name))]
    with tempfile.NamedTemporaryFile() as file:
        done = subprocess.run([kb.dev_tool(args.tool), "frequencies", "--quiet", "-p", args.kernel, "-o", file.name, *words, "."],
                              cwd=os.path.realpath(os.path.join(args.kernel, "source")))
        if done.returncode:
            sys.exit(f"kst-dev frequencies: exit status {done.returncode}")
        return [json.loads(line) for line in open(file.name)], len(names)


def branches(of):
    """(what the rule says of the first way, what was measured) of each branch of two ways."""
    users = collections.Counter(line for lines in of["lines"] for line in lines)
    own = [any(users[line] == 1 for line in lines) for lines in of["lines"]]
    ways, into = collections.defaultdict(list), collections.Counter()
    for source, target, probability in of["edges"]:
        ways[source].append((target, probability))
        into[target] += 1
    runs = [dict(map(tuple, blocks)) for _, blocks in of["runs"]]
    for block, edges in ways.items():
        if len(edges) != 2 or not own[block]:
            continue
        (first, rule), (second, _) = edges
        taken, all = 0.0, 0.0
        for ran in runs:
            if not ran.get(block):
                continue
            if into[first] == 1 and own[first] and first in ran:
                share = ran[first] / ran[block]
            elif into[second] == 1 and own[second] and second in ran:
                share = 1 - ran[second] / ran[block]
            else:
                continue
            weight = min(ran[block], 100.0)
            taken, all = taken + weight * min(max(share, 0.0), 1.0), all + weight
        if all >= 5:
            yield (round(1 - rule, 4), 1 - taken / all) if rule > 0.5 else (round(rule, 4), taken / all)


def loss(says, true):
    says = min(max(says, 1e-3), 1 - 1e-3)
    return -(true * math.log2(says) + (1 - true) * math.log2(1 - says))


def branch_table(all):
    found = [(zlib.crc32(os.path.dirname(of["file"]).encode()) % 8, rule, true) for of in all for rule, true in branches(of)]
    rows = []
    for name, rule in RULES.items():
        of = [true for _, said, true in found if said == rule]
        if len(of) >= LEAST_BRANCHES:
            rows.append([name, len(of), f"{rule:.3g}", f"{sum(of) / len(of):.2f}", f"{100 * sum(true < 0.01 for true in of) / len(of):.0f} %",
                         f"{100 * sum(true > 0.99 for true in of) / len(of):.0f} %"])
    kb.table(["rule", "branches", "says", "measured", "never", "always"], rows, left=(0,))
    sums = collections.defaultdict(lambda: [[0.0, 0] for _ in range(8)])
    for fold, rule, true in found:
        sums[rule][fold][0] += true
        sums[rule][fold][1] += 1

    def fitted(fold, rule):
        others = [one for at, one in enumerate(sums[rule]) if at != fold]
        return (sum(one[0] for one in others) + 20 * rule) / (sum(one[1] for one in others) + 20)

    mean = lambda losses: sum(losses) / len(found)  # noqa: E731
    print(f"\n{len(found)} branches: loss {mean([loss(rule, true) for _, rule, true in found]):.3f} bits with the rules, "
          f"{mean([loss(fitted(fold, rule), true) for fold, rule, true in found]):.3f} fitted, "
          f"{mean([loss(true, true) for _, _, true in found]):.3f} if each were known\n")


def rates(all, recordings):
    """Of each function the power mean of its shares of all entries."""
    sums = collections.Counter()
    for of in all:
        for run, entered in of["entries"]:
            sums[run] += entered
    return [(sum(math.sqrt(entered / sums[run]) for run, entered in of["entries"]) / recordings) ** 2 for of in all]


def follow(inside, entries):
    """Rates from entries and calls, as hybrid/program/Frequencies does, without its damping: at most 30 rounds."""
    rate = list(entries)
    for _ in range(30):
        then = list(entries)
        for caller, calls in enumerate(inside):
            for callee, times in calls:
                then[callee] += rate[caller] * times
        then = [min(value, 1e12) for value in then]
        settled = max(abs(a - b) / (b + 1e-12) for a, b in zip(rate, then)) < 1e-6
        rate = then
        if settled:
            break
    return rate


def ways_in(of, reach):
    """The weight of design/source.md, "Entries", but for names."""
    if of["flags"] & INIT:
        return 1e-4
    outside = not of["flags"] & STATIC or of["address_taken"] or of["flags"] & SYSCALL and not of["called"]
    if not outside and not (of["in_table"] and not of["table_called"]):
        return 0
    return (1 if outside else 0.3) * (0.01 if of["flags"] & (COLD | NORETURN) else 1) * reach


def reached(inside, start):
    seen, todo = {start}, [start]
    while todo:
        for callee, times in inside[todo.pop()]:
            if times > 0 and callee not in seen:
                seen.add(callee)
                todo.append(callee)
    return len(seen)


def entry_rows(all, rate, callers, ids):
    """Correlations by name of the weight, of one directory."""
    at = {id: place for place, id in enumerate(ids)}
    inside = [[(at[callee], times) for callee, times in all[id]["calls"] if callee in at and callee != id] for id in ids]
    outside = [[(caller, times) for caller, times in callers[id] if caller not in at] for id in ids]
    true = [rate[id] for id in ids]
    explained = [0.0] * len(ids)
    for place, calls in enumerate(inside):
        for callee, times in calls:
            explained[callee] += true[place] * times
    rule = [ways_in(all[id], reached(inside, place)) for place, id in enumerate(ids)]
    weights = {
        "the rules": rule,
        "call sites outside": [float(len(calls)) for calls in outside],
        "calls outside, as estimated": [sum(all[caller]["total"] * times for caller, times in calls) for calls in outside],
        "the same, callers as recorded": [sum(rate[caller] * times for caller, times in calls) for calls in outside],
        "true entries": [max(t - e, 1e-3 * t) if r > 0 else 0.0 for t, e, r in zip(true, explained, rule)],
    }
    ran = [place for place, value in enumerate(true) if value > 0]
    made = {}
    for name, entries in weights.items():
        got = follow(inside, entries)
        made[name] = (kb.spearman([got[p] for p in ran], [true[p] for p in ran]), kb.spearman(got, true))
    return made


def entry_table(all, recordings):
    rate = rates(all, recordings)
    callers = collections.defaultdict(list)
    folders = collections.defaultdict(list)
    for id, of in enumerate(all):
        for callee, times in of["calls"]:
            callers[callee].append((id, times))
        if of["file"].endswith(".c"):
            folders[os.path.dirname(of["file"])].append(id)
    used = [ids for ids in folders.values() if sum(rate[id] > 0 for id in ids) >= LEAST_RAN]
    found = [entry_rows(all, rate, callers, ids) for ids in used]
    rows = [[name] + [f"{sum(one[name][which] for one in found) / len(found):.2f}" for which in (0, 1)] for name in found[0]]
    print(f"{len(used)} directories\n")
    kb.table(["entries from", "functions that ran", "all functions"], rows, left=(0,))


def main():
    all, recordings = functions(arguments())
    branch_table(all)
    entry_table(all, recordings)


if __name__ == "__main__":
    main()
