#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a source-only answer loses: true frequencies of a run put in part by part, the rest from source.

    bench/ablation.py --kernel OBJ --trace FILE --counts FILE [--others FILE.zst] [--struct NAME]...

OBJ is a built kernel (x86-64, with event tracing). FILEs that are not there are recorded: the workloads of order_gain.py run one after
another, once under `trace record` and once under `profile record`. Then for each struct and part the order that the tool proposes:

  source     no measurement
  branches   runs of blocks per round of the loop around them
  trips      rounds of loops
  tables     which function a call through a table reaches
  entries    calls from outside of the analysed code
  runs       calls of functions, by whomever
  no runs    all but these
  all        what `profile record` counted
  others     --others: a reference of other workloads (reference/make.py --without)

and of each, in the replay of the trace: misses of a 32 KiB cache, misses by sharing, lines per window of 512 accesses, all against the
present order; and Spearman's correlation of the fields' accesses with those in the trace. `kept`: the tool proposes nothing."""

import os
import subprocess
import sys
import tempfile

import kst_bench as kb
import order_gain
from order_gain import STRUCTS, saved, sharing

PARTS = {"branches": "branches", "trips": "trips", "tables": "tables", "entries": "entries", "runs": "runs",
         "no runs": "branches,trips,tables,entries"}


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--kernel", required=True, metavar="OBJ", help="output directory of a finished build")
    p.add_argument("--trace", required=True, metavar="FILE")
    p.add_argument("--counts", required=True, metavar="FILE")
    p.add_argument("--others", metavar="FILE", type=os.path.abspath)
    p.add_argument("--struct", action="append", choices=list(STRUCTS), help="default: all")
    p.add_argument("--cpus", type=int, default=2)
    return p.parse_args()


def count(args):
    with tempfile.TemporaryDirectory() as scratch:
        initrd = os.path.join(scratch, "initrd")
        order_gain.guest(initrd)
        done = subprocess.run([args.tool, "profile", "record", "--kernel", args.kernel, "--initrd", initrd, "--append", "rdinit=/init quiet", "--cpus",
                               str(args.cpus), "--timeout", "1800", "--quiet", "-o", args.counts])
        if done.returncode:
            sys.exit("profile record failed")


def stages(args):
    """Options by the name of the stage."""
    found = {"source": ("--reference", "none")}
    found.update({name: ("--reference", args.counts, "--reference-parts", parts) for name, parts in PARTS.items()})
    found["all"] = ("--reference", args.counts)
    if args.others:
        found["others"] = ("--reference", args.others)
    return found


def accesses(report):
    return {field["name"]: field["reads"] + field["writes"] for field in report["fields"] if field["name"]}


def judged(args, source, struct, folder):
    """Rows of the table, one for each stage."""
    reports, orders = {}, []
    for name, options in stages(args).items():
        report = reports[name] = kb.run_tool(args, source, args.kernel, STRUCTS[struct], "--struct", struct, "--quiet", *options)
        if report["verdict"] == "keep":
            continue
        path = os.path.join(folder, f"{struct}.{name}".replace(" ", "-"))
        with open(path, "w") as file:
            file.write("".join(field + "\n" for field in report["layouts"]["proposed"]["order"] if field))
        orders += ["--order", path]
    truth = kb.run_tool(args, source, args.kernel, STRUCTS[struct], "--struct", struct, "--quiet", "--reference", "none", "--evidence", "dynamic",
                        "--profile", args.trace)
    replay = kb.run_tool(args, source, args.kernel, STRUCTS[struct], "--struct", struct, "--quiet", "--reference", "none", "--validate", args.trace,
                         "--cache", "l1=32K/8", *orders)["replay"]["orders"]
    found = {order["question"]: order for order in replay if "question" in order} | {order["name"]: order for order in replay}
    now, true = found["current"], accesses(truth)
    rows = []
    for name, report in reports.items():
        estimated = accesses(report)
        both = sorted(estimated.keys() & true.keys())
        rank = f"{kb.spearman([estimated[f] for f in both], [true[f] for f in both]):.2f}"
        path = os.path.join(folder, f"{struct}.{name}".replace(" ", "-"))
        then = next((found[key] for key in found if key and path in key), None)
        if then is None:
            rows.append([struct, name, "kept", "", "", rank])
            continue
        change = [-100 * saved(now[key], then[key]) for key in ("misses", "lines_per_window")]
        shared = -100 * saved(sharing(now), sharing(then))
        rows.append([struct, name, f"{change[0]:+.0f} % of {now['misses']}", f"{shared:+.0f} %", f"{change[1]:+.0f} %", rank])
    return rows


def main():
    args = arguments()
    args.kernel, args.trace, args.counts = (os.path.abspath(path) for path in (args.kernel, args.trace, args.counts))
    source = os.path.realpath(os.path.join(args.kernel, "source"))
    if not os.path.exists(args.trace):
        order_gain.record(args, list(STRUCTS), args.trace)
    if not os.path.exists(args.counts):
        count(args)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for struct in args.struct or list(STRUCTS):
            try:
                rows += judged(args, source, struct, folder)
            except SystemExit as error:
                rows.append([struct, str(error)[:60], "", "", "", ""])
            print(f"{struct}: done", file=sys.stderr, flush=True)
    kb.table(["struct", "from the run", "misses", "sharing", "lines", "rank"], rows, left=(0, 1))


if __name__ == "__main__":
    main()
