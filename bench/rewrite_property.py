#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does the compiler lay out the patched source as predicted?

For real kernel structs of different kinds: many legal orders by chance each
(`kstatic-affinity rewrite --random-orders`, half of them of every movable
field, half of a few moves). Each order's new header goes over the old one in
clang's file system overlay, and a C file with the unit's own flags includes it
and asserts the size, the alignment and the offset and size of every field that
can be asked for; bit-fields and members of anonymous ones are asked for by what
they hold or by the next field's offset. Every difference is listed; exit status
1 if there is any.

An order that the source itself forbids by a static assertion on offsets counts
as neither: such structs are listed with the assertion."""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import kst_bench as kb

# struct, a unit that sees it.
STRUCTS = [
    ("rq", "kernel/sched/core.c"), ("cfs_rq", "kernel/sched/core.c"), ("rt_rq", "kernel/sched/core.c"),
    ("dl_rq", "kernel/sched/core.c"), ("root_domain", "kernel/sched/core.c"), ("sched_entity", "kernel/sched/core.c"),
    ("sched_dl_entity", "kernel/sched/core.c"), ("task_group", "kernel/sched/core.c"),
    ("task_struct", "kernel/sched/core.c"), ("signal_struct", "kernel/sched/core.c"), ("cred", "kernel/sched/core.c"),
    ("mm_struct", "kernel/sched/core.c"), ("vm_area_struct", "kernel/sched/core.c"), ("page", "kernel/sched/core.c"),
    ("folio", "kernel/sched/core.c"), ("zone", "kernel/sched/core.c"), ("lruvec", "kernel/sched/core.c"),
    ("pglist_data", "kernel/sched/core.c"), ("mem_cgroup", "net/core/sock.c"), ("inode", "kernel/sched/core.c"),
    ("dentry", "kernel/sched/core.c"), ("file", "kernel/sched/core.c"), ("super_block", "kernel/sched/core.c"),
    ("address_space", "kernel/sched/core.c"), ("file_lock", "net/core/sock.c"), ("kiocb", "kernel/sched/core.c"),
    ("bio", "kernel/sched/core.c"), ("request", "kernel/sched/core.c"), ("request_queue", "kernel/sched/core.c"),
    ("pipe_inode_info", "net/core/skbuff.c"), ("work_struct", "kernel/sched/core.c"), ("hrtimer_cpu_base", "kernel/sched/core.c"),
    ("perf_event", "kernel/sched/core.c"), ("net_device", "net/core/sock.c"), ("sk_buff", "net/core/sock.c"),
    ("sock", "net/core/sock.c"), ("inet_sock", "net/core/sock.c"), ("inet_connection_sock", "net/core/sock.c"),
    ("tcp_sock", "net/core/sock.c"), ("neighbour", "net/core/sock.c"), ("Qdisc", "net/core/sock.c"),
    ("softnet_data", "net/core/sock.c"), ("napi_struct", "net/core/sock.c"), ("dst_entry", "net/core/sock.c"),
]


def tool_orders(args, source, obj, struct, unit):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [args.tool, "rewrite", "--struct", struct, "-p", obj, "--random-orders", str(args.orders), "--seed", str(args.seed),
                   "--json", out.name, unit]
        done = subprocess.run(command, cwd=source, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            return None, done.stderr.strip().removeprefix("kstatic-affinity: ")
        return kb.read_json(out.name), ""


def askable(field):
    """What names the field's first byte: itself, or the first member of an
    anonymous struct or union."""
    name = field["name"].split("|")[0]
    return name if re.fullmatch(r"\w+", name) and not field["bit_field"] else None


def assertions(struct, config):
    spelling = "struct " + struct
    yield f"sizeof({spelling}) == {config['size']}"
    yield f"_Alignof({spelling}) == {config['align']}"
    for field in config["fields"]:
        name = askable(field)
        if name is None:
            continue
        yield f"__builtin_offsetof({spelling}, {name}) == {field['offset_bits'] // 8}"
        if field["size_bits"] and "|" not in field["name"]:
            yield f"sizeof((({spelling} *)0)->{name}) == {field['size_bits'] // 8}"


def bit_probes(struct, config):
    """Bit-fields have no address: a constant object with all bits of one set,
    seen byte by byte through an initialiser, cannot be asserted in C either, so
    the record layout that clang dumps is read instead."""
    return {f["name"]: f["offset_bits"] for f in config["fields"] if f["bit_field"] and f["name"]}


def dumped_bits(text, struct):
    """name -> bit offset of the top-level bit-fields in clang's own dump."""
    start = text.find(f"\n         0 | struct {struct}\n")
    found = {}
    if start < 0:
        return found
    for line in text[start + 1:].splitlines()[1:]:
        if re.match(r"\s+\| \[sizeof=", line):
            break
        bits = re.match(r"\s*(\d+):(\d+)(?:-\d+)? \|   (\S.*?) (\w+)$", line)
        if bits:
            found[bits.group(4)] = int(bits.group(1)) * 8 + int(bits.group(2))
    return found


def check(args, obj, words, header, struct, order, scratch, index):
    """'' or what is wrong; and how many facts were compared."""
    patched = os.path.join(scratch, f"{struct}.{index}.h")
    with open(patched, "w") as file:
        file.write(order["text"])
    overlay = os.path.join(scratch, f"{struct}.{index}.json")
    with open(overlay, "w") as file:
        json.dump({"version": 0, "roots": [{"name": os.path.dirname(header), "type": "directory", "contents": [
            {"name": os.path.basename(header), "type": "file", "external-contents": patched}]}]}, file)
    source = os.path.join(scratch, f"{struct}.{index}.c")
    config = order["configs"][0]
    with open(source, "w") as file:
        file.write(f'#include "{args.header_of[struct]}"\n')
        facts = list(assertions(struct, config))
        file.writelines(f'_Static_assert({fact}, "kst {number}");\n' for number, fact in enumerate(facts))
        file.write(f"extern struct {struct} kst_object;\nunsigned long kst_size = sizeof(kst_object);\n")
    wanted_bits = bit_probes(struct, config)
    extra = ["-Xclang", "-fdump-record-layouts"] if wanted_bits else []
    done = subprocess.run([args.clang, *words, "-w", "-ferror-limit=0", "-ivfsoverlay", overlay, *extra, "-fsyntax-only", source],
                          cwd=obj, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    problems = []
    own = 0
    for where, text in re.findall(r"^(\S+?:\d+):\d+: error: (.*)$", done.stderr, re.M):
        if where.startswith(source):
            problems.append(text)
        elif "static assertion failed" in text:
            own += 1
            problems.append(f"{where}: {text}")
        else:
            problems.append(f"{where}: {text}")
    if done.returncode and not problems:
        problems.append(done.stderr[:300])
    if wanted_bits and not done.returncode:
        got = dumped_bits(done.stdout, struct)
        problems += [f"bit-field {name}: bit {got.get(name)}, predicted {at}" for name, at in wanted_bits.items() if got.get(name) != at]
    for path in (patched, overlay, source):
        os.unlink(path)
    return problems, len(facts) + len(wanted_bits), bool(own) and own == len(problems)


def applies(text_old, relative, patch, text_new):
    """git apply takes the patch and gives the text."""
    with tempfile.TemporaryDirectory() as tree:
        path = os.path.join(tree, relative)
        os.makedirs(os.path.dirname(path))
        with open(path, "w") as file:
            file.write(text_old)
        done = subprocess.run(["git", "apply", "-p1", "-"], cwd=tree, input=patch, text=True, stderr=subprocess.PIPE)
        if done.returncode:
            return done.stderr.strip()
        with open(path) as file:
            return "" if file.read() == text_new else "gives another text"


def main():
    p = kb.parser(__doc__)
    p.add_argument("--clang", default="clang-19")
    p.add_argument("--orders", type=int, default=40)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--struct", action="append", help="only these")
    p.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    args = p.parse_args()
    kb.use_cache(args)
    source = kb.kernel_tree("unpack")
    obj = kb.kernel_tree("configure", "x86_64")
    began = time.time()
    args.header_of = {}
    commands = {}
    rows, problems, notes, totals = [], [], [], [0, 0, 0, 0]
    for struct, unit in STRUCTS:
        if args.struct and struct not in args.struct:
            continue
        if unit not in commands:
            target = unit[:-2] + ".o"
            if not os.path.exists(os.path.join(obj, os.path.dirname(target), "." + os.path.basename(target) + ".cmd")):
                kb.kernel_tree("build", "x86_64", target)
            words, _ = kb.compile_command(obj, target)
            commands[unit] = words[1:-1]
        report, why = tool_orders(args, source, obj, struct, unit)
        if report is None:
            notes.append(f"{struct}: {why}")
            rows.append([struct, "", "-", "-", "-", "-", "-"])
            continue
        header = os.path.join(source, report["file"])
        # The header alone, unless it needs what comes before it.
        args.header_of[struct] = header
        with open(header) as file:
            old = file.read()
        if not compiles(args, obj, commands[unit], struct, header):
            args.header_of[struct] = os.path.join(source, unit)
        orders = [o for o in report["orders"] if "error" not in o]
        for o in report["orders"]:
            if "error" in o:
                problems.append(f"{struct}: refused: {o['error']}")
        with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            results = list(pool.map(lambda pair: check(args, obj, commands[unit], header, struct, pair[1], scratch, pair[0]),
                                    enumerate(orders)))
        good = asserted = facts = 0
        for number, (found, compared, own) in enumerate(results):
            facts += compared
            asserted += own
            good += not found
            if own:
                notes.append(f"{struct}: the source asserts: {found[0]}")
            elif found:
                problems.append(f"{struct} order {number}: " + "; ".join(found[:3]))
        for number, order in enumerate(orders):
            if order["patch"]:
                wrong = applies(old, report["file"], order["patch"], order["text"])
                if wrong:
                    problems.append(f"{struct} order {number}: git apply: {wrong}")
        distinct = len({o["text"] for o in orders})
        rows.append([struct, report["file"], report["fields"], report["movable"], distinct, f"{good}/{len(orders) - asserted}", facts])
        totals = [totals[0] + 1, totals[1] + good, totals[2] + facts, totals[3] + asserted]
    kb.table(["struct", "file", "fields", "movable", "distinct", "as predicted", "facts"], rows, left=(0, 1))
    print(f"\n{totals[0]} structs, {totals[1]} orders as predicted, {totals[2]} sizes and offsets compared, "
          f"{totals[3]} orders that the source's own assertions forbid, {len(problems)} failures, {time.time() - began:.0f} s")
    if notes:
        print("\nnotes:\n  " + "\n  ".join(sorted(set(notes))))
    if problems:
        print(f"\n{len(problems)} failures:\n  " + "\n  ".join(problems))
    sys.exit(1 if problems else 0)


def compiles(args, obj, words, struct, header):
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write(f'#include "{header}"\nextern struct {struct} kst_object;\nunsigned long kst_size = sizeof(kst_object);\n')
        file.flush()
        return subprocess.run([args.clang, *words, "-w", "-fsyntax-only", file.name], cwd=obj, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0


if __name__ == "__main__":
    main()
