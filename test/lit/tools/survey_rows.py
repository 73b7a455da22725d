#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""survey_rows.py SURVEY.json REPORT.json...: each report of --struct says the same as the row of its struct, if that was searched as a whole."""

import json
import sys


def reports(path):
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    return found.get("reports", [found])


def differences(row, report):
    layouts = report["layouts"]
    now = layouts["current"]["cost"]
    pairs = {"verdict": (row["verdict"], report["verdict"]), "lines": (row["cost"]["lines"], now["lines"]), "sharing": (row["cost"]["sharing"], now["sharing"]),
             "padding": (row["cost"]["padding"], now["padding"])}
    if len(row["configs"]) == 1:
        pairs["cost"] = (row["cost"]["total"], now["total"])
        if row["proposed"] and row["search"] == "whole":
            pairs["proposed"] = (row["proposed"]["cost"], layouts["proposed"]["cost"]["total"])
            few = [point["cost"] for point in report["frontier"] if 0 < point["moves"] <= 3]
            pairs["few"] = (row["few_moves"] and row["few_moves"]["cost"], min(few, default=None))
    return [f"{row['struct']}: {name}: {mine} in the survey, {other} in the report" for name, (mine, other) in pairs.items() if mine != other]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = {row["struct"].split("@")[0]: row for row in json.load(file)["rows"]}
    wrong, looked = [], 0
    for path in sys.argv[2:]:
        for report in reports(path):
            row = rows[report["struct"]]
            # A short search may end with another verdict.
            if row["search"] == "whole" or row["verdict"] == report["verdict"]:
                wrong += differences(row, report)
                looked += 1
    print("\n".join(wrong) or f"{looked} structs say the same")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
