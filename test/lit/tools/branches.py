# SPDX-License-Identifier: GPL-2.0-or-later
"""Every taken branch of a program, as perf prints branch stacks: branches.py OBJDUMP PROGRAM [ARGUMENT...]

The program, static and linked at fixed addresses, is run step by step. All branches are one sample, so that
`llvm-profgen --perfscript` counts what runs between two of them, and the branches, once each."""

import ctypes
import os
import re
import signal
import subprocess
import sys

TRACEME, PEEKUSER, STEP = 0, 3, 9
RIP = 16 * 8  # in struct user_regs_struct, x86-64

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.restype = ctypes.c_long
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def instructions(program, objdump):
    """{address: address of the next one} of the program's text."""
    out = subprocess.run([objdump, "-d", "--no-show-raw-insn", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    at = [int(word, 16) for word in re.findall(r"^ *([0-9a-f]+):", out, re.M)]
    return dict(zip(at, at[1:]))


def steps(command):
    """The address of each instruction that runs."""
    child = os.fork()
    if not child:
        libc.ptrace(TRACEME, 0, None, None)
        os.execv(command[0], command)
    while True:
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            return
        if not os.WIFSTOPPED(status) or os.WSTOPSIG(status) != signal.SIGTRAP:
            sys.exit(f"{command[0]}: wait status {status:#x}")
        yield libc.ptrace(PEEKUSER, child, RIP, None)
        libc.ptrace(STEP, child, None, None)


def main():
    objdump, program = sys.argv[1], os.path.abspath(sys.argv[2])
    following = instructions(program, objdump)
    first, last = min(following), max(following)
    print(f"PERF_RECORD_MMAP2 1/1: [0x{first & ~0xfff:x}(0x{(last | 0xfff) + 1 - (first & ~0xfff):x}) @ 0x1000 00:1d 1 1]: r-xp {program}")
    before, stack = None, []
    for at in steps([program, *sys.argv[3:]]):
        if before is not None and following.get(before) != at:
            stack.insert(0, f"0x{before:x}/0x{at:x}/P/-/-/0")
        before = at
    print(f" {before:x}", *stack)


main()
