#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random lists of objects, linked by a real linker before and after random changes
of size, against `isolation verify`:

  isolation_links.py --tool kstatic-affinity [--linker ld.lld-19|ld] [--number 200] [--seed 1]

Each object has sections .text, .data, .bss, .rodata and sometimes others, of
random sizes and alignments, with symbols at random places. Some links have a
linker script with assignments and alignments, others the linker's own layout."""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

SECTIONS = ['.text,"ax",@progbits', '.data,"aw",@progbits', '.bss,"aw",@nobits', '.rodata,"a",@progbits', '.text.hot,"ax",@progbits', '.data.rel,"aw",@progbits']

SCRIPT = """SECTIONS {
  . = 0x100000;
  .text : { first = .; *(.text.hot) . = ALIGN(%d); *(.text) last = .; }
  . = ALIGN(0x1000);
  .rodata : { *(.rodata) }
  .data : { *(.data.rel) . = . + %d; between = .; *(.data) }
  . = ALIGN(%d);
  .bss : { *(.bss) }
  end = .;
  /DISCARD/ : { *(.note*) }
}
"""


def section(rand, name):
    """Sizes of pieces between symbols, and the alignment."""
    return {"name": name, "align": rand.choice([1, 4, 8, 16, 16, 32, 64, 128]), "pieces": [rand.randrange(0, 90) for _ in range(rand.randrange(1, 6))]}


def assembly(number, sections):
    lines = [".globl _start", "_start:"] if number == 0 else []
    out = [".text"] + lines
    for index, of in enumerate(sections):
        out += [f'.section {of["name"]}', f'.balign {of["align"]}']
        fill = ".skip {}" if "nobits" in of["name"] or "\"a" in of["name"] and "x" not in of["name"] else ".skip {}, 0x90"
        for piece, size in enumerate(of["pieces"]):
            symbol = f"s{number}_{index}_{piece}"
            out += [f".globl {symbol}"] if (number + piece) % 2 else []
            out += [f'.type {symbol}, @{"function" if "x" in of["name"].split(",")[1] else "object"}', f"{symbol}:", fill.format(size), f".size {symbol}, {size}"]
    return "\n".join(out) + "\n"


def build(folder, name, text):
    path = os.path.join(folder, name)
    subprocess.run(["as", "--no-warn", "-o", path, "-"], input=text, text=True, check=True)


def change(rand, sections):
    of = rand.choice(sections)
    where = rand.randrange(len(of["pieces"]))
    kind = rand.randrange(4)
    if kind == 0:
        of["pieces"][where] += 64
    elif kind == 1:
        of["pieces"][where] += rand.randrange(1, 200)
    elif kind == 2:
        of["pieces"][where] -= rand.randrange(0, of["pieces"][where] + 1)
    else:
        of["align"] = rand.choice([1, 8, 64, 256])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--linker", default="ld.lld-19")
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.tool = os.path.abspath(args.tool)
    bad = symbols = moved = scripts = 0
    for number in range(args.number):
        rand = random.Random(args.seed * 100003 + number)
        with tempfile.TemporaryDirectory() as folder:
            count = rand.randrange(2, 13)
            objects = [[section(rand, name) for name in SECTIONS if rand.random() < 0.8] or [section(rand, SECTIONS[0])] for _ in range(count)]
            names = [f"o{i}.o" for i in range(count)]
            options = []
            if rand.random() < 0.5:
                scripts += 1
                with open(os.path.join(folder, "script"), "w") as file:
                    file.write(SCRIPT % (rand.choice([1, 16, 64]), rand.randrange(100), rand.choice([8, 64, 4096])))
                options = ["-T", "script"]
            for i, sections in enumerate(objects):
                build(folder, names[i], assembly(i, sections))
            os.mkdir(os.path.join(folder, "new"))

            def link(where, out):
                inputs = [os.path.join("new", n) if where and os.path.exists(os.path.join(folder, "new", n)) else n for n in names]
                subprocess.run([args.linker, "-static", *options, f"-Map={out}.map", "-o", out, *inputs], cwd=folder, check=True,
                               stderr=subprocess.DEVNULL)

            link(False, "old")
            for i in rand.sample(range(count), rand.randrange(1, min(4, count) + 1)):
                change(rand, objects[i])
                build(folder, os.path.join("new", names[i]), assembly(i, objects[i]))
            link(True, "image")
            done = subprocess.run([args.tool, "isolation", "verify", "old", "--new", "image", "--against", "new", "--heat", "none", "--json", "-"],
                                  cwd=folder, capture_output=True, text=True)
            if done.returncode not in (0, 1):
                sys.exit(done.stderr)
            found = json.loads(done.stdout)
            wrong = found["wrong"] + found["onlyNew"] + found["onlyPredicted"] + found["unplaced"]
            symbols += found["symbols"]
            moved += found["moved"]
            if wrong:
                bad += 1
                if bad <= 5:
                    print(f"list {number}: {wrong} mismatches, first {(found['wrongSymbols'] + found['newSymbols'] + found['missingSymbols'] + [{}])[0]}"
                          f"; unexplained {found['unexplained'][:3]}; script {bool(options)}", file=sys.stderr)
    print(f"{args.linker}: {args.number} lists of objects ({scripts} with a linker script), {symbols} symbols, {moved} moved, {bad} lists with mismatches")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
