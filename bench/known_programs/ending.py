# SPDX-License-Identifier: GPL-2.0-or-later
"""Stories of objects that others found and that are freed, and of some that
only look so."""

from known_programs.life_forms import FREES, REMOVALS
from known_programs.lives import ORDINARY, OWNED, SET_UP, TEARDOWN
from known_programs.readers_and_writers import placed

BEFORE_REMOVAL = "what comes before the removal, in code that goes on to free the object, counts as teardown"


def removal(w):
    return placed(w.pick(REMOVALS), {})


def free(w):
    return placed(w.pick(FREES.values()), {})


def source(w):
    return w.pick(["find_ob(v)", "ob_shared", "ob_table[v & 15]", "ob_boxes->held"])


def removed_and_freed(w):
    w.story = "removed and freed"
    w.root(f"struct ob *p = {source(w)}; if (!p) return; {w.some(ORDINARY)} if (v < 2) return; "
           f"{removal(w)} {w.some(TEARDOWN)} {free(w)}")


def parameter_removed_and_freed(w):
    w.story = "removed and freed"
    w.root(f"{w.some(ORDINARY)} if (failing(v)) {{ {removal(w)} {w.some(TEARDOWN)} {free(w)} }}", "(struct ob *p, int v)")


def freed_by_a_function(w):
    w.story = "freed by a function"

    def end():
        return f"{w.some(TEARDOWN)} {free(w)}"

    destroy = w.pick([lambda: w.static("destroy", end()), lambda: w.external("destroy", end)])()
    for _ in range(w.random.randint(0, 2)):
        destroy = w.static("destroy", f"{w.spot(TEARDOWN)} {destroy}(p, v);")
    w.root(f"struct ob *p = {source(w)}; {w.some(ORDINARY)} if (v > 3) return; {removal(w)} {w.some(TEARDOWN)} {destroy}(p, v);")


def freed_as_bytes(w):
    w.story = "freed by a function"
    destroy = w.static("destroy", "if (!data) return; kfree(data);", "(void *data)")
    w.root(f"struct ob *p = {source(w)}; {w.some(ORDINARY)} if (v > 3) return; {removal(w)} {w.some(TEARDOWN)} {destroy}(p);")


def freed_by_rcu(w):
    w.story = "call_rcu"
    end = f"{w.some(TEARDOWN)} {free(w).replace('kfree_rcu(p, rcu)', 'kfree(p)')}"
    after = w.static("after", f"struct ob *p = container_of(r, struct ob, rcu); int v = sink; {end}", "(struct rcu_head *r)")
    w.root(f"struct ob *p = {source(w)}; {w.some(ORDINARY)} if (v > 3) return; {removal(w)} {w.some(TEARDOWN)} "
           f"call_rcu(&p->rcu, {after});")


def last_reference(w):
    w.story = "kref_put"
    last = w.static("last", f"struct ob *p = container_of(k, struct ob, ref); int v = sink; {w.some(TEARDOWN)} {free(w)}",
                    "(struct kref *k)")
    put = f"kref_put(&p->ref, {last});"
    if w.random.random() < 0.4:
        put = f"{w.static('put', put, '(struct ob *p)')}(p);"
    w.root(f"{w.some(ORDINARY)} {put}", "(struct ob *p, int v)", rare=True)


def counted(w):
    w.story = "refcount_dec_and_test"
    end = f"{w.some(TEARDOWN)} {free(w)}"
    put = w.pick([f"if (refcount_dec_and_test(&p->users)) {{ {end} }}", f"if (!refcount_dec_and_test(&p->users)) return; {end}"])
    w.root(f"{w.some(ORDINARY)} {put}", "(struct ob *p, int v)", rare=True)


def counted_by_a_function(w):
    w.story = "refcount_dec_and_test"
    put = w.static("put", f"if (refcount_dec_and_test(&p->users)) {{ {w.some(TEARDOWN)} {free(w)} }}")
    w.root(f"struct ob *p = {source(w)}; {w.some(ORDINARY)} {put}(p, v);", rare=True)


def released_through_a_table(w):
    w.story = "release in a table"
    release = w.static("release", f"struct ob *p = container_of(k, struct ob, kobj); int v = sink; {w.some(TEARDOWN)} kfree(p);",
                       "(struct kobject *k)")
    w.rare.append(release)
    w.program.units[0].append(f"const struct kobj_type {release}_type = {{ .release = {release} }};")


def all_freed(w):
    w.story = "freed in a loop"
    w.root(f"struct list_head *i, *next; for (i = ob_list.next; i != &ob_list; i = next) {{ next = i->next; "
           f"struct ob *p = container_of(i, struct ob, link); list_del(&p->link); {w.some(TEARDOWN)} kfree(p); }}")


def found_and_freed(w):
    w.story = "searched and freed"
    w.root(f"struct list_head *i; list_for_each(i, &ob_list) {{ struct ob *p = container_of(i, struct ob, link); "
           f"{w.some(ORDINARY)} if (p->id == v) {{ list_del(&p->link); {w.some(TEARDOWN)} {free(w)} break; }} }}")


def registered_and_given_up(w):
    w.story = "error path after publication"
    w.root(f"{w.allocate()} {w.some(SET_UP)} list_add(&p->link, &ob_list); {w.some(ORDINARY)} if (failing(v)) goto err; return; "
           f"err: list_del(&p->link); {w.some(TEARDOWN)} {free(w)}")


def several_labels(w):
    w.story = "error path before publication"
    w.root(f"{w.allocate()} {w.some(SET_UP)} if (failing(v)) goto err_free; p->buffer = kmalloc(8, 0); if (!p->buffer) goto err_free; "
           f"{w.some(SET_UP)} if (failing(v + 1)) goto err_buffer; ob_shared = p; {w.some(ORDINARY)} return; "
           f"err_buffer: {w.some(OWNED)} kfree(p->buffer); err_free: {w.some(OWNED)} kfree(p);")


def used_by_one_call(w):
    w.story = "made and freed in one call"
    w.root(f"{w.allocate()} {w.some(OWNED)} if (v > 3) {{ {w.some(OWNED)} }} kfree(p);")


# Controls.

def another_freed(w):
    w.story = "control: another object freed"
    w.root(f"{w.some(ORDINARY)} kfree(q); {w.some(ORDINARY)}", "(struct ob *p, struct ob *q, int v)")


def a_part_freed(w):
    w.story = "control: what it points to freed"
    w.root(f"struct ob *p = {source(w)}; {w.some(ORDINARY)} kfree(p->buffer); {w.some(ORDINARY)}")


def the_next_freed(w):
    w.story = "control: what it points to freed"
    w.root(f"struct ob *p = {source(w)}, *q = p->next; {w.some(ORDINARY)} if (q) {{ p->next = q->next; kfree(q); }} {w.some(ORDINARY)}")


def freed_now_and_then(w):
    w.story = "control: freed on one way"
    w.root(f"struct ob *p = {source(w)}; {w.some(ORDINARY)} if (v == 7) {{ {removal(w)} {free(w)} return; }} {w.some(ORDINARY)}")


def not_the_last_reference(w):
    w.story = "control: perhaps the last reference"
    put = w.static("put", f"{w.spot(ORDINARY)} if (refcount_dec_and_test(&p->users)) kfree(p);")
    w.root(f"struct ob *p = {source(w)}; {w.some(ORDINARY)} {put}(p, v);", rare=True)


def moved(w):
    w.story = "control: moved to another list"
    w.root(f"struct ob *p = {source(w)}; {w.some(ORDINARY)} list_move(&p->link, &ob_other); {w.some(ORDINARY)}")


def hidden_for_a_while(w):
    w.story = "control: removed and not freed"
    w.root(f"struct ob *p = {source(w)}; {removal(w)} {w.some(ORDINARY)}")


def freed_by_a_flag(w):
    w.story = "control: freed on one way"
    drop = w.static("drop", f"{w.spot(ORDINARY)} if (really > 9) {{ {w.spot(TEARDOWN)} {free(w)} }}", "(struct ob *p, int v, int really)")
    w.root(f"{w.some(ORDINARY)} {drop}(p, v, sink);", "(struct ob *p, int v)")


def replaced(w):
    w.story = "replaced by a fresh one"
    w.root(f"struct ob *gone = {source(w)}; {w.allocate()} {w.some(SET_UP)} rcu_assign_pointer(ob_shared, p); {w.some(ORDINARY)} "
           f"{w.some(TEARDOWN, pointer='gone')} kfree(gone);")


# What the tool is known to miss.

def before_the_removal(w):
    w.story = "known limit"
    w.root(f"{w.some(ORDINARY, known=BEFORE_REMOVAL)} list_del(&p->link); {w.some(TEARDOWN)} {free(w)}", "(struct ob *p, int v)")


STORIES = [removed_and_freed, parameter_removed_and_freed, freed_by_a_function, freed_as_bytes, freed_by_rcu, last_reference, counted,
           counted_by_a_function, released_through_a_table, all_freed, found_and_freed, registered_and_given_up, several_labels,
           used_by_one_call, another_freed, a_part_freed, the_next_freed, freed_now_and_then, not_the_last_reference, moved,
           hidden_for_a_while, freed_by_a_flag, replaced, before_the_removal]
