#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/design/vocabulary.md out of hybrid/vocabulary/Names.def: vocabulary.py ROOT
says whether the file is current, vocabulary.py ROOT --write writes it."""

import re
import sys
from pathlib import Path

HEAD = """# Names that the tool knows

`*` stands for any text, `?` for a blank. In parentheses is where a name is declared. `test/lit/tools/vocabulary.py ROOT --write` writes this page from
`hybrid/vocabulary/Names.def`."""

TEXT = r'((?:"[^"]*"\s*)+)'
ENTRY = re.compile(
    r"^// (?P<title>[A-Z][^(\n]*\n(?:// [^\n]*\n)*)\nKIND"  # a comment that stands alone is a heading
    rf"|^KIND\((?P<kind>\w+),\s*(?P<meaning>{TEXT})\)"
    rf"|^(?P<form>NAMES|WORDS)\((?P<of>\w+),\s*(?P<source>{TEXT}),\s*(?P<names>{TEXT})\)"
    rf"|^USES\((?P<used>\w+),\s*(?P<arg>\w+),\s*(?P<other>\w+),\s*(?P<from>{TEXT}),\s*(?P<users>{TEXT})\)", re.M)


def joined(text):
    return "".join(re.findall(r'"([^"]*)"', text))


def document(table):
    table = table[table.index("// Types"):]
    parts, rows_of, place = [HEAD], {}, 0

    def add(kind, before, names, source):
        rows_of[kind].append(f"- {before}{' '.join(f'`{name}`' for name in joined(names).split())} ({joined(source)})")

    while found := ENTRY.search(table, place):
        place = found.end()
        row = found.groupdict()
        if row["title"]:
            place -= len("KIND")
            title, _, note = " ".join(row["title"].replace("\n// ", " ").split()).partition(". ")
            parts += ["", f"## {title.rstrip('.')}"] + (["", note] if note else [])
        elif row["kind"]:
            rows_of[row["kind"]] = rows = ["", f"**{row['kind']}**: {joined(row['meaning'])}.", ""]
            parts.append(rows)
        elif row["form"]:
            add(row["of"], "words: " if row["form"] == "WORDS" else "", row["names"], row["source"])
        else:
            where = {"Result": "its result", "Member": "what it points to"}.get(row["arg"], f"argument {row['arg']}")
            other = f", Other {row['other']}" if row["used"] in ("Dying", "Attaches", "Moves") else ""
            add(row["used"], f"{where}{other}: ", row["users"], row["from"])
    for part in parts:
        if isinstance(part, list) and len(part) == 4:  # one row: on the line of its kind
            part[1:] = [part[1] + " " + part[3].removeprefix("- ")]
    return "\n".join("\n".join(part) if isinstance(part, list) else part for part in parts) + "\n"


def main():
    root = Path(sys.argv[1])
    page = root / "docs/design/vocabulary.md"
    text = document((root / "hybrid/vocabulary/Names.def").read_text())
    if "--write" in sys.argv:
        page.write_text(text)
    elif page.read_text() != text:
        print("docs/design/vocabulary.md is not what hybrid/vocabulary/Names.def says: run test/lit/tools/vocabulary.py ROOT --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
