#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The replay on two tiers of memory, on guests whose files are closed for good, are opened again, or whose program caches for itself.

    bench/contexts_tiers.py --kernel OBJ --out DIR [--only NAME]...

Boots a built kernel (x86-64, with DWARF; recorder/trace.config has what it needs) once for each workload under `trace record --pointers
all`, with all accesses while the workload runs, and runs `contexts replay` on the trace. DIR gets WORKLOAD-accesses.kstt, .console and the replay as
JSON; a trace that is there stays.

for-good   files of 64 KiB, written, read four times and closed one after another, never opened again
again      the same, but 95 of 100 openings are of one of the last 32 files
own-cache  sqlite3, whose queries are served from its own cache
redis      redis-server and clients: keys and values in its own memory

Shown for each size of the fast tier, a slow access costing four fast ones: share of accesses that are fast, by policy; cost of an access, with
migrations, beside the bound that no policy can beat. `gain`: what the best policy by contexts costs less than the best by pages, which is
mostly lru. That sees each access, as no kernel can; scan is what kernels do.

Wanted of every size and ratio: fast and slow accesses are all accesses; all-fast costs one for each access, all-slow the ratio, and no policy
less than the first; none costs less than the bound; naive never migrates; with room for all (`--fast 100%`) naive, scan and lru are
all-fast. At a ratio of 4: for-good, a quarter fast: both policies by contexts have more fast accesses than naive and scan, and cost less.
again, three quarters fast: eager contexts cost more than each other policy that moves or does not. own-cache and redis, each size: no gain of
1 %. for-good and again: as many files were closed, and opened again, as the guest's program says. Exit status 1 if one of these is not so."""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "contexts")]
import kst_bench as kb  # noqa: E402
from workloads import TIERS, arguments, recorded, report  # noqa: E402
from kst_kernel import state  # noqa: E402

RATIO = 4
CONTEXTS = ("contexts-pressure", "contexts-eager")
SHOWN = ("naive", "scan", "lru", *CONTEXTS)


def impossible(replay):
    """What cannot be, in words."""
    accesses, ratios = replay["accesses"], replay["ratios"]
    for size in replay["sizes"]:
        for of in size["policies"]:
            where = f"{of['policy']} at {size['share']}"
            if of["fast"] + of["slow"] != accesses:
                yield f"{where}: accesses are lost"
            if of["policy"] in ("all-fast", "all-slow", "naive") and of["up"] + of["down"]:
                yield f"{where}: migrates"
            for cost, bound, ratio in zip(of["costs"], size["bounds"], ratios):
                ends = {"all-fast": accesses, "all-slow": ratio * accesses}
                if abs(cost - ends.get(of["policy"], cost)) > 1e-5 * cost:
                    yield f"{where}: costs {cost}"
                if cost < accesses * (1 - 1e-5):
                    yield f"{where}: costs less than all-fast"
                if of["policy"] != "all-fast" and cost < bound * (1 - 1e-5):
                    yield f"{where}: beats the bound at {ratio}"


def off_with_room(replay):
    """With room for all."""
    for of in replay["sizes"][0]["policies"]:
        if of["policy"] in ("naive", "scan", "lru") and (of["slow"] or of["up"] or of["down"]):
            yield f"{of['policy']} with room for all: {of['slow']} slow accesses, {of['up']} and {of['down']} migrations"


class Size:
    """One size of the fast tier, at the ratio that is shown."""

    def __init__(self, replay, size):
        row, accesses = replay["ratios"].index(RATIO), replay["accesses"]
        self.share = size["share"]
        self.fast = {of["policy"]: of["fast"] / accesses for of in size["policies"]}
        self.cost = {of["policy"]: of["costs"][row] / accesses for of in size["policies"]}
        self.bound = size["bounds"][row] / accesses
        self.gain = size["verdicts"][row]["gain"]


def off(name, of):
    """What is not as the workload wants it."""
    if name == "for-good" and of.share == 0.25:
        for policy in CONTEXTS:
            for page in ("naive", "scan"):
                if of.fast[policy] <= of.fast[page] or of.cost[policy] >= of.cost[page]:
                    yield f"{name}: {policy} does not win against {page}"
    elif name == "again" and of.share == 0.75:
        for policy in SHOWN[:-1]:
            if of.cost[CONTEXTS[1]] <= of.cost[policy]:
                yield f"{name}: eager contexts do not lose against {policy}"
    elif name in ("own-cache", "redis") and of.gain >= 0.01:
        yield f"{name}: a gain of {of.gain:.1%} at {of.share:.0%}"


def off_by_the_guest(console, replay):
    """Its program says how many files it opened, and how many of them again."""
    with open(console, errors="replace") as file:
        said = re.search(r"^churn: (\d+) of (\d+) opened again", file.read(), re.M)
    if said and (replay["reopens"], replay["closes"]) != tuple(map(int, said.groups())):
        yield f"{replay['reopens']} opened again and {replay['closes']} closed, the guest said {said[1]} and {said[2]}"


def main():
    args = arguments(__doc__, TIERS, scale=1)
    traces, rows, wrong = [], [], []
    for name in args.only or TIERS:
        trace = recorded(args, name, TIERS[name], window=True, accesses=True, scale=args.scale)
        if not trace:
            wrong.append(f"{name}: no recording")
            continue
        room = report(args, "replay", trace, "--fast", "100%")
        replay = report(args, "replay", trace)
        wrong += [f"{name}: {what}" for what in (*impossible(replay), *off_with_room(room), *off_by_the_guest(trace + ".console", replay))]
        traces.append([name, f"{replay['accesses'] / 1e6:.1f}", f"{replay['most_pages']:,}",
                       f"{100 * replay['accesses_of_contexts'] / replay['accesses']:.0f}%", f"{replay['closes']:,}", f"{replay['reopens']:,}"])
        for of in (Size(replay, size) for size in replay["sizes"]):
            wrong += off(name, of)
            rows.append([name, f"{of.share:.0%}", *(f"{100 * of.fast[policy]:.1f}%" for policy in SHOWN), *(f"{of.cost[policy]:.2f}" for policy in SHOWN),
                         f"{of.bound:.2f}", f"{100 * of.gain:.1f}%"])
    kb.table(["workload", "M accesses", "pages", "to pages of contexts", "closes", "opened again"], traces)
    print()
    kb.table(["workload", "fast tier", *("fast: " + SHOWN[0], *SHOWN[1:]), *("cost: " + SHOWN[0], *SHOWN[1:]), "bound", "gain"], rows)
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except state.Failed as error:
        sys.exit(str(error))
