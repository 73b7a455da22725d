#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Extracts the kernel half of the instance set, bench/instances/kernel.jsonl.xz,
from the kernel that scripts/kernel-tree prepares: extract_instances.py [--tool FILE].

Which problems are in the set is decided by this rule alone, nothing is picked or
left out by hand. Each of the directories

    kernel/sched  mm  fs  block  net/core  net/ipv4

is analysed by itself, and of what it sees a problem is made of every record that

  - is a struct with a name that stands for one definition there,
  - has at least 20 fields with bytes, and at least 8 of them touched,
  - is not fixed as a whole by a rule of the source.

All of them with lines of 64 bytes; those with 40 or more touched fields also with
lines of 128; those of at most 256 bytes also as if instances started anywhere that
the alignment of the record allows. Family `kernel` has the problems whose instances
start on a line, `kernel-unaligned` the others. Numbers are rounded to 6 significant
digits: the rounded instance is the problem."""

import json
import lzma
import os
import subprocess
import sys
import tempfile

import kst_bench
import verify_layout

DIRECTORIES = ("kernel/sched", "mm", "fs", "block", "net/core", "net/ipv4")
LEAST_FIELDS, LEAST_TOUCHED, LEAST_FOR_128, MOST_UNALIGNED_BYTES = 20, 8, 40, 256


def rounded(value):
    """6 significant digits, as a number that JSON writes that short."""
    value = float(f"{value:.6g}")
    return int(value) if value == int(value) else value


def candidates(args, source, obj, directory):
    """Names of the records that may be in the set."""
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "records.json")
        subprocess.run([kst_bench.dev_tool(args.tool), "records", "-p", obj, "--quiet", "--json", path, directory], cwd=source, check=True)
        records = kst_bench.read_json(path)["records"]
    definitions = {}
    for record in records:
        definitions.setdefault(record["name"], set()).add((record["file"], record["line"]))
    names = {r["name"] for r in records
             if not r["union"] and r["reproduced"] and sum(f["size_bits"] > 0 for f in r["fields"]) >= LEAST_FIELDS}
    return sorted(n for n in names if n.isidentifier() and len(definitions[n]) == 1)


def exported(args, source, obj, directory, names):
    """kst-instance/1 of each struct that the tool has an answer for."""
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "instances.jsonl")
        done = subprocess.run([kst_bench.dev_tool(args.tool), "instances", "--struct", ",".join(names), "-p", obj, "--quiet", "--reference", "none", "-o", path, directory],
                              cwd=source, stderr=subprocess.PIPE, text=True)
        if done.returncode == 0:
            with open(path) as file:
                return [json.loads(line) for line in file]
    if len(names) > 1:  # one of them cannot be had: halve until it is alone
        half = len(names) // 2
        return (exported(args, source, obj, directory, names[:half]) +
                exported(args, source, obj, directory, names[half:]))
    print(f"{directory}: {names[0]}: {done.stderr.strip()[:200]}", file=sys.stderr)
    return []


def touched(instance):
    return len({t[0] for s in instance["sets"] for t in s["touches"] if t[1] > 0})


def variants(instance, directory):
    """The problems that the rule makes of an exported instance."""
    if touched(instance) < LEAST_TOUCHED or verify_layout.Rules(instance).frozen:
        return
    for entry in instance["sets"]:
        entry["weight"] = rounded(entry["weight"])
        entry["touches"] = [[t[0], *(rounded(value) for value in t[1:])] for t in entry["touches"]]
    for values in (instance["lambda"], instance["sharing"]):
        values.update({name: rounded(value) for name, value in values.items()})
    name = directory + "/" + instance["name"]
    instance["origin"].update(kind="kernel", source="Linux 6.12 (Debian linux-source-6.12)", directory=directory,
                              config="scripts/kernel/x86_64.config")
    align = instance["record"]["align_bytes"]
    yield {**instance, "name": name}
    if touched(instance) >= LEAST_FOR_128:
        yield {**instance, "name": name + "@128", "line_bytes": 128, "instance_align_bytes": 128}
    if instance["record"]["size_bytes"] <= MOST_UNALIGNED_BYTES and align < instance["instance_align_bytes"]:
        yield {**instance, "name": name + "@unaligned", "instance_align_bytes": align}


def main():
    p = kst_bench.parser(__doc__)
    p.add_argument("--out", default=os.path.join(kst_bench.ROOT, "bench", "instances", "kernel.jsonl.xz"))
    args = p.parse_args()
    kst_bench.use_cache(args)
    source = kst_bench.kernel_tree("unpack")
    # A build output of its own, in which nothing is built: of a directory with
    # some objects the tool takes just those that are built.
    config = os.path.join(kst_bench.kernel_tree("configure", "x86_64"), ".config")
    obj = kst_bench.kernel_tree("configure", "instances", config)
    lines = []
    for directory in DIRECTORIES:
        found = exported(args, source, obj, directory, candidates(args, source, obj, directory))
        if not found:
            sys.exit(f"{directory}: no record could be had")
        made = [problem for instance in found for problem in variants(instance, directory)]
        for problem in made:
            aligned = problem["instance_align_bytes"] >= problem["line_bytes"]
            problem["origin"] = {**problem["origin"], "family": "kernel" if aligned else "kernel-unaligned"}
        print(f"{directory}: {len(found)} records, {len(made)} problems", file=sys.stderr)
        lines += [json.dumps(problem, separators=(",", ":")) + "\n" for problem in made]
    with lzma.open(args.out, "wt", preset=9 | lzma.PRESET_EXTREME) as out:
        out.writelines(lines)
    print(f"{len(lines)} problems, {os.path.getsize(args.out)} bytes", file=sys.stderr)


main()
