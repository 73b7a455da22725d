#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A profile of one version or configuration used for another: what of it arrives, and whether it helps.

  transfer.py --struct S[,S] --case PROFILE SOURCE BUILD TRUTH [--case ...] [PATH...]

A case is a profile, the source and build directory of another version, and a profile of that version under the same workload, the
truth. `-` as truth: there is none. For each struct and case: the share of the profile's counts that found their field (without structs in
the profile: their function), how many functions both versions have, and Spearman's rank correlation of the hotness of fields with the
truth, from estimates alone and with the transferred profile. Estimates are those of --reference. A case that is refused says why.
Claim: with the profile the correlation is not lower, where there is a truth."""

import os
import subprocess
import sys
import tempfile

import kst_bench as kb


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("paths", nargs="*", metavar="PATH", help="as for kstatic-affinity")
    p.add_argument("--struct", required=True, help="names, separated by commas")
    p.add_argument("--case", required=True, action="append", nargs=4, metavar=("PROFILE", "SOURCE", "BUILD", "TRUTH"))
    return p.parse_args()


def report(args, case, struct, profile, directory):
    """The report as JSON, or why there is none."""
    out = os.path.join(directory, "report.json")
    command = [args.tool, "--quiet", "--struct", struct, "-p", os.path.abspath(case[2]), "--reference", args.reference, "--json", out]
    if profile:
        command += ["--profile", os.path.abspath(profile)]
    done = subprocess.run(command + args.paths, cwd=case[1], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 3):
        return None, " ".join(done.stderr.split())
    return kb.read_json(out), ""


def hotness(made):
    """{field: share of all accesses}

    >>> hotness({"fields": [{"name": "a", "hotness": 0.25}, {"name": "b", "hotness": 0.75}]})
    {'a': 0.25, 'b': 0.75}
    """
    return {field["name"]: field["hotness"] for field in made["fields"]}


def agreement(found, truth):
    """Rank correlation over the fields that both know, or None.

    >>> agreement({"a": 1, "b": 2, "c": 3}, {"a": 10, "b": 20, "c": 30, "d": 5})
    1.0
    >>> agreement({"a": 1}, {"a": 1})
    """
    both = sorted(set(found) & set(truth))
    if len(both) < 3:
        return None
    return round(kb.spearman([found[name] for name in both], [truth[name] for name in both]), 6)


def row(args, case, struct, directory):
    name = f"{os.path.basename(case[0])} for {os.path.basename(os.path.normpath(case[2]))}"
    made, why = report(args, case, struct, case[0], directory)
    if made is None:
        return [struct, name, f"refused: {why}", "", "", ""], None
    profile = made["coverage"]["profiles"][0]
    moved = profile.get("transferred")
    share = f"{100 * moved['share']:.1f}%" if moved else "fits"
    functions = f"{moved['functions']}, {moved['functions_moved']} moved" if moved else ""
    cells = [struct, name, share, functions]
    if case[3] == "-":
        return cells + ["-", "-"], None
    truth, why = report(args, case, struct, case[3], directory)
    alone, whyalone = report(args, case, struct, None, directory)
    if truth is None or alone is None:
        sys.exit(f"{name}: {why or whyalone}")
    before, after = (agreement(hotness(one), hotness(truth)) for one in (alone, made))
    text = ["-" if value is None else f"{value:.3f}" for value in (before, after)]
    return cells + text, None if before is None else after >= before


def main():
    args = arguments()
    rows, claims = [], []
    with tempfile.TemporaryDirectory() as directory:
        for struct in args.struct.split(","):
            for case in args.case:
                cells, holds = row(args, case, struct, directory)
                rows.append(cells)
                if holds is not None:
                    claims.append(holds)
    kb.table(["struct", "profile", "matched", "functions", "estimates alone", "with the profile"], rows, left=(0, 1, 2, 3))
    if claims:
        print(f"\nnot lower than estimates alone: {sum(claims)} of {len(claims)}")
    return 0 if all(claims) else 1


if __name__ == "__main__":
    sys.exit(main())
