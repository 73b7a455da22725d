# SPDX-License-Identifier: GPL-2.0-or-later
"""Whose an object is, from above: what files and sockets hold, found in a guest's memory.

`contexts report` goes up from an object by pointers that it saw stored. This walk goes down, from the lists of superblocks and tasks: to a
dentry from the list of its inode, to a socket buffer from the queue that it is in, to an extent from the tree of its file. Owners are addresses
of struct inode, or of a struct sock that no file has yet. An object may have two: a clone of a socket buffer lies beside its other half."""

import collections

from guest_memory import DIRECT_MAP, PAGE_BYTES

S_IFMT, S_IFSOCK, S_IFIFO = 0o170000, 0o140000, 0o010000
STREAM, TCP, UDP, INET, INET6, LISTEN = 1, 6, 17, 2, 10, 10
VMEMMAP = 0xFFFFEA0000000000

ASKED = """&super_blocks &init_task &init_top_pgt PG_private sizeof(page) BH_PrivateStart
super_block.s_list super_block.s_inodes super_block.s_type super_block.s_dev file_system_type.name
inode.i_sb_list inode.i_sb inode.i_ino inode.i_mode inode.i_dentry inode.i_data inode.i_mapping inode.i_flctx inode.i_pipe inode.i_private
address_space.i_pages.xa_head address_space.i_mmap.rb_root.rb_node xa_node.slots
dentry.d_u.d_alias dentry.d_inode dentry.d_name.name dentry.d_iname
folio.flags folio.private buffer_head.b_this_page buffer_head.b_state buffer_head.b_private
vm_area_struct.shared.rb vm_area_struct.vm_file
task_struct.tasks task_struct.signal task_struct.files task_struct.mm task_struct.thread_node signal_struct.thread_head
files_struct.fdt fdtable.max_fds fdtable.fd mm_struct.exe_file
file.f_path.dentry
file_lock_context.flc_flock file_lock_context.flc_posix file_lock_context.flc_lease file_lock_core.flc_list file_lock.c file_lease.c
pipe_inode_info.bufs
socket_alloc.vfs_inode socket_alloc.socket socket.sk
sock.sk_receive_queue sock.sk_write_queue sock.sk_error_queue sock.tcp_rtx_queue.rb_node sock.sk_type sock.sk_protocol sock.__sk_common.skc_family
sock.__sk_common.skc_state tcp_sock.out_of_order_queue.rb_node udp_sock.reader_queue sk_buff.next sk_buff.rbnode sk_buff.head
inet_connection_sock.icsk_accept_queue.rskq_accept_head request_sock.dl_next request_sock.sk
ext4_inode_info.vfs_inode ext4_inode_info.i_es_tree.root.rb_node extent_status.rb_node ext4_inode_info.jinode ext4_inode_info.i_prealloc_node.rb_node
ext4_prealloc_space.pa_node.inode_node"""


class Holders:
    """owners: by address of what is held, which need not be the start of an object.
    files: by (major, minor, inode number); sockets: by inode number."""

    def __init__(self, memory):
        self.m, self.of = memory, memory.layouts
        self.owners = collections.defaultdict(set)
        self.files, self.sockets = {}, {}
        self.seen = set()
        self.walk()

    def hold(self, address, owner):
        if address >= DIRECT_MAP:
            self.owners[address].add(owner)

    def walk(self):
        for block in self.m.listed(self.of["&super_blocks"], "super_block.s_list"):
            for inode in self.m.listed(block + self.of["super_block.s_inodes"], "inode.i_sb_list"):
                self.inode(inode)
        for task in self.tasks():
            self.task(task)

    def tasks(self):
        first = self.of["&init_task"]
        for leader in [first, *self.m.listed(first + self.of["task_struct.tasks"], "task_struct.tasks")]:
            yield leader
            if leader != first:
                yield from self.m.listed(self.m.member("task_struct.signal", leader) + self.of["signal_struct.thread_head"], "task_struct.thread_node")

    def task(self, task):
        files = self.m.member("task_struct.files", task)
        if files and ("files", files) not in self.seen:
            self.seen.add(("files", files))
            table = self.m.member("files_struct.fdt", files)
            slots = self.m.member("fdtable.fd", table)
            for number in range(min(self.m.u32(table + self.of["fdtable.max_fds"]), 1 << 16)):
                self.file(self.m.pointer(slots + 8 * number))
        if mm := self.m.member("task_struct.mm", task):
            self.file(self.m.member("mm_struct.exe_file", mm))

    def file(self, file):
        if not file or file in self.seen:
            return
        self.seen.add(file)
        inode = self.m.member("dentry.d_inode", self.m.member("file.f_path.dentry", file))
        self.hold(file, inode)
        self.inode(inode)

    def inode(self, inode):
        if not inode or inode in self.seen:
            return
        self.seen.add(inode)
        m, of = self.m, self.of
        self.hold(inode, inode)
        block = m.member("inode.i_sb", inode)
        kind = m.text(m.member("file_system_type.name", m.member("super_block.s_type", block)))
        mode, number = m.u16(inode + of["inode.i_mode"]) & S_IFMT, m.member("inode.i_ino", inode)
        if mode == S_IFSOCK and kind == "sockfs":
            self.sockets[number] = inode
            self.socket(inode)
        else:
            device = m.u32(block + of["super_block.s_dev"])
            self.files[device >> 20, device & 0xFFFFF, number] = inode
        for dentry in m.chained(inode + of["inode.i_dentry"], "dentry.d_u.d_alias"):
            self.hold(dentry, inode)
            if (name := m.member("dentry.d_name.name", dentry)) != dentry + of["dentry.d_iname"]:
                self.hold(name, inode)
        self.mapping(inode + of["inode.i_data"], inode)
        if context := m.member("inode.i_flctx", inode):
            self.locks(context, inode)
        if mode == S_IFIFO and kind == "pipefs":
            pipe = m.member("inode.i_pipe", inode)
            self.hold(pipe, inode)
            self.hold(m.member("pipe_inode_info.bufs", pipe), inode)
        if kind in ("sysfs", "cgroup2", "cgroup"):
            self.hold(m.member("inode.i_private", inode), inode)
        if kind == "ext4":
            self.ext4(inode - of["ext4_inode_info.vfs_inode"], inode)

    def mapping(self, mapping, inode):
        m, of = self.m, self.of
        for what, at in m.xarray(m.member("address_space.i_pages.xa_head", mapping)):
            self.hold(at if what == "node" else DIRECT_MAP + (at - VMEMMAP) // of["sizeof(page)"] * PAGE_BYTES, inode)
            if what == "entry" and m.member("folio.flags", at) >> of["PG_private"] & 1:
                self.buffers(m.member("folio.private", at), inode)
        for area in m.tree(m.member("address_space.i_mmap.rb_root.rb_node", mapping), of["vm_area_struct.shared.rb"]):
            self.hold(area, inode)
            self.file(m.member("vm_area_struct.vm_file", area))

    def buffers(self, first, inode):
        at, number = first, 0
        while at >= DIRECT_MAP and number < 64 and (not number or at != first):
            self.hold(at, inode)
            if self.m.member("buffer_head.b_state", at) >> self.of["BH_PrivateStart"] & 1:  # BH_JBD: it has a journal_head
                self.hold(self.m.member("buffer_head.b_private", at), inode)
            at, number = self.m.member("buffer_head.b_this_page", at), number + 1

    def locks(self, context, inode):
        self.hold(context, inode)
        for which in ("flc_flock", "flc_posix", "flc_lease"):
            for core in self.m.listed(context + self.of["file_lock_context." + which], "file_lock_core.flc_list"):
                self.hold(core - self.of["file_lock.c"], inode)

    def ext4(self, info, inode):
        m, of = self.m, self.of
        for extent in m.tree(m.member("ext4_inode_info.i_es_tree.root.rb_node", info), of["extent_status.rb_node"]):
            self.hold(extent, inode)
        for space in m.tree(m.member("ext4_inode_info.i_prealloc_node.rb_node", info), of["ext4_prealloc_space.pa_node.inode_node"]):
            self.hold(space, inode)
        self.hold(m.member("ext4_inode_info.jinode", info), inode)

    def socket(self, inode):
        sock = self.m.member("socket.sk", inode - self.of["socket_alloc.vfs_inode"] + self.of["socket_alloc.socket"])
        if sock:
            self.sock(sock, inode)

    def sock(self, sock, owner):
        m, of = self.m, self.of
        if sock in self.seen:
            return
        self.seen.add(sock)
        self.hold(sock, owner)
        for queue in ("sk_receive_queue", "sk_write_queue", "sk_error_queue"):
            self.queue(sock + of["sock." + queue], owner)
        family, protocol = m.u16(sock + of["sock.__sk_common.skc_family"]), m.u16(sock + of["sock.sk_protocol"])
        if family not in (INET, INET6):
            return
        if protocol == UDP:
            self.queue(sock + of["udp_sock.reader_queue"], owner)
        if protocol != TCP or m.u16(sock + of["sock.sk_type"]) != STREAM:
            return
        if m.read(sock + of["sock.__sk_common.skc_state"], "B") == LISTEN:
            return self.waiting(sock)
        for root in ("sock.tcp_rtx_queue.rb_node", "tcp_sock.out_of_order_queue.rb_node"):
            for buffer in m.tree(m.member(root, sock), of["sk_buff.rbnode"]):
                self.buffer(buffer, owner)

    def waiting(self, listener):
        """Connections that nobody accepted: each is one of its own."""
        request = self.m.member("inet_connection_sock.icsk_accept_queue.rskq_accept_head", listener)
        while request:
            if child := self.m.member("request_sock.sk", request):
                self.sock(child, child)
            request = self.m.member("request_sock.dl_next", request)

    def queue(self, head, owner):
        for buffer in self.m.listed(head, "sk_buff.next"):
            self.buffer(buffer, owner)

    def buffer(self, buffer, owner):
        self.hold(buffer, owner)
        self.hold(self.m.member("sk_buff.head", buffer), owner)

    def is_free(self, address, kind):
        """Whether no file can have it, by what it says itself."""
        if kind == "dentry":
            return not self.m.member("dentry.d_inode", address)
        if kind == "vm_area_struct":
            return not self.m.member("vm_area_struct.vm_file", address)
        return kind == "kernfs_node"  # there is one without an inode, too
