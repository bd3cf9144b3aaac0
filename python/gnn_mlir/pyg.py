# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of PyTorch Geometric's layers, as the models of `gnn_mlir.models` take
them. Only this module knows PyG's names; it imports neither PyG nor torch."""

import numpy as np


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


def _gcn(conv):
    return {**_linear("weight", conv.lin), **_bias(conv)}


def _sgc(conv):
    return _linear("weight", conv.lin, "bias")


def _sage(conv):
    return {**_linear("weight", conv.lin_l, "bias"),
            **_linear("root", conv.lin_r)}


def _gin(conv):
    linear = [m for m in conv.nn.modules() if hasattr(m, "weight")]
    if len(linear) != 2:
        raise ValueError("expected a network of 2 linear layers in GINConv, got "
                         f"{len(linear)}")
    return {**_linear("weight1", linear[0], "bias1"),
            **_linear("weight2", linear[1], "bias2")}


def _gat(conv):
    if conv.lin is None or conv.lin_edge is not None or conv.res is not None:
        raise ValueError("expected a GATConv with one input size, without edge "
                         "features and residual")
    return {**_linear("weight", conv.lin), **_bias(conv),
            "att_src": _array(conv.att_src)[0],
            "att_dst": _array(conv.att_dst)[0]}


def _gatv2(conv):
    if conv.lin_edge is not None or conv.res is not None:
        raise ValueError("expected a GATv2Conv without edge features and residual")
    found = {**_linear("src_weight", conv.lin_l, "src_bias"), **_bias(conv),
             "att": _array(conv.att)[0]}
    if not conv.share_weights:
        found.update(_linear("dst_weight", conv.lin_r, "dst_bias"))
    return found


def _transformer(conv):
    if conv.lin_edge is not None:
        raise ValueError("expected a TransformerConv without edge features")
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


def _batch_norm(module):
    module = getattr(module, "module", module)  # PyG's holds torch's.
    return {"mean": _array(module.running_mean), "gamma": _array(module.weight),
            "variance": _array(module.running_var), "beta": _array(module.bias)}


def _rgcn(conv):
    found = {**_relations(conv, conv.comp, conv.weight), **_bias(conv)}
    if conv.root is not None:
        found["root"] = _array(conv.root)
    return found


def _rgat(conv):
    if (conv.attention_mode, conv.mod, conv.lin_edge, conv.num_blocks) != (
            "additive-self-attention", None, None, None):
        raise ValueError("expected an RGATConv with additive self-attention, "
                         "without mod, edge features and num_blocks")
    weights = (None, None) if conv.num_bases is None else (conv.att, conv.basis)
    return {**_relations(conv, *weights), **_bias(conv),
            "query": _array(conv.q), "key": _array(conv.k)}


def _hgt(conv):
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
            _array(conv.skip[t])[0] if width == out else NO_SKIP
            for t, width in zip(conv.node_types, widths)],
            found["out_bias"].dtype)
    return found


# sigmoid(NO_SKIP) is 1 in every precision.
NO_SKIP = 1e4

_LAYERS = {"GCNConv": _gcn, "SGConv": _sgc, "SAGEConv": _sage, "GINConv": _gin,
           "GATConv": _gat, "GATv2Conv": _gatv2, "TransformerConv": _transformer,
           "RGCNConv": _rgcn, "FastRGCNConv": _rgcn, "RGATConv": _rgat,
           "HGTConv": _hgt, "BatchNorm": _batch_norm, "BatchNorm1d": _batch_norm,
           "Linear": lambda module: _linear("weight", module, "bias")}


def weights(*convs, **named):
    """The weights of one PyG layer by the names of its model's inputs; of several
    layers with the prefixes of a stack, "layer1_" and so on. Layers by name have
    that name and "_" before theirs: `weights(pre=linear, pre_norm=norm)`."""
    layers = [(f"layer{i}_" if len(convs) > 1 else "", conv)
              for i, conv in enumerate(convs, 1)]
    layers += [(name + "_", conv) for name, conv in named.items()]
    found = {}
    for prefix, conv in layers:
        kind = type(conv).__name__
        if kind not in _LAYERS:
            raise ValueError(f"expected a layer of {', '.join(_LAYERS)}, got "
                             f"{kind}")
        for name, array in _LAYERS[kind](conv).items():
            found[prefix + name] = np.ascontiguousarray(array)
    return found
