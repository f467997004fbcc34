# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Counts and prints for kernel/tests/series: each named test of each series on each architecture and cpu, as a table.
# Needs $assay, $here, $series, $work (folders), $arch, $board (options), $on (cpus, separated by commas) and $log (a
# file for all output, with the console's log of each test).
passed=0 failed=0 skipped=0

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); printf 'WRONG  %.1500s\n' "$*"; }

# where: the architecture with its board, for tables.
where() { echo "$arch${board[*]:+ ${board[*]}}"; }

# cell SERIES TEST CPU RESULT CASES
cell() { printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$(where)" "$2" "$3" "$4" "$5" >>"$work/cells"; }

# absent SERIES WHY TEST...: these tests do not exist on this architecture.
absent() {
    local name=$1 why=$2 test
    shift 2
    for test; do cell "$name" "$test" - "not there: $why" ''; done
}

# asked NAME TEST...: runs these tests on all cpus and adds a cell for each; a test without a result line has not run.
# NAME is a series, or 6.12.
asked() {
    local name=$1 test cpu cpus line output=$work/output status=0 options=()
    shift
    [ "$name" = 6.12 ] || options=(--series "$series/$name")
    "$assay" kernel test -a "$arch" "${board[@]}" -c "$on" "${options[@]}" --verbose "$@" >"$output" 2>&1 || status=$?
    printf '== %s on %s\n' "$name" "$(where)" | cat - "$output" >>"$log"
    IFS=, read -ra cpus <<<"$on"
    for cpu in "${cpus[@]}"; do
        for test; do
            line=$(grep -E "^$cpu +$test +(passed|FAILED) " "$output")
            case "$line" in
                *' passed '*) cell "$name" "$test" "$cpu" passed "$(sed -nE 's/.* passed +([0-9]+) cases .*/\1/p' <<<"$line")" ;;
                '') cell "$name" "$test" "$cpu" 'NOT RUN' '' && status=2 ;;
                *) cell "$name" "$test" "$cpu" FAILED '' && status=2 ;;
            esac
        done
    done
    [ "$status" -eq 0 ] && pass || fail "$name on $(where): status $status: $(<"$output")"
}

# holds NAME TEST...: a series compiles without a warning and passes these on all cpus.
holds() {
    local name=$1 output
    output=$("$assay" kernel build -a "$arch" "${board[@]}" --series "$series/$name" 2>&1) && ! grep -q 'warning:' <<<"$output" && pass ||
        fail "$name on $(where): $output"
    asked "$@"
}

# mended SERIES TEST CPU WORD...: 6.12 itself fails this test there, with these words in the output; SERIES fixes it.
mended() {
    local name=$1 test=$2 cpu=$3 word output status=0
    shift 3
    output=$("$assay" kernel test -a "$arch" "${board[@]}" -c "$cpu" "$test" 2>&1) || status=$?
    printf '== 6.12 on %s, without %s\n%s\n' "$(where)" "$name" "$output" >>"$log"
    for word; do grep -q -- "$word" <<<"$output" || status="$status, no '$word'"; done
    if [ "$status" = 1 ]; then
        cell 6.12 "$test" "$cpu" "fails, which $name mends" '' && pass
    else
        cell 6.12 "$test" "$cpu" 'NOT FOUND' ''
        fail "6.12 on $(where): status $status, which should be 1, of $test on $cpu: $output"
    fi
}

# breaks PATCH TEST CPU WORD OPTION...: a wrong patch fails this test there; the message has the test, the cpu and this word.
breaks() {
    local patch=$1 test=$2 cpu=$3 word=$4 output status=0
    shift 4
    output=$("$assay" kernel test -a "$arch" -c "$cpu" "$@" --patch "$here/broken/$patch" "$test" 2>&1) || status=$?
    printf '== %s on %s\n%s\n' "$patch" "$(where)" "$output" >>"$log"
    if [ "$status" -eq 1 ] && grep -q "$test on $cpu: " <<<"$output" && grep -q -- "$word" <<<"$output"; then
        cell "$patch" "$test" "$cpu" 'fails, as it has to' '' && pass
    else
        cell "$patch" "$test" "$cpu" 'NOT FOUND' ''
        fail "$patch on $(where): status $status, which should be 1, with '$test on $cpu' and '$word': $output"
    fi
}

# table: all cells; tests and cpus with the same result share a line.
table() {
    echo '| kernel | architecture | tests (cases) | cpus | result |'
    echo '|---|---|---|---|---|'
    awk -F '\t' '
        # One line per test, with its cpus.
        { key = $1 FS $2 FS $3 FS $5 FS $6; if (!(key in cpus)) keys[++count] = key; cpus[key] = cpus[key] (cpus[key] ? ", " : "") $4 }
        END {
            # One line for tests that share all but name and cases.
            for (i = 1; i <= count; i++) {
                split(keys[i], part, FS)
                line = part[1] FS part[2] FS cpus[keys[i]] FS part[4]
                if (!(line in tests)) lines[++many] = line
                tests[line] = tests[line] (tests[line] ? ", " : "") "`" part[3] "`" (part[5] ? " (" part[5] ")" : "")
            }
            for (i = 1; i <= many; i++) {
                split(lines[i], part, FS)
                printf "| %s | %s | %s | %s | %s |\n", part[1], part[2], tests[lines[i]], part[3], part[4]
            }
        }' "$work/cells"
}
