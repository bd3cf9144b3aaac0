# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What captured models give beside eager torch: whose memory results are."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import torch.nn.functional as F  # noqa: E402
import zoo  # noqa: E402
from gnn_mlir.frontend import capture  # noqa: E402

INPUTS = zoo.Inputs(12, 30)
X, EDGES, TYPES = INPUTS.x[:, :6].contiguous(), INPUTS.edge_index, INPUTS.node_type


fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


def summed(x, edges):
    return x.new_zeros(x.shape).index_add_(0, edges[1], x[edges[0]])


def compared(model, *given):
    """Results and the gradient of the first argument, eager's and those of one program."""
    found = []
    for function in (model, capture.compile_module(model)):
        x = given[0].clone().requires_grad_()
        made = function(x, *given[1:])
        sum((out * torch.arange(out.numel()).view(out.shape).remainder(7)).sum()
            for out in made if out.requires_grad).backward()
        found.append([*made, x.grad])
    assert [len(outer.calls) for outer in capture._made] == [1]
    return zip(*found, strict=True)


def is_eager(model, *given):
    for a, b in compared(model, *given):
        assert torch.allclose(a, b, rtol=1e-4, atol=1e-4)


def test_results_are_apart_as_in_eager():
    constant = torch.tensor([1.0, 2.0])

    def model(x, edges):
        h, copy = summed(x, edges), x.clone()
        return (h, h.clone(), h.relu(), h.relu(), copy.view(-1), copy.unbind(1)[0], x.view(-1),
                F.dropout(x.clone(), 0.5, False), constant.clone(), edges.clone())
    expected, found = (function(X, EDGES) for function in (
        model, capture.compile_module(model)))
    assert len(capture._made) == 1

    def shared(made):
        places = [one.untyped_storage().data_ptr() for one in (*made, X, EDGES, constant)]
        return {(i, j) for i, a in enumerate(places) for j, b in enumerate(places) if a == b}
    for a, b in zip(expected, found, strict=True):
        assert torch.allclose(a, b, atol=1e-5)
    assert shared(found) <= shared(expected)


def test_gradients_of_equal_results():
    def model(x, edges):
        h = summed(x, edges)
        return h, h.relu(), h.relu(), h.clone()
    is_eager(model, X, EDGES)
