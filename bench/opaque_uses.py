#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Opaque uses of structs of a configured kernel, by place, and the rules "at its start is freed".

    bench/opaque_uses.py -p OBJ"""

import json
import os
import subprocess
import sys
import tempfile

import kst_bench as kb

GROUPS = (
    ("cpu_stopper", "kernel/stop_machine.c"),
    ("tlb_state", "arch/x86/mm/tlb.c"),
    ("rq task_struct sched_entity cfs_rq sched_domain", "kernel/sched kernel/fork.c kernel/exit.c kernel/signal.c"),
    ("tcp_sock net_device sock inet_sock file dentry folio super_block mm_struct vm_area_struct address_space neighbour dst_entry kmem_cache "
     "inode page sk_buff skb_shared_info",
     "net/core net/ipv4 fs/file.c fs/file_table.c fs/dcache.c fs/inode.c fs/namei.c fs/open.c fs/read_write.c fs/super.c mm/filemap.c "
     "mm/memory.c mm/mmap.c mm/slub.c mm/page_alloc.c mm/vmscan.c mm/rmap.c mm/swap.c kernel/fork.c kernel/exit.c"),
)


def main():
    p = kb.parser(__doc__)
    p.add_argument("-p", dest="build", required=True, metavar="OBJ", help="build directory of the kernel")
    p.add_argument("--places", action="store_true", help="list each place")
    args = p.parse_args()
    rows = []
    for structs, paths in GROUPS:
        for struct in structs.split():
            with tempfile.TemporaryDirectory() as scratch:
                said = os.path.join(scratch, "report.json")
                subprocess.run([args.tool, "--struct", struct, "-p", args.build, "--json", said, "--quiet", *paths.split()], check=True)
                with open(said) as file:
                    report = json.load(file)
            uses = report["opaque_uses"]
            freed = [rule["why"] for rule in report["constraints"] if "is freed by" in rule["why"]]
            rows.append([struct, len(uses), " ".join(sorted({use["function"] for use in uses})[:6]), "; ".join(sorted(set(freed)))])
            for use in uses if args.places else []:
                print(struct, use["location"], use["function"] + "():", use["what"])
    kb.table(["struct", "opaque uses", "in", "freed"], rows)


if __name__ == "__main__":
    sys.exit(main())
