# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# What ./setup and its parts share: messages, steps that run in the background with a line of progress, and a
# Ctrl-C that leaves nothing half done. Sourced, never run.
#
# All messages go to standard error, because ./assay calls ./setup and standard output belongs to the verb.

# What apt says is read, in English. In Turkish, mawk's tolower makes another letter of an I.
export LC_ALL=C
unset LANGUAGE

say() { printf 'set-up: %s\n' "$*" >&2; }

# die WHAT [REMEDY]: the one way to give up. Status 2 means usage or environment everywhere in Assay.
die() {
    clear_line
    printf 'set-up: error: %s\n' "$1" >&2
    [ $# -lt 2 ] || printf '        remedy: %s\n' "$2" >&2
    exit 2
}

declare -A step_pid=() step_began=() step_ended=() step_title=()
log_dir=/nonexistent # set by the caller, once the cache folder is known to be writable

# start NAME TITLE COMMAND...: begins a step; its output goes to a log, as does what it writes to descriptor 3, and await shows its
# progress.
start() {
    local name=$1 title=$2
    shift 2
    # Job control gives the step a process group of its own, so that a Ctrl-C at the terminal reaches this script alone,
    # which then stops each step by the signal that suits it (stop_steps). Job control is switched off again at once: a
    # foreground command has to stay in this script's group, or the Ctrl-C would reach the command and not the script.
    set -m
    # A step of ours keeps the set-up's lock (9): if this script is killed, the step works on, and another set-up has to wait for it.
    # Packages may start services, which would keep it for ever.
    case $name in
        packages*) "$@" </dev/null >"$log_dir/$name.log" 2>&1 3>&1 9>&- & ;;
        *) "$@" </dev/null >"$log_dir/$name.log" 2>&1 3>&1 & ;;
    esac
    set +m
    step_pid[$name]=$! step_began[$name]=$SECONDS step_ended[$name]='' step_title[$name]=$title
}

# await NAME: waits for a step, showing the progress of all running steps; returns its exit status.
await() {
    local name=$1 status=0 shown=$SECONDS
    while note_the_ended && [ -z "${step_ended[$name]}" ]; do
        if [ -t 2 ]; then
            show_progress
        elif [ $((SECONDS - shown)) -ge 20 ]; then
            shown=$SECONDS
            say "  ... $(progress_of_all)"
        fi
        sleep 0.3
    done
    wait "${step_pid[$name]}" || status=$?
    clear_line
    [ "$status" -ne 0 ] || say "  done: ${step_title[$name]}, $((step_ended[$name] - step_began[$name])) s"
    unset "step_pid[$name]"
    return "$status"
}

# note_the_ended: when each step has ended, of which some are awaited later.
note_the_ended() {
    local name
    for name in "${!step_pid[@]}"; do
        [ -n "${step_ended[$name]}" ] || kill -0 "${step_pid[$name]}" 2>/dev/null || step_ended[$name]=$SECONDS
    done
}

show_progress() {
    local line width
    width=$(tput cols 2>/dev/null || echo 80)
    line="  ... $(progress_of_all)"
    printf '\r\033[K%s' "${line:0:$((width - 1))}" >&2
}

clear_line() { [ ! -t 2 ] || printf '\r\033[K' >&2; }

progress_of_all() {
    local name progress line=''
    for name in "${!step_pid[@]}"; do
        [ -z "${step_ended[$name]}" ] || continue
        progress=$(progress_in "$log_dir/$name.log")
        line+="${line:+; }${step_title[$name]}${progress:+ $progress}, $((SECONDS - step_began[$name])) s"
    done
    printf '%s' "$line"
}

# progress_in LOG: the last sign of progress in a step's log. apt reports percentages on its status descriptor, ninja
# prints [done/all], our own parts print lines that begin with "== ", and apt says when another program has its lock.
progress_in() {
    tail -n 200 "$1" 2>/dev/null | tr '\r' '\n' | sed -nE '
        s/^dlstatus:[^:]*:([0-9]+).*/fetched \1 %/p
        s/^pmstatus:[^:]*:([0-9]+).*/installed \1 %/p
        s/^\[([0-9]+\/[0-9]+)\].*/compiled \1/p
        s/^== (.*)/\1/p
        s/^(Waiting for cache lock).*(process [0-9]+ \([^)]*\)).*/waits for the package lock of \2/p' | tail -n 1
}

# log_tail NAME: what a failed step last said, indented. On a full disk there may be no log, or an empty one.
log_tail() {
    sed -E '/^(dl|pm)status:/d' "$log_dir/$1.log" 2>/dev/null | tail -n "${2:-12}" | sed 's/^/        | /' >&2 || true
}

# stop_steps: for Ctrl-C, a closed terminal and for a failure elsewhere. apt gets an interrupt, not a kill: it gives up a download at
# once, but lets dpkg finish what it is unpacking, so that the system's package state stays whole.
stop_steps() {
    local name
    for name in "${!step_pid[@]}"; do
        case $name in
            packages*) kill -INT "${step_pid[$name]}" 2>/dev/null || true ;;
            *) kill -TERM -- "-${step_pid[$name]}" 2>/dev/null || true ;;
        esac
    done
    for name in "${!step_pid[@]}"; do
        wait "${step_pid[$name]}" 2>/dev/null || true
    done
    step_pid=()
}

interrupted() {
    trap - INT TERM HUP
    # The terminal may be gone.
    { clear_line && say "interrupted: stopping (a package that is being installed is finished first); run ./setup again to go on"; } || true
    stop_steps
    exit 130
}
