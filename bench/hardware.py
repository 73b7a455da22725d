#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does the proposed order make a real program faster on this machine?

bench/hardware is a task executor with a struct like a run queue; two threads
on two CPUs use it (bench/hardware/main.c says how). The script

  1. asks the tool for an order: no profile, no --hot, all sources;
  2. builds the same sources with the header as it is, in the proposed order,
     with the fields sorted by size, and with an order made by hand by the
     author of the program (bench/hardware/hand.order);
  3. checks that each has the offsets it should have and does the same work;
  4. runs them in turn: in each round each once, in an order that a fixed seed
     shuffles, both threads together and each alone, for several numbers of
     lanes; CPU time per unit of work, of each thread;
  5. prints ratios to the original header of the same round: median, minimum,
     maximum and an interval for the median by ranks (no distribution assumed);
  6. counts lines without a clock (hardware_lines.py): what one thread's unit of
     work brings into an empty cache, and what has to travel between two CPUs,
     how much of it by false sharing alone.

Alone, only the number of lines counts. Together, lines also travel between the
CPUs. The second table takes the two apart. How long a line travels depends on
where the host of a virtual machine runs the two CPUs, and may change while the
script runs: it is measured in every round.

A run in which a thread was off its CPU for more than a tenth of the time is
repeated, at most five times: the other thread was alone meanwhile."""

import json
import math
import os
import random
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile

import hardware_lines
import kst_bench as kb

HERE = os.path.join(kb.ROOT, "bench", "hardware")
SOURCES = ["lane.c", "balance.c", "main.c"]
HEADER = "lane.h"
STRUCT = "lane"
ORIGINAL, TOOL, SIZE, HAND = "original", "tool", "by size", "by hand"
UNITS = {"worker": "event", "balancer": "scan"}
# lanes -> (events of the worker, scans of the balancer) to measure
LOADS = {8: (4000000, 2000000), 64: (4000000, 500000), 4096: (2000000, 6000)}
# the same for a trace in turns; the ratio is near that of the speeds
TURNS = {8: (20000, 20000), 64: (12000, 4000)}


def run(command, cwd=None):
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"exit status {done.returncode} of: {shlex.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


# --- the headers ---

def copy_sources(target):
    os.makedirs(target)
    for name in SOURCES + [HEADER]:
        shutil.copy(os.path.join(HERE, name), target)
    return target


def ask_tool(args, source):
    """The tool's report for the sources in `source`."""
    commands = [{"directory": source, "file": name, "arguments": [args.cc, *args.flags, "-c", name]} for name in SOURCES]
    with open(os.path.join(source, "compile_commands.json"), "w") as file:
        json.dump(commands, file)
    return kb.run_tool(args, source, source, SOURCES, "--struct", STRUCT, "--no-cache", "--quiet")


def reorder(path, order):
    """Puts the fields of the struct into `order`: the header has one
    declaration a line. Comments and blank lines between them are lost."""
    with open(path) as file:
        text = file.read()
    begin = text.index(f"struct {STRUCT} {{\n") + len(f"struct {STRUCT} {{\n")
    end = text.index("\n}", begin) + 1
    lines = {}
    for line in text[begin:end].splitlines():
        match = re.match(r"\t[^/].*?(\w+)(\)\([^;]*|\[\w+\])?;", line)
        if match:
            lines[match.group(1)] = line
    if sorted(lines) != sorted(order):
        sys.exit("not the fields of the struct: " + " ".join(sorted(set(lines) ^ set(order))))
    with open(path, "w") as file:
        file.write(text[:begin] + "\n".join(lines[name] for name in order) + "\n" + text[end:])


def by_size(report):
    """Largest alignment first, then largest size: how holes are avoided."""
    known = {f["name"]: f for f in report["fields"]}
    return sorted(report["layouts"]["current"]["order"], key=lambda n: (-known[n]["align"], -known[n]["size"]))


def by_hand():
    with open(os.path.join(HERE, "hand.order")) as file:
        return " ".join(line for line in file if not line.startswith("#")).split()


def build(args, source, order):
    """Compiles; returns the program and where the compiler put the fields."""
    with open(os.path.join(source, "offsets.c"), "w") as file:
        file.write(f'#include <stddef.h>\n#include <stdio.h>\n#include "{HEADER}"\nint main(void)\n{{\n'
                   f'printf("%zu 0\\n", sizeof(struct {STRUCT}));\n')
        for name in order:
            file.write(f'printf("%zu %zu\\n", offsetof(struct {STRUCT}, {name}), sizeof(((struct {STRUCT} *)0)->{name}));\n')
        file.write("}\n")
    run([args.cc, *args.flags, "-o", "offsets", "offsets.c"], source)
    (size, _), *fields = [map(int, line.split()) for line in run([os.path.join(source, "offsets")]).splitlines()]
    offsets, sizes = zip(*fields)
    # Fixed addresses: hardware_lines.py looks for the lanes in a trace.
    run([args.cc, *args.flags, "-no-pie", "-o", "main", *SOURCES], source)
    return os.path.join(source, "main"), {"size": size, "offsets": offsets, "sizes": sizes}


def check_offsets(report, layouts):
    """The compiler put the fields where the report says it does."""
    names = report["layouts"]["current"]["order"]
    for variant, kind in ((ORIGINAL, "current"), (TOOL, "proposed")):
        said = report["layouts"][kind]
        known = dict(zip(said["order"], said["offsets"]))
        if [known[name] for name in names] != list(layouts[variant]["offsets"]) or said["size"] != layouts[variant]["size"]:
            sys.exit(f"the report has other offsets for the {kind} layout than {layouts[variant]}")


# --- running ---

class Runner:
    def __init__(self, cpus):
        self.cpus, self.repeated, self.disturbed = cpus, 0, 0

    def once(self, program, mode, lanes, events, scans):
        return json.loads(run([program, mode, *map(str, (lanes, events, scans, *self.cpus))]))

    def quiet(self, *what):
        """A run in which both threads were on their CPUs nearly all the time."""
        for _ in range(6):
            result = self.once(*what)
            away = max(1 - t["cpu_ns"] / t["wall_ns"] for t in (result["worker"], result["balancer"]) if t["wall_ns"])
            if away <= 0.1:
                return result
            self.repeated += 1
        self.disturbed += 1
        return result


def per_unit(result, thread, clock="cpu_ns"):
    return result[thread][clock] / result[thread]["units"]


def hand_over(runner, program, count=500000):
    """Nanoseconds that a line takes from CPU to CPU: the least of three."""
    return min(per_unit(runner.once(program, "pingpong", 8, count, count), "worker", "wall_ns") / 2 for _ in range(3))


def measure(args, programs):
    """(lanes, variant, thread, together?) -> nanoseconds per unit, by round;
    the same for wall time; what a line's way took in each round."""
    shuffle = random.Random(args.seed)
    runner = Runner(args.cpus)
    cpu, wall, travel = {}, {}, []
    for number in range(args.rounds):
        travel.append(hand_over(runner, programs[ORIGINAL]))
        for lanes, (events, scans) in args.loads.items():
            tasks = [(name, mode) for name in programs for mode in ("both", "worker", "balancer")]
            shuffle.shuffle(tasks)
            sums = {}
            for name, mode in tasks:
                result = runner.quiet(programs[name], mode, lanes, events, scans)
                for thread in ("worker", "balancer") if mode == "both" else (mode,):
                    key = (lanes, name, thread, mode == "both")
                    cpu.setdefault(key, []).append(per_unit(result, thread))
                    wall.setdefault(key, []).append(per_unit(result, thread, "wall_ns"))
                if mode != "both":
                    sums.setdefault(mode, set()).add((result["sum"], result[mode]["seen"]))
            if any(len(found) != 1 for found in sums.values()):
                sys.exit("the programs do not do the same work")
        print(f"round {number + 1}/{args.rounds}", file=sys.stderr)
    return cpu, wall, travel, runner


def median_interval(values, level=0.95):
    """Distribution-free: the k-th smallest and k-th largest value, k as large
    as the level allows. The median is outside with probability
    2 P(Binomial(n, 1/2) < k)."""
    values, n = sorted(values), len(values)
    k, tail = 0, 0.0
    while k < n // 2 and 2 * (tail + math.comb(n, k) / 2 ** n) <= 1 - level:
        tail += math.comb(n, k) / 2 ** n
        k += 1
    return (values[k - 1], values[n - k]) if k else (None, None)


def ratios(times, lanes, name, thread, together):
    return [own / base for own, base in zip(times[lanes, name, thread, together], times[lanes, ORIGINAL, thread, together])]


def spread(values):
    low, high = median_interval(values)
    return [f"{statistics.median(values):.3f}", f"{low:.3f} - {high:.3f}" if low is not None else "rounds < 6", f"{min(values):.3f}", f"{max(values):.3f}"]


# --- the machine ---

def read(path):
    try:
        with open(path) as file:
            return file.read().strip()
    except OSError:
        return ""


def machine(args):
    model = re.search(r"^model name\s*: (.*)$", read("/proc/cpuinfo"), re.M)
    hypervisor = re.search(r"^flags\b.*\bhypervisor\b", read("/proc/cpuinfo"), re.M)
    print(f"CPU: {model.group(1) if model else 'unknown'}, {os.cpu_count()} CPUs seen"
          f"{', in a virtual machine: what follows is what its host says' if hypervisor else ''}")
    for cpu in args.cpus:
        base = f"/sys/devices/system/cpu/cpu{cpu}"
        caches = []
        for index in range(8):
            at = f"{base}/cache/index{index}"
            if read(f"{at}/type") in ("Data", "Unified"):
                caches.append(f"L{read(at + '/level')} {read(at + '/size')} shared by CPUs {read(at + '/shared_cpu_list')}")
        print(f"CPU {cpu}: core {read(base + '/topology/core_id')}, SMT siblings {read(base + '/topology/thread_siblings_list')}; "
              + ", ".join(caches))
    print(f"compiler: {run([args.cc, '--version']).splitlines()[0]}, {' '.join(args.flags)}; load average before: "
          f"{os.getloadavg()[0]:.2f}\n")


def count_lines(programs, layouts):
    if not shutil.which("valgrind"):
        print("valgrind is not installed: lines not counted")
        return
    print("Lines brought into an empty cache of 32 KiB, 4096 lanes, one thread alone, tasks included\n")
    kb.table(["order", "per event of the worker", "per lane scanned"],
             [[name, f"{hardware_lines.loaded(program, 'worker', 4096, (20000, 60000)):.2f}",
               f"{hardware_lines.loaded(program, 'balancer', 4096, (4, 12)) / 4096:.2f}"] for name, program in programs.items()])
    print("\nTransfers of lines between two CPUs, counted in a trace\n")
    rows = []
    for lanes, (events, scans) in TURNS.items():
        accesses = hardware_lines.trace(programs[ORIGINAL], lanes, events, scans, layouts[ORIGINAL], "lanes")
        for name, layout in layouts.items():
            counts = hardware_lines.transfers(accesses, layout["offsets"])
            for (every, true), thread, units in zip(counts, UNITS, (events, scans)):
                units *= 0.9  # the rest is warm-up
                rows.append([lanes, thread, name, f"{every / units:.2f}", f"{true / units:.2f}", f"{(every - true) / units:.2f}"])
    rows.sort(key=lambda row: (row[0], row[1] != "worker"))
    kb.table(["lanes", "thread", "order", "per unit of work", "true", "false sharing"], rows, left=(1, 2))


def main():
    p = kb.parser(__doc__)
    p.add_argument("--rounds", type=int, default=15)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--cc", default="cc")
    p.add_argument("--flags", type=shlex.split, default=["-O2", "-pthread"])
    p.add_argument("--cpus", type=lambda text: [int(word) for word in text.split(",")], default=[0, 1],
                   help="the CPU of the worker and that of the balancer (default 0,1)")
    p.add_argument("--lanes", type=int, action="append", choices=sorted(LOADS), help="only this many lanes; may be repeated")
    p.add_argument("--keep", metavar="DIR", help="keep sources, patch and programs in this new directory")
    args = p.parse_args()
    args.loads = {lanes: load for lanes, load in LOADS.items() if not args.lanes or lanes in args.lanes}

    scratch = args.keep or tempfile.mkdtemp(prefix="kst-hardware-")
    try:
        compare(args, scratch)
    finally:
        if not args.keep:
            shutil.rmtree(scratch, ignore_errors=True)


def compare(args, scratch):
    trees = {name: copy_sources(os.path.join(scratch, name.replace(" ", "-"))) for name in (ORIGINAL, TOOL, SIZE, HAND)}
    report = ask_tool(args, trees[ORIGINAL])
    print(f"verdict: {report['verdict']}; model: cost {report['layouts']['current']['cost']['total']:.0f} -> "
          f"{report['layouts']['proposed']['cost']['total']:.0f}, {report['size']} -> {report['layouts']['proposed']['size']} bytes\n")
    reorder(os.path.join(trees[TOOL], HEADER), report["layouts"]["proposed"]["order"])
    reorder(os.path.join(trees[SIZE], HEADER), by_size(report))
    reorder(os.path.join(trees[HAND], HEADER), by_hand())
    built = {name: build(args, trees[name], report["layouts"]["current"]["order"]) for name in trees}
    programs = {name: program for name, (program, _) in built.items()}
    layouts = {name: layout for name, (_, layout) in built.items()}
    check_offsets(report, layouts)
    machine(args)
    cpu, wall, travel, runner = measure(args, programs)
    others = [name for name in programs if name != ORIGINAL]

    print(f"CPU time per unit of work to that of the original header, {args.rounds} rounds; {runner.repeated} runs repeated, "
          f"{runner.disturbed} kept though disturbed; a line from CPU to CPU: {min(travel):.0f} to {max(travel):.0f} ns, "
          f"median {statistics.median(travel):.0f}\n")
    rows = []
    for lanes in args.loads:
        for together in (True, False):
            for thread in UNITS:
                base = statistics.median(cpu[lanes, ORIGINAL, thread, together])
                for name in others:
                    rows.append([lanes, "together" if together else "alone", thread, name,
                                 f"{base:.1f}", f"{statistics.median(cpu[lanes, name, thread, together]):.1f}",
                                 *spread(ratios(cpu, lanes, name, thread, together)),
                                 f"{statistics.median(ratios(wall, lanes, name, thread, together)):.3f}"])
    kb.table(["lanes", "threads", "thread", "order", "ns original", "ns", "ratio", "95 % interval", "min", "max", "by wall time"],
             rows, left=(1, 2, 3))

    print("\nWhere the time goes, ns per unit (medians): alone, and what the other thread adds to it\n")
    rows = []
    for lanes in args.loads:
        for thread in UNITS:
            for name in programs:
                alone = statistics.median(cpu[lanes, name, thread, False])
                added = statistics.median(cpu[lanes, name, thread, True]) - alone
                if name == ORIGINAL:
                    first = alone, added
                rows.append([lanes, thread, name, f"{alone:.1f}", f"{added:.1f}", f"{alone - first[0]:+.1f}", f"{added - first[1]:+.1f}"])
    kb.table(["lanes", "thread", "order", "alone", "added", "change alone", "change added"], rows, left=(1, 2))

    print()
    count_lines(programs, layouts)


if __name__ == "__main__":
    main()
