#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What do the counters cost in the kernel?

Runs the same amount of work on the instrumented kernel and on the plain one of
the same configuration, on one CPU under QEMU's -icount: guest time then is the
number of instructions executed, times 2^N ns, whatever the host does. Printed:
instructions of each workload on both, and their ratio. Idle time would count as
if it were instructions, so the share of idle time (from /proc/stat) is printed.
With --perturb each kernel runs several times with the guest at other random
addresses (KASLR), which shows how far a ratio can be trusted.

    passes/kernel/kst-kernel prepare kst && passes/kernel/kst-kernel build kst
    passes/kernel/kst-kernel prepare plain --plain && passes/kernel/kst-kernel build plain
    bench/kernel_cost.py
"""

import argparse
import os
import re
import statistics
import sys
import tempfile

import kernel_profile as kp

RUNS = ["yield:20000", "pipe:5000 one", "fork:300", "futex:3000", "tcp:1000"]
SHIFT = 0


def idle_ticks(path):
    """(idle, all) of all CPUs, in clock ticks."""
    with open(path) as file:
        ticks = [int(word) for word in file.readline().split()[1:]]
    return ticks[3] + ticks[4], sum(ticks[:8])


def measured(out):
    """{label: (instructions, share of idle time)}"""
    result = {}
    for name in sorted(os.listdir(out)):
        if not name.endswith(".time"):
            continue
        label = name[:-len(".time")]
        with open(os.path.join(out, name)) as file:
            elapsed = int(re.search(r"elapsed_ns=(\d+)", file.read()).group(1))
        before, after = (idle_ticks(os.path.join(out, label + end)) for end in (".before", ".after"))
        total = after[1] - before[1]
        result[label] = elapsed >> SHIFT, (after[0] - before[0]) / total if total else 0.0
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", default="kst")
    parser.add_argument("--plain", default="plain")
    parser.add_argument("--run", action="append", dest="runs", help=f"default: {RUNS}")
    parser.add_argument("--perturb", type=int, default=1, metavar="N", help="boots of each kernel")
    parser.add_argument("--timeout", type=int, default=1800)
    args = parser.parse_args()
    runs = [word for run in args.runs or RUNS for word in ("--run", run)]
    found = {args.plain: [], args.kernel: []}
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        for _ in range(args.perturb):
            for kernel, results in found.items():
                kp.kst_kernel("boot", kernel, "--cpus", "1", "--icount", str(SHIFT), "--out", out, "--timeout",
                              str(args.timeout), *runs)
                results.append(measured(out))
    print(f"{'workload':12} {'plain':>14} {'instrumented':>14} {'ratio':>7} {'idle':>6}   instructions")
    ratios = []
    for label in found[args.plain][0]:
        plain, kst = (statistics.median(result[label][0] for result in found[kernel])
                      for kernel in (args.plain, args.kernel))
        idle = max(result[label][1] for results in found.values() for result in results)
        ratios.append(kst / plain)
        spread = [b[label][0] / a[label][0] for a, b in zip(found[args.plain], found[args.kernel])]
        more = f"   of single boots {min(spread):.4f}..{max(spread):.4f}" if args.perturb > 1 else ""
        print(f"{label:12} {plain:14.0f} {kst:14.0f} {kst / plain:7.4f} {idle:6.1%}{more}")
    print(f"geometric mean of the ratios: {statistics.geometric_mean(ratios):.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
