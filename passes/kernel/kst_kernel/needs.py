# SPDX-License-Identifier: GPL-2.0-or-later
"""What a configuration must have: to be counted, to be booted by `boot`, and to
be built from this source on this machine.

A driver, a file system or the way the kernel is linked is changed without
asking, and reported: hardly a struct depends on it. Whether there is more than
one CPU, or what the processor is, decides about most of them.
"""

import os
import re
import shutil

# Options of lib/Kconfig.kst's "depends on" that are set, and what for.
COUNT = {
    "DEBUG_FS": "the counters are read from there",
    "DEBUG_FS_ALLOW_ALL": "it can be mounted",
    "LTO_NONE": "the plugin runs where a file is compiled",
}
# Those that must be there already, and how to get them.
REFUSED = {
    "X86_64": "counters are one instruction of x86-64; take a configuration of that",
    "SMP": "counters are per-CPU data. CONFIG_SMP=y changes the structs; set it in the configuration if that is "
           "what you want to measure, and boot with --cpus 1 for one CPU",
    "SLUB": "the other allocators do not tell where objects are. Set CONFIG_SLUB=y in the configuration",
    "CC_IS_CLANG": "the plugin is clang's: apt-get install clang-19 lld-19 llvm-19",
}
# What `boot` uses, and what for. Built in: the guest loads no modules.
BOOT = {
    "PRINTK": "the console",
    "TTY": "the console",
    "SERIAL_8250": "the console",
    "SERIAL_8250_CONSOLE": "the console",
    "PCI": "the port for results",
    "VIRTIO_MENU": "the port for results",
    "VIRTIO_PCI": "the port for results",
    "VIRTIO_CONSOLE": "the port for results",
    "BLK_DEV_INITRD": "the guest's files",
    "BINFMT_ELF": "the guest's programs",
    "BINFMT_SCRIPT": "the guest's init",
    "DEVTMPFS": "/dev",
    "PROC_FS": "/proc",
    "SYSFS": "/sys",
    "SHMEM": "/tmp and /out",
    "TMPFS": "/tmp and /out",
}
# Programs that make the image, by what compresses it.
PROGRAMS = {"KERNEL_GZIP": "gzip", "KERNEL_BZIP2": "bzip2", "KERNEL_LZMA": "xz", "KERNEL_XZ": "xz", "KERNEL_LZO": "lzop",
            "KERNEL_LZ4": "lz4", "KERNEL_ZSTD": "zstd"}
PACKAGES = {"xz": "xz-utils"}
# Certificates that distributions keep beside the source of their packages.
KEYS = ("SYSTEM_TRUSTED_KEYS", "SYSTEM_REVOCATION_KEYS")


def values(text):
    """{option without CONFIG_: value} of a configuration; what is not set is "n".

    >>> values('# CONFIG_A is not set\\nCONFIG_B=m\\nCONFIG_C="x y"\\n# Comment\\nCONFIG_B=y\\n')
    {'A': 'n', 'B': 'y', 'C': '"x y"'}
    """
    found = re.findall(r"^(?:CONFIG_(\w+)=(.*)|# CONFIG_(\w+) is not set)$", text, re.M)
    return {name or unset: value or "n" for name, value, unset in found}


def lines(have):
    """The lines of a configuration that turn something on, as a set."""
    return {f"CONFIG_{name}={value}" for name, value in have.items() if value != "n"}


def missing(have, wanted):
    """Those of the wanted options that are not built in, in their order.

    >>> missing({"A": "y", "B": "m"}, ("A", "B", "C"))
    ['B', 'C']
    """
    return [name for name in wanted if have.get(name) != "y"]


def listed(names, wanted):
    """One line for each name: the option, and what for."""
    return "".join(f"\n  CONFIG_{name}: {wanted[name]}" for name in names)


def foreign(have):
    """The processor that a configuration is for, if it is another than x86-64, or None.

    >>> foreign({"ARM64": "y", "64BIT": "y"}), foreign({"64BIT": "n"}), foreign({"X86_64": "y"}), foreign({})
    ('ARM64', 'X86_32', None, None)
    """
    if have.get("64BIT") == "n" or have.get("X86_32") == "y":
        return "X86_32"
    if have.get("X86_64") == "y":
        return None
    other = ("ARM64", "ARM", "RISCV", "PPC", "S390", "MIPS", "LOONGARCH")
    return next((name for name in other if have.get(name) == "y"), None)


def absent_keys(have, folders):
    """{option: value} of lists of certificates of which one is in none of the folders."""
    def there(file):
        return any(os.path.isfile(os.path.join(folder, file)) for folder in folders)

    return {name: have[name] for name in KEYS if not all(there(file) for file in have.get(name, "").strip('"').split())}


def absent_program(have):
    """(option, program, package) of a program that the build will want at its end, or None."""
    for name, program in PROGRAMS.items():
        if have.get(name) == "y" and not shutil.which(program):
            return name, program, PACKAGES.get(program, program)
    return None
