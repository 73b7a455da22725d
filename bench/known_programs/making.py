# SPDX-License-Identifier: GPL-2.0-or-later
"""Stories of objects that are made, and of some that only look so."""

from known_programs.lives import ORDINARY, OWNED, SET_UP

RARELY = "a function that publishes with a probability below 0.1 is taken not to"


def made_and_published(w):
    kind, publish = w.publication()
    w.story = f"published: {kind}"
    w.root(f"{w.allocate()} {w.some(SET_UP)} {publish} {w.some(ORDINARY)}")


def made_in_a_loop(w):
    _, publish = w.publication()
    w.story = "made in a loop"
    publish = publish.replace("return;", "continue;")
    w.root(f"for (int n = 0; n < 9; n++) {{ {w.allocate(failed='break;')} {w.some(SET_UP)} {publish} {w.some(ORDINARY)} }}")


def published_by_a_function(w):
    _, publish = w.publication()
    w.story = "published by a function"
    known = RARELY if "unlikely" in publish else ""
    body = f"{w.some(SET_UP)} {publish} {w.some(ORDINARY)}"
    show = w.static("show", body)
    for _ in range(w.random.randint(0, 2)):
        show = w.static("pass", f"{show}(p, v);")
    w.root(f"{w.allocate()} {w.some(SET_UP)} {show}(p, v); {w.some(ORDINARY, known=known)}")


def published_in_another_unit(w):
    _, publish = w.publication()
    w.story = "published in another unit"
    known = RARELY if "unlikely" in publish else ""
    show = w.external("show", lambda: publish)
    w.root(f"{w.allocate()} {w.some(SET_UP)} {show}(p, v); {w.some(ORDINARY, known=known)}")


def published_through_a_table(w):
    _, publish = w.publication()
    w.story = "published through a table"
    known = RARELY if "unlikely" in publish else ""
    record, show = w.program.name("ops"), w.static("show", f"int v = sink; {publish}", "(struct ob *p)")
    w.program.late.append(f"struct {record} {{ int n; void (*show)(struct ob *); }};")
    w.program.units[0].append(f"const struct {record} {show}_table = {{ .show = {show} }};")
    w.root(f"{w.allocate()} {w.some(SET_UP)} o->show(p); {w.some(ORDINARY, known=known)}", f"(const struct {record} *o, int v)")


def handed_to_an_unknown_table(w):
    w.story = "published through an unknown table"
    w.root(f"{w.allocate()} {w.some(SET_UP)} o->add(p); {w.some(ORDINARY)}", "(const struct ob_ops *o, int v)")


def thread_started(w):
    w.story = "given to a new thread"
    run = w.static("run", f"struct ob *p = data; int v = sink; {w.some(ORDINARY)} return 0;", "(void *data)", "void *")
    w.root(f"pthread_t t; {w.allocate()} {w.some(SET_UP)} pthread_create(&t, 0, {run}, p); {w.some(ORDINARY)}")


def hung_on_what_the_caller_has(w):
    w.story = "stored in an object of the caller"
    store = w.pick(["b->held = p;", "*at = p;", "p->next = head->next; head->next = p;", "list_add(&p->link, &head->link);",
                    "b[v & 3].held = p;"])
    w.root(f"{w.allocate()} {w.some(SET_UP)} {store} {w.some(ORDINARY)}",
           "(struct ob_box *b, struct ob **at, struct ob *head, int v)")


def hung_on_a_fresh_object(w):
    w.story = "stored in an object that is fresh"
    publish = w.pick(["ob_boxes = b;", "register_ob(p);", "smp_store_release(&ob_boxes, b);"])
    w.root(f"struct ob_box *b = kmalloc(sizeof(*b), 0); if (!b) return; {w.allocate(failed='{ kfree(b); return; }')} b->held = p; "
           f"{w.some(SET_UP)} {publish} {w.some(ORDINARY)}")


def put_on_a_list_of_its_own(w):
    w.story = "on a local list"
    w.root(f"struct list_head l; l.next = l.prev = &l; {w.allocate()} {w.some(SET_UP)} list_add(&p->link, &l); {w.some(SET_UP)} "
           f"list_splice(&l, &ob_list); {w.some(ORDINARY)}")


def returned(w):
    w.story = "returned to an unknown caller"
    w.root(f"{w.allocate(failed='return 0;')} {w.some(SET_UP)} return p;", returns="struct ob *")


def returned_and_published(w):
    w.story = "returned to a known caller"
    inner = w.static("build", f"{w.allocate(failed='return 0;')} {w.some(SET_UP)} return p;", "(int v)", "struct ob *")
    _, publish = w.publication()
    w.root(f"struct ob *p = {inner}(v); if (!p) return; {w.some(SET_UP)} {publish} {w.some(ORDINARY)}")


def embedded(w):
    w.story = "inside of a fresh object"
    w.root(f"struct ob_frame *f = kzalloc(sizeof(*f), 0); if (!f) return; struct ob *p = &f->inner; {w.some(SET_UP)} "
           f"list_add(&p->link, &ob_list); {w.some(ORDINARY)}")


def given_up(w):
    """Nobody found it before it was freed."""
    w.story = "error path before publication"
    free = w.pick(["kfree(p);", "free(p);", "kvfree(p);"])
    _, publish = w.publication()
    w.root(f"{w.allocate()} {w.some(SET_UP)} if (failing(v)) goto err_free; {w.some(SET_UP)} {publish} {w.some(ORDINARY)} return; "
           f"err_free: {w.some(OWNED)} {free}")


def made_by_either(w):
    w.story = "one of two allocators"
    w.root(f"struct ob *p; if (v > 2) p = {w.allocation()}; else p = {w.allocation()}; if (!p) return; {w.some(SET_UP)} "
           f"ob_shared = p; {w.some(ORDINARY)}")


# Controls.

def unknown_history(w):
    w.story = "control: a parameter"
    w.root(w.some(ORDINARY), "(struct ob *p, int v)")


def found(w):
    w.story = "control: found"
    w.root(f"struct ob *p = {w.pick(['find_ob(v)', 'ob_shared', 'ob_table[v & 15]', 'ob_boxes->held', 'READ_ONCE(ob_shared)'])}; "
           f"if (!p) return; {w.some(ORDINARY)}")


def found_or_made(w):
    w.story = "control: found or made"
    find = w.pick(["find_ob(v)", "ob_shared", "ob_table[v & 15]"])
    w.root(f"struct ob *p = {find}; if (!p) {{ {w.allocate(declare=False)} {w.pick(['', 'ob_shared = p;'])} }} {w.some(ORDINARY)}")


def used_as_new_and_in_use(w):
    w.story = "control: initialised again in use"
    reset = w.static("reset", w.spot(SET_UP, ORDINARY, direct=True))
    w.root(f"{w.allocate()} {reset}(p, v); ob_shared = p;")
    w.root(f"struct ob *p = {w.pick(['find_ob(v)', 'ob_shared', 'ob_boxes->held'])}; {reset}(p, v); {w.some(ORDINARY)}")


def sounds_like_an_allocator(w):
    w.story = "control: only sounds like an allocator"
    body = w.pick(["return ob_table[v & 15];", "struct ob *p = ob_shared; ob_shared = p->next; return p;",
                   "struct list_head *l = ob_list.next; return container_of(l, struct ob, link);"])
    make = w.static("alloc_ob", body, "(int v)", "struct ob *")
    w.root(f"struct ob *p = {make}(v); if (!p) return; {w.some(ORDINARY)}")


def published_by_its_maker(w):
    w.story = "control: its maker publishes it"
    _, publish = w.publication()
    body = f"{w.allocate(failed='return 0;')} {w.some(SET_UP)} {publish.replace('return;', 'return 0;')} return p;"
    make = w.static("make", body, "(int v)", "struct ob *")
    w.root(f"struct ob *p = {make}(v); if (!p) return; {w.some(ORDINARY)}")


def the_one_before(w):
    w.story = "control: the object of the round before"
    w.root(f"struct ob *last = 0; for (int n = 0; n < 9; n++) {{ if (last) {{ {w.some(ORDINARY, pointer='last')} }} "
           f"{w.allocate(failed='break;')} {w.some(SET_UP)} list_add(&p->link, &ob_list); last = p; }}")


def kept_by_another_name(w):
    w.story = "control: by another name"
    w.root(f"{w.allocate()} struct ob *q = p; {w.some(SET_UP, pointer='q')} ob_shared = p; {w.some(ORDINARY, pointer='q')}")


def published_by_its_maker_in_an_argument(w):
    w.story = "control: its maker publishes it"
    body = (f"struct ob *p = {w.allocation()}; if (!p) return -ENOMEM; {w.some(SET_UP)} *to = p; "
            f"{w.pick(['list_add(&p->link, &ob_list);', 'ob_shared = p;', 'register_ob(p);'])} return 0;")
    make = w.static("make", body, "(struct ob **to, int v)", "int")
    w.root(f"struct ob *p; if ({make}(&p, v)) return; {w.some(ORDINARY)}")


def argument_set_to_either(w):
    w.story = "control: found or made"
    body = (f"struct ob *p = find_ob(v); if (!p) {{ p = {w.allocation()}; if (!p) return -ENOMEM; }} *to = p; return 0;")
    make = w.static("make", body, "(struct ob **to, int v)", "int")
    w.root(f"struct ob *p; if ({make}(&p, v)) return; {w.some(ORDINARY)}")


# What the tool is known to miss.

def stored_as_a_number(w):
    w.story = "known limit"
    w.root(f"{w.allocate()} {w.some(SET_UP)} ob_numbers[v & 15] = (unsigned long)p; "
           f"{w.some(ORDINARY, known='a pointer that is stored as a number publishes unseen')}")


def given_to_an_unseen_function(w):
    w.story = "known limit"
    w.root(f"{w.allocate()} {w.some(SET_UP)} frob_ob(p); "
           f"{w.some(ORDINARY, known='a function without a body whose name does not say so is taken not to publish')}")


STORIES = [made_and_published] * 8 + [published_by_a_function] * 2 + [
    made_in_a_loop, published_in_another_unit, published_through_a_table, handed_to_an_unknown_table, thread_started,
    hung_on_what_the_caller_has, hung_on_a_fresh_object, put_on_a_list_of_its_own, returned, returned_and_published, embedded,
    given_up, given_up, made_by_either, unknown_history, found, found_or_made, used_as_new_and_in_use, sounds_like_an_allocator,
    published_by_its_maker, the_one_before, kept_by_another_name, published_by_its_maker_in_an_argument, argument_set_to_either,
    stored_as_a_number, given_to_an_unseen_function]
