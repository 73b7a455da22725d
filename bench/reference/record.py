#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How often every function and line of a kernel runs, in workloads that differ in kind.

    bench/reference/record.py --kernel OBJ [--kernel OBJ]... --out DIR [--only NAME]...

Boots each built kernel (x86-64, with DWARF; recorder/trace.config has what the workloads need) once in QEMU for each workload, under
`profile record`. The guest runs this workload only; counts begin and end with it (test/workloads/window.c). DIR gets WORKLOAD.kstp for
each, WORKLOAD@NAME.kstp if there are several kernels, by the name of their directory. A file that is there stays: what was interrupted
goes on. A workload that fails leaves no file; then the exit code is 1.

  functions   of the source, of which some copy, inlined or not, was entered
  lines       of the source that ran
  entered     how often functions were entered, in millions
  guest       seconds of the workload by the guest's clock
  host        seconds of all of it"""

import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import kst_bench as kb  # noqa: E402
from counts import Counts  # noqa: E402
from trials import INIT, empty_disk  # noqa: E402

sys.path.insert(0, os.path.join(kb.ROOT, "passes", "kernel"))
sys.dont_write_bytecode = True
from kst_kernel import initramfs, state  # noqa: E402

# The command in the guest, by the workload's name. /disk is ext4 on a virtio disk, /tmp is tmpfs.
WORKLOADS = {
    "cgroup": "cgroup 400",
    "crowd": "crowd 400",
    "disk": "disk 400 /disk",
    "epoll": "epoll 60000",
    "exec": "exec 300",
    "ext4-names": "names 500 /disk",
    "ext4-splice": "splice 150 /disk",
    "ext4-tree": "tree 8 /disk",
    "faults": "faults 150",
    "filelocks": "filelocks 20000",
    "fork": "fork 500",
    "futex": "futex 15000",
    "idle": "idle 3",
    "job": "job.sh 3",
    "locks": "locks 2000",
    "names": "names 1500",
    "namespaces": "namespaces 80",
    "nanosleep": "nanosleep 16 3",
    "pipe": "pipe 20000",
    "poll": "poll 4000",
    "proc": "proc 10",
    "ptrace": "ptrace 8000",
    "pty": "pty 8000",
    "queues": "queues 3000",
    "reclaim": "reclaim 2 /disk",
    "scheduling": "scheduling 200",
    "sharedmap": "sharedmap 10000",
    "signals": "signals 8000",
    "spin": "spin 3",
    "splice": "splice 400",
    "swap": "reclaim 2 /disk swap",
    "tcp": "tcp 6000",
    "tcp-bulk": "bulk 400",
    "threads": "threads 3000",
    "timers": "timers 800",
    "tree": "tree 30",
    "udp": "udp 2000",
    "unix": "unix 2500",
    "uring": "uring 8000 /disk",
    "veth": "veth.sh 10",
    "watch": "watch 3000",
    "yield": "yield 200000",
}
WINDOW = "__x64_sys_sethostname:__x64_sys_setdomainname"


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--kernel", action="append", required=True, metavar="OBJ", help="output directory of a finished build; may be repeated")
    p.add_argument("--out", required=True, metavar="DIR")
    p.add_argument("--only", action="append", choices=sorted(WORKLOADS), metavar="NAME", help="of " + ", ".join(sorted(WORKLOADS)))
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("--timeout", type=int, default=600, metavar="SECONDS")
    return p.parse_args()


def console_text(path):
    """What the guest of a profile said; "" if it did not boot."""
    try:
        with open(path + ".console", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def record(args, kernel, name, disk, path):
    """What went wrong, or None: the profile is there. The guest's console stays beside it."""
    with tempfile.TemporaryDirectory() as scratch:
        initrd, made = os.path.join(scratch, "initrd"), os.path.join(scratch, "made.kstp")
        with open(initrd, "wb") as file:
            file.write(initramfs.archive(f"time /work/window /work/{WORKLOADS[name]}\n", {}, INIT))
        done = subprocess.run([args.tool, "profile", "record", "--kernel", kernel, "--initrd", initrd, "--disk", disk, "--append", "rdinit=/init quiet",
                               "--cpus", str(args.cpus), "--window", WINDOW, "--timeout", str(args.timeout), "--label", name, "--console",
                               path + ".console", "--quiet", "-o", made])
        ended = re.search(r"^workloads: exit code (\d+)", console_text(path), re.M)
        if done.returncode:
            return f"profile record ended with {done.returncode}"
        if not ended or ended[1] != "0":
            return f"the workload ended with {ended[1]}" if ended else "the workload did not end"
        with open(made, "rb") as file:
            state.write_if_changed(path, file.read())
    return None


def guest_seconds(path):
    """As the guest's `time` has it; None without a console."""
    found = re.search(r"^real\s+(\d+)m\s*([\d.]+)s", console_text(path), re.M)
    return int(found[1]) * 60 + float(found[2]) if found else None


def row(path, host):
    counts, guest = Counts(path), guest_seconds(path)
    lines = {where: sum(count > 0 for count in of.values()) for where, of in counts.lines.items()}
    functions = {where for where, count in counts.entries.items() if count} | {where for where, ran in lines.items() if ran}
    return [os.path.basename(path)[:-5], f"{len(functions):,}", f"{sum(lines.values()):,}",
            f"{counts.entered / 1e6:.1f}", "-" if guest is None else f"{guest:.1f}", "-" if host is None else f"{host:.0f}"]


def main():
    args = arguments()
    os.makedirs(args.out, exist_ok=True)
    kernels = {os.path.basename(os.path.abspath(path)): os.path.abspath(path) for path in args.kernel}
    if len(kernels) < len(args.kernel):
        sys.exit("two of the kernels have directories of one name")
    rows, failed = [], []
    with tempfile.TemporaryDirectory() as folder:
        disk = os.path.join(folder, "disk")
        empty_disk(disk)
        for label, kernel in kernels.items():
            for name in args.only or WORKLOADS:
                path, host = os.path.join(args.out, name + (f"@{label}" if len(kernels) > 1 else "") + ".kstp"), None
                if not os.path.exists(path):
                    began = time.monotonic()
                    wrong = record(args, kernel, name, disk, path)
                    host = time.monotonic() - began
                    if wrong:
                        failed.append(path)
                        end = "\n".join(console_text(path).splitlines()[-12:])
                        print(f"{path}: {wrong}\n{end}", file=sys.stderr, flush=True)
                        continue
                    print(f"{path}: {host:.0f} s", file=sys.stderr, flush=True)
                rows.append(row(path, host))
    kb.table(["workload", "functions", "lines", "entered", "guest", "host"], rows)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    try:
        main()
    except state.Failed as error:
        sys.exit(str(error))
