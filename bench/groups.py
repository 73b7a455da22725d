#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Are the groups that a maintainer made by hand from a profile found from
source alone?

Mainline commit 89951fc1f820 put seven read-mostly lockless fields of struct rq
on one line and the clocks on another, took the lock off both, and moved
nr_iowait to the end. The script prints, for a report on kernel/sched with no
profile and no --hot: the remote set of the balance loop with the place where
each of the seven is touched, the most written field, and the line of every
field of the two groups before and after. It judges nothing."""

import kst_bench as kb

READ_MOSTLY = ["nr_running", "nr_numa_running", "nr_preferred_running", "ttwu_pending", "cpu_capacity", "donor|curr",
               "curr", "idle"]
CLOCKS = ["clock_task", "clock_pelt", "clock", "lost_idle_time", "clock_update_flags", "clock_pelt_idle", "clock_idle"]
APART = ["__lock", "nr_iowait"]


def lines_of(layout):
    """field -> indices of the lines it touches."""
    where = {}
    for line in layout["lines"]:
        for field in line["fields"]:
            where.setdefault(field, []).append(line["index"])
    return where


def main():
    args = kb.parser(__doc__).parse_args()
    kb.use_cache(args)
    source = kb.kernel_tree("unpack")
    obj = kb.kernel_tree("build", "x86_64", "kernel/sched/")
    report = kb.run_tool(args, source, obj, ["kernel/sched"], "--struct", "rq")
    known = {f["name"]: f for f in report["fields"]}

    def wanted(s):
        return sum(t["name"] in READ_MOSTLY for t in s["fields"]) * (s["instance"] == "remote") * s["weight"]
    best = max(report["sets"], key=wanted)
    rank = 1 + sorted((s for s in report["sets"] if s["instance"] == "remote"),
                      key=lambda s: -s["weight"]).index(best)
    print(f"remote set with most of the seven: {best['function']} {best['location']}, {best['kind']}, "
          f"{100 * best['share']:.1f} % of all visits, number {rank} among remote sets\n")
    kb.table(["field", "probability", "reads", "writes", "touched in"],
             [[t["name"], f"{t['probability']:.2f}", f"{t['reads']:.2f}", f"{t['writes']:.2f}",
               "; ".join(f"{s['function']} {s['location']}" for s in t["sites"][:1])]
              for t in best["fields"] if t["name"] in READ_MOSTLY], left=(0, 4))

    written = sorted(report["fields"], key=lambda f: -f["writes"])[:5]
    print("\nmost written: " + ", ".join(f"{f['name']} ({f['size']} bytes)" for f in written))
    now, then = (lines_of(report["layouts"][k]) for k in ("current", "proposed"))
    rows = [[group, name, *(",".join(map(str, where[name][:2])) for where in (now, then))]
            for group, names in (("read-mostly", READ_MOSTLY), ("clocks", CLOCKS), ("apart", APART))
            for name in names if name in known]
    print()
    kb.table(["group", "field", "line now", "line proposed"], rows, left=(0, 1))


if __name__ == "__main__":
    main()
