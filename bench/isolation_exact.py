#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Predicted addresses against a real relink, every symbol:

  isolation_exact.py --tool kstatic-affinity --build OUT --source LINUX --work DIR

OUT is the output directory of a kernel built by gcc and GNU ld; --linker links its
objects with lld. Each change of CHANGES is compiled alone, with the command that
built the file, and linked by the steps of scripts/link-vmlinux.sh (BTF is taken from
OUT: no change touches types).
Without X86_KERNEL_IBT in its configuration the last step links the objects
themselves and not vmlinux.o. With --ibt-off that is done although it is there; the
objects stay as they are."""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

# What is put behind the opening brace of a function, or at the end of the file.
CHANGES = [
    ("text grows by 48", "kernel/sched/core.c", "schedule_tail", 'asm volatile(".skip 48, 0x90");'),
    ("text grows by exactly 64", "net/core/dev.c", "dev_queue_xmit_nit", 'asm volatile(".skip 64, 0x90");'),
    ("text shrinks", "fs/dcache.c", "shrink_dcache_sb", "if (1) return;"),
    ("a byte, absorbed by padding", "drivers/char/mem.c", "null_lseek", 'asm volatile("nop");'),
    ("a warning: text, strings, tables", "mm/page_alloc.c", "free_pages_exact", 'if (!virt) pr_warn("isolation: no pages to free at %p\\n", virt);'),
    ("hot text, several functions", "net/ipv4/tcp_input.c", "tcp_rcv_established", 'asm volatile(".skip 17, 0x90");'),
    ("text of init", "fs/namespace.c", "mnt_init", 'asm volatile(".skip 100, 0x90");'),
    ("data grows by 24", "kernel/time/timer.c", None, "static unsigned long isolation_data[3] __used = { 1, 2, 3 };"),
    ("exactly 64 of data", "kernel/fork.c", None, "static unsigned long isolation_data[8] __used = { 1 };"),
    ("bss grows by 100", "block/blk-core.c", None, "static char isolation_bss[100] __used;"),
    ("read-mostly", "net/core/sock.c", None, "static unsigned int isolation_mostly __used __read_mostly = 7;"),
    ("constants", "lib/vsprintf.c", None, "static const unsigned int isolation_table[5] __used = { 1, 2, 3, 4, 5 };"),
    ("per CPU", "kernel/softirq.c", None, "static DEFINE_PER_CPU(unsigned long, isolation_percpu) __used;"),
    ("a section the object had not", "fs/pipe.c", None, "static unsigned long isolation_once[2] __used __section(\".data..ro_after_init\") = { 1 };"),
]


def edited(text, function, code):
    if function is None:
        return text + "\n" + code + "\n"
    found = list(re.finditer(r"\b%s\s*\([^;{}]*\)\s*\{" % function, text))
    if not found:
        raise SystemExit(f"no definition of {function}")
    return text[: found[-1].end()] + " " + code + text[found[-1].end():]


def run(command, folder, **more):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, shell=isinstance(command, str), **more)
    if done.returncode:
        raise SystemExit(f"{command}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


class Build:
    """The objects of OUT without debug information, and links of them."""

    def __init__(self, out, source, work, ibt_off, linker="ld"):
        self.out, self.source, self.work, self.linker = out, source, work, linker
        with open(os.path.join(out, ".config")) as file:
            self.ibt_off = ibt_off or "CONFIG_X86_KERNEL_IBT=y\n" not in file
        self.btf = ".tmp_vmlinux1.btf.o" if os.path.exists(os.path.join(out, ".tmp_vmlinux1.btf.o")) else ""
        self.base = os.path.join(work, "base")
        self.objects = run(["ar", "t", "vmlinux.a"], out).split()

    def copy(self):
        if os.path.exists(os.path.join(self.base, "complete")):
            return
        others = [".vmlinux.export.o", "init/version-timestamp.o", ".tmp_vmlinux0.kallsyms.o", ".tmp_vmlinux1.btf.o"]
        for name in self.objects + [name for name in others if "btf" not in name or self.btf]:
            to = os.path.join(self.base, name)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            if not os.path.exists(to):
                run(["objcopy", "--strip-debug", name, to] if "btf" not in name else ["cp", name, to], self.out)
        os.makedirs(os.path.join(self.base, "arch/x86/kernel"), exist_ok=True)
        shutil.copy(os.path.join(self.out, "arch/x86/kernel/vmlinux.lds"), os.path.join(self.base, "arch/x86/kernel"))
        self.link(self.base)
        open(os.path.join(self.base, "complete"), "w").close()

    def compile(self, path, text, folder):
        """The object of a changed source, with the command that built it."""
        name = path[:-2] + ".o"
        command = os.path.join(self.out, os.path.dirname(name), f".{os.path.basename(name)}.cmd")
        line, *tools = open(command).readline().split(":=", 1)[1].split(";")
        place = os.path.join(self.work, "source")
        os.makedirs(place, exist_ok=True)
        changed = os.path.join(place, os.path.basename(path))
        with open(changed, "w") as file:
            file.write(text)
        original = os.path.join(self.source, path)
        words = [changed if os.path.realpath(os.path.join(self.out, w)) == os.path.realpath(original) else w for w in shlex.split(line.strip())]
        words = [w for w in words if not w.startswith("-Wp,-MMD")]
        to = os.path.join(folder, name)
        words[words.index("-o") + 1] = to + ".new"
        words += ["-Wno-error", f"-fmacro-prefix-map={changed}={path}", "-iquote", os.path.dirname(original)]
        run(words, self.out)
        for tool in tools:  # objtool; with IBT it reads vmlinux.o
            if "objtool" in tool:
                run(shlex.split(tool)[:-1] + [to + ".new"], self.out)
        run(["objcopy", "--strip-debug", to + ".new"], self.out)
        os.remove(to)
        os.rename(to + ".new", to)
        return name

    def link(self, folder):
        out, source = self.out, self.source
        # Other builds may share these files: nothing is written to in place.
        keep = (".tmp_vmlinux0.kallsyms.o", ".tmp_vmlinux1.btf.o")
        for name in os.listdir(folder):
            if name.startswith(("vmlinux", ".tmp_vmlinux")) and name not in keep:
                os.remove(os.path.join(folder, name))
        flags = "-m elf_x86_64 -z noexecstack" + (" --no-warn-rwx-segments" if self.linker == "ld" else "")
        run(["ar", "cDPrST", "vmlinux.a"] + self.objects, folder)
        if self.ibt_off:
            whole = "vmlinux.a"
        else:
            tools = open(os.path.join(out, ".vmlinux.o.cmd")).readline().split(";")
            objtool = [w for w in tools if "objtool" in w][0].strip().replace("./tools/", f"{out}/tools/")
            run(f"{self.linker} {flags} -r -Map=vmlinux.o.map -o vmlinux.o --whole-archive vmlinux.a --no-whole-archive && {objtool}", folder)
            whole = "vmlinux.o"

        def final(name, symbols):
            run(f"{self.linker} {flags} --emit-relocs --discard-none -z max-page-size=0x200000 --build-id=sha1 --orphan-handling=warn "
                f"--script=arch/x86/kernel/vmlinux.lds -Map={name}.map -o {name} --whole-archive {whole} .vmlinux.export.o "
                f"init/version-timestamp.o --no-whole-archive {symbols} {self.btf}", folder)

        def kallsyms(image, name):
            run(f"nm -n {image} | sed -f {source}/scripts/mksysmap > {image}.syms && "
                f"{out}/scripts/kallsyms --absolute-percpu {image}.syms > {name}.S && "
                f"gcc -c -D__ASSEMBLY__ -D__KERNEL__ -include {out}/include/generated/autoconf.h -I{source}/arch/x86/include "
                f"-I{out}/arch/x86/include/generated -I{source}/include -I{out}/include -x assembler-with-cpp -o {name}.new {name}.S && "
                f"rm -f {name}.o {name}.S && mv {name}.new {name}.o", folder)

        final(".tmp_vmlinux1", ".tmp_vmlinux0.kallsyms.o")
        kallsyms(".tmp_vmlinux1", ".tmp_vmlinux1.kallsyms")
        final(".tmp_vmlinux2", ".tmp_vmlinux1.kallsyms.o")
        kallsyms(".tmp_vmlinux2", ".tmp_vmlinux2.kallsyms")
        final("vmlinux", ".tmp_vmlinux2.kallsyms.o")
        for name in (".tmp_vmlinux1", ".tmp_vmlinux2"):
            os.remove(os.path.join(folder, name))

    def changed(self, number, changes):
        """A build with the changes: hard links to the base, and what differs."""
        folder = os.path.join(self.work, f"change{number}")
        shutil.rmtree(folder, ignore_errors=True)
        run(["cp", "-al", self.base, folder], self.work)
        texts = {}
        for _, path, function, code in changes:
            text = texts.get(path) or open(os.path.join(self.source, path)).read()
            texts[path] = edited(text, function, code)
        for path, text in texts.items():
            self.compile(path, text, folder)
        self.link(folder)
        return folder


def check(tool, build, folder):
    done = subprocess.run([tool, "isolation", "verify", "vmlinux", "--new", os.path.join(folder, "vmlinux"), "--against", folder,
                           "--new-map", os.path.join(folder, "vmlinux.map"), "--json", "-"], cwd=build.base, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--tool", "--build", "--source", "--work"):
        parser.add_argument(option, required=True)
    parser.add_argument("--ibt-off", action="store_true")
    parser.add_argument("--linker", default="ld", help="ld (default) or an ld.lld")
    parser.add_argument("--only", type=int, action="append")
    args = parser.parse_args()
    args.tool = os.path.abspath(args.tool)
    work = os.path.abspath(args.work)
    os.makedirs(work, exist_ok=True)
    build = Build(os.path.abspath(args.build), os.path.abspath(args.source), work, args.ibt_off, args.linker)
    build.copy()
    sets = [[change] for change in CHANGES] + [CHANGES]
    bad = 0
    print("| change | file | symbols | moved | generated sections given | mismatches |\n|---|---|---:|---:|---:|---:|", flush=True)
    for number, changes in enumerate(sets):
        if args.only and number not in args.only:
            continue
        folder = build.changed(number, changes)
        found = check(args.tool, build, folder)
        wrong = found["wrong"] + found["onlyNew"] + found["onlyPredicted"] + found["unplaced"]
        bad += wrong
        what = changes[0][0] if len(changes) == 1 else "all of them at once"
        print(f"| {what} | {changes[0][1] if len(changes) == 1 else '-'} | {found['symbols']} | {found['moved']} | {len(found['generated'])} | {wrong} |", flush=True)
        if not wrong:
            shutil.rmtree(folder)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
