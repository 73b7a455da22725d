#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Are orders that the tool calls legal harmless, and are those that it calls illegal not?

For the servers of bench/server_builds.py, and a list of their structs. The tool writes each struct as a layout problem
(`kst-dev instances`), which holds every rule; which orders are legal follows from docs/guide/formats.md by the code of
bench/verify_layout.py, none of the tool's.

  legal    --legal N builds, each with a random legal order of every struct at once
  illegal  builds with one struct in an order that breaks one kind of rule, and no other where that is possible: up to --each for each
           struct and kind, --illegal of them drawn by --seed

Each order becomes a patch (kst-dev rewrite --order), is built with AddressSanitizer, and goes through the server's tests.
Noticed: it does not compile, or a test that passed before fails or does not end. Prints a table by kind of rule; exit status 1 if a
legal order was noticed."""

import collections
import os
import random
import re
import subprocess
import sys

import kst_bench as kb
import patched_servers
import server_builds as servers
import verify_layout


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--server", action="append", choices=servers.SERVERS, help="only this one; may be repeated")
    p.add_argument("--legal", type=int, default=10, metavar="N", help="builds of legal orders for each server (default 10)")
    p.add_argument("--illegal", type=int, default=70, metavar="N", help="illegal orders for each server at most (default 70)")
    p.add_argument("--each", type=int, default=5, metavar="N", help="illegal orders for each struct and kind of rule (default 5)")
    p.add_argument("--timeout", type=int, default=240, metavar="SECONDS", help="for the tests of an illegal order; it is noticed if they do not end")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--out", type=os.path.abspath, default="patched-servers", metavar="DIR", help="as for bench/patched_servers.py")
    args = p.parse_args()
    args.quick = True
    return args


def instance_of(args, server, folder, struct):
    """The struct as a layout problem; None where the tool has none."""
    path = os.path.join(args.out, server.name, struct + ".jsonl")
    if os.path.exists(path):
        os.remove(path)
    subprocess.run([kb.dev_tool(args.tool), "instances", "--struct", struct, "-p", folder, "--quiet", "-o", path,
                    "--cache-dir", os.path.join(args.out, "facts"), *server.paths], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if not os.path.exists(path):
        return None
    found = verify_layout.read_instances(path)
    return found[0] if found else None


def mutate(dice, rules, moves, first=None):
    """Fields in a random order that `rules` allow: some units carried elsewhere, `first` before others."""
    units = list(range(len(rules.units)))
    for turn in range(60):
        if not moves:
            break
        unit = first if turn == 0 and first is not None else dice.choice(units)
        changed = [u for u in units if u != unit]
        changed.insert(dice.randrange(len(units)), unit)
        if changed != units and rules.broken([f for u in changed for f in rules.units[u]]) is None:
            units, moves = changed, moves - 1
    return [f for u in units for f in rules.units[u]]


def kind_of(rule):
    """What a rule says, without names."""
    return re.sub(r"'[^']*'|\b\w+\(\)", "X", rule.get("why", rule["kind"]))


def illegal_orders(dice, instance, count):
    """[(kind, order)]: for each kind of rule up to `count` orders that break one of the kind, and no other rule where that is possible."""
    kinds, orders = collections.defaultdict(list), []
    for rule in instance["rules"]:
        kinds[kind_of(rule)].append(rule)
    for kind, group in kinds.items():
        only = verify_layout.Rules({**instance, "rules": group})
        held = sorted({f for rule in group for f in rule["fields"]} & set(only.of) or set(only.of))
        others = [rule for rule in instance["rules"] if rule not in group]
        found = {}
        for rules in (others, []):
            loose = verify_layout.Rules({**instance, "rules": rules})
            for _ in range(20 * count):
                order = mutate(dice, loose, 4, loose.of[dice.choice(held)])
                if len(found) < count and only.broken(order) is not None:
                    found[tuple(order)] = order
        orders += [(kind, order) for order in found.values()]
    return orders


def patch_of(args, server, folder, instance, order, name):
    """The order as a patch; None if the definition cannot be written so."""
    text = os.path.join(args.out, server.name, name + ".order")
    fields = instance["record"]["fields"]
    with open(text, "w") as file:
        file.write("".join(fields[f]["name"] + "\n" for f in order if fields[f]["name"]))
    done = subprocess.run([kb.dev_tool(args.tool), "rewrite", "--struct", instance["record"]["name"], "--order", text, "-p", folder, *server.paths],
                          cwd=folder, capture_output=True, text=True)
    if done.returncode or not done.stdout:
        return None
    patch = os.path.join(args.out, server.name, name + ".patch")
    with open(patch, "w") as file:
        file.write(done.stdout)
    return patch


def main():
    args = arguments()
    dice = random.Random(args.seed)
    legal, noticed, table = 0, [], collections.defaultdict(lambda: [0, 0])
    for name in args.server or servers.SERVERS:
        server = servers.SERVERS[name]
        folder, passed = patched_servers.base(args, server)
        instances = {struct: instance_of(args, server, folder, struct) for struct in server.structs}
        instances = {struct: instance for struct, instance in instances.items() if instance}
        for number in range(args.legal):
            patches = []
            for struct, instance in instances.items():
                order = mutate(dice, verify_layout.Rules(instance), 25)
                if order != sorted(order):
                    patches.append(patch_of(args, server, folder, instance, order, f"legal-{number}-{struct}"))
            patches = [patch for patch in patches if patch]
            found = patched_servers.differences(args, server, patches, "mutant", passed)
            legal += len(patches)
            if found:
                noticed.append(f"{name}, legal {number}: {'; '.join(found[:3])}")
            print(f"# {name}: {len(patches)} legal orders: {'NOTICED: ' + found[0] if found else 'not noticed'}", file=sys.stderr, flush=True)
        every = [(struct, kind, order) for struct, instance in instances.items()
                 for kind, order in illegal_orders(dice, instance, args.each)]
        for struct, kind, order in dice.sample(every, min(args.illegal, len(every))):
            patch = patch_of(args, server, folder, instances[struct], order, "illegal")
            if not patch:
                continue
            found = patched_servers.differences(args, server, [patch], "mutant", passed, once=True, timeout=args.timeout)
            table[kind][0] += 1
            table[kind][1] += bool(found)
            print(f"# {name} {struct}: {kind}: {found[0] if found else 'not noticed'}", file=sys.stderr, flush=True)
    kb.table(["rule broken", "orders", "noticed"], [[kind, *counts] for kind, counts in sorted(table.items())])
    print(f"legal orders: {legal}, builds in which they were noticed: {len(noticed)}")
    for line in noticed:
        print("  " + line)
    return 1 if noticed else 0


if __name__ == "__main__":
    sys.exit(main())
