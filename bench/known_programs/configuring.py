# SPDX-License-Identifier: GPL-2.0-or-later
"""Stories of objects that are used while the system is configured, and of some
that only look so."""

from known_programs.life_forms import LOCKS
from known_programs.lives import CONFIGURATION, ORDINARY, SET_UP

SOURCES = ["find_ob(v)", "ob_shared", "ob_table[v & 15]"]


def under_a_lock(w):
    w.story = "under a configuration lock"
    begin, end = w.pick(LOCKS)
    w.root(f"struct ob *p = {w.pick(SOURCES)}; {w.some(ORDINARY)} {begin} {w.some(CONFIGURATION)} {end} {w.some(ORDINARY)}")


def one_way_unlocks(w):
    w.story = "under a configuration lock"
    begin, end = w.pick(LOCKS)
    w.root(f"{begin} {w.some(CONFIGURATION)} if (v > 2) {{ {end} {w.some(ORDINARY)} return; }} {w.some(CONFIGURATION)} {end}",
           "(struct ob *p, int v)")


def only_called_under_locks(w):
    w.story = "called under configuration locks only"
    begin, end = w.pick(LOCKS)
    leaf = w.static("set", w.some(CONFIGURATION))
    for _ in range(w.random.randint(0, 2)):
        leaf = w.static("set", f"{leaf}(p, v); {w.spot(CONFIGURATION)}")
    w.root(f"{begin} {leaf}(p, v); {end}", "(struct ob *p, int v)")
    if w.random.random() < 0.5:
        begin, end = w.pick(LOCKS)
        w.root(f"{begin} if (v > 2) {leaf}(p, v); {end}", "(struct ob *p, int v)")


def fresh_under_a_lock(w):
    w.story = "fresh under a configuration lock"
    begin, end = w.pick(LOCKS)
    w.root(f"{begin} {w.allocate(failed='{ ' + end + ' return; }')} {w.some(SET_UP)} ob_shared = p; {end}", rare=True)


def at_boot(w):
    w.story = "at boot"
    w.root(f"struct ob *p = ob_shared; {w.some(CONFIGURATION)}", attributes='__attribute__((section(".init.text"))) ', rare=True)


def checks_the_lock(w):
    w.story = "checks that the lock is held"
    w.root(f'if (!rtnl_is_locked()) say("rtnl"); {w.some(CONFIGURATION)}', "(struct ob *p, int v)")


def notified(w):
    w.story = "in a table of configuration"
    call = w.static("notify", f"struct ob *p = ob_shared; int v = event; {w.some(CONFIGURATION)} return 0;",
                    "(struct notifier_block *b, unsigned long event, void *data)", "int")
    w.rare.append(call)
    w.program.units[0].append(f"struct notifier_block {call}_block = {{ .notifier_call = {call} }};")


def tried_lock(w):
    w.story = "a configuration lock that is tried"
    w.root(f"if (rtnl_trylock()) {{ {w.some(CONFIGURATION)} rtnl_unlock(); }} {w.some(ORDINARY)}", "(struct ob *p, int v)")


# Controls.

def tried_in_vain(w):
    w.story = "control: the lock is not held"
    w.root(f"if (!rtnl_trylock()) {{ {w.some(ORDINARY)} return; }} {w.some(CONFIGURATION)} rtnl_unlock();", "(struct ob *p, int v)")


def another_lock(w):
    w.story = "control: a lock of ordinary use"
    w.root(f"mutex_lock(&ob_mutex); {w.some(ORDINARY)} mutex_unlock(&ob_mutex);", "(struct ob *p, int v)")


def locked_on_one_way(w):
    w.story = "control: locked on one way"
    begin, end = w.pick(LOCKS)
    w.root(f"int locked = v > 2; if (locked) {begin} {w.some(ORDINARY)} if (locked) {end}", "(struct ob *p, int v)")


def called_in_both(w):
    w.story = "control: called with the lock and without"
    begin, end = w.pick(LOCKS)
    leaf = w.static("set", w.spot(CONFIGURATION, ORDINARY, direct=True))
    w.root(f"{begin} {leaf}(p, v); {end}", "(struct ob *p, int v)")
    w.root(f"{leaf}(p, v); {w.some(ORDINARY)}", "(struct ob *p, int v)")


STORIES = [under_a_lock, under_a_lock, one_way_unlocks, only_called_under_locks, fresh_under_a_lock, at_boot, checks_the_lock, notified,
           tried_lock, tried_in_vain, another_lock, locked_on_one_way, called_in_both]
