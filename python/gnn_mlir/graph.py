# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Typed graphs held as NumPy arrays, and their row spaces."""

import json
import operator
import re
from collections.abc import Mapping

import numpy as np

from . import capi, files, graph_files, interop, spaces, tokens, types
from .types import MOST_TYPES, expected_ids, listed

def to_numpy(array):
    """A NumPy array of what may be an array, a list or a torch tensor."""
    if hasattr(array, "detach"):
        array = array.detach().cpu().numpy()
    try:
        return np.asarray(array)
    except ValueError as error:  # Lists whose elements differ in length.
        raise ValueError("expected an array or equally long lists, got: "
                         f"{error}") from None


def not_a_graph(value):
    """The words of a message for a value in place of a Graph."""
    if type(value).__module__.startswith("torch_geometric."):
        return (f"a {type(value).__name__} of PyG, of which gnn_mlir.Graph.from_pyg makes "
                "a Graph")
    return types.described(value)


def _frozen(array):
    """The array, read-only from now on."""
    array.flags.writeable = False
    return array


def _ids(array, name, length, limit):
    """Read-only int32 copy of ids in [0, limit); `length` None: any."""
    array = to_numpy(array)
    if array.ndim != 1 or (length is not None and len(array) != length):
        expected = "1 dimension" if length is None else f"shape ({length},)"
        raise ValueError(f"{name}: expected {expected}, got shape {array.shape}")
    if not array.size:
        return _frozen(np.zeros(0, np.int32))
    if not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name}: expected integers, got {array.dtype}")
    ids, bad = capi.copy_ids(array, limit)
    if bad >= 0:
        what = "types" if name.endswith("type") else "nodes"
        raise ValueError(f"{name}: {expected_ids(0, limit, what)}, got {array[bad]} at {bad}")
    return _frozen(ids)


def _types(array, name, length, limit):
    """The same for types; None is all zeros."""
    if array is not None:
        return _ids(array, name, length, limit)
    if length and not limit:
        raise ValueError(f"{name}: expected at least 1 type for {length} rows, "
                         "got 0")
    return _zeros(length)


# Shared by the graphs without types: those of sampled batches are made by the second.
_SHARED = 1 << 20
_shared_zeros = _frozen(np.zeros(_SHARED, np.int32))


def _zeros(length):
    """Read-only int32[length] of zeros."""
    if length <= _SHARED:
        return _shared_zeros[:length]
    return _frozen(np.zeros(length, np.int32))


def _names(names, name, count):
    """A tuple of texts, one a type, or None."""
    if names is None:
        return None
    if not hasattr(names, "__len__") or isinstance(names, str) or not all(
            isinstance(n, str) for n in names):
        raise ValueError(f"{name}: expected a list of texts, got {names!r}")
    if len(names) != count:
        raise ValueError(f"{name}: expected {count} names, got {len(names)}")
    return tuple(str(n) for n in names) or None


def _counts_text(graph):
    """The numbers of nodes, edges and types, as a graph is shown."""
    nodes = (types.counted(graph.num_src_nodes, "node") if graph.square else
             f"{graph.num_src_nodes} source and "
             f"{types.counted(graph.num_dst_nodes, 'destination node')}")
    return (f"{nodes} of {types.counted(graph.num_node_types, 'type')}, "
            f"{types.counted(graph.num_edges, 'edge')} of "
            f"{types.counted(graph.num_edge_types, 'type')}")


def _count(count, name, limit):
    try:
        count = operator.index(count)
    except TypeError:
        raise ValueError(f"{name}: expected an integer, got {count!r}") from None
    if not 0 <= count < limit:
        raise ValueError(f"{name}: expected 0 to {limit - 1}, got {count}")
    return count


def _type_count(count, types, names, name):
    """The number of types: as given, else as named, else as found."""
    if count is None and hasattr(names, "__len__"):
        count = len(names)
    if count is None:
        found = [to_numpy(t) for t in types if t is not None]
        count = max([int(t.max()) + 1 for t in found
                     if t.size and np.issubdtype(t.dtype, np.integer)],
                    default=1)
    return _count(count, name, MOST_TYPES + 1)


# A graph of the library reads them when they are asked for.
_ARRAYS = ("edge_src", "edge_dst", "edge_type", "src_node_type", "dst_node_type")
_COUNTS = ("square", "num_src_nodes", "num_dst_nodes", "num_edges", "num_edge_types",
           "num_node_types")


# Fewer edges may be sorted by accident, and another graph's not.
SORTED_FROM = 64


def may_declare_sorted(graph):
    """Whether a program for a graph is one for edges that are sorted by destination, where it
    does not say itself."""
    return graph.num_edges >= SORTED_FROM and graph.is_dst_sorted


class Graph:
    """A typed, directed graph.

    A graph does not change: its arrays are read-only copies, and its attributes cannot be set.
    Copies and pickles have the arrays alone. Parallel edges, self loops, isolated nodes and empty
    types are legal, and so are zero nodes or edges. Ids are int32, types are less than 65536.

    Args:
        edge_src, edge_dst: the source and destination node of each edge.
        num_nodes, node_type: the number of nodes and their types, if sources and destinations are
            the same set of nodes (a square graph).
        num_src_nodes, num_dst_nodes, src_node_type, dst_node_type: the same for two sets of nodes
            (a bipartite graph). Node types of both sets share one numbering.
        edge_type: the type of each edge. By default there is one type.
        num_edge_types, num_node_types: numbers of types, if some have no members.
        schema: (source type, destination type) for each edge type, -1 if it has several.
        edge_type_names, node_type_names: the names of types.
        arrays: a dict of what else a file has: features, labels, masks. It may be changed."""

    def __init__(self, edge_src, edge_dst, num_nodes=None, *, edge_type=None,
                 node_type=None, num_edge_types=None, num_node_types=None,
                 num_src_nodes=None, num_dst_nodes=None, src_node_type=None,
                 dst_node_type=None, schema=None, edge_type_names=None,
                 node_type_names=None, arrays=None):
        self.square = num_src_nodes is None and num_dst_nodes is None
        if self.square:
            if num_nodes is None:
                if node_type is None:
                    if getattr(edge_src, "ndim", 1) == 2 and len(edge_src) == 2:
                        raise ValueError(
                            "edge_src: expected 1 dimension, got "
                            f"{types.described(edge_src)}; of an edge_index it is "
                            "Graph(*edge_index, num_nodes), of PyG's Data Graph.from_pyg")
                    raise ValueError("expected num_nodes, node_type, or "
                                     "num_src_nodes and num_dst_nodes")
                num_nodes = to_numpy(node_type).size
            if src_node_type is not None or dst_node_type is not None:
                raise ValueError("src_node_type and dst_node_type belong to "
                                 "bipartite graphs, expected node_type")
            num_src_nodes = num_dst_nodes = num_nodes
        else:
            if num_nodes is not None or node_type is not None:
                raise ValueError("num_nodes and node_type belong to square "
                                 "graphs, expected src_node_type and "
                                 "dst_node_type")
            if num_src_nodes is None or num_dst_nodes is None:
                raise ValueError("expected both num_src_nodes and num_dst_nodes")
        self.num_src_nodes = _count(num_src_nodes, "number of nodes", 1 << 31)
        self.num_dst_nodes = _count(num_dst_nodes, "number of nodes", 1 << 31)
        self.edge_src = _ids(edge_src, "edge_src", None, self.num_src_nodes)
        self.num_edges = _count(len(self.edge_src), "number of edges", 1 << 31)
        self.edge_dst = _ids(edge_dst, "edge_dst", self.num_edges,
                             self.num_dst_nodes)

        node_types = (node_type, src_node_type, dst_node_type)
        self.num_node_types = _type_count(num_node_types, node_types,
                                          node_type_names, "num_node_types")
        self.num_edge_types = _type_count(num_edge_types, (edge_type,),
                                          edge_type_names, "num_edge_types")
        self.edge_type = _types(edge_type, "edge_type", self.num_edges,
                                self.num_edge_types)
        if self.square:
            self.src_node_type = self.dst_node_type = _types(
                node_type, "node_type", self.num_src_nodes, self.num_node_types)
        else:
            self.src_node_type = _types(src_node_type, "src_node_type",
                                        self.num_src_nodes, self.num_node_types)
            self.dst_node_type = _types(dst_node_type, "dst_node_type",
                                        self.num_dst_nodes, self.num_node_types)
        self.edge_type_names = _names(edge_type_names, "edge_type_names",
                                      self.num_edge_types)
        self.node_type_names = _names(node_type_names, "node_type_names",
                                      self.num_node_types)
        if arrays is not None and not isinstance(arrays, Mapping):
            raise ValueError(f"arrays: expected a dict by name, got {arrays!r}")
        self.arrays = dict(arrays or {})
        self.schema = None if schema is None else types.schema_pairs(
            "schema", schema, self.num_edge_types, self.num_node_types)
        self._caches()
        if schema is not None:
            self._refuse_wrong_ends(capi.NativeGraph.of, self)

    def _caches(self):
        """Starts what is made when it is asked for; from here on the graph does
        not change."""
        self.__dict__.update(_maps={}, _groups={}, _token=tokens.make(self), _native=None)

    @classmethod
    def of_native(cls, native, like=None):
        """The graph of the library's, which is asked for counts and arrays when they
        are; with the names and the schema of the types of `like`."""
        graph = cls.__new__(cls)
        graph.__dict__.update(
            arrays={}, schema=like and like.schema,
            edge_type_names=like and like.edge_type_names,
            node_type_names=like and like.node_type_names)
        graph._caches()
        graph._native = native
        return graph

    def __getattr__(self, name):
        native = self.__dict__.get("_native")
        if native is None or name not in (*_ARRAYS, *_COUNTS):
            raise AttributeError(f"'Graph' object has no attribute {name!r}")
        if name in _COUNTS:
            self.__dict__.update(native.counts())
            return self.__dict__[name]
        found = native.arrays()
        for end in ("src", "dst"):
            found.setdefault(f"{end}_node_type", found.get("node_type"))
        self.__dict__.update({array: found[array] for array in _ARRAYS})
        return found[name]

    def __setattr__(self, name, value):
        if "_native" in self.__dict__ and not name.startswith("_"):
            raise AttributeError(f"{name}: a graph does not change, expected a "
                                 "new Graph, got an assignment")
        super().__setattr__(name, value)

    def __getstate__(self):
        # All arrays of a graph of the library are here from now on.
        _ = self.num_edges, self.edge_src
        return {name: value for name, value in self.__dict__.items()
                if not name.startswith("_")}

    def __setstate__(self, state):
        for value in state.values():
            if isinstance(value, np.ndarray):
                _frozen(value)  # NumPy makes writable arrays of copies and pickles.
        self.__dict__.update(state)
        self._caches()

    def check_schema(self, schema):
        """Raises ValueError where an edge does not obey a schema."""
        schema = types.schema_pairs("schema", schema, self.num_edge_types,
                                    self.num_node_types)
        if schema != self.schema:
            self._refuse_wrong_ends(capi.NativeGraph.check_schema, self, schema)

    @staticmethod
    def _refuse_wrong_ends(check, *arguments):
        try:
            check(*arguments)
        except capi.GNNError as error:
            raise ValueError(f"schema: {error}") from None

    def __repr__(self):
        return f"Graph({_counts_text(self)})"

    # -- Row spaces ----------------------------------------------------------

    @property
    def num_nodes(self):
        """The number of nodes of a square graph."""
        if not self.square:
            raise ValueError("a bipartite graph has num_src_nodes and "
                             "num_dst_nodes, not num_nodes")
        return self.num_src_nodes

    @property
    def node_type(self):
        """The types of the nodes of a square graph."""
        if not self.square:
            raise ValueError("a bipartite graph has src_node_type and "
                             "dst_node_type, not node_type")
        return self.src_node_type

    @property
    def is_dst_sorted(self):
        """Whether edges are sorted by destination."""
        if "dst_sorted" not in self._maps:
            dst = self.edge_dst
            self._maps["dst_sorted"] = bool(np.all(dst[:-1] <= dst[1:]))
        return self._maps["dst_sorted"]

    def ends(self, end):
        """The node at that end, "src" or "dst", of each edge: int32[edges]."""
        return self.edge_src if end == "src" else self.edge_dst

    def node_types_at(self, end):
        """The types of the nodes at that end: int32[nodes]."""
        return self.src_node_type if end == "src" else self.dst_node_type

    def pairs(self, end):
        """The (edge type, node) pairs that occur at that end, sorted by type and then by node: the
        types int32[pairs], the nodes int32[pairs], and the pair of each edge int32[edges]."""
        key = end + "_pairs"
        if key not in self._maps:
            count = max(1, self.num_src_nodes if end == "src" else
                        self.num_dst_nodes)
            code = self.edge_type.astype(np.int64) * count + self.ends(end)
            codes, pair = np.unique(code, return_inverse=True)
            self._maps[key] = (_frozen((codes // count).astype(np.int32)),
                               _frozen((codes % count).astype(np.int32)),
                               _frozen(pair.reshape(-1).astype(np.intp)))
        return self._maps[key]

    def count(self, space):
        """The number of rows of a row space."""
        if space in ("src_pair", "dst_pair"):
            return len(self.pairs(space[:3])[0])
        self._check_space(space)
        return {"edge": self.num_edges, "src": self.num_src_nodes,
                "dst": self.num_dst_nodes, "node": self.num_src_nodes,
                "edge_type": self.num_edge_types,
                "node_type": self.num_node_types, "graph": 1}[space]

    def _check_space(self, space):
        if space == "node" and not self.square:
            raise ValueError("node rows belong to square graphs, expected src "
                             "or dst")
        if space not in spaces.SPACES:
            raise ValueError("expected a row space of "
                             f"{', '.join(spaces.SPACES)}, got {space!r}")

    def map(self, source, target, via=None):
        """The row of `target` that each row of `source` leads to. `via` is "src" or "dst" if there
        are two paths. On a square graph `src` and `dst` are the same rows as `node`, and name
        the end of the path."""
        end = spaces.end_of(source, target, via)
        key = (source, target, end)
        if key not in self._maps:
            if not (target == "node" or source == "node"):
                spaces.check_path(source, target, via)
            self._check_space(source)
            self._check_space(target)
            self._maps[key] = _frozen(np.array(self._map(source, target, end),
                                               np.intp))
        return self._maps[key]

    def _map(self, source, target, end):
        if source == target:
            return np.arange(self.count(source))
        if target == "graph":
            return np.zeros(self.count(source))
        if source in ("src", "dst", "node"):
            return self.node_types_at("src" if source == "node" else source)
        if source == "edge_type":
            if self.schema is None:
                raise ValueError("a path from edge types to node types needs a "
                                 "schema, and the graph has none")
            types = np.array(self.schema, np.intp).reshape(-1, 2)
            types = types[:, 0 if end == "src" else 1]
            if (types < 0).any():
                raise ValueError("a path from edge types to node types needs one "
                                 f"{end} node type for each edge type, and edge "
                                 f"type {int(np.argmax(types < 0))} has several")
            return types
        if source in ("src_pair", "dst_pair"):
            pair_types, pair_nodes, _ = self.pairs(end)
            if target == "edge_type":
                return pair_types
            return (self.node_types_at(end)[pair_nodes]
                    if target == "node_type" else pair_nodes)
        if target in ("src_pair", "dst_pair"):
            return self.pairs(end)[2]
        if target == "edge_type":
            return self.edge_type
        return (self.node_types_at(end)[self.ends(end)]
                if target == "node_type" else self.ends(end))

    def groups(self, source, target, via=None):
        """Groups the rows of `source` by the row of `target` that they lead to. The result is
        (order, begin): group g is order[begin[g]:begin[g + 1]], in ascending order."""
        key = (source, target, spaces.end_of(source, target, via))
        if key not in self._groups:
            rows = self.map(source, target, via)
            count = self.count(target)
            order = np.argsort(rows, kind="stable")
            begin = np.zeros(count + 1, np.intp)
            np.cumsum(np.bincount(rows, minlength=count), out=begin[1:])
            self._groups[key] = _frozen(order), _frozen(begin)
        return self._groups[key]

    def nodes_of_type(self, node_type, end="src"):
        """The nodes of a type in order: a slice if they are adjacent, else an array."""
        key = "nodes", node_type, end
        if key not in self._maps:
            rows = np.flatnonzero(self.node_types_at(end) == node_type)
            if len(rows) and rows[-1] - rows[0] + 1 == len(rows):
                rows = slice(int(rows[0]), int(rows[-1]) + 1)
            self._maps[key] = rows
        rows = self._maps[key]
        return rows if isinstance(rows, slice) else rows.copy()

    # -- Names ---------------------------------------------------------------

    def find_node_type(self, name):
        """The number of the node type with a name."""
        return types.find_name(self.node_type_names, "node type", name)

    def find_edge_type(self, name):
        """The number of the edge type with a name."""
        return types.find_name(self.edge_type_names, "edge type", name)

    # -- Statistics ----------------------------------------------------------

    def statistics(self):
        """The fields of `#gnn.stats`, as a dict (docs/Cost.md)."""
        return {name: json.loads(value) for name, value in re.findall(
            r"(\w+) = (\d+|\[.*?\])", self.stats())}

    def stats(self):
        """The statistics as text, `#gnn.stats<...>`, for the declaration of a graph."""
        return capi.NativeGraph.of(self).stats()

    # -- Features ------------------------------------------------------------

    def features(self):
        """The features of the graph's file, float32[source nodes, feat_dim]. Values that a node has
        twice in a column are added."""
        if "feat_indptr" not in self.arrays:
            raise ValueError("the graph has no features, expected feat_indptr, "
                             "feat_indices and feat_dim in its file")
        nodes = self.num_src_nodes
        width = _count(to_numpy(self.arrays["feat_dim"]).item(), "feat_dim",
                       1 << 31)
        begin = _ids(self.arrays["feat_indptr"], "feat_indptr", nodes + 1, 1 << 31)
        if begin[0] or (np.diff(begin) < 0).any():
            raise ValueError("feat_indptr: expected 0 first and no step down")
        columns = _ids(self.arrays["feat_indices"], "feat_indices",
                       int(begin[-1]), width)
        files.check_memory("features", 4 * nodes * width)
        x = np.zeros((nodes, width), np.float32)
        rows = np.repeat(np.arange(nodes), np.diff(begin))
        data = np.asarray(self.arrays.get("feat_data", np.ones(len(rows))),
                          np.float32)
        if data.shape != rows.shape:
            raise ValueError(f"feat_data: expected shape {rows.shape}, got shape "
                             f"{data.shape}")
        np.add.at(x, (rows, columns), data)
        return x

    def split_types(self, x, space="node"):
        """Splits rows of all nodes into a dict by node type (its name or number). `space` is
        "node", or "src" or "dst" of a bipartite graph."""
        expected, got = self._count_nodes(space), len(x)
        if got != expected:
            raise ValueError(f"split_types: expected rows of all {expected} nodes, got "
                             f"{got}; the outputs of a mini-batch are the destinations of "
                             'its last block: blocks[-1].split_types(out, "dst")')
        names = self.node_type_names or range(self.num_node_types)
        end = "dst" if space == "dst" else "src"
        return {name: x[self.nodes_of_type(t, end)]
                for t, name in enumerate(names)}

    def _count_nodes(self, space):
        if space not in ("node", "src", "dst"):
            raise ValueError(f"space: expected node, src or dst, got {space!r}")
        return self.count(space)

    def join_types(self, parts, width, space="node"):
        """Joins a dict of arrays or tensors [nodes of the type, width] by node type (its name or
        number) to rows of all nodes. Nodes of other types have zeros."""
        end, out = "dst" if space == "dst" else "src", None
        for node_type, part in parts.items():
            if isinstance(node_type, str):
                node_type = self.find_node_type(node_type)
            rows = self.nodes_of_type(node_type, end)
            count = len(range(rows.start, rows.stop)) if isinstance(
                rows, slice) else len(rows)
            if not hasattr(part, "shape"):
                part = to_numpy(part)
            if tuple(part.shape) != (count, width):
                raise ValueError(f"node type {node_type}: expected shape "
                                 f"{(count, width)}, got {tuple(part.shape)}")
            if out is None:
                shape = self.count(space), width
                out = (part.new_zeros(shape) if hasattr(part, "new_zeros") else
                       np.zeros(shape, part.dtype))
            if (hasattr(part, "new_zeros") != hasattr(out, "new_zeros") or
                    part.dtype != out.dtype):
                raise ValueError(f"node type {node_type}: expected a "
                                 f"{type(out).__name__} of {out.dtype}, as for the "
                                 f"types before, got a {type(part).__name__} of "
                                 f"{part.dtype}")
            out[self._index_of(rows, node_type, end, out)] = part
        return out

    def _index_of(self, rows, node_type, end, values):
        """`rows` of a node type as an index of `values`: copied to the device of a
        tensor once."""
        if (isinstance(rows, slice) or not hasattr(values, "new_zeros") or
                interop.is_traced()):
            return rows
        key = "index", node_type, end, str(values.device)
        if key not in self._maps:
            self._maps[key] = interop.index_beside(np.asarray(rows, np.int64), values)
        return self._maps[key]

    # -- Making and storing --------------------------------------------------

    @classmethod
    def from_hetero(cls, num_nodes, edge_index):
        """Makes a square graph from dicts as PyG's HeteroData has them.

        Args:
            num_nodes: the number of nodes of each node type.
            edge_index: int[2, edges] for each (source type, name, destination type), of ids within
                the types. Nodes are numbered type after type, and edge types are named "source name
                destination"."""
        for name, given in (("num_nodes", num_nodes), ("edge_index", edge_index)):
            if not isinstance(given, Mapping):
                raise ValueError(f"{name}: expected a dict, got {given!r}")
        names = list(num_nodes)
        number = {name: i for i, name in enumerate(names)}
        begin = np.cumsum([0] + [_count(num_nodes[n], f"num_nodes of {n}", 1 << 31)
                                 for n in names])
        src, dst, types, schema = [], [], [], []
        for t, (triple, ends) in enumerate(edge_index.items()):
            if not isinstance(triple, tuple) or len(triple) != 3:
                raise ValueError("edge_index: expected keys (source type, name, "
                                 f"destination type), got {triple!r}")
            ends = to_numpy(ends)
            if ends.ndim != 2 or ends.shape[0] != 2:
                raise ValueError(f"edge_index of {triple}: expected shape "
                                 f"(2, edges), got {ends.shape}")
            for end, name in zip(ends, (triple[0], triple[2])):
                if name not in number:
                    raise ValueError(f"edge_index of {triple}: expected a node "
                                     f"type of {listed(map(str, names))}, "
                                     f"got {name!r}")
                _ids(end, f"edge_index of {triple}", None, int(num_nodes[name]))
            src.append(ends[0] + begin[number[triple[0]]])
            dst.append(ends[1] + begin[number[triple[2]]])
            types.append(np.full(ends.shape[1], t, np.int32))
            schema.append((number[triple[0]], number[triple[2]]))

        def joined(parts):
            return np.concatenate(parts) if parts else np.zeros(0, np.int32)

        return cls(joined(src).astype(np.int64), joined(dst).astype(np.int64),
                   edge_type=joined(types),
                   node_type=np.repeat(np.arange(len(names)), np.diff(begin)),
                   num_node_types=len(names), num_edge_types=len(schema),
                   schema=schema, node_type_names=[str(n) for n in names],
                   edge_type_names=[" ".join(map(str, t)) for t in edge_index])

    @classmethod
    def from_pyg(cls, data, num_edge_types=None, num_node_types=None):
        """Makes a graph from PyG's Data or HeteroData, without its features. A Data does not state
        its numbers of types. By default they follow from the largest ids."""
        return interop.pyg().graph(data, num_edge_types, num_node_types)

    @classmethod
    def load(cls, path):
        """Reads a graph file (docs/Structures.md)."""
        native, arrays = graph_files.read(path)
        graph = cls(**native.arrays(), arrays=arrays)
        graph._native = native
        return graph

    def save(self, path):
        """Writes a graph file. The bytes depend only on the graph."""
        graph_files.write(self, path)
