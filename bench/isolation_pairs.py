#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Patches that put a written global beside read ones, and harmless ones:

  isolation_pairs.py --tool kstatic-affinity --build OUT --source LINUX --work DIR --trace TRACE

OUT and DIR as of isolation_exact.py; TRACE is recorded with OUT's kernel if it is not there: all accesses to its data in some workloads. Each patch is compiled and given to `isolation impact
--changed --trace`. A bad one is found if a pair with the global that it is about starts to share a line; a harmless one is found if any pair starts.
misses: by false sharing on the found pairs in the replay, before and after the patch; all: on all globals."""

import argparse
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from isolation_exact import Build, run  # noqa: E402
from trials import Trial  # noqa: E402

RUNS = ["fork 200", "exec 40", "pipe 3000", "futex 3000", "names 200", "faults 20"]

# (what, file, text, in place of it, the global it is about or None)
PATCHES = [
    ("a counter of forks among what is read mostly", "kernel/fork.c", "unsigned long total_forks;", "unsigned long total_forks __read_mostly;", "total_forks"),
    ("the number of threads among what is read mostly", "kernel/fork.c", "int nr_threads;", "int nr_threads __read_mostly;", "nr_threads"),
    ("the next tick among what is read mostly", "kernel/time/tick-common.c", "ktime_t tick_next_period;", "ktime_t tick_next_period __read_mostly;", "tick_next_period"),
    ("the state of the random generator among what is read mostly", "drivers/char/random.c", "} base_crng = {", "} base_crng __read_mostly = {", "base_crng"),
    ("counters of the nodes among what is read mostly", "mm/vmstat.c", "atomic_long_t vm_node_stat[NR_VM_NODE_STAT_ITEMS] __cacheline_aligned_in_smp;",
     "atomic_long_t vm_node_stat[NR_VM_NODE_STAT_ITEMS] __read_mostly;", "vm_node_stat"),
    # The header declares it with its section, which stays.
    ("jiffies: another section, which its header overrides", "kernel/time/timer.c", "__visible u64 jiffies_64 __cacheline_aligned_in_smp =",
     "__visible u64 jiffies_64 __read_mostly =", None),
    ("code only", "kernel/fork.c", "unsigned long total_forks;", 'unsigned long total_forks;\nasm(".pushsection .text; .skip 48, 0x90; .popsection");', None),
    ("a cold global at the end of what is read mostly", "net/core/sock.c", None, "static unsigned int isolation_mostly __used __read_mostly = 7;", None),
    # Named before the first run, and not changed since.
    ("the next batch of inode numbers among what is read mostly", "fs/inode.c", "static atomic_t shared_last_ino;",
     "static atomic_t shared_last_ino __read_mostly;", "shared_last_ino"),
    ("pages of vmalloc among what is read mostly", "mm/vmalloc.c", "static atomic_long_t nr_vmalloc_pages;",
     "static atomic_long_t nr_vmalloc_pages __read_mostly;", "nr_vmalloc_pages"),
    ("tasks of the load average among what is read mostly", "kernel/sched/loadavg.c", "atomic_long_t calc_load_tasks;",
     "atomic_long_t calc_load_tasks __read_mostly;", "calc_load_tasks"),
    ("the timekeeper among what is read mostly", "kernel/time/timekeeping.c", "} tk_core ____cacheline_aligned = {", "} tk_core __read_mostly = {", "tk_core"),
    ("the lock of process numbers among what is read mostly", "kernel/pid.c", "static  __cacheline_aligned_in_smp DEFINE_SPINLOCK(pidmap_lock);",
     "static __read_mostly DEFINE_SPINLOCK(pidmap_lock);", "pidmap_lock"),
    ("the lock of renames among what is read mostly", "fs/dcache.c", "__cacheline_aligned_in_smp DEFINE_SEQLOCK(rename_lock);",
     "__read_mostly DEFINE_SEQLOCK(rename_lock);", "rename_lock"),
    ("the number of sockets among what is read mostly", "net/unix/af_unix.c", "static atomic_long_t unix_nr_socks;",
     "static atomic_long_t unix_nr_socks __read_mostly;", "unix_nr_socks"),
    ("more code", "net/ipv4/udp.c", None, 'asm(".pushsection .text; .skip 200, 0x90; .popsection");', None),
    ("more constants", "lib/kobject.c", None, "static const unsigned int isolation_table[25] __used = { 1, 2, 3, 4, 5 };", None),
    ("more data of the boot", "mm/mm_init.c", None, "static unsigned long isolation_boot[30] __used __initdata = { 1 };", None),
    ("one more per-CPU counter", "block/blk-mq.c", None, "static DEFINE_PER_CPU(unsigned long, isolation_percpu) __used;", None),
    ("a longer message", "fs/exec.c", None, 'static const char *isolation_message(void) { return "isolation: a message of some length"; }\n'
     "static void __used isolation_says(void) { pr_info(\"%s\\n\", isolation_message()); }", None),
    # Likewise, for the tool that the twelve above had changed.
    ("the state of RCU among what is read mostly", "kernel/rcu/tree.c", "static struct rcu_state rcu_state = {", "static struct rcu_state rcu_state __read_mostly = {",
     "rcu_state"),
    ("the domain of write-back among what is read mostly", "mm/page-writeback.c", "struct wb_domain global_wb_domain;",
     "struct wb_domain global_wb_domain __read_mostly;", "global_wb_domain"),
    ("the lock of css_sets among what is read mostly", "kernel/cgroup/cgroup.c", "DEFINE_SPINLOCK(css_set_lock);", "__read_mostly DEFINE_SPINLOCK(css_set_lock);",
     "css_set_lock"),
    ("the number of files among what is read mostly", "fs/file_table.c", "static struct percpu_counter nr_files __cacheline_aligned_in_smp;",
     "static struct percpu_counter nr_files __read_mostly;", "nr_files"),
    ("more code of the allocator", "mm/slub.c", None, 'asm(".pushsection .text; .skip 72, 0x90; .popsection");', None),
    ("more data of the boot of TCP", "net/ipv4/tcp.c", None, "static unsigned long isolation_boot[12] __used __initdata = { 1 };", None),
    ("one more per-CPU array", "kernel/time/hrtimer.c", None, "static DEFINE_PER_CPU(unsigned long [5], isolation_percpu) __used;", None),
    # Likewise, for the tool that all arguments of functions are seen by. root_user is written through pointers only.
    ("the numbers of address spaces among what is read mostly", "arch/x86/mm/tlb.c", "atomic64_t last_mm_ctx_id = ATOMIC64_INIT(1);",
     "atomic64_t last_mm_ctx_id __read_mostly = ATOMIC64_INIT(1);", "last_mm_ctx_id"),
    ("the state of idle CPUs among what is read mostly", "kernel/sched/fair.c", "} nohz ____cacheline_aligned;", "} nohz __read_mostly;", "nohz"),
    ("the counts of root among what is read mostly", "kernel/user.c", "struct user_struct root_user = {", "struct user_struct root_user __read_mostly = {",
     "root_user"),
    ("the lock of counters among what is read mostly", "lib/percpu_counter.c", "static DEFINE_SPINLOCK(percpu_counters_lock);",
     "static __read_mostly DEFINE_SPINLOCK(percpu_counters_lock);", "percpu_counters_lock"),
    ("more that is only read after the boot", "security/commoncap.c", None, "static unsigned long isolation_once[4] __used __ro_after_init = { 1 };", None),
    ("more data of the boot of interrupts", "kernel/irq/irqdesc.c", None, "static unsigned long isolation_boot[9] __used __initdata = { 1 };", None),
]


# Sources that another one includes, which has the object.
INCLUDED_BY = {"kernel/sched/loadavg.c": "kernel/sched/build_utility.c"}


def changed(build, path, old, new):
    """The source that is compiled, and its changed text."""
    text = open(os.path.join(build.source, path)).read()
    if old is not None and text.count(old) != 1:
        raise SystemExit(f"{path}: '{old}' is there {text.count(old)} times")
    text = text.replace(old, new) if old else text + "\n" + new + "\n"
    if path not in INCLUDED_BY:
        return path, text
    whole = open(os.path.join(build.source, INCLUDED_BY[path])).read()
    return INCLUDED_BY[path], whole.replace(f'#include "{os.path.basename(path)}"', text)


def unnumbered(name):
    """Without what compilers put behind statics of functions."""
    return re.sub(r"\.[0-9]+$", "", name)


def record(args):
    symbols = dict(reversed(line.split()[::2]) for line in run(["nm", "vmlinux"], args.build).splitlines() if line.split()[-1] in ("_sdata", "_end"))
    kernel = argparse.Namespace(tool=os.path.abspath(args.tool), kernel=os.path.abspath(args.build), cpus=2)
    Trial({}, RUNS).boot(kernel, "trace", "--address", f"0x{symbols['_sdata']}-0x{symbols['_end']}", "-o", args.trace)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--tool", "--build", "--source", "--work", "--trace"):
        parser.add_argument(option, required=True)
    parser.add_argument("--only", type=int, action="append")
    args = parser.parse_args()
    args.tool = os.path.abspath(args.tool)
    build = Build(os.path.abspath(args.build), os.path.abspath(args.source), os.path.abspath(args.work), False)
    os.makedirs(build.work, exist_ok=True)
    build.copy()
    if not os.path.exists(args.trace):
        record(args)
    good = True
    print("| patch | file | pairs that start | found | first readers beside it | misses before | after | all before | all after |\n|---|---|---:|---|---|---:|---:|---:|---:|")
    for number, (what, path, old, new, about) in enumerate(PATCHES):
        if args.only and number not in args.only:
            continue
        unit, text = changed(build, path, old, new)
        folder = os.path.join(build.work, f"pair{number}")
        os.makedirs(os.path.join(folder, os.path.dirname(unit)), exist_ok=True)
        name = unit[:-2] + ".o"
        open(os.path.join(folder, name), "w").close()
        build.compile(unit, text, folder)
        done = subprocess.run([args.tool, "isolation", "impact", "vmlinux", "--changed", f"{name}={os.path.join(folder, name)}", "--trace",
                               os.path.abspath(args.trace), "--quiet", "--json", "-"], cwd=build.base, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr)
        found = json.loads(done.stdout)
        starts = [pair for pair in found["pairs"] if pair["sharing"] == "starts"]
        own = [pair for pair in starts if about is None or about in (unnumbered(pair["written"]["name"]), unnumbered(pair["read"]["name"]))]
        beside = ", ".join(sorted({pair["read"]["name"] for pair in own} - {about})[:3])
        total = found["replay"]
        print(f"| {what} | {path} | {len(starts)} | {'yes' if own else 'no'} | {beside or '-'} | {sum(p['falseSharingBefore'] for p in own)} "
              f"| {sum(p['falseSharingAfter'] for p in own)} | {total['falseSharingBefore']} | {total['falseSharingAfter']} |", flush=True)
        good &= bool(own) == (about is not None)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
