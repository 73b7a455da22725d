#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What orders of a struct do to misses by coherence, on true accesses.

    bench/replay.py kernel/sched
    bench/replay.py --struct cfs_rq --object kmalloc:alloc_fair_sched_group --report old=old.json kernel/sched

A kernel of kst-kernel (default `test`, which `ctest -L kernelrun` builds) boots in QEMU and runs each workload once, under a plugin
that sees every load and store of kernel code to the struct's objects. The same accesses go to the order in memory, the orders that the
tool proposes from that kernel's source alone (as it is and with --ambitious), and those of --report. Every CPU has a cache that forgets
nothing: what it misses was written by another CPU since. No time, no capacity, no prefetch.

Prints misses in the order in memory, and the change in each other order; upgrades are stores to a line that others have, too."""

import os
import shlex
import shutil
import sys
import tempfile

import kst_bench as kb

sys.path.insert(0, os.path.join(kb.ROOT, "bench", "recorder"))
sys.path.insert(0, os.path.join(kb.ROOT, "passes", "kernel"))
sys.dont_write_bytecode = True
import kernel_image  # noqa: E402
import recorder  # noqa: E402
from kst_kernel import boot, build, state, tree  # noqa: E402

RUNS = ["pipe:2000", "tcp:300", "fork:150", "futex:2000", "yield:2000"]
MEMORY_MB = 512


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("paths", nargs="+", metavar="PATH", help="what is analysed for the struct")
    p.add_argument("--struct", default="rq")
    p.add_argument("--object", action="append", metavar="KIND:NAME", help="where its objects are, as bench/counters_truth.py takes them "
                                                                          "(default percpu:runqueues)")
    p.add_argument("--report", action="append", default=[], metavar="NAME=FILE", help="a JSON report whose proposed order is replayed, too")
    p.add_argument("--run", action="append", metavar="WORKLOAD", help=f"default: {' '.join(RUNS)}")
    p.add_argument("--name", default="test", help="the kernel (default test)")
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("--options", default="", metavar="WORDS", help="more options of the tool: '--profile FILE'")
    return p.parse_args()


def propose(args, *options):
    settings = build.load(args.name)
    return kb.run_tool(args, tree.source_dir(settings, args.name), str(build.obj_dir(args.name)), args.paths, "--struct", args.struct, "--quiet",
                       *shlex.split(args.options), *options)


def moved(report):
    """[(from, to, bytes)] of the proposed order; [] where none is proposed."""
    proposed, fields = report["layouts"].get("proposed"), {}
    if not proposed:
        return []
    for field in report["fields"]:
        fields.setdefault(field["name"], []).append(field)
    places = [(fields[name].pop(0), offset) for name, offset in zip(proposed["order"], proposed["offsets"])]
    return [(field["offset"], offset, field["size"]) for field, offset in places if field["size"]]


def replay(args, run, size, orders, folder):
    """[(order, accesses, misses, upgrades)] of one boot; the first is the order in memory."""
    image = kernel_image.KernelImage(str(build.obj_dir(args.name)))
    objects = [recorder.parse_object(text, image, size) for text in args.object or ["percpu:runqueues"]]
    text = f"line 64\norders {1 + len(orders)}\n" + "".join(
        f"map {number} {begin} {to} {length}\n" for number, order in enumerate(orders, 1) for begin, to, length in order)
    plugin = recorder.Recorder(image, objects, folder, MEMORY_MB << 20, (image.symbol("kst_reset_write"), image.symbol("kst_counters_read")),
                               orders=text)
    request = boot.Request(args.name, [run], cpus=args.cpus, memory_mb=MEMORY_MB, timeout_s=3600,
                           append=f"nokaslr no5lvl slab_nomerge {plugin.kernel_parameters()}", qemu=plugin.qemu_arguments())
    try:
        boot.boot(request, os.path.join(folder, "boot"))
    except state.Failed as error:
        sys.exit(str(error))
    return plugin.read_coherence()


def main():
    args = arguments()
    kb.use_cache(args)
    reports = {"proposed": propose(args), "ambitious": propose(args, "--ambitious")}
    reports |= {name: kb.read_json(path) for name, _, path in (text.partition("=") for text in args.report)}
    size = reports["proposed"]["size"]
    if any(report["size"] != size for report in reports.values()):
        sys.exit(f"a report is of another struct {args.struct}: its size is not {size}")
    rows = []
    for run in args.run or RUNS:
        folder = tempfile.mkdtemp(prefix="kst-replay-")
        try:
            (_, accesses, misses, upgrades), *others = replay(args, run, size, [moved(report) for report in reports.values()], folder)
        finally:
            shutil.rmtree(folder)
        rows.append([run, accesses, misses, *(f"{100 * (o[2] / misses - 1):+.1f} %" if misses else "-" for o in others),
                     upgrades, *(f"{100 * (o[3] / upgrades - 1):+.1f} %" if upgrades else "-" for o in others)])
    kb.table(["workload", "accesses", "misses", *reports, "upgrades", *reports], rows)


if __name__ == "__main__":
    main()
