#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does `kstatic-affinity sharing` name what the makers of other tools and of their tests say is falsely shared, and nothing where they say nothing is?

The programs and their known answers are in data/peers.tsv. Nothing is downloaded: DIR must hold each repository as OWNER+NAME at the commit
that the table names, say by

    git clone https://github.com/OWNER/NAME DIR/OWNER+NAME && git -C DIR/OWNER+NAME checkout COMMIT

Inputs are made, the same each time. What a method sees:

  source   the sources as they are
  counts   and the counts of one run (plugin, structs=all)
  trace    and the accesses of one run (plugin, structs=all mode=trace); counts and trace run copies of the sources with smaller sizes (column sizes)

Columns: the known answer (kind and names), and for each method

  found N/M    the N-th of M entries of "false" is the answer: its kind and one of its names, among the first five
  partly N/M   the name is there, but as another kind (shown), or not among the first five
  missed 0/M
  silent, alarm M      of controls: no entry, or M
  error: WHAT          a step failed, or took more than 120 s; a program without structs leaves no counts

Elements and objects are one kind: elements of a heap array are objects too. Of two fields both must be named. The last lines, for each method:
the sums, and entries that match no answer per program that has one (false alarms).

    bench/peers.py --sources DIR [--half fit|held|all] [--method source|counts|trace]... [--only ID]...
    bench/peers.py --sources DIR --check     only build and run each, plain and traced: seconds and events"""

import csv
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time

import kst_bench as kb

TABLE = os.path.join(kb.ROOT, "bench", "data", "peers.tsv")
METHODS = ["source", "counts", "trace"]
LIMIT = 120
CONTROLS = ("none", "true")
FIRST = 5
STUBS = {"numa.h": "static inline int numa_available(void) { return 0; }\nstatic inline int numa_max_node(void) { return 0; }\n"
                   "static inline int numa_run_on_node(int n) { return n; }\nstatic inline int numa_node_of_cpu(int c) { (void)c; return 0; }\n",
         "numaif.h": ""}


class Failed(Exception):
    """A step of a program that did not end well; its text is shown."""


def programs(half, only):
    with open(TABLE) as file:
        rows = list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE))
    unknown = set(only or ()) - {row["id"] for row in rows}
    if unknown:
        sys.exit(f"not in {TABLE}: " + " ".join(sorted(unknown)))
    return [row for row in rows if (row["id"] in only if only else half in ("all", row["half"]))]


def make_inputs(folder, larger=1):
    """The files that arguments name with an @, small and the same each time; by a factor larger."""
    rng = random.Random(1)
    paths = {name: os.path.join(folder, name) for name in ("bmp", "points", "keys", "words", "html")}
    word = lambda: "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(rng.randint(3, 9)))
    vocabulary = [word() for _ in range(200)]
    header = bytearray(54)
    header[0:2], header[10], header[28] = b"BM", 54, 24
    content = {"bmp": bytes(header) + rng.randbytes(3 * 40000 * larger), "points": rng.randbytes(40001 * larger),
               "keys": "".join(word() + "\n" for _ in range(2500 * larger)).encode(), "words": " ".join(rng.choices(vocabulary, k=5000 * larger)).encode()}
    for name, data in content.items():
        with open(paths[name], "wb") as file:
            file.write(data)
    os.mkdir(paths["html"])
    for number in range(40):
        with open(os.path.join(paths["html"], f"{number}.html"), "w") as file:
            file.writelines(f'<p>{word()} <a href="http://{rng.choice(vocabulary)}.org/{rng.choice(vocabulary)}">{word()}</a></p>\n' for _ in range(60))
    return paths


def step(name, command, timeout=LIMIT, fine=(0,), **options):
    """Runs one step; its output, or Failed with the reason."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=timeout, **options)
    except subprocess.TimeoutExpired:
        raise Failed(f"{name} took more than {timeout} s") from None
    except OSError as error:
        raise Failed(f"{name}: {error.strerror}") from None
    if done.returncode not in fine:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        told = next((line for line in lines if "error" in line), lines[-1] if lines else "")
        raise Failed(f"{name} ended with {done.returncode}" + (f" ({told[:100]})" if told else ""))


def replaced(text, sizes):
    """The text with each OLD=>NEW, of whole words, and how often each occurred.

    >>> replaced("N 1000; M 10000", ["1000=>5"])
    ('N 5; M 10000', [1])
    """
    counts = []
    for size in sizes:
        old, new = size.split("=>")
        pattern = (r"\b" if re.match(r"\w", old) else "") + re.escape(old) + (r"\b" if re.search(r"\w$", old) else "")
        text, count = re.subn(pattern, lambda _, new=new: new, text)
        counts.append(count)
    return text, counts


class Program:
    """One row of the table in a directory of its own."""

    def __init__(self, args, row, folder, inputs):
        self.args, self.row, self.folder = args, row, folder
        self.repository = os.path.join(args.sources, row["repository"].partition("@")[0].replace("/", "+"))
        self.paths = row["sources"].split()
        missing = [path for path in self.paths if not os.path.exists(os.path.join(self.repository, path))]
        if missing:
            raise Failed(f"not there: {os.path.join(self.repository, missing[0])}")
        self.run_in = os.path.join(folder, "run")
        os.mkdir(self.run_in)
        self.arguments = [inputs.get(word[1:], word) if word.startswith("@") else word for word in shlex.split(row["arguments"])]
        self.compiler = args.cxx if self.paths[0].endswith((".cpp", ".cc")) else args.cc
        self.library = os.path.join(os.path.dirname(os.path.dirname(args.tool)), "lib")

    def sources(self, small):
        """Absolute paths: of the repository, or of copies with the sizes of the table."""
        sizes = [size for size in self.row["sizes"].split(";") if size]
        if not small or not sizes:
            return [os.path.join(self.repository, path) for path in self.paths]
        seen = [0] * len(sizes)
        for directory in {os.path.dirname(path) for path in self.paths}:
            target = os.path.join(self.folder, "small", directory)
            os.makedirs(target, exist_ok=True)
            for name in os.listdir(os.path.join(self.repository, directory)):
                if name.endswith((".c", ".h", ".cpp", ".hpp", ".cc")):
                    with open(os.path.join(self.repository, directory, name), encoding="latin-1", newline="") as file:
                        text, counts = replaced(file.read(), sizes)
                    if os.path.join(directory, name) in self.paths or name.endswith(".h"):
                        seen = [a + b for a, b in zip(seen, counts)]
                    with open(os.path.join(target, name), "w", encoding="latin-1", newline="") as file:
                        file.write(text)
        if 0 in seen:
            raise Failed("not in the sources: " + sizes[seen.index(0)].partition("=>")[0])
        return [os.path.join(self.folder, "small", path) for path in self.paths]

    def flags(self, sources):
        stand = {"DIR": os.path.dirname(sources[0]), "REPO": self.repository, "STUBS": os.path.join(os.path.dirname(self.folder), "stubs")}
        names = lambda match: stand.get(match[1]) or os.path.join(self.args.sources, match[1])
        return ["-g", "-O1", "-pthread", *(re.sub(r"@(\w[\w.-]*\+[\w.-]+|[A-Z]+)", names, word) for word in shlex.split(self.row["flags"]))]

    def commands(self, sources):
        with open(os.path.join(self.folder, "compile_commands.json"), "w") as file:
            json.dump([{"directory": self.folder, "file": s, "arguments": [self.compiler, *self.flags(sources), "-c", s]} for s in sources], file)

    def build(self, sources, options=None):
        """Builds, with the plugin if there are options of it; the program's path."""
        program = os.path.join(self.folder, "program")
        plugin = [f"-fpass-plugin={self.library}/KstCounters.so"] if options else []
        runtime = [f"{self.library}/libkst_rt.a"] if options else []
        step("build", [self.compiler, *self.flags(sources), *plugin, *sources, *runtime, *shlex.split(self.row["libs"]), "-o", program],
             cwd=self.folder, env={**os.environ, "KST_OPTIONS": options or ""})
        return program

    def run(self, program, **environment):
        step("run", [program, *self.arguments], cwd=self.run_in, env={**os.environ, **environment})

    def file(self, name):
        return os.path.join(self.folder, name)

    def traced(self, sources):
        program = self.build(sources, "structs=all mode=trace")
        self.run(program, KST_TRACE_FILE=self.file("t.ksttrace"))
        if not os.path.exists(self.file("t.ksttrace")):
            raise Failed("run left no trace")
        step("trace import", [self.args.tool, "trace", "import", self.file("t.ksttrace"), "--binary", program, "-o", self.file("t.kstt")])
        return program

    def counted(self, sources):
        program = self.build(sources, "structs=all")
        self.run(program, KST_FILE=self.file("r.kstraw"))
        if not os.path.exists(self.file("r.kstraw")):
            raise Failed("run left no counts")
        step("profile import", [self.args.tool, "profile", "import", self.file("r.kstraw"), "--binary", program, "-o", self.file("r.kstp")])

    def sharing(self, method):
        """What the tool says: the entries of its "false"."""
        sources = self.sources(method != "source")
        self.commands(sources)
        evidence = []
        if method == "trace":
            evidence = ["--trace", self.file("t.kstt"), "--binary", self.traced(sources)]
        elif method == "counts":
            self.counted(sources)
            evidence = ["--profile", self.file("r.kstp")]
        out = self.file(method + ".json")
        step("sharing", [self.args.tool, "sharing", *evidence, "-p", self.folder, *sources, "--json", out], cwd=self.folder, fine=(0, 3))
        try:
            with open(out) as file:
                return json.load(file)["false"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Failed(f"answer: {type(error).__name__} {error}") from None


def words(*texts):
    """The names in texts such as `struct lreg_args` or `fs_ts_struct.shared_arr`.

    >>> sorted(words("struct lreg_args", "g.in"))
    ['g', 'in', 'lreg_args']
    """
    return {w for text in texts if text for w in re.findall(r"[A-Za-z_]\w*", str(text))} - {"struct", "union", "enum", "class", "const", "volatile"}


def names_field(fields, part):
    return any(field == part or field.endswith("." + part) for field in fields)


def matches(entry, kind, names):
    """(a name matches, the kind does too) of an entry and a known answer.

    >>> matches({"object": "g", "between": "fields", "fields": ["in.b", "x"]}, "fields", "x+b")
    (True, True)
    >>> matches({"object": "arr", "between": "objects"}, "elements", "arr|tiny_t")
    (True, True)
    >>> matches({"object": "arr", "between": "fields", "fields": ["a", "b"]}, "elements", "arr")
    (True, False)
    >>> matches({"object": "buf2", "between": "fields", "fields": ["lock1", "reader1"]}, "fields", "lock0+reader1|lock1+reader1")
    (True, True)
    >>> matches({"object": "buf2", "between": "fields", "fields": ["lock1"], "names": ["buf2"]}, "fields", "lock0+reader1|lock1+reader1")
    (False, False)
    """
    fields = [str(field) for field in entry.get("fields") or ()]
    all_words = words(entry.get("object"), entry.get("type"), *fields, *(entry.get("names") or ()))
    same = entry.get("between") == kind or {entry.get("between"), kind} <= {"elements", "objects"}
    named = whole = False
    for alternative in names.split("|"):
        parts = alternative.split("+")
        here = all(part.split(".")[-1] in all_words for part in parts)
        both = all(names_field(fields, part) for part in parts)
        named |= here or (both and len(parts) > 1)
        whole |= same and (both if len(parts) > 1 else here)
    return named, whole


class Sums:
    def __init__(self):
        self.of = dict.fromkeys(("found", "partly", "missed", "error", "silent", "alarm", "control error"), 0)
        self.answered = self.extra = 0

    def score(self, row, entries):
        """The cell of a program and what the sums need of it."""
        if row["answer_kind"] in CONTROLS:
            self.of["alarm" if entries else "silent"] += 1
            return f"alarm {len(entries)}" if entries else "silent"
        found = [matches(entry, row["answer_kind"], row["answer_names"]) for entry in entries]
        self.answered += 1
        self.extra += sum(not named for named, _ in found)
        place = next((n for n, (_, whole) in enumerate(found[:FIRST], 1) if whole), 0)
        if place:
            self.of["found"] += 1
            return f"found {place}/{len(found)}"
        place = next((n for n, (_, whole) in enumerate(found, 1) if whole), 0) or next((n for n, (named, _) in enumerate(found, 1) if named), 0)
        self.of["partly" if place else "missed"] += 1
        return f"partly {place}/{len(found)} {entries[place - 1].get('between')}" if place else f"missed 0/{len(found)}"

    def failed(self, row, why):
        self.of["control error" if row["answer_kind"] in CONTROLS else "error"] += 1
        return f"error: {why}"

    def line(self):
        of = self.of
        answers = sum(of[key] for key in ("found", "partly", "missed", "error"))
        controls = of["silent"] + of["alarm"] + of["control error"]
        text = f"{of['found']} found, {of['partly']} partly, {of['missed']} missed of {answers}; {of['alarm']} alarms of {controls} controls"
        if of["error"] or of["control error"]:
            text += f"; failed: {of['error']} programs, {of['control error']} controls"
        return text + (f"; {self.extra / self.answered:.2f} false alarms per program" if self.answered else "")


def check(args, rows, top, inputs):
    """Builds and runs each program, plain and traced; asks the tool nothing about sharing."""
    table, failures = [], 0
    for row in rows:
        with tempfile.TemporaryDirectory(dir=top) as folder:
            try:
                program = Program(args, row, folder, inputs)
                sources = program.sources(True)
                built = program.build(sources)
                started = time.monotonic()
                program.run(built)
                plain = time.monotonic() - started
                if program.sources(False) != sources:
                    program.commands(program.sources(False))
                    program.build(program.sources(False))
                program.traced(sources)
                table.append([row["id"], row["half"], f"{plain:.2f} s", os.path.getsize(program.file("t.ksttrace")) // 16, ""])
            except Failed as error:
                failures += 1
                table.append([row["id"], row["half"], "", "", f"error: {error}"])
    kb.table(["program", "half", "run", "events", ""], table, left=(0, 1, 4))
    print(f"\n{len(rows) - failures} of {len(rows)} programs build, run and leave a trace")
    return 1 if failures else 0


def main():
    p = kb.parser(__doc__)
    p.add_argument("--sources", metavar="DIR", type=os.path.abspath, required=True, help="the repositories, as OWNER+NAME")
    p.add_argument("--half", choices=["fit", "held", "all"], default="fit", help="which programs (default: fit)")
    p.add_argument("--method", choices=METHODS, action="append", help="what the tool may see; repeatable (default: source and trace)")
    p.add_argument("--only", metavar="ID", action="append", help="this program, of whichever half; repeatable")
    p.add_argument("--check", action="store_true", help="only build and run the programs")
    p.add_argument("--cc", default="clang-19")
    p.add_argument("--cxx", default="clang++-19")
    args = p.parse_args()
    rows = programs("all" if args.check else args.half, args.only)
    methods = list(dict.fromkeys(args.method or ["source", "trace"]))
    sums = {method: Sums() for method in methods}
    table = []
    with tempfile.TemporaryDirectory() as top:
        os.mkdir(os.path.join(top, "stubs"))
        for name, text in STUBS.items():
            with open(os.path.join(top, "stubs", name), "w") as file:
                file.write(text)
        inputs = make_inputs(top)
        if args.check:
            return check(args, rows, top, inputs)
        for row in rows:
            cells = []
            for method in methods:
                with tempfile.TemporaryDirectory(dir=top) as folder:
                    try:
                        cells.append(sums[method].score(row, Program(args, row, folder, inputs).sharing(method)))
                    except Failed as error:
                        cells.append(sums[method].failed(row, error))
            table.append([row["id"], row["half"], f"{row['answer_kind']} {row['answer_names']}"[:48], *cells])
    kb.table(["program", "half", "answer", *methods], table, left=range(3 + len(methods)))
    print()
    for method in methods:
        print(f"{method + ':':8}{sums[method].line()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
