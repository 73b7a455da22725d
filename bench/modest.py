#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the default proposal leaves out: for each of the structs of
bench/patches.py the best order found (--ambitious) and the one proposed.

  moves, saves  fields that move, and the share of the present cost that this saves
  of the best   what the default saves, of what the best order found saves
  bytes         size of the proposed order, less the size now
  weak          moves that help in less than half of the draws of the weights
  worse         what the report says gets worse: size, paths, line sizes
  cold          cold fields between two hot ones of one line, now and proposed;
                hot are the fewest fields with 95 % of all accesses

The last line sums up. Exit status 1 if a default proposal is larger than the
struct, has a weak move, more moves than the best order, or costs more than it by
over 1 % and over a thousandth of the present cost for each move that it lacks
(unless a weak move had to be left out: "beyond")."""

import sys

import kst_bench as kb
from patches import STRUCTS


MOVE_WORTH = 0.001  # ModestOrder.h


def hot_fields(report):
    names, total = set(), 0
    for field in sorted(report["fields"], key=lambda f: -f["hotness"]):
        if total >= 0.95 or not field["hotness"]:
            break
        names.add(field["name"])
        total += field["hotness"]
    return names


def cold_between(report, which):
    """Cold fields with a hot one before and behind them on their line."""
    hot, lines = hot_fields(report), {}
    for line in report["layouts"][which]["lines"]:
        for name in line["fields"]:
            lines[name] = lines.get(name, 0) + 1
    count = 0
    for line in report["layouts"][which]["lines"]:
        at = [i for i, name in enumerate(line["fields"]) if name in hot]
        if at:
            count += sum(name not in hot and lines[name] == 1 and name != ""
                         for name in line["fields"][at[0]:at[-1]])
    return count


def figures(report):
    """moves, saved share, bytes more, weak moves, phrases of what gets worse."""
    total, before = report["layouts"]["total"], report["size"]
    moves = len(report["stability"]["moves"])
    return (moves, 1 - total["proposed"] / total["current"], report["layouts"]["proposed"]["size"] - before,
            sum(move["survives"] < 0.5 for move in report["stability"]["moves"]), len(report["worse"]))


def main():
    p = kb.parser(__doc__)
    p.add_argument("--struct", action="append", choices=STRUCTS, help="only this one; may be repeated")
    p.add_argument("--tree", default="x86_64", help="the kernel tree (default x86_64)")
    p.add_argument("--cache-dir", metavar="DIR", help="where the tool keeps facts")
    args = p.parse_args()
    kb.use_cache(args)
    source, obj = kb.kernel_tree("source"), kb.kernel_tree("configure", args.tree)
    options = ["--cache-dir", args.cache_dir] if args.cache_dir else []

    rows, bad, sums = [], [], [0] * 7
    for struct in args.struct or STRUCTS:
        modest, best = (kb.run_tool(args, source, obj, STRUCTS[struct], "--struct", struct, "--quiet", *options, *more)
                        for more in ([], ["--ambitious"]))
        verdicts = modest["verdict"], best["verdict"]
        if "reorder" not in verdicts:
            rows.append([struct, len(modest["fields"]), modest["verdict"]])
            continue
        if verdicts[0] != "reorder":
            rows.append([struct, len(modest["fields"]), "keep", *figures(best)[:1]])
            continue
        few, many = figures(modest), figures(best)
        now, ours, least = modest["layouts"]["total"]["current"], *(r["layouts"]["total"]["proposed"] for r in (modest, best))
        beyond = ours - least > max(0.01 * least, MOVE_WORTH * now * (many[0] - few[0])) * (1 + 1e-5)
        rows.append([struct, len(modest["fields"]), "reorder", many[0], f"{100 * many[1]:.1f} %", few[0], f"{100 * few[1]:.1f} %",
                     f"{100 * few[1] / many[1]:.0f} %", few[2], f"{many[3]}, {few[3]}", f"{many[4]}, {few[4]}",
                     f"{cold_between(modest, 'current')}, {cold_between(modest, 'proposed')}", "beyond" if beyond else ""])
        if few[2] > 0 or few[3] or few[0] > many[0] or (beyond and not many[3]):
            bad.append(struct)
        for i, value in enumerate((1, many[0], few[0], many[3], few[3], many[4], few[4])):
            sums[i] += value
    header = ["struct", "fields", "verdict", "best: moves", "saves", "default: moves", "saves", "of the best", "bytes",
              "weak", "worse", "cold", ""]
    kb.table(header, [row + [""] * (len(header) - len(row)) for row in rows], left=(0, 2))
    print(f"\n{sums[0]} proposals; best found and default: {sums[1]} and {sums[2]} moves, {sums[3]} and {sums[4]} of them weak, "
          f"{sums[5]} and {sums[6]} phrases of what gets worse; false for: {', '.join(bad) or 'none'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
