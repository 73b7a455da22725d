#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""C code that a compiler takes only if a report's offsets are its own:
offsets.py REPORT current|proposed STRUCT HEADER. With 'proposed' of a report
that proposes nothing it is the current layout."""

import json
import re
import sys

report, which, struct, header = sys.argv[1:]
with open(report) as file:
    layouts = json.load(file)["layouts"]
layout = layouts.get(which) or layouts["current"]
print(f'#include "{header}"')
for name, offset in zip(layout["order"], layout["offsets"]):
    if re.fullmatch(r"[A-Za-z_]\w*", name):
        print(f'_Static_assert(__builtin_offsetof(struct {struct}, {name}) == {int(offset)}, "{name}");')
print(f'_Static_assert(sizeof(struct {struct}) == {layout["size"]}, "size");')
