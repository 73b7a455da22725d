#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Pins what a report says: pins.py SOURCE REPORT GOLDEN. Prints the difference
from GOLDEN; with KST_UPDATE_GOLDENS in the environment, writes GOLDEN instead.
Where SOURCE is another version of the kernel than GOLDEN is of (Debian updates
its package), the verdict must be the same and 15 of the 20 fields.

Pinned: the verdict, the cost of both orders, the fields of the five hottest
lines, the lines of the twenty hottest fields, the ten strongest sets."""

import difflib
import json
import os
import re
import sys


def pinned(report):
    now, new = report["layouts"]["current"], report["layouts"].get("proposed") or report["layouts"]["current"]
    line = {order: {field: line["index"] for line in reversed(layout["lines"]) for field in line["fields"]}
            for order, layout in (("now", now), ("new", new))}
    hottest = sorted(report["fields"], key=lambda field: -field["hotness"])[:20]
    yield f"verdict {report['verdict']}, cost {now['cost']['total']:.3g} -> {new['cost']['total']:.3g}, bound {new['lower_bound']:.3g}"
    for group in sorted(new["lines"], key=lambda group: -group["share"])[:5]:
        yield f"line {group['index']} with {100 * group['share']:.1f} %: {' '.join(group['fields'])}"
    for field in hottest:
        name = field["name"]
        yield f"field {name}: {100 * field['hotness']:.1f} %, line {line['now'].get(name)} -> {line['new'].get(name)}"
    for found in report["sets"][:10]:
        touched = " ".join(f"{touch['name']}:{touch['probability']:.2f}" for touch in found["fields"])
        yield f"set {found['function']} {found['kind']} {found['instance']} {100 * found['share']:.1f} %: {touched}"


def version(source):
    with open(os.path.join(source, "Makefile")) as file:
        return ".".join(re.findall(r"^(?:VERSION|PATCHLEVEL|SUBLEVEL) = (\d+)", file.read(), re.M))


def much_alike(wanted, found):
    fields = [set(re.findall(r"^field (\S+):", text, re.M)) for text in (wanted, found)]
    verdicts = [re.findall(r"^verdict (\w+)", text, re.M) for text in (wanted, found)]
    return verdicts[0] == verdicts[1] and len(fields[0] & fields[1]) >= 15


def main():
    source, report, golden = sys.argv[1:]
    with open(report) as file:
        text = f"Linux {version(source)}\n" + "".join(line + "\n" for line in pinned(json.load(file)))
    if os.environ.get("KST_UPDATE_GOLDENS"):
        with open(golden, "w") as file:
            file.write(text)
        return 0
    with open(golden) as file:
        wanted = file.read()
    sys.stdout.writelines(difflib.unified_diff(wanted.splitlines(True), text.splitlines(True), "pinned", "found", n=1))
    if wanted.partition("\n")[0] != text.partition("\n")[0]:
        return not much_alike(wanted, text)
    return wanted != text


if __name__ == "__main__":
    sys.exit(main())
