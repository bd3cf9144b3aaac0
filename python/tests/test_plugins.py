# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An op and a pass outside of the tree, built against an installed GNN, and loaded
by gnn-opt, gnn-run and Python. test/Examples/standalone-pass.test has the pass in
gnn-opt."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

from conftest import BUILD, ROOT

EXAMPLE = ROOT / "examples/standalone-op"
PASS_EXAMPLE = ROOT / "examples/standalone-pass"
TILE_EXAMPLE = ROOT / "examples/standalone-tile-pass"
TARGET_EXAMPLE = ROOT / "examples/standalone-target"
pytestmark = pytest.mark.skipif(not BUILD, reason="needs a build")


def run(*command, fails=False, **options):
    result = subprocess.run([str(word) for word in command], text=True,
                            capture_output=True, check=False, **options)
    assert bool(result.returncode) == fails, result.stdout + result.stderr
    return result.stderr if fails else result.stdout


def cached(name):
    text = (pathlib.Path(BUILD) / "CMakeCache.txt").read_text()
    return re.search(rf"^{name}:\w+=(.*)$", text, re.M)[1]


def install(*example):
    return pathlib.Path(run(sys.executable, ROOT / "utils/install-for-tests.py", BUILD,
                            *example).strip())


@pytest.fixture(scope="module")
def installed():
    if cached("GNN_STATIC_MLIR") == "ON":
        pytest.skip("a static build loads no plugins")
    return install()


@pytest.fixture(scope="module")
def plugin(installed):
    return install(EXAMPLE.name) / "ClipNorm.so"


@pytest.fixture(scope="module")
def pass_plugin(installed):
    return install(PASS_EXAMPLE.name) / "HoistLinear.so"


@pytest.fixture
def python(installed):
    """The environment of a program that has the installed library."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "python"),
            "GNN_MLIR_LIBRARY": str(installed / "lib/libGNN.so")}


def test_python_computes_what_the_reference_does(plugin, python):
    out = run(sys.executable, EXAMPLE / "clip_norm.py", plugin, env=python)
    clipped = int(re.fullmatch(
        r"clip_norm: as the reference, (\d+) rows clipped\n"
        r"its gradient: as differences of the reference\n", out)[1])
    assert 0 < clipped < 20


def test_gnn_opt_lowers_the_op(installed, plugin):
    text = run(installed / "bin/gnn-opt", EXAMPLE / "clip-norm.mlir",
               f"--load-dialect-plugin={plugin}", "--convert-gnn-to-gnn-tile")
    assert "extra." not in text
    assert "math.sqrt" in text


@pytest.mark.parametrize("old, new, message", [
    ("to 1.5", "to 0.0", "expected a finite limit above 0, got 0.0"),
    ("to 1.5", "to 0x7F800000", "expected a finite limit above 0, got 0x7F8"),
    ("8xf32", "2x2x2xf32", "expected one or two feature dimensions, got 3"),
    ("clip_norm %s", "clop_norm %s", "extra.clop_norm"),
])
def test_bad_ops_are_refused(installed, plugin, tmp_path, old, new, message):
    text = (EXAMPLE / "clip-norm.mlir").read_text()
    assert old in text
    bad = tmp_path / "bad.mlir"
    bad.write_text(text.replace(old, new))
    assert message in run(installed / "bin/gnn-opt", bad,
                          f"--load-dialect-plugin={plugin}", fails=True)


def test_gnn_run_computes_what_the_reference_does(installed, plugin, tmp_path):
    spec = importlib.util.spec_from_file_location("clip_norm",
                                                  EXAMPLE / "clip_norm.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    import gnn_mlir
    rng = np.random.default_rng(1)
    graph = gnn_mlir.Graph(rng.integers(0, 9, 40), rng.integers(0, 9, 40), 9)
    x = rng.standard_normal((9, 8), np.float32)
    graph.save(tmp_path / "g.npz")
    np.save(tmp_path / "x.npy", x)
    command = [installed / "bin/gnn-run", EXAMPLE / "clip-norm.mlir",
               "--function=clipped", f"--graph={tmp_path}/g.npz",
               f"--input=x={tmp_path}/x.npy", f"--output={tmp_path}"]
    assert "extra" in run(*command, fails=True)
    run(*command, f"--load-plugin={plugin}")
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"),
                               example.expected(graph, x), rtol=1e-5, atol=1e-6)


# The pass does what `compact` would do, which stands aside.
ALONE = "compact=false linear-reorder=false order-aggregate=false"
HOISTED = re.compile(r"gnn\.linear.*\n.*gnn\.gather")


def messages(tmp_path):
    """A graph file, inputs and the rows that the example gives for them."""
    import gnn_mlir
    rng = np.random.default_rng(1)
    graph = gnn_mlir.Graph(rng.integers(0, 9, 40), rng.integers(0, 9, 40), 9)
    x = rng.standard_normal((9, 64), np.float32)
    w = rng.standard_normal((64, 8), np.float32)
    graph.save(tmp_path / "g.npz")
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "w.npy", w)
    return (x @ w)[graph.edge_src]


def test_gnn_run_runs_a_pass_of_a_plugin(installed, pass_plugin, tmp_path):
    expected = messages(tmp_path)
    command = [installed / "bin/gnn-run", PASS_EXAMPLE / "hoist-linear.mlir",
               "--function=messages", f"--graph={tmp_path}/g.npz",
               f"--input=x={tmp_path}/x.npy", f"--input=w={tmp_path}/w.npy",
               f"--output={tmp_path}", f"--phases={tmp_path}/phases",
               f"--passes={ALONE}", f"--load-plugin={pass_plugin}"]
    for where, is_hoisted in ([], False), (["graph-begin"], True), (["graph-end"], True):
        run(*command, *(f"--stage-passes={w}=hoist-linear" for w in where))
        graph = (tmp_path / "phases/1-graph.mlir").read_text()
        assert bool(HOISTED.search(graph)) == is_hoisted, (where, graph)
        np.testing.assert_allclose(np.load(tmp_path / "out.npy"), expected,
                                   rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("passes, message", [
    ("grph-end=hoist-linear", "stage-passes: expected POINT=PASSES with a point of "
     "graph-begin, graph-end, tile-begin, tile-end, schedule-begin, schedule-end, "
     "block-begin, block-end, loops-begin, loops-end, lanes-begin, lanes-end, "
     "gpu-begin, gpu-end, math-begin, math-end, ptx-begin, ptx-end, "
     "after-schedule, after-blocked, after-loops, got "
     "'grph-end=hoist-linear'"),
    ("hoist-linear", "with a point of graph-begin, "),
    ("graph-end=hoist", "stage-passes: graph-end: 'hoist' does not refer to a "
     "registered pass or pass pipeline"),
    ("graph-end=", "stage-passes: graph-end: expected passes, got none"),
    ("graph-end=builtin.module(hoist-linear)", "graph-end: expected passes on the "
     "module and on what is in it, got passes on modules inside: "
     "'builtin.module(hoist-linear)'"),
    ("graph-end=gnn-compact", "stage-passes: graph-end: Can't add pass 'Compact' "
     "restricted to 'func.func' on a PassManager intended to run on "
     "'builtin.module', did you intend to nest?"),
    ("graph-end=func.func(hoist-linear", "stage-passes: graph-end: encountered "
     "unbalanced parentheses"),
    ("ptx-end=hoist-linear", "stage-passes: expected a stage that runs on this "
     "module, got 'ptx-end' without a GPU to compile for"),
])
def test_bad_stage_passes_are_refused(installed, pass_plugin, tmp_path, passes,
                                      message):
    messages(tmp_path)
    error = run(installed / "bin/gnn-run", PASS_EXAMPLE / "hoist-linear.mlir",
                "--function=messages", f"--graph={tmp_path}/g.npz",
                f"--load-plugin={pass_plugin}", f"--stage-passes={passes}",
                fails=True)
    assert error.count("error:") == 1 and message in error


def test_a_stage_that_is_over_takes_no_passes(installed, pass_plugin, tmp_path):
    lowered = tmp_path / "lowered.mlir"
    run(installed / "bin/gnn-opt", PASS_EXAMPLE / "hoist-linear.mlir",
        "--gnn-graph-pipeline", "--gnn-tile-pipeline", "-o", lowered)
    messages(tmp_path)
    assert ("expected a stage that runs on this module, got 'graph-end'" in
            run(installed / "bin/gnn-run", lowered, "--function=messages",
                f"--graph={tmp_path}/g.npz", f"--load-plugin={pass_plugin}",
                "--stage-passes=graph-end=hoist-linear", fails=True))


PYTHON_RUN = """
import sys, numpy as np, gnn_mlir
folder, plugin, source, alone = sys.argv[1:]
graph = gnn_mlir.Graph.load(f"{folder}/g.npz")
inputs = {n: np.load(f"{folder}/{n}.npy") for n in "xw"}
passes = dict(word.split("=") for word in alone.split())
options = {"target": "emulator", "passes": passes, "plugins": [plugin]}
text = open(source).read()
run = gnn_mlir.compile(text, keep_phases=f"{folder}/phases",
                       stage_passes={"graph-end": "hoist-linear,func.func(gnn-merge-bias),cse"}, **options)
np.save(f"{folder}/out.npy", run(graph, inputs))
for bad in {"graph-end": 1}, ["graph-end=cse"]:
    try:
        gnn_mlir.compile(text, stage_passes=bad, **options)
    except ValueError as error:
        assert "stage_passes: expected a dict by point" in str(error), error
    else:
        sys.exit(f"{bad} is taken")
broken = text + "func.func private @h(!node) -> !node" + '''
func.func @calls(%x: !node) -> !node {
  %y = func.call @h(%x) : (!node) -> !node
  return %y : !node
}'''
try:
    gnn_mlir.compile(broken, stage_passes={"graph-begin": "hoist-linear"}, **options)
except gnn_mlir.CompileError as error:
    open(f"{folder}/repeat.mlir", "w").write(error.reproducer)
    print(str(error).splitlines()[0])
"""


def test_python_runs_a_pass_of_a_plugin(installed, pass_plugin, python, tmp_path):
    expected = messages(tmp_path)
    said = run(sys.executable, "-c", PYTHON_RUN, tmp_path, pass_plugin,
               PASS_EXAMPLE / "hoist-linear.mlir", ALONE, env=python)
    assert HOISTED.search((tmp_path / "phases/1-graph.mlir").read_text())
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), expected, rtol=1e-4,
                               atol=1e-5)
    # A failure to compile repeats in gnn-opt, with the pass where it ran.
    repeat = (tmp_path / "repeat.mlir").read_text()
    assert '},hoist-linear,gnn-graph-pipeline{' in repeat
    message = said.split(": ", 1)[1].strip()
    assert message in run(installed / "bin/gnn-opt", tmp_path / "repeat.mlir",
                          f"--load-pass-plugin={pass_plugin}", "--run-reproducer",
                          fails=True)


def test_a_static_build_says_that_it_loads_no_plugins(tmp_path):
    if cached("GNN_STATIC_MLIR") != "ON":
        pytest.skip("GNNStaticPluginsTests has what static builds are made of")
    assert ("expected a build with a shared MLIR, this one is static and loads no "
            "plugins" in run(pathlib.Path(BUILD) / "bin/gnn-run", tmp_path,
                             "--function=f", "--load-plugin=any.so", fails=True))


def test_what_is_no_plugin_is_refused(installed, tmp_path):
    command = [installed / "bin/gnn-run", EXAMPLE / "clip-norm.mlir",
               "--function=clipped"]
    missing = tmp_path / "missing.so"
    assert f"plugin '{missing}': No such file" in run(
        *command, f"--load-plugin={missing}", fails=True)
    library = installed / "lib/libGNNRuntime.so"
    assert ("expected mlirGetDialectPluginInfo or mlirGetPassPluginInfo, got "
            "neither") in run(*command, f"--load-plugin={library}", fails=True)


def test_python_refuses_what_is_no_plugin(compiler, tmp_path):
    import gnn_mlir
    static = cached("GNN_STATIC_MLIR") == "ON"
    with pytest.raises(ValueError, match="plugins: expected a list of paths, got 'a.so'"):
        gnn_mlir.compile("module {}", plugins="a.so")
    with pytest.raises(gnn_mlir.GNNError, match="this one is static" if static
                       else "No such file"):
        gnn_mlir.load_plugin(tmp_path / "missing.so")


def test_passes_on_kernels(installed, python):
    """Passes of a plugin on schedules and on loops; kernels give what they gave, and so
    does the form that the passes leave."""
    plugin = install(TILE_EXAMPLE.name) / "TilePasses.so"
    script = f"""
import json
import numpy as np
import gnn_mlir
text = open({str(TILE_EXAMPLE / "sum.mlir")!r}).read()
points = {{"after-schedule": "func.func(smaller-blocks{{rows=4}})",
          "after-loops": "func.func(deepen-walks{{by=2}})"}}
rng = np.random.default_rng(0)
graph = gnn_mlir.Graph(*rng.integers(0, 40, (2, 200)), 40)
x = rng.integers(-9, 9, (40, 64)).astype(np.float32)
plain = gnn_mlir.compile(text, target="emulator")
expected = plain(graph, {{"x": x}})
for stop_at in None, "loops":
    function = gnn_mlir.compile(text, plugins=[{str(plugin)!r}],
                                target="emulator", stage_passes=points, stop_at=stop_at)
    np.testing.assert_array_equal(function(graph, {{"x": x}}), expected)
    plan = json.dumps(function.package.plan())
    assert "rows_per_block = 4" in plan, plan
assert "rows_per_block = 4" not in json.dumps(plain.package.plan())
"""
    run(sys.executable, "-c", script, env=python)


def test_a_target_of_a_plugin(installed, python):
    """It compiles, lists schedules and runs, by the name that it has."""
    out = run(sys.executable, TARGET_EXAMPLE / "printer.py",
              install(TARGET_EXAMPLE.name) / "PrinterTarget.so", env=python)
    assert "mean_1_aggregate: 2 x 1 x 1 blocks, " in out
    assert "schedules of a printer: [{'count': " in out
