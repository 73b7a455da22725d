# SPDX-License-Identifier: GPL-2.0-or-later
"""What bench/strangers.py asks others than the tool: compilers, nm, git, patch
and the file system."""

import hashlib
import json
import os
import re
import subprocess
import time


def outside(top, build, defined_at):
    """Is FILE:LINE no file of the source at `top`, such as one of the build?"""
    path = os.path.realpath(os.path.join(top, defined_at.rpartition(":")[0]))
    inside = os.path.realpath(top)
    made = os.path.realpath(os.path.join(top, build))
    return not path.startswith(inside + os.sep) or (made != inside and path.startswith(made + os.sep))


def snapshot(folder):
    """State of all files there, by content, and of /usr/include, by size and time."""
    found = {}
    for root, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(root, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    found[path] = hashlib.sha256(file.read()).hexdigest()
    for root, _, files in os.walk("/usr/include"):
        for name in files:
            state = os.lstat(os.path.join(root, name))
            found[os.path.join(root, name)] = f"{state.st_size} {state.st_mtime_ns} {state.st_mode}"
    return found


def quiet(folder):
    """snapshot() once nothing of the tests writes there any more."""
    found = snapshot(folder)
    for _ in range(30):
        time.sleep(1)
        found, before = snapshot(folder), found
        if found == before:
            return found
    return found


def changed(before, after):
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


def functions(top, project, commands, listing):
    """Functions in object files that a file of the project defines, and {(name, FILE:LINE)} of those without facts."""
    facts = set()
    with open(listing) as file:
        for line in file:
            fact = json.loads(line)
            path = os.path.realpath(os.path.join(top, fact["file"]))
            facts |= {(path, fact["line"]), (path, fact["name"])}
    found = set()
    for _, _, _, output in commands:
        if output:
            said = subprocess.run([project.nm, "-l", "--defined-only", output], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            found |= set(re.findall(r"^[0-9a-f]+ [tTwW] (\S+)\t(.+:\d+)$", said.stdout, re.M))
    own = tuple(os.path.realpath(os.path.join(top, part)) + os.sep for part in (".", project.build))
    places = {}
    for symbol, where in found:
        name = symbol.partition(".")[0]  # gcc's .localalias, .cold and the like
        path, _, line = where.rpartition(":")
        path = os.path.realpath(path)
        if path.startswith(own) and not re.match(r"_GLOBAL__sub_I_|.*__static_initialization|_ZT[hvc]", name) and not made(name, path, int(line)):
            # Constructors and destructors have several symbols, of one body.
            places.setdefault(re.sub(r"C[123](?=E)|D[012](?=E)", "", name) if name.startswith("_Z") else (name, where), []).append((name, path, int(line)))
    missing = {(alike[0][0], f"{alike[0][1]}:{alike[0][2]}") for alike in places.values()
               if not any((path, line) in facts or (path, name) in facts for name, path, line in alike)}
    return places, missing


def made(name, path, line):
    """A constructor or destructor that the text there does not have: the compiler makes it where a class begins or an object is made."""
    if not re.match(r"_Z\w*(C[123]|D[012])E", name):
        return False
    called = re.search(r"(~?\w+)\(", subprocess.run(["llvm-cxxfilt-19", name], stdout=subprocess.PIPE, text=True, check=True).stdout)
    with open(path, errors="replace") as file:
        text = (file.readlines() + [""] * line)[line - 1]
    return not called or not re.search(re.escape(called.group(1)) + r"\s*\(", text)


def patch(top, build, path):
    """What is wrong with a patch at the top of the project."""
    wrong = []
    quiet = {"cwd": top, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True,
             "env": {**os.environ, "GIT_CEILING_DIRECTORIES": os.path.dirname(top)}}
    for command in (["git", "apply", "--check", path], ["patch", "-p1", "--dry-run", "-f", "-F0", "-i", path]):
        done = subprocess.run(command, **quiet)
        if done.returncode:
            wrong.append(f"{command[0]} does not take the patch: {done.stdout.strip().splitlines()[-1]}")
    with open(path) as file:
        for side, name in re.findall(r"^(---|\+\+\+) (\S+)", file.read(), re.M):
            plain = name[2:]
            if name[:2] not in ("a/", "b/") or ".." in plain.split("/") or os.path.isabs(plain) or outside(top, build, plain + ":1") or \
                    not os.path.isfile(os.path.join(top, plain)):
                wrong.append(f"{side} {name} is no file of the source")
    return wrong


def probe(folder, commands, report, text):
    """Sizes of the arrays kst_NAME that `text` declares, compiled behind a unit that defines the struct; {} if none does. `{}` in the
    text is the type."""
    os.makedirs(folder, exist_ok=True)
    wanted = {os.path.basename(path) for path in re.findall(r'"([^"\s]+?):\d+"', json.dumps(report))}
    ranked = sorted(commands, key=lambda command: os.path.basename(command[2]) not in wanted)
    for directory, words, source, _ in ranked[:40]:
        other = os.path.join(folder, "probe" + os.path.splitext(source)[1])
        result = os.path.join(folder, "probe.o")
        for kind in ("struct ", ""):
            with open(other, "w") as file:
                file.write(f'#include "{source}"\n' + text.replace("{}", kind + report["struct"]) + "\n")
            done = subprocess.run(replaced(words, source, directory, other, result), cwd=directory, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if not done.returncode:
                said = subprocess.run(["llvm-nm-19", "-S", result], stdout=subprocess.PIPE, text=True, check=True).stdout
                return {name: int(size, 16) for size, name in re.findall(r"^\w+ (\w+) \w _?kst_(\w+)$", said, re.M)}
    return {}


def replaced(words, source, directory, other, result):
    """A compile command with another source and another object, and without lists of dependencies."""
    made, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in ("-o", "-MF", "-MT", "-MQ"):
            skip = True
        elif word == "-c" or word in ("-MD", "-MMD", "-MP") or word.startswith("-Wp,-M"):
            continue
        elif not word.startswith("-") and os.path.realpath(os.path.join(directory, word)) == os.path.realpath(source):
            continue
        else:
            made.append(word)
    private = [] if other.endswith(".c") else ["-fno-access-control"]
    return [*made, "-w", *private, "-I" + os.path.dirname(source), "-c", other, "-o", result]


def size(folder, commands, report):
    return probe(folder, commands, report, "char kst_size[sizeof({})];").get("size")


def size_together(struct, head):
    """Its size where a patch changes a struct inside of it, too, as the patch's head says; None if it says nothing."""
    named = re.search(rf"struct {re.escape(struct)} holds a struct that this patch changes too: it has (\d+) bytes", " ".join(head.split()))
    return int(named.group(1)) if named else None


def layout(folder, commands, report, which, head=""):
    """(right, all, sentences): size and offsets of one struct, as the report and the patch's head have them and as a compiler does."""
    config = report["configs"][0]
    offsets = [(row["name"], row[which]) for row in config["offsets"] if re.fullmatch(r"\w+", row["name"]) and isinstance(row.get(which), int)]
    together = size_together(report["struct"], head)
    if together is not None:
        config, offsets = {"size": {which: together}}, []
    lines = ["char kst_size[sizeof({})];"] + [f"char kst_at_{name}[__builtin_offsetof({{}}, {name}) + 1];" for name, _ in offsets]
    said = probe(folder, commands, report, "\n".join(lines)) or probe(folder, commands, report, lines[0])
    if not said:
        return 0, 1, [f"no compiler says the size of {report['struct']}"]
    expected = {"size": config["size"][which], **{f"at_{name}": offset + 1 for name, offset in offsets if f"at_{name}" in said}}
    wrong = [f"{which} {report['struct']} {key}: the report says {value}, the compiler {said.get(key)}"
             for key, value in expected.items() if said.get(key) != value]
    return len(expected) - len(wrong), len(expected), wrong


def field_added(top, report):
    """(path, text with one field more, text) for the struct of a report or row; None if its text is not as expected."""
    name, _, line = report["defined_at"].rpartition(":")
    path = os.path.join(top, name)
    if outside(top, "no build", report["defined_at"]) or not os.path.isfile(path):
        return None
    with open(path) as file:
        text = file.read()
    begin = sum(len(one) for one in text.splitlines(True)[:int(line) - 1])
    begin, depth = text.find("{", begin), 0
    for place in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if not depth:
            return path, text[:place] + "\tlong kst_new_field;\n" + text[place:], text
    return None


def commit(top, words):
    """Commits all of the project; the first one makes the repository."""
    git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "init.defaultBranch=main"]
    for command in ([] if os.path.isdir(os.path.join(top, ".git")) else [["init", "-q"]]) + [["add", "-A"], ["commit", "-q", "--allow-empty", "-m", words]]:
        subprocess.run([*git, *command], cwd=top, check=True, stdout=subprocess.DEVNULL)
