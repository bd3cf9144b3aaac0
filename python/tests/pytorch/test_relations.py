# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models on dicts of graphs as models on one typed graph: which are merged, into how many
graphs, and that they are the same models, in float64, forward and backward.

Merged models run by torch's own ops here: test_frontend.py runs programs made of it."""

import re

import pytest

torch = pytest.importorskip("torch")
pyg = pytest.importorskip("torch_geometric.nn")

import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from gnn_mlir.pytorch.frontend.functional.lowering import lower  # noqa: E402
from gnn_mlir.pytorch.frontend.relations import merging  # noqa: E402
from torch import nn  # noqa: E402

D, HEADS = 16, 4
SIZES = {"paper": 16, "author": 24, "venue": 8}


class Layers(nn.Module):
    """Layers of HeteroConv with `conv(relation, number)` for each relation."""

    def __init__(self, conv, *, layers=2, aggr="sum", relations=zoo.RELS, first=None,
                 norm=None, of=None, residual=False):
        super().__init__()
        self.first = nn.ModuleDict(first or {})
        self.norm = nn.ModuleDict({t: norm() for t in zoo.TYPES} if norm else {})
        self.convs = nn.ModuleList(
            pyg.HeteroConv({r: conv(r, i) for r in relations}, aggr=aggr)
            for i in range(layers))
        self.of, self.residual = of, residual

    def forward(self, x, edges, **named):
        for kind, lin in self.first.items():
            x = {**x, kind: lin(x[kind]).relu()}
        for number, conv in enumerate(self.convs):
            made = conv(x, edges, **named)
            for kind, norm in self.norm.items():
                made[kind] = norm(made[kind])
            if number + 1 < len(self.convs):
                made = {kind: value.relu() for kind, value in made.items()}
            x = {kind: value + x[kind] for kind, value in made.items()} if (
                self.residual) else made
        return x[self.of] if self.of else x


class Of(nn.Module):
    """Rows of some types of what a model gives."""

    def __init__(self, model, *kinds):
        super().__init__()
        self.model, self.kinds = model, kinds

    def forward(self, x, edges):
        made = self.model(x, edges)
        return {kind: made[kind] for kind in self.kinds}


class Composed(nn.Module):
    """A model that to_hetero takes apart."""

    def __init__(self):
        super().__init__()
        self.conv1 = pyg.GATConv((-1, -1), D, add_self_loops=False)
        self.lin, self.conv2 = pyg.Linear(-1, D), pyg.SAGEConv((-1, -1), D)

    def forward(self, x, edge_index):
        return self.conv2((self.conv1(x, edge_index) + self.lin(x)).relu(), edge_index)


def sage(relation=None, number=0):
    return pyg.SAGEConv((D, D), D)


def gat(relation=None, number=0, **named):
    return pyg.GATConv((D, D), D // HEADS, heads=HEADS, add_self_loops=False, **named)


def gin(relation=None, number=0):
    return pyg.GINConv(zoo.mlp(), train_eps=True)


def by_relation(**convs):
    return lambda relation, number: convs[relation[1]]()


# Models, and how many graphs of each number of relations a merged one has:
# one an aggregation. None: it stays as it is.
MODELS = {
    "SAGE": (lambda: Layers(sage), [4, 4]),
    "of authors": (lambda: Layers(sage, of="author"), [3, 1]),
    "mean of relations": (lambda: Layers(sage, aggr="mean", layers=1), [4]),
    "GAT": (lambda: Layers(gat, layers=1), [4]),
    "of two types": (lambda: Of(Layers(sage, layers=3, aggr="mean", norm=lambda: nn.LayerNorm(
        D)), "venue", "author"), [4, 4, 2]),
    "residuals of two types": (lambda: Of(Layers(gat, residual=True), "author", "venue"),
                               [4, 2]),
    "GAT of papers": (lambda: Layers(gat, of="paper", aggr="mean"), [3, 2]),
    "loops": (lambda: Layers(lambda r, i: pyg.GATConv(
        (D, D), D, add_self_loops=r[0] == r[2]), layers=1), [4]),
    "Transformer": (lambda: Layers(lambda r, i: pyg.TransformerConv(
        (D, D), D // HEADS, heads=HEADS), layers=1), [4]),
    "ResGated": (lambda: Layers(lambda r, i: pyg.ResGatedGraphConv((D, D), D), layers=1),
                 [4]),
    "GraphConv": (lambda: Layers(lambda r, i: pyg.GraphConv((D, D), D), layers=1), [4]),
    "two kinds": (lambda: Layers(by_relation(writes=sage, cites=sage, rev_writes=gat,
                                             **{"in": gat})), [2, 2, 2, 2]),
    "features of several sizes": (lambda: Layers(lambda r, i: pyg.SAGEConv(
        (D, D) if i else (SIZES[r[0]], SIZES[r[2]]), D)), [3, 1, 4]),
    "products before": (lambda: Layers(sage, first={
        t: nn.Linear(SIZES[t], D) for t in SIZES}), [4, 4]),
    "residual": (lambda: Layers(gat, residual=True), [4, 4]),
    "layer norm": (lambda: Layers(sage, norm=lambda: nn.LayerNorm(D)), [4, 4]),
    "to_hetero": (lambda: pyg.to_hetero(Composed(), zoo.META), [4, 4]),
    "types that get nothing": (lambda: Layers(sage, layers=1, relations=zoo.RELS[:2]), [2]),
    "one relation": (lambda: Layers(sage, layers=1, relations=zoo.RELS[1:2]), None),
    "maximum of relations": (lambda: Layers(sage, aggr="max", layers=1), [1, 1, 1]),
    "minimum of relations": (lambda: Layers(sage, aggr="min", of="author"), [1] * 4),
    "maximum of different ops": (lambda: Layers(by_relation(
        writes=sage, cites=gat, rev_writes=gat, **{"in": gat}), aggr="max", layers=1), None),
    "relations side by side": (lambda: Layers(sage, aggr="cat", layers=1), None),
    "maximum of messages": (lambda: Layers(
        lambda r, i: pyg.SAGEConv((D, D), D, aggr="max"), layers=1), [1, 1]),
    "rows of length 1": (lambda: Layers(lambda r, i: pyg.SAGEConv(
        (D, D), D, normalize=True), layers=1), [1, 1, 1]),
    "means of heads": (lambda: Layers(lambda r, i: gat(concat=False), layers=1), [1, 1, 1]),
    "GIN": (lambda: Layers(gin), [1] * 6),
    "GIN and others": (lambda: Layers(by_relation(writes=gin, cites=sage, rev_writes=gin,
                                                  **{"in": sage})), [2, 2] + [1] * 6),
    "GCN and others": (lambda: Layers(by_relation(
        writes=sage, cites=lambda: pyg.GCNConv(D, D), rev_writes=sage,
        **{"in": sage}), layers=1), [3, 1, 1]),
}


def aggregations(lowered):
    """How many relations each aggregation is over."""
    ops = torch.ops.gnn_mlir
    return [node.args[4] if node.target == ops.aggregate_by_type.default else 1
            for node in lowered.module.graph.nodes
            if node.target in (ops.aggregate.default, ops.aggregate_by_type.default)]


@pytest.fixture
def way():
    """How relations are merged."""
    return "merge"


@pytest.fixture
def merged(monkeypatch, way):
    """The merged parts of the models that are compiled, run by torch."""
    found = []

    def backend(graph_module, inputs, options=None, captures=None):
        lowered = lower(graph_module)
        found.append(getattr(merging, way)(lowered))
        return lowered.fed((found[-1] or lowered).module)
    monkeypatch.setattr(capture, "backend", backend)
    monkeypatch.setattr(merging, "MANY", 0)
    yield found
    torch._dynamo.reset()


def inputs(model, nodes=50):
    """Features in float64, and edges."""
    features, edges = zoo.Inputs(nodes=nodes).hetero()
    sizes = SIZES if "sizes" in model or "before" in model else dict.fromkeys(SIZES, D)
    features = {t: torch.randn(len(x), sizes[t], dtype=torch.float64)
                for t, x in features.items()}
    return features, edges


def outputs(made):
    return [made[kind] for kind in sorted(made)] if isinstance(made, dict) else [made]


def same(model, given, compiled, named=None):
    """Results and gradients of a model and of what it became."""
    results = []
    for run in (model, compiled):
        model.zero_grad()
        x = {t: v.clone().requires_grad_() for t, v in given[0].items()}
        made = outputs(run(x, given[1], **(named or {})))
        sum((m.sin() * torch.arange(1, m.numel() + 1).view_as(m)).sum()
            for m in made).backward()
        results.append([*made, *(p.grad for p in model.parameters()),
                        *(v.grad for v in x.values())])
    for expected, found in zip(*results, strict=True):
        if expected is None:
            expected = torch.zeros_like(found) if found is not None else None
        if found is None:
            assert expected is None
        else:
            torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)


# Of these each sum over edges is a relation's where relations stay apart.
APART = ("SAGE", "of authors", "mean of relations", "GAT", "of two types",
         "residuals of two types", "GAT of papers", "loops", "Transformer", "ResGated",
         "GraphConv", "two kinds", "features of several sizes", "products before", "residual",
         "layer norm", "to_hetero", "types that get nothing", "GCN and others")


# Cases that run by default have each part of these, which are layers, how relations are reduced
# and types that are read; layers of some that are apart are in merged ones alone.
SLOW = {("merge", name) for name in (
    "SAGE", "of authors", "GAT", "residual", "GAT of papers", "minimum of relations",
    "GIN")} | {("apart", name) for name in (
        "SAGE", "mean of relations", "GAT", "of two types", "GAT of papers", "Transformer",
        "ResGated", "GraphConv", "residual", "layer norm", "to_hetero", "products before",
        "types that get nothing")}


@pytest.mark.parametrize("way, name", zoo.with_slow([
    *[("merge", name) for name in MODELS], *[("apart", name) for name in APART]], SLOW))
def test_model(way, name, merged):
    make, counts = MODELS[name]
    if way == "apart":
        counts = [1] * sum(counts)
    torch.manual_seed(0)
    model = make()
    given = inputs(name)
    with torch.no_grad():
        model.double()(*given)  # Lazy sizes.
    compiled = capture.compile_module(model, fullgraph=True)
    same(model, given, compiled)
    assert len(merged) == 1
    found = None if merged[0] is None else sorted(aggregations(merged[0]), reverse=True)
    assert found == (counts and sorted(counts, reverse=True))


@pytest.mark.parametrize("kinds", [("author",), ("venue", "author")])
def test_rows_that_nothing_reads(kinds):
    """The last layer has rows of the types alone that the model gives: the first of the
    layer before, in one program."""
    torch.manual_seed(0)
    model, (features, edges) = Of(Layers(sage), *kinds), inputs("")
    features = {kind: x.float() for kind, x in features.items()}
    results = []
    for run in (model, capture.compile_module(model, fullgraph=True)):
        model.zero_grad()
        x = {kind: rows.clone().requires_grad_() for kind, rows in features.items()}
        made = outputs(run(x, edges))
        sum(one.sin().sum() for one in made).backward()
        results.append([*made, *(p.grad for p in model.parameters()),
                        *(v.grad for v in x.values())])
    for expected, found in zip(*results, strict=True):
        assert (expected is None) == (found is None)
        if expected is not None:
            torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-3)
    call, = capture._made[-1].calls
    assert call.segment.module.text().count("gnn.prefix_rows") == 1
    torch._dynamo.reset()


class Dropped(Layers):
    """Values that are dropped before they are used in several places; with `twice` each
    use has its own."""

    def __init__(self, twice):
        super().__init__(sage)
        self.twice = twice

    def forward(self, x, edges):
        for conv in self.convs:
            made = {kind: nn.functional.dropout(v, 0.5) for kind, v in x.items()}
            other = {kind: nn.functional.dropout(v, 0.5) for kind, v in x.items()} if (
                self.twice) else made
            x = {kind: v.relu() + other[kind] for kind, v in conv(made, edges).items()}
        return x


@pytest.mark.parametrize("twice, way", [(False, "merge"), (True, "merge"), (False, "apart"),
                                        (True, "apart")])
def test_random_numbers_are_drawn_once(twice, way, merged):
    compiled = capture.compile_module(Dropped(twice).double(), fullgraph=True)
    compiled(*inputs(""))
    counts = [sum(node.target == torch.ops.aten.dropout.default
                  for node in one.module.graph.nodes) for one in merged]
    each = 1 if way == "merge" else len(zoo.TYPES)  # Each for all types, or for one.
    assert counts == [4 * each if twice else 2 * each]


@pytest.mark.parametrize("way", ["merge", "apart"])
def test_empty_relations_and_types(way, merged):
    """Relations without edges, and a type without nodes."""
    torch.manual_seed(0)
    model = Layers(gat, layers=1).double()
    compiled = capture.compile_module(model, fullgraph=True)
    features, edges = inputs("GAT")
    edges = {r: e[:, :0] if "venue" in r or "cites" in r else e for r, e in edges.items()}
    same(model, ({**features, "venue": features["venue"][:0]}, edges), compiled)
    assert all(one is not None for one in merged)


@pytest.mark.parametrize("model", [lambda: Layers(sage, layers=1),
                                   lambda: pyg.HGTConv(D, D, zoo.META, heads=HEADS)])
def test_ids_of_no_node(model):
    """Ids that are another type's behind each other are none of their own type."""
    compiled = capture.compile_module(model(), target="emulator")
    features, edges = zoo.Inputs().hetero()
    edges[zoo.RELS[1]][0, 3] = len(features["paper"])
    with pytest.raises(ValueError, match=re.escape(str(zoo.RELS[1])) + (
            r"\]?\[0\]: expected ids from 0 to 39, got 40 at 3$")):
        compiled(features, edges)
    torch._dynamo.reset()


class OfSome(nn.Module):
    """Layers of all node types, and a last one of some; with `split` an op that no program
    means is before it."""

    def __init__(self, split=False):
        super().__init__()
        self.convs = nn.ModuleList(pyg.HGTConv(D, D, zoo.META, HEADS) for _ in range(3))
        self.norms = nn.ModuleDict({kind: nn.LayerNorm(D) for kind in zoo.TYPES})
        self.split = split

    def forward(self, x, edges):
        for conv in self.convs[:2]:
            x = {kind: self.norms[kind](value.relu())
                 for kind, value in conv(x, edges).items()}
        some = {r: e for r, e in edges.items() if "venue" not in r}
        x = {kind: x[kind].cumsum(0) if self.split else x[kind] for kind in ("author", "paper")}
        return self.convs[2](x, some)["paper"]


def test_layers_are_joined_where_others_split():
    torch.manual_seed(0)
    model, given = OfSome(split=True), zoo.Inputs().hetero()
    compiled = capture.compile_module(model, target="emulator")
    with torch.no_grad():
        torch.testing.assert_close(compiled(*given), model(*given), rtol=1e-5, atol=1e-5)
    assert len(capture._made[-1].calls) == 2
    torch._dynamo.reset()


def in_one_program(model, monkeypatch):
    """The text of the one program of a model, which is the model on graphs of four sizes, with
    types of no or one node, and captured once."""
    captured, lowered = [], capture.lower
    monkeypatch.setattr(capture, "lower", lambda *given: captured.append(0) or lowered(*given))
    compiled = capture.compile_module(model, fullgraph=True)
    for counts in (40, 30, 7), (1, 1, 0), (0, 2, 1), (0, 0, 0):
        features = {kind: torch.randn(n, D) for kind, n in zip(zoo.TYPES, counts)}
        ids = {r: torch.stack([torch.randint(0, max(n, 1), (60 * min(ends),)) for n in ends])
               for r in zoo.RELS for ends in [[len(features[kind]) for kind in (r[0], r[2])]]}
        results = []
        for run in (model, compiled):
            model.zero_grad()
            x = {kind: rows.clone().requires_grad_() for kind, rows in features.items()}
            made = outputs(run(x, ids))
            sum(one.sin().sum() for one in made).backward()
            results.append([*made, *(p.grad for p in model.parameters()),
                            *(rows.grad for rows in x.values())])
        # A small gradient may be what is left of large ones.
        largest = max(one.norm() for one in results[0] if one is not None)
        for eager, found in zip(*results, strict=True):
            assert (eager is None) == (found is None)
            if eager is not None:
                assert (found - eager).norm() <= 1e-4 * max(1, eager.norm()) + 1e-6 * largest
    assert len(captured) == 1
    call, = capture._made[-1].calls
    torch._dynamo.reset()
    return call.segment.module.text()


def test_layers_of_hgt_have_the_rows_that_are_read(monkeypatch):
    """Of the last layer edges into papers alone; rows of types that a later layer has not are
    dropped before."""
    torch.manual_seed(0)
    text = in_one_program(OfSome(), monkeypatch)
    assert text.count("gnn.prefix_rows") == 1 and text.count("node_types = 2") == 2


@pytest.mark.parametrize("model, aggregations", [
    (lambda: Of(Layers(gin, aggr="mean"), "paper"), 6),
    (lambda: Of(Layers(sage, aggr="max"), *zoo.TYPES), 6)])
def test_relations_with_rows_of_their_own(model, aggregations, monkeypatch):
    """Networks of relations, and a maximum of them: one op of each kind for all relations."""
    torch.manual_seed(0)
    text = in_one_program(model(), monkeypatch)
    assert text.count("gnn.aggregate") == aggregations


def test_relations_that_stay_apart(monkeypatch):
    """Few of them on many rows: a graph for each, whose sources and destinations are what the
    model gives."""
    monkeypatch.setattr(merging, "MANY", 0)
    torch.manual_seed(0)
    model = Of(Layers(gat, residual=True), "author", "venue")
    text = in_one_program(model, monkeypatch)
    assert text.count("gnn.graph @") == len(zoo.RELS)
    assert "typed_linear" not in text
