# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a program to a callable on NumPy arrays and torch tensors.

    layer = gnn_mlir.compile(models.rgcn(3, (64, 64)))
    out = layer(graph, {"x": x, "weight": w, "root": r, "bias": b})

NumPy arrays and CPU tensors run on the CPU, CUDA tensors on their GPU, on
torch's current stream and with memory from torch's allocator.
"""

import functools
import json

from . import capi, compiler_capi, devices, files
from . import gradients as differentiation
from . import interop, options, saved, targets, types
from .compiled import CompiledFunction
from .compiler_capi import load_plugin
from .graph import Graph, not_a_graph
from .program import Function, Module, check_counts, graphs_by_name


def read_program(program, passes, graph, function=None):
    """The text of a program, the switches of passes as text, and graphs by name. A list
    of graphs is in the order of `function`, None where there is only one."""
    options.refuse_path(program)
    if not isinstance(program, (Function, Module, str)):
        got = types.described(program)
        raise ValueError("program: expected a torch.nn.Module (an instance), a Python "
                         f"function, or a gnn_mlir Module, Function or text, got {got}")
    compiler_capi.text_option("function", function)
    if isinstance(program, str) and program:
        compiler_capi.text_option("program", program)
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
            dot=None, html=None, kernels=False, stage_passes=None, schedules=None, tuned=None,
            schedule_rule=None, **named):
    """Explains a program, or a compiled PyTorch model, as text.

    For a program the text lists the decisions of the passes on whole-graph ops, the costs of the
    kernels without and with these passes (docs/Cost.md), and the origin of the kernels' schedules.
    Costs are those of the GPU that `compile` would compile for, or of an H200 if that is none; on a
    CPU the text says so.

    For a compiled PyTorch model it lists the programs, the number of their kernels, the kernels
    that no rule laid out, and each op that torch runs, with the reason. It is about all captures
    that torch keeps (docs/Frontend.md).

    Args:
        program: a program as `compile` takes it, or a compiled PyTorch model.
        *args: arguments of a call of a PyTorch model, which is called with them first. Named
            arguments of the call follow.
        target, chip, passes, graph, gradients, stage_passes, schedules, tuned, schedule_rule: as for
            `compile`. Programs only.
        dot: a file that gets a picture for Graphviz. Programs only.
        html: a file that gets a page of pictures and tables. Programs only.
        kernels: whether the names of kernels are listed. PyTorch models only.

    Returns:
        The text.

    Raises:
        ValueError: an argument is invalid.
        GNNError: the program does not compile.
        OSError: a file cannot be read or written."""
    if interop.is_torch_model(program):
        return interop.explain(program, args, named, kernels, dict(
            target=target, chip=chip, passes=passes, graph=graph, gradients=gradients,
            dot=dot, html=html, stage_passes=stage_passes, schedules=schedules, tuned=tuned,
            schedule_rule=schedule_rule))
    options.refuse_unknown(named, explain)
    if args or kernels:
        raise ValueError(f"{'arguments' if args else 'kernels'}: expected for compiled PyTorch "
                         "models alone")
    chip = choose_chip(target, chip)
    text, passes, graphs = read_program(program, passes, graph)
    arguments = text, compiler_capi.NAME, graphs
    asked = {**settings_of(program, target, chip, passes, gradients), "schedules": schedules,
             "stage_passes": compiler_capi.stage_passes_option(stage_passes or {}),
             **compiler_capi.layout_options(tuned, schedule_rule)}
    for form, path in (("dot", dot), ("html", html)):
        if path is not None:
            files.write(path, compiler_capi.explain_text(*arguments, form=form, **asked))
    return compiler_capi.explain_text(*arguments, **asked)


def list_schedules(program, *, target=None, chip=None, passes=None, graph=None,
                   gradients=None, vary=(), filters=(), **unknown):
    """Lists the schedules that the kernels of a program may have (docs/Schedules.md).

    Args:
        program: a program as `compile` takes it.
        target, chip, passes, graph, gradients: as for `compile`.
        vary: names of fields. The listed schedules differ from the compiler's choice in these
            fields only. By default they may differ in all fields.
        filters: names of filters that the listed schedules pass on `graph`: "registers",
            "utilization", "balance".

    Returns:
        A list of dicts, each of which `compile` takes in `schedules`.

    Raises:
        ValueError: an argument is invalid.
        GNNError: the program does not compile."""
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
    """Compiles a PyTorch model, a Python function of tensors, or a program.

    A model or a function of tensors is captured and compiled by the first call of the result
    (docs/Frontend.md). A program is compiled at once (docs/Python.md). Without `program` the result
    is a decorator with these settings.

    PyTorch models take `target`, `chip`, `passes`, `keep_phases`, `fullgraph`, `tuned` and
    `schedule_rule`. Programs take all arguments except `fullgraph`.

    Args:
        program: a torch.nn.Module, a Python function, a `Module`, a `Function`, or IR as text.
        function: the name of the function to call, if the program has several.
        target: "cpu" for the cores of this machine, "cuda" for a GPU, or "emulator", which runs
            kernels of a GPU on the CPU and checks them. By default it is a GPU if torch sees one or
            `chip` is given, where inputs on the CPU run in the emulator; else "cpu".
        chip: the GPU to compile for, by its name ("h100") or its chip ("sm_90"). By default it is
            torch's current GPU, else sm_90.
        passes: switches of passes and costs, a dict such as {"fuse": False} (docs/Passes.md).
        keep_phases: a folder that gets the IR of each stage, and the PTX. It has a folder for each
            program of a model, and for each set of gradients that is compiled later.
        graph: the graph that the program will run on, or a list or dict of graphs. A declaration
            without statistics gets those of its graph, and passes decide by them. A `Module`
            without `dst_sorted` gets the order of the graph's edges (docs/Python.md).
        plugins: paths of plugins that are loaded first (`load_plugin`).
        stage_passes: the points where passes of plugins run, a dict such as {"graph-end":
            "my-pass"} (docs/Plugins.md).
        schedules: the layouts of kernels (docs/Schedules.md): a file of JSON lines, or a list of
            such lines as dicts.
        allow_unused_schedules: whether a line that no kernel takes is legal.
        save_schedules: a file that gets the schedules of all kernels.
        gradients: the gradients that are compiled at once (docs/Python.md): True for those of all
            floating-point inputs, a list of inputs, or a dict of such lists by function. Other
            gradients are compiled when they are first used.
        stop_at: "structured", "scheduled", "blocked" or "loops". Later passes are skipped, and
            loops of scalars run that form of the kernels (docs/Debugging.md).
        objects: processors such as ["x86-64-v3", "x86-64"] that `save` writes machine code for, so
            that C runs the package without LLVM (docs/CAPI.md). CPU only.
        fullgraph: whether an op that no program can express is an error of the first call.
        tuned: whether kernels get the schedules that `tune` has found for the same kernels on
            graphs of similar statistics (docs/Tuning.md).
        schedule_rule: the choice of other schedules: "rule", the default, or "ranked:FILE", a
            trained model (docs/TuningModels.md).

    Returns:
        The result of torch.compile for a PyTorch model or a function of tensors, a
        `CompiledFunction` for a program.

    Raises:
        ValueError: an argument is invalid.
        CompileError: the program does not compile.
        OSError: a file cannot be read or written.

    Examples:
        A model of PyTorch Geometric:

        .. code-block:: python

            model = gnn_mlir.compile(GraphSAGE(16, 32, num_layers=2, out_channels=4))
            out = model(x, edge_index)

        A program on arrays:

        .. code-block:: python

            layer = gnn_mlir.compile(gnn_mlir.models.gcn((16, 8)))
            out = layer(graph, layer.source.random_inputs(graph))"""
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
    if not isinstance(plugins, (list, tuple)):
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
    made.origin = text, {**form, "gradients": asked}
    return made


def export(model, args, path, kwargs=None, *, targets=None, chip=None, passes=None,
           gradients=False):
    """Saves a torch.nn.Module with its parameters to a file, which `load` and C run without torch
    (docs/Serving.md).

    The model is called once with the given arguments, in evaluation mode and without gradients.
    They are an example: kernels are chosen for its graph, and graphs of any size run.

    Args:
        model: the model. A compiled model is saved with its own settings.
        args: a tuple of arguments of the call.
        path: the file.
        kwargs: a dict of named arguments of the call.
        targets: a list of targets that kernels are compiled for, such as ["cuda", "cpu"]. By
            default it is the target of the arguments.
        chip, passes: as for `compile`.
        gradients: whether the file also has the forward and the backward pass.

    Raises:
        ValueError: an argument is invalid.
        CaptureError: the model is not one program; the message names the op."""
    if not isinstance(args, tuple):
        raise ValueError(f"args: expected a tuple of arguments, got {types.described(args)}")
    interop.export(model, args, path, kwargs or {}, dict(passes=passes, chip=None), dict(
        targets=targets, chip=chip, gradients=gradients))


def load(path, function=None, *, device=None):
    """Loads a saved model (docs/Serving.md), or a function of a saved package.

    Files are trusted like programs (docs/CAPI.md).

    Args:
        path: the file that `export` or `CompiledFunction.save` has written.
        function: the name of the function, if a package has several.
        device: the device on which a model runs on arrays, such as "cpu" or "cuda:1". A package
            runs on the target that it was compiled for.

    Returns:
        A `SavedModel`, or a `CompiledFunction` of a package.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is of another kind, or an argument is invalid.
        GNNError: the file is damaged."""
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
