#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes DIR/compile_commands.json: commands.py DIR ENTRY...

An ENTRY is "FILE [FLAG...]", words as in a shell, and becomes the
"arguments" of one command. With "sh:" in front, everything behind the file's
name goes into "command" as it is, for a shell to see."""

import json
import os
import shlex
import sys


def entry(directory, text):
    made = {"directory": directory}
    if text.startswith("sh:"):
        made["file"], _, rest = text[3:].partition(" ")
        made["command"] = f"clang -c {made['file']} {rest}"
    else:
        made["file"], *flags = shlex.split(text)
        made["arguments"] = ["clang", *flags, "-c", made["file"]]
    return made


directory = os.path.abspath(sys.argv[1])
with open(os.path.join(directory, "compile_commands.json"), "w") as database:
    json.dump([entry(directory, text) for text in sys.argv[2:]], database, indent=1)
