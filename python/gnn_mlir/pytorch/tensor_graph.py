# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of torch tensors, whose structures are built where the tensors are."""

import collections
import ctypes
import functools
from ctypes import c_int64, c_void_p

import torch

from .. import capi, devices, structure_keys, targets, tokens, types
from ..graph import Graph, _count, _names
from ..placed_graph import PlacedGraph
from ..signatures import Buffer, BuiltGraph
from . import device_build
from .copies import Transfer, Upload
from .identity import identity
from .structures import Structures


_Given = collections.namedtuple("_Given", "index src dst edge_type node_types")


class TensorGraph(PlacedGraph):
    """A typed, directed graph of torch tensors, for compiled functions whose inputs are
    on the same device: a `Graph` that stays where it is. `edges` are an edge_index
    [2, edges] or a pair (sources, destinations); ids and types are int32 or int64. The
    other arguments are those of `Graph`, but numbers of types are not read off the
    tensors: None is 1, or as many as there are names.

    The structures that a function needs are built on the current stream when it is first
    bound, by kernels of the compiler or else by torch, with one wait for the counts. Ids
    out of range are found then. The tensors are not copied and must not change."""

    def __init__(self, edges, num_nodes=None, *, edge_type=None, node_type=None,
                 num_edge_types=None, num_node_types=None, num_src_nodes=None,
                 num_dst_nodes=None, src_node_type=None, dst_node_type=None, schema=None,
                 edge_type_names=None, node_type_names=None):
        self.square = num_src_nodes is None and num_dst_nodes is None
        if self.square and num_nodes is None:
            raise ValueError("expected num_nodes, or num_src_nodes and num_dst_nodes")
        if not self.square and (num_nodes is not None or node_type is not None or
                                num_src_nodes is None or num_dst_nodes is None):
            raise ValueError("a bipartite graph: expected num_src_nodes and num_dst_nodes, "
                             "src_node_type and dst_node_type")
        if self.square:
            num_src_nodes = num_dst_nodes = num_nodes
            if src_node_type is not None or dst_node_type is not None:
                raise ValueError("src_node_type and dst_node_type belong to bipartite "
                                 "graphs, expected node_type")
            src_node_type = dst_node_type = node_type
        self.num_src_nodes = _count(num_src_nodes, "number of nodes", 1 << 31)
        self.num_dst_nodes = _count(num_dst_nodes, "number of nodes", 1 << 31)
        index = None
        if hasattr(edges, "ndim"):
            _check_tensor(edges, "edges", 2)
            if edges.shape[0] != 2:
                raise ValueError("edges: expected shape (2, edges), got "
                                 f"{tuple(edges.shape)}")
            index = edges
            src, dst = edges.unbind()
        else:
            if not isinstance(edges, (list, tuple)) or len(edges) != 2:
                raise ValueError("edges: expected a tensor [2, edges] or a pair of tensors, "
                                 f"got {types.described(edges)}")
            src, dst = edges
            _check_tensor(src, "sources", 1)
            _check_tensor(dst, "destinations", 1, src)
        self.device, self.num_edges = src.device, src.shape[0]
        _count(self.num_edges, "number of edges", 1 << 31)
        self.num_edge_types = _number(num_edge_types, edge_type_names, "num_edge_types")
        self.num_node_types = _number(num_node_types, node_type_names, "num_node_types")
        if edge_type is not None:
            _check_tensor(edge_type, "edge_type", 1, src)
        self._given = _Given(index, src, dst, edge_type, (src_node_type, dst_node_type))
        for name, given, count in (("src", src_node_type, self.num_src_nodes),
                                   ("dst", dst_node_type, self.num_dst_nodes)):
            if given is not None:
                name = "node_type" if self.square else f"{name}_node_type"
                _check_tensor(given, name, 1, src, count)
        self.edge_type_names = _names(edge_type_names, "edge_type_names",
                                      self.num_edge_types)
        self.node_type_names = _names(node_type_names, "node_type_names",
                                      self.num_node_types)
        self.schema = None if schema is None else types.schema_pairs(
            "schema", schema, self.num_edge_types, self.num_node_types)
        self._identities = self._identify()
        self._token, self._rows = tokens.make(self), {}
        self._structures = self._made_on = None
        self._builds = []  # By kernels: (build, the tokens of its graphs by name).
        if (self.num_edges and not (self.num_src_nodes and self.num_dst_nodes and
                                    self.num_edge_types) or
                (self.num_src_nodes or self.num_dst_nodes) and not self.num_node_types):
            self.to_graph()  # No id is right, which is its error.

    _index = property(lambda self: self._there().index)
    _src = property(lambda self: self._there().src)
    _dst = property(lambda self: self._there().dst)
    edge_type = property(lambda self: self._there().edge_type)
    _node_types = property(lambda self: self._there().node_types)

    def __repr__(self):
        nodes = (f"{self.num_src_nodes} nodes" if self.square else
                 f"{self.num_src_nodes} source and {self.num_dst_nodes} destination nodes")
        return (f"TensorGraph({nodes} of {self.num_node_types} types, {self.num_edges} "
                f"edges of {self.num_edge_types} types, {self.place})")

    def __reduce__(self):
        raise TypeError("cannot pickle a TensorGraph: pickle its tensors, or to_graph()")

    @functools.cached_property
    def place(self):
        """Where it is, as compiled functions name devices: the host, or "cuda:0"."""
        return targets.CPU if targets.is_host(self.device) else (
            f"{self.device.type}:{self.device.index or 0}")

    def ends(self, end):
        """The node at that end, "src" or "dst", of each edge."""
        return self._src if end == "src" else self._dst

    def node_types_at(self, end):
        """The types of the nodes at that end, None where all are 0."""
        return self._node_types[end == "dst"]

    @functools.cached_property
    def is_dst_sorted(self):
        """Whether its edges are sorted by destination. Waits for the device, once."""
        dst = self.ends("dst")
        return not bool((dst[1:] < dst[:-1]).any())

    def to_graph(self):
        """The `Graph` of copies on the host."""
        kinds = dict(zip(("src_node_type", "dst_node_type"), self._node_types))
        sizes = {"num_src_nodes": self.num_src_nodes, "num_dst_nodes": self.num_dst_nodes}
        if self.square:
            kinds = {"node_type": self._node_types[0]}
            sizes = {"num_nodes": self.num_src_nodes}
        return Graph(self._src, self._dst, **sizes, **kinds, edge_type=self.edge_type,
                     num_edge_types=self.num_edge_types, schema=self.schema,
                     num_node_types=self.num_node_types,
                     edge_type_names=self.edge_type_names,
                     node_type_names=self.node_type_names)

    # Rows by node type, as those of a Graph.
    find_node_type, find_edge_type = Graph.find_node_type, Graph.find_edge_type
    split_types, join_types = Graph.split_types, Graph.join_types

    def _count_nodes(self, space):
        if space not in ("node", "src", "dst"):
            raise ValueError(f"space: expected node, src or dst, got {space!r}")
        return self.num_dst_nodes if space == "dst" else self.num_src_nodes

    count = _count_nodes

    def nodes_of_type(self, node_type, end="src"):
        """The nodes of a type, ascending, on the device. Waits, once for each type."""
        key = node_type, end
        if key not in self._rows:
            given = self.node_types_at(end)
            if given is None:
                count = self._count_nodes(end) if node_type == 0 else 0
                self._rows[key] = slice(0, count)
            else:
                self._rows[key] = (given == node_type).nonzero().view(-1)
        return self._rows[key]

    @staticmethod
    def _index_of(rows, node_type, end, values):
        return rows

    # -- Binding ---------------------------------------------------------------

    @staticmethod
    def bind_all(package, names, graphs, device):
        """For a forward pass, what its backward pass needs is built as well."""
        return _bind_all(package, names, graphs, device)

    def _ids(self):
        """The ids that have to be in range: (name, ids, the limit of each
        row)."""
        both = self.num_src_nodes, self.num_dst_nodes
        found = [("edge_src", self._src, both[:1]), ("edge_dst", self._dst, both[1:])]
        if self._index is not None:
            found = [("edges", self._index, both)]
        if self.edge_type is not None:
            found.append(("edge_type", self.edge_type, (self.num_edge_types,)))
        for end, given in zip(("src", "dst"), self._node_types):
            if given is not None and not (self.square and end == "dst"):
                found.append((end, given, (self.num_node_types,)))
        return found

    def _identify(self):
        return [identity([tensor], held=True) for tensor in self.held()]

    def _there(self):
        """The tensors that it is made of."""
        return self._given

    def _end_of_binding(self):
        """Called when functions are bound, or are not because of an error."""

    def held(self):
        """The tensors that it has."""
        given = self._given
        return [] if given is None else [tensor for tensor in (
            given.src, given.dst, given.edge_type, *given.node_types) if tensor is not None]

    def _check_unchanged(self):
        if self._identify() != self._identities:
            raise RuntimeError("expected the tensors that a TensorGraph was made of, got "
                               "one that was changed in place")

    def _start(self):
        """Its structures, for more to be built on the current stream."""
        self._check_unchanged()
        if self._structures is None:
            self._structures = Structures(self)
        return self._structures


def _check_tensor(value, name, dimensions, like=None, count=None):
    """`like` has the device, and as many values unless there is a count."""
    if not isinstance(value, torch.Tensor):
        raise ValueError(f"{name}: expected a tensor of int32 or int64, got "
                         f"{types.described(value)}")
    if value.dtype not in (torch.int32, torch.int64):
        raise ValueError(f"{name}: expected int32 or int64, got "
                         f"{str(value.dtype).removeprefix('torch.')}")
    if value.ndim != dimensions or value.layout != torch.strided:
        raise ValueError(f"{name}: expected a dense tensor of {dimensions} "
                         f"dimension{'s' * (dimensions > 1)}, got {tuple(value.shape)}")
    if like is None:
        return
    expected = like.shape[0] if count is None else count
    if value.shape[0] != expected:
        raise ValueError(f"{name}: expected shape ({expected},), got {tuple(value.shape)}")
    if value.device != like.device:
        raise ValueError(f"{name}: expected a tensor on {like.device}, where the edges are, "
                         f"got one on {value.device}")


def _number(count, names, name):
    if count is None:
        count = len(names) if hasattr(names, "__len__") else 1
    return _count(count, name, types.MOST_TYPES + 1)


class _Derived:
    """The edges of some types of a TensorGraph, or it with other self loops."""

    def __init__(self, structures, request):
        """`structures` are the parent's, whose ids were checked."""
        parent = structures.graph
        self.device, self.node_types_at = parent.device, parent.node_types_at
        self.num_src_nodes, self.num_dst_nodes = parent.num_src_nodes, parent.num_dst_nodes
        self.num_node_types, self.square = parent.num_node_types, parent.square
        self.loop_type = request.loop_type
        if request.loops:
            self._change_loops(structures, request.loops)
        elif request.types is not None:
            self._choose(structures, request.types)
        else:
            self._take_all(structures)
        if request.shards:
            self._shard(*request.shards)

    def _choose(self, structures, chosen):
        parent = structures.graph
        self.num_edge_types, self.parent_types = len(chosen), chosen
        self.schema = parent.schema and [parent.schema[t] for t in chosen]
        kinds, wanted = structures.edge_type(), torch.tensor(
            chosen, dtype=torch.int32, device=self.device)
        place = torch.searchsorted(wanted, kinds, out_int32=True)
        found = torch.isin(kinds, wanted)
        self.edges = found.nonzero().view(-1)
        self._ends = {end: structures.ends(end)[self.edges] for end in ("src", "dst")}
        self.edge_type, self.num_edges = place[self.edges], len(self.edges)

    def _change_loops(self, structures, loops):
        """The graph that `graph_functions.add_self_loops` makes; `edges` are the
        places of edges among the parent's and, behind them, new loops."""
        parent, adds = structures.graph, self.loop_type is not None
        edges, nodes = structures.edges, self.num_dst_nodes if adds else 0
        is_new = adds and self.loop_type == parent.num_edge_types
        self.num_edge_types = parent.num_edge_types + is_new
        self.parent_types = tuple(range(parent.num_edge_types))
        self.schema = parent.schema and [*parent.schema, *[(-1, -1)] * is_new]
        src, dst = structures.ends("src"), structures.ends("dst")
        places = torch.arange(edges + nodes, device=self.device)
        own, node = src == dst, places[:nodes]
        kept = places[:edges] if loops == "add" else (~own).nonzero().view(-1)
        made = places[edges:]
        if loops == "remaining":
            last = torch.full_like(made, -1).scatter_reduce_(
                0, src[own].long(), own.nonzero().view(-1), "amax")
            made = torch.where(last < 0, made, last)
        self.edges = torch.cat([kept, made])
        self._ends = {end: torch.cat([ids, node.to(ids.dtype)])[self.edges]
                      for end, ids in (("src", src), ("dst", dst))}
        kinds = structures.edge_type()
        self.edge_type = torch.cat([kinds, torch.full_like(
            node, self.loop_type or 0, dtype=kinds.dtype)])[self.edges]
        self.num_edges = len(self.edges)

    def _take_all(self, structures):
        self.edges = torch.arange(structures.edges, device=self.device)
        self._ends = {end: structures.ends(end) for end in ("src", "dst")}
        self.num_edges = len(self.edges)

    def _shard(self, shards, end):
        """The graph that `shard_edges` of GraphFunctions.cpp makes."""
        nodes = self.num_src_nodes if end == "src" else self.num_dst_nodes
        self.num_edge_types, self.parent_types, self.schema = shards, (), None
        ids = self._ends[end].long() * shards
        self.edge_type = ids.div(max(nodes, 1), rounding_mode="floor").int()

    def ends(self, end):
        return self._ends[end]


def _bind_all(package, names, graphs, device):
    expected = device.name.split(" ")[0] if device.kind == targets.CUDA else targets.CPU
    for name, graph in graphs.items():
        if graph.place != expected:
            raise ValueError(f"graph {name!r}: expected tensors on the {device.name}, "
                             f"where the inputs are, got them on {graph.place}")
    requests = structure_keys.requests(package, tuple(names))
    for name in requests:
        if requests[name].parent is None and name not in graphs:
            raise ValueError(f"expected a graph {name!r}, got {', '.join(graphs)}")
    for graph in graphs.values():
        graph._check_unchanged()
    try:
        if device.kind != targets.CUDA:
            return _bind_built(package, names, requests, graphs, device, None)
        with torch.cuda.device(next(iter(graphs.values())).device):
            return _bind_built(package, names, requests, graphs, device,
                               torch.cuda.current_stream())
    finally:
        for graph in graphs.values():
            graph._end_of_binding()


def _bind_built(package, names, requests, graphs, device, stream):
    found = device_build.bind(package, names, requests, graphs, device, stream, _refuse)
    if found is not None or stream is None:
        return found or _bind_made(package, names, requests, graphs, device)
    for graph in graphs.values():
        if graph._made_on and graph._made_on[0] != stream:
            stream.wait_event(graph._made_on[1])
    found = _bind_made(package, names, requests, graphs, device)
    ready = stream, stream.record_event()
    for graph in graphs.values():
        graph._made_on = ready
    for bound in found:
        bound.ready = ready
    return found


def _bind_made(package, names, requests, graphs, device):
    """The same of structures that torch builds."""
    declared = {name: request for name, request in requests.items() if not request.parent}
    built = {name: graphs[name]._start() for name in declared}
    try:
        _build(package, names, declared, built, graphs)
        derived = {name: request for name, request in requests.items() if request.parent}
        if derived:
            for name, request in derived.items():
                parent = built[request.parent]
                key = request.derivation
                if key not in parent.derived:
                    graph = _Derived(parent, request)
                    parent.derived[key] = type(parent)(graph, parent, (graph.edges, None))
                built[name] = parent.derived[key]
            _build(package, names, derived, built, graphs)
    except BaseException:
        for graph in graphs.values():
            graph._structures = None  # Some of it may be half made.
        raise
    return _bind_pointers(package, names, requests, built, device)


def _build(package, names, requests, built, graphs):
    """Builds all that `requests` name, with one copy to the host."""
    place = next(iter(built.values())).device
    transfer, upload = Transfer(place), Upload(place)
    for name, request in requests.items():
        built[name].prepare(request, transfer)
    transfer.start()
    for name, request in requests.items():
        for text in request.early:
            built[name].get(text, request.structures[text], upload)
    transfer.wait()
    for name, request in requests.items():
        if built[name].find_bad_ids() or not built[name].keeps_promises(request):
            _refuse(package, names, graphs)
    for name, request in requests.items():
        for text, key in request.structures.items():
            built[name].get(text, key, upload)
    upload.run()


def _refuse(package, names, graphs):
    """Raises the error of the same graphs on the host."""
    host = {name: graph.to_graph() for name, graph in graphs.items()}
    capi.BoundFunction.of_all(package, list(names), host,
                              devices.open_device(devices.host_of(package)))
    raise AssertionError("expected an error of a wrong graph")


def _bind_pointers(package, names, requests, built, device):
    made, keep = (BuiltGraph * len(requests))(), []
    for one, (name, request) in zip(made, requests.items()):
        structures = built[name]
        rows = structures.sizes
        counts = [rows[space] if space in rows else structures.count(text, key)
                  for text, key, space in request.counted]
        arrays = [structures.made[text] for text in request.structures]
        schema = request.schema and [end for ends in request.schema for end in ends]
        one.name, one.square = request.c_name, structures.graph.square
        one.self_loops, one.dst_sorted = request.self_loops, request.dst_sorted
        if schema:
            schema = (ctypes.c_int32 * len(schema))(*schema)
            one.schema = Buffer(ctypes.addressof(schema), ctypes.sizeof(schema))
        values = (c_int64 * len(counts))(*counts)
        addresses = (c_void_p * len(arrays))(*[array.data_ptr() for array in arrays])
        sizes = (c_int64 * len(arrays))(*[array.numel() for array in arrays])
        one.num_counts, one.count_keys, one.counts = len(counts), request.c_counts, values
        one.num_structures, one.structure_keys = len(arrays), request.c_structures
        one.structures, one.sizes = addresses, sizes
        keep.append((arrays, schema, values, addresses, sizes))
    handles = (c_void_p * len(names))()
    with capi.naming_types():
        capi.call("gnnBindBuilt", package.handle, capi.strings(names), len(names), made,
                  len(requests), device.handle, handles)
    arrays = [array for one in keep for array in one[0]]
    return [capi.BoundFunction.of_handle(handle, package, name, device, arrays)
            for handle, name in zip(handles, names)]
