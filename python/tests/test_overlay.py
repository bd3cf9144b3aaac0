# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of the overlay compute what models mean: GraphAGILE's b1 to b8 against the
float64 reference, with the same bits however they are laid out and timed."""

import functools
import re
import subprocess

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import cache, models, overlay
from support import errors
from support.overlay import GRAPHS, MODELS, function, graph, graph_of

N1 = 32  # of which "hub", "multi" and "empty" have several blocks


@functools.lru_cache(maxsize=None)
def inputs_of(model, name):
    return function(model).random_inputs(graph_of(model, name), seed=3)


@functools.lru_cache(maxsize=None)
def program_of(model, name, **options):
    return overlay.compile(function(model), graph=graph_of(model, name), **options)


@functools.lru_cache(maxsize=None)
def result_of(model, name):
    return program_of(model, name, n1=N1).run(graph_of(model, name), inputs_of(model, name))


def check(out, expected):
    # Up to eight layers, one behind the other.
    assert errors.error(out, expected) <= 3 * errors.TOTAL
    assert errors.row_error(out, expected) <= 3 * errors.BY_ROW


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("model", MODELS)
def test_values(model, name):
    expected = function(model).evaluate(graph_of(model, name), inputs_of(model, name))
    check(result_of(model, name), expected["out"])


@pytest.mark.parametrize("options", [
    dict(unroll=True), dict(skip_empty=True), dict(unroll=True, skip_empty=True)],
    ids=lambda options: "-".join(options))
@pytest.mark.parametrize("model", MODELS)
def test_bits_of_layouts(model, options):
    name = "hub" if "skip_empty" not in options else "empty"
    program = program_of(model, name, n1=N1, **options)
    assert program.instructions != program_of(model, name, n1=N1).instructions
    out = program.run(graph_of(model, name), inputs_of(model, name))
    assert out.tobytes() == result_of(model, name).tobytes()


def memory_of(program):
    """Bytes of the regions of a program."""
    return max(one["address"] + one["bytes"] for one in program.regions)


@pytest.mark.parametrize("name", ["hub", "empty", "multi"])
@pytest.mark.parametrize("model", MODELS)
def test_bits_of_super_partitions(model, name):
    """Parts of 40% of the memory that the program takes: more than layers are."""
    whole = program_of(model, name, n1=N1)
    most = memory_of(whole) * 2 // 5
    cut = program_of(model, name, n1=N1, super_bytes=most)
    assert whole.parts == [] and len(cut.parts) >= len(whole.layers)
    for part in cut.parts:
        assert sum(one["bytes"] for one in part["regions"]) <= most
    out = cut.run(graph_of(model, name), inputs_of(model, name))
    assert out.tobytes() == result_of(model, name).tobytes()


THREE_FIBERS = """
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @f(%x: tensor<?x48xf32, #gnn.rows<@g, node>> {gnn.name = "x"})
    -> (tensor<?x48xf32, #gnn.rows<@g, node>> {gnn.name = "y"}) {
  %e = gnn.gather %x via src : tensor<?x48xf32, #gnn.rows<@g, node>>
      -> tensor<?x48xf32, #gnn.rows<@g, edge>>
  %y = gnn.aggregate sum %e via dst : tensor<?x48xf32, #gnn.rows<@g, edge>>
      -> tensor<?x48xf32, #gnn.rows<@g, node>>
  return %y : tensor<?x48xf32, #gnn.rows<@g, node>>
}"""


def test_three_super_partitions():
    """One layer in three parts, by destinations and by fibers."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((300, 48), np.float32)
    for edges, most, from_ in [(20000, 180000, [[0, 0], [96, 0], [192, 0]]),
                               (1200, 75000, [[0, 0], [0, 16], [0, 32]])]:
        src, dst = rng.integers(0, 300, (2, edges)).astype(np.int32)
        g = gnn_mlir.Graph(src, dst, num_nodes=300)
        whole = overlay.compile(THREE_FIBERS, graph=g, n1=N1)
        cut = overlay.compile(THREE_FIBERS, graph=g, n1=N1, super_bytes=most)
        outputs = [one for part in cut.parts for one in part["regions"] if one["name"] == "y"]
        assert [[one["first_row"], one["first_column"]] for one in outputs] == from_
        assert cut.run(g, {"x": x}).tobytes() == whole.run(g, {"x": x}).tobytes()
        report = cut.simulate(g, memory="ideal")
        assert len(report.parts) == 3
        assert report.seconds < report.seconds_with_transfers
        assert sum(part["cycles"] for part in report.parts) == report.cycles
        # All of x, y, edges and descriptors go once, by the choice of the outer ranges.
        sent = sum(part["bytes_in"] + part["bytes_out"] for part in report.parts)
        once = sum(one["bytes"] for one in cut.regions) + cut.bytes
        assert once <= sent <= once + 3 * 128
        assert whole.simulate(g).seconds_with_transfers is None


@pytest.mark.parametrize("model", ["b2", "b4", "b5", "b8"])
def test_bits_of_linear_groups(model):
    """Tiles of several fibers of a linear layer: the same sums, of rows read once."""
    g, alone = graph_of(model, "hub"), program_of(model, "hub", n1=N1)
    program = program_of(model, "hub", n1=N1, linear_group=3)
    out = program.run(g, inputs_of(model, "hub"))
    assert out.tobytes() == result_of(model, "hub").tobytes()
    before, after = (p.simulate(g, memory="shared") for p in (alone, program))
    groups = set()
    for one, other in zip(before.layers, after.layers, strict=True):
        fibers = -(-one["out"] // 16) if one["type"] == "linear" else 1
        groups.add(fibers)
        assert one["bytes"]["features"] == min(fibers, 3) * other["bytes"]["features"]
        assert one["kernels"]["gemm"] == other["kernels"]["gemm"]
        for kind in ("weights", "edges", "storedFeatures", "parameters"):
            assert one["bytes"][kind] == other["bytes"][kind], kind
    assert max(groups) > 1
    assert after.cycles < before.cycles


@pytest.mark.parametrize("percent", [30, 40, 60])
@pytest.mark.parametrize("model", ["b2", "b4", "b8"])
def test_bits_of_linear_groups_in_super_partitions(model, percent):
    """A tile of several fibers is one place in the cut of its layer."""
    g = graph_of(model, "hub")
    most = memory_of(program_of(model, "hub", n1=N1)) * percent // 100
    cut = program_of(model, "hub", n1=N1, super_bytes=most, linear_group=2)
    assert cut.parts
    for part in cut.parts:
        assert part["regions"] and sum(one["bytes"] for one in part["regions"]) <= most
    out = cut.run(g, inputs_of(model, "hub"))
    assert out.tobytes() == result_of(model, "hub").tobytes()
    assert overlay.assemble(cut.mlir()).to_bytes() == cut.to_bytes()


def test_linear_groups_that_buffers_hold():
    """An output has room for as many fibers as its rows are blocks of N1."""
    linear = dict(stats=(60_000, 10), n1=8000)
    assert overlay.compile(function("b2"), linear_group=2, **linear).bytes
    with pytest.raises(gnn_mlir.CompileError, match="linear-group: expected 1 to 2 fibers, as "
                                                    "the buffers hold of 8000 rows each, got 3"):
        overlay.compile(function("b2"), linear_group=3, **linear)


@pytest.mark.parametrize("model", MODELS)
def test_bits_of_elements(model):
    """One processing element computes what eight do."""
    g = graph_of(model, "hub")
    head, declared, rest = function(model).module.text().partition("gnn.graph ")
    text = (f"{head}module attributes {{gnn_overlay.target = #gnn_overlay.target<pes = 1>}} {{\n"
            f"{declared}{rest}\n}}")
    program = overlay.compile(text, graph=g, n1=N1)
    assert program.facts["parameters"]["pes"] == 1
    out = program.run(g, inputs_of(model, "hub"))
    assert out.tobytes() == result_of(model, "hub").tobytes()


@pytest.mark.parametrize("model", MODELS)
def test_bits_after_timing(model):
    """Times are of the instructions alone: values stay, and modes are in order. Networks
    are where memory takes no time: in shared memory the last tiles may meet on a channel
    in one network, and not in another."""
    g, program = graph_of(model, "hub"), program_of(model, "hub", n1=N1)
    cycles = {}
    for memory in ("ideal", "shared"):
        for network in ("ideal", "banks", "network"):
            for overlap in (True, False):
                report = program.simulate(g, memory=memory, network=network,
                                          overlap=overlap)
                cycles[memory, network, overlap] = report.cycles
            assert cycles[memory, network, True] < cycles[memory, network, False]
    for network in ("ideal", "banks", "network"):
        assert cycles["ideal", network, True] < cycles["shared", network, True]
    assert (cycles["ideal", "ideal", True] < cycles["ideal", "banks", True] <
            cycles["ideal", "network", True])
    assert program.simulate(g, pes=1, memory="ideal").cycles > cycles["ideal", "ideal", True]
    out = program.run(g, inputs_of(model, "hub"))
    assert out.tobytes() == result_of(model, "hub").tobytes()


@pytest.mark.parametrize("model", ["b1", "b3", "b5", "b6"])
def test_order_and_fusion_keep_values(model):
    g = graph_of(model, "odd")
    expected = function(model).evaluate(g, inputs_of(model, "odd"))["out"]
    program = overlay.compile(function(model), graph=g, order=False, fuse=False)
    assert len(program.layers) >= len(program_of(model, "odd").layers)
    check(program.run(g, inputs_of(model, "odd")), expected)


@pytest.mark.parametrize("model", ["b1", "b4", "b6", "b8"])
def test_target(model):
    """The target of `gnn_mlir.compile` gives the bits of the program."""
    g = graph_of(model, "odd")
    compiled = gnn_mlir.compile(function(model), target="overlay", graph=g)
    out = compiled(g, inputs_of(model, "odd"))
    program = program_of(model, "odd")
    assert np.asarray(out).tobytes() == program.run(g, inputs_of(model, "odd")).tobytes()


def sum_with_loops():
    """Sums of rows on a graph whose loops are replaced."""
    module = gnn_mlir.Module()
    g = module.graph("g")
    looped = module.looped_graph("looped", g)
    f = module.function("f")
    x = f.input("x", g.rows("node", 5))
    y = f.aggregate("sum", f.gather(f.rebind_rows(x, looped, "node"), "edge", via="src"),
                    looped.dst, via="dst")
    f.output("out", f.rebind_rows(y, g, "node"))
    return f


def test_derived_graph():
    """A program on a graph whose loops are replaced takes the graph as it is without them."""
    f, given = sum_with_loops(), graph("odd")
    x = f.random_inputs(given, seed=1)
    program = overlay.compile(f, graph=given)
    assert program.facts["loops"] == "replace"
    check(program.run(given, x), f.evaluate(given, x)["out"])


# -- Errors --------------------------------------------------------------------------


def test_no_layer(gnn_opt, tmp_path):
    module = gnn_mlir.Module()
    g = module.graph("g")
    f = module.function("f")
    f.output("out", f.activation("elu", f.input("x", g.rows("node", 4)), alpha=1.0))
    with pytest.raises(gnn_mlir.CompileError, match="has no overlay layer") as raised:
        overlay.compile(module, stats=(20, 40))
    assert raised.value.diagnostics[0].startswith("program.mlir:")
    (tmp_path / "program.mlir").write_text(raised.value.reproducer)
    repeated = subprocess.run([gnn_opt, "--run-reproducer", tmp_path / "program.mlir"],
                              text=True, capture_output=True, check=False)
    assert "has no overlay layer" in repeated.stderr
    with pytest.raises(gnn_mlir.CompileError, match="has no overlay layer") as raised:
        gnn_mlir.compile(module, target="overlay", graph=graph("odd"),
                         passes={"order_aggregate": False})
    (tmp_path / "program.mlir").write_text(raised.value.reproducer)
    assert "gnn-overlay-pipeline{order=false}" in raised.value.reproducer
    repeated = subprocess.run([gnn_opt, "--run-reproducer", tmp_path / "program.mlir"],
                              text=True, capture_output=True, check=False)
    assert "has no overlay layer" in repeated.stderr


def test_a_function_without_layers():
    """The error is at the function."""
    text = """gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @f(%x: tensor<4x4xf32> {gnn.name = "x"}) -> (tensor<4x4xf32> {gnn.name = "out"}) {
  return %x : tensor<4x4xf32>
}
"""
    message = "program.mlir:3:1: has no overlay layer: expected a function of rows of nodes"
    for options in ({}, {"from_layers": True}):
        with pytest.raises(gnn_mlir.CompileError, match=message):
            overlay.compile(text, stats=(20, 40), **options)
    with pytest.raises(gnn_mlir.CompileError, match=message):
        gnn_mlir.compile(text, target="overlay", graph=graph("odd"))


@pytest.mark.parametrize("options, message", [
    (dict(passes={"fuse": False}),
     "passes: fuse has no meaning for target overlay: expected one of order-aggregate, got 'fuse'"),
    (dict(passes={"order_aggregate": False, "cost": "full"}), "passes: cost has no meaning"),
    (dict(stop_at="blocked"), "stop_at has no meaning for target overlay: expected one of target, "
                              "passes, keep_phases, got 'stop_at'"),
    (dict(schedules=[{}]), "schedules has no meaning for target overlay"),
    (dict(save_schedules="s.jsonl"), "save_schedules has no meaning for target overlay"),
    (dict(stage_passes={"graph-end": "cse"}), "stage_passes has no meaning for target overlay"),
    (dict(gradients=True), "gradients has no meaning for target overlay"),
    (dict(objects=["x86-64"]), "objects: expected none but for the target cpu"),
    (dict(chip="h100"), "chip: expected no chip of the overlay, got h100")],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "")
def test_options_without_a_meaning(options, message):
    """The target says which options and switches it takes; no other is silently left."""
    with pytest.raises(ValueError, match=re.escape(message)):
        gnn_mlir.compile(function("b1"), target="overlay", graph=graph_of("b1", "odd"), **options)


def test_no_schedules():
    with pytest.raises(gnn_mlir.GNNError, match="expected one whose kernels have schedules, got "
                                                "overlay"):
        gnn_mlir.list_schedules(function("b1"), target="overlay")


def test_phases(tmp_path):
    """The IR of each form, and of what is computed before programs."""
    gnn_mlir.compile(function("b1"), target="overlay", graph=graph_of("b1", "odd"),
                     keep_phases=tmp_path)
    forms = ["1-layers.mlir", "2-prepared.mlir", "3-partitioned.mlir", "4-mapped.mlir",
             "5-annotated.mlir", "6-resident.mlir"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [*forms, "prepare"]
    assert "gnn_overlay.linear" in (tmp_path / forms[2]).read_text()
    assert "gnn_overlay.gemm" in (tmp_path / forms[3]).read_text()
    assert (tmp_path / "prepare/1-graph.mlir").exists()


def test_wrong_graph():
    program = program_of("b3", "odd")
    with pytest.raises(gnn_mlir.GNNError, match="37"):
        program.run(graph("hub"), inputs_of("b3", "odd"))
    with pytest.raises(ValueError, match="graph: expected a Graph"):
        program.run(None, inputs_of("b3", "odd"))
    with pytest.raises(ValueError, match="got both"):
        overlay.compile(function("b3"), graph=graph("odd"), stats=(37, 90))


def test_more_edges_than_the_program_has_room_for():
    program = overlay.compile(function("b3"), stats=(37, 89))
    with pytest.raises(gnn_mlir.GNNError, match="89"):
        program.run(graph("odd"), inputs_of("b3", "odd"))


def test_subshards_of_more_edges_than_a_buffer():
    """A program without a graph has one entry for each subshard."""
    rng = np.random.default_rng(0)
    big = gnn_mlir.Graph(*rng.integers(0, 10, (2, 66_000)).astype(np.int32), num_nodes=10)
    f = function("b3")
    x = f.random_inputs(big, seed=1)
    with pytest.raises(gnn_mlir.GNNError, match="entr"):
        overlay.compile(f, stats=(10, 66_000)).run(big, x)
    # 6,600 rows are added up one by one.
    out = overlay.compile(f, graph=big).run(big, x)
    assert errors.error(out, f.evaluate(big, x)["out"]) <= 10 * errors.TOTAL


def test_target_on_subshards_of_more_edges_than_a_buffer():
    """`gnn_mlir.compile` makes the program for the graph that it is given; another one of the
    same numbers is refused."""
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 10, (2, 66_000)).astype(np.int32)
    big = gnn_mlir.Graph(*ends, num_nodes=20)
    f = function("b3")
    x = f.random_inputs(big, seed=1)
    compiled = gnn_mlir.compile(f, target="overlay", graph=big)
    out = compiled(big, x)
    assert out.tobytes() == overlay.compile(f, graph=big).run(big, x).tobytes()
    apart = gnn_mlir.Graph(*(ends % 2 * 16), num_nodes=20)
    with pytest.raises(gnn_mlir.GNNError, match="entries of subshards, which the program was made "
                                                "for, got 4: a program for this graph has to be"):
        compiled(apart, x)
    with pytest.raises(gnn_mlir.GNNError, match="entries of subshards"):
        gnn_mlir.compile(f, target="overlay", graph=apart)(big, x)


def test_cache_of_programs_for_graphs(monkeypatch, tmp_path):
    """The cache knows statistics of graphs, and not in which subshards edges are."""
    monkeypatch.setenv(cache.FOLDER, str(tmp_path))
    f = function("b3")
    graphs = [gnn_mlir.Graph(*np.full((2, 66_000), node, np.int32), num_nodes=32)
              for node in (0, 16)]
    assert graphs[0].stats() == graphs[1].stats()
    for one, other in (graphs, graphs[::-1]):
        x = f.random_inputs(one, seed=1)
        compiled = gnn_mlir.compile(f, target="overlay", graph=one)
        assert compiled(one, x).tobytes() == overlay.compile(f, graph=one).run(one, x).tobytes()
        with pytest.raises(gnn_mlir.GNNError, match="a program for this graph has to be made"):
            compiled(other, x)


def test_target_in_super_partitions():
    """Parts are cut by the edges of the graph that `gnn_mlir.compile` is given; one with more
    edges in a part is refused."""
    rng = np.random.default_rng(1)
    graphs = [gnn_mlir.Graph(*(rng.integers(0, most, 20_000).astype(np.int32)
                               for most in (300, last)), num_nodes=300) for last in (300, 40)]
    x = rng.standard_normal((300, 48), np.float32)
    whole = overlay.compile(THREE_FIBERS, graph=graphs[0])
    memory = memory_of(whole) * 9 // 10 // 64 * 64
    text = (f"module attributes {{gnn_overlay.target = #gnn_overlay.target<memory_bytes = {memory}>}}"
            f" {{\n{THREE_FIBERS}\n}}")
    assert len(overlay.compile(text, graph=graphs[0]).parts) > 1
    compiled = gnn_mlir.compile(text, target="overlay", graph=graphs[0])
    assert compiled(graphs[0], {"x": x}).tobytes() == whole.run(graphs[0], {"x": x}).tobytes()
    with pytest.raises(gnn_mlir.GNNError, match=r"part 0: expected at most \d+ edges of 'edges', "
                                                "which the program was made for, got 20000"):
        compiled(graphs[1], {"x": x})


def test_target_on_other_graphs():
    """A program for one graph runs on others of its numbers: with other self loops, too, of
    which the statistics tell a bound."""
    f = sum_with_loops()
    src = np.arange(40, dtype=np.int32) % 30
    loops = gnn_mlir.Graph(src, src, num_nodes=30)
    none = gnn_mlir.Graph(src, (src + 1) % 30, num_nodes=30)
    compiled = gnn_mlir.compile(f, target="overlay", graph=loops)
    for one in (loops, none):
        given = f.random_inputs(one, seed=1)
        check(compiled(one, given), f.evaluate(one, given)["out"])


def test_wrong_inputs():
    program, g = program_of("b3", "odd"), graph("odd")
    given = dict(inputs_of("b3", "odd"))
    x = given.pop("x")
    with pytest.raises(ValueError, match="expected an input 'x'"):
        program.run(g, given)
    with pytest.raises(gnn_mlir.GNNError, match="'x'"):
        program.run(g, dict(given, x=x[:, 1:]))
    with pytest.raises(ValueError, match="inputs: expected a dict"):
        program.run(g, [x])


def test_softmax_that_overflows():
    """It is not shifted by its maximum, as in equation (4)."""
    f, g = function("b6"), graph_of("b6", "odd")
    given = dict(inputs_of("b6", "odd"))
    given["x"] = 1e6 * np.abs(given["x"])
    with pytest.raises(gnn_mlir.GNNError, match="finite"):
        program_of("b6", "odd").run(g, given)
    out = program_of("b6", "odd").run(g, given, allow_non_finite=True)
    assert not np.isfinite(out).all() and f.evaluate(g, given)


def test_wrong_options():
    with pytest.raises(ValueError, match="expected options of add-self-loops, .*; got 'n2'"):
        overlay.compile(function("b3"), stats=(37, 90), n2=16)
    with pytest.raises(gnn_mlir.CompileError, match="multiple of 16"):
        overlay.compile(function("b3"), stats=(37, 90), n1=17)
    with pytest.raises(ValueError, match="program: expected a gnn_mlir Module"):
        overlay.compile(5)
    with pytest.raises(gnn_mlir.GNNError, match="memory: expected ideal or shared"):
        program_of("b3", "odd").simulate(graph("odd"), memory="none")
    with pytest.raises(ValueError, match="stats: expected a program with one square graph"):
        overlay.compile("func.func @f() { return }", stats=(3, 3))


def test_several_functions():
    module = models.graphagile("b3", 5, 3, 4)
    other = module.function("other")
    g = module.graphs["g"]
    other.output("out", other.activation("elu", other.input("x", g.rows("node", 4)), alpha=1.0))
    with pytest.raises(gnn_mlir.CompileError, match="expected one function"):
        overlay.compile(module, stats=(37, 90))
    # The others need not be programs.
    assert overlay.compile(module, "sage", stats=(37, 90)).layers
    with pytest.raises(gnn_mlir.CompileError, match="expected a function @third"):
        overlay.compile(module, "third", stats=(37, 90))
