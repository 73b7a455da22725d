#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does the compiler lay out the patched source as predicted?

For real kernel structs of different kinds: many legal orders by chance each
(`kst-dev rewrite --random-orders`, half of them of every movable
field, half of a few moves). Each order's new header goes over the old one in
clang's file system overlay, and a C file with the unit's own flags includes it
and asserts the size, the alignment and the offset and size of every field that
can be asked for; bit-fields and members of anonymous ones are asked for by what
they hold or by the next field's offset. Every difference is listed; exit status
1 if there is any.

An assertion of the source itself that an order breaks is no wrong prediction:
such orders are counted (column "asserted") and the assertion is listed. Structs
of different headers of which none holds another are compiled together; if that
fails, one by one."""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import kst_bench as kb

# Warnings say nothing about layout; a header by itself may call what only its
# users declare.
LENIENT = ["-w", "-Wno-implicit-function-declaration"]

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
    ("address_space", "kernel/sched/core.c"), ("file_lock", "fs/locks.c"), ("kiocb", "kernel/sched/core.c"),
    ("bio", "kernel/sched/core.c"), ("request", "block/blk-mq.c"), ("request_queue", "kernel/sched/core.c"),
    ("pipe_inode_info", "net/core/skbuff.c"), ("work_struct", "kernel/sched/core.c"), ("hrtimer_cpu_base", "kernel/sched/core.c"),
    ("perf_event", "kernel/sched/core.c"), ("net_device", "net/core/sock.c"), ("sk_buff", "net/core/sock.c"),
    ("sock", "net/core/sock.c"), ("inet_sock", "net/core/sock.c"), ("inet_connection_sock", "net/core/sock.c"),
    ("tcp_sock", "net/core/sock.c"), ("neighbour", "net/core/sock.c"), ("Qdisc", "net/core/sock.c"),
    ("softnet_data", "net/core/sock.c"), ("napi_struct", "net/core/sock.c"), ("dst_entry", "net/core/sock.c"),
    # With anonymous structs among their members.
    ("blk_mq_ctx", "block/blk-mq.c"), ("blk_mq_hw_ctx", "block/blk-mq.c"), ("vm_fault", "mm/memory.c"),
]


def tool_orders(args, source, obj, structs, unit):
    """One report for each struct."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [kb.dev_tool(args.tool), "rewrite", "--struct", ",".join(structs), "-p", obj, "--random-orders", str(args.orders),
                   "--seed", str(args.seed), "--json", out.name, unit]
        done = subprocess.run(command, cwd=source, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(done.stderr.strip())
        return kb.read_json(out.name)


def askable(field):
    """What names the field's first byte: itself, or the first member of an
    anonymous struct or union."""
    name = field["name"].split("|")[0]
    return name if re.fullmatch(r"\w+", name) and not field["bit_field"] else None


def assertions(struct, config, unaskable=()):
    spelling = "struct " + struct
    yield f"sizeof({spelling}) == {config['size']}"
    yield f"_Alignof({spelling}) == {config['align']}"
    for field in config["fields"]:
        name = askable(field)
        if name is None or name in unaskable:
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


class Subject:
    """A struct under test."""

    def __init__(self, struct, unit, report, header):
        self.struct, self.unit, self.report, self.header = struct, unit, report, header
        self.orders = report["orders"]
        self.contains = set()  # structs that it holds by value, at any depth
        self.unaskable = set()  # bit-fields that begin an anonymous struct
        self.good = self.asserted = self.facts = 0


def compile_patched(args, obj, words, subjects, index, scratch):
    """Compiles order `index` of all subjects at once, which lie in different
    headers. Returns what the compiler says against each, and what it says
    against none in particular."""
    stem = os.path.join(scratch, f"{subjects[0].struct}.{len(subjects)}.{index}")
    roots, includes, facts = [], [], []
    for number, subject in enumerate(subjects):
        order = subject.orders[index]
        patched = f"{stem}.{number}.h"
        with open(patched, "w") as file:
            file.write(order["text"])
        roots.append({"name": os.path.dirname(subject.header), "type": "directory", "contents": [
            {"name": os.path.basename(subject.header), "type": "file", "external-contents": patched}]})
        facts += [(number, fact) for fact in assertions(subject.struct, order["configs"][0], subject.unaskable)]
    with open(stem + ".json", "w") as file:
        json.dump({"version": 0, "roots": roots}, file)
    with open(stem + ".c", "w") as file:
        file.write("".join(f'#include "{path}"\n' for path in args.includes[subjects[0].unit]))
        file.writelines(f'_Static_assert({fact}, "kst:{number}: {fact}");\n' for number, fact in facts)
        file.writelines(f"extern struct {s.struct} kst_{n}; unsigned long kst_size_{n} = sizeof(kst_{n});\n"
                        for n, s in enumerate(subjects))
    bits = [bit_probes(s.struct, s.orders[index]["configs"][0]) for s in subjects]
    dump = ["-Xclang", "-fdump-record-layouts"] if any(bits) else []
    done = subprocess.run([args.clang, *words, *LENIENT, "-ferror-limit=0", "-ivfsoverlay", stem + ".json", *dump, "-fsyntax-only",
                           stem + ".c"], cwd=obj, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    against, other = [[] for _ in subjects], []
    for where, text in re.findall(r"^(\S+?:\d+):\d+: (?:fatal )?error: (.*)$", done.stderr, re.M):
        ours = re.search(r"kst:(\d+): (.*)", text)
        if ours:
            against[int(ours.group(1))].append("clang denies " + ours.group(2))
        else:
            other.append(f"{os.path.basename(where)}: {text}")
    if done.returncode and not other and not any(against):
        other.append(done.stderr[:300] or "clang fails")
    for number, wanted in enumerate(bits):
        if wanted and not done.returncode:
            got = dumped_bits(done.stdout, subjects[number].struct)
            against[number] += [f"bit-field {name}: bit {got.get(name)}, predicted {at}"
                                for name, at in wanted.items() if got.get(name) != at]
    for number in range(len(subjects)):
        os.unlink(f"{stem}.{number}.h")
    os.unlink(stem + ".json")
    os.unlink(stem + ".c")
    return against, other


def check(args, obj, words, subjects, index, scratch):
    """[(subject, problems, only the source's own assertions)] of one order of
    each subject. What cannot be blamed on one of several is tried one by one."""
    subjects = [s for s in subjects if index < len(s.orders)]
    if not subjects:
        return []
    against, other = compile_patched(args, obj, words, subjects, index, scratch)
    if len(subjects) > 1 and (other or any(against)):
        return [found for s in subjects for found in check(args, obj, words, [s], index, scratch)]
    # An assertion of the source that fails is no wrong prediction.
    own = bool(other) and not against[0] and all("static assertion failed" in text for text in other)
    return [(s, problems + other, own) for s, problems in zip(subjects, against)]


def containment(args, obj, words, subjects):
    """Fills in what each subject holds by value, from clang's dump."""
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write("".join(f'#include "{path}"\n' for path in args.includes[subjects[0].unit]))
        file.writelines(f"extern struct {s.struct} kst_{n}; unsigned long kst_size_{n} = sizeof(kst_{n});\n"
                        for n, s in enumerate(subjects))
        file.flush()
        done = subprocess.run([args.clang, *words, *LENIENT, "-Xclang", "-fdump-record-layouts", "-fsyntax-only", file.name], cwd=obj,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"clang does not compile the headers of {subjects[0].unit}: " + done.stderr[:300])
    for record in done.stdout.split("*** Dumping AST Record Layout")[1:]:
        first = re.search(r"^\s+0 \| struct (\w+)$", record, re.M)
        for s in subjects:
            if first and first.group(1) == s.struct:
                s.contains |= set(re.findall(r"^\s*\d+(?::[\d-]+)? \|\s+struct (\w+)[^*\n]*$", record, re.M)) - {s.struct}


def find_unaskable(args, obj, words, subject):
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write("".join(f'#include "{path}"\n' for path in args.includes[subject.unit]))
        anonymous = [f for f in subject.orders[0]["configs"][0]["fields"] if "|" in f["name"]]
        file.writelines(f"unsigned long kst_{n} = __builtin_offsetof(struct {subject.struct}, {askable(f)});\n"
                        for n, f in enumerate(anonymous) if askable(f))
        file.flush()
        done = subprocess.run([args.clang, *words, *LENIENT, "-ferror-limit=0", "-fsyntax-only", file.name], cwd=obj,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    subject.unaskable = set(re.findall(r"cannot compute offset of bit-field '(\w+)'", done.stderr))


def groups_of(subjects):
    """Subjects that can be patched at once: no common header, none holds
    another, whose size may change."""
    groups = []
    for s in subjects:
        for group in groups:
            if all(s.header != t.header and s.struct not in t.contains and t.struct not in s.contains for t in group):
                group.append(s)
                break
        else:
            groups.append([s])
    return groups


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
    rows, problems, notes, commands, subjects = [], [], [], {}, []
    chosen = [(struct, unit) for struct, unit in STRUCTS if not args.struct or struct in args.struct]
    for unit in sorted({unit for _, unit in chosen}):
        target = unit[:-2] + ".o"
        if not os.path.exists(os.path.join(obj, os.path.dirname(target), "." + os.path.basename(target) + ".cmd")):
            kb.kernel_tree("build", "x86_64", target)
        commands[unit] = kb.compile_command(obj, target)[0][1:-1]
        for report in tool_orders(args, source, obj, [s for s, u in chosen if u == unit], unit):
            if "error" in report:
                notes.append(f"{report['struct']}: {report['error']}")
                continue
            problems += [f"{report['struct']}: refused: {o['error']}" for o in report["orders"] if "error" in o]
            report["orders"] = [o for o in report["orders"] if "error" not in o]
            subjects.append(Subject(report["struct"], unit, report, os.path.join(source, report["file"])))

    args.includes = {unit: includes_of(args, source, obj, words, unit, [s for s in subjects if s.unit == unit])
                     for unit, words in commands.items()}
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        work = []
        for unit, words in commands.items():
            mine = [s for s in subjects if s.unit == unit]
            if mine:
                containment(args, obj, words, mine)
            for subject in mine:
                if any("|" in f["name"] for f in subject.orders[0]["configs"][0]["fields"]):
                    find_unaskable(args, obj, words, subject)
            # What its own assertions forbid would make its whole group fail.
            alone = {found[0].struct for group in groups_of(mine) for found in check(args, obj, words, group, 0, scratch) if found[2]}
            groups = groups_of([s for s in mine if s.struct not in alone]) + [[s] for s in mine if s.struct in alone]
            work += [pool.submit(check, args, obj, words, group, index, scratch) for group in groups for index in range(args.orders)]
        for done in work:
            for subject, found, own in done.result():
                subject.good += not found or own
                subject.asserted += own
                if own and subject.asserted == 1:
                    notes.append(f"{subject.struct}: the source asserts, for example: {found[0].split(': ', 1)[1]}")
                elif found and not own:
                    problems.append(f"{subject.struct}: " + "; ".join(found[:3]))
    for s in subjects:
        with open(s.header) as file:
            old = file.read()
        for number, order in enumerate(s.orders):
            config = order["configs"][0]
            s.facts += len(list(assertions(s.struct, config, s.unaskable))) + len(bit_probes(s.struct, config))
            wrong = order["patch"] and applies(old, s.report["file"], order["patch"], order["text"])
            if wrong:
                problems.append(f"{s.struct} order {number}: git apply: {wrong}")
        distinct = len({order["text"] for order in s.orders})
        rows.append([s.struct, s.report["file"], s.report["fields"], s.report["movable"], distinct, f"{s.good}/{len(s.orders)}",
                     s.asserted, s.facts])
    totals = [len(rows), sum(s.good for s in subjects), sum(len(s.orders) for s in subjects), sum(s.facts for s in subjects)]
    kb.table(["struct", "file", "fields", "movable", "distinct", "as predicted", "asserted", "facts"], rows, left=(0, 1))
    print(f"\n{totals[0]} structs, {totals[1]} of {totals[2]} orders as predicted, {totals[3]} sizes and offsets compared, "
          f"{len(problems)} failures, {time.time() - began:.0f} s")
    if notes:
        print("\nnotes:\n  " + "\n  ".join(sorted(set(notes))))
    if problems:
        print(f"\n{len(problems)} failures:\n  " + "\n  ".join(problems))
    sys.exit(1 if problems else 0)


def includes_of(args, source, obj, words, unit, subjects):
    """What a C file includes to see the structs: their headers if those compile
    by themselves, else the whole unit."""
    headers = sorted({s.header for s in subjects})
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write("".join(f'#include "{path}"\n' for path in headers))
        file.flush()
        done = subprocess.run([args.clang, *words, *LENIENT, "-fsyntax-only", file.name], cwd=obj, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    return headers if done.returncode == 0 else [os.path.join(source, unit)]


if __name__ == "__main__":
    main()
