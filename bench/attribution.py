#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Is what the tool says about each access right, on programs where it is known?

Generates C programs of two units and a header in which it is known who reads
and who writes each field of a struct, in forms and ways that the kernel has,
runs the tool on each and compares its JSON report with that. Prints how many
are right and wrong for each kind of access and each way to it, and what is
wrong; exit status 1 if anything is.

A check (known_programs/check.py) adds code and judges the report: CHECKS has them.

    bench/attribution.py [--seeds 1-50] [--keep DIR]"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter

import kst_bench as kb
from known_programs.program import Program
from known_programs.readers_and_writers import ReadersAndWriters

CHECKS = [ReadersAndWriters]


def seeds(text):
    """
    >>> seeds("3"), seeds("1-4")
    (range(3, 4), range(1, 5))
    """
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def run(tool, directory, units):
    report = os.path.join(directory, "report.json")
    command = [tool, "--no-cache", "--quiet", "-j1", "--struct", "s", "--json", report, *units]
    done = subprocess.run(command, cwd=directory, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{directory}: the tool exits with {done.returncode}: {done.stderr[-500:]}")
    with open(report) as file:
        return json.load(file)


def judged(args, seed):
    """(title of a table, group, words) of every row."""
    program, checks = Program(seed), [check() for check in CHECKS]
    for check in checks:
        check.add(program)
    with tempfile.TemporaryDirectory() as scratch:
        directory = os.path.join(os.path.abspath(args.keep), str(seed)) if args.keep else scratch
        os.makedirs(directory, exist_ok=True)
        report = run(args.tool, directory, program.write(directory))
    rows = []
    for check in checks:
        for row in check.judge(report):
            rows += [(title, group, f"seed {seed}: {row.words}" if row.words else "")
                     for title, group in zip(check.tables, row.groups)]
    return rows


def main():
    parser = kb.parser(__doc__)
    parser.add_argument("--seeds", type=seeds, default=seeds("1-50"), metavar="N[-M]", help="programs to try (default 1-50)")
    parser.add_argument("--keep", metavar="DIR", help="keep the programs and reports here")
    parser.add_argument("-j", type=int, default=2, metavar="N", help="programs at once (default 2)")
    args = parser.parse_args()
    right, wrong, words = Counter(), Counter(), []
    with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
        for rows in pool.map(lambda seed: judged(args, seed), args.seeds):
            for title, group, problem in rows:
                (wrong if problem else right)[title, group] += 1
                if problem and problem not in words:
                    words.append(problem)
    for title in [title for check in CHECKS for title in check.tables]:
        print(f"{title:<32}{'right':>8}{'wrong':>8}")
        for of, group in sorted(set(right) | set(wrong)):
            if of == title:
                print(f"  {group:<30}{right[of, group]:>8}{wrong[of, group]:>8}")
    for problem in words[:40]:
        print(problem)
    if len(words) > 40:
        print(f"... and {len(words) - 40} more")
    first = CHECKS[0].tables[0]
    print(f"{len(args.seeds)} programs, {sum(n for (of, _), n in right.items() if of == first)} right, {len(words)} wrong")
    sys.exit(1 if words else 0)


if __name__ == "__main__":
    main()
