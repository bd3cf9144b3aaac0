# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the tests find the tools of the build, and which options they have."""

import gc
import importlib.util
import logging
import os
import pathlib
import shutil
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TORCH_TESTS = ROOT / "python/tests/pytorch"
if importlib.util.find_spec("gnn_mlir") is None:
    sys.path.insert(0, str(ROOT / "python"))


def pytest_configure(config):
    """A gnn_mlir from elsewhere would be what is tested."""
    config.addinivalue_line("markers", "slow: runs with --all alone")
    # Most kernels for the CPU run once, on few rows.
    os.environ.setdefault("GNN_MLIR_CACHE", "off")  # Tests compile.
    if not config.getoption("--all") and os.environ.get("GNN_TEST_TARGET") != "cpu":
        os.environ.setdefault("GNN_CPU_OPTIMIZE", "0")
    found = pathlib.Path(importlib.util.find_spec("gnn_mlir").origin).resolve()
    expected = ROOT / "python/gnn_mlir/__init__.py"
    if found != expected:
        raise pytest.UsageError(f"expected gnn_mlir of this checkout, {expected}, "
                                f"got {found}: set PYTHONPATH={ROOT / 'python'}")
    if config.getoption("--without-torch"):
        sys.modules.update(dict.fromkeys(("torch", "torch_geometric", "dgl")))  # Not found.
    elif "GNN_REQUIRE_PYG" in os.environ and not importlib.util.find_spec("torch_geometric"):
        raise pytest.UsageError("expected torch_geometric, got none: install it, or run the "
                                "tests of the core alone with --without-torch")
    if os.environ.get("GNN_TEST_TARGET") == "cuda":
        from support import on_gpu
        on_gpu.redirect()


def pytest_ignore_collect(collection_path, config):
    """Tests that import torch are in one folder."""
    if config.getoption("--without-torch") and collection_path == TORCH_TESTS:
        return True
    return None


BUILD = os.environ.get("GNN_MLIR_BUILD") and os.path.abspath(
    os.environ["GNN_MLIR_BUILD"])


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true",
                     default=bool(os.environ.get("GNN_TEST_ALL")),
                     help="run the full product of cases, not a covering set")
    parser.addoption("--without-torch", action="store_true",
                     help="run the tests of the core, for which torch is not installed")


def pytest_collection_modifyitems(config, items):
    """Leaves out what is slow, unless all is run."""
    if config.getoption("--all"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if not item.get_closest_marker("slow")]


def pytest_collection_finish(session):
    """The objects of imported modules, a million of torch and PyG, stay, and captures make
    many that do not: without this a sixth of a capture is garbage collection. torch writes
    a trace of each capture to whoever listens, as pytest does."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    logging.getLogger("torch.__trace").handlers.clear()


def find_tool(name):
    """Path of a tool: in GNN_MLIR_BUILD, else in a build folder or the PATH."""
    folders = [BUILD + "/bin"] if BUILD else sorted(
        str(p) for p in ROOT.glob("build/*/bin"))
    return shutil.which(name, path=os.pathsep.join(
        folders + [os.environ.get("PATH", "")]))


@pytest.fixture(scope="session")
def gnn_opt():
    """Path of gnn-opt; skips where it is not built."""
    path = find_tool("gnn-opt")
    if path is None:
        if BUILD:
            pytest.fail(f"there is no gnn-opt in {BUILD}/bin")
        pytest.skip("gnn-opt is not built")
    return path


def _library():
    """The loaded library; skips where it is not built, and fails where the tests
    were told which build to take."""
    from gnn_mlir import capi
    try:
        capi.library()
    except capi.GNNError as error:
        if BUILD or "GNN_MLIR_LIBRARY" in os.environ:
            pytest.fail(str(error))
        pytest.skip("the library is not built")
    return capi


@pytest.fixture(scope="session")
def capi():
    return _library()


@pytest.fixture(scope="session")
def compiler():
    """The library with the compiler in it."""
    found = _library()
    if not found.has_compiler():
        pytest.skip(f"{found.find_library()} has no compiler")
    return found


@pytest.fixture(scope="session")
def run():
    """Runs a program, for `cases.check`: on the emulator, or on a GPU where
    GNN_TEST_TARGET=cuda; through the library, else through gnn-run. With
    GNN_TEST_STOP_AT=structured (scheduled) the templates of that form are run."""
    return _runner(checked=True)


@pytest.fixture(scope="session")
def run_unchecked():
    """The same where no access is checked, which the emulator does faster."""
    return _runner(checked=False)


def _runner(checked):
    from gnn_mlir import capi as found
    from support import tools
    target = os.environ.get("GNN_TEST_TARGET", "emulator")
    form = os.environ.get("GNN_TEST_STOP_AT")
    try:
        if found.has_compiler():
            return tools.run_by_library(None if target == "emulator" else target, checked,
                                        form)
    except found.GNNError:
        pass
    tool = find_tool("gnn-run")
    if tool is not None:
        return tools.run_by_tool(tool, "--target", target, "--stop-at",
                                 form or "kernels")
    if BUILD:
        pytest.fail(f"there is neither a library nor gnn-run in {BUILD}")
    pytest.skip("neither the library nor gnn-run is built")


@pytest.fixture
def unchecked(monkeypatch):
    """Calls on the emulator check no access, for tests of something else: a checked
    kernel takes half as long again to prepare."""
    import gnn_mlir
    try:
        device = gnn_mlir.capi.Device.emulator(checked=False)
    except gnn_mlir.GNNError:
        return  # The library has no emulator.
    monkeypatch.setitem(gnn_mlir.devices._DEVICES, "emulator", device)


@pytest.fixture(scope="module")
def optimized():
    """LLVM optimizes kernels for the CPU, as it does for users."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GNN_CPU_OPTIMIZE", "1")
        yield


@pytest.fixture(scope="module")
def benchmarks():
    """The modules of the folder of benchmarks, which import each other."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        yield lambda name: importlib.import_module(name)
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))


def pytest_terminal_summary(terminalreporter):
    """Says which graphs were stand-ins."""
    from support import graphs
    if graphs.data_folder() is None:
        terminalreporter.write_line(
            f"GNN_TEST_DATA is not set: {len(graphs.DATA_SETS)} data sets "
            f"skipped, made graphs of their shapes ran instead "
            f"({', '.join(graphs.DATA_SETS)})")
