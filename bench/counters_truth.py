#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How many accesses of a struct do the counters of an instrumented kernel see?

Boots a kernel of `passes/kernel/kst-kernel` once, with the recorder (recorder/)
watching: the same run gives the profile by counters and an independent record
of every access to the objects of the struct, or of several. Example:

  bench/counters_truth.py NAME --run pipe --struct rq --unit kernel/sched/core.c \\
      --object percpu:runqueues

What is compared. The record counts loads and stores of the machine code; the
counters count accesses of the source. A field that the source reads three times
and the optimiser loads once counts three and one; an access by memcpy of half a
struct is one for each field in it, in the record as the bytes it moved. So:

  recall       of the recorded accesses, those that the counters also count:
               the smaller of both numbers, by field and direction, summed, over
               the sum of the record
  strict       the same by field, direction and function, after inlining: too
               many in one function make up for nothing in another. Counts by
               address have no function; they may stand for what is left
  ratio        counters over record; above 1 where the optimiser merged loads
  once         the same, each field at most once for each run of a region: a
               lower bound of what is left when loads are merged
  Spearman     of the counts of all fields, and of those with any access

Accesses by code that must not be counted (noinstr, entry, cpuidle) are no part
of this; their share is given. Functions that the counters do not see at all are
listed with what they touched.

Exit status: 0 both bars reached (--recall, --spearman), 1 not, 2 usage."""

import collections
import json
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "recorder"))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "passes", "kernel"))
sys.dont_write_bytecode = True
import counters  # noqa: E402
import fold  # noqa: E402
import kernel_image  # noqa: E402
import kernel_profile as kp  # noqa: E402
import kst_bench as kb  # noqa: E402
import recorder  # noqa: E402

WINDOW = ("kst_reset_write", "kst_counters_read")


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("name", help="a kernel that kst-kernel built with counters")
    p.add_argument("--run", required=True, help="as kst-kernel boot takes it: a workload of test/workloads")
    p.add_argument("--struct")
    p.add_argument("--unit", metavar="FILE", help="a source file of the kernel that defines the struct")
    p.add_argument("--object", action="append", default=[], metavar="KIND:NAME", dest="objects",
                   help="percpu:SYMBOL, static:SYMBOL, slab:CACHE, slab:CACHE+OFFSET of the struct in its objects, or "
                   "kmalloc:FUNCTION that allocates it")
    p.add_argument("--case", action="append", default=[], metavar="'STRUCT FILE KIND:NAME...'", dest="cases",
                   help="the same in one word; several are recorded in one boot")
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("--memory", type=int, default=512, metavar="MB")
    p.add_argument("--icount", type=int, metavar="N")
    p.add_argument("--timeout", type=int, default=1200, metavar="SECONDS")
    p.add_argument("--recall", type=float, default=0.97)
    p.add_argument("--spearman", type=float, default=0.97)
    p.add_argument("--top", type=int, default=25, help="rows of the tables")
    p.add_argument("--json", metavar="FILE")
    p.add_argument("--keep", metavar="DIR", help="leave the record, the counters and the console there")
    args = p.parse_args()
    if args.struct and args.unit and args.objects:
        args.cases.insert(0, " ".join([args.struct, args.unit, *args.objects]))
    elif args.struct or args.unit or args.objects:
        p.error("--struct, --unit and --object belong together")
    args.cases = [case.split() for case in args.cases]
    if not args.cases or any(len(case) < 3 for case in args.cases):
        p.error("no struct: --struct, --unit and --object, or --case 'STRUCT FILE KIND:NAME...'")
    return args


def boot(args, image, objects):
    """(accesses, path of the raw counters) of one run; files in args.keep."""
    from kst_kernel import boot, state
    run = recorder.Recorder(image, objects, os.path.join(args.keep, "record"), args.memory << 20,
                            tuple(image.symbol(name) for name in WINDOW))
    request = boot.Request(args.name, [args.run], cpus=args.cpus, memory_mb=args.memory, timeout_s=args.timeout,
                           icount=args.icount, append="nokaslr no5lvl slab_nomerge " + run.kernel_parameters(), qemu=run.qemu_arguments())
    try:
        out = boot.boot(request, os.path.join(args.keep, "boot"))
    except state.Failed as error:
        sys.exit(str(error))
    recorder.check_console(os.path.join(out, "console"))
    return run.read(), os.path.join(out, boot.command_of(args.run)[0] + ".kstraw")


def base_name(function):
    """Without what compilers append to copies of a function."""
    return function.split(".")[0]


class Comparison:
    """One struct, recorded and counted, by field and by function.

    >>> class Truth:
    ...     plain, bulk = collections.Counter({(0, "reads"): 100, (1, "writes"): 10}), collections.Counter()
    ...     functions = {(0, "reads", "f.cold"): 60, (0, "reads", "g"): 40, (1, "writes", "f"): 10}
    ...     class layout:
    ...         fields = [("a", 0, 8), ("b", 8, 8)]
    >>> class Counts:
    ...     direct = collections.Counter({(0, "reads"): 90})
    ...     address, bulk = collections.Counter({(0, "reads"): 10, (1, "writes"): 4}), collections.Counter()
    ...     functions = {(0, "reads", "f"): 90}
    ...     total = lambda self, key: self.direct[key] + self.address[key]
    >>> c = Comparison(Truth, Counts())
    >>> c.recall("reads"), c.recall("writes")
    (1.0, 0.4)
    >>> c.strict_recall("reads")  # f has 30 too many, which is not g's; 10 by address may be
    0.7
    >>> round(c.recall("reads", "writes"), 4), c.ratio("reads"), c.spearman(["reads"], False)
    (0.9455, 1.0, 1.0)
    """

    def __init__(self, truth, counted):
        self.truth, self.counted, self.layout = truth, counted, truth.layout
        self.by_function = collections.defaultdict(lambda: [0, 0])  # (field, way, function) -> record, counters
        for (field, way, function), count in truth.functions.items():
            self.by_function[(field, way, base_name(function))][0] += count
        for (field, way, function), count in counted.functions.items():
            self.by_function[(field, way, base_name(function))][1] += count
        self.matched = collections.Counter()
        for (field, way, _), (true, found) in self.by_function.items():
            self.matched[(field, way)] += min(true, found)

    def keys(self, *ways):
        return [(field, way) for field in range(len(self.layout.fields)) for way in ways]

    def recorded(self, key):
        return self.truth.plain[key] + self.truth.bulk[key]

    def recall(self, *ways):
        keys = self.keys(*ways)
        true = sum(map(self.recorded, keys))
        return sum(min(self.recorded(key), self.counted.total(key)) for key in keys) / true if true else 1.0

    def strict_recall(self, *ways):
        keys = self.keys(*ways)
        true = found = 0
        for key in keys:
            true += self.recorded(key)
            # Bulk code is out of line; who called it is not in the record.
            loose = self.counted.address[key] + self.counted.bulk[key]
            found += self.matched[key] + min(self.recorded(key) - self.matched[key], loose)
        return found / true if true else 1.0

    def ratio(self, *ways):
        keys = self.keys(*ways)
        true = sum(map(self.recorded, keys))
        return sum(map(self.counted.total, keys)) / true if true else 1.0

    def once(self, *ways):
        keys = self.keys(*ways)
        true = sum(map(self.recorded, keys))
        return sum(self.counted.once[key] + self.counted.address[key] for key in keys) / true if true else 1.0

    def spearman(self, ways, used_only):
        fields = range(len(self.layout.fields))
        a = [sum(self.recorded((field, way)) for way in ways) for field in fields]
        b = [sum(self.counted.total((field, way)) for way in ways) for field in fields]
        pairs = [(x, y) for x, y in zip(a, b) if x or y or not used_only]
        return kb.spearman([x for x, _ in pairs], [y for _, y in pairs]) if len(pairs) > 1 else 1.0

    def forbidden_share(self):
        forbidden = sum(sum(counts.values()) for counts in self.truth.forbidden.values())
        return forbidden, forbidden + sum(map(self.recorded, self.keys("reads", "writes")))


def show(args, c):
    rows = []
    for label, ways in (("reads", ["reads"]), ("writes", ["writes"]), ("both", ["reads", "writes"])):
        keys = c.keys(*ways)
        rows.append([label, round(sum(map(c.recorded, keys))), sum(map(c.counted.total, keys)), f"{c.recall(*ways):.4f}",
                     f"{c.strict_recall(*ways):.4f}", f"{c.ratio(*ways):.3f}", f"{c.once(*ways):.3f}", f"{c.spearman(ways, False):.4f}",
                     f"{c.spearman(ways, True):.4f}"])
    kb.table(["", "recorded", "counted", "recall", "strict", "ratio", "once", "Spearman, all fields", "used ones"], rows)
    forbidden, every = c.forbidden_share()
    print(f"\nnot countable by the rules: {100 * forbidden / max(1, every):.2f} % of {every:.0f} recorded accesses (" +
          ", ".join(f"{rule} {sum(counts.values())}" for rule, counts in sorted(c.truth.forbidden.items())) + ")")
    print(f"units with counters: {c.counted.units}; counters of units that the image does not have: {c.counted.missing}")

    print("\nfields by what the counters miss or have too many")
    worst = sorted(c.keys("reads", "writes"), key=lambda key: -abs(c.recorded(key) - c.counted.total(key)))[:args.top]
    rows = []
    for field, way in worst:
        functions = [(true - found, function, true, found) for (f, w, function), (true, found) in c.by_function.items()
                     if (f, w) == (field, way) and true != found]
        functions.sort(key=lambda row: (-abs(row[0]), row[1]))
        key = (field, way)
        rows.append([c.layout.fields[field][0][:32], way, round(c.recorded(key)), c.counted.direct[key], c.counted.address[key],
                     round(c.truth.bulk[key]), " ".join(f"{name}:{true}/{found}" for _, name, true, found in functions[:4])])
    kb.table(["field", "", "recorded", "counted", "by address", "bulk", "functions: recorded/counted"], rows, left=(0, 1, 6))

    print("\nfunctions that the counters miss, counts by address aside")
    lost = collections.defaultdict(lambda: [0, collections.Counter()])
    for (field, way, function), (true, found) in c.by_function.items():
        if true > found:
            lost[function][0] += true - found
            lost[function][1][c.layout.fields[field][0][:24] + ("" if way == "reads" else " (w)")] += true - found
    rows = [[name, number, " ".join(f"{field}:{count}" for field, count in fields.most_common(4))]
            for name, (number, fields) in sorted(lost.items(), key=lambda item: (-item[1][0], item[0]))[:args.top]]
    kb.table(["function", "missed", "fields"], rows, left=(0, 2))


def struct_json(c):
    fields = []
    for index, (name, offset, size) in enumerate(c.layout.fields):
        entry = {"name": name, "offset": offset, "size": size}
        for way in ("reads", "writes"):
            key = (index, way)
            entry[way] = {"recorded": round(c.recorded(key), 3), "recorded_bulk": round(c.truth.bulk[key], 3),
                          "counted": c.counted.direct[key], "counted_by_address": c.counted.address[key],
                          "not_countable": {rule: counts[key] for rule, counts in sorted(c.truth.forbidden.items()) if counts[key]}}
        fields.append(entry)
    functions = [{"field": c.layout.fields[field][0], "direction": way, "function": function, "recorded": true, "counted": found}
                 for (field, way, function), (true, found) in sorted(c.by_function.items())]
    return {"struct": c.layout.name, "recall": c.recall("reads", "writes"), "strict_recall": c.strict_recall("reads", "writes"),
            "spearman": c.spearman(["reads", "writes"], False), "fields": fields, "functions": functions}


def write_json(args, comparisons, text):
    result = {"schema": "kst-counters-truth/2", "run": args.run, "cpus": args.cpus, "profile": text,
              "structs": [struct_json(c) for c in comparisons]}
    with open(args.json + ".tmp", "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    os.replace(args.json + ".tmp", args.json)


class Case:
    """One struct and its objects among those that are recorded."""

    def __init__(self, args, image, words, first):
        self.struct, unit = words[:2]
        records = image.records(args.tool, self.struct, unit)
        if self.struct not in records:
            sys.exit(f"{unit} does not define struct {self.struct}")
        self.layout = kernel_image.Layout(records[self.struct])
        self.objects = [recorder.parse_object(text, image, self.layout.size) for text in words[2:]]
        self.numbers = range(first, first + len(self.objects))

    def accesses(self, recorded):
        return [access for access in recorded if access.object in self.numbers]


def summary(cases, comparisons):
    rows = []
    for case, c in zip(cases, comparisons):
        keys = c.keys("reads", "writes")
        ways = ("reads", "writes")
        forbidden, every = c.forbidden_share()
        rows.append([case.struct, round(sum(map(c.recorded, keys))), sum(map(c.counted.total, keys)),
                     sum(c.counted.address[key] for key in keys), f"{c.recall(*ways):.4f}", f"{c.strict_recall(*ways):.4f}",
                     f"{c.ratio(*ways):.3f}", f"{c.spearman(ways, False):.4f}", f"{c.spearman(ways, True):.4f}",
                     f"{100 * forbidden / max(1, every):.2f} %"])
    kb.table(["struct", "recorded", "counted", "by address", "recall", "strict", "ratio", "Spearman, all fields", "used ones",
              "not countable"], rows)


def main():
    args = arguments()
    from kst_kernel import build
    image = kernel_image.KernelImage(str(build.obj_dir(args.name)))
    cases = []
    for words in args.cases:
        cases.append(Case(args, image, words, sum(len(case.objects) for case in cases)))
    scratch = None
    if not args.keep:
        args.keep = scratch = tempfile.mkdtemp()
    comparisons = []
    try:
        recorded, path = boot(args, image, [o for case in cases for o in case.objects])
        text, raw = kp.raw_counters(path)
        tables = kp.units(image.vmlinux)
        for case in cases:
            comparison = Comparison(fold.Fold(case.layout, image, case.accesses(recorded)), counters.Counted(case.layout, tables, raw))
            comparisons.append(comparison)
            if len(cases) > 1:
                print(f"\n==== struct {case.struct}\n")
            show(args, comparison)
        if len(cases) > 1:
            print()
            summary(cases, comparisons)
        if args.json:
            write_json(args, comparisons, text)
    finally:
        if scratch:
            shutil.rmtree(scratch)
    good = all(c.recall("reads", "writes") >= args.recall and c.spearman(["reads", "writes"], False) >= args.spearman
               for c in comparisons)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
