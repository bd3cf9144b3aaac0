# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The site is built without a warning: each link and heading that a page names is there."""

import inspect
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import gnn_mlir

for name in ("sphinx", "myst_parser", "furo"):
    pytest.importorskip(name)

ROOT = pathlib.Path(__file__).resolve().parents[2]


def build(tree, out, **environment):
    return subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-c", tree / "docs", tree, out],
        capture_output=True, text=True, check=False, env={**os.environ, **environment})


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The tree with a copy of its pages: the build writes the reference beside them."""
    tree = tmp_path_factory.mktemp("site")
    ignored = shutil.ignore_patterns("reference", "__pycache__")
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, tree)
        elif path.name in ("docs", "benchmarks"):
            shutil.copytree(path, tree / path.name, ignore=ignored)
        elif path.name not in ("build", ".git"):
            (tree / path.name).symlink_to(path)
    return tree


@pytest.fixture(scope="module")
def site(tree):
    out = tree / "out"
    done = build(tree, out, GNN_SITE_SOURCE="https://example.org/blob/main")
    assert done.returncode == 0, done.stderr[-4000:]
    return out


def test_every_page_is_in_the_contents(site):
    """A page beside home.md is a page of the site, and a warning where no contents name it."""
    for page in (ROOT / "docs").glob("*.md"):
        assert (site / f"docs/{page.stem}.html").exists()
    assert 'url=docs/home.html' in (site / "index.html").read_text()


def test_reference_has_ops_passes_and_functions(site):
    ops = (site / "docs/reference/dialects/gnn.html").read_text()
    assert 'href="#gnn-aggregate-gnn-aggregateop"' in ops or 'href="#gnnaggregate' in ops
    assert "--gnn-compact" in (site / "docs/reference/passes/graph.html").read_text()
    assert "gnnBoundRun" in (site / "docs/reference/c/Runtime.html").read_text()
    api = (site / "docs/api.html").read_text()
    named = [n for n in gnn_mlir.__all__ if not inspect.ismodule(getattr(gnn_mlir, n))]
    for name in ("Graph.from_pyg", "sampling.Sampler", *named):
        assert f'id="gnn_mlir.{name}"' in api


def test_arguments_of_functions_are_lists(site):
    api = (site / "docs/api.html").read_text()
    compiling = api.split('id="gnn_mlir.compile"')[1].split('id="gnn_mlir.')[0]
    for name in inspect.signature(gnn_mlir.compile).parameters:
        assert name == "unknown" or f"<strong>{name}</strong>" in compiling


@pytest.mark.parametrize("folder, page", [("GNN", "gnn"), ("Tile", "gnn_tile"),
                                          ("Overlay", "gnn_overlay")])
def test_every_op_is_on_the_page_of_its_dialect(site, folder, page):
    definitions = (ROOT / "include/GNN/Dialect" / folder / "IR").glob("*.td")
    ops = {op for td in definitions for op in re.findall(
        r'^def \w+\s*:\s*\w*Op<\s*"([\w.]+)"', td.read_text(), re.M)}
    text = (site / f"docs/reference/dialects/{page}.html").read_text()
    assert ",   # " not in text  # mlir-tblgen's positional syntax, which no attribute has.
    shown = set(re.findall(rf">{page}\.([\w.]+)</span></code> \(", text))
    assert len(ops) > 10 and ops <= shown, ops - shown


def test_pages_have_titles_of_their_own(site):
    """In the contents beside each page, in which nothing is twice: results have their file."""
    contents = (site / "docs/home.html").read_text().split('class="sidebar-tree"')[1]
    contents = contents.split('class="content"')[0]
    titles = re.findall(r'<a class="reference internal" href="[^"]*">(.*?)</a>', contents)
    assert len(titles) > 40 and len(set(titles)) == len(titles)
    names = [name for name in titles if name.startswith("Passes: ")]
    assert names[:3] == ["Passes: graph", "Passes: conversion", "Passes: tile"]


def test_pages_called_by_their_files_have_titles(site):
    """In pages, definitions, headers of C and docstrings."""
    for page, href, title in (("index", "Training.html", "Training"),
                              ("reference/dialects/gnn", "../../Training.html", "Training"),
                              ("reference/c/Compiler", "../../Cost.html", "Costs"),
                              ("api", "Frontend.html", "PyTorch models")):
        text = (site / f"docs/{page}.html").read_text()
        assert re.search(rf'href="{href}"><span class="[^"]*">{title}</span>', text), page
        assert "(docs/" not in re.sub(r"<code.*?</code>|<pre>.*?</pre>", "", text, flags=re.S)


def test_options_of_passes_are_lists(site):
    text = (site / "docs/reference/passes/graph.html").read_text()
    assert text.count("<h3>Options") > 5
    for options in text.split("<h3>Options")[1:]:
        assert re.match(r"[^\n]*\n<ul class=\"simple\">\n<li><p><code", options)


def test_every_function_of_c_is_in_the_reference(site):
    for header in (ROOT / "include/GNN-c").glob("*.h"):
        page = (site / f"docs/reference/c/{header.stem}.html").read_text()
        text = re.sub(r"<[^>]+>", "", page)
        for name in re.findall(r"^GNN_CAPI [^;(]*\b(gnn\w+)\(", header.read_text(), re.M):
            assert re.search(rf"\b{name}\b", text), (header.name, name)


def test_links_to_sources_lead_to_the_repository(site):
    page = (site / "docs/Plugins.html").read_text()
    assert 'href="https://example.org/blob/main/examples/standalone-op"' in page


def test_broken_links_are_errors(site, tree):
    links = "[page](Gone.md)", "[heading](Python.md#no-such)", "[own heading](#not-here)"
    with (tree / "docs/Tools.md").open("a") as page:
        page.write("\n" + "\n".join(links) + "\n")
    done = build(tree, site)
    assert done.returncode != 0 and done.stderr.count("Tools.md") == len(links), done.stderr
    for name in "Gone", "no-such", "not-here":
        assert name in done.stderr
