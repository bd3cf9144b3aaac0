# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives of elementwise ops at kinks, ties, zeros, infinities and NaN: a table of
points, held against torch's autograd by kernels on the emulator."""

import functools

import numpy as np
import pytest

from gnn_mlir import compile as compile_program
from gnn_mlir.graph import Graph

torch = pytest.importorskip("torch")
F = torch.nn.functional

INF, NAN = np.inf, np.nan
LINE = (0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, 1e-30, -1e-30, 60.0, -60.0, INF, -INF)
PAIRS = tuple((a, b) for a in (0.0, 1.0, -2.0, INF, NAN) for b in (
    0.0, 1.0, -2.0, 3.0, INF, NAN))
FINITE = tuple(p for p in PAIRS if np.isfinite(p).all())
POWERS = ((0.0, 0.0), (0.0, 1.0), (0.0, 2.0), (0.0, 0.5), (0.0, -1.0), (-2.0, 0.0),
          (-2.0, 2.0), (-2.0, 3.0), (2.0, 0.0), (2.0, -1.5), (1.0, 7.0), (INF, 2.0))

UNARY = {
    "math.absf": torch.abs, "math.exp": torch.exp, "math.exp2": torch.exp2,
    "math.expm1": torch.expm1, "math.log": torch.log, "math.log2": torch.log2,
    "math.log10": torch.log10, "math.log1p": torch.log1p, "math.sqrt": torch.sqrt,
    "math.rsqrt": torch.rsqrt, "math.sin": torch.sin, "math.cos": torch.cos,
    "math.tan": torch.tan, "math.tanh": torch.tanh, "math.atan": torch.atan,
    "math.erf": torch.erf, "math.erfc": torch.erfc, "math.floor": torch.floor,
    "math.ceil": torch.ceil, "math.round": torch.round, "math.trunc": torch.trunc,
    "arith.negf": torch.neg, "gnn.activation relu": F.relu,
    "gnn.activation leaky_relu": F.leaky_relu, "gnn.activation elu": F.elu,
    "gnn.activation sigmoid": torch.sigmoid, "gnn.activation tanh": torch.tanh,
    "gnn.activation gelu": F.gelu, "gnn.activation swish": F.silu}
BINARY = {
    "arith.maximumf": (torch.maximum, PAIRS), "arith.minimumf": (torch.minimum, PAIRS),
    "arith.maxnumf": (torch.fmax, PAIRS), "arith.minnumf": (torch.fmin, PAIRS),
    "arith.mulf": (torch.mul, PAIRS), "arith.divf": (torch.div, PAIRS),
    "math.atan2": (torch.atan2, FINITE), "math.powf": (torch.pow, POWERS)}
MORE = {"gnn.activation leaky_relu": " alpha = 0.01",
        "gnn.activation elu": " alpha = 1.0"}
# torch passes the gradient on where a ReLU has NaN, and takes the slope of a leaky one.
AT_NAN = ("gnn.activation relu", "gnn.activation leaky_relu")
CASES = {**{op: (f, tuple((x,) for x in LINE + (NAN,) * (op in AT_NAN)))
            for op, f in UNARY.items()}, **BINARY}
ROWS = max(len(points) for _, points in CASES.values())


def columns(op):
    """The operands of an op, as long as the longest list of points."""
    points = np.array(CASES[op][1], np.float32)
    return [np.resize(x, ROWS) for x in points.T]


@functools.lru_cache(maxsize=None)
def program():
    """All ops in one function, each with operands of its own."""
    arguments, lines, results = [], [], []
    for i, op in enumerate(CASES):
        names = [f"x{i}_{j}" for j in range(len(columns(op)))]
        arguments += [f'%{n}: !x {{gnn.name = "{n}"}}' for n in names]
        lines.append(f"  %y{i} = {op} {', '.join('%' + n for n in names)}"
                     f"{MORE.get(op, '')} : !x")
        results.append(i)
    text = "\n".join([
        "!x = tensor<?xf32, #gnn.rows<@g, node>>",
        "gnn.graph @g square {node_types = 1, edge_types = 1}",
        f"func.func @f({', '.join(arguments)}) -> (" + ", ".join(
            f'!x {{gnn.name = "y{i}"}}' for i in results) + ") {",
        *lines, "  return " + ", ".join(f"%y{i}" for i in results) + " : " + ", ".join(
            "!x" for _ in results), "}"])
    return compile_program(text, "f", gradients=True, target="emulator")


@pytest.mark.parametrize("op", CASES)
def test_derivatives_at_points(op, compiler):
    number, operands = list(CASES).index(op), columns(op)
    inputs = {f"x{i}_{j}": x for i, other in enumerate(CASES)
              for j, x in enumerate(columns(other))}
    cotangent = np.linspace(0.5, 2.0, ROWS, dtype=np.float32)
    given = {f"y{i}": np.zeros(ROWS, np.float32) for i in range(len(CASES))}
    found = program().gradients(Graph([0], [0], ROWS), inputs,
                                {**given, f"y{number}": cotangent})
    tensors = [torch.tensor(x, requires_grad=True) for x in operands]
    CASES[op][0](*tensors).backward(torch.tensor(cotangent))
    for j, tensor in enumerate(tensors):
        expected = tensor.grad.numpy()
        # Points for which torch has no number are held to nothing.
        held = ~np.isnan(expected) | np.isnan(operands).any(0)
        np.testing.assert_allclose(found[f"x{number}_{j}"][held], expected[held],
                                   rtol=2e-5, atol=1e-6)
