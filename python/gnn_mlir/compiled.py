# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled functions, which are called with graphs and inputs, and their bindings to graphs."""

import sys
import weakref

from . import batches as mini_batches, capi, devices
from . import gradients as differentiation
from . import in_flight, interop, targets, tokens, types
from .graph import Graph, not_a_graph
from .placed_graph import PlacedGraph
from .program import check_dict, check_graph_names, check_names


class CompiledFunction(capi.Shared):
    """A compiled function of a program.

    A call takes a graph, or a dict of graphs by name, and a dict of inputs by name. The graphs are
    bound at the first call; the binding is kept as long as the function and the graphs live.

    If the function has gradients, torch records them for tensors, and `forward` and `gradients`
    give them for arrays. Gradients that are not compiled yet are compiled when they are first used.

    A copy is the function itself. A pickle contains what `save` writes, so it lacks `source`, the
    program that the function was compiled from."""

    def __init__(self, package, name, source=None, compile_more=None, host=targets.EMULATOR):
        """`compile_more` makes a package with other gradients; None: there is no program.
        `host` is the device for inputs in its memory."""
        self.package, self.name, self.source = package, name, source
        self._host = host
        self.origin = None  # The text and the options that it was compiled of, for `tune`.
        # By the identity of graphs, which are there as long as what is bound to them.
        self._bound, self._token = {}, tokens.make(self)
        plans = package.plan()["functions"]
        self._declared = list(dict.fromkeys(g["name"] for p in plans
                                            for g in p["graphs"]))
        if source is not None:
            self._declared = list(source.module.graphs)
        plan = differentiation.plan_of(package, name)
        if plan is None:
            raise ValueError(f"function: expected one of "
                             f"{', '.join(p['name'] for p in plans)}, got {name!r}")
        self.graph_names = [g["name"] for g in plan["graphs"]]
        self.input_names = [i["name"] for i in plan["inputs"]]
        self.output_names = [o["name"] for o in plan["outputs"]]
        self.differentiated = None
        more = compile_more and (lambda asked: compile_more(gradients=asked))
        self.called = differentiation.Called(package, name, more)
        if any(p.get("gradient_of") == name for p in plans):
            self.differentiated = differentiation.Gradients(package, name, more)

    def __repr__(self):
        return (f"CompiledFunction({self.name}: "
                f"{', '.join(self.input_names)} -> "
                f"{', '.join(self.output_names)})")

    def __reduce__(self):
        return CompiledFunction, (self.package, self.name, None, None, self._host)

    def save(self, path):
        """Writes the package, which has all functions of the program, to a file."""
        self.package.save(path)

    def ptx(self):
        """The kernels as PTX text; None if they are not for a GPU."""
        found = self.package.kernels("ptx")
        return None if found is None else found.decode()

    def bind(self, graphs, device=None, progress=None):
        """Binds the function to graphs on a device.

        Args:
            graphs: a graph, or a dict of graphs by name.
            device: "cpu", "cuda", "cuda:1", "emulator" or a `capi.Device`. By default it is the
                device that the graphs are on, or that of the target.
            progress: a function that is called with the name of a structure and the share that is
                built.

        Returns:
            A `Binding`."""
        graphs = self._graphs(graphs)
        place = device or devices.of_graphs(graphs) or self._host
        return Binding(self, graphs, devices.open_device(place), progress)

    def __call__(self, graphs, inputs):
        """Runs the function. Outputs are arrays or tensors, as the inputs are. A single output is
        returned itself, several are a dict by name."""
        if interop.is_traced():
            return _named(interop.traced(self, graphs, inputs))
        graphs = self._graphs(graphs)
        return _call(self, self._expand(graphs, inputs), self._binder(graphs))

    def forward(self, graphs, inputs, wrt=None):
        """Runs the forward pass.

        Args:
            graphs, inputs: as for a call.
            wrt: names of the inputs whose gradients will be computed. By default they are all
                inputs that gradients were compiled for.

        Returns:
            The outputs as a call returns them, and a tape. `tape.gradients(cotangents)` gives the
            gradients of the inputs `wrt`."""
        graphs = self._graphs(graphs)
        return _forward(self, graphs, inputs, wrt, self._binder(graphs))

    def gradients(self, graphs, inputs, cotangents, wrt=None):
        """Computes gradients of inputs.

        Args:
            graphs, inputs, wrt: as for `forward`.
            cotangents: a dict of the gradients of outputs by name. Outputs that nothing was
                computed from are left out or None.

        Returns:
            A dict of gradients by the names of inputs."""
        return self.forward(graphs, inputs, wrt)[1].gradients(cotangents)

    def prefetch(self, batches, ahead=2):
        """Iterates over mini-batches, and binds the next ones on another thread.

        The passes that are bound, and their device, are those of the last call on the graphs of an
        item.

        Args:
            batches: an iterable. An item is the graphs of a call, or a tuple that begins with them.
            ahead: the number of items that are made and bound in advance."""
        return mini_batches.prefetch(self, batches, ahead)

    def memory(self, graphs, wrt=None, given=None, device=None):
        """The bytes of all tensors that a run allocates, known before the run.

        Args:
            graphs, device: as for `bind`.
            wrt: names of the inputs whose gradients are computed; by default all.
            given: names of the outputs whose gradients are given; by default all.

        Returns:
            A dict with the key "call", and "forward" and "backward" if there are gradients. A value
            is a dict by kind: "output", "saved", "gradient" and "workspace". The workspace is free
            after the run, or kept for the next run on the CPU. The key "peak" has such a dict for
            the moment of the largest sum, in a forward and a backward pass together, or in a call
            without gradients. Inputs, given gradients and the index arrays of graphs are not
            included."""
        graphs = self._graphs(graphs)
        place = str(device or devices.of_graphs(graphs) or self._host)
        return _memory(self, self._binder(graphs, place), wrt, given)

    def _binder(self, graphs, place=None):
        """Binds functions of packages to graphs where inputs are, each once, as long as
        all of them live."""
        ids = tuple(map(id, graphs))

        def bind(package, name, inputs):
            there = place or devices.place(inputs, self._host)
            key = package.handle, name, there
            found = self._bound.get(ids)
            if found is None:
                found = self._bound.setdefault(ids, _Bindings(self, ids, graphs))
            bound = found.get(key)
            if bound is None:
                bound = found[key] = devices.bind(
                    package, name, self._graphs_of(package, name, graphs),
                    devices.open_device(there), self.name)
            return bound
        return bind

    def _graphs_of(self, package, name, graphs):
        """The graphs of another function, such as a pass of its gradients,
        among this one's, in the order of that."""
        by_name = dict(zip(self.graph_names, graphs))
        return [by_name[other] for other in package.signature(name)["graphs"]]

    def _bound_to(self, graphs):
        """The functions bound to these graphs, as `_bind_passes` takes them:
        (package, place, names) of each."""
        found = {}
        for (_, name, place), bound in list(self._bound.get(
                tuple(map(id, graphs)), {}).items()):
            found.setdefault((bound.package, place), []).append(name)
        return [(package, place, names) for (package, place), names in found.items()]

    def _bind_passes(self, graphs, passes):
        """Binds all of `passes` to graphs that nothing is bound to yet. Where that
        fails, the call does too: there it has a place in the user's program."""
        ids = tuple(map(id, graphs))
        if not passes or ids in self._bound:
            return
        by_name, found = dict(zip(self.graph_names, graphs)), {}
        for package, place, names in passes:
            try:
                made = devices.bind_all(package, names, by_name,
                                        devices.open_device(place))
            except capi.GNNError:
                return
            found.update({(package.handle, bound.name, place): bound for bound in made})
        self._bound.setdefault(ids, _Bindings(self, ids, graphs)).update(found)

    def _graphs(self, graphs):
        """The graphs in the order of the declarations."""
        if isinstance(graphs, (Graph, PlacedGraph)):
            graphs = [graphs]
        if isinstance(graphs, dict):
            missing = [n for n in self.graph_names if n not in graphs]
            if missing:
                raise ValueError(f"{self.name}: expected a graph {missing[0]!r}, got "
                                 f"{types.listed(map(str, graphs))}")
            check_graph_names(self.name, self._declared, graphs)
            graphs = [graphs[n] for n in self.graph_names]
        if not isinstance(graphs, (list, tuple)):
            raise ValueError(f"{self.name}: expected graphs {', '.join(self.graph_names)}, got "
                             f"{not_a_graph(graphs)}")
        for graph in graphs:
            if not isinstance(graph, (Graph, PlacedGraph)):
                raise ValueError(f"{self.name}: expected a graph, got {not_a_graph(graph)}")
        if len(graphs) != len(self.graph_names):
            raise ValueError(f"{self.name}: expected graphs {', '.join(self.graph_names)}, got "
                             f"{len(graphs)} of them")
        return list(graphs)

    def _expand(self, graphs, inputs):
        """Inputs without dicts by node type, checked by name."""
        check_dict(self.name, inputs)
        if self.source is not None:
            inputs = self.source.place_typed_inputs(
                dict(zip(self.graph_names, graphs)), inputs)
        check_names(self.name, self.input_names, inputs)
        return inputs


class _Bindings(dict):
    """The functions bound to the same graphs, by package, name and place. It knows them
    by weak references, so that no graph lives for the others, or for the function:
    where one goes, so do the bindings."""

    def __init__(self, function, ids, graphs):
        super().__init__()
        this = weakref.ref(function)

        def forget(_):
            if this() is not None:
                this()._bound.pop(ids, None)
        self._watched = [weakref.ref(graph, forget) for graph in graphs]

    def __del__(self, let_go=in_flight.let_go, is_finalizing=sys.is_finalizing):
        if not is_finalizing():
            let_go()


def _named(outputs):
    """One output itself, several as the dict by name that they are."""
    return next(iter(outputs.values())) if len(outputs) == 1 else outputs


def _call(function, inputs, bind):
    """Outputs of a call; `inputs` are checked by name."""
    if any(map(devices.is_tensor, inputs.values())):
        autograd = interop.autograd()
        inputs = autograd.cast(inputs)
        wrt = autograd.wanted(function, inputs)
        if wrt:
            call = differentiation.Call(function.differentiated, wrt, bind, devices.run)
            return _named(autograd.record(call, inputs))
    bound = bind(function.called(), function.name, inputs)
    return _named(dict(zip(function.output_names, devices.run(bound, inputs))))


def _forward(function, graphs, inputs, wrt, bind):
    """Outputs and a tape."""
    if function.differentiated is None:
        raise ValueError(f"{function.name}: expected a function that was compiled with "
                         "gradients=True, got one without")
    given = inputs
    inputs = function._expand(graphs, inputs)
    places = function.source.typed_places(given) if function.source else {}
    if wrt is not None:
        wrt = [part for name in differentiation.listed(
            function.name, wrt, "inputs", function.differentiated.inputs)
            for part in places.get(name, [name])]
    call = differentiation.Call(function.differentiated, wrt, bind, devices.run)
    outputs, kept = call.forward(inputs)
    seen = {**inputs, **outputs}
    by_name = dict(zip(function.graph_names, graphs))

    def place(found):
        return function.source.split_typed_inputs(by_name, given, found) if (
            places) else found
    return _named(outputs), differentiation.Tape(call, kept, seen, place)


def _memory(function, bind, wrt, given):
    """Bytes by function and by what they are for."""
    for what, names in (("wrt", wrt), ("given", given)):
        if isinstance(names, dict):
            raise ValueError(f"{what}: expected a list of names, got a dict: memory takes "
                             "no inputs")
        if names is not None and function.differentiated is None:
            raise ValueError(f"{function.name}: expected a function that was compiled with "
                             f"gradients=True for {what}, got one without")
    bound = {"call": bind(function.called(), function.name, {})}
    if function.differentiated is not None:
        passes = function.differentiated.find(wrt)
        bound["forward"] = bind(passes.package, passes.forward, {})
        passes = function.differentiated.find_backward(passes, given)
        bound["backward"] = bind(passes.package, passes.backward, {})
    found = {}
    for name, one in bound.items():
        made = {"call": ("output",), "forward": ("output", "saved"),
                "backward": ("gradient",)}[name]
        found[name] = {"workspace": one.workspace_bytes, **dict.fromkeys(made, 0)}
        for info in one.outputs:
            found[name][info.role] += info.bytes
    first = found.get("forward", found["call"])
    last = {**first, **found.get("backward", {})}  # But for its workspace, all is kept.
    found["peak"] = dict(max(first, last, key=lambda made: sum(made.values())))
    return found


class Binding(capi.Shared):
    """A compiled function that is bound to graphs on a device.

    A copy is the binding itself. A binding cannot be pickled."""

    def __init__(self, function, graphs, device, progress=None):
        self.function, self.graphs, self.device = function, graphs, device
        self.bound = devices.bind_graphs(function.called(), function.name, graphs, device,
                                         progress)
        self._passes = {(function.called().handle, function.name): self.bound}
        self.inputs, self.outputs = self.bound.inputs, self.bound.outputs
        self.workspace_bytes = self.bound.workspace_bytes

    def __del__(self, let_go=in_flight.let_go, is_finalizing=sys.is_finalizing):
        if not is_finalizing():
            let_go()

    def __reduce__(self):
        return self.bound.__reduce__()

    def report(self):
        """The launches of each kernel and their estimated costs, as a dict (docs/Debugging.md)."""
        return self.bound.report()

    def profile(self, inputs, repetitions=5):
        """The report with times: runs the function and waits.

        Args:
            inputs: as for a call.
            repetitions: the number of runs. The time of a kernel is the median over them.

        Returns:
            The dict of `report`. If the device has a timer, each kernel has its time."""
        reports = []
        self._run(inputs, lambda *addresses: reports.append(
            self.bound.profile(*addresses, repetitions=repetitions)))
        return reports[0]

    def __call__(self, inputs):
        """Runs the function. Outputs are arrays or tensors, as the inputs are."""
        if interop.is_traced():
            return _named(interop.traced(self.function, self.graphs, inputs))
        return _call(self.function, self.function._expand(self.graphs, inputs),
                     self._bind)

    def forward(self, inputs, wrt=None):
        """As `CompiledFunction.forward`."""
        return _forward(self.function, self.graphs, inputs, wrt, self._bind)

    def gradients(self, inputs, cotangents, wrt=None):
        """As `CompiledFunction.gradients`."""
        return self.forward(inputs, wrt)[1].gradients(cotangents)

    def memory(self, wrt=None, given=None):
        """As `CompiledFunction.memory`."""
        return _memory(self.function, self._bind, wrt, given)

    def _bind(self, package, name, inputs):
        """The function of a package on its graphs and device."""
        key = package.handle, name
        if key not in self._passes:
            graphs = self.function._graphs_of(package, name, self.graphs)
            self._passes[key] = devices.bind_graphs(package, name, graphs, self.device)
        return self._passes[key]

    def _run(self, inputs, launch):
        return devices.run(self.bound, self.function._expand(self.graphs, inputs), launch)
