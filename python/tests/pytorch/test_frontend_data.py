# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of compiled models: sparse matrices, EdgeIndex, Data and HeteroData, beside
eager PyG."""

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from gnn_mlir.pytorch.frontend.calls import arguments  # noqa: E402
from gnn_mlir.pytorch.frontend.tracing import adjacency  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402
from torch_geometric import EdgeIndex, nn as pyg  # noqa: E402
from torch_geometric.data import Batch, Data, HeteroData  # noqa: E402

SIZE = 8
# PyG makes a class's `propagate` for the first of its layers, whether that takes matrices or
# not: these do.
FIRST = [layer(1, 1) for layer in (pyg.SAGEConv, pyg.GCNConv, pyg.GATConv)]
fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


def compiled(model):
    return capture.compile_module(model, fullgraph=True)


def graph(nodes=20, edges=80, seed=0):
    """Features, edges of which some are self loops and none is there twice, weights."""
    torch.manual_seed(seed)
    ids = torch.randperm(nodes * nodes)[:edges]
    ids[:2] = torch.tensor([0, nodes + 1])
    ids = ids.unique()
    return (torch.randn(nodes, SIZE), torch.stack([ids % nodes, ids // nodes]),
            torch.rand(len(ids)) + 0.5)


def matrix(edges, weights, nodes, layout):
    made = torch.sparse_coo_tensor(edges.flip(0), weights, (nodes, nodes)).coalesce()
    return {"coo": lambda: made, "csr": made.to_sparse_csr, "csc": made.to_sparse_csc}[layout]()


def is_close(found, expected, error=1e-5):
    pairs = zip(pytree.tree_leaves(found), pytree.tree_leaves(expected), strict=True)
    for a, b in pairs:
        assert a.shape == b.shape
        assert (a - b).abs().max() <= error * max(1, b.abs().max())


class Own(pyg.MessagePassing):
    """A layer of a user, with weights."""

    def __init__(self):
        super().__init__("sum")

    def forward(self, x, adj_t):
        return self.propagate(adj_t, x=x, edge_weight=None)

    def message(self, x_i, x_j, edge_weight):
        x = torch.tanh(x_i - x_j)
        return x if edge_weight is None else x * edge_weight.view(-1, 1)


class Products(nn.Module):
    """Without PyG."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(SIZE, SIZE)

    def forward(self, x, adj):
        return torch.mm(adj, (adj @ self.lin(x)).relu()) + torch.spmm(adj, x)


LAYERS = {
    "GCN csr": (lambda: pyg.GCNConv(SIZE, 4), "csr"),
    "GCN coo": (lambda: pyg.GCNConv(SIZE, 4, improved=True), "coo"),
    "SAGE csc": (lambda: pyg.SAGEConv(SIZE, 4), "csc"),
    "GIN csr": (lambda: pyg.GINConv(nn.Linear(SIZE, 4)), "csr"),
    "GAT csr": (lambda: pyg.GATConv(SIZE, 4, heads=2), "csr"),
    "own csr": (Own, "csr"), "products csr": (Products, "csr"),
}


@pytest.mark.parametrize("name", zoo.with_slow(LAYERS, {"GCN csr", "GIN csr"}))
def test_sparse_tensors(name):
    """With values and their gradients, and with values that are all 1. Torch has gradients
    of values of CSR alone."""
    make, layout = LAYERS[name]
    model = make()
    call = compiled(model)
    for seed, nodes in enumerate((20, 31)):
        x, edges, weights = graph(nodes, 80 + seed, seed)
        made = []
        for run, kind in ((model, "csr"), (call, layout)):
            own = weights.clone().requires_grad_()
            model.zero_grad()
            out = run(x, matrix(edges, own, nodes, kind))
            out.square().sum().backward()
            made.append((out, [own.grad] if own.grad is not None else [],
                         [p.grad for p in model.parameters()]))
        is_close(made[1], made[0], 2e-5)
    assert len(capture._made) == 1
    if name in ("GCN coo", "SAGE csc"):
        ones = matrix(edges, torch.ones(len(weights)), nodes, layout)
        is_close(call(x, ones), model(x, ones))
    assert all(len(outer.calls) == 1 for outer in capture._made)


class SparseTensor(adjacency.SparseTensor):
    """torch_sparse's class of that name, as far as it is asked for."""

    def __init__(self, edges, value, sizes):
        self._coo, self._sizes = (edges[1], edges[0], value), sizes

    def coo(self):
        return self._coo

    def sparse_sizes(self):
        return self._sizes


@pytest.mark.parametrize("name", zoo.with_slow(["GCN csr", "SAGE csc", "GAT csr", "SG"], {"SG"}))
def test_sparse_tensors_of_torch_sparse(name):
    """Layers as PyG has them for these: what ignores values, and what replaces loops."""
    model = pyg.SGConv(SIZE, 4, K=2) if name == "SG" else LAYERS[name][0]()
    x, edges, weights = graph()
    weights.requires_grad_()
    out = compiled(model)(x, SparseTensor(edges, weights, (20, 20)))
    if name in ("GCN csr", "SG"):
        is_loop = edges[0] == edges[1]
        others = torch.where(is_loop, 1.0, weights)  # fill_diag
        expected = model(x, edges, others)
        grads = [torch.autograd.grad(y.square().sum(), weights)[0] for y in (out, expected)]
        is_close(grads[0], grads[1], 2e-5)
    else:
        expected = model(x, edges)
    is_close(out, expected)


def test_matrices_of_relations():
    """A bipartite relation has as many rows as it has destinations."""
    x, edges, _ = graph()
    edges = edges[:, edges[1] < 7]
    relations = [("a", "to", "b"), ("b", "of", "a")]
    model = pyg.HeteroConv({r: pyg.SAGEConv((SIZE, SIZE), 4) for r in relations})
    ones = torch.ones(edges.shape[1])
    adj_t = {relations[0]: torch.sparse_coo_tensor(edges.flip(0), ones, (7, 20)),
             relations[1]: torch.sparse_coo_tensor(edges, ones, (20, 7)).to_sparse_csr()}
    features = {"a": x, "b": x[:7]}
    is_close(compiled(model)(features, adj_t), model(features, adj_t))


def test_conversions_are_kept():
    """While a matrix is what it was; structures are kept by the ids that it is made to."""
    _, edges, weights = graph()
    own = matrix(edges, weights, 20, "csr")
    first, again = arguments.convert(own), arguments.convert(own)
    assert first._pair is again._pair and first._value is again._value
    own.values().mul_(2)
    assert torch.equal(arguments.convert(own)._value, 2 * first._value)


class Forms(nn.Module):
    """Products as torch has them, and what a model asks a matrix for. A dense matrix says
    what they mean."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(SIZE, SIZE)

    def forward(self, x, adj, square):
        h, is_dense = self.lin(x), adj.layout == torch.strided
        product = torch.mm if is_dense else torch.sparse.mm
        added = torch.addmm if is_dense else torch.sparse.addmm
        entries = adj.coalesce() if adj.is_sparse else adj
        entries = entries.to(adj.device).float()
        sums = adj.sum(1) if is_dense else torch.sparse.sum(adj, 1).to_dense()
        out = product(adj, h).relu() + adj.t() @ h + adj.transpose(0, 1).mm(h) / adj.shape[0]
        out = added(out, -entries, h, alpha=0.5) + (h.mT @ (2 * adj)).mT / adj.size(1)
        out = out + adj.mv(h[:, 0]).view(-1, 1) + sums.view(-1, 1) * torch.mv(adj, x[:, 1])[:, None]
        # Of as many rows as columns; which is first is no question of shapes.
        return out, adj @ square, square @ adj


@pytest.mark.parametrize("layout", zoo.with_slow(["coo", "csr", "csc"], {"coo"}))
def test_products(layout):
    model = Forms()
    x, edges, weights = graph()
    square = torch.randn(20, 20)
    dense = torch.zeros(20, 20).index_put((edges[1], edges[0]), weights).requires_grad_()
    own = weights.clone().requires_grad_(layout == "csr")
    found = capture.compile_module(model, fullgraph=True)(x, matrix(edges, own, 20, layout), square)
    expected = model(x, dense, square)
    is_close(found, expected)
    grads = [torch.autograd.grad(sum(one.sin().sum() for one in made), [*model.parameters(), *of])
             for made, of in ((found, [own] if layout == "csr" else []), (expected, [dense]))]
    is_close(grads[0][:2], grads[1][:2], 2e-5)
    if layout == "csr":
        is_close(grads[0][2], grads[1][2][edges[1], edges[0]], 2e-5)


def test_softmax_of_a_matrix():
    x, edges, weights = graph()
    adj = matrix(edges, weights, 20, "coo")
    for dim in (0, 1):
        run = compiled(lambda x, adj: torch.sparse.softmax(adj, dim) @ x.relu())
        is_close(run(x, adj), torch.sparse.softmax(adj, dim) @ x.relu())


def test_other_uses_of_a_matrix():
    x, edges, weights = graph()
    adj = matrix(edges, weights, 20, "csr")
    for name, bad in (("mul by a matrix", lambda x, adj: (adj * x) @ x), (
            "sparse_sampled_addmm", lambda x, adj: torch.sparse.sampled_addmm(adj, x, x.mT).sum())):
        with pytest.raises(ValueError, match="adj: expected a sparse matrix in layers of PyG and "
                           rf"in products with features, got {name} of it at .*data.py.*adj"):
            compiled(bad)(x, adj)
    with pytest.raises(ValueError, match=r"x: .* got linear of it at .*torch_geometric.*linear"):
        compiled(pyg.GCNConv(4, 2))(matrix(edges, weights, 20, "coo"), edges)
    model = Products()
    model.register_buffer("adj", adj)
    with pytest.raises(ValueError, match="adj: expected sparse matrices as arguments .* holds"):
        compiled(On(model, lambda f, x: f(x, f.adj)))(x)
    blocks = torch.eye(4).to_sparse_bsr((2, 2))
    with pytest.raises(ValueError, match="expected a sparse tensor of layout .* got .*bsr"):
        compiled(LAYERS["GCN csr"][0]())(x, blocks)


@pytest.mark.parametrize("fullgraph", [True, False])
def test_torch_compile_alone(fullgraph):
    """It takes what torch can trace; what it cannot is an error that says who does."""
    x, edges, weights = graph()
    layer = pyg.SAGEConv(SIZE, 4)
    given = {"edges": matrix(edges, weights, 20, "csr"), "own": EdgeIndex(edges),
             "other": SparseTensor(edges, weights, (20, 20))}
    for name, one in given.items():
        call = torch.compile(On(layer, lambda f, d: f(d["x"], d[name])), backend=capture.backend,
                             fullgraph=fullgraph)
        kind = "a tensor of torch.sparse_csr" if name == "edges" else type(one).__name__
        with pytest.raises(Exception, match=rf"data\['{name}'\]: expected what torch can trace, "
                           rf"got {kind}; gnn_mlir.compile\(model\) takes it"):
            call({"x": x, name: one})
        is_close(call({"x": x, name: edges}), layer(x, edges))
    with pytest.raises(Exception, match="data.adj_t: expected what torch can trace"):
        torch.compile(On(layer, lambda f, d: f(d.x, d.adj_t)), backend=capture.backend,
                      fullgraph=fullgraph)(data())


@pytest.mark.parametrize("sort", [None, "col"])
def test_edge_index(sort):
    model, (x, edges, weights) = pyg.GCNConv(SIZE, 4), graph()
    call = compiled(model)
    if sort:
        edges = edges[:, edges[1].argsort(stable=True)]
    own = EdgeIndex(edges, sparse_size=(20, 20), sort_order=sort)
    is_close(call(x, own, weights), model(x, edges, weights))
    is_close(call(x, edges, weights), call(x, edge_weight=weights, edge_index=own))
    assert len(capture._made) == 1


# -- Data and HeteroData ------------------------------------------------------------------


def data(nodes=20):
    x, edges, weights = graph(nodes)
    return Data(x=x, edge_index=edges, edge_weight=weights, batch_size=5,
                edge_attr=weights.view(-1, 1), adj_t=matrix(edges, weights, nodes, "csr"))


def hetero(nodes=20):
    x, edges, _ = graph(nodes)
    made = HeteroData()
    made["a"].x, made["b"].x, made["a"].batch_size = x, x[:7] + 1, 5
    made["a", "to", "b"].edge_index = edges[:, edges[1] < 7]
    made["b", "of", "a"].edge_index = EdgeIndex(edges[:, edges[0] < 7], sparse_size=(7, nodes))
    return made


class On(nn.Module):
    """A layer, and what a model does with it and its data."""

    def __init__(self, layer, forward):
        super().__init__()
        self.layer, self.run = layer, forward

    def forward(self, data):
        return self.run(self.layer, data)


def _relations():
    return pyg.HeteroConv({("a", "to", "b"): pyg.SAGEConv((SIZE, SIZE), 4),
                           ("b", "of", "a"): pyg.SAGEConv((SIZE, SIZE), 4)})


WHOLE = {
    "attributes": (data, lambda: pyg.GCNConv(SIZE, 4), lambda f, d: f(
        d.x, d.edge_index, d.edge_weight)[:d.batch_size]),
    "items": (data, lambda: pyg.GATConv(SIZE, 4, edge_dim=1), lambda f, d: f(
        d["x"], d["edge_index"], d["edge_attr"])),
    "counts": (data, lambda: pyg.SAGEConv(SIZE, 4), lambda f, d: f(
        d.x, d.edge_index)[:d.num_nodes - 1] / d.num_edges * d.num_features),
    "adj_t": (data, lambda: pyg.GCNConv(SIZE, 4), lambda f, d: f(d.x, d.adj_t)),
    "dicts": (hetero, _relations, lambda f, d: f(d.x_dict, d.edge_index_dict)),
    "types": (hetero, _relations, lambda f, d: f(
        {k: d[k].x for k in d.node_types}, {k: d[k].edge_index for k in d.edge_types})["a"][
            :d["a"].batch_size] * d["b"].num_nodes),
}


@pytest.mark.parametrize("name", zoo.with_slow(WHOLE, {"items"}))
def test_whole_data(name):
    if name == "dicts" and torch.__version__ < "2.12":
        pytest.skip("this torch does not trace HeteroData.x_dict")
    make, layer, forward = WHOLE[name]
    model = On(layer(), forward)
    call = compiled(model)
    for nodes in (20, 17):
        given = make(nodes)
        before = copy.copy(given)
        out = call(given)
        assert all(a is b for a, b in zip(given.to_dict().values(), before.to_dict().values())
                   if isinstance(a, torch.Tensor))
        is_close(out, model(given))
    assert len(capture._made) == 1


def test_batches_of_graphs():
    model = On(pyg.SAGEConv(SIZE, 4), lambda f, d: pyg.global_mean_pool(
        f(d.x, d.edge_index), d.batch, d.num_graphs))
    given = Batch.from_data_list([data(9), data(12)])
    is_close(compiled(model)(given), model(given))


# -- Bad input ----------------------------------------------------------------------------

SHAPE = r"expected ids \[2, edges\] of torch.int64 or torch.int32, got "
BAD = {
    "rows of edges": (lambda x, e, t: (x, e.T.contiguous(), t),
                      "edge_index: " + SHAPE + r"torch.int64 of shape \[80, 2\]"),
    "three ends": (lambda x, e, t: (x, torch.cat([e, e[:1]]), t),
                   "edge_index: " + SHAPE + r"torch.int64 of shape \[3, 80\]"),
    "a vector": (lambda x, e, t: (x, e[0], t), "edge_index: " + SHAPE + ".* shape .80.$"),
    "floats": (lambda x, e, t: (x, e.float(), t), "edge_index: " + SHAPE + "torch.float32"),
    "short": (lambda x, e, t: (x, e.short(), t), "edge_index: " + SHAPE + "torch.int16"),
    "a list": (lambda x, e, t: (x, e.tolist(), t), "edge_index: " + SHAPE + "list"),
    "negative": (lambda x, e, t: (x, e - 1, t), r"edge_index\[0\]: expected ids from 0 to 19, got -1"),
    "too large": (lambda x, e, t: (x[:15], e, t),
                  r"edge_index\[[01]\]: expected ids from 0 to 14, got 1[5-9] at"),
    "types": (lambda x, e, t: (x, e, t + 1), "edge_type: expected ids from 0 to 2, got 3 at"),
    "few types": (lambda x, e, t: (x, e, t[1:]), "edge_type: expected 80 entries, one an edge, "
                  "got 79"),
    "a type": (lambda x, e, t: (x, e, t[0]), "edge_type: expected 80 entries, one an edge, got "
               "a tensor without dimensions"),
    "a weight": (lambda x, e, t: (x, e, 2.0), "edge_weight: expected 80 entries, one an edge, "
                 "got float 2.0"),
    "no rows": (lambda x, e, t: (x[:0], e, t),
                r"edge_index\[0\]: expected no ids, as there are no nodes, got 0 at"),
    "device": (lambda x, e, t: (x, e, t.to("meta")), "edge_type: expected a tensor on cpu, "
               "where the model is, got meta"),
    "dtype": (lambda x, e, t: (x.to(torch.complex64), e, t),
              "x: expected torch.float32, as the model has it, got torch.complex64 of shape"),
    "integers": (lambda x, e, t: (x.long(), e, t), r"x: expected features of floats, as weights "
                 r"are, got torch.int64 of shape \[20, 8\]"),
    "numpy": (lambda x, e, t: (x.numpy(), e, t), "x: expected a torch.Tensor, got numpy's ndarray"),
    "a row": (lambda x, e, t: (x[:, 0], e, t), r"x: expected features \[rows, size\], got "
              r"torch.float32 of shape \[20\]"),
    "features": (lambda x, e, t: (x[:, 1:], e, t), r"the model was called with x "
                 r"torch.float32 of shape \[20, 7\], edge_index torch.int64 of shape"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name):
    """At the user's call, whether torch finds it, PyG, a program, or nothing."""
    change, message = BAD[name]
    x, edges = torch.randn(20, SIZE), torch.arange(160).remainder(20).view(2, 80)
    layer = {"rows of edges": pyg.GCNConv, "three ends": pyg.GCNConv, "a list": pyg.GCNConv,
             "dtype": pyg.GCNConv, "numpy": pyg.GCNConv, "a row": pyg.SAGEConv,
             "integers": pyg.SAGEConv, "a weight": pyg.GCNConv}
    types = torch.arange(80).remainder(3)
    model = layer[name](SIZE, 4) if name in layer else pyg.RGCNConv(SIZE, 4, 3)
    given = change(x, edges, types)[:2 if name in layer and name != "a weight" else 3]
    for fullgraph in (True, False)[:1 + (name in ("rows of edges", "floats"))]:
        call = capture.compile_module(model, fullgraph=fullgraph)
        if name in ("negative", "types", "device"):
            call(x, edges, types)
        with pytest.raises(ValueError, match=message) as caught:
            call(*given)
        assert len(caught.traceback) < 5 and caught.value.__cause__ is None


@pytest.mark.parametrize("name", "ab")
def test_integers_of_one_type(name):
    """Types are not made one dtype for the product of all."""
    relations = [("a", "to", "b"), ("b", "to", "a")]
    layer = pyg.HGTConv(SIZE, SIZE, (["a", "b"], relations), 2)
    x = {kind: torch.randn(4, SIZE) for kind in "ab"} | {
        name: torch.ones(4, SIZE, dtype=torch.long)}
    edges = {one: torch.randint(4, (2, 6)) for one in relations}
    with pytest.raises(ValueError, match=rf"^x_dict\['{name}'\]: expected features of floats, as "
                                         r"weights are, got torch.int64 of shape \[4, 8\]"):
        compiled(layer)(x, edges)


def test_other_sizes_of_features_have_a_line():
    """The line of the model, not of PyG, where torch finds them."""
    first, last = pyg.SAGEConv(SIZE, SIZE), pyg.SAGEConv(2 * SIZE, 4)

    def model(x, edge_index):
        x = first(x, edge_index)
        return last(x, edge_index)
    with pytest.raises(ValueError, match=(
            r"got \[\?, 8\] X \[16, 4\] at \S*test_frontend_data.py:\d+ \(return last\(x, "
            r"edge_index\)\); the model was called with x torch.float32 of shape \[20, 8\]")):
        compiled(model)(torch.randn(20, SIZE), torch.randint(20, (2, 80)))


def test_ids_of_32_bits():
    model, (x, edges, _) = pyg.GATConv(SIZE, 4), graph()
    is_close(compiled(model)(x, edges.int()), model(x, edges))


class Scattered(nn.Module):
    """Ops of torch that are wrong for int32 ids over columns, in forward or backward."""

    def forward(self, x, ids):
        rows = x.gather(0, ids[0].view(-1, 1).expand(-1, x.size(1)))
        index = ids[1].view(-1, 1).expand(-1, x.size(1))
        made = torch.ones_like(x).scatter_reduce(0, index, rows, "prod")
        top = torch.zeros_like(x).scatter_reduce_(0, index=index, src=rows, reduce="amax",
                                                  include_self=False)
        return made + top + torch.zeros_like(x).scatter_add(0, index, rows), ids


@pytest.mark.parametrize("dtype, name", [(torch.float64, "left"), (torch.float32, "split")])
def test_torch_is_given_ids_of_64_bits(dtype, name):
    """Where a graph is torch's, and between programs. Ids that are results stay as they are."""
    model, (x, edges, _) = Scattered(), graph(8, 20)
    x = x.to(dtype).requires_grad_()
    found, kept = capture.compile_module(model)(x, edges.int())
    expected, _ = model(x, edges)
    assert kept.dtype == torch.int32 and torch.equal(kept, edges)
    grads = [torch.autograd.grad(out.sin().sum(), x)[0] for out in (found, expected)]
    is_close((found, grads[0]), (expected, grads[1]))
    assert bool(len(capture._made)) == (name == "split")


def test_bad_input_within_data_and_dicts():
    layer, given = _relations(), hetero()
    given["a", "to", "b"].edge_index = given["a", "to", "b"].edge_index.float()
    with pytest.raises(ValueError, match="edge_index: " + SHAPE + "torch.float32"):
        compiled(On(layer, WHOLE["dicts"][2]))(given)
    with pytest.raises(ValueError, match=(
            r"^edge_index_dict\[\('a', 'to', 'b'\)\]: " + SHAPE + "torch.float32")):
        compiled(lambda x_dict, edge_index_dict: layer(x_dict, edge_index_dict))(
            given.x_dict, given.edge_index_dict)


@pytest.mark.parametrize("change, message", [
    (lambda e: e.T.contiguous(), SHAPE + r"torch.int64 of shape \[\d+, 2\]$"),
    (lambda e: e.float(), SHAPE + "torch.float32 of shape"),
    (lambda e: e + 100, r"expected ids from 0 to \d+, got 1\d\d at")])
def test_bad_relations_have_their_names(change, message):
    layer, given = _relations(), hetero()
    edges = dict(given.edge_index_dict)
    edges["a", "to", "b"] = change(edges["a", "to", "b"])
    with pytest.raises(ValueError, match=r"^\('a', 'to', 'b'\)(\[[01]\])?: " + message):
        compiled(lambda x, edges: layer(x, edges))(given.x_dict, edges)


def test_a_failed_call_leaves_nothing_behind():
    """dynamo gives up code for good whose first op fails: the next call is captured whole."""
    class Model(On):
        def forward(self, x, edges):
            return self.layer(x, edges)
    model = capture.compile_module(Model(pyg.SAGEConv(SIZE, 4), None))
    x, edges, _ = graph()
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute"):
        model(None, edges)
    model(x, edges)
    assert [len(one.programs) for one in model.captures.report()][-1:] == [1]
    assert len(capture._made) == 1


def test_names_of_ids_are_those_of_arguments():
    """Whatever they are called."""
    def sums(x, adj):
        return torch.zeros_like(x).index_add(0, adj[1], x[adj[0]])
    call, (x, edges, _) = capture.compile_module(sums), graph()
    call(x, edges)
    edges[1, 7] = 20
    with pytest.raises(ValueError, match=r"^adj\[1\]: expected ids from 0 to 19, got 20 at 7$"):
        call(x, edges)
    with pytest.raises(ValueError, match="^adj: " + SHAPE + "torch.float32"):
        call(x, edges.float())


class Stop(Exception):
    """Of a user."""


@pytest.mark.parametrize("error", [KeyError, ValueError, Stop, torch.OutOfMemoryError])
def test_errors_of_users_stay(error):
    """Although an argument is wrong too."""
    def model(x, edge_index):
        raise error("of a user")
    x, edges, _ = graph()
    with pytest.raises(error, match="of a user"):
        capture.compile_module(model)(x, edges.T)
