# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The guest of the package: all that imports torch, or knows its names, PyG's and DGL's.

It imports the core, and the core none of it, but for `interop`, which does so where a caller
hands in what is torch's. `frontend` captures PyTorch models; `autograd` and `custom_ops` have
programs under torch's autograd and torch.compile; `tensor_graph` has graphs of tensors, whose
structures `device_build` or `structures` build.
"""
