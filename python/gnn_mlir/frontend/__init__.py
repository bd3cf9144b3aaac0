# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch models by torch.compile (docs/Frontend.md).

    model = gnn_mlir.compile(model)                    # a torch.nn.Module
    model = torch.compile(model, backend="gnn_mlir")   # the same without its settings

A call goes through `compiled_model` (torch's OptimizedModule), `arguments` (graphs of other
kinds as the ids of `adjacency`, kept by `identity`), `retrying` (models that use numbers of
tensors), `dispatch` (code that is captured already) and, where it fails, `bad_input`.

`capture` leads a graph of dynamo's through the modules in this order:

1. Tracing: `intercept` and `vocabulary` (PyG's functions and layers as ops), `hetero` and
   `templates` (equal layers of a HeteroConv traced once).
2. Functional ATen: `modes` (autocast, regions without gradients, what is left to torch),
   `sizes`, `exporting`, `own_gradients`, `lowering`, `assignments`, `composed`, `detached`.
3. Relations: `needed` (rows that nothing reads left out), `layers`, `terms` and `copies` (what
   relations add to node types), `relations`, `relation_groups`, `relation_copies` and `zipping`
   (one graph and one op in place of one for each relation).
4. Programs: `axes` and `declared_graphs` (what is rows of what), `raising` with its handlers
   (`elementwise`, `features`, `functions`, `products`, `sparse`, `weights`).
5. What runs: `liveness` and `reads` (which gradients are None), `outer` (torch's ops around
   programs), `graph_cache` and `streams` (graphs of the user's tensors), `program_calls`.

`report` says what became of a model, in the words of `places`, and `torch_internals` what all this needs of torch.
"""

from . import torch_internals

torch_internals.check()

from .capture import CaptureError, backend, compile_module

__all__ = ["CaptureError", "backend", "compile_module"]
