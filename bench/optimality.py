#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How good the layout stage's orders are, on the published instance set: runs
`kst-dev solve` on every problem (one process, one core), checks every answer with
verify_layout.py, solves what is small enough by independent means
(exact_layout.py), and prints three tables and claims. The exit status is 1 if one
of the claims is not true.

The first table has the families of problems (make_instances.py and
extract_instances.py describe them). gap: (cost - lower bound) / lower bound, as
certified by the tool; proven: the gap is 0 up to rounding; CPU s: from the instance
to order and bound. Families with "unaligned" in their name and "tiny" are not part of the
claims about gap and time. The second has what other methods (hybrid/layout/Baselines.h)
cost more than ours. The third has the independent solvers: enumeration prices every
legal order of problems of at most 8 bricks; CBC solves a set-partitioning model of problems
with at most 20 touched fields. Its optimum is a lower bound that does not know fences,
holes of alignment and untouched fields: equal cost proves both, a model below our cost
says nothing, a model above it would be a contradiction.

Needs kst-dev and, unless --no-solver is given, CBC (Debian: coinor-cbc)."""

import argparse
import collections
import hashlib
import json
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import exact_layout
import kst_bench
import make_instances
import verify_layout

APART = ("kernel-unaligned", "unaligned", "tiny")
MOST_ACTIVE_FOR_SOLVER, MOST_UNITS_TO_ENUMERATE = 20, 8
EQUAL = 1e-6  # CBC's own tolerances are of this size


def instance_set():
    """The published problems, in order; the generated ones must be those
    whose hash is published."""
    here = os.path.join(kst_bench.ROOT, "bench", "instances")
    found = verify_layout.read_instances(os.path.join(here, "kernel.jsonl.xz"))
    lines = [make_instances.line_of(made) for made in make_instances.generate()]
    with open(os.path.join(here, "generated.sha256")) as file:
        published = file.read().split()[0]
    if hashlib.sha256("".join(lines).encode()).hexdigest() != published:
        sys.exit("make_instances.py does not generate the published problems (bench/instances/generated.sha256)")
    return found + [json.loads(line) for line in lines]


def solve(tool, instances):
    """Answers of one `kst-dev solve` process that is kept on one core."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as problems:
        problems.writelines(make_instances.line_of(instance) for instance in instances)
        problems.flush()
        command = [tool, "solve", problems.name]
        if shutil.which("taskset"):
            command = ["taskset", "-c", str(max(os.sched_getaffinity(0)))] + command
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        except OSError as error:
            sys.exit(f"cannot run {tool}: {error.strerror}; cmake --build --preset release builds it")
    answers = {a["name"]: a for a in map(json.loads, done.stdout.splitlines())}
    missing = [i["name"] for i in instances if i["name"] not in answers]
    if done.returncode or missing:
        sys.exit(f"kst-dev solve: exit status {done.returncode}, no answer to {missing[:5]}")
    return answers


def active(instance):
    return len({t[0] for s in instance["sets"] for t in s["touches"] if t[1] > 0})


def family(instance):
    return instance["origin"]["family"]


def examine(job):
    """(name, what is wrong, what an independent solver says or None)."""
    instance, answer, solver = job
    wrong, independent = verify_layout.check(instance, answer), None
    if solver:
        if len(verify_layout.Rules(instance).units) <= MOST_UNITS_TO_ENUMERATE:
            found = exact_layout.enumerate_orders(instance)
            independent = found and ("enumeration", found[0])
        elif active(instance) <= MOST_ACTIVE_FOR_SOLVER:
            found = exact_layout.partition_bound(instance)
            independent = found and ("CBC", found[0])
    return instance["name"], wrong, independent


def percent(share, digits=2):
    return f"{100 * share:.{digits}f} %"


def middle(values):
    return statistics.median(values) if values else 0.0


class Result:
    """An instance with all that was found out about it."""

    def __init__(self, instance, answer, wrong, independent):
        self.instance, self.answer, self.wrong = instance, answer, wrong
        self.name, self.family, self.active = instance["name"], family(instance), active(instance)
        self.cost, self.gap = answer["cost"]["total"], answer["gap"] if answer["gap"] is not None else float("inf")
        self.method, self.optimum = independent or (None, None)

    @property
    def small(self):
        return self.active <= 20

    @property
    def contradicts(self):
        """The solver's bound is above our cost, or an exact optimum below."""
        if self.optimum is None:
            return False
        if self.method == "enumeration" and not self.equal:
            return self.answer["proven"] or self.answer["lower_bound"] > self.optimum * (1 + EQUAL)
        return self.optimum > self.cost * (1 + EQUAL)

    @property
    def equal(self):
        return self.optimum is not None and abs(self.optimum - self.cost) <= EQUAL * max(self.cost, 1e-300)

    def excess(self, baseline):
        """What the baseline costs more, as a share of our cost."""
        return (baseline["cost"]["total"] - self.cost) / self.cost if self.cost else 0.0


def family_table(results):
    header = ["family", "problems", "fields", "touched", "sets", "gap: median", "worst", "proven",
              "at most 20 touched", "of these proven", "CPU s: median", "worst"]
    rows = []
    groups = collections.OrderedDict()
    for r in results:
        groups.setdefault(r.family, []).append(r)
    main = [r for r in results if r.family not in APART]
    for name, group in [*((n, g) for n, g in groups.items() if n not in APART), *([("**all of these**", main)] if main else []),
                        *((n, g) for n, g in groups.items() if n in APART)]:
        def span(values):
            return f"{min(values)}-{max(values)}"
        small = [r for r in group if r.small]
        rows.append([name, len(group), span([len(r.instance["record"]["fields"]) for r in group]),
                     span([r.active for r in group]), span([len(r.instance["sets"]) for r in group]),
                     percent(middle([r.gap for r in group])), percent(max(r.gap for r in group)),
                     percent(sum(r.answer["proven"] for r in group) / len(group), 0), len(small),
                     sum(r.answer["proven"] for r in small),
                     f"{middle([r.answer['cpu_seconds'] for r in group]):.2f}",
                     f"{max(r.answer['cpu_seconds'] for r in group):.2f}"])
    return header, rows


def baseline_table(results):
    header = ["order", "costs more: median", "mean", "largest", "least", "as good as ours"]
    rows = []
    for position, first in enumerate(results[0].answer["baselines"]):
        excess = [r.excess(r.answer["baselines"][position]) for r in results]
        rows.append([first["name"], percent(middle(excess), 1), percent(statistics.mean(excess), 1), percent(max(excess), 1),
                     percent(min(excess), 1), sum(e <= EQUAL for e in excess)])
    return header, rows


def solver_table(results):
    header = ["method", "problems", "same cost", "model below our cost", "contradictions"]
    rows = []
    for method in ("CBC", "enumeration"):
        group = [r for r in results if r.method == method]
        rows.append([method, len(group), sum(r.equal for r in group), sum(not r.equal and not r.contradicts for r in group),
                     sum(r.contradicts for r in group)])
    return header, rows


def claims(results, solver):
    """(sentence, true?) of everything that the document claims."""
    main = [r for r in results if r.family not in APART] or results
    gaps, small = [r.gap for r in main], [r for r in main if r.small]
    slowest = max(r.answer["cpu_seconds"] for r in main)
    worst = max((r.excess(b) for r in results for b in [r.answer["current"]] + r.answer["baselines"]), key=lambda e: -e)
    found = [
        (f"At least 200 problems of 20 to 300 fields: {len(main)}, not counting those listed apart.",
         len(main) >= 200 and all(20 <= len(r.instance["record"]["fields"]) <= 300 for r in main)),
        ("Every answer passes the verifier: orders legal, sizes and costs as the formulas give them: "
         f"{sum(not r.wrong for r in results)} of {len(results)}.", not any(r.wrong for r in results)),
        (f"The certified gap is at most 1 % in the median: {percent(middle(gaps))}.", middle(gaps) <= 0.01),
        (f"It is at most 5 % in the worst case: {percent(max(gaps))}.", max(gaps) <= 0.05),
        (f"None takes more than 1 s of one core: the slowest {slowest:.2f} s.", slowest <= 1.0),
        ("Where at most 20 fields are touched, the order is proven to be the best: "
         f"{sum(r.answer['proven'] for r in small)} of {len(small)}.", all(r.answer["proven"] for r in small)),
        (f"Never worse than the current order or any baseline: the smallest difference is {percent(worst)} of the cost.",
         worst >= -verify_layout.TOLERANCE),
    ]
    if solver:
        checked = [r for r in results if r.optimum is not None]
        found.append((f"No independent solver contradicts: of {len(checked)} problems, {sum(r.equal for r in checked)} "
                      "with the same optimum.", not any(r.contradicts for r in checked)))
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tool", type=os.path.abspath, default=os.path.join(kst_bench.ROOT, "build", "release", "bin", "kst-dev"),
                   help="the kst-dev to measure (default: the release build)")
    p.add_argument("--only", metavar="FAMILY", action="append", help="only this family")
    p.add_argument("--no-solver", action="store_true", help="do not run independent solvers")
    args = p.parse_args()
    if not args.no_solver and not shutil.which("cbc"):
        sys.exit("no cbc: install Debian's coinor-cbc, or leave it out with --no-solver")
    instances = [i for i in instance_set() if not args.only or family(i) in args.only]
    answers = solve(args.tool, instances)
    jobs = [(i, answers[i["name"]], not args.no_solver) for i in instances]
    with multiprocessing.Pool() as pool:
        examined = {name: rest for name, *rest in pool.imap_unordered(examine, jobs)}
    results = [Result(i, answers[i["name"]], *examined[i["name"]]) for i in instances]

    for r in results:
        for problem in r.wrong + (["contradicts " + r.method + f": {r.optimum!r}"] if r.contradicts else []):
            print(f"{r.name}: {problem}")
    tables = [family_table(results), baseline_table(results)] + ([] if args.no_solver else [solver_table(results)])
    for header, rows in tables:
        kst_bench.table(header, rows)
        print()
    stated = claims(results, not args.no_solver)
    for sentence, true in stated:
        print(("yes  " if true else "NO   ") + sentence)
    sys.exit(0 if all(true for _, true in stated) else 1)


if __name__ == "__main__":
    main()
