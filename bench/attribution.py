#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Is what the tool says about each access right, on programs where it is known?

Generates C programs of two units and a header in which it is known who reads
and who writes each field of a struct, in which part of an object's life, and
who owns it, in forms and ways that the kernel has; runs the tool on each and
compares its JSON reports with that. Prints how many are right and wrong for
each kind of access and each way to it, and what is wrong; exit status 1 if
anything is. What docs/design states as a limit is printed and fails nothing.

A check (known_programs/check.py) adds code and judges the reports: CHECKS has
them. Seeds 1-50 are for development, 3001-3100 are held out: nothing is changed
by what they show.

    bench/attribution.py [--seeds 1-50] [--keep DIR]"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter

import kst_bench as kb
from known_programs.owners import Owners
from known_programs.phases import Phases
from known_programs.program import Program
from known_programs.readers_and_writers import ReadersAndWriters

CHECKS = [ReadersAndWriters, Phases, Owners]
# The table of what docs/design states as limits. They fail no run.
KNOWN = "unresolved, known"


def seeds(text):
    """
    >>> seeds("3"), seeds("1-4")
    (range(3, 4), range(1, 5))
    """
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def run(tool, directory, units, question):
    name = "-".join([question.struct, *(word.strip("-")[:20] for word in question.options)])
    report = os.path.join(directory, f"report-{name}.json")
    command = [tool, "--cache-dir", os.path.join(directory, "cache"), "--quiet", "--full", "-j1", "--struct", question.struct, "--json", report,
               *question.options, *units]
    done = subprocess.run(command, cwd=directory, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{directory}: the tool exits with {done.returncode}: {done.stderr[-500:]}")
    with open(report) as file:
        report = json.load(file)
    if report["coverage"]["translation_units"]["failed"]:
        sys.exit(f"{directory}: the program does not compile: {report['coverage']['translation_units']['failed']}")
    return report


def judged(args, seed):
    """(title of a table, group, words) of every row."""
    program, checks = Program(seed), [check() for check in CHECKS]
    for check in checks:
        check.add(program)
    with tempfile.TemporaryDirectory() as scratch:
        directory = os.path.join(os.path.abspath(args.keep), str(seed)) if args.keep else scratch
        os.makedirs(directory, exist_ok=True)
        units = program.write(directory)
        reports = [[run(args.tool, directory, units, question) for question in check.questions()] for check in checks]
    rows = []
    for check, answers in zip(checks, reports):
        for row in check.judge(answers):
            if row.known:
                rows.append((KNOWN, row.known, f"seed {seed}: {row.words}" if row.words else ""))
                continue
            rows += [(title, group, f"seed {seed}: {row.words}" if row.words else "")
                     for title, group in zip(check.tables, row.groups)]
    return rows


def main():
    parser = kb.parser(__doc__)
    parser.add_argument("--seeds", type=seeds, default=seeds("1-50"), metavar="N[-M]", help="programs to try (default 1-50)")
    parser.add_argument("--keep", metavar="DIR", help="keep the programs and reports here")
    parser.add_argument("--most", type=int, default=40, metavar="N", help="what is wrong, at most (default 40)")
    parser.add_argument("-j", type=int, default=2, metavar="N", help="programs at once (default 2)")
    args = parser.parse_args()
    right, wrong, words = Counter(), Counter(), []
    with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
        for rows in pool.map(lambda seed: judged(args, seed), args.seeds):
            for title, group, problem in rows:
                (wrong if problem else right)[title, group] += 1
                if problem and title != KNOWN and problem not in words:
                    words.append(problem)
    for title in [title for check in CHECKS for title in check.tables] + [KNOWN]:
        print(f"{title:<48}{'right':>8}{'wrong':>8}")
        for of, group in sorted(set(right) | set(wrong)):
            if of == title:
                print(f"  {group:<46}{right[of, group]:>8}{wrong[of, group]:>8}")
    for problem in words[:args.most]:
        print(problem)
    if len(words) > args.most:
        print(f"... and {len(words) - args.most} more")
    first = {check.tables[0] for check in CHECKS}
    print(f"{len(args.seeds)} programs, {sum(n for (of, _), n in right.items() if of in first)} right, {len(words)} wrong")
    sys.exit(1 if words else 0)


if __name__ == "__main__":
    main()
