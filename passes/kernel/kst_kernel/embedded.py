# SPDX-License-Identifier: GPL-2.0-or-later
"""The types that are embedded in the chosen structs.

Code that sees only a pointer to one of them, as _raw_spin_lock() does, may
access an object of a chosen struct. Where the definition of that struct is
visible, the plugin knows; everywhere else it has to be told, or it would have
to look up the address of every access in the kernel.
"""

import hashlib
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

from . import state, tree

# Where definitions are looked for, in this order.
FOLDERS = ("include", "arch/x86/include", "kernel", "mm", "fs", "block", "net", "lib", "ipc", "security", "init", "io_uring",
           "arch/x86", "virt", "crypto", "drivers", "sound")
MOST_TRIED = 12


def definitions(tree, name):
    """Files that define the struct, first folders first."""
    pattern = rf"^struct[[:space:]]+{name}([[:space:]]*\{{|[[:space:]]*$|[[:space:]]+__)"
    for folder in FOLDERS:
        found = subprocess.run(["grep", "-rlE", "--include=*.[ch]", pattern, folder], cwd=tree, capture_output=True, text=True)
        yield from sorted(found.stdout.split())


def units(tree, path):
    """Texts that make a unit which sees the definitions of a file."""
    folder, name = os.path.split(path)
    if path.endswith(".c"):
        yield f'#include "{tree / path}"\n'
    elif path.startswith(("include/", "arch/x86/include/")):
        header = path.split("include/", 1)[1].removeprefix("uapi/")
        yield f"#include <linux/sched.h>\n#include <{header}>\n"
        # It may need others first, which a file that includes it has.
        users = subprocess.run(["grep", "-rl", "--include=*.c", f"#include <{header}>", *FOLDERS[2:9]], cwd=tree,
                               capture_output=True, text=True)
        yield from (f'#include "{tree / file}"\n' for file in sorted(users.stdout.split())[:4])
    else:
        # Not every header can be read by itself; a file that includes it can.
        for file in sorted((tree / folder).glob("*.c"))[:200]:
            if re.search(rf'^#\s*include\s+"(\.\./)*{re.escape(name)}"', file.read_text(errors="replace"), re.M):
                yield f'#include "{file}"\n'


def compiler(obj):
    """How files of the kernel are compiled, without the plugin: as `make
    prepare` noted it for the file that gives offsets to assembly."""
    line = (obj / "arch/x86/kernel/.asm-offsets.s.cmd").read_text().splitlines()[0]
    words = shlex.split(line.partition(" := ")[2].replace("$(pound)", "#").replace("$$", "$"))
    kept, skip = [], False
    for word, after in zip(words, words[1:] + [""]):
        if skip:
            skip = False
        elif word == "-o" or (word == "-mllvm" and after.startswith("-kst-")):
            skip = True
        elif word not in ("-S", "ccache") and not word.startswith(("-fplugin", "-fpass-plugin", "-Wp,-M", "-D__KST")):
            kept.append(word)
    return kept[:-1]


def layouts(text):
    """{type: types inside} of clang's -fdump-record-layouts-complete, which
    prints members of members, too, but not those of arrays.

    >>> text = [" 0 | struct a", " 0 |   struct b first", " 0 |     atomic_t count", " 0 |       int counter",
    ...         " 8 |   struct c[4] many", "40 |   struct d * link", "48 |   union a::(anonymous at a.h:1:2) ",
    ...         "48 |     struct e inner", "48 |       char x", "56 |     unsigned long[2] y", "   | [sizeof=72, align=8]",
    ...         " 0 | struct c", " 0 |   struct f f", "0:0-2 |     unsigned int bits", "   | [sizeof=8, align=8]"]
    >>> sorted(nested(layouts("\\n".join(text)), "a"))
    ['atomic_t', 'b', 'c', 'e', 'f']
    """
    found, current, last = {}, None, None
    for line in text.splitlines():
        match = re.match(r"\s*[0-9:-]* \| ( *)(.*)", line)
        if not match:
            continue
        depth, words = len(match.group(1)) // 2, match.group(2).strip().replace("(unnamed at ", "(anonymous at ")
        if words.startswith("["):
            current = None
        elif depth == 0:
            current = found.setdefault(words, set())
        elif current is not None:
            if last and depth > last[0]:
                current.add(last[1])
            # "struct list_head[4] lists", "union a::(anonymous at x.h:1:2)",
            # "atomic_t count" with the members of atomic_t behind it.
            kind, bracket, _ = (words if words.endswith(")") else words.rpartition(" ")[0]).partition("[")
            if bracket and not kind.endswith("*"):
                current.add(kind)
        last = (depth, kind) if depth and current is not None else None
    return found


def nested(all_layouts, name):
    """Names of the types inside of a struct, at any depth; the compiler's
    names, so those of types without a tag are the typedef's."""
    seen, rest = set(), [f"struct {name}"]
    while rest:
        kind = rest.pop()
        if kind not in seen:
            seen.add(kind)
            rest += all_layouts.get(kind, ())
    names = {kind.removeprefix("struct ").removeprefix("union ") for kind in seen}
    return {kind for kind in names if re.fullmatch(r"\w+", kind)} - {name}


def of_struct(tree, obj, name):
    command = [*compiler(obj), "-w", "-fsyntax-only", "-Xclang", "-fdump-record-layouts-complete"]
    tried = 0
    with tempfile.TemporaryDirectory() as folder:
        probe = pathlib.Path(folder) / "probe.c"
        for path in definitions(tree, name):
            for text in units(tree, path):
                tried += 1
                if tried > MOST_TRIED:
                    return None
                probe.write_text(text)
                where = ["-I", str(tree / os.path.dirname(path)), str(probe)]
                done = subprocess.run(command + where, cwd=obj, stdin=subprocess.DEVNULL, capture_output=True, text=True)
                found = layouts(done.stdout)
                if f"struct {name}" in found:
                    return nested(found, name)
    return None


def chosen(structs):
    """The names behind --structs; None: all."""
    if structs == "all":
        return None
    if not structs.startswith("file://"):
        return [name.strip() for name in structs.split(",") if name.strip()]
    lines = pathlib.Path(structs[len("file://"):]).read_text().splitlines()
    words = [line.split("#")[0].split() for line in lines]
    return [line[-1] for line in words if line and line[0] != "embedded"]


def write(settings, name, obj):
    """A file for the plugin with the types embedded in the chosen structs,
    named by its contents; noted beside the configuration. After `make
    prepare`."""
    note = state.kernel_dir(name) / "embedded"
    # Elsewhere than where a struct is defined only a look-up can tell.
    looked_up = settings["plugin"] and settings["address"] in (True, "on")
    names = chosen(settings["structs"]) if looked_up else None
    if not names:
        note.unlink(missing_ok=True)
        return
    folder, types = tree.source_dir(settings, name), set()
    for struct in names:
        found = of_struct(folder, obj, struct)
        if found is None:
            state.say(f"no definition of struct {struct} found: accesses through pointers to its members are seen only where it is known")
        types |= found or set()
    # A chosen struct inside of another is both.
    text = "".join(f"embedded {kind}\n" for kind in sorted(types))
    path = state.cache() / "kst-embedded" / hashlib.sha256(text.encode()).hexdigest()[:16]
    path.parent.mkdir(parents=True, exist_ok=True)
    state.write_if_changed(path, text.encode())
    state.write_if_changed(note, f"{path}\n".encode())


def words(name):
    """Options of the plugin for what write() found."""
    note = state.kernel_dir(name) / "embedded"
    return [f"options=structs=file://{note.read_text().strip()}"] if note.is_file() else []
