# SPDX-License-Identifier: GPL-2.0-or-later
"""A memcached in trace mode under load over loopback: bounded in requests and time."""

import os
import random
import signal
import subprocess
import threading
import time

import counted
from servers import Lines, connect, free_port

LOADS = (("fits", 64, 0.8), ("evicts", 3, 0.5))  # MiB, share of requests for popular keys
CLIENTS, SECONDS = 8, 120


def tool(args, *words):
    return counted.run([args.tool, *words], cwd=args.memcached, timeout=900)[1]


def client(port, requests, seed, popular, done):
    choose, server = random.Random(seed), Lines(port)
    end = time.monotonic() + SECONDS

    def put(key):
        size = choose.choice((60, 300, 1000))
        server.send(b"set k%d 0 0 %d\r\n%s\r\n" % (key, size, b"x" * size))
        server.file.readline()
        done.append(1)

    for _ in range(requests):
        if time.monotonic() > end:
            break
        key = (int(choose.paretovariate(0.6)) if choose.random() < popular else choose.randrange(20000)) % 20000
        if choose.random() < 0.1:
            put(key)
            continue
        server.send(b"get k%d\r\n" % key)
        line, hit = server.file.readline(), False
        while line not in (b"END\r\n", b""):
            line, hit = server.file.readline(), True
        done.append(1)
        if not hit:
            put(key)
    server.close()


def record(args, name, memory, popular):
    """(trace, number of requests) of one load."""
    raw, port = os.path.join(args.scratch, name + ".ksttrace"), free_port()
    child = subprocess.Popen([args.traced, "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-u", "root", "-t", "4", "-m", str(memory)],
                             env=dict(os.environ, KST_TRACE_FILE=raw, KST_FILE=raw + ".counts"), stderr=subprocess.DEVNULL)
    done = []
    try:
        connect(port).close()
        threads = [threading.Thread(target=client, args=(port, args.requests, seed, popular, done)) for seed in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        child.send_signal(signal.SIGTERM)
        child.wait(timeout=60)
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
    trace = os.path.join(args.scratch, name + ".kstt")
    tool(args, "trace", "import", raw, "--binary", args.traced, "-o", trace)
    os.remove(raw)
    return trace, len(done)
