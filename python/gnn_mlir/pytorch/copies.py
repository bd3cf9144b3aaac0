# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies between the host and the device of a graph: one for many numbers."""

import numpy as np
import torch

from .. import targets


class Transfer:
    """Numbers on their way to the host, for `known` of several structures."""

    def __init__(self, device):
        self._device, self._wide, self._narrow = device, [], []

    def add(self, known, name, values):
        """`values`: 1-d, of int64 or int32."""
        (self._wide if values.dtype == torch.int64 else self._narrow).append(
            (known, name, values))

    def start(self):
        parts = [values.view(torch.int32) for _, _, values in self._wide]
        parts += [values for _, _, values in self._narrow]
        self._event = self._host = None
        if not parts:
            return
        found = torch.cat(parts) if len(parts) > 1 else parts[0].contiguous()
        self._host = found
        if targets.is_gpu(self._device):
            self._host = torch.empty(found.shape, dtype=torch.int32, pin_memory=True)
            self._host.copy_(found, non_blocking=True)
            self._event = torch.cuda.Event()
            self._event.record()

    def wait(self):
        """The one wait."""
        if self._event is not None:
            self._event.synchronize()
        if self._host is None:
            return
        found, at = self._host.numpy(), 0
        for known, name, values in self._wide + self._narrow:
            width = 2 if values.dtype == torch.int64 else 1
            size = width * values.numel()
            part, at = found[at:at + size], at + size
            known[name] = (part.view(np.int64) if width == 2 else part).tolist()


class Upload:
    """Arrays of the host on their way to the device, in one copy."""

    def __init__(self, device):
        self._device, self._arrays, self._size = device, [], 0

    def add(self, made, text, array):
        """`array` is kept as made[text]."""
        self._arrays.append((made, text, array, self._size))
        self._size += -(-len(array) // 4) * 4  # Each at 16 bytes.

    def run(self):
        if not self._arrays:
            return
        host = torch.empty(self._size, dtype=torch.int32,
                           pin_memory=targets.is_gpu(self._device))
        values = host.numpy()
        for _, _, array, at in self._arrays:
            values[at:at + len(array)] = array
        there = host.to(self._device, non_blocking=True)
        for made, text, array, at in self._arrays:
            made[text] = there[at:at + len(array)]
