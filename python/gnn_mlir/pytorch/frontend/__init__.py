# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch models by torch.compile (docs/Frontend.md).

    model = gnn_mlir.compile(model)                    # a torch.nn.Module
    model = torch.compile(model, backend="gnn_mlir")   # the same without its settings

A call goes through `calls`. `capture` leads a graph of dynamo's through the packages in this
order, each of which says what its modules do:

1. `tracing`: PyG's functions and layers as ops, while dynamo traces.
2. `functional`: functional ATen of dynamo's graph.
3. `relations`: one graph and one op in place of one for each relation.
4. `raising`: programs of the `gnn` dialect, and what is left to torch.
5. `runtime`: what is called in place of the model, and the graphs that it keeps.
6. `saving`: a captured model as a file.

`variants` raises a graph, once where it is whole. `analysis` is what 2 to 4 ask of a graph. No
package imports those behind it, in the order of tracing, analysis, functional, relations,
raising, runtime, saving, calls. `report` says what became of a model, in the words of `places`, and
`torch_internals` what all this needs of torch.
"""

from . import torch_internals

torch_internals.check()

from .capture import CaptureError, backend, compile_module

__all__ = ["CaptureError", "backend", "compile_module"]
