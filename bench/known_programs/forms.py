# SPDX-License-Identifier: GPL-2.0-or-later
"""Forms of access: C statements with what they do to a field.

In a statement, `P` is the pointer to struct s, `F` the field, `V` an int
variable. Effects name the function in which the access is spelled, "" for the
one that holds the statement, and what is done: r, w, rw, with "?" where the
tool can only assume it."""

from collections import namedtuple

Form = namedtuple("Form", "kind text effects")

# Declarations of fields; {} is the name.
TYPES = {
    "int": "int {}", "flags": "unsigned long {}", "bits": "unsigned {} : 3", "atomic": "atomic_t {}", "lock": "spinlock_t {}",
    "seq": "seqcount_t {}", "array": "int {}[8]", "name": "char {}[16]", "part": "struct part {}", "list": "struct list_head {}",
    "pointer": "int *{}", "link": "struct s *{}",
}


def forms(kind, rows):
    return [Form(kind, text, effects if isinstance(effects, dict) else {"": effects}) for text, effects in rows]


NOT_AN_ACCESS = [("{ void *a = &P->F; sink = a != 0; }", {}), ("V += sizeof(P->F);", {}),
                 ("{ typeof(P->F) *a = 0; sink = !a; }", {}), ("V += offsetof(struct s, F);", {})]

FORMS = {
    "int": forms("plain", [
        ("sink = P->F;", "r"), ("if (P->F > V) sink++;", "r"), ("P->F = V;", "w"), ("P->F += V;", "rw"),
        ("if (P->F++ > V) sink++;", "rw"), ("--P->F;", "rw"), ("P->F = P->F * 2 + V;", "rw"),
        ("{ int old = P->F; P->F = V; V = old; }", "rw"), ("{ int *a = &P->F; *a |= V; }", "rw"),
        ("sink = ({ int x = P->F; x > V ? x : V; });", "r"), ("switch (P->F) { case 1: sink = 2; }", "r"),
        ("*(int *)((char *)P + offsetof(struct s, F)) = V;", "w")])
    + forms("once", [("V = READ_ONCE(P->F);", "r"), ("WRITE_ONCE(P->F, V);", "w"), ("smp_store_release(&P->F, V);", "w")])
    + forms("asm", [('asm volatile("incl %0" : "+m"(P->F));', "rw"), ('asm volatile("movl %1,%0" : "=m"(P->F) : "r"(V));', "w"),
                    ('asm volatile("movl %1,%0" : "=r"(V) : "m"(P->F));', "r"),
                    ("copy_block(&P->F, &V, sizeof(V));", {"copy_block": "rw?"}),
                    ("copy_block(&V, &P->F, sizeof(V));", {"copy_block": "r?"})])
    + forms("builtin", [("V = __atomic_load_n(&P->F, 0);", "r"), ("__atomic_store_n(&P->F, V, 0);", "w"),
                        ("__atomic_fetch_add(&P->F, V, 0);", "rw"), ("__sync_fetch_and_add(&P->F, V);", "rw"),
                        ("if (__sync_bool_compare_and_swap(&P->F, V, 1)) sink++;", "rw"),
                        ("__sync_lock_release(&P->F);", "w"), ("if (__builtin_add_overflow(V, 1, &P->F)) sink++;", "w")])
    + forms("by address", [("add_to(&P->F, V);", {"add_to": "rw"}), ("V = value_of(&P->F);", {"value_of": "r"})])
    + forms("unseen callee", [("peek(&P->F);", "r?"), ("poke(&P->F);", "rw?"), ('say("%p", &P->F);', "r?"),
                              ("V = value_find(&P->F);", "r?")])
    + forms("no access", NOT_AN_ACCESS + [("if (__builtin_constant_p(P->F)) sink++;", {})]),
    "flags": forms("bit operation", [
        ("set_bit(V, &P->F);", {"set_bit": "rw"}), ("clear_bit(V, &P->F);", {"clear_bit": "rw"}),
        ("V = test_bit(V, &P->F);", {"test_bit": "r"}), ("V = variable_test_bit(V, &P->F);", {"variable_test_bit": "r"}),
        ("P->F |= 1ul << V;", "rw"), ("if (P->F & 4) sink++;", "r")]),
    "bits": forms("bit-field", [("P->F = 1;", "w"), ("if (P->F) sink++;", "r"), ("P->F |= V;", "rw"), ("P->F++;", "rw")]),
    "atomic": forms("atomic", [
        ("V = atomic_read(&P->F);", {"atomic_read": "r"}), ("atomic_set(&P->F, V);", {"atomic_set": "w"}),
        ("atomic_inc(&P->F);", {"atomic_inc": "rw"}), ("V = atomic_cmpxchg(&P->F, 0, V);", {"atomic_cmpxchg": "rw"}),
        ("if (atomic_dec_and_test(&P->F)) sink++;", {"atomic_cmpxchg": "rw"})]) + forms("no access", NOT_AN_ACCESS),
    "lock": forms("lock", [("spin_lock(&P->F);", {"spin_lock": "rw?"}), ("spin_unlock(&P->F);", {"spin_unlock": "w"}),
                           ("V = spin_is_locked(&P->F);", {"spin_is_locked": "r"})]),
    "seq": forms("lock", [("V = read_seqcount_begin(&P->F);", {"read_seqcount_begin": "r"}),
                          ("write_seqcount_begin(&P->F);", {"write_seqcount_begin": "rw"})]),
    "array": forms("array", [
        ("P->F[V & 7] = V;", "w"), ("V = P->F[V & 7];", "r"), ("P->F[1]++;", "rw"), ("*(P->F + V) = 1;", "w"),
        ("for (int i = 0; i < 8; i++) sink += P->F[i];", "r"), ("V = *P->F;", "r"), ("clear_all(P->F, 8);", {"clear_all": "w"}),
        ("memcpy(P->F, &sink, 4);", "w"), ("memcpy(&sink, &P->F[2], 4);", "r"), ("add_to(&P->F[3], V);", {"add_to": "rw"})])
    + forms("no access", NOT_AN_ACCESS),
    "name": forms("bytes", [
        ("memcpy(P->F, &V, 4);", "w"), ("memset(P->F, 0, sizeof(P->F));", "w"), ('strcpy(P->F, "x");', "w"),
        ("V = strlen(P->F);", "r"), ('V = strcmp(P->F, "x");', "r"), ('strcat(P->F, "x");', "rw"),
        ('snprintf(P->F, 16, "%d", V);', "w"), ('{ char b[9]; snprintf(b, 9, "%s", P->F); }', "r"), ('say("%s", P->F);', "r?"),
        ("*(P->F + V) = 0;", "w"), ("memcpy(P->F + V, &V, 4);", "w"), ("V = memcmp(P->F, &V, 4);", "r"),
        ("{ size_t n = sizeof(P->F); __builtin_memcpy(P->F, &V, n); }", "w")]) + forms("no access", NOT_AN_ACCESS),
    "part": forms("record", [
        ("P->F.x = V;", "w"), ("V = P->F.y;", "r"), ("P->F.y++;", "rw"), ("{ struct part a = P->F; V = a.x; }", "r"),
        ("P->F = make_part(V);", "w"), ("P->F = (struct part){V, 1};", "w"), ("take_part(P->F);", "r"),
        ("V = ({ P->F; }).x;", "r"), ("memset(&P->F, 0, sizeof(P->F));", "w"),
        ("{ struct part a; memcpy(&a, &P->F, sizeof(a)); }", "r"), ("part_inc(&P->F);", {"part_inc": "rw"}),
        ("V = part_sum(&P->F);", {"part_sum": "r"}),
        ("{ struct part *a = &P->F; struct s *b = container_of(a, struct s, F); b->F.x = V; }", "w")])
    + forms("unseen callee", [("poke_part(&P->F);", "rw?"), ("hand_on(&P->F);", {"hand_on": "rw?"}), ("peek(&P->F.y);", "r?")])
    + forms("no access", NOT_AN_ACCESS + [
        ("{ struct part *a = &P->F; struct s *b = container_of(a, struct s, F); sink = b != P; }", {})]),
    "list": forms("list", [
        ("{ struct list_head n; list_add(&n, &P->F); }", {"list_add": "r", "__list_add": "w"}),
        ("V = list_empty(&P->F);", {"list_empty": "r"}), ("list_del(&P->F);", {"list_del": "rw"}),
        ("{ struct list_head *i; list_for_each(i, &P->F) sink++; }", "r")]) + forms("no access", NOT_AN_ACCESS),
    "pointer": forms("pointer", [
        ("*P->F = V;", "r"), ("P->F = &sink;", "w"), ("P->F[3]++;", "r"), ("P->F++;", "rw"), ("rcu_assign_pointer(P->F, &sink);", "w"),
        ("V = *rcu_dereference(P->F);", "r"), ("poke(P->F);", "r"), ("if (!P->F) sink++;", "r")]) + forms("no access", NOT_AN_ACCESS),
    "link": forms("pointer", [("P->F = P;", "w"), ("sink = P->F == P;", "r")]),
}

# Statements about several fields of one type, F, G and H in the order of the struct: kind, type, text, effects of each.
JOINT = [
    ("one of several", "int", "*(V ? &P->F : &P->G) = V;", ["w", "w", ""]),
    ("one of several", "int", "{ int *a = &P->G; if (V > 2) a = &P->H; *a += V; }", ["", "rw", "rw"]),
    ("one of several", "part", "{ struct part *a = V ? &P->F : &P->H; a->x = V; }", ["w", "", "w"]),
    ("range", "int", "memset(&P->F, 0, offsetof(struct s, H) - offsetof(struct s, F));", ["w", "w", ""]),
    ("range", "int", "memcpy(&P->G, &Q->G, offsetof(struct s, H) + sizeof(P->H) - offsetof(struct s, G));", ["", "w", "w"]),
    ("range", "int", "memcpy(&Q->F, &P->F, 3 * sizeof(P->F));", ["r", "r", "r"]),
    ("range", "part", "{ size_t n = 2 * sizeof(P->F); memset(&P->F, 0, n); }", ["w", "w", ""]),
]
