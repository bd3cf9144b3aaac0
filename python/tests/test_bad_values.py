# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that callers pass by mistake, and arrays whose memory is unusual."""

import os
import pathlib
import threading

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import models
from support.graphs import random_graph


@pytest.fixture(scope="module")
def graph():
    return random_graph(20, 60, seed=1)


@pytest.fixture(scope="module")
def program():
    return models.gcn((8, 4), self_loops=False).functions["gcn"]


@pytest.fixture(scope="module")
def layer(compiler, program):
    return gnn_mlir.compile(program, target="emulator")


@pytest.fixture
def inputs(program, graph):
    return program.random_inputs(graph)


@pytest.mark.parametrize("dtype", ["<f4", ">f4"])
def test_byte_order(layer, graph, inputs, dtype):
    expected = layer(graph, inputs)
    inputs["x"] = inputs["x"].astype(dtype)
    np.testing.assert_array_equal(layer(graph, inputs), expected)


@pytest.mark.parametrize("wrong", [None, "g", 3, [None], {"g": 3}, [3]])
def test_graphs_that_are_none(layer, inputs, wrong):
    with pytest.raises(ValueError, match="gcn: expected (a graph, got|graphs g, got)"):
        layer(wrong, inputs)


@pytest.mark.parametrize("wrong", [None, 3, "x", [1, 2]])
def test_inputs_that_are_no_dict(layer, program, graph, wrong):
    message = "gcn: expected a dict of inputs by name, got"
    with pytest.raises(ValueError, match=message):
        layer(graph, wrong)
    with pytest.raises(ValueError, match=message):
        program.evaluate(graph, wrong)


def test_arrays_are_not_printed(layer, graph):
    with pytest.raises(ValueError, match=r"got ndarray of float64 of shape \(200, 3\)$"):
        layer(graph, np.ones((200, 3)))


def test_types_that_do_not_occur(compiler):
    layer = gnn_mlir.compile(models.rgcn(4, (3, 2)), target="emulator")
    few = gnn_mlir.Graph([0, 1], [1, 0], 2, edge_type=[0, 2])
    with pytest.raises(gnn_mlir.GNNError, match="expected 4 edge types, got 3; .*: "
                                                "num_edge_types=4$"):
        layer.bind(few)
    with pytest.raises(gnn_mlir.GNNError, match="expected 4 edge types, got 6$"):
        layer.bind(gnn_mlir.Graph([0], [0], 1, num_edge_types=6))


@pytest.mark.parametrize("wrong", [None, 3, b"func.func @f()"])
def test_programs_that_are_none(compiler, wrong):
    with pytest.raises(ValueError, match="program: expected a torch.nn.Module .*, a Python "
                                         "function, or a gnn_mlir Module, Function or text, got"):
        gnn_mlir.compile(wrong)


@pytest.mark.parametrize("path", ["model.mlir", pathlib.Path("model.mlir"), __file__])
@pytest.mark.parametrize("call", [gnn_mlir.compile, gnn_mlir.explain, gnn_mlir.list_schedules])
def test_paths_of_programs(compiler, call, path):
    with pytest.raises(ValueError, match=r"^program: expected MLIR text, got a path; pass "
                                         r"pathlib\.Path\('.*'\)\.read_text\(\)$"):
        call(path)


@pytest.mark.parametrize("text", ["", "module {}"])
def test_programs_without_functions(compiler, text):
    with pytest.raises(ValueError, match="expected a program with a function, "
                                         "got none"):
        gnn_mlir.compile(text, target="emulator")


def test_chip_is_text(compiler, program):
    with pytest.raises(ValueError, match="chip: expected text such as sm_90, "
                                         "got 90"):
        gnn_mlir.compile(program, chip=90)


@pytest.mark.parametrize("chip", ["sm_35", "sm_50", "v100"])
@pytest.mark.parametrize("call", [gnn_mlir.compile, gnn_mlir.explain])
def test_chips_that_are_not_served(compiler, program, call, chip):
    with pytest.raises(ValueError, match=rf"expected h200, .* or a chip of sm_70, .*, got '{chip}'$"):
        call(program, target="cuda", chip=chip)


@pytest.mark.parametrize("name, value, expected", [
    ("cost", "time", "cost: expected one of full, whole-rows, rows, got 'time'"),
    ("compact", "rows", "compact: expected true or false, got 'rows'")])
def test_words_of_passes(compiler, program, name, value, expected):
    with pytest.raises(ValueError, match=f"^passes: {expected}$"):
        gnn_mlir.compile(program, target="emulator", passes={name: value})


def test_saving_follows_links(layer, tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    layer.save(link)
    assert link.is_symlink()
    assert gnn_mlir.load(target).name == "gcn"


def test_saving_writes_to_pipes(layer, tmp_path):
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)

    def read():
        with open(pipe, "rb") as file:
            found.append(file.read())

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    layer.save(pipe)
    if not pipe.is_fifo():  # Nobody wrote: let the reader go.
        pytest.fail("the pipe was replaced")
    reader.join(10)
    layer.save(tmp_path / "file")
    assert found == [(tmp_path / "file").read_bytes()]


@pytest.mark.parametrize("make, message", [
    (lambda: models.rgcn((16, 8), 3), r"features: expected sizes .*\(16, 8\), got 3"),
    (lambda: models.rgcn(3, (16, 0)), "features: expected an integer of at least 1, got 0"),
    (lambda: models.gat((16, 8), heads=0), "heads: expected an integer of at least 1, got 0"),
    (lambda: gnn_mlir.Graph(np.zeros((2, 5), int), 50), "edge_src: expected 1 dimension, got "
     r"ndarray of int64 of shape \(2, 5\); of an edge_index it is Graph\(\*edge_index"),
    (lambda: gnn_mlir.Graph.from_pyg(np.zeros((2, 500), int)),
     r"Data or HeteroData of PyG, got ndarray of int64 of shape \(2, 500\)"),
    (lambda: gnn_mlir.compile(models.rgcn(3), gradients={"weight": True}),
     "inputs in a list, got the input 'weight' in a dict"),
    (lambda: gnn_mlir.compile(models.rgcn(3), gradients=np.zeros(500)),
     r"or a dict of these by function, got ndarray of float64 of shape \(500,\)")])
def test_likely_mistakes(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_layer_for_a_gpu_is_called_on_the_cpu(compiler, program, graph, inputs):
    layer = gnn_mlir.compile(program, target="cuda")
    for call in (lambda: layer(graph, inputs), lambda: layer.memory(graph)):
        with pytest.raises(gnn_mlir.GNNError, match="expected inputs on a GPU, .* on the CPU"):
            call()


def test_memory_takes_no_inputs(layer, graph, inputs):
    with pytest.raises(ValueError, match="wrt: expected a list of names, got a dict"):
        layer.memory(graph, inputs)
    with pytest.raises(ValueError, match="compiled with gradients=True for wrt, got one"):
        layer.memory(graph, wrt=["x"])


def test_what_is_no_integer_and_what_is_a_dict():
    module = gnn_mlir.Module()
    f = module.function("f")
    x = f.input("x", module.graph("g").rows("node", 4))
    f.output("y", f.dropout(x, 0.5, seed=1, offset=f.input("offset", gnn_mlir.types.I64)))
    layer, ring = gnn_mlir.compile(module), gnn_mlir.Graph([0, 1, 2], [1, 2, 0], 3)
    rows = np.ones((3, 4), np.float32)
    with pytest.raises(ValueError, match="input 'offset': expected an int, an array or a "
                                         "tensor of int64, got float"):
        layer(ring, {"x": rows, "offset": 1.5})
    with pytest.raises(ValueError, match="input 'x': expected an array or a tensor of "
                                         "float32, got dict; Graph.join_types makes"):
        layer(ring, {"x": {0: rows}, "offset": 1})
    with pytest.raises(ValueError, match="activation: expected a value as weight, got 0.2; "
                                         "the arguments are kind, x, weight, alpha"):
        f.activation("leaky_relu", x, 0.2)
    with pytest.raises(ValueError, match=r"got a list of ndarray of float32 of shape \(3,"):
        gnn_mlir.compile(module, gradients=[rows, rows])
