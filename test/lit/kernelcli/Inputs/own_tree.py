# SPDX-License-Identifier: GPL-2.0-or-later
"""own_tree.py: what a kernel's own source tree is, on a shared tree of three
files that stands for the kernel's source. Ends with an error if it is not."""

import json
import os
import pathlib
import sys
import time

from kst_kernel import clone, source, state, tree

NAME, VERSION = "mine", "6.12"
SHARED = state.cache() / "kst-linux-6.12"
PATCH = pathlib.Path(sys.argv[1])
CHANGE = """--- a/include/a.h
+++ b/include/a.h
@@ -1,2 +1,2 @@
-struct a { int x;
-int y; };
+struct a { int y;
+int x; };
"""
MORE = """--- /dev/null
+++ b/new/file.c
@@ -0,0 +1 @@
+int new;
--- a/gone.c
+++ /dev/null
@@ -1 +0,0 @@
-int gone;
"""
source.package_version = lambda version: "1-1"
source.ensure = lambda version: SHARED


def texts(folder):
    return {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file() and p.name != tree.STAMP}


def times(folder):
    return {str(p.relative_to(folder)): p.stat().st_mtime_ns for p in folder.rglob("*") if p.is_file()}


def refused(text, *wanted):
    PATCH.write_text(text)
    try:
        tree.ensure(settings, NAME)
    except state.Failed as error:
        missing = [words for words in wanted if words not in str(error)]
        assert not missing, (missing, str(error))
        return
    raise AssertionError("not refused: " + text)


old = time.time() - 1000
for name, text in {"include/a.h": "struct a { int x;\nint y; };\n", "b.c": "int b;\n", "gone.c": "int gone;\n"}.items():
    (SHARED / name).parent.mkdir(parents=True, exist_ok=True)
    (SHARED / name).write_text(text)
    os.utime(SHARED / name, (old, old))
shared = texts(SHARED)
settings = {"version": VERSION, "patches": [str(PATCH)]}

# What does not apply leaves nothing.
refused("no patch\n", "is no patch: it names no file")
refused(CHANGE.replace("-int y; };", "-int z; };"), f"the patch {PATCH} does not apply", "patching file include/a.h", "FAILED")
refused("--- a/../out\n+++ b/../out\n@@ -0,0 +1 @@\n+x\n", "names no file")
refused("--- /dev/null\n+++ b/b.c\n@@ -0,0 +1 @@\n+x\n", "does not apply")
assert not state.kernel_dir(NAME).exists()

# What applies changes this tree and no other.
PATCH.write_text(CHANGE)
own = tree.ensure(settings, NAME)
assert own != SHARED and own == tree.source_dir(settings, NAME)
assert (own / "include/a.h").read_text() == "struct a { int y;\nint x; };\n"
assert os.path.samefile(own / "b.c", SHARED / "b.c")
assert texts(SHARED) == shared
first = times(own)

# Repeated: nothing is touched. An interrupted run: as if it had not been.
(own.parent / (own.name + ".new")).mkdir()
tree.ensure(settings, NAME)
assert times(own) == first

# A patch that changed is noticed; one that does not apply leaves the tree as it is.
refused(CHANGE.replace("-int y; };", "-int z; };"), "does not apply")
assert times(own) == first
PATCH.write_text(CHANGE + MORE)
tree.ensure(settings, NAME)
assert (own / "new/file.c").read_text() == "int new;\n" and not (own / "gone.c").exists()
assert times(own)["include/a.h"] == first["include/a.h"]
assert texts(SHARED) == shared

# What is no longer patched has the old text, and a new time for make.
before = time.time() - 1
PATCH.write_text(MORE)
tree.ensure(settings, NAME)
assert (own / "include/a.h").read_text() == shared["include/a.h"]
assert (own / "include/a.h").stat().st_mtime > before and (own / "b.c").stat().st_mtime < before
assert (SHARED / "include/a.h").stat().st_mtime < before
assert [p.name for p in own.parent.iterdir()] == [own.name]
PATCH.unlink()
try:
    tree.ensure(settings, NAME)
    raise AssertionError("no patch is no error")
except state.Failed as error:
    assert "cannot read the patch" in str(error)

# The build directory follows; it begins as that of the same kernel without patches.
PATCH.write_text(CHANGE)
tree.ensure(settings, NAME)
for name, other in {"base": dict(settings, patches=[]), "else": {"version": "6.1"}, "unbuilt": dict(settings, patches=[])}.items():
    built = state.kernel_dir(name) / "obj"
    files = {"arch/x86/boot/bzImage": "image", "b.o": name, ".b.o.cmd": f"cc -I{SHARED}/include -o {built}/b.o {SHARED}/b.c\n"}
    for file, text in files.items():
        if name != "unbuilt" or "bzImage" not in file:
            (built / file).parent.mkdir(parents=True, exist_ok=True)
            (built / file).write_text(text)
            os.utime(built / file, (old, old))
    (state.kernel_dir(name) / "settings.json").write_text(json.dumps(other))
mine = state.kernel_dir(NAME) / "obj"
tree.place_obj(settings, NAME, mine)
clone.begin(settings, NAME, mine)
assert texts(mine.resolve()) == {"b.o": "base", ".b.o.cmd": f"cc -I{own}/include -o {mine.resolve()}/b.o {own}/b.c\n"}
assert all(abs(when / 1e9 - old) < 1 for when in times(mine.resolve()).values())
(mine / "b.o").write_text("mine")
clone.begin(settings, NAME, mine)
assert (mine / "b.o").read_text() == "mine"
obj = state.kernel_dir(NAME) / "obj"
tree.place_obj(settings, NAME, obj)
(obj / "a.o").touch()
assert os.path.relpath(own, obj.resolve()) == os.path.relpath(SHARED, state.cache() / "kernels/other/obj")
tree.place_obj(settings, NAME, obj)
assert (obj / "a.o").exists()
tree.place_obj({"version": VERSION}, NAME, obj)
assert obj.is_dir() and not obj.is_symlink() and not (obj / "a.o").exists() and not own.exists()
print("all as it should be")
