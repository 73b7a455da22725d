#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""One object isolated, and what isolation costs, on relinks of a real kernel:

  isolation_padding.py --tool kstatic-affinity --build OUT --source LINUX --work DIR [--only case|text|functions|data]...

OUT and DIR as of isolation_exact.py. case: a function grows by 48 bytes; the object behind its own is aligned to 1, 64 and 4096 bytes, before and
after, and both are linked: heat that changes modulo 64 and 4096 in all objects but the changed one. text: plans of K=32 and 128 objects, applied by
objcopy and linked by ld -r, beside all objects aligned so. data: the same for .data, beside SUBALIGN(4096) in the script of the final link.
functions: .text of the same configuration built anew with DEBUG_FORCE_FUNCTION_ALIGN_64B, which has the compiler align all functions."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from isolation_exact import CHANGES, Build, edited, run  # noqa: E402

ALIGNMENTS = (64, 128, 4096)
FLAGS = "-m elf_x86_64 -z noexecstack --no-warn-rwx-segments"


def farm(build, name):
    """A copy by hard links; what is linked there is new."""
    folder = os.path.join(build.work, name)
    shutil.rmtree(folder, ignore_errors=True)
    run(["cp", "-al", build.base, folder], build.work)
    for made in os.listdir(folder):
        if made.startswith(("vmlinux", ".tmp_vmlinux1.map", ".tmp_vmlinux2.map")):
            os.remove(os.path.join(folder, made))
    return folder


def was_aligned(folder, name, section):
    for line in run(["readelf", "-SW", name], folder).splitlines():
        words = line.split("]", 1)[-1].split()
        if words and words[0] == section:
            return int(words[-1])
    return 1


def align(folder, objects, section, bytes):
    for name in objects:
        path = os.path.join(folder, name)
        if was_aligned(folder, name, section) >= bytes:
            continue  # objcopy would lower it
        run(["objcopy", f"--set-section-alignment={section}={bytes}", path, path + ".new"], folder)
        os.remove(path)
        os.rename(path + ".new", path)


def first_link(build, folder):
    run(["ar", "cDPrST", "vmlinux.a"] + build.objects, folder)
    run(f"ld {FLAGS} -r -Map=vmlinux.o.map -o vmlinux.o --whole-archive vmlinux.a --no-whole-archive", folder)


def final_link(build, folder, script="arch/x86/kernel/vmlinux.lds"):
    """objtool and one final link, with the symbol table of the base: it lies behind all code."""
    tools = open(os.path.join(build.out, ".vmlinux.o.cmd")).readline().split(";")
    objtool = [w for w in tools if "objtool" in w][0].strip().replace("./tools/", f"{build.out}/tools/")
    run(objtool, folder)
    run(f"ld {FLAGS} --emit-relocs --discard-none -z max-page-size=0x200000 --build-id=sha1 --orphan-handling=warn --script={script} -Map=vmlinux.map "
        "-o vmlinux --whole-archive vmlinux.o .vmlinux.export.o init/version-timestamp.o --no-whole-archive .tmp_vmlinux2.kallsyms.o .tmp_vmlinux1.btf.o",
        folder)


def section_bytes(folder, file, section):
    for line in run(["readelf", "-SW", file], folder).splitlines():
        found = re.match(r"\s*\[\s*\d+\]\s+(\S+)\s+\S+\s+\S+\s+\S+\s+([0-9a-f]+)", line)
        if found and found[1] == section:
            return int(found[2], 16)
    raise SystemExit(f"{file}: no {section}")


def chain(build, section):
    """Objects with bytes of that section in link order."""
    out = []
    text = open(os.path.join(build.base, "vmlinux.o.map")).read()
    for size, name in re.findall(r"^ %s\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S+)$" % re.escape(section), text, re.M):
        name = re.sub(r".*\((.*)\)$", r"\1", name)
        if int(size, 16) and os.path.exists(os.path.join(build.base, name)):
            out.append(name)
    return out


def tool_json(args, folder, *words):
    done = subprocess.run([args.tool, "isolation", *words, "--json", "-"], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def case(args, build):
    what, path, function, code = CHANGES[0]
    name = path[:-2] + ".o"
    order = chain(build, ".text")
    behind = order[order.index(name) + 1]
    print(f"{what}: `{function}` of {path}; aligned: {behind}\n")
    print("| aligned to | function heat in other objects changed modulo 64 | modulo 4096 | functions modulo 64 | modulo 4096 |\n|---:|---:|---:|---:|---:|")
    good = True
    for bytes in (1, 64, 4096):
        sides = []
        for change in (False, True):
            folder = farm(build, f"case{bytes}{'after' if change else 'before'}")
            if bytes > 1:
                align(folder, [behind], ".text", bytes)
            if change:
                build.compile(path, edited(open(os.path.join(build.source, path)).read(), function, code), folder)
            first_link(build, folder)
            final_link(build, folder)
            sides.append(folder)
        found = tool_json(args, sides[0], "impact", "vmlinux", "--new", os.path.join(sides[1], "vmlinux"), "--changed", f"{name}={os.path.join(sides[1], name)}")
        rows = {row["modulo"]: row for row in found["modulo"]}
        print(f"| {bytes} | {100 * rows[64]['heatOfOtherObjects']:.2f} % | {100 * rows[4096]['heatOfOtherObjects']:.2f} % "
              f"| {rows[64]['functions']} | {rows[4096]['functions']} |", flush=True)
        good &= (rows[64]["heatOfOtherObjects"] == 0) == (bytes >= 64) and (rows[4096]["heatOfOtherObjects"] == 0) == (bytes >= 4096)
        for folder in sides:
            shutil.rmtree(folder)
    return good


def padding(args, build, section):
    order = chain(build, section)
    made = lambda folder: section_bytes(folder, "vmlinux.o", section)  # noqa: E731
    plain = made(build.base)
    print(f"\n{section}: {len(order)} objects, {plain} bytes\n")
    print("| aligned | to | predicted padding | measured | of the section |\n|---|---:|---:|---:|---:|")
    good = True
    for bytes in ALIGNMENTS:
        for cuts in (32, 128, None):
            folder = farm(build, f"padding{section}{cuts}{bytes}")
            plan = tool_json(args, build.base, "plan", "vmlinux", "-k", str(cuts or 1), "--align", str(bytes), "--section", section)
            predicted = plan["padding"] if cuts else plan["paddingOfAll"]
            align(folder, [cut["object"] for cut in plan["cuts"]] if cuts else order, section, bytes)
            run(["ar", "cDPrST", "vmlinux.a"] + build.objects, folder)
            run(f"ld {FLAGS} -r -o vmlinux.o --whole-archive vmlinux.a --no-whole-archive", folder)
            grown = made(folder) - plain
            good &= grown == predicted
            print(f"| {cuts or 'all objects'} | {bytes} | {predicted} | {grown} | {100 * grown / plain:.1f} % |", flush=True)
            shutil.rmtree(folder)
    return good


def settings(folder):
    with open(os.path.join(folder, ".config")) as file:
        return {line.strip() for line in file if "CONFIG_" in line}


def functions(build):
    """Prints what else of the configuration differs: the option wants EXPERT, which shows other options."""
    folder = os.path.join(build.work, "functions")
    os.makedirs(folder, exist_ok=True)
    shutil.copy(os.path.join(build.out, ".config"), folder)
    run([os.path.join(build.source, "scripts/config"), "-e", "EXPERT", "-e", "DEBUG_FORCE_FUNCTION_ALIGN_64B"], folder)
    make = ["make", "-C", build.source, f"O={folder}", f"-j{os.cpu_count()}"]
    run(make + ["olddefconfig"], folder)
    new = sorted(line for line in settings(folder) - settings(build.out) if line.startswith("CONFIG_"))
    if "CONFIG_DEBUG_FORCE_FUNCTION_ALIGN_64B=y" not in new:
        raise SystemExit("the configuration cannot have DEBUG_FORCE_FUNCTION_ALIGN_64B")
    run(make + ["vmlinux_o"], folder)
    print("\n| build | bytes of .text | of its symbols of code at a multiple of 64 |\n|---|---:|---:|")
    sizes = []
    for what, made in (("as it is", build.base), ("DEBUG_FORCE_FUNCTION_ALIGN_64B", folder)):
        sizes.append(section_bytes(made, "vmlinux.o", ".text"))
        print(f"| {what} | {sizes[-1]} | {100 * aligned_functions(made):.1f} % |")
    print(f"\nall functions aligned: {100 * (sizes[1] - sizes[0]) / sizes[0]:+.1f} % of .text; new in the configuration: {' '.join(new)}", flush=True)


def aligned_functions(folder):
    """Share of the symbols in code that lie at a multiple of 64."""
    starts = [int(line.split()[0], 16) for line in run(["nm", "vmlinux.o"], folder).splitlines() if line.split()[1] in "tT"]
    return sum(start % 64 == 0 for start in starts) / len(starts)


def subalign(build):
    folder = farm(build, "subalign")
    script = open(os.path.join(folder, "arch/x86/kernel/vmlinux.lds")).read()
    changed = re.sub(r"(\n\s*\.data : AT\([^{]*?\))\s*\{", r"\1 SUBALIGN(4096) {", script, count=1)
    if changed == script:
        raise SystemExit("vmlinux.lds: no .data")
    with open(os.path.join(folder, "subalign.lds"), "w") as file:
        file.write(changed)
    # One vmlinux.o has one .data: objects are aligned if they are linked themselves.
    run(["ar", "cDPrST", "vmlinux.a"] + build.objects, folder)
    run(f"ld {FLAGS} --no-warn-mismatch --noinhibit-exec -z max-page-size=0x200000 --script=subalign.lds -o vmlinux --whole-archive vmlinux.a "
        ".vmlinux.export.o init/version-timestamp.o --no-whole-archive .tmp_vmlinux2.kallsyms.o .tmp_vmlinux1.btf.o", folder)
    after = section_bytes(folder, "vmlinux", ".data")
    before = section_bytes(build.base, "vmlinux", ".data")
    print(f"\nSUBALIGN(4096) of the output section .data: {before} to {after} bytes, {100 * (after - before) / before:+.1f} %", flush=True)
    shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--tool", "--build", "--source", "--work"):
        parser.add_argument(option, required=True)
    parser.add_argument("--only", action="append", choices=("case", "text", "functions", "data"))
    args = parser.parse_args()
    args.tool = os.path.abspath(args.tool)
    work = os.path.abspath(args.work)
    os.makedirs(work, exist_ok=True)
    build = Build(os.path.abspath(args.build), os.path.abspath(args.source), work, False)
    build.copy()
    good = True
    if not args.only or "case" in args.only:
        good &= case(args, build)
    for section, word in ((".text", "text"), (".data", "data")):
        if not args.only or word in args.only:
            good &= padding(args, build, section)
    if not args.only or "functions" in args.only:
        functions(build)
    if not args.only or "data" in args.only:
        subalign(build)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
