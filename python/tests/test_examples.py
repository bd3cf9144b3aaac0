# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples are what the models give, and the compiler parses them."""

import importlib.util
import subprocess

import pytest

from conftest import ROOT

_spec = importlib.util.spec_from_file_location("generate",
                                               ROOT / "examples/generate.py")
generate = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(generate)


def test_no_example_without_a_model():
    files = {p.stem for p in (ROOT / "examples").glob("*.mlir")}
    assert files == {*generate.EXAMPLES, *generate.LOOPS}


@pytest.mark.parametrize("name", generate.EXAMPLES)
def test_up_to_date(name):
    path = ROOT / "examples" / f"{name}.mlir"
    assert path.read_text() == generate.text(name), (
        "run examples/generate.py")


@pytest.mark.parametrize("name", (*generate.EXAMPLES, *generate.LOOPS))
def test_parses(name, gnn_opt):
    path = ROOT / "examples" / f"{name}.mlir"
    result = subprocess.run([gnn_opt, "--verify-roundtrip", path], text=True,
                            capture_output=True)
    assert result.returncode == 0, result.stderr
