# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel's .config: the small one or the user's, what the counters and `boot`
need on top of it, and what became of that."""

import json
import os
import pathlib

from . import needs, source, state

ADDRESS_MODES = ("off", "static", "on")


def by_content(path):
    """A copy of a file whose path tells its contents, for make and ccache: they
    look at command lines. "" stays ""."""
    if not path:
        return ""
    path = pathlib.Path(path)
    if not os.access(path, os.R_OK):
        raise state.Failed(f"cannot read {path}")
    copy = state.cache() / "kst-inputs" / state.digest(path)[:16] / path.name
    state.write_if_changed(copy, path.read_bytes())
    return str(copy)


def names_file(structs):
    """The file behind file://, or None."""
    return structs[len("file://"):] if structs.startswith("file://") else None


def counting(settings):
    """Lines of .config that say what is counted."""
    if settings["plain"]:
        return ["# CONFIG_KST is not set"]
    lines = ["CONFIG_KST=y", f'CONFIG_KST_PLUGIN="{by_content(settings["plugin"])}"',
             f'CONFIG_KST_DIRS="{settings.get("dirs", "")}"']
    if names_file(settings["structs"]):
        lines.append(f'CONFIG_KST_STRUCTS="file://{by_content(names_file(settings["structs"]))}"')
    else:
        lines.append(f'CONFIG_KST_STRUCTS="{settings["structs"]}"')
    chosen = {"CONFIG_KST_TRACE": settings["trace"]}
    for mode in ADDRESS_MODES:
        # True: written by an earlier version.
        chosen[f"CONFIG_KST_ADDRESS_{mode.upper()}"] = mode == ("on" if settings["address"] is True else settings["address"])
    return lines + [f"{symbol}=y" if value else f"# {symbol} is not set" for symbol, value in chosen.items()]


def file_of(settings):
    """For messages."""
    return settings["config"] or "the small configuration"


def given_text(settings):
    """The user's configuration, or None."""
    try:
        return pathlib.Path(settings["config"]).read_text() if settings["config"] else None
    except (OSError, UnicodeDecodeError) as error:
        raise state.Failed(f"cannot read the configuration {settings['config']}: {error}") from None


def refuse(settings):
    """What can be seen before anything is made."""
    given = given_text(settings)
    if given is None:
        return
    have, file = needs.values(given), settings["config"]
    if not have:
        raise state.Unsuitable(f"{file} is no configuration: it has no line CONFIG_NAME=VALUE")
    if needs.foreign(have):
        raise state.Unsuitable(f"{file} is a configuration for another processor (CONFIG_{needs.foreign(have)}); "
                               "counters are for x86-64")


def fragments(settings):
    """Lines that are asked for on top: the small configuration's, if it is that, and those of --add."""
    files = [] if settings["config"] else [source.HERE / "linux.config", source.HERE / f"linux-{settings['version']}.config"]
    return "".join(pathlib.Path(file).read_text() for file in [*files, *settings.get("fragments", ())]).splitlines()


def merged(*texts):
    """One line for each option, the last that names it."""
    lines = {}
    for line in (line for text in texts for line in text):
        symbol = line.removeprefix("# ").split("=")[0].split(" ")[0]
        if symbol.startswith("CONFIG_"):
            lines.pop(symbol, None)
            lines[symbol] = line
    return list(lines.values())


def added(settings, have, folders):
    """Lines that the configuration lacks; each is reported."""
    lines = []
    for wanted, who in ((needs.COUNT, "counting"), ({} if settings.get("as_is") else needs.BOOT, "boot")):
        names = needs.missing(have, wanted)
        lines += [f"CONFIG_{name}=y" for name in names]
        if names:
            state.say(f"added to {file_of(settings)}, because {who} needs them:" + "".join(
                f"\n  CONFIG_{name}=y (was {have.get(name, 'not there')}): {wanted[name]}" for name in names))
    for name, value in needs.absent_keys(have, folders).items():
        lines.append(f'CONFIG_{name}=""')
        state.say(f'CONFIG_{name}="" in place of {value}, which this source does not have')
    return lines


def check_countable(settings, have, wanted):
    """Whether what the counters need is there. have: of a .config; wanted: what of that is to be checked."""
    lacking = [] if settings["plain"] else needs.missing(have, wanted)
    if lacking:
        raise state.Unsuitable(f"{file_of(settings)} cannot be counted. It lacks" + needs.listed(lacking, wanted))


def check_taken(settings, have, asked):
    """Whether the kernel has what it must have. have: of the final .config; asked: lines that were asked for."""
    check_countable(settings, have, needs.REFUSED | needs.COUNT)
    unbootable = needs.missing(have, needs.BOOT)
    if unbootable and not settings.get("as_is"):
        raise state.Unsuitable(f"{file_of(settings)} cannot be booted here. These were added, but what they depend on is off:"
                               f"{needs.listed(unbootable, needs.BOOT)}\nTurn that on; or --as-is, for a machine of your own")
    lost = [line for line in asked if line.startswith("CONFIG_") and line not in needs.lines(have)]
    if lost:
        raise state.Unsuitable("the kernel did not take these options; what they depend on is off:\n" + "\n".join(lost))
    if unbootable:
        state.say("as it is, boot cannot run this kernel. It lacks" + needs.listed(unbootable, needs.BOOT))
    program = needs.absent_program(have)
    if program:
        raise state.Unsuitable("CONFIG_%s=y: the build ends with the program %s, which is not there: apt-get install %s" % program)


def report_dropped(settings, name, given, have, ours):
    """What is on in the user's configuration and off in the kernel goes to a file. ours: lines that replace the user's."""
    mine = needs.values("\n".join(ours))
    dropped = [f"CONFIG_{option}={value}\n" for option, value in needs.values(given).items()
               if option not in mine and value in ("y", "m") and have.get(option, "n") == "n"]
    note = state.kernel_dir(name) / "not-taken"
    state.write_if_changed(note, "".join(dropped).encode())
    if dropped:
        state.say(f"options that are on in {settings['config']} and off here, as version or compiler "
                  f"are others: {len(dropped)}, in {note}")


def write(settings, name, folders, make):
    """Makes .config, if it is not there for the same settings. folders: the source
    and the build directory; make(label, target): runs the kernel's make.
    Unsuitable: the configuration has to be changed."""
    config = folders[1] / ".config"
    given, asked, wanted = given_text(settings), fragments(settings), counting(settings)
    key = json.dumps([given, asked, wanted, bool(settings.get("as_is"))])
    stamp = folders[1] / ".kst-key"
    if stamp.is_file() and stamp.read_text() == key:
        return

    def configured(lines):
        config.write_text("\n".join(lines) + "\n")
        make(f"configuring {name}", "olddefconfig")
        return needs.values(config.read_text())

    if given is None:
        make("starting from allnoconfig", "allnoconfig")
    lines = merged((given or config.read_text()).splitlines(), asked, wanted)
    have = configured(lines)
    check_countable(settings, have, needs.REFUSED)
    extra = added(settings, have, folders)
    if extra:
        lines = merged(lines, extra)
        have = configured(lines)
    # What a later line takes back is not lost.
    check_taken(settings, have, [line for line in asked + extra + wanted if line in lines])
    if given:
        report_dropped(settings, name, given, have, asked + extra + wanted)
    stamp.write_text(key)
