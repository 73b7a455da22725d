#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How long `isolation plan` takes on a link of many objects, from the files to
the report:

  isolation_speed.py --tool kstatic-affinity --scratch DIR [--objects 50000] [--linker ld.lld-19]

The objects are copies of some that `as` made, of different sizes; how often
each changes is random."""

import argparse
import os
import random
import resource
import shutil
import subprocess
import time

SHAPES = 64


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--objects", type=int, default=50000)
    parser.add_argument("--linker", default="ld.lld-19")
    args = parser.parse_args()
    rand = random.Random(1)
    folder = os.path.abspath(args.scratch)
    os.makedirs(folder, exist_ok=True)
    for shape in range(SHAPES):
        subprocess.run(["as", "-o", f"shape{shape}.o", "-"], cwd=folder, check=True, text=True,
                       input=f".text\n.balign 16\n.type f, @function\nf: .skip {rand.randrange(1, 4000)}, 0x90\n.size f, . - f\n")
    names = [f"o{number}.o" for number in range(args.objects)]
    for name in names:
        shutil.copyfile(os.path.join(folder, f"shape{rand.randrange(SHAPES)}.o"), os.path.join(folder, name))
    with open(os.path.join(folder, "names"), "w") as file:
        file.write("\n".join(names))
    subprocess.run([args.linker, "-Map=image.map", "-e", "0", "-o", "image", "@names"], cwd=folder, check=True)
    with open(os.path.join(folder, "churn"), "w") as file:
        for name in names:
            file.write((name[:-2] + ".c\n") * rand.randrange(0, 4))
    print(f"{len(names)} objects\n\n| cuts | seconds | CPU seconds |\n|---:|---:|---:|")
    for cuts in (32, 128):
        began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([os.path.abspath(args.tool), "isolation", "plan", "image", "-k", str(cuts), "--heat", "none", "--churn", "churn", "--json", "plan.json"],
                       cwd=folder, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"| {cuts} | {time.monotonic() - began:.2f} | {after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.2f} |", flush=True)


if __name__ == "__main__":
    main()
