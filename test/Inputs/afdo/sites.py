# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints a profile of functions and lines by its documented bytes: sites.py FILE."""

import os
import sys

from counts import Counts

counts = Counts(sys.argv[1])
rows = [("entry", *where, counts.at[where], times) for where, times in counts.entries.items()]
rows += [("line", *where, line, times) for where, runs in counts.lines.items() for line, times in runs.items()]
for kind, file, function, line, times in sorted(rows, key=lambda row: (row[0], os.path.basename(row[1]), *row[2:])):
    print(kind, os.path.basename(file), function, line, times)
