#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tests/gates/tidy.py < FILES: clang-tidy over the C files that standard input names, by the checks of .clang-tidy.

A file that was found good is not checked again until it, a header that it includes, the checks or the flags change: the digests
of all of them are kept in $ASSAY_CACHE/tidy. There is no compilation database, because hot paths are built for seven
architectures: OF_A_MACHINE and MACHINES say by a file's path with which flags it is read. Exit status 1 if there are findings.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import re
import subprocess
import sys

CACHE = os.path.join(os.environ.get("ASSAY_CACHE", ".assay"), "tidy")
HOSTS = {"x86_64": "x86_64", "aarch64": "aarch64", "ppc64le": "power", "riscv64": "riscv64", "loongarch64": "loongarch64"}
LIBRARIES = ["byteswap", "cache_log", "checksum", "ebpf", "vdso", "vector_state", "vector_state/switch"]

# Folders of runner/arch and the flags for code of each, which is read without a C library, as the runner is built.
MACHINES = {
    "powerpc": ["--target=powerpc-linux-gnu", "-mcpu=7450", "-maltivec"],
    "power": ["--target=powerpc64le-linux-gnu", "-mcpu=pwr10"],
    "loongarch64": ["--target=loongarch64-linux-gnu", "-mabi=lp64d", "-mlasx"],
    "aarch64": ["--target=aarch64-linux-gnu"],
    "riscv64": ["--target=riscv64-linux-gnu", "-mabi=lp64d"],
    "x86_64": ["--target=x86_64-linux-gnu", "-march=sapphirerapids"],
}

# Pattern of a path and the machine of such files; the first match counts, and None stands for the matched folder's name. Files
# that match nothing are read for the host, with its C library.
OF_A_MACHINE = [
    (r"/(powerpc|power|loongarch64|aarch64|riscv64|x86_64)/", None),
    (r"vector_state/(vmx|vsx)_", "power"),
    (r"vector_state/(lsx|lasx)_", "loongarch64"),
    (r"vector_state/neon_", "aarch64"),
    (r"vector_state/(sse|avx|avx512|x87)_", "x86_64"),
    (r"vector_state/fpu_", "powerpc"),
    (r"workloads/guest_switch\.c", "power"),
    (r"vdso/image/leaf\.c|workloads/regcheck\.c", "powerpc"),
]


def machine_of(path):
    """The folder of runner/arch that a file is for; None if it is for the host."""
    for pattern, machine in OF_A_MACHINE:
        if found := re.search(pattern, path):
            return machine or found[1]
    return None


def flags_of(path):
    """How the compiler reads a file."""
    machine = machine_of(path)
    flags = [*MACHINES[machine], "-ffreestanding", "-nostdlibinc"] if machine else ["-D_GNU_SOURCE"]
    folders, folder = [], os.path.dirname(path)
    while folder:
        folders.append(folder)
        folder = os.path.dirname(folder)
    folders += ["runner", "runner/arch/" + (machine or HOSTS.get(os.uname().machine, "x86_64"))]
    folders += ["libs/" + library for library in LIBRARIES]
    if path.startswith("libs/byteswap/"):
        flags += ["-DBITS=64", "-DFORMS=1"]
    # -w: warnings are the compiler's job, where the file is built.
    return ["-std=gnu11", "-w", *flags, *("-I" + folder for folder in folders)]


@functools.lru_cache(None)
def digest(path):
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


@functools.lru_cache(None)
def version():
    return subprocess.run(["clang-tidy-19", "--version"], capture_output=True, text=True, check=True).stdout


def included(told):
    """The headers that the compiler has read, which -H lists: a dot for each level, a blank, the path. Those of this checkout are
    named from its top, because another one may have the same cache."""
    top = os.getcwd() + "/"
    return [os.path.normpath(name.removeprefix(top)) for name in re.findall(r"^\.+ (.+)$", told, re.MULTILINE)]


def look(path):
    """The findings in a file; none if nothing has changed since it was found good."""
    flags = flags_of(path)
    how = hashlib.sha256("\0".join([version(), digest(".clang-tidy"), path, *flags]).encode()).hexdigest()
    note = os.path.join(CACHE, how)
    try:
        with open(note, encoding="utf-8") as file:
            if all(digest(name) == was for name, was in json.load(file).items()):
                return ""
    except (OSError, ValueError):
        pass
    # -H: the headers come with the findings, where `clang -M` would read the file once more.
    run = subprocess.run(["clang-tidy-19", "--quiet", path, "--", *flags, "-H"], capture_output=True, text=True)
    if run.returncode != 0 or "warning:" in run.stdout:
        return run.stdout or run.stderr or f"{path}: clang-tidy-19 ends with {run.returncode}\n"
    with open(f"{note}.{os.getpid()}", "w", encoding="utf-8") as file:
        json.dump({name: digest(name) for name in [path, *included(run.stderr)]}, file)
    os.replace(f"{note}.{os.getpid()}", note)
    return ""


def main():
    files = sorted({line.strip() for line in sys.stdin} - {""})
    os.makedirs(CACHE, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [found for found in pool.map(look, files) if found]
    sys.stdout.write("".join(findings))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
