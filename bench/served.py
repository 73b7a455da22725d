#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do servers serve more with the patch of `kstatic-affinity sharing --patch`?

memcached (two workers) and redis (io-threads), from the distribution's source packages, built with -O2 with and without the patch
that the tool makes from the source alone. Each round loads both builds and the original once more, in an order shuffled by a fixed
seed, over loopback with the load generator that comes with the server or with libmemcached (package libmemcached-tools).

  patched    requests a second with the patch, by the original of the same round: median, least and most
  itself     the original against itself: the noise

Two cores are shared by server and load. Exit status 1 if one is slower by more than the noise. The builds stay in --out.

    bench/served.py [--out DIR] [--rounds N] [--server NAME]..."""

import os
import random
import re
import signal
import statistics
import subprocess
import sys
import time

import kst_bench as kb
import server_builds as servers
from servers import connect, free_port

# In the built tree: the server, its load, and what of the load's output is seconds, or requests a second.
LOADS = {
    "memcached": ("./memcached -u root -U 0 -l 127.0.0.1 -p {port} -t 2 -m 256",
                  "memcslap --servers=127.0.0.1:{port} --concurrency=8 --execute-number=20000 --initial-load=10000 --test=get",
                  r"Took ([\d.]+) seconds", True),
    "redis": ("src/redis-server --port {port} --save '' --io-threads 2 --io-threads-do-reads yes",
              "src/redis-benchmark -p {port} -q -n 300000 -c 64 -P 16 -t get,set,incr", r"([\d.]+) requests per second", False),
}


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--server", action="append", choices=LOADS, help="only this one; may be repeated")
    p.add_argument("--rounds", type=int, default=9)
    p.add_argument("--out", type=os.path.abspath, default="served", metavar="DIR")
    return p.parse_args()


def rate(name, folder):
    """Of one load: requests a second, up to a factor that builds share."""
    serve, load, pattern, seconds = LOADS[name]
    port = free_port()
    with subprocess.Popen(["bash", "-c", "exec " + serve.format(port=port)], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True) as server:
        try:
            connect(port).close()
            said = subprocess.run(load.format(port=port), shell=True, cwd=folder, capture_output=True, text=True, timeout=300, check=True).stdout
        finally:
            os.killpg(server.pid, signal.SIGKILL)
    found = [float(text) for text in re.findall(pattern, said)]
    if not found:
        raise servers.Failed(f"the load says nothing: {said[:200]}")
    return 1 / sum(found) if seconds else statistics.harmonic_mean(found)


def builds(args, name):
    """(folder, folder with the patch or None, lines of the patch's message)."""
    server, out = servers.SERVERS[name], os.path.join(args.out, name)
    plain, patched, patch = (os.path.join(out, part) for part in ("plain", "patched", "sharing.patch"))
    flags = "-O2 -g"
    if not os.path.exists(os.path.join(plain, "compile_commands.json")):
        os.makedirs(out, exist_ok=True)
        servers.build(server, os.path.join(args.out, "sources"), plain, flags=flags)
    if os.path.exists(patch):
        os.remove(patch)
    start = time.monotonic()
    subprocess.run([args.tool, "sharing", "-p", plain, "--quiet", "--patch", patch, "--cache-dir", os.path.join(args.out, "facts"), *server.paths],
                   cwd=plain, stdout=subprocess.DEVNULL, check=False)
    if not os.path.exists(patch):
        return plain, None, []
    servers.patched(server, plain, patched, [patch], flags=flags)
    with open(patch) as file:
        said = file.read().split("\n---\n")[0].splitlines()
    return plain, patched, [f"{time.monotonic() - start:.0f} s with the build", *(line for line in said if line.startswith("- "))]


def main():
    args, slower = arguments(), False
    for name in args.server or LOADS:
        plain, patched, said = builds(args, name)
        print(f"{name}:", *(said or ["no patch"]), sep="\n  ", flush=True)
        if not patched:
            continue
        choose, ratios = random.Random(1), {"patched": [], "itself": []}
        for _ in range(args.rounds):
            runs = [("plain", plain), ("patched", patched), ("itself", plain)]
            choose.shuffle(runs)
            got = {what: rate(name, folder) for what, folder in runs}
            for what, all_ratios in ratios.items():
                all_ratios.append(got[what] / got["plain"])
        for what, found in ratios.items():
            print(f"  {what:8} {statistics.median(found):.3f} ({min(found):.3f} to {max(found):.3f})", flush=True)
        slower |= statistics.median(ratios["patched"]) < min(1, min(ratios["itself"]))
    return slower


if __name__ == "__main__":
    sys.exit(main())
