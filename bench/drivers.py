#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Structs of drivers and of a file system that no reference has seen: does the source find what is hot?

    bench/drivers.py --kernel OBJ --counts FILE.kstp

OBJ is a built kernel (x86-64, with DWARF and event tracing; CONFIG_E1000, BLK_DEV_NVME, SATA_AHCI, BLK_DEV_SD, XFS_FS, IP_PNP_DHCP). If FILE is not there, a
guest is recorded under `profile record`: an XFS on an NVMe disk with test/workloads on it, reads of a SATA disk, files fetched through an e1000. Then
for each struct Spearman's correlation over fields of what is estimated with what was counted, and the change of cost, by the counts, of the order that is
proposed from each."""

import contextlib
import functools
import http.server
import os
import subprocess
import sys
import tempfile
import threading

import kst_bench as kb

sys.path.insert(0, os.path.join(kb.ROOT, "passes", "kernel"))
sys.dont_write_bytecode = True
from kst_kernel import initramfs  # noqa: E402

STRUCTS = {
    "e1000_adapter": ["drivers/net/ethernet/intel/e1000"],
    "nvme_queue": ["drivers/nvme/host"],
    "nvme_dev": ["drivers/nvme/host"],
    "nvme_ns": ["drivers/nvme/host"],
    "ata_port": ["drivers/ata"],
    "ahci_port_priv": ["drivers/ata"],
    "scsi_device": ["drivers/scsi"],
    "Scsi_Host": ["drivers/scsi"],
    "scsi_disk": ["drivers/scsi"],
    "xfs_inode": ["fs/xfs"],
    "xfs_buf": ["fs/xfs"],
    "xfs_mount": ["fs/xfs"],
    "xfs_perag": ["fs/xfs"],
    "xlog": ["fs/xfs"],
    "xfs_trans": ["fs/xfs"],
}
INIT = """#!/bin/sh
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /tmp
mkdir -p /disk
busybox --install -s /bin
ip link set lo up
mount -t xfs /dev/nvme0n1 /disk || exit
. /kst-run
echo "workloads: exit code $?"
poweroff -f
"""
RUN = """set -e
/work/names 80 /disk
/work/tree 3 /disk
/work/disk 60 /disk
dd if=/dev/sda of=/dev/null bs=16k count=1500 2>/dev/null
for I in 1 2 3 4 5 6; do wget -q -O /tmp/got http://10.0.2.2:PORT/file; done
"""


@contextlib.contextmanager
def server(folder):
    """A web server of a folder; its port."""
    quiet = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(quiet, directory=folder)) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made.server_address[1]
        made.shutdown()


def record(args):
    with tempfile.TemporaryDirectory() as scratch:
        at = functools.partial(os.path.join, scratch)
        for name, mib in (("nvme", 512), ("sata", 64), ("file", 2)):
            with open(at(name), "wb") as file:
                file.write(os.urandom(mib << 20) if name == "file" else b"")
                file.truncate(mib << 20)
        subprocess.run(["mkfs.xfs", "-q", at("nvme")], check=True, env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"})
        with open(at("qemu"), "w") as file:
            file.write(f"""#!/bin/sh
exec qemu-system-x86_64 "$@" -netdev user,id=net0 -device e1000,netdev=net0 -drive file={at("nvme")},if=none,format=raw,id=nvme \\
  -device nvme,drive=nvme,serial=1 -drive file={at("sata")},if=none,format=raw,id=sata -device ahci,id=ahci -device ide-hd,drive=sata,bus=ahci.0
""")
        os.chmod(at("qemu"), 0o755)
        with server(scratch) as port:
            with open(at("initrd"), "wb") as file:
                file.write(initramfs.archive(RUN.replace("PORT", str(port)), {}, INIT))
            done = subprocess.run([args.tool, "profile", "record", "--kernel", args.kernel, "--initrd", at("initrd"), "--qemu", at("qemu"), "--append",
                                   "rdinit=/init quiet ip=dhcp", "--timeout", "1200", "--console", args.counts + ".console", "--quiet", "-o", args.counts])
        said = open(args.counts + ".console", errors="replace").read()
        if done.returncode or "workloads: exit code 0" not in said:
            sys.exit("the recording failed:\n" + said[-1500:])


def accesses(report):
    return {field["name"]: field["reads"] + field["writes"] for field in report["fields"] if field["name"]}


def compared(estimate, counted):
    both = sorted(estimate.keys() & counted.keys())
    return f"{kb.spearman([estimate[name] for name in both], [counted[name] for name in both]):.2f}"


def proposal(report, path):
    """The options that ask about a report's order; none if it proposes none."""
    if report["verdict"] != "reorder":
        return []
    with open(path, "w") as file:
        file.write("".join(field + "\n" for field in report["layouts"]["proposed"]["order"] if field))
    return ["--order", path]


def cost(report):
    """What the asked order costs against the present one, or the present one itself."""
    now = report["layouts"]["current"]["cost"]["total"]
    asked = report["layouts"]["asked"]
    return (asked[0]["cost"]["total"] if asked else now) / now - 1


def main():
    p = kb.parser(__doc__)
    p.add_argument("--kernel", required=True, metavar="OBJ", type=os.path.abspath)
    p.add_argument("--counts", required=True, metavar="FILE", type=os.path.abspath)
    p.add_argument("--struct", action="append", help="default: all")
    args = p.parse_args()
    source = os.path.realpath(os.path.join(args.kernel, "source"))
    if not os.path.exists(args.counts):
        record(args)
    rows = []
    for struct in args.struct or STRUCTS:
        def ask(*words):
            return kb.run_tool(args, source, args.kernel, STRUCTS[struct], "--struct", struct, "--quiet", "--full", *words)

        counted = ask("--reference", args.counts)
        alone = ask("--reference", "none")
        true = accesses(counted)
        changes = []
        with tempfile.TemporaryDirectory() as folder:
            for report in (alone, counted):
                changes.append(cost(ask("--reference", args.counts, *proposal(report, os.path.join(folder, "order")))))
        rows.append([struct, compared(accesses(alone), true), *(f"{100 * change:+.1f} %" for change in changes)])
        print(f"{struct}: done", file=sys.stderr, flush=True)
    mean = lambda column: sum(float(row[column].split()[0]) for row in rows) / len(rows)  # noqa: E731
    rows.append([f"mean of {len(rows)}", f"{mean(1):.2f}", f"{mean(2):+.1f} %", f"{mean(3):+.1f} %"])
    kb.table(["struct", "rank of fields", "cost: source alone", "counts"], rows, left=(0,))


if __name__ == "__main__":
    main()
