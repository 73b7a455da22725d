#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Who may include whom: arrows.py ROOT. Each folder sees itself and those of
its row; what a row does not name is an error. A folder of hybrid/ without a row
is an analysis: it sees evidence and what that stands on, and no other analysis."""

import collections
import os
import re
import sys

def rooms(top, names):
    return {f"{top}/{name}" for name in names.split()}


CORE = rooms("hybrid", "core")
FACTS = rooms("hybrid", "core facts")
ABI = rooms("passes", "abi")
TOOL = rooms("hybrid", "core cache pipeline report") | rooms("analyzer", "files request")
ANALYSIS = rooms("hybrid", "core facts vocabulary program affinity profile trace cache replay evidence layout report findings")
BELOW = {
    "hybrid/core": set(),
    **dict.fromkeys(rooms("hybrid", "facts vocabulary report affinity cache"), CORE),
    "hybrid/findings": rooms("hybrid", "core report"),
    "hybrid/profile": rooms("hybrid", "core report") | ABI,
    "hybrid/trace": rooms("hybrid", "core profile report"),
    "hybrid/replay": rooms("hybrid", "core cache trace"),
    "hybrid/import": rooms("hybrid", "core profile trace") | ABI,
    "hybrid/program": rooms("hybrid", "core facts vocabulary affinity"),
    "hybrid/evidence": rooms("hybrid", "core facts affinity profile program trace"),
    "hybrid/index": FACTS,
    "hybrid/layout": rooms("hybrid", "core affinity"),
    "hybrid/pipeline": rooms("analyzer", "change codelayout compile facts files request rewrite run") | rooms("passes", "readers recorder") | rooms(
        "hybrid", "core facts index report findings affinity profile cache trace import program evidence layout"),
    "analyzer/run": FACTS,
    "analyzer/compile": rooms("hybrid", "core vocabulary"),
    **dict.fromkeys(rooms("analyzer", "facts rewrite"), FACTS | rooms("hybrid", "vocabulary") | rooms("analyzer", "facts")),
    "analyzer/codelayout": rooms("hybrid", "layout"),
    "analyzer/files": rooms("analyzer", "run"),
    "analyzer/change": rooms("analyzer", "files") | CORE,
    "analyzer/request": FACTS | rooms("analyzer", "compile facts"),
    **dict.fromkeys(rooms("passes", "abi decode counters kernel runtime"), ABI),
    "passes/verify": ABI | rooms("passes", "decode"),
    "passes/recorder": rooms("hybrid", "core trace") | rooms("passes", "readers"),
    "passes/readers": ABI | rooms("hybrid", "core import profile") | rooms("passes", "decode"),
    "tools/kst-verify-kernel": rooms("analyzer", "files") | rooms("passes", "verify"),
    "tools/support": TOOL,
    "tools/kstatic-affinity": TOOL | rooms("tools", "support") | rooms("hybrid", "facts findings index profile"),
    "test/kst-dev": TOOL | rooms("tools", "support") | rooms("analyzer", "codelayout compile rewrite") | rooms("passes", "readers") | rooms("hybrid", "affinity cache colour dprof evidence import layout profile program trace"),
}


def includes(root):
    """(file, folder, folder of what it includes) of every include between folders."""
    for top in ("analyzer", "hybrid", "passes", "tools", "test/kst-dev"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            room = "/".join(os.path.relpath(folder, root).split(os.sep)[:2])
            for name in names:
                if not name.endswith((".c", ".cpp", ".h")):
                    continue
                with open(os.path.join(folder, name), errors="replace") as file:
                    for other in re.findall(r'^\s*#\s*include "((?:analyzer|hybrid|passes|tools|test)/[^/"]+)/', file.read(), re.M):
                        yield os.path.join(room, name), room, other


def rows(root):
    """Folder -> the folders that it may see."""
    there = {f"hybrid/{name}" for name in os.listdir(os.path.join(root, "hybrid")) if os.path.isdir(os.path.join(root, "hybrid", name))}
    analyses = there - set(BELOW)
    above = {name: BELOW[name] | analyses for name in ("hybrid/pipeline", "tools/kstatic-affinity")}
    return {**BELOW, **above, **dict.fromkeys(analyses, ANALYSIS)}


def main():
    may_see = rows(sys.argv[1])
    wrong = sorted({f"{file}: {room} may not include {other}" for file, room, other in includes(sys.argv[1])
                    if room != other and other not in may_see.get(room, set())})
    # Arrows that point one way: no folder is behind itself.
    seen = collections.defaultdict(set)
    for room, others in may_see.items():
        todo = list(others)
        while todo:
            other = todo.pop()
            if other not in seen[room] and other != room:
                seen[room].add(other)
                todo += may_see.get(other, set())
        if room in seen[room]:
            wrong.append(f"{room} is behind itself")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
