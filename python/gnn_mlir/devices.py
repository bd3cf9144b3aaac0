# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices by name, and functions of packages bound on them."""

from . import capi

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
