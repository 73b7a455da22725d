# SPDX-License-Identifier: GPL-2.0-or-later
"""The patched kernel source: Debian's linux-source, our hooks, the runtime.

A later version of the hooks or of the runtime changes only the files that
differ, so that the next build compiles only what has to be.
"""

import pathlib
import re
import shutil
import subprocess
import tempfile

from . import state

HERE = pathlib.Path(__file__).resolve().parents[1]
VERSIONS = ("6.12", "6.1")


def package_version(version):
    query = subprocess.run(["dpkg-query", "-W", "-f=${Version}", f"linux-source-{version}"],
                           capture_output=True, text=True, check=False)
    if query.returncode or not query.stdout:
        raise state.Failed(f"linux-source-{version} is not installed: apt-get install linux-source-{version}")
    return query.stdout.strip()


def source_dir(version):
    return state.cache() / f"kst-linux-{version}"


def unpack(version, target):
    """Debian's source at target: a copy of kernel-tree's if that is of the same package."""
    package = f"linux-source-{version}"
    installed = package_version(version)
    plain = state.cache() / package
    new = target.with_name(f".{target.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    log = target.with_name(f"{target.name}-unpack.log")
    if (plain / ".kst-package").is_file() and (plain / ".kst-package").read_text().strip() == installed:
        state.run(f"copying {package} (1.5 GB)", log, ["cp", "-a", "--reflink=auto", f"{plain}/.", str(new)])
    else:
        state.run(f"unpacking {package} (1.5 GB)", log,
                  ["tar", "-C", str(new), "--strip-components=1", "-xf", f"/usr/src/{package}.tar.xz"])
    (new / ".kst-package").write_text(installed + "\n")
    shutil.rmtree(target, ignore_errors=True)
    new.rename(target)


def patched_files(patch):
    return re.findall(r"^\+\+\+ b/(\S+)", patch.read_text(), re.M)


def keep_originals(source, names):
    """Copies of Debian's files beside the tree, made before the first patch."""
    kept = source.with_name(source.name + ".orig")
    for name in names:
        if not (kept / name).exists():
            (kept / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, kept / name)
    return kept


def apply_hooks(version, source):
    patch = HERE / "patches" / f"linux-{version}.patch"
    names = patched_files(patch)
    kept = keep_originals(source, names)
    before = [str(path.relative_to(kept)) for path in kept.rglob("*") if path.is_file()]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for name in before:
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(kept / name, work / name)
        done = subprocess.run(["patch", "-p1", "-s", "--no-backup-if-mismatch", "-i", str(patch)], cwd=work,
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise state.Failed(f"{patch.name} does not fit {package_version(version)}:\n{done.stdout}")
        for name in before:
            state.write_if_changed(source / name, (work / name).read_bytes())


def install_runtime(source):
    runtime = {path.relative_to(HERE / "linux"): path for path in (HERE / "linux").rglob("*") if path.is_file()}
    runtime[pathlib.Path("include/linux/kst_abi.h")] = HERE.parent / "abi" / "kst_abi.h"
    for name, path in runtime.items():
        state.write_if_changed(source / name, path.read_bytes())
    for path in (source / "kernel" / "kst").iterdir():
        if path.relative_to(source) not in runtime:
            path.unlink()


def hooks_digest(version):
    """Of everything that is added to Debian's source."""
    added = [HERE / "patches" / f"linux-{version}.patch", HERE.parent / "abi" / "kst_abi.h"]
    return state.digest(*added, *sorted(path for path in (HERE / "linux").rglob("*") if path.is_file()))


def ensure(version):
    """The patched source, made or brought up to date. Returns its path."""
    source = source_dir(version)
    with state.lock(source.name):
        stamp = source / ".kst-package"
        if not stamp.is_file() or stamp.read_text().strip() != package_version(version):
            shutil.rmtree(source.with_name(source.name + ".orig"), ignore_errors=True)
            unpack(version, source)
        apply_hooks(version, source)
        install_runtime(source)
    return source
