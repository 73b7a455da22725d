#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An isolated kernel boots:

  isolation_boot.py --tool kstatic-affinity --build OUT --source LINUX --work DIR

OUT and DIR as of isolation_exact.py; OUT has a bzImage. Objects are aligned by the commands of `isolation plan -k 32 --align 64`, linked with all steps,
made a bzImage with the commands of OUT, and booted in QEMU with an init that prints a line."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from isolation_exact import Build, run  # noqa: E402
from isolation_padding import farm, section_bytes  # noqa: E402

STEPS = ["compressed/vmlinux.bin", "compressed/vmlinux.relocs", "compressed/vmlinux.bin.gz", "compressed/piggy.S", "compressed/piggy.o", "compressed/vmlinux",
         "vmlinux.bin", "zoffset.h", "header.o", "setup.elf", "setup.bin", "bzImage"]
SAYS = "isolated: init runs"


def saved_command(out, target):
    path = os.path.join(out, "arch/x86/boot", os.path.dirname(target), f".{os.path.basename(target)}.cmd")
    if target.endswith(".relocs"):
        return "arch/x86/tools/relocs vmlinux > arch/x86/boot/compressed/vmlinux.relocs"
    command = open(path).readline().split(":=", 1)[1].strip()
    return command.replace("$(pound)", "#").replace("$$", "$")


def image(build, folder):
    for name in ("include", "arch/x86/include", "arch/x86/tools"):
        if not os.path.lexists(os.path.join(folder, name)):
            os.symlink(os.path.join(build.out, name), os.path.join(folder, name))
    boot = os.path.join(folder, "arch/x86/boot")
    shutil.rmtree(boot, ignore_errors=True)
    shutil.copytree(os.path.join(build.out, "arch/x86/boot"), boot, symlinks=True)
    stub = "drivers/firmware/efi/libstub"  # with CONFIG_EFI_STUB
    if os.path.isdir(os.path.join(build.out, stub)) and not os.path.exists(os.path.join(folder, stub)):
        os.symlink(os.path.join(build.out, stub), os.path.join(folder, stub))
    run([os.path.join(build.out, "scripts/sorttable"), "vmlinux"], folder)
    for step in STEPS:
        made = os.path.join(boot, step)
        if os.path.exists(made):
            os.remove(made)
        run(saved_command(build.out, step), folder)
    return os.path.join(boot, "bzImage")


def initrd(build, folder):
    source = f'#include <stdio.h>\n#include <sys/reboot.h>\nint main(void) {{ puts("{SAYS}"); fflush(stdout); reboot(RB_AUTOBOOT); return 0; }}\n'
    with open(os.path.join(folder, "init.c"), "w") as file:
        file.write(source)
    run(["gcc", "-static", "-O1", "-o", "init.bin", "init.c"], folder)
    with open(os.path.join(folder, "init.list"), "w") as file:
        file.write("dir /dev 755 0 0\nnod /dev/console 600 0 0 c 5 1\nfile /init init.bin 755 0 0\n")
    run(f"{build.out}/usr/gen_init_cpio init.list > init.cpio", folder)
    return os.path.join(folder, "init.cpio")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--tool", "--build", "--source", "--work"):
        parser.add_argument(option, required=True)
    parser.add_argument("--cuts", type=int, default=32)
    parser.add_argument("--align", type=int, default=64)
    args = parser.parse_args()
    build = Build(os.path.abspath(args.build), os.path.abspath(args.source), os.path.abspath(args.work), False)
    os.makedirs(build.work, exist_ok=True)
    build.copy()
    folder = farm(build, "boot")
    run([os.path.abspath(args.tool), "isolation", "plan", "vmlinux", "-k", str(args.cuts), "--align", str(args.align), "--objcopy",
         os.path.join(folder, "align.sh"), "--quiet"], build.base)
    lines = open(os.path.join(folder, "align.sh")).read().splitlines()
    for line in lines:  # GNU objcopy: the same option. Names are hard links.
        option, name = line.split()[-2:]
        run(["objcopy", "--set-section-alignment", option, name, name + ".new"], folder)
        os.remove(os.path.join(folder, name))
        os.rename(os.path.join(folder, name + ".new"), os.path.join(folder, name))
    build.link(folder)
    grown = section_bytes(folder, "vmlinux.o", ".text") - section_bytes(build.base, "vmlinux.o", ".text")
    kernel = image(build, folder)
    begin = time.time()
    done = subprocess.run(["qemu-system-x86_64", "-accel", "tcg", "-smp", "2", "-m", "512", "-nographic", "-no-reboot", "-kernel", kernel, "-initrd",
                           initrd(build, folder), "-append", "console=ttyS0 panic=-1 rdinit=/init"], capture_output=True, text=True, timeout=280)
    said = SAYS in done.stdout
    version = re.search(r"Linux version \S+", done.stdout)
    print(f"{len(lines)} objects aligned to {args.align}, {grown} bytes of padding in .text: "
          f"{version[0] if version else 'no kernel'}, init {'runs' if said else 'does not run'}, {time.time() - begin:.0f} s in QEMU")
    if not said:
        print(done.stdout[-2000:], file=sys.stderr)
    return 0 if said else 1


if __name__ == "__main__":
    sys.exit(main())
