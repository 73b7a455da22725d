#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the jobs of `kstatic-affinity index --dask` on a Dask cluster.

dask-driver.py SCHEDULER PROGRAM [OPTION...]: jobs are on standard input, each behind its
size (u64); PROGRAM index --work makes a part of each on some worker, and
--join makes one of several parts there. Tasks go by what they are made of, so
that a scheduler which has one already does not run it again; tasks of a worker
that is lost run elsewhere. To standard output, each a letter and a u64: P, jobs
done; R, size of the answer, and the answer; E, size of a message, and it."""

import hashlib
import logging
import os
import struct
import subprocess
import sys

# Parts that one task joins: few, so that no worker needs all of them at once.
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
    """On a worker. Program: the tool and options for it."""
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


def name_of(mode, things):
    digest = hashlib.sha256()
    for thing in things:
        digest.update(struct.pack("<Q", len(thing)) + thing)
    return f"kst-index{mode}-{digest.hexdigest()}"


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
        keys = [name_of("--work", [" ".join(program).encode(), job]) for job in jobs]
        # One process for each core of the worker: a job keeps all that it has.
        tasks = [client.submit(run, program, "--work", job, key=key, retries=3, pure=True) for job, key in zip(jobs, keys)]
        parts = list(tasks)
        while len(parts) > 1:
            groups = [range(i, min(i + FAN, len(parts))) for i in range(0, len(parts), FAN)]
            keys = [name_of("--join", [keys[i].encode() for i in group]) for group in groups]
            parts = [client.submit(run, program, "--join", *(parts[i] for i in group), key=key, retries=3, pure=True)
                     for group, key in zip(groups, keys)]
        say(b"P", 0)
        for done, _ in enumerate(as_completed(tasks), 1):
            say(b"P", done)
        answer = parts[0].result()
    except Exception as why:  # whatever a worker or the cluster may raise
        fail(str(why))
    say(b"R", len(answer), answer)
    client.close()


if __name__ == "__main__":
    main()
