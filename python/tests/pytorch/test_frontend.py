# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile by the front end beside eager PyG in float64, forward and backward, on
graphs of several sizes without another compilation."""

import copy
import os

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import zoo  # noqa: E402
import zoo_table  # noqa: E402
from beside_eager import compare, converted, run  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from gnn_mlir.pytorch.frontend.tracing import intercept  # noqa: E402
from torch_geometric.nn import SAGEConv  # noqa: E402

# Models that no program means, and why.
REFUSED = {"SAGEConv-lstm": "Data-dependent branching", "model-GPS": "data-dependent",
           "to_hetero_with_bases-SAGE2": "hooks"}
# Cases that another one resembles, which is named behind them.
SLOW = {
    "GINConv",  # model-GIN3-jk
    "GINEConv",  # model-GraphClassifier
    "GATv2Conv", "GATv2Conv+edge",  # model-GAT2, and GATConv+edge
    "RGCNConv-bases",  # model-RGCN2
    "FastRGCNConv",  # FastRGCNConv-blocks, and with bases in test_frontend_pyg.py
    "SGConv", "SSGConv",  # TAGConv and APPNP
    "ChebConv",  # test_frontend_pyg.py, with weights and batches
    "LEConv",  # test_frontend_ops.py, below each op
    "EdgeConv",  # custom-EdgeFunction, which is the same by hand
    "GeneralConv-att",  # GATConv
    "FAConv",  # test_attention_weights of test_frontend_matrices.py
    "HeteroConv-SAGE",  # test_batches of test_frontend_batches.py
    "to_hetero-SAGE2", "model-HeteroConv2-BatchNorm",  # test_frontend_sizes.py
    "HGTConv", "model-HGT2",  # test_layers_of_fewer_types
    "model-GCN3"}  # GCNConv, and norms of model-GraphClassifier
SIZES = ((50, 300), (61, 401), (70, 77))
DEVICE = "cuda" if os.environ.get("GNN_TEST_TARGET") == "cuda" else "cpu"


def _without_twice_looped(inputs):
    """PyG gives gradients to the weights of loops that it overwrote."""
    src, dst = inputs.edge_index
    loops, seen = (src == dst).nonzero().view(-1).tolist(), set()
    for edge in loops:
        if int(src[edge]) in seen:
            dst[edge] = (dst[edge] + 1) % inputs.nodes
        seen.add(int(src[edge]))
    return inputs


fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


@pytest.mark.parametrize("name", zoo.with_slow(
    [name for name in zoo.CASES if name not in REFUSED], SLOW))
def test_is_eager(name):
    case = zoo.CASES[name]
    model = case.make().eval().to(DEVICE)
    exact = copy.deepcopy(model).double()
    compiled = capture.compile_module(model, fullgraph=True)
    for seed, (nodes, edges) in enumerate(SIZES):
        inputs = _without_twice_looped(zoo.Inputs(nodes, edges, seed))
        given = converted((case.inputs(inputs), case.named(inputs)), device=DEVICE)
        expected = run(exact, exact, *converted(given, dtype=torch.float64))
        compare(*expected, *run(compiled, model, *given))
    assert len(capture._made) == 1  # One compilation for all sizes.
    if DEVICE == "cpu":
        assert zoo_table.row(name) == zoo_table.committed()[name], (
            "if that is meant: python python/tests/pytorch/zoo_table.py --write")


def test_most_cases_are_whole():
    rows = zoo_table.committed()
    assert list(rows) == list(zoo.CASES)
    whole = sum("| yes |" in row for row in rows.values())
    assert whole >= 66 and f"{whole} of {len(rows)} cases are" in zoo_table.PAGE.read_text()


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused(name):
    case = zoo.CASES[name]
    assert zoo_table.row(name) == zoo_table.committed()[name]
    inputs = zoo.Inputs()
    inputs.edge_index = inputs.edge_index[:, inputs.edge_index[1].argsort()]
    with pytest.raises(Exception, match=REFUSED[name]):
        capture.compile_module(case.make().eval(), fullgraph=True)(
            *case.inputs(inputs), **case.named(inputs))


def test_relations_of_hgt_in_another_order():
    """Weights belong to relations by their names, in whatever order edges come. PyG's
    own layer is right in the order of its metadata alone."""
    model = zoo.CASES["HGTConv"].make().eval()
    features, edges = zoo.Inputs().hetero()
    other = {relation: edges[relation] for relation in list(edges)[::-1]}
    with torch.no_grad():
        expected = model(features, edges)
        found = capture.compile_module(model, fullgraph=True)(features, other)
    assert expected.keys() == found.keys()
    for kind, rows in expected.items():
        torch.testing.assert_close(found[kind], rows)


def test_fused_gru_cell_has_shapes():
    """torch's own on a GPU, without which a captured one has no shape there."""
    intercept.install()
    like = torch.empty(3, 4, device="meta")
    gates = torch.empty(3, 12, device="meta")
    made = torch.ops.aten._thnn_fused_gru_cell(gates, gates, like)
    assert [x.shape for x in made] == [(3, 4), (3, 20)]


class _Split(torch.nn.Module):
    """Two layers with an op between them that no program means."""

    def __init__(self):
        super().__init__()
        make = zoo.CASES["RGCNConv"].make
        self.one, self.two = make(), make()

    def forward(self, x, *edges):
        return self.two(self.one(x, *edges).cumsum(0)[:, :1].expand_as(x) + x, *edges)


def test_inference_leaves_no_layer_to_torch():
    """Without gradients parameters are no data, which torch may prepare."""
    model, given = _Split().eval(), zoo.CASES["RGCNConv"].inputs(zoo.Inputs())
    with torch.no_grad():
        torch.testing.assert_close(capture.compile_module(model)(*given), model(*given))
    outer, = capture._made
    assert len(outer.calls) == 2
    assert not [node for node in outer.graph.nodes
                if getattr(node.target, "namespace", None) == "gnn_mlir"]


class _Between(torch.nn.Module):
    """Two HGT layers, with an activation of each type's rows between them."""

    def __init__(self):
        super().__init__()
        make = zoo.CASES["HGTConv"].make
        self.one, self.two = make(), make()

    def forward(self, x, edges):
        x = {kind: torch.nn.functional.leaky_relu(rows, 0.3).tanh()
             for kind, rows in self.one(x, edges).items()}
        return self.two(x, edges)


def test_activations_between_layers_by_type():
    """Are one op on all rows, so that both layers are one program."""
    model, given = _Between().eval(), zoo.Inputs().hetero()
    with torch.no_grad():
        found = capture.compile_module(model, fullgraph=True)(*given)
        torch.testing.assert_close(found, model(*given))
    outer, = capture._made
    assert len(outer.calls) == 1


class _OfFewerTypes(torch.nn.Module):
    """Two HGT layers, where no relation leads to a type that the first one reads."""

    TYPES, RELATIONS = ["a", "b", "c"], [("b", "r", "a"), ("a", "s", "c"), ("c", "t", "a")]

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.one, self.two = (zoo.pyg.HGTConv(6, 6, (self.TYPES, self.RELATIONS), 2)
                              for _ in range(2))

    def forward(self, x, edges):
        x = {kind: rows.relu() for kind, rows in self.one(x, edges).items()
             if rows is not None}
        return self.two(x, {r: ids for r, ids in edges.items() if r[0] in x})


def test_layers_of_fewer_types():
    """Are one program too: the second one's weights are those of the types there are."""
    model = _OfFewerTypes()
    compiled = capture.compile_module(model, fullgraph=True)
    for sizes in ({"a": 5, "b": 7, "c": 4}, {"a": 1, "b": 3, "c": 6}):
        x = {kind: torch.randn(n, 6) for kind, n in sizes.items()}
        edges = {(src, name, dst): torch.stack([torch.randint(sizes[src], (8,)),
                                                torch.randint(sizes[dst], (8,))])
                 for src, name, dst in model.RELATIONS}
        results = []
        for run in (compiled, model):
            model.zero_grad()
            out = {kind: rows for kind, rows in run(x, edges).items() if rows is not None}
            sum(rows.square().sum() for rows in out.values()).backward()
            results.append((out, [p.grad for p in model.parameters()]))
        torch.testing.assert_close(*results, rtol=1e-4, atol=1e-5)
    outer, = capture._made
    assert len(outer.calls) == 1


class OfTable(torch.nn.Module):
    """A layer on rows of a table by the ids of nodes, and on other features of these."""

    def __init__(self, count, index):
        super().__init__()
        self.table, self.index = torch.nn.Embedding(count, 8), index
        self.lin, self.conv = torch.nn.Linear(4, 8), SAGEConv(8, 8)

    def forward(self, ids, x, edge_index):
        rows = self.table.weight[ids] if self.index else self.table(ids)
        return self.conv(rows + self.lin(x), edge_index)


@pytest.mark.parametrize("count, index", zoo.with_slow(
    [(count, index) for count in (500, 65_535, 65_536) for index in (False, True)],
    {(500, False), (500, True), (65_535, True), (65_536, False)}))
def test_long_tables(count, index):
    """Rows of tables of more rows than there may be types are torch's, and the rest is whole."""
    torch.manual_seed(0)
    model = OfTable(count, index)
    eager = copy.deepcopy(model)
    run = capture.compile_module(model, fullgraph=True)
    for nodes in 40, 31:
        ids = torch.randint(count, (nodes,)).index_fill(0, torch.tensor([3, 4]), count - 1)
        given = ids, torch.randn(nodes, 4), torch.randint(nodes, (2, 160))
        given = [x.to(DEVICE) for x in given]
        results = []
        for one, call in ((model, run), (eager, eager)):
            one.to(DEVICE).zero_grad()
            out = call(*given)
            out.sin().sum().backward()
            results.append([out, *(p.grad for p in one.parameters())])
        for ours, theirs in zip(*results):
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    captured, = run.captures.report()
    assert len(captured.programs) == 1
    assert len(captured.left) == (count > 65_535)
