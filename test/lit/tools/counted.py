#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of an instrumented object file, in words, and what was counted.

counted.py [--regions] FILE [RAW...]      one line for each site
counted.py --same CC SOURCE DIR [--words WORDS] [--raw-words WORDS] -- FLAGS
    compiles SOURCE without the plugin, with one increment for each access, and
    as it is meant to be; runs all three. Output and exit status must be equal,
    and every site must have the same count in the last two. The environment
    says where the parts are: KST_PLUGIN, KST_RUNTIME.

Written from docs/guide/formats.md alone."""

import os
import struct
import subprocess
import sys

KINDS = ("read write read-write bulk-read bulk-write address entry "
         "by-address-read by-address-write by-address-both").split()
NONE = 0xffffffff


def section(path, name):
    """The bytes of a section of a 64- or 32-bit little-endian ELF file, and its flags."""
    with open(path, "rb") as file:
        data = file.read()
    wide = data[4] == 2
    at, = struct.unpack_from("<Q" if wide else "<I", data, 40 if wide else 32)
    entry, number, names = struct.unpack_from("<HHH", data, 58 if wide else 46)
    form = "<IIQQQQ" if wide else "<IIIIII"
    heads = [struct.unpack_from(form, data, at + i * entry) for i in range(number)]
    for title, kind, flags, _, offset, size in heads:
        start = heads[names][4] + title
        if data[start:data.index(b"\0", start)].decode() == name:
            return data[offset:offset + size], flags
    return b"", 0


class Table:
    def __init__(self, data):
        self.hash, = struct.unpack_from("<Q", data, 16)
        n = struct.unpack_from("<10I", data, 24)
        self.counters = n[0]
        at = 64

        def rows(form, number):
            nonlocal at
            size = struct.calcsize(form)
            result = [struct.unpack_from(form, data, at + i * size) for i in range(number)]
            at += number * size
            return result

        structs, elements, functions, sites, regions, references, terms = (
            rows(form, number) for form, number in
            zip(("<4I", "<2I", "<4I", "<7I4HI", "<6I", "<2I", "<Ii"), n[1:8]))
        strings = data[at:at + n[8]]
        text = lambda offset: strings[offset:strings.index(b"\0", offset)].decode()
        self.structs = [(text(name), size, elements[first:first + count])
                        for name, size, first, count in structs]
        self.sites = []
        for struct_, function, file, line, column, offset, size, first, bits, kind, marks, _ in sites:
            words = [text(functions[function][0]), f"{os.path.basename(text(file))}:{line}:{column}"]
            if struct_ != NONE:
                words += [self.structs[struct_][0], f"{offset}+{size}"]
            elif kind != 6:
                words += ["?", f"+{size}"]
            if bits:
                words.append(f"bits {first}+{bits}")
            words.append(KINDS[kind])
            words += [name for bit, name in enumerate(("volatile", "atomic", "asm", "bit-field-first")) if marks >> bit & 1]
            self.sites.append(" ".join(words))
        self.regions = [(text(functions[function][0]), references[first:first + count], terms[term:term + number])
                        for function, first, count, term, number, _ in regions]

    def counts(self, counters):
        sums = {site: 0 for site in self.sites}
        for _, references, terms in self.regions:
            run = sum(counters[counter] * factor for counter, factor in terms)
            for site, times in references:
                sums[self.sites[site]] += run * times
        return sums


def tables(path):
    data, _ = section(path, ".kst_table")
    result, at = [], 0
    while at < len(data):
        if data[at:at + 8] != b"KSTTABLE":
            at += 8
            continue
        size, = struct.unpack_from("<I", data, at + 12)
        result.append(Table(data[at:at + size]))
        at += size
    return result


def raw(paths):
    sums = {}
    for path in paths:
        with open(path, "rb") as file:
            data = file.read()
        if data[:12] != b"KSTCOUNT\2\0\0\0":
            sys.exit(f"{path}: not raw counters of version 2")
        size, = struct.unpack_from("<I", data, 12)
        at = 16 + (size + 7) // 8 * 8
        while True:
            key, n, kind = struct.unpack_from("<QII", data, at)
            if kind == 2:
                if (key, n, len(data)) != (at, 0, at + 16):
                    sys.exit(f"{path}: a wrong end record")
                break
            counts = struct.unpack_from(f"<{n}Q", data, at + 16)
            at += 16 + 8 * n
            old = sums.get((kind, key), (0,) * n)
            sums[kind, key] = tuple(a + b for a, b in zip(old, counts))
    return sums


def counted(path, paths):
    sums, result = raw(paths), {}
    for table in tables(path):
        counters = sums.get((0, table.hash), (0,) * table.counters)
        for site, count in table.counts(counters).items():
            result[site] = result.get(site, 0) + count
    return result


def build_and_run(compiler, source, folder, flags, words):
    os.makedirs(folder)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("KST_")}
    plugin = []
    if words is not None:
        environment["KST_OPTIONS"] = words
        plugin = ["-fpass-plugin=" + os.environ["KST_PLUGIN"]]
    program = os.path.join(folder, "program")
    command = [compiler, "-w", "-gline-tables-only", *flags, source]
    subprocess.run([*command, *plugin, "-c", "-o", program + ".o"], check=True, env=environment)
    links = [f for f in flags if f.startswith(("-fsanitize", "-pie", "-no-pie", "-static"))]
    subprocess.run([compiler, *links, program + ".o", *([os.environ["KST_RUNTIME"]] if plugin else []),
                    "-o", program, "-lm", "-lpthread"], check=True)
    try:
        run = subprocess.run([os.path.abspath(program)], cwd=folder, env=environment, timeout=20,
                             stdout=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        return None, {}
    files = [os.path.join(folder, f) for f in os.listdir(folder) if f.endswith(".kstraw")]
    return (run.returncode, run.stdout), counted(program + ".o", files) if plugin else {}


def same(arguments):
    compiler, source, folder = arguments[:3]
    split = arguments.index("--")
    words = "structs=all"
    if "--words" in arguments[:split]:
        words = arguments[arguments.index("--words") + 1]
    flags = arguments[split + 1:]
    subprocess.run(["rm", "-rf", folder], check=True)
    plain, _ = build_and_run(compiler, source, os.path.join(folder, "plain"), flags, None)
    # A program that hangs or crashes by itself has no defined counts.
    if plain is None or plain[0] < 0:
        print("skipped: ends in no defined way")
        return
    naive, one_each = build_and_run(compiler, source, os.path.join(folder, "naive"), flags, words + " naive")
    meant, counts = build_and_run(compiler, source, os.path.join(folder, "meant"), flags, words)
    if plain != naive or plain != meant:
        sys.exit(f"{source}: output differs: {plain} {naive} {meant}")
    bad = [f"{site}: {one_each.get(site)} {counts.get(site)}" for site in sorted(set(one_each) | set(counts))
           if one_each.get(site) != counts.get(site)]
    if bad:
        sys.exit(f"{source}: naive and meant counts differ:\n" + "\n".join(bad))
    print(f"{len(counts)} sites, {sum(1 for n in counts.values() if n)} hit, sum {sum(counts.values())}: same")


def main():
    arguments = sys.argv[1:]
    if arguments[0] == "--same":
        same(arguments[1:])
        return
    regions = arguments[0] == "--regions"
    path, *files = arguments[regions:]
    if regions:
        for table in tables(path):
            print(f"{table.counters} counters, {len(table.sites)} sites, {len(table.regions)} regions")
            for function, references, terms in table.regions:
                total = " ".join(f"{'+' if factor > 0 else '-'}{counter}" for counter, factor in terms)
                print(f"region of {function}: {total or 'no counter'}")
                for site, times in references:
                    print(f"  {times} x {table.sites[site]}")
        return
    for site, count in counted(path, files).items():
        print(f"{site} = {count}" if files else site)


if __name__ == "__main__":
    main()
