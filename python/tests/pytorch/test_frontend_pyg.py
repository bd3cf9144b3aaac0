# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of the classes of torch_geometric.nn beside eager in float64, forward and backward, on
graphs of two sizes; which of them are whole."""

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import beside_eager  # noqa: E402
import pyg_cases  # noqa: E402
import zoo  # noqa: E402
import zoo_table  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402

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
        beside_eager.compare(*expected, *beside_eager.run(compiled, model, *given),
                             lambda: beside_eager.run(model, model, *given))
    if torch.__version__ < "2.13":
        return  # More is split there.
    found = zoo_table.state(compiled.captures)  # One compilation for all sizes where whole.
    assert zoo_table.pyg_row(case, found) == zoo_table.committed_pyg()[name], (
        f"if that is meant: python python/tests/pytorch/zoo_table.py --write {case.model!r}")


def test_what_is_not_whole_has_a_reason():
    rows = zoo_table.committed_pyg()
    assert list(rows) == list(pyg_cases.CASES)
    for name, row in rows.items():
        assert bool(pyg_cases.CASES[name].why) == ("| whole |" not in row), row
