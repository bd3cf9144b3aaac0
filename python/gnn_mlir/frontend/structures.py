# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The graphs of a captured program at run time: made of the user's tensors once, and kept
as long as these are what they were."""

import collections
import operator
import threading

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from ..graph import Graph
from ..tensor_graph import TensorGraph

_Tensor = torch.Tensor
_is_gone, _version = torch.UntypedStorage._expired, operator.attrgetter("_version")

# Graphs that are kept: those of training, validation and a few batches.
KEPT = 16


def is_built_there(x):
    """Whether a graph of such tensors is a `TensorGraph`, which holds them."""
    return x.device.type == "cuda"


class Recipe:
    """How a graph is made of what torch gives. Each of `pair`, or `src` and `dst`,
    `edge_type`, `src_types` and `dst_types` is the position of a tensor, or None;
    `num_src` and `num_dst` are positions of numbers."""

    def __init__(self, name, graph, places):
        self.name, self.places = name, places
        self.square, self.edge_types = graph.square, graph.num_edge_types
        self.node_types = graph.num_node_types

    def make(self, values):
        """The graph: a `TensorGraph` of tensors on a GPU, whose structures are built
        there, else a `Graph`. Raises ValueError where ids are out of bounds, which for a
        GPU is known when a function is bound."""
        def of(what):
            place = self.places.get(what)
            return None if place is None else values[place]
        counts = {end: of(f"num_{end}") for end in ("src", "dst")}
        pair = of("pair")
        ids = dict(zip(("src", "dst"), pair)) if pair is not None else {
            end: None if of(end) is None else of(end).reshape(-1) for end in counts}
        some = next(x for x in ids.values() if x is not None)
        for end, count in counts.items():
            if count is None:  # Nothing reads this end: it is the edges themselves.
                counts[end] = len(some)
                ids[end], pair = torch.arange(len(some), device=some.device), None
        given = dict(edge_type=of("edge_type"), num_edge_types=self.edge_types,
                     num_node_types=self.node_types)
        types = {end: of(f"{end}_types") for end in counts}
        if self.square:
            given.update(num_nodes=int(counts["src"]), node_type=next(
                (t for t in types.values() if t is not None), None))
        else:
            given.update(num_src_nodes=int(counts["src"]), num_dst_nodes=int(counts["dst"]),
                         src_node_type=types["src"], dst_node_type=types["dst"])
        if is_built_there(some):
            return TensorGraph((ids["src"], ids["dst"]) if pair is None else pair, **given)
        return Graph(ids["src"], ids["dst"], **given)


class GraphSet(dict):
    """Graphs by name, and what programs have bound to them."""

    def __init__(self, graphs):
        super().__init__(graphs)
        self.plans = {}


class Structures:
    """A call that gives graphs by name, and tensors that depend on the same inputs alone.

    What it gave is kept by its inputs: for the same tensors, or others of the same
    memory, that were not written to since (torch counts that; writing behind its back,
    as through NumPy, is not seen)."""

    def __init__(self, module, recipes, extra):
        self._module, self._recipes, self._extra = module, recipes, extra
        self._kept, self._lock = collections.OrderedDict(), threading.Lock()
        self.__name__ = "structures"  # torch.fx prints it.

    def __call__(self, *inputs):
        key = self._key(inputs)
        found = self._kept.get(key) if key is not None else None
        if found is not None:
            made, _, storages = found
            if not any(map(_is_gone, storages)):
                try:
                    self._kept.move_to_end(key)
                except KeyError:
                    pass  # Another thread has forgotten it.
                return made
        with torch.no_grad():
            values = self._module(*inputs)
            if key is not None:
                values = self._apart(values, inputs)
        graphs = GraphSet((recipe.name, recipe.make(values)) for recipe in self._recipes)
        made = (graphs, *(values[i] for i in self._extra))
        if key is not None:
            self._forget()
            refs = [StorageWeakRef(x.untyped_storage()) for x in inputs
                    if isinstance(x, torch.Tensor)]
            self._kept[key] = made, refs, [ref.cdata for ref in refs]
        return made

    def _apart(self, values, inputs):
        """The values, without memory of the inputs in what is kept: it would live as long
        as what is kept waits for its end."""
        given = {x.untyped_storage()._cdata for x in inputs if isinstance(x, torch.Tensor)}
        return [x.clone() if isinstance(x, torch.Tensor) and
                (i in self._extra or is_built_there(x)) and
                x.untyped_storage()._cdata in given else x for i, x in enumerate(values)]

    @staticmethod
    def _key(inputs):
        """None where torch does not count what is written, as to inference tensors.
        Dtypes and devices are those that were captured."""
        tensors = [x for x in inputs if isinstance(x, _Tensor)]
        try:
            versions = map(_version, tensors)
            return (*versions, *map(_Tensor.data_ptr, tensors), *map(_Tensor.size, tensors),
                    *map(_Tensor.stride, tensors),
                    *(x for x in inputs if not isinstance(x, _Tensor)))
        except RuntimeError:
            if not any(map(_Tensor.is_inference, tensors)):
                raise
            return None

    def _forget(self):
        with self._lock:
            for key in [key for key, (_, refs, _) in list(self._kept.items())
                        if any(ref.expired() for ref in refs)]:
                del self._kept[key]
            while len(self._kept) >= KEPT:
                self._kept.popitem(last=False)
