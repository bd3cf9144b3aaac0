# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch models by torch.compile (docs/Frontend.md).

    model = gnn_mlir.compile(model)                    # a torch.nn.Module
    model = torch.compile(model, backend="gnn_mlir")   # the same without its settings

A call goes through `compiled`, `arguments` (graphs of other kinds as ids, and bad input) and
`dispatch` (code that is captured already). `sizes` says what torch may assume of sizes. A
capture flows through the modules in this order:
`intercept` and `vocabulary` (PyG's functions and layers as ops), `hetero` and `templates`
(equal layers of a HeteroConv traced once), `exporting`, `own_gradients`, `lowering`,
`assignments` and `composed` (dynamo's graph as functional ATen), `detached` (what has no
gradients), `needed`, `layers`, `copies` and `relations` (rows that nothing reads left out,
and relations merged into one graph), `axes` and `graphs` (what is rows of what), `raising`
with its handlers (programs), `liveness` and `reads` (which gradients are None), `outer` and
`structures` (what runs). `capture` leads through them.
"""

from . import torch_internals

torch_internals.check()

from .capture import CaptureError, backend, compile_module

__all__ = ["CaptureError", "backend", "compile_module"]
