#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every access to a struct while a kernel runs, independent of our pass.

Boots a built x86-64 kernel in QEMU (TCG; accesses.c is the plugin) with an
initramfs that brings its own workload and powers off, and writes what kernel
code loaded from and stored to the objects of the struct: by field, by function,
as JSON. Example, the run queues of all CPUs:

  bench/recorder/record.py --build OBJ --initrd INITRAMFS --struct rq \\
      --unit kernel/sched/core.c --object percpu:runqueues --json rq.json

Objects: percpu:SYMBOL, static:SYMBOL, slab:CACHE, kmalloc:FUNCTION, which
allocates it (both 6.10 and later). For a struct inside others slab:CACHE+OFFSET,
or --base for all, gives where it begins in the recorded objects.

Reading the result: reads and writes are loads and stores that overlap the
field; an instruction that does both counts for both. bulk_*: the part of memcpy,
memset and their like, in whole passes over the field. not_countable_*: by code
that the rules forbid to instrument, not part of reads and writes. Bit-fields
that share bytes are one field, and so are the members of an anonymous union.
Time passes slowly under TCG: what runs by the clock (ticks) weighs more than on
hardware. Memory accesses by devices and by the hardware's own table walks are
not seen, nor are objects in vmalloc memory (static data of modules)."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import fold
import kernel_image
import recorder

sys.path.insert(0, os.path.dirname(HERE))
import kst_bench as kb


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--build", required=True, metavar="DIR", help="output directory of the kernel build")
    p.add_argument("--initrd", required=True, metavar="FILE")
    p.add_argument("--append", default="", help="more kernel parameters, for the workload")
    p.add_argument("--struct", required=True)
    p.add_argument("--unit", required=True, metavar="FILE", help="a source file that defines or includes the struct")
    p.add_argument("--object", action="append", required=True, metavar="KIND:NAME", dest="objects")
    p.add_argument("--base", type=lambda text: int(text, 0), default=0, metavar="BYTES")
    p.add_argument("--window", nargs=2, metavar=("START", "STOP"),
                   help="symbols or addresses: record from the first execution of START to the next of STOP")
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("--memory", type=int, default=256, metavar="MB")
    p.add_argument("--icount", action="store_true", help="one thread, time by instructions: the same in every run, slow")
    p.add_argument("--timeout", type=int, default=900, metavar="SECONDS")
    p.add_argument("--json", required=True, metavar="FILE")
    p.add_argument("--console", metavar="FILE", help="what the guest wrote to its console")
    return p.parse_args()


def address(image, text):
    return int(text, 16) if text.startswith("0x") else image.symbol(text)


def qemu(args, image, more, console, parameters=""):
    """Boots once; args: cpus, memory, icount, timeout, initrd, append."""
    accel = ["-accel", "tcg,thread=single", "-icount", "shift=1,sleep=off"] if args.icount else ["-accel", "tcg,thread=multi"]
    command = ["qemu-system-x86_64", "-machine", "pc", "-m", f"{args.memory}M", "-smp", str(args.cpus), *accel,
               "-nodefaults", "-display", "none", "-serial", "stdio", "-monitor", "none", "-no-reboot",
               "-kernel", os.path.join(image.build, "arch/x86/boot/bzImage"), "-initrd", args.initrd,
               "-append", "console=ttyS0 quiet nokaslr no5lvl no_timer_check slab_nomerge panic=-1 " + args.append + " " + parameters, *more]
    with open(console, "wb") as out:
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, timeout=args.timeout)
        except subprocess.TimeoutExpired:
            sys.exit(f"the kernel did not power off within {args.timeout} s")
        except OSError as error:
            sys.exit(f"cannot run qemu-system-x86_64: {error.strerror}")
    if done.returncode:
        sys.exit(f"QEMU ends with exit status {done.returncode}:\n" + open(console, errors="replace").read()[-2000:])


def main():
    args = arguments()
    image = kernel_image.KernelImage(args.build)
    records = image.records(args.tool, args.struct, args.unit)
    if args.struct not in records:
        sys.exit(f"{args.unit} does not define struct {args.struct}")
    layout = kernel_image.Layout(records[args.struct])
    objects = [recorder.parse_object(text, image, layout.size) for text in args.objects]
    window = tuple(address(image, text) for text in args.window) if args.window else None
    with tempfile.TemporaryDirectory() as scratch:
        run = recorder.Recorder(image, objects, scratch, args.memory << 20, window)
        console = os.path.join(scratch, "console")
        qemu(args, image, run.qemu_arguments(), console, run.kernel_parameters())
        recorder.check_console(console)
        if args.console:
            shutil.copyfile(console, args.console)
        folded = fold.Fold(layout, image, run.read(), args.base)
    result = {"schema": "kst-record/1", "cpus": args.cpus, "objects": args.objects, "append": args.append,
              "window": args.window or [], **folded.json()}
    with open(args.json + ".tmp", "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    os.replace(args.json + ".tmp", args.json)
    hot = sorted(result["fields"], key=lambda f: -(f["reads"] + f["writes"]))[:20]
    kb.table(["field", "reads", "writes", "mostly in"],
             [[f["name"][:40], f["reads"], f["writes"], ", ".join(list(f["reads_by"])[:2])] for f in hot], left=(0, 3))
    print(f"{result['accesses']} accesses to struct {args.struct}, {result['in_holes']} in holes")


if __name__ == "__main__":
    main()
