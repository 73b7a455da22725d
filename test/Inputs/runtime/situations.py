# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds situations.c and runs it in each situation: situations.py ROOT WORK
RUNTIME [--static] [--wrap COMMAND] [--skip NAME,...] -- COMPILER FLAGS...
RUNTIME is libkst_rt.a, or `sources` to compile it with the same flags (for
sanitizers). Each process must leave complete files, nothing temporary, and the
exact sums."""

import glob
import os
import re
import shutil
import subprocess
import sys

READ = "test/lit/tools/kstraw.py"
ONE, TWO, LIB = "0x1111", "0x2222", "0x3333"

# Situation: (files, sums). The program's destructor adds 1 to the third
# counter of ONE in each process whose last thread counts in ONE.
EXPECT = {
    "nothing": (1, {}),
    "count": (1, {ONE: (100, 0, 1, 0)}),
    "exit-handlers": (1, {ONE: (1, 0, 1, 1)}),
    "threads": (1, {ONE: (80000, 0, 0, 0), TWO: (0, 8000)}),
    "live-threads": (1, {ONE: (80000, 0, 0, 0), TWO: (0, 8000)}),
    "destructors": (1, {ONE: (8, 8, 40, 1), TWO: (40, 0)}),
    "last-thread": (1, {ONE: (1, 1, 1, 1)}),
    "fork": (12, {ONE: (160000, 1, 22, 1), TWO: (0, 16000)}),
    "vfork": (2, {ONE: (101, 3, 3, 0), TWO: (3, 0)}),
    "raw-fork": (1, {ONE: (1, 0, 1, 0)}),
    "exec": (2, {ONE: (101, 1, 1, 0)}),
    "_exit": (1, {ONE: (1, 0, 0, 0)}),
    "quick_exit": (1, {ONE: (1, 0, 0, 0)}),
    "first-in-handler": (1, {ONE: (8, 0, 1, 1), TWO: (8, 0)}),
    "storm": (1, None),
    "dumps": (1, {ONE: (400000, 0, 0, 0), TWO: (0, 40000)}),
    "resets": (1, {ONE: (1, 2, 1, 0), TWO: (0, 0)}),
    "by-signal": (1, {ONE: (1, 1, 0, 0)}),
    "chdir": (1, {ONE: (1, 0, 1, 0)}),
    "close-all": (1, {ONE: (1, 0, 1, 0)}),
    "file-limit": (1, {ONE: (1, 0, 0, 0)}),
    "errno": (1, {ONE: (1, 0, 1, 0)}),
}
# Situation: threads that counted, and what those other than the main one did.
THREADS = {
    "nothing": (0, {}),
    "count": (1, {}),
    "exit-handlers": (1, {}),
    "threads": (8, {ONE: (80000, 0, 0, 0), TWO: (0, 8000)}),
    "live-threads": (8, {ONE: (80000, 0, 0, 0), TWO: (0, 8000)}),
    "by-signal": (1, {}),
}
# Sums of the library situations, and the files with one runtime and with two.
LIBRARIES = {
    "library": (1, 4, {ONE: (3, 0, 1, 0), LIB: (33,)}),
    "library-threads": (1, 4, {ONE: (3, 0, 1, 0), LIB: (240,)}),
    "library-closed": (1, 2, {ONE: (1, 0, 1, 0), LIB: (20,)}),
    "library-open": (1, 2, {ONE: (1, 0, 1, 0), LIB: (20,)}),
}
# These end by a signal.
ENDS = {"by-signal": -9}


class Failed(Exception):
    pass


class Tester:
    def __init__(self, root, work, wrap):
        self.root, self.work, self.wrap = root, work, wrap
        self.failures = 0

    def sums(self, files):
        done = subprocess.run([sys.executable, os.path.join(self.root, READ)] + files,
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failed(done.stderr)
        found, others = {}, {}
        for line in done.stdout.splitlines():
            match = re.match(r"kind (\d) hash (\S+): (.*)", line)
            of = found if match[1] == "0" else others
            of[match[2]] = tuple(int(n) for n in match[3].split())
        return found, others

    def run(self, program, name, arguments, files, sums, environment=None):
        folder = os.path.join(self.work, "run")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        env = dict(os.environ, **(environment or {}))
        if name == "by-signal":
            env["KST_SIGNAL"] = "USR2"
        try:
            done = subprocess.run(self.wrap + [program, name] + arguments, cwd=folder, env=env, text=True,
                                  capture_output=True, timeout=300, check=False)
            if done.returncode != ENDS.get(name, 0):
                raise Failed(f"status {done.returncode}: {done.stderr}")
            if name == "file-limit" and "File too large" not in done.stderr:
                raise Failed(f"no message about the limit: {done.stderr!r}")
            found = sorted(os.listdir(folder))
            if len(found) != files or not all(f.endswith(".kstraw") for f in found):
                raise Failed(f"files {found}, expected {files}")
            paths = [os.path.join(folder, f) for f in found]
            got, others = self.sums(paths)
            if name in THREADS:
                with open(paths[0], "rb") as file:
                    threads = int(re.search(rb"^threads=(\d+)$", file.read(), re.M)[1])
                if (threads, others) != THREADS[name]:
                    raise Failed(f"{threads} threads, others than the main one {others}; expected {THREADS[name]}")
            if name == "storm":
                n, late = (int(word) for word in done.stdout.split()[1::2])
                if n == late:
                    raise Failed("no signal came")
                if not all(n - late <= counted <= n for counted in (got[ONE][1], got[TWO][1])):
                    raise Failed(f"sums {got} of {n} signals, {late} of them late")
                sums = {ONE: (400, got[ONE][1], got[ONE][2], 0), TWO: (0, got[TWO][1])}
            if got != sums:
                raise Failed(f"sums {got}, expected {sums}")
            print(f"{name}: ok")
        except Failed as failure:
            print(f"{name}: FAILED: {failure}")
            self.failures += 1
        return folder

    def names(self, program):
        """Patterns, collisions, places that cannot be written to."""
        many = os.path.join(self.work, "names")
        shutil.rmtree(many, ignore_errors=True)
        os.makedirs(many)
        env = dict(os.environ, KST_FILE=os.path.join(many, "x.y", "%b-%%-%h.raw"))
        os.makedirs(os.path.join(many, "x.y"))
        for _ in range(2):
            subprocess.run(self.wrap + [program, "exec"], env=env, check=True, timeout=60)
        host = os.uname().nodename
        files = sorted(glob.glob(os.path.join(many, "x.y", "*")))
        base = os.path.basename(program) if not self.wrap else "*"
        plain = [f for f in files if re.search(rf"-%-{re.escape(host)}\.raw$", f)]
        numbered = [f for f in files if re.search(rf"-%-{re.escape(host)}\.\d+(\.\d+)?\.raw$", f)]
        if len(files) != 4 or len(plain) != 1 or len(numbered) != 3 or base not in (files[0], "*") and \
                not os.path.basename(files[0]).startswith(base):
            print(f"names: FAILED: {files}")
            self.failures += 1
        elif self.sums(files) != ({ONE: (202, 2, 2, 0)}, {}):
            print("names: FAILED: sums")
            self.failures += 1
        # A file that is not ours stays as it is, also one of that very name.
        precious = os.path.join(many, "precious.kstraw")
        with open(precious, "w") as file:
            file.write("mine")
        subprocess.run(self.wrap + [program, "dumps"], env=dict(os.environ, KST_FILE=precious), check=True, timeout=300)
        with open(precious) as file:
            if file.read() != "mine" or len(glob.glob(os.path.join(many, "precious.*"))) != 2:
                print("names: FAILED: precious file")
                self.failures += 1
        done = subprocess.run(self.wrap + [program, "count"], env=dict(os.environ, KST_FILE=os.path.join(many, "no", "where")),
                              capture_output=True, text=True, check=False, timeout=60)
        if done.returncode or "kst: cannot write" not in done.stderr or "No such file" not in done.stderr:
            print(f"names: FAILED: directory that is not there: {done}")
            self.failures += 1
        print("names: done")


def archive(root, work, compile_command):
    objects = []
    for source in sorted(glob.glob(os.path.join(root, "passes", "runtime", "*.c"))):
        objects.append(os.path.join(work, os.path.basename(source) + ".o"))
        subprocess.run(compile_command + ["-std=gnu11", "-fPIC", "-fvisibility=hidden", "-c", source, "-o", objects[-1]],
                       check=True)
    path = os.path.join(work, "libkst_rt.a")
    subprocess.run(["ar", "rcs", path] + objects, check=True)
    return path


def main():
    cut = sys.argv.index("--")
    arguments, compiler = sys.argv[1:cut], sys.argv[cut + 1:]
    root, work, runtime = arguments[:3]
    static = "--static" in arguments
    wrap = arguments[arguments.index("--wrap") + 1].split() if "--wrap" in arguments else []
    skip = arguments[arguments.index("--skip") + 1].split(",") if "--skip" in arguments else []
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    inputs = os.path.join(root, "test", "Inputs", "runtime")
    common = compiler + ["-g", "-pthread", "-I", root, "-Wall", "-Wextra"]
    if runtime == "sources":
        runtime = archive(root, work, common)

    def build(name, source, *flags):
        path = os.path.join(work, name)
        subprocess.run(common + [os.path.join(inputs, source)] + [runtime] + list(flags) + ["-o", path], check=True)
        return path

    tester = Tester(root, work, wrap)
    program = build("situations", "situations.c", *(["-static"] if static else []))
    for name, (files, sums) in EXPECT.items():
        if name not in skip:
            tester.run(program, name, [], files, sums)
    tester.names(program)
    if not static and "libraries" not in skip:
        library = build("lib.so", "library.c", "-shared", "-fPIC")
        exporting = build("exporting", "situations.c", "-rdynamic")
        for name, (one, two, sums) in LIBRARIES.items():
            print("one runtime:", end=" ")
            tester.run(exporting, name, [library], one, sums)
            print("two runtimes:", end=" ")
            tester.run(program, name, [library], two, sums)
    sys.exit(1 if tester.failures else 0)


main()
