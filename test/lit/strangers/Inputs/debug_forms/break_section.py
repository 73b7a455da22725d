# SPDX-License-Identifier: GPL-2.0-or-later
#
# break_section.py FILE SECTION: overwrites the end of a section.

import re
import subprocess
import sys

File, Section = sys.argv[1:]
Text = subprocess.run(["readelf", "-SW", File], check=True, capture_output=True, text=True).stdout
Offset, Size = (int(X, 16) for X in re.search(re.escape(Section) + r" +\S+ +\S+ +(\S+) +(\S+)", Text).groups())
with open(File, "r+b") as Out:
    Out.seek(Offset + 24)
    Out.write(b"\xff" * (Size - 24))
