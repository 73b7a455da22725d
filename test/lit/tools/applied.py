#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A patch is what the report says: applied.py REPORT PATCH HEADER STRUCT [FIELD...]

In copies of the current directory `git apply` and `patch -p1` take PATCH and
make the same bytes; clang asserts the offsets and the size that REPORT gives,
before and after, but for the named FIELDs, which have no address. Prints how
many fields it asked for."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

report, patch, header, struct = sys.argv[1:5]
with open(report) as file:
    layouts = json.load(file)["layouts"]
with open(patch, "rb") as file:
    patch = file.read()


def asserted(layout):
    facts = [f"sizeof(struct {struct}) == {layout['size']}"]
    facts += [f"__builtin_offsetof(struct {struct}, {name}) == {int(offset)}" for name, offset in zip(layout["order"], layout["offsets"])
              if re.fullmatch(r"\w+", name) and name not in sys.argv[5:]]
    return facts


def laid_out(tree, layout):
    facts = asserted(layout)
    source = f"#include <{header}>\n" + "".join(f'_Static_assert({fact}, "{fact}");\n' for fact in facts)
    done = subprocess.run(["clang-19", "-w", "-I.", "-x", "c", "-fsyntax-only", "-"], cwd=tree, input=os.fsencode(source), stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit("clang denies it: " + done.stderr.decode(errors="replace"))
    return len(facts)


with tempfile.TemporaryDirectory() as top:
    texts = []
    for tool in (["git", "apply", "-p1", "-"], ["patch", "-p1", "-s", "-t", "--no-backup-if-mismatch"]):
        tree = os.path.join(top, tool[0])
        shutil.copytree(".", tree, symlinks=True)
        count = laid_out(tree, layouts["current"])
        done = subprocess.run(tool, cwd=tree, input=patch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**os.environ, "GIT_CEILING_DIRECTORIES": top})
        if done.returncode:
            sys.exit(f"{tool[0]}: {done.stdout.decode(errors='replace')}")
        laid_out(tree, layouts["proposed"])
        with open(os.path.join(tree, header), "rb") as file:
            texts.append(file.read())
    if texts[0] != texts[1]:
        sys.exit("git and patch make different texts")
    with open(header, "rb") as file:
        if texts[0] == file.read():
            sys.exit("nothing moves")
    print(f"{count} asserted")
