# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cache of compiled programs: what comes from it, what does not, and that nothing which is
wrong with it costs more than a compilation."""

import json
import logging
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import cache, capi, compiler_capi

GRAPH = gnn_mlir.Graph([0, 1, 2, 2], [1, 2, 0, 1], 3)
OTHER = gnn_mlir.Graph([0, 1, 2, 2, 0], [1, 2, 0, 1, 1], 3)
X = np.arange(12, dtype=np.float32).reshape(3, 4)


def program(features=4, kind="sum"):
    module = gnn_mlir.Module()
    g = module.graph("g")
    f = module.function("f")
    x = f.input("x", g.rows("node", features))
    f.output("out", f.aggregate(kind, f.gather(x, "edge", via="src"), "node", via="dst"))
    return module


@pytest.fixture
def compilations(tmp_path, monkeypatch):
    """The texts that were compiled, with a cache of its own."""
    monkeypatch.setenv(cache.FOLDER, str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_warned", set())
    made, compile_text = [], compiler_capi.compile_text
    monkeypatch.setattr(compiler_capi, "compile_text", lambda text, *args, **options: (
        made.append(text), compile_text(text, *args, **options))[1])
    return made


def compiled(module=None, **options):
    return gnn_mlir.compile(module or program(), **{"target": "emulator", **options})


def files():
    return sorted(cache.folder().glob("*.gnnpkg"))


def check(function):
    expected = np.zeros((3, 4), np.float32)
    np.add.at(expected, GRAPH.edge_dst, X[GRAPH.edge_src])
    np.testing.assert_array_equal(function.bind(GRAPH)({"x": X}), expected)


def test_a_program_is_compiled_once(compilations):
    first, second = compiled(), compiled()
    assert len(compilations) == len(files()) == 1
    assert first.package.to_bytes() == second.package.to_bytes()
    assert files()[0].stat().st_mode & 0o777 == 0o600
    assert cache.folder().stat().st_mode & 0o777 == 0o700
    check(second)
    cache.clear()
    check(compiled())
    assert len(compilations) == 2


@pytest.mark.parametrize("name, change", {
    "program": {"module": program(kind="max")}, "size": {"module": program(5)},
    "target": {"target": "cpu"}, "chip": {"chip": "h100"}, "passes": {"passes": {"fuse": False}},
    "graph": {"graph": GRAPH}, "another graph": {"graph": OTHER}, "gradients": {"gradients": True},
    "form": {"stop_at": "loops"}, "stage": {"stage_passes": {"graph-end": "canonicalize"}},
    "schedules": {"schedules": [], "allow_unused_schedules": True}}.items())
def test_all_that_decides_is_in_the_key(compilations, name, change):
    compiled()
    compiled(**({"graph": GRAPH} if name == "another graph" else {}))
    before = len(compilations)
    for _ in range(2):
        compiled(**change)
        assert len(compilations) == before + 1


def test_schedules_by_their_lines(compilations, tmp_path):
    """A file of schedules counts as what it holds."""
    line = gnn_mlir.list_schedules(program(), target="emulator", vary=["rows_per_block"])[0]
    path = tmp_path / "schedules.jsonl"
    found = []
    for rows in (4, 8, 4):
        line["schedule"]["rows_per_block"] = rows
        path.write_text(json.dumps(line) + "\n")
        found.append(compiled(schedules=path).package.to_bytes())
    assert len(compilations) == 2 and found[0] == found[2] != found[1]


def test_gradients_that_are_asked_for_later(compilations):
    for count in (2, 2):
        out, tape = compiled(gradients=["x"]).forward(GRAPH, {"x": X}, wrt=["x"])
        assert tape.gradients({"out": np.ones_like(out)})["x"].shape == X.shape
        assert len(compilations) <= count


@pytest.mark.parametrize("damage", [
    b"", b"gnn-mlir", lambda data: data[:-1], lambda data: data + b" ", lambda data: b"x" + data[1:],
    lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:]])
def test_damaged_files_are_made_anew(compilations, damage):
    compiled()
    path, = files()
    whole = path.read_bytes()
    path.write_bytes(damage(whole) if callable(damage) else damage)
    check(compiled())
    assert len(compilations) == 2 and path.read_bytes() == whole
    check(compiled())
    assert len(compilations) == 2


def said(caplog):
    return [line for line in caplog.messages if "programs are compiled anew" in line]


@pytest.mark.parametrize("whose", ["folder", "file"])
@pytest.mark.parametrize("mode", [0o720, 0o702])
def test_what_others_may_write_is_not_run(compilations, caplog, whose, mode):
    compiled()
    (files()[0] if whose == "file" else cache.folder()).chmod(mode)
    with caplog.at_level(logging.WARNING, "gnn_mlir"):
        check(compiled())
        check(compiled())
    assert len(compilations) == (3 if whose == "folder" else 2)  # A file is made anew.
    assert len(said(caplog)) == 1 and "nobody else may write" in said(caplog)[0]


@pytest.mark.skipif(os.geteuid() != 0, reason="changes owners")
def test_what_others_own_is_not_run(compilations, caplog):
    compiled()
    os.chown(files()[0], 12345, -1)
    with caplog.at_level(logging.WARNING, "gnn_mlir"):
        check(compiled())
    assert len(compilations) == 2 and len(said(caplog)) == 1
    os.chown(cache.folder(), 12345, -1)
    check(compiled())
    assert len(compilations) == 3


def test_links_are_not_followed(compilations, tmp_path, caplog):
    compiled()
    path, = files()
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with caplog.at_level(logging.WARNING, "gnn_mlir"):
        check(compiled())
    assert len(compilations) == 2 and len(said(caplog)) == 1
    assert not path.is_symlink()


def make_others(kind, path, tmp_path):
    """Something else than a user's own file, in place of one."""
    if kind == "pipe":
        os.mkfifo(path, 0o600)
    elif kind == "folder":
        path.mkdir()
    else:
        (tmp_path / "elsewhere").write_text("")
        path.symlink_to(tmp_path / "elsewhere")


OTHERS = {"pipe": "expected a file of this user that nobody else may write",
          "folder": "expected a file of this user that nobody else may write",
          "link": "expected a file, got a symbolic link"}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind, message", OTHERS.items())
@pytest.mark.parametrize("whose", ["package", "records"])
def test_what_is_no_file_is_not_read(compilations, tmp_path, caplog, whose, kind, message):
    """A pipe would be waited for, for ever."""
    compiled()
    path = files()[0] if whose == "package" else cache.records()
    path.unlink(missing_ok=True)
    make_others(kind, path, tmp_path)
    with caplog.at_level(logging.WARNING, "gnn_mlir"):
        check(compiled(tuned=True))
        assert cache.read_records() == (None, [])
    lines = [line for line in caplog.messages if line.startswith(f"{path}: {message}: ")]
    assert len(lines) == 1 and ("neither kept nor taken" in lines[0]) == (whose == "records")


@pytest.mark.parametrize("text, is_kept", [("no record\n{", False), ("{}", False),
                                          ('{"accesses":["<gr', True)])
def test_records_are_not_those_of_another_kind_of_file(compilations, caplog, text, is_kept):
    """An incomplete line is of no kind."""
    path = cache.records()
    path.write_text(text)
    for _ in range(2):
        found = gnn_mlir.tune(program(), GRAPH, target="cpu", budget=0.3)
        assert found.templates[0]["timed"] > 0
    compiled(target="cpu", tuned=True)
    assert caplog.messages == ([] if is_kept else [
        f"{path}: expected a file of records: schedules that tune finds are neither kept nor taken"])
    assert path.read_text().startswith(text) if is_kept else path.read_text() == text


@pytest.mark.parametrize("place", ["file", "file/below", "/proc/none"])
def test_a_folder_that_cannot_be_made(compilations, monkeypatch, tmp_path, caplog, place):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(cache.FOLDER, str(tmp_path / place))
    with caplog.at_level(logging.WARNING, "gnn_mlir"):
        check(compiled())
        check(compiled())
    assert len(compilations) == 2 and len(said(caplog)) == 1


def test_the_least_used_goes_first(compilations, monkeypatch, caplog):
    for features in (4, 5, 6):
        compiled(program(features))
    size = max(path.stat().st_size for path in files())
    by_use = sorted(files(), key=lambda path: path.stat().st_mtime_ns)
    compiled(program(4))  # The oldest is used again.
    monkeypatch.setenv(cache.BYTES, str(3 * size + size // 2))
    compiled(program(7))
    left = set(files())
    assert by_use[0] in left and by_use[1] not in left and len(left) == 3
    monkeypatch.setenv(cache.BYTES, "10")
    compiled(program(8))
    assert len(files()) == 3  # Too large to be kept, and none goes for it.
    monkeypatch.setenv(cache.BYTES, "many")
    with caplog.at_level(logging.WARNING, "gnn_mlir"):
        compiled(program(9))
    assert len(said(caplog)) == 1 and "expected a number of bytes, got many" in said(caplog)[0]


def test_files_that_are_being_written_stay(compilations, monkeypatch):
    compiled()
    new, old = (cache.folder() / name for name in ("tmp-new", "tmp-old"))
    for path in (new, old, cache.records()):
        path.write_bytes(b" " * 100)
    for path in (old, cache.records()):
        os.utime(path, (1, 1))
    monkeypatch.setenv(cache.BYTES, str(files()[0].stat().st_size + 2000))
    compiled(program(kind="max"))
    assert new.exists() and not old.exists() and len(files()) == 1
    assert cache.records().exists()  # What tuning has found is no package to be made again.


@pytest.mark.parametrize("off", ["off", "0", "False", "no"])
def test_off(compilations, monkeypatch, tmp_path, off):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(cache.FOLDER, off)
    compiled()
    compiled()
    assert len(compilations) == 2 and cache.folder() is None
    assert not (tmp_path / "home").exists()


def test_where_it_is(monkeypatch, tmp_path):
    monkeypatch.delenv(cache.FOLDER, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "gnn-mlir" / "programs"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.folder() == tmp_path / ".cache" / "gnn-mlir" / "programs"


def test_what_is_made_on_the_way_is_made(compilations, tmp_path):
    """Phases and saved schedules are files that a compilation writes."""
    compiled()
    compiled(keep_phases=tmp_path / "phases")
    compiled(save_schedules=tmp_path / "saved.jsonl")
    assert len(compilations) == 3 and len(files()) == 1
    assert (tmp_path / "saved.jsonl").is_file() and any((tmp_path / "phases").iterdir())


def test_errors_are_not_kept(compilations):
    for _ in range(2):
        with pytest.raises(gnn_mlir.CompileError):
            compiled("func.func @f(")
        with pytest.raises(ValueError):
            compiled(passes={"none": True})
    assert not cache.folder().exists() or not files()


WRITER = """
import sys
import numpy as np
sys.path[:0] = [sys.argv[1]]
from test_cache import GRAPH, X, compiled, program
from gnn_mlir import compiler_capi
made, compile_text = [], compiler_capi.compile_text
compiler_capi.compile_text = lambda *args, **options: (made.append(1), compile_text(*args, **options))[1]
for features in (4, 5, 6, 4, 5, 6):
    compiled(program(features)).bind(GRAPH)({"x": np.ones((3, features), np.float32)})
print(len(made))
"""


def test_several_processes(compilations):
    """Four write the same programs at once; a fifth finds them all."""
    folder = str(pathlib.Path(__file__).parent)
    environment = {**os.environ, "GNN_MLIR_LIBRARY": os.fspath(capi.find_library()),
                   "PYTHONPATH": str(pathlib.Path(gnn_mlir.__file__).parents[1])}
    start = lambda: subprocess.Popen(  # noqa: E731
        [sys.executable, "-c", WRITER, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=environment)
    for process in [start() for _ in range(4)]:
        out, errors = process.communicate()
        assert process.returncode == 0 and int(out) <= 3, errors
    out, errors = start().communicate()
    assert out.strip() == "0", errors
    assert len(files()) == 3 and len(list(cache.folder().iterdir())) == 3


def test_records_without_a_cache_are_missed_aloud(monkeypatch, caplog):
    monkeypatch.setenv(cache.FOLDER, "off")
    monkeypatch.setattr(cache, "_warned", set())
    assert cache.records() is None and cache.read_records() == (None, [])
    assert [one.message for one in caplog.records] == [
        f"{cache.FOLDER}: the cache is off: schedules that tune finds are neither kept nor taken"]
