# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that say their own gradients, beside eager torch: gradients of their own,
hooks, data behind autograd's back, and outputs that have none."""

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import zoo  # noqa: E402
from gnn_mlir import gradients  # noqa: E402
from gnn_mlir.pytorch.frontend import CaptureError, capture  # noqa: E402
from torch import nn  # noqa: E402

NODES, SIZE = 12, 4
INPUTS = zoo.Inputs(NODES, 30)
X, EDGES = INPUTS.x[:, :SIZE].contiguous(), INPUTS.edge_index


fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


def summed(x, edges):
    return x.new_zeros(x.shape).index_add_(0, edges[1], x[edges[0]])


class Model(nn.Module):
    """A function of (model, x, edges), with a weight for it."""

    def __init__(self, function):
        super().__init__()
        self.function, self.weight = function, nn.Parameter(torch.arange(1., SIZE + 1))
        self.kept = None

    def forward(self, x, edges):
        return self.function(self, x, edges)


def is_eager(function, programs=None, steps=1):
    """Results, what requires a gradient, gradients and weights after some steps; where
    there is no program, an error with `fullgraph`."""
    model = Model(function)
    found = []
    for make in (lambda one: one, capture.compile_module):
        own = copy.deepcopy(model)
        called = make(own)
        for _ in range(steps):
            x = X.clone().requires_grad_()
            made = called(x, EDGES)
            made = made if isinstance(made, tuple) else (made,)
            sum(out.square().sum() for out in made if out.requires_grad).backward()
        found.append([*made, x.grad, own.weight.grad, own.weight,
                      *(torch.tensor(out.requires_grad) for out in made)])
    for a, b in zip(*found, strict=True):
        assert (a is None) == (b is None)
        assert a is None or torch.allclose(a, b, rtol=1e-4, atol=1e-4)
    if programs is not None:
        assert [len(outer.calls) for outer in capture._made] == [programs] * (programs > 0)
    if programs == 0:
        with pytest.raises(CaptureError):
            capture.compile_module(model, fullgraph=True)(X, EDGES)


class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -2 * grad


class Cubed(torch.autograd.Function):
    """Another gradient than that of the forward; a result without one, and a number."""

    @staticmethod
    def forward(ctx, x, weight, factor):
        ctx.save_for_backward(x, weight)
        ctx.factor = factor
        return x ** 2 * weight, x > 0

    @staticmethod
    def backward(ctx, grad, _):
        x, weight = ctx.saved_tensors
        return grad * ctx.factor * x, (grad * weight).sum(0), None


class Written(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x

    @staticmethod
    def backward(ctx, grad):
        return -grad


def reversed_and_cubed(model, x, edges):
    h = summed(x.clamp(min=0), edges)
    h.relu_()  # torch's export runs twice what writes.
    h, mask = Cubed.apply(Reversed.apply(h * model.weight), model.weight, 3.)
    return summed(h * mask, edges)


def test_functions_with_gradients_of_their_own():
    is_eager(reversed_and_cubed, programs=2)
    with pytest.raises(CaptureError, match=r"torch.autograd.Function at .*Reversed.apply"):
        capture.compile_module(Model(reversed_and_cubed), fullgraph=True)(X, EDGES)


def with_hook(model, x, edges):
    h = summed(x, edges)
    h.register_hook(lambda grad: grad * 5)
    return h * model.weight


def with_branches(model, x, edges):
    return torch.cond(x.sum() > 0, lambda h: h * 2, lambda h: h * 3,
                      (summed(x, edges) * model.weight,))


@pytest.mark.parametrize("function", [
    with_hook, with_branches,
    lambda model, x, edges: Written.apply(model.weight * x)[edges[0]] * 2])
def test_left_to_torch(function):
    breaks = function is with_hook and torch.__version__ < "2.13"  # Into two graphs.
    is_eager(function, programs=None if breaks else 0)


# -- Outputs with and without gradients ---------------------------------------------------

def keeping(model, x, edges):
    """Later calls read what the first one computes, as in GCNConv(cached=True)."""
    if model.kept is None:
        model.kept = summed(x.new_ones(x.shape), edges)
    h = summed(x * model.weight, edges)
    return h * model.kept, (h > 0).float()


def test_results_without_a_gradient():
    is_eager(keeping, steps=2)


def by_complex_numbers(model, x, edges):
    h = summed(x * model.weight, edges)
    return torch.complex(h, x).abs() + torch.fft.irfft(torch.fft.rfft(h) * 2, n=SIZE)


def test_gradients_of_complex_numbers():
    is_eager(by_complex_numbers, programs=1)


def test_batches_of_gradients():
    x = X.clone().requires_grad_()
    made = capture.compile_module(summed)(x, EDGES)
    with pytest.raises(ValueError, match="expected one gradient of each output, got a batch"):
        torch.autograd.grad(made, x, torch.ones(2, *made.shape), is_grads_batched=True)


# -- Data behind autograd's back ----------------------------------------------------------

def reads_data(model, x, edges):
    h = summed(x * model.weight, edges)
    return summed(h * h.data.mean(), edges)


def in_inference_mode(model, x, edges):
    h = summed(x * model.weight, edges)
    with torch.inference_mode():
        mean = h.mean(0)
    return h - mean.clone() * h


@pytest.mark.parametrize("function", [reads_data, in_inference_mode])
def test_constants(function):
    is_eager(function, programs=1)


def writes_to_data(model, x, edges):
    model.weight.data[1:].mul_(.5)
    return summed(x, edges) * model.weight


def writes_to_detached(model, x, edges):
    h = summed(x * model.weight, edges)
    h.detach().mul_(2)
    return h * h


@pytest.mark.parametrize("function", [writes_to_data, writes_to_detached])
def test_writes_are_left_to_torch(function):
    is_eager(function, programs=0)


class Renormalized(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(5, SIZE, max_norm=.5)

    def forward(self, edges):
        return summed(self.table(torch.arange(NODES) % 5), edges)


def test_renormalized_tables_have_gradients():
    model = Renormalized()
    other = copy.deepcopy(model)
    for called in (model, capture.compile_module(other)):
        called(EDGES).square().sum().backward()
    for a, b in ((model.table.weight, other.table.weight),
                 (model.table.weight.grad, other.table.weight.grad)):
        assert torch.allclose(a, b, rtol=1e-4, atol=1e-5)


def test_passes_of_all_outputs_where_one_is_read(monkeypatch):
    """The other's gradient is zeros, where no backward pass of one alone serves."""
    monkeypatch.setattr(gradients.Passes, "serves", lambda self, other: False)
    model = Model(lambda m, x, e: (summed(x * m.weight, e), (summed(x, e) * m.weight).exp()))
    compiled = capture.compile_module(model, fullgraph=True)
    for read in (0, 1):
        x = X.clone().requires_grad_()
        found, expected = (torch.autograd.grad(call(x, EDGES)[read].sum(), (x, model.weight))
                           for call in (compiled, model))
        torch.testing.assert_close(found, expected)
