# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices by name, and functions of packages bound on them."""

from . import capi, running

_DEVICES = {}


def open_device(device=None):
    """A device by name, opened once."""
    if isinstance(device, capi.Device):
        return device
    name = str(device or "emulator")
    kind, _, ordinal = name.partition(":")
    if name not in ("emulator", "cpu") and (
            kind != "cuda" or (ordinal and not ordinal.isdigit())):
        raise ValueError(f"device: expected cpu, cuda:N or emulator, got {device!r}")
    if name not in _DEVICES:
        _DEVICES[name] = (capi.Device.cuda(int(ordinal or 0)) if kind == "cuda" else
                          getattr(capi.Device, name)())
    return _DEVICES[name]


def bind(package, name, graphs, device, called=None):
    """A function of a package, bound. `called` is what its caller knows, where it is a
    pass of that."""
    try:
        return capi.BoundFunction(package, name, graphs, device)
    except capi.GNNError as error:
        if (device.name.startswith("emulator") and package.kernels("ptx") and
                not package.kernels("mlir")):
            raise capi.GNNError(f"function {(called or name)!r}: expected inputs on a GPU, for which "
                                "alone it was compiled (target='cuda'), got them on the "
                                "CPU") from None
        if called not in (None, name):
            raise capi.GNNError(str(error).replace(f"'{name}'", f"'{called}'")) from None
        raise error


def is_tensor(value):
    return hasattr(value, "data_ptr")


def place(inputs, host="cpu"):
    """Where the inputs are: "cuda:N", or `host`."""
    there, first = None, None
    for name, value in inputs.items():
        device = value.device if is_tensor(value) else "cpu"
        if device == there or device == "cpu" and running.is_integer(value):
            continue
        if there is not None and _place_of(device) != _place_of(there):
            raise ValueError(f"expected all inputs on one device, got {first!r} on "
                             f"{_place_of(there)} and {name!r} on {_place_of(device)}")
        there, first = device, first or name
    return host if _place_of(there) == "cpu" else _place_of(there)


def _place_of(device):
    """Of a device of torch, of "cpu", or of nothing."""
    if device in (None, "cpu") or device.type == "cpu":
        return "cpu"
    return f"{device.type}:{device.index or 0}"


def host_of(package):
    """The device for inputs on the CPU: kernels of one thread a block are for it, others
    are emulated."""
    one = {"op": "const", "value": 1}
    alone = all(plan["exprs"][i] == one for plan in package.plan()["functions"]
                for step in plan["steps"] for i in step["block"])
    return "cpu" if alone else "emulator"
