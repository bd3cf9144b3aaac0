# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of programs from the outer graph, by as little Python as a call needs.

The facts of a call are found once: those of the program (`Passes`), and for each set of
graphs those of these (`Plan`), to which functions are bound. """

import contextlib
import logging
import os
import threading

import torch

from .... import files, signatures, targets
from ....capi import GNNError
from ....compiler import compile as compile_program
from ....compiler_capi import NAME
from ....graph import Graph, may_declare_sorted
from ... import autograd
from .launcher import Launcher, Layout

log = logging.getLogger("gnn_mlir")
_recorded = None  # Calls, their graphs and their tensors, while somebody listens.


@contextlib.contextmanager
def recording():
    """Gives a list that gets (call, structures, tensors) of all programs that are called."""
    global _recorded
    before, _recorded = _recorded, []
    try:
        yield _recorded
    finally:
        _recorded = before


class Passes:
    """One program without gradients, or with those of `wrt`: what it needs whatever graphs
    it runs on."""

    def __init__(self, function, names, wrt, device, call):
        self.function, self.names, self.wrt = function, names, wrt
        self.parameters, self.constant = call.parameters, call.constant
        self.owner = call.owner
        self.device, self.place = device, str(device) if targets.is_gpu(device) else None
        # The functions bound to the last graphs: to the next ones they are bound in
        # one go.
        self.bound = ()
        self._layouts, self._backward = {}, {}
        self.forward = function.differentiated.find(wrt) if wrt else None

    def layout(self, bound, names, **packing):
        key = bound.package.handle, bound.name
        found = self._layouts.get(key)
        if found is None:
            found = self._layouts[key] = Layout(bound, names, self.device, self.parameters,
                                                **packing)
        return found

    def backward(self, given):
        """The passes whose backward pass runs where gradients of these outputs are given,
        positions of the outputs whose gradients it takes, and those of the inputs'
        gradients in what it makes."""
        found = self._backward.get(given)
        if found is None:
            outputs = self.forward.outputs
            passes = self.function.differentiated.find_backward(
                self.forward, [name for name, is_given in zip(outputs, given) if is_given])
            found = self._backward[given] = (
                passes, [i for i, name in enumerate(outputs) if name in passes.given],
                [passes.wrt.index(name) if name in self.wrt else None for name in self.names])
        return found


class Plan:
    """Passes on one set of graphs, as `autograd.run` takes them."""

    def __init__(self, passes, graphs, lock, holds):
        """`lock` is that of the graphs: one thread binds to them at a time. `holds` gives
        what a backward pass may bind to, None where that is there anyway."""
        function, forward = passes.function, passes.forward
        function._bind_passes(graphs, passes.bound)
        bind = function._binder(graphs, passes.place)
        self._bind = lambda package, name: bind(package, name, {})
        self._bound_to = lambda: function._bound_to(graphs)
        self._passes, self._lock, self.holds = passes, lock, holds
        self.names, self.constant = passes.names, passes.constant
        if not forward:
            bound = self._bind(function.called(), function.name)
            self.run = Launcher(passes.layout(bound, passes.names), bound)
            return
        self.name, self._backward = passes.owner or function.differentiated.name, {}
        bound = self._bind(forward.package, forward.forward)
        self.run = Launcher(passes.layout(bound, passes.names, packed=forward.saved), bound)
        made = self.run.names
        self.outputs = [made.index(name) for name in forward.outputs]
        # The kept values, and their positions among inputs and what the forward pass
        # makes.
        self._kept = [name for name in forward.kept if name not in self.run.packs]
        places = {name: i for i, name in enumerate((*passes.names, *made))}
        self.kept = [places[name] for name in self._kept]
        if self.run.packs:
            self.kept.append(len(places))

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
                    found = self._backward[given] = self._bind_backward(given)
        launch, (_, taken, positions) = found
        found = launch([*kept, *[self._zeros(i) if cotangents[i] is None else cotangents[i]
                                 for i in taken]])
        return [None if i is None else found[i] for i in positions]

    def _bind_backward(self, given):
        found = passes, taken, _ = self._passes.backward(given)
        bound = self._bind(passes.package, passes.backward)
        self._passes.bound = self._bound_to()
        outputs, packs = self._passes.forward.outputs, self.run.packs
        of = {of: name for name, _, role, of in passes.package.signature(
            passes.backward)["inputs"] if role == "gradient"}
        layout = self._passes.layout(
            bound, [*self._kept, *[None] * bool(packs), *(of[outputs[i]] for i in taken)],
            packs=packs, pack=len(self._kept))
        return Launcher(layout, bound, packs), found

    def _zeros(self, output):
        """The gradient of an output that nothing was computed of, where the backward pass
        takes one all the same."""
        info = self.run.bound.outputs[self.run.indices[self.outputs[output]]]
        return torch.zeros(info.shape, device=self._passes.device)


class _Compiled:
    """One compilation of a program, with what is of it alone: other ones take nothing over."""

    def __init__(self, function, options, statistics, ordered, given_up):
        """`options` are those of the compilation; `statistics` are of the graphs by name,
        `ordered` those that it is declared with as sorted by destination, and `given_up` those
        that it was before."""
        self.function, self.options, self.statistics = function, options, statistics
        self.ordered, self.given_up = ordered, given_up
        self.passes = {}  # By the inputs whose gradients are asked for, and the device.


class Call:
    """One program in the outer graph. It is compiled when it is first called, for the
    graphs of that call: with those declared with `dst_sorted` whose edges are. Where some of
    a later call have edges that are not, it is compiled once more, without these declared so."""

    def __init__(self, segment, names, wrt, parameters, constant, options):
        """`names` are those of its inputs; of some gradients are asked for, and some are
        parameters of the model as they are. `constant` are positions of outputs that depend
        on nothing with a gradient."""
        self.segment, self.names, self.wrt = segment, names, tuple(wrt)
        self.parameters, self.constant = frozenset(parameters), constant
        self.options, self._compiled, self._compiling = options, None, threading.Lock()
        self.title = self.owner = None  # Its name among the programs of its model.
        self.has_seed = "seed" in segment.inputs
        self.graph_names = [graph.name for graph in segment.declared
                            if graph.parent is None]
        self._wanted = [i for i, name in enumerate(names) if name in self.wrt]
        self.__name__ = "program"  # torch.fx prints it.

    def __call__(self, structures, *tensors):
        if self.has_seed:
            device = self._device(structures)
            tensors = (*tensors, torch.randint(2 ** 62, (), device=device))
        if _recorded is not None:
            _recorded.append((self, structures, tensors))
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
            if self._compiled is None:
                self._compiled = self._compile(graphs, device)
            compiled = self._compiled
        for name, x in zip(names, tensors):
            if x.device != device:
                raise ValueError(f"expected tensors on {device}, where the graph is, got "
                                 f"one of shape {tuple(x.shape)} on {x.device}")

        def bound_to(compiled):
            function, passes = compiled.function, compiled.passes.get((wrt, device))
            if passes is None:  # Several threads may make one, and all take the first.
                passes = compiled.passes.setdefault(
                    (wrt, device), Passes(function, names, wrt, device, self))
            source = structures.source
            return Plan(passes, function._graphs(graphs), structures.lock,
                        source and source.held)

        while True:
            try:
                return bound_to(compiled)
            except GNNError as error:
                if error.kind != signatures.EDGE_ORDER:
                    raise
                wrong = {name for name in compiled.ordered if not graphs[name].is_dst_sorted}
                if not wrong:
                    raise
            with self._compiling:
                if self._compiled is compiled:  # One of several threads compiles.
                    log.info("%s: %s is compiled again, for edges that are not sorted by "
                             "destination, as those of the first call were: of @%s",
                             self.owner, self.title, ", @".join(sorted(wrong)))
                    self._compiled = self._compile(
                        graphs, device, compiled.ordered - wrong, compiled.given_up | wrong)
                compiled = self._compiled

    def _device(self, structures):
        """Where the graphs are."""
        some = structures[self.graph_names[0]]
        return torch.device(targets.CPU) if isinstance(some, Graph) else some.device

    def as_function(self, structures, tensors):
        """The function that was compiled last, its graphs by name and inputs of a call, and the
        names of what runs: the function itself, or its passes."""
        graphs = {name: structures[name] for name in self.graph_names}
        names = [*self.names, "seed"] if self.has_seed else self.names
        passes = [f"{self.function.name}_{which}" for which in ("forward", "backward")]
        return self.function, graphs, dict(zip(names, tensors)), (
            passes if self.wrt else [self.function.name])

    @property
    def compiled(self):
        """What was compiled last, with the statistics and orders of the graphs that it was
        compiled for, or None."""
        return self._compiled

    @property
    def function(self):
        """The function that was compiled last, if any was."""
        return self._compiled and self._compiled.function

    @property
    def program(self):
        """The program that was compiled last, or else the one to compile."""
        return self.function.source if self.function else self.segment.function

    def _compile(self, graphs, device, ordered=None, given_up=frozenset()):
        """`ordered` are the graphs to declare with `dst_sorted`; None: those that may be."""
        options = dict(self.options)
        if options.get("target") is None:  # The emulator runs for a chip alone, as for programs.
            options["target"] = targets.CUDA if targets.is_gpu(device) else (
                None if options.get("chip") else targets.CPU)
        graphs = {name: graph if isinstance(graph, Graph) else graph.to_graph()
                  for name, graph in graphs.items()}  # Its statistics decide.
        asked = dict(options)
        if ordered is None:
            ordered = frozenset(filter(lambda name: may_declare_sorted(graphs[name]), graphs))
        function = self.segment.function
        program = function.module.with_orders(
            {name: name in ordered for name in graphs}).functions[function.name]
        if "keep_phases" in options:
            order = "-any-order" if given_up else ""
            if given_up and ordered:
                order += "-of-" + "-".join(sorted(given_up))
            folder = options["keep_phases"] = os.path.join(options["keep_phases"], self.title + (
                "-forward-backward" if self.wrt else "-without-gradients") + order)
            os.makedirs(folder, exist_ok=True)
            files.write(os.path.join(folder, NAME), program.module.text())
        passes = options.get("passes") or {}
        if self.wrt and isinstance(passes, dict):  # Calls without gradients are rare.
            options["passes"] = {"calls": False, **passes}
        try:
            function = compile_program(program, graph=graphs, gradients=list(self.wrt) or None,
                                       **options)
        except ValueError as error:
            if not str(error).startswith("gradients has no meaning"):
                raise
            raise ValueError(f"{error}: {self.wrt[0]!r} requires one; call the model under "
                             "torch.no_grad()") from None
        statistics = {name: graph.statistics() for name, graph in graphs.items()}
        return _Compiled(function, asked, statistics, ordered, given_up)

