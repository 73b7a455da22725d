#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How often visits to a CPU's data are by another CPU, by how the code finds them: what recordings say of each relation.

    bench/relations.py --kernel OBJ --dir DIR [--cpus N] [--cap N | --orders]

OBJ is a built kernel; DIR gets a trace of accesses to STRUCTS for the workloads of each trial (trials.py), if it is not there. The sets of a
report (with the reference that ships) say which part of a function's accesses is of which relation; a trace says which part of the function's
visits was by another CPU. The shares of `chosen` and `unknown` are those of least squares over functions, remote 1 and local 0 given; a function
counts as its visits, at most --cap. Fitted is the trial `seen`; the workloads of the others are predicted. `error` is the mean over functions of
|predicted - seen|, weighed like this, beside that of one share for both relations, fitted likewise.

--orders: what the orders of STRUCTS, by source alone and with the reference that ships, for N CPUs (`--cpus N`), change in the replays of these
traces: misses of a 32 KiB cache, misses by sharing. The reference has seen most of the workloads: compare two tools (--tool) by it."""

import argparse
import dataclasses
import os
import subprocess
import tempfile
from collections import defaultdict

import ablation
import kst_bench as kb
from trials import TRIALS

STRUCTS = {"rq": ["kernel/sched"], "cfs_rq": ["kernel/sched"], "rcu_data": ["kernel/rcu"], "softnet_data": ["net/core"],
           "timer_base": ["kernel/time"], "hrtimer_cpu_base": ["kernel/time"], "tick_sched": ["kernel/time", "kernel/sched"],
           "worker_pool": ["kernel"], "per_cpu_pages": ["mm"]}
FITTED = "seen"


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--kernel", required=True, metavar="OBJ", help="output directory of a finished build", type=os.path.abspath)
    p.add_argument("--dir", required=True, type=os.path.abspath)
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("--cap", type=int, default=1000, help="visits that a function counts at most (default: %(default)s)")
    p.add_argument("--orders", action="store_true")
    p.set_defaults(reference=None)
    return p.parse_args()


def estimated(report):
    """By function: accesses by relation, in the sets of a report."""
    by = defaultdict(lambda: defaultdict(float))
    for entry in report["sets"]:
        for field in entry["fields"]:
            for site in field["sites"]:
                by[site["function"]][entry["instance"]] += entry["weight"] * (site["reads"] + site["writes"])
    return by


def recorded(args, trial):
    trace = os.path.join(args.dir, f"{trial}.{args.cpus}.kstt")
    if not os.path.exists(trace):
        dataclasses.replace(TRIALS[trial], structs=STRUCTS).record(args, trace)
    return trace


def listed(args, trial):
    """Rows of the trace's list of users: visits, by others, in loops, struct, function, file."""
    listing = subprocess.run([args.tool, "trace", "dump", "--users", recorded(args, trial)], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [line.split(" ", 5) for line in listing.splitlines() if not line.startswith("#")]


def visits(args, trial):
    """By struct and function: visits, and those by other CPUs, in a trace."""
    by = defaultdict(lambda: [0, 0])
    for count, others, _, struct, function, _ in listed(args, trial):
        by[struct, function][0] += int(count)
        by[struct, function][1] += int(others)
    return by


def orders(args, source):
    shipped = os.path.join(kb.ROOT, "hybrid", "evidence", "linux.reference.zst")
    rows = []
    for trial in TRIALS:
        seen = {struct for _, _, _, struct, *_ in listed(args, trial)}
        for struct, paths in STRUCTS.items():
            if struct not in seen:
                continue
            ask = argparse.Namespace(**vars(args), trace=recorded(args, trial), counts=None, others=shipped, watched=None, stage=["source", "others"],
                                     options=f"--cpus {args.cpus}")
            with tempfile.TemporaryDirectory() as folder:
                rows += [[trial, *ablation.cells(row)] for row in ablation.judged(ask, source, struct, paths, folder)]
    kb.table(["workloads", "struct", "from", "misses", "sharing", "lines", "rank"], rows, left=(0, 1, 2))


def functions(parts, seen):
    """(struct, function, its parts by relation, visits, share by others) for each that both know."""
    for struct, by in parts.items():
        for function, of in sorted(by.items()):
            count, others = seen.get((struct, function), (0, 0))
            whole = sum(of.values())
            if count and whole > 0:
                yield struct, function, {relation: part / whole for relation, part in of.items()}, count, others / count


def predicted(parts, chosen, unknown):
    return parts.get("remote", 0) + chosen * parts.get("chosen", 0) + unknown * parts.get("unknown", 0)


def fitted(found, cap):
    """Shares of chosen and unknown, and one for both: the best of a grid in 0..1."""
    grid = [n / 50 for n in range(51)]

    def loss(shares):
        return sum(min(count, cap) * (predicted(parts, *shares) - share) ** 2 for _, _, parts, count, share in found)

    return min(((c, u) for c in grid for u in grid), key=loss), min(((u, u) for u in grid), key=loss)


def error(found, cap, shares):
    weights = [min(count, cap) for _, _, _, count, _ in found]
    return sum(w * abs(predicted(parts, *shares) - share) for w, (_, _, parts, _, share) in zip(weights, found)) / sum(weights)


def main():
    args = arguments()
    os.makedirs(args.dir, exist_ok=True)
    source = os.path.realpath(os.path.join(args.kernel, "source"))
    if args.orders:
        orders(args, source)
        return
    parts = {struct: estimated(kb.run_tool(args, source, args.kernel, paths, "--struct", struct, "--quiet", "--cpus", str(args.cpus))) for struct, paths in STRUCTS.items()}
    found = {trial: list(functions(parts, visits(args, trial))) for trial in TRIALS}
    two, one = fitted(found[FITTED], args.cap)
    rows = []
    for trial, of in found.items():
        own, _ = fitted(of, args.cap)
        rows.append([trial, str(len(of)), *(f"{share:.2f}" for share in own), f"{error(of, args.cap, two):.3f}", f"{error(of, args.cap, one):.3f}"])
    kb.table(["workloads", "functions", "chosen", "unknown", f"error with {two[0]:.2f}, {two[1]:.2f}", f"with {one[0]:.2f}"], rows)
    mostly = [row for row in found[FITTED] if row[2].get("chosen", 0) > 0.5 and row[3] >= 20]
    print("\nFunctions that mostly visit chosen CPUs' data:")
    kb.table(["struct", "function", "visits", "by others", "chosen"],
                   [[s, f, str(n), f"{y:.2f}", f"{p['chosen']:.2f}"] for s, f, p, n, y in sorted(mostly, key=lambda row: (row[0], -row[3]))], left=(0, 1))


if __name__ == "__main__":
    main()
