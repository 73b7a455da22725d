#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which visits are set-up or teardown: the tool's word against a reader's.

    bench/phases.py REPORT.json...

For the structs in data/phases.json a person read the functions that owned the 30
heaviest visits before phases were known, and noted which of them make or take
apart the instance that they visit. A function counts as such for the tool if
most of the accesses of its visits are set-up or teardown. First use and
configuration are neither, as for the reader."""

import json
import os
import sys

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "phases.json")


def owned_share(report, function):
    owned = total = 0
    for entry in report["sets"]:
        if entry["function"] == function:
            accesses = entry["weight"] * sum(f["reads"] + f["writes"] for f in entry["fields"])
            total += accesses
            if entry["phase"] in ("set-up", "teardown"):
                owned += accesses
    return owned / total if total else None


def main():
    with open(DATA) as file:
        read = json.load(file)
    print(f"{'struct':16}{'functions':>10}{'by hand':>9}{'by tool':>9}{'both':>6}  missed; wrong")
    for path in sys.argv[1:]:
        with open(path) as file:
            report = json.load(file)
        labels = read[report["struct"]]
        by_hand = set(labels["set-up"]) | set(labels["teardown"])
        shares = {f: owned_share(report, f) for f in labels["read"]}
        known = {f for f in shares if shares[f] is not None}
        by_tool = {f for f in known if shares[f] > 0.5}
        by_hand &= known
        print(f"{report['struct']:16}{len(known):10}{len(by_hand):9}{len(by_tool):9}{len(by_hand & by_tool):6}  "
              f"{' '.join(sorted(by_hand - by_tool)) or '-'}; {' '.join(sorted(by_tool - by_hand)) or '-'}")


if __name__ == "__main__":
    main()
