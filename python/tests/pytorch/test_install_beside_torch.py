# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An installed package in a process of torch."""

import pytest

pytest.importorskip("torch")

from test_install import check, site, wheel  # noqa: E402,F401


def test_torch_first(site, tmp_path):
    """What torch brings into the process is there already."""
    check(site, tmp_path, "import torch; torch.ones(8, 8) @ torch.ones(8, 8)",
          "out = gcn(graph, {k: torch.from_numpy(v) for k, v in inputs.items()})")
