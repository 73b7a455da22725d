#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Are the patches right? For each of a list of kernel structs, in x86_64 and
arm64 configurations at once:

  1. the tool writes a patch (--patch) and its predictions (--json);
  2. `git apply` takes it on a copy of the kernel;
  3. the tool, run again on the patched copy, finds exactly the predicted
     offsets and size in both configurations;
  4. its verdict is now `keep`;
  5. with every patch applied, objects are built in both architectures with the
     warnings counted before and after (--build).

The copy is made of hard links in a scratch directory; the kernel in the cache
is not touched. Prints a line for each struct and exits with 1 if a claim is
false for any struct that got a patch."""

import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

import kst_bench

NET = ["net/ipv4/tcp.c", "net/ipv4/tcp_input.c", "net/ipv4/tcp_output.c", "net/ipv4/tcp_ipv4.c"]
CORE = ["net/core/dev.c", "net/core/skbuff.c", "net/core/sock.c", "net/core/neighbour.c"]
FS = ["fs/namei.c", "fs/dcache.c", "fs/inode.c", "fs/open.c", "fs/read_write.c", "fs/file_table.c", "fs/super.c"]
MM = ["mm/memory.c", "mm/mmap.c", "mm/vma.c", "mm/page_alloc.c", "mm/vmscan.c", "kernel/fork.c"]
BLOCK = ["block/bio.c", "block/blk-core.c", "block/blk-mq.c", "block/blk-merge.c"]
SCHED = ["kernel/sched/"]
STRUCTS = {
    "rq": SCHED, "cfs_rq": SCHED, "sched_entity": SCHED, "rt_rq": SCHED, "dl_rq": SCHED, "root_domain": SCHED,
    "sched_domain": SCHED, "task_struct": SCHED, "signal_struct": ["kernel/signal.c", "kernel/exit.c", "kernel/fork.c"],
    "tcp_sock": NET, "inet_connection_sock": NET, "sock": NET + CORE, "net_device": CORE, "sk_buff": CORE,
    "softnet_data": CORE, "neighbour": CORE, "inode": FS, "dentry": FS, "file": FS, "super_block": FS,
    "mm_struct": MM, "vm_area_struct": MM, "zone": MM, "lruvec": MM,
    "request_queue": BLOCK, "request": BLOCK, "bio": BLOCK, "blk_mq_hw_ctx": BLOCK, "blk_mq_ctx": BLOCK,
}
TREES = ["x86_64", "arm64"]
# What is built with all patches applied, for --build: the files analysed.
TARGETS = sorted({path[:-2] + ".o" if path.endswith(".c") else path for paths in STRUCTS.values() for path in paths})


def analyse(args, source, objs, struct, paths, *options):
    """(report or None, what the tool said) of one run from the source tree."""
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.join(scratch, "report.json")
        command = [args.tool, "--struct", struct, "--json", report, "--quiet", *options]
        for obj in objs:
            command += ["-p", obj]
        done = subprocess.run([*command, *paths], cwd=source, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = done.stderr.strip()
        return (kst_bench.read_json(report) if done.returncode == 0 else None), f"exit {done.returncode}: {said}"


def layouts(report, which):
    """Per configuration: triple -> (size, {field: offset}) for `which` order."""
    return {config["triple"]: (config["size"][which], {f["name"]: f[which] for f in config["offsets"]})
            for config in report["configs"] if config["optimised"]}


def copy_tree(source, into):
    """A kernel tree of hard links; `git apply` replaces files, so the original stays."""
    copy = os.path.join(into, os.path.basename(source))
    subprocess.run(["cp", "-al", source, copy], check=True)
    return copy


def apply(tree, patch, *options):
    done = subprocess.run(["git", "apply", *options, patch], cwd=tree, stderr=subprocess.PIPE, text=True)
    return done.returncode == 0, done.stderr.strip()


def check(args, struct, source, objs, copy, copy_objs, patch):
    """(row for the table, patch is there, everything true)."""
    report, said = analyse(args, source, objs, struct, STRUCTS[struct], "--patch", patch)
    if not report:
        return [struct, said[:60], "", "", "", "", ""], False, False
    moves = next((p["moves"] for p in report["frontier"] if p["cost"] <= report["layouts"]["total"]["proposed"] * 1.000001), "")
    before, after = (report["layouts"][w]["cost"]["total"] for w in ("current", "proposed"))
    row = [struct, report["verdict"], moves if report["verdict"] == "reorder" else "",
           f"{100 * (after / before - 1):.1f} %" if report["verdict"] == "reorder" else ""]
    if report["verdict"] != "reorder":
        return [*row, "", "", ""], False, not os.path.exists(patch)
    ok, why = apply(copy, patch)
    if not ok:
        return [*row, "NO: " + why[:60], "", ""], True, False
    try:
        again, said = analyse(args, copy, copy_objs, struct, STRUCTS[struct])
    finally:
        apply(copy, patch, "-R")
    if not again:
        return [*row, "yes", said[:60], ""], True, False
    wanted, got = layouts(report, "proposed"), layouts(again, "current")
    same = wanted == got
    compared = sum(len(fields) for _, fields in got.values())
    return [*row, "yes", f"{compared} equal" if same else "DIFFER", again["verdict"]], True, same and again["verdict"] == "keep"


def warnings(log):
    """How often each warning was printed."""
    with open(log, errors="replace") as file:
        return collections.Counter(re.findall(r"warning: .*", file.read()))


def build(tree, cache):
    """Builds TARGETS anew in `cache`; the log."""
    obj = kst_bench.kernel_tree("configure", tree)
    for target in TARGETS:
        directory = os.path.join(obj, target.rstrip("/")) if target.endswith("/") else None
        if directory:
            subprocess.run(["find", directory, "-name", "*.o", "-delete"], check=False)
        elif os.path.exists(os.path.join(obj, target)):
            os.remove(os.path.join(obj, target))
    kst_bench.kernel_tree("build", tree, *TARGETS)
    return os.path.join(cache, f"build-{tree}.log")


def main():
    parser = kst_bench.parser(__doc__)
    parser.add_argument("--struct", action="append", choices=STRUCTS, help="only this one; may be repeated")
    parser.add_argument("--build", action="store_true", help="also build objects with every patch applied")
    parser.add_argument("--keep", metavar="DIR", help="keep patches and the patched tree here")
    args = parser.parse_args()
    kst_bench.use_cache(args)
    source = kst_bench.kernel_tree("source")
    objs = [kst_bench.kernel_tree("configure", tree) for tree in TREES]
    plain = {tree: warnings(build(tree, os.path.dirname(source))) for tree in TREES} if args.build else None

    scratch = os.path.abspath(args.keep) if args.keep else tempfile.mkdtemp(dir=os.path.dirname(source), prefix=".patches-")
    os.makedirs(scratch, exist_ok=True)
    try:
        copy = copy_tree(source, scratch)
        os.environ["KST_CACHE"] = scratch
        copy_objs = [kst_bench.kernel_tree("configure", tree) for tree in TREES]
        rows, patches, failed = [], [], []
        for struct in args.struct or STRUCTS:
            patch = os.path.join(scratch, struct + ".patch")
            row, has_patch, true = check(args, struct, source, objs, copy, copy_objs, patch)
            rows.append(row)
            patches += [patch] if has_patch else []
            failed += [] if true else [struct]
            print(*row, sep="\t", file=sys.stderr, flush=True)
        kst_bench.table(["struct", "verdict", "moves", "cost", "applies", "offsets", "second run"], rows, left=(0, 1, 4, 5, 6))
        print(f"\n{len(patches)} patches of {len(rows)} structs; false for: {', '.join(failed) or 'none'}")
        if args.build:
            for patch in patches:
                ok, why = apply(copy, patch)
                if not ok:
                    failed.append(os.path.basename(patch))
                    print(f"{os.path.basename(patch)} does not apply on top of the others: {why}")
            for tree in TREES:
                new = warnings(build(tree, scratch)) - plain[tree]
                print(f"{tree}: objects of {len(TARGETS)} targets built with all patches; new warnings: {sum(new.values())}")
                for text, count in new.items():
                    print(f"  {count} x {text}")
                failed += [tree] if new else []
        return 1 if failed else 0
    finally:
        if not args.keep:
            shutil.rmtree(scratch)


if __name__ == "__main__":
    sys.exit(main())
