# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who keeps what alive; copies, pickles, forks and the interpreter's exit."""

import collections
import copy
import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
import weakref

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import in_flight, models
from support.graphs import random_graph
from naive import graphs


@pytest.fixture(scope="module")
def program():
    return models.gin((4, 4)).functions["gin"]


@pytest.fixture(scope="module")
def layer(compiler, program):
    return gnn_mlir.compile(program, target="emulator")


@pytest.fixture
def graph():
    return random_graph(20, 60, seed=1)


@pytest.fixture
def inputs(program, graph):
    return program.random_inputs(graph)


COPIES = {"copy": copy.copy, "deepcopy": copy.deepcopy,
          "pickle": lambda value: pickle.loads(pickle.dumps(value))}
ARRAYS = ("edge_src", "edge_dst", "edge_type", "src_node_type", "dst_node_type")


class Launch:
    """Of a device that is asked nothing under a capture."""

    is_captured = True

    def __init__(self, found):
        self.found = found

    def is_done(self):
        return self.found and not Launch.is_captured


@pytest.mark.parametrize("goes", ["graph", "function", "binding"])
def test_launches_that_are_done_are_let_go_with_bindings(compiler, program, goes, inputs,
                                                         monkeypatch):
    """Also those behind one that is not done; under a capture none is."""
    monkeypatch.setattr(Launch, "is_captured", True)
    layer = gnn_mlir.compile(program, target="emulator")
    graph = random_graph(20, 60, seed=1)
    found = {"graph": graph, "function": layer, "binding": layer.bind(graph)}
    layer(graph, inputs)
    slow, done = (Launch(False), "slow"), (Launch(True), "done")
    monkeypatch.setattr(in_flight, "_launches", collections.deque([slow, done]))
    del layer, graph
    if goes != "binding":  # which holds both
        del found["binding"]
    assert list(in_flight._launches) == [slow, done]
    monkeypatch.setattr(Launch, "is_captured", False)
    with in_flight._lock:  # as in a launch
        in_flight.let_go()
    assert list(in_flight._launches) == [slow, done]
    del found[goes]
    gc.collect()
    assert list(in_flight._launches) == [slow]


# Graphs.

@pytest.mark.parametrize("how", COPIES)
def test_graphs_are_copied_without_what_was_made_of_them(layer, graph, inputs, how):
    expected = layer(graph, inputs)
    graph.pairs("src")
    made = COPIES[how](graph)
    assert made._native is None and not made._maps
    del graph
    gc.collect()
    np.testing.assert_array_equal(layer(made, inputs), expected)


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("name", ["schema", "bipartite", "empty"])
def test_copies_are_equal_and_read_only(how, name):
    graph = graphs()[name]
    made = COPIES[how](graph)
    for attribute in ("square", "num_edge_types", "num_node_types", "schema",
                      "edge_type_names", "node_type_names"):
        assert getattr(made, attribute) == getattr(graph, attribute)
    for attribute in ARRAYS:
        array = getattr(made, attribute)
        np.testing.assert_array_equal(array, getattr(graph, attribute))
        assert not array.flags.writeable


@pytest.mark.parametrize("array", ARRAYS)
def test_a_changed_graph_is_an_error(graph, array):
    with pytest.raises(ValueError, match="read-only"):
        getattr(graph, array)[:] = 0
    with pytest.raises(AttributeError, match=f"{array}: a graph does not change"):
        setattr(graph, array, np.zeros(60, np.int32))


def test_what_a_graph_gives_is_not_its_memory(graph):
    for array in (*graph.pairs("dst"), graph.map("edge", "src_pair"),
                  *graph.groups("edge", "dst_pair")):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0
    graph = gnn_mlir.Graph([], [], node_type=[0, 1, 0])
    graph.nodes_of_type(0)[:] = 1
    assert graph.nodes_of_type(0).tolist() == [0, 2]
    graph = gnn_mlir.Graph([0], [1], 2, schema=[[0, 0]], edge_type_names=["a"],
                           node_type_names=["b"])
    for names in (graph.schema, graph.edge_type_names, graph.node_type_names):
        with pytest.raises(TypeError, match="tuple"):
            names[0] = names[0]


def test_a_graph_copies_what_it_is_made_of():
    ends = np.array([[0, 1], [1, 0]], np.int32)
    graph = gnn_mlir.Graph(*ends, 2)
    ends[:] = 1
    assert graph.edge_src.tolist() == [0, 1] and graph.edge_dst.tolist() == [1, 0]


# Functions and bindings.

@pytest.mark.parametrize("how", COPIES)
def test_functions_outlive_their_original(program, graph, inputs, compiler, how):
    first = gnn_mlir.compile(program, target="emulator")
    expected = first(graph, inputs)
    made = COPIES[how](first)
    del first
    gc.collect()
    np.testing.assert_array_equal(made(graph, inputs), expected)


@pytest.mark.parametrize("how", ["copy", "deepcopy"])
def test_bindings_outlive_their_original(layer, graph, inputs, how):
    first = layer.bind(graph)
    expected = first(inputs)
    made = COPIES[how](first)
    del first
    gc.collect()
    np.testing.assert_array_equal(made(inputs), expected)


@pytest.mark.parametrize("how", COPIES)
def test_packages_outlive_their_original(program, compiler, how):
    first = gnn_mlir.compile(program, target="emulator").package
    data = first.to_bytes()
    made = COPIES[how](first)
    del first
    gc.collect()
    assert made.functions == ["gin"] and made.to_bytes() == data


def test_saved_bytes_are_those_of_the_package(layer, tmp_path):
    layer.save(tmp_path / "gin.gnnpkg")
    assert (tmp_path / "gin.gnnpkg").read_bytes() == layer.package.to_bytes()


def test_what_belongs_to_a_process_is_not_pickled(layer, graph, compiler):
    binding = layer.bind(graph)
    for value, advice in ((binding, "bind them there"),
                          (binding.device, "a Device, .*: open it there"),
                          (graph._native, "pickle the gnn_mlir.Graph")):
        with pytest.raises(TypeError, match=f"cannot pickle .*{advice}"):
            pickle.dumps(value)


def test_errors_of_the_compiler_are_pickled(compiler):
    with pytest.raises(gnn_mlir.CompileError) as info:
        gnn_mlir.compile("func.func @f() {\n  what\n}", "f")
    again = pickle.loads(pickle.dumps(info.value))
    assert str(again) == str(info.value)
    assert again.reproducer == info.value.reproducer


@pytest.fixture
def released(capi, monkeypatch):
    """The handles of bound functions that were released."""
    handles, real = [], capi.library().gnnBoundRelease
    monkeypatch.setattr(capi.library(), "gnnBoundRelease",
                        lambda handle: (handles.append(handle), real(handle)))
    return handles


def test_bindings_go_with_their_function(program, graph, inputs, released):
    """A graph that many functions are called on in turn keeps none of them."""
    for _ in range(3):
        gnn_mlir.compile(program, target="emulator")(graph, inputs)
    gc.collect()
    assert len(released) == 3


def test_bindings_go_with_their_graph(layer, inputs, released):
    graph = random_graph(20, 60, seed=1)
    layer(graph, inputs)
    layer(graph, inputs)
    gone = weakref.ref(graph)
    assert not released
    del graph
    gc.collect()
    assert gone() is None and len(released) == 1


@pytest.mark.parametrize("kept", ["block1", "block2"])
def test_bindings_go_with_any_of_their_graphs(compiler, released, kept):
    """Functions of several graphs keep none of them."""
    module = models.sage_blocks((4, 4, 4))
    program = module.functions["sage"]
    sage = gnn_mlir.compile(module, target="emulator")

    def block(sources, destinations):
        rng = np.random.default_rng(sources)
        return gnn_mlir.Graph(rng.integers(0, sources, 50),
                              rng.integers(0, destinations, 50),
                              num_src_nodes=sources, num_dst_nodes=destinations)

    sizes, gone = {"block1": (60, 30), "block2": (30, 5)}, []
    one = block(*sizes[kept])
    for _ in range(3):
        both = {name: one if name == kept else block(*size)
                for name, size in sizes.items()}
        sage(both, program.random_inputs(both))
        gone += [weakref.ref(g) for g in both.values() if g is not one]
        del both
    gc.collect()
    assert [g() for g in gone] == [None] * 3 and len(released) == 3


# Processes.

def in_child(work):
    """The result of `work` in the child of a fork."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = os.fork()
    if not child:
        try:
            sender.send(work())
        finally:
            os._exit(0)
    try:
        assert receiver.poll(60), "the child hangs"
        return receiver.recv()
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


FORKED = {
    "run": lambda layer, graph, inputs: layer(graph, inputs),
    "bind": lambda layer, graph, inputs: layer.bind(graph)(inputs),
    "compile": lambda layer, graph, inputs: gnn_mlir.compile(
        layer.source, target="emulator")(graph, inputs)}


@pytest.mark.parametrize("what", FORKED)
def test_children_run(layer, what):
    """Of several blocks, so that the parent has threads at work, and twice, so
    that the child's own threads run too."""
    graph = random_graph(2000, 20000, seed=2)
    inputs = layer.source.random_inputs(graph)
    expected = layer(graph, inputs)
    for _ in range(2):
        found = in_child(lambda: [FORKED[what](layer, graph, inputs)
                                  for _ in range(2)])
        for out in found:
            np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(layer(graph, inputs), expected)


def test_children_let_go(program, compiler):
    """A child may drop what its parent ran."""
    graph = random_graph(2000, 20000, seed=2)
    made = [gnn_mlir.compile(program, target="emulator")]
    made[0](graph, program.random_inputs(graph))

    def work():
        made.clear()
        gc.collect()
        return "fine"

    assert in_child(work) == "fine"


EXIT = """
import sys, threading, gnn_mlir, numpy
graph = gnn_mlir.Graph(*numpy.random.default_rng(3).integers(0, 5000, (2, 50000)), 5000)
program = gnn_mlir.models.gin((16, 16)).functions["gin"]
inputs = program.random_inputs(graph)
binding = gnn_mlir.compile(program, target="emulator").bind(graph)
inside = threading.Event()

def work():
    while True:
        binding(inputs)
        inside.set()

threading.Thread(target=work, daemon=True).start()
inside.wait()
sys.exit(7)
"""


def test_exit_with_a_daemon_thread_inside_a_run(compiler):
    for _ in range(4):
        result = subprocess.run([sys.executable, "-c", EXIT], capture_output=True,
                                text=True, timeout=120, check=False)
        assert result.returncode == 7, result.stderr
