# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Saved models: what `gnn_mlir.export` and `save` of a compiled model write, run without torch.

    model = gnn_mlir.load("model.gnnpkg")
    out = model(x, edge_index)           # arguments as forward has them
    bound = model.bind(x, edge_index)    # the graph once, then runs
    out = bound(x)
"""

import ctypes
import errno
import json
import os
import re
import threading
import zipfile

import numpy as np

from . import capi, devices, paths, running, signatures, targets, types
from .graph import Graph

_IDS = {"i64": np.int64, "i32": np.int32}
_MANIFEST, _PLAN = "model.json", "plan.json"
_TORCH = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19"  # Files of torch.save that are no archives.
# The library's errors of arguments, and of the conditions on their sizes.
_OF_ARGUMENTS = re.compile(r"argument '|expected (.*), as of the arguments that the model was saved for")
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


def check_package(path):
    """Raises FileNotFoundError where there is no file, and ValueError for one of another kind
    than a package."""
    name = os.fsdecode(paths.encoded(path))
    if not os.path.isfile(name):
        if os.path.exists(name) or os.path.islink(name):
            return
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    try:
        with open(name, "rb") as file:
            begin = file.read(len(_TORCH))
        with zipfile.ZipFile(name) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile:
        if begin.startswith(paths.ZIP):  # The library says what is wrong of the archive.
            return
        names = None
    except (OSError, NotImplementedError, UnicodeError):
        return
    if names is None:
        got = "a file of torch.save" if begin == _TORCH else (
            "a file that is no zip archive" if begin else "an empty file")
    elif _PLAN in names:
        return
    elif any(one.endswith("/data.pkl") for one in names):
        got = "a file of torch.save"
    elif names and all(one.endswith(".npy") and "/" not in one for one in names):
        got = "an .npz file of arrays"
    else:
        got = f"a zip archive without {_MANIFEST} and {_PLAN}"
    raise ValueError(f"{name}: expected a file of gnn_mlir.export or compiled.save, got {got}")


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
    """A saved model, which `load` returns.

    A call takes and returns what `forward` of the model does, with arrays of NumPy or tensors:
    features are float32, ids int64 or int32. Features on a GPU stay there and are run on torch's
    current stream. Arrays run on the `device` of `load`. By default it is a GPU if the model was
    saved for one, else the first target that the model was saved for and that this machine has."""

    def __init__(self, path, device, make_function):
        """`make_function` makes a `CompiledFunction` of a package and a name."""
        self._model, self._make_function = _Handle.load(path), make_function
        self.manifest = json.loads(capi.library().gnnModelManifest(self._model.handle))
        _check_signature(self.manifest["signature"])
        self.name, self._signature = self.manifest["name"], self.manifest["signature"]
        there = [(one.kind.decode(), one.chip.decode()) for one in signatures.described(
            capi.library().gnnModelTarget, signatures.ModelTarget, self._model.handle)]
        self.targets = list(dict.fromkeys(kind for kind, _ in there))
        self._saved_for = f"{os.fsdecode(paths.encoded(path))}: saved for " + " and ".join(
            f"{kind} ({chip})" if chip else kind for kind, chip in there)
        devices.tell_of_model(path, self.targets)
        if device is not None:
            self._check_target(device, f"device={str(device)!r}")
        self._device, self._bound, self._lock = device, [], threading.Lock()

    def __repr__(self):
        arguments = ", ".join(f"{one['name']}: {_described(one)}"
                              for one in self.manifest["arguments"])
        return f"SavedModel({self.name}({arguments}) on {' or '.join(self.targets)})"

    @property
    def parameters(self):
        """The parameters as arrays, a dict by name."""
        return {one["name"]: self._parameter(one["name"]) for one in self.manifest["parameters"]}

    def _parameter(self, name):
        index, said = next((i, one) for i, one in enumerate(self.manifest["parameters"])
                           if one["name"] == name)
        data = capi.library().gnnModelParameterData(self._model.handle, index)
        return np.frombuffer(ctypes.string_at(data.data, data.bytes) if data.bytes else b"",
                             running.dtype_of(name, said["dtype"])).reshape(said["shape"])

    def bind(self, *args, **kwargs):
        """Binds the model to the graphs of a call.

        Args:
            args, kwargs: the arguments of a call. Ids are uploaded; only the shapes and the
                device of features matter.

        Returns:
            A bound model, which is called with features alone."""
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
        """The program of the model for a call.

        Args:
            args, kwargs: the arguments of the call.

        Returns:
            A `CompiledFunction` for the device of the call, its graphs by name, and its inputs by
            name, which include the parameters. If the model was saved with `gradients`, the
            function has `forward` and `gradients`."""
        if len(self.manifest["calls"]) > 1:
            raise ValueError(f"{self.name}: expected a model of one function, got layers on the "
                             "rows of arguments before its program")
        call, = self.manifest["calls"]
        given = self._arguments(args, kwargs)
        device = self._open(self._place(given))
        function = self._make_function(capi.Package(capi.made(
            "gnnModelCallPackage", self._model.handle, 0, device.handle)), call["function"])
        values = self._values(given)
        graphs = {one["name"]: Graph.of_native(capi.NativeGraph(self._call(
            "gnnModelMakeGraph", given, i, values, len(values))))
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
        by_name, leaves = given, self._leaves(given)
        leaves |= {name: None for name, value in given.items()
                   if value is None and name in self._signature["constants"]}
        found = {}
        for one in self.manifest["arguments"]:
            if one["name"] not in leaves:
                self._refuse_missing(one, by_name)
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

    def _refuse_missing(self, said, given):
        """Raises ValueError for an argument that is there as something else, or is that of a node
        type or relation."""
        _refuse_containers(said["name"], _described(said), given)
        name, dot, key = said["name"].rpartition(".")
        relations = [tuple(words) for one in self.manifest["arguments"] if one["role"] == "ids"
                     for words in [one["name"].rpartition(".")[2].split("__")] if len(words) == 3]
        what = None
        if said["role"] == "features" and any(key in one[::2] for one in relations):
            what = f"features of node type {key!r}"
        elif tuple(key.split("__")) in relations:
            what = f"edges of the relation {tuple(key.split('__'))}"
        if dot and what:
            there = [one.rpartition(".")[2] for value in [given.get(name)] if value is not None
                     for one, _ in flatten(name, value)]
            raise ValueError(f"{name}: expected {what}, {_described(said)}, got "
                             f"{'those of ' + types.listed(there) if there else 'none'}")

    def _place(self, given):
        there = devices.place({name: one for name, (_, _, one) in given.items()
                               if one is not None}, None)
        return there or self._device or _first(self.targets)

    def _check_target(self, place, got):
        """Raises ValueError where the file has no kernels for a device by name."""
        kind = getattr(place, "kind", None) or str(place).partition(":")[0]
        if kind not in self.targets:
            raise ValueError(f"{self._saved_for}; got {got}, for which gnn_mlir.export saves with "
                             f"targets={[*self.targets, kind]}")

    def _open(self, place):
        """The device at a place."""
        self._check_target(place, f"tensors on {place}")
        try:
            return devices.open_device(place)
        except capi.GNNError:
            if str(place).partition(":")[0] != targets.CUDA or devices.has_gpu():
                raise
            raise ValueError(f"{self._saved_for}; got cpu, as this machine has no GPU") from None

    def _call(self, name, given, *arguments):
        """What the library gives of arguments; ValueError for wrong ones."""
        try:
            return capi.made(name, self._model.handle, *arguments)
        except capi.GNNError as error:
            found = _OF_ARGUMENTS.match(str(error))
            if not found:
                raise
            raise ValueError(self._condition(found, given) or str(error)) from None

    def _condition(self, found, given):
        """The error of a condition that arguments do not keep, with the extents that it is of."""
        said = next((one for one in self.manifest["conditions"] if one["text"] == found[1]), None)
        if said is None:
            return None
        extents = dict.fromkeys((*_extents(said["left"]), *_extents(said["right"])))
        got = types.listed(f"{name}.size({dim}) = {given[name][0][dim]}" for name, dim in extents)
        return f"{self.name}: {found[0]}, got {got}" if extents else None

    def _values(self, given):
        """Arguments as C has them."""
        found = [_value(one, *given[one["name"]][:2]) for one in self.manifest["arguments"]]
        return (signatures.Array * len(found))(*found)

    def _bind(self, given, place):
        device = self._open(place)
        values = self._values(given)
        return BoundModel(self._call("gnnModelBind", given, values, len(values), device.handle,
                                     None), self, device)


def _first(kinds):
    """A GPU where it is one of these kinds of targets and there, else the first that is there."""
    def is_there(kind):
        return devices.has_gpu() if kind == targets.CUDA else (
            kind == targets.CPU or capi.has_compiler())
    there = list(filter(is_there, kinds)) or kinds or [targets.CUDA]
    return targets.CUDA if targets.CUDA in there else there[0]


def _extents(count):
    """(argument, dim) of what a number of rows is the sum of."""
    if isinstance(count, list):
        return [one for part in count for one in _extents(part)]
    return [(count["argument"], count["dim"])] if isinstance(count, dict) else []


def _refuse_containers(name, expected, given):
    """Raises ValueError where a list or tuple stands in the place of an array: `given` are
    arguments by name."""
    value = given
    for part in name.split("."):
        if isinstance(value, (list, tuple)):
            value = dict(enumerate(value))
        if not isinstance(value, dict):
            return
        value = next((one for key, one in value.items() if part == (
            "__".join(map(str, key)) if isinstance(key, tuple) else str(key))), None)
    if isinstance(value, (list, tuple)):
        raise ValueError(f"{name}: expected an array or a tensor, {expected}, got a "
                         f"{type(value).__name__}")


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
    """A saved model that is bound to its graphs.

    A call takes the features of `forward` without ids: by position, in the order of the arguments,
    or by name."""

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
            for info in self.inputs:
                if info.name not in leaves:
                    _refuse_containers(info.name, f"{info.dtype}{list(info.shape)}", given)
            got = types.listed((*leaves, *kwargs.keys() & set(own[:len(args)]))) or "nothing"
            if len(args) > len(own):
                got = f"{len(args)} by position"
            alone = ": a bound model takes features alone" if len(args) > len(own) or (
                kwargs.keys() & set(names) - set(own)) else ""
            raise ValueError(f"{self.name}: expected {types.listed(own)}, each once, got {got}{alone}")
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
