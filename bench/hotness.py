#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How well do static estimates rank the fields of a struct by hotness?

Compares the hotness of a report with a recording of every access to the struct
(format: bench/data/README.md), as Spearman's rank correlation over top-level
fields, beside what counting `rq->field` in the source text would give. The
recording's offsets mean something only in its own kernel configuration, so the
report must be of a tree configured the same way; without arguments the script
configures and builds that tree and makes the report:

    bench/hotness.py [--kernel-cache DIR]
    bench/hotness.py REPORT.json RECORDING.json [LAYOUT]

LAYOUT is the output of `pahole -C rq vmlinux`; without it the report's own
offsets are used."""

import os
import re
import sys

import kst_bench as kb

DATA = os.path.join(kb.ROOT, "bench", "data")


def pahole_fields(path):
    """(name, offset, size) of the top-level members in pahole's output."""
    fields, depth, inner = [], 0, []
    with open(path) as file:
        for line in file:
            opens, closes = line.count("{"), line.count("}")
            place = re.search(r"/\*\s*(\d+)(?::\s*\d+)?\s+(\d+)\s*\*/", line)
            if closes and depth == 2 and place:
                name = re.match(r"\s*}\s*(?:__attribute__\(\(.*?\)\)\s*)?(\w*)", line).group(1)
                fields.append((name or "|".join(inner), int(place.group(1)), int(place.group(2))))
            elif place and not opens:
                name = member_name(line)
                if depth == 1:
                    fields.append((name, int(place.group(1)), int(place.group(2))))
                elif depth == 2:
                    inner.append(name)
            depth += opens - closes
            if opens and depth == 2:
                inner = []
    return fields


def member_name(line):
    text = re.sub(r"__attribute__\(\(.*?\)\)|____cacheline\w+", "", line.split(";")[0])
    pointer = re.search(r"\(\*+\s*(\w+)", text)
    return pointer.group(1) if pointer else re.findall(r"\w+", re.sub(r"\[[^\]]*\]|:\s*\d+\s*$", "", text))[-1]


def recorded(recording, fields):
    """Per field [reads, writes, remote accesses]; and what fell in no field."""
    sums, lost = [[0, 0, 0] for _ in fields], 0
    for offset, reads, writes, remote_reads, remote_writes in recording["offsets"]:
        for total, (_, start, size) in zip(sums, fields):
            if start <= offset < start + size:
                total[0] += reads
                total[1] += writes
                total[2] += remote_reads + remote_writes
                break
        else:
            lost += reads + writes
    return sums, lost


def text_counts(source, directories, fields):
    """How often `rq->name` stands in the source text, per field."""
    seen = {}
    for directory in directories:
        for parent, _, names in os.walk(os.path.join(source, directory)):
            for name in names:
                if name.endswith((".c", ".h")):
                    with open(os.path.join(parent, name), errors="replace") as file:
                        for member in re.findall(r"\brq->(\w+)", file.read()):
                            seen[member] = seen.get(member, 0) + 1
    return [sum(seen.get(part, 0) for part in name.split("|")) for name, _, _ in fields]


def make_report(args, source):
    config = os.path.join(DATA, "rq-true-accesses.config")
    kb.kernel_tree("configure", "rq-recording", config)
    obj = kb.kernel_tree("build", "rq-recording", "kernel/sched/")
    return kb.run_tool(args, source, obj, ["kernel/sched/"], "--struct", "rq")


def main():
    p = kb.parser(__doc__)
    p.add_argument("report", nargs="?", help="JSON report of a tree in the recording's configuration")
    p.add_argument("recording", nargs="?", default=os.path.join(DATA, "rq-true-accesses.json"))
    p.add_argument("layout", nargs="?", help="output of pahole -C STRUCT vmlinux")
    p.add_argument("--top", type=int, default=25, help="fields to list, hottest in the recording first")
    args = p.parse_args()
    kb.use_cache(args)

    recording = kb.read_json(args.recording)
    source = kb.kernel_tree("source" if args.report else "unpack")
    report = kb.read_json(args.report) if args.report else make_report(args, source)
    if report["struct"] != recording["struct"] or report["layouts"]["current"]["size"] != recording["size"]:
        sys.exit(f"the report is about {report['struct']} of {report['layouts']['current']['size']} bytes, the recording "
                 f"about {recording['struct']} of {recording['size']}: not the same configuration")

    if args.layout:
        fields = pahole_fields(args.layout)
    else:
        fields = [(f["name"], f["offset"], f["size"]) for f in report["fields"]]
    fields = [f for f in fields if f[2] > 0]
    by_name = {f["name"]: f for f in report["fields"]}
    # pahole has no names for anonymous members, the report joins their parts.
    by_offset = {f["offset"]: f for f in report["fields"] if f["size"] > 0}
    entry = [by_name.get(name) or by_offset.get(offset) for name, offset, _ in fields]
    if None in entry:
        sys.exit("fields of the layout that the report does not have: "
                 + ", ".join(f[0] for f, e in zip(fields, entry) if e is None))

    sums, lost = recorded(recording, fields)
    truth = [reads + writes for reads, writes, _ in sums]
    hotness = [e["hotness"] for e in entry]
    text = text_counts(source, ["kernel/sched"], fields)

    true_rank, our_rank, text_rank = ([len(fields) + 1 - r for r in kb.ranks(v)] for v in (truth, hotness, text))
    order = sorted(range(len(fields)), key=lambda i: -truth[i])
    total = sum(truth) or 1
    print(f"struct {report['struct']}, {len(fields)} fields; recording: {recording['workload']}\n")
    kb.table(["field", "recorded", "share", "hotness", "rank", "ours", "text"],
             [[fields[i][0], truth[i], f"{100 * truth[i] / total:.1f}%", f"{100 * hotness[i]:.1f}%",
               f"{true_rank[i]:g}", f"{our_rank[i]:g}", f"{text_rank[i]:g}"] for i in order[:args.top]])

    remote = [r for _, _, r in sums]
    writes = [w / (r + w) if r + w else 0 for r, w, _ in sums]
    our_writes = [e["writes"] / (e["reads"] + e["writes"]) if e["reads"] + e["writes"] else 0 for e in entry]
    our_remote = [e["remote_share"] * (e["reads"] + e["writes"]) for e in entry]
    touched = [i for i in range(len(fields)) if truth[i] > 100]
    pick = lambda values: [values[i] for i in touched]
    print()
    kb.table(["Spearman's rank correlation with the recording", "all fields", f"{len(touched)} with > 100 accesses"],
             [["hotness", f"{kb.spearman(hotness, truth):.3f}", f"{kb.spearman(pick(hotness), pick(truth)):.3f}"],
              ["rq->field counted in the text", f"{kb.spearman(text, truth):.3f}", f"{kb.spearman(pick(text), pick(truth)):.3f}"],
              ["share of writes", f"{kb.spearman(our_writes, writes):.3f}", f"{kb.spearman(pick(our_writes), pick(writes)):.3f}"],
              ["remote accesses", f"{kb.spearman(our_remote, remote):.3f}", f"{kb.spearman(pick(our_remote), pick(remote)):.3f}"]])
    if lost:
        print(f"\n{lost} recorded accesses are in no field (padding).")


if __name__ == "__main__":
    main()
