#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Page requests that trace-cmd recorded, as feed of `colour replay`.

    bench/colour_imported.py --build OBJ [--keep DIR]

Boots a built kernel in QEMU, where trace-cmd records kmem:mm_page_alloc and mm_page_free of a program that makes and drops objects. `trace import`
makes a trace of the recording, `colour replay` replays it. The witness is `trace-cmd report` on the same recording: events, page frames and orders
in their order must be the same. Needs trace-cmd here, which goes into the guest. Exit status 1 if the two differ."""

import json
import os
import re
import subprocess
import sys
import tempfile

import kst_bench as kb

sys.path.insert(0, os.path.join(kb.ROOT, "bench", "recorder"))
sys.dont_write_bytecode = True
from import_counts import boot  # noqa: E402

EVENTS = ["kmem:mm_page_alloc", "kmem:mm_page_free", "kmem:mm_page_free_batched"]
RECORD = f"LD_LIBRARY_PATH={os.environ.get('LD_LIBRARY_PATH', '')} trace-cmd record -q -b 65536 -o /out/trace.dat " + " ".join("-e " + event for event in EVENTS) + " /work/life >/out/life.out 2>/out/errors"


def reported(file):
    """(what, pfn, order) of each event, by time."""
    text = subprocess.run(["trace-cmd", "report", "-i", file], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace").stdout
    out = []
    for line in text.splitlines():
        found = re.search(r" mm_page_(alloc|free): .*?pfn=(\w+) order=(\d+)", line)
        if found and int(found[2], 0) != 2 ** 64 - 1:  # an allocation that failed
            out.append((found[1], int(found[2], 0), int(found[3])))
    return out


def dumped(tool, trace):
    out = []
    with subprocess.Popen([tool, "trace", "dump", trace], stdout=subprocess.PIPE, text=True) as dump:
        for line in dump.stdout:
            found = re.search(r" page-(alloc|free) .*pfn=(\w+) order=(\d+)", line)
            if found:
                out.append((found[1], int(found[2], 0), int(found[3])))
    return out


def main():
    p = kb.parser(__doc__)
    p.add_argument("--build", required=True, metavar="OBJ", help="output directory of a finished build")
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("--memory", type=int, default=1024, metavar="MIB")
    p.add_argument("--timeout", type=int, default=900, metavar="SECONDS")
    p.add_argument("--append", default="", help="more kernel parameters")
    p.add_argument("--cache", default="64M")
    p.add_argument("--keep", metavar="DIR", help="where the recording stays; one that is there is not made again")
    args = p.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        out = args.keep or scratch
        file, trace = os.path.join(out, "trace.dat"), os.path.join(scratch, "imported.kstt")
        if not os.path.exists(file):
            boot(args, [RECORD], out)
        if not os.path.exists(file):
            with open(os.path.join(out, "errors"), errors="replace") as errors:
                sys.exit("trace-cmd made no recording: " + errors.read()[-1000:])
        said = subprocess.run([args.tool, "trace", "import", file, "--binary", os.path.join(args.build, "vmlinux"), "-o", trace], check=True,
                              stderr=subprocess.PIPE, text=True).stderr.strip().splitlines()
        print(said[-1].rpartition("trace.dat: ")[2])
        wanted, got = reported(file), dumped(args.tool, trace)
        equal = wanted == got or sorted(wanted) == sorted(got)
        print(f"trace-cmd report: {len(wanted)} page events, trace dump: {len(got)}; {'the same' if equal else 'NOT the same'} page frames and orders, "
              f"{sum(a == b for a, b in zip(wanted, got))} at the same place in the order of time")
        replayed = json.loads(subprocess.run([args.tool, "colour", "replay", "--trace", trace, "--cache", args.cache, "--quiet", "--json", "-"], check=True,
                                             stdout=subprocess.PIPE).stdout)["replay"]
        fit = replayed["agreement"]
        print(f"replay: {replayed['page_events']} page events, state {'recorded' if replayed['state_recorded'] else 'guessed'}, "
              f"{fit['allocations']} allocations, {fit['equal'] / max(1, fit['allocations']):.2%} equal; {fit['frees']} frees, {fit['frees_of_order']} of the order "
              f"of their allocation, {fit['frees_of_part']} of a part")
        for of in replayed["policies"]:
            hits = {point["working_set"]: point["hits"] for point in of["sweep"]}
            print(f"{of['policy']}: hits {hits.get(1, float('nan')):.1%} at one cache; pages over colours against the kernel's: "
                  f"overlap {of['against_recorded']['overlap']:.1%}")
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
