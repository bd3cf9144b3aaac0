# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hooks of a model and of what is in it, that come and go between calls."""

import logging

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import gnn_mlir  # noqa: E402
import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from gnn_mlir.pytorch.frontend.calls import dispatch  # noqa: E402
from test_frontend_dispatch import EDGES, X  # noqa: E402
from test_frontend_frames import Net  # noqa: E402

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


def test_hooks_that_are_added_later(caplog):
    """And are removed, of layers: each set of them is captured once."""
    model = Net()
    compiled = capture.compile_module(model)

    def check(graphs):
        for _ in range(2):
            torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))
        assert len(capture._made) == graphs
    check(1)
    handle = model.layer.register_forward_hook(lambda module, args, out: out * 2)
    check(2)
    other = model.layer.register_forward_pre_hook(lambda module, args: (args[0] + 1, args[1]))
    check(3)
    other.remove()
    check(3)
    handle.remove()
    check(3)
    X.clone().requires_grad_().register_hook(lambda grad: grad)  # Of no module.
    check(3)
    outer = model.register_forward_hook(lambda module, args, out: out - 1)
    for _ in range(2):
        torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))
    handle = model.layer.register_forward_hook(lambda module, args, out: out * 3)
    for _ in range(2):
        torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))
    outer.remove()
    torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))


@pytest.mark.parametrize("fullgraph", [True, False])
def test_hooks_that_are_new_in_each_call(fullgraph, caplog, monkeypatch):
    """Some sets of them are captured, that of no hooks too."""
    monkeypatch.setattr(dispatch, "_VERSIONS", 3)
    model = Net()
    compiled = capture.compile_module(model, fullgraph=fullgraph)
    for number in range(5):
        handle = model.layer.register_forward_hook(lambda m, args, out, n=number: out * n)
        if fullgraph and number > 1:
            with pytest.raises(capture.CaptureError, match="^Net: hooks within the model that "):
                compiled(X, EDGES)
        else:
            torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))
        handle.remove()
    assert [one.message for one in caplog.records if one.levelno == logging.WARNING] == [] if (
        fullgraph) else ["Net: a call captured nothing and ran in torch: hooks within the model "
                         "that were others in 3 captures already"]
    torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))
    assert len(capture._made) == 3


def test_hooks_of_messages_that_are_added_later():
    conv = zoo.pyg.SAGEConv(4, 4)
    compiled = capture.compile_module(conv)
    compiled(X, EDGES)
    handle = conv.register_message_forward_hook(lambda *args: None)
    for _ in range(2):
        with pytest.raises(capture.CaptureError, match="SAGEConv: expected a layer without hooks"):
            compiled(X, EDGES)
    handle.remove()
    torch.testing.assert_close(compiled(X, EDGES), conv(X, EDGES))
