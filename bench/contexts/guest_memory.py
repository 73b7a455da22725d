# SPDX-License-Identifier: GPL-2.0-or-later
"""The memory of a guest, as a file that QEMU kept it in, read by addresses of its kernel.

Linux on x86-64 with four levels of page tables and without KASLR. Offsets of members, constants and addresses of symbols are what gdb says of
the vmlinux: nothing here is of kstatic-affinity."""

import mmap
import re
import struct
import subprocess
import sys
import tempfile

DIRECT_MAP, KERNEL_MAP = 0xFFFF888000000000, 0xFFFFFFFF80000000
PAGE_BYTES = 4096


class Layouts:
    """Numbers of the debug information, all asked for at once: offsets ("inode.i_sb_list"), sizes ("sizeof(inode)"), constants ("PG_private")
    and addresses of variables ("&super_blocks")."""

    def __init__(self, vmlinux, asked):
        words = []
        for what in asked:
            if what.startswith("sizeof("):
                words.append(f"sizeof(struct {what[7:]}")
            elif "." in what:
                name, _, member = what.partition(".")
                words.append(f"(long)&((struct {name} *)0)->{member}")
            else:
                words.append(f"(long){what}")
        # One that gdb cannot tell must not end the others.
        script = f"for number, word in enumerate({words!r}):\n try: print(number, int(gdb.parse_and_eval(word)))\n except gdb.error: pass\n"
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(script)
            file.flush()
            try:
                done = subprocess.run(["gdb", "-nx", "-batch", "-x", file.name, vmlinux], capture_output=True, text=True)
            except FileNotFoundError:
                sys.exit("no gdb: apt-get install gdb")
        self.numbers = {asked[int(at)]: int(number) % 2 ** 64 for at, number in re.findall(r"^(\d+) (-?\d+)$", done.stdout, re.M)}
        if missing := [what for what in asked if what not in self.numbers]:
            sys.exit(f"gdb knows nothing of {', '.join(missing)} in {vmlinux}: {done.stderr.strip()[-300:]}")

    def __getitem__(self, what):
        return self.numbers[what]


class GuestMemory:
    def __init__(self, path, layouts):
        self.file = open(path, "rb")
        self.bytes = mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ)
        self.layouts = layouts
        self.root = layouts["&init_top_pgt"] - KERNEL_MAP
        self.pages = {}

    def place(self, address):
        """Where in the file; None: nowhere."""
        page = address // PAGE_BYTES
        if page not in self.pages:
            self.pages[page] = self.translated(page * PAGE_BYTES)
        start = self.pages[page]
        return None if start is None else start + address % PAGE_BYTES

    def translated(self, address):
        table = self.root
        for shift in (39, 30, 21, 12):
            entry, = struct.unpack_from("<Q", self.bytes, table + (address >> shift) % 512 * 8)
            if not entry & 1:
                return None
            table = entry & 0x000FFFFFFFFFF000
            if shift > 12 and entry & 0x80:
                table = table & ~((1 << shift) - 1) | address & (1 << shift) - 1
                break
        return table if table + PAGE_BYTES <= len(self.bytes) else None

    def read(self, address, form):
        at = self.place(address)
        return 0 if at is None else struct.unpack_from(form, self.bytes, at)[0]

    def pointer(self, address):
        return self.read(address, "<Q")

    def u32(self, address):
        return self.read(address, "<I")

    def u16(self, address):
        return self.read(address, "<H")

    def text(self, address, most=64):
        at = self.place(address)
        return "" if at is None else self.bytes[at:at + most].split(b"\0")[0].decode("latin-1")

    def member(self, what, of):
        """The pointer that a member holds."""
        return self.pointer(of + self.layouts[what])

    def listed(self, head, member):
        """Structs of a list_head, by the member that links them."""
        offset, at, seen = self.layouts[member], self.pointer(head), 0
        while at and at != head and seen < 1 << 20:
            yield at - offset
            at, seen = self.pointer(at), seen + 1

    def chained(self, head, member):
        """Structs of an hlist_head."""
        offset, at, seen = self.layouts[member], self.pointer(head), 0
        while at and seen < 1 << 20:
            yield at - offset
            at, seen = self.pointer(at), seen + 1

    def tree(self, node, offset):
        """Structs of an rb_root, by the offset of their rb_node."""
        stack = [node]
        while stack and len(stack) < 1 << 16:
            at = stack.pop()
            if at:
                yield at - offset
                stack += [self.pointer(at + 8), self.pointer(at + 16)]  # rb_right, rb_left

    def xarray(self, head):
        """("node", address) and ("entry", pointer) of an xarray."""
        stack = [head]
        while stack:
            entry = stack.pop()
            if not entry or entry & 1:
                continue  # a shadow
            if entry & 2:
                if entry > 4096:
                    node = entry - 2
                    yield "node", node
                    slots = node + self.layouts["xa_node.slots"]
                    stack += [self.pointer(slots + 8 * number) for number in range(64)]
            else:
                yield "entry", entry
