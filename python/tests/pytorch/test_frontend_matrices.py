# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sparse matrices of torch within compiled models: they answer as tensors do, results are
tensors, and what a program cannot do is torch's."""

import logging

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from gnn_mlir.pytorch.frontend.tracing import adjacency, matrix  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402
from torch_geometric import EdgeIndex, nn as pyg  # noqa: E402
from torch_geometric.data import Data  # noqa: E402
from torch_geometric.utils import (add_self_loops, is_torch_sparse_tensor,  # noqa: E402
                                   remove_self_loops, to_edge_index)

NODES, SIZE = 9, 8
LAYOUTS = {"coo": torch.sparse_coo, "csr": torch.sparse_csr, "csc": torch.sparse_csc}
fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


def given(layout="csr", rows=NODES, columns=NODES, seed=0):
    """Features, and a matrix with an empty row, an empty column and loops."""
    torch.manual_seed(seed)
    dense = torch.rand(rows, columns) * (torch.rand(rows, columns) < 0.4)
    dense[1] = dense[:, 3] = 0
    dense[0, 0] = dense[2, 2] = 0.5
    made = dense.to_sparse(layout=LAYOUTS[layout])
    return torch.randn(columns, SIZE), made.coalesce() if layout == "coo" else made


def is_close(found, expected):
    """Equal results, of the same kinds; numbers and layouts among them too."""
    pairs = zip(pytree.tree_leaves(found), pytree.tree_leaves(expected), strict=True)
    for a, b in pairs:
        if not isinstance(b, torch.Tensor):
            assert a == b
            continue
        assert type(a) is type(b) and a.layout == b.layout and a.dtype == b.dtype
        assert a.shape == b.shape
        for one, other in zip(parts(a), parts(b), strict=True):
            torch.testing.assert_close(one, other, atol=2e-5, rtol=2e-5)


def parts(x):
    if x.layout is torch.strided:
        return [x]
    if x.layout is torch.sparse_coo:
        assert x.is_coalesced()
        return [x.indices(), x.values()]
    return ([x.crow_indices(), x.col_indices()] if x.layout is torch.sparse_csr else
            [x.ccol_indices(), x.row_indices()]) + [x.values()]


def asked(x):
    """Answers to the questions by which code chooses a branch."""
    return [isinstance(x, torch.Tensor), isinstance(x, (list, torch.Tensor)),
            isinstance(x, torch.nn.Parameter), isinstance(x, adjacency.SparseTensor),
            type(x) is torch.Tensor, torch.is_tensor(x), is_torch_sparse_tensor(x),
            hasattr(x, "sparse_sizes"), hasattr(x, "set_value"), hasattr(x, "storage_offset"),
            hasattr(x, "coo"), x.layout, x.is_sparse, x.is_sparse_csr, x.dtype, x.device.type,
            x.is_cuda, x.is_cpu, x.requires_grad, x.dim(), x.ndim, len(x), list(x.size()),
            x.size(-1), list(x.shape), x.numel(), x._nnz(), x.sparse_dim(), x.dense_dim(),
            x.is_floating_point(), torch.is_floating_point(x), torch.is_complex(x)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_matrix_answers_as_a_tensor_does(layout):
    """Given, transposed and made by the model."""
    def model(x, adj):
        return adj @ x, asked(adj), asked(adj.t()), asked(adj * 2)
    call = capture.compile_module(model, fullgraph=True)
    for rows in (7, 6, 7):
        x, adj = given(layout, rows=rows, seed=rows)
        is_close(call(x, adj), model(x, adj))
    assert len(capture._made) == 1


def test_code_that_dynamo_does_not_trace_is_answered_too():
    @torch.compiler.disable
    def branch(x, adj):
        return x * (2 if isinstance(adj, torch.Tensor) and adj.layout != torch.strided else 3)

    def model(x, adj):
        return adj @ branch(adj @ x, adj)
    x, adj = given()
    is_close(capture.compile_module(model)(x, adj), model(x, adj))


def test_entries_of_a_matrix():
    def model(x, coo, csr, csc):
        made = [to_edge_index(one) for one in (coo, csr, csc, coo.t().coalesce())]
        return made, coo.indices(), coo.values(), csr.crow_indices(), csr.col_indices(), (
            csc.ccol_indices(), csc.row_indices(), csc.values(), coo.t()._indices(),
            coo.t().is_coalesced(), coo @ x)
    x, coo = given("coo")
    all_of = x, coo, given("csr")[1], given("csc")[1]
    is_close(capture.compile_module(model, fullgraph=True)(*all_of), model(*all_of))


def test_results_are_tensors():
    """The caller's own where the model gives it back."""
    def model(x, adj, other):
        turned = adj.t().to_sparse_csr()
        made = 2 * adj, adj.t(), turned, torch.sparse.sum(adj, 1), torch.sparse.softmax(adj, 1)
        return {"own": [adj], "made": made, "out": adj @ x, "ids": other,
                "loops": (add_self_loops(adj)[0], remove_self_loops(adj)[0])}
    x, adj = given("coo")
    other = EdgeIndex(torch.tensor([[0, 1], [1, 0]]), sparse_size=(NODES, NODES))
    found, expected = capture.compile_module(model)(x, adj, other), model(x, adj, other)
    assert found["own"][0] is adj and found["ids"] is other
    for one in (found, expected):
        turned = one["made"][1]
        assert not turned.is_coalesced()
        one["made"] = one["made"][:1] + (turned.coalesce(),) + one["made"][2:]
    is_close(found, expected)


@pytest.mark.parametrize("name, layout", zoo.with_slow(
    [("FAConv", "csr"), ("GATConv", "coo"), ("GATv2Conv", "csr")], {("GATv2Conv", "csr")}))
def test_attention_weights(name, layout):
    """Entries are in torch's order, with loops among them."""
    layer = getattr(pyg, name)(*((SIZE,) if name == "FAConv" else (SIZE, 4, 2)))
    x, adj = given(layout)
    args = (x, x, adj) if name == "FAConv" else (x, adj)
    call = capture.compile_module(layer, fullgraph=True)
    made = []
    for run in (call, layer):
        out, (weights, alpha) = run(*args, return_attention_weights=True)
        loss = out.sin().sum() + alpha.cos().sum()
        made.append((out, weights.detach(), alpha, torch.autograd.grad(loss, list(
            layer.parameters()))))
    is_close(*made)


@pytest.mark.parametrize("layout", zoo.with_slow(["coo", "csr"], {"csr"}))
def test_loops_beside_features_of_edges(layout):
    """Values of entries are vectors; the loops have their means."""
    layer = pyg.GATConv(SIZE, 4, 2, edge_dim=3)
    x, adj = given("csr")
    ids, _ = to_edge_index(adj)
    values = torch.randn(ids.shape[1], 3)
    made = torch.sparse_coo_tensor(ids, values, (NODES, NODES, 3), is_coalesced=True)
    if layout == "csr":
        made = torch.sparse_csr_tensor(adj.crow_indices(), adj.col_indices(), values,
                                       (NODES, NODES, 3))
    is_close(capture.compile_module(layer, fullgraph=True)(x, made), layer(x, made))


def test_entries_that_are_there_twice():
    """A tensor that is not coalesced: PyG takes its entries for edges, or puts them
    together."""
    x, adj = given("coo")
    ids = torch.cat([adj.indices(), adj.indices()[:, 3:9]], 1)
    mean, norm = pyg.SAGEConv(SIZE, 4), pyg.GCNConv(SIZE, 4, add_self_loops=False)

    def model(x, adj):
        return mean(x, adj), norm(x, adj)
    for edges in (ids, adj.indices().flip(1)):
        own = torch.sparse_coo_tensor(edges, torch.rand(edges.shape[1]), (NODES, NODES))
        copy = own.clone()  # PyG declares what it is given to be coalesced.
        is_close(capture.compile_module(model, fullgraph=True)(x, own), model(x, copy))


def test_heterogeneous_attention():
    """HGTConv takes matrices, of torch and of torch_sparse."""
    relations = [("a", "to", "b"), ("b", "of", "a")]
    layer = pyg.HGTConv(SIZE, SIZE, (["a", "b"], relations), 2)
    x, adj = given("csr")
    features = {"a": x, "b": x + 1}
    edges = {one: to_edge_index(adj)[0].flip(0) for one in relations}
    expected = layer(features, edges)
    own = SparseTensor(edges[relations[1]][1], edges[relations[1]][0], None, (NODES, NODES))
    is_close(capture.compile_module(layer, fullgraph=True)(
        features, dict(zip(relations, (adj, own)))), expected)


class SparseTensor(adjacency.SparseTensor):
    """What torch_sparse has of that name, as far as it is asked for."""

    def __init__(self, row, col, value, sparse_sizes):
        self._coo, self._sizes = (row, col, value), sparse_sizes

    def coo(self):
        return self._coo

    def sparse_sizes(self):
        return self._sizes


def test_results_of_torch_sparse():
    layer, (x, adj) = pyg.GATConv(SIZE, 4, 2, add_self_loops=False), given("csr")
    (row, col), _ = to_edge_index(adj)
    own = SparseTensor(row, col, None, (NODES, NODES))

    def model(x, own):
        return (*layer(x, own, return_attention_weights=True), own)
    out, weights, same = capture.compile_module(model, fullgraph=True)(x, own)
    expected, (_, alpha) = layer(x, torch.stack([col, row]), return_attention_weights=True)
    assert same is own and type(weights) is SparseTensor
    is_close((out, weights.coo(), weights.sparse_sizes()),
             (expected, (row, col, alpha), (NODES, NODES)))
    with pytest.raises(ValueError, match="^own: .*, got to_torch_sparse_csr_tensor of it at"):
        capture.compile_module(lambda x, own: own.to_torch_sparse_csr_tensor() @ x,
                               fullgraph=True)(x, own)


# -- What is torch's -------------------------------------------------------------------------

OTHERS = {
    "cat": lambda x, adj: torch.cat([adj, adj]).to_dense(),
    "matmul": lambda x, adj: (adj @ adj) @ x,
    "to_dense": lambda x, adj: adj.to_dense() @ x,
    "__add__": lambda x, adj: (adj + adj) @ x,
    "abs": lambda x, adj: adj.abs() @ x,
    "__getitem__": lambda x, adj: adj[0].to_dense() + x[:, 0],
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_a_matrix_cannot_do(name, caplog):
    """Torch runs the call, and says so; with fullgraph it is an error with argument and line."""
    model, (x, adj) = OTHERS[name], given("coo")
    with pytest.raises(ValueError, match=rf"^adj: expected .*, got {name} of it at \S*"
                                         r"test_frontend_matrices.py:\d+ "):
        capture.compile_module(model, fullgraph=True)(x, adj)
    call = capture.compile_module(model)
    with caplog.at_level(logging.WARNING, "gnn_mlir"):
        for _ in range(2):
            is_close(call(x, adj), model(x, adj))
    said = [one.getMessage() for one in caplog.records if one.name == "gnn_mlir"]
    assert [one.count(f"got {name} of it at") for one in said] == [1]
    assert "left to torch: adj: expected a sparse matrix in" in str(call.captures)


WRONG_SIZES = {
    "of columns": (lambda x, adj: adj @ x, (5, 4), "[.., 3]", "3 rows"),
    "of rows": (lambda x, adj: x.mT @ adj, (5, 5), "[3, ..]", "3 rows"),
    "of the transposed": (lambda x, adj: adj.t() @ x, (5, 4), "[3, ..]", "3 rows"),
    "of a vector": (lambda x, adj: torch.mv(adj, x[:, 0]), (5, 5), "[.., 3]", "3 rows"),
    "of one row": (lambda x, adj: torch.sparse.mm(adj, x[:1]), (5, 5), "[.., 1]", "1 row"),
    "of a layer": (pyg.SAGEConv(SIZE, 2), (5, 5), "[.., 3]", "3 rows"),
    "of a layer that normalizes": (pyg.GCNConv(SIZE, 2), (5, 5), "[.., 3]", "3 rows"),
}


@pytest.mark.parametrize("name", zoo.with_slow(WRONG_SIZES, (), {
    "of one row": zoo.since("2.13", "has torch's own error of torch.sparse.mm")}))
def test_a_matrix_of_the_wrong_size(name, caplog):
    """The error names the argument, the size that it should have and the line, and is all that is
    said."""
    model, shape, wanted, rows = WRONG_SIZES[name]
    argument = "edge_index" if isinstance(model, nn.Module) else "adj"
    for fullgraph in (False, True):
        call = capture.compile_module(model, fullgraph=fullgraph)
        with caplog.at_level(logging.WARNING, "gnn_mlir"), pytest.raises(ValueError) as found:
            call(torch.randn(3, SIZE), given("coo", *shape)[1])
        said = str(found.value)
        assert said.startswith(f"{argument}: expected a matrix {wanted} in the product with "
                               f"{rows} of features, got {list(shape)} at /") and "\n" not in said
    assert not [one for one in caplog.records if one.name == "gnn_mlir"]


def test_calls_around_a_matrix_of_the_wrong_size():
    """They are compiled. The error is of that of two matrices which has the size."""
    def model(x, adj, other):
        return other @ (adj @ x)
    call = capture.compile_module(model)
    (x, adj), (_, other) = given("csr", 4, 4), given("csr", 6, 4)
    is_close(call(x, adj, other), model(x, adj, other))
    for columns in (5, 6):
        with pytest.raises(ValueError, match=r"^other: expected a matrix \[\.\., 4\] in"):
            call(x, adj, given("csr", 6, columns)[1])
    x, adj = given("csr", 7, 7)
    is_close(call(x, adj, adj), model(x, adj, adj))
    assert [len(one.programs) for one in call.captures.report()] == [1, 1]


def test_sparse_features():
    x, adj = given("coo")
    layer, sparse = pyg.EGConv(SIZE, 16), x.relu().to_sparse()
    call = capture.compile_module(layer)
    edges = adj.indices()
    is_close(call(sparse, edges), layer(sparse, edges))
    is_close(call(x, edges), layer(x, edges))  # These are compiled.
    assert [len(one.programs) for one in call.captures.report()] == [0, 1]


class Choosing(nn.Module):
    """A sparse matrix has no truth; its `len` is no answer."""

    def forward(self, x, adj):
        return adj @ x if adj else x


def test_errors_of_eager_stay():
    x, adj = given("csr")
    with pytest.raises(RuntimeError) as expected:
        Choosing()(x, adj)
    with pytest.raises(RuntimeError) as found:
        capture.compile_module(Choosing())(x, adj)
    assert str(found.value) == str(expected.value)
    layer, (_, csc) = pyg.GCNConv(SIZE, 4), given("csc")
    with pytest.raises(NotImplementedError, match="CSC"):
        capture.compile_module(layer)(x, csc)


# -- What a model keeps ----------------------------------------------------------------------

def test_a_model_keeps_tensors():
    """As GCNConv does with what it normalizes: the model itself runs on, and the compiled one
    on what it kept."""
    layer, (x, adj) = pyg.GCNConv(SIZE, 4, cached=True), given("csr")
    call = capture.compile_module(layer, fullgraph=True)
    first = call(x, adj)
    kept, _ = layer._cached_edge_index
    assert type(kept) is torch.Tensor and kept.layout is torch.sparse_csr
    is_close(layer(x, adj), first)
    for _ in range(2):
        is_close(call(x, adj), first)
        assert type(layer._cached_edge_index[0]) is torch.Tensor
    assert len(capture._made) == 2


def test_a_copy_of_data():
    def model(data):
        data.out = data.adj_t @ data.x
        return data
    x, adj = given("csr")
    found = capture.compile_module(model)(Data(x=x, adj_t=adj))
    assert found.adj_t is adj
    is_close(found.out, adj @ x)


def test_names_are_torch_s():
    """No name of a stand-in is public that a tensor has not."""
    for kind in (matrix.Matrix, matrix.RowSums):
        assert {name for name in dir(kind) if not name.startswith("_")} <= set(dir(torch.Tensor))
