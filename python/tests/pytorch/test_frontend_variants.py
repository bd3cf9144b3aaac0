# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model is raised once, and another variant of it is made where the first one is split."""

import collections

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture, variants  # noqa: E402
from gnn_mlir.pytorch.frontend.relations import merging, needed  # noqa: E402

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


@pytest.fixture
def made(monkeypatch):
    """How often graphs were raised, and which variants were asked for."""
    counts = collections.Counter()

    def counted(name, own):
        def call(*args):
            counts[name] += 1
            return own(*args)
        return call
    monkeypatch.setattr(variants.Raiser, "run", counted("raised", variants.Raiser.run))
    for module, name in (merging, "apart"), (merging, "merge"), (needed, "narrowed"):
        monkeypatch.setattr(module, name, counted(name, getattr(module, name)))
    return counts


@pytest.mark.parametrize("is_trained", [False, True])
@pytest.mark.parametrize("name", [
    "model-GCN3", "SAGEConv-mean", "model-GAT2", "model-RGCN2", "model-HGT2", "to_hetero-SAGE2",
    "HeteroConv-SAGE"])
def test_models_are_raised_once(name, is_trained, made):
    case, inputs = zoo.CASES[name], zoo.Inputs(50, 300, 0)
    with torch.set_grad_enabled(is_trained):
        capture.compile_module(case.make().train(is_trained), fullgraph=True)(
            *case.inputs(inputs), **case.named(inputs))
    assert made["raised"] == 1 and made["apart"] == 1
    assert made["narrowed"] <= 1 and made["merge"] <= 2


class Solved(torch.nn.Module):
    """A sum over edges, and `end` of it and of what torch alone computes of it."""

    def __init__(self, end):
        super().__init__()
        self.linear, self.end = torch.nn.Linear(4, 4), end

    def forward(self, x, edges):
        y = total(self.linear(x), edges)
        return self.end(torch.linalg.qr(y)[0], y, edges)


def total(x, edges):
    return torch.zeros_like(x).index_add(0, edges[1], x[edges[0]])


@pytest.mark.parametrize("end, programs, raised", [
    (lambda q, y, edges: total(q, edges), 2, 1), (lambda q, y, edges: q.exp() * y, 1, 2)],
    ids=["split", "small"])
def test_split_models(end, programs, raised, made):
    """A second program stays where it reads edges, as there is no other variant, and is raised
    as torch's where it reads none."""
    model, x, edges = Solved(end), torch.randn(30, 4), torch.randint(0, 30, (2, 90))
    torch.testing.assert_close(capture.compile_module(model)(x, edges), model(x, edges),
                               rtol=1e-4, atol=1e-5)
    assert len(capture._made[-1].calls) == programs
    assert made["raised"] == raised and made["merge"] == 1
