# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# Reads from Debian's archive without touching the user's apt configuration. Sourced, never run.
#
# What Assay builds from source is in a suite, or of a type (deb-src), that few machines have configured. The mirror
# that the machine has configured carries both, so the entry is derived from that mirror's: same address, same keys
# and options, another suite. It goes into a private apt root inside the cache, with its own lists.

# debian_codename: bookworm, trixie, ...; empty where this is no Debian.
debian_codename() { (. /etc/os-release 2>/dev/null && [ "${ID:-}" = debian ] && echo "${VERSION_CODENAME:-}") || true; }

# derive_source SUITE WANTED FILE...: prints a deb822 stanza for WANTED on the first mirror that FILEs (one-line .list
# or deb822 .sources) configure for SUITE's component main; fails if there is none.
derive_source() {
    local suite=$1 wanted=$2
    shift 2
    awk -v suite="$suite" -v wanted="$wanted" '
        function has(list, word,    n, i, words) {
            n = split(list, words)
            for (i = 1; i <= n; i++) if (words[i] == word) return 1
            return 0
        }
        # "stable" and "oldstable" are the same archive under a moving name.
        function serves(suites) { return has(suites, suite) || has(suites, "stable") || has(suites, "oldstable") }
        function emit(uris, options) {
            printf "Types: deb deb-src\nURIs: %s\nSuites: %s\nComponents: main\n%s", uris, wanted, options
            found = 1
            exit
        }
        function end_stanza() {
            if (uris != "" && has(types, "deb") && serves(suites) && has(components, "main") && tolower(enabled) != "no")
                emit(uris, kept)
            types = uris = suites = components = enabled = kept = field = ""
        }
        FNR == 1 { end_stanza() }
        FILENAME ~ /\.list$/ {
            sub(/#.*/, "")
            if ($1 != "deb") next
            options = ""
            if (match($0, /\[[^]]*\]/)) {
                n = split(substr($0, RSTART + 1, RLENGTH - 2), pairs)
                $0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
                for (i = 1; i <= n; i++) {
                    at = index(pairs[i], "=")
                    name = tolower(substr(pairs[i], 1, at - 1))
                    # Architectures, languages and targets say which indexes to fetch: that choice is ours here.
                    if (name ~ /^(signed-by|trusted|check-valid-until|check-date|allow-insecure|allow-weak)$/)
                        options = options name ": " substr(pairs[i], at + 1) "\n"
                }
            }
            rest = ""
            for (i = 4; i <= NF; i++) rest = rest " " $i
            if (serves($3) && has(rest, "main")) emit($2, options)
            next
        }
        /^#/ { next }
        /^[ \t]*$/ { end_stanza(); next }
        /^[ \t]/ { # a continuation: of a list, or of a key that is written into the file
            if (field == "uris") uris = uris $0
            else if (field == "suites") suites = suites $0
            else if (field == "components") components = components $0
            else if (field == "types") types = types $0
            else if (field == "kept") kept = kept $0 "\n"
            next
        }
        {
            at = index($0, ":")
            name = tolower(substr($0, 1, at - 1))
            value = substr($0, at + 1)
            gsub(/^[ \t]+|[ \t]+$/, "", value)
            field = name
            if (name == "types") types = value
            else if (name == "uris") uris = value
            else if (name == "suites") suites = value
            else if (name == "components") components = value
            else if (name == "enabled") enabled = value
            else if (name !~ /^(architectures|languages|targets|pdiffs|by-hash)(-add|-remove)?$/) {
                field = "kept"
                kept = kept name ": " value "\n"
            } else field = ""
        }
        END { if (!found) { end_stanza(); exit !found } }
    ' "$@"
}

# make_private_apt FOLDER SUITE WANTED: makes an apt root in FOLDER whose only source is the suite WANTED on the machine's own
# mirror for SUITE, and points APT_CONFIG at it. The user's proxy, time-outs and certificates (Acquire) carry over; hooks do
# not.
make_private_apt() {
    local folder=$1 suite=$2 wanted=$3 files=()
    mkdir -p "$folder/sources.list.d" "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/empty"
    mapfile -t files < <(find /etc/apt/sources.list /etc/apt/sources.list.d -maxdepth 1 -type f \
        \( -name '*.list' -o -name '*.sources' \) 2>/dev/null | sort)
    if [ -n "${ASSAY_DEBIAN_MIRROR:-}" ]; then
        printf 'Types: deb deb-src\nURIs: %s\nSuites: %s\nComponents: main\n' "$ASSAY_DEBIAN_MIRROR" "$wanted" \
            >"$folder/sources.list.d/derived.sources"
    elif [ ${#files[@]} -eq 0 ] || ! derive_source "$suite" "$wanted" "${files[@]}" >"$folder/sources.list.d/derived.sources"; then
        die "no Debian mirror for '$suite main' is configured in /etc/apt/sources.list or /etc/apt/sources.list.d" \
            "configure one, or name one: ASSAY_DEBIAN_MIRROR=URL ./setup"
    fi
    : >"$folder/status"
    {
        apt-config dump Acquire | grep -v '^Acquire::\(IndexTargets\|Languages\|Changelogs\)'
        printf '%s\n' 'Acquire::Languages "none";' 'APT::Sandbox::User "root";' \
            "Dir::Etc::sourcelist \"/dev/null\";" "Dir::Etc::sourceparts \"$folder/sources.list.d\";" \
            "Dir::Etc::preferences \"/dev/null\";" "Dir::Etc::preferencesparts \"$folder/empty\";" \
            "Dir::Etc::main \"/dev/null\";" "Dir::Etc::parts \"$folder/empty\";" \
            "Dir::State::lists \"$folder/lists\";" "Dir::State::status \"$folder/status\";" "Dir::Cache \"$folder/cache\";"
    } >"$folder/apt.conf"
    export APT_CONFIG=$folder/apt.conf
}
