# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of --explain is whole: tags match, nothing is fetched, and in the
pictures every op is in its kernel and every box in its place."""

import re
import subprocess
import xml.etree.ElementTree as xml
from html.parser import HTMLParser

import numpy as np
import pytest

import gnn_mlir
from conftest import find_tool
from gnn_mlir import Graph, models

VOID = ("meta", "path", "rect")  # those of SVG end in />
SVG = "{http://www.w3.org/2000/svg}"


class Page(HTMLParser):
    """What is in a page; fails where tags do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.attributes = [], []
        self.feed(text)
        self.close()
        assert not self.open
        self.pictures = [xml.fromstring(svg) for svg in re.findall(
            r"<svg .*?</svg>", text, re.S)]

    def handle_starttag(self, tag, attrs):
        self.attributes += attrs
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
        _, _, values = check_picture(picture)
        assert [title.split(":")[0] for _, title, _ in values] == ["x", "out"]


@pytest.mark.parametrize("name", ["rgcn", "rgat"])
def test_choices(files, name):
    """Each is said once, in the table and at the op, and refusals have no name."""
    run(files, name, "--explain=choices.html")
    text = (files / "choices.html").read_text()
    choices = re.findall(r"<tr.*</tr>", text[text.index("<h2>Choices"):])
    assert len(set(choices)) == len(choices) > 10
    titles = [title for picture in Page(text).pictures for _, title, _ in boxes_of(picture, "op")]
    said = [re.findall(r"^gnn-.*", title, re.M) for title in titles]
    assert sum(map(len, said)) > 10
    for lines in said:
        assert len(set(lines)) == len(lines)
        assert all(re.match(r"gnn-[\w-]+ (done, \w+|refused): \S", line) for line in lines)
    lines = run(files, name, "--explain").split("\nchoices\n")[1].splitlines()
    lines = [line for line in lines if line.startswith("  gnn-")]
    assert len(lines) == len(set(lines)) == len(choices) - 1


def boxes_of(picture, kind):
    """[(x, y, right, bottom)] of the boxes of one class, and their titles."""
    found = []
    for group in picture.iter(f"{SVG}g"):
        if group.get("class") == kind:
            rect = group.find(f"{SVG}rect")
            x, y, w, h = (int(rect.get(k)) for k in ("x", "y", "width", "height"))
            found.append(((x, y, x + w, y + h), group.find(f"{SVG}title").text, group))
    return found


def is_inside(inner, outer):
    return (outer[0] <= inner[0] and outer[1] <= inner[1] and inner[2] <= outer[2]
            and inner[3] <= outer[3])


def are_apart(a, b):
    return a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def check_picture(picture, width=600):
    """Boxes are inside the view, which is as wide as half a page of 1,280 pixels at
    most, and apart; ops are in kernels, edges go from box to box, and text is not
    wider than its box."""
    view = tuple(map(int, picture.get("viewBox").split()))
    assert view == (0, 0, int(picture.get("width")), int(picture.get("height")))
    assert view[2] <= width
    kernels, ops, values = (boxes_of(picture, k) for k in ("kernel", "op", "value"))
    outer = [box for box, *_ in kernels]
    outer += [box for box, *_ in values if not any(is_inside(box, k) for k in outer)]
    for boxes in (outer, [box for box, *_ in ops]):
        for i, box in enumerate(boxes):
            assert is_inside(box, view) and box[0] < box[2]
            assert all(are_apart(box, other) for other in boxes[:i])
    for box, *_ in ops:
        assert sum(is_inside(box, kernel) for kernel, *_ in kernels) == 1
    for box, _, group in kernels + ops + values:
        for text in group.iter(f"{SVG}text"):
            per_char = 6.1 if text.get("class") in ("type", "cost") else 7.3
            assert int(text.get("x")) + per_char * len(text.text or "") <= box[2] + 1
            assert box[1] < int(text.get("y")) < box[3]
    for group in picture.iter(f"{SVG}g"):
        if group.get("class") != "edge":
            continue
        assert group.find(f"{SVG}title").text
        numbers = list(map(int, re.findall(r"-?\d+", group.find(f"{SVG}path").get("d"))))
        points = list(zip(numbers[::2], numbers[1::2]))
        assert all(0 <= x <= view[2] and 0 <= y <= view[3] for x, y in points)
        (x0, y0), (x1, y1) = points[0], points[-1]
        assert any(b[0] < x0 < b[2] and y0 == b[3] for b in outer)
        assert any(b[0] < x1 < b[2] and y1 == b[1] for b in outer)
    return kernels, ops, values


def test_hover(files):
    """Kernels say what they cost, ops what they are, where, and what a pass did."""
    run(files, "rgcn", "--explain=hover.html")
    page = Page((files / "hover.html").read_text())
    kernels, ops, _ = check_picture(page.pictures[1])
    shares = [int(re.search(r"(\d+)% of the time", title)[1]) for _, title, _ in kernels]
    assert 97 <= sum(shares) <= 103
    assert all(re.search(r"\d\.\d{4} ms, [\d.]+ k?B", title) for _, title, _ in kernels)
    titles = "\n".join(title for _, title, _ in ops)
    assert "gnn-compact done, Compacted: " in titles
    assert re.search(r"^%\w+ = gnn.typed_linear ", titles, re.M)
    assert re.search(r"^at rgcn.mlir:\d+:\d+$", titles, re.M)


def program(lines, result):
    rows = "tensor<?x8xf32, #gnn.rows<@g, node>>"
    body = "".join(f"  {line} : {rows}\n" for line in lines)
    return (f"gnn.graph @g square {{node_types = 1, edge_types = 3}}\n"
            f"func.func @f(%x: {rows}) -> {rows} {{\n{body}"
            f"  return {result} : {rows}\n}}\n")


def large_program():
    """60 ops: chains side by side, and one over all layers."""
    lines = []
    for i in range(15):
        lines += [f"%a{i} = gnn.activation leaky_relu %x alpha = 0.{i + 1:02}",
                  f"%b{i} = gnn.activation tanh %a{i}",
                  f"%c{i} = gnn.activation exp %b{i}"]
    lines += ["%s0 = arith.addf %x, %c0"]
    lines += [f"%s{i} = arith.addf %s{i - 1}, %c{i}" for i in range(1, 15)]
    return program(lines, "%s14")


@pytest.mark.parametrize("text, count", [
    (program([], "%x"), 0), (program(["%y = gnn.activation relu %x"], "%y"), 1),
    (large_program(), 60)], ids=["none", "one", "many"])
@pytest.mark.parametrize("fuse", ["true", "false"])
def test_sizes(files, text, count, fuse):
    (files / "f.mlir").write_text(text)
    run(files, "f", "--explain=f.html", f"--passes=fuse={fuse}")
    for picture in Page((files / "f.html").read_text()).pictures:
        kernels, ops, values = check_picture(picture)
        assert len(ops) == count and len(values) >= 1
        # Unfused, each op is a kernel; what returns its argument copies it.
        assert len(kernels) == (max(count, 1) if fuse == "false" else len(kernels)) > 0


def test_what_is_not_lowered(gnn_opt, tmp_path):
    """Ops without kernels are drawn all the same, with the reason."""
    rows = "tensor<?x2x2x2xf32, #gnn.rows<@g, node>>"
    (tmp_path / "f.mlir").write_text(
        "gnn.graph @g square {node_types = 1, edge_types = 1}\n"
        f"func.func @f(%x: {rows}) -> {rows} {{\n"
        f"  %y = gnn.attention(%a = %x via dst) value %x via src over dst : "
        f"({rows}, {rows}) -> {rows} {{\n    gnn.yield %a : tensor<2x2x2xf32>\n  }}\n"
        f"  return %y : {rows}\n}}\n")
    for option in ("--gnn-explain", "--gnn-explain=html=f.html"):
        out = subprocess.run([gnn_opt, "f.mlir", option, "-o", "/dev/null"],
                             cwd=tmp_path, text=True, capture_output=True, check=False)
        assert out.returncode == 0, out.stderr
        assert "html" in option or "no kernels: " in out.stdout
    for picture in Page((tmp_path / "f.html").read_text()).pictures:
        assert len(boxes_of(picture, "op")) == 1 and not boxes_of(picture, "kernel")


@pytest.mark.parametrize("name", ["rgcn", "rgat"])
def test_totals(files, name):
    # Products of weights, which are of no graph, count too.
    out = run(files, name, "--explain")
    totals = re.findall(r"^  all: (\d+) kernels .* (\d\.\d{4})$", out, re.M)
    assert len(totals) == 2
    for part, (count, time) in zip(re.split(r", (?:before|after)\n", out)[1:], totals):
        times = re.findall(rf"^  {name}_\d.* (\d\.\d{{4}})$", part, re.M)
        assert abs(sum(map(float, times)) - float(time)) < 1e-3
        # An op may take several launches.
        assert len(times) <= int(count)


def test_kernels_are_those_that_run(files):
    """After the passes, the launches and their bytes are those of the report."""
    out = run(files, "rgat", "--explain", "--report")
    after = out[out.index("rgat, after"):out.index("\nchoices\n")]
    explained = ", ".join(re.findall(r"^  (rgat_\d\w*(?:, rgat_\w+)*)", after, re.M))
    table = out[out.index("\nkernel "):]
    reported = re.findall(r"^(rgat_\d\w*).* (\d+) +(\d+) +\d+$", table, re.M)
    assert sorted(explained.split(", ")) == sorted(name for name, *_ in reported)
    total = re.search(r"^  all: .* ([\d,]+) +[\d.]+$", after, re.M)[1]
    counted = sum(int(read) + int(written) for _, read, written in reported)
    assert abs(int(total.replace(",", "")) - counted) < 0.03 * counted


def test_text(files):
    out = run(files, "rgcn", "--explain")
    assert out.startswith("costs on 16 threads of an Intel Xeon, ")
    for heading in ("rgcn, before", "rgcn, after", "choices"):
        assert f"\n{heading}\n" in out
    assert "left out" not in out
    other = run(files, "rgcn", "--explain", "--target=emulator", "--chip=a100",
                "--passes=compact=off merge-bias=off")
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
    # A GPU by its chip, or by its name.
    for chip, title in (("sm_80", "A100"), ("sm_86", "RTX 3090"), ("h100", "H100"),
                        (None, "16 threads")):
        out = gnn_mlir.explain(module, chip=chip)
        assert re.match(rf"costs on .*{title}.*, of {'its ' if chip else ''}kernels", out)
    assert "H200" in gnn_mlir.explain(module, target="emulator", chip="sm_80")
    # The kernels are those of the target.
    for cpu, options in ((True, {}), (True, {"target": "cpu"}), (False, {"chip": "sm_80"}),
                         (False, {"target": "cuda"}), (False, {"target": "emulator"})):
        out = gnn_mlir.explain(module, **options)
        assert (", of kernels for cpu, of which no figures are known\n" in out) == cpu, options
    with pytest.raises(gnn_mlir.GNNError, match="program.mlir:1:1"):
        gnn_mlir.explain("nonsense")
    with pytest.raises(ValueError, match="chip: expected text"):
        gnn_mlir.explain(module, chip=90)


def test_gradients_are_explained(compiler):
    """The functions that training runs, beside the one that it is asked for."""
    module = models.gcn((8, 4))
    text = gnn_mlir.explain(module, gradients=["weight"])
    for which in ("forward", "backward"):
        assert f"\ngcn_{which}, made\n  kernel, op" in text
    assert "gcn_backward" not in gnn_mlir.explain(module)
    with pytest.raises(ValueError, match="gradients: expected inputs of gcn"):
        gnn_mlir.explain(module, gradients=["nothing"])
