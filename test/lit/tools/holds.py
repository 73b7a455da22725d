#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Is what the tool says of a struct what the compilers of the project say?

    holds.py [OPTIONS] STRUCT TOOL ARGUMENT...

runs TOOL in the current directory for STRUCT, with a report and a patch. Then
every command of the database is run with static assertions for the offsets of
the report behind its source, the patch is given to git-apply(1) and patch(1)
and applied at the current directory, every command that compiled must compile
again, and those that see the struct with assertions for the proposed offsets.

    --db DIR       where compile_commands.json is; default: the current directory
    --at DIR       where the patch applies; default: the current directory; one of
                   several that may be right
    --run COMMAND  a shell command that ends with 0 before and after the patch
    --or REGEX     no patch is an answer, too, if the words say REGEX
    --parsed N     so many units were parsed (any: not checked); default: as many
                   as see the struct
    --other WORD   commands with WORD are for another ABI: they have to compile, no more

A command that no longer compiles is excused if the patch itself says REGEX.

Nothing of the tool is used to judge it but the report's names and numbers. A
unit sees the struct if sizeof of it compiles behind the unit's text."""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

DROPPED = {"-c", "-MD", "-MMD", "-MP"}
DROPPED_WITH_WORD = {"-o", "-MF", "-MT", "-MQ"}


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", **more)


def wrong(text, output=""):
    sys.exit(f"holds: {text}\n{output}".rstrip())


class Unit:
    """One entry of the database; its command compiles any text in place of the source."""

    def __init__(self, entry, top):
        self.directory = os.path.join(top, entry["directory"])
        self.words = entry.get("arguments") or shlex.split(entry["command"])
        if self.words[0].startswith("-"):
            self.words = ["cc", *self.words]
        self.file = self.path(entry["file"])

    def path(self, word):
        return os.path.realpath(os.path.join(self.directory, word))

    def compile(self, behind=""):
        """With the text `behind` at the end of the source; the process."""
        with tempfile.TemporaryDirectory() as scratch:
            text = os.path.join(scratch, "unit" + os.path.splitext(self.file)[1])
            with open(text, "w") as unit:
                unit.write(f'#include "{self.file}"\n{behind}')
            words, skip = [], False
            for word in self.words:
                if not skip and word not in DROPPED and word not in DROPPED_WITH_WORD:
                    is_source = not word.startswith("-") and self.path(word) == self.file
                    words.append(text if is_source else word)
                skip = word in DROPPED_WITH_WORD
            return run(words + ["-fsyntax-only"], cwd=self.directory)


def units(options):
    with open(os.path.join(options.db, "compile_commands.json")) as database:
        return [Unit(entry, os.path.abspath(options.db)) for entry in json.load(database)]


def assertions(report, layout, size, name):
    """C text that compiles if the layout's offsets are the compiler's.

    offsetof() takes no bit-field: only its neighbors and the size tell of it."""
    bits = {field["name"] for field in report["fields"] if "bits" in field}
    lines = ["#ifdef __cplusplus", "#define _Static_assert static_assert", "#endif"]
    checked = 0
    for field, offset in layout:
        field = re.sub(r"\W.*", "", field)
        if field and field not in bits:
            checked += 1
            lines.append(f'_Static_assert(__builtin_offsetof({name}, {field}) == {int(offset)}, "{field}");')
    if not checked:
        wrong("the report has no field to check")
    lines.append(f'_Static_assert(sizeof({name}) == {size}, "size");')
    return "\n".join(lines) + "\n"


def forms(report, which, name):
    """Texts, one for each form that the report has of the struct; units that are compiled in different ways may see different ones."""
    first = report["layouts"][which]
    found = [(list(zip(first["order"], first["offsets"])), first["size"])]
    for config in report["configs"]:
        form = ([(field["name"], field[which]) for field in config["offsets"]], config["size"][which])
        if sorted(form[0]) != sorted(found[0][0]) or form[1] != found[0][1]:
            found.append(form)
    return [assertions(report, layout, size, name) for layout, size in found]


def hold(seeing, texts, when):
    for unit in seeing:
        made = [unit.compile(text) for text in texts]
        if all(one.returncode for one in made):
            wrong(f"{when}, {shlex.join(unit.words)} says otherwise", made[0].stderr)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--db", default=".")
    parser.add_argument("--at", action="append")
    parser.add_argument("--run")
    parser.add_argument("--or", dest="refusal")
    parser.add_argument("--parsed")
    parser.add_argument("--other", default="")
    parser.add_argument("struct")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser.parse_args()


def apply(patch, places):
    """At the first of the places where git takes the patch; patch(1) has to take it there, too."""
    for at in places:
        # The repository that this test is a part of is not the one that the patch is for.
        above = dict(os.environ, GIT_CEILING_DIRECTORIES=os.path.dirname(os.path.realpath(at)), GIT_CONFIG_GLOBAL="/dev/null")
        made = run(["git", "apply", "--check", patch], cwd=at, env=above)
        if not made.returncode:
            break
    else:
        wrong("git-apply refuses the patch", made.stderr)
    for dry in (["--dry-run"], []):
        made = run(["patch", "-p1", "-s", "-t", *dry, "-i", patch], cwd=at)
        if made.returncode:
            wrong("git-apply takes the patch, patch(1) does not", made.stdout + made.stderr)


def main():
    options = parse()
    name = options.struct if options.struct.endswith("_t") else "struct " + options.struct
    everything = units(options)
    good = [unit for unit in everything if not unit.compile().returncode]
    ours = [unit for unit in good if not options.other or options.other not in unit.words]
    seeing = [unit for unit in ours if not unit.compile(f"enum {{ kst_seen = sizeof({name}) }};\n").returncode]
    if not seeing:
        wrong("the test is broken: no unit sees the struct", everything[0].compile().stderr)
    if options.run and run(options.run, shell=True).returncode:
        wrong("the test is broken: --run fails before the patch")

    with tempfile.TemporaryDirectory() as out:
        report, patch = os.path.join(out, "r.json"), os.path.join(out, "p.patch")
        tool, *more = options.command
        told = run([tool, "--no-cache", "--reference", "none", "--struct", options.struct, "--json", report,
                    "--patch", patch, *more])
        words = " ".join((told.stdout + told.stderr).split())
        refused = options.refusal and re.search(options.refusal, words, re.IGNORECASE)
        if told.returncode not in (0, 1, 2, 5) or (told.returncode and not refused):
            wrong(f"exit status {told.returncode}", told.stderr)
        if not os.path.exists(report) or not os.path.getsize(report):
            if not refused:
                wrong("no report", told.stderr)
            return f"no report: {refused.group()}"
        with open(report) as file:
            answer = json.load(file)
        hold(seeing, forms(answer, "current", name), "of the present order")
        parsed = str(answer["coverage"]["translation_units"]["parsed"])
        if not refused and options.parsed != "any" and parsed != (options.parsed or str(len(seeing))):
            wrong(f"{parsed} units parsed, {len(seeing)} see the struct", told.stdout[-1500:])
        if not os.path.exists(patch) or not os.path.getsize(patch):
            if not refused:
                wrong(f"verdict {answer['verdict']} and no patch", told.stdout[:1500] + told.stderr)
            return f"no patch: {refused.group()}"
        with open(patch) as file:
            excused = options.refusal and re.search(options.refusal, " ".join(file.read().split()), re.IGNORECASE)
        apply(patch, options.at or ["."])
        if options.run:
            made = run(options.run, shell=True)
            if made.returncode:
                wrong(f"after the patch {options.run} ends with {made.returncode}", made.stdout + made.stderr)
        for unit in good:
            made = unit.compile()
            if made.returncode and not excused:
                wrong(f"after the patch {shlex.join(unit.words)} fails", made.stderr)
        hold(seeing, forms(answer, "proposed", name), "of the proposed order")
        return f"the patch holds for {len(seeing)} of {len(good)} commands"


print("holds:", main())
