#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes files that no reader should fall for into the working directory:
sparse ones of 10 GB behind a good beginning, deep JSON, random bytes."""

import random
import struct

TEN_GB = 10 << 30
for name, head in (("sparse.kstraw", open("run.kstraw", "rb").read()), ("sparse.ksttrace", open("run.ksttrace", "rb").read()),
                   ("sparse.kstp", b"KSTPROFL" + struct.pack("<II", 1, 12)), ("sparse.kstt", b"KSTTRACE" + struct.pack("<II", 2, 0))):
    with open(name, "wb") as file:
        file.write(head)
        file.truncate(TEN_GB)
with open("promise.kstraw", "wb") as file:
    file.write(b"KSTCOUNT" + struct.pack("<IIQII", 2, 0, 7, 0xffffffff, 0))
# Cut between two records; as an older runtime wrote it; two behind one another;
# without a record of 40 bytes, the last one before the end.
for kind, end in (("kstraw", 16), ("ksttrace", 24)):
    with open(f"run.{kind}", "rb") as file:
        whole = file.read()
    for name, data in (("cut", whole[:-end]), ("older", whole[:8] + struct.pack("<I", 1) + whole[12:-end]),
                       ("twice", whole + whole), ("missing", whole[:-end - 40] + whole[-end:])):
        with open(f"{name}.{kind}", "wb") as file:
            file.write(data)
with open("deep.json", "w") as file:
    file.write("[" * 100000 + "]" * 100000)
open("empty", "w").close()
with open("random", "wb") as file:
    file.write(random.Random(1).randbytes(1 << 16))
