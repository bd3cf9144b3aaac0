# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How often dynamo is asked for a frame of a compiled model."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from gnn_mlir.pytorch.frontend.calls import frames  # noqa: E402
from test_frontend_dispatch import EDGES, Layer, X  # noqa: E402
from test_frontend_frames import TryingBehind  # noqa: E402

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


class Layers(torch.nn.Module):
    """Layers of one class, each behind a graph break."""

    def __init__(self, count):
        super().__init__()
        self.layers = torch.nn.ModuleList([Layer() for _ in range(count)])
        for number, layer in enumerate(self.layers):
            layer.kind = f"minus {number}"  # No two are of one capture.

    def forward(self, x, edges):
        for layer in self.layers:
            torch._dynamo.graph_break()
            x = layer(x, edges).tanh()
        return x


def test_each_module_has_its_captures(monkeypatch):
    """Of the code that layers share there are as many for each."""
    monkeypatch.setattr(frames, "LIMIT", 1)
    model = Layers(3)
    compiled = capture.compile_module(model)
    for _ in range(2):
        torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))
    assert len(capture._made) == 3


def test_frames_that_fail_are_traced_no_more(monkeypatch):
    monkeypatch.setattr(frames, "_ATTEMPTS", 2)
    failed, leaves = [], frames.Frames.leaves
    monkeypatch.setattr(frames.Frames, "leaves", lambda *given: (
        failed.append(given), leaves(*given))[1])
    model = TryingBehind()
    compiled = capture.compile_module(model)
    for calls in range(1, 5):
        compiled(X, EDGES)
        assert len(failed) == 3 * min(calls, 2)  # The model's own frame, and what is behind it.


class Looping(torch.nn.Module):
    """A graph break in a loop, for which dynamo skips the frame."""

    def forward(self, x):
        for _ in range(2):
            torch._dynamo.graph_break()
            x = x + 1
        return x


def test_a_skipped_frame_is_traced_once_in_a_call(monkeypatch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.looping = Layer(), Looping()

        def forward(self, x, edges):
            x = self.layer(x, edges)
            for _ in range(3):
                torch._dynamo.graph_break()
                x = self.looping(x)
            return x
    noted, note = [], frames.Frames.note
    monkeypatch.setattr(frames.Frames, "note", lambda self, code, made: (
        noted.append(code), note(self, code, made))[1])
    model = Model()
    compiled = capture.compile_module(model)
    for _ in range(2):
        torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))
    assert noted.count(Looping.forward.__code__) == 1
