# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of schedules: the compiler computes what LightGBM and PyTorch do, trainings give the same
file each time, and searches are replayed on a store."""

import dataclasses
import importlib
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import gnn_mlir
import tuning_features
from conftest import BUILD, ROOT

TOOL = f"{BUILD}/bin/gnn-tune"


@pytest.fixture(scope="module")
def tuning():
    """The scripts of benchmarks/tuning."""
    folder = str(ROOT / "benchmarks/tuning")
    sys.path.insert(0, folder)
    try:
        yield importlib.import_module
    finally:
        sys.path.remove(folder)


@pytest.fixture(scope="module")
def stores(tuning, tmp_path_factory):
    """A folder of stores: a sum and a dot on a small graph, on the CPU."""
    folder = tmp_path_factory.mktemp("stores")
    cells = tuning("cells")
    graph = cells.Made(90, 6, 1.5, 0.5)
    cells.SETS["tiny"] = [cells.Cell(graph, "copy_u", 20), cells.Cell(graph, "dot", 20)]
    tuning("measure").PLANS["tiny"] = 3, "random"
    tuning("measure").GRAPH_SECONDS["tiny"] = 1
    measure(tuning, folder)
    assert sorted(path.suffix for path in folder.iterdir()) == [".jsonl", ".jsonl", ".mlir", ".mlir"]
    return folder


def measure(tuning, folder, seconds=60):
    return run(tuning("measure"), "tiny", "--out", folder, "--seconds", seconds, "--target", "cpu")


def run(module, *args):
    before = sys.argv
    sys.argv = ["script", *map(str, args), "--tool", TOOL]
    try:
        return module.main()
    finally:
        sys.argv = before


@pytest.fixture(scope="module")
def tables(tuning, stores):
    return tuning("stores").load([stores], TOOL, least=8)


def test_page_has_the_features():
    features = tuning_features.read()
    assert len(features) > 40
    assert tuning_features.page(features) == tuning_features.PAGE.read_text()


def test_features_are_those_of_the_page(tables):
    names = [name for name, _ in tuning_features.read()]
    for table in tables:
        assert table.names[:len(names)] == names
        assert all(name.startswith("field.") for name in table.names[len(names):])
        assert (table.column("graph.groups") > 0).all()
        assert (table.ratio > 0).all()


def test_measuring_goes_on_where_it_ended(tuning, stores, capsys):
    """A cell with a store is left; none is begun that does not fit."""
    before = {path: path.read_bytes() for path in stores.iterdir()}
    assert measure(tuning, stores) == 0
    assert "0 of 2 cells are left" in capsys.readouterr().out
    path = next(stores.glob("*dot*.jsonl"))
    path.unlink()
    assert measure(tuning, stores, seconds=1) == 0
    assert "1 cells are left, 0 have failed" in capsys.readouterr().out
    path.write_bytes(before[path])
    assert {p: p.read_bytes() for p in stores.iterdir()} == before


@pytest.mark.parametrize("options", [
    {}, {"zero_as_missing": True}, {"use_missing": False}, {"objective": "regression"},
    {"num_leaves": 2}, {"min_data_in_leaf": 10_000}], ids=str)
def test_trees_have_the_bits_of_lightgbm(tuning, stores, tables, tmp_path, options):
    """Of rows with missing values, zeros and large counts."""
    lightgbm = pytest.importorskip("lightgbm")
    train = tuning("train_ranker")
    names = tables[0].names
    rows = np.concatenate([train.align(t, names) for t in tables])
    rng = np.random.default_rng(1)
    rows[rng.random(rows.shape) < 0.1] = np.nan
    parameters = {**train.PARAMETERS, "metric": "None", "min_data_in_leaf": 3, **options}
    data = lightgbm.Dataset(rows, label=rng.integers(0, 5, len(rows)),
                            group=[len(t.rows) for t in tables], feature_name=names,
                            params={**options, "verbose": -1})
    path = tmp_path / "trees.txt"
    lightgbm.train(parameters, data, 7).save_model(path)
    booster = lightgbm.Booster(model_file=str(path))
    compared = 0
    for store in tuning("stores").find_stores([stores]):
        for table in tuning("stores").list_features(store, TOOL, path):
            expected = booster.predict(train.align(table, names), raw_score=True)
            assert np.array_equal(-table.weights, expected)
            compared += len(expected)
    assert compared > 20


def test_networks_are_those_of_pytorch(tuning, stores, tables, tmp_path):
    """Within 1e-6 of float64; the same file each time."""
    torch = pytest.importorskip("torch")
    train = tuning("train_cost_model")
    train.EPOCHS = 60
    files = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}.json"
        run(train, stores, "--out", path)
        files.append(path.read_bytes())
    assert files[0] == files[1]
    networks = {n["kind"]: n for n in json.loads(files[0])["networks"]}
    assert sorted(networks) == ["g-sddmm", "g-spmm"]
    compared = 0
    for store in tuning("stores").find_stores([stores]):
        for table in tuning("stores").list_features(store, TOOL, path):
            kind = train.kind_of(table)
            if kind is None:
                assert "got another template" in table.refusal
                continue
            names = networks[kind]["features"]
            network = train.Network(len(names)).double().eval()
            fill(torch, network, networks[kind])
            with torch.no_grad():
                cost = network(train.inputs_of(table, names))
            expected = train.normalize(cost, torch.zeros(len(cost), dtype=torch.int64), 1)
            assert np.abs(table.weights - expected.numpy()).max() < 1e-6
            compared += len(expected)
    assert compared > 20


def fill(torch, network, described):
    """The parameters of a file."""
    def put(tensor, values):
        with torch.no_grad():
            tensor.copy_(torch.tensor(values, dtype=torch.float64))
    norm = network.norm
    for tensor, key in ((norm.running_mean, "mean"), (norm.running_var, "variance"),
                        (norm.weight, "scale"), (norm.bias, "shift")):
        put(tensor, described[key])
    for layer, values in zip(network.layers, described["layers"]):
        put(layer.weight, values["weights"])
        put(layer.bias, values["biases"])


def test_the_ranker_is_trained_and_replayed(tuning, stores, tmp_path, capsys):
    """The same file each time; the table has all searches, and an exhaustive one loses nothing."""
    pytest.importorskip("lightgbm")
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    tuning("train_ranker").TREES = 30
    for name in ("one.txt", "two.txt"):
        run(tuning("train_ranker"), stores, "--out", tmp_path / name)
    assert (tmp_path / "one.txt").read_bytes() == (tmp_path / "two.txt").read_bytes()
    tuning("train_cost_model").EPOCHS = 20
    run(tuning("train_cost_model"), stores, "--out", tmp_path / "cost.json")
    run(tuning("replay"), stores, "--ranker", tmp_path / "one.txt", "--cost-model",
        tmp_path / "cost.json", "--widths", stores, "--seeds", 2, "--out", tmp_path / "replayed")
    text = (tmp_path / "replayed.md").read_text()
    assert "<svg" in (tmp_path / "replayed.svg").read_text()
    rows = [row.split(" | ") for row in text.splitlines() if row.startswith("| n90")]
    head = next(row for row in text.splitlines() if row.startswith("| cell")).split(" | ")
    assert head[2:] == ["the rule", "random", "exhaustive", "ranked, top 10", "G-Sparse, genetic",
                        "G-Sparse, sampling |"]
    assert len([row for row in rows if len(row) == len(head)]) == 4  # with the rule, and without
    for row in rows:
        if len(row) == len(head):
            assert row[4].startswith("0.0% in ")
    assert "table IV" in text and "figure 11" in text


def test_folds_share_no_graph(tuning, tables):
    other = [dataclasses.replace(t, cell=f"other/{t.cell.split('/', 1)[1]}") for t in tables]
    folds = tuning("stores").fold([*tables, *other], 5)
    assert [len(part) for part in folds] == [len(tables)] * 2
    assert [{t.graph for t in part} for part in folds] == [{tables[0].graph}, {"other"}]


def test_rule_is_measured_first(tuning, stores, tables):
    for store, table in zip(tuning("stores").find_stores([stores]), tables):
        _, rule, others = next(tuning("rule_gaps").read(store))
        assert table.ratio[table.rule] == rule["ratio"] == store.first["ratio"]
        rest = table.without_rule()
        assert len(rest.rows) == len(rest.schedules) == len(table.rows) - 1 == len(others)
        assert table.schedules[table.rule] not in rest.schedules


def test_rule_gaps_tell_the_fields(tuning):
    rule, best = {"lanes": 8, "vector": 4}, {"lanes": 4, "vector": 4, "runs": 2}
    said = tuning("rule_gaps").differing(rule, best)
    assert said == "lanes 8 -> 4, runs none -> 2"


def test_too_little_to_train_on_is_refused(tuning, stores, tmp_path):
    few = "^expected a template with 10000 schedules in .*, got at most"
    with pytest.raises(SystemExit, match=few):
        tuning("stores").load([stores], TOOL, least=10_000)
    pytest.importorskip("torch")
    train = tuning("train_cost_model")
    kept, train.METRICS = train.METRICS, {}
    try:
        with pytest.raises(SystemExit, match="^expected traversals that reduce .*, got none"):
            run(train, stores, "--out", tmp_path / "cost.json")
    finally:
        train.METRICS = kept
    assert not (tmp_path / "cost.json").exists()


def test_twins_are_compared_by_the_graph(tuning):
    """A side whose fastest is the graph's slowest, and one that orders all alike."""
    twins, graph = tuning("twins"), {"a": 1.0, "b": 2.0, "c": 4.0, "d": 3.0}
    assert twins.compare(graph, {s: 10 * t for s, t in graph.items()}) == (4, pytest.approx(1), 0)
    assert twins.compare(graph, {"a": 3.0, "b": 2.0, "c": 1.0}) == (3, pytest.approx(-1), 3)
    assert twins.compare(graph, {"a": 1.0})[0] == 1
    graph = twins.load(tuning("cells").Known("n90-d6-v1.5-l0.5"), None)
    for side, same in (("shuffled", True), ("random", False)):
        made = twins.SIDES[side](graph)
        assert (np.diff(made.edge_dst) >= 0).all()
        for end in ("edge_src", "edge_dst"):
            counts = [np.bincount(getattr(g, end), minlength=90) for g in (graph, made)]
            assert (counts[0] == counts[1]).all() == same
            assert counts[0].sum() == counts[1].sum()


def test_twins_are_measured(tuning, capsys):
    run(tuning("twins"), "n90-d6-v1.5-l0.5/copy_u/20", "--target", "cpu", "--budget", 1)
    rows = [row.split(" | ") for row in capsys.readouterr().out.splitlines()[2:]]
    assert [row[2] for row in rows] == list(tuning("twins").SIDES)
    for row in rows:
        assert int(row[3]) > 1 and -1 <= float(row[4]) <= 1 and row[5].startswith("+")


def test_lanes_of_dots_follow_from_the_stores(tuning):
    """Twice as many lanes are as fast where a lane has as many vectors as there are lanes, which
    is where gnn-tile-schedule-lanes ends to double them."""
    script = tuning("dot_lanes")
    folders = [ROOT / "benchmarks/tuning/stores/h200" / name for name in ("lanes", "training")]
    of_cells = script.read(folders)
    for least in (2, 4):
        (_, warp, load), off = script.fit(of_cells, least)
        assert len(off) >= 20 and np.quantile(off, 0.8) < 0.25
        assert 0.8 < warp / load / 32 < 1.25


RANKER = ROOT / "test/Tools/Inputs/ranker.txt"


def test_programs_are_laid_out_by_a_model(tmp_path):
    """`schedule_rule` sets what the model ranks first."""
    graph = gnn_mlir.Graph([0, 1, 2, 0], [1, 2, 0, 2], 3, edge_type=[0, 1, 2, 0])
    module, saved = gnn_mlir.models.rgcn(3, (16, 16)), tmp_path / "saved.jsonl"

    def schedules(rule):
        gnn_mlir.compile(module, graph=graph, target="cpu", schedule_rule=rule,
                         save_schedules=saved)
        return [json.loads(line)["schedule"] for line in saved.read_text().splitlines()]
    ruled, ranked = schedules(None), schedules(f"ranked:{RANKER}")
    assert schedules("rule") == ruled != ranked
    listed = gnn_mlir.list_schedules(module, graph=graph, target="cpu")
    assert all(any(one["schedule"] == schedule for one in listed) for schedule in ranked)
    compiled = gnn_mlir.compile(module, graph=graph, target="cpu", schedule_rule=f"ranked:{RANKER}")
    inputs = compiled.source.random_inputs(graph, 1)
    np.testing.assert_allclose(
        compiled(graph, inputs), gnn_mlir.compile(module, graph=graph, target="cpu")(graph, inputs),
        rtol=1e-5, atol=1e-6)


CACHED = """
import pathlib, sys, gnn_mlir
graph = gnn_mlir.Graph([0, 1, 2, 0], [1, 2, 0, 2], 3, edge_type=[0, 1, 2, 0])
ranker, packages = pathlib.Path(sys.argv[1]).read_text(), []
for text in (ranker, ranker.replace("leaf_value=-1 2", "leaf_value=1 -2")):
    pathlib.Path("model.txt").write_text(text)
    for _ in range(2):
        compiled = gnn_mlir.compile(gnn_mlir.models.rgcn(3, (16, 16)), graph=graph, target="cpu",
                                    schedule_rule="ranked:model.txt")
    packages.append(compiled.package.to_bytes())
assert packages[0] != packages[1]
"""


def test_the_text_of_a_model_is_part_of_the_key(tmp_path):
    """In a process of its own: one that has loaded a plugin caches nothing."""
    subprocess.run([sys.executable, "-c", CACHED, RANKER], cwd=tmp_path, check=True,
                   env={**os.environ, "GNN_MLIR_CACHE": str(tmp_path / "cache")})
    assert len(list((tmp_path / "cache").rglob("*.gnnpkg"))) == 2


@pytest.mark.parametrize("rule, error, message", [
    ("luck", ValueError, "^schedule_rule: expected 'rule' or 'ranked:FILE', got 'luck'$"),
    ("ranked:", ValueError, "^schedule_rule: expected 'rule' or 'ranked:FILE', got 'ranked:'$"),
    (1, ValueError, "^schedule_rule: expected 'rule' or 'ranked:FILE', got 1$"),
    ("ranked:/none/x", FileNotFoundError, "/none/x"),
    (f"ranked:{__file__}", ValueError,
     "^schedule_rule: .*test_schedule_models.py:1: expected 'tree', with which"),
    (RANKER.read_text().replace("leaf_value=-1 ", "leaf_value=1e9999 "), ValueError,
     "^schedule_rule: .*model.txt:18: expected finite numbers of 'leaf_value', got an infinite one"),
    (RANKER.read_text().replace("field.vector", "field.vectors"), ValueError,
     "^schedule_rule: .*model.txt:7: expected features of schedules, got 'field.vectors'"),
    ('{"networks": []}', ValueError, "^schedule_rule: .*model.txt: expected networks, got none$")],
    ids=range(8))
def test_bad_rules(tmp_path, rule, error, message):
    if isinstance(rule, str) and not rule.startswith(("luck", "ranked:")):  # the text of a model
        (tmp_path / "model.txt").write_text(rule)
        rule = f"ranked:{tmp_path / 'model.txt'}"
    with pytest.raises(error, match=message):
        gnn_mlir.compile(gnn_mlir.models.gcn((8, 8)), target="cpu", schedule_rule=rule)
