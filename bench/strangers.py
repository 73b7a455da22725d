#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Ten projects of other people, of different build systems: does what README promises work there?

For each: the build and its tests, `survey`, one patch of the first ten structs that get one, the patched build and its tests, and `review` of a
commit that adds a field. All is made anew in --out/NAME.

  units      parsed of those that the database lists
  functions  in the object files, of files of the project: with facts / all (symbols and lines by nm, facts by kst-dev)
  structs    in the survey; foreign: of files outside of the project
  patches    structs of the patch; `git apply` and `patch -p1` take it, each path is a file of the source
  layouts    sizes and offsets before and after that a compiler, by the command of a unit, says as the reports do / all
  tests      that pass with the patch / that passed before
  review     sizes that it names of the changed struct, and what else it names; a compiler says the same sizes
  outside    files that analyses changed: in the project, its build, beside it, in /usr/include

Under the table a line for all that is not as it should be; exit status 1 if there is one."""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys

import kst_bench as kb
import stranger_builds as builds
import stranger_checks as checks

FIRST = 10


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--only", action="append", choices=builds.STRANGERS, metavar="NAME", help="may be repeated")
    p.add_argument("--keep", action="store_true", help="take builds and results of tests that are there")
    p.add_argument("--results", action="store_true", help="run nothing, print what earlier runs found")
    p.add_argument("--out", type=os.path.abspath, default="strangers", metavar="DIR")
    return p.parse_args()


class Run:
    """One project on its way through the steps. row: cells by column; wrong: sentences."""

    def __init__(self, args, project):
        self.args, self.project = args, project
        self.base = os.path.join(args.out, project.name)
        self.top = os.path.join(self.base, "beside", project.name)
        self.row, self.wrong = {}, []

    def file(self, name):
        return os.path.join(self.base, name)

    def tool(self, *words, dev=False):
        """Runs a command of the tool at the top of the project; exit status and what it said."""
        command = [kb.dev_tool(self.args.tool) if dev else self.args.tool, *words, "-p", self.project.build, "--cache-dir", self.file("facts")]
        done = subprocess.run(command, cwd=self.top, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              timeout=1800)
        with open(self.file("tool.log"), "a") as log:
            log.write(f"$ {shlex.join(command)}\n{done.stderr}exit {done.returncode}\n")
        if done.returncode not in (0, 1, 3, 5):
            self.wrong.append(f"{words[0]}: exit {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1][:200]}")
        return done.returncode, done.stderr

    def answer(self, name, *words):
        """The JSON that a command writes; {} if it writes none."""
        path = self.file(name)
        if os.path.exists(path):
            os.remove(path)
        self.tool(*words, "--json", path)
        return kb.read_json(path) if os.path.exists(path) else {}

    def expect(self, true, sentence):
        if not true:
            self.wrong.append(sentence)

    def prepare(self):
        """Build, and the tests that pass without a patch."""
        kept = self.file("passed.json")
        if not (self.args.keep and os.path.exists(kept)):
            os.makedirs(os.path.dirname(self.top), exist_ok=True)
            builds.configured(self.project, os.path.join(self.args.out, "sources"), self.top)
            builds.built(self.project, self.top)
            passed = builds.tested(self.project, self.top)
            with open(kept, "w") as file:
                json.dump(sorted(passed), file)
        self.passed = set(kb.read_json(kept))
        self.expect(len(self.passed) > 1, "no test passes without a patch")
        self.commands = list(builds.commands(self.project, self.top))

    def survey(self):
        found = self.answer("survey.json", "survey", "--top", "40", ".")
        units = found.get("translation_units", {"parsed": 0, "selected": 0})
        listed = len({source for _, _, source, _ in self.commands})
        self.row["units"] = f"{units['parsed']}/{listed}"
        self.expect(units["parsed"] == units["selected"] and units["selected"] >= listed,
                    f"{listed} files in the database, {units['selected']} units selected, {units['parsed']} parsed")
        self.rows = found.get("rows", [])
        foreign = [row for row in self.rows if checks.outside(self.top, self.project.build, row["defined_at"])]
        self.row["structs"] = len(self.rows)
        self.row["foreign"] = len(foreign)
        self.expect(self.rows, "no struct in the survey")
        for row in foreign:
            self.expect(not row["proposed"], f"an order for {row['struct']} of {row['defined_at']}, which is not the project's")

    def functions(self):
        listing = self.file("functions.jsonl")
        self.tool("frequencies", ".", "-o", listing, dev=True)
        all_of_them, missing = checks.functions(self.top, self.project, self.commands, listing)
        with open(self.file("missing-functions"), "w") as file:
            file.writelines(f"{where}: {name}\n" for name, where in sorted(missing))
        self.row["functions"] = f"{len(all_of_them) - len(missing)}/{len(all_of_them)}"
        self.expect(not missing, f"{len(missing)} functions without facts, such as " +
                    ", ".join(f"{name} ({where})" for name, where in sorted(missing)[:3]))

    def patch(self):
        """The patch and its reports, by name."""
        wanted, path, self.reports, chosen = [r for r in self.rows if r["proposed"]], self.file("p.patch"), [], []
        while wanted and len(self.reports) < FIRST:
            more, wanted = wanted[:FIRST - len(self.reports)], wanted[FIRST - len(self.reports):]
            chosen = [report_name(r) for r in self.reports] + [report_name(row) for row in more]
            if os.path.exists(path):
                os.remove(path)
            said = self.answer("reports.json", "--struct", ",".join(chosen), "--patch", path, ".")
            text = open(path).read() if os.path.exists(path) else ""
            self.reports = [r for r in said.get("reports", [said] if said else [])
                            if r["verdict"] == "reorder" and re.search(rf"\bstruct {re.escape(r['struct'])} \({re.escape(r['defined_at'].rpartition(':')[0])}\)", text)]
        self.row["patches"] = len(self.reports)
        self.expect(self.reports, "no patch")
        if self.reports:
            self.wrong += checks.patch(self.top, self.project.build, path)

    def layouts(self, which, head=""):
        same = total = 0
        for report in self.reports:
            right, of, wrong = checks.layout(self.file("probe"), self.commands, report, which, head)
            same, total = same + right, total + of
            self.wrong += wrong[:2]
        was = self.row.get("layouts", "0/0").split("/")
        self.row["layouts"] = f"{int(was[0]) + same}/{int(was[1]) + total}"

    def patched(self):
        if subprocess.run(["git", "apply", self.file("p.patch")], cwd=self.top, check=False, stderr=subprocess.DEVNULL, env={**os.environ, "GIT_CEILING_DIRECTORIES": self.base}).returncode:
            return
        try:
            builds.built(self.project, self.top)
            with open(self.file("p.patch")) as file:
                self.layouts("proposed", file.read().partition("\n--- ")[0])
            now = builds.tested(self.project, self.top)
            lost = self.passed - now and self.passed - builds.tested(self.project, self.top)  # tests that look at clocks run again
            self.row["tests"] = f"{len(self.passed) - len(lost)}/{len(self.passed)}"
            self.expect(not lost, f"with the patch {len(lost)} tests fail: {', '.join(sorted(lost)[:4])}")
        except builds.Failed as error:
            self.wrong.append(f"with the patch {error}")
            self.row["tests"] = "no build"
        subprocess.run(["patch", "-p1", "-R", "-s", "-f", "-i", self.file("p.patch")], cwd=self.top, check=False, stdout=subprocess.DEVNULL)

    def review(self):
        """A commit that adds a field at the end of the first struct that a commit can change."""
        for report in [*self.reports, *[row for row in self.rows if row not in self.reports]]:
            change = checks.field_added(self.top, report)
            if change:
                break
        else:
            return self.wrong.append("no struct for a review")
        before = checks.size(self.file("probe"), self.commands, report)
        path, text, old = change
        checks.commit(self.top, "all")
        with open(path, "w") as file:
            file.write(text)
        checks.commit(self.top, "a field")
        after = checks.size(self.file("probe"), self.commands, report)
        found = self.answer("review.json", "review", "HEAD~1..HEAD")
        rows = {row["struct"]: (row["base_size"], row["head_size"]) for row in found.get("structs", [])
                if row["base_size"] != row["head_size"] or any(f["change"] != "shifted" for f in row["fields"])}
        said = rows.pop(report["struct"], None)
        self.row["review"] = f"{said[0]}->{said[1]}" if said else "not named"
        self.expect(said == (before, after), f"review of a field added to {report['struct']}: says {said}, a compiler {before, after}")
        for name, sizes in rows.items():  # others may hold the struct by value
            self.expect(sizes[0] != sizes[1], f"review of a field added to {report['struct']} names {name} as changed")
        with open(path, "w") as file:
            file.write(old)

    def steps(self):
        try:
            self.prepare()
        except builds.Failed as error:
            return self.wrong.append(str(error))
        before = checks.quiet(os.path.dirname(self.top))
        self.survey()
        self.functions()
        self.patch()
        self.layouts("current")
        changed = checks.changed(before, checks.snapshot(os.path.dirname(self.top)))
        self.row["outside"] = len(changed)
        self.expect(not changed, f"analyses changed files: {', '.join(changed[:4])}")
        if self.reports:
            self.patched()
        self.review()


def report_name(report):
    """For --struct. Of several structs of one name the tool itself says the place."""
    return report["struct"] if "@" in report["struct"] else f"{report['struct']}@{report['defined_at']}"


def main():
    args = arguments()
    columns = ("units", "functions", "structs", "foreign", "patches", "layouts", "tests", "review", "outside")
    rows, wrong = [], []
    for name in args.only or builds.STRANGERS:
        run = Run(args, builds.STRANGERS[name])
        print(f"{name} ...", file=sys.stderr, flush=True)
        if not args.results:
            run.steps()
            with open(run.file("result.json"), "w") as file:
                json.dump([run.row, run.wrong], file)
        elif os.path.exists(run.file("result.json")):
            run.row, run.wrong = kb.read_json(run.file("result.json"))
        rows.append([name, run.project.system, run.project.kind, *(run.row.get(column, "") for column in columns)])
        wrong += [f"{name}: {sentence}" for sentence in run.wrong]
    kb.table(["project", "build", "kind", *columns], rows, left=(0, 1, 2))
    if wrong:
        print("\n" + "\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
