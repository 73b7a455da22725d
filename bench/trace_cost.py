#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What recording an unmodified kernel costs: the same guest (recorder/life_counts.c:
boots, makes and drops thousands of objects, powers off) in QEMU without the
recorder, and with it in several ways. CPU seconds of the guest and of making the
trace, events, bytes of the trace and per event. --repeat takes the fastest of so
many runs."""

import os
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorder"))
sys.dont_write_bytecode = True
import known_counts  # noqa: E402
import kst_bench as kb  # noqa: E402

WAYS = [("everything", []), ("everything, --icount", ["--icount"]), ("lives and 1 % of accesses, --sample 1/100", ["--sample", "1/100"]),
        ("--type task_struct,rq,dentry", ["--type", "task_struct,rq,dentry"]), ("--context softirq", ["--context", "softirq"])]


def timed(command):
    """CPU seconds, those of its own children too, and what it says."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(" ".join(command)[:200] + " failed:\n" + done.stderr[-2000:])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stderr


def plain(args, initrd):
    """CPU seconds of the guest alone, on a machine like the recorder's."""
    return timed(["qemu-system-x86_64", "-machine", "pc", "-m", f"{args.memory}M", "-smp", str(args.cpus), "-accel", "tcg,thread=multi", "-nodefaults",
                  "-display", "none", "-serial", "stdio", "-monitor", "none", "-no-reboot", "-kernel",
                  os.path.join(args.build, "arch/x86/boot/bzImage"), "-initrd", initrd, "-append",
                  "console=ttyS0 nokaslr no5lvl slab_nomerge no_timer_check panic=-1 rdinit=/init quiet"])[0]


def recorded(args, initrd, scratch, options):
    """(seconds of record, of them those of the trace, events, bytes)"""
    trace = os.path.join(scratch, "trace.kstt")
    both, said = timed([args.tool, "trace", "record", "--kernel", args.build, "--initrd", initrd, "--append", "rdinit=/init quiet",
                        "--cpus", str(args.cpus), "--memory", str(args.memory), "--console", os.path.join(scratch, "console"), "--keep-raw",
                        *options, "-o", trace])
    making, _ = timed([args.tool, "trace", "import", trace + ".recording", "-o", trace])
    events, size = int(re.search(r"(\d+) events", said).group(1)), os.path.getsize(trace)
    subprocess.run(["rm", "-rf", trace, trace + ".recording"], check=True)
    return both - making, making, events, size


def main():
    p = kb.parser(__doc__)
    p.add_argument("--build", required=True, metavar="DIR", help="output directory of a kernel build")
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("--memory", type=int, default=512, metavar="MB")
    p.add_argument("--repeat", type=int, default=1)
    args = p.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        initrd, _ = known_counts.guest(scratch, "life_counts.c")
        base = min(plain(args, initrd) for _ in range(args.repeat))
        rows = [["no recorder", f"{base:.1f}", "1.0", "", "", "", ""]]
        for name, options in WAYS:
            guest, making, events, size = min(recorded(args, initrd, scratch, options) for _ in range(args.repeat))
            rows.append([name, f"{guest:.1f}", f"{guest / base:.1f}", f"{making:.1f}", f"{events / 1e6:.1f}", f"{size / 1e6:.1f}", f"{size / events:.2f}"])
    kb.table(["recorded", "guest, CPU s", "times", "trace, CPU s", "million events", "MB", "bytes/event"], rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
