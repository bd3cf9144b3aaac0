# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs that are written in place of others."""

import torch
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from ..analysis.values import GETITEM, features, is_random, value_of
from ..tracing import vocabulary

aten, OPS = torch.ops.aten, vocabulary.OPS


class Stuck(Exception):
    """A rewriting that does not apply; the message says why."""


class Graph:
    """A graph that is written, with what its nodes are at trace time."""

    def __init__(self, own, mode):
        self.graph, self._mode, self._own, self._made = torch.fx.Graph(), mode, own, {}
        self.place = None  # The node of the user's model that new nodes stand for.
        self._random, self.drawn = {}, {}  # By what they draw of; by the node that is read.

    @classmethod
    def of(cls, own):
        """A graph that is written in place of a module's."""
        return cls(own, next(value_of(n).fake_mode for n in own.graph.nodes if (
            n.op == "placeholder" and isinstance(n.meta.get("val"), torch.Tensor))))

    def call(self, target, *args, **kwargs):
        """A new node, or an equal one that is there."""
        key = target, _hashed(args), _hashed(kwargs)
        if key not in self._made:
            node = self.graph.call_function(target, args, kwargs)
            given = torch.fx.node.map_arg((args, kwargs), lambda x: x.meta["val"])
            if target is GETITEM:
                node.meta["val"] = given[0][0][given[0][1]]
            elif target is aten.dropout.default:  # Which asks whether there are rows.
                with self._mode:
                    node.meta["val"] = torch.empty_like(given[0][0])
            else:
                try:
                    with self._mode:
                        node.meta["val"] = target(*given[0], **given[1])
                except GuardOnDataDependentSymNode as error:
                    self.graph.erase_node(node)
                    raise Stuck("an op that asks for sizes") from error
            if self.place is not None:
                for name in ("stack_trace", "nn_module_stack"):
                    if name in self.place.meta:
                        node.meta[name] = self.place.meta[name]
            if is_random(node):
                return node
            self._made[key] = node
        return self._made[key]

    def draw(self, of, target, args, kwargs):
        """A random op for {axis: node that is read}: one for all that draw of the same
        rows. Raises Stuck where a node would be drawn twice."""
        if any("drawn_as" in x.meta for x in of.values()):
            raise Stuck("random numbers that are drawn before")
        key = target, _hashed(args), _hashed(kwargs)
        known = self._random.setdefault(key, [])
        found = next((one for one in known if all(one[1].get(axis, x) is x
                                                  for axis, x in of.items())), None)
        if found is None:
            found = self.call(target, *args, **kwargs), {}
            known.append(found)
        found[1].update(of)
        for x in of.values():
            if self.drawn.setdefault(x, found[0]) is not found[0]:
                raise Stuck("random numbers that are drawn twice")
        return found[0]

    def copy(self, node, env):
        made = self.graph.node_copy(node, env.__getitem__)
        made.meta = dict(node.meta)
        return made

    def constant(self, name, tensor):
        """A tensor that the module holds."""
        self._own.register_buffer(name, tensor)
        node = self.graph.get_attr(name)
        node.meta["val"] = self._mode.from_tensor(tensor, static_shapes=True)
        return node

    def join(self, nodes, types):
        """Rows behind rows, which have these types."""
        shapes = {features(x) for x in nodes}
        if len(shapes) > 1 or len({value_of(x).dtype for x in nodes}) > 1:
            raise Stuck("rows with different features by type")
        return self.call(OPS.join_types.default, list(nodes), types)


def size_of(axis, old, axes, env, new):
    """How many rows an axis of the graph `old` has: a number, or a node of a new one, in
    which nodes are those of `env`."""
    if not isinstance(axis.size, torch.SymInt):
        return int(axis.size)
    for node in old.nodes:
        value = node.meta.get("val")
        if node.op == "placeholder" and isinstance(value, torch.SymInt) and (
                axes.of_size(node) is axis):
            return env[node]
    for node in old.nodes:
        for dim in range(len(node.meta["val"].shape) if isinstance(
                node.meta.get("val"), torch.Tensor) else 0):
            if node in env and axes.of(node, dim) is axis:
                return new.call(aten.sym_size.int, env[node], dim)
    raise Stuck("rows of no tensor that is known")


def _hashed(value):
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *map(_hashed, value))
    if isinstance(value, dict):
        return tuple((name, _hashed(one)) for name, one in sorted(value.items()))
    return type(value).__name__, str(value) if isinstance(value, float) else value
