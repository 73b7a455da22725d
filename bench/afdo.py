#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What is lost when a recording is handed over as a profile of AutoFDO.

    bench/afdo.py --kernel OBJ --counts FILE [--struct NAME=PATH[,PATH]]... [--samples N] [--seed N] [--json FILE]

FILE is what `profile record` wrote of the built kernel OBJ. Its entries and lines are written as AutoFDO's text, by
the documented bytes and not by the tool, in four ways:

  text       names without files, as such profiles have them; functions of one name are one. Lines that did not run
             are in it, as llvm-profgen writes them
  binary     the same in LLVM's extensible binary form (llvm-profdata merge --sample), which must give the same
             profile byte for byte
  hot lines  without lines and functions that did not run, as create_llvm_prof writes them
  samples    hot lines of as many counts as there are samples (--samples): each count is drawn from Poisson's

Each is imported with names resolved by the vmlinux; text and hot lines also without (names). For each struct the
answer with it is compared with the answer with the recording itself: Spearman's correlation of the fields' accesses and
the number of the ten hottest that both have, whether the proposed order is the same, and what it saves when the
recording prices it, of what the recording's own order saves."""

import collections
import filecmp
import json
import math
import os
import random
import subprocess
import sys
import tempfile

import kst_bench as kb

sys.path.insert(0, os.path.join(kb.ROOT, "bench", "reference"))
from counts import Counts  # noqa: E402

STRUCTS = {"rq": ["kernel/sched"], "hrtimer_cpu_base": ["kernel/time"], "pipe_inode_info": ["fs/pipe.c", "fs/splice.c"]}
HOTTEST = 10


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--kernel", required=True, metavar="OBJ", help="output directory of a finished build", type=os.path.abspath)
    p.add_argument("--counts", required=True, metavar="FILE", type=os.path.abspath)
    p.add_argument("--struct", action="append", metavar="NAME=PATH,...", help=f"default: {', '.join(STRUCTS)}")
    p.add_argument("--samples", type=int, default=1_000_000, help="default: 1000000")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--llvm-profdata", default="llvm-profdata-19")
    p.add_argument("--json", metavar="FILE")
    return p.parse_args()


def by_name(counts):
    """{function: (entries, {offset: runs})}, functions of one name together."""
    entries, lines = collections.Counter(), collections.defaultdict(collections.Counter)
    for (_, name), times in counts.entries.items():
        entries[name] += times
    for (_, name), runs in counts.lines.items():
        lines[name].update(runs)
    return {name: (entries[name], lines[name]) for name in entries}


def drawn(functions, samples, seed):
    """The same with Poisson counts, about so many of lines in all."""
    rng = random.Random(seed)
    share = samples / sum(sum(runs.values()) for _, runs in functions.values())

    def poisson(mean):
        if mean > 50:
            return max(0, round(rng.gauss(mean, math.sqrt(mean))))
        limit, product, k = math.exp(-mean), rng.random(), 0
        while product > limit:
            product *= rng.random()
            k += 1
        return k

    return {name: (poisson(entered * share), {at: poisson(runs[at] * share) for at in sorted(runs)})
            for name, (entered, runs) in sorted(functions.items())}


def text(functions, zeros):
    """AutoFDO's text: name:samples:head, then lines from that of the name, of which 16 bits are kept."""
    out = []
    for name, (entered, runs) in sorted(functions.items()):
        kept = {at & 0xffff: count for at, count in runs.items() if count or zeros}
        if zeros or entered or kept:
            out.append(f"{name}:{sum(kept.values())}:{entered}\n" + "".join(f" {at}: {kept[at]}\n" for at in sorted(kept)))
    return "".join(out)


def imported(args, path, *options):
    profile = f"{path}{''.join(options[:1])}.kstp"
    command = [args.tool, "profile", "import", path, "-o", profile, *options]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    print(f"{os.path.basename(path)}{' ' + options[0] if options else ''}: {done.stderr.splitlines()[0].split(path + ': ', 1)[1]}")
    return profile


def profiles(args, folder):
    """{way: profile}."""
    functions = by_name(Counts(args.counts))
    files = {"text": text(functions, True), "hot lines": text(functions, False),
             "samples": text(drawn(functions, args.samples, args.seed), False)}
    program = ["--binary", os.path.join(args.kernel, "vmlinux")]
    out = {"recording": args.counts}
    for way, content in files.items():
        path = os.path.join(folder, way.replace(" ", "-") + ".afdo")
        with open(path, "w") as file:
            file.write(content)
        out[way] = imported(args, path, *program)
        if way != "samples":
            out[f"{way}, names"] = imported(args, path)
        if way == "text":
            binary = os.path.join(folder, "binary.afdo")
            subprocess.run([args.llvm_profdata, "merge", "--sample", "--extbinary", path, "-o", binary], check=True)
            out["binary"] = imported(args, binary, *program)
            print("binary:", "the same profile" if filecmp.cmp(out["text"], out["binary"], shallow=False) else "ANOTHER PROFILE")
            del out["binary"]
    return out


def accesses(report):
    return {field["name"]: field["reads"] + field["writes"] for field in report["fields"] if field["name"]}


def order(report):
    return [field for field in report["layouts"]["proposed"]["order"] if field]


def saved(total, cost):
    return total["current"] - cost


def judged(args, source, ways, struct, paths, folder):
    def ask(*words):
        return kb.run_tool(args, source, args.kernel, paths, "--struct", struct, "--quiet", *words)

    reports = {way: ask("--profile", profile) for way, profile in ways.items()}
    files = {}
    for way, report in reports.items():
        files[way] = os.path.join(folder, f"{struct}.{way}.order".replace(" ", "-"))
        with open(files[way], "w") as file:
            file.write("".join(field + "\n" for field in order(report)))
    priced = ask("--profile", args.counts, *(word for path in files.values() for word in ("--order", path)))["layouts"]
    costs = {way: answer["total"] for way, answer in zip(files, priced["asked"])}
    true = accesses(reports["recording"])
    hot = sorted(true, key=true.get, reverse=True)[:HOTTEST]
    rows = []
    for way, report in reports.items():
        field = accesses(report)
        own = saved(priced["total"], costs["recording"])
        rows.append({"struct": struct, "way": way, "rank": kb.spearman([field[f] for f in true], [true[f] for f in true]),
                     "hottest": len(set(hot) & set(sorted(field, key=field.get, reverse=True)[:HOTTEST])), "verdict": report["verdict"],
                     "same_order": order(report) == order(reports["recording"]),
                     "saved": saved(priced["total"], costs[way]) / own if own else None})
    return rows


def cells(row):
    share = "" if row["saved"] is None else f"{100 * row['saved']:.0f} %"
    return [row["struct"], row["way"], f"{row['rank']:.3f}", f"{row['hottest']} of {HOTTEST}", row["verdict"], "yes" if row["same_order"] else "no", share]


def main():
    args = arguments()
    structs = {name: paths.split(",") for name, paths in (word.split("=", 1) for word in args.struct)} if args.struct else STRUCTS
    source = os.path.realpath(os.path.join(args.kernel, "source"))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        ways = profiles(args, folder)
        for struct, paths in structs.items():
            rows += judged(args, source, ways, struct, paths, folder)
            print(f"{struct}: done", file=sys.stderr, flush=True)
            if args.json:
                with open(args.json, "w") as file:
                    json.dump(rows, file, indent=1)
    kb.table(["struct", "profile", "rank", "hottest", "verdict", "same order", "saves"], [cells(row) for row in rows], left=(0, 1))


if __name__ == "__main__":
    main()
