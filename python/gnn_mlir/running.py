# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of a bound function: on the host, on torch's stream, or through copies.

A run on a stream allocates by torch only, which reuses what is let go in the order of
the stream. The binding lives until the GPU is done: an event is recorded after the
launch, and it is held until that is seen to have passed, by a later launch or where
bindings go. Under a CUDA graph's capture there is no such event; there the binding must
outlive the graph.
"""

import collections
import contextlib
import functools
import sys
import threading

import numpy as np

from . import capi, targets, types

DTYPES = {"f32": np.float32, "i32": np.int32, "i64": np.int64}
_NAMES = {name: np.dtype(dtype).name for name, dtype in DTYPES.items()}


def is_traced():
    """Whether torch.compile is tracing the caller."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


_ALIGNMENT = 256
_POISON = 0xFF  # Every float of these bytes is NaN.


def _dtype(info):
    if info.dtype not in DTYPES:
        raise ValueError(f"{info.name}: expected a type of {', '.join(DTYPES)}, "
                         f"got {info.dtype}")
    return DTYPES[info.dtype]


def _called(info):
    """An input as its caller knows it, who gives gradients by the names of outputs."""
    if info.role != "gradient":
        return f"input {info.name!r}"
    return f"the gradient of {info.of!r} (input {info.name!r})"


def _check(info, shape, dtype):
    """`dtype` is a name, as NumPy and torch print it."""
    _dtype(info)
    expected = _NAMES[info.dtype]
    if dtype != expected:
        raise ValueError(f"{_called(info)}: expected {expected}, got {dtype}")
    if tuple(shape) != info.shape:
        raise ValueError(f"{_called(info)}: expected shape {info.shape}, got "
                         f"{tuple(shape)}")


def _checked_tensor(info, value):
    """A tensor's values, checked and as they lie in memory."""
    _check(info, value.shape, str(value.dtype).removeprefix("torch."))
    if str(value.layout) != "torch.strided":
        raise ValueError(f"{_called(info)}: expected a dense tensor, got "
                         f"{value.layout}")
    return value.detach().resolve_neg()


def is_integer(value):
    """Whether an input is an int, which is wherever the others are."""
    return isinstance(value, int) and not isinstance(value, bool)


def _checked_integer(info, value):
    """An int for an input that is one; else ValueError."""
    if info.dtype != "i64" or info.shape:
        raise ValueError(f"{_called(info)}: expected an array or a tensor of "
                         f"{np.dtype(_dtype(info)).name}, got int")
    return types.i64(_called(info), value)


def _host_array(info, value):
    """A checked, dense, aligned array of an input on the CPU."""
    if is_integer(value):
        value = np.array(_checked_integer(info, value), np.int64)
    if hasattr(value, "detach"):
        value = _checked_tensor(info, value).numpy()
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


# The bindings of launches that may not be done, with the event after each.
_in_flight = collections.deque()
_in_flight_lock = threading.Lock()


def let_go():
    """Lets go of the bindings of all launches that are done. For finalizers, which may
    run anywhere: within a launch, and under a capture, where no event may be asked."""
    if not _in_flight or not _in_flight_lock.acquire(blocking=False):
        return
    try:
        if _is_capturing():
            return
        launches = list(_in_flight)  # They go when the lock is free again.
        _in_flight.clear()
        _in_flight.extend(launch for launch in launches if not launch[0].query())
    finally:
        _in_flight_lock.release()


def _is_capturing():
    import torch
    return torch.cuda.is_current_stream_capturing()


@functools.lru_cache(maxsize=None)
def torch_dtypes():
    import torch
    return {name: getattr(torch, of) for name, of in _NAMES.items()}


def device_tensor(info, value):
    """A checked, dense, aligned tensor of an input. Most are that as they come, and a
    step of a sampled batch is short: these are told by few calls."""
    if not (value.dtype is torch_dtypes().get(info.dtype) and value.shape == info.shape and
            str(value.layout) == "torch.strided" and not value.is_neg()):
        value = _checked_tensor(info, value).contiguous()
    elif not value.is_contiguous():
        value = value.detach().contiguous()
    # A view may start anywhere; kernels load 16 bytes at once.
    return value.detach().clone() if value.data_ptr() % 16 else value


def on_stream(bound, inputs, launch, device=None):
    """CUDA tensors in and out, on torch's current stream. Does not wait. `device` is
    where they are, that of the first one by default."""
    import torch
    first = device or next(v for v in inputs if not is_integer(v)).device
    dtypes, tensors = torch_dtypes(), []
    for info, value in zip(bound.inputs, inputs):
        if is_integer(value):  # Filled there: a copy would wait.
            value = torch.full((), _checked_integer(info, value),
                               dtype=torch.int64, device=first)
        tensors.append(device_tensor(info, value))
    with launching(bound, first) as stream:
        outputs = [torch.empty(o.shape, device=first, dtype=dtypes[o.dtype])
                   for o in bound.outputs]
        workspace = torch.empty(bound.workspace_bytes, dtype=torch.uint8,
                                device=first)
        launch([(t.data_ptr(), t.nbytes) for t in tensors],
               [(t.data_ptr(), t.nbytes) for t in outputs],
               (workspace.data_ptr(), workspace.nbytes), stream.cuda_stream)
    return outputs


@contextlib.contextmanager
def launching(bound, device):
    """Around a launch on torch's current stream of a device, which it gives: the stream
    waits for the structures, and the binding lives until the GPU is done."""
    import torch
    stream = torch.cuda.current_stream(device)
    with torch.cuda.device(device):
        capturing = _is_capturing()
    # A capture begins when all is there, and takes no events of others.
    if bound.ready is not None and bound.ready[0] != stream and not capturing:
        stream.wait_event(bound.ready[1])
    yield stream
    if not capturing:
        event = torch.cuda.Event()
        event.record(stream)
        with _in_flight_lock:
            _in_flight.append((event, bound))
            while _in_flight and _in_flight[0][0].query():
                _in_flight.popleft()
