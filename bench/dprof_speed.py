#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Time and memory of `kstatic-affinity dprof` against reading the trace, on traces
made by chance (kst-dev trace-sample) and on those that are given.

Reading is what kst-dev trace-read does: every event, in order, and nothing else.
Memory is the largest that the process had for itself; a trace is mapped, and its
pages are the file's. Seconds are CPU time, the least of --rounds."""

import os
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import kst_bench as kb  # noqa: E402


def run(command):
    """CPU seconds, and the largest anonymous memory in MB that was seen."""
    before = os.times()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    most = 0
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as file:
                found = re.search(r"^RssAnon:\s+(\d+) kB", file.read(), re.M)
            most = max(most, int(found.group(1)) if found else 0)
        except OSError:
            pass
        time.sleep(0.02)
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed")
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system, most / 1024


def main():
    p = kb.parser(__doc__)
    p.add_argument("traces", nargs="*", help="traces besides those made by chance")
    p.add_argument("--events", default="5000000,50000000", help="events of the traces made by chance (default: %(default)s)")
    p.add_argument("--rounds", type=int, default=3)
    args = p.parse_args()
    dev = kb.dev_tool(args.tool)
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        made = []
        for events in args.events.split(",") if args.events else ():
            made.append(os.path.join(scratch, f"sample-{events}.kstt"))
            subprocess.run([dev, "trace-sample", "--events", events, "-o", made[-1]], check=True)
        for trace in made + args.traces:
            events = int(subprocess.run([dev, "trace-read", trace], check=True, stdout=subprocess.PIPE, text=True).stdout)
            read = min(run([dev, "trace-read", trace])[0] for _ in range(args.rounds))
            report = os.path.join(scratch, "report.json")
            done = [run([args.tool, "dprof", "--quiet", "--trace", trace, "--json", report]) for _ in range(args.rounds)]
            cpu = min(seconds for seconds, _ in done)
            rows.append([os.path.basename(trace), f"{events / 1e6:.1f}", f"{read / events * 1e9:.1f}", f"{cpu / events * 1e9:.1f}",
                         f"{cpu / read:.1f}", f"{max(memory for _, memory in done):.0f}"])
    print(f"{'trace':24} {'M events':>9} {'ns to read':>11} {'ns of dprof':>12} {'ratio':>6} {'MB':>5}")
    for name, *numbers in rows:
        print(f"{name:24} {numbers[0]:>9} {numbers[1]:>11} {numbers[2]:>12} {numbers[3]:>6} {numbers[4]:>5}")


if __name__ == "__main__":
    main()
