#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Time and memory of `colour replay` on many page events.

    bench/colour_speed.py [--events N] [--memory MIB] [--policy NAME[,NAME]]

Makes a trace of page requests by chance (kst-dev page-sample) and replays it: with the stock policy, then with all, or with those of --policy.
Seconds are of the wall; most memory is the largest resident size, without the pages of the trace, which is mapped."""

import os
import resource
import subprocess
import tempfile
import time

import kst_bench as kb

POLICIES = "stock", "stock,shuffle,colour-lists,colour-tree,emptiest-bin,random"


def most_memory(process):
    """MiB that a running process has of its own, at most."""
    most = 0
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as file:
                for line in file:
                    if line.startswith("RssAnon:"):
                        most = max(most, int(line.split()[1]))
        except OSError:
            pass
        time.sleep(0.05)
    return most / 2**10


def replay(tool, trace, policy):
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen([tool, "colour", "replay", "--trace", trace, "--cache", "256M", "--policy", policy, "--quiet"])
    most = most_memory(process)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall, cpu = time.monotonic() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{policy}: {wall:.0f} s, {cpu:.0f} s of CPU, at most {most:.0f} MiB", flush=True)
    if process.returncode:
        raise SystemExit(process.returncode)


def main():
    p = kb.parser(__doc__)
    p.add_argument("--events", type=int, default=100_000_000)
    p.add_argument("--memory", type=int, default=8192, metavar="MIB")
    p.add_argument("--policy", metavar="NAME[,NAME]")
    args = p.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        trace = os.path.join(scratch, "t.kstt")
        subprocess.run([kb.dev_tool(args.tool), "page-sample", "--events", str(args.events), "--memory", str(args.memory), "-o", trace], check=True)
        print(f"{args.events} page events, {os.path.getsize(trace) / 2**20:.0f} MiB, machine of {args.memory} MiB", flush=True)
        for policy in [args.policy] if args.policy else POLICIES:
            replay(args.tool, trace, policy)


if __name__ == "__main__":
    main()
