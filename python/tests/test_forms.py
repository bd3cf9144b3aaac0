# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forms of the compiler that are run without the passes behind them, and the CPU, against
float64.

Each of these with each model and op, graph and size, each case in each way with --all; both
without the data sets, whose kernels are those of the odd graphs.
GNN_TEST_STOP_AT=FORM and GNN_TEST_TARGET=cpu run all of test_numeric.py in one."""

import numpy as np
import pytest
from conftest import find_tool

import gnn_mlir
from support import cases, tools

pytestmark = pytest.mark.usefixtures("optimized")

FORMS = cases.FORMS

# Long rows, empty rows and types, heads, softmax, extremes, typed weights, in place.
CASES = [("gat", "hub", 7, 3), ("hgt", "rows-1000", 16, 3),
         ("rgcn", "rows-1000", 33, 1), ("gcn-two-layers", "hub", 1, 1),
         ("op-extremes", "rows-1000", 7, 1), ("op-spmm", "empty", 16, 1)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case)))
def test_case(case, form):
    cases.check(cases.build(*case), tools.run_by_library(checked=False, stop_at=form))


def pytest_generate_tests(metafunc):
    if "covered" in metafunc.fixturenames:
        found = cases.covering_ways()
        if metafunc.config.getoption("--all"):
            found = [{**case, "way": way} for case in found for way in cases.WAYS]
        metafunc.parametrize("covered", found, ids=lambda case: "-".join(
            map(str, case.values())))


def test_covering_set(covered):
    way = covered.pop("way")
    cases.check(cases.build(**covered), tools.run_by_library("cpu") if way == "cpu" else
                tools.run_by_library(checked=False, stop_at=way))


def test_kernels_are_of_one_thread():
    program = cases.build("gat", "rows-1000", 3, 1)
    for form in FORMS:
        plan = gnn_mlir.compile(program.function, stop_at=form).package.plan()
        function = plan["functions"][0]
        one = {"op": "const", "value": 1}
        for step in function["steps"]:
            sizes = {of: [function["exprs"][size] for size in step[of]]
                     for of in ("grid", "block")}
            assert sizes["block"] == 3 * [one], step
            if form in ("structured", "scheduled"):
                assert sizes["grid"] == 3 * [one], step


def test_forms_that_are_not_there():
    program = cases.build("gat", "rows-1000", 3, 1)
    with pytest.raises(ValueError, match="stop_at: expected one of kernels, structured, "
                                         "scheduled, blocked, loops, got 'tiled'"):
        gnn_mlir.compile(program.function, stop_at="tiled")
    with pytest.raises(ValueError, match="stop_at: expected a word, got 1"):
        gnn_mlir.compile(program.function, stop_at=1)


def test_structured_has_no_schedules():
    program = cases.build("gat", "rows-1000", 3, 1)
    with pytest.raises(ValueError, match="schedules: expected a form that has schedules, "
                                         "got stop-at=structured"):
        gnn_mlir.compile(program.function, stop_at="structured", schedules=[])


def test_printed_forms(tmp_path):
    """The output of each stage is run again, from there on, and gives the same; by
    its own form too, where that has loops of scalars."""
    tool = find_tool("gnn-run")
    program = cases.build("gat", "rows-1000", 7, 3)
    function = program.function

    def run(text, *options):
        made = tools.run_by_tool(tool, "--target=emulator", *options)
        return made(text, function.name, program.graphs, program.inputs)

    expected = run(function.module.text(), "--phases", tmp_path)
    printed = {file.name: file.read_text() for file in tmp_path.glob("*.mlir")}
    del printed["9-ptx.mlir"]  # A GPU's.
    assert len(printed) == 8
    ways = [(file, ()) for file in sorted(printed)]
    for file, form in (("2-tile.mlir", "scheduled"), ("3-schedule.mlir", "scheduled"),
                       ("4-block.mlir", "blocked"), ("5-loops.mlir", "loops")):
        ways.append((file, ("--stop-at", form)))
    for file, options in ways:
        found = run(printed[file], *options)
        assert found.keys() == expected.keys()
        for name, array in found.items():
            if options:
                np.testing.assert_allclose(array, expected[name], rtol=1e-4, atol=1e-5)
            else:
                np.testing.assert_array_equal(array, expected[name], file)
    # A library goes on from there too.
    binding = gnn_mlir.compile(printed["5-loops.mlir"], function.name,
                               target="emulator").bind(program.graphs)
    out = binding(program.inputs)
    np.testing.assert_array_equal(out, expected[binding.outputs[0].name])
    with pytest.raises(AssertionError, match="stop-at: expected a form that the module is "
                                             "not past, got 'blocked' and a module of the "
                                             "form 'loops'"):
        run(printed["5-loops.mlir"], "--stop-at", "blocked")
    # Memory is planned otherwise for a form of structured templates.
    with pytest.raises(ValueError, match="stop_at: expected a form that the module is not "
                                         "past, got 'structured' and a module of the form "
                                         "'buffers'"):
        gnn_mlir.compile(printed["3-schedule.mlir"], function.name, target="emulator",
                         stop_at="structured")
    with pytest.raises(ValueError, match="^passes: expected a switch of a stage that the "
                                         "module is not past, got 'fuse' of the stage "
                                         "'tile' and a module of the form 'buffers'$"):
        gnn_mlir.compile(printed["3-schedule.mlir"], function.name, target="emulator",
                         passes={"fuse": False})
    # It was decided for a GPU.
    with pytest.raises(ValueError, match="^target: expected cuda, NVIDIA H200 SXM, which the "
                                         "module is for, got cpu$"):
        gnn_mlir.compile(printed["3-schedule.mlir"], function.name, target="cpu")
