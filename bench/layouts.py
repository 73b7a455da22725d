#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Are our offsets those of the compiler, for every record of the scheduler and
of net/core?

Compares three sources for each record with at least three fields that the
headers of those units define:

  clang    record layout of the front end
  model    our own offset computation, which the layout optimiser relies on;
           `kstatic-affinity records` says whether it reproduces clang's
  pahole   DWARF of the object files that clang wrote for the same units

and lists every difference. Exit status 1 if there is any."""

import os
import re
import subprocess
import sys
import tempfile

import kst_bench as kb

DIRECTORIES = ["kernel/sched", "net/core"]


def pahole_records(path):
    """name -> (size, {member: (offset bits, size bits or None)}) of the named
    structs in an object file's DWARF. Members of anonymous ones count at the
    offset pahole prints for them; a name seen twice with different contents is
    two types and is left out."""
    done = subprocess.run(["pahole", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if done.returncode:
        sys.exit(f"pahole fails on {path}")
    records, name, depth, members, doubtful = {}, None, 0, {}, set()
    for line in done.stdout.splitlines():
        start = re.match(r"struct (\w+) \{", line)
        if start:
            name, depth, members, total = start.group(1), 1, {}, None
            continue
        if name is None:
            continue
        size = re.match(r"\s*/\* size: (\d+)", line)
        if size:
            total = int(size.group(1))
            continue
        if line.startswith("}"):
            if records.setdefault(name, (total, members)) != (total, members):
                doubtful.add(name)
            name = None
            continue
        place = re.search(r"/\*\s*(\d+)(?::\s*(\d+))?\s+(\d+)\s*\*/", line)
        closes = re.match(r"\s*}", line)
        if place and depth == 1 and not line.rstrip().endswith("{"):
            add_member(members, line, place)
        elif place and closes and depth == 2:
            add_member(members, line[line.index("}") + 1:], place)
        depth += line.count("{") - line.count("}")
    return {n: r for n, r in records.items() if n not in doubtful}


def add_member(members, line, place):
    text = re.sub(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)", "", line.split(";")[0])
    pointer = re.search(r"\(\*+\s*(\w+)", text)
    words = re.findall(r"\w+", re.sub(r"\[[^\]]*\]|:\s*\d+\s*$", "", text))
    member = pointer.group(1) if pointer else (words[-1] if words else "")
    if not member:
        return  # anonymous: the tool names it by its parts
    bits = re.search(r":\s*(\d+)\s*$", text)
    offset = int(place.group(1)) * 8 + int(place.group(2) or 0)
    members[member] = (offset, int(bits.group(1)) if bits else int(place.group(3)) * 8)


def differences(record, dwarf):
    size, members = dwarf
    found = []
    if size != record["size"]:
        found.append(f"size {record['size']}, pahole {size}")
    for field in record["fields"]:
        known = members.get(field["name"])
        if known and known != (field["offset_bits"], field["size_bits"]):
            found.append(f"{field['name']}: offset {bits(field['offset_bits'])} size {bits(field['size_bits'])}, "
                         f"pahole {bits(known[0])} {bits(known[1])}")
    return found


def bits(count):
    return f"{count // 8}" + (f":{count % 8}" if count % 8 else "")


def main():
    p = kb.parser(__doc__)
    p.add_argument("--all-units", action="store_true", help="DWARF of every unit, not only of the largest three of each directory")
    args = p.parse_args()
    kb.use_cache(args)
    source = kb.kernel_tree("unpack")
    obj = kb.kernel_tree("configure", "x86_64")

    rows, problems = [], []
    for directory in DIRECTORIES:
        targets = kb.objects(source, obj, directory)
        kb.kernel_tree("build", "x86_64", *targets)
        with tempfile.NamedTemporaryFile(suffix=".json") as out:
            done = subprocess.run([args.tool, "records", "-p", obj, "--json", out.name, *(t[:-2] + ".c" for t in targets)],
                                  cwd=source, stdout=subprocess.DEVNULL)
            if done.returncode:
                sys.exit(f"exit status {done.returncode} of kstatic-affinity records in {directory}")
            records = [r for r in kb.read_json(out.name)["records"] if len(r["fields"]) >= 3]
        units = targets if args.all_units else sorted(targets, key=lambda t: -os.path.getsize(os.path.join(obj, t)))[:3]
        dwarf, clash = {}, set()
        for unit in units:
            for name, record in pahole_records(os.path.join(obj, unit)).items():
                if dwarf.setdefault(name, record) != record:
                    clash.add(name)
        names = [r["name"] for r in records]
        model_bad = [r for r in records if not r["reproduced"]]
        problems += [f"{r['file']}:{r['line']}: {r['name']}: the model does not give clang's layout" for r in model_bad]
        compared = [r for r in records if r["name"] in dwarf and r["name"] not in clash and names.count(r["name"]) == 1]
        bad = 0
        for record in compared:
            found = differences(record, dwarf[record["name"]])
            bad += bool(found)
            problems += [f"{record['file']}:{record['line']}: {record['name']}: {text}" for text in found]
        rows.append([directory, len(targets), len(records), len(records) - len(model_bad), len(compared), len(compared) - bad])

    kb.table(["directory", "units", "records", "model = clang", "with DWARF", "clang = pahole"], rows)
    if problems:
        print(f"\n{len(problems)} differences:\n  " + "\n  ".join(problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
