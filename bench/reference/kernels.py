#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernels to record: Debian's sources as they are, built by gcc, in configurations that differ in kind. The reference is of the first three.

    bench/reference/kernels.py --out DIR [--only NAME]... [--jobs N]

  small-6.12         allnoconfig and what the workloads use
  debug-6.1          the same of an older version, with checks, full preemption and a tick of 1000 Hz
  distribution-6.12  the kernel's own x86_64 defconfig, with what distributions switch on and without drivers of hardware that QEMU lacks
  cloud-6.1          Debian's configuration for virtual machines, of an older version; only built if it is named

DIR gets the unpacked sources and a build directory for each, about 6 GB. What is there is brought up to date. linux-source-6.1 and
linux-source-6.12 of Debian must be installed, for the last one linux-config-6.1 too."""

import lzma
import os
import pathlib
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import kst_bench as kb  # noqa: E402

sys.path.insert(0, os.path.join(kb.ROOT, "passes", "kernel"))
sys.dont_write_bytecode = True
from kst_kernel import source, state  # noqa: E402

# Version; the start, a target of the kernel's own or a file; and fragments on top of it.
SMALL = ["passes/kernel/linux.config", "passes/kernel/linux-{}.config", "bench/recorder/trace.config", "bench/reference/reference.config"]
KERNELS = {
    "small-6.12": ("6.12", "allnoconfig", SMALL),
    "debug-6.1": ("6.1", "allnoconfig", SMALL + ["bench/reference/debug.config"]),
    "distribution-6.12": ("6.12", "defconfig", ["bench/recorder/trace.config", "bench/reference/reference.config", "bench/reference/distribution.config"]),
    "cloud-6.1": ("6.1", "/usr/src/linux-config-6.1/config.amd64_none_cloud-amd64.xz",
                  ["bench/recorder/trace.config", "bench/reference/reference.config", "bench/reference/debian.config"]),
}
HELD_OUT = ["cloud-6.1"]  # of which no reference is made


def make(kernel_source, obj, log, jobs, *targets):
    env = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL", "KBUILD_OUTPUT", "ARCH", "LLVM", "CROSS_COMPILE")}
    with open(log, "ab") as out:
        done = subprocess.run(["make", "-C", kernel_source, f"O={obj}", f"-j{jobs}", *targets], env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    if done.returncode:
        sys.exit(f"make {' '.join(targets)}: exit status {done.returncode}, see {log}")


def build(folder, name, jobs):
    version, start, fragments = KERNELS[name]
    kernel_source, obj, log = folder / f"linux-{version}", folder / name, folder / f"{name}.log"
    if not (kernel_source / ".kst-package").is_file():
        source.unpack(version, kernel_source)
    obj.mkdir(exist_ok=True)
    wanted = [os.path.join(kb.ROOT, path.format(version)) for path in fragments]
    stamp, made_of = obj / ".kst-config", start + "\n" + "".join(pathlib.Path(path).read_text() for path in wanted)
    if not stamp.is_file() or stamp.read_text() != made_of:
        if start.startswith("/"):
            (obj / ".config").write_bytes(lzma.open(start).read())
        else:
            make(kernel_source, obj, log, jobs, start)
        with open(log, "ab") as out:
            subprocess.run([kernel_source / "scripts/kconfig/merge_config.sh", "-m", "-O", obj, obj / ".config", *wanted], cwd=obj, stdout=out, stderr=out, check=True)
        make(kernel_source, obj, log, jobs, "olddefconfig")
        stamp.write_text(made_of)
    print(f"{name}: building, log in {log}", file=sys.stderr, flush=True)
    make(kernel_source, obj, log, jobs, "bzImage", "vmlinux")
    print(obj)


def main():
    p = kb.parser(__doc__)
    p.add_argument("--out", required=True, metavar="DIR")
    p.add_argument("--only", action="append", choices=KERNELS, metavar="NAME")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    args = p.parse_args()
    folder = pathlib.Path(args.out).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    for name in args.only or [name for name in KERNELS if name not in HELD_OUT]:
        build(folder, name, args.jobs)


if __name__ == "__main__":
    try:
        main()
    except state.Failed as error:
        sys.exit(str(error))
