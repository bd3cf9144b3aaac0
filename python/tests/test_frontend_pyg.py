# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of the classes of torch_geometric.nn beside eager in float64, forward and backward, on
graphs of two sizes."""

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import beside_eager  # noqa: E402
import pyg_cases  # noqa: E402
import zoo  # noqa: E402
from gnn_mlir.frontend import capture  # noqa: E402

SIZES = ((50, 300), (33, 121))

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


def pytest_generate_tests(metafunc):
    if "name" in metafunc.fixturenames:
        everything = metafunc.config.getoption("--all")
        metafunc.parametrize("name", [name for name, case in pyg_cases.CASES.items()
                                      if everything or case.is_quick])


def test_is_eager(name):
    case = pyg_cases.CASES[name]
    model = case.make().eval()
    exact, compiled = copy.deepcopy(model).double(), capture.compile_module(model)
    for seed, (nodes, edges) in enumerate(SIZES):
        given = case.inputs(zoo.Inputs(nodes, edges, seed))
        expected = beside_eager.run(exact, exact, *beside_eager.converted(
            given, dtype=torch.float64))
        beside_eager.compare(*expected, *beside_eager.run(compiled, model, *given))
