#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the jobs of `kstatic-affinity index --dask` on a Dask cluster.

dask-driver.py SCHEDULER PROGRAM [OPTION...]: jobs are on standard input, each behind its
size (u64); PROGRAM index --work makes a part of each on some worker. A part is
fetched as soon as it is made, so that a worker that is lost costs what it was
at and no more; PROGRAM index --join makes one of several parts here, meanwhile.
Tasks go by what they are made of: jobs that are equal run once. To standard output, each a letter and a u64: P, jobs
done; R, size of the answer, and the answer; E, size of a message, and it."""

import hashlib
import logging
import os
import struct
import subprocess
import sys

# Parts that are joined at once: few, so that not all of them are needed at once.
FAN = 8
SYSTEM = "/usr/bin/python3"


def say(kind, number, body=b""):
    sys.stdout.buffer.write(kind + struct.pack("<Q", number) + body)
    sys.stdout.buffer.flush()


def fail(text):
    body = text.encode(errors="replace")
    say(b"E", len(body), body)
    sys.exit(1)


def framed(parts):
    return b"".join(struct.pack("<Q", len(part)) + part for part in parts)


def run(program, mode, *inputs):
    """Program: the tool and options for it."""
    body = inputs[0] if mode == "--work" else framed(inputs)
    ended = subprocess.run([program[0], "index", mode, *program[1:]], input=body, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if ended.returncode:
        said = ended.stderr.decode(errors="replace").strip() or f"exit status {ended.returncode}"
        raise RuntimeError(f"{program[0]} index {mode}: {said}")
    return ended.stdout


def read_jobs():
    jobs = []
    while head := sys.stdin.buffer.read(8):
        jobs.append(sys.stdin.buffer.read(struct.unpack("<Q", head)[0]))
    return jobs


def name_of(program, job):
    return f"kst-index-{hashlib.sha256(framed([' '.join(program).encode(), job])).hexdigest()}"


class Tree:
    """Joins parts FAN by FAN, in their order, as soon as neighbours are there."""

    def __init__(self, program, leaves):
        self.program, self.levels = program, [{}]
        self.sizes = [leaves]
        while self.sizes[-1] > 1:
            self.sizes.append(-(-self.sizes[-1] // FAN))
            self.levels.append({})

    def add(self, number, part, level=0):
        self.levels[level][number] = part
        first = number - number % FAN
        group = range(first, min(first + FAN, self.sizes[level]))
        if level + 1 < len(self.levels) and all(i in self.levels[level] for i in group):
            joined = run(self.program, "--join", *(self.levels[level].pop(i) for i in group))
            self.add(first // FAN, joined, level + 1)

    def root(self):
        return self.levels[-1][0]


def main():
    scheduler, *program = sys.argv[1:]
    try:
        from distributed import Client, as_completed
    except ImportError:
        # Debian's packages are those of its own interpreter.
        if os.path.exists(SYSTEM) and not os.path.samefile(sys.executable, SYSTEM):
            os.execv(SYSTEM, [SYSTEM, *sys.argv])
        fail("needs Debian's python3-distributed")
    logging.getLogger("distributed").setLevel(logging.ERROR)
    jobs = read_jobs()
    try:
        client = Client(scheduler, timeout="20s")
    except (OSError, TimeoutError, ValueError) as why:
        fail(f"no scheduler answers there: {why}")
    try:
        # One process for each core of the worker: a job keeps all that it has.
        places = {}
        for place, job in enumerate(jobs):
            places.setdefault(job, []).append(place)
        tasks = {client.submit(run, program, "--work", job, key=name_of(program, job), retries=3, pure=True): where for job, where in places.items()}
        tree = Tree(program, len(jobs))
        say(b"P", 0)
        done = 0
        for task in as_completed(tasks):
            part = task.result()
            for place in tasks[task]:
                tree.add(place, part)
            task.release()
            done += len(tasks[task])
            say(b"P", done)
        answer = tree.root()
    except Exception as why:  # whatever a worker or the cluster may raise
        fail(str(why))
    say(b"R", len(answer), answer)
    client.close()


if __name__ == "__main__":
    main()
