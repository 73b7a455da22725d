#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# judge.sh DIR KST KST-DEV: what is read of DIR/base/image is what compiler, nm
# and addr2line say, and of every other form the same bytes.
here=$(cd "$(dirname "$0")" && pwd)
kst=$2 dev=$3
cd "$1" || exit 1
export KST_DEBUG_DIR=$PWD/ids
bad() { echo "judge: $*" >&2; exit 1; }

all() { # FORM: every answer about it, in the words of no form
  for command in "$dev debug $1/image node table anchor point only_b" \
      "$kst contexts graph --anchor anchor --binary $1/image" \
      "$kst isolation globals $1/image --heat none" \
      "$kst profile import --binary $1/image lines.info -o -"; do
    echo "\$ ${command/#*\//}"
    $command 2>&1 || echo "exit $?"
  done | sed "s|$1/|FORM/|g"
}

cat >lines.info <<INFO
SF:$here/b.c
FN:15,use
FNDA:7,use
DA:17,7
end_of_record
INFO
all base >base.txt
$kst contexts graph --anchor anchor --binary base/image | sed 's|base/|FORM/|' >graph.txt
grep -a '^exit' base.txt && bad "see base.txt"

gcc -w "$here/layout.c" -o layout && ./layout >layout.txt
sed -n '/^struct node/,/^[^ ]/p' base.txt | head -n "$(wc -l <layout.txt)" | diff - layout.txt || bad "not the compiler's layout"
nm -S base/image | awk '$3 ~ /[BD]/ && NF == 4 && $4 !~ /^_|^completed/ {sub(/\..*/, "", $4); sub(/^0+/, "", $1); print $4, $1, $2}' | while read -r name at size; do
  grep -aqi "^global $name 0x$at $((16#$size)) " base.txt || bad "no global $name $at $size"
done || exit 1
grep -a '^code' base.txt | while read -r line; do
  at=${line#code }
  want=$(addr2line -s -e base/image "${at%%-*}" | sed 's/ (discriminator.*//')
  line=${line#*, line *; } line=${line%%;*}
  [ "${line##* }" = "$want" ] || bad "$at: addr2line has $want"
done || exit 1

for image in */image; do
  form=${image%/image}
  # LLVM 19 does not find types in a package of DWARF 4.
  [ $form = package-split-types4 ] && "$dev" debug $image node 2>&1 | grep -q 'this LLVM does not find' && continue
  all "$form" | diff -a base.txt - >diff.txt || { cat diff.txt; bad "$form is not as base"; }
  [ -f $form/whole.o ] || continue
  $kst contexts graph --anchor anchor --binary $form/whole.o 2>&1 | sed "s|$form/whole.o|FORM/image|" |
    diff - graph.txt || bad "$form/whole.o is not as base"
done
