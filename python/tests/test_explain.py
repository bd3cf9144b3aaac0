# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text and pictures of --explain: in the pictures every op is in its kernel and every
edge between nodes that are there."""

import re
import subprocess

import numpy as np
import pytest

import gnn_mlir
from conftest import find_tool
from gnn_mlir import Graph, models


class Picture:
    """The nodes, edges and kernels of one function in a file for Graphviz."""

    def __init__(self, name, text):
        self.name = name
        self.nodes = dict(re.findall(r'^    "([^"]+)" \[(label=.*)\];$', text, re.M))
        self.edges = re.findall(r'^    "([^"]+)" -> "([^"]+)" \[edgetooltip="', text, re.M)
        self.kernels = [(label, dict(re.findall(r'^    "([^"]+)" \[(.*)\];$', inside, re.M)))
                        for label, inside in re.findall(
                            r'^    subgraph "cluster_\w+" {\n    label="(.*?)"; (.*?)^    }$',
                            text, re.M | re.S)]
        self.inside = [node for _, inside in self.kernels for node in inside]
        assert len(set(self.inside)) == len(self.inside)
        assert {end for edge in self.edges for end in edge} <= set(self.nodes)
        self.ops = [node for node, text in self.nodes.items() if "rounded" not in text]
        self.values = [node for node in self.nodes if node not in self.ops]


def pictures(path):
    text = path.read_text()
    assert text.startswith("digraph explanation {") and text.endswith("}\n")
    for line in text.splitlines():  # Quotes within texts are escaped.
        assert re.sub(r"\\.", "", line).count('"') % 2 == 0, line
    return [Picture(*one) for one in re.findall(
        r'^  subgraph "cluster_(\w+)" {\n(.*?)^  }$', text, re.M | re.S)]


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


@pytest.mark.parametrize("line, message", [
    ({}, "schedules.jsonl:2:1: expected a string as 'function', got nothing"),
    ({"schedule": {"vector": -5}}, r"schedules.jsonl:2:1: schedule: expected 'vector' in \{.*\}, got -5"),
    ({"body": "0"}, None)])
def test_files_of_schedules(compiler, line, message):
    """What is wrong in a file of schedules is an error; a line that no kernel takes is not."""
    layer = models.gcn((8, 4))
    lines = gnn_mlir.list_schedules(layer, target="cpu")
    two = [lines[0], {**lines[-1], **line} if line else {}]
    if message is None:
        assert "gcn" in gnn_mlir.explain(layer, schedules=two, target="cpu")
        return
    with pytest.raises(gnn_mlir.GNNError, match=f"^{message}$"):
        gnn_mlir.explain(layer, schedules=two, target="cpu")


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
def test_pictures(files, name):
    plain = run(files, name)
    assert run(files, name, f"--explain={name}.dot") == plain
    found = pictures(files / f"{name}.dot")
    assert [one.name for one in found] == [f"{name}_before", f"{name}_after"]
    for one in found:
        assert set(one.ops) <= set(one.inside)
        labels = [re.match(r'label="(.*?)\\n', one.nodes[node])[1] for node in one.values]
        assert sorted(labels) == ["out", "x"]


@pytest.mark.parametrize("name", ["rgcn", "rgat"])
def test_choices(files, name):
    """Each is said once, in the text and at the op, and refusals have no name."""
    run(files, name, "--explain=choices.dot")
    said = [re.findall(r"\\n(gnn-.*?)(?=\\n|\")", one.nodes[node])
            for one in pictures(files / "choices.dot") for node in one.ops]
    assert sum(map(len, said)) > 10
    for lines in said:
        assert len(set(lines)) == len(lines)
        assert all(re.match(r"gnn-[\w-]+ (done, \w+|refused): \S", line) for line in lines)
    lines = run(files, name, "--explain").split("\nchoices\n")[1].splitlines()
    lines = [line for line in lines if line.startswith("  gnn-")]
    assert len(lines) == len(set(lines)) > 10


def test_tooltips(files):
    """Kernels say what they cost, ops what they are, where, and what a pass did."""
    run(files, "rgcn", "--explain=tooltips.dot")
    after = pictures(files / "tooltips.dot")[1]
    shares = [int(re.search(r"(\d+)% of the time", label)[1]) for label, _ in after.kernels]
    assert 97 <= sum(shares) <= 103
    assert all(re.search(r"\d\.\d{4} ms, [\d.]+ k?B", label) for label, _ in after.kernels)
    said = "\n".join(after.nodes[node] for node in after.ops)
    assert "gnn-compact done, Compacted: " in said
    assert re.search(r"\\n%\w+ = gnn.typed_linear ", said)
    assert re.search(r"\\nat rgcn.mlir:\d+:\d+\\n", said)


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
    run(files, "f", "--explain=f.dot", f"--passes=fuse={fuse}")
    for one in pictures(files / "f.dot"):
        assert len(one.ops) == count and one.values and set(one.ops) <= set(one.inside)
        # Unfused, each op is a kernel; what returns its argument copies it.
        assert one.kernels and (fuse == "true" or len(one.kernels) == max(count, 1))


def test_what_is_not_lowered(gnn_opt, tmp_path):
    """Ops without kernels are drawn all the same, with the reason."""
    rows = "tensor<?x2x2x2xf32, #gnn.rows<@g, node>>"
    (tmp_path / "f.mlir").write_text(
        "gnn.graph @g square {node_types = 1, edge_types = 1}\n"
        f"func.func @f(%x: {rows}) -> {rows} {{\n"
        f"  %y = gnn.attention(%a = %x via dst) value %x via src over dst : "
        f"({rows}, {rows}) -> {rows} {{\n    gnn.yield %a : tensor<2x2x2xf32>\n  }}\n"
        f"  return %y : {rows}\n}}\n")
    for option in ("--gnn-explain", "--gnn-explain=dot=f.dot"):
        out = subprocess.run([gnn_opt, "f.mlir", option, "-o", "/dev/null"],
                             cwd=tmp_path, text=True, capture_output=True, check=False)
        assert out.returncode == 0, out.stderr
        assert "dot" in option or "no kernels: " in out.stdout
    for one in pictures(tmp_path / "f.dot"):
        assert len(one.ops) == 1 and not one.kernels


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
    assert out.startswith("estimates for target cpu, with the figures of 16 threads of an "
                          "Intel Xeon\n")
    for heading in ("rgcn, before", "rgcn, after", "choices"):
        assert f"\n{heading}\n" in out
    assert "left out" not in out
    other = run(files, "rgcn", "--explain", "--target=emulator", "--chip=a100",
                "--passes=compact=off merge-bias=off")
    assert other.startswith("estimates for NVIDIA A100 SXM 80 GB\n")
    assert other.count("\nleft out: compact, merge-bias\n") == 1


def test_by_python(compiler, files, tmp_path, monkeypatch):
    del compiler  # skips where nothing is built
    monkeypatch.setattr("gnn_mlir.interop.current_gpu", lambda: None)
    graph = Graph.load(files / "g.npz")
    module = models.rgcn(3, (8, 8, 4))
    passes = {"compact": False}
    picture = tmp_path / "f.dot"
    out = gnn_mlir.explain(module, graph=graph, passes=passes, dot=picture)
    tool = run(files, "rgcn", "--explain", "--passes=compact=false")
    place = re.compile(r"\w+\.mlir:\d+:\d+")
    assert place.sub("", out) in place.sub("", tool)
    assert len(pictures(picture)) == 2
    assert "left out: compact" in out
    # A GPU by its chip, or by its name.
    for chip, title in (("sm_80", "A100"), ("sm_86", "RTX 3090"), ("h100", "H100"),
                        (None, "16 threads")):
        out = gnn_mlir.explain(module, chip=chip)
        assert re.match(rf"estimates for {'NVIDIA' if chip else 'target cpu, '}.*{title}", out)
    assert "A100" in gnn_mlir.explain(module, target="emulator", chip="sm_80")
    # The kernels are those of the target.
    for cpu, options in ((True, {}), (True, {"target": "cpu"}), (False, {"chip": "sm_80"}),
                         (False, {"target": "cuda"}), (False, {"target": "emulator"})):
        out = gnn_mlir.explain(module, **options)
        assert out.startswith("estimates for target cpu, with the figures of ") == cpu, options
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
