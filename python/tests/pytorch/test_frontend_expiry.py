# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structures of a compiled model are let go with the ids that they are made of."""

import gc
import threading
import weakref

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")
import zoo
from gnn_mlir.pytorch import device_build
from gnn_mlir.pytorch.frontend import capture
from gnn_mlir.pytorch.frontend.runtime import graph_cache
from torch.multiprocessing.reductions import StorageWeakRef

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


@pytest.mark.parametrize("on_device, pair", [(False, True), (True, False)])
def test_batches_that_are_gone_are_forgotten(on_device, pair, monkeypatch):
    """With TensorGraphs too, which hold the ids they are made of."""
    if on_device:
        monkeypatch.setattr(graph_cache, "is_built_there", lambda x: True)

    def model(x, src, dst):
        rows = torch.ops.aten.cumsum(x, 0)[src]   # torch reads a view of an input.
        return zoo.scatter(x[src], dst, dim_size=x.shape[0]) + rows.sum()

    def whole(x, edge_index):
        return model(x, edge_index[0], edge_index[1])
    run = capture.compile_module(whole if pair else model, target="cpu")
    torch.manual_seed(0)
    x, stored = torch.randn(12, 4, requires_grad=True), []
    for seed in range(5):
        ids = torch.randint(0, 12, (2, 30 + seed))
        given = (ids,) if pair else tuple(ids.clone())
        stored.append(StorageWeakRef(given[0].untyped_storage()))
        out = run(x, *given)
        torch.testing.assert_close(out, (whole if pair else model)(x, *given), atol=1e-3, rtol=1e-3)
        out.sum().backward()
        assert run(x, *given) is not None
        kept = capture._made[-1].structures._kept
        del out, ids, given
        gc.collect()
    assert len(kept) == 1 and [s.expired() for s in stored[:-1]] == [True] * 4
    y = torch.randint(0, 12, (2, 30))  # Live tensors are kept.
    a = (y,) if pair else tuple(y)
    run(x, *a)
    b = y.clone(); b = (b,) if pair else tuple(b)
    run(x, *b)
    assert len(kept) == 2


class Both(torch.nn.Module):
    """Two results, whose backward passes differ."""

    def __init__(self):
        super().__init__()
        self.weights = torch.nn.ParameterList(torch.randn(4, 4) for _ in range(2))

    def forward(self, x, edge_index):
        src, dst = edge_index
        return tuple(zoo.scatter((x @ w)[one], other, dim_size=x.shape[0])
                     for w, one, other in zip(self.weights, (src, dst), (dst, src)))


def graphs_on_device(monkeypatch):
    """Those of a call are of tensors, as on a GPU, for the emulator."""
    monkeypatch.setattr(graph_cache, "is_built_there", lambda x: True)
    return lambda: [graph for outer in capture._made
                    for (graphs, *_), *_ in outer.structures._kept.values()
                    for graph in graphs.values()]


@pytest.mark.parametrize("is_view", zoo.with_slow([False, True], {False}))
def test_ids_are_let_go_when_structures_are_built(is_view, monkeypatch, unchecked):
    """Structures alone stay on a GPU beside the user's tensors. Others are built of the
    user's ids: in training behind inference, and in a backward pass of some results."""
    graphs = graphs_on_device(monkeypatch)
    torch.manual_seed(0)
    model = Both()
    run = capture.compile_module(model, target="emulator")
    x = torch.randn(12, 4)
    ids = torch.randint(0, 12, (2, 2, 30))[1] if is_view else torch.randint(0, 12, (2, 30))
    with torch.no_grad():
        torch.testing.assert_close(run(x, ids)[0], model(x, ids)[0])
    assert graphs() and not any(graph.held() for graph in graphs())
    for some in slice(2), slice(1), slice(1, 2):
        found = []
        for call in (run, model):
            given = ids.clone()
            out = call(x, given)
            del given
            gc.collect()
            found.append(torch.autograd.grad(sum(y.sin().sum() for y in out[some]),
                                             model.parameters(), allow_unused=True))
        for ours, eager in zip(*found):
            assert (ours is None) == (eager is None)
            torch.testing.assert_close(ours, eager, atol=1e-4, rtol=1e-4)
    assert not any(graph.held() for graph in graphs())


def test_structures_of_the_host_need_ids_once(monkeypatch):
    """Ids are let go where the host builds structures, too: passes behind inference, for which
    other structures are built, have the copies."""
    graphs = graphs_on_device(monkeypatch)
    monkeypatch.setattr(device_build.Builder, "of", lambda *given: None)
    remake = []
    monkeypatch.setattr(graph_cache.Source, "remake", remake.append)
    torch.manual_seed(0)
    model = Both()
    run = capture.compile_module(model, target="emulator")
    x, ids = torch.randn(12, 4), torch.randint(0, 12, (2, 30))
    with torch.no_grad():
        torch.testing.assert_close(run(x, ids)[0], model(x, ids)[0])
    for some in slice(2), slice(1):
        found = [torch.autograd.grad(sum(y.sin().sum() for y in call(x, ids)[some]),
                                     model.parameters(), allow_unused=True) for call in (run, model)]
        for ours, eager in zip(*found):
            assert (ours is None) == (eager is None)
            torch.testing.assert_close(ours, eager, atol=1e-4, rtol=1e-4)
    assert graphs() and not any(graph.held() for graph in graphs())
    assert all(graph._on_host for graph in graphs()) and not remake


def test_ids_that_are_written_to_before_they_are_read_again(monkeypatch):
    graphs_on_device(monkeypatch)
    torch.manual_seed(0)
    model = Both()
    run = capture.compile_module(model, target="emulator")
    x, ids = torch.randn(12, 4), torch.randint(0, 12, (2, 30))
    for some in slice(2), slice(1):
        out = run(x, ids)
        if some != slice(2):
            ids.zero_()
            graphs_of = capture._made[-1].structures._kept
            for (graphs, *_), *_ in graphs_of.values():
                for graph in graphs.values():
                    graph._builds.clear()
            with pytest.raises(RuntimeError, match="that were changed in place"):
                sum(y.sum() for y in out[some]).backward()
        else:
            sum(y.sum() for y in out[some]).backward()


class Split(torch.nn.Module):
    """Two programs with an op of torch between them."""

    def forward(self, x, edge_index):
        src, dst = edge_index
        x = zoo.scatter(x[src], dst, dim_size=x.shape[0]).cumsum(0)
        return zoo.scatter(x[src], dst, dim_size=x.shape[0])


class Near(Split):
    """The same on edges that torch makes."""

    def forward(self, x, at):
        src = torch.cdist(at, at).topk(3).indices.reshape(-1)
        dst = torch.arange(at.shape[0]).repeat_interleave(3)
        return super().forward(x, torch.stack([src, dst]))


@pytest.mark.parametrize("gradients", [False, True])
@pytest.mark.parametrize("near", [False, True])
def test_ids_stay_for_all_programs_of_a_call(near, gradients, monkeypatch):
    """They are made of the inputs once a call, and no time where these are what torch made."""
    graphs = graphs_on_device(monkeypatch)
    model, remade = Near() if near else Split(), []
    remake = graph_cache.Source.remake
    monkeypatch.setattr(graph_cache.Source, "remake",
                        lambda source: remade.append(source) or remake(source))
    run = capture.compile_module(model, target="emulator")
    torch.manual_seed(0)
    for count in 12, 15:
        x = torch.randn(count, 4, requires_grad=gradients)
        given = torch.randn(count, 2) if near else torch.randint(0, count, (2, 30))
        out = run(x, given)
        torch.testing.assert_close(out, model(x, given), rtol=1e-4, atol=1e-4)
        if gradients:
            found, = torch.autograd.grad(out.sin().sum(), x)
            expected, = torch.autograd.grad(model(x, given).sin().sum(), x)
            torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-3)
    assert not remade and graphs()
    assert near or not any(graph.held() for graph in graphs())


def test_remade_ids_are_let_go_where_binding_fails(monkeypatch):
    graphs = graphs_on_device(monkeypatch)
    torch.manual_seed(0)
    model = Both()
    run = capture.compile_module(model, target="emulator")
    x, ids = torch.randn(12, 4), torch.randint(0, 12, (2, 30))

    def of_one():
        """The gradients of one result, for which structures are built anew."""
        out = run(x, ids)
        for graph in graphs():
            graph._builds.clear()
        return torch.autograd.grad(out[0].sin().sum(), model.parameters(), allow_unused=True)[0]

    class Full(Exception):
        pass

    def fails(build, builder, given, stream):
        assert all(len(graph.ends("src")) == 30 for graph in given.values())
        raise Full
    with monkeypatch.context() as patched:
        patched.setattr("gnn_mlir.pytorch.device_build.Build.__init__", fails)
        with pytest.raises(Full):
            run(x, ids)
        patched.undo()
        run(x, ids)
        patched.setattr("gnn_mlir.pytorch.device_build.Build.__init__", fails)
        with pytest.raises(Full):
            of_one()
    assert not any(graph.held() for graph in graphs())
    expected, _ = torch.autograd.grad(model(x, ids)[0].sin().sum(), model.parameters(),
                                      allow_unused=True)
    torch.testing.assert_close(of_one(), expected, atol=1e-4, rtol=1e-4)
    assert not any(graph.held() for graph in graphs())


def test_ids_that_are_gone_are_an_error_of_their_own(monkeypatch):
    graphs_on_device(monkeypatch)
    run = capture.compile_module(Both(), target="emulator")
    ids = torch.randint(0, 12, (2, 30))
    with torch.no_grad():
        run(torch.randn(12, 4), ids)
    (graphs, *_), *_ = next(iter(capture._made[-1].structures._kept.values()))
    del ids
    gc.collect()
    with pytest.raises(RuntimeError, match="got some that are gone"):
        graphs.source.remake()


def test_caches_while_others_find_what_they_have(monkeypatch):
    """What is gone is looked for while another thread finds its own."""
    run = graph_cache.Structures(lambda ids: (ids + 1,), [], [0], True)
    kept, is_gone = [torch.arange(i + 1) for i in range(4)], graph_cache.Weak.is_gone
    for ids in kept:
        run(ids)

    def found_meanwhile(weak):
        thread = threading.Thread(target=run, args=(kept[0],))
        thread.start()
        thread.join()
        return is_gone(weak)
    monkeypatch.setattr(graph_cache.Weak, "is_gone", found_meanwhile)
    made, = run(torch.arange(9))[1:]
    assert made.tolist() == list(range(1, 10))


@pytest.mark.parametrize("gradients", zoo.with_slow([False, True], {False}))
def test_what_is_forgotten_is_gone_at_once(gradients, monkeypatch):
    """Memory of structures does not wait for Python's garbage collector."""
    graphs = graphs_on_device(monkeypatch)
    run = capture.compile_module(Both(), target="emulator")
    gone = []
    for count in 12, 13, 14:
        x = torch.randn(count, 4, requires_grad=gradients)
        gc.collect()
        gc.disable()
        try:
            out = run(x, torch.randint(0, count, (2, 30)))
            if gradients:
                sum(y.sum() for y in out).backward()
            assert [build() is None for build in gone] == [True] * len(gone)
            kept, = graphs()
            gone += [weakref.ref(build) for build, _ in kept._builds]
            del kept, out
        finally:
            gc.enable()
    assert len(gone) == 3
