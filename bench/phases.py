#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which visits are set-up or teardown: the tool's word against a reader's.

    bench/phases.py                    reports on the configured 6.12 of bench/screens.py
    bench/phases.py REPORT.json...     these reports

For the structs in data/phases.json a person read the functions that owned the 30
heaviest visits before phases were known, and noted which of them make or take
apart the instance that they visit. A function counts as such for the tool if
most of the accesses of its visits are set-up or teardown. First use and
configuration are neither, as for the reader."""

import os
import sys

import kst_bench as kb
import screens

DATA = os.path.join(kb.ROOT, "bench", "data", "phases.json")


def owned_share(report, function):
    owned = total = 0
    for entry in report["sets"]:
        if entry["function"] == function:
            accesses = entry["weight"] * sum(f["reads"] + f["writes"] for f in entry["fields"])
            total += accesses
            if entry["phase"] in ("set-up", "teardown"):
                owned += accesses
    return owned / total if total else None


def reports(args, structs):
    if args.reports:
        return map(kb.read_json, args.reports)
    source, tree = screens.trees()
    options = ["--cache-dir", args.cache_dir] if args.cache_dir else []
    return (kb.run_tool(args, source, tree, screens.STRUCTS[struct], "--struct", struct, "--quiet", *options) for struct in structs)


def main():
    p = kb.parser(__doc__)
    p.add_argument("reports", nargs="*", metavar="REPORT.json")
    p.add_argument("--cache-dir", type=os.path.abspath, metavar="DIR", help="keep what was extracted here")
    args = p.parse_args()
    kb.use_cache(args)
    read, rows = kb.read_json(DATA), []
    for report in reports(args, read):
        labels = read[report["struct"]]
        by_hand = set(labels["set-up"]) | set(labels["teardown"])
        shares = {f: owned_share(report, f) for f in labels["read"]}
        known = {f for f in shares if shares[f] is not None}
        by_tool = {f for f in known if shares[f] > 0.5}
        by_hand &= known
        rows.append([report["struct"], len(known), len(by_hand), len(by_tool), len(by_hand & by_tool),
                     " ".join(sorted(by_hand - by_tool)) or "-", " ".join(sorted(by_tool - by_hand)) or "-"])
    kb.table(["struct", "functions", "by hand", "by tool", "both", "missed", "wrong"], rows, left=(0, 5, 6))


if __name__ == "__main__":
    sys.exit(main())
