#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do the patches of `kstatic-affinity sharing --patch` make the programs of peers faster on this machine, as much as their authors' own remedies?

The programs are those of data/peers_timed.tsv; peers.py says where DIR has them. The tool sees the source alone.

  lost       cycles for each access that the tool says are lost, and that are left with its patch
  patched    CPU time of all threads with the patch, by the original of the same round: median, least and most
  mended     the same of what the authors made of it
  itself     the original against itself: the noise

Rounds are paired and shuffled by a fixed seed. A program that ends otherwise than before is an error. The last lines: of programs that their authors made a
tenth faster and more, the median share of that which the patch has; those that are slower by more than the noise; Spearman's
rank correlation of cycles saved and time saved. Exit status 1 if one is slower or an error.

    bench/mended.py --sources DIR [--rounds N] [--only ID]..."""

import csv
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

import kst_bench as kb
import peers
from peers import Failed, Program, step

TABLE = os.path.join(kb.ROOT, "bench", "data", "peers_timed.tsv")
LARGER = 100  # inputs than where accesses are traced
MOST = 60  # seconds of a run


def timed(only):
    """(row of peers.tsv as it is timed, the same of the mended one or None)."""
    known = {row["id"]: row for row in peers.programs("all", None)}
    with open(TABLE) as file:
        rows = list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE))
    unknown = set(only or ()) - {row["id"] for row in rows}
    if unknown:
        sys.exit(f"not in {TABLE}: " + " ".join(sorted(unknown)))
    for row in rows:
        if only and row["id"] not in only:
            continue

        def one(name, row=row):
            here = lambda key: "" if row[key] == "-" else row[key]
            return {**known[name], "flags": known[name]["flags"] + " " + row["flags"], "arguments": here("arguments"), "sizes": here("sizes")}

        yield one(row["id"]), None if row["mended"] == "-" else one(row["mended"])


class Copy(Program):
    """A program whose sources are copies, which may be patched."""

    def __init__(self, args, row, folder, inputs):
        os.mkdir(folder)
        super().__init__(args, row, folder, inputs)
        for directory in {os.path.dirname(path) for path in self.paths}:
            shutil.copytree(os.path.join(self.repository, directory), os.path.join(folder, "small", directory), dirs_exist_ok=True, symlinks=True)
        try:
            self.sources(True)
        except Failed:  # a mended program need not have the sizes
            pass
        self.paths = [os.path.join(folder, "small", path) for path in self.paths]

    def built(self, name):
        program = self.build(self.paths)
        os.rename(program, self.file(name))
        return self.file(name)

    def seconds(self, program):
        """CPU time of all threads."""
        with subprocess.Popen([program, *self.arguments], cwd=self.run_in, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise Failed(f"{os.path.basename(program)} ended with {process.returncode}")
        return used.ru_utime + used.ru_stime

    def patch(self):
        """Cycles lost before and after, as the tool says; (None, None): no patch."""
        self.commands(self.paths)
        patch, out = self.file("lines.patch"), self.file("sharing.json")
        step("sharing", [self.args.tool, "sharing", "--no-cache", "--root", self.folder, "-p", self.folder, *self.paths, "--json", out, "--patch", patch, "--quiet"],
             cwd=self.folder, fine=(0, 3))
        if not os.path.exists(patch):
            return None, None
        step("patch", ["patch", "-s", "-p1", "-i", patch], cwd=self.folder)
        with open(out) as file:
            found = json.load(file)["false"]
        left = sum(min([finding["cycles"], *(r["patched"] for r in finding["remedies"] if "patched" in r)]) for finding in found)
        return sum(finding["cycles"] for finding in found), left


def spread(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})" if values else ""


def measure(args, top, inputs, row, mended, shuffle):
    """(cycles before, after, ratios by name)."""
    program = Copy(args, row, os.path.join(top, row["id"]), inputs)
    run = {"was": (program, program.built("was")), "again": (program, program.built("again"))}
    before, after = program.patch()
    if before is not None:
        run["patched"] = (program, program.built("patched"))
    if mended:
        other = Copy(args, mended, os.path.join(top, mended["id"] + ".mended"), inputs)
        run["mended"] = (other, other.built("mended"))
    ratios = {name: [] for name in run}
    for _ in range(args.rounds):
        order = list(run)
        shuffle.shuffle(order)
        took = {name: run[name][0].seconds(run[name][1]) for name in order}
        for name in run:
            ratios[name].append(took[name] / took["was"])
    return before, after, ratios


def main():
    p = kb.parser(__doc__)
    p.add_argument("--sources", metavar="DIR", type=os.path.abspath, required=True, help="the repositories, as OWNER+NAME")
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--only", metavar="ID", action="append")
    p.add_argument("--cc", default="clang-19")
    p.add_argument("--cxx", default="clang++-19")
    args = p.parse_args()
    shuffle = random.Random(1)
    table, shares, slower, failed, saved = [], [], [], [], []
    with tempfile.TemporaryDirectory() as top:
        os.mkdir(os.path.join(top, "stubs"))
        for name, text in peers.STUBS.items():
            with open(os.path.join(top, "stubs", name), "w") as file:
                file.write(text)
        inputs = peers.make_inputs(top, LARGER)
        for row, mended in timed(args.only):
            try:
                before, after, ratios = measure(args, top, inputs, row, mended, shuffle)
            except Failed as error:
                failed.append(row["id"])
                table.append([row["id"], "", "", "", f"error: {error}"])
                continue
            patched, by_authors = (statistics.median(ratios[name]) if name in ratios else None for name in ("patched", "mended"))
            if by_authors is not None and by_authors <= 0.9:
                shares.append((1 - (patched if patched is not None else 1)) / (1 - by_authors))
            if patched is not None:
                saved.append((before - after, 1 - patched))
                if patched > max(ratios["again"]):
                    slower.append(row["id"])
            table.append([row["id"], f"{before:.1f} -> {after:.1f}" if patched is not None else "no patch", *(spread(ratios.get(name)) for name in ("patched", "mended", "again"))])
            print(row["id"], file=sys.stderr)
    kb.table(["program", "lost", "patched", "mended", "itself"], table, left=(0, 1, 2, 3, 4))
    faster = sum(time > 0.1 for _, time in saved)
    print(f"\n{len(saved)} of {len(table)} programs patched, {faster} of them a tenth faster and more; slower: {', '.join(slower) or 'none'}; errors: {', '.join(failed) or 'none'}")
    if shares:
        print(f"{len(shares)} programs that their authors made a tenth faster and more: the patches reach {100 * statistics.median(shares):.0f} % of that in the median, {sum(s >= 0.9 for s in shares)} nine tenths and more")
    if len(saved) > 2:
        print(f"rank correlation of cycles and time saved: {kb.spearman([c for c, _ in saved], [t for _, t in saved]):.2f}")
    return 1 if slower or failed else 0


if __name__ == "__main__":
    sys.exit(main())
