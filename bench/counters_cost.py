#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What counting costs in user space: CPU time of real programs.

Takes the sources of lua5.4 and zlib from the distribution's source packages (as
apt-get knows them; kept in a cache directory), builds each with clang -O2 in
five ways, and runs the same work with all of them, one after the other, round
by round, the order turned by one each round:

  plain     without the plugin
  one       counters for one struct, the one in the middle of the program
  all       counters for all structs
  profile   -fprofile-generate, clang's own counters
  again     plain once more: how far apart two equal programs are

Printed are medians of user plus system time, the spread of the middle half of
the rounds, and ratios of medians of the same rounds. Bars: one <= 1.05, all <=
1.30, and what `all` adds at most half of what `profile` adds.

    bench/counters_cost.py [--rounds 9] [--programs lua5.4,zlib] [--instructions]"""

import argparse
import glob
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import counted

BAR_ONE, BAR_ALL, BAR_PROFILE = 1.05, 1.30, 0.5

LUA_WORK = r"""
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local Point = {}
Point.__index = Point
function Point.new(x, y) return setmetatable({x = x, y = y}, Point) end
function Point:add(o) return Point.new(self.x + o.x, self.y + o.y) end
local function sieve(n)
  local s, count = {}, 0
  for i = 2, n do s[i] = true end
  for i = 2, n do
    if s[i] then count = count + 1 for j = i * i, n, i do s[j] = false end end
  end
  return count
end
local function words(n)
  local seen, out = {}, {}
  for i = 1, n do
    local w = "w" .. (i * 7919 % 1009)
    seen[w] = (seen[w] or 0) + 1
    if i % 50 == 0 then out[#out + 1] = w:upper():gsub("(%d)", "<%1>") end
  end
  return #table.concat(out, ",") + #out
end
local function coro(n)
  local co = coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end return 0 end)
  local s = 0
  for _ = 1, n do s = s + co() end
  return s
end
local total = 0
for round = 1, SCALE do
  total = total + fib(22) + sieve(40000) + words(20000) + coro(10000)
  local p = Point.new(0, 0)
  for i = 1, 60000 do p = p:add(Point.new(i, 1)) end
  local t = {}
  for i = 1, 15000 do t[i] = (i * 7919) % 15013 end
  table.sort(t, function(a, b) return a < b end)
  total = total + p.x + t[7000]
end
print(total)
"""


class Lua:
    package, struct = "lua5.4", "lua_State"

    @staticmethod
    def sources(tree):
        return [p for p in sorted(glob.glob(os.path.join(tree, "src", "*.c"))) if os.path.basename(p) != "luac.c"], \
            ["-I" + os.path.join(tree, "src"), "-DLUA_USE_POSIX"], ["-lm"]

    @staticmethod
    def work(folder, scale):
        path = os.path.join(folder, "work.lua")
        with open(path, "w") as file:
            file.write(LUA_WORK.replace("SCALE", str(8 * scale or 1)))
        return lambda program: [([program, path], os.devnull, None)]


class Zlib:
    package, struct = "zlib", "internal_state"

    @staticmethod
    def sources(tree):
        return sorted(glob.glob(os.path.join(tree, "*.c"))) + [os.path.join(tree, "test", "minigzip.c")], \
            ["-I" + tree, "-DHAVE_UNISTD_H", "-D_LARGEFILE64_SOURCE=1"], []

    @staticmethod
    def work(folder, scale):
        path = os.path.join(folder, "text")
        state, parts = 1, []
        common = [f"{chr(97 + i % 26)}{chr(97 + i * 7 % 26)}{'lmnorst'[i % 7] * (i % 4)}e" for i in range(400)]
        for _ in range(900000 * scale or 100000):  # words by frequency, from a fixed generator
            state = (state * 6364136223846793005 + 1442695040888963407) & (1 << 64) - 1
            a, b = state >> 33 & 0xffff, state >> 49 & 0x7fff
            parts.append(common[a * a % 65521 * b >> 22 & 511 if a & 3 else b % 16] if (a * a % 65521 * b >> 22 & 511) < 400
                         or not a & 3 else str(b))
        with open(path, "w") as file:
            file.write(" ".join(parts))
        packed = os.path.join(folder, "packed")
        return lambda program: [([program, "-6"], path, packed), ([program, "-d"], packed, None)]


PROGRAMS = {"lua5.4": Lua, "zlib": Zlib}


def sources_list(folder):
    """The distribution's own entry of apt, for sources."""
    with open("/etc/os-release") as file:
        release = re.search(r"^VERSION_CODENAME=(\w+)", file.read(), re.M)
    suite, found = release[1] if release else "stable", []
    for path in glob.glob("/etc/apt/sources.list.d/*.sources"):
        with open(path) as file:
            for stanza in file.read().split("\n\n"):
                if re.search(rf"^Suites:.*\b{suite}\b", stanza, re.M):
                    found.append(re.sub(r"^Types:.*$", "Types: deb-src", stanza, flags=re.M))
    if found:
        path = os.path.join(folder, "distribution.sources")
        text = "\n\n".join(found) + "\n"
    else:
        path = os.path.join(folder, "distribution.list")
        with open("/etc/apt/sources.list") as file:
            lines = [line for line in file if re.match(rf"deb\s.*\s{suite}\s", line)]
        text = "".join("deb-src" + line[3:] for line in lines)
    if not text.strip():
        sys.exit(f"apt knows no source of {suite}: give the unpacked sources by --tree PACKAGE=DIR")
    with open(path, "w") as file:
        file.write(text)
    return path


def source_tree(package, cache):
    """Unpacked source of the package, from the cache or by apt-get."""
    base = os.path.join(cache, package)
    done = os.path.join(base, "tree")
    if os.path.isdir(done):
        return done
    os.makedirs(os.path.join(base, "lists", "partial"), exist_ok=True)
    os.makedirs(os.path.join(base, "cache", "archives", "partial"), exist_ok=True)
    options = ["-o", "Dir::Etc::sourcelist=" + sources_list(base), "-o", "Dir::Etc::sourceparts=/dev/null",
               "-o", "Dir::State::Lists=" + os.path.join(base, "lists"), "-o", "Dir::Cache=" + os.path.join(base, "cache"),
               "-o", "APT::Sandbox::User=", "-q"]
    print(f"{package}: apt-get source ...", file=sys.stderr)
    for command in (["update"], ["source", "--download-only", package]):
        if subprocess.run(["apt-get", *options, *command], cwd=base, stdout=sys.stderr, check=False).returncode:
            sys.exit(f"apt-get {command[0]} failed; give the unpacked source by --tree {package}=DIR")
    part = os.path.join(base, "part")
    shutil.rmtree(part, ignore_errors=True)
    os.makedirs(part)
    archives = glob.glob(os.path.join(base, "*.orig.tar.*"))
    archives = [a for a in archives if not a.endswith(".asc")]
    if len(archives) != 1:
        sys.exit(f"{package}: expected one upstream archive, found {archives}")
    subprocess.run(["tar", "-xf", archives[0], "-C", part], check=True)
    top = os.listdir(part)
    os.rename(os.path.join(part, top[0]) if len(top) == 1 else part, done)
    for name in ("lists", "cache"):
        shutil.rmtree(os.path.join(base, name), ignore_errors=True)
    return done


def build(tools, program, tree, folder, name):
    sources, flags, libraries = program.sources(tree)
    env, path = {}, os.path.join(folder, name)
    command = [tools.clang, "-O2", "-w"] + flags
    after = []
    if name == "profile":
        command.append("-fprofile-generate=" + os.path.join(folder, "profraw"))
    elif name in ("one", "all"):
        command.append("-fpass-plugin=" + tools.plugin)
        env["KST_OPTIONS"] = "structs=" + ("all" if name == "all" else program.struct)
        after = [tools.runtime, "-pthread"]
    counted.run(command + sources + after + ["-o", path] + libraries, env=env, timeout=900)
    return path


def step(command, source, target, folder, prefix=()):
    """Runs it with these files as input and output; target None: the output
    is returned, with CPU seconds and what it wrote to stderr."""
    env = dict(os.environ, KST_FILE=os.path.join(folder, "out.kstraw"))
    with open(source, "rb") as given, open(target, "w+b") if target else tempfile.TemporaryFile() as out, \
            tempfile.TemporaryFile() as errors:
        child = subprocess.Popen([*prefix, *command], stdin=given, stdout=out, stderr=errors, cwd=folder, env=env)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        errors.seek(0)
        if status:
            sys.exit(f"{command}: status {status}: {errors.read()[-500:]}")
        out.seek(0)
        for path in glob.glob(os.path.join(folder, "*.kstraw")) + glob.glob(os.path.join(folder, "profraw", "*")):
            os.unlink(path)
        return usage.ru_utime + usage.ru_stime, out.read(), errors.read().decode(errors="replace")


def timed(steps, folder):
    """(CPU seconds, output of all steps)."""
    done = [step(*one, folder) for one in steps]
    return sum(seconds for seconds, _, _ in done), b"".join(out for _, out, _ in done)


def instructions(steps, folder):
    tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    said = "".join(errors for _, _, errors in [step(*one, folder, prefix=tool) for one in steps])
    return sum(int(n.replace(",", "")) for n in re.findall(r"I +refs: +([\d,]+)", said))


def middle(values):
    """(median, first and third quartile)."""
    first, half, third = statistics.quantiles(values, n=4)
    return half, first, third


def measure(tools, program, tree, args):
    names = ["plain", "one", "all", "profile", "again"]
    with tempfile.TemporaryDirectory() as folder:
        programs = {name: build(tools, program, tree, folder, name) for name in names}
        work = program.work(folder, args.scale)
        times, outputs = {name: [] for name in names}, set()
        for path in programs.values():  # files into memory, same answer from all
            outputs.add(timed(work(path), folder)[1])
        if len(outputs) != 1:
            sys.exit(f"{program.package}: the builds do not give the same output")
        for number in range(args.rounds):
            for name in names[number % len(names):] + names[:number % len(names)]:
                times[name].append(timed(work(programs[name]), folder)[0])
        counts = {}
        if args.instructions:
            small = program.work(folder, 0)  # valgrind is slow
            counts = {name: instructions(small(programs[name]), folder) for name in names}
    print(f"{program.package}, one struct: {program.struct}; {args.rounds} rounds, CPU seconds")
    print(f"  {'build':<9}{'median':>9}{'middle half':>18}{'ratio':>8}" + ("    instructions" if counts else ""))
    ratio = {}
    for name in names:
        half, first, third = middle(times[name])
        ratio[name] = statistics.median(a / b for a, b in zip(times[name], times["plain"]))
        line = f"  {name:<9}{half:>9.3f}{f'{first:.3f} - {third:.3f}':>18}{ratio[name]:>8.3f}"
        if counts:
            line += f"{counts[name] / counts['plain']:>15.3f}x"
        print(line)
    share = (ratio["all"] - 1) / (ratio["profile"] - 1) if ratio["profile"] > 1 else float("inf")
    bars = [("one", ratio["one"], BAR_ONE), ("all", ratio["all"], BAR_ALL), ("all's added share of profile's", share, BAR_PROFILE)]
    good = True
    for what, found, bar in bars:
        good &= found <= bar
        print(f"  {what} {found:.3f}, bar {bar:.2f}: {'held' if found <= bar else 'MISSED'}")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    counted.add_options(parser)
    cache = os.environ.get("KST_CACHE") or os.path.join(os.environ.get("XDG_CACHE_HOME") or
                                                        os.path.expanduser("~/.cache"), "kstatic-affinity")
    parser.add_argument("--cache", default=os.path.join(cache, "sources"), help="where unpacked source packages are kept")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--tree", action="append", default=[], metavar="PACKAGE=DIR", help="use this source instead")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--scale", type=int, default=2, help="how much work; 2: a second or so")
    parser.add_argument("--instructions", action="store_true", help="also instructions executed, counted by valgrind")
    args = parser.parse_args()
    trees = dict(word.split("=", 1) for word in args.tree)
    tools = counted.Toolchain(args)
    good = True
    for name in args.programs.split(","):
        if name not in PROGRAMS:
            parser.error(f"no program {name}; there are {', '.join(PROGRAMS)}")
        tree = trees.get(name) or source_tree(name, args.cache)
        try:
            good &= measure(tools, PROGRAMS[name], tree, args)
        except counted.Wrong as wrong:
            sys.exit(f"{name}: {wrong}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
