#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs are counted, edited by chance, and analysed with the old profile: do counts keep their names?

  transfer_edits.py [--seeds N]

Each program has one struct and functions that read and write its members; main() calls each so many times. Edits add, remove, move and
resize members, add functions above others and lines inside. A member is removed with the lines that use it. For each seed the program is
built twice with the plugin, with -g and with -gline-tables-only: only the first profile knows names. The counts of the unedited program by
member are the truth. Printed, for both: programs by what became of the profile, members whose counts are right, lost and wrong
(those of a refused profile in no column), and for how many unedited programs the profile fits as it is. Claims: no count is wrong; with names none is lost; every profile fits its own program."""

import os
import random
import shutil
import subprocess
import sys
import tempfile

import counted
import kst_bench as kb

TYPES = ("long", "int", "short", "char", "unsigned long")
FORMS = ("store", "load", "both", "handed", "calm")


class Program:
    """A struct and its code, as lists that edits change."""

    def __init__(self, seed):
        self.random, self.next = random.Random(seed), 0
        self.members, self.functions = [], []
        for _ in range(self.random.randint(5, 12)):
            self.add_member()
        for _ in range(self.random.randint(4, 9)):
            self.add_function(self.random.randint(1, 50))

    def name(self, start):
        self.next += 1
        return f"{start}{self.next}"

    def add_member(self):
        self.members.insert(self.random.randint(0, len(self.members)),
                            [self.name("m"), self.random.choice(TYPES), self.random.choice(("", "", "", "[3]"))])

    def remove_member(self):
        if len(self.members) > 3:
            gone = self.members.pop(self.random.randrange(len(self.members)))[0]
            for function in self.functions:
                function[2] = [line for line in function[2] if gone not in line[1:]]

    def move_member(self):
        self.members.insert(self.random.randrange(len(self.members)), self.members.pop(self.random.randrange(len(self.members))))

    def resize_member(self):
        self.random.choice(self.members)[1] = self.random.choice(TYPES)

    def add_function(self, calls=0):
        lines = [[self.random.choice(FORMS)] + [self.random.choice(self.members)[0] for _ in range(2)]
                 for _ in range(self.random.randint(1, 7))]
        self.functions.insert(self.random.randint(0, len(self.functions)), [self.name("f"), calls, lines])

    def add_line(self):
        lines = self.random.choice(self.functions)[2]
        lines.insert(self.random.randint(0, len(lines)), ["calm"])

    def edit(self):
        self.random.choice((self.add_member, self.remove_member, self.move_member, self.resize_member, self.add_function, self.add_line))()

    def text(self):
        arrays = {name: array for name, _, array in self.members}

        def line(form, *names):
            a, b = (f"p->{name}" + ("[1]" if arrays[name] else "") for name in names or (self.members[0][0],) * 2)
            return {"store": f"{a} = n;", "load": f"if ({a} != 3) n -= {b};", "both": f"{a} += {b};",
                    "handed": f"n += taken(&{a}) + {b};" if names and arrays[names[0]] == "" else "n++;", "calm": "n++;"}[form]
        out = ["struct record {", *(f"\t{kind} {name}{array};" for name, kind, array in self.members), "};",
               "static int taken(void *at) {", "\treturn at != 0;", "}"]
        for name, _, lines in self.functions:
            out += [f"static __attribute__((noinline)) int {name}(struct record *p, int n) {{", *("\t" + line(*one) for one in lines),
                    "\treturn n;", "}"]
        out += ["int main(void) {", "\tstatic struct record r;", "\tint n = 0;"]
        out += [f"\tfor (int i = 0; i < {calls}; i++) n += {name}(&r, i);" for name, calls, _ in self.functions]
        return "\n".join(out + ["\treturn n & 1;", "}"]) + "\n"


def counts(args, directory, profile):
    """({member: (reads, writes)} of those with a count, what became of the profile); None as counts: refused."""
    out = os.path.join(directory, "report.json")
    done = subprocess.run([args.tool, "--quiet", "--no-cache", "--struct", "record", "-p", directory, "--profile", profile, "--json", out, "program.c"],
                          cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 1 and "does not fit" in done.stderr:
        return None, "refused"
    if done.returncode:
        sys.exit(done.stderr)
    made = kb.read_json(out)
    fields = {field["name"]: (field["origin"]["counted_reads"], field["origin"]["counted_writes"]) for field in made["fields"]}
    what = "transferred" if "transferred" in made["coverage"]["profiles"][0] else "fits"
    return {name: both for name, both in fields.items() if any(both)}, what


def write(directory, text):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "program.c"), "w") as file:
        file.write(text)
    subprocess.run([sys.executable, os.path.join(kb.ROOT, "test", "lit", "tools", "commands.py"), directory, "program.c"], check=True)


def measured(args, tools, directory, debug):
    """Its profile, in a file."""
    binary, raw, profile = (os.path.join(directory, name) for name in ("program", "run.kstraw", "run.kstp"))
    if os.path.exists(raw):
        os.remove(raw)
    environment = {**os.environ, "KST_OPTIONS": "structs=record", "KST_FILE": raw}
    subprocess.run([tools.clang, "-O2", debug, "-fpass-plugin=" + tools.plugin, "program.c", tools.runtime, "-pthread", "-o", binary],
                   cwd=directory, env=environment, check=True)
    subprocess.run([binary], cwd=directory, env=environment)
    subprocess.run([args.tool, "profile", "import", raw, "--binary", binary, "-o", profile, "--quiet"], check=True)
    return profile


def trial(args, tools, seed, debug, directory):
    program = Program(seed)
    before, after = (os.path.join(directory, name) for name in ("before", "after"))
    write(before, program.text())
    profile = measured(args, tools, before, debug)
    truth, own = counts(args, before, profile)
    for _ in range(1 + seed % 5):
        program.edit()
    write(after, program.text())
    found, what = counts(args, after, profile)
    here = {member[0] for member in program.members}
    left = {name: both for name, both in truth.items() if name in here}
    right = wrong = 0
    for name, both in (found or {}).items():
        right += left.get(name) == both
        wrong += left.get(name) != both
    if wrong and args.keep:
        shutil.copytree(directory, os.path.join(args.keep, f"{seed}{debug}"), dirs_exist_ok=True)
    return {"what": what, "right": right, "wrong": wrong, "lost": len(left) - right if found is not None else 0, "fits": own == "fits"}


def main():
    p = kb.parser(__doc__)
    counted.add_options(p)
    p.add_argument("--seeds", type=int, default=50, help="programs (default: 50)")
    p.add_argument("--keep", metavar="DIR", help="copies programs with a wrong count")
    args = p.parse_args()
    tools = counted.Toolchain(args)
    rows, good = [], True
    for debug in ("-g", "-gline-tables-only"):
        done = []
        for seed in range(args.seeds):
            with tempfile.TemporaryDirectory() as directory:
                done.append(trial(args, tools, seed, debug, directory))
        sums = {key: sum(one[key] for one in done) for key in ("right", "lost", "wrong", "fits")}
        ways = [sum(one["what"] == way for one in done) for way in ("fits", "transferred", "refused")]
        rows.append([debug, *ways, sums["right"], sums["lost"], sums["wrong"], sums["fits"]])
        good &= not sums["wrong"] and sums["fits"] == args.seeds and (debug != "-g" or not sums["lost"])
    kb.table(["built with", "fits", "transferred", "refused", "members right", "lost", "wrong", "own program"], rows)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
