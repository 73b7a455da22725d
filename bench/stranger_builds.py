# SPDX-License-Identifier: GPL-2.0-or-later
"""Ten projects from the distribution's source packages that nobody wrote for
this tool: how each is configured, built and tested as its own documents say.

Each is built in a folder of its own; nothing is installed. No optimization, so
that each function that the compiler sees as used is in an object file."""

import dataclasses
import json
import os
import re
import shlex
import shutil

import source_package
from server_builds import Failed, run

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = "-O0 -g"
CMAKE = "cmake -S . -B {build} -DCMAKE_BUILD_TYPE=Debug -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"
# Of BusyBox; all of it would take too long.
APPLETS = "BUSYBOX|ASH|SH_IS_ASH|AWK|BC|CAT|COMM|CPIO|CUT|DATE|DIFF|DU|ECHO|EXPAND|EXPR|FACTOR|FIND|GREP|GUNZIP|GZIP|HEAD|HEXDUMP|LS|MD5SUM|OD|PASTE|" \
    "PATCH|PRINTF|SED|SEQ|SORT|STRINGS|SUM|TAIL|TAR|TEST|TR|TSORT|UNIQ|UNEXPAND|WC|XARGS|XXD|SHOW_USAGE|LONG_OPTS|FEATURE_.*"
CTEST = r"Test +#\d+: (\S+) \.* +Passed"


@dataclasses.dataclass
class Stranger:
    """configure, make, test: shell commands at the top of the source, with {flags}, {build}, {cc} (records commands) and {here} filled in.
    passed: a pattern with one group in what the tests print, the name of a test that passed. build: where it builds, and where its
    compile commands lie, relative to the top. part: of the package, the top. kind: C++ or C, and what is special."""
    name: str
    system: str
    kind: str
    configure: str
    make: str
    test: str
    passed: str
    build: str = "."
    nm: str = "nm"
    part: str = "."

    def words(self, top):
        cc = f"python3 {HERE}/strangers/record_command.py {top}.commands"
        return {"flags": FLAGS, "build": self.build, "cc": cc, "here": HERE, "applets": APPLETS, "arm": "qemu-arm -L /usr/arm-linux-gnueabihf"}


STRANGERS = {project.name: project for project in (
    Stranger("jansson", "autotools", "C, bear", "autoreconf -i && ./configure --disable-shared CFLAGS='{flags}'", "bear --append -- make check TESTS=",
             "make check; status=$?; cat test/run-suites.log; exit $status", r"^Suite: (\S+)\n\.+$"),
    Stranger("json-c", "CMake", "C, built beside the source", CMAKE, "make -C {build}", "cd {build} && ctest", CTEST, build="../json-c-build"),
    Stranger("wayland", "Meson", "C, generated code", "meson setup {build} -Ddocumentation=false -Dbuildtype=plain -Dc_args='{flags}'",
             "ninja -C {build} -j1", "mkdir -p -m 700 ../run && XDG_RUNTIME_DIR=$PWD/../run meson test -C {build} --num-processes 1",
             r"^ *\d+/\d+ (\S.*?) +OK", build="build"),
    Stranger("hiredis", "make", "C, own recorder", "true", "make all hiredis-test CC='{cc} gcc' OPTIMIZATION=-O0",
             "make check CC='{cc} gcc' OPTIMIZATION=-O0", r"^#\d+ (.*?): .*PASSED"),
    Stranger("busybox", "Kbuild-like", "C, own recorder",
             "make allnoconfig && sed -i -E 's/^# CONFIG_({applets}) is not set/CONFIG_\\1=y/; s/(EDITING_HISTORY)=0/\\1=255/' .config && yes '' | make oldconfig", "make busybox CC='{cc} gcc' CONFIG_EXTRA_CFLAGS='{flags}' SKIP_STRIP=y",
             "cd testsuite && bindir=$(dirname $PWD) ./runtest -v", r"^PASS: (.*)"),
    Stranger("zlib", "make, own configure", "C, cross to arm, bear", "CHOST=arm-linux-gnueabihf CFLAGS='{flags}' ./configure --static",
             "bear --append -- make static infcover", "make teststatic QEMU_RUN='{arm}' && {arm} ./infcover", r"(zlib.* test OK)|^(.+): \d+ high water mark",
             nm="arm-linux-gnueabihf-nm"),
    Stranger("yajl", "CMake", "C, unity build", CMAKE + " -DCMAKE_UNITY_BUILD=ON", "make -C {build}",
             "cd test/parsing && ./run_tests.sh ../../{build}/test/parsing/yajl_test", r"^ *test \((.*)\): SUCCESS", build="build"),
    Stranger("expat", "CMake", "C, precompiled header (injected)", CMAKE + " -DEXPAT_BUILD_DOCS=OFF "
             "-DCMAKE_PROJECT_INCLUDE={here}/strangers/precompiled_header.cmake", "make -C {build}", "cd {build} && ctest", CTEST, build="build",
             part="expat"),
    Stranger("ninja-build", "CMake", "C++", CMAKE, "make -C {build}", "cd {build} && ./ninja_test | tr '\\r' '\\n'", r"^\[\d+/\d+\] (\S+)", build="build"),
    Stranger("lzip", "make, own configure", "C++, bear", "./configure CXXFLAGS='{flags}'", "bear --append -- make", "make check",
             r"^(tests completed successfully)"),
)}


def configured(project, cache, top):
    """A fresh source tree at `top`, configured."""
    for path in (top, os.path.join(top, project.build), top + ".commands"):
        shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)
    shutil.copytree(os.path.join(source_package.source_tree(project.name, cache), project.part), top, symlinks=True)
    shell(project, project.configure, top, "configure")


def built(project, top):
    """Builds it, and notes what the recorder saw as compile_commands.json."""
    shell(project, project.make, top, "make")
    if os.path.exists(top + ".commands"):
        with open(top + ".commands") as file:
            found = {(entry["directory"], entry["output"]): entry for entry in map(json.loads, file)}
        with open(os.path.join(top, project.build, "compile_commands.json"), "w") as file:
            # What a Makefile tries the compiler with is gone again.
            json.dump([entry for entry in found.values() if os.path.exists(os.path.join(entry["directory"], entry["file"]))], file, indent=1)


def shell(project, command, top, what):
    code, text = run(command.format(**project.words(top)), top, f"{top}.{what}.log")
    if code:
        wrong = [line for line in text.splitlines() if re.search(r"\berror\b|Error \d", line)] or text.splitlines()[-1:]
        raise Failed(f"{what} fails: {wrong[0][:160] if wrong else code}")


def tested(project, top):
    """Names of tests that passed, with `exit N` among them."""
    code, text = run(project.test.format(**project.words(top)), top, top + ".test.log")
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    found = {next(group for group in match.groups() if group) for match in re.finditer(project.passed, text, re.M)}
    return found | {f"exit {code}"}


def commands(project, top):
    """Of the database: (directory, words, source, object) of each compile of a source file; the object None if it was not built."""
    with open(os.path.join(top, project.build, "compile_commands.json")) as file:
        entries = json.load(file)
    for entry in entries:
        words = entry.get("arguments") or shlex.split(entry["command"])
        output = entry.get("output") or (words[words.index("-o") + 1] if "-o" in words else None)
        output = output and os.path.join(entry["directory"], output)
        yield entry["directory"], words, os.path.join(entry["directory"], entry["file"]), output if output and os.path.isfile(output) else None
