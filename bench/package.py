#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The Debian package on a machine that has nothing of it (as root; takes Debian from the mirrors that this machine uses).

    bench/package.py --scratch DIR

Makes the package of a finished build, looks at it with lintian, and installs it in a new root (debootstrap, kept in DIR). There the tool
reports on a struct of a C program and writes a patch; then the package is purged. On this machine a CMake project finds the package,
unpacked, and counts its own accesses.

Prints a line for each step; exit status 1 if one fails."""

import glob
import os
import shutil
import subprocess
import sys
import tempfile

import kst_bench as kb

PROGRAM = """
struct conn {
	long in;
	char first[120];
	long out;
	char last[120];
	long errors;
};
long all(struct conn *c) { return c->in + c->out + c->errors; }
void count(struct conn *c, long n) { c->in += n; c->out += n; if (n < 0) c->errors++; }
"""
DATABASE = '[{"directory": "/job", "file": "a.c", "command": "cc -O2 -c a.c"}]\n'
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(mini C)
find_package(kstatic-affinity 0.1 REQUIRED)
add_executable(mini main.c)
target_link_libraries(mini PRIVATE kst::counters)
"""
MAIN = PROGRAM + "int main(void) { struct conn c = {1}; for (int i = 0; i < 1000; ++i) count(&c, i); return all(&c) == 0; }\n"
# What apt and dpkg keep of every package, or change by themselves.
KEPT = ("/var/lib/apt", "/var/lib/dpkg", "/var/cache", "/var/log", "/job", "/proc", "/sys", "/dev", "/tmp", "/etc/ld.so.cache", "/root")


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--build", metavar="DIR", default=os.path.join(kb.ROOT, "build", "release"), help="of the release (default: build/release)")
    p.add_argument("--scratch", required=True, metavar="DIR", type=os.path.abspath)
    return p.parse_args()


def step(name, done, wanted=True):
    good = bool(done) == wanted
    print(f"{'yes' if good else 'NO '}  {name}", flush=True)
    return good


def run(*command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def must(*command, **options):
    done = run(*command, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout[-2000:]}")
    return done.stdout


def packed(build, scratch):
    for old in glob.glob(os.path.join(scratch, "*.deb")):
        os.remove(old)
    must("cpack", "-G", "DEB", "--config", os.path.join(build, "CPackConfig.cmake"), "-B", scratch)
    return glob.glob(os.path.join(scratch, "*.deb"))[0]


def new_root(scratch):
    """A minimal Debian 12 with the package sources of this machine."""
    root = os.path.join(scratch, "root")
    if not os.path.exists(os.path.join(root, "ready")):
        shutil.rmtree(root, ignore_errors=True)
        must("debootstrap", "--variant=minbase", "--include=ca-certificates", "bookworm", root)
        for name in ("etc/apt/sources.list", "etc/apt/sources.list.d", "etc/apt/apt.conf.d", "etc/resolv.conf", "etc/hosts", "etc/ssl/certs"):
            if os.path.exists("/" + name):
                run("rm", "-rf", os.path.join(root, name))
                must("cp", "-aL", "/" + name, os.path.join(root, name))
        must("chroot", root, "apt-get", "update")
        open(os.path.join(root, "ready"), "w").close()
    return root


def files(root):
    """Below the root, as the guest names them."""
    found = set()
    for folder, folders, names in os.walk(root):
        here = folder[len(root):]
        folders[:] = [name for name in folders if f"{here}/{name}" not in KEPT]
        found |= {f"{here}/{name}" for name in [*names, *folders] if not f"{here}/{name}".startswith(KEPT)}
    return found


def reports(root):
    job = os.path.join(root, "job")
    shutil.rmtree(job, ignore_errors=True)
    os.makedirs(job)
    for name, text in {"a.c": PROGRAM, "compile_commands.json": DATABASE}.items():
        with open(os.path.join(job, name), "w") as file:
            file.write(text)
    done = run("chroot", root, "sh", "-c", "cd /job && kstatic-affinity --struct conn --patch conn.patch --html conn.html .")
    return done.returncode == 0 and all(os.path.exists(os.path.join(job, name)) for name in ("conn.patch", "conn.html"))


def counts(deb, scratch):
    """A project that finds the package counts itself."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        must("dpkg-deb", "-x", deb, os.path.join(folder, "unpacked"))
        for name, text in {"CMakeLists.txt": PROJECT, "main.c": MAIN}.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        prefix = os.path.join(folder, "unpacked", "usr")
        environment = {**os.environ, "KST_OPTIONS": "structs=conn", "KST_OUT": os.path.join(folder, "raw")}
        clang = next(path for path in (shutil.which(f"clang-{v}") for v in (22, 19)) if path and not run(path, "-fpass-plugin=" + os.path.join(
            prefix, "lib", "kstatic-affinity", "KstCounters.so"), "-c", "-x", "c", "/dev/null", "-o", "/dev/null").returncode)
        must("cmake", "-S", folder, "-B", folder + "/b", f"-DCMAKE_C_COMPILER={clang}", f"-DCMAKE_PREFIX_PATH={prefix}", env=environment)
        must("cmake", "--build", folder + "/b", env=environment)
        must(folder + "/b/mini", cwd=folder, env=environment)
        raw = [name for name in glob.glob(folder + "/**/*.kstraw", recursive=True)]
        return len(raw) == 1 and run(os.path.join(prefix, "bin", "kstatic-affinity"), "profile", "import", raw[0], "-o", folder + "/p.kstp").returncode == 0


def main():
    args = arguments()
    os.makedirs(args.scratch, exist_ok=True)
    deb = packed(args.build, args.scratch)
    lint = run("lintian", "--allow-root", "--fail-on", "error", deb)
    print(lint.stdout, end="")
    good = step("lintian finds no error", lint.returncode == 0)
    good &= step("a CMake project finds the package and counts its accesses", counts(deb, args.scratch))
    root = new_root(args.scratch)
    run("chroot", root, "apt-get", "purge", "-y", "kstatic-affinity")
    run("chroot", root, "apt-get", "autoremove", "-y", "--purge")
    before = files(root)
    shutil.copyfile(deb, os.path.join(root, "tmp", "kst.deb"))
    done = run("chroot", root, "apt-get", "install", "-y", "--no-install-recommends", "/tmp/kst.deb")
    good &= step("it installs in a minimal Debian 12", done.returncode == 0)
    if done.returncode:
        print(done.stdout[-2000:])
    good &= step("there it reports on a struct and writes a patch and HTML", reports(root))
    must("chroot", root, "apt-get", "purge", "-y", "kstatic-affinity")
    must("chroot", root, "apt-get", "autoremove", "-y", "--purge")
    left = sorted(files(root) - before)
    good &= step("purged, nothing of it is left", not [name for name in left if "kst" in name or "kstatic" in name])
    print(f"     left by what it depends on: {len(left)} files" + ("".join("\n       " + name for name in left[:5])))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
