#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/TOUR.md has a line for every source file, and no line for a file that
is gone, nor any other path that is: tour.py ROOT. Looks at C++ sources, and at the scripts and schemas of
the folders that the tour lists file by file."""

import os
import re
import sys

SOURCES = ("analyzer", "hybrid", "tools", "passes")
LISTED = ("scripts", "schema", "bench")


def toured(text):
    """(folder, name) of each entry; the folder is the heading's first word."""
    folder, entries = "", set()
    for line in text.splitlines():
        heading = re.match(r"## ([^:]+)", line)
        if heading:
            folder = "" if heading.group(1) == "top" else heading.group(1)
        entry = re.match(r"- `([^`]+)`", line)
        if entry:
            entries.add((folder, entry.group(1)))
    return entries


def main():
    root = sys.argv[1]
    with open(os.path.join(root, "docs", "TOUR.md")) as file:
        text = file.read()
    entries, wrong = toured(text), []
    for path in re.findall(r"`((?:analyzer|hybrid|passes|tools|test|bench|schema)/[\w./-]*)`", text):
        if not any(os.path.exists(os.path.join(root, path + end)) for end in ("", ".h", ".cpp")):
            wrong.append(f"TOUR.md speaks of {path}, which does not exist")
    for folder, name in sorted(entries):
        path = os.path.join(root, folder, name)
        if not any(os.path.exists(path + end) for end in ("", ".h", ".cpp")):
            wrong.append(f"TOUR.md has {folder}/{name}, which does not exist")
    for top in SOURCES + LISTED:
        for parent, _, files in os.walk(os.path.join(root, top)):
            folder = os.path.relpath(parent, root)
            for name in sorted(files):
                stem, end = os.path.splitext(name)
                if top in SOURCES and end not in (".h", ".cpp"):
                    continue
                if top in LISTED and (folder != top or name.startswith(".")):
                    continue
                if not {(folder, stem), (folder, name)} & entries:
                    wrong.append(f"{folder}/{name} is not in TOUR.md")
    print("\n".join(sorted(set(wrong))))
    sys.exit(1 if wrong else 0)


main()
