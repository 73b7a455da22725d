# SPDX-License-Identifier: GPL-2.0-or-later
"""configurations.py FILE: what is said of configurations that lack something.
A stand-in for the kernel's olddefconfig takes lines as they are, but for those
of DEPENDS. FILE is the user's; at the end a complete one."""

import os
import pathlib
import sys

from kst_kernel import configuration, needs, state

MINE = pathlib.Path(sys.argv[1])
# Off without what they depend on; GONE and AS_IS_GNU: always.
DEPENDS = {"VIRTIO_PCI": "PCI_HOST", "KST": "SMP", "GONE": "GONE", "AS_IS_GNU": "GONE"}
WHOLE = [f"CONFIG_{name}=y" for name in {**needs.REFUSED, **needs.COUNT, **needs.BOOT, "PCI_HOST": ""}]
calls = []


def say(text):
    print(text.replace(str(MINE), "mine").replace(str(state.kernel_dir("x")) + "/", ""), flush=True)


def prepared(label, text, **more):
    MINE.write_text(text)
    settings = {"version": "6.12", "config": str(MINE), "structs": "rq", "plugin": "", "trace": False, "address": "on",
                "plain": False, **more}
    obj = state.kernel_dir("x") / "obj"
    obj.mkdir(parents=True, exist_ok=True)

    def make(_, target):
        calls.append(target)
        have = needs.values((obj / ".config").read_text())
        off = [name for name, on in DEPENDS.items() if name == on or have.get(on) != "y"]
        (obj / ".config").write_text("".join(f"CONFIG_{name}={value}\n" for name, value in have.items() if name not in off))

    try:
        configuration.write(settings, "x", (obj, obj), make)
        say(f"{label}: taken" + (f", {len(calls)} calls" if label == "again" else ""))
    except state.Failed as error:
        say(f"{label}: exit code {error.code}: {error}")


def changed(**values):
    """The complete configuration with other values; None: without that line."""
    lines = dict(line.split("=", 1) for line in WHOLE) | {f"CONFIG_{name}": value for name, value in values.items()}
    return "".join(f"# {name} is not set\n" if value == "n" else f"{name}={value}\n" for name, value in lines.items() if value)


state.say = say
prepared("whole", changed(AS_IS_GNU="y"))
say("whole: " + (state.kernel_dir("x") / "not-taken").read_text().strip())
calls.clear()
prepared("again", changed(AS_IS_GNU="y"))
lacking = changed(DEBUG_FS="n", VIRTIO_CONSOLE="m", TMPFS=None)
prepared("lacks", lacking)
prepared("as-is", lacking, as_is=True)
prepared("no pci", changed(PCI_HOST="n"))
prepared("one cpu", changed(SMP="n"))
prepared("one cpu, plain", changed(SMP="n"), plain=True)
fragment = MINE.with_name("fragment")
fragment.write_text("CONFIG_GONE=y\n")
prepared("fragment", changed(), fragments=[str(fragment)])
prepared("keys", changed(SYSTEM_TRUSTED_KEYS='"debian/certs/x.pem"'))
os.environ["PATH"] = "/none"
prepared("program", changed(KERNEL_LZO="y"))
MINE.write_text(changed())
