#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does the proposed order make a real program faster on this machine?

Two programs in bench/hardware, each with two threads on two CPUs that share an
array of structs; the comments in their sources say what they do:

  lane  a task executor with a struct like a run queue: written by its owner,
        looked at by a balancer without a lock, now and then stolen from
  flow  a connection tracker: found by a hash, written for every packet, looked
        through for old ones

For each, the script

  1. asks the tool for a patch: no profile, no --hot, all sources;
  2. builds the same sources with the header as it is, with the patch applied,
     with the fields sorted by size, and with an order made by hand by the
     author of the program (hand.order beside it);
  3. checks that each has the offsets it should have and does the same work;
  4. runs them in turn: in each round each once, in an order that a fixed seed
     shuffles, both threads together and each alone, for several numbers of
     structs; CPU time per unit of work, of each thread;
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
HARNESS = ["run.c", "run.h"]
ORIGINAL, TOOL, SIZE, HAND = "original", "tool", "by size", "by hand"
UNITS = {"worker": "event", "scanner": "scan"}


class Workload:
    """One program: its files, and how much of it is run.

    loads: structs -> (events of the worker, scans of the scanner) to measure;
    turns: the same for a trace in turns, in a ratio near that of the speeds;
    many: so many structs that hardly a line of one survives in an L1 cache until
    its next visit."""

    def __init__(self, struct, array, sources, loads, turns, many):
        self.struct, self.array, self.loads, self.turns, self.many = struct, array, loads, turns, many
        self.header = f"{struct}/{struct}.h"
        self.hand = os.path.join(HERE, struct, "hand.order")
        self.sources = ["run.c", *(f"{struct}/{name}" for name in sources)]


WORKLOADS = {
    "lane": Workload("lane", "lanes", ["lane.c", "balance.c", "drive.c"],
                     {8: (2000000, 1000000), 64: (2000000, 250000), 4096: (1000000, 3000)},
                     {8: (20000, 20000), 64: (12000, 4000)}, 4096),
    "flow": Workload("flow", "flows", ["flow.c", "expire.c", "drive.c"],
                     {64: (1500000, 500000), 1024: (1500000, 30000), 65536: (500000, 80)},
                     {64: (16000, 8000), 1024: (40000, 1000)}, 65536),
}


def run(command, cwd=None):
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"exit status {done.returncode} of: {shlex.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


# --- the headers ---

def copy_sources(work, target):
    os.makedirs(os.path.join(target, work.struct))
    for name in {*work.sources, *HARNESS, work.header}:
        shutil.copy(os.path.join(HERE, name), os.path.join(target, name))
    return target


def ask_tool(args, work, source, *options):
    """The tool's report for the sources in `source`."""
    commands = [{"directory": source, "file": name, "arguments": [args.cc, *args.flags, "-c", name]} for name in work.sources]
    with open(os.path.join(source, "compile_commands.json"), "w") as file:
        json.dump(commands, file)
    return kb.run_tool(args, source, source, work.sources, "--struct", work.struct, "--no-cache", "--quiet", *options)


def reorder(args, work, tree, original, order):
    """Puts the fields in `tree` into an order of our own, by a patch that the
    tool's rewriter makes for the sources in `original`."""
    path = os.path.join(tree, "order.txt")
    with open(path, "w") as file:
        file.write("\n".join(order) + "\n")
    patch = run([kb.dev_tool(args.tool), "rewrite", "-p", original, "--struct", work.struct, "--order", path, "--no-cache", "--quiet",
                 *work.sources], original)
    with open(os.path.join(tree, "order.patch"), "w") as file:
        file.write(patch)
    run(["git", "apply", "order.patch"], tree)


def by_size(report):
    """Largest alignment first, then largest size: how holes are avoided."""
    known = {f["name"]: f for f in report["fields"]}
    return sorted(report["layouts"]["current"]["order"], key=lambda n: (-known[n]["align"], -known[n]["size"]))


def by_hand(work):
    with open(work.hand) as file:
        return " ".join(line for line in file if not line.startswith("#")).split()


def build(args, work, source, order):
    """Compiles; returns the program and where the compiler put the fields."""
    with open(os.path.join(source, "offsets.c"), "w") as file:
        file.write(f'#include <stddef.h>\n#include <stdio.h>\n#include "{work.header}"\nint main(void)\n{{\n'
                   f'static struct {work.struct} s;\nprintf("%zu 0\\n", sizeof s);\n')
        for name in order:
            file.write(f'printf("%zu %zu\\n", offsetof(struct {work.struct}, {name}), sizeof s.{name});\n')
        file.write("}\n")
    run([args.cc, *args.flags, "-o", "offsets", "offsets.c"], source)
    (size, _), *fields = [map(int, line.split()) for line in run([os.path.join(source, "offsets")]).splitlines()]
    offsets, sizes = zip(*fields)
    # Fixed addresses: hardware_lines.py looks for the structs in a trace.
    run([args.cc, *args.flags, "-no-pie", "-o", "main", *work.sources], source)
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

    def once(self, program, mode, count, events, scans):
        return json.loads(run([program, mode, *map(str, (count, events, scans, *self.cpus))]))

    def quiet(self, *what):
        """A run in which both threads were on their CPUs nearly all the time."""
        for _ in range(6):
            result = self.once(*what)
            away = max(1 - t["cpu_ns"] / t["wall_ns"] for t in (result["worker"], result["scanner"]) if t["wall_ns"])
            if away <= 0.1:
                return result
            self.repeated += 1
        self.disturbed += 1
        return result


def per_unit(result, thread, clock="cpu_ns"):
    return result[thread][clock] / result[thread]["units"]


def hand_over(runner, program, times=500000):
    """Nanoseconds that a line takes from CPU to CPU: the least of three."""
    return min(per_unit(runner.once(program, "pingpong", 8, times, times), "worker", "wall_ns") / 2 for _ in range(3))


def measure(args, work, programs):
    """(structs, variant, thread, together?) -> nanoseconds per unit, by round;
    the same for wall time; what a line's way took in each round."""
    shuffle = random.Random(args.seed)
    runner = Runner(args.cpus)
    cpu, wall, travel = {}, {}, []
    for number in range(args.rounds):
        travel.append(hand_over(runner, programs[ORIGINAL]))
        for count, (events, scans) in work.loads.items():
            tasks = [(name, mode) for name in programs for mode in ("both", "worker", "scanner")]
            shuffle.shuffle(tasks)
            sums = {}
            for name, mode in tasks:
                result = runner.quiet(programs[name], mode, count, events, scans)
                for thread in ("worker", "scanner") if mode == "both" else (mode,):
                    key = (count, name, thread, mode == "both")
                    cpu.setdefault(key, []).append(per_unit(result, thread))
                    wall.setdefault(key, []).append(per_unit(result, thread, "wall_ns"))
                if mode != "both":
                    sums.setdefault(mode, set()).add((result["sum"], result[mode]["seen"]))
            if any(len(found) != 1 for found in sums.values()):
                sys.exit("the programs do not do the same work")
        print(f"{work.struct}: round {number + 1}/{args.rounds}", file=sys.stderr)
    return cpu, wall, travel, runner


def median_interval(values, level=0.95):
    """Distribution-free: the k-th smallest and k-th largest value, k as large
    as the level allows. The median is outside with probability
    2 P(Binomial(n, 1/2) < k).

    >>> median_interval(range(1, 16))  # 2 P(X < 4) = 0.035, 2 P(X < 5) = 0.118
    (4, 12)
    >>> median_interval(range(5))  # 2 P(X < 1) = 0.0625
    (None, None)
    """
    values, n = sorted(values), len(values)
    k, tail = 0, 0.0
    while k < n // 2 and 2 * (tail + math.comb(n, k) / 2 ** n) <= 1 - level:
        tail += math.comb(n, k) / 2 ** n
        k += 1
    return (values[k - 1], values[n - k]) if k else (None, None)


def ratios(times, count, name, thread, together):
    return [own / base for own, base in zip(times[count, name, thread, together], times[count, ORIGINAL, thread, together])]


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
          f"{os.getloadavg()[0]:.2f}")


def count_lines(work, programs, layouts):
    if not shutil.which("valgrind"):
        print("valgrind is not installed: lines not counted")
        return
    print(f"Lines brought into an empty cache of 32 KiB, {work.many} structs, one thread alone, other data included\n")
    kb.table(["order", "per event of the worker", "per struct scanned"],
             [[name, f"{hardware_lines.loaded(program, 'worker', work.many, (20000, 60000)):.2f}",
               f"{hardware_lines.loaded(program, 'scanner', work.many, (4, 12)) / work.many:.2f}"]
              for name, program in programs.items()])
    print("\nTransfers of lines between two CPUs, counted in a trace\n")
    rows = []
    for count, (events, scans) in work.turns.items():
        accesses = hardware_lines.trace(programs[ORIGINAL], count, events, scans, layouts[ORIGINAL], work.array)
        for name, layout in layouts.items():
            counts = hardware_lines.transfers(accesses, layout["offsets"])
            for (every, true), thread, units in zip(counts, UNITS, (events, scans)):
                units *= 0.9  # the rest is warm-up
                rows.append([count, thread, name, f"{every / units:.2f}", f"{true / units:.2f}", f"{(every - true) / units:.2f}"])
    rows.sort(key=lambda row: (row[0], row[1] != "worker"))
    kb.table(["structs", "thread", "order", "per unit of work", "true", "false sharing"], rows, left=(1, 2))


def main():
    p = kb.parser(__doc__)
    p.add_argument("--rounds", type=int, default=15)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--cc", default="cc")
    p.add_argument("--flags", type=shlex.split, default=["-O2", "-pthread"])
    p.add_argument("--cpus", type=lambda text: [int(word) for word in text.split(",")], default=[0, 1],
                   help="the CPU of the worker and that of the scanner (default 0,1)")
    p.add_argument("--only", choices=sorted(WORKLOADS), help="only this program")
    p.add_argument("--keep", metavar="DIR", help="keep sources, patches and programs in this new directory")
    args = p.parse_args()

    machine(args)
    scratch = args.keep or tempfile.mkdtemp(prefix="kst-hardware-")
    try:
        for name, work in WORKLOADS.items():
            if args.only in (None, name):
                compare(args, work, os.path.join(scratch, name))
    finally:
        if not args.keep:
            shutil.rmtree(scratch, ignore_errors=True)


def compare(args, work, scratch):
    trees = {name: copy_sources(work, os.path.join(scratch, name.replace(" ", "-"))) for name in (ORIGINAL, TOOL, SIZE, HAND)}
    patch = os.path.join(scratch, "tool.patch")
    report = ask_tool(args, work, trees[ORIGINAL], "--patch", patch)
    if not os.path.exists(patch):
        sys.exit(f"{work.struct}: verdict {report['verdict']}, no patch: nothing to compare")
    run(["git", "apply", patch], trees[TOOL])
    for name, order in ((SIZE, by_size(report)), (HAND, by_hand(work))):
        reorder(args, work, trees[name], trees[ORIGINAL], order)
    built = {name: build(args, work, trees[name], report["layouts"]["current"]["order"]) for name in trees}
    programs = {name: program for name, (program, _) in built.items()}
    layouts = {name: layout for name, (_, layout) in built.items()}
    check_offsets(report, layouts)

    print(f"\n{work.struct}: {len(report['fields'])} fields, verdict {report['verdict']}\n")
    kb.table(["order", "bytes", "cost in the model"],
             [[name, layouts[name]["size"], f"{cost:.0f}"] for name, cost in costs(args, work, trees, report).items()])
    cpu, wall, travel, runner = measure(args, work, programs)

    print(f"\nCPU time per unit of work to that of the original header, {args.rounds} rounds; {runner.repeated} runs repeated, "
          f"{runner.disturbed} kept though disturbed; a line from CPU to CPU: {min(travel):.0f} to {max(travel):.0f} ns, "
          f"median {statistics.median(travel):.0f}\n")
    rows = []
    for count in work.loads:
        for together in (True, False):
            for thread in UNITS:
                base = statistics.median(cpu[count, ORIGINAL, thread, together])
                for name in programs:
                    if name == ORIGINAL:
                        continue
                    rows.append([count, "together" if together else "alone", thread, name,
                                 f"{base:.1f}", f"{statistics.median(cpu[count, name, thread, together]):.1f}",
                                 *spread(ratios(cpu, count, name, thread, together)),
                                 f"{statistics.median(ratios(wall, count, name, thread, together)):.3f}"])
    kb.table(["structs", "threads", "thread", "order", "ns original", "ns", "ratio", "95 % interval", "min", "max", "by wall time"],
             rows, left=(1, 2, 3))

    print("\nWhere the time goes, ns per unit (medians): alone, and what the other thread adds to it\n")
    rows = []
    for count in work.loads:
        for thread in UNITS:
            for name in programs:
                alone = statistics.median(cpu[count, name, thread, False])
                added = statistics.median(cpu[count, name, thread, True]) - alone
                if name == ORIGINAL:
                    first = alone, added
                rows.append([count, thread, name, f"{alone:.1f}", f"{added:.1f}", f"{alone - first[0]:+.1f}", f"{added - first[1]:+.1f}"])
    kb.table(["structs", "thread", "order", "alone", "added", "change alone", "change added"], rows, left=(1, 2))
    print()
    count_lines(work, programs, layouts)


def costs(args, work, trees, report):
    """What the model says of each order: the tool's own price of the header."""
    own = {ORIGINAL: report["layouts"]["current"], TOOL: report["layouts"]["proposed"]}
    return {name: (own.get(name) or ask_tool(args, work, tree)["layouts"]["current"])["cost"]["total"]
            for name, tree in trees.items()}


if __name__ == "__main__":
    main()
