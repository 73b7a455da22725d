#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks a JSON file against a JSON Schema: validate.py SCHEMA FILE."""

import json
import sys

import jsonschema


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as schema_file, open(sys.argv[2]) as file:
        schema, document = json.load(schema_file), json.load(file)
    validator_class = jsonschema.validators.validator_for(schema)
    validator_class.check_schema(schema)
    errors = sorted(validator_class(schema).iter_errors(document), key=str)
    for error in errors[:20]:
        print(f"{sys.argv[2]}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}", file=sys.stderr)
    sys.exit(1 if errors else 0)


main()
