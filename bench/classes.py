#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Are the classes of misses that `kstatic-affinity dprof` counts in the trace of a program those of the accesses that the program's binary makes?

One binary has two recorders and runs once: the tool's plugin in trace mode, and what clang has for kernels (-fsanitize=kernel-address, outlined), which calls
classes/tracer.c right before each load, store, atomic operation and copy that the code has when optimization is done. (-fsanitize-coverage=trace-loads,trace-stores
leaves out atomic operations and copies.) A simulation that shares no code with the tool plays the records of each: a cache for each thread, sets of LRU, MESI,
and the classes by their definitions. A miss of a line that a remote write took is true sharing if it accesses bytes that were written remotely since, else false.

  tool       dprof of the tool's trace, with that cache
  binary     the simulation of what clang's instrumentation told; classes counted on lines that are in the tool's trace
  off        (tool - binary) / binary; * if more than 2 %, of 1000 misses and more
  trace      the simulation of the tool's own trace, from `trace dump`: if it is as tool, classes are right, and accesses or their order differ. A few may differ: a line
             that a write took is not lost by sharing, says the tool, if it had been replaced by now without that write
  elsewhere  misses by sharing that the binary has on lines that are not in the tool's trace

Order. Before an access both recorders run, one behind the other; if another thread's access comes between, their orders differ. So threads share one CPU here, and yield it
before an event of the tool or behind one of clang's, now and then (pseudo-random): both have one order but where the kernel takes the CPU away in between, and lines move
often. --turns 0 runs programs as they are on all CPUs, by the clock: what two threads do within the same 50 ns may be recorded either way. Misses hardly tell, but
whether an access of another thread comes between load and store of one x++ is whether there is an upgrade (which is no miss): those differ by up to a tenth.

Optimization. Makers of most of these programs build them with -O0, as here. The plugin's events are accesses of the source. Optimized binaries make fewer: with -O1 a loop
may keep a counter in a register, and misses that the trace has are none of the binary. --level=-O1 shows which programs that concerns.

Programs: of data/peers.tsv the first of each suite that has an answer; controls: the first of each suite that has none, and those of one thread (single, serial). peers.py
says what DIR must hold. replaced is conflict and capacity together. Exit status 1 if a class is off, a program fails, or one of one thread has misses by sharing.

    bench/classes.py --sources DIR [--level=-O1] [--turns N] [--only ID]..."""

import collections
import json
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile

import kst_bench as kb
import peers
from peers import Failed, Program, step

TRACER = os.path.join(kb.ROOT, "bench", "classes", "tracer.c")
OPTIONS = ["instrumentation-with-call-threshold=0", "opt=0", "stack=0", "globals=0", "use-stack-safety=0", "kernel-mem-intrinsic-prefix=1"]
INSTRUMENTED = ["-fsanitize=kernel-address", *(word for option in OPTIONS for word in ("-mllvm", "-asan-" + option))]
ENTRY, PART = struct.Struct("<QQIHH"), 4096  # as in the tracer
ACCESS = re.compile(r"\d+ (\d+) 0x([0-9a-f]+) .*? (\d+) (?:bulk-)?(rw?|w) ")
CLASSES = ["cold", "cold-foreign", "cold-clean", "true-sharing", "false-sharing", "replaced", "upgrade"]
SHARING = ["true-sharing", "false-sharing"]
SETS, WAYS, LINE = 64, 8, 64  # as dprof has by default
FEW, MOST = 1000, 0.02


def simulate(accesses, counted=None):
    """Classes of misses of (thread, address, bytes, whether it writes): on counted lines (None: on all), and on others.

    >>> def of(*accesses): return dict(simulate(accesses)[0])
    >>> of((0, 0, 4, True), (1, 4, 4, True), (0, 0, 4, True))
    {'accesses': 3, 'cold': 1, 'cold-foreign': 1, 'false-sharing': 1}
    >>> of((0, 0, 4, True), (1, 4, 4, True), (1, 0, 4, True), (0, 0, 4, False))
    {'accesses': 4, 'cold': 1, 'cold-foreign': 1, 'true-sharing': 1}
    >>> of((0, 0, 4, False), (1, 0, 4, False), (0, 0, 4, True))
    {'accesses': 3, 'cold': 1, 'cold-clean': 1, 'upgrade': 1}
    """
    caches = collections.defaultdict(lambda: [{} for _ in range(SETS)])  # of a thread: lines of each set, the latest last
    holders = collections.defaultdict(dict)  # of a line: states M, E or S by thread
    touched = collections.defaultdict(set)  # of a line: threads
    taken = collections.defaultdict(dict)  # of a line: bytes written since, by threads that lost it to a write
    here, elsewhere = collections.Counter(), collections.Counter()
    for thread, address, size, writes in accesses:
        end = address + max(size, 1)
        for line in range(address // LINE, (end - 1) // LINE + 1):
            count = here if counted is None or line in counted else elsewhere
            count["accesses"] += 1
            own, states, losers = caches[thread][line % SETS], holders[line], taken[line]
            state = states.get(thread)
            written = (1 << min(end - line * LINE, LINE)) - (1 << max(address - line * LINE, 0))
            if state:
                count["upgrade"] += writes and state == "S"
                del own[line]
            elif thread in losers:
                count["true-sharing" if losers.pop(thread) & written else "false-sharing"] += 1
            elif thread in touched[line]:
                count["replaced"] += 1
            elif touched[line]:
                count["cold-foreign" if "M" in states.values() else "cold-clean"] += 1
            else:
                count["cold"] += 1
            if not state:
                touched[line].add(thread)
                if len(own) == WAYS:
                    oldest = next(iter(own))
                    del own[oldest], holders[oldest][thread]
                state = "S" if states else "E"
                if not writes:
                    states.update(dict.fromkeys(states, "S"))
            own[line] = True
            if writes:
                state = "M"
                for other in [other for other in states if other != thread]:
                    del states[other], caches[other][line % SETS][line]
                    losers[other] = 0
                for other in losers:
                    losers[other] |= written
            states[thread] = state
    return +here, +elsewhere


class Recorded(Program):
    """A program with both recorders."""

    def flags(self, sources):
        return [self.args.level if word == "-O1" else word for word in super().flags(sources)]

    def record(self):
        sources = self.sources(True)
        step("tracer", [self.args.cc, "-O2", "-c", TRACER, "-o", self.file("tracer.o")])
        program = self.file("program")
        step("build", [self.compiler, *self.flags(sources), *INSTRUMENTED, f"-fpass-plugin={self.library}/KstCounters.so", *sources, self.file("tracer.o"), "-Wl,--wrap=__kst_trace",
                       f"{self.library}/libkst_rt.a", *shlex.split(self.row["libs"]), "-o", program],
             cwd=self.folder, env={**os.environ, "KST_OPTIONS": "structs=all mode=trace"})
        step("run", [*(["taskset", "-c", "0"] if self.args.turns else []), program, *self.arguments], cwd=self.run_in,
             env={**os.environ, "CLASSES_TURNS": str(self.args.turns), "CLASSES_FILE": self.file("accesses"), "KST_TRACE_FILE": self.file("t.ksttrace")})
        step("trace import", [self.args.tool, "trace", "import", self.file("t.ksttrace"), "--binary", program, "-o", self.file("t.kstt")])

    def of_binary(self):
        found = []
        with open(self.file("accesses"), "rb") as file:
            while any((part := file.read(PART * ENTRY.size))[:ENTRY.size]):
                found += [entry for entry in ENTRY.iter_unpack(part) if entry[3]]
        return [(thread, address, size, writes == 1) for _, address, size, thread, writes in sorted(found, key=lambda entry: entry[0])]

    def of_trace(self):
        """The lines of `trace dump`: time, CPU, address, object, bytes, kind."""
        step("trace dump", [self.args.tool, "trace", "dump", self.file("t.kstt"), "-o", self.file("t.txt"), "--quiet"])
        with open(self.file("t.txt")) as file:
            for found in map(ACCESS.match, file):
                if found:
                    yield int(found[1]), int(found[2], 16), int(found[3]), "w" in found[4]

    def by_tool(self):
        step("dprof", [self.args.tool, "dprof", "--trace", self.file("t.kstt"), "--cache", f"l1={SETS * WAYS * LINE // 1024}K/{WAYS},line={LINE}", "--level", "l1", "--json", self.file("d.json"), "--quiet"])
        profile = kb.read_json(self.file("d.json"))["profile"]
        if profile["trace"]["lost"] or not profile["trace"]["complete"]:
            raise Failed("the trace is not whole")
        counts, of = profile["all"], profile["all"]["misses"]["l1"]
        return collections.Counter({**of, "replaced": of["conflict"] + of["capacity"], "upgrade": counts["upgrades"], "accesses": counts["accesses"]})


def off(tool, other):
    return (tool - other) / other if other else float(tool > 0)


def wrong(tool, other):
    return [name for name in CLASSES if max(tool[name], other[name]) >= FEW and abs(off(tool[name], other[name])) > MOST]


def selected(only):
    """The rule: see above."""
    first = {}
    for row in peers.programs("all", only):
        alone = re.search("single|serial", row["id"])
        first.setdefault(row["id"] if only or alone else (row["suite"], row["answer_kind"] in peers.CONTROLS), row)
    return first.values()


def compare(args, row, folder, inputs):
    """Rows of the table, what is wrong, counts of the tool, number of threads."""
    program = Recorded(args, row, folder, inputs)
    program.record()
    trace, accesses, tool = list(program.of_trace()), program.of_binary(), program.by_tool()
    lines = {line for _, address, size, _ in trace for line in range(address // LINE, (address + max(size, 1) - 1) // LINE + 1)}
    (binary, elsewhere), (again, _) = simulate(accesses, lines), simulate(trace)
    bad, unseen, threads = wrong(tool, binary), sum(elsewhere[name] for name in SHARING), len({thread for thread, *_ in accesses})
    table = [["", name, tool[name], binary[name], f"{100 * off(tool[name], binary[name]):+.2f} %" + " *" * (name in bad), again[name] if again[name] != tool[name] else "same", ""]
             for name in ["accesses", *CLASSES] if tool[name] or binary[name]]
    table[0][0], table[0][-1] = row["id"], unseen
    bad += ["classification"] * bool(wrong(tool, again)) + ["elsewhere"] * (unseen >= FEW) + ["one thread shares"] * (threads == 1 and unseen + sum(of[name] for of in (tool, binary) for name in SHARING) > 0)
    return table, bad, tool, threads


def main():
    p = kb.parser(__doc__)
    p.add_argument("--sources", metavar="DIR", type=os.path.abspath, required=True, help="the repositories, as OWNER+NAME")
    p.add_argument("--level", default="-O0", help="of optimization (default: %(default)s)")
    p.add_argument("--turns", type=int, default=20, help="accesses between two turns, on average; 0: none, all CPUs (default: %(default)s)")
    p.add_argument("--only", metavar="ID", action="append")
    p.set_defaults(cc="clang-19", cxx="clang++-19")
    args = p.parse_args()
    table, bad, good = [], [], collections.Counter()
    with tempfile.TemporaryDirectory() as top:
        os.mkdir(os.path.join(top, "stubs"))
        for name, text in peers.STUBS.items():
            with open(os.path.join(top, "stubs", name), "w") as file:
                file.write(text)
        inputs = peers.make_inputs(top)
        for row in selected(args.only):
            with tempfile.TemporaryDirectory(dir=top) as folder:
                try:
                    rows, how, tool, threads = compare(args, row, folder, inputs)
                except Failed as error:
                    rows, how = [], [str(error)]
            table += rows
            if how:
                bad.append(f"{row['id']}: {', '.join(how)}")
            else:
                good.update([(control := row["answer_kind"] in peers.CONTROLS), "alone" * (threads == 1), "many" * (not control and tool["false-sharing"] >= FEW)])
            print(row["id"], *how, file=sys.stderr)
    kb.table(["program", "class", "tool", "binary", "off", "trace", "elsewhere"], table, left=(0, 1))
    print(f"\n{good[False]} programs with an answer ({good['many']} of them with {FEW} misses by false sharing and more) and {good[True]} controls within {100 * MOST:.0f} % in each "
          f"class of {FEW} misses and more; {good['alone']} of one thread and without misses by sharing; {len(bad)} off or failed" + "".join("\n  " + text for text in bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
