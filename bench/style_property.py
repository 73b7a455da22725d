#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does the compiler lay out definitions in any style as predicted?

Writes small headers by chance in the styles of many code bases: definitions on
one line, several members on a line, members on the lines of the braces, K&R and
GNU braces, comments in odd places and in other encodings, CRLF, a byte order
mark, no newline at the end, digraphs, joined lines, #error, #pragma, static
assertions, definitions inside. `kst-dev rewrite --random-orders` puts each into
legal orders. For each order:

- clang asserts size, alignment and the offset and size of every field before and after;
- the other branches of its conditions compile before and after, with the same fields;
- every comment and every byte beyond ASCII is there as often as before;
- `git apply` and `patch -p1` make the same text of the patch.

Prints what was wrong, and what was refused by which reason; exit status 1 if
anything was wrong."""

import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import kst_bench as kb

TYPES = ["int", "char", "unsigned long", "short", "void *", "const char *", "double", "unsigned char"]
WORDS = {"utf-8": "größe", "latin-1": "größe", "shift-jis": "表示 大きさ", "gbk": "大小 字段"}


class Writer:
    """One header. Fields that every configuration has are in `always`, those of
    a macro in `under`."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.count = 0
        self.under = collections.defaultdict(list)
        self.always = []
        self.encoding = self.dice.choice(["utf-8", "utf-8", "utf-8", "latin-1", "shift-jis", "gbk"])
        self.digraphs = self.chance(0.05)
        self.indent = self.dice.choice(["\t", "\t", "    ", "  "])
        self.rare = self.chance(0.5)

    def chance(self, share):
        return self.dice.random() < share

    def name(self, where=None):
        self.count += 1
        made = f"m{self.count}"
        (self.always if where is None else self.under[where]).append(made)
        return made

    def comment(self, line=False):
        self.count += 1
        word = self.dice.choice(["about", "used", "see", WORDS[self.encoding]])
        if line and self.chance(0.3):
            return f"// {word} c{self.count}"
        return self.dice.choice([f"/* {word} c{self.count} */", f"/*{word} c{self.count}*/"])

    def note(self, share):
        return self.comment() + " " if self.chance(share) else ""

    def declarator(self, where):
        made = self.name(where)
        return self.dice.choice([made, made, made, f"{made}[3]", f"*{made}", f"{made} [ 2 ]"])

    def declaration(self, where=None):
        """One or more fields, without indentation."""
        kind = self.dice.randrange(22)
        base = self.dice.choice(TYPES)
        gap = "" if base.endswith("*") else self.dice.choice([" ", "\t", "  "])
        if kind < 9:
            return f"{self.note(0.05)}{base}{gap}{self.note(0.05)}{self.name(where)}{self.dice.choice(['', '', '', ' '])};"
        if kind < 11:
            plain = base.rstrip(" *") if "void" not in base else "short"
            return f"{plain} {self.declarator(where)}, {self.note(0.1)}{self.declarator(where)};"
        if kind == 11:
            return f"unsigned {self.name(where)}:{1 + self.dice.randrange(9)};"
        if kind == 12:
            return f"unsigned {self.name(where)} : 3, {self.name(where)} : 2;"
        if kind == 13:
            return f"int (*{self.name(where)})(int, struct s *);"
        if kind == 14:
            return f"int {self.name(where)} __attribute__((aligned({self.dice.choice([4, 8, 16])})));"
        if kind == 15:
            return f"__attribute__((unused)) long {self.name(where)};"
        if kind == 16:
            return f"struct {{ int x; char y[{1 + self.dice.randrange(5)}]; }} {self.name(where)};"
        if kind == 17:
            return f"struct {{ {base}{gap}{self.name(where)}; char {self.name(where)}; }};"
        if kind == 18:
            return f"union {{ {base}{gap}{self.name(where)}; char {self.name(where)}; }};"
        if kind == 19:
            self.count += 1
            made = f"N{self.count}"
            use = f" int {self.name(where)}[{made}];" if self.chance(0.4) else ""
            return f"enum {{ Z{made}, {made} = 2 }} {self.name(where)};{use}"
        if kind == 20:
            return f"unsigned long {self.name(where)},\n{self.indent}\t*{self.name(where)},{self.note(0.5)}\n{self.indent}\t{self.name(where)}[2];"
        return f"struct in{self.count}\n{self.indent}{{\n{self.indent}  int x; {self.note(0.3)}\n{self.indent}  int y;\n{self.indent}}} {self.name(where)};"

    def lines(self, where=None):
        """One line of declarations, mostly of one, with comments."""
        several = self.dice.choice([1, 1, 1, 2, 3])
        text = " ".join(self.declaration(where) + (" " + self.comment() if self.chance(0.1) else "") for _ in range(several))
        above = self.indent + self.comment(line=True) + "\n" if self.chance(0.15) else ""
        if above and self.chance(0.2):
            above += "\n"
        behind = self.dice.choice([" ", "\t"]) + self.comment(line=True) if self.chance(0.2) else ""
        if self.rare and self.chance(0.05):
            behind = f" /* runs c{self.count}\n{self.indent}on */"
        trailing = " " if self.rare and self.chance(0.05) else ""
        if self.rare and self.chance(0.03):
            text = text.replace("; ", "; \\\n", 1)
        if self.rare and self.chance(0.03):
            text = text.replace(" ", " \\\n", 1)
        if self.rare and self.chance(0.02):
            trailing = " \\"
        return f"{above}{self.indent}{text}{behind}{trailing}\n"

    def special(self):
        kind = self.dice.randrange(12)
        if kind < 3:
            first, second = self.dice.sample("AB", 2)
            both = [f"\tunsigned char lo{self.count}:4,\n\t\t      hi{self.count}:4;\n", f"\tunsigned char hi{self.count}:4,\n\t\t      lo{self.count}:4;\n"]
            self.count += 1
            kept = "#else\n" + both[0] if self.chance(0.5) else "#elif !defined(Q)\n" + both[0] + "#else\n#error \"which order?\"\n"
            return f"#if defined({first})\n{both[1]}{kept}#endif\n"
        if kind < 6:
            macro = self.dice.choice("AB")
            other = f"#else\n{self.lines('!' + macro)}" if self.chance(0.3) else \
                "#elif defined(Q)\n#error Q is undefined behaviour\n" if self.chance(0.2) else ""
            return f"#ifdef {macro}\n{self.lines(macro)}{other}#endif{self.dice.choice(['', ' /* ' + macro + ' */'])}\n"
        if kind == 6:
            return self.dice.choice(["#pragma GCC diagnostic push\n", "#pragma pack(4)\n", "\t_Pragma(\"GCC diagnostic push\")\n"]) \
                if self.chance(0.5) else ""
        if kind == 7:
            self.count += 1
            return f"{self.indent}_Static_assert(sizeof(int) == 4, \"c{self.count}\");\n"
        if kind == 8:
            self.count += 1
            made = f"D{self.count}"
            return f"#define {made} 3\n{self.indent}char {self.name()}[{made}];\n"
        if kind == 9:
            self.count += 1
            made = f"E{self.count}"
            return f"{self.indent}enum {{ {made} = 3 }} {self.name()};\n{self.indent}_Static_assert({made} == 3, \"\");\n"
        if kind == 10 and self.rare and self.chance(0.3):
            return "\f\n"
        return "\n"

    def body(self):
        count = 3 + self.dice.randrange(8)
        return "".join(self.special() if self.chance(0.2) else self.lines() for _ in range(count))

    def header(self):
        kind = self.dice.randrange(10)
        if kind < 3:  # on one line
            inner = " ".join(self.declaration() for _ in range(2 + self.dice.randrange(4))).replace("\n", " ")
            text = "struct s {" + self.note(0.2) + f" {inner} " + self.note(0.2) + "}"
        else:
            body = self.body()
            head = self.dice.choice(["struct s {", "struct s {", "struct s\n{", "struct s  /* head */ {", "struct __attribute__((unused)) s {",
                                     "struct s { /* all\n * of it */"])
            text = head + "\n" + body + "}"
            if self.chance(0.15) and body.startswith(self.indent) and "/* all" not in head:
                text = head + " " + body.lstrip(" \t") + "}"
            if self.chance(0.15) and not re.search(r"(#[^\n]*|//[^\n]*|\\)\n$", body):
                text = text[:-2] + self.dice.choice([" }", "}", " /* end */ }"])
            if self.chance(0.1) and "#" not in text:
                text = "\n".join("  " + line for line in text.split("\n"))
        text += self.dice.choice(["", "", " __attribute__((aligned(16)))"]) + ";"
        before = self.dice.choice(["", "/* " + WORDS[self.encoding] + " */\n", "struct other { int a; };\n", "struct s; "])
        text = before + text + self.dice.choice(["\n", "\nextern int after;\n", ""])
        if self.digraphs:
            text = text.replace("{", "<%").replace("}", "%>").replace("[", "<:").replace("]", ":>")
        data = text.encode(self.encoding)
        if self.chance(0.2):
            data = data.replace(b"\n", b"\r\n")
        if self.encoding == "utf-8" and self.chance(0.1):
            data = b"\xef\xbb\xbf" + data
        return data


def comments(data):
    """Those of directives may be there more often than before."""
    data = re.sub(rb"^\s*#[^\n]*", b"", data, flags=re.M)
    return sorted(re.sub(rb"\s+", b" ", found).strip() for found in re.findall(rb"/\*.*?\*/|//[^\n]*", data, re.S))


def clang(args, tree, words, source):
    done = subprocess.run([args.clang, "-w", "-ferror-limit=3", *words, "-I", tree, "-x", "c", "-fsyntax-only", "-"], input=source,
                          stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, errors="replace")
    return "" if done.returncode == 0 else done.stderr[:600]


def asserted(config):
    facts = [f"sizeof(struct s) == {config['size']}", f"_Alignof(struct s) == {config['align']}"]
    for field in config["fields"]:
        name = field["name"].split("|")[0].lstrip("{")
        if name and not field["bit_field"]:
            facts.append(f"__builtin_offsetof(struct s, {name}) == {field['offset_bits'] // 8}")
    return '#include "s.h"\n' + "".join(f'_Static_assert({fact}, "{fact}");\n' for fact in facts)


def named(writer, macros):
    """A source that reads every field that this configuration has."""
    fields = list(writer.always)
    for macro in "AB":
        fields += writer.under[macro if macro in macros else "!" + macro]
    return '#include "s.h"\nvoid read(struct s *p) {\n' + "".join(f"\t(void)p->{name};\n" for name in fields) + "}\n"


def applied(tree, tool, patch):
    with tempfile.TemporaryDirectory() as copy:
        with open(os.path.join(tree, "s.h"), "rb") as file:
            before = file.read()
        with open(os.path.join(copy, "s.h"), "wb") as file:
            file.write(before)
        done = subprocess.run(tool, cwd=copy, input=patch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        with open(os.path.join(copy, "s.h"), "rb") as file:
            return file.read() if done.returncode == 0 else done.stdout


def problems(args, writer, tree, order, data):
    code = "latin-1" if order["latin1"] else "utf-8"
    text, patch = order["text"].encode(code), order["patch"].encode(code)
    for tool in (["git", "apply", "-p1", "-"], ["patch", "-p1", "-s", "-t", "--no-backup-if-mismatch"]):
        if applied(tree, tool, patch) != text:
            yield tool[0] + " makes another text: " + applied(tree, tool, patch).decode("latin-1")[:300]
    if comments(text) != comments(data):
        yield "other comments"
    if sorted(b for b in text if b >= 0x80) != sorted(b for b in data if b >= 0x80):
        yield "other bytes beyond ASCII"
    if data.count(b"\n") == data.count(b"\r\n") != 0 and text.count(b"\n") != text.count(b"\r\n"):
        yield "lines without CR"
    with open(os.path.join(tree, "s.h"), "wb") as file:
        file.write(text)
    said = clang(args, tree, [], asserted(order["configs"][0]))
    if said:
        yield "clang denies the prediction: " + said
    for macros in ("", "A", "B", "AB"):
        said = clang(args, tree, ["-D" + m for m in macros], named(writer, macros))
        if said:
            yield f"with -D{macros}: {said}"
    with open(os.path.join(tree, "s.h"), "wb") as file:
        file.write(data)


def main():
    p = kb.parser(__doc__)
    p.add_argument("--clang", default="clang-19")
    p.add_argument("--definitions", type=int, default=200)
    p.add_argument("--orders", type=int, default=3)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--show", action="store_true", help="print the headers that are refused")
    args = p.parse_args()
    wrong, orders, fixed, senseless, reasons = 0, 0, 0, 0, collections.Counter()
    for seed in range(args.seed, args.seed + args.definitions):
        writer = Writer(seed)
        data = writer.header()
        with tempfile.TemporaryDirectory() as tree:
            with open(os.path.join(tree, "s.h"), "wb") as file:
                file.write(data)
            with open(os.path.join(tree, "use.c"), "w") as file:
                file.write('#include "s.h"\nlong use(struct s *p) { return sizeof *p; }\n')
            with open(os.path.join(tree, "compile_commands.json"), "w") as file:
                json.dump([{"directory": tree, "file": "use.c", "arguments": ["clang", "-c", "use.c"]}], file)
            if len(writer.always) < 2:
                senseless += 1
                continue
            # A joined line may take a directive's '#' away.
            if any(clang(args, tree, ["-D" + m for m in macros], named(writer, macros)) for macros in ("", "A", "B", "AB")):
                senseless += 1
                continue
            done = subprocess.run([kb.dev_tool(args.tool), "rewrite", "--struct", "s", "--random-orders", str(args.orders), "--seed", str(seed),
                                   "use.c"], cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if done.returncode:
                sys.exit(f"seed {seed}: {done.stderr.decode(errors='replace')}\n{data.decode('latin-1')}")
            report = json.loads(done.stdout)[0]
            closed = [rule["why"] for rule in report.get("rules", []) if rule["kind"] == "all fixed"]
            if "error" in report or closed:
                fixed += 1
                why = re.sub(r"line \d+: ", "", report.get("error") or closed[0])
                reasons[re.sub(r"\b[mc]\d+\b", "X", why)] += 1
                if args.show:
                    print(f"seed {seed}: {why}\n{data.decode('latin-1')}")
                continue
            for order in report["orders"]:
                found = [order["error"]] if "error" in order else []
                if not found and order["moved"]:
                    orders += 1
                    found = list(problems(args, writer, tree, order, data))
                if found:
                    wrong += 1
                    print(f"seed {seed}: " + "\n  ".join(found) + "\n" + data.decode("latin-1") + "\n---\n" + order.get("text", ""))
                    break
    print(f"{args.definitions} definitions, {orders} orders: {wrong} wrong, {fixed} definitions refused, {senseless} no C")
    for why, times in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        print(f"{times:6}  {why}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
