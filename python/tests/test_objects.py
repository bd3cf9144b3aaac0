# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages for the CPU with shared objects: they have the bits of the same kernels compiled in
the process, and run on the library without the compiler."""

import logging
import os
import pathlib
import pickle
import platform
import re
import subprocess
import sys

import numpy as np
import pytest

import gnn_mlir
from conftest import ROOT
from gnn_mlir import capi, devices, models
from support import cases
from test_packages import packed, unpacked

pytestmark = [pytest.mark.usefixtures("optimized"),
              pytest.mark.skipif(platform.machine() != "x86_64", reason="not x86-64")]

PROCESSORS = ["x86-64-v3", "x86-64"]
# Products of types; softmax by heads; an argmax, whose gradient goes to one row.
CASES = [("rgcn", "rows-1000", 64, 1), ("gat", "rows-1000", 7, 3),
         ("sage-max", "rows-1000", 100, 1)]


def has(processor):
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    return {"x86-64-v3": "avx2", "x86-64": "sse2"}[processor] in flags


def object_of(package, processor):
    """The package with an object alone."""
    name = f"kernels.{processor}.so"
    kept = {entry: data for entry, data in unpacked(package).items()
            if not entry.startswith("kernels.") or entry == name}
    assert name in kept
    return capi.Package.from_bytes(packed(kept))


def results(function, program):
    """Outputs and gradients, of the call and of both passes."""
    out = function(program.graphs, program.inputs)
    found = function.gradients(program.graphs, program.inputs, {
        function.output_names[0]: np.linspace(-1, 1, out.size, dtype=np.float32).reshape(
            out.shape)})
    return {"": out, **{name: value for name, value in found.items() if value is not None}}


def loaded(package, program):
    return gnn_mlir.compiler.CompiledFunction(package, program.function.name, host="cpu")


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join(map(str, case)))
def made(request, compiler):
    """A program, and its function with objects."""
    program = cases.build(*request.param)
    return program, gnn_mlir.compile(program.function, target="cpu", gradients=True,
                                     objects=PROCESSORS)


def assert_same(found, expected):
    assert found.keys() == expected.keys() and len(found) > 1
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


@pytest.mark.parametrize("processor", PROCESSORS)
def test_bits_of_the_same_kernels_compiled_here(made, processor, monkeypatch):
    if not has(processor):
        pytest.skip(f"the processor is no {processor}")
    program, function = made
    kernels = {name: data for name, data in unpacked(function.package).items()
               if not name.endswith(".so")}
    monkeypatch.setenv("GNN_CPU", processor)
    compiled = results(loaded(capi.Package.from_bytes(packed(kernels)), program), program)
    monkeypatch.delenv("GNN_CPU")
    assert_same(results(loaded(object_of(function.package, processor), program), program),
                compiled)
    cases.check(program, lambda *_: {function.output_names[0]: compiled[""]})


def test_kernels_are_those_of_that_processor(made, monkeypatch):
    program, function = made
    monkeypatch.setenv("GNN_CPU", "x86-64-v3")
    other = gnn_mlir.compile(program.function, target="cpu", gradients=True)
    assert other.package.kernels("mlir") == function.package.kernels("mlir")
    assert other.package.kernels("x86-64.so") is None


RUN = """
import pickle, sys
import gnn_mlir
from test_objects import results
assert not gnn_mlir.capi.has_compiler()
program, path = pickle.load(open(sys.argv[1], "rb")), sys.argv[2]
function = gnn_mlir.load(path, program.name)
assert function.bind(program.graphs).device.name == "cpu"
pickle.dump(results(function, program), open(sys.argv[3], "wb"))
"""


class Given:
    """The facts of a program that a process without the compiler needs."""

    def __init__(self, program):
        self.name, self.graphs, self.inputs = (
            program.function.name, program.graphs, program.inputs)


def run_without_compiler(code, *arguments):
    libraries = pathlib.Path(capi.find_library()).resolve().parent
    paths = os.pathsep.join([str(ROOT / "python"), str(ROOT / "python/tests")])
    return subprocess.run([sys.executable, "-c", code, *arguments], env={
        **os.environ, "GNN_MLIR_LIBRARY": str(libraries / "libGNNRuntime.so"),
        "PYTHONPATH": paths}, capture_output=True, text=True, check=False)


def test_bits_without_the_compiler(made, tmp_path):
    program, function = made
    function.save(tmp_path / "f.gnnpkg")
    (tmp_path / "given").write_bytes(pickle.dumps(Given(program)))
    ran = run_without_compiler(RUN, tmp_path / "given", tmp_path / "f.gnnpkg",
                               tmp_path / "found")
    assert ran.returncode == 0, ran.stderr
    assert_same(pickle.loads((tmp_path / "found").read_bytes()), results(function, program))


def test_kernels_as_ir_alone_without_the_compiler(tmp_path, compiler):
    gnn_mlir.compile(models.sage((4, 4)), target="cpu").save(tmp_path / "f.gnnpkg")
    ran = run_without_compiler(
        "import gnn_mlir, sys\n"
        "gnn_mlir.load(sys.argv[1]).bind(gnn_mlir.Graph([0], [1], 2))", tmp_path / "f.gnnpkg")
    assert re.search(r"GNNError: function 'sage': expected kernels as .*x86-64\.so for cpu, as "
                     "gnn-translate --gnn-to-package --target=cpu makes them, got mlir$",
                     ran.stderr.strip()), ran.stderr


def test_objects_come_before_the_compiler(compiler, monkeypatch):
    """So that a package has the same bits with it and without, here those of a processor that
    rounds each multiplication."""
    if not has("x86-64-v3"):
        pytest.skip("the processor rounds as x86-64 does")
    monkeypatch.setenv("GNN_CPU", "x86-64-v3")
    program = cases.build("rgcn", "rows-1000", 64, 1)
    package = gnn_mlir.compile(program.function, target="cpu", objects=["x86-64"]).package
    entries = unpacked(package)
    del entries["kernels.x86-64.so"]
    both, alone, compiled = (
        loaded(one, program)(program.graphs, program.inputs)
        for one in (package, object_of(package, "x86-64"),
                    capi.Package.from_bytes(packed(entries))))
    np.testing.assert_array_equal(both, alone)
    assert (both != compiled).any()


def test_functions_of_the_c_library(compiler):
    """Without SSE 4.1 rounding is a call of libm, which the object names."""
    program = cases.build("op-numpy", "rows-33", 7, 1)
    function = gnn_mlir.compile(program.function, target="cpu", objects=["x86-64"])
    data = function.package.kernels("x86-64.so")
    assert b"\0libm.so.6\0" in data and b"\0floorf\0" in data and b"libc.so" not in data
    package = object_of(function.package, "x86-64")
    out = loaded(package, program)(program.graphs, program.inputs)
    cases.check(program, lambda *_: out if isinstance(out, dict) else {
        function.output_names[0]: out})


def test_a_package_does_not_depend_on_its_maker(made, monkeypatch):
    program, function = made
    monkeypatch.setenv("GNN_CPU", "x86-64")
    monkeypatch.setenv("GNN_CPU_OPTIMIZE", "0")
    again = gnn_mlir.compile(program.function, target="cpu", gradients=True,
                             objects=PROCESSORS)
    assert again.package.to_bytes() == function.package.to_bytes()


def test_objects_under_other_names(compiler):
    """The code says which processor it is for, whatever its entry is called."""
    function = gnn_mlir.compile(models.sage((4, 4)), target="cpu", objects=["x86-64-v2"])
    entries = unpacked(function.package)
    graph = gnn_mlir.Graph([0], [1], 2)
    for name, problem in [("x86-64.so", "expected code for x86-64, got code for x86-64-v2"),
                          ("x86-64-v9.so", "expected kernels as .*, got x86-64-v9.so")]:
        package = capi.Package.from_bytes(packed({
            "plan.json": entries["plan.json"],
            f"kernels.{name}": entries["kernels.x86-64-v2.so"]}))
        with pytest.raises(gnn_mlir.GNNError, match=problem):
            capi.BoundFunction(package, "sage", [graph], capi.Device.cpu())
    with pytest.raises(gnn_mlir.GNNError, match="expected entries .*, got 'kernels..so'"):
        capi.Package.from_bytes(packed({**entries, "kernels..so": b""}))


@pytest.mark.parametrize("options, message", [
    (dict(objects="x86-64"), "^objects: expected a list of words, got 'x86-64'$"),
    (dict(objects=["x86-64 x86-64-v3"]), "^objects: expected a list of words, got "),
    (dict(objects=["z80"]), "^objects: expected some of the processors .*, got 'z80'$"),
    (dict(objects=["x86-64"], target="emulator"),
     "^objects: expected none but for the target cpu, got some for emulator$")])
def test_options_that_are_wrong(compiler, options, message):
    with pytest.raises(ValueError, match=message):
        gnn_mlir.compile(models.sage((4, 4)), **{"target": "cpu", **options})


@pytest.mark.parametrize("here, saved", [
    (dict(v4=False, v3=True, v2=False, base=True), ["v4", "v3", "base"]),
    (dict(v3=True, v2=False, base=True), ["v3", "base"]),
    (dict(v2=False, base=True), ["v2", "base"])])
def test_processors_of_saved_models(monkeypatch, here, saved):
    """The best of this machine, whose bits a model has, and those that most machines have."""
    best, *others = devices.processors_to_save()
    assert best == next(iter(devices.processors()))
    assert all(devices.processors()[name] for name in others)
    monkeypatch.setattr(devices, "processors", lambda: here)
    assert devices.processors_to_save() == saved


def test_loading_code_is_logged(tmp_path, compiler, caplog):
    path = tmp_path / "f.gnnpkg"
    for objects, count in ([], 0), (["x86-64"], 1):
        gnn_mlir.compile(models.sage((4, 4)), target="cpu", objects=objects).save(path)
        caplog.clear()
        with caplog.at_level(logging.INFO, "gnn_mlir"):
            gnn_mlir.load(path)
        assert [r.getMessage() for r in caplog.records if r.name == "gnn_mlir"] == count * [
            f"{path} has shared objects, which run in this process unchecked"]
