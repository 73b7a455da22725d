#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What more effort of the search brings, on the published problems of the kernel (bench/instances/README.md).

    bench/effort.py [--steps N]... [--every K]

`kst-dev solve` with so many elementary steps (Optimise.h); the first is what others are compared with. Printed: the mean and the largest change
of the cost of the order and of the certified bound, and CPU seconds. Every K-th problem, in the order of the file."""

import json
import lzma
import math
import os
import subprocess
import tempfile

import kst_bench as kb

STEPS = [50_000_000, 12_500_000, 25_000_000, 100_000_000, 200_000_000]


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--steps", type=int, action="append", metavar="N")
    p.add_argument("--every", type=int, default=1, metavar="K")
    return p.parse_args()


def answers(tool, problems, steps):
    done = subprocess.run([tool, "solve", "--quiet", "--no-baselines", f"--steps={steps}", problems], stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def change(of, base):
    """Mean and largest |log| of the ratios, as shares; what is 0 in both does not count."""
    logs = [math.log(a / b) for a, b in zip(of, base) if a > 0 and b > 0]
    most = max(logs, key=abs, default=0.0)
    return f"{100 * math.expm1(sum(logs) / max(1, len(logs))):+.2f} %", f"{100 * math.expm1(most):+.1f} %"


def main():
    args = arguments()
    with lzma.open(os.path.join(kb.ROOT, "bench", "instances", "kernel.jsonl.xz"), "rt", encoding="utf-8") as file:
        lines = file.readlines()[:: args.every]
    rows, base = [], None
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as problems:
        problems.writelines(lines)
        problems.flush()
        for steps in args.steps or STEPS:
            found = answers(kb.dev_tool(args.tool), problems.name, steps)
            costs, bounds = [a["cost"]["total"] for a in found], [a["lower_bound"] for a in found]
            base = base or (costs, bounds)
            seconds = [a["cpu_seconds"] for a in found]
            rows.append([f"{steps / 1e6:g}", *change(costs, base[0]), *change(bounds, base[1]), f"{sum(seconds) / len(seconds):.2f}", f"{max(seconds):.2f}"])
    print(f"{len(lines)} problems\n")
    kb.table(["million steps", "cost: mean", "most", "bound: mean", "most", "CPU s: mean", "most"], rows)


if __name__ == "__main__":
    main()
