#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""options.py TOOL MAN README: the options of --help, of the man page (its
OPTIONS section, and those its synopsis names) and of the README agree: the
first two are equal, and the README names no other."""

import re
import subprocess
import sys

# LLVM's, about the help itself; for people who work on the tool.
NOT_DOCUMENTED = {"--help-list", "--help-hidden", "--help-list-hidden", "--statistics"}
OPTION = r"--?[a-z][a-z-]*"


def read(path):
    with open(path) as file:
        return file.read()


tool, man, readme = sys.argv[1], read(sys.argv[2]), read(sys.argv[3])
help_text = subprocess.run([tool, "--help"], check=True, capture_output=True, text=True).stdout
helped = set(re.findall(rf"^ +({OPTION})", help_text, re.M)) - NOT_DOCUMENTED
section = re.search(r"^# OPTIONS$(.*?)^# ", man, re.M | re.S).group(1)
documented = {option for line in section.splitlines() if line.startswith("*-") for option in re.findall(rf"\*({OPTION})\*", line)}
synopsis = set(re.findall(rf"\*({OPTION})\*", man.split("# DESCRIPTION")[0]))
table = {option for line in readme.splitlines() if line.startswith("| `-")
         for option in re.findall(rf"`({OPTION})", line.split("|")[1])}
wrong = [f"{option} is in {there} and not in {not_there}"
         for there, some, not_there, others in (
             ("--help", helped, "the man page", documented), ("the man page", documented, "--help", helped),
             ("the synopsis", synopsis, "the man page's OPTIONS", documented), ("README.md", table, "--help", helped))
         for option in sorted(some - others)]
if len(table) < 5 or len(documented) < 10:
    wrong.append("too few options found: has the form of the documents changed?")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
