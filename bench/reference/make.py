#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The reference that ships, from the profiles that record.py recorded.

    bench/reference/make.py DIR -o FILE.zst [--inputs FILE]

Each profile counts as if all were equally long, in entries of functions; their mean is the length of one. A function is known by its name
and file, so that copies of it, and several kernels, are one; a line by its distance from that of the function's name. Counts have three
digits and are at least 1 where anything ran. Of functions that never ran only the name is kept: they were there. Code in generated files
is left out.

The file is text (docs/profile-formats.md), compressed by zstd. --inputs names a text for the repository: what it was made of, with hashes.
The same profiles give the same bytes."""

import argparse
import collections
import hashlib
import os
import random
import subprocess
import sys

from counts import Counts

DIGITS = 3

def add_scaled(to, counts, length, own):
    """Adds counts of a run as if it were so long and not as long as it was.

    >>> total = collections.Counter(f=1)
    >>> add_scaled(total, {"f": 30, "g": 1, "h": 0}, 20, 100)
    >>> sorted(total.items())
    [('f', 7), ('g', 1)]
    """
    for where, count in counts.items():
        if count:
            to[where] += max(1, count * length // own)


def rounded(count):
    """To so many digits.

    >>> rounded(0), rounded(987), rounded(12345), rounded(99960)
    (0, 987, 12300, 100000)
    """
    unit = 10 ** max(0, len(str(count)) - DIGITS)
    return (count + unit // 2) // unit * unit


def deal(entries, lines, seed):
    """Gives each function that ran the entries of another; what its lines do per entry stays."""
    ran = sorted(where for where, count in entries.items() if count)
    rates = [entries[where] for where in ran]
    random.Random(seed).shuffle(rates)
    factors = {where: (rate, entries[where]) for where, rate in zip(ran, rates)}
    for (file, function, line), count in lines.items():
        rate, own = factors.get((file, function), (1, 1))
        lines[file, function, line] = count * rate // own
    for where, (rate, _) in factors.items():
        entries[where] = rate


def reference(profiles, shuffle=None):
    """The text of the file.

    >>> class Run: pass
    >>> run = Run()
    >>> run.text, run.entered = {"source": "kernel"}, 12
    >>> run.entries = {("a.c", "f"): 12, ("a.c", "never"): 0, ("/generated.c", "g"): 0}
    >>> run.lines = {("a.c", "f", 3): 24, ("a.c", "f", 1): 12, ("a.c", "f", -2): 0}
    >>> print(reference([run]), end="")
    kstatic-affinity reference 1
    runs 1
    source kernel
    release unknown
    machine unknown
    @a.c
    f 12
    -2 0
    +1 12
    +3 24
    never
    """
    totals = [profile.entered for profile in profiles]
    length = sum(totals) // len(totals)
    entries, lines = collections.Counter(), collections.Counter()
    for profile, own in zip(profiles, totals):
        for to, counts in ((entries, profile.entries), (lines, profile.lines)):
            to.update(dict.fromkeys(counts, 0))
            add_scaled(to, counts, length, own)
    if shuffle is not None:
        deal(entries, lines, shuffle)
    by_function = collections.defaultdict(list)
    for (file, function, line), count in lines.items():
        by_function[file, function].append((line, count))
    out = ["kstatic-affinity reference 1", f"runs {len(profiles)}"]
    for key in ("source", "release", "machine"):
        out.append(f"{key} " + ", ".join(sorted({profile.text.get(key, "unknown") for profile in profiles})))
    last = None
    for file, function in sorted(entries.keys() | by_function.keys()):
        if os.path.isabs(file):
            continue
        if file != last:
            out.append("@" + file)
            last = file
        before = rounded(entries[file, function])
        out.append(f"{function} {before}" if before else function)
        # Some part of a function may have run that is no entry.
        found = sorted(by_function[file, function])
        for line, count in found if before or any(count for _, count in found) else []:
            count = rounded(count)
            out.append(f"{line:+d}" if count == before else f"{line:+d} {count}")
            before = count
    return "\n".join(out) + "\n"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", metavar="DIR")
    p.add_argument("-o", required=True, dest="out", metavar="FILE.zst")
    p.add_argument("--inputs", metavar="FILE")
    p.add_argument("--shuffle", type=int, metavar="SEED", help="deal the rates out anew among the functions that ran: a control that must gain nothing")
    p.add_argument("--without", default="", metavar="NAME,NAME", help="leave these workloads out, to judge on them")
    args = p.parse_args()
    paths = sorted(os.path.join(args.folder, name) for name in os.listdir(args.folder) if name.endswith(".kstp") and name[:-5] not in args.without.split(","))
    if not paths:
        sys.exit(f"{args.folder}: no .kstp")
    profiles = [Counts(path) for path in paths]
    text = reference(profiles, args.shuffle)
    packed = subprocess.run(["zstd", "--ultra", "-22", "-q", "-c"], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout
    with open(args.out, "wb") as file:
        file.write(packed)
    if args.inputs:
        with open(args.inputs, "w", encoding="utf-8") as file:
            file.write(f"# What bench/reference/make.py made {os.path.basename(args.out)} of: SHA-256, entries of functions, profile\n")
            for path, profile in zip(paths, profiles):
                file.write(f"{hashlib.sha256(profile.bytes).hexdigest()}  {profile.entered:>11}  {os.path.basename(path)}\n")
    print(f"{args.out}: {len(profiles)} profiles, {len(text):,} bytes of text, {len(packed):,} compressed")


if __name__ == "__main__":
    main()
