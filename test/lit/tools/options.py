#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""options.py TOOL MAN README: the commands and options of --help, of the man page (its
OPTIONS section, and those its synopsis names) and of the README agree: the
first two are equal, and the README names no other. The help of the tool and of
each command fits a screen."""

import re
import subprocess
import sys

# For people who work on the tool.
NOT_DOCUMENTED = {"--help-list", "--help-list-hidden", "--print-options", "--print-all-options", "--statistics"}
OPTION = r"--?[a-z][a-z-]*"
SCREEN = 40


def read(path):
    with open(path) as file:
        return file.read()


def told(*words):
    return subprocess.run([tool, *words], check=True, capture_output=True, text=True).stdout


tool, man, readme = sys.argv[1], read(sys.argv[2]), read(sys.argv[3])
overview = told("--help")
listed = re.findall(r"^  ([a-z]+(?: [a-z]+)?)  +[A-Z]", overview, re.M)
synopsis = man.split("# DESCRIPTION")[0]
named = [" ".join(re.findall(r"[a-z]+", words)) for words in re.findall(r"^\*kstatic-affinity\* \[?((?:\*[a-z]+\*[ \]]*)+)", synopsis, re.M)]
wrong = [] if listed == named and len(listed) > 4 else [f"--help lists the commands {listed}, the synopsis {named}"]
helped = {"--version"} if "--version" in overview else set()
for command in listed:
    helped.update(re.findall(rf"^ +({OPTION})", told(*command.split(), "--help-hidden"), re.M))
    lines = told(*command.split(), "--help").count("\n")
    if lines > SCREEN:
        wrong.append(f"{command} --help has {lines} lines")
if overview.count("\n") > SCREEN:
    wrong.append("--help does not fit a screen")
helped -= NOT_DOCUMENTED
section = re.search(r"^# OPTIONS$(.*?)^# ", man, re.M | re.S).group(1)
documented = {option for line in section.splitlines() if line.startswith("*-") for option in re.findall(rf"\*({OPTION})\*", line)}
synopsis = set(re.findall(rf"\*({OPTION})\*", synopsis))
table = {option for line in readme.splitlines() if line.startswith("| `-")
         for option in re.findall(rf"`({OPTION})", line.split("|")[1])}
wrong += [f"{option} is in {there} and not in {not_there}"
          for there, some, not_there, others in (
              ("--help", helped, "the man page", documented), ("the man page", documented, "--help", helped),
              ("the synopsis", synopsis, "the man page's OPTIONS", documented), ("README.md", table, "--help", helped))
          for option in sorted(some - others)]
if len(table) < 5 or len(documented) < 10:
    wrong.append("too few options found: has the form of the documents changed?")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
