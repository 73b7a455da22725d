#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes DIR/compile_commands.json with one "command" as it is, of one file:
command.py DIR FILE LINE."""

import json
import os
import sys

directory, name, line = sys.argv[1:]
directory = os.path.abspath(directory)
with open(os.path.join(directory, "compile_commands.json"), "w") as database:
    json.dump([{"directory": directory, "file": name, "command": line}], database)
