# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of captured models beside eager torch: whose memory results are, numbers of
the graph, constants, and what is not finite."""

import math

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import torch.nn.functional as F  # noqa: E402
import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402

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


def test_dimensions_of_numbers_of_the_graph():
    def model(x, edges):
        h = summed(x, edges)
        kept, both = h.mean(0, keepdim=True), torch.stack([h.mean(0), h.amax(0)])
        return (h * kept[:, 2] + both[1], kept[:, 0].sum(), kept.sum(0), kept.mean(1),
                kept.softmax(0), kept.softmax(1), both[0, 1] + kept.new_zeros(2, 1))
    is_eager(model, X, EDGES)


def equals(model, *given):
    """Infinities and NaN too, without gradients."""
    with torch.no_grad():
        expected, found = model(*given), capture.compile_module(model)(*given)
    assert len(capture._made) == 1
    for a, b in zip(expected, found, strict=True):
        assert torch.allclose(a, b, rtol=1e-5, equal_nan=True)


def test_constants_are_torchs():
    def model(x, edges):
        h, one = summed(x, edges) * 0, x.new_ones(x.shape[0], 1)
        return [h + made for made in (
            (one * 0).log(), (one * 1000).exp(), (one * 0).rsqrt(), (one * math.inf).floor(),
            (one * math.inf).round(), (one * -8) ** 0.5, (one * 0) ** -1, one / (one * 0),
            (one * -1).log1p(), (one * 0.5).erf(), torch.maximum(one * math.nan, one))]
    equals(model, X, EDGES)


def test_what_is_not_finite():
    def model(x, edges):
        h = summed(x, edges)
        none = h.masked_fill(h < 100, -math.inf)
        return (none.logsumexp(1), torch.logaddexp(none, none), (-none).logsumexp(1),
                torch.logaddexp(none, h), h / 0.0, h / -0.0)
    equals(model, X, EDGES)
