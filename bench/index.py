#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An index of a whole kernel: what it costs, and what it saves.

In a source tree and a build of it, for all units below the given paths:

  clang      CPU time of `clang -fsyntax-only -w` of each unit that the tool selects, with the flags that the tool gives it
  index      CPU time of `kstatic-affinity index` without any cache, to that; its size; the same for every process count
  answers    `--struct` for 20 structs, the first that `--structs` names or the hot ones below that the tree has: seconds with the
             index and without it, from the cache of facts that --cache names and has full, and whether both write the same JSON
  dask       the same index by two Dask workers, one of which is killed at half of the time that the run takes without
             that (--half); CPU time of scheduler, workers, driver and tool to that of the first; the same bytes?

CPU time is user + system of everything that was started. One after the other, -j processes at once."""

import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import kst_bench as kb
from speed import measure, median

# Hot and cold, of few and of nearly all units.
STRUCTS = ("task_struct file inode dentry page folio sk_buff sock net_device rq cfs_rq mm_struct vm_area_struct zone "
           "super_block bio request_queue pipe_inode_info kmem_cache signal_struct").split()
CLUSTER = os.path.join(kb.ROOT, "test", "lit", "tools", "dask_cluster.py")


def clang_commands(args, source, obj):
    """(directory, command) of each unit that the tool selects and the index has, with the flags that the tool gives it."""
    done = subprocess.run([kb.dev_tool(args.tool), "units", "-p", obj, *args.paths], cwd=source, capture_output=True, check=True)
    return [(unit["directory"], [args.clang, *unit["arguments"][:-1], "-fsyntax-only", "-w", unit["arguments"][-1]])
            for unit in json.loads(done.stdout)["units"]]


def run(command, cwd, **more):
    """(CPU seconds, wall seconds, peak MiB)"""
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **more)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"exit status {process.returncode} of: " + shlex.join(command))
    return usage.ru_utime + usage.ru_stime, time.monotonic() - began, usage.ru_maxrss / 1024


def main():
    p = kb.parser(__doc__)
    p.add_argument("source", help="the kernel's source")
    p.add_argument("obj", help="a build of it")
    p.add_argument("paths", nargs="*", default=["."])
    p.add_argument("--structs", default=",".join(STRUCTS))
    p.add_argument("--compare", type=int, default=1000, metavar="N", help="only the first N structs also without the index")
    p.add_argument("--clang", default="clang-19")
    p.add_argument("--half", type=float, help="seconds after which the worker is killed (default: half of what index took)")
    p.add_argument("--cache", help="directory of facts for answers without the index; with --part answers alone the index is made from it")
    p.add_argument("--made", metavar="FILE", help="for --part answers: an index that is there")
    p.add_argument("--part", action="append", choices=["clang", "answers", "dask"], help="besides the index (default: all)")
    p.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    args = p.parse_args()
    parts = args.part or ["clang", "answers", "dask"]
    source, obj = os.path.abspath(args.source), os.path.abspath(args.obj)
    scratch = tempfile.mkdtemp(prefix="kst-index-")
    tree = os.path.join(scratch, "tree.ksti")
    facts = ["--cache-dir", args.cache] if args.cache and parts == ["answers"] else ["--no-cache"]
    base = [args.tool, "index", *facts, "-j", str(args.jobs), "-p", obj]
    try:
        if args.made:
            return answers(args, source, obj, os.path.abspath(args.made), scratch)
        cpu, wall, peak = run([*base, "-o", tree, *args.paths], source)
        print(f"index{' from the cache' if len(facts) == 2 else ''}: {cpu:.1f} s of CPU time, {wall:.0f} s, {peak:.0f} MiB; {os.path.getsize(tree) / 1e6:.1f} MB", flush=True)
        if "clang" in parts:
            commands = clang_commands(args, source, obj)
            with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
                theirs = list(pool.map(lambda of: measure(of[1], of[0]), commands))
            total = sum(r[0] for r in theirs)
            print(f"clang -fsyntax-only -w of {len(commands)} units, {sum(bool(r[2]) for r in theirs)} with errors: "
                  f"{total:.1f} s of CPU time; index to that: {cpu / total:.2f}", flush=True)
        if "answers" in parts:
            answers(args, source, obj, tree, scratch)
        if "dask" in parts:
            dask(args, source, base, tree, scratch, cpu, wall)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def answers(args, source, obj, tree, scratch):
    facts = args.cache or os.path.join(scratch, "cache")
    common = [args.tool, "-p", obj, "--cache-dir", facts, "--quiet"]
    if not args.cache and args.compare:
        run([*common, "--struct", STRUCTS[0], *args.paths], source)
    names = args.structs.split(",")
    rows, same, seconds, without = [], 0, [], []
    for number, name in enumerate(names):
        reports = [os.path.join(scratch, f"{kind}.json") for kind in ("with", "without")]
        with_index = run([*common, "--struct", name, "--index", tree, "--json", reports[0], *args.paths], source)
        seconds.append(with_index)
        units = kb.read_json(reports[0])["coverage"]["translation_units"]["parsed"]
        row = [name, units, f"{with_index[1]:.1f}", f"{with_index[0]:.1f}", f"{with_index[2]:.0f}"]
        if number < args.compare:
            again = run([*common, "--struct", name, "--json", reports[1], *args.paths], source)
            without.append(again)
            equal = open(reports[0], "rb").read() == open(reports[1], "rb").read()
            same += equal
            row += [f"{again[1]:.1f}", f"{again[0]:.1f}", f"{again[2]:.0f}", "yes" if equal else "NO"]
        rows.append(row + [""] * (9 - len(row)))
    kb.table(["struct", "units", "s", "CPU s", "MiB", "cache: s", "CPU s", "MiB", "same bytes"], rows)
    print(f"{len(names)} structs: median {median([r[1] for r in seconds]):.1f} s, {median([r[0] for r in seconds]):.1f} s of CPU time, "
          f"with the index; {same} of {len(without)} compared reports are the same bytes as from the cache")


def dask(args, source, base, tree, scratch, cpu, wall):
    other = os.path.join(scratch, "dask.ksti")
    command = [*base, "--dask", "SCHEDULER", "-o", other, *args.paths]
    said = os.path.join(scratch, "said")
    with open(said, "w") as out:
        theirs = run([sys.executable, CLUSTER, "--workers", "2", "--kill", "--after", f"{args.half or wall / 2:.1f}", "--", *command],
                     source, stderr=out)
    killed = "a worker was killed" in open(said).read()
    same = open(tree, "rb").read() == open(other, "rb").read()
    print(f"two Dask workers, one killed half-way ({'yes' if killed else 'NO'}): {theirs[0]:.1f} s of CPU time, {theirs[0] / cpu:.2f} times one "
          f"process; {theirs[1]:.0f} s; {'the same bytes' if same else 'OTHER BYTES'}")


if __name__ == "__main__":
    main()
