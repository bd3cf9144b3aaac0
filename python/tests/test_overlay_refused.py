# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments and options of programs of the overlay that are wrong, or that nothing could
honour: one error, with what was expected and what was got."""

import subprocess

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import models, overlay
from gnn_mlir.overlay import LayerIR, ModelIR, Partition, Program
from support.overlay import function, graph, graph_of

MOST = 2**31 - 1


def refused(message):
    return pytest.raises(ValueError, match=message)


# -- Arguments of a run ---------------------------------------------------------------


@pytest.mark.parametrize("name, change, expected, got", [
    ("x", np.transpose, "3, 37", "37, 3"),
    ("x", np.ravel, "3, 37", "111,"),
    ("layer1_weight", np.transpose, "37, 16", "16, 37"),
    ("layer1_weight", np.ravel, "37, 16", "592,"),
    ("layer1_weight", lambda w: np.concatenate([w, w]), "37, 16", "74, 16"),
    ("layer1_bias", lambda b: np.concatenate([b, b]), "1, 16", "32,"),
])
def test_shapes_of_inputs(name, change, expected, got):
    """As many values of another shape are other values."""
    f = function("b1")
    g = gnn_mlir.add_self_loops(gnn_mlir.Graph([0, 1], [1, 2], num_nodes=3))
    x = f.random_inputs(g, seed=1)
    message = rf"input '{name}': expected shape \({expected}\), got \({got}\)"
    with pytest.raises(gnn_mlir.GNNError, match=message):
        overlay.compile(f, graph=g).run(g, dict(x, **{name: change(x[name])}))


def test_complex_inputs():
    f, g = function("b3"), graph("odd")
    x = f.random_inputs(g, seed=1)
    with refused("input 'x': expected real numbers, got ndarray of complex128"):
        overlay.compile(f, graph=g).run(g, dict(x, x=x["x"].astype(complex)))


# -- Options and what a program is for ----------------------------------------------------


@pytest.mark.parametrize("option", [
    dict(n1=64), dict(skip_empty=True), dict(add_self_loops=True), dict(blocks_per_pe=2)],
    ids=lambda option: next(iter(option)))
def test_options_beside_a_partition(option):
    name = next(iter(option)).replace("_", "-")
    with refused(f"^{name}: expected no such option beside a partition"):
        overlay.compile(function("b3"), graph=Partition.of(graph("odd")), **option)


@pytest.mark.parametrize("option", [dict(skip_empty=True), dict(add_self_loops=True)],
                         ids=lambda option: next(iter(option)))
def test_options_beside_stats(option):
    name = next(iter(option)).replace("_", "-")
    with refused(f"^{name}: expected no such option without the edges of a graph"):
        overlay.compile(function("b3"), stats=(37, 90), **option)


@pytest.mark.parametrize("given, message", [
    (dict(n1=64), "^n1: expected no such option of a text that is a program"),
    (dict(unroll=True), "^unroll: expected no such option of a text that is a program"),
    (dict(order=False), "^order: expected no such option of a text that is a program"),
    (dict(stats=(37, 90)), "expected no such option of a text that is a program"),
    (dict(graph=graph("odd")), "^expected no graph of a text that is a program"),
    (dict(graph="g.npz"), "^graph: expected no such option of a text that is a program"),
], ids=["n1", "unroll", "order", "stats", "graph", "file"])
def test_options_of_a_disassembly(given, message):
    text = overlay.compile(function("b3"), graph=graph("odd")).mlir()
    with refused(message):
        overlay.compile(text, **given)


@pytest.mark.parametrize("option, message", [
    (dict(n1="abc"), "^n1: expected a number from 0 to 4294967295, got 'abc'"),
    (dict(n1=-16), "^n1: expected a number from 0 to 4294967295, got '-16'"),
    (dict(n1=2**32), "^n1: expected a number from 0 to 4294967295, got '4294967296'"),
    (dict(unroll="yes"), "^unroll: expected true or false, got 'yes'"),
    (dict(blocks_per_pe=0), "^blocks-per-pe: expected a number from 1 to 2147483648, got '0'"),
    (dict(blocks_per_pe=2**57), "^blocks-per-pe: expected a number from 1 to"),
    (dict(nope=1), "^expected options of add-self-loops, blocks-per-pe, .*unroll.*; got 'nope'"),
], ids=str)
def test_wrong_options(option, message, capfd):
    """The error names the option; nothing is printed beside it."""
    with refused(message):
        overlay.compile(function("b3"), graph=graph("odd"), **option)
    assert capfd.readouterr() == ("", "")


def test_no_blocks_in_a_pipeline(gnn_opt, tmp_path):
    (tmp_path / "m.mlir").write_text(function("b3").module.text())
    graph("odd").save(tmp_path / "g.npz")
    done = subprocess.run(
        [gnn_opt, tmp_path / "m.mlir",
         f"--gnn-overlay-pipeline=graph={tmp_path}/g.npz blocks-per-pe=0"],
        capture_output=True, text=True)
    assert done.returncode and "expected blocks-per-pe of 1 or more, got 0" in done.stderr


def test_path_with_spaces(tmp_path):
    for name in ("with space.npz", "a'b.npz", "a{b}.npz"):
        graph("odd").save(tmp_path / name)
        assert overlay.compile(function("b3"), graph=tmp_path / name).vertices == 37
    with pytest.raises(gnn_mlir.CompileError, match="No such file") as raised:
        overlay.compile(function("b3"), graph=tmp_path / "no file.npz")
    assert f"graph='{tmp_path}/no file.npz'" in raised.value.reproducer


def test_stats_are_of_the_graph():
    """Text that is no declaration is none."""
    f = function("b3")
    text = "// gnn.graph @z square {\n" + f.module.text()
    program = overlay.compile(text, f.name, stats=(37, 90))
    assert program.to_bytes() == overlay.compile(f, stats=(37, 90)).to_bytes()


@pytest.mark.parametrize("stats, message", [
    (5, r"stats: expected \(vertices, edges\), got 5"),
    ((1, 2, 3), r"stats: expected \(vertices, edges\), got \(1, 2, 3\)"),
    ((3.5, 4), "stats: vertices: expected an integer, got 3.5"),
    ((3, -4), f"stats: edges: expected an integer from 0 to {MOST}, got -4"),
    ((2**31, 4), f"stats: vertices: expected an integer from 0 to {MOST}, got {2**31}"),
], ids=str)
def test_wrong_stats(stats, message):
    with refused(message):
        overlay.compile(function("b3"), stats=stats)


def test_stats_of_too_many_subshards():
    with pytest.raises(gnn_mlir.CompileError, match="expected subshards whose counts take at "
                       "most 1073741824 bytes, got 131072 x 131072"):
        overlay.compile(function("b3"), stats=(MOST, MOST))


def test_partition_of_other_hardware():
    """An edge buffer of 5 edges does not take entries of a larger one."""
    f = function("b3")
    head, declared, rest = f.module.text().partition("gnn.graph ")
    text = (f"{head}module attributes {{gnn_overlay.target = #gnn_overlay.target<edges = 5>}} {{\n"
            f"{declared}{rest}\n}}")
    cut = Partition.of(graph("odd"))
    message = "expected entries of at most 5 edges, as an edge buffer of the program's hardware"
    with pytest.raises(gnn_mlir.CompileError, match=message):
        overlay.compile(text, f.name, graph=cut)
    program = overlay.compile(text, f.name, stats=(37, 90))
    with pytest.raises(gnn_mlir.GNNError, match=message):
        program.simulate(cut)


# -- Numbers --------------------------------------------------------------------------


@pytest.mark.parametrize("blocks", [0, 2**57, 2**57 + 1, 2**64])
def test_blocks_of_a_partition(blocks):
    with pytest.raises(gnn_mlir.GNNError, match="^blocks-per-pe: expected a number from 1 to "
                       f"2147483648, got '{blocks}'"):
        Partition.of(graph("odd"), blocks_per_pe=blocks)
    assert Partition.of(graph("odd"), blocks_per_pe=2**31).n1 == 16


def test_numbers_that_would_wrap():
    one = [[1]]
    with refused(f"vertices: expected an integer from 1 to {MOST}, got {2**64 + 3}"):
        Partition.of_counts(2**64 + 3, 16, one)
    with refused(f"n1: expected an integer from 1 to {MOST}, got {2**64 + 16}"):
        Partition.of_counts(3, 2**64 + 16, one)
    with refused("n1: expected an integer from 1"):
        Partition.of_counts(3, 0, one)
    with refused(f"features: expected an integer from 0 to {MOST}, got {2**62}"):
        Partition.of_counts(3, 16, one).describe(2**62)


@pytest.mark.parametrize("layer, vertices, message", [
    (("linear", 2**64 + 5, 3), 3, "layer 0: features in: expected an integer from 0"),
    (("linear", 5, 3), 2**64 + 3, "vertices: expected an integer from 0"),
    (("foo", 5, 3), 3, "layer 0: expected a type of aggregate, linear, .*; got 'foo'"),
    ((9, 5, 3), 3, "layer 0: type: expected an integer from 0 to 5, got 9"),
    (("linear", 5), 3, "layer 0: expected .type, features in, features out., got"),
], ids=str)
def test_roofline_of_wrong_layers(layer, vertices, message):
    with refused(message):
        overlay.roofline([layer], vertices, 4)


@pytest.mark.parametrize("option, message", [
    (dict(network="banks"), "expected options of bandwidth, frequency, memory, n1, pes; got "
     "'network'"),
    (dict(n1=7), "n1: expected no such option without memory=shared"),
    (dict(bandwidth=10**9), "bandwidth: expected no such option without memory=shared"),
    (dict(pes=0), "pes: expected a number from 1 to 4096, got '0'"),
], ids=str)
def test_roofline_options(option, message):
    with pytest.raises(gnn_mlir.GNNError, match=message):
        overlay.roofline([("linear", 5, 3)], 3, 4, **option)
    shared = dict(memory="shared", n1=16, bandwidth=10**9)
    assert overlay.roofline([("linear", 5, 3)], 3, 4, **shared) > 0


def test_no_elements():
    program = overlay.compile(function("b3"), graph=graph("odd"))
    for pes in (0, 4097):
        with pytest.raises(gnn_mlir.GNNError, match="pes: expected a number from 1 to 4096"):
            program.simulate(graph("odd"), pes=pes)


# -- Files and text ---------------------------------------------------------------------


def test_names_of_disassemblies():
    program = overlay.compile(function("b3"), graph=graph("odd"))
    for name in ("", "a\0b", 5):
        with refused("name: expected a name of a symbol, got"):
            program.mlir(name)


def test_bytes_of_programs():
    program = overlay.compile(function("b3"), graph=graph("odd"))
    assert Program.of_bytes(bytearray(program.to_bytes())).to_bytes() == program.to_bytes()
    for data in ("x", None):
        with refused("data: expected bytes, got"):
            Program.of_bytes(data)


# -- The paper's front end ------------------------------------------------------------


def layer_of(*fields, **named):
    layer = LayerIR()
    layer.setparameter(*fields, **dict(dict(nv=37, ne=90), **named))
    return layer


@pytest.mark.parametrize("fields, named, message", [
    (("Linear", 1), dict(actenable="no", act="ReLU"), "actenable: expected True or False, got 'no'"),
    (("Linear", 1), dict(batchenable=1), "batchenable: expected True or False, got 1"),
    (("Linear", 1), dict(act="ReLU"), "actenable: expected True beside act 'ReLU', got False"),
    (("Linear", 1), dict(parent_id=5), "parent_id: expected a list of layerids, got 5"),
    (("Linear", 1), dict(parent_id="a"), "parent_id: expected a list of layerids, got 'a'"),
    (("Linear", 1), dict(parent_id=[[1]]), r"parent_id: expected an integer, got \[1\]"),
    (("Aggregate", 1), dict(aggoperator=[1]), r"aggoperator: expected Max 1, .*got \[1\]"),
    (("Aggregate", 1), dict(aggoperator=True), "aggoperator: expected Max 1, .*got True"),
    ((["Linear"], 1), {}, "layertype: expected one of Aggregate"),
    (("Vector-Inner", 1), dict(fin=4, fout=7), "fout: expected 1 of Vector-Inner.*got 7"),
    (("Linear", 1), dict(fin=2**70), f"fin: expected an integer from 0 to {MOST}, got"),
])
def test_fields_of_layers(fields, named, message):
    with refused(message):
        layer_of(*fields, **named)


def model_of(*layers, graph=None):
    model = ModelIR()
    model._graphs = graph
    for layer in layers:
        model.addlayers(layer)
    model.datapartition()
    model.kernelMapping()
    model.taskScheduling()
    return model


@pytest.mark.parametrize("layers, with_graph, message", [
    ([dict(nv=30)], True, "layer 1: nv: expected 37, as the graph has, got 30"),
    ([dict(ne=400)], True, "layer 1: ne: expected 90, as the graph has, got 400"),
    ([{}, dict(nv=99)], False, "layer 2: nv: expected 37, as the layers before it have, got 99"),
    ([{}, dict(ne=1)], False, "layer 2: ne: expected 90, as the layers before it have, got 1"),
    ([dict(child_id=[77]), {}], True,
     r"layer 1: child_id: expected some of \[2\], whose parent it is, got 77"),
    ([], True, "expected a layer, got none"),
])
def test_models_that_contradict_themselves(layers, with_graph, message):
    made = [layer_of("Linear", i + 1, [i] if i else [], fin=4, fout=4, **fields)
            for i, fields in enumerate(layers)]
    with refused(message):
        model_of(*made, graph=graph("odd") if with_graph else None).codeGeneration()


def test_graph_says_the_numbers():
    layer = layer_of("Linear", 1, fin=4, fout=4, nv=0, ne=0)
    assert model_of(layer, graph=graph("odd")).codeGeneration().vertices == 37


def test_what_is_no_layer():
    with refused("layer: expected a LayerIR, got 5"):
        ModelIR().addlayers(5)


def test_steps_keep_their_options():
    model = model_of(layer_of("Linear", 1, fin=400, fout=4))
    rolled = len(model.codeGeneration().instructions)
    model.kernelMapping(unroll=True)
    model.datapartition()
    assert len(model.codeGeneration().instructions) > rolled


def test_reproducer_of_stats(gnn_opt, tmp_path):
    """It has the numbers that were given."""
    module = models.graphagile("b3", 5, 3, 4)
    with pytest.raises(gnn_mlir.CompileError, match="n1 to be a multiple of 16") as raised:
        overlay.compile(module, stats=(37, 90), n1=17)
    assert "src_nodes = 37" in raised.value.reproducer
    (tmp_path / "program.mlir").write_text(raised.value.reproducer)
    done = subprocess.run([gnn_opt, "--run-reproducer", tmp_path / "program.mlir"],
                          capture_output=True, text=True)
    assert done.returncode and "n1 to be a multiple of 16" in done.stderr
