# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Part of tests/run: cache-log-pages on a file of its own, with good and with bad lists.
tool=$out/cache-log-pages
work=$(mktemp -d "$build/pages.XXXXXX")
trap 'rm -rf "$work"' EXIT
file=$work/file list=$work/list

# The file is written and dropped from the cache; of every 400 pages the first ten are then read.
make_file() {
    head -c $((4096 * 2000 + 100)) /dev/urandom >"$file"
    sync "$file"
    drop_file
}
drop_file() { dd if="$file" of=/dev/null iflag=nocache count=0 status=none; }
touch_file() {
    local i
    for i in 0 1 2 3 4; do dd if="$file" of=/dev/null bs=4096 skip=$((i * 400)) count=10 status=none; done
}
cached() { "$tool" show "$file" "$list" | sed 's/.*: \([0-9]*\) of.*/\1/'; }

make_file
touch_file
expect "pages: record" 0 'pages are cached, in [1-9]' "$tool" record "$file" "$list"
echo precious >"$work/victim"
# The names that a process of this number would have taken; $$ is expanded by the shell that becomes the tool.
# shellcheck disable=SC2016
expect "pages: no link is followed" 0 'pages are cached' \
    sh -c 'ln -s victim "$2.part-$$"; exec "$0" record "$1" "$2"' "$tool" "$file" "$list"
if [ "$(cat "$work/victim")" = precious ] && [ ! -h "$list" ]; then pass; else fail "pages: a link was followed"; fi
rm -f "$list".part-*
before=$(cached)
drop_file
after=$(cached)
if [ "$after" -lt "$before" ]; then
    expect "pages: restore" 0 'asked for' "$tool" restore "$file" "$list" --pressure 101 --keep-available 0
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ "$(cached)" -ge "$before" ] && break
        sleep 0.2
    done
    if [ "$(cached)" -ge "$before" ]; then pass; else fail "pages: $(cached) of $before pages came back"; fi
    drop_file
    expect "pages: restore, longest runs first, at a rate" 0 'asked for' \
        "$tool" restore "$file" "$list" --longest-first --rate 100 --pressure 101 --keep-available 0
    expect "pages: a cold start, timed" 0 'restored .* times as fast as cold' "$out/cold_start" "$tool" "$work" 8 1
else
    skip "pages: restore" "this file system keeps pages that were to be dropped"
fi
if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ]; then
    expect "pages: no cold start where nothing is cold" 2 'name a FOLDER on a disk' "$out/cold_start" "$tool" /dev/shm 8 1
else
    skip "pages: no cold start where nothing is cold" "/dev/shm is no tmpfs"
fi
expect "pages: a budget of less than a piece is used" 1 'asked for 0\.[1-9].* the budget is used up' \
    "$tool" restore "$file" "$list" --budget 0.12 --pressure 101 --keep-available 0
expect "pages: a budget ends it" 1 'the budget is used up' "$tool" restore "$file" "$list" --budget 0.01 --pressure 101 --keep-available 0
expect "pages: pressure ends it" 1 'little memory is available|tasks wait' "$tool" restore "$file" "$list" --keep-available 1000000000
start=$(date +%s%N)
expect "pages: a slow rate" 0 'asked for' "$tool" restore "$file" "$list" --rate 1 --pressure 101 --keep-available 0
if [ $((($(date +%s%N) - start) / 1000000)) -ge 100 ]; then pass; else fail "pages: 1 MiB/s was faster than that"; fi
expect "pages: options first" 0 'asked for' "$tool" restore --pressure 101 --keep-available 0 "$file" "$list"
expect "pages: a third name" 2 "no option 'more'" "$tool" restore "$file" "$list" more
expect "pages: a list is missing" 2 'wrong usage' "$tool" restore --rate 1 "$file"
expect "pages: no such option" 2 "no option '--fast'" "$tool" restore "$file" "$list" --fast
expect "pages: no number" 2 'give a number' "$tool" restore "$file" "$list" --rate quick
expect "pages: no usage" 2 'wrong usage' "$tool" save "$file"
if [ -c /dev/full ]; then
    expect "pages: help for a full disk" 2 'standard output' sh -c 'exec "$0" --help >/dev/full' "$tool"
fi
expect "pages: no file" 2 'name a file' "$tool" record "$work/none" "$list"
expect "pages: a folder" 2 'no regular file' "$tool" record "$work" "$list"
expect "pages: no list" 2 'name a list' "$tool" restore "$file" "$work/none"
expect "pages: a list that cannot be written" 2 'can be written' "$tool" record "$file" "$work/none/list"
# For others than owner and writer mincore calls all pages cached.
elsewhere=$(mktemp -d)
trap 'rm -rf "$work" "$elsewhere"' EXIT
cp "$tool" "$elsewhere/tool"
chmod 755 "$elsewhere"
as_another=()
[ "$(id -u)" != 0 ] || as_another=(setpriv --reuid=65534 --regid=65534 --clear-groups)
expect "pages: another one's file" 2 'only shows its owner' "${as_another[@]}" "$elsewhere/tool" record /etc/passwd "$elsewhere/list"
# The root of a user namespace is not that of the machine.
if "${as_another[@]}" unshare --user --map-root-user true 2>/dev/null; then
    expect "pages: another one's file, as a namespace's root" 2 'only shows its owner' \
        "${as_another[@]}" unshare --user --map-root-user "$elsewhere/tool" record /etc/passwd "$elsewhere/list"
    mkdir -m 777 "$elsewhere/own"
    "${as_another[@]}" cp /etc/passwd "$elsewhere/own/file"
    expect "pages: one's own file, as a namespace's root" 0 'pages are cached' \
        "${as_another[@]}" unshare --user --map-root-user "$elsewhere/tool" record "$elsewhere/own/file" "$elsewhere/own/list"
else
    skip "pages: a user namespace's root" "this machine gives no user namespace to this user"
fi
# What LIST names is only replaced if it is a list: not the file itself, no link, no device.
sum=$(cksum <"$file")
expect "pages: file and list swapped" 2 'not overwritten' "$tool" record "$list" "$file"
expect "pages: the file as its own list" 2 'not overwritten' "$tool" record "$file" "$file"
if [ "$(cksum <"$file")" = "$sum" ]; then pass; else fail "pages: the file was overwritten"; fi
ln -s "$file" "$work/link"
mkfifo "$work/pipe"
for other in link pipe; do
    expect "pages: a $other as the list" 2 'no regular file' "$tool" record "$file" "$work/$other"
done
# What would have to be waited for, or never ends, is not opened.
expect "pages: a pipe as the file" 2 'no regular file' timeout 5 "$tool" record "$work/pipe" "$work/none"
for other in "$work/pipe" /dev/zero; do
    for verb in show restore; do
        expect "pages: $verb with $other as the list" 2 'no regular file' timeout 5 "$tool" "$verb" "$file" "$other"
    done
done
expect "pages: a list over a list" 0 'pages are cached' "$tool" record "$file" "$list"

# Every line of the list damaged in turn, and the list cut off at several places.
lines=$(wc -l <"$list")
bytes=$(stat -c %s "$list")
for line in $(seq 1 "$lines"); do
    sed "${line}s/[0-9]/x/" "$list" >"$work/damaged"
    expect "pages: line $line damaged" 1 'record it again' "$tool" restore "$file" "$work/damaged"
    sed "${line}y/0123456789/1234567890/" "$list" >"$work/damaged"
    expect "pages: line $line altered" 1 'record it again' "$tool" restore "$file" "$work/damaged"
done
for cut in 0 1 20 $((bytes / 2)) $((bytes - 1)); do
    head -c "$cut" "$list" >"$work/damaged"
    expect "pages: cut at $cut" 1 'record it again' "$tool" restore "$file" "$work/damaged"
done
cp "$file" "$work/other"
expect "pages: another file" 1 'record it again' "$tool" restore "$work/other" "$list"
cp -p "$file" "$work/moved"
expect "pages: the file moved" 0 'asked for' "$tool" restore "$work/moved" "$list" --pressure 101 --keep-available 0
touch "$file"
expect "pages: a file that was touched" 1 'it was modified since' "$tool" restore "$file" "$list"
echo more >>"$file"
expect "pages: a file that grew" 1 'its length has changed' "$tool" restore "$file" "$list"
: >"$file"
expect "pages: an empty file" 0 '0 of 0 pages' "$tool" record "$file" "$list"
expect "pages: nothing to restore" 0 '0 of 0 runs' "$tool" restore "$file" "$list"
