#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The HTML of each view of `kstatic-affinity dprof` in headless Chromium.

Of each trace, by default one made by chance with --types types: the page asks the
network for nothing, writes no error to the console, and is not wider than --width,
as it opens and with all its folds open. The same of all views at once, with what the
source says and the replay of the proposed order, on two threads of hardware/lane that
the plugin made record themselves. A page that does all three is looked at
first: it must be caught. --out keeps the pages and pictures of
them. Exit status 1 if a page does otherwise."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import kst_bench as kb

VIEWS = ["profile", "misses", "working-set", "flow"]
HEIGHT = 2000
# Its own errands (updates, dictionaries) find no host and are not the page's.
QUIET = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-default-apps", "--host-resolver-rules=MAP * ~NOTFOUND"]
# Appended to a copy of the page; the page itself is opened as it is.
PROBE = """<script>
if (%s) for (const d of document.querySelectorAll("details")) d.open = true;
document.documentElement.setAttribute("data-widths", document.documentElement.scrollWidth + " " + innerWidth);
</script>"""


def chromium(args, scratch, page, *options):
    name = shutil.which("chromium") or shutil.which("chromium-browser") or sys.exit("no chromium: apt-get install chromium")
    done = subprocess.run([name, *QUIET, f"--user-data-dir={scratch}/profile", f"--window-size={args.width},{HEIGHT}", *options, "file://" + page],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", timeout=300)
    if done.returncode:
        sys.exit(f"chromium failed on {page}:\n" + done.stderr[-2000:])
    return done.stdout, done.stderr


def requests(path):
    """What the page asked the network for; the browser's own errands have no origin. The log may lack its end."""
    with open(path) as file:
        text = file.read()
    try:
        log = json.loads(text)
    except ValueError:
        log = json.loads(text.rstrip().rstrip(",") + "]}")
    start = log["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    asked = [event.get("params", {}) for event in log["events"] if event["type"] == start]
    return sorted({of["url"] for of in asked if of.get("initiator") == "null" and not of["url"].startswith(("file:", "data:"))})


def width(args, scratch, page, folds):
    with open(page) as file:
        text = file.read()
    copy = os.path.join(scratch, "copy.html")
    with open(copy, "w") as file:
        file.write(text.replace("</body>", PROBE % ("true" if folds else "false") + "</body>"))
    found = re.search(r'data-widths="(\d+) (\d+)"', chromium(args, scratch, copy, "--dump-dom")[0])
    return tuple(map(int, found.groups())) if found else sys.exit(f"{page}: the probe did not run")


def look(args, scratch, page):
    """What is counted of a page; whether nothing is wrong."""
    log = os.path.join(scratch, "net.json")
    _, said = chromium(args, scratch, page, "--screenshot=" + page[:-4] + "png", "--enable-logging=stderr", "--log-net-log=" + log)
    asked, errors = requests(log), re.findall(r"CONSOLE.*", said)
    widths = [width(args, scratch, page, folds)[0] for folds in (False, True)]
    return [len(errors), len(asked), *widths], asked + errors, max(widths) <= args.width


def lane(args, scratch):
    """A trace of a program, and the options that give its source."""
    libraries = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(args.tool))), "lib")
    folder = os.path.join(scratch, "source")
    shutil.copytree(os.path.join(kb.ROOT, "bench", "hardware"), folder)
    files = ["run.c", *(f"lane/{name}.c" for name in ("lane", "balance", "drive"))]
    program, raw, trace = (os.path.join(scratch, name) for name in ("lane", "lane.ksttrace", "lane.kstt"))
    subprocess.run([args.clang, "-O2", "-gline-tables-only", "-no-pie", f"-fpass-plugin={libraries}/KstCounters.so", "-o", program, *files,
                    f"{libraries}/libkst_rt.a", "-lpthread"], cwd=folder, check=True, env={**os.environ, "KST_OPTIONS": "structs=lane,task mode=trace"})
    subprocess.run([program, "both", "64", "20000", "4000", "0", "1"], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "KST_TRACE_FILE": raw, "KST_FILE": os.path.join(scratch, "counts")})
    subprocess.run([args.tool, "--quiet", "trace", "import", raw, "--binary", program, "-o", trace], check=True)
    with open(os.path.join(folder, "compile_commands.json"), "w") as file:
        json.dump([{"directory": folder, "file": name, "arguments": ["cc", "-O2", "-c", name]} for name in files], file)
    return trace, ["--cache", "l1=32K/8,l2=1M/16,llc=16M/16", "-p", folder, *(os.path.join(folder, name) for name in files)]


def bad_page(args, scratch):
    """Whether a page with each fault is caught."""
    page = os.path.join(scratch, "bad.html")
    with open(page, "w") as file:
        file.write(f'<!DOCTYPE html><body><img src="http://example.com/a.png"><script>missing();</script><div style="width:{2 * args.width}px">wide</div></body>')
    counts, _, fits = look(args, scratch, page)
    return counts[0] == 1 and counts[1] == 1 and not fits


def main():
    p = kb.parser(__doc__)
    p.add_argument("traces", nargs="*", type=os.path.abspath)
    p.add_argument("--types", type=int, default=220)
    p.add_argument("--width", type=int, default=1280)
    p.add_argument("--clang", default="clang-19", help="that the plugin is built for (default: %(default)s)")
    p.add_argument("--out", type=os.path.abspath, metavar="DIR")
    args = p.parse_args()
    rows, good = [], True
    with tempfile.TemporaryDirectory() as scratch:
        if args.out:
            os.makedirs(args.out, exist_ok=True)
        if not args.traces:
            args.traces = [os.path.join(scratch, "sample.kstt")]
            subprocess.run([kb.dev_tool(args.tool), "trace-sample", "--events", "2000000", "--types", str(args.types), "-o", args.traces[0]], check=True)
        if not bad_page(args, scratch):
            sys.exit("the bad page is not caught: this Chromium says other things than are looked for")
        program, source = lane(args, scratch)
        pages = [(trace, view, ["--view", view]) for trace in args.traces for view in VIEWS] + [(program, "all, source", source)]
        for trace, view, options in pages:
            page = os.path.join(args.out or scratch, f"{os.path.splitext(os.path.basename(trace))[0]}-{view.replace(', ', '-')}.html")
            if subprocess.run([args.tool, "dprof", "--quiet", "--trace", trace, "--html", page, *options]).returncode:
                sys.exit("dprof failed")
            counts, wrong, fits = look(args, scratch, page)
            for what in wrong:
                print(f"{page}: {what}", file=sys.stderr)
            right = fits and not wrong
            good &= right
            rows.append([os.path.basename(trace), view, f"{os.path.getsize(page) / 1024:.0f}", *counts, "yes" if right else "NO"])
    kb.table(["trace", "view", "KiB", "console errors", "network", "width", "folds open", "right"], rows, left=(0, 1))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
