# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C API (include/GNN-c) by ctypes: one library for every Python.

The library is, in this order: what the environment variable GNN_MLIR_LIBRARY names; libGNN.so
inside this package (a wheel has it); libGNN.so in the build folder that GNN_MLIR_BUILD names, or
else the newest one in the build folders of the checkout that this file lies in. Where there is only
libGNNRuntime.so, it will do to load packages and run them.
"""

import contextlib
import ctypes
import functools
import json
import operator
import os
import pathlib
import sys
from ctypes import byref, c_char_p, c_int64, c_size_t, c_void_p

import numpy as np

from . import paths, types
from .signatures import (COMPILER, FALLIBLE, OTHER, PLAIN, READS, Allocate, BindOptions,
                         Buffer, Free, GraphArrays, LetGo, Progress, TensorInfo)


class GNNError(RuntimeError):
    """An error of the library. The message has one line, "expected X, got Y"."""

    kind = OTHER  # of GnnErrorKind


class CompileError(GNNError):
    """An error in a program.

    `diagnostics` is the list of all messages. `reproducer` is the program with its pipeline, as
    text: `gnn-opt --run-reproducer FILE` on a file with this text repeats the failure
    (docs/Plugins.md for plugins)."""

    def __init__(self, diagnostics, reproducer):
        self.diagnostics = list(diagnostics)
        self.reproducer = reproducer
        message = self.diagnostics[0] if self.diagnostics else "it failed"
        super().__init__(f"{message}\nto repeat: gnn-opt --run-reproducer FILE, "
                         "where FILE holds .reproducer")

    def __reduce__(self):
        return type(self), (self.diagnostics, self.reproducer)


def find_library():
    """Path of the library; the error says where it was looked for."""
    named = os.environ.get("GNN_MLIR_LIBRARY")
    if named:
        if not os.path.exists(named):
            raise GNNError(f"GNN_MLIR_LIBRARY: expected a library, got {named}, "
                           "which does not exist")
        return named
    package = pathlib.Path(__file__).resolve().parent
    places = [package / "lib/libGNN.so"]
    builds = [pathlib.Path(os.environ["GNN_MLIR_BUILD"])] if (
        "GNN_MLIR_BUILD" in os.environ) else sorted(package.parents[1].glob("build/*"))
    for name in ("libGNN.so", "libGNNRuntime.so"):
        found = [place for build in builds
                 for place in (build / "lib" / name, *sorted(build.glob("lib/*/" + name)))]
        places += sorted(found, key=lambda p: -p.stat().st_mtime if p.exists() else 0)
    for place in places:
        if place.exists():
            return str(place)
    raise GNNError(f"expected a library in one of {', '.join(map(str, places))}, or "
                   "GNN_MLIR_LIBRARY to name one; got none")


@functools.lru_cache(maxsize=None)
def library():
    """The loaded library, with the types of its functions."""
    path = find_library()
    try:
        found = ctypes.CDLL(path)
    except OSError as error:
        raise GNNError(f"{path}: expected a library that loads, got: {error}") from error
    compiler = COMPILER if hasattr(found, "gnnCompile") else {}
    for name in (*FALLIBLE, *compiler, *PLAIN):
        if not hasattr(found, name):
            raise GNNError(f"{path}: expected a library of this version of gnn_mlir, got one "
                           f"without {name}: build it again, or name the build folder of another "
                           "by GNN_MLIR_BUILD")
    for name, arguments in {**FALLIBLE, **compiler}.items():
        function = getattr(found, name)
        function.restype, function.argtypes = c_void_p, arguments
    held = ctypes.PyDLL(path)
    for name, (result, *arguments) in PLAIN.items():
        if name in READS:
            setattr(found, name, getattr(held, name))
        function = getattr(found, name)
        function.restype, function.argtypes = result, arguments
    return found


def has_compiler():
    """Whether the library compiles, or runs packages only."""
    return hasattr(library(), "gnnCompile")


def call(name, *arguments):
    """Calls a function that may fail; raises GNNError where it does."""
    error = getattr(library(), name)(*arguments)
    if error:
        raise error_of(error)


def error_of(error):
    """The exception of an error object, which goes."""
    found = GNNError(library().gnnErrorMessage(error).decode(errors="replace"))
    found.kind = library().gnnErrorKind(error)
    library().gnnErrorDestroy(error)
    return found


def made(name, *arguments):
    """The handle that a function gives by its last argument."""
    handle = c_void_p()
    call(name, *arguments, byref(handle))
    return handle.value


def text_of(name, *arguments):
    """The string that a function gives by its last argument."""
    text = c_void_p()
    call(name, *arguments, byref(text))
    return take_text(text)


def take_text(text):
    """A string of the library, which goes."""
    try:
        return ctypes.string_at(text).decode()
    finally:
        library().gnnStringDestroy(text)


def _json(name, *arguments):
    """The JSON that a function gives as such a string."""
    return json.loads(text_of(name, *arguments))


class Shared:
    """Does not change: a copy is the object itself."""

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class _Handle(Shared):
    """A reference that is released with the object. A reference that is left
    when the interpreter exits stays: a daemon thread may be using it."""

    _release = None
    # The advice in place of pickling, for the error.
    _elsewhere = None

    def __init__(self, handle, *held):
        """`held` lives until the handle is released."""
        self.handle, self._held = handle, held

    def __del__(self, is_finalizing=sys.is_finalizing):
        # The object has no handle where __init__ failed.
        if not is_finalizing() and "handle" in self.__dict__:
            getattr(library(), self._release)(self.handle)

    def __reduce__(self):
        raise TypeError(f"cannot pickle a {type(self).__name__}, which belongs to "
                        f"its process: {self._elsewhere}")


def _array(address, count):
    """A read-only copy of an int32 array that belongs to a handle."""
    data = ctypes.string_at(address, 4 * count) if address else b""
    return np.frombuffer(data, np.int32)


def get_num_threads():
    """The number of host threads that check, sort and upload graphs, make code and run kernels
    on the CPU."""
    return library().gnnNumThreads()


def set_num_threads(count):
    """Sets the number of host threads, at most 1024. 0 stands for OMP_NUM_THREADS, or else for the
    number of cores. Results have the same bits for any number of threads."""
    try:
        call("gnnSetNumThreads", operator.index(count))
    except (GNNError, TypeError) as error:
        raise ValueError(f"number of threads: {error}") from None


def copy_ids(array, limit):
    """int32[n] of an integer array [n], and the index of its first value that is
    not from 0 to limit - 1; -1: none."""
    array = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
    result, bad = np.empty(len(array), np.int32), c_int64()
    call("gnnCopyIds", array.ctypes.data, 8 * array.itemsize,
         array.dtype.kind == "i", len(array), limit, result.ctypes.data, byref(bad))
    return result, bad.value


@LetGo
def _let_go(context):
    ctypes.pythonapi.Py_DecRef(ctypes.cast(context, ctypes.py_object))


def _lend(value):
    """A reference to an object that the library has until it calls `_let_go`. It
    outlives this module: at exit a daemon thread may be using the object."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))
    return id(value)


_lend(_let_go)


def strings(names):
    if names is None:
        return None
    return (c_char_p * len(names))(*[n.encode() for n in names])


class NativeGraph(_Handle):
    """A graph of the library, with the arrays of a `gnn_mlir.Graph`."""

    _release = "gnnGraphRelease"
    _elsewhere = "pickle the gnn_mlir.Graph"

    @classmethod
    def of(cls, graph):
        """The handle of a graph, made once."""
        if graph._native is None:
            graph._native = cls(cls._create(graph, graph.schema))
        return graph._native

    @classmethod
    def check_schema(cls, graph, schema):
        """Raises GNNError where an edge does not obey a schema."""
        library().gnnGraphRelease(cls._create(graph, schema))

    @classmethod
    def load(cls, path):
        """The graph of a graph file."""
        file = made("gnnGraphFileLoad", paths.encoded(path))
        try:
            return cls(library().gnnGraphFileGraph(file))
        finally:
            library().gnnGraphFileRelease(file)

    @staticmethod
    def _create(graph, schema):
        keep = tuple(np.ascontiguousarray(a, np.int32) for a in (
            graph.edge_src, graph.edge_dst, graph.edge_type,
            graph.src_node_type, graph.dst_node_type))
        if schema is not None:
            schema = np.array(schema, np.int32).reshape(-1, 2)
        arrays = GraphArrays(
            graph.square, 32, graph.num_src_nodes, graph.num_dst_nodes,
            graph.num_edges, graph.num_node_types, graph.num_edge_types,
            *map(Buffer.of, keep), Buffer() if schema is None else Buffer.of(schema),
            strings(graph.node_type_names), strings(graph.edge_type_names))
        context = _lend(keep)
        try:
            return made("gnnGraphBorrow", byref(arrays), _let_go, context)
        except GNNError:
            _let_go(context)
            raise

    @classmethod
    def blocks_of_int64(cls, seeds, layers, counts, buffers):
        """The blocks of a square graph of int64 arrays, which are copied.
        `counts` are those of nodes, edges, node types and edge types, `buffers` the
        memory, (address, bytes), of the sources, the destinations and the types of edges
        and the types of nodes; without types: (None, 0)."""
        nodes, *others = counts
        arrays = GraphArrays(True, 64, nodes, nodes, *others, *buffers)
        handles = (c_void_p * layers)()
        call("gnnBlocksCreate", byref(arrays), operator.index(seeds), layers, handles)
        return [cls(handle) for handle in handles]

    def blocks(self, seeds, layers):
        """The graphs that layers read for the first nodes, the first layer's first."""
        handles = (c_void_p * layers)()
        call("gnnGraphBlocks", self.handle, seeds, layers, handles)
        return [NativeGraph(handle) for handle in handles]

    def counts(self):
        """Whether it is square, and numbers, as attributes of a `gnn_mlir.Graph`."""
        lib, h = library(), self.handle
        return {"square": lib.gnnGraphIsSquare(h),
                "num_src_nodes": lib.gnnGraphNumNodes(h, 0),
                "num_dst_nodes": lib.gnnGraphNumNodes(h, 1),
                "num_edges": lib.gnnGraphNumEdges(h),
                "num_edge_types": lib.gnnGraphNumEdgeTypes(h),
                "num_node_types": lib.gnnGraphNumNodeTypes(h)}

    def arrays(self):
        """The library's graph as the arguments of `gnn_mlir.Graph`."""
        lib, h = library(), self.handle
        edges, square = lib.gnnGraphNumEdges(h), lib.gnnGraphIsSquare(h)
        nodes = [lib.gnnGraphNumNodes(h, side) for side in range(2)]
        kinds = [_array(lib.gnnGraphNodeTypes(h, side), nodes[side]) for side in range(2)]
        types = lib.gnnGraphNumEdgeTypes(h)
        node_types = lib.gnnGraphNumNodeTypes(h)

        def names(function, count):
            found = [function(h, i) for i in range(count)]
            return None if None in found or not found else [n.decode() for n in found]

        schema = lib.gnnGraphSchema(h)
        found = dict(
            edge_src=_array(lib.gnnGraphEdgeEnds(h, 0), edges),
            edge_dst=_array(lib.gnnGraphEdgeEnds(h, 1), edges),
            edge_type=_array(lib.gnnGraphEdgeTypes(h), edges),
            num_edge_types=types, num_node_types=node_types,
            edge_type_names=names(lib.gnnGraphEdgeTypeName, types),
            node_type_names=names(lib.gnnGraphNodeTypeName, node_types),
            schema=_array(schema, 2 * types).reshape(-1, 2).tolist()
            if schema else None)
        if square:
            found.update(num_nodes=nodes[0], node_type=kinds[0])
        else:
            found.update(num_src_nodes=nodes[0], num_dst_nodes=nodes[1],
                         src_node_type=kinds[0], dst_node_type=kinds[1])
        return found

    def count(self, key):
        """A count by its text, such as "count edge"."""
        value = c_int64()
        call("gnnGraphCount", self.handle, key.encode(), byref(value))
        return value.value

    def structure(self, key):
        """A structure by its text, such as "rows dst edge.in_rows"."""
        size = c_int64()
        call("gnnGraphStructure", self.handle, key.encode(), None, 0, byref(size))
        values = np.empty(size.value, np.int32)
        call("gnnGraphStructure", self.handle, key.encode(), values.ctypes.data, size.value,
             byref(size))
        return values

    def stats(self):
        """The statistics as `#gnn.stats<...>`."""
        return text_of("gnnGraphStats", self.handle)

    def derived(self, name, *arguments):
        """A graph made by a graph function, such as "gnnGraphAddInverses"."""
        return NativeGraph(made(name, self.handle, *arguments))


class Device(_Handle):
    """Where compiled functions run."""

    _release = "gnnDeviceRelease"
    _elsewhere = "open it there"

    @classmethod
    def emulator(cls, checked=True, seed=None):
        """The CPU, thread by thread. `seed` draws the order between barriers."""
        if not has_compiler():
            raise GNNError(f"expected libGNN.so, which has the emulator, got {find_library()}")
        return cls(made("gnnDeviceOpenEmulator", checked, -1 if seed is None else seed))

    @classmethod
    def cpu(cls, threads=None):
        """The CPU on `threads`, which runs what is compiled for the CPU."""
        return cls(made("gnnDeviceOpenCpu", threads or 0))

    @classmethod
    def cuda(cls, ordinal=0):
        """A GPU, through the context that torch uses too."""
        return cls(made("gnnDeviceOpenCuda", ordinal))

    @functools.cached_property
    def name(self):
        return library().gnnDeviceName(self.handle).decode()

    @functools.cached_property
    def kind(self):
        """The kind of target that it runs (`targets`)."""
        return library().gnnDeviceKind(self.handle).decode()

    def __repr__(self):
        return f"Device({self.name})"

    def synchronize(self, stream=None):
        call("gnnDeviceSynchronize", self.handle, stream)


class DeviceMemory(Shared):
    """Memory of a device, freed with the object."""

    def __init__(self, device, size):
        self.device, self.size = device, size
        self.address = made("gnnDeviceAllocate", device.handle, size)

    def __del__(self, is_finalizing=sys.is_finalizing):
        if not is_finalizing() and "address" in self.__dict__:
            library().gnnDeviceFree(self.device.handle, self.address)

    def write(self, array):
        array = np.ascontiguousarray(array)
        call("gnnDeviceCopyToDevice", self.device.handle, self.address,
             array.ctypes.data, array.nbytes)

    def read(self, array):
        call("gnnDeviceCopyToHost", self.device.handle, array.ctypes.data,
             self.address, array.nbytes)


class Package(_Handle):
    """Launch plan and kernels: what compiling gives."""

    _release = "gnnPackageRelease"

    @classmethod
    def load(cls, path):
        return cls(made("gnnPackageLoad", paths.encoded(path)))

    @classmethod
    def from_bytes(cls, data):
        return cls(made("gnnPackageLoadBytes", data, len(data)))

    def save(self, path):
        """Writes the whole file or nothing."""
        call("gnnPackageSave", self.handle, paths.encoded(path))

    def to_bytes(self):
        """The bytes that `save` writes."""
        data, size = c_void_p(), c_size_t()
        call("gnnPackageBytes", self.handle, byref(data), byref(size))
        try:
            return ctypes.string_at(data, size.value)
        finally:
            library().gnnStringDestroy(data)

    def __reduce__(self):
        return Package.from_bytes, (self.to_bytes(),)

    @property
    def functions(self):
        """The names of its functions."""
        lib = library()
        return [lib.gnnPackageFunctionName(self.handle, i).decode()
                for i in range(lib.gnnPackageNumFunctions(self.handle))]

    def plan(self):
        """The launch plan, as parsed JSON: the same object at each call, which is not to
        be changed."""
        return self._plan

    @functools.cached_property
    def _plan(self):
        return json.loads(library().gnnPackagePlan(self.handle))

    @functools.cached_property
    def _signatures(self):
        return {f["name"]: {
            "graphs": [g["name"] for g in f["graphs"]],
            **{what: [(t["name"], t["dtype"], t.get("role", what[:-1]), t.get("of"))
                      for t in f[what]] for what in ("inputs", "outputs")}}
            for f in self.plan()["functions"]}

    def signature(self, function):
        """The facts that all bindings of a function share, a dict: "graphs", their
        names in the order in which it is bound, which each function of a package has
        for itself; "inputs" and "outputs", (name, dtype, role, of) of each."""
        return self._signatures[function]

    @functools.cached_property
    def _shapes(self):
        return {f["name"]: [[tuple(t["shape"][1:]) if t["shape"] else None for t in f[what]]
                            for what in ("inputs", "outputs")]
                for f in self.plan()["functions"]}

    def shapes(self, function):
        """The extents behind the first one of the inputs and of the outputs of a
        function; None of a scalar."""
        return self._shapes[function]

    def kernels(self, kind="ptx"):
        """The kernels as bytes, in a format such as "ptx"; None: not there."""
        size = c_size_t()
        found = library().gnnPackageKernels(self.handle, kind.encode(), byref(size))
        return ctypes.string_at(found, size.value) if found else None


@contextlib.contextmanager
def naming_types():
    """Says in an error about numbers of types what may be meant."""
    try:
        yield
    except GNNError as error:
        remedy = types.count_remedy(str(error))
        if not remedy:
            raise
        error.args = (str(error) + remedy,)
        raise


class BoundFunction(_Handle):
    """A function of a package with its graphs on a device."""

    _release = "gnnBoundRelease"
    _elsewhere = "pickle the function and its graphs, and bind them there"
    ready = None  # The stream of structures, and the event when they are there.

    def __init__(self, package, name, graphs, device, allocate=None, free=None,
                 progress=None):
        """`graphs` are `gnn_mlir.Graph`s in the order the function declares them.
        `allocate` (bytes to address) and `free` (address) give the memory of the
        graphs' structures; `progress` is told (what, done)."""
        options = BindOptions(
            Allocate(lambda _, size: allocate(size)) if allocate else Allocate(),
            Free(lambda _, address: free(address)) if free else Free(),
            Progress(lambda _, what, done: progress(what.decode(), done))
            if progress else Progress(), None)
        native = [NativeGraph.of(g) for g in graphs]
        handles = (c_void_p * len(native))(*[g.handle for g in native])
        with naming_types():
            handle = made("gnnBind", package.handle, name.encode(), handles, len(native),
                          device.handle, byref(options))
        self._hold(handle, package, name, device, options)

    @classmethod
    def of_all(cls, package, names, graphs, device):
        """Functions of a package, bound in one call. `graphs` are by name; each takes
        those that it declares."""
        handles = (c_void_p * len(names))()
        native = (c_void_p * len(graphs))(*[NativeGraph.of(g).handle for g in graphs.values()])
        with naming_types():
            call("gnnBindAll", package.handle, strings(names), len(names),
                 strings(graphs), native, len(graphs), device.handle, None, handles)
        return [cls.of_handle(h, package, name, device) for name, h in zip(names, handles)]

    @classmethod
    def of_handle(cls, *what):
        (bound := cls.__new__(cls))._hold(*what)
        return bound

    def _hold(self, handle, package, name, device, held=None):
        super().__init__(handle, held)  # The library reads it, or calls it at its end.
        self.name, self.device, self.package, self.workspaces = name, device, package, []

    # A binding is often made on another thread than it is run on, while that has other
    # work for Python's lock: what a run asks for is read when it does.

    @functools.cached_property
    def workspace_bytes(self):
        return library().gnnBoundWorkspaceBytes(self.handle)

    @functools.cached_property
    def structure_bytes(self):
        return library().gnnBoundStructureBytes(self.handle)

    inputs = property(lambda self: self._infos[0])
    outputs = property(lambda self: self._infos[1])

    @functools.cached_property
    def shapes(self):
        """The shapes of the inputs and of the outputs: rows are those of this
        binding."""
        widths = self.package.shapes(self.name)
        rows = (c_int64 * sum(map(len, widths)))()
        library().gnnBoundRows(self.handle, rows, len(rows))
        rows = iter(rows)
        return [[() if width is None else (next_rows, *width)
                 for width, next_rows in zip(of, rows)] for of in widths]

    @functools.cached_property
    def _infos(self):
        """Names and types are those of the plan."""
        signature = self.package.signature(self.name)
        return [[TensorInfo(*one, shape) for one, shape in zip(signature[what], shapes)]
                for what, shapes in zip(("inputs", "outputs"), self.shapes)]

    def run(self, inputs, outputs, workspace=(None, 0), stream=None):
        """Launches on memory, (address, bytes) of each of `inputs` and `outputs` in their
        order."""
        call("gnnBoundRun", self.handle, *Buffer.several(inputs), *Buffer.several(outputs),
             Buffer(*workspace), stream)

    def report(self):
        """The steps and their costs."""
        return _json("gnnBoundReport", self.handle)

    def profile(self, inputs, outputs, workspace=(None, 0), stream=None,
                repetitions=5):
        """The same with times, where the device has a timer. Waits."""
        return _json("gnnBoundProfile", self.handle, *Buffer.several(inputs),
                     *Buffer.several(outputs), Buffer(*workspace), stream,
                     repetitions)
