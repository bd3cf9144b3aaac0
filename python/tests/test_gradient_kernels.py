# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels give the outputs and gradients that the meaning gives: of models,
differentiated after the passes; on the emulator, or where GNN_TEST_TARGET says."""

import os

from support import cases, gradient_cases, gradients


def pytest_generate_tests(metafunc):
    everything = metafunc.config.getoption("--all")
    if "subject" in metafunc.fixturenames:
        metafunc.parametrize("subject, graph", [
            (subject, graph) for subject in gradient_cases.SUBJECTS
            for graph in (("square",) if subject in cases.MODELS else
                          gradient_cases.GRAPHS if everything else ())])


def test_kernels_give_the_gradients(subject, graph, gnn_opt, compiler):
    heads = 2 if subject in cases.WITH_HEADS else 1
    program = gradient_cases.build(subject, graph, heads)
    pipeline = gradients.PIPELINES["after the passes"]
    made = gradients.differentiate(gnn_opt, program.function, None, pipeline)
    text = gradients.text(gnn_opt, program.function, None, pipeline)
    gradients.check_kernels(text, program.function, program.graphs, program.inputs, made,
                            target=os.environ.get("GNN_TEST_TARGET", "emulator"))
