#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which comments in the struct definitions of a kernel demand an order.

Takes all comments in and directly above struct definitions out of the sources,
asks the tool which of them demand something, and compares with labels that a
person gave them (data/comment_rules.labels, by file:line of Linux 6.12). The
labels are of include/linux/[n-z]*.h, include/net/, fs/, kernel/ and block/; the
tool's phrases were made with the rest of include/linux/, net/ and mm/. A label
is either of a "hit", a comment that the first version of the phrases took for a
demand, or of a "sample": 220 of the 542 other comments that had one of the
words WIDE below.

Printed: precision over the labelled hits that the tool still has, for hard
demands ("must") and soft ones apart; recall over all labelled demands, those of
the sample counted 542/220 times each; the figures of the first version, which
had seen none of these comments; and how many comments nobody labelled."""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import kst_bench as kb

HELD_OUT = ["include/linux/[n-z]*.h", "include/net/**/*.h", "fs/**/*.[ch]", "kernel/**/*.[ch]", "block/*.[ch]"]
LABELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "comment_rules.labels")
SAMPLED = 542 / 220
STRUCT = re.compile(r"^(?:typedef\s+)?(?:static\s+)?(?:struct|union)\s+(\w+)?\s*\{", re.M)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
# The words that a comment of the sample had at least one of; only documents how the sample was drawn.
WIDE = """must ... first|last|top|bottom|end|start|offset|adjacent|contiguous|together|apart|order|next to; same layout|order|
offset; layout; order of; do not move|reorder|change|add; mirror; in sync; abi; asm; assembly; must follow|precede|match;
cacheline; hot; cold; first|last field; overlay; contiguous; firmware; hardware; false sharing; user space; reorder"""


def body_end(text, at):
    """Offset of the brace that closes the one at `at`; comments are no code."""
    depth = 0
    for token in re.compile(r"/\*.*?\*/|//[^\n]*|[{}]", re.S).finditer(text, at):
        depth += {"{": 1, "}": -1}.get(token.group(), 0)
        if not depth:
            return token.start()
    return len(text)


def comments(kernel, patterns):
    """(place, record for the tool) of every comment."""
    names = {name for pattern in patterns for name in glob.glob(os.path.join(kernel, pattern), recursive=True)}
    for name in sorted(names):
        with open(name, errors="replace") as file:
            text = file.read()
        for struct in STRUCT.finditer(text):
            end = body_end(text, struct.end() - 1)
            code = COMMENT.sub("", text[struct.end():end])
            fields = sorted(set(re.findall(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\])*\s*(?::\s*\w+\s*)?[;,]", code)) |
                            set(re.findall(r"\(\*(\w+)\)", code)))
            places = [(m.start(), m.end()) for m in COMMENT.finditer(text, struct.start(), end)]
            above = text[:struct.start()].rstrip()
            if above.endswith("*/") and text.count("\n", len(above), struct.start()) <= 1:
                places.append((above.rfind("/*"), len(above)))
            for begin, stop in places:
                yield (f"{os.path.relpath(name, kernel)}:{text.count(chr(10), 0, begin) + 1}",
                       {"struct": struct.group(1) or "", "fields": fields, "comment": text[begin:stop]})


def share(part, whole):
    return f"{part} of {whole}" + (f", {100 * part / whole:.0f} %" if whole else "")


def main():
    parser = kb.parser(__doc__)
    parser.add_argument("--list", action="store_true", help="also print each comment that the tool takes for a demand")
    args = parser.parse_args()
    kb.use_cache(args)
    found = list(comments(kb.kernel_tree("source"), HELD_OUT))
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as asked:
        asked.writelines(json.dumps(record) + "\n" for _, record in found)
        asked.flush()
        answers = subprocess.run([kb.dev_tool(args.tool), "comments", asked.name], check=True, stdout=subprocess.PIPE, text=True)
    demands = {}
    for (place, _), line in zip(found, answers.stdout.splitlines(), strict=True):
        if answer := json.loads(line):
            demands.setdefault(place, []).extend(answer)
            if args.list:
                print(place, "; ".join(f"{d['what']}{'!' if d['firm'] else ''}: {d['words']}" for d in answer))
    hits, sample = {}, {}
    with open(LABELS) as labels:
        for line in labels:
            kind, place, word = line.split()
            (hits if kind == "hit" else sample)[place] = word == "demand"
    missing = sorted({*hits, *sample} - {place for place, _ in found})
    if missing:
        sys.exit(f"{len(missing)} labelled comments are not in this kernel, such as {missing[0]}; labels are of Linux 6.12")

    labelled = {**sample, **hits}
    both = [place for place in demands if place in labelled]
    firm = {place for place in both if any(d["firm"] for d in demands[place])}
    right = {place for place in both if labelled[place]}
    wanted = sum(hits.values()) + SAMPLED * sum(sample.values())
    got = sum(place in right for place in hits) + SAMPLED * sum(place in right for place in sample)
    first = sum(hits.values())
    print(f"comments in definitions        {len(found)}")
    print(f"  taken for a demand           {len(demands)}, of which {len(both)} have a label")
    print(f"precision                      {share(len(right), len(both))}")
    print(f"  hard                         {share(len(right & firm), len(firm))}")
    print(f"  soft                         {share(len(right - firm), len(both) - len(firm))}")
    print(f"recall                         {100 * got / wanted:.0f} %")
    print(f"first version: precision       {share(first, len(hits))}")
    print(f"first version: recall          {100 * first / wanted:.0f} %")


main()
