#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Where objects begin within a cache line: what the source says of it beside the addresses that a kernel gave out.

    bench/starts.py --kernel OBJ --trial NAME=TRACE [--trial NAME=TRACE]...

TRACE has the accesses of a trial's workloads (trials.py; bench/ablation.py records it).

  said      objects begin at multiples of so many bytes, by the tool; 64: on a line
  made at   the slab caches that this rests on; none: no cache was seen, and the rule for all others holds
  objects   that were allocated in the trace
  in trace  the largest power of two, 64 at most, that divides all their addresses
  right     how often the tool's number is that"""

import math
import os
import re
import subprocess

import kst_bench as kb
from trials import TRIALS

LINE, FEWEST = 64, 8
ALLOCATION = re.compile(r"^\S+ \S+ 0x([0-9a-f]+) \S+ \d+ alloc ")


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--kernel", required=True, metavar="OBJ", type=os.path.abspath)
    p.add_argument("--trial", required=True, action="append", metavar="NAME=TRACE")
    args = p.parse_args()
    args.trials = []
    for word in args.trial:
        name, _, file = word.partition("=")
        if name not in TRIALS or not file:
            p.error(f"--trial {word}: wants one of {', '.join(TRIALS)}, and a trace")
        args.trials.append((TRIALS[name], os.path.abspath(file)))
    return args


def addresses(lines):
    """Of the objects that the lines of a dump say to be allocated.

    >>> addresses(["7 0 0xffff880000002040 inode+0#34 704 alloc f a.c:1 of=inode_cache", "8 0 0xffff880000002041 inode+1#34 8 w f a.c:2"])
    {18446612132314226752}
    """
    return {int(found[1], 16) for line in lines if (found := ALLOCATION.match(line))}


def divisor(numbers):
    """
    >>> divisor({0, 704, 1408}), divisor({0, 160, 320}), divisor({136, 272})
    (64, 32, 8)
    """
    return math.gcd(LINE, *numbers)


def main():
    args = arguments()
    source = os.path.realpath(os.path.join(args.kernel, "source"))
    rows, right = [], {True: [0, 0], False: [0, 0]}
    for trial, trace in args.trials:
        for struct, paths in trial.structs.items():
            dump = subprocess.run([args.tool, "trace", "dump", trace, "--struct", struct], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            found = addresses(dump.stdout.splitlines())
            if len(found) < FEWEST:
                continue
            report = kb.run_tool(args, source, args.kernel, paths, "--struct", struct, "--quiet")
            said, caches = min(LINE, report["model"]["instance_align"]), report.get("slab_caches", [])
            true = divisor(found)
            rows.append([struct, report["size"], said, ", ".join(cache["location"] for cache in caches) or "none", len(found), true])
            right[bool(caches)][0] += said == true
            right[bool(caches)][1] += 1
    kb.table(["struct", "bytes", "said", "made at", "objects", "in trace"], rows, left=(0, 3))
    for seen, words in ((True, "with a cache that was seen"), (False, "without")):
        print(f"right {words}: {right[seen][0]} of {right[seen][1]}")


if __name__ == "__main__":
    main()
