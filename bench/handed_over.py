# SPDX-License-Identifier: GPL-2.0-or-later
"""Lines that threads hand over, by a trace of a program: each thread is a CPU with an endless cache."""

import collections
import subprocess

LINE = 64
# Parts of other structs here; the trace has such accesses twice.
PARTS = {"thread_stats", "slab_stats", "iovec", "event", "thread_notify", "io_queue_s", "iop_head_s", "conn_ev_head",
         "crawlerstats_t", "crawler_client_t", "timespec", "extstore_stats", "slab_rebalance"}
LOCK = "pthread_mutex_t"


class Struct:
    """Of one struct: where its fields are and would be, and what is counted."""

    def __init__(self, report):
        proposed = report["layouts"].get("proposed") or report["layouts"]["current"]
        to = dict(zip(proposed["order"], proposed["offsets"])) if "order" in proposed else {}
        self.fields = [(f["offset"], f["offset"] + f["size"], f["name"], to.get(f["name"], f["offset"]) - f["offset"], f["type"] == LOCK)
                       for f in report["fields"]]
        self.known = {}

    def at(self, offset):
        """(name, by how much it moves, whether it is a lock)."""
        if offset not in self.known:
            self.known[offset] = next(((name, by, lock) for begin, end, name, by, lock in self.fields if begin <= offset < end), ("?", 0, False))
        return self.known[offset]


class Copy:
    """A thread's copy of a line that it had before: what others wrote since, and what it used."""
    __slots__ = ("dirty", "written", "used", "false", "struct")

    def __init__(self):
        self.dirty, self.written, self.used, self.false, self.struct = 0, set(), None, True, None


def replay(args, trace, structs, pairs, ordered):
    """Counters of one load, in the proposed orders or not: handed over, false, pair, pair and false; events; lines now and moved, by struct."""
    handed, false, pair, pair_false = (collections.Counter() for _ in range(4))
    now, moved, events, lines = collections.Counter(), collections.Counter(), 0, {}
    touched = collections.defaultdict(lambda: [True, set(), set()])  # by thread: whether an event's work began, lines now and moved

    def close(copy):
        if copy.used is None or copy.struct is None:
            return
        handed[copy.struct] += 1
        false[copy.struct] += copy.false
        for name, (written, used) in pairs.items():
            if (name, written) in copy.written and (name, used) in copy.used:
                pair[name] += 1
                pair_false[name] += copy.false

    dump = subprocess.Popen([args.tool, "trace", "dump", trace], stdout=subprocess.PIPE, text=True)
    for text in dump.stdout:
        if text[0] == "#":
            continue
        _, thread, address, place, size, access, function = text.split(" ", 7)[:7]
        name, _, offset = place.partition("#")[0].partition("+")
        if not offset or name in PARTS:
            continue
        field, by, lock = structs[name].at(int(offset)) if name in structs else (offset, 0, False)
        if access == "address" and not lock and not (name, offset) == ("LIBEVENT_THREAD", "360"):  # the lock in its stats
            continue
        address, size = int(address, 16), int(size)
        writes = access == "address" or "w" in access
        if access.startswith("bulk"):
            size = min(size, LINE)
        elif access == "address":
            size = 40
        elif size > 16:  # one element of an array
            size = 8
        size = max(size, 1)
        # Lines per event of a worker's connection
        if function == "event_handler" and touched[thread][0]:
            for count, kept in ((now, touched[thread][1]), (moved, touched[thread][2])):
                count.update(struct for struct, _ in kept)
            events += bool(touched[thread][1])
            touched[thread] = [False, set(), set()]
        elif function != "event_handler":
            touched[thread][0] = True
        if function == "event_handler" or touched[thread][1]:
            touched[thread][1].add((name, address // LINE))
            touched[thread][2].add((name, (address + by) // LINE))
        # Lines handed over
        address += by if ordered else 0
        for line in range(address // LINE, (address + size - 1) // LINE + 1):
            low, high = max(address - line * LINE, 0), min(address + size - line * LINE, LINE)
            mask = (1 << high) - (1 << low)
            valid, copies = lines.setdefault(line, (set(), {}))
            mine = copies.get(thread)
            if thread not in valid:
                if mine is None:
                    mine = copies[thread] = Copy()
                else:
                    mine.used, mine.false, mine.struct = set(), True, name
                valid.add(thread)
            if mine.used is not None:
                mine.used.add((name, field))
                mine.false = mine.false and not mine.dirty & mask
            if writes:
                for other, copy in copies.items():
                    if other == thread:
                        continue
                    if other in valid:
                        close(copy)
                        copy.dirty, copy.written, copy.used = 0, set(), None
                        valid.discard(other)
                    copy.dirty |= mask
                    copy.written.add((name, field))
    dump.wait()
    for _, copies in lines.values():
        for copy in copies.values():
            close(copy)
    return handed, false, pair, pair_false, events, now, moved
