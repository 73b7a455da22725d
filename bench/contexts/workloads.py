# SPDX-License-Identifier: GPL-2.0-or-later
"""Guests whose files and sockets are known, or are those of Debian's programs, and how they are recorded."""

import dataclasses
import json
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import kst_bench as kb  # noqa: E402
from trials import INIT, empty_disk  # noqa: E402

sys.path.insert(0, os.path.join(kb.ROOT, "passes", "kernel"))
sys.dont_write_bytecode = True
from kst_kernel import initramfs  # noqa: E402

WINDOW = "__x64_sys_sethostname:__x64_sys_setdomainname"


@dataclasses.dataclass(frozen=True)
class Workload:
    """script: what the guest's shell runs; N in it is how much. /disk is ext4 on a virtio disk of 256 MiB, /tmp
    is tmpfs. programs: of this machine, that it needs. memory: of the guest, MiB; its root file system takes half of it at most."""

    script: str
    programs: tuple = ()
    memory: int = 256


PROGRAMS = {
    "fio": Workload("for i in 1 2 3; do /work/fio --name=f --directory=/disk --rw=randrw --bs=4k --size=${N}m --numjobs=2 --fallocate=none --thread "
                    "--unlink=1 --output=/dev/null; done",
                    ("fio",), 768),
    "sqlite": Workload("(echo 'create table t(a,b); create index x on t(b);'; busybox seq 1 $((60*N)) | while read i; do "
                       "echo \"insert into t select $i+value, hex(randomblob(300)) from generate_series(1,8);\"; done; "
                       "echo 'select count(*), sum(length(b)) from t;') | /work/sqlite3 /disk/db", ("sqlite3",)),
    "redis": Workload("/work/redis-server --save '' --appendonly yes --auto-aof-rewrite-min-size 64kb --auto-aof-rewrite-percentage 50 "
                      "--daemonize yes --pidfile /tmp/pid --dir /disk; sleep 2; "
                      "/work/redis-benchmark -q -n $((300*N)) -c 5 -d 200 -r 1000 -t set,get; kill $(cat /tmp/pid); sleep 1",
                      ("redis-server", "redis-benchmark")),
    "nginx": Workload("mkdir -p /disk/got /disk/n/logs /disk/n/www /var/log/nginx /var/lib/nginx; for f in 1 2 3 4 5 6 7 8; do "
                      "dd if=/dev/zero of=/disk/n/www/$f bs=4k count=$((4*f)) 2>/dev/null; done; "
                      "echo 'daemon on; user root; events {} http { server { listen 80; root /disk/n/www; } }' >/disk/n/c; "
                      "echo root:x:0:0::/:/bin/sh >/etc/passwd; echo root:x:0: >/etc/group; /work/nginx -p /disk/n -c /disk/n/c; sleep 1; "
                      "U=http://127.0.0.1; busybox seq 1 $((5*N)) | while read i; do "
                      "busybox wget -q -P /disk/got $U/1 $U/2 $U/3 $U/4 $U/5 $U/6 $U/7 $U/8; rm /disk/got/*; done; "
                      "kill $(cat /run/nginx.pid /var/run/nginx.pid 2>/dev/null | head -n 1)", ("nginx",)),
    "stress": Workload("/work/stress-ng --temp-path /disk --dentry 1 --dentry-ops $((300*N)) --sock 1 --sock-ops $((20*N)) --hdd 1 --hdd-bytes 1m "
                       "--hdd-ops $((60*N)) --timeout 240", ("stress-ng",)),
}
# Of a program that says what it does (known_files.c), and of test/workloads.
KNOWN = {
    "known": Workload("/work/known_files files 20 65536 /disk; /work/known_files sockets 10"),
    "alone": Workload("/work/known_files alone 2097152 /disk"),
    "alternate": Workload("/work/known_files alternate 1048576 /disk"),
    "names": Workload("/work/names 40 /disk"),
    "tcp": Workload("/work/tcp 200"),
}
# Whose machine ends while they hold files and sockets, after so many seconds.
HELD = {"held": Workload("/work/known_files hold 24 65536 /disk & while [ ! -e /tmp/held ]; do sleep 1; done")}
HELD |= {name: dataclasses.replace(work, script=f"( {work.script} ) >/tmp/said 2>&1 & sleep {seconds}")
         for name, seconds in (("sqlite", 20), ("redis", 25), ("nginx", 20), ("stress", 15)) for work in [PROGRAMS[name]]}
# Files that are closed for good; that are opened again in 95 of 100 cases; and programs that read what they keep themselves.
TIERS = {
    "for-good": Workload("/work/known_files churn $((150*N)) 0 65536 /disk"),
    "again": Workload("/work/known_files churn $((400*N)) 95 65536 /disk"),
    "own-cache": Workload("(echo 'pragma cache_size=-8000; create table t(a primary key,b); insert into t select value, hex(randomblob(300)) from "
                          "generate_series(1,1000);'; busybox seq 1 $((200*N)) | while read i; do echo \"select sum(length(b)) from t where a between "
                          "$i and $i+400;\"; done) | /work/sqlite3 /disk/db >/dev/null", ("sqlite3",)),
    "redis": PROGRAMS["redis"],
}


def program(name, scratch):
    """A static program of this folder."""
    made = os.path.join(scratch, name)
    subprocess.run(["gcc", "-O1", "-static", "-o", made, os.path.join(HERE, name + ".c")], check=True)
    return made


# `trace record` has the guest's memory in a file, which it removes when the guest has ended: a second name for it.
EMULATOR = """#!/bin/sh
for Word; do case $Word in memory-backend-file,*) ln -f "${Word##*mem-path=}" %s;; esac; done
exec qemu-system-x86_64 "$@"
"""


def with_memory(path, scratch):
    """Options for `trace record`: the memory of the guest stays in that file when the guest ends. It is beside the trace."""
    emulator = os.path.join(scratch, "qemu")
    with open(emulator, "w") as file:
        file.write(EMULATOR % shlex.quote(os.path.abspath(path)))
    os.chmod(emulator, 0o755)
    return ["--qemu", emulator]


def record(args, name, work, trace, window, accesses, scale=1, ram=None):
    """Whether there is a recording: of all of the guest's life, from the start of its kernel, or while the script runs; with accesses or
    without; with its memory at the end in the file `ram`. The script has to end well."""
    with tempfile.TemporaryDirectory() as scratch:
        initrd, disk = (os.path.join(scratch, part) for part in ("initrd", "disk"))
        files = {"work/known_files": program("known_files", scratch)}
        for needed in work.programs:
            files |= initramfs.with_libraries(needed)
        with open(initrd, "wb") as file:
            file.write(initramfs.archive(f"cat >/tmp/run <<'END'\nN={scale}\n{work.script}\nEND\nmkdir -p /etc /run /var/run\n"
                                         "/work/window /bin/sh /tmp/run\n", files, INIT))
        empty_disk(disk)
        what = (["--window", WINDOW] if window else []) + ([] if accesses else ["--context", "nmi"])
        what += with_memory(ram, scratch) if ram else []
        done = subprocess.run([args.tool, "trace", "record", "--kernel", args.kernel, "--initrd", initrd, "--disk", disk, "--append", "rdinit=/init quiet",
                               "--cpus", str(args.cpus), "--memory", str(work.memory), *what, "--timeout", "1800", "--console", trace + ".console",
                               "--pointers", "all", "--label", name, "--quiet", "-o", trace])
    with open(trace + ".console", errors="replace") as file:
        said = file.read()
    if done.returncode or "workloads: exit code 0" not in said:
        print(f"{name}: no recording:\n{said[-1500:]}", file=sys.stderr)
        if os.path.exists(trace):
            os.rename(trace, trace + ".failed")
        return False
    return True


def report(args, verb, trace, *options):
    """What a verb of `contexts` says of a trace, made anew: the JSON beside it."""
    path = f"{trace[:-5]}.{verb}.json"
    subprocess.run([args.tool, "contexts", verb, "--trace", trace, "--binary", os.path.join(args.kernel, "vmlinux"), "--quiet", "--json", path, *options],
                   check=True)
    with open(path) as file:
        return json.load(file)


def arguments(doc, names, scale=4):
    p = kb.parser(doc)
    p.add_argument("--kernel", required=True, metavar="OBJ", help="output directory of a finished build")
    p.add_argument("--out", required=True, metavar="DIR")
    p.add_argument("--only", action="append", choices=list(names), metavar="NAME", help="of " + ", ".join(names))
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("--scale", type=int, default=scale, metavar="N", help="how much the programs do")
    args = p.parse_args()
    args.kernel = os.path.abspath(args.kernel)
    os.makedirs(args.out, exist_ok=True)
    return args


def recorded(args, name, work, window, accesses, scale=1, ram=None):
    """The trace in --out, recorded if it is not there; None: it failed. What is recorded in another way has another name."""
    trace = os.path.join(args.out, name + ("-accesses" if accesses else "-memory" if ram else "") + ".kstt")
    return trace if os.path.exists(trace) or record(args, name, work, trace, window, accesses, scale, ram) else None
