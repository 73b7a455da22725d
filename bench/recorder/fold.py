# SPDX-License-Identifier: GPL-2.0-or-later
"""From accesses by address to accesses by field and function."""

import collections


class Fold:
    """Counts of one struct's accesses, by (field index, "reads" | "writes").

    plain      by code that counting may look at
    bulk       the part by memcpy, memset and their like, in whole passes over
               the field: a copy that moves 8 of 64 bytes counts 1/8
    forbidden  by code that the rules forbid to count, by rule
    functions  plain, by (field, direction, function): the function in which
               the instruction is, after inlining
    An access that overlaps several fields counts for each.

    >>> from recorder import Access
    >>> class Image:  # instruction 0 is ordinary, 1 copies, 2 is noinstr
    ...     def kind(self, pc):
    ...         return [("f", "plain", ""), ("memcpy", "bulk", ""), ("g", "plain", "noinstr")][pc]
    >>> from kernel_image import Layout
    >>> fields = [("a", 0, 32), ("b", 32, 32), ("c", 64, 128)]
    >>> layout = Layout({"name": "s", "size": 24, "fields": [
    ...     {"name": n, "offset_bits": o, "size_bits": s} for n, o, s in fields]})
    >>> folded = Fold(layout, Image(), [
    ...     Access(0, 100 + 0, 8, 1, 0, 0, 5),   # reads a and b at once
    ...     Access(0, 100 + 4, 4, 3, 1, 0, 2),   # adds to b, from another CPU
    ...     Access(0, 100 + 8, 8, 2, 0, 1, 4),   # half of c, four times
    ...     Access(0, 100 + 0, 4, 1, 0, 2, 9),
    ...     Access(0, 100 + 24, 8, 1, 0, 0, 7)], base=100)
    >>> dict(folded.plain), dict(folded.bulk)
    ({(0, 'reads'): 5, (1, 'reads'): 7, (1, 'writes'): 2}, {(2, 'writes'): 2.0})
    >>> dict(folded.forbidden["noinstr"]), dict(folded.remote), folded.accesses
    ({(0, 'reads'): 9}, {(1, 'reads'): 2, (1, 'writes'): 2}, 20)
    """

    def __init__(self, layout, image, accesses, base=0):
        """`base`: offset of the struct in the recorded objects. Accesses that
        begin before it are left out."""
        self.layout = layout
        self.plain, self.bulk = collections.Counter(), collections.Counter()
        self.functions, self.remote = collections.Counter(), collections.Counter()
        self.forbidden = collections.defaultdict(collections.Counter)
        self.forbidden_functions = collections.Counter()
        self.accesses = self.holes = 0
        for access in accesses:
            if not base <= access.offset < base + layout.size:
                continue
            self.add(image, access, access.offset - base)

    def add(self, image, access, offset):
        function, how, rule = image.kind(access.pc)
        self.accesses += access.count
        touched = self.layout.touched(offset, access.size)
        if not touched:
            self.holes += access.count
        for field, size in touched.items():
            for bit, direction in ((1, "reads"), (2, "writes")):
                if not access.kind & bit:
                    continue
                key = (field, direction)
                if rule:
                    self.forbidden[rule][key] += access.count
                    self.forbidden_functions[(field, direction, function)] += access.count
                elif how == "bulk":
                    self.bulk[key] += access.count * size / self.layout.fields[field][2]
                else:
                    self.plain[key] += access.count
                    self.functions[(field, direction, function)] += access.count
                if access.remote:
                    self.remote[key] += access.count

    def json(self, top=8):
        fields = []
        for index, (name, offset, size) in enumerate(self.layout.fields):
            entry = {"name": name, "offset": offset, "size": size}
            for direction in ("reads", "writes"):
                key = (index, direction)
                entry[direction] = round(self.plain[key] + self.bulk[key])
                entry["bulk_" + direction] = round(self.bulk[key], 3)
                entry["remote_" + direction] = self.remote[key]
                entry["not_countable_" + direction] = {rule: counts[key] for rule, counts in sorted(self.forbidden.items()) if counts[key]}
                by = [(count, function) for (field, way, function), count in self.functions.items() if (field, way) == key]
                entry[direction + "_by"] = {function: count for count, function in sorted(by, key=lambda x: (-x[0], x[1]))[:top]}
            fields.append(entry)
        return {"struct": self.layout.name, "size": self.layout.size, "accesses": self.accesses, "in_holes": self.holes, "fields": fields}
