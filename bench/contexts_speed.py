#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Time and memory of `contexts report` and `contexts replay` against reading the trace.

    bench/contexts_speed.py --binary VMLINUX TRACE...

bench/contexts_tiers.py --only again --scale 2 records a trace of 100 million events.

Reading is what kst-dev trace-read does: every event, in order, and nothing else; `replay` reads twice. Memory is the largest that the process
had for itself; a trace is mapped, and its pages are the file's. Seconds are CPU time, the least of --rounds. `pointers`: whether the trace
has stores of pointers. Exit status 1 if memory is more than 1 GB."""

import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import kst_bench as kb  # noqa: E402
from dprof_speed import run  # noqa: E402

MOST_MB = 1000


def main():
    p = kb.parser(__doc__)
    p.add_argument("traces", nargs="+", metavar="TRACE")
    p.add_argument("--binary", required=True, metavar="VMLINUX", help="of the kernel that ran")
    p.add_argument("--rounds", type=int, default=1)
    args = p.parse_args()
    dev, rows, most = kb.dev_tool(args.tool), [], 0
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "report.json")
        for trace in args.traces:
            events = int(subprocess.run([dev, "trace-read", trace], check=True, stdout=subprocess.PIPE, text=True).stdout)
            read = min(run([dev, "trace-read", trace])[0] for _ in range(args.rounds))
            for verb in ("report", "replay"):
                done = [run([args.tool, "contexts", verb, "--quiet", "--trace", trace, "--binary", args.binary, "--json", out]) for _ in range(args.rounds)]
                cpu, memory = min(seconds for seconds, _ in done), max(megabytes for _, megabytes in done)
                most = max(most, memory)
                if verb == "report":
                    with open(out) as file:
                        pointers = "yes" if json.load(file)["trace"]["pointers"] else "no"
                rows.append([os.path.basename(trace), verb, f"{events / 1e6:.1f}", pointers, f"{cpu:.0f}", f"{cpu / events * 1e9:.0f}", f"{cpu / read:.1f}",
                             f"{memory:.0f}"])
    kb.table(["trace", "verb", "M events", "pointers", "CPU s", "ns an event", "times reading", "MB"], rows)
    return 1 if most > MOST_MB else 0


if __name__ == "__main__":
    sys.exit(main())
