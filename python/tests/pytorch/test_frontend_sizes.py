# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers that ask values of a program for their sizes: inputs have them, so that models with
norms over all rows of a type between HeteroConvs are one program."""

import copy

import pytest

torch = pytest.importorskip("torch")
pyg = pytest.importorskip("torch_geometric.nn")

import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from gnn_mlir.pytorch.frontend.functional import known_sizes  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)
D = 8
RELATIONS = [("a", "ab", "b"), ("b", "ba", "a"), ("b", "bc", "c"), ("c", "ca", "a")]
CONVS = {
    "SAGE": lambda: pyg.SAGEConv((D, D), D),
    "Graph": lambda: pyg.GraphConv((D, D), D, aggr="max"),
    "GAT": lambda: pyg.GATConv((D, D), D // 2, heads=2, add_self_loops=False)}


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function


def centered():
    return Function(lambda rows: rows - rows.mean(0))


def normalized():
    return Function(lambda rows: F.normalize(rows))


class Layers(nn.Module):
    """HeteroConvs, each with what is computed of the rows of each type behind it."""

    def __init__(self, conv="SAGE", norm=lambda: nn.BatchNorm1d(D), relations=RELATIONS):
        super().__init__()
        self.convs = nn.ModuleList(pyg.HeteroConv({r: CONVS[conv]() for r in relations})
                                   for _ in range(2))
        self.norms = nn.ModuleDict({kind: norm() for kind in "abc"})

    def forward(self, x, edges):
        x = self.between({kind: self.norms[kind](rows)
                          for kind, rows in self.convs[0](x, edges).items()})
        return self.convs[1](x, edges)

    def between(self, x):
        return x


class OfOneType(Layers):
    """Only rows of one type are read."""

    def forward(self, x, edges):
        return {"a": super().forward(x, edges)["a"]}


class ByHand(Layers):
    """The same by a loop over the relations."""

    def forward(self, x, edges):
        x = {kind: self.norms[kind](rows)
             for kind, rows in self.layer(0, x, edges).items()}
        return self.layer(1, x, edges)

    def layer(self, number, x, edges):
        found = {}
        for r in RELATIONS:
            found.setdefault(r[2], []).append(
                self.convs[number].convs[r]((x[r[0]], x[r[2]]), edges[r]))
        return {kind: sum(rows) for kind, rows in found.items()}


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = CONVS["SAGE"](), nn.BatchNorm1d(D), CONVS["SAGE"]()

    def forward(self, x, edges):
        return self.last(self.norm(self.first(x, edges)), edges)


def to_hetero():
    return pyg.to_hetero(Plain(), (list("abc"), RELATIONS))


def given(counts, edges=30):
    counts = dict(zip("abc", counts))
    x = {kind: torch.randn(n, D, requires_grad=True) for kind, n in counts.items()}
    return x, {r: torch.stack([
        torch.randint(max(counts[end], 1), (edges if counts[r[0]] and counts[r[2]] else 0,))
        for end in (r[0], r[2])]) for r in RELATIONS}


def run(model, function, x, edges):
    """Outputs, gradients of inputs and parameters, and buffers."""
    model.zero_grad()
    x = {kind: rows.detach().requires_grad_() for kind, rows in x.items()}
    made = function(x, edges)
    sum((rows.reshape(-1) * torch.arange(rows.numel()).remainder(7)).sum()
        for rows in made.values()).backward()
    return made, {f"input {kind}": rows.grad for kind, rows in x.items()} | {
        name: p.grad for name, p in model.named_parameters()}, dict(model.named_buffers())


def check(model, compiled, x, edges):
    """Whether a compiled model gives what the model does in float64, and its buffers and
    gradients are that model's."""
    exact = copy.deepcopy(model).double()
    wanted = run(exact, exact, {kind: rows.double() for kind, rows in x.items()}, edges)
    found = run(model, compiled, x, edges)
    for a, b in zip(wanted, found, strict=True):
        assert a.keys() == b.keys()
        scale = max([float(value.detach().abs().max()) for value in a.values()
                     if value is not None and value.numel()], default=0)
        for name, value in a.items():
            if value is None or b[name] is None:
                assert value is None and (b[name] is None or not b[name].any()), name
            elif value.numel():
                error = (value - b[name]).detach().abs().max()
                assert error <= 1e-4 * max(value.detach().abs().max(), 0.1 * scale), name
            assert value is None or b[name] is None or value.shape == b[name].shape, name


def assert_one_program(captures=1):
    assert captures is None or len(capture._made) == captures
    assert all(len(outer.calls) == 1 for outer in capture._made)


SIZES = (11, 20, 5), (6, 6, 6), (2, 3, 90)


@pytest.mark.parametrize("conv", zoo.with_slow(CONVS, {"SAGE", "Graph"}))
def test_norms_of_batches_between_layers(conv):
    torch.manual_seed(0)
    model = Layers(conv)
    compiled = capture.compile_module(model, fullgraph=True)
    for counts in SIZES:
        check(model, compiled, *given(counts))
    assert_one_program()


def test_layers_of_few_rows_or_none():
    """Which eager takes in evaluation alone."""
    torch.manual_seed(0)
    model = Layers().eval()
    compiled = capture.compile_module(model, fullgraph=True)
    for counts in ((11, 20, 5), (1, 9, 4), (3, 1, 1), (4, 0, 3), (0, 0, 0)):
        check(model, compiled, *given(counts))
    assert_one_program(None)  # Norms of no rows may be captured by themselves.


@pytest.mark.parametrize("make", [lambda: Layers(norm=centered), lambda: OfOneType(
    norm=normalized, relations=RELATIONS[:2])])
def test_what_keeps_relations_apart_between_layers(make):
    torch.manual_seed(0)
    model = make()
    compiled = capture.compile_module(model, fullgraph=True)
    for counts in (*SIZES, (1, 9, 4), (3, 1, 1)):
        check(model, compiled, *given(counts))
    assert_one_program()


@pytest.mark.parametrize("make", zoo.with_slow([Layers, ByHand, to_hetero], {Layers}))
def test_forms_of_a_model(make):
    """The same model in its training and its evaluation, which are a capture each."""
    torch.manual_seed(0)
    model = make()
    compiled = capture.compile_module(model, fullgraph=True)
    for counts in SIZES:
        for training in (True, False):
            model.train(training)
            check(model, compiled, *given(counts))
    assert_one_program(2)


class Added(Layers):
    """Rows of two types are added, so that these are as many."""

    def between(self, x):
        return {**x, "a": x["a"] + x["b"]}


@pytest.mark.parametrize("others", zoo.with_slow([6, 5], {5}))
def test_types_that_are_known_to_be_as_many(others):
    torch.manual_seed(0)
    model = Added()
    compiled = capture.compile_module(model, fullgraph=True)
    for counts in ((6, 6, others), (7, 7, 7), (7, 7, 3), (2, 2, 9)):
        check(model, compiled, *given(counts))
    assert_one_program()


class Asked(Layers):
    """Whether two types are as many is asked, so that two sizes are one where they are."""

    def between(self, x):
        if x["a"].shape[0] == x["c"].shape[0]:
            return {**x, "a": x["c"], "c": x["a"]}
        return x


def test_sizes_that_a_guard_has_made_equal():
    torch.manual_seed(0)
    model = Asked()
    compiled = capture.compile_module(model, fullgraph=True)
    for counts in ((6, 9, 6), (7, 9, 6), (9, 9, 9), (2, 9, 3)):
        check(model, compiled, *given(counts))
    assert_one_program(2)


class OfSome(Layers):
    """Of the rows that a mask says: so many has what is read by its ids."""

    def __init__(self, mask):
        super().__init__()
        self.mask = mask

    def forward(self, x, edges):
        return super().forward({**x, "a": x["a"][self.mask]}, edges)


def test_sizes_of_rows_that_an_input_selects():
    torch.manual_seed(0)
    model = OfSome(torch.arange(20) % 3 > 0)
    compiled = capture.compile_module(model)
    for count in (20, 25):
        model.mask = torch.arange(count) % 3 > 0
        _, edges = given((int(model.mask.sum()), 9, 4))
        check(model, compiled, given((count, 9, 4))[0], edges)
    assert_one_program()


def test_a_split_by_a_size_is_named(monkeypatch):
    monkeypatch.setattr(known_sizes, "rewrite", lambda graph: None)
    with pytest.raises(capture.CaptureError, match=(
            r"torch\.Tensor\.size at .*test_frontend_sizes\.py:\d+ \(return self\.convs\[1\]"
            r".*not known before another has run")):
        capture.compile_module(Layers(), fullgraph=True)(*given(SIZES[0]))


def test_padding_by_a_size_is_torchs():
    """Features of a program have sizes that are known: what a graph's size pads stays torch's."""
    def padded(x, edges):
        rows = torch.zeros_like(x).index_add(0, edges[1], x[edges[0]])
        return F.pad(rows, (0, x.size(0) - 3))

    model = capture.compile_module(Function(padded), fullgraph=True)
    for nodes in (5, 9, 6):
        x, edges = torch.randn(nodes, D), torch.randint(nodes, (2, 20))
        assert torch.allclose(model(x, edges), padded(x, edges), atol=1e-5)
