#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints raw counters and traces, the records of all FILES added up:
kstraw.py [--text] FILE...; kstraw.py --trace FILE... for each stream its
events and losses. Written from docs/guide/formats.md alone; complains about
any byte that does not belong."""

import collections
import os
import struct
import sys


def header(data, magic, path):
    if data[:8] != magic or struct.unpack_from("<I", data, 8)[0] != 2:
        sys.exit(f"{path}: not a {magic.decode()} file of version 2")
    size = struct.unpack_from("<I", data, 12)[0]
    text = data[16:16 + size].decode()
    end = 16 + (size + 7) // 8 * 8
    if len(data) < end or any(data[16 + size:end]):
        sys.exit(f"{path}: text is cut off or not padded with zeros")
    for line in text.splitlines():
        if "=" not in line:
            sys.exit(f"{path}: text line without '=': {line!r}")
    return text, end


def end(path, data, at, size, before):
    if before != at or at + size != len(data):
        sys.exit(f"{path}: end record at {at} of {len(data)} bytes, which says {before}")


def counters(paths, show_text):
    sums = {}
    for path in paths:
        with open(path, "rb") as file:
            data = file.read()
        text, at = header(data, b"KSTCOUNT", path)
        if show_text:
            print(text, end="")
        while True:
            if at + 16 > len(data):
                sys.exit(f"{path}: record head is cut off")
            key, n, kind = struct.unpack_from("<QII", data, at)
            if (kind, n) == (2, 0):
                end(path, data, at, 16, key)
                break
            if kind not in (0, 1, 3):
                sys.exit(f"{path}: record of kind {kind}")
            at += 16
            if at + 8 * n > len(data):
                sys.exit(f"{path}: counts are cut off")
            counts = struct.unpack_from(f"<{n}Q", data, at)
            at += 8 * n
            old = sums.get((kind, key, n), (0,) * n)
            sums[kind, key, n] = tuple(a + b for a, b in zip(old, counts))
    for (kind, key, n), counts in sorted(sums.items()):
        print(f"kind {kind} hash {key:#x}:", *counts)


def trace(paths):
    for path in paths:
        with open(path, "rb") as file:
            data = file.read()
        _, at = header(data, b"KSTEVENT", path)
        events, lost, sites = collections.Counter(), collections.Counter(), collections.Counter()
        last, units = {}, []
        while True:
            if at + 16 > len(data):
                sys.exit(f"{path}: record head is cut off")
            kind, stream, size = struct.unpack_from("<IIQ", data, at)
            at += 16
            if size % 8 or at + size > len(data):
                sys.exit(f"{path}: record of {size} bytes is cut off")
            body = data[at:at + size]
            if kind == 4:
                end(path, data, at - 16, 16 + size, *struct.unpack("<Q", body))
                break
            at += size
            if kind == 1:
                units.append(struct.unpack("<QII", body))
            elif kind == 7:  # a loaded file: where it was
                pass
            elif kind == 3:
                address, length, number, cpu = struct.unpack_from("<QQII", body)
                print("object", body[24:].rstrip(b"\0").decode(), length, number, f"{cpu:#x}")
            elif kind == 2:
                lost[stream] += struct.unpack_from("<Q", body)[0]
                for where, what in struct.iter_unpack("<QQ", body[8:]):
                    time = where >> 48 | what >> 24 << 16
                    if time < last.get(stream, 0):
                        sys.exit(f"{path}: time runs backwards in stream {stream}")
                    last[stream] = time
                    site = what & 0xffffff
                    unit = [u for u in units if u[1] <= site < u[1] + u[2]]
                    if len(unit) != 1:
                        sys.exit(f"{path}: site {site} is in {len(unit)} units")
                    sites[unit[0][0], site - unit[0][1], where & 0xffffffffffff] += 1
                    events[stream] += 1
            else:
                sys.exit(f"{path}: record of kind {kind}")
        for stream in sorted(set(events) | set(lost)):
            print(f"stream {stream}: {events[stream]} events, {lost[stream]} lost")
        print("all:", sum(events.values()), "events,", sum(lost.values()), "lost")
        for (key, site, where), n in sorted(sites.items()):
            print(f"unit {key:#x} site {site} address {where:#x}: {n}")


def main():
    arguments = sys.argv[1:]
    flags = [a for a in arguments if a.startswith("--")]
    paths = [a for a in arguments if not a.startswith("--")]
    if not paths:
        sys.exit("no files")
    for path in paths:
        if not os.path.exists(path):
            sys.exit(f"{path}: no such file")
    if "--trace" in flags:
        trace(paths)
    else:
        counters(paths, "--text" in flags)


main()
