#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`check --groups` on structs of a kernel that have cacheline groups or a table
in Documentation/networking/net_cachelines.

Each finding about texts is looked up again in the sources, with regular
expressions alone: does the definition have the member, any file of the whole
tree the function, the function's own text the field, the header the markers
around it, the sources a statement that writes it. Then the control: a table
made from the struct itself must give no finding about the table; and what is
planted in it (names, rows, types, columns, functions) must be found."""

import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import kst_bench as kb

STRUCTS = "net_device,sock,netns_ipv4,tcp_sock,inet_sock,inet_connection_sock"
TABLE_KINDS = ("no-such-field", "no-such-function", "missing-row", "double-row", "row-type", "row-group", "row-function")
PLANTS = 8
WRITES = r"(?:=(?!=)|\+=|-=|\|=|&=|\^=|<<=|>>=|\+\+|--)"


def check(args, source, obj, paths, structs, table=None):
    command = [args.tool, "check", "--groups", "--struct", structs, "-p", obj, "--json", "-", "--full", *paths]
    if table:
        command += ["--table", table]
    done = subprocess.run(command, cwd=source, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 5):
        sys.exit(done.stderr.strip())
    return json.loads(done.stdout)


def plain(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)


class Sources:
    """The texts, looked at once."""

    def __init__(self, root, paths):
        self.root, self.paths, self.known, self.words = root, paths, {}, set()

    def text(self, name):
        if name not in self.known:
            with open(os.path.join(self.root, name), errors="replace") as file:
                self.known[name] = plain(file.read())
        return self.known[name]

    def files(self, *folders):
        for folder in folders:
            for at, _, names in os.walk(os.path.join(self.root, folder)):
                for name in sorted(names):
                    if name.endswith((".c", ".h")):
                        yield os.path.relpath(os.path.join(at, name), self.root)

    def body(self, at, struct):
        """A definition, from its line on."""
        file = at.rsplit(":", 1)[0]
        text = self.text(file)
        begin = re.search(rf"^struct {struct} \{{", text, re.M)
        if not begin:
            return ""
        return text[begin.start():begin.start() + re.search(r"^\}", text[begin.start():], re.M).end()]

    def look_for(self, words):
        """In the whole tree, documents aside."""
        patterns = "\n".join(sorted(words))
        done = subprocess.run(["grep", "-rohwF", "--include=*.[chS]", "-f", "-", "."], cwd=self.root, input=patterns, stdout=subprocess.PIPE, text=True, check=False)
        self.words = set(done.stdout.split())

    def function(self, name):
        """Texts of its definitions in what was looked at and in headers."""
        found = []
        for file in self.files(*self.paths, "include/net", "include/linux"):
            text = self.text(file)
            if name not in text:
                continue
            for start in re.finditer(rf"^[a-zA-Z_][^\n;{{}}]*\b{name}\([^;{{}}]*\)\s*\n\{{", text, re.M):
                found.append(text[start.start():start.start() + re.search(r"^\}", text[start.start():], re.M).end()])
        return found

    def writes(self, field):
        """Places that assign to a member of this name, or pass its address."""
        member = rf"(?:->|\.){field}\b(?:\[[^\]]*\])?(?:\.\w+)*"
        pattern = re.compile(rf"{member}\s*{WRITES}|(?:\+\+|--)[\w>()-]*{member}|WRITE_ONCE\([^,;]*{member}|&[\w>()\[\].-]*{member}")
        texts = (self.text(file) for file in self.files(*self.paths, "include/net", "include/linux"))
        return sum(len(pattern.findall(text)) for text in texts if field in text)


def group_of(body, field):
    """Names of the groups whose markers stand around the member."""
    around, found = [], None
    for line in body.splitlines():
        for begin in re.findall(r"__cacheline_group_begin\w*\((\w+)", line):
            around.append(begin)
        for end in re.findall(r"__cacheline_group_end\w*\((\w+)", line):
            if end in around:
                around.remove(end)
        if found is None and re.search(rf"\b{field}\b\s*(?:[;,:\[)]|____)", line):
            found = list(around)
    return found or []


def names_member(text, struct, field):
    """Whether a function's text uses the member through one of its variables of
    the struct; without one, through whatever leads there."""
    names = set(re.findall(rf"struct {struct}\s*\*\s*(?:const )?(\w+)", text))
    return re.search(rf"\b(?:{'|'.join(names)})->{field}\b" if names else rf"(?:->|\.){field}\b", text)


def rows_of(sources, table):
    with open(os.path.join(sources.root, table), errors="replace") as file:
        return [line.split() for line in file if line.strip() and not line.startswith("..")]


def confirmed(finding, sources, structs):
    """True or False: what the sources say of it; None: they alone do not say."""
    kind, field = finding["kind"], finding["fields"][0]
    struct = next((s for s in structs if s["struct"] == finding["struct"]), None)
    body = sources.body(struct["defined_at"], finding["struct"]) if struct else ""
    if kind == "no-such-field":
        return not re.search(rf"\b{field}\b", body)
    if kind == "missing-row":
        return all(len(row) < 2 or not any(re.fullmatch(rf"{name}(\[.*)?", word) for word in row[1:3])
                   for row in rows_of(sources, struct["table"]["file"]) for name in field.split("|"))
    if kind == "no-such-function":
        return finding["fields"][1] not in sources.words
    if kind == "row-function":
        texts = sources.function(finding["fields"][1])
        return not any(names_member(text, finding["struct"], field) for text in texts) if texts else None
    if kind == "row-group":
        groups = group_of(body, field)
        said = re.search(r"in group '(\w+)'", finding["said"])
        return said.group(1) in groups if said else not groups
    if kind == "row-type":
        said = re.search(r"it is '(.*)' \(", finding["said"]).group(1)
        base = re.sub(r"[\s*].*|\[.*|:\d+", "", re.sub(r"^(const |volatile )*(struct|union|enum) ?|^unsigned ", "", said))
        line = next((line for line in body.splitlines() if re.search(rf"\b{field}\b\s*[;,:\[]", line)), "")
        return base.strip("_(") in line or "unnamed" in said if line else None
    if kind in ("unasserted", "double-assertion"):
        pattern = re.compile(rf"CACHELINE_ASSERT_GROUP_\w+\(struct {finding['struct']},\s*" +
                             (rf"{finding['fields'][1]},\s*{field}\)" if kind == "unasserted" else rf"{field},\s*{finding['fields'][-1]}\)"))
        count = sum(len(pattern.findall(sources.text(file))) for file in sources.files(*sources.paths))
        return count == 0 if kind == "unasserted" else count > 1
    if kind == "wrong-group" and "no code writes" not in finding["said"]:
        return sources.writes(field) > 0 and finding["fields"][1] in group_of(body, field)
    if kind == "row-code" and "% of its accesses" in finding["said"]:
        return sources.writes(field) > 0
    if kind == "row-code" and "writes it" in finding["said"]:
        return sources.writes(field) == 0
    return None


def report(title, result, sources, verbose):
    structs, counts = result["structs"], collections.Counter()
    sources.look_for({f["fields"][1] for f in result["findings"] if f["kind"] == "no-such-function"})
    wrong = []
    for finding in result["findings"]:
        answer = confirmed(finding, sources, structs)
        counts[finding["kind"], answer] += 1
        if answer is False:
            wrong.append(finding)
        if verbose:
            print(f"  {finding['grade']} {finding['key']} {finding['location']}: {finding['said']}; " + "; ".join(finding["why"]) + f" [{answer}]")
    kinds = sorted({kind for kind, _ in counts})
    print(f"\n{title}\n")
    kb.table(["kind", "findings", "confirmed", "contradicted", "not decided by texts"],
             [[kind, sum(counts[kind, a] for a in (True, False, None)), counts[kind, True], counts[kind, False], counts[kind, None]] for kind in kinds])
    for finding in wrong:
        print(f"\ncontradicted: {finding['key']} {finding['location']}: {finding['said']}")


def by_struct(result):
    names = [s["struct"] for s in result["structs"]]
    kinds = sorted({f["kind"] for f in result["findings"]})
    count = collections.Counter((f["struct"], f["kind"]) for f in result["findings"])
    rows = [[s["struct"], len(s["groups"]), s.get("table", {}).get("rows", "-"), *(count[s["struct"], kind] or "" for kind in kinds)]
            for s in result["structs"]]
    kb.table(["struct", "groups", "rows", *kinds], rows)
    return names


def cells(groups):
    """What the names of a member's groups say: tx and rx."""
    for group in groups:
        use = "read_write" if "write" in group else "read_mostly"
        path = group.rsplit("_", 1)[-1]
        return (use if path in ("tx", "txrx", "rxtx") else "-"), (use if path in ("rx", "txrx", "rxtx") else "-")
    return "-", "-"


def own_table(args, source, obj, paths, struct, sources, defined):
    """Rows of a table made from the struct."""
    with tempfile.TemporaryDirectory() as scratch:
        base = os.path.join(scratch, "base.json")
        subprocess.run([args.tool, "check", "--write-baseline", base, "--struct", struct, "-p", obj, "--quiet", *paths], cwd=source, check=True)
        fields = kb.read_json(base)["structs"][0]["fields"]
    body, rows = sources.body(defined, struct), []
    for field in fields:
        if not field["size_bits"] or not field["name"] or field["name"].startswith("__cacheline_group"):
            continue
        name = field.get("members", [field["name"]])[0]  # one of a union's
        kind = "struct" if "unnamed" in field["type"] or "(*" in field["type"] else field["type"].replace(" ", "_")
        if "storage_bits" in field:
            kind += f":{field['size_bits']}"
        rows.append([kind, name, *cells(group_of(body, name)), "", "members" in field])
    return rows


def write_table(path, struct, rows):
    widths = [max(len(row[i]) for row in rows) + 2 for i in range(4)]
    with open(path, "w") as file:
        file.write(f"{struct} struct fast path usage breakdown\n\n")
        heads = ["Type", "Name", "fastpath_tx_access", "fastpath_rx_access"]
        widths = [max(width, len(head) + 2) for width, head in zip(widths, heads)]
        for row in [[*heads, "comment"], *rows]:
            file.write("".join(cell.ljust(width) for cell, width in zip(row, widths)) + row[4] + "\n")


def planted(rows, rng, groups):
    """The table with mistakes: rows, and the keys of what must be found."""
    rows, expect = [list(row) for row in rows], set()
    free = rng.sample(range(len(rows)), len(rows))
    def take(good=lambda row: True):
        for i in free:
            if good(rows[i]):
                free.remove(i)
                return i
        return None
    gone = []
    for _ in range(PLANTS):
        if (i := take(lambda row: len(row[1]) > 4)) is not None:
            name = rows[i][1]
            at = rng.randrange(1, len(name) - 2)
            new = name[:at] + name[at + 1] + name[at] + name[at + 2:]
            if new != name:
                rows[i][1] = new
                expect |= {("no-such-field", new), ("missing-row", name)}
        if (i := take()) is not None:
            gone.append(i)
            expect.add(("missing-row", rows[i][1]))
        if (i := take(lambda row: row[0] != "struct" and not row[5])) is not None:
            rows[i][0] = "struct_never*"
            expect.add(("row-type", rows[i][1]))
        if (i := take()) is not None:
            rows[i][4] = "kst_no_such_function"
            expect.add(("no-such-function", rows[i][1]))
        if groups and (i := take(lambda row: (row[2] == "-") != (row[3] == "-"))) is not None:
            rows[i][2], rows[i][3] = rows[i][3], rows[i][2]
            expect.add(("row-group", rows[i][1]))
    return [row for i, row in enumerate(rows) if i not in gone], expect


def control(args, source, obj, paths, result, sources):
    rng, table = random.Random(args.seed), []
    for struct in result["structs"]:
        name = struct["struct"]
        rows = own_table(args, source, obj, paths, name, sources, struct["defined_at"])
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, "own.rst")
            write_table(path, name, rows)
            clean = check(args, source, obj, paths, name, path)
            false = [f for f in clean["findings"] if f["kind"] in TABLE_KINDS]
            code = [f for f in clean["findings"] if f["kind"] == "row-code"]
            worse, expect = planted(rows, rng, struct["groups"])
            write_table(path, name, worse)
            found = {(f["kind"], member) for f in check(args, source, obj, paths, name, path)["findings"] if f["kind"] in TABLE_KINDS
                     for member in f["fields"][0].split("|")}
        missed = expect - found
        table.append([name, len(rows), len(false), len(code), len(expect), len(expect) - len(missed), len({(k, m) for k, m in found} - expect)])
        for finding in false:
            print(f"control: {finding['key']}: {finding['said']}", file=sys.stderr)
        for kind, member in sorted(missed):
            print(f"missed: {kind} {name}.{member}", file=sys.stderr)
    print("\nA table made from the struct, and the same with planted mistakes\n")
    kb.table(["struct", "rows", "findings about the table", "about the code", "planted", "found", "besides"], table)


def main():
    p = kb.parser(__doc__)
    p.add_argument("--source", metavar="DIR", help="a source tree (default: that of scripts/kernel-tree)")
    p.add_argument("--build", metavar="DIR", help="its build directory")
    p.add_argument("--struct", default=STRUCTS, help=f"(default: {STRUCTS})")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--verbose", action="store_true", help="each finding")
    p.add_argument("--no-control", action="store_true")
    p.add_argument("paths", nargs="*", default=["net/", "drivers/net/"])
    args = p.parse_args()
    kb.use_cache(args)
    source = os.path.abspath(args.source) if args.source else kb.kernel_tree("unpack")
    obj = os.path.abspath(args.build) if args.build else kb.kernel_tree("build", "x86_64", "kernel/sched/", "net/", "fs/", "mm/")
    paths = [path for path in args.paths if os.path.exists(os.path.join(source, path))]
    sources = Sources(source, paths)
    result = check(args, source, obj, paths, args.struct)
    print(f"{result['units']} units of {' '.join(paths)}\n")
    by_struct(result)
    report("Findings, looked up in the sources", result, sources, args.verbose)
    if not args.no_control:
        control(args, source, obj, paths, result, sources)


if __name__ == "__main__":
    main()
