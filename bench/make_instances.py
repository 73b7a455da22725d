#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Generates the artificial half of the instance set: make_instances.py [FILE].
Writes kst-instance/1, one line each, to FILE (default: standard output); the same
bytes on every machine: integer arithmetic and a generator of our own, the seed of
an instance being a hash of its name.

Families, and what makes each hard:

  communities  hidden groups of 3 to 14 fields, scattered over the declared order;
               a tenth of the touches go to other groups. What clustering is made
               for; groups that do not fit a line, and fields of two groups, spoil it.
  windows      fields in a hidden sequence, a set touches a stretch of it: every cut
               between two lines hurts somebody, no cluster is natural.
  zipf         popular fields and unpopular ones, drawn independently: no structure
               but frequency. A tool that sees groups here sees ghosts.
  paths        long paths of 10 to 40 fields with early exits and side branches: a
               fast path that fills several lines, variants that stop halfway.
  sharing      read-mostly fields scanned by other CPUs against counters and locks
               that their owner writes: most of the price is conflicts, and keeping
               two hot groups apart costs lines.
  mixed        communities of fields of 1 to 200 bytes, arrays longer than a line
               among them, alignments 1 to 16: bytes are the scarce thing.
  rules        communities and paths under fences, group markers, barriers, joined
               fields, bit-field runs, anchors, a flexible array at the end.
  small        at most 20 touched fields, sets of all the kinds above: for proofs.
  unaligned    communities and paths whose instances start at any multiple of 8, 16
               or 32 bytes. Listed apart.
  tiny         7 or 8 bricks with everything above, for enumeration of every legal
               order. Listed apart.

Fields are 20 to 300, except in tiny. Compared with the kernel's instances the
share of touched fields is higher, sets are as long, and conflicts as many; see
bench/optimality.py prints both side by side."""

import json
import sys

import verify_layout

VERSION = 1
WORD = (1 << 64) - 1


class Random:
    """SplitMix64 (Steele, Lea, Flood, OOPSLA'14), integers only."""

    def __init__(self, text):
        self.state = 14695981039346656037  # FNV-1a
        for byte in text.encode():
            self.state = (self.state ^ byte) * 1099511628211 & WORD
        self.seed = self.state

    def next(self):
        self.state = self.state + 0x9E3779B97F4A7C15 & WORD
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
        return z ^ z >> 31

    def below(self, n):
        return self.next() * n >> 64

    def between(self, low, high):
        """An integer, both ends included."""
        return low + self.below(high - low + 1)

    def chance(self, percent):
        return self.below(100) < percent

    def pick(self, items):
        return items[self.below(len(items))]

    def weighted(self, weights):
        """An index, as often as its integer weight says."""
        at = self.below(sum(weights))
        for index, weight in enumerate(weights):
            at -= weight
            if at < 0:
                return index
        raise AssertionError

    def shuffled(self, items):
        items = list(items)
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
        return items

    def sample(self, items, count):
        return self.shuffled(items)[:count]


def share(thousandths):
    """A probability with three digits: exact decimal text, the same everywhere."""
    return 1 if thousandths >= 1000 else thousandths / 1000


# Fields.

def plain(size, align=None):
    return {"size_bits": 8 * size, "align_bytes": align or size}


def usual(r):
    """Sizes as in kernel structs: words, ints, list heads, embedded structs."""
    kind = r.weighted([44, 30, 5, 5, 8, 5, 2, 1])
    if kind == 5:
        return plain(8 * r.between(3, 8), 8)
    if kind == 6:
        return plain(8 * r.between(9, 25), 8)
    if kind == 7:
        return plain(r.between(3, 32), 1)
    return [plain(8), plain(4), plain(2), plain(1), plain(16, 8)][kind]


def wide(r):
    """Any size from 1 to 200 bytes."""
    kind = r.weighted([20, 20, 20, 20, 20])
    if kind == 0:
        return plain(r.pick([1, 2, 4, 8]))
    if kind == 1:
        return plain(4 * r.between(1, 16), 4)
    if kind == 2:
        return plain(8 * r.between(1, 8), 8)
    if kind == 3:
        return plain(r.between(1, 40), 1)
    return r.pick([plain(8 * r.between(8, 25), 8), plain(16 * r.between(1, 8), 16)])


def bits(r):
    unit = r.pick([1, 4, 4, 8])
    return {"size_bits": r.between(1, min(20, 8 * unit)), "align_bytes": unit, "bit_field": True,
            "storage_unit_bits": 8 * unit}


# Sets. A set is (weight, cpu, {field: (thousandths of probability, writes)}).

def probability(r):
    return r.pick([1000, 1000, 1000, 900, 750, 500, 500, 250, 100, 50, 10, r.between(1, 999)])


def relation(r):
    return r.pick(["local", "local", "unknown", "unknown", "unknown", "remote"])


class Habits:
    """Who writes a field, so that sets agree about it: a third of the fields are
    never written, a third seldom, a third often."""

    def __init__(self, r, fields):
        self.level = {f: r.below(3) for f in fields}

    def touch(self, r, f, p=None):
        p = p or probability(r)
        writes = [0, p // 10 if r.chance(30) else 0, p if r.chance(60) else 0][self.level[f]]
        return p, writes


def community_sets(r, active, count):
    habits, rest, groups = Habits(r, active), r.shuffled(active), []
    while rest:
        size = r.between(3, 14)
        groups.append(rest[:size])
        rest = rest[size:]
    sets = []
    for number in range(count):
        group = number if number < len(groups) else r.weighted([1000 // (i + 1) + 1 for i in range(len(groups))])
        fields = r.sample(groups[group], r.between(2, 14))
        while r.chance(35):
            fields.append(r.pick(active))
        sets.append((100000 // (group + 1) // r.between(1, 20) + 1, relation(r), {f: habits.touch(r, f) for f in fields}))
    return sets


def window_sets(r, active, count):
    habits, line = Habits(r, active), r.shuffled(active)
    sets = []
    for _ in range(count):
        length = r.between(2, 12)
        start = r.below(max(1, len(line) - length + 1))
        sets.append((r.between(1, 1000), relation(r), {f: habits.touch(r, f) for f in line[start:start + length]}))
    return sets


def zipf_sets(r, active, count):
    habits, order = Habits(r, active), r.shuffled(active)
    popularity = [1000000 // (rank + 1) for rank in range(len(order))]
    sets = []
    for rank in range(count):
        fields = {order[r.weighted(popularity)] for _ in range(r.between(2, 10))}
        sets.append((1000000 // (rank + 1), relation(r), {f: habits.touch(r, f) for f in sorted(fields)}))
    return sets


def path_sets(r, active, count):
    habits, sets = Habits(r, active), []
    paths = [r.sample(active, r.between(10, 40)) for _ in range(r.between(2, 5))]
    for number in range(count):
        path = r.weighted([100, 30, 10, 5, 3][:len(paths)])
        steps = paths[path]
        upto = len(steps) if number < len(paths) else r.between(2, len(steps))
        p, fields = 1000, {}
        for f in steps[:upto]:
            p = max(1, p * r.pick([100, 100, 100, 98, 90, 70]) // 100)
            fields[f] = habits.touch(r, f, p)
        for f in r.sample(active, r.below(4)):
            fields.setdefault(f, habits.touch(r, f))
        sets.append(([100000, 20000, 5000, 3000, 1000][path] // r.between(1, 10), relation(r), fields))
    return sets


def sharing_sets(r, active, count):
    order = r.shuffled(active)
    third = max(2, len(order) // 3)
    scanned, written, both = order[:third], order[third:2 * third], order[2 * third:]
    sets = []
    for number in range(count):
        kind = r.below(4)
        if kind == 0:  # other CPUs look
            fields = {f: (probability(r), 0) for f in r.sample(scanned, r.between(2, 10))}
            sets.append((r.between(1000, 20000), "remote", fields))
        elif kind == 1:  # the owner counts
            fields = {f: (1000, 1000) for f in r.sample(written, r.between(1, 5))}
            fields.update({f: (probability(r), 0) for f in r.sample(scanned, r.below(3))})
            sets.append((r.between(1000, 20000), "local", fields))
        else:
            chosen = r.sample(both or order, r.between(2, 8)) + r.sample(order, r.below(3))
            fields = {f: (probability(r), 0 if r.chance(70) else 200) for f in chosen}
            sets.append((r.between(100, 10000), r.pick(["unknown", "local", "remote"]), fields))
    return sets


KINDS = (community_sets, window_sets, zipf_sets, path_sets, sharing_sets)


# Instances.

def instance(r, name, family, fields, sets, rules=(), line=64, start=None):
    number = 0
    for field in fields:
        if "name" not in field:
            field["name"] = f"f{number}"
        number += 1
    align = max(f["align_bytes"] for f in fields)
    record = {"name": "generated", "size_bytes": 0, "align_bytes": align, "fields": []}
    offsets, size = verify_layout.place({**record, "fields": fields}, range(len(fields)))
    record["size_bytes"] = size
    for field, offset in zip(fields, offsets):
        rest = {k: v for k, v in field.items() if k not in ("name", "size_bits", "align_bytes")}
        record["fields"].append({"name": field["name"], "offset_bits": offset, "size_bits": field["size_bits"],
                                 "align_bytes": field["align_bytes"], **rest})
    touches = []
    for weight, cpu, fields_of in sets:
        row = [[f, share(p)] + ([share(w)] if w else []) for f, (p, w) in sorted(fields_of.items())]
        touches.append({"weight": weight, "cpu": cpu, "touches": row})
    return {"schema": "kst-instance/1", "name": name,
            "origin": {"kind": "generated", "generator": f"bench/make_instances.py {VERSION}", "family": family,
                       "seed": str(r.seed)},
            "line_bytes": line, "instance_align_bytes": start or line, "anchor_align_bytes": 32,
            "lambda": {"share": 4, "pad": 0.01},
            "sharing": {"unknown_remote_share": 0.1, "other_cpus": 2},
            "record": record, "rules": list(rules), "sets": touches}


def fields_of_kind(r, count, kind=usual):
    return [kind(r) for _ in range(count)]


def active_of(r, count, low=45, high=100):
    """The fields that sets may touch: from `low` to `high` percent of all."""
    return sorted(r.sample(range(count), max(4, count * r.between(low, high) // 100)))


def simple(family, make_sets, kind=usual, low=45):
    def make(r, name, count, line, start=None):
        fields = fields_of_kind(r, count, kind)
        sets = make_sets(r, active_of(r, count, low), count * r.between(2, 5))
        return instance(r, name, family, fields, sets, line=line, start=start)
    return make


def ruled_fields(r, count):
    """(fields, rules): markers, anchors, bit-fields, fences, a flexible array."""
    fields, rules = [], []
    while len(fields) < count:
        kind = r.below(24)
        if kind == 0:
            fields.append({"size_bits": 0, "align_bytes": 1, "zero_size": True})
        elif kind == 1:
            size = r.pick([8, 16, 64])
            fields.append({"size_bits": 8 * size, "align_bytes": 64, "explicit_align_bytes": 64})
        elif kind in (2, 3):
            fields += [bits(r) for _ in range(r.between(1, 6))]
        else:
            fields.append(usual(r))
    if r.chance(40):
        rules.append({"kind": "fence", "fields": [0], "why": "others cast to it"})
    if r.chance(50):
        at = r.between(1, len(fields) - 1)
        rules.append({"kind": "barrier", "fields": [at], "why": "cleared up to here"})
    for _ in range(r.below(3)):
        at = r.below(len(fields) - 3)
        rules.append({"kind": "join", "fields": list(range(at, at + r.between(2, 3))), "why": "one macro makes them"})
    if r.chance(30):
        fields.append({"size_bits": 0, "align_bytes": 8, "flexible_array": True})
    return fields, rules


def ruled(r, name, count, line):
    fields, rules = ruled_fields(r, count)
    touchable = [f for f in active_of(r, len(fields)) if fields[f]["size_bits"] or fields[f].get("flexible_array")]
    sets = r.pick((community_sets, path_sets))(r, touchable, count * r.between(2, 4))
    return instance(r, name, "rules", fields, sets, rules, line=line)


def small(r, name, count, line):
    fields = fields_of_kind(r, count, r.pick([usual, usual, wide]))
    active = sorted(r.sample(range(count), r.between(8, 20)))
    sets = r.pick(KINDS)(r, active, r.between(5, 60))
    return instance(r, name, "small", fields, sets, line=line)


def unaligned(r, name, count, line):
    make = simple("unaligned", r.pick((community_sets, path_sets)))
    return make(r, name, count, line, start=r.pick([8, 16, 32]))


def tiny(r, name, count, line):
    while True:
        fields, rules = ruled_fields(r, 7) if r.chance(60) else (fields_of_kind(r, 7, r.pick([usual, wide])), [])
        fields = [f for f in fields if f.get("size_bits", 0) <= 8 * 120]
        if len(fields) < 5 or any(rule["fields"][-1] >= len(fields) for rule in rules):
            continue
        touchable = [f for f in range(len(fields)) if fields[f]["size_bits"] or fields[f].get("flexible_array")]
        sets = r.pick(KINDS)(r, touchable, r.between(2, 12))
        made = instance(r, name, "tiny", fields, sets, rules, line=r.pick([16, 32, 64]), start=r.pick([8, 16, 64]))
        made["instance_align_bytes"] = min(made["instance_align_bytes"], made["line_bytes"])
        made["anchor_align_bytes"] = r.pick([8, 32])
        if 5 <= len(verify_layout.Rules(made).units) <= 8:
            return made


SIZES = (20, 25, 32, 40, 50, 64, 80, 100, 125, 150, 180, 220, 260, 300)
FAMILIES = {
    "communities": (simple("communities", community_sets), SIZES),
    "windows": (simple("windows", window_sets), SIZES),
    "zipf": (simple("zipf", zipf_sets), SIZES),
    "paths": (simple("paths", path_sets), SIZES),
    "sharing": (simple("sharing", sharing_sets), SIZES),
    "mixed": (simple("mixed", community_sets, wide), SIZES),
    "rules": (ruled, SIZES),
    "small": (small, (20, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 44, 48, 52, 56, 60, 70, 80, 90)),
    "unaligned": (unaligned, (20, 24, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120)),
    "tiny": (tiny, (7,) * 24),
}


def generate():
    for family, (make, sizes) in FAMILIES.items():
        for number, count in enumerate(sizes):
            name = f"{family}-{number + 1:02}-{count}"
            r = Random(name)
            # Every seventh has lines of 128 bytes.
            yield make(r, name, count, 128 if number % 7 == 6 else 64)


def line_of(made):
    return json.dumps(made, separators=(",", ":")) + "\n"


def main():
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    with open(sys.argv[1], "w") if len(sys.argv) == 2 else sys.stdout as out:
        for made in generate():
            out.write(line_of(made))


if __name__ == "__main__":
    main()
