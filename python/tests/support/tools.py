# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs through the command-line tools, for the harness of `cases`."""

import pathlib
import subprocess
import tempfile

import numpy as np

from gnn_mlir import targets
from . import generic_ir


def run_by_tool(gnn_run, *options):
    """A `run` for `cases.check` that calls gnn-run, with files in between.

    `gnn_run` is the path of the tool, `options` are more of its options. A run that
    fails raises AssertionError with what the tool said."""
    def run(text, function, graphs, inputs):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "module.mlir").write_text(text)
            command = [gnn_run, folder / "module.mlir", "--function", function,
                       "--output", folder / "out", *options]
            for name, graph in graphs.items():
                graph.save(folder / f"{name}.npz")
                command += ["--graph", f"{name}={folder / name}.npz"]
            for name, array in inputs.items():
                np.save(folder / f"{name}.npy", np.ascontiguousarray(array))
                command += ["--input", f"{name}={folder / name}.npy"]
            result = subprocess.run([str(word) for word in command], text=True,
                                    capture_output=True, check=False)
            if result.returncode != 0:
                raise AssertionError(f"{result.stdout}\n{result.stderr}".strip())
            return {p.stem: np.load(p) for p in (folder / "out").glob("*.npy")}
    return run


def print_generic(gnn_opt, texts, *options):
    """The output of gnn-opt, in generic form, for texts that go through the passes
    of these options. A run that fails raises AssertionError with what the tool
    said."""
    separator = "\n// -----\n"
    result = subprocess.run(
        [str(gnn_opt), "-", "--split-input-file", *generic_ir.OPTIONS, *options],
        input=separator.join(texts), text=True, capture_output=True, check=False)
    if result.returncode != 0:
        raise AssertionError(result.stderr.strip())
    return result.stdout


def optimize(gnn_opt, texts, *options):
    """The `interpreter.Module` of each text after passes, by one run of gnn-opt."""
    from . import interpreter

    modules = interpreter.read_all(print_generic(gnn_opt, texts, *options))
    if len(modules) != len(texts):
        raise AssertionError(f"expected {len(texts)} modules, got {len(modules)}")
    return modules


def run_by_library(device=None, checked=True, stop_at=None):
    """A `run` for `cases.check` that compiles in this process and binds to a
    device, as `gnn_mlir.compile` does: a name, or None for the emulator with every access
    `checked` or not; `stop_at` is that of `compile`. Programs of one text are compiled once, for the last few of
    them."""
    import functools

    from gnn_mlir import capi

    from gnn_mlir.compiler import compile as compile_program

    target = {None: targets.EMULATOR, targets.CPU: targets.CPU}.get(
        device, targets.CUDA)
    place = device or capi.Device.emulator(checked)

    @functools.lru_cache(maxsize=4)
    def compiled(text, function):
        return compile_program(text, function, target=target, stop_at=stop_at)

    def run(text, function, graphs, inputs):
        binding = compiled(text, function).bind(graphs, place)
        outputs = binding(inputs)
        return outputs if isinstance(outputs, dict) else {
            binding.outputs[0].name: outputs}
    return run
