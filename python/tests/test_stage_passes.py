# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes at the beginning and the end of stages (docs/Plugins.md); test_plugins.py has
those of plugins."""

import subprocess

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import models
from support.graphs import random_graph

# The form of the program at each point.
POINTS = {
    "graph-begin": "tensors", "graph-end": "tensors",
    "tile-begin": "tensors", "tile-end": "buffers",
    "schedule-begin": "buffers", "schedule-end": "buffers",
    "block-begin": "buffers", "block-end": "blocked",
    "loops-begin": "blocked", "loops-end": "loops",
    "lanes-begin": "loops", "lanes-end": "lanes",
    "gpu-begin": "lanes", "gpu-end": "kernels",
    "math-begin": "kernels", "math-end": "kernels",
    "ptx-begin": "kernels", "ptx-end": "binaries",
    "after-schedule": "buffers", "after-blocked": "blocked", "after-loops": "loops",
}


@pytest.fixture
def program():
    return models.gcn((5, 3), self_loops=False).functions["gcn"]


@pytest.mark.parametrize("point, form", POINTS.items())
def test_passes_run_where_they_are_asked_for(compiler, gnn_opt, program, tmp_path,
                                             point, form):
    def compile_with(wanted):
        return gnn_mlir.compile(program, chip="sm_90", stage_passes={
            point: f"cse,gnn-verify-form{{form={wanted} has-math=true}}"})

    assert compile_with(form).ptx()
    wrong = "kernels" if form == "tensors" else "tensors"
    with pytest.raises(gnn_mlir.CompileError, match="expected .*, got '") as info:
        compile_with(wrong)
    # A reproducer has the passes at the same point, and so fails there.
    repeat = tmp_path / "repeat.mlir"
    repeat.write_text(info.value.reproducer)
    again = subprocess.run([gnn_opt, "--run-reproducer", repeat],
                           capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert info.value.diagnostics[0].split(": ", 1)[1] in again.stderr


def test_points_of_forms(compiler, program, tmp_path):
    """Schedules are complete and not yet saved; a form that is run by itself has what
    passes did to it, and none behind it runs."""
    file = tmp_path / "schedules.jsonl"
    gnn_mlir.compile(program, target="emulator", save_schedules=file)
    narrow = tmp_path / "narrow.jsonl"
    narrow.write_text(file.read_text().replace('"in_flight":4', '"in_flight":2'))
    assert narrow.read_text() != file.read_text()
    saved = tmp_path / "saved.jsonl"
    with pytest.raises(gnn_mlir.CompileError, match="expected 'in_flight' = 4, which the "
                                                    "template has, got 2"):
        gnn_mlir.compile(program, target="emulator", save_schedules=saved, stage_passes={
            "after-schedule": f"gnn-tile-apply-schedules{{file={narrow}}}"})
    assert not saved.exists()

    def compile_at(form, point):
        return gnn_mlir.compile(program, stop_at=form, target="emulator",
                                stage_passes={point: "cse"})

    for form, point in (("scheduled", "after-schedule"), ("blocked", "after-blocked"),
                        ("loops", "after-loops")):
        compile_at(form, point)
    for form, point in (("structured", "after-schedule"), ("scheduled", "after-blocked"),
                        ("blocked", "after-loops")):
        with pytest.raises(ValueError, match="stage_passes: expected a stage that runs on "
                                             f"this module, got '{point}'"):
            compile_at(form, point)


def test_what_is_computed_stays(compiler, program):
    graph = random_graph(40, 200, 1, 1, seed=1)
    plain = gnn_mlir.compile(program, target="emulator")
    points = {point: "cse" for point in POINTS if not point.startswith("ptx")}
    cleaned = gnn_mlir.compile(program, target="emulator", stage_passes=points)
    inputs = program.random_inputs(graph, seed=2)
    np.testing.assert_array_equal(cleaned(graph, inputs), plain(graph, inputs))


def test_an_explanation_has_the_passes_of_stages(compiler):
    rgcn = models.rgcn(2, (16, 16))

    def explain_with(**options):
        return gnn_mlir.explain(rgcn, passes={"compact": False}, **options)

    text = explain_with(stage_passes={"graph-begin": "func.func(gnn-compact)"})
    assert "  gnn-compact at " in text and "  gnn-compact at " not in explain_with()
    before, after = text.split("\n\n")[1:3]
    assert before == explain_with().split("\n\n")[1]
    assert "after" in after and after != explain_with().split("\n\n")[2]
    with pytest.raises(ValueError, match="^stage_passes: expected POINT=PASSES with a "):
        explain_with(stage_passes={"graph-middle": "cse"})


@pytest.mark.parametrize("point", POINTS)
def test_a_pass_that_fails_is_an_error_of_an_explanation(compiler, program, point):
    def explain_with(passes):
        return gnn_mlir.explain(program, target="cpu", stage_passes={point: passes})

    if point.startswith("ptx"):
        with pytest.raises(ValueError, match="^stage_passes: expected a stage that runs on this "
                                             f"module, got '{point}' without a GPU"):
            explain_with("cse")
        return
    if point.startswith("math"):
        with pytest.raises(gnn_mlir.GNNError, match="stage-passes: expected a stage that leads to "
                                                    f"kernels, which are explained, got '{point}'"):
            explain_with("cse")
        return
    assert "no kernels" not in explain_with("cse")
    with pytest.raises(gnn_mlir.GNNError, match="cannot open '?/nonexistent"):
        explain_with("gnn-tile-apply-schedules{file=/nonexistent}")
