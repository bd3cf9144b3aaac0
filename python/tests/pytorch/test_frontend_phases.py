# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The phases and the PTX of what a captured model runs: a folder for each program."""

import re

import pytest

torch = pytest.importorskip("torch")
pyg = pytest.importorskip("torch_geometric.nn")

import gnn_mlir  # noqa: E402
import zoo  # noqa: E402
from gnn_mlir import models  # noqa: E402
from test_frontend_report import EDGES, Split, X  # noqa: E402

STAGES = ["1-graph.mlir", "2-tile.mlir", "3-schedule.mlir", "4-block.mlir", "5-loops.mlir",
          "6-lanes.mlir", "7-gpu.mlir", "8-math.mlir"]

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def kernels_of(ptx):
    return re.findall(r"^\.visible \.entry (\w+)\(", ptx, re.M)


def train_and_evaluate(model):
    model(X, EDGES).sum().backward()
    with torch.no_grad():
        model.eval()(X, EDGES)
    return [program for one in model.captures.report() for program in one.programs]


def packages():
    return [call.function.package.kernels("mlir") for outer in gnn_mlir.pytorch.frontend.capture._made
            for call in outer.calls]


def test_a_folder_for_each_program(tmp_path, monkeypatch):
    """By the folder that was the current one when the model was compiled; what runs is what
    runs without."""
    monkeypatch.chdir(tmp_path)
    split = Split()
    model = gnn_mlir.compile(split, target="cpu", keep_phases="out")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    programs = train_and_evaluate(model)
    made = packages()
    out = tmp_path / "out"
    assert files(out) == [f"graph{graph}-program{program}-{passes}" for graph, passes in (
        (1, "forward-backward"), (2, "without-gradients")) for program in (1, 2)]
    for folder, program in zip(sorted(out.iterdir()), programs):
        assert files(folder) == [*STAGES, "program.mlir"]
        assert (folder / "program.mlir").read_text() == program.text
        text = (folder / "7-gpu.mlir").read_text()
        names = {name for names in program.kernels.values() for name in names}
        assert names == set(re.findall(r"gpu\.func @(\w+)\(", text))
    torch._dynamo.reset()
    other = gnn_mlir.compile(split.train(), target="cpu")
    train_and_evaluate(other)
    assert len(made) == 4 and made == packages()[-4:]


def test_ptx_of_a_model_without_a_gpu(tmp_path):
    """A chip alone runs in the emulator; for CUDA the first program is compiled, then there is
    an error."""
    model = gnn_mlir.compile(Split(), chip="sm_90", keep_phases=tmp_path / "chip")
    programs = train_and_evaluate(model)
    for folder, program in zip(sorted((tmp_path / "chip").iterdir()), programs):
        ptx = (folder / "kernels.ptx").read_text()
        assert ".target sm_90\n" in ptx
        assert sorted(kernels_of(ptx)) == sorted({
            name for names in program.kernels.values() for name in names})
    assert len(files(tmp_path / "chip")) == 4
    torch._dynamo.reset()
    model = gnn_mlir.compile(Split(), target="cuda", chip="sm_90", keep_phases=tmp_path / "cuda")
    with pytest.raises(gnn_mlir.GNNError, match="expected inputs on a GPU"):
        model(X, EDGES)
    one = "graph1-program1-forward-backward"
    assert files(tmp_path / "cuda") == [one]
    assert [(tmp_path / target / one / "kernels.ptx").read_text() for target in (
        "cuda", "chip")] == [(tmp_path / "chip" / one / "kernels.ptx").read_text()] * 2


def test_what_is_compiled_later(tmp_path):
    """Gradients of other inputs, and calls without gradients, have folders within."""
    first, last = pyg.SAGEConv(8, 4), pyg.GCNConv(4, 4)

    @gnn_mlir.compile(keep_phases=tmp_path / "model")
    def both(x, edge_index):
        h = first(x, edge_index)
        return h, last(h, edge_index)
    both(X, EDGES)[1].sum().backward()
    folder, = (tmp_path / "model").iterdir()
    assert files(folder) == [*STAGES, "forward-backward-2", "program.mlir"]
    assert files(folder / "forward-backward-2") == STAGES
    layer = gnn_mlir.compile(models.sage((4, 4)), target="emulator", gradients=["x", "weight"],
                             passes={"calls": False}, keep_phases=tmp_path / "program")
    graph = gnn_mlir.Graph([0, 1], [1, 2], 3)
    inputs = layer.source.random_inputs(graph)
    layer.forward(graph, inputs, ["weight"])
    layer(graph, inputs)
    assert files(tmp_path / "program") == [*STAGES, "forward-backward-2", "without-gradients"]
    for name in "forward-backward-2", "without-gradients":
        assert files(tmp_path / "program" / name) == STAGES


def test_by_torch_compile_and_bad_paths(tmp_path):
    torch.compile(pyg.SAGEConv(8, 4), backend="gnn_mlir", options={
        "keep_phases": tmp_path})(X, EDGES)
    folder, = tmp_path.glob("graph*-program1-forward-backward")
    assert files(folder) == [*STAGES, "program.mlir"]
    with pytest.raises(ValueError, match="^keep_phases: expected a path, got 3$"):
        gnn_mlir.compile(Split(), keep_phases=3)
