# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled model beside the same one in eager float64: outputs and all gradients."""

import functools

import torch
from torch.utils import _pytree as pytree
from torch_geometric.data import Data


def tensors(tree):
    """The different tensors among arguments or results."""
    found = [x for leaf in pytree.tree_leaves(tree) for x in (
        leaf.to_dict().values() if isinstance(leaf, Data) else [leaf])
        if isinstance(x, torch.Tensor)]
    return list({id(x): x for x in found}.values())


def converted(tree, **how):
    """Tensors by `to`; what is one tensor stays one."""
    memo = {}

    def one(x):
        if isinstance(x, Data):
            return x.clone().apply(one)
        if not isinstance(x, torch.Tensor) or "dtype" in how and not x.is_floating_point():
            return x
        return memo.setdefault(id(x), x.detach().to(**how))
    return pytree.tree_map(one, tree)


def run(function, model, given, named):
    """Outputs, and gradients by name of a loss that no symmetry makes 0."""
    features = [x for x in tensors((given, named)) if x.is_floating_point()]
    for x in features:
        x.requires_grad_()
        x.grad = None
    model.zero_grad()
    outputs = tensors(function(*given, **named))
    kept = [out.detach().clone() for out in outputs]  # Invertible layers free them below.
    loss = sum((out.reshape(-1) * torch.arange(
        out.numel(), device=out.device).remainder(7)).sum() for out in outputs)
    if loss.requires_grad:
        loss.backward()
    grads = {name: p.grad for name, p in model.named_parameters()}
    return kept, grads | {f"input {i}": x.grad for i, x in enumerate(features)}


def compare(expected, wanted, found, grads, eager=None):
    """Asserts that outputs and gradients are those of eager, of which float64 is exact. Where
    they are farther, `eager` runs the model in float32, whose error they may have twice."""
    eager = functools.cache(eager) if eager else None

    def is_near(exact, got, limit, of_eager, key):
        error = (exact - got).abs().max()
        if error > limit and eager:
            limit = 2 * (exact - of_eager(*eager())).abs().max()
        assert error <= limit, key

    for i, (a, b) in enumerate(zip(expected, found, strict=True)):
        if a.numel():
            is_near(a, b, 1e-5 * max(1e-2, a.abs().max()), lambda outs, _: outs[i], f"output {i}")
    scale = max((g.abs().max() for g in wanted.values() if g is not None and g.numel()),
                default=0)
    for key, grad in wanted.items():
        assert (grad is None) == (grads[key] is None), key
        if grad is not None and grad.numel():
            is_near(grad, grads[key], 1e-4 * max(grad.abs().max(), 1e-2 * scale),
                    lambda _, rounded: rounded[key], key)
