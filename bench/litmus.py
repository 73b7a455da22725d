#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""One small program for each class of misses: do its misses get that class?

litmus/litmus.c misses for one reason only. Lackey prints its accesses; the model (`kst-dev cache`, 32K/8, 1M/16, 16M/16) classes those of its own buffer, of the CPU that
the class is about. At least 99 % of the misses must be of that class; with the cause removed, at most 1 % as many. Exit status 1 if a row is wrong."""

import json
import os
import subprocess
import sys
import tempfile

import cache_model
import kst_bench as kb

GEOMETRY = "l1=32K/8,l2=1M/16,llc=16M/16,line=64"
CASES = {  # class, rule and CPU whose misses count
    "cold": ("cold", "at-miss", 0),
    "cold-foreign": ("cold-foreign", "at-miss", 1),
    "cold-clean": ("cold-clean", "at-miss", 1),
    "true-sharing": ("true-sharing", "at-miss", 1),
    "false-sharing": ("false-sharing", "at-miss", 1),
    "conflict": ("conflict", "at-miss", 0),
    "capacity": ("capacity", "at-miss", 0),
    "lifetime": ("true-sharing", "lifetime", 1),
}
BUFFER_BYTES = 1 << 20


def with_turns(lines, turn_of):
    r"""A store to turn_of[N] is the turn of CPU N.

    >>> list(with_turns([" S 1001,1\n", "I  10,4\n", " L 2000,8\n", " S 1000,1\n"], 0x1000))
    ['C 1\n', ' L 2000,8\n', 'C 0\n']
    """
    for line in lines:
        if line.startswith((" L", " M", " S")):
            cpu = int(line[3:].partition(",")[0], 16) - turn_of
            yield f"C {cpu}\n" if 0 <= cpu < 2 and line[1] == "S" else line


def symbols(program):
    table = subprocess.run(["nm", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {line.split()[-1]: int(line.split()[0], 16) for line in table.splitlines() if len(line.split()) == 3}


def build(scratch):
    program = os.path.join(scratch, "litmus")
    subprocess.run(["cc", "-O1", "-static", "-no-pie", "-o", program, os.path.join(kb.ROOT, "bench", "litmus", "litmus.c")], check=True)
    return program


def counted(args, program, case, version, scratch, *options):
    """What kst-dev cache counts for the buffer."""
    raw, turns = os.path.join(scratch, "raw"), os.path.join(scratch, "turns")
    cache_model.valgrind(["--tool=lackey", "--trace-mem=yes"], [program, case, version], raw)
    where = symbols(program)
    with open(raw) as source, open(turns, "w") as target:
        target.writelines(with_turns(source, where["turn_of"]))
    done = subprocess.run([kb.dev_tool(args.tool), "cache", "--cache", GEOMETRY, "--cpus", "2", "--classes", CASES[case][1],
                           "--range", f"{where['buffer']:#x}+{BUFFER_BYTES}", *options, turns], stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"exit status {done.returncode} of kst-dev cache")
    return json.loads(done.stdout)


def misses(args, program, case, version, scratch):
    """By class, of L1, in the buffer."""
    return counted(args, program, case, version, scratch)["range"][CASES[case][2]]["misses"]["l1"]


def main():
    args = kb.parser(__doc__).parse_args()
    rows, wrong = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        program = build(scratch)
        for case, (name, rule, cpu) in CASES.items():
            cause, control = (misses(args, program, case, version, scratch) for version in ("cause", "control"))
            share = cause[name] / max(1, sum(cause.values()))
            good = share >= 0.99 and control[name] <= 0.01 * cause[name]
            wrong += not good
            rows.append([case, rule, cpu, f"{sum(cause.values()):,}", f"{cause[name]:,}", f"{share:.2%}", f"{control[name]:,}",
                         f"{sum(control.values()):,}", "yes" if good else "NO"])
    kb.table(["program", "rule", "CPU", "misses", "of its class", "share", "of that without the cause", "misses without", "right"], rows, left=(0, 1))
    return int(wrong != 0)


if __name__ == "__main__":
    sys.exit(main())
