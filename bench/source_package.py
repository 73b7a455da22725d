# SPDX-License-Identifier: GPL-2.0-or-later
"""Sources of the distribution's packages for benchmarks: fetched by apt-get,
without touching the system's own lists, and kept unpacked in a cache."""

import glob
import os
import re
import shutil
import subprocess
import sys


def sources_list(folder):
    """The distribution's own entry of apt, for sources."""
    with open("/etc/os-release") as file:
        release = re.search(r"^VERSION_CODENAME=(\w+)", file.read(), re.M)
    suite, found = release[1] if release else "stable", []
    for path in glob.glob("/etc/apt/sources.list.d/*.sources"):
        with open(path) as file:
            for stanza in file.read().split("\n\n"):
                if re.search(rf"^Suites:.*\b{suite}\b", stanza, re.M):
                    found.append(re.sub(r"^Types:.*$", "Types: deb-src", stanza, flags=re.M))
    if found:
        path = os.path.join(folder, "distribution.sources")
        text = "\n\n".join(found) + "\n"
    else:
        path = os.path.join(folder, "distribution.list")
        with open("/etc/apt/sources.list") as file:
            lines = [line for line in file if re.match(rf"deb\s.*\s{suite}\s", line)]
        text = "".join("deb-src" + line[3:] for line in lines)
    if not text.strip():
        sys.exit(f"apt knows no source of {suite}: give the unpacked sources by --tree PACKAGE=DIR")
    with open(path, "w") as file:
        file.write(text)
    return path


def source_tree(package, cache):
    """Upstream's source of the package, from the cache or by apt-get."""
    base = os.path.join(cache, package)
    done = os.path.join(base, "tree")
    if os.path.isdir(done):
        return done
    os.makedirs(os.path.join(base, "lists", "partial"), exist_ok=True)
    os.makedirs(os.path.join(base, "cache", "archives", "partial"), exist_ok=True)
    options = ["-o", "Dir::Etc::sourcelist=" + sources_list(base), "-o", "Dir::Etc::sourceparts=/dev/null",
               "-o", "Dir::State::Lists=" + os.path.join(base, "lists"), "-o", "Dir::Cache=" + os.path.join(base, "cache"),
               "-o", "APT::Sandbox::User=", "-q"]
    print(f"{package}: apt-get source ...", file=sys.stderr)
    for command in (["update"], ["source", "--tar-only", package]):
        if subprocess.run(["apt-get", *options, *command], cwd=base, stdout=sys.stderr, check=False).returncode:
            sys.exit(f"apt-get {command[0]} failed; give the unpacked source by --tree {package}=DIR")
    part = os.path.join(base, "part")
    shutil.rmtree(part, ignore_errors=True)
    os.makedirs(part)
    archives = [a for a in glob.glob(os.path.join(base, "*.tar.*"))
                if not a.endswith(".asc") and ".debian.tar." not in a]
    if len(archives) != 1:
        sys.exit(f"{package}: expected one upstream archive, found {archives}")
    subprocess.run(["tar", "-xf", archives[0], "-C", part], check=True)
    top = os.listdir(part)
    os.rename(os.path.join(part, top[0]) if len(top) == 1 else part, done)
    for name in ("lists", "cache"):
        shutil.rmtree(os.path.join(base, name), ignore_errors=True)
    return done
