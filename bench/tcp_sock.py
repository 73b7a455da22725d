#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Score the tool on struct tcp_sock against the table in the kernel's own
Documentation/networking/net_cachelines/tcp_sock.rst.

The table says by hand, for each field, whether the transmit and the receive
fast path touch it and whether they mostly read it or write it as well, and in
which functions. Every function it names that the source defines is given to
the tool as hot. Then:

  touched      the field's hotness is at least --touched times that of a field
               with an average share (1 / number of fields)
  read_write   writes are at least --write-share of its accesses

The defaults were fixed before the first measurement; other values are printed
beside, so that nobody has to trust the choice. A second reading of read_write
is there too, made after it: the field's *written* share of all accesses must
be as large as `touched` asks of its whole share. The notes on each difference
are in bench/tcp_sock_notes.py.

--truth groups scores against the groups that the definition itself has in this
kernel (CACHELINE_ASSERT_GROUP_MEMBER in net/ipv4/tcp.c) instead of the table."""

import os
import re
import sys
import tempfile

import kst_bench as kb
import tcp_sock_notes as notes

TABLE = "Documentation/networking/net_cachelines/tcp_sock.rst"
# The units that hold the functions that the table names.
PATHS = ["net/ipv4/", "net/core/", "net/ipv6/tcp_ipv6.c"]
# Words of the comment column that say how, not where.
NOT_FUNCTIONS = {"tx", "rx", "write", "read", "timer"}


def parse_table(path):
    """Rows as {name, tx, rx, functions}; tx and rx are "", "read_mostly" or
    "read_write". Columns stand at the positions of the header's."""
    with open(path) as file:
        lines = file.read().splitlines()
    try:
        head = next(i for i, line in enumerate(lines) if line.startswith("Type") and "fastpath_tx_access" in line)
    except StopIteration:
        sys.exit(f"{path}: no table with a column fastpath_tx_access")
    at = [lines[head].index(word) for word in ("Name", "fastpath_tx_access", "fastpath_rx_access", "Comments")]
    rows = []
    for line in lines[head + 1:]:
        if not line.strip() or line.startswith("..") or set(line.strip()) <= set("= "):
            continue
        name, tx, rx = (line[a:b].strip() for a, b in zip(at, at[1:]))
        if not re.fullmatch(r"\w+", name):
            continue
        comment = line[at[3]:]
        # a/b is two functions; so is a_start/stop with the first one's stem.
        functions = set(re.findall(r"\b[a-z_]\w{3,}", comment)) - NOT_FUNCTIONS
        for stem, second in re.findall(r"\b(\w+_)\w+/(\w+)", comment):
            if not second.startswith("tcp"):
                functions = functions - {second} | {stem + second}
        rows.append({"name": name, "tx": access(tx), "rx": access(rx), "functions": functions})
    return rows


def parse_groups(path):
    """field -> "read_mostly" or "read_write", by the group that holds it."""
    with open(path) as file:
        members = re.findall(r"CACHELINE_ASSERT_GROUP_MEMBER\(struct tcp_sock, tcp_sock_(read|write)_\w+,\s*(\w+)\)", file.read())
    return {name: "read_mostly" if kind == "read" else "read_write" for kind, name in members}


def access(text):
    return text if text in ("read_mostly", "read_write") else ""


def defined(source, names):
    """Those of `names` that net/ or include/net/ defines as a function: the
    name at the start of a line or after a type, and a body, no semicolon."""
    pattern = re.compile(r"^(?!\s)[\w \t*]*?\b(\w+)\s*\((?:[^;{}]*)\)\s*(?:\n\s*)?\{", re.M)
    found = set()
    for directory in ("net/ipv4", "net/ipv6", "net/core", "include/net", "include/linux"):
        for parent, _, files in os.walk(os.path.join(source, directory)):
            for file_name in files:
                if "tcp" in file_name or "sock" in file_name or directory == "net/core":
                    with open(os.path.join(parent, file_name), errors="replace") as file:
                        found.update(set(pattern.findall(file.read())) & names)
    return found


def ratio(part, whole):
    return part / whole if whole else 0.0


def confusion(rows, cut):
    """True positives, false positives, false negatives of "touched"."""
    hit = sum(r["hotness"] >= cut and r["touched"] for r in rows)
    return hit, sum(r["hotness"] >= cut for r in rows) - hit, sum(r["touched"] for r in rows) - hit


def kind_right(row, share):
    return (row["write_share"] >= share) == row["read_write"]


def written_right(row, cut):
    return (row["hotness"] * row["write_share"] >= cut) == row["read_write"]


def main():
    p = kb.parser(__doc__)
    p.add_argument("--report", help="score this JSON report instead of running the tool")
    p.add_argument("--build", action="store_true", help="build the objects of " + " ".join(PATHS) +
                   " first, for their exact compile commands; else the tree is only configured")
    p.add_argument("--truth", choices=["table", "groups"], default="table", help="default table")
    p.add_argument("--touched", type=float, default=0.1, metavar="X", help="default 0.1")
    p.add_argument("--write-share", type=float, default=0.1, metavar="X", help="default 0.1")
    p.add_argument("--causes", action="store_true", help="count the causes of differences instead of listing the fields")
    args = p.parse_args()
    kb.use_cache(args)

    source = kb.kernel_tree("unpack")
    obj = kb.kernel_tree("configure", "x86_64")
    table = parse_table(os.path.join(source, TABLE))
    groups = parse_groups(os.path.join(source, "net/ipv4/tcp.c"))
    named = set().union(*(row["functions"] for row in table))
    fields_named = {row["name"] for row in table}
    hot = sorted(defined(source, named))
    unknown = sorted(named - set(hot) - fields_named)
    print(f"{TABLE}: {len(table)} rows, {len(hot)} functions; named there, not defined in the source: "
          + (", ".join(unknown) or "none") + "\n")

    if args.report:
        report = kb.read_json(args.report)
    else:
        if args.build:
            for path in PATHS:
                whole = path.endswith("/")
                kb.kernel_tree("build", "x86_64", *(kb.objects(source, obj, path[:-1]) if whole else [path[:-2] + ".o"]))
        with tempfile.NamedTemporaryFile("w", suffix=".hot") as hot_file:
            hot_file.write("".join(name + "\n" for name in hot))
            hot_file.flush()
            report = kb.run_tool(args, source, obj, PATHS, "--struct", "tcp_sock", "--hot-file", hot_file.name)

    if args.truth == "groups":
        for row in table:
            row["tx"], row["rx"] = groups.get(row["name"], ""), ""
        print(f"truth: {len(groups)} fields in the groups of the definition\n")
    else:
        other = [r["name"] for r in table if r["name"] in groups and (r["tx"] or r["rx"]) and
                 (groups[r["name"]] == "read_write") != ("read_write" in (r["tx"], r["rx"]))]
        lone = [r["name"] for r in table if bool(r["tx"] or r["rx"]) != (r["name"] in groups)]
        print(f"The kernel's own groups contradict the table on the kind of {len(other)} fields ({', '.join(other)}),\n"
              f"and one of the two leaves out {len(lone)} ({', '.join(lone)}).\n")

    by_name = {part: f for f in report["fields"] for part in f["name"].split("|")}
    rows = []
    for row in table:
        field = by_name.get(row["name"])
        if field is None:
            continue
        accesses = field["reads"] + field["writes"]
        rows.append({**row, "touched": bool(row["tx"] or row["rx"]), "read_write": "read_write" in (row["tx"], row["rx"]),
                     "hotness": field["hotness"], "write_share": ratio(field["writes"], accesses), "accesses": accesses})
    absent = [row["name"] for row in table if row["name"] not in by_name]
    print(f"{len(rows)} rows compared; not members of the struct in this configuration: {', '.join(absent) or 'none'}")
    mean = 1 / len(report["fields"])

    print()
    sweep = sorted({0.0001, 0.001, 0.01, 0.03, 0.1, 0.3, 1.0, args.touched})
    lines = []
    for factor in sweep:
        hit, extra, missed = confusion(rows, max(factor * mean, 1e-300))
        precision, recall = ratio(hit, hit + extra), ratio(hit, hit + missed)
        lines.append([f"touched: hotness >= {factor:g} x average" + (" <- chosen" if factor == args.touched else ""),
                      hit, extra, missed, f"{precision:.3f}", f"{recall:.3f}",
                      f"{ratio(2 * precision * recall, precision + recall):.3f}"])
    kb.table(["", "right", "extra", "missed", "precision", "recall", "F1"], lines)

    cut = max(args.touched * mean, 1e-300)
    both = [r for r in rows if r["touched"] and r["hotness"] >= cut]
    print()
    kb.table(["read_mostly or read_write, of the fields that both say are touched", "right", "of", "accuracy"],
             [[f"write share >= {share:g}" + (" <- chosen" if share == args.write_share else ""),
               sum(kind_right(r, share) for r in both), len(both), f"{ratio(sum(kind_right(r, share) for r in both), len(both)):.3f}"]
              for share in sorted({0.01, 0.03, 0.1, 0.2, 0.3, 0.5, args.write_share})] +
             [[f"written share >= {factor:g} x average" + (" (second reading)" if factor == args.touched else ""),
               sum(written_right(r, factor * mean) for r in both), len(both),
               f"{ratio(sum(written_right(r, factor * mean) for r in both), len(both)):.3f}"]
              for factor in sorted({0.01, 0.03, 0.1, 0.3, args.touched})])

    differ = [("missed: the table says touched, the tool not", [r for r in rows if r["touched"] and r["hotness"] < cut], notes.TOUCHED),
              ("extra: the tool says touched, the table not", [r for r in rows if not r["touched"] and r["hotness"] >= cut], notes.TOUCHED),
              ("touched by both, but read_mostly / read_write differs",
               [r for r in both if not kind_right(r, args.write_share)], notes.KIND)]
    print()
    kb.table(["where the two differ", "fields", *CAUSES], [[title, len(found), *count(found, why)] for title, found, why in differ])
    for title, found, why in [] if args.causes else differ:
        show(title, found, why)


CAUSES = ["table", "view", "tool", "no note"]


def count(rows, why):
    """How many of them have which cause, in the order of CAUSES."""
    causes = [why.get(r["name"], "no note").split(":")[0] for r in rows]
    return [causes.count(cause) for cause in CAUSES]


def show(title, rows, why):
    print(f"\n{title}")
    kb.table(["field", "tx", "rx", "hotness", "writes", "why"],
             [[r["name"], r["tx"] or "-", r["rx"] or "-", f"{100 * r['hotness']:.3f}%",
               f"{100 * r['write_share']:.0f}%" if r["accesses"] else "none", why.get(r["name"], "?")]
              for r in sorted(rows, key=lambda r: -r["hotness"])], left=(0, 5))


if __name__ == "__main__":
    main()
