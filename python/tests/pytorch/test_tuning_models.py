# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning of PyTorch models, as they are captured."""

import types

import pytest
import torch
from torch_geometric.nn import GATConv, GCNConv

import gnn_mlir
from gnn_mlir import compiler_capi, tuning


@pytest.fixture
def case(tmp_path, monkeypatch):
    monkeypatch.setenv("GNN_MLIR_CACHE", str(tmp_path))
    torch.manual_seed(0)
    return torch.randn(200, 16), torch.randint(0, 200, (2, 1500))


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = GATConv(16, 8, heads=2), GCNConv(16, 4)

    def forward(self, x, edge_index):
        return self.second(torch.relu(self.first(x, edge_index)), edge_index)


def test_a_model_is_tuned_and_compiled_with_what_was_found(case):
    model = Model().eval()
    compiled = gnn_mlir.compile(model, target="cpu")
    with torch.no_grad():
        found = gnn_mlir.tune(compiled, *case, budget=6)
        assert sum(one["timed"] for one in found.templates) > 5
        torch._dynamo.reset()
        tuned = gnn_mlir.compile(model, target="cpu", tuned=True)
        torch.testing.assert_close(tuned(*case), model(*case), rtol=1e-4, atol=1e-5)


def test_forward_and_backward_passes(case):
    model = Model()
    compiled = gnn_mlir.compile(model, target="cpu")
    found = gnn_mlir.tune(compiled, *case, budget=4)
    assert {line["function"].rpartition("_")[2] for line in found.schedules} <= {
        "forward", "backward"}
    assert len(found.templates) > 5
    kernels = gnn_mlir.explain(compiled, kernels=True)
    for one in found.templates:
        assert f"      {one['name'].split(' ')[1]}" in kernels


def test_a_budget_that_ends_before_the_search(case):
    compiled = gnn_mlir.compile(Model().eval(), target="cpu")
    with torch.no_grad():
        found = gnn_mlir.tune(compiled, *case, budget=1e-3)
        searched = gnn_mlir.tune(compiled, *case, budget=6)
    assert len(found.templates) > 2 and not any(one["timed"] for one in found.templates)
    line = f"the budget of 0.001 s ended before the search of {len(found.templates)} kernels"
    assert str(found).splitlines()[-1] == line
    assert "budget" not in str(searched)


@pytest.mark.parametrize("taken, second", [(1, 5), (9, 1e-3)])
def test_functions_share_what_others_leave(case, monkeypatch, taken, second):
    now, budgets = [0.0], []

    def take(*_):
        now[0] += taken
        return tuning.Tuning(), None

    def keep(_, name, value):
        if name == "budget":
            budgets.append(value)
    monkeypatch.setattr(tuning, "time", types.SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(tuning, "_tune", take)
    monkeypatch.setattr(compiler_capi.TuneSettings, "set", keep)
    gnn_mlir.tune(gnn_mlir.compile(Model(), target="cpu"), *case, budget=6)
    assert budgets[-2:] == [3, second]


def test_templates_of_several_programs(case):
    first, second = GCNConv(16, 8), GCNConv(8, 4)
    compiled = gnn_mlir.compile(
        lambda x, edges: second(torch.linalg.qr(first(x, edges))[0], edges), target="cpu")
    with torch.no_grad():
        found = gnn_mlir.tune(compiled, *case, budget=2)
    assert {one["program"] for one in found.templates} == {1, 2}
    assert " program 1: 0 forward_0_" in str(found) and " program 2: 0 forward_0_" in str(found)


def test_dropout_has_a_seed(case):
    """The seed of a model in training is a scalar among the inputs."""
    model = torch.nn.Sequential(torch.nn.Linear(16, 8), torch.nn.Dropout(0.5))
    conv = GCNConv(16, 16)
    compiled = gnn_mlir.compile(lambda x, edges: model(conv(x, edges)), target="cpu")
    found = gnn_mlir.tune(compiled, *case, budget=2)
    assert sum(one["timed"] for one in found.templates) > 0


def test_what_is_wrong_is_said(case):
    with pytest.raises(ValueError, match="program: expected a compiled model, got Model"):
        gnn_mlir.tune(Model(), *case)
    with pytest.raises(ValueError, match="target: expected none for a PyTorch model, got 'cpu'"):
        gnn_mlir.tune(gnn_mlir.compile(Model()), *case, target="cpu")
    linear = gnn_mlir.compile(torch.nn.Linear(16, 4), target="cpu")
    with pytest.raises(ValueError, match="program: expected a model with ops on graphs, got a call "
                                         "that torch ran without any program"):
        gnn_mlir.tune(linear, case[0])
