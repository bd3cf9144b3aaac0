# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models and calls of other dtypes than float32: autocast, and what runs in torch."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from test_frontend_training import EDGES, Two, X, compiled, is_close, pyg, step  # noqa: E402

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


class Autocast(Two):
    def forward(self, x, edge_index):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            h = self.one(x, edge_index)
        return self.two(h.float(), edge_index), h


def test_autocast_within_a_model():
    model = Autocast()
    out, h = compiled(model)(X, EDGES)
    expected, short = model(X, EDGES)
    assert (out.dtype, h.dtype) == (expected.dtype, short.dtype)
    is_close(out, expected, 0.02)
    is_close(h, short, 0.02)


@pytest.mark.parametrize("dtype", zoo.with_slow([torch.float32, torch.bfloat16], {torch.float32}))
def test_autocast_around_a_model(dtype):
    model = Two(lambda self, h: torch.tanh(h))
    exact, run = step(model, model, X.to(dtype).float()), compiled(model)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        expected = model(X.to(dtype), EDGES)
        found = step(run, model, X.to(dtype))
        assert found[0].dtype == expected.dtype
        is_close(found[0], exact[0], 0.01)
        is_close(found[1], exact[1], 0.02)
    assert run(X, EDGES).dtype == torch.float32  # Off again: another program.


def test_autocast_around_types_of_several_widths():
    """Their relations are merged, which makes ops anew."""
    widths = {("a", "r", "b"): (4, 5), ("b", "s", "a"): (5, 4)}
    model = pyg.HeteroConv({relation: pyg.SAGEConv(of, 8) for relation, of in widths.items()})
    x = {"a": torch.randn(6, 4), "b": torch.randn(7, 5)}
    edges = {relation: torch.randint(0, 6, (2, 9)) for relation in widths}
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = capture.compile_module(model, fullgraph=True)(x, edges)
    for kind, rows in model(x, edges).items():
        is_close(found[kind].float(), rows, 0.01)


@pytest.mark.parametrize("dtype", zoo.with_slow(
    [torch.float64, torch.float16, torch.bfloat16], {torch.bfloat16}))
def test_models_of_other_dtypes_run_in_torch(dtype):
    model, x = Two().to(dtype), X.to(dtype)
    with pytest.warns(UserWarning, match=f"expected .*float32, got {dtype}"):
        found = capture.compile_module(model)(x, EDGES)
    assert found.dtype == dtype
    is_close(found, model(x, EDGES), 1e-2)
    with pytest.raises(Exception, match=f"expected .*float32, got {dtype}"):
        compiled(model)(x, EDGES)
