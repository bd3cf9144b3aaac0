# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices by name, and functions of packages bound on them."""

import ctypes
import logging

from . import capi, compiler_capi, interop, running, signatures, targets, types
from .placed_graph import PlacedGraph

_DEVICES = {}
_log = logging.getLogger("gnn_mlir")


def open_device(device=None):
    """A device by name, opened once."""
    if isinstance(device, capi.Device):
        return device
    name = str(device or targets.EMULATOR)
    if name not in _DEVICES:
        _DEVICES[name] = _open(name, device)
    return _DEVICES[name]


def _open(name, device):
    kind, _, ordinal = name.partition(":")
    if kind == targets.CUDA and (name == kind or ordinal.isdigit()):
        return capi.Device.cuda(int(ordinal or 0))
    if name in targets.ALL:
        return getattr(capi.Device, name)()
    if not capi.has_compiler() or name not in compiler_capi.targets():
        raise ValueError(f"device: expected cpu, cuda:N or emulator, got "
                         f"{types.described(device)}")
    return capi.Device(capi.made("gnnDeviceOpen", name.encode()))


def processors():
    """The processors that shared objects are made for and this machine has, the widest first:
    whether each is one of those that serve most machines, by its name."""
    found = signatures.described(capi.library().gnnProcessor, signatures.Processor)
    return {one.name.decode(): one.common for one in found if one.present}


def processors_to_save():
    """The processors whose objects give the bits of this machine, and serve most others."""
    return [name for i, (name, is_common) in enumerate(processors().items())
            if i == 0 or is_common]


def has_gpu():
    """Whether there is a GPU with its driver."""
    count = ctypes.c_int()
    try:
        capi.call("gnnCudaDeviceCount", ctypes.byref(count))
    except capi.GNNError:
        return False
    return count.value > 0


def describe_gpu(ordinal):
    """The driver's description of a GPU, which `chip` of a compilation may
    be."""
    device = open_device(f"{targets.CUDA}:{ordinal}")
    return capi.library().gnnDeviceDescribeGPU(device.handle).decode()


def kind_of(target, chip):
    """The kind of target to compile for: where none is named, a GPU where `chip` is one that
    was chosen, else the cores of this machine."""
    return target or (targets.CUDA if chip else targets.CPU)


def bind(package, name, graphs, device, called=None):
    """A function of a package, bound. `called` is what its caller knows, where it is a
    pass of that."""
    try:
        return bind_graphs(package, name, graphs, device)
    except capi.GNNError as error:
        if (device.kind == targets.EMULATOR and package.kernels("ptx") and
                not package.kernels("mlir")):
            raise capi.GNNError(f"function {(called or name)!r}: expected inputs on a GPU, for which "
                                "alone it was compiled (target='cuda'), got them on the "
                                "CPU") from None
        if called not in (None, name):
            error.args = (str(error).replace(f"'{name}'", f"'{called}'"),)  # Its kind stays.
        raise error


def bind_graphs(package, name, graphs, device, progress=None):
    """A function of a package, bound to graphs in the order of its declarations."""
    if not any(isinstance(graph, PlacedGraph) for graph in graphs):
        return capi.BoundFunction(package, name, graphs, device, progress=progress)
    return bind_all(package, [name], dict(zip(package.signature(name)["graphs"], graphs)),
                    device)[0]


def bind_all(package, names, graphs, device):
    """Functions of a package, bound to graphs by name."""
    count = sum(isinstance(graph, PlacedGraph) for graph in graphs.values())
    if not count:
        return capi.BoundFunction.of_all(package, names, graphs, device)
    if count < len(graphs):
        raise ValueError("expected graphs of one kind, got Graphs and TensorGraphs")
    return next(iter(graphs.values())).bind_all(package, names, graphs, device)


def of_graphs(graphs):
    """Where graphs of tensors are; None for others, which are on the host."""
    return next((graph.place for graph in graphs if isinstance(
        graph, PlacedGraph) and graph.place != targets.CPU), None)


def is_tensor(value):
    return hasattr(value, "data_ptr")


def place(inputs, host=targets.CPU):
    """Where the inputs are: "cuda:N", or `host`."""
    there, first = None, None
    for name, value in inputs.items():
        device = value.device if is_tensor(value) else targets.CPU
        if device == there or device == targets.CPU and running.is_integer(value):
            continue
        if there is not None and _place_of(device) != _place_of(there):
            raise ValueError(f"expected all inputs on one device, got {first!r} on "
                             f"{_place_of(there)} and {name!r} on {_place_of(device)}")
        there, first = device, first or name
    return host if _place_of(there) == targets.CPU else _place_of(there)


def _place_of(device):
    """The target of a device of torch, of the host, or of nothing."""
    if device in (None, targets.CPU) or targets.is_host(device):
        return targets.CPU
    return f"{device.type}:{device.index or 0}"


def host_of(package):
    """The device for inputs on the CPU: kernels of one thread a block are for it, others
    are emulated."""
    one = {"op": "const", "value": 1}
    alone = all(plan["exprs"][i] == one for plan in package.plan()["functions"]
                for step in plan["steps"] for i in step["block"])
    return targets.CPU if alone else targets.EMULATOR


def tell_of_code(package, path):
    """Logs that a package from a file has code, which runs here unchecked."""
    if any(package.kernels(f"{name}.so") for name in processors()):
        _log.info("%s has shared objects, which run in this process unchecked", path)


def tell_of_model(path, kinds):
    """The same of a saved model for these kinds of targets."""
    if targets.CPU in kinds:
        _log.info("%s has shared objects, which run in this process unchecked", path)


def run(bound, inputs, launch=None):
    """The outputs in order, after `launch` (None: the run) has got all addresses.
    `inputs` are checked by name."""
    launch = launch or bound.run
    there = place(inputs)
    is_gpu = bound.device.kind == targets.CUDA
    if there != targets.CPU and not is_gpu:
        raise ValueError(f"{bound.name} is bound to the {bound.device.name}, expected inputs "
                         f"on the CPU, got them on {there}")
    if not is_gpu:
        how = running.on_host
    else:
        how = interop.run_on_stream if there != targets.CPU else running.through_copies
    outputs = how(bound, [inputs[i.name] for i in bound.inputs], launch)
    if there == targets.CPU and any(is_tensor(v) for v in inputs.values()):
        outputs = interop.tensors(outputs)
    return outputs
