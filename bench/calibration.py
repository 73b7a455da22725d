#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a promised saving of cost came to in misses: the numbers of hybrid/layout/MissSaving.cpp, and whether they hold elsewhere.

    bench/calibration.py SEEN.json UNSEEN.json

Both are what bench/ablation.py --json wrote, of the trials `seen` and `unseen` (trials.py). With x = ln(cost now / cost proposed), as the
tool promises, and y = ln(misses now / misses proposed), as the replay counts them, y = slope x + e, through the origin, by least squares
over the orders of `seen`; e is taken for normal, so a new struct's y lies nine times in ten within slope x +- width, width being that of
Student's prediction interval with the mean uncertainty of the slope. Orders of structs with fewer than LEAST misses are left out: there
the replay itself is chance.

  kind    what the order came from: source alone, reference, or counts of the same workloads as --profile
  holds   orders whose replayed saving lies in the interval, of `seen` (which it was fitted to) and of `unseen` (run once)
  draws   control: how often the interval of the draws of the weights holds it
  loses   orders with more misses than the present one"""

import math
import sys

import kst_bench as kb

LEAST = 200
KINDS = {"source": "source", "others": "reference", "profile": "measured"}
# 95 % points of Student's t by degrees of freedom.
STUDENT = {4: 2.132, 5: 2.015, 6: 1.943, 7: 1.895, 8: 1.860, 9: 1.833, 10: 1.812, 11: 1.796, 12: 1.782, 13: 1.771, 14: 1.761, 15: 1.753, 16: 1.746,
           17: 1.740, 18: 1.734, 19: 1.729, 20: 1.725, 22: 1.717, 25: 1.708, 30: 1.697}


def student(freedom):
    """
    >>> student(9), student(21), student(1000)
    (1.833, 1.725, 1.697)
    """
    return STUDENT[max(known for known in STUDENT if known <= freedom)]


def points(rows, stage):
    """(x, y, row) of the orders of a stage."""
    found = []
    for row in rows:
        if row["stage"] == stage and "saved" in row and row["misses"] >= LEAST:
            found.append((-math.log1p(-row["gain"]), -math.log1p(-row["saved"]["misses"]), row))
    return found


def fit(of):
    """Slope and width.

    >>> slope, width = fit([(x / 10, x / 20, None) for x in range(1, 9)])
    >>> round(slope, 6), round(width, 6)
    (0.5, 0.0)
    """
    square = sum(x * x for x, _, _ in of)
    slope = sum(x * y for x, y, _ in of) / square
    freedom = len(of) - 1
    spread = (sum((y - slope * x) ** 2 for x, y, _ in of) / freedom) ** 0.5
    typical = square / len(of)
    return slope, student(freedom) * spread * (1 + typical / square) ** 0.5


def holds(of, slope, width):
    return sum(abs(y - slope * x) <= width for x, y, _ in of)


def main():
    if len(sys.argv) != 3 or sys.argv[1].startswith("-"):
        print(__doc__)
        sys.exit(0 if sys.argv[1:] in (["-h"], ["--help"]) else 2)
    seen, unseen = map(kb.read_json, sys.argv[1:])
    rows = []
    for stage, kind in KINDS.items():
        of, new = points(seen, stage), points(unseen, stage)
        if len(of) < 6:
            print(f"{kind}: {len(of)} orders, too few")
            continue
        slope, width = fit(of)
        drawn = sum(row["low"] <= row["saved"]["misses"] <= row["high"] for _, _, row in of + new)
        rows.append([kind, f"{slope:.2f}", f"{width:.2f}", f"{holds(of, slope, width)} of {len(of)}", f"{holds(new, slope, width)} of {len(new)}",
                     f"{drawn} of {len(of + new)}", f"{sum(y < 0 for _, y, _ in of)}, {sum(y < 0 for _, y, _ in new)}"])
    kb.table(["kind", "slope", "width", "holds: seen", "unseen", "draws", "loses: seen, unseen"], rows)


if __name__ == "__main__":
    main()
