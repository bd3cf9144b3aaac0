# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch Geometric's graphs, and the weights of its layers as the models of
`gnn_mlir.models` take them. Only this module knows PyG's names; it imports neither
PyG nor torch.

Every option of a supported layer is in the table at the end: one that the model
has must be equal in both, one that it lacks must be at its default.
"""

import copy
import re
from dataclasses import dataclass, field
from typing import Callable

import numpy as np

from .. import batches, capi, targets, types
from ..graph import Graph, to_numpy
from ..program import Function, Module


def _is_hetero(data):
    """Whether it is a HeteroData, whose edge types all have an edge_index."""
    if not all(hasattr(type(data), name) for name in ("node_types", "edge_types")):
        return False
    if not data.edge_types:
        raise ValueError("expected a HeteroData with types of edges, got types of nodes "
                         f"alone ({', '.join(data.node_types) or 'none'})")
    lacking = [t for t in data.edge_types if "edge_index" not in data[t]]
    if lacking:
        raise ValueError(f"expected an edge_index of {lacking[0]}, got "
                         f"{', '.join(data[lacking[0]].keys()) or 'nothing'}")
    return True


def graph(data, num_edge_types=None, num_node_types=None):
    """The graph of a Data (edge_index, edge_type, node_type) or HeteroData. A Data does not state
    its numbers of types; by default they follow from its largest ids."""
    if _is_hetero(data):
        batches.refuse_types("a HeteroData", num_edge_types, num_node_types)
        for name in (end for t in data.edge_types for end in (t[0], t[2])):
            if name not in data.node_types or data[name].num_nodes is None:
                raise ValueError(f"expected num_nodes or features of {name!r}, got none")
        return Graph.from_hetero({t: data[t].num_nodes for t in data.node_types},
                                 {t: data[t].edge_index for t in data.edge_types})
    if not hasattr(data, "edge_index") or not hasattr(data, "num_nodes"):
        raise ValueError("expected a Data or HeteroData of PyG, got "
                         f"{types.described(data)}")
    if data.edge_index is None:
        raise ValueError("expected an edge_index, got "
                         f"{', '.join(data.keys()) or 'nothing'}")
    if data.edge_index.ndim != 2 or len(data.edge_index) != 2:
        raise ValueError("edge_index: expected shape (2, edges), got "
                         f"{tuple(data.edge_index.shape)}")
    given = {name: data[name] for name in ("edge_type", "node_type")
             if name in data}
    return Graph(*data.edge_index, data.num_nodes, **given,
                 num_edge_types=num_edge_types, num_node_types=num_node_types)


def blocks(data, layers, seeds, *counts):
    """The result of `gnn_mlir.blocks` for a batch of a NeighborLoader: the blocks of
    the library, and the graph with the names and the schema of its types, None where it
    has none. `counts` are those of types, as `graph` has them."""
    if not _is_hetero(data):
        if seeds is None:
            seeds = getattr(data, "batch_size", None)
        made = _blocks_of_int64(data, layers, seeds, *counts)
        return (made, None) if made is not None else batches.native_blocks(
            graph(data, *counts), layers, seeds)
    if seeds is None:
        seeds = {t: data[t].batch_size for t in data.node_types
                 if "batch_size" in data[t]}
    if not isinstance(seeds, dict) or not seeds or set(seeds) - set(data.node_types):
        raise ValueError("seeds: expected a dict of numbers by node type, or a batch "
                         f"with a batch_size, got {seeds!r}")
    seeds = {name: types.integer(f"seeds of {name}", count, 0, data[name].num_nodes)
             for name, count in seeds.items()}
    found = batches.order_by_hops(graph(data, *counts), [
        seeds.get(t, 0) for t in data.node_types], layers)
    return batches.native_blocks(found, layers, sum(seeds.values()))


def _blocks_of_int64(data, layers, seeds, num_edge_types, num_node_types):
    """The library's blocks of a Data whose ids are int64, without a copy by NumPy; None
    where it is not that or has a fault, which the other way tells. Asks PyG for little:
    batches are made while a step has other work for Python's lock."""
    if not hasattr(data, "to_dict"):
        return None
    given = data.to_dict()
    ends, edge_type, node_type = map(given.get, ("edge_index", "edge_type", "node_type"))
    try:
        nodes = types.integer("num_nodes", given["num_nodes"] if "num_nodes" in given
                              else data.num_nodes)
        _, edges = ends.shape
        if not (_is_int64(ends, (2, edges)) and
                (edge_type is None or _is_int64(edge_type, (edges,))) and
                (node_type is None or _is_int64(node_type, (nodes,)))):
            return None
        address, size = ends.data_ptr(), 8 * edges
        return capi.NativeGraph.blocks_of_int64(
            seeds, layers, (nodes, edges, _count_types(node_type, num_node_types),
                            _count_types(edge_type, num_edge_types)),
            ((address, size), (address + size, size),
             *((None, 0) if ids is None else (ids.data_ptr(), ids.nbytes)
               for ids in (edge_type, node_type))))
    except (capi.GNNError, AttributeError, TypeError, ValueError):
        return None


def _count_types(given, count):
    """As many as are asked for, or as the largest says."""
    if count is not None:
        return count
    return 1 if given is None or not len(given) else int(given.max()) + 1


def _is_int64(value, shape):
    """Whether it is a tensor of that shape that lies in the host's memory as an array
    does."""
    return (value.shape == shape and str(value.dtype) == "torch.int64" and
            targets.is_host(value.device) and value.is_contiguous())


def _array(parameter):
    return parameter.detach().cpu().numpy()


def _linear(name, module, bias=None):
    """A torch linear layer: its weight is stored [out, in]."""
    found = {name: _array(module.weight).T}
    if bias and module.bias is not None:
        found[bias] = _array(module.bias)
    return found


def _bias(conv):
    return {} if conv.bias is None else {"bias": _array(conv.bias)}


def _relations(conv, coefficients, bases):
    if conv.num_bases is None:  # With num_blocks, blocks.
        return {"weight": _array(conv.weight)}
    return {"coefficients": _array(coefficients), "bases": _array(bases)}


def _gcn(conv, options):
    return {**_linear("weight", conv.lin), **_bias(conv)}


def _sgc(conv, options):
    return _linear("weight", conv.lin, "bias")


def _sage(conv, options):
    found = _linear("weight", conv.lin_l, "bias")
    if conv.root_weight:
        found.update(_linear("root", conv.lin_r))
    if conv.project:
        found.update(_linear("project_weight", conv.lin, "project_bias"))
    return found


def _gin(conv, options):
    layers = [type(m).__name__ for m in getattr(conv.nn, "children", list)()]
    if type(conv.nn).__name__ != "Sequential" or layers != ["Linear", "ReLU",
                                                            "Linear"]:
        raise ValueError("GINConv: expected nn = Sequential(Linear, ReLU, Linear), "
                         f"got {type(conv.nn).__name__}({', '.join(layers)})")
    found = {}
    for i, linear in enumerate((conv.nn[0], conv.nn[2]), 1):
        found.update(_linear(f"weight{i}", linear, f"bias{i}"))
        found.setdefault(f"bias{i}", np.zeros(len(linear.weight), np.float32))
    if options["train_eps"]:
        found["eps"] = _array(conv.eps)
    return found


def _residual(conv):
    return {} if conv.res is None else _linear("residual", conv.res)


def _gat(conv, options):
    return {**_linear("weight", conv.lin), **_residual(conv), **_bias(conv),
            "att_src": _array(conv.att_src)[0],
            "att_dst": _array(conv.att_dst)[0]}


def _gatv2(conv, options):
    found = {**_linear("src_weight", conv.lin_l, "src_bias"), **_residual(conv),
             **_bias(conv), "att": _array(conv.att)[0]}
    if not conv.share_weights:
        found.update(_linear("dst_weight", conv.lin_r, "dst_bias"))
    return found


def _transformer(conv, options):
    names = {"query": conv.lin_query, "key": conv.lin_key,
             "value": conv.lin_value}
    if conv.root_weight:
        names["root"] = conv.lin_skip
    found = {}
    for name, module in names.items():
        found.update(_linear(name + "_weight", module, name + "_bias"))
    if conv.beta:
        found.update(_linear("beta", conv.lin_beta))
    return found


def _batch_norm(module, options):
    module = getattr(module, "module", module)  # PyG's holds torch's.
    size = module.num_features
    found = {"mean": _array(module.running_mean),
             "variance": _array(module.running_var)}
    for name, parameter, default in (("gamma", module.weight, np.ones),
                                     ("beta", module.bias, np.zeros)):
        found[name] = (default(size, np.float32) if parameter is None else
                       _array(parameter))
    return found


def _rgcn(conv, options):
    found = {**_relations(conv, conv.comp, conv.weight), **_bias(conv)}
    if conv.root is not None:
        found["root"] = _array(conv.root)
    return found


def _rgat(conv, options):
    weights = (None, None) if conv.num_bases is None else (conv.att, conv.basis)
    return {**_relations(conv, *weights), **_bias(conv),
            "query": _array(conv.q), "key": _array(conv.k)}


def _hgt(conv, options):
    out, heads = conv.out_channels, conv.heads
    size, relations = out // heads, len(conv.edge_types)
    widths = [conv.in_channels[t] for t in conv.node_types]
    found = {}
    for i, name in enumerate(("key", "query", "value")):
        part = np.s_[i * out:(i + 1) * out]
        lins = [conv.kqv_lin.lins[t] for t in conv.node_types]
        found[name + "_bias"] = np.stack([_array(lin.bias)[part] for lin in lins])
        for width in set(widths):
            key = f"{name}_weight" + (f"_{width}" if len(set(widths)) > 1 else "")
            found[key] = np.stack([
                _array(lin.weight)[part].T if width == own else
                np.zeros((width, out), _array(lin.weight).dtype)
                for lin, own in zip(lins, widths)])
    for name, module in (("key", conv.k_rel), ("value", conv.v_rel)):
        weight = _array(module.weight).reshape(heads, relations, size, size)
        found[name + "_relation"] = weight.transpose(1, 0, 2, 3)
    found["prior"] = np.stack([_array(conv.p_rel["__".join(t)])[0]
                               for t in conv.edge_types])
    lins = [conv.out_lin.lins[t] for t in conv.node_types]
    found["out_weight"] = np.stack([_array(lin.weight).T for lin in lins])
    found["out_bias"] = np.stack([_array(lin.bias) for lin in lins])
    if out in widths:
        found["skip"] = np.array([
            _array(conv.skip[t])[0] if width == out else 0
            for t, width in zip(conv.node_types, widths)],
            found["out_bias"].dtype)
    return found


@dataclass(frozen=True)
class _Layer:
    """A layer of PyG and the model's that it is: all options by PyG's names.

    `same` are those that the model has, by its names. `only` are those that it
    lacks, with the values it is right for. `shown` are told by the names and the
    shapes of weights, which a run checks; `free` change no number of a run."""

    kind: str
    weights: Callable
    same: dict = field(default_factory=dict)
    only: dict = field(default_factory=dict)
    shown: tuple = ()
    free: tuple = ()


_SIZES = ("in_channels", "out_channels")
_FLOW = {"flow": ("source_to_target",), "node_dim": (0, -2),
         "decomposed_layers": (1,)}
_SUM = {**_FLOW, "aggr": ("sum",)}
_PLAIN = {**_SUM, "edge_dim": (None,)}
_HEADS = {"heads": "heads", "concat": "concat",
          "negative_slope": "negative_slope"}
_LOOPS = {"self_loops": "add_self_loops"}
_RGCN = _Layer("rgcn", _rgcn, {"aggregation": "aggr"}, _FLOW,
               (*_SIZES, "num_relations", "num_bases", "num_blocks",
                "root_weight", "bias"), ("is_sorted", "aggr_kwargs"))
_NORM = _Layer("batch_norm", _batch_norm, {"eps": "eps"},
               {"track_running_stats": (True,)},
               ("in_channels", "num_features"),
               ("affine", "bias", "momentum", "allow_single_element", "device",
                "dtype"))

# Without edge features a fill value of added loops is not read. A cache holds
# what the first call made, which is wrong for another graph. "improved" weighs
# loops in PyG's description but not in its release 2.8.
_LAYERS = {
    "GCNConv": _Layer("gcn", _gcn, {"normalize": "normalize", **_LOOPS},
                      {**_SUM, "improved": (False,), "cached": (False,)},
                      (*_SIZES, "bias"), ("aggr_kwargs",)),
    "SGConv": _Layer("sgc", _sgc, {**_LOOPS, "hops": "K"},
                     {**_SUM, "cached": (False,)}, (*_SIZES, "bias"),
                     ("aggr_kwargs",)),
    "SAGEConv": _Layer("sage", _sage,
                       {"aggregation": "aggr", "normalize": "normalize",
                        "project": "project"}, _FLOW,
                       (*_SIZES, "root_weight", "bias"), ("aggr_kwargs",)),
    "GINConv": _Layer("gin", _gin, {"eps": "eps"}, _SUM, ("nn",),
                      ("train_eps", "aggr_kwargs")),
    "GATConv": _Layer("gat", _gat, {**_HEADS, **_LOOPS}, _PLAIN,
                      (*_SIZES, "residual", "bias"),
                      ("dropout", "fill_value", "aggr_kwargs")),
    "GATv2Conv": _Layer("gatv2", _gatv2, {**_HEADS, **_LOOPS}, _PLAIN,
                        (*_SIZES, "share_weights", "residual", "bias"),
                        ("dropout", "fill_value", "aggr_kwargs")),
    "TransformerConv": _Layer(
        "transformer", _transformer, {"heads": "heads", "concat": "concat"},
        _PLAIN, (*_SIZES, "beta", "root_weight", "bias"),
        ("dropout", "aggr_kwargs")),
    "RGCNConv": _RGCN,
    "FastRGCNConv": _RGCN,
    "RGATConv": _Layer(
        "rgat", _rgat, {**_HEADS, "attention": "attention_mechanism"},
        {**_PLAIN, "num_blocks": (None,), "mod": (None,), "dim": (1,),
         "attention_mode": ("additive-self-attention",)},
        (*_SIZES, "num_relations", "num_bases", "bias"),
        ("dropout", "aggr_kwargs")),
    "HGTConv": _Layer("hgt", _hgt, {}, _SUM, (*_SIZES, "metadata", "heads"),
                      ("aggr_kwargs",)),
    "BatchNorm": _NORM,
    "BatchNorm1d": _NORM,
    "Linear": _Layer("linear", lambda module, _: _linear("weight", module, "bias"),
                     shown=(*_SIZES, "in_features", "out_features", "bias"),
                     free=("weight_initializer", "bias_initializer", "device",
                           "dtype")),
}


def _value(conv, option):
    """An option of a layer, as the models spell it."""
    value = getattr(getattr(conv, "module", conv), option)
    if hasattr(value, "detach"):  # GIN's eps, learned or not.
        value = value.item()
    return "sum" if value == "add" else value


def _equal(value, expected):
    """Whether options agree; a float may have been stored in float32."""
    if isinstance(value, float):
        return np.float32(value) == np.float32(expected)
    return value == expected


def _check(function, prefix, conv, running=True):
    """The options of the model's layer of that prefix, which `conv` must have. Without
    `running` it may be in training."""
    name = type(conv).__name__
    if name not in _LAYERS:
        raise ValueError(f"expected a layer of {', '.join(_LAYERS)}, got {name}")
    layer = _LAYERS[name]
    if layer.kind == "linear":
        return {}
    kind, options = function.layers.get(prefix, (None, {}))
    if kind is None:
        known = [p[:-1] for p in function.layers if p]
        raise ValueError(f"{name}: expected the name of a layer of {function.name} "
                         f"({', '.join(known) or 'none'}), got {prefix[:-1] or 'none'}")
    if kind != layer.kind:
        where = f" ({prefix[:-1]})" if prefix else ""
        raise ValueError(f"{name}: expected a layer {kind} as in {function.name}{where}, "
                         f"got {layer.kind}")

    def refuse(option, expected, why):
        raise ValueError(f"{name}: expected {option} = {expected!r}{why}, got "
                         f"{_value(conv, option)!r}")

    for option, values in layer.only.items():
        if _value(conv, option) not in values:
            refuse(option, values[0], "")
    for ours, option in layer.same.items():
        if options[ours] is not None and not _equal(_value(conv, option),
                                                    options[ours]):
            refuse(option, options[ours], " as in the model")
    if name == "GATConv" and conv.lin is None:
        refuse("in_channels", conv.in_channels[0], "")
    if not running:
        return options
    if conv.training and getattr(conv, "dropout", 0):
        refuse("dropout", 0.0, " or a layer in eval()")
    if conv.training and layer is _NORM:
        raise ValueError(f"{name}: expected a layer in eval(), got one in training")
    return options


def _one_function(model):
    """The function of a module of one, or the function itself."""
    model = getattr(model, "source", None) or model  # The model of a compiled function.
    if isinstance(model, Function):
        return model
    if not isinstance(model, Module):
        raise ValueError("model: expected a module or a function, got "
                         f"{types.described(model)}")
    if len(model.functions) != 1:
        raise ValueError("expected a module of one function, got "
                         f"{len(model.functions)}")
    return next(iter(model.functions.values()))


def _layers_of(model, convs, named):
    """(prefix of the inputs, layer of PyG) for each layer that is given."""
    for conv in convs:
        if isinstance(conv, (list, tuple)) or type(conv).__name__ in ("ModuleList",
                                                                      "Sequential"):
            raise ValueError(f"{model.name}: expected layers of PyG, each an argument "
                             f"(*layers), got a {type(conv).__name__}")
    stack = [prefix for prefix in model.layers if re.fullmatch(r"(layer\d+_)?", prefix)]
    if convs and stack and len(convs) != len(stack):
        raise ValueError(f"{model.name}: expected {len(stack)} layer{'s' * (len(stack) > 1)} "
                         f"of PyG, got {len(convs)}")
    return [*((f"layer{i}_" if len(convs) > 1 else "", conv)
              for i, conv in enumerate(convs, 1)),
            *((name + "_", conv) for name, conv in named.items())]


def _refuse_lazy(conv):
    for name, value in getattr(conv, "named_parameters", list)():
        if type(value).__name__ == "UninitializedParameter":
            raise ValueError(f"{type(conv).__name__}: expected a layer that knows its sizes, "
                             f"got {name} without one; call it once, or give in_channels")


def _check_shape(model, name, got):
    """Refuses a weight whose shape is not the model's."""
    value = model.inputs.get(name)
    if value is None or value.type.space is not None and value.type.rows == "?":
        return
    expected = tuple(value.type.shape())
    if tuple(got) != expected:
        is_gin = any(kind == "gin" for kind, _ in model.layers.values())
        heads = any((options.get("heads") or 1) > 1 for _, options in model.layers.values())
        raise ValueError(f"{model.name}: expected {name} of shape {expected} as in the "
                         f"model, got {tuple(got)}"
                         + "; features are those of one head" * heads
                         + "; hidden is the inner size of nn" * is_gin)


def weights(model, *convs, **named):
    """Copies the weights of PyG's layers, by the names of the inputs of a model.

    Args:
        model: a `Module` of one function, or a `Function`.
        *convs: the layers of a stack. The names of several layers begin with `layer1_`, `layer2_`
            and so on.
        **named: layers by name, such as `pre=linear`, whose names begin with `pre_`.

    Returns:
        A dict of arrays.

    Raises:
        ValueError: a layer computes something else than the model; the message names the option."""
    model = _one_function(model)
    found = {}
    for prefix, conv in _layers_of(model, convs, named):
        _refuse_lazy(conv)
        options = _check(model, prefix, conv)
        layer = _LAYERS[type(conv).__name__]
        for name, array in layer.weights(conv, options).items():
            _check_shape(model, prefix + name, array.shape)
            found[prefix + name] = np.array(array, order="C")
    return found


# Above every number that a layer's weights get as a constant.
_FIRST_PLACE = 1 << 40


def _places(layer, conv, options):
    """The tensors of a layer of PyG, and `weights` of it with the place that each
    number has in them: those that are below _FIRST_PLACE are constants."""
    traced = copy.deepcopy(conv).double()
    tensors = [(value, other) for value, other in zip(
        conv.state_dict().values(), traced.state_dict().values())
        if value.is_floating_point()]
    begin = _FIRST_PLACE
    for _, other in tensors:
        places = np.arange(begin, begin + other.numel(), dtype=np.float64)
        other.copy_(other.new_tensor(places).reshape(other.shape))
        begin += other.numel()
    return [value for value, _ in tensors], layer.weights(traced, options)


def load_weights(model, values, *convs, **named):
    """Writes weights of a model into PyG's layers, the reverse of `weights`.

    Args:
        model, convs, named: as for `weights`.
        values: arrays or tensors by the names of inputs.

    Raises:
        ValueError: a value does not fit. Nothing is written."""
    model, written = _one_function(model), []
    if not hasattr(values, "keys"):
        raise ValueError(f"values: expected a dict by name, got {types.described(values)}")
    known, by_layer = set(), {}
    for prefix, conv in _layers_of(model, convs, named):
        _refuse_lazy(conv)
        options = _check(model, prefix, conv, running=False)
        tensors, found = _places(_LAYERS[type(conv).__name__], conv, options)
        numbers = np.concatenate([_array(t).reshape(-1).astype(np.float64)
                                  for t in tensors])
        for name, places in found.items():
            known.add(prefix + name)
            if prefix + name not in values:
                raise ValueError(f"{model.name}: expected a weight {prefix + name!r}, got "
                                 f"{', '.join(values) or 'none'}")
            value = to_numpy(values[prefix + name])
            if value.shape != places.shape:
                raise ValueError(f"{prefix + name}: expected shape {places.shape} as in "
                                 f"{type(conv).__name__}, got {value.shape}")
            inside = places >= _FIRST_PLACE
            if not inside.any() and not np.array_equal(value, places):
                raise ValueError(f"{prefix + name}: expected what {type(conv).__name__} has "
                                 "without such a weight, got other numbers")
            numbers[places[inside].astype(np.int64) - _FIRST_PLACE] = value[inside]
        if not np.array_equal(by_layer.setdefault(id(conv), numbers), numbers):
            raise ValueError(f"{prefix[:-1]}: expected the weights that the same layer of "
                             "PyG has at another place of the model, got others")
        written.append((tensors, numbers))
    for name in values:
        if name not in known:
            raise ValueError(f"{model.name}: expected weights {', '.join(known)}, got "
                             f"{name!r}")
    for tensors, numbers in written:
        for tensor in tensors:
            part, numbers = np.split(numbers, [tensor.numel()])
            tensor.copy_(tensor.new_tensor(part).reshape(tensor.shape))
