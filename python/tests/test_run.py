# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models through the whole compiler, on the emulator, against float64."""

import pytest

from conftest import find_tool
from gnn_mlir.testing import cases
from gnn_mlir.testing.tools import run_by_tool

MODELS = [name for name in cases.MODELS
          if name not in ("sage-blocks", "hgt-widths")]
GRAPHS = [name for name in cases.GRAPHS if name not in cases.graphs.BIPARTITE]
SIZES = [(16, 1), (33, 1), (7, 3), (64, 8)]


@pytest.fixture(scope="session")
def run():
    tool = find_tool("gnn-run")
    if tool is None:
        pytest.skip("gnn-run is not built")
    return run_by_tool(tool)


def _cases():
    """Each model on every third graph, sizes in turn."""
    for i, model in enumerate(MODELS):
        for j, graph in enumerate(GRAPHS):
            features, heads = SIZES[(i + j) % len(SIZES)]
            case = dict(subject=model, graph=graph, features=features,
                        heads=heads)
            if not cases.allowed(case):
                case["heads"] = 1
            if (i + j) % 3 == 0 and cases.allowed(case):
                yield pytest.param(case, id="-".join(map(str, case.values())))


@pytest.mark.parametrize("case", _cases())
def test_model(case, run):
    cases.check(cases.build(**case), run)
