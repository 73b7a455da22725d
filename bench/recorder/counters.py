# SPDX-License-Identifier: GPL-2.0-or-later
"""What the counters of an instrumented kernel say, read from its raw file and
the tables in its image by docs/profile-formats.md alone, without the readers of
the tool: a mistake there shows as a difference here."""

import collections
import struct
import subprocess
import sys

READ, WRITE, READ_WRITE, BULK_READ, BULK_WRITE, ADDRESS, ENTRY, BY_READ, BY_WRITE, BY_BOTH = range(10)
LOADS, STORES = (READ, READ_WRITE, BULK_READ), (WRITE, READ_WRITE, BULK_WRITE)
BULK = (BULK_READ, BULK_WRITE)
NONE = 0xffffffff

Site = collections.namedtuple("Site", "struct function file line column offset size first_bit bits kind marks")
Region = collections.namedtuple("Region", "function references terms")
Unit = collections.namedtuple("Unit", "hash file structs sites regions")


def fnv1a(text):
    value = 0xcbf29ce484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return value


class Table:
    """One blob of .kst_table."""

    def __init__(self, blob):
        (_, _, _, self.hash, self.counters, structs, elements, functions, sites, regions, references, terms, strings,
         main) = struct.unpack_from("<8sIIQ10I", blob)
        self.at = 64
        self.blob = blob
        structs = self.rows("<4I", structs)
        self.rows("<2I", elements)
        functions = self.rows("<4I", functions)
        sites = self.rows("<7I4HI", sites)
        regions = self.rows("<6I", regions)
        references = self.rows("<2I", references)
        terms = self.rows("<Ii", terms)
        self.strings = blob[self.at:self.at + strings]
        self.file = self.text(main)
        self.structs = [(self.text(row[0]), row[1]) for row in structs]
        self.functions = [self.text(row[0]) for row in functions]
        self.sites = [Site(None if row[0] == NONE else self.structs[row[0]][0], self.functions[row[1]], self.text(row[2]),
                           *row[3:11]) for row in sites]
        self.regions = [Region(self.functions[row[0]], references[row[1]:row[1] + row[2]], terms[row[3]:row[3] + row[4]])
                        for row in regions]

    def rows(self, form, number):
        size = struct.calcsize(form) * number
        rows = list(struct.iter_unpack(form, self.blob[self.at:self.at + size]))
        self.at += size
        return rows

    def text(self, offset):
        return self.strings[offset:self.strings.index(b"\0", offset)].decode(errors="replace")


def tables(image):
    """hash -> Table of all units of a linked kernel."""
    for line in subprocess.run(["readelf", "-SW", image.vmlinux], stdout=subprocess.PIPE, text=True).stdout.splitlines():
        words = line.replace("[ ", "[").split()
        if len(words) > 5 and words[1] == ".kst_table":
            with open(image.vmlinux, "rb") as file:
                file.seek(int(words[4], 16))
                data = file.read(int(words[5], 16))
            break
    else:
        sys.exit(f"{image.vmlinux}: no .kst_table; was it built with the plugin?")
    found, at = {}, 0
    while at + 64 <= len(data):
        if data[at:at + 8] != b"KSTTABLE":
            at += 8
            continue
        size = struct.unpack_from("<I", data, at + 12)[0]
        table = Table(data[at:at + size])
        found[table.hash] = table
        at += size
    return found


def raw(path):
    """(text of the header, {(hash, kind): counts})"""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"KSTCOUNT":
        sys.exit(f"{path}: no counters file")
    version, size = struct.unpack_from("<II", data, 8)
    text = dict(line.split("=", 1) for line in data[16:16 + size].decode().splitlines() if "=" in line)
    at, records = 16 + (size + 7) // 8 * 8, {}
    while at < len(data):
        key, number, kind = struct.unpack_from("<QII", data, at)
        counts = struct.unpack_from(f"<{number}Q", data, at + 16)
        old = records.get((key, kind))
        records[(key, kind)] = [a + b for a, b in zip(old, counts)] if old else list(counts)
        at += 16 + 8 * number
    return text, records


class Counted:
    """Counts of one struct by (field index, "reads" | "writes").

    direct     by sites that name the struct
    functions  the same by (field, direction, function), the function being
               the one whose code the region is part of, after inlining
    address    by address, of no known function
    bit_reads  the part of direct that are reads before a store to a bit-field
    Sites of several fields (copies of the whole) count for each.

    >>> from kernel_image import Layout
    >>> layout = Layout({"name": "s", "size": 16, "fields": [
    ...     {"name": n, "offset_bits": o, "size_bits": 64} for n, o in (("a", 0), ("b", 64))]})
    >>> class Example:
    ...     sites = [Site("s", "f", "f.c", 1, 1, 0, 8, 0, 0, READ_WRITE, 0), Site("s", "f", "f.c", 2, 1, 0, 0, 0, 0, BULK_WRITE, 0),
    ...              Site(None, "g", "f.c", 3, 1, 0, 8, 0, 0, BY_READ, 0)]
    ...     regions = [Region("f", [(0, 2)], [(0, 1)]), Region("g", [(1, 1), (2, 1)], [(0, 1), (1, -1)])]
    >>> counted = Counted(layout, {7: Example}, {(7, 0): [10, 4], (fnv1a("s"), 1): [0] * 16 + [3] + [0] * 15, (8, 0): [1]})
    >>> dict(counted.direct)
    {(0, 'reads'): 20, (0, 'writes'): 26, (1, 'writes'): 6}
    >>> dict(counted.address), counted.units, counted.missing
    ({(1, 'reads'): 3}, 1, 1)
    """

    def __init__(self, layout, tables, records):
        self.layout = layout
        self.direct, self.address = collections.Counter(), collections.Counter()
        self.bit_reads, self.bulk = collections.Counter(), collections.Counter()
        self.functions, self.sources = collections.Counter(), collections.Counter()
        self.units = self.missing = 0
        for (key, kind), counts in records.items():
            if kind:
                continue
            if key not in tables:
                self.missing += 1
                continue
            self.units += 1
            self.unit(tables[key], counts)
        for position, count in enumerate(records.get((fnv1a(layout.name), 1), [])):
            for field in layout.touched(position // 2, 1) if count else ():
                self.address[(field, "writes" if position % 2 else "reads")] += count

    def unit(self, table, counts):
        for region in table.regions:
            count = max(0, sum(counts[counter] * factor for counter, factor in region.terms))
            if not count:
                continue
            for number, times in region.references:
                site = table.sites[number]
                if site.struct == self.layout.name:
                    self.site(site, region.function, count * times)

    def site(self, site, function, count):
        size = site.size or (self.layout.size - site.offset if site.kind in BULK else 1)
        for field in self.layout.touched(site.offset, size):
            for kinds, direction in ((LOADS, "reads"), (STORES, "writes")):
                if site.kind not in kinds:
                    continue
                self.direct[(field, direction)] += count
                self.functions[(field, direction, function)] += count
                self.sources[(field, direction, f"{site.function} {site.file}:{site.line}")] += count
                if site.marks & 8:
                    self.bit_reads[(field, direction)] += count
                if site.kind in BULK:
                    self.bulk[(field, direction)] += count

    def total(self, key):
        return self.direct[key] + self.address[key]
