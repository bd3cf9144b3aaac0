# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CPU as a device: kernels of one thread, as fast as LLVM makes them.

The covering set of test_forms.py has it as well; GNN_TEST_TARGET=cpu runs all of
test_numeric.py and test_gradient_kernels.py there."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT

import gnn_mlir
from support import cases, gradient_cases, gradients, tools

pytestmark = pytest.mark.usefixtures("optimized")

CASES = [("gat", "rows-1000", 7, 3), ("rgcn", "hub", 33, 1),
         ("op-extremes", "rows-33", 7, 1),
         ("op-spmm", "empty", 16, 1)]
# Vectors of 16, 1 and 4; long rows, whose sums are of runs; rows of more vectors than
# become code; products in place, by heads, of types, with a transposed weight.
IN_VECTORS = [*CASES, ("rgcn", "rows-1000", 64, 1), ("hgt", "rows-1000", 16, 3),
              ("gcn-two-layers", "hub", 16, 1), ("sage-max", "rows-1000", 100, 1),
              ("op-expand", "hub", 1, 1), ("gat-mean", "sparse", 257, 1),
              ("op-weight-gradients", "rows-33", 16, 3), ("gin", "rows-33", 64, 1)]


def name_of(case):
    return "-".join(map(str, case))


@pytest.mark.parametrize("form", ["structured", "scheduled"])
@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_case(case, form):
    cases.check(cases.build(*case), tools.run_by_library("cpu", stop_at=form))


@pytest.mark.parametrize("case", IN_VECTORS, ids=name_of)
def test_case_in_vectors(case):
    cases.check(cases.build(*case), tools.run_by_library("cpu"))


@pytest.mark.parametrize("subject", ["rgcn", "rgat", "hgt", "sage-max"])
def test_gradients_in_vectors(subject, gnn_opt):
    heads = 2 if subject in cases.WITH_HEADS else 1
    program = gradient_cases.build(subject, "square", heads)
    arguments = gnn_opt, program.function, None, gradients.PIPELINES["after the passes"]
    gradients.check_kernels(gradients.text(*arguments), program.function, program.graphs,
                            program.inputs, gradients.differentiate(*arguments),
                            target="cpu")


def test_a_large_transposed_weight():
    """It is copied by parts, between which the sums wait."""
    program = cases.build("sage-mean", "rows-33", 300, 1)
    found = {}
    for target in "cpu", "emulator":
        function, out = run(program, target=target, gradients=["x"])
        found[target] = function.gradients(program.graphs, program.inputs, {
            function.output_names[0]: np.ones_like(out)})["x"]
    np.testing.assert_allclose(found["cpu"], found["emulator"], rtol=1e-5, atol=1e-5)


def environment(processor):
    paths = os.pathsep.join([str(ROOT / "python"), str(ROOT / "python/tests")])
    return {**os.environ, "GNN_CPU": processor, "PYTHONPATH": paths}


@pytest.mark.parametrize("processor", ["x86-64", "x86-64-v3", "x86-64-v4"])
def test_processors(processor):
    """Vectors of 4, 8 and 16, where the host has them."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        known = file.read()
    if {"x86-64": "sse2", "x86-64-v3": "avx2", "x86-64-v4": "avx512vl"}[
            processor] not in known:
        pytest.skip(f"the processor is no {processor}")
    lines = ["from support import cases, tools",
             "for case in [('hgt', 'rows-1000', 64, 1), ('gin', 'rows-33', 33, 1)]:",
             "    cases.check(cases.build(*case), tools.run_by_library('cpu'))"]
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True,
                   env=environment(processor))


def test_processors_that_are_not_there():
    result = subprocess.run(
        [sys.executable, "-c", "import gnn_mlir; from gnn_mlir import models; "
         "gnn_mlir.compile(models.gcn(), target='cpu')"], capture_output=True, text=True,
        env=environment("z80"), check=False)
    assert "GNN_CPU: expected a processor that LLVM knows, got 'z80'" in result.stderr


@pytest.mark.parametrize("value", ["0", "1", "fast"])
def test_optimizing_is_a_choice(value, program, monkeypatch):
    monkeypatch.setenv("GNN_CPU_OPTIMIZE", value)
    if value in ("0", "1"):
        cases.check(program, tools.run_by_library("cpu"))
        return
    with pytest.raises(gnn_mlir.GNNError,
                       match="GNN_CPU_OPTIMIZE: expected 0 or 1, got 'fast'"):
        tools.run_by_library("cpu")(program.function.module.text(), program.function.name,
                                    program.graphs, program.inputs)


def test_schedules_of_a_gpu(program, tmp_path):
    file = str(tmp_path / "schedules.jsonl")
    gnn_mlir.compile(program.function, target="emulator", save_schedules=file)
    with pytest.raises(gnn_mlir.GNNError, match="expected a field of #gnn_tile.core_schedule"):
        gnn_mlir.compile(program.function, target="cpu", schedules=file)


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


@pytest.mark.parametrize("subject", ["rgcn", "gat"])
def test_forms_that_are_stopped_at_are_those_of_the_cores(subject):
    """Not those of a GPU: the border at which a number goes wrong is searched in what
    runs."""
    program = cases.build(subject, "hub", 16, 1)

    def steps(form):
        function = gnn_mlir.compile(program.function, target="cpu", stop_at=form)
        return function.bind(program.graphs).report()["steps"]
    expected = [step["schedule"] for step in steps(None)]
    assert any("rows_per_block" in schedule for schedule in expected)
    assert not any("lanes" in schedule for schedule in expected)
    for form in "blocked", "loops":
        found = steps(form)
        assert [step["schedule"] for step in found] == expected
        assert not any(step["static_shared_bytes"] for step in found)
    assert len(steps("scheduled")) == len(expected)


@pytest.mark.parametrize("form", [None, "blocked"])
@pytest.mark.parametrize("case", [("gat", "rows-1000", 7, 3), ("rgcn", "hub", 33, 1),
                                  ("hgt", "rows-1000", 16, 1)], ids=name_of)
def test_any_number_of_threads_gives_the_same_bits(case, form):
    program = cases.build(*case)
    function, out = run(program, target="cpu", stop_at=form)
    steps = function.package.plan()["functions"][0]["steps"]
    assert any(step["grid"] != step["block"] for step in steps)
    for threads in 1, 2, 3, 7:
        binding = function.bind(program.graphs, gnn_mlir.capi.Device.cpu(threads))
        for _ in range(3):
            np.testing.assert_array_equal(binding(program.inputs), out)


def test_gradients_have_the_same_bits(program, monkeypatch):
    function, out = run(program, target="cpu", gradients=True)
    found = []
    for threads in 1, 2, 3, 7:
        monkeypatch.setitem(gnn_mlir.devices._DEVICES, "cpu",
                            gnn_mlir.capi.Device.cpu(threads))
        again = pickle.loads(pickle.dumps(function))  # Is bound to nothing.
        found.append(again.gradients(program.graphs, program.inputs, {
            function.output_names[0]: np.ones_like(out)}))
    for one in found[1:]:
        for name, gradient in one.items():
            np.testing.assert_array_equal(gradient, found[0][name])


def test_numbers_of_threads():
    with pytest.raises(gnn_mlir.GNNError, match="expected 0 to 1024 threads, got -1"):
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
