#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Who may include whom: arrows.py ROOT. Each folder sees itself and those of
its row; what a row does not name is an error, and so is a folder without a row."""

import collections
import os
import re
import sys

MODEL = {"hybrid/model"}
FACTS = MODEL | {"analyzer/facts"}
TOOLS = {"analyzer/compile", "analyzer/request", "analyzer/rewrite", "analyzer/run", "analyzer/codelayout", "hybrid/graph", "hybrid/io",
         "hybrid/layout", "hybrid/link", "hybrid/merge", "hybrid/report", "passes/readers"} | FACTS
MAY_SEE = {
    "hybrid/model": set(),
    "hybrid/graph": MODEL,
    "hybrid/io": MODEL,
    "hybrid/link": MODEL | {"hybrid/graph"},
    "hybrid/layout": MODEL | {"hybrid/graph"},
    "hybrid/merge": MODEL | {"hybrid/graph", "hybrid/io", "hybrid/link"},
    "hybrid/report": MODEL | {"hybrid/graph", "hybrid/io", "hybrid/layout"},
    "analyzer/compile": MODEL,
    "analyzer/facts": MODEL,
    "analyzer/codelayout": {"hybrid/layout"},
    "analyzer/rewrite": FACTS,
    "analyzer/request": FACTS | {"analyzer/compile", "hybrid/layout"},
    "analyzer/run": MODEL | {"hybrid/io"},
    "passes/abi": set(),
    "passes/counters": {"passes/abi"},
    "passes/verify": {"passes/abi"},
    "passes/kernel": {"passes/abi"},
    "passes/runtime": {"passes/abi"},
    "passes/readers": MODEL | {"hybrid/io", "passes/abi"},
    "tools/kst-layout": MODEL | {"analyzer/codelayout", "hybrid/io", "hybrid/layout"},
    "tools/kst-verify-kernel": {"passes/verify", "tools/kstatic-affinity"},
    "tools/kstatic-affinity": TOOLS,
}


def includes(root):
    """(file, folder, folder of what it includes) of every include between folders."""
    for top in ("analyzer", "hybrid", "passes", "tools"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            room = "/".join(os.path.relpath(folder, root).split(os.sep)[:2])
            for name in names:
                if not name.endswith((".c", ".cpp", ".h")):
                    continue
                with open(os.path.join(folder, name), errors="replace") as file:
                    for other in re.findall(r'^\s*#\s*include "((?:analyzer|hybrid|passes|tools)/[^/"]+)/', file.read(), re.M):
                        yield os.path.join(room, name), room, other


def main():
    wrong = sorted({f"{file}: {room} may not include {other}" for file, room, other in includes(sys.argv[1])
                    if room != other and other not in MAY_SEE.get(room, set())})
    # Arrows that point one way: no folder is behind itself.
    seen = collections.defaultdict(set)
    for room, others in MAY_SEE.items():
        todo = list(others)
        while todo:
            other = todo.pop()
            if other not in seen[room]:
                seen[room].add(other)
                todo += MAY_SEE[other]
        if room in seen[room]:
            wrong.append(f"{room} is behind itself")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
