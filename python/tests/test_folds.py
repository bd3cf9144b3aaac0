# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of folds, canonicalizations and passes on whole-graph ops pass the verifiers:
each op on what each other one gives, and sums of two, on every row space and on weights,
and their gradients."""

import math
import subprocess

import pytest

from gnn_mlir import Module, types
from gnn_mlir.spaces import SPACES

ROWS = [space for space in SPACES if space not in ("src", "dst")]
SHAPES = (), (4,), (2, 4)
# Where the spaces and shapes differ most, and all of them with --all.
FEW = [(None, (4,)), (None, (2, 4)), ("node", (4,)), ("edge", (2, 4)), ("edge_type", (4,))]


class Made:
    """A function whose ops have operands of their own, as their types ask for them."""

    def __init__(self, space, shape):
        self.module = Module()
        self.g = self.module.graph("g", node_types=2, edge_types=3,
                                   schema=[(0, 1), (1, 0), (1, 1)])
        self.f = self.module.function("f")
        self.x = self.input(self.like(space, *shape))

    def like(self, space, *features):
        return self.g.rows(space, *features) if space else types.weight(*features)

    def input(self, kind):
        return self.f.input(f"x{len(self.f.inputs)}", kind)

    def other(self, x):
        return self.input(x.type)

    def weight(self, *features):
        return self.input(types.weight(*features))

    def number(self, value, x):
        return self.f.constant(value, x.type)


def _outer_heads(t, x):
    return t.f.outer_rows(t.f.reshape(x, 4), t.other(x)) if len(x.features) == 1 else (
        t.f.dot(x, t.weight(*x.features)))


OPS = {
    "concat": lambda t, x: t.f.concat(x, t.other(x)),
    "concat itself": lambda t, x: t.f.concat(x, x),
    "concat parts": lambda t, x: t.f.concat(t.f.slice(x, 0, 1),
                                            t.f.slice(x, 1, x.features[-1] - 1)),
    "slice": lambda t, x: t.f.slice(x, 0, 2),
    "slice behind": lambda t, x: t.f.slice(x, 2, 2),
    "pad": lambda t, x: t.f.pad(x, 0, 2 * x.features[-1]),
    "pad behind": lambda t, x: t.f.pad(x, x.features[-1], 2 * x.features[-1]),
    "parts apart": lambda t, x: t.f.pad(t.f.slice(x, 0, 1), 0, x.features[-1]) + t.f.pad(
        t.f.slice(x, 1, 1), 1, x.features[-1]),
    "reshape flat": lambda t, x: t.f.reshape(x, math.prod(x.features)),
    "reshape heads": lambda t, x: t.f.reshape(x, 2, math.prod(x.features) // 2),
    "reshape ones": lambda t, x: t.f.reshape(x, *x.features, 1),
    "reshape no ones": lambda t, x: t.f.reshape(x, *[d for d in x.features if d != 1]),
    "broadcast": lambda t, x: t.f.broadcast(x, x.type.with_features(*x.features, 3)),
    "broadcast leading": lambda t, x: t.f.broadcast(x, types.weight(3, *x.features)),
    "broadcast rows": lambda t, x: t.f.broadcast(x, t.g.rows("edge", *x.features)),
    "reduce heads": lambda t, x: t.f.reduce_heads("sum", x),
    "max of heads": lambda t, x: t.f.reduce_heads("max", x),
    "reduce features": lambda t, x: t.f.reduce_features("mean", x),
    "max of features": lambda t, x: t.f.reduce_features("max", x),
    "softmax": lambda t, x: t.f.softmax(x),
    "sum rows": lambda t, x: t.f.sum_rows(x),
    "sum leading": lambda t, x: t.f.sum_rows(x, types.weight(*x.features[1:])),
    "relu": lambda t, x: t.f.activation("relu", x),
    "dropout": lambda t, x: t.f.dropout(x, 0.0, 1),
    "layer norm": lambda t, x: t.f.layer_norm(x),
    "transpose": lambda t, x: t.f.weight_transpose(x),
    "transpose for rows": lambda t, x: t.f.linear(t.input(t.g.rows("node", 4)),
                                                  t.f.weight_transpose(x)),
    "product of weights": lambda t, x: t.f.weight_product(x, t.weight(4, 3)),
    "combine": lambda t, x: t.f.weight_combine(t.input(t.g.rows("edge_type", 2)), x),
    "linear": lambda t, x: t.f.linear(x, t.weight(x.features[-1], 3)),
    "linear with bias": lambda t, x: t.f.linear(x, t.weight(x.features[-1], 3),
                                                t.weight(3)),
    "typed linear": lambda t, x: t.f.typed_linear(
        x, t.input(t.g.rows("edge_type", x.features[-1], 3))),
    "typed linear by a constant": lambda t, x: t.f.typed_linear(
        x, t.f.constant(0.5, t.g.rows("edge_type", x.features[-1], 3))),
    "dot": lambda t, x: t.f.dot(x, t.other(x)),
    "outer or dot": _outer_heads,
    "apply": lambda t, x: t.f.apply("mul", "edge", x, t.input(t.g.rows("edge", *x.features)),
                                    "src" if x.space == "node" else None),
    "apply copy": lambda t, x: t.f.apply("copy", "edge", x, None,
                                         "dst" if x.space == "node" else None),
    "apply one": lambda t, x: t.f.apply("mul", x.space, x, t.number(1.0, x)),
    "sddmm": lambda t, x: t.f.sddmm("edge", x, t.other(x), *(
        ("src", "dst") if x.space == "node" else ())),
    "spmm": lambda t, x: t.f.spmm("copy", "sum", "node", x, None,
                                  *(("src",) if x.space == "node" else ()), via="dst"),
    "edge softmax": lambda t, x: t.f.edge_softmax(x),
    "add 0": lambda t, x: x + t.number(0.0, x),
    "times 1": lambda t, x: x * t.number(1.0, x),
    "twice": lambda t, x: x + x,
    "ones": lambda t, x: t.number(1.0, x),
    "guard": lambda t, x: t.f.where(t.f.compare("eq", x, t.number(0.0, x)),
                                    t.number(1.0, x), x),
}
for _space in ROWS:
    OPS[f"degree of {_space}"] = lambda t, x, of=_space: t.f.degree(t.g, of, x.space)
    for _via in (None, "dst"):
        OPS[f"gather to {_space} {_via}"] = (
            lambda t, x, to=_space, via=_via: t.f.gather(x, to, via))
        for _kind in ("sum", "max"):
            OPS[f"{_kind} to {_space} {_via}"] = (
                lambda t, x, to=_space, via=_via, kind=_kind:
                t.f.aggregate(kind, x, to, via))


def build(space, shape, first):
    """All ops on what the one called `first` makes of an input; None where the builder
    refuses that."""
    t = Made(space, shape)
    try:
        inner = OPS[first](t, t.x)
    except (ValueError, IndexError):
        return None
    values = [inner]
    for op in OPS.values():
        try:
            values.append(op(t, inner))
        except (ValueError, IndexError):
            continue
    for a, b in zip(values, values[1:]):
        if a.type == b.type and a.type.dtype == "f32":
            values.append(a + b)
    for number, value in enumerate(values):
        t.f.output(f"y{number}", value)
    return t.module.text()


def run(gnn_opt, texts, *options):
    return subprocess.run(
        [gnn_opt, "-", "--split-input-file", "-o", "/dev/null",
         "--mlir-print-op-on-diagnostic=false", *options],
        input="\n// -----\n".join(texts), text=True, capture_output=True, check=False)


def pytest_generate_tests(metafunc):
    everything = metafunc.config.getoption("--all")
    metafunc.parametrize("space, shape", [(space, shape) for space in (None, *ROWS)
                                          for shape in SHAPES] if everything else FEW)


def test_what_is_made_verifies(space, shape, gnn_opt):
    texts = [text for first in OPS if (text := build(space, shape, first))]
    assert len(texts) > 5
    out = run(gnn_opt, texts, "--canonicalize")
    assert out.returncode == 0, out.stderr[:3000]
    asked = [text.replace(") {\n", ") attributes {gnn.gradients} {\n", 1) for text in texts]
    out = run(gnn_opt, asked, "--gnn-graph-pipeline")
    assert out.returncode == 0, out.stderr[:3000]
