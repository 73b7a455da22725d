#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints a C source whose `#if` has 2^50 terms: a compiler is busy with it
for longer than any test waits."""

print("#define X0 1 +")
for level in range(1, 51):
    print(f"#define X{level} X{level - 1} X{level - 1}")
print("#if X50 1\n#endif\nint nothing;")
