#!/usr/bin/env python3
"""Checks that includes go down only: between folders, inside core, and towards third parties.

Run by ctest. Prints file and line of each wrong include; --self-test checks the check.
"""

import re
import sys
import tempfile
from pathlib import Path

# What each folder may include beside itself.
FOLDERS = {
    "core": [],
    "codegen": ["core"],
    "tracer": ["core"],
    "serialize": ["core"],
    "jit": ["core", "codegen", "tracer", "serialize"],
    "bindings": ["core", "codegen", "tracer", "serialize", "jit"],
    "tests": ["core", "codegen", "tracer", "serialize", "jit", "bindings"],
    "benchmarks": ["core", "codegen", "tracer", "serialize", "jit", "bindings", "tests"],
    "examples": [],
}

# The order inside a folder: each part may include those to its left.
INNER = {"core": ["base", "tensor", "op", "graph", "ops", "autograd"]}

# Third-party headers that only one part of the tree may see, by the start of the header's name.
THIRD_PARTY = {
    "llvm/": "codegen/llvm",
    "llvm-c/": "codegen/llvm",
    "clang/": "codegen/llvm",
    "cuda": "codegen/cuda",
    "nvrtc": "codegen/cuda",
    "Python.h": "bindings/python",
    "pybind11/": "bindings/python",
    "httplib.h": "bindings/serve",
}

SUFFIXES = {".h", ".hpp", ".cpp", ".cc", ".cu", ".inc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def complaint(source, opening, header):
    """Why `source` (a path from the root of the tree) may not include `header`, or None."""
    folder = source.parts[0]
    for start, owner in THIRD_PARTY.items():
        if header.startswith(start) and not source.as_posix().startswith(owner + "/"):
            if folder not in ("tests", "benchmarks"):
                return f"only {owner} may include {header}"
    parts = header.split("/")
    if parts[0] not in FOLDERS:
        if opening == '"' and len(parts) == 1:
            return f'"{header}" must be given by its path from the root of the tree'
        return None
    if opening == "<":
        return f'<{header}> is ours and must be written "{header}"'
    if parts[0] != folder:
        if parts[0] not in FOLDERS[folder]:
            may = ", ".join(FOLDERS[folder]) or "nothing else"
            return f"{folder} may not include {header}; beside itself it may include {may}"
        return None
    order = INNER.get(folder)
    if order is None or len(parts) < 3 or len(source.parts) < 3:
        return None
    if parts[1] not in order or source.parts[1] not in order:
        return f"{folder} has no place for it in its order {' < '.join(order)}"
    if order.index(parts[1]) > order.index(source.parts[1]):
        return f"{folder}/{source.parts[1]} may not include {header}; the order is {' < '.join(order)}"
    return None


def check_tree(root):
    """All wrong includes below `root`, as lines `file:line: reason`."""
    found = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            source = path.relative_to(root)
            for number, line in enumerate(path.read_text().splitlines(), start=1):
                match = INCLUDE.match(line)
                reason = complaint(source, *match.groups()) if match else None
                if reason:
                    found.append(f"{source}:{number}: {reason}")
    return found


def self_test():
    """Runs the check on a made-up tree with one fault of each sort."""
    tree = {
        "core/base/error.h": '#include <string>\n#include "core/tensor/shape.h"\n',
        "core/ops/all.h": '#include "core/base/error.h"\n#include "core/graph/graph.h"\n',
        "core/odd/x.h": '#include "core/base/error.h"\n',
        "codegen/lower.cpp": '#include "codegen/lower.h"\n#include "tracer/token.h"\n',
        "codegen/llvm/target.cpp": '#include "llvm/IR/Module.h"\n',
        "jit/plan.cpp": '#include "tracer/token.h"\n#include "llvm/IR/Module.h"\n',
        "jit/plan.h": '// a comment\n\n#  include "bindings/c/api.h"\n#include "params.h"\n',
        "serialize/reader.cpp": '#include <core/base/error.h>\n',
        "tests/core/x_test.cpp": '#include "bindings/c/api.h"\n#include "tests/support/y.h"\n',
    }
    order = "base < tensor < op < graph < ops < autograd"
    expected = [
        f"core/base/error.h:2: core/base may not include core/tensor/shape.h; the order is {order}",
        f"core/odd/x.h:1: core has no place for it in its order {order}",
        "codegen/lower.cpp:2: codegen may not include tracer/token.h; beside itself it may include core",
        "serialize/reader.cpp:1: <core/base/error.h> is ours and must be written "
        '"core/base/error.h"',
        "jit/plan.cpp:2: only codegen/llvm may include llvm/IR/Module.h",
        "jit/plan.h:3: jit may not include bindings/c/api.h; beside itself it may include "
        "core, codegen, tracer, serialize",
        'jit/plan.h:4: "params.h" must be given by its path from the root of the tree',
    ]
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for path, text in tree.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        found = check_tree(root)
    missing = sorted(set(expected) - set(found))
    surplus = sorted(set(found) - set(expected))
    return [f"not found: {x}" for x in missing] + [f"found for no reason: {x}" for x in surplus]


def main():
    if sys.argv[1:] == ["--self-test"]:
        faults = self_test()
    else:
        faults = check_tree(Path(__file__).resolve().parent.parent)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
