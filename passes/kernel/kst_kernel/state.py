# SPDX-License-Identifier: GPL-2.0-or-later
"""Where everything is kept, and how commands are run.

All state is in the cache directory: KST_CACHE, by default
${XDG_CACHE_HOME:-~/.cache}/kstatic-affinity.
"""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
LLVM = os.environ.get("KST_LLVM", "19")


class Failed(Exception):
    """Ends the command with this text and exit code."""
    code = 1


class Unsuitable(Failed):
    """A configuration that cannot be counted, booted or built: the user has to change it."""
    code = 2


def say(text):
    print(f"kst-kernel: {text}", file=sys.stderr, flush=True)


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("KST_CACHE") or os.path.join(base, "kstatic-affinity"))


def kernel_dir(name):
    """Of one configured kernel: settings.json, obj/, logs."""
    return cache() / "kernels" / name


@contextlib.contextmanager
def lock(name):
    """One process at a time works on what is named."""
    cache().mkdir(parents=True, exist_ok=True)
    with open(cache() / f".lock-{name}", "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            say(f"waiting for another run that works on {name}")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def digest_of(*texts):
    """Of byte strings, in this order."""
    total = hashlib.sha256()
    for data in texts:
        total.update(b"%d\n" % len(data) + data)
    return total.hexdigest()


def digest(*paths):
    """Of the contents of files, in this order."""
    return digest_of(*(pathlib.Path(path).read_bytes() for path in paths))


def run(label, log, command, **options):
    """Runs a command with its output in a log file; its end is shown if it fails."""
    say(f"{label} ...")
    began = time.monotonic()
    with open(log, "wb") as out:
        code = subprocess.call(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, **options)
    if code:
        lines = pathlib.Path(log).read_bytes().decode(errors="replace").splitlines()
        wrong = [line for line in lines if "error:" in line or "***" in line]
        for line in (wrong or lines)[-25:]:
            print(line, file=sys.stderr)
        raise Failed(f"{label}: failed, the whole log is {log}")
    say(f"{label}: done in {time.monotonic() - began:.0f} s")


def write_if_changed(path, data):
    """Keeps the time of a file that has these bytes already."""
    path = pathlib.Path(path)
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    new.write_bytes(data)
    os.replace(new, path)
    return True
