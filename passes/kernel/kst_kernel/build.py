# SPDX-License-Identifier: GPL-2.0-or-later
"""One configured kernel: its settings, its configuration, its build."""

import json
import os
import pathlib
import shutil
import subprocess

from . import clone, embedded, source, state, tree

ADDRESS_MODES = ("off", "static", "on")
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


def by_content(path):
    """A copy of a file whose path tells its contents, for make and ccache: they
    look at command lines. "" stays ""."""
    if not path:
        return ""
    path = pathlib.Path(path)
    if not os.access(path, os.R_OK):
        raise state.Failed(f"cannot read {path}")
    copy = state.cache() / "kst-inputs" / state.digest(path)[:16] / path.name
    state.write_if_changed(copy, path.read_bytes())
    return str(copy)


def names_file(structs):
    """The file behind file://, or None."""
    return structs[len("file://"):] if structs.startswith("file://") else None


def environment():
    env = {key: value for key, value in os.environ.items() if key not in FOREIGN}
    # Builds in different directories give ccache the same objects.
    env.update(LC_ALL="C", CCACHE_BASEDIR=str(state.cache()), CCACHE_NOHASHDIR="1")
    return env


def make(settings, name, label, *arguments):
    state.run(label, state.kernel_dir(name) / "make.log", make_command(settings, name, *arguments),
              env=environment())


def wanted_options(settings):
    """Lines of .config that the settings ask for."""
    if settings["plain"]:
        return ["# CONFIG_KST is not set"]
    lines = ["CONFIG_KST=y", f'CONFIG_KST_PLUGIN="{by_content(settings["plugin"])}"',
             f'CONFIG_KST_DIRS="{settings.get("dirs", "")}"']
    if names_file(settings["structs"]):
        lines.append(f'CONFIG_KST_STRUCTS="file://{by_content(names_file(settings["structs"]))}"')
    else:
        lines.append(f'CONFIG_KST_STRUCTS="{settings["structs"]}"')
    chosen = {"CONFIG_KST_TRACE": settings["trace"]}
    for mode in ADDRESS_MODES:
        # True: written by an earlier version.
        chosen[f"CONFIG_KST_ADDRESS_{mode.upper()}"] = mode == ("on" if settings["address"] is True else settings["address"])
    return lines + [f"{symbol}=y" if value else f"# {symbol} is not set" for symbol, value in chosen.items()]


def small_config(settings):
    """The small configuration, with what the settings add to it."""
    files = [source.HERE / "linux.config", source.HERE / f"linux-{settings['version']}.config",
             *map(pathlib.Path, settings.get("fragments", ()))]
    return "".join(file.read_text() for file in files)


def configure(settings, name):
    obj = obj_dir(name)
    wanted = wanted_options(settings)
    given = pathlib.Path(settings["config"]).read_text() if settings["config"] else None
    asked = [] if given else small_config(settings).splitlines()
    key = json.dumps([given, asked, wanted])
    stamp = obj / ".kst-key"
    if stamp.is_file() and stamp.read_text() == key:
        return
    if not given:
        make(settings, name, "starting from allnoconfig", "allnoconfig")
        given = (obj / ".config").read_text()
    lines = {}
    for line in given.splitlines() + asked + wanted:
        symbol = line.removeprefix("# ").split("=")[0].split(" ")[0]
        if symbol.startswith("CONFIG_"):
            lines.pop(symbol, None)
            lines[symbol] = line
    (obj / ".config").write_text("\n".join(lines.values()) + "\n")
    make(settings, name, f"configuring {name}", "olddefconfig")
    taken = set((obj / ".config").read_text().splitlines())
    # What a later line takes back is not lost.
    lost = [line for line in asked + wanted if line.startswith("CONFIG_") and line in lines.values() and line not in taken]
    if lost:
        raise state.Failed("the kernel did not take these options:\n" + "\n".join(lost))
    stamp.write_text(key)


def prepare(name, settings):
    """Source, settings and configuration of a kernel."""
    if settings["plugin"] and not os.path.isfile(settings["plugin"]):
        raise state.Failed(f"no plugin at {settings['plugin']}: build it, or name it with --plugin")
    folder = state.kernel_dir(name)
    with state.lock(f"kernel-{name}"):
        tree.ensure(settings, name)
        folder.mkdir(parents=True, exist_ok=True)
        old = settings_file(name)
        if old.is_file() and json.loads(old.read_text())["version"] != settings["version"]:
            tree.remove(obj_dir(name))
        tree.place_obj(settings, name, obj_dir(name))
        clone.begin(settings, name, obj_dir(name))
        state.write_if_changed(old, (json.dumps(settings, indent=2) + "\n").encode())
        configure(settings, name)
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
