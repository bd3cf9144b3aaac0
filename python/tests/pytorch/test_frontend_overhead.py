# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Work of calls of captured models besides their kernels."""

import copy
import operator

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from gnn_mlir.pytorch.frontend.runtime import packing  # noqa: E402
from torch_geometric import nn as pyg  # noqa: E402

aten = torch.ops.aten
RELATIONS = [("a", "r", "b"), ("b", "s", "a"), ("a", "t", "a")]
fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


class TwoByType(torch.nn.Module):
    """Two layers on dicts."""

    def __init__(self, first, second):
        super().__init__()
        self.first, self.second = first, second

    def forward(self, x, edges):
        return self.second({k: h.relu() for k, h in self.first(x, edges).items()}, edges)


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


def _rows(graph, weights):
    """Parts of stacked weights, with their axes swapped."""
    x = graph.call_function(aten.stack.default, (weights,))
    x = graph.call_function(aten.reshape.default, (x, [3, 2, -1, 4]))
    x = graph.call_function(aten.movedim.int, (x, 1, 0))
    x = graph.call_function(aten.contiguous.default, (x,))
    x = graph.call_function(aten.unbind.int, (x, 0))
    return [graph.call_function(operator.getitem, (x, i)) for i in (1, 0)]


def _sum(graph, weights):
    x = graph.call_function(aten.stack.default, (weights,))
    return [graph.call_function(aten.sum.dim_IntList, (x, [0]))]


def _sums_with_none(graph, weights):
    """Sums of pairs, one of which has one weight."""
    none = graph.call_function(aten.zeros.default, ([6, 4],))
    x = graph.call_function(aten.stack.default, ([weights[0], none, *weights[1:]],))
    x = graph.call_function(aten.reshape.default, (x, [2, 2, 6, 4]))
    return [graph.call_function(aten.sum.dim_IntList, (x, [0]))]


def _joined_with_none(graph, weights):
    none = graph.call_function(aten.zeros.default, ([2, 4],))
    return [graph.call_function(aten.cat.default, ([*weights, none],))]


def _joined(graph, weights):
    return [graph.call_function(aten.cat.default, (weights,))]


def _swapped(graph, weights):
    """Of each weight by itself."""
    made = []
    for x in weights:
        x = graph.call_function(aten.transpose.int, (x, 0, 1))
        made.append(graph.call_function(aten.contiguous.default, (x,)))
    return made


def _one_row(graph, weights):
    """Axes of which one has a size of 1: nothing is copied."""
    x = graph.call_function(aten.stack.default, (weights,))
    x = graph.call_function(aten.reshape.default, (x, [3, 1, -1, 4]))
    x = graph.call_function(aten.movedim.int, (x, 1, 0))
    return [graph.call_function(aten.contiguous.default, (x,))]


@pytest.mark.parametrize("make, size", [
    (_rows, (6, 4)), (_sum, (6, 4)), (_sum, ()), (_joined, (6, 4)), (_swapped, (6, 4)),
    (_one_row, (6, 4)), (_sums_with_none, (6, 4)), (_joined_with_none, (6, 4))])
def test_packed_parameters(make, size):
    """One call of all, with the results and gradients of torch's ops, which share no
    memory."""
    graph = torch.fx.Graph()
    nodes = [graph.placeholder(name) for name in "abc"]
    graph.output(tuple(make(graph, nodes)))
    torch.manual_seed(0)
    given = [torch.nn.Parameter(torch.randn(size)) for _ in nodes]
    results = []
    for _ in range(2):
        made = torch.fx.GraphModule({}, graph)(*given)
        grads = torch.autograd.grad(sum(
            (x * (i + torch.arange(x.numel()).view(x.shape))).sum()
            for i, x in enumerate(made)), given)
        results.append((*made, *grads))
        zeros = {node: tuple(node.args[0]) for node in graph.nodes
                 if node.target == aten.zeros.default}
        packing.pack(graph, {node: (tuple(size), True) for node in nodes}, zeros)
        for node in zeros:
            assert len(results) == 2 or not node.users
            if not node.users:
                graph.erase_node(node)
    assert sum(isinstance(node.target, packing.Packed) for node in graph.nodes) == 1
    assert all(node.target == operator.getitem or isinstance(node.target, packing.Packed)
               for node in graph.nodes if node.op == "call_function")
    for ours, theirs in zip(results[1], results[0]):
        torch.testing.assert_close(ours, theirs)
    places = sorted((g.data_ptr(), g.data_ptr() + 4 * g.numel()) for g in grads)
    assert all(end <= begin for (_, end), (begin, _) in zip(places, places[1:]))


@pytest.mark.parametrize("frozen", [False, True])
def test_parameters_of_a_model_are_packed(frozen):
    """Those of all relations by one call, but for kinds of which some have no gradients."""
    torch.manual_seed(0)
    model = TwoByType(*(pyg.HGTConv(4, 4, (["a", "b"], RELATIONS), 2) for _ in range(2)))
    if frozen:
        model.first.kqv_lin.lins["a"].weight.requires_grad_(False)
    eager = copy.deepcopy(model)
    x = {"a": torch.randn(5, 4), "b": torch.randn(6, 4)}
    edges = {relation: torch.randint(0, 5, (2, 9)) for relation in RELATIONS}
    run = capture.compile_module(model, fullgraph=True)
    for one, own in ((run, model), (eager, eager)):
        for _ in range(2):  # Into gradients that are there.
            sum(rows.square().sum() for rows in one(x, edges).values()).backward()
        torch.optim.SGD(own.parameters(), 0.1, momentum=0.9).step()
    for ours, theirs in zip(model.parameters(), eager.parameters()):
        torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=1e-4)
        assert (ours.grad is None) == (theirs.grad is None)
    nodes = list(capture._made[-1].graph.nodes)
    assert sum(isinstance(node.target, packing.Packed) for node in nodes) == 1
    assert sum(node.target == aten.stack.default for node in nodes) == frozen
