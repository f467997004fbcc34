#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# one_object.sh OUT PARTS NAMES OBJCOPY AR CC...: makes of the archive PARTS the archive OUT with one object, in which only
# the symbols of the file NAMES are global, so that what is internal cannot meet a name of the program's. For meson.build.
set -eu
out=$1 parts=$2 names=$3 objcopy=$4 ar=$5
shift 5
object=$out.p.o
"$@" -r -nostdlib -o "$object" -Wl,--whole-archive "$parts" -Wl,--no-whole-archive
"$objcopy" --keep-global-symbols="$names" "$object"
rm -f "$out"
"$ar" rcs "$out" "$object"
rm -f "$object"
