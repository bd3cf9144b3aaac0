# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of bound functions on tensors in one order.

A `Layout` is what launches have in common whatever graphs a function is bound to, a
`Launcher` that and the sizes of one binding. `running` checks and converts what is not as
it should be.
"""

import math
import struct

import torch

from .... import capi, running, targets
from ....signatures import Buffer
from ... import launches

_empty, _empty_like, _contiguous = torch.empty, torch.empty_like, torch.contiguous_format
_EVERY = 256  # Bytes: where a value in one piece of memory with others may begin.


class Layout:
    """How calls of a function take tensors in the order of `names`, and give them.

    Outputs of the names `packed` are in one tensor of bytes, behind the others. Inputs of
    the names `packs` are in such a tensor of another launcher, at the position `pack`.
    Inputs of `parameters` are checked at the first launch alone: torch captures a model anew
    where their dtypes, shapes or strides are others."""

    def __init__(self, bound, names, device, parameters=(), packed=(), packs=(), pack=None):
        signature, dtypes = bound.package.signature(bound.name), launches.DTYPES
        places = {name: i for i, name in enumerate(names)}
        self.device, self.on_gpu = device, targets.is_gpu(device)
        self.emulated = bound.device.kind == targets.EMULATOR
        # (position, name if it is packed, dtype) of each input.
        self.inputs = [(pack, name, None) if name in packs else (
            places[name], None, dtypes[dtype]) for name, dtype, *_ in signature["inputs"]]
        self.parameters = [i for i, (name, *_) in enumerate(signature["inputs"])
                           if name in parameters]
        # The shapes of parameters that need no more checks than of addresses, by input;
        # None before the first launch.
        self.settled = None
        outputs = signature["outputs"]
        whole = [i for i, (name, *_) in enumerate(outputs)
                 if name not in packed or self.emulated]
        self.names = [outputs[i][0] for i in whole]  # The names of what a launch gives.
        # Outputs are made like these, which is less work than by shape and dtype.
        self.whole = [(i, torch.empty((), dtype=dtypes[outputs[i][1]], device=device))
                      for i in whole]
        self.packed = [(i, name, 8 if dtype == "i64" else 4)
                       for i, (name, dtype, *_) in enumerate(outputs) if i not in whole]
        # Bytes of an element of each input and output.
        self.sizes = [[8 if dtype == "i64" else 4 for _, dtype, *_ in of]
                      for of in (signature["inputs"], outputs)]
        counts = len(self.inputs), len(outputs)
        self.counts = counts
        # Address and bytes of each.
        self.buffers = [struct.Struct(f"{2 * count}P").pack for count in counts]


class Launcher:
    """A bound function on tensors, on the current stream. `packs` are where in their tensor
    inputs begin that are packed; its own are those of its outputs."""

    def __init__(self, layout, bound, packs=None):
        self._layout, self.bound, self.names = layout, bound, layout.names
        self.indices = [i for i, _ in layout.whole]
        self._run, self._handle = capi.library().gnnBoundRun, bound.handle
        # The stream on which structures were built: others wait for it.
        self._stream = None if bound.ready is None else bound.ready[0].cuda_stream
        shapes, outputs = bound.shapes
        self._sizes = [[math.prod(shape) * size for shape, size in zip(*of)]
                       for of in zip(bound.shapes, layout.sizes)]
        settled = layout.settled or {}
        self._inputs = []
        for i, (place, name, dtype) in enumerate(layout.inputs):
            if name is not None:
                self._inputs.append((place, packs[name], None, None, i))
            elif settled.get(i) == shapes[i]:
                self._inputs.append((place, 0, None, shapes[i], i))
            else:
                self._inputs.append((place, 0, dtype, shapes[i], i))
        # Models of outputs, from the second launch on: one is all that there is of a sampled
        # batch.
        self._outputs, self._launched = None, False
        self._shapes = [outputs[i] for i in self.indices]
        self.packs, self._bytes = {}, 0
        if layout.packed:
            order = {i: (place, 0) for place, (i, _) in enumerate(layout.whole)}
            for i, name, size in layout.packed:
                self.packs[name] = self._bytes
                order[i] = len(layout.whole), self._bytes
                self._bytes += -(-math.prod(outputs[i]) * size // _EVERY) * _EVERY
            # For each output the position of its tensor, and where it begins
            # there.
            self._order = [order[i] for i in range(len(order))]

    def __call__(self, tensors):
        layout = self._layout
        if layout.emulated:
            made = running.on_host(self.bound, [tensors[i] for i, *_ in self._inputs],
                                   self.bound.run)
            return [torch.from_numpy(array) for array in made]
        if not layout.on_gpu:
            workspace = running.take_workspace(self.bound)
            made = self._launch(tensors, workspace[1], None)
            self.bound.workspaces.append(workspace)
            return made
        stream = torch._C._cuda_getCurrentRawStream(layout.device.index)
        workspace = _empty(self.bound.workspace_bytes, dtype=torch.uint8,
                           device=layout.device)
        if stream == self._stream:
            return self._launch(tensors, workspace.data_ptr(), stream)
        with launches.launching(self.bound, layout.device):
            return self._launch(tensors, workspace.data_ptr(), stream)

    def _launch(self, tensors, workspace, stream):
        layout = self._layout
        if layout.settled is None:
            self._settle(tensors)
        given, held = [], []  # Converted tensors live until the launch.
        input_sizes, output_sizes = self._sizes
        for place, begin, dtype, shape, i in self._inputs:
            x = tensors[place]
            address = x.data_ptr()
            if address % 16 or dtype is not None and not (
                    x.dtype is dtype and x.shape == shape and x.is_contiguous() and
                    not x.is_neg()):
                x = x.clone() if shape is None else launches.device_tensor(
                    self.bound.inputs[i], x)
                held.append(x)
                address = x.data_ptr()
            given += address + begin, x.nbytes - begin if shape is None else input_sizes[i]
        made = self._made()
        if self.packs:
            made.append(_empty(self._bytes, dtype=torch.uint8, device=layout.device))
            bases = [x.data_ptr() for x in made]
            results = [bases[place] + begin for place, begin in self._order]
        else:
            results = [x.data_ptr() for x in made]
        results = [number for pair in zip(results, output_sizes) for number in pair]
        inputs, outputs = layout.buffers
        error = self._run(self._handle, inputs(*given), layout.counts[0], outputs(*results),
                          layout.counts[1], Buffer(workspace, self.bound.workspace_bytes),
                          stream)
        if error:
            raise capi.error_of(error)
        return made

    def _made(self):
        """The outputs, not yet written."""
        layout = self._layout
        if self._outputs is not None:
            return [_empty_like(x, memory_format=_contiguous) for x in self._outputs]
        whole = list(zip(layout.whole, self._shapes))
        if self._launched:
            self._outputs = [like.expand(shape) for (_, like), shape in whole]
        self._launched = True
        return [_empty(shape, dtype=like.dtype, device=layout.device)
                for (_, like), shape in whole]

    def _settle(self, tensors):
        """Notes which parameters lie as kernels may read them."""
        settled = {}
        for i in self._layout.parameters:
            place, begin, dtype, shape, _ = self._inputs[i]
            if dtype is not None and _lies_as(tensors[place], dtype, shape):
                settled[i] = shape
                self._inputs[i] = place, begin, None, shape, i
        self._layout.settled = settled


def _lies_as(x, dtype, shape):
    """Whether kernels may read a tensor where it is, but for its address."""
    return (x.dtype is dtype and x.shape == shape and x.is_contiguous() and
            not x.is_neg())
