#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Trained on one workload, tested on another: what each kind of evidence is worth.

  generalise.py --profiles DIR --struct S[:PATH...][,S...] --source DIR --build DIR [PATH...]

DIR holds one profile for each workload, NAME.kstp, all of the same kernel. A struct is analysed in its own PATHs, if it has any
(sock:net/core:net/ipv4), else in those of the command line. For each struct, each ordered pair of workloads
(A, B) and each way to choose an order:

  static     source alone
  reference  with --reference: of workloads that are none of these (reference/make.py --without)
  A only     the counts of A in the visits that the source shows, code that A did not reach left out
  counters   the counters of A without any source: sets are pieces of code that ran as a whole (bench/region_sets.py)
  hybrid(A)  both, as --profile merges them
  hotness    fields of A by hotness
  greedy     pairwise greedy over A's affinity (hybrid/layout/Baselines.h, gain-loss)
  current    the declared order
  oracle     B itself

the order is priced under the co-access sets measured in B. What counts for those that the tool proposes is what a user would get: the
proposed order if the verdict is reorder, else the current one. Prices come from bench/verify_layout.py, which shares no code
with the tool. Regret is (cost - cost of the oracle) / cost of the oracle; the oracle is the cheapest order that anybody found
under B. Printed: mean and worst regret, how often each way is cheapest (ties count for all), how often it is worse than
the current order, and the regret by struct; --pairs prints every pair."""

import json
import os
import statistics
import subprocess
import sys
import tempfile

import kst_bench as kb
import region_sets
import verify_layout

WAYS = ["static", "reference", "A only", "hybrid(A)", "counters", "hotness", "greedy", "current", "oracle"]
SAME = 1e-9


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("paths", nargs="*", metavar="PATH", help="as for kstatic-affinity")
    p.add_argument("--profiles", required=True, metavar="DIR")
    p.add_argument("--struct", required=True, help="names, separated by commas; each with paths of its own or without")
    p.add_argument("--source", required=True, metavar="DIR", help="the kernel's source tree")
    p.add_argument("--build", required=True, metavar="DIR", help="its build directory")
    p.add_argument("--pairs", action="store_true", help="print every pair")
    p.add_argument("--json", metavar="FILE", help="everything, for other programs")
    return p.parse_args()


def located(args, word):
    """(name, paths) of one word of --struct."""
    name, *paths = word.split(":")
    if not paths and not args.paths:
        sys.exit(f"{name}: no PATH to analyse it in")
    return name, paths or args.paths


def analyse(args, struct, options, scratch):
    """(report, instance) of one struct, or (None, None) where the tool has no result."""
    struct, paths = located(args, struct)
    instance, report = os.path.join(scratch, "instance.jsonl"), os.path.join(scratch, "report.json")
    for file in (instance, report):
        if os.path.exists(file):
            os.remove(file)
    for command in [args.tool, "--json", report], [kb.dev_tool(args.tool), "instances", "-o", instance]:
        command += ["-p", args.build, "--struct", struct, "--quiet", *(() if "--reference" in options else ("--reference", "none")), *options, *paths]
        done = subprocess.run(command, cwd=args.source, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode not in (0, 3):
            sys.exit(f"exit status {done.returncode} of {' '.join(command)}\n{done.stderr}")
    return kb.read_json(report), verify_layout.read_instances(instance)[0]


def advised(report, instance):
    """The order that the report's reader would take, as field numbers."""
    names = [f["name"] for f in report["fields"]]
    if report["verdict"] != "reorder":
        return list(range(len(instance["record"]["fields"])))
    # Two members without a name may be called alike: take them in declaration order.
    places = {}
    for number, name in enumerate(names):
        places.setdefault(name, []).append(number)
    return [places[name].pop(0) for name in report["layouts"]["proposed"]["order"]]


def solve(args, instance, scratch):
    """{way: order} of `kst-dev solve` under one instance: "best" and the baselines."""
    path = os.path.join(scratch, "one.json")
    with open(path, "w") as file:
        json.dump(instance, file)
    solver = kb.dev_tool(args.tool)
    done = subprocess.run([solver, "solve", path], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"exit status {done.returncode} of {solver} {path}")
    answer = json.loads(done.stdout)
    return {"best": answer["order"], **{b["name"]: b["order"] for b in answer["baselines"]}}


def measured(args, struct, path, scratch):
    """(report, instance, {way: order}) of what one profile measured, without any estimate."""
    report, instance = analyse(args, struct, ["--profile", path, "--evidence", "dynamic"], scratch)
    orders = solve(args, instance, scratch) if instance["sets"] else {}
    sets = region_sets.region_sets(path, instance)
    if sets:
        orders["counters"] = solve(args, {**instance, "sets": sets}, scratch)["best"]
    return report, instance, orders


def study(args, struct, workloads, scratch, trained=None, memo=None):
    """[{struct, A, B, cost of each way}] over the pairs of workloads with evidence on the struct. Orders come from the
    profiles in trained, if given, and are priced under those in workloads; both map names to files. memo: a dictionary that
    keeps what does not depend on trained for the next call."""
    memo = {} if memo is None else memo
    if struct not in memo:
        memo[struct] = analyse(args, struct, [], scratch)
        memo["reference", struct] = analyse(args, struct, ["--reference", args.reference], scratch)
    static, _ = memo[struct]
    reference, _ = memo["reference", struct]
    orders, tests = {}, {}
    for name, path in workloads.items():
        if (struct, name) not in memo:
            memo[struct, name] = measured(args, struct, path, scratch)
        alone, instance, solved = memo[struct, name]
        if instance["sets"]:
            tests[name] = (verify_layout.Model(instance), solved["best"])
        if trained:
            path = trained[name]
            alone, instance, solved = measured(args, struct, path, scratch)
        hybrid, _ = analyse(args, struct, ["--profile", path], scratch)
        current = list(range(len(instance["record"]["fields"])))
        orders[name] = {"static": advised(static, instance), "reference": advised(reference, instance), "A only": advised(alone, instance),
                        "hybrid(A)": advised(hybrid, instance), "counters": solved.get("counters", current),
                        "hotness": solved.get("by hotness", current),
                        "greedy": solved.get("gain-loss", current), "current": current}
    rows = []
    for b, (model, best) in tests.items():
        prices = {}

        def price(order):
            key = tuple(order)
            if key not in prices:
                prices[key] = model.price(order)[0]["total"]
            return prices[key]
        every = [price(best)] + [price(order) for way in orders.values() for order in way.values()]
        for a in orders:
            if a != b:
                cost = {way: price(order) for way, order in orders[a].items()}
                rows.append({"struct": struct.split(":")[0], "A": a, "B": b, "cost": {**cost, "oracle": min(every)}})
    if not tests:
        print(f"struct {struct}: no workload has evidence about it", file=sys.stderr)
    return rows


def regret(row, way):
    best = row["cost"]["oracle"]
    return (row["cost"][way] - best) / best if best else 0.0


def summary(rows):
    out = []
    for way in WAYS:
        all_regrets = [regret(row, way) for row in rows]
        wins = sum(row["cost"][way] <= min(row["cost"][w] for w in WAYS if w != "oracle") * (1 + SAME) for row in rows)
        worse = sum(row["cost"][way] > row["cost"]["current"] * (1 + SAME) for row in rows)
        out.append([way, f"{100 * statistics.mean(all_regrets):.2f} %", f"{100 * statistics.median(all_regrets):.2f} %",
                    f"{100 * max(all_regrets):.2f} %", wins, worse])
    return out


def show(rows, args):
    kb.table(["way", "regret: mean", "median", "worst", "cheapest", "worse than current"], summary(rows))
    by_struct = []
    for struct in dict.fromkeys(row["struct"] for row in rows):
        these = [row for row in rows if row["struct"] == struct]
        by_struct.append([struct, len(these), *(f"{100 * statistics.mean(regret(r, way) for r in these):.2f}" for way in WAYS[:-1])])
    print()
    kb.table(["mean regret, %", "pairs", *WAYS[:-1]], by_struct)
    if args.pairs:
        print()
        kb.table(["struct", "A", "B", *WAYS[:-1]],
                 [[r["struct"], r["A"], r["B"], *(f"{100 * regret(r, way):.2f}" for way in WAYS[:-1])] for r in rows], (0, 1, 2))


def claims(rows):
    mean = {way: statistics.mean(regret(row, way) for row in rows) for way in WAYS}
    worse = [row for row in rows if row["cost"]["hybrid(A)"] > row["cost"]["current"] * (1 + SAME)]

    def ratio(way):
        return f"{mean['hybrid(A)'] / mean[way]:.2f}" if mean[way] else "no regret to compare with"
    return [(mean["hybrid(A)"] <= 0.5 * mean["static"], f"hybrid's mean regret at most half of static's: {ratio('static')}"),
            (mean["hybrid(A)"] <= 0.8 * mean["A only"], f"hybrid's mean regret at most 0.8 of A only's: {ratio('A only')}"),
            (mean["hybrid(A)"] <= 0.8 * mean["counters"], f"at most 0.8 of that of A's counters without source: {ratio('counters')}"),
            (not worse, f"hybrid never worse than the current order: {len(worse)} of {len(rows)}")]


def main():
    args = arguments()
    args.source, args.build = os.path.abspath(args.source), os.path.abspath(args.build)
    directory = os.path.abspath(args.profiles)
    workloads = {name[:-5]: os.path.join(directory, name) for name in sorted(os.listdir(directory)) if name.endswith(".kstp")}
    if len(workloads) < 2:
        sys.exit(f"{directory}: needs two profiles NAME.kstp or more")
    with tempfile.TemporaryDirectory() as scratch:
        rows = [row for struct in args.struct.split(",") for row in study(args, struct, workloads, scratch)]
    if not rows:
        sys.exit("no pair of workloads to compare")
    print(f"{len(rows)} pairs of {len(workloads)} workloads\n")
    show(rows, args)
    print()
    reached = True
    for true, text in claims(rows):
        print(("yes  " if true else "NO   ") + text)
        reached &= true
    if args.json:
        with open(args.json, "w") as file:
            json.dump(rows, file, indent=1)
    sys.exit(0 if reached else 1)


if __name__ == "__main__":
    main()
