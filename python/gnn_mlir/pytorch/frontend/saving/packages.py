# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The file of a saved model: its manifest, its parameters and a package for each target."""

import contextlib
import io
import json
import math
import zipfile

import numpy as np
import torch

from .... import devices, files, types
from ....compiler import check_target, compile as compile_program
from ....program import Module
from ....targets import CPU, CUDA, EMULATOR
from .. import variants, wholeness
from ..raising.raiser import CaptureError
from .manifest import DTYPES, Manifest

_VERSION = 1
_DATE = (1980, 1, 1, 0, 0, 0)  # The same model gives the same bytes on one kind of machine.


def save(captures, model, path, *, targets=None, chip=None, gradients=False):
    """Writes a model that was captured in evaluation mode, as `compiled.save` does."""
    targets = _checked(targets, chip, gradients)
    outer = _captured(captures)
    with _saving():
        manifest = Manifest(outer, model)
    compiled = manifest.compiled
    options = {name: value for name, value in (compiled.options if compiled else
                                               outer.options).items()
               if name in ("target", "chip", "passes", "tuned", "schedule_rule")}
    targets = targets or [options.get("target") or EMULATOR]
    if chip is not None:
        options["chip"] = chip
    entries, images = {}, {"": [], "rows": []}
    for target in targets:
        given = {**options, "target": target}
        if target == CPU:  # The bits of this machine, and code for others.
            given.pop("chip", None)
            given["objects"] = devices.processors_to_save()
        for name, found in _packages(manifest, given, gradients):
            for entry, package, ordered in found:
                entries[entry] = package.to_bytes()
                images[name].append({
                    "entry": entry, "target": target, "dst_sorted": sorted(ordered),
                    "chip": package.plan()["target"].get("chip", "") if target == CUDA else ""})
    entries["model.json"] = json.dumps(_json(captures.name, manifest, images), indent=1).encode()
    for name, value in manifest.parameters.items():
        entries[f"parameters/{name}.npy"] = _npy(value)
    files.write(path, _archive(entries))


def _checked(targets, chip, gradients):
    """The list of targets, None of none; ValueError where an option is wrong."""
    if type(gradients) is not bool:
        raise ValueError(f"gradients: expected True or False, got {gradients!r}")
    if targets is None:
        return None
    targets = [targets] if isinstance(targets, str) else targets
    if not isinstance(targets, (list, tuple)) or not targets or None in targets or (
            len(set(map(str, targets))) < len(targets)):
        raise ValueError(f"targets: expected different names of targets, got {targets!r}")
    for target in targets:
        check_target(target)
    if chip is not None and set(targets) == {CPU}:
        raise ValueError(f"chip: expected none for a CPU, got {chip!r}")
    return list(targets)


@contextlib.contextmanager
def _saving():
    """Around what may refuse an op: it is not saved, whether torch can run it or not."""
    try:
        yield
    except CaptureError as error:
        raise CaptureError(str(error).replace(CaptureError.ADVICE, "").replace(
            "cannot be compiled with what is around it", "cannot be saved")) from None


def export(compiled, args, kwargs, path, **options):
    """Calls a compiled model in evaluation mode and saves it; the modes of its modules stay."""
    modes = {one: one.training for one in compiled.modules()}
    compiled.eval()
    try:
        with torch.no_grad():
            compiled(*args, **kwargs)
        compiled.save(path, **options)
    finally:
        for one, training in modes.items():
            one.training = training


def _captured(captures):
    """The `Outer` of the whole model that was called last in evaluation mode."""
    found = captures.outers()
    own = [outer for outer in found if False in outer.structures.used]
    if not own:
        got = "only calls in training mode" if found else (
            captures.why_not_whole() or captures.why_none() or "no call that torch still keeps")
        raise CaptureError(
            f"{captures.name}: expected a call in evaluation mode before the model is saved, as "
            f"gnn_mlir.export(model, args, path) makes one, got {got}")
    why = captures.why_not_whole(own)
    if why:
        raise CaptureError(f"{captures.name}: expected one program of the whole model to save, "
                           f"got a part that is left to torch: {why}")
    outer = max(own, key=lambda outer: outer.structures.used[False])
    with _saving():
        wholeness.refuse_splits(outer.raiser, variants.programs(outer.raiser))
    _refuse(captures.name, outer)
    return outer


def _is_constant(value):
    if type(value) is str:
        return value.isprintable() or value.encode(errors="replace").decode() == value
    return value is None or type(value) is bool or type(value) is int and abs(value) < 2 ** 63 or (
        type(value) is float and math.isfinite(value))


def _refuse(name, outer):
    """Raises CaptureError for what a file cannot hold."""
    sources = outer.sources
    problems = {
        "a model that writes to none of its inputs and buffers in evaluation mode":
            outer.lowered.mutated,
        "a model without random numbers in evaluation mode": outer.calls[0].has_seed,
        "a torch.nn.Module that was called": sources is None}
    if sources is not None:
        problems[sources.problem] = sources.problem
        problems["a call with different tensors for different arguments, got one for "
                 f"{' and '.join(sources.same or ())}"] = sources.same
        for constant, value in sources.constants.items():
            problems[f"tensors, finite numbers of 64 bits, texts and truth values as arguments, got "
                     f"{constant} of {type(value).__name__}"] = not _is_constant(value)
    for expected, is_there in problems.items():
        if is_there:
            raise CaptureError(f"{name}: to save it, expected {expected}")


def _packages(manifest, options, gradients):
    """("" of the program and "rows" of projections, [(entry, package, graphs with sorted edges)])
    of a target."""
    target, compiled = options["target"], manifest.compiled
    function = manifest.call.segment.function
    ordered = frozenset(compiled.ordered if compiled else ())
    statistics = compiled.statistics if compiled else {}
    wrt = _differentiable(manifest) if gradients else None
    found = []
    for own in dict.fromkeys((ordered, frozenset())):
        module = function.module.with_declared({
            name: {"stats": tuple(one.items()), "dst_sorted": name in own}
            for name, one in statistics.items()})
        package = compile_program(module.functions[function.name], gradients=wrt,
                                  **options).package
        found.append((f"packages/{target}{'-sorted' if own else ''}.gnnpkg", package, own))
    yield "", found
    if manifest.projections:
        package = compile_program(_rows_module(manifest), manifest.projections[0].name,
                                  **options).package
        yield "rows", [(f"packages/{target}-rows.gnnpkg", package, ())]


def _differentiable(manifest):
    """The inputs of the program that have gradients: parameters as they are, and features."""
    if manifest.joined:
        raise CaptureError("gradients: expected parameters that the program reads as they are, "
                           f"got {', '.join(manifest.joined)}, which torch joins or computes")
    if manifest.projections:
        raise CaptureError("gradients: expected a model of one program, got one with layers on "
                           "the rows of an argument before it")
    return manifest.trained


def _rows_module(manifest):
    """The program of projections."""
    module, sizes = Module(), {one["name"]: one["shape"] for one in manifest.arguments}
    for one in manifest.projections:
        graph, function = module.graph(f"of_{one.name}"), module.function(one.name)
        x = function.input("x", graph.rows("node", *sizes[one.argument][1:]))
        weight = function.input("weight", types.weight(*manifest.parameters[one.weight[0]].shape))
        bias = None if one.bias is None else function.input("bias", types.weight(
            *manifest.parameters[one.bias[0]].shape))
        made = function.linear(x, function.weight_transpose(weight), bias)
        for kind in one.activations:
            made = function.activation(kind, made)
        function.output("out", made)
    return module


def _json(name, manifest, images):
    """The manifest as it stands in the file (docs/Serving.md)."""
    sources = manifest.sources
    graphs, calls = list(manifest.graphs), []
    for one in manifest.projections:
        graphs.append({"name": f"of_{one.name}", "square": True, "edge_types": 1, "node_types": 1,
                       "num_src": {"argument": one.argument, "dim": 0}, "src": [], "dst": []})
        inputs = [{"name": "x", "rows": [one.argument]}, {"name": "weight", "parameters": one.weight}]
        if one.bias:
            inputs.append({"name": "bias", "parameters": one.bias})
        calls.append({"function": one.name, "images": images["rows"], "inputs": inputs,
                      "results": [f".{one.name}"]})
    calls.append({"function": manifest.call.segment.function.name, "images": images[""],
                  "inputs": manifest.inputs, "results": [
                      f".result_{i}" for i in range(len(manifest.call.segment.outputs))]})
    known = {one["name"] for one in manifest.arguments}
    return {
        "version": _VERSION, "name": name,
        "signature": {"arguments": sources.arguments, "constants": sources.constants,
                      "defaults": {name: one for name, one in sources.defaults.items()
                                   if _is_constant(one)},
                      "unused": {name: {"dtype": dtype, "rank": rank} for name, (dtype, rank) in
                                 sources.tensors.items() if name not in known},
                      "outputs": sources.outputs},
        "arguments": [one for name in sources.tensors for one in manifest.arguments
                      if one["name"] == name],
        "parameters": [{"name": name, "dtype": DTYPES[value.dtype], "shape": list(value.shape)}
                       for name, value in manifest.parameters.items()],
        "conditions": manifest.conditions, "graphs": graphs, "calls": calls,
        "outputs": manifest.outputs}


def _npy(value):
    file = io.BytesIO()
    np.lib.format.write_array(file, np.ascontiguousarray(value.cpu().numpy()), version=(1, 0))
    return file.getvalue()


def _archive(entries):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in sorted(entries.items()):
            archive.writestr(zipfile.ZipInfo(name, _DATE), data)
    return file.getvalue()
