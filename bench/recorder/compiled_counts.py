#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Are the lives right that a kernel records by itself? Boots a kernel of
`kst-kernel prepare NAME --trace` whose configuration has CONFIG_SLUB_STATS, runs
life_counts.c in it, and compares its trace with what the kernel counts itself in
/sys/kernel/slab:

- allocations and frees of each slab cache between the program's markers;
- how many more objects of some of them (--live) live at the end than at the
  beginning.

The last table is for the eye: accesses of each struct, and how many of them are to
objects whose allocation is in the trace.

The kernel reads its counts a little before and after: each may be off by what
happens there (--slack), living objects by a tenth of that. Where it frees many
objects of another CPU's slab at once it counts one free. Lost events are an error,
and so is a cache with at least --least allocations that is further off: exit status 1."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import import_counts  # noqa: E402
import kernel_profile as kp  # noqa: E402
import kst_bench as kb  # noqa: E402
import trace_counts  # noqa: E402


def record(args, scratch):
    """The imported trace, what `trace import` said, and what the program printed."""
    out, trace = os.path.join(scratch, "out"), os.path.join(args.keep or scratch, "life.kstt")
    kp.kst_kernel("boot", args.kernel, "--trace", "--cpus", str(args.cpus), "--memory", str(args.memory), "--timeout", "900", "--out", out,
                  "--append", "slab_nomerge", "--file", f"work/life={import_counts.compiled(scratch)}",
                  "--run", f"life=echo trace_kb={args.trace_kb} >/sys/kernel/debug/kst/control; /work/life >/out/life.text")
    if os.path.exists(trace):
        os.remove(trace)
    done = subprocess.run([args.tool, "trace", "import", os.path.join(out, "life.ksttrace"), "--binary", kp.kst_kernel("path", args.kernel, "vmlinux"),
                           "-o", trace], stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("trace import: " + done.stderr)
    return trace, done.stderr.strip().rpartition("ksttrace: ")[2], pathlib.Path(out, "life.text").read_text()


def accesses(lines):
    """type -> [accesses to objects without a number, with one]."""
    counts = {}
    for line in lines:
        found = re.match(r"\d+ \d+ \S+ ([^\s+]+)\+\d+(#\d+)? \d+ (r|w|rw) ", line)
        if found:
            counts.setdefault(found.group(1), [0, 0])[bool(found.group(2))] += 1
    return counts


def main():
    p = kb.parser(__doc__)
    p.add_argument("--kernel", required=True, metavar="NAME", help="as kst-kernel knows it")
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("--memory", type=int, default=1536, metavar="MB")
    p.add_argument("--trace-kb", type=int, default=1 << 18, metavar="KB", help="for each CPU")
    p.add_argument("--slack", type=int, default=100)
    p.add_argument("--least", type=int, default=200, help="allocations of a cache that is looked at")
    p.add_argument("--live", default=trace_counts.LIVING, help="caches whose living objects are counted (default: %(default)s)")
    p.add_argument("--keep", metavar="DIR", help="keep the trace there, as life.kstt")
    args = p.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        trace, said, text = record(args, scratch)
        print(said + "\n")
        with subprocess.Popen([args.tool, "trace", "dump", trace], stdout=subprocess.PIPE, text=True) as dump:
            lines = list(dump.stdout)
    seen = trace_counts.lives_in(lines)
    rows = trace_counts.compared(args, text, seen)
    living = []
    for name, after, before in re.findall(r"^live (\S+) (\d+) (\d+)", text, re.M):
        more, traced = int(after) - int(before), seen[name, "alloc"] - seen[name, "free"]
        if name in args.live.split(","):
            off = abs(traced - more) > max(args.slack / 10, abs(more) * 0.02)
            living.append([name, int(before), int(after), more, traced, traced - more, "off" if off else ""])
    print()
    kb.table(["cache", "living before", "after", "more", "traced", "diff.", ""], living, left=(0, 6))
    print()
    kb.table(["struct", "accesses", "to objects of the trace"], [[name, sum(n), n[1]] for name, n in sorted(accesses(lines).items())
                                                              if sum(n) >= args.least])
    return int(not rows or "lost" in said or any(row[-1] for row in rows + living))


if __name__ == "__main__":
    sys.exit(main())
