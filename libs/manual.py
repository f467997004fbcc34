#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# manual.py NAME VERSION DESCRIPTION OUTPUT ROOT HEADER...: the manual page libNAME.3 from the library's headers, which say all that
# there is to say: the first comment of each is the description, each declaration comes with the comment above it. Headers are
# named from ROOT, the folder that `#include <...>` counts from.
import re
import sys
from pathlib import Path


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("'", "\\(aq").replace("^", "\\(ha").replace("~", "\\(ti")
    return "\\&" + text if text.startswith(".") else text


def verbatim(lines):
    return [".PP", ".in +4n", ".nf", *(escape(line.expandtabs(8)) or ".sp" for line in lines), ".fi", ".in"]


def comment_lines(comment):
    """The lines of a comment without its marks."""
    lines = []
    for line in comment.strip().removeprefix("/*").removesuffix("*/").split("\n"):
        lines.append(re.sub(r"^\s*\* ?", "", line).rstrip() if lines or line.strip() else "")
    return [line.strip() if index == 0 else line for index, line in enumerate(lines)]


def prose(lines):
    """Paragraphs; what is indented stays as it is."""
    out, block = [], []

    def flush():
        if block and all(line[:1] in " \t" for line in block):
            out.extend(verbatim(block))
        elif block:
            out.extend([".PP", *(escape(line.strip()) for line in block)])
        block.clear()

    for line in lines:
        if not line.strip():
            flush()
            continue
        if block and (line[:1] in " \t") != (block[0][:1] in " \t"):
            flush()
        block.append(line)
    flush()
    return out


def without_scaffold(text):
    """What is between a header's guard and its end, without includes and the marks for C++."""
    text = re.sub(r"#ifdef __cplusplus\nextern \"C\" \{\n#endif\n|#ifdef __cplusplus\n\}\n#endif\n", "", text)
    text = re.sub(r"\A\s*#ifndef \w+\n#define \w+\n", "", text)
    text = re.sub(r"#endif\s*\Z", "", text)
    return re.sub(r"^#include .*\n", "", text, flags=re.M)


def items(text):
    """(comment or None, code) for each declaration, or run of them without an empty line."""
    for block in re.split(r"\n\s*\n(?=\S)", text.strip()):
        match = re.match(r"\s*(/\*.*?\*/)\s*\n?(.*)", block, flags=re.S) if block.lstrip().startswith("/*") else None
        comment, code = match.groups() if match else (None, block)
        # Of an inline function its head is enough.
        code = re.sub(r"^(static inline [^;{]*?\))\n\{\n.*?^\}", r"\1;", code, flags=re.S | re.M)
        yield comment, code.strip("\n")


def header_part(path):
    text = path.read_text()
    text = text[text.index("\n") + 1:]
    head = re.match(r"\s*(/\*.*?\*/)\n", text, flags=re.S)
    out = prose(comment_lines(head.group(1)))
    for comment, code in items(without_scaffold(text[head.end():])):
        if code:
            out.extend(verbatim(code.split("\n")))
        if comment and not re.match(r"/\* -{10}", comment):
            out.extend(prose(comment_lines(comment)))
        elif comment:
            out.extend([".SS " + escape(comment.strip("/* -").capitalize())])
    return out


def page(name, version, description, root, headers):
    out = [f'.TH LIB{name.upper()} 3 "" "assay {version}" "Library Functions"', ".SH NAME",
           f"lib{name} \\- {escape(description[:1].lower() + description[1:])}", ".SH SYNOPSIS", ".nf"]
    out += [f".B #include <{header}>" for header in headers]
    out += [".fi", ".PP", f".B cc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs {name})", ".SH DESCRIPTION"]
    for header in headers:
        if len(headers) > 1:
            out.append(f".SS <{header}>")
        out += header_part(Path(root) / header)
    out += [".SH SEE ALSO", "The headers in", f".I include/assay/{name}", "of the prefix; the library's README.md."]
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) < 7:
        sys.exit(f"usage: {sys.argv[0]} NAME VERSION DESCRIPTION OUTPUT ROOT HEADER...")
    name, version, description, output, root, *headers = sys.argv[1:]
    Path(output).write_text(page(name, version, description, root, headers))


main()
