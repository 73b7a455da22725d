#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Object contexts of guests, against what is known of them otherwise.

    bench/contexts.py --kernel OBJ --out DIR [--only NAME]...

Boots a built kernel (x86-64, with DWARF; recorder/trace.config has what it needs) once for each workload under `trace record --pointers
all`, and runs `contexts report` and `contexts replay` on the trace. DIR gets WORKLOAD.kstt, .console and the reports as JSON; a trace that
is there stays. fio, sqlite3, redis-server and nginx are Debian's (scripts/packages).

For each workload: pages of files against the page cache's own events (precision, recall: of the best rule, and of pointers), slab bytes of
which a context is known, and what interrupts leave without one; median lives in events (slab objects of contexts, pages of files, pages of
applications; `>`: longer than the trace tells); purity of the slabs of dentries, inodes and sk_buffs beside the same by chance; and what
the best policy by contexts costs less than the best by pages (fast tier of a quarter, ratio 4; negative: more).

The guest's own program (contexts/known_files.c) says which files and sockets it made. Of these, `known` wants: each file is a context with
its inode number, with as many pages as it has bytes; and as many sockets that were opened as it made, and no more. `alone` and `alternate`
are the control of purity: buffer heads of one file that is written alone, and of two that are written in turns. Exit status 1 if one of
these is off: a file, a socket, a page, the purity of `alone` below 0.9 or that of `alternate` not below it by 0.2, or a policy that
beats the bound."""

import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import kst_bench as kb  # noqa: E402
from trials import INIT, empty_disk  # noqa: E402

sys.path.insert(0, os.path.join(kb.ROOT, "passes", "kernel"))
sys.dont_write_bytecode = True
from kst_kernel import initramfs, state  # noqa: E402

WINDOW = "__x64_sys_sethostname:__x64_sys_setdomainname"
# name: the programs of this machine that it needs, and what the guest's shell runs. /disk is ext4 on a virtio disk, /tmp is tmpfs.
WORKLOADS = {
    "known": ([], "/work/known_files files 20 65536 /disk; /work/known_files sockets 10"),
    "alone": ([], "/work/known_files alone 2097152 /disk"),
    "alternate": ([], "/work/known_files alternate 1048576 /disk"),
    "names": ([], "/work/names 40 /disk"),
    "tcp": ([], "/work/tcp 200"),
    "fio": (["fio"], "/work/fio --name=f --directory=/disk --rw=randrw --bs=4k --size=2m --numjobs=2 --fallocate=none --thread"),
    "sqlite": (["sqlite3"], "/work/sqlite3 /disk/db 'create table t(a,b); with recursive n(i) as (select 1 union all select i+1 from n where "
                            "i<2000) insert into t select i, hex(randomblob(50)) from n; create index x on t(b); select count(*) from t;'"),
    "redis": (["redis-server", "redis-benchmark"], "/work/redis-server --save '' --daemonize yes --dir /tmp; sleep 2; "
                                                   "/work/redis-benchmark -q -n 300 -c 5 -t set,get; kill -9 $(cat /var/run/redis.pid) || true"),
    "nginx": (["nginx"], "mkdir -p /tmp/n/logs /tmp/n/www /var/log/nginx /var/lib/nginx; dd if=/dev/zero of=/tmp/n/www/f bs=4k count=4; echo "
                         "'daemon on; user root; events {} http { access_log off; server { listen 80; root /tmp/n/www; } }' >/tmp/n/c; "
                         "echo root:x:0:0::/:/bin/sh >/etc/passwd; echo root:x:0: >/etc/group; /work/nginx -p /tmp/n -c /tmp/n/c; sleep 1; "
                         "for i in 1 2 3 4 5 6 7 8 9 10; do busybox wget -q -O /dev/null http://127.0.0.1/f; done"),
    "stress": (["stress-ng"], "/work/stress-ng --temp-path /disk --dentry 1 --dentry-ops 300 --sock 1 --sock-ops 20 --timeout 60"),
}
PURE = {"dentry": "dentry", "ext4_inode_info": "inode", "sk_buff": "sk_buff"}


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--kernel", required=True, metavar="OBJ", help="output directory of a finished build")
    p.add_argument("--out", required=True, metavar="DIR")
    p.add_argument("--only", action="append", choices=list(WORKLOADS), metavar="NAME", help="of " + ", ".join(WORKLOADS))
    p.add_argument("--cpus", type=int, default=2)
    return p.parse_args()


def record(args, name, trace):
    programs, script = WORKLOADS[name]
    with tempfile.TemporaryDirectory() as scratch:
        initrd, disk, known = (os.path.join(scratch, part) for part in ("initrd", "disk", "known_files"))
        subprocess.run(["gcc", "-O1", "-static", "-o", known, os.path.join(HERE, "contexts", "known_files.c")], check=True)
        files = {"work/known_files": known}
        for program in programs:
            files |= initramfs.with_libraries(program)
        with open(initrd, "wb") as file:
            file.write(initramfs.archive(f"cat >/tmp/run <<'END'\n{script}\nEND\nmkdir -p /etc /var/run\n/work/window /bin/sh /tmp/run\n", files, INIT))
        empty_disk(disk)
        done = subprocess.run([args.tool, "trace", "record", "--kernel", args.kernel, "--initrd", initrd, "--disk", disk, "--append", "rdinit=/init quiet",
                               "--cpus", str(args.cpus), "--memory", "512", "--window", WINDOW, "--timeout", "1800", "--console", trace + ".console",
                               "--pointers", "all", "--label", name, "--quiet", "-o", trace])
    return done.returncode == 0


def reports(args, trace):
    """The two reports, made anew."""
    out = []
    for verb in ("report", "replay"):
        path = f"{trace[:-5]}.{verb}.json"
        subprocess.run([args.tool, "contexts", verb, "--trace", trace, "--binary", os.path.join(args.kernel, "vmlinux"), "--quiet", "--json", path],
                       check=True)
        with open(path) as file:
            out.append(json.load(file))
    return out


def life(of):
    return f"{of['median']:.3g}" if of["median"] is not None else ">" if of["living"] else "-"


def purity(report, kind):
    found = [t["purity"] for t in report["types"] if t["name"] == kind and t["purity"]["slabs"]]
    return f"{found[0]['purity']:.2f} ({found[0]['by_chance']:.2f})" if found else "-"


def gain(replay):
    size = min(replay["sizes"], key=lambda s: abs(s["share"] - 0.25))
    return f"{100 * size['verdicts'][replay['ratios'].index(4)]['gain']:.1f}%"


def below_bound(replay):
    """Policies that beat the bound; all-fast has room for all."""
    return [(size["share"], of["policy"]) for size in replay["sizes"] for of in size["policies"][1:]
            for cost, bound in zip(of["costs"], size["bounds"]) if cost < bound * (1 - 1e-5)]


def known(console, report):
    """What is off of what the guest said; its files must be on a device, its sockets of sockfs."""
    with open(console, errors="replace") as file:
        text = file.read()
    files = {int(inode): int(size) for inode, size in re.findall(r"^file 25\d:\d+ (\d+) (\d+)", text, re.M)}
    sockets = len(set(re.findall(r"^socket (\d+)", text, re.M)))
    off = []
    rows = {row["inode"]: row for row in report["largest"] if "inode" in row and row["class"] == "ext4_inode_info"}
    for inode, size in files.items():
        pages = rows.get(inode, {}).get("file_pages", 0)
        if pages != (size + 4095) // 4096:
            off.append(f"file {inode}: {pages} pages of {size} bytes")
    opened = sum(of["opened"] for of in report["classes"] if of["name"] == "socket_alloc")
    if opened != sockets:
        off.append(f"{opened} sockets opened, {sockets} made")
    return len(files), sockets, off


def main():
    args = arguments()
    args.kernel = os.path.abspath(args.kernel)
    os.makedirs(args.out, exist_ok=True)
    rows, wrong, pure = [], [], {}
    for name in args.only or WORKLOADS:
        trace = os.path.join(args.out, name + ".kstt")
        if not os.path.exists(trace) and not record(args, name, trace):
            wrong.append(f"{name}: no recording")
            continue
        report, replay = reports(args, trace)
        truth, slab = report["page_cache"], report["slab"]
        total = sum(slab["bytes"].values())
        rows.append([name, f"{report['trace']['events'] / 1e6:.1f}", f"{truth['pointers']['precision']:.4f}", f"{truth['pointers']['recall']:.4f}",
                     f"{truth['best']['precision']:.4f}", f"{truth['best']['recall']:.4f}", f"{100 * (1 - slab['bytes']['none'] / total):.1f}%",
                     f"{100 * slab['interrupt_none'] / max(1, slab['interrupt_bytes']):.0f}%",
                     *(life(report["lives"][what]) for what in ("slab_of_contexts", "files", "applications")),
                     *(purity(report, kind) for kind in PURE), gain(replay)])
        pure[name] = next((t["purity"]["purity"] for t in report["types"] if t["name"] == "buffer_head" and t["purity"]["slabs"]), None)
        wrong += [f"{name}: {policy} at {share} beats the bound" for share, policy in below_bound(replay)]
        if name == "known":
            files, sockets, off = known(trace + ".console", report)
            print(f"known: {files} files and {sockets} sockets made; {len(off)} off")
            wrong += off
    kb.table(["workload", "M events", "pointers: prec.", "recall", "best: prec.", "recall", "slab known", "irq unknown", "life: slab", "file pages",
              "app pages", *PURE.values(), "gain"], rows)
    if pure.get("alone") and pure.get("alternate"):
        print(f"purity of buffer heads: one file alone {pure['alone']:.3f}, two in turns {pure['alternate']:.3f}")
        if pure["alone"] < 0.9 or pure["alternate"] > pure["alone"] - 0.2:
            wrong.append("the control of purity")
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except state.Failed as error:
        sys.exit(str(error))
