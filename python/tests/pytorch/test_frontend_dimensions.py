# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops on the rows of one node type are not ops on the rows of all types.

Each op is put where a model on a dict of graphs has a marker: between layers, on the rows of
edges, on what a relation gives, within a layer of typed rows. The merged model, and the
parts that are left of it, are run by torch in float64 and give what the model does, on types of
several numbers of rows."""

import pytest

torch = pytest.importorskip("torch")
pyg = pytest.importorskip("torch_geometric.nn")

import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from gnn_mlir.pytorch.frontend.functional.lowering import lower  # noqa: E402
from gnn_mlir.pytorch.frontend.relations import merging, needed  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402
from torch_geometric.utils import scatter  # noqa: E402

D = 8
RELS = [("a", "ab", "b"), ("b", "bb", "b"), ("b", "ba", "a"), ("b", "bc", "c"),
        ("c", "ca", "a")]
fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


@torch._dynamo.allow_in_graph
def marked(a, b, c):
    """Where the op is: of the rows of three types."""
    return a + 1, b + 1, c + 1


class Layer(nn.Module):
    """The op on what a layer gives."""

    RELS = RELS[0], RELS[2], RELS[3]  # One to each type.

    def __init__(self):
        super().__init__()
        self.conv = pyg.HeteroConv({r: pyg.GraphConv((D, D), D) for r in self.RELS})

    def forward(self, x, edges):
        made = self.conv(x, edges)
        return marked(*[made[kind] for kind in "abc"])


class Between(Layer):
    """The op between two layers."""

    RELS = RELS

    def __init__(self):
        super().__init__()
        self.last = pyg.HeteroConv({r: pyg.GraphConv((D, D), D) for r in RELS})

    def forward(self, x, edges):
        return tuple(self.last(dict(zip("abc", super().forward(x, edges))), edges).values())


class Static(Layer):
    """Rows that parameters are: as many of each type, as many as features."""

    RELS = RELS

    def __init__(self, rows=D):
        super().__init__()
        self.rows = nn.ParameterList(torch.randn(rows, D) for _ in range(3))

    def forward(self, x, edges):
        return tuple(self.conv(dict(zip("abc", marked(*self.rows))), edges).values())


class OfEdges(nn.Module):
    """The op on the rows of three relations' edges, and on what they give."""

    def __init__(self):
        super().__init__()
        self.lins = nn.ModuleDict({r[1]: nn.Linear(D, D) for r in RELS})

    def of(self, x, edges, before, behind):
        sums = {kind: 0 for kind in "abc"}
        rows = {r: x[r[0]][edges[r][0]] for r in RELS}
        some = RELS[0], RELS[2], RELS[3]
        if before:
            rows |= dict(zip(some, marked(*[rows[r] for r in some])))
        made = {r: scatter(rows[r], edges[r][1], 0, x[r[2]].size(0)) for r in RELS}
        if behind:
            made |= dict(zip(some, marked(*[made[r] for r in some])))
        for r in RELS:
            sums[r[2]] = sums[r[2]] + self.lins[r[1]](made[r])
        return tuple(sums.values())

    def forward(self, x, edges):
        return self.of(x, edges, True, False)


class OfRelations(OfEdges):
    def forward(self, x, edges):
        return self.of(x, edges, False, True)


class Typed(nn.Module):
    """The op between layers whose rows of all types are one tensor; nothing reads a type of
    the last layer."""

    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(pyg.HGTConv(D, D, (list("abc"), RELS), 2) for _ in range(2))

    def forward(self, x, edges):
        x = self.convs[0](x, edges)
        x = dict(zip("abc", marked(*[x[kind] for kind in "abc"])))
        x = self.convs[1](x, edges)
        return x["b"], x["c"]


def each(op):
    return lambda *given: tuple(map(op, given))


layer_norm, batch_norm = (
    nn.LayerNorm(D, elementwise_affine=False),
    nn.BatchNorm1d(D, affine=False, track_running_stats=False))
OF_ONE = {
    **{f"softmax({d})": lambda x, d=d: x.softmax(d) for d in (0, 1, -1, -2)},
    **{f"log_softmax({d})": lambda x, d=d: F.log_softmax(x, d) for d in (0, 1, -2)},
    "softmin": lambda x: F.softmin(x, 0),
    "softmax of heads": lambda x: x.view(-1, 2, 4).softmax(0).flatten(1),
    "softmax of heads -3": lambda x: x.view(x.size(0), 2, 4).softmax(-3).view(-1, 8),
    "softmax of transposed": lambda x: x.t().softmax(1).t(),
    "softmax of unsqueezed": lambda x: x.unsqueeze(0).softmax(1).squeeze(0),
    "softmax of unsqueezed(1)": lambda x: x.unsqueeze(1).softmax(0).squeeze(1),
    "softmax of rows": lambda x: x * x[:, 0].softmax(0).unsqueeze(1),
    **{f"{name}({d}, {keep})": lambda x, name=name, d=d, keep=keep: x * _kept(
        getattr(torch, name)(x, d, keepdim=keep), d, keep)
        for name, d, keep in (("sum", 0, True), ("amax", 0, False), ("sum", -1, True),
                              ("std", 1, False), ("logsumexp", 0, False),
                              ("mean", (0, 1), True), ("amax", (-2,), True))},
    "sum": lambda x: x * x.sum(), "mean": lambda x: x - x.mean(),
    "sum(None)": lambda x: x + x.sum(None, keepdim=True),
    "prod": lambda x: x + x.cos().prod(0), "max": lambda x: x / x.abs().max(),
    "max(0)": lambda x: x - x.max(0).values, "min(1)": lambda x: x - x.min(1, True)[0],
    "norm": lambda x: x / x.norm(), "norm(0)": lambda x: x / x.norm(dim=0),
    "norm(1)": lambda x: x / x.norm(dim=1, keepdim=True).clamp(min=1e-3),
    "vector_norm": lambda x: x + torch.linalg.vector_norm(x, dim=(0, 1)),
    "normalize(0)": lambda x: F.normalize(x, dim=0),
    "normalize(1)": lambda x: F.normalize(x, dim=1),
    **{f"cumsum({d})": lambda x, d=d: x.cumsum(d) for d in (0, 1)},
    **{f"sort({d})": lambda x, d=d: x.sort(d)[0] for d in (0, -1)},
    "argsort": lambda x: x[x[:, 0].argsort()],
    "topk": lambda x: x + x.topk(3, 1)[0].sum(1, keepdim=True),
    **{f"flip({d})": lambda x, d=d: x.flip(d) for d in (0, 1)},
    **{f"roll({d})": lambda x, d=d: x.roll(1, d) for d in (0, 1)},
    "roll": lambda x: torch.roll(x, 1),
    "index_select(1)": lambda x: x.index_select(1, torch.arange(D).flip(0)),
    "index_select(0)": lambda x: x.index_select(0, torch.arange(x.size(0)).flip(0)),
    "gather": lambda x: x.gather(0, torch.zeros_like(x, dtype=torch.long)),
    "rows in order": lambda x: x[torch.arange(x.size(0))],
    "slice(60)": lambda x: x[:60], "slice of all": lambda x: x[:x.size(0)],
    "slice(-60)": lambda x: x[-60:], "narrow": lambda x: x.narrow(0, 0, x.size(0)),
    "slice of features": lambda x: torch.cat([x[:, :4], x[:, 4:]], 1),
    "slice(8)": lambda x: x + x[:D].sum(0),
    "first row": lambda x: x + x[:1].sum(0), "halves": lambda x: torch.cat(x.chunk(2, 1), 1),
    "halves of rows": lambda x: torch.cat(x.chunk(2, 0), 0),
    "rows by twos": lambda x: torch.cat([x, x]).view(2, -1, D).sum(0),
    "split of rows": lambda x: torch.cat(x.split(60, 0), 0),
    "split(1)": lambda x: x.split([2, 6], 1)[0].sum(1, keepdim=True) * x,
    "view of features first": lambda x: x.reshape(D, -1).t().reshape(-1, D),
    "view(8)": lambda x: x.reshape(-1, 4).softmax(0).reshape(-1, D),
    "sizes in a view": lambda x: x.view(x.size(0), -1, 2).sum(1, keepdim=True).expand(
        x.size(0), 4, 2).reshape(x.size(0), D),
    "sizes in expand": lambda x: x.mean(1, keepdim=True).expand(x.size(0), D),
    "expand of one row": lambda x: x + torch.ones(1, D).double().expand(x.size(0), D),
    "expand of rows": lambda x: x.unsqueeze(0).expand(3, -1, D).sum(0),
    "clamp by size": lambda x: x.clamp(max=x.size(0) / 20),
    "times size": lambda x: x * x.size(0), "size over": lambda x: x.size(0) / (x.abs() + 1),
    "pow of size": lambda x: x.abs().add(1) ** (1 / (1 + x.size(0))),
    "plus size": lambda x: torch.add(x, x, alpha=x.size(0)),
    "size minus": lambda x: torch.rsub(x, x.size(0)),
    "leaky by size": lambda x: F.leaky_relu(x, x.size(0) / 100),
    "hardtanh by size": lambda x: F.hardtanh(x, -1 - x.size(0), x.size(0) / 40),
    "square of rows": lambda x: x + (x @ x.t()).softmax(1) @ x,
    "outer of rows": lambda x: (x[:, 0].unsqueeze(1) * x[:, 1]).sum(1, keepdim=True) * x,
    "features of features": lambda x: x @ (x.t() @ x).softmax(0),
    "number of rows": lambda x: x + torch.arange(x.size(0)).unsqueeze(1),
    "full": lambda x: x * torch.full((x.size(0), 1), 2.0).double(),
    "layer_norm": layer_norm, "layer_norm of rows": lambda x: F.layer_norm(x, x.shape),
    "layer_norm of columns": lambda x: F.layer_norm(x.t(), [x.size(0)]).t(),
    "instance norm": lambda x: F.instance_norm(x.t().unsqueeze(0)).squeeze(0).t(),
    "BatchNorm": batch_norm,
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
    "dropout(0)": lambda x: F.dropout(x, 0.0), "dropout off": lambda x: F.dropout(
        x, 0.5, training=False),
    "where": lambda x: torch.where(x > x.mean(0), x, 0.0),
    "masked": lambda x: x.masked_fill(x > 0, 0.5), "relu": F.relu, "gelu": F.gelu,
    "glu": lambda x: torch.cat([F.glu(x), F.glu(x)], 1), "glu(0)": lambda x: F.glu(
        torch.cat([x, x]), 0),
    "stack(0)": lambda x: torch.stack([x, x.sin()]).mean(0),
    "stack(1)": lambda x: torch.stack([x, x.sin()], 1).amax(1),
    "squeeze": lambda x: x.view(-1, 1, D, 1).squeeze().view(-1, D),
    "squeeze(0)": lambda x: x * x[:, :1].t().squeeze(0).unsqueeze(-1),
    "transposes": lambda x: x.unsqueeze(1).transpose(0, 2).transpose(0, 2).squeeze(1),
    "permutes": lambda x: x.view(-1, 2, 4).permute(1, 0, 2).softmax(1).permute(
        1, 0, 2).flatten(1),
    "head by head": lambda x: torch.cat([x.view(-1, 2, 4)[:, i] for i in (1, 0)], -1),
    "linear of rows": lambda x: F.linear(x, x.t() @ x),
    "var_mean": lambda x: x * torch.var_mean(x, dim=-1, correction=0)[0].unsqueeze(-1),
    "std_mean": lambda x: x + torch.std_mean(x, dim=-1, correction=0, keepdim=True)[0],
    "aminmax": lambda x: x - torch.aminmax(x, dim=1, keepdim=True)[1],
    "aminmax(0)": lambda x: x - torch.aminmax(x, dim=0)[0],
    "vector of features": lambda x: x + x.mean(0), "column": lambda x: x * x[:, 3:4],
    "row": lambda x: x * x[:, 3].unsqueeze(-1), "einsum": lambda x: torch.einsum(
        "ni,mi->ni", x, x)}
OF_ALL = {
    "types' sizes": lambda a, b, c: (a * b.size(0), b * c.size(0), c * a.size(0)),
    "a type's size": lambda a, b, c: tuple(x.clamp(max=a.size(0) / 30) for x in (a, b, c)),
    "a type's sum": lambda a, b, c: (a + b.sum(0), b + c.sum(0), c + a.sum(0)),
    "a mean of all": lambda a, b, c: tuple(
        x - torch.cat([a, b, c]).mean(0) for x in (a, b, c)),
    "attention to others": lambda a, b, c: (a + (a @ b.t()).softmax(1) @ b, b, c),
    "softmax of all": lambda a, b, c: torch.cat([a, b, c]).softmax(0).split(
        [x.size(0) for x in (a, b, c)]),
    "all in another order": lambda a, b, c: torch.cat([c, a, b]).split(
        [x.size(0) for x in (c, a, b)])[1:] + (c,),
    "several dimensions": lambda a, b, c: (a.softmax(0), b.softmax(1), c.softmax(0)),
    "several corrections": lambda a, b, c: tuple(
        x * torch.var_mean(x, dim=-1, correction=i % 2, keepdim=True)[0]
        for i, x in enumerate((a, b, c))),
    "several ops": lambda a, b, c: (a.relu(), b.cumsum(0), c.tanh()),
    "several slices": lambda a, b, c: (a[:60], b[:60], c),
    "weights of types": lambda a, b, c: (a * b.mean(), b * c.mean(), c * a.mean()),
}


def _kept(made, dim, keep):
    return made if keep or dim == 0 else made.unsqueeze(dim)


OPS = {**{name: each(op) for name, op in OF_ONE.items()}, **OF_ALL}


SIZES = [(40, 30, 7), (45, 44, 43)]
ROWS = ["relu", "softmax(1)", "sum(-1, True)", "halves"]
SHAPED = ["sizes in expand", "slice(60)", "slice of all", "outer of rows"]
PARTS = ["var_mean", "std_mean", "aminmax", "several corrections"]
OVER_ROWS = ["softmax(0)", "sum(0, True)", "softmax of unsqueezed", "clamp by size"]
CASES = [
    pytest.param(Layer, SIZES, [*OPS], ROWS, id="layer"),
    pytest.param(Between, SIZES[:1], [ROWS[0], *PARTS, *OVER_ROWS, *SHAPED], [ROWS[0], *PARTS[:3]],
                 id="between layers"),
    pytest.param(Static, [(D, D, D)], [*ROWS, *OVER_ROWS, *SHAPED], ROWS, id="as many as features"),
    pytest.param(lambda: Static(1), [(1, 1, 1)], [*ROWS, *OVER_ROWS, *SHAPED], ROWS[:1],
                 id="one row of each"),
    pytest.param(OfEdges, SIZES[:1], [ROWS[0], *OVER_ROWS, SHAPED[1]], ROWS[:1], id="edges"),
    pytest.param(OfRelations, SIZES[:1], [ROWS[0], *OVER_ROWS, SHAPED[1]], [], id="relations"),
    pytest.param(Typed, SIZES[:2], [*ROWS[:2], OVER_ROWS[0]], ROWS[:2], id="typed layers")]


def given(counts, seed=0):
    """Features, and ids of edges; types of no nodes have none."""
    rng = torch.Generator().manual_seed(seed)
    counts = dict(zip("abc", counts))
    x = {kind: torch.randn(n, D, dtype=torch.float64, generator=rng)
         for kind, n in counts.items()}
    edges = {}
    for i, r in enumerate(RELS):
        ends = counts[r[0]], counts[r[2]]
        edges[r] = torch.stack([torch.randint(0, max(n, 1), (
            (30 + 7 * i) * min(*ends, 1),), generator=rng) for n in ends])
    return x, edges


def replaced(graph_module, op):
    """A graph with the op in place of its markers."""
    graph = torch.fx.Graph()
    graph.output(graph.graph_copy(graph_module.graph, {}))
    for node in graph.nodes:
        if node.target is marked:
            node.target = op
    return torch.fx.GraphModule(graph_module, graph)


def become(graph_module):
    """The graph that one becomes, of which parts are left out and relations
    merged."""
    values = (node.meta.get("example_value") for node in graph_module.graph.nodes)
    mode = next(value.fake_mode for value in values if isinstance(value, torch.Tensor))
    mode.shape_env.pending_fresh_unbacked_symbols.clear()  # Those of the op before.
    lowered = lower(graph_module)
    narrowed = needed.narrowed(lowered)
    found = [narrowed, merging.merge(lowered), narrowed and merging.merge(narrowed)]
    return [one.fed(one.module) for one in found if one is not None]


@pytest.mark.parametrize("make, counts, ops, merged", CASES)
def test_ops(make, counts, ops, merged, monkeypatch, pytestconfig):
    """Each op by itself in one model, of which dynamo's graph is made once. `merged` are the
    ops with which it has to be merged. The layer has all with --all, else those that no other
    model has and some more."""
    if ops == [*OPS] and not pytestconfig.getoption("--all"):
        elsewhere = {*PARTS, *OVER_ROWS, *SHAPED}
        ops = [name for i, name in enumerate(OPS) if name in ROWS or (
            i % 2 and name not in elsewhere)]
    captured, checked, found = [], [], {}

    def backend(graph_module, inputs, options=None, captures=None):
        captured.append(graph_module)
        if len(captured) > 1:
            return graph_module
        made = {name: replaced(graph_module, OPS[name]) for name in ops}
        found.update((name, become(one)) for name, one in made.items())

        def run(*args):
            for name, one in made.items():
                if found[name]:
                    expected = torch.utils._pytree.tree_leaves(one(*args))
                    checked.append(name)
                for form in found[name]:
                    torch.testing.assert_close(list(form(*args)), expected, rtol=1e-9, atol=1e-9,
                                               equal_nan=True, msg=lambda text: f"{name}: {text}")
            return graph_module(*args)
        return run
    monkeypatch.setattr(capture, "backend", backend)
    torch.manual_seed(0)
    compiled = capture.compile_module(make().double(), fullgraph=True)
    for one in counts:
        compiled(*given(one))
    assert {name for name in merged if not found[name]} == set()
    assert set(merged) <= set(checked)
