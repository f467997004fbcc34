# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# Finds a Rust that is new enough. Sourced by ./setup, never run.
#
# Debian 12's `rustc` is 1.63; the packages rustc-web and cargo-web of the same release are 1.85, the version that Assay
# needs at least. A rustup installation serves as well and is preferred where it comes first in PATH.

rust_wanted_minor=85

# new_enough PROGRAM: whether it says that it is version 1.85 or later.
new_enough() {
    local minor
    minor=$("$1" --version 2>/dev/null | sed -nE 's/^[a-z]+ 1\.([0-9]+)\..*/\1/p')
    [ -n "$minor" ] && [ "$minor" -ge $rust_wanted_minor ]
}

# find_cargo: prints the cargo to use; fails if there is none. Its rustc is the one in the same folder; ./assay sets RUSTC
# to it, because an older rustc may come first in PATH.
find_cargo() {
    local candidate
    while read -r candidate; do
        if [ -x "$candidate" ] && new_enough "$candidate" && new_enough "$(dirname "$candidate")/rustc"; then
            echo "$candidate"
            return 0
        fi
    done < <(
        [ -z "${CARGO:-}" ] || echo "$CARGO"
        type -ap cargo
        printf '%s\n' "${HOME:-/root}/.cargo/bin/cargo" /usr/bin/cargo
    )
    return 1
}

# rust_packages: the pair of packages that brings a new enough Rust on this release.
rust_packages() {
    local suffix minor
    for suffix in '' -web; do
        minor=$(apt-cache policy "cargo$suffix" 2>/dev/null | sed -nE 's/^ *Candidate: (0|1)\.([0-9]+)\..*/\1 \2/p')
        # Debian numbered cargo 0.N+1 for Rust 1.N until 1.70.
        if [ "${minor% *}" = 1 ] && [ "${minor#* }" -ge $rust_wanted_minor ]; then
            echo "cargo$suffix rustc$suffix"
            return
        fi
    done
    echo "cargo-web rustc-web" # before the first `apt-get update` nothing is known; this is Debian 12's name
}

# rust_check_packages: the packages with rustfmt and clippy, if the Rust in use is Debian's. rustup has them as components of
# its own, which its user adds.
rust_check_packages() {
    case ${cargo:-$(rust_packages)} in
        *-web* | /usr/bin/cargo) case $(apt-cache policy rustfmt-web 2>/dev/null) in
            *Candidate*) echo rustfmt-web rust-web-clippy ;;
            *) echo rustfmt rust-clippy ;;
        esac ;;
        *) [ -n "${cargo:-}" ] || echo rustfmt rust-clippy ;;
    esac
}
