#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a source-only answer loses: true frequencies of a run put in part by part, the rest from source.

    bench/ablation.py --kernel OBJ --trace FILE --counts FILE [--others FILE.zst] [--watched FILE] [--trial unseen] [--struct NAME]...
                      [--stage NAME]...

OBJ is a built kernel (x86-64, with event tracing). FILEs that are not there are recorded: the workloads of a trial (trials.py) run one
after another, once under `trace record` and once under `profile record`. Then for each struct and stage the order that the tool proposes:

  source     no measurement
  branches   runs of blocks per round of the loop around them
  trips      rounds of loops
  tables     which function a call through a table reaches
  entries    calls from outside of the analysed code
  runs       calls of functions, by whomever
  no runs    all but these
  all        what `profile record` counted
  profile    the same counts, given as --profile
  others     --others: a reference of other workloads (reference/make.py --without)
  watched    --watched: the windows of a trace, best one of other workloads, and nothing else

and of each, in the replay of the trace: misses of a 32 KiB cache, misses by sharing, lines per window of 512 accesses, all against the
present order; and Spearman's correlation of the fields' accesses with those in the trace. `kept`: the tool proposes nothing. --json has
the numbers, and what the cost model promised."""

import dataclasses
import json
import os
import shlex
import sys
import tempfile

import kst_bench as kb
from order_gain import saved, sharing
from trials import TRIALS

PARTS = {"branches": "branches", "trips": "trips", "tables": "tables", "entries": "entries", "runs": "runs",
         "no runs": "branches,trips,tables,entries"}
GIVEN = ["others", "watched"]
STAGES = ["source", *PARTS, "all", "profile", *GIVEN]


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--kernel", required=True, metavar="OBJ", help="output directory of a finished build", type=os.path.abspath)
    p.add_argument("--trace", required=True, metavar="FILE", type=os.path.abspath)
    p.add_argument("--counts", required=True, metavar="FILE", type=os.path.abspath)
    p.add_argument("--others", metavar="FILE", type=os.path.abspath)
    p.add_argument("--watched", metavar="FILE", type=os.path.abspath)
    p.add_argument("--trial", choices=list(TRIALS), default="seen")
    p.add_argument("--struct", action="append", help="default: all of the trial")
    p.add_argument("--stage", action="append", choices=STAGES, help="default: all that can be made")
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("--options", default="", metavar="WORDS", help="more options of the tool, where it proposes: '--cpus 64'")
    p.add_argument("--json", metavar="FILE")
    return p.parse_args()


def options(args, stage):
    """Those that put the run's numbers into a stage."""
    if stage == "source":
        return ["--reference", "none"]
    if stage == "others":
        return ["--reference", args.others]
    if stage == "watched":
        return ["--reference", "none", "--evidence", "dynamic", "--profile", args.watched]
    if stage == "profile":
        return ["--reference", "none", "--profile", args.counts]
    return ["--reference", args.counts] + (["--reference-parts", PARTS[stage]] if stage in PARTS else [])


def accesses(report):
    return {field["name"]: field["reads"] + field["writes"] for field in report["fields"] if field["name"]}


def promise(report):
    """What the tool says of its order."""
    total, draws = report["layouts"]["total"], report["stability"]
    return {"verdict": report["verdict"], "gain": saved(total["current"], total["proposed"]), "low": draws["gain_low"], "high": draws["gain_high"]}


def judged(args, source, struct, paths, folder):
    """One dictionary for each stage."""

    def ask(*words):
        return kb.run_tool(args, source, args.kernel, paths, "--struct", struct, "--quiet", *words)

    reports, files = {}, {}
    for stage in args.stage:
        report = reports[stage] = ask(*options(args, stage), *shlex.split(args.options))
        if report["verdict"] == "reorder":
            files[stage] = os.path.join(folder, f"{struct}.{stage}".replace(" ", "-"))
            with open(files[stage], "w") as file:
                file.write("".join(field + "\n" for field in report["layouts"]["proposed"]["order"] if field))
    true = accesses(ask("--reference", "none", "--evidence", "dynamic", "--profile", args.trace))
    replay = ask("--reference", "none", "--validate", args.trace, "--cache", "l1=32K/8", *(word for path in files.values() for word in ("--order", path)))
    orders = replay["replay"]["orders"]
    now = next(order for order in orders if order["name"] == "current")
    rows = []
    for stage, report in reports.items():
        estimated = accesses(report)
        both = sorted(estimated.keys() & true.keys())
        row = {"struct": struct, "stage": stage, "rank": kb.spearman([estimated[f] for f in both], [true[f] for f in both]), "misses": now["misses"],
               "sharing": sharing(now), **promise(report)}
        if stage in files:
            then = next(order for order in orders if files[stage] in (order.get("question") or order["name"]))
            row["saved"] = {"misses": saved(now["misses"], then["misses"]), "sharing": saved(sharing(now), sharing(then)),
                            "lines": saved(now["lines_per_window"], then["lines_per_window"])}
        rows.append(row)
    return rows


def cells(row):
    if "saved" not in row:
        return [row["struct"], row["stage"], "kept", "", "", f"{row['rank']:.2f}"]
    change = {key: f"{-100 * share:+.0f} %" for key, share in row["saved"].items()}
    return [row["struct"], row["stage"], f"{change['misses']} of {row['misses']}", change["sharing"], change["lines"], f"{row['rank']:.2f}"]


def means(rows):
    """A row for each stage: the mean change of what the tool proposes over the structs, a kept order being no change, and the sum of misses."""
    table = []
    for stage in dict.fromkeys(row["stage"] for row in rows):
        of = [row for row in rows if row["stage"] == stage]
        saves = [{key: row.get("saved", {}).get(key, 0.0) for key in ("misses", "sharing", "lines")} for row in of]
        mean = {key: -100 * sum(save[key] for save in saves) / len(of) for key in ("misses", "sharing", "lines")}
        fewer = sum(row["misses"] * save["misses"] for row, save in zip(of, saves))
        table.append([f"mean of {len(of)}", stage, f"{mean['misses']:+.1f} %, {-fewer:+.0f}", f"{mean['sharing']:+.0f} %", f"{mean['lines']:+.0f} %",
                      f"{sum(row['rank'] for row in of) / len(of):.2f}"])
    return table


def main():
    args = arguments()
    trial = TRIALS[args.trial]
    if args.struct:  # a kernel of another configuration may lack the others
        trial = dataclasses.replace(trial, structs={name: trial.structs[name] for name in args.struct})
    args.stage = args.stage or [stage for stage in STAGES if stage not in GIVEN or vars(args)[stage]]
    source = os.path.realpath(os.path.join(args.kernel, "source"))
    if not os.path.exists(args.trace):
        trial.record(args, args.trace)
    if not os.path.exists(args.counts):
        trial.count(args, args.counts)
    rows, table = [], []
    with tempfile.TemporaryDirectory() as folder:
        for struct, paths in trial.structs.items():
            try:
                new = judged(args, source, struct, paths, folder)
                rows += new
                table += [cells(row) for row in new]
            except SystemExit as error:
                table.append([struct, str(error)[:60], "", "", "", ""])
            print(f"{struct}: done", file=sys.stderr, flush=True)
            if args.json:
                with open(args.json, "w") as file:
                    json.dump(rows, file, indent=1)
    kb.table(["struct", "from the run", "misses", "sharing", "lines", "rank"], table + means(rows), left=(0, 1))


if __name__ == "__main__":
    main()
