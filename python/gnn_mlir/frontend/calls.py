# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of programs from the outer graph, by as little Python as a call needs.

What a call has to know is found once for each set of graphs: functions are bound, and
tensors come in one order. `running` checks and converts what is not as it should be.
"""

from ctypes import c_void_p

import torch

from .. import capi, gradients, running
from ..autograd import _Once
from ..graph import Graph


class Launcher:
    """A bound function on tensors in the order of `names`, on the current stream."""

    def __init__(self, bound, names, device):
        self.bound, self._device = bound, device
        places, dtypes = {name: i for i, name in enumerate(names)}, running.torch_dtypes()
        self._inputs = [(places[info.name], dtypes[info.dtype], torch.Size(info.shape), info)
                        for info in bound.inputs]
        self._outputs = [(info.shape, dtypes[info.dtype]) for info in bound.outputs]
        self._pointers = c_void_p * len(self._inputs), c_void_p * len(self._outputs)
        self._run, self._emulated = capi.library().gnnBoundRun, bound.device.name.startswith(
            "emulator")
        # The stream on which structures were built: others wait for it.
        self._stream = None if bound.ready is None else bound.ready[0].cuda_stream

    def __call__(self, tensors):
        if self._emulated:
            made = running.on_host(self.bound, [tensors[i] for i, *_ in self._inputs],
                                   self.bound.run)
            return [torch.from_numpy(array) for array in made]
        device, stream = self._device, None
        if device.type == "cuda":
            stream = torch._C._cuda_getCurrentRawStream(device.index)
            if stream != self._stream:
                return running.on_stream(
                    self.bound, [tensors[i] for i, *_ in self._inputs], self.bound.run,
                    device)
        given, out = (make() for make in self._pointers)
        held = []  # What is converted lives until the launch.
        for at, (place, dtype, shape, info) in enumerate(self._inputs):
            x = tensors[place]
            if (x.dtype is not dtype or x.shape != shape or not x.is_contiguous() or
                    x.is_neg() or x.data_ptr() % 16):
                x = running.device_tensor(info, x)
                held.append(x)
            given[at] = x.data_ptr()
        made = [torch.empty(shape, dtype=dtype, device=device)
                for shape, dtype in self._outputs]
        for at, x in enumerate(made):
            out[at] = x.data_ptr()
        if stream is not None:
            workspace = torch.empty(self.bound.workspace_bytes, dtype=torch.uint8,
                                    device=device)
            error = self._run(self.bound.handle, given, len(given), out, len(out),
                              workspace.data_ptr(), stream)
        else:
            with running.workspace_of(self.bound) as address:
                error = self._run(self.bound.handle, given, len(given), out, len(out),
                                  address, None)
        if error:
            raise capi.error_of(error)
        return made


class Plan:
    """One program on one set of graphs: without gradients, or with those of `wrt`."""

    def __init__(self, function, graphs, names, wrt, tensors, device):
        self._bind = function._binder(graphs, str(device) if device.type == "cuda" else None)
        self.names, self.wrt, self._device = names, wrt, device
        inputs = dict(zip(names, tensors))
        if not wrt:
            self.run = Launcher(self._bind(function.package, function.name, inputs), names,
                                device)
            return
        self.call = gradients.Call(function.differentiated, wrt, self._bind, None)
        passes = self.call.forward_pass
        bound = self._bind(passes.package, passes.forward, inputs)
        self.run = Launcher(bound, names, device)
        made = [info.name for info in bound.outputs]
        self.outputs = [made.index(name) for name in passes.outputs]
        # Positions of what is kept, among inputs and what the forward pass makes.
        places = {name: i for i, name in enumerate(names)}
        places.update({name: len(names) + i for i, name in enumerate(made)})
        self.kept = [places[name] for name in passes.kept]
        self._backward = {}

    def backward(self, kept, cotangents):
        """Gradients in the order of the inputs, None of those that have none."""
        given = tuple(c is not None for c in cotangents)
        if given not in self._backward:
            self._backward[given] = self._bind_backward(kept, cotangents)
        launch, positions = self._backward[given]
        found = launch([*kept, *(c for c in cotangents if c is not None)])
        return [None if i is None else found[i] for i in positions]

    def _bind_backward(self, kept, cotangents):
        call = self.call
        outputs = call.forward_pass.outputs
        known = dict(zip(call.forward_pass.kept, kept))
        passes, bound = call.bind_backward(known, dict(zip(outputs, cotangents)))
        of = {info.of: info.name for info in bound.inputs if info.role == "gradient"}
        names = [*call.forward_pass.kept, *(of.get(name) for name, c in zip(
            outputs, cotangents) if c is not None)]
        return Launcher(bound, names, self._device), [
            passes.wrt.index(name) if name in self.wrt else None for name in self.names]


class _Step(torch.autograd.Function):
    """A forward pass, and its backward pass. It has no second derivative."""

    @staticmethod
    def forward(ctx, plan, *tensors):
        made = plan.run(tensors)
        everything = [*tensors, *made]
        # An output that is empty: what depends on it depends on all inputs.
        empty = made[0].new_empty(0, dtype=torch.float32)
        ctx.plan = plan
        ctx.save_for_backward(*(everything[i] for i in plan.kept), empty)
        ctx.set_materialize_grads(False)
        return *(made[i] for i in plan.outputs), empty

    @staticmethod
    def backward(ctx, *cotangents):
        plan, cotangents = ctx.plan, cotangents[:-1]
        if all(c is None for c in cotangents):
            return None, *(None for _ in plan.names)
        *kept, empty = ctx.saved_tensors
        if not torch.is_grad_enabled():
            return None, *plan.backward(kept, cotangents)

        def run():
            found = plan.backward(kept, cotangents)
            return {name: x for name, x in zip(plan.names, found) if x is not None}
        given = (c for c in cotangents if c is not None)
        values = _Once.apply(plan.call.gradients.name, run, empty, *given)
        wanted = [name for name in plan.names if name in plan.wrt]
        found = dict(zip(wanted, values))
        return None, *(found.get(name) for name in plan.names)


class Call:
    """One program in the outer graph. It is compiled when it is first called, for the
    graphs of that call."""

    def __init__(self, segment, names, wrt, options):
        self.segment, self.names, self.wrt = segment, names, tuple(wrt)
        self.options, self.function = options, None
        self.has_seed = "seed" in segment.inputs
        self.graph_names = [graph.name for graph in segment.declared
                            if graph.parent is None]
        self.__name__ = "program"  # torch.fx prints it.

    def __call__(self, structures, *tensors):
        if self.has_seed:
            device = self._device(structures)
            tensors = (*tensors, torch.randint(2 ** 62, (), device=device))
        if self.wrt and torch.is_grad_enabled():
            wrt = self.wrt if all(x.requires_grad for x in self._wanted(tensors)) else tuple(
                name for name, x in zip(self.names, tensors) if x.requires_grad)
        else:
            wrt = ()
        plan = structures.plans.get((self, wrt))
        if plan is None:
            plan = structures.plans[self, wrt] = self._plan(structures, wrt, tensors)
        if not wrt:
            return plan.run(tensors)
        return _Step.apply(plan, *tensors)

    def _wanted(self, tensors):
        return [x for name, x in zip(self.names, tensors) if name in self.wrt]

    def _plan(self, structures, wrt, tensors):
        graphs = {name: structures[name] for name in self.graph_names}
        names = [*self.names, "seed"] if self.has_seed else self.names
        device = self._device(structures)
        if self.function is None:
            self.function = self._compile(graphs, device)
        for name, x in zip(names, tensors):
            if x.device != device:
                raise ValueError(f"expected tensors on {device}, where the graph is, got "
                                 f"one of shape {tuple(x.shape)} on {x.device}")
        return Plan(self.function, self.function._graphs(graphs), names, wrt, tensors,
                    device)

    def _device(self, structures):
        """Where the graphs are."""
        some = structures[self.graph_names[0]]
        return torch.device("cpu") if isinstance(some, Graph) else some.device

    def _compile(self, graphs, device):
        from ..compiler import compile as compile_program
        options = {"target": "cuda" if device.type == "cuda" else "cpu", **self.options}
        graphs = {name: graph if isinstance(graph, Graph) else graph.to_graph()
                  for name, graph in graphs.items()}  # Its statistics decide.
        return compile_program(self.segment.function, graph=graphs,
                               gradients=list(self.wrt) or None, **options)

