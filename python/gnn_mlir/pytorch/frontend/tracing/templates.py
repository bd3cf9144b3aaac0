# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of equal modules: one is traced, by running it, and the others are its copies.

A copy has the same ops with sizes of its own. A copy that equals what tracing would give
needs equal attributes, tensors alike but for the numbers of rows and edges, and that
tracing assumed nothing of these numbers; where it did, each layer is traced. """

import math
import weakref

import torch

from ..places import identifier
from . import exporting, intercept, vocabulary

OPS = vocabulary.OPS
_made = weakref.WeakKeyDictionary()  # Templates by key, by the fake mode of a capture.


def of(conv, signed, tensors):
    """The Template of a layer with a signature, for fake tensors like these. One that was made
    when sizes were different symbols that are known to be equal now is none of them."""
    known = _made.setdefault(tensors[0].fake_mode, {})
    equal = len(tensors[0].fake_mode.shape_env.replacements)
    sizes = _Sizes(tensors)
    own, alike = (signed, id(conv), *sizes.exact), (signed, equal, sizes.key)
    found = known.get(alike)
    if found is None or not found.is_shared:
        found = known.get(own)
    if found is None:
        found = known[own] = known[alike] = Template(conv, tensors, sizes)
    return found


class _Sizes:
    """The sizes of tensors, with symbols told by where they are first."""

    def __init__(self, tensors):
        self._places, self.key, self.exact = {}, [], []
        for number, x in enumerate(tensors):
            sizes = [self._of(size, (number, "shape", i)) for i, size in enumerate(x.shape)]
            strides = [self._of(size, (number, "stride", i))
                       for i, size in enumerate(x.stride())]
            self.key.append((x.dtype, x.device, *sizes, *strides))
            self.exact += map(_value, (*x.shape, *x.stride()))
        self.is_simple = not any(None in one for one in self.key)
        self.key = tuple(self.key)

    def _of(self, size, place):
        """A number, the place of a symbol, or None."""
        expr = _value(size)
        if isinstance(expr, int) or expr.is_number:
            return int(expr)
        return self._places.setdefault(expr, place) if expr.is_Symbol else None

    def to(self, tensors):
        """{symbol: what it is among other tensors}."""
        return {expr: _at(tensors, place) for expr, place in self._places.items()}


def _value(size):
    """A number or the expression of a size, which assume nothing where they are compared."""
    return size.node.expr if isinstance(size, torch.SymInt) else size


def _at(tensors, place):
    number, what, dim = place
    return (tensors[number].shape if what == "shape" else tensors[number].stride())[dim]


def parameters(conv):
    """[(dict, name)] of a layer, the places that its modules have them at."""
    return [(module._parameters, name) for module in conv.modules()
            for name, x in module._parameters.items() if x is not None]


def _fake(mode, parameter):
    return mode.from_tensor(parameter, static_shapes=True)


class Template:
    """The graph of a layer: its inputs are tensors, and its parameters behind them."""

    def __init__(self, conv, tensors, sizes):
        mode = tensors[0].fake_mode
        places = parameters(conv)
        weights = [_fake(mode, x[name]) for x, name in places]
        count, self._sizes = len(tensors), sizes

        def runs(*given):
            *xs, edges = given[:count]
            layer = _with(conv, given[count:])
            return layer(xs[0] if len(xs) == 1 else tuple(xs), edges)
        before = _assumed(mode)
        with intercept.substituted():
            module, mutated = exporting.export(runs, [*tensors, *weights])
        if mutated:
            raise RuntimeError(f"{type(conv).__name__}: expected a layer that writes to nothing")
        module.graph.eliminate_dead_code()
        self.is_shared = sizes.is_simple and _assumed(mode) == before
        self.module, self.weights = module, weights
        self._out = module.graph.output_node().args[0].meta["val"]
        if _value(self._out.shape[0]) != _value(tensors[-2].shape[0]):
            raise RuntimeError(f"{type(conv).__name__}: expected a row for each destination")

    @property
    def features(self):
        """The sizes of a row of what the layer gives."""
        return self._out.shape[1:]

    def copy_into(self, graph, own, nodes, values, meta):
        """The node of the result, of new nodes for tensors and parameters that there are.
        `own` holds constants, `values` makes fake tensors, `meta` says where the layer is."""
        env, left = {}, iter(nodes)
        symbols = self._sizes.to([node.meta["val"] for node in nodes])
        for node in self.module.graph.nodes:
            if node.op == "placeholder":
                env[node] = next(left)
            elif node.op == "output":
                return env[node.args[0]]
            elif node.op == "get_attr":
                name = f"_of_layer{len(own._buffers)}"
                own.register_buffer(name, getattr(self.module, node.target))
                env[node] = graph.get_attr(name)
                env[node].meta = dict(node.meta)
            else:
                env[node] = graph.node_copy(node, env.__getitem__)
                env[node].meta = {**node.meta, **meta, "val": values.of(
                    node, env[node], symbols)}
        return None


class _Values:
    """The values of nodes of copies at trace time: one tensor for all that are alike, since
    torch takes long for each that has symbols."""

    def __init__(self, mode):
        self._mode, self._made = mode, {}

    def of(self, node, copied, symbols):
        try:
            return self._like(node.meta["val"], symbols)
        except KeyError:  # A size that is made within: a symbol of its own.
            args, kwargs = torch.fx.node.map_arg((copied.args, copied.kwargs),
                                                 lambda x: x.meta["val"])
            with self._mode:
                return node.target(*args, **kwargs)

    def _like(self, value, symbols):
        if isinstance(value, (list, tuple)):
            return type(value)(self._like(one, symbols) for one in value)
        if isinstance(value, torch.SymInt):
            expr = value.node.expr
            return int(expr) if expr.is_number else symbols[expr]
        if not isinstance(value, torch.Tensor):
            return value
        return self.tensor(value, *([self._like(size, symbols) for size in sizes]
                                    for sizes in (value.shape, value.stride())))

    def tensor(self, like, sizes, strides):
        key = tuple(map(_value, (*sizes, *strides))), like.dtype, like.device
        if key not in self._made:
            with self._mode:
                self._made[key] = torch.empty_strided(sizes, strides, dtype=like.dtype,
                                                      device=like.device)
        return self._made[key]


def _with(conv, values):
    """A copy of a layer with other values of `parameters`: other threads may call the layer
    itself."""
    values, copies = iter(values), {}
    for module in conv.modules():
        made = copies[module] = object.__new__(type(module))
        made.__dict__.update(vars(module), _parameters={
            name: x if x is None else next(values) for name, x in module._parameters.items()})
    for module, made in copies.items():
        made.__dict__["_modules"] = {name: copies.get(one)
                                     for name, one in module._modules.items()}
    return copies[conv]


def _assumed(mode):
    """The assumptions on sizes so far."""
    env = mode.shape_env
    return len(env.guards), len(env.replacements), sum(
        map(len, env.deferred_runtime_asserts.values()))


def expand(module, hetero):
    """Writes layers where a graph has ops for HeteroConvs. Gives (dict, name) of parameters,
    which are placeholders of the graph behind the others."""
    graph, places, weights = module.graph, [], {}
    ops = [node for node in graph.nodes if node.target == OPS.hetero_conv.default]
    if not ops:
        return places
    values = _Values(ops[0].args[1][0].meta["val"].fake_mode)
    last = [node for node in graph.nodes if node.op == "placeholder"][-1]

    def weight(own, name, fake, words):
        nonlocal last
        key = id(own), name
        if key not in weights:
            with graph.inserting_after(last):
                last = weights[key] = graph.placeholder(f"weight_{len(weights)}")
            last.meta = {"val": fake, "is_weight": True, "written": identifier(words),
                         "requires_grad": (
                torch.is_grad_enabled() and own[name].requires_grad)}
            places.append((own, name))
        return weights[key]

    for node in ops:
        number, xs, edges = node.args
        meta = {name: node.meta[name] for name in ("stack_trace", "nn_module_stack")
                if name in node.meta}
        found, use = {}, hetero.of_number(number)
        with graph.inserting_before(node):
            for relation, conv, signed, nodes in use.calls(xs, edges):
                made = of(conv, signed, [x.meta["val"] for x in nodes])
                paths = {id(one._parameters): path for path, one in conv.named_modules()}
                given = [weight(own, name, fake, (*relation, paths[id(own)], name))
                         for (own, name), fake in zip(parameters(conv), made.weights)]
                found.setdefault(relation[-1], []).append(
                    made.copy_into(graph, module, [*nodes, *given], values, meta))
            results = [_sum(graph, found[name], use.aggr, values, meta)
                       for name in use.outputs]
        for user in list(node.users):
            user.replace_all_uses_with(results[user.args[1]])
            graph.erase_node(user)
        graph.erase_node(node)
    return places


def _sum(graph, nodes, aggr, values, meta):
    """The sum or mean of what relations give."""
    if len(nodes) == 1:
        return nodes[0]
    aten, value = torch.ops.aten, nodes[0].meta["val"]
    rows, *features = value.shape
    size = math.prod(features)
    stack = graph.call_function(aten.stack.default, (nodes,))
    stack.meta = {**meta, "val": values.tensor(
        value, [len(nodes), rows, *features], [rows * size, *_strides([size, *features])])}
    made = graph.call_function(aten.sum.dim_IntList if aggr == "sum" else aten.mean.dim,
                               (stack, [0]))
    made.meta = {**meta, "val": values.tensor(value, value.shape,
                                              _strides([size, *features]))}
    return made


def _strides(sizes):
    """Those of rows with features, of which the first number says how many there are."""
    made = [1]
    for size in reversed(sizes[2:]):
        made.insert(0, made[0] * size)
    return [sizes[0], *made]
