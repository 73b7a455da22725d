#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""record_command.py FILE COMPILER [WORD...]: runs the compiler; a line of FILE for each source file that it compiles to an object, as
an entry of compile_commands.json. For builds that only make knows (bench/stranger_builds.py)."""

import json
import os
import sys


def main():
    noted, words = sys.argv[1], sys.argv[2:]
    sources = [word for word in words[1:] if word.endswith((".c", ".cc", ".cpp", ".cxx"))]
    output = words[words.index("-o") + 1] if "-o" in words else ""
    if "-c" in words and "conftest" not in " ".join(sources):
        with open(noted, "a") as file:  # one write: lines of parallel compilers do not mix
            file.write("".join(json.dumps({"directory": os.getcwd(), "file": source, "arguments": words,
                                           "output": output or os.path.splitext(os.path.basename(source))[0] + ".o"}) + "\n"
                               for source in sources))
    os.execvp(words[0], words)


if __name__ == "__main__":
    main()
