# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch models by torch.compile (docs/Frontend.md).

    model = gnn_mlir.compile(model)                    # a torch.nn.Module
    model = torch.compile(model, backend="gnn_mlir")   # the same without its settings

Data flows through the modules in this order: `intercept` and `vocabulary` (PyG's
functions and layers as ops), `lowering` and `assignments` (dynamo's graph as functional
ATen), `axes` and `graphs` (what is rows of what), `raising` with its handlers (programs),
`outer` and `structures` (what runs), `capture` and `compiled` (what the user calls).
"""

from .capture import CaptureError, backend, compile_module

__all__ = ["CaptureError", "backend", "compile_module"]
