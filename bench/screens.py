#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The first screens of twelve kernel structs, as files to read.

Runs the tool on a configured kernel 6.12 and writes of each report what a reader sees first: the head with the verdict, the hottest
groups, the paths, and the risks of false sharing. docs/screens/ has them as written by this script, before/ with the tool as of commit
8474144 (--tool).

    bench/screens.py [--out docs/screens/after] [--struct NAME]"""

import os
import re
import subprocess
import sys

import kst_bench as kb

STRUCTS = {
    "inode": ["fs/"], "dentry": ["fs/"], "file": ["fs/"], "request_queue": ["block/"], "bio": ["block/"],
    "kmem_cache": ["mm/", "kernel/fork.c"], "vm_area_struct": ["mm/", "kernel/fork.c"], "mm_struct": ["mm/", "kernel/fork.c"],
    "sk_buff": ["net/core/", "net/ipv4/"], "sock": ["net/core/", "net/ipv4/"], "net_device": ["net/core/", "net/ipv4/"],
    "rq": ["kernel/sched/"],
}
SECTIONS = ("hottest groups", "cache lines touched per visit", "false-sharing risks")


def first_screen(report):
    """
    >>> first_screen("head\\n\\nhottest groups, by line\\n  a\\n\\norders compared\\n  b\\n\\nfalse-sharing risks\\n  c\\n")
    'head\\n\\nhottest groups, by line\\n  a\\n\\nfalse-sharing risks\\n  c\\n'
    """
    parts = re.split(r"\n\n(?=[a-z])", report.rstrip("\n"))
    head = next((i for i, part in enumerate(parts) if part.startswith(SECTIONS)), len(parts))
    return "\n\n".join(part for i, part in enumerate(parts) if i < head or part.startswith(SECTIONS)) + "\n"


def trees():
    """Source and build directory. A tree of its own: in one that is partly built the tool looks at that part only."""
    built = kb.kernel_tree("configure", "x86_64")
    return kb.kernel_tree("source"), kb.kernel_tree("configure", "conf", os.path.join(built, ".config"))


def main():
    p = kb.parser(__doc__)
    p.add_argument("--struct", action="append", choices=STRUCTS, help="only this one; may be repeated")
    p.add_argument("--out", type=os.path.abspath, default=os.path.join(kb.ROOT, "docs", "screens", "after"), metavar="DIR")
    p.add_argument("--cache-dir", type=os.path.abspath, metavar="DIR", help="keep what was extracted here")
    args = p.parse_args()
    kb.use_cache(args)
    source, tree = trees()
    os.makedirs(args.out, exist_ok=True)
    for struct in args.struct or STRUCTS:
        done = subprocess.run([args.tool, "--struct", struct, "-p", tree, *(["--cache-dir", args.cache_dir] if args.cache_dir else []),
                               *STRUCTS[struct]], cwd=source, capture_output=True, text=True)
        if not done.stdout:
            sys.exit(f"{struct}: exit status {done.returncode}: {done.stderr.strip()[-300:]}")
        with open(os.path.join(args.out, struct + ".txt"), "w") as file:
            file.write(first_screen(done.stdout))


if __name__ == "__main__":
    main()
