#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does a kernel run with the tool's patches?

  patched_boot.py                       patches of all structs of the list, together in one kernel
  patched_boot.py --each                and one kernel for each patch
  patched_boot.py --struct inode,sock   of these structs
  patched_boot.py --patch FILE          patches from elsewhere, one kernel with all of them
  patched_boot.py --control             an order that breaks the kernel: must be noticed

It shares no code with the rules that the tool follows. A small 6.12 with KASAN, lockdep and other checkers
(bench/patched_boot/debug.config) is built and booted in QEMU without patches, several times, with networking, files, disks,
memory, tasks, IPC and signals (bench/patched_boot/workloads.py; stress-ng, iperf3). Then the tool proposes its patches for that
configuration, they are applied and built, and the kernel boots and runs the same. What is compared:

  workloads  each ends as it did without patches
  log        each line of the kernel's log, without times, addresses and numbers, is one that some boot without patches had

Prints a line for each kernel; exit status 1 if one does not build or run, or has new lines in its log. Kernels and what they
compiled stay in the cache; what exists is not built again."""

import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import kst_bench as kb

sys.path.insert(0, os.path.join(kb.ROOT, "passes", "kernel"))
sys.path.insert(0, os.path.join(kb.ROOT, "bench", "patched_boot"))
sys.dont_write_bytecode = True
from kst_kernel import boot, build, initramfs, state, tree  # noqa: E402
import structs  # noqa: E402
import workloads  # noqa: E402

FRAGMENT = os.path.join(kb.ROOT, "bench", "patched_boot", "debug.config")
PLAIN = "boot-plain"
MEMORY_MB = 1536
DISK_MB = 512
# A kernel's word about itself; with any of these a boot has failed, new or not.
BROKEN = re.compile(r"KASAN|BUG:|Oops|general protection|Kernel panic|possible recursive locking|circular locking|"
                    r"list_(add|del) corruption|bad unlock balance|refcount_t:")


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--struct", action="append", default=[], metavar="NAME[,NAME]", help="instead of those of the list")
    p.add_argument("--each", action="store_true", help="one kernel for each patch too")
    p.add_argument("--patch", action="append", default=[], type=os.path.abspath, metavar="FILE", help="this instead of the tool's")
    p.add_argument("--control", action="store_true", help="boot a kernel in which sk_buff does not begin like sk_buff_head")
    p.add_argument("--options", default="", metavar="WORDS", help="more options of the tool")
    p.add_argument("--plain-boots", type=int, default=3, metavar="N", help="boots without patches to compare with (default 3)")
    p.add_argument("--seconds", type=int, default=1, metavar="N", help="for each stressor (default 1)")
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("--timeout", type=int, default=3600, metavar="SECONDS", help="for one boot")
    p.add_argument("--out", type=os.path.abspath, default="patched-boot", metavar="DIR", help="patches, reports and logs")
    args = p.parse_args()
    args.struct = [name for names in args.struct for name in names.split(",")]
    return args


def step(text):
    print(f"# {text}", file=sys.stderr, flush=True)


def make(name, patches=()):
    """Prepares and builds a kernel; Failed if a patch does not apply or the kernel does not compile."""
    settings = {"version": "6.12", "config": None, "structs": "rq", "plugin": "", "trace": False, "address": "on", "plain": True,
                "options": [], "dirs": "", "patches": list(patches), "fragments": [FRAGMENT]}
    build.prepare(name, settings)
    build.build(name, [])


def guest_files():
    missing = [p for p in ("stress-ng", "iperf3", "ip", "mke2fs") if not any(
        os.access(os.path.join(d, p), os.X_OK) for d in (*os.environ["PATH"].split(":"), "/sbin", "/usr/sbin"))]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)}; scripts/packages names the packages of Debian, set bench")
    return initramfs.with_libraries("stress-ng") | initramfs.with_libraries("iperf3") | initramfs.with_libraries("ip")


Boot = collections.namedtuple("Boot", "ended exits log")  # ended: "" or why not; exits: {label: code}; log: [(level, line)]


def plain_line(text):
    """A line of a log without what differs from boot to boot."""
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|0x[0-9a-fA-F]+|\b[0-9a-fA-F]{6,}\b", "X", text)
    return re.sub(r"\d+", "N", text).strip()


def read_log(text):
    """[(level, line)]; a console has no levels."""
    lines = []
    for line in text.replace("\r", "").splitlines():
        match = re.match(r"(?:<(\d+)>)?\[\s*\d+\.\d+\](?:\[[^]]*\])? (.*)", line)
        if match:
            lines.append((int(match[1] or 6) & 7, plain_line(match[2])))
    return lines


def read_exits(out):
    """How each workload ended, and each of stress-ng's inside of one."""
    exits = {}
    for path in glob.glob(os.path.join(out, "*.exit")):
        label = os.path.basename(path)[:-5]
        with open(path) as file:
            exits[label] = file.read().strip()
        with open(os.path.join(out, label + ".out"), errors="replace") as file:
            exits |= {f"{label} {name}": code for name, code in re.findall(r"^(\S+) ended with (\d+)$", file.read(), re.M)}
    return exits


def run(args, name, out):
    """One boot with all workloads."""
    with tempfile.NamedTemporaryFile(prefix="disk-", dir=state.kernel_dir(name)) as disk:
        disk.truncate(DISK_MB << 20)
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-F", disk.name], check=True, env={**os.environ, "PATH": os.environ["PATH"] + ":/sbin"})
        request = boot.Request(name, [f"{label}={command}" for label, command in workloads.runs(args.seconds)], cpus=args.cpus,
                               memory_mb=MEMORY_MB, timeout_s=args.timeout, files=guest_files(), append="loglevel=6 log_buf_len=8M",
                               qemu=["-drive", f"file={disk.name},if=virtio,format=raw,cache=unsafe"])
        why = ""
        try:
            boot.boot(request, out)
        except state.Failed as error:
            why = str(error)
    exits = read_exits(out)
    if os.path.exists(os.path.join(out, "dmesg")):
        with open(os.path.join(out, "dmesg"), errors="replace") as file:
            return Boot("", exits, read_log(file.read()))
    console = state.kernel_dir(name) / "console.failed"
    return Boot(why.splitlines()[0] if why else "no log", exits, read_log(console.read_text(errors="replace") if console.exists() else ""))


def judge(plain, found):
    """What is wrong with a boot, in words: [] if nothing."""
    known = {line for one in plain for _, line in one.log}
    wrong = [found.ended] if found.ended else []
    expected = {label: {one.exits.get(label) for one in plain} for label in dict.fromkeys(label for one in plain for label in one.exits)}
    wrong += [f"workload {label} ended with {found.exits.get(label, 'nothing')}, without patches with {', '.join(sorted(map(str, codes)))}"
              for label, codes in expected.items() if not found.ended and found.exits.get(label) not in codes]
    new = [line for _, line in found.log if line not in known]
    wrong += [f"log: {line}" for line in dict.fromkeys(new)]
    broken = [line for _, line in found.log if BROKEN.search(line)]
    return sorted(wrong, key=lambda text: text[5:] not in broken)


def propose(args, struct):
    """(patch or None, words) for one struct, on the plain kernel's source and configuration."""
    patch = os.path.join(args.out, struct + ".patch")
    report = os.path.join(args.out, struct + ".json")
    for file in (patch, report):
        if os.path.exists(file):
            os.remove(file)
    settings = build.load(PLAIN)
    command = [args.tool, "--struct", struct, "-p", str(build.obj_dir(PLAIN)), "--quiet", "--json", report, "--patch", patch, "--cache-dir",
               os.path.join(args.out, "facts"), *args.options.split(), *structs.paths_of(struct)]
    done = subprocess.run(command, cwd=tree.source_dir(settings, PLAIN), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = (done.stderr.strip().splitlines() or [""])[-1]
    if not os.path.exists(report):
        return None, f"exit {done.returncode}: {said[:110]}"
    data = kb.read_json(report)
    return (patch if os.path.exists(patch) else None), data["verdict"] + (f" ({said[:90]})" if said and not os.path.exists(patch) else "")


def control_patch(args):
    """sk_buff with its first member moved behind the others."""
    settings = build.load(PLAIN)
    source = tree.source_dir(settings, PLAIN)
    header = source / "include/linux/skbuff.h"
    text = header.read_text()
    begin = text.index("\nstruct sk_buff {\n")
    # The union around next and prev, cut and put behind the first group of members after it.
    union = re.compile(r"\n\tunion \{\n\t\tstruct \{\n.*?\n\t\};\n", re.S).search(text, begin)
    after = text.index("\n\tunion {\n", union.end())
    end = re.compile(r"\n\t\};\n").search(text, after).end()
    changed = text[:union.start() + 1] + text[union.end():end] + text[union.start() + 1:union.end()] + text[end:]
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (("a", text), ("b", changed)):
            path = os.path.join(folder, name, "include/linux")
            os.makedirs(path)
            with open(os.path.join(path, "skbuff.h"), "w") as file:
                file.write(content)
        patch = os.path.join(args.out, "control.patch")
        with open(patch, "w") as file:
            subprocess.run(["diff", "-u", "a/include/linux/skbuff.h", "b/include/linux/skbuff.h"], cwd=folder, stdout=file)
    return patch


def try_patches(args, plain, name, patches):
    """[what is wrong] with a kernel that has these patches."""
    try:
        make(name, patches)
    except state.Failed as error:
        return ["not built: " + str(error).splitlines()[0]]
    return judge(plain, run(args, name, os.path.join(args.out, name)))


def plain_boots(args):
    """Boots without patches; kept from run to run, since they are the same kernel."""
    key = state.digest(build.obj_dir(PLAIN) / ".config", workloads.__file__)[:16]
    boots = []
    for number in range(args.plain_boots):
        kept = os.path.join(args.out, f"plain-{key}-{args.seconds}-{args.cpus}-{number}.json")
        if os.path.exists(kept):
            with open(kept) as file:
                boots.append(Boot(*json.load(file)))
            continue
        step(f"boot {number + 1} of {args.plain_boots} without patches")
        one = run(args, PLAIN, os.path.join(args.out, f"plain-{number}"))
        boots.append(Boot(one.ended, one.exits, [tuple(line) for line in one.log]))
        with open(kept, "w") as file:
            json.dump(one, file)
    for one in boots:
        if one.ended:
            sys.exit(f"the kernel without patches does not run: {one.ended}")
    return boots


def main():
    args = arguments()
    kb.use_cache(args)
    os.makedirs(args.out, exist_ok=True)
    make(PLAIN)
    plain = plain_boots(args)
    failing = sorted({f"{label} ({code})" for one in plain for label, code in one.exits.items() if code != "0"})
    print(f"without patches: {len(plain)} boots, {len(plain[0].exits)} workloads, {len({line for one in plain for _, line in one.log})} kinds of "
          f"lines in the log; end with an error all the same: {', '.join(failing) or 'none'}", flush=True)
    kernels = {}
    if args.control:
        kernels["boot-control"] = [control_patch(args)]
    elif args.patch:
        kernels["boot-given"] = args.patch
    else:
        names = args.struct or list(structs.STRUCTS)
        answers = {name: propose(args, name) for name in names}
        kb.table(["struct", "answer"], [[name, "patch" if patch else said] for name, (patch, said) in answers.items()], left=(0, 1))
        patches = {name: patch for name, (patch, _) in answers.items() if patch}
        kernels["boot-all"] = list(patches.values())
        if args.each:
            kernels |= {f"boot-{name.replace('_', '-')}": [patch] for name, patch in patches.items()}
    failed = 0
    for name, patches in kernels.items():
        wrong = try_patches(args, plain, name, patches)
        print(f"{name}: {len(patches)} patches: " + ("runs, no new line in the log" if not wrong else f"{len(wrong)} DIFFERENCES"), flush=True)
        for text in wrong[:12]:
            print("    " + text[:200])
        failed += bool(wrong)
    if args.control:
        print("the control is noticed" if failed else "the control is NOT noticed")
        return 0 if failed else 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
