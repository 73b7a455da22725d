#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Three servers under load, counted: how much of a report's cost is sharing, and
how well it ranks the fields.

Takes Redis, nginx and memcached from the distribution's source packages (kept
unpacked in a cache directory), builds each with clang, plain and with the
plugin as docs/guide/programs.md says, runs the counted program under a load
of bounded length on the loopback device, and imports what it counted. Then one
line for each struct:

  sharing       share of the present order's cost that is false sharing: by
                source alone, with --threads 1, with the profile
  measured      share of all accesses in the report with the profile that was
                counted
  top           how many of the N fields with most counted accesses are among
                the first N of the report by source alone and with the profile.
                Counts: the program's table and raw counters, read here by
                docs/guide/formats.md and not by the tool

With --before, another build of the tool answers the same questions, as far as
it knows the options, in a second line.

memcached has four workers, the others have one thread that does the work.
memcached needs libevent's headers. Building takes minutes.

    bench/servers.py [--servers redis,nginx] [--requests 20000] [--top 12]
                     [--before TOOL]"""

import collections
import glob
import http.client
import json
import os
import shutil
import signal
import socket
import struct as binary
import subprocess
import sys
import tempfile
import time

import counted
import kst_bench as kb
from source_package import source_tree

OFTEN, SECONDS = 20000, 120  # requests of a load, and when it ends at the latest

# build: shell in a copy of the source, with $CC, $CFLAGS, $LDFLAGS, $JOBS.
Server = collections.namedtuple("Server", "package program structs build start load stop")


def connect(port):
    """A connection to the server, once it listens."""
    for _ in range(100):
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=10)
        except OSError:
            time.sleep(0.1)
    raise counted.Wrong(f"no server on port {port}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Lines:
    """Requests and answers of a protocol in lines."""

    def __init__(self, port):
        self.socket = connect(port)
        self.file = self.socket.makefile("rb")

    def send(self, text):
        self.socket.sendall(text)

    def close(self):
        self.file.close()
        self.socket.close()


def rounds(requests):
    """Numbers of requests until there were enough or it took too long."""
    end = time.monotonic() + SECONDS
    for i in range(requests):
        if time.monotonic() > end:
            return
        yield i


def load_redis(port, requests, _folder):
    """Strings, lists, sets, hashes, sorted sets, expiry, a transaction."""
    server = Lines(port)

    def ask(*words):
        text = b"*%d\r\n" % len(words)
        for word in words:
            data = str(word).encode()
            text += b"$%d\r\n%s\r\n" % (len(data), data)
        server.send(text)
        answer()

    def answer():
        line = server.file.readline()
        if line[:1] == b"$" and int(line[1:]) >= 0:
            server.file.read(int(line[1:]) + 2)
        elif line[:1] == b"*":
            for _ in range(int(line[1:])):
                answer()
        elif line[:1] in (b"-", b""):
            raise counted.Wrong(f"redis says {line!r}")

    for i in rounds(requests // 12):
        key = i * 7919 % 5000
        ask("SET", f"s{key}", "x" * (i % 100))
        ask("GET", f"s{i * 31 % 5000}")
        ask("INCR", "n")
        ask("LPUSH", f"l{key % 50}", i)
        ask("LRANGE", f"l{key % 50}", 0, 20)
        ask("RPOP", f"l{key % 50}")
        ask("SADD", f"t{key % 50}", i % 300)
        ask("HSET", f"h{key % 50}", f"f{i % 40}", i)
        ask("HGET", f"h{key % 50}", f"f{i % 40}")
        ask("ZADD", "z", i % 500, f"m{i % 500}")
        ask("EXPIRE", f"s{key}", 100)
        if i % 20 == 0:
            for words in (["MULTI"], ["SET", "a", 1], ["GET", "a"], ["EXEC"], ["DEL", f"s{key}"]):
                ask(*words)
    server.close()


def load_nginx(port, requests, _folder):
    """Files of three sizes over kept connections and new ones, and a miss."""
    connect(port).close()
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    for i in rounds(requests // 4):
        path = ("/small.html", "/middle.html", "/large.bin", "/none.html")[0 if i % 10 else i // 10 % 4]
        client.request("GET", path, headers={"User-Agent": "bench", "Accept": "*/*"})
        client.getresponse().read()
        if i % 50 == 49:
            client.close()
    client.close()


def load_memcached(port, requests, _folder):
    """Sets, gets of one and several keys, counters, misses."""
    server = Lines(port)
    for i in rounds(requests // 4):
        key, size = i * 7919 % 3000, i % 200
        server.send(b"set k%d 0 0 %d\r\n%s\r\n" % (key, size, b"x" * size))
        server.file.readline()
        words = b"get k%d" % (i * 31 % 3000)
        server.send((words + b" k%d k%d\r\n" % (key, key + 1)) if i % 5 == 0 else words + b"\r\n")
        while server.file.readline() not in (b"END\r\n", b""):
            pass
        for text in ((b"set n 0 0 1\r\n1\r\n", b"incr n 1\r\n") if i % 10 == 0 else (b"touch k%d 100\r\n" % key,)):
            server.send(text)
            server.file.readline()
    server.close()


def start_nginx(program, port, folder):
    """Its configuration and files; one process, as with one worker."""
    for name, size in (("small.html", 300), ("middle.html", 20000), ("large.bin", 300000)):
        with open(os.path.join(folder, name), "w") as file:
            file.write("x" * size)
    with open(os.path.join(folder, "nginx.conf"), "w") as file:
        file.write(f"""daemon off; master_process off; pid {folder}/pid; error_log {folder}/errors;
            events {{}}
            http {{ access_log {folder}/log; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b;
                   fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
                   server {{ listen 127.0.0.1:{port}; root {folder}; }} }}""")
    return [program, "-p", folder, "-c", os.path.join(folder, "nginx.conf")]


SERVERS = {
    "redis": Server(
        "redis", "src/redis-server", ("client", "redisServer", "redisDb", "dict", "dictEntry", "redisObject"),
        'make -s -C deps CC="$CC" hiredis linenoise lua hdr_histogram && '
        'make -C src -j$JOBS CC="$CC" MALLOC=libc OPT=-O2 CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS" redis-server',
        lambda program, port, folder: [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder],
        load_redis, signal.SIGTERM),
    "nginx": Server(
        "nginx", "objs/nginx", ("ngx_connection_s", "ngx_http_request_s", "ngx_event_s"),
        './configure --with-cc="$CC" --with-cc-opt="-O2 $CFLAGS" --with-ld-opt="$LDFLAGS" '
        "--without-http_rewrite_module --without-http_gzip_module && make -j$JOBS",
        start_nginx, load_nginx, signal.SIGQUIT),
    "memcached": Server(
        "memcached", "memcached", ("conn", "_stritem", "settings"),
        './configure -q CC="$CC" CFLAGS="-O2 $CFLAGS" LDFLAGS="$LDFLAGS" --disable-coverage --disable-docs && '
        "make -j$JOBS memcached",
        lambda program, port, folder: [program, "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-u", "root", "-t", "4"],
        load_memcached, signal.SIGTERM),
}


def fetch(name, cache):
    """Upstream's unpacked source of a server, read-only by custom."""
    return source_tree(SERVERS[name].package, cache)


def build(name, tree, folder, compiler, cflags="", ldflags="", env=None, jobs=2):
    """Copies the source to folder, builds it there, returns (program, path of
    the folder with compile_commands.json)."""
    server = SERVERS[name]
    if not os.path.isdir(folder):
        shutil.copytree(tree, folder, symlinks=True)
    commands = folder + ".commands"
    os.makedirs(commands, exist_ok=True)
    flags = f"-g -w -Wno-error {cflags} -gen-cdb-fragment-path {commands}"
    counted.run(["sh", "-ec", server.build], cwd=folder, timeout=1800,
                env=dict(env or {}, CC=compiler, CFLAGS=flags, LDFLAGS=ldflags, JOBS=str(jobs)))
    write_commands(folder, commands)
    return os.path.join(folder, server.program), commands


def write_commands(folder, commands):
    """compile_commands.json of the units of the server itself."""
    units = {}
    for path in glob.glob(os.path.join(commands, "*.json")):
        if os.path.basename(path) == "compile_commands.json":
            continue
        with open(path) as file:
            text = file.read().strip().rstrip(",")
        for unit in json.loads(f"[{text}]"):  # one command may compile several files
            source = os.path.join(unit["directory"], unit["file"])
            if os.path.exists(source) and not os.path.relpath(source, folder).startswith(("..", "deps", "conftest")):
                units[source] = unit
    with open(os.path.join(commands, "compile_commands.json"), "w") as file:
        json.dump([units[source] for source in sorted(units)], file)


def run(name, program, raw, requests):
    """The counted server under its load; leaves the raw counters."""
    server, port = SERVERS[name], free_port()
    if os.path.exists(raw):  # the runtime would take another name
        os.remove(raw)
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen(server.start(program, port, folder), cwd=folder, env=dict(os.environ, KST_FILE=raw),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            server.load(port, requests, folder)
            child.send_signal(server.stop)
            child.wait(timeout=60)
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
    if not os.path.exists(raw):
        raise counted.Wrong(f"{name} left no counters")


def report(args, tool, commands, tree, struct, *options):
    """The tool's report on one struct as parsed JSON."""
    out = counted.run([tool, "--quiet", "--struct", struct, "-p", commands, "--cache-dir", args.cache + "/facts",
                       "--json", "-", *options, "."], cwd=tree, timeout=900)[1]
    return json.loads(out)


def counts(program, raw, tools):
    """(struct, bit) -> counted accesses that begin there."""
    found = collections.Counter()
    for site, times in counted.site_counts(tools.sites(program), counted.raw([raw])).items():
        if site.kind in ("read", "write", "readwrite") and not site.marks & counted.BIT_FIELD_READ:
            found[site.struct, 8 * site.offset + site.bit] += times * (2 if site.kind == "readwrite" else 1)
    return found


def top_fields(found, fields, struct, n):
    """The n fields with most counted accesses.

    >>> found = {("s", 0): 9, ("s", 32): 2, ("s", 35): 5, ("t", 0): 99}
    >>> bits = lambda at, size: {"offset": at, "size": size}
    >>> fields = [{"name": "a", "offset": 0, "size": 4}, {"name": "b", "offset": 4, "size": 1, "bits": bits(0, 3)},
    ...           {"name": "c", "offset": 4, "size": 1, "bits": bits(3, 1)}, {"name": "d", "offset": 8, "size": 8}]
    >>> sorted(top_fields(found, fields, "s", 2)), len(top_fields(found, fields, "s", 9))
    (['a', 'c'], 3)
    """
    sums = collections.Counter()
    for field in fields:
        begin, size = 8 * field["offset"], 8 * max(1, field["size"])
        if "bits" in field:
            begin, size = begin + field["bits"]["offset"], field["bits"]["size"]
        sums[field["name"]] = sum(times for (name, bit), times in found.items()
                                  if name == struct and begin <= bit < begin + size)
    return {name for name, times in sums.most_common(n) if times}


def sharing(answer):
    cost = answer["layouts"]["current"]["cost"]
    return 100 * cost["sharing"] / cost["total"] if cost["total"] else 0


def overlap(answer, found, struct, n):
    """(how many of the fields with most counts the report has first, how many there are)."""
    wanted = top_fields(found, answer["fields"], struct, n)
    first = sorted(answer["fields"], key=lambda field: -field["hotness"])[:len(wanted)]
    return len(wanted & {field["name"] for field in first}), len(wanted)


def measured_share(answer):
    """Of all accesses in the report."""
    share = answer["coverage"].get("measured_share")
    if share is None:  # of a build that does not say it
        share = sum(field["hotness"] * field["origin"]["measured_share"] for field in answer["fields"])
    return 100 * share


def row(args, tool, name, struct, commands, tree, profile, found):
    """One line; only the tool that is measured is asked with --threads."""
    source = report(args, tool, commands, tree, struct)
    one = report(args, tool, commands, tree, struct, "--threads", "1") if tool == args.tool else None
    merged = report(args, tool, commands, tree, struct, "--profile", profile)
    tops = ["{:2} of {:2}".format(*overlap(answer, found, struct, args.top)) for answer in (source, merged)]
    print(f"{name:10} {struct:20} {sharing(source):8.1f}% " + (f"{sharing(one):8.1f}%" if one else " " * 8 + "-") +
          f" {sharing(merged):8.1f}%   {measured_share(merged):8.1f}%   {tops[0]}   {tops[1]}", flush=True)


def without_threads(raw, path):
    """A copy without the records of what other threads counted, for tools that know no such records."""
    with open(raw, "rb") as file:
        data = file.read()
    at = 16 + (binary.unpack_from("<I", data, 12)[0] + 7) // 8 * 8
    kept = data[:at]
    while at < len(data):
        _, n, kind = binary.unpack_from("<QII", data, at)
        if kind == 2:
            kept += binary.pack("<QII", len(kept), 0, 2)
        elif kind < 2:
            kept += data[at:at + 16 + 8 * n]
        at += 16 + 8 * n
    with open(path, "wb") as file:
        file.write(kept)


def import_profile(tool, raw, program, profile):
    counted.run([tool, "profile", "import", raw, "--binary", program, "-o", profile])


def measure(args, name, tools, folder):
    tree, server = fetch(name, args.cache), SERVERS[name]
    plain = os.path.join(folder, name)
    _, commands = build(name, tree, plain, tools.clang)
    program, _ = build(name, tree, os.path.join(folder, name + ".counted"), tools.clang,
                       "-fpass-plugin=" + tools.plugin, tools.runtime,
                       {"KST_OPTIONS": "structs=" + ",".join(server.structs)})
    raw, profile, older = (os.path.join(folder, name + end) for end in (".kstraw", ".kstp", ".before.kstp"))
    run(name, program, raw, args.requests)
    import_profile(args.tool, raw, program, profile)
    if args.before:
        without_threads(raw, raw + ".before")
        import_profile(args.before, raw + ".before", program, older)
    found = counts(program, raw, tools)
    for struct in server.structs:
        row(args, args.tool, name, struct, commands, plain, profile, found)
        if args.before:
            row(args, args.before, "  before", struct, commands, plain, older, found)


def main():
    parser = kb.parser(__doc__)
    counted.add_options(parser)
    parser.add_argument("--servers", default=",".join(SERVERS), help="which of them (default: all)")
    parser.add_argument("--cache", default=os.path.expanduser("~/.cache/kstatic-affinity/servers"), type=os.path.abspath,
                        help="where the sources are kept")
    parser.add_argument("--work", metavar="DIR", type=os.path.abspath, help="build there and keep it (default: a temporary folder)")
    parser.add_argument("--requests", type=int, default=OFTEN, help=f"of each load, about (default {OFTEN})")
    parser.add_argument("--before", metavar="TOOL", type=os.path.abspath, help="another build of the tool, for comparison")
    parser.add_argument("--top", type=int, default=12, help="fields that are compared (default 12)")
    args = parser.parse_args()
    tools = counted.Toolchain(args)
    print(f"{'server':10} {'struct':20} {'sharing':>9} {'threads 1':>9} {'profile':>9}   {'measured':>9}   "
          f"{'source':8}   {'profile':8}")
    folder = args.work or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    try:
        for name in args.servers.split(","):
            measure(args, name, tools, folder)
    except counted.Wrong as wrong:
        sys.exit(f"{name}: {wrong}")
    finally:
        if not args.work:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
