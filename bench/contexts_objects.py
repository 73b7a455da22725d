#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Owners of single slab objects, against the memory of the guest.

    bench/contexts_objects.py --kernel OBJ --out DIR [--only NAME]...

Boots a built kernel once for each workload, as bench/contexts.py does, and ends the machine while the workload holds files and sockets. The
emulator keeps the guest's memory in a file, so that it is there as it was when the trace ended. contexts/holders.py walks through it from the
lists of superblocks and tasks down to what each file and socket holds; it shares no code and no rule with the tool. `contexts report --objects`
says whose the same objects are.

type         by type of object, over all workloads: objects that live at the end and were allocated in the trace, of which the walk knows the
             owner, or that they have none. Of these: said: by the best rule that says something; precision: of what is said, what is right;
             recall: of what has an owner, what is found. The same for each rule by itself. shuffled: the precision when owners are dealt out
             at random among the objects of the type of a workload: it must be lower, unless one file owns them all. not judged: objects that
             no holder leads to
held         that the guest's program says which files and sockets it holds, and all of these are in its memory

workload     the same sums for each workload

Exit status 1 if a file or socket is missing, or shuffled owners are as good."""

import bisect
import collections
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "contexts")]
import kst_bench as kb  # noqa: E402
from guest_memory import GuestMemory, Layouts  # noqa: E402
from holders import ASKED, Holders  # noqa: E402
from workloads import HELD, arguments, recorded  # noqa: E402
from kst_kernel import state  # noqa: E402

RULES = ("pointers", "descriptor", "last-file")
FEWEST = 10  # objects of a type with a row of its own


class Listing:
    """What `contexts report --objects` says: objects by address."""

    def __init__(self, path):
        self.rows, self.bytes = {}, {}
        with open(path) as file:
            for line in file:
                if line.startswith("#"):
                    continue
                address, number, kind, size, rule, *said = line.split()
                self.bytes[int(address, 16)] = int(size)
                self.rows[int(address, 16)] = (int(number), kind, rule, dict(zip(RULES, said)))
        self.order = sorted(self.rows)

    def around(self, address):
        """The object that an address is in, or None."""
        at = bisect.bisect_right(self.order, address) - 1
        start = self.order[at] if at >= 0 else 0
        return start if start <= address < start + self.bytes.get(start, 0) else None

    def is_right(self, said, owners):
        """Whether one of the owners lies in the object that is said to have the anchor."""
        if said.startswith("gone:"):
            return False
        anchor = int(said.rpartition("@")[2], 16)
        return any(anchor <= owner < anchor + self.bytes.get(anchor, 1) for owner in owners)


class Score:
    def __init__(self):
        self.judged = self.owned = self.unjudged = 0
        self.said, self.right = collections.Counter(), collections.Counter()

    def add(self, other):
        for name in ("judged", "owned", "unjudged", "said", "right"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def share(self, rule, of=None):
        """Precision, or recall of what `of` counts."""
        whole = self.said[rule] if of is None else of
        return f"{self.right[rule] / whole:.3f}" if whole else "-"

    def row(self):
        return [f"{self.judged:,}", f"{self.owned:,}", f"{self.said['best']:,}", self.share("best"), self.share("best", self.owned),
                *(text for rule in RULES for text in (self.share(rule), self.share(rule, self.owned))), self.share("shuffled"), f"{self.unjudged:,}"]


COLUMNS = ("judged", "with owner", "said", "precision", "recall", "pointers: p.", "r.", "descriptor: p.", "r.", "last file: p.", "r.", "shuffled",
           "not judged")


def judge(listing, holders):
    """Score by type."""
    truth = collections.defaultdict(set)
    for address, owners in holders.owners.items():
        if (start := listing.around(address)) is not None:
            truth[start] |= owners
    kinds = {listing.rows[start][1] for start in truth}
    scores, said = collections.defaultdict(Score), collections.defaultdict(list)
    for start, (number, kind, rule, claims) in listing.rows.items():
        if not number or kind not in kinds:
            continue
        score, owners = scores[kind], truth.get(start, set())
        if not owners and not holders.is_free(start, kind):
            score.unjudged += 1
            continue
        score.judged += 1
        score.owned += bool(owners)
        best = claims[rule] if rule in claims else "-"
        for name, claim in (*claims.items(), ("best", best)):
            if claim != "-":
                score.said[name] += 1
                score.right[name] += listing.is_right(claim, owners)
        if best != "-":
            said[kind].append((best, owners))
    for kind, pairs in said.items():
        dealt = [best for best, _ in pairs]
        random.Random(1).shuffle(dealt)
        scores[kind].said["shuffled"] += len(pairs)
        scores[kind].right["shuffled"] += sum(listing.is_right(best, owners) for best, (_, owners) in zip(dealt, pairs))
    return scores


def told(console, holders):
    """What the guest's program said and the memory does not have."""
    with open(console, errors="replace") as file:
        text = file.read()
    files = [tuple(map(int, of)) for of in re.findall(r"^file (\d+):(\d+) (\d+)", text, re.M)]
    sockets = [int(of) for of in re.findall(r"^socket (\d+)", text, re.M)]
    missing = [f"file {of}" for of in files if of not in holders.files] + [f"socket {of}" for of in sockets if of not in holders.sockets]
    print(f"held: {len(files)} files and {len(sockets)} sockets said; {len(missing)} not in its memory")
    return missing


def main():
    args = arguments(__doc__, HELD)
    vmlinux = os.path.join(args.kernel, "vmlinux")
    layouts = Layouts(vmlinux, ASKED.split())
    kinds, works, wrong = collections.defaultdict(Score), {}, []
    for name in args.only or HELD:
        ram = os.path.join(args.out, name + ".ram")
        trace = recorded(args, name, HELD[name], False, accesses=False, scale=args.scale, ram=ram)
        if not trace:
            wrong.append(f"{name}: no recording")
            continue
        objects = trace[:-5] + ".objects"
        subprocess.run([args.tool, "contexts", "report", "--trace", trace, "--binary", vmlinux, "--quiet", "--objects", objects], check=True)
        listing, holders = Listing(objects), Holders(GuestMemory(ram, layouts))
        works[name] = Score()
        for kind, score in judge(listing, holders).items():
            kinds[kind].add(score)
            works[name].add(score)
        if name == "held":
            wrong += told(trace + ".console", holders)
    few = Score()
    for kind in [kind for kind in kinds if kinds[kind].judged < FEWEST]:
        few.add(kinds.pop(kind))
    rows = sorted(kinds.items(), key=lambda of: -of[1].judged) + [("others", few)]
    total = Score()
    for _, score in rows:
        total.add(score)
    kb.table(["type", *COLUMNS], [[name, *score.row()] for name, score in [*rows, ("all", total)]])
    print()
    kb.table(["workload", *COLUMNS], [[name, *score.row()] for name, score in works.items()])
    if total.said["best"] and total.right["shuffled"] > 0.5 * total.right["best"]:
        wrong.append("shuffled owners are right, too")
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except state.Failed as error:
        sys.exit(str(error))
