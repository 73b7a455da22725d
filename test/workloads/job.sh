#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# job.sh N [FOLDER]: builds N "programs" in FOLDER as a make would: short
# processes that read many files, filter them through pipes, allocate, write an
# output each, pack and compare it, and remove it in the end.
set -e
Count=${1:-5}
Here=$(mktemp -d "${2:-/tmp}/work-XXXXXX")
cd "$Here"
Here=$PWD
mkdir source object
for I in $(seq 20); do
  seq $((I * 100)) $((I * 100 + 80)) | sed "s/.*/int value_&_$I(void);/" >source/$I.h
done
for N in $(seq "$Count"); do
  for I in $(seq 3); do
    cat source/*.h | awk -v n="$I" '{ seen[$2]++ } END { for (name in seen) print name, n * seen[name] }' |
      sort | tee object/$I.list | gzip >object/$I.gz
    gzip -dc object/$I.gz | cmp - object/$I.list
    grep -c "value" object/$I.list >object/$I.count
  done
  cat object/*.list | sort -u >program
  [ "$(wc -l <program)" -ge 1600 ]
  find . -name '*.list' | xargs rm
  cp program program.copy
  cmp program program.copy
  tar -cf all.tar object program
  [ "$(tar -tf all.tar | wc -l)" -ge 7 ]
  rm -r object program program.copy all.tar
  mkdir object
done
cd /
rm -r "$Here"
echo "programs=$Count"
