# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Another torch is an error, a warning or dynamo's own way, and no AttributeError."""

import pathlib
import types
import warnings

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture, torch_internals  # noqa: E402
from gnn_mlir.pytorch.frontend.calls import dispatch  # noqa: E402
from gnn_mlir.pytorch.frontend.tracing import exporting, intercept  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402
from torch.fx.experimental import symbolic_shapes  # noqa: E402

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


def test_releases():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for version in ("2.11.0", "2.13.1+cpu"):
            torch_internals.check(version)
    for version in ("2.10.1", "2.14.0a0", "3.0.0"):
        with pytest.warns(UserWarning, match=f"torch 2.11 to 2.13, got {version}"):
            torch_internals.check(version)
    project = pathlib.Path(__file__).parents[3] / "pyproject.toml"
    (_, first), (major, last) = torch_internals.TESTED
    assert f'"torch>=2.{first},<{major}.{last + 1}"' in project.read_text()


def test_what_is_missing(monkeypatch):
    monkeypatch.delattr(torch._C, "_WeakTensorRef")
    monkeypatch.setitem(torch_internals.REQUIRED, "torch.nowhere", "name")
    with pytest.raises(ImportError, match="no torch._C._WeakTensorRef, torch.nowhere"):
        torch_internals.check()


@pytest.mark.parametrize("is_known", [True, False])
def test_calls_without_what_makes_them_fast(is_known, monkeypatch):
    """Are dynamo's: where functions are missing, and where its entries are others."""
    if is_known:
        monkeypatch.setattr(torch_internals, "has_fast_calls", lambda: False)
    else:
        monkeypatch.setattr(dispatch, "_dynamo", types.SimpleNamespace(
            get_eval_frame_callback=dispatch._dynamo.get_eval_frame_callback,
            _debug_get_cache_entry_list=lambda code: [object()]))

    class Model(torch.nn.Module):
        def forward(self, x, edges):
            return torch.zeros_like(x).index_add(0, edges[1], x[edges[0]])
    model, (x, edges) = Model(), (torch.rand(9, 4), torch.randint(0, 9, (2, 30)))
    compiled = capture.compile_module(model)
    for _ in range(3):
        torch.testing.assert_close(compiled(x, edges), model(x, edges))


def test_tensors_without_numbers_among_their_sizes_stay():
    """Of a traced graph's tensors those alone are made again that need it: each takes long."""
    env = symbolic_shapes.ShapeEnv()
    mode = FakeTensorMode(shape_env=env)
    sizes = [symbolic_shapes.DimDynamic.DYNAMIC, symbolic_shapes.DimDynamic.STATIC]
    x = mode.from_tensor(torch.zeros(5, 3), symbolic_context=symbolic_shapes.
                         StatelessSymbolicContext(dynamic_sizes=sizes))
    assert isinstance(x.shape[0], torch.SymInt)
    assert exporting._with_numbers(x, mode) is x
    with mode:
        made = torch.empty_strided((x.shape[0] - x.shape[0] + 4, 3), (3, 1))
    found = exporting._with_numbers(made, mode)
    assert found.shape == (4, 3) and type(found.shape[0]) is int


@pytest.mark.parametrize("places", [[[0, 2, 1, 2]], [[-1, 0, -3, 1]], [[1], [-1]]])
def test_take_along_dim_is_torchs(places):
    """The one that is traced, of places from the end and of those for all columns too."""
    x, places = torch.arange(12.).view(3, 4), torch.tensor(places)
    torch.testing.assert_close(intercept._take_along_dim(x, places, 0),
                               torch.take_along_dim(x, places, 0))
