# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CPU as a device: kernels of one thread, as fast as LLVM makes them.

Some cases of the covering set; GNN_TEST_TARGET=cpu runs all of test_numeric.py there."""

import pickle

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir.testing import cases, tools

CASES = [("gat", "rows-1000", 7, 3), ("rgcn", "hub", 33, 1),
         ("op-extremes", "rows-33", 7, 1),
         ("op-spmm", "empty", 16, 1)]


@pytest.mark.parametrize("form", ["structured", "scheduled"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case)))
def test_case(case, form):
    cases.check(cases.build(*case), tools.run_by_library("cpu", stop_at=form))


@pytest.fixture(scope="module")
def program():
    return cases.build("gat", "rows-1000", 7, 3)


def run(program, **options):
    function = gnn_mlir.compile(program.function, **options)
    return function, function(program.graphs, program.inputs)


def test_calls_run_where_they_are_compiled_for(program):
    function, out = run(program, target="cpu")
    assert function.bind(program.graphs).device.name == "cpu"
    np.testing.assert_allclose(out, run(program, target="emulator")[1], rtol=1e-4,
                               atol=1e-6)
    again = pickle.loads(pickle.dumps(function))
    assert again.bind(program.graphs).device.name == "cpu"
    np.testing.assert_array_equal(again(program.graphs, program.inputs), out)


def test_tensors(program):
    torch = pytest.importorskip("torch")
    function, out = run(program, target="cpu")
    tensors = {name: torch.from_numpy(array) for name, array in program.inputs.items()}
    given = function(program.graphs, tensors)
    assert torch.equal(given, torch.from_numpy(np.asarray(out)))


def test_gradients(program):
    inputs = program.inputs
    found = {}
    for target in "cpu", "emulator":
        function, out = run(program, target=target, gradients=True)
        found[target] = function.gradients(
            program.graphs, inputs, {function.output_names[0]: np.ones_like(out)})
    assert found["cpu"].keys() == found["emulator"].keys()
    for name, gradient in found["cpu"].items():
        np.testing.assert_allclose(gradient, found["emulator"][name], rtol=1e-3, atol=1e-3)


def test_any_number_of_threads_gives_the_same_bits(program):
    function, out = run(program, target="cpu", stop_at="blocked")
    steps = function.package.plan()["functions"][0]["steps"]
    assert any(step["grid"] != step["block"] for step in steps)
    for threads in 1, 2, 5:
        binding = function.bind(program.graphs, gnn_mlir.capi.Device.cpu(threads))
        np.testing.assert_array_equal(binding(program.inputs), out)
    with pytest.raises(gnn_mlir.GNNError, match="expected 0 or more threads, got -1"):
        gnn_mlir.capi.Device.cpu(-1)


def test_times_are_measured(program):
    function, _ = run(program, target="cpu")
    report = function.bind(program.graphs).profile(program.inputs)
    assert all(step["milliseconds"] >= 0 for step in report["steps"])


def test_kernels_of_a_gpu_are_refused(program):
    function = gnn_mlir.compile(program.function, target="emulator")
    with pytest.raises(gnn_mlir.GNNError, match="expected one thread a block on the CPU, "
                                                r"got \(\d+, 1, 1\); the emulator runs"):
        function.bind(program.graphs, "cpu")
