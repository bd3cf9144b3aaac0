# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of a bound function on tensors of a GPU, on torch's current stream.

A run allocates by torch only, which reuses what is let go in the order of the stream. The
binding lives until the GPU is done: an event is recorded after the launch, and it is held until
that is seen to have passed, by a later launch or where bindings go. Under a CUDA graph's capture
there is no such event; there the binding must outlive the graph.
"""

import contextlib

import torch

from .. import in_flight, running

DTYPES = {name: getattr(torch, of) for name, of in running.NAMES.items()}


class _Launch(torch.cuda.Event):
    """The event after a launch."""

    def is_done(self):
        return not torch.cuda.is_current_stream_capturing() and self.query()


def device_tensor(info, value):
    """A checked, dense, aligned tensor of an input. Most are that as they come, and a
    step of a sampled batch is short: these are told by few calls."""
    if not (value.dtype is DTYPES.get(info.dtype) and value.shape == info.shape and
            value.layout is torch.strided and not value.is_neg()):
        value = running.checked_tensor(info, value).contiguous()
    elif not value.is_contiguous():
        value = value.detach().contiguous()
    # A view may start anywhere; kernels load 16 bytes at once.
    return value.detach().clone() if value.data_ptr() % 16 else value


def on_stream(bound, inputs, launch, device=None):
    """CUDA tensors in and out, on torch's current stream. Does not wait. `device` is
    where they are, that of the first one by default."""
    first = device or next(v for v in inputs if not running.is_integer(v)).device
    tensors = []
    for info, value in zip(bound.inputs, inputs):
        if running.is_integer(value):  # Filled there: a copy would wait.
            value = torch.full((), running.checked_integer(info, value),
                               dtype=torch.int64, device=first)
        tensors.append(device_tensor(info, value))
    with launching(bound, first) as stream:
        outputs = [torch.empty(o.shape, device=first, dtype=DTYPES[o.dtype])
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
    stream = torch.cuda.current_stream(device)
    with torch.cuda.device(device):
        capturing = torch.cuda.is_current_stream_capturing()
    # A capture begins when all is there, and takes no events of others.
    if bound.ready is not None and bound.ready[0] != stream and not capturing:
        stream.wait_event(bound.ready[1])
    yield stream
    if not capturing:
        event = _Launch()
        event.record(stream)
        in_flight.hold(event, bound)
