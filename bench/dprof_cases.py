#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The two cases of the DProf paper (Pesterev et al., EuroSys'10) on an unmodified
kernel, and the paper's way to tell why an access misses against the exact one.

Boots --kernel under `kstatic-affinity trace record`; the guests are
dprof_cases/echo.c and backlog.c, warm-up is left out. Three parts, --part:

- memcached: UDP echo, on each of two CPUs a client and a server. The receiving
  side of a CPU's packets is the other CPU or, as control, the same.
- apache: TCP connections wait for a server in queues of 8, 64 and 512; then a
  queue of 64 under the load of 512.
- classes: exact classes of misses against what histories of accesses tell
  (kst-dev estimate), on the traces of the first boots and on litmus.py.

Each row is the median of --boots boots, with the smallest and the largest behind
it. Exit status 1 if one of the statements at the end of a part does not hold."""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "recorder"))
sys.dont_write_bytecode = True
import known_counts  # noqa: E402

sys.path.insert(0, HERE)
import kst_bench as kb  # noqa: E402
import litmus  # noqa: E402

GEOMETRIES = ["l1=32K/8,l2=1M/16,llc=16M/16", "l1=32K/8,l2=256K/8,llc=4M/16"]
PARTS = ["memcached", "apache", "classes"]
# What stands in a table, and which rows of the profile it adds up.
SK_BUFF, SOCKET, CONTROL = "sk_buff", "UDP socket", "file (control)"
MEMCACHED = {SK_BUFF: r"sk_buff|skbuff_head_cache", "packet data": r"skbuff_small_head|kmalloc-\S+@(__alloc_skb|kmalloc_reserve|sock_alloc_send_pskb)",
             SOCKET: r"udp_sock|UDP", CONTROL: r"file|filp"}
SOCKETS, TASKS = "sockets", "task_struct"
APACHE = {SOCKETS: r"tcp_sock|TCP|tcp_request_sock|request_sock_TCP|socket_alloc|sock_inode_cache|sk_buff\w*|skbuff_\w+|"
                   r"kmalloc-\S+@(__alloc_skb|kmalloc_reserve|sock_alloc_send_pskb)",
          TASKS: r"task_struct"}


# Exact classes, and what histories should say.
GUESSES = {"cold": "first", "cold-foreign": "first", "cold-clean": "first", "true-sharing": "true-sharing", "false-sharing": "false-sharing",
           "conflict": "conflict", "capacity": "capacity"}
HOT_TYPES, PLACES = 8, 3
TURNS = 3  # of the queue, at least: an object's first access in the window is cold


class Run:
    """One boot: its trace, its requests, and its profile for each geometry."""

    def __init__(self, args, directory, source, settings):
        """What is in the directory from an earlier time is not made again."""
        os.makedirs(directory, exist_ok=True)
        words = " ".join(f"{name}={value}" for name, value in settings.items())
        self.trace, console = os.path.join(directory, "run.kstt"), os.path.join(directory, "console")
        reports = [os.path.join(directory, re.sub(r"\W", "-", cache) + ".json") for cache in args.cache]
        if not os.path.exists(self.trace) and not all(map(os.path.exists, reports)):
            self.record(args, directory, source, words, console)
        with open(console, errors="replace") as file:
            text = file.read()
        said = re.search(r"case requests (\d+)(.*)", text)
        if not said:
            sys.exit(f"the guest of {source} ({words}) did not finish:\n{text[-2000:]}")
        self.requests, self.more = int(said.group(1)), said.group(2).split()
        self.profiles = [self.profile(args, cache, report) for cache, report in zip(args.cache, reports)]

    def record(self, args, directory, source, words, console):
        initrd, window = known_counts.guest(directory, os.path.join(HERE, "dprof_cases", source))
        done = subprocess.run([args.tool, "trace", "record", "--quiet", "--kernel", args.kernel, "--initrd", initrd,
                               "--append", "rdinit=/init quiet " + words, "--window", "%#x:%#x" % window, "--timeout", "500",
                               "--console", console, *(["--icount"] if args.icount else []), "-o", self.trace])
        if done.returncode:
            sys.exit(f"trace record failed with the guest of {source} ({words})")

    def profile(self, args, cache, report):
        if not os.path.exists(report) and subprocess.run([args.tool, "dprof", "--quiet", "--trace", self.trace, "--cache", cache,
                                                          "--json", report]).returncode:
            sys.exit("dprof failed")
        return kb.read_json(report)["profile"]


def misses(counts, *classes):
    """At L2; of these classes, or of all."""
    return sum(number for name, number in counts["misses"]["l2"].items() if not classes or name in classes)


def rows_of(data, pattern):
    return [row for row in data["types"] if re.fullmatch(pattern, row["name"])]


def share(part, whole):
    return 100 * part / whole if whole else 0.0


def spread(values, digits=1):
    """Of several boots.

    >>> spread([1, 3, 2]), spread([2.04])
    ('2.0 (1.0-3.0)', '2.0')
    """
    middle, least, most = (f"{number:.{digits}f}" for number in (statistics.median(values), min(values), max(values)))
    return middle if least == most else f"{middle} ({least}-{most})"


def holds(statement, is_true):
    print(f"{'yes' if is_true else 'NO '}  {statement}")
    return is_true


def moved(rows):
    return share(sum(row["moved_objects"] for row in rows), sum(row["objects"] for row in rows))


def memcached(args, scratch):
    """Returns whether all holds, and traces by name."""
    runs, traces = {"other": [], "same": []}, {}
    for boot in range(args.boots):
        for where, steer in (("other", 1), ("same", 0)):
            directory = os.path.join(scratch, f"memcached-{where}-{boot}")
            run = Run(args, directory, "echo.c", {"steer": steer, "requests": args.requests})
            runs[where].append(run)
            keep(run, boot, f"memcached, {where} CPU", traces)
    good = True
    for at, cache in enumerate(args.cache):
        def values(where, pattern, value):
            return [value(run, rows_of(run.profiles[at], pattern)) for run in runs[where]]

        measures = [lambda run, rows: moved(rows),
                    lambda run, rows: 1000 * sum(row["moves"] for row in rows) / max(1, sum(row["counts"]["loads"] + row["counts"]["stores"] for row in rows)),
                    lambda run, rows: sum(misses(row["counts"]) for row in rows) / run.requests]
        seen = {name: [[values(where, pattern, value) for where in runs] for value in measures]
                for name, pattern in [*MEMCACHED.items(), ("all but user space", "(?!user space).*"), ("all", ".*")]}
        print(f"\nmemcached, {cache}, {args.boots} boots, {runs['same'][0].requests} requests each; the packets' CPU is the other one or the same\n")
        kb.table(["type", "moved %, other", "same", "moves/1000, other", "same", "L2 misses/request, other", "same", "times"],
                 [[name, *(spread(where, digits) for value, digits in zip(of, (1, 2, 3)) for where in value),
                   f"{statistics.median(of[2][0]) / max(1e-9, statistics.median(of[2][1])):.1f}" if statistics.median(of[2][1]) else ""]
                  for name, of in seen.items()])
        print()
        for name in (SK_BUFF, "packet data", SOCKET):
            good &= holds(f"{name} moves in all boots (over 50 % of objects) and does not in the control (under 5 %)",
                          min(seen[name][0][0]) > 50 and max(seen[name][0][1]) < 5)
        good &= holds(f"{CONTROL} moves in neither (under 5 %)", max(seen[CONTROL][0][0] + seen[CONTROL][0][1]) < 5)
        good &= holds("L2 misses per request fall by 1.5 times or more, worst boot against worst boot",
                      min(seen["all"][2][0]) >= 1.5 * max(seen["all"][2][1]))
    return good, traces


def keep(run, boot, name, traces):
    """The first boot's trace, for the classes."""
    if boot == 0:
        traces[name] = run.trace
    elif os.path.exists(run.trace):
        os.remove(run.trace)


def apache(args, scratch):
    cases = {"8": (8, 8), "64": (64, 64), "512": (512, 512), "64 of 512": (64, 512)}
    runs, traces = {name: [] for name in cases}, {}
    for boot in range(args.boots):
        for name, (backlog, load) in cases.items():
            directory = os.path.join(scratch, f"apache-{name}-{boot}".replace(" ", "-"))
            run = Run(args, directory, "backlog.c", {"backlog_size": backlog, "load": load, "replies": max(args.replies, TURNS * backlog)})
            runs[name].append(run)
            keep(run, boot, f"apache, {name}", traces)
    good = True
    for at, cache in enumerate(args.cache):
        def values(name, value):
            return [value(run, run.profiles[at]) for run in runs[name]]

        def live(run, data):
            # At most: what was allocated before the window is known from its first access on, so all is at its end.
            return sum(row["live"]["most"] for row in rows_of(data, APACHE[SOCKETS])) / 1024

        def part(of, *classes):
            return lambda run, data: share(sum(misses(row["counts"], *classes) for row in rows_of(data, APACHE[of])), misses(data["all"], *classes))

        measures = {"open": (lambda run, data: float(run.more[run.more.index("open") + 1]), 1),
                    "refused/reply": (lambda run, data: int(run.more[run.more.index("refused") + 1]) / run.requests, 2),
                    "sockets live at most, KB": (live, 0), "their misses %": (part(SOCKETS), 1),
                    "of capacity %": (part(SOCKETS, "capacity"), 1),
                    "capacity/request": (lambda run, data: sum(misses(row["counts"], "capacity")
                                                               for row in rows_of(data, APACHE[SOCKETS])) / run.requests, 2),
                    "task_struct's misses %": (part(TASKS), 2), "of capacity % ": (part(TASKS, "capacity"), 2),
                    "all L2 misses/request": (lambda run, data: misses(data["all"]) / run.requests, 1)}
        seen = {name: {what: values(name, value) for what, (value, _) in measures.items()} for name in cases}
        middle = {name: {what: statistics.median(of) for what, of in row.items()} for name, row in seen.items()}
        print(f"\napache, {cache}, {args.boots} boots, {args.replies} replies each, {TURNS} times the queue at least\n")
        kb.table(["queue", *measures], [[name, *(spread(of[what], digits) for what, (_, digits) in measures.items())] for name, of in seen.items()])
        print()
        per = {name: middle[name]["sockets live at most, KB"] / middle[name]["open"] for name in ("64", "512")}
        good &= holds(f"live bytes of sockets grow with the queue: {per['64']:.1f} KB a connection at 64, {per['512']:.1f} KB at 512 (within a fifth)",
                      abs(per["64"] / per["512"] - 1) < 0.2)
        for what in ("their misses %", "of capacity %", "capacity/request"):
            good &= holds(f"{what} of sockets: larger at 512 than at 8 in each boot, capped between",
                          min(seen["512"][what]) > max(seen["8"][what]) and middle["64 of 512"][what] < middle["512"][what])
        good &= holds("the share of task_struct: smaller at 512 than at 8 in each boot, capped larger than at 512",
                      max(seen["512"]["task_struct's misses %"]) < min(seen["8"]["task_struct's misses %"])
                      and middle["64 of 512"]["task_struct's misses %"] > middle["512"]["task_struct's misses %"])
    return good, traces


def estimate(args, trace, cache, level):
    done = subprocess.run([kb.dev_tool(args.tool), "estimate", "--cache", cache, "--level", level, trace], stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit("kst-dev estimate failed")
    return json.loads(done.stdout)


def added(tables):
    """Tables {class: {guess: misses}} added up."""
    total = {name: dict.fromkeys(dict.fromkeys(GUESSES.values()), 0) for name in GUESSES}
    for table in tables:
        for name, of in table.items():
            for guess, number in of.items():
                total[name][guess] += number
    return total


def agreement(table):
    return share(sum(of.get(GUESSES[name], 0) for name, of in table.items()), sum(sum(of.values()) for of in table.values()))


def by_chance(table):
    """Agreement of guesses of these numbers that know nothing of the miss.

    >>> by_chance({"cold": {"first": 50}, "capacity": {"capacity": 25, "first": 25}})
    50.0
    """
    whole = sum(sum(of.values()) for of in table.values())
    guessed = {guess: sum(of.get(guess, 0) for of in table.values()) for guess in GUESSES.values()}
    return share(sum(sum(of.values()) * guessed[GUESSES[name]] for name, of in table.items()), whole * whole)


def confusion(table):
    columns = list(dict.fromkeys(GUESSES.values()))
    kb.table(["exact class", *columns, "agreement %"],
             [[name, *(f"{of[guess]:,}" for guess in columns), f"{share(of[GUESSES[name]], sum(of.values())):.1f}"]
              for name, of in table.items() if sum(of.values())])
    print(f"\nagreement {agreement(table):.1f} %, by chance {by_chance(table):.1f} %")


def disagreements(places, of):
    """The places with most misses of a type that the guess has otherwise."""
    wrong = {}
    for place in places:
        if place["type"] == of and GUESSES[place["exact"]] != place["guess"]:
            key = f"{place['exact']} as {place['guess']} in {place['function'] or '?'}()"
            wrong[key] = wrong.get(key, 0) + place["misses"]
    return "; ".join(f"{number:,} {name}" for name, number in sorted(wrong.items(), key=lambda row: (-row[1], row[0]))[:PLACES])


def number_of(table):
    return sum(sum(of.values()) for of in table.values())


def hot_types(found):
    """Of several traces: the types with most misses, and where the guess has them otherwise."""
    names = {}
    for row in (row for one in found for row in one["types"]):
        names[row["name"]] = names.get(row["name"], 0) + number_of(row["classes"])
    for name in sorted(names, key=lambda name: (-names[name], name))[:HOT_TYPES]:
        table = added(row["classes"] for one in found for row in one["types"] if row["name"] == name)
        yield [name, f"{number_of(table):,}", f"{agreement(table):.1f}", disagreements([place for one in found for place in one["places"]], name)]


def classes(args, scratch, traces):
    """It is measured how good the guess is; demanded is only that it is right where there is one cause."""
    program, tables = litmus.build(scratch), []
    for case, (_, rule, cpu) in litmus.CASES.items():
        if rule == "at-miss":
            tables.append(litmus.counted(args, program, case, "cause", scratch, "--estimate")["estimate"][cpu])
    litmus_table = added(tables)
    print(f"\nclasses, litmus programs, {litmus.GEOMETRY}, L1\n")
    confusion(litmus_table)
    for level, caches in (("l2", args.cache), ("l1", args.cache[:1])):
        for cache in caches:
            found = {name: estimate(args, trace, cache, level) for name, trace in traces.items()}
            print(f"\nclasses, {cache}, {level.upper()}\n")
            rows = {name: added(row["classes"] for row in one["types"]) for name, one in found.items()}
            kb.table(["trace", "misses", "agreement %", "by chance %"],
                     [[name, f"{number_of(table):,}", f"{agreement(table):.1f}", f"{by_chance(table):.1f}"] for name, table in rows.items()])
            print()
            confusion(added(rows.values()))
            print()
            kb.table(["type, all traces", "misses", "agreement %", "most of the others"], hot_types(found.values()), left=(0, 3))
    print()
    return holds("litmus programs: histories tell at least 99 % of the misses right", agreement(litmus_table) >= 99)


def main():
    p = kb.parser(__doc__)
    p.add_argument("--kernel", required=True, metavar="DIR", help="output directory of a kernel build with bench/recorder/trace.config")
    p.add_argument("--part", choices=PARTS, action="append", help="default: all")
    p.add_argument("--boots", type=int, default=3)
    p.add_argument("--requests", type=int, default=1000, help="of each client of the memcached case")
    p.add_argument("--replies", type=int, default=600, help="of the Apache case")
    p.add_argument("--cache", action="append", help="geometries, L1 and L2 and last level (default: two)")
    p.add_argument("--icount", action="store_true", help="the same run every time; CPUs take turns")
    p.add_argument("--scratch", metavar="DIR", help="keep profiles and the traces of the first boots there, and take those that are there; `--part classes` alone takes all traces there")
    args = p.parse_args()
    args.part, args.cache = args.part or PARTS, args.cache or GEOMETRIES
    with tempfile.TemporaryDirectory() as own:
        scratch = args.scratch or own
        os.makedirs(scratch, exist_ok=True)
        good, traces = True, {}
        for part, run in (("memcached", memcached), ("apache", apache)):
            if part in args.part:
                right, more = run(args, scratch)
                good, traces = good and right, {**traces, **more}
        if not traces:
            traces = {name: os.path.join(scratch, name, "run.kstt") for name in sorted(os.listdir(scratch))
                      if os.path.exists(os.path.join(scratch, name, "run.kstt"))}
        if "classes" in args.part:
            good &= classes(args, scratch, traces)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
