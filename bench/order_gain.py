#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does the replay agree with what the cost model says of orders?

    bench/order_gain.py --kernel OBJ [--struct rq]... [--orders 20] [--trial unseen]

A built kernel (x86-64, with event tracing) boots once in QEMU under `trace record` and runs the workloads of a trial (trials.py) one after
another; only objects of its structs are recorded. Then for each struct, from the kernel's source, alone or with the --reference:

  gain       what the cost model says that the proposed order saves, and the interval that the draws of the weights give
  lines      of the lines that visits touch, and in the replay of those that windows of 512 accesses of a CPU touch
  sharing    of the visits that find a line lost, and in the replay of the misses by sharing
  misses     what it saves of the misses in the replay, and whether the interval holds that
  rank       Spearman's correlation of cost and replay over random legal orders, half of them of a few moves, half shuffled; the line term
             of the cost against lines per window, the sharing term against sharing misses, all of it against misses of a 32 KiB cache

The random orders are those of `kst-dev rewrite --random-orders`: nothing of them comes from the cost model."""

import os
import subprocess
import sys
import tempfile

import kst_bench as kb
from trials import TRIALS


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--kernel", required=True, metavar="OBJ", help="output directory of a finished build")
    p.add_argument("--trial", choices=list(TRIALS), default="seen")
    p.add_argument("--struct", action="append", help="default: all of the trial")
    p.add_argument("--orders", type=int, default=20)
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("--trace", metavar="FILE", help="in place of booting: such a trace; or where to keep it")
    p.add_argument("--options", default="", metavar="WORDS", help="more options of the tool")
    return p.parse_args()


def random_orders(args, source, struct, paths, folder):
    """Files with a legal order each, half of the orders of a few moves."""
    out = os.path.join(folder, struct + ".json")
    subprocess.run([kb.dev_tool(args.tool), "rewrite", "--struct", struct, "-p", args.kernel, "--random-orders", str(args.orders), "--json", out,
                    *paths], cwd=source, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    orders = kb.read_json(out)
    reports = orders if isinstance(orders, list) else orders.get("structs", [orders])
    files = []
    for number, order in enumerate(o for o in reports[0]["orders"] if "configs" in o):
        files.append(os.path.join(folder, f"{struct}.{number}"))
        fields = sorted(order["configs"][0]["fields"], key=lambda f: f["offset_bits"])
        with open(files[-1], "w") as file:
            file.write("".join(f["name"] + "\n" for f in fields if f["name"]))
    return files


def sharing(order):
    return order["classes"]["true-sharing"] + order["classes"]["false-sharing"]


def percent(share):
    return f"{100 * share:.0f} %"


def saved(now, then):
    return 1 - then / now if now else 0.0


def judged(args, source, struct, paths, trace, folder):
    """A row of the table, from one run of the tool."""
    orders = [word for path in random_orders(args, source, struct, paths, folder) for word in ("--order", path)]
    r = kb.run_tool(args, source, args.kernel, paths, "--struct", struct, "--quiet", "--validate", trace, *args.options.split(), *orders)
    replay = {order["name"]: order for order in r["replay"]["orders"]}
    asked = [(order, replay[order["question"]]) for order in r["layouts"]["asked"] if order["question"] in replay]
    rank = [kb.spearman([price(o) for o, _ in asked], [count(found) for _, found in asked]) if len(asked) > 4 else None for price, count in (
        (lambda o: o["cost"]["lines"], lambda f: f["lines_per_window"]), (lambda o: o["cost"]["sharing"], sharing),
        (lambda o: o["total"], lambda f: f["misses"]))]
    now, then = replay["current"], replay.get("proposed")
    row = [struct, r["replay"]["subject_accesses"], r["verdict"]]
    if then:
        model, total, weights = r["layouts"], r["layouts"]["total"], r["stability"]
        parts = [saved(model["current"]["cost"][part], model["proposed"]["cost"][part]) for part in ("lines", "sharing")]
        gain, misses = saved(total["current"], total["proposed"]), saved(now["misses"], then["misses"])
        row += [percent(gain), f"{percent(weights['gain_low'])} to {percent(weights['gain_high'])}",
                f"{percent(parts[0])}, {percent(saved(now['lines_per_window'], then['lines_per_window']))}",
                f"{percent(parts[1])}, {percent(saved(sharing(now), sharing(then)))} of {sharing(now)}",
                f"{percent(misses)} of {now['misses']}", "yes" if weights["gain_low"] <= misses <= weights["gain_high"] else "no"]
    else:
        row += ["-"] * 6
    return row + [len(asked)] + ["-" if value is None else f"{value:.2f}" for value in rank]


def main():
    args = arguments()
    args.kernel = os.path.abspath(args.kernel)
    source = os.path.realpath(os.path.join(args.kernel, "source"))
    trial = TRIALS[args.trial]
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.abspath(args.trace or os.path.join(folder, "trace.kstt"))
        if not os.path.exists(trace):
            trial.record(args, trace)
        rows = []
        for struct in args.struct or trial.structs:
            try:
                rows.append(judged(args, source, struct, trial.structs[struct], trace, folder))
            except SystemExit as error:
                rows.append([struct, str(error)[:60]] + [""] * 10)
        kb.table(["struct", "accesses", "verdict", "gain", "interval", "lines", "sharing", "misses", "holds", "orders", "rank: lines", "sharing", "all"], rows,
                 left=(0, 2))


if __name__ == "__main__":
    main()
