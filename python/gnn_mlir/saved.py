# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Saved models: what `gnn_mlir.export` and `save` of a compiled model write, run without torch.

    model = gnn_mlir.load("model.gnnpkg")
    out = model(x, edge_index)           # arguments as forward has them
    bound = model.bind(x, edge_index)    # the graph once, then runs
    out = bound(x)
"""

import ctypes
import json
import os
import threading
import zipfile

import numpy as np

from . import capi, devices, paths, running, signatures, targets, types
from .graph import Graph

_IDS = {"i64": np.int64, "i32": np.int32}
_MANIFEST = "model.json"
_MISSING = object()
_KEPT = 4  # Graphs that a model stays bound to.


def flatten(name, value):
    """(name, leaf) of an argument or a result: entries of a dict have its name and their key
    behind a dot, "x_dict.paper" and "edge_index_dict.author__writes__paper", those of a list or
    tuple their place. None has no leaf."""
    if value is None:
        return []
    if isinstance(value, dict):
        entries = [(_key(name, key), one) for key, one in value.items()]
    elif isinstance(value, (list, tuple)):
        entries = list(enumerate(value))
    else:
        return [(name, value)]
    return [leaf for key, one in entries
            for leaf in flatten(f"{name}.{key}" if name else str(key), one)]


def _key(name, key):
    words = key if isinstance(key, tuple) else (key,)
    if not all(isinstance(word, str) and "." not in word for word in words):
        raise ValueError(f"{name}: expected keys that are texts without a dot, or tuples of these, "
                         f"got {key!r}")
    return "__".join(words)


def is_model(path):
    """Whether a file is a saved model; False of one that is no archive or is not there, too.
    Raises ValueError for a folder, and for what is no path."""
    name = paths.encoded(path)
    if os.path.isdir(name):
        raise ValueError(f"path: expected a file, got the folder {os.fsdecode(name)!r}")
    if not os.path.isfile(name):  # Devices have no end.
        return False
    try:
        with zipfile.ZipFile(os.fsdecode(name)) as archive:
            return _MANIFEST in archive.namelist()
    except (zipfile.BadZipFile, OSError, NotImplementedError, UnicodeError):
        return False


def is_array(value):
    """Whether it is an array or a tensor."""
    return not types.is_nested(value) and all(
        hasattr(value, name) for name in ("shape", "dtype", "__array__"))


def _value(said, shape, ids):
    """GnnArray of an argument."""
    dtype = said["dtype"] if ids is None else next(
        name for name, one in _IDS.items() if ids.dtype == one)
    return signatures.Array(
        said["name"].encode(), dtype.encode(), len(shape), (ctypes.c_int64 * len(shape))(*shape),
        None if ids is None else ids.ctypes.data)


def _check_signature(signature):
    """Raises GNNError where the part of a manifest that the library leaves to Python is not
    sound."""
    def is_tree(tree):
        if tree is None or isinstance(tree, str):
            return True
        if not isinstance(tree, dict) or len(tree) != 1:
            return False
        (kind, parts), = tree.items()
        return isinstance(parts, {"dict": dict, "tuple": list, "list": list}.get(kind, ())) and all(
            map(is_tree, parts.values() if kind == "dict" else parts))
    if not isinstance(signature, dict):
        raise capi.GNNError(f"signature: expected an object, got {signature!r}"[:200])
    kinds = {"arguments": list, "constants": dict, "defaults": dict, "unused": dict}
    for name, kind in kinds.items():
        found = signature.get(name)
        if not isinstance(found, kind) or not all(isinstance(one, str) for one in found):
            raise capi.GNNError(f"signature.{name}: expected names, got {found!r}"[:200])
    for name, said in signature["unused"].items():
        if not isinstance(said, dict) or not isinstance(said.get("dtype"), str) or (
                type(said.get("rank")) is not int):
            raise capi.GNNError(f"signature.unused.{name}: expected a dtype and a rank, got "
                                f"{said!r}"[:200])
    if not is_tree(signature.get("outputs")):
        raise capi.GNNError(f"signature.outputs: expected names of outputs in dicts, lists and "
                            f"tuples, got {signature.get('outputs')!r}"[:200])


class SavedModel(capi.Shared):
    """A saved model. Calls take and give what `forward` of the model does, with arrays of NumPy
    or tensors in place of tensors: float32 features, and ids of int64 or int32. Features on a
    GPU stay there, and are run on torch's current stream; `device` is for arrays, by default a
    GPU where it was saved for one, else the first that it was saved for and that is there."""

    def __init__(self, path, device, make_function):
        """`make_function` makes a `CompiledFunction` of a package and a name."""
        self._model, self._make_function = _Handle.load(path), make_function
        self.manifest = json.loads(capi.library().gnnModelManifest(self._model.handle))
        _check_signature(self.manifest["signature"])
        self.name, self._signature = self.manifest["name"], self.manifest["signature"]
        self.targets = list(dict.fromkeys(one.kind.decode() for one in signatures.described(
            capi.library().gnnModelTarget, signatures.ModelTarget, self._model.handle)))
        devices.tell_of_model(path, self.targets)
        self._device, self._bound, self._lock = device, [], threading.Lock()

    def __repr__(self):
        arguments = ", ".join(f"{one['name']}: {_described(one)}"
                              for one in self.manifest["arguments"])
        return f"SavedModel({self.name}({arguments}) on {' or '.join(self.targets)})"

    @property
    def parameters(self):
        """The parameters by name, as arrays."""
        return {one["name"]: self._parameter(one["name"]) for one in self.manifest["parameters"]}

    def _parameter(self, name):
        index, said = next((i, one) for i, one in enumerate(self.manifest["parameters"])
                           if one["name"] == name)
        data = capi.library().gnnModelParameterData(self._model.handle, index)
        return np.frombuffer(ctypes.string_at(data.data, data.bytes) if data.bytes else b"",
                             running.dtype_of(name, said["dtype"])).reshape(said["shape"])

    def bind(self, *args, **kwargs):
        """The model on the graphs of a call's arguments: binds and uploads once. Of features the
        shapes and the device alone matter."""
        given = self._arguments(args, kwargs)
        return self._bind(given, self._place(given))

    def __call__(self, *args, **kwargs):
        given = self._arguments(args, kwargs)
        place = self._place(given)
        found = next((one for one in self._bound if one[0] == place and
                      _are_equal(one[1], given)), None)
        if found is None:
            copies = {name: (shape, None if ids is None else ids.copy(), None)
                      for name, (shape, ids, _) in given.items()}
            found = place, copies, self._bind(given, place)
        with self._lock:  # The last one is used last.
            others = [one for one in self._bound if one is not found]
            self._bound = [*others[1 - _KEPT:], found]
        return found[2]._run(given)

    def program(self, *args, **kwargs):
        """(function, graphs, inputs) of a call: the `CompiledFunction` of the model's program for
        the device of a call, its graphs by name, and its inputs by name, parameters among them.
        Of a model that was saved with `gradients` it has `forward` and `gradients`."""
        if len(self.manifest["calls"]) > 1:
            raise ValueError(f"{self.name}: expected a model of one function, got layers on the "
                             "rows of arguments before its program")
        call, = self.manifest["calls"]
        given = self._arguments(args, kwargs)
        device = devices.open_device(self._place(given))
        function = self._make_function(capi.Package(capi.made(
            "gnnModelCallPackage", self._model.handle, 0, device.handle)), call["function"])
        values = self._values(given)
        graphs = {one["name"]: Graph.of_native(capi.NativeGraph(capi.made(
            "gnnModelMakeGraph", self._model.handle, i, values, len(values))))
            for i, one in enumerate(self.manifest["graphs"])}
        return function, graphs, {one["name"]: self._input(one, given) for one in call["inputs"]}

    def _input(self, said, given):
        """An input of the program, of parameters or of rows that are one argument."""
        if "parameters" in said:
            own = list(map(self._parameter, said["parameters"]))
            return own[0] if len(own) == 1 else np.concatenate([x.reshape(-1) for x in own])
        if len(said["rows"]) > 1 or not isinstance(said["rows"][0], str):
            raise ValueError(f"{self.name}: expected rows of one argument for {said['name']!r}, "
                             "got several")
        return given[said["rows"][0]][2]

    def _leaves(self, given):
        """Those of arguments, by name."""
        found = [leaf for name, value in given.items() for leaf in flatten(name, value)]
        leaves = dict(found)
        if len(leaves) < len(found):
            names = [name for name, _ in found]
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"{self.name}: expected arguments of different names, got two of "
                             f"{twice!r}")
        return leaves

    def _arguments(self, args, kwargs):
        """(shape, ids on the host or None, features or None) of each argument, by name."""
        names = self._signature["arguments"]
        if len(args) > len(names):
            raise ValueError(f"{self.name}: expected at most {len(names)} arguments "
                             f"({types.listed(names)}), got {len(args)}")
        given = dict(zip(names, args))
        for name, value in kwargs.items():
            if name not in names or name in given:
                raise ValueError(f"{self.name}: expected arguments {types.listed(names)}, each "
                                 f"once, got {name!r}")
            given[name] = value
        leaves = self._leaves(given)
        leaves |= {name: None for name, value in given.items()
                   if value is None and name in self._signature["constants"]}
        found = {}
        for one in self.manifest["arguments"]:
            if one["name"] not in leaves:
                raise ValueError(f"{self.name}: expected {one['name']}: {_described(one)}, got "
                                 f"{types.listed(leaves) or 'nothing'}")
            found[one["name"]] = _read(one, leaves.pop(one["name"]))
        defaults = self._signature["defaults"]
        for name, value in self._signature["constants"].items():
            given = leaves.pop(name, defaults.get(name, _MISSING))
            if type(given) is not type(value) or given != value:
                got = "none" if given is _MISSING else repr(given)
                raise ValueError(f"{self.name}: expected {name}={value!r}, with which it was "
                                 f"saved, got {got}")
        for name, said in self._signature["unused"].items():
            value = leaves.pop(name, None)  # Its values are not read, but the model asks for it.
            dtype = str(getattr(value, "dtype", None)).removeprefix("torch.")
            if not is_array(value) or (dtype, len(value.shape)) != (said["dtype"], said["rank"]):
                got = f"{dtype} of {len(value.shape)}" if is_array(value) else types.described(value)
                raise ValueError(f"{self.name}: expected {name} of {said['dtype']} and of "
                                 f"{said['rank']} dimensions, as it was saved, got {got}")
        if leaves:
            raise ValueError(f"{self.name}: expected no {next(iter(leaves))}, which it was saved "
                             "without, got one")
        return found

    def _place(self, given):
        there = devices.place({name: one for name, (_, _, one) in given.items()
                               if one is not None}, None)
        return there or self._device or _first(self.targets)

    def _values(self, given):
        """Arguments as C has them."""
        found = [_value(one, *given[one["name"]][:2]) for one in self.manifest["arguments"]]
        return (signatures.Array * len(found))(*found)

    def _bind(self, given, place):
        device = devices.open_device(place)
        values = self._values(given)
        handle = capi.made("gnnModelBind", self._model.handle, values, len(values),
                           device.handle, None)
        return BoundModel(handle, self, device)


def _first(kinds):
    """A GPU where it is one of these kinds of targets and there, else the first that is there."""
    def is_there(kind):
        return devices.has_gpu() if kind == targets.CUDA else (
            kind == targets.CPU or capi.has_compiler())
    there = list(filter(is_there, kinds)) or kinds or [targets.CUDA]
    return targets.CUDA if targets.CUDA in there else there[0]


def _described(one):
    return f"{one['dtype']}[{', '.join('?' if n < 0 else str(n) for n in one['shape'])}]"


def _read(said, value):
    """(shape, ids, features) of an argument; ValueError where it is another one."""
    if not is_array(value):
        raise ValueError(f"{said['name']}: expected an array or a tensor, {_described(said)}, "
                         f"got {types.described(value)}")
    shape = tuple(map(int, value.shape))
    fits = len(shape) == len(said["shape"]) and all(
        n in (-1, size) for n, size in zip(said["shape"], shape))
    dtype = str(value.dtype).removeprefix("torch.")
    running.check_dense(said["name"], value)
    if devices.is_tensor(value) and value.device.type == "meta":
        raise ValueError(f"{said['name']}: expected a tensor with values, got one on the meta "
                         "device, which has none")
    is_ids = said["role"] == "ids"
    names = [np.dtype(one).name for one in _IDS.values()] if is_ids else [
        np.dtype(running.dtype_of(said["name"], said["dtype"])).name]
    if not fits or dtype not in names:
        raise ValueError(f"{said['name']}: expected {' or '.join(names)} of shape "
                         f"{_described(said)[3:]}, got {dtype} of shape {list(shape)}")
    if not is_ids:
        return shape, None, value
    if hasattr(value, "detach"):
        value = value.detach().resolve_neg().cpu()
    return shape, np.ascontiguousarray(np.asarray(value)), None


def _are_equal(known, given):
    """Whether arguments have the shapes and ids of others."""
    return all(known[name][0] == shape and (ids is None or known[name][1].dtype == ids.dtype and
                                            np.array_equal(known[name][1], ids))
               for name, (shape, ids, _) in given.items())


class _Handle(capi._Handle):
    _release = "gnnModelRelease"
    _elsewhere = "load the file there"

    @classmethod
    def load(cls, path):
        return cls(capi.made("gnnModelLoad", paths.encoded(path)))


class BoundModel(capi._Handle):
    """A saved model on its graphs. A call takes the features alone, as `forward` has them: by
    position, in the order of its arguments, or by name; ids are left out."""

    _release = "gnnBoundModelRelease"
    _elsewhere = "load the model and bind it there"
    ready = None  # As of a bound function: structures are there.

    def __init__(self, handle, model, device):
        super().__init__(handle, (model, device))
        self.name, self.device, self.workspaces, self._model = model.name, device, [], model
        self.inputs, self.outputs = (
            [_info(handle, what, i) for i in range(getattr(
                capi.library(), f"gnnBoundModelNum{what}s")(handle))]
            for what in ("Input", "Output"))
        self.workspace_bytes = capi.library().gnnBoundModelWorkspaceBytes(handle)

    def __call__(self, *args, **kwargs):
        names = self._model._signature["arguments"]
        features = {info.name for info in self.inputs}
        own = [name for name in names if any(
            one == name or one.startswith(f"{name}.") for one in features)]
        given = dict(zip(own, args)) | kwargs
        leaves = self._model._leaves(given)
        if leaves.keys() != features or len(args) + len(kwargs) != len(given) or len(args) > len(own):
            got = types.listed((*leaves, *kwargs.keys() & set(own[:len(args)]))) or "nothing"
            if len(args) > len(own):
                got = f"{len(args)} by position"
            raise ValueError(f"{self.name}: expected {types.listed(own)}, each once, got {got}")
        return self._run({name: (None, None, leaves[name]) for name in features})

    def _run(self, given):
        inputs = {info.name: given[info.name][2] for info in self.inputs}
        outputs = devices.run(self, inputs, self._launch)
        return _structured(self._model._signature["outputs"], {
            info.name: one for info, one in zip(self.outputs, outputs)})

    def _launch(self, inputs, outputs, workspace=(None, 0), stream=None):
        capi.call("gnnBoundModelRun", self.handle, *signatures.Buffer.several(inputs),
                  *signatures.Buffer.several(outputs), signatures.Buffer(*workspace), stream)


def _info(handle, what, index):
    info = signatures.NativeTensorInfo()
    getattr(capi.library(), f"gnnBoundModel{what}")(handle, index, ctypes.byref(info))
    return signatures.TensorInfo(info.name.decode(), info.dtype.decode(), what.lower(), None,
                                 tuple(info.shape[:info.rank]))


def _structured(tree, leaves):
    """A result as `forward` gives it, of its leaves by name."""
    if isinstance(tree, str):
        if tree not in leaves:
            raise capi.GNNError(f"signature.outputs: expected outputs of the model, got {tree!r}")
        return leaves[tree]
    if tree is None:
        return None
    (kind, parts), = tree.items()
    if kind == "dict":
        return {key: _structured(one, leaves) for key, one in parts.items()}
    return {"tuple": tuple, "list": list}[kind](_structured(one, leaves) for one in parts)
