#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Where kernels put their pages, with and without page_alloc.shuffle=1, against replays of another boot.

    bench/colour_boots.py --kernel OBJ [--out DIR] [--seeds N]

Boots a built kernel (x86-64, with DWARF, CONFIG_SHUFFLE_PAGE_ALLOCATOR) three times in QEMU under `trace record` with the same workload: twice as
it is, once with page_alloc.shuffle=1. Traces that are in DIR stay. Then replays the first boot.

  equal      allocations of a boot that got the page frame that the model of the stock allocator foretold
  overlap    common share of two distributions of pages over 64 runs of colours, at the end of the boots
  chi-square of two samples, 63 degrees of freedom, and its probability
  unevenness chi-square of one distribution against an even one. A shuffled boot is one draw: it is put among replays of the stock boot with
             shuffle and other seeds; rank: how many of these are less uneven"""

import json
import os
import subprocess
import sys
import tempfile

import kst_bench as kb
from trials import INIT, empty_disk

sys.path.insert(0, os.path.join(kb.ROOT, "passes", "kernel"))
sys.dont_write_bytecode = True
from kst_kernel import initramfs  # noqa: E402

RUNS = ["fork 50", "pipe 200", "tree 2 /tmp"]
BOOTS = {"stock": "", "again": "", "shuffle": "page_alloc.shuffle=1"}
CACHE = "64M"


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--kernel", required=True, metavar="OBJ", help="output directory of a finished build")
    p.add_argument("--out", default=None, metavar="DIR", help="where traces are kept")
    p.add_argument("--seeds", type=int, default=20, metavar="N")
    return p.parse_args()


def boot(args, words, trace):
    with tempfile.TemporaryDirectory() as scratch:
        initrd, disk, console = (os.path.join(scratch, name) for name in ("initrd", "disk", "console"))
        with open(initrd, "wb") as file:
            file.write(initramfs.archive("".join(f"/work/{run}\n" for run in RUNS), {}, INIT))
        empty_disk(disk)
        done = subprocess.run([args.tool, "trace", "record", "--kernel", args.kernel, "--initrd", initrd, "--disk", disk, "--append",
                               "rdinit=/init quiet " + words, "--context", "nmi", "--timeout", "1800", "--console", console, "--quiet", "-o", trace])
        if done.returncode:
            sys.exit("the recording failed:\n" + open(console, errors="replace").read()[-1500:])


def replay(args, trace, policy, *options):
    text = subprocess.run([args.tool, "colour", "replay", "--trace", trace, "--cache", CACHE, "--policy", policy, "--working-set", "0.25", "--json", "-",
                           *options], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return json.loads(text)["replay"]


def unevenness(pages, bins=64):
    sums = [sum(pages[i * len(pages) // bins:(i + 1) * len(pages) // bins]) for i in range(bins)]
    mean = sum(sums) / bins
    return sum((n - mean) ** 2 for n in sums) / mean


def main():
    args = arguments()
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.out or scratch
        os.makedirs(folder, exist_ok=True)
        traces = {name: os.path.join(folder, name + ".kstt") for name in BOOTS}
        for name, words in BOOTS.items():
            if not os.path.exists(traces[name]):
                boot(args, words, traces[name])
        print(f"cache {CACHE}, direct mapped; workload: {', '.join(RUNS)}\n")
        for name in BOOTS:
            got = replay(args, traces[name], "stock")
            fit, far = got["agreement"], got["policies"][0]["against_recorded"]
            print(f"{name}: {fit['equal'] / fit['allocations']:.2%} of {fit['allocations']} allocations equal; replay of its own requests without "
                  f"correction: overlap {far['overlap']:.1%}, chi-square {far['chi_square']:.0f} of {far['degrees']}, probability {far['probability']:.3g}")
        for other in ("again", "shuffle"):
            far = replay(args, traces["stock"], "stock", "--against", traces[other])["policies"][0]["against_other"]
            print(f"stock replay of the first boot against boot {other}: overlap {far['overlap']:.1%}, chi-square {far['chi_square']:.0f} of "
                  f"{far['degrees']}, probability {far['probability']:.3g}")
        draws, overlaps = [], []
        for seed in range(1, args.seeds + 1):
            got = replay(args, traces["stock"], "shuffle", "--seed", str(seed), "--against", traces["shuffle"])
            draws.append(unevenness(got["policies"][0]["pages"]))
            overlaps.append(got["policies"][0]["against_other"]["overlap"])
            recorded, plain = unevenness(got["other_pages"]), unevenness(got["recorded_pages"])
        draws.sort()
        print(f"\nunevenness of pages over colours: boot stock {plain:.0f}, boot shuffle {recorded:.0f}")
        print(f"{args.seeds} replays of boot stock with shuffle: {draws[0]:.0f} to {draws[-1]:.0f}, median {draws[len(draws) // 2]:.0f}; "
              f"rank of boot shuffle {sum(d < recorded for d in draws)}; overlap with it {min(overlaps):.1%} to {max(overlaps):.1%}")


if __name__ == "__main__":
    main()
