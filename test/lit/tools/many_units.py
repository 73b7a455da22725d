#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""many_units.py N: N units in the working directory that share a header; each has a struct of its own."""

import sys

with open("shared.h", "w") as file:
    file.write("struct shared {\n" + "".join(f"int f{i};\n" for i in range(20)) + "};\n"
               "static inline int sum(struct shared *s) { return s->f0 + s->f7 + s->f19; }\n")
for i in range(int(sys.argv[1])):
    with open(f"unit{i:04}.c", "w") as file:
        file.write(f'#include "shared.h"\nstruct own{i} {{\nint x;\nint y; }};\n'
                   f"int use{i}(struct shared *s, struct own{i} *o) {{ s->f{i % 20} = o->x; return sum(s) + o->y; }}\n")
