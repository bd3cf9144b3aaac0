# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates functions of level 1 in float64: `gnn` ops on tensors and in loops,
`arith`, `math`, and ops of `tensor` on weights and in loops.

    module = interpreter.read(text)     # of gnn-opt with generic_ir.OPTIONS
    module.functions["layer"].evaluate({"g": graph}, {"x": x, "weight": w})

The meaning of each op is in `gnn_mlir.reference`, which `op_meanings` reads. Each
result is held to its type: as many rows as the graph has, and its features.
"""

import numpy as np

from gnn_mlir import reference
from gnn_mlir.graph import Graph
from gnn_mlir.graph_functions import derive
from . import generic_ir
from .op_meanings import BoundGraph, Call, meaning, shape_of


# -- Values and rows ---------------------------------------------------------------


class RowRef:
    """A row of a space for each row of a loop."""

    def __init__(self, space, index):
        self.space, self.index = space, index


class Scope:
    """The values of a function, or of a body: of one row, for all rows at once.

    A function's arrays are whole. A body's begin with a dimension of its rows, which
    has size 1 for what all rows share. `outer` gives each row of an inner loop its
    row of the loop around."""

    def __init__(self, graphs, module=None, storage=None, around=None, rows=None,
                 outer=None):
        self.graphs, self.module, self.storage = graphs, module, storage
        self.around, self.rows, self.outer = around, rows, outer
        self.values = {}  # By name: an array or a RowRef; `whole` has a loop's rows.
        self.whole = {}

    def array(self, name):
        """A value as an op takes it."""
        if name in self.values:
            return self.values[name]
        if self.around is None:
            raise ValueError(f"expected a value before its use, got {name}")
        found = self.around.array(name)
        if self.around.rows is None:
            return np.asarray(found)[None]
        if isinstance(found, RowRef):
            return RowRef(found.space, found.index[self.outer])
        return found if len(found) == 1 else found[self.outer]

    def tensor(self, name):
        """A value with rows of its own, as `gnn.read` takes it."""
        if name in self.whole:
            return self.whole[name]
        if self.rows is None:
            return self.array(name)
        return self.around.tensor(name)

    def full(self, name):
        """A value with a row for each of the loop's."""
        found = np.asarray(self.array(name))
        return np.broadcast_to(found, (self.rows, *found.shape[1:]))

    def run(self, ops):
        """Evaluates all ops; the last one, which has the results."""
        with np.errstate(all="ignore"):
            for op in ops[:-1]:
                self._evaluate(op)
        return ops[-1]

    def _evaluate(self, op):
        if op.name in _WITH_SCOPE:
            return _WITH_SCOPE[op.name](self, op)
        found = meaning(Call(op, *self._operands(op), self.graphs, self.rows is None))
        return self.store(op, found if isinstance(found, tuple) else (found,))

    def store(self, op, arrays):
        """The results of an op."""
        for name, kind, array in zip(op.results, op.result_types, arrays):
            self.values[name] = self._stored(op, kind, array)

    def _operands(self, op):
        """The arrays of operands and their types; None for those left out, where
        segments say so."""
        arrays, types = [self.array(name) for name in op.operands], list(op.types)
        segments = op.attributes.get("operandSegmentSizes")
        if segments is None:
            return arrays, types
        at = 0
        for size in segments:
            if size == 0:
                arrays.insert(at, None)
                types.insert(at, None)
            at += max(size, 1)
        return arrays, types

    def _stored(self, op, kind, array):
        """A result, held to its type."""
        if not kind.is_tensor:
            return array
        array = np.asarray(array)
        shape = shape_of(kind, self.graphs)
        if array.shape[self.rows is not None:] != shape:
            raise ValueError(f"{op.name}: expected {kind}, {shape} on this graph, got "
                             f"{array.shape}")
        if self.storage is not None and self.rows is None and kind.dtype == "f32":
            array = np.asarray(self.storage(array))
        return array


def _attention(scope, op):
    inputs, _, factors = op.attributes["operandSegmentSizes"]
    vias = [*op.attributes["input_vias"], op.attributes.get("value_via"),
            op.attributes.get("factor_via")]
    arrays = [scope.array(name) for name in op.operands]
    given = [a if kind.space is None else (a, kind.space, via)
             for a, kind, via in zip(arrays, op.types, vias)]
    graph, body = _graph(scope, op.result_types[0]), op.regions[0]

    def score(*rows):
        inside = Scope(scope.graphs, around=scope, rows=graph.num_edges)
        inside.values.update(zip(body.arguments, rows))
        return inside.array(inside.run(body.ops).operands[0])

    found = reference.attention(
        graph, given[:inputs], score, given[inputs], op.result_types[0].space,
        op.attributes["over"], given[inputs + 1] if factors else None,
        statistics=len(op.results) == 3)
    scope.store(op, found if isinstance(found, tuple) else (found,))


def _called(scope, op):
    """func.call: the operands are the callee's arguments in their order."""
    function = scope.module.functions[op.attributes["callee"]]
    scope.store(op, function.apply(scope.graphs, [scope.array(name)
                                                  for name in op.operands],
                                   scope.storage))


def _graph(scope, kind):
    return scope.graphs[kind.graph].graph


def _follow(scope, op):
    row, target = scope.array(op.operands[0]), op.result_types[0].space
    graph = _graph(scope, op.types[0])
    rows = graph.map(row.space, target, op.attributes.get("via"))
    scope.values[op.results[0]] = RowRef(target, rows[row.index])


def _read(scope, op):
    x, row = scope.tensor(op.operands[0]), scope.array(op.operands[1])
    space = op.types[0].space
    rows = _graph(scope, op.types[1]).map(row.space, space, op.attributes.get("via"))
    scope.values[op.results[0]] = np.asarray(x)[rows[row.index]]


def _row_number(scope, op):
    scope.values[op.results[0]] = scope.array(op.operands[0]).index


def _outer_loop(scope, op):
    """gnn.for_edges and gnn.for_nodes."""
    graph = scope.graphs[op.attributes["graph"]].graph
    space = ("edge" if op.name == "gnn.for_edges" else
             op.attributes.get("end", "node"))
    count = graph.count(space)
    body = Scope(scope.graphs, around=scope, rows=count)
    body.values[op.regions[0].arguments[0]] = RowRef(space, np.arange(count))
    scope.store(op, _yielded(body, op, graph, space, lambda x: x))


def _inner_loop(scope, op):
    """gnn.for_incoming and gnn.for_outgoing: a row of the body for each edge of each
    row's node."""
    end = "dst" if op.name == "gnn.for_incoming" else "src"
    center = scope.array(op.operands[0])
    graph = _graph(scope, op.types[0])
    via = end if center.space == "node" else None
    order, begin = graph.groups("edge", center.space, via)
    first, last = begin[center.index], begin[center.index + 1]
    outer = np.repeat(np.arange(len(center.index)), last - first)
    starts = np.concatenate([[0], np.cumsum(last - first)])
    edges = order[np.arange(len(outer)) - starts[outer] + first[outer]]
    body = Scope(scope.graphs, around=scope, rows=len(outer), outer=outer)
    body.values[op.regions[0].arguments[0]] = RowRef("edge", edges)

    def in_order(x):
        out = np.zeros((graph.num_edges, *x.shape[1:]))
        out[edges] = x
        return out

    found = _yielded(body, op, graph, "edge", in_order, starts)
    for result, kind, array in zip(op.results, op.result_types, found):
        (scope.whole if kind.space else scope.values)[result] = array


def _yielded(body, op, graph, space, in_order, starts=None):
    """The values that the body of a loop over rows of `space` yields. `in_order`
    brings rows of the body to the order of the space; `starts` are where those of
    each row of the loop around begin."""
    end = body.run(op.regions[0].ops)
    kinds = [end.attributes[what] for what in ("reductions", "ends")]
    for name, given, result, kind, via in zip(end.operands, end.types,
                                              op.result_types, *kinds):
        if given.space is not None:  # Rows that an inner loop made.
            yield body.tensor(name)
        elif kind is None:
            yield in_order(body.full(name))
        elif result.space is None:
            yield _reduced(kind, body.full(name), starts)
        else:
            yield reference.aggregate(graph, kind, in_order(body.full(name)), space,
                                      result.space, via)


def _reduced(kind, x, starts):
    """The reduction of the rows between two starts, 0 where there are none."""
    out = np.zeros((len(starts) - 1, *x.shape[1:]))
    sizes = np.diff(starts)
    full = np.flatnonzero(sizes)
    reduce = {"max": np.maximum, "min": np.minimum}.get(kind, np.add)
    if len(full):
        out[full] = reduce.reduceat(np.asarray(x, np.float64), starts[full], axis=0)
    if kind == "mean":
        out /= np.maximum(sizes, 1).reshape((-1,) + (1,) * (x.ndim - 1))
    return out


_WITH_SCOPE = {
    "gnn.attention": _attention, "func.call": _called,
    "gnn.follow": _follow, "gnn.read": _read, "gnn.row_number": _row_number,
    "gnn.for_edges": _outer_loop, "gnn.for_nodes": _outer_loop,
    "gnn.for_incoming": _inner_loop, "gnn.for_outgoing": _inner_loop,
}


# -- Functions ---------------------------------------------------------------------


class Function:
    """A function of a module. `arguments` and `results` are (name, type, attributes);
    the name is that of `gnn.name`."""

    def __init__(self, module, op):
        self.module, self.name = module, op.attributes["sym_name"]
        self.attributes, self.body = op.attributes, op.regions[0]
        types, results = op.attributes["function_type"]
        self.arguments = self._border("argument", types, "arg_attrs")
        self.results = self._border("result", results, "res_attrs")

    def _border(self, what, types, attributes):
        given = self.attributes.get(attributes) or [{} for _ in types]
        return [(a.get("gnn.name"), kind, a) for kind, a in zip(types, given)]

    def evaluate(self, graphs, inputs, storage=None):
        """The outputs by name. `graphs` is a graph or a dict of them by name, those
        that are derived left out; `inputs` a dict of arrays by name. `storage`, a
        function such as np.float32, rounds what each op gives."""
        graphs = self.module.bind(graphs)
        names = [name for name, *_ in self.arguments]
        if None in names + [name for name, *_ in self.results]:
            raise ValueError(f"{self.name}: expected gnn.name at each argument and "
                             "result")
        if set(names) != set(inputs):
            raise ValueError(f"{self.name}: expected inputs "
                             f"{', '.join(names) or 'none'}, got "
                             f"{', '.join(inputs) or 'none'}")
        for name, kind, _ in self.arguments:
            shape = shape_of(kind, graphs)
            if np.shape(inputs[name]) != shape:
                raise ValueError(f"{self.name}: input {name!r}: expected shape "
                                 f"{shape}, got {np.shape(inputs[name])}")
        found = self.apply(graphs, [inputs[name] for name in names], storage)
        return {name: array for array, (name, *_) in zip(found, self.results)}

    def apply(self, graphs, arrays, storage=None):
        """The results in their order; `graphs` are bound."""
        scope = Scope(graphs, self.module, storage)
        scope.values.update(zip(self.body.arguments, arrays))
        end = scope.run(self.body.ops)
        return [scope.array(name) for name in end.operands]


class Module:
    """The declarations of graphs and the functions of a module, by name."""

    def __init__(self, op):
        self.graphs, self.functions = {}, {}
        for inner in op.regions[0].ops:
            if inner.name == "gnn.graph":
                self.graphs[inner.attributes["sym_name"]] = inner.attributes
            elif inner.name == "func.func":
                function = Function(self, inner)
                self.functions[function.name] = function
            else:
                raise ValueError("expected graphs and functions in a module, got "
                                 f"{inner.name}")

    def bind(self, graphs):
        """Each declared graph that is given, and those that are derived from it."""
        roots = {name for name, given in self.graphs.items()
                 if "parent_graph" not in given}
        if isinstance(graphs, Graph):
            graphs = dict.fromkeys(roots, graphs)
        if not set(graphs) <= set(self.graphs):
            raise ValueError(f"expected graphs {', '.join(self.graphs)}, got "
                             f"{', '.join(graphs)}")
        bound = {name: BoundGraph(graphs[name]) for name in roots if name in graphs}
        for name, given in self.graphs.items():
            parent, types = given.get("parent_graph"), given.get("parent_types", ())
            loops = given.get("loops")
            if parent in bound:
                graph = derive(bound[parent].graph, types, loops, given.get("loop_type"))
                bound[name] = BoundGraph(graph, parent, types, loops)
        return bound


def read(text):
    """The module of a text in generic form."""
    modules = read_all(text)
    if len(modules) != 1:
        raise ValueError(f"expected one module, got {len(modules)}")
    return modules[0]


def read_all(text):
    """The modules of a text that was split."""
    return [Module(op) for op in generic_ir.parse(text)]
