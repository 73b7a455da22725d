#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every *.json in a folder is valid against the schema, and spoilt copies are not.

usage: check_schema.py SCHEMA FOLDER
"""

import copy
import json
import pathlib
import sys

import jsonschema


def places(value, path=()):
    """Every object in value, with its path."""
    if isinstance(value, dict):
        yield path, value
        for key, item in value.items():
            yield from places(item, path + (key,))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, path + (index,))


def spoilt(report):
    """Copies of report with one fault each: an unknown member somewhere, a
    missing one, a value out of range."""
    free = {"dropped", "flags_dropped"}  # names are data there
    optional = {"bits"}
    for path, obj in places(report):
        if path and path[-1] in free:
            continue
        for key in list(obj) + [None]:
            if key in optional:
                continue
            copied = copy.deepcopy(report)
            target = copied
            for step in path:
                target = target[step]
            if key is None:
                target["surprise"] = 1
            else:
                del target[key]
            yield f"{path} {'+surprise' if key is None else '-' + key}", copied
    for path, value in [(("verdict",), "maybe"), (("fields", 0, "hotness"), 1.5),
                        (("schema",), "kst-report/2"), (("size",), "12"),
                        (("target", "cache_line"), 0), (("defined_at",), "file")]:
        copied = copy.deepcopy(report)
        target = copied
        for step in path[:-1]:
            target = target[step]
        target[path[-1]] = value
        yield f"{path} = {value!r}", copied


def main(schema_file, folder):
    schema = json.loads(pathlib.Path(schema_file).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    files = sorted(pathlib.Path(folder).glob("*.json"))
    faults = [] if files else [f"no *.json in {folder}"]
    tried = 0
    for file in files:
        report = json.loads(file.read_text())
        for error in validator.iter_errors(report):
            faults.append(f"{file.name}: {list(error.absolute_path)}: {error.message}")
        if file.name == "odd.json":
            for what, bad in spoilt(report):
                tried += 1
                if validator.is_valid(bad):
                    faults.append(f"{file.name}: accepted although {what}")
    if not tried:
        faults.append("no spoilt copies were tried")
    print("\n".join(faults) or f"{len(files)} files valid, {tried} spoilt copies rejected")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
