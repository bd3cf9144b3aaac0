# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of programs from the outer graph, by as little Python as a call needs.

What a call has to know is found once for each set of graphs: functions are bound, and
tensors come in one order. `running` checks and converts what is not as it should be.
"""

import struct
import threading

import torch

from ... import autograd, capi, gradients, running
from ...graph import Graph

_empty, _empty_like, _contiguous = torch.empty, torch.empty_like, torch.contiguous_format
_EVERY = 256  # Bytes: where a value in one piece of memory with others may begin.


class Launcher:
    """A bound function on tensors in the order of `names`, on the current stream. Inputs
    of `parameters` are checked once: torch captures a model anew where their dtypes,
    shapes or strides are others.

    Outputs of the names `packed` are in one tensor of bytes, behind the others: `packs`
    has for each the position of that tensor and where it begins there. Inputs are found
    by another launcher's `packs` where `names` has none of them."""

    def __init__(self, bound, names, device, parameters=(), packed=(), packs=None):
        self.bound, self._device = bound, device
        places, dtypes = {name: (i, 0) for i, name in enumerate(names)}, running.torch_dtypes()
        within = packs or {}
        self._inputs = [
            (*within[info.name], None, None, info) if info.name in within else
            (*places[info.name], dtypes[info.dtype], torch.Size(info.shape), info)
            for info in bound.inputs]
        self._parameters = parameters
        name = bound.device.name
        self._emulated, self._on_gpu = name.startswith("emulator"), device.type == "cuda"
        # Outputs are made like these, which is less work than by shape and dtype.
        whole = [info for info in bound.outputs if info.name not in packed or self._emulated]
        self.names = [info.name for info in whole]
        self._outputs = [torch.empty((), dtype=dtypes[info.dtype], device=device).expand(
            info.shape) for info in whole]
        self.packs, end = {}, 0
        for info in bound.outputs:
            if info.name not in self.names:
                self.packs[info.name] = end
                end += -(-info.bytes // _EVERY) * _EVERY
        self._bytes = end
        # Of each output the position of its tensor, and where it begins there.
        self._order = [(len(whole), self.packs[info.name]) if info.name in self.packs else
                       (self.names.index(info.name), 0) for info in bound.outputs]
        self._counts = len(bound.inputs), len(bound.outputs)
        self._addresses = [struct.Struct(f"{count}P").pack for count in self._counts]
        self._run, self._handle = capi.library().gnnBoundRun, bound.handle
        # The stream on which structures were built: others wait for it.
        self._stream = None if bound.ready is None else bound.ready[0].cuda_stream

    def __call__(self, tensors):
        if self._emulated:
            made = running.on_host(self.bound, [tensors[i] for i, *_ in self._inputs],
                                   self.bound.run)
            return [torch.from_numpy(array) for array in made]
        if not self._on_gpu:
            workspace = running.take_workspace(self.bound)
            made = self._launch(tensors, workspace[1], None)
            self.bound.workspaces.append(workspace)
            return made
        stream = torch._C._cuda_getCurrentRawStream(self._device.index)
        workspace = _empty(self.bound.workspace_bytes, dtype=torch.uint8, device=self._device)
        if stream == self._stream:
            return self._launch(tensors, workspace.data_ptr(), stream)
        with running.launching(self.bound, self._device):
            return self._launch(tensors, workspace.data_ptr(), stream)

    def _launch(self, tensors, workspace, stream):
        if self._parameters:
            self._settle(tensors)
        given, held = [], []  # What is converted lives until the launch.
        for place, begin, dtype, shape, info in self._inputs:
            x = tensors[place]
            address = x.data_ptr()
            if address % 16 or dtype is not None and not (
                    x.dtype is dtype and x.shape == shape and x.is_contiguous() and
                    not x.is_neg()):
                x = x.clone() if shape is None else running.device_tensor(info, x)
                held.append(x)
                address = x.data_ptr()
            given.append(address + begin)
        made = [_empty_like(x, memory_format=_contiguous) for x in self._outputs]
        if self.packs:
            made.append(_empty(self._bytes, dtype=torch.uint8, device=self._device))
            bases = [x.data_ptr() for x in made]
            results = [bases[place] + begin for place, begin in self._order]
        else:
            results = [x.data_ptr() for x in made]
        inputs, outputs = self._addresses
        counts = self._counts
        error = self._run(self._handle, inputs(*given), counts[0], outputs(*results),
                          counts[1], workspace, stream)
        if error:
            raise capi.error_of(error)
        return made

    def _settle(self, tensors):
        """Notes by a dtype of None which inputs need no more checks than of addresses."""
        parameters, self._parameters = self._parameters, ()
        self._inputs = [
            (place, begin, None, shape, info) if info.name in parameters and _lies_as(
                tensors[place], dtype, shape) else (place, begin, dtype, shape, info)
            for place, begin, dtype, shape, info in self._inputs]


def _lies_as(x, dtype, shape):
    """Whether kernels may read a tensor where it is, but for its address."""
    return (x.dtype is dtype and x.shape == shape and x.is_contiguous() and
            not x.is_neg())


class Plan:
    """One program on one set of graphs: without gradients, or with those of `wrt`, as
    `autograd.run` takes it."""

    def __init__(self, function, graphs, call, names, wrt, tensors, device, lock):
        """`lock` is that of the graphs: one thread binds to them at a time."""
        function._bind_passes(graphs, call.passes.get(wrt))
        self._bind = function._binder(graphs, str(device) if device.type == "cuda" else None)
        self.names, self.wrt, self._device, self._lock = names, wrt, device, lock
        self._parameters, self.constant = call.parameters, call.constant
        inputs = dict(zip(names, tensors))
        if not wrt:
            self.run = Launcher(self._bind(function.package, function.name, inputs), names,
                                device, self._parameters)
            return
        self.call = gradients.Call(function.differentiated, wrt, self._bind, None)
        self.name = self.call.gradients.name
        passes = self.call.forward_pass
        bound = self._bind(passes.package, passes.forward, inputs)
        self.run = Launcher(bound, names, device, self._parameters, packed=passes.saved)
        made = self.run.names
        self.outputs = [made.index(name) for name in passes.outputs]
        # What is kept, and its positions among inputs and what the forward pass makes.
        self._names = [name for name in passes.kept if name not in self.run.packs]
        places = {name: i for i, name in enumerate((*names, *made))}
        self.kept = [places[name] for name in self._names]
        if self.run.packs:
            self.kept.append(len(places))
        self._backward = {}
        self._note = lambda: call.passes.update({wrt: function._bound_to(graphs)})

    def forward(self, tensors):
        """Outputs, and what the backward pass reads."""
        made = self.run(tensors)
        everything = (*tensors, *made)
        return [made[i] for i in self.outputs], [everything[i] for i in self.kept]

    def backward(self, kept, cotangents):
        """Gradients in the order of the inputs, None of those that have none."""
        given = tuple([c is not None for c in cotangents])
        found = self._backward.get(given)
        if found is None:
            with self._lock:
                found = self._backward.get(given)
                if found is None:
                    found = self._backward[given] = self._bind_backward(kept, cotangents)
        launch, positions = found
        found = launch([*kept, *[c for c in cotangents if c is not None]])
        return [None if i is None else found[i] for i in positions]

    def _bind_backward(self, kept, cotangents):
        call = self.call
        outputs = call.forward_pass.outputs
        some = next(c for c in cotangents if c is not None)
        known = dict.fromkeys(call.forward_pass.kept, some)  # It says where.
        passes, bound = call.bind_backward(known, dict(zip(outputs, cotangents)))
        self._note()
        of = {info.of: info.name for info in bound.inputs if info.role == "gradient"}
        packs = {name: (len(kept) - 1, begin) for name, begin in self.run.packs.items()}
        names = [*self._names, *[None] * bool(packs), *(
            of.get(name) for name, c in zip(outputs, cotangents) if c is not None)]
        return Launcher(bound, names, self._device, self._parameters, packs=packs), [
            passes.wrt.index(name) if name in self.wrt else None for name in self.names]


class Call:
    """One program in the outer graph. It is compiled when it is first called, for the
    graphs of that call."""

    def __init__(self, segment, names, wrt, parameters, constant, options):
        """`names` are those of its inputs; of some gradients are asked for, and some are
        parameters of the model as they are. `constant` are positions of outputs that depend
        on nothing with a gradient."""
        self.segment, self.names, self.wrt = segment, names, tuple(wrt)
        self.parameters, self.constant = frozenset(parameters), constant
        self.options, self.function, self._compiling = options, None, threading.Lock()
        # The passes that the last training step needed: those of the next one's graphs are
        # bound in one go.
        self.passes = {}
        self.has_seed = "seed" in segment.inputs
        self.graph_names = [graph.name for graph in segment.declared
                            if graph.parent is None]
        self._wanted = [i for i, name in enumerate(names) if name in self.wrt]
        self.__name__ = "program"  # torch.fx prints it.

    def __call__(self, structures, *tensors):
        if self.has_seed:
            device = self._device(structures)
            tensors = (*tensors, torch.randint(2 ** 62, (), device=device))
        wrt = ()
        if self.wrt and torch.is_grad_enabled():
            wrt = self.wrt
            for i in self._wanted:
                if not tensors[i].requires_grad:
                    wrt = tuple(self.names[i] for i in self._wanted
                                if tensors[i].requires_grad)
                    break
        plan = structures.plans.get((self, wrt))
        if plan is None:
            with structures.lock:
                plan = structures.plans.get((self, wrt))
                if plan is None:
                    plan = structures.plans[self, wrt] = self._plan(structures, wrt, tensors)
        if not wrt:
            return plan.run(tensors)
        return autograd.run(plan, *tensors)

    def _plan(self, structures, wrt, tensors):
        graphs = {name: structures[name] for name in self.graph_names}
        names = [*self.names, "seed"] if self.has_seed else self.names
        device = self._device(structures)
        with self._compiling:
            if self.function is None:
                self.function = self._compile(graphs, device)
        for name, x in zip(names, tensors):
            if x.device != device:
                raise ValueError(f"expected tensors on {device}, where the graph is, got "
                                 f"one of shape {tuple(x.shape)} on {x.device}")
        return Plan(self.function, self.function._graphs(graphs), self, names, wrt, tensors,
                    device, structures.lock)

    def _device(self, structures):
        """Where the graphs are."""
        some = structures[self.graph_names[0]]
        return torch.device("cpu") if isinstance(some, Graph) else some.device

    def _compile(self, graphs, device):
        from ...compiler import compile as compile_program
        options = {"target": "cuda" if device.type == "cuda" else "cpu", **self.options}
        graphs = {name: graph if isinstance(graph, Graph) else graph.to_graph()
                  for name, graph in graphs.items()}  # Its statistics decide.
        return compile_program(self.segment.function, graph=graphs,
                               gradients=list(self.wrt) or None, **options)

