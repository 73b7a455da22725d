# SPDX-License-Identifier: GPL-2.0-or-later
"""Which fields can suffer from one another on a line: false sharing needs two
CPUs or threads that use one object, one of which writes.

Each struct here is reached in one way. Its fields are hot in a visit of their
own each, so that between two fields, one of which is written in ordinary use,
there is false sharing if others use the object too. It costs nothing if both
are always written by the same CPUs: each is lost as often on a line of its own."""

import re
from itertools import combinations

from known_programs.check import Check, Question, Row

PRELUDE = r"""
struct task_struct;
struct task_struct *get_current(void);
"""

OWNED, SHARED = "one owner", "several users"
# How a struct is reached: story, who uses an object of it, declarations, expressions for the object.
# S is the struct, N its name's number.
WAYS = [
    ("this CPU's data", OWNED, "extern struct S S_data __percpu_section;", ["this_cpu_ptr(&S_data)"]),
    ("a pointer in this CPU's data", OWNED, "struct S_cpu { int n; struct S *held; }; extern struct S_cpu S_cpus __percpu_section;",
     ["this_cpu_ptr(&S_cpus)->held"]),
    ("the running task", OWNED, "struct S_task { int n; struct S *held; }; struct S_task *S_current(void);",
     ["((struct S_task *)get_current())->held"]),
    ("a thread's own variable", OWNED, "extern __thread struct S S_data;", ["&S_data"]),
    ("a pointer in a thread's own variable", OWNED, "extern __thread struct S *S_held;", ["S_held"]),
    ("the stack", OWNED, "", ["&object"]),
    ("control: a global", SHARED, "extern struct S S_object;", ["&S_object"]),
    ("control: a global pointer", SHARED, "extern struct S *S_pointer;", ["S_pointer", "READ_ONCE(S_pointer)"]),
    ("control: a parameter", SHARED, "", ["p"]),
    ("control: a search", SHARED, "struct S *find_S(int);", ["find_S(v)"]),
    ("control: a list", SHARED, "extern struct list_head S_list;", ["container_of(S_list.next, struct S, link)"]),
    ("control: another CPU's data", SHARED, "extern struct S S_data __percpu_section;",
     ["this_cpu_ptr(&S_data)", "per_cpu_ptr(&S_data, v)"]),
    ("control: this CPU's data, on a list as well", SHARED, "extern struct S S_data __percpu_section; extern struct list_head S_list;",
     ["this_cpu_ptr(&S_data)", "container_of(S_list.next, struct S, link)"]),
    ("control: of the running task and of others", SHARED, "struct S_task { int n; struct S *held; }; struct S_task *find_S(int);",
     ["((struct S_task *)get_current())->held", "find_S(v)->held"]),
    ("control: a field of a shared object", SHARED, "struct S_box { int n; struct S *held; }; extern struct S_box *S_boxes;",
     ["S_boxes->held", "S_boxes[v].held"]),
]
# Sources that lead to this CPU's object, whoever uses others: what a pointer leads to, several CPUs or tasks may hold.
OWN = {"this_cpu_ptr(&S_data)", "&object"}
READS = ["sink = p->F;", "if (p->F > v) sink++;", "v = READ_ONCE(p->F);"]
WRITES = ["p->F = v;", "p->F++;", "WRITE_ONCE(p->F, v);", "__atomic_fetch_add(&p->F, v, 0);", "p->F |= v;"]


def named(text, name):
    """
    >>> named("struct S *S_data; READ_ONCE(find_S)", "own3")
    'struct own3 *own3_data; READ_ONCE(find_own3)'
    """
    return re.sub(r"\bS(?=\b|_)|(?<=_)S\b", name, text)


class Struct:
    """One struct, its code, and which pairs of its fields share falsely."""

    def __init__(self, program, name, way):
        self.program, self.random = program, program.random
        self.name, (self.way, self.users, self.text, self.sources) = name, way
        self.visits = []  # one per function: (by the owner, {field: whether it is written})

    def write(self):
        fields = [f"m{n}" for n in range(8)]
        body = " ".join(f"int {field};" for field in fields)
        self.program.late += [f"struct {self.name} {{ struct list_head link; {body} }};", named(self.text, self.name)]
        # m0 and m1 are used together, m2 to m4 apart, m5 to m7 are only read.
        self.visit({"m0": True, "m1": True}, self.sources[0])
        self.visit({"m2": True}, self.sources[0])
        self.visit({"m3": self.random.random() < 0.5}, self.sources[-1])
        self.visit({"m4": self.random.random() < 0.5}, self.random.choice(self.sources))
        self.visit({"m5": False}, self.sources[-1])
        self.visit({"m6": False, "m7": False}, self.sources[-1])
        if self.name + "_pointer" in named(self.text, self.name):
            self.life()

    def life(self):
        """Writes that nobody else can notice: m6 before others find the object, m7 when they no longer do."""
        root = self.program.name("owner")
        struct = self.name
        self.program.units[0].append(
            f"void {root}_make(int v) {{ struct {struct} *p = malloc(sizeof(*p)); if (!p) return; p->m6 = v; "
            f"{struct}_pointer = p; }}\n"
            f"void {root}_free(int v) {{ struct {struct} *p = {struct}_pointer; if (v < 2) return; {struct}_pointer = 0; "
            "p->m7 = v; free(p); }")

    def visit(self, fields, source):
        """A function that uses these fields of the object: field to whether it is written."""
        self.visits.append((source in OWN, fields))
        lines = []
        for field, writes in fields.items():
            form = self.random.choice(WRITES if writes else READS)
            lines.append(form.replace("F", field))
        body = " ".join(lines)
        if self.random.random() < 0.4:
            helper = self.program.name("use")
            self.program.units[0].append(f"static void {helper}(struct {self.name} *p, int v) {{ {body} }}")
            body = f"{helper}(p, v);"
        source = named(source, self.name)
        signature = "(int v)"
        before = f"struct {self.name} *p = {source};"
        if source == "p":
            signature, before = f"(struct {self.name} *p, int v)", ""
        elif source == "&object":
            before = f"struct {self.name} object; struct {self.name} *p = &object;"
            helper = self.program.name("use")
            self.program.units[0].append(f"static void {helper}(struct {self.name} *p, int v) {{ {body} }}")
            body = f"{helper}(p, v);"
        root = self.program.name("owner")
        self.program.units[0].append(f"void {root}{signature} {{ {before} {body} }}")

    def pairs(self):
        """Each pair of fields, and whether some CPU can write one of them while another CPU wants the other alone."""
        for a, b in combinations(sorted({f for _, fields in self.visits for f in fields}), 2):
            yield a, b, any(
                one.get(x) and not one.get(y) and y in other and x not in other and not (owner and also)
                for x, y in ((a, b), (b, a)) for owner, one in self.visits for also, other in self.visits)

    def lost_alike(self, a, b):
        """Whether every visit that uses one of them writes it, and the same CPUs make these visits."""
        used = [(owner, fields[f]) for owner, fields in self.visits for f in (a, b) if f in fields]
        return all(written for _, written in used) and len({owner for owner, _ in used}) == 1


    def lost_anyway(self, a, b):
        """Whether CPUs that may be any write one of them whenever they use it: it is lost in every turn, alone or not."""
        for f in (a, b):
            used = [(owner, fields[f]) for owner, fields in self.visits if f in fields]
            if all(written for _, written in used) and not all(owner for owner, _ in used):
                return True
        return False


class Owners(Check):
    tables = ["who uses an object", "how it is known"]

    def __init__(self, structs=4):
        self.count = structs
        self.structs = []

    def add(self, program):
        program.early.append(PRELUDE)
        ways = program.random.sample([w for w in WAYS if w[1] == OWNED], 2) + program.random.sample(
            [w for w in WAYS if w[1] == SHARED], self.count - 2)
        for way in ways:
            self.structs.append(Struct(program, program.name("own"), way))
            self.structs[-1].write()

    def asked(self):
        """(struct, source of knowledge, options, whether an object has one owner)"""
        for struct in self.structs:
            yield struct, "from the source", [], struct.users == OWNED
            yield struct, "--threads 1", ["--threads", "1"], True
        yield self.structs[-1], "--users", ["--users", self.structs[-1].name + "=private"], True

    def questions(self):
        return [Question(struct.name, options) for struct, _, options, _ in self.asked()]

    def judge(self, reports):
        """
        >>> struct = Struct.__new__(Struct)
        >>> struct.name, struct.way, struct.users, struct.visits = "own0", "way", SHARED, [(True, {"a": True}), (False, {"b": False})]
        >>> check = Owners()
        >>> check.structs = [struct]
        >>> def judged(loss, *others):
        ...     reports = [{"affinity": [{"a": "a", "b": "b", "loss": n}]} for n in (loss, *others)]
        ...     return [row.words for row in check.judge(reports)]
        >>> judged(1, 0, 0)
        ['', '', '']
        >>> judged(0, 0, 1)
        ['own0 (way, from the source): no false sharing between a and b', '', 'own0 (way, --users): false sharing between a and b']
        """
        for (struct, how, _, owned), report in zip(self.asked(), reports):
            losses = {frozenset((pair["a"], pair["b"])): pair["loss"] for pair in report["affinity"]}
            for a, b, possible in struct.pairs():
                if possible and not owned and (struct.lost_alike(a, b) or struct.lost_anyway(a, b)):
                    continue
                claimed = losses.get(frozenset((a, b)), 0) > 0
                words = ""
                if claimed != (possible and not owned):
                    words = f"{struct.name} ({struct.way}, {how}): {'' if claimed else 'no '}false sharing between {a} and {b}"
                yield Row((struct.way, how), words)
