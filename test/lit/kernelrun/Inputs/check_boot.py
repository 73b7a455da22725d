# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether each run of each boot was counted: check_boot.py OBJ DIRECTORY..."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "..", "bench"))
import kernel_profile as kp  # noqa: E402


def main():
    tables = kp.units(os.path.join(sys.argv[1], "vmlinux"))
    for folder in sys.argv[2:]:
        name, runs = os.path.basename(folder), [file for file in os.listdir(folder) if file.endswith(".kstraw")]
        for file in runs:
            text, records = kp.raw_counters(os.path.join(folder, file))
            assert text["source"] == "kernel" and text["label"] + ".kstraw" == file, text
            assert any(sum(counts) for counts in records.values()), f"{file}: all zero"
            assert all((unit.hash, 0) in records for unit in tables if unit.counters), "a unit is missing"
        print(f"{name}: {len(runs)} runs, all counted")
        _, records = kp.raw_counters(os.path.join(folder, "yield.kstraw"))
        entered = sum(count for site, count in kp.counted_sites(tables, records)
                      if site.kind == kp.ENTRY and site.function == "do_sched_yield")
        print(f"{name}: yield entered sched_yield's code {entered} times")


if __name__ == "__main__":
    main()
