#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Where kernels put their pages, with and without page_alloc.shuffle=1, against replays of another boot.

    bench/colour_boots.py --kernel OBJ [--out DIR] [--boots N] [--shuffled N] [--seeds N]

Boots a built kernel (x86-64, with DWARF, CONFIG_SHUFFLE_PAGE_ALLOCATOR) in QEMU under `trace record` with the same workload: some times as it is, some
with page_alloc.shuffle=1. Traces that are in DIR stay. All replays are of boots without shuffle: of each one with the stock policy, and in turn with
shuffle, each with a seed of its own.

  equal      allocations of a boot that got the page frame that the model of the stock allocator foretold from what the kernel did before; `without
             correction`: that got it in a replay that knows the start and the requests only
  overlap    common share of two distributions of pages over 64 runs of colours, at the end of the boots
  chi-square of two samples, and its probability. Pages of one block are not independent: also two boots of one kind are told apart by it

A shuffled boot is one draw of many: which blocks of 4 MiB come first is chance. So kinds are compared, not single boots: mean overlap of a replay
and a boot beside that of two boots. Were replays and boots of one kind, the two would be equal but for chance; `distance` is twice the mean of
1 - overlap across the kinds less its means within each (energy distance), its probability the share of all ways (or 20,000 by chance) to deal the
distributions to two kinds of these sizes that lie as far apart or farther. `sorted`: the same of runs of colours from the fullest to the emptiest, which does
not depend on where the draw put them. Stock is compared with the replays of every other boot and the boots between them: a replay is no witness for its own boot."""

import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile

import kst_bench as kb
from trials import INIT, empty_disk

sys.path.insert(0, os.path.join(kb.ROOT, "passes", "kernel"))
sys.dont_write_bytecode = True
from kst_kernel import initramfs  # noqa: E402

RUNS = ["fork 50", "pipe 200", "tree 2 /tmp"]
WORDS = {"stock": "", "shuffle": "page_alloc.shuffle=1"}
CACHE = "64M"
BINS = 64
MOST_DEALS = 20000


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--kernel", required=True, metavar="OBJ", help="output directory of a finished build")
    p.add_argument("--out", default=None, metavar="DIR", help="where traces are kept")
    p.add_argument("--boots", type=int, default=6, metavar="N", help="as the kernel is")
    p.add_argument("--shuffled", type=int, default=14, metavar="N", help="boots with page_alloc.shuffle=1")
    p.add_argument("--seeds", type=int, default=24, metavar="N", help="replays with shuffle")
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


def runs(pages):
    """Share of pages by run of colours."""
    sums = [sum(pages[i * len(pages) // BINS:(i + 1) * len(pages) // BINS]) for i in range(BINS)]
    return [n / sum(sums) for n in sums]


def overlap(a, b):
    return sum(map(min, a, b))


def mean(numbers):
    numbers = list(numbers)
    return sum(numbers) / len(numbers) if numbers else math.nan


def compare(name, replays, boots):
    """One line: whether replays and boots are of one kind."""
    everything = replays + boots
    far = [[1 - overlap(a, b) for b in everything] for a in everything]

    def within(line):
        return mean(far[i][j] for i, j in itertools.combinations(line, 2)) if len(line) > 1 else 0

    def distance(first):
        second = [i for i in range(len(everything)) if i not in first]
        return 2 * mean(far[i][j] for i in first for j in second) - within(first) - within(second)

    line = range(len(everything))
    own = list(line[:len(replays)])
    if math.comb(len(everything), len(own)) <= MOST_DEALS:
        deals = list(itertools.combinations(line, len(own)))
    else:
        chance = random.Random(1)
        deals = [chance.sample(line, len(own)) for _ in range(MOST_DEALS)]
    found = distance(own)
    as_far = mean(distance(list(deal)) >= found - 1e-12 for deal in deals)
    across = [1 - far[i][j] for i in own for j in line[len(replays):]]
    print(f"| {name} | {mean(across):.1%} ({min(across):.1%} to {max(across):.1%}) | {1 - within(list(line[len(replays):])):.1%} | "
          f"{1 - within(own):.1%} | {found:.3f} | {as_far:.3g} |")


def told(far):
    return f"overlap {far['overlap']:.1%}, chi-square {far['chi_square']:.0f} of {far['degrees']}, probability {far['probability']:.3g}"


def main():
    args = arguments()
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.out or scratch
        os.makedirs(folder, exist_ok=True)
        traces = {kind: [os.path.join(folder, f"{kind}-{number}.kstt") for number in range(1, wanted + 1)]
                  for kind, wanted in (("stock", args.boots), ("shuffle", args.shuffled))}
        for kind, words in WORDS.items():
            for trace in traces[kind]:
                if not os.path.exists(trace):
                    boot(args, words, trace)
        print(f"cache {CACHE}, direct mapped; {args.boots} boots without, {args.shuffled} with shuffle; workload: {', '.join(RUNS)}\n")
        first = traces["stock"][0]
        boots, replays = {}, []
        for kind in WORDS:
            boots[kind] = []
            for number, trace in enumerate(traces[kind], 1):
                got = replay(args, trace, "stock")
                own, fit = got["policies"][0], got["agreement"]
                boots[kind].append(runs(got["recorded_pages"]))
                print(f"{kind} {number}: {fit['equal'] / fit['allocations']:.2%} of {fit['allocations']} allocations equal, without correction "
                      f"{own['equal'] / own['requests']:.2%}; replay of its requests against it: {told(own['against_recorded'])}")
                if kind == "stock":
                    replays.append(runs(own["pages"]))
                if trace != first:
                    print(f"    replay of stock 1 against it: {told(replay(args, first, 'stock', '--against', trace)['policies'][0]['against_other'])}")
        shuffled = [runs(replay(args, traces["stock"][seed % args.boots], "shuffle", "--seed", str(seed + 1))["policies"][0]["pages"])
                    for seed in range(args.seeds)]
        print("\n| | overlap of replay and boot | of two boots | of two replays | distance | probability |\n|--|--|--|--|--|--|")
        for how, form in (("", lambda of: of), (", sorted", lambda of: sorted(of, reverse=True))):
            stock, booted, drawn, shuffles = ([form(of) for of in some] for some in (replays, boots["stock"], shuffled, boots["shuffle"]))
            compare("stock replayed, stock booted" + how, stock[::2], booted[1::2])
            compare("shuffle replayed, shuffle booted" + how, drawn, shuffles)
            compare("stock replayed, shuffle booted" + how, stock, shuffles)
            compare("shuffle replayed, stock booted" + how, drawn, booted)


if __name__ == "__main__":
    main()
