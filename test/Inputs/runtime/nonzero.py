# SPDX-License-Identifier: GPL-2.0-or-later
"""From what kstraw.py prints: index and value of the counts that are not 0."""

import sys

for line in sys.stdin:
    if ": " in line:
        counts = line.split(": ")[1].split()
        found = [f"{i}:{c}" for i, c in enumerate(counts) if c != "0"]
        print(" ".join([f"n {len(counts)} counts"] + found))
    else:
        print(line, end="")
