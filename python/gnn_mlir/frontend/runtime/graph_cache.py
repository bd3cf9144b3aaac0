# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The graphs of a captured program at run time: made of the user's tensors once, and kept
as long as these are what they were."""

import collections
import functools
import threading

import numpy as np
import torch
from torch.utils.weak import TensorWeakRef

from ...graph import Graph
from ...identity import Weak, identity
from ...tensor_graph import TensorGraph
from ..raising.raiser import described_op
from .streams import Shared

# Graphs that are kept: those of training, validation and a few batches.
KEPT = 16


def is_built_there(x):
    """Whether a graph of such tensors is a `TensorGraph`, which holds them."""
    return x.device.type == "cuda"


class _Own(TensorGraph):
    """One of tensors that nobody else writes to, or whose writes torch does not count."""

    def _identify(self):
        return None


class Recipe:
    """How a graph is made of what torch gives. Each of `pair`, or `src` and `dst`,
    `edge_type`, `src_types` and `dst_types` is the position of a tensor, or None;
    `num_src` and `num_dst` are positions of numbers. `indexed` are ends whose ids may count
    from the last row, each with the words for the op that reads them."""

    def __init__(self, name, graph, places):
        self.name, self.places = name, places
        self.square, self.edge_types = graph.square, graph.num_edge_types
        self.node_types = graph.num_node_types
        self.indexed = {end: described_op(node) for end, node in graph.indexed.items()}

    def make(self, values):
        """The graph: a `TensorGraph` of tensors on a GPU, whose structures are built
        there, else a `Graph`. Raises ValueError where ids are out of bounds, which for a
        GPU is known when a function is bound."""
        def of(what):
            place = self.places.get(what)
            return None if place is None else values[place]
        counts = {end: of(f"num_{end}") for end in ("src", "dst")}
        pair, ids = of("pair"), {}
        if pair is None:
            ids = {end: None if of(end) is None else of(end).reshape(-1) for end in counts}
        some = next(x for x in (pair, *ids.values()) if x is not None)
        if some.dtype not in (torch.int64, torch.int32):
            raise ValueError(f"expected ids of torch.int64 or torch.int32, got {some.dtype}")
        is_there = is_built_there(some)
        if pair is not None and (self.indexed or not is_there or None in counts.values()):
            ids = dict(zip(counts, pair.unbind()))
        for end, count in counts.items():
            if count is None:  # Nothing reads this end: it is the edges themselves.
                counts[end] = some.shape[-1]
                ids[end], pair = torch.arange(counts[end], device=some.device), None
        for end, op in self.indexed.items():
            first = _from_first_row(op, ids[end], int(counts[end]))
            if first is not ids[end]:
                ids[end], pair = first, None
        given = dict(edge_type=of("edge_type"), num_edge_types=self.edge_types,
                     num_node_types=self.node_types)
        types = {end: of(f"{end}_types") for end in counts}
        if self.square:
            given.update(num_nodes=int(counts["src"]), node_type=next(
                (t for t in types.values() if t is not None), None))
        else:
            given.update(num_src_nodes=int(counts["src"]), num_dst_nodes=int(counts["dst"]),
                         src_node_type=types["src"], dst_node_type=types["dst"])
        if is_there:
            return _Own((ids["src"], ids["dst"]) if pair is None else pair, **given)
        return Graph(*map(_array, ids.values()), **{
            name: _array(x) for name, x in given.items()})


def _from_first_row(op, ids, count):
    """Ids of which some may count from the last row, as ids from the first."""
    if not is_built_there(ids):
        low, high = map(int, ids.aminmax()) if len(ids) else (0, 0)
        if len(ids) and (low < -count or high >= count):
            raise ValueError(f"{op}: expected ids from {-count} to {count - 1}, got "
                             f"{high if high >= count else low}")
        if low >= 0:
            return ids
    return torch.where(ids < 0, ids + count, ids)


def _array(x):
    """A tensor as an array. Behind `numpy()` torch resizes its memory no more."""
    return np.from_dlpack(x) if isinstance(x, torch.Tensor) else x


class GraphSet(dict):
    """Graphs by name, and what programs have bound to them. `held`, where it is not None, gives
    the memory that they are made of again, for other structures than were built: whoever may
    need some later has it live as long."""

    def __init__(self, graphs):
        super().__init__(graphs)
        self.plans, self.lock, self.held = {}, threading.RLock(), None


class Again:
    """Makes the graphs of some inputs again. It holds none of their memory."""

    def __init__(self, run, recipes, inputs, key):
        self._run, self._recipes, self._key = run, recipes, key
        # Tensors as weak ones of what they are views of, if they are, and how they lie there.
        self._inputs = [(None, x) if not isinstance(x, torch.Tensor) else (
            TensorWeakRef(x._base), (x.shape, x.stride(), x.storage_offset())) if x._is_view() else
            (TensorWeakRef(x), None) for x in inputs]
        self._weak = [weak for weak, _ in self._inputs if weak is not None]

    def held(self):
        """What has the inputs' memory."""
        return [weak() for weak in self._weak]

    def _there(self):
        """The inputs; None where some are gone."""
        held = self.held()
        if any(x is None for x in held):
            return None
        given = iter(held)
        return [lies if weak is None else next(given) if lies is None else
                next(given).as_strided(*lies) for weak, lies in self._inputs]

    def graph(self, number):
        """The graph of a recipe."""
        with torch.no_grad():
            inputs = self._there()
            if inputs is None or identity(inputs) != self._key:
                raise RuntimeError("expected the ids that a graph was made of, got some that "
                                   "were changed in place before another backward pass")
            return self._recipes[number].make(self._run(*inputs))


class Structures:
    """A call that gives graphs by name, and tensors that depend on the same inputs alone.

    What it gave is kept by the identity of its inputs, as long as they live: other threads
    and other streams of a GPU find it too."""

    def __init__(self, module, recipes, extra):
        self._module, self._run = module, getattr(module, "forward", module)  # No hooks.
        self._recipes, self._extra = recipes, extra
        self._kept, self._lock = collections.OrderedDict(), threading.Lock()
        self.__name__ = "structures"  # torch.fx prints it.

    def __call__(self, *inputs):
        key = identity(inputs)
        if key is None:
            return self._make(inputs, None)[0]
        found = self._find(key)
        if found is None:
            found = self._keep(key, self._make(inputs, key), Weak(inputs))
        made, shared, _ = found
        shared.wait()
        return made

    def _find(self, key):
        found = self._kept.get(key)
        if found is None or found[2].has_moved():
            return None
        try:
            self._kept.move_to_end(key)
        except KeyError:
            pass  # Another thread has forgotten it.
        return found

    def _make(self, inputs, key):
        """(what a call gives, what waits for its tensors); without a key it is not kept."""
        with torch.no_grad():
            values = self._run(*inputs)
            if key is not None:
                values = self._apart(values, inputs)
        graphs = GraphSet((recipe.name, recipe.make(values)) for recipe in self._recipes)
        made = graphs, *(values[i] for i in self._extra)
        if key is None:
            return made, None
        built = [graph for graph in graphs.values() if isinstance(graph, TensorGraph)]
        if built:
            again = Again(self._run, self._recipes, inputs, key)
            graphs.held = again.held
            for number, recipe in enumerate(self._recipes):
                if graphs[recipe.name] in built:
                    graphs[recipe.name].lend(functools.partial(again.graph, number))
        extra = [x for x in made[1:] if isinstance(x, torch.Tensor)]
        return made, Shared((x for x in values if isinstance(x, torch.Tensor)), lambda: [
            *extra, *(x for graph in built for x in graph.held())])

    def _apart(self, values, inputs):
        """The values, without memory of the inputs in what is kept: it would live as long
        as what is kept waits for its end."""
        given = {x.untyped_storage()._cdata for x in inputs if isinstance(x, torch.Tensor)}
        return [x.clone() if isinstance(x, torch.Tensor) and
                (i in self._extra or is_built_there(x)) and
                x.untyped_storage()._cdata in given else x for i, x in enumerate(values)]

    def _keep(self, key, made, weak):
        """What is kept now: of threads that made the same, the first one's."""
        with self._lock:
            found = self._find(key)
            if found is None:
                for old in [old for old, (*_, one) in self._kept.items() if one.is_gone()]:
                    del self._kept[old]
                while len(self._kept) >= KEPT:
                    self._kept.popitem(last=False)
                found = self._kept[key] = *made, weak
            return found
