# SPDX-License-Identifier: GPL-2.0-or-later
"""isolation_globals.py DIR: g.o with two globals on a line and who uses them, m.ko
with the same as a kernel module has it, and a linker script."""

import os
import subprocess
import sys

TEXT = """.text
.globl writer
.type writer, @function
writer: incq count(%rip)
ret
.size writer, . - writer
.globl reader
.type reader, @function
reader: movq limit(%rip), %rax
ret
.size reader, . - reader
.globl linux_banner
linux_banner:
.data
.balign 64
.globl count
.type count, @object
count: .quad 1
.size count, 8
.globl limit
.type limit, @object
limit: .quad 2
.size limit, 8
"""
MODULE = """.section .gnu.linkonce.this_module, "aw"
.quad 0
"""


def main():
    folder = sys.argv[1]
    for name, text in (("g.o", TEXT), ("m.ko", TEXT + MODULE)):
        subprocess.run(["as", "-o", os.path.join(folder, name), "-"], input=text, text=True, check=True)
    with open(os.path.join(folder, "script"), "w") as file:
        file.write("SECTIONS { . = 0x100000; .text : { *(.text) } . = ALIGN(0x1000); .data : { *(.data) } /DISCARD/ : { *(.note*) } }\n")


main()
