# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of the overlay: compiled, assembled, read, run and timed."""

import collections
import ctypes
import functools
import json
import os
import tempfile

import numpy as np

from .. import capi, compiler, files, paths, signatures, types
from ..graph import Graph, not_a_graph, to_numpy
from ..program import Function, Module
from ..signatures import Buffer
from . import native
from .partitions import Partition, native_graph
from .reports import Report

Instruction = collections.namedtuple("Instruction", "mnemonic fields")
Layer = collections.namedtuple(
    "Layer", "name type inputs outputs aggregation activation tiles instructions")

_NAME = "program.mlir"


def compile(program, function=None, *, graph=None, stats=None, **options):
    """The Program of a function: of a `Module`, a `Function`, or IR as text.

    It is for one graph: `graph`, a Graph, the path of a graph file, or a Partition (as one
    of counts); or `stats`, the numbers (vertices, edges); or for what the IR states. Without
    a graph each subshard has one entry, and a graph that needs more is refused when it is
    given. `function` is a name,
    needed where the module has several functions.

    Options are those of gnn-overlay-pipeline (docs/Overlay.md): `n1` (rows of a block),
    `blocks_per_pe`, `order`, `fuse`, `unroll`, `linear_group`, `skip_empty`, `super_bytes` (most
    bytes of a part, where it has to be cut), `add_self_loops` (of a graph file). Raises
    ValueError where an argument is wrong, or an option has no use beside the others, CompileError where the program is,
    as "has no overlay layer: ..." at the op that no layer computes."""
    native.load()
    text, function = _text_of(program, function)
    if graph is not None and stats is not None:
        raise ValueError("expected graph or stats, got both")
    if stats is not None:
        options.update(zip(("vertices", "edges"), _counts(stats)))
    handle = partition = None
    if isinstance(graph, (str, os.PathLike)):
        options["graph"] = os.fspath(graph)
    elif isinstance(graph, Partition):
        partition = graph.handle
    elif graph is not None:
        handle = native_graph(graph)
    data = text.encode()
    with tempfile.TemporaryDirectory() as folder:
        reproducer = os.path.join(folder, _NAME)
        words = native.options_text(dict(options, reproducer=reproducer))
        try:
            return Program(capi.made("gnnOverlayCompile", data, len(data), _NAME.encode(),
                                     (function or "").encode(), handle, partition, words))
        except capi.GNNError as error:
            if error.kind in (signatures.OPTION, signatures.EDGE_TYPES, signatures.NODE_TYPES):
                raise ValueError(str(error)) from None
            if error.kind != signatures.PROGRAM:
                raise
            raise capi.CompileError(str(error).splitlines(), _read(reproducer)) from None


def assemble(text, name=None):
    """The Program of a `gnn_overlay.program` as text, as `Program.mlir` gives it; `name`
    is needed where there are several. Raises CompileError."""
    return compile(text, name)


def _counts(stats):
    """The numbers of vertices and edges; raises ValueError."""
    if not isinstance(stats, (tuple, list)) or len(stats) != 2:
        raise ValueError("stats: expected (vertices, edges), got "
                         f"{types.described(stats)}")
    return [types.integer(f"stats: {name}", value, 0, native.MOST)
            for name, value in zip(("vertices", "edges"), stats)]


def _read(path):
    """The text of a file; "": there is none, as after a crash."""
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def _text_of(program, function):
    """The text of a program, and the name of its function; None: the one there is."""
    if isinstance(program, Function):
        return program.module.text(), program.name
    if isinstance(program, Module):
        return program.text(), function
    if isinstance(program, str):
        return program, function
    raise ValueError("program: expected a gnn_mlir Module, Function or text, got "
                     f"{types.described(program)}")


class Program(native.Handle):
    """Instructions of 16 bytes, and the regions of the memory that they read and write."""

    _release = "gnnOverlayProgramRelease"
    _elsewhere = "save it and load it there"

    @classmethod
    def load(cls, path):
        """The program in a `.ga` file. Raises OSError, ValueError or GNNError."""
        with paths.open_file(path) as file:
            return cls.of_bytes(file.read())

    @classmethod
    def of_bytes(cls, data):
        """The program of the bytes of a `.ga` file. Raises GNNError where they are none,
        or would have a machine leave its regions or buffers."""
        native.load()
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise ValueError(f"data: expected bytes, got {types.described(data)}")
        data = bytes(data)
        return cls(capi.made("gnnOverlayProgramRead", data, len(data)))

    def to_bytes(self):
        """The bytes of its `.ga` file."""
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        capi.call("gnnOverlayProgramBytes", self.handle, ctypes.byref(data),
                  ctypes.byref(size))
        try:
            return ctypes.string_at(data, size.value)
        finally:
            capi.library().gnnStringDestroy(data)

    def save(self, path):
        """Writes its `.ga` file. The values computed before it
        (`prepare`) are no part of that."""
        files.write(path, self.to_bytes())

    def mlir(self, name="program"):
        """The disassembly, a `gnn_overlay.program` as text, which `assemble` reads."""
        if not isinstance(name, str) or not name or "\0" in name:
            raise ValueError(f"name: expected a name of a symbol, got {name!r}")
        return capi.text_of("gnnOverlayProgramText", self.handle, name.encode())

    @functools.cached_property
    def facts(self):
        """A dict of what the program is (gnnOverlayProgramDescribe)."""
        return json.loads(capi.text_of("gnnOverlayProgramDescribe", self.handle))

    vertices = property(lambda self: self.facts["vertices"])
    edges = property(lambda self: self.facts["edges"])
    n1 = property(lambda self: self.facts["n1"])
    blocks = property(lambda self: self.facts["blocks"])
    regions = property(lambda self: self.facts["regions"])

    @property
    def bytes(self):
        """Bytes of the instructions alone, 16 each: the paper's size of a binary."""
        return self.facts["instruction_bytes"]

    @property
    def seconds(self):
        """Seconds of the host by phase (parse, passes, encode) where it was compiled."""
        return self.facts["seconds"]

    @functools.cached_property
    def instructions(self):
        """All instructions in order: mnemonic and the fields that are not 0."""
        return [Instruction(*one) for one in json.loads(
            capi.text_of("gnnOverlayProgramInstructions", self.handle))]

    @property
    def layers(self):
        """The layers in order, with the words of their csi."""
        return [Layer(one["name"], one.get("type"), one.get("in"), one.get("out"),
                      one.get("aggregation"), one.get("activation"), one.get("tiles"),
                      one["instructions"]) for one in self.facts["layers"]]

    @property
    def parts(self):
        """Dicts of the super partitions of a program whose regions do not fit the memory, in
        the order in which they run: layer, instruction_bytes, and regions, which are windows
        of the program's of these names. None: an empty list."""
        return self.facts["parts"]

    @property
    def inputs(self):
        """The shapes of the arrays that it reads, by name; those named "prepare.0" and so
        on are computed before it."""
        return {one["name"]: tuple(one["shape"]) for one in self.facts["inputs"]}

    @property
    def outputs(self):
        """The shapes of the arrays that it writes, by name."""
        return {one["name"]: tuple(one["shape"]) for one in self.facts["outputs"]}

    @functools.cached_property
    def prepare(self):
        """IR of the function of weights and the graph that is computed before the program;
        None where nothing is, or where the program was read from a file."""
        text = native.load().gnnOverlayProgramPrepare(self.handle)
        return text and text.decode()

    @functools.cached_property
    def _prepare_function(self):
        return compiler.compile(self.prepare, target="cpu")

    def prepared(self, graph, inputs):
        """The values computed before the program, by name: `@f.prepare` of `inputs` on the
        CPU target."""
        if self.prepare is None:
            return {}
        function = self._prepare_function
        missing = [name for name in function.input_names if name not in inputs]
        if missing:
            raise ValueError(f"expected an input {missing[0]!r}, got "
                             f"{', '.join(inputs) or 'none'}")
        graphs = [graph] * len(function.graph_names)
        found = function(graphs, {name: np.ascontiguousarray(inputs[name], np.float32)
                                  for name in function.input_names})
        return found if isinstance(found, dict) else {"prepare.0": found}

    def run(self, graph, inputs, *, allow_non_finite=False):
        """The outputs, float32 arrays [vertices, features] or [edges]: one itself, several
        as a dict by name. `inputs` are arrays by the names of the function's arguments;
        those that the program does not read may be left out. The values computed before it
        are made of them, unless they have these ("prepare.0", ...).

        Raises ValueError for inputs that are missing or no real numbers, GNNError for one of
        another shape, for a graph that the program is not for, and for a value that is not finite, as of a softmax that overflows, unless
        `allow_non_finite`."""
        if not isinstance(graph, Graph):
            raise ValueError(f"graph: expected a Graph, got {not_a_graph(graph)}")
        if not isinstance(inputs, dict):
            raise ValueError(f"inputs: expected a dict by name, got {types.described(inputs)}")
        partition = Partition.for_program(self, graph)
        arrays = {name: _array(name, value) for name, value in inputs.items()}
        wanted = self.inputs
        if any(name.startswith("prepare.") and name not in arrays for name in wanted):
            arrays.update(self.prepared(graph, arrays))
        missing = [name for name in wanted if name not in arrays]
        if missing:
            raise ValueError(f"expected an input {missing[0]!r}, got "
                             f"{', '.join(inputs) or 'none'}")
        return self._run(partition, {name: arrays[name] for name in wanted},
                         allow_non_finite)

    def _run(self, partition, arrays, allow_non_finite):
        shapes = [(ctypes.c_int64 * array.ndim)(*array.shape) for array in arrays.values()]
        given = (native.Input * len(arrays))(*[
            native.Input(name.encode(), array.ndim, shape, Buffer.of(array))
            for (name, array), shape in zip(arrays.items(), shapes)])
        results = {}
        for one in self.facts["outputs"]:
            shape = (partition.edges,) if one["edges"] else tuple(one["shape"])
            results[one["name"]] = np.empty(shape, np.float32)
        outputs = (Buffer * len(results))(*map(Buffer.of, results.values()))
        capi.call("gnnOverlayRun", self.handle, partition.handle, given, len(given),
                  native.options_text(dict(allow_non_finite=allow_non_finite)), outputs,
                  len(results))
        return next(iter(results.values())) if len(results) == 1 else results

    def simulate(self, graph, *, memory=None, network=None, overlap=None, multicast=None,
                 pes=None, **options):
        """The Report of the time on a Graph, a Partition, or an array of the numbers of
        edges of subshards [blocks, blocks] (`Partition.of_counts`).

        `memory` is "shared" (default) or "ideal", `network` "ideal" (default), "banks" or
        "network"; `overlap` and `multicast` are bools; `pes` simulates another number of
        processing elements. Other options are numbers (docs/Overlay.md): issue, latency,
        bandwidth in bytes a second, frequency in Hz and so on; `overheads=False` takes INIT,
        fill and activations for nothing. Raises GNNError."""
        if isinstance(graph, Graph):
            graph = Partition.for_program(self, graph)
        elif not isinstance(graph, Partition):
            graph = Partition.of_counts(self.vertices, self.n1, graph)
        given = native.options_text(dict(options, memory=memory, network=network,
                                         overlap=overlap, multicast=multicast, pes=pes))
        return Report(json.loads(capi.text_of("gnnOverlaySimulate", self.handle,
                                              graph.handle, given)))

    def __repr__(self):
        return (f"Program({self.vertices} vertices, {self.edges} edges, "
                f"{len(self.layers)} layers, {self.bytes} bytes)")


def _array(name, value):
    """An input as float32; raises ValueError for what has no such values."""
    array = np.asarray(to_numpy(value))
    if array.dtype.kind not in "biuf":
        raise ValueError(f"input {name!r}: expected real numbers, got {types.described(value)}")
    return np.ascontiguousarray(array, np.float32)
