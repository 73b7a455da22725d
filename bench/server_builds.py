# SPDX-License-Identifier: GPL-2.0-or-later
"""Three servers from the distribution's source packages: built with clang and
AddressSanitizer, with or without patches, and run through their own tests.

Each has a folder of its own for every build; nothing is installed. The builds
note their compile commands, for the tool to read."""

import dataclasses
import glob
import os
import re
import shutil
import signal
import subprocess

import source_package

CLANG = "clang-19"
CHECKED = "-O1 -g -fsanitize=address"
# Of the sanitizer: a report ends the program; what is not freed at the end is not asked.
SANITIZER = {"ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1", "UBSAN_OPTIONS": "halt_on_error=1"}


class Failed(Exception):
    """A build that failed, in words."""


@dataclasses.dataclass
class Server:
    """configure, make, test: words of shell commands in the source tree, with {cflags} filled in; `passed`: a pattern with one group in
    what the tests print, the name of a test that passed. quick: a part of the tests that takes a minute."""
    name: str
    configure: str
    make: str
    test: str
    quick: str
    passed: str
    structs: tuple
    paths: tuple

    def source(self, cache):
        return source_package.source_tree(self.name, cache)


SERVERS = {server.name: server for server in (
    Server("memcached", "./configure CC={clang} CFLAGS='{cflags}' --disable-docs",
           "make -j{jobs}", "prove -j4 t/*.t; ./testapp",
           "prove -j4 t/{00-startup,64bit,binary,binary-get,bogus-commands,cas,expirations,flags,flush-all,getset,incrdecr,item_size_max,"
           "lru,lru-crawler,lru-maintainer,line-lengths,malicious-commands,metaget,multiversioning,noreply,slabs-reassign2,stats,"
           "stats-conns,touch,unixsocket,watcher,chunked-items}.t; ./testapp",
           r"^(t/\S+\.t) \.+ ok|^ok \d+ - (.*)",
           ("_stritem", "conn", "settings", "slabclass_t", "crawler", "item_chunk", "thread_stats", "mc_resp", "io_pending_t",
            "LIBEVENT_THREAD", "logger", "stats", "slab_stats", "bipbuf_t", "cache_t", "mcp_backend_t"), (".",)),
    Server("redis", "true", "make -j{jobs} MALLOC=libc CC={clang} OPT='{cflags}' REDIS_LDFLAGS='{ldflags}' BUILD_TLS=no USE_SYSTEMD=no",
           "./runtest --clients 2 --quiet --tags '-slow -needs:repl'", "./runtest --clients 2 --single unit/type/string --single unit/type/list "
           "--single unit/type/hash --single unit/type/set --single unit/type/zset --single unit/expire --single unit/multi --single unit/pubsub "
           "--single unit/keyspace --single unit/type/stream", r"\[ok\]: (.*?)(?: \(\d+ ms\))?$",
           ("client", "redisObject", "dict", "dictType", "redisDb", "quicklist", "zskiplist", "stream", "raxIterator", "aeEventLoop", "connection",
            "blockingState", "multiState", "evictionPoolEntry", "clusterNode", "list", "rio", "redisCommand", "sharedObjectsStruct"), ("src/",)),
    Server("lighttpd", "./configure CC={clang} CFLAGS='{cflags}' --without-bzip2 --with-pcre2 --with-zlib",
           "make -j{jobs}", "make check", "make check", r"^PASS: (\S+)|^ok (\d+.*)",
           ("request_st", "connection", "server", "chunkqueue", "chunk", "buffer", "array", "plugin", "fdnode_st", "stat_cache_entry", "gw_handler_ctx",
            "gw_host", "gw_proc", "server_socket", "h2con", "request_config", "server_config", "http_cgi_opts", "tree_node"), ("src/",)),
)}


def run(command, cwd, log, timeout=1800):
    """Runs a shell command and all that it starts; (exit code, what it printed). Code -1: it did not end in time, and was killed."""
    with open(log, "w+", errors="replace") as out:
        child = subprocess.Popen(["bash", "-c", command], cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                 env={**os.environ, **SANITIZER, "LC_ALL": "C"}, start_new_session=True)
        try:
            code = child.wait(timeout)
        except subprocess.TimeoutExpired:
            code = -1
        finally:
            try:  # what a test leaves running, too
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()
        out.seek(0)
        return code, out.read()


def words(plain, jobs, flags):
    """Of the commands of a server; the same for all its builds, so that make sees no other flags."""
    noted = os.path.join(plain, "cdb")
    return {"clang": CLANG, "cflags": f"{flags} -gen-cdb-fragment-path {noted} -Wno-unused-command-line-argument",
            "ldflags": "-fsanitize=address" if "-fsanitize" in flags else "", "jobs": jobs}


def build(server, cache, folder, jobs=2, flags=CHECKED):
    """A built tree in `folder`, made anew, that notes its compile commands. Failed if the build fails."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(server.source(cache), folder, symlinks=True)
    for command in (server.configure, server.make):
        make(command.format(**words(folder, jobs, flags)), folder)
    compile_commands(folder)
    return folder


def patched(server, plain, folder, patches, jobs=2, flags=CHECKED):
    """A copy of a built tree with patches, built again where they ask for it. Failed, if one does not apply or the build fails."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(plain, folder, symlinks=True)
    for patch in patches:
        code, text = run(f"patch -p1 -f -N -F0 <'{patch}'", folder, folder + ".patch.log")
        if code:
            raise Failed(f"{patch} does not apply: {text.strip().splitlines()[-1]}")
    make(server.make.format(**words(plain, jobs, flags)), folder)
    return folder


def make(command, folder):
    code, text = run(command, folder, folder + ".build.log")
    if code:
        wrong = [line for line in text.splitlines() if re.search(r"\berror\b|Error \d", line)] or text.splitlines()[-1:]
        raise Failed(f"does not build: {wrong[0][:160] if wrong else code}")


def compile_commands(folder):
    """Writes compile_commands.json from what clang noted; one entry for each source file."""
    entries = {}
    for path in sorted(glob.glob(os.path.join(folder, "cdb", "*.json"))):
        with open(path) as file:
            text = file.read().strip().rstrip(",")
        match = re.search(r'"file":\s*"([^"]*)"', text)
        if match and match[1].endswith(".c") and "conftest" not in match[1]:
            entries.setdefault(match[1], text)
    with open(os.path.join(folder, "compile_commands.json"), "w") as file:
        file.write("[\n" + ",\n".join(entries.values()) + "\n]\n")


def tests(server, folder, quick=False, timeout=900):
    """The names of tests that passed, and whether the run ended by itself."""
    code, text = run(server.quick if quick else server.test, folder, folder + ".test.log", timeout)
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    return {next(group for group in match.groups() if group) for match in re.finditer(server.passed, text, re.M)}, code != -1
