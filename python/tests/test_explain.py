# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of --explain is whole: tags match, nothing is fetched, and in the
pictures every node is in its place."""

import re
import subprocess
from html.parser import HTMLParser

import numpy as np
import pytest

import gnn_mlir
from conftest import find_tool
from gnn_mlir import Graph, models

VOID = ("meta", "path", "rect")  # those of SVG end in />


class Page(HTMLParser):
    """What is in a page; fails where tags do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.pictures, self.attributes = [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.attributes += attrs
        if tag == "svg":
            self.pictures.append({"svg": [dict(attrs)], "rect": [], "path": []})
        elif tag in ("rect", "path"):
            self.pictures[-1][tag].append(dict(attrs))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert tag in VOID
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(name="files", scope="module")
def files_fixture(gnn_opt, tmp_path_factory):
    """A folder with models and a graph."""
    del gnn_opt  # skips where nothing is built
    folder = tmp_path_factory.mktemp("explain")
    rng = np.random.default_rng(3)
    Graph(*rng.integers(0, 20, (2, 90)), 20, num_edge_types=3,
          edge_type=rng.integers(0, 3, 90)).save(folder / "g.npz")
    for name, module in (("rgcn", models.rgcn(3, (8, 8, 4))),
                         ("rgat", models.rgat(3, (8, 4)))):
        (folder / f"{name}.mlir").write_text(module.text())
    return folder


def run(folder, name, *options):
    tool = find_tool("gnn-run")
    if tool is None:
        pytest.skip("gnn-run is not built")
    result = subprocess.run(
        [tool, f"{name}.mlir", "--function", name, "--graph", "g.npz", "--weights",
         "random:1", *options], cwd=folder, text=True, capture_output=True,
        timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("name", ["rgcn", "rgat"])
def test_page(files, name):
    plain = run(files, name)
    assert run(files, name, f"--explain={name}.html") == plain
    text = (files / f"{name}.html").read_text()
    page = Page(text)
    assert set(re.findall(r"https?://[^\"]*", text)) == {
        "http://www.w3.org/2000/svg"}
    assert not {"src", "href"} & {key for key, _ in page.attributes}
    assert len(page.pictures) == 2
    for picture in page.pictures:
        check_picture(picture)


def check_picture(picture):
    """Boxes are inside and apart, and edges go down from box to box."""
    size = picture["svg"][0]
    boxes = [[int(r[k]) for k in ("x", "y", "width", "height")]
             for r in picture["rect"]]
    assert boxes
    for i, (x, y, w, h) in enumerate(boxes):
        assert 0 <= x and x + w <= int(size["width"])
        assert 0 <= y and y + h <= int(size["height"])
        for u, v, s, t in boxes[:i]:
            assert x >= u + s or u >= x + w or y >= v + t or v >= y + h
    bottoms = {(x + w // 2, y + h) for x, y, w, h in boxes}
    tops = {(x + w // 2, y) for x, y, w, h in boxes}
    assert picture["path"]
    for path in picture["path"]:
        numbers = list(map(int, re.findall(r"-?\d+", path["d"])))
        start, end = tuple(numbers[:2]), tuple(numbers[-2:])
        assert start in bottoms and end in tops and start[1] < end[1]


@pytest.mark.parametrize("name", ["rgcn", "rgat"])
def test_totals(files, name):
    # Products of weights, which are of no graph, count too.
    totals = re.findall(r"^  all .*", run(files, name, "--explain"), re.M)
    assert len(totals) == 2
    assert all(re.search(r"\d\.\d{4}$", line) for line in totals)


def test_text(files):
    out = run(files, "rgcn", "--explain")
    assert out.startswith("costs on NVIDIA H200 SXM, ")
    for heading in ("rgcn, before", "rgcn, after", "choices"):
        assert f"\n{heading}\n" in out
    assert "left out" not in out
    other = run(files, "rgcn", "--explain",
                "--passes=target=a100 compact=off merge-bias=off")
    assert other.startswith("costs on NVIDIA A100 SXM 80 GB, ")
    assert other.count("\nleft out: compact, merge-bias\n") == 1


def test_by_python(compiler, files, tmp_path, monkeypatch):
    del compiler  # skips where nothing is built
    monkeypatch.setattr("gnn_mlir.compiler._torch_gpu", lambda: None)
    graph = Graph.load(files / "g.npz")
    module = models.rgcn(3, (8, 8, 4))
    passes = {"compact": False}
    page = tmp_path / "page.html"
    out = gnn_mlir.explain(module, graph=graph, passes=passes, html=page)
    tool = run(files, "rgcn", "--explain", "--passes=compact=false")
    place = re.compile(r"\w+\.mlir:\d+:\d+")
    assert place.sub("", out) in place.sub("", tool)
    assert len(Page(page.read_text()).pictures) == 2
    assert "left out: compact" in out
    # The chip chooses the GPU, unless a switch does.
    for chip, target, title in (("sm_80", None, "A100"), ("sm_86", None, "RTX 3090"),
                                ("sm_80", "h100", "H100"), (None, None, "H200")):
        out = gnn_mlir.explain(module, chip=chip,
                               passes=target and {"target": target})
        assert re.match(rf"costs on .*{title}.*, every", out)
    assert "H200" in gnn_mlir.explain(module, target="emulator", chip="sm_80")
    with pytest.raises(gnn_mlir.GNNError, match="program.mlir:1:1"):
        gnn_mlir.explain("nonsense")
    with pytest.raises(ValueError, match="chip: expected text"):
        gnn_mlir.explain(module, chip=90)
