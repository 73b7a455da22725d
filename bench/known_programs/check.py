# SPDX-License-Identifier: GPL-2.0-or-later
"""What a check of the attribution bench is."""

from collections import namedtuple

# One thing that the check knows about the program. Groups: what it is counted
# under, one for each of the check's tables. Words: what is wrong, or "". Known:
# the limit of the tool, stated in docs/design, that makes it wrong, or "".
Row = namedtuple("Row", "groups words known", defaults=[""])

# One run of the tool: about which struct, with which further options.
Question = namedtuple("Question", "struct options")


class Check:
    """Adds code of which it knows the truth to a program, and compares the tool's report with it."""

    # Title of each table that is printed, in the order of Row.groups.
    tables = []

    def add(self, program):
        """Adds code to a Program. Called once, before judge()."""
        raise NotImplementedError

    def questions(self):
        """What the tool is asked, after add()."""
        return [Question("s", [])]

    def judge(self, reports):
        """Yields a Row for each thing known about the program; reports are the tool's JSON for each question."""
        raise NotImplementedError
