#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does any run write where the user did not say so?

Small projects are made at random: sources beside a build directory or in one tree, headers behind links to files and to directories,
in and outside of the project, names with blanks, quotes, bytes that are no UTF-8, parts that cannot be written, submodules, system
headers. Each gets one run of --write, --patch or review under strace, which records every call that creates, opens for writing,
renames, links, removes or changes a file, in all processes.

Allowed are: the outputs that the command line names (and the temporary files beside them), headers of the project that the tool said it
changes, the cache directory, and a scratch directory that is gone afterwards. Anything else is a fault, and so is a file outside
of the project that has other bytes afterwards.

    bench/writes.py [--runs 1000] [--seed 1]

Prints a table of what ran, and each fault; exit status 1 if there is one. Root is not stopped by read-only modes: such parts are
then mounted nowhere, only their bytes are compared."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import kst_bench as kb

CALLS = "chdir,open,openat,openat2,creat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,mkdir,mkdirat,rmdir," \
        "truncate,ftruncate,chmod,fchmod,fchmodat,mknod,mknodat,utimensat,setxattr"
NAMES = ["s.h", "the s.h", "it's.h", "t\tab.h", 'q"uote.h', "caf\udce9.h", "ß.h", "a&b.h", "-s.h", "$HOME.h"]
FOLDERS = ["src", "my src", "a b/c", "d\udce9"]
HEADER = """#ifndef S_H
#define S_H
struct s {
\tunsigned long a;
\tchar cold[120];
\tunsigned long d;
\tchar colder[120];
\tunsigned long f;
};
#endif
"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)


class Project:
    """A tree below `base`: work/project/, and away/outside/ that nobody may touch."""

    def __init__(self, base, dice):
        self.top, self.outside = os.path.join(base, "work", "project"), os.path.join(base, "away", "outside")
        self.cache, self.scratch = os.path.join(base, "cache"), os.path.join(base, "scratch")
        for folder in (self.top, self.outside, self.cache, self.scratch):
            os.makedirs(folder)
        self.dice, self.traits = dice, []
        name, folder = dice.choice(NAMES), dice.choice(FOLDERS)
        self.source = os.path.join(self.top, folder, "use.c")
        self.place(os.path.join(self.top, dice.choice([folder, "include"]), name))
        write(self.source, f'#include <{os.path.basename(self.seen)}>\nvoid step(struct s *p) {{ p->a++; p->d += p->a; p->f ^= p->d; }}\n')
        self.build = self.top if dice.random() < 0.4 else os.path.join(dice.choice([self.top, os.path.dirname(self.top)]), "build")
        os.makedirs(self.build, exist_ok=True)
        flag = "-isystem" if "system" in self.traits else "-I"
        entry = {"directory": self.build, "file": self.source,
                 "arguments": ["cc", flag, os.path.dirname(self.seen), "-c", self.source, "-o", "use.o"]}
        with open(os.path.join(self.build, "compile_commands.json"), "w", encoding="utf-8", errors="surrogateescape") as file:
            json.dump([entry], file, ensure_ascii=False)
        if dice.random() < 0.5 or "submodule" in self.traits:
            self.git(self.top)
        if dice.random() < 0.2:
            self.traits.append("read-only")
            os.chmod(self.header, 0o444)
            os.chmod(os.path.dirname(self.header), 0o555)

    def git(self, folder):
        for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "one"]):
            subprocess.run(["git", *words], cwd=folder, capture_output=True, check=False)

    def place(self, path):
        """Puts the header somewhere and lets units see it as `path`."""
        self.seen = self.header = path
        kind = self.dice.choice(["plain", "plain", "link", "folder link", "outside", "outside link", "system", "submodule"])
        self.traits.append(kind)
        if kind == "link":
            self.header = os.path.join(self.top, "real", "real.h")
        elif kind == "folder link":
            self.header = os.path.join(self.top, "real", os.path.basename(path))
        elif kind in ("outside", "outside link"):
            self.header = os.path.join(self.outside, os.path.basename(path))
        elif kind == "submodule":
            self.header = self.seen = os.path.join(self.top, "sub", os.path.basename(path))
        write(self.header, HEADER)
        if kind == "submodule":
            self.git(os.path.dirname(self.header))
        if kind == "outside":
            self.seen = self.header
        if kind in ("link", "outside link"):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink(os.path.relpath(self.header, os.path.dirname(path)), path)
        if kind == "folder link":
            self.seen = os.path.join(self.top, "linked", os.path.basename(path))
            os.symlink("real", os.path.join(self.top, "linked"))

    def theirs(self):
        """Whether the definition is somebody else's."""
        return any(kind in self.traits for kind in ("outside", "outside link", "system", "submodule"))


def decoded(text):
    """A string of strace, with its octal escapes, as a file name."""
    return os.fsdecode(text.encode("latin-1").decode("unicode_escape").encode("latin-1"))


def unescaped(text):
    """A name as messages show it: bytes that are no text as \\xNN."""
    return os.fsdecode(re.sub(rb"\\x([0-9a-f]{2})", lambda byte: bytes([int(byte[1], 16)]), os.fsencode(text)))


def writes_of(log, cwd):
    """(call, paths) of each call that may have written and did not fail; relative names by the directory of the process."""
    places = {}  # of processes that went elsewhere
    with open(log, errors="replace") as file:
        for line in file:
            match = re.search(r"^(\d+)\s+(\w+)\((.*)\)\s+= (\S+)", line)
            if not match or match[4].startswith("-1") or match[4] == "?":
                continue
            process, call, words = match[1], match[2], match[3]
            here = places.get(process, cwd)
            if call == "chdir":
                places[process] = os.path.join(here, decoded(re.search(r'"((?:[^"\\]|\\.)*)"', words)[1]))
                continue
            if call.startswith("open") and not re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", words):
                continue
            if "O_TMPFILE" in words or call.startswith(("ftruncate", "fchmod")):
                continue  # without a name, or of a file whose opening was seen
            names = [decoded(name) for name in re.findall(r'"((?:[^"\\]|\\.)*)"', words)]
            folder = re.match(r"\d+<([^>]*)>", words)
            yield call, [os.path.join(decoded(folder[1]) if folder else here, name) for name in names]


def command_of(project, tool, kind, base):
    out = os.path.join(base, "out", "p.patch")
    os.makedirs(os.path.dirname(out))
    common = ["-p", project.build, "--cache-dir", project.cache]
    if kind == "write":
        return [tool, "--struct", "s", "--write", "--force", "--reference", "none", *common, project.top], []
    if kind == "patch":
        return [tool, "--struct", "s", "--patch", out, "--json", out + ".json", "--reference", "none", *common, project.top], \
            [out, out + ".json"]
    change = os.path.join(base, "out", "change")
    name = os.path.relpath(project.header, project.top)
    quoted = '"%s"' % "".join(c if c.isascii() and c.isprintable() and c not in '"\\' else "".join(f"\\{b:03o}" for b in os.fsencode(c))
                              for c in name)
    a, b = (f'"{side}/{quoted[1:]}' for side in "ab")
    with open(change, "w") as file:
        file.write(f"--- {a}\n+++ {b}\n@@ -8,3 +8,4 @@\n \tunsigned long f;\n+\tunsigned long more[20];\n }};\n #endif\n")
    return [tool, "review", change, "--json", out + ".json", *common], [out + ".json"]


def one_run(tool, base, dice):
    """(kind, traits, exit status, faults)"""
    project = Project(base, dice)
    kind = dice.choice(["write", "write", "patch", "review"])
    words, named = command_of(project, tool, kind, base)
    cwd = dice.choice([project.top, project.build, os.path.dirname(project.source), base])
    before = {}
    for folder in (project.top, project.outside):
        for root, _, files in os.walk(folder):
            for file in files:
                path = os.path.join(root, file)
                if os.path.isfile(path):
                    with open(path, "rb") as data:
                        before[path] = data.read()
    log = os.path.join(base, "log")
    env = dict(os.environ, TMPDIR=project.scratch, GIT_CEILING_DIRECTORIES=base, GIT_CONFIG_GLOBAL="/dev/null", HOME=base)
    ran = subprocess.run(["strace", "-f", "-qq", "-y", "-s", "4096", "-e", "trace=" + CALLS, "-o", log, *words], cwd=cwd, env=env,
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120, check=False)
    said = os.fsdecode(ran.stderr)
    changing = [unescaped(line.split("changing ", 1)[1]) for line in said.splitlines() if "--write: changing " in line]
    faults = [f"announced a header outside of the project: {path}" for path in changing
              if not os.path.realpath(path).startswith(project.top + "/")]
    allowed = [*named, *changing]

    def is_allowed(path):
        full = os.path.realpath(os.path.join(cwd, path))
        return full.startswith((project.cache + "/", project.scratch + "/", "/dev/", "/proc/")) or full == project.cache or \
            any(full == os.path.realpath(name) or full.startswith(os.path.realpath(name) + ".tmp-") for name in allowed)

    for call, paths in writes_of(log, cwd):
        faults += [f"{call} {path}" for path in paths if not is_allowed(path)]
    for path, data in before.items():
        with open(path, "rb") as file:
            if file.read() != data and (os.path.realpath(path) not in map(os.path.realpath, changing) or project.theirs()):
                faults.append(f"other bytes in {path}")
    left = os.listdir(project.scratch)
    faults += [f"left in the temporary directory: {name}" for name in left]
    if ran.returncode not in (0, 1, 2, 3, 5):
        faults.append(f"exit {ran.returncode}: {said[-200:]}")
    if ran.returncode == 1 or ran.returncode == 2:
        project.traits.append("said: " + said.strip().splitlines()[-1] if said.strip() else "said nothing")
    return kind, project.traits, ran.returncode, bool(changing), faults


def main():
    p = kb.parser(__doc__)
    p.add_argument("--runs", type=int, default=1000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--why", action="store_true", help="print what runs say that end with 1 or 2")
    args = p.parse_args()
    if not shutil.which("strace"):
        sys.exit("no strace: ./quickstart bench installs it")
    dice, table, bad = random.Random(args.seed), {}, 0
    for number in range(args.runs):
        with tempfile.TemporaryDirectory() as base:
            kind, traits, status, wrote, faults = one_run(args.tool, os.path.realpath(base), dice)
            subprocess.run(["chmod", "-R", "u+w", base], check=False)
        if args.why and traits[-1].startswith("said"):
            print(f"run {number} ({kind}, {traits[0]}): {traits[-1]}".encode("utf-8", "backslashreplace").decode())
        row = table.setdefault((kind, traits[0]), {"runs": 0, "done": 0, "wrote": 0, "faults": 0})
        row["runs"] += 1
        row["done"] += status == 0
        row["wrote"] += wrote
        row["faults"] += bool(faults)
        bad += bool(faults)
        for fault in faults:
            print(f"run {number} ({kind}, {', '.join(traits)}): {fault}".encode("utf-8", "backslashreplace").decode())
    print(f"{'command':8} {'header':14} {'runs':>5} {'exit 0':>7} {'changed':>8} {'faults':>7}")
    for (kind, trait), row in sorted(table.items()):
        print(f"{kind:8} {trait:14} {row['runs']:5} {row['done']:7} {row['wrote']:8} {row['faults']:7}")
    print(f"{args.runs} runs, {bad} with a write outside of what was named")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
