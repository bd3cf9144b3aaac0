# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random PyTorch models give what eager torch does, forward and backward, on graphs of
several sizes. A failure prints the reduced model's source; `python
python/tests/pytorch/random_model_runs.py --seeds 0..300` runs more.
"""

import logging
import re

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import random_model_runs as runs  # noqa: E402
import random_models  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402

SEEDS = (2, 3, 5)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
def test_random_model(compiler, seed, caplog):
    caplog.set_level(logging.ERROR, logger="gnn_mlir")
    model = random_models.random_model(seed, ops=9)
    try:
        assert runs.check(model, runs.sizes_of(seed)[1:3])
    except runs.Difference as difference:
        message = runs.report(model, difference)
        pytest.fail(message, pytrace=False)


def _faulty(model, target):
    """The results of a compiler whose softmax is wrong."""
    def call(*arguments):
        right = torch.Tensor.softmax
        torch.Tensor.softmax = lambda *given: right(*given) * 1.001
        try:
            return model(*arguments)
        finally:
            torch.Tensor.softmax = right
    return call


@pytest.mark.filterwarnings("ignore")
def test_a_planted_fault_is_reduced_to_its_op(monkeypatch):
    monkeypatch.setattr(capture, "compile_module", _faulty)
    for seed in range(100):
        model = random_models.random_model(seed, ops=6)
        try:
            runs.check(model, runs.sizes_of(seed)[:1])
        except runs.Difference as difference:
            text = runs.report(model, difference)
            break
    assert text.startswith(f"seed {seed}, reduced: graph (")
    statements = re.findall(r"^ {8}(v\d+ = .*)", text, re.M)
    assert any(".softmax(" in s for s in statements)
    assert len(statements) <= 4, text


@pytest.mark.filterwarnings("ignore")
def test_models_are_those_of_their_seeds_and_run():
    """Most graphs are no error in eager torch, or little would be compared."""
    ran = total = 0
    for seed in range(40):
        model = random_models.random_model(seed)
        assert model.source() == random_models.random_model(seed).source()
        module = model.build()
        for sizes in runs.sizes_of(seed):
            total += 1
            try:
                runs._run(model, module, module, runs._inputs(model, sizes, seed),
                          torch.float32)
                ran += 1
            except (RuntimeError, ValueError, IndexError):
                pass
    assert ran >= 0.8 * total
