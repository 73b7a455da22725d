#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What counting costs in user space: CPU time of real programs.

Takes the sources of programs from the distribution's source packages (as
apt-get knows them; kept in a cache directory), builds each with clang -O2 in
five ways, and runs the same work with all of them, one after the other, round
by round, the order turned by one each round:

  plain     without the plugin
  one       counters for one struct, the one in the middle of the program
  all       counters for all structs
  profile   -fprofile-generate, clang's own counters
  again     plain once more: how far apart two equal programs are

Printed are medians of user plus system time, the spread of the middle half of
the rounds, and ratios: the median, over the rounds, of the ratio to plain.
Bars: one <= 1.05, all <= 1.30, and what `all` adds at most half of what
`profile` adds.

bench/cost/programs.toml says how each package is built and run; --table takes
another such file.

    bench/counters_cost.py [--rounds 9] [--programs lua5.4,zlib] [--instructions]"""

import argparse
import glob
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import tomllib

import counted
from source_package import source_tree

BAR_ONE, BAR_ALL, BAR_PROFILE = 1.05, 1.30, 0.5
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cost")
NAMES = ("plain", "one", "all", "profile", "again")
VALGRIND = "valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null"


def text(words):
    """Words by frequency, from a fixed generator."""
    state, parts = 1, []
    common = [f"{chr(97 + i % 26)}{chr(97 + i * 7 % 26)}{'lmnorst'[i % 7] * (i % 4)}e" for i in range(400)]
    for i in range(words):
        state = (state * 6364136223846793005 + 1442695040888963407) & (1 << 64) - 1
        a, b = state >> 33 & 0xffff, state >> 49 & 0x7fff
        rank = a * a % 65521 * b >> 22 & 511
        parts.append((common[rank if a & 3 else b % 16] if rank < 400 or not a & 3 else str(b)) + " \n"[i % 12 == 11])
    return "".join(parts)


class Program:
    """One package, built in all ways in a folder of its own."""

    def __init__(self, name, about, tree, tools, folder, struct):
        self.name, self.about, self.folder = name, about, folder
        self.struct = struct or about["struct"]
        self.paths = {n: self.build(tools, tree, n) for n in NAMES if n != "again"}
        self.paths["again"] = shutil.copy(self.paths["plain"], os.path.join(folder, "again"))

    def build(self, tools, tree, name):
        copy, path = os.path.join(self.folder, "tree"), os.path.join(self.folder, name)
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(tree, copy, symlinks=True)
        env = {"CC": tools.clang + " -O2 -w", "LIBS": "", "OUT": path}
        if name == "profile":
            env["CC"] += " -fprofile-generate=" + os.path.join(self.folder, "profraw")
        elif name in ("one", "all"):
            env["CC"] += " -fpass-plugin=" + tools.plugin
            env["LIBS"] = tools.runtime + " -pthread"
            env["KST_OPTIONS"] = "structs=" + ("all" if name == "all" else self.struct)
        # Programs that the build itself runs leave their profiles in the copy.
        env["KST_FILE"] = os.path.join(copy, "build.kstraw")
        counted.run(["sh", "-ec", self.about["build"]], env=env, cwd=copy, timeout=1800)
        shutil.rmtree(copy)
        return path

    def inputs(self, scale):
        """A new folder with them, in which the work is done."""
        folder = os.path.join(self.folder, f"work{scale}")
        os.makedirs(folder)
        with open(os.path.join(folder, "text"), "w") as file:
            file.write(text(900000 * scale or 200000))
        for path in glob.glob(os.path.join(HERE, "work.*")):
            with open(path) as file:
                words = file.read().replace("@SCALE@", str(8 * scale or 2))
            with open(os.path.join(folder, os.path.basename(path)), "w") as file:
                file.write(words)
        if "prepare" in self.about:
            counted.run(["sh", "-ec", self.about["prepare"]], cwd=folder, timeout=600)
        return folder

    def work(self, name, inputs, prefix=""):
        """(CPU seconds, output, stderr) of all its steps."""
        env = dict(os.environ, KST_FILE=os.path.join(self.folder, "out.kstraw"), RUN=f"{prefix} {self.paths[name]}")
        seconds, output, errors = 0.0, b"", ""
        for command in self.about["run"]:
            with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
                child = subprocess.Popen(["sh", "-ec", command], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                         cwd=inputs, env=env)
                _, status, usage = os.wait4(child.pid, 0)
                child.returncode = status
                for file in (out, err):
                    file.seek(0)
                said = err.read().decode(errors="replace")
                if status:
                    raise counted.Wrong(f"{name}: {command}: status {status}: {said[-500:]}")
                seconds += usage.ru_utime + usage.ru_stime
                output, errors = output + out.read(), errors + said
        for path in glob.glob(os.path.join(self.folder, "*.kstraw")) + glob.glob(os.path.join(self.folder, "profraw", "*")):
            os.unlink(path)
        return seconds, output, errors

    def instructions(self, name, inputs):
        said = self.work(name, inputs, VALGRIND)[2]
        return sum(int(n.replace(",", "")) for n in re.findall(r"I +refs: +([\d,]+)", said))


def show(what, ratio, good):
    """The three bars by one way to count; their verdict."""
    share = (ratio["all"] - 1) / (ratio["profile"] - 1) if ratio["profile"] > 1 else float("inf")
    for name, found, bar in (("one", ratio["one"], BAR_ONE), ("all", ratio["all"], BAR_ALL),
                             ("all's added share of profile's", share, BAR_PROFILE)):
        good &= found <= bar
        print(f"  by {what}: {name} {found:.3f}, bar {bar:.2f}: {'held' if found <= bar else 'MISSED'}")
    return good


def measure(program, args):
    times, ratio, counts, outputs = {name: [] for name in NAMES}, {}, {}, set()
    if args.rounds:
        inputs = program.inputs(args.scale)
        for name in NAMES:  # files into memory, same answer from all
            outputs.add(program.work(name, inputs)[1])
        for number in range(args.rounds):
            turn = number % len(NAMES)
            for name in NAMES[turn:] + NAMES[:turn]:
                times[name].append(program.work(name, inputs)[0])
        shutil.rmtree(inputs)
    if args.instructions:
        inputs = program.inputs(0)  # valgrind is slow
        counts = {name: program.instructions(name, inputs) for name in NAMES[:-1]}
        outputs = {program.work(name, inputs)[1] for name in NAMES}
    if len(outputs) != 1:
        raise counted.Wrong("the builds do not give the same output")
    print(f"{program.name}, one struct: {program.struct}; {args.rounds} rounds, CPU seconds")
    print(f"  {'build':<9}{'median':>9}{'middle half':>18}{'ratio':>8}" + ("    instructions" if counts else ""))
    for name in NAMES:
        line = f"  {name:<9}"
        if args.rounds:
            first, half, third = statistics.quantiles(times[name], n=4)
            ratio[name] = statistics.median(a / b for a, b in zip(times[name], times["plain"]))
            line += f"{half:>9.3f}{f'{first:.3f} - {third:.3f}':>18}{ratio[name]:>8.3f}"
        if name in counts:
            line += f"{counts[name] / counts['plain']:>15.3f}x"
        print(line)
    good = True
    if counts:
        show("instructions", {name: n / counts["plain"] for name, n in counts.items()}, True)
    if args.rounds:
        good = show("time", ratio, good)
    sys.stdout.flush()
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    counted.add_options(parser)
    cache = os.environ.get("KST_CACHE") or os.path.join(os.environ.get("XDG_CACHE_HOME") or
                                                        os.path.expanduser("~/.cache"), "kstatic-affinity")
    parser.add_argument("--cache", default=os.path.join(cache, "sources"), help="where unpacked source packages are kept")
    parser.add_argument("--table", default=os.path.join(HERE, "programs.toml"), help="how packages are built and run")
    parser.add_argument("--programs", default="", help="some of the table, by commas (default: all)")
    parser.add_argument("--struct", help="count this one in `one`, not the table's")
    parser.add_argument("--tree", action="append", default=[], metavar="PACKAGE=DIR", help="use this source instead")
    parser.add_argument("--rounds", type=int, default=9, help="0: only --instructions")
    parser.add_argument("--scale", type=int, default=2, help="how much work; 2: a second or so")
    parser.add_argument("--instructions", action="store_true", help="also instructions executed, counted by valgrind")
    args = parser.parse_args()
    if args.rounds == 1 or args.rounds < 1 and not args.instructions:
        parser.error("--rounds: 2 or more, or 0 with --instructions")
    with open(args.table, "rb") as file:
        table = tomllib.load(file)
    trees = dict(word.split("=", 1) for word in args.tree)
    tools = counted.Toolchain(args)
    good = True
    for name in args.programs.split(",") if args.programs else table:
        if name not in table:
            parser.error(f"no program {name}; there are {', '.join(table)}")
        tree = trees.get(name) or source_tree(name, args.cache)
        try:
            with tempfile.TemporaryDirectory() as folder:
                good &= measure(Program(name, table[name], tree, tools, folder, args.struct), args)
        except counted.Wrong as wrong:
            sys.exit(f"{name}: {wrong}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
