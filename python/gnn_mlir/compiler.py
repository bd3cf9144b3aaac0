# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a program to a callable on NumPy arrays and torch tensors.

    layer = gnn_mlir.compile(models.rgcn(3, (64, 64)))
    out = layer(graph, {"x": x, "weight": w, "root": r, "bias": b})

NumPy arrays and CPU tensors run on the CPU, CUDA tensors on their GPU, on
torch's current stream and with memory from torch's allocator.
"""

import functools
import json
import sys
import weakref

from . import batches as mini_batches, capi, compiler_capi, devices, files
from . import gradients as differentiation
from . import in_flight, interop, options, running, saved, targets, tokens, types
from .compiler_capi import load_plugin
from .graph import Graph, not_a_graph
from .placed_graph import PlacedGraph
from .program import (Function, Module, check_counts, check_dict, check_graph_names,
                      check_names, graphs_by_name)


def read_program(program, passes, graph, function=None):
    """The text of a program, the switches of passes as text, and graphs by name. A list
    of graphs is in the order of `function`, None where there is only one."""
    options.refuse_path(program)
    if not isinstance(program, (Function, Module, str)):
        got = types.described(program)
        raise ValueError("program: expected a torch.nn.Module (an instance), a Python "
                         f"function, or a gnn_mlir Module, Function or text, got {got}")
    known = functions_of(program)
    of = (program if isinstance(program, Function) else known.get(function) or
          (next(iter(known.values())) if len(known) == 1 else None))
    if isinstance(graph, (list, tuple)):
        if of is None:
            raise ValueError("graph: expected a dict of graphs by name, since no one "
                             f"function says their order, got {types.described(graph)}")
        graph = graphs_by_name(of.name, of.graphs(), graph)
    graphs = graph if isinstance(graph, dict) else ({} if graph is None else {"": graph})
    for name, one in graphs.items():
        if not isinstance(one, Graph) or not isinstance(name, str):
            raise ValueError("graph: expected a Graph, or a list or dict of them by name, "
                             f"got {f'{name!r}: ' if name else ''}{not_a_graph(one)}")
    if isinstance(program, Function):
        program = program.module
    if isinstance(program, Module):
        check_counts(program, graphs)
    text = program if isinstance(program, str) else program.with_orders_of(graphs).text()
    return text, compiler_capi.pass_options(passes or {}), graphs


def functions_of(program):
    """The functions of a program by name; none where it is text."""
    module = program.module if isinstance(program, Function) else program
    return module.functions if isinstance(module, Module) else {}


def check_target(target):
    """Raises ValueError where there is no such target; None is the device of the inputs."""
    if target not in (None, *targets.ALL) and target not in (known := compiler_capi.targets()):
        raise ValueError(f"target: expected one of {', '.join(known)}, got {target!r}")


def choose_chip(target, chip):
    """The GPU to compile for, or None."""
    check_target(target)
    if chip is not None and (target == targets.CPU or not isinstance(chip, str)):
        wanted = "none on a CPU" if target == targets.CPU else "text such as sm_90"
        raise ValueError(f"chip: expected {wanted}, got {chip!r}")
    number = interop.current_gpu()
    gpu = None if number is None else devices.describe_gpu(number)
    return {None: chip or gpu, targets.CUDA: chip or gpu or "sm_90"}.get(target, chip)


def explain(program, *args, target=None, chip=None, passes=None, graph=None, gradients=None,
            dot=None, html=None, kernels=False, schedules=None, tuned=None, schedule_rule=None, **named):
    """The work of the passes on whole-graph ops, the cost of kernels without and with them, and
    what laid these out, as text (docs/Cost.md); `dot` is a file that gets a picture of both, for
    Graphviz, and `html` one that gets a page of pictures and tables. The others are as for `compile`,
    but `schedules` is a path: costs are weighed for the GPU that it would compile for, an H200
    where that is none (as on the CPU, which then is said). Raises GNNError.

    For a compiled PyTorch model: its programs, how many kernels they have (with `kernels` also
    their names), those that no rule laid out, and what is left to torch and why, of all captures that
    torch keeps (docs/Frontend.md). Others are then those of a call of it, which is made first."""
    if interop.is_torch_model(program):
        return interop.explain(program, args, named, kernels, dict(
            target=target, chip=chip, passes=passes, graph=graph, gradients=gradients,
            dot=dot, html=html, schedules=schedules, tuned=tuned, schedule_rule=schedule_rule))
    options.refuse_unknown(named, explain)
    if args or kernels:
        raise ValueError(f"{'arguments' if args else 'kernels'}: expected for compiled PyTorch "
                         "models alone")
    chip = choose_chip(target, chip)
    text, passes, graphs = read_program(program, passes, graph)
    arguments = text, compiler_capi.NAME, graphs
    asked = {**settings_of(program, target, chip, passes, gradients),
             **compiler_capi.layout_options(schedules, tuned, schedule_rule)}
    for form, path in (("dot", dot), ("html", html)):
        if path is not None:
            files.write(path, compiler_capi.explain_text(*arguments, form=form, **asked))
    return compiler_capi.explain_text(*arguments, **asked)


def list_schedules(program, *, target=None, chip=None, passes=None, graph=None,
                   gradients=None, vary=(), filters=(), **unknown):
    """The schedules that the kernels of a program may have (docs/Schedules.md), a list
    of dicts as `compile` takes for `schedules`: those that differ from what is chosen in the
    fields named in `vary`, or all, and pass `filters` (of registers, utilization and balance, by
    the rows of `graph`). Other arguments are those of `compile`. Raises GNNError."""
    options.refuse_unknown(unknown, list_schedules)
    vary = [vary] if isinstance(vary, str) else vary
    if not (isinstance(vary, (list, tuple)) and
            all(isinstance(name, str) and name.isidentifier() for name in vary)):
        raise ValueError(f"vary: expected names of fields, got {vary!r}")
    chip = choose_chip(target, chip)
    text, passes, graphs = read_program(program, passes, graph)
    settings = settings_of(program, target, chip, passes, gradients)
    lines = compiler_capi.schedules_text(text, compiler_capi.NAME, graphs, vary, filters, **settings)
    return [json.loads(line) for line in lines.splitlines()]


def settings_of(program, target, chip, passes, gradients, function=None):
    return dict(target=devices.kind_of(target, chip), chip=chip, passes=passes,
                gradients=differentiation.parse(gradients, function, functions_of(program)))


def compile(program=interop.NONE, function=None, *, target=None, chip=None, passes=None,
            keep_phases=None, graph=None, plugins=(), stage_passes=None, schedules=None,
            allow_unused_schedules=False, save_schedules=None, gradients=None,
            stop_at=None, objects=(), fullgraph=False, tuned=False, schedule_rule=None,
            **unknown):
    """Compiles a program: a `Module`, a `Function`, or IR as text; or a torch.nn.Module, or
    a Python function of tensors.

    For these it returns the result of torch.compile, which captures and compiles at its first call
    (docs/Frontend.md). `target`, `chip`, `passes`, `tuned` and `schedule_rule` are as below,
    `keep_phases` gets a folder for each program, and with `fullgraph` a part that no program means
    is an error, at that call. The other arguments belong to programs. Without `program` it is a
    decorator with these settings.

    Returns a `CompiledFunction`; `function` names it if the program has several. `target` is "cpu"
    for the cores of this machine, "cuda" for a GPU, or "emulator", which runs kernels of a GPU here
    and checks them. None is a GPU, and the emulator for inputs on the CPU, if torch sees a GPU or a
    chip is named, else "cpu". `chip` is the GPU to compile for, by its name, as "h100", or its
    chip, as "sm_90"; None: torch's current one by its driver's description, else sm_90. `passes`
    sets the switches of passes and cost (docs/Passes.md), a dict: {"fuse": False}. `keep_phases`
    names a folder that gets the IR of each stage, and the PTX; programs compiled later, for other
    gradients, have a folder within it.
    `graph` is the graph that it will run on, or a list or dict of them: a declaration without
    statistics gets those of its graph, by which passes then decide, and one of a `Module` without
    `dst_sorted` the order of its edges (docs/Python.md). `plugins` are loaded first
    (`load_plugin`); `stage_passes` states where their passes run, a dict by point: {"graph-end":
    "my-pass"} (docs/Plugins.md). `schedules` lays out kernels (docs/Schedules.md): a file of JSON
    lines, or a list of such lines as dicts. One that no kernel takes is an error unless
    `allow_unused_schedules`. `save_schedules` names a file that gets all chosen ones. With `tuned`
    kernels get the schedules that `tune` has found for the same kernels on graphs of similar
    statistics, if there are records (docs/Tuning.md). `schedule_rule` lays out the others: "rule"
    (None), or "ranked:FILE", a trained model (docs/TuningModels.md).
    `gradients` compiles forward and backward passes too (docs/Python.md): True for the
    gradients of all inputs of floating point, a list of the names of some, or a dict of
    these by function. Others of these inputs, and gradients of some outputs alone, are
    compiled when they are first asked for.
    `stop_at` runs the templates of a form by loops of scalars, without the passes behind
    it: "structured", "scheduled", "blocked" or "loops" (docs/Debugging.md). `objects` lists
    processors, as ["x86-64-v3", "x86-64"], that the package of a program for the CPU gets shared
    objects for: `save` writes them, and C runs them without LLVM (docs/CAPI.md). Raises
    ValueError where an option is wrong, CompileError where the program is, and OSError for files."""
    compiler_capi.flag_option("tuned", tuned)
    rule = compiler_capi.rule_option(schedule_rule)
    settings = dict(target=target, chip=chip, passes=passes, keep_phases=keep_phases,
                    tuned=tuned, schedule_rule=rule, fullgraph=fullgraph)
    others = dict(function=function, graph=graph, plugins=plugins or None,
                  stage_passes=stage_passes, schedules=schedules,
                  allow_unused_schedules=allow_unused_schedules or None,
                  save_schedules=save_schedules, gradients=gradients, stop_at=stop_at,
                  objects=objects or None)
    interop.refuse_unknown(unknown, settings, others)
    if program is interop.NONE:
        return functools.partial(compile, **settings)
    if interop.is_torch_model(program):
        return interop.compile(program, settings, others)
    if fullgraph:
        raise ValueError("fullgraph: expected a torch.nn.Module with it, got a program")
    if isinstance(plugins, (str, bytes)):
        raise ValueError(f"plugins: expected a list of paths, got {plugins!r}")
    for plugin in plugins:
        load_plugin(plugin)
    chip = choose_chip(target, chip)
    text, passes, graphs = read_program(program, passes, graph, function)
    source = None
    if isinstance(program, Function):
        source, function, program = program, function or program.name, program.module
    form = settings_of(program, target, chip, passes, gradients, function)
    asked, always = form.pop("gradients"), (text, graphs, schedules)
    form.update(keep_ir=target != targets.CUDA, tuned=tuned, schedule_rule=rule,
                stop_at=compiler_capi.word_option("stop_at", stop_at),
                objects=compiler_capi.list_option("objects", objects),
                stage_passes=compiler_capi.stage_passes_option(stage_passes or {}))
    package = compiler_capi.compile_package(
        *always, **form, phases=keep_phases, gradients=asked, save_schedules=save_schedules,
        allow_unused_schedules=bool(allow_unused_schedules))
    name = _pick(package, function)
    if source is None and isinstance(program, Module):
        source = program.functions.get(name)
    # Schedules of the first compilation may be of passes that others do not have.
    again = compiler_capi.compiling_later(*always, phases=keep_phases, **form,
                                          allow_unused_schedules=True) if asked else None
    host = targets.EMULATOR if form["target"] == targets.CUDA else form["target"]
    made = CompiledFunction(package, name, source, again, host)
    made.origin = text, {"target": form["target"], "chip": chip, "passes": passes,
                         "gradients": asked}
    return made


def export(model, args, path, kwargs=None, *, targets=None, chip=None, passes=None,
           gradients=False):
    """Saves a torch.nn.Module with its parameters to a file that `load` and C run without torch
    (docs/Serving.md). It is called with `args`, a tuple, and `kwargs`, a dict, in evaluation mode
    and without gradients: they are an example, whose graph kernels are chosen for, and other
    graphs of any size run too. `targets` are those that it is saved for, such as ["cuda", "cpu"]:
    None for that of the arguments. `chip` and `passes` are as those of `compile`; with
    `gradients` the forward and the backward pass are there too. A model that is compiled is
    saved with its own settings. Raises ValueError, or CaptureError where it is not one program,
    which names the op."""
    if not isinstance(args, tuple):
        raise ValueError(f"args: expected a tuple of arguments, got {types.described(args)}")
    interop.export(model, args, path, kwargs or {}, dict(passes=passes, chip=None), dict(
        targets=targets, chip=chip, gradients=gradients))


def load(path, function=None, *, device=None):
    """A saved model, a `SavedModel` (docs/Serving.md), or a function of a saved package. Both are
    trusted like a program (docs/CAPI.md). `device` is where a model runs on arrays; of a package
    it is what it was compiled for. Raises FileNotFoundError where there is no file, ValueError for
    a file of another kind, and GNNError for one that is not sound."""
    if saved.is_model(path):
        if function is not None:
            raise ValueError(f"function: expected none of a saved model, got {function!r}")
        return saved.SavedModel(path, device, lambda package, name: CompiledFunction(
            package, name, host=devices.host_of(package)))
    if device is not None:
        raise ValueError(f"device: expected none of a package, which is bound to one, got {device!r}")
    saved.check_package(path)
    package = capi.Package.load(path)
    devices.tell_of_code(package, path)
    name = _pick(package, function)
    return CompiledFunction(package, name, host=devices.host_of(package))


def _pick(package, wanted):
    functions = package.functions
    given = list(dict.fromkeys(p.get("gradient_of", p["name"])
                               for p in package.plan()["functions"]))
    if wanted is None and len(given) == 1:
        return given[0]
    if not functions:
        raise ValueError("expected a program with a function, got none")
    if wanted not in functions and wanted not in given:
        raise ValueError(f"function: expected one of {types.listed(functions)}, got {wanted!r}")
    return wanted


class CompiledFunction(capi.Shared):
    """A compiled function. Call it with a graph (or a dict of them by name) and a
    dict of inputs by name; it binds graphs once and keeps the binding as long as
    it and all of them live.

    One with gradients records them where torch does, and `forward`, `gradients` give
    them of arrays. It keeps the graphs that it was compiled for: it may compile more.

    A copy is the function itself. A pickle has what `save` writes, and so no
    `source`: the program that it was compiled of."""

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
        """Writes the package: all functions of the program."""
        self.package.save(path)

    def ptx(self):
        """The kernels as PTX text; None where no GPU was compiled for."""
        found = self.package.kernels("ptx")
        return None if found is None else found.decode()

    def bind(self, graphs, device=None, progress=None):
        """Binds the function to graphs on a device: "cpu", "cuda", "cuda:1", "emulator",
        a `capi.Device`, or None for that of the host."""
        graphs = self._graphs(graphs)
        place = device or devices.of_graphs(graphs) or self._host
        return Binding(self, graphs, devices.open_device(place), progress)

    def __call__(self, graphs, inputs):
        """Outputs as the inputs are: arrays or tensors. One output is given
        itself, several as a dict by name."""
        if interop.is_traced():
            return _named(interop.traced(self, graphs, inputs))
        graphs = self._graphs(graphs)
        return _call(self, self._expand(graphs, inputs), self._binder(graphs))

    def forward(self, graphs, inputs, wrt=None):
        """Outputs as a call gives them, and a tape whose `gradients` gives gradients
        of the inputs in `wrt` (None: all that it was compiled for) from those of
        outputs."""
        graphs = self._graphs(graphs)
        return _forward(self, graphs, inputs, wrt, self._binder(graphs))

    def gradients(self, graphs, inputs, cotangents, wrt=None):
        """Gradients of the inputs in `wrt` (None: all that it was compiled for) as a
        dict by name, from `cotangents`, gradients of outputs by name. Outputs that
        nothing was computed of are None or left out."""
        return self.forward(graphs, inputs, wrt)[1].gradients(cotangents)

    def prefetch(self, batches, ahead=2):
        """Iterates over mini-batches, of which the next `ahead` are made and bound on
        another thread. An item of `batches` is the graphs of a call, or a tuple that
        begins with them. The passes that are bound, and where, are those that the call
        on the graphs of an item before needed."""
        return mini_batches.prefetch(self, batches, ahead)

    def memory(self, graphs, wrt=None, given=None, device=None):
        """Bytes of the tensors that a run makes, known before it, a dict by function:
        "call", and where there are gradients "forward" and "backward", for those of the
        inputs `wrt` (None: all) from those of the outputs `given` (None: all). Each is a
        dict by what is made: "output", "saved", "gradient", and the "workspace", which
        is free after the run, or on the CPU for the next one. "peak" is such a dict
        too, of what there is where a forward and a backward pass together have the
        most, or a call where there are no gradients; inputs, gradients that are given
        and the index arrays of graphs come on top.
        `device` is that of `bind`."""
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
    """A compiled function with its graphs on a device. A copy is the binding
    itself; it cannot be pickled."""

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
        """How each kernel is launched and what it costs, as a dict
        (docs/Debugging.md)."""
        return self.bound.report()

    def profile(self, inputs, repetitions=5):
        """The same, with the median time of each kernel in so many runs where
        the device has a timer. Waits."""
        reports = []
        self._run(inputs, lambda *addresses: reports.append(
            self.bound.profile(*addresses, repetitions=repetitions)))
        return reports[0]

    def __call__(self, inputs):
        """Runs; the outputs are as the inputs are, arrays or tensors."""
        if interop.is_traced():
            return _named(interop.traced(self.function, self.graphs, inputs))
        return _call(self.function, self.function._expand(self.graphs, inputs),
                     self._bind)

    def forward(self, inputs, wrt=None):
        """As that of the function."""
        return _forward(self.function, self.graphs, inputs, wrt, self._bind)

    def gradients(self, inputs, cotangents, wrt=None):
        """As that of the function."""
        return self.forward(inputs, wrt)[1].gradients(cotangents)

    def memory(self, wrt=None, given=None):
        """As that of the function."""
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
