# SPDX-License-Identifier: GPL-2.0-or-later
"""Configurations of users, for bench/kernel_boots.py: made complete without
anything that kst-kernel needs, then prepared, built, booted and counted."""

import json
import os
import subprocess

import kernel_profile as kp
import kst_bench as kb

MANY = """rq,cfs_rq,rt_rq,dl_rq,root_domain,sched_domain,sched_entity,task_struct,signal_struct,sighand_struct,mm_struct,
vm_area_struct,anon_vma,anon_vma_chain,file,inode,dentry,super_block,address_space,mount,nsproxy,cred,pid,fs_struct,
files_struct,hrtimer,hrtimer_cpu_base,timer_base,work_struct,worker,kmem_cache,pipe_inode_info""".replace("\n", "")

# Name: options on top of allnoconfig with 64BIT and SMP (no modules, no NUMA, no
# PCI, nothing of virtio); the structs; where they are counted; how to boot.
CONFIGS = {
    "modules-off": ([], "rq", "kernel lib", []),
    "structs-32": ([], MANY, "kernel lib mm fs", []),
    "realtime": (["EXPERT", "PREEMPT_RT", "ACPI", "NUMA", "NUMA_EMU"], "rq", "kernel lib", ["--append", "numa=fake=2"]),
}


def complete(fragment, source, folder):
    """The path of a complete configuration with these options on, made in that directory, which a later build reads again."""
    os.makedirs(folder, exist_ok=True)
    lines = os.path.join(folder, "fragment")
    with open(lines, "w") as file:
        file.writelines(f"CONFIG_{option}=y\n" for option in ["64BIT", "SMP", *fragment])
    subprocess.run(["make", "-s", "-C", source, f"O={folder}", "ARCH=x86_64", "LLVM=-19", f"KCONFIG_ALLCONFIG={lines}",
                    "allnoconfig"], check=True, stdout=subprocess.DEVNULL)
    return os.path.join(folder, ".config")


def build(kernel, config, structs, dirs):
    """Prepares and builds a kernel of a user's configuration."""
    kp.kst_kernel("prepare", kernel, "--config", config, "--structs", structs, "--dirs", dirs)
    kp.kst_kernel("build", kernel)


def shown(tool, kernel, raw, folder):
    """What `profile show --json` says of raw counters of the kernel."""
    profile, text = os.path.join(folder, "run.kstp"), os.path.join(folder, "run.json")
    vmlinux = kp.kst_kernel("path", kernel, "vmlinux")
    subprocess.run([tool, "profile", "import", raw, "--binary", vmlinux, "-o", profile], check=True)
    subprocess.run([tool, "profile", "show", profile, "--json", text], check=True, stdout=subprocess.DEVNULL)
    return kb.read_json(text)


def accesses(profile):
    """{struct: accesses} of a profile."""
    kinds = ("reads", "writes", "bulk_reads", "bulk_writes", "by_address_reads", "by_address_writes")
    return {struct["name"]: sum(struct[kind] for kind in kinds) for struct in profile["structs"]}


def counts_where_it_must_not(kernel):
    """What kst-verify-kernel says against the kernel; "" if nothing."""
    done = subprocess.run([os.path.join(kb.ROOT, "build", "release", "bin", "kst-verify-kernel"), "--tree",
                           kp.kst_kernel("path", kernel)], capture_output=True, text=True)
    return (done.stdout + done.stderr).strip() if done.returncode else ""
