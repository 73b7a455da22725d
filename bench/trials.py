# SPDX-License-Identifier: GPL-2.0-or-later
"""What orders are tried on: structs, and workloads of a guest whose accesses to these structs are recorded."""

import dataclasses
import os
import subprocess
import sys
import tempfile

import kst_bench as kb

sys.path.insert(0, os.path.join(kb.ROOT, "passes", "kernel"))
sys.dont_write_bytecode = True
from kst_kernel import initramfs  # noqa: E402

DISK_MIB = 256
INIT = """#!/bin/sh
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /tmp
mkdir -p /dev/pts /dev/shm /disk
mount -t devpts devpts /dev/pts
busybox --install -s /bin
ip link set lo up
mount -t ext4 /dev/vda /disk
. /kst-run
echo "workloads: exit code $?"
poweroff -f
"""


def empty_disk(path):
    """An image with an empty ext4 on it."""
    with open(path, "wb") as file:
        file.truncate(DISK_MIB << 20)
    try:
        done = subprocess.run(["mke2fs", "-q", "-t", "ext4", path], env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"})
    except FileNotFoundError:
        sys.exit("no mke2fs: apt-get install e2fsprogs")
    if done.returncode:
        sys.exit(f"mke2fs: exit status {done.returncode}")


@dataclasses.dataclass(frozen=True)
class Trial:
    """structs: by name, the directories and files that are analysed. runs: commands of test/workloads, one after another."""

    structs: dict
    runs: list

    def boot(self, args, verb, *options):
        """One boot under `trace record` or `profile record`."""
        with tempfile.TemporaryDirectory() as scratch:
            initrd, disk, console = (os.path.join(scratch, name) for name in ("initrd", "disk", "console"))
            with open(initrd, "wb") as file:
                file.write(initramfs.archive("".join(f"/work/{run}\n" for run in self.runs), {}, INIT))
            empty_disk(disk)
            done = subprocess.run([args.tool, verb, "record", "--kernel", args.kernel, "--initrd", initrd, "--disk", disk, "--append", "rdinit=/init quiet",
                                   "--cpus", str(args.cpus), "--timeout", "1800", "--console", console, "--quiet", *options])
            if done.returncode:
                said = open(console, errors="replace").read()[-1500:] if os.path.exists(console) else ""
                sys.exit("the recording failed\n" + said)

    def record(self, args, trace):
        """Every access to objects of the structs, in the order of time."""
        self.boot(args, "trace", "--type", ",".join(self.structs), "-o", trace)

    def count(self, args, profile):
        """How often every function and line ran."""
        self.boot(args, "profile", "-o", profile)


# Named before any of their orders was replayed. rq, task_struct, inode and mm_struct were in view when the cost model was changed.
SEEN = Trial({
    "rq": ["kernel/sched"],
    "task_struct": ["kernel"],
    "mm_struct": ["mm", "kernel/fork.c"],
    "vm_area_struct": ["mm", "kernel/fork.c"],
    "file": ["fs"],
    "dentry": ["fs"],
    "inode": ["fs"],
    "signal_struct": ["kernel"],
    "sighand_struct": ["kernel"],
    "pipe_inode_info": ["fs"],
    "sk_buff": ["net/core", "net/ipv4"],
    "timer_base": ["kernel/time"],
    "hrtimer_cpu_base": ["kernel/time"],
    "rcu_data": ["kernel/rcu"],
    "softnet_data": ["net/core"],
    "zone": ["mm"],
    "kmem_cache": ["mm"],
    "super_block": ["fs"],
    "cred": ["kernel"],
    "pid": ["kernel"],
    "files_struct": ["fs", "kernel/fork.c"],
    "tcp_sock": ["net/ipv4"],
}, ["pipe 2000", "fork 150", "futex 2000", "tcp 300", "yield 2000"])

# Structs and workloads that no decision about evidence, cost or search has looked at: named before any of their orders was made. What is
# fitted is fitted to SEEN and tried on these.
UNSEEN = Trial({
    "unix_sock": ["net/unix"],
    "epitem": ["fs"],
    "journal_head": ["fs/jbd2", "fs/ext4"],
    "transaction_s": ["fs/jbd2", "fs/ext4"],
    "buffer_head": ["fs"],
    "ext4_sb_info": ["fs/ext4"],
    "worker_pool": ["kernel"],
    "pool_workqueue": ["kernel"],
    "css_set": ["kernel"],
    "k_itimer": ["kernel/time", "kernel/signal.c"],
    "tick_sched": ["kernel/time", "kernel/sched"],
    "rcu_node": ["kernel/rcu"],
    "user_struct": ["kernel", "ipc"],
    "pid_namespace": ["kernel", "fs/proc"],
    "per_cpu_pages": ["mm"],
    "kmem_cache_cpu": ["mm"],
    "kmem_cache_node": ["mm"],
    "tty_struct": ["drivers/tty"],
    "n_tty_data": ["drivers/tty"],
    "io_ring_ctx": ["io_uring"],
    "io_kiocb": ["io_uring"],
    "vring_virtqueue": ["drivers/virtio", "drivers/block"],
}, ["epoll 2000", "unix 150", "signals 400", "pty 300", "timers 40", "uring 300 /disk", "names 60 /disk", "udp 150", "threads 150"])

# Named before the rules of branches and entries were fitted: the fit knows neither these workloads nor, of the structs, any order. Tried once.
FRESH = Trial({
    "task_group": ["kernel/sched"],
    "ext4_inode_info": ["fs/ext4"],
    "shmem_inode_info": ["mm"],
    "proc_inode": ["fs/proc"],
    "mount": ["fs"],
    "kernfs_node": ["fs/kernfs", "kernel/cgroup"],
    "udp_sock": ["net/ipv4"],
    "rtable": ["net/ipv4"],
    "anon_vma": ["mm"],
    "file_lock": ["fs"],
    "seq_file": ["fs"],
    "xa_node": ["lib", "mm"],
    "irq_desc": ["kernel/irq"],
    "nsproxy": ["kernel"],
    "fs_struct": ["fs", "kernel/fork.c"],
    "io_context": ["block"],
    "net": ["net/core", "net/ipv4"],
    "pglist_data": ["mm"],
    "sigqueue": ["kernel"],
}, ["disk 60 /disk", "tree 3 /disk", "filelocks 1000", "exec 60", "proc 3", "faults 20", "watch 300", "queues 300", "namespaces 10", "cgroup 60",
    "veth.sh 3"])

# Named before the price of sharing against touched lines was fitted anew: no order of these structs, and no replay of these workloads, was
# looked at. Tried once.
LATER = Trial({
    "request_queue": ["block"],
    "blk_mq_hw_ctx": ["block"],
    "blk_mq_ctx": ["block"],
    "request": ["block", "drivers/block"],
    "bio": ["block"],
    "block_device": ["block"],
    "mem_cgroup": ["mm"],
    "cgroup": ["kernel"],
    "worker": ["kernel/workqueue.c"],
    "workqueue_struct": ["kernel/workqueue.c"],
    "eventpoll": ["fs"],
    "fdtable": ["fs"],
    "journal_s": ["fs/jbd2", "fs/ext4"],
    "ext4_group_info": ["fs/ext4"],
    "net_device": ["net/core", "net/ipv4"],
    "cfs_rq": ["kernel/sched"],
    "sched_entity": ["kernel/sched"],
    "hrtimer": ["kernel/time"],
    "pt_regs": ["kernel"],
    "percpu_counter": ["lib", "mm", "fs"],
    "perf_event_context": ["kernel/events", "kernel/sched"],
    "backing_dev_info": ["mm", "fs"],
}, ["crowd 60", "locks 300", "nanosleep 8 1", "poll 400", "ptrace 800", "sharedmap 800", "splice 20 /disk", "reclaim 1 /disk", "scheduling 20",
    "job.sh 1", "bulk 20", "idle 1"])
TRIALS = {"seen": SEEN, "unseen": UNSEEN, "fresh": FRESH, "later": LATER}
