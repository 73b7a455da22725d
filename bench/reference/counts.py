# SPDX-License-Identifier: GPL-2.0-or-later
"""A profile (.kstp) of functions and lines, read by the bytes that hybrid/profile/ProfileFile.h documents."""

import collections
import struct
import sys

ENTRY, LINE = 6, 10  # kinds of sites, as hybrid/profile/Profile.h numbers them
HEADER_BYTES = 56
SITE = struct.Struct("<IIIiIIIHHIHHQ")  # MeasuredSite


class Counts:
    """text: of the run. entries: {(file, function): times}. lines: {(file, function): {line from that of its name: times}}.
    at: {(file, function): line of its name}. entered: the sum of the entries."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        if self.bytes[:8] != b"KSTPROFL":
            sys.exit(f"{path}: not a profile")
        self.next = HEADER_BYTES
        tables = [self.table() for _ in range(8)]
        strings, pairs = self.texts(), self.texts()
        self.text = dict(zip(pairs[::2], pairs[1::2]))
        self.entries, self.lines, self.at = collections.Counter(), collections.defaultdict(collections.Counter), {}
        for _, function, file, line, _, _, _, _, _, _, kind, _, count in SITE.iter_unpack(tables[2]):
            where = (strings[file], strings[function])
            if kind == ENTRY:
                self.entries[where] += count
                self.at[where] = line
            elif kind == LINE:
                self.lines[where][line] += count
        self.entered = sum(self.entries.values())
        if not self.entered:
            sys.exit(f"{path}: no function ran")

    def table(self):
        rows, size = struct.unpack_from("<II", self.bytes, self.next)
        begin = self.next + 8
        self.next = begin + (rows * size + 7) // 8 * 8
        return self.bytes[begin:begin + rows * size]

    def texts(self):
        lengths, text, out, at = self.table(), self.table(), [], 0
        for (length,) in struct.iter_unpack("<I", lengths):
            out.append(text[at:at + length].decode())
            at += length
        return out
