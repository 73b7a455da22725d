#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Patches of headers with odd names and bytes: patch_names.py TOOL DIR

For each, a tree in DIR, a patch by TOOL, and applied.py on it; --write makes
the same bytes; text, HTML, Markdown and JSON are UTF-8."""

import json
import os
import shutil
import subprocess
import sys

TOOL, TOP = sys.argv[1], os.path.abspath(sys.argv[2])
APPLIED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "applied.py")
HEADER = b"struct s {\n\tlong a;\t/* gr\xf6\xdfe */\n\tchar cold[120];\n\tlong d;\n\tchar colder[120];\t// \x95\x5c\x8e\xa6.\n\tlong f;\n};\n"
USES = "\nvoid step(struct s *p) { p->a++; p->d += p->a; p->f ^= p->d; }\nvoid run(struct s *p, int n) { while (n--) step(p); }\n"
NAMES = [b"my src/the s.h", b"tab\there.h", b"quote\".h", b"back\\slash.h", b"caf\xc3\xa9/s.h", b"caf\xe9.h", b"-s.h", b"a'b.h", b"bell\x07.h"]
TEXTS = {
    "plain": HEADER,
    "CRLF": HEADER.replace(b"\n", b"\r\n"),
    "no newline": HEADER.rstrip(b"\n"),
    "BOM": b"\xef\xbb\xbf" + HEADER,
    "one line": b"struct s { long a; /* gr\xf6\xdfe */ char cold[120]; long d; char colder[120]; long f; };",
    "braces": b"struct s\n  { long a;\n    char cold[120]; long d;\n    char colder[120];\n    long f; };\n",
    "comment of a rule": HEADER.replace(b"e */", b"e must be first */"),
}


def run(tree, *words):
    return subprocess.run(words, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "XDG_CACHE_HOME": TOP + "/cache"})


def analyse(tree, *more):
    done = run(tree, TOOL, "--no-cache", "--reference", "none", "--struct", "s", *more, ".")
    if done.returncode:
        return done.stderr.decode(errors="replace")
    done.stdout.decode()
    return ""


def check(label, name, text):
    tree = os.path.join(TOP, "tree")
    shutil.rmtree(TOP, ignore_errors=True)
    header = os.path.join(os.fsencode(tree), name)
    os.makedirs(os.path.dirname(header))
    with open(header, "wb") as file:
        file.write(text)
    with open(os.path.join(tree, "use.c"), "wb") as file:
        file.write(b"#include <" + name + b">" + USES.encode())
    with open(os.path.join(tree, "compile_commands.json"), "w") as file:
        json.dump([{"directory": tree, "file": "use.c", "arguments": ["clang", "-I.", "-c", "use.c"]}], file)
    run(tree, "git", "init", "-q")
    said = analyse(tree, "--json", TOP + "/r.json", "--html", TOP + "/r.html", "--markdown", TOP + "/r.md", "--patch", TOP + "/p")
    for report in ("r.json", "r.html", "r.md"):
        with open(os.path.join(TOP, report), encoding="utf-8") as file:
            if label == "comment of a rule" and report != "r.md" and "\\xf6" not in file.read():
                said += f"{report} does not show the byte"
    if not said:
        done = run(tree, sys.executable, APPLIED, TOP + "/r.json", TOP + "/p", os.fsdecode(name), "s")
        said = done.stderr.decode(errors="replace")
    if not said:
        said = analyse(tree, "--write")
        with open(header, "rb") as file:
            written = file.read()
        with open(header, "wb") as file:
            file.write(text)
        run(tree, "patch", "-p1", "-s", "-i", TOP + "/p")
        with open(header, "rb") as file:
            if written == text or file.read() != written:
                said += "--write makes another text than the patch"
    if said:
        print(f"{name!r}, {label}: {said}")
    return not said


cases = [("plain", name, HEADER) for name in NAMES] + [(label, b"s.h", text) for label, text in TEXTS.items()]
good = sum(check(*case) for case in cases)
print(f"{good} of {len(cases)} right")
