#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# manual.py NAME VERSION DESCRIPTION OUTPUT ROOT HEADER...: the manual page libNAME.3 from the library's headers, which say all that
# there is to say: the first comment of each is the description, each declaration comes with the comment above it. Headers are
# named from ROOT, the folder that `#include <...>` counts from. As in the kernel's comments, what stands between `private:` and
# `public:` is not for users.
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
    """What is between a header's guard and its end, without includes, what is private, and the marks for C++."""
    text = re.sub(r"^[ \t]*/\* private:.*?(^[ \t]*/\* public: \*/\n|\Z)", "", text, flags=re.S | re.M)
    text = re.sub(r"#ifdef __cplusplus\nextern \"C\" \{\n#endif\n|#ifdef __cplusplus\n\}\n#endif\n", "", text)
    # What differs in C++ is shown as it is in C.
    text = re.sub(r"^#ifdef __cplusplus\n[^#]*(?:#define[^#]*)*#else\n(.*?)#endif\n", r"\1", text, flags=re.S | re.M)
    text = re.sub(r"\A\s*#ifndef \w+\n#define \w+\n", "", text)
    text = re.sub(r"#endif\s*\Z", "", text)
    text = re.sub(r"^#include .*\n|^#ifndef __ASSEMBLER__\n", "", text, flags=re.M)
    # What stops the compiler, and what quiets it.
    return re.sub(r"^#if.*\n(?:#.*\n)*?#(?:error|pragma) .*\n(?:#pragma .*\n)*#endif\n", "", text, flags=re.M)


def items(text):
    """(comment or None, code) for each declaration, or run of them without an empty line."""
    for block in re.split(r"\n\s*\n(?=\S)", text.strip()):
        match = re.match(r"\s*(/\*.*?\*/)\s*\n?(.*)", block, flags=re.S) if block.lstrip().startswith("/*") else None
        comment, code = match.groups() if match else (None, block)
        yield comment, as_declared(code).strip("\n")


def as_declared(code):
    """Functions as a program would declare them: without bodies, and without what the headers tell the compiler besides."""
    inline = r"(?:static inline(?: __attribute__\(\(\w+\)\))?|[A-Z]+_INLINE) "
    code = re.sub(rf"^{inline}([^;{{]*?\))\n\{{\n.*?^\}}", lambda head: " ".join(head[1].split()) + ";", code, flags=re.S | re.M)
    return re.sub(r"\b[A-Z]+_NORETURN\b", "_Noreturn", code).replace("__extension__ ", "")


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
