# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Shared by kernel/tests/run and bad: commands that run concurrently, and how each has to end. Needs $work, a folder.
passed=0 failed=0

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); printf 'WRONG  %.800s\n' "$*"; }

# start NAME COMMAND...: runs it in the background, with its output and status in files.
start() {
    local name=$1
    shift
    {
        "$@" >"$work/$name.out" 2>&1
        echo $? >"$work/$name.status"
    } &
}

# ended NAME STATUS PATTERN...: checks how a started command has ended.
ended() {
    local name=$1 status=$2 pattern output found
    shift 2
    output=$(<"$work/$name.out") found=$(<"$work/$name.status")
    if [ "$found" -ne "$status" ]; then
        fail "$name: status $found, not $status: $output"
        return
    fi
    for pattern; do
        grep -qE -- "$pattern" <<<"$output" || {
            fail "$name: no '$pattern' in: $output"
            return
        }
    done
    pass
}

# counts: prints the last line of a test.
counts() {
    echo "$passed passed, $failed failed, 0 skipped"
    [ "$failed" -eq 0 ]
}
