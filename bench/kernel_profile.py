# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads raw counters of an instrumented kernel with nothing but the formats in
docs/guide/formats.md: an implementation of its own, so that benchmarks and
tests do not trust the tool that they check."""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import namedtuple

import kst_bench as kb

SITE = struct.Struct("<IIIIIIIHHHHI")
Site = namedtuple("Site", "struct function file line column offset size first_bit bits kind marks")
READ, WRITE, BOTH, BULK_READ, BULK_WRITE, ADDRESS, ENTRY, BY_READ, BY_WRITE, BY_BOTH = range(10)
READS, WRITES = {READ, BOTH, BULK_READ}, {WRITE, BOTH, BULK_WRITE}


def kst_kernel(*arguments, check=True):
    """Runs passes/kernel/kst-kernel; returns what it prints, or ends the script."""
    done = subprocess.run([os.path.join(kb.ROOT, "passes", "kernel", "kst-kernel"), *arguments],
                          stdout=subprocess.PIPE, text=True)
    if done.returncode and check:
        sys.exit("kst-kernel " + " ".join(arguments)[:200] + " failed")
    return done.stdout.strip()


def padded(size):
    return (size + 7) // 8 * 8


def raw_counters(path):
    """({key: value} of the header, {(hash, kind): [count]}) of a .kstraw file."""
    with open(path, "rb") as file:
        data = file.read()
    magic, version, size = struct.unpack_from("<8sII", data)
    if magic != b"KSTCOUNT" or version != 2:
        raise ValueError(f"{path}: no raw counters of version 2")
    text = dict(line.split("=", 1) for line in data[16:16 + size].decode().splitlines())
    at, records = 16 + padded(size), {}
    while True:
        if at + 16 > len(data):
            raise ValueError(f"{path}: no end record")
        digest, n, kind = struct.unpack_from("<QII", data, at)
        if kind == 2:
            if (digest, n, len(data)) != (at, 0, at + 16):
                raise ValueError(f"{path}: a wrong end record")
            return text, records
        counts = struct.unpack_from(f"<{n}Q", data, at + 16)
        at += 16 + 8 * n
        old = records.get((digest, kind))
        records[digest, kind] = [a + b for a, b in zip(old, counts)] if old else list(counts)


def section(binary, name):
    """The bytes of a section."""
    objcopy = shutil.which("llvm-objcopy-19") or shutil.which("llvm-objcopy") or "objcopy"
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run([objcopy, f"--dump-section={name}={out.name}", binary, "/dev/null"], check=True)
        return open(out.name, "rb").read()


class Unit:
    """One blob of a table; strings are resolved."""

    def __init__(self, data, at):
        (magic, version, self.size, self.hash, self.counters, structs, elements, functions, sites, regions, references,
         terms, strings, main) = struct.unpack_from("<8sIIQ10I", data, at)
        if magic != b"KSTTABLE" or version != 1:
            raise ValueError(f"no table at {at}")
        at += 64
        places = []
        for count, size in ((structs, 16), (elements, 8), (functions, 16), (sites, 40), (regions, 24), (references, 8),
                            (terms, 8)):
            places.append((at, count))
            at += count * size
        text = data[at:at + strings]
        string = lambda offset: text[offset:text.index(b"\0", offset)].decode()
        rows = lambda n, form: struct.iter_unpack(form, data[places[n][0]:places[n][0] + places[n][1] * struct.calcsize(form)])
        self.file = string(main)
        self.structs = [(string(row[0]), row[1]) for row in rows(0, "<4I")]
        self.functions = [string(row[0]) for row in rows(2, "<4I")]
        self.sites = []
        for row in rows(3, SITE.format):
            name = self.structs[row[0]][0] if row[0] != 0xffffffff else None
            self.sites.append(Site(name, self.functions[row[1]], string(row[2]), *row[3:11]))
        self.references = list(rows(5, "<2I"))
        self.terms = list(rows(6, "<Ii"))
        self.regions = list(rows(4, "<6I"))

    def region_count(self, region, counts):
        first, many = region[3], region[4]
        return max(0, sum(counts[counter] * factor for counter, factor in self.terms[first:first + many]))

    def site_counts(self, counts):
        """How often each site ran."""
        result = [0] * len(self.sites)
        for region in self.regions:
            count = self.region_count(region, counts)
            for site, times in self.references[region[1]:region[1] + region[2]]:
                result[site] += times * count
        return result


def units(binary):
    data, at, result = section(binary, ".kst_table"), 0, []
    while at + 64 <= len(data):
        if data[at:at + 8] == bytes(8):
            at += 8
            continue
        result.append(Unit(data, at))
        at += result[-1].size
    return result


def counted_sites(tables, records):
    """(site, count) of every site of units that were counted."""
    for unit in tables:
        counts = records.get((unit.hash, 0))
        if counts is None:
            continue
        yield from zip(unit.sites, unit.site_counts(counts))
