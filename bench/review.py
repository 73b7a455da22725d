#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`review` on edits of a kernel whose effect is known (data/review_edits.json):
commits of 6.x that added or moved a member of a hot struct, and prepared edits,
half of them harmless. For each what is found, and whether the member is named
with its places; then right, missed and false findings by kind. What is false of
the prepared ones their labels say, from before the first run; of the commits a
reader of the sources said it after seeing the findings: no held-out test.

Base and head are two directories with the changed files only. --time HEADER
times a review of one more member in HEADER against `clang -fsyntax-only -w` on
the units that see it, both with one process and CPU time counted."""

import collections
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import textwrap

import kst_bench as kb

DATA = os.path.join(kb.ROOT, "bench", "data", "review_edits.json")


def body_of(text, struct):
    """First and last character of a definition."""
    begin = re.search(rf"^struct {struct} \{{", text, re.M)
    if not begin:
        sys.exit(f"no struct {struct}")
    return begin.start(), begin.start() + re.search(r"^\}", text[begin.start():], re.M).start()


def line_of(body, member):
    """The lines of a declaration of one line, or of a few: begin and end."""
    for found in re.finditer(rf"^[^\n;*/]*[\s*(]{member}\b[^\n;]*;[^\n]*\n", body, re.M):
        return found.start(), found.end()
    sys.exit(f"no line declares {member}")


def without(text, struct, member):
    """The text without the member, and its line. A comment that the line opens
    and others close stays."""
    begin, end = body_of(text, struct)
    first, last = line_of(text[begin:end], member)
    line, stays = text[begin + first:begin + last], ""
    if line.rfind("/*") > line.rfind("*/"):
        line, _, rest = line.partition("/*")
        line, stays = line.rstrip() + "\n", "\t/*" + rest
    return text[:begin + first] + stays + text[begin + last:], line


def with_line(text, struct, line, after):
    begin, end = body_of(text, struct)
    _, last = line_of(text[begin:end], after)
    # Behind a comment that the line leaves open.
    place = begin + last
    if text[:place].rfind("/*") > text[:place].rfind("*/"):
        place = text.index("*/", place) + 2
        place = text.index("\n", place) + 1
    return text[:place] + line + text[place:]


def moved(text, struct, member, after):
    text, line = without(text, struct, member)
    return with_line(text, struct, line, after)


def function_text(text, name):
    begin = re.search(rf"^[a-z][^\n;]*\b{name}\([^;{{]*\)\n\{{", text, re.M)
    if not begin:
        sys.exit(f"no function {name}")
    return begin.start(), begin.start() + re.search(r"^\}\n", text[begin.start():], re.M).end()


def edited(case, data, source):
    """(base, head): texts by file."""
    base, head = {}, {}

    def text(file):
        if file not in head:
            with open(os.path.join(source, file)) as opened:
                base[file] = head[file] = opened.read()
        return head[file]
    struct = case["struct"]
    header = data["headers"][struct]
    for member, after in case.get("moves", []):
        head[header] = moved(text(header), struct, member, after)
    for declaration, after in case.get("adds", []):
        head[header] = with_line(text(header), struct, f"\t{declaration}\n", after)
    if "added" in case:
        base[header] = without(text(header), struct, case["added"])[0]
    if "moved" in case:
        base[header] = moved(text(header), struct, case["moved"], case["was_after"])
    for code in case.get("code", []):
        whole = text(code["file"])
        begin, end = function_text(whole, code["into"])
        body = whole[begin:end]
        if code["at"] not in body:
            sys.exit(f"{case['name']}: {code['into']}() has no {code['at']}")
        at = body.index("\n", body.index(code["at"])) + 1
        head[code["file"]] = whole[:begin] + body[:at] + "\t" + code["statement"] + "\n" + body[at:] + whole[end:]
    for file, old, new in case.get("replace", []):
        if old not in text(file):
            sys.exit(f"{case['name']}: {file} has no {old!r}")
        head[file] = text(file).replace(old, new, 1)
    if "rename" in case:
        old, new, folder = case["rename"]
        for name in sorted(os.listdir(os.path.join(source, folder))):
            file = f"{folder}/{name}"
            if name.endswith((".c", ".h")) and re.search(rf"\b{old}\b", text(file)):
                head[file] = re.sub(rf"\b{old}\b", new, text(file))
            else:
                head.pop(file, None), base.pop(file, None)
    if "function_after" in case:
        file, name, other = case["function_after"]
        whole = text(file)
        begin, end = function_text(whole, name)
        cut, rest = whole[begin:end], whole[:begin] + whole[end:]
        place = function_text(rest, other)[1]
        head[file] = rest[:place] + "\n" + cut + rest[place:]
    return base, head


def write(root, texts):
    for file, text in texts.items():
        os.makedirs(os.path.dirname(os.path.join(root, file)), exist_ok=True)
        with open(os.path.join(root, file), "w") as opened:
            opened.write(text)


def review(args, source, obj, texts, paths):
    """The review as JSON, and what it said on stderr."""
    with tempfile.TemporaryDirectory() as scratch:
        for name, part in zip("ab", texts):
            os.mkdir(os.path.join(scratch, name))
            write(os.path.join(scratch, name), part)
        report = os.path.join(scratch, "review.json")
        done = subprocess.run([args.tool, "review", f"{scratch}/a..{scratch}/b", "-p", obj, "--json", report, "--quiet", *paths],
                              cwd=source, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            return None, done.stderr.strip()
        return kb.read_json(report), done.stderr.strip()


def named(report, struct, members):
    rows = {field["name"] for s in report["structs"] if s["struct"] == struct for field in s["fields"]
            if field["change"] != "shifted"}
    return all(member in rows for member in members)


def members_of(case):
    """What an edit is about."""
    return [case[key] for key in ("added", "moved") if key in case] + [m for m, _ in case.get("moves", [])] + \
           [re.search(r"(\w+)(\[\w+\])?;$", d).group(1) for d, _ in case.get("adds", [])]


def judge(case, report):
    """right, missed, false: lists of kinds."""
    kinds = [finding["kind"] for finding in report["findings"]]
    allowed = set(case.get("expect", [])) | set(case.get("also", []))
    right = [kind for kind in kinds if kind in allowed]
    wrong = [kind for kind in kinds if kind not in allowed]
    missed = [] if not case.get("expect") or set(kinds) & set(case["expect"]) else ["|".join(case["expect"])]
    return right, missed, wrong


VERDICTS = ("right", "minor", "cut", "missed", "false", "not judged")


def verdicts(case, report):
    """What a reader said of each finding, or of one that should have come: pairs
    of its kind and the word, those of the report first and in its order."""
    said = {key: word for key, (word, _) in case.get("judged", {}).items()}
    come = [finding["key"] for finding in report["findings"]]
    missed = [key for key, word in said.items() if key not in come and word in ("right", "missed")]
    # One that should have come and now does.
    words = ["right" if said.get(key) == "missed" else said.get(key, "not judged") for key in come]
    return [(key.split()[0], word) for key, word in zip(come + missed, words + ["missed"] * len(missed))]


def run_history(args, data, source, obj, cases):
    rows, silent, counts = [], [], collections.Counter()
    for case in cases:
        report, said = review(args, source, obj, edited(case, data, source), data["paths"][case["paths"]])
        name = f"{case['commit']} {case['what']}"
        if report is None:
            rows.append([name, case["struct"], said.splitlines()[-1][:60] if said else "failed"])
            counts["failed"] += 1
            continue
        counts["named"] += named(report, case["struct"], members_of(case))
        counts["beyond"] += bool(judge(case, report)[2])
        judged = verdicts(case, report)
        counts.update(judged)
        if judged:
            rows.append([name, case["struct"], ", ".join(f"{kind}: {word}" for kind, word in judged)])
        else:
            silent.append(case["commit"])
        if args.verbose:
            for finding in report["findings"]:
                word, why = case.get("judged", {}).get(finding["key"], ("not judged", ""))
                print(f"  {name}: {finding['kind']} {finding['grade']} {finding['struct']} {finding['said']}\n    {word}: {why}", file=sys.stderr)
    print(f"\nhistory: {len(cases)} edits, {counts['named']} named, {counts['beyond']} with findings that no label from before has, {counts['failed']} failed\n")
    kb.table(["edit", "struct", "findings, judged after they were seen"], rows, left=(0, 1, 2))
    print("\n" + "\n".join(textwrap.wrap(f"silent: {', '.join(silent)}", 120)))
    kinds = sorted({key[0] for key in counts if isinstance(key, tuple)})
    print()
    kb.table(["kind", *VERDICTS], [[kind, *(counts[kind, word] for word in VERDICTS)] for kind in kinds] +
             [["all", *(sum(counts[kind, word] for kind in kinds) for word in VERDICTS)]])


def run(args, data, source, obj, cases, title):
    rows, counts = [], collections.Counter()
    for case in cases:
        texts = edited(case, data, source)
        report, said = review(args, source, obj, texts, data["paths"][case["paths"]])
        name = case["name"]
        if report is None:
            rows.append([name, case["struct"], "-", said.splitlines()[-1][:60] if said else "failed", "", ""])
            counts["failed"] += 1
            continue
        right, missed, wrong = judge(case, report)
        members = members_of(case)
        rows.append([name, case["struct"], {True: "yes", False: "no"}[named(report, case["struct"], members)] if members else "",
                     ", ".join(f"{f['kind']} {f['grade']}" for f in report["findings"]) or "silent", ", ".join(missed), ", ".join(wrong)])
        for kind in right:
            counts[kind, "right"] += 1
        for kind in missed:
            counts[kind, "missed"] += 1
        for kind in wrong:
            counts[kind, "false"] += 1
        counts["alarms"] += bool(report["findings"]) and bool(wrong)
        if args.verbose:
            for finding in report["findings"]:
                print(f"  {name}: {finding['kind']} {finding['grade']} {finding['struct']} {finding['said']}", file=sys.stderr)
    print(f"\n{title}: {len(cases)} edits, {counts['alarms']} with a false alarm, {counts['failed']} failed\n")
    kb.table(["edit", "struct", "named", "findings", "missed", "false"], rows, left=(0, 1, 2, 3, 4, 5))
    kinds = sorted({key[0] for key in counts if isinstance(key, tuple)})
    if kinds:
        print()
        kb.table(["kind", "right", "missed", "false"], [[kind, *(counts[kind, what] for what in ("right", "missed", "false"))] for kind in kinds])


def cpu(command, cwd):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{command[0]}: {done.stderr.strip()[-300:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def timed(args, source, obj, header, struct, member):
    """One member more in a header: CPU time cold, with the base's facts, again."""
    with tempfile.TemporaryDirectory() as scratch:
        with open(os.path.join(source, header)) as opened:
            text = opened.read()
        write(f"{scratch}/a", {header: text})
        write(f"{scratch}/b", {header: with_line(text, struct, "\tunsigned int kst_new;\n", member)})
        listing = os.path.join(scratch, "units.json")
        subprocess.run([kb.dev_tool(args.tool), "units", "-p", obj, "--json", listing, header], cwd=source, check=True, stdout=subprocess.DEVNULL)
        clang = 0
        units = kb.read_json(listing)["units"]
        for unit in units:
            clang += cpu([args.clang, "-fsyntax-only", "-w", *unit["arguments"]], unit["directory"])
        command = [args.tool, "review", f"{scratch}/a..{scratch}/b", "-p", obj, "-j", "1", "--quiet", "--cache-dir", f"{scratch}/cache"]
        cold = cpu(command, source)
        again = cpu(command, source)
    print(f"\none more member of struct {struct} in {header}: {len(units)} units see it\n")
    kb.table(["what", "CPU s", "times clang"], [["clang -fsyntax-only -w, one by one", f"{clang:.1f}", "1.00"],
                                                 ["review, nothing in the cache", f"{cold:.1f}", f"{cold / clang:.2f}"],
                                                 ["the same again", f"{again:.1f}", f"{again / clang:.2f}"]], left=(0,))


def main():
    p = kb.parser(__doc__)
    p.add_argument("--source", metavar="DIR", help="a source tree of 6.12 (default: that of scripts/kernel-tree)")
    p.add_argument("--build", metavar="DIR", help="its build directory")
    p.add_argument("--only", metavar="REGEX", default="", help="only edits whose name, commit or struct matches")
    p.add_argument("--time", metavar="HEADER:STRUCT:MEMBER", help="time a review instead")
    p.add_argument("--clang", default="clang-19")
    p.add_argument("--verbose", action="store_true", help="each finding on stderr")
    args = p.parse_args()
    kb.use_cache(args)
    source = os.path.abspath(args.source) if args.source else kb.kernel_tree("unpack")
    obj = os.path.abspath(args.build) if args.build else kb.kernel_tree("build", "x86_64", "kernel/sched/", "net/", "fs/", "mm/")
    if args.time:
        return timed(args, source, obj, *args.time.split(":"))
    with open(DATA) as opened:
        data = json.load(opened)
    for title, harmless in (("history", None), ("prepared", False), ("harmless", True)):
        cases = data["history"] if harmless is None else [c for c in data["prepared"] if bool(c.get("harmless")) == harmless]
        cases = [c for c in cases if re.search(args.only, " ".join([title, c.get("name", ""), c.get("commit", ""), c["struct"]]))]
        if cases and harmless is None:
            run_history(args, data, source, obj, cases)
        elif cases:
            run(args, data, source, obj, cases, title)


if __name__ == "__main__":
    main()
