# SPDX-License-Identifier: GPL-2.0-or-later
"""One run of a kernel in QEMU, and what it brought out.

Emulated (TCG), never KVM: the same everywhere, without privileges. The guest
has no network and no disk; what it measured comes out as a tar stream through
a virtio port.
"""

import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tarfile
import tempfile

from . import build, initramfs, needs, state

MACHINE = ["-machine", "pc", "-nodefaults", "-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot"]
# An emulator on a loaded host does not keep time: the boot-time test of the
# timer interrupt would fail now and then, and clocks be found unstable.
COMMAND_LINE = "console=ttyS0 panic=-1 oops=panic rdinit=/init no_timer_check tsc=reliable"
# What --run all runs: workloads, and their arguments if none are given.
DEFAULTS = {
    "stop": "4 5",
    "pipe": "20000",
    "fork": "2000",
    "futex": "20000",
    "nanosleep": "16 5",
    "tcp": "5000",
    "yield": "50000",
    "idle": "5",
    "spin": "5",
}


@dataclasses.dataclass
class Request:
    """What to boot and run. runs: "NAME", "NAME:ARGUMENTS" or "LABEL=COMMAND"."""
    name: str
    runs: list
    cpus: int = 2
    memory_mb: int = 512
    timeout_s: int = 600
    trace: bool = False
    append: str = ""
    icount: int | None = None
    files: dict = dataclasses.field(default_factory=dict)
    qemu: list = dataclasses.field(default_factory=list)


def workload_names():
    return sorted(path.stem for path in initramfs.WORKLOADS.glob("*.c") if path.stem != "measure")


def command_of(run):
    """(label, command in the guest) of one --run."""
    if "=" in run.split(":")[0].split(" ")[0]:
        label, command = run.split("=", 1)
        command = f"sh -c {shlex.quote(command)}"
    else:
        label, _, arguments = run.partition(":")
        if label not in workload_names():
            raise state.Failed(f"no workload '{label}'; there are {', '.join(workload_names())}; or LABEL=COMMAND")
        command = f"/work/{label} {arguments or DEFAULTS.get(label, '')}".strip()
    if not re.fullmatch(r"[A-Za-z0-9._-]+", label):
        raise state.Failed(f"a label is made of letters, digits, '.', '_' and '-', not '{label}'")
    return label, command


def script(request):
    """Sourced by the guest's init: each run between a reset and a read-out."""
    lines, labels = [], set()
    for run in request.runs:
        label, command = command_of(run)
        if label in labels:
            raise state.Failed(f"two runs have the label '{label}'")
        labels.add(label)
        trace = " trace" if request.trace else ""
        lines += [f"echo 'kst-run {label}: '{shlex.quote(command)}",
                  f"/work/measure {label} /out{trace} -- {command} >/out/{label}.out 2>&1",
                  f"echo $? >/out/{label}.exit", f"cat /out/{label}.out"]
    return "\n".join(lines) + "\n"


def qemu_command(request, initrd, port):
    program = shutil.which("qemu-system-x86_64")
    if not program:
        raise state.Failed("no qemu-system-x86_64: apt-get install qemu-system-x86")
    if request.icount is None:
        accel = ["-accel", "tcg,thread=multi"]
    else:
        accel = ["-accel", "tcg,thread=single", "-icount", f"shift={request.icount},sleep=off"]
    # Without ACPI a kernel finds CPUs in a table of the firmware's that has one for each socket.
    processors = str(request.cpus) if options(request.name).get("ACPI") == "y" else f"{request.cpus},sockets={request.cpus}"
    return [program, *MACHINE, *accel, "-cpu", "max", "-smp", processors, "-m", f"{request.memory_mb}M",
            "-kernel", str(build.image(request.name)), "-initrd", str(initrd), "-append",
            f"{COMMAND_LINE} {request.append}".strip(), "-device", "virtio-serial-pci", "-chardev",
            f"file,id=port,path={port}", "-device", "virtserialport,chardev=port,name=kst", *request.qemu]


def last_lines(console, count=15):
    lines = console.read_bytes().decode(errors="replace").replace("\r", "").splitlines() if console.is_file() else []
    return "\n".join(lines[-count:])


def emulate(request, command, console):
    with open(console, "wb") as out:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        try:
            code = child.wait(timeout=request.timeout_s)
        except subprocess.TimeoutExpired:
            raise state.Failed(f"the guest did not power off within {request.timeout_s} s (--timeout); the end of its "
                               f"console, {console}:\n{last_lines(console)}") from None
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
    if code:
        raise state.Failed(f"QEMU ended with code {code}; the end of {console}:\n{last_lines(console)}")


def collect(port, console, out):
    """Unpacks what the guest sent into out, complete or not at all."""
    new = out.with_name(f".{out.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    try:
        with tarfile.open(port) as tar:
            for member in tar:
                if member.isfile() and re.fullmatch(r"\./[A-Za-z0-9._-]+", member.name):
                    with open(new / member.name, "wb") as file:
                        shutil.copyfileobj(tar.extractfile(member), file)
    except tarfile.TarError as error:
        shutil.rmtree(new)
        raise state.Failed(f"the guest ended without its results ({error}); the end of {console}:\n"
                           f"{last_lines(console)}") from None
    if not (new / "done").is_file():
        shutil.rmtree(new)
        raise state.Failed(f"the guest's results are cut off; the end of {console}:\n{last_lines(console)}")
    shutil.copyfile(console, new / "console")
    shutil.rmtree(out, ignore_errors=True)
    new.rename(out)


def options(name):
    """What the kernel is configured with."""
    config = build.obj_dir(name) / ".config"
    return needs.values(config.read_text()) if config.is_file() else {}


def check_bootable(name):
    """Whether the kernel has what this module and the guest use."""
    lacking = needs.missing(options(name), needs.BOOT)
    if lacking:
        raise state.Unsuitable(f"kernel '{name}' cannot be booted here. Its configuration lacks{needs.listed(lacking, needs.BOOT)}\n"
                               f"kst-kernel prepare {name} without --as-is adds them")


def boot(request, out):
    """Boots, runs, and leaves the results in out: for each run LABEL.out,
    LABEL.exit and what measure.c leaves; dmesg and console. Failed if a run
    failed; its results are there all the same."""
    if not build.image(request.name).is_file():
        raise state.Failed(f"kernel '{request.name}' is not built: kst-kernel build {request.name}")
    if request.trace and not build.load(request.name)["trace"]:
        state.say(f"kernel '{request.name}' was not prepared with --trace: only modules that were can give events")
    runs = script(request)
    check_bootable(request.name)
    out = pathlib.Path(out)
    with tempfile.TemporaryDirectory(prefix="boot-", dir=state.kernel_dir(request.name)) as folder:
        folder = pathlib.Path(folder)
        (folder / "initrd").write_bytes(initramfs.archive(runs, request.files))
        console = state.kernel_dir(request.name) / f"console.{os.getpid()}"
        try:
            emulate(request, qemu_command(request, folder / "initrd", folder / "port"), console)
            collect(folder / "port", console, out)
            console.unlink()
        except state.Failed:
            console.replace(state.kernel_dir(request.name) / "console.failed")
            raise
    (out / "kernel").write_text(request.name + "\n")
    cpus = [len(re.findall(r"^cpu\d", file.read_text(), re.M)) for file in out.glob("*.before")]
    if cpus and min(cpus) < request.cpus:
        state.say(f"the guest ran with {min(cpus)} of {request.cpus} CPUs; dmesg says why")
    wrong = [file.stem for file in sorted(out.glob("*.exit")) if file.read_text().strip() != "0"]
    if wrong:
        raise state.Failed("these runs failed: " + ", ".join(
            f"{label} ({(out / f'{label}.out').read_text(errors='replace').strip()[-200:]})" for label in wrong))
    return out
