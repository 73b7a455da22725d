#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""untouched.py DIR COMMAND...: runs COMMAND, and fails with 99 when anything
below DIR is other than before. Otherwise exits as COMMAND does.

Compared are names, types, sizes, times of change and link targets, so that a
file that was written and put back is seen, too. The home directory and the
directory for temporary files of COMMAND lie below DIR. A command that takes
longer than five minutes is a hang: 98."""

import os
import subprocess
import sys


def snapshot(top):
    seen = {}
    for folder, folders, files in os.walk(top):
        for name in [".", *folders, *files]:
            path = os.path.join(folder, name)
            state = os.lstat(path)
            seen[path] = (state.st_mode, state.st_ino, state.st_mtime_ns, state.st_size)
    return seen


top, command = os.path.abspath(sys.argv[1]), sys.argv[2:]
environment = dict(os.environ, HOME=top, TMPDIR=top, TMP=top, TEMP=top, XDG_CACHE_HOME=os.path.join(top, "no-such", "cache"))
before = snapshot(top)
try:
    status = subprocess.run(command, env=environment, timeout=300).returncode
except subprocess.TimeoutExpired:
    sys.exit(98)
after = snapshot(top)
for path in sorted(before.keys() | after.keys()):
    if before.get(path) != after.get(path):
        print(f"untouched: {path}: was {before.get(path)}, is {after.get(path)}", file=sys.stderr)
        status = 99
sys.exit(status)
