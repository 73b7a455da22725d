#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Samples of perf, recorded here: does hotness move to where they are?

  perf_direction.py --struct S[,S] --source DIR --build DIR [--runs pipe:20000,fork:2000] PATH...

Runs programs of test/workloads on this machine under `perf record -e cpu-clock:k` (a software clock, where there is no PMU), imports
what `perf script` prints, and reports each struct with each profile. The machine's kernel is not the analysed one: functions
match by name. Two runs are compared with each other, so that the source's estimates drop out: a field's share of the samples
is the sum, over the functions that access it, of the function's share of all samples in functions that access the struct times the
share of the field's accesses that lie there (from the report without a profile; at most three places of a field in a set are
known by name). Printed for each pair of runs with at least 20 such samples: the fields whose share of samples differs by a factor of
1.5 or more, and how many of them have a hotness that differs in the same direction. Claim: more than half of them, over all
pairs and weighted by nothing, and for each struct."""

import collections
import itertools
import os
import shutil
import subprocess
import sys
import tempfile

import kst_bench as kb

LEAST = 20
FACTOR = 1.5


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("paths", nargs="+", metavar="PATH", help="as for kstatic-affinity")
    p.add_argument("--struct", required=True, help="names, separated by commas")
    p.add_argument("--source", required=True, type=os.path.abspath, metavar="DIR", help="the kernel's source tree")
    p.add_argument("--build", required=True, type=os.path.abspath, metavar="DIR", help="its build directory")
    p.add_argument("--runs", default="pipe:20000,fork:2000,futex:20000,tcp:5000", help="default: %(default)s")
    return p.parse_args()


def done(command, **more):
    """Runs it for a minute at most; ends the script if it fails."""
    result = subprocess.run(command, stdout=more.pop("stdout", subprocess.DEVNULL), stderr=subprocess.PIPE, text=True,
                            timeout=60, **more)
    if result.returncode:
        sys.exit(f"exit status {result.returncode} of {' '.join(command)}\n{result.stderr}")
    return result


def recorded(args, run, scratch):
    """(profile file, {function: samples}) of one workload."""
    name, *words = run.split(":")
    program, data, text, profile = (os.path.join(scratch, name + end) for end in ("", ".data", ".txt", ".kstp"))
    done(["cc", "-O2", "-static", "-pthread", "-o", program, os.path.join(kb.ROOT, "test", "workloads", name + ".c")])
    done(["perf", "record", "-q", "-e", "cpu-clock:k", "-F", "4999", "-o", data, "--", program, *words])
    with open(text, "w") as file:
        done(["perf", "script", "-i", data, "--header"], stdout=file)
    done([args.tool, "profile", "import", text, "--label", name, "-o", profile])
    shown = os.path.join(scratch, "shown.json")
    done([args.tool, "profile", "show", profile, "--quiet", "--json", shown])
    return profile, {f["name"]: f["samples"] for f in kb.read_json(shown)["functions"] if f.get("samples")}


def report(args, struct, options, scratch):
    out = os.path.join(scratch, "report.json")
    result = subprocess.run([args.tool, "-p", args.build, "--struct", struct, "--quiet", "--full", "--reference", "none", "--json", out, *options, *args.paths],
                            cwd=args.source, stderr=subprocess.PIPE, text=True)
    if result.returncode not in (0, 3):
        sys.exit(f"exit status {result.returncode} for struct {struct}\n{result.stderr}")
    return kb.read_json(out)


def places(static):
    """{field: {function: share of the field's estimated accesses}}."""
    found = collections.defaultdict(collections.Counter)
    for touched in static["sets"]:
        for field in touched["fields"]:
            accesses = touched["weight"] * (field["reads"] + field["writes"])
            for site in field["sites"]:
                found[field["name"]][site["function"]] += accesses / len(field["sites"])
    return {name: {f: n / sum(of.values()) for f, n in of.items()} for name, of in found.items() if sum(of.values())}


def shares(where, samples):
    """({field: share of the samples}, samples in functions that access the struct)."""
    functions = {f for of in where.values() for f in of}
    every = sum(n for f, n in samples.items() if f in functions)
    return {name: sum(part * samples.get(f, 0) for f, part in of.items()) / max(every, 1) for name, of in where.items()}, every


def compare(first, second):
    """(fields that differ in samples, how many of them in hotness as well) of two runs: (shares, hotness) each."""
    differ = same = 0
    for name, x in first[0].items():
        y = second[0][name]
        if max(x, y) > 0 and max(x, y) >= FACTOR * min(x, y) and first[1][name] != second[1][name]:
            differ += 1
            same += (x > y) == (first[1][name] > second[1][name])
    return differ, same


def main():
    args = arguments()
    if not shutil.which("perf"):
        sys.exit("perf is not installed: apt-get install linux-perf")
    rows, wrong = [], []
    with tempfile.TemporaryDirectory() as scratch:
        profiles = {run: recorded(args, run, scratch) for run in args.runs.split(",")}
        for struct in args.struct.split(","):
            where, seen, sums = places(report(args, struct, [], scratch)), {}, [0, 0]
            for run, (profile, samples) in profiles.items():
                share, found = shares(where, samples)
                if found >= LEAST:
                    hybrid = report(args, struct, ["--profile", profile], scratch)
                    seen[run] = share, {f["name"]: f["hotness"] for f in hybrid["fields"]}, found
            for first, second in itertools.combinations(seen, 2):
                differ, same = compare(seen[first], seen[second])
                sums = [sums[0] + differ, sums[1] + same]
                rows.append([struct, first, second, seen[first][2], seen[second][2], differ, same])
            if sums[0]:
                rows.append([struct, "all pairs", "", "", "", *sums])
                if 2 * sums[1] <= sums[0]:
                    wrong.append(struct)
    if not rows:
        sys.exit(f"no struct with two runs of {LEAST} samples")
    kb.table(["struct", "run", "and run", "samples", "samples", "fields that differ", "in the same direction"], rows, (0, 1, 2))
    print(f"\n{'NO   ' if wrong else 'yes  '}hotness differs as samples do, in more than half of the fields of each struct"
          + (": not " + ", ".join(wrong) if wrong else ""))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
