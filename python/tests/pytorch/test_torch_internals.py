# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One file lists the private names of torch that the package uses, and no others."""

import ast
import functools

import pytest

from conftest import ROOT

pytest.importorskip("torch")

from gnn_mlir.pytorch.frontend import torch_internals  # noqa: E402

PACKAGE = ROOT / "python/gnn_mlir"


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


def chain(node, known):
    """An expression as a path of torch, where it is one: `known` has names for paths."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([known[node.id], *reversed(parts)]) if (
        isinstance(node, ast.Name) and node.id in known) else None


def assigned(target, value):
    """(name, expression) of an assignment."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, its in zip(target.elts, value.elts):
            yield from assigned(one, its)
    elif isinstance(target, ast.Name):
        yield target.id, value


class Names(ast.NodeVisitor):
    """The paths of torch that a module names, and the private attributes that it asks of other
    objects."""

    def __init__(self, tree):
        self.known, self.paths, self.attributes = {}, set(), set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for one in node.names:
                    if one.name.partition(".")[0] == "torch":
                        self.known[one.asname or "torch"] = one.name if one.asname else "torch"
                        self.paths.add(one.name)
            elif isinstance(node, ast.ImportFrom) and not node.level and (
                    node.module.partition(".")[0] == "torch"):
                for one in node.names:
                    path = self.known[one.asname or one.name] = f"{node.module}.{one.name}"
                    self.paths.add(path)
        for node in ast.walk(tree):
            for target in node.targets if isinstance(node, ast.Assign) else ():
                for name, value in assigned(target, node.value):
                    path = chain(value, self.known)
                    if path is not None:
                        self.known.setdefault(name, path)
        self.visit(tree)

    def visit_Attribute(self, node):
        path = chain(node, self.known)
        if path is not None and not path.startswith("torch.ops."):
            self.paths.add(path)
        elif path is None:
            if is_private(node.attr):
                self.attributes.add(node.attr)
            self.generic_visit(node)
        elif is_private(node.attr):  # Of an op.
            self.attributes.add(node.attr)

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr"):
            name = node.args[1]
            if isinstance(name, ast.Constant) and is_private(name.value):
                self.attributes.add(name.value)
        self.generic_visit(node)


@functools.lru_cache(maxsize=None)
def trees(folder=PACKAGE / "pytorch"):
    return [ast.parse(path.read_text(encoding="utf-8")) for path in folder.rglob("*.py")]


@functools.lru_cache(maxsize=None)
def defined():
    """The names that modules of the package give themselves."""
    return {getattr(node, "attr", None) or getattr(node, "name", None) or getattr(node, "id", None)
            for tree in trees(PACKAGE) for node in ast.walk(tree)
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) or isinstance(
                node, (ast.Attribute, ast.Name)) and isinstance(node.ctx, ast.Store)}


def under(name, listed):
    return name == listed or name.startswith(listed + ".")


LISTED = {f"{place}.{name}" for table in (
    torch_internals.REQUIRED, torch_internals.FAST_CALLS, torch_internals.OPTIONAL)
    for place, names in table.items() for name in names.split()}
ATTRIBUTES = {name for names in torch_internals.ATTRIBUTES.values() for name in names.split()}
# Names of ATen's ops, and of named tuples of Python.
OPS = {"_assert_async", "_assert_scalar", "_local_scalar_dense", "_softmax", "_to_copy",
       "_unsafe_view", "_native_batch_norm_legit_functional", "_native_batch_norm_legit_no_training"}
OTHERS = {*OPS, "_replace", *(part for one in LISTED for part in one.split("."))}


def unlisted(found):
    """The private names among those of modules that are listed nowhere."""
    paths = {path for tree in found for path in Names(tree).paths
             if any(map(is_private, path.split(".")))}
    return {path for path in paths if not any(
        under(path, one) or under(one, path) for one in LISTED)} | {
            name for tree in found for name in Names(tree).attributes
            if name not in ATTRIBUTES | OTHERS | defined()}


def test_private_names_are_listed():
    assert unlisted(trees()) == set()


@pytest.mark.parametrize("text, name", [
    ("import torch\ntorch._nowhere()", "torch._nowhere"),
    ("from torch._dynamo import nowhere", "torch._dynamo.nowhere"),
    ("import torch as t\nc = t._C\nc._nowhere()", "torch._C._nowhere"),
    ("def f(x):\n    return x._nowhere", "_nowhere"),
    ("def f(x):\n    return getattr(x, '_nowhere', None)", "_nowhere")])
def test_what_is_found(text, name):
    assert unlisted([ast.parse(text)]) == {name}


def test_listed_names_are_used():
    found = trees()
    names = [Names(tree) for tree in found]
    paths = {path for one in names for path in one.paths}
    used = {getattr(node, "attr", None) or getattr(node, "value", None)
            for tree in found for node in ast.walk(tree) if isinstance(node, ast.Attribute) or (
                isinstance(node, ast.Constant) and isinstance(node.value, str))}
    assert {one for one in LISTED if one.rpartition(".")[2] not in used and not any(
        under(path, one) for path in paths)} == set()
    assert ATTRIBUTES <= used
