# SPDX-License-Identifier: GPL-2.0-or-later
"""Optima of small layout problems by means that have nothing in common with
`kst-dev solve`: what they read is the instance file, what they compute with is
verify_layout.py, Debian's CBC, and plain enumeration.

Two methods:

enumerate_orders(instance)   the cheapest of all legal orders, every one priced by
    the full formula. Exact, with everything that an instance can have; for records
    of a few bricks.

partition_bound(instance)    a set-partitioning model for instances that start on a
    line. Each touched field starts in one line, and may reach into the next. A column is
    what one line holds: the fields that start in it, the one that reaches into it (and how
    many bits of it), the one that reaches out of it. Its cost is the formula's for these
    fields on one line: sum of w (1 - prod (1 - p)), plus lambda_share times the visits
    that find it lost. CBC picks the cheapest columns such that every field starts in just one, and
    that a field reaches out of one line if and only if it reaches into another one, the two
    parts making up its size. Columns are enumerated one by one; one that costs at
    least as much as it does without a field, plus that field alone, plus a line, is left
    out, since replacing it never costs more.

    It is a relaxation, in these points: holes of alignment are free; untouched fields
    take no room; what a field longer than a line covers behind its first byte is free; fences,
    anchors and bricks do not bind; of the lines beyond the minimum only those are paid for that
    touched fields make necessary. So the model's optimum is at most that of the problem;
    when an order costs just that, both are optimal."""

import itertools
import math
import os
import re
import subprocess
import tempfile

import verify_layout

MOST_ORDERS, MOST_SETS, MOST_COLUMNS = 50000, 200000, 100000


def legal_orders(instance):
    """All of them, as lists of fields; None if they are too many."""
    rules = verify_layout.Rules(instance)
    if math.factorial(len(rules.units)) > MOST_ORDERS:
        return None
    orders = ([f for unit in units for f in unit] for units in itertools.permutations(rules.units))
    return (order for order in orders if rules.broken(order) is None)


def enumerate_orders(instance):
    """(least cost, number of orders looked at); None if they are too many."""
    orders = legal_orders(instance)
    if orders is None:
        return None
    model, best, count, seen = verify_layout.Model(instance), None, 0, {}
    for order in orders:
        # Orders that put the touched fields at the same offsets cost the same.
        offsets, size = verify_layout.place(instance["record"], order)
        key = tuple(offsets), size
        if key not in seen:
            seen[key] = model.price(order)[0]["total"]
        best = seen[key] if best is None else min(best, seen[key])
        count += 1
    return best, count


class Columns:
    """The columns of an instance; `all` is None if they are too many."""

    def __init__(self, instance):
        self.instance, self.model = instance, verify_layout.Model(instance)
        record = instance["record"]
        self.line = 8 * instance["line_bytes"]
        self.sets_of = {}
        for number, (weight, meeting, touches) in enumerate(self.model.sets):
            for f, p, written in touches:
                self.sets_of.setdefault(f, []).append((number, weight, meeting, p, written))
        fields = set(self.sets_of)
        self.bits = {f: self.model.extent[f] for f in fields}
        self.long = {f for f in fields if record["fields"][f]["size_bits"] > self.line}
        self.grain = {}
        for f in fields:
            field = record["fields"][f]
            packed = field.get("bit_field") and (record.get("packed") or field.get("packed"))
            self.grain[f] = 1 if packed else 8 * field["align_bytes"]
        # By what can hang over at most, so that what fits, fits while it grows.
        self.fields = sorted(fields, key=lambda f: (-self.overhang(f), f))
        self.bit = {f: 1 << index for index, f in enumerate(self.fields)}
        self.pad = instance["lambda"]["pad"] * self.model.visits
        self.cost = {0: 0.0}
        self.all = self.make() if self.find_costs() else None

    def overhang(self, f):
        return max(0, self.bits[f] - self.grain[f])

    def find_costs(self):
        """cost[mask] of every set of fields that a line may hold parts of."""
        untouched, unwritten = [1.0] * len(self.model.sets), [1.0] * len(self.model.sets)

        def extend(at, chosen, mask, used, over, lines, use):
            for index in range(at, len(self.fields)):
                f = self.fields[index]
                if f in self.long and any(h in self.long for h in chosen):
                    continue
                # Two may hang over: one at either end.
                most = sorted(over + [self.overhang(f)])[-2:]
                if used + self.bits[f] - sum(most) > self.line:
                    continue
                more, (owner, others, owner_writes, other_writes) = lines, use
                touched = self.sets_of[f]
                old = [(untouched[number], unwritten[number]) for number, *_ in touched]
                for number, weight, meeting, p, written in touched:
                    more += weight * untouched[number] * p
                    owner += meeting[0] * untouched[number] * p
                    others += meeting[1] * untouched[number] * p
                    owner_writes += meeting[0] * unwritten[number] * written
                    other_writes += meeting[1] * unwritten[number] * written
                    untouched[number] *= 1 - p
                    unwritten[number] *= 1 - written
                chosen.append(f)
                self.cost[mask | self.bit[f]] = more + self.model.sharing((owner, others), (owner_writes, other_writes))
                if len(self.cost) > MOST_SETS or not extend(index + 1, chosen, mask | self.bit[f], used + self.bits[f],
                                                            most, more, (owner, others, owner_writes, other_writes)):
                    return False
                chosen.pop()
                for (number, *_), values in zip(touched, old):
                    untouched[number], unwritten[number] = values
            return True
        return extend(0, [], 0, 0, [], 0.0, (0.0, 0.0, 0.0, 0.0))

    def worth(self, mask, kept):
        """False if taking one field other than those of `kept` out into a line
        of its own never costs more."""
        for f in self.fields:
            bit = self.bit[f]
            if mask & bit and not kept & bit and mask != bit and \
                    self.cost[mask] >= self.cost[mask ^ bit] + self.cost[bit] + self.pad:
                return False
        return True

    def parts(self, f):
        """(values that the bits of f in a second line may have, distance between
        them): at most 8, each standing for all from itself up to the next."""
        step = self.grain[f]
        while self.overhang(f) > 8 * step:
            step += self.grain[f]
        return range(self.grain[f], self.overhang(f) + 1, step), step

    def make(self):
        """(cost, fields that start, field that reaches in or None, its bits there,
        field that reaches out or None, its bits here)."""
        found = []
        crossers = [f for f in self.fields if self.overhang(f) > 0 and f not in self.long]
        entries = [(None, 0)] + [(h, part) for h in crossers for part in self.parts(h)[0]]
        for mask in self.cost:
            starts = [f for f in self.fields if mask & self.bit[f]]
            used = sum(self.bits[f] for f in starts)
            for h, inside in entries:
                enters = self.bit[h] if h is not None else 0
                if mask & enters or mask | enters == 0 or mask | enters not in self.cost:
                    continue
                cost = self.cost[mask | enters]
                if used + inside <= self.line:
                    if self.worth(mask | enters, enters):
                        found.append((cost, starts, h, inside, None, 0))
                    continue
                for g in starts:
                    room = self.line - inside - (used - self.bits[g])
                    part = min(room, self.overhang(g)) // self.grain[g] * self.grain[g]
                    if g not in self.long and part > 0 and self.worth(mask | enters, enters | self.bit[g]):
                        found.append((cost, starts, h, inside, g, part))
                if len(found) > MOST_COLUMNS:
                    return None
        return found


def write_model(columns, path, scale):
    """The model in CPLEX's LP format. x: columns; extra: lines beyond the minimum."""
    instance, model = columns.instance, columns.model
    fields = instance["record"]["fields"]
    # Lines that are within a long field from end to end.
    covered = sum(max(0, fields[f]["size_bits"] // columns.line - 1) for f in columns.long)
    rows = {f: [] for f in columns.fields}
    flow, parts = {}, {}
    for number, (_, starts, h, inside, g, part) in enumerate(columns.all):
        for f in starts:
            rows[f].append(f"x{number}")
        if h is not None:  # `inside` stands for up to a step more, less a grain
            most = min(columns.overhang(h), inside + columns.parts(h)[1] - columns.grain[h])
            flow.setdefault(h, []).append(f"- x{number}")
            parts.setdefault(h, []).append(f"+ {most} x{number}")
        if g is not None:
            flow.setdefault(g, []).append(f"+ x{number}")
            parts.setdefault(g, []).append(f"- {columns.bits[g] - part} x{number}")
    with open(path, "w") as out:
        def terms(items):
            out.writelines(f" {item}\n" for item in items)
        out.write("Minimize\n obj:\n")
        terms(f"+ {column[0] / scale:.15g} x{number}" for number, column in enumerate(columns.all))
        terms([f"+ {columns.pad / scale:.15g} extra"] if columns.pad else [])
        out.write("Subject To\n")
        for f in columns.fields:
            out.write(f" start{f}:\n")
            terms("+ " + name for name in rows[f])
            out.write(" = 1\n")
        for f in flow:
            out.write(f" flow{f}:\n")
            terms(flow[f])
            out.write(" = 0\n")
            out.write(f" parts{f}:\n")
            terms(parts[f])
            out.write(" >= 0\n")
        out.write(" lines:\n")
        terms(f"- x{number}" for number in range(len(columns.all)))
        out.write(f" + extra >= {covered - model.least_lines}\n")
        out.write("Binaries\n")
        terms(f"x{number}" for number in range(len(columns.all)))
        out.write("End\n")


def partition_bound(instance, cbc="cbc", seconds=10):
    """(optimum of the model, number of columns), or None: instances do not start
    on a line, too many columns, or CBC did not finish."""
    if instance["instance_align_bytes"] < instance["line_bytes"] or instance["record"].get("union"):
        return None
    columns = Columns(instance)
    if columns.all is None:
        return None
    if not columns.fields:
        return 0.0, 0
    scale = max(cost for cost, *_ in columns.all) or 1.0
    with tempfile.TemporaryDirectory() as scratch:
        problem, solution = os.path.join(scratch, "p.lp"), os.path.join(scratch, "s.txt")
        write_model(columns, problem, scale)
        done = subprocess.run([cbc, problem, "ratioGap", "0", "allowableGap", "0", "sec", str(seconds), "solve",
                               "solution", solution], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            with open(solution) as file:
                head, *rest = file.read().splitlines()
        except OSError:
            raise RuntimeError("cbc wrote no solution:\n" + done.stdout[-2000:])
    if not head.startswith("Optimal"):
        return None
    # What the chosen columns cost, in our own arithmetic.
    chosen, extra = [], 0
    for line in rest:
        match = re.match(r"[ *]*\d+\s+(x\d+|extra)\s+([0-9.e+-]+)", line)
        if match and match[1] == "extra":
            extra = round(float(match[2]))
        elif match and float(match[2]) > 0.5:
            chosen.append(columns.all[int(match[1][1:])])
    if sorted(f for column in chosen for f in column[1]) != sorted(columns.fields):
        raise RuntimeError("cbc's solution is no partition")
    return sum(column[0] for column in chosen) + extra * columns.pad, len(columns.all)
