#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The cache model against cachegrind, to the last miss.

Real programs run twice under valgrind: once in cachegrind, which counts, and once in lackey, which prints every access; the model counts the printed
ones (`kst-dev cache`). Reads and writes of D1 and LL and fetches of I1 and LL have to be the same numbers, for each geometry.

That needs two runs of a program that do the same. So they have the same arguments, directory, environment and input, no randomized addresses (setarch
-R), and no thread; hash seeds are fixed. A program that reads /proc/self/maps is no use, as valgrind's own tool is in there: grep does, and differs by
120 accesses. Numbers of accesses are compared as well: if these differ, the runs differed and nothing is said about the model. --control halves the
first level in the model: all rows must differ.

Exit status 1 if a number differs (with --control: if a row does not), 2 if two runs of a program differ."""

import json
import os
import re
import subprocess
import sys
import tempfile

import kst_bench as kb

PROGRAMS = {
    "ls": ["/bin/ls", "-lR", "docs"],
    "sort": ["/usr/bin/sort", "-r", "README.md"],
    "gzip": ["/bin/gzip", "-9", "-c", "README.md"],
    "sed": ["/bin/sed", "-n", "s/[a-z]*line[a-z]*/<&>/gp", "docs/kstatic-affinity.1.scd"],
    "awk": ["/usr/bin/awk", "{ n[$1] += NF } END { for (w in n) s += n[w]; print s }", "README.md"],
    "python3": ["/usr/bin/python3", "-S", "-c", "print(len({str(i): i for i in range(2000)}))"],
}
# First levels (I1 and D1 alike), last level: cachegrind's D1 and LL.
GEOMETRIES = ["l1=32K/8,llc=1M/16,line=64", "l1=48K/12,llc=2M/16,line=64", "l1=8K/2,llc=256K/8,line=64", "l1=4K/1,llc=64K/4,line=32"]
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC", "PYTHONHASHSEED": "0"}
EVENTS = ["Ir", "I1mr", "ILmr", "Dr", "D1mr", "DLmr", "Dw", "D1mw", "DLmw"]


def valgrind(options, program, log):
    """Runs the program; its output does not matter."""
    done = subprocess.run(["setarch", "-R", "valgrind", *options, f"--log-file={log}", *program], cwd=kb.ROOT, env=ENVIRONMENT,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"exit status {done.returncode} of valgrind {' '.join(options)} {' '.join(program)}")


def fields(geometry):
    r"""
    >>> fields("l1=32K/8,llc=1M/16,line=64")
    ('32768,8,64', '1048576,16,64')
    """
    parts = dict(part.split("=") for part in geometry.split(","))
    def level(text):
        size, ways = text.split("/")
        return f"{int(size[:-1]) * {'K': 1 << 10, 'M': 1 << 20}[size[-1]]},{ways},{parts['line']}"
    return level(parts["l1"]), level(parts["llc"])


def half_of_first(geometry):
    """The control: a first level of half the size.

    >>> half_of_first("l1=32K/8,llc=1M/16,line=64")
    'l1=16K/8,llc=1M/16,line=64'
    """
    return re.sub(r"l1=(\d+)K", lambda match: f"l1={int(match.group(1)) // 2}K", geometry)


def by_cachegrind(program, geometry, scratch):
    first, last = fields(geometry)
    out = os.path.join(scratch, "cachegrind.out")
    valgrind(["--tool=cachegrind", "--cache-sim=yes", f"--I1={first}", f"--D1={first}", f"--LL={last}", f"--cachegrind-out-file={out}"],
             program, os.path.join(scratch, "log"))
    with open(out) as file:
        text = file.read()
    names = re.search(r"^events: (.*)", text, re.M).group(1).split()
    totals = dict(zip(names, map(int, re.search(r"^summary: (.*)", text, re.M).group(1).split())))
    return [totals[name] for name in EVENTS]


def by_model(tool, trace, geometry):
    done = subprocess.run([kb.dev_tool(tool), "cache", "--cache", geometry, "--fetches", "--cachegrind", trace], stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"exit status {done.returncode} of kst-dev cache")
    counts = json.loads(done.stdout)
    found = []
    for kinds in (["fetch"], ["load", "modify"], ["store"]):  # cachegrind takes a modify for a read
        served = [counts[kind]["served"] for kind in kinds]
        found += [sum(sum(s.values()) for s in served), sum(s["llc"] + s["memory"] for s in served), sum(s["memory"] for s in served)]
    return found


def main():
    p = kb.parser(__doc__)
    p.add_argument("--programs", default=",".join(PROGRAMS), metavar="NAME[,NAME]", help="default: %(default)s")
    p.add_argument("--control", action="store_true", help="half the first level in the model: the numbers have to differ")
    args = p.parse_args()
    rows, differ, apart = [], 0, 0
    for name in args.programs.split(","):
        with tempfile.TemporaryDirectory() as scratch:
            trace = os.path.join(scratch, "trace")
            valgrind(["--tool=lackey", "--trace-mem=yes"], PROGRAMS[name], trace)
            for geometry in GEOMETRIES:
                expected = by_cachegrind(PROGRAMS[name], geometry, scratch)
                found = by_model(args.tool, trace, half_of_first(geometry) if args.control else geometry)
                apart += expected[::3] != found[::3]
                wrong = sum(abs(e - f) for e, f in zip(expected, found))
                differ += wrong != 0
                rows.append([name, geometry, f"{sum(expected[::3]):,}", *(f"{expected[at]:,}" for at in (1, 2, 4, 7, 5, 8)), f"{wrong:,}"])
                print(f"{name} {geometry}: {wrong}", file=sys.stderr)
    kb.table(["program", "geometry", "accesses", "I1 misses", "of LL", "D1 read", "D1 write", "LL read", "LL write", "off by"], rows, left=(0, 1))
    print(f"\n{len(rows) - differ} of {len(rows)} rows equal in all nine numbers; in {apart} the two runs made different accesses.")
    return 2 if apart else int(differ != len(rows) if args.control else differ != 0)


if __name__ == "__main__":
    sys.exit(main())
