# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a program to a callable: errors, threads, inputs of all kinds."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import models
from support import errors
from support.graphs import random_graph


@pytest.fixture
def graph():
    return random_graph(40, 200, 3, 4, seed=1)


@pytest.fixture(scope="module")
def rgcn(compiler):
    return gnn_mlir.compile(models.rgcn(4, (5, 6), node_types=3))


# Programs that fail in each part of the compiler.
FAILURES = {
    "parser": ("func.func @f() {\n  what\n}", "program.mlir:2:3: "),
    "verifier": ('func.func @f() -> f32 {\n  return\n}', "program.mlir:2:3: "),
    "launch plan": ("func.func @f(%i: index) {\n  return\n}",
                    "program.mlir:1:1: expected buffers as arguments, got "
                    "'index'"),
}


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder for temporary files, empty."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("part", FAILURES)
def test_failures_can_be_repeated(compiler, gnn_opt, temporary, part):
    text, message = FAILURES[part]
    with pytest.raises(gnn_mlir.CompileError) as info:
        gnn_mlir.compile(text, "f")
    error = info.value
    assert not list(temporary.iterdir())
    assert error.diagnostics[0].startswith(message)
    assert str(error).startswith(message)
    assert "gnn-opt --run-reproducer FILE" in str(error)
    (temporary / "again.mlir").write_text(error.reproducer)
    again = subprocess.run([gnn_opt, "--run-reproducer", temporary / "again.mlir"],
                           capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert error.diagnostics[0].split(": ", 1)[1] in again.stderr


def test_other_errors_need_no_reproducer(compiler, graph, temporary):
    with pytest.raises(ValueError, match="expected one of rgcn, got 'gcn'"):
        gnn_mlir.compile(models.rgcn(4), "gcn")
    with pytest.raises(ValueError, match="expected one of cuda, emulator, cpu, .*got 'tpu'"):
        gnn_mlir.compile(models.rgcn(4), target="tpu")
    with pytest.raises(ValueError, match="^passes: expected options of .*, got 'fuse-all'$"):
        gnn_mlir.compile(models.rgcn(4), passes={"fuse-all": True})
    with pytest.raises(ValueError, match="^stage_passes: .*, got 'end=cse'$"):
        gnn_mlir.compile(models.rgcn(4), stage_passes={"end": "cse"})
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("call", [gnn_mlir.compile, gnn_mlir.explain, gnn_mlir.list_schedules])
@pytest.mark.parametrize("options, message", [
    ({"passes": {"fuse-all": True}}, "passes: expected options of .*, got 'fuse-all'"),
    ({"passes": {"fuse": "maybe"}}, "passes: fuse: expected true or false, got 'maybe'"),
    ({"chip": "sm_1"}, "chip: expected h200, .*, got 'sm_1'"),
    ({"chip": "h100\0x"}, r"chip: expected a text without null characters, got 'h100\\x00x'"),
    ({"chip": "\ud800"}, r"chip: expected a text that UTF-8 can spell, got '\\ud800'")])
def test_wrong_options_are_value_errors(compiler, call, options, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        call(models.rgcn(4), **options)


def test_a_model_of_schedules_in_a_folder_of_other_bytes(compiler, tmp_path):
    folder = os.path.join(os.fsencode(tmp_path), b"\xff")
    os.mkdir(folder)
    ranker = pathlib.Path(__file__).parents[2] / "test/Tools/Inputs/ranker.txt"
    shutil.copy(ranker, os.path.join(folder, b"m.trees"))
    rule = "ranked:" + os.fsdecode(os.path.join(folder, b"m.trees"))
    assert gnn_mlir.compile(models.gcn((8, 8)), target="emulator", schedule_rule=rule)


@pytest.mark.parametrize("options, message", [
    ({"function": ["x"]}, "function: expected a text, got .*"),
    ({"plugins": 5}, "plugins: expected a list of paths, got 5"),
    ({"stop_at": "loops\0x"}, "stop_at: expected a text without null characters, got .*"),
    ({"stage_passes": {"graph-end": "cse\0"}},
     "stage_passes: expected a text without null characters, got .*")])
def test_wrong_types_are_value_errors(compiler, options, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        gnn_mlir.compile(models.rgcn(4), **options)


def test_phases_are_kept(compiler, tmp_path):
    gnn_mlir.compile(models.gcn((4, 4)), keep_phases=tmp_path / "phases")
    names = sorted(p.name for p in (tmp_path / "phases").iterdir())
    assert names[:8] == ["1-graph.mlir", "2-tile.mlir", "3-schedule.mlir",
                         "4-block.mlir", "5-loops.mlir", "6-lanes.mlir",
                         "7-gpu.mlir", "8-math.mlir"]


def test_bad_inputs(rgcn, graph):
    inputs = rgcn.source.random_inputs(graph)
    with pytest.raises(ValueError, match="expected an input 'bias'"):
        rgcn(graph, {k: v for k, v in inputs.items() if k != "bias"})
    with pytest.raises(ValueError, match="got 'wieght'"):
        rgcn(graph, {**inputs, "wieght": inputs["weight"]})
    with pytest.raises(ValueError, match=r"'x': expected shape \(40, 5\), got "
                                         r"\(39, 5\)"):
        rgcn(graph, {**inputs, "x": inputs["x"][1:]})
    with pytest.raises(ValueError, match="'x': expected float32, got float64"):
        rgcn(graph, {**inputs, "x": inputs["x"].astype(np.float64)})
    with pytest.raises(gnn_mlir.GNNError, match="expected 4.*got 1"):
        rgcn(random_graph(40, 200, 3, 1), inputs)


@pytest.mark.parametrize("model", [
    models.gcn((5, 4)), models.sgc(5, 4), models.gat((5, 4)), models.gatv2((5, 4)),
    models.graphgym(5, 4, 4)])
def test_models_say_that_they_need_self_loops(compiler, graph, model):
    """A line of the message makes them."""
    function, = model.functions.values()
    plain = gnn_mlir.merge_types(graph)
    compiled = gnn_mlir.compile(model)
    inputs = function.random_inputs(gnn_mlir.add_self_loops(plain, "replace", 0))
    wanted = r"graph 'g': expected one self loop at each node, got \d+ at node \d+"
    for run in (compiled, function.evaluate):
        with pytest.raises((ValueError, gnn_mlir.GNNError), match=wanted):
            run(plain, inputs)
    with pytest.raises(gnn_mlir.GNNError, match=wanted) as refused:
        compiled.bind(plain)
    line = re.search(r"gnn_mlir\.\w+\(.*\)", str(refused.value)).group()
    looped = eval(line, {"gnn_mlir": gnn_mlir, "graph": plain})
    errors.check("out", compiled(looped, inputs),
                 function.evaluate(looped, inputs)["out"], 1e-4, 1e-3)


def test_nan_propagates(rgcn, graph):
    """A row that is NaN makes NaN of itself and of what it has edges to, and of
    nothing else."""
    inputs = rgcn.source.random_inputs(graph)
    node = int(graph.edge_src[0])
    inputs["x"][node] = np.nan
    out = rgcn(graph, inputs)
    expected = {node, *graph.edge_dst[graph.edge_src == node].tolist()}
    assert 1 < len(expected) < graph.num_nodes
    assert set(np.flatnonzero(np.isnan(out).all(1)).tolist()) == expected
    assert set(np.flatnonzero(np.isnan(out).any(1)).tolist()) == expected
    reference = rgcn.source.evaluate(graph, inputs)["out"]
    errors.check("out", out, reference)


def test_threads_share_a_binding(rgcn, graph):
    binding = rgcn.bind(graph)
    sets = [rgcn.source.random_inputs(graph, seed) for seed in range(4)]
    expected = [binding(inputs) for inputs in sets]
    found = [[] for _ in sets]

    def work(i):
        for _ in range(5):
            found[i].append(binding(sets[i]))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(sets))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for outputs, wanted in zip(found, expected):
        assert len(outputs) == 5
        for out in outputs:
            np.testing.assert_array_equal(out, wanted)


def test_threads_compile(compiler, graph):
    module = models.gcn((3, 4))
    looped = gnn_mlir.add_self_loops(gnn_mlir.merge_types(graph), "replace", 0)
    inputs, results = module.functions["gcn"].random_inputs(looped), []

    def work():
        results.append(gnn_mlir.compile(module)(looped, inputs))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(*results)


@pytest.fixture(scope="module")
def typed(compiler):
    """HGT, which takes a dict by node type, each of its own width, as PyG does:
    the function, a graph with names, the dict and the weights."""
    ends = np.random.default_rng(1).integers(0, 40, (2, 200))
    graph = gnn_mlir.Graph(*ends, edge_type=np.arange(200) % 4,
                           node_type=np.arange(40) % 7 % 3,
                           node_type_names=["paper", "author", "venue"])
    hgt = gnn_mlir.compile(models.hgt(3, 4, (8, 8), 2, {0: 5, 1: 7, 2: 5}))
    rng = np.random.default_rng(0)
    features = {name: rng.standard_normal((int((graph.node_type == t).sum()), width))
                .astype(np.float32) for t, (name, width) in enumerate(
                    zip(graph.node_type_names, (5, 7, 5)))}
    weights = {k: v for k, v in hgt.source.random_inputs(graph).items()
               if not k.startswith("x_")}
    return hgt, graph, features, weights


def test_inputs_by_node_type(typed):
    """They are placed node by node; the two types of one width are told apart."""
    hgt, graph, features, weights = typed
    rows = {"x_5": np.zeros((40, 5), np.float32), "x_7": np.zeros((40, 7), np.float32)}
    seen = [0, 0, 0]
    for node, kind in enumerate(graph.node_type):
        part = features[graph.node_type_names[kind]]
        rows[f"x_{part.shape[1]}"][node] = part[seen[kind]]
        seen[kind] += 1
    assert min(seen) > 1
    expected = hgt.source.evaluate(graph, {**rows, **weights})["out"]
    errors.check("out", hgt(graph, {**rows, **weights}), expected)
    out = hgt(graph, {"x": features, **weights})
    errors.check("out", out, expected)
    numbers = {graph.node_type_names.index(k): v for k, v in features.items()}
    np.testing.assert_array_equal(hgt(graph, {"x": numbers, **weights}), out)
    other = {**features, "paper": -features["paper"]}
    assert not np.allclose(hgt(graph, {"x": other, **weights}), out)


TYPED = {
    "expected features of node type 1, got paper, venue":
        lambda f: {"paper": f["paper"], "venue": f["venue"]},
    "expected node types of paper, author, venue, got 'editor'":
        lambda f: {**f, "editor": f["paper"]},
    "expected node types of paper, author, venue, got 3":
        lambda f: {**f, 3: f["paper"]},
    "expected each node type once, got 0 again": lambda f: {**f, 0: f["paper"]},
    "expected a dict by node type, got NoneType": lambda f: None,
    "expected a dict by node type, got ndarray": lambda f: f["paper"],
    r"node type 0: expected shape \(\d+, 5\), got \(1, 5\)":
        lambda f: {**f, "paper": f["paper"][:1]},
    "node type 2: expected a ndarray of float32, .* got a ndarray of float64":
        lambda f: {**f, "venue": f["venue"].astype(np.float64)},
    r"node type 1: expected shape \(\d+, 7\), got \(\)": lambda f: {**f, "author": None},
}


@pytest.mark.parametrize("message", TYPED)
def test_bad_inputs_by_node_type(typed, message):
    hgt, graph, features, weights = typed
    inputs = {"x": TYPED[message](features), **weights}
    with pytest.raises(ValueError, match=message):
        hgt(graph, inputs)
    with pytest.raises(ValueError, match=message):
        hgt.source.evaluate(graph, inputs)


def test_inputs_by_node_type_and_by_width(typed):
    hgt, graph, features, weights = typed
    both = {"x": features, "x_5": np.zeros((40, 5), np.float32), **weights}
    with pytest.raises(ValueError, match="hgt: expected input 'x' or 'x_5', got both"):
        hgt(graph, both)


@pytest.mark.parametrize("value, got", [
    (None, "NoneType"), ([[1.0]], "list"), ({"a": 1}, "dict"), ("x", "str"),
    (np.array([None]), "ndarray")])
def test_inputs_that_are_no_arrays(rgcn, graph, value, got):
    inputs = rgcn.source.random_inputs(graph)
    with pytest.raises(ValueError, match="input 'x': expected an array or a tensor "
                                         f"of float32, got {got}"):
        rgcn(graph, {**inputs, "x": value})


# Arrays that do not lie in memory as kernels take them, of the same values.
LAID_OUT = {
    **{f"{offset} bytes off": lambda x, offset=offset: at_offset(x, offset)
       for offset in (1, 2, 3, 4, 8, 12, 15)},
    "a part of wider rows": lambda x: np.pad(x, ((0, 0), (1, 2)))[:, 1:-2],
    "every second row": lambda x: np.repeat(x, 2, 0)[::2],
    "every second column": lambda x: np.repeat(x, 2, 1)[:, ::2],
    "columns first": np.asfortranarray,
    "backwards": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "a field of records": lambda x: records(x)["x"],
    "read-only": lambda x: np.frombuffer(x.tobytes(), x.dtype).reshape(x.shape),
}


def at_offset(x, offset):
    """A copy at an address that is so many bytes past a multiple of 16."""
    memory = np.zeros(x.nbytes + 32, np.uint8)
    begin = -memory.ctypes.data % 16 + offset
    view = memory[begin:begin + x.nbytes].view(x.dtype).reshape(x.shape)
    view[...] = x
    assert view.ctypes.data % 16 == offset
    return view


def records(x):
    """A packed array of (one byte, row), whose rows begin at odd addresses."""
    found = np.zeros(len(x), [("head", "u1"), ("x", x.dtype, x.shape[1:])])
    found["x"] = x
    return found


@pytest.mark.parametrize("layout", LAID_OUT)
@pytest.mark.parametrize("target", ["program", "binding"])
def test_arrays_of_any_layout(rgcn, graph, layout, target):
    inputs = rgcn.source.random_inputs(graph)
    call = rgcn.bind(graph) if target == "binding" else (
        lambda inputs: rgcn(graph, inputs))
    expected = call(inputs)
    for name in ("x", "root"):
        laid = LAID_OUT[layout](inputs[name])
        np.testing.assert_array_equal(laid, inputs[name])
        before = laid.copy()
        np.testing.assert_array_equal(call({**inputs, name: laid}), expected)
        np.testing.assert_array_equal(laid, before)


def test_unknown_graphs_are_refused(rgcn, graph):
    inputs = rgcn.source.random_inputs(graph)
    with pytest.raises(ValueError, match="rgcn: expected graphs g, got 'h'"):
        rgcn({"g": graph, "h": graph}, inputs)
    with pytest.raises(ValueError, match="rgcn: expected graphs g, got 'h'"):
        rgcn.source.evaluate({"g": graph, "h": graph}, inputs)


def test_packages_are_saved(rgcn, graph, tmp_path):
    inputs = rgcn.source.random_inputs(graph)
    rgcn.save(tmp_path / "rgcn.gnnpkg")
    loaded = gnn_mlir.load(tmp_path / "rgcn.gnnpkg")
    np.testing.assert_array_equal(loaded(graph, inputs), rgcn(graph, inputs))


def test_reports(rgcn, graph):
    report = rgcn.bind(graph).report()
    assert report["function"] == "rgcn"
    assert report["steps"] and all(s["flops"] >= 0 for s in report["steps"])
    assert rgcn.bind(graph).profile(rgcn.source.random_inputs(graph), 1)[
        "measured_runs"] >= 0


def test_equal_layers_share_their_kernels(compiler, graph):
    """Only the name of a launch differs, and what it runs on."""
    program = models.gcn((8,) * 6, self_loops=False).functions["gcn"]
    gcn = gnn_mlir.compile(program, chip="sm_80")
    plain = gnn_mlir.merge_types(graph)
    steps = gcn.bind(plain).report()["steps"]
    names = [step["kernel"] for step in steps]
    codes = {step.get("code", step["kernel"]) for step in steps}
    products = [step for step in steps if "linear" in step["kernel"]]
    assert len(products) == 5 and len(set(names)) == len(names)
    # The first one reads an argument, which nothing is written over.
    assert [step.get("code") for step in products] == [None, None] + [
        products[1]["kernel"]] * 3
    assert gcn.ptx().count(".entry") == len(codes) < len(names)
    inputs = program.random_inputs(plain)
    errors.check("out", gcn(plain, inputs), program.evaluate(plain, inputs)["out"])


def test_products_count_what_they_read(compiler):
    graph = gnn_mlir.Graph([0, 1, 2, 2, 2], [1, 2, 0, 1, 1], 3, num_edge_types=2,
                           edge_type=[0, 1, 1, 0, 0])
    module = gnn_mlir.Module()
    g = module.graph("g", edge_types=2)
    f = module.function("f")
    f.output("y", f.typed_linear(
        f.gather(f.input("x", g.rows("node", 8)), "src_pair"),
        f.input("w", g.rows("edge_type", 8, 4)),
        bias=f.input("b", g.rows("edge_type", 4))))
    step, = gnn_mlir.compile(module, passes={"fuse": True}).bind(graph).report()[
        "steps"]
    rows = graph.count("src_pair")
    tiles, weights = 2, 2 * 8 * 4 + 2 * 4
    ids = rows + 3 * tiles  # where a row's source is, and (type, begin, end)
    assert step["bytes_read"] == 4 * (rows * 8 + weights + ids)
    assert step["bytes_written"] == 4 * rows * 4
    assert step["flops"] == 2 * rows * 8 * 4


def test_a_chip_means_ptx(compiler):
    assert ".target sm_80" in gnn_mlir.compile(models.gcn((4, 4)),
                                               chip="sm_80").ptx()
    assert gnn_mlir.compile(models.gcn((4, 4)), target="emulator",
                            chip="sm_80").ptx() is None


def renamed(rebind):
    """A function whose rows become those of another graph, or fewer."""
    module = gnn_mlir.Module()
    g = module.graph("g", square=False, node_types=1, edge_types=1)
    h = module.graph("h", square=False, node_types=1, edge_types=1)
    f = module.function("renamed")
    x = f.aggregate("sum", f.input("x", g.rows("edge", 5)), "src", via=None)
    f.output("out", f.rebind_rows(x, h, "src") if rebind else f.prefix_rows(x))
    return f


def block(sources, destinations, edges=50):
    rng = np.random.default_rng(sources)
    return gnn_mlir.Graph(rng.integers(0, sources, edges),
                          rng.integers(0, destinations, edges),
                          num_src_nodes=sources, num_dst_nodes=destinations)


def test_prefixes_are_copied_when_returned(compiler):
    f = renamed(rebind=False)
    inputs = {"x": np.random.default_rng(1).random((50, 5), np.float32)}
    graphs = {"g": block(40, 20), "h": block(3, 3)}
    out = gnn_mlir.compile(f)(graphs, inputs)
    errors.check("out", out, f.evaluate(graphs, inputs)["out"], 1e-5, 1e-4)


@pytest.mark.parametrize("rebind, sizes, message", [
    (True, (40, 20, 39), "as many 'src' rows of @h as 'src' rows of @g, got 39 "
                         "and 40"),
    (False, (20, 40, 3), "at most as many 'dst' rows of @g as 'src' rows of @g, "
                         "got 40 and 20")])
def test_rows_that_do_not_fit_are_refused(compiler, rebind, sizes, message):
    graphs = {"g": block(*sizes[:2]), "h": block(sizes[2], 2)}
    with pytest.raises(gnn_mlir.GNNError, match=message):
        gnn_mlir.compile(renamed(rebind)).bind(graphs)


def test_passes_alone(compiler, graph, tmp_path):
    """With `calls` off a function is not compiled before it is called."""
    model, rng = models.rgcn(4, (5, 6), node_types=3), np.random.default_rng(1)
    given = dict(graph=graph, target="cpu", gradients=["weight"])
    whole = gnn_mlir.compile(model, **given)
    alone = gnn_mlir.compile(model, **given, passes={"calls": False})
    assert alone.package.functions == ["rgcn_forward", "rgcn_backward"]
    assert repr(alone) == repr(whole)
    inputs = {"x": rng.standard_normal((40, 5), np.float32),
              "weight": rng.standard_normal((4, 5, 6), np.float32),
              "root": rng.standard_normal((5, 6), np.float32), "bias": np.ones(6, np.float32)}
    inputs = {name: inputs[name] for name in whole.input_names}
    found = []
    for layer in whole, alone:
        out, tape = layer.forward(graph, inputs)
        found.append((out, tape.gradients({layer.output_names[0]: out})["weight"]))
    for a, b in zip(*found):
        assert a.tobytes() == b.tobytes()
    alone.save(tmp_path / "alone.gnn")
    assert alone.called.package is None
    assert alone(graph, inputs).tobytes() == whole(graph, inputs).tobytes()
    assert alone.called.package.functions == ["rgcn"]
    again = gnn_mlir.load(tmp_path / "alone.gnn")
    assert again.forward(graph, inputs)[0].tobytes() == found[0][0].tobytes()
    with pytest.raises(ValueError, match="^rgcn: expected a package with it, got one with"):
        again(graph, inputs)
