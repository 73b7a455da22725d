#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What orders of a struct do to misses by coherence, on true accesses.

    bench/replay.py                          all structs below, source alone
    bench/replay.py --struct file            one of them
    bench/replay.py --struct cfs_rq --object kmalloc:sched_create_group --path kernel/sched

A kernel of kst-kernel (default `test`, which `ctest -L kernel` builds) boots in QEMU and runs each workload once, under a plugin
that sees every load and store of kernel code to the struct's objects. The same accesses go to the order in memory, to the orders that the
tool proposes from that kernel's source alone (as it is and with --ambitious), to those of --report, and to a control, fields by name, which
knows nothing of use. Every CPU has a cache that forgets nothing: what it misses was written by another CPU since. No time, no capacity,
no prefetch.

Prints misses in the order in memory, and the change in each other order; upgrades are stores to a line that others have, too."""

import collections
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

# Where the objects are, and what is analysed. The cost model was changed with rq in view; the others are held out: named here before any of
# their orders was replayed.
STRUCTS = {
    "rq": ("percpu:runqueues", ["kernel/sched"]),
    "hrtimer_cpu_base": ("percpu:hrtimer_bases", ["kernel/time"]),
    "timer_base": ("percpu:timer_bases", ["kernel/time"]),
    "rcu_data": ("percpu:rcu_data", ["kernel/rcu"]),
    "softnet_data": ("percpu:softnet_data", ["net/core"]),
    "task_struct": ("slab:task_struct", ["kernel"]),
    "mm_struct": ("slab:mm_struct", ["mm", "kernel/fork.c"]),
    "vm_area_struct": ("slab:vm_area_struct", ["mm", "kernel/fork.c"]),
    "file": ("slab:filp", ["fs"]),
    "dentry": ("slab:dentry", ["fs"]),
}
RUNS = ["pipe:2000", "tcp:300", "fork:150", "futex:2000", "yield:2000"]
MEMORY_MB = 512


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--struct", help=f"default all that are known: {' '.join(STRUCTS)}")
    p.add_argument("--object", metavar="KIND:NAME", help="where its objects are, as bench/counters_truth.py takes them")
    p.add_argument("--path", action="append", help="what is analysed for it")
    p.add_argument("--report", action="append", default=[], metavar="NAME=FILE", help="a JSON report whose proposed order is replayed, too")
    p.add_argument("--run", action="append", metavar="WORKLOAD", help=f"default: {' '.join(RUNS)}")
    p.add_argument("--name", default="test", help="the kernel (default test)")
    p.add_argument("--fields", type=int, default=0, metavar="N", help="print the N fields that miss most, too")
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("--options", default="", metavar="WORDS", help="more options of the tool: '--profile FILE'")
    args = p.parse_args()
    known, paths = STRUCTS.get(args.struct, (None, None))
    if args.struct and not ((args.object or known) and (args.path or paths)):
        p.error(f"struct {args.struct} is not known here: give --object and --path")
    if not args.struct and (args.object or args.path or args.report):
        p.error("--object, --path and --report are of one --struct")
    args.cases = [(args.struct, args.object or known, args.path or paths)] if args.struct else [(name, *of) for name, of in STRUCTS.items()]
    return args


def propose(args, struct, paths, *options):
    settings = build.load(args.name)
    return kb.run_tool(args, tree.source_dir(settings, args.name), str(build.obj_dir(args.name)), paths, "--struct", struct, "--quiet",
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


def blind(report):
    """The control: fields by name, each at the next place that its alignment allows, if the struct stays as long as it is.

    >>> fields = [{"name": "b", "offset": 0, "size": 4, "align": 4}, {"name": "a", "offset": 8, "size": 8, "align": 8}]
    >>> blind({"size": 16, "fields": fields})
    [(8, 0, 8), (0, 8, 4)]
    """
    places, end = [], 0
    for field in sorted(report["fields"], key=lambda f: (-f["align"], f["name"])):
        end = -(-end // field["align"]) * field["align"]
        if field["size"] and end + field["size"] <= report["size"]:
            places.append((field["offset"], end, field["size"]))
            end += field["size"]
    return places


def replay(args, where, run, size, orders, folder):
    """[(order, accesses, misses, upgrades)] of one boot, and {(order, offset in memory): misses}; order 0 is the one in memory."""
    image = kernel_image.KernelImage(str(build.obj_dir(args.name)))
    objects = [recorder.parse_object(where, image, size)]
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


def missing_fields(run, fields, places, others, count):
    """Rows of the `count` fields whose accesses miss most, in any order: misses in memory and in each other order."""
    rows = collections.defaultdict(lambda: [0] * (1 + others))
    for (order, offset), misses in places.items():
        name = next((f["name"] for f in fields if f["offset"] <= offset < f["offset"] + f["size"]), "-")
        rows[name][order] += misses
    return [[run, name, *row] for name, row in sorted(rows.items(), key=lambda item: -max(item[1]))[:count]]


def orders_of(args, struct, paths):
    """(size, fields, {name: moves}) of what is replayed beside the order in memory."""
    reports = {"proposed": propose(args, struct, paths), "ambitious": propose(args, struct, paths, "--ambitious")}
    reports |= {name: kb.read_json(path) for name, _, path in (text.partition("=") for text in args.report)}
    size = reports["proposed"]["size"]
    if any(report["size"] != size for report in reports.values()):
        sys.exit(f"a report is of another struct {struct}: its size is not {size}")
    orders = {name: moved(report) for name, report in reports.items()} | {"by name": blind(reports["proposed"])}
    return size, reports["proposed"]["fields"], orders


def main():
    args = arguments()
    kb.use_cache(args)
    rows, missing, orders = [], [], {}
    for struct, where, paths in args.cases:
        size, fields, orders = orders_of(args, struct, paths)
        for run in args.run or RUNS:
            folder = tempfile.mkdtemp(prefix="kst-replay-")
            try:
                ((_, accesses, misses, upgrades), *others), places = replay(args, where, run, size, list(orders.values()), folder)
            finally:
                shutil.rmtree(folder)
            if accesses:
                rows.append([struct, run, accesses, misses, *(f"{100 * (o[2] / misses - 1):+.1f} %" if misses else "-" for o in others),
                             upgrades, *(f"{100 * (o[3] / upgrades - 1):+.1f} %" if upgrades else "-" for o in others)])
            missing += missing_fields(run, fields, places, len(orders), args.fields)
    kb.table(["struct", "workload", "accesses", "misses", *orders, "upgrades", *orders], rows, left=(0, 1))
    if missing:
        kb.table(["workload", "field", "in memory", *orders], missing, left=(0, 1))


if __name__ == "__main__":
    main()
