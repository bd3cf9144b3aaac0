# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyG while dynamo traces: its functions and layers as ops of the `vocabulary`.

`intercept` puts them there, `adjacency` and `matrix` stand for sparse matrices, which dynamo
takes for tensors by `stand_ins`, `hetero` and `templates` trace equal layers of a HeteroConv once, `exporting` makes graphs of what runs on fake tensors,
and `sizes` says what torch may assume of sizes.
"""
