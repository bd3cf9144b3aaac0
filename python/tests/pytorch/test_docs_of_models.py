# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python of pages that captures models of torch, or takes tensors."""

import re

import pytest

pytest.importorskip("torch_geometric")

from gnn_mlir.pytorch import pyg  # noqa: E402
from test_docs import ROOT, blocks  # noqa: E402


def test_model_of_readme(compiler, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    model, = blocks("README.md", "python")
    names = {}
    exec(compile(model, "README.md", "exec"), names)  # pylint: disable=exec-used
    expected = names["model"]._orig_mod(names["x"], names["edges"]).square().mean()
    assert abs(expected.item() - names["loss"].item()) < 1e-5
    printed = re.search(r"^print\(.*\)  # (.*)$", model, re.M)[1]
    assert capsys.readouterr().out.strip() == printed


@pytest.mark.parametrize("page", ["docs/Python.md", "docs/Serving.md", "docs/Wheel.md",
                                  "docs/TenMinutes.md", "docs/MiniBatches.md",
                                  "docs/YourOwnLayer.md"])
def test_sessions(compiler, tmp_path, monkeypatch, capsys, page):
    """All pieces of such a page run one after the other, and print what the
    comments behind `print` say."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for i, piece in enumerate(blocks(page, "python")):
        exec(compile(piece, f"piece {i} of {page}", "exec"), names)
        printed = re.findall(r"^ *print\(.*\)  # (.*)$", piece, re.M)
        assert capsys.readouterr().out.splitlines() == printed


@pytest.mark.parametrize("page", ["docs/Frontend.md", "docs/Debugging.md"])
def test_python_of_a_page(compiler, tmp_path, monkeypatch, capsys, page):
    monkeypatch.chdir(tmp_path)
    for piece in blocks(page, "python"):
        exec(compile(piece, page, "exec"), {})  # pylint: disable=exec-used
        printed = re.findall(r"^print\(.*\)  # (.*)$", piece, re.M)
        assert capsys.readouterr().out.splitlines() == printed and printed[-1] == "True"


def test_report_of_a_layer(compiler, tmp_path, monkeypatch):
    """The report that YourOwnLayer.md shows is that of its layer."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for piece in blocks("docs/YourOwnLayer.md", "python")[:2]:
        exec(compile(piece, "YourOwnLayer.md", "exec"), names)
    assert names["report"] in (shown.rstrip("\n")
                               for shown in blocks("docs/YourOwnLayer.md", "text"))


def test_python_of_tuning(compiler, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GNN_MLIR_CACHE", str(tmp_path / "cache"))
    model, files, program = blocks("docs/Tuning.md", "python")
    exec(compile(model, "docs/Tuning.md", "exec"), {})  # pylint: disable=exec-used
    assert re.fullmatch(r" ms chosen +ms tuned +ratio +measured +dropped +template",
                        capsys.readouterr().out.splitlines()[0])
    exec(compile(files, "docs/Tuning.md", "exec"), {})  # pylint: disable=exec-used
    assert (tmp_path / "graph.npz").exists() and (tmp_path / "rgcn.mlir").exists()
    exec(compile(program, "docs/Tuning.md", "exec"), {})  # pylint: disable=exec-used
    assert (tmp_path / "found.jsonl").exists()


def test_python_page_has_every_layer():
    text = (ROOT / "docs/Python.md").read_text()
    listed = re.findall(r"^\| (`\w+Conv`.*?) \| (`.*?) \| (.*) \|$", text, re.M)
    options = {name: cells[2] for cells in listed
               for name in re.findall(r"`(\w+)`", cells[0])}
    assert set(options) == {n for n in pyg._LAYERS if n.endswith("Conv")}
    for name, cell in options.items():
        if name == "GATv2Conv":
            cell += options["GATConv"]
        layer = pyg._LAYERS[name]
        for option in layer.same.values():
            assert f"`{option}`" in cell, (name, option)
        for option in re.findall(r"`(\w+)`", cell):
            assert option in (*layer.same.values(), *layer.shown, *layer.free)
