#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How time and memory of the layout stage grow with the evidence: generated
records of 300 fields with 500 to 20,000 co-access sets, one `kst-dev solve` process each
on one core. Prints a table; the exit status is 1 if 5,000 sets take more than
2 s of CPU or 200 MB, or if time grows faster than sets^1.25."""

import argparse
import math
import os
import shutil
import sys
import tempfile

import kst_bench
import make_instances

FIELDS, COUNTS = 300, (500, 1000, 2000, 5000, 10000, 20000)
MOST_SECONDS, MOST_MB, MOST_EXPONENT = 2.0, 200.0, 1.25
KINDS = {"communities": make_instances.community_sets, "paths": make_instances.path_sets}


def problem(kind, sets):
    """A record of FIELDS fields, all of which the sets may touch."""
    r = make_instances.Random(f"scaling-{kind}-{sets}")
    fields = make_instances.fields_of_kind(r, FIELDS)
    made = KINDS[kind](r, list(range(FIELDS)), sets)
    return make_instances.instance(r, f"{kind}-{sets}", "scaling", fields, made)


def run(tool, instance):
    """(CPU seconds, peak MB) of a process that solves one problem; both include
    reading it."""
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "problem.json")
        with open(path, "w") as out:
            out.write(make_instances.line_of(instance))
        command = [tool, "solve", "--no-baselines", path]
        if shutil.which("taskset"):
            command = ["taskset", "-c", str(max(os.sched_getaffinity(0)))] + command
        child = os.fork()
        if child == 0:
            try:
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, 1)
                os.execvp(command[0], command)
            except OSError as error:
                os.write(2, f"cannot run {tool}: {error.strerror}\n".encode())
            os._exit(127)
        _, status, usage = os.wait4(child, 0)
        if status:
            sys.exit(f"{' '.join(command)} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tool", type=os.path.abspath, default=os.path.join(kst_bench.ROOT, "build", "release", "bin", "kst-dev"))
    args = p.parse_args()
    header, rows, good = ["family", "sets", "CPU s", "ms per set", "peak MB"], [], True
    exponents = []
    for kind in KINDS:
        points = []
        for sets in COUNTS:
            seconds, megabytes = run(args.tool, problem(kind, sets))
            rows.append([kind, sets, f"{seconds:.2f}", f"{1000 * seconds / sets:.2f}", f"{megabytes:.0f}"])
            points.append((math.log(sets), math.log(seconds)))
            if sets == 5000:
                good &= seconds <= MOST_SECONDS and megabytes <= MOST_MB
        # Slope of log time over log sets, least squares.
        x, y = (sum(values) / len(points) for values in zip(*points))
        slope = sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)
        exponents.append(f"{kind}: time grows as sets^{slope:.2f}.")
        good &= slope <= MOST_EXPONENT
    kst_bench.table(header, rows)
    print("\n".join(exponents))
    sys.exit(0 if good else 1)


main()
