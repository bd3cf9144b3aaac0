# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops with arguments that are not their defaults, beside eager torch in float64, forward and
gradient. Whether a program or torch runs an op is not asked: both must be right."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import torch.nn.functional as F  # noqa: E402
import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from test_frontend_soundness import (EDGE_TYPE, EDGES, NODES, SIZE, X, Padded,  # noqa: E402
                                     is_eager, summed)

aten = torch.ops.aten
fresh = pytest.fixture(autouse=True)(zoo.forget_captures)

# Signs and sizes differ, so that no two columns mean the same.
ROW = torch.tensor([.5, -.25, 2., -1., .75, 1.5])
TABLE = torch.arange(SIZE * SIZE).view(SIZE, SIZE).remainder(7) / 4 - .5


def square(h):
    """As many channels as features of each: neither can be told by its size."""
    return h[:, :4].reshape(-1, 2, 2)


# Of h, rows of the program.
ELEMENTWISE = {
    "elu": lambda h: aten.elu(h, 2., 1.5, .5), "elu alpha": lambda h: F.elu(h, .3),
    "leaky_relu": lambda h: F.leaky_relu(h, -.4), "celu": lambda h: F.celu(h, .3),
    "celu below 0": lambda h: F.celu(h, -1.5),
    "softplus beta": lambda h: F.softplus(h, 2.), "softplus threshold": lambda h: F.softplus(
        h, 2., 1.), "hardshrink": lambda h: F.hardshrink(h, .2),
    "softshrink": lambda h: F.softshrink(h, 1.), "hardtanh": lambda h: F.hardtanh(h, -.3, 2.),
    "clamp exchanged": lambda h: h.clamp(2., -1.), "clamp_max": lambda h: h.clamp(max=.5),
    "clamp by a row": lambda h: h.clamp(min=ROW.to(h)),
    "prelu of one": lambda h: F.prelu(h, ROW[:1].to(h)), "prelu": lambda h: F.prelu(
        h, ROW.to(h)), "prelu of channels": lambda h: F.prelu(square(h), ROW[:2].to(h)),
    "add": lambda h: torch.add(h, h * h, alpha=3), "sub": lambda h: torch.sub(
        h, 2., alpha=-2), "rsub": lambda h: torch.rsub(h, h * h, alpha=3),
    "add onto a constant": lambda h: torch.add(torch.ones_like(h), h, alpha=3),
    "add a constant": lambda h: torch.add(h, torch.full_like(h, 2.), alpha=3),
    "div floor": lambda h: torch.div(h, .7, rounding_mode="floor") + h,
    "div trunc": lambda h: torch.div(h, h.exp(), rounding_mode="trunc") + h,
    "round": lambda h: h.round(decimals=1) + h,
    "gelu": lambda h: F.gelu(h, approximate="tanh"), "lerp": lambda h: torch.lerp(h, h * h, -1.5),
    "addcmul": lambda h: torch.addcmul(h, h, h, value=-2),
    "threshold": lambda h: F.threshold(h, .2, 3.),
    "a constant of bfloat16": lambda h: h * torch.full((1,), 1 / 3, dtype=torch.bfloat16),
    "a constant of float16": lambda h: h * torch.full_like(h, 100.03, dtype=torch.float16)}

FEATURES = {
    "sum dtype": lambda h: h.sum(1, dtype=torch.float64),
    "mean dtype": lambda h: h.mean(1, keepdim=True, dtype=torch.float64) * h,
    "softmax dtype": lambda h: h.softmax(1, dtype=torch.float64),
    "log_softmax dtype": lambda h: h.log_softmax(-1, dtype=torch.float64),
    "norm dtype": lambda h: torch.linalg.vector_norm(h, 2, 1, True, dtype=torch.float64) * h,
    "norm 3": lambda h: h.norm(p=3, dim=1), "norm keepdim": lambda h: h.norm(
        p=1, dim=-1, keepdim=True) * h,
    "softmax of rows": lambda h: h.softmax(0), "softmax within": lambda h: h.view(
        -1, 3, 2).softmax(1), "amax keepdim": lambda h: h - h.amax(-1, True),
    "logsumexp": lambda h: h.view(-1, 3, 2).logsumexp((1, 2), keepdim=True),
    "var": lambda h: h.var(1, correction=2, keepdim=True),
    "std": lambda h: h.std(-1, unbiased=False, keepdim=True),
    "slice": lambda h: h[:, -4:-1], "slice far": lambda h: h[:, -10:], "slice past": lambda h:
    h[:, 3:100], "slice step": lambda h: h[:, ::2], "select": lambda h: h[:, -2],
    "split": lambda h: h.view(-1, 3, 2).split([1, 2], -2)[1],
    "tensor_split": lambda h: h.tensor_split(4, -1)[1], "chunk": lambda h: h.chunk(4, -1)[2],
    "unbind": lambda h: h.view(-1, 3, 2).unbind(-1)[1],
    "cat": lambda h: torch.cat([h, h * 2], -1), "stack": lambda h: torch.stack([h, h * 2], -2),
    "repeat": lambda h: h.repeat(1, 2), "movedim": lambda h: h.view(-1, 3, 2).movedim(
        -1, 0).sum(0), "addmm": lambda h: torch.addmm(
        ROW.to(h), h, TABLE.to(h), beta=.5, alpha=-2),
    "addmm of rows": lambda h: torch.addmm(h[:, :1], h, TABLE.to(h), beta=3),
    "layer_norm eps": lambda h: F.layer_norm(h, (SIZE,), eps=.5),
    "layer_norm scale": lambda h: F.layer_norm(h, (SIZE,), ROW.to(h), eps=.5),
    "layer_norm of two": lambda h: F.layer_norm(h.view(-1, 3, 2), (3, 2), eps=.5),
    "batch_norm eps": lambda h: F.batch_norm(
        h, ROW.to(h), ROW.abs().to(h), ROW.to(h), ROW.to(h), eps=.3),
    "batch_norm alone": lambda h: F.batch_norm(h, ROW.to(h), ROW.abs().to(h), eps=.3),
    "batch_norm of channels": lambda h: F.batch_norm(
        square(h), ROW[:2].to(h), ROW[2:4].abs().to(h), ROW[:2].to(h), ROW[:2].to(h))}


def zeros(h, columns=SIZE):
    return h.new_zeros(h.shape[0], columns)


# Of h, ids of its rows for each edge, [edges, SIZE], and rows of edges.
SUMS = {
    "index_add": lambda h, ids, x: (h * 2).index_add(0, ids[:, 0], x, alpha=3),
    "index_add onto ones": lambda h, ids, x: torch.ones_like(h).index_add(-2, ids[:, 0], x),
    "index_put": lambda h, ids, x: (h * 2).index_put((ids[:, 0],), x, accumulate=True),
    "scatter_add onto ones": lambda h, ids, x: torch.ones_like(h).scatter_add(0, ids, x),
    "scatter_add of columns": lambda h, ids, x: zeros(h.t().contiguous(), NODES).scatter_add(
        1, ids.t(), x.t()),
    "scatter_add within": lambda h, ids, x: zeros(h).scatter_add(
        1, ids[:NODES] % SIZE, h),
    "scatter_add of many rows": lambda h, ids, x: h.new_zeros(NODES + 3, SIZE).scatter_add(
        0, ids, x),
    "scatter_add of two": lambda h, ids, x: zeros(h, 2).scatter_add(
        0, ids[:, 0].reshape(-1, 2), x[:len(x) // 2, :2]),
    "scatter_add wide": lambda h, ids, x: zeros(h, SIZE + 2).scatter_add(0, ids, x),
    "scatter": lambda h, ids, x: zeros(h).scatter_add(0, ids.flip(1), x),
    "gather": lambda h, ids, x: zeros(h, 2).index_add(0, ids[:, 0], h.gather(0, ids[:, :2]))}

REDUCTIONS = {f"{kind} {'with' if own else 'without'} {name}": (
    lambda h, ids, x, kind=kind, own=own, base=base: base(h).scatter_reduce(
        0, ids, x, kind, include_self=own))
    for kind in ("sum", "mean", "amax") for own in (True, False)
    for name, base in (("zeros", torch.zeros_like), ("rows", lambda h: h * 2))}

# Torch has no gradient of sums of fewer columns than there are.
NARROW = {
    "two": lambda h, ids, x: zeros(h).scatter_add(0, ids[:, :2], x),
    "one": lambda h, ids, x: zeros(h).scatter_add(0, ids[:, :1], x),
    "of a constant": lambda h, ids, x: zeros(h).scatter_add(0, ids[:, :1], torch.ones_like(x)),
    "reduced": lambda h, ids, x: zeros(h).scatter_reduce(
        0, ids[:, :2], x, "amax", include_self=False),
    "fewer rows": lambda h, ids, x: zeros(h).scatter_add(0, ids[:7], x)}


def between(op, x, edges, *given):
    """An op between two sums, so that it is worth a place in a program."""
    made = op(summed(x, edges), *given)
    return summed(made, edges) if made.shape[0] == NODES else made


def of_rows(op):
    return lambda x, edges: between(op, x, edges)


def of_edges(op):
    return lambda x, edges: between(op, x, edges, edges[1][:, None].expand(-1, SIZE),
                                    x[edges[0]])


# Of the same op as another case, or of an op that is lowered as another one.
SLOW = {
    "elu alpha", "celu", "celu below 0", "softplus beta", "softshrink", "hardtanh", "clamp_max",
    "prelu of one", "sub", "add", "addcmul", "div floor", "a constant of float16", "mean dtype",
    "log_softmax dtype", "norm keepdim", "amax keepdim", "slice far", "slice past", "split",
    "chunk", "std", "addmm of rows", "layer_norm scale", "batch_norm eps"}
SLOW_SUMS = {
    "index_add onto ones", "scatter_add onto ones", "scatter_add of two", "scatter",
    "sum without zeros", "sum with zeros", "amax without zeros", "mean without zeros",
    "amax with zeros", "mean with rows", "sum without rows"}
SLICES = ("slice", "slice far", "slice past", "tensor_split")


@pytest.mark.parametrize("name", zoo.with_slow({**ELEMENTWISE, **FEATURES}, SLOW))
def test_functions_of_rows(name):
    if name in SLICES and torch.__version__ < "2.12":
        pytest.skip("this torch does not know sizes of slices of arguments")
    is_eager(of_rows({**ELEMENTWISE, **FEATURES}[name]), X, EDGES)


@pytest.mark.parametrize("name", zoo.with_slow({**SUMS, **REDUCTIONS}, SLOW_SUMS))
def test_sums(name):
    is_eager(of_edges({**SUMS, **REDUCTIONS}[name]), X, EDGES)


@pytest.mark.parametrize("op", [pytest.param(op, id=name) for name, op in NARROW.items()])
def test_sums_of_some_columns(op):
    with torch.no_grad():
        found = capture.compile_module(of_edges(op))(X, EDGES)
        assert torch.allclose(found, of_edges(op)(X, EDGES), atol=1e-5)


def test_sparse_gradients_of_embeddings():
    model = Padded(sparse=True)
    capture.compile_module(model)(X, EDGES, EDGE_TYPE % 4).sum().backward()
    assert model.table.weight.grad.layout == torch.sparse_coo
