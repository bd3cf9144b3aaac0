# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that a cache keeps, and the streams of a GPU on which they are read."""

import torch

from .... import targets


def is_on_gpu(x):
    return targets.is_gpu(x.device)


class Shared:
    """Tensors that the current stream computes, for callers on any stream. `held` gives those
    of them that are still there."""

    def __init__(self, tensors, held=None):
        tensors = list(filter(is_on_gpu, tensors))
        self._held = held or (lambda: tensors)
        # (device, its stream, the event when they are there)
        self._made = []
        for device in dict.fromkeys(x.device for x in tensors):
            stream = torch.cuda.current_stream(device)
            self._made.append((device, stream.cuda_stream, stream.record_event()))

    def wait(self):
        """Has the current stream wait for them, where it is another one, and torch use
        their memory for nothing else before it is done. A capture of a CUDA graph begins
        when all is there, and takes no events of others."""
        for device, own, event in self._made:
            if torch._C._cuda_getCurrentRawStream(device.index) == own:
                continue
            with torch.cuda.device(device):
                if torch.cuda.is_current_stream_capturing():
                    continue
            stream = torch.cuda.current_stream(device)
            stream.wait_event(event)
            for x in self._held():
                if x.device == device:
                    x.record_stream(stream)
