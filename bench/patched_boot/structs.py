# SPDX-License-Identifier: GPL-2.0-or-later
"""The structs that bench/patched_boot.py patches when none is named, with the paths that are analysed for each."""

MM = ["mm/", "kernel/fork.c", "kernel/exit.c"]
FS = ["fs/"]
NET = ["net/", "drivers/net/"]
BLOCK = ["block/", "drivers/block/"]
KERNEL = ["kernel/"]

STRUCTS = {
    **dict.fromkeys(("mm_struct", "vm_area_struct", "zone", "lruvec", "kmem_cache", "page", "folio", "slab", "anon_vma", "mem_cgroup",
                     "pglist_data"), MM),
    **dict.fromkeys(("inode", "dentry", "file", "super_block", "address_space", "pipe_inode_info", "ext4_inode_info", "eventpoll",
                     "files_struct", "buffer_head"), FS),
    **dict.fromkeys(("sk_buff", "sock", "tcp_sock", "inet_connection_sock", "net_device", "softnet_data", "neighbour", "net",
                     "unix_sock", "dst_entry", "Qdisc", "napi_struct"), NET),
    **dict.fromkeys(("request_queue", "request", "bio", "blk_mq_hw_ctx", "blk_mq_ctx", "gendisk", "block_device"), BLOCK),
    **dict.fromkeys(("rq", "cfs_rq", "sched_entity", "task_struct", "signal_struct", "sighand_struct", "cred", "hrtimer_cpu_base",
                     "rcu_data", "worker_pool", "k_itimer", "css_set"), KERNEL),
}


def paths_of(struct):
    """What is analysed for a struct: its own paths, or, for one that is not in the list, all of them."""
    return STRUCTS.get(struct) or [*MM[:1], *FS, *NET, *BLOCK, *KERNEL]
