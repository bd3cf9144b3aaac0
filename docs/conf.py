# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The site: the pages of the tree, the reference that definitions are the source of, and
docstrings.

    pip install -r docs/requirements.txt
    python -m sphinx -W --keep-going -c docs . build/site

The root of the tree is the folder of the sources, so that links between pages are the same in
the site and in a checkout. A link to a file that is no page leads to the repository where
GNN_SITE_SOURCE has its address (https://HOST/OWNER/NAME/blob/COMMIT), else it is plain text.
"""

import os
import pathlib
import re
import sys

import pygments.lexer
import pygments.token as token

DOCS = pathlib.Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path[:0] = [str(DOCS), str(ROOT / "python")]
import make_reference  # noqa: E402

make_reference.write(DOCS / "reference")

project = "gnn-mlir"
copyright = "the gnn-mlir authors"
release = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M)[1]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/home"
include_patterns = ["docs/*.md", "docs/*.rst", "docs/reference/**", "README.md",
                    "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "benchmarks/results/*.md"]
exclude_patterns = ["build", "docs/_*"]
html_theme = "furo"
html_title = "gnn-mlir"
# Lines of code have 100 letters, which fit beside the contents.
html_theme_options = {"navigation_with_keys": True,
                      "light_css_variables": {"code-font-size": "12px"}}
pygments_style = "default"
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["myst.header"]
default_role = "code"
smartquotes_action = "De"  # Dashes and dots: values in quotes are copied into code.
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = napoleon_use_param = False  # Arguments that share a text stay one.
try:
    import torch  # noqa: F401
except ImportError:
    autodoc_mock_imports = ["torch", "torch_geometric"]

_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#:\s]+)((?:#[^)]*)?)\)")
_FENCE = re.compile(r"(^ *```.*?^ *```$)", re.M | re.S)
_PLACE = re.compile(r"^(\w+)\*\n", re.M)
_SOURCE = os.environ.get("GNN_SITE_SOURCE", "")


def _keep_place(pages):
    """The contents name pages that not every tree has with a star."""
    return lambda name: name[0] if f"docs/{name[1]}" in pages else ""


def _link_to_sources(app, page, source):
    """Links to files of the tree that are no pages; a page that is called by its file has its
    title."""
    def found(link):
        text, target, _ = link.groups()
        name = os.path.normpath(pathlib.PurePath(page).parent / target)
        is_page = os.path.splitext(name)[0] in app.env.found_docs
        if is_page and text == pathlib.PurePath(target).name and not link[3]:
            return f"[]({target})"
        if is_page or not (ROOT / name).exists():
            return link[0]
        return f"[{text}]({_SOURCE}/{name})" if _SOURCE else text

    if page.startswith("benchmarks/results/"):  # several have one title
        source[0] = re.sub(r"^# .*", rf"\g<0> ({pathlib.PurePath(page).name})", source[0], count=1)
    if page == root_doc:
        source[0] = _PLACE.sub(_keep_place(app.env.found_docs), source[0])
    parts = _FENCE.split(source[0])
    source[0] = "".join(part if part.lstrip().startswith("```") else _LINK.sub(found, part)
                        for part in parts)


def _write_entry(app, problem):
    """The address of the site itself leads to its first page."""
    if problem is None and app.builder.name == "html":
        (pathlib.Path(app.outdir) / "index.html").write_text(
            '<!doctype html><meta http-equiv="refresh" content="0; url=docs/home.html">'
            '<a href="docs/home.html">gnn-mlir</a>\n')


def _link_to_pages(_app, _what, _name, _object, _options, lines):
    """Docstrings name pages by their files."""
    lines[:] = [re.sub(r"(?<![`/\w])docs/(\w+)\.md", r":doc:`\1`", line) for line in lines]


def _show_signature(_app, _what, _name, _object, _options, signature, returned):
    """Without the arguments that only catch mistakes."""
    return signature and re.sub(r"=interop\.NONE|, \*\*unknown\b", "", signature), returned


class MLIRLexer(pygments.lexer.RegexLexer):
    """Enough of MLIR to tell values, symbols, ops and types apart."""
    name, aliases = "MLIR", ["mlir"]
    tokens = {"root": [
        (r"//.*", token.Comment.Single), (r'"(?:[^"\\]|\\.)*"', token.String),
        (r"%[\w#.$-]+", token.Name.Variable), (r"@[\w.$-]+", token.Name.Function),
        (r"[#!^][\w.$-]+", token.Name.Decorator),
        (r"\b[a-z_][\w$]*\.[\w.$]+", token.Keyword),
        (r"\b(?:tensor|memref|vector|index|[fi]\d+|bf16)\b|(?<=x)(?:[fi]\d+|bf16)\b",
         token.Keyword.Type),
        (r"-?\b\d+(?:\.\d*)?(?:e[+-]?\d+)?", token.Number), (r"\s+", token.Whitespace),
        (r"\w+", token.Name), (r".", token.Punctuation)]}


def setup(app):
    app.add_lexer("mlir", MLIRLexer)
    app.connect("source-read", _link_to_sources)
    app.connect("autodoc-process-docstring", _link_to_pages)
    app.connect("autodoc-process-signature", _show_signature)
    app.connect("build-finished", _write_entry)
