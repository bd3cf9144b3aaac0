# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of the pages of documentation: the switches of passes are those of
the pipelines, and every command and piece of Python runs."""

import pathlib
import re
import shlex
import subprocess
import sys

import pytest

import schedule_fields
from conftest import BUILD, find_tool
from gnn_mlir import Graph
from support import variants

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/Python.md", "docs/Training.md", "docs/Passes.md", "docs/Cost.md",
         "docs/Debugging.md", "docs/Schedules.md", "docs/CAPI.md", "docs/Tile.md",
         "docs/Frontend.md", "docs/Tuning.md", "docs/Wheel.md", "docs/Tools.md", "docs/Gallery.md")
TOOLS = ("gnn-opt", "gnn-run", "gnn-translate", "gnn-tune")
OPTION = re.compile(r'Option<(\w+)>\s+\w+\{\s*\*this,\s*"([\w-]+)",'
                    r'.*?llvm::cl::init\((?:\w+::)?(-?\w+)\)[,}]', re.S)


def blocks(page, language):
    """The text between fences of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / page).read_text(),
                      re.M | re.S)


def commands():
    """(page, words) of each command of the pages that runs a tool."""
    for page in PAGES:
        for block in blocks(page, "sh"):
            for line in block.replace("\\\n", " ").splitlines():
                words = shlex.split(line, comments=True)
                if words and pathlib.Path(words[0]).name in TOOLS:
                    yield page, words


def table(title):
    """{name: default} of the table of docs/Passes.md with that first column."""
    text = (ROOT / "docs/Passes.md").read_text()
    rows = re.search(rf"^\| {title} \|.*\n\| ---.*\n((?:\|.*\n)+)", text, re.M)
    cells = [row.strip("| ").split(" | ") for row in rows[1].splitlines()]
    return {row[0].strip("`"): row[-1].strip("`") for row in cells}


def options():
    """(type, name, default) of each switch and setting, in pipeline order. Those of
    gradients, schedules and blocks leave out no pass."""
    text = (ROOT / "include/GNN/Pipelines/Pipelines.h").read_text()
    found = []
    for struct in ("GraphSwitches", "GradientSettings", "TileSwitches", "ScheduleSwitches",
                   "BlockSwitches", "KernelSwitches"):
        body = re.search(rf"struct {struct} : public .*?^}};", text,
                         re.M | re.S)[0]
        matches = OPTION.findall(body)
        assert len(matches) == body.count("*this,")
        leaves_out = struct in ("GraphSwitches", "TileSwitches")
        found += [(kind if leaves_out else "setting", name, default.lower())
                  for kind, name, default in matches]
    return found


def test_switches_of_passes():
    switches = {name: default for kind, name, default in options()
                if kind == "bool"}
    assert list(table("switch").items()) == list(switches.items())
    assert tuple(switches) == variants.SWITCHES


def test_options_of_the_compiler():
    """The table of CAPI.md is that of CompileOptions.def."""
    text = (ROOT / "include/GNN/Target/CompileOptions.def").read_text()
    options = re.findall(r"""^GNN_OPTION\(\s*\w+,\s*\w+,\s*"([^"]+)",\s*([^,]*),\s*
                             "[^"]*",\s*"[^"]*",\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)""",
                         text, re.M | re.X)
    assert len(options) == text.count("\nGNN_OPTION(") > 10
    rows = []
    for name, initial, summary in options:
        summary = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', summary)).replace('\\"', '"')
        initial = initial.strip('"')
        rows.append(f"| `{name}` | {initial and f'`{initial}`'} | {summary} |")
    assert "\n".join(rows) in (ROOT / "docs/CAPI.md").read_text()


def test_fields_of_schedules():
    """The tables of Schedules.md are those of ScheduleFields.def; running schedule_fields.py
    writes them."""
    fields = schedule_fields.read()
    assert len(fields) > 10
    assert {field.bits for field in fields} == {"sameBits", "otherBits"}
    assert schedule_fields.page(fields) == schedule_fields.PAGE.read_text()


def test_settings_of_passes():
    settings = {name: default for kind, name, default in options()
                if kind != "bool"}
    assert list(table("setting").items()) == list(settings.items())


def forms():
    """The rows of the table of forms: form, stage, files, name for --stop-at."""
    text = (ROOT / "docs/index.md").read_text()
    rows = re.search(r"^\| form \| what it holds \|.*\n\| ---.*\n((?:\|.*\n)+)", text, re.M)
    for row in rows[1].splitlines():
        form, _, stage, files, stop = row.strip("| ").split(" | ")
        yield (*(re.findall(r"`(.*?)`", cell) for cell in (form, stage, files, stop)),)


def test_pages_say_what_their_graph_is():
    """`g.npz` is one graph on all pages, which the index makes."""
    pages = [page for page in (ROOT / "docs").glob("*.md") if "g.npz" in re.findall(
        r"[\w.]+", page.read_text())]
    assert len(pages) > 5
    for page in pages:
        text, is_index = page.read_text(), page.name == "index.md"
        place = "## Commands on these pages" if is_index else "(index.md#commands-on-these-pages)"
        assert place in text, page.name
        assert text.count('save("g.npz")') == is_index, page.name


def test_commands_write_stages_to_folders_of_their_own():
    """The stages of another target would be run by later commands of the page."""
    for page in PAGES:
        folders = [folder for of, words in commands() if of == page
                   for folder in re.findall(r"--phases[= ](\S+)", " ".join(words))]
        assert len(set(folders)) == len(folders), page


def test_table_of_forms(gnn_opt, compiler, tmp_path):
    rows = list(forms())
    source = (ROOT / "lib/Pipelines/Pipelines.cpp").read_text()
    assert [stage for _, (stage,), _, _ in rows] == re.findall(r'makeStage\("(\w+)"', source)
    assert sorted(name for *_, stop in rows for name in stop) == sorted(
        re.findall(r'\{"(\w+)", StopAt::', source))
    if find_tool("gnn-run") is None:
        pytest.skip("gnn-run is not built")
    graph = tmp_path / "g.npz"
    Graph([0, 1, 2, 0], [1, 2, 0, 2], 3, edge_type=[0, 1, 2, 0]).save(graph)
    subprocess.run([find_tool("gnn-run"), ROOT / "examples/rgcn.mlir", "--function=rgcn",
                    f"--graph={graph}", "--weights=random:1", "--target=emulator",
                    f"--phases={tmp_path / 'out'}"], check=True, capture_output=True)
    made = [name for *_, files, _ in rows for name in files]
    assert sorted(made) == sorted(path.name for path in (tmp_path / "out").iterdir())
    words = list(dict.fromkeys(form for (form,), *_ in rows))
    for (form,), _, files, _ in rows:
        for other in words[words.index(form):]:  # Later forms may be in a module besides.
            checked = subprocess.run(
                [gnn_opt, tmp_path / "out" / files[0], f"--gnn-verify-form=form={other}",
                 "-o", "/dev/null"], capture_output=True, check=False)
            assert (checked.returncode == 0) == (other == form), (files[0], other)


def test_program_of_tools_page(compiler, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    snippet, = blocks("docs/Tools.md", "python")
    exec(compile(snippet, "Tools.md", "exec"), {})  # pylint: disable=exec-used
    printed = re.search(r"^print\(layer\)  # (.*)$", snippet, re.M)[1]
    assert capsys.readouterr().out.strip() == printed
    assert Graph.load("graph.npz").num_edges == 400


def test_picture_of_gallery(compiler, tmp_path, monkeypatch):
    """docs/images/explain.svg is what the commands of Gallery.md make of the graph of Tools.md."""
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks("docs/Tools.md", "python")[0], "Tools.md", "exec"), {})
    words = shlex.split(blocks("docs/Gallery.md", "sh")[0].replace("\\\n", " "))
    subprocess.run([find_tool(words[0]) or pytest.skip(f"{words[0]} is not built"),
                    ROOT / words[1], *words[2:]], check=True, capture_output=True)
    subprocess.run([sys.executable, ROOT / "utils/explain-picture.py", "page.html", "explain.svg"],
                   check=True)
    committed = (ROOT / "docs/images/explain.svg").read_text()
    assert pathlib.Path("explain.svg").read_text() == committed, "make it as docs/Gallery.md does"


def test_python_of_schedules_page(compiler, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    piece, = blocks("docs/Schedules.md", "python")
    names = {}
    exec(compile(piece, "docs/Schedules.md", "exec"), names)
    steps = names["layer"].package.plan()["functions"][0]["steps"]
    assert "n = 16, kind = ffma, copies = registers" in [step["schedule"] for step in steps]


@pytest.mark.parametrize("page, words", [
    pytest.param(*found, id=f"{found[0]}-{i}")
    for i, found in enumerate(commands())])
def test_command(page, words, tmp_path):
    graph = tmp_path / "graph.npz"
    Graph([0, 1, 2, 0, 3], [1, 2, 1, 3, 0], 4, edge_type=[0, 1, 2, 0, 1]).save(graph)
    Graph([0, 1, 2, 0, 3], [1, 2, 1, 3, 0], 4).save(tmp_path / "untyped.npz")
    there = {"f": "rgcn", "f_backward": "rgcn_backward",
             "model.mlir": ROOT / "examples/rgcn.mlir", "rgcn.mlir": ROOT / "examples/rgcn.mlir",
             "g.npz": graph, "graph.npz": graph}
    for own in ("spmm.mlir", "layer.mlir"):  # The page shows what is in the file.
        if own in words:
            (tmp_path / own).write_text(blocks(page, "mlir")[0])
    (tmp_path / "rgcn.jsonl").touch()  # Of gnn-tune, which found no faster schedule.
    for word in words:
        name = pathlib.Path(word).name
        if name in TOOLS and find_tool(name) is None:
            if BUILD:
                pytest.fail(f"there is no {name} in {BUILD}/bin")
            pytest.skip(f"{name} is not built")
    words = [str(find_tool(pathlib.Path(word).name) if pathlib.Path(word).name in TOOLS
                 else there.get(word, word)) for word in words]
    words = [re.sub("(^|=)examples/", rf"\1{ROOT}/examples/", word) for word in words]
    command = " ".join("|" if word == "|" else shlex.quote(word) for word in words)
    result = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=tmp_path,
                            capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    for word in words:
        if word.startswith("--remarks-filter="):
            wanted = word.partition("=")[2]
            assert re.search(rf"Category:{wanted}\b", result.stderr)
            # Where the page says after the command which remark comes of it, it does.
            text = (ROOT / page).read_text().partition(word)[2]
            for remark in re.findall(r"\A.*\n```\n\nsays `(.*)`", text):
                assert f'"{remark}"' in result.stderr
