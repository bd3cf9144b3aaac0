# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""With `fullgraph=True` torch brings no rows together. Without it, the log and
`gnn_mlir.explain` say where torch does."""

import logging

import pytest

torch = pytest.importorskip("torch")
pyg = pytest.importorskip("torch_geometric.nn")

import gnn_mlir  # noqa: E402
import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import CaptureError, capture  # noqa: E402
from torch.nn import functional as F  # noqa: E402
from torch_geometric.utils import scatter, softmax  # noqa: E402

NODES, SIZE, GRAPHS = 11, 4, 3
torch.manual_seed(0)
X = torch.rand(NODES, SIZE)
EDGES = torch.stack([torch.randint(NODES, (30,)), torch.randint(NODES - 1, (30,))])
BATCH = torch.arange(NODES) // 4

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


class Layer(pyg.MessagePassing):
    def __init__(self, aggr):
        super().__init__(aggr=aggr)

    def forward(self, x, edges):
        return self.propagate(edges, x=x)

    def message(self, x_j):
        return x_j


class Model(torch.nn.Module):
    """A layer, a product and other modules, of which a function makes something."""

    def __init__(self, function, **modules):
        super().__init__()
        torch.manual_seed(0)
        self.conv, self.lin = pyg.SAGEConv(SIZE, SIZE), torch.nn.Linear(SIZE, SIZE)
        self.function = function
        for name, module in modules.items():
            setattr(self, name, module)

    def forward(self, x, edges, batch):
        return self.function(self, x, edges, batch)


def columns(ids):
    return ids[:, None].expand(-1, SIZE)


def onto(base, kind, **how):
    """A model that reduces what edges read onto what a function makes of features."""
    return Model(lambda m, x, e, b: base(m, x).scatter_reduce(
        0, columns(e[1]), x[e[0]], kind, **how))


def of(function):
    """A model of what a layer gives."""
    return Model(lambda m, x, e, b: function(m.conv(x, e)))


def aggregated(aggr):
    return Model(lambda m, x, e, b: m.other(x, e), other=Layer(aggr))


def normed(norm):
    return Model(lambda m, x, e, b: m.norm(m.conv(x, e)), norm=norm)


def bags(m, x, e, b):
    return F.embedding_bag(e[0], m.conv(x, e), torch.tensor([0, 8, 20]), mode="sum")


def segments(x):
    return torch.segment_reduce(x, "max", lengths=torch.tensor([4, 4, 3]))


# By the op that the error names.
REFUSED = {
    "scatter_reduce: a product": aggregated("mul"),
    "(sort|take_along_dim): a median": aggregated("median"),
    "scatter_reduce: onto features": onto(lambda m, x: m.lin(x), "amax"),
    "scatter_reduce: a mean with the start": onto(lambda m, x: torch.zeros_like(x), "mean"),
    "scatter_reduce: a start below 0": onto(lambda m, x: torch.full_like(x, -9.), "amax"),
    "scatter_reduce: ones that stay": onto(lambda m, x: torch.ones_like(x), "amin",
                                           include_self=False),
    "index_reduce: a product": Model(lambda m, x, e, b: torch.ones_like(x).index_reduce(
        0, e[1], m.lin(x)[e[0]], "prod")),
    "scatter_reduce: of inputs alone": Model(lambda m, x, e, b: (m.conv(x, e), scatter(
        x, b, dim_size=GRAPHS, reduce="mul"))),
    "scatter_reduce: of inputs before a layer": Model(lambda m, x, e, b: m.conv(
        x - scatter(x, b, dim_size=GRAPHS, reduce="mul")[b], e)),
    "embedding_bag": Model(bags), "segment_reduce": of(segments),
    "Tensor.index: pairs of rows": Model(lambda m, x, e, b: m.conv(x, e)[e.t()]),
    "softmax: over all rows": of(lambda h: h.softmax(0)),
    "cumsum": of(lambda h: h.cumsum(0)), "topk": of(lambda h: h.topk(2, 0)[0]),
    "std: over all rows": of(lambda h: h.std(0)),
    "batch_norm": normed(torch.nn.BatchNorm1d(SIZE, affine=False)),
    "instance_norm": normed(pyg.InstanceNorm(SIZE)),
    "group_norm": of(lambda h: F.group_norm(h, 2))}


# Of these another has the op in the same place.
SLOW = {"scatter_reduce: a mean with the start", "scatter_reduce: a start below 0",
        "scatter_reduce: ones that stay", "scatter_reduce: of inputs before a layer", "topk"}


@pytest.mark.parametrize("name", zoo.with_slow(REFUSED, SLOW, {
    "(sort|take_along_dim): a median": zoo.since("2.13", "breaks the graph before")}))
def test_rows_that_torch_brings_together(name):
    """Whether inputs have gradients or none are asked for."""
    for mode in (torch.enable_grad, torch.no_grad):
        with mode(), pytest.raises(CaptureError, match=(
                rf"^torch\.\S*{name.partition(':')[0]} at {__file__}:\d+ \(.*without fullgraph")):
            x = X.clone().requires_grad_()
            gnn_mlir.compile(REFUSED[name], fullgraph=True)(x, EDGES, BATCH)


def pooled_median(m, x, e, b):
    return m.conv(x, e), m.median(x, b, dim_size=GRAPHS)


@zoo.since("2.13", "breaks the graph before")
def test_medians_of_data():
    """Aggregations they are, though torch only picks rows; of any number of edges."""
    models = aggregated("median"), Model(pooled_median, median=pyg.MedianAggregation())
    for model in models:
        with pytest.raises(CaptureError, match=(
                rf"^torch\.take_along_dim at {__file__}:\d+ \(.*without fullgraph")):
            gnn_mlir.compile(model, fullgraph=True)(X, EDGES, BATCH)
    compiled = gnn_mlir.compile(models[0])
    loops = torch.arange(len(X)).repeat(2, 1)  # PyG fails for a first node without edges.
    for count in range(3):
        edges = torch.cat([EDGES[:, count:], loops], 1)
        torch.testing.assert_close(compiled(X, edges, BATCH), models[0](X, edges, BATCH))
    assert gnn_mlir.explain(compiled).startswith("Model: 1 captured graph\n1: 1 program, 1 op left")


@pytest.mark.parametrize("said, model", [
    ("the model makes a tensor with requires_grad=True in forward",
     of(lambda h: h + torch.zeros(SIZE, requires_grad=True))),
    (r"the model differentiates in forward \(torch.autograd.grad\)", of(
        lambda h: torch.autograd.grad(h.square().sum(), h, create_graph=True)[0])),
    ("torch._dynamo.graph_break", of(lambda h: torch._dynamo.graph_break() or h))])
def test_where_dynamo_breaks_the_graph(said, model):
    with pytest.raises(CaptureError, match=rf"^[^\n]*{said}[^\n]* at {__file__}:\d+ \(.*\): dynamo "
                       "breaks the graph here, which is allowed without fullgraph=True$"):
        gnn_mlir.compile(model, fullgraph=True)(X, EDGES, BATCH)


@pytest.mark.parametrize("name", zoo.with_slow([
    "scatter_reduce: a product", "index_reduce: a product", "batch_norm", "std: over all rows"],
    {"scatter_reduce: a product"}))
def test_without_fullgraph_it_is_said(name, caplog):
    model = REFUSED[name]
    compiled = gnn_mlir.compile(model)
    with caplog.at_level(logging.INFO, "gnn_mlir"), torch.no_grad():
        torch.testing.assert_close(compiled(X, EDGES, BATCH), model(X, EDGES, BATCH))
    line = rf"left to torch: torch.*{name.partition(':')[0]} at {__file__}:"
    text, (message,) = gnn_mlir.explain(compiled), [
        one for one in caplog.messages if "left to torch" in one]
    for said in text.splitlines()[-1], message:
        assert all(part in said for part in line.split(".*"))
    assert "all of it is compiled" not in text


def softmax_by_hand(m, x, e, b):
    x = m.lin(m.conv(x, e))
    most = x.new_zeros(GRAPHS, SIZE).scatter_reduce(0, columns(b), x, "amax", include_self=False)
    powers = (x - most[b]).exp()
    return powers / x.new_zeros(GRAPHS, SIZE).index_add(0, b, powers)[b]


# What torch computes of them is no aggregation and no norm.
WHOLE = {
    "a start that is 0": onto(lambda m, x: torch.zeros_like(x), "amax"),
    "a start above": onto(lambda m, x: torch.full_like(x, 0.4), "amax"),
    "a start below": onto(lambda m, x: torch.full_like(x, -0.4), "amin"),
    "a maximum by index": Model(lambda m, x, e, b: torch.zeros_like(x).index_reduce(
        0, e[1], m.lin(x)[e[0]], "amax", include_self=False)),
    "a mean by index": Model(lambda m, x, e, b: torch.zeros_like(x).index_reduce(
        0, e[1], m.lin(x)[e[0]], "mean", include_self=False)),
    "a softmax by hand": Model(softmax_by_hand),
    "a softmax": Model(lambda m, x, e, b: softmax(m.lin(m.conv(x, e)), b, num_nodes=GRAPHS)),
    "sums of inputs": Model(lambda m, x, e, b: m.conv(
        x + torch.zeros(GRAPHS, SIZE).index_add(0, b, x)[b], e)),
    "two numbers of rows by the same ids": Model(lambda m, x, e, b: (
        x - scatter(m.conv(x, e), b)[b], scatter(m.lin(x), b, dim_size=GRAPHS + 1))),
    "a loss of classes": Model(lambda m, x, e, b: F.cross_entropy(m.conv(x, e), b)),
    "a loss of rows of a mask": Model(lambda m, x, e, b: F.cross_entropy(
        m.conv(x, e)[b == 1], b[b == 1])),
    "rows of a mask": of(lambda h: h[BATCH.to(h.device) == 1]),
    "products of rows": of(lambda h: h @ h.t()),
    "data in an order": Model(lambda m, x, e, b: m.conv(x.sort(0)[0], e)),
    "inputs without their deviation": Model(lambda m, x, e, b: m.conv(x / x.std(0), e))}


SLOW_WHOLE = {"a start below", "a mean by index", "a softmax", "data in an order"}


@pytest.mark.parametrize("name", zoo.with_slow(WHOLE, SLOW_WHOLE, {
    "a loss of rows of a mask": zoo.since("2.13", "asks whether masks pick as many rows")}))
def test_torch_may(name):
    model = WHOLE[name]
    results = []
    for run in (model, gnn_mlir.compile(model, fullgraph=True)):
        model.zero_grad()
        x = X.clone().requires_grad_()
        out = run(x, EDGES, BATCH)
        out = torch.cat([one.flatten() for one in out]) if isinstance(out, tuple) else out
        (out * torch.arange(1., 1 + out.numel()).view(out.shape)).sum().backward()
        results.append([out, x.grad, *(p.grad for p in model.parameters())])
    for ours, theirs in zip(results[1], results[0], strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    outer, = capture._made
    assert len(outer.calls) == 1


class Hetero(torch.nn.Module):
    """A norm of each type behind relations, as the last op."""

    RELATIONS = [("a", "r", "a"), ("b", "s", "a"), ("a", "t", "b")]

    def __init__(self, norm):
        super().__init__()
        torch.manual_seed(0)
        self.conv = pyg.HeteroConv({r: pyg.SAGEConv((SIZE, SIZE), SIZE) for r in self.RELATIONS})
        self.norms = torch.nn.ModuleDict({kind: norm(SIZE) for kind in "ab"})

    def forward(self, x, edges):
        return {kind: self.norms[kind](rows) for kind, rows in self.conv(x, edges).items()}


@pytest.mark.parametrize("training", zoo.with_slow([True, False], {False}))
def test_a_norm_behind_relations(training):
    """Is a part of the program, and where it cannot be, an error."""
    sizes = {"a": 9, "b": 7}
    x = {kind: torch.randn(n, SIZE) for kind, n in sizes.items()}
    edges = {r: torch.stack([torch.randint(sizes[r[0]], (20,)), torch.randint(sizes[r[2]], (20,))])
             for r in Hetero.RELATIONS}
    results = []
    for run in (lambda m: m, lambda m: gnn_mlir.compile(m, fullgraph=True)):
        model = Hetero(torch.nn.BatchNorm1d).train(training)
        out = run(model)(x, edges)
        sum((rows * torch.arange(1., 1 + rows.numel()).view(rows.shape)).sum()
            for rows in out.values()).backward()
        results.append([out, [p.grad for p in model.parameters()], list(model.buffers())])
    torch.testing.assert_close(*results, rtol=1e-4, atol=1e-4)
    outer, = capture._made
    assert len(outer.calls) == 1 and not gnn_mlir.pytorch.frontend.report.left(outer)
    with pytest.raises(CaptureError, match=rf"^torch\.instance_norm at {__file__}"):
        gnn_mlir.compile(Hetero(pyg.InstanceNorm), fullgraph=True)(x, edges)


def test_by_torch_compile():
    with pytest.raises(Exception, match=rf"torch\.scatter_reduce at {__file__}:.*got prod"):
        torch.compile(aggregated("mul"), backend="gnn_mlir", fullgraph=True)(X, EDGES, BATCH)
