# SPDX-License-Identifier: GPL-2.0-or-later
"""What a patched kernel is made to do: each workload a label and a command in the guest.

stress-ng checks what the kernel answers (--verify). The kinds are those that
reach the structs that bench/patched_boot.py patches; what they have in common
is that they end by themselves in a few seconds under emulation."""

import shlex

# stress-ng's own names, a group for each part of the kernel.
STRESSORS = {
    "net": "sock sockpair sockfd sockdiag sockmany udp udp-flood rawsock rawpkt rawudp netdev netlink-proc netlink-task "
           "epoll poll ping-sock tun icmp-flood",
    "file": "dentry dir dirdeep link symlink rename fallocate fcntl fiemap filename flock lockf getdent hdd inotify iomix lease "
            "mknod open seek sendfile splice sync-file tmpfs touch utime xattr chmod chown chdir copy-file io-uring aio dup "
            "fanotify file-ioctl fsize fstat fifo revio readahead",
    "task": "fork vfork clone exec spawn daemon wait zombie kill session ptrace pidfd schedpolicy affinity switch nice pthread "
            "prctl seccomp kcmp procfs sysfs unshare key rlimit",
    "ipc": "futex sem sem-sysv mq msg shm shm-sysv pipe pipeherd eventfd mutex membarrier tee vm-rw",
    "memory": "mmap mmapfork mmapmany mremap madvise mlock mprotect brk stack memfd userfaultfd vm vm-splice fault msync munmap "
              "pagemove pageswap rmap mincore numa remap tlb-shootdown bigheap",
    "signal": "sigabrt sigchld sigfd sigfpe sigio signal sigpending sigpipe sigq sigrt sigsegv sigsuspend sigtrap timer timerfd "
              "itimer alarm hrtimers clock nanosleep",
}


def stress(group, seconds):
    """stress-ng's stressors of a group, one after the other, two of each; which of them ended how is what it prints."""
    return (f"cd /mnt/disk; for s in {STRESSORS[group]}; do\n"
            f"timeout -s KILL {20 * seconds + 60} /work/stress-ng --$s 2 --timeout {seconds} --verify --no-rand-seed --oomable --quiet && c=0 || c=$?\n"
            "echo $s ended with $c; done")


# Two hosts on one machine, and a disk with a file system; both stay for what follows.
NETWORK = """mkdir -p /run/netns; /work/ip netns add far
/work/ip link add near type veth peer name there netns far
/work/ip addr add 10.9.0.1/24 dev near && /work/ip link set near up
/work/ip netns exec far /work/ip addr add 10.9.0.2/24 dev there && /work/ip netns exec far /work/ip link set there up
/work/ip netns exec far /work/ip link set lo up
/work/ip link add br0 type bridge && /work/ip link set br0 up && /work/ip link add dum0 type dummy && /work/ip link set dum0 master br0 up"""
DISK = """echo $1 >/sys/block/vda/queue/scheduler
mkdir -p /mnt/disk && mount -t ext4 /dev/vda /mnt/disk"""
SWAP = """dd if=/dev/zero of=/mnt/disk/swap bs=1M count=64 2>/dev/null && chmod 600 /mnt/disk/swap
mkswap /mnt/disk/swap >/dev/null && swapon /mnt/disk/swap
mkdir -p /cg && mount -t cgroup2 none /cg && echo +memory +pids >/cg/cgroup.subtree_control
mkdir -p /cg/tight && echo 48M >/cg/tight/memory.high && echo $$ >/cg/tight/cgroup.procs
/work/stress-ng --vm 2 --vm-bytes 96M --timeout 8 --verify --quiet --oomable
echo $$ >/cg/cgroup.procs; for i in $(seq 60); do grep -q . /cg/tight/cgroup.procs || break; sleep 1; done
rmdir /cg/tight && swapoff /mnt/disk/swap && rm /mnt/disk/swap && umount /cg"""
IPERF = """/work/ip netns exec far /work/iperf3 -s -D -1
sleep 1; /work/iperf3 -c 10.9.0.2 -t 3 $@ >/tmp/iperf || { cat /tmp/iperf; exit 1; }"""
FILES = """cd /mnt/disk; for i in 1 2 3; do cp -r /bin/busybox b$i; sync; cmp b$i /bin/busybox || exit 1; done
for s in mq-deadline kyber bfq none; do echo $s >/sys/block/vda/queue/scheduler
dd if=/dev/vda of=/dev/null bs=1M count=16 iflag=direct 2>/dev/null && dd if=/dev/zero of=z bs=64k count=64 conv=fsync 2>/dev/null || exit 1; done
rm -f b1 b2 b3 z"""
OVERLAY = """cd /mnt/disk; mkdir -p low up work over && echo x >low/f
mount -t overlay none -o lowerdir=low,upperdir=up,workdir=work over && echo y >over/f && grep -q y up/f && umount over"""
AWAY = """cd /; umount /mnt/disk && /work/ip link del near && /work/ip netns del far && /work/ip link del br0 && /work/ip link del dum0"""


def in_shell(text, *arguments):
    return " ".join(["sh", "-c", shlex.quote("set -e\n" + text), "sh", *arguments])


def runs(seconds):
    """[(label, command)] in the order in which the guest runs them."""
    return [
        ("network-up", in_shell(NETWORK)),
        ("disk-up", in_shell(DISK, "none")),
        ("tcp", "/work/tcp 500"),
        ("iperf-tcp", in_shell(IPERF)),
        ("iperf-udp", in_shell(IPERF, "-u", "-b", "50M")),
        ("iperf-reverse", in_shell(IPERF, "-R", "-P", "4")),
        ("fork", "/work/fork 300"),
        ("futex", "/work/futex 2000"),
        ("pipe", "/work/pipe 2000"),
        ("stop", "/work/stop 2 2"),
        ("yield", "/work/yield 3000"),
        ("files", in_shell(FILES)),
        ("overlay", in_shell(OVERLAY)),
        *((f"stress-{group}", in_shell(stress(group, seconds))) for group in STRESSORS),
        ("reclaim", in_shell(SWAP)),
        ("away", in_shell(AWAY)),
    ]
