#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does what the tool advises make small programs with two threads faster on this machine?

Each program of bench/remedies has one struct and a known answer (the comment at its head); of the controls it is "no". Those
named HELD were added after the rules were made, and run once. The tool sees the source alone and knows nothing else. Taken is what it says saves most cycles: its order (as its patch), or a field
as the last one with an alignment (layouts.remedies); else nothing.

  advice     what was taken; keep: nothing
  predicted  cycles saved, of the cost now
  measured   CPU time of both threads, advised by original of the same round: median, least and most

Rounds are paired and shuffled by a fixed seed. The last line: Spearman's rank correlation of predicted and measured savings.
Exit status 1 if something is slower by more than the spread of the originals among themselves.

    bench/remedies.py [--rounds N]"""

import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import kst_bench as kb

HERE = os.path.join(kb.ROOT, "bench", "remedies")
HELD = ["references_mended", "statistics_mended"]


def struct_of(text):
    return re.search(r"^struct (\w+) \{", text, re.M).group(1)


def with_fields_last(text, fields, line_bytes):
    """The text with the declarations of the fields behind all others, the first one aligned."""
    body = re.search(r"^struct \w+ \{\n(.*?)^\};", text, re.M | re.S)
    rows = body.group(1).splitlines()
    moved = [next(r for r in rows if re.search(rf"\b{field}\b(\[\w+\])?;", r)) for field in fields]
    rows = [row for row in rows if row not in moved]
    rows += [moved[0].replace(";", f" __attribute__((aligned({line_bytes})));"), *moved[1:]]
    return text[:body.start(1)] + "\n".join(rows) + "\n" + text[body.end(1):]


def advised(args, folder, name):
    """(advice in words, predicted share saved, text) of one program."""
    source = os.path.join(folder, name)
    with open(source) as file:
        text = file.read()
    with open(os.path.join(folder, "compile_commands.json"), "w") as file:
        json.dump([{"directory": folder, "file": name, "arguments": [args.cc, "-O2", "-pthread", "-c", name]}], file)
    patch = os.path.join(folder, "order.patch")
    report = kb.run_tool(args, folder, folder, ["."], "--struct", struct_of(text), "--no-cache", "--quiet")
    total = report["layouts"]["total"]
    saves = total["current"] - total["proposed"]
    remedy = max(report["layouts"]["remedies"], key=lambda r: r["saves"], default=None)
    if remedy and remedy["saves"] > saves and remedy["saves"] > 0:
        if remedy["kind"] == "align_object":
            return "align the struct", remedy["saves"] / total["proposed"], re.sub(r"^\};", "} __attribute__((aligned(64)));", text, count=1, flags=re.M)
        fields = [remedy["field"], *remedy.get("with", ())]
        return f"align {', '.join(fields)}", remedy["saves"] / total["proposed"], with_fields_last(text, fields, 64)
    if report["verdict"] != "reorder":
        return "keep", 0, text
    kb.run_tool(args, folder, folder, ["."], "--struct", struct_of(text), "--no-cache", "--quiet", "--patch", patch)
    subprocess.run(["patch", "-s", "-p1", "-i", patch], cwd=folder, check=True)
    with open(source) as file:
        return f"order, {len(report['stability']['moves'])} moves", saves / total["current"], file.read()


def build(args, text, folder, name):
    with open(os.path.join(folder, name + ".c"), "w") as file:
        file.write(text)
    subprocess.run([args.cc, "-O2", "-pthread", "-I", HERE, "-o", name, name + ".c"], cwd=folder, check=True)
    return os.path.join(folder, name)


def seconds(program):
    return float(subprocess.run([program], stdout=subprocess.PIPE, check=True, text=True).stdout)


def ranks(values):
    order = sorted(values)
    return [order.index(v) + (order.count(v) - 1) / 2 for v in values]


def main():
    p = kb.parser(__doc__)
    p.add_argument("--rounds", type=int, default=9)
    p.add_argument("--cc", default="clang-19")
    args = p.parse_args()
    names = sorted(n[:-2] for n in os.listdir(HERE) if n.endswith(".c"))
    rows, predicted, measured, slower = [], [], [], []
    shuffle = random.Random(1)
    with tempfile.TemporaryDirectory() as top:
        for name in names:
            folder = os.path.join(top, name)
            os.mkdir(folder)
            for file in (name + ".c", *(n for n in os.listdir(HERE) if n.endswith(".h"))):
                shutil.copy(os.path.join(HERE, file), folder)
            with open(os.path.join(folder, name + ".c")) as file:
                original = file.read()
            words, share, text = advised(args, folder, name + ".c")
            if text == original:
                rows.append([name + (" (held)" if name in HELD else ""), words, "", "", "", ""])
                continue
            programs = {"was": build(args, original, folder, "was"), "is": build(args, text, folder, "is"), "again": build(args, original, folder, "again")}
            ratios, noise = [], []
            for _ in range(args.rounds):
                order = list(programs)
                shuffle.shuffle(order)
                took = {which: seconds(programs[which]) for which in order}
                ratios.append(took["is"] / took["was"])
                noise.append(took["again"] / took["was"])
            middle = statistics.median(ratios)
            predicted.append(share)
            measured.append(1 - middle)
            if middle > max(noise):
                slower.append(name)
            rows.append([name + (" (held)" if name in HELD else ""), words, f"{100 * share:.0f} %", f"{middle:.2f}", f"{min(ratios):.2f} to {max(ratios):.2f}", f"{min(noise):.2f} to {max(noise):.2f}"])
    kb.table(["program", "advice", "predicted", "measured", "least to most", "original by itself"], rows, left=(0, 1))
    correlation = statistics.correlation(ranks(predicted), ranks(measured)) if len(predicted) > 2 else float("nan")
    print(f"\n{len(predicted)} of {len(names)} programs changed; rank correlation of predicted and measured {correlation:.2f}; slower: {', '.join(slower) or 'none'}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
