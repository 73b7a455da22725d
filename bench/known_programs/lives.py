# SPDX-License-Identifier: GPL-2.0-or-later
"""Code about the lives of objects of struct ob, under construction.

A story is a few functions that make, use, configure or free objects. Each
access in it is a spot: a field that no other spot has, so the field tells where
the tool saw it."""

import re
from collections import namedtuple

from known_programs import life_forms
from known_programs.forms import FORMS, TYPES
from known_programs.readers_and_writers import placed

# The parts of a life. Owned: set-up or teardown, of an object that is freed before anybody else could find it.
SET_UP, TEARDOWN, CONFIGURATION, ORDINARY = "set-up", "teardown", "configuration", "ordinary use"
OWNED = "owned"

# All visits that touch the field, together, happen in exactly these parts of the life.
Spot = namedtuple("Spot", "field parts story known")

SEEN = {"plain", "once", "builtin", "by address", "asm", "atomic", "array", "bytes", "bit operation"}
AROUND = ["{}", "{}", "{}", "if (v > 3) {{ {} }}", "if (v < 0) v = 1; else {{ {} }}", "for (int i = 0; i < v; i++) {{ {} }}"]


class Lives:
    """Writes stories into a Program."""

    def __init__(self, program):
        self.program = program
        self.random = program.random
        self.fields = []  # declarations
        self.spots = []
        self.rare = []  # functions that run so rarely that a report leaves their visits out
        self.story = ""
        self.unit = 0  # where functions go
        program.early.append(life_forms.PRELUDE)
        # The declarations follow when all stories are told.
        self.place = len(program.early)
        program.early += ["", life_forms.AFTER]

    def finish(self):
        body = "".join(f"  {text};\n" for text in self.fields)
        self.program.early[self.place] = (
            "struct ob {\n  int id; struct list_head link; struct ob *next; struct hlist_node node; struct rcu_head rcu;\n"
            f"  struct kref ref; refcount_t users; struct kobject kobj; void *buffer; unsigned dead : 1;\n{body}}};")

    def pick(self, rows):
        return self.random.choice(list(rows))

    # Accesses.

    def statement(self):
        """A field of its own, and a statement that touches it."""
        kind = self.pick(["int", "int", "int", "flags", "atomic", "array", "name"])
        field = self.program.name("o")
        self.fields.append(TYPES[kind].format(field))
        form = self.pick([f for f in FORMS[kind] if f.kind in SEEN and f.effects])
        return field, self.pick(AROUND).format(placed(form.text, {"F": field}).replace("struct s,", "struct ob,"))

    def spot(self, *parts, pointer="p", known="", direct=False):
        """An access of the object in these parts of its life, here or in functions that are called here only."""
        field, text = self.statement()
        self.spots.append(Spot(field, frozenset(parts), self.story, known))
        depth = 0 if direct else self.random.choice([0, 0, 0, 1, 1, 2, 3])
        if not depth:
            return re.sub(r"\bp\b", pointer, text)
        callee = self.static("touch", text, inline=self.random.random() < 0.2)
        for _ in range(depth - 1):
            callee = self.static("pass", self.pick(["{}", "if (v > 1) {}"]).format(f"{callee}(p, v);"))
        return f"{callee}({pointer}, v);"

    def some(self, *parts, **options):
        return " ".join(self.spot(*parts, **options) for _ in range(self.random.randint(1, 2)))

    # Functions.

    def static(self, stem, body, signature="(struct ob *p, int v)", returns="void", inline=False):
        """Inline: in the header, for bodies that call nothing of the stories."""
        name = self.program.name(stem)
        blocks = self.program.late if inline else self.program.units[self.unit]
        blocks.append(f"static {'inline ' if inline else ''}{returns} {name}{signature} {{\n  {body}\n}}")
        return name

    def external(self, stem, body, signature="(struct ob *p, int v)", returns="void"):
        """In the other unit; body() is called to write what is there."""
        name = self.program.name(stem)
        self.program.late.append(f"{returns} {name}{signature};")
        self.unit = 1
        self.program.units[1].append(f"{returns} {name}{signature} {{\n  {body()}\n}}")
        self.unit = 0
        return name

    def root(self, body, signature="(int v)", returns="void", attributes="", rare=False):
        """A function that code outside of the program calls."""
        name = self.program.name("life")
        if rare:
            self.rare.append(name)
        self.program.units[0].append(f"{attributes}{returns} {name}{signature} {{\n  {body}\n}}")
        return name

    # Parts of stories.

    def allocate(self, pointer="p", failed="return;", declare=True):
        """Statements that declare the pointer and make an object: here or in a function for it."""
        how = self.pick([self.plain, self.plain, self.plain, self.maker, self.maker, self.error_pointer, self.out_parameter,
                         self.other_unit])
        kind = "struct ob *" if declare else ""
        return how(kind, pointer, failed)

    def allocation(self, pointer="p"):
        return self.pick(life_forms.ALLOCATORS.values()).replace("*p", f"*{pointer}")

    def plain(self, kind, pointer, failed):
        test = self.pick([f"if (!{pointer}) {failed}", f"if (unlikely(!{pointer})) {failed}", f"if ({pointer} == 0) {failed}"])
        return f"{kind}{pointer} = {self.allocation(pointer)}; {test}"

    def maker_body(self):
        guard = self.pick(["if (!p) return 0;", "if (p) { SPOT }", "if (unlikely(!p)) goto out;"])
        spot = self.spot(SET_UP)
        if "SPOT" in guard:
            return f"struct ob *p = {self.allocation()}; {guard.replace('SPOT', spot)} return p;"
        label = " out:" if "goto" in guard else ""
        return f"struct ob *p = {self.allocation()}; {guard} {spot}{label} return p;"

    def maker(self, kind, pointer, failed):
        name = self.static("make", self.maker_body(), "(int v)", "struct ob *")
        if self.random.random() < 0.3:
            name = self.static("make", f"return {name}(v + 1);", "(int v)", "struct ob *")
        return f"{kind}{pointer} = {name}(v); if (!{pointer}) {failed}"

    def other_unit(self, kind, pointer, failed):
        name = self.external("make", self.maker_body, "(int v)", "struct ob *")
        return f"{kind}{pointer} = {name}(v); if (!{pointer}) {failed}"

    def error_pointer(self, kind, pointer, failed):
        body = (f"struct ob *p = {self.allocation()}; if (!p) return ERR_PTR(-ENOMEM); {self.spot(SET_UP)} "
                + self.pick(["", "if (failing(v)) { kfree(p); return ERR_PTR(-ENOMEM); } "]) + "return p;")
        name = self.static("make", body, "(int v)", "struct ob *")
        return f"{kind}{pointer} = {name}(v); if (IS_ERR({pointer})) {failed}"

    def out_parameter(self, kind, pointer, failed):
        body = (f"struct ob *p = {self.allocation()}; if (!p) return -ENOMEM; {self.spot(SET_UP)} *to = p; "
                + (self.spot(SET_UP) if self.random.random() < 0.5 else "") + " return 0;")
        name = self.static("make", body, "(struct ob **to, int v)", "int")
        declaration = f"{kind}{pointer}; " if kind else ""
        return f"{declaration}if ({name}(&{pointer}, v)) {failed}"

    def publication(self):
        kind, text = self.pick(life_forms.PUBLICATIONS)
        return kind, placed(text, {})
