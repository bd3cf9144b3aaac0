# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Between the arguments of a model and its program: the manifest of a saved model.

What torch computes of parameters alone is computed when the model is saved. Of arguments it may
join rows, apply linear layers to rows, and make graphs of ids; of the results it may take rows.
All else is refused, by the op's name.
"""

import dataclasses
import operator

import torch

from ..analysis.values import GETITEM
from ..raising.raiser import CaptureError, described_op
from ..runtime import joined_graphs, joins
from ..runtime.outer import Outer, item, with_others
from ..runtime.packing import Packed
from ..runtime.program_calls import Call
from ..tracing.vocabulary import OPS, direct
from .conditions import conditions

aten = torch.ops.aten
_COPIES = (aten.contiguous.default, aten.clone.default, aten.detach.default, aten.alias.default)
_ACTIVATIONS = {aten.relu.default: "relu", aten.sigmoid.default: "sigmoid",
                aten.tanh.default: "tanh"}
_READS = aten.item.default, aten._local_scalar_dense.default
_NO_COUNT = "expected numbers of rows that arguments have"
DTYPES = {torch.int64: "i64", torch.int32: "i32", torch.float32: "f32"}


@dataclasses.dataclass
class Projection:
    """A layer that is applied to the rows of an argument: linear, with a bias or none, and the
    activations behind it. `weight` and `bias` are lists of one parameter."""

    name: str
    argument: str
    weight: list
    bias: list
    activations: list


class Manifest:
    """The manifest of a captured model: `graphs`, `inputs` and `outputs` as they stand there, the
    `parameters` as tensors by name, `projections`, and `conditions` on sizes. `call` is that of its
    program, whose inputs `trained` are parameters as they are, or features."""

    def __init__(self, outer, model):
        self.sources = outer.sources
        buffers = dict(model.named_buffers(remove_duplicate=False))
        self._tensors = {**dict(model.named_parameters(remove_duplicate=False)), **buffers}
        with torch.no_grad():
            self.outer = Outer(outer.raiser, dataclasses.replace(outer.lowered, readers=None),
                               outer.options)
            self.outer.build()
        self.call, = self.outer.calls
        self.compiled = outer.calls[0].compiled  # For the graph of the call.
        self.parameters, self.projections = {}, []
        self._lowered = {made: node for by_node in (self.outer.copies, self.outer.made)
                         for node, made in by_node.items()}
        self._values, self._needs, self._arguments = {}, {}, {}
        self._read_inputs()
        self.graphs = [self._graph(recipe) for recipe in self.outer.structures._recipes]
        program = next(node for node in self.outer.graph.nodes if node.target is self.call)
        self.inputs = [self._input(name, node)
                       for name, node in zip(self.call.names, program.args[1:])]
        self.outputs = self._outputs(program)
        self.conditions = self._conditions()
        self.arguments = list(self._arguments.values())
        self.trained, self.joined = [], []
        for one, node in zip(self.inputs, program.args[1:]):
            if "rows" in one or self._is_own(node, buffers):
                self.trained.append(one["name"])
            elif not buffers.keys() >= set(one["parameters"]):
                self.joined += one["parameters"]

    def _refuse(self, node, why):
        """Raises CaptureError with the op; numbers that are read of tensors, as pooling by a batch
        reads how many graphs there are, are the model's own op."""
        found = [node]
        for one in found:
            found += [x for x in one.all_input_nodes if x not in found]
        if any(one.target in _READS for one in found) and why == _NO_COUNT:
            read = next((one for one in self.outer.raiser.graph.nodes if one.target in _READS), node)
            raise CaptureError(f"{described_op(read)}: a number of rows that values say, as of pooled "
                               "batches, cannot be saved")
        node = self._lowered.get(node, node)
        while node.target is GETITEM:
            node = node.args[0]
        if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()):
            raise CaptureError(f"{described_op(node)}: random numbers cannot be saved")
        raise CaptureError.at(node, why)

    # -- What there is ----------------------------------------------------------------

    def _read_inputs(self):
        self._placeholders, self._extents, self._equal, self._symbols = {}, {}, [], set()
        for node, lowered, source in zip(self.outer.graph.nodes, self.outer.placeholders,
                                         self.sources.inputs):
            self._placeholders[node] = lowered, source
            value = lowered.meta.get("val")
            if source and source[0] == "parameter":
                self._check_parameter(source[1], value)
            if source and source[0] == "argument" and isinstance(value, torch.Tensor):
                for dim, size in enumerate(value.shape):
                    if not isinstance(size, torch.SymInt):
                        continue
                    self._symbols.add(size.node._expr)
                    if self._extents.setdefault(size.node.expr, (node, dim)) != (node, dim):
                        self._equal.append((size.node.expr, node, dim))
        structures = self.outer.structures
        call = next(node for node in self.outer.graph.nodes if node.target is structures)
        inner = structures._module.graph
        self._given = dict(zip((node for node in inner.nodes if node.op == "placeholder"),
                               call.args))
        self._made = inner.output_node().args[0]

    def _check_parameter(self, name, captured):
        """Refuses a parameter that is another than was captured."""
        own = self._tensors.get(name)
        if own is None or own.dtype != captured.dtype or own.shape != tuple(captured.shape) or (
                own.is_meta):
            got = "none" if own is None else f"{own.dtype} of shape {tuple(own.shape)} on {own.device}"
            raise CaptureError(f"parameter {name}: expected {captured.dtype} of shape "
                               f"{tuple(captured.shape)}, as it was captured, got {got}")

    def _conditions(self):
        """Those on extents of arguments under which this graph is the model."""
        environments = {id(size.node.shape_env): size.node.shape_env
                        for lowered, _ in self._placeholders.values()
                        for size in getattr(lowered.meta.get("val"), "shape", ())
                        if isinstance(size, torch.SymInt)}

        def written(node, dim):
            return f"{self._placeholders[node][1][1]}.size({dim})"

        words = {expr: written(*place) for expr, place in self._extents.items() if expr.is_Symbol}
        equal = [{"op": "eq", "left": {"argument": self._argument(node), "dim": dim},
                  "right": self._extent(expr), "text": f"{written(node, dim)} == "
                  f"{written(*self._extents[expr])}"} for expr, node, dim in self._equal]
        return equal + [one for environment in environments.values()
                        for one in conditions(environment, self._symbols, words, self._extent)]

    def _extent(self, expr):
        """The count that is the extent of an argument."""
        node, dim = self._extents[expr]
        return {"argument": self._argument(node), "dim": dim}

    def _argument(self, node):
        """The name of the argument that a placeholder is."""
        lowered, source = self._placeholders[node]
        if source is None or source[0] != "argument":
            self._refuse(node, "expected tensors that forward is given as they are, got another "
                         "input")
        name, value = source[1], lowered.meta["val"]
        if name not in self._arguments:
            if value.dtype not in DTYPES:
                self._refuse(node, f"expected features of float32 and ids of int64, got {name} of "
                             f"{value.dtype}")
            self._arguments[name] = {
                "name": name, "dtype": DTYPES[value.dtype],
                "role": "features" if value.dtype == torch.float32 else "ids",
                "shape": [size if type(size) is int else -1 for size in value.shape]}
        return name

    def _depends(self, node):
        """The kinds of inputs that a node of the outer graph is computed of."""
        if node not in self._needs:
            if node.op == "placeholder":
                _, source = self._placeholders[node]
                found = {source[0] if source else "other"}
            elif node.op == "get_attr":
                found = set()
            elif node.target is self.outer.structures or isinstance(node.target, Call):
                found = {"other"}
            else:
                found = set().union(*map(self._depends, node.all_input_nodes))
            self._needs[node] = found
        return self._needs[node]

    def _value(self, node):
        """What torch computes of parameters alone."""
        if node not in self._values:
            if node.op == "placeholder":
                found = self._tensors[self._placeholders[node][1][1]]
            elif node.op == "get_attr":
                found = operator.attrgetter(node.target)(self.outer.lowered.module)
            else:
                args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), self._value)
                found = node.target(*args, **kwargs)
            self._values[node] = found
        return self._values[node]

    def _parameter(self, node, name):
        """The names of the parameters that lie one behind another in what is computed of them for
        the input of that name; where they do not, its own, of what torch computes."""
        value = self._value(node).detach().contiguous()
        own = {}
        self._find_parameters(node, own)
        parts = [self._tensors[one].detach() for one in own]
        if sum(x.numel() for x in parts) == value.numel() and all(
                x.dtype == value.dtype for x in parts) and torch.equal(
                    torch.cat([x.reshape(-1) for x in parts]), value.reshape(-1)):
            if len(own) > 1 or parts[0].shape == value.shape:
                self.parameters.update(zip(own, (x.contiguous() for x in parts)))
                return list(own)
        self.parameters[f"computed.{name}"] = value
        return [f"computed.{name}"]

    def _is_own(self, node, buffers):
        """Whether a node is a parameter of the model as it is."""
        while node.target in (aten.contiguous.default, aten.clone.default):
            node = node.args[0]
        return node.op == "placeholder" and self._placeholders[node][1][1] not in buffers

    def _find_parameters(self, node, found):
        """The names of all parameters that a node is computed of, in their order."""
        if node.op == "placeholder":
            found[self._placeholders[node][1][1]] = None
        elif node.target is GETITEM and isinstance(node.args[0].target, Packed):
            for one in node.args[0].target.inputs_of(*node.args):
                self._find_parameters(one, found)
        else:
            for one in node.all_input_nodes:
                self._find_parameters(one, found)

    # -- Numbers and ids --------------------------------------------------------------

    def _count(self, x):
        """A number of rows."""
        if isinstance(x, int):
            return x
        if x in self._given:
            return self._count(self._given[x])
        if x in self._placeholders:
            value = self._placeholders[x][0].meta["val"]
            if isinstance(value, torch.SymInt) and value.node.expr in self._extents:
                return self._extent(value.node.expr)
        elif x.target == aten.sym_size.int:
            of, dim = x.args
            while of in self._given:
                of = self._given[of]
            if of in self._placeholders:
                return {"argument": self._argument(of), "dim": dim}
            if dim == 0:
                return self._sum(self._length(part) for part in self._ids(of))
        elif x.target is operator.add:
            return self._sum(map(self._count, x.args))
        self._refuse(x, _NO_COUNT)

    @staticmethod
    def _sum(counts):
        found = [one for count in counts for one in (
            count if isinstance(count, list) else [count]) if one != 0]
        return found[0] if len(found) == 1 else found or 0

    def _length(self, part):
        """How many numbers a part has."""
        if "count" in part:
            return part["count"]
        shape = self._arguments[part["argument"]]["shape"]
        return shape[-1] if shape[-1] >= 0 else {"argument": part["argument"],
                                                 "dim": len(shape) - 1}

    def _ids(self, x):
        """The parts of a vector of ids or of types."""
        if x in self._given:
            x = self._given[x]
        if x in self._placeholders:
            name = self._argument(x)
            if len(self._arguments[name]["shape"]) == 1:
                return [{"argument": name}]
        elif x.target in _COPIES or x.target == aten._to_copy.default:
            return self._ids(x.args[0])
        elif x.target is with_others:
            *parts, = self._ids(x.args[0])
            return [{**part, "others": x.args[1]} if "argument" in part else part
                    for part in parts]
        elif x.target == aten.cat.default or x.target is torch.cat:
            return [part for one in x.args[0] for part in self._ids(one)]
        elif x.target == aten.select.int and x.args[1:2] == (0,):
            return self._pair(x.args[0])[x.args[2]]
        elif x.target is GETITEM or x.target is item:
            of, place = x.args
            if of.target is joined_graphs.made_together:
                _, vectors, pairs, _ = of.args
                if place < len(vectors):
                    return self._vector(vectors[place])
            elif of.target == aten.unbind.int and of.args[1:] in ((), (0,)):
                return self._pair(of.args[0])[place]
        elif x.target is direct(OPS.type_rows.default):
            return self._vector(x.args[1])
        self._refuse(x, "expected graphs of ids as arguments have them")

    def _vector(self, counts):
        """Each number as often as its count says."""
        return [{"count": count, "number": i}
                for i, count in enumerate(map(self._count, counts)) if count != 0]

    def _pair(self, x):
        """The parts of both rows of edges."""
        if x in self._given:
            x = self._given[x]
        if x in self._placeholders:
            name, value = self._argument(x), self._placeholders[x][0].meta["val"]
            shape = self._arguments[name]["shape"]
            if len(shape) == 2:
                if shape[0] < 0:  # Both rows are read, whatever others there are.
                    shape[0] = int(value.shape[0].node.hint)
                return [[{"argument": name, "row": row}] for row in range(2)]
        elif x.target in _COPIES or x.target == aten._to_copy.default:
            return self._pair(x.args[0])
        elif x.target == aten.flip.default and tuple(x.args[1]) == (0,):
            return self._pair(x.args[0])[::-1]
        elif x.target == aten.stack.default and len(x.args[0]) == 2:
            return list(map(self._ids, x.args[0]))
        elif x.target in (aten.cat.default, torch.cat) and x.args[1:] in ((1,), (-1,)):
            pairs = list(map(self._pair, x.args[0]))
            return [[part for pair in pairs for part in pair[row]] for row in range(2)]
        elif x.target is GETITEM and x.args[0].target is joined_graphs.made_together:
            _, vectors, pairs, _ = x.args[0].args
            *given, place = pairs[x.args[1] - len(vectors)]
            return self._joined(*given, vectors[place])
        self._refuse(x, "expected graphs of edges as arguments have them")

    def _joined(self, edges, src_types, dst_types, src_counts, dst_counts, relations):
        """Edges of relations one behind another, of nodes one type behind another."""
        there = [i for i, count in enumerate(map(self._count, relations)) if count != 0]
        if len(there) != len(edges):
            raise CaptureError(f"expected edges of {len(there)} relations, got {len(edges)}")
        found = []
        for row, types, counts in ((0, src_types, src_counts), (1, dst_types, dst_counts)):
            counts = list(map(self._count, counts))
            found.append([{**part, "base": self._sum(counts[:types[i]]),
                           "limit": counts[types[i]]}
                          for i, pair in zip(there, edges) for part in self._pair(pair)[row]])
        return found

    def _graph(self, recipe):
        places = {what: self._made[place] for what, place in recipe.places.items()
                  if place is not None}
        ends = dict(zip(("src", "dst"), self._pair(places["pair"]))) if "pair" in places else {
            end: self._ids(places[end]) for end in ("src", "dst") if end in places}
        edges = self._sum(map(self._length, next(iter(ends.values()))))
        made = {"name": recipe.name, "square": recipe.square, "edge_types": recipe.edge_types,
                "node_types": recipe.node_types}
        for end in ("src", "dst"):
            if f"num_{end}" in places:
                count, parts = self._count(places[f"num_{end}"]), ends[end]
            else:  # Nothing reads this end: it is the edges themselves.
                count, parts = edges, [{"count": edges}]
            wraps = {"wraps": True} if end in recipe.indexed else {}
            made[f"num_{end}"] = count
            made[end] = [part if "limit" in part or "count" in part else
                         {**part, "limit": count, **wraps} for part in parts]
        if recipe.square:
            del made["num_dst"]

        def typed(node, count):
            return [part if "others" in part or "count" in part else {**part, "limit": count}
                    for part in self._ids(node)]

        if "edge_type" in places:
            made["edge_type"] = typed(places["edge_type"], recipe.edge_types)
        kinds = {end: places[f"{end}_types"] for end in ("src", "dst") if f"{end}_types" in places}
        if recipe.square and kinds:
            kinds = {"src": next(iter(kinds.values()))}
        for end, node in kinds.items():
            made[f"{end}_type"] = typed(node, recipe.node_types)
        return made

    # -- Inputs and outputs -----------------------------------------------------------

    def _input(self, name, node):
        if self._depends(node) <= {"parameter"}:
            return {"name": name, "parameters": self._parameter(node, name)}
        return {"name": name, "rows": self._rows(node)}

    def _rows(self, node):
        """The parts of rows one behind another."""
        if node.op == "placeholder":
            return [self._argument(node)]
        if node.target in _COPIES:
            return self._rows(node.args[0])
        if node.target is torch.cat or node.target == aten.cat.default:
            if node.args[1:] in ((), (0,)):
                return [part for one in node.args[0] for part in self._rows(one)]
        if node.target is GETITEM and node.args[0].target is joins.overlapping:
            begin, end, *parts = node.args[0].args
            parts = parts[:end] if node.args[1] == 0 else parts[begin:]
            return [part for one in parts for part in self._rows(one)]
        zeros = node
        if node.target is item and node.args[0].target is self.outer.structures:
            zeros = self._made[self.outer.structures._extra[node.args[1] - 1]]
        if zeros.target == aten.zeros.default:
            return [{"zeros": self._count(zeros.args[0][0])}]
        return [self._projected(node)]

    def _projected(self, node):
        """The name of the result of a layer on the rows of an argument."""
        activations, last = [], node
        while node.target in _ACTIVATIONS:
            activations.insert(0, _ACTIVATIONS[node.target])
            node = node.args[0]
        known = next((one for one in self.projections if one.name == f"rows_{last.name}"), None)
        if known is not None:
            return f".{known.name}"
        if node.target != aten.linear.default or not all(
                self._depends(x) <= {"parameter"} for x in node.args[1:] if x is not None):
            self._refuse(last, "expected rows of arguments, joined or behind a linear layer")
        x, weight, bias = (*node.args, None)[:3]
        rows = self._rows(x)
        if len(rows) != 1 or not isinstance(rows[0], str) or rows[0] not in self._arguments:
            self._refuse(last, "expected a linear layer on one argument")
        name = f"rows_{last.name}"
        self.projections.append(Projection(
            name, rows[0], self._parameter(weight, f"{name}.weight"),
            None if bias is None else self._parameter(bias, f"{name}.bias"),
            activations))
        return f".{name}"

    def _outputs(self, program):
        """The outputs in the order of the model's result."""
        nodes = self.outer.graph.output_node().args[0]
        lowered = self.outer.raiser.graph.output_node().args[0]
        lowered = lowered[len(self.outer.lowered.mutated):]
        made = []
        for name, place in self.sources.places.items():
            if place is None:
                raise CaptureError(f"{name}: expected results that the program computes, got "
                                   "another of a model that is saved")
            value = lowered[place].meta["val"]
            if value.dtype not in DTYPES:
                self._refuse(nodes[place], f"expected results of float32 or int64, got "
                             f"{value.dtype}")
            made.append({"name": name, "dtype": DTYPES[value.dtype],
                         "shape": [size if type(size) is int else -1 for size in value.shape],
                         **self._result(nodes[place], program)})
        return made

    def _result(self, node, program):
        """The result of the program that an output is, or is rows of."""
        if node.target is item and node.args[0] is program:
            return {"value": f".result_{node.args[1]}"}
        if node.target in _COPIES or node.target == aten.reshape.default:
            return self._result(node.args[0], program)
        rows = None
        if node.target is GETITEM and node.args[0].target is torch.split:
            x, counts = node.args[0].args
            counts = list(map(self._count, counts))
            rows = self._sum(counts[:node.args[1]]), counts[node.args[1]]
        elif node.target == aten.narrow.default and node.args[1] == 0:
            x, _, *rows = node.args
            rows = list(map(self._count, rows))
        if rows is None:
            self._refuse(node, "expected results of the program, or rows of them")
        of = self._result(x, program)
        if "rows" in of:
            self._refuse(node, "expected rows of a result of the program, got rows of rows")
        return {**of, "skip": rows[0], "rows": rows[1]}
