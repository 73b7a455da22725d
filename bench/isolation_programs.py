#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs of this machine, relinked after a change, against `isolation verify`:

  isolation_programs.py --tool kstatic-affinity --scratch DIR

A program of two files on glibc, linked by GNU ld and lld in four ways, and nine
changes of one file. Sizes that the link makes come from the new map. A link is
warned of if the change needs an output section that was not there."""

import argparse
import json
import os
import subprocess

FIRST = """#include <math.h>
#include <pthread.h>
#include <stdio.h>
int counter, limit = 5;
static __thread int mine = 3;
__thread long zero;
extern int other(int);
static void *run(void *unused) { for (int i = 0; i < limit; i++) counter++; mine++; zero++; return unused; }
int main(int c, char **v) { pthread_t h; pthread_create(&h, 0, run, v); pthread_join(h, 0); return printf("%d %d %f\\n", counter, other(c), sin(c)) < 0; }
"""
SECOND = """#include <stdlib.h>
int table[100] = {1, 2};
const char *names[] = {"a", "bb", "ccc"};
int other(int x) { return table[x] + atoi(names[x % 3]); }
int more(int x) { GROWN return x * 3; }
"""
# What stands for GROWN, and what follows.
CHANGES = [
    ("text", 'asm volatile(".skip 100");', ""),
    ("text, almost a page", 'asm volatile(".skip 3700");', ""),
    ("data", "", "int extra[7] = {1};"),
    ("data, more than a page", "", "int extra[1200] = {5};"),
    ("bss", "", "int extra[77];"),
    ("thread-local data", "", "__thread int extra = 3;"),
    ("constants", "", "static const int extra[9] = {1, 2, 3}; const int *constants(int i) { return extra + i; }"),
    ("strings and merged constants", "", 'const char *string(void) { return "a new string"; } double triple(double x) { return x * 3.25; }'),
    ("read-only after relocation", "", 'char *const extra[9] = {(char *)1, "g"}; char *const *entries(int i) { return extra + i; }'),
]
WAYS = ["-static", "-static-pie", "-pie", "-no-pie"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--scratch", required=True)
    args = parser.parse_args()
    folder = os.path.abspath(args.scratch)
    os.makedirs(os.path.join(folder, "new"), exist_ok=True)

    def run(*command, **more):
        return subprocess.run(command, cwd=folder, check=True, **more)

    def compile(name, text):
        run("gcc", "-O2", "-c", "-x", "c", "-o", name, "-", input=text, text=True)

    def link(linker, way, second, out):
        run("gcc", way, f"-fuse-ld={linker}", "-B/usr/lib/llvm-19/bin", "a.o", second, "-lm", f"-Wl,-Map={out}.map", "-o", out, stderr=subprocess.DEVNULL)

    compile("a.o", FIRST)
    compile("b.o", SECOND.replace("GROWN", ""))
    print("| change | linker | links | symbols | moved | links with mismatches | warned of |\n|---|---|---:|---:|---:|---:|---:|", flush=True)
    for what, code, more in CHANGES:
        compile("new/b.o", SECOND.replace("GROWN", code) + more + "\n")
        for linker in ("bfd", "lld"):
            symbols = moved = bad = warned = 0
            for way in WAYS:
                name = f"p{way}.{linker}"
                link(linker, way, "b.o", name)
                link(linker, way, "new/b.o", "new/" + name)
                done = subprocess.run([os.path.abspath(args.tool), "isolation", "verify", name, "--new", "new/" + name, "--new-map", f"new/{name}.map",
                                       "--against", "new", "--heat", "none", "--json", "-"], cwd=folder, capture_output=True, text=True)
                if done.returncode not in (0, 1):
                    raise SystemExit(done.stderr)
                found = json.loads(done.stdout)
                symbols += found["symbols"]
                moved += found["moved"]
                bad += done.returncode
                warned += "left out" in done.stderr
            print(f"| {what} | {linker} | {len(WAYS)} | {symbols} | {moved} | {bad} | {warned} |", flush=True)


if __name__ == "__main__":
    main()
