# SPDX-License-Identifier: GPL-2.0-or-later
"""What a check of the attribution bench is."""

from collections import namedtuple

# One thing that the check knows about the program. Groups: what it is counted
# under, one for each of the check's tables. Words: what is wrong, or "".
Row = namedtuple("Row", "groups words")


class Check:
    """Adds code of which it knows the truth to a program, and compares the tool's report with it."""

    # Title of each table that is printed, in the order of Row.groups.
    tables = []

    def add(self, program):
        """Adds code to a Program. Called once, before judge()."""
        raise NotImplementedError

    def judge(self, report):
        """Yields a Row for each thing known about the program; report is the tool's JSON."""
        raise NotImplementedError
