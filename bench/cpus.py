#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How visits by other CPUs grow with the number of CPUs, and whether 8 CPUs follow from 2 and 4.

    bench/cpus.py --kernel OBJ --dir DIR [--series NAME]... [--struct NAME]... [--functions]

A built kernel (x86-64, CONFIG_NR_CPUS at least 8, with event tracing) boots in QEMU under `trace record` with 2, 4 and 8 CPUs in each of
these series; DIR keeps the traces, SERIES/N.kstt, and those that are there are not recorded again:

  copies          N / 2 copies of each workload side by side, so that what a CPU has to do stays the same
  threads         one program of up to 16 threads, the same for every N
  ...-icount      time by instructions, the same for each CPU's own work however many there are (`--icount` with a shift of log2(16 / N)).
                  Without it 8 CPUs on a host of 2 have four ticks where 2 have one. Turns are coarser: up to a tick.
  copies-again    recorded another time

Two laws are fitted on N = 2 and 4 of the series in FITTED and predict N = 8 of all: visits by another CPU than the owner's outside of
loops, r(N) = r(2) (1 - c + c 2 (N - 1) / N), and those in loops over CPUs, per other visit, l(N) = l(2) (N - 1)^p. What is printed:

  chance, power   c and p of a series, by the median of what its structs grow from 2 to 4; p of rq alone, the only one that loops over CPUs
                  visit often. The tool has c of the three together, and p of copies-icount: the other two have more ticks the more CPUs
  remote          of the visits to a struct's objects those by another CPU than the owner: the CPU of a per-CPU object, else the CPU that
                  uses it most at the time. A visit is a stretch of accesses by one CPU in one function.
  sharing         misses by sharing, true or false, for 1000 visits, in a model of 32 KiB caches
  law, none       error of the prediction for 8: by the laws as the tool has them, and if nothing grew; both the geometric mean of what 2
                  and 4 CPUs predict. Of sharing: its part by loops and the rest grow as these visits do.
  others          CPUs that take turns as "another": 1 / (1 - share of the stays by a different one than the stay before)

--functions: for each struct the functions with most visits by other CPUs, at each N."""

import math
import os
import re
import subprocess
import sys
import tempfile

import kst_bench as kb
import trials

sys.path.insert(0, os.path.join(kb.ROOT, "passes", "kernel"))
sys.dont_write_bytecode = True
from kst_kernel import initramfs  # noqa: E402

STRUCTS = trials.SEEN.structs
COPIES = ["pipe 600", "fork 50", "futex 600", "tcp 150", "yield 800", "crowd 3", "unix 150"]
THREADS = ["pipe 1", "threads 200", "locks 60"]  # the first opens the window
SERIES = ["copies", "copies-icount", "threads", "copies-again", "threads-icount"]
FITTED = ["copies", "copies-icount", "threads"]
CPUS = [2, 4, 8]
LEAST = 300  # visits by other CPUs at every N: fewer say nothing
CHANCE, POWER = 2 / 3, 0.5  # hybrid/affinity/CpuGrowth


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--kernel", required=True, metavar="OBJ", type=os.path.abspath, help="output directory of a finished build")
    p.add_argument("--dir", required=True, metavar="DIR", type=os.path.abspath, help="where the traces are kept")
    p.add_argument("--series", action="append", choices=SERIES, help="default: all")
    p.add_argument("--struct", action="append", choices=list(STRUCTS), help="default: all")
    p.add_argument("--functions", action="store_true")
    return p.parse_args()


def guest(path, series, cpus):
    """An initramfs that runs the workloads of the series, and powers off."""
    runs, copies = (THREADS, 1) if series.startswith("threads") else (COPIES, cpus // 2)
    script = "".join(f"/work/{run} &\n" * copies + "wait\n" for run in runs)
    with open(path, "wb") as file:
        file.write(initramfs.archive(script, {}, trials.INIT))


def same_time(folder, cpus):
    """Options for a guest of which each CPU gets the same time for its instructions, whatever the others do."""
    wrapper = os.path.join(folder, "qemu")
    with open(wrapper, "w") as file:
        file.write(f'#!/bin/bash\nexec qemu-system-x86_64 "${{@/#shift=1,/shift={5 - cpus.bit_length()},}}"\n')
    os.chmod(wrapper, 0o755)
    return ["--icount", "--qemu", wrapper]


def record(args, series, cpus, trace):
    os.makedirs(os.path.dirname(trace), exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        initrd, console = os.path.join(scratch, "initrd"), os.path.join(scratch, "console")
        guest(initrd, series, cpus)
        done = subprocess.run([args.tool, "trace", "record", "--kernel", args.kernel, "--initrd", initrd, "--append", "rdinit=/init quiet",
                               "--cpus", str(cpus), "--type", ",".join(STRUCTS), "--timeout", "3000", "--window",
                               "__x64_sys_pipe2:__x64_sys_reboot", "--console", console, "-o", trace,
                               *(same_time(scratch, cpus) if series.endswith("-icount") else [])])
        if done.returncode:
            sys.exit("the recording failed:\n" + open(console, errors="replace").read()[-1500:])


def users(args, trace):
    """{struct: counts} and {struct: {function: [visits, by others, in loops]}} of `trace dump --users`."""
    text = subprocess.run([args.tool, "trace", "dump", "--users", trace], stdout=subprocess.PIPE, text=True, check=True).stdout
    sums, functions = {}, {}
    for line in text.splitlines():
        if found := re.match(r"# (\S+): \d+ accesses, \d+ by others in (\d+) stays, (\d+) of", line):
            sums[found[1]] = int(found[2]), int(found[3])
        elif not line.startswith("#"):
            visits, others, loops, struct, function = line.split()[:5]
            into = functions.setdefault(struct, {}).setdefault(function, [0, 0, 0])
            for index, value in enumerate((visits, others, loops)):
                into[index] += int(value)
    return sums, functions


def misses(args, trace):
    """{struct: misses by sharing} in the cache model."""
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.join(scratch, "report.json")
        subprocess.run([args.tool, "dprof", "--trace", trace, "--cache", "l1=32K/8", "--level", "l1", "--view", "profile", "--json", report,
                        "--quiet"], check=True)
        found = {}
        for row in kb.read_json(report)["profile"]["types"]:
            classes = row["counts"]["misses"]["l1"]
            found[row["name"]] = found.get(row["name"], 0) + classes["true-sharing"] + classes["false-sharing"]
        return found


def figures(args, series, cpus):
    """{struct: what is known of it} at one number of CPUs."""
    trace = os.path.join(args.dir, series, f"{cpus}.kstt")
    if not os.path.exists(trace):
        record(args, series, cpus, trace)
    sums, functions = users(args, trace)
    lost = misses(args, trace)
    table = {}
    for struct, (stays, changes) in sums.items():
        visits, others, loops = (sum(row[i] for row in functions[struct].values()) for i in range(3))
        differ = changes / stays if stays else 0
        table[struct] = {"by_others": others, "remote": others / visits, "handed": (others - loops) / (visits - loops),
                         "loops": loops / (visits - loops), "others": min(1 / (1 - differ) if differ < 1 else cpus, cpus - 1),
                         "sharing": 1000 * lost.get(struct, 0) / visits, "functions": functions[struct]}
    return table


def mean(values):
    """Geometric; 0 if one is."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values and min(values) > 0 else 0


def handed_growth(cpus):
    """From 2 CPUs.

    >>> handed_growth(2), round(handed_growth(4), 3)
    (1.0, 1.333)
    """
    return 1 - CHANCE + CHANCE * 2 * (cpus - 1) / cpus


def loop_growth(cpus):
    return (cpus - 1) ** POWER


def predicted(of, known):
    """Remote share and misses by sharing at 8 CPUs from those at `known`, by the laws."""
    handed = mean([of[n]["handed"] * handed_growth(8) / handed_growth(n) for n in known])
    loops = mean([of[n]["loops"] * loop_growth(8) / loop_growth(n) for n in known])
    sharing = []
    for n in known:
        both = of[n]["handed"] + of[n]["loops"]
        part = of[n]["loops"] / both if both else 0
        sharing.append(of[n]["sharing"] * ((1 - part) * handed_growth(8) / handed_growth(n) + part * loop_growth(8) / loop_growth(n)))
    return (handed + loops) / (1 + loops), mean(sharing)


def error(said, true):
    return said / true - 1 if true else math.inf


def signed(share):
    return f"{100 * share:+.0f} %"


def median_size(errors):
    """Of errors as factors, so that half and twice are as bad.

    >>> round(median_size([1.0, -0.5, 0.1]), 2)
    1.0
    """
    return math.exp(median([abs(math.log(1 + e)) for e in errors])) - 1


def judged(table):
    """Rows of one series, {kind of prediction: errors}, growth from 2 to 4 of what is handed over and of loops."""
    rows, errors, grown = [], {"remote": [], "none": [], "sharing": [], "sharing none": []}, ([], [])
    for struct in [s for s in STRUCTS if all(s in table[n] for n in CPUS)]:
        of = {n: table[n][struct] for n in CPUS}
        if min(of[n]["by_others"] for n in CPUS) < LEAST or min(of[n]["sharing"] for n in CPUS) == 0:
            continue
        grown[0].append(of[4]["handed"] / of[2]["handed"])
        if struct == "rq":
            grown[1].append(of[4]["loops"] / of[2]["loops"])
        remote, sharing = predicted(of, [2, 4])
        four = predicted(of, [4])
        found = {"remote": error(remote, of[8]["remote"]), "none": error(mean([of[n]["remote"] for n in (2, 4)]), of[8]["remote"]),
                 "sharing": error(sharing, of[8]["sharing"]), "sharing none": error(mean([of[n]["sharing"] for n in (2, 4)]), of[8]["sharing"])}
        for kind, value in found.items():
            errors[kind].append(value)
        rows.append([struct, *(f"{of[n]['remote']:.3f}" for n in CPUS), f"{remote:.3f}", signed(found["remote"]), signed(found["none"]),
                     signed(error(four[0], of[8]["remote"])), *(f"{of[n]['sharing']:.1f}" for n in CPUS), f"{sharing:.1f}",
                     signed(found["sharing"]), signed(found["sharing none"]), f"{of[8]['others']:.1f}"])
    return rows, errors, grown


def median(values):
    return sorted(values)[len(values) // 2] if values else math.nan


def chance(grown):
    """c by which r grows so from 2 to 4 CPUs. The median, as some structs are spun on in one recording and not in another."""
    return 2 * (median(grown) - 1)


def power(grown):
    return math.log(median(grown)) / math.log(3)


def main():
    args = arguments()
    summary, pooled = [], ([], [])
    for series in args.series or SERIES:
        table = {n: figures(args, series, n) for n in CPUS}
        if args.struct:
            table = {n: {s: of for s, of in table[n].items() if s in args.struct} for n in CPUS}
        rows, errors, grown = judged(table)
        print(f"\n{series}")
        kb.table(["struct", "remote 2", "4", "8", "said", "law", "none", "law, from 4", "sharing 2", "4", "8", "said", "law", "none", "others"], rows)
        if args.functions:
            for struct in [row[0] for row in rows]:
                print(f"\n{struct}")
                by = {n: table[n][struct]["functions"] for n in CPUS}
                names = sorted({f for functions in by.values() for f in functions}, key=lambda f: -by[8].get(f, [0, 0])[1])[:16]
                kb.table(["function"] + [f"{word} {n}" for n in CPUS for word in ("visits", "others", "loops")],
                         [[f] + [value for n in CPUS for value in by[n].get(f, [0, 0, 0])] for f in names])
        if series in FITTED:
            for into, of in zip(pooled, grown):
                into += of
        summary.append([series, len(rows), f"{chance(grown[0]):.2f}", f"{power(grown[1]):.2f}",
                        *(f"{100 * median_size(errors[kind]):.0f} %" for kind in errors)])
    print()
    kb.table(["series", "structs", "chance", "power", "remote: law", "none", "sharing: law", "none"], summary)
    if pooled[0]:
        print(f"\nfitted together: chance {chance(pooled[0]):.2f}")


if __name__ == "__main__":
    main()
