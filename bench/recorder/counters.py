# SPDX-License-Identifier: GPL-2.0-or-later
"""What the counters of an instrumented kernel say about one struct, by field
and function, for comparison with a record. The files are read by
kernel_profile.py, not by the tool."""

import collections
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import kernel_profile as kp  # noqa: E402

BULK = (kp.BULK_READ, kp.BULK_WRITE)


def fnv1a(text):
    """The hash that names the counts by address of a struct."""
    value = 0xcbf29ce484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return value


class Counted:
    """Counts of one struct by (field index, "reads" | "writes").

    direct     by sites that name the struct
    functions  the same by (field, direction, function), the function being
               the one whose code the region is part of, after inlining
    address    by address, of no known function
    once       the same as direct, each field at most once for each run of a
               region: what is left if the optimiser merges all it can there
    bit_reads  the part of direct that are reads before a store to a bit-field
    Sites of several fields (copies of the whole) count for each; a copy of few
    bytes counts in words, which is what compilers make of it.

    >>> from kernel_image import Layout
    >>> layout = Layout({"name": "s", "size": 16, "fields": [
    ...     {"name": n, "offset_bits": o, "size_bits": 64} for n, o in (("a", 0), ("b", 64))]})
    >>> class Example(kp.Unit):
    ...     hash, functions = 7, ["f", "g"]
    ...     sites = [kp.Site("s", "f", "f.c", 1, 1, 0, 8, 0, 0, kp.BOTH, 0), kp.Site("s", "f", "f.c", 2, 1, 0, 0, 0, 0, kp.BULK_WRITE, 0),
    ...              kp.Site(None, "g", "f.c", 3, 1, 0, 8, 0, 0, kp.BY_READ, 0)]
    ...     references, terms = [(0, 2), (1, 1), (2, 1)], [(0, 1), (0, 1), (1, -1)]
    ...     regions = [(0, 0, 1, 0, 1, 0), (1, 1, 2, 1, 2, 0)]  # f: site 0 twice; g: sites 1, 2
    ...     __init__ = object.__init__
    >>> counted = Counted(layout, [Example()], {(7, 0): [10, 4], (fnv1a("s"), 1): [0] * 16 + [3] + [0] * 15, (8, 0): [1]})
    >>> dict(counted.direct)
    {(0, 'reads'): 20, (0, 'writes'): 26, (1, 'writes'): 6}
    >>> [counted.once[key] for key in ((0, 'reads'), (0, 'writes'), (1, 'writes'))]
    [10, 16, 6]
    >>> dict(counted.address), counted.units, counted.missing
    ({(1, 'reads'): 3}, 1, 1)
    """

    def __init__(self, layout, tables, records):
        """`tables`: kp.units() of the image; `records`: of kp.raw_counters()."""
        self.layout = layout
        self.direct, self.address = collections.Counter(), collections.Counter()
        self.bit_reads, self.bulk = collections.Counter(), collections.Counter()
        self.functions, self.once = collections.Counter(), collections.Counter()
        self.units = 0
        for unit in tables:
            if (unit.hash, 0) in records:
                self.units += 1
                self.unit(unit, records[unit.hash, 0])
        known = {unit.hash for unit in tables}
        self.missing = sum(1 for key, kind in records if kind == 0 and key not in known)
        for position, count in enumerate(records.get((fnv1a(layout.name), 1), [])):
            for field in layout.touched(position // 2, 1) if count else ():
                self.address[(field, "writes" if position % 2 else "reads")] += count

    def unit(self, unit, counts):
        for region in unit.regions:
            count = unit.region_count(region, counts)
            if not count:
                continue
            touched = set()
            for number, times in unit.references[region[1]:region[1] + region[2]]:
                site = unit.sites[number]
                if site.struct == self.layout.name:
                    self.site(site, unit.functions[region[0]], count * times, touched)
            for key in touched:
                self.once[key] += count

    def site(self, site, function, count, touched):
        size = site.size or (self.layout.size - site.offset if site.kind in BULK else 1)
        in_words = site.size and site.size <= 128 and site.kind in BULK
        runs = count
        for field, touched_bytes in self.layout.touched(site.offset, size).items():
            count = runs * (-(-touched_bytes // 8) if in_words else 1)
            for kinds, direction in ((kp.READS, "reads"), (kp.WRITES, "writes")):
                if site.kind not in kinds:
                    continue
                self.direct[(field, direction)] += count
                self.functions[(field, direction, function)] += count
                touched.add((field, direction))
                if site.marks & 8:
                    self.bit_reads[(field, direction)] += count
                if site.kind in BULK:
                    self.bulk[(field, direction)] += count

    def total(self, key):
        return self.direct[key] + self.address[key]
