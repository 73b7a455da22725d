#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes files that no reader should fall for into the working directory:
sparse ones of 10 GB behind a good beginning, deep JSON, random bytes."""

import random
import struct

TEN_GB = 10 << 30
for name, head in (("sparse.kstraw", open("run.kstraw", "rb").read()), ("sparse.ksttrace", open("run.ksttrace", "rb").read()),
                   ("sparse.kstp", b"KSTPROFL" + struct.pack("<II", 1, 12)), ("sparse.kstt", b"KSTTRACE" + struct.pack("<II", 1, 0))):
    with open(name, "wb") as file:
        file.write(head)
        file.truncate(TEN_GB)
with open("promise.kstraw", "wb") as file:
    file.write(b"KSTCOUNT" + struct.pack("<IIQII", 1, 0, 7, 0xffffffff, 0))
with open("deep.json", "w") as file:
    file.write("[" * 100000 + "]" * 100000)
open("empty", "w").close()
with open("random", "wb") as file:
    file.write(random.Random(1).randbytes(1 << 16))
