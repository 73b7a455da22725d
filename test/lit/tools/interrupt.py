#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""interrupt.py SIGNAL COMMAND...: runs COMMAND, sends it and its children the
signal (INT, as Control-C does, or TERM) once it has a child at work, and exits
as COMMAND does. INT@S: after S seconds, whether or not it has a child. 97 when a
child outlives it, 98 when it does not end."""

import os
import signal
import subprocess
import sys
import time

PATIENCE_S = 60


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as listing:
            return [int(child) for child in listing.read().split()]
    except FileNotFoundError:
        return []


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def wait_for(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


# Whoever ignores a signal passes that on; test runners do.
for wanted in (signal.SIGINT, signal.SIGTERM):
    signal.signal(wanted, signal.SIG_DFL)
process = subprocess.Popen(sys.argv[2:], start_new_session=True)
name, _, delay = sys.argv[1].partition("@")
if not delay:
    wait_for(lambda: children(process.pid) or process.poll() is not None)
time.sleep(float(delay or 0.5))
workers = children(process.pid)
os.killpg(process.pid, getattr(signal, "SIG" + name))
if not wait_for(lambda: process.poll() is not None):
    os.killpg(process.pid, signal.SIGKILL)
    sys.exit(98)
if not wait_for(lambda: not any(map(alive, workers))):
    sys.exit(97)
sys.exit(process.returncode if process.returncode >= 0 else 128 - process.returncode)
