#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""From a kernel's source to a reordered kernel that runs, and whether it does what was foretold.

  whole_path.py --struct rq --run pipe kernel/sched

In this order:

  build     a kernel that counts accesses to the struct (kst-kernel)
  measure   boot it, run the workload, import the profile; twice, for the noise
  report    kstatic-affinity with the first profile, on that kernel's source: an order, and a patch
  rebuild   the same kernel with the patch
  measure   boot that one, the same workload; import, analyse the patched source with its profile
  compare   the sets of the measurements alone (--evidence dynamic)

  now        cache lines that a visit touches in the original order, as the first run weighs the visits
  predicted  the proposed order, as the first run weighs them
  found      the order that the patched kernel's compiler made, by the patched kernel's own run
  now again  the original order, as the second run of the original kernel weighs them; against now: the noise
  gain       predicted to now; and found to the original order as the patched kernel's run weighs the visits: the same visits on both
             sides, so that what differs between runs is out of it

Prices come from bench/verify_layout.py, which shares no code with the tool. The offsets of the patched kernel must be those of the
report. With --record both kernels run once more under a plugin of QEMU that sees every load and store, and nothing of our
counters: distinct lines of an object within windows of so many accesses of a CPU, in both kernels (bench/recorder/windows.c).

Where the verdict is to keep the order, nothing is rebuilt; --patch tries a patch of your own all the same. What exists is not
built again. Exit status: 0 the patched kernel ran the workload, has the order foretold, and found is below now (in lines,
or in cost where the order was to take more lines for less sharing); 1 not; 2 usage."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import time

import kernel_profile as kp
import kst_bench as kb
import verify_layout

sys.path.insert(0, os.path.join(kb.ROOT, "bench", "recorder"))
sys.path.insert(0, os.path.join(kb.ROOT, "passes", "kernel"))
sys.dont_write_bytecode = True
import kernel_image  # noqa: E402
import recorder  # noqa: E402
from kst_kernel import boot, state  # noqa: E402

# Of the recorder, in loads and stores of a CPU: from a short function to a
# trip through the scheduler.
WINDOWS = (32, 128, 512, 2048)


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("paths", nargs="+", metavar="PATH", help="what to analyse, in the kernel's source")
    p.add_argument("--struct", required=True)
    p.add_argument("--run", required=True, metavar="RUN", help="as kst-kernel boot takes it: pipe, tcp:2000, 'mine=COMMAND'")
    p.add_argument("--name", help="of the kernels: NAME-now and NAME-new; default: path-STRUCT")
    p.add_argument("--out", metavar="DIR", help="for profiles, reports and the patch; default: NAME in this directory")
    p.add_argument("--prepare", default="", metavar="WORDS", help="more options of kst-kernel prepare: '--dirs kernel/sched --address static'")
    p.add_argument("--boot", default="", metavar="WORDS", help="more options of kst-kernel boot: '--cpus 4'")
    p.add_argument("--report", default="", metavar="WORDS", help="more options of kstatic-affinity: '--max-moves 10'")
    p.add_argument("--patch", type=os.path.abspath, metavar="FILE", help="of the order, in place of the one that the tool proposes")
    p.add_argument("--record", metavar="KIND:NAME", action="append", default=[],
                   help="objects for the second opinion, as bench/counters_truth.py takes them: percpu:runqueues")
    args = p.parse_args()
    args.name = args.name or "path-" + args.struct.replace("_", "-")
    args.out = os.path.abspath(args.out or args.name)
    args.label = args.run.partition("=")[0].partition(":")[0]
    return args


def step(text):
    print(f"# {text}", file=sys.stderr, flush=True)


def command(words, cwd=None, accept=(0,)):
    """Runs a command with its output on stderr; the command is shown."""
    step(shlex.join(words))
    began = time.monotonic()
    code = subprocess.run(words, cwd=cwd, stdout=sys.stderr).returncode
    step(f"{time.monotonic() - began:.0f} s")
    if code not in accept:
        sys.exit(f"exit status {code} of {shlex.join(words)}")
    return code


class Kernel:
    """One of the two: where it is, and what its runs gave."""

    def __init__(self, args, end):
        self.args, self.name = args, f"{args.name}-{end}"

    def tool(self, *words):
        return [os.path.join(kb.ROOT, "passes", "kernel", "kst-kernel"), *words]

    def build(self, patches=()):
        options = ["--structs", self.args.struct, *shlex.split(self.args.prepare)]
        command(self.tool("prepare", self.name, *options, *(w for p in patches for w in ("--patch", p))))
        command(self.tool("build", self.name))
        self.obj, self.source, self.vmlinux = (kp.kst_kernel("path", self.name, what) for what in ("obj", "source", "vmlinux"))

    def measure(self, run):
        """The path of a profile of one boot."""
        folder = os.path.join(self.args.out, run)
        command(self.tool("boot", self.name, "--run", self.args.run, "--out", folder, *shlex.split(self.args.boot)))
        profile = os.path.join(self.args.out, run + ".kstp")
        command([self.args.tool, "profile", "import", os.path.join(folder, self.args.label + ".kstraw"), "--binary", self.vmlinux,
                 "--label", self.args.label, "-o", profile])
        return profile

    def analyse(self, name, profile, *options):
        """The report with a profile."""
        return kb.read_json(self.ask([self.args.tool, "--json"], name + ".json", profile, *options))

    def measured(self, name, profile):
        """The layout problem by the profile alone."""
        asked = [kb.dev_tool(self.args.tool), "instances", "--evidence", "dynamic", "-o"]
        return verify_layout.read_instances(self.ask(asked, name + ".jsonl", profile))[0]

    def ask(self, asked, name, profile, *options):
        """The path of the answer, which `asked` ends with the option for."""
        answer = os.path.join(self.args.out, name)
        if os.path.exists(answer):
            os.remove(answer)
        command([*asked, answer, "-p", self.obj, "--struct", self.args.struct, "--reference", "none", "--profile", profile, "--quiet", *options, *self.args.paths],
                cwd=self.source, accept=(0, 3))
        return answer

    def record(self, run, instance, new_offsets):
        """[(length, windows, lines, lines at new_offsets)] of one boot under the recorder."""
        record, line = instance["record"], instance["line_bytes"]
        image = kernel_image.KernelImage(self.obj)
        objects = [recorder.parse_object(text, image, record["size_bytes"]) for text in self.args.record]
        conf = [f"line {line}", *(f"window {length}" for length in WINDOWS)]
        for field, new in zip(record["fields"], new_offsets):
            begin = field["offset_bits"] // 8
            size = -(-(field["offset_bits"] + field["size_bits"]) // 8) - begin
            conf.append(f"map {begin} {new // 8} {size}")
        folder = os.path.join(self.args.out, run)
        shutil.rmtree(folder, ignore_errors=True)
        memory = 512
        plugin = recorder.Recorder(image, objects, folder, memory << 20,
                                   (image.symbol("kst_reset_write"), image.symbol("kst_counters_read")),
                                   "".join(text + "\n" for text in conf))
        request = boot.Request(self.name, [self.args.run], memory_mb=memory, timeout_s=3600,
                               append="nokaslr no5lvl slab_nomerge", qemu=plugin.qemu_arguments())
        step(f"recording in {self.name}")
        try:
            boot.boot(request, os.path.join(folder, "boot"))
        except state.Failed as error:
            sys.exit(str(error))
        os.unlink(plugin.ram)
        return plugin.read_windows()


def order_of(names, of):
    """Numbers of the fields `names` among those of a record; two without a name may be called alike: in declaration order."""
    places = {}
    for number, name in enumerate(of):
        places.setdefault(name, []).append(number)
    return [places[name].pop(0) for name in names]


class Priced:
    """Measured sets of one run, and what an order costs under them, for each visit."""

    def __init__(self, instance):
        self.instance = instance
        self.cost = verify_layout.Model(instance)
        # A line is a line here, whoever touches it.
        self.lines = verify_layout.Model({**instance, "lambda": {**instance["lambda"], "remote": 1}})

    def price(self, order):
        if not self.cost.visits:
            sys.exit("no visit of the struct was measured")
        visits = self.cost.visits
        return {"lines": self.lines.price(order)[0]["lines"] / visits, "cost": self.cost.price(order)[0]["total"] / visits}

    def declared(self):
        return list(range(len(self.instance["record"]["fields"])))


def propose(args, now, profile):
    """(patch, report) of the order to try; ends the script where there is none."""
    patch = os.path.join(args.out, args.struct + ".patch")
    options = shlex.split(args.report)
    report = now.analyse("report", profile, *options, *([] if args.patch else ["--patch", patch]))
    print(f"struct {args.struct}, workload {args.run}: verdict {report['verdict']}")
    for line in report["reasons"]:
        print("  " + line)
    if args.patch:
        return args.patch, report
    if report["verdict"] != "reorder" or not os.path.isfile(patch):
        print("result: no order is proposed, so there is nothing to rebuild")
        sys.exit(1)
    return patch, report


def same_places(report, new_report):
    """What differs between the order foretold and that of the patched source, in words."""
    order, offsets = report["layouts"]["proposed"]["order"], report["layouts"]["proposed"]["offsets"]
    fields = new_report["fields"]
    if [f["name"] for f in fields] != order:
        return ["the patched source has another order than the report proposes"]
    return [f"{f['name']} is at {f['offset']}, foretold {offset}" for f, offset in zip(fields, offsets) if f["offset"] != offset]


def second_opinion(now, new, instance, instance_new, order):
    """Lines in windows of accesses, by a recorder that knows nothing of our counters."""
    places = {number: field["offset_bits"] for number, field in zip(order, instance_new["record"]["fields"])}
    there = [places[number] for number in range(len(order))]
    before = now.record("now-recorded", instance, there)
    after = new.record("new-recorded", instance_new, [f["offset_bits"] for f in instance_new["record"]["fields"]])
    rows = []
    for (length, windows, lines, foretold), (_, new_windows, new_lines, _) in zip(before, after):
        a, b, c = lines / windows, foretold / windows, new_lines / new_windows
        rows.append([f"{length} accesses", windows, new_windows, f"{a:.3f}", f"{b:.3f}", f"{c:.3f}", percent(b, a), percent(c, a), percent(c, b)])
    print()
    kb.table(["lines of an object within", "windows", "and in the new kernel", "now", "predicted", "found", "predicted to now", "found to now",
              "found to predicted"], rows)
    return rows


def percent(new, old):
    return f"{100 * (new - old) / old:+.1f} %"


def compare(before, repeated, after, order, back):
    """Prints the table; returns {row: {lines, cost}}. `order`: the new kernel's, in numbers of the old one; `back`: the reverse."""
    rows = {"now": before.price(before.declared()), "predicted": before.price(order), "found": after.price(after.declared()),
            "now again": repeated.price(repeated.declared()), "old order, new run": after.price(back)}
    table = []
    for what in ("lines", "cost"):
        a, b, c, d, e = (row[what] for row in rows.values())
        table.append([f"{what} for each visit", *(f"{row[what]:.3f}" for row in rows.values()), percent(b, a), percent(c, e), percent(c, b),
                      percent(d, a)])
    kb.table(["measured sets alone", *rows, "gain predicted", "gain found", "found to predicted", "noise"], table)
    print(f"visits: {before.cost.visits:.0f}, {repeated.cost.visits:.0f} again, {after.cost.visits:.0f} in the patched kernel")
    return rows


def main():
    args = arguments()
    os.makedirs(args.out, exist_ok=True)
    now, new = Kernel(args, "now"), Kernel(args, "new")
    now.build()
    first, again = now.measure("now"), now.measure("again")
    patch, report = propose(args, now, first)
    new.build([patch])
    last = new.measure("new")

    instance = now.measured("now-measured", first)
    instance_again = now.measured("again-measured", again)
    new_report, instance_new = new.analyse("new-measured", last, "--evidence", "dynamic"), new.measured("new-measured", last)
    names, new_names = ([f["name"] for f in i["record"]["fields"]] for i in (instance, instance_new))
    order, back = order_of(new_names, names), order_of(names, new_names)
    wrong = [] if args.patch else same_places(report, new_report)
    print(f"\nthe patched kernel booted and ran the workload; its {len(order)} fields are " + ("NOT " if wrong else "") + "where they should be\n")
    rows = compare(*(Priced(i) for i in (instance, instance_again, instance_new)), order, back)
    windows = second_opinion(now, new, instance, instance_new, order) if args.record else []
    for line in wrong:
        print("WRONG", line)
    with open(os.path.join(args.out, "summary.json"), "w") as file:
        json.dump({"struct": args.struct, "run": args.run, "rows": rows, "windows": windows, "wrong": wrong}, file, indent=1)
    # An order may take more lines, for less false sharing.
    what = "lines" if rows["predicted"]["lines"] < rows["now"]["lines"] else "cost"
    fine = not wrong and rows["found"][what] < rows["now"][what]
    print("\nresult:", ("fewer lines" if what == "lines" else "less cost") + " in the patched kernel" if fine else "NOT as foretold")
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
