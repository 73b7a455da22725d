# SPDX-License-Identifier: GPL-2.0-or-later
"""Lines counted instead of timed, for hardware.py, with valgrind.

loaded(): what one thread brings into an empty cache, by cachegrind.

Transfers: a trace of both roles in turn (lackey), in fields rather than
addresses, so that one trace serves every order; then two caches without limits
and one copy to write to, as in any invalidation protocol. A transfer is a line
that a CPU has lost and needs again, or has in common with the other and writes
to. It is *true* if the order of the fields cannot help it: before the line is
taken from it again, the CPU uses something that the other wrote in the meantime
(Dubois and others, ISCA'93), or writes something that the other has used since
the last write. All others are *false* sharing. First touches are not counted.
An event and a scan do not overlap here, which on two CPUs they do: a lower
limit."""

import re
import subprocess
import tempfile

LINE = 64
WORKER, SCANNER = 0, 1


def loaded(program, thread, lanes, units):
    """D1 misses per unit in a 32 KiB, 8-way cache. Two runs of different length:
    the difference leaves out start and end."""
    misses = []
    for count in units:
        with tempfile.NamedTemporaryFile() as out:
            subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", f"--D1=32768,8,{LINE}",
                            f"--LL=33554432,16,{LINE}", f"--cachegrind-out-file={out.name}", program, thread, str(lanes),
                            str(count), str(count), "0", "0"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            with open(out.name) as file:
                text = file.read()
        names = re.search(r"^events: (.*)", text, re.M).group(1).split()
        totals = dict(zip(names, map(int, re.search(r"^summary: (.*)", text, re.M).group(1).split())))
        misses.append(totals["D1mr"] + totals["D1mw"])
    # A run does an eighth more than its share, to warm up.
    return (misses[1] - misses[0]) / ((units[1] - units[0]) * 9 / 8)


def trace(program, lanes, events, scans, layout, array):
    """(role, lane, field, byte in the field, is it a write) of each access to
    the array, from the first turn on. The program has fixed addresses."""
    symbols = {}
    for line in subprocess.run(["nm", program], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
        address, _, name = line.rpartition(" ")
        if name in (array, "at_worker", "at_scanner"):
            symbols[name] = int(address.split()[0], 16)
    size = layout["size"]
    field_at = [None] * size
    for number, (offset, length) in enumerate(zip(layout["offsets"], layout["sizes"])):
        for byte in range(length):
            field_at[offset + byte] = (number, byte)
    first, end = symbols[array], symbols[array] + lanes * size
    turns = {symbols["at_worker"]: WORKER, symbols["at_scanner"]: SCANNER}
    process = subprocess.Popen(["valgrind", "--tool=lackey", "--trace-mem=yes", "--log-fd=1", program, "turns", str(lanes),
                                str(events), str(scans), "0", "1"], stdout=subprocess.PIPE, text=True)
    role, found = None, []
    for line in process.stdout:
        if line[0] != " " or line[1] not in "LSM":
            continue
        address = int(line[3:line.index(",")], 16)
        if first <= address < end:
            if role is not None:
                lane, byte = divmod(address - first, size)
                found.append((role, lane, *field_at[byte], line[1] != "L"))
        elif address in turns:
            role = turns[address]
    if process.wait():
        raise RuntimeError("lackey failed")
    return found


class Line:
    """One line, seen from both CPUs. A transfer brings a copy, the right to
    write, or both; nothing may yet have shown that it was needed."""
    __slots__ = ("held", "lost", "copy_unclear", "right_unclear", "one_transfer")

    def __init__(self):
        self.held = [False, False]
        self.lost = [-1, -1]  # when; -1: never held
        self.copy_unclear = [False, False]
        self.right_unclear = [False, False]
        self.one_transfer = [False, False]  # both came at once


def transfers(accesses, offsets, warm_up=0.1):
    """[role] -> (all, true) transfers, after a part of the trace to warm up.

    One CPU writes field 0, the other reads field 1: on one line, and apart. Then
    both use field 0.

    >>> apart = [(WORKER, 0, 0, 0, True), (SCANNER, 0, 1, 0, False)] * 10
    >>> transfers(apart, [0, 8], 0)
    [(9, 0), (9, 0)]
    >>> transfers(apart, [0, 64], 0)
    [(0, 0), (0, 0)]
    >>> transfers([(WORKER, 0, 0, 0, True), (SCANNER, 0, 0, 0, False)] * 10, [0, 8], 0)
    [(9, 9), (9, 9)]

    The reader needs field 0 every fifth time only: its line moves each time.

    >>> sometimes = [(WORKER, 0, 0, 0, True), (SCANNER, 0, 1, 0, False)] * 4 + [(SCANNER, 0, 0, 0, False)]
    >>> transfers(sometimes * 10, [0, 8], 0)
    [(39, 9), (39, 10)]

    A line that moves for a good reason may carry other fields along.

    >>> carried = [(WORKER, 0, 1, 0, True), (WORKER, 0, 0, 0, True), (SCANNER, 0, 0, 0, False)] * 10
    >>> transfers(carried, [0, 8], 0)
    [(9, 9), (9, 9)]

    Both write, each its own field: nothing but false sharing.

    >>> transfers([(WORKER, 0, 0, 0, True), (SCANNER, 0, 1, 0, True)] * 10, [0, 8], 0)
    [(9, 0), (9, 0)]
    """
    lines, written, used = {}, {}, {}
    every, true = [0, 0], [0, 0]
    start = int(len(accesses) * warm_up)
    for now, (role, lane, field, byte, write) in enumerate(accesses):
        other = 1 - role
        line = lines.setdefault((lane, (offsets[field] + byte) // LINE), Line())
        word = (lane, field)
        last_written = written.setdefault(word, [-1, -1])
        last_used = used.setdefault(word, [-1, -1])
        count = now >= start
        if not line.held[role]:
            if line.lost[role] >= 0:
                every[role] += count
                line.copy_unclear[role] = True
                line.right_unclear[role] = line.one_transfer[role] = write
            line.held[role] = True
        elif write and line.held[other]:
            every[role] += count
            line.right_unclear[role], line.one_transfer[role] = True, False
        new_to_me = line.copy_unclear[role] and last_written[other] >= line.lost[role]
        known_to_other = write and line.right_unclear[role] and last_used[other] > last_written[role]
        if new_to_me or known_to_other:
            together = line.one_transfer[role]
            true[role] += count * (1 if together else new_to_me + known_to_other)
            line.copy_unclear[role] &= not (new_to_me or together)
            line.right_unclear[role] &= not (known_to_other or together)
        if line.held[other]:  # it must share its right, or loses the line
            line.right_unclear[other] = line.one_transfer[other] = False
            if write:
                line.held[other], line.lost[other], line.copy_unclear[other] = False, now, False
        if write:
            last_written[role] = now
        last_used[role] = now
    return list(zip(every, true))
