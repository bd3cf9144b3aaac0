# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs built in Python: one program, two meanings.

A `Module` declares graphs and functions; a `Function` has one method for each
`gnn` op. `Module.text` is the program as IR for the compiler, `Function.evaluate`
its meaning in float64 by `gnn_mlir.reference`: any program can test itself.

    module = Module()
    g = module.graph("g", edge_types=3)
    f = module.function("layer")
    x = f.input("x", g.rows("node", 64))
    w = f.input("weight", g.rows("edge_type", 64, 32))
    m = f.typed_linear(f.gather(x, "edge", via="src"), w)
    f.output("out", f.aggregate("mean", m, "node", via="dst"))
    print(module.text())
"""

import copy
import dataclasses
from collections.abc import Mapping

import numpy as np

from . import ops, types
from .attention import AttentionOps
from .derived_ops import DerivedOps
from .feature_ops import FeatureOps
from .graph import Graph, may_declare_sorted, not_a_graph, to_numpy
from .graph_functions import LOOPS, check_dst_sorted, check_self_loops, derive
from .values import Value


class _Op:
    """A recorded op: how it prints and what it means. `body` has a {} for each
    operand, and after them for each argument of a region."""

    def __init__(self, head, body, types_text, operands, results, meaning, region):
        self.head, self.body, self.types_text = head, body, types_text
        self.operands, self.results, self.meaning = operands, results, meaning
        self.region = region

    def text(self, names, spell):
        left = ", ".join(names.of(v) for v in self.results)
        named = [*self.operands, *(self.region.arguments if self.region else ())]
        body = self.body.format(*map(names.of, named))
        gap = "" if body.startswith("(") else " "
        text = f"{left} = {self.head}{gap}{body} : {self.types_text(spell)}"
        return f"{text} {self.region.text(names, spell)}" if self.region else text


class Function(ops.RowOps, ops.DenseOps, ops.SparseOps, AttentionOps, DerivedOps,
               FeatureOps):
    """A function of a program, made by `Module.function`. Its methods add ops."""

    def __init__(self, module, name):
        self.module = module
        self.name = name
        self.inputs = {}
        self.outputs = {}
        self.typed_inputs = {}
        # Layers of models by the prefix of their inputs: (kind, options).
        self.layers = {}
        self._lines = []

    # -- Building --------------------------------------------------------------

    def input(self, name, value_type):
        """Adds an input: rows of a graph, a weight, or an integer (`types.I64`)."""
        types.identifier(f"{self.name}: input", name)
        if name in self.inputs:
            raise ValueError(f"{self.name}: there is an input {name!r} already")
        if not isinstance(value_type, types.TensorType) and value_type != types.I64:
            raise ValueError(f"{self.name}: input {name!r}: expected the type of "
                             f"rows, of a weight or I64, got {value_type!r}")
        self.inputs[name] = Value(self, value_type, name)
        return self.inputs[name]

    def typed_input(self, name, graph, widths, space=None):
        """Adds an input that callers give as a dict by node type, each type with its own width.

        `widths` is a dict of widths by the numbers of node types. The result is a list of (width,
        rows of all nodes), where rows of nodes with another width are 0. These are the inputs of
        the program, named by `name`, an underscore and the width."""
        if not isinstance(widths, Mapping) or set(widths) != set(
                range(graph.node_types)):
            raise ValueError(
                f"{self.name}: expected {types.counted(graph.node_types, 'width')}, one for each "
                f"node type, got {widths}")
        space, values = space or graph.src, []
        parts = []
        for width in sorted(set(widths.values())):
            part = f"{name}_{width}"
            values.append((width, self.input(part, graph.rows(space, width))))
            parts.append((part, width, [t for t in sorted(widths)
                                        if widths[t] == width]))
        self.typed_inputs[name] = graph.name, space, parts
        return values

    def place_typed_inputs(self, graphs, inputs):
        """`inputs` with each dict by node type, number or name, replaced by rows
        of all nodes, one array a width."""
        out = dict(inputs)
        for name, (graph, space, parts) in self.typed_inputs.items():
            if name not in inputs:
                continue
            given = self._by_node_type(graphs[graph], name, out.pop(name))
            graph = graphs[graph]
            for part, _, _ in parts:
                if part in inputs:
                    raise ValueError(f"{self.name}: expected input {name!r} or "
                                     f"{part!r}, got both")
            for part, width, listed in parts:
                missing = [t for t in listed if t not in given]
                if missing:
                    raise ValueError(f"{self.name}: input {name!r}: expected "
                                     f"features of node type {missing[0]}, got "
                                     f"{types.listed(map(str, inputs[name]))}")
                out[part] = graph.join_types({t: given[t] for t in listed},
                                             width, space)
        return out

    def typed_places(self, inputs):
        """The inputs of the program that those given as dicts become, by name."""
        return {name: [part for part, _, _ in parts]
                for name, (_, _, parts) in self.typed_inputs.items() if name in inputs}

    def split_typed_inputs(self, graphs, inputs, rows):
        """`rows` of inputs of the program by name, where those that come from a dict
        by node type in `inputs` become such dicts."""
        out = dict(rows)
        for name in self.typed_places(inputs):
            graph_name, space, parts = self.typed_inputs[name]
            graph, found = graphs[graph_name], {}
            keys = {number: key for key, number in zip(
                inputs[name], self._by_node_type(graph, name, {
                    key: key for key in inputs[name]}))}
            for part, _, listed in parts:
                if part in out:
                    whole = out.pop(part)
                    for t in listed:
                        found[keys[t]] = whole[graph.nodes_of_type(
                            t, "dst" if space == "dst" else "src")]
            if found:
                out[name] = found
        return out

    def _by_node_type(self, graph, name, parts):
        """The parts of an input that is a dict, by the numbers of node types."""
        label = f"{self.name}: input {name!r}: expected"
        if not isinstance(parts, Mapping):
            raise ValueError(f"{label} a dict by node type, got "
                             f"{type(parts).__name__}")
        names = graph.node_type_names or ()
        given = {}
        for key, part in parts.items():
            number = names.index(key) if key in names else key
            if number not in range(graph.num_node_types):
                known = names or range(graph.num_node_types)
                raise ValueError(f"{label} node types of "
                                 f"{', '.join(map(str, known))}, got {key!r}")
            if number in given:
                raise ValueError(f"{label} each node type once, got {key!r} again")
            given[number] = part
        return given

    def output(self, name, value):
        """Returns `value` under this name. Functions may return several values."""
        types.identifier(f"{self.name}: output", name)
        if name in self.outputs:
            raise ValueError(f"{self.name}: there is an output {name!r} already")
        if self._own(value).type.dtype == "i1":
            raise ValueError(f"{self.name}: output {name!r}: expected numbers, as of "
                             "where(condition, a, b), got a condition")
        if not isinstance(value.type, types.TensorType):
            raise ValueError(f"{self.name}: output {name!r}: expected rows or a "
                             f"weight, got {value.type}")
        self.outputs[name] = value
        return value

    def comment(self, text):
        """Adds a comment line before the next op."""
        self._lines.append(text)

    def _own(self, value):
        if not isinstance(value, Value) or value.function is not self:
            raise ValueError(f"{self.name}: expected a value of this function, "
                             f"got {value!r}")
        return value

    def _record(self, head, body, types_text, operands, results, meaning,
                region=None):
        """Appends an op. `types_text` gets a function that spells types;
        `meaning` gets the bound graphs by name and the operands' arrays."""
        for operand in operands:
            self._own(operand)
        values = tuple(Value(self, t) for t in results)
        self._lines.append(_Op(head, body, types_text, tuple(operands), values,
                               meaning, region))
        return values[0] if len(values) == 1 else values

    def prune(self):
        """Removes ops and inputs that no output depends on."""
        live, lines = set(map(id, self.outputs.values())), []
        for op in reversed(self._lines):
            if isinstance(op, str) or any(id(v) in live for v in op.results):
                lines.append(op)
                live.update(map(id, () if isinstance(op, str) else op.operands))
        self._lines = lines[::-1]
        self.inputs = {name: v for name, v in self.inputs.items() if id(v) in live}

    # -- Text ------------------------------------------------------------------

    def text(self, spell=types.TensorType.text):
        """The text of the `func.func`. `spell` turns types to text."""
        if not self.outputs:
            raise ValueError(f"{self.name}: expected an output")
        names = _Names()
        arguments = ",\n    ".join(
            f"{names.of(v)}: {spell(v.type)} {{gnn.name = \"{name}\"}}"
            for name, v in self.inputs.items())
        results = ", ".join(f"{spell(v.type)} {{gnn.name = \"{name}\"}}"
                            for name, v in self.outputs.items())
        lines = [f"func.func @{self.name}(", f"    {arguments})",
                 f"    -> ({results}) {{"]
        if not self.inputs:
            lines[:2] = [f"func.func @{self.name}()"]
        for op in self._lines:
            if isinstance(op, str):
                lines += [f"  // {line}" for line in op.splitlines()]
                continue
            lines.append("  " + op.text(names, spell))
        values = ", ".join(names.of(v) for v in self.outputs.values())
        kinds = ", ".join(spell(v.type) for v in self.outputs.values())
        lines += [f"  return {values} : {kinds}", "}"]
        return "\n".join(lines)

    # -- Meaning ---------------------------------------------------------------

    def graphs(self):
        """The declarations of the graphs that a caller gives: those that the function names, and
        the parents of derived graphs in their place."""
        return {g.name: g for g in self.named_graphs() if g.parent is None}

    def named_graphs(self):
        """The declarations of the graphs that the function names, in the order in which it
        names them first, each behind its parent."""
        values = list(self.inputs.values()) + [
            v for op in self._lines if not isinstance(op, str)
            for v in op.operands + op.results]
        found = [v.type.graph for v in values
                 if getattr(v.type, "graph", None) is not None]
        return list({one.name: one for g in found for one in (g.parent, g) if one}.values())

    def bind(self, graphs):
        """Checks graphs against their declarations. The result is a dict of graphs by name, derived
        graphs included."""
        declared = self.graphs()
        if isinstance(graphs, Graph):
            if len(declared) != 1:
                raise ValueError(f"{self.name}: expected a dict of graphs "
                                 f"{', '.join(declared)}, got one graph")
            graphs = {next(iter(declared)): graphs}
        if isinstance(graphs, (list, tuple)):
            graphs = graphs_by_name(self.name, declared, graphs)
        if not isinstance(graphs, Mapping):
            raise ValueError(f"{self.name}: expected a graph, or a list or dict of graphs "
                             f"{', '.join(declared)}, got {not_a_graph(graphs)}")
        for name in graphs:
            if name not in {**declared, **self.module.graphs}:
                raise ValueError(f"{self.name}: expected graphs "
                                 f"{', '.join(declared)}, got {name!r}")
        for name, decl in declared.items():
            if name not in graphs:
                raise ValueError(f"{self.name}: expected a graph {name!r}, got "
                                 f"{', '.join(graphs) or 'none'}")
            _check_graph(decl, graphs[name])
        check_graph_names(self.name, self.module.graphs, graphs)
        graphs = dict(graphs)
        for name, decl in self.module.graphs.items():
            if decl.parent is not None and decl.parent.name in declared:
                graphs[name] = derive(graphs[decl.parent.name], decl.parent_types,
                                      decl.loops, decl.loop_type)
                if decl.schema is not None:
                    graphs[name].check_schema(decl.schema)
        return graphs

    def evaluate(self, graphs, inputs, storage=None):
        """Computes the outputs by name in float64, without the compiler.

        `graphs` is a graph, or a dict of graphs by name; `inputs` is a dict of arrays by name.
        Missing, unknown and misshapen inputs are errors. `storage`, a function such as np.float32,
        rounds the result of each op: errors are then those of a program that stores its values in
        this type."""
        graphs = self.bind(graphs)
        check_dict(self.name, inputs)
        inputs = self.place_typed_inputs(graphs, inputs)
        last = {id(v): None for v in self.outputs.values()}
        steps = [op for op in self._lines if not isinstance(op, str)]
        for i in reversed(range(len(steps))):
            for v in steps[i].operands:
                last.setdefault(id(v), i)
        arrays = {}
        check_names(self.name, self.inputs, inputs)
        for name, value in self.inputs.items():
            array = to_numpy(inputs[name])
            expected = value.type.shape(graphs.get(
                getattr(value.type.graph, "name", None)))
            if array.shape != tuple(expected):
                raise ValueError(f"{self.name}: input {name!r}: expected shape "
                                 f"{tuple(expected)}, got {array.shape}")
            if value.type == types.I64:
                array = types.i64(f"{self.name}: input {name!r}", array[()])
            arrays[id(value)] = array
        for i, op in enumerate(steps):
            results = op.meaning(graphs, *[arrays[id(v)] for v in op.operands])
            if len(op.results) == 1:
                results = (results,)
            for value, result in zip(op.results, results):
                if storage is not None and value.type.dtype == "f32":
                    result = np.asarray(storage(np.asarray(result)))
                arrays[id(value)] = result
            for v in op.operands:
                if last[id(v)] == i:
                    arrays.pop(id(v), None)
        return {name: np.asarray(arrays[id(v)]) for name, v in self.outputs.items()}

    def random_inputs(self, graphs, seed=0):
        """Random float32 inputs for `evaluate`: rows from N(0, 1), weights whose scale keeps the
        size of features, variances of at least a half, and int64 seeds."""
        graphs, rng = self.bind(graphs), np.random.default_rng(seed)
        made = {}
        for name, value in self.inputs.items():
            shape = value.type.shape(graphs.get(
                getattr(value.type.graph, "name", None)))
            if value.type == types.I64:
                made[name] = rng.integers(2 ** 31, size=())
                continue
            x = rng.standard_normal(shape, dtype=np.float32)
            is_weight = value.space is None or value.type.is_typed
            if is_weight and len(value.features) >= 2:
                x /= np.float32(np.sqrt(value.features[-2]))
            if value.positive:
                x = np.abs(x) + np.float32(0.5)
            made[name] = x
        return made


def check_dict(function, inputs):
    """Raises ValueError where the inputs of a function are not a dict."""
    if not isinstance(inputs, Mapping):
        raise ValueError(f"{function}: expected a dict of inputs by name, got "
                         f"{types.described(inputs)}")


def check_names(function, expected, inputs):
    """Refuses inputs that a function does not have, and missing ones."""
    for name in inputs:
        if name not in expected:
            raise ValueError(f"{function}: expected inputs "
                             f"{types.listed(expected)}, got {name!r}")
    for name in expected:
        if name not in inputs:
            raise ValueError(f"{function}: expected an input {name!r}, got "
                             f"{types.listed(inputs) or 'none'}")


def graphs_by_name(function, names, graphs):
    """A list of graphs as a dict, in the order in which a function names them first."""
    if len(graphs) != len(names):
        raise ValueError(f"{function}: expected graphs {', '.join(names)}, got "
                         f"{len(graphs)} of them")
    return dict(zip(names, graphs))


def check_graph_names(function, declared, graphs):
    """Refuses graphs that the module of a function does not declare."""
    for name in graphs:
        if name not in declared:
            raise ValueError(f"{function}: expected graphs "
                             f"{', '.join(declared) or 'none'}, got {name!r}")


class _Names:
    """SSA names: as given where they are free, else with a number."""

    def __init__(self):
        self.names = {}
        self.taken = set()
        self.numbers = 0  # of the names taken, those that are numbers

    def of(self, value):
        if id(value) not in self.names:
            wanted = value.name or str(self.numbers)
            name, number = wanted, 0
            while name in self.taken:
                number += 1
                name = f"{wanted}_{number}"
            self.taken.add(name)
            self.numbers += name.isdigit()
            self.names[id(value)] = "%" + name
        return self.names[id(value)]


def _check_graph(decl, graph):
    if not isinstance(graph, Graph):
        raise ValueError(f"graph {decl.name!r}: expected a Graph, got "
                         f"{not_a_graph(graph)}")
    if graph.square and not decl.square:
        raise ValueError(f"graph {decl.name!r}: expected a bipartite graph, got a square "
                         "one")
    _check_counts(decl, graph)
    if decl.schema is not None:
        graph.check_schema(decl.schema)
    if decl.self_loops:
        check_self_loops(decl.name, graph)
    if decl.dst_sorted:
        check_dst_sorted(decl.name, graph)


def _check_counts(decl, graph):
    """Raises ValueError where a graph is not square, or has not the numbers of types, as
    declared. A square graph may stand where a bipartite one is declared."""
    found = None
    if decl.square and not graph.square:
        found = "expected a square graph, got a bipartite one"
    elif decl.node_types != graph.num_node_types:
        found = f"expected {types.counted(decl.node_types, 'node type')}, got {graph.num_node_types}"
    elif decl.edge_types != graph.num_edge_types:
        found = f"expected {types.counted(decl.edge_types, 'edge type')}, got {graph.num_edge_types}"
    if found is not None:
        raise ValueError(f"graph {decl.name!r}: {found}{types.count_remedy(found)}")


def check_counts(module, graphs):
    """Raises ValueError where graphs do not fit what a module declares."""
    whole = [name for name, decl in module.graphs.items() if decl.parent is None]
    for name, graph in graphs.items():
        if not name and len(whole) != 1:
            raise ValueError(f"graph: expected graphs {', '.join(whole) or 'none'}, got a "
                             "Graph")
        decl = module.graphs.get(name or whole[0])
        if decl is not None and decl.parent is None:
            _check_counts(decl, graph)


class Module:
    """A program: declarations of graphs and functions, in order."""

    def __init__(self, comment=""):
        self.comment = comment
        self.graphs = {}
        self.functions = {}

    def graph(self, name, node_types=1, edge_types=1, square=True, schema=None,
              stats=None, self_loops=False, dst_sorted=None):
        """Declares a graph. Binding checks the declared facts.

        Args:
            name: the name of the graph in the program.
            node_types, edge_types: numbers of types.
            square: whether sources and destinations are the same set of nodes.
            schema: the (source, destination) node type of each edge type, -1 if it has several.
            stats: the items of `Graph.statistics`.
            self_loops: whether each node has exactly one self loop.
            dst_sorted: whether edges are sorted by destination. None takes the order of the graph
                that `compile` is given, and False accepts any order."""
        self._new_symbol("graph", name)
        what = f"graph {name!r}"
        node_types = types.integer(f"{what}: node_types", node_types, 0, types.MOST_TYPES)
        edge_types = types.integer(f"{what}: edge_types", edge_types, 0, types.MOST_TYPES)
        if schema is not None:
            schema = types.schema_pairs(f"{what}: schema", schema, edge_types,
                                        node_types)
        if stats is not None:
            stats = tuple((k, tuple(v) if isinstance(v, list) else v)
                          for k, v in stats.items())
        self.graphs[name] = types.GraphDecl(name, square, node_types, edge_types,
                                            schema, stats, self_loops,
                                            dst_sorted=None if dst_sorted is None else bool(dst_sorted))
        return self.graphs[name]

    def with_orders(self, orders):
        """This program with `dst_sorted` of some graphs, by name."""
        return self.with_declared({name: {"dst_sorted": one} for name, one in orders.items()})

    def with_declared(self, fields):
        """This program with other fields of the declarations of some graphs, by name. It has
        functions of its own, whose ops are those of this one."""
        if not fields:
            return self
        module = copy.copy(self)
        module.graphs = {name: dataclasses.replace(graph, **fields.get(name, {}))
                         for name, graph in self.graphs.items()}
        module.functions = {name: copy.copy(one) for name, one in self.functions.items()}
        for one in module.functions.values():
            one.module = module
        return module

    def with_orders_of(self, graphs):
        """The same where declarations leave it to the graphs that it is compiled for, by name
        ("": the only one)."""
        whole = [one for one in self.graphs.values() if one.parent is None]
        return self.with_orders({one.name: True for one in whole for name, graph in
                                 graphs.items() if name in ("", one.name) and
                                 one.dst_sorted is None and may_declare_sorted(graph)})

    def _new_symbol(self, what, name):
        types.identifier(what, name)
        if name in self.graphs or name in self.functions:
            raise ValueError(f"there is a symbol {name!r} already")

    def derived_graph(self, name, parent, edge_types):
        """Declares the graph of the edges of `parent` whose types are in the ascending list
        `edge_types`. It is bound together with its parent."""
        edge_types = tuple(int(t) for t in edge_types)
        if parent.parent is not None:
            raise ValueError(f"graph {name!r}: expected a parent that is not "
                             f"derived, got {parent.name!r}")
        if list(edge_types) != sorted({t for t in edge_types
                                       if 0 <= t < parent.edge_types}):
            raise ValueError(f"graph {name!r}: expected edge types that ascend, "
                             f"under {parent.edge_types}, got "
                             f"{', '.join(map(str, edge_types))}")
        schema = parent.schema and [parent.schema[t] for t in edge_types]
        decl = self.graph(name, parent.node_types, len(edge_types),
                          parent.square, schema)
        decl = dataclasses.replace(decl, parent=parent, parent_types=edge_types)
        self.graphs[name] = decl
        return decl

    def looped_graph(self, name, parent, loops="replace", loop_type=0):
        """Declares the graph that `add_self_loops` makes from `parent` in mode `loops`. New loops
        have the edge type `loop_type`; the parent's number of edge types stands for a new type.
        It is bound together with its parent."""
        what = f"graph {name!r}"
        if parent.parent is not None or not parent.square:
            raise ValueError(f"{what}: expected a square parent that is not derived, "
                             f"got {parent.name!r}")
        if loops not in LOOPS:
            raise ValueError(f"{what}: expected loops {', '.join(LOOPS)}, got {loops!r}")
        if loops == "remove":
            loop_type = None
        else:
            loop_type = types.integer(f"{what}: loop_type", loop_type, 0,
                                      parent.edge_types)
        is_new = loop_type == parent.edge_types
        schema = parent.schema and (*parent.schema, *[(-1, -1)] * is_new)
        decl = self.graph(name, parent.node_types, parent.edge_types + is_new, True,
                          schema)
        self.graphs[name] = dataclasses.replace(decl, parent=parent, loops=loops,
                                                loop_type=loop_type)
        return self.graphs[name]

    def graph_like(self, name, graph, stats=False, dst_sorted=None):
        """Declares a graph with the types and the schema of a `Graph`. `dst_sorted` is as for
        `graph`, but None takes the order of this graph, if it has 64 edges or more."""
        if dst_sorted is None and may_declare_sorted(graph):
            dst_sorted = True
        return self.graph(name, graph.num_node_types, graph.num_edge_types,
                          graph.square, graph.schema,
                          graph.statistics() if stats else None, dst_sorted=dst_sorted)

    def function(self, name):
        """Starts a function."""
        self._new_symbol("function", name)
        self.functions[name] = Function(self, name)
        return self.functions[name]

    def text(self):
        """The module as IR. Row spaces get aliases, such as `#node`."""
        aliases = {}

        def spell(value_type):
            if value_type.space is None:
                return value_type.text()
            graph, space = value_type.graph.name, value_type.space
            alias = f"#{space}" if len(self.graphs) == 1 else f"#{graph}_{space}"
            aliases[alias] = f"#gnn.rows<@{graph}, {space}>"
            return value_type.text(alias)

        functions = [f.text(spell) for f in self.functions.values()]
        parts = []
        if self.comment:
            parts.append("\n".join(("// " + line).rstrip()
                                   for line in self.comment.splitlines()))
        if aliases:
            parts.append("\n".join(f"{a} = {e}"
                                   for a, e in sorted(aliases.items())))
        if self.graphs:
            parts.append("\n".join(g.text() for g in self.graphs.values()))
        return "\n\n".join(parts + functions) + "\n"
