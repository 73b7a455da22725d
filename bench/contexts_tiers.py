#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The replay on two tiers of memory, on guests whose files are closed for good, are opened again, or whose program caches for itself.

    bench/contexts_tiers.py --kernel OBJ --out DIR [--only NAME]...

Boots a built kernel (x86-64, with DWARF; recorder/trace.config has what it needs) once for each workload under `trace record --pointers
all`, with all accesses while the workload runs, and runs `contexts replay` on the trace. DIR gets WORKLOAD.kstt, .console and the replay as
JSON; a trace that is there stays.

for-good   files of 64 KiB, written, read four times and closed one after another, never opened again
again      the same, but 95 of 100 openings are of one of the last 32 files
own-cache  sqlite3, whose queries are served from its own cache
redis      redis-server and clients: keys and values in its own memory

Shown for a fast tier of a quarter and a ratio of 4: share of accesses that are fast, by policy; cost for each access, with migrations; the
bound that no policy can beat; closes and reopenings. `gain` is what the best policy by contexts costs less than the best by pages.

Wanted of every size and ratio: fast and slow accesses are all accesses; all-fast costs one for each access, all-slow the ratio, and no policy
less than the first; none costs less than the bound; naive never migrates; with room for all (`--fast 100%`) naive, scan and lru are
all-fast. Of the quarter at 4: for-good: contexts have more fast accesses than naive and cost less; again: eager contexts have fewer fast
accesses than those under pressure, and cost more; own-cache and redis: no gain of 1 %. Exit status 1 if one of these is not so."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "contexts")]
import kst_bench as kb  # noqa: E402
from workloads import TIERS, arguments, recorded, report  # noqa: E402
from kst_kernel import state  # noqa: E402

SHARE, RATIO = 0.25, 4
SHOWN = ("naive", "scan", "lru", "contexts-pressure", "contexts-eager")


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


class Quarter:
    """Of one replay the size and ratio that are shown."""

    def __init__(self, replay):
        size = min(replay["sizes"], key=lambda s: abs(s["share"] - SHARE))
        row, accesses = replay["ratios"].index(RATIO), replay["accesses"]
        self.fast = {of["policy"]: of["fast"] / accesses for of in size["policies"]}
        self.cost = {of["policy"]: of["costs"][row] / accesses for of in size["policies"]}
        self.bound = size["bounds"][row] / accesses
        self.gain = size["verdicts"][row]["gain"]


def off(name, of):
    """What is not as the workload wants it."""
    contexts = ("contexts-pressure", "contexts-eager")
    if name == "for-good":
        for policy in contexts:
            if of.fast[policy] <= of.fast["naive"] or of.cost[policy] >= of.cost["naive"]:
                yield f"{name}: {policy} does not win against naive"
    elif name == "again":
        if of.fast[contexts[1]] >= of.fast[contexts[0]] or of.cost[contexts[1]] <= of.cost[contexts[0]]:
            yield f"{name}: eager contexts do not lose against those under pressure"
    elif of.gain >= 0.01:
        yield f"{name}: a gain of {of.gain:.1%}"


def main():
    args = arguments(__doc__, TIERS)
    shares, costs, wrong = [], [], []
    for name in args.only or TIERS:
        trace = recorded(args, name, TIERS[name], window=True, accesses=True)
        if not trace:
            wrong.append(f"{name}: no recording")
            continue
        room = report(args, "replay", trace, "--fast", "100%")
        replay = report(args, "replay", trace)
        of = Quarter(replay)
        wrong += [f"{name}: {what}" for what in (*impossible(replay), *off_with_room(room))] + list(off(name, of))
        shares.append([name, f"{replay['accesses'] / 1e6:.1f}", f"{replay['most_pages']:,}", f"{100 * replay['accesses_of_contexts'] / replay['accesses']:.0f}%",
                       f"{replay['closes']:,}", f"{replay['reopens']:,}", *(f"{100 * of.fast[policy]:.1f}%" for policy in SHOWN)])
        costs.append([name, *(f"{of.cost[policy]:.3f}" for policy in SHOWN), f"{of.bound:.3f}", f"{100 * of.gain:.1f}%"])
    kb.table(["fast accesses", "M accesses", "pages", "of contexts", "closes", "again", *SHOWN], shares)
    print()
    kb.table(["cost of an access", *SHOWN, "bound", "gain"], costs)
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except state.Failed as error:
        sys.exit(str(error))
