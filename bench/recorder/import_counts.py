#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Are imported recordings of trace-cmd and perf right? Boots a kernel in QEMU once for each of
them, with KASLR, and runs life_counts.c under the recorder: it makes and drops a known number
of objects and prints how many of each slab cache the kernel counted itself in
/sys/kernel/slab (needs CONFIG_SLUB_STATS, CONFIG_VIRTIO_CONSOLE). `kstatic-affinity trace
import` makes a trace of the recording; its allocations and frees between the program's
two markers (system call 135) must be those.

The kernel reads its counts a little before and after the window: each may be off by what happens there
(--slack). Objects that are allocated and freed in bulk have no event: such caches are listed
with what is missing, and not judged (--bulk names them); nor is what has no name: only a free names a cache,
and objects of a caller that were not freed while it recorded are of a nameless cache of their size. Where those make up
for what is missing the table says so. Exit status 1 if another cache with at least
--least allocations is further off.

Needs Debian's trace-cmd and linux-perf, whose programs and libraries go into the guest."""

import collections
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.dirname(HERE), os.path.join(os.path.dirname(os.path.dirname(HERE)), "passes", "kernel")]
import kst_bench as kb  # noqa: E402
from kst_kernel import initramfs  # noqa: E402

EVENTS = ["kmem", "filemap", "raw_syscalls", "sched:sched_switch", "irq:softirq_entry", "irq:softirq_exit"]
PERF = ",".join(event if ":" in event else event + ":*" for event in EVENTS)
RECORDERS = {
    "trace-cmd": "trace-cmd record -q -b 65536 -o /out/trace.dat " + " ".join("-e " + event for event in EVENTS) + " /work/life",
    "perf": f"perf record -q -a -m 16384 -o /out/perf.data -e '{PERF}' /work/life",
    "perf, compressed, piped": f"perf record -q -a -z -m 16384 -o - -e '{PERF}' sh -c '/work/life >/out/life.out'",
}
FILES = {"trace-cmd": "trace.dat", "perf": "perf.data", "perf, compressed, piped": "pipe.data"}
MARK = 135  # personality()


def compiled(directory):
    program = os.path.join(directory, "life")
    if subprocess.run(["cc", "-O1", "-static", "-o", program, os.path.join(HERE, "life_counts.c")]).returncode:
        sys.exit("life_counts.c does not compile")
    return program


def boot(args, commands, out):
    """Runs the commands in a guest; its /out comes to the directory `out`."""
    with tempfile.TemporaryDirectory() as scratch:
        files = {**initramfs.with_libraries("trace-cmd"), **initramfs.with_libraries("perf"), "work/life": compiled(scratch)}
        lines = ["export PATH=/work:/bin", "mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null"]
        initrd, port, console = (os.path.join(scratch, name) for name in ("initrd", "port", "console"))
        with open(initrd, "wb") as file:
            file.write(initramfs.archive("\n".join(lines + commands) + "\n", files))
        with open(console, "wb") as said:
            subprocess.run(["qemu-system-x86_64", "-machine", "pc", "-nodefaults", "-display", "none", "-monitor", "none", "-serial", "stdio",
                            "-no-reboot", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", str(args.cpus), "-m", f"{args.memory}M",
                            "-kernel", os.path.join(args.build, "arch/x86/boot/bzImage"), "-initrd", initrd, "-append",
                            "console=ttyS0 panic=-1 rdinit=/init quiet no_timer_check tsc=reliable slab_nomerge " + args.append,
                            "-device", "virtio-serial-pci", "-chardev", f"file,id=port,path={port}",
                            "-device", "virtserialport,chardev=port,name=kst"], stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                           timeout=args.timeout)
        try:
            with tarfile.open(port) as tar:
                tar.extractall(out, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(out)
        except (OSError, tarfile.TarError) as error:
            sys.exit(f"the guest ended without its results ({error}):\n" + pathlib.Path(console).read_text(errors="replace")[-2000:])


def imported(args, file, trace):
    """What `trace import` said, and the lines between the markers."""
    done = subprocess.run([args.tool, "trace", "import", file, "--binary", os.path.join(args.build, "vmlinux"), "-o", trace],
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("trace import: " + done.stderr)
    lines, inside = [], False
    with subprocess.Popen([args.tool, "trace", "dump", trace], stdout=subprocess.PIPE, text=True) as dump:
        for line in dump.stdout:
            if line.endswith(f" call={MARK} in\n"):
                inside = not inside
            elif inside:
                lines.append(line)
    return done.stderr.strip().splitlines()[-1].rpartition(f"{os.path.basename(file)}: ")[2], lines


def compare(args, name, directory):
    """Whether every cache agrees; prints the table."""
    said, lines = imported(args, os.path.join(directory, FILES[name]), os.path.join(directory, "trace.kstt"))
    print(f"{name}: {said}\n")
    seen, sizes = collections.Counter(), {}
    for line in lines:
        found = re.match(r"\d+ \d+ \S+ \S+ \d+ (alloc|free) .* of=(\S+)(?: asked=(\d+))?", line)
        if found:
            seen[found.group(2), found.group(1)] += 1
            sizes.setdefault(found.group(2), found.group(3))
    text = pathlib.Path(directory, "life.out").read_text()
    object_sizes = dict(re.findall(r"^size (\S+) (\d+)", text, re.M))
    rows, right = [], True
    for cache, allocs, frees in re.findall(r"^life (\S+) (-?\d+) (-?\d+)", text, re.M):
        counts = {"alloc": int(allocs), "free": int(frees)}
        if counts["alloc"] < args.least:
            continue
        off = {what: seen[cache, what] - count for what, count in counts.items()}
        more = max(0, seen[cache, "alloc"] - counts["free"])
        good = abs(off["alloc"]) <= args.slack and -args.slack <= off["free"] <= args.slack + more
        size = object_sizes.get(cache) or sizes.get(cache)
        nameless = seen[f"kmem_cache-{size}", "alloc"]
        named = abs(off["free"]) <= args.slack + more and -args.slack <= off["alloc"] + nameless
        note = "" if good else "bulk" if cache in args.bulk.split(",") else f"{nameless} without a name" if named else "off"
        right = right and note != "off"
        rows.append([cache, counts["alloc"], seen[cache, "alloc"], off["alloc"], counts["free"], seen[cache, "free"], off["free"], note])
    kb.table(["cache", "allocated", "imported", "diff.", "freed", "imported", "diff.", ""], rows, left=(0, 7))
    print()
    return right and bool(rows)


def main():
    p = kb.parser(__doc__)
    p.add_argument("--build", required=True, metavar="DIR", help="output directory of a kernel build")
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("--memory", type=int, default=1536, metavar="MB")
    p.add_argument("--timeout", type=int, default=900, metavar="SECONDS")
    p.add_argument("--append", default="", help="more kernel parameters")
    p.add_argument("--slack", type=int, default=100)
    p.add_argument("--least", type=int, default=200, help="allocations of a cache that is looked at")
    p.add_argument("--bulk", default="maple_node", help="caches whose objects also come and go in bulk")
    p.add_argument("--only", choices=sorted(RECORDERS), action="append")
    p.add_argument("--keep", metavar="DIR", help="keep what the guests recorded there")
    args = p.parse_args()
    right = True
    for name in args.only or RECORDERS:
        with tempfile.TemporaryDirectory() as scratch:
            out = os.path.join(args.keep, FILES[name] + ".dir") if args.keep else scratch
            said = FILES[name] if "piped" in name else "life.out"
            boot(args, [f"{RECORDERS[name]} >/out/{said} 2>/out/errors"], out)
            right = compare(args, name, out) and right
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
