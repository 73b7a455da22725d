#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Are our offsets those of the compiler, for every record of the scheduler and
of net/core?

Compares three sources for each record with at least three fields that the
headers of those units define:

  model    our own offset computation, which the layout optimiser relies on;
           `kst-dev records` says whether it reproduces the layout
           that the front end read
  clang    the compiler itself: size, alignment and the offset and size of each
           named field as _Static_assert behind the unit's own text
  pahole   DWARF of the same units. A build describes only types that are used,
           so each unit is compiled again with -fno-eliminate-unused-debug-types;
           --built takes the objects as they are

and lists every difference. Exit status 1 if there is any."""

import concurrent.futures
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


def named(record):
    return not record["name"].startswith("(")


def asserts(record, spelling):
    """What must hold for a record, as C. Clang refuses those about bit-fields,
    which have neither an address nor a size to ask for."""
    tag = spelling.replace(" ", "_")
    yield f"_Static_assert(sizeof({spelling}) == {record['size']}, \"{tag} size\");"
    yield f"_Static_assert(_Alignof({spelling}) == {record['align']}, \"{tag} align\");"
    for field in record["fields"]:
        if re.fullmatch(r"\w+", field["name"]):
            offset, size = field["offset_bits"] // 8, field["size_bits"] // 8
            place = f"__builtin_offsetof({spelling}, {field['name']}) == {offset}"
            # A flexible array has no size to ask for.
            if size:
                place += f" && sizeof((({spelling} *)0)->{field['name']}) == {size}"
            yield f"_Static_assert({place}, \"{tag} {field['name']}\");"


def compiler_check(args, source, obj, target):
    """(records asserted, names without a spelling, failures) of one unit."""
    records = {(r["name"], r["file"], r["line"]): r for r in tool_records(args, source, obj, [target])
               if len(r["fields"]) >= 3 and named(r)}
    words, unit = kb.compile_command(obj, target)
    # A tag first; what has none is a typedef's name.
    left, asserted, failures = list(records.values()), 0, []
    for form in ("tag", "typedef"):
        spelled = [(r, r["name"] if form == "typedef" else ("union " if r["union"] else "struct ") + r["name"]) for r in left]
        with tempfile.NamedTemporaryFile("w", suffix=".c") as check:
            # A unit may undefine what it must not use.
            check.write(f'#include "{unit}"\n#undef static_assert\n')
            lines = {}
            for number, (record, spelling) in enumerate(spelled):
                for text in asserts(record, spelling):
                    check.write(f'#line {number + 1} "kst-check"\n{text}\n')
                lines[number + 1] = record
            check.flush()
            done = subprocess.run([args.clang, *words[1:-1], "-w", "-ferror-limit=0", "-fsyntax-only", check.name], cwd=obj,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        unknown, bad = set(), {}
        for at, text in re.findall(r"^kst-check:(\d+):\d+: error: (.*)$", done.stderr, re.M):
            if "static assertion failed" in text:
                bad.setdefault(int(at), text)
            elif "bit-field" not in text:
                unknown.add(int(at))
        if done.returncode and "kst-check:" not in done.stderr:
            sys.exit(f"clang does not compile {unit}: " + done.stderr[:300])
        asserted += len(spelled) - len(unknown)
        failures += [(lines[at], text) for at, text in bad.items() if at not in unknown]
        left = [lines[at] for at in sorted(unknown)]
    return asserted, [f"{r['file']}:{r['line']}: {r['name']}" for r in left], failures


def full_dwarf(args, obj, target, out):
    words, unit = kb.compile_command(obj, target)
    done = subprocess.run([args.clang, *words[1:-1], "-w", "-fno-eliminate-unused-debug-types", "-c", "-o", out, unit], cwd=obj,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"clang does not compile {unit}: " + done.stderr[:300])
    return pahole_records(out)


def tool_records(args, source, obj, targets):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        done = subprocess.run([kb.dev_tool(args.tool), "records", "--quiet", "-p", obj, "--json", out.name, *(t[:-2] + ".c" for t in targets)],
                              cwd=source, stdout=subprocess.DEVNULL)
        if done.returncode:
            sys.exit(f"exit status {done.returncode} of kst-dev records of " + " ".join(targets)[:200])
        return kb.read_json(out.name)["records"]


def main():
    p = kb.parser(__doc__)
    p.add_argument("--built", action="store_true", help="DWARF of the build's objects: used types only, and quick")
    p.add_argument("--clang", default="clang-19")
    p.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    args = p.parse_args()
    kb.use_cache(args)
    source = kb.kernel_tree("unpack")
    obj = kb.kernel_tree("configure", "x86_64")

    rows, problems, notes = [], [], []
    for directory in DIRECTORIES:
        targets = kb.objects(source, obj, directory)
        kb.kernel_tree("build", "x86_64", *targets)
        records = [r for r in tool_records(args, source, obj, targets) if len(r["fields"]) >= 3]
        model_bad = [r for r in records if not r["reproduced"]]
        problems += [f"{r['file']}:{r['line']}: {r['name']}: {r['mismatch']}" for r in model_bad]

        with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            checked = list(pool.map(lambda t: compiler_check(args, source, obj, t), targets))
            if args.built:
                described = [pahole_records(os.path.join(obj, t)) for t in targets]
            else:
                described = list(pool.map(lambda t: full_dwarf(args, obj, t, os.path.join(scratch, t.replace("/", "-"))), targets))
        asserted = sum(count for count, _, _ in checked)
        refuted = sorted({f"{r['file']}:{r['line']}: {r['name']}: {text}" for _, _, failed in checked for r, text in failed})
        problems += refuted
        notes += sorted({name for _, names, _ in checked for name in names})

        dwarf, clash = {}, set()
        for unit in described:
            for name, record in unit.items():
                if dwarf.setdefault(name, record) != record:
                    clash.add(name)
        names = [r["name"] for r in records]
        compared = [r for r in records if r["name"] in dwarf and r["name"] not in clash and names.count(r["name"]) == 1]
        bad = 0
        for record in compared:
            found = differences(record, dwarf[record["name"]])
            bad += bool(found)
            problems += [f"{record['file']}:{record['line']}: {record['name']}: {text}" for text in found]
        left = [r for r in records if r not in compared]
        notes += [f"{r['file']}:{r['line']}: {r['name']}: not compared with pahole" for r in left if named(r)]
        rows.append([directory, len(targets), len(records), len(records) - len(model_bad), sum(map(named, records)),
                     f"{asserted - len(refuted)}/{asserted}", len(compared), len(compared) - bad])

    kb.table(["directory", "units", "records", "model = clang", "named", "asserts hold, record x unit", "with DWARF", "clang = pahole"],
             rows)
    if problems:
        print(f"\n{len(problems)} differences:\n  " + "\n  ".join(problems))
    if notes:
        print(f"\n{len(notes)} not comparable in one of the ways:\n  " + "\n  ".join(sorted(set(notes))))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
