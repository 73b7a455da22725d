#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The ranks of a survey against the misses that its orders save on recorded accesses.

    bench/survey.py --source LINUX --build OBJ --trace SEEN.kstt=rq,file,... --trace UNSEEN.kstt=... PATH...

Runs `survey` on the paths, with the reference that ships, then `--struct ... --validate TRACE` on the same paths for the structs that a trace
holds: the first ten of the survey among them, and ten others by chance. --keep DIR keeps what both write and takes it from there if it is there.

  saves     what the proposed order saves, in thousandths of what all structs cost, by the survey
  own       the same as a share of the struct's own cost
  misses    of the struct in the replay, with the present order
  saved     misses that the proposed order saves there; below 0: it adds some
  rho       Spearman's rank correlation: of `saves` and `saved`, each divided by all accesses of the trace, over all structs; of `own` and
            the saved share of the misses; and, as a control, of the present cost and `saved`: does the search add anything to the traffic
  same      structs whose row and report have the same present cost and the same cost of the proposed order"""

import os
import random
import resource
import subprocess
import sys
import time

import kst_bench as kb

FIRST, OTHERS = 10, 10


def chosen(rows, held, seed=1):
    """Names of the first rows that a trace holds, and of others by chance.

    >>> first, others = chosen([f"s{i}" for i in range(30)], {f"s{i}" for i in range(0, 30, 2)})
    >>> first[:3], len(first), len(others), set(first) & set(others)
    (['s0', 's2', 's4'], 10, 5, set())
    """
    there = [name for name in rows if name in held]
    first, rest = there[:FIRST], there[FIRST:]
    return first, sorted(random.Random(seed).sample(rest, min(OTHERS, len(rest))))


def run(args, path, *words):
    """What a command of the tool writes as JSON; its seconds and MiB if it ran."""
    used = None
    if not os.path.exists(path):
        began = time.monotonic()
        command = [args.tool, *words, "-p", args.build, "--json", path, "--quiet", *args.paths]
        done = subprocess.run(command, cwd=args.source)
        if done.returncode not in (0, 3, 5):  # 5: a trace without one of the structs
            sys.exit(f"exit status {done.returncode} of: {' '.join(command)}")
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = time.monotonic() - began, spent.ru_maxrss / 1024
    return kb.read_json(path), used


def replayed(report):
    """Misses with the present and with the proposed order; the latter is the present one where nothing is proposed."""
    orders = {order["name"]: order["misses"] for order in report["replay"]["orders"]}
    now = orders["current"]
    return now, orders.get("proposed", now) if report["verdict"] == "reorder" else now


def agrees(row, report):
    layouts = report["layouts"]
    if row["search"] != "whole":
        return None
    return row["cost"]["total"] == layouts["current"]["cost"]["total"] and (
        not row["proposed"] or row["proposed"]["cost"] == layouts["proposed"]["cost"]["total"])


def main():
    p = kb.parser(__doc__)
    p.set_defaults(reference=None)
    p.add_argument("--source", required=True, type=os.path.abspath)
    p.add_argument("--build", required=True, type=os.path.abspath)
    p.add_argument("--trace", action="append", required=True, metavar="FILE=STRUCT,STRUCT")
    p.add_argument("--keep", required=True, type=os.path.abspath, metavar="DIR")
    p.add_argument("--seen", default="list_head", metavar="STRUCT", help="one that every unit sees and no trace holds (default: list_head)")
    p.add_argument("paths", nargs="+")
    args = p.parse_args()
    os.makedirs(args.keep, exist_ok=True)
    survey, used = run(args, os.path.join(args.keep, "survey.json"), "survey", "--top", "100")
    if used:
        print(f"survey: {used[0]:.0f} s, {used[1]:.0f} MiB")
    counts = survey["structs"]
    print(f"{survey['translation_units']['parsed']} units, {counts['defined']} structs, {len(survey['rows'])} rows, "
          f"{sum(1 for row in survey['rows'] if row['proposed'])} would cost less")
    rows = {row["struct"]: row for row in survey["rows"]}
    place = {name: number + 1 for number, name in enumerate(rows)}
    traces = [trace.rpartition("=")[::2] for trace in args.trace]
    held = {name: file for file, names in traces for name in names.split(",")}
    first, others = chosen(list(rows), set(held))
    found, same = [], []
    for file, _ in traces:
        wanted = [name for name in first + others if held[name] == file]
        if not wanted:
            continue
        kept = os.path.join(args.keep, os.path.basename(file) + ".json")
        # A struct that every unit sees, so that the selection is that of the survey.
        reports, _ = run(args, kept, "--struct", ",".join([args.seen, *wanted]), "--validate", os.path.abspath(file))
        for report in reports.get("reports", [reports]):
            name = report["struct"]
            if name in wanted and report.get("replay"):
                same.append(agrees(rows[name], report))
                now, then = replayed(report)
                found.append((name, now, then, report["replay"]["accesses"]))
    found.sort(key=lambda of: place[of[0]])
    total = survey["total"]["cost"]
    kb.table(["rank", "struct", "", "saves", "own", "misses", "saved", "share"],
             [[place[name], name, "first" if name in first else "other", f"{1000 * rows[name]['saves'] / total:.3f}",
               f"{rows[name]['saves'] / rows[name]['cost']['total']:.1%}", now, now - then, f"{(now - then) / now:.1%}" if now else ""]
              for name, now, then, _ in found], left=(1, 2))
    saves = [rows[name]["saves"] for name, *_ in found]
    own = [rows[name]["saves"] / rows[name]["cost"]["total"] for name, *_ in found]
    cost = [rows[name]["cost"]["total"] for name, *_ in found]
    saved = [(now - then) / accesses for _, now, then, accesses in found]
    share = [(now - then) / now if now else 0 for _, now, then, _ in found]
    print(f"rho over {len(found)} structs: saved in the whole {kb.spearman(saves, saved):.2f}, share of its own {kb.spearman(own, share):.2f}; "
          f"control, present cost {kb.spearman(cost, saved):.2f}")
    print(f"same: {sum(1 for one in same if one)} of {sum(1 for one in same if one is not None)} that were searched as a whole")


if __name__ == "__main__":
    main()
