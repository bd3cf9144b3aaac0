# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules decide how kernels are laid out, and never what they compute: all that are
listed compile and give the numbers of the reference, through files and in Python."""

import json
import os
import pathlib
import random
import re
import shutil
import subprocess

import numpy as np
import pytest

import gnn_mlir
import schedule_fields
from conftest import find_tool
from gnn_mlir import Graph, compiler_capi, models
from support import cases
from support.schedules import by_kernel, draw, kernel_of, text_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = os.environ.get("GNN_TEST_TARGET", "emulator")
# Each draws a schedule for every kernel.
DRAWS = 40 if TARGET == "cuda" else 3
PROGRAMS = [("rgcn", "rows-1000", 33, 1), ("gat", "hub", 16, 3), ("rgat", "rows-33", 64, 1),
            ("sage-max", "rows-31", 100, 1), ("gatv2", "empty-types", 7, 3)]


def as_listed(schedule, lines):
    """Without what a pass has chosen by what is listed: no listing says `runs`, and some lines of
    products leave `max_registers` open."""
    schedule, listed = re.sub(", runs = [0-9]+", "", schedule), map(text_of, lines)
    return schedule if schedule in listed else re.sub(", max_registers = [0-9]+", "", schedule)


@pytest.mark.parametrize("subject, graph, features, heads", PROGRAMS)
def test_each_gives_the_numbers(compiler, subject, graph, features, heads):
    program = cases.build(subject, graph, features, heads)
    legal = gnn_mlir.list_schedules(program.function, target=TARGET)
    assert len(legal) > 1000
    kernels, rng = by_kernel(legal), random.Random(f"{subject} {features}")

    def run(text, function, graphs, inputs):
        del text
        chosen = draw(kernels, rng)
        compiled = gnn_mlir.compile(program.function, function, target=TARGET,
                                    schedules=chosen)
        steps = compiled.package.plan()["functions"][0]["steps"]
        for line in chosen:
            assert text_of(line) in [as_listed(step["schedule"], chosen) for step in steps]
        binding = compiled.bind(graphs, None if TARGET == "emulator" else TARGET)
        out = binding(inputs)
        return out if isinstance(out, dict) else {binding.outputs[0].name: out}

    for _ in range(DRAWS):
        cases.check(program, run)


def test_layout_is_what_the_kernel_takes(compiler, unchecked):
    """Threads and shared memory of a report are those that were listed."""
    graph = Graph([0, 1, 2], [1, 2, 0], 3, edge_type=[0, 1, 0], num_edge_types=2)
    model = models.rgat(2, (64, 32))
    kernels = by_kernel(gnn_mlir.list_schedules(model, target="emulator"))
    rng = random.Random(5)
    for _ in range(4):
        chosen = draw(kernels, rng)
        steps = gnn_mlir.compile(model, target="emulator", schedules=chosen).bind(
            graph).report()["steps"]
        # Products of one schedule, but of several depths, are laid out differently.
        layouts = {(text_of(line), line["layout"]["threads"], line["layout"]["shared_bytes"])
                   for line in chosen}
        assert {(as_listed(step["schedule"], chosen), step["block"][0],
                 step["static_shared_bytes"]) for step in steps} == layouts
        assert all(step["block"][1:] == [1, 1] for step in steps)


def test_vary(compiler):
    model = models.rgcn(3, (64, 64))
    chosen = {kernel_of(line): line["schedule"]
              for line in gnn_mlir.list_schedules(model, vary=["in_flight"], target="cuda")
              if line["schedule"].get("in_flight", 4) == 4}
    lines = gnn_mlir.list_schedules(model, vary=["in_flight", "n"], target="cuda")
    for line in lines:
        rest = {k: v for k, v in line["schedule"].items()
                if k not in ("in_flight", "n")}
        assert rest.items() <= chosen[kernel_of(line)].items()
    found = {line["schedule"].get("in_flight") for line in lines}
    assert found == {None, 1, 2, 4, 8, 16, 32}
    with pytest.raises(gnn_mlir.GNNError, match="vary: expected fields .* got 'depth'"):
        gnn_mlir.list_schedules(model, vary="depth")
    with pytest.raises(gnn_mlir.GNNError, match="vary: expected fields .* got ''"):
        compiler_capi.schedules_text(model.text(), "m.mlir", vary=["", ""])
    with pytest.raises(ValueError, match="filters: expected registers, .* got ''"):
        gnn_mlir.list_schedules(model, filters=["registers,"])


@pytest.mark.parametrize("target, chip", [
    ("cpu", None), ("emulator", None), ("cuda", "sm_75"),
    pytest.param(None, None, marks=pytest.mark.slow)])
def test_each_that_is_listed_compiles(compiler, target, chip):
    """For the target that it is listed for: every value of each field."""
    model, where = models.gat((64, 40), 2), {"target": target, "chip": chip}
    where["gradients"] = target != "cuda"  # Whose kernels take longer to compile.
    kernels = {}  # Each different line once: what is chosen is listed for each field.
    chosen = gnn_mlir.list_schedules(model, vary=["n"], **where)
    has_lanes = any("lanes" in line["schedule"] for line in chosen)
    assert has_lanes or target in ("cpu", None)
    fields = schedule_fields.read()
    of_cores = {field.name for field in fields if field.core != "none"}  # or of products
    for field in fields:
        if not has_lanes and field.name not in of_cores:
            with pytest.raises(gnn_mlir.GNNError,
                               match=f"vary: expected fields .*'{field.name}'"):
                gnn_mlir.list_schedules(model, vary=[field.name], **where)
            continue
        found = by_kernel(gnn_mlir.list_schedules(model, vary=[field.name], **where))
        assert found
        for kernel, lines in found.items():
            kernels.setdefault(kernel, {}).update((json.dumps(line), line) for line in lines)
    kernels = [list(lines.values()) for lines in kernels.values()]
    for number in range(max(map(len, kernels))):
        lines = [lines[min(number, len(lines) - 1)] for lines in kernels]
        gnn_mlir.compile(model, schedules=lines, **where)


def test_what_is_listed_for_the_target(compiler):
    """All fields are open, and some have one value there."""
    model = models.gcn((64, 64))
    cores = gnn_mlir.list_schedules(model, target="cpu")
    assert not any("row_walk" in line["schedule"] for line in cores)
    assert {line["schedule"].get("kind") for line in cores} == {None, "ffma"}
    assert {line["schedule"].get("copies") for line in cores} == {None, "registers"}
    assert max(line["schedule"].get("vector", 0) for line in cores) == 16
    old = gnn_mlir.list_schedules(model, target="cuda", chip="sm_75", vary=["kind", "copies"])
    assert {line["schedule"].get("kind") for line in old} == {None, "ffma"}
    new = gnn_mlir.list_schedules(model, target="cuda", chip="sm_90", vary=["kind", "copies"])
    assert {line["schedule"].get("kind") for line in new} == {None, "ffma", "tf32x3"}
    assert {line["schedule"].get("row_walk") for line in new} > {None, "by_length"}


def test_errors(compiler, tmp_path):
    model = models.gcn((8, 4))
    for wrong in (3, [3], {}, {"function": "gcn"}, iter([{}]), b"gone.jsonl"):
        with pytest.raises(ValueError, match="schedules: expected a path or a list of dicts, got"):
            gnn_mlir.compile(model, schedules=wrong)
    for path in (3, ""):
        with pytest.raises(ValueError, match="save_schedules: expected a path, got"):
            gnn_mlir.compile(model, save_schedules=path)
    for vary in (3, [3], None, ["a,b"], "\ud800"):
        with pytest.raises(ValueError, match="vary: expected names of fields, got"):
            gnn_mlir.list_schedules(model, vary=vary)
    with pytest.raises(ValueError, match="expected a module with ops that "):
        gnn_mlir.compile("module {}", schedules=[])
    with pytest.raises(FileNotFoundError, match=r"gone\.jsonl"):
        gnn_mlir.compile(model, schedules=tmp_path / "gone.jsonl")
    for option, path in (("schedules", "a\0b"), ("schedule_rule", "ranked:a\0b")):
        with pytest.raises(ValueError,
                           match=f"^{option}: expected a path without null characters, got"):
            gnn_mlir.compile(model, **{option: path})
    line = gnn_mlir.list_schedules(model, vary=["n"])[0]
    line["function"] = "other"
    with pytest.raises(gnn_mlir.CompileError,
                       match="unused: the module has no template in a function 'other'"):
        gnn_mlir.compile(model, schedules=[line])
    gnn_mlir.compile(model, schedules=[line], allow_unused_schedules=True)


def test_reproducer_has_the_schedules(compiler, gnn_opt, tmp_path):
    """The schedules of a list are at its end, for a file of the name that it uses."""
    model = models.gcn((8, 4))
    line = next(line for line in gnn_mlir.list_schedules(model, vary=["n"])
                if line["template"] == "gemm")
    line["schedule"]["n"] = 17
    with pytest.raises(gnn_mlir.CompileError) as caught:
        gnn_mlir.compile(model, schedules=[line], save_schedules=tmp_path / "saved")
    error = caught.value
    assert error.diagnostics[0].startswith(
        "schedules.jsonl:1:1: schedule: expected 'n' in {16, 32, 64}")
    (tmp_path / "program.mlir").write_text(error.reproducer)
    comments = error.reproducer.split("// schedules.jsonl:\n")[1]
    (tmp_path / "schedules.jsonl").write_text(re.sub("^// ", "", comments, flags=re.M))
    repeated = subprocess.run([gnn_opt, "--run-reproducer", "program.mlir"], cwd=tmp_path,
                              capture_output=True, text=True, check=False)
    assert "expected 'n' in {16, 32, 64}, got 17" in repeated.stderr
    assert not (tmp_path / "saved").exists()


def test_saved_is_what_was_chosen(compiler, tmp_path):
    model = models.gat((8, 4), 2)
    plain = gnn_mlir.compile(model, target="cuda", chip="sm_90",
                             save_schedules=tmp_path / "a.jsonl")
    again = gnn_mlir.compile(model, target="cuda", chip="sm_90",
                             schedules=tmp_path / "a.jsonl",
                             save_schedules=tmp_path / "b.jsonl")
    assert plain.ptx() == again.ptx()
    assert (tmp_path / "a.jsonl").read_text() == (tmp_path / "b.jsonl").read_text()


def test_command_of_the_page(compiler, tmp_path):
    """The file that docs/Schedules.md shows changes kernels, report and PTX."""
    tool = find_tool("gnn-run")
    if tool is None:
        pytest.skip("gnn-run is not built")
    rng = np.random.default_rng(3)
    Graph(*rng.integers(0, 20, (2, 90)), 20, num_edge_types=3,
          edge_type=rng.integers(0, 3, 90)).save(tmp_path / "g.npz")

    def run(name, *options):
        folder = tmp_path / name
        subprocess.run(
            [tool, ROOT / "examples/rgcn.mlir", "--function", "rgcn", "--graph",
             tmp_path / "g.npz", "--weights", "random:1", "--target=emulator", "--phases", folder,
             f"--report={folder}.json", "--output", folder, *options], check=True)
        out, = (np.load(p) for p in folder.glob("*.npy"))
        steps = json.loads((tmp_path / f"{name}.json").read_text())["steps"]
        return steps, (folder / "kernels.ptx").read_text(), out

    before, plain, expected = run("plain")
    after, ptx, out = run("own", "--schedules", ROOT / "examples/rgcn.schedules.jsonl")
    assert plain != ptx
    assert [s["schedule"] for s in before][0] == "n = 64, kind = tf32x3, copies = async"
    assert [s["schedule"] for s in after][0] == "n = 32, kind = tf32x3, copies = async"
    assert before[-1]["block"] == [256, 1, 1] and after[-1]["block"] == [128, 1, 1]
    assert "in_flight = 8" in after[-1]["schedule"]
    assert re.search("schedule.*n = 32", ptx) and not re.search("schedule.*n = 32", plain)
    assert np.allclose(out, expected, rtol=1e-5, atol=1e-5)


def test_registers_are_estimated(compiler, tmp_path):
    """Within a factor of 2 of what ptxas takes, where it takes no bound."""
    ptxas = shutil.which("ptxas")
    if ptxas is None:
        pytest.skip("there is no ptxas")
    model = models.gcn((64, 64))
    lines = [line for line in gnn_mlir.list_schedules(model, target="cuda", chip="sm_90",
                                                      vary=["in_flight", "vector"])
             if line["template"] == "traverse" and "edge" in line["domain"]]
    assert len(lines) > 8
    for line in lines:
        compiled = gnn_mlir.compile(model, target="cuda", chip="sm_90", schedules=[line])
        (tmp_path / "kernels.ptx").write_text(compiled.ptx())
        said = subprocess.run([ptxas, "-v", "-arch=sm_90", tmp_path / "kernels.ptx",
                               "-o", "/dev/null"], check=True, text=True,
                              capture_output=True).stderr
        kernels = dict(re.findall(r"entry function '(\w+)'.*?Used (\d+) registers", said,
                                  re.S))
        name, = (step["kernel"] for step in
                 compiled.package.plan()["functions"][0]["steps"]
                 if step["schedule"] == text_of(line))
        taken = int(kernels[name])
        assert taken / 2 <= line["layout"]["registers"] <= taken * 2
