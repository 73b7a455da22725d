#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest whose firmware announces a cache on its memory side: what `colour geometry` reads of it.

    bench/colour_guest.py --image BZIMAGE

The kernel needs CONFIG_ACPI_HMAT (Debian's has it). QEMU announces a direct-mapped cache of some size by hmat-cache; the guest prints the files
of its nodes in sysfs, and the tool reads a copy of them. The last line says whether what it reads is what was announced. A second guest
announces none."""

import json
import os
import re
import subprocess
import sys
import tempfile

import kst_bench as kb

sys.path.insert(0, os.path.join(kb.ROOT, "passes", "kernel"))
sys.dont_write_bytecode = True
from kst_kernel import initramfs  # noqa: E402

INIT = """#!/bin/sh
export PATH=/bin
mount -t sysfs sys /sys
busybox --install -s /bin
for f in /sys/devices/system/node/node*/memory_side_cache/index*/*; do [ -f $f ] && echo "@ $f $(cat $f)"; done
echo "@ end"
poweroff -f
"""
MIB = 64
NODE = ["-smp", "1,sockets=1", "-object", "memory-backend-ram,size=1G,id=m0", "-numa",
        "node,nodeid=0,memdev=m0,initiator=0", "-numa", "cpu,node-id=0,socket-id=0"]
HMAT = ["-numa", "hmat-lb,initiator=0,target=0,hierarchy=memory,data-type=access-latency,latency=10",
        "-numa", "hmat-lb,initiator=0,target=0,hierarchy=memory,data-type=access-bandwidth,bandwidth=10G",
        "-numa", f"hmat-cache,node-id=0,size={MIB}M,level=1,associativity=direct,policy=write-back,line=64"]


def guest(image, hmat):
    """Files of the guest's nodes by path."""
    with tempfile.TemporaryDirectory() as scratch:
        initrd = os.path.join(scratch, "initrd")
        with open(initrd, "wb") as file:
            file.write(initramfs.archive("", {}, INIT))
        command = ["qemu-system-x86_64", "-M", "pc" + (",hmat=on" if hmat else ""), "-m", "1G", "-nographic", "-no-reboot", "-kernel", image, "-initrd",
                   initrd, "-append", "console=ttyS0 rdinit=/init quiet no_timer_check panic=-1", *(NODE + HMAT if hmat else [])]
        said = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=900).stdout.decode(errors="replace")
    if "@ end" not in said:
        sys.exit("the guest did not end:\n" + said[-1500:])
    return dict(re.findall(r"^@ /sys/devices/system/node/(\S+) (\d+)\r?$", said, re.M))


def geometry(tool, files):
    with tempfile.TemporaryDirectory() as scratch:
        for name, text in files.items():
            path = os.path.join(scratch, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(text + "\n")
        done = subprocess.run([tool, "colour", "geometry", "--nodes", scratch, "--json", "-"], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["geometry"]["caches"]


def main():
    p = kb.parser(__doc__)
    p.add_argument("--image", required=True, metavar="BZIMAGE", help="a kernel with CONFIG_ACPI_HMAT")
    args = p.parse_args()
    found, none = (geometry(args.tool, guest(args.image, hmat)) for hmat in (True, False))
    for cache in found:
        print(", ".join(f"{key} {value}" for key, value in cache.items()))
    print(f"without hmat: {len(none)} caches")
    wanted = {"node": 0, "level": 1, "bytes": MIB << 20, "line": 64, "indexing": "direct", "writes": "write-back"}
    print("as announced" if found == [wanted] and not none else f"not as announced: {wanted}")


if __name__ == "__main__":
    main()
