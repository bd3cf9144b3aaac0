# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning on the CPU: what it finds can be compiled, what it is given is checked."""

import json
import os
import pickle
import re
import subprocess
import time

import numpy as np
import pytest

import gnn_mlir
from conftest import ROOT, find_tool
from gnn_mlir import cache, compiler_capi, models, tuning
from support.graphs import random_graph
from test_cache import make_others

RANKER = ROOT / "test/Tools/Inputs/ranker.txt"


def make_graph(nodes=300, edges=3000, edge_types=1, seed=0):
    rng = np.random.default_rng(seed)
    loops = np.arange(nodes) if edge_types == 1 else np.arange(0)
    src, dst = rng.integers(0, nodes, (2, edges))
    src, dst = src[src != dst], dst[src != dst]
    return gnn_mlir.Graph(np.concatenate([src, loops]), np.concatenate([dst, loops]), nodes,
                          edge_type=None if edge_types == 1 else rng.integers(
                              0, edge_types, len(src)))


@pytest.fixture(scope="module")
def gcn():
    graph = make_graph()
    layer = gnn_mlir.compile(models.gcn((16, 16)), graph=graph, target="cpu")
    return layer, graph, layer.source.random_inputs(graph, 1)


@pytest.fixture(scope="module")
def tool():
    path = find_tool("gnn-tune")
    if path is None:
        pytest.skip("needs gnn-tune")
    return path


def test_what_is_found_compiles_and_computes_the_same(gcn, tmp_path):
    layer, graph, inputs = gcn
    store = tmp_path / "store.jsonl"
    found = gnn_mlir.tune(layer, graph, inputs, budget=4, store=store, cell="a cell")
    assert not found.stopped
    assert all(one["timed"] > 0 for one in found.templates)
    assert "template" in str(found)
    assert repr(found) == f"Tuning(3 kernels, {len(found.schedules)} with faster schedules)"
    found.save(tmp_path / "found.jsonl")
    expected = layer(graph, inputs)
    for schedules in (found.schedules, tmp_path / "found.jsonl"):
        tuned = gnn_mlir.compile(models.gcn((16, 16)), graph=graph, target="cpu",
                                 schedules=schedules)
        np.testing.assert_allclose(tuned(graph, inputs), expected, rtol=1e-4, atol=1e-5)
    lines = [json.loads(line) for line in store.read_text().splitlines()]
    assert {line["cell"] for line in lines} == {"a cell"}
    assert len(lines) >= sum(one["timed"] + one["dropped"] for one in found.templates)
    # Every schedule of the store can be compiled: those that were timed gave the same result.
    some = next(line for line in reversed(lines) if line["template"] == "traverse")
    keys = "function", "graph", "template", "domain", "accesses", "types", "body", "schedule"
    tuned = gnn_mlir.compile(models.gcn((16, 16)), graph=graph, target="cpu",
                             schedules=[{key: some[key] for key in keys}])
    np.testing.assert_allclose(tuned(graph, inputs), expected, rtol=1e-4, atol=1e-5)


def test_one_kernel_of_a_program(gcn):
    _, graph, _ = gcn
    found = gnn_mlir.tune(models.gcn((16, 16)), graph, target="cpu", budget=1, op=2)
    assert [one["timed"] > 0 for one in found.templates] == [False, False, True]


def test_equal_kernels_are_searched_once():
    graph = make_graph(edge_types=2)
    text = (ROOT / "test/Tools/tune-equal.mlir").read_text()
    program = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
    found = gnn_mlir.tune(program, {"g": graph}, target="cpu", budget=1)
    first, second = found.templates
    assert first["timed"] > 0 and "same_as" not in first
    assert second["same_as"] == 0 and second["timed"] == 0
    assert first["milliseconds"] == second["milliseconds"] > 0
    assert first.get("ratio") == second.get("ratio")
    assert "as 0" in str(found).splitlines()[-1]


def test_a_pass_of_a_gradient(gcn):
    _, graph, _ = gcn
    layer = gnn_mlir.compile(models.gcn((16, 16)), graph=graph, target="cpu", gradients=True)
    found = gnn_mlir.tune(layer, graph, budget=1, function="gcn_backward")
    assert any(one["timed"] for one in found.templates)


def test_a_compiled_function_keeps_its_stage_passes():
    """Those of plugins are such passes, too."""
    graph = make_graph(edge_types=3)

    def domains(**options):
        layer = gnn_mlir.compile(models.rgcn(3, (16, 16)), graph=graph, target="cpu", **options)
        return [one["name"] for one in gnn_mlir.tune(layer, graph, budget=0.1, op=0).templates]
    off = {"compact": False}
    assert domains(passes=off) != domains()
    assert domains(passes=off, stage_passes={"graph-end": "func.func(gnn-compact)"}) == domains()


@pytest.mark.parametrize("passes, refused", [
    ("schedule-begin: cse, gnn-tile-apply-records{file=FILE}", "gnn-tile-apply-records"),
    ("tile-end: gnn-tile-apply-records {file=FILE}, cse", "gnn-tile-apply-records"),
    ("schedule-begin: gnn-tile-apply-schedules{file=FILE},cse", "gnn-tile-apply-schedules"),
    ("schedule-begin: cse, gnn-tile-rank-schedules{rule=ranked:RANKER}", "gnn-tile-rank-schedules"),
    ("schedule-end: gnn-tile-save-schedules{file=gnn-tile-apply-records.jsonl}", None)])
def test_passes_that_take_schedules(gcn, tmp_path, monkeypatch, passes, refused):
    """Others are compared with the schedules of the rules, not with those of a file or a model."""
    monkeypatch.chdir(tmp_path)
    _, graph, _ = gcn
    (tmp_path / "empty.jsonl").write_text("")
    point, text = passes.replace("FILE", "empty.jsonl").replace("RANKER", str(RANKER)).split(": ")
    layer = gnn_mlir.compile(models.gcn((16, 16)), graph=graph, target="cpu",
                             stage_passes={point: text})
    if refused is None:
        gnn_mlir.tune(layer, graph, budget=0.1, op=0)
        return
    with pytest.raises(ValueError, match="^stage_passes: expected no pass that takes schedules of a "
                                         f"file or by a model where schedules are tuned, got '{refused}'"):
        gnn_mlir.tune(layer, graph, budget=0.1, op=0)


MAXIMUM = """
#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @f(%x: tensor<?x8xf32, #node> {gnn.name = "x"})
    -> (tensor<?x8xf32, #node> {gnn.name = "out"}) {
  %m = gnn.gather %x via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  %s = gnn.aggregate max %m via dst : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #node>
  return %s : tensor<?x8xf32, #node>
}"""


def test_a_backward_pass_reads_what_the_forward_pass_keeps(monkeypatch):
    """Zeros for the edges that a maximum took would be the gradients of one edge alone."""
    graph = make_graph()
    layer = gnn_mlir.compile(MAXIMUM, graph=graph, target="cpu", gradients=True)
    x = np.random.default_rng(1).standard_normal((300, 8)).astype(np.float32)
    run, seen = tuning._run, {}

    def watched(text, graphs, settings, given, arrays, *others):
        seen.update(arrays)
        return run(text, graphs, settings, given, arrays, *others)

    monkeypatch.setattr(tuning, "_run", watched)
    found = gnn_mlir.tune(layer, graph, {"x": x}, budget=1, function="f_backward")
    assert any(one["timed"] for one in found.templates)
    kept = layer.forward(graph, {"x": x})[1].kept
    (name, edges), = ((name, value) for name, value in kept.items() if value.dtype == np.int32)
    np.testing.assert_array_equal(seen[name], edges)
    assert len(np.unique(edges)) > 300
    with pytest.raises(gnn_mlir.GNNError,
                       match=f"expected the values of i32 input '{name}', got none"):
        gnn_mlir.tune(layer, graph, budget=1, function="f_backward")


def test_a_graph_and_inputs(gcn):
    with pytest.raises(ValueError, match="expected a graph and inputs, got 3 arguments"):
        gnn_mlir.tune(gcn[0], 1, 2, 3)


def test_a_synthetic_graph(gcn):
    """Without a graph there is one of the declared statistics."""
    layer, graph, _ = gcn
    with pytest.raises(gnn_mlir.GNNError, match=r"graph 'g': expected a graph, or .*got neither"):
        gnn_mlir.tune(layer, budget=1)
    declared = models.gcn((16, 16)).text().replace(
        "gnn.graph @g square {", f"gnn.graph @g square {{stats = {graph.stats()}, ")
    compiled = gnn_mlir.compile(declared, target="cpu")
    found = gnn_mlir.tune(compiled, budget=1, seed=4)
    assert any(one["timed"] for one in found.templates)
    line, = found.graphs
    assert str(found).startswith(line)
    assert line.startswith("graph 'g' is synthetic, made of its statistics by seed 4: "
                           f"300 nodes, {graph.num_edges} edges of 1 type; ")
    assert gnn_mlir.tune(compiled, budget=1, seed=4, op=2).graphs == found.graphs
    assert gnn_mlir.tune(layer, graph, budget=1, op=2).graphs == []


@pytest.fixture
def planted(gcn, tool, tmp_path, monkeypatch):
    """A record of the last kernel in an empty folder of programs, and its schedule: measured,
    and said to be twice as fast as the rule's."""
    layer, graph, _ = gcn
    monkeypatch.setenv("GNN_MLIR_CACHE", str(tmp_path / "cache"))
    store = tmp_path / "store.jsonl"
    gnn_mlir.tune(layer, graph, budget=3, op=2, search="random", store=store, cell="a", keep=False)
    lines = [json.loads(line) for line in store.read_text().splitlines()]
    chosen, *others = [line for line in lines if "ratio" in line]
    other = next(line for line in others if line["schedule"] != chosen["schedule"])
    for line, ratio in ((chosen, 1), (other, 0.5)):
        line.update(ratio=ratio, milliseconds=ratio, spread=0)
    store.write_text(f"{json.dumps(chosen)}\n{json.dumps(other)}\n")
    (tmp_path / "gcn.mlir").write_text(layer.origin[0])
    graph.save(tmp_path / "graph.npz")
    subprocess.run([tool, tmp_path / "gcn.mlir", "--graph", tmp_path / "graph.npz", "--target=cpu",
                    "--replay", store, "--cell=a", "--op=2", "--search=exhaustive", "--out",
                    tmp_path / "found.jsonl", "--records", cache.records()], check=True)
    return other["schedule"]


def test_records(gcn, planted, tmp_path):
    """What was found is taken by programs with other names, and ends with its file."""
    _, graph, _ = gcn
    model, saved = models.gcn((16, 16)), tmp_path / "saved.jsonl"

    def schedules(tuned, program=model):
        gnn_mlir.compile(program, graph=graph, target="cpu", tuned=tuned, save_schedules=saved)
        return [json.loads(line)["schedule"] for line in saved.read_text().splitlines()]
    chosen = schedules(False)
    *others, last = schedules(True)
    assert others == chosen[:-1] and last != chosen[-1] and planted.items() <= last.items()
    renamed = model.text().replace("@gcn", "@other").replace("@g ", "@h ").replace("@g,", "@h,")
    assert schedules(True, renamed) == [*others, last]
    path = cache.records()
    path.write_text('{"torn\n' + path.read_text() + "no record\n")
    assert schedules(True) == [*others, last] and schedules(False) == chosen
    cache.clear()
    assert not path.exists() and schedules(True) == chosen


def test_what_was_found_is_kept(gcn, planted):
    """Beside the records that are there."""
    layer, graph, _ = gcn
    records = cache.records()
    before = records.read_text()
    gnn_mlir.tune(layer, graph, budget=1, op=2, keep=False)
    assert before and records.read_text() == before
    found = gnn_mlir.tune(layer, graph, budget=1, op=2)
    kept = records.read_text().removeprefix(before).splitlines()
    assert [json.loads(line)["schedule"] for line in kept] == [
        one["schedule"] for one in found.schedules]


@pytest.mark.parametrize("kind", ["pipe", "folder", "link"])
def test_what_was_found_is_not_written_to_what_is_no_file(gcn, tmp_path, monkeypatch, caplog, kind):
    """`compile` takes nothing from there."""
    monkeypatch.setenv("GNN_MLIR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_warned", set())
    make_others(kind, path := cache.records(), tmp_path)
    found = gnn_mlir.tune(models.gcn((16, 16)), gcn[1], target="cpu", budget=0.5, op=2)
    assert found.templates[2]["timed"] > 0
    assert [line.endswith("tune finds are neither kept nor taken") for line in caplog.messages
            if line.startswith(f"{path}: expected a file")] == [True]
    assert kind != "link" or not (tmp_path / "elsewhere").read_text()


def test_reports_say_where_schedules_are_from(gcn, planted, tmp_path):
    _, graph, _ = gcn
    asked, source = dict(graph=graph, target="cpu"), "record of records.jsonl"

    def sources(**options):
        plan = gnn_mlir.compile(models.gcn((16, 16)), **asked, **options).package.plan()
        return [step.get("schedule_from") for step in plan["functions"][0]["steps"]]
    assert sources() == [None] * 3
    assert sources(tuned=True) == [None, None, source]
    model = "model ranker.txt"  # It is for no product.
    assert sources(schedule_rule=f"ranked:{RANKER}") == [model, None, model]
    assert sources(schedule_rule=f"ranked:{RANKER}", tuned=True) == [model, None, source]
    lines = tmp_path / "saved.jsonl"
    gnn_mlir.compile(models.gcn((16, 16)), **asked, save_schedules=lines)
    assert sources(schedules=lines) == [f"file saved.jsonl:{line}" for line in (1, 2, 3)]

    def explained(**options):
        return gnn_mlir.explain(models.gcn((16, 16)), **asked, **options)
    assert "\nschedules: of 3 kernels by the rules\n" in explained()
    tuned = explained(tuned=True)
    assert f"\nschedules: of 2 kernels by the rules, 1 from {source}\n" in tuned
    assert re.search(rf"^  gcn_\w+ +from {source} ", tuned, re.MULTILINE)
    assert f"of 1 kernel by the rules, 2 from {model}\n" in explained(schedule_rule=f"ranked:{RANKER}")
    page = tmp_path / "page.html"
    assert "by the rules, 1 from file saved.jsonl:1, 1 from " in explained(
        schedules=lines, html=page)
    assert "from file saved.jsonl:3" in page.read_text()
    as_dicts = explained(schedules=[json.loads(line) for line in lines.read_text().splitlines()])
    of_file = explained(schedules=lines).replace(str(lines), "schedules.jsonl")
    assert as_dicts.split() == of_file.replace("saved.jsonl", "schedules.jsonl").split()
    assert "1 from file schedules.jsonl:1, 1 from " in as_dicts
    with pytest.raises(ValueError, match="schedules: expected a path or a list of dicts, got {}"):
        explained(schedules={})
    with pytest.raises(IsADirectoryError, match=f"'{tmp_path}'"):
        explained(schedules=tmp_path)


def test_a_record_changes_what_the_cache_of_programs_gives(gcn, planted, tmp_path):
    """That of the programs that take it, and of no other ones."""
    _, graph, inputs = gcn

    def compile_tuned(width=16, tuned=True):
        before = set((tmp_path / "cache").glob("*.gnnpkg"))
        compiled = gnn_mlir.compile(models.gcn((16, width)), graph=graph, target="cpu", tuned=tuned)
        return compiled, len(set((tmp_path / "cache").glob("*.gnnpkg")) - before)

    assert [compile_tuned(width)[1] for width in (16, 16, 24, 24)] == [1, 0, 1, 0]
    assert [compile_tuned(width, False)[1] for width in (16, 24)] == [1, 0]  # 24 has no records.
    path = cache.records()
    record = json.loads(path.read_text())
    with open(path, "a", encoding="utf-8") as file:  # of a program that is none of these
        file.write(json.dumps({**record, "body": "0"}) + "\n{}\n[]\n")
    assert [compile_tuned(width)[1] for width in (16, 24)] == [0, 0]
    expected = compile_tuned()[0](graph, inputs)
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps({**record, "schedule": {"rows_per_block": 1}}) + "\n")
    (again, count), (_, none) = compile_tuned(), compile_tuned(24)
    assert (count, none) == (1, 0)
    np.testing.assert_allclose(again(graph, inputs), expected, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="tuned: expected True or False, got 'yes'"):
        gnn_mlir.compile(models.gcn((16, 16)), tuned="yes")


def test_filters(gcn):
    layer, graph, inputs = gcn
    found = gnn_mlir.tune(layer, graph, inputs, budget=1, op=2, filters=["balance"])
    removed = found.templates[2]["filtered"]["balance"]
    assert removed > 0
    assert str(found).splitlines()[-1].split("  ")[-1].strip() == (
        f"not compiled, by filters: {removed} balance")
    found = gnn_mlir.tune(layer, graph, inputs, budget=1, op=2, filters=[])
    assert found.templates[2]["filtered"] == {}
    asked = dict(graph=graph, target="cuda", chip="sm_90", vary=["rows_per_block", "in_flight"])
    module = models.gcn((16, 16))
    listed, left = ([json.dumps(line) for line in gnn_mlir.list_schedules(
        module, filters=filters, **asked)] for filters in ((), ["registers", "balance"]))
    assert 0 < len(left) < len(listed) and set(left) < set(listed)
    with pytest.raises(ValueError, match="^filters: expected registers, .*, got 'luck'$"):
        gnn_mlir.list_schedules(module, filters=["luck"], **asked)


def test_page_has_the_settings(gcn):
    with pytest.raises(ValueError) as caught:
        compiler_capi.TuneSettings(luck=1)
    known = re.search("expected one of (.*), got 'luck'", str(caught.value))[1].split(", ")
    page = (ROOT / "docs/CAPI.md").read_text().split("## Settings of tuning")[1].split("```")[0]
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == known


def test_progress(gcn):
    layer, graph, inputs = gcn
    seen = []
    gnn_mlir.tune(layer, graph, inputs, budget=1, op=2, progress=lambda *told: seen.append(told))
    name, timed, dropped, best, done = seen[-1]
    assert "traverse" in name and timed > 0 and dropped >= 0 and 0 < best and 0 < done <= 1


def test_long_kernels_are_searched_first():
    """The kernel of degrees, the first of the function, is the shortest by far."""
    seen = []
    found = gnn_mlir.tune(models.gcn((64, 64)), make_graph(5000, 200000), target="cpu", budget=2,
                          progress=lambda name, *_: seen.append(name))
    assert len(found.templates) == 3 and seen[0] != found.templates[0]["name"]


def test_an_error_of_progress_ends_the_search(gcn):
    layer, graph, inputs = gcn

    def fail(*_):
        raise RuntimeError("planted")
    begin = time.monotonic()
    with pytest.raises(RuntimeError, match="planted"):
        gnn_mlir.tune(layer, graph, inputs, budget=60, progress=fail)
    assert time.monotonic() - begin < 30


def test_an_error_keeps_what_was_found_before_it(gcn, tmp_path):
    layer, graph, inputs = gcn
    store = tmp_path / "store.jsonl"

    def fail(name, *_):
        if name.startswith("1 ") and store.is_file():
            store.unlink()
            store.mkdir()
    with pytest.raises(gnn_mlir.TuneError, match=r"^template 1 gcn_1_.*cannot write") as caught:
        gnn_mlir.tune(layer, graph, inputs, budget=6, store=store, progress=fail)
    timed = [one["timed"] > 0 for one in caught.value.found.templates]
    assert timed[1] and not timed[0]  # the shortest is the last
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.found.templates == caught.value.found.templates


def test_a_ranked_search_measures_what_gnn_tune_does(gcn, tool, tmp_path):
    """In the order of the model, whatever the times are."""
    layer, graph, inputs = gcn
    graph.save(tmp_path / "graph.npz")
    (tmp_path / "gcn.mlir").write_text(models.gcn((16, 16)).text())
    gnn_mlir.tune(layer, graph, inputs, budget=60, op=2, search="ranked", model=RANKER,
                  store=tmp_path / "python.jsonl")
    subprocess.run([tool, tmp_path / "gcn.mlir", "--graph", tmp_path / "graph.npz", "--target=cpu",
                    "--budget=60s", "--op=2", "--search=ranked", "--model", RANKER, "--out",
                    tmp_path / "found.jsonl", "--store", tmp_path / "tool.jsonl"], check=True)
    of_python, of_tool = ([json.loads(line)["schedule"] for line in path.read_text().splitlines()]
                          for path in (tmp_path / "python.jsonl", tmp_path / "tool.jsonl"))
    assert of_python[:11] == of_tool[:11]
    assert len({json.dumps(one) for one in of_python}) in (10, 11)


def test_templates_are_named_as_kernels_of_a_report():
    graph = random_graph(40, 200, 1, 3, seed=1)
    layer = gnn_mlir.compile(models.rgcn(3, (16, 16)), graph=graph, target="cpu")
    found = gnn_mlir.tune(layer, graph, budget=0.1)
    bound = layer.bind(graph)
    assert [one["name"].split(" ")[1] for one in found.templates] == [
        step["kernel"] for step in bound.report()["steps"]]


def test_templates_of_several_functions(gcn):
    _, graph, _ = gcn
    layer = gnn_mlir.compile(models.gcn((16, 16)), graph=graph, target="cpu", gradients=True)
    found = gnn_mlir.tune(layer, graph, budget=1, op=0, function="gcn_forward")
    found.graphs = ["a graph"]
    other = gnn_mlir.tune(layer, graph, budget=1, op=0, function="gcn_backward")
    other.graphs = ["a graph", "another graph"]
    found.add(other)
    assert found.graphs == ["a graph", "another graph"]
    assert {one["function"] for one in found.templates} == {"gcn_forward", "gcn_backward"}
    assert "  0 gcn_forward_0_" in str(found) and "  0 gcn_backward_0_" in str(found)


@pytest.mark.parametrize("change, message", [
    (dict(budget=0), "budget: expected a number of seconds above 0, got 0"),
    (dict(budget=float("nan")), "budget: expected a number of seconds above 0, got nan"),
    (dict(budget="5s"), "budget: expected a number of seconds above 0, got '5s'"),
    (dict(budget=10**400), "budget: expected a number of seconds above 0, got 1000"),
    (dict(budget=1e10), "budget: expected a time above 0 and of at most 1e9 s, "),
    (dict(search="luck"), "search: expected one of coordinate, .*, sampling, got 'luck'"),
    (dict(search=1), "search: expected a text, got 1"),
    (dict(search=None), "search: expected one of coordinate, .*, sampling, got ''"),
    (dict(search="ranked"), "model: expected a file for search 'ranked', got none"),
    (dict(model=__file__), "model: expected none for search 'coordinate', got '.*test_tuning.py'"),
    (dict(search="ranked", model=__file__), "model: .*test_tuning.py:1: expected 'tree'"),
    (dict(model="a\0b"), r"model: expected a path without null characters, got 'a\\x00b'"),
    (dict(model=1), "model: expected a path, got 1"),
    (dict(op=-1), "op: expected an integer of at least 0, got -1"),
    (dict(op=2**64), f"op: expected a whole number from 0 to 2147483647, got '{2**64}'"),
    (dict(seed=1.5), "seed: expected an integer, got 1.5"),
    (dict(seed=None), "seed: expected an integer, got None"),
    (dict(seed=2**64), f"seed: expected a whole number from 0 to {2**64 - 1}, got '{2**64}'"),
    (dict(op=True), "op: expected an integer, got True"),
    (dict(op=9), r"op: expected the number of a template of 'gcn', one of 0 gcn_0_\w+ \(.*\); got 9"),
    (dict(function="f"), "function: expected one of gcn, got 'f'"),
    (dict(function=3), "function: expected a text, got 3"),
    (dict(filters=["luck"]), "filters: expected registers, utilization, balance, got 'luck'"),
    (dict(filters="balance"), "filters: expected a list of words, got 'balance'"),
    (dict(filters=3), "filters: expected a list of words, got 3"),
    (dict(filters=["balance\0"]), r"filters: expected a list of words, got \['balance\\x00'\]"),
    (dict(cell="a\0b"), r"cell: expected a text without null characters, got 'a\\x00b'"),
    (dict(cell=3), "cell: expected a text, got 3"),
    (dict(cell="\ud800"), r"cell: expected a text that UTF-8 can spell, got '\\ud800'"),
    (dict(keep="yes"), "keep: expected True or False, got 'yes'"),
    (dict(progress=3), "progress: expected a function, got 3"),
    (dict(target="cuda"), "target: expected none for a compiled function"),
    (dict(schedule="x"), r"schedule: expected an option of tune \(budget, "),
    (dict(store="/nonexistent/store.jsonl"), "store: cannot write '/nonexistent/store.jsonl'"),
    (dict(inputs=[1]), r"inputs: expected a dict of inputs by name, got \[1\]"),
    (dict(inputs={"x\0y": np.zeros((300, 16), np.float32)}),
     r"inputs: expected a text without null characters, got 'x\\x00y'"),
    (dict(inputs={3: np.zeros((300, 16), np.float32)}),
     "inputs: expected a text, got 3"),
    (dict(inputs={"y": np.zeros(3, np.float32)}), "inputs: expected one of x, .*; got 'y'"),
    (dict(inputs={"x": np.zeros((3, 16), np.float32)}),
     r"input 'x': expected f32\[300, 16\], got f32\[3, 16\]"),
    (dict(inputs={"x": np.zeros((300, 16))}),
     r"input 'x': expected f32\[300, 16\], got f64\[300, 16\]"),
    *((dict(inputs={"x": np.zeros((300, 16), dtype)}),
       fr"input 'x': expected f32\[300, 16\], got {name}\[300, 16\]")
      for dtype, name in ((complex, "complex128"), (object, "object"), (bool, "i1"))),
    (dict(inputs={"x": [[1, 2], [3]]}),
     "input 'x': expected an array or equally long lists, got: "),
    (dict(inputs={"x": np.ma.masked_array(np.zeros((300, 16), np.float32), False)}),
     "input 'x': expected an array without a mask, got one with it"),
])
def test_what_is_wrong_is_said(gcn, change, message):
    layer, graph, _ = gcn
    with pytest.raises((ValueError, gnn_mlir.GNNError), match=f"^{message}"):
        gnn_mlir.tune(layer, graph, **{"budget": 1, **change})


def test_a_kernel_that_is_not_there_is_an_invalid_argument(gcn):
    for op in (9, 2**40):
        with pytest.raises(ValueError, match="^op: expected "):
            gnn_mlir.tune(*gcn[:2], budget=1, op=op)


def test_inputs_are_in_the_byte_order_of_the_machine():
    given = np.arange(6, dtype=np.float32).reshape(2, 3)
    for other in (given.astype(">f4"), given.astype("<f4"), np.asfortranarray(given)):
        array = tuning._array("x", other)
        assert array.flags.c_contiguous and array.tobytes() == given.tobytes()
    assert tuning._array("n", np.array(3, ">i8")).tobytes() == np.int64(3).tobytes()


def test_a_model_that_is_not_there(gcn, tmp_path):
    with pytest.raises(IsADirectoryError, match=f"'{tmp_path}'"):
        gnn_mlir.tune(*gcn, search="ranked", model=tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="model: expected a file, got the named pipe"):
        gnn_mlir.tune(*gcn, search="ranked", model=tmp_path / "pipe")
    with pytest.raises(FileNotFoundError, match="/none/x"):
        gnn_mlir.tune(*gcn, search="ranked", model="/none/x")


def test_other_programs_and_graphs(gcn):
    layer, graph, _ = gcn
    with pytest.raises(ValueError, match="the emulator has no times: expected cuda or cpu"):
        gnn_mlir.tune(models.gcn((16, 16)), graph, target="emulator")
    with pytest.raises((ValueError, gnn_mlir.GNNError), match="expected 1 edge types?, got 3"):
        gnn_mlir.tune(models.gcn((16, 16)), make_graph(edge_types=3), target="cpu", budget=1)


def test_a_form_in_front_of_kernels(gcn):
    loops = gnn_mlir.compile(models.gcn((16, 16)), graph=gcn[1], target="cpu", stop_at="loops")
    with pytest.raises(ValueError, match="^program: expected a function that was compiled to "
                                         "kernels, got one with stop_at='loops'$"):
        gnn_mlir.tune(loops, gcn[1])


def test_what_was_found_before_an_error(gcn, monkeypatch):
    answer = {"schedules": [{"template": "gemm"}], "templates": [{"name": "0"}]}
    error = gnn_mlir.GNNError("template 1: schedule <lanes = 8> runs for ever")
    monkeypatch.setattr(tuning, "_run", lambda *_: (json.dumps(answer), error))
    with pytest.raises(gnn_mlir.TuneError, match="^template 1: schedule <lanes = 8> runs") as caught:
        gnn_mlir.tune(*gcn)
    assert caught.value.found.schedules == answer["schedules"]
