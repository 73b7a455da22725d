# SPDX-License-Identifier: GPL-2.0-or-later
"""One configured kernel: its settings and its build."""

import json
import os
import shutil
import subprocess

from . import clone, configuration, embedded, state, tree

# What a make around us must not decide.
FOREIGN = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "KBUILD_OUTPUT", "ARCH", "LLVM", "CROSS_COMPILE", "KST_OPTIONS")


def settings_file(name):
    return state.kernel_dir(name) / "settings.json"


def load(name):
    file = settings_file(name)
    if not file.is_file():
        raise state.Failed(f"no kernel is prepared under the name '{name}': kst-kernel prepare {name}")
    return json.loads(file.read_text())


def obj_dir(name):
    return state.kernel_dir(name) / "obj"


def make_command(settings, name, *arguments):
    command = ["make", "-C", str(tree.source_dir(settings, name)), f"O={obj_dir(name).resolve()}", "ARCH=x86_64",
               f"LLVM=-{state.LLVM}", f"-j{os.environ.get('KST_JOBS') or os.cpu_count()}"]
    # Same inputs, same bytes.
    command += ["KBUILD_BUILD_TIMESTAMP=", "KBUILD_BUILD_USER=kst", "KBUILD_BUILD_HOST=kst"]
    if shutil.which("ccache"):
        command += [f"CC=ccache clang-{state.LLVM}", f"HOSTCC=ccache clang-{state.LLVM}"]
    words = settings["options"] + embedded.words(name)
    if words:
        command.append("KST_CFLAGS=" + " ".join(f"-mllvm -kst-{word}" for word in words))
    return command + list(arguments)


def environment():
    env = {key: value for key, value in os.environ.items() if key not in FOREIGN}
    # Builds in different directories give ccache the same objects.
    env.update(LC_ALL="C", CCACHE_BASEDIR=str(state.cache()), CCACHE_NOHASHDIR="1")
    return env


def make(settings, name, label, *arguments):
    state.run(label, state.kernel_dir(name) / "make.log", make_command(settings, name, *arguments),
              env=environment())


def prepare(name, settings):
    """Source, settings and configuration of a kernel."""
    if settings["plugin"] and not os.path.isfile(settings["plugin"]):
        raise state.Failed(f"no plugin at {settings['plugin']}: build it, or name it with --plugin")
    configuration.refuse(settings)
    folder = state.kernel_dir(name)
    with state.lock(f"kernel-{name}"):
        place = tree.ensure(settings, name)
        folder.mkdir(parents=True, exist_ok=True)
        old = settings_file(name)
        if old.is_file() and json.loads(old.read_text())["version"] != settings["version"]:
            tree.remove(obj_dir(name))
        tree.place_obj(settings, name, obj_dir(name))
        clone.begin(settings, name, obj_dir(name))
        state.write_if_changed(old, (json.dumps(settings, indent=2) + "\n").encode())
        configuration.write(settings, name, (place, obj_dir(name)), lambda label, target: make(settings, name, label, target))
    return folder


def build(name, targets):
    """Brings the source up to date and builds what changed. Returns bzImage, or
    where the targets are that were asked for."""
    settings = load(name)
    prepare(name, settings)
    with state.lock(f"kernel-{name}"):
        make(settings, name, f"headers of {name}", "prepare")
        embedded.write(settings, name, obj_dir(name))
        make(settings, name, f"building {name}", *(targets or ["bzImage"]))
    return image(name) if not targets or "bzImage" in targets else obj_dir(name)


def module(name, folder):
    """Builds the modules of a directory of its own, in place, for a built kernel."""
    settings = load(name)
    with state.lock(f"kernel-{name}"):
        make(settings, name, f"building modules in {folder}", f"M={os.path.abspath(folder)}", "modules")


def image(name):
    return obj_dir(name) / "arch" / "x86" / "boot" / "bzImage"


def release(name):
    return subprocess.run(make_command(load(name), name, "-s", "kernelrelease"), env=environment(),
                          capture_output=True, text=True, check=True).stdout.strip().splitlines()[-1]
