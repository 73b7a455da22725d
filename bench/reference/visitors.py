#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Who comes to objects, into the reference that ships.

    bench/reference/visitors.py DIR --kernel OBJ --reference FILE.zst -o FILE.zst [--without NAME,NAME]

Boots the kernel of OBJ (x86-64, with bench/recorder/trace.config) once for each workload of the trials (trials.py) under `trace record`, and
keeps in DIR, as TRIAL.WORKLOAD, which functions visit objects of which structs, and how often from another CPU than the object's own
(`trace dump --users`). What is there is not recorded again. Then each function of FILE gets rows `=STRUCT PERCENT`: its visits by others
of all its visits, over all workloads; of fewer than LEAST visits none. Rows of before are dropped. --without leaves trials or workloads
out, to judge on them."""

import argparse
import collections
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import kst_bench as kb  # noqa: E402
from trials import TRIALS  # noqa: E402

LEAST = 20
IDLE = "later.idle_1"


def record(args):
    os.makedirs(args.folder, exist_ok=True)
    for name, trial in TRIALS.items():
        for run in trial.runs:
            path = os.path.join(args.folder, f"{name}." + run.replace(" ", "_").replace("/", "-"))
            if os.path.exists(path):
                continue
            trace = os.path.join(args.folder, "trace.tmp")
            trial.__class__({}, [run]).boot(args, "trace", "-o", trace)
            with open(path + ".tmp", "w") as file:
                done = subprocess.run([args.tool, "trace", "dump", "--users", trace], stdout=file)
            os.unlink(trace)
            if done.returncode:
                sys.exit(f"{run}: no listing of users")
            os.rename(path + ".tmp", path)


def listed(path):
    """{(file, function, struct): (all, by others)}"""
    rows = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                every, others, _, struct, function, name = line.rstrip("\n").split(" ", 5)
                rows[name, function, struct] = int(every), int(others)
    return rows


def visits(folder, without):
    """{(file, function): {struct: [all, by others]}}. What every boot does, whatever the workload, is taken from the idle one and counts once."""
    found = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    boot = listed(os.path.join(folder, IDLE))
    for name in sorted(os.listdir(folder)):
        trial, _, run = name.partition(".")
        if name.endswith(".tmp") or {trial, run} & without:
            continue
        for (file, function, struct), row in listed(os.path.join(folder, name)).items():
            sums = found[file, function][struct]
            for part in range(2):
                booted = 0 if name == IDLE else boot.get((file, function, struct), (0, 0))[part]
                sums[part] += max(0, row[part] - booted)
    return found


def with_rows(text, found):
    """The reference with rows behind its functions.

    >>> with_rows("kstatic-affinity reference 2\\nruns 1\\n@a.c\\nf 3\\n+1 2\\ng\\n", {("a.c", "f"): {"s": [40, 10], "t": [3, 3]}}).splitlines()[2:]
    ['@a.c', 'f 3', '=s 25', '+1 2', 'g']
    """
    lines, file = ["kstatic-affinity reference 3"], None
    for line in text.splitlines()[1:]:
        if line[0] == "=":
            continue
        lines.append(line)
        if line[0] == "@":
            file = line[1:]
        elif file and line[0] not in "+-":
            for struct, (every, others) in sorted(found.get((file, line.split(" ")[0]), {}).items()):
                if every >= LEAST:
                    lines.append(f"={struct} {min(100, round(100 * others / every))}")
    return "\n".join(lines) + "\n"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", metavar="DIR", type=os.path.abspath)
    p.add_argument("--kernel", required=True, metavar="OBJ", type=os.path.abspath)
    p.add_argument("--reference", required=True, metavar="FILE.zst")
    p.add_argument("-o", required=True, dest="out", metavar="FILE.zst")
    p.add_argument("--without", default="", metavar="NAME,NAME")
    p.add_argument("--tool", type=os.path.abspath, default=os.path.join(kb.ROOT, "build", "release", "bin", "kstatic-affinity"))
    p.add_argument("--cpus", type=int, default=2)
    args = p.parse_args()
    record(args)
    old = subprocess.run(["zstd", "-dcq", args.reference], stdout=subprocess.PIPE, check=True).stdout.decode()
    text = with_rows(old, visits(args.folder, set(args.without.split(",")) - {""}))
    packed = subprocess.run(["zstd", "--ultra", "-22", "-q", "-c"], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout
    with open(args.out, "wb") as file:
        file.write(packed)
    rows = sum(line.startswith("=") for line in text.splitlines())
    print(f"{args.out}: {rows} rows of visitors, {len(text):,} bytes of text, {len(packed):,} compressed")


if __name__ == "__main__":
    main()
