# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All that imports torch, or knows names of PyG and DGL: a guest of the package.

It imports the core. The core imports it in `interop` alone, where a caller hands in what is
torch's. `frontend` captures PyTorch models. `autograd` and `custom_ops` have programs under
torch's autograd and torch.compile, `launches` their runs on a GPU. `tensor_graph` has graphs of
tensors, whose structures `device_build`, or else `structures`, builds. `pyg` takes graphs and
weights of PyG.
"""
