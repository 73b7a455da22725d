# SPDX-License-Identifier: GPL-2.0-or-later
"""What the benchmarks of the pass plugin share: compiling with it, and the
counts of sites from a program's table and its raw counters. Reads both formats
by docs/guide/formats.md alone, not with the tool's readers."""

import collections
import os
import struct
import subprocess

import kst_bench as kb

KINDS = ("read", "write", "readwrite", "bulk-read", "bulk-write", "address", "entry", "by-address-read",
         "by-address-write", "by-address-both")
BIT_FIELD_READ = 8

Site = collections.namedtuple("Site", "struct function file line column offset size bit bits kind marks")


class Wrong(Exception):
    """A file that is not what the format says, or a program that failed."""


def add_options(parser):
    build = os.path.join(kb.ROOT, "build", "release")
    parser.add_argument("--build", default=build, type=os.path.abspath, help="build directory (default: release)")
    parser.add_argument("--llvm", default="/usr/lib/llvm-19/bin", help="where clang and objcopy of the plugin's LLVM are")


class Toolchain:
    def __init__(self, args):
        self.clang = os.path.join(args.llvm, "clang")
        self.objcopy = os.path.join(args.llvm, "llvm-objcopy")
        self.plugin = os.path.join(args.build, "lib", "KstCounters.so")
        self.runtime = os.path.join(args.build, "lib", "libkst_rt.a")
        self.source_counts = os.path.join(args.build, "bin", "SourceCounts")

    def flags(self, options):
        """Of the compiler, for sources; options: words of KST_OPTIONS."""
        return ["-fpass-plugin=" + self.plugin, "-g"], {"KST_OPTIONS": options}

    def sites(self, program):
        """Hash of unit -> list of (terms, [(site, times)]) per region."""
        path = program + ".table"
        run([self.objcopy, f"--dump-section=.kst_table={path}", program, os.devnull])
        with open(path, "rb") as file:
            data = file.read()
        os.unlink(path)
        return tables(data)


def run(command, env=None, cwd=None, timeout=120, ok=True):
    """(status, stdout); raises Wrong with stderr unless ok is False."""
    try:
        done = subprocess.run(command, env=dict(os.environ, **(env or {})), cwd=cwd, timeout=timeout, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        raise Wrong(f"{command[0]}: more than {timeout} s") from None
    if ok and done.returncode:
        raise Wrong(f"{' '.join(command)}: status {done.returncode}: {done.stderr.decode(errors='replace')[-2000:]}")
    return done.returncode, done.stdout


def tables(data):
    found, at = {}, 0
    while at + 64 <= len(data):
        if data[at:at + 8] == b"\0" * 8:
            at += 8
            continue
        if data[at:at + 8] != b"KSTTABLE":
            raise Wrong(f"no table at {at}")
        version, size, key, counters, structs, elements, functions, sites, regions, refs, terms, text, _ = \
            struct.unpack_from("<IIQ10I", data, at + 8)
        if version != 1:
            raise Wrong(f"table version {version}")
        blob = data[at:at + size]
        at += size
        p = 64
        def take(form, n):
            nonlocal p
            step = struct.calcsize("<" + form)
            rows = [struct.unpack_from("<" + form, blob, p + i * step) for i in range(n)]
            p += n * step
            return rows
        struct_rows, _ = take("4I", structs), take("2I", elements)
        function_rows = take("4I", functions)
        site_rows = take("7I4HI", sites)
        region_rows, ref_rows, term_rows = take("6I", regions), take("2I", refs), take("Ii", terms)
        strings = blob[p:p + text]
        def string(i):
            return strings[i:strings.index(b"\0", i)].decode(errors="replace") if i < len(strings) else ""
        all_sites = []
        for row in site_rows:
            s, function, file, line, column, offset, length, bit, bits, kind, marks, _ = row
            all_sites.append(Site(string(struct_rows[s][0]) if s < structs else "", string(function_rows[function][0]),
                                  string(file), line, column, offset, length, bit, bits, KINDS[kind], marks))
        found[key] = (counters, [(term_rows[t:t + nt], [(all_sites[i], n) for i, n in ref_rows[r:r + nr]])
                                 for _, r, nr, t, nt, _ in region_rows])
    return found


def raw(paths):
    """(kind, hash) -> counts, of all files together."""
    sums = {}
    for path in paths:
        with open(path, "rb") as file:
            data = file.read()
        if data[:12] != b"KSTCOUNT\2\0\0\0":
            raise Wrong(f"{path} is no counters file of version 2")
        at = 16 + (struct.unpack_from("<I", data, 12)[0] + 7) // 8 * 8
        while True:
            if at + 16 > len(data):
                raise Wrong(f"{path} has no end record")
            key, n, kind = struct.unpack_from("<QII", data, at)
            if kind == 2:
                if (key, n, len(data)) != (at, 0, at + 16):
                    raise Wrong(f"{path} has a wrong end record")
                break
            counts = struct.unpack_from(f"<{n}Q", data, at + 16)
            at += 16 + 8 * n
            old = sums.get((kind, key))
            sums[kind, key] = tuple(map(sum, zip(old, counts))) if old else counts
    return sums


def site_counts(table, counters):
    """Counter of Site -> how often. A negative sum of a region is an error
    here: nothing runs any more."""
    found = collections.Counter()
    for key, (n, regions) in table.items():
        counts = counters.get((0, key), (0,) * n)
        if len(counts) != n:
            raise Wrong(f"unit {key:#x} has {n} counters, its record {len(counts)}")
        for terms, references in regions:
            total = sum(factor * counts[counter] for counter, factor in terms)
            if total < 0:
                raise Wrong(f"a region's count is {total}")
            for site, times in references:
                found[site] += times * total
    return found
