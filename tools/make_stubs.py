#!/usr/bin/env python3
"""Writes the type stubs of the ops from the op table of the built module.

Usage: make_stubs.py [--check]. With --check nothing is written; the exit status says whether the
stubs in the source tree are current.
"""

import sys
from pathlib import Path

import rondo
from rondo import _C

PACKAGE = Path(__file__).resolve().parent.parent / "bindings" / "python" / "rondo"

NOTE = '''"""{what}

Written by tools/make_stubs.py from the op table; do not edit.
"""
'''
HEADER = (
    NOTE
    + """
from collections.abc import Sequence
from typing import NamedTuple

from {dots}_C import Generator, Tensor, dtype as Dtype
from {dots}_types import Ints, TensorLike
"""
)

TYPES = {
    "Tensor": "TensorLike",
    "Tensor[]": "Sequence[Tensor]",
    "Scalar": "TensorLike",
    "int": "int",
    "int[]": "Ints",
    "size[]": "Ints",
    "bool": "bool",
    "Dtype": "Dtype",
    "str": "str",
}


def class_name(op):
    return "_" + "".join(part.capitalize() for part in op["name"].split("_"))


def has_names(op):
    return bool(op["outputs"]) and op["outputs"][0] and op["outputs"][0] != op["args"][0][0]


def result(op):
    if not op["outputs"]:
        return "Tensor"
    if has_names(op):
        return class_name(op)
    return "tuple[" + ", ".join("Tensor" for _ in op["outputs"]) + "]"


def parameter(arg):
    name, kind, optional, default = arg
    text = f"{name}: {TYPES[kind]}" + (" | None" if optional else "")
    return text if default is None else text + " = ..."


def parameters(args, random):
    """Python wants arguments without a default first; where ours do not, the rest is by keyword."""
    texts = []
    defaulted = False
    for arg in args:
        if arg[3] is not None:
            defaulted = True
        elif defaulted and "*" not in texts:
            texts.append("*")
        texts.append(parameter(arg))
    if random:
        texts.append("generator: Generator | None = ...")
    return texts


def takes_list_alone(args):
    """x.view(2, 3): one list of integers, and nothing behind it."""
    return len(args) == 1 and args[0][1] in ("int[]", "size[]")


def define(name, texts, returned, indent):
    line = f"{indent}def {name}({', '.join(texts)}) -> {returned}: ..."
    if len(line) <= 100:
        return line
    inner = "".join(f"{indent}    {text},\n" for text in texts)
    return f"{indent}def {name}(\n{inner}{indent}) -> {returned}: ..."


def function(op, suffix=""):
    return define(op["name"] + suffix, parameters(op["args"], op["random"]), result(op), "")


def method(op, suffix=""):
    args = op["args"][1:]
    texts = parameters(args, op["random"])
    if takes_list_alone(args):
        texts = [f"*{args[0][0]}: Ints"] if args[0][3] is None else texts
    return define(op["name"] + suffix, ["self", *texts], result(op), "    ")


def named_results(ops):
    for op in ops:
        if has_names(op):
            fields = "\n".join(f"    {name}: Tensor" for name in op["outputs"])
            yield f"class {class_name(op)}(NamedTuple):\n{fields}\n"


def functions_stub(ops, kind):
    lines = []
    for op in ops:
        lines.append(function(op))
        if op["has_in_place"]:
            lines.append(function(op, "_"))
    body = "\n".join([*named_results(ops), "\n".join(lines)])
    return HEADER.format(what=f"Ops as functions: {kind}.", dots="..") + "\n" + body + "\n"


def aliases(ops):
    """Ops under their other names."""
    by_name = {op["name"]: op for op in ops}
    for alias, name in sorted(rondo._tensor.ALIASES.items()):
        if name in by_name:
            yield {**by_name[name], "name": alias}


def index_stub(what, parts, prefix):
    imports = "".join(f"from {prefix}{part} import *\n" for part in parts)
    return NOTE.format(what=what) + "\n" + imports


def methods_stub(ops):
    named = [op for op in ops if op["method"] and has_names(op)]
    lines = ["class TensorOps:"]
    for op in [*ops, *aliases(ops)]:
        if op["method"]:
            lines.append(method(op))
            if op["has_in_place"]:
                lines.append(method(op, "_"))
    imports = "".join(f"from ._stubs.{op['kind']} import {class_name(op)}\n" for op in named)
    header = HEADER.format(what="The ops as methods of Tensor.", dots=".")
    header = header.replace("from typing import NamedTuple\n", "")
    return header + imports + "\n" + "\n".join(lines) + "\n"


def replaced():
    """Names of ops that the package replaces in `rondo` by functions with more arguments."""
    return set(vars(rondo._factories)) | set(vars(rondo._functions))


def stubs(ops):
    """Paths below the package and their texts."""
    hidden = replaced()
    parts = {}
    for op in ops:
        part = "replaced" if op["name"] in hidden else op["kind"]
        parts.setdefault(part, []).append(op)
    texts = {f"_stubs/{part}.pyi": functions_stub(listed, part) for part, listed in parts.items()}
    names = sorted(parts)
    texts["_stubs/__init__.pyi"] = index_stub("All ops as functions: rondo._C.ops.", names, ".")
    names.remove("replaced")
    texts["_ops.pyi"] = index_stub("The ops that are functions of rondo.", names, "._stubs.")
    for op in aliases(ops):
        texts["_ops.pyi"] += f"{op['name']} = {rondo._tensor.ALIASES[op['name']]}\n"
    texts["_tensor_ops.pyi"] = methods_stub(ops)
    return texts


def main():
    check = "--check" in sys.argv
    stale = []
    for name, text in stubs(sorted(_C.op_table(), key=lambda op: op["name"])).items():
        path = PACKAGE / name
        if not path.exists() or path.read_text() != text:
            stale.append(name)
            if not check:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
    for name in stale:
        print(f"{name}: {'not current; run tools/make_stubs.py' if check else 'written'}")
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main())
