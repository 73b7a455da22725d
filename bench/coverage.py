#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What share of the accesses to a struct's members does the tool resolve, and
why does it drop the others? For the scheduler, TCP and the VFS.

The numbers are the report's own counters (coverage.accesses): the script only
collects them. Objects are built first, so that the compile commands are those
of the build; --no-build leaves the trees as they are, configured at least."""

import sys

import kst_bench as kb

WORK = [
    ("kernel/sched", ["rq"]),
    ("net/ipv4", ["tcp_sock", "sock", "inet_sock"]),
    ("fs", ["inode", "dentry", "file", "super_block"]),
]


def main():
    p = kb.parser(__doc__)
    p.add_argument("--no-build", action="store_true")
    p.add_argument("--struct", help="only this one of " + ", ".join(s for _, names in WORK for s in names))
    args = p.parse_args()
    kb.use_cache(args)
    source = kb.kernel_tree("unpack")
    obj = kb.kernel_tree("configure", "x86_64")

    rows, reasons, failed = [], {}, {}
    for directory, structs in WORK:
        structs = [s for s in structs if args.struct in (None, s)]
        if not structs:
            continue
        files = [o[:-2] + ".c" for o in kb.objects(source, obj, directory)]
        if not args.no_build:
            kb.kernel_tree("build", "x86_64", *(f[:-2] + ".o" for f in files))
        for struct in structs:
            coverage = kb.run_tool(args, source, obj, files, "--struct", struct)["coverage"]
            units, accesses = coverage["translation_units"], coverage["accesses"]
            dropped = sum(accesses["dropped"].values())
            whole = accesses["resolved"] + dropped
            rows.append([directory, struct, f"{units['parsed']}/{units['selected']}", accesses["resolved"], dropped,
                         f"{100 * accesses['resolved'] / whole:.2f}%" if whole else "-"])
            for reason, count in accesses["dropped"].items():
                reasons.setdefault(reason, {})[struct] = count
            for unit in units["failed"]:
                text = unit if isinstance(unit, str) else ": ".join(map(str, unit.values()))
                failed.setdefault(directory, set()).add(text)
    if not rows:
        sys.exit(f"no struct {args.struct} in the list")

    kb.table(["directory", "struct", "units parsed", "resolved", "dropped", "share"], rows)
    structs = [row[1] for row in rows]
    print("\ndropped, by reason")
    kb.table(["reason", *structs], [[reason, *(reasons[reason].get(s, 0) for s in structs)] for reason in sorted(reasons)])
    for directory, texts in failed.items():
        print(f"\nunits that failed in {directory}:\n  " + "\n  ".join(sorted(texts)))


if __name__ == "__main__":
    main()
