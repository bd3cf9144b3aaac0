# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of a bound function on arrays: on the host, or through copies. Those on tensors of a GPU
are in `pytorch.launches`."""

import contextlib

import numpy as np

from . import capi, targets, types

DTYPES = {"f32": np.float32, "i32": np.int32, "i64": np.int64}
NAMES = {name: np.dtype(dtype).name for name, dtype in DTYPES.items()}

_ALIGNMENT = 256
_POISON = 0xFF  # Every float of these bytes is NaN.


def dtype_of(name, dtype):
    """NumPy's type for one of the library, of an array of that name."""
    if dtype not in DTYPES:
        raise ValueError(f"{name}: expected a type of {', '.join(DTYPES)}, got {dtype}")
    return DTYPES[dtype]


def _dtype(info):
    return dtype_of(info.name, info.dtype)


def _called(info):
    """An input as its caller knows it, who gives gradients by the names of outputs."""
    if info.role != "gradient":
        return f"input {info.name!r}"
    return f"the gradient of {info.of!r} (input {info.name!r})"


def _check(info, shape, dtype):
    """`dtype` is a name, as NumPy and torch print it."""
    _dtype(info)
    expected = NAMES[info.dtype]
    if dtype != expected:
        raise ValueError(f"{_called(info)}: expected {expected}, got {dtype}")
    if tuple(shape) != info.shape:
        raise ValueError(f"{_called(info)}: expected shape {info.shape}, got "
                         f"{tuple(shape)}")


def checked_tensor(info, value):
    """A tensor's values, checked and as they lie in memory."""
    check_dense(_called(info), value)
    _check(info, value.shape, str(value.dtype).removeprefix("torch."))
    return value.detach().resolve_neg()


def check_dense(what, value):
    """Raises ValueError for a tensor or an array that has not one value in memory an entry."""
    if not hasattr(value, "detach"):
        if isinstance(value, np.ma.MaskedArray):
            raise ValueError(f"{what}: expected an array without a mask, got one with it")
    elif types.is_nested(value):
        raise ValueError(f"{what}: expected a dense tensor, got a nested one")
    elif str(value.layout) != "torch.strided":
        raise ValueError(f"{what}: expected a dense tensor, got {value.layout}")


def is_integer(value):
    """Whether an input is an int, which is wherever the others are."""
    return isinstance(value, int) and not isinstance(value, bool)


def checked_integer(info, value):
    """An int for an input that is one; else ValueError."""
    if info.dtype != "i64" or info.shape:
        raise ValueError(f"{_called(info)}: expected an array or a tensor of "
                         f"{np.dtype(_dtype(info)).name}, got int")
    return types.i64(_called(info), value)


def _host_array(info, value):
    """A checked, dense, aligned array of an input on the CPU."""
    if is_integer(value):
        value = np.array(checked_integer(info, value), np.int64)
    if hasattr(value, "detach"):
        value = checked_tensor(info, value).numpy()
    else:
        check_dense(_called(info), value)
    array = np.asarray(value) if hasattr(value, "__array__") else None
    if array is None or array.dtype == object:
        number = "an int, " * (info.dtype == "i64" and not info.shape)
        parts = ""
        if isinstance(value, dict):
            parts = ("; Graph.join_types makes rows of all nodes of a dict by node type, "
                     "and models with a dict of in_features take it")
        raise ValueError(f"{_called(info)}: expected {number}an array or a tensor of "
                         f"{np.dtype(_dtype(info)).name}, got "
                         f"{type(value).__name__}{parts}")
    value = array
    _check(info, value.shape, value.dtype.name)
    value = np.ascontiguousarray(value, _dtype(info))  # In native byte order.
    if value.ctypes.data % 16:
        value, copied = _aligned(value.nbytes), value
        value = value.view(copied.dtype).reshape(copied.shape)
        value[...] = copied
    return value


def _aligned(size, poisoned=True):
    """uint8[size] at a multiple of the alignment, poisoned or not."""
    memory = np.empty(size + _ALIGNMENT, np.uint8)
    if poisoned:
        memory.fill(_POISON)
    begin = -memory.ctypes.data % _ALIGNMENT
    return memory[begin:begin + size]


def on_host(bound, inputs, launch):
    """NumPy arrays or CPU tensors in, NumPy arrays out. `launch` is the run of
    `bound`, or what stands for it, here and below."""
    inputs = [_host_array(i, v) for i, v in zip(bound.inputs, inputs)]
    poisoned = bound.device.kind == targets.EMULATOR
    outputs = [_aligned(o.bytes, poisoned).view(_dtype(o)).reshape(o.shape)
               for o in bound.outputs]
    with workspace_of(bound) as workspace:
        launch([(a.ctypes.data, a.nbytes) for a in inputs],
               [(a.ctypes.data, a.nbytes) for a in outputs], workspace)
    return outputs


def take_workspace(bound, poisoned=False):
    """(memory on the host, its address), for one run; whoever takes it may leave it to
    another run in `bound.workspaces`."""
    try:  # Memory that another run has left: new memory would be cleared by the system.
        return bound.workspaces.pop()
    except IndexError:
        memory = _aligned(bound.workspace_bytes, poisoned)
        return memory, memory.ctypes.data


@contextlib.contextmanager
def workspace_of(bound):
    """A workspace on the host, (address, bytes), for one run."""
    poisoned = bound.device.kind == targets.EMULATOR
    workspace = take_workspace(bound, poisoned)
    yield workspace[1], workspace[0].nbytes
    if not poisoned:
        bound.workspaces.append(workspace)


def through_copies(bound, inputs, launch):
    """NumPy arrays in and out of a GPU, without torch. Waits."""
    device = bound.device
    inputs = [_host_array(i, v) for i, v in zip(bound.inputs, inputs)]
    there = [capi.DeviceMemory(device, max(1, a.nbytes)) for a in inputs]
    for memory, array in zip(there, inputs):
        memory.write(array)
    outputs = [np.empty(o.shape, _dtype(o)) for o in bound.outputs]
    results = [capi.DeviceMemory(device, max(1, a.nbytes)) for a in outputs]
    workspace = capi.DeviceMemory(device, max(1, bound.workspace_bytes))
    launch([(m.address, m.size) for m in there], [(m.address, m.size) for m in results],
           (workspace.address, workspace.size))
    device.synchronize()
    for memory, array in zip(results, outputs):
        memory.read(array)
    return outputs
