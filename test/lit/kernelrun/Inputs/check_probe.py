# SPDX-License-Identifier: GPL-2.0-or-later
"""What the runtime said about the module probe, in lines to compare:
check_probe.py DIRECTORY, the output of kst-kernel boot."""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "..", "bench"))
import kernel_profile as kp  # noqa: E402

UNIT = 0x1122334455667788
MODULES = 0xffffffffa0000000  # their code is from there on


def fnv(text):
    digest = 0xcbf29ce484222325
    for byte in text.encode():
        digest = ((digest ^ byte) * 0x100000001b3) & (1 << 64) - 1
    return digest


def trace_records(path):
    """(kind, stream, bytes) of each record but the last, which must be the end."""
    with open(path, "rb") as file:
        data = file.read()
    magic, version, size = struct.unpack_from("<8sII", data)
    assert magic == b"KSTEVENT" and version == 2
    at = 16 + kp.padded(size)
    while data[at:at + 16] != struct.pack("<IIQ", 4, 0, 8):
        kind, stream, many = struct.unpack_from("<IIQ", data, at)
        yield kind, stream, data[at + 16:at + 16 + many]
        at += 16 + many
    assert data[at + 16:] == struct.pack("<Q", at), "a wrong end record"


def events(data):
    """(site, context, caller, bytes asked, cache) of each event of a CPU; of accesses the first two."""
    assert struct.unpack_from("<Q", data) == (0,), "events were lost"
    at = 8
    while at < len(data):
        _, what = struct.unpack_from("<QQ", data, at)
        at += 16
        if what & 0xffffff < 0xfffffe:
            yield what & 0xffffff, what >> 62, None, None, None
        else:
            yield what & 0xffffff, what >> 62, *struct.unpack_from("<QII", data, at)
            at += 16


def show_trace(path):
    base, contexts, objects, caches, lives = None, [], [], {}, []
    for kind, _, data in trace_records(path):
        if kind == 1:
            digest, first, _ = struct.unpack("<QII", data)
            base = first if digest == UNIT else base
        elif kind == 5:
            for site, context, caller, asked, cache in events(data):
                if caller is None:
                    contexts += [context] if site == base + 4 else []
                elif caller >= MODULES and caches[cache].startswith("kmalloc-"):
                    lives.append(f"alloc {asked}" if site == 0xffffff else "free")
        elif kind == 6:
            number, slot, size, _ = struct.unpack_from("<IIII", data)
            assert slot >= size
            caches[number] = data[16:].rstrip(b"\0").decode()
        elif data[24:].rstrip(b"\0") == b"probe":
            objects.append(struct.unpack_from("<QQII", data)[3])
    print(f"loaded: {len(contexts)} events of site 4, in contexts", *sorted(contexts))
    print(f"loaded: objects {objects.count(0xffffffff) * 2} static, {len(objects) - objects.count(0xffffffff)} per-CPU")
    print("loaded:", ", ".join(lives))


def main():
    folder = sys.argv[1]
    with open(os.path.join(folder, "dmesg"), errors="replace") as file:
        print("loaded: " + next(line for line in file if "probe: cpus=" in line).split("probe: ")[1].strip())
    for label in ("loaded", "kept", "again", "idle"):
        _, records = kp.raw_counters(os.path.join(folder, label + ".kstraw"))
        print(f"{label}: unit", *records[UNIT, 0])
        if label == "loaded":
            by = records[fnv("probe"), 1]
            print(f"loaded: by address write[24]={by[2 * 24 + 1]} read[8]={by[2 * 8]}")
            assert sum(by) == by[49] + by[16]
            part = records[fnv("probe_part"), 1]
            print("loaded: allocated reads", *part[0::16], "writes", *part[1::16])
            assert sum(part) == sum(part[0::16]) + sum(part[1::16])
            show_trace(os.path.join(folder, label + ".ksttrace"))


if __name__ == "__main__":
    main()
