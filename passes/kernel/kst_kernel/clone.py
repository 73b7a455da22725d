# SPDX-License-Identifier: GPL-2.0-or-later
"""A patched kernel's build directory, begun as a copy of the unpatched one's.

kbuild compiles again what has another command line or a later source. The
files of a kernel's own tree are those of the shared one, with their times, but
for the patched ones (tree.py). So with the paths in the noted command lines
replaced, make compiles what the patches change and nothing else; what this
overlooks it compiles once too often.
"""

import json
import os
import pathlib
import re
import shutil

from . import state, tree

# What is linked from everything: a build that was interrupted has no image.
LEFT_OUT = (".version", "bzImage", "vmlinux", "vmlinux.o", "vmlinux.a", "vmlinux.bin*", ".tmp_vmlinux*")


def like(settings):
    """What two kernels must have in common."""
    return {key: value for key, value in settings.items() if key != "patches"}


def original(settings, name):
    """The name of a built kernel with the same settings and without patches, or None."""
    for file in sorted((state.cache() / "kernels").glob("*/settings.json")):
        other = json.loads(file.read_text())
        built = file.parent / "obj" / "arch" / "x86" / "boot" / "bzImage"
        if file.parent.name != name and not tree.is_own(other) and like(other) == like(settings) and built.is_file():
            return file.parent.name
    return None


def renamed(text, places):
    """Paths replaced that begin with an old place.

    >>> renamed(b"-I/c/src/include -fmacro-prefix-map=/c/src/= /c/src.orig/a /c/src", [(b"/c/src", b"/own")])
    b'-I/own/include -fmacro-prefix-map=/own/= /c/src.orig/a /own'
    """
    for old, new in places:
        text = re.sub(re.escape(old) + rb"(?![\w.+-])", lambda _: new, text)
    return text


def rename_commands(obj, places):
    for folder, _, files in os.walk(obj):
        for file in files:
            if not file.endswith((".cmd", ".d")):
                continue
            path = pathlib.Path(folder) / file
            before = path.read_bytes()
            after = renamed(before, places)
            if after != before:
                times = path.stat()
                path.write_bytes(after)
                os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def begin(settings, name, obj):
    """Fills an empty build directory of a kernel with a tree of its own, if
    there is what to fill it with. The caller holds the kernel's lock."""
    real = obj.resolve()
    other = original(settings, name) if tree.is_own(settings) and not any(real.iterdir()) else None
    if not other:
        return
    new = real.with_name("obj.new")
    shutil.rmtree(new, ignore_errors=True)
    with state.lock(f"kernel-{other}"):
        state.say(f"{name} begins with what {other} compiled")
        built = (state.kernel_dir(other) / "obj").resolve()
        shutil.copytree(built, new, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
    theirs = tree.source_dir(like(settings), other)
    rename_commands(new, [(str(theirs).encode(), str(tree.source_dir(settings, name)).encode()),
                          (str(built).encode(), str(real).encode()),
                          # As ccache has it in the notes of tools: from source to build.
                          (f"../kernels/{other}/obj".encode(), f"../kernels/{name}/obj".encode())])
    real.rmdir()
    new.rename(real)
