# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every model with no pass, with all, with each one off and with each one alone:
within 1e-5 a layer of float64 and of what it is without passes."""

import pytest

from gnn_mlir.testing import cases, errors, variants

GRAPHS = ("one-type-each", "sparse", "empty-types")


def pytest_generate_tests(metafunc):
    if "model" in metafunc.fixturenames:
        everything = metafunc.config.getoption("--all")
        found = [(model, graph) for i, model in enumerate(cases.MODELS)
                 for j, graph in enumerate(GRAPHS)
                 if everything or j == i % len(GRAPHS)]
        metafunc.parametrize("model, graph", found)


def test_passes_keep_results(model, graph, compiler):
    heads = 3 if model in cases.WITH_HEADS else 1
    case = {"subject": model, "graph": graph, "features": 33, "heads": heads}
    program = cases.build(**case)
    variants.check_program(program, errors.TOTAL * program.layers,
                           errors.BY_ROW * program.layers)
