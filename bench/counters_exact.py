#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does the pass plugin count exactly? Generated and hand-made programs, counted
by the plugin and in two other ways, at -O0 and -O2; every difference is shown.

For each program and optimisation level:
  output   the instrumented program prints and returns what the plain one does;
  naive    counts of every site equal those of a build of the plugin that steps
           one counter before each access, before anything optimises (shares the
           plugin's idea of what a site is, not how it is counted);
  source   reads and writes of members, summed over (struct, offset, size, bits,
           kind), equal those of the program rewritten on the level of the
           source by SourceCounts, which shares nothing with the plugin. Programs
           that it cannot take (C++, more than one file) have no such count;
           hand-made ones say so.

    bench/counters_exact.py [--seeds 1-200] [--programs DIR] [-j 2]"""

import argparse
import collections
import concurrent.futures
import glob
import os
import shutil
import sys
import tempfile

import counted
from counted import Wrong

LEVELS = ("-O0", "-O2")
# csmith's options: the first with struct arguments and returns, whose passing
# is not in the source; the second for the count in the source too.
STYLES = {
    "abi": ["--arg-structs", "--return-structs", "--arg-unions", "--return-unions", "--volatiles"],
    "source": ["--no-arg-structs", "--no-return-structs", "--no-arg-unions", "--no-return-unions"],
}
COMMON = ["--bitfields", "--packed-struct", "--max-funcs", "8"]  # no --builtins: they call ctz(0), which is undefined
CSMITH = "/usr/include/csmith"


class Program:
    """One C or C++ file; words of its line `exact:` say what to do with it."""

    def __init__(self, name, source, words):
        self.name, self.source, self.words = name, source, words


def generated(tools, folder, seed, style):
    path = os.path.join(folder, "program.c")
    try:
        counted.run(["csmith", "--seed", str(seed), "--output", path] + COMMON + STYLES[style], cwd=folder)
    except Wrong:
        return None  # csmith itself gave up: some seeds end in its own assertions
    plain = os.path.join(folder, "input.c")
    counted.run([tools.clang, "-E", "-P", "-w", "-I", CSMITH, path, "-o", plain])
    return Program(f"csmith {style} {seed}", plain, {"source"} if style == "source" else set())


def words_of(path):
    """Of the line `exact:` of a hand-made program; None: it has no such line
    and is for other tests."""
    with open(path) as file:
        for line in file:
            if "exact:" in line:
                return set(line.split("exact:")[1].replace("*/", "").split())
    return None


def handmade(tools, folder, path):
    words = words_of(path)
    plain = os.path.join(folder, "input" + os.path.splitext(path)[1])
    counted.run([tools.clang, "-E", "-P", "-w", path, "-o", plain])
    return Program(os.path.basename(path), plain, words)


def plain(struct, offset, size, bit, bits, kind):
    """A bit-field of whole bytes at the start of one can be accessed like any
    other member, and then nothing in the compiled code says otherwise."""
    if bit == 0 and bits % 8 == 0:
        bits = 0
    return struct, offset, size, bit, bits, kind


class Check:
    def __init__(self, tools, folder, program):
        self.tools, self.folder, self.program = tools, folder, program
        self.differences, self.accesses, self.compared = [], 0, 0
        self.blind = set()  # keys that compiled code does not show
        self.lines = collections.defaultdict(collections.Counter)  # of the reference

    def build(self, name, level, options=None, source=None):
        path = os.path.join(self.folder, name)
        source = source or self.program.source
        compiler = self.tools.clang + ("++" if source.endswith(".cpp") else "")
        command, env = [compiler, level, "-w", "-pthread", source, "-o", path], {}
        if options:
            flags, env = self.tools.flags(options)
            command += flags + [self.tools.runtime]
        counted.run(command + ["-lm"], env=env)
        return path

    def execute(self, path, env=None):
        status, out = counted.run([path], env=env, cwd=self.folder, timeout=self.limit, ok=False)
        return status, out

    limit = 30

    def counts(self, name, level, options, expected):
        path = self.build(name, level, options)
        try:
            sites = self.tools.sites(path)
        except Wrong as wrong:
            if "not found" not in str(wrong):
                raise
            return collections.Counter()  # the program accesses no struct
        for old in glob.glob(os.path.join(self.folder, "*.kstraw")):
            os.unlink(old)
        result = self.execute(path, {"KST_FILE": os.path.join(self.folder, "%p.kstraw")})
        if result != expected:
            self.differences.append(f"{name} {level}: output or status differs: {expected[0]}, {result[0]}")
        files = glob.glob(os.path.join(self.folder, "*.kstraw"))
        if not files:
            raise Wrong(f"{name} {level}: no counters file, status {result[0]}")
        return counted.site_counts(sites, counted.raw(files))

    def compare(self, what, found, expected):
        for key in sorted(set(found) | set(expected), key=str):
            if found[key] != expected[key]:
                self.differences.append(f"{what}: {tuple(key)}: {found[key]}, expected {expected[key]}")

    def reference(self, expected):
        rewritten = os.path.join(self.folder, "rewritten.c")
        _, text = counted.run([self.tools.source_counts, self.program.source])
        with open(rewritten, "wb") as file:
            file.write(text)
        path = self.build("rewritten", "-O0", source=rewritten)
        told = os.path.join(self.folder, "reference")
        if os.path.exists(told):
            os.unlink(told)
        result = self.execute(path, {"KST_REFERENCE": told})
        if result != expected:
            self.differences.append(f"rewritten: output or status differs: {expected[0]}, {result[0]}")
        sums, skipped = collections.Counter(), set()
        for line in text.decode(errors="replace").splitlines():
            if line.startswith("// blind "):
                name, offset, size, bit, bits, kind, _ = line.split()[2:]
                self.blind.add(plain(name, int(offset), int(size), int(bit), int(bits), kind))
            elif line.startswith("// skip "):
                first, last = map(int, line.split()[2:])
                skipped.update(range(first, last + 1))
        with open(told) as file:
            for line in file:
                name, offset, size, bit, bits, kind, at, n = line.split()
                key = plain(name, int(offset), int(size), int(bit), int(bits), kind)
                sums[key] += int(n)
                self.lines[key][int(at)] += int(n)
        return sums, skipped

    def run(self):
        expected = self.execute(self.build("plain", "-O0"))
        sums, skipped = self.reference(expected) if "source" in self.program.words else (None, set())
        for level in LEVELS:
            sites = self.counts("counted", level, "structs=all", expected)
            naive = self.counts("naive", level, "structs=all naive", expected)
            self.accesses += sum(naive.values())
            self.compare(f"naive {level}", sites, naive)
            if sums is None:
                continue
            self.compare_source(level, sites, sums, skipped)
        return self.differences

    def compare_source(self, level, sites, sums, skipped):
        mine, lines = collections.Counter(), collections.defaultdict(collections.Counter)
        unions = self.unions
        for site, n in sites.items():
            if site.kind in ("read", "write") and not site.marks & counted.BIT_FIELD_READ and \
                    not site.marks & 2 and site.line not in skipped and site.struct and site.struct not in unions:
                key = plain(site.struct, site.offset, site.size, site.bit, site.bits, site.kind)
                mine[key] += n
                lines[key][site.line] += n
        for key in sorted((set(mine) | set(sums)) - self.blind):
            self.compared += sums[key]
            if mine[key] != sums[key]:
                at = {line: (lines[key][line], self.lines[key][line])
                      for line in sorted(set(lines[key]) | set(self.lines[key]))
                      if lines[key][line] != self.lines[key][line]}
                self.differences.append(f"source {level}: {key}: {mine[key]}, expected {sums[key]}; by line {at}")

    @property
    def unions(self):
        """Names that the program gives to unions: not for the source count."""
        with open(self.program.source, errors="replace") as file:
            words = file.read().replace("{", " { ").split()
        return {words[i + 1] for i in range(len(words) - 1) if words[i] == "union"}


def one(tools, kind, argument, keep):
    with tempfile.TemporaryDirectory() as folder:
        name = str(argument)
        try:
            program = handmade(tools, folder, argument) if kind == "hand" else generated(tools, folder, argument, kind)
            if not program:
                return name, None, (0, 0)
            name = program.name
            check = Check(tools, folder, program)
            # Some generated programs never end; that is not looked at.
            if kind != "hand":
                check.limit = 10
                try:
                    check.execute(check.build("plain", "-O2"))
                except Wrong:
                    return name, None, (0, 0)
                check.limit = 300
            differences = check.run()
            if differences and keep:
                shutil.copytree(folder, os.path.join(keep, name.replace(" ", "-")), dirs_exist_ok=True)
            return name, differences, (check.accesses, check.compared)
        except Wrong as wrong:
            if keep:
                shutil.copytree(folder, os.path.join(keep, name.replace(" ", "-")), dirs_exist_ok=True)
            return name, [str(wrong)], (0, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    counted.add_options(parser)
    parser.add_argument("--seeds", default="1-100", help="of csmith, FIRST-LAST; each in both styles; 0: none")
    parser.add_argument("--programs", default=os.path.join(counted.kb.ROOT, "test", "Inputs", "counters"))
    parser.add_argument("--keep", metavar="DIR", help="copies of the files of programs that differ")
    parser.add_argument("--max-shown", type=int, default=8, help="differences shown per program")
    parser.add_argument("-j", type=int, default=2)
    args = parser.parse_args()
    tools = counted.Toolchain(args)
    work = [("hand", path) for path in sorted(glob.glob(os.path.join(args.programs, "*.c*"))) if words_of(path) is not None]
    if args.seeds != "0":
        first, _, last = args.seeds.partition("-")
        work += [(style, seed) for seed in range(int(first), int(last or first) + 1) for style in sorted(STYLES)]
    if not work:
        sys.exit("nothing to do: no seeds and no programs")
    tally = collections.defaultdict(lambda: [0, 0, 0, 0, 0])
    with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
        jobs = [pool.submit(one, tools, kind, argument, args.keep) for kind, argument in work]
        for (kind, _), job in zip(work, jobs):
            name, differences, accesses = job.result()
            row = tally[kind]
            row[0] += 1
            row[3] += accesses[0]
            row[4] += accesses[1]
            if differences is None:
                row[2] += 1
            elif differences:
                row[1] += 1
                print(f"{name}: {len(differences)} differences")
                for difference in differences[:args.max_shown]:
                    print("   ", difference)
    print(f"{'programs':<22}{'run':>6}{'without end':>13}{'different':>11}{'accesses, naive':>18}{'source':>14}")
    for kind, (number, bad, endless, accesses, compared) in tally.items():
        name = {"hand": "hand-made", "abi": "csmith, any struct", "source": "csmith, source too"}[kind]
        print(f"{name:<22}{number - endless:>6}{endless:>13}{bad:>11}{accesses:>18,}{compared:>14,}")
    sys.exit(1 if any(row[1] for row in tally.values()) else 0)


if __name__ == "__main__":
    main()
