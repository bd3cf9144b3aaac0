# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of torch tensors, whose structures are built where the tensors are."""

import collections
import functools

import torch

from .. import capi, devices, structure_keys, targets, tokens, types
from ..graph import Graph, _count, _counts_text, _names
from ..placed_graph import PlacedGraph
from . import device_build
from .identity import identity


_Given = collections.namedtuple("_Given", "src dst edge_type node_types")


class TensorGraph(PlacedGraph):
    """A typed, directed graph of torch tensors, for compiled functions whose inputs are
    on the same device: a `Graph` that stays where it is. `edges` are an edge_index
    [2, edges] or a pair (sources, destinations); ids and types are int32 or int64. The
    other arguments are those of `Graph`, but numbers of types are not read off the
    tensors: None is 1, or as many as there are names.

    The structures that a function needs are built when it is first bound: by kernels of the
    compiler, on the current stream with one wait for the counts, or by the host where kernels
    do not build all of them. Ids out of range are found then. The tensors must not change, and
    are copied to the host alone."""

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
        if hasattr(edges, "ndim"):
            _check_tensor(edges, "edges", 2)
            if edges.shape[0] != 2:
                raise ValueError("edges: expected shape (2, edges), got "
                                 f"{tuple(edges.shape)}")
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
        self._given = _Given(src, dst, edge_type, (src_node_type, dst_node_type))
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
        self._builds = []  # By kernels: (build, the tokens of its graphs by name).
        self._on_host = None  # The `Graph` of copies, where the host builds structures.
        if (self.num_edges and not (self.num_src_nodes and self.num_dst_nodes and
                                    self.num_edge_types) or
                (self.num_src_nodes or self.num_dst_nodes) and not self.num_node_types):
            self.to_graph()  # No id is right, which is its error.

    _src = property(lambda self: self._there().src)
    _dst = property(lambda self: self._there().dst)
    edge_type = property(lambda self: self._there().edge_type)
    _node_types = property(lambda self: self._there().node_types)

    def __repr__(self):
        return f"TensorGraph({_counts_text(self)}, {self.place})"

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
        return _copies([self])[0]

    def _graph_of(self, src, dst, edge_type, node_types):
        """The `Graph` of its ids, which are on the host."""
        kinds = dict(zip(("src_node_type", "dst_node_type"), node_types))
        sizes = {"num_src_nodes": self.num_src_nodes, "num_dst_nodes": self.num_dst_nodes}
        if self.square:
            kinds = {"node_type": node_types[0]}
            sizes = {"num_nodes": self.num_src_nodes}
        return Graph(src, dst, **sizes, **kinds, edge_type=edge_type,
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
        """By kernels, what a backward pass needs is built with its forward pass."""
        return _bind_all(package, names, graphs, device)

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
            return _bind(package, names, requests, graphs, device, None)
        with torch.cuda.device(next(iter(graphs.values())).device):
            return _bind(package, names, requests, graphs, device,
                         torch.cuda.current_stream())
    finally:
        for graph in graphs.values():
            graph._end_of_binding()


def _bind(package, names, requests, graphs, device, stream):
    found = device_build.bind(package, names, requests, graphs, device, stream, _refuse)
    return found or _bind_on_host(package, names, graphs, device)


def _bind_on_host(package, names, graphs, device):
    """Functions bound to structures that the host builds, once they are on the device."""
    new = [graph for graph in dict.fromkeys(graphs.values()) if graph._on_host is None]
    for graph, copy in zip(new, _copies(new) if new else ()):
        graph._on_host = copy
    return capi.BoundFunction.of_all(package, list(names), {
        name: graph._on_host for name, graph in graphs.items()}, device)


def _refuse(package, names, graphs):
    """Raises the error of the same graphs on the host."""
    _bind_on_host(package, names, graphs, devices.open_device(devices.host_of(package)))
    raise AssertionError("expected an error of a wrong graph")


def _copies(graphs):
    """`Graph`s of copies on the host, for which the current stream is waited for once."""
    given = [graph._there() for graph in graphs]
    copies = {id(x): x for one in given for x in (
        one.src, one.dst, one.edge_type, *one.node_types) if x is not None}
    device = given[0].src.device
    if targets.is_gpu(device):
        for name, x in copies.items():
            host = torch.empty(x.shape, dtype=x.dtype, device="cpu", pin_memory=True)
            copies[name] = host.copy_(x, non_blocking=True)
        torch.cuda.current_stream(device).record_event().synchronize()

    def copy(x):
        return None if x is None else copies[id(x)]
    return [graph._graph_of(copy(one.src), copy(one.dst), copy(one.edge_type),
                            list(map(copy, one.node_types)))
            for graph, one in zip(graphs, given)]
