# SPDX-License-Identifier: GPL-2.0-or-later
"""isolation_objects.py DIR NEW: three objects and a linker script in DIR, and a
grown one in NEW."""

import os
import subprocess
import sys


def build(path, name, size):
    text = f""".text
.balign 16
.globl {name}
.type {name}, @function
{name}: .skip {size}, 0x90
.size {name}, {size}
.data
.balign 8
.globl {name}_data
.type {name}_data, @object
{name}_data: .quad 1
.size {name}_data, 8
"""
    subprocess.run(["as", "-o", path, "-"], input=text, text=True, check=True)


def main():
    folder, new = sys.argv[1:]
    for name, size in (("a", 20), ("b", 33), ("c", 1)):
        build(os.path.join(folder, name + ".o"), name, size)
    build(os.path.join(new, "a.o"), "a", 70)
    with open(os.path.join(folder, "script"), "w") as file:
        file.write("SECTIONS { . = 0x100000; .text : { first = .; *(.text) } . = ALIGN(0x1000);"
                   " .data : { *(.data) } . = ALIGN(64); end = .; /DISCARD/ : { *(.note*) } }\n")


main()
