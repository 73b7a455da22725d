# SPDX-License-Identifier: GPL-2.0-or-later
"""What the benchmark scripts share: where things are, running the tool, the
compile commands of a kernel build, rank correlation, tables.

Only Python's standard library, so that a benchmark runs wherever the tool was
built. Failures end the script with one line that says what to do."""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def parser(description):
    """An argument parser with the options that every benchmark has."""
    p = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tool", type=os.path.abspath, default=os.path.join(ROOT, "build", "release", "bin", "kstatic-affinity"),
                   help="the kstatic-affinity to measure (default: the release build)")
    p.add_argument("--kernel-cache", metavar="DIR",
                   help="where scripts/kernel-tree keeps the kernel (default: KST_CACHE, then ~/.cache/kstatic-affinity)")
    p.add_argument("--reference", default="none", metavar="FILE", type=lambda name: name if name == "none" else os.path.abspath(name),
                   help="recordings of other workloads; default none: source alone")
    return p


def dev_tool(tool):
    """kst-dev, which answers what only benchmarks ask, beside the tool."""
    return os.path.join(os.path.dirname(os.path.abspath(tool)), "kst-dev")


def use_cache(args):
    """Makes --kernel-cache the directory of every kernel_tree() that follows."""
    if args.kernel_cache:
        os.environ["KST_CACHE"] = os.path.abspath(args.kernel_cache)


def kernel_tree(*arguments):
    """Runs scripts/kernel-tree; returns the path it prints."""
    done = subprocess.run([os.path.join(ROOT, "scripts", "kernel-tree"), *arguments], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("scripts/kernel-tree " + " ".join(arguments)[:200] + " failed")
    return done.stdout.strip().splitlines()[-1]


def objects(source, obj, directory):
    """The .o files that `directory` (not its subdirectories) builds in from one
    .c file of the same name, read from its Makefile and .config, sorted."""
    with open(os.path.join(obj, ".config")) as file:
        builtin = set(re.findall(r"^(CONFIG_\w+)=y$", file.read(), re.M))
    with open(os.path.join(source, directory, "Makefile")) as file:
        text = file.read().replace("\\\n", " ")
    names = set()
    for condition, value in re.findall(r"^obj-(y|\$\(CONFIG_\w+\))\s*[+:]?=([^\n#]*)", text, re.M):
        if condition == "y" or condition[2:-1] in builtin:
            names.update(word for word in value.split() if word.endswith(".o"))
    return sorted(os.path.join(directory, name) for name in names
                  if os.path.exists(os.path.join(source, directory, name[:-2] + ".c")))


def compile_command(obj, target):
    """The compiler call that kbuild noted for `target`, as a list of words
    without its output and dependency options, and its source file."""
    directory, name = os.path.split(target)
    path = os.path.join(obj, directory, "." + name + ".cmd")
    try:
        with open(path) as file:
            line = file.readline()
    except OSError:
        sys.exit(f"no {path}: build {target} first")
    # Make's own quoting; what follows the first command is objtool's.
    text = line.partition(" := ")[2].replace("$(pound)", "#").replace("$$", "$")
    words = shlex.split(text)
    for end in (";", "&&"):
        if end in words:
            words = words[:words.index(end)]
    words = [word for word in words if not word.startswith(("-Wp,-MMD", "-Wp,-MD"))]
    at = words.index("-o")
    del words[at:at + 2]
    words.remove("-c")
    return words, words[-1]


def run_tool(args, source, obj, paths, *options):
    """Runs the tool from the source tree and returns its JSON report.
    Its text report is thrown away, its messages are shown. Source alone, unless
    the options or --reference of the benchmark name a reference; with
    args.reference None the one that ships."""
    reference = getattr(args, "reference", "none")
    if "--reference" not in options and reference:
        options = ("--reference", reference, *options)
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.join(scratch, "report.json")
        command = [args.tool, "-p", obj, "--full", "--json", report, *options, *paths]
        try:
            done = subprocess.run(command, cwd=source, stdout=subprocess.DEVNULL)
        except OSError as error:
            sys.exit(f"cannot run {args.tool}: {error.strerror}; cmake --build --preset release builds it")
        if done.returncode not in (0, 3):
            sys.exit(f"exit status {done.returncode} of: " + shlex.join(command))
        return read_json(report)


def read_json(path):
    try:
        with open(path) as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        sys.exit(f"{path}: {error}")


def ranks(values):
    """Ranks from 1, ties share their mean rank."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for position in order[start:end]:
            result[position] = (start + end + 1) / 2
        start = end
    return result


def pearson(a, b):
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    covariance = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    spread = (sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b)) ** 0.5
    return covariance / spread if spread else 0.0


def spearman(a, b):
    """Spearman's rank correlation: Pearson's of the ranks, so ties are right."""
    return pearson(ranks(a), ranks(b))


def table(header, rows, left=(0,)):
    """Prints rows under a header: the columns `left` to the left, others right."""
    cells = [list(map(str, row)) for row in [header, *rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    for index, row in enumerate(cells):
        print("  ".join(cell.ljust(width) if column in left else cell.rjust(width)
                        for column, (cell, width) in enumerate(zip(row, widths))).rstrip())
        if index == 0:
            print("  ".join("-" * width for width in widths))
