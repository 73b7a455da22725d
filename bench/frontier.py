#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What few moves bring: the frontier against truncating the full answer.

For each instance (bench/instances/README.md) `kst-dev solve` proposes an order and a
frontier. Printed for 5 and 10 moves (--moves), as the share of the present cost
that is saved:

  found   the best point of the frontier with at most so many moves
  first   the best of the first so many moves of the proposal: its moved bricks,
          taken to their places in the order in which they stand there
  greedy  the same with the unit that gains most taken next
  all     the whole proposal, with its number of moves

A move is one declaration taken to another place. The last line counts over all
instances and all numbers of moves up to "all" how often the frontier is better
than, equal to and worse than each truncation."""

import argparse
import json
import lzma
import os
import subprocess
import sys
import tempfile

import kst_bench as kb

DEFAULT = ["kernel/sched/rq", "kernel/sched/rq@128", "kernel/sched/cfs_rq", "kernel/sched/sched_entity",
           "kernel/sched/task_struct", "kernel/sched/sched_domain", "kernel/sched/signal_struct", "mm/zone",
           "mm/pglist_data", "fs/inode", "fs/super_block", "fs/bio", "fs/ext4_inode_info", "fs/journal_s"]


def instances(path, names):
    """The lines of the instances named, in the order of the file; all without names."""
    opener = lzma.open if path.endswith(".xz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        lines = [(json.loads(line)["name"], line) for line in file]
    missing = sorted(set(names) - {name for name, _ in lines})
    if missing:
        sys.exit(f"{path} has no instance {', '.join(missing)}; it has: " + " ".join(name for name, _ in lines))
    return [line for name, line in lines if not names or name in names]


def within(points, moves):
    """The lowest cost with at most so many moves."""
    return min(point["cost"] for point in points if point["moves"] <= moves)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("names", nargs="*", help="instances (default: a dozen of kernel structs; --all: all of the file)")
    p.add_argument("--all", action="store_true")
    p.add_argument("--instances", default=os.path.join(kb.ROOT, "bench", "instances", "kernel.jsonl.xz"))
    p.add_argument("--solver", default=os.path.join(kb.ROOT, "build", "release", "bin", "kst-dev"),
                   help="the kst-dev to run (default: the release build)")
    p.add_argument("--moves", type=int, action="append", help="numbers of moves to print (default 5 and 10)")
    args = p.parse_args()
    counts = args.moves or [5, 10]

    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(instances(args.instances, [] if args.all else args.names or DEFAULT))
        file.flush()
        done = subprocess.run([args.solver, "solve", "--frontier", "--no-baselines", file.name], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"exit status {done.returncode} of {args.solver}")

    rows, score = [], {"first": [0, 0, 0], "greedy": [0, 0, 0]}
    for answer in map(json.loads, done.stdout.splitlines()):
        found = answer["frontier"]
        now, most = found[0]["cost"], found[-1]["moves"]
        if not most:
            continue

        def saved(cost):
            return f"{100 * (1 - cost / now):.2f}"
        row = [answer["name"], len(answer["order"])]
        for moves in counts:
            row += [saved(within(points, moves)) for points in (found, answer["first_moves"], answer["greedy_moves"])]
        rows.append([*row, saved(found[-1]["cost"]), most])
        for name, tally in score.items():
            for moves in range(1, most + 1):
                here, there = within(found, moves), within(answer[name + "_moves"], moves)
                tally[0 if here < there * (1 - 1e-9) else 2 if here > there * (1 + 1e-9) else 1] += 1
    kb.table(["saved, %", "fields", *(f"{name} {moves}" for moves in counts for name in ("found", "first", "greedy")),
              "all", "moves"], rows)
    print()
    for name, (better, equal, worse) in score.items():
        print(f"against {name}: better {better}, equal {equal}, worse {worse}")


if __name__ == "__main__":
    main()
