#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""CPU time of the tool against `clang -fsyntax-only` on the same files.

Files: the units of kernel/sched, and eight from each of mm, fs, net/core,
net/ipv4 and block: every k-th of the directory's sorted built-in objects, so
that the choice is fixed and nobody's favourite. In each round, in turn:

  clang     clang-19 -fsyntax-only with the flags that kbuild noted for the
            file, warnings included: the bar is the ratio to this
  clang -w  the same without warnings, which the tool does not look for either:
            the stricter comparison
  cold      the tool on all files, with an empty cache
  warm      the same again, with the cache that the cold run filled
  alone     the same again, from source alone (--reference none)

The struct asked for has to be one that every file can see, or the tool would
leave files out; the script stops when it does. As many processes (clang) or
jobs (-j, the tool) as there are CPUs. CPU time is user + system of everything
that was started, as the kernel accounts it, from the command line to the
written report; ratios are per round. Peak memory is that of the largest
process."""

import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile
import time

import kst_bench as kb

DIRECTORIES = ["mm", "fs", "net/core", "net/ipv4", "block"]
PER_DIRECTORY = 8


def spread(names, count):
    """`count` of the names, evenly spaced, first one included."""
    return [names[i * len(names) // count] for i in range(min(count, len(names)))]


def measure(command, cwd):
    """(CPU seconds, peak KiB, exit status) of one command and its children."""
    process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss, process.returncode


def clang_round(commands, obj, jobs):
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(lambda command: measure(command, obj), commands))
    bad = [command[-1] for command, result in zip(commands, results) if result[2]]
    if bad:
        sys.exit("clang does not accept: " + " ".join(bad))
    return sum(r[0] for r in results), max(r[1] for r in results), time.monotonic() - began


def tool_round(command, source):
    began = time.monotonic()
    cpu, memory, status = measure(command, source)
    if status not in (0, 3):
        sys.exit(f"exit status {status} of: " + " ".join(command[:12]) + " ...")
    return cpu, memory, time.monotonic() - began


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def main():
    p = kb.parser(__doc__)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--struct", default="task_struct",
                   help="what the tool is asked for (default task_struct)")
    p.add_argument("--plain", action="store_true", help="also measure the tool with --plain, cold")
    p.add_argument("--clang", default="clang-19")
    p.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    p.add_argument("--only", metavar="DIR", action="append", help="the files of this directory alone; may be repeated")
    args = p.parse_args()
    kb.use_cache(args)

    source = kb.kernel_tree("unpack")
    obj = kb.kernel_tree("configure", "x86_64")
    targets = kb.objects(source, obj, "kernel/sched")
    for directory in DIRECTORIES:
        targets += spread(kb.objects(source, obj, directory), PER_DIRECTORY)
    if args.only:
        targets = [t for t in targets if os.path.dirname(t) in args.only]
    kb.kernel_tree("build", "x86_64", *targets)

    files = [target[:-2] + ".c" for target in targets]
    commands = []
    for target in targets:
        words, _ = kb.compile_command(obj, target)
        commands.append([args.clang, *words[1:-1], "-fsyntax-only", words[-1]])
    quiet = [[*command[:-1], "-w", command[-1]] for command in commands]

    scratch = tempfile.mkdtemp(prefix="kst-speed-")
    columns = ["clang", "clang -w", "cold", "warm", "alone"] + (["plain"] if args.plain else [])
    results = {name: [] for name in columns}
    try:
        for number in range(args.rounds):
            cache = os.path.join(scratch, f"cache-{number}")
            tool = [args.tool, "-p", obj, "--struct", args.struct, "--quiet", "-j", str(args.jobs),
                    "--json", os.path.join(scratch, "report.json")]
            results["clang"].append(clang_round(commands, obj, args.jobs))
            results["clang -w"].append(clang_round(quiet, obj, args.jobs))
            results["cold"].append(tool_round([*tool, "--cache-dir", cache, *files], source))
            results["warm"].append(tool_round([*tool, "--cache-dir", cache, *files], source))
            results["alone"].append(tool_round([*tool, "--reference", "none", "--cache-dir", cache, *files], source))
            if args.plain:
                results["plain"].append(tool_round([*tool, "--plain", "--no-cache", *files], source))
            shutil.rmtree(cache, ignore_errors=True)
            print(f"round {number + 1}/{args.rounds}: " + ", ".join(f"{n} {results[n][-1][0]:.1f} s" for n in columns),
                  file=sys.stderr)
        parsed = kb.read_json(os.path.join(scratch, "report.json"))["coverage"]["translation_units"]
    finally:
        shutil.rmtree(scratch, ignore_errors=True)

    if parsed["parsed"] != len(files):
        sys.exit(f"the tool parsed {parsed['parsed']} of {len(files)} files: not the same work")
    print(f"{len(files)} files, {args.rounds} rounds, {args.jobs} jobs, struct {args.struct}\n")

    def ratios(name, base):
        values = [own[0] / other[0] for own, other in zip(results[name], results[base])]
        return [f"{f(values):.3f}" for f in (min, median, max)]

    rows = []
    for name in columns:
        rows.append([name, f"{median([r[0] for r in results[name]]):.2f}",
                     f"{median([r[2] for r in results[name]]):.2f}",
                     *ratios(name, "clang"), ratios(name, "clang -w")[1],
                     f"{max(r[1] for r in results[name]) / 1024:.0f}"])
    kb.table(["", "CPU s (median)", "wall s (median)", "to clang: min", "median", "max", "to clang -w", "peak MiB"],
             rows)
    more = [(warm[0] - alone[0]) / cold[0] for cold, warm, alone in zip(results["cold"], results["warm"], results["alone"])]
    print(f"\nThe reference takes {100 * min(more):+.1f}, {100 * median(more):+.1f}, {100 * max(more):+.1f} % of the time of a cold run.")
    print("\nThe bar: cold to clang <= 1.0 (aim 0.5), warm to clang <= 0.03, peak <= 600 MiB.")
    print("\nfiles: " + " ".join(files))


if __name__ == "__main__":
    main()
