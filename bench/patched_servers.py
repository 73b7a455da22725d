#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do three servers pass their own tests with the tool's patches?

memcached, redis and lighttpd, from the distribution's source packages, are built with clang and AddressSanitizer. Their tests run
without patches (twice: what does not pass both times is not asked) and with the patches that the tool proposes for the structs of
the list, all together, and with --each one by one; with --sharing, with the one patch of `sharing --patch`. A test that passed and
no longer does is a difference.

Prints a line for each build; exit status 1 if one differs or does not build. The builds stay in --out."""

import os
import subprocess
import sys

import kst_bench as kb
import server_builds as servers


def arguments():
    p = kb.parser(__doc__)
    p.add_argument("--server", action="append", choices=servers.SERVERS, help="only this one; may be repeated")
    p.add_argument("--struct", action="append", metavar="NAME", help="instead of those of the list; may be repeated")
    p.add_argument("--each", action="store_true", help="one build for each patch too")
    p.add_argument("--sharing", action="store_true", help="what `sharing --patch` gives instead of patches of structs")
    p.add_argument("--quick", action="store_true", help="a part of the tests")
    p.add_argument("--options", default="", metavar="WORDS", help="more options of the tool")
    p.add_argument("--out", type=os.path.abspath, default="patched-servers", metavar="DIR")
    return p.parse_args()


def base(args, server):
    """(folder, tests that pass) of the server without patches; made once."""
    folder = os.path.join(args.out, server.name, "plain")
    kept = f"{folder}.{'quick' if args.quick else 'all'}.passed"
    if not os.path.exists(kept):
        if not os.path.exists(os.path.join(folder, "compile_commands.json")):
            os.makedirs(os.path.dirname(folder), exist_ok=True)
            servers.build(server, os.path.join(args.out, "sources"), folder)
        passed = servers.tests(server, folder, args.quick)[0] & servers.tests(server, folder, args.quick)[0]
        with open(kept, "w") as file:
            file.write("".join(name + "\n" for name in sorted(passed)))
    with open(kept) as file:
        return folder, set(file.read().splitlines())


def propose(args, server, folder, struct):
    """(patch or None, words); struct None: of what threads share."""
    asked = ["--struct", struct] if struct else ["sharing"]
    struct = struct or "sharing"
    patch = os.path.join(args.out, server.name, struct + ".patch")
    if os.path.exists(patch):
        os.remove(patch)
    command = [args.tool, *asked, "-p", folder, "--quiet", "--patch", patch, "--cache-dir", os.path.join(args.out, "facts"),
               *args.options.split(), *server.paths]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]
    return (patch, "patch") if os.path.exists(patch) else (None, said[:120])


def differences(args, server, patches, name, passed, once=False, timeout=900):
    """What a build with these patches no longer does. Tests that fail are run again, unless `once`: tests of servers look at clocks."""
    folder = os.path.join(args.out, server.name, name)
    try:
        servers.patched(server, os.path.join(args.out, server.name, "plain"), folder, patches)
    except servers.Failed as error:
        return [str(error)]
    now, ended = servers.tests(server, folder, args.quick, timeout)
    lost = sorted(passed - now)
    if lost and not once:
        lost = sorted(set(lost) - servers.tests(server, folder, args.quick, timeout)[0])
    return ([] if ended else ["the tests did not end"]) + [f"fails: {test}" for test in lost]


def main():
    args = arguments()
    wrong = 0
    for name in args.server or servers.SERVERS:
        server = servers.SERVERS[name]
        folder, passed = base(args, server)
        structs = [None] if args.sharing else args.struct or server.structs
        answers = {struct or "sharing": propose(args, server, folder, struct) for struct in structs}
        patches = {struct: patch for struct, (patch, _) in answers.items() if patch}
        for struct, (patch, said) in answers.items():
            if not patch:
                print(f"{name} {struct}: no patch: {said}")
        builds = {"all": list(patches.values())}
        if args.each:
            builds |= {struct: [patch] for struct, patch in patches.items()}
        for build, chosen in builds.items():
            found = differences(args, server, chosen, build, passed)
            wrong += bool(found)
            print(f"{name}, {build}: {len(chosen)} patches ({', '.join(patches) if build == 'all' else build}): " +
                  (f"passes the {len(passed)} tests" if not found else f"{len(found)} DIFFERENCES: " + "; ".join(found[:4])), flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
