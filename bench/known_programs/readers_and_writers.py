# SPDX-License-Identifier: GPL-2.0-or-later
"""Who reads and who writes each field, in which visit."""

import re
from collections import namedtuple

from known_programs.check import Check, Row
from known_programs.forms import FORMS, JOINT, TYPES

# Visits of the function `owner` do `effect` to the field in the function `site`.
Truth = namedtuple("Truth", "owner field site effect kind way")

SIGNATURE = "(struct s *p, struct t *q, int v)"
AROUND = ["{}", "{}", "if (v > 3) {{ {} }}", "if (unlikely(v == 7)) {{ {} }}", "if (v < 0) v = 1; else {{ {} }}",
          "for (int i = 0; i < v; i++) {{ {} }}", "while (v-- > 0) {{ {} }}", "switch (v) {{ case 3: {} }}"]
# Nothing unlikely around calls and around the first access: visits that make less than 1/10000 of all are left out of
# the report.
AROUND_LIKELY = AROUND[:3] + AROUND[4:7]


def placed(text, names):
    """The statement for variables p, q, v and the fields `names`.

    >>> placed("P->F = V;", {"F": "f7"})
    'p->f7 = v;'
    """
    return re.sub(r"\b[PQVFGH]\b", lambda m: {"P": "p", "Q": "q", "V": "v", **names}[m[0]], text)


class ReadersAndWriters(Check):
    tables = ["what the access looks like", "how it is reached"]

    def __init__(self, roots=24):
        self.roots = roots
        self.truth = []
        self.ways = [self.direct, self.helpers, self.helpers, self.header, self.other_unit, self.table, self.container,
                     self.macro, self.local_object, self.callback, self.void_pointer, self.array, self.cycle, self.list_walk, self.neighbour,
                     self.per_cpu]

    def add(self, program):
        self.program = program
        self.random = program.random
        self.joint = {kind: [program.field(TYPES[kind]) for _ in range(3)] for kind in ("int", "part")}
        self.fields = [(kind, program.field(TYPES[kind])) for kind in TYPES for _ in range(6 if kind == "int" else 2)]
        self.hook, self.link = program.field(TYPES["list"]), program.field(TYPES["link"])
        # A list head is a part of so many records that a pointer to one does not tell whose it is.
        program.early.append("struct lists { struct list_head " + ", ".join(f"l{i}" for i in range(9)) + "; };")
        program.units[0].append("struct lists *keep_lists(struct lists *l) { return l->l0.next ? l : 0; }")
        for _ in range(self.roots):
            self.random.choice(self.ways)()

    # Code.

    def statements(self, owner, site, way):
        """Some statements of the function `site`, entered into the truth."""
        lines, used = [], []
        for kind, field in self.random.sample(self.fields, self.random.randint(1, 4)):
            form = self.random.choice(FORMS[kind])
            around = AROUND if any(other.effects for other in used) else AROUND_LIKELY
            lines.append(self.random.choice(around).format(placed(form.text, {"F": field})))
            used.append(form)
            for function, effect in form.effects.items():
                self.truth.append(Truth(owner, field, function or site, effect, form.kind, way))
            if not form.effects:
                self.truth.append(Truth(owner, field, site, "", form.kind, way))
        if self.random.random() < 0.3:
            kind, type_name, text, effects = self.random.choice(JOINT)
            names = dict(zip("FGH", self.joint[type_name]))
            lines.append(self.random.choice(AROUND).format(placed(text, names)))
            for field, effect in zip(names.values(), effects):
                self.truth.append(Truth(owner, field, site, effect, kind, way))
        if self.random.random() < 0.3:
            lines.append("q->{} = v;".format(self.random.choice([f for k, f in self.fields if k == "int"])))
        return "\n  ".join(lines)

    def function(self, name, body, unit=0, storage="static ", signature=SIGNATURE):
        blocks = self.program.late if unit is None else self.program.units[unit]
        blocks.append(f"{storage}void {name}{signature} {{\n  {body}\n}}")

    def root(self, name, call):
        self.function(name, self.random.choice(AROUND_LIKELY).format(call), storage="")

    def leaf(self, root, way, **where):
        name = self.program.name("leaf")
        self.function(name, self.statements(root, name, way), **where)
        return name

    # Ways to an access.

    def direct(self):
        root = self.program.name("root")
        self.function(root, self.statements(root, root, "direct"), storage="")

    def helpers(self):
        root, depth = self.program.name("root"), self.random.randint(1, 4)
        callee = self.leaf(root, f"{depth} helpers deep")
        for _ in range(depth - 1):
            caller = self.program.name("step")
            self.function(caller, self.random.choice(AROUND_LIKELY).format(f"{callee}(p, q, v);"))
            callee = caller
        self.root(root, f"{callee}(p, q, v);")

    def header(self):
        root = self.program.name("root")
        leaf = self.leaf(root, "inline, in a header", unit=None, storage="static inline ")
        self.root(root, f"{leaf}(p, q, v);")

    def other_unit(self):
        root = self.program.name("root")
        leaf = self.program.name("leaf")
        self.program.late.append(f"void {leaf}{SIGNATURE};")
        before = len(self.truth)
        self.function(leaf, self.statements(root, leaf, "in another unit"), unit=1, storage="")
        # It can also be called from outside: a visit of its own.
        self.truth += [t._replace(owner=leaf) for t in self.truth[before:]]
        self.root(root, f"{leaf}(p, q, v);")

    def table(self):
        root, table = self.program.name("root"), self.program.name("table")
        leaves = [self.leaf(root, "through a table") for _ in range(self.random.randint(1, 2))]
        self.program.late.append(f"struct {table} {{ int id; void (*run){SIGNATURE}; }};")
        for leaf in leaves:
            self.program.units[0].append(f"const struct {table} {leaf}_table = {{ .id = 1, .run = {leaf} }};")
        self.function(root, "o->run(p, q, v);", storage="", signature=f"(struct s *p, struct t *q, int v, struct {table} *o)")

    def container(self):
        root = self.program.name("root")
        leaf = self.leaf(root, "inside of another struct")
        self.function(root, f"o->before = v; {leaf}(&o->inner, q, v);", storage="",
                      signature="(struct outer *o, struct t *q, int v)")

    def macro(self):
        root, macro = self.program.name("root"), self.program.name("MACRO")
        body = self.statements(root, root, "by a macro").replace("\n", " \\\n")
        self.program.late.append(f"#define {macro}(p, q, v) do {{ {body} }} while (0)")
        self.root(root, f"{macro}(p, q, v);")

    def local_object(self):
        root, env = self.program.name("root"), self.program.name("env")
        self.program.late.append(f"struct {env} {{ int n; struct s *who; struct t *q; }};")
        leaf = self.leaf(root, "by a local object")
        middle = self.program.name("step")
        self.function(middle, f"{leaf}(e->who, e->q, e->n);", signature=f"(struct {env} *e)")
        self.root(root, f"struct {env} e = {{ .n = v, .who = p, .q = q }}; {middle}(&e);")

    def callback(self):
        leaf = self.program.name("leaf")
        body = self.statements(leaf, leaf, "as a callback")
        self.function(leaf, f"struct s *p = data; struct t *q = (struct t *)&sink; int v = sink;\n  {body}",
                      signature="(void *data)")
        self.program.late.append(f"void later_{leaf}(void (*)(void *), void *);")
        self.root(self.program.name("root"), f"later_{leaf}({leaf}, p);")

    def void_pointer(self):
        root = self.program.name("root")
        leaf = self.program.name("leaf")
        body = self.statements(root, leaf, "by a void pointer")
        self.function(leaf, f"struct s *p = data;\n  {body}", signature="(void *data, struct t *q, int v)")
        self.root(root, f"{leaf}(p, q, v);")

    def array(self):
        root = self.program.name("root")
        leaf = self.leaf(root, "in a loop over an array")
        self.function(root, f"for (int i = 0; i < v; i++) {leaf}(&p[i], q, v);", storage="")

    def cycle(self):
        root, other = self.program.name("root"), self.program.name("step")
        leaf = self.leaf(root, "in a recursion")
        self.program.late.append(f"void {root}{SIGNATURE};")
        self.function(other, f"{leaf}(p, q, v); if (v > 9) {root}(p, q, v - 1);")
        self.root(root, f"{other}(p, q, v);")

    def list_walk(self):
        root, way = self.program.name("root"), "in a walk over a list"
        leaf = self.leaf(root, way)
        self.truth.append(Truth(root, self.hook, root, "r", "list", way))
        self.function(root, f"struct list_head *i; list_for_each(i, head) "
                      f"{leaf}(container_of(i, struct s, {self.hook}), q, v);", storage="",
                      signature="(struct list_head *head, struct t *q, int v)")

    def neighbour(self):
        root, way = self.program.name("root"), "of what a field points to"
        leaf = self.leaf(root, way)
        self.truth.append(Truth(root, self.link, root, "r", "pointer", way))
        self.root(root, f"{leaf}(p->{self.link}, q, v);")

    def per_cpu(self):
        root, leaf, variable = self.program.name("root"), self.program.name("leaf"), self.program.name("percpu")
        self.program.late.append(f"extern struct s {variable} __percpu_section;")
        self.function(leaf, self.statements(root, leaf, "per CPU"))
        which = self.random.choice([f"this_cpu_ptr(&{variable})", f"per_cpu_ptr(&{variable}, v)"])
        self.function(root, f"{leaf}({which}, q, v);", storage="", signature="(struct t *q, int v)")

    # The tool's word.

    def judge(self, reports):
        """
        >>> check = ReadersAndWriters()
        >>> check.truth = [Truth("f", "a", "f", "r", "plain", "direct"), Truth("f", "b", "f", "", "no access", "direct")]
        >>> def judged(name, **effects):
        ...     site = {"function": "f", "reads": 0, "writes": 0, **effects}
        ...     return [row.words for row in check.judge([{"sets": [{"function": "f", "fields": [{"name": name, "sites": [site]}]}]}])]
        >>> judged("a", reads=1)
        ['', '']
        >>> judged("a", reads=1, writes=0.1)
        ["f(): a in f() is 'r', not 'rw'", '']
        >>> judged("a", reads=1, assumed=True)
        ["f(): a in f() is 'r', not 'r?'", '']
        >>> judged("b", reads=1)[:2]
        ["f(): a in f() is 'r', not ''", "f(): b in f() is '', not 'r'"]
        >>> judged("c", writes=1)[1:]
        ['', "f(): c in f() is nobody's"]
        """
        found = {}
        for visit in reports[0]["sets"]:
            for field in visit["fields"]:
                for site in field["sites"]:
                    effects = found.setdefault((visit["function"], field["name"], site["function"]), {})
                    mark = "?" if site.get("assumed") else ""
                    effects.setdefault(mark, set()).update(k[0] for k in ("reads", "writes") if site[k] > 0)
        known = {(t.field, t.site) for t in self.truth if t.effect}
        for t in self.truth:
            effects = found.get((t.owner, t.field, t.site), {})
            seen = " ".join("".join(sorted(effects[mark])) + mark for mark in sorted(effects))
            words = "" if seen == t.effect else (f"{t.owner}(): {t.field} in {t.site}() is '{t.effect}', not '{seen}'")
            yield Row((t.kind, t.way), words)
        for (owner, field, site), effects in sorted(found.items()):
            if (field, site) not in known:
                yield Row(("nobody's", "nobody's"), f"{owner}(): {field} in {site}() is nobody's")
