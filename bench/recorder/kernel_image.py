# SPDX-License-Identifier: GPL-2.0-or-later
"""A built kernel as the recorder needs it: addresses of symbols, the function
that an instruction belongs to, what kind of code that is, layouts of structs,
constants of the source."""

import bisect
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import kst_bench as kb

# What copies or fills memory without knowing fields. Out of line; the inline
# forms are known by their instruction (rep movs, rep stos).
BULK = re.compile(r"(__)?(mem(set|cpy|move|cmp|chr|scan)(_\w+)?|copy_page(_regs|_mc)?|clear_page(_rep|_orig|_erms)?|rep_(movs|stos)_\w+|_?copy_(from|to)_user\w*"
                  r"|copy_user\w*|str(n?len|n?cpy|scpy|n?cmp|lcpy)|sized_strscpy)$")

# Code that the rules forbid to count, by the symbols that the linker script
# puts around it.
FORBIDDEN = [("noinstr", "__noinstr_text_start", "__noinstr_text_end"), ("entry", "__entry_text_start", "__entry_text_end"),
             ("cpuidle", "__cpuidle_text_start", "__cpuidle_text_end"), ("init", "_sinittext", "_einittext"),
             ("head", "_text", "_stext"), ("thunk", "__indirect_thunk_start", "__indirect_thunk_end")]


def is_bulk(code):
    """One instruction that moves many bytes: rep movs, rep stos, and those that
    save and restore the registers of the FPU, which the emulator does in words.

    >>> [is_bulk(bytes.fromhex(code)) for code in ("f348a5", "f3aa", "480fae07", "0fae2f", "480fc727", "48a5", "f30f10", "0faef0", "8b07")]
    [True, True, True, True, True, False, False, False, False]
    """
    repeated = code[:1] in (b"\xf2", b"\xf3")
    code = code[1:] if repeated else code
    if code and 0x40 <= code[0] <= 0x4f:  # REX
        code = code[1:]
    if repeated:
        return code[:1] in (b"\xa4", b"\xa5", b"\xaa", b"\xab")
    if len(code) < 3 or code[0] != 0x0f or code[2] >> 6 == 3:  # ModRM: memory
        return False
    return (code[1], code[2] >> 3 & 7) in {(0xae, 0), (0xae, 1), (0xae, 4), (0xae, 5), (0xae, 6), (0xc7, 3), (0xc7, 4), (0xc7, 5)}


class KernelImage:
    """`build`: the output directory of a finished x86-64 build; `source` is
    found from it."""

    def __init__(self, build):
        self.build = os.path.abspath(build)
        self.vmlinux = os.path.join(self.build, "vmlinux")
        if not os.path.exists(self.vmlinux):
            sys.exit(f"{self.vmlinux}: no such file; build the kernel first")
        link = os.path.join(self.build, "source")
        self.source = os.path.realpath(link) if os.path.exists(link) else self.build
        self.symbols, self.sizes = {}, {}
        functions = []
        for line in run("nm", "-S", "-n", self.vmlinux).splitlines():
            words = line.split()
            if len(words) < 3:
                continue
            address, name = int(words[0], 16), words[-1]
            self.symbols.setdefault(name, address)
            if len(words) == 4:
                self.sizes.setdefault(name, int(words[1], 16))
            if words[-2] in "tTwW":
                # Of names at one place the first that is no alias of a section's end.
                if functions and functions[-1][0] == address:
                    if len(words) == 4:
                        functions[-1] = (address, name)
                else:
                    functions.append((address, name))
        self.starts = [address for address, _ in functions]
        self.names = [name for _, name in functions]
        self.segments = []
        for line in run("readelf", "-lW", self.vmlinux).splitlines():
            words = line.split()
            if words and words[0] == "LOAD":
                self.segments.append(tuple(int(words[i], 16) for i in (2, 1, 4)))
        self.forbidden = [(name, self.symbols[first], self.symbols[last]) for name, first, last in FORBIDDEN
                          if first in self.symbols and last in self.symbols]
        self.kinds = {}
        # Words that the allocator keeps in free objects are no accesses to a struct.
        slub = os.path.join(self.build, "mm", "slub.o")
        lines = run("nm", slub).splitlines() if os.path.exists(slub) else []
        self.allocator = {line.split()[-1] for line in lines if line.split()[-2] in "tT"}

    def symbol(self, name):
        if name not in self.symbols:
            sys.exit(f"{self.vmlinux}: no symbol {name}")
        return self.symbols[name]

    def function(self, pc):
        index = bisect.bisect_right(self.starts, pc) - 1
        return self.names[index] if index >= 0 else "?"

    def code(self, pc, size):
        with open(self.vmlinux, "rb") as file:
            for address, offset, length in self.segments:
                if address <= pc < address + length:
                    file.seek(offset + pc - address)
                    return file.read(size)
        return b""

    def kind(self, pc):
        """(function, "bulk" | "plain", why it is not to be counted or ""): a rule,
        or "allocator". Bulk code has none, although memcpy() is noinstr: what it
        copies or clears is counted where it is called."""
        if pc not in self.kinds:
            function = self.function(pc)
            bulk = is_bulk(self.code(pc, 6)) or BULK.match(function)
            rule = next((name for name, first, last in self.forbidden if first <= pc < last),
                        "allocator" if function in self.allocator else "")
            self.kinds[pc] = (function, "bulk", "") if bulk else (function, "plain", rule)
        return self.kinds[pc]

    def records(self, tool, struct, unit):
        """name -> record of the tool for all records of the source file `unit`
        (relative to the source), which must define `struct`."""
        with tempfile.TemporaryDirectory() as scratch:
            out = os.path.join(scratch, "records.json")
            command = [kb.dev_tool(tool), "records", "-p", self.build, "--struct", struct, "--json", out, unit]
            done = subprocess.run(command, cwd=self.source, stdout=subprocess.DEVNULL)
            if done.returncode not in (0, 3):
                sys.exit(f"exit status {done.returncode} of: " + shlex.join(command))
            return {record["name"]: record for record in kb.read_json(out)["records"]}

    def constants(self, unit, includes, expressions):
        """Values of C expressions, as the object `unit` (mm/slub.o) would see
        them behind `includes`; None for those that do not compile."""
        words, source = kb.compile_command(self.build, unit)
        # Without the plugin of an instrumented build and its options.
        words = [word for word, after in zip(words, words[1:])
                 if not word.startswith(("-fpass-plugin", "-fplugin", "-kst-")) and not (word == "-mllvm" and after.startswith("-kst-"))]
        values = []
        with tempfile.TemporaryDirectory() as scratch:
            for expression in expressions:
                probe = os.path.join(scratch, "probe.c")
                with open(probe, "w") as file:
                    file.write("".join(f"#include {name}\n" for name in includes))
                    file.write(f'void probe(void) {{ asm volatile(".ascii \\"->%c0\\"" : : "i"((unsigned long)({expression}))); }}\n')
                directory = os.path.dirname(os.path.join(self.build, source))
                done = subprocess.run([*words, "-w", "-I", directory, "-S", "-o", "-", probe], cwd=self.build, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                found = re.search(r'"->(-?\d+)"', done.stdout)
                values.append(int(found.group(1)) if found and not done.returncode else None)
        return values


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(shlex.join(command) + ": " + done.stderr.strip())
    return done.stdout


class Layout:
    """Top-level fields of a struct; bit-fields that share bytes are one, since
    no record of memory accesses tells them apart.

    >>> fields = [("a", 0, 32), ("b", 64, 64), ("x", 128, 3), ("y", 131, 10), ("none", 160, 0)]
    >>> layout = Layout({"name": "s", "size": 24, "fields": [
    ...     {"name": n, "offset_bits": o, "size_bits": s} for n, o, s in fields]})
    >>> layout.fields
    [('a', 0, 4), ('b', 8, 8), ('x:y', 16, 2)]
    >>> layout.touched(0, 16), layout.touched(4, 4), layout.touched(17, 8)
    ({0: 4, 1: 8}, {}, {2: 1})
    """

    def __init__(self, record):
        self.name, self.size = record["name"], record["size"]
        self.fields = []  # (name, first byte, bytes)
        for field in record["fields"]:
            first, end = field["offset_bits"] // 8, (field["offset_bits"] + field["size_bits"] + 7) // 8
            if end == first:
                continue
            if self.fields and first < self.fields[-1][1] + self.fields[-1][2]:
                name, start, length = self.fields[-1]
                self.fields[-1] = (name + ":" + field["name"], start, max(end, start + length) - start)
            else:
                self.fields.append((field["name"], first, end - first))
        self.at = [None] * self.size
        for index, (_, first, length) in enumerate(self.fields):
            for byte in range(first, min(first + length, self.size)):
                self.at[byte] = index

    def touched(self, offset, size):
        """field index -> bytes of it in [offset, offset + size)"""
        found = {}
        for byte in range(offset, min(offset + size, self.size)):
            if self.at[byte] is not None:
                found[self.at[byte]] = found.get(self.at[byte], 0) + 1
        return found
