# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest's root file system: busybox, the workloads and what to run.

A cpio archive in the "newc" format (the kernel's
Documentation/driver-api/early-userspace/buffer-format.rst), written here so
that no privilege is needed and equal inputs give equal bytes.
"""

import pathlib
import re
import shutil
import subprocess

from . import state

WORKLOADS = state.ROOT / "test" / "workloads"
FOLDERS = ("bin", "dev", "proc", "sys", "tmp", "out", "mnt", "work")
BUSYBOX = pathlib.Path("/bin/busybox")
APPLETS = ("sh", "mount", "cat", "echo", "dmesg", "tar", "poweroff", "reboot", "ip", "sleep", "mkdir", "insmod", "rmmod", "ls",
           "sync", "wc", "head", "grep", "nproc", "cmp", "cp", "chmod", "dd", "mkswap", "rm", "rmdir", "swapoff", "swapon",
           "timeout", "umount")

# $1 is the name of the run; the rest is the command.
INIT = """#!/bin/sh
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev 2>/dev/null
mount -t tmpfs tmpfs /tmp
mount -t debugfs debugfs /sys/kernel/debug
mount -t tmpfs -o size=90% tmpfs /out
ip link set lo up
Kst=/sys/kernel/debug/kst
. /kst-run
dmesg -r >/out/dmesg
grep . /proc/version >/out/version
: >/out/done
if [ -c /dev/vport0p1 ]; then tar -C /out -cf /dev/vport0p1 .; else echo kst: no port for the results; fi
sync
# Powering off needs ACPI; QEMU ends with a reset, too (-no-reboot).
[ -d /sys/firmware/acpi ] && poweroff -f
reboot -f
"""


class Archive:
    def __init__(self):
        self.data = bytearray()
        self.inode = 0

    def add(self, name, mode, data=b"", device=(0, 0)):
        self.inode += 1
        path = name.encode() + b"\0"
        fields = (self.inode, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(path), 0)
        self.data += b"070701" + b"".join(b"%08x" % field for field in fields) + path
        self.data += b"\0" * (-len(self.data) % 4)
        self.data += data
        self.data += b"\0" * (-len(self.data) % 4)

    def folder(self, name):
        self.add(name, 0o040755)

    def file(self, name, data, mode=0o100755):
        self.add(name, mode, data)

    def link(self, name, target):
        self.add(name, 0o120777, target.encode())

    def finished(self):
        self.inode = -1
        self.add("TRAILER!!!", 0)
        return bytes(self.data)


def busybox():
    data = BUSYBOX.read_bytes() if BUSYBOX.is_file() else b""
    # A program that needs no dynamic linker names none.
    if not data or b"/ld-linux" in data:
        raise state.Failed(f"no static {BUSYBOX}: apt-get install busybox-static")
    return data


def workloads():
    """The static programs of test/workloads, by name; compiled when their sources changed."""
    sources = sorted(WORKLOADS.glob("*.c"))
    compiler = shutil.which(f"clang-{state.LLVM}") or shutil.which("clang") or shutil.which("gcc")
    if not compiler:
        raise state.Failed("no C compiler for the workloads")
    folder = state.cache() / "kst-workloads" / state.digest(*sources, *sorted(WORKLOADS.glob("*.h")))[:16]
    built = {}
    with state.lock("workloads"):
        folder.mkdir(parents=True, exist_ok=True)
        for path in sources:
            program = folder / path.stem
            if not program.is_file():
                new = program.with_suffix(".new")
                state.run(f"compiling the workload {path.stem}", folder / "compile.log",
                          [compiler, "-O2", "-g0", "-static", "-pthread", "-Wall", "-Wextra", "-o", str(new),
                           str(path)])
                new.rename(program)
            built[path.stem] = program
    return built


def with_libraries(program):
    """{name in the guest: path} of a program of this machine, in /work, and the shared libraries that it is linked to."""
    path = shutil.which(program)
    if not path:
        raise state.Failed(f"no program {program} to put into the guest")
    said = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
    libraries = re.findall(r"(?:=> |^\s+)(/\S+) \(", said, re.M)
    return {name.lstrip("/"): name for name in libraries} | {f"work/{pathlib.Path(path).name}": path}


def archive(script, files, init=INIT):
    """Bytes of the root file system. script: what init sources, /kst-run. files: more of them, {name in the guest: path}."""
    cpio = Archive()
    for name in FOLDERS:
        cpio.folder(name)
    cpio.add("dev/console", 0o020600, device=(5, 1))
    cpio.file("bin/busybox", busybox())
    for applet in APPLETS:
        cpio.link(f"bin/{applet}", "busybox")
    for name, path in sorted(workloads().items()):
        cpio.file(f"work/{name}", path.read_bytes())
    for path in sorted(WORKLOADS.glob("*.sh")):
        cpio.file(f"work/{path.name}", path.read_bytes())
    folders = {str(folder) for name in files for folder in pathlib.PurePosixPath(name).parents} - {".", *FOLDERS}
    for name in sorted(folders):
        cpio.folder(name)
    for name, path in sorted(files.items()):
        cpio.file(name, pathlib.Path(path).read_bytes())
    cpio.file("kst-run", script.encode())
    cpio.file("init", init.encode())
    return cpio.finished()
