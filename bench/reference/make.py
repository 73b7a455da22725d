#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The reference that ships, from the profiles that record.py recorded.

    bench/reference/make.py DIR --kernel OBJ [--kernel OBJ]... -o FILE.zst [--inputs FILE]

OBJ are the kernels of the profiles: WORKLOAD@NAME.kstp is of the one whose directory is NAME. Each run counts as if all were equally
long, in entries of functions. A function is known by its name and file, a line by its text and its distance from that of the function's
name; the lines of an older version are those of the newest where the text is the same. The rate of a function is a mean of its runs'
rates, in which a run that does little else counts less (POWER). Counts have two digits and are at least 1 where anything ran. Of
functions that never ran only the name is kept, and of files of which nothing ran only theirs: they were there. Code in generated files is left out.

The file is text (docs/guide/formats.md), compressed by zstd. --inputs names a text for the repository: what it was made of, with hashes.
The same profiles give the same bytes."""

import argparse
import collections
import hashlib
import os
import random
import subprocess
import sys

from bodies import Source, anchor, same_lines
from counts import Counts

DIGITS = 2
POWER = 0.5
GAP = 4


class Run:
    """A profile and the kernel that it is of."""

    def __init__(self, path, kernel):
        self.path, self.counts, self.kernel = path, Counts(path), kernel


class Kernel:
    def __init__(self, obj):
        self.source = Source(os.path.realpath(os.path.join(obj, "source")))
        self.version = tuple(int(part) for part in self.release(obj).split("-")[0].split("."))

    @staticmethod
    def release(obj):
        with open(os.path.join(obj, "include/config/kernel.release"), encoding="utf-8") as file:
            return file.read().strip()


def rounded(count):
    """To so many digits, at least 1 where it is not 0.

    >>> rounded(0), rounded(0.2), rounded(9.7), rounded(12345), rounded(9960)
    (0, 1, 10, 12000, 10000)
    """
    count = max(1, round(count)) if count > 0 else 0
    unit = 10 ** max(0, len(str(count)) - DIGITS)
    return (count + unit // 2) // unit * unit


def mean(values, number):
    """Of so many values the power mean; those that are not given are 0.

    >>> mean([4.0, 4.0], 2), mean([4.0], 2) <= 2.0
    (4.0, True)
    """
    return (sum(value ** POWER for value in values) / number) ** (1 / POWER)


class Function:
    """One in all runs: by run that entered it the entries, and its lines as the newest version has them."""

    def __init__(self):
        self.entries, self.lines, self.newest = {}, {}, None

    def add(self, run, where):
        if self.newest is None or run.kernel.version > self.newest[0].version:
            self.newest = (run.kernel, run.counts.at.get(where, 0))
        self.entries[run] = run.counts.entries.get(where, 0)
        self.lines[run] = run.counts.lines.get(where, {})

    def body(self, path, run=None, where=None):
        kernel, line = (run.kernel, run.counts.at.get(where, 0)) if run else self.newest
        return kernel.source.body(path, line) if line else []

    def pooled(self, where, length):
        """Entries, and {line: runs of it}, in a run of this length of a kernel that has the function."""
        rates = {run: entries / run.counts.entered for run, entries in self.entries.items() if entries}
        if not rates:
            lines = [(run, counts) for run, counts in self.lines.items() if any(counts.values())]
            return 0, self.spread(where, [(run, counts, length / run.counts.entered / len(self.entries)) for run, counts in lines])
        entered = length * mean(rates.values(), len(self.entries))
        total = sum(rate ** POWER for rate in rates.values())
        return entered, self.spread(where, [(run, self.lines[run], entered * rate ** POWER / total / self.entries[run]) for run, rate in rates.items()])

    def spread(self, where, parts):
        """Lines of runs, each with a factor, added up as lines of the newest version. What only some versions have stands for all of them."""
        sums, weights, all_weight, to_newest = collections.Counter(), collections.Counter(), 0, {}
        new = self.body(where[0])
        for run, counts, factor in parts:
            kernel = run.kernel
            if kernel not in to_newest:
                to_newest[kernel] = same_lines(self.body(where[0], run, where), new) if kernel.version != self.newest[0].version else None
            known, weight = to_newest[kernel], factor * self.entries[run] or factor
            all_weight += weight
            for line, count in counts.items():
                line = line if known is None or line < 0 else known.get(line)
                if line is not None:
                    sums[line] += count * factor
                    weights[line] += weight
        return {line: total * all_weight / weights[line] for line, total in sums.items()}


def steps(entered, lines, body):
    """Rows of a function's lines: (line, count or None, anchor or ""); each holds until the next.

    >>> steps(7, {1: 7, 2: 7, 4: 3.2, 9: 3}, ["f()", "{", "a;", "", "b;", "/* c */", "d;", "e;", "f;", "g;"])
    [(4, 3, '.m'), (10, None, '')]
    >>> [line for line, _, _ in steps(7, {1: 7, 6: 7}, ["f()", "{", "a;", "b;", "c;", "d;", "e;"])]
    [2, 6, 7]
    """
    out, now, last = [], rounded(entered), 0
    for line in sorted(lines):
        count = rounded(lines[line])
        # Code in between of which nothing is known; few lines are the rest of a statement.
        unknown = [n for n in range(last + 1, line) if is_code(body[n] if n < len(body) else "")]
        if len(unknown) >= GAP and now is not None:
            out.append((unknown[0], None, ""))
            now = None
        if count != now:
            out.append((line, count, anchor(body[line]) if 0 <= line < len(body) else ""))
            now = count
        last = max(line, 0)
    if now is not None and lines:
        out.append((last + 1, None, ""))
    return out


def is_code(text):
    """Whether a line says more than a brace or a comment.

    >>> is_code("a();"), is_code("  } "), is_code(" * and"), is_code("")
    (True, False, False, False)
    """
    text = text.strip(" \t{};")
    return bool(text) and not text.startswith(("/*", "*", "//", "#"))


def deal(functions, seed):
    """Gives each function that ran the entries of another; what its lines do per entry stays."""
    ran = sorted(where for where, (entries, _) in functions.items() if entries)
    rates = [functions[where][0] for where in ran]
    random.Random(seed).shuffle(rates)
    for where, rate in zip(ran, rates):
        own, lines = functions[where]
        functions[where] = rate, {line: count * rate / own for line, count in lines.items()}


def reference(runs, shuffle=None):
    """The text of the file."""
    length = sum(run.counts.entered for run in runs) // len(runs)
    found = collections.defaultdict(Function)
    for run in runs:
        for where in run.counts.entries.keys() | run.counts.lines.keys():
            if not os.path.isabs(where[0]):
                found[where].add(run, where)
    pooled = {where: of.pooled(where, length) for where, of in found.items()}
    if shuffle is not None:
        deal(pooled, shuffle)
    out = ["kstatic-affinity reference 3", f"runs {len(runs)}"]
    for key in ("source", "release", "machine"):
        out.append(f"{key} " + ", ".join(sorted({run.counts.text.get(key, "unknown") for run in runs})))
    files = collections.defaultdict(list)
    for where in sorted(pooled):
        files[where[0]].append(where)
    for file, functions in sorted(files.items()):
        out.append("@" + file)
        if not any(pooled[where][0] or pooled[where][1] for where in functions):
            continue
        for where in functions:
            entered, lines = pooled[where]
            out.append(f"{where[1]} {rounded(entered)}" if entered else where[1])
            if not entered and not lines:
                continue
            for line, count, mark in steps(entered, lines, found[where].body(file)):
                out.append(f"{line:+d}" + ("" if count is None else f" {count}" + (f" {mark}" if mark else "")))
    return "\n".join(out) + "\n"


def kernel_of(path, kernels):
    """By the name after @; a single kernel needs none."""
    name = os.path.basename(path)[:-5].partition("@")[2]
    if not name and len(kernels) == 1:
        return next(iter(kernels.values()))
    if name not in kernels:
        sys.exit(f"{path}: of none of the kernels")
    return kernels[name]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", metavar="DIR")
    p.add_argument("--kernel", action="append", required=True, metavar="OBJ")
    p.add_argument("-o", required=True, dest="out", metavar="FILE.zst")
    p.add_argument("--inputs", metavar="FILE")
    p.add_argument("--shuffle", type=int, metavar="SEED", help="deal the rates out anew among the functions that ran: a control that must gain nothing")
    p.add_argument("--without", default="", metavar="NAME,NAME", help="leave these workloads or kernels out, to judge on them")
    args = p.parse_args()
    out = set(args.without.split(","))
    names = sorted(name for name in os.listdir(args.folder) if name.endswith(".kstp") and not out & set(name[:-5].split("@")))
    if not names:
        sys.exit(f"{args.folder}: no .kstp")
    kernels = {os.path.basename(os.path.abspath(obj)): Kernel(os.path.abspath(obj)) for obj in args.kernel}
    runs = [Run(path, kernel_of(path, kernels)) for path in (os.path.join(args.folder, name) for name in names)]
    text = reference(runs, args.shuffle)
    packed = subprocess.run(["zstd", "--ultra", "-22", "-q", "-c"], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout
    with open(args.out, "wb") as file:
        file.write(packed)
    if args.inputs:
        with open(args.inputs, "w", encoding="utf-8") as file:
            file.write(f"# What bench/reference/make.py made {os.path.basename(args.out)} of: SHA-256, entries of functions, profile\n")
            for run in runs:
                file.write(f"{hashlib.sha256(run.counts.bytes).hexdigest()}  {run.counts.entered:>11}  {os.path.basename(run.path)}\n")
    print(f"{args.out}: {len(runs)} profiles, {len(text):,} bytes of text, {len(packed):,} compressed")


if __name__ == "__main__":
    main()
