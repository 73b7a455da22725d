# SPDX-License-Identifier: GPL-2.0-or-later
"""Trees of public projects at one commit, built with clang so that they have
compile commands. The clones are the user's (--clones DIR): nothing is fetched.

A tree is named PROJECT@REVISION; it lies in the clones' directory as
PROJECT@COMMIT and is kept."""

import os
import shutil
import subprocess
import sys

from server_builds import CLANG, Failed, compile_commands, make

# How each is built, with {cc} filled in; no optimization, as only the source is read. Several commands are several times.
MAKE = {
    "haproxy": ("make -j2 TARGET=linux-glibc CC='{cc}' OPT_CFLAGS=-O0 CPU_CFLAGS=-O0", "make -j2 TARGET=linux2628 USE_THREAD=1 CC='{cc}' CPU_CFLAGS=-O0"),
    "redis": ("make -j2 MALLOC=libc CC='{cc}' OPT=-O0 BUILD_TLS=no USE_SYSTEMD=no",),
    "valkey": ("make -j2 MALLOC=libc CC='{cc}' OPT=-O0 BUILD_TLS=no USE_SYSTEMD=no",),
}


def git(clone, *words):
    done = subprocess.run(["git", "-C", clone, *words], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"git {' '.join(words)} failed in {clone}")
    return done.stdout.strip()


def tree(name, clones):
    """The built tree `name`. The script ends if there is no clone of it or no command builds it."""
    project, _, revision = name.partition("@")
    clone = os.path.join(clones, project)
    if not os.path.isdir(clone):
        sys.exit(f"no {clone}: clone the project there, or leave out --clones")
    commit = git(clone, "rev-parse", "--short=12", revision)
    top = os.path.join(clones, f"{project}@{commit}")
    if os.path.exists(os.path.join(top, "compile_commands.json")):
        return top
    shutil.rmtree(top, ignore_errors=True)
    git(clone, "worktree", "prune")
    git(clone, "worktree", "add", "--force", "--detach", top, commit)
    for command in MAKE[project]:
        try:
            make(command.format(cc=f"{CLANG} -gen-cdb-fragment-path {top}/cdb -Wno-unused-command-line-argument -Wno-error -fcommon"), top)
            compile_commands(top)
            return top
        except Failed as failed:
            why = failed
    sys.exit(f"{top}: {why}")
