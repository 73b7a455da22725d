# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a kernel in QEMU (TCG) with the plugin accesses.c and returns every
access to chosen objects. The kernel may be any x86-64 build; what it runs is
the caller's. It must boot with `nokaslr` and four levels of page tables."""

import collections
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# One place of the code that accessed one place of the objects. kind: 1 load,
# 2 store, 3 both; remote: of another CPU's object.
Access = collections.namedtuple("Access", "object offset size kind remote pc count")

# static: symbol of a variable; percpu: of a per-CPU variable; slab: a cache;
# kmalloc: a function that calls kmalloc() or its like; of what it allocates,
# the objects of the size class of the struct, whose end is at `stride`. base:
# where the struct begins in the objects of a cache or function.
Object = collections.namedtuple("Object", "kind name stride number base", defaults=[0])


def parse_object(text, image, size):
    """KIND:NAME or KIND:NAME+OFFSET of the command line; `size`: of the struct.
    Arrays of it are recognised by the size of the symbol."""
    kind, colon, name = text.partition(":")
    if not colon or kind not in ("static", "percpu", "slab", "kmalloc"):
        sys.exit(f"{text}: expected static:SYMBOL, percpu:SYMBOL, slab:CACHE or kmalloc:FUNCTION")
    if kind in ("slab", "kmalloc"):
        name, plus, base = name.partition("+")
        base = int(base, 0) if plus else 0
        if kind == "kmalloc":
            image.symbol(name)
        return Object(kind, name, base + size, 0, base)
    image.symbol(name)
    return Object(kind, name, size, max(1, image.sizes.get(name, size) // size))


def size_class(size):
    """Bytes of the objects of the cache that kmalloc() takes for `size`.

    >>> [size_class(n) for n in (1, 65, 96, 129, 168, 193, 8192)]
    [8, 96, 96, 192, 192, 256, 8192]
    """
    return min(n for n in (96, 192, *(1 << bit for bit in range(3, 32))) if n >= size)


class Recorder:
    """Prepares one run. `directory` is for its files and must be empty or
    absent. `window`: two addresses of instructions; recording begins with the
    first execution of one and ends with the next of the other; None: the whole
    run. More than one process can use a directory's plugin, not its files.
    `lines`: the configuration of windows.c, if lines are to be counted, too;
    `orders`: that of coherence.c, for misses."""

    def __init__(self, image, objects, directory, ram_bytes, window=None, lines=None, orders=None):
        self.image, self.objects, self.directory, self.ram_bytes = image, objects, directory, ram_bytes
        os.makedirs(directory, exist_ok=True)
        self.plugin = os.path.join(directory, "accesses.so")
        self.conf = os.path.join(directory, "conf")
        self.out = os.path.join(directory, "accesses")
        self.ram = os.path.join(directory, "ram")
        compile_plugin(self.plugin)
        with open(self.conf, "w") as file:
            file.write("".join(line + "\n" for line in self.lines(window)))
        self.more = ""
        for name, text in (("lines", lines), ("orders", orders)):
            if text:
                path = os.path.join(directory, name)
                self.more += f",{name}={path}"
                with open(path, "w") as file:
                    file.write(text)
        with open(self.ram, "wb") as file:
            file.truncate(ram_bytes)

    def lines(self, window):
        s = self.image.symbol
        yield f"ram {self.ram_bytes:x}"
        yield "window %x %x" % (window or (0, 0))
        # Linked at IMAGE_BASE + where it is loaded, unless configured otherwise.
        yield "image ffffffff80000000"
        percpu_start = s("__per_cpu_start")
        table = s("__per_cpu_offset")
        # Until the areas are set up, the boot CPU uses the ones in the image.
        load = s("__per_cpu_load") - percpu_start
        yield f"cpus {table:x} {self.image.sizes.get('__per_cpu_offset', 64 * 8) // 8:x} {load:x}"
        if any(o.kind in ("slab", "kmalloc") for o in self.objects):
            yield from self.slab_lines()
        for number, o in enumerate(self.objects):
            if number != self.first_of(o):
                continue
            if o.kind == "slab":
                yield f"slab {number:x} {o.name}"
            elif o.kind == "kmalloc":
                yield f"kmalloc {number:x} {s(o.name):x} {s(o.name) + self.image.sizes[o.name]:x} {size_class(o.stride):x}"
            else:
                yield f"{o.kind} {number:x} {s(o.name):x} {o.stride:x} {o.number:x}"

    def first_of(self, o):
        """The number of the first object of that name: a cache's objects can
        have several structs, which are recorded once."""
        def key(o):
            return o.kind, o.name, size_class(o.stride) if o.kind == "kmalloc" else 0
        return next(number for number, other in enumerate(self.objects) if key(other) == key(o))

    def kernel_parameters(self):
        """What the kernel must be told for these objects."""
        return "slab_debug=U,kmalloc-*" if any(o.kind == "kmalloc" for o in self.objects) else ""

    def slab_lines(self):
        includes = ["<linux/mm.h>", '"slab.h"']
        names = ["PGTY_slab", "PG_head", "offsetof(struct slab, slab_cache)", "offsetof(struct page, page_type)",
                 "offsetof(struct kmem_cache, name)", "offsetof(struct kmem_cache, size)",
                 "offsetof(struct kmem_cache, inuse)", "offsetof(struct kmem_cache, offset)", "sizeof(struct page)"]
        values = self.image.constants("mm/slub.o", includes, names)
        bits, entry, vmemmap = self.image.constants(
            "mm/slub.o", includes, ["SECTION_SIZE_BITS", "sizeof(struct mem_section)", "IS_ENABLED(CONFIG_SPARSEMEM_VMEMMAP)"])
        if None in values or values[-1] != 64:
            sys.exit("slab objects: this kernel keeps slabs in a way that the recorder does not know: " +
                     ", ".join(f"{n}={v}" for n, v in zip(names, values)))
        yield "slabs " + " ".join(f"{value:x}" for value in values[:-1])
        yield f"pgt {self.image.symbol('init_top_pgt'):x}"
        if not vmemmap and bits and entry:
            yield f"sections {self.image.symbol('mem_section'):x} {bits:x} {entry:x}"

    def qemu_arguments(self):
        """To be added to a QEMU command line that has a -machine and `-m` of
        ram_bytes, and nokaslr among the kernel's parameters."""
        return ["-object", f"memory-backend-file,id=recorder,size={self.ram_bytes},mem-path={self.ram},share=on",
                "-machine", "memory-backend=recorder",
                "-plugin", f"{self.plugin},conf={self.conf},out={self.out},ram={self.ram}{self.more}"]

    def read_windows(self):
        """[(length of windows, windows, lines, lines in the other order)], after QEMU has ended."""
        with open(self.out + ".windows") as file:
            return [tuple(map(int, line.split())) for line in file]

    def read_coherence(self):
        """[(order, accesses, misses, upgrades)] and {(order, offset in memory): misses}, after QEMU has ended."""
        with open(self.out + ".coherence") as file:
            rows = [line.split() for line in file]
        return ([tuple(map(int, row)) for row in rows if row[0] != "at"],
                {(int(row[1]), int(row[2])): int(row[3]) for row in rows if row[0] == "at"})

    def read(self):
        """The accesses, after QEMU has ended, in a fixed order."""
        if os.path.exists(self.ram):
            os.unlink(self.ram)
        try:
            file = open(self.out)
        except OSError:
            sys.exit("the recorder wrote nothing: did the kernel reach the begin of the window? See the console's output")
        with file:
            if file.readline().split() != ["run", "1"]:
                print("note: the end of the window was not reached", file=sys.stderr)
            total = collections.Counter()
            for line in file:
                number, offset, size, kind, remote, pc, count = (int(word, 16) for word in line.split())
                total[(number, offset, size, kind, remote, pc)] += count
        # Offsets from the start of the struct; what is before it is not its.
        found = collections.Counter()
        for (number, offset, *rest), count in total.items():
            for other, o in enumerate(self.objects):
                if number == self.first_of(o) and offset >= o.base:
                    found[(other, offset - o.base, *rest)] += count
        return [Access(*key, count) for key, count in sorted(found.items())]


def compile_plugin(path):
    compiler = shutil.which("gcc") or shutil.which("cc") or sys.exit("no C compiler")
    done = subprocess.run([compiler, "-O2", "-Wall", "-shared", "-fPIC", "-o", path,
                           *(os.path.join(HERE, name) for name in ("accesses.c", "objects.c", "windows.c", "coherence.c", "guest.c")), "-lpthread"])
    if done.returncode:
        sys.exit("the plugin does not compile")


def check_console(path):
    """Messages of the kernel that spoil a recording."""
    with open(path, errors="replace") as file:
        text = file.read()
    for words in ("Kernel panic", "BUG:", "rcu_sched self-detected stall", "MP-BIOS bug", "unable to find TSC"):
        if re.search(re.escape(words), text):
            print(f"note: the console says '{words}': {path}", file=sys.stderr)
    return text
