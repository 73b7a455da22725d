#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does the tool lose accesses silently? An independent count on one unit.

Counts the member expressions of a struct in the function bodies of one source
file in clang's own AST dump, by what is done with them, and compares the pairs
(function, field) that are loaded or stored with those that the tool lists for
the same file (`--check`). What the two see differently is listed. The tool
leaves out inline functions of headers that the unit does not reach; those are
listed apart.

    bench/ast_check.py [--kernel-cache DIR] [UNIT.c [STRUCT]]    default: kernel/sched/fair.c rq"""

import collections
import os
import re
import subprocess
import sys

import kst_bench as kb

NODE = re.compile(r"^([ |`-]*)(\w+) (0x[0-9a-f]+)")
PATH = re.compile(r"[<,] ?((?:\.{0,2}/)[^:<>, ]+):\d+:\d+")
# What passes an lvalue on: the node that decides stands above these.
TRANSPARENT = {"MemberExpr", "ParenExpr", "ArraySubscriptExpr", "GenericSelectionExpr"}
UNEVALUATED = {"UnaryExprOrTypeTraitExpr", "OffsetOfExpr", "TypeOfExprType", "StaticAssertDecl"}


class Dump:
    """Member expressions of the fields of one struct in the text of -ast-dump."""

    def __init__(self, struct):
        self.start = re.compile(r"(?:struct|union) " + re.escape(struct) + r" definition$")
        self.fields = {}  # address of FieldDecl -> top-level field
        self.top, self.inner = None, {}
        self.stack = []
        self.function, self.file = None, ""
        self.defined_in = {}  # function -> file
        self.uses = collections.Counter()  # (function, field, use) -> count

    def line(self, text):
        match = NODE.match(text)
        if not match:
            return
        for path in PATH.findall(text):
            self.file = path
        depth, kind, address = len(match.group(1)), match.group(2), match.group(3)
        while self.stack and self.stack[-1][0] >= depth:
            self.stack.pop()
        if kind in ("RecordDecl", "CXXRecordDecl"):
            if self.start.search(text):
                self.top = depth
            elif self.top is not None and depth <= self.top:
                self.top = None
        elif self.top is not None and depth <= self.top:
            self.top = None
        if self.top is not None and kind == "FieldDecl":
            self.field(depth, address, text)
        if kind == "FunctionDecl" and depth == 2:
            name = re.search(r" (\w+) '[^']*'(?:[^']*)$", re.sub(r"':'[^']*", "", text))
            self.function = name.group(1) if name else "?"
            self.defined_in[self.function] = self.file
        elif depth == 2:
            self.function = None
        self.stack.append((depth, kind, text))
        if kind == "MemberExpr" and self.function:
            target = text.rsplit(" ", 1)[-1] if "0x" in text.rsplit(" ", 1)[-1] else text.split(" non_odr_use")[0].rsplit(" ", 1)[-1]
            if target in self.fields:
                self.uses[self.function, self.fields[target], self.use()] += 1

    def field(self, depth, address, text):
        """A direct member of the struct, or one of an anonymous member of it."""
        parents = [k for d, k, _ in self.stack if d > self.top]
        if any(k not in ("RecordDecl", "CXXRecordDecl") for k in parents):
            return
        if any(re.search(r"(?:struct|union) \w+ definition$", t) for d, _, t in self.stack if d > self.top):
            return  # a named type that is defined inside
        name = re.search(r"(?:col|line):[\d:]+ (?:referenced )?(\w+) '", text)
        if depth > self.top + 2:
            if name:
                self.inner[address] = name.group(1)
            return
        # The member behind a type without a name: anonymous, or named itself.
        if name:
            self.fields[address] = name.group(1)
        else:
            self.fields.update(self.inner)
        self.inner = {}

    def use(self):
        if any(kind in UNEVALUATED for _, kind, _ in self.stack):
            return "unevaluated"
        child = self.stack[-1][2]
        for depth, kind, text in reversed(self.stack[:-1]):
            if kind in TRANSPARENT:
                if kind == "MemberExpr" and "->" in text and not text.rstrip().split("->")[0].endswith(" "):
                    return "load"
                child = text
                continue
            if kind == "ImplicitCastExpr" and "<LValueToRValue>" in text:
                return "load"
            if kind == "ImplicitCastExpr" and "<ArrayToPointerDecay>" in text:
                return "array"
            if kind == "UnaryOperator" and "'&'" in text:
                return "address"
            if kind == "UnaryOperator" and ("'++'" in text or "'--'" in text):
                return "store"
            if kind == "CompoundAssignOperator":
                return "store"
            if kind == "BinaryOperator" and text.rstrip().endswith("'='"):
                return "store"
            return kind
        return "?"


def tool_pairs(args, source, obj, unit, struct):
    done = subprocess.run([args.tool, "-p", obj, "--struct", struct, "--check", unit], cwd=source,
                          stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"exit status {done.returncode} of {args.tool} --check {unit}")
    pairs = collections.Counter()
    for place in re.finditer(r"^  (\S+):(\d+) (\w+): ([\w-]+) (\S+), [\d.e+-]+ per call$", done.stdout, re.M):
        pairs[place.group(3), place.group(5).split(".")[0]] += 1
    return pairs


def main():
    p = kb.parser(__doc__)
    p.add_argument("unit", nargs="?", default="kernel/sched/fair.c")
    p.add_argument("struct", nargs="?", default="rq")
    p.add_argument("--clang", default="clang-19")
    args = p.parse_args()
    kb.use_cache(args)
    source = kb.kernel_tree("unpack")
    obj = kb.kernel_tree("build", "x86_64", args.unit[:-2] + ".o")

    words, _ = kb.compile_command(obj, args.unit[:-2] + ".o")
    clang = subprocess.Popen([args.clang, *words[1:-1], "-w", "-fsyntax-only", "-Xclang", "-ast-dump",
                              "-fno-color-diagnostics", words[-1]], cwd=obj, stdout=subprocess.PIPE, text=True, errors="replace")
    dump = Dump(args.struct)
    for text in clang.stdout:
        dump.line(text.rstrip("\n"))
    if clang.wait() or not dump.fields:
        sys.exit(f"clang's dump of {args.unit} does not define {args.struct}")

    whole = collections.Counter()
    for (_, _, use), count in dump.uses.items():
        whole[use] += count
    print(f"{args.unit}, struct {args.struct}: {sum(whole.values())} member expressions in function bodies\n")
    kb.table(["use", "count"], sorted(whole.items(), key=lambda item: -item[1]))

    ast = collections.Counter()
    for (function, field, use), count in dump.uses.items():
        if use in ("load", "store"):
            ast[function, field] += count
    ours = tool_pairs(args, source, obj, args.unit, args.struct)
    names = {}  # the tool knows members of anonymous unions by their union
    for function, field in ours:
        for part in field.split("|"):
            names[part] = field
    merged = collections.Counter()
    for (function, field), count in ast.items():
        merged[function, names.get(field, field)] += count
    lost = sorted(set(merged) - set(ours))
    more = sorted(set(ours) - set(merged))
    unit = os.path.join(source, args.unit)
    inline = [pair for pair in lost if dump.defined_in.get(pair[0]) != unit]
    lost = [pair for pair in lost if pair not in inline]
    print(f"\n{len(merged)} pairs (function, field) loaded or stored in clang's AST; the tool lists "
          f"{len(merged) - len(lost) - len(inline)} of them and {len(more)} others")
    for title, pairs, count in (("lost: in functions of the unit, not listed by the tool", lost, merged),
                                ("in inline functions of headers, not listed by the tool", inline, merged),
                                ("listed by the tool only", more, ours)):
        print(f"\n{title}: {len(pairs)}")
        for function, field in pairs:
            print(f"  {function}: {field} ({count[function, field]})")


if __name__ == "__main__":
    main()
