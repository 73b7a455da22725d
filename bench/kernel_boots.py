#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does the instrumented kernel boot, every time, and warn of nothing new?

First every workload with each number of CPUs, on the instrumented kernel and on
the plain one of the same configuration: warnings (log level 4 and below) that
only the instrumented kernel gave are listed. Messages about clocks come and go
with the load of the host; those are listed, but not held against it. Then so many boots in a row, with
a short workload each; every one must bring out counters that are not all zero.
Ends with 1 if anything is wrong.

    passes/kernel/kst-kernel prepare kst && passes/kernel/kst-kernel build kst
    passes/kernel/kst-kernel prepare plain --plain && passes/kernel/kst-kernel build plain
    bench/kernel_boots.py [--boots 20]

With --configs: kernels of other configurations than the project's own, as
`kst-kernel prepare --config FILE` takes them from a user: those of
kernel_configs.py, and FILE of each --config. Each is built, booted with two
CPUs, runs pipe and fork, and is checked for counters where none may be. Printed
is what `profile show` says of the chosen structs. Warnings count that the kernel
gives of itself (WARNING, BUG, lockdep's), not those about the emulated machine.

    bench/kernel_boots.py --configs all
    bench/kernel_boots.py --configs numa --config /boot/config-$(uname -r)
"""

import argparse
import os
import re
import sys
import tempfile
import time

import kernel_configs as kc
import kernel_profile as kp
import kst_bench as kb

# The last: the server of deadline tasks finds that it missed periods, because
# the host did not run the CPU for that long.
CLOCKS = re.compile("clocksource: |hrtimer: interrupt took |tsc: |TSC |sched: DL replenish lagged")
# Of a configuration without a plain kernel to compare with.
COMPLAINTS = re.compile(r"WARNING: |BUG: |INFO: |Oops|kst: |unchecked MSR|Call Trace|possible .* detected")
SHORT = ["--run", "pipe:500", "--run", "fork:50", "--run", "yield:1000"]


def warnings(out):
    """Messages of warning level and above, without numbers and times."""
    found = set()
    with open(os.path.join(out, "dmesg"), errors="replace") as file:
        for line in file:
            match = re.match(r"<(\d+)>\[[ \d.]+\] (.*)", line)
            if match and int(match.group(1)) & 7 <= 4:
                found.add(re.sub(r"0x[0-9a-f]+|\b[0-9a-f]{8,}\b|\d+", "N", match.group(2)))
    return found


def counted(out):
    """Sum of all counters that the runs brought out, for each label."""
    sums = {}
    for name in sorted(os.listdir(out)):
        if name.endswith(".kstraw"):
            _, records = kp.raw_counters(os.path.join(out, name))
            sums[name[:-len(".kstraw")]] = sum(sum(counts) for counts in records.values())
    return sums


def boot(kernel, cpus, out, runs, timeout):
    began = time.monotonic()
    kp.kst_kernel("boot", kernel, "--cpus", str(cpus), "--out", out, "--timeout", str(timeout), *runs)
    return time.monotonic() - began


def try_config(args, name, config, structs, dirs, how):
    """A row on one configuration, and what is wrong with it."""
    kernel, asked = f"config-{name}", set(structs.split(","))
    kc.build(kernel, config, structs, dirs)
    wrong, lost = [], 0
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        boot(kernel, 2, out, ["--run", "pipe:500", "--run", "fork:50", *how], args.timeout)
        counts = dict.fromkeys(asked, 0)
        for run in ("pipe", "fork"):
            profile = kc.shown(args.tool, kernel, os.path.join(out, run + ".kstraw"), folder)
            lost += profile["lost"]
            for struct, number in kc.accesses(profile).items():
                counts[struct] = counts.get(struct, 0) + number
        seen = sorted(warnings(out))
    with open(kp.kst_kernel("path", kernel, "config")) as file:
        on = len(re.findall("=[ym]$", file.read(), re.M))
    used = sum(1 for struct in asked if counts[struct])
    wrong += [f"{name}: no access to rq"] * (not counts.get("rq"))
    wrong += [f"{name}: counts where it must not: {text}" for text in [kc.counts_where_it_must_not(kernel)] if text]
    wrong += [f"{name}: warning: {line}" for line in seen if COMPLAINTS.search(line)]
    return [name, on, len(asked), used, counts.get("rq", 0), sum(counts.values()), lost, len(wrong)], wrong


def try_configs(args):
    names = list(kc.CONFIGS) if args.configs == "all" else [name for name in args.configs.split(",") if name]
    rows, wrong = [], []
    kp.kst_kernel("prepare", "config-source", "--empty")
    source = kp.kst_kernel("path", "config-source", "source")
    for name in names:
        options, *rest = kc.CONFIGS[name]
        folder = os.path.join(os.path.dirname(kp.kst_kernel("path", "config-source")), name)
        row, problems = try_config(args, name, kc.complete(options, source, folder), *rest)
        rows, wrong = rows + [row], wrong + problems
    for path in args.config:
        row, problems = try_config(args, os.path.basename(path), path, "rq", "kernel lib", [])
        rows, wrong = rows + [row], wrong + problems
    kb.table(["configuration", "options on", "structs", "used", "accesses to rq", "to all", "lost", "wrong"], rows)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default=os.path.join(kb.ROOT, "build", "release", "bin", "kstatic-affinity"))
    parser.add_argument("--configs", metavar="NAMES", help=f"all, or some of {', '.join(kc.CONFIGS)}; nothing else is done then")
    parser.add_argument("--config", action="append", default=[], metavar="FILE", help="with --configs: one more")
    parser.add_argument("--kernel", default="kst")
    parser.add_argument("--plain", default="plain", help="'' for no comparison")
    parser.add_argument("--boots", type=int, default=20)
    parser.add_argument("--cpus", default="2,4", help="numbers of CPUs, taken in turn")
    parser.add_argument("--timeout", type=int, default=600, help="seconds for a boot")
    args = parser.parse_args()
    if args.configs is not None:
        wrong = try_configs(args)
        for line in wrong:
            print("WRONG", line)
        return 1 if wrong else 0
    cpus = [int(word) for word in args.cpus.split(",")]
    wrong, usual, new = [], set(), set()
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        for kernel in [name for name in (args.plain, args.kernel) if name]:
            for number in cpus:
                took = boot(kernel, number, out, ["--run", "all"], args.timeout)
                seen = warnings(out)
                print(f"{kernel}: {number} CPUs, all workloads, powered off after {took:.0f} s, {len(seen)} warnings", flush=True)
                if kernel == args.plain:
                    usual |= seen
                    continue
                new |= seen
                for label, total in counted(out).items():
                    print(f"  {label}: {total} counts")
                    if not total:
                        wrong.append(f"{label} with {number} CPUs counted nothing")
        for number in range(args.boots):
            took = boot(args.kernel, cpus[number % len(cpus)], out, SHORT, args.timeout)
            sums = counted(out)
            new |= warnings(out)
            if len(sums) != 3 or not all(sums.values()):
                wrong.append(f"boot {number + 1}: counters {sums}")
            print(f"boot {number + 1} of {args.boots}: {cpus[number % len(cpus)]} CPUs, {took:.0f} s", flush=True)
    if args.plain:
        for line in sorted(new - usual):
            if CLOCKS.match(line):
                print("about clocks, in boots of the instrumented kernel only:", line)
            else:
                wrong.append(f"a warning that the plain kernel does not give: {line}")
    for line in wrong:
        print("WRONG", line)
    print("result:", f"{len(wrong)} wrong" if wrong else f"{args.boots} boots in a row, no warning of its own")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
