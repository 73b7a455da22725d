#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Is a trace of an unmodified kernel right? `kstatic-affinity trace record` boots
it three times with programs that do a known number of things:

- allocations and frees of each slab cache (life_counts.c), against what the
  allocator counts itself in /sys/kernel/slab (needs CONFIG_SLUB_STATS);
- objects that live at the end, of the caches that --live names, in a trace of the
  whole boot, as `dprof` has them, against what the allocator says (not of filp:
  who asks opens a file, and a slab that a CPU has counts as full);
- stores to members of struct rq and changes of context (known_counts.c), against
  /proc/schedstat and /proc/stat (needs CONFIG_SCHEDSTATS).

The kernel reads its counts a little before and after the window: each may be off
by what happens there (--slack). Where it frees many objects of another CPU's slab
at once it counts one free: there may be more, up to what was allocated. Exit
status 1 if a cache with at least --least allocations or a member of rq is further
off."""

import collections
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import kernel_image  # noqa: E402
import known_counts  # noqa: E402
import kst_bench as kb  # noqa: E402

# Whose objects do not come and go while somebody asks how many there are: a slab that a CPU has counts as full.
LIVING = ("cred,dentry,mm_struct,files_cache,sighand_cache,signal_cache,task_struct,pid,vm_area_struct,anon_vma,anon_vma_chain,inode_cache,"
          "shmem_inode_cache,kernfs_node_cache,proc_inode_cache,vma_lock,fs_cache")


def boot(args, source, scratch, start, *options):
    """Boots the guest of a source file from there, or from its first mark; the trace and what the console shows."""
    initrd, window = known_counts.guest(scratch, source)
    trace, console = os.path.join(scratch, "trace.kstt"), os.path.join(scratch, "console")
    done = subprocess.run([args.tool, "trace", "record", "--kernel", args.build, "--initrd", initrd, "--append", "rdinit=/init quiet",
                           "--cpus", str(args.cpus), "--window", f"{start or hex(window[0])}:{window[1]:#x}", "--timeout", "900",
                           "--console", console, *options, "-o", trace])
    if done.returncode:
        sys.exit("trace record failed")
    with open(console, errors="replace") as file:
        return trace, file.read()


def record(args, source, *options):
    """Boots the guest of a source file; returns its console and the lines of the trace."""
    with tempfile.TemporaryDirectory() as scratch:
        trace, text = boot(args, source, scratch, "", *options)
        with subprocess.Popen([args.tool, "trace", "dump", trace], stdout=subprocess.PIPE, text=True) as dump:
            return text, list(dump.stdout)


def lives_in(lines):
    """How often (cache, "alloc" or "free") is in the lines of a trace."""
    seen = collections.Counter()
    for line in lines:
        found = re.match(r"\d+ \d+ \S+ \S+ \d+ (alloc|free) .* of=(\S+)", line)
        if found:
            seen[found.group(2), found.group(1)] += 1
    return seen


def lives(args):
    """Rows of the table of caches; the last cell is empty where the counts agree."""
    text, lines = record(args, "life_counts.c", "--sample", "1/1000", *(["--type", "rq"] if args.control else []))
    return compared(args, text, lives_in(lines))


def compared(args, text, seen):
    """Rows of what the kernel counted, by the guest's console, and what was seen."""
    rows = []
    for name, allocs, frees in re.findall(r"^life (\S+) (-?\d+) (-?\d+)", text, re.M):
        counts = {"alloc": int(allocs), "free": int(frees)}
        if counts["alloc"] < args.least:
            continue
        off = {what: seen[name, what] - count for what, count in counts.items()}
        more = max(0, seen[name, "alloc"] - counts["free"])
        right = abs(off["alloc"]) <= args.slack and -args.slack <= off["free"] <= args.slack + more
        rows.append([name, counts["alloc"], seen[name, "alloc"], off["alloc"], counts["free"], seen[name, "free"], off["free"],
                     "" if right else "off"])
    kb.table(["cache", "allocated", "traced", "diff.", "freed", "traced", "diff.", ""], rows, left=(0, 7))
    return rows


def living(args):
    """Rows of the table of caches with what lives at the end; the last cell is empty where the counts agree."""
    with tempfile.TemporaryDirectory() as scratch:
        trace, text = boot(args, "life_counts.c", scratch, "start_kernel", "--type", args.live)
        made = subprocess.run([args.tool, "trace", "dump", "--types", trace], check=True, stdout=subprocess.PIPE, text=True).stdout
        report = os.path.join(scratch, "dprof.json")
        subprocess.run([args.tool, "dprof", "--quiet", "--trace", trace, "--json", report], check=True, stdout=subprocess.DEVNULL)
        profile = kb.read_json(report)["profile"]
    type_of, bytes_of = {}, {}
    for line in made.splitlines():
        if not line.startswith("#"):
            total, number, name, _, _, cache = line.split()[:6]
            type_of[cache], bytes_of[cache] = name, int(total) // int(number)
    seen = {row["name"]: bytes_ for row, bytes_ in zip(profile["types"], profile["windows"][-1]["live"])}
    rows = []
    for name, count in re.findall(r"^live (\S+) (\d+)", text, re.M):
        if name in args.live.split(",") and name in type_of:
            traced = seen[type_of[name]] // bytes_of[name]
            off = traced - int(count)
            rows.append([name, type_of[name], int(count), traced, off, "" if abs(off) <= max(args.slack / 10, int(count) * 0.02) else "off"])
    kb.table(["cache", "type", "live", "in dprof", "diff.", ""], rows, left=(0, 1, 5))
    return rows


def members(args):
    text, lines = record(args, "known_counts.c", "--type", "rq")
    said = re.search(r"known (.*)", text)
    if not said:
        sys.exit("the guest printed no counts:\n" + text[-2000:])
    words = said.group(1).split()
    known = {words[i]: int(words[i + 1]) for i in range(0, len(words), 2)}
    if not known["schedstats"]:
        sys.exit("this kernel keeps no schedstats")
    image = kernel_image.KernelImage(args.build)
    layout = kernel_image.Layout(image.records(args.tool, "rq", "kernel/sched/core.c")["rq"])
    offsets = {name: first for name, first, _ in layout.fields}
    stores, contexts = collections.Counter(), collections.Counter()
    for line in lines:
        if " context " in line:
            contexts[re.search(r"(\w+)=(\d+) (in|out)", line).group(0 if " call=" in line else 1)] += 1
        found = re.match(r"\d+ \d+ \S+ rq\+(\d+) \d+ r?w ", line)
        if found:
            stores[int(found.group(1))] += 1
    seen = [(what, f"stores to {field}", stores[offsets[field]]) for what, field in known_counts.FIELDS if field in offsets]
    seen += [("switches", "changes of the task", contexts["task"]), ("yields", "system call 24 begun", contexts["call=24 in"])]
    rows = [[what, known[what], where, count, count - known[what]] for what, where, count in seen]
    kb.table(["", "the kernel says", "in the trace", "times", "difference"], rows, left=(0, 2))
    return all(abs(row[-1]) <= args.slack for row in rows)


def main():
    p = kb.parser(__doc__)
    p.add_argument("--build", required=True, metavar="DIR", help="output directory of a kernel build")
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("--slack", type=int, default=100)
    p.add_argument("--least", type=int, default=200, help="allocations of a cache that is looked at")
    p.add_argument("--live", default=LIVING, help="caches whose living objects are counted (default: %(default)s)")
    p.add_argument("--control", action="store_true", help="records run queues only: all rows of caches must be off")
    args = p.parse_args()
    rows = lives(args)
    off = sum(bool(row[-1]) for row in rows)
    if args.control:
        return 0 if rows and off == len(rows) else 1
    print()
    alive = living(args)
    off += sum(bool(row[-1]) for row in alive) + (len(alive) < 10)
    print()
    return 0 if members(args) and rows and not off else 1


if __name__ == "__main__":
    sys.exit(main())
