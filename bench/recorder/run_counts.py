#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Are the counts of functions and lines of an unmodified kernel right?
`kstatic-affinity profile record` boots it with programs that do a known number of
things, and the counts between two points of these programs are compared with
these numbers:

- entries of functions, on a guest (life_counts.c) that makes and drops objects,
  with what it does; functions that nothing calls have none;
- lines that count what the scheduler does, and entries of its functions
  (known_counts.c), with /proc/schedstat and /proc/stat (needs CONFIG_SCHEDSTATS);
- lines that access a pipe, with what `trace record` of the same guest has there;
- two runs with --icount: the same bytes.

The kernel reads its counts a little before and after the window: each may be off
by what happens there (--slack). Exit status 1 if something is further off."""

import collections
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import known_counts  # noqa: E402
import kst_bench as kb  # noqa: E402

ENTRY, LINE = 6, 10
LIFE = [("pipes", 2000, "do_pipe2"), ("pipes", 2000, "alloc_pipe_info"), ("socket pairs", 1000, "__sys_socketpair"),
        ("datagrams", 1000, "unix_dgram_sendmsg"), ("files made", 1000, "shmem_mknod"), ("files removed", 1000, "shmem_unlink"),
        ("files opened", 1000, "do_filp_open"), ("calls of close", 7000, "__x64_sys_close"), ("forks", 200, "kernel_clone"),
        ("forks", 200, "dup_mm"), ("ends", 200, "do_exit"), ("nothing", 0, "do_mount"), ("nothing", 0, "panic"), ("nothing", 0, "do_sched_yield")]
SCHEDULER = [("yields", "do_sched_yield"), ("schedules", "__schedule"), ("switches", "context_switch"), ("switches", "finish_task_switch"),
             ("wakeups", "ttwu_stat")]


class Counts:
    """Sites of a profile by its bytes, as hybrid/profile/ProfileFile.h has them."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        tables, at = [], 56
        while at < len(data):
            rows, size = struct.unpack_from("<II", data, at)
            tables.append((rows, data[at + 8:at + 8 + rows * size]))
            at += 8 + (rows * size + 7) // 8 * 8
        lengths, text, names = struct.unpack(f"<{tables[8][0]}I", tables[8][1]), tables[9][1], []
        for length in lengths:
            names.append(text[:length].decode())
            text = text[length:]
        self.entries, self.lines, first = collections.Counter(), collections.Counter(), {}
        sites = list(struct.iter_unpack("<7I2HI2HQ", tables[2][1]))
        for _, function, file, line, *_, kind, _, count in sites:
            if kind == ENTRY:
                self.entries[names[function]] += count
                first[function, file] = line
        for _, function, file, line, *_, kind, _, count in sites:
            if kind == LINE:
                self.lines[names[function], names[file], (first[function, file] + line) % 2**32] += count


def boot(args, verb, source, scratch, *options):
    """Boots the guest of a source file; the file made and what the console shows."""
    initrd, window = known_counts.guest(scratch, source)
    made, console = os.path.join(scratch, "made"), os.path.join(scratch, "console")
    done = subprocess.run([args.tool, verb, "record", "--kernel", args.build, "--initrd", initrd, "--append", "rdinit=/init quiet", "--cpus",
                           str(args.cpus), "--window", f"{window[0]:#x}:{window[1]:#x}", "--timeout", "900", "--console", console, *options, "-o", made])
    if done.returncode:
        sys.exit(f"{verb} record failed")
    with open(console, errors="replace") as file:
        return made, file.read()


def counts(args, source):
    with tempfile.TemporaryDirectory() as scratch:
        made, text = boot(args, "profile", source, scratch)
        return Counts(made), text


def source_line(source, name, line):
    with open(os.path.join(source, name), errors="replace") as file:
        return file.read().split("\n")[line - 1]


def scheduler(args):
    """Rows of what the scheduler counts itself."""
    seen, text = counts(args, "known_counts.c")
    words = re.search(r"known (.*)", text).group(1).split()
    known = {words[i]: int(words[i + 1]) for i in range(0, len(words), 2)}
    if not known["schedstats"]:
        sys.exit("this kernel keeps no schedstats")
    rows = [[what, known[what], "entries of " + function, seen.entries[function]] for what, function in SCHEDULER]
    source = os.path.join(args.build, "source")
    for what, field in known_counts.FIELDS:
        step = re.compile(r"schedstat_inc\((?:this_)?rq->" + field + r"\)|rq->" + field + r"\+\+|__schedstat_inc\(rq->" + field)
        for (function, name, line), count in sorted(seen.lines.items()):
            if name.startswith("kernel/sched/") and step.search(source_line(source, name, line)):
                rows.append([what, known[what], f"{field}: {function}() {name}:{line}", count])
    return rows


def pipes(args, seen):
    """Rows of the lines of fs/pipe.c that access pipes, with what a trace has there: the most accesses to one offset."""
    with tempfile.TemporaryDirectory() as scratch:
        made, _ = boot(args, "trace", "life_counts.c", scratch, "--type", "pipe_inode_info")
        dump = subprocess.run([args.tool, "trace", "dump", made], check=True, stdout=subprocess.PIPE, text=True).stdout
    traced = collections.defaultdict(collections.Counter)
    for line in dump.splitlines():
        found = re.match(r"\d+ \d+ \S+ pipe_inode_info\+(\d+)#\d+ \d+ (rw|r|w) (\w+) (fs/pipe\.c):(\d+)", line)
        if found:
            traced[found.group(3), found.group(4), int(found.group(5))][found.group(1, 2)] += 1
    rows = []
    for (function, name, line), accesses in sorted(traced.items()):
        most, count = max(accesses.values()), seen.lines[function, name, line]
        rows.append([f"{name}:{line}", function, most, count, count - most])
    return rows


def same(args):
    with tempfile.TemporaryDirectory() as scratch:
        runs = []
        for _ in range(2):
            made, _ = boot(args, "profile", "known_counts.c", scratch, "--icount")
            with open(made, "rb") as file:
                runs.append(file.read())
    return runs[0] == runs[1]


def main():
    p = kb.parser(__doc__)
    p.add_argument("--build", required=True, metavar="DIR", help="output directory of a kernel build")
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("--slack", type=int, default=20)
    args = p.parse_args()
    seen, _ = counts(args, "life_counts.c")
    life = [[what, known, "entries of " + function, seen.entries[function]] for what, known, function in LIFE]
    rows = [row + [row[3] - row[1]] for row in life + scheduler(args)]
    kb.table(["", "known", "in the profile", "times", "difference"], rows, left=(0, 2))
    print()
    lines = pipes(args, seen)
    kb.table(["line", "of", "accesses in a trace", "in the profile", "difference"], lines, left=(0, 1))
    print()
    alike = same(args)
    print("two runs with --icount:", "the same bytes" if alike else "different")
    # A line with several instructions for one access has more accesses.
    equal = sum(abs(row[-1]) <= args.slack for row in lines)
    right = equal >= 0.8 * len(lines) > 0 and all(row[-1] <= args.slack for row in lines)
    return 0 if alike and right and all(abs(row[-1]) <= args.slack for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
