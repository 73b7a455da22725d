#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Findings of lshaz and of a survey on one source, memcached, beside labels that
a person gave them (data/lshaz_labels.json; what the labels mean is said there).

--memcached is a configured source of memcached 1.6.38 with its
compile_commands.json. Of the survey the first structs of its ranks and of its
list of false sharing are taken, by source alone. Of lshaz, what --lshaz prints
for the same source; without it the twelve Critical and High findings of FL001
and FL002 on memcached that its author labelled and published, and the others of
the same sample. A finding without a label has a question mark.

--traced is a memcached of the same source in trace mode of the plugin
(docs/guide/programs.md, structs=all;mode=trace). It serves two loads on
loopback, one that fits its memory and one that evicts: eight clients, a tenth
sets and a set after each miss. Each thread is then a CPU with an endless cache,
and a line that another thread wrote since is handed over. Printed for each
struct, per 100 requests of the load that has more:

  handed   lines handed over; of these the reader used no byte that was written
           (false); both also with all structs in their proposed orders
  pair     the same for the pair that the survey calls worst: the one was
           written since, and the reader used the other
  lines    of workers, lines of the struct per event of a connection: by the
           present order and by the proposed one, in the load where the struct
           is used more

    bench/lshaz.py --memcached DIR [--lshaz BIN] [--traced PROGRAM]"""

import collections
import json
import math
import os
import subprocess
import sys
import tempfile

import counted
import kst_bench as kb
from handed_over import Struct, replay
from memcached_load import LOADS, record, tool

LABELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "lshaz_labels.json")


def survey(args):
    rows = json.loads(tool(args, "survey", "--quiet", "-p", ".", "--cache-dir", args.scratch, "--json", "-", "."))["rows"]
    order = [row for row in rows if row["verdict"] == "reorder"][:args.first]
    sharing = sorted((row for row in rows if row.get("false_sharing", {}).get("pairs")), key=lambda row: -row["cost"]["sharing"])
    return order, sharing[:args.first]


def of_lshaz(args, labels):
    """(rule, severity, what it is about) of its Critical and High findings."""
    if not args.lshaz:
        return [(f["rule"], f["severity"], f["about"]) for f in labels["lshaz"]]
    out = os.path.join(args.scratch, "lshaz.json")
    subprocess.run([args.lshaz, "scan", args.memcached, "--format", "json", "--output", out], check=False, stdout=sys.stderr)
    found = []
    for finding in kb.read_json(out)["diagnostics"]:
        evidence = finding.get("structuralEvidence", {})
        if finding["severity"] in ("Critical", "High"):
            about = evidence.get("type_name") or evidence.get("var") or finding.get("functionName")
            found.append((finding["ruleID"], finding["severity"], about))
    return found


def wilson(hits, of, z=1.96):
    """95 % interval of a share.

    >>> [round(x, 2) for x in wilson(1, 12)]
    [0.01, 0.35]
    """
    p, d = hits / of, 1 + z * z / of
    middle, half = (p + z * z / (2 * of)) / d, z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of)) / d
    return max(0, middle - half), min(1, middle + half)


def said(label, kind="label"):
    return label.get(kind, "?") if label else "?"


def print_precision(name, found):
    known = [label for label in found if label != "?"]
    if known:
        hits = known.count("act")
        low, high = wilson(hits, len(known))
        print(f"{name}: {hits} of {len(known)} worth acting on ({100 * low:.0f} to {100 * high:.0f} %)"
              + (f", {len(found) - len(known)} without a label" if len(known) < len(found) else ""))


def measure(args, structs, pairs):
    best, lines = {}, {}
    for name, memory, popular in LOADS:
        trace, requests = record(args, name, memory, popular)
        handed, false, pair, pair_false, events, now, moved = replay(args, trace, structs, pairs, False)
        ordered = replay(args, trace, structs, pairs, True)
        print(f"load {name}: {requests} requests, {events} events of connections", file=sys.stderr)
        for struct in handed.keys() | now.keys():
            rates = [100 * counter[struct] / requests for counter in (handed, false, *ordered[:2], pair, pair_false)]
            best[struct] = max(best.get(struct, [0] * 6), rates)
            if events and now[struct] / events >= lines.get(struct, (0, 0))[0]:
                lines[struct] = now[struct] / events, moved[struct] / events
    print("| struct | handed over | false | proposed | false | worst pair | false | lines | proposed |\n|---|" + "---:|" * 8)
    for struct in sorted(best.keys() | structs.keys(), key=lambda s: -best.get(s, [0])[0]):
        rates = best.get(struct, [0] * 6)
        if struct in structs or rates[0] >= 0.5:
            a, b = lines.get(struct, (0, 0))
            worst = [f"{rate:.2f}" if struct in pairs else "" for rate in rates[4:]]
            print("| " + " | ".join([struct, *(f"{rate:.2f}" for rate in rates[:4]), *worst, f"{a:.2f}", f"{b:.2f}"]) + " |")


def main():
    p = kb.parser(__doc__)
    p.add_argument("--memcached", required=True, metavar="DIR", type=os.path.abspath)
    p.add_argument("--lshaz", metavar="BIN", type=os.path.abspath)
    p.add_argument("--traced", metavar="PROGRAM", type=os.path.abspath)
    p.add_argument("--labels", default=LABELS, metavar="FILE")
    p.add_argument("--first", type=int, default=12, help="structs of each list of the survey")
    p.add_argument("--requests", type=int, default=2000, help="of each of the eight clients")
    args = p.parse_args()
    labels = kb.read_json(args.labels)
    with tempfile.TemporaryDirectory() as args.scratch:
        order, sharing = survey(args)
        print("| finding | tool | severity or rank | label | reason |\n|---|---|---|---|---|")
        judged = collections.defaultdict(list)
        for rule, severity, about in of_lshaz(args, labels):
            label = next((f for f in labels["lshaz"] if (f["rule"], f["about"]) == (rule, about)), None)
            group = "lshaz, FL001 and FL002" if rule in ("FL001", "FL002") else "lshaz, other rules"
            judged[group].append(said(label))
            if label and "author" in label:
                judged["the same by lshaz's author"].append(label["author"])
            print(f"| {about} | lshaz {rule} | {severity} | {said(label)} | {said(label, 'reason')} |")
        for rank, row in enumerate(order, 1):
            label = labels["order"].get(row["struct"])
            judged["survey, orders"].append(said(label))
            print(f"| {row['struct']}: {row['proposed']['moves']} moves save {100 * row['saves'] / row['cost']['total']:.0f} % | survey, order | {rank} "
                  f"| {said(label)} | {said(label, 'reason')} |")
        pairs = {}
        for rank, row in enumerate(sharing, 1):
            worst, label = row["false_sharing"]["worst"], labels["sharing"].get(row["struct"])
            pairs[row["struct"]] = worst["written"], worst["used"]
            same = label and label["pair"] == [worst["written"], worst["used"]]
            judged["survey, false sharing, by struct"].append(said(label))
            judged["survey, false sharing, by its worst pair"].append(label["pair_label"] if same else "?")
            print(f"| {row['struct']}: {worst['written']} written, {worst['used']} used | survey, false sharing | {rank} "
                  f"| {said(label)}, pair {label['pair_label'] if same else '?'} | {said(label, 'reason')} |")
        print()
        for name, found in judged.items():
            print_precision(name, found)
        if args.traced:
            structs = {}
            for name in {row["struct"] for row in order + sharing}:
                structs[name] = Struct(json.loads(tool(args, "--quiet", "--struct", name, "-p", ".", "--cache-dir", args.scratch, "--json", "-", ".")))
            print()
            measure(args, structs, pairs)


if __name__ == "__main__":
    try:
        main()
    except counted.Wrong as wrong:
        sys.exit(f"lshaz.py: {wrong}")
