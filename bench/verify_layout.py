#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prices orders of fields from nothing but an instance file, and so checks
the answers of `kst-dev solve`: a second implementation of docs/guide/formats.md
and of the formulas in docs/design/price.md that shares no code with the tool.

  verify_layout.py INSTANCES ANSWERS    INSTANCES: .jsonl or .jsonl.xz of
                                        kst-instance/1; ANSWERS: kst-layout/1

Of every answer (proposal, current order and baselines): the order is legal, the
size is right, and each part of the cost is what the formulas give; the proposal
costs no more than the current order and is not below its own lower bound. Prints
what is wrong; the exit status is 1 if anything is, or if an answer is missing."""

import json
import lzma
import math
import sys

# Two evaluations of the same sums in another order of addition.
TOLERANCE = 1e-9


def read_instances(path):
    """The objects of a .jsonl or .jsonl.xz file, or the one of a .json file."""
    opener = lzma.open if path.endswith(".xz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        if path.endswith(".json"):
            return [json.load(file)]
        return [json.loads(line) for line in file if line.strip()]


# Placing fields.

def up(value, step):
    return -(-value // step) * step


def paths(record):
    """For each field the anonymous structs around it, outermost first."""
    structs = record.get("groups", [])
    result = [[] for _ in record["fields"]]
    for group, struct in enumerate(structs):  # parents come before children
        for f in range(struct["begin"], struct["end"]):
            result[f].append(group)
    return result


def place(record, order):
    """(offset in bits of each field, size in bytes) of an order."""
    fields, offsets = record["fields"], [0] * len(record["fields"])
    structs, around = record.get("groups", []), paths(record)
    cursor = end = 0
    inside = []  # anonymous structs around the cursor, outermost first
    for number in order:
        field = fields[number]
        while inside != around[number][:len(inside)]:
            cursor = up(cursor, 8 * structs[inside.pop()]["align_bytes"])
        for group in around[number][len(inside):]:
            cursor = up(cursor, 8 * structs[group]["align_bytes"])
            inside.append(group)
        size, align = field["size_bits"], 8 * field["align_bytes"]
        if record.get("union"):
            start = 0
        elif not field.get("bit_field"):
            start = up(cursor, align)
        else:
            unit, explicit = field["storage_unit_bits"], 8 * field.get("explicit_align_bytes", 0)
            if record.get("packed") or field.get("packed"):
                align = max(explicit, 1 if size else unit)
            if size == 0 or cursor % align + size > unit:
                start = up(cursor, align)
            else:
                start = up(cursor, explicit) if explicit else cursor
        offsets[number] = start
        cursor = start + size
        end = max(end, cursor)
    while inside:
        cursor = up(cursor, 8 * structs[inside.pop()]["align_bytes"])
    end = max(end, cursor)
    return offsets, up(up(end, 8) // 8, record["align_bytes"])


# Which orders are legal.

class Node:
    """A unit, or an anonymous struct of some, among its siblings."""

    def __init__(self, fields, fence, anchor):
        self.fields, self.fence, self.anchor = fields, fence, anchor
        self.inner = []   # of a struct: nodes in declared order
        self.stretch = 0  # siblings of one stretch may trade places


class Rules:
    """Units (lists of adjacent fields), what kind each is, and how they nest."""

    def __init__(self, instance):
        fields = instance["record"]["fields"]
        rules = instance["rules"]
        glued, cut = set(), set()  # field f sticks to f - 1; nothing crosses before f
        fenced = {f for f, field in enumerate(fields)
                  if field.get("flexible_array") or field.get("zero_size") and not field.get("bit_field")}
        for f in range(1, len(fields)):
            if fields[f].get("bit_field") and fields[f - 1].get("bit_field"):
                glued.add(f)
        for rule in rules:
            if rule["kind"] == "join":
                glued.update(rule["fields"][1:])
            elif rule["kind"] == "fence":
                fenced.add(rule["fields"][0])
            elif rule["kind"] == "barrier":
                cut.add(rule["fields"][0])
        self.frozen = bool(instance["record"].get("union") or instance["record"].get("randomize_layout") or
                           any(rule["kind"] == "all_fixed" for rule in rules))
        self.around, structs = paths(instance["record"]), instance["record"].get("groups", [])
        for f in range(1, len(fields)):
            if self.around[f] != self.around[f - 1] and not any(
                    r["kind"] == "join" and f in r["fields"][1:] for r in rules):
                glued.discard(f)
        for struct in reversed(structs):  # joined with something outside: all of it is
            if struct["begin"] in glued or struct["end"] in glued:
                glued.update(range(struct["begin"] + 1, struct["end"]))
        self.units = []
        for f in range(len(fields)):
            if f not in glued or f == 0:
                self.units.append([])
            self.units[-1].append(f)
        anchored = instance["anchor_align_bytes"]
        spoken = cut | {rule["fields"][0] for rule in rules if rule["kind"] == "fence"}
        self.top, made = Node(list(range(len(fields))), False, False), {}
        for unit in self.units:
            fence = self.frozen or any(f in fenced for f in unit)
            node = Node(unit, fence, not fence and any(
                fields[f].get("explicit_align_bytes", 0) >= anchored for f in unit))
            parent = self.top
            for group in self.around[unit[0]]:
                inside = range(structs[group]["begin"], structs[group]["end"])
                if not all(f in inside for f in unit) or (len(unit) > 1 and len(unit) == len(inside)):
                    break
                if group not in made:
                    held = self.frozen or any(f in inside for f in spoken)
                    made[group] = Node(list(inside), held,
                                       structs[group].get("explicit_align_bytes", 0) >= anchored)
                    parent.inner.append(made[group])
                parent = made[group]
            parent.inner.append(node)
        edges, before = set(), False
        for unit in self.units:
            fence = self.frozen or any(f in fenced for f in unit)
            if fence or before or cut.intersection(unit):
                edges.add(unit[0])
            before = fence
        self.number(self.top, edges)
        # Bit-fields of different runs must not become one memory location (C11 3.14).
        self.run, self.parts, run, inside = [0] * len(fields), [False] * len(fields), 0, False
        for f, field in enumerate(fields):
            self.parts[f] = field["size_bits"] == 0 if field.get("bit_field") else field["size_bits"] > 0
            inside = inside and self.around[f] == self.around[f - 1]
            if field.get("bit_field") and field["size_bits"]:
                run += not inside
                inside, self.run[f] = True, run
            elif self.parts[f]:
                inside = False
        self.of = {f: index for index, unit in enumerate(self.units) for f in unit}

    def number(self, parent, edges):
        """Stretches of the nodes inside. Nothing crosses before a field of edges,
        nor a fence."""
        last = None
        for node in parent.inner:
            node.stretch = 0 if last is None else last.stretch + bool(
                last.fence or node.fence or node.fields[0] in edges)
            self.number(node, edges)
            last = node

    def nested(self, node, order):
        """What is illegal about the order of a struct's own fields."""
        at, last = 0, -1
        for declared in node.inner:
            place = next((i for i, n in enumerate(node.inner) if order[at] in n.fields), None)
            if place is None:
                return f"moves field {order[at]} out of its struct"
            found = node.inner[place]
            part = order[at:at + len(found.fields)]
            if sorted(part) != sorted(found.fields):
                return f"tears the struct or unit of field {order[at]} apart"
            if found.stretch != declared.stretch:
                return f"moves field {found.fields[0]} across a fence"
            if found.anchor:
                if place < last:
                    return f"moves the anchor {found.fields[0]} behind a later one"
                last = place
            problem = self.nested(found, part)
            if problem:
                return problem
            at += len(part)
        return None

    def broken(self, order):
        """What is illegal about an order of fields; None when nothing is."""
        if sorted(order) != list(range(len(self.of))):
            return "is not a permutation of the fields"
        at = 0
        while at < len(order):
            unit = self.units[self.of[order[at]]]
            if order[at:at + len(unit)] != unit:
                return f"tears the unit of field {order[at]} apart"
            at += len(unit)
        problem = self.nested(self.top, order)
        if problem:
            return problem
        run, around = 0, []
        for f in order:
            run = run if self.around[f] == around else 0  # a struct's bit-fields are apart
            around = self.around[f]
            if run and self.run[f] and self.run[f] != run:
                return f"makes field {f} a neighbour of bit-fields of another run"
            run = self.run[f] or (0 if self.parts[f] else run)
        return None


# What an order costs.

def meetings(writes, uses, stays):
    if not (writes > 0 and uses > 0 and stays > 0):
        return 0.0
    if math.isinf(stays):
        return writes * uses / (writes + uses)
    used, written = (-math.expm1(-visits / stays) for visits in (uses, writes))
    return stays * used * written / (used + written - used * written)


def lost(uses, writes, others, stays):
    """Visits that find a line taken by another CPU; uses and writes are (by the owner, by others), others a number of CPUs, stays how often
    they come."""
    return meetings(writes[1], uses[0], stays) + meetings(others * writes[0] + (others - 1) * writes[1], uses[1], stays)


class Model:
    """The cost formula for one instance."""

    def __init__(self, instance):
        self.instance, self.record = instance, instance["record"]
        line = self.line = instance["line_bytes"]
        fields = self.record["fields"]
        self.extent = [8 if f.get("flexible_array") or f["size_bits"] > 8 * line else f["size_bits"] for f in fields]
        self.starts = range(0, line, instance["instance_align_bytes"])
        bits = [f["size_bits"] for f in fields]
        payload = max(bits) if self.record.get("union") else sum(bits)
        self.least_lines = -(-up(-(-payload // 8), self.record["align_bytes"]) // line)
        self.visits = sum(s["weight"] for s in instance["sets"])
        shares = instance["sharing"]
        self.sets = []  # (weight, visits that may meet another CPU by the owner and by others, [(field, p, pw)])
        for entry in instance["sets"]:
            touches = [(t[0], t[1], min(t[1], t[2] if len(t) > 2 else 0.0)) for t in entry["touches"] if self.extent[t[0]] and t[1] > 0]
            remote = {"local": 0.0, "remote": 1.0, "chosen": shares.get("chosen_remote_share", shares["unknown_remote_share"]), "unknown": shares["unknown_remote_share"]}[entry["cpu"]]
            remote = entry.get("others", remote)
            if entry["weight"] > 0 and touches:
                meeting = entry["weight"] * entry.get("shared", 1)
                self.sets.append((entry["weight"], (meeting * (1 - remote), meeting * remote), touches))

    def sharing(self, uses, writes):
        sharing = self.instance["sharing"]
        return self.instance["lambda"]["share"] * lost(uses, writes, sharing["other_cpus"], sharing.get("stays", math.inf))

    def price(self, order):
        """{"lines", "sharing", "padding", "total"}, and the size in bytes."""
        offsets, size = place(self.record, order)
        bits = 8 * self.line
        lines = sharing = 0.0
        for start in self.starts:
            first = [(offset + 8 * start) // bits for offset in offsets]
            last = [(offset + 8 * start + max(extent, 1) - 1) // bits for offset, extent in zip(offsets, self.extent)]
            uses, writes = {}, {}
            for weight, meeting, touches in self.sets:
                untouched, unwritten = {}, {}
                for f, p, written in touches:
                    for at in range(first[f], last[f] + 1):
                        untouched[at] = untouched.get(at, 1.0) * (1 - p)
                        unwritten[at] = unwritten.get(at, 1.0) * (1 - written)
                lines += weight * (len(untouched) - sum(untouched.values()))
                for into, spared in ((uses, untouched), (writes, unwritten)):
                    for at, chance in spared.items():
                        owner, others = into.get(at, (0.0, 0.0))
                        into[at] = owner + meeting[0] * (1 - chance), others + meeting[1] * (1 - chance)
            sharing += sum(self.sharing(uses[at], writes[at]) for at in uses)
        factor = self.instance["lambda"]
        cost = {"lines": lines / len(self.starts), "sharing": sharing / len(self.starts),
                "padding": factor["pad"] * self.visits * max(0, -(-size // self.line) - self.least_lines)}
        cost["total"] = cost["lines"] + cost["sharing"] + cost["padding"]
        return cost, size


def close(a, b, scale):
    return abs(a - b) <= TOLERANCE * max(abs(scale), 1e-300)


def check(instance, answer):
    """Everything that is wrong with an answer, in words."""
    wrong = []
    declared = list(range(len(instance["record"]["fields"])))
    offsets, size = place(instance["record"], declared)
    stated = [f["offset_bits"] for f in instance["record"]["fields"]]
    if offsets != stated or size != instance["record"]["size_bytes"]:
        wrong.append("the instance's own offsets are not what the placement rules give")
    model, rules = Model(instance), Rules(instance)
    layouts = [("proposal", answer), ("current order", answer["current"])]
    layouts += [("baseline " + b["name"], b) for b in answer.get("baselines", [])]
    for name, layout in layouts:
        problem = rules.broken(layout["order"])
        if problem:
            wrong.append(f"{name}: {problem}")
            continue
        cost, size = model.price(layout["order"])
        if size != layout["size_bytes"]:
            wrong.append(f"{name}: {layout['size_bytes']} bytes, should be {size}")
        wrong += [f"{name}: {part} {layout['cost'][part]!r}, should be {cost[part]!r}"
                  for part in cost if not close(cost[part], layout["cost"][part], cost["total"])]
    if answer["current"]["order"] != declared:
        wrong.append("the current order is not the declared one")
    total, now, bound = answer["cost"]["total"], answer["current"]["cost"]["total"], answer["lower_bound"]
    if total > now * (1 + TOLERANCE):
        wrong.append(f"the proposal costs {total!r}, the current order {now!r}")
    if bound > total * (1 + TOLERANCE):
        wrong.append(f"the lower bound {bound!r} is above the cost {total!r}")
    gap = (total - bound) / bound if bound > 0 else 0.0 if total == 0 else float("inf")
    # JSON has no infinity: null.
    if not (answer["gap"] is None and gap == float("inf")) and not close(gap, answer["gap"] or 0.0, 1 + gap):
        wrong.append(f"gap {answer['gap']!r}, should be {gap!r}")
    if answer["proven"] != (gap <= TOLERANCE):
        wrong.append(f"proven is {answer['proven']}, the gap {gap!r}")
    return wrong


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    instances = {i["name"]: i for i in read_instances(sys.argv[1])}
    answers = {a["name"]: a for a in read_instances(sys.argv[2])}
    bad = 0
    for name in sorted(set(instances) | set(answers)):
        if name not in answers or name not in instances:
            problems = ["no answer" if name in instances else "an answer to no instance"]
        else:
            problems = check(instances[name], answers[name])
        bad += bool(problems)
        for problem in problems:
            print(f"{name}: {problem}")
    print(f"{len(instances)} instances, {len(answers)} answers, {bad} wrong")
    sys.exit(1 if bad or not instances else 0)


if __name__ == "__main__":
    main()
