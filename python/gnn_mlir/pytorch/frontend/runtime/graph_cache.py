# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The graphs of a captured program at run time: made of the user's tensors once, and kept
as long as these are what they were."""

import collections
import itertools
import threading
import weakref

import numpy as np
import torch
from torch.utils.weak import TensorWeakRef

from .... import targets
from ....graph import Graph
from ....types import expected_ids
from ...identity import Weak, identity
from ...tensor_graph import TensorGraph
from ..raising.raiser import described_op
from .streams import Shared

_ends = itertools.count(1)
# Graphs that are kept: those of training, validation and a few batches.
KEPT = 16


def is_built_there(x):
    """Whether a graph of such tensors is a `TensorGraph`, which holds them."""
    return targets.is_gpu(x.device)


class _Lent(TensorGraph):
    """One of tensors that nobody else writes to, or whose writes torch does not count. It may
    have them for a call alone: `source`, where it is not None, makes them again when other
    structures are to be built, for that binding."""

    source = None

    def _identify(self):
        return None

    def _there(self):
        if self._given is None:
            self.source.remake()
        return self._given

    def _end_of_binding(self):
        if self.source is not None and self.source.is_over:
            self.source.let_go()


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
            return _Lent((ids["src"], ids["dst"]) if pair is None else pair, **given)
        return Graph(*map(_array, ids.values()), **{
            name: _array(x) for name, x in given.items()})


def _from_first_row(op, ids, count):
    """Ids of which some may count from the last row, as ids from the first."""
    if not is_built_there(ids):
        low, high = map(int, ids.aminmax()) if len(ids) else (0, 0)
        if len(ids) and (low < -count or high >= count):
            raise ValueError(f"{op}: {expected_ids(-count, count, 'rows')}, got "
                             f"{high if high >= count else low}")
        if low >= 0:
            return ids
    return torch.where(ids < 0, ids + count, ids)


def _array(x):
    """A tensor as an array. Behind `numpy()` torch resizes its memory no more."""
    return np.from_dlpack(x) if isinstance(x, torch.Tensor) else x


class GraphSet(dict):
    """Graphs by name, and what programs have bound to them. Who uses `source`, where it is not
    None, has the lock."""

    def __init__(self, graphs):
        super().__init__(graphs)
        self.plans, self.lock, self.source = {}, threading.RLock(), None

    def end_of_call(self):
        """Lets ids go that were lent for the call: structures are built of them."""
        source = self.source
        if source is not None and not source.is_over:
            with self.lock:
                source.is_over = True
                source.let_go()


class Source:
    """The sources of the ids of graphs: the inputs of a call, none of whose memory it has.
    Beside the structures ids would take as much memory again. It does not keep the graphs, which
    have it: what is let go is gone at once."""

    def __init__(self, run, recipes, inputs, key):
        self._run, self._recipes, self._key, self._graphs = run, recipes, key, []
        # Tensors as weak ones of what they are views of, if they are, and how they lie there.
        self._inputs = [(None, x) if not isinstance(x, torch.Tensor) else (
            TensorWeakRef(x._base), (x.shape, x.stride(), x.storage_offset())) if x._is_view() else
            (TensorWeakRef(x), None) for x in inputs]
        self._weak = [weak for weak, _ in self._inputs if weak is not None]
        self.is_over = False

    def lend(self, graphs):
        """`graphs` are those of the recipes, in their order."""
        self._graphs = [weakref.ref(graph) for graph in graphs]
        for graph in graphs:
            if isinstance(graph, _Lent):
                graph.source = self

    def held(self):
        """The owners of the inputs' memory, which live until a backward pass may bind to the
        graphs no more."""
        return [weak() for weak in self._weak]

    def let_go(self):
        """Lets the ids of all graphs go."""
        for weak in self._graphs:
            graph = weak()
            if isinstance(graph, _Lent):
                graph._given = None

    def remake(self):
        """Makes the ids of all graphs again."""
        held = self.held()
        if any(x is None for x in held):
            raise RuntimeError("expected the ids that a graph was made of, got some that are "
                               "gone")
        given = iter(held)
        with torch.no_grad():
            inputs = [lies if weak is None else next(given) if lies is None else
                      next(given).as_strided(*lies) for weak, lies in self._inputs]
            if identity(inputs) != self._key:
                raise RuntimeError("expected the ids that a graph was made of, got some that "
                                   "were changed in place before another pass")
            values = self._run(*inputs)
            for weak, recipe in zip(self._graphs, self._recipes):
                graph = weak()
                if isinstance(graph, _Lent) and graph._given is None:
                    graph._given = recipe.make(values)._given


class Structures:
    """A call that gives graphs by name, and tensors that depend on the same inputs alone.

    Its results are kept by the identity of its inputs, as long as they live: other threads
    and other streams of a GPU find it too."""

    def __init__(self, module, recipes, extra, can_remake):
        """`extra` are positions of tensors that are given besides the graphs. `can_remake` says
        whether the inputs are the caller's: what torch makes within a call is gone behind it."""
        self._module, self._run = module, getattr(module, "forward", module)  # No hooks.
        self._recipes, self._extra, self._can_remake = recipes, extra, can_remake
        self._kept, self._lock = collections.OrderedDict(), threading.Lock()
        self.outputs = None  # The outputs of the first call, weakly.
        # When the last call in each mode of the model ended, by a count of all such calls, and the
        # function that gives the mode: torch runs what it captured in one mode in the other too.
        self.used, self.mode = {}, lambda: None
        self.__name__ = "structures"  # torch.fx prints it.

    def end_of_call(self, graphs, outputs):
        """Ends a call of the module on its graphs, with these outputs."""
        self.used[self.mode()] = next(_ends)
        if self.outputs is None:
            self.outputs = [weakref.ref(x) if isinstance(x, torch.Tensor) else None
                            for x in outputs]
        graphs.end_of_call()

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
        built = [graph for graph in graphs.values() if isinstance(graph, _Lent)]
        if built and self._can_remake:
            graphs.source = Source(self._run, self._recipes, inputs, key)
            graphs.source.lend([graphs[recipe.name] for recipe in self._recipes])
        extra = [x for x in made[1:] if isinstance(x, torch.Tensor)]
        return made, Shared((x for x in values if isinstance(x, torch.Tensor)), lambda: [
            *extra, *(x for graph in built for x in graph.held())])

    def _apart(self, values, inputs):
        """The values, of which what is kept has neither the inputs themselves nor, where it is
        given to callers, their memory: both would live as long as what is kept waits for their
        end."""
        given = {x.untyped_storage()._cdata for x in inputs if isinstance(x, torch.Tensor)
                 } if self._extra else ()
        return [x if not isinstance(x, torch.Tensor) else x.clone() if i in self._extra and
                x.untyped_storage()._cdata in given else x.detach()
                for i, x in enumerate(values)]

    def _keep(self, key, made, weak):
        """The kept result: of threads that made the same, the first one's."""
        with self._lock:
            found = self._find(key)
            if found is None:
                for old in [old for old, (*_, one) in list(self._kept.items()) if one.is_gone()]:
                    del self._kept[old]
                while len(self._kept) >= KEPT:
                    self._kept.popitem(last=False)
                found = self._kept[key] = *made, weak
            return found
