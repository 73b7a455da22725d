#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do the counters of the instrumented kernel agree with counts known otherwise?

Two kinds of known counts, for workloads that do a given number of things:

- what the workload asked for: N calls of sched_yield(), N forks, N round trips
  through pipes on one CPU under SCHED_FIFO, each two context switches;
- what the kernel itself counts, in the fields of struct rq that it shows in
  /proc/stat and /proc/schedstat: every increment of such a field is one write
  that the counters must have seen.

Found: writes to the field, or entries of the function, from the raw counters
and the table of vmlinux, read by kernel_profile.py and not by the tool. A
difference from what was asked for is within the noise if it is at most what the
same figure came to in a run without work, for the time that the workload took,
plus 1 in 1000: an idle run and one that keeps a CPU busy in user space, the
larger of both. A difference from what the kernel shows may be 10, plus 1 in
1000: the counters and /proc are not read in the same moment. The kernel is
booted with schedstats=enable. Ends with 1 if a difference is larger.

A function that runs once for each fork is sched_balance_find_dst_cpu(), which
looks for a CPU for the child (and for a program at exec).

    passes/kernel/kst-kernel prepare kst && passes/kernel/kst-kernel build kst
    bench/kernel_counts.py
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

import kernel_profile as kp
import kst_bench as kb

YIELDS, FORKS, TRIPS = 20000, 1000, 10000
RUNS = ["idle:5", "spin:5", f"yield:{YIELDS}", f"fork:{FORKS}", f"pipe:{TRIPS} fifo", "futex:3000", "nanosleep:8 3", "stop:2 3",
        "tcp:1000"]
# Members of struct rq that the kernel shows: their place in a "cpuN" line of
# /proc/schedstat (show_schedstat()), or the line of /proc/stat.
SCHEDSTAT = {"yld_count": 0, "sched_count": 2, "sched_goidle": 3, "ttwu_count": 4, "ttwu_local": 5,
             "rq_sched_info.pcount": 8}
QUIET = ("idle", "spin")
# (workload, what, figure, predicted)
ASKED = [("yield", "calls of sched_yield()", "yld_count", YIELDS),
         ("yield", "calls of sched_yield()", "do_sched_yield()", YIELDS),
         ("fork", "forks", "sched_balance_find_dst_cpu()", FORKS),
         ("pipe", "context switches", "nr_switches", 2 * TRIPS)]


def offsets(obj, source, names):
    """Offsets of members of struct rq, from the compiler and the kernel's own flags."""
    words, main = kb.compile_command(obj, "kernel/sched/core.o")
    words = [word for word in words if word != main and not word.startswith(("-fplugin", "-fpass-plugin"))]
    # -mllvm -kst-...: options of the plugin that is not there now.
    words = [word for at, word in enumerate(words)
             if not word.startswith("-kst-") and not (word == "-mllvm" and words[at + 1].startswith("-kst-"))]
    words = words[1:] if words[0] == "ccache" else words
    text = '#include <linux/mmu_context.h>\n#include "sched.h"\nvoid f(void);\nvoid f(void) {\n' + "".join(
        f'asm volatile("\\n.ascii \\"->{name} %c0\\"" :: "i"(__builtin_offsetof(struct rq, {name})));\n'
        for name in names) + "}\n"
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "offsets.c")
        with open(file, "w") as out:
            out.write(text)
        done = subprocess.run([*words, "-w", "-I", os.path.join(source, "kernel", "sched"), "-S", "-o", "-", file],
                              cwd=obj, capture_output=True, text=True)
    if done.returncode:
        sys.exit("the members of struct rq could not be compiled:\n" + done.stderr[:2000])
    return {name: int(value) for name, value in re.findall(r'->([\w.]+) (\d+)"', done.stdout)}


def own_counts(path):
    """{figure: count} of what the kernel shows."""
    with open(path) as file:
        text = file.read()
    result = {"nr_switches": int(re.search(r"^ctxt (\d+)", text, re.M).group(1))}
    lines = [line.split()[1:] for line in text.split("\ntimestamp ")[-1].splitlines()
             if re.match(r"cpu\d+ ", line)]
    for name, place in SCHEDSTAT.items():
        result[name] = sum(int(line[place]) for line in lines)
    return result


def found(tables, raw, places):
    """{figure: count} from the counters."""
    _, records = kp.raw_counters(raw)
    by_offset = {offset: name for name, offset in places.items()}
    result = {name: 0 for name in places}
    for site, count in kp.counted_sites(tables, records):
        if site.struct == "rq" and site.kind in kp.WRITES and site.offset in by_offset:
            result[by_offset[site.offset]] += count
        elif site.kind == kp.ENTRY:
            name = site.function + "()"
            result[name] = result.get(name, 0) + count
    return result


def elapsed(out, label):
    with open(os.path.join(out, label + ".time")) as file:
        return int(file.read().split("=")[1]) / 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", default="kst")
    parser.add_argument("--cpus", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=600)
    args = parser.parse_args()
    obj, source, vmlinux = (kp.kst_kernel("path", args.kernel, what) for what in ("obj", "source", "vmlinux"))
    places = offsets(obj, source, ["nr_switches", *SCHEDSTAT])
    tables = kp.units(vmlinux)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        runs = [word for run in RUNS for word in ("--run", run)]
        kp.kst_kernel("boot", args.kernel, "--cpus", str(args.cpus), "--out", out, "--timeout", str(args.timeout),
                      "--append", "schedstats=enable", *runs)
        labels = [run.split(":")[0] for run in RUNS]
        counts = {label: found(tables, os.path.join(out, label + ".kstraw"), places) for label in labels}
        shown = {}
        for label in labels:
            before, after = (own_counts(os.path.join(out, label + end)) for end in (".before", ".after"))
            shown[label] = {name: after[name] - before[name] for name in before}
        times = {label: elapsed(out, label) for label in labels}
    print(f"kernel '{args.kernel}', {args.cpus} CPUs")
    print(f"{'workload':10} {'what':24} {'figure':22} {'predicted':>10} {'found':>10} {'difference':>10} {'noise':>7}")
    wrong = 0

    def row(label, what, figure, predicted, noise):
        nonlocal wrong
        got = counts[label].get(figure, 0)
        fits = abs(got - predicted) <= noise
        wrong += not fits
        print(f"{label:10} {what:24} {figure:22} {predicted:10} {got:10} {got - predicted:+10} {noise:7.0f}"
              + ("" if fits else "  WRONG"))

    for label, what, figure, predicted in ASKED:
        idle = max(counts[quiet].get(figure, 0) * max(1.0, times[label] / times[quiet]) for quiet in QUIET)
        row(label, what, figure, predicted, idle + 0.001 * predicted)
    for label in labels:
        for figure, predicted in sorted(shown[label].items()):
            # Between the reads of the counters and of /proc nothing but the
            # reads themselves runs: a few switches and wake-ups.
            row(label, "shown by the kernel", figure, predicted, 10 + 0.001 * predicted)
    print("result:", f"{wrong} outside the noise" if wrong else "all within the noise")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
