# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structures of graphs of tensors by kernels that the library has, plans and launches; torch gives
the memory. The host builds the structures of a package that kernels do not build (`Builder.of`
gives None), and those of a device without kernels of a GPU."""

import copy
import functools
import itertools
import logging
import struct
import threading
from ctypes import byref, c_int64, c_void_p

import numpy as np
import torch

from .. import capi, devices, structure_keys, targets
from ..signatures import Buffer, DeviceGraph, GraphNeeds

_log = logging.getLogger("gnn_mlir")


class Builder(capi._Handle):
    """How what functions need of their graphs is built on a device."""

    _release = "gnnBuilderRelease"

    @classmethod
    def of(cls, package, names, requests, device):
        """One for functions, made once for a package; None where kernels do not build all
        that they need."""
        made = package.__dict__.setdefault("_builders", {})
        key = names, device.handle
        if key not in made:
            has_kernels = device.kind in (targets.CUDA, targets.EMULATOR)
            made[key] = cls.make(requests, device) if has_kernels else None
            if has_kernels and made[key] is None and _log.isEnabledFor(logging.INFO):
                _tell(package, names, _left_out(requests, device))
        return made[key]

    @classmethod
    def make(cls, requests, device):
        """One for requests by the names of graphs."""
        if any(one.types is not None for one in requests.values()):
            return None
        schemas = [np.array(one.schema or (), np.int32) for one in requests.values()]
        needs = (GraphNeeds * len(requests))(*[GraphNeeds(
            one.c_name, one.self_loops, one.dst_sorted, len(one.counts), one.c_counts,
            len(one.structures), one.c_structures, one.parent and one.parent.encode(),
            one.loops and one.loops.encode(), one.loop_type or 0,
            one.shards[0] if one.shards else 0, one.shards and one.shards[1].encode(),
            Buffer.of(schema) if schema.size else Buffer())
            for one, schema in zip(requests.values(), schemas)])
        handle = capi.made("gnnBuilderCreate", needs, len(needs), device.handle)
        return cls(handle, device) if handle else None

    def covers(self, other):
        return capi.library().gnnBuilderCovers(self.handle, other.handle)


def _left_out(requests, device):
    """The structures and counts that kernels do not build, as texts."""
    for name, request in requests.items():
        parent = structure_keys.Request(request.parent or "")
        parent.finish()

        def are_built(structures=(), counts=()):
            one = copy.copy(request)
            one.structures, one.counts = {}, dict.fromkeys(counts)
            for text in structures:
                one.add_structure(text)
            one.finish()
            return Builder.make({**({request.parent: parent} if request.parent else {}),
                                 name: one}, device)
        if not are_built():
            yield f"all of {name}"
            continue
        yield from (f"{text} of {name}" for text in request.structures if not are_built([text]))
        yield from (f"{text} of {name}" for text in request.counts if not are_built((), [text]))


def _tell(package, names, left_out):
    """Logs structures that the host builds, once for a package."""
    told = package.__dict__.setdefault("_told", set())
    new = [text for text in left_out if text not in told]
    told.update(new)
    if new:
        _log.info("%s: structures are built on the host, as kernels do not build %s",
                  ", ".join(names), ", ".join(new))


_host = threading.local()


def _counted_on_host(words, pinned):
    """Memory for the numbers that a build counts, that of the thread: counting waits for them
    and takes them over. Pinned memory is dear to allocate."""
    name = "pinned" if pinned else "pageable"
    kept = getattr(_host, name, None)
    if kept is None or len(kept) < words:
        kept = torch.empty(max(1024, 2 * words), dtype=torch.int32, device="cpu",
                           pin_memory=pinned)
        setattr(_host, name, kept)
    return kept


class Build(capi._Handle):
    """The structures built of some graphs, by name."""

    _release = "gnnBuildRelease"

    def __init__(self, builder, graphs, stream):
        """`stream` is torch's; None on the host."""
        self.builder, device = builder, next(iter(graphs.values())).device
        # The graphs that are known to have their edges sorted by destination.
        self._sorted, self._lock = set(), threading.Lock()
        (given, held), sizes = _device_graphs(graphs), (c_int64 * 2)()
        handle = c_void_p()
        capi.call("gnnBuildCreate", builder.handle, given, len(given), byref(handle), sizes)
        super().__init__(handle.value)
        # Whether keys have 32 bits, and whether the graphs are what they should be.
        self.is_narrow, self.is_good = sizes[0] >= 0, False
        if not self.is_narrow:
            return
        scratch = torch.empty(sizes[0], dtype=torch.int32, device=device)
        numbers = _counted_on_host(sizes[1], stream is not None)
        address, size = stream and stream.cuda_stream, c_int64()
        capi.call("gnnBuildCount", self.handle, _buffer(scratch), _buffer(numbers),
                  address, byref(size))
        if size.value < 0:
            return
        self.is_good = True
        self._memory = torch.empty(size.value, dtype=torch.uint8, device=device)
        capi.call("gnnBuildFill", self.handle, _buffer(self._memory), address)
        # The stream, and the event when they are there.
        self._ready = stream and (stream, stream.record_event())
        # Kernels that read them are before what their memory is for next.
        del held, scratch

    def bind(self, package, names, ordered=()):
        """`ordered` are graphs whose edges are sorted by destination."""
        handles = (c_void_p * len(names))()
        with self._lock, capi.naming_types():
            for name in sorted({*ordered} - self._sorted):
                capi.call("gnnBuildSetSorted", self.handle, name.encode())
                self._sorted.add(name)
            capi.call("gnnBuildBind", self.handle, package.handle, capi.strings(names),
                      len(names), handles)
        device, = self.builder._held
        found = []
        for handle, name in zip(handles, names):
            found.append(capi.BoundFunction.of_handle(handle, package, name, device, self))
            found[-1].ready = self._ready
        return found

    def count(self, graph, text):
        """A count of a graph, by its text."""
        value = c_int64()
        capi.call("gnnBuildNumber", self.handle, graph.encode(), text.encode(), byref(value))
        return value.value

    def structure(self, graph, text):
        """A structure, a view of the memory of all."""
        address, size = c_void_p(), c_int64()
        capi.call("gnnBuildStructure", self.handle, graph.encode(), text.encode(),
                  byref(address), byref(size))
        if not size.value:
            return self._memory[:0].view(torch.int32)
        begin = address.value - self._memory.data_ptr()
        return self._memory[begin:begin + 4 * size.value].view(torch.int32)


def _device_graphs(graphs):
    """The graphs as the C API takes them, and what they are made of."""
    given, held = (DeviceGraph * len(graphs))(), []
    for one, (name, graph) in zip(given, graphs.items()):
        one.name, one.square = name.encode(), graph.square
        one.num_src_nodes, one.num_dst_nodes = graph.num_src_nodes, graph.num_dst_nodes
        one.num_edges, one.num_edge_types = graph.num_edges, graph.num_edge_types
        one.num_node_types = graph.num_node_types
        for column, tensor in (("src", graph.ends("src")), ("dst", graph.ends("dst")),
                               ("edge_type", graph.edge_type),
                               ("src_node_type", graph.node_types_at("src")),
                               ("dst_node_type", graph.node_types_at("dst"))):
            if tensor is not None:
                held.append(_steps(tensor))
                ids = getattr(one, column)
                ids.values, ids.bytes, ids.bits, ids.stride = _given(held[-1])
    return given, held


def _steps(ids):
    """Ids with steps from row to row, which expanded tensors have not."""
    return ids if ids.stride(0) or len(ids) < 2 else ids.contiguous()


def _given(ids):
    """The fields of ids in the C API."""
    size, step = ids.element_size(), ids.stride(0) or 1
    return ids.data_ptr(), size * ((len(ids) - 1) * step + 1), 8 * size, step


def _buffer(tensor):
    return Buffer(tensor.data_ptr(), tensor.nbytes)


def bind(package, names, requests, graphs, device, stream, refuse):
    """Functions of a package, bound; None where kernels do not build all they need.
    `refuse` raises what is wrong with graphs."""
    builder = Builder.of(package, tuple(names), requests, device)
    if builder is None:
        return None
    graphs = {name: graphs[name] for name in requests if not requests[name].parent}
    tokens = {name: graph._token for name, graph in graphs.items()}
    kept = next(iter(graphs.values()))._builds
    ordered = [name for name, request in requests.items() if request.dst_sorted]
    for build, of in kept:
        if build.builder.covers(builder) and tokens.items() <= of.items():
            if not all(graphs[name].is_dst_sorted for name in ordered):
                refuse(package, names, graphs)
            return build.bind(package, names, ordered)
    if any(request.schema and len(request.schema) != graphs[name].num_edge_types
           for name, request in requests.items() if name in graphs):
        refuse(package, names, graphs)
    build = Build(builder, graphs, stream)
    if not build.is_narrow:
        _tell(package, names, ["sorts by more than 32 bits"])
        return None
    if not build.is_good:
        refuse(package, names, graphs)
    for name in ordered:
        graphs[name].is_dst_sorted = True
    # Structures that the new one has too are kept by the functions alone that are
    # bound to them.
    kept[:] = [(one, of) for one, of in kept if not (
        builder.covers(one.builder) and of.items() <= tokens.items())] + [(build, tokens)]
    return build.bind(package, names, ordered)


@functools.lru_cache(maxsize=None)
def _column_writer(device):
    """The device of the library for a device of torch; None on the host without an emulator."""
    if targets.is_gpu(device):
        return devices.open_device(f"cuda:{device.index}")
    return devices.open_device(targets.EMULATOR) if capi.has_compiler() else None


def written(tensors, device):
    """int32 tensors [rows, columns] on a device of torch, written in one call; None where
    there are no kernels for it. Each is a list of rows, and each row a list of parts, which
    follow one another: (count, base, ids, limit), `count` values of base + id, or -1 where an
    id is not from 0 to limit - 1. `ids` is a tensor [count] there, or None: then all are base."""
    if targets.is_gpu(device) and device.index is None:
        device = torch.device(device.type, torch.cuda.current_device())
    writer = _column_writer(device)
    if writer is None:
        return None
    shapes = [(len(rows), sum(part[0] for part in rows[0])) for rows in tensors]
    sizes = [-(-rows * width // 4) * 4 for rows, width in shapes]  # Each at 16 bytes.
    memory = torch.empty(sum(sizes), dtype=torch.int32, device=device)
    address, made, fields, held = memory.data_ptr(), [], [], []
    for rows, (height, width), size in zip(tensors, shapes, sizes):
        at = (address - memory.data_ptr()) // 4
        made.append(memory[at:at + height * width].view(height, width))
        out, address = address, address + 4 * size
        for count, base, ids, limit in itertools.chain(*rows):
            given = 0, 0, 64, 1  # Ids: address, bytes, bits, steps.
            if ids is not None:
                held.append(_steps(ids))
                given = _given(held[-1])
            fields += out, 4 * count, count, base, *given, limit
            out += 4 * count
    stream = torch.cuda.current_stream(device).cuda_stream if targets.is_gpu(device) else None
    capi.call("gnnWriteColumns", writer.handle,
              struct.pack(f"{len(fields)}q", *fields), len(fields) // 9, stream)
    del held  # Kernels that read it are before what its memory is for next.
    return made
