# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structures of a compiled model are let go with the ids that they are made of."""

import gc
import pytest
torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")
import zoo
from gnn_mlir.frontend import capture
from gnn_mlir.frontend.runtime import graph_cache
from torch.multiprocessing.reductions import StorageWeakRef

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


@pytest.mark.parametrize("pair", [True, False])
@pytest.mark.parametrize("on_device", [False, True])
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
    y = torch.randint(0, 12, (2, 30))  # What lives is kept.
    a = (y,) if pair else tuple(y)
    run(x, *a)
    b = y.clone(); b = (b,) if pair else tuple(b)
    run(x, *b)
    assert len(kept) == 2
