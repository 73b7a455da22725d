#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do the pairs of fields that the tool says conflict lose lines to other CPUs on recordings?

    bench/conflicts.py --kernel OBJ --trace FILE [--trace FILE]... [--struct NAME]... [--pairs N] [-- OPTION...]

For caches that forget nothing, what a line with the fields S misses depends on the accesses to S alone: m(S), summed over objects. Two
fields cost m({a, b}) - m({a}) - m({b}) misses more on one line than on two. That is exact; the tool says what it expects of each pair
("loss" of the report's affinity). Printed for each struct: misses of its accesses, Spearman's correlation of the two over all pairs of
fields that the trace touches, and over pairs that lose anything; which rank the truly worst pairs have with the tool (median of --pairs).
--list prints these. A struct's objects are taken to begin on a line. What follows -- goes to the tool.

Traces that are not there are recorded (trials.py): FILE=TRIAL."""

import collections
import itertools
import os
import statistics
import subprocess
import sys

import kst_bench as kb
from trials import TRIALS


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--kernel", required=True, metavar="OBJ", help="output directory of a finished build", type=os.path.abspath)
    p.add_argument("--trace", required=True, action="append", metavar="FILE[=TRIAL]")
    p.add_argument("--struct", action="append", help="default: those of the trials that miss at least --least times")
    p.add_argument("--least", type=int, default=500, metavar="MISSES")
    p.add_argument("--pairs", type=int, default=20, metavar="N")
    p.add_argument("--list", action="store_true", help="print the worst pairs, too")
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("options", nargs="*", metavar="-- OPTION")
    return p.parse_args()


class Stays:
    """What CPUs do to the objects of a struct, in turn: (object, cpu, touched, written) of each stretch of one CPU at one object; the latter
    two are sets of fields, bit by bit."""

    def __init__(self, fields):
        self.fields, self.stays = fields, []
        self.at = {}
        for number, field in enumerate(fields):
            for byte in range(field["offset"], field["offset"] + field["size"]):
                self.at[byte] = self.at.get(byte, 0) | 1 << number
        self.bits = {}

    def covered(self, begin, size):
        key = begin, size
        if key not in self.bits:
            found = 0
            for byte in range(begin, begin + size):
                found |= self.at.get(byte, 0)
            self.bits[key] = found
        return self.bits[key]

    def read(self, tool, trace, struct):
        """All accesses of the trace."""
        # last[object] = [cpu, touched, written] of the stay that is on
        last, ended = {}, self.stays.append
        dump = subprocess.Popen([tool, "trace", "dump", trace, "--struct", struct], stdout=subprocess.PIPE, text=True)
        for line in dump.stdout:
            if line.startswith("#"):
                continue
            _, cpu, address, place, size, kind, *_ = line.split(" ", 6)
            if kind[0] not in "rw" or "+" not in place:
                continue
            name, _, offset = place.partition("+")
            offset, _, number = offset.partition("#")
            offset = int(offset)
            fields = self.covered(offset, int(size))
            if not fields:
                continue
            key = trace, int(address, 16) - offset, number
            stay = last.get(key)
            if stay is None or stay[1] != cpu:
                if stay is not None:
                    ended(tuple(stay))
                stay = last[key] = [key, cpu, 0, 0]
                # The order of stays of one object is that of their ends, too.
            stay[2] |= fields
            if "w" in kind:
                stay[3] |= fields
        for stay in last.values():
            ended(tuple(stay))
        if dump.wait():
            sys.exit(f"trace dump failed on {trace}")

    def index(self):
        """Stays that touch a field, by field; and of each object the stays are in order."""
        by = collections.defaultdict(list)
        for at, (_, _, touched, _) in enumerate(self.stays):
            while touched:
                low = touched & -touched
                by[low.bit_length() - 1].append(at)
                touched ^= low
        return by

    def misses(self, mask, numbers):
        """m(S): those of the fields in mask, on the stays with these numbers, ascending. The first touch of an object by a CPU is none unless
        another CPU wrote before."""
        holders, written, found = {}, set(), 0
        stays = self.stays
        for number in numbers:
            key, cpu, touched, wrote = stays[number]
            holds = holders.get(key)
            if holds is None:
                holds = holders[key] = set()
            if cpu not in holds:
                found += key in written
                holds.add(cpu)
            if wrote & mask:
                written.add(key)
                if len(holds) > 1:
                    holds.clear()
                    holds.add(cpu)
        return found


def merged(a, b):
    return sorted({*a, *b})


def true_conflicts(stays):
    """(extra misses of each pair of fields that are touched, misses of each field)."""
    by = stays.index()
    alone = {field: stays.misses(1 << field, numbers) for field, numbers in by.items()}
    extra = {}
    for a, b in itertools.combinations(sorted(by), 2):
        extra[a, b] = stays.misses(1 << a | 1 << b, merged(by[a], by[b])) - alone[a] - alone[b]
    return extra, alone


def judged(args, source, struct, paths):
    report = kb.run_tool(args, source, args.kernel, paths, "--struct", struct, "--quiet", "--full", "--cpus", str(args.cpus), *args.options)
    fields = [field for field in report["fields"] if field["size"] and field["name"]]
    stays = Stays(fields)
    for trace in args.trace:
        stays.read(args.tool, trace.partition("=")[0], struct)
    every = stays.misses(-1, range(len(stays.stays)))
    if every < args.least:
        return None
    extra, _ = true_conflicts(stays)
    said = {frozenset((edge["a"], edge["b"])): edge["loss"] for edge in report["affinity"]}
    name = [field["name"] for field in fields]
    pairs = [(max(0, of), said.get(frozenset((name[a], name[b])), 0), name[a], name[b]) for (a, b), of in extra.items()]
    rank = kb.spearman([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    losing = [pair for pair in pairs if pair[0] or pair[1]]
    worst = sorted(pairs, reverse=True)[:args.pairs]
    place = lambda loss: sum(pair[1] > loss for pair in pairs) + 1
    places = [place(pair[1]) for pair in worst]
    if args.list:
        kb.table(["extra misses", "rank", "a", "b"], [[pair[0], at, *pair[2:]] for pair, at in zip(worst, places)], left=(2, 3))
    return [struct, len(stays.stays), every, len(pairs), f"{rank:.2f}", len(losing), f"{statistics.median(places):.0f}"], rank


def main():
    args = arguments()
    kb.use_cache(args)
    source = os.path.realpath(os.path.join(args.kernel, "source"))
    structs = {}
    for text in args.trace:
        path, _, trial = text.partition("=")
        structs |= TRIALS[trial or "seen"].structs
        if not os.path.exists(path):
            TRIALS[trial].record(args, path)
    rows, ranks = [], []
    for struct, paths in structs.items():
        if args.struct and struct not in args.struct:
            continue
        if found := judged(args, source, struct, paths):
            rows.append(found[0])
            ranks.append(found[1])
            print(*found[0], sep="  ", flush=True)
    kb.table(["struct", "stays", "misses", "pairs", "rank", "losing", f"worst {args.pairs}"], rows)
    if ranks:
        print(f"mean {statistics.mean(ranks):.2f}, least {min(ranks):.2f}")


if __name__ == "__main__":
    main()
