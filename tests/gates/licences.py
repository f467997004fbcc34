# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Reads `cargo metadata` from standard input and prints the linked crates whose licence is not compatible with ours or that do
# not come from the registry. cargo deny does the same from a list of licences, but is another program to install.
import json
import re
import sys

GOOD = {"MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "ISC", "Zlib", "Unlicense",
        "Unicode-3.0", "CC0-1.0", "MIT-0"}


def goes(expression):
    """Whether one alternative of an SPDX expression has only licences of GOOD."""
    expression = expression.replace("/", " OR ").strip()
    while expression.startswith("(") and expression.endswith(")") and expression.count("(") == 1:
        expression = expression[1:-1]
    if "(" in expression:
        # (A OR B) AND C: each part has to pass
        parts = re.findall(r"\(([^()]*)\)|([^()]+)", expression)
        words = [a or re.sub(r"^\s*AND|AND\s*$", "", b) for a, b in parts]
        return " OR (" not in expression and ") OR " not in expression and all(goes(word) for word in words if word.strip())
    return any(all(name.strip() in GOOD for name in choice.split(" AND ")) for choice in expression.split(" OR "))


bad = 0
packages = json.load(sys.stdin)["packages"]
for package in packages:
    name, source = f"{package['name']} {package['version']}", package["source"]
    if source is None:  # ours
        ours = package["license"] == "GPL-2.0-only OR BSD-2-Clause"
        problem = None if ours else f"is ours and says {package['license']}"
    elif not source.startswith("registry+"):
        problem = f"comes from {source}, not from the registry"
    elif not goes(package["license"] or "none"):
        problem = f"has the licence {package['license']}"
    else:
        continue
    if problem:
        print(f"{name} {problem}")
        bad = 1
print(f"{len(packages)} packages")
sys.exit(bad)
