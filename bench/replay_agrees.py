#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does --validate count what other counts of this directory count, on the same accesses?

Two programs of bench/hardware, each in the orders that hardware.py has:

  transfers   of lines between two CPUs: hardware_lines.py on accesses that lackey printed, and the replay of the same accesses (as a
              log of accesses, in a cache without limits): misses by sharing and upgrades. All are compared; which of them are true
              sharing is a matter of the rule.
  lines       that an event or a scan brings into a 32 KiB cache: cachegrind on the program that was compiled with that order, all of
              its data, and the replay of the accesses to the struct alone.

With --kernel OBJ --trace FILE --struct S PATH... the lines of windows.c (whole_path.py --record), on the accesses of that trace:

  windows     open with an access to the object outside of one and last so many loads and stores of the CPU; the replay's follow each
              other, and hold all objects. Both for the current and the proposed order.

Exit status 1 if transfers differ."""

import collections
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import hardware  # noqa: E402
import hardware_lines  # noqa: E402
import kst_bench as kb  # noqa: E402

NO_LIMITS, SMALL = "l1=16M/64", "l1=32K/8"
LENGTHS = (32, 128, 512, 2048)  # of whole_path.py


def log_of(accesses, struct, names):
    """Accesses of hardware_lines.trace() as text that `trace import` reads."""
    for role, lane, field, _, write in accesses:
        yield f"[{role}] Accessed {struct}[{lane}]->{names[field]} in turn ({'modify' if write else 'access'})\n"


def replayed(args, work, source, options, trace, cache):
    """{order: replay} and the names of orders that were left out."""
    report = hardware.ask_tool(args, work, source, "--validate", trace, "--cache", cache, *options)["replay"]
    return {order["name"]: order for order in report["orders"]}, report["left_out"]


def imported(args, accesses, work, names, folder, name):
    log, trace = os.path.join(folder, name + ".log"), os.path.join(folder, name + ".kstt")
    with open(log, "w") as file:
        file.writelines(log_of(accesses, work.struct, names))
    subprocess.run([args.tool, "--quiet", "trace", "import", log, "-o", trace], check=True)
    return trace


class Program:
    """A program in all orders, and the words that make --validate replay them."""

    def __init__(self, args, work, folder):
        self.args, self.work, self.folder = args, work, folder
        self.trees = {name: hardware.copy_sources(work, os.path.join(folder, name.replace(" ", "-")))
                      for name in (hardware.ORIGINAL, hardware.TOOL, hardware.SIZE, hardware.HAND)}
        patch = os.path.join(folder, "tool.patch")
        report = hardware.ask_tool(args, work, self.trees[hardware.ORIGINAL], "--patch", patch)
        self.names = report["layouts"]["current"]["order"]
        hardware.run(["git", "apply", patch], self.trees[hardware.TOOL])
        self.options, self.order_named = [], {hardware.ORIGINAL: "current", hardware.TOOL: "proposed"}
        for name, order in ((hardware.SIZE, hardware.by_size(report)), (hardware.HAND, hardware.by_hand(work))):
            hardware.reorder(args, work, self.trees[name], self.trees[hardware.ORIGINAL], order)
            path = os.path.join(folder, name.replace(" ", "-") + ".order")
            with open(path, "w") as file:
                file.write("\n".join(order) + "\n")
            self.options += ["--order", path]
            self.order_named[name] = path
        built = {name: hardware.build(args, work, tree, self.names) for name, tree in self.trees.items()}
        self.programs = {name: program for name, (program, _) in built.items()}
        self.layouts = {name: layout for name, (_, layout) in built.items()}

    def accesses(self, count, events, scans):
        original = hardware.ORIGINAL
        return hardware_lines.trace(self.programs[original], count, events, scans, self.layouts[original], self.work.array)

    def replay(self, accesses, cache):
        """{name of an order here: its replay}, None for those that are left out."""
        trace = imported(self.args, accesses, self.work, self.names, self.folder, "accesses")
        orders, _ = replayed(self.args, self.work, self.trees[hardware.ORIGINAL], self.options, trace, cache)
        return {name: next((o for known, o in orders.items() if known == wanted or known.endswith(wanted)), None)
                for name, wanted in self.order_named.items()}

    def transfers(self):
        """Rows, and whether all agree."""
        rows, same = [], True
        for count, (events, scans) in self.work.turns.items():
            accesses = self.accesses(count, events, scans)
            replay = self.replay(accesses, NO_LIMITS)
            for name, layout in self.layouts.items():
                counted = hardware_lines.transfers(accesses, layout["offsets"], warm_up=0)
                every, true = (sum(part) for part in zip(*counted))
                row = [self.work.struct, count, name, len(accesses), every, true]
                found = replay[name]
                if not found:
                    rows.append(row + ["longer", "-", "-", "-"])
                    continue
                classes = found["classes"]
                moved = classes["true-sharing"] + classes["false-sharing"] + found["upgrades"]
                same &= moved == every
                rows.append(row + [moved, classes["true-sharing"], classes["false-sharing"], found["upgrades"]])
        return rows, same

    def lines(self):
        """Lines of a unit, by cachegrind and by the replay."""
        rows, many = [], self.work.many
        for thread, units, run in (("worker", (20000, 60000), lambda n: (n * 9 // 8, 1)), ("scanner", (4, 12), lambda n: (n * 9 // 8, n * 9 // 8))):
            each = 1 if thread == "worker" else many
            ends = []
            for n in units:
                role = hardware_lines.WORKER if thread == "worker" else hardware_lines.SCANNER
                ends.append(self.replay([a for a in self.accesses(many, *run(n)) if a[0] == role], SMALL))
            for name, program in self.programs.items():
                loaded = hardware_lines.loaded(program, thread, many, units) / each
                row = [self.work.struct, thread, name, f"{loaded:.2f}"]
                if not ends[0][name]:
                    rows.append(row + ["longer", "-", "-"])
                    continue
                own = (ends[1][name]["misses"] - ends[0][name]["misses"]) / (run(units[1])[0] - run(units[0])[0]) / each
                if name == hardware.ORIGINAL:
                    first = loaded, own
                rows.append(row + [f"{own:.2f}", f"{loaded - first[0]:+.2f}", f"{own - first[1]:+.2f}"])
        return rows


# --- kernels ---

class Windows:
    """windows.c, for several lengths and one order. `moved`: byte of the object to byte in that order."""

    def __init__(self, moved, line_bytes):
        self.moved, self.line = moved, line_bytes
        self.open = {}
        self.windows, self.lines = collections.Counter(), collections.Counter()

    def access(self, cpu, clock, address, offset, size):
        r"""
        >>> w = Windows(list(range(256)), 64)
        >>> for clock, offset in ((0, 0), (1, 64), (31, 0), (32, 0)):
        ...     w.access(0, clock, 4096 + offset, offset, 8)
        >>> w.windows[32], w.lines[32], w.windows[128], w.lines[128]
        (2, 3, 1, 2)
        """
        begin = address - offset
        last = min(offset + size, len(self.moved)) - 1
        if last < offset:
            return
        touched = {(begin + self.moved[byte]) // self.line for byte in (offset, last)}
        for length in LENGTHS:
            key = cpu, length, begin
            since, seen = self.open.get(key, (None, None))
            if since is None or clock - since >= length:
                since, seen = clock, set()
                self.open[key] = since, seen
                self.windows[length] += 1
            self.lines[length] += len(touched - seen)
            seen |= touched


def moved_bytes(fields, layout, size):
    """Where each byte is in a layout of the report; holes stay."""
    where = list(range(size))
    places = dict(zip(layout["order"], layout["offsets"]))
    for field in fields:
        for byte in range(field["size"]):
            if field["offset"] + byte < size:
                where[field["offset"] + byte] = places[field["name"]] + byte
    return where


def windows_of(args, trace, struct, orders, line_bytes):
    """{order: Windows} of all accesses to the struct."""
    found = {name: Windows(moved, line_bytes) for name, moved in orders.items()}
    clocks = collections.Counter()
    is_place = re.compile(re.escape(struct) + r"\+(\d+)(?:#\d+)?$")
    with subprocess.Popen([args.tool, "trace", "dump", trace], stdout=subprocess.PIPE, text=True) as dump:
        for line in dump.stdout:
            words = line.split(None, 6)
            if line[0] == "#" or words[5] not in ("r", "w", "rw"):
                continue
            cpu = words[1]
            place = is_place.match(words[3])
            if place:
                for windows in found.values():
                    windows.access(cpu, clocks[cpu], int(words[2], 16), int(place.group(1)), int(words[4]))
            clocks[cpu] += 1
    return found


def kernel_windows(args):
    source = os.path.realpath(os.path.join(args.kernel, "source"))
    report = kb.run_tool(args, source, os.path.abspath(args.kernel), args.paths, "--struct", args.struct, "--quiet", "--validate",
                         os.path.abspath(args.trace), "--cache", SMALL)
    layouts, replay = report["layouts"], {o["name"]: o for o in report["replay"]["orders"]}
    size = layouts["current"]["size"]
    orders = {name: moved_bytes(report["fields"], layouts[name], size) for name in ("current", "proposed") if name in replay}
    found = windows_of(args, args.trace, args.struct, orders, 64)
    rows = []
    for length in LENGTHS:
        mean = {name: w.lines[length] / max(1, w.windows[length]) for name, w in found.items()}
        rows.append([f"of an object, {length} accesses", found["current"].windows[length], *(f"{value:.3f}" for value in mean.values()),
                     *(f"{100 * (value / mean['current'] - 1):+.1f} %" for name, value in mean.items() if name != "current")])
    lines = {name: replay[name]["lines_per_window"] for name in orders}
    rows.append([f"replay, {report['replay']['window']} accesses", "", *(f"{value:.3f}" for value in lines.values()),
                 *(f"{100 * (value / lines['current'] - 1):+.1f} %" for name, value in lines.items() if name != "current")])
    kb.table(["windows", "number", *orders, *(f"{name} to current" for name in orders if name != "current")], rows)


def main():
    p = kb.parser(__doc__)
    p.add_argument("paths", nargs="*", metavar="PATH", help="of a kernel: what to analyse")
    p.add_argument("--kernel", metavar="OBJ", help="output directory of a kernel build; no programs then")
    p.add_argument("--trace", metavar="FILE", help="of that kernel, with all accesses")
    p.add_argument("--struct")
    p.add_argument("--cc", default="cc")
    p.add_argument("--flags", type=shlex.split, default=["-O2", "-pthread"])
    p.add_argument("--only", choices=sorted(hardware.WORKLOADS), help="only this program")
    args = p.parse_args()
    if args.kernel:
        kernel_windows(args)
        return 0
    transfers, lines, same = [], [], True
    with tempfile.TemporaryDirectory() as scratch:
        for name, work in hardware.WORKLOADS.items():
            if args.only in (None, name):
                program = Program(args, work, os.path.join(scratch, name))
                rows, agree = program.transfers()
                transfers += rows
                same &= agree
                lines += program.lines()
    kb.table(["program", "structs", "order", "accesses", "transfers", "true", "replay", "true", "false", "upgrades"], transfers, left=(0, 2))
    print()
    kb.table(["program", "thread", "order", "lines loaded", "replay", "change", "replay"], lines, left=(0, 1, 2))
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
