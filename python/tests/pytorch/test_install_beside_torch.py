# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An installed package in a process of torch."""

import sys

import pytest

pytest.importorskip("torch")

from test_install import check, outside, run, site, wheel  # noqa: E402,F401

BACKEND = """
from importlib.metadata import distribution
found, = (one for one in distribution("gnn_mlir").entry_points
          if one.group == "torch_dynamo_backends")
print(found.name, found.load().__name__)
"""


def test_torch_first(site, tmp_path):
    """What torch brings into the process is there already."""
    check(site, tmp_path, "import torch; torch.ones(8, 8) @ torch.ones(8, 8)",
          "out = gcn(graph, {k: torch.from_numpy(v) for k, v in inputs.items()})")


def test_torch_knows_the_backend(site):
    out = run(sys.executable, "-W", "ignore", "-c", BACKEND,
              env={**outside(), "PYTHONPATH": str(site)})
    assert out.split() == ["gnn_mlir", "backend"]
