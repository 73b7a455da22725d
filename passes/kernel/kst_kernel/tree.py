# SPDX-License-Identifier: GPL-2.0-or-later
"""The source tree of one kernel: the shared one, or one of its own.

A tree of its own is made of hard links to the shared one, which is never
written in place (state.write_if_changed() replaces files), and of copies of
what its patches change. It lies with the build directory in own/, which is laid
out as the cache: own/kst-linux-6.12, own/kernels/NAME/obj. So the way from one
to the other is the same for all kernels, and with it, as ccache looks at them,
the compiler calls: what another kernel compiled from the same bytes is a hit.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from . import source, state

STAMP = ".kst-tree"
# As `patch -p1` takes names; those of git's renames have no first part to drop.
NAMED = re.compile(r"^(?:(?:---|\+\+\+) [^/\t\n]*/|(?:rename|copy) (?:from|to) )([^\t\n]+)", re.M)


def is_own(settings):
    return bool(settings.get("patches"))


def own_dir(name):
    return state.kernel_dir(name) / "own"


def source_dir(settings, name):
    shared = source.source_dir(settings["version"])
    return own_dir(name) / shared.name if is_own(settings) else shared


def place_obj(settings, name, obj):
    """Makes the build directory; empty, if it was one of another source."""
    real = own_dir(name) / "kernels" / name / "obj" if is_own(settings) else obj
    if obj.is_symlink() != (real != obj):
        remove(obj)
    if not is_own(settings):
        shutil.rmtree(own_dir(name), ignore_errors=True)
    real.mkdir(parents=True, exist_ok=True)
    if real != obj and not obj.is_symlink():
        obj.symlink_to(os.path.relpath(real, obj.parent))


def remove(path):
    """A directory, or a link to one and what it links to."""
    shutil.rmtree(path.resolve(), ignore_errors=True)
    if path.is_symlink():
        path.unlink()


def read_patches(settings):
    """[(path, bytes)] of the patches, in their order."""
    found = []
    for path in settings.get("patches", ()):
        try:
            found.append((path, pathlib.Path(path).read_bytes()))
        except OSError as error:
            raise state.Failed(f"cannot read the patch {path}: {error.strerror}") from None
    return found


def named_files(data):
    """Files that a patch speaks of.

    >>> sorted(named_files(b"--- a/x/y.h\\t2024\\n+++ b/x/y.h\\n@@ -1 +1 @@\\n-a\\n+b\\n--- /dev/null\\n+++ linux/new.c\\n"))
    ['new.c', 'x/y.h']
    """
    names = {match.strip() for match in NAMED.findall(data.decode(errors="surrogateescape"))} - {"dev/null"}
    return {name for name in names if not name.startswith("/") and ".." not in name.split("/")}


def patched(tree, patches):
    """{name: bytes, or None where the file is gone} of what the patches change
    in a tree, which stays as it is. Failed if one does not apply, with what
    patch says. Exactly or not at all: a hunk may have moved, but its lines must
    be there."""
    with tempfile.TemporaryDirectory(prefix="kst-patch-") as folder:
        work = pathlib.Path(folder)
        names = set()
        for path, data in patches:
            touched = named_files(data)
            if not touched:
                raise state.Failed(f"{path} is no patch: it names no file to change")
            for name in sorted(touched - names):
                if (tree / name).is_file():
                    (work / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(tree / name, work / name)
            names |= touched
            done = subprocess.run(["patch", "-p1", "-f", "-N", "-F0", "--no-backup-if-mismatch", "-r", "-"], cwd=work,
                                  input=data, capture_output=True, check=False)
            if done.returncode:
                said = (done.stdout + done.stderr).decode(errors="replace").strip()
                raise state.Failed(f"the patch {path} does not apply; nothing was changed. patch says:\n{said}")
        after = {str(file.relative_to(work)): file.read_bytes() for file in work.rglob("*") if file.is_file()}
    changes = {name: after.get(name) for name in sorted(names | set(after))}
    return {name: data for name, data in changes.items()
            if data != ((tree / name).read_bytes() if (tree / name).is_file() else None)}


def key_of(settings, patches):
    """Tells trees with other contents apart."""
    return json.dumps([source.package_version(settings["version"]), source.hooks_digest(settings["version"]),
                       [state.digest_of(data) for _, data in patches]])


def replace(path, data):
    """Writes a file without touching what else its name was linked to."""
    path.unlink(missing_ok=True)
    if data is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def keep_times(old, new):
    """What has the bytes of the old tree keeps the old file and its time; what
    has not gets a new time, however old the file is that it is linked to: make
    must see every change, and nothing else."""
    for folder, _, files in os.walk(new):
        before = os.path.join(old, os.path.relpath(folder, new))
        for name in files:
            now, was = os.path.join(folder, name), os.path.join(before, name)
            if os.path.islink(now) or not os.path.isfile(was) or os.path.samefile(now, was):
                continue
            with open(now, "rb") as file:
                data = file.read()
            with open(was, "rb") as file:
                same = file.read() == data
            mode = os.stat(now).st_mode
            os.unlink(now)
            if same:
                os.link(was, now)
            else:
                with open(now, "wb") as file:
                    file.write(data)
                os.chmod(now, mode)


def ensure(settings, name):
    """The kernel's source, made or brought up to date. Returns its path. The
    caller holds the kernel's lock. A patch that does not apply leaves
    everything as it was."""
    shared = source.ensure(settings["version"])
    if not is_own(settings):
        return shared
    tree = source_dir(settings, name)
    patches = read_patches(settings)
    key = key_of(settings, patches)
    if (tree / STAMP).is_file() and (tree / STAMP).read_text() == key:
        return tree
    new, old = tree.with_name(tree.name + ".new"), tree.with_name(tree.name + ".old")
    with state.lock(shared.name):
        changes = patched(shared, patches)
        shutil.rmtree(new, ignore_errors=True)
        new.parent.mkdir(parents=True, exist_ok=True)
        state.run(f"linking a source tree for {name}", state.cache() / f"kst-link-{name}.log",
                  ["cp", "-a", "--link", str(shared), str(new)])
    for file, data in changes.items():
        mode = (new / file).stat().st_mode if (new / file).is_file() else None
        replace(new / file, data)
        if mode and data is not None:
            (new / file).chmod(mode)
    if tree.is_dir():
        keep_times(tree, new)
    replace(new / STAMP, key.encode())
    shutil.rmtree(old, ignore_errors=True)
    if tree.is_dir():
        tree.rename(old)
    new.rename(tree)
    shutil.rmtree(old, ignore_errors=True)
    for file in changes:
        state.say(f"patched: {file}")
    return tree
