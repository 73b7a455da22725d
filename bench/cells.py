#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the reference knows of code and of workloads that no recording ran: Spearman's correlation of the accesses to a struct's fields, as the
tool says them, with those in a trace.

    bench/cells.py --kernel OBJ --trial seen=TRACE,HELD.zst --trial unseen=TRACE,HELD.zst [--struct NAME]...

TRACE has the accesses of a trial's workloads (bench/ablation.py records it); HELD.zst is a reference without these workloads
(reference/make.py --without). Four cells: the workloads are among the recordings or not, the code is or not. Code is left out by directory, in
eight folds: of a struct, those of its paths. `often` counts only fields with more than 100 accesses in the trace, and structs with four of them. Printed:
both by struct, their mean, the worst, how many are below 0.5, and for each cell the mean of its difference to the source alone, with an interval
that holds 95 % of the means of structs drawn again with repetition (10,000 draws, seed 1)."""

import os
import random
import statistics
import subprocess
import sys
import tempfile

import kst_bench as kb
from ablation import accesses
from trials import TRIALS

SHIPPED = os.path.join(kb.ROOT, "hybrid", "evidence", "linux.reference.zst")
FOLDS = ["kernel/sched", "kernel/time", "kernel", "mm", "fs", "net", "block drivers", ""]
CELLS = ["source", "code and runs new", "code new", "runs new", "none new"]
OFTEN, FEWEST, DRAWS = 100, 4, 10_000


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--kernel", required=True, metavar="OBJ", type=os.path.abspath)
    p.add_argument("--trial", required=True, action="append", metavar="NAME=TRACE,HELD")
    p.add_argument("--struct", action="append", help="default: all of the trials")
    args = p.parse_args()
    args.trials = {}
    for word in args.trial:
        name, _, files = word.partition("=")
        if name not in TRIALS or files.count(",") != 1:
            p.error(f"--trial {word}: wants one of {', '.join(TRIALS)}, a trace and a reference")
        args.trials[name] = [os.path.abspath(path) for path in files.split(",")]
    return args


def fold_of(path):
    """
    >>> [fold_of(path) for path in ("kernel/sched/core.c", "kernel/fork.c", "drivers/tty", "lib/rbtree.c", "mm")]
    ['kernel/sched', 'kernel', 'block drivers', '', 'mm']
    """
    return next(fold for fold in FOLDS if not fold or any(path == folder or path.startswith(folder + "/") for folder in fold.split()))


def without(text, folds):
    """A reference without the files of some folds.

    >>> without("kstatic-affinity reference 3\\nruns 1\\n@fs/a.c\\nf 3\\n+1 3\\n@mm/b.c\\ng 4\\n", {"fs"})
    'kstatic-affinity reference 3\\nruns 1\\n@mm/b.c\\ng 4\\n'
    """
    keep, lines = True, []
    for line in text.splitlines(keepends=True):
        if line.startswith("@"):
            keep = fold_of(line[1:].strip()) not in folds
        if keep:
            lines.append(line)
    return "".join(lines)


def cut(reference, folds, folder):
    """The file of a reference without some folds, made once."""
    name = os.path.join(folder, f"{abs(hash((reference, tuple(sorted(folds)))))}.zst")
    if not os.path.exists(name):
        text = subprocess.run(["zstd", "-dc", reference], stdout=subprocess.PIPE, text=True, check=True).stdout
        subprocess.run(["zstd", "-q", "-o", name], input=without(text, folds), text=True, check=True)
    return name


def ranks(args, trial, struct, folder):
    """{cell: (rank of all fields, of those that are accessed often or None)}."""
    trace, held = args.trials[trial]
    paths = TRIALS[trial].structs[struct]
    folds = {fold_of(path) for path in paths}
    source = os.path.realpath(os.path.join(args.kernel, "source"))
    references = {"source": "none", "code and runs new": cut(held, folds, folder), "code new": cut(SHIPPED, folds, folder), "runs new": held,
                  "none new": SHIPPED}

    def ask(*words):
        return accesses(kb.run_tool(args, source, args.kernel, paths, "--struct", struct, "--quiet", *words))

    true = ask("--reference", "none", "--evidence", "dynamic", "--profile", trace)
    found = {}
    for cell, reference in references.items():
        said = ask("--reference", reference)
        fields = sorted(said.keys() & true.keys())
        often = [field for field in fields if true[field] > OFTEN]
        found[cell] = [kb.spearman([said[f] for f in of], [true[f] for f in of]) if len(of) >= FEWEST else None for of in (fields, often)]
    return found


def interval(differences):
    """(lowest, highest) of the middle 95 % of the means of what is drawn again.

    >>> interval([1.0, 1.0, 1.0])
    (1.0, 1.0)
    """
    draw = random.Random(1)
    means = sorted(statistics.fmean(draw.choices(differences, k=len(differences))) for _ in range(DRAWS))
    return means[DRAWS // 40], means[-DRAWS // 40]


def summary(found, which):
    """Rows of one kind of rank: mean, worst, number below 0.5, difference to the source alone."""
    rows = []
    for cell in CELLS:
        pairs = [(of[cell][which], of["source"][which]) for of in found.values() if of[cell][which] is not None]
        if pairs:
            low, high = interval([rank - source for rank, source in pairs])
            values = [rank for rank, _ in pairs]
            rows.append([cell, "often" if which else "all", len(values), f"{statistics.fmean(values):.2f}", f"{min(values):.2f}", sum(v < 0.5 for v in values),
                         f"{statistics.fmean(a - b for a, b in pairs):+.2f}", f"{low:+.2f} to {high:+.2f}"])
    return rows


def main():
    args = arguments()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for trial in args.trials:
            for struct in TRIALS[trial].structs:
                if args.struct and struct not in args.struct:
                    continue
                try:
                    found[struct] = ranks(args, trial, struct, folder)
                except SystemExit as error:
                    print(f"{struct}: left out: {str(error)[:80]}", file=sys.stderr)
    text = [[struct, *("-" if rank is None else f"{rank:.2f}" for cell in CELLS for rank in of[cell])] for struct, of in found.items()]
    kb.table(["struct", *(word for cell in CELLS for word in (cell, "often"))], text)
    print()
    kb.table(["cell", "fields", "structs", "mean", "worst", "below 0.5", "to source", "interval"], summary(found, 0) + summary(found, 1), left=(0, 1))


if __name__ == "__main__":
    main()
