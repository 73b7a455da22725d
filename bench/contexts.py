#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Object contexts of guests, against what is known of them otherwise.

    bench/contexts.py --kernel OBJ --out DIR [--only NAME]...

Boots a built kernel (x86-64, with DWARF; recorder/trace.config has what it needs) once for each workload under `trace record --pointers
all` without accesses, from the start of the kernel, and runs `contexts report` on the trace. DIR gets WORKLOAD.kstt, .console and the
report as JSON; a trace that is there stays. fio, sqlite3, redis-server, nginx and stress-ng are Debian's (scripts/packages).

attribution  pages of files against the page cache's own events: precision and recall, by pointers alone and by the best rule; bytes of slab
             objects of which a context is known; and bytes that interrupts allocate, and how many of these have no context
lifetimes    medians by Kaplan and Meier in recorded events: slab objects of contexts, other slab objects, pages of files, pages of
             applications; `>`: more than half outlive the trace. Whether slab < page cache < application
purity       of slabs with two live objects or more, and of the same objects placed by chance; objects in one slab

The guest's own program (contexts/known_files.c) says which files and sockets it made. Of these, `known` wants: each file is a context with
its inode number, with as many pages as it has bytes; and as many sockets that were opened as it made, and no more. `alone` and `alternate`
are the control of purity: buffer heads of one file that is written alone, and of two that are written in turns. These three are recorded
while the program runs. Exit status 1 if one of these is off: a file, a socket, a page, the purity of `alone` below 0.9 or that of
`alternate` not below it by 0.2."""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "contexts")]
import kst_bench as kb  # noqa: E402
from workloads import KNOWN, PROGRAMS, arguments, recorded, report  # noqa: E402
from kst_kernel import state  # noqa: E402

PURE = ("dentry", "ext4_inode_info", "socket_alloc", "sk_buff", "sk_buff_fclones", "buffer_head")
WINDOWS = "200"  # socket buffers are few at one time
KINDS = ("slab_of_contexts", "slab_of_none", "files", "applications")


def life(of):
    return f"{of['median']:.3g}" if of["median"] is not None else ">" if of["living"] else "-"


def order(lives):
    """Whether slab < page cache < application: what outlives the trace is longer than what does not; two such are not told apart."""
    medians = [lives[what]["median"] or (float("inf") if lives[what]["living"] else None) for what in ("slab_of_contexts", "files", "applications")]
    if None in medians:
        return "-"
    return "yes" if medians[0] < medians[1] < medians[2] else "no"


def purity(report, kind):
    of = next((t["purity"] for t in report["types"] if t["name"] == kind and t["purity"]["slabs"]), None)
    return f"{of['purity']:.2f} ({of['by_chance']:.2f}) of {of['objects'] / of['slabs']:.0f}" if of else "-"


def known(console, report):
    """What is off of what the guest said; its files must be on a device, its sockets of sockfs."""
    with open(console, errors="replace") as file:
        text = file.read()
    files = {int(inode): int(size) for inode, size in re.findall(r"^file 25\d:\d+ (\d+) (\d+)", text, re.M)}
    sockets = len(set(re.findall(r"^socket (\d+)", text, re.M)))
    off = []
    rows = {row["inode"]: row for row in report["largest"] if "inode" in row and row["class"] == "ext4_inode_info"}
    for inode, size in files.items():
        pages = rows.get(inode, {}).get("file_pages", 0)
        if pages != (size + 4095) // 4096:
            off.append(f"file {inode}: {pages} pages of {size} bytes")
    opened = sum(of["opened"] for of in report["classes"] if of["name"] == "socket_alloc")
    if opened != sockets:
        off.append(f"{opened} sockets opened, {sockets} made")
    return len(files), sockets, off


def controls(reports, consoles):
    """What is off of the guests that say what they did."""
    wrong = []
    if "known" in reports:
        files, sockets, off = known(consoles["known"], reports["known"])
        print(f"known: {files} files and {sockets} sockets made; {len(off)} off")
        wrong += off
    pure = [t["purity"]["purity"] for name in ("alone", "alternate") if name in reports for t in reports[name]["types"] if t["name"] == "buffer_head"]
    if len(pure) == 2:
        print(f"purity of buffer heads: one file alone {pure[0]:.3f}, two in turns {pure[1]:.3f}")
        if pure[0] < 0.9 or pure[1] > pure[0] - 0.2:
            wrong.append("the control of purity")
    return wrong


def main():
    every = KNOWN | PROGRAMS
    args = arguments(__doc__, every)
    attribution, lifetimes, pure, wrong, reports, consoles = [], [], [], [], {}, {}
    for name in args.only or every:
        window = name in ("known", "alone", "alternate")
        trace = recorded(args, name, every[name], window, accesses=False, scale=args.scale)
        if not trace:
            wrong.append(f"{name}: no recording")
            continue
        found = reports[name] = report(args, "report", trace, "--windows", WINDOWS)
        consoles[name] = trace + ".console"
        truth, slab = found["page_cache"], found["slab"]
        total = sum(slab["bytes"].values())
        attribution.append([name, f"{found['trace']['events'] / 1e6:.1f}", f"{truth['best']['pages']:,}", f"{truth['pointers']['precision']:.4f}",
                            f"{truth['pointers']['recall']:.4f}", f"{truth['best']['precision']:.4f}", f"{truth['best']['recall']:.4f}",
                            f"{100 * (1 - slab['bytes']['none'] / total):.1f}%", f"{100 * slab['interrupt_bytes'] / total:.1f}%",
                            f"{100 * slab['interrupt_none'] / max(1, slab['interrupt_bytes']):.0f}%"])
        if not window:
            lifetimes.append([name, *(life(found["lives"][what]) for what in KINDS), order(found["lives"])])
            pure.append([name, *(purity(found, kind) for kind in PURE)])
    kb.table(["attribution", "M events", "pages", "pointers: prec.", "recall", "best: prec.", "recall", "slab known", "in interrupts", "unknown there"],
             attribution)
    print()
    kb.table(["lifetimes", "slab of contexts", "other slab", "page cache", "application", "in this order"], lifetimes)
    print()
    kb.table(["purity (by chance) of objects", *PURE], pure)
    print()
    wrong += controls(reports, consoles)
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except state.Failed as error:
        sys.exit(str(error))
