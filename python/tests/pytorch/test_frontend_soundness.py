# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models that tempt the front end to be wrong, beside eager torch in float64; what
no program means is torch's, or with `fullgraph` an error that names op and line."""

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import numpy as np  # noqa: E402
import torch.nn.functional as F  # noqa: E402
import torch_geometric  # noqa: E402
import torch_geometric.nn as pyg  # noqa: E402
import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from torch import nn  # noqa: E402

NODES, SIZE = 12, 6
INPUTS = zoo.Inputs(NODES, 30)
X, EDGES, NODE_TYPE = INPUTS.x[:, :SIZE].contiguous(), INPUTS.edge_index, INPUTS.node_type
EDGE_TYPE = INPUTS.edge_type


fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


def onto(x, index, size):
    return x.new_zeros(size, *x.shape[1:]).index_add_(0, index, x)


def summed(x, edges):
    return onto(x[edges[0]], edges[1], x.shape[0])


def run(function, given, model):
    x = given[0].detach().clone().requires_grad_()
    made = function(x, *given[1:])
    made = made if isinstance(made, tuple) else (made,)
    sum((out * torch.arange(out.numel()).view(out.shape).remainder(7)).sum()
        for out in made).backward()
    parameters = model.parameters() if isinstance(model, nn.Module) else ()
    buffers = model.buffers() if isinstance(model, nn.Module) else ()
    return [*made, x.grad, *(p.grad for p in parameters), *buffers]


def is_eager(model, *given, programs=None, fullgraph=False):
    exact = copy.deepcopy(model).double() if isinstance(model, nn.Module) else model
    expected = run(exact, [x.double() if x.is_floating_point() else x for x in given], exact)
    found = run(capture.compile_module(model, fullgraph=fullgraph), given, model)
    for a, b in zip(expected, found, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            assert (a - b).abs().max() <= 1e-4 * max(1, a.abs().max())
    if programs is not None:
        assert [len(outer.calls) for outer in capture._made] == [programs]


# -- Rows, features and sizes that are the same number ----------------------------------

def columns(x, edges):
    """Rows in the second dimension of what is square."""
    return torch.zeros_like(x).index_add_(1, edges[1], x[:, edges[0]])


def diagonal(x, edges, weight):
    """Ids of a table; a matrix of a vector."""
    table = weight.t()[edges[1] % SIZE].sum(0).diag()
    return onto(x[edges[0]] @ table, edges[1], x.shape[0])


def as_many_edges(x, edges, weight):
    return onto(x[edges[0]] * weight[:, None], edges[1], x.shape[0]) * weight[:, None]


@pytest.mark.parametrize("function, given", [
    (columns, (torch.randn(NODES, NODES), EDGES)),
    (diagonal, (X, EDGES, torch.randn(SIZE, SIZE))),
    (as_many_edges, (X, EDGES[:, :NODES], torch.rand(NODES)))])
def test_sizes_that_are_equal(function, given):
    is_eager(function, *given)


def graphs_of_graphs(x, edges):
    """Reversed, joined, a part, loops alone, and strides: all of one tensor."""
    both = torch.cat([edges, edges.flip(0)], 1)
    loops = torch.stack([edges[0], edges[0]])
    part = edges[:, edges[0] < edges[1]]
    return (summed(x, both) + summed(x, loops) * 2 + summed(x, part) * 3 +
            summed(x, edges[:, ::2]) * 5 + onto(x[edges[1]], edges[1], x.shape[0]))


def changed_in_place(x, edges):
    h = summed(x, edges)
    doubled = h * 2
    h.add_(1)
    h *= h > 0
    h += summed(h, edges)
    return h, doubled, h[:, 1:3], h.t()


class Context(nn.Module):
    """Numbers of the whole graph through layers, back to rows."""

    def __init__(self):
        super().__init__()
        self.mlp = zoo.mlp(SIZE, SIZE)

    def forward(self, x, edges):
        h = summed(x, edges)
        return summed(h + self.mlp(h.mean(0, keepdim=True)) + h.sum(0) / x.shape[0], edges)


@pytest.mark.parametrize("model", [graphs_of_graphs, changed_in_place, Context()])
def test_one_program(model):
    if model is changed_in_place and torch.__version__ < "2.12":
        pytest.skip("this torch does not know sizes of slices of arguments")
    is_eager(model, X, EDGES, programs=1, fullgraph=True)


# -- Types that are only compared ---------------------------------------------------------

class SomeTypes(nn.Module):
    """Layers of two of three types of nodes; the edges of one type."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(SIZE, SIZE) for _ in range(2))

    def forward(self, x, edges, node_type, edge_type):
        out = torch.zeros_like(x)
        for i, layer in enumerate(self.layers):
            out[node_type == i] = layer(x[node_type == i]).relu()
        return summed(out, edges) + summed(out, edges[:, edge_type == 1])


def test_other_types_than_those_that_are_compared():
    is_eager(SomeTypes(), X, EDGES, NODE_TYPE, EDGE_TYPE, programs=1, fullgraph=True)


def test_rows_of_one_type():
    def function(x, edges, node_type):
        return summed(x, edges)[node_type == 1]
    is_eager(function, X, EDGES, NODE_TYPE)


# -- Gradients ------------------------------------------------------------------------------

class Average(nn.Module):
    """A buffer that moves without gradients, and is read."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(SIZE))
        self.layer = nn.Linear(SIZE, SIZE)

    def forward(self, x, edges):
        h = self.layer(summed(x, edges))
        with torch.no_grad():
            self.mean.mul_(0.9).add_(h.mean(0) * 0.1)
        return summed(h - self.mean, edges)


def written(x, edges):
    h = summed(x, edges)
    with torch.no_grad():
        h.mul_(2)
    return summed(h * h, edges)


def with_gradients(x, edges):
    with torch.enable_grad():
        return summed(x, edges) * 2


def test_buffers_that_are_written_without_gradients():
    is_eager(Average(), X, EDGES)


def refused(function, *given, match):
    with pytest.raises(Exception, match=match):
        capture.compile_module(function, fullgraph=True)(*given)
    torch._dynamo.reset()


def test_rows_that_are_written_without_gradients():
    is_eager(written, X, EDGES)
    refused(written, X.clone().requires_grad_(), EDGES, match="written to under")


def test_gradients_within_a_call_without():
    x = X.clone().requires_grad_()
    with torch.no_grad():
        assert capture.compile_module(with_gradients)(x, EDGES).requires_grad
        torch._dynamo.reset()
        refused(with_gradients, x, EDGES, match="enable_grad")


# -- What splits ----------------------------------------------------------------------------

def pooled(x, edges):
    """A graph of the best rows, which no input gives."""
    h, size = summed(x, edges), x.shape[0] // 2
    best = h.sum(1).topk(size)[1]
    place = torch.full((x.shape[0],), -1).index_copy(0, best, torch.arange(size))
    edges = place[edges]
    return summed(h[best], edges[:, (edges >= 0).all(0)])


def normalized(x, edges):
    return summed(summed(x, edges).softmax(0), edges)


@pytest.mark.parametrize("function, message", [
    (pooled, r"topk.*best = h.sum\(1\).topk"), (normalized, r"softmax.*softmax\(0\)")])
def test_splits_are_right_or_named(function, message):
    is_eager(function, X, EDGES)
    torch._dynamo.reset()
    refused(function, X.clone().requires_grad_(), EDGES, match=message)


# -- Where functions are not smooth, as rows without edges are -----------------------------------

CORNERS = torch.tensor([0., -0., 1., -1., .5, -.5, 3., -3., 6., -6., 20., -20., 90., -90.])
FUNCTIONS = [
    *(getattr(F, name) for name in (
        "softplus logsigmoid mish elu celu selu silu gelu hardswish hardtanh hardsigmoid relu "
        "relu6 leaky_relu softsign tanhshrink softshrink hardshrink").split()),
    torch.abs, torch.sign, torch.square, torch.round, torch.trunc, torch.atan,
    lambda x: F.softplus(x, 2.), lambda x: F.gelu(x, approximate="tanh"), lambda x: F.celu(x, 2.),
    lambda x: F.rrelu(x, training=False), lambda x: F.threshold(x, .5, -1.),
    lambda x: x.clamp(min=0), lambda x: x.clamp(-1, 3), lambda x: torch.maximum(x, x * 2),
    lambda x: torch.logaddexp(x, -x), lambda x: torch.addcmul(x, x, x, value=.5),
    lambda x: torch.lerp(x, x * x, .25),
    lambda x: x.masked_fill(x == 0, torch.inf).nan_to_num(posinf=.5),
    lambda x: x.abs().log1p(), lambda x: x.clamp(max=3).expm1()]


def functions(x, edges):
    h = summed(x, edges)
    return summed(torch.cat([function(h) for function in FUNCTIONS], 1), edges)


def over_features(x, edges):
    h = summed(x, edges).view(-1, 3, 2)
    return summed(torch.cat([
        h.logsumexp(1), h.var(1), h.var(1, unbiased=False), h.std(1, correction=0),
        h.var((1, 2), keepdim=True).squeeze(-1), h.std(-1)], 1), edges)


def test_functions_at_their_corners():
    ids = torch.arange(len(CORNERS))
    is_eager(functions, CORNERS[:, None], torch.stack([ids, ids]), fullgraph=True)


def test_functions_over_features():
    is_eager(over_features, X, EDGES, fullgraph=True)


def norms(x, edges):
    """Of zeros, and of what is between a node and itself."""
    away = x[edges[0]] - x[edges[1]]
    lengths = torch.cat([away.norm(dim=-1, keepdim=True), away.std(-1, keepdim=True),
                         away.norm(p=1, dim=-1, keepdim=True)], 1)
    return summed(F.normalize(x, dim=-1), edges), onto(lengths, edges[1], x.shape[0])


def test_norms_of_zeros():
    x = X * (torch.arange(NODES) % 3 > 0)[:, None]
    loops = torch.arange(NODES).expand(2, -1)
    is_eager(norms, x, torch.cat([EDGES, loops], 1), fullgraph=True)


def positions(x, positions, edges):
    """Two features of all nodes, whose numbers of rows are two sizes to torch."""
    away = positions[edges[0]] - positions[edges[1]]
    return onto(x[edges[0]] * away.square().sum(1, keepdim=True), edges[1], x.shape[0]), (
        positions + onto(away, edges[1], positions.shape[0]))


def test_features_of_as_many_rows():
    is_eager(positions, X, torch.randn(NODES, 3), EDGES, programs=1)
    compiled = capture.compile_module(positions)
    for more in 0, 2:  # And of other numbers of rows.
        at = torch.randn(NODES + more, 3)
        for a, b in zip(compiled(X, at, EDGES), positions(X, at, EDGES), strict=True):
            assert (a - b).abs().max() < 1e-4


# -- What torch computes beside programs ------------------------------------------------------

class Attention(nn.Module):
    """Between layers, of parts of the nodes, whose result torch lays out as it pleases."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.attention = nn.MultiheadAttention(SIZE, 2, batch_first=True)

    def forward(self, x, edges):
        mask = torch.arange(x.shape[0]).view(2, -1) % 5 > 0
        h = summed(x, edges).view(2, -1, SIZE)
        h = self.attention(h, h, h, key_padding_mask=~mask, need_weights=False)[0]
        return h[mask]


def centered(x, edges, batch):
    """Rows of all nodes, sums of each graph of a batch, and those as rows of nodes again."""
    h = summed(x, edges)
    return summed(h - onto(h, batch, 4).tanh()[batch], edges)


def of_tables(x, edges, table):
    """Ids of two dimensions: several rows for each of something else."""
    h = summed(x, edges)
    rows = h[table]
    return rows[:, :, 1:].reshape(len(table), -1) * 2, summed(h + rows.mean((0, 1)), edges)


def between_breaks(x, edges, weight):
    """Parts of the Python function have views of sparse tensors as arguments."""
    for _ in range(2):
        adjacency = torch.sparse_coo_tensor(edges, weight, (NODES, NODES)).coalesce()
        torch._dynamo.graph_break()
        x = weighted(x, adjacency.indices(), adjacency.values())
        torch._dynamo.graph_break()
    return x


def weighted(x, edges, weight):
    torch._dynamo.graph_break()
    return onto(x[edges[0]] * weight[:, None], edges[1], x.shape[0])


def test_attention_of_torch():
    is_eager(Attention(), X, EDGES, programs=1)


def test_graphs_of_a_batch():
    batch = torch.tensor([0, 0, 0, 1, 1, 3, 3, 3, 3, 3, 3, 3])
    is_eager(centered, X, EDGES, batch, fullgraph=True)


def test_tables_of_ids():
    is_eager(of_tables, X, EDGES, torch.arange(8).view(4, 2) % NODES)


def test_views_behind_graph_breaks():
    is_eager(between_breaks, X, EDGES, torch.rand(EDGES.shape[1]))


# -- Arguments that are not the usual ones ---------------------------------------------------------

def narrow(x, edges):
    """Ids of fewer columns than there are write those alone."""
    ids = edges[1][:, None].expand(-1, 2)
    return torch.zeros_like(x).scatter_add(0, ids, x[edges[0]]) + summed(x, edges)


def in_place_of(x, edges):
    ids = edges[1][:, None].expand(-1, SIZE)
    return x.scatter_reduce(0, ids, x[edges[0]], "sum", include_self=False) + summed(x, edges)


class Padded(nn.Module):
    def __init__(self, **options):
        super().__init__()
        torch.manual_seed(0)
        self.table = nn.Embedding(4, SIZE, **options)

    def forward(self, x, edges, kinds):
        return onto(x[edges[0]] * self.table(kinds), edges[1], x.shape[0])


def test_sums_of_other_meanings():
    is_eager(in_place_of, X, EDGES)
    with torch.no_grad():  # Torch has no gradient of the other.
        found = capture.compile_module(narrow)(X, EDGES)
    assert torch.allclose(found, narrow(X, EDGES), atol=1e-5)


@pytest.mark.parametrize("options", [{}, {"padding_idx": 1}, {"scale_grad_by_freq": True}])
def test_options_of_embeddings(options):
    is_eager(Padded(**options), X, EDGES, EDGE_TYPE % 4)


def without_diagonal(x, edges):
    h = summed(x, edges)
    h.fill_diagonal_(0)
    return h.tanh()


def solved(x, edges):
    """torch orders what may fail by inputs and outputs of its own."""
    h = summed(x, edges)
    return (h + h.relu_()) @ torch.linalg.inv(h.t() @ h + torch.eye(SIZE).to(x))


def one_column(x, edges):
    h = summed(x, edges)
    return h.index_put_((edges[1],), x[edges[0]][:, :1], accumulate=True)


def loops_of_products(x, edges):
    edges, weight = torch_geometric.utils.add_self_loops(edges, x[edges[1]], "mul", x.shape[0])
    return onto(weight, edges[1], x.shape[0])


@pytest.mark.parametrize("function", [without_diagonal, solved, one_column,
                                      loops_of_products])
def test_what_is_left_to_torch(function):
    is_eager(function, X, EDGES)


# -- What a call leaves behind ------------------------------------------------------------------

def with_counts(x, edges):
    count = torch.zeros(x.shape[0], dtype=torch.int64).index_add(
        0, edges[1], torch.ones_like(edges[1]))
    return summed(x, edges) / count.clamp(min=1)[:, None], count, edges.flip(0)


def test_outputs_are_the_callers():
    """A value computed once for a graph is not the result of a call."""
    compiled = capture.compile_module(with_counts)
    for _ in range(3):
        expected, found = with_counts(X, EDGES), compiled(X, EDGES)
        for a, b in zip(expected, found, strict=True):
            assert torch.allclose(a, b, atol=1e-5)
            b.mul_(3)


@torch.library.custom_op("gnn_mlir_tests::some_edges", mutates_args=())
def some_edges(edges: torch.Tensor) -> torch.Tensor:
    return edges[:, torch.randperm(edges.shape[1])[:10]]


@some_edges.register_fake
def _(edges):
    return edges.new_empty(2, 10)


def of_samples(x, edges):
    return [summed(x, torch.ops.gnn_mlir_tests.some_edges(edges)) for _ in range(2)]


def test_ops_that_may_be_random_are_run_each_time():
    compiled = capture.compile_module(of_samples)
    made = [out for _ in range(2) for out in compiled(X, EDGES)]
    assert len({out.sum().item() for out in made}) == 4


def asserted(x, edges):
    torch._assert_async((x < 100).all(), "large x")  # What dynamo makes of assert.
    return summed(x, edges)


def test_assertions_hold():
    compiled = capture.compile_module(asserted, fullgraph=True)
    assert torch.allclose(compiled(X, EDGES), summed(X, edges=EDGES), atol=1e-5)
    with pytest.raises(RuntimeError, match="large x|assert"):
        compiled(X + 200, EDGES)


def shared(x, y, edges):
    y.mul_(2)
    return summed(x, edges)


def test_written_arguments_that_share_memory():
    x, y = X.clone(), X.clone()
    expected = shared(x[2:], x[:-2], EDGES % 10)
    assert torch.allclose(capture.compile_module(shared)(y[2:], y[:-2], EDGES % 10), expected)
    assert torch.equal(x, y)
    refused(shared, y[2:], y[:-2], EDGES % 10, match="share memory")


# -- Rows that nothing reads -------------------------------------------------------------

def by_degree(x, edges):
    """Infinite where no edge begins or ends, which the messages do not read."""
    out = onto(torch.ones(edges.shape[1]).to(x), edges[0], x.shape[0])
    into = onto(torch.ones(edges.shape[1]).to(x), edges[1], x.shape[0])
    h = torch.tanh(x)
    rows = h[edges[0]] / out[edges[0], None] + h[edges[1]] * into.rsqrt()[edges[1], None]
    return onto(rows + (h * h)[edges[0]].sqrt(), edges[1], x.shape[0])


def test_gradients_of_rows_that_nothing_reads():
    x = X.clone()
    x[-1] = 0
    is_eager(by_degree, x, EDGES % (NODES - 1), programs=1)


class Attributes(nn.Module):
    """Tensors that are neither parameters nor buffers."""

    def __init__(self):
        super().__init__()
        self.scale, self.ids = torch.arange(1., 3.), np.arange(3)

    def forward(self, x, edges):
        return summed(x, edges) * self.scale.sum().to(x)


def test_tensors_as_attributes():
    is_eager(Attributes(), X, EDGES)


class Writes(nn.Module):
    """Writes behind a HeteroConv, which is one op while torch traces."""

    def __init__(self):
        super().__init__()
        self.conv = pyg.HeteroConv({
            ("a", "to", "b"): pyg.SAGEConv((SIZE, SIZE), 4),
            ("b", "of", "a"): pyg.SAGEConv((SIZE, SIZE), 4)})
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x, edges):
        made = self.conv({"a": x, "b": x}, {
            ("a", "to", "b"): edges, ("b", "of", "a"): edges.flip(0)})
        return tuple(torch.relu_(self.norm(rows)) for rows in made.values())


def test_writes_behind_a_hetero_conv():
    is_eager(Writes(), X, EDGES, programs=1)


class Pooled(nn.Module):
    """Numbers of tensors that Python uses: as an index of a list, as a size."""

    def __init__(self):
        super().__init__()
        self.conv, self.pool, self.median = (
            pyg.GCNConv(SIZE, 4), pyg.EdgePooling(4), pyg.MedianAggregation())

    def forward(self, x, edges, batch):
        rows = self.conv(x, edges).relu()
        pooled, *_ = self.pool(rows, edges, batch)
        return rows, pooled, self.median(rows, batch)


def test_numbers_that_python_uses():
    is_eager(Pooled(), X, EDGES, torch.arange(NODES) // 5)
    assert sum(len(outer.calls) for outer in capture._made)


def test_sizes_that_values_say():
    """One program, and torch for what has such sizes."""
    def model(x, edges, batch):
        dense = torch_geometric.utils.to_dense_batch(summed(x, edges), batch)[0]
        return dense @ dense.transpose(1, 2)
    is_eager(model, X, EDGES, torch.arange(NODES) // 5, programs=1)
