# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of --explain=FILE.html: pictures before and after beside each other, times of a run
with their share of the roofline, schedules on hover, each choice once."""

import html
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

import pytest

import gnn_mlir
from conftest import find_tool
from gnn_mlir import models
from test_explain import files_fixture, large_program, pictures, run  # noqa: F401

pytestmark = pytest.mark.usefixtures("gnn_opt")


class Page(html.parser.HTMLParser):
    """Fails where elements are not closed in turn, and holds pictures and tables as text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.pictures, self.tables = [], [], []
        self.style = re.search(r"<style>(.*?)</style>", text, re.S)[1]
        self.text = text
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        assert tag not in ("script", "link", "img", "iframe", "object"), tag
        for name, value in attrs:
            assert not name.startswith("on") and name not in ("src", "href"), (tag, name)
            assert name == "xmlns" or "://" not in value
        if tag in ("meta", "rect", "path"):  # rect and path are closed by "/>"
            return
        if tag == "figure":
            self.pictures.append([])
        if tag == "g":
            self.pictures[-1].append((dict(attrs)["class"], []))
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")
        self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in ("rect", "path"):
            assert self.open.pop() == tag

    def handle_data(self, data):
        if "g" in self.open and data.strip():
            self.pictures[-1][-1][1].append(data)
        if "td" in self.open or "th" in self.open:
            self.tables[-1][-1][-1] += data

    def table(self, heading):
        """The lines of the tables whose first line starts so."""
        return [line for table in self.tables if table[0][:len(heading)] == heading
                for line in table[1:]]


@pytest.fixture(name="page", scope="module")
def page_fixture(files):
    """The page of a run of RGAT on the CPU, and its report."""
    run(files, "rgat", "--explain=rgat.html", "--report=rgat.json")
    return (Page((files / "rgat.html").read_text()),
            json.loads((files / "rgat.json").read_text()))


def test_self_contained(page):
    """It names no other file and runs nothing; colours are those of a light page."""
    style = page[0].style
    assert "url(" not in style and "@import" not in style
    assert "color-scheme: light" in style and "background: #fff" in style
    assert "auto-fit" in style.split(".pictures")[1]  # beside each other where there is room


def test_pictures(page, files):
    """Before and after, with the nodes and kernels of the picture for Graphviz."""
    run(files, "rgat", "--explain=rgat.dot")
    expected = pictures(files / "rgat.dot")
    assert [re.search(r"<figcaption><b>(\w+)", one)[1]
            for one in page[0].text.split("<figure>")[1:]] == ["Before", "After"]
    assert len(page[0].pictures) == len(expected) == 2
    widths = re.findall(r'<g class="kernel">.*?<rect [^>]*?width="(\d+)"', page[0].text, re.S)
    assert len(widths) > 4 and len(set(widths)) == 1  # of both
    for picture, one in zip(page[0].pictures, expected):
        count = {kind: sum(found == kind for found, _ in picture)
                 for kind in ("node", "kernel", "edge")}
        assert count["node"] == len(one.nodes) and count["kernel"] == len(one.kernels)
        assert count["edge"] == len({begin for begin, _ in one.edges})
        labels = "\n".join(text for _, text in one.nodes.items())
        for kind, texts in picture:
            if kind == "node":  # a tooltip, the label, its type
                assert len(texts) == 3 and len(texts[1]) + len(texts[2]) < 75
                assert f'label="{texts[1].rstrip("…")}' in labels


def test_times(page):
    """Measured beside estimated, and the share of the limit by both."""
    _, report = page
    times = {step["kernel"]: step["milliseconds"] for step in report["steps"]}
    assert report["measured_runs"] == 9
    lines = page[0].table(["kernel", "bytes", "flops", "estimated ms", "measured ms", "limit ms",
                           "limited by", "of the limit"])
    assert len(lines) > 4 and lines[-1][0] == "all"
    for name, size, flops, estimated, measured, limit, by, share in lines[:-1]:
        wanted = sum(time for kernel, time in times.items() if kernel in name)
        assert abs(float(measured) - wanted) < 1e-4 and float(estimated) > 0
        # 71.8 GB/s and 1.09 TFLOP/s, in milliseconds; a launch is 49.6 us.
        memory, arithmetic = (int(size.replace(",", "")) / 71.8e6,
                              int(flops.replace(",", "")) / 1.09e9)
        assert abs(float(limit) - max(memory, arithmetic)) < 1e-4
        assert by == ("launch" if max(memory, arithmetic) < 0.0496 else
                      "memory" if memory > arithmetic else "flops")
        assert abs(int(share.rstrip("%")) - 100 * max(memory, arithmetic) / wanted) < 1
    assert abs(float(lines[-1][4]) - sum(times.values())) < 1e-3
    # Without the passes nothing was run.
    before = page[0].table(["kernel", "bytes", "flops", "estimated ms", "limit ms"])
    assert {line[-1] for line in before[:-1]} <= {"memory", "flops", "launch"} and len(before) > 4


def test_schedules_on_hover(page):
    """Each kernel's card and tooltip have its schedule, as the report does."""
    parsed, report = page
    cards = re.findall(r'<span class="card">(.*?)</span>', parsed.text, re.S)
    tooltips = [texts[0] for kind, texts in parsed.pictures[1] if kind == "kernel"]
    assert ".name:hover + .card" in parsed.style and 'class="name" tabindex="0"' in parsed.text
    assert "(1 row, 0 flops)" in parsed.text and "(1 rows" not in parsed.text
    for step in report["steps"]:
        line = f"{step['kernel']}: {step['schedule']}\n"
        assert step["schedule"]
        assert any(line in html.unescape(card) for card in cards)
        assert any(line in tooltip for tooltip in tooltips)


def test_choices_once(page, files):
    """The words of a pass are one line with all places, those of several passes at the same
    places too, and no choice is lost."""
    said = re.findall(r"^  (gnn-\S+) at (\S+): (done, \w+|refused): (.*)$",
                      run(files, "rgat", "--explain"), re.M)
    assert sum(outcome == "refused" for _, _, outcome, _ in said) > 5
    folder = f"{files}/"
    for column, refused in (("reason", True), ("change", False)):
        lines = page[0].table(["pass", column, "at"])
        keys = [(text, places) for _, text, places in lines]
        assert len(set(keys)) == len(keys)
        wanted = {(name, place.replace(folder, ""),
                   ("" if refused else outcome[len("done, "):] + ": ") +
                   message.replace(folder, ""))
                  for name, place, outcome, message in said if (outcome == "refused") == refused}
        found = {(name, place, text) for names, text, places in lines
                 for name in names.split(", ") for place in places.split(", ")}
        assert found == wanted and len(keys) < len(wanted) + refused
        assert not refused or any(", " in names for names, _, _ in lines)


def test_no_folders(files, tmp_path):
    """Places name the file, wherever it is."""
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "m.mlir").write_text((files / "rgat.mlir").read_text())
    result = subprocess.run(
        [find_tool("gnn-run"), tmp_path / "a b" / "m.mlir", "--function", "rgat", "--graph",
         files / "g.npz", "--weights=random:1", "--target=cpu", "--explain=m.html"],
        cwd=tmp_path, text=True, capture_output=True, check=True)
    assert not result.stderr
    text = (tmp_path / "m.html").read_text()
    assert "m.mlir:" in text and str(tmp_path) not in text


def test_without_times(files):
    """The emulator measures nothing: the bound that limits a kernel is left."""
    run(files, "rgcn", "--explain=rgcn.html", "--target=emulator")
    page = Page((files / "rgcn.html").read_text())
    assert "measured" not in page.text
    lines = page.table(["kernel", "bytes", "flops", "estimated ms", "limit ms", "limited by"])
    assert {line[5] for line in lines if line[0] != "all"} <= {"memory", "flops", "launch"}


def test_by_python(compiler, tmp_path):
    """Functions of gradients are on it."""
    del compiler  # skips where nothing is built
    path = tmp_path / "gcn.html"
    gnn_mlir.explain(models.gcn((8, 4)), gradients=["weight"], html=path)
    page = Page(path.read_text())
    assert len(page.pictures) == 4 and page.text.count("<b>Made</b>") == 2
    assert "<h2>gcn_backward</h2>" in page.text


def test_what_is_not_lowered(gnn_opt, tmp_path):
    """Its ops are drawn all the same, with the reason."""
    rows = "tensor<?x2x2x2xf32, #gnn.rows<@g, node>>"
    (tmp_path / "f.mlir").write_text(
        "gnn.graph @g square {node_types = 1, edge_types = 1}\n"
        f"func.func @f(%x: {rows}) -> {rows} {{\n"
        f"  %y = gnn.attention(%a = %x via dst) value %x via src over dst : "
        f"({rows}, {rows}) -> {rows} {{\n    gnn.yield %a : tensor<2x2x2xf32>\n  }}\n"
        f"  return %y : {rows}\n}}\n")
    subprocess.run([gnn_opt, "f.mlir", "--gnn-explain=html=f.html", "-o", "/dev/null"],
                   cwd=tmp_path, check=True)
    page = Page((tmp_path / "f.html").read_text())
    assert page.text.count("no kernels: ") == 2
    assert [sum(kind == "node" for kind, _ in one) for one in page.pictures] == [3, 3]


def test_many_ops(gnn_opt, tmp_path):
    """Edges that overlap have lanes of their own, and each op a place of its own."""
    (tmp_path / "f.mlir").write_text(large_program())
    subprocess.run([gnn_opt, "f.mlir", "--gnn-explain=html=f.html passes=fuse=false", "-o",
                    "/dev/null"], cwd=tmp_path, check=True)
    text = (tmp_path / "f.html").read_text()
    svg = text.split("<svg")[1].split("</svg>")[0]
    width, height = map(int, re.search(r'width="(\d+)" height="(\d+)"', svg).groups())
    tops = [int(y) for y in re.findall(r'<rect x="10" y="(\d+)"', svg)]
    assert len(set(tops)) == len(tops) == 62 and max(tops) + 24 < height
    lanes = {}
    for group in svg.split('<g class="edge"')[1:]:
        for start, x, end in re.findall(r'd="M\d+ (\d+)H(\d+)q4 0 4 -?4V(\d+)q', group):
            lanes.setdefault(int(x), {}).setdefault(int(start), []).append(int(end))
    assert len(lanes) > 3 and max(lanes) + 4 < width
    for ways in lanes.values():
        spans = sorted((min(start, *ends), max(start, *ends)) for start, ends in ways.items())
        assert all(one[1] < other[0] for one, other in zip(spans, spans[1:]))


def test_picture_of_a_page(page, tmp_path):
    """utils/explain-picture.py has both pictures beside each other, in one file of SVG."""
    (tmp_path / "page.html").write_text(page[0].text)
    script = pathlib.Path(__file__).resolve().parents[2] / "utils/explain-picture.py"
    subprocess.run([sys.executable, script, "page.html", "one.svg"], cwd=tmp_path, check=True)
    svg = "{http://www.w3.org/2000/svg}"
    root = xml.etree.ElementTree.parse(tmp_path / "one.svg").getroot()
    inner = root.findall(f"{svg}svg")
    assert len(inner) == 2 and len(root.findall(f".//{svg}title")) > 40
    right = int(inner[0].get("x")) + int(inner[0].get("width"))
    assert right < int(inner[1].get("x")) < int(root.get("width"))
    assert max(int(one.get("height")) for one in inner) < int(root.get("height"))
    (tmp_path / "none.html").write_text("<p>no picture</p>")
    done = subprocess.run([sys.executable, script, "none.html", "none.svg"], cwd=tmp_path,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "expected a page" in done.stderr
    assert not (tmp_path / "none.svg").exists()
