# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ids of several types and relations one behind another, which a kernel writes."""

import copy

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import gnn_mlir
import zoo
from gnn_mlir import capi, devices
from gnn_mlir.pytorch import device_build
from gnn_mlir.pytorch.frontend import capture
from gnn_mlir.pytorch.frontend.runtime import graph_cache, joined_graphs
from torch_geometric import nn as pyg

pytestmark = pytest.mark.usefixtures("compiler")
fresh = pytest.fixture(autouse=True)(zoo.forget_captures)
CPU = torch.device("cpu")


def expected(rows):
    """The same by NumPy."""
    made = []
    for row in rows:
        made.append(np.concatenate([np.full(count, base) if ids is None else np.where(
            (ids.numpy() >= 0) & (ids.numpy() < limit), base + ids.numpy(), -1)
            for count, base, ids, limit in row] or [np.empty(0)]))
    return np.array(made)


@pytest.mark.parametrize("parts", [0, 1, 5, 30])  # A launch has 24.
def test_columns_are_those_of_numpy(parts):
    """Ids of both widths, with steps between them, none, and out of range."""
    rng = torch.Generator().manual_seed(parts)
    rows = [[], []]
    for i in range(parts):
        count, limit = [0, 1, 255, 256, 257, 700][i % 6], [9, 0, 1000][i % 3]
        ids = torch.randint(-1, max(1, limit) + 2, (count,), generator=rng)
        steps = torch.randint(0, max(1, limit), (count, 3), generator=rng)[:, 1]
        for row, given in zip(rows, (
                [ids, ids.int(), None][i % 3],
                [steps, ids + (1 << 32) * (ids == 1), torch.tensor(3).expand(count)][i % 3])):
            row.append((count, 100 * i, given, limit))
    types = [[(4, 0, None, 0), (0, 1, None, 0), (300, 2, None, 0)]]
    made = device_build.written([rows, types, [[]]], CPU)
    for found, given in zip(made, (rows, types, [[]])):
        assert found.dtype == torch.int32 and not found.data_ptr() % 16
        np.testing.assert_array_equal(found.numpy(), expected(given))


def test_bad_columns():
    """Errors that name the column."""
    ids = torch.zeros(3, dtype=torch.int16)
    with pytest.raises(gnn_mlir.GNNError, match="column 1: expected integers of 32 or 64 bits"):
        device_build.written([[[(3, 0, None, 0), (3, 0, ids, 5)]]], CPU)
    ids, last = ids.int(), (1 << 31) - 1
    for base, limit in ((-1, 5), (last - 3, 5), (0, (1 << 31) + 1), (1 << 62, 1 << 62)):
        with pytest.raises(gnn_mlir.GNNError, match="column 1: expected a base from 0, and sums"):
            device_build.written([[[(3, 0, None, 0), (3, base, ids, limit)]]], CPU)
    (made,) = device_build.written([[[(3, last - 4, ids + 4, 5), (3, last, None, 0)]]], CPU)
    assert (made == last).all()


def test_numbers_of_columns():
    """Fewer than none are an error, and none are none."""
    device = devices.open_device("emulator")
    capi.call("gnnWriteColumns", device.handle, None, 0, None)
    for count, what in (-1, "0 or more columns, got -1"), (1, "1 columns, got null"):
        with pytest.raises(gnn_mlir.GNNError, match=f"expected {what}"):
            capi.call("gnnWriteColumns", device.handle, None, count, None)


def test_a_device_without_an_index(monkeypatch):
    """It is torch's current one."""
    opened = []
    columns = [[[(3, 0, None, 0)]]]
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 5)

    def open_device(name):
        opened.append(name)
        raise LookupError
    monkeypatch.setattr(devices, "open_device", open_device)
    with pytest.raises(LookupError):
        device_build.written(columns, torch.device("cuda"))
    assert opened == ["cuda:5"]
    device_build._column_writer.cache_clear()


class TwoLayers(torch.nn.Module):
    """Layers on dicts; the second one has fewer relations."""

    def __init__(self, relations):
        super().__init__()
        self.first, self.second = (pyg.HeteroConv({
            r: pyg.SAGEConv((-1, -1), 5) for r in some}) for some in (relations, relations[:2]))

    def forward(self, x, edges):
        x = {name: h.relu() for name, h in self.first(x, edges).items()}
        return self.second(x, edges)


RELATIONS = [("a", "r", "b"), ("b", "s", "a"), ("a", "t", "a"), ("b", "u", "b")]


def hetero(sizes, seed):
    """Features and ids, of both widths; one relation has none."""
    rng = torch.Generator().manual_seed(seed)
    x = {name: torch.randn(size, 4, generator=rng) for name, size in zip("ab", sizes)}
    edges = {}
    for i, (src, name, dst) in enumerate(RELATIONS):
        count = [11, 0, 7, 13][i] + seed
        edges[src, name, dst] = torch.stack([
            torch.randint(0, len(x[end]), (count,), generator=rng) for end in (src, dst)])
    return x, edges


def test_models_whose_graphs_are_written(monkeypatch, unchecked):
    """As torch makes them: outputs and gradients are eager's on each batch, which takes one
    call for all vectors and edges."""
    monkeypatch.setattr(graph_cache, "is_built_there", lambda x: True)
    calls, own = [], device_build.written
    monkeypatch.setattr(device_build, "written", lambda tensors, device: calls.append(
        device) or own(tensors, device))
    model = TwoLayers(RELATIONS)
    model(*hetero((5, 6), 0))
    compiled = capture.compile_module(copy.deepcopy(model), target="emulator", fullgraph=True,
                                      chip="sm_80")
    for seed, sizes in enumerate([(5, 6), (9, 4), (20, 31)]):
        given, results = hetero(sizes, seed), []
        for run in (model, compiled):
            out = run(*given)
            sum(h.square().sum() for h in out.values()).backward()
            results.append((out, [p.grad for p in run.parameters()]))
            run.zero_grad()
        torch.testing.assert_close(*results, atol=1e-4, rtol=1e-4)
        assert calls == [CPU] * (seed + 1)
    x, edges = hetero((5, 6), 0)
    edges[RELATIONS[2]][1, 3] = 5  # The next type's first node, but for a check.
    with pytest.raises(Exception, match="expected ids from 0 to|out of range|-1"):
        compiled(x, edges)


def test_edges_that_are_not_one_relation_behind_another():
    """Nor what kernels read: torch makes them."""
    pair = torch.tensor([[0, 1], [1, 0]])
    args = [0, 0], [0, 0], [2], [2], 0
    assert joined_graphs._columns([[2, 2]], [([pair, pair], *args)], CPU) is not None
    for edges in ([pair[:, :1], pair], [pair, pair.short()], [pair, pair, pair],
                  [pair, pair.to("meta")], [pair, torch.cat([pair, pair])]):
        assert joined_graphs._columns([[2, 2]], [(edges, *args)], CPU) is None
