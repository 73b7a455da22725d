#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How little measuring is enough: bench/generalise.py with profiles cut to a share of their counts.

  little_data.py --profiles DIR --struct S[,S] --source DIR --build DIR PATH...

Orders are chosen with `profile downsample --keep SHARE` of A (several seeds) and priced under all of B, for each ordered pair of
workloads. Printed: mean regret of static, A only, hybrid(A) and the current order for each share, the range of hybrid's over
the seeds, and how often an order is worse than the current one. "static" and "current" do not depend on A: between them
and hybrid at 100 % the regret should move without a cliff. Claims: hybrid's mean regret at no share above the larger of its own
at 100 % and static's, plus a tenth of the current order's; at the smallest share it is nearer to static's than at 100 %."""

import os
import statistics
import subprocess
import sys
import tempfile

import generalise
import kst_bench as kb

WAYS = ["static", "A only", "hybrid(A)", "current"]


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("paths", nargs="+", metavar="PATH", help="as for kstatic-affinity")
    p.add_argument("--profiles", required=True, metavar="DIR")
    p.add_argument("--struct", required=True, help="names, separated by commas")
    p.add_argument("--source", required=True, type=os.path.abspath, metavar="DIR", help="the kernel's source tree")
    p.add_argument("--build", required=True, type=os.path.abspath, metavar="DIR", help="its build directory")
    p.add_argument("--shares", default="1,0.1,0.01,0.001,0.0001,0.00001", help="of the counts (default: %(default)s)")
    p.add_argument("--seeds", type=int, default=3, help="draws for each share below 1 (default: 3)")
    return p.parse_args()


def thinned(args, workloads, share, seed, directory):
    """{name: file} of the profiles with that share of their counts."""
    out = {}
    for name, path in workloads.items():
        out[name] = os.path.join(directory, f"{name}-{share}-{seed}.kstp")
        subprocess.run([args.tool, "profile", "downsample", path, "--keep", share, "--seed", str(seed), "-o", out[name]], check=True)
    return out


def mean(rows, way):
    return 100 * statistics.mean(generalise.regret(row, way) for row in rows)


def worse(rows, way):
    return sum(row["cost"][way] > row["cost"]["current"] * (1 + generalise.SAME) for row in rows)


def cheapest_of_all(by_share):
    """Gives every row the cheapest order that any share found for its struct and B as oracle."""
    best = {}
    rows = [row for draws in by_share.values() for draw in draws for row in draw]
    for row in rows:
        key = row["struct"], row["B"]
        best[key] = min(best.get(key, row["cost"]["oracle"]), *row["cost"].values())
    for row in rows:
        row["cost"]["oracle"] = best[row["struct"], row["B"]]


def main():
    args = arguments()
    directory = os.path.abspath(args.profiles)
    workloads = {n[:-5]: os.path.join(directory, n) for n in sorted(os.listdir(directory)) if n.endswith(".kstp")}
    if len(workloads) < 2:
        sys.exit(f"{directory}: needs two profiles NAME.kstp or more")
    by_share, memo = {}, {}
    with tempfile.TemporaryDirectory() as scratch:
        for share in args.shares.split(","):
            for seed in range(1, 2 if float(share) == 1 else args.seeds + 1):
                trained = thinned(args, workloads, share, seed, scratch)
                rows = [row for struct in args.struct.split(",")
                        for row in generalise.study(args, struct, workloads, scratch, trained, memo)]
                by_share.setdefault(share, []).append(rows)
    cheapest_of_all(by_share)
    table, hybrid = [], []
    for share, draws in by_share.items():
        rows = [row for draw in draws for row in draw]
        if not rows:
            sys.exit("no pair of workloads to compare")
        each = [mean(draw, "hybrid(A)") for draw in draws]
        hybrid.append(mean(rows, "hybrid(A)"))
        table.append([f"{100 * float(share):g} %", len(rows), *(f"{mean(rows, way):.2f}" for way in WAYS),
                      f"{min(each):.2f} - {max(each):.2f}", worse(rows, "A only"), worse(rows, "hybrid(A)")])
    kb.table(["counts kept", "pairs", *(f"{way}, %" for way in WAYS), "hybrid by seed", "A only worse than current", "hybrid worse"],
             table)
    static, current = mean(rows, "static"), mean(rows, "current")
    limit = max(hybrid[0], static) + 0.1 * current
    claims = [(max(hybrid) <= limit, f"no cliff: hybrid's mean regret at most {limit:.2f} % everywhere: {max(hybrid):.2f} %"),
              (abs(hybrid[-1] - static) <= abs(hybrid[0] - static), "with the least counts hybrid is nearer to static than with all: "
               f"{abs(hybrid[-1] - static):.2f} and {abs(hybrid[0] - static):.2f} apart")]
    print()
    for true, text in claims:
        print(("yes  " if true else "NO   ") + text)
    sys.exit(0 if all(true for true, _ in claims) else 1)


if __name__ == "__main__":
    main()
