#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""One change, written as many programs write it: patch_forms.py TOOL DIR

Makes a tree in DIR, reviews every form of the change with TOOL, before and
after the tree has it, and demands the same finding of all."""

import json
import os
import re
import shutil
import subprocess
import sys

HEADER = "\nstruct s {\n\tint a;\n\tchar text[248];\n\tunsigned long f;\n\tunsigned long g;\n\tint b;\n\tint c;\n};\n"
CHANGED = HEADER.replace("\tunsigned long f;\n", "\tunsigned long f;\n\tunsigned long more[20];\n")
SOURCE = '#include <{}>\nlong use(struct s *p) {{ return p->a++ + p->f; }}\n'
IDENTITY = ["-c", "user.name=t", "-c", "user.email=t@example.org"]


def run(cwd, *words, good=(0,)):
    done = subprocess.run(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "LC_ALL": "C"})
    if done.returncode not in good:
        sys.exit(f"{' '.join(words)}: {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


def make_tree(top, header, text=HEADER):
    shutil.rmtree(top, ignore_errors=True)
    write(os.path.join(top, header), text)
    write(os.path.join(top, "use.c"), SOURCE.format(header))
    write(os.path.join(top, "compile_commands.json"),
          json.dumps([{"directory": top, "file": "use.c", "arguments": ["clang", "-I.", "-c", "use.c"]}]))
    run(top, "git", "init", "-q")
    run(top, "git", "add", ".")
    run(top, "git", *IDENTITY, "commit", "-qm", "one")


def git_forms(top, header):
    """(name, patch) by git's own settings, with the change in the work tree."""
    settings = {"git": [], "noprefix": ["-c", "diff.noprefix=true"], "mnemonic": ["-c", "diff.mnemonicPrefix=true"],
                "unquoted": ["-c", "core.quotePath=false"]}
    for name, words in settings.items():
        yield name, run(top, "git", *words, "diff")
    yield "prefixes", run(top, "git", "diff", "--src-prefix=old/tree/", "--dst-prefix=new/tree/")
    yield "no context", run(top, "git", "diff", "-U0")
    run(top, "git", "add", header)
    yield "mnemonic, index", run(top, "git", "-c", "diff.mnemonicPrefix=true", "diff", "--cached")
    run(top, "git", *IDENTITY, "commit", "-qm", "two\n\n--- not a name\n+++ nor this\n--\ndiff is a word, too")
    yield "mnemonic, commits", run(top, "git", "-c", "diff.mnemonicPrefix=true", "diff", "HEAD^", "HEAD")
    yield "format-patch", run(top, "git", "format-patch", "--stdout", "HEAD^")
    yield "show", run(top, "git", "show", "--stat", "-p", "HEAD")
    run(top, "git", "reset", "-q", "HEAD^")


def plain_forms(top, scratch, header):
    """(name, patch) by diff and by programs that write as it does."""
    for folder, text in (("old", HEADER), ("new", CHANGED)):
        write(os.path.join(scratch, folder, header), text)
    name = header.encode()
    diff = run(scratch, "diff", "-ru", "old", "new", good=(1,))
    body = diff[diff.index(b"@@ -"):]
    yield "diff -ru", diff
    yield "diff -Nrup", run(scratch, "diff", "-Nrup", "old", "new", good=(1,))
    yield "absolute", run(scratch, "diff", "-u", os.path.join(scratch, "old", header), os.path.join(scratch, "new", header), good=(1,))
    yield "absolute, in the tree", run(scratch, "diff", "-u", os.path.join(scratch, "old", header), os.path.join(top, header), good=(0, 1)) or \
        b"--- /somewhere/else\n+++ " + os.path.join(top, header).encode() + b"\n" + body
    if b"\t" in name:
        return  # such programs do not quote it
    yield "backup", b"--- " + name + b".orig\t2026-01-01 10:00:00.000000000 +0000\n+++ " + name + b"\t2026-01-01 10:00:01.000000000 +0000\n" + body
    yield "dot", b"--- ../there/" + name + b"\n+++ ./" + name + b"\t\n" + body
    yield "svn", b"Index: " + name + b"\n" + b"=" * 67 + b"\n--- " + name + b"\t(revision 1)\n+++ " + name + b"\t(working copy)\n" + body + \
        b"\nProperty changes on: x\n" + b"_" * 67 + b"\nAdded: svn:eol-style\n## -0,0 +1 ##\n+native\n"
    yield "hg", b"diff -r 0123456789ab " + name + b"\n--- a/" + name + b"\tThu Jan 01 00:00:00 1970 +0000\n+++ b/" + name + \
        b"\tFri Jan 02 00:00:00 1970 +0000\n" + body
    yield "quilt", b"From: me\nSubject: x\n\nIndex: linux-6/" + name + b"\n" + b"=" * 67 + b"\n--- linux-6.orig/" + name + b"\t2026-01-01 10:00:00.0 +0000\n+++ linux-6/" + \
        name + b"\t2026-01-01 10:00:00.0 +0000\n" + body
    if b" " not in name:
        yield "times after blanks", b"--- a/" + name + b" 2026-01-01 10:00:00.000 +0000\n+++ b/" + name + b" 2026-01-01 10:00:01.000 +0000\n" + body


def other_parts(patch):
    """The patch between parts that change no code."""
    before = b"diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n" \
        b"diff --git a/logo.png b/logo.png\nindex 1111111..2222222 100644\nBinary files a/logo.png and b/logo.png differ\n"
    after = b"diff --git a/doc.txt b/doc.txt\nnew file mode 100644\nindex 0000000..8baef1b\n--- /dev/null\n+++ b/doc.txt\n@@ -0,0 +1 @@\n+abc\n"
    return before + patch + after


def finding(tool, top, patch, where):
    write(where, patch)
    done = subprocess.run([tool, "review", where, "--no-cache", "--json", where + ".json"], cwd=top, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        return None, done.stdout.strip()
    with open(where + ".json") as file:
        report = json.load(file)
    sizes = re.search(r"\d+ to \d+ bytes", done.stdout)
    return ([f["fingerprint"] for f in report["findings"]], sizes and sizes.group(0)), done.stdout


def main():
    tool, top = sys.argv[1], os.path.abspath(sys.argv[2])
    wrong = count = 0
    for number, header in enumerate(["inc/s.h", "my inc/the s.h", "tab\there \"q\".h", "caf\u00e9/s.h"]):
        tree, scratch = os.path.join(top, f"tree{number}"), os.path.join(top, f"scratch{number}")
        shutil.rmtree(scratch, ignore_errors=True)
        make_tree(tree, header)
        write(os.path.join(tree, header), CHANGED)
        forms = list(git_forms(tree, header)) + list(plain_forms(tree, scratch, header))
        named = dict(forms)
        forms.append(("CRLF mail", named["format-patch"].replace(b"\n", b"\r\n")))
        forms.append(("with other parts", other_parts(named["git"])))
        wanted = None
        for state, text in (("before", HEADER), ("after", CHANGED)):
            write(os.path.join(tree, header), text)
            for name, patch in forms:
                if name == "with other parts" and state == "after":
                    write(os.path.join(tree, "doc.txt"), "abc\n")
                got, said = finding(tool, tree, patch, os.path.join(scratch, "patch"))
                count += 1
                wanted = wanted or got
                if got is None or got != wanted or not got[0] or got[1] != "280 to 440 bytes":
                    wrong += 1
                    print(f"{header!r}, {name}, tree {state} the change: {got}\n{said}")
    # A header with CRLF, and a mail that lost them.
    tree, scratch = os.path.join(top, "crlf"), os.path.join(top, "scratch")
    make_tree(tree, "s.h", HEADER.replace("\n", "\r\n"))
    write(os.path.join(tree, "s.h"), CHANGED.replace("\n", "\r\n"))
    patch = run(tree, "git", "diff")
    run(tree, "git", "checkout", "-q", "s.h")
    for name, text in (("as it is", patch), ("without CR", patch.replace(b"\r", b"")), ("with CR twice", patch.replace(b"\n", b"\r\n"))):
        got, said = finding(tool, tree, text, os.path.join(scratch, "patch"))
        count += 1
        if got is None or got[0] != wanted[0]:
            wrong += 1
            print(f"CRLF header, {name}: {got}\n{said}")
    print(f"{count} reviews, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
