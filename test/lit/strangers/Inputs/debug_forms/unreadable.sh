#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# unreadable.sh COMMAND TOOLS: what COMMAND says of a program whose debug
# information is not there, by what makes it so.
here=$(cd "$(dirname "$0")" && pwd)
command=$1 tools=$2
cp "$here"/[ab].c "$here"/types.h .

say() { # KIND
  $command image >out.txt 2>err.txt
  echo "$1: exit $?: $(cat err.txt)"
}
build() { # FLAGS...
  rm -f image* ./*.o ./*.dwo
  for unit in a b; do gcc "$@" -c $unit.c || exit 1; done
  gcc "$@" a.o b.o -o image -Wl,--build-id=sha1
}
strip_to() { # FILE
  objcopy --only-keep-debug image "$1" && strip image
}

build -g -gsplit-dwarf
"$tools/llvm-dwp" a.dwo -o kept.dwp
mv b.dwo kept.dwo
say split
cp a.dwo b.dwo
say stale
mv kept.dwp image.dwp
say package
build -g
strip_to away.debug
say stripped
build -g
strip_to image.debug
objcopy --add-gnu-debuglink=image.debug image
mv image.debug kept.debug
say nameless
echo >>kept.debug && mv kept.debug image.debug
say other
build -g0
say none
build -g1
say lines
build -g0
echo x >section
objcopy --add-section .BTF=section image
say btf
build -g
objcopy --add-section .gnu_debugaltlink=section image
say alternative
build -g
"$tools/llvm-objcopy" --compress-debug-sections=zlib image
python3 "$here/break_section.py" image .debug_info
say damaged
build -g0
objcopy --add-section __ksymtab=section image
say kernel
