#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""One small program for each class of misses: do its misses get that class?

litmus/litmus.c misses for one reason only. A recorder writes its accesses down; the model (`kst-dev cache`, 32K/8, 1M/16, 16M/16) classes those of its own buffer, of the CPU
that the class is about. At least 99 % of the misses must be of that class; with the cause removed, at most 1 % as many. Exit status 1 if a row is wrong.

--through lackey: valgrind prints the accesses of one thread that plays both CPUs. --through compiled: two threads, compiled with the plugin in trace mode, of whose trace
`trace import` and `trace dump` make the list. Accesses to the buffer must be as many as the source makes."""

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
SWEEPS, LINES, TURNS = 200 * 1024, 4096, 2000
ACCESSES = {  # of the CPU that counts, with the cause and without
    "cold": (LINES, LINES),
    "cold-foreign": (LINES, LINES),
    "cold-clean": (LINES, LINES),
    "true-sharing": (TURNS, TURNS),
    "false-sharing": (TURNS, TURNS),
    "conflict": (5000 * 16, 5000 * 16),
    "capacity": (SWEEPS, SWEEPS // 4),
    "lifetime": (2 * TURNS, TURNS),
}


def with_turns(lines, turn_of):
    r"""A store to turn_of[N] is the turn of CPU N.

    >>> list(with_turns([" S 1001,1\n", "I  10,4\n", " L 2000,8\n", " S 1000,1\n"], 0x1000))
    ['C 1\n', ' L 2000,8\n', 'C 0\n']
    """
    for line in lines:
        if line.startswith((" L", " M", " S")):
            cpu = int(line[3:].partition(",")[0], 16) - turn_of
            yield f"C {cpu}\n" if 0 <= cpu < 2 and line[1] == "S" else line


def of_streams(lines):
    """Lines of `trace dump` as those of lackey; the first stream is CPU 0.

    >>> list(of_streams(["# cpus=2", "7 4 0x1000 line+0 1 w store litmus.c:40", "8 6 0x1008 line+8 1 r load_there litmus.c:36"]))
    ['C 0\\n', ' S 1000,1\\n', 'C 1\\n', ' L 1008,1\\n']
    """
    cpus = {}
    for line in lines:
        words = line.split()
        if line.startswith("#") or words[5] not in ("r", "w"):
            continue
        yield f"C {cpus.setdefault(words[1], len(cpus))}\n"
        yield f" {'LS'[words[5] == 'w']} {words[2][2:]},{words[4]}\n"


def symbols(program):
    table = subprocess.run(["nm", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {line.split()[-1]: int(line.split()[0], 16) for line in table.splitlines() if len(line.split()) == 3}


SOURCE = os.path.join(kb.ROOT, "bench", "litmus", "litmus.c")


def build(scratch):
    program = os.path.join(scratch, "litmus")
    subprocess.run(["cc", "-O1", "-static", "-no-pie", "-o", program, SOURCE], check=True)
    return program


def build_compiled(args, scratch):
    """Compiled with the plugin beside the tool."""
    program, libraries = os.path.join(scratch, "compiled"), os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(args.tool))), "lib")
    subprocess.run([args.clang, "-O2", "-gline-tables-only", "-DTHREADS", "-no-pie", f"-fpass-plugin={libraries}/KstCounters.so", "-o", program, SOURCE,
                    f"{libraries}/libkst_rt.a", "-lpthread"], check=True, env={**os.environ, "KST_OPTIONS": "structs=line mode=trace"})
    return program


def by_lackey(_, program, case, version, scratch, target):
    raw, turn_of = os.path.join(scratch, "raw"), symbols(program)["turn_of"]
    cache_model.valgrind(["--tool=lackey", "--trace-mem=yes"], [program, case, version], raw)
    with open(raw) as source:
        target.writelines(with_turns(source, turn_of))


def by_compiled(args, program, case, version, scratch, target):
    raw, trace = os.path.join(scratch, "raw.ksttrace"), os.path.join(scratch, "raw.kstt")
    for file in (raw, trace):
        if os.path.exists(file):
            os.remove(file)
    subprocess.run([program, case, version], check=True, env={**os.environ, "KST_TRACE_FILE": raw, "KST_FILE": os.path.join(scratch, "counts")})
    subprocess.run([args.tool, "--quiet", "trace", "import", raw, "--binary", program, "-o", trace], check=True)
    with subprocess.Popen([args.tool, "trace", "dump", trace], stdout=subprocess.PIPE, text=True) as dump:
        target.writelines(of_streams(dump.stdout))


def counted(args, program, case, version, scratch, *options, through=by_lackey):
    """What kst-dev cache counts for the buffer."""
    turns = os.path.join(scratch, "turns")
    with open(turns, "w") as target:
        through(args, program, case, version, scratch, target)
    done = subprocess.run([kb.dev_tool(args.tool), "cache", "--cache", GEOMETRY, "--cpus", "2", "--classes", CASES[case][1],
                           "--range", f"{symbols(program)['buffer']:#x}+{BUFFER_BYTES}", *options, turns], stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"exit status {done.returncode} of kst-dev cache")
    return json.loads(done.stdout)


def main():
    p = kb.parser(__doc__)
    p.add_argument("--through", choices=("lackey", "compiled"), default="lackey", help="who records (default: %(default)s)")
    p.add_argument("--clang", default="clang-19", help="that the plugin is built for (default: %(default)s)")
    args = p.parse_args()
    compiled = args.through == "compiled"
    rows, wrong = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        program = build_compiled(args, scratch) if compiled else build(scratch)
        for case, (name, rule, cpu) in CASES.items():
            both = [counted(args, program, case, version, scratch, through=by_compiled if compiled else by_lackey)["range"][cpu]
                    for version in ("cause", "control")]
            cause, control = (row["misses"]["l1"] for row in both)
            accesses = tuple(sum(row["served"].values()) for row in both)
            share = cause[name] / max(1, sum(cause.values()))
            good = share >= 0.99 and control[name] <= 0.01 * cause[name] and accesses == ACCESSES[case]
            wrong += not good
            rows.append([case, rule, cpu, f"{accesses[0]:,}", f"{sum(cause.values()):,}", f"{cause[name]:,}", f"{share:.2%}", f"{control[name]:,}",
                         f"{sum(control.values()):,}", "yes" if good else "NO"])
    kb.table(["program", "rule", "CPU", "accesses", "misses", "of its class", "share", "of that without the cause", "misses without", "right"],
             rows, left=(0, 1))
    return int(wrong != 0)


if __name__ == "__main__":
    sys.exit(main())
