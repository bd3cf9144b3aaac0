# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of the overlay as files, text and counts of instructions; partitions and
closed forms."""

import json
import subprocess

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import models, overlay
from gnn_mlir.overlay import LayerIR, ModelIR, Partition, Program
from support import errors
from support.overlay import MODELS, function, graph, graph_of, listing3

CORA, FLICKR = (2708, 5429), (89_250, 899_756)


@pytest.mark.parametrize("model", MODELS)
def test_binary_disassembly_binary(model, tmp_path):
    program = overlay.compile(function(model), graph=graph_of(model, "hub"), n1=32)
    binary = program.to_bytes()
    assert Program.of_bytes(binary).to_bytes() == binary
    text = program.mlir()
    again = overlay.assemble(text)
    assert again.to_bytes() == binary and again.mlir() == text
    program.save(tmp_path / "p.ga")
    loaded = Program.load(tmp_path / "p.ga")
    assert loaded.to_bytes() == (tmp_path / "p.ga").read_bytes() == binary
    assert loaded.instructions == program.instructions
    assert len(binary) > program.bytes == 16 * len(program.instructions)


def chunked(text):
    """The text of a program whose edge buffer takes 5 edges."""
    head, declared, rest = text.partition("gnn.graph ")
    return (f"{head}module attributes {{gnn_overlay.target = #gnn_overlay.target<edges = 5>}} {{\n"
            f"{declared}{rest}\n}}")


@pytest.mark.parametrize("name, options", [
    ("hub", dict()), ("hub", dict(unroll=True)), ("empty", dict(skip_empty=True)),
    ("hub", dict(linear_group=2))], ids=["chunks", "unroll", "skip", "group"])
@pytest.mark.parametrize("model", ["b2", "b6"])
def test_binary_disassembly_binary_of_one_graph(model, name, options):
    """Trips, tiles and addresses are those of the entries of shards: the disassembly, which
    does not list these, is the same binary, and runs on the graph."""
    g, f = graph_of(model, name), function(model)
    program = overlay.compile(chunked(f.module.text()), graph=g, n1=32, **options)
    assert next(one["rows"] for one in program.regions if one["kind"] == "edges") not in (
        program.blocks ** 2, 0)
    again = overlay.assemble(program.mlir())
    assert again.to_bytes() == program.to_bytes() and "entries" not in again.mlir()
    x = f.random_inputs(g, seed=1)
    x.update(program.prepared(g, x))
    assert again.run(g, x).tobytes() == program.run(g, x).tobytes()


def test_print_parse(gnn_opt):
    """gnn-opt prints a disassembly as it is."""
    text = overlay.compile(function("b6"), graph=graph_of("b6", "odd")).mlir()
    printed = subprocess.run([gnn_opt, "-"], input=text, text=True, capture_output=True,
                             check=True).stdout
    assert printed == text + "\n"


def test_loaded_program_runs(tmp_path):
    """Values computed before a program are no part of its file: they are given."""
    g, f = graph_of("b1", "odd"), function("b1")
    program = overlay.compile(f, graph=g)
    x = f.random_inputs(g, seed=1)
    program.save(tmp_path / "b1.ga")
    loaded = Program.load(tmp_path / "b1.ga")
    assert loaded.prepare is None and "prepare" in program.prepare
    with pytest.raises(ValueError, match="expected an input 'prepare.0'"):
        loaded.run(g, x)
    out = loaded.run(g, {**x, **program.prepared(g, x)})
    assert out.tobytes() == program.run(g, x).tobytes()


def test_graphs_that_a_program_is_for(tmp_path):
    """A Graph, its file, its partition and its counts give one program."""
    g, f = graph("hub"), function("b3")
    g.save(tmp_path / "g.npz")
    program = overlay.compile(f, graph=g, n1=32)
    assert overlay.compile(f, graph=tmp_path / "g.npz", n1=32).to_bytes() == program.to_bytes()
    assert overlay.compile(f, graph=Partition.of(g, 32)).to_bytes() == program.to_bytes()
    assert overlay.compile(f, stats=(300, 1200), n1=32).to_bytes() == program.to_bytes()
    with pytest.raises(gnn_mlir.CompileError, match="graph: "):
        overlay.compile(f, graph=tmp_path / "none.npz")


def test_files_that_are_no_programs(tmp_path):
    with pytest.raises(gnn_mlir.GNNError):
        Program.of_bytes(b"GNNB")
    with pytest.raises(OSError):
        Program.load(tmp_path / "none.ga")
    with pytest.raises(gnn_mlir.CompileError):
        overlay.assemble("gnn_overlay.nothing")
    with pytest.raises(TypeError, match="save it and load it there"):
        overlay.compile(function("b3"), stats=(37, 90)).__reduce__()


# -- Sizes: example D ----------------------------------------------------------------


@pytest.mark.parametrize("model, sizes, graph_counts, options, instructions", [
    ("b1", (1433, 7), CORA, {}, 613),
    ("b1", (1433, 7), CORA, {"unroll": True}, 13_228),
    ("b2", (1433, 7), CORA, {}, 2_846),
    ("b1", (500, 7), FLICKR, {}, 676),
])
def test_sizes(model, sizes, graph_counts, options, instructions):
    module = models.graphagile(model, *sizes)
    program = overlay.compile(module, stats=graph_counts, **options)
    assert len(program.instructions) == instructions
    assert program.bytes == 16 * instructions


def test_layers():
    program = overlay.compile(models.graphagile("b1", 1433, 7), stats=CORA)
    assert (program.n1, program.blocks) == (96, 29)
    assert [(layer.type, layer.inputs, layer.outputs, layer.activation, layer.instructions)
            for layer in program.layers] == [
        ("linear", 1433, 16, "none", 1 + 29 * 5), ("aggregate", 16, 16, "relu", 1 + 29 * 6),
        ("linear", 16, 7, "none", 1 + 29 * 5), ("aggregate", 7, 7, "none", 1 + 29 * 5)]
    assert program.instructions[1].mnemonic == "init"
    assert program.instructions[1].fields["trips"] == 90
    assert program.outputs == {"out": (2708, 7)}
    assert program.inputs["x"] == (2708, 1433)
    assert program.facts["transfer"]["unpadded"] == 4 * 2708 * 1433 + 12 * 5429


# -- The paper's front end ------------------------------------------------------------


def steps(model, order=True, fuse=True):
    if order:
        model.orderoptize()
    if fuse:
        model.layerfusion()
    model.datapartition()
    model.kernelMapping()
    model.taskScheduling()
    return model


@pytest.mark.parametrize("order, fuse, instructions, layers", [
    (True, True, 613, "LALA"), (False, True, 13_518, "ALAL"),
    (True, False, 672, "LAaLA"), (False, False, 13_577, "ALaAL")])
def test_listing3(order, fuse, instructions, layers, tmp_path):
    model = steps(listing3(), order, fuse)
    program = model.codeGeneration(tmp_path / "GNN1.ga")
    assert len(program.instructions) == instructions
    words = {"aggregate": "A", "linear": "L", "activation": "a"}
    assert "".join(words[layer.type] for layer in program.layers) == layers
    assert Program.load(tmp_path / "GNN1.ga").to_bytes() == program.to_bytes()


def test_listing3_on_a_graph():
    g = graph("odd")
    model = steps(listing3(37, 90, 21, g))
    f = model.module().functions["model"]
    x = f.random_inputs(g, seed=1)
    out = model.codeGeneration().run(g, x)
    assert errors.error(out, f.evaluate(g, x)["out"]) <= errors.TOTAL
    # As PyG has a graph.
    class Data:
        edge_index, num_nodes = np.stack([g.edge_src, g.edge_dst]), 37
    other = steps(listing3(37, 90, 21, Data()))
    assert other.codeGeneration().run(g, x).tobytes() == out.tobytes()


def layer_of(*fields, **named):
    layer = LayerIR()
    layer.setparameter(*fields, **named)
    return layer


def test_all_types_of_layers():
    g, model = graph("odd"), ModelIR()
    model._graphs = g
    for layer in (
            layer_of("Linear", 1, [], [2, 3, 4], 20, 16),
            layer_of("Vector-Inner", 2, [1], [3], 16, 1, act="Exp", actenable=True),
            layer_of("Aggregate", 3, [1, 2], [4], 16, 16, aggoperator=2, batchenable=True),
            layer_of("Vector-Add", 4, [1, 3], [5], 16, 16, act="PReLU", actenable=True),
            layer_of("BatchNorm", 5, [4], [6], 16, 16),
            layer_of("Aggregate", 6, [5], [7], 16, 16, aggoperator=1),
            layer_of("Aggregate", 7, [6], [8], 16, 16, aggoperator=4),
            layer_of("Activation", 8, [7], [], 16, 16, act="Swish", actenable=True)):
        model.addlayers(layer)
    program = steps(model).codeGeneration()
    assert {layer.type for layer in program.layers} == {
        "linear", "vector_inner", "aggregate", "vector_add", "batch_norm"}
    f = model.module().functions["model"]
    x = {name: abs(value) if name.startswith("variance") else .1 * value
         for name, value in f.random_inputs(g, seed=2).items()}
    assert errors.error(program.run(g, x), f.evaluate(g, x)["out"]) <= errors.TOTAL


def test_complexity():
    """Equations (10) and (11)."""
    aggregate = layer_of("Aggregate", 1, fin=16, fout=16, nv=100, ne=50, aggoperator=2)
    linear = layer_of("Linear", 2, [1], fin=16, fout=8, nv=100, ne=50)
    assert (aggregate.complexity(), linear.complexity()) == (2 * 16 * 50, 2 * 16 * 8 * 100)


@pytest.mark.parametrize("fields, named, message", [
    (("Dropout", 1), {}, "layertype: expected one of Aggregate"),
    (("Linear", 0), {}, "layerid"),
    (("Aggregate", 1), {}, "aggoperator: expected Max 1"),
    (("Linear", 1), {"aggoperator": 2}, "aggoperator: expected None of Linear"),
    (("Aggregate", 1), {"fin": 3, "aggoperator": 2}, "fout: expected fin"),
    (("Linear", 1), {"act": "Tanh", "actenable": True}, "act: expected one of ReLU"),
    (("Activation", 1), {}, "actenable: expected True"),
])
def test_wrong_layers(fields, named, message):
    with pytest.raises(ValueError, match=message):
        layer_of(*fields, **named)


def test_wrong_models():
    model = ModelIR()
    with pytest.raises(ValueError, match="whose parameters are set"):
        model.addlayers(LayerIR())
    with pytest.raises(ValueError, match="expected a layer, got none"):
        model.module()
    model.addlayers(layer_of("Linear", 1, [], [], 8, 4))
    with pytest.raises(ValueError, match="expected another one, got 1 again"):
        model.addlayers(layer_of("Linear", 1, [], [], 8, 4))
    with pytest.raises(ValueError, match="parent_id: expected one of"):
        model.addlayers(layer_of("Linear", 2, [7], [], 8, 4))
    with pytest.raises(ValueError, match="expected datapartition before it"):
        model.kernelMapping()
    with pytest.raises(ValueError, match="codeGeneration: expected datapartition"):
        model.codeGeneration()
    model.addlayers(layer_of("Linear", 2, [], [], 8, 4))
    with pytest.raises(ValueError, match="one layer without children"):
        model.module()
    model.addlayers(layer_of("Vector-Add", 3, [1], [], 4, 4))
    with pytest.raises(ValueError, match="layer 3: expected 2 parents"):
        model.module()


# -- Partitions and times ---------------------------------------------------------------


def test_partition():
    g = graph("hub")
    cut = Partition.of(g, 32)
    assert (cut.vertices, cut.edges, cut.n1, cut.blocks, cut.entries) == (
        300, 1200, 32, 10, 100)
    facts = cut.describe(37)
    assert facts["unpadded"] == 4 * 300 * 37 + 12 * 1200
    # Three fibers of ten blocks; descriptors and edges, in units of 64 bytes.
    assert facts["padded"] == 3 * 64 * 320 + 1600 + 12 * 1200
    weights = np.arange(1200, dtype=np.float32)
    image, seconds = cut.write(weights)
    edges = image[1600:].view(np.dtype([("src", "<u4"), ("dst", "<u4"), ("weight", "<f4")]))
    place = edges["weight"].astype(int)  # which edge of the graph each is
    assert sorted(place) == list(range(1200)) and seconds >= 0
    assert (edges["src"] == g.edge_src[place]).all() and (
        edges["dst"] == g.edge_dst[place]).all()
    key = edges["dst"] // 32 * 10 + edges["src"] // 32
    assert (np.diff(key.astype(int)) >= 0).all()
    assert (np.diff(place)[np.diff(key.astype(int)) == 0] > 0).all()  # stable
    assert Partition.of(graph("empty"), 32, skip_empty=True).entries == 1
    with pytest.raises(gnn_mlir.GNNError, match="n1: expected a multiple of 16"):
        Partition.of(g, 33)


def test_counts_of_subshards():
    """Ideal and shared times are those of the edges; networks need these."""
    g, program = graph("hub"), overlay.compile(function("b3"), graph=graph("hub"), n1=32)
    counts = np.zeros((10, 10), int)
    np.add.at(counts, (g.edge_dst // 32, g.edge_src // 32), 1)
    for memory in ("ideal", "shared"):
        assert (program.simulate(counts, memory=memory).cycles ==
                program.simulate(g, memory=memory).cycles)
    with pytest.raises(gnn_mlir.GNNError, match="edges"):
        program.simulate(counts, network="banks")
    with pytest.raises(ValueError, match=r"counts: expected whole numbers"):
        program.simulate(counts[:3])
    with pytest.raises(gnn_mlir.GNNError, match="expected a partition of a graph"):
        program._run(Partition.of_counts(300, 32, counts), {}, False)


def test_report(tmp_path):
    report = overlay.compile(function("b3"), graph=graph("hub")).simulate(
        graph("hub"), memory="ideal", issue=0, frequency=10**9)
    assert report.seconds == pytest.approx(report.cycles / 1e9)
    assert report["options"]["issue"] == 0
    assert sum(layer["cycles"] for layer in report.layers) == report.cycles
    assert f"{report.cycles:,} cycles" in str(report) and "linear" in str(report)
    report.save(tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text()) == dict(report)
    assert "measured" not in (tmp_path / "r.json").read_text() + str(report)


def test_roofline():
    """Example E: b1 on CO."""
    layers = [("linear", 1433, 16), ("aggregate", 16, 16), ("linear", 16, 7), (0, 7, 7)]
    cycles = overlay.roofline(layers, *CORA)
    assert cycles == 170 * 1433 / 8 + 5429 / 64 + 170 * 16 / 8 + 5429 / 64
    assert f"{cycles / 300e3:.4f}" == "0.1032"
    assert overlay.roofline(layers, *CORA, pes=1) == 8 * cycles
    assert overlay.roofline(layers, *CORA, memory="shared") > cycles
    with pytest.raises(ValueError, match="layer 0: type: expected an integer from 0 to 5"):
        overlay.roofline([(6, 1, 1)], 1, 1)
