#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# forms.sh DIR TOOLS COMPILER FLAGS...: one program in every form in which debug
# information is shipped, each in a folder of DIR with a file `image`. TOOLS: where llvm-dwp and llvm-objcopy are.
set -e
here=$(cd "$(dirname "$0")" && pwd)
dir=$1 tools=$2
shift 2
mkdir -p "$dir"
cd "$dir"

# form NAME FLAGS...: compiled and linked, and linked to an object with
# relocations, whole.o.
form() {
  local name=$1
  shift
  mkdir -p "$name"
  (cd "$name" && for unit in a b; do "${compiler[@]}" "$@" -c "$here/$unit.c" -o $unit.o || exit 1; done &&
    "${compiler[@]}" "$@" a.o b.o -o image -Wl,--build-id=sha1 && ld -r a.o b.o -o whole.o)
}
compiler=("$@" -g)

form base -gdwarf-5
form dwarf4 -gdwarf-4
for version in 4 5; do
  form types$version -gdwarf-$version -fdebug-types-section
  form split$version -gdwarf-$version -gsplit-dwarf
  form split-types$version -gdwarf-$version -gsplit-dwarf -fdebug-types-section
  # moved with its .dwo files, which are found beside it
  mkdir moved$version && cp split$version/image split$version/*.dwo moved$version
  for of in split split-types; do
    mkdir package-$of$version && cp $of$version/image package-$of$version
    # llvm-dwp does not end on some files of gcc with DWARF 5.
    timeout 10 "$tools/llvm-dwp" -e $of$version/image -o package-$of$version/image.dwp ||
      { rm -r package-$of$version && case $1 in *gcc*) ;; *) exit 1 ;; esac; }
  done
done
for of in 4 5; do mv split$of kept$of; done # what was moved must not find them
form zlib -gdwarf-5 -gz=zlib
if "$tools/llvm-objcopy" --compress-debug-sections=zstd base/image zstd.tmp 2>/dev/null; then
  mkdir zstd && mv zstd.tmp zstd/image
fi

if command -v dwz >/dev/null; then
  for of in base dwarf4; do # it does not know .debug_addr of clang
    readelf -SW $of/image | grep -q '\.debug_addr' || (mkdir dwz-$of && dwz $of/image -o dwz-$of/image)
  done
fi

# Debug files: stripped of debug information, and of symbols too.
for strip in debug all; do
  mkdir link-$strip hidden-$strip id-$strip
  objcopy --only-keep-debug base/image link-$strip/image.debug
  objcopy --strip-$strip base/image link-$strip/image
  cp link-$strip/image id-$strip/image
  (cd link-$strip && objcopy --add-gnu-debuglink=image.debug image)
  mkdir hidden-$strip/.debug
  cp link-$strip/image hidden-$strip
  cp link-$strip/image.debug hidden-$strip/.debug
done
id=$(readelf -n base/image | sed -n 's/.*Build ID: //p')
mkdir -p ids/.build-id/${id:0:2}
cp link-all/image.debug ids/.build-id/${id:0:2}/${id:2}.debug
