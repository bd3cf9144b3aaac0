# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files are written in one way, whichever option of a tool or function of Python names
them: through links, to devices and pipes as such, whole or not at all."""

import errno
import json
import os
import resource
import stat
import subprocess
import threading

import pytest

import gnn_mlir
from conftest import find_tool
from gnn_mlir import Graph, files, models, overlay

GRAPH = Graph([0, 1, 2, 0], [1, 2, 0, 2], 3, edge_type=[0, 1, 2, 0])
MODULE = models.rgcn(3, (4, 2))


@pytest.fixture(name="folder")
def folder_fixture(tmp_path, monkeypatch):
    """With a program and its graph, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rgcn.mlir").write_text(MODULE.text())
    GRAPH.save("g.npz")
    return tmp_path


@pytest.fixture(name="layer", scope="module")
def layer_fixture(compiler):
    del compiler  # skips where nothing is built
    return gnn_mlir.compile(MODULE, target="cpu")


def run(tool, *arguments, limit=None):
    """A tool; its files may have `limit` bytes."""
    path = find_tool(tool)
    if path is None:
        pytest.skip(f"{tool} is not built")
    before = limit and (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    return subprocess.run([path, "rgcn.mlir", *arguments], text=True, capture_output=True,
                          timeout=120, check=False, preexec_fn=before)


def gnn_run(*options, **keywords):
    return run("gnn-run", "--function=rgcn", "--graph=g.npz", "--weights=random:1",
               "--target=cpu", *options, **keywords)


def to_package(path, **keywords):
    return run("gnn-translate", "--gnn-to-package", "--chip=", "-o", path, **keywords)


def to_module(path, **keywords):
    return run("gnn-opt", "--gnn-graph-pipeline", "-o", path, **keywords)


TRANSLATIONS = [(to_package, b"PK"), (to_module, b"#")]


def explain(path):
    gnn_mlir.explain(MODULE, dot=path)


def explain_page(path):
    gnn_mlir.explain(MODULE, html=path)


def save_schedules(path):
    gnn_mlir.compile(MODULE, target="cpu", save_schedules=path)


# How each of them begins.
OPTIONS = {"report.json": b"{", "save-schedules.jsonl": b"{", "explain.dot": b"digraph"}
FUNCTIONS = {"save": b"PK", "package": b"PK", "explain": b"digraph", "explain_page": b"<!DOCTYPE",
             "save_schedules": b"{", "write": b"text"}


def option_of(name):
    return "--" + name.partition(".")[0]


def function(name, layer):
    return {"save": GRAPH.save, "package": layer.save, "explain": explain, "explain_page": explain_page,
            "save_schedules": save_schedules,
            "write": lambda path: files.write(path, "text")}[name]


def read_pipe(path, found):
    def read():
        with open(path, "rb") as file:
            found[path] = file.read()
    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    return thread


def targets(names):
    """A pipe, a link to a file and one to nothing for each of the names."""
    for name in names:
        os.mkfifo(f"pipe-{name}")
        with open(f"old-{name}", "w", encoding="ascii") as file:
            file.write("old")
        os.chmod(f"old-{name}", 0o640)
        os.symlink(f"old-{name}", f"link-{name}")
        os.symlink(f"new-{name}", f"nowhere-{name}")


def check_targets(names, pipes):
    for name, begin in names.items():
        assert pipes[f"pipe-{name}"].startswith(begin)
        assert stat.S_ISFIFO(os.lstat(f"pipe-{name}").st_mode)
        for link, target in (("link", "old"), ("nowhere", "new")):
            assert os.path.islink(f"{link}-{name}")
            with open(f"{target}-{name}", "rb") as file:
                assert file.read().startswith(begin)
        assert os.stat(f"old-{name}").st_mode & 0o777 == 0o640


@pytest.mark.usefixtures("folder")
def test_options_write_to_what_they_name():
    targets(OPTIONS)
    pipes = {}
    threads = [read_pipe(f"pipe-{name}", pipes) for name in OPTIONS]
    for kind in ("pipe", "link", "nowhere"):
        result = gnn_run(*[f"{option_of(name)}={kind}-{name}" for name in OPTIONS])
        assert result.returncode == 0, result.stderr
    for thread in threads:
        thread.join(10)
    check_targets(OPTIONS, pipes)


def test_functions_write_to_what_they_name(folder, layer):
    del folder
    targets(FUNCTIONS)
    pipes = {}
    for name in FUNCTIONS:
        write = function(name, layer)
        thread = read_pipe(f"pipe-{name}", pipes)
        write(f"pipe-{name}")
        thread.join(10)
        write(f"link-{name}")
        write(f"nowhere-{name}")
    check_targets(FUNCTIONS, pipes)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("translate, start", TRANSLATIONS)
def test_translations_write_to_what_they_name(translate, start):
    targets(["package"])
    pipes = {}
    thread = read_pipe("pipe-package", pipes)
    for kind in ("pipe", "link", "nowhere"):
        assert translate(f"{kind}-package").returncode == 0
    thread.join(10)
    check_targets({"package": start}, pipes)
    assert not translate("/dev/null").stderr
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.usefixtures("folder")
def test_standard_output_is_not_replaced():
    """Text that options write there follows what was printed before, also in a
    file."""
    tool = find_tool("gnn-run")
    if tool is None:
        pytest.skip("gnn-run is not built")
    with open("out", "w", encoding="utf-8") as file:
        print("before", file=file, flush=True)
        subprocess.run([tool, "rgcn.mlir", "--function=rgcn", "--graph=g.npz",
                        "--weights=random:1", "--target=cpu", "--save-schedules=-",
                        "--report=/dev/stdout"], stdout=file, check=True, timeout=120)
    with open("out", encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert lines[0] == "before" and lines[-1].startswith("out: f32[3, 2]")
    assert "schedule" in json.loads(lines[1])


def left(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("name", [*OPTIONS, "phases", "output"])
def test_options_without_room(folder, name):
    """One error, and the file that was there."""
    option = option_of(name)
    file = folder / name / {"phases": "1-graph.mlir", "output": "out.npy"}.get(name, "")
    file.parent.mkdir(exist_ok=True)
    file.write_text("old")
    before = left(folder), left(file.parent)
    result = gnn_run(f"{option}={name}", limit=10)
    errors = [line for line in result.stderr.splitlines() if "error:" in line]
    assert result.returncode == 1 and len(errors) == 1, result.stderr
    assert "File too large" in errors[0] and f"cannot write '{name}" in errors[0]
    assert file.read_text() == "old"
    assert (left(folder), left(file.parent)) == before
    if name in OPTIONS:
        os.symlink("/dev/full", folder / f"full-{name}")
        result = gnn_run(f"{option}=full-{name}")
        assert result.returncode == 1
        assert f"cannot write 'full-{name}': No space left on device" in result.stderr


@pytest.mark.parametrize("translate", [to_package, to_module])
def test_translations_without_room(folder, translate):
    (folder / "package").write_text("old")
    result = translate("/dev/full")
    assert result.returncode == 1
    assert "cannot write '/dev/full': No space left on device" in result.stderr
    assert translate("package", limit=10).returncode == 1
    # A module that does not compile leaves the last package, too.
    (folder / "rgcn.mlir").write_text("nonsense")
    assert translate("package").returncode == 1
    assert (folder / "package").read_text() == "old"
    assert left(folder) == ["g.npz", "package", "rgcn.mlir"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_without_room(folder, layer, name):
    write = function(name, layer)
    kind = (OSError if name in ("save", "explain", "explain_page", "write") else gnn_mlir.GNNError)
    with pytest.raises(kind, match="No space left on device.*/dev/full|/dev/full.*No space"):
        write("/dev/full")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
    with pytest.raises(kind, match="No such file or directory"):
        write("none/file")
    (folder / "file").write_text("old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2, hard))
    try:
        with pytest.raises(kind, match="File too large"):
            write("file")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (folder / "file").read_text() == "old"
    assert left(folder) == ["file", "g.npz", "rgcn.mlir"]


def test_errors_of_python(folder):
    with pytest.raises(FileNotFoundError) as raised:
        GRAPH.save(folder / "none" / "g.npz")
    assert raised.value.errno == errno.ENOENT
    assert raised.value.filename == str(folder / "none" / "g.npz")
    with pytest.raises(IsADirectoryError):
        GRAPH.save(folder)
    with pytest.raises(ValueError, match="without null characters"):
        GRAPH.save(f"{folder}/a\0b.npz")
    assert "a" not in left(folder)


@pytest.mark.usefixtures("folder")
def test_printing_without_room():
    tool = find_tool("gnn-run")
    if tool is None:
        pytest.skip("gnn-run is not built")
    with open("/dev/full", "w", encoding="utf-8") as full:
        result = subprocess.run([tool, "--stats=g.npz"], stdout=full, stderr=subprocess.PIPE,
                                text=True, check=False, timeout=60)
    assert result.returncode == 1
    assert result.stderr == ("gnn-run: error: cannot write to standard output: No space left "
                             "on device\n")


# Reading.

LAYER_RUN = ("gnn-run", "rgcn.mlir", "--function=rgcn")
ON_GRAPH = (*LAYER_RUN, "--graph=g.npz", "--weights=random:1", "--target=cpu")


@pytest.mark.parametrize("command", [
    ("gnn-run", "/dev/zero", "--function=f"), ("gnn-run", "--stats=/dev/zero"),
    (*LAYER_RUN, "--graph=/dev/zero"), (*ON_GRAPH, "--schedules=/dev/zero"),
    (*ON_GRAPH, "--input=x=zero.npy"), ("gnn-opt", "/dev/zero"),
    ("gnn-translate", "zero.npy", "--gnn-to-package")],
    ids=["program", "statistics", "graph", "schedules", "input", "module", "translation"])
def test_a_device_is_no_file(folder, command):
    tool = find_tool(command[0])
    if tool is None:
        pytest.skip(f"{command[0]} is not built")
    os.symlink("/dev/zero", folder / "zero.npy")
    result = subprocess.run([tool, *command[1:]], text=True, capture_output=True, check=False,
                            timeout=20)
    errors = [line for line in result.stderr.splitlines() if "error:" in line]
    assert result.returncode == 1 and len(errors) == 1
    assert "expected a" in errors[0] and "zero" in errors[0]


NAMED_PIPE = "expected a file, got the named pipe 'pipe'"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command, says", [
    (("gnn-run", "pipe", "--function=f"), ""), ((*ON_GRAPH, "--schedules=pipe"), "schedules: "),
    ((*ON_GRAPH, "--records=pipe"), "records: "),
    ((*ON_GRAPH, "--schedule-rule=ranked:pipe"), "schedule-rule: "),
    (("gnn-opt", "pipe"), ""), (("gnn-translate", "--gnn-to-plan", "pipe"), ""),
    (("gnn-tune", *ON_GRAPH[1:], "--out=o.jsonl", "--records=pipe"), "--records: "),
    (("gnn-tune", *ON_GRAPH[1:], "--out=o.jsonl", "--store=pipe"), "--store: "),
    (("gnn-tune", *LAYER_RUN[1:], "--target=cpu", "--out=o.jsonl", "--replay=pipe"),
     "--replay: "),
    (("gnn-tune", *ON_GRAPH[1:], "--out=o.jsonl", "--search=ranked", "--model=pipe"),
     "--model: "),
    (("gnn-overlay-sim", "pipe", "--graph=g.npz"), "")])
def test_nobody_waits_for_a_named_pipe(command, says):
    tool = find_tool(command[0])
    if tool is None:
        pytest.skip(f"{command[0]} is not built")
    os.mkfifo("pipe")
    result = subprocess.run([tool, *command[1:]], text=True, capture_output=True, check=False,
                            timeout=20)
    assert result.returncode == 1 and f"{says}{NAMED_PIPE}" in result.stderr
    assert result.stderr.count("error:") == 1


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("call, says", [
    (lambda: gnn_mlir.compile(MODULE, target="emulator", schedules="pipe"), "schedules: "),
    (lambda: gnn_mlir.compile(MODULE, target="emulator", schedule_rule="ranked:pipe"),
     "schedule_rule: "),
    (lambda: overlay.Program.load("pipe"), "path: "),
    (lambda: gnn_mlir.load_plugin("pipe"), "")], ids=["schedules", "model", "overlay", "plugin"])
def test_python_waits_for_no_named_pipe(call, says):
    os.mkfifo("pipe")
    with pytest.raises((ValueError, gnn_mlir.GNNError), match=f"^{says}.*got the named pipe"):
        call()


@pytest.mark.usefixtures("folder")
def test_a_program_through_a_pipe():
    tool = find_tool("gnn-run")
    if tool is None:
        pytest.skip("gnn-run is not built")
    arguments = "--function=rgcn", "--graph=g.npz", "--weights=random:1", "--target=cpu"
    end, other = os.pipe()
    os.write(other, MODULE.text().encode())
    os.close(other)
    piped = subprocess.run([tool, f"/dev/fd/{end}", *arguments], text=True, capture_output=True,
                           check=True, timeout=60, pass_fds=[end])
    os.close(end)
    read = subprocess.run([tool, "-", *arguments], text=True, input=MODULE.text(),
                          capture_output=True, check=True, timeout=60)
    assert piped.stdout == read.stdout == gnn_run().stdout


def test_packages_are_read_of_files():
    with pytest.raises(gnn_mlir.GNNError, match="expected a zip archive in a regular file"):
        gnn_mlir.load("/dev/zero")
    with pytest.raises(ValueError, match="expected a zip archive in a regular file"):
        Graph.load("/dev/zero")
