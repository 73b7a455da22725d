#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Is the record right? Boots a kernel that does a known number of things
(known_counts.c) and compares the recorded stores to members of struct rq that
the kernel increments once for each with what it says in /proc/schedstat and
/proc/stat, and with the number of sched_yield() calls.

The kernel reads its counts a little before and after the recorder's window:
each may be off by what happens there (--slack). Needs CONFIG_SCHEDSTATS. Exit
status 1 if one is further off."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import fold  # noqa: E402
import kernel_image  # noqa: E402
import record  # noqa: E402
import recorder  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(record.HERE)), "passes", "kernel"))
import kst_bench as kb  # noqa: E402
from kst_kernel import initramfs  # noqa: E402

MARKS = 0x13370000  # where known_counts.c has its markers
FIELDS = [("yields", "yld_count"), ("schedules", "sched_count"), ("idles", "sched_goidle"), ("wakeups", "ttwu_count"),
          ("local_wakeups", "ttwu_local"), ("switches", "nr_switches")]


def guest(directory, source="known_counts.c"):
    """An initial file system whose init is that program, and the addresses of its markers."""
    program = os.path.join(directory, "init")
    compiler = shutil.which("gcc") or shutil.which("cc") or sys.exit("no C compiler")
    source = os.path.join(record.HERE, source)
    done = subprocess.run([compiler, "-O1", "-static", "-no-pie", f"-Wl,--section-start=.mark={MARKS:#x}", "-o", program, source])
    if done.returncode:
        sys.exit(f"{source} does not compile")
    marks = {}
    for line in subprocess.run(["nm", program], stdout=subprocess.PIPE, text=True).stdout.splitlines():
        address, _, name = line.rpartition(" ")
        marks[name] = address
    archive = initramfs.Archive()
    archive.folder("dev")
    archive.folder("proc")
    archive.add("dev/console", 0o020600, device=(5, 1))
    with open(program, "rb") as file:
        archive.file("init", file.read())
    path = os.path.join(directory, "initrd")
    with open(path, "wb") as file:
        file.write(archive.finished())
    return path, tuple(int(marks[name].split()[0], 16) for name in ("mark_start", "mark_stop"))


def main():
    p = kb.parser(__doc__)
    p.add_argument("--build", required=True, metavar="DIR", help="output directory of a kernel build")
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("--slack", type=int, default=100)
    args = p.parse_args()
    args.memory, args.icount, args.timeout, args.append = 256, False, 600, "rdinit=/init no5lvl"
    image = kernel_image.KernelImage(args.build)
    layout = kernel_image.Layout(image.records(args.tool, "rq", "kernel/sched/core.c")["rq"])
    with tempfile.TemporaryDirectory() as scratch:
        args.initrd, window = guest(scratch)
        objects = [recorder.parse_object("percpu:runqueues", image, layout.size)]
        run = recorder.Recorder(image, objects, scratch, args.memory << 20, window)
        console = os.path.join(scratch, "console")
        record.qemu(args, image, run.qemu_arguments(), console)
        text = recorder.check_console(console)
        folded = fold.Fold(layout, image, run.read())
    said = re.search(r"known (.*)", text)
    if not said:
        sys.exit("the guest printed no counts:\n" + text[-2000:])
    words = said.group(1).split()
    known = {words[i]: int(words[i + 1]) for i in range(0, len(words), 2)}
    if not known["schedstats"]:
        sys.exit("this kernel keeps no schedstats")
    names = [name for name, _, _ in layout.fields]
    rows, good = [], True
    for name, field in FIELDS:
        if field in names:
            stores = folded.plain[(names.index(field), "writes")]
            good &= abs(stores - known[name]) <= args.slack
            rows.append([name, known[name], field, stores, stores - known[name]])
    kb.table(["", "the kernel says", "field", "recorded stores", "difference"], rows, left=(0, 2))
    return 0 if good and rows else 1


if __name__ == "__main__":
    sys.exit(main())
