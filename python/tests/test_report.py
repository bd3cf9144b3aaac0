# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lines of --report on each launch, as a table and as JSON."""

import json
import os
import re
import shutil
import subprocess

import numpy as np
import pytest

import gnn_mlir
from conftest import find_tool
from gnn_mlir import Graph, models
from gnn_mlir.compiler import CompiledFunction

PTXAS = """#!/bin/sh
test "$1" = -v || exit 3
echo "$2" > {folder}/chip
echo "{refusal}" >&2; test -z "{refusal}" || exit 1
for kernel in $(sed -n 's/^.visible .entry \\(.*\\)($/\\1/p' "$5"); do
  echo "ptxas info    : Compiling entry function '$kernel' for 'sm_80'" >&2
  echo "    24 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads" >&2
  echo "ptxas info    : Used 77 registers, used 1 barriers, 640 bytes smem" >&2
done
"""


@pytest.fixture(name="files", scope="module")
def files_fixture(compiler, tmp_path_factory):
    del compiler  # skips where nothing is built
    folder = tmp_path_factory.mktemp("report")
    rng = np.random.default_rng(3)
    Graph(*rng.integers(0, 20, (2, 90)), 20, num_edge_types=3,
          edge_type=rng.integers(0, 3, 90)).save(folder / "g.npz")
    (folder / "rgcn.mlir").write_text(models.rgcn(3, (8, 4)).text())
    return folder


def run(folder, *options, path):
    """Runs with `path` as PATH, which decides whether there is a ptxas."""
    tool = find_tool("gnn-run")
    if tool is None:
        pytest.skip("gnn-run is not built")
    result = subprocess.run(
        [tool, "rgcn.mlir", "--function", "rgcn", "--graph", "g.npz", "--weights",
         "random:1", "--target=emulator", *options], cwd=folder, text=True, capture_output=True,
        timeout=120, check=False, env={**os.environ, "PATH": str(path)})
    assert result.returncode == 0, result.stderr
    return result.stdout, result.stderr


def add_ptxas(folder, refusal=""):
    """A ptxas that says the same of every kernel."""
    folder.mkdir()
    for tool in ("sed", "sh"):
        (folder / tool).symlink_to(shutil.which(tool))
    program = folder / "ptxas"
    program.write_text(PTXAS.format(folder=folder, refusal=refusal))
    program.chmod(0o755)
    return folder


def table(text):
    """The rows of the table by kernel, as dicts by column, and their notes."""
    lines = text[text.index("kernel  "):].splitlines()
    names = [n.strip() for n in lines[0].split("  ") if n.strip()]
    rows, notes = {}, {}
    for line in lines[1:]:
        if line.startswith("    "):
            notes[list(rows)[-1]] = line.strip()
        elif line.startswith("rgcn_"):
            rows[line.split()[0]] = dict(zip(names, line.split()))
    return rows, notes


def test_table_and_json(files, tmp_path):
    out, _ = run(files, "--report", path=tmp_path)
    rows, notes = table(out)
    path = tmp_path / "report.json"
    plain, _ = run(files, f"--report={path}", path=tmp_path)
    assert plain in out and "kernel" not in plain
    report = json.loads(path.read_text())
    assert [s["kernel"] for s in report["steps"]] == list(rows)
    for step in report["steps"]:
        row = rows[step["kernel"]]
        grid = [int(n) for n in row["grid"].split("x")]
        assert step["grid"] == grid + [1] * (3 - len(grid))
        assert int(row["block"]) == step["block"][0] > 0
        assert int(row["shared B"]) == step["shared_bytes"] + step["static_shared_bytes"]
        assert int(row["read B"]) == step["bytes_read"] > 0
        assert row["registers"] == row["spilled B"] == row["time ms"] == "-"
        assert not {"registers", "local_bytes", "milliseconds"} & set(step)
        assert notes[step["kernel"]] == "; ".join(
            [", ".join(step["ops"]), step["schedule"]])
    # Kernels are called for ops of the model, and lead to their lines.
    text = (files / "rgcn.mlir").read_text().splitlines()
    for step in report["steps"]:
        names, places = zip(*(op.split(" at ") for op in step["ops"]))
        assert any(name in step["kernel"] for name in names)
        lines = [text[int(place.split(":")[1]) - 1] for place in places]
        assert all(re.search(r" = (gnn|arith)\.", line) for line in lines)


def test_what_runs_at_once():
    """Gradients of a weight and of the features do not wait for each other, and
    the order given is that of the kernels' memory."""
    rng = np.random.default_rng(0)
    graph = Graph(rng.integers(0, 30, 90), rng.integers(0, 30, 90), 30)
    layer = gnn_mlir.compile(models.sage((8, 8)), target="emulator", gradients=True)
    backward = CompiledFunction(layer.package, "sage_backward")
    steps = backward.bind(graph).report()["steps"]
    led = []
    for number, step in enumerate(steps):
        assert step["after"] == sorted(set(step["after"]))
        assert all(0 <= other < number for other in step["after"])
        led.append(set(step["after"]).union(*(led[i] for i in step["after"])))
    assert any(i not in led[number] for number in range(len(steps))
               for i in range(number))
    assert any(led)


def test_registers_by_ptxas(files, tmp_path):
    tools = add_ptxas(tmp_path / "tools")
    rows, _ = table(run(files, "--report", "--chip=sm_80", path=tools)[0])
    assert rows and (tools / "chip").read_text() == "-arch=sm_80\n"
    for row in rows.values():
        assert (row["registers"], row["spilled B"], row["shared B"]) == ("77", "24", "640")


def test_ptxas_that_refuses(files, tmp_path):
    tools = add_ptxas(tmp_path / "tools", "no such arch")
    out, err = run(files, "--report", path=tools)
    assert "warning: ptxas: no such arch" in err
    assert all(row["registers"] == "-" for row in table(out)[0].values())


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="no ptxas")
def test_registers_by_the_real_ptxas(files):
    rows, _ = table(run(files, "--report", path=os.environ["PATH"])[0])
    for row in rows.values():
        assert 8 <= int(row["registers"]) <= 255
        assert row["spilled B"] == "0"


def test_file_that_cannot_be_written(files, tmp_path):
    tool = find_tool("gnn-run")
    result = subprocess.run(
        [tool, "rgcn.mlir", "--function", "rgcn", "--graph", "g.npz", "--weights",
         "random:1", f"--report={tmp_path}/none/report.json"], cwd=files, text=True,
        capture_output=True, timeout=120, check=False)
    assert result.returncode == 1
    assert "none/report.json" in result.stderr


def test_by_python(files):
    graph = Graph.load(files / "g.npz")
    compiled = gnn_mlir.compile(models.rgcn(3, (8, 4)), target="emulator")
    steps = compiled.bind(graph).report()["steps"]
    assert steps and all(s["ops"] and s["kernel"].startswith("rgcn_") for s in steps)
    assert all(s["static_shared_bytes"] >= 0 for s in steps)
