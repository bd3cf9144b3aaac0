# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of models whose first graph has its edges sorted by destination: they are compiled
for such graphs, and once more where a later one has another order."""

import copy
import logging
import threading

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import gnn_mlir  # noqa: E402
import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from gnn_mlir.pytorch.frontend.runtime import program_calls  # noqa: E402
from torch import nn  # noqa: E402
from torch_geometric import nn as pyg  # noqa: E402

D, NODES, EDGES = 8, 30, 200
SETTINGS = {"cpu": {"target": "cpu"}, "emulator": {"chip": "sm_90"}}
fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


class Net(nn.Module):
    """Edges with weights, in their own order, and loops that a layer adds."""

    def __init__(self):
        super().__init__()
        self.first, self.second = pyg.GraphConv(D, D), pyg.GATConv(D, D, heads=2)

    def forward(self, x, edge_index, weight):
        return self.second(self.first(x, edge_index, weight).relu(), edge_index)


def edges_of(order, seed=0, edges=EDGES):
    """edge_index with multi-edges, sorted by destination or in an order that was drawn."""
    generator = torch.Generator().manual_seed(seed)
    src, dst = torch.randint(0, NODES, (2, edges), generator=generator)
    if order == "sorted":
        dst = dst.sort().values
    return torch.stack([src, dst])


def given(order, seed=0, edges=EDGES):
    torch.manual_seed(seed)
    return torch.randn(NODES, D), edges_of(order, seed, edges), torch.rand(edges)


def compiled(target):
    torch.manual_seed(1)
    net = Net()
    return net, gnn_mlir.compile(copy.deepcopy(net), **SETTINGS[target])


def calls():
    return [call for outer in capture._made for call in outer.calls]


def declared():
    return ["dst_sorted" in call.program.module.text() for call in calls()]


def again(caplog):
    return [one.getMessage() for one in caplog.records if "compiled again" in one.getMessage()]


def check(found, expected):
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("target", SETTINGS)
def test_graphs_of_another_order(target, caplog):
    """One more compilation, for good, and no error."""
    caplog.set_level(logging.INFO, "gnn_mlir")
    net, model = compiled(target)
    with torch.no_grad():
        for seed in range(2):
            check(model(*given("sorted", seed)), net(*given("sorted", seed)))
        assert declared() == [True] and not again(caplog)
        first = given("sorted", 7)
        kept, functions = model(*first), []
        for order, seed in (("drawn", 3), ("sorted", 4), ("drawn", 5), ("sorted", 0)):
            check(model(*given(order, seed)), net(*given(order, seed)))
            functions.append(calls()[0].function)
        assert declared() == [False] and len(again(caplog)) == 1
        assert "edges that are not sorted by destination" in again(caplog)[0]
        assert len(set(map(id, functions))) == 1
        assert torch.equal(model(*first), kept)  # What was bound to it stays.


class Two(nn.Module):
    """Two graphs, and one of loops that is derived of the second."""

    def __init__(self):
        super().__init__()
        self.first, self.second = pyg.SAGEConv(D, D), pyg.GCNConv(D, D)

    def forward(self, x, edges, others):
        return self.second(self.first(x, edges).relu(), others)


def declared_graphs():
    call, = calls()
    return [name for name, graph in call.program.module.graphs.items() if graph.dst_sorted]


def given_two(first, second, seed=0):
    x, edges, _ = given(first, seed)
    return x, edges, edges_of(second, seed + 50)


@pytest.mark.parametrize("target", SETTINGS)
def test_graphs_lose_their_own_declaration(target, caplog, tmp_path):
    """One whose edges are not sorted, not the other of the program."""
    caplog.set_level(logging.INFO, "gnn_mlir")
    torch.manual_seed(1)
    net = Two()
    model = gnn_mlir.compile(copy.deepcopy(net), keep_phases=tmp_path, **SETTINGS[target])

    def call(first, second, seed):
        inputs = given_two(first, second, seed)
        check(model(*inputs), net(*inputs))
        return declared_graphs()
    with torch.no_grad():
        both = call("sorted", "sorted", 0)
        assert len(both) == 2
        kept = given_two("sorted", "sorted", 9)
        out = model(*kept)
        assert call("sorted", "drawn", 1) == both[:1] and len(again(caplog)) == 1
        assert again(caplog)[0].endswith(f"were: of @{both[1]}")
        assert torch.equal(model(*kept), out)  # What was bound stays.
        assert call("sorted", "drawn", 2) == call("sorted", "sorted", 3) == both[:1]
        assert call("drawn", "sorted", 4) == [] and len(again(caplog)) == 2
        assert call("sorted", "sorted", 5) == call("drawn", "drawn", 6) == []
        assert torch.equal(model(*kept), out)
    assert len(again(caplog)) == 2
    folders = sorted(path.name.partition("-any")[2] for path in tmp_path.iterdir())
    assert folders == ["", "-order", f"-order-of-{both[1]}"]


def test_both_graphs_at_once(caplog):
    """One compilation for both; one that was not sorted at first is never declared."""
    caplog.set_level(logging.INFO, "gnn_mlir")
    for first, seen in ((("sorted", "sorted"), ("drawn", "drawn")),
                        (("drawn", "sorted"), ("sorted", "drawn"))):
        caplog.clear()
        fresh_net, model = Two(), None
        model = gnn_mlir.compile(copy.deepcopy(fresh_net), target="cpu")
        with torch.no_grad():
            for order in (first, seen, ("sorted", "sorted")):
                inputs = given_two(*order, seed=len(again(caplog)))
                check(model(*inputs), fresh_net(*inputs))
        assert len(again(caplog)) == 1
    assert not any("dst_sorted" in call.program.module.text() for call in calls()[-1:])


def test_an_undeclared_graph_alone_is_wrong(monkeypatch):
    """An error of the order of edges that no declaration explains is told, not met by
    compiling for ever."""
    _, model = compiled("cpu")

    def fail(*arguments):
        error = gnn_mlir.GNNError("expected edges sorted by destination")
        error.kind = gnn_mlir.signatures.EDGE_ORDER
        raise error
    with torch.no_grad():
        model(*given("sorted"))
        monkeypatch.setattr(program_calls, "Plan", fail)
        with pytest.raises(gnn_mlir.GNNError, match="expected edges sorted"):
            model(*given("drawn", 1))
    assert declared() == [False]


@pytest.mark.parametrize("target", SETTINGS)
def test_training_on_both(target, caplog):
    """A backward pass runs of what its forward pass was."""
    caplog.set_level(logging.INFO, "gnn_mlir")
    net, model = compiled(target)
    results = []
    for one in (net, model):
        losses = []
        for order, seed in (("sorted", 0), ("drawn", 1), ("sorted", 2)):
            x, *rest = given(order, seed)
            losses.append((one(x.requires_grad_(), *rest).square().mean(), x))
        sum(loss for loss, _ in losses).backward()
        results.append([*(x.grad for _, x in losses), *(p.grad for p in one.parameters())])
    for expected, found in zip(*results):
        check(found, expected)
    assert declared() == [False] and len(again(caplog)) == 1


def test_what_is_not_declared(caplog):
    """A first graph of another order, and one of few edges, which may be sorted by accident."""
    caplog.set_level(logging.INFO, "gnn_mlir")
    for first, edges in (("drawn", EDGES), ("sorted", 63)):
        net, model = compiled("cpu")
        with torch.no_grad():
            check(model(*given(first, 0, edges)), net(*given(first, 0, edges)))
            assert not any(declared())
            check(model(*given("sorted", 1)), net(*given("sorted", 1)))
            check(model(*given("drawn", 2)), net(*given("drawn", 2)))
    assert not any(declared()) and not again(caplog)


def test_other_errors_stay(caplog, monkeypatch):
    """Ids out of range are told as before, and so is what fails for another reason; nothing is
    compiled again."""
    caplog.set_level(logging.INFO, "gnn_mlir")
    _, model = compiled("cpu")
    with torch.no_grad():
        model(*given("sorted"))
        x, edges, weight = given("sorted")
        edges[1, -1] = NODES + 5
        with pytest.raises(ValueError, match=f"got {NODES + 5}"):
            model(x, edges, weight)

        def fail(*arguments):
            raise gnn_mlir.GNNError("no memory is left")
        monkeypatch.setattr(program_calls, "Plan", fail)
        with pytest.raises(gnn_mlir.GNNError, match="no memory is left"):
            model(*given("sorted", 1))
        with pytest.raises(gnn_mlir.GNNError, match="no memory is left"):
            model(*given("drawn", 1))  # Nor is the order looked at after another error.
    assert declared() == [True] and not again(caplog)


def test_threads_at_once(caplog):
    """One of them compiles."""
    caplog.set_level(logging.INFO, "gnn_mlir")
    net, model = compiled("cpu")
    with torch.no_grad():
        model(*given("sorted"))
    inputs = {seed: given("drawn", seed) for seed in range(4)}
    found, begin = {}, threading.Barrier(len(inputs))

    def work(seed):
        begin.wait()
        with torch.no_grad():
            found[seed] = model(*inputs[seed])
    threads = [threading.Thread(target=work, args=(seed,)) for seed in inputs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with torch.no_grad():
        for seed in range(4):
            check(found[seed], net(*inputs[seed]))
    assert declared() == [False] and len(again(caplog)) == 1


def test_phases_of_both(tmp_path):
    """Each compilation has a folder."""
    torch.manual_seed(1)
    model = gnn_mlir.compile(Net(), target="cpu", keep_phases=tmp_path)
    with torch.no_grad():
        model(*given("sorted"))
        model(*given("drawn"))
    texts = {path.parent.name: path.read_text() for path in tmp_path.rglob("*.mlir")
             if path.parent.parent == tmp_path and path.name == gnn_mlir.compiler_capi.NAME}
    assert len(texts) == 2
    assert sorted("dst_sorted" in text for text in texts.values()) == [False, True]
    assert all(name.endswith("-any-order") == ("dst_sorted" not in text)
               for name, text in texts.items())
