#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""No two headers that may be in one program define a type of one name: one_name.py ROOT. The linker would take the inline functions of
either for both. Programs of their own are left out: what goes into other people's programs, and the check of kernel objects."""

import collections
import os
import re
import sys

APART = ("passes/counters/", "passes/runtime/", "passes/kernel/", "passes/verify/", "test/")
TYPE = re.compile(r"^(?:class|struct|enum class|enum)(?: alignas\([^)]*\))? (\w+)\b[^;\n]*\{", re.M)


def main():
    root = sys.argv[1]
    names = collections.defaultdict(set)
    for top in ("analyzer", "hybrid", "passes", "tools"):
        for folder, _, files in os.walk(os.path.join(root, top)):
            for name in files:
                path = os.path.relpath(os.path.join(folder, name), root)
                if name.endswith(".h") and not path.startswith(APART):
                    with open(os.path.join(root, path), errors="replace") as file:
                        for found in TYPE.finditer(file.read()):
                            names[found[1]].add(path)
    twice = {name: sorted(paths) for name, paths in names.items() if len(paths) > 1}
    for name, paths in sorted(twice.items()):
        print(f"{name} is defined in " + " and ".join(paths))
    assert len(names) > 300
    sys.exit(1 if twice else 0)


if __name__ == "__main__":
    main()
