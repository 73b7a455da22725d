# SPDX-License-Identifier: GPL-2.0-or-later
"""estimated.py ESTIMATE.json PROFILE.json: the misses that `kst-dev estimate`
gives a guess are those of dprof, by type and class."""

import json
import sys

with open(sys.argv[1]) as file:
    guessed = {row["name"]: {name: sum(of.values()) for name, of in row["classes"].items()} for row in json.load(file)["types"]}
with open(sys.argv[2]) as file:
    types = json.load(file)["profile"]["types"]
exact = {row["name"]: {name: number for name, number in row["counts"]["misses"]["l2"].items() if number} for row in types}
exact = {name: of for name, of in exact.items() if of}
sys.exit(0 if exact and guessed == exact else f"{guessed}\nis not\n{exact}")
