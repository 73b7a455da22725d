# SPDX-License-Identifier: GPL-2.0-or-later
"""Co-access sets from the counters of a profile alone, without any source: each piece of code that ran as a whole (a region of
hybrid/profile/Profile.h) is a set of the fields that it accesses, as often as it ran. What a person would do with counters only.
Reads .kstp files by hybrid/profile/ProfileFile.h, without the tool's code."""

import collections
import struct

MAGIC, VERSION = b"KSTPROFL", 1
READS, WRITES = {0, 2, 3}, {1, 2, 4}  # site kinds of docs/guide/formats.md
BIT_FIELD_READ = 8
TABLES = ["structs", "elements", "sites", "regions", "references", "by_address", "samples", "not_counted", "string_sizes",
          "string_bytes", "text_sizes", "text_bytes"]
ROWS = {"structs": "<4I", "sites": "<7I2HI2HQ", "regions": "<4IQ", "references": "<2I", "by_address": "<2I2Q"}


def read_tables(path):
    """{name: rows} of the tables in ROWS, and the texts under "strings"."""
    with open(path, "rb") as file:
        data = file.read()
    magic, version, count = struct.unpack_from("<8s2I", data)
    if magic != MAGIC or version != VERSION or count != len(TABLES):
        raise ValueError(f"{path}: no profile of version {VERSION}")
    at, raw = 56, {}
    for name in TABLES:
        rows, size = struct.unpack_from("<2I", data, at)
        raw[name] = (size, data[at + 8:at + 8 + rows * size])
        at += 8 + (rows * size + 7) // 8 * 8
    out = {}
    for name, form in ROWS.items():
        size, content = raw[name]
        if content and struct.calcsize(form) != size:
            raise ValueError(f"{path}: rows of {name} have {size} bytes")
        out[name] = list(struct.iter_unpack(form, content))
    sizes = [s for s, in struct.iter_unpack("<I", raw["string_sizes"][1])]
    texts, at = raw["string_bytes"][1], 0
    out["strings"] = []
    for size in sizes:
        out["strings"].append(texts[at:at + size].decode())
        at += size
    return out


def region_sets(path, instance):
    """The sets of the struct of a kst-instance/1, in its form; those that have the same fields are one."""
    tables = read_tables(path)
    fields = instance["record"]["fields"]
    wanted = {i for i, row in enumerate(tables["structs"]) if tables["strings"][row[0]] == instance["record"]["name"]}

    def touched(offset, size, first_bit, bits):
        begin = 8 * offset + first_bit
        end = begin + (bits or 8 * max(size, 1))
        return [n for n, f in enumerate(fields) if f["offset_bits"] < end and f["offset_bits"] + f["size_bits"] > begin]

    sums = collections.Counter()
    for _, _, begin, end, count in tables["regions"]:
        touches = {}
        for site, times in tables["references"][begin:end] if count else []:
            owner, _, _, _, _, offset, size, first_bit, bits, _, kind, marks, _ = tables["sites"][site]
            if owner not in wanted or kind not in READS | WRITES or marks & BIT_FIELD_READ:
                continue
            for number in touched(offset, size, first_bit, bits):
                touches[number] = touches.get(number, 0) + (times if kind in WRITES else 0)
        if touches:
            sums[tuple(sorted(touches.items()))] += count
    return [{"weight": weight, "cpu": "unknown", "touches": [[number, 1.0, float(writes)] if writes else [number, 1.0]
                                                            for number, writes in key]} for key, weight in sorted(sums.items())]
