#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""one_failed.py REPORT.json FILE REASON: passes if, of the three units of the
report, exactly FILE failed, for a reason that the regular expression REASON
matches from its beginning, and the other two gave all their 16 accesses."""

import json
import re
import sys

report, file, reason = sys.argv[1:]
with open(report) as text:
    coverage = json.load(text)["coverage"]
units = coverage["translation_units"]
failed = [unit["file"] for unit in units["failed"]]
if (units["selected"], units["parsed"], failed) != (3, 2, [file]) or coverage["accesses"]["resolved"] != 16:
    sys.exit(f"not two good units and {file}: {json.dumps(coverage)}")
if not re.match(reason, units["failed"][0]["reason"]):
    sys.exit(f"{file} failed for another reason: {units['failed'][0]['reason']}")
