# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled model beside the same one in eager float64: outputs and all gradients."""

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
    loss = sum((out.reshape(-1) * torch.arange(
        out.numel(), device=out.device).remainder(7)).sum() for out in outputs)
    if loss.requires_grad:
        loss.backward()
    grads = {name: p.grad for name, p in model.named_parameters()}
    return outputs, grads | {f"input {i}": x.grad for i, x in enumerate(features)}


def compare(expected, wanted, found, grads):
    """Asserts that outputs and gradients are those of eager, of which float64 is exact."""
    for a, b in zip(expected, found, strict=True):
        if a.numel():
            assert (a - b).abs().max() <= 1e-5 * max(1e-2, a.abs().max())
    scale = max((g.abs().max() for g in wanted.values() if g is not None and g.numel()),
                default=0)
    for key, grad in wanted.items():
        assert (grad is None) == (grads[key] is None), key
        if grad is not None and grad.numel():
            error = (grad - grads[key]).abs().max()
            assert error <= 1e-4 * max(grad.abs().max(), 1e-2 * scale), key
