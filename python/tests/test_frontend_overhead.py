# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What calls of captured models do besides their kernels."""

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import zoo  # noqa: E402
from gnn_mlir.frontend import capture  # noqa: E402

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


def test_what_a_forward_pass_keeps_is_one_tensor():
    """Besides inputs and outputs. A second backward pass reads it too."""
    case = zoo.CASES["GATConv"]
    model = case.make().eval()
    eager, given = copy.deepcopy(model), case.inputs(zoo.Inputs(20, 80))
    out = capture.compile_module(model, fullgraph=True)(*given)
    own = {x.data_ptr() for x in (*model.parameters(), *given, out)}
    kept = [x for x in out.grad_fn.saved_tensors if x.numel() and x.data_ptr() not in own]
    assert [(x.dtype, x.dim()) for x in kept] == [(torch.uint8, 1)]
    loss = out.square().sum()
    loss.backward(retain_graph=True)
    loss.backward()
    (2 * eager(*given).square().sum()).backward()
    for ours, theirs in zip(model.parameters(), eager.parameters()):
        torch.testing.assert_close(ours.grad, theirs.grad, atol=1e-5, rtol=1e-4)
