#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does the tool find the layouts that people mended after measuring, and does it leave the mended ones alone?

data/rediscovery.tsv has public fixes: which fields of a struct conflicted or belonged together, what the fix brought and where, and in which
trees the old layout still is: kernels, or projects at a commit (PROJECT@REVISION, which need --clones). Rows `fit` were looked at while the model was made, rows `held` after it (bench/runs/rediscovery.txt). For each row and kernel:

  apart     named: rank, by loss, of the best pair of a x b among all pairs that share a line now; parted: no such pair shares one in the proposal;
            mended: parted, or one of them is advised to get a line of its own, also where that is right only if CPUs wait for a lock
  together  lines that the fields of a reach, now and proposed
  control   after the fix: joined, the pairs of a x b that share a line only in the proposal; none is right
  silent    the pair does no harm where it is: a rank among the first is wrong
  shared    of a variable: its rank in what `sharing` finds to be shared falsely, from source; unshared: it is not among the first

    bench/rediscovery.py [--use fit|held] [--row ID]... [--clones DIR] [--users WAY] [-- OPTION...]     what follows -- goes to the tool"""

import csv
import os
import subprocess
import sys
import tempfile

import clones
import kst_bench as kb

FIRST = 3
FINDINGS = 5  # of `sharing`, as many as a user reads
TABLE = os.path.join(kb.ROOT, "bench", "data", "rediscovery.tsv")


def tree(name):
    """(source, build output) of the kernel `6.12`, or `6.12rt` with the configuration that the row needs."""
    version = name.removesuffix("rt")
    os.environ["KST_KERNEL"] = version
    obj = kb.kernel_tree("configure", "x86_64")
    source = kb.kernel_tree("source")
    if name == version:
        return source, obj
    with open(os.path.join(obj, ".config")) as file:
        config = file.read()
    with tempfile.NamedTemporaryFile("w", suffix=".config") as file:
        file.write(config.replace("# CONFIG_RT_GROUP_SCHED is not set", "CONFIG_RT_GROUP_SCHED=y"))
        file.flush()
        return source, kb.kernel_tree("configure", "rt", file.name)


def lines_of(layout):
    """For each field name, the members of unions each, its lines."""
    lines = {}
    for line in layout["lines"]:
        for field in line["fields"]:
            name = field if isinstance(field, str) else field["name"]
            for part in name.split("|"):
                lines.setdefault(part, set()).add(line["index"])
    return lines


def members(text):
    return [] if text == "-" else text.split(",")


def rank_of(pairs, report, now):
    """Of the best of the pairs among all that share a line and lose something; None if none does."""
    names = {part: field["name"] for field in report["fields"] for part in field["name"].split("|")}
    loss = {frozenset((edge["a"], edge["b"])): edge["loss"] for edge in report["affinity"]}
    of = lambda a, b: loss.get(frozenset((names.get(a, a), names.get(b, b))), 0)
    losses = sorted({frozenset((names.get(a, a), names.get(b, b))): of(a, b) for a in now for b in now if a < b and now[a] & now[b]}.values(),
                    reverse=True)
    best = max((of(a, b) for a, b in pairs), default=0)
    return losses.index(best) + 1 if best > 0 else None


def judged(row, report):
    """(what was found, right or not) of one answer of the tool."""
    now, new = lines_of(report["layouts"]["current"]), lines_of(report["layouts"]["proposed"])
    a, b = [[name for name in members(row[key]) if name in now] for key in ("a", "b")]
    if row["kind"] == "together":
        then, after = [len(set().union(*(lines[name] for name in a))) for lines in (now, new)]
        return f"{len(a)} fields on {then} lines, {after} proposed", {"together": after < then}
    pairs = [(x, y) for x in a for y in b]
    there = [(x, y) for x, y in pairs if now[x] & now[y]]
    joined = sum(not now[x] & now[y] and bool(new[x] & new[y]) for x, y in pairs)
    if row["kind"] == "control":
        return f"{joined} of {len(pairs)} pairs joined", {"kept": not joined}
    rank = rank_of(there, report, now)
    left = sum(bool(new[x] & new[y]) for x, y in there)
    said = f"{len(there)} pairs on a line, rank {rank or '-'}, {left} left, {joined} joined"
    if row["kind"] == "silent":
        return said, {"silent": rank is None or rank > FIRST}
    parted = bool(there) and not left
    own_line = {name for remedy in report["layouts"].get("remedies", []) for name in (remedy.get("field"), *remedy.get("with", ()))}
    mended = parted or bool(own_line & {*a, *b})
    return said, {"named": rank is not None and rank <= FIRST, "parted": parted, "mended": mended, "kept": not joined}


def asked_order(args, row, source, obj):
    """(verdict, moves, what was found, right or not) of a struct."""
    case = ["--users", f"{row['struct']}={args.users}"] if args.users else []
    answer = kb.run_tool(args, source, obj, row["paths"].split(), "--quiet", "--struct", row["struct"], *case, *args.option)
    report = answer["reports"][0] if "reports" in answer else answer
    total = report["layouts"]["total"]["proposed"]
    moves = next((point["moves"] for point in report["frontier"] if point["cost"] == total), "-")
    return report["verdict"], moves, *judged(row, report)


def asked_sharing(args, row, source, obj):
    """The same of a variable."""
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "sharing.json")
        done = subprocess.run([args.tool, "sharing", "-p", obj, "--quiet", "--json", path, *row["paths"].split()], cwd=source, stdout=subprocess.DEVNULL)
        if done.returncode not in (0, 3):
            sys.exit(f"exit status {done.returncode} of sharing in {source}")
        falsely = kb.read_json(path)["false"]
    rank = next((number for number, found in enumerate(falsely, 1) if row["struct"] in (found["object"], *found["fields"])), None)
    first = rank is not None and rank <= FINDINGS
    return "-", "-", f"rank {rank or '-'} of {len(falsely)}", {"shared": first} if row["kind"] == "shared" else {"unshared": not first}


def main():
    p = kb.parser(__doc__)
    p.set_defaults(reference=None)
    p.add_argument("--use", choices=["fit", "held"], help="only these rows")
    p.add_argument("--row", action="append", default=[], help="only this one (repeatable)")
    p.add_argument("--clones", metavar="DIR", type=os.path.abspath, help="with clones of haproxy, redis and valkey; without it only kernels")
    p.add_argument("--users", choices=["shared", "handed-over"], help="only this case of who shares an object")
    p.add_argument("option", nargs="*", help="of the tool")
    args = p.parse_args()
    kb.use_cache(args)
    trees, rows, counts = {}, [], {}
    with open(TABLE, newline="") as file:
        table = [row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
                 if args.use in (None, row["use"]) and (not args.row or row["row"] in args.row)]
    for row in table:
        for name in row["trees"].split():
            if "@" in name and not args.clones:
                continue
            source, obj = trees[name] = trees.get(name) or (2 * (clones.tree(name, args.clones),) if "@" in name else tree(name))
            ask = asked_sharing if row["kind"] in ("shared", "unshared") else asked_order
            verdict, moves, said, right = ask(args, row, source, obj)
            for what, is_right in right.items():
                counts.setdefault(what, []).append(is_right)
            rows.append([row["row"], row["use"], name, row["struct"], verdict, moves, said, ", ".join(w for w, r in right.items() if r) or "-"])
            print(*rows[-1], sep="  ", file=sys.stderr)
    kb.table(["row", "use", "tree", "struct", "verdict", "moves", "found", "right"], rows, left=range(8))
    print(", ".join(f"{what} {sum(right)} of {len(right)}" for what, right in counts.items()))


if __name__ == "__main__":
    sys.exit(main())
