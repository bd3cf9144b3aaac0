# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The front end that GraphAGILE prints (Zhang et al., 2023, table II, listings 2 and 3).

A `ModelIR` lists `LayerIR`s that name their parents; the steps of the compiler are its
methods, in the order and the spelling of the listings. They build `gnn` IR, which the
passes of this project optimize, partition and map."""

from collections import OrderedDict

import numpy as np

from .. import types
from ..graph import Graph, not_a_graph, to_numpy
from ..program import Module
from . import native, programs

# By the words of table II.
_TYPES = ("Aggregate", "Linear", "Vector-Inner", "Vector-Add", "Activation", "BatchNorm")
_AGGREGATIONS = {1: "max", 2: "sum", 3: "min", 4: "mean"}
_ACTIVATIONS = ("ReLU", "PReLU", "Swish", "Exp", "Sigmoid")
_PRELU_SLOPE = 0.25  # The paper has no field for it; it is PyTorch's.
_PARENTS = {"Vector-Add": 2, "Vector-Inner": 2}
_STEPS = ("datapartition", "kernelMapping", "taskScheduling")


class LayerIR:
    """A computation layer: the fields of table II."""

    def __init__(self):
        self._layertype = None
        self._layerid = 0
        self._parent_id = []
        self._child_id = []
        self._fin = 0
        self._fout = 0
        self._nv = 0
        self._ne = 0
        self._aggoperator = None
        self._act = None
        self._actenable = False
        self._batchenable = False

    def setparameter(self, layertype, layerid, parent_id=(), child_id=(), fin=0, fout=0,
                     nv=0, ne=0, aggoperator=None, act=None, actenable=False,
                     batchenable=False):
        """Sets the fields.

        `layertype` is Aggregate, Linear, Vector-Inner, Vector-Add, Activation or BatchNorm.
        A layer without parents reads the features of the graph; `child_id` may list some of
        those that read it. A Vector-Add has two parents,
        a Vector-Inner the sources and the destinations (one parent is both), and an Aggregate
        the rows and perhaps a Vector-Inner, whose result is the weights of edges; otherwise
        these are the input `edge_weight`. `fin` and `fout` are features of a row (1 for each
        edge of a Vector-Inner), `nv` and `ne` vertices and edges, alike in all layers, and 0 or
        alike where the model has a graph. `aggoperator` is Max 1, Sum 2, Min 3 or Mean 4, of an
        Aggregate alone; `act` is ReLU, PReLU, Swish, Exp or Sigmoid, applied to the result
        where `actenable`, behind a batch normalization where `batchenable`. Raises
        ValueError."""
        if not isinstance(layertype, str) or layertype not in _TYPES:
            raise ValueError(f"layertype: expected one of {', '.join(_TYPES)}, got "
                             f"{layertype!r}")
        layerid = types.integer("layerid", layerid, 1, native.MOST)
        fin, fout, nv, ne = [types.integer(name, value, 0, native.MOST)
                             for name, value in dict(fin=fin, fout=fout, nv=nv, ne=ne).items()]
        parent_id, child_id = _ids("parent_id", parent_id), _ids("child_id", child_id)
        for name, value in dict(actenable=actenable, batchenable=batchenable).items():
            if not isinstance(value, (bool, np.bool_)):
                raise ValueError(f"{name}: expected True or False, got {value!r}")
        if layertype == "Aggregate":
            if not isinstance(aggoperator, (int, np.integer)) or isinstance(
                    aggoperator, bool) or aggoperator not in _AGGREGATIONS:
                raise ValueError("aggoperator: expected Max 1, Sum 2, Min 3 or Mean 4, got "
                                 f"{aggoperator!r}")
        elif aggoperator is not None:
            raise ValueError(f"aggoperator: expected None of {layertype}, got {aggoperator!r}")
        if layertype not in ("Linear", "Vector-Inner") and fin != fout:
            raise ValueError(f"fout: expected fin ({fin}) of {layertype}, got {fout}")
        if layertype == "Vector-Inner" and fout not in (0, 1):
            raise ValueError(f"fout: expected 1 of Vector-Inner, a number of an edge, got {fout}")
        if act is not None and not actenable:
            raise ValueError(f"actenable: expected True beside act {act!r}, got False")
        if actenable and act not in _ACTIVATIONS:
            raise ValueError(f"act: expected one of {', '.join(_ACTIVATIONS)}, got {act!r}")
        if layertype == "Activation" and not actenable:
            raise ValueError("actenable: expected True of Activation, got False")
        self._layertype, self._layerid = layertype, layerid
        self._parent_id, self._child_id = parent_id, child_id
        self._fin, self._fout, self._nv, self._ne = fin, fout, nv, ne
        self._aggoperator, self._act = aggoperator, act
        self._actenable, self._batchenable = actenable, batchenable

    def complexity(self):
        """Multiplications and additions, by equations (10) and (11) and by the same count
        of the other layers."""
        f, v, e = self._fin, self._nv, self._ne
        return {"Aggregate": 2 * f * e, "Linear": 2 * f * self._fout * v,
                "Vector-Inner": 2 * f * e, "Vector-Add": f * v, "Activation": f * v,
                "BatchNorm": 2 * f * v, None: 0}[self._layertype]


class ModelIR:
    """A model and its graph, and the steps of the compiler.

    Inputs of the program are `x` [vertices, features], `edge_weight` [edges], and of layer i
    `weight<i>` [fin, fout] of a Linear and `mean<i>`, `variance<i>`, `gamma<i>` and `beta<i>`
    [fout] of a batch normalization. Its output is `out`."""

    def __init__(self):
        self._layers = OrderedDict()
        self._graphs = None  # A Graph, or a PyG Data; None: the layers' numbers alone.
        self._numl = 0
        self._order = self._fuse = False
        self._options = {}
        self._done = []
        self.program = None  # The Program, from codeGeneration on.

    def addlayers(self, layer):
        """Adds a LayerIR behind its parents. Raises ValueError for an id that there is, and
        for a parent that there is not."""
        if not isinstance(layer, LayerIR):
            raise ValueError(f"layer: expected a LayerIR, got {types.described(layer)}")
        if layer._layertype is None:
            raise ValueError("layer: expected one whose parameters are set")
        if layer._layerid in self._layers:
            raise ValueError(f"layerid: expected another one, got {layer._layerid} again")
        for parent in layer._parent_id:
            if parent not in self._layers:
                raise ValueError(f"parent_id: expected one of {list(self._layers)}, got {parent}")
        self._layers[layer._layerid] = layer
        self._numl += 1

    def orderoptize(self):
        """Step 1: computation order optimization (6.3)."""
        self._order = True

    def layerfusion(self):
        """Step 2: layer fusion (6.4)."""
        self._fuse = True

    def datapartition(self, n1=None, blocks_per_pe=None):
        """Step 3: data partitioning (6.5), with `n1` rows of a block; None: by the rule."""
        self._options.update(n1=n1, blocks_per_pe=blocks_per_pe)
        self._step("datapartition")

    def kernelMapping(self, unroll=None):
        """Step 4: kernel mapping (6.6); `unroll` unrolls the inner loops."""
        self._options["unroll"] = unroll
        self._step("kernelMapping")

    def taskScheduling(self):
        """Step 4: task scheduling (6.6): tiles in order, mutexes in them."""
        self._step("taskScheduling")

    def _step(self, name):
        place = _STEPS.index(name)
        missing = [step for step in _STEPS[:place] if step not in self._done]
        if missing:
            raise ValueError(f"{name}: expected {missing[0]} before it")
        self._done.append(name)

    def codeGeneration(self, path=None):
        """Compiles the model to a Program, which it returns, and writes a `.ga` file where
        `path` is given. Raises ValueError where a step is missing, CompileError where a
        model has no program."""
        missing = [step for step in _STEPS if step not in self._done]
        if missing:
            raise ValueError(f"codeGeneration: expected {missing[0]} before it")
        module, graph = self.module(), self.graph()
        vertices, edges = self._counts(graph)
        given = dict(graph=graph) if graph is not None else dict(stats=(vertices, edges))
        self.program = programs.compile(module, **given, order=self._order,
                                        fuse=self._fuse, **self._options)
        if path is not None:
            self.program.save(path)
        return self.program

    def _counts(self, graph):
        """The numbers of vertices and edges: those of the graph, or of the layers, which say
        the same. Raises ValueError."""
        first = next(iter(self._layers.values()))
        expected = (first._nv, first._ne) if graph is None else (
            graph.num_nodes, graph.num_edges)
        for number, layer in self._layers.items():
            for name, value, got in zip(("nv", "ne"), expected, (layer._nv, layer._ne)):
                # 0 where the graph says it.
                if got != value and not (graph is not None and got == 0):
                    raise ValueError(f"layer {number}: {name}: expected {value}, as the "
                                     f"{'layers before it' if graph is None else 'graph'} "
                                     f"{'have' if graph is None else 'has'}, got {got}")
        return expected

    def graph(self):
        """The Graph; None where no graph was given."""
        data = self._graphs
        if data is None or isinstance(data, Graph):
            return data
        if not hasattr(data, "edge_index"):
            raise ValueError(f"_graphs: expected a Graph or a PyG Data, got {not_a_graph(data)}")
        src, dst = np.asarray(to_numpy(data.edge_index))
        return Graph(src, dst, num_nodes=int(data.num_nodes))

    def module(self):
        """The model as a gnn_mlir Module, before any step. Raises ValueError."""
        if not self._layers:
            raise ValueError("expected a layer, got none")
        module = Module("Layers of GraphAGILE's ModelIR.")
        g = module.graph("g")
        f = module.function("model")
        values = {}
        for number, layer in self._layers.items():
            values[number] = self._build(f, g, layer, values)
        read = {parent for layer in self._layers.values() for parent in layer._parent_id}
        last = [number for number in values if number not in read]
        if len(last) != 1:
            raise ValueError(f"expected one layer without children, got {last}")
        for number, layer in self._layers.items():
            children = [other for other, reader in self._layers.items()
                        if number in reader._parent_id]
            wrong = [child for child in layer._child_id if child not in children]
            if wrong:
                raise ValueError(f"layer {number}: child_id: expected some of {children}, whose "
                                 f"parent it is, got {wrong[0]}")
        f.output("out", values[last[0]])
        return module

    def _build(self, f, g, layer, values):
        """The result of a layer, of the results of its parents."""
        kind = layer._layertype
        parents = [values[parent] for parent in layer._parent_id]
        if not parents:
            parents = [_input(f, "x", g.rows("node", layer._fin))]
        most = 2 if kind in (*_PARENTS, "Aggregate") else 1
        if len(parents) > most or kind == "Vector-Add" and len(parents) < 2:
            raise ValueError(f"layer {layer._layerid}: expected "
                             f"{2 if kind == 'Vector-Add' else f'at most {most}'} parents of "
                             f"{kind}, got {len(parents)}")
        made = getattr(self, "_" + kind.lower().replace("-", "_"))(f, g, layer, *parents)
        if layer._batchenable and kind != "BatchNorm":
            made = self._batchnorm(f, g, layer, made)
        if layer._actenable and kind != "Activation":
            made = self._activation(f, g, layer, made)
        return made

    @staticmethod
    def _aggregate(f, g, layer, x, weights=None):
        if weights is None:
            weights = _input(f, "edge_weight", g.rows("edge"))
        message = f.apply("mul", "edge", weights, x, rhs_via="src")
        return f.aggregate(_AGGREGATIONS[layer._aggoperator], message, g.dst, via="dst")

    @staticmethod
    def _linear(f, g, layer, x):
        return f.linear(x, f.input(f"weight{layer._layerid}",
                                   types.weight(layer._fin, layer._fout)))

    @staticmethod
    def _vector_inner(f, g, layer, x, y=None):
        return f.sddmm("edge", x, x if y is None else y, "src", "dst")

    @staticmethod
    def _vector_add(f, g, layer, x, y):
        return x + y

    @staticmethod
    def _activation(f, g, layer, x):
        if layer._act == "PReLU":
            return f.activation("leaky_relu", x, alpha=_PRELU_SLOPE)
        return f.activation(layer._act.lower(), x)

    @staticmethod
    def _batchnorm(f, g, layer, x):
        weights = [f.input(f"{name}{layer._layerid}", types.weight(layer._fout))
                   for name in ("mean", "variance", "gamma", "beta")]
        return f.batch_norm(x, *weights, 1e-5)


def _ids(name, value):
    """A list of the numbers of layers; raises ValueError."""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise ValueError(f"{name}: expected a list of layerids, got {value!r}")
    return [types.integer(name, one, 1, native.MOST) for one in value]


def _input(f, name, of_type):
    """An input that several layers read."""
    return f.inputs[name] if name in f.inputs else f.input(name, of_type)
