#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dask_cluster.py [--workers N] [--kill] [--after S] -- COMMAND...: runs COMMAND, in which SCHEDULER stands for the address of a
Dask cluster that lives as long, on ports of its own. With --kill one worker is killed once it has worked for S seconds (default
0.3) and another is left; says so on standard error, with the CPU seconds of scheduler and workers. The status is that of COMMAND."""

import argparse
import importlib.util
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

# Debian's packages are those of its own interpreter.
MODULE = [sys.executable if importlib.util.find_spec("distributed") else "/usr/bin/python3", "-m"]
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}


def wait_for(path, pattern, what):
    for _ in range(600):
        with open(path, errors="replace") as file:
            if found := re.search(pattern, file.read()):
                return found.group(0)
        time.sleep(0.1)
    sys.exit(f"{what} did not start: " + open(path, errors="replace").read()[-2000:])


def busy(pid):
    """Whether the worker runs a job of ours."""
    return bool(subprocess.run(["pgrep", "-P", str(pid), "kstatic"], capture_output=True, check=False).stdout)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--kill", action="store_true")
    p.add_argument("--after", type=float, default=0.3)
    p.add_argument("command", nargs="+")
    args = p.parse_args()
    scratch = tempfile.mkdtemp(prefix="kst-dask-")
    environment = dict(os.environ, DASK_DISTRIBUTED__WORKER__DAEMON="False", DASK_TEMPORARY_DIRECTORY=scratch)
    log = os.path.join(scratch, "scheduler.log")
    began = []
    with open(log, "w") as out:
        began.append(subprocess.Popen(MODULE + ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"],
                                      stderr=out, env=environment, **QUIET))
    status = 1
    try:
        address = wait_for(log, r"tcp://127\.0\.0\.1:\d+", "the scheduler")
        workers = []
        for number in range(args.workers):
            log = os.path.join(scratch, f"worker{number}.log")
            with open(log, "w") as out:
                workers.append(subprocess.Popen(MODULE + ["distributed.cli.dask_worker", address, "--no-nanny", "--nthreads", "1",
                                                          "--no-dashboard", "--local-directory", os.path.join(scratch, str(number))],
                                                stderr=out, env=environment, **QUIET))
            began.append(workers[-1])
            wait_for(log, "Registered to", "a worker")
        command = subprocess.Popen([word.replace("SCHEDULER", address) for word in args.command])
        if args.kill:
            while command.poll() is None and not busy(workers[0].pid):
                time.sleep(0.01)
            time.sleep(args.after)
            if command.poll() is None:
                children = subprocess.run(["pgrep", "-P", str(workers[0].pid)], capture_output=True, text=True, check=False).stdout.split()
                workers[0].kill()
                for child in children:
                    try:
                        os.kill(int(child), signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                print("a worker was killed", file=sys.stderr)
        status = command.wait()
    finally:
        for process in reversed(began):
            process.terminate()
        for process in began:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        subprocess.run(["rm", "-rf", scratch], check=False)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"CPU seconds, cluster and command: {usage.ru_utime + usage.ru_stime:.2f}", file=sys.stderr)
    sys.exit(status)


if __name__ == "__main__":
    main()
