#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a change of the tool does to its reports: the JSON of twelve structs and more, of two builds, byte for byte.

Kernel 6.12 configured for x86_64, arm64 and arm; both line sizes; two configurations at once; with and without a profile, which a
counting kernel (kst-kernel's `test`, built by ./quickstart test) records in QEMU unless --profile names one.

    bench/same_reports.py --before OLD/kstatic-affinity [--keep DIR]"""

import os
import subprocess
import sys
import tempfile

import kst_bench as kb
from kernel_profile import kst_kernel

X86, ARM64, ARM, COUNTED = "x86_64", "arm64", "arm", "counted"
# Name of the question: configurations, options, paths.
QUESTIONS = {
    "rq": ([X86], [], ["kernel/sched/"]),
    "rq, 128-byte lines": ([X86], ["--cache-line", "128"], ["kernel/sched/"]),
    "rq, two configurations": ([X86, ARM64], [], ["kernel/sched/"]),
    "rq, profile": ([COUNTED], [], ["kernel/sched/"]),
    "rq, profile, ambitious": ([COUNTED], ["--ambitious", "--cache-line", "128"], ["kernel/sched/"]),
    "cfs_rq": ([ARM64], ["--max-moves", "4"], ["kernel/sched/"]),
    "task_struct": ([X86], [], ["kernel/sched/", "kernel/fork.c"]),
    "sched_entity": ([ARM], [], ["kernel/sched/"]),
    "tcp_sock": ([X86], ["--hot", "tcp_rcv_established"], ["net/ipv4/"]),
    "sk_buff": ([X86], [], ["net/core/"]),
    "net_device": ([ARM64], [], ["net/core/"]),
    "zone": ([X86], [], ["mm/"]),
    "kmem_cache": ([ARM64], [], ["mm/"]),
    "dentry": ([X86], [], ["fs/"]),
    "file": ([ARM], [], ["fs/"]),
    "request_queue": ([X86], ["--ambitious"], ["block/"]),
    "hrtimer_cpu_base": ([X86], ["--pin", "lock=first"], ["kernel/time/"]),
}


def profile(scratch):
    made = os.path.join(scratch, "pipe.kstp")
    if os.path.exists(made):
        return made
    out = os.path.join(scratch, "run")
    kst_kernel("boot", "test", "--run", "pipe", "--out", out)
    subprocess.run([os.path.join(kb.ROOT, "build/release/bin/kstatic-affinity"), "profile", "import", os.path.join(out, "pipe.kstraw"),
                    "--binary", kst_kernel("path", "test", "vmlinux"), "--label", "pipe", "-o", made], check=True)
    return made


def report(tool, struct, trees, options, paths, counts, out):
    """Writes the JSON report to `out`; what the tool says if there is none."""
    source = kst_kernel("path", "test", "source") if COUNTED in trees else kb.kernel_tree("source")
    words = [tool, "--struct", struct, "--json", out, "--no-cache", *options, *paths]
    for tree in trees:
        words += ["-p", counts["obj"] if tree == COUNTED else counts[tree]]
        words += ["--profile", counts["profile"]] if tree == COUNTED else []
    done = subprocess.run(words, cwd=source, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return "" if os.path.exists(out) else f"exit status {done.returncode}: {done.stderr.strip()[-200:]}"


def main():
    p = kb.parser(__doc__)
    p.add_argument("--before", type=os.path.abspath, required=True, metavar="FILE", help="the tool before the change")
    p.add_argument("--profile", type=os.path.abspath, metavar="FILE", help="a profile of kst-kernel's `test` instead of a new one")
    p.add_argument("--keep", type=os.path.abspath, metavar="DIR", help="keep reports and profile here; those of `before` are used again")
    args = p.parse_args()
    kb.use_cache(args)
    with tempfile.TemporaryDirectory() as scratch:
        os.makedirs(args.keep or scratch, exist_ok=True)
        trees = {X86: kb.kernel_tree("configure", "conf", os.path.join(kb.kernel_tree("configure", "x86_64"), ".config")),
                 ARM64: kb.kernel_tree("configure", "arm64"), ARM: kb.kernel_tree("configure", "arm"),
                 "obj": kst_kernel("path", "test", "obj"), "profile": args.profile or profile(args.keep or scratch)}
        rows, differ = [], 0
        for name, (configs, options, paths) in QUESTIONS.items():
            texts = []
            for which, tool in (("before", args.before), ("after", args.tool)):
                out = os.path.join(args.keep or scratch, which, name.replace(" ", "-").replace(",", "") + ".json")
                os.makedirs(os.path.dirname(out), exist_ok=True)
                stale = COUNTED in configs and os.path.exists(out) and os.path.getmtime(out) < os.path.getmtime(trees["profile"])
                if which == "after" or stale or not os.path.exists(out):
                    failed = report(tool, name.split(",")[0], configs, options, paths, trees, out)
                    if failed:
                        sys.exit(f"{name}, {which}: {failed}")
                with open(out, "rb") as file:
                    texts.append(file.read())
            differ += texts[0] != texts[1]
            rows.append([name, "+".join(configs), len(texts[1]), "same" if texts[0] == texts[1] else "DIFFERS"])
        kb.table(["question", "configuration", "bytes", "reports"], rows, left=(0, 1, 3))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
