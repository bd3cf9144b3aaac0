# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparisons of activations that a program makes, beside those that gradients make:
values and gradients as torch's."""

import functools

import numpy as np
import pytest

from gnn_mlir import Graph, Module, compile as compile_program

torch = pytest.importorskip("torch")
F = torch.nn.functional

ROWS = 50
ACTIVATIONS = {"relu": (None, F.relu), "elu": (1.0, F.elu),
               "leaky_relu": (0.2, functools.partial(F.leaky_relu, negative_slope=0.2))}
# Each of the activation r and another input u: as a program, and as torch has it.
USES = {
    "larger": (lambda f, r, u: f.where(r > u, r, u),
               lambda r, u: torch.where(r > u, r, u)),
    "smaller": (lambda f, r, u: f.where(r <= u, r * u, u),
                lambda r, u: torch.where(r <= u, r * u, u)),
    "above": (lambda f, r, u: f.where(r > -0.1, u, r * u),
              lambda r, u: torch.where(r > -0.1, u, r * u)),
    "not_negative": (lambda f, r, u: f.where(r >= 0, r + 1.0, r - 5.0),
                     lambda r, u: torch.where(r >= 0, r + 1, r - 5)),
    "positive": (lambda f, r, u: f.where(r > 0, r * u, u),
                 lambda r, u: torch.where(r > 0, r * u, u)),
    "maximum": (lambda f, r, u: f.elementwise("arith.maximumf", r, u),
                torch.maximum),
    "minimum": (lambda f, r, u: f.elementwise("arith.minimumf", r, u),
                torch.minimum),
    "clamped": (lambda f, r, u: f.elementwise("arith.maximumf", r, -0.1),
                lambda r, u: torch.clamp(r, min=-0.1)),
    "absolute": (lambda f, r, u: abs(r) * u, lambda r, u: r.abs() * u)}
CASES = [(kind, use) for kind in ACTIVATIONS for use in USES]


@functools.lru_cache(maxsize=None)
def results():
    """The outputs of one program for all cases, and the gradients of each by its own
    inputs; torch's beside."""
    module = Module()
    g = module.graph("g")
    f = module.function("f")
    rng = np.random.default_rng(0)
    inputs, expected = {}, {}
    for kind, use in CASES:
        name = f"{kind}_{use}"
        x, u = (f.input(f"{n}_{name}", g.rows("node", 8)) for n in "xu")
        alpha, torch_activation = ACTIVATIONS[kind]
        r = f.activation(kind, x, **({} if alpha is None else {"alpha": alpha}))
        build, torch_use = USES[use]
        f.output(name, build(f, r, u))
        tensors = [torch.tensor(rng.standard_normal((ROWS, 8), np.float32),
                                requires_grad=True) for _ in "xu"]
        inputs.update({f"{n}_{name}": t for n, t in zip("xu", tensors)})
        expected[name] = torch_use(torch_activation(tensors[0]), tensors[1])
    layer = compile_program(module, gradients=True, target="emulator")
    outputs = layer(Graph([0], [0], ROWS), inputs)
    found, wanted = (torch.autograd.grad(
        [of[name].square().sum() for name in expected], list(inputs.values()),
        allow_unused=True) for of in (outputs, expected))
    zero = torch.zeros(ROWS, 8)
    return (outputs, expected, dict(zip(inputs, zip(found, wanted))), zero)


@pytest.mark.parametrize("kind,use", CASES)
def test_comparison_of_an_activation(kind, use, compiler):
    outputs, expected, gradients, zero = results()
    name = f"{kind}_{use}"
    torch.testing.assert_close(outputs[name], expected[name], rtol=1e-5, atol=1e-6)
    for n in "xu":
        found, wanted = (zero if t is None else t for t in gradients[f"{n}_{name}"])
        torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)
