# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples that learn: losses fall, and are those of PyG's layers from the same
weights; what is printed and drawn; bad input."""

import functools
import importlib
import math
import os
import re
import shlex
import subprocess
import sys
import types
from xml.etree import ElementTree

import numpy as np
import pytest

import gnn_mlir
from conftest import ROOT
from gnn_mlir.datasets import made

torch = pytest.importorskip("torch")
torch_geometric = pytest.importorskip("torch_geometric")

FOLDER = ROOT / "examples/train"
sys.path.insert(0, str(FOLDER))
import classify  # noqa: E402
import from_pyg  # noqa: E402
import learning  # noqa: E402
import links  # noqa: E402
sys.path.remove(str(FOLDER))

# Kernels with gradients are checked in test_autograd.py.
pytestmark = pytest.mark.usefixtures("unchecked")
PAGES = ("docs/Training.md", "docs/Gallery.md")
SCRIPTS = {"classify.py": classify, "links.py": links}


def call(script, *arguments, device="cpu"):
    return script.main([*map(str, arguments), "--device", device])


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Graph files by name."""
    folder = tmp_path_factory.mktemp("graphs")
    graphs = {"communities": made.communities(60, 2, 2, words=16),
              "facts": made.kinships(24, 4, 2)}
    bare = made.communities(60, 2, 2)
    for name in ("feat_indptr", "feat_indices", "feat_dim"):
        del bare.arrays[name]
    graphs["no features"] = bare
    for name, graph in graphs.items():
        graph.save(folder / f"{name}.npz")
    return {name: folder / f"{name}.npz" for name in graphs}


def expect_learning(runs):
    """Both learn, and the losses are the same."""
    ours, other = runs
    assert (ours.name, other.name) == ("gnn-mlir", "PyG")
    for run in runs:
        assert run.losses[-1] < 0.98 * run.losses[0]
        assert 0 <= run.score <= 1
    assert learning.difference(runs) < 1e-5  # They promise 1e-4 on larger graphs.


@pytest.mark.parametrize("model", classify.HEADS)
def test_classes(model, files, compiler, capsys):
    expect_learning(call(classify, "--model", model, "--graph", files["communities"],
                         "--hidden", 8, "--epochs", 6, "--rate", 0.05, "--compare-pyg"))
    printed = capsys.readouterr()
    assert re.search(r"first 6 epochs differ by at most \d\.\de[-+]\d\d ", printed.out)
    # No bar where there is no terminal: a line for each epoch of ten at most.
    first, *lines = printed.err.splitlines()
    assert first.startswith("gnn-mlir compiles") and len(lines) == 12
    assert "\r" not in printed.err


def test_classes_of_learned_vectors(files, compiler):
    runs = call(classify, "--graph", files["no features"], "--hidden", 4, "--epochs", 5,
                "--rate", 0.05, "--compare-pyg")
    expect_learning(runs)
    assert runs[0].losses[-1] < 0.8 * runs[0].losses[0]


@pytest.mark.parametrize("options", [(), ("--diagonal-blocks", 2, "--negatives", 3)])
def test_links(options, files, compiler):
    expect_learning(call(links, "--graph", files["facts"], "--size", 8, "--epochs", 8,
                         "--compare-pyg", *options))


def test_links_are_found(compiler):
    run, = call(links, "--size", 16, "--epochs", 30, "--rate", 0.03)
    # By chance it would be 0.06: there are 89 candidates.
    assert run.score > 0.5


def test_weights_of_its_own(files, compiler):
    """Without PyG a model starts with weights for all of its inputs."""
    graph = classify.graph_for("hgt", made.communities(40, 2, 2))
    module = classify.program("hgt", graph, (8, 8, 2), 2)
    weights = learning.initial_weights(module, graph, 0)
    function, = module.functions.values()
    assert {"x", *weights} == set(function.inputs)
    for name, array in weights.items():
        assert array.shape == function.inputs[name].type.shape(graph)
        assert array.dtype == np.float32
        if name.endswith("bias"):
            assert not array.any()
        elif name.endswith(("prior", "skip")):
            assert (array == 1).all()
        else:
            assert 0.1 < np.abs(array).max() <= math.sqrt(6 / sum(array.shape[-2:]))
    run, = call(classify, "--graph", files["communities"], "--epochs", 3)
    assert run.losses[-1] < run.losses[0]


def test_differences_are_seen():
    runs = [learning.Run("a", [2.0, 1.0, 1.0], []),
            learning.Run("b", [2.0, 0.999, 5.0], [])]
    assert learning.difference(runs) == 0.8
    assert learning.difference(runs, 2) == pytest.approx(1e-3, rel=2e-3)


def test_ranks_are_those_of_counting():
    """Against a loop over all candidates."""
    torch.manual_seed(0)
    entities, relations, size = 12, 2, 4
    model = links.LinkModel(lambda x: x.round(), entities, relations, size, 0)
    with torch.no_grad():
        model.relation.copy_(model.relation.sign())  # Some scores are equal.
        model.x.copy_(model.x.round())
    facts = torch.stack([torch.randint(n, (40,)) for n in (entities, relations, entities)])
    facts = torch.unique(facts, dim=1)
    test, h = facts[:, ::3], model().detach()
    true, found = set(map(tuple, facts.T.tolist())), []
    for fact in test.T.tolist():
        for place in (0, 2):
            others = [(*fact[:place], e, *fact[place + 1:]) for e in range(entities)]
            others = [o for o in others if o not in true]
            score = model.score(h, torch.tensor(fact)[:, None]).item()
            scores = [model.score(h, torch.tensor(o)[:, None]).item() for o in others]
            found.append(1 / (1 + sum(s > score for s in scores) +
                              sum(s == score for s in scores) / 2))
    for batch in (3, 256):
        assert links.reciprocal_rank(model, facts, test, batch) == pytest.approx(
            np.mean(found))


def test_false_facts():
    facts = torch.tensor([[1] * 400, [5] * 400, [2] * 400])
    first, again = (links.corrupt(facts, 50, torch.Generator().manual_seed(3))
                    for _ in range(2))
    assert (first == again).all() and (first[1] == 5).all()
    assert not ((first[0] != 1) & (first[2] != 2)).any()
    assert 100 < (first[0] != 1).sum() < 300 and 100 < (first[2] != 2).sum() < 300


def test_plot(files, compiler, tmp_path, capsys, monkeypatch):
    pytest.importorskip("matplotlib")
    plot = tmp_path / "losses.svg"
    runs = call(classify, "--model", "gcn", "--graph", files["communities"], "--epochs", 4,
                "--compare-pyg", "--plot", plot)
    assert f"losses drawn: {plot}" in capsys.readouterr().out
    ids = [one.get("id") for one in ElementTree.parse(plot).iter()]
    assert sum(str(name).startswith("line2d") for name in ids) > 2  # Ticks besides.
    from matplotlib.figure import Figure
    drawn = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, path, **options: drawn.append(figure))
    learning.draw(runs, plot)
    lines = drawn[0].axes[0].get_lines()
    assert [line.get_label() for line in lines] == ["gnn-mlir", "PyG"]
    assert [line.get_linestyle() for line in lines] == ["-", "--"]
    for line, run in zip(lines, runs):
        assert list(line.get_ydata()) == run.losses and list(line.get_xdata()) == [1, 2, 3, 4]


def curves(picture):
    """The curves of a picture of losses, each from 1 at its first epoch to 0 at its last."""
    points = [np.array(re.findall(r"[ML] (\S+) (\S+)", path), float)
              for path in re.findall(r'd="(.*?)"', picture.read_text(), re.S)]
    return [(y - y[-1]) / (y[0] - y[-1]) for _, y in (p.T for p in points if len(p) == 50)]


def test_picture_of_gallery(compiler, tmp_path):
    """docs/images/losses.svg is what the command of Gallery.md makes, but for fonts and sizes."""
    pytest.importorskip("matplotlib")
    text = (ROOT / "docs/Gallery.md").read_text()
    words = re.search(r"^python examples/train/classify.py (.*) --plot losses.svg$", text, re.M)[1]
    call(classify, *words.split(), "--plot", tmp_path / "losses.svg")
    found, committed = curves(tmp_path / "losses.svg"), curves(ROOT / "docs/images/losses.svg")
    assert len(committed) == 2
    np.testing.assert_allclose(found, committed, atol=0.01, err_msg="make it as docs/Gallery.md does")


def test_a_plot_without_matplotlib_is_an_error(files, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(learning.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit):
        call(classify, "--graph", files["communities"], "--plot", tmp_path / "losses.svg")
    assert "expected matplotlib, which draws it" in capsys.readouterr().err
    assert not (tmp_path / "losses.svg").exists()


def without(name, key):
    """A copy of a made graph that lacks an array, or has another one."""
    graph = {"communities": made.communities, "kinships": made.kinships}[name]()
    graph.arrays.pop(key)
    return graph


def unlabelled():
    graph = made.communities()
    graph.arrays["label"][:] = -1
    return graph


def without_test():
    graph = made.kinships()
    graph.arrays["edge_split"][:] = 0
    return graph


def bipartite():
    arrays = made.communities().arrays
    return gnn_mlir.Graph([0], [0], num_src_nodes=240, num_dst_nodes=2, arrays=arrays)


@pytest.mark.parametrize("script, graph, options, message", [
    ("classify.py", functools.partial(without, "communities", "train_mask"), [],
     "in.npz: expected label and train_mask and test_mask in the file, got no train_mask"),
    ("classify.py", unlabelled, [], "train_mask: expected nodes with a label, got none"),
    ("classify.py", bipartite, [],
     "add_inverses: expected a square graph, got a bipartite one"),
    ("classify.py", None, ["--model", "hgt", "--heads", "3"],
     "expected heads that divide 16 features, got 3"),
    ("classify.py", None, ["--device", "tpu"],
     "--device: expected auto, cuda, cuda:N or cpu, got tpu"),
    ("links.py", functools.partial(without, "kinships", "edge_split"), [],
     "in.npz: expected edge_split in the file, got no edge_split"),
    ("links.py", without_test, [], "edge_split: expected facts for test (2), got none"),
    ("links.py", None, ["--size", "8", "--diagonal-blocks", "3"],
     "diagonal_blocks: expected a divisor of 8 and 8 features, got 3"),
])
def test_bad_input(script, graph, options, message, tmp_path, monkeypatch, compiler):
    monkeypatch.chdir(tmp_path)
    if graph is not None:
        graph().save("in.npz")
        options = [*options, "--graph", "in.npz"]
    main = functools.partial(SCRIPTS[script].main, ["--epochs", "1", *options])
    with pytest.raises(SystemExit) as error:
        learning.run_example(main)
    assert error.value.code == f"error: {message}"


@pytest.mark.parametrize("options, message", [
    (["--epochs", "0"], "argument --epochs: expected at least 1, got 0"),
    (["--rate", "-1"], "argument --rate: expected a number of at least 0, got -1"),
    (["--plot", "losses.png"],
     "argument --plot: expected a name that ends in .svg, got losses.png"),
    (["--plot", "nowhere/x.svg"], "argument --plot: expected a file of a folder that is "
     "there, got nowhere/x.svg")])
def test_bad_options(options, message, capsys):
    with pytest.raises(SystemExit):
        call(classify, *options)
    assert message in capsys.readouterr().err


def test_what_is_not_there(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "torch_geometric.nn", None)
    with pytest.raises(ValueError, match="--compare-pyg: expected PyTorch Geometric to be "
                                         "installed, got no module torch_geometric"):
        learning.import_pyg()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match="--device: expected cpu, since torch finds "
                                         "no GPU, got cuda:1"):
        learning.find_device("cuda:1")
    assert learning.find_device("auto").type == "cpu"
    missing = tmp_path / "missing.npz"
    result = subprocess.run(
        [sys.executable, FOLDER / "classify.py", "--graph", missing], text=True,
        capture_output=True, check=False,
        env=dict(os.environ, PYTHONPATH=str(ROOT / "python")))
    assert result.returncode == 1
    assert result.stderr == (f"error: --graph: expected a file, got {missing}, which is not "
                             "there; from_pyg.py beside this script writes some\n")


# -- Data sets of PyG --------------------------------------------------------------


def test_planetoid_as_a_file():
    x = torch.tensor([[0, 2.5, 0], [1, 0, 1], [0, 0, 0]])
    graph = from_pyg.planetoid(torch_geometric.data.Data(
        x=x, edge_index=torch.tensor([[0, 1], [1, 2]]), y=torch.tensor([0, 1, 1]),
        **{f"{part}_mask": torch.arange(3) == i
           for i, part in enumerate(("train", "val", "test"))}))
    assert (graph.features() == x.numpy()).all()
    assert graph.arrays["label"].tolist() == [0, 1, 1]
    assert np.flatnonzero(graph.arrays["test_mask"]).tolist() == [2]


def test_entities_as_a_file():
    """PyG's edges lie by their ends, with an inverse for each."""
    graph = from_pyg.entities(torch_geometric.data.Data(
        edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3,
        edge_type=torch.tensor([2, 3, 1, 0]), train_idx=torch.tensor([2]),
        train_y=torch.tensor([4]), test_idx=torch.tensor([0]), test_y=torch.tensor([3])))
    assert list(zip(graph.edge_src, graph.edge_dst, graph.edge_type)) == [(0, 1, 1),
                                                                        (2, 1, 0)]
    assert graph.arrays["label"].tolist() == [3, -1, 4]
    assert graph.arrays["train_mask"].tolist() == [False, False, True]
    assert graph.arrays["test_mask"].tolist() == [True, False, False]


def test_facts_as_a_file():
    ends = torch.tensor([[0, 1, 2], [1, 2, 0]])
    masks = {f"{part}_mask": torch.arange(3) == i
             for i, part in ((2, "train"), (0, "val"), (1, "test"))}
    whole = from_pyg.facts(torch_geometric.data.Data(
        edge_index=ends, edge_type=torch.tensor([0, 1, 1]), num_nodes=3, **masks))
    assert whole.arrays["edge_split"].tolist() == [1, 2, 0]
    parts = {}
    for name, i in (("train", 2), ("valid", 0), ("test", 1)):
        parts[f"{name}_edge_index"] = ends[:, i:i + 1]
        parts[f"{name}_edge_type"] = torch.tensor([min(i, 1)])
    apart = from_pyg.facts(torch_geometric.data.Data(num_nodes=3, **parts))
    assert apart.arrays["edge_split"].tolist() == [0, 1, 2]
    assert list(zip(apart.edge_src, apart.edge_dst, apart.edge_type)) == [
        (2, 0, 1), (0, 1, 0), (1, 2, 1)]


def test_data_set_of_pyg(tmp_path, monkeypatch):
    data = torch_geometric.data.Data(
        x=torch.eye(2), y=torch.tensor([0, 1]), edge_index=torch.tensor([[0], [1]]),
        **{f"{part}_mask": torch.tensor([True, False]) for part in from_pyg.PARTS})
    datasets = importlib.import_module("torch_geometric.datasets")
    monkeypatch.setattr(datasets, "Planetoid",
                        lambda folder, name: {"Cora": [data]}[name])
    from_pyg.main(["cora", str(tmp_path / "cora.npz")])
    assert gnn_mlir.Graph.load(tmp_path / "cora.npz").num_edges == 1
    for kind, *_ in from_pyg.DATASETS.values():
        assert hasattr(datasets, kind)


# -- Documentation -----------------------------------------------------------------


def commands():
    """The commands of the pages that run a script, each once."""
    found = {}
    for page in PAGES:
        text = (ROOT / page).read_text().replace("\\\n", " ")
        for line in re.findall(r"^python3? examples/train/(.*)$", text, re.M):
            words = shlex.split(line, comments=True)
            found.setdefault(tuple(words), pytest.param(words, id=f"{page}: {line}"))
    return found.values()


@pytest.mark.parametrize("words", list(commands()))
def test_documented(words, files, tmp_path, monkeypatch, compiler):
    """Each command runs, with few epochs, and a graph of the same form."""
    monkeypatch.chdir(tmp_path)
    if "--plot" in words:
        pytest.importorskip("matplotlib")
    script, *arguments = words
    if script == "from_pyg.py":
        parser = types.SimpleNamespace(name=arguments[0], out=arguments[1])
        assert parser.name in from_pyg.DATASETS and parser.out.endswith(".npz")
        return
    some = files["communities" if script == "classify.py" else "facts"]
    arguments = [some if word.endswith(".npz") else word for word in arguments]
    runs = call(SCRIPTS[script], *arguments, "--epochs", 2)
    assert runs[0].losses[1] < runs[0].losses[0]
