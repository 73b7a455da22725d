#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do orders that the tool calls legal keep programs right?

Each program of legal_programs/ checks itself and relies on the order of a struct in a way of its own, or looks as if it did. For each: random
orders that obey the rules of its layout problem, written into the source by the tool, compiled by clang, run. A program breaks if one of its
orders does not compile or makes main() return something else than 0.

A line `OPAQUE: FUNCTION...` in a program says in which functions the report must name an opaque use: there nothing knows which orders are legal,
and the program may break. A program without that line must have no opaque use. `KNOWN: WHY` marks one that breaks unnamed: a fault that is known.

    bench/legal_orders.py [PROGRAM.c...]"""

import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import kst_bench as kb
import mutation
import verify_layout

CLANG = [shutil.which("clang-19") or shutil.which("clang-22") or "clang", "-O1", "-w", "-std=gnu11", "-D_GNU_SOURCE"]
SHARED = os.path.join(kb.ROOT, "bench", "legal_programs", "program.h")
SECONDS = 60


def run(words, directory):
    """Exit status of a command, and the bytes that it prints; 99 if it does not end."""
    try:
        done = subprocess.run(words, cwd=directory, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return 99, b"no end"
    return done.returncode, done.stdout if words[0] != CLANG[0] else done.stderr


def right(directory):
    """Whether the program in t.c of `directory` compiles and finds itself right."""
    return run([*CLANG, "t.c", "-o", "t", "-lpthread"], directory)[0] == 0 and run(["./t"], directory)[0] == 0


def prepare(program, directory):
    """t.c beside its compile command; the struct in question."""
    with open(program, newline="") as file:
        text = file.read()
    with open(os.path.join(directory, "t.c"), "w", newline="") as file:
        file.write(re.sub(r'#include ".*program\.h"', f'#include "{SHARED}"', text))
    command = {"directory": directory, "file": "t.c", "arguments": [*CLANG, "-c", "t.c", "-o", "t.o"]}
    with open(os.path.join(directory, "compile_commands.json"), "w") as file:
        json.dump([command], file)
    named = re.search(r"STRUCT: (\w+)", text)
    return named.group(1) if named else "s"


def opaque_uses(args, directory, struct):
    """Functions with a use that the report calls opaque, or that head its patch."""
    run([args.tool, "--struct", struct, "--quiet", "--no-cache", "--json", "report.json", "t.c"], directory)
    with open(os.path.join(directory, "report.json")) as file:
        return {use["function"] for use in json.load(file)["opaque_uses"]}


def expected_uses(program):
    with open(program, newline="") as file:
        named = re.search(r"OPAQUE: (.*)", file.read())
    return set(named.group(1).split()) if named else set()


def orders(instance, count):
    """Up to `count` orders, as names of fields, that the instance's rules allow, none of them the present one."""
    rules, dice = verify_layout.Rules(instance), random.Random(1)
    names = [field["name"] for field in instance["record"]["fields"]]
    found = dict.fromkeys(tuple(mutation.mutate(dice, rules, 6)) for _ in range(count))
    found.pop(tuple(range(len(names))), None)
    return [[names[field] for field in order] for order in found]


def tried(args, program, scratch):
    """(orders written, orders that broke the program, opaque uses that are there and not expected, or expected and not there)"""
    directory = tempfile.mkdtemp(dir=scratch)
    struct = prepare(program, directory)
    if not right(directory):
        sys.exit(f"{program}: wrong as it stands")
    problem = os.path.join(directory, "problem.jsonl")
    run([kb.dev_tool(args.tool), "instances", "--struct", struct, "--quiet", "-o", problem, "--no-cache", "t.c"], directory)
    if not os.path.exists(problem):
        sys.exit(f"{program}: no layout problem of struct {struct}")
    made = broken = 0
    for order in orders(verify_layout.read_instances(problem)[0], args.orders):
        with open(os.path.join(directory, "order"), "w") as file:
            file.write("\n".join(order) + "\n")
        status, patch = run([kb.dev_tool(args.tool), "rewrite", "--struct", struct, "--order", "order", "--no-cache", "t.c"], directory)
        if status:
            continue  # a rule that only the rewriter knows
        copy = tempfile.mkdtemp(dir=scratch)
        shutil.copy(os.path.join(directory, "t.c"), copy)
        subprocess.run(["patch", "-p1", "-s", "--binary"], cwd=copy, input=patch, check=True)
        made, broken = made + 1, broken + (not right(copy))
    found, expected = opaque_uses(args, directory, struct), expected_uses(program)
    return made, broken, " ".join([f"+{name}" for name in sorted(found - expected)] + [f"-{name}" for name in sorted(expected - found)])


def main():
    p = kb.parser(__doc__)
    p.add_argument("program", nargs="*", help="default: all of legal_programs/")
    p.add_argument("--orders", type=int, default=8, help="at most so many for each program (default 8)")
    args = p.parse_args()
    everything = glob.glob(os.path.join(kb.ROOT, "bench", "legal_programs", "*.c"))
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for program in sorted(args.program or everything, key=os.path.basename):
            rows.append([os.path.basename(program), *tried(args, program, scratch)])
    named = {os.path.basename(path): bool(expected_uses(path)) for path in args.program or everything}
    kb.table(["program", "orders", "break it", "opaque uses in wrong places"], [row for row in rows if row[2] or row[3] or args.program])
    breaking = [row for row in rows if row[2]]
    unnamed, wrong = [row for row in breaking if not named[row[0]]], [row for row in rows if row[3]]
    known = {os.path.basename(path) for path in args.program or everything if "KNOWN: " in open(path, newline="").read()}
    print(f"{len(rows)} programs, {sum(row[1] for row in rows)} orders; {len(breaking)} programs break, {len(unnamed)} of them without an "
          f"opaque use ({len(known)} known); {sum(named.values())} have opaque uses, {len(wrong)} other ones than expected")
    for name in sorted(known - {row[0] for row in unnamed}):
        print(f"{name} does not break unnamed any more")
    return bool({row[0] for row in unnamed} != known or wrong)


if __name__ == "__main__":
    sys.exit(main())
