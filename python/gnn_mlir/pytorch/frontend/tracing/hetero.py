# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`HeteroConv` as one op while torch traces, whose layers are traced by `templates`.

Torch takes a tenth of a second for each layer that it traces, and a HeteroConv has one for
each relation. Where all of them are layers of PyG as PyG has them, without hooks, the
model's graph has one op, which knows the module; its parameters are no inputs that torch
guards. So what torch would guard is noted here: attributes, hooks, modules within, what
parameters are. A call of a compiled model compares that before torch looks at its guards,
and gives a HeteroConv that has changed another version, which is one of torch's guards.
"""

import itertools
import threading
import weakref

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch._subclasses.functional_tensor import FunctionalTensor

from .... import targets
from . import intercept, templates

OPS = torch.ops.gnn_mlir
_guards = torch._C._dynamo.guards
_version = getattr(_guards, "dict_version", None)

_capturing = threading.local()  # `known`, the `Known` of the model that a thread captures.
_lock = threading.RLock()  # The lock of the notes on layers.
_uses = weakref.WeakValueDictionary()  # By number, as long as the HeteroConv lives.

# Layers whose results depend on attributes, parameters and arguments alone, and have a row
# for each destination; and what they are made of.
_LAYERS = ("SAGEConv", "GraphConv", "GATConv", "GATv2Conv", "TransformerConv",
           "ResGatedGraphConv")
_PARTS = ("HeteroConv", "Linear", "SumAggregation", "MeanAggregation", "MaxAggregation",
          "MinAggregation")
_TORCH = (torch.nn.Sigmoid, torch.nn.Tanh, torch.nn.ReLU)
_METHODS = ("__call__", "forward", "propagate", "message", "aggregate", "update",
            "edge_update")
_CONTAINERS = ("_parameters", "_buffers", "_modules", "_non_persistent_buffers_set")


class _Unknown(Exception):
    """A module that torch has to trace."""


def kinds():
    """(layers, all modules) that are taken, of PyG's as it is loaded."""
    from torch_geometric import nn
    from torch_geometric.nn.module_dict import ModuleDict
    layers = {getattr(nn, name) for name in _LAYERS}
    parts = {getattr(nn, name, None) or getattr(nn.aggr, name) for name in _PARTS}
    return layers, layers | parts | {ModuleDict, *_TORCH}


def signature(module, taken):
    """All that results of a module depend on but the values of its parameters. Raises
    _Unknown where that is not known."""
    cls, own = type(module), vars(module)
    if cls not in taken or "forward" in own:
        raise _Unknown(cls)
    found = [cls, *(getattr(cls, name, None) for name in _METHODS)]
    for name, value in own.items():
        if "_hook" in name:
            if value:
                raise _Unknown(name)
        elif name not in (*_CONTAINERS, "inspector", "_captured_as"):
            found.append((name, _plain(value)))
    if any(one is not None for one in own["_buffers"].values()) or own.get("_explain"):
        raise _Unknown(cls)
    found += [(name, one if one is None else _tensor(one))
              for name, one in own["_parameters"].items()]
    found += [(name, one if one is None else signature(one, taken))
              for name, one in own["_modules"].items()]
    return tuple(found)


def _plain(value):
    if value is None or type(value) in (bool, int, float, str):
        return type(value), value
    if type(value) in (list, tuple):
        return type(value), *map(_plain, value)
    raise _Unknown(value)


def _tensor(value):
    if type(value) is not torch.nn.Parameter or value.layout is not torch.strided:
        raise _Unknown(value)
    return value.shape, value.stride(), value.dtype, value.device, value.requires_grad


class Layer:
    """A HeteroConv, and what of it is taken for constant."""

    def __init__(self, module):
        self._module, self._versions, self._found = weakref.ref(module), {}, None
        self.signatures = None  # By relation, None where torch traces its layer.
        self.uses = []
        # Checks of parameters, one for each of torch's modes, which have dispatch keys of
        # their own.
        self._checks = []
        self.settle()

    def settle(self):
        """Notes what there is now, under a version that is its own."""
        module = self._module()
        modules = list(module.modules())
        self._dicts = [d for one in modules for d in (
            vars(one), one._parameters, one._modules) if d]
        self._seen = list(map(_version, self._dicts))
        self._hooks = [hooks for one in modules for name, hooks in vars(one).items()
                       if "_hook" in name and hooks is not None]
        layers, taken = kinds()
        try:
            found = signature(module, taken)
            convs = {relation: conv for relation, conv in module.convs.items()}
            if any(type(conv) not in layers for conv in convs.values()) or len(modules) < len(
                    list(module.named_modules(remove_duplicate=False))):
                raise _Unknown(module)
            self.signatures = {relation: signature(conv, taken)
                               for relation, conv in convs.items()}
        except _Unknown:
            found = self.signatures = None
        self._inner, self._types = modules[1:], list(map(type, modules))
        self._classes = set(self._types)
        self._methods = self._of_classes()
        # The captured code reads these dicts. They are part of a key by their ids,
        # which are those of no other dicts while `_versions` holds them.
        places = [one._parameters for one in modules]
        key = found, *map(id, places)
        if key not in self._versions:
            self._versions[key] = str(next(_numbers)), places
        version, _ = self._versions[key]
        _captured[version] = module
        if module._captured_as != version:
            module._captured_as = version
            self._seen = list(map(_version, self._dicts))
        self._parameters = [x for one in modules for x in one._parameters.values()
                            if x is not None]
        self._checks = self._checks[-3:] if found == self._found else []
        self._found = found
        if found is not None:
            self._checks.append(_guards.TensorGuards(
                *self._parameters, dynamic_dims_sizes=None, dynamic_dims_strides=None))

    def _of_classes(self):
        return [getattr(cls, name, None) for cls in self._classes for name in _METHODS]

    def holds(self):
        """Whether nothing has changed."""
        return (list(map(_version, self._dicts)) == self._seen and not any(self._hooks) and
                [type(self._module()), *map(type, self._inner)] == self._types and
                self._of_classes() == self._methods and (self.signatures is None or any(
                    check.check(*self._parameters) for check in self._checks)))


_layers = weakref.WeakKeyDictionary()
_numbers = itertools.count(1)
_captured = weakref.WeakValueDictionary()  # The module that has a version.


class Known:
    """The HeteroConvs of a model that are ops in what is captured of it."""

    def __init__(self, model):
        self._model, self.used = model, []

    def settle(self):
        """Notes what has changed."""
        for layer in self.used:
            if not layer.holds():
                with _lock:
                    layer.settle()

    def capturing(self, function, *args, **kwargs):
        """Runs what captures the model."""
        with _lock:
            for module in self._model.modules():
                if hasattr(module, "_captured_as"):
                    layer = _layers.get(module)
                    if layer is None:
                        _layers[module] = Layer(module)
                    elif not layer.holds():
                        layer.settle()
        before = getattr(_capturing, "known", None)
        _capturing.known = self
        try:
            return function(*args, **kwargs)
        finally:
            _capturing.known = before

    def of(self, module):
        """The Layer of a module, which calls compare from now on; None of others."""
        layer = _layers.get(module)
        if layer is not None and layer not in self.used:
            self.used.append(layer)
        return layer


class Use:
    """A HeteroConv on features of node types and on relations, in their order."""

    def __init__(self, module, layer, names, relations):
        self._module, self.names, self.relations = weakref.ref(module), names, relations
        self._signatures = layer.signatures
        self.used = [one for one in layer.signatures if one in relations]
        self.outputs = tuple(dict.fromkeys(one[-1] for one in self.used))
        self.aggr = module.aggr

    def run(self, xs, edges):
        """By the module itself."""
        made = self._module()(dict(zip(self.names, xs)), dict(zip(self.relations, edges)))
        return [made[name] for name in self.outputs]

    def calls(self, xs, edges):
        """(relation, layer, its signature, tensors) of all relations."""
        convs = self._module().convs
        x, edge = dict(zip(self.names, xs)), dict(zip(self.relations, edges))
        for relation in self.used:
            src, _, dst = relation
            given = [x[src]] if src == dst else [x[src], x[dst]]
            yield relation, convs[relation], self._signatures[relation], [
                *given, edge[relation]]

    def fakes(self, xs, edges):
        """The results for fake tensors, or for those made functional, which comes after
        them."""
        wants = any(x.requires_grad for x in xs) or torch.is_grad_enabled() and any(
            x.requires_grad for x in self._module().parameters())
        if isinstance(xs[0], FakeTensor):
            self._features = self._features_of(xs, edges)
        rows = dict(zip(self.names, xs))
        made = [rows[name].new_empty([rows[name].shape[0], *self._features[name]])
                for name in self.outputs]
        return [x.requires_grad_().clone() for x in made] if wants else made

    def _features_of(self, xs, edges):
        """The outputs by their names."""
        found = {}
        for x in xs:
            int(x.shape[1])  # Sizes of features are numbers: weights have them.
        for relation, conv, signed, tensors in self.calls(xs, edges):
            features = templates.of(conv, signed, tensors).features
            if found.setdefault(relation[-1], features) != features:
                raise ValueError(f"{relation}: expected features of {list(found[relation[-1]])} "
                                 f"as of other relations, got {list(features)}")
        return found


@torch._dynamo.assume_constant_result
def use(version, names, relations):
    """(number, names of outputs) of a use of the HeteroConv that has the version, () where
    torch has to trace it."""
    module, known = _captured.get(version), getattr(_capturing, "known", None)
    if module is None or known is None or _version is None or any(
            map(torch.is_autocast_enabled, targets.OF_TORCH)):
        return ()
    layer = known.of(module)
    if layer is None or layer.signatures is None or module._captured_as != version:
        return ()
    made = Use(module, layer, names, relations)
    if len(made.used) < 2 or module.aggr not in ("sum", "mean") or any(
            end not in names for one in made.used for end in one[::2]):
        return ()
    number = str(next(_numbers))
    _uses[number] = made
    layer.uses.append(made)
    return number, *made.outputs


def of_number(number):
    return _uses[number]


def forward(self, *args_dict, **kwargs_dict):
    """HeteroConv's, as torch traces it."""
    if kwargs_dict or len(args_dict) != 2 or not torch.compiler.is_dynamo_compiling():
        return NotImplemented
    xs, edges = list(args_dict[0].values()), list(args_dict[1].values())
    for x in xs:
        if not isinstance(x, torch.Tensor) or x.dim() != 2 or x.dtype is not xs[0].dtype or (
                not x.is_floating_point()):
            return NotImplemented
    for one in edges:
        if not isinstance(one, torch.Tensor) or one.dim() != 2 or one.dtype is not (
                torch.int64) or one.size(0) != 2:
            return NotImplemented
    number = use(self._captured_as, tuple(args_dict[0]), tuple(args_dict[1]))
    if not number:
        return NotImplemented
    made = OPS.hetero_conv(number[0], xs, edges)
    return {name: rows for name, rows in zip(number[1:], made)}


def install():
    """Sends PyG's functions and layers to ops, HeteroConv too."""
    intercept.install()
    try:
        from torch_geometric.nn import HeteroConv
    except ImportError:
        return
    if not hasattr(HeteroConv, "_captured_as"):
        HeteroConv._captured_as = ""
        intercept.wrap(HeteroConv, "forward", forward)


def _op(number, xs, edges):
    made = of_number(number)
    if isinstance(xs[0], (FakeTensor, FunctionalTensor)):
        return made.fakes(xs, edges)
    return made.run(xs, edges)


_library = torch.library.Library("gnn_mlir", "FRAGMENT")
_library.define("hetero_conv(str number, Tensor[] xs, Tensor[] edges) -> Tensor[]")
_library.impl("hetero_conv", _op, "CompositeImplicitAutograd")
